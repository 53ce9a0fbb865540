"""Lessons as decks, one file each, and handouts."""
