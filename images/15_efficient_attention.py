"""Draw attention in tiles: one tile of the table of scores, and what is kept beside it.

A table of scores, {n} queries by {n} keys, is cut into {tiles} tiles, and only one of them is
there: the second block of queries meets the third block of keys. Those before it are gone, those
after it are still to come. Beside the table each block of queries has three boxes: top, total and
output. Of the first block the output is done. Those of the second are filled, and grow; the others
are empty.
"""

import numpy as np
from matplotlib.patches import Rectangle

from attnlib.plotting import COLORS
from images.page import FAINT, SOFT, arrow, box, page, shades, tint, write

N, SIZE = 20, 5
ROW, COLUMN = 1, 2  # the tile that is there, counted in tiles
LEFT, ABOVE, EDGE = 150, 66, 58  # of the table, and of a tile


def scores():
    """Return the scores of the queries at work with the keys so far: (SIZE, n_keys)."""
    query, key = np.random.default_rng(15).standard_normal((2, N, 8))
    rows, columns = slice(ROW * SIZE, (ROW + 1) * SIZE), slice((COLUMN + 1) * SIZE)
    return query[rows] @ key[columns].T / np.sqrt(8)


def says():
    """Return what the alt text has in braces."""
    return {"n": N, "tiles": (N // SIZE) ** 2}


def draw():
    """Return the picture as a figure."""
    figure, ax = page(340)
    middles = ABOVE + EDGE * (np.arange(N // SIZE) + 0.5)
    for i, y in enumerate(middles):
        box(ax, 112, y, 46, EDGE - 8, COLORS["query"] if i == ROW else FAINT)
        x = LEFT + EDGE * (i + 0.5)
        box(ax, x, 40, EDGE - 8, 26, COLORS["key"] if i == COLUMN else FAINT)
        for j in range(len(middles)):
            gone = (i, j) < (ROW, COLUMN)
            _square(ax, j * EDGE, i * EDGE, EDGE, tint(SOFT, 0.12) if gone else "white", FAINT)
    for x, width, words in ((436, 44, "top"), (490, 44, "total"), (582, 116, "output")):
        write(ax, x, 318, words, size=12, weight="bold")
        for i, y in enumerate(middles):
            done = i < ROW and words == "output"
            color, fill = (COLORS["output"], None) if i == ROW or done else (FAINT, "white")
            box(ax, x, y, width, EDGE - 8, color, words="done" if done else "", size=12, fill=fill)
    tile = np.exp(scores()[:, -SIZE:] - scores().max(axis=-1, keepdims=True))
    for i, j in np.ndindex(tile.shape):
        small = EDGE / SIZE
        x, y = COLUMN * EDGE + j * small, ROW * EDGE + i * small
        _square(ax, x, y, small, shades(tile)[i, j], "white")
    _square(ax, COLUMN * EDGE, ROW * EDGE, EDGE, "none", COLORS["scores"])
    arrow(ax, (LEFT + 4 * EDGE + 6, middles[ROW]), (406, middles[ROW]))
    write(ax, 112, 40, "queries", size=12)
    write(ax, LEFT + 4 * EDGE + 10, 40, "keys, block by block", size=12, ha="left")
    write(ax, LEFT + 2 * EDGE, 318, "one tile at a time", size=12, weight="bold")
    return figure


def _square(ax, x, y, size, color, edge):
    """Draw a square of the table, at (x, y) from its corner."""
    corner = (LEFT + x, ABOVE + y)
    ax.add_patch(Rectangle(corner, size, size, facecolor=color, edgecolor=edge, linewidth=1))
