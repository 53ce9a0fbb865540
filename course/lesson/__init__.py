"""Reads the lessons: a source is read once, and `series.Lesson` knows all that follows."""
