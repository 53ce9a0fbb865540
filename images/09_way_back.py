"""Draw attention as boxes, with arrows that lead to the loss and arrows that lead back.

Boxes joined by arrows. On the way there, query and key make scores, scores make weights,
weights and value make the output, and the output makes the loss. A dashed arrow leads back
along each of these, and under each box stands its gradient: grad_output comes first, then
grad_weights and grad_value, then grad_scores, and last grad_query and grad_key.
"""

import numpy as np

from attnlib.plotting import COLORS
from images.page import INK, SOFT, arrow, box, page, write


def draw():
    """Return the picture as a figure."""
    figure, ax = page(250)
    query, key, value = (62, 52), (62, 162), (392, 52)
    scores, weights, output, loss = (212, 107), (362, 162), (512, 107), (640, 107)
    places = {"query": query, "key": key, "value": value, "scores": scores, "weights": weights}
    for name, (x, y) in (places | {"output": output, "loss": loss}).items():
        box(ax, x, y, 74, 32, COLORS.get(name, SOFT), words=name)
        if name != "loss":
            write(ax, x, y + 29, f"grad_{name}", size=9, color=SOFT, style="italic")
    steps = (query, scores), (key, scores), (scores, weights), (weights, output), (value, output)
    for start, end in (*steps, (output, loss)):
        along = np.subtract(end, start) / np.hypot(*np.subtract(end, start))
        aside = 6 * np.array([along[1], -along[0]])
        from_box, to_box = start + 48 * along, end - 48 * along
        arrow(ax, from_box + aside, to_box + aside, color=INK)
        ax.plot(*zip(to_box - aside, from_box - aside, strict=True), color=SOFT, ls=(0, (3, 2)))
        arrow(ax, from_box - aside + 2 * along, from_box - aside - 2 * along, color=SOFT)
    arrow(ax, (430, 228), (480, 228), color=INK)
    write(ax, 490, 228, "how it is computed", size=9, ha="left")
    ax.plot((240, 200), (228, 228), color=SOFT, ls=(0, (3, 2)))
    arrow(ax, (204, 228), (196, 228))
    write(ax, 250, 228, "how gradients come back", size=9, ha="left")
    return figure
