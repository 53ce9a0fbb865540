"""Editions of the lessons in other languages: catalogues in step, and notebooks."""
