"""A nudge on its way to the loss, and the slopes that come back along the same routes."""

import numpy as np

from attnlib import softmax, softmax_backward
from attnlib._inputs import require_equal
from attnlib.pictures.paper import Axes, Paper, number, room, spaced, story_height, wrapped
from attnlib.pictures.shades import FAINT, FIRST, INK, LINE, PAPER, SECOND, SOFT, WARN
from attnlib.pictures.shared import shared
from attnlib.widgets._base import plain
from attnlib.widgets._plugin import Plugged, called
from attnlib.widgets._traits import (
    Derived,
    DerivedNumber,
    Index,
    Number,
    Numbers,
    Words,
    require_index,
)

FARTHEST, HEADS, AXES = shared("backward", "FARTHEST", "HEADS", "AXES")
NUMBERS, SLOPE, STORY, REST, HIDDEN = shared(
    "backward", "NUMBERS", "SLOPE", "STORY", "REST", "HIDDEN"
)
WIDE, APART, BOX, ROW = 864, 160, 90, 60  # of a still; from column to column, and of a number
AGREES = "The scores have the slopes of your own function, and nudges find the same."
DIFFERS = "For {number} your function says {said}, and a short nudge finds {found}."
TOLD = ("nudge", "change", "slope", "promised")
CLOSE = 1e-6  # of two slopes that are the same


class Backward(Plugged):
    """A query's scores, their weights, the votes of the output and its loss, as a small graph.

    The hand nudges one number of it, and what comes after it moves. Each number has its slope: how
    fast the loss grows with it. It is the sum over all routes to the loss; along a route the local
    slopes multiply.

    Parameters
    ----------
    scores : array_like, (n,)
        Of one query, from -100 to 100, or -inf for a key that is hidden.
    value : array_like, (n, d)
        What each key's word votes, from -100 to 100.
    words : sequence of str, (n,)
        At most 8.
    votes : sequence of str, (d,)
        What can be voted for; at most 4.
    right : int
        The place of the right one among them; the loss is the surprise by it, -log p.
    number : int, optional
        The place of the number that is nudged: the scores, the weights and the votes are counted in
        this order, from 0. The right vote where it is left out.
    nudge : float
        From -3 to 3: what is added to that number.
    softmax_backward : callable, optional
        The reader's own ``softmax_backward(grad_weights, weights) -> grad_scores``, handed one row
        of each, (1, n): the slopes of the scores are its.

    Attributes
    ----------
    weights, grad_weights, grad_scores : ndarray (n,)
        Without the nudge, as are the following.
    output, grad_output : ndarray (d,)
    loss : float
    slope : float
        How fast the loss grows with the number that is nudged.
    promised, change : float
        The slope times the nudge, and how far the nudge moves the loss.

    Examples
    --------
    >>> shown = Backward([1.0, 0.0], [[2.0, 0.0], [0.0, 3.0]], ["a", "saw"], ["noun", "verb"])
    >>> shown.grad_output.round(2), shown.grad_scores.round(2)
    (array([-0.34,  0.34]), array([-0.34,  0.34]))
    >>> shown.set(number=0, nudge=0.1)
    >>> round(shown.promised, 4), round(shown.change, 4)
    (-0.0336, -0.0318)
    """

    scores = Numbers("n", least=-100, most=100, hidden=True)
    value = Numbers("n, d", least=-100, most=100)
    words, votes = Words(most=8), Words(most=4)
    right = Index(0, of="votes")
    number = Index(0, of="numbers")
    nudge = Number(0.5, least=-FARTHEST, most=FARTHEST)
    weights, output = Derived(shares=True), Derived()
    grad_output, grad_weights, grad_scores = Derived(), Derived(), Derived()
    loss, slope, promised, change = (DerivedNumber() for _ in range(4))

    _movable = ("number", "nudge")

    def __init__(
        self,
        scores,
        value,
        words,
        votes,
        *,
        right=0,
        number=None,
        nudge=0.5,
        softmax_backward=None,
        goal=None,
        moments=(),
    ):
        inputs = {"scores": scores, "value": value, "words": words, "votes": votes}
        inputs |= {"right": right, "number": 0 if number is None else number, "nudge": nudge}
        super().__init__(softmax_backward, **inputs)
        if number is None:
            self.number = 2 * len(self.words) + self.right
        self._lead(goal, moments)

    @property
    def numbers(self):
        """The names of the numbers that can be nudged."""
        layers = zip(NUMBERS, (self.words, self.words, self.votes), strict=True)
        return tuple(name.format(word=plain(word)) for name, all_ in layers for word in all_)

    def _agree(self):
        words, votes = (f"{len(names)} words" for names in (self.words, self.votes))
        n, (rows, columns) = len(self.words), self.value.shape
        scores, value = {"scores": self.scores}, {"value": self.value}
        require_equal("each score needs one word", len(self.scores), n, **scores, words=words)
        require_equal("each row of value needs one word", rows, n, **value, words=words)
        rule = "each column of value needs one name of votes"
        require_equal(rule, columns, len(self.votes), **value, votes=votes)
        require_index(self, "right")
        require_index(self, "number")

    def _place(self):
        """Return the layer of the number that is nudged, from the scores on, and its row there."""
        layer = min(self.number // len(self.words), 2)
        return layer, self.number - layer * len(self.words)

    def _layers(self, nudge=0.0):
        """Return scores, weights, votes and (1,) the loss, after such a nudge."""
        steps = (softmax, lambda weights: weights @ self.value, self._surprise)
        at, row = self._place()
        layers = [self.scores.copy()]
        for layer, step in enumerate(steps):
            if layer == at:
                layers[layer][row] += nudge
            layers.append(step(layers[layer]))
        return layers

    def _surprise(self, output):
        top = output.max()
        return np.array([top + np.log(np.exp(output - top).sum()) - output[self.right]])

    def _derive(self):
        _, weights, output, (loss,) = self._layers()
        grad_output = softmax(output) - (np.arange(len(output)) == self.right)
        grad_weights = self.value @ grad_output
        grads = softmax_backward(grad_weights, weights), grad_weights, grad_output
        layer, row = self._place()
        slope = float(grads[layer][row])
        return {
            "weights": weights,
            "output": output,
            "grad_output": grad_output,
            "grad_weights": grad_weights,
            "grad_scores": grads[0],
            "loss": float(loss),
            "slope": slope,
            "promised": slope * self.nudge,
            "change": float(self._layers(self.nudge)[3][0] - loss),
        }

    def _measured(self):
        return super()._measured() | {"number": self.number, "nudge": self.nudge}

    def _ask(self, function):
        given = self.grad_weights[None], self.weights[None]
        own = called(function, given[0].shape, *given)[0]
        wrong = np.flatnonzero(~(np.abs(own - self.grad_scores) < CLOSE))
        if not wrong.size:
            return {"grad_scores": own}, AGREES
        said, found = (number(grads[wrong[0]], 3) for grads in (own, self.grad_scores))
        told = DIFFERS.format(number=self.numbers[wrong[0]], said=said, found=found)
        return {"grad_scores": own}, told

    # In words

    def _told(self):
        """Say what the nudge does, as the live view does."""
        layer, row = self._place()
        word = plain((self.votes if layer == 2 else self.words)[row])
        if layer == 0 and np.isneginf(self.scores[row]):
            return HIDDEN.format(word=word)
        if not self.nudge:
            return REST.format(loss=number(self.loss))
        told = {name: number(getattr(self, name)) for name in TOLD}
        told["miss"] = number(abs(self.promised - self.change))
        return STORY[layer].format(word=word, **told)

    def _alt(self):
        listed = "; ".join(
            f"{head}: {', '.join(' '.join(filter(None, one)) for one in layer)}"
            for head, layer in zip(HEADS, self._shown(), strict=True)
        )
        return (
            f"A graph that leads from scores to weights, to votes and to the loss. {self._told()} "
            f"With the nudge, and the slopes from the loss back to it, there are {listed}. Beside "
            "it the loss over the nudge, a curve, and the slope as a straight line that touches it "
            "where nothing is nudged."
        )

    def _shown(self):
        """Return by layer of each number its name, what it is now, and its slope, if known."""
        at, _ = self._place()
        names = (self.words, self.words, self.votes, ("",))
        grads = (self.grad_scores, self.grad_weights, self.grad_output, [np.nan])
        return [
            [
                (plain(name), number(x), SLOPE.format(slope=number(slope)) * (at <= layer < 3))
                for name, x, slope in zip(*of, strict=True)
            ]
            for layer, of in enumerate(zip(names, self._layers(self.nudge), grads, strict=True))
        ]

    # The still picture: the graph, and the loss over the nudge

    def _draw(self):
        told = wrapped(self._told(), WIDE - 36)
        top = story_height(told) + 30
        high = ROW * max(len(self.words), len(self.votes))
        paper = Paper(WIDE, top + max(high, 250) + 10)
        paper.story(told)
        self._draw_graph(paper, top)
        self._draw_curve(paper, top)
        return paper

    def _draw_graph(self, paper, top):
        """Draw the numbers with their slopes, and the routes on; those of the number are lit."""
        shown = self._shown()
        high = max(map(len, shown))
        at, row = self._place()
        middles = [top + ROW * ((high - len(x)) / 2 + np.arange(len(x)) + 0.5) for x in shown]
        for layer, local in enumerate(self._locals()):
            left, right = 8 + APART * layer + BOX, 8 + APART * (layer + 1)
            for i, j in np.ndindex(local.shape):
                ends = [(left, middles[layer][i]), (right, middles[layer + 1][j])]
                paper.line(ends, LINE if layer > at else FAINT)
                if (layer, i) == (at, row) and local[i, j]:
                    sign = (
                        {"color": FIRST} if local[i, j] > 0 else {"color": SECOND, "dash": (6, 4)}
                    )
                    width = 1 + 4 * abs(local[i, j]) / np.abs(local[i]).max()
                    paper.line(ends, width=width, **sign)
            for j, slope in enumerate(local[row] if layer == at else ()):
                told, y = number(slope), middles[layer + 1][j]
                wide = room(told, size=12, bold=True) + 8
                paper.box(right - 4 - wide, y - 9, wide, 18, fill=PAPER)
                paper.write(right - 8, y, told, size=12, at="rm", bold=True)
        for layer, of in enumerate(shown):
            middle = 8 + APART * layer + BOX / 2
            paper.write(middle, top - 10, HEADS[layer], SOFT, at="mm")
            for i, (name, x, slope) in enumerate(of):
                y, chosen = middles[layer][i], (layer, i) == (at, row)
                box = (middle - BOX / 2, y - ROW / 2 + 4, BOX, ROW - 8)
                paper.box(*box, fill=PAPER, edge=INK if chosen else LINE, line=3 if chosen else 1)
                paper.write(middle, y - 16, plain(name, 11), SOFT, size=12, at="mm")
                paper.write(middle, y, x, at="mm", bold=chosen or layer == 3)
                paper.write(middle, y + 16, slope, size=12, at="mm")

    def _draw_curve(self, paper, top):
        """Draw the loss over the nudge, and what the slope promises of it."""
        nudges = np.linspace(-FARTHEST, FARTHEST, 61)
        curve = np.array([self._layers(nudge)[3][0] for nudge in nudges])
        reach = FARTHEST * abs(self.slope)
        low, high = min(0, self.loss - reach), 1.05 * max(*curve, self.loss + reach, 0.01)
        frame = Axes(paper, 640, top, 210, 190, (-FARTHEST, FARTHEST), (low, high))
        frame.ticks(range(-FARTHEST, FARTHEST + 1), spaced(low, high, 4), labels=AXES)
        paper.line(frame.at([-FARTHEST, FARTHEST], 0), LINE)
        promised = self.loss + self.slope * np.array([-FARTHEST, FARTHEST])
        paper.line(frame.at([-FARTHEST, FARTHEST], promised), FIRST, dash=(6, 4), width=2)
        paper.line(frame.at(nudges, curve), width=2)
        ends = self.loss + np.array([self.change, self.promised])
        paper.line(frame.at(self.nudge, ends), WARN, width=3)
        paper.disc(*frame.at(self.nudge, ends[0]), 7, fill=FIRST, edge=INK)

    def _locals(self):
        """Return the local slopes from each layer to the next, (here, there)."""
        moved = np.diag(self.weights) - np.outer(self.weights, self.weights)
        return moved, self.value, self.grad_output[:, None]
