"""Draw the weights of a convolution, of a fading state and of a real head on one sentence.

Three tables of weights for one sentence, The animal did not cross the street because it was tired.
Convolution, from the distance: each word hears itself and its two neighbours. Recurrence, from a
running state: each word hears those before it, and what is long ago fades. Attention, from what
the words hold, in a head of a real model: it looks at animal with weight 0.66.
"""

import numpy as np
from matplotlib.patches import Rectangle

import attnlib
from attnlib import text
from images.page import INK, SOFT, page, shades, write

SENTENCE = "The animal did not cross the street because it was tired"


def real_head():
    """Return the weights of head 1 in layer 3, without those on the marks at both ends."""
    attend = attnlib.MultiHeadAttention(**text.layer(3), n_heads=12)
    return attend.weights(text.states(SENTENCE)[3])[1, 1:-1, 1:-1]


def draw():
    """Return the picture as a figure."""
    words = text.tokens(SENTENCE)[1:-1]
    n, cell, top, left = len(words), 15, 78, 88
    steps = np.arange(n)[:, None] - np.arange(n)
    shown = {
        "convolution": (np.where(abs(steps) <= 1, 1 / 3, 0), "from the distance"),
        "recurrence": (np.tril(0.6 ** np.maximum(steps, 0)), "from a running state"),
        "attention": (real_head(), "from what the words hold"),
    }
    figure, ax = page(292)
    for number, (name, (weights, source)) in enumerate(shown.items()):
        x0 = left + number * (n * cell + 40)
        middle = x0 + n * cell / 2
        write(ax, middle, 30, name, size=12, weight="bold")
        write(ax, middle, 54, source, size=9.5, color=SOFT)
        colors = shades(weights / weights.max())
        for i, j in np.ndindex(n, n):
            look = {"facecolor": colors[i, j], "edgecolor": "white", "linewidth": 0.6}
            ax.add_patch(Rectangle((x0 + j * cell, top + i * cell), cell, cell, **look))
        frame = Rectangle((x0, top), n * cell, n * cell, fill=False, edgecolor=SOFT, linewidth=0.9)
        ax.add_patch(frame)
        if name == "attention":
            i, j = words.index("it"), words.index("animal")
            label = f"it looks at animal: {weights[i, j]:.2f}"
            write(ax, middle, top + n * cell + 22, label, size=9.5)
    for i, word in enumerate(words):
        marked = {"color": INK, "weight": "bold"} if word == "it" else {"color": SOFT}
        write(ax, left - 8, top + (i + 0.5) * cell, word, size=9, ha="right", **marked)
    return figure
