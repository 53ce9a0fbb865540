"""A mask to paint, and who notices what it hides."""

from collections.abc import Iterable

import numpy as np

from attnlib import attention, attention_weights, causal_mask
from attnlib._inputs import refuse, require_equal
from attnlib.pictures.colours import COLORS
from attnlib.pictures.paper import Paper, Table, number, room, story_height, wrapped
from attnlib.pictures.shades import FAINT, INK, PAPER, SOFT
from attnlib.pictures.shared import shared
from attnlib.widgets._base import headings, named, plain, quoted
from attnlib.widgets._plugin import Misfit, Plugged, called
from attnlib.widgets._traits import Derived, Index, MaskGrid, Numbers, OneOf, Words, require_index

# A change up to NOTHING is none; LISTED words of a list are named, the others counted.
NOTHING, LISTED = shared("mask", "NOTHING", "LISTED")
HOW = "Each row is a word that asks: it shares its weight among the words that it may look at."


class Mask(Plugged):
    """A mask as a grid to paint, and what it does to weights and outputs.

    Parameters
    ----------
    query, key : array_like, (n, d_key)
    value : array_like, (n, d_value)
    words : sequence of str, (n,)
        At most 40.
    mask : array_like of bool, (n, n), optional
        True where a query may look at a key; causal where it is left out.
    when : {"before", "after"}
        Whether scores are hidden before the softmax, as they must be, or weights after it.
    changed : int, optional
        The word whose key and value are raised by 1 in every feature, to see which outputs notice;
        the last one where it is left out.
    attention : callable, optional
        The reader's own ``attention(query, key, value, mask) -> output``. Where it hides is then
        its own matter, and `when` says nothing. Its weights are read off by handing it the identity
        matrix as values.

    Attributes
    ----------
    weights : ndarray (n, n)
    row_sums : ndarray (n,)
    output : ndarray (n, d_value)
    changes : ndarray (n,)
        The largest change of each output when the word changes.

    Examples
    --------
    >>> one = np.ones((3, 1))
    >>> Mask(one, one, one, words=["the", "cat", "sat"], when="after").row_sums.round(2)
    array([0.33, 0.67, 1.  ])
    """

    query, key = Numbers("n, d_key"), Numbers("n, d_key")
    value = Numbers("n, d_value")
    words = Words()
    mask = MaskGrid("n_queries", "n_keys")
    when = OneOf("before", "after")
    changed = Index(0, of="words")
    weights, row_sums = Derived(shares=True), Derived(least=0, most=1)
    output, changes = Derived(), Derived()

    _movable = ("mask",)

    def __init__(
        self,
        query,
        key,
        value,
        *,
        words,
        mask=None,
        when="before",
        changed=None,
        attention=None,
        goal=None,
        moments=(),
    ):
        if isinstance(words, Iterable) and not isinstance(words, str):
            words = tuple(words)
        n = len(words) if isinstance(words, tuple) else 0  # what is no sentence is refused below
        inputs = {
            "words": words,  # first, so that it is not the mask of too many words that is refused
            "query": query,
            "key": key,
            "value": value,
            "mask": causal_mask(n) if mask is None else mask,
            "when": when,
            "changed": n - 1 if changed is None else changed,
        }
        super().__init__(attention, **inputs, goal=goal, moments=moments)

    def _agree(self):
        n = len(self.words)
        for name in ("query", "key", "value"):
            x = getattr(self, name)
            rule = f"each word needs one row of {name}"
            require_equal(rule, x.shape[0], n, **{name: x, "words": f"{n} words"})
            if x.shape[1] == 0:
                refuse(f"{name} must have at least one feature", "0 < 1", **{name: x})
        rule = "query and key must share d_key, their last axis"
        d_query, d_key = self.query.shape[1], self.key.shape[1]
        require_equal(rule, d_query, d_key, query=self.query, key=self.key)
        if self.mask.shape != (n, n):
            rule = "the mask needs a row and a column for each word"
            refuse(rule, f"{self.mask.shape} != {(n, n)}", mask=self.mask, words=f"{n} words")
        require_index(self, "changed")

    def _derive(self):
        weights, output = self._attend(self.key, self.value)
        _, other = self._attend(*self._raised())
        return {
            "weights": weights,
            "row_sums": weights.sum(axis=1),
            "output": output,
            "changes": _largest(other, output),
        }

    def _attend(self, key, value):
        """Return weights and output, with the mask where `when` lays it."""
        if self.when == "after":
            weights = attention_weights(self.query, key) * self.mask
            return weights, weights @ value
        weights = attention_weights(self.query, key, mask=self.mask)
        return weights, attention(self.query, key, value, mask=self.mask)

    def _raised(self):
        """Return key and value with the changed word's rows raised by 1."""
        rise = np.zeros((len(self.words), 1))
        rise[self.changed] = 1
        return self.key + rise, self.value + rise

    def _ask(self, function):
        shape, n, mask = self.value.shape, len(self.words), self.mask
        output = called(function, shape, self.query, self.key, self.value, mask)
        other = called(function, shape, self.query, *self._raised(), mask)
        answer = {"output": output, "changes": _largest(other, output)}
        note = "The numbers are those of your own function."
        try:
            answer["weights"] = called(function, (n, n), self.query, self.key, np.eye(n), mask)
        except Misfit as misfit:
            note += f" Its weights are not shown: handed the identity matrix as values, it{misfit}"
        return answer, note

    def _told(self):
        """Say what the mask does to the row that it changes most; return the row and the words.

        A list: a word of the sentence stands in a tuple.
        """
        unmasked = attention_weights(self.query, self.key)
        moved = np.nan_to_num(np.abs(self.weights - unmasked).sum(axis=1))
        rows = np.flatnonzero(~self.mask.all(axis=1) | (moved > NOTHING))
        if not len(rows):
            return None, ["Nothing is hidden: every word may look at every word."]
        row = rows[0]
        for i in rows[1:]:
            row = i if moved[i] > moved[row] + NOTHING else row
        hidden = np.flatnonzero(~self.mask[row])
        seen = np.flatnonzero(self.mask[row])
        look = [" may not look at ", *self._listed(hidden)]
        if 0 < len(seen) < len(hidden):  # the shorter of two ways to say it
            look = [" may look at ", *self._listed(seen), " alone"]
        said = [*named(self.words, row), *look, ": "]
        return int(row), said + self._followed(row, unmasked[row], hidden)

    def _followed(self, row, before, hidden):
        """Say where a row's weight has gone."""
        weights = self.weights[row]
        total = weights.sum()
        if len(hidden) == len(weights) and total == 0:
            return ["it sees nothing now, so its weights are 0, and its output is 0."]
        if total - before.sum() < -1e-6:
            lost = f"it loses {number(before.sum() - total)} of weight, which no other word gets."
            return [f"{lost} Its row sums to {number(total)}, not 1."]
        come = np.flatnonzero(weights - before > NOTHING)
        if not len(come):
            return ["it would give nothing there, and no weight moves."]
        much = number((weights - before)[come].sum())
        seen = np.flatnonzero(self.mask[row])
        if len(seen) < len(hidden):
            said = ["they share"] if len(seen) > 1 else [*named(self.words, seen[0]), " gets"]
            return [*said, " all of its weight, and the others get none."]
        return [f"the {much} it would give there goes to ", *self._listed(come), "."]

    def _listed(self, places):
        """Name the words at these places, the first of many."""
        shown = LISTED if len(places) > LISTED + 1 else LISTED + 1
        parts = []
        for k, j in enumerate(places[:shown]):
            parts += [", "] * (k > 0) + named(self.words, j)
        return parts + [f" and {len(places) - shown} more"] * (len(places) > shown)

    def _draw(self):
        n, (row, said) = len(self.words), self._told()
        names = headings(self.words)
        cell = 84 if n <= 6 else 40 if n <= 12 else 20 if n <= 20 else 16
        table = Table(self.weights, names, names, corner="asks ↓, is looked at →", cell=cell,
                      row=max(0.6 * cell, 16), hidden=~self.mask, marked=row)  # fmt: skip
        beside = 8 + table.place(0, n)[0] + 12
        told = [self._beside(i) for i in range(n)]
        head = "sum" + f", and its output if {self._changes(plain)} changes" * self._leaks()
        width = max(beside + room([*told, head], size=12), room(HOW, size=12) + 8)
        lines = wrapped(quoted(said), max(width, 560) - 24)
        top = story_height(lines)
        paper = Paper(max(width, 560) + 12, top + table.size[1] + 40)
        paper.story(lines)
        table.draw(paper, 8, top)
        for (i, j), may in np.ndenumerate(self.mask):
            x, y = np.add(table.place(i, j), (8, top))
            if not may and not self.weights[i, j]:
                paper.hatch(x, y, table.cell, table.row)
                if cell >= 40:  # its number is on paper, between the slanted lines
                    paper.box(x + cell / 2 - 16, y + table.row / 2 - 8, 32, 16, fill=PAPER)
            paper.box(x, y, table.cell, table.row, edge=FAINT)
        self._edge(paper, table, (8, top), row)
        paper.write(beside, top + table.top - 12, head, SOFT, size=12)
        for i, words in enumerate(told):
            y = top + table.place(i, 0)[1] + table.row / 2
            paper.write(beside, y, words, size=12)
        paper.write(8, top + table.size[1] + 24, HOW, SOFT, size=12)
        return paper

    def _leaks(self):
        """Whether what is hidden may be noticed, so that the picture tells by whom."""
        return self.when == "after"

    def _beside(self, i):
        """Say what a row's weights sum to and, where it may leak, whether its output notices."""
        total, change = self.row_sums[i], self.changes[i]
        if not (self.mask[i].any() or total or (self._leaks() and change > NOTHING)):
            return "sees nothing: weights 0, output 0"
        return f"{total:.2f}" + f"  {_noticed(change)}" * self._leaks()

    def _changes(self, shown=str):
        """Name the word that changes, without quotes."""
        parts = named(self.words, self.changed)
        return "".join(part if isinstance(part, str) else shown(*part) for part in parts)

    def _edge(self, paper, table, corner, row):
        """Give keys and queries their colours, as the live tables have them, and frame a row."""
        n = len(self.words)
        (x, y), (right, low) = np.add(table.place(0, 0), corner), np.add(table.place(n, n), corner)
        paper.box(x, y - 4, right - x, 3, fill=COLORS["key"])
        paper.box(x - 4, y, 3, low - y, fill=COLORS["query"])
        if row is not None:
            height = table.row
            paper.box(x, y + row * height, right - x, height, edge=INK, line=2)

    def _alt(self):
        n, changed = len(self.words), self._changes()
        rows = zip(headings(self.words), self.row_sums, self.changes, strict=True)
        listed = "; ".join(f"{w}: sum {total:.2f}, {_noticed(x)}" for w, total, x in rows)
        return (
            f"A mask, queries down and keys across, in which {self.mask.sum()} of {n * n} pairs "
            f"may look, beside the weights when it is laid on {self.when} the softmax. "
            f"{quoted(self._told()[1])} The sum of "
            f"each row, and the largest change of its output when the key and value of {changed} "
            f"change: {listed}."
        )


@np.errstate(over="ignore", invalid="ignore")
def _largest(a, b):
    """Return the largest absolute difference in each row."""
    return np.abs(a - b).max(axis=1)


def _noticed(change):
    if np.isnan(change):
        return "nan"
    if change <= NOTHING:
        return "untouched"
    return f"changes by {change:{'.0e' if change < 0.005 else '.2f'}}"
