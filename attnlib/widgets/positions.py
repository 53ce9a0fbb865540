"""Two positions to move, and what four schemes know about them."""

import numpy as np

from attnlib import alibi_bias, cosine_similarity, rotate, sinusoidal_positions
from attnlib._inputs import as_integer, as_real, refuse
from attnlib.pictures.colours import COLORS
from attnlib.pictures.paper import Axes, Paper, number, room, spaced, wrapped
from attnlib.pictures.shades import FIRST, INK, LINE, PAPER, SECOND, SOFT
from attnlib.pictures.shared import shared
from attnlib.widgets._base import Widget
from attnlib.widgets._traits import Derived, DerivedNumber, Flag, Integer, Numbers, OneOf
from attnlib.widgets.scaling import normals

MOST_POSITIONS = 512
MOST_LEARNED = 64  # rows of a table; all pairs of them go into a page
SHOWN = 16  # features of a learned row
(N_HEADS,) = shared("positions", "N_HEADS")  # of ALiBi
(SEED,) = shared("positions", "SEED")  # of the query and the key that rotary turns
BASE = 10_000.0
WIDTH, LEFT = 840, 92  # of a still, and of what stands left of its axis
(ALIKE,) = shared("positions", "ALIKE")  # numbers that differ by less are printed as one
HIGHEST, HIGHEST_ROW = shared("positions", "HIGHEST", "HIGHEST_ROW")  # of the table, in pixels
WHY, ENDS = shared("positions", "WHY", "ENDS")  # a scheme's reason; what 1 and 0 say of columns
WHAT = {"rotary": "query · key", "alibi": "bias"}  # others have a cosine


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
    pairs : bool
        Whether it shows what all other pairs have that stand as these two do. Where it does not, it
        shows how the number of these two comes about, and a hand finds out about the others that
        moves both, or lets them slide along.

    Attributes
    ----------
    rows : ndarray (2, d) or None
        The rows of the two positions; for rotary a query and a key, always the same two, turned by
        them; None for ALiBi, which has no rows.
    similarity : float
        The cosine of the two rows; for rotary query · key; for ALiBi the head's bias.
    curve : ndarray (n_positions,)
        The similarity of the first position and each position.
    elsewhere : ndarray (n_positions - distance,)
        The similarity of every two positions that stand to each other as these two do.

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
    >>> len(moved.elsewhere), np.ptp(moved.elsewhere).round(9)
    (63, np.float64(0.0))
    """

    learned = Numbers("n, d", optional=True)
    n_positions = Integer(64, least=1, most=MOST_POSITIONS)
    d_model = Integer(16, least=2, most=64)
    first = Integer(0, least=0, most=MOST_POSITIONS - 1)
    second = Integer(0, least=0, most=MOST_POSITIONS - 1)
    scheme = OneOf("sinusoidal", "learned", "rotary", "alibi")
    head = Integer(0, least=0, most=N_HEADS - 1)
    pairs = Flag(True)
    rows, similarity, curve, elsewhere = Derived(), DerivedNumber(), Derived(), Derived()
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
        pairs=True,
        goal=None,
        moments=(),
    ):
        learned = None if learned is None else as_real("learned", learned)
        if n_positions is None:
            n_positions = 64 if learned is None else _within(*learned.shape[:1])
        last = _within(as_integer("n_positions", n_positions)) - 1
        first = min(3, last) if first is None else first
        second = min(10, last) if second is None else second
        inputs = {"d_model": d_model, "scheme": scheme, "head": head, "pairs": pairs}
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
        cosines = cosine_similarity(table)  # (n_positions, n_positions)
        elsewhere = np.diagonal(cosines, self.second - self.first)
        rows = table[[self.first, self.second]]
        return self._at_second(rows, cosines[self.first], elsewhere)

    def _derive_rotary(self):
        queries, keys = self._turned()
        starts = self._starts()
        pairs = queries[starts] * keys[starts + self.second - self.first]
        rows = np.stack([queries[self.first], keys[self.second]])
        return self._at_second(rows, keys @ queries[self.first], pairs.sum(axis=1))

    def _turned(self):
        """Return rotary's query and its key at all positions, (2, n_positions, d_model)."""
        both = normals(2 * self.d_model, SEED).reshape(2, 1, self.d_model)
        return rotate(np.repeat(both, self.n_positions, axis=1))

    def _starts(self):
        """Return where the first of two positions can be that stand as these do."""
        apart = self.second - self.first
        return np.arange(max(0, -apart), self.n_positions - max(0, apart))

    def _derive_alibi(self):
        bias = alibi_bias(N_HEADS, 1, self.n_positions, offset=self.first)
        curve = bias[self.head, 0] + 0.0  # no -0.0
        return self._at_second(None, curve, np.full(len(self._starts()), curve[self.second]))

    def _at_second(self, rows, curve, elsewhere):
        similarity = float(curve[self.second])
        return {"rows": rows, "similarity": similarity, "curve": curve, "elsewhere": elsewhere}

    def _sent(self):
        """Return what is sent of the learned table, reduced once."""
        if self._reduced[0] is not self.learned:
            self._reduced = self.learned, _reduced(self.learned)
        return self._reduced[1]

    def _measured(self):
        return {"first": self.first, "second": self.second, "similarity": self.similarity}

    def _can_be(self, name, place):
        return (None, None) if name == "similarity" else (0, self.n_positions - 1)

    # What is seen

    def _seen(self):
        """Say what one sees of the scheme, in its numbers."""
        if self.scheme == "alibi":
            slope = f"{-alibi_bias(N_HEADS, 1, 2)[self.head, 0, 1]:.4f}".rstrip("0")
            return (
                f"No rows: for each step between query and key, head {self.head} takes {slope} off "
                "the score."
            )
        if self.scheme == "learned":
            table, d = self._table(), self.learned.shape[1]
            part = f" (the first {SHOWN} are shown)" if d > SHOWN else ""
            ends = f"from {number(table.min())} to {number(table.max())}"
            return f"Each position is a column of {d} learned numbers{part}, {ends}."
        last = 2 * np.pi * BASE ** ((self.d_model - 2) / self.d_model)
        slow = f", the slowest after {last:.{last < 100:d}f}" if self.d_model > 2 else ""
        waves = f"the fastest repeats after {2 * np.pi:.1f} positions{slow}."
        if self.scheme == "rotary":
            one = "One key, turned by its position"
            return f"{one}: its {self.d_model} numbers are waves; {waves}"
        column = f"Each position is a column of {self.d_model} numbers"
        return f"{column}, each a wave: {waves}"

    def _told(self):
        """Say what the two positions have, and whether others that stand so have it too."""
        first, second, value = self.first, self.second, number(self.similarity)
        far, others = abs(second - first), self._others()
        if self.scheme not in ("rotary", "alibi"):
            return (
                f"Places {first} and {second} are {far} apart: their columns are {value} "
                f"alike{others}"
            )
        placed = f"Query at {first}, key at {second}: "
        if self.scheme == "alibi":
            return f"{placed}head {self.head} adds {value} to the score{others}"
        back = ""
        if far and self.pairs:
            queries, keys = self._turned()
            there = queries[max(0, second - first)] @ keys[max(0, first - second)]
            other = "ahead" if second < first else "behind"
            back = f" With the key {far} {other}, it is {number(there)}."
        return f"{placed}query · key is {value}{others}{back}"

    def _others(self):
        """End the sentence, where they are to be seen with what other pairs have."""
        n = len(self.elsewhere)
        if n == 1:
            return "; no other two stand so."
        if not self.pairs:
            return "."
        if np.ptp(self.elsewhere) < ALIKE:
            return f", as for all {self._such()}."
        ends = f"{number(self.elsewhere.min())} to {number(self.elsewhere.max())}"
        return f"; the {self._such()} have {ends}."

    def _such(self):
        """Name the pairs that stand as these two do, and how many there are."""
        apart, n = self.second - self.first, len(self.elsewhere)
        if self.scheme not in ("rotary", "alibi"):
            return f"{n} pairs that are {abs(apart)} apart"
        if not apart:
            return f"{n} pairs at one place"
        return f"{n} pairs with the key {abs(apart)} {'behind' if apart < 0 else 'ahead'}"

    def _table(self):
        """Return what is shown of all positions: a row for each, or None."""
        if self.scheme == "sinusoidal":
            return sinusoidal_positions(self.n_positions, self.d_model)
        if self.scheme == "learned":
            return self.learned[: self.n_positions, :SHOWN]
        return self._turned()[1] if self.scheme == "rotary" else None

    # The still picture

    def _ends(self):
        """Name the two positions, as the scheme uses them, and give them their colours."""
        if self.scheme in ("rotary", "alibi"):
            return ("query", "key"), (COLORS["query"], COLORS["key"])
        return ("first", "second"), (FIRST, SECOND)

    def _draw(self):
        told, why = wrapped(self._told(), WIDTH - 40), wrapped(WHY[self.scheme], WIDTH - 20)
        top = 20 * (len(told) + len(why)) + 28
        paper = Paper(WIDTH, top + self._heat_height() + (276 if self._charted() else 292))
        paper.story(told)
        for k, line in enumerate(why):
            paper.write(10, 20 * (len(told) + k) + 30, line, SOFT)
        self._draw_stage(paper, top)
        return paper

    def _heat_height(self):
        table = self._table()
        return 0 if table is None else round(min(HIGHEST_ROW * table.shape[1], HIGHEST))

    def _charted(self):
        """Return whether all pairs are drawn, and not how the number of these two comes about."""
        return self.pairs or self.rows is None

    def _draw_stage(self, paper, y):
        """Draw the two places, the table below them, and what the two have or all pairs have."""
        table, heat, n = self._table(), self._heat_height(), self.n_positions
        top = y + 60
        below = top + heat + 40
        low, high = self._reach()
        wide = WIDTH - LEFT - 28
        frame = Axes(paper, LEFT, below, wide, 130, (-0.5, n - 0.5), (low, high))
        column = wide / n
        if table is not None:
            self._draw_table(paper, table, (LEFT, top, wide, heat))
        if self._charted():
            self._draw_curve(paper, frame)
        else:
            self._draw_pair(paper, below + 4)
        names, colors = self._ends()
        places = (self.first, self.second)
        for nth, (name, color, place) in enumerate(zip(names, colors, places, strict=True)):
            x, rail = float(frame.at(place, 0)[0]), y + 14 + 30 * nth
            dash = (5, 3) if nth else None
            end = frame.at(place, self.similarity)[1] if nth else below + 130
            framed = table is not None and (nth == 1 or self.scheme != "rotary")
            paper.line([(LEFT - 13, rail), (WIDTH - 15, rail)], LINE)
            paper.box(10, rail - 9, 4, 18, fill=color)
            paper.write(20, rail, name)
            paper.line([(x, rail), (x, top - 2 if framed else end)], color, width=2, dash=dash)
            if framed:
                paper.box(x - column / 2 - 4, top - 4, column + 8, heat + 8, edge=PAPER, line=5)
                paper.box(x - column / 2 - 2, top - 2, column + 4, heat + 4, edge=color, line=2)
                end = end if self._charted() else top + heat + 6
                paper.line([(x, top + heat + 2), (x, end)], color, width=2, dash=dash)
            paper.disc(x, rail, 13, fill=PAPER, edge=color, line=3)
            paper.write(x, rail, f"{place}", size=11, at="mm", bold=True)
        x, end = (float(frame.at(place, 0)[0]) for place in places)
        bar, middle = top + heat + 24, min(max((x + end) / 2, 110), WIDTH - 60)
        paper.line([(min(x, end), bar), (max(x, end), bar)])
        paper.write(middle, bar - 9, f"↔ {abs(places[0] - places[1])} apart", size=12, at="mm")
        if self._charted():
            mark = frame.at(self.second, self.similarity)
            paper.disc(*mark, 6, fill=PAPER, edge=colors[1], line=3)

    def _draw_table(self, paper, table, frame):
        x, y, width, height = frame
        scale = max(np.abs(table).max(), 1e-9)
        paper.picture(x, y, width, height, table.T / scale, two_sided=True)
        paper.box(x, y, width, height, edge=LINE)
        n, d = table.shape[1], self.rows.shape[1]
        for k, words in enumerate([f"{n} of {d}" if n < d else f"{d}", "numbers", "a column"]):
            paper.write(x - 8, y + height / 2 + 15 * (k - 1), words, SOFT, size=11, at="rm")

    def _draw_pair(self, paper, y):
        """Draw the two columns, number times number, and what becomes of the products."""
        most = max(np.abs(self._table()).max(), 1e-9)
        rows = self.rows[:, : self._table().shape[1]]
        columns = [*rows / most, rows.prod(axis=0) / most**2]
        asked, colors = self.scheme == "rotary", (*self._ends()[1], LINE)
        places = [f"place {self.first}", f"place {self.second}"]
        names = [*(self._ends()[0] if asked else places), "product"]
        n, wide, step = len(rows[0]), 84, 110
        high, top = min(9, 156 / n), y + 18
        for c, (name, shares) in enumerate(zip(names, columns, strict=True)):
            x = LEFT + step * c
            paper.write(x + wide / 2, y, name, at="mm")
            paper.picture(x, top, wide, high * n, shares[:, None], two_sided=True)
            paper.box(x - 2, top - 2, wide + 4, high * n + 4, edge=colors[c], line=2)
            for k in np.flatnonzero(shares < 0):  # which no colour tells on grey paper
                minus = top + (k + 0.5) * high
                paper.line([(x + 10, minus), (x + 18, minus)], PAPER, width=2)
            if c:
                paper.write(x - 13, top + high * n / 2, " ×="[c], size=16, at="mm")
        self._draw_sum(paper, LEFT + 3 * step, top)

    def _draw_sum(self, paper, x, y):
        """Write which number the products become; below it, what that says, and the colours."""
        asked, d = self.scheme == "rotary", self.rows.shape[1]
        part = f"all {d}" if self._table().shape[1] < d else "products"
        paper.write(x, y + 8, f"{part} added up{'' if asked else ', as a cosine'}:")
        value = number(self.similarity)
        paper.write(x, y + 42, value, size=22, bold=True)
        after = x + room(value, size=22, bold=True) + 8
        paper.write(after, y + 42, "query · key" if asked else "alike", size=20)
        if not asked:
            self._draw_gauge(paper, x + 8, y + 72)
        signs = (116, 0.8, "positive (adds)"), (138, -0.8, "negative (takes away)")
        for below, share, words in signs:
            paper.picture(x, y + below, 14, 14, np.full((1, 1), share), two_sided=True)
            paper.write(x + 20, y + below + 7, words, SOFT, size=12)
        paper.line([(x + 3, y + 145), (x + 11, y + 145)], PAPER, width=2)

    def _draw_gauge(self, paper, x, y):
        """Draw where the number lies, from the least that two places have, or 0, to 1."""
        low = min(0.0, self._reach()[0])
        at = x + 300 * (np.array([low, 0, 1, self.similarity]) - low) / (1 - low)
        paper.line([(at[0], y), (at[2], y)], width=2)
        for end, (tick, words) in enumerate(zip(at[1:3], (ENDS["0"], ENDS["1"]), strict=True)):
            paper.line([(tick, y - 6), (tick, y + 6)], width=2)
            side = (tick + 8, "rm") if end else (tick - 8, "lm")
            below = y + 20 + 17 * (end and low < 0)  # where both words might meet
            paper.write(side[0], below, words, SOFT, size=12, at=side[1])
        paper.disc(at[3], y, 7, fill=PAPER, edge=self._ends()[1][1], line=3)

    def _draw_curve(self, paper, frame):
        places = np.arange(self.n_positions)
        whole = [place for place in spaced(0, len(places) - 1, 10) if place == int(place)]
        frame.ticks(whole, spaced(*frame.up, 4), labels=("place in the sentence", ""))
        if self.scheme == "alibi":
            for line in alibi_bias(N_HEADS, 1, self.n_positions, offset=self.first)[:, 0]:
                paper.line(frame.at(places, line), LINE)
            if len(places) > 1:
                paper.line(frame.at(places, self.curve), INK, width=2)
        if self.pairs:
            self._draw_pairs(paper, frame, self._ends()[1][1])
        asked = self.scheme in WHAT
        x, y = frame.at(self.second, self.similarity)
        aside = (frame.frame[0] + 8, "lm") if x > WIDTH / 2 else (WIDTH - 28, "rm")  # of the mark
        for end, words in {} if asked else ENDS.items():
            high = frame.at(0, float(end))[1] - 8
            paper.write(aside[0], high, words, SOFT, size=11, at=aside[1])
        title = WHAT[self.scheme] if asked else "how alike"
        paper.write(10, frame.frame[1] - 14, title, SOFT, size=11)
        value, alike = number(self.similarity), "" if asked else " alike"
        wide = room(value, size=16, bold=True)
        start = x - 13 - wide - room(alike, size=14) if x > WIDTH - 140 else x + 13
        y += 20 if y < frame.frame[1] + 26 else -16
        paper.write(start, y, value, size=16, bold=True)
        paper.write(start + wide, y, alike, size=14)

    def _draw_pairs(self, paper, frame, color):
        """Draw a dot for each pair that stands as these two do, where the second of it stands."""
        ends = self._starts() + self.second - self.first
        for place in frame.at(ends, self.elsewhere):
            paper.disc(*place, 3, fill=color)
        y, words = frame.frame[1] + 130 + 32, self._such()
        paper.write(WIDTH - 28, y, words, SOFT, size=11, at="rm")
        paper.disc(WIDTH - 36 - room(words, size=11), y, 3, fill=color)

    def _reach(self):
        """Return the least and the largest number that any two positions can have."""
        n = self.n_positions
        if self.scheme == "alibi":
            every = np.array([-(n - 1) / 2, 0.0])
        elif self.scheme == "rotary":
            queries, keys = self._turned()
            every = np.concatenate([keys @ queries[0], queries @ keys[0]])
        else:
            every = cosine_similarity(
                self.learned[:n] if self.scheme == "learned" else self._table()
            )
        low, high = min(0.0, every.min()), every.max()
        return (low, high) if high > low else (low - 1, high + 1)

    def _alt(self):
        low, high = self.curve.min(), self.curve.max()
        what = "" if self.rows is None else " a table, a column for each place, these two framed,"
        of = f" of head {self.head}" if self.scheme == "alibi" else ""
        what += f" the {WHAT.get(self.scheme, 'cosine')}{of} of the two"
        if not self._charted():
            what += " from their columns, number times number"
        what += f" and a dot for each of the {self._such()}" if self.pairs else ""
        if self.scheme == "alibi":
            what += ", and a curve over all places"
        return (
            f"{self._told()} {WHY[self.scheme]} Two of {self.n_positions} places, scheme "
            f"{self.scheme}:{what}. With the first, all places have {number(low)} to "
            f"{number(high)}. {self._seen()}"
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
