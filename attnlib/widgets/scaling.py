"""How far scores spread, and what brings them back."""

import numpy as np

from attnlib import attention_scores, entropy, softmax
from attnlib.pictures.colours import COLORS
from attnlib.pictures.paper import Axes, Paper, bars, number, spaced, story_height, wrapped
from attnlib.pictures.shades import FAINT, SOFT
from attnlib.pictures.shared import shared
from attnlib.widgets._base import Widget
from attnlib.widgets._traits import Derived, DerivedNumber, Integer, OneOf

N_QUERIES, N_KEYS, D_MOST = shared("scaling", "N_QUERIES", "N_KEYS", "D_MOST")
# LIMIT is that of the histogram's axis; the widest spread, sqrt(512), lies well within it.
LIMIT, DIVIDED = shared("scaling", "LIMIT", "DIVIDED")
WIDE, LEFT, ACROSS = 864, 276, 310  # of a still; where its histogram begins, and how wide that is
DIVISORS = {
    "none": lambda d: 1.0,
    "sqrt d": np.sqrt,
    "d": float,
    "sqrt n": lambda d: np.sqrt(N_KEYS),
}


class Scaling(Widget):
    """The scores of random queries and keys, and what a division makes of them.

    A hundred queries meet eight keys each. All their entries are drawn independently, with mean 0
    and variance 1, by a generator of a few lines that the browser has too: what is sent is the
    seed. Every vector has 512 features, of which the first d count.

    Parameters
    ----------
    d : int
        How many features queries and keys have, from 1 to 512.
    divisor : {"none", "sqrt d", "d", "sqrt n"}
        What the scores are divided by; n is the number of keys, 8.
    seed : int
        Which draw, from 0 to 2**32 - 1.

    Attributes
    ----------
    scores : ndarray (100, 8)
    spread : float
        Their standard deviation.
    expected : float
        What the spread is for infinitely many scores, sqrt(d) over the divisor.
    weights : ndarray (8,)
        The softmax of the first query's scores.
    entropy : float
        Theirs, in nats.
    mean_entropy : float
        Of the weights of all hundred queries, on average.

    Examples
    --------
    >>> widget = Scaling(d=256)
    >>> widget.expected, round(widget.spread)
    (16.0, 16)
    >>> widget.divisor = "sqrt d"
    >>> widget.expected, round(widget.spread)
    (1.0, 1)
    """

    d = Integer(64, least=1, most=D_MOST)
    divisor = OneOf(*DIVISORS)
    seed = Integer(0, least=0, most=2**32 - 1)
    scores, weights = Derived(), Derived(shares=True)
    spread, expected = DerivedNumber(), DerivedNumber()
    entropy, mean_entropy = (DerivedNumber(least=0, most=np.log(N_KEYS)) for _ in range(2))
    _drawn = (None, None)  # a seed, and its numbers: a moving d asks for them again and again

    _movable = ("d", "divisor", "seed")

    def __init__(self, d=64, *, divisor="none", seed=0, goal=None, moments=()):
        super().__init__(d=d, divisor=divisor, seed=seed, goal=goal, moments=moments)

    def _numbers(self):
        if self._drawn[0] != self.seed:
            x = normals(N_QUERIES * (1 + N_KEYS) * D_MOST, self.seed)
            self._drawn = self.seed, x.reshape(N_QUERIES, 1 + N_KEYS, D_MOST)
        return self._drawn[1]

    def _derive(self):
        x = self._numbers()[..., : self.d]
        query, key = x[:, :1], x[:, 1:]  # each query with keys of its own: (100, 1, d), (100, 8, d)
        divisor = DIVISORS[self.divisor](self.d)
        scores = attention_scores(query, key, scale=1 / divisor)[:, 0]  # (100, 8)
        weights = softmax(scores)
        return {
            "scores": scores,
            "spread": float(scores.std()),
            "expected": float(np.sqrt(self.d) / divisor),
            "weights": weights[0],
            "entropy": float(entropy(weights[0])),
            "mean_entropy": float(entropy(weights).mean()),
        }

    def _measured(self):
        return super()._measured() | {"d": self.d}

    def _outside(self):
        return int((np.abs(self.scores) > LIMIT).sum())

    def _draw(self):
        told = wrapped(self._headline(), WIDE - 36)
        paper = Paper(WIDE, story_height(told) + 274)
        paper.story(told)
        top = story_height(told) + 10
        self._draw_vectors(paper, top)
        self._draw_scores(paper, top)
        names = [f"key {j}" for j in range(N_KEYS)]
        title = "→ which become shares of 1"
        bars(paper, LEFT + ACROSS + 34, top - 10, 246, self.weights, names, title=title, most=1)
        return paper

    def _draw_vectors(self, paper, top):
        """Draw the first query and its first key as colours, as long as they are wide."""
        paper.write(8, top, f"{self._vectors()} …", bold=True)
        for nth, name in enumerate(("query", "key")):
            y = top + 22 + 36 * nth
            numbers = self._numbers()[0, nth, : self.d]
            paper.write(8, y + 13, name, COLORS[name], bold=True)
            paper.box(58, y, 142, 26, edge=FAINT)
            paper.picture(58, y, 142 * self.d / D_MOST, 26, numbers[None] / 2, two_sided=True)
        paper.write(8, top + 108, "a score is query · key", SOFT, size=12)

    def _draw_scores(self, paper, top):
        """Draw how many scores are how large, and how far one spread reaches from 0."""
        counts, edges = np.histogram(self.scores, np.linspace(-LIMIT, LIMIT, 2 * LIMIT + 1))
        most = 1.15 * max(counts.max(), 1)
        frame = Axes(paper, LEFT, top + 56, ACROSS, 160, (-LIMIT, LIMIT), (0, most))
        paper.write(LEFT - 40, top, "→ have scores this large …", bold=True)
        for count, low, high in zip(counts, edges[:-1], edges[1:], strict=True):
            (left, above), (right, bottom) = frame.at(low, count), frame.at(high, 0)
            if count:
                paper.box(left, above, right - left, bottom - above, fill=COLORS["scores"])
        labels = (f"score, {self._divided()}", "how many of 800")
        frame.ticks(spaced(-LIMIT, LIMIT), spaced(0, most, 5), labels=labels)
        (left, y), (right, _) = frame.at(np.array([-1, 1]) * min(self.spread, LIMIT), most)
        paper.line([(left, y), (right, y)], width=2)
        for x in (left, right):
            paper.line([(x, y - 5), (x, y + 5)], width=2)
        spread = f"spread ± {number(self.spread)}"
        paper.write(frame.at(0, most)[0], y - 15, spread, bold=True, at="mm")
        if self._outside():
            beyond = f"{self._outside()} lie beyond ±{LIMIT}"
            paper.write(LEFT + ACROSS, top + 20, beyond, SOFT, size=11, at="rm")

    def _vectors(self):
        return f"Vectors of d = {self.d} number{'s' * (self.d > 1)}"

    def _headline(self):
        """Say what is seen, as the live view does."""
        spread, largest = number(self.spread), number(self.weights.max())
        told = f"scores spread ± {spread} ({DIVIDED[self.divisor]})"
        best = f"the best of {N_KEYS} keys gets a share of {largest}."
        return f"{self._vectors()}: {told}, so {best}"

    def _divided(self):
        keys = f", n = {N_KEYS} keys" if self.divisor == "sqrt n" else ""
        return f"{DIVIDED[self.divisor]}{keys}"

    def _alt(self):
        listed = ", ".join(f"{weight:.2f}" for weight in self.weights)
        return (
            f"Histogram of 800 scores of random queries and keys with d = {self.d}, "
            f"{self._divided()}: their spread is {self.spread:.2f}, and {self._outside()} lie "
            f"beyond ±{LIMIT}. Before it, the first query and its first key as colours; after it, "
            f"the weights of this query for its eight keys: {listed}."
        )


def normals(n, seed):
    """Return n numbers of a standard normal distribution (Box and Muller), as the browser does."""
    turns = uniform(np.arange(n + n % 2), seed)  # in pairs
    radius = np.sqrt(-2 * np.log(turns[::2]))
    angle = 2 * np.pi * turns[1::2]
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=-1).ravel()[:n]


def uniform(places, seed):
    """Return those of a seed's numbers that have these places; each is above 0 and below 1."""
    return (_mixed(places, seed) + 0.5) / 2**32


def _mixed(counter, seed):
    """Mix each counter and the seed to 32 bits; the products wrap around, and are meant to."""
    x = counter.astype(np.uint32) + np.array([seed * 0x9E3779B9 % 2**32], dtype=np.uint32)
    x = (x ^ (x >> 16)) * np.uint32(0x7FEB352D)
    x = (x ^ (x >> 15)) * np.uint32(0x846CA68B)
    return x ^ (x >> 16)
