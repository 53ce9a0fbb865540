"""Collect what a class handed in, from what a learning platform gives to download."""
