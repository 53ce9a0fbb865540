"""The temperature at which the weights of a row of scores have the entropy that is wanted.

A search for a width that gives a wanted entropy is a part of t-SNE: van der Maaten & Hinton,
"Visualizing data using t-SNE" (2008), section 2.
"""

import numpy as np

import attnlib
from attnlib.checks import promises
from attnlib.checks.exercise import Case, Exercise, Fact, Promise, close, mistake, wrongly_set

SPREADS = Promise(
    "scores that lie close together or far apart are right",
    "Scores ten times as far apart need ten times the temperature. If yours stops somewhere, as at "
    "0.01 or at 100, begin with a wider interval, and halve its logarithm or halve it more often.",
)
ENDS = Promise(
    "a wanted entropy near either end is right",
    "Near the lowest entropy the temperature is low, near log(n) it is many times as large as the "
    "scores are far apart. Is your interval wide enough, and do you halve it often enough?",
)
TIES = Promise(
    "scores that tie for the first place are right",
    "Two scores that tie share everything at a low temperature, so that the entropy never falls "
    "below log(2). Between that and log(n) there is an answer, whatever ties.",
)
SHIFTED = Promise(
    "the same number added to all scores changes nothing",
    "Only differences between scores count. Where does their size come in, other than by softmax?",
)
LENGTHS = Promise(
    "rows of any length are right",
    "There may be two scores or a hundred. The highest entropy, log(n), grows with their number.",
)
NEAREST_END = 1e-3  # no wanted entropy is nearer to either end


def answer(scores, wanted):
    """Give what is right, by which answers are judged: Newton's steps, kept within a bracket.

    The entropy is log Z - b <s>, its derivative by log b is -b**2 var(s); b is 1 / temperature.
    """
    shifted = scores - scores.max()
    low, high = -30.0, 30.0  # of log b
    x = -np.log(np.ptp(scores))
    for _ in range(200):
        e = np.exp(np.exp(x) * shifted)
        mean = (e * shifted).sum() / e.sum()
        variance = (e * (shifted - mean) ** 2).sum() / e.sum()
        over = np.log(e.sum()) - np.exp(x) * mean - wanted
        low, high = (x, high) if over > 0 else (low, x)
        slope = -np.exp(2 * x) * variance
        newton = x - over / slope if slope else np.inf
        x, before = newton if low < newton < high else (low + high) / 2, x
        if abs(x - before) < 1e-12:
            break
    return np.exp(-x)


def given(scores, share):
    """Give scores, and an entropy at a share of the way from the lowest to the highest."""
    scores = np.array(scores, dtype=float)
    lowest, highest = ends(scores)
    return scores, float(np.round(lowest + share * (highest - lowest), 4))


def ends(scores):
    """Give the lowest and the highest entropy that may be wanted."""
    tied = np.count_nonzero(scores == scores.max())
    return np.log(tied) + NEAREST_END, np.log(len(scores)) - NEAREST_END


def nearly(scores, *, highest):
    """Give scores, and an entropy as near to one of the ends as is allowed."""
    scores = np.array(scores, dtype=float)
    lowest, most = ends(scores)
    return scores, float((np.floor(most * 1e4) if highest else np.ceil(lowest * 1e4)) / 1e4)


def cases():
    """Two scores, which have a formula, the scores of lesson 03, and a tie."""
    yield Case("two scores", (np.array([0.0, 2.0]), 0.5623))
    yield Case("four scores", (np.array([2.0, 1.0, 0.5, -0.5]), 0.7))
    yield Case("a tie for the first place", (np.array([3.0, 1.0, 3.0, 0.0, -2.0]), 1.2))
    yield Case("scores in the thousands", (np.array([1000.0, 1001.0, 1003.0]), 0.9))


def promised():
    """Give the inputs that hold an answer to each promise."""
    rng = np.random.default_rng(61)
    five = np.array([0.3, -1.2, 0.8, 0.1, -0.4])
    return {
        SPREADS: [
            *(given(five * size, share)
              for size in (1e-2, 0.1, 50.0, 4e5) for share in (0.2, 0.7)),
            given([-1e-3, 0.0], 0.5),
            given([5e5, -5e5, 2e5], 0.5),
            given([1.0, 0.999, 0.0], 0.2),
            given([1.0, 0.999, 0.0], 0.9),
            given([0.0, -0.01, -9.0], 0.3),
            given([1000.001, 1000.0], 0.4),
            given([0.0, 0.001004], 0.4),
        ],
        ENDS: [
            *(nearly(five * size, highest=end) for size in (1e-2, 1e3) for end in (0, 1)),
            nearly([0.0, 1.0], highest=0),
            nearly([0.0, 1.0], highest=1),
            nearly([3.0, 1.0, 3.0], highest=0),
            nearly([0.0, 0.0, 0.0, 1e-3], highest=0),
            nearly([0.0] + [-1e-3] * 500, highest=0),
            nearly([-5e5, -5e5, 5e5], highest=1),
        ],
        TIES: [
            given([2.0, 2.0, 0.0], 0.5),
            given([2.0, 0.0, 0.0], 0.3),
            given([-3.0, -1.0, -1.0, -1.0, -2.0, -1.0], 0.4),
            given([0.5] * 11 + [0.0] * 2, 0.6),
        ],
        SHIFTED: [
            given([1000.0, 1001.0, 1003.0], 0.4),
            given([-2000.0, -2001.0, -2004.0, -2002.0], 0.6),
            given([9000.0, 8998.0, 8993.0], 0.5),
        ],
        LENGTHS: [
            given(rng.normal(size=n).round(1), share)
            for n in (2, 3, 13, 97) for share in (0.1, 0.9)
        ],
        promises.SAME_SHAPES: [
            (five, 0.5), (five, 1.1), (five[::-1] * 2, 1.1), (five * 3, 0.5),
        ],
    }  # fmt: skip


def draw(rng):
    """Give random scores, with ties every other time, and an entropy between its ends."""
    n = int(rng.integers(2, 12))
    scores = rng.normal(size=n).round(2)
    if rng.integers(2):
        scores = rng.integers(-3, 4, size=n).astype(float)
    if np.ptp(scores) < 1e-3:
        scores[rng.integers(n)] -= 1.0
    scores = (scores + rng.normal() * 10) * 10 ** rng.uniform(-0.9, 4)
    return scores, float(rng.uniform(*ends(scores)))


def turned(scores, wanted, *, low=1e-9, high=1e9, steps=60, entropy=attnlib.entropy):
    """Answer by halving, with knobs, each of which can be set wrong."""
    for _ in range(steps):
        middle = np.sqrt(low * high)
        if entropy(attnlib.softmax(scores, temperature=middle)) < wanted:
            low = middle
        else:
            high = middle
    return middle


@mistake("one over the temperature")
def inverse(scores, wanted):
    """You found the number by which to multiply the scores: that is one over the temperature.

    The temperature divides: the entropy grows with it.
    """
    return 1 / answer(scores, wanted)


@mistake("the wrong half")
def wrong_half(scores, wanted):
    """Your search runs away, because it keeps the half in which the answer is not.

    The entropy grows with the temperature. Where it is too small, the answer lies above.
    """
    return turned(scores, -wanted, entropy=lambda weights: -attnlib.entropy(weights))


@mistake("bits")
def bits(scores, wanted):
    """You measured the entropy in bits, by the logarithm to base 2; it is wanted in nats.

    `np.log` is the natural logarithm, and `attnlib.entropy` uses it too.
    """
    if wanted * np.log(2) <= np.log(np.count_nonzero(scores == scores.max())):
        return turned(scores, 0.0)  # runs to the low end, as it does where no temperature will do
    return turned(scores, wanted * np.log(2))


too_far_down = wrongly_set(
    turned,
    "down to the end of the range",
    "Your search runs down to the end of its range, where the largest score gets all the weight.",
    "Compare `attnlib.entropy(weights)` itself with `wanted`, and not e to it. Go down only where "
    "it is too large: the entropy grows with the temperature.",
    entropy=lambda weights: np.exp(attnlib.entropy(weights)),
)

narrow = wrongly_set(
    turned,
    "an interval too narrow",
    "Your temperature never comes below 0.01, or above 100, because there the search begins.",
    "Scores may lie a thousandth or a million apart. Begin with an interval that is sure to hold "
    "the answer, such as one from 1e-9 to 1e9.",
    low=0.01,
    high=100.0,
)

lesson = wrongly_set(
    turned,
    "from 0.001 to 1000",
    "Your temperature never comes below 0.001, or above 1000, because there the search begins.",
    "Scores may lie a thousandth or a million apart. Begin with an interval that is sure to hold "
    "the answer, such as one from 1e-9 to 1e9.",
    low=0.001,
    high=1000.0,
)

few_steps = wrongly_set(
    turned,
    "too few halvings",
    "Your search stops too early: after ten halvings the interval is still wide.",
    "Each halving gains one binary digit. Sixty or a hundred of them cost nothing here.",
    steps=10,
)


@mistake("a grid")
def grid(scores, wanted):
    """You chose the best of some temperatures, and the right one lies between two of them.

    Halve an interval that holds it, again and again, in place of trying temperatures one by one.
    """
    temperatures = np.geomspace(0.01, 100, 401)
    reached = attnlib.entropy(attnlib.softmax(scores / temperatures[:, None]))  # (401,)
    return temperatures[np.argmin(np.abs(reached - wanted))]


@mistake("close enough too soon")
def loose(scores, wanted):
    """You stop as soon as the entropy is right to two digits, and the temperature is not yet.

    Near log(n) the entropy hardly changes while the temperature doubles. Go on until it is the
    interval of temperatures that is small.
    """
    low, high = 1e-9, 1e9
    for _ in range(60):
        middle = np.sqrt(low * high)
        missing = wanted - attnlib.entropy(attnlib.softmax(scores, temperature=middle))
        if abs(missing) < 0.01:
            break
        low, high = (middle, high) if missing > 0 else (low, middle)
    return middle


@mistake("the entropy")
def the_entropy(scores, wanted):
    """You returned an entropy, and the temperature that leads to it is asked for.

    The entropy is what you compare with. What you change on the way is the temperature.
    """
    return wanted


not_a_number = wrongly_set(
    turned,
    "0 times the logarithm of 0",
    "Your entropy is `nan` where a weight is 0, and a comparison with `nan` is always False.",
    "A weight of 0 adds nothing to the entropy: leave it out of the sum, as `attnlib.entropy` "
    "does.",
    entropy=lambda weights: -(weights * np.log(weights)).sum(),
)

too_far_up = wrongly_set(
    turned,
    "up to the end of the range",
    "Your search runs up to the end of its range, where all weights are nearly equal.",
    "Compare `attnlib.entropy(weights)` itself with `wanted`, and not with e to it. Go up only "
    "where it is too small: the entropy grows with the temperature.",
    entropy=lambda weights: np.log(attnlib.entropy(weights)),
)


@mistake("a softmax that overflows")
def overflowing(scores, wanted):
    """Your softmax overflows, and then your entropy is `nan`, which no comparison finds.

    Subtract the largest score first, or call `attnlib.softmax(scores, temperature=...)`.
    """

    def entropy(weights):
        return attnlib.entropy(weights) if np.isfinite(weights).all() else np.nan

    low, high = 1e-9, 1e9
    for _ in range(60):
        middle = np.sqrt(low * high)
        e = np.exp(scores / middle)
        low, high = (middle, high) if entropy(e / e.sum()) < wanted else (low, middle)
    return middle


@mistake("multiplied by the temperature")
def multiplied(scores, wanted):
    """You multiplied the scores by the temperature, so your search runs away.

    The temperature divides: the entropy grows with it.
    """
    low, high = 1e-9, 1e9
    for _ in range(60):
        middle = np.sqrt(low * high)
        is_low = attnlib.entropy(attnlib.softmax(scores * middle)) < wanted
        low, high = (middle, high) if is_low else (low, middle)
    return middle


@mistake("two decimals")
def two_decimals(scores, wanted):
    """You rounded the temperature to two decimals.

    It has to be right to four digits, however small or large it is. Return it as you found it.
    """
    return np.round(answer(scores, wanted), 2)


@mistake("the entropy right to three digits")
def three_digits(scores, wanted):
    """You stop as soon as the entropy is right to a thousandth, and the temperature is not yet.

    Near log(n) the entropy hardly changes while the temperature doubles. Go on until it is the
    interval of temperatures that is small.
    """
    low, high = 1e-9, 1e9
    for _ in range(60):
        middle = np.sqrt(low * high)
        missing = wanted - attnlib.entropy(attnlib.softmax(scores, temperature=middle))
        if abs(missing) < 0.001:
            break
        low, high = (middle, high) if missing > 0 else (low, middle)
    return middle


@mistake("the largest weight")
def largest_weight(scores, wanted):
    """You made the largest weight what the entropy should be.

    Entropy sums over all weights: `attnlib.entropy(weights)` computes it.
    """
    return turned(scores, -wanted, entropy=lambda weights: -weights.max())


@mistake("a share of the largest entropy")
def share(scores, wanted):
    """You took the wanted entropy for a share of the largest one, log(n).

    It is wanted in nats, as `attnlib.entropy` gives it.
    """
    return turned(scores, wanted * np.log(len(scores)))


def reached(f, scores, wanted):
    """At this temperature the entropy is as wanted."""
    weights = attnlib.softmax(scores, temperature=float(f(scores, wanted)))
    return abs(attnlib.entropy(weights) - wanted) < 1e-4


TASK = Exercise(
    answer=answer,
    cases=cases,
    promises=promised,
    draw=draw,
    facts=(
        Fact("the wanted entropy is reached", reached),
        Fact(
            "twice the scores need twice the temperature",
            lambda f, s, wanted: close(f(2 * s, wanted), 2 * f(s, wanted)),
        ),
        Fact(
            "a number added to all scores makes no difference",
            lambda f, s, wanted: close(f(s + 5, wanted), f(s, wanted)),
        ),
    ),
)  # fmt: skip
