"""Draw the whole model: one table of word vectors at both ends, and two blocks between them.

Four words, the grey hen likes, take their rows of a table of {n_words} word vectors of {width}
numbers. As 4 rows of {width} numbers they go through block 1, and what it hands on goes through
block 2. The last row then asks all {n_words} rows of the same table, and each of the {n_words}
words gets its score to be next.
"""

from attnlib import text
from attnlib.plotting import COLORS
from images.page import SOFT, arrow, box, page, write


def says():
    """Return what the alt text has in braces."""
    n_words, width = text.writer()["words"].shape
    return {"n_words": n_words, "width": width}


def draw():
    """Return the picture as a figure."""
    n_words, width = says().values()
    figure, ax = page(250)
    rows = [54, 98, 142, 186]
    for y, word in zip(rows, ["the", "grey", "hen", "likes"], strict=True):
        box(ax, 44, y, 68, 32, SOFT, words=word, size=13)
        for left, right in ((79, 102), (188, 240), (326, 378)):
            arrow(ax, (left, y), (right, y))
    for middle in (145, 567):
        table = f"word\nvectors\n({n_words}, {width})"
        box(ax, middle, 120, 86, 176, COLORS["key"], words=table, size=12)
    for middle, name in ((283, "block 1"), (421, "block 2")):
        box(ax, middle, 120, 86, 176, COLORS["value"], words=name, size=13)
    for middle in (213, 351):
        write(ax, middle, 20, f"({len(rows)}, {width})", size=12)
    arrow(ax, (464, 186), (524, 186))
    write(ax, 492, 170, "asks", size=12)
    arrow(ax, (610, 120), (636, 120))
    write(ax, 667, 120, f"{n_words}\nscores", size=12)
    arrow(ax, (145, 216), (145, 236), (567, 236), (567, 216), head=False)
    write(ax, 356, 222, "the same table", size=12)
    return figure
