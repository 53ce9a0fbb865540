"""Who in one sentence reads whom in another."""

from collections import Counter

import numpy as np

from attnlib._colors import COLORS
from attnlib._inputs import refuse, require_equal
from attnlib._paper import Paper, Table, bands, number, room
from attnlib._shades import SOFT
from attnlib._shared import shared
from attnlib.widgets._base import Widget, plain
from attnlib.widgets._traits import Derived, Index, Number, Numbers, Words, require_index

DECIMALS = 6  # are kept of a weight: 40 × 40 of them then fit into a page
LONGEST = 12  # letters of a word in the still picture
(MOST_TOLD,) = shared("alignment", "MOST_TOLD")  # sources are named of a target word
THINNEST = 0.1  # pixels of a pale ribbon: nobody would see one that is thinner
MOST_NUMBERED = 12  # words whose weights have room for their numbers


class Weights(Numbers):
    """Attention weights of one head, rounded to `DECIMALS`."""

    def validate(self, owner, value):
        """Return value as an array."""
        x = super().validate(owner, value).round(DECIMALS)
        x.flags.writeable = False
        return x


class Alignment(Widget):
    """Two sentences, and the weights with which the one reads the other.

    Parameters
    ----------
    weights : array_like, (n_targets, n_sources)
        Of cross-attention, from 0 to 1, rounded to six decimals. No row sums to more than 1; one of
        less belongs to a word that may look nowhere, or to a part of a sentence.
    targets, sources : sequence of str
        The words that ask (queries) and the words that answer (keys), 40 at most on each side.
    target : int
        The place of the target word that is looked at.
    threshold : float
        From 0 to 1: a smaller weight is no link. At 0 every pair is one.
    goal : Goal, optional
        What the widget asks of the hand.
    moments : sequence of (str, dict), optional
        At most five titles, each with the inputs that show what it says.

    Attributes
    ----------
    links : ndarray of int, (n_links, 2)
        Target and source of each weight that reaches the threshold, row by row.
    kept : ndarray, (n_targets,)
        The weight of each target word that its links carry.
    done : bool
        Whether the goal has been reached.
    moves : int
        What the hand has moved until then, a whole drag as one.

    Examples
    --------
    >>> widget = Alignment([[0.48, 0.5, 0.02], [0.0, 0.1, 0.9]], ["vi", "algo"], ["I", "saw", "it"])
    >>> widget.links.tolist()
    [[0, 0], [0, 1], [1, 1], [1, 2]]
    >>> widget.threshold = 0.2
    >>> widget.kept
    array([0.98, 0.9 ])
    """

    weights = Weights("n_targets, n_sources", least=0, most=1)
    targets = Words()
    sources = Words()
    target = Index(0, of="targets")
    threshold = Number(0.1, least=0, most=1)
    links, kept = Derived(), Derived()

    _movable = ("threshold",)

    def __init__(
        self, weights, targets, sources, *, target=0, threshold=0.1, goal=None, moments=()
    ):
        inputs = {"target": target, "threshold": threshold}
        super().__init__(
            weights=weights, targets=targets, sources=sources, **inputs, goal=goal, moments=moments
        )

    def _agree(self):
        names = {"row": "targets", "column": "sources"}
        for (axis, name), n in zip(names.items(), self.weights.shape, strict=True):
            words = len(getattr(self, name))
            rule = f"each {axis} of weights needs one word of {name}"
            require_equal(rule, n, words, weights=self.weights, **{name: f"{words} words"})
        sums = self.weights.sum(axis=1)
        most = sums.argmax()
        if sums[most] > 1.001:  # the sum of rounded numbers may be a little off
            rule = "a row of attention weights sums to 1 at most (a row is a target word)"
            total = f"{sums[most]:g}"
            came_in = {"weights": self.weights, f"the sum of weights[{most}]": total}
            refuse(rule, f"{total} > 1", **came_in)
        require_index(self, "target")

    def _derive(self):
        linked = self.weights >= self.threshold
        kept = np.where(linked, self.weights, 0).sum(axis=1)
        return {"links": np.argwhere(linked), "kept": kept}

    def _chosen(self):
        """Return the links' sources of the chosen word, the strongest first."""
        weights = self.weights[self.target]
        order = np.argsort(-weights, kind="stable")
        return order[weights[order] >= self.threshold]

    def _draw(self):
        targets, sources = ([plain(w, LONGEST) for w in x] for x in (self.targets, self.sources))
        n = max(len(targets), len(sources))
        step = max(46.0, room([*targets, *sources], bold=True) + 14)
        upright = n * step <= 760
        step = step if upright else 24.0
        table = self._table(targets, sources)
        above = 20 if upright else room(targets, size=11) + 10
        below = 44 if upright else room(sources, size=11) + 50
        ribbons = max(90 + step * n, 300), 60 + above + 130 + below
        beside = ribbons[0] + table.size[0] <= 960
        width = ribbons[0] + table.size[0] + 24 if beside else max(ribbons[0], table.size[0] + 16)
        height = max(ribbons[1], table.size[1] + 20) if beside else ribbons[1] + table.size[1] + 20
        title, told = self._reading(plain), self._told()
        paper = Paper(max(width + 8, room(title, bold=True) + 16, room(told) + 16), height + 22)
        paper.write(8, 16, title, bold=True)
        paper.write(8, 36, told, SOFT)
        self._draw_ribbons(paper, targets, sources, step, 56 + above, upright)
        table.draw(paper, *((ribbons[0] + 16, 48) if beside else (8, ribbons[1] + 22)))
        return paper

    def _table(self, targets, sources):
        """Return all weights; many of them have colours alone, and what is hidden is left blank."""
        marked, hidden = self.target, self.weights < self.threshold
        if max(len(targets), len(sources)) <= MOST_NUMBERED:
            return Table(self.weights, targets, sources, hidden=hidden, scale=1, marked=marked)
        row = 26 if len(targets) <= 20 else 18
        shown, most = np.where(hidden, 0, self.weights), self.weights.max()
        return Table(shown, targets, sources, scale=most, cell=20.0, row=row, marked=marked,
                     title=f"darkest: {number(most)}, blank: hidden", printed=False)  # fmt: skip

    def _told(self):
        links = f"{len(self.links)} of {self.weights.size} links shown"
        return f"{links}, weights below {self.threshold:.2f} hidden"

    def _reading(self, named=str):
        """Say which sources the chosen word reads, as the live view does."""
        chosen = self._chosen()
        reads = ", ".join(
            f"{_labelled(self.sources, j, named)} {number(self.weights[self.target, j])}"
            for j in chosen[:MOST_TOLD]
        )
        more = len(chosen) - MOST_TOLD
        rest = f" and {more} more" if more > 0 else ""
        word = _labelled(self.targets, self.target, named)
        return f"{word} {f'reads {reads}{rest}' if reads else 'has no link left'}"

    def _draw_ribbons(self, paper, targets, sources, step, top, upright):
        chosen = set(self._chosen())
        across = 70 + step * (np.arange(max(len(targets), len(sources))) + 0.5)
        looked = self.links[:, 0] == self.target
        seen = 0.36 * step * self.weights[tuple(self.links.T)] >= THINNEST
        ordered = np.concatenate([self.links[~looked & seen], self.links[looked]])
        broad = np.maximum(0.36 * step * self.weights[tuple(ordered.T)], 0.8)
        ends = across[ordered].T  # (2, n_links)
        turned = bands((top, ends[0]), (top + 130, ends[1]), broad)[..., ::-1]  # they run down
        for (i, _), band in zip(ordered, turned, strict=True):
            paper.area(band, COLORS["query"], alpha=1.0 if i == self.target else 0.2)
        for i, word in enumerate(targets):
            at = {"at": "mb"} if upright else {"at": "lm", "turned": True, "size": 11}
            paper.write(across[i], top - 6, word, bold=i == self.target, **at)
        for j, word in enumerate(sources):
            at = {"at": "mt"} if upright else {"at": "rm", "turned": True, "size": 11}
            told = number(self.weights[self.target, j]) if j in chosen else ""
            words = word if upright else f"{told}  {word}".strip()
            paper.write(across[j], top + 136, words, **at)
            if upright:
                paper.write(across[j], top + 154, told, SOFT, size=12, at="mt")
        for role, y in (("target", top - 14), ("source", top + 144)):
            color = COLORS["query" if role == "target" else "key"]
            paper.write(8, y, role, color, size=12)

    def _alt(self):
        chosen = self._chosen()
        of = self.weights[self.target].sum()
        reads = ", ".join(
            f"{_labelled(self.sources, j)} {self.weights[self.target, j]:.2f}" for j in chosen
        )
        return (
            f"Ribbons from {len(self.targets)} target words to {len(self.sources)} source words, "
            f"and the table of their weights: {len(self.links)} of {self.weights.size} weights "
            f"reach the threshold of {self.threshold:.2f}. {_labelled(self.targets, self.target)} "
            f"{f'reads {reads}' if reads else 'has no link left'}: "
            f"{self.kept[self.target]:.2f} of its weight of {of:.2f} is shown."
        )


def _labelled(words, place, named=str):
    """Return a word, with its place where it stands there more than once."""
    word = words[place]
    return f"{named(word)} ({place})" if Counter(words)[word] > 1 else named(word)
