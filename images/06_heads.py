"""Draw split and merge; weights of layer 0 of all-MiniLM-L6-v2 on "I saw a saw".

From top to bottom. Query, key and value, three wide matrices of 384 features, are cut into 12
heads of 32 features. Each head attends by itself: three of the twelve tables of weights, real
ones for “I saw a saw”, differ; head 2 looks at the previous word, heads 5 and 9 elsewhere. The
twelve results are laid side by side, 384 features again, and go through w_output.
"""

import numpy as np
from matplotlib.patches import Rectangle

import attnlib
from attnlib import text
from attnlib.plotting import COLORS
from images.page import INK, SOFT, arrow, box, page, shades, tint, write


def draw():
    """Return the picture as a figure."""
    n_heads, shown = 12, (2, 5, 9)
    layer = attnlib.MultiHeadAttention(**text.layer(0), n_heads=n_heads)
    weights = layer.weights(text.states("I saw a saw")[0])  # (n_heads, 6, 6)
    figure, ax = page(404)
    left, step, tall, gap = 166, 42, 32, 5
    centres = left + step * (np.arange(n_heads) + 0.5)
    tables = (250, 418, 586)
    y_split, y_table, cell, y_merge, y_mix, y_last = 42, 112, 15, 260, 322, 378
    for shift, role in ((14, "value"), (7, "key"), (0, "query")):
        for at in centres:
            corner = (at - (step - gap) / 2 + shift, y_split - tall / 2 - shift)
            strip = Rectangle(corner, step - gap, tall, facecolor=tint(COLORS[role], 0.3))
            ax.add_patch(strip)
            strip.set(edgecolor=COLORS[role], linewidth=1)
    for head, at in enumerate(centres):
        used = head in shown
        for y, color in ((y_split, COLORS["query"]), (y_merge, COLORS["output"])):
            fill = color if used else tint(color, 0.3)
            corner = (at - (step - gap) / 2, y - tall / 2)
            ax.add_patch(Rectangle(corner, step - gap, tall, facecolor=fill, edgecolor=color))
            ink = "white" if used and y == y_split else INK
            write(ax, at, y, f"{head}", size=11.5, color=ink, weight="bold" if used else "normal")
    side = 6 * cell
    for head, x in zip(shown, tables, strict=True):
        colors = shades(weights[head])
        for i, j in np.ndindex(6, 6):
            corner = (x - side / 2 + j * cell, y_table + i * cell)
            square = Rectangle(corner, cell, cell, facecolor=colors[i, j], edgecolor="#c4ccd3")
            square.set_linewidth(0.6)
            ax.add_patch(square)
        small = {"size": 11.5, "color": SOFT}
        write(ax, x - side / 2 - 12, y_table + side / 2, "query (row)", rotation=90, **small)
        write(ax, x, y_table - 12, "key (column)", **small)
        arrow(ax, (centres[head], y_split + tall / 2 + 3), (x, y_table - 24))
        arrow(ax, (x, y_table + side + 6), (centres[head], y_merge - tall / 2 - 4))
    middle = centres.mean()
    whole = n_heads * step - gap
    arrow(ax, (middle, y_merge + tall / 2 + 4), (middle, y_mix - 18))
    box(ax, middle, y_mix, 160, 32, words="w_output", size=12)
    arrow(ax, (middle, y_mix + 18), (middle, y_last - tall / 2 - 4))
    last = Rectangle((left + gap / 2, y_last - tall / 2), whole, tall)
    last.set(facecolor=tint(COLORS["output"], 0.3), edgecolor=COLORS["output"])
    ax.add_patch(last)
    beside = [
        (y_split, "split", "query, key, value:\n12 heads of 32"),
        (y_table + side / 2, "attend", "each head has\nits own weights"),
        (y_merge, "merge", "laid side by side:\n384 features"),
        (y_mix, "project", "heads are mixed"),
        (y_last, "output", "384 features"),
    ]
    for y, name, more in beside:
        lines = more.count("\n") + 1
        write(ax, 12, y - 9 * lines - 3, name, size=13, weight="bold", ha="left")
        write(ax, 12, y - 9 * lines + 9, more, size=11.5, color=SOFT, ha="left", va="top")
    return figure
