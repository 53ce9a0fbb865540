"""Writes the skeletons of what a contributor adds: a lesson, an exercise, a widget."""
