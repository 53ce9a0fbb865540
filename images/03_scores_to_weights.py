"""Draw softmax as bars, at three temperatures; the scores are made by hand.

Left, four scores as bars: 2, 1, 0.5 and −0.5. Right, the weights that softmax makes of them,
three times. Temperature 0.5, sharp: 0.84, 0.11, 0.04, 0.01. Temperature 1: 0.60, 0.22, 0.13,
0.05. Temperature 4, flat: 0.33, 0.26, 0.23, 0.18. Each time they are
positive, keep their order and sum to 1.
"""

import numpy as np
from matplotlib.patches import Rectangle

import attnlib
from attnlib.plotting import COLORS
from images.page import INK, SOFT, arrow, page, shades, vector, write


def draw():
    """Return the picture as a figure."""
    scores = np.array([2.0, 1.0, 0.5, -0.5])
    figure, ax = page(340)
    step, wide = 33, 25

    def row(middle, base, tops, colors, labels):
        for i, top in enumerate(tops):
            x = middle + step * (i - 1.5)
            bar = Rectangle((x - wide / 2, min(top, base)), wide, abs(top - base))
            bar.set(facecolor=colors[i], edgecolor=INK, linewidth=0.9)
            ax.add_patch(bar)
            write(ax, x, top + (13 if top > base else -12), labels[i], size=9)
        ax.plot((middle - 2.1 * step, middle + 2.1 * step), (base, base), color=SOFT, linewidth=1.2)

    write(ax, 94, 26, "scores", size=11, weight="bold")
    labels = [vector([score])[1:-1] for score in scores]
    row(94, 220, 220 - 72 * scores, [COLORS["scores"]] * 4, labels)
    write(ax, 94, 312, "any numbers", size=9.5, color=SOFT)
    arrow(ax, (184, 176), (238, 176), width=2.2)
    write(ax, 211, 158, "softmax", size=9.5)
    write(ax, 466, 26, "weights", size=11, weight="bold")
    for column, (temperature, name) in enumerate(((0.5, "sharp"), (1, "plain"), (4, "flat"))):
        weights = attnlib.softmax(scores, temperature=temperature)
        middle = 316 + 150 * column
        labels = [f"{weight:.2f}" for weight in weights]
        row(middle, 258, 258 - 172 * weights, shades(weights), labels)
        write(ax, middle, 60, name, weight="bold")
        write(ax, middle, 80, f"temperature {temperature}", size=9.5)
    write(ax, 466, 286, "positive, in the same order", size=9.5, color=SOFT)
    write(ax, 466, 312, "each four sum to 1", size=9.5, color=SOFT)
    return figure
