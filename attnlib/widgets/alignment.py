"""Who in one sentence reads whom in another."""

import unicodedata
from collections import Counter

import numpy as np
from matplotlib.patches import Rectangle

from attnlib._inputs import refuse, require_equal
from attnlib.plotting import arcs, heatmap
from attnlib.widgets._base import Widget, plain
from attnlib.widgets._traits import Derived, Index, Number, Numbers, Words, require_index

DECIMALS = 6  # are kept of a weight: 40 × 40 of them then fit into a page
LONGEST = 12  # letters of a word in the still picture


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

    Attributes
    ----------
    links : ndarray of int, (n_links, 2)
        Target and source of each weight that reaches the threshold, row by row.
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
    """

    weights = Weights("n_targets, n_sources", least=0, most=1)
    targets = Words()
    sources = Words()
    target = Index(0, of="targets")
    threshold = Number(0.1, least=0, most=1)
    links, kept = Derived(), Derived()

    def __init__(self, weights, targets, sources, *, target=0, threshold=0.1):
        inputs = {"target": target, "threshold": threshold}
        super().__init__(weights=weights, targets=targets, sources=sources, **inputs)

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

    def _draw(self, figure):
        targets, sources = ([plain(w, LONGEST) for w in x] for x in (self.targets, self.sources))
        chosen, n = set(self._chosen()), max(len(targets), len(sources))
        letter = max(map(_width, (*targets, *sources)))
        cell = max(0.6, 0.1 * letter + 0.15)
        upright = cell * n <= 7
        end = "\n" if upright else "  "
        labels = [
            f"{word}{end}{self.weights[self.target, j]:.2f}" if j in chosen else word
            for j, word in enumerate(sources)
        ]
        size = (1.2 + cell * n, 2.4) if upright else (1.4 + 0.28 * n, 2.4 + 0.2 * letter)
        broad, high = (0.3, 0.25) if n > 20 else (max(0.5, 0.3 + 2 / n), 0.42)  # of a cell, inches
        table = (1.8 + broad * len(sources), 0.8 + high * len(targets))
        if size[0] + table[0] <= 10:
            figure.set_size_inches(size[0] + table[0], max(size[1], table[1]))
            left, right = figure.subplots(1, 2, width_ratios=[size[0], table[0]])
        else:
            figure.set_size_inches(max(size[0], table[0]), size[1] + table[1])
            left, right = figure.subplots(2, 1, height_ratios=[size[1], table[1]])
        self._draw_arcs(left, targets, labels, upright)
        self._draw_table(right, targets, sources)

    def _draw_arcs(self, ax, targets, labels, upright):
        arcs(self.weights, targets, labels, least=self.threshold, ax=ax)
        for ribbon, (i, _) in zip(ax.patches, self.links, strict=True):
            ribbon.set_alpha(0.9 if i == self.target else 0.2)
        ax.texts[self.target].set_fontweight("bold")
        for k, word in enumerate(ax.texts):
            below = k >= len(targets)
            style = {} if upright else {"rotation": 90, "size": 8}
            word.set(va="top" if below else "bottom", y=0.06 if below else 0.94, **style)
        ax.set_yticks([0, 1], ["source\n(key)", "target\n(query)"])
        # Not the title of ax, which rotated words would run into.
        title = f"weights from {self.threshold:.2f}: {len(self.links)} links"
        ax.figure.suptitle(title, x=0.01, ha="left", size=11)

    def _draw_table(self, ax, targets, sources):
        heatmap(self.weights, targets, sources, ax=ax, row_name="target", column_name="source")
        hidden = self.weights < self.threshold
        style = {"facecolor": "w", "edgecolor": "#cccccc", "hatch": "////", "linewidth": 0}
        for i, j in np.argwhere(hidden):
            ax.add_patch(Rectangle((j - 0.48, i - 0.48), 0.96, 0.96, zorder=1.5, **style))
        for number, is_hidden in zip(ax.texts, hidden.flat, strict=False):
            if is_hidden:
                number.set_color("#444444")
        ax.get_yticklabels()[self.target].set_fontweight("bold")

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


def _labelled(words, place):
    """Return a word, with its place where it stands there more than once."""
    word = words[place]
    return f"{word} ({place})" if Counter(words)[word] > 1 else word


def _width(word):
    """How many letters' room a word takes; Chinese, Japanese and Korean letters take two."""
    return sum(1 + (unicodedata.east_asian_width(letter) in "WF") for letter in word)
