"""Queries find keys and get a mixture of the values."""

import numpy as np

import attnlib
from attnlib.checks import promises
from attnlib.checks import wrong_attention as wrong
from attnlib.checks.exercise import Case, Exercise, Fact, close, mistake, wrongly_set
from attnlib.checks.shapes import Shapes

SHAPES = Shapes(
    "(..., n_queries, d_key), (..., n_keys, d_key), (..., n_keys, d_value) "
    "-> (..., n_queries, d_value)"
)


def attention(query, key, value):
    """Score, scale, softmax, mix: how well a key matches says how much of its value comes along.

    Axes are counted from the end, so any number of batch axes may stand in front.
    """
    scores = query @ key.swapaxes(-1, -2) / np.sqrt(query.shape[-1])  # (..., n_queries, n_keys)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = weights / weights.sum(axis=-1, keepdims=True)  # each row sums to 1
    return weights @ value  # (..., n_queries, d_value)


def answer(query, key, value):
    """Give what is right, by which answers are judged."""
    return attnlib.attention(query, key, value)


def cases():
    """Two queries and five keys by hand; as many of both; a batch; large scores."""
    given = SHAPES.given(np.random.default_rng(24))
    query = np.array([[1.0, 0.0, 2.0], [0.0, 2.0, 1.0]])
    key = np.array([[1.0, 0, 1], [0, 1, 0], [2, 0, 0], [0, 2, 1], [1, 1, 0]])
    value = np.array([[4.0, 0, 0, 0, 1, 0, 0], [0, 4, 0, 0, 0, 1, 0], [0, 0, 4, 0, 0, 0, 1],
                      [0, 0, 0, 4, 1, 0, 0], [2, 0, 0, 0, 0, 2, 0]])  # fmt: skip
    yield Case("the small example is right", (query, key, value))
    yield Case(
        "as many queries as keys are right", given(n_queries=7, n_keys=7, d_key=5, d_value=3)
    )
    yield Case(
        "more queries than keys are right", given(n_queries=11, n_keys=5, d_key=7, d_value=3)
    )
    query = np.array([[[2.0, 0, 1, 1]], [[0, 1, 3, 0]]])  # one query in each of two batches
    key = np.array([[[1.0, 0, 0, 2], [0, 1, 1, 0], [2, 0, 1, 0]],
                    [[0, 2, 0, 1], [1, 0, 1, 0], [0, 0, 0, 1]]])  # fmt: skip
    value = np.array([np.eye(3, 5), 2 * np.eye(3, 5, 2)])
    yield Case("works with leading batch axes", (query, key, value))
    query, key, value = given(n_queries=3, n_keys=7, d_key=5, d_value=2)
    yield Case("large scores are right", (300 * query, key, value))


def promised():
    """Give the inputs that hold an answer to each promise."""
    rng = np.random.default_rng(124)
    given = SHAPES.given(rng)

    def long(*lengths):
        return tuple(map(promises.long, given(), lengths))

    def steep(levels):
        pairs = promises.steep_pairs(levels)
        return [(query, key, rng.normal(size=(len(key), 2))) for query, key in pairs]

    (short, wide), (tiny, huge) = (promises.SHORT, promises.LONG), promises.FAR_OFF

    return promises.of_shapes(SHAPES, given, none="n_queries") | {
        promises.LARGE: steep(promises.LEVELS),
        promises.SCALE: [
            long(short, wide, short), long(wide, short, wide),
            long(short, short, 1), long(500, 10, short),
        ],
        promises.SCORES.beyond: steep([promises.BEYOND]),
        promises.VECTORS.beyond: [long(tiny, huge, huge), long(huge, tiny, tiny)],
    }  # fmt: skip


def shifted_by_all(scores):
    """Take one maximum for all rows."""
    e = np.exp(scores - scores.max(initial=-np.inf))
    return e / e.sum(axis=-1, keepdims=True)


by_n_queries = wrongly_set(
    wrong.attend,
    "square root of n_queries",
    "You divided the scores by the square root of the number of queries.",
    "How many queries ask makes no score larger. Take the width of a query, its last axis.",
    scale=lambda query, key: 1 / np.sqrt(query.shape[-2]),
)

unshifted = wrongly_set(
    wrong.attend,
    "no max shift",
    "Your formula is right, but large scores overflow in `np.exp`, and inf / inf is nan.",
    "Subtract each row's largest score before `np.exp`, or call your own `softmax`.",
    weigh=wrong.unshifted,
)

global_shift = wrongly_set(
    wrong.attend,
    "one maximum for all rows",
    "You subtracted the largest score of all: a query whose scores lie far below gets 0 / 0.",
    "Subtract from each row its own largest score, and keep it beside its row.",
    weigh=shifted_by_all,
)


@mistake("weights returned")
def only_weights(query, key, value):
    """You returned the weights, which say where each query looks; the output is asked for.

    One step is left: mix the values with these weights, and each query takes its mixture home.
    """
    return attnlib.attention_weights(query, key)


@mistake("scores returned")
def only_scores(query, key, value):
    """You returned the scaled scores, and two steps are left.

    Turn each row into weights with a softmax, then mix the values with them.
    """
    return attnlib.attention_scores(query, key)


@mistake("batch axes forgotten")
def matrices_only(query, key, value):
    """Your output is right for matrices, and wrong or an error with batch axes in front.

    `key.T` turns all axes round, the batch as well. Count from the end and exchange the last two
    alone; `@` multiplies matrix by matrix.
    """
    return attnlib.softmax(query @ key.T / np.sqrt(query.shape[-1])) @ value


@mistake("axis 1 for the last axis")
def axis_1(query, key, value):
    """Your output is right for matrices; with a batch, `axis=1` runs the softmax over queries.

    Count from the end: the keys of a query stand along the last axis, whatever stands in front.
    """
    return attnlib.softmax(attnlib.attention_scores(query, key), axis=1) @ value


width_from_axis_1 = wrongly_set(
    wrong.attend,
    "axis 1 for the width",
    "Your output is right for matrices; with a batch, `query.shape[1]` counts the queries.",
    "Count from the end: the width is the length of the last axis.",
    scale=lambda query, key: 1 / np.sqrt(query.shape[1]),
)

width_from_axis_1_of_keys = wrongly_set(
    wrong.attend,
    "axis 1 of the keys for the width",
    "Your output is right for matrices; with a batch, `key.shape[1]` counts the keys.",
    "Count from the end: the width is the length of the last axis.",
    scale=lambda query, key: 1 / np.sqrt(key.shape[1]),
)


@mistake("cosines")
def cosines(query, key, value):
    """Your scores are cosines, so the lengths of queries and keys no longer count.

    A dot product keeps the lengths. Take it as it is, and divide by the square root of the width.
    """
    q, k = (x / np.linalg.norm(x, axis=-1, keepdims=True) for x in (query, key))
    return wrong.attend(q, k, value, scale=1.0)


@mistake("distances as scores")
def distances(query, key, value):
    """Your scores come from distances, and dot products are asked for.

    The harder task below weighs by distance. Here every query meets every key in a dot product.
    """
    away = query[..., :, None, :] - key[..., None, :, :]
    return attnlib.softmax(-np.linalg.norm(away, axis=-1)) @ value


no_exponential = wrongly_set(
    wrong.attend,
    "no exponential",
    "You divided the scores by their sum; the exponential is missing.",
    "Scores may be negative, and weights may not. A softmax takes `np.exp` of them first.",
    weigh=lambda s: s / s.sum(axis=-1, keepdims=True),
)


def between(answer, query, key, value):
    """No output leaves the range that the values span."""
    output = answer(query, key, value)
    slack = 1e-4 * np.abs(value).max()
    low, high = value.min(axis=-2, keepdims=True), value.max(axis=-2, keepdims=True)
    return bool(((low - slack <= output) & (output <= high + slack)).all())


EXERCISE = Exercise(
    solution=attention,
    answer=answer,
    returns="output",
    shapes=SHAPES,
    cases=cases,
    promises=promised,
    ends=(promises.SCORES, promises.VECTORS.of("query", "key", "value")),
    facts=(
        Fact("no output leaves the range of the values", between),
        Fact("reordered keys and values change nothing", lambda f, q, k, v: close(
            f(q, k[..., ::-1, :], v[..., ::-1, :]), f(q, k, v))),
        Fact("reordered queries give reordered outputs", lambda f, q, k, v: close(
            f(q[..., ::-1, :], k, v), f(q, k, v)[..., ::-1, :])),
        Fact("a key alone gives its own value", lambda f, q, k, v: close(
            f(q, k[..., :1, :], v[..., :1, :]), v[..., :1, :])),
    ),
    mistakes=(*wrong.family(), wrong.transposed, wrong.swapped, ..., *wrong.single()),
    hints=(
        "You have met every step already: each is a function that came before. Which three are "
        "they, and in which order?",
        "First the scaled scores of every query with every key, then a softmax along each row, "
        "then a weighted average of the values. Count axes from the end, so that a batch may stand "
        "in front: `key.swapaxes(-1, -2)` turns the keys, and `axis=-1, keepdims=True` keeps a "
        "row's maximum and sum beside it.",
    ),
)  # fmt: skip
