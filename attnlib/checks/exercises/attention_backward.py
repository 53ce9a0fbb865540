"""Back through attention: what a loss asks of the output reaches query, key and value."""

import numpy as np

import attnlib
from attnlib.checks import promises
from attnlib.checks import wrong_attention as wrong
from attnlib.checks.exercise import (
    Case,
    Earlier,
    Exercise,
    Fact,
    Promise,
    close,
    direction,
    mistake,
    wrongly_set,
)
from attnlib.checks.exercises import softmax_backward
from attnlib.checks.exercises.masked_attention import HIDDEN
from attnlib.checks.shapes import Shapes

MASKS = Promise(
    "any mask of True and False is right that lets every query see a key",
    "One mask may stand for a whole batch, and one row of it for all queries: NumPy stretches it, "
    "if you use it beside the scores. Where it lets only one key be seen, nothing can be shared "
    "out, and where it lets all be seen, it changes nothing.",
)

BURIED = Promise(
    "a hidden score has no say, however far above the others it lies",
    "A hidden key may fit a query far better than all that it sees. Put -inf in the place of its "
    "score, for what is seen may lie below any number such as -30 or -10,000; and only then "
    "subtract from each row its largest.",
)

UNSEEN = "a key that nobody sees changes nothing, and has gradient 0"

SHAPES = Shapes(
    "(..., n_queries, d_value), (..., n_queries, d_key), (..., n_keys, d_key), "
    "(..., n_keys, d_value), ~(n_queries, n_keys) "
    "-> (..., n_queries, d_key), (..., n_keys, d_key), (..., n_keys, d_value)"
)


def attention_backward(grad_output, query, key, value, mask):
    """Go from the formula's last line to its first; a product has a gradient for each factor.

    In each, what comes back is multiplied by the other factor. The scale was a factor of every
    score, so it comes in once more on the way to query and key, and not on the way to value. The
    mask is needed on the way there alone: a weight of 0 lets nothing back, either.
    """
    scale = 1 / np.sqrt(query.shape[-1])
    scores = query @ key.swapaxes(-1, -2) * scale  # (..., n_queries, n_keys)
    scores = np.where(mask, scores, -np.inf)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = weights / weights.sum(axis=-1, keepdims=True)
    grad_value = weights.swapaxes(-1, -2) @ grad_output  # (..., n_keys, d_value)
    grad_weights = grad_output @ value.swapaxes(-1, -2)  # (..., n_queries, n_keys)
    mean = (weights * grad_weights).sum(axis=-1, keepdims=True)
    grad_scores = weights * (grad_weights - mean) * scale
    grad_query = grad_scores @ key  # (..., n_queries, d_key)
    grad_key = grad_scores.swapaxes(-1, -2) @ query  # (..., n_keys, d_key)
    return grad_query, grad_key, grad_value


def answer(grad_output, query, key, value, mask):
    """Give what is right, by which answers are judged."""
    return attnlib.attention_backward(grad_output, query, key, value, mask=mask)


def cases():
    """Two queries and three keys by hand; as many of both, and as wide; a batch; masks in all.

    With two of both every table of weights is square. Where a transpose is left out or put in, the
    shapes still fit there, and what comes out can be seen.
    """
    given = SHAPES.given(np.random.default_rng(29), some_seen)
    grad_output = np.array([[1.0, 0, -1, 0, 2], [0, 2, 0, -1, 0]])
    query = np.array([[1.0, 0, 1, 0, 2, 0, 0], [0, 1, 0, 2, 0, 0, 1]])
    key = np.array([[1.0, 0, 0, 1, 0, 0, 0], [0, 2, 0, 0, 1, 0, 1], [1, 0, 1, 0, 0, 1, 0]])
    value = np.array([[2.0, 0, 0, 1, 0], [0, 1, 1, 0, -1], [1, 0, -2, 0, 1]])
    mask = np.array([[True, True, False], [True, True, True]])
    yield Case("the small example is right", (grad_output, query, key, value, mask))
    yield Case(
        "as many queries as keys are right",
        (
            np.array([[1.0, 0, -1, 0, 2], [0, 2, 0, -1, 0]]),
            np.array([[1.0, 0, 2], [0, 1, -1]]),
            np.array([[1.0, 1, 0], [0, 2, 1]]),
            np.array([[2.0, 0, 0, 1, 0], [0, 1, 1, 0, -1]]),
            np.ones((2, 2), bool),
        ),
    )
    sizes = {"n_queries": 7, "n_keys": 7, "d_key": 5, "d_value": 3}
    yield Case("a causal mask is right", (*given(**sizes)[:4], attnlib.causal_mask(7)))
    yield Case("square tables are right", given(n_queries=5, n_keys=5, d_key=5, d_value=5))
    yield Case(
        "more queries than keys are right", given(n_queries=11, n_keys=5, d_key=7, d_value=3)
    )
    yield Case(
        "works with leading batch axes", given((2,), n_queries=3, n_keys=5, d_key=7, d_value=11)
    )


def some_seen(grad_output, query, key, value, numbers):
    """Hide what random numbers say, about a third, and let every query see a key."""
    return grad_output, query, key, value, seen(numbers)


def seen(numbers):
    """Make a mask of random numbers: True but where they are low, and where a row's is largest."""
    return (numbers > -0.4) | (numbers == numbers.max(axis=-1, keepdims=True))


def promised():
    """Give the inputs that hold an answer to each promise."""
    rng = np.random.default_rng(129)
    given = SHAPES.given(rng, some_seen)

    def long(which, length, other=None, then=1.0):
        inputs = list(given())
        inputs[which] = promises.long(inputs[which], length)
        if other is not None:
            inputs[other] = promises.long(inputs[other], then)
        return tuple(inputs)

    def hidden_giant(size):
        grad_output, query, key, value, mask = given(**sizes)
        mask[:, 2], mask[:, 5], value[2] = False, True, size
        return grad_output, query, key, value, mask

    def steep(levels):
        """Give large scores: all of them seen, and about a third hidden."""
        for query, key in promises.steep_pairs(levels):
            shape = len(query), len(key)
            for mask in (np.ones(shape, bool), seen(rng.normal(size=shape))):
                grad_output = rng.normal(size=(shape[0], 2))
                yield grad_output, query, key, rng.normal(size=(shape[1], 2)), mask

    def two_seen(sign):
        """Give one query and two keys whose scores lie at one end, close together."""
        key = sign * np.array([[156.25], [156.234375]])
        one = np.ones((1, 1))
        return one, 64 * one, key, np.array([[1.0], [0]]), np.ones((1, 2), bool)

    def buried():
        """Hide the best key, and let all that is seen lie far below it, down to the end."""
        for size in (50.0, 100.0):
            query, key = np.array([[100.0]]), np.array([[size], [-size]])
            yield np.array([[1.0, 0]]), query, key, np.eye(2), np.array([[False, True]])
        query, key = np.array([[64.0], [-64]]), np.array([[156.25], [-156.234375], [-156.25]])
        mask = np.array([[False, True, True], [True, False, False]])
        yield np.array([[1.0, 0], [2, 1]]), query, key, np.array([[0.0, 3], [2, 0], [1, 1]]), mask

    short, wide = promises.SHORT, promises.LONG
    tiny, huge = promises.FAR_OFF
    sizes = {"n_queries": 5, "n_keys": 7, "d_key": 3, "d_value": 11}
    shapes = (5, 7), (1, 7), (7,), (2, 1, 7), (2, 5, 7)
    masks = [seen(rng.normal(size=shape)) for shape in shapes]
    masks += [np.ones((5, 7), bool), np.eye(5, 7, dtype=bool), np.ones((5, 1), bool)]
    return promises.of_shapes(SHAPES, given, none="n_queries") | {
        MASKS: [(*given(mask.shape[:-2], **sizes)[:4], mask) for mask in masks],
        HIDDEN: [hidden_giant(size) for size in (300.0, -300.0)],
        BURIED: list(buried()),
        promises.LARGE: [two_seen(1), two_seen(-1), *steep(promises.LEVELS)],
        promises.SCALE: [
            long(0, short), long(0, wide), long(1, short, 2, wide), long(1, wide, 2, short),
            long(3, short), long(3, wide),
        ],
        promises.SCORES.beyond: list(steep([promises.BEYOND])),
        promises.VECTORS.beyond: [long(0, huge), long(1, tiny, 2, huge), long(3, huge)],
    }  # fmt: skip


def scale_of(query, *_):
    """Give what scores are multiplied by."""
    return 1 / np.sqrt(query.shape[-1])


def scale_of_value(query, key, value):
    """Give the scale that the width of a value would make."""
    return scale_of(value)


def hidden(scores, mask):
    """Put -inf in the place of the scores that a mask hides."""
    return np.where(mask, scores, -np.inf)


def before_softmax(grad_output, query, key, value, mask):
    """Give what softmax_backward is called with: grad_weights and weights."""
    return grad_output @ value.swapaxes(-1, -2), attnlib.attention_weights(query, key, mask=mask)


def with_weights(
    weights, grad_output, query, key, value, mask, *,
    through=attnlib.softmax_backward, back=scale_of,
    to_query=lambda grad_scores, query, key: grad_scores @ key,
    to_key=lambda grad_scores, query, key: grad_scores.swapaxes(-1, -2) @ query,
    to_value=lambda weights, grad_output, value: weights.swapaxes(-1, -2) @ grad_output,
):  # fmt: skip
    """Go back with weights that may be wrong, in steps that may be."""
    grad_scores = through(grad_output @ value.swapaxes(-1, -2), weights) * back(query, key, value)
    grad_query, grad_key = to_query(grad_scores, query, key), to_key(grad_scores, query, key)
    return grad_query, grad_key, to_value(weights, grad_output, value)


def multiplied(grad_output, query, key, value, mask, **ways):
    """Go back with the right weights, in steps that may be wrong."""
    weights = attnlib.attention_weights(query, key, mask=mask)
    return with_weights(weights, grad_output, query, key, value, mask, **ways)


def behind_softmax(grad_scores, *inputs):
    """Go on from the gradient of the scaled scores: the three gradients."""
    return multiplied(*inputs, through=lambda *_: grad_scores)


def turned(
    grad_output, query, key, value, mask, *, scale=scale_of, hide=hidden, weigh=attnlib.softmax,
    sent=np.positive, through=attnlib.softmax_backward, back=scale_of,
):  # fmt: skip
    """Answer with knobs, each of which can be set wrong."""
    weights = weigh(hide(query @ key.swapaxes(-1, -2) * scale(query, key, value), mask))
    inputs = sent(grad_output), query, key, value, mask
    return with_weights(weights, *inputs, through=through, back=back)


ignored = wrongly_set(
    turned,
    "mask ignored",
    "The mask makes no difference to your answer: hidden keys have weights, and gradients.",
    "Repeat the forward pass as it was: where the mask is False, the score becomes -inf before "
    "the softmax. Then a hidden key has a weight of 0, and nothing comes back.",
    hide=lambda scores, mask: scores,
)


@mistake("mask on the way back alone")
def back_only(grad_output, query, key, value, mask):
    """You used the mask on the way back, but not forward, so the weights are not those that were.

    What a hidden key weighed was 0, and the others shared its part. Hide its score before the
    softmax; on the way back its weight of 0 is all that it takes.
    """
    weights = attnlib.attention_weights(query, key)
    grad_weights = grad_output @ value.swapaxes(-1, -2)
    grad_scores = attnlib.softmax_backward(grad_weights, weights) * mask * scale_of(query)
    grad_value = (weights * mask).swapaxes(-1, -2) @ grad_output
    return grad_scores @ key, grad_scores.swapaxes(-1, -2) @ query, grad_value


@mistake("mask ignored for the value")
def value_seen(grad_output, query, key, value, mask):
    """Your gradients of query and key are right, but the value's is that of weights without a mask.

    There is one table of weights, and a hidden key has 0 in it. The value collects by the same
    table.
    """
    grad_query, grad_key, _ = answer(grad_output, query, key, value, mask)
    return grad_query, grad_key, attnlib.attention_backward(grad_output, query, key, value)[2]


inverted = wrongly_set(
    turned,
    "mask inverted",
    'You used the mask the wrong way round, but here True means "may look".',
    "Keep the score where the mask is True, and put -inf where it is False.",
    hide=lambda scores, mask: np.where(mask, -1e9, scores),  # finite where all is hidden
)

mask_transposed = wrongly_set(
    turned,
    "mask transposed",
    "You transposed the mask, but its rows are the queries already, as those of the scores are.",
    "On the way back scores and weights are transposed, but the mask has done its work by then.",
    hide=lambda scores, mask: hidden(scores, mask.swapaxes(-1, -2)),
)


@mistake("masked after the softmax")
def late(grad_output, query, key, value, mask):
    """Your hidden keys have no weight, but they count in the sums, so the rows do not sum to 1.

    Hide the scores before the softmax, as in `masked_attention`, and the others share the whole.
    """
    weights = attnlib.attention_weights(query, key) * mask
    return with_weights(weights, grad_output, query, key, value, mask)


@mistake("mask on the gradient of the scores alone")
def scores_back_only(grad_output, query, key, value, mask):
    """You used the mask on the gradient of the scores alone, and not before the softmax.

    What a hidden key weighed was 0, and the others shared its part. Hide its score before the
    softmax; on the way back its weight of 0 is all that it takes.
    """
    weights = attnlib.attention_weights(query, key)
    grad_scores = attnlib.softmax_backward(grad_output @ value.swapaxes(-1, -2), weights) * mask
    grad_scores = grad_scores * scale_of(query)
    return (
        grad_scores @ key,
        grad_scores.swapaxes(-1, -2) @ query,
        weights.swapaxes(-1, -2) @ grad_output,
    )


zeroed = wrongly_set(
    turned,
    "0 for hidden scores",
    "Your hidden scores are 0, and a score of 0 gets weight, because exp(0) is 1.",
    "The score that gets no weight is -inf. `np.where` puts it in the place of the hidden ones.",
    hide=np.multiply,
)


@mistake("masked after the exponential")
def renormalised(grad_output, query, key, value, mask):
    """You hid keys after the exponential: a hidden score far above the others still does harm.

    Beside its exponential all others are rounded to 0, and 0 / 0 comes out. Hide the scores before
    the exponential, and find the largest score of a row among those that are left.
    """
    weights = attnlib.attention_weights(query, key) * mask
    weights = weights / weights.sum(axis=-1, keepdims=True)
    return with_weights(weights, grad_output, query, key, value, mask)


minus_ten = wrongly_set(
    turned,
    "-10 for -inf",
    "Your hidden keys still get a little weight: what stands for their scores is not low enough.",
    "The score that gets no weight is -inf. `np.where` puts it in the place of the hidden ones.",
    hide=lambda scores, mask: np.where(mask, scores, -10.0),
)

mask_added = wrongly_set(
    turned,
    "mask added to the scores",
    "You added the mask to the scores, which raises those that may be seen by 1 and hides none.",
    "The score that gets no weight is -inf. `np.where` puts it in the place of the hidden ones.",
    hide=np.add,
)

unscaled_back = wrongly_set(
    turned,
    "scale forgotten",
    "You forgot the scale on the way back: the gradients of query and key come out too large.",
    "The scores were divided by the square root of d_key, so a step of a query moves them by that "
    "much less. The factor belongs between scores and query, and between scores and key.",
    back=lambda *_: 1.0,
)

scaled_twice = wrongly_set(
    turned,
    "divided by d_key on the way back",
    "On the way back you divided by d_key in all, where the square root of it is due.",
    "Each score was scaled once, by 1 over that root, so its gradient is scaled once. Scale it, or "
    "the two products that follow, but not both.",
    back=lambda query, *_: scale_of(query) ** 2,
)

no_scaling = wrongly_set(
    turned,
    "no scaling",
    "You did not scale the scores at all, so these are the gradients of another attention.",
    "The scores are divided by the square root of d_key, forward, and their gradient, back.",
    scale=lambda *_: 1.0,
    back=lambda *_: 1.0,
)

scaled_back_only = wrongly_set(
    turned,
    "scaled back only",
    "You scaled on the way back, but not forward, so your weights are too sharp.",
    "Divide the scores by the square root of d_key before the softmax, as in `attention`.",
    scale=lambda *_: 1.0,
)

by_width = wrongly_set(
    turned,
    "divided by d_key",
    "You divided by d_key in all, forward and back, where the square root of it is due.",
    "A sum of d products spreads with the square root of d only, so dividing by d makes it too "
    "small.",
    scale=lambda query, key, value: scale_of(query) ** 2,
    back=lambda query, key, value: scale_of(query) ** 2,
)

scale_upside_down = wrongly_set(
    turned,
    "multiplied by the root of d_key",
    "You multiplied by the square root of d_key, forward and back, where you have to divide by it.",
    "Wide queries make large scores, so the scale has to make them smaller.",
    scale=lambda query, key, value: np.sqrt(query.shape[-1]),
    back=lambda query, key, value: np.sqrt(query.shape[-1]),
)

by_n_keys = wrongly_set(
    turned,
    "square root of n_keys",
    "You took the scale from the number of keys.",
    "How many keys there are makes no score larger. The width of a query counts, which is its last "
    "axis.",
    scale=lambda query, key, value: 1 / np.sqrt(key.shape[-2]),
    back=lambda query, key, value: 1 / np.sqrt(key.shape[-2]),
)

scaled_by_value = wrongly_set(
    turned,
    "scale of d_value",
    "You took the scale from the width of the values.",
    "A score is a dot product of a query and a key, so it is their width, d_key, that counts: the "
    "last axis of a query.",
    scale=scale_of_value,
    back=scale_of_value,
)

scaled_back_by_value = wrongly_set(
    turned,
    "scale of d_value on the way back",
    "Your weights are right, but on the way back you took the scale from the width of the values.",
    "The scale is a factor of each score. It is the same number forward and back: 1 over the "
    "square root of d_key, the width of a query.",
    back=scale_of_value,
)

key_unscaled = wrongly_set(
    multiplied,
    "scale forgotten for the key",
    "You scaled the query's gradient, but not the key's.",
    "The scale is a factor of each score, and both of them get their gradients by way of the "
    "scores.",
    to_key=lambda grad_scores, query, key: grad_scores.swapaxes(-1, -2) @ query / scale_of(query),
)

query_unscaled = wrongly_set(
    multiplied,
    "scale forgotten for the query",
    "You scaled the key's gradient, but not the query's.",
    "The scale is a factor of each score, and both of them get their gradients by way of the "
    "scores.",
    to_query=lambda grad_scores, query, key: grad_scores @ key / scale_of(query),
)


@mistake("value's gradient scaled")
def value_scaled(grad_output, query, key, value, mask):
    """You scaled the value's gradient as well.

    The scale is between the scores and what they are made of. A value is mixed afterwards, by the
    weights alone.
    """
    grad_query, grad_key, grad_value = answer(grad_output, query, key, value, mask)
    return grad_query, grad_key, grad_value * scale_of(query)


straight_through = wrongly_set(
    turned,
    "softmax skipped on the way back",
    "You took the gradient of the weights for that of the scores, so the softmax is missing.",
    "A score moves all the weights of its row. `softmax_backward`, which you have written, says "
    "how.",
    through=lambda grad_weights, weights: grad_weights,
)

columns = wrongly_set(
    turned,
    "mean down the columns",
    "You went back through the softmax down the columns: axis -2.",
    "It is a query's row of weights that shares one whole, so the mean runs along the last axis.",
    through=lambda *both: attnlib.softmax_backward(*both, axis=-2),
)

fixed = wrongly_set(
    turned,
    "nothing for query and key",
    "Your gradients of query and key are 0, as if they had nothing to learn.",
    "A query that turns a little gets other weights, and with them another output. Follow that "
    "way, too: to the weights, where the values come in, through the softmax, to the scores.",
    through=lambda grad_weights, weights: np.zeros_like(grad_weights),
)


@mistake("gradient of the scores for the value")
def scores_for_value(grad_output, query, key, value, mask):
    """On the way to the value you used the gradient of the scores; the weights belong there.

    Forward a value meets the weights. So the weights, transposed, are what brings grad_output back
    to it.
    """
    grad_query, grad_key, _ = answer(grad_output, query, key, value, mask)
    grad_scores = attnlib.softmax_backward(*before_softmax(grad_output, query, key, value, mask))
    return grad_query, grad_key, grad_scores.swapaxes(-1, -2) @ grad_output


def reshaped(a):
    """Give an array the shape that its transpose has, its numbers in their old order."""
    return a.reshape(*a.shape[:-2], a.shape[-1], a.shape[-2])


def with_key_reshaped(grad_output, query, key, value, mask, *, turn=reshaped):
    """Go back where the key was reshaped forward; and what else is transposed is turned so."""
    scores = hidden(query @ reshaped(key) * scale_of(query), mask)
    weights = attnlib.softmax(scores)
    grad_scores = attnlib.softmax_backward(grad_output @ turn(value), weights) * scale_of(query)
    return grad_scores @ key, turn(grad_scores) @ query, turn(weights) @ grad_output


key_reshaped = wrongly_set(
    with_key_reshaped,
    "key reshaped",
    "You reshaped the key, where it has to be transposed, before you made the scores.",
    "A reshape keeps the numbers in their order, so no column becomes a row by it. `swapaxes` "
    "exchanges two axes: the last two, counted from the end.",
    turn=lambda a: a.swapaxes(-1, -2),
)

all_reshaped = wrongly_set(
    with_key_reshaped,
    "everything reshaped",
    "You reshaped where arrays have to be transposed: the shapes fit, and the numbers are others.",
    "A reshape keeps the numbers in their order, so no column becomes a row by it. `swapaxes` "
    "exchanges two axes: the last two, counted from the end.",
)

scores_reshaped = wrongly_set(
    multiplied,
    "gradient of the scores reshaped for the key",
    "You reshaped the gradient of the scores on the way to the key; it has to be transposed.",
    "A reshape keeps the numbers in their order, so no column becomes a row by it. `swapaxes` "
    "exchanges two axes: the last two, counted from the end.",
    to_key=lambda grad_scores, query, key: reshaped(grad_scores) @ query,
)

weights_reshaped = wrongly_set(
    multiplied,
    "weights reshaped for the value",
    "You reshaped the weights on the way to the value; they have to be transposed.",
    "A reshape keeps the numbers in their order, so no column becomes a row by it. `swapaxes` "
    "exchanges two axes: the last two, counted from the end.",
    to_value=lambda weights, grad_output, value: reshaped(weights) @ grad_output,
)

weights_untransposed = wrongly_set(
    multiplied,
    "weights not transposed",
    "You did not transpose the weights on the way to the value.",
    "A value collects from every query that took some of it: that is a column of the weights, not "
    "a row. The shapes say so too, where there are more keys than queries.",
    to_value=lambda weights, grad_output, value: weights @ grad_output,
)


@mistake("value not transposed")
def value_untransposed(grad_output, query, key, value, mask):
    """You multiplied grad_output by the value as it is; on the way back, value is transposed.

    What a weight is worth to a query is the dot product of grad_output's row with the value that
    the weight lets in. Both of these are rows.
    """
    weights = attnlib.attention_weights(query, key, mask=mask)
    grad_scores = attnlib.softmax_backward(grad_output @ value, weights)
    return behind_softmax(grad_scores, grad_output, query, key, value, mask)


key_transposed = wrongly_set(
    multiplied,
    "key transposed",
    "You multiplied by the transposed key on the way to the query; the key as it is belongs there.",
    "Forward the key was transposed, and back it is once more: then it is as it was. A query's "
    "gradient is a mixture of the keys' rows.",
    to_query=lambda grad_scores, query, key: grad_scores @ key.swapaxes(-1, -2),
)

scores_untransposed = wrongly_set(
    multiplied,
    "scores not transposed for the key",
    "You did not transpose the gradient of the scores on the way to the key.",
    "A key collects from every query that looked at it: that is a column of the table, not a row.",
    to_key=lambda grad_scores, query, key: grad_scores @ query,
)

both_untransposed = wrongly_set(
    multiplied,
    "neither weights nor scores transposed",
    "You transposed nothing on the way to key and value: two tables lie the wrong way round.",
    "A row of the weights, and of the gradient of the scores, belongs to a query. A key and a "
    "value collect by their column, so both tables are transposed there.",
    to_key=lambda grad_scores, query, key: grad_scores @ query,
    to_value=lambda weights, grad_output, value: weights @ grad_output,
)

scores_transposed = wrongly_set(
    multiplied,
    "scores transposed for the query",
    "You transposed the gradient of the scores on the way to the query; as it is, it is right.",
    "A query's gradient is a mixture of keys, by its row of the table. It is a key that has a "
    "column.",
    to_query=lambda grad_scores, query, key: grad_scores.swapaxes(-1, -2) @ key,
)

wrong_one_transposed = wrongly_set(
    multiplied,
    "scores transposed for the wrong one of the two",
    "You transposed the gradient of the scores on the way to the query, and not to the key.",
    "It is the other way round: a query has a row of that table, and a key has a column.",
    to_query=lambda grad_scores, query, key: grad_scores.swapaxes(-1, -2) @ key,
    to_key=lambda grad_scores, query, key: grad_scores @ query,
)

query_transposed = wrongly_set(
    multiplied,
    "query transposed",
    "You multiplied by the transposed query on the way to the key; as it is, it belongs there.",
    "A key's gradient is a mixture of the queries' rows. Only the gradient of the scores is "
    "transposed.",
    to_key=lambda grad_scores, query, key: grad_scores.swapaxes(-1, -2) @ query.swapaxes(-1, -2),
)


@mistake("grad_output transposed")
def grad_output_transposed(grad_output, query, key, value, mask):
    """You multiplied by the transposed grad_output on the way to the value; as it is, it is right.

    A value's gradient is a mixture of grad_output's rows. Only the weights are transposed.
    """
    grad_query, grad_key, _ = answer(grad_output, query, key, value, mask)
    weights = attnlib.attention_weights(query, key, mask=mask)
    return grad_query, grad_key, weights.swapaxes(-1, -2) @ grad_output.swapaxes(-1, -2)


@mistake("gradient of the weights transposed")
def grad_weights_transposed(grad_output, query, key, value, mask):
    """You multiplied the values by grad_output transposed, so your table lies the wrong way round.

    The gradient of the weights has the weights' shape: a row for each query. Let grad_output come
    first, and transpose the value.
    """
    weights = attnlib.attention_weights(query, key, mask=mask)
    grad_scores = attnlib.softmax_backward(value @ grad_output.swapaxes(-1, -2), weights)
    return behind_softmax(grad_scores, grad_output, query, key, value, mask)


exchanged = wrongly_set(
    multiplied,
    "query and key exchanged",
    "You multiplied by the query on the way to the query, and by the key on the way to the key.",
    "A score is a product of the two. If the query moves, the score changes by as much as the key "
    "is large: it is the other factor that counts.",
    to_query=lambda grad_scores, query, key: grad_scores @ query,
    to_key=lambda grad_scores, query, key: grad_scores.swapaxes(-1, -2) @ key,
)


@mistake("gradients of query and key in the wrong order")
def wrong_order(grad_output, query, key, value, mask):
    """You returned the right gradients in the wrong order.

    That of the query comes first, then that of the key, then that of the value.
    """
    grad_query, grad_key, grad_value = answer(grad_output, query, key, value, mask)
    return grad_key, grad_query, grad_value


value_again = wrongly_set(
    multiplied,
    "value for grad_output",
    "You mixed the values on the way to the value; it is grad_output that goes back.",
    "Forward the weights mix values. Back, transposed, they share grad_output out among the "
    "values.",
    to_value=lambda weights, grad_output, value: weights.swapaxes(-1, -2) @ value,
)

local = wrongly_set(
    turned,
    "grad_output not used",
    "You went back as if every entry of grad_output was 1.",
    "How much an entry of the output matters to the loss is what grad_output says. Begin with it.",
    sent=np.ones_like,
)

all_downwards = wrongly_set(
    turned,
    "all signs turned",
    "Your numbers are right, but in all three gradients each has the wrong sign.",
    "A gradient says where the loss grows. To walk the other way is the optimiser's business.",
    sent=np.negative,
)

forward_columns = wrongly_set(
    turned,
    "forward softmax down the columns",
    "You normalised the weights down the columns, before you began to go back.",
    "Each query has a row of weights that sum to 1: the softmax runs along the last axis.",
    weigh=lambda scores: attnlib.softmax(scores, axis=-2),
)


@mistake("key not transposed")
def key_untransposed(grad_output, query, key, value, mask):
    """Query and key met as they are, but one of the two has to be transposed.

    Every query should meet every key, feature by feature. Both keep their features along the last
    axis, and a matrix product joins the last axis of its left side with the second to last of its
    right.
    """
    scores = query @ key * scale_of(query)
    return with_weights(attnlib.softmax(hidden(scores, mask)), grad_output, query, key, value, mask)


unshifted = wrongly_set(
    turned,
    "no max shift",
    "Your formulas are right, but large scores overflow in `np.exp`, and inf / inf is nan.",
    "Subtract each row's largest score before `np.exp`, or call your own `softmax`.",
    weigh=wrong.unshifted,
)


@mistake("batch axes forgotten")
def transposed_whole(grad_output, query, key, value, mask):
    """Your gradients are right for matrices, and wrong or an error with batch axes in front.

    `.T` turns all axes round, the batch as well. Count from the end and exchange the last two
    alone; `@` multiplies matrix by matrix.
    """
    weights = attnlib.softmax(hidden(query @ key.T * scale_of(query), mask))
    grad_scores = attnlib.softmax_backward(grad_output @ value.T, weights) * scale_of(query)
    return grad_scores @ key, grad_scores.T @ query, weights.T @ grad_output


@mistake("three arrays in one")
def one_array(grad_output, query, key, value, mask):
    """You put the three gradients into one array, but they are of different shapes.

    Return three arrays, with commas between them: the query's, the key's, the value's.
    """
    return np.array([*answer(grad_output, query, key, value, mask)])


def all_seen(grad_output, query, key, value, mask):
    """Let every query see every key."""
    return grad_output, query, key, value, np.ones_like(mask)


def slope(which):
    """Move one of the inputs a little, one way and the other, and see how the loss has changed.

    The loss is one whose gradient at the output is grad_output: a weighted sum of its entries.
    """

    def holds(answer, grad_output, *inputs):
        *inputs, mask = inputs
        step = direction(inputs[which])

        def along(size):
            moved = [x + size * step if i == which else x for i, x in enumerate(inputs)]
            return (grad_output * attnlib.attention(*moved, mask=mask)).sum()

        gradient = answer(grad_output, *inputs, mask)[which]
        return close((gradient * step).sum(), (along(1e-4) - along(-1e-4)) / 2e-4)

    return holds


def unseen_key(answer, grad_output, query, key, value, mask):
    """Put a key behind the others that nobody may look at."""
    more = (np.concatenate([x, 7 + x[..., :1, :]], axis=-2) for x in (key, value))
    nobody = np.concatenate([mask, np.zeros_like(mask[..., :1])], axis=-1)
    grad_query, *grads = answer(grad_output, query, *more, nobody)
    expected, *others = answer(grad_output, query, key, value, mask)
    return close(grad_query, expected) and all(
        close(grad[..., :-1, :], other) and close(grad[..., -1, :], 0)
        for grad, other in zip(grads, others, strict=True)
    )


EXERCISE = Exercise(
    solution=attention_backward,
    answer=answer,
    shapes=SHAPES,
    cases=cases,
    promises=promised,
    ends=(promises.SCORES, promises.VECTORS.of("grad_output", "query", "key", "value")),
    facts=(
        Fact("each gradient has the shape of its input", lambda f, g, *x: [
            array.shape for array in f(g, *x)] == [array.shape for array in x[:3]]),
        *(Fact(f"grad_{name} is the slope that a small step of {name} finds", slope(which))
            for which, name in enumerate(("query", "key", "value"))),
        Fact("over the keys, grad_key sums to 0", lambda f, g, *x: close(
            f(g, *x)[1].sum(axis=-2), 0)),
        Fact("over the tokens, grad_value sums to what grad_output does", lambda f, g, *x: close(
            f(g, *x)[2].sum(axis=-2), g.sum(axis=-2))),
        Fact("a key alone leaves its queries nothing to learn", lambda f, g, q, k, v, m: close(
            f(g, q, k[..., :1, :], v[..., :1, :], np.ones_like(m[..., :1]))[0], 0)),
        Fact(UNSEEN, unseen_key),
    ),
    mistakes=(*(m.around(before_softmax, behind_softmax) for m in (
            softmax_backward.diagonal, softmax_backward.without_mean, softmax_backward.without_own,
            softmax_backward.plain_sum, softmax_backward.plain_mean, softmax_backward.divided,
            softmax_backward.unweighted, softmax_backward.downwards, softmax_backward.everything,
            softmax_backward.no_keepdims)),),
    hints=(
        "Write the forward pass as lines, one operation each: scores, mask, weights, output. Then "
        "take them from the last to the first. In a product of two factors, what does a small step "
        "of the one change, and what has the other to do with it?",
        "The last line is weights @ value. To the value goes grad_output, shared out by the "
        "weights, transposed; to the weights go dot products of grad_output with the values. Your "
        "`softmax_backward` brings you to the scaled scores, and the scale to the raw ones.",
        "The gradient of the raw scores has a row for each query and a column for each key. A "
        "query's gradient is a mixture of keys, by its row. A key's gradient is a mixture of "
        "queries, by its column.",
    ),
    parts=("grad_query", "grad_key", "grad_value"),
    earlier=Earlier(
        4,
        lambda *inputs: inputs[4].all(),
        all_seen,
        "Your function takes no mask, as it was asked for once. Where nothing is hidden it is "
        "right; `mine` lets attnlib answer where something is.",
        silent=("a causal mask is right", MASKS.name, HIDDEN.name, BURIED.name, UNSEEN),
    ),
)  # fmt: skip
