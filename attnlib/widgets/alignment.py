"""One sentence reads another: each word of the one scores all words of the other, on its own."""

import numpy as np

from attnlib import softmax
from attnlib._inputs import require_equal
from attnlib.pictures.colours import COLORS
from attnlib.pictures.paper import Paper, Table, number, room, story_height, wrapped
from attnlib.pictures.shades import LINE
from attnlib.pictures.shared import shared
from attnlib.widgets._base import Widget, headings, named, parted, quoted
from attnlib.widgets._traits import Derived, Index, Numbers, Words, require_index

# A sentence tells so many weights at most, and none that is smaller than that. Of more than MANY
# words numbers have no room. A bar reaches as far as a score of REACH, or the largest.
MOST_TOLD, LEAST_TOLD, MANY, REACH = shared("alignment", "MOST_TOLD", "LEAST_TOLD", "MANY", "REACH")
READS, NO_WORD = shared("alignment", "READS", "NO_WORD")
LONGEST = 12  # letters of a word in the still picture
HALF = 50  # pixels from the line of 0 to where a bar ends at most
SHAPE = "n_targets, n_sources"


class Alignment(Widget):
    """A translation reads its source, one word after the other.

    It shows the scores of one target word as bars, one for each source word, and below them the
    weights that softmax makes of them, a row of a table that has a row for each word which has
    read. A score that is dragged changes its own row, and no other.

    Parameters
    ----------
    scores : array_like, (n_targets, n_sources)
        Of cross-attention, from -100 to 100, or -inf for a key that is hidden. Who has weights
        alone hands over their logarithms.
    targets, sources : sequence of str
        The words that ask (queries) and the words that answer (keys), 40 at most on each side.
    target : int
        The place of the target word that reads; a still's table has the rows up to it.

    Attributes
    ----------
    weights : ndarray, (n_targets, n_sources)
        Each row the softmax of that row of scores; all 0 where every key is hidden.

    Examples
    --------
    >>> widget = Alignment([[2.0, 2.0, -1.0], [0.0, 1.0, 3.0]], ["vi", "algo"], ["I", "saw", "it"])
    >>> widget.weights.round(2)
    array([[0.49, 0.49, 0.02],
           [0.04, 0.11, 0.84]])
    """

    scores = Numbers(SHAPE, least=-100, most=100, hidden=True)
    targets = Words()
    sources = Words()
    target = Index(0, of="targets")
    weights = Derived(shares=True)

    _movable = ("scores",)

    def __init__(self, scores, targets, sources, *, target=0, goal=None, moments=()):
        inputs = {"scores": scores, "targets": targets, "sources": sources, "target": target}
        super().__init__(**inputs, goal=goal, moments=moments)

    def _agree(self):
        names = {"row": "targets", "column": "sources"}
        for (axis, name), n in zip(names.items(), self.scores.shape, strict=True):
            words = len(getattr(self, name))
            rule = f"each {axis} of scores needs one word of {name}"
            require_equal(rule, n, words, scores=self.scores, **{name: f"{words} words"})
        require_index(self, "target")

    def _derive(self):
        return {"weights": softmax(self.scores)}

    def _told(self):
        """Say what the word reads, as the live view does: parts of a sentence."""
        weights = self.weights[self.target]
        largest = np.argsort(-weights, kind="stable")[:MOST_TOLD]
        told = [j for j in largest if weights[j] >= LEAST_TOLD]
        who = named(self.targets, self.target)
        if not told:
            return parted(NO_WORD, who=who, least=[number(LEAST_TOLD)])
        listed = [
            x for j in told for x in (", ", *named(self.sources, j), f": {number(weights[j])}")
        ]
        return parted(READS, who=who, words=listed[1:])

    def _draw(self):
        many = max(self.weights.shape) > MANY
        targets, sources = (headings(words, LONGEST) for words in (self.targets, self.sources))
        cell = {"cell": 14.0, "row": 16} if many else {"cell": max(46.0, room(sources) + 8)}
        so_far = self.weights[: self.target + 1]
        told = {"title": "weights, the softmax of each row", "marked": self.target, "scale": 1}
        table = Table(so_far, targets, sources, **told, **cell)
        wide, high = table.size
        width = max(wide + 16, 420)
        lines = wrapped(quoted(self._told()), width - 36)
        top = story_height(lines) + 2 * HALF + 44
        paper = Paper(width, top + high + 8)
        paper.story(lines)
        paper.write(8, top - 2 * HALF - 36, f"scores of {targets[self.target]}", bold=True)
        self._draw_bars(paper, table, top - HALF - 4)
        table.draw(paper, 8, top)
        return paper

    def _draw_bars(self, paper, table, zero):
        """Draw the word's scores, each above its column of the table."""
        scores = self.scores[self.target]
        paper.line([(8 + table.left, zero), (8 + table.size[0], zero)], LINE)
        unit = HALF / np.abs(scores[np.isfinite(scores)]).max(initial=REACH)
        for j, score in enumerate(scores):
            middle = 8 + table.left + table.cell * (j + 0.5)
            length = 0 if np.isneginf(score) else score * unit
            paper.box(middle - 5, zero - max(length, 0), 10, abs(length), fill=COLORS["scores"])
            if table.cell >= 46:
                told = _scored(score, 1)
                paper.write(middle, zero - max(length, 0) - 9, told, size=12, at="mm")

    def _alt(self):
        scores, weights = self.scores[self.target], self.weights[self.target]
        largest = np.argsort(-weights, kind="stable")[:MOST_TOLD]
        listed = ", ".join(
            f"{quoted(named(self.sources, j))} {_scored(scores[j], 2)} becomes {weights[j]:.2f}"
            for j in largest
        )
        return (
            f"The scores of {quoted(named(self.targets, self.target))} as bars, one for each of "
            f"{len(self.sources)} source words, and below them a table of the weights that softmax "
            f"makes of each row, up to row {self.target + 1} of {len(self.targets)}: {listed}."
        )


def _scored(score, digits):
    """Say a score, or that its key is hidden."""
    return "hidden" if np.isneginf(score) else number(score, digits)
