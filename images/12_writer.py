"""Draw the model that writes: words, two blocks, and the chances of the next word.

A story stands on the left, the grey hen finds Eva, and below it the words that the grey hen likes.
Each word goes through two blocks. In a block attention brings something of other words, which is
added, and then a network looks at the word alone, which is added, too. From the last word comes the
chance of each word to be the next: Eva {eva}, Tom {tom}.
"""

from matplotlib.patches import Rectangle

import attnlib
from attnlib import text, world, writer
from attnlib.plotting import COLORS
from images.page import SOFT, arrow, box, page, write

TOLD = (
    "the black cat finds Ann . the grey hen finds Tom . the white dog finds Eva . "
    "the grey hen finds Eva . she is glad . the grey hen likes"
)
SHOWN = ("Eva", "Tom", "Ann", "Ben")


def chances():
    """Return how likely the recorded model holds each of the shown names to be next."""
    logits = writer.read(text.writer(), TOLD.split())[-1]
    next_words = dict(zip(world.VOCABULARY, attnlib.softmax(logits), strict=True))
    return {name: next_words[name] for name in SHOWN}


def says():
    """Return what the alt text has in braces."""
    found = chances()
    return {"eva": f"{found['Eva']:.2f}", "tom": f"{found['Tom']:.2f}"}


def draw():
    """Return the picture as a figure."""
    figure, ax = page(330)
    write(ax, 24, 26, "The grey hen finds Tom. …  The grey hen finds Eva. She is glad.", ha="left",
          size=12, color=SOFT)  # fmt: skip
    words, x_words = ["the", "grey", "hen", "likes"], [92, 92, 92, 92]
    rows = [86, 146, 206, 266]
    for x, y, word in zip(x_words, rows, words, strict=True):
        box(ax, x, y, 78, 34, SOFT, words=word, size=13)
        arrow(ax, (x + 40, y), (188, y))
        arrow(ax, (318, y), (366, y))
    for left in (188, 366):
        whole = (left + 65, sum(rows) / 4)
        box(ax, *whole, 130, 232, SOFT, fill="white")
        box(ax, left + 65, 138, 104, 66, COLORS["query"], words="attention,\nadded", size=12)
        box(ax, left + 65, 222, 104, 66, COLORS["value"], words="network,\nadded", size=12)
    write(ax, 253, 312, "block", size=12, weight="bold")
    write(ax, 431, 312, "block", size=12, weight="bold")
    arrow(ax, (496, 266), (556, 266), (556, 228))
    for row, (name, chance) in enumerate(chances().items()):
        y = 86 + 36 * row
        write(ax, 556, y, name, size=13, ha="right")
        bar = Rectangle((566, y - 10), 70 * chance, 20, color=COLORS["output"], linewidth=0)
        ax.add_patch(bar)
        write(ax, 574 + 70 * chance, y, f"{chance:.2f}", size=12, ha="left")
    write(ax, 600, 52, "next word", size=12, weight="bold")
    return figure
