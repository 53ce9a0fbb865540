"""Draw a box with a name in it. OPEN: what the picture says, for whoever edits it.

OPEN: this is the alt text; say what there is to see, part by part, as to a person on the telephone.
"""

from images.page import SOFT, box, page


def draw():
    """Return the picture as a figure."""
    figure, ax = page(240)
    box(ax, 350, 120, 240, 60, SOFT, words="a_text_of_your_own")  # OPEN: the picture
    return figure
