"""Back through softmax: what a loss asks of the weights becomes what it asks of the scores."""

import numpy as np

import attnlib
from attnlib.checks import promises
from attnlib.checks.exercise import (
    Case,
    Exercise,
    Fact,
    Promise,
    Remark,
    close,
    direction,
    mistake,
    wrongly_set,
)
from attnlib.checks.shapes import Shapes

CERTAIN = Promise(
    "weights of 0 and of 1 are right",
    "A hidden key has weight 0, and a score far above the others leaves them none. Nothing needs "
    "to be divided by a weight here, and no logarithm of one is needed.",
)

NO_WEIGHT = Remark("a row whose weights are all 0")

SHAPES = Shapes("(..., n), (..., n) -> (..., n)")


def softmax_backward(grad_weights, weights):
    """All the weights of a row share one whole: what one of them gains, the others lose.

    So raising a score lowers the loss where its weight's gradient lies below the mean of the row,
    in which each gradient counts by its weight. The Jacobian, n by n for every row, is never made.
    """
    mean = (weights * grad_weights).sum(axis=-1, keepdims=True)  # (..., 1)
    return weights * (grad_weights - mean)


def answer(grad_weights, weights):
    """Give what is right, by which answers are judged."""
    return attnlib.softmax_backward(grad_weights, weights)


def cases():
    """Two rows by hand; random rows; one row; a batch."""
    rng = np.random.default_rng(26)
    weights = np.array([[0.5, 0.25, 0.25], [0.1, 0.2, 0.7]])
    yield Case("the small example is right", (np.array([[1.0, 2, 8], [0, 9, -1]]), weights))
    yield Case("more columns than rows are right", random_inputs(rng, 5, 7))
    yield Case("more rows than columns are right", random_inputs(rng, 11, 3))
    yield Case("a single row is right", random_inputs(rng, 7))
    yield Case("works with leading batch axes", random_inputs(rng, 2, 3, 5))


def promised():
    """Give the inputs that hold an answer to each promise."""
    rng = np.random.default_rng(126)
    given = SHAPES.given(rng, lambda gradient, _: random_inputs(rng, *gradient.shape))
    gradient, weights = given((5,))

    def long(length):
        return promises.long(gradient, length), weights

    whole = rng.integers(-3, 4, size=(3, 4)) + 0.0
    return promises.of_shapes(SHAPES, given) | {
        promises.SCALE: [long(promises.SHORT), long(0.01), long(promises.LONG)],
        promises.VECTORS.beyond: [*map(long, promises.FAR_OFF)],
        CERTAIN: [
            (whole, np.eye(3, 4)),
            (whole, np.eye(3, 4)[::-1, ::-1]),
            (whole, np.array([[0.5, 0, 0, 0.5], [0, 0.25, 0.75, 0], [0, 0, 0, 1]])),
            (whole, np.array([[0, 0.25, 0.75, 0], [0, 1, 0, 0], [0.5, 0.25, 0.25, 0]])),
        ],
        NO_WEIGHT: [(whole[:2], np.array([[0, 0.25, 0.75, 0], [0, 0, 0, 0]]))],
    }


def random_inputs(rng, *shape):
    """Give gradients and weights, whose rows sum to 1."""
    return rng.normal(size=shape), attnlib.softmax(rng.normal(size=shape))


def mean_of(grad_weights, weights):
    """Give each row's mean, in which a gradient counts by its weight."""
    return (weights * grad_weights).sum(axis=-1, keepdims=True)


def turned(grad_weights, weights, *, mean=mean_of, first=np.positive, last=np.multiply, sign=1):
    """Answer with knobs, each of which can be set wrong."""
    return sign * last(first(grad_weights) - mean(grad_weights, weights), weights)


diagonal = wrongly_set(
    turned,
    "diagonal only",
    "You let each score move its own weight only: that is the diagonal of the Jacobian.",
    "A score that rises takes from all the other weights of its row, so their gradients count, "
    "too.",
    mean=np.multiply,
)

without_mean = wrongly_set(
    turned,
    "mean not subtracted",
    "You multiplied by the weights, as if a score could raise its weight at nobody's expense.",
    "What one weight gains, the others lose. Subtract first what the row's gradients come to on "
    "average; then each row of your answer sums to 0.",
    mean=lambda gradient, weights: 0.0,
)

without_own = wrongly_set(
    turned,
    "only what the others lose",
    "You kept what a score takes from the weights and forgot what it gives to its own.",
    "The mean has to be subtracted from something: from the gradient of the score's own weight.",
    first=np.zeros_like,
)

plain_sum = wrongly_set(
    turned,
    "plain sum",
    "You subtracted the sum of the row's gradients, in which they all count fully.",
    "A large weight has more to lose than a small one. Let each gradient count by its weight "
    "before you add them up.",
    mean=lambda gradient, weights: gradient.sum(axis=-1, keepdims=True),
)

plain_mean = wrongly_set(
    turned,
    "plain mean",
    "You subtracted the plain mean of the row's gradients, in which they all count alike.",
    "A large weight has more to lose than a small one, so the mean has to be a weighted one.",
    mean=lambda gradient, weights: gradient.mean(axis=-1, keepdims=True),
)

divided = wrongly_set(
    turned,
    "divided by n, too",
    "You weighted the gradients and then took their mean, which divides by their number as well.",
    "The weights sum to 1 already, so the weighted mean is a sum: nothing is left to divide by.",
    mean=lambda gradient, weights: (weights * gradient).mean(axis=-1, keepdims=True),
)

unweighted = wrongly_set(
    turned,
    "weights forgotten",
    "You subtracted the right mean, but did not multiply by the weights afterwards.",
    "A score moves its weight by as much as that weight has: where the weight is 0, nothing "
    "happens.",
    last=lambda change, weights: change,
)

downwards = wrongly_set(
    turned,
    "sign",
    "Your numbers are right, but each has the wrong sign.",
    "The mean is what is subtracted. A gradient says where the loss grows; to walk the other way "
    "is the optimiser's business.",
    sign=-1,
)

columns = wrongly_set(
    turned,
    "down the columns",
    "You took the mean down the columns: axis 0.",
    "It is the row whose weights share one whole, so the sum runs along the last axis, which is "
    "kept.",
    mean=lambda gradient, weights: (weights * gradient).sum(axis=0, keepdims=True),
)

everything = wrongly_set(
    turned,
    "sum over everything",
    "You subtracted one number from the whole array, the sum over all its rows.",
    "Each row has a mean of its own, along the last axis. With that axis kept, it stays beside "
    "its row.",
    mean=lambda gradient, weights: (weights * gradient).sum(),
)


@mistake("keepdims forgotten")
def no_keepdims(grad_weights, weights):
    """You summed along an axis, and that axis is gone, so rows do not meet their own means.

    NumPy can keep it, as an axis of length 1. Each row then meets its own number.
    """
    return weights * (grad_weights - (weights * grad_weights).sum(axis=-1))


axis_1 = wrongly_set(
    turned,
    "axis 1 for the last axis",
    "Your answer is right for a matrix, but only there is `axis=1` the last axis.",
    "A single row has no axis 1, and a batch has another axis behind it. Count from the end, "
    "where the last axis has the same number in all of them.",
    mean=lambda grad_weights, weights: (weights * grad_weights).sum(axis=1, keepdims=True),
)


@mistake("a single row alone")
def row_alone(grad_weights, weights):
    """Your answer is right for a single row, and an error where there are several.

    Each row has a Jacobian of its own. You can do without them: the diagonal gives back the
    gradients, the rest subtracts the same mean from all of a row.
    """
    return (np.diag(weights) - np.outer(weights, weights)) @ grad_weights


@mistake("rows along the first axis")
def first_axis(grad_weights, weights):
    """Your answer is right for a matrix; elsewhere, what you took for a row is none.

    A loop over the first axis finds the rows of a matrix, and no others. Without any Jacobian NumPy
    does all rows at once, wherever they stand, along the last axis.
    """
    pairs = zip(grad_weights, weights, strict=True)
    return np.array([row_alone.function(gradient, row) for gradient, row in pairs])


own_left_out = wrongly_set(
    turned,
    "a score's own weight left out",
    "You left out the term in which a score moves its own weight.",
    "The sum runs over all weights of the row, and for k = j the bracket is 1 less the weight.",
    first=np.zeros_like,
    mean=lambda gradient, weights: mean_of(gradient, weights) - weights * gradient,
)

last_alone = wrongly_set(
    turned,
    "the last term alone",
    "Your numbers hold the last term of each sum, and nothing of the terms before it.",
    "A score moves all the weights of its row, so there is a term for each of them, and all of "
    "them are added up.",
    first=lambda gradient: gradient * (np.arange(gradient.shape[-1]) == gradient.shape[-1] - 1),
    mean=lambda gradient, weights: gradient[..., -1:] * weights[..., -1:],
)


@mistake("the first term without its weight")
def bare_gradient(grad_weights, weights):
    """You multiplied only what you subtract by the weights, and not the gradient before it.

    Both come in a product with the weight: subtract the mean first, and multiply what is left.
    """
    return grad_weights - weights * mean_of(grad_weights, weights)


@mistake("the mean without its weight")
def bare_mean(grad_weights, weights):
    """You multiplied the gradient by the weights, but not the mean that you subtract.

    Both come in a product with the weight: subtract the mean first, and multiply what is left.
    """
    return grad_weights * weights - mean_of(grad_weights, weights)


@mistake("mean added")
def mean_added(grad_weights, weights):
    """You added the row's mean, where it has to be subtracted.

    What one weight gains, the others lose: a gradient that is as large as the mean changes nothing.
    """
    return weights * (grad_weights + mean_of(grad_weights, weights))


@mistake("weights taken for scores")
def softened_again(grad_weights, weights):
    """You applied a softmax to `weights`, but that is what they have come out of already.

    Take the weights as they are. All that is needed of the softmax is what it gave.
    """
    return attnlib.softmax_backward(grad_weights, attnlib.softmax(weights))


@mistake("gradient and weights exchanged")
def exchanged(grad_weights, weights):
    """You exchanged the two: the mean was subtracted from the weights.

    It is the mean of the gradients, so it belongs to them. The weights come in as factors.
    """
    return grad_weights * (weights - mean_of(grad_weights, weights))


@mistake("input changed in place")
def in_place(grad_weights, weights):
    """Your answer is right, but your function also changed the `grad_weights` that came in.

    `-=`, and assigning to a part of `grad_weights`, write into the array of whoever called. An
    operator without `=` behind it makes a new array.
    """
    grad_weights -= mean_of(grad_weights, weights)
    return weights * grad_weights


def is_slope(answer, grad_weights, weights):
    """Move the scores a little, one way and the other, and see how the loss has changed."""
    scores, step = np.log(weights), direction(weights)
    change = attnlib.softmax(scores + 1e-4 * step) - attnlib.softmax(scores - 1e-4 * step)
    slope = (grad_weights * change).sum() / 2e-4
    return close((answer(grad_weights, weights) * step).sum(), slope)


EXERCISE = Exercise(
    solution=softmax_backward,
    answer=answer,
    shapes=SHAPES,
    cases=cases,
    promises=promised,
    ends=(promises.VECTORS.of("grad_weights"),),
    facts=(
        Fact("it is the slope that a small step of the scores finds", is_slope),
        Fact("each row sums to 0", lambda f, g, w: close(f(g, w).sum(axis=-1), 0)),
        Fact("a number added to a row's gradients changes nothing", lambda f, g, w: close(
            f(g + np.arange(g[..., 0].size).reshape(*g.shape[:-1], 1), w), f(g, w))),
        Fact("twice the gradient, twice the answer", lambda f, g, w: close(
            f(2 * g, w), 2 * f(g, w))),
    ),
    hints=(
        "Raise one score a little. Its own weight grows, and all the others of its row shrink, "
        "because together they stay 1. How much does the loss gain by the one, and how much does "
        "it lose by the others?",
        "Take the mean of each row's gradients, in which every gradient counts by its weight, and "
        "subtract it from them; `axis=-1, keepdims=True` lets each row meet its own mean. What is "
        "left is multiplied by the weights.",
    ),
)  # fmt: skip
