"""Draw the series' pictures: ``python images/draw.py [NAME ...]`` writes ``images/NAME.png``.

Without a name, all of them. Drawing again with the versions of ``requirements.lock`` gives the same
bytes. A drawing is a function that takes the path to save to. Its docstring is one line for whoever
edits it, then the picture's alt text, which is written into the picture: it stands there for all
pages that show it.

A page is 700 units wide, and one unit is one pixel where a picture is shown 700 pixels wide. y
points down. Numbers that a picture shows are computed by attnlib; vectors made by hand say so.
"""

import argparse
import inspect
from itertools import pairwise
from pathlib import Path
from string import Formatter

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import to_rgb
from matplotlib.patches import Circle, FancyBboxPatch, PathPatch, Rectangle
from matplotlib.path import Path as Curve
from PIL import Image
from PIL.PngImagePlugin import PngInfo

import attnlib
from attnlib import text
from attnlib.plotting import COLORS
from course.lesson.series import find_lessons

HERE = Path(__file__).resolve().parent
WIDTH = 700  # units of a page; it is 7 inches wide
DPI = 200  # 1400 pixels: sharp at 700 on a dense screen
ROOT_D_KEY = r"$\sqrt{\mathrm{d\_key}}$"
INK, SOFT, FAINT = "#222222", "#555555", "#d5d9dd"


# The page and what stands on it


def page(height):
    """Return an empty page, (figure, axes), 700 units wide and `height` units high."""
    figure = plt.figure(figsize=(WIDTH / 100, height / 100), layout="none")
    ax = figure.add_axes((0, 0, 1, 1))
    ax.set(xlim=(0, WIDTH), ylim=(height, 0))
    ax.axis("off")
    return figure, ax


def save(figure, path):
    """Write the figure as a small PNG, opaque, with its alt text and no date, and close it."""
    figure.set_dpi(DPI)
    figure.canvas.draw()
    pixels = np.asarray(figure.canvas.buffer_rgba())[..., :3]  # (height, width, 3)
    picture = Image.fromarray(np.ascontiguousarray(pixels))
    few = picture.quantize(256, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    words = PngInfo()
    words.add_itxt("Description", alt_text(path.stem))
    # A third of the bytes, and areas keep their colour.
    few.save(path, format="png", optimize=True, pnginfo=words)
    plt.close(figure)


def write(ax, x, y, words, *, size=10, color=INK, ha="center", **options):
    """Write words, centred on (x, y) unless told otherwise."""
    if not {"va", "rotation"} & set(options) and "\n" not in words:
        y += 0.34 * size * 100 / 72  # words side by side share a baseline, with or without a "q"
        options["va"] = "baseline"
    ax.text(x, y, words, size=size, color=color, ha=ha, **{"va": "center"} | options)


def tint(color, share=0.2):
    """Return the colour thinned with white, of which it keeps `share`."""
    return tuple(1 - share * (1 - part) for part in to_rgb(color))


def box(ax, x, y, width, height, color=SOFT, *, words="", size=10, fill=None, **options):
    """Draw a rounded box centred on (x, y), with words in it."""
    corner = (x - width / 2, y - height / 2)
    fill = tint(color) if fill is None else fill
    options = {"linewidth": 1.3, "edgecolor": color, "facecolor": fill} | options
    rounded = "round,pad=0,rounding_size=6"
    ax.add_patch(FancyBboxPatch(corner, width, height, boxstyle=rounded, **options))
    if words:
        write(ax, x, y, words, size=size, linespacing=1.35)


def arrow(ax, *points, color=SOFT, width=1.5, head=True):
    """Draw an arrow through the points, straight from each to the next."""
    x, y = zip(*points, strict=True)
    ax.plot(x[:-1] if head else x, y[:-1] if head else y, color=color, linewidth=width)
    if head:
        style = "-|>,head_width=0.22,head_length=0.42"
        line = {"arrowstyle": style, "color": color, "linewidth": width, "shrinkA": 0, "shrinkB": 0}
        ax.annotate("", points[-1], points[-2], arrowprops=line, zorder=2)


def ribbon(ax, start, end, widths, color, alpha=0.4):
    """Draw a band from `start` down to `end`, (x, y) each, as wide as `widths` at each of them."""
    (x0, y0), (x1, y1) = start, end
    half0, half1 = widths[0] / 2, widths[1] / 2
    middle = (y0 + y1) / 2
    left = [(x0 - half0, y0), (x0 - half0, middle), (x1 - half1, middle), (x1 - half1, y1)]
    right = [(x1 + half1, y1), (x1 + half1, middle), (x0 + half0, middle), (x0 + half0, y0)]
    codes = [Curve.MOVETO, *[Curve.CURVE4] * 3, Curve.LINETO, *[Curve.CURVE4] * 3]
    band = Curve(left + right, codes)
    ax.add_patch(PathPatch(band, facecolor=color, edgecolor="none", alpha=alpha))


def shades(weights):
    """Return the colours of weights on the series' sequential map, 1 the darkest."""
    return plt.get_cmap()(0.85 * np.round(weights, 2))  # rounded: the last bit has no say


def vector(numbers, decimals=1):
    """Return the numbers as (1.5, -1), with a real minus sign and no needless zeros."""
    parts = [f"{number:.{decimals}f}" for number in np.round(numbers, decimals) + 0.0]
    parts = [part.rstrip("0").rstrip(".") if "." in part else part for part in parts]
    return f"({', '.join(parts)})".replace("-", "−")


def starts(widths, middle):
    """Return the centres of bands that lie side by side, all together around `middle`."""
    ends = np.cumsum(widths)
    return middle - ends[-1] / 2 + ends - np.asarray(widths) / 2


# The drawings


def stations():
    """Return number, name and what it adds of each lesson that the map shows."""
    lessons = [lesson for lesson in find_lessons().values() if not lesson.is_summary]
    return [(lesson.number, *lesson.station) for lesson in lessons]


def draw_map(path):
    """Draw the map of the series.

    A path with a station for each lesson, and what it adds: {stations}.
    """
    columns, top, step, bend, out = (146, 350, 554), 48, 130, 65, 18
    found = stations()
    places = []
    for number in range(len(found)):
        row, place = divmod(number, 3)
        places.append((columns[2 - place if row % 2 else place], top + step * row))
    figure, ax = page(places[-1][1] + 100)
    color = COLORS["query"]
    line = {"color": tint(color, 0.35), "linewidth": 8, "solid_capstyle": "round"}
    angle = np.linspace(-np.pi / 2, np.pi / 2, 60)
    for (x, y), (next_x, next_y) in pairwise(places):
        if y == next_y:
            ax.plot((x, next_x), (y, y), zorder=0, **line)
            toward = np.sign(next_x - x)
            chevron = np.array([(-5, -7), (4, 0), (-5, 7)]) * (toward, 1) + ((x + next_x) / 2, y)
            ax.plot(*chevron.T, color=color, linewidth=2, solid_joinstyle="miter")
        else:
            toward = 1 if x == columns[2] else -1
            bow_x, bow_y = out + bend * np.cos(angle), bend + bend * np.sin(angle)
            bow_x, bow_y = np.r_[0, bow_x, 0], np.r_[0, bow_y, 2 * bend]
            ax.plot(x + toward * bow_x, y + bow_y, zorder=0, **line)
    for (x, y), (number, name, adds) in zip(places, found, strict=True):
        first = y == top and x == columns[0]
        fill = "white" if first else color
        ax.add_patch(Circle((x, y), 21, facecolor=fill, edgecolor=color, linewidth=2.5))
        write(ax, x, y, number, size=12, weight="bold", color=color if first else "white")
        write(ax, x, y + 39, name, size=11, weight="bold")
        write(ax, x, y + 62, adds, size=9.5, color=SOFT)
    save(figure, path)


def draw_shadow(path):
    """Draw the dot product as a shadow's length times a length.

    Two arrows from one point: a = (1, 3), steep, and b = (4, 2), flatter. Light falls straight onto
    the line of b, and a throws a shadow on it, from the common point to the middle of b. The
    shadow is 2.24 long and b is 4.47 long; 2.24 times 4.47 is 10, the dot product of a and b.
    """
    a, b = np.array([1.0, 3.0]), np.array([4.0, 2.0])
    shadow = attnlib.projection(a, b)
    lengths = np.linalg.norm(shadow), np.linalg.norm(b)
    figure, ax = page(390)
    origin, unit = np.array([84.0, 338.0]), 97

    def place(*points):
        return origin + unit * np.array(points) * (1, -1)

    up = (a - shadow) / np.linalg.norm(a - shadow)
    along = shadow / lengths[0]
    for share in (0.25, 0.5, 0.75, 1.0):  # the light: straight down onto the line of b
        color = SOFT if share == 1 else "#b8bec4"
        ray = place(share * a, share * shadow)
        ax.plot(*ray.T, color=color, linewidth=1.4, linestyle=(0, (4, 3)), zorder=1)
    corner = place(shadow - 0.16 * along, shadow + 0.16 * (up - along), shadow + 0.16 * up)
    ax.plot(*corner.T, color=SOFT, linewidth=1.2)
    ground = place([0, 0], shadow, shadow - 0.11 * up, -0.11 * up)
    ax.fill(*ground.T, color="#9aa0a6", linewidth=0)
    for head, color in ((a, "C0"), (b, "C1")):  # as in lesson 01: vectors, not yet queries or keys
        style = {"arrowstyle": "-|>,head_width=0.4,head_length=0.8", "color": color, "lw": 3.5}
        ax.annotate("", place(head)[0], origin, arrowprops=style | {"shrinkA": 0, "shrinkB": 0})
    ax.add_patch(Circle(origin, 4, color=INK, zorder=3))
    for head, words in ((a, "a = (1, 3)"), (b, "b = (4, 2)")):
        write(ax, *place(head)[0] - (0, 22), words, size=12, weight="bold")
    turn = np.degrees(np.arctan2(*b[::-1]))
    below = place(shadow / 2 - 0.3 * up)[0]
    write(ax, *below, "a’s shadow on b", size=11, rotation=turn, rotation_mode="anchor")
    left = 404
    write(ax, left, 262, f"a · b = {a @ b:.0f}", size=15, weight="bold", ha="left")
    write(ax, left, 297, f"= {lengths[0]:.2f} × {lengths[1]:.2f}", size=12, ha="left")
    write(ax, left, 328, "the shadow’s length × b’s length", size=10, color=SOFT, ha="left")
    save(figure, path)


def draw_spread(path):
    """Draw raw and scaled scores for three sizes of d_key, from standard normal numbers.

    Six histograms. Above, raw scores of random queries and keys, on one scale: a narrow spike for
    d_key = 4, a hill for 64, a wide hill for 512; their spreads, standard deviations, are about 2,
    8 and 23. Below, the same scores divided by the square root of d_key: three hills, all alike,
    each with spread 1.
    """
    figure, ax = page(394)
    rng = np.random.default_rng(0)
    half, tall = 82, 100
    for column, d_key in enumerate((4, 64, 512)):
        query, key = rng.standard_normal((2, 500, d_key))
        both = attnlib.attention_scores(query, key, scale=1), attnlib.attention_scores(query, key)
        middle = 196 + 196 * column
        write(ax, middle, 26, f"d_key = {d_key}", size=11, weight="bold")
        for row, (scores, reach, mark) in enumerate(zip(both, (75, 4), (60, 3), strict=True)):
            base = 172 + 174 * row
            counts, edges = np.histogram(scores, bins=75, range=(-reach, reach))
            x = middle + edges / reach * half
            color = (tint(COLORS["scores"], 0.5), COLORS["scores"])[row]
            top = base - tall * counts / counts.max()  # each as tall as its highest bar
            ax.stairs(top, x, baseline=base, fill=True, color=color)
            ax.plot((middle - half, middle + half), (base, base), color=SOFT, linewidth=1)
            for tick in (-mark, 0, mark):
                at = middle + tick / reach * half
                ax.plot((at, at), (base, base + 4), color=SOFT, linewidth=1)
                write(ax, at, base + 16, f"{tick}".replace("-", "−"), size=9, color=SOFT)
            write(ax, middle + 10, base - tall - 14, f"spread {scores.std():.1f}", ha="left")
    for y, words in ((122, "raw\nscores"), (296, "divided by\n" + ROOT_D_KEY)):
        write(ax, 14, y, words, size=10, weight="bold", ha="left", linespacing=1.5)
    save(figure, path)


def draw_scores_to_weights(path):
    """Draw softmax as bars, at three temperatures; the scores are made by hand.

    Left, four scores as bars: 2, 1, 0.5 and −0.5. Right, the weights that softmax makes of them,
    three times. Temperature 0.5, sharp: 0.84, 0.11, 0.04, 0.01. Temperature 1: 0.60, 0.22, 0.13,
    0.05. Temperature 4, flat: 0.33, 0.26, 0.23, 0.18. Each time they are
    positive, keep their order and sum to 1.
    """
    scores = np.array([2.0, 1.0, 0.5, -0.5])
    figure, ax = page(340)
    step, wide = 33, 25

    def row(middle, base, tops, colors, labels):
        for i, top in enumerate(tops):
            x = middle + step * (i - 1.5)
            bar = Rectangle((x - wide / 2, min(top, base)), wide, abs(top - base))
            bar.set(facecolor=colors[i], edgecolor=INK, linewidth=0.9)
            ax.add_patch(bar)
            write(ax, x, top + (13 if top > base else -12), labels[i], size=9)
        ax.plot((middle - 2.1 * step, middle + 2.1 * step), (base, base), color=SOFT, linewidth=1.2)

    write(ax, 94, 26, "scores", size=11, weight="bold")
    row(
        94,
        220,
        220 - 72 * scores,
        [COLORS["scores"]] * 4,
        [vector([score])[1:-1] for score in scores],
    )
    write(ax, 94, 312, "any numbers", size=9.5, color=SOFT)
    arrow(ax, (184, 176), (238, 176), width=2.2)
    write(ax, 211, 158, "softmax", size=9.5)
    write(ax, 466, 26, "weights", size=11, weight="bold")
    for column, (temperature, name) in enumerate(((0.5, "sharp"), (1, "plain"), (4, "flat"))):
        weights = attnlib.softmax(scores, temperature=temperature)
        middle = 316 + 150 * column
        labels = [f"{weight:.2f}" for weight in weights]
        row(middle, 258, 258 - 172 * weights, shades(weights), labels)
        write(ax, middle, 60, name, weight="bold")
        write(ax, middle, 80, f"temperature {temperature}", size=9.5)
    write(ax, 466, 286, "positive, in the same order", size=9.5, color=SOFT)
    write(ax, 466, 312, "each four sum to 1", size=9.5, color=SOFT)
    save(figure, path)


def draw_query_key_value(path):
    """Draw one query of the toy sentence from question to output; its numbers are made by hand.

    The word “saw” asks with its query (2, 1). The keys of I, saw, a, saw are matched against it: a
    ribbon goes from the query to each key, as wide as the weight, 0.67 to I, 0.16 to each saw, 0.01
    to a. Through each key the same width goes on to the word's value, and the four values,
    (2, 0, 2), (1, 1, 0), (1, −1, 0), (1, 1, 0), are mixed into one output, (1.67, 0.31, 1.33).
    """
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
    save(figure, path)


# The whole: what each lesson adds to it, from top to bottom.
PARTS = {
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


class Stage:
    """The whole as far as one lesson has come: its part lit, earlier ones calm, later ones pale."""

    PALE, GREY = "#d5d9dd", "#7d858c"  # outlines, and words, of what is still to come

    def __init__(self, ax, lesson):
        self.ax, self.lesson = ax, lesson

    def words(self, x, y, words, since, *, ink=INK, lit=True, **options):
        """Write words: bold where their part is lit, grey before."""
        options["color"] = self.GREY if since > self.lesson else ink
        if lit and since == self.lesson:
            options["weight"] = "bold"
            words = words.replace("mathrm", "mathbf")
        write(self.ax, x, y, words, **{"size": 9.5} | options)

    def part(self, x, y, width, words, since, color=SOFT, height=26):
        """Draw a part as a box, in full colour with a thick edge where it is lit."""
        style, ink = {}, INK
        if since > self.lesson:
            style = {"edgecolor": self.PALE, "fill": "white"}
        elif since == self.lesson:
            style = {"edgecolor": INK, "fill": color, "linewidth": 2.6}
            ink = "white" if np.dot(to_rgb(color), (0.299, 0.587, 0.114)) < 0.42 else INK
        box(self.ax, x, y, width, height, color, zorder=2.5, **style)  # over the ends of lines
        self.words(x, y, words, since, ink=ink)

    def beyond(self, x, y, width, words):
        """Draw a part that no lesson builds, dashed until all is there."""
        dashed = {"linestyle": (0, (4, 3)), "edgecolor": self.GREY, "fill": "white"}
        done = self.lesson > max(PARTS.values())
        box(self.ax, x, y, width, 26, zorder=2.5, **{} if done else dashed)
        write(self.ax, x, y, words, size=9.5, color=INK if done else self.GREY)

    def line(self, *points, since):
        """Draw an arrow, pale until `since`, when both of its ends are there."""
        arrow(self.ax, *points, color=self.PALE if since > self.lesson else SOFT, width=1.4)


def draw_whole(path):
    """Draw the whole as far as the lesson whose number begins the name of `path`.

    A block of a Transformer, from top to bottom. Words and positions are added and give x. w_query,
    w_key and w_value make query, key and value of x; key and value may come from another sentence.
    Each query meets each key in the scores; these are divided by √d_key, masked if there is a mask,
    and made weights by softmax; the weights mix the values. This happens in several heads, which
    w_output merges. The result is added to x. Norm, feed-forward, a second sum and a second norm
    follow, {beyond}. {lit}
    """
    figure, ax = page(512)
    stage = Stage(ax, path.stem[:2])
    line, part, words = stage.line, stage.part, stage.words
    y_words, y_x, y_w, y_scores, y_scale = 28, 74, 132, 194, 234
    y_mask, y_softmax, y_mix, y_merge, y_last = 274, 314, 366, 424, 482
    x_main, x_scores, x_source, half = 186, 208, 584, 13
    columns = {"query": 128, "key": 288, "value": 448}

    for shift in (12, 6, 0):  # the stack of heads, under all else
        look = {"fill": "white", "linewidth": 1.1, "edgecolor": Stage.PALE}
        if stage.lesson >= "06":
            look["edgecolor"] = SOFT
        if stage.lesson == "06":
            look |= {"edgecolor": INK, "linewidth": 2.4}
        box(ax, 294 + shift, 249 + shift, 464, 282, **look)
    words(556, 208, "several heads:", "06", ha="left")
    for row, more in enumerate(("all this, side", "by side, each", "with matrices", "of its own")):
        words(556, 230 + 18 * row, more, "06", size=9, ha="left", lit=False)

    part(96, y_words, 116, "words", "00")
    line((154, y_words), (x_main - 12, y_words), since="00")
    line((218, y_words), (x_main + 12, y_words), since="08")
    part(x_main, y_words, 24, "+", "08", height=24)
    part(276, y_words, 116, "positions", "08")
    line((x_main, y_words + 12), (x_main, y_x - half), since="00")
    part(x_main, y_x, 70, "x", "00")

    fork, bus = y_x + 25, y_x + 13
    part(x_source, y_words, 176, "another sentence", "07", COLORS["key"])
    for role, x in columns.items():
        if role != "query":
            from_source = [(x_source, y_words + half), (x_source, bus), (x + 12, bus)]
            line(*from_source, (x + 12, y_w - half), since="07")
    for role, x in columns.items():
        end = x if role == "query" else x - 12
        line((x_main, y_x + half), (x_main, fork), (end, fork), (end, y_w - half), since="04")
        part(x, y_w, 104, f"w_{role}", "04", COLORS[role])
        line((x, y_w + half), (x, (y_mix if role == "value" else y_scores) - half), since="04")
        words(x + 8, (y_w + y_scores) / 2, role, "04", size=9, ha="left", lit=False)

    def down(y, y_next, since, x=x_scores):
        line((x, y + half), (x, y_next - half), since=since)

    part(x_scores, y_scores, 264, "scores: each query · each key", "01", COLORS["scores"])
    down(y_scores, y_scale, "02")
    part(x_scores, y_scale, 168, f"÷ {ROOT_D_KEY}", "02", COLORS["scores"])
    down(y_scale, y_mask, "03")
    part(x_scores, y_mask, 168, "mask, if there is one", "05", COLORS["scores"])
    down(y_mask, y_softmax, "03")
    part(x_scores, y_softmax, 168, "softmax", "03", shades(1.0))
    down(y_softmax, y_mix, "03")
    words(x_scores + 8, (y_softmax + y_mix) / 2, "weights", "03", size=9, ha="left", lit=False)
    part(313, y_mix, 352, "mix: weights @ value", "03", COLORS["output"])
    down(y_mix, y_merge, "04", x_main)
    part(x_main, y_merge, 168, "merged by w_output", "06", COLORS["output"])
    down(y_merge, y_last, "04", x_main)

    line((151, y_x), (34, y_x), (34, y_last), (x_main - 12, y_last), since="04")
    words(42, y_last - 14, "x is added again", "04", size=9, ha="left", lit=False)
    part(x_main, y_last, 24, "+", "04", height=24)
    for start, end in ((198, 224), (276, 314), (486, 506), (530, 552), (604, 638)):
        line((start, y_last), (end, y_last), since="99")
    line((292, y_last), (292, y_last - 32), (518, y_last - 32), (518, y_last - 12), since="99")
    stage.beyond(250, y_last, 52, "norm")
    stage.beyond(400, y_last, 172, "feed-forward, per word")
    stage.beyond(518, y_last, 24, "+")
    stage.beyond(578, y_last, 52, "norm")
    words(646, y_last, "output", "99", size=9, ha="left", lit=False)
    save(figure, path)


def draw_masks(path):
    """Draw four masks of five words side by side.

    Four grids of five queries, the rows, and five keys, the columns. A filled cell with a dot may
    look, an empty cell with a cross is hidden. None: every cell is filled. Causal: the diagonal and
    all below it. Padding, for a sentence of three words: the first three columns. Window of width
    1: the diagonal and its neighbours.
    """
    words = ["the", "cat", "sat", "on", "it"]
    n = len(words)
    masks = {
        "none": np.ones((n, n), dtype=bool),
        "causal": attnlib.causal_mask(n),
        "padding": np.broadcast_to(attnlib.padding_mask([3], n)[0], (n, n)),
        "window": attnlib.window_mask(n, width=1),
    }
    figure, ax = page(318)
    cell, top = 28, 112
    for panel, (name, mask) in enumerate(masks.items()):
        left = 72 + 157 * panel
        write(ax, left + n * cell / 2, 24, name, size=11, weight="bold")
        write(ax, left + n * cell / 2, 52, "key (column)", size=9, color=SOFT)
        for j, word in enumerate(words):
            padded = name == "padding" and j >= 3
            shown, color = ("pad", SOFT) if padded else (word, INK)
            at = (left + (j + 0.5) * cell, top - 8)
            write(ax, *at, shown, size=9, color=color, rotation=90, va="bottom")
        for i, j in np.ndindex(n, n):
            draw_cell(ax, left + j * cell, top + i * cell, cell, mask[i, j])
    for i, word in enumerate(words):
        write(ax, 64, top + (i + 0.5) * cell, word, size=9, ha="right")
    write(ax, 16, top + n * cell / 2, "query (row)", size=9, color=SOFT, rotation=90)
    for x, looks, meaning in ((244, True, "may look"), (390, False, "hidden")):
        draw_cell(ax, x, 272, cell, looks)
        write(ax, x + cell + 10, 272 + cell / 2, meaning, ha="left")
    save(figure, path)


def draw_cell(ax, x, y, size, looks):
    """Draw one cell of a mask: filled with a dot, or empty with a cross."""
    fill = tint(COLORS["query"], 0.38) if looks else "white"
    ax.add_patch(Rectangle((x, y), size, size, facecolor=fill, edgecolor="#9aa3ab", linewidth=0.9))
    middle, reach = (x + size / 2, y + size / 2), size * 0.13
    if looks:
        ax.add_patch(Circle(middle, size * 0.16, color=INK))
        return
    for slope in (1, -1):
        along = np.array([-reach, reach])
        ax.plot(middle[0] + along, middle[1] + slope * along, color="#8a9299", linewidth=1.3)


def draw_heads(path):
    """Draw split and merge; weights of layer 0 of all-MiniLM-L6-v2 on "I saw a saw".

    From top to bottom. Query, key and value, three wide matrices of 384 features, are cut into 12
    heads of 32 features. Each head attends by itself: three of the twelve tables of weights, real
    ones for “I saw a saw”, differ; head 2 looks at the previous word, heads 5 and 9 elsewhere. The
    twelve results are laid side by side, 384 features again, and go through w_output.
    """
    n_heads, shown = 12, (2, 5, 9)
    layer = attnlib.MultiHeadAttention(**text.layer(0), n_heads=n_heads)
    weights = layer.weights(text.states("I saw a saw")[0])  # (n_heads, 6, 6)
    figure, ax = page(576)
    left, step, tall, gap = 142, 44, 40, 5
    centres = left + step * (np.arange(n_heads) + 0.5)
    tables = (236, 406, 576)
    y_split, y_table, cell, y_merge, y_mix, y_last = 56, 166, 20, 362, 448, 532
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
            write(ax, at, y, f"{head}", size=9.5, color=ink, weight="bold" if used else "normal")
    side = 6 * cell
    for head, x in zip(shown, tables, strict=True):
        colors = shades(weights[head])
        for i, j in np.ndindex(6, 6):
            corner = (x - side / 2 + j * cell, y_table + i * cell)
            square = Rectangle(corner, cell, cell, facecolor=colors[i, j], edgecolor="#c4ccd3")
            square.set_linewidth(0.6)
            ax.add_patch(square)
        write(
            ax,
            x - side / 2 - 11,
            y_table + side / 2,
            "query (row)",
            size=9,
            color=SOFT,
            rotation=90,
        )
        write(ax, x, y_table - 12, "key (column)", size=9, color=SOFT)
        arrow(ax, (centres[head], y_split + tall / 2 + 3), (x, y_table - 24))
        arrow(ax, (x, y_table + side + 6), (centres[head], y_merge - tall / 2 - 4))
    middle = centres.mean()
    whole = n_heads * step - gap
    arrow(ax, (middle, y_merge + tall / 2 + 4), (middle, y_mix - 20))
    box(ax, middle, y_mix, 160, 36, words="w_output")
    arrow(ax, (middle, y_mix + 20), (middle, y_last - tall / 2 - 4))
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
        write(ax, 14, y - 8 * lines, name, size=11, weight="bold", ha="left")
        write(ax, 14, y - 8 * lines + 10, more, size=9, color=SOFT, ha="left", va="top")
    save(figure, path)


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


def draw_self_and_cross(path):
    """Draw who looks at whom, in one sentence and between two; all vectors are made by hand.

    Two drawings of ribbons from words that ask, above, to words that answer, below. Left,
    self-attention: each word of I saw a saw looks at the words of the same sentence. Right,
    cross-attention: the words of the target, the Spanish vi una sierra roja, look at those of the
    source, I saw a red saw: vi at I and at the first saw, una at a; then the ribbons cross, sierra
    looks at the second saw, the last word, and roja at red before it.
    """
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
    save(figure, path)


def draw_clocks(path):
    """Draw rows of `attnlib.sinusoidal_positions` as hands of clocks.

    A table of clocks: five rows, the positions 0, 3, 10, 100 and 1000, and eight columns for pairs
    of features. At position 0 all hands point up. At 3 the first hand has come half round, and the
    others less and less; at 10, 100 and 1000 more and more of the slow hands have left the top.
    """
    positions, d_model, n_pairs = [0, 3, 10, 100, 1000], 16, 8  # lesson 08's widget has 3 and 10
    table = attnlib.sinusoidal_positions(max(positions) + 1, d_model)[positions]
    figure, ax = page(380)
    step_x, step_y, radius = 69, 64, 26
    write(ax, 16, 28, "features", ha="left", weight="bold")
    for row, position in enumerate(positions):
        write(ax, 16, 80 + step_y * row, f"position {position}", ha="left", weight="bold")
    for pair in range(n_pairs):
        x = 172 + step_x * pair
        write(ax, x, 28, f"{2 * pair}, {2 * pair + 1}", weight="bold")
        for row, (sine, cosine) in enumerate(table[:, 2 * pair : 2 * pair + 2]):
            y = 80 + step_y * row
            face = Circle((x, y), radius, facecolor=tint(COLORS["query"], 0.07), edgecolor=SOFT)
            face.set_linewidth(1.2)
            ax.add_patch(face)
            ax.plot((x, x), (y - radius, y - radius + 4), color=SOFT, linewidth=1)
            tip = (x + 0.78 * radius * sine, y - 0.78 * radius * cosine)  # sine: to the right
            ax.plot((x, tip[0]), (y, tip[1]), color=COLORS["query"], linewidth=2.8)
            ax.add_patch(Circle((x, y), 2.6, color=INK, zorder=3))
    save(figure, path)


def draw_learning(path):
    """Draw the recorded weights of the last word, at three steps of a training, as arcs.

    The sentence I um er saw a well oh saw, three times. From the last saw, arcs lead to the words
    that it looks at, as thick as their weights. At step {early} they lead everywhere, and the
    answer is noun with {early_noun}. At step {middle} most of the weight has gone to a,
    {middle_weight}, and at step {late} nearly all, {late_weight}; the answer is noun with
    {late_noun}.
    """
    record = text.trainings()
    words = HESITATING.split()
    figure, ax = page(430)
    places = 130 + 70 * np.arange(len(words))
    for row, (at, weights, noun) in enumerate(steps_of_training(record)):
        y = 88 + 138 * row
        write(ax, 16, y, f"step {at}", ha="left", weight="bold")
        for x, weight in zip(places[:-1], weights, strict=False):
            high = 34 + 0.1 * (places[-1] - x)
            points = [(places[-1], y - 17), (places[-1], y - high), (x, y - high), (x, y - 17)]
            curve = Curve(points, [Curve.MOVETO, *[Curve.CURVE4] * 3])
            style = {"color": COLORS["query"], "alpha": 0.75, "linewidth": 0.3 + 16 * weight}
            ax.add_patch(PathPatch(curve, fill=False, capstyle="butt", **style))
        for place, (x, word) in enumerate(zip(places, words, strict=True)):
            is_asking = place == len(words) - 1
            box(ax, x, y, 58, 30, COLORS["query"] if is_asking else SOFT, words=word)
            write(ax, x, y + 28, f"{weights[place]:.2f}", size=9.5, color=SOFT)
        write(ax, places[-1], y + 48, f"noun: {noun:.2f}", size=9.5, weight="bold")
    save(figure, path)


HESITATING, STEPS_DRAWN = "I um er saw a well oh saw", (0, 60, 300)


def steps_of_training(record):
    """Return for three steps their number, the last word's weights and how sure it is of a noun."""
    at = [int(np.flatnonzero(record["steps"] == step)[0]) for step in STEPS_DRAWN]
    weights = record[f"weights/sinusoids/{HESITATING}"][0, :, -1] / 255
    verb = record[f"verb/sinusoids/{HESITATING}"][0, :, -1]
    return [(step, weights[i], 1 - verb[i]) for step, i in zip(STEPS_DRAWN, at, strict=True)]


def draw_way_back(path):
    """Draw attention as boxes, with arrows that lead to the loss and arrows that lead back.

    Boxes joined by arrows. On the way there, query and key make scores, scores make weights,
    weights and value make the output, and the output makes the loss. A dashed arrow leads back
    along each of these, and under each box stands its gradient: grad_output comes first, then
    grad_weights and grad_value, then grad_scores, and last grad_query and grad_key.
    """
    figure, ax = page(250)
    query, key, value = (62, 52), (62, 162), (392, 52)
    scores, weights, output, loss = (212, 107), (362, 162), (512, 107), (640, 107)
    places = {"query": query, "key": key, "value": value, "scores": scores, "weights": weights}
    for name, (x, y) in (places | {"output": output, "loss": loss}).items():
        box(ax, x, y, 74, 32, COLORS.get(name, SOFT), words=name)
        if name != "loss":
            write(ax, x, y + 29, f"grad_{name}", size=9, color=SOFT, style="italic")
    steps = (query, scores), (key, scores), (scores, weights), (weights, output), (value, output)
    for start, end in (*steps, (output, loss)):
        along = np.subtract(end, start) / np.hypot(*np.subtract(end, start))
        aside = 6 * np.array([along[1], -along[0]])
        from_box, to_box = start + 48 * along, end - 48 * along
        arrow(ax, from_box + aside, to_box + aside, color=INK)
        ax.plot(*zip(to_box - aside, from_box - aside, strict=True), color=SOFT, ls=(0, (3, 2)))
        arrow(ax, from_box - aside + 2 * along, from_box - aside - 2 * along, color=SOFT)
    arrow(ax, (430, 228), (480, 228), color=INK)
    write(ax, 490, 228, "how it is computed", size=9, ha="left")
    ax.plot((240, 200), (228, 228), color=SOFT, ls=(0, (3, 2)))
    arrow(ax, (204, 228), (196, 228))
    write(ax, 250, 228, "how gradients come back", size=9, ha="left")
    save(figure, path)


DRAWINGS = {
    "00_map": draw_map,
    "01_shadow": draw_shadow,
    "02_spread": draw_spread,
    "03_scores_to_weights": draw_scores_to_weights,
    "04_query_key_value": draw_query_key_value,
    "05_masks": draw_masks,
    "06_heads": draw_heads,
    "07_self_and_cross": draw_self_and_cross,
    "08_clocks": draw_clocks,
    "10_learning": draw_learning,
    "10_way_back": draw_way_back,
}
DRAWINGS |= {f"{lesson}_whole": draw_whole for lesson in (*sorted(set(PARTS.values())), "99")}


# The command


def say_stations(name):
    """Say what each lesson of the map adds."""
    return "; ".join(f"{number} {title}, {adds}" for number, title, adds in stations())


def say_lit(name):
    """Say which parts of the whole a lesson adds, which were there and which are still to come."""
    lesson = name[:2]
    if lesson > max(PARTS.values()):
        return "All is drawn in its own colour."
    looks = (
        (f"Lit, as what lesson {lesson} adds", str.__eq__),
        ("There already", str.__lt__),
        ("Pale, still to come", str.__gt__),
    )
    said = {how: [part for part in PARTS if when(PARTS[part], lesson)] for how, when in looks}
    return " ".join(f"{how}: {'; '.join(parts)}." for how, parts in said.items() if parts)


def say_beyond(name):
    """Say how the parts look that no lesson builds."""
    return "which this series does not build" if name[:2] == "99" else "dashed: not built here"


def say_training(field):
    """Return how to say one number of the recorded training."""

    def say(name):
        rows = dict(
            zip(("early", "middle", "late"), steps_of_training(text.trainings()), strict=True)
        )
        when, _, what = field.partition("_")
        step, weights, noun = rows[when]
        return {"": f"{step}", "noun": f"{noun:.2f}", "weight": f"{weights[4]:.2f}"}[what]

    return say


SAYS = {"stations": say_stations, "lit": say_lit, "beyond": say_beyond}
SAYS |= {
    field: say_training(field)
    for field in (
        "early", "early_noun", "middle", "middle_weight", "late", "late_weight", "late_noun",
    )
}  # fmt: skip


def alt_text(name):
    """Return a drawing's alt text on one line: all of its docstring but the first line.

    What stands in braces is said by the function of that name in `SAYS`.
    """
    _, words = inspect.getdoc(DRAWINGS[name]).split("\n\n")
    fields = {field: SAYS[field](name) for _, field, _, _ in Formatter().parse(words) if field}
    return " ".join(words.format(**fields).split())


def draw(name, folder=HERE):
    """Draw one picture into `folder` and return its path."""
    path = Path(folder) / f"{name}.png"
    with mpl.rc_context():
        mpl.rcdefaults()  # not what a reader's own settings say
        plt.style.use("attnlib.style")
        DRAWINGS[name](path)
    return path


def main():
    """Draw what the command line names."""
    parser = argparse.ArgumentParser(description="Draw the series' pictures into images/.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(DRAWINGS))
    names = parser.parse_args().names or list(DRAWINGS)
    if unknown := sorted(set(names) - set(DRAWINGS)):
        parser.error(f"no drawing is called {', '.join(unknown)}; there are {', '.join(DRAWINGS)}.")
    plt.switch_backend("agg")  # needs no screen
    for name in names:
        print(draw(name))


if __name__ == "__main__":
    main()
