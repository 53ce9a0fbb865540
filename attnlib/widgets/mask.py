"""A mask to paint, and who notices what it hides."""

from collections.abc import Iterable

import numpy as np

from attnlib import attention, attention_weights, causal_mask
from attnlib._inputs import refuse, require_equal
from attnlib.widgets._base import plain
from attnlib.widgets._paper import LINE, SOFT, Paper, Table, room
from attnlib.widgets._plugin import Misfit, Plugged, called
from attnlib.widgets._traits import Derived, Index, MaskGrid, Numbers, OneOf, Words, require_index

MOST = 16  # words: so many cells can still be hit and read
NOTHING = 1e-9  # no change is as large


class Mask(Plugged):
    """A mask as a grid to paint, and what it does to weights and outputs.

    Parameters
    ----------
    query, key : array_like, (n, d_key)
    value : array_like, (n, d_value)
    words : sequence of str, (n,)
        At most 16.
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
    words = Words(most=MOST)
    mask = MaskGrid()
    when = OneOf("before", "after")
    changed = Index(0, of="words")
    weights, row_sums, output, changes = Derived(), Derived(), Derived(), Derived()

    def __init__(
        self, query, key, value, *, words, mask=None, when="before", changed=None, attention=None
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
        super().__init__(attention, **inputs)

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

    def _draw(self):
        names = [plain(word) for word in self.words]
        cells = {"cell": 46 if len(names) <= 12 else 30}
        title = f"weights, hidden {self.when} the softmax"
        weights = Table(self.weights, names, names, title=title, hidden=~self.mask, **cells)
        mask = Table(self.mask, names, names, title="mask: ● may look", printed=False, **cells)
        left = mask.size[0] + 30
        beside = left + weights.place(0, len(names))[0] + 10
        told = [f"{total:.2f}  {_noticed(x)}" for total, x in zip(self.row_sums, self.changes,
                                                                  strict=True)]  # fmt: skip
        width = max(left + weights.size[0], beside + room(told, size=12)) + 8
        note = f"beside each row: its sum, and its output if {names[self.changed]} changes"
        paper = Paper(max(width, room(note, size=12) + 20), mask.size[1] + 40)
        mask.draw(paper, 8, 6)
        weights.draw(paper, left, 6)
        for (i, j), may in np.ndenumerate(self.mask):
            x, y = np.add(mask.place(i, j), (8 + mask.cell / 2, 6 + mask.row / 2))
            if may:
                paper.disc(x, y, 4, fill="#ffffff")
            else:
                for way in (-3, 3):
                    paper.line([(x - 3, y - way), (x + 3, y + way)], LINE, width=1.5)
        for i, words in enumerate(told):
            _, y = weights.place(i, 0)
            paper.write(beside, 6 + y + weights.row / 2, words, size=12)
        paper.write(8, mask.size[1] + 24, note, SOFT, size=12)
        return paper

    def _alt(self):
        n, changed = len(self.words), self.words[self.changed]
        rows = zip(self.words, self.row_sums, self.changes, strict=True)
        listed = "; ".join(f"{w}: sum {total:.2f}, {_noticed(x)}" for w, total, x in rows)
        return (
            f"A mask, queries down and keys across, in which {self.mask.sum()} of {n * n} pairs "
            f"may look, beside the weights when it is laid on {self.when} the softmax. The sum of "
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
