"""Paper for grids and for the widgets' stills: what they need, drawn by Pillow in milliseconds.

A unit is one pixel; x points right and y down. Shapes are drawn twice as large and then reduced,
so that slanted lines are smooth; words are written on top of them at the end.
"""

import functools
import io
import math
from decimal import ROUND_HALF_UP, Decimal
from itertools import accumulate, pairwise
from typing import NamedTuple

import numpy as np
from PIL import Image, ImageColor, ImageDraw

from attnlib.pictures.scripts import KEPT, pieces, usual
from attnlib.pictures.shades import FAINT, INK, LINE, PAPER, SOFT, shade

SIZE = 13  # of letters
ROW = 26  # the height of a row of a table, or of a bar
FINER = 2  # how many times as large shapes are drawn
GAP = 7  # from one slanted line to the next, where cells are hatched
STILL = "A still picture: run its cell in Jupyter, and it comes to life."
FOOT = 24  # the height of the line that says so
TITLE, HEAD = 15, 30  # letters of a title, and the height of its line


class Word(NamedTuple):
    """A line of words on the paper, as `Paper.write` was told of it."""

    words: str
    x: float
    y: float
    color: str
    size: int
    at: str
    bold: bool
    turned: bool

    @property
    def box(self):
        """Left, top, right and bottom: of its ink across, of a line of letters up and down."""
        left, top, mask = _inked(self.words, self.size, self.bold, self.at, self.turned)
        left, top = round(self.x + left), round(self.y + top)
        return left, top, left + mask.width, top + mask.height


class Shape(NamedTuple):
    """A line, an area, a box, a disc or a hatched box on the paper; a box's points are corners."""

    kind: str
    points: np.ndarray
    color: str | None
    alpha: float = 1.0


class Paper:
    """A white sheet; at a widget's foot stands that it is a still picture.

    Parameters
    ----------
    width, height : float
        In pixels, without the foot.
    foot : str
        What stands there; without it there is no foot.

    Attributes
    ----------
    words, shapes : list
        What has been written and drawn.
    """

    def __init__(self, width, height, *, foot=STILL):
        self.width = round(max(width, room(foot, size=11) + 16))
        self.height = round(height) + FOOT * bool(foot)
        self.words, self.shapes = [], []
        self._image = Image.new("RGB", (FINER * self.width, FINER * self.height), PAPER)
        self._pen = ImageDraw.Draw(self._image, "RGBA")  # colours may let through what lies below
        self.write(8, self.height - 12, foot, SOFT, size=11)

    def line(self, points, color=INK, *, width=1.0, dash=None):
        """Draw a line through points; `dash` is how long a stroke and a gap are."""
        points = np.asarray(points, dtype=float)
        if len(points) == 2 and (points[0] >= points[1]).all():
            points = points[::-1]  # one that runs up or left, Pillow puts half a pixel aside
        self.shapes.append(Shape("line", points, color))
        for part in [points] if dash is None else _dashes(points, dash):
            corners = (FINER * part).ravel().tolist()
            self._pen.line(corners, _ink(color), max(1, round(FINER * width)), joint="curve")

    def area(self, points, color, *, alpha=1.0):
        """Fill what points enclose."""
        points = np.asarray(points, dtype=float)
        self.shapes.append(Shape("area", points, color, alpha))
        self._pen.polygon((FINER * points).ravel().tolist(), _ink(color, alpha))

    def box(self, x, y, width, height, *, fill=None, edge=None, line=1.0):
        """Draw a rectangle from its upper left corner."""
        far = max(x, x + width - 1 / FINER), max(y, y + height - 1 / FINER)
        self.shapes.append(Shape("box", np.array([(x, y), (x + width, y + height)]), fill))
        corners = [FINER * x, FINER * y, FINER * far[0], FINER * far[1]]
        fill, edge = fill and _ink(fill), edge and _ink(edge)
        self._pen.rectangle(corners, fill, edge, max(1, round(FINER * line)))

    def hatch(self, x, y, width, height, color=LINE):
        """Draw slanted lines over a rectangle, which becomes white: what is hidden."""
        left, top = round(FINER * x), round(FINER * y)
        size = round(FINER * (x + width)) - left, round(FINER * (y + height)) - top
        self.shapes.append(Shape("hatch", np.array([(x, y), (x + width, y + height)]), color))
        self._image.paste(_hatched(*size, (left + top) % (FINER * GAP), color), (left, top))

    def picture(self, x, y, width, height, shares, *, two_sided=False):
        """Fill a rectangle with a grid of colours, one for each of shares, (n_rows, n_columns).

        They are from 0 to 1, or two-sided from -1 to 1.
        """
        least = -1 if two_sided else 0
        places = np.rint(64 * (np.clip(shares, least, 1) - least) / (1 - least)).astype(int)
        size = round(FINER * width), round(FINER * height)
        image = Image.fromarray(_ramp(two_sided)[places]).resize(size, Image.Resampling.NEAREST)
        self.shapes.append(Shape("picture", np.array([(x, y), (x + width, y + height)]), None))
        self._image.paste(image, (round(FINER * x), round(FINER * y)))

    def disc(self, x, y, radius, *, fill=None, edge=None, line=1.0):
        """Draw a disc around (x, y)."""
        corners = np.array([(x - radius, y - radius), (x + radius, y + radius)])
        self.shapes.append(Shape("disc", corners, fill))
        fill, edge = fill and _ink(fill), edge and _ink(edge)
        corners = (FINER * corners).ravel().tolist()
        self._pen.ellipse(corners, fill, edge, max(1, round(FINER * line)))

    def arrow(self, start, end, color=INK, *, width=2.0, head=9.0):
        """Draw an arrow, its point at `end`."""
        start, end = np.asarray(start, dtype=float), np.asarray(end, dtype=float)
        length = np.linalg.norm(end - start)
        if length == 0:
            return
        along = (end - start) / length
        across = np.array([-along[1], along[0]])
        neck = end - min(head, length) * along
        self.line([start, neck], color, width=width)
        self.area([end, neck + 0.45 * head * across, neck - 0.45 * head * across], color)

    def write(self, x, y, words, color=INK, *, size=SIZE, at="lm", bold=False, turned=False):
        """Write a line of words.

        `at` says where (x, y) is of them: l, m or r for left, middle or right, then t, m, s or b
        for top, middle, the line they stand on, or bottom. Turned words are read upwards.
        """
        if words.strip():
            self.words.append(Word(words, float(x), float(y), color, size, at, bold, turned))

    def story(self, lines):
        """Write the sentence that says what is seen, in a grey box at the top."""
        high = story_height(lines) - 16
        self.box(8, 6, self.width - 16, high, fill=FAINT)
        self.box(8, 6, 4, high, fill=INK)
        for k, line in enumerate(lines):
            self.write(20, 17 + 20 * k, line)

    def png(self, colors=256, title=""):
        """Return the picture as the bytes of a PNG of at most so many colours, 256 or fewer.

        A title stands above all that has been drawn.
        """
        image = self._image.reduce(FINER)
        for word in self.words:
            _ink_in(image, word)
        if title:
            drawn, wide = image, round(room(title, size=TITLE, bold=True) + 16)
            image = Image.new("RGB", (max(self.width, wide), self.height + HEAD), PAPER)
            image.paste(drawn, (0, HEAD))
            _ink_in(image, Word(title, 8, HEAD / 2 + 2, INK, TITLE, "lm", True, False))
        picture = io.BytesIO()
        fills = {PAPER} | {s.color for s in self.shapes if s.color and s.alpha == 1}
        _of_few_colors(image, fills, colors).save(picture, "png", compress_level=6)
        return picture.getvalue()


def _ink_in(image, word):
    """Put a word's ink into an image."""
    left, top, mask = _inked(word.words, word.size, word.bold, word.at, word.turned)
    image.paste(word.color, (round(word.x + left), round(word.y + top)), mask)


def bands(start, end, widths, *, points=25):
    """Return the outlines of bands from left to right that leave and arrive straight across.

    Parameters
    ----------
    start, end : (x, y)
        The middle of either end; x and y are numbers or (n,).
    widths : float or array_like, (n,)
    points : int
        Of either side.

    Returns
    -------
    ndarray, (n, 2 points, 2)
    """
    ends = np.broadcast_arrays(*start, *end, np.atleast_1d(widths))
    x0, y0, x1, y1, wide = (each[:, None] for each in ends)
    t = np.linspace(0, 1, points)
    x, y = x0 + (x1 - x0) * t, y0 + (y1 - y0) * t * t * (3 - 2 * t)
    across = np.concatenate([x, x[:, ::-1]], axis=1)
    down = np.concatenate([y - wide / 2, (y + wide / 2)[:, ::-1]], axis=1)
    return np.stack([across, down], axis=-1)


def story_height(lines):
    """Return where what stands below a story begins."""
    return 20 * len(lines) + 22


def room(words, *, size=SIZE, bold=False):
    """Return how wide words are; of several, the widest."""
    words = [words] if isinstance(words, str) else words
    return max((_length(word, size, bold) for word in words), default=0.0)


def wrapped(words, width, *, size=SIZE):
    """Return words as the lines that a column of this width takes."""
    lines = [""]
    for word in words.split():
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and room(longer, size=size) > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


def in_lines(words, width, *, size=15):
    """Return words as lines of places on the paper, each [(place, x, width), …]."""
    lines, x = [[]], 8
    for place, word in enumerate(words):
        wide = room(word, size=size) + 12
        if x + wide > width - 8:
            lines, x = [*lines, []], 8
        lines[-1].append((place, x, wide))
        x += wide + 2
    return lines


@functools.cache
def _ramp(two_sided):
    """Return 65 colours as bytes, of shares from 0 to 1, or from -1 to 1."""
    shares = np.linspace(-1 if two_sided else 0, 1, 65)
    return np.array([ImageColor.getrgb(shade(x, two_sided=two_sided)[0]) for x in shares], np.uint8)


def number(x, decimals=2):
    """Write a number as the live widgets do: a true minus, and no more digits than an eye uses."""
    if not math.isfinite(x):
        return "nan" if math.isnan(x) else ("inf" if x > 0 else "−inf")
    if abs(x) >= 1e5:
        digits, power = f"{x:.1e}".split("e")
        return f"{digits}e{int(power):+d}".replace("-", "−")
    words = f"{Decimal(float(x)).quantize(Decimal(10) ** -decimals, ROUND_HALF_UP):f}"
    return (words if words.strip("-0.") else words.replace("-", "")).replace("-", "−")


def bars(paper, x, y, width, values, names, *, color=INK, title="", most=None):
    """Draw numbers as horizontal bars below a title, a number at the end of each.

    Parameters
    ----------
    paper : Paper
    x, y, width : float
        The upper left corner, and how wide names, bars and numbers are together.
    values, names : sequences
    color : str or sequence of str
        Of all bars, or of each.
    most : float, optional
        What the longest bar stands for; the largest of the values where it is left out.
    """
    values = np.asarray(values, dtype=float)
    shown = np.nan_to_num(values, posinf=0, neginf=0)
    colors = [color] * len(values) if isinstance(color, str) else color
    words = [number(value) for value in values]
    paper.write(x, y + 10, title, bold=True)
    left = x + room(names) + 10
    low, high = min(shown.min(initial=0), 0), max(shown.max(initial=0), 0, most or 0)
    before = room(words) + 10 if low < 0 else 0
    span = high - low if high - low > 1e-200 else 1.0  # what is less would divide to inf
    unit = (x + width - left - before - room(words) - 10) / span
    zero = left + before - low * unit
    for place, (value, name, told, ink) in enumerate(zip(shown, names, words, colors, strict=True)):
        middle = y + 24 + ROW * (place + 0.5)
        paper.write(left - 8, middle, name, at="rm")
        start, length = min(zero, zero + value * unit), abs(value * unit)
        if length:
            paper.box(start, middle - 8, length, 16, fill=ink)
        beside = (start - 6, "rm") if value < 0 else (zero + max(value, 0) * unit + 6, "lm")
        paper.write(beside[0], middle, told, at=beside[1], size=12)
    paper.line([(zero, y + 22), (zero, y + 26 + ROW * len(values))], LINE)


def bars_height(n):
    """Return how high bars are, their title with them."""
    return 30 + ROW * n


class Table:
    """A matrix as a grid of coloured numbers, with names.

    Parameters
    ----------
    values : ndarray, (n_rows, n_columns)
    rows, columns : sequence of str
    title, corner : str
        What stands above, and what rows and columns are.
    scale : float, optional
        What the darkest colour stands for; the largest of the values where it is left out.
    hidden : ndarray of bool, optional
        Cells that are hatched.
    marked : int, optional
        A row whose name is bold.
    cell : float
        How wide a cell is; numbers are printed where they fit.
    printed : bool
        Whether any is.
    """

    def __init__(
        self,
        values,
        rows,
        columns,
        *,
        title="",
        corner="",
        scale=None,
        hidden=None,
        marked=None,
        cell=46.0,
        row=ROW,
        printed=True,
    ):
        self.values, self.rows, self.columns = np.asarray(values, dtype=float), rows, columns
        self.title, self.corner, self.marked, self.printed = title, corner, marked, printed
        finite = np.abs(self.values[np.isfinite(self.values)])
        self.two_sided = bool((self.values < 0).any())
        self.scale = scale or max(finite.max(initial=0), 1.0 if not self.two_sided else 1e-300)
        self.hidden = np.zeros(self.values.shape, bool) if hidden is None else hidden
        self.cell, self.row = cell, row
        self.turned = room(columns, size=12) > cell - 4
        self.left = max(room(rows, bold=marked is not None), room(corner, size=11)) + 10
        self.top = 24 * bool(title) + (room(columns, size=12) + 10 if self.turned else 22)

    @property
    def size(self):
        """Width and height, names and title with them."""
        width = self.left + self.cell * len(self.columns)
        return max(width, room(self.title, bold=True)), self.top + self.row * len(self.rows)

    def place(self, i, j):
        """Return where a cell's upper left corner is, seen from the table's."""
        return self.left + self.cell * j, self.top + self.row * i

    def draw(self, paper, x, y):
        """Draw it with its upper left corner at (x, y)."""
        paper.write(x, y + 10, self.title, bold=True)
        if self.corner:
            paper.write(x, y + self.top - 12, self.corner, SOFT, size=11)
        for j, name in enumerate(self.columns):
            middle = x + self.left + self.cell * (j + 0.5)
            at = "lm" if self.turned else "mm"
            below = y + self.top - (6 if self.turned else 12)
            paper.write(middle, below, name, size=12, at=at, turned=self.turned)
        for i, name in enumerate(self.rows):
            middle = y + self.top + self.row * (i + 0.5)
            paper.write(x + self.left - 7, middle, name, at="rm", bold=i == self.marked)
        words, size = self._numbers()
        for (i, j), value in np.ndenumerate(self.values):
            left, top = x + self.left + self.cell * j, y + self.top + self.row * i
            fill, ink = shade(value / self.scale, two_sided=self.two_sided)
            if self.hidden[i, j]:
                fill, ink = PAPER, SOFT
                paper.hatch(left, top, self.cell, self.row, FAINT)
            elif fill != PAPER:
                paper.box(left, top, self.cell, self.row, fill=fill)
            if words:
                middle = left + self.cell / 2, top + self.row / 2
                paper.write(*middle, words[i, j], ink, size=size, at="mm")
        width, height = self.cell * len(self.columns), self.row * len(self.rows)
        paper.box(x + self.left, y + self.top, width, height, edge=FAINT)

    def _numbers(self):
        """Return the numbers as words by place, none where they do not all fit, and their size."""
        size = 12 if self.cell >= 40 else 10
        if not self.printed or room("0.00", size=size) > self.cell - 2:
            return {}, size
        words = {at: number(value) for at, value in np.ndenumerate(self.values)}
        return (words if room(words.values(), size=size) <= self.cell - 2 else {}), size


class Axes:
    """A frame for curves: numbers become places on the paper.

    Parameters
    ----------
    paper : Paper
    x, y, width, height : float
        The frame, without its labels.
    across, up : (float, float)
        The least and the largest number along each axis.
    """

    def __init__(self, paper, x, y, width, height, across, up):
        self.paper, self.frame = paper, (x, y, width, height)
        self.across, self.up = across, up

    def at(self, x, y):
        """Return where numbers lie: (..., 2)."""
        left, top, width, height = self.frame
        right = left + width * (np.asarray(x, float) - self.across[0]) / np.ptp(self.across)
        down = top + height * (self.up[1] - np.asarray(y, float)) / np.ptp(self.up)
        return np.stack(np.broadcast_arrays(right, down), axis=-1)

    def ticks(self, x=(), y=(), *, grid=False, labels=("", "")):
        """Draw the frame's lower left sides with numbers, and what the axes are."""
        left, top, width, height = self.frame
        for value in x:
            place = self.at(value, self.up[0])
            self.paper.write(place[0], top + height + 6, _tick(value), SOFT,
                             size=11, at="mt")  # fmt: skip
            end = top if grid else top + height + 4
            self.paper.line([(place[0], top + height), (place[0], end)], FAINT if grid else LINE)
        for value in y:
            place = self.at(self.across[0], value)
            self.paper.write(left - 7, place[1], _tick(value), SOFT,
                             size=11, at="rm")  # fmt: skip
            end = left + width if grid else left - 4
            self.paper.line([(left, place[1]), (end, place[1])], FAINT if grid else LINE)
        if not grid:
            self.paper.line([(left, top), (left, top + height), (left + width, top + height)], LINE)
        self.paper.write(left + width / 2, top + height + 24, labels[0], SOFT, size=12, at="mt")
        beside = left - 20 - room([_tick(value) for value in y], size=11)
        self.paper.write(beside, top + height / 2, labels[1], SOFT, size=12, at="mm", turned=True)


def _tick(value):
    return f"{value:g}".replace("-", "−")


def spaced(low, high, most=6):
    """Return round numbers between two, at most so many and evenly spaced."""
    rough = (high - low) / most or 1.0
    power = 10.0 ** np.floor(np.log10(rough))
    step = next(power * size for size in (1, 2, 5, 10) if power * size >= rough)
    return [round(float(k * step), 10) for k in range(int(np.ceil(low / step)),
            int(np.floor(high / step)) + 1)]  # fmt: skip


@functools.lru_cache(KEPT)
def _length(words, size, bold):
    return sum(piece.length for piece in pieces(words, size, bold))


@functools.lru_cache(KEPT)
def _inked(words, size, bold, at, turned):
    """Return words as a mask, and where it begins, seen from the place that `at` means."""
    parts = pieces(words, size, bold)
    ascent, descent = usual(size, bold).getmetrics()
    starts = [0, *accumulate(piece.length for piece in parts)]
    boxes = np.array([piece.box for piece in parts]) + np.array(starts[:-1])[:, None] * [1, 0, 1, 0]
    left, right = round(boxes[:, 0].min()), round(boxes[:, 2].max())
    up = max(ascent, -round(boxes[:, 1].min()))  # of a script whose letters are high
    down = max(descent, round(boxes[:, 3].max()))
    mask = Image.new("L", (max(1, right - left), up + down))
    for piece, start in zip(parts, starts, strict=False):
        piece.ink(mask, round(start) - left, up)
    along = left - {"l": 0, "m": 0.5, "r": 1}[at[0]] * starts[-1]
    across = {"t": 0, "m": -(ascent + descent) / 2, "s": -ascent, "b": -ascent - descent}[at[1]]
    across -= up - ascent
    if turned:
        return across, -along - mask.width, mask.rotate(90, expand=True)
    return along, across, mask


@functools.lru_cache(KEPT)
def _hatched(width, height, phase, color):
    """Return a white rectangle with slanted lines that run on in the one beside it."""
    image = Image.new("RGB", (width, height), PAPER)
    pen, gap = ImageDraw.Draw(image), FINER * GAP
    for start in range(-phase, width + height, gap):
        pen.line([(start, 0), (start - height, height)], color, FINER)
    return image


def _of_few_colors(image, fills, most=256):
    """Return an image with a palette of few colours, in which white stays white, and fills stay.

    Colours count as one where their first six bits are the same. The fills are kept, then those
    that cover most; the others, on the rims of letters, become what is nearest. Pillow's own fast
    way makes white grey, and one of pale shades; its careful ways take 50 to 250 ms.
    """
    sixths = np.asarray(image) >> 2
    codes = sixths[..., 0].astype(np.int32)
    for channel in (1, 2):
        codes <<= 6
        codes |= sixths[..., channel]
    counts = np.bincount(codes.ravel(), minlength=64**3)
    exact = np.array(sorted({ImageColor.getrgb(fill) for fill in fills}))  # (n_fills, 3)
    fixed = exact // 4 @ [4096, 64, 1]
    counts[fixed] += codes.size
    found = np.flatnonzero(counts)
    found = found[np.argsort(-counts[found], kind="stable")]
    colors = np.stack([found >> 12, found >> 6 & 63, found & 63], axis=1) * 255 // 63
    place = np.zeros(64**3, np.intp)
    place[found] = np.arange(len(found))
    colors[place[fixed]] = exact
    palette, rest = colors[:most].astype(float), colors[most:].astype(float)
    nearest = ((palette**2).sum(axis=1) - 2 * np.einsum("ik,jk", rest, palette)).argmin(axis=1)
    place[found[most:]] = nearest
    few = Image.fromarray(place.astype(np.uint8)[codes])
    few.putpalette(colors[:most].astype(np.uint8).tobytes())
    return few


@functools.cache
def _ink(color, alpha=1.0):
    return (*ImageColor.getrgb(color), round(255 * alpha))


def _dashes(points, dash):
    """Return the strokes of a dashed line, (2, 2) each."""
    strokes = []
    for start, end in pairwise(points):
        length = np.linalg.norm(end - start)
        for along in np.arange(0, length, sum(dash)):
            ends = np.array([[along], [min(along + dash[0], length)]]) / length
            strokes.append(start + ends * (end - start))
    return strokes
