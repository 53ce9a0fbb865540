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
    figure, ax = page(540)
    columns, middle, full = (214, 352, 490, 628), 421, 96
    widths = full * weights
    fan = starts(widths, middle)
    y_query, y_key, y_value, y_output = 48, 204, 336, 492
    tall, wide = 54, 108
    for j, at in enumerate(columns):
        width = widths[j]
        ribbon(ax, (fan[j], y_query + 27), (at, y_key - 27), (width, width), COLORS["query"])
        ribbon(ax, (at, y_key + 27), (at, y_value - 27), (width, width), COLORS["key"], 0.3)
        ribbon(ax, (at, y_value + 27), (fan[j], y_output - 27), (width, width), COLORS["value"])
        box(ax, at, y_key, wide, tall, COLORS["key"], words=f"{words[j]}\n{vector(key[j])}")
        box(ax, at, y_value, wide, tall, COLORS["value"], words=f"{words[j]}\n{vector(value[j])}")
        shown = {"facecolor": "white", "edgecolor": FAINT, "boxstyle": "round,pad=0.3"}
        write(ax, at, (y_key + y_value) / 2, f"{weights[j]:.2f}", weight="bold", bbox=shown)
    asks = f"{words[asking]}\n{vector(query[asking])}"
    box(ax, middle, y_query, 132, tall, COLORS["query"], words=asks)
    mixed = f"{words[asking]}, having looked\n{vector(output, 2)}"
    box(ax, middle, y_output, 172, tall, COLORS["output"], words=mixed)
    beside = [
        (y_query, "query", "“saw” asks"),
        (y_key, "key", "each is matched"),
        ((y_key + y_value) / 2, "weights", "they sum to 1"),
        (y_value, "value", "is handed over"),
        (y_output, "output", "the mixture"),
    ]
    for y, role, doing in beside:
        write(ax, 20, y - 9, role, size=11, weight="bold", ha="left")
        write(ax, 20, y + 11, doing, size=9.5, color=SOFT, ha="left")
    return figure
