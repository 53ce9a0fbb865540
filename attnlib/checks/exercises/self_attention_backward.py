"""Back through a whole layer: three ways lead back to each word, and they add up."""

import numpy as np

import attnlib
from attnlib.checks import promises
from attnlib.checks.exercise import Case, Exercise, Fact, close, direction, mistake, wrongly_set
from attnlib.checks.exercises import attention_backward as attend
from attnlib.checks.shapes import Shapes

SHAPES = Shapes(
    "(..., n, d_value), (..., n, d_model), (d_model, d_key), (d_model, d_key), (d_model, d_value), "
    "~(n, n) -> (..., n, d_model), (d_model, d_key), (d_model, d_key), (d_model, d_value)"
)


def self_attention_backward(grad_output, x, w_query, w_key, w_value, mask):
    """Go back through attention first, and then through each of the three products with x.

    A word's row is used three times, as query, as key and as value. It reaches the loss by three
    ways, and the gradients that come back by them add up. All words of all sentences meet the same
    three matrices, so what they ask of one adds up as well.
    """
    query, key, value = x @ w_query, x @ w_key, x @ w_value
    scale = 1 / np.sqrt(query.shape[-1])
    scores = np.where(mask, query @ key.swapaxes(-1, -2) * scale, -np.inf)  # (..., n, n)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = weights / weights.sum(axis=-1, keepdims=True)
    grad_weights = grad_output @ value.swapaxes(-1, -2)
    mean = (weights * grad_weights).sum(axis=-1, keepdims=True)
    grad_scores = weights * (grad_weights - mean) * scale
    grad_query = grad_scores @ key  # (..., n, d_key)
    grad_key = grad_scores.swapaxes(-1, -2) @ query  # (..., n, d_key)
    grad_value = weights.swapaxes(-1, -2) @ grad_output  # (..., n, d_value)

    grad_x = grad_query @ w_query.T + grad_key @ w_key.T + grad_value @ w_value.T
    rows = x.reshape(-1, x.shape[-1])  # of all sentences: (n_rows, d_model)
    grad_w_query = rows.T @ grad_query.reshape(-1, w_query.shape[-1])
    grad_w_key = rows.T @ grad_key.reshape(-1, w_key.shape[-1])
    grad_w_value = rows.T @ grad_value.reshape(-1, w_value.shape[-1])
    return grad_x, grad_w_query, grad_w_key, grad_w_value


def answer(grad_output, x, w_query, w_key, w_value, mask):
    """Give what is right, by which answers are judged."""
    inputs = grad_output, x, w_query, w_key, w_value, mask
    return behind(back_to_qkv(*inputs), *inputs)


def cases():
    """Two words by hand; a sentence; more words than features; square matrices; a batch."""
    given = SHAPES.given(np.random.default_rng(31), usual)
    x = np.array([[1.0, 0.0, 2.0], [0.0, 2.0, 1.0]])
    w_query = np.array([[1.0, 0, 0, 0, 1], [0.0, 1, 0, 0, 0], [0.0, 0, 0, 1, 0]])
    w_key = np.array([[0.0, 0, 0, 1, 0], [1.0, 1, 0, 0, 0], [0.0, 0, 1, 0, 1]])
    w_value = np.array([[2.0, 0, 0, 0, 1, 0, 0], [0.0, 1, 0, 1, 0, 0, 2], [0.0, 0, 2, 0, 0, 1, 0]])
    grad_output = np.array([[1.0, 0, 0, 2, 0, -1, 0], [0, -1, 1, 0, 0, 1, 1]])
    everything = np.ones((2, 2), bool)
    yield Case("the small example is right", (grad_output, x, w_query, w_key, w_value, everything))
    causal = (attnlib.causal_mask(7),)
    sentence = given(n=7, d_model=11, d_key=5, d_value=3)
    yield Case("a causal mask is right", (*sentence[:5], *causal))
    yield Case("more words than features are right", given(n=17, d_model=3, d_key=7, d_value=2))
    yield Case("square matrices are right", given(n=7, d_model=5, d_key=5, d_value=5))
    yield Case("works with leading batch axes", given((2,), n=3, d_model=7, d_key=5, d_value=11))


def usual(grad_output, x, w_query, w_key, w_value, numbers):
    """Let matrices keep the spread of what they multiply, and hide about a third."""
    matrices = (w / np.sqrt(len(w)) for w in (w_query, w_key, w_value))
    return grad_output, x, *matrices, attend.seen(numbers)


def promised():
    """Give the inputs that hold an answer to each promise."""
    rng = np.random.default_rng(131)
    given = SHAPES.given(rng, usual)
    sizes = {"n": 7, "d_model": 3, "d_key": 5, "d_value": 11}
    masks = [attend.seen(rng.normal(size=shape)) for shape in ((7, 7), (7,), (2, 1, 7), (2, 7, 7))]
    masks += [np.ones((7, 1), bool), np.eye(7, dtype=bool)]

    def steep(levels):
        w_value = rng.normal(size=(4, 3))
        return [
            (
                rng.normal(size=(n, 3)),
                promises.steep_tokens(n, one_sign=one_sign),
                *promises.steep_matrices(level),
                w_value,
                attend.seen(rng.normal(size=(n, n))) | hides_nothing,
            )
            for n in (3, 7)
            for level in levels
            for one_sign in (False, True)
            for hides_nothing in (True, False)
        ]

    def two_seen(sign):
        """Give two words whose scores lie at one end, close together."""
        x, wide = np.array([[1.0], [1 - 2.0**-13]]), np.array([[100.0]])
        return np.array([[1.0], [2]]), x, wide, sign * wide, wide / 100, np.ones((2, 2), bool)

    def buried():
        """Hide the best word, and let all that is seen lie far below it, down to the end."""
        grad_output, wide = np.array([[1.0, 0], [2, 1], [0, 3]]), np.array([[100.0]])
        x, w_value = np.array([[1.0], [-1], [2.0**-13 - 1]]), np.array([[1.0, 2]])
        mask = np.array([[False, True, True], [True, False, False], [True, False, False]])
        for w_key in (wide / 2, wide):
            yield grad_output[:2], x[:2], wide, w_key, w_value, mask[:2, :2]
        yield grad_output, x, wide, wide, w_value, mask

    return promises.of_shapes(SHAPES, given) | {
        attend.BURIED: list(buried()),
        attend.MASKS: [(*given(mask.shape[:-2], **sizes)[:5], mask) for mask in masks],
        promises.LARGE: [two_seen(1), two_seen(-1), *steep(promises.LEVELS)],
        promises.SCORES.beyond: steep([promises.BEYOND]),
    }


def before(grad_output, x, w_query, w_key, w_value, mask):
    """Give what attention_backward is called with."""
    return grad_output, x @ w_query, x @ w_key, x @ w_value, mask


def back_to_qkv(*inputs):
    """Give the gradients of query, key and value."""
    return attend.answer(*before(*inputs))


def added(by_query, by_key, by_value):
    """Add up what comes back to x by three ways."""
    return by_query + by_key + by_value


def collected(x, grad):
    """Give the gradient of a matrix: every row of every sentence asks something of it."""
    return x.reshape(-1, x.shape[-1]).T @ grad.reshape(-1, grad.shape[-1])


def behind(grads, grad_output, x, w_query, w_key, w_value, mask, *, add=added, to_matrix=collected):
    """Go on from the gradients of query, key and value: the four that are asked for."""
    pairs = zip(grads, (w_query, w_key, w_value), strict=True)
    return add(*(grad @ w.T for grad, w in pairs)), *(to_matrix(x, grad) for grad in grads)


def turned(
    *inputs, add=added, to_matrix=collected, scale=attend.scale_of, hide=attend.hidden,
    weigh=attnlib.softmax, sent=np.positive, through=attnlib.softmax_backward, back=attend.scale_of,
):  # fmt: skip
    """Answer with knobs, each of which can be set wrong."""
    forward = {"scale": scale, "hide": hide, "weigh": weigh}
    grads = attend.turned(*before(*inputs), **forward, sent=sent, through=through, back=back)
    return behind(grads, *inputs, add=add, to_matrix=to_matrix)


no_way_by_query = wrongly_set(
    turned,
    "query's way to x forgotten",
    "You left out what comes back to x by way of the query.",
    "A word asks, is found and hands over. A small step of its row changes its query as well.",
    add=lambda by_query, by_key, by_value: by_key + by_value,
)

no_way_by_key = wrongly_set(
    turned,
    "key's way to x forgotten",
    "You left out what comes back to x by way of the key.",
    "A word asks, is found and hands over. A small step of its row changes its key as well.",
    add=lambda by_query, by_key, by_value: by_query + by_value,
)

no_way_by_value = wrongly_set(
    turned,
    "value's way to x forgotten",
    "You left out what comes back to x by way of the value.",
    "A word asks, is found and hands over. A small step of its row changes its value as well.",
    add=lambda by_query, by_key, by_value: by_query + by_key,
)

overwritten = wrongly_set(
    turned,
    "only the value's way to x",
    "Your grad_x holds what comes back by way of the value, and nothing of the two other ways.",
    "If you gave it a number three times, each one took the place of the one before. Three ways "
    "lead back to a word, and what comes back by them is added up.",
    add=lambda by_query, by_key, by_value: by_value,
)

first_alone = wrongly_set(
    turned,
    "only the query's way to x",
    "Your grad_x holds what comes back by way of the query, and nothing of the two other ways.",
    "A word asks, is found and hands over: three ways lead back to it, and what comes back by "
    "them is added up.",
    add=lambda by_query, by_key, by_value: by_query,
)

mean_of_ways = wrongly_set(
    turned,
    "mean of the three ways",
    "You took the mean of the three ways that lead back to x.",
    "A step of x has all three effects at once, and each in full: they are added up.",
    add=lambda *ways: sum(ways) / 3,
)


@mistake("x as one of its three gradients")
def matrices_skipped(grad_output, x, w_query, w_key, w_value, mask):
    """You added up the gradients of query, key and value before each had met its own matrix.

    On the way there each was made of x by a matrix, and on the way back it meets that matrix,
    transposed.
    """
    _, *rest = answer(grad_output, x, w_query, w_key, w_value, mask)
    grad_query, grad_key, grad_value = back_to_qkv(grad_output, x, w_query, w_key, w_value, mask)
    return grad_query + grad_key + grad_value, *rest


@mistake("w_query for the key, too")
def query_matrix_twice(grad_output, x, w_query, w_key, w_value, mask):
    """On the way from the key to x you multiplied by w_query, which made the queries.

    What comes back to the keys meets the matrix that made them: w_key, transposed.
    """
    _, *rest = answer(grad_output, x, w_query, w_key, w_value, mask)
    grad_query, grad_key, grad_value = back_to_qkv(grad_output, x, w_query, w_key, w_value, mask)
    return (grad_query + grad_key) @ w_query.T + grad_value @ w_value.T, *rest


@mistake("matrices not transposed")
def untransposed(grad_output, x, w_query, w_key, w_value, mask):
    """You multiplied by the matrices as they are; on the way back they are transposed.

    Forward, w_query takes d_model features to d_key. The way back starts with d_key.
    """
    _, *rest = answer(grad_output, x, w_query, w_key, w_value, mask)
    grad_query, grad_key, grad_value = back_to_qkv(grad_output, x, w_query, w_key, w_value, mask)
    return grad_query @ w_query + grad_key @ w_key + grad_value @ w_value, *rest


@mistake("gradients of the matrices transposed")
def lying(grad_output, x, w_query, w_key, w_value, mask):
    """Your gradients of the matrices lie on their side, as (d_key, d_model).

    A gradient has the shape of what it belongs to. Let x come first in the product.
    """
    grad_x, *grads = answer(grad_output, x, w_query, w_key, w_value, mask)
    return grad_x, *(grad.T for grad in grads)


@mistake("w_query and w_key exchanged")
def exchanged(grad_output, x, w_query, w_key, w_value, mask):
    """You gave w_query the gradient of w_key, and the other way round.

    What comes back to the queries belongs to w_query, which made them.
    """
    grad_x, grad_q, grad_k, grad_v = answer(grad_output, x, w_query, w_key, w_value, mask)
    return grad_x, grad_k, grad_q, grad_v


@mistake("grad_x last")
def wrong_order(grad_output, x, w_query, w_key, w_value, mask):
    """You returned the right gradients in the wrong order.

    That of x comes first, then those of w_query, w_key and w_value.
    """
    grad_x, *grads = answer(grad_output, x, w_query, w_key, w_value, mask)
    return *grads, grad_x


kept_apart = wrongly_set(
    turned,
    "one gradient of a matrix for each of the batch",
    "You gave each sentence of a batch a gradient of its own for each matrix.",
    "There is one matrix for all of them, so what they ask of it adds up, over all leading axes.",
    to_matrix=lambda x, grad: x.swapaxes(-1, -2) @ grad,
)

first_axis_summed = wrongly_set(
    turned,
    "first axis summed",
    "You added up over the first axis, as if there was always a batch in front.",
    "There may be none or several such axes. For a matrix, all rows are one long list: your "
    "`linear_backward` makes one of them.",
    to_matrix=lambda x, grad: (x.swapaxes(-1, -2) @ grad).sum(axis=0),
)

batch_averaged = wrongly_set(
    turned,
    "mean over the batch",
    "You took the mean over the sentences of a batch.",
    "If the loss is a mean, its division is in grad_output already. Here they are added up.",
    to_matrix=lambda x, grad: collected(x, grad) / max(np.prod(x.shape[:-2]), 1),
)


rows_averaged = wrongly_set(
    turned,
    "mean over all rows",
    "You divided the gradients of the matrices by the number of rows.",
    "If the loss is a mean, its division is in grad_output already. Here they are added up.",
    to_matrix=lambda x, grad: collected(x, grad) / x[..., 0].size,
)


@mistake("batch axes forgotten")
def matrices_only(grad_output, x, w_query, w_key, w_value, mask):
    """Your gradients are right for one sentence, and an error with batch axes in front.

    `x.T` turns the batch round as well. For a matrix, all rows of all sentences are one long list.
    """
    grad_x, *_ = answer(grad_output, x, w_query, w_key, w_value, mask)
    grad_query, grad_key, grad_value = back_to_qkv(grad_output, x, w_query, w_key, w_value, mask)
    return grad_x, x.T @ grad_query, x.T @ grad_key, x.T @ grad_value


@mistake("grad_output in place of the value's gradient")
def straight_to_value(grad_output, x, w_query, w_key, w_value, mask):
    """You took grad_output for the gradient of the values.

    A value reaches every query that took some of it. What comes back to it is shared out by the
    weights, transposed.
    """
    grad_query, grad_key, _ = back_to_qkv(grad_output, x, w_query, w_key, w_value, mask)
    grads = grad_query, grad_key, grad_output
    return behind(grads, grad_output, x, w_query, w_key, w_value, mask)


@mistake("grad_output in place of the value's gradient, for w_value")
def straight_to_w_value(grad_output, x, w_query, w_key, w_value, mask):
    """You took grad_output for the gradient of the values, on the way to w_value.

    What comes back to a value is shared out by the weights, transposed. That is what w_value has to
    do with, as x has.
    """
    *others, _ = answer(grad_output, x, w_query, w_key, w_value, mask)
    return *others, collected(x, grad_output)


@mistake("square root of d_model")
def by_d_model(grad_output, x, w_query, w_key, w_value, mask):
    """You took the scale from d_model, the width of x.

    A score is a dot product of a query and a key, so it is their width, d_key, that counts: the
    last axis of a query.
    """

    def scale(*_):
        return 1 / np.sqrt(x.shape[-1])

    return turned(grad_output, x, w_query, w_key, w_value, mask, scale=scale, back=scale)


def slope(which):
    """Move one of the inputs a little, one way and the other, and see how the loss has changed."""

    def holds(answer, grad_output, *inputs):
        *inputs, mask = inputs
        step = direction(inputs[which])

        def along(size):
            x, *matrices = (w + size * step if i == which else w for i, w in enumerate(inputs))
            output = attnlib.attention(*(x @ w for w in matrices), mask=mask)
            return (grad_output * output).sum()

        gradient = answer(grad_output, *inputs, mask)[which]
        return close((gradient * step).sum(), (along(1e-4) - along(-1e-4)) / 2e-4)

    return holds


EXERCISE = Exercise(
    solution=self_attention_backward,
    answer=answer,
    shapes=SHAPES,
    cases=cases,
    promises=promised,
    ends=(promises.SCORES,),
    facts=(
        Fact("each gradient has the shape of its input", lambda f, g, *x: [
            array.shape for array in f(g, *x)] == [array.shape for array in x[:4]]),
        *(Fact(f"grad_{name} is the slope that a small step of {name} finds", slope(which))
            for which, name in enumerate(("x", "w_query", "w_key", "w_value"))),
        Fact("a word alone teaches query and key nothing", lambda f, g, x, q, k, v, m: all(
            close(grad, 0) for grad in f(g[..., :1, :], x[..., :1, :], q, k, v,
                                         np.ones((1, 1), bool))[1:3])),
    ),
    mistakes=(*(m.around(before, behind) for m in (
            attend.ignored, attend.back_only, attend.inverted, attend.mask_transposed, attend.late,
            attend.renormalised, attend.minus_ten, attend.mask_added, attend.zeroed,
            attend.unscaled_back, attend.scaled_twice, attend.scale_upside_down, attend.by_width,
            attend.scaled_by_value, attend.no_scaling, attend.scores_untransposed,
            attend.weights_untransposed, attend.straight_through, attend.fixed,
            attend.forward_columns, attend.unshifted, attend.local, attend.all_downwards,
            attend.key_untransposed)),),
    hints=(
        "You have written every step: `attention_backward` leads from the output to query, key "
        "and value, and `linear_backward` from each of these to x and to its matrix. What happens "
        "where three gradients come back to one x?",
        "Make query, key and value of x as on the way there, and hand them to "
        "`attention_backward`. Call `linear_backward` once for each of the three gradients, with "
        "the same x and the matrix it belongs to. What it returns first is added up over the "
        "three; what it returns second is a gradient that you return.",
    ),
    parts=("grad_x", "grad_w_query", "grad_w_key", "grad_w_value"),
)  # fmt: skip
