"""Draw the real model: pieces, six blocks, and the mean of the words.

The sentence I saw a saw is cut into pieces. Word, position and segment are added and normalised.
Then come six blocks, one like the other: attention, added and normalised; a network, added and
normalised. The two saw are one piece; with their positions they have a cosine of {first}, and
behind the blocks {last}. The mean of all pieces is one vector for the sentence.
"""

import attnlib
from attnlib import text
from attnlib.plotting import COLORS
from images.page import SOFT, arrow, box, page, write

SENTENCE = "I saw a saw"
ROWS = [70, 112, 154, 196, 238, 280]


def says():
    """Return what the alt text has in braces: the cosine of the two saw before and behind."""
    first, *_, last = (attnlib.cosine_similarity(x)[2, 4] for x in text.states(SENTENCE))
    return {"first": f"{first:.2f}", "last": f"{last:.2f}"}


def draw():
    """Return the picture as a figure."""
    figure, ax = page(370)
    told = says()
    for y, piece in zip(ROWS, text.tokens(SENTENCE), strict=True):
        color = COLORS["query"] if piece == "saw" else SOFT
        box(ax, 56, y, 76, 30, color, words=piece, size=13)
        arrow(ax, (96, y), (126, y))
        arrow(ax, (234, y), (258, y))
        arrow(ax, (482, y), (514, y))
    box(ax, 180, 175, 108, 244, SOFT, fill="white")
    write(ax, 180, 128, "piece\n+ position\n+ segment", size=12)
    write(ax, 180, 218, "normalised", size=12)
    for shift in (16, 8, 0):
        box(ax, 364 + shift, 175 - shift, 204, 244, SOFT, fill="white")
    box(ax, 364, 120, 176, 84, COLORS["query"], words="attention,\nadded, normalised", size=12)
    box(ax, 364, 226, 176, 84, COLORS["value"], words="network,\nadded, normalised", size=12)
    write(ax, 364, 322, "six blocks, 72 heads", size=12, weight="bold")
    for y, piece in zip(ROWS, text.tokens(SENTENCE), strict=True):
        color = COLORS["query"] if piece == "saw" else SOFT
        box(ax, 540, y, 48, 22, color)
        arrow(ax, (566, y), (606, y + (175 - y) * 0.62))
    box(ax, 648, 175, 74, 60, COLORS["output"], words="mean,\n1 vector", size=12)
    write(ax, 180, 346, f"cosine of the two “saw”: {told['first']}", size=12)
    write(ax, 540, 346, f"and here: {told['last']}", size=12)
    return figure
