"""Where every head looks from one word, and how two heads differ."""

import numpy as np

from attnlib import entropy
from attnlib._inputs import refuse, require_equal
from attnlib.widgets._base import Widget, plain
from attnlib.widgets._paper import Paper, Table
from attnlib.widgets._traits import Derived, Index, Numbers, Words, require_index

MOST_HEADS = 16
DECIMALS = 5
LEAST = 0.1  # of what the still picture prints in numbers; the rest stays in colour
SLACK = 1e-2  # that of attnlib.entropy: rows of float16 weights do not sum to 1 exactly


class HeadWeights(Numbers):
    """Attention weights by head, kept to five decimals; more would burden a page for no eye."""

    def validate(self, owner, value):
        """Return value as an array, if each row of each head is one of weights."""
        x = super().validate(owner, value)
        n_heads = x.shape[0]
        if not 1 <= n_heads <= MOST_HEADS:
            rule = f"a picture holds from 1 to {MOST_HEADS} heads (show some of them)"
            clash = f"{n_heads} > {MOST_HEADS}" if n_heads else "0 < 1"
            refuse(rule, clash, **{self.name: x})
        totals = x.sum(axis=-1)
        wrong = (x < 0).any(axis=-1) | (x.any(axis=-1) & (np.abs(totals - 1) > SLACK))
        if wrong.any():
            self._refuse_row(x, *map(int, np.argwhere(wrong)[0]))
        x = x.round(DECIMALS)
        x.flags.writeable = False
        return x

    def _refuse_row(self, x, head, row):
        where, least, total = f"row {row} of head {head}", x[head, row].min(), x[head, row].sum()
        if least < 0:
            rule = f"{self.name} must not be negative (are these scores, before softmax?)"
            refuse(rule, f"{where} holds {least:g} < 0", **{self.name: x})
        rule = f"each row of {self.name} must sum to 1, or be all 0 where a query sees nothing"
        refuse(rule, f"{where} sums to {total:g} != 1", **{self.name: x})


class Heads(Widget):
    """The weights of several heads for one sentence: all of them for one word, and two in full.

    Parameters
    ----------
    weights : array_like, (n_heads, n, n)
        Of 16 heads at most. Rows are queries, columns are keys; each row sums to 1, or is all 0
        where a query sees nothing. Kept to five decimals.
    words : sequence of str, (n,)
        At most 40.
    head, other : int
        Which head is shown in full, and which one is taken from it.
    word : int
        The query whose weights are shown of every head.

    Attributes
    ----------
    row_weights : ndarray (n_heads, n)
        Where each head looks from the word.
    entropies : ndarray (n_heads,)
        Of these rows, in nats.
    difference : ndarray (n, n)
        The weights of `head` minus those of `other`.

    Examples
    --------
    >>> Heads([[[1, 0], [0.5, 0.5]], [[0, 1], [0, 1]]], ["a", "saw"], word=1).difference
    array([[ 1. , -1. ],
           [ 0.5, -0.5]])
    """

    weights = HeadWeights("n_heads, n, n")
    words = Words()
    head = Index(0, of="heads")
    other = Index(1, of="heads")
    word = Index(0, of="words")
    row_weights, entropies, difference = Derived(), Derived(), Derived()

    def __init__(self, weights, words, *, head=0, other=1, word=0):
        super().__init__(weights=weights, words=words, head=head, other=other, word=word)

    @property
    def heads(self):
        """The places of the heads."""
        return range(len(self.weights))

    def _agree(self):
        n_words = len(self.words)
        for axis, what in ((1, "row"), (2, "column")):
            rule = f"each word needs one {what} of weights in every head"
            came_in = {"weights": self.weights, "words": f"{n_words} words"}
            require_equal(rule, self.weights.shape[axis], n_words, **came_in)
        for name in ("head", "other", "word"):
            require_index(self, name)

    def _derive(self):
        row_weights = self.weights[:, self.word]
        return {
            "row_weights": row_weights,
            "entropies": entropy(row_weights),
            "difference": self.weights[self.head] - self.weights[self.other],
        }

    def _draw(self):
        words = [plain(word, 12) for word in self.words]
        heads = [f"head {h}" for h in self.heads]
        cell = {"cell": 46 if len(words) <= 8 else max(16, 420 / len(words)), "least": LEAST}
        told = f"every head's weights of {words[self.word]}, printed from {LEAST}"
        wide = {"cell": 46 if len(words) <= 14 else max(18, 800 / len(words)), "least": LEAST}
        above = Table(self.row_weights, heads, words, title=told, **wide)
        same = {"row": 22, "marked": self.word} | cell
        left = Table(self.weights[self.head], words, words, title=f"head {self.head}", **same)
        title = f"head {self.head} minus head {self.other}"
        right = Table(self.difference, words, words, title=title, **same)
        width = max(above.size[0], left.size[0] + right.size[0] + 24) + 20
        paper = Paper(width, above.size[1] + left.size[1] + 36)
        above.draw(paper, 8, 6)
        left.draw(paper, 8, above.size[1] + 24)
        right.draw(paper, left.size[0] + 32, above.size[1] + 24)
        return paper

    def _alt(self):
        listed = ", ".join(
            f"head {h} {_largest(row, self.words)} (entropy {nats:.2f})"
            for h, row, nats in zip(self.heads, self.row_weights, self.entropies, strict=True)
        )
        apart = np.abs(self.difference[self.word]).sum() / 2
        return (
            f"Tables of weights, rows are queries, columns are keys. From the word "
            f"{self.words[self.word]}, the heads look most at: {listed}. Head {self.head} is shown "
            f"in full, and head {self.head} minus head {self.other}: for this word {apart:.2f} of "
            f"the weight lies elsewhere."
        )


def _largest(row, words):
    """Name the key of the largest weight, and the weight."""
    return f"{words[row.argmax()]} {row.max():.2f}" if row.any() else "nothing"
