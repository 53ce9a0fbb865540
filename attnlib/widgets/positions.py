"""Two positions to move, and what a scheme makes of them: hands on clocks, or a line."""

import numpy as np

from attnlib import alibi_bias, cosine_similarity, rotate, sinusoidal_positions
from attnlib._inputs import as_integer, as_real, refuse
from attnlib.pictures.colours import COLORS
from attnlib.pictures.paper import Axes, Paper, number, spaced, story_height, wrapped
from attnlib.pictures.shades import FAINT, FIRST, INK, LINE, PAPER, SECOND, SOFT
from attnlib.pictures.shared import shared
from attnlib.widgets._base import Widget
from attnlib.widgets._traits import Derived, DerivedNumber, Integer, Numbers, OneOf
from attnlib.widgets.scaling import normals

MOST_POSITIONS = 512
MOST_LEARNED = 64  # rows of a table; all pairs of them go into a page
(N_HEADS,) = shared("positions", "N_HEADS")  # of ALiBi
(SEED,) = shared("positions", "SEED")  # of the query and the key that rotary turns
BASE = 10_000.0
WIDTH, LEFT, RAIL = 840, 76, 30  # of a still, of what stands left of its axis, and of a slider
A_ROW, DIAL, HIGH = 8, 36, 124  # clocks in a row; a clock's radius and room
STORY, WHY, ROUND, CLOCK = shared("positions", "STORY", "WHY", "ROUND", "CLOCK")


class Positions(Widget):
    """Two positions, and what one of four schemes makes of them.

    Sinusoidal positions are hands on clocks, and rotary ones turn the hands that a query and a key
    are. The two others have no hands: of them a line shows what the first position has with each.

    Parameters
    ----------
    learned : array_like, (n, d), optional
        A table of learned position vectors, at most 64. Only with one is the scheme "learned" to be
        had. A page is sent the cosines of all pairs of its rows.
    n_positions : int, optional
        From 1 to 512: the positions to choose from. Where it is left out, as many as `learned` has
        rows, or 64.
    d_model : int
        Features of a sinusoidal row, and of the query and the key that rotary turns, two for each
        clock; even, from 2 to 64.
    first, second : int, optional
        The two positions, counted from 0; 3 and 10, or the last, where they are left out. Rotary
        and ALiBi have the query at the first and the key at the second.
    scheme : {"sinusoidal", "learned", "rotary", "alibi"}
    head : int
        From 0 to 7: which of ALiBi's eight heads.

    Attributes
    ----------
    rows : ndarray (2, d) or None
        The rows of the two positions; for rotary a query and a key, always the same two, turned by
        them; None for ALiBi, which has no rows.
    similarity : float
        The cosine of the two rows; for rotary query · key; for ALiBi the head's bias.
    curve : ndarray (n_positions,)
        The similarity of the first position and each position.

    Examples
    --------
    >>> moved = Positions(d_model=4, first=0, second=1)
    >>> moved.rows.round(2)
    array([[0.  , 1.  , 0.  , 1.  ],
           [0.84, 0.54, 0.01, 1.  ]])
    >>> round(moved.similarity, 2)
    0.77
    >>> moved.first, moved.second = 20, 21  # the distance is what it was
    >>> round(moved.similarity, 2)
    0.77
    """

    learned = Numbers("n, d", optional=True)
    n_positions = Integer(64, least=1, most=MOST_POSITIONS)
    d_model = Integer(16, least=2, most=64)
    first = Integer(0, least=0, most=MOST_POSITIONS - 1)
    second = Integer(0, least=0, most=MOST_POSITIONS - 1)
    scheme = OneOf("sinusoidal", "learned", "rotary", "alibi")
    head = Integer(0, least=0, most=N_HEADS - 1)
    rows, similarity, curve = Derived(), DerivedNumber(), Derived()
    learned.tag(to_json=lambda value, owner: owner._sent())
    _reduced = (None, None)  # a table, and what is sent of it
    _movable = ("first", "second")

    def __init__(
        self,
        learned=None,
        *,
        n_positions=None,
        d_model=16,
        first=None,
        second=None,
        scheme="sinusoidal",
        head=0,
        goal=None,
        moments=(),
    ):
        learned = None if learned is None else as_real("learned", learned)
        if n_positions is None:
            n_positions = 64 if learned is None else _within(*learned.shape[:1])
        last = _within(as_integer("n_positions", n_positions)) - 1
        first = min(3, last) if first is None else first
        second = min(10, last) if second is None else second
        inputs = {"d_model": d_model, "scheme": scheme, "head": head}
        places = {"n_positions": n_positions, "first": first, "second": second}
        super().__init__(learned=learned, **places, **inputs, goal=goal, moments=moments)

    def _agree(self):
        if self.learned is not None:
            self._agree_learned(*self.learned.shape)
        elif self.scheme == "learned":
            rule = 'the scheme "learned" needs a table of learned position vectors'
            refuse(rule, "there is none", learned=None)
        if self.d_model % 2:
            rule = "d_model must be even, for each clock has a sine and a cosine"
            refuse(rule, f"{self.d_model} is odd", d_model=self.d_model)
        for name in ("first", "second"):
            place = getattr(self, name)
            if place >= self.n_positions:
                rule = f"{name} must be one of the positions, counted from 0"
                clash = f"{place} > {self.n_positions - 1}"
                refuse(rule, clash, **{name: place, "n_positions": self.n_positions})

    def _agree_learned(self, n, d):
        if not n or not d:
            rule = "learned must hold at least one row of at least one feature"
            refuse(rule, "0 < 1", learned=self.learned)
        if n > MOST_LEARNED:
            rule = f"a picture holds at most {MOST_LEARNED} learned rows (show the first of them)"
            refuse(rule, f"{n} > {MOST_LEARNED}", learned=self.learned)
        if n < self.n_positions:
            rule = "learned must have a row for each of the n_positions"
            refuse(rule, f"{n} < {self.n_positions}", learned=self.learned)

    def _derive(self):
        return getattr(self, f"_derive_{self.scheme}")()

    def _derive_sinusoidal(self):
        return self._compared(sinusoidal_positions(self.n_positions, self.d_model))

    def _derive_learned(self):
        return self._compared(self.learned[: self.n_positions])

    def _compared(self, table):
        curve = cosine_similarity(table[[self.first]], table)[0]
        return self._at_second(table[[self.first, self.second]], curve)

    def _derive_rotary(self):
        queries, keys = rotate(np.repeat(self._hands(), self.n_positions, axis=1))
        rows = np.stack([queries[self.first], keys[self.second]])
        return self._at_second(rows, keys @ rows[0])

    def _hands(self):
        """Return rotary's query and its key before any place turns them, (2, 1, d_model)."""
        return normals(2 * self.d_model, SEED).reshape(2, 1, self.d_model)

    def _derive_alibi(self):
        bias = alibi_bias(N_HEADS, 1, self.n_positions, offset=self.first)
        return self._at_second(None, bias[self.head, 0] + 0.0)  # no -0.0

    def _at_second(self, rows, curve):
        return {"rows": rows, "similarity": float(curve[self.second]), "curve": curve}

    def _sent(self):
        """Return what is sent of the learned table, reduced once."""
        if self._reduced[0] is not self.learned:
            self._reduced = self.learned, _reduced(self.learned)
        return self._reduced[1]

    def _measured(self):
        return {"first": self.first, "second": self.second, "similarity": self.similarity}

    def _can_be(self, name, place):
        return (None, None) if name == "similarity" else (0, self.n_positions - 1)

    # In words

    def _told(self):
        """Say what the two positions have, as the live view does."""
        told = {name: getattr(self, name) for name in ("first", "second", "head")}
        told |= {"apart": abs(self.second - self.first), "value": number(self.similarity)}
        return STORY[self.scheme].format(**told)

    def _alt(self):
        if self.scheme in CLOCK:
            hands = "; ".join(", ".join(words) for words in self._clocks())
            shown = f"A row of clocks, a hand for either place on each. {hands}."
        else:
            ends = f"{number(self.curve.min())} to {number(self.curve.max())}"
            shown = f"A line over places 0 to {self.n_positions - 1}, from {ends}."
        return f"{self._told()} {WHY[self.scheme]} {shown}"

    def _clocks(self):
        """Return what stands above and below each clock."""
        rounds = 2 * np.pi * BASE ** (np.arange(0, self.d_model, 2) / self.d_model)
        values = self.rows.prod(axis=0).reshape(-1, 2).sum(axis=1)
        return [
            (
                ROUND.format(places=number(turn, int(turn < 100))),
                CLOCK[self.scheme].format(value=number(value)),
            )
            for turn, value in zip(rounds, values, strict=True)
        ]

    # The still picture

    def _ends(self):
        """Name the two positions, as the scheme uses them, and give them their colours."""
        if self.scheme in ("rotary", "alibi"):
            return ("query", "key"), (COLORS["query"], COLORS["key"])
        return ("first", "second"), (FIRST, SECOND)

    def _draw(self):
        told = wrapped(self._told(), WIDTH - 40)
        why = wrapped(WHY[self.scheme], WIDTH - 20)
        top = story_height(told) + 20 * len(why) + 6
        below = top + 3 * RAIL + 10
        high = HIGH * -(-self.d_model // (2 * A_ROW)) if self.scheme in CLOCK else 190
        paper = Paper(WIDTH, below + high + 16)
        paper.story(told)
        for k, line in enumerate(why):
            paper.write(10, story_height(told) + 20 * k + 8, line, SOFT)
        n, wide = self.n_positions, WIDTH - LEFT - 18
        frame = Axes(paper, LEFT, below + 10, wide, 130, (-0.5, n - 0.5), self._reach())
        self._draw_rails(paper, frame, top)
        self._draw_clocks(paper, below) if self.scheme in CLOCK else self._draw_line(paper, frame)
        return paper

    def _draw_rails(self, paper, frame, top):
        """Draw where the two stand, and both, which are held in their middle."""
        names, colors = self._ends()
        (first, _), (second, _) = ends = frame.at([self.first, self.second], 0)
        y = top + RAIL * (np.arange(3) + 0.5)
        both = (first + second) / 2, "↔"
        places = [(end[0], str(p)) for end, p in zip(ends, (self.first, self.second), strict=True)]
        for name, color, (x, words), middle in zip(
            (*names, "both"), (*colors, INK), (*places, both), y, strict=True
        ):
            paper.box(10, middle - 9, 4, 18, fill=color)
            paper.write(20, middle, name)
            paper.line([(LEFT - 6, middle), (WIDTH - 12, middle)], LINE)
            if name == "both":
                paper.line([(first, middle), (second, middle)], width=3)
            paper.disc(x, middle, 13, fill=PAPER, edge=color, line=3)
            paper.write(x, middle, words, size=11, at="mm", bold=True)

    def _draw_clocks(self, paper, top):
        """Draw a clock for each pair of features, with the hands of both places."""
        hands = self.rows.reshape(2, -1, 2) * [1, -1]  # y points down
        hands *= 0.92 * DIAL / np.linalg.norm(hands, axis=-1).max()
        colors, wide = self._ends()[1], WIDTH / A_ROW
        for i, (above, below) in enumerate(self._clocks()):
            x, y = at = np.array([wide * (i % A_ROW + 0.5), top + HIGH * (i // A_ROW + 0.5)])
            paper.disc(x, y, DIAL, edge=LINE)
            start, end = np.arctan2(hands[:, i, 1], hands[:, i, 0])
            between = np.remainder(end - start + np.pi, 2 * np.pi) - np.pi
            angles = start + np.linspace(0, between, 25)
            rim = DIAL / 2 * np.stack([np.cos(angles), np.sin(angles)], axis=1)
            paper.area([at, *(at + rim)], FAINT)
            for nth, color in enumerate(colors):
                tip = at + hands[nth, i]
                dash, fill = ((5, 3), PAPER) if nth else (None, color)
                paper.line([at, tip], color, width=3 - nth, dash=dash)
                paper.disc(*tip, 4 - nth / 2, fill=fill, edge=color)
            paper.write(x, y - DIAL - 13, above, SOFT, size=12, at="mm")
            paper.write(x, y + DIAL + 13, below, size=12, at="mm", bold=True)

    def _draw_line(self, paper, frame):
        """Draw what the first place has with each place; the second has its mark."""
        places = np.arange(self.n_positions)
        whole = [place for place in spaced(0, len(places) - 1, 10) if place == int(place)]
        frame.ticks(whole, spaced(*frame.up, 4), labels=("place", ""))
        if self.scheme == "alibi":
            for line in alibi_bias(N_HEADS, 1, self.n_positions, offset=self.first)[:, 0]:
                paper.line(frame.at(places, line), LINE)
        paper.line(frame.at(places, self.curve), INK, width=2)
        mark = frame.at(self.second, self.similarity)
        paper.disc(*mark, 7, fill=PAPER, edge=self._ends()[1][1], line=3)

    def _reach(self):
        """Return the least and the largest number that any two positions can have, for an axis."""
        if self.scheme == "alibi":
            low, high = -(self.n_positions - 1) / 2, 0.0
        elif self.scheme == "learned":
            every = cosine_similarity(self.learned[: self.n_positions])
            low, high = min(0.0, every.min()), every.max()
        else:
            low, high = 0.0, 1.0  # clocks have no such axis
        return (low, high) if high > low else (low - 1, high + 1)


def _within(n_positions=1):
    """Return the nearest number that a picture holds; what is wrong with n, its trait will say."""
    return min(max(n_positions, 1), MOST_POSITIONS)


def _reduced(table):
    """Return what a page needs of a learned table: the cosines of all pairs.

    They are ten-thousandths, up to the diagonal: beyond it they are the same once more. A row is
    one string, for a notebook's file gives each number of a list a line of its own.
    """
    if table is None:
        return None
    cosines = (cosine_similarity(table) * 10_000).round().astype(int)
    return [" ".join(map(str, row[: i + 1])) for i, row in enumerate(cosines)]
