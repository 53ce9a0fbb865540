"""Two positions to move, and what four schemes know about them."""

import numpy as np

from attnlib import alibi_bias, cosine_similarity, rotate, sinusoidal_positions
from attnlib._colors import COLORS
from attnlib._inputs import as_integer, as_real, refuse
from attnlib.widgets._base import Widget
from attnlib.widgets._paper import (
    FIRST,
    INK,
    LINE,
    SECOND,
    SOFT,
    Axes,
    Paper,
    Table,
    number,
    spaced,
)
from attnlib.widgets._traits import Derived, DerivedNumber, Integer, Numbers, OneOf
from attnlib.widgets.scaling import normals

MOST_POSITIONS = 512
MOST_LEARNED = 64  # rows of a table; all pairs of them go into a page
SHOWN = 16  # features of a learned row
N_HEADS = 8  # of ALiBi
SEED = 8  # of the query and the key that rotary turns
BASE = 10_000.0
WHAT = {
    "sinusoidal": "cosine",
    "learned": "cosine",
    "rotary": "query · key",
    "alibi": "bias",
}


class Positions(Widget):
    """Two positions, and what four schemes make of them.

    Parameters
    ----------
    learned : array_like, (n, d), optional
        A table of learned position vectors, at most 64. Only with one is the scheme "learned" to be
        had. A page is sent its rows' first 16 features and the cosines of all pairs.
    n_positions : int, optional
        From 1 to 512: the positions to choose from. Where it is left out, as many as `learned` has
        rows, or 64.
    d_model : int
        Features of a sinusoidal row, and of the query and the key that rotary turns; even, from 2
        to 64.
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
    ):
        learned = None if learned is None else as_real("learned", learned)
        if n_positions is None:
            n_positions = 64 if learned is None else _within(*learned.shape[:1])
        last = _within(as_integer("n_positions", n_positions)) - 1
        first = min(3, last) if first is None else first
        second = min(10, last) if second is None else second
        inputs = {"d_model": d_model, "scheme": scheme, "head": head}
        places = {"n_positions": n_positions, "first": first, "second": second}
        super().__init__(learned=learned, **places, **inputs)

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
        curve = cosine_similarity(table[[self.first]], table)[0]  # (n_positions,)
        return self._at_second(table[[self.first, self.second]], curve)

    def _derive_rotary(self):
        query, key = normals(2 * self.d_model, SEED).reshape(2, 1, self.d_model)
        query = rotate(query, [self.first])  # (1, d_model)
        keys = rotate(np.repeat(key, self.n_positions, axis=0))  # (n_positions, d_model)
        rows = np.vstack([query, keys[[self.second]]])
        return self._at_second(rows, (query @ keys.T)[0])

    def _derive_alibi(self):
        bias = alibi_bias(N_HEADS, 1, self.n_positions, offset=self.first)
        return self._at_second(None, bias[self.head, 0] + 0.0)  # no -0.0

    def _at_second(self, rows, curve):
        return {"rows": rows, "similarity": float(curve[self.second]), "curve": curve}

    def recorded(self):
        """Return what `Widget.recorded` does, with the learned table reduced."""
        state = super().recorded()
        state["traits"]["learned"] = self._sent()
        return state

    def _sent(self):
        """Return what is sent of the learned table, reduced once."""
        if self._reduced[0] is not self.learned:
            self._reduced = self.learned, _reduced(self.learned)
        return self._reduced[1]

    # The still picture

    def _ends(self):
        """Name the two positions, as the scheme uses them."""
        if self.scheme in ("rotary", "alibi"):
            return f"query at {self.first}", f"key at {self.second}"
        return f"first: {self.first}", f"second: {self.second}"

    def _draw(self):
        parts = {self._draw_curve: 230}
        if self.rows is not None:
            parts = {self._draw_rows: 110} | parts
        if self.scheme in ("sinusoidal", "rotary"):
            parts = {self._draw_clocks: 160} | parts
        paper, y = Paper(760, sum(parts.values())), 0
        for draw, height in parts.items():
            draw(paper, y)
            y += height
        return paper

    def _draw_clocks(self, paper, y):
        pairs = self.rows[:, :SHOWN].reshape(2, -1, 2)  # (2, clocks, 2)
        longest = np.linalg.norm(pairs, axis=-1).max() or 1.0
        colors = (COLORS["query"], COLORS["key"]) if self.scheme == "rotary" else (FIRST, SECOND)
        styles = [{"width": 3}, {"width": 2, "dash": (5, 3)}]  # told apart in grey too
        solid, dashed = self._ends()
        title = f"solid hands: {solid}, dashed: {dashed}{self._left_out()}"
        paper.write(10, y + 16, title, bold=True)
        for i in range(pairs.shape[1]):
            middle = np.array([150.0 + 80 * i, y + 70.0])
            paper.disc(*middle, 32, edge=LINE)
            for hand, color, style in zip(pairs[:, i] / longest, colors, styles, strict=True):
                tip = middle + 30 * hand * (1, -1)  # y points down
                paper.line([middle, tip], color, **style)
                paper.disc(*tip, 3, fill=color)
            paper.write(middle[0], y + 116, f"{2 * i}, {2 * i + 1}", size=12, at="mm")
            turn = f"{2 * np.pi * BASE ** (2 * i / self.d_model):.1f}"
            paper.write(middle[0], y + 134, turn, size=12, at="mm")
        paper.write(10, y + 116, "features", SOFT, size=12)
        paper.write(10, y + 134, "per round", SOFT, size=12)

    def _left_out(self):
        d = self.rows.shape[1]
        return f" (the first {SHOWN} of {d} features)" if d > SHOWN else ""

    def _draw_rows(self, paper, y):
        learned = self.scheme == "learned"
        rows, decimals = self.rows[:, : 10 if learned else SHOWN], 3 if learned else 2
        features = [f"{i}" for i in range(rows.shape[1])]
        cell = min(56, 600 / rows.shape[1])
        size = {"cell": cell, "decimals": decimals, "corner": "feature"}
        Table(rows, self._ends(), features, **size).draw(paper, 10, y + 12)

    def _draw_curve(self, paper, y):
        places, first, second = np.arange(self.n_positions), self.first, self.second
        others = np.empty((0, len(places)))
        if self.scheme == "alibi":
            others = alibi_bias(N_HEADS, 1, self.n_positions, offset=first)[:, 0]
        drawn = np.vstack([self.curve[None], others])
        low, high = drawn.min(), drawn.max()
        margin = 0.08 * (high - low) or 1.0
        frame = Axes(paper, 80, y + 34, 660, 140, (-0.02 * len(places), 1.02 * len(places) - 1),
                     (low - margin, high + margin))  # fmt: skip
        role = "key's position" if self.scheme in ("rotary", "alibi") else "second position"
        whole = [place for place in spaced(0, len(places) - 1, 10) if place == int(place)]
        labels = (role, self._what())
        frame.ticks(whole, spaced(low - margin, high + margin, 4), labels=labels)
        for line in others:
            paper.line(frame.at(places, line), "#c4c9cf")
        if len(places) > 1:
            paper.line(frame.at(places, self.curve), FIRST, width=2)
        paper.line(frame.at(first, frame.up), SOFT, dash=(2, 3))
        paper.disc(*frame.at(second, self.similarity), 5, fill=INK)
        start, end = self._ends()
        apart = f"distance {abs(first - second)}"  # the line and the dot
        told = f"{start}, {end}, {apart}; {self._what()}: {number(self.similarity)}"
        paper.write(10, y + 16, told, bold=True)

    def _what(self):
        return WHAT[self.scheme] + (f" of head {self.head}" if self.scheme == "alibi" else "")

    def _alt(self):
        start, end = self._ends()
        pair = f"{start}, {end}, distance {abs(self.first - self.second)}"
        clocks = f"{self.d_model // 2} clocks with two hands each, the two rows"
        parts = {
            "sinusoidal": clocks,
            "learned": "the two rows of a learned table",
            "rotary": clocks,
            "alibi": "straight lines that fall on both sides of the query, one for each head",
        }[self.scheme]
        low, high = self.curve.min(), self.curve.max()
        return (
            f"Positions, scheme {self.scheme}, {pair}: {parts}, and a curve over the "
            f"{self.n_positions} positions. The {self._what()} is {self.similarity:.2f} here; "
            f"along the curve it lies between {low:.2f} and {high:.2f}."
        )


def _within(n_positions=1):
    """Return the nearest number that a picture holds; what is wrong with n, its trait will say."""
    return min(max(n_positions, 1), MOST_POSITIONS)


def _reduced(table):
    """Return what a page needs of a learned table: few features, and the cosines of all pairs.

    A row is one string, for a notebook's file gives each number of a list a line of its own.
    """
    if table is None:
        return None
    cosines = (cosine_similarity(table) * 10_000).round().astype(int)
    return {
        "d": table.shape[1],
        "features": [" ".join(f"{x:.4g}" for x in row[:SHOWN]) for row in table],
        # In ten-thousandths, up to the diagonal: beyond it they are the same once more.
        "cosines": [" ".join(map(str, row[: i + 1])) for i, row in enumerate(cosines)],
    }
