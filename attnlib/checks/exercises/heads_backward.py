"""Back through all heads of a layer at once, with the weights that they had on the way there."""

import numpy as np

import attnlib
from attnlib.checks import promises
from attnlib.checks.exercise import Case, Exercise, Fact, close, mistake, wrongly_set
from attnlib.checks.shapes import Shapes

SHAPES = Shapes(
    "(..., n, n_heads*d_head), (..., n_heads, n, d_head), (..., n_heads, n, d_head), "
    "(..., n_heads, n, d_head), (..., n_heads, n, n) "
    "-> (..., n, n_heads*d_head), (..., n, n_heads*d_head), (..., n, n_heads*d_head), "
    "(..., n_heads, n, n)"
)


def heads_backward(grad_output, query, key, value, weights):
    """Split what comes back as the heads were split, go back in each, and merge what it gives.

    Heads are leading axes, on the way back as on the way there: nothing in the middle knows how
    many they are.
    """
    n_heads, n, d_head = query.shape[-3:]
    grad = grad_output.reshape(*grad_output.shape[:-1], n_heads, d_head).swapaxes(-2, -3)
    grad_weights = grad @ value.swapaxes(-1, -2)  # (..., n_heads, n, n)
    mean = (weights * grad_weights).sum(axis=-1, keepdims=True)
    grad_scores = weights * (grad_weights - mean)
    scaled = grad_scores / np.sqrt(d_head)
    grads = scaled @ key, scaled.swapaxes(-1, -2) @ query, weights.swapaxes(-1, -2) @ grad
    merged = [g.swapaxes(-2, -3).reshape(*g.shape[:-3], n, n_heads * d_head) for g in grads]
    return (*merged, grad_scores)


def answer(grad_output, query, key, value, weights):
    """Give what is right, by which answers are judged."""
    return turned(grad_output, query, key, value, weights)


def split(x, n_heads):
    """Cut features into heads, and bring these in front of the words."""
    return x.reshape(*x.shape[:-1], n_heads, x.shape[-1] // n_heads).swapaxes(-2, -3)


def merge(heads):
    """Bring heads back behind the words, and join their features."""
    x = heads.swapaxes(-2, -3)
    return x.reshape(*x.shape[:-2], x.shape[-2] * x.shape[-1])


def root(query):
    """Give what scores were divided by."""
    return np.sqrt(query.shape[-1])


def turned(
    grad_output, query, key, value, weights, *, cut=split, through=attnlib.softmax_backward,
    scale=root, join=merge, for_key=lambda grad_scores: grad_scores.swapaxes(-1, -2),
    for_value=lambda weights: weights.swapaxes(-1, -2),
):  # fmt: skip
    """Answer with knobs, each of which can be set wrong."""
    grad = cut(grad_output, query.shape[-3])
    grad_scores = through(grad @ value.swapaxes(-1, -2), weights)
    scaled = grad_scores / scale(query)
    grads = scaled @ key, for_key(scaled) @ query, for_value(weights) @ grad
    return (*(join(g) for g in grads), grad_scores)


def summing_to_one(*inputs):
    """Make the last array a table of weights."""
    *others, numbers = inputs
    return *others, attnlib.softmax(numbers)


def cases():
    """One head of two words by hand; three heads; as many heads as words; a batch."""
    given = SHAPES.given(np.random.default_rng(47), summing_to_one)
    grad_output, query = np.array([[1.0, 0], [0, 2]]), np.array([[[1.0, 0], [0, 1]]])
    key, value = np.array([[[0.0, 1], [2, 1]]]), np.array([[[2.0, 0], [1, 3]]])
    weights = np.array([[[1.0, 0], [0.25, 0.75]]])
    yield Case("the small example is right", (grad_output, query, key, value, weights))
    yield Case("three heads are right", given(n=5, n_heads=3, d_head=2))
    yield Case("as many heads as words are right", given(n=3, n_heads=3, d_head=3))
    yield Case("works with leading batch axes", given((2,), n=7, n_heads=3, d_head=5))


def promised():
    """Give the inputs that hold an answer to each promise."""
    given = SHAPES.given(np.random.default_rng(147), summing_to_one)

    def long(length):
        inputs = list(given())
        inputs[0] = promises.long(inputs[0], length)
        return tuple(inputs)

    return promises.of_shapes(SHAPES, given) | {
        promises.SCALE: [long(promises.SHORT), long(promises.LONG)],
        promises.VECTORS.beyond: [long(promises.FAR_OFF[1])],
    }


reshaped = wrongly_set(
    turned,
    "split by reshape alone",
    "You cut what comes back into heads by a reshape alone, and words and features are mixed up.",
    "On the way there each head had its features of every word. First cut the last axis in two, "
    "then bring the heads in front of the words, or call your `split_heads`.",
    cut=lambda x, n_heads: x.reshape(*x.shape[:-2], n_heads, x.shape[-2], x.shape[-1] // n_heads),
)

joined = wrongly_set(
    turned,
    "merged by reshape alone",
    "You merged the gradients of the heads by a reshape alone, and words and features are mixed "
    "up.",
    "First bring the heads back behind the words, then join the two last axes, or call your "
    "`merge_heads`.",
    join=lambda heads: heads.reshape(merge(heads).shape),
)

unscaled = wrongly_set(
    turned,
    "scale forgotten",
    "You forgot the scale: the gradients of query and key come out too large.",
    "Each score was divided by the square root of d_head. What comes back from it to query and "
    "key is divided, too.",
    scale=lambda query: 1.0,
)

of_model = wrongly_set(
    turned,
    "scale of the whole width",
    "You took the scale from the width of all heads together.",
    "Each head made its scores from d_head features: the last axis of a query.",
    scale=lambda query: np.sqrt(query.shape[-1] * query.shape[-3]),
)

no_mean = wrongly_set(
    turned,
    "softmax without its mean",
    "You multiplied by the weights, but what the softmax shares out is missing.",
    "Where one weight grows, all others in its row shrink: subtract the weighted mean of the row "
    "first, or call your `softmax_backward`.",
    through=lambda grad_weights, weights: weights * grad_weights,
)

straight = wrongly_set(
    turned,
    "softmax skipped",
    "You took the gradient of the weights for that of the scores.",
    "Between the two stands the softmax, and `softmax_backward` goes back through it.",
    through=lambda grad_weights, weights: grad_weights,
)

key_row = wrongly_set(
    turned,
    "scores not transposed for the key",
    "You did not transpose the scores' gradient for the key.",
    "A key collects from all queries that looked at it, down its column.",
    for_key=lambda grad_scores: grad_scores,
)

value_row = wrongly_set(
    turned,
    "weights not transposed for the value",
    "You did not transpose the weights for the value.",
    "A value was handed to all words that looked at it. What comes back from them is added up by "
    "the same weights, down its column.",
    for_value=lambda weights: weights,
)


@mistake("scores returned scaled")
def scaled_scores(grad_output, query, key, value, weights):
    """Your three gradients are right, but the scores' is divided by the root of d_head.

    `near` was added behind the division. So the gradient that goes on to it is not divided.
    """
    *grads, grad_scores = answer(grad_output, query, key, value, weights)
    return *grads, grad_scores / root(query)


@mistake("left in heads")
def unmerged(grad_output, query, key, value, weights):
    """You returned the three gradients head by head, and they were asked for merged.

    What was split on the way there is merged on the way back.
    """
    return turned(grad_output, query, key, value, weights, join=np.copy)


def no_row_gains(f, *inputs):
    """Say whether each row of the scores' gradient sums to 0, as weights have one sum."""
    grad_scores = f(*inputs)[3]
    return close(grad_scores.sum(axis=-1), 0 * grad_scores[..., 0])


EXERCISE = Exercise(
    solution=heads_backward,
    answer=answer,
    shapes=SHAPES,
    cases=cases,
    promises=promised,
    ends=(promises.VECTORS.of("grad_output"),),
    facts=(
        Fact("each row of the scores' gradient sums to 0", no_row_gains),
        Fact("what all values get is what came back to all words", lambda f, g, *x: close(
            f(g, *x)[2].sum(axis=-2), g.sum(axis=-2))),
    ),
    hints=(
        "Split `grad_output` as the heads were split. From there it is the way back of lesson 09, "
        "with weights that are there already, and heads as leading axes.",
        "`grad = split_heads(grad_output, query.shape[-3])`, and then `grad_scores = "
        "softmax_backward(grad @ value.swapaxes(-1, -2), weights)`. Divide by the root of d_head "
        "for query and key. Each of the three gradients goes through `merge_heads`.",
    ),
    parts=("grad_query", "grad_key", "grad_value", "grad_scores"),
)  # fmt: skip
