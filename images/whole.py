"""Draw the whole, as far as a lesson has come (NN_whole.png), or all, parts lit (NAME_whole.png).

A block of a Transformer, from top to bottom. Words and positions are added and give x. w_query,
w_key and w_value make query, key and value of x; key and value may come from another sentence.
Each query meets each key in the scores; these are divided by √d_key, masked if there is a mask,
and made weights by softmax; the weights mix the values. This happens in several heads, which
w_output merges. The result is added to x. Norm, feed-forward, a second sum and a second norm
follow, {beyond}. {lit}
"""

import numpy as np
from matplotlib.colors import to_rgb

from attnlib.plotting import COLORS
from images.page import INK, ROOT_D_KEY, SOFT, arrow, box, page, shades, write

PARTS = {  # of the whole, from top to bottom, and which lesson adds it
    "positions": "08",
    "another sentence": "07",
    "w_query, w_key, w_value": "04",
    "scores: each query · each key": "01",
    "÷ √d_key": "02",
    "mask": "05",
    "softmax": "03",
    "mix: weights @ value": "03",
    "several heads, w_output": "06",
    "the + that adds x again": "04",
}
LESSONS = (*sorted(set(PARTS.values())), "99")  # each closes with its picture; the last has all
LIT = {  # in all that is there, for lessons that build no part; boxes, by their words
    "attention": {"scores: query · key", f"÷ {ROOT_D_KEY}", "softmax", "mix: weights @ value"},
    "matrices": {"w_query", "w_key", "w_value"},
    "softmax": {"softmax"},
}


def draw(name):
    """Return the picture of a lesson, or of the parts that a name lights, as a figure."""
    figure, ax = page(436)
    stage = Stage(ax, LESSONS[-1], LIT[name]) if name in LIT else Stage(ax, name)
    line, part, words = stage.line, stage.part, stage.words
    y_words, y_x, y_w, y_scores, y_scale = 26, 66, 116, 172, 208
    y_mask, y_softmax, y_mix, y_merge, y_last = 244, 280, 326, 368, 410
    x_main, x_scores, x_source, half = 186, 208, 584, 13
    columns = {"query": 128, "key": 288, "value": 448}

    for shift in (10, 5, 0):  # the stack of heads, under all else
        look = {"fill": "white", "linewidth": 1.1, "edgecolor": Stage.PALE}
        if stage.lesson >= "06":
            look["edgecolor"] = SOFT
        if stage.lesson == "06":
            look |= {"edgecolor": INK, "linewidth": 2.4}
        box(ax, 294 + shift, 219 + shift, 464, 248, **look)
    words(550, 172, "several heads:", "06", size=12, ha="left")
    for row, more in enumerate(("all this, side", "by side, each", "with matrices", "of its own")):
        words(550, 198 + 20 * row, more, "06", size=12, ha="left", lit=False)

    part(96, y_words, 116, "words", "00")
    line((154, y_words), (x_main - 12, y_words), since="00")
    line((218, y_words), (x_main + 12, y_words), since="08")
    part(x_main, y_words, 24, "+", "08", height=24)
    part(276, y_words, 116, "positions", "08")
    line((x_main, y_words + 12), (x_main, y_x - half), since="00")
    part(x_main, y_x, 70, "x", "00")

    fork, bus = y_x + 25, y_x + 13
    part(x_source, y_words, 190, "another sentence", "07", COLORS["key"])
    for role, x in columns.items():
        if role != "query":
            from_source = [(x_source, y_words + half), (x_source, bus), (x + 12, bus)]
            line(*from_source, (x + 12, y_w - half), since="07")
    for role, x in columns.items():
        end = x if role == "query" else x - 12
        line((x_main, y_x + half), (x_main, fork), (end, fork), (end, y_w - half), since="04")
        part(x, y_w, 104, f"w_{role}", "04", COLORS[role])
        line((x, y_w + half), (x, (y_mix if role == "value" else y_scores) - half), since="04")
        words(x + 8, (y_w + y_scores) / 2, role, "04", size=12, ha="left", lit=False)

    def down(y, y_next, since, x=x_scores):
        line((x, y + half), (x, y_next - half), since=since)

    part(x_scores, y_scores, 276, "scores: query · key", "01", COLORS["scores"])
    down(y_scores, y_scale, "02")
    part(x_scores, y_scale, 168, f"÷ {ROOT_D_KEY}", "02", COLORS["scores"])
    down(y_scale, y_mask, "03")
    part(x_scores, y_mask, 216, "mask, if there is one", "05", COLORS["scores"])
    down(y_mask, y_softmax, "03")
    part(x_scores, y_softmax, 168, "softmax", "03", shades(1.0))
    down(y_softmax, y_mix, "03")
    words(x_scores + 8, (y_softmax + y_mix) / 2, "weights", "03", size=12, ha="left", lit=False)
    part(313, y_mix, 352, "mix: weights @ value", "03", COLORS["output"])
    down(y_mix, y_merge, "04", x_main)
    part(x_main, y_merge, 220, "merged by w_output", "06", COLORS["output"])
    down(y_merge, y_last, "04", x_main)

    line((151, y_x), (34, y_x), (34, y_last), (x_main - 12, y_last), since="04")
    words(38, y_last - 15, "x is added again", "04", size=12, ha="left", lit=False)
    part(x_main, y_last, 24, "+", "04", height=24)
    for start, end in ((198, 216), (276, 300), (440, 458), (482, 504), (564, 590)):
        line((start, y_last), (end, y_last), since="99")
    line((288, y_last), (288, y_last - 28), (470, y_last - 28), (470, y_last - 12), since="99")
    stage.beyond(246, y_last, 60, "norm")
    stage.beyond(370, y_last, 140, "feed-forward")
    stage.beyond(470, y_last, 24, "+")
    stage.beyond(534, y_last, 60, "norm")
    words(596, y_last, "output", "99", size=12, ha="left", lit=False)
    return figure


def says(name):
    """Return what the alt text has in braces: how parts look that no lesson builds, and the rest.

    The rest are lit, as what the lesson adds, there already, or still to come.
    """
    built = {"beyond": "which are no part of attention"}
    if name in LIT:
        lit = "; ".join(sorted(box.replace(ROOT_D_KEY, "√d_key") for box in LIT[name]))
        return built | {"lit": f"All is there. Lit: {lit}."}
    lesson = name
    if lesson > max(PARTS.values()):
        return built | {"lit": "All is drawn in its own colour."}
    looks = (
        (f"Lit, as what lesson {lesson} adds", str.__eq__),
        ("There already", str.__lt__),
        ("Pale, still to come", str.__gt__),
    )
    said = {how: [part for part in PARTS if when(PARTS[part], lesson)] for how, when in looks}
    lit = " ".join(f"{how}: {'; '.join(parts)}." for how, parts in said.items() if parts)
    return {"beyond": "dashed: not built here", "lit": lit}


class Stage:
    """The whole as far as one lesson has come: its part lit, earlier ones calm, later ones pale.

    Where boxes are named these are lit, and none else.
    """

    PALE, GREY = "#d5d9dd", "#7d858c"  # outlines, and words, of what is still to come

    def __init__(self, ax, lesson, lit=None):
        self.ax, self.lesson, self.lit = ax, lesson, lit

    def is_lit(self, words, since):
        """Tell whether a part is lit: what the lesson adds, or what is named."""
        return since == self.lesson if self.lit is None else words in self.lit

    def words(self, x, y, words, since, *, ink=INK, lit=True, **options):
        """Write words: bold where their part is lit, grey before."""
        options["color"] = self.GREY if since > self.lesson else ink
        if lit and self.is_lit(words, since):
            options["weight"] = "bold"
            words = words.replace("mathrm", "mathbf")
        write(self.ax, x, y, words, **{"size": 12.5} | options)

    def part(self, x, y, width, words, since, color=SOFT, height=26):
        """Draw a part as a box, in full colour with a thick edge where it is lit."""
        style, ink = {}, INK
        if since > self.lesson:
            style = {"edgecolor": self.PALE, "fill": "white"}
        elif self.is_lit(words, since):
            style = {"edgecolor": INK, "fill": color, "linewidth": 2.6}
            ink = "white" if np.dot(to_rgb(color), (0.299, 0.587, 0.114)) < 0.42 else INK
        box(self.ax, x, y, width, height, color, zorder=2.5, **style)  # over the ends of lines
        self.words(x, y, words, since, ink=ink)

    def beyond(self, x, y, width, words):
        """Draw a part that no lesson builds, dashed until all is there."""
        dashed = {"linestyle": (0, (4, 3)), "edgecolor": self.GREY, "fill": "white"}
        done = self.lesson > max(PARTS.values())
        box(self.ax, x, y, width, 26, zorder=2.5, **{} if done else dashed)
        write(self.ax, x, y, words, size=12, color=INK if done else self.GREY)

    def line(self, *points, since):
        """Draw an arrow, pale until `since`, when both of its ends are there."""
        arrow(self.ax, *points, color=self.PALE if since > self.lesson else SOFT, width=1.4)
