"""Whole models of the lessons: the world and its writer (12), the real encoder (13).

`attnlib.world`, `attnlib.writer` and `attnlib.encoder` are their public names.
"""
