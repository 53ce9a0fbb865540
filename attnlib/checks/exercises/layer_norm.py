"""Shifting and stretching each word's numbers to mean 0 and variance 1."""

import numpy as np

from attnlib.checks import promises
from attnlib.checks.exercise import Case, Exercise, Fact, Promise, close, mistake, wrongly_set
from attnlib.checks.shapes import Shapes
from attnlib.models import encoder

FLAT = Promise(
    "rows whose numbers are all alike are right",
    "Such a row has no variance, and only eps keeps you from dividing by 0. Add it to the "
    "variance, before the root: the row becomes zeros, and then the bias.",
)
EPS = Promise(
    "eps from 1e-12 to 1 is right",
    "eps is an input, and it is not always small. Add it as it comes in.",
)

SHAPES = Shapes("(..., d_model), (d_model), (d_model), () -> (..., d_model)")


def layer_norm(x, gain, bias, eps):
    """Take away each row's mean and divide by the root of its variance; then gain and bias.

    The variance is the mean of the squares, so their sum is divided by how many there are, and not
    by one less. Gain and bias are learned, one number for each feature.
    """
    centred = x - x.mean(axis=-1, keepdims=True)
    variance = (centred**2).mean(axis=-1, keepdims=True)
    return centred / np.sqrt(variance + eps) * gain + bias


def answer(x, gain, bias, eps):
    """Give what is right, by which answers are judged."""
    return encoder.layer_norm(x, gain, bias, eps)


def at(eps):
    """Return what makes inputs of drawn ones: rows with a mean and a spread of their own, an eps.

    So what one row needs is wrong for the next.
    """

    def inputs(x, gain, bias, _):
        spread = 1.5 + 0.5 * np.cos(np.arange(x.size // x.shape[-1])).reshape(*x.shape[:-1], 1)
        return x * spread + 3 * spread - 4, gain, bias, eps

    return inputs


def cases():
    """Two rows by hand; one row; many features; an eps that counts."""
    rng = np.random.default_rng(43)
    x = np.array([[0.0, 4.0, 0.0, 0.0], [5.0, -3.0, 1.0, 1.0]])
    gain, bias = np.array([1.0, -1.0, 2.0, 1.0]), np.array([0.0, 5.0, 1.0, 0.0])
    given = SHAPES.given(rng, at(1e-12))
    yield Case("the small example is right", (x, gain, bias, 1.0))
    yield Case("a single row is right", given(d_model=7))
    yield Case("many features are right", given((3,), d_model=47))
    yield Case("an eps that counts is right", SHAPES.given(rng, at(0.5))((5,), d_model=3))


def promised():
    """Give the inputs that hold an answer to each promise."""
    rng = np.random.default_rng(143)
    given = SHAPES.given(rng, at(1e-12))
    x, gain, bias, _ = given((3,), d_model=5)
    flat = np.where(np.arange(3)[:, None] == 1, 4.0, x)
    return promises.of_shapes(SHAPES, given) | {
        FLAT: [
            (flat, gain, bias, 1e-12),
            (np.full((2, 5), -0.5), gain, bias, 1e-5),
            (np.zeros(5), gain, bias, 0.5),
        ],
        EPS: [(x, gain, bias, eps) for eps in (1e-12, 1e-5, 0.1, 1.0)],
    }


def variance(x):
    """Give the variance of each row."""
    return x.var(axis=-1, keepdims=True)


def turned(
    x, gain, bias, eps, *, centre=lambda x: x.mean(axis=-1, keepdims=True),
    spread=lambda x, eps: np.sqrt(variance(x) + eps),
    stretch=lambda y, gain, bias: y * gain + bias,
):  # fmt: skip
    """Norm with knobs, each of which can be set wrong."""
    return stretch((x - centre(x)) / spread(x, eps), gain, bias)


less_one = wrongly_set(
    turned,
    "divided by n - 1",
    "You divided the sum of the squares by one less than there are: d_model - 1.",
    "That is for a sample. Here it is the mean of the squares, as `mean` and NumPy's `var` take "
    "it.",
    spread=lambda x, eps: np.sqrt(variance(x) * x.shape[-1] / (x.shape[-1] - 1) + eps),
)

no_root = wrongly_set(
    turned,
    "root forgotten",
    "You divided by the variance, and not by its root.",
    "Whatever is twice as large has four times the variance, and should come out the same.",
    spread=lambda x, eps: variance(x) + eps,
)

by_half_the_variance = wrongly_set(
    turned,
    "half the variance",
    "You divided by half the variance, and not by its root.",
    "A power comes before `/`, so `v ** 1 / 2` is half of v. Its root is `v ** 0.5`.",
    spread=lambda x, eps: (variance(x) + eps) / 2,
)

by_twice_the_variance = wrongly_set(
    turned,
    "twice the variance",
    "You divided by the variance and once more by 2, and its root is not taken.",
    "A power comes before `/`, so `x / v ** 1 / 2` is half of x / v. The root is `v ** 0.5`.",
    spread=lambda x, eps: (variance(x) + eps) * 2,
)

root_twice = wrongly_set(
    turned,
    "root taken twice",
    "You took the root of the standard deviation, which is a root already.",
    "Below the root stands the variance, NumPy's `var`, and eps.",
    spread=lambda x, eps: np.sqrt(np.sqrt(variance(x)) + eps),
)

summed = wrongly_set(
    turned,
    "sum of the squares",
    "You took the sum of the squares for the variance, which is their mean.",
    "Divide the sum by the number of features.",
    spread=lambda x, eps: np.sqrt(variance(x) * x.shape[-1] + eps),
)

multiplied = wrongly_set(
    turned,
    "multiplied by the root",
    "You multiplied by the root of the variance, and it is to be divided by.",
    "A row with large numbers should come out like one with small ones.",
    spread=lambda x, eps: 1 / np.sqrt(variance(x) + eps),
)

not_centred = wrongly_set(
    turned,
    "mean kept",
    "You divided x itself, and its mean is still in it.",
    "Take the mean away first, and divide what is left.",
    centre=lambda x: 0.0,
)

around_zero = wrongly_set(
    turned,
    "variance around 0",
    "You took the mean of the squares of x, as if its mean were 0.",
    "Take the mean away before you square.",
    spread=lambda x, eps: np.sqrt((x**2).mean(axis=-1, keepdims=True) + eps),
)

of_everything = wrongly_set(
    turned,
    "one mean and variance for all rows",
    "You took one mean and one variance of all numbers together.",
    "Each row has its own: take them along the last axis, and keep that axis.",
    centre=np.mean,
    spread=lambda x, eps: np.sqrt(x.var() + eps),
)


@mistake("along the first axis")
def first_axis(x, gain, bias, eps):
    """You normalised along the first axis, where the rows are.

    That is another norm, of batches. Here each word is by itself: the last axis.
    """
    return (x - x.mean(axis=0)) / np.sqrt(x.var(axis=0) + eps) * gain + bias


@mistake("brackets forgotten")
def without_brackets(x, gain, bias, eps):
    """You divided the mean by the spread, and subtracted that from x.

    The difference stands in brackets: `/` goes before `-`.
    """
    return x - x.mean(axis=-1, keepdims=True) / np.sqrt(variance(x) + eps) * gain + bias


@mistake("down the columns")
def columns(x, gain, bias, eps):
    """You normalised each feature over the rows, along the last axis but one.

    That is another norm, of batches. Here each word is by itself: the last axis.
    """
    mean, over_rows = x.mean(axis=-2, keepdims=True), x.var(axis=-2, keepdims=True)
    return (x - mean) / np.sqrt(over_rows + eps) * gain + bias


exchanged = wrongly_set(
    turned,
    "gain and bias exchanged",
    "You multiplied by the bias and added the gain.",
    "The gain stretches each feature, and the bias moves it then.",
    stretch=lambda y, gain, bias: y * bias + gain,
)

bias_first = wrongly_set(
    turned,
    "bias before the gain",
    "You added the bias before you multiplied by the gain.",
    "First stretch, then move: the bias comes last.",
    stretch=lambda y, gain, bias: (y + bias) * gain,
)

divided_by_gain = wrongly_set(
    turned,
    "divided by the gain",
    "You divided by the gain, and it is to be multiplied by.",
    "A gain of 2 stretches a feature to twice its size.",
    stretch=lambda y, gain, bias: y / gain + bias,
)

gain_and_bias = wrongly_set(
    turned,
    "stretched by gain plus bias",
    "You multiplied by the sum of gain and bias.",
    "First stretch, then move: times the gain, and plus the bias then.",
    stretch=lambda y, gain, bias: y * (gain + bias),
)

neither = wrongly_set(
    turned,
    "gain and bias forgotten",
    "You stopped after the division, and neither gain nor bias has a part in it.",
    "Two steps are left: stretch each feature by its gain, and move it by its bias.",
    stretch=lambda y, gain, bias: y,
)

by_length = wrongly_set(
    turned,
    "mean never taken away",
    "You divided x by the root of the mean of its squares, as an RMS norm does.",
    "Here each row's mean is taken away first, and the variance is that of what is left.",
    centre=lambda x: 0.0,
    spread=lambda x, eps: np.sqrt((x**2).mean(axis=-1, keepdims=True) + eps),
)

no_gain = wrongly_set(
    turned,
    "gain forgotten",
    "You did not multiply by the gain.",
    "It stretches each feature, before the bias moves it.",
    stretch=lambda y, gain, bias: y + bias,
)

no_bias = wrongly_set(
    turned,
    "bias forgotten",
    "You did not add the bias.",
    "It moves each feature, after the gain has stretched it.",
    stretch=lambda y, gain, bias: y * gain,
)

no_eps = wrongly_set(
    turned,
    "eps forgotten",
    "The eps that came in has no part in your answer.",
    "It is added to the variance, and decides where a row has hardly any.",
    spread=lambda x, eps: np.sqrt(variance(x)),
)

eps_outside = wrongly_set(
    turned,
    "eps outside the root",
    "You added eps to the root of the variance.",
    "It belongs below the root, beside the variance.",
    spread=lambda x, eps: np.sqrt(variance(x)) + eps,
)


def plain(x):
    """Give a gain of ones and a bias of zeros."""
    return np.ones(x.shape[-1]), np.zeros(x.shape[-1])


EXERCISE = Exercise(
    solution=layer_norm,
    answer=answer,
    shapes=SHAPES,
    cases=cases,
    promises=promised,
    facts=(
        Fact("with gain 1 and bias 0 each row has mean 0", lambda f, x, g, b, eps: close(
            f(x, *plain(x), eps).mean(axis=-1), 0)),
        Fact("with gain 1, bias 0 and a small eps each row has variance 1",
             lambda f, x, g, b, eps: close(f(x, *plain(x), 1e-12).var(axis=-1), 1)),
        Fact("a number added to a whole row changes nothing", lambda f, x, g, b, eps: close(
            f(x + np.arange(3, 3 + x[..., 0].size).reshape(*x.shape[:-1], 1), g, b, eps),
            f(x, g, b, eps))),
    ),
    hints=(
        "Three steps, each for every row: take its mean away, divide by the root of its variance, "
        "then gain and bias.",
        "`x.mean(axis=-1, keepdims=True)` keeps the axis, so that it fits x again. The variance is "
        "the mean of the squares of what is left then.",
        "`centred / np.sqrt(variance + eps)`, and then times gain, plus bias.",
    ),
)  # fmt: skip
