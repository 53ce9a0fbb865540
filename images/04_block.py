"""Draw a block of a Transformer with a lane for each word, so that one sees where lanes meet.

A block of a Transformer from left to right, with a lane for each of the words I, saw, a, saw. In
attention all lanes meet: each word gets something from every word. All that follows is done in
each lane alone. A line around attention leads to a plus: what the word got is added to it. Then
comes norm, then feed-forward, a small network, the same for all words. A line around it leads to
a second plus, and a second norm ends the block.
"""

from itertools import pairwise, product

from attnlib import text
from attnlib.plotting import COLORS
from images.page import FAINT, SOFT, arrow, box, page, write


def draw():
    """Return the picture as a figure."""
    words, _ = text.toy_sentence()
    figure, ax = page(350)
    lanes = [104 + 56 * lane for lane in range(len(words))]
    middle = (lanes[0] + lanes[-1]) / 2
    look, add, norm, network, add_again, norm_again = 162, 256, 320, 432, 542, 606
    for word, y in zip(words, lanes, strict=True):
        write(ax, 34, y, word, size=11, weight="bold")
        arrow(ax, (58, y), (112, y))
        for start, plus in ((72, add), (364, add_again)):
            around = (start, y), (start, y - 25), (plus, y - 25), (plus, y - 11)
            arrow(ax, *around, color="#8a9299")
    tall = lanes[-1] - lanes[0] + 76
    box(ax, look, middle, 100, tall, COLORS["output"], zorder=3)  # the lines around pass behind it
    for start, end in product(lanes, lanes):
        ax.plot((118, 206), (start, end), color=COLORS["output"], linewidth=1.1, zorder=4)
    steps = (add, 22), (norm, 54), (network, 104), (add_again, 22), (norm_again, 54)
    for y in lanes:
        for (x, wide), (after, wide_after) in pairwise(((look, 100), *steps)):
            arrow(ax, (x + wide / 2, y), (after - wide_after / 2, y))
        arrow(ax, (norm_again + 27, y), (680, y))
        labels = "+", "norm", "feed-forward", "+", "norm"
        for (x, wide), label in zip(steps, labels, strict=True):
            box(ax, x, y, wide, 24, words=label, size=9.5)
    write(ax, look, 34, "attention", size=11, weight="bold")
    write(ax, look, 54, "the words meet", size=9.5, color=SOFT)
    alone = (add - 11 + norm_again + 27) / 2
    write(ax, alone, 34, "each word by itself", size=11, weight="bold")
    ax.plot((add - 11, norm_again + 27), (56, 56), color=FAINT, linewidth=2)
    notes = ((add, "what it got\nis added"), (network, "the same network\nfor all"))
    for x, note in (*notes, (add_again, "added\nagain")):
        write(ax, x, 326, note, size=9, color=SOFT)
    return figure
