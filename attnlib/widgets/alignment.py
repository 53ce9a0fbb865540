"""Who in one sentence reads whom in another."""

import numpy as np

from attnlib._inputs import refuse, require_equal
from attnlib.pictures.colours import COLORS
from attnlib.pictures.paper import Paper, Table, bands, number, room, story_height, wrapped
from attnlib.pictures.shades import INK, SOFT
from attnlib.pictures.shared import shared
from attnlib.widgets._base import Widget, named, plain, quoted
from attnlib.widgets._traits import Derived, Index, MaskGrid, Number, Numbers, Words, require_index

DECIMALS = 6  # are kept of a weight: 40 × 40 of them then fit into a page
LONGEST = 12  # letters of a word in the still picture
# So many sources of a word are named; with more words than MOST_IN_ROWS, so many are drawn. What is
# not looked at has so much of its colour.
MOST_TOLD, MOST_IN_ROWS, PALE = shared("alignment", "MOST_TOLD", "MOST_IN_ROWS", "PALE")
FAINT = 0.12  # of a ribbon that is not looked at, how much of its colour
THINNEST = 0.1  # pixels of a faint ribbon: nobody would see one that is thinner
WIDE = 840  # pixels that a row of words has
DEPTH = 130  # from one row of words to the other


class Weights(Numbers):
    """Attention weights of one head, rounded to `DECIMALS`."""

    def validate(self, owner, value):
        """Return value as an array."""
        x = super().validate(owner, value).round(DECIMALS)
        x.flags.writeable = False
        return x


class Alignment(Widget):
    """Two sentences, and the weights with which the one reads the other.

    It shows one target word and where it looks, all others faintly. Source words can be hidden:
    what was given to them goes to the others, as with a mask before the softmax.

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
    mask : array_like of bool, (n_sources,), optional
        True where the target words may look; all of them where it is left out.

    Attributes
    ----------
    reads : ndarray, (n_targets, n_sources)
        The weights under the mask: each row sums to as much as before, unless all that had weight
        in it is hidden.
    links : ndarray of int, (n_links, 2)
        Target and source of each of them that reaches the threshold, row by row; none to a source
        that is hidden.
    kept : ndarray, (n_targets,)
        The weight of each target word that its links carry.

    Examples
    --------
    >>> widget = Alignment([[0.48, 0.5, 0.02], [0.0, 0.1, 0.9]], ["vi", "algo"], ["I", "saw", "it"])
    >>> widget.links.tolist()
    [[0, 0], [0, 1], [1, 1], [1, 2]]
    >>> widget.threshold = 0.2
    >>> widget.kept
    array([0.98, 0.9 ])
    >>> widget.mask = [False, True, True]
    >>> widget.reads.round(2)
    array([[0.  , 0.96, 0.04],
           [0.  , 0.1 , 0.9 ]])
    """

    weights = Weights("n_targets, n_sources", least=0, most=1)
    targets = Words()
    sources = Words()
    target = Index(0, of="targets")
    threshold = Number(0.1, least=0, most=1)
    mask = MaskGrid("n_sources")
    reads, links, kept = Derived(shares=True), Derived(), Derived(least=0, most=1)

    _movable = ("mask", "threshold")

    def __init__(
        self,
        weights,
        targets,
        sources,
        *,
        target=0,
        threshold=0.1,
        mask=None,
        goal=None,
        moments=(),
    ):
        if not isinstance(sources, str) and hasattr(sources, "__iter__"):
            sources = tuple(sources)
        n = len(sources) if isinstance(sources, tuple) else 0  # no sentence is refused below
        mask = np.ones(n, bool) if mask is None else mask
        words = {"targets": targets, "sources": sources, "target": target}
        inputs = {"weights": weights, **words, "threshold": threshold, "mask": mask}
        super().__init__(**inputs, goal=goal, moments=moments)

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
        n = len(self.sources)
        rule = "the mask needs one entry for each word of sources"
        require_equal(rule, len(self.mask), n, mask=self.mask, sources=f"{n} words")
        require_index(self, "target")

    def _derive(self):
        reads = _shared_out(self.weights, self.mask)
        linked = (reads >= self.threshold) & self.mask
        kept = np.where(linked, reads, 0).sum(axis=1)
        return {"reads": reads, "links": np.argwhere(linked), "kept": kept}

    def _measured(self):
        return {"reads": self.reads, "kept": self.kept}

    def _chosen(self):
        """Return the links' sources of the chosen word, the strongest first."""
        weights = self.reads[self.target]
        order = np.argsort(-weights, kind="stable")
        return order[(weights[order] >= self.threshold) & self.mask[order]]

    def _told(self):
        """Say where the chosen word looks, as the live view does: parts of a sentence."""
        chosen = self._chosen()
        said = named(self.targets, self.target)
        if not len(chosen):
            return [*said, " has no link left."]
        said += [" gives "]
        for k, j in enumerate(chosen[:MOST_TOLD]):
            amount = number(self.reads[self.target, j]) + " of its attention" * (k == 0)
            joint = "" if k == 0 else " and " if k + 1 == len(chosen) else ", "
            said += [f"{joint}{amount} to ", *named(self.sources, j)]
        more = len(chosen) - MOST_TOLD
        return [*said, f" and less to {more} more." if more > 0 else "."]

    def _draw(self):
        n = max(self.weights.shape)
        letters = LONGEST
        while (step := self._step(letters)) * n > WIDE and letters > 3 and n <= MOST_IN_ROWS:
            letters -= 1
        targets, sources = ([plain(w, letters) for w in x] for x in (self.targets, self.sources))
        folded = n > MOST_IN_ROWS
        table = self._table(targets, sources) if folded else None  # of many words, all weights
        size = self._fan_size(self._folded()) if folded else self._rows_size(step)
        wide, high = table.size if folded else (0, 0)
        beside = folded and size[0] + wide <= 960
        width = max(size[0] + (wide + 24) * beside, wide + 16, 420)
        lines = wrapped(quoted(self._told()), width - 36)
        top = story_height(lines) + 14
        low = max(size[1], high) if beside else size[1] + (high + 12) * folded
        paper = Paper(max(width, room(self._counted()) + 16) + 8, top + low + 24)
        paper.story(lines)
        draw = self._draw_fan if folded else self._draw_rows
        draw(paper, [targets[self.target], *sources] if folded else (targets, sources), top, step)
        if folded:
            table.draw(paper, *((size[0] + 16, top) if beside else (8, top + size[1] + 12)))
        paper.write(8, top + low + 10, self._counted(), SOFT)
        return paper

    def _step(self, letters):
        words = [plain(word, letters) for word in (*self.targets, *self.sources)]
        return max(46.0, room(words, bold=True) + 14)

    def _counted(self):
        links = f"{len(self.links)} of {self.weights.size} links drawn"
        return f"{links}, from {self.threshold:.2f} on{self._hidden_words()}"

    def _hidden_words(self):
        hidden = [plain(self.sources[j], LONGEST) for j in np.flatnonzero(~self.mask)]
        if not hidden:
            return ""
        rest = f" and {len(hidden) - MOST_TOLD} more" if len(hidden) > MOST_TOLD else ""
        return f"; hidden: {', '.join(hidden[:MOST_TOLD])}{rest}"

    def _table(self, targets, sources):
        """Return all weights as colours, the chosen row in full ones."""
        pale = np.where(np.arange(len(targets)) == self.target, 1, PALE)[:, None]
        hidden = (self.reads < self.threshold) | ~self.mask
        row = 26 if len(targets) <= 20 else 16
        most = self.reads.max() or 1
        return Table(np.where(hidden, 0, self.reads) * pale, targets, sources, marked=self.target,
                     scale=most, cell=14.0, row=row, printed=False,
                     title=f"darkest: {number(most)}, blank: not drawn")  # fmt: skip

    # Two rows of words, ribbons between them

    def _rows_size(self, step):
        return max(90 + step * max(self.weights.shape), 300), 26 + DEPTH + 44

    def _draw_rows(self, paper, words, top, step):
        targets, sources = words
        top += 22
        across = 70 + step * (np.arange(max(self.weights.shape)) + 0.5)
        broad = 0.4 * step * self.reads[tuple(self.links.T)]
        looked = self.links[:, 0] == self.target
        start, end = across[self.links].T
        start = start + _beside(self.links[:, 0], broad)
        order = np.concatenate([np.flatnonzero(~looked & (broad >= THINNEST)),
                                np.flatnonzero(looked)])  # fmt: skip
        ends = (top, start[order]), (top + DEPTH, end[order])
        turned = bands(*ends, np.maximum(broad[order], 0.8))
        for k, band in zip(order, turned[..., ::-1], strict=True):  # they run down
            paper.area(band, COLORS["query"], alpha=1.0 if looked[k] else FAINT)
        for i, word in enumerate(targets):
            paper.write(across[i], top - 6, word, at="mb", bold=i == self.target)
        for j, word in enumerate(sources):
            told = self._amount(j)
            color = INK if self.mask[j] else SOFT
            paper.write(across[j], top + DEPTH + 6, word, color, at="mt", bold=bool(told))
            paper.write(across[j], top + DEPTH + 24, told, SOFT, size=12, at="mt")
            if not self.mask[j]:
                half, middle = room(word) / 2, top + DEPTH + 13
                paper.line([(across[j] - half, middle), (across[j] + half, middle)], SOFT)
        paper.write(8, top - 14, "target", COLORS["query"], size=12)
        paper.write(8, top + DEPTH + 14, "source", COLORS["key"], size=12)

    def _amount(self, j):
        """Return what the chosen word gives to a source, where it is a link."""
        weight = self.reads[self.target, j]
        return number(weight) if self.mask[j] and weight >= self.threshold else ""

    # Of many words the chosen one, and the sources that it gives most to

    def _folded(self):
        """Return the places of the largest weights of the chosen word, and of what is hidden."""
        row = np.where(self.mask, self.reads[self.target], -1)
        largest = np.argsort(-row, kind="stable")[:MOST_TOLD]
        return np.union1d(largest[self.mask[largest]], np.flatnonzero(~self.mask)[:MOST_TOLD])

    def _fan_size(self, places):
        words = [plain(self.sources[j], LONGEST) for j in places]
        asks = room(plain(self.targets[self.target], LONGEST), bold=True)
        return 40 + asks + 120 + room(words, bold=True) + 60, 34 * len(places) + 40

    def _draw_fan(self, paper, words, top, step):
        target, *sources = words
        places = self._folded()
        left = 24 + room(target, bold=True)
        y = top + 20 + 34 * (np.arange(len(places)) + 0.5)
        middle = top + 20 + 17 * len(places)
        shown = np.array([bool(self._amount(j)) for j in places], dtype=bool)
        broad = 24 * self.reads[self.target, places[shown]]
        start = middle + _beside(np.zeros(len(broad)), broad)
        for band in bands((left, start), (left + 120, y[shown]), np.maximum(broad, 0.8)):
            paper.area(band, COLORS["query"])
        paper.write(8, top + 8, "target", COLORS["query"], size=12)
        paper.write(left + 126, top + 8, "source", COLORS["key"], size=12)
        paper.write(left - 8, middle, target, at="rm", bold=True)
        for j, at in zip(places, y, strict=True):
            told = self._amount(j) or ("" if self.mask[j] else "hidden")
            color = INK if self.mask[j] else SOFT
            paper.write(left + 126, at, sources[j], color, bold=bool(self._amount(j)))
            right = left + 134 + room([sources[k] for k in places], bold=True)
            paper.write(right, at, told, SOFT, size=12)
        rest = len(self.sources) - len(places)
        paper.write(left + 126, top + 34 * len(places) + 30, f"and {rest} more", SOFT, size=12)

    def _alt(self):
        chosen = self._chosen()
        of = self.reads[self.target].sum()
        looks = ", ".join(
            f"{quoted(named(self.sources, j))} {self.reads[self.target, j]:.2f}" for j in chosen
        )
        n_hidden = (~self.mask).sum()
        table = ", and a table of the weights" if max(self.weights.shape) > MOST_IN_ROWS else ""
        by_hand = f" Hidden: {n_hidden} of {len(self.sources)} source words."
        return (
            f"Ribbons from {len(self.targets)} target words to {len(self.sources)} source words"
            f"{table}: {len(self.links)} of {self.weights.size} weights "
            f"reach the threshold of {self.threshold:.2f}."
            f"{by_hand if n_hidden else ''} {quoted(named(self.targets, self.target))} "
            f"{f'looks at {looks}' if looks else 'has no link left'}: "
            f"{self.kept[self.target]:.2f} of its weight of {of:.2f} is shown."
        )


def _shared_out(weights, mask):
    """Return weights of which what is hidden went to the others, row by row."""
    seen = weights * mask
    totals, left = weights.sum(axis=1, keepdims=True), seen.sum(axis=1, keepdims=True)
    return seen * np.divide(totals, left, out=np.zeros_like(left), where=left > 0)


def _beside(starts, widths):
    """Return how far each band moves from its start's middle, so that all stand side by side."""
    moved = np.zeros(len(widths))
    for start in np.unique(starts):
        here = np.flatnonzero(starts == start)
        moved[here] = np.cumsum(widths[here]) - widths[here] / 2 - widths[here].sum() / 2
    return moved
