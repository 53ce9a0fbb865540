"""Pictures: figures, grids and stills; they take arrays, and know nothing of attention.

`attnlib.plotting` is what a lesson asks for. Drawing needs Matplotlib and Pillow.
"""
