"""Mix the values as the weights say."""

import numpy as np

import attnlib
from attnlib.checks import promises
from attnlib.checks.exercise import Case, Exercise, Fact, close, mistake, wrongly_set
from attnlib.checks.shapes import Shapes

SHAPES = Shapes("(..., n_queries, n_keys), (..., n_keys, d_value) -> (..., n_queries, d_value)")


def weighted_average(weights, values):
    """Row i of the product is the sum over j of weights[i, j] * values[j]: a mean with weights.

    The weights of a row sum to 1 already, so nothing is left to divide by.
    """
    return weights @ values  # (..., n, m) @ (..., m, d) -> (..., n, d)


def answer(weights, values):
    """Give what is right, by which answers are judged."""
    return weights @ values


def cases():
    """Two mixtures of three values by hand; square weights; with batch axes."""
    rng = np.random.default_rng(8)
    weights = np.array([[0.5, 0.5, 0.0], [0.25, 0.0, 0.75]])
    values = np.array([[2.0, 0, 4, 8, 0], [0.0, 2, 8, 4, 4], [4.0, 4, 0, 0, 8]])
    yield Case("the small example is right", (weights, values))
    square = attnlib.softmax(rng.normal(size=(7, 7)))
    yield Case("a sentence with itself is right", (square, rng.normal(size=(7, 3))))
    batch = attnlib.softmax(rng.normal(size=(2, 5, 7)))
    yield Case("works with leading batch axes", (batch, rng.normal(size=(2, 7, 11))))


def promised():
    """Give the inputs that hold an answer to each promise."""
    rng = np.random.default_rng(108)
    pair = SHAPES.given(rng, lambda weights, values: (attnlib.softmax(weights), values))

    def long(length):
        weights, values = pair()
        return weights, promises.long(values, length)

    return promises.of_shapes(SHAPES, pair, none="n_queries") | {
        promises.SCALE: [*map(long, (promises.SHORT, promises.LONG))],
        promises.VECTORS.beyond: [*map(long, promises.FAR_OFF)],
    }


def turned(weights, values, *, shares=np.positive, after=np.positive):
    """Answer with knobs, each of which can be set wrong."""
    return after(shares(weights) @ values)


@mistake("weights transposed")
def transposed(weights, values):
    """You turned the weights on their side, and it is a row of weights that makes one output.

    Each row belongs to one output already. Leave the weights as they are.
    """
    return weights.swapaxes(-1, -2) @ values


unweighted = wrongly_set(
    turned,
    "plain mean",
    "You took the plain mean of the values, and the weights are not used.",
    "Multiply each value by its weight before you add up. A matrix product does both.",
    shares=lambda weights: np.full_like(weights, 1 / weights.shape[-1]),
)

divided = wrongly_set(
    turned,
    "divided by the number of values",
    "You also divided by the number of values, on top of the weights.",
    "The weights of a row sum to 1 already, so nothing is left to divide by. If you took a mean, "
    "take a sum.",
    shares=lambda weights: weights / weights.shape[-1],
)

heaviest = wrongly_set(
    turned,
    "only the heaviest value",
    "You picked the value with the largest weight and left the others out.",
    "Every value counts, as much as its weight says: multiply, and add up.",
    shares=lambda weights: np.eye(weights.shape[-1])[weights.argmax(axis=-1)],
)

softened = wrongly_set(
    turned,
    "softmax applied again",
    "You applied a softmax to the weights once more.",
    "What comes in are weights already, and each row sums to 1. Use them as they are.",
    shares=attnlib.softmax,
)

columns = wrongly_set(
    turned,
    "columns normalised",
    "You divided the weights by the sums of their columns.",
    "Each row sums to 1 already, so use the weights as they are.",
    shares=lambda weights: weights / weights.sum(axis=-2, keepdims=True),
)

sideways = wrongly_set(
    turned,
    "answer transposed",
    "Your answer lies on its side: it is the transpose of the one asked for.",
    "One output is one row, as wide as a value, so the shape should be (n, d).",
    after=lambda mixed: mixed.swapaxes(-1, -2),
)

summed = wrongly_set(
    turned,
    "plain sum",
    "You added up the values, and the weights are not used.",
    "Multiply each value by its weight before you add up. A matrix product does both.",
    shares=np.ones_like,
)


@mistake("rows mixed up across the batch")
def dotted(weights, values):
    """Your answer is right for two matrices, and has a wrong shape with batch axes in front.

    `np.dot` pairs every batch with every other. `@` keeps each batch to itself.
    """
    return np.dot(weights, values)


@mistake("order of the product")
def reversed_product(weights, values):
    """You multiplied in the wrong order: the weights should come first.

    Look at the shapes: (n, m) times (m, d) gives (n, d), one row for each row of weights.
    """
    return values @ weights


skewed = wrongly_set(
    turned,
    "weights squared",
    "You squared the weights, so that they no longer sum to 1.",
    "Use the weights as they are, each of them once.",
    shares=np.square,
)

running = wrongly_set(
    turned,
    "added up from row to row",
    "You added each output to those before it.",
    "Every row of weights makes a mean of its own. Begin each with 0.",
    after=lambda mixed: mixed.cumsum(axis=-2),
)


@mistake("only the last product")
def last(weights, values):
    """You kept the last product only, and all the others are lost.

    If a loop does it, let each round add its product: `+=` in the place of `=`. Or let a matrix
    product do all of it.
    """
    return weights[..., -1:] * values[..., -1:, :]


@mistake("last value left out")
def short(weights, values):
    """You left out the last value of all.

    A `range` stops before its end by itself, so there is no need to subtract 1.
    """
    return weights[..., :-1] @ values[..., :-1, :]


@mistake("lengths of the values lost")
def directions(weights, values):
    """You divided the values by their lengths first, and only their directions are mixed.

    Mix the values as they are: long ones count for more.
    """
    return weights @ (values / np.linalg.norm(values, axis=-1, keepdims=True))


@mistake("mean of the values subtracted")
def centred(weights, values):
    """You subtracted the mean of the values first.

    A weighted mean lies where the values lie. Leave them there.
    """
    return weights @ (values - values.mean(axis=-2, keepdims=True))


@mistake("value i for weight j")
def own_value(weights, values):
    """You multiplied all weights of row i by value i, and weight j belongs to value j.

    Of the two indices of a weight, the second says which value it is for.
    """
    rows = range(weights.shape[-2])
    return np.stack([weights[..., i, :].sum(-1)[..., None] * values[..., i, :] for i in rows], -2)


@mistake("as many values as rows")
def square(weights, values):
    """You counted the values by the rows of the weights, and there may be more of them or fewer.

    A row of weights has one weight for each value: that is how many there are.
    """
    rows = range(weights.shape[-2])
    return sum(weights[..., :, j, None] * values[..., None, j, :] for j in rows)


def within(answer, weights, values):
    """No feature leaves the range that the values span."""
    output, low = answer(weights, values), values.min(axis=-2, keepdims=True)
    high = values.max(axis=-2, keepdims=True)
    return bool(((output > low - 1e-4) & (output < high + 1e-4)).all())


def picks(answer, weights, values):
    """Give the first value a weight of 1, and then the last, and see them come out."""

    def picked(i):
        one = np.zeros_like(weights)
        one[..., i] = 1
        return close(answer(one, values), values[..., i, np.newaxis, :])

    return picked(0) and picked(-1)


EXERCISE = Exercise(
    solution=weighted_average,
    answer=answer,
    shapes=SHAPES,
    cases=cases,
    promises=promised,
    ends=(promises.VECTORS.of("values"),),
    facts=(
        Fact("no output leaves the range of the values", within),
        Fact("a weight of 1 picks its value", picks),
        Fact("equal weights give the mean", lambda f, w, v: close(
            f(np.full_like(w, 1 / w.shape[-1]), v), v.mean(axis=-2, keepdims=True))),
    ),
    hints=(
        "Take one row of weights. How do you mix the values with it, by hand?",
        "Row i, feature f of the answer is the sum over j of `weights[i, j] * values[j, f]`. A "
        "sum over the axis in the middle is what a matrix product does.",
    ),
)  # fmt: skip
