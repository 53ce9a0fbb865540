"""What becomes of marks: the gradebook, and what students and their teacher get of it."""
