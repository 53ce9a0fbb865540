"""Draw one query of the toy sentence from question to output; its numbers are made by hand.

The word “saw” asks with its query (1, 0). The keys of I, saw, a, saw are matched against it: a
ribbon goes from the query to each key, as wide as the weight, 0.58 to I, 0.14 to each saw, 0.14
to a. Through each key the same width goes on to the word's value, and the four values,
(2, 0, 0), (0, 1, 0), (0, 0, 0), (0, 1, 0), are mixed into one output, (1.16, 0.28, 0).
"""

import attnlib
from attnlib import text
from attnlib.plotting import COLORS
from images.page import FAINT, SOFT, box, page, ribbon, starts, vector, write


def draw():
    """Return the picture as a figure."""
    words, x = text.toy_sentence()
    query, key, value = (x @ matrix for matrix in text.toy_projections())
    asking = 1
    weights = attnlib.attention_weights(query, key)[asking]
    output = attnlib.attention(query, key, value)[asking]
    figure, ax = page(380)
    columns, middle, full = (240, 367, 494, 621), 430, 84
    widths = full * weights
    fan = starts(widths, middle)
    y_query, y_key, y_value, y_output = 34, 136, 244, 346
    tall, wide, size = 50, 116, 11.5
    for j, at in enumerate(columns):
        width = widths[j]
        ribbon(ax, (fan[j], y_query + 25), (at, y_key - 25), (width, width), COLORS["query"])
        ribbon(ax, (at, y_key + 25), (at, y_value - 25), (width, width), COLORS["key"], 0.3)
        ribbon(ax, (at, y_value + 25), (fan[j], y_output - 25), (width, width), COLORS["value"])
        for role, y, rows in (("key", y_key, key), ("value", y_value, value)):
            told = f"{words[j]}\n{vector(rows[j])}"
            box(ax, at, y, wide, tall, COLORS[role], words=told, size=size)
        shown = {"facecolor": "white", "edgecolor": FAINT, "boxstyle": "round,pad=0.3"}
        look = {"size": size, "weight": "bold", "bbox": shown}
        write(ax, at, (y_key + y_value) / 2, f"{weights[j]:.2f}", **look)
    asks = f"{words[asking]}\n{vector(query[asking])}"
    box(ax, middle, y_query, 132, tall, COLORS["query"], words=asks, size=size)
    mixed = f"{words[asking]}, having looked\n{vector(output, 2)}"
    box(ax, middle, y_output, 190, tall, COLORS["output"], words=mixed, size=size)
    beside = [
        (y_query, "query", "“saw” asks"),
        (y_key, "key", "each is matched"),
        ((y_key + y_value) / 2, "weights", "they sum to 1"),
        (y_value, "value", "is handed over"),
        (y_output, "output", "the mixture"),
    ]
    for y, role, doing in beside:
        write(ax, 16, y - 10, role, size=13, weight="bold", ha="left")
        write(ax, 16, y + 11, doing, size=size, color=SOFT, ha="left")
    return figure
