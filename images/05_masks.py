"""Draw four masks of five words side by side.

Four grids of five queries, the rows, and five keys, the columns. A filled cell with a dot may
look, an empty cell with a cross is hidden. None: every cell is filled. Causal: the diagonal and
all below it. Padding, for a sentence of three words: the first three columns. Window of width
1: the diagonal and its neighbours.
"""

import numpy as np
from matplotlib.patches import Circle, Rectangle

import attnlib
from attnlib.plotting import COLORS
from images.page import INK, SOFT, page, tint, write


def draw():
    """Return the picture as a figure."""
    words = ["the", "cat", "sat", "on", "it"]
    n = len(words)
    masks = {
        "none": np.ones((n, n), dtype=bool),
        "causal": attnlib.causal_mask(n),
        "padding": np.broadcast_to(attnlib.padding_mask([3], n)[0], (n, n)),
        "window": attnlib.window_mask(n, width=1),
    }
    figure, ax = page(318)
    cell, top = 28, 112
    for panel, (name, mask) in enumerate(masks.items()):
        left = 72 + 157 * panel
        write(ax, left + n * cell / 2, 24, name, size=11, weight="bold")
        write(ax, left + n * cell / 2, 52, "key (column)", size=9, color=SOFT)
        for j, word in enumerate(words):
            padded = name == "padding" and j >= 3
            shown, color = ("pad", SOFT) if padded else (word, INK)
            at = (left + (j + 0.5) * cell, top - 8)
            write(ax, *at, shown, size=9, color=color, rotation=90, va="bottom")
        for i, j in np.ndindex(n, n):
            draw_cell(ax, left + j * cell, top + i * cell, cell, mask[i, j])
    for i, word in enumerate(words):
        write(ax, 64, top + (i + 0.5) * cell, word, size=9, ha="right")
    write(ax, 16, top + n * cell / 2, "query (row)", size=9, color=SOFT, rotation=90)
    for x, looks, meaning in ((244, True, "may look"), (390, False, "hidden")):
        draw_cell(ax, x, 272, cell, looks)
        write(ax, x + cell + 10, 272 + cell / 2, meaning, ha="left")
    return figure


def draw_cell(ax, x, y, size, looks):
    """Draw one cell of a mask: filled with a dot, or empty with a cross."""
    fill = tint(COLORS["query"], 0.38) if looks else "white"
    ax.add_patch(Rectangle((x, y), size, size, facecolor=fill, edgecolor="#9aa3ab", linewidth=0.9))
    middle, reach = (x + size / 2, y + size / 2), size * 0.13
    if looks:
        ax.add_patch(Circle(middle, size * 0.16, color=INK))
        return
    for slope in (1, -1):
        along = np.array([-reach, reach])
        ax.plot(middle[0] + along, middle[1] + slope * along, color="#8a9299", linewidth=1.3)
