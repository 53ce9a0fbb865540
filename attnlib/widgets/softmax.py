"""Scores to drag, and the weights that a softmax makes of them."""

import numpy as np

from attnlib import entropy, softmax
from attnlib._inputs import as_array, refuse, require_equal
from attnlib.pictures.colours import COLORS
from attnlib.pictures.paper import Paper, bars, bars_height, number, room
from attnlib.pictures.shades import tint
from attnlib.pictures.shared import shared
from attnlib.widgets._base import plain
from attnlib.widgets._plugin import Plugged, called
from attnlib.widgets._traits import Derived, DerivedNumber, Flag, Number, Numbers, Words

MOST, LARGEST = shared("softmax", "MOST", "LARGEST")
PALER, _ = tint(COLORS["scores"], 0.6)  # of exponentials, on their way to the weights' ink


class Softmax(Plugged):
    """Scores as bars, and the weights that softmax makes of them.

    Of more than eight keys it shows the five of the largest scores, what its goal asks about and
    what the hand has touched, and the others together, until it is asked for all.

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

    Attributes
    ----------
    weights : ndarray (n,)
        All 0 where every key is hidden.
    entropy : float
        In nats; nan where a weight is.

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
            x = as_array("scores", scores)
            if not x.size:
                refuse("scores must hold at least one score", "0 < 1", scores=x)
            names = [f"key {i}" for i in range(x.size)]
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
        shown = self._shown()
        others = np.setdiff1d(np.arange(len(self.scores)), shown)
        names = [self._shown_name(i) for i in shown]
        added = f" {number(self.shift, 1)}" if self.shift < 0 else f" + {self.shift:g}"
        scores = f"scores{added if self.shift else ''}, temperature {self.temperature:g}"
        weights = f"weights, entropy {number(self.entropy)}"
        exponentials, power = self._exponentials()
        rest = [f"{len(others)} others"] if others.size else []
        named = names + rest
        width = max(160 + room(named), room([scores, power, weights], bold=True))
        title = self._headline()
        paper = Paper(
            max(3 * width + 64, room(title, bold=True) + 16), bars_height(len(named)) + 36
        )
        paper.write(8, 14, title, bold=True)
        bars(paper, 8, 30, width, self.scores[shown], names, color=COLORS["scores"], title=scores)
        with np.errstate(over="ignore"):
            columns = [_with_rest(x, shown, others) for x in (exponentials, self.weights)]
        ends = dict(zip((power, weights), ({"color": PALER}, {"most": 1}), strict=True))
        for k, (told, options) in enumerate(ends.items()):
            left = 8 + (k + 1) * (width + 24)
            bars(paper, left, 30, width, columns[k], named, title=told, **options)
        return paper

    def _shown(self):
        """Return the keys that are shown: all, or of many those of the largest scores."""
        n = len(self.scores)
        if n <= MOST:
            return np.arange(n)
        return np.sort(np.argsort(-self.scores, kind="stable")[:LARGEST])

    def _shown_name(self, i):
        hidden = np.isneginf(self.scores[i])
        return f"{plain(self.names[i])}, hidden" if hidden else plain(self.names[i])

    def _exponentials(self):
        """Return what the weights are shares of, and its name, as the live view chooses them."""
        scores = self.scores + self.shift
        by = "" if self.temperature == 1 else f" / {self.temperature:g}"
        with np.errstate(over="ignore", under="ignore"):
            written, top = np.exp(scores / self.temperature), scores.max()
            if self.naive or np.isneginf(top) or 0.01 < written.max() < 1e5:
                return written, f"exp(score{by})"
            lowered = "(score − largest)" if by else "score − largest"
            return np.exp((scores - top) / self.temperature), f"exp({lowered}{by})"

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
        shown = self._shown()
        listed = ", ".join(
            f"{name} {'−inf, hidden,' if np.isneginf(score) else f'{score:.2f}'} becomes {w:.2f}"
            for name, score, w in ((self.names[i], self.scores[i], self.weights[i]) for i in shown)
        )
        others = np.setdiff1d(np.arange(len(self.scores)), shown)
        if others.size:
            listed += f", and {others.size} others together get {self.weights[others].sum():.2f}"
        shift = f", {self.shift:g} added to each" if self.shift else ""
        formula = "the naive formula" if self.naive else "softmax"
        return (
            f"Scores as bars from 0, their exponentials, and the weights that {formula} makes of "
            f"them at temperature {self.temperature:g}{shift}: {listed}. Their entropy is "
            f"{self.entropy:.2f} nats."
        )


def _with_rest(x, shown, others):
    """Return the numbers that are shown and, where there are others, their sum."""
    return np.append(x[shown], x[others].sum()) if others.size else x[shown]
