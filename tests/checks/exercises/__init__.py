"""What the tests know of each exercise: a file for each, named as its spec is."""
