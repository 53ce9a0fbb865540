"""Scores to drag, and the weights that a softmax makes of them."""

import numpy as np

from attnlib import entropy, softmax
from attnlib._colors import COLORS
from attnlib._inputs import as_array, require_equal
from attnlib._paper import Paper, bars, bars_height, number, room
from attnlib.widgets._base import plain
from attnlib.widgets._plugin import Plugged, called
from attnlib.widgets._traits import Derived, DerivedNumber, Flag, Number, Numbers, Words


class Softmax(Plugged):
    """Scores as bars, and the weights that softmax makes of them.

    Parameters
    ----------
    scores : array_like, (n,)
        From -100 to 100, or -inf for a key that is hidden: its weight is 0.
    names : sequence of str, (n,), optional
        What each score belongs to; "key 0", "key 1", … where it is left out.
    temperature : float
        From 0.01 to 100: the scores are divided by it.
    shift : float
        From -1000 to 1000: added to every score, which changes no weight.
    naive : bool
        Whether the formula is computed as it is written, without taking the maximum off first. It
        gives nan where an exponential overflows or all vanish, and 0 where only the sum overflows.
    softmax : callable, optional
        The reader's own ``softmax(scores) -> weights``, handed ``(scores + shift) / temperature``.
    goal : Goal, optional
        What the widget asks of the hand.
    moments : sequence of (str, dict), optional
        At most five titles, each with the inputs that show what it says.

    Attributes
    ----------
    weights : ndarray (n,)
        All 0 where every key is hidden.
    entropy : float
        In nats; nan where a weight is.
    done : bool
        Whether the goal has been reached.
    moves : int
        What the hand has moved until then, a whole drag as one.

    Examples
    --------
    >>> Softmax([2.0, 1.0, 0.0]).weights.round(2)
    array([0.67, 0.24, 0.09])
    """

    scores = Numbers("n", least=-100, most=100, hidden=True)
    names = Words()
    temperature = Number(1.0, least=0.01, most=100)
    shift = Number(0.0, least=-1000, most=1000)
    naive = Flag(False)
    weights, entropy = Derived(), DerivedNumber()

    _movable = ("scores", "temperature", "shift")

    def __init__(
        self,
        scores,
        names=None,
        *,
        temperature=1.0,
        shift=0.0,
        naive=False,
        softmax=None,
        goal=None,
        moments=(),
    ):
        if names is None:
            names = [f"key {i}" for i in range(as_array("scores", scores).size)]
        inputs = {"temperature": temperature, "shift": shift, "naive": naive}
        inputs |= {"goal": goal, "moments": moments}
        super().__init__(softmax, scores=scores, names=names, **inputs)

    def _agree(self):
        rule = "each score needs one name"
        n_scores, n_names = len(self.scores), len(self.names)
        require_equal(rule, n_scores, n_names, scores=self.scores, names=f"{n_names} words")

    def _derive(self):
        scores = self.scores + self.shift
        if self.naive:
            with np.errstate(over="ignore", invalid="ignore", under="ignore"):
                exponentials = np.exp(scores / self.temperature)
                weights = exponentials / exponentials.sum()
        else:
            weights = softmax(scores, temperature=self.temperature)
        return {"weights": weights, "entropy": float(entropy(weights))}

    def _ask(self, function):
        scores = (self.scores + self.shift) / self.temperature
        weights = called(function, scores.shape, scores)
        return {"weights": weights}, "The weights are those of your own function."

    def _draw(self):
        names = list(map(plain, self.names))
        hidden = np.isneginf(self.scores)
        shown = [f"{name}, hidden" if h else name for name, h in zip(names, hidden, strict=True)]
        added = f" {number(self.shift, 1)}" if self.shift < 0 else f" + {self.shift:g}"
        scores = f"scores{added if self.shift else ''}, temperature {self.temperature:g}"
        weights = f"weights, entropy {number(self.entropy)}"
        width = max(190 + room(shown), room([scores, weights], bold=True))
        title = self._headline()
        paper = Paper(
            max(2 * width + 40, room(title, bold=True) + 16), bars_height(len(names)) + 36
        )
        paper.write(8, 14, title, bold=True)
        bars(paper, 8, 30, width, self.scores, shown, color=COLORS["scores"], title=scores)
        bars(paper, width + 32, 30, width, self.weights, shown, title=weights, most=1)
        return paper

    def _headline(self):
        """Say what is seen, as the live view does."""
        weights, n = self.weights, len(self.weights)
        if np.isnan(weights).any():
            return "The weights are not numbers"
        if np.isneginf(self.scores).all():
            return "Every key is hidden: all weights are 0"
        most = weights.max()
        if most <= 0:
            return "All weights are 0"
        tied = int((most - weights < 1e-9).sum())
        if tied == n > 1:
            return f"Equal scores: {n} equal weights of {number(most)}"
        gets = f" and {tied - 1} more get" if tied > 1 else " gets"
        return f"{plain(self.names[weights.argmax()])}{gets} the largest weight, {number(most)}"

    def _alt(self):
        pairs = zip(self.names, self.scores, self.weights, strict=True)
        listed = ", ".join(
            f"{name} {'−inf, hidden,' if np.isneginf(score) else f'{score:.2f}'} becomes {w:.2f}"
            for name, score, w in pairs
        )
        shift = f", {self.shift:g} added to each" if self.shift else ""
        formula = "the naive formula" if self.naive else "softmax"
        return (
            f"Scores as bars, and the weights that {formula} makes of them at temperature "
            f"{self.temperature:g}{shift}: {listed}. Their entropy is {self.entropy:.2f} nats."
        )
