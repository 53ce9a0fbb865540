"""The exercises, one spec each, found by the name of the function to write."""
