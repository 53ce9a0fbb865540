"""Draw the dot product as a shadow's length times a length.

Two arrows from one point: a = (1, 3), steep, and b = (4, 2), flatter. Light falls straight onto
the line of b, and a throws a shadow on it, from the common point to the middle of b. The
shadow is 2.24 long and b is 4.47 long; 2.24 times 4.47 is 10, the dot product of a and b.
"""

import numpy as np
from matplotlib.patches import Circle

import attnlib
from images.page import INK, SOFT, page, write


def draw():
    """Return the picture as a figure."""
    a, b = np.array([1.0, 3.0]), np.array([4.0, 2.0])
    shadow = attnlib.projection(a, b)
    lengths = np.linalg.norm(shadow), np.linalg.norm(b)
    figure, ax = page(390)
    origin, unit = np.array([84.0, 338.0]), 97

    def place(*points):
        return origin + unit * np.array(points) * (1, -1)

    up = (a - shadow) / np.linalg.norm(a - shadow)
    along = shadow / lengths[0]
    for share in (0.25, 0.5, 0.75, 1.0):  # the light: straight down onto the line of b
        color = SOFT if share == 1 else "#b8bec4"
        ray = place(share * a, share * shadow)
        ax.plot(*ray.T, color=color, linewidth=1.4, linestyle=(0, (4, 3)), zorder=1)
    corner = place(shadow - 0.16 * along, shadow + 0.16 * (up - along), shadow + 0.16 * up)
    ax.plot(*corner.T, color=SOFT, linewidth=1.2)
    ground = place([0, 0], shadow, shadow - 0.11 * up, -0.11 * up)
    ax.fill(*ground.T, color="#9aa0a6", linewidth=0)
    for head, color in ((a, "C0"), (b, "C1")):  # as in lesson 01: vectors, not yet queries or keys
        style = {"arrowstyle": "-|>,head_width=0.4,head_length=0.8", "color": color, "lw": 3.5}
        ax.annotate("", place(head)[0], origin, arrowprops=style | {"shrinkA": 0, "shrinkB": 0})
    ax.add_patch(Circle(origin, 4, color=INK, zorder=3))
    for head, words in ((a, "a = (1, 3)"), (b, "b = (4, 2)")):
        write(ax, *place(head)[0] - (0, 22), words, size=12, weight="bold")
    turn = np.degrees(np.arctan2(*b[::-1]))
    below = place(shadow / 2 - 0.3 * up)[0]
    write(ax, *below, "a’s shadow on b", size=11, rotation=turn, rotation_mode="anchor")
    left = 404
    write(ax, left, 262, f"a · b = {a @ b:.0f}", size=15, weight="bold", ha="left")
    write(ax, left, 297, f"= {lengths[0]:.2f} × {lengths[1]:.2f}", size=12, ha="left")
    write(ax, left, 328, "the shadow’s length × b’s length", size=10, color=SOFT, ha="left")
    return figure
