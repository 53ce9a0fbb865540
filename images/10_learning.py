"""Draw the recorded weights of the last word, at three steps of a training, as arcs.

The sentence I um er saw a well oh saw, three times. From the last saw, arcs lead to the words
that it looks at, as thick as their weights. At step {early} they lead everywhere, and the
answer is noun with {early_noun}. At step {middle} most of the weight has gone to a,
{middle_weight}, and at step {late} nearly all, {late_weight}; the answer is noun with
{late_noun}.
"""

import numpy as np
from matplotlib.patches import PathPatch
from matplotlib.path import Path as Curve

from attnlib import text
from attnlib.plotting import COLORS
from images.page import SOFT, box, page, write

HESITATING, STEPS_DRAWN = "I um er saw a well oh saw", (0, 60, 300)


def draw():
    """Return the picture as a figure."""
    words = HESITATING.split()
    figure, ax = page(374)
    places = 140 + 69 * np.arange(len(words))
    for row, (at, weights, noun) in enumerate(steps_of_training()):
        y = 70 + 120 * row
        write(ax, 16, y, f"step {at}", size=12, ha="left", weight="bold")
        for x, weight in zip(places[:-1], weights, strict=False):
            high = 34 + 0.06 * (places[-1] - x)
            points = [(places[-1], y - 17), (places[-1], y - high), (x, y - high), (x, y - 17)]
            curve = Curve(points, [Curve.MOVETO, *[Curve.CURVE4] * 3])
            style = {"color": COLORS["query"], "alpha": 0.75, "linewidth": 0.3 + 16 * weight}
            ax.add_patch(PathPatch(curve, fill=False, capstyle="butt", **style))
        for place, (x, word) in enumerate(zip(places, words, strict=True)):
            is_asking = place == len(words) - 1
            box(ax, x, y, 58, 30, COLORS["query"] if is_asking else SOFT, words=word, size=12.5)
            write(ax, x, y + 28, f"{weights[place]:.2f}", size=12, color=SOFT)
        write(ax, places[-1] - 8, y + 46, f"noun: {noun:.2f}", size=12, weight="bold")
    return figure


def says():
    """Return what the alt text has in braces: numbers of the recorded training."""
    early, middle, late = steps_of_training()
    return {
        "early": early[0],
        "early_noun": f"{early[2]:.2f}",
        "middle": middle[0],
        "middle_weight": f"{middle[1][4]:.2f}",
        "late": late[0],
        "late_weight": f"{late[1][4]:.2f}",
        "late_noun": f"{late[2]:.2f}",
    }


def steps_of_training():
    """Return for three steps their number, the last word's weights and how sure it is of a noun."""
    record = text.trainings()
    at = [int(np.flatnonzero(record["steps"] == step)[0]) for step in STEPS_DRAWN]
    weights = record[f"weights/sinusoids/{HESITATING}"][0, :, -1] / 255
    verb = record[f"verb/sinusoids/{HESITATING}"][0, :, -1]
    return [(step, weights[i], 1 - verb[i]) for step, i in zip(STEPS_DRAWN, at, strict=True)]
