"""Lessons as pages that need neither kernel nor network."""
