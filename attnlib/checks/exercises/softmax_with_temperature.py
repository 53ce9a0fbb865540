"""Softmax, sharper or flatter."""

import numpy as np

import attnlib
from attnlib.checks import promises
from attnlib.checks.exercise import Case, End, Exercise, Fact, Remark, close, mistake, wrongly_set
from attnlib.checks.exercises import softmax
from attnlib.checks.shapes import Shapes

TEMPERATURE = End(
    "from 0.01 to 100", 0.01, 100, Remark("temperatures of 0.001 or 1,000"), ("temperature",)
)

SHAPES = Shapes("(..., n), () -> (..., n)")


def softmax_with_temperature(scores, temperature):
    """Dividing the scores brings them closer together (a high temperature) or drives them apart.

    That is the scale of lesson 02 again: temperature sqrt(d_key) is scaling by 1/sqrt(d_key). The
    shift comes before the division, so that dividing by a small temperature cannot overflow.
    """
    shifted = scores - scores.max(axis=-1, keepdims=True)  # first: it keeps the division finite
    e = np.exp(shifted / temperature)
    return e / e.sum(axis=-1, keepdims=True)


def answer(scores, temperature):
    """Give what is right, by which answers are judged."""
    return attnlib.softmax(scores, temperature=temperature)


def cases():
    """Two rows by hand at temperature 2; colder; hotter; rows at 2000, 1200, -1500 and -3000."""
    rng = np.random.default_rng(7)
    yield Case("the small example is right", (np.array([[0.0, 2.0, 4.0], [2.0, 2.0, 6.0]]), 2))
    yield Case("a low temperature is right", (rng.normal(size=(5, 7)), 0.5))
    yield Case("a high temperature is right", (rng.normal(size=(11, 3)), 3.0))
    large = np.array([2000.0, 1200.0, -1500.0, -3000.0])[:, None] + np.array([0, 1, -1])
    yield Case("large scores are right", (large, 1.5))


def promised():
    """Give the inputs that hold an answer to each promise."""
    rng = np.random.default_rng(107)
    at_2, at_half = (SHAPES.given(rng, lambda s, _, t=t: (s, t)) for t in (2.0, 0.5))
    shapes = promises.of_shapes(SHAPES, at_2)
    level = np.array([[9990.0, 9190, 9500, 0], [-9990.0, -9190, -9500, -9300]])
    return shapes | {
        promises.SAME_SHAPES: [
            *shapes[promises.SAME_SHAPES],
            *promises.again(lambda: at_half((7,))),
        ],
        promises.TEMPERATURES: [
            (np.round(8 * rng.normal(size=(3, 5))) / 8 * spread, temperature)
            for temperature in (0.01, 0.0125, 1, 20, 100)
            for spread in (1.0, 2.0 ** np.round(np.log2(temperature)))
        ],
        promises.LARGE: [
            *((scores, 2) for scores in promises.steep_scores()),
            *((scores, 0.01) for scores in promises.steep_scores()),
            (level, 100),
        ],
        promises.SCORES.beyond: [
            (scores, 2) for scores in promises.steep_scores([promises.BEYOND])
        ],
        TEMPERATURE.beyond: [(rng.normal(size=(3, 5)) * t, t) for t in (1e-3, 1e3)],
        promises.TIES: [(np.zeros((2, 5)), 0.5), (np.array([[1.0, 3, 3], [2, 2, 2]]), 5)],
    }


def divided(scores, temperature):
    """Give what the softmax without a temperature takes."""
    return (scores / temperature,)


def turned(scores, temperature, *, temper=np.divide, axis=-1, shift=np.max, total=np.sum):
    """Answer with knobs, each of which can be set wrong."""
    return softmax.turned(temper(scores, temperature), axis=axis, shift=shift, total=total)


multiplied = wrongly_set(
    turned,
    "temperature multiplied",
    "You multiplied by the temperature, where you should divide by it.",
    "A high temperature makes the weights more even, so it has to bring the scores closer "
    "together.",
    temper=np.multiply,
)

ignored = wrongly_set(
    turned,
    "temperature ignored",
    "Your answer does not depend on the temperature.",
    "Divide all scores by it before the exponential. A factor that comes in later cancels, for it "
    "stands above and below the line.",
    temper=lambda scores, temperature: scores,
)


@mistake("weights divided")
def late(scores, temperature):
    """You divided the weights, after the softmax, so the rows no longer sum to 1.

    Divide the scores instead, before the softmax.
    """
    return attnlib.softmax(scores) / temperature


rooted = wrongly_set(
    turned,
    "square root of the temperature",
    "You divided by the square root of the temperature.",
    "Divide by the temperature itself. The square root belongs to another division, the one by "
    "d_key.",
    temper=lambda scores, temperature: scores / np.sqrt(temperature),
)


@mistake("temperature above the line only")
def above_only(scores, temperature):
    """You divided by the temperature above the line, but not in the sum below it.

    Divide the scores once at the beginning, keep the result, and use it in both places.
    """
    top = scores.max(axis=-1, keepdims=True)
    return np.exp((scores - top) / temperature) / np.exp(scores - top).sum(axis=-1, keepdims=True)


unshifted = wrongly_set(
    turned,
    "no max shift",
    "Your formula is right, but large scores overflow: `np.exp(999)` is inf, and inf / inf is nan.",
    "Subtract each row's largest score before `np.exp`, or call your own `softmax`, which does so.",
    shift=lambda s, **_: 0,
)


@mistake("undivided maximum")
def undivided(scores, temperature):
    """You subtracted the maximum of the undivided scores: that can overflow, or leave 0 / 0.

    Divide first, and then subtract the largest of the *divided* scores. The two steps then fit.
    """
    e = np.exp(scores / temperature - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


@mistake("undivided maximum of everything")
def undivided_everywhere(scores, temperature):
    """You subtracted one maximum from all rows, and of undivided scores: some become 0 / 0.

    Divide first, and then subtract from each row the largest of its own *divided* scores.
    """
    e = np.exp(scores / temperature - scores.max())
    return e / e.sum(axis=-1, keepdims=True)


global_shift = softmax.global_shift.around(divided)


no_keepdims = softmax.no_keepdims.around(divided)


no_keepdims_in_sum = softmax.no_keepdims_in_sum.around(divided)


total = softmax.total.around(divided)


columns = wrongly_set(
    turned,
    "softmax down the columns",
    "You normalised down the columns, along axis 0.",
    "It is each row that should sum to 1: take the maximum and the sum along the last axis, and "
    "keep that axis.",
    axis=0,
)


everything = softmax.everything.around(divided)


not_normalised = softmax.exponentials.around(divided)


squared = wrongly_set(
    turned,
    "temperature twice",
    "All in all, you divided by the temperature squared.",
    "Is there a square, or a division in two places? Once is enough.",
    temper=lambda scores, temperature: scores / temperature**2,
)

whole_scores = wrongly_set(
    turned,
    "rounded down",
    "You rounded the divided scores down to whole numbers.",
    "`//` drops what comes behind the point, and `/` keeps it.",
    temper=np.floor_divide,
)

whole_temperature = wrongly_set(
    turned,
    "temperature made whole",
    "You made a whole number of the temperature, and 0 of one below 1.",
    "Divide by it as it comes in.",
    temper=lambda scores, temperature: scores / np.trunc(temperature),
)

padded = wrongly_set(
    turned,
    "a hundredth added to the temperature",
    "You added a small number to the temperature, which doubles the lowest one.",
    "A temperature is 0.01 or more, so that nothing is divided by 0. Take it as it comes in.",
    temper=lambda scores, temperature: scores / (temperature + 0.01),
)

upside_down = wrongly_set(
    turned,
    "temperature divided by the scores",
    "You divided the temperature by the scores, and it is the scores that are divided.",
    "The scores stand above the line, the temperature below it.",
    temper=lambda scores, temperature: temperature / scores,
)


@mistake("temperature below the line only")
def below_only(scores, temperature):
    """You divided by the temperature in the sum below the line, but not above it.

    Divide the scores once at the beginning, keep the result, and use it in both places.
    """
    top = scores.max(axis=-1, keepdims=True)
    return np.exp(scores - top) / np.exp((scores - top) / temperature).sum(axis=-1, keepdims=True)


@mistake("powers of the weights")
def powers(scores, temperature):
    """You raised the weights to a power, after which the rows no longer sum to 1.

    Divide the scores by the temperature before the softmax, and the sum is taken last.
    """
    return attnlib.softmax(scores) ** (1 / temperature)


@mistake("divided scores")
def no_softmax(scores, temperature):
    """You returned the divided scores, and the softmax is missing.

    Give them to your softmax, or to `attnlib.softmax`: that makes weights of them.
    """
    return scores / temperature


twice = softmax.twice.around(divided)


cut = softmax.cut.around(divided)


EXERCISE = Exercise(
    solution=softmax_with_temperature,
    answer=answer,
    shapes=SHAPES,
    cases=cases,
    promises=promised,
    ends=(promises.SCORES.of("scores"), TEMPERATURE),
    facts=(
        Fact("rows sum to 1", lambda f, s, t: close(f(s, t).sum(axis=-1), 1)),
        Fact("temperature 1 is the softmax", lambda f, s, t: close(f(s, 1.0), attnlib.softmax(s))),
        Fact("a high temperature levels scores that lie close together", lambda f, s, t: close(
            f(s / 1e6, 100.0), 1 / s.shape[-1])),
        Fact("a higher temperature lowers each row's largest weight", lambda f, s, t: bool(
            (f(s, 2 * t).max(axis=-1) < f(s, t).max(axis=-1)).all())),
    ),
    hints=(
        "Only the scores change, and what follows is the softmax that you know. A high "
        "temperature should bring the scores closer together: what do you do to them?",
        "Divide the scores by the temperature, before anything else. Your own `softmax` from "
        "before does the rest: each row's maximum and sum with `axis=-1, keepdims=True`.",
    ),
)  # fmt: skip
