"""Draw rows of `attnlib.sinusoidal_positions` as hands of clocks.

A table of clocks: five rows, the positions 0, 3, 10, 100 and 1000, and eight columns for pairs
of features. At position 0 all hands point up. At 3 the first hand has come half round, and the
others less and less; at 10, 100 and 1000 more and more of the slow hands have left the top.
"""

from matplotlib.patches import Circle

import attnlib
from attnlib.plotting import COLORS
from images.page import INK, SOFT, page, tint, write


def draw():
    """Return the picture as a figure."""
    positions, d_model, n_pairs = [0, 3, 10, 100, 1000], 16, 8  # lesson 08's widget has 3 and 10
    table = attnlib.sinusoidal_positions(max(positions) + 1, d_model)[positions]
    figure, ax = page(380)
    step_x, step_y, radius = 69, 64, 26
    write(ax, 16, 28, "features", ha="left", weight="bold")
    for row, position in enumerate(positions):
        write(ax, 16, 80 + step_y * row, f"position {position}", ha="left", weight="bold")
    for pair in range(n_pairs):
        x = 172 + step_x * pair
        write(ax, x, 28, f"{2 * pair}, {2 * pair + 1}", weight="bold")
        for row, (sine, cosine) in enumerate(table[:, 2 * pair : 2 * pair + 2]):
            y = 80 + step_y * row
            face = Circle((x, y), radius, facecolor=tint(COLORS["query"], 0.07), edgecolor=SOFT)
            face.set_linewidth(1.2)
            ax.add_patch(face)
            ax.plot((x, x), (y - radius, y - radius + 4), color=SOFT, linewidth=1)
            tip = (x + 0.78 * radius * sine, y - 0.78 * radius * cosine)  # sine: to the right
            ax.plot((x, tip[0]), (y, tip[1]), color=COLORS["query"], linewidth=2.8)
            ax.add_patch(Circle((x, y), 2.6, color=INK, zorder=3))
    return figure
