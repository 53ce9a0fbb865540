"""Draw a loss over one number, as a bowl, with the slope on either side of the lowest point.

A bowl, the loss over one number of a model. On its left side a ball, where the number is {left}:
a line that touches the bowl there falls by {steep} for each 1 to the right, and an arrow says to
turn the number up. On its right side another ball, at {right}: the line there rises by
{gentle}, less steeply, and a shorter arrow says to turn the number down. Between them the lowest
point, where the slope is 0.
"""

import numpy as np

from attnlib.plotting import COLORS
from images.page import INK, SOFT, arrow, page, write

LEFT, RIGHT = -1.5, 1.0


def loss(number):
    """Return a bowl."""
    return number**2 / 2


def draw():
    """Return the picture as a figure."""
    figure, ax = page(304)

    def place(number, height):
        return 350 + 130 * np.asarray(number), 214 - 110 * np.asarray(height)

    numbers = np.linspace(-1.85, 1.85, 200)
    ax.plot(*place(numbers, loss(numbers)), color=INK, linewidth=2.5)
    ax.plot((90, 610), (246, 246), color=SOFT, linewidth=1)
    write(ax, 610, 284, "one number of the model", size=9.5, color=SOFT, ha="right")
    write(ax, 90, 40, "loss", size=9.5, color=SOFT, ha="right")
    for number, color in ((LEFT, COLORS["query"]), (RIGHT, COLORS["key"])):
        x, y = place(number, loss(number))
        along = number + np.array([-0.42, 0.55])
        ax.plot(*place(along, loss(number) + number * (along - number)), color=color, linewidth=2)
        ax.plot(x, y, "o", color=color, markersize=11)
        ax.plot((x, x), (y, 246), color=color, linewidth=1, linestyle=(0, (3, 3)))
        arrow(ax, (x, 246), (x - 70 * number, 246), color=color)
        words = f"slope {number:+.1f}".replace("-", "−")
        aside = -1 if number < 0 else 1
        write(ax, x + 24 * aside, y + 6, words, color=color, weight="bold",
              ha="right" if number < 0 else "left")  # fmt: skip
        turn = "turn it up" if number < 0 else "turn it down"
        write(ax, x - 35 * number, 262, turn, size=9.5, color=color)
    ax.plot(*place(0, 0), "o", color=INK, markersize=6)
    write(ax, 350, 190, "slope 0", size=9.5, color=SOFT)
    return figure


def says():
    """Return what the alt text has in braces."""
    names = {"left": LEFT, "right": RIGHT, "steep": -LEFT, "gentle": RIGHT}
    return {name: f"{number:g}" for name, number in names.items()}
