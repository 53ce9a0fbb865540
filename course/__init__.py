"""Turns the sources into what people are handed. Learners never import it."""
