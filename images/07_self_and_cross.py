"""Draw who looks at whom, in one sentence and between two; all vectors are made by hand.

Two drawings of ribbons from words that ask, above, to words that answer, below. Left,
self-attention: each word of I saw a saw looks at the words of the same sentence. Right,
cross-attention: the words of the target, the Spanish vi una sierra roja, look at those of the
source, I saw a red saw: vi at I and at the first saw, una at a; then the ribbons cross, sierra
looks at the second saw, the last word, and roja at red before it.
"""

import numpy as np

import attnlib
from attnlib import text
from attnlib.plotting import COLORS
from images.page import FAINT, SOFT, box, page, ribbon, starts, write


def draw():
    """Return the picture as a figure."""
    words, x = text.toy_sentence()
    w_query, w_key, _ = text.toy_projections()
    sides = [
        ("self-attention", 158, words, words, attnlib.attention_weights(x @ w_query, x @ w_key)),
        ("cross-attention", 510, *translation()),
    ]
    figure, ax = page(370)
    y_query, y_key, full, step = 118, 288, 32, 68  # a query's ribbons are 32 wide together
    for name, middle, asking, answering, weights in sides:
        query_x = middle + step * (np.arange(len(asking)) - (len(asking) - 1) / 2)
        key_x = middle + step * (np.arange(len(answering)) - (len(answering) - 1) / 2)
        widths = full * weights  # (n_queries, n_keys)
        leave = [starts(row, x) for row, x in zip(widths, query_x, strict=True)]
        arrive = [starts(column, x) for column, x in zip(widths.T, key_x, strict=True)]
        for i, j in np.ndindex(widths.shape):
            start, end = (leave[i][j], y_query + 17), (arrive[j][i], y_key - 17)
            ribbon(ax, start, end, (widths[i, j],) * 2, COLORS["query"], 0.35)
        for x, word in zip(query_x, asking, strict=True):
            box(ax, x, y_query, 58, 34, COLORS["query"], words=word)
        for x, word in zip(key_x, answering, strict=True):
            box(ax, x, y_key, 58, 34, COLORS["key"], words=word)
        own = asking is answering
        above, below = ("sentence", "same sentence") if own else ("target", "source")
        write(ax, middle, 30, name, size=12, weight="bold")
        write(ax, middle, 78, f"query: the {above} asks", size=9.5, color=SOFT)
        write(ax, middle, 330, f"key, value: the {below} answers", size=9.5, color=SOFT)
    ax.plot((322, 322), (60, 350), color=FAINT, linewidth=1.2)
    return figure


def translation():
    """Return the words and the weights of lesson 07's two sentences, whose numbers it makes up.

    Words of the target, words of the source, and weights, (4, 5).
    """
    target = np.array([[1.0, 0, 0], [0, 0, 1], [0, 1, 0], [0, 0, -1]])
    source = np.array([[1.0, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 1], [0, 0, 0, -1], [0, 0, 1, 0]])
    w_query = np.array([[2.0, 2], [-2, -2], [-2, 2]])
    w_key = np.array([[2.0, 1], [1, 2], [-2, -1], [-1, 2]])
    weights = attnlib.attention_weights(target @ w_query, source @ w_key)
    return ["vi", "una", "sierra", "roja"], ["I", "saw", "a", "red", "saw"], weights
