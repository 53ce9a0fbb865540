"""Several query heads that share a key and a value, none of which is repeated.

Ainslie et al., "GQA: training generalized multi-query transformer models from multi-head
checkpoints" (2023), section 2.
"""

import tracemalloc

import numpy as np

import attnlib
from attnlib.checks import promises
from attnlib.checks.exercise import Case, Edge, Exercise, Fact, Promise, mistake
from attnlib.checks.shapes import Shapes
from course.homework.task import EMPTY, NO_QUERIES, halved_width, is_empty

GROUPS = Promise(
    "one key head for all, or one for each, is right",
    "A group may hold all the query heads, or a single one. Take its size from the shapes.",
)

SHAPES = Shapes(
    "(..., n_kv_heads*group, n_queries, d_key), (..., n_kv_heads, n_keys, d_key), "
    "(..., n_kv_heads, n_keys, d_value) -> (..., n_kv_heads*group, n_queries, d_value)"
)


def answer(query, key, value):
    """Give what is right, by which answers are judged: one head after the other."""
    group = query.shape[-3] // key.shape[-3]
    heads = [
        attnlib.attention(
            query[..., h, :, :], key[..., h // group, :, :], value[..., h // group, :, :]
        )
        for h in range(query.shape[-3])
    ]
    return np.stack(heads, axis=-3)


def cases():
    """Four heads to do by hand, then six that share two keys, three to each."""
    rng = np.random.default_rng(71)
    query = np.array([[[0.0]], [[1.0]], [[0.0]], [[1.0]]])
    key, value = (
        np.array([[[1.0], [0.0]], [[0.0], [0.0]]]),
        np.array([[[1.0], [3.0]], [[4.0], [8.0]]]),
    )
    yield Case("four heads and two keys", (query, key, value))
    yield Case("six heads in two groups", short(*given(rng, 6, 2, 2, 5, 3, 1)))
    yield Case("a batch", short(*given(rng, 6, 3, 1, 2, 2, 1, lead=(2,))))


def given(rng, n_heads, n_kv_heads, n_queries, n_keys, d_key, d_value, lead=()):
    """Give query, key and value of these sizes."""
    return (
        rng.normal(size=(*lead, n_heads, n_queries, d_key)),
        rng.normal(size=(*lead, n_kv_heads, n_keys, d_key)),
        rng.normal(size=(*lead, n_kv_heads, n_keys, d_value)),
    )


def short(*arrays):
    """Keep one digit, and no -0.0."""
    return tuple(x.round(1) + 0.0 for x in arrays)


def promised():
    """Give the inputs that hold an answer to each promise."""
    rng = np.random.default_rng(72)
    sizes = (  # n_heads, n_kv_heads, n_queries, n_keys, d_key, d_value
        (4, 2, 3, 3, 2, 2), (2, 2, 2, 2, 2, 2), (4, 2, 1, 1, 1, 1), (6, 2, 5, 2, 1, 2),
        (6, 3, 1, 4, 2, 3), (4, 2, 2, 1, 3, 2), (9, 3, 3, 2, 1, 1), (4, 2, 2, 4, 4, 2),
    )  # fmt: skip
    return {
        GROUPS: [
            given(rng, *pair, *rest)
            for pair in ((5, 1), (3, 3), (1, 1), (12, 4), (8, 1))
            for rest in ((2, 3, 2, 1),)
        ],
        promises.LARGE: [
            large(rng, *pair, level) for pair in ((4, 2), (3, 1)) for level in promises.LEVELS[:2]
        ],
        promises.LEADING: [
            given(rng, 4, 2, 2, 3, 2, 1, lead=lead) for lead in ((), (2,), (1,), (2, 1), (2, 1, 2))
        ],
        EMPTY: [
            given(rng, 4, 2, 3, 5, 2, 7, lead=lead) for lead in (*promises.EMPTY_BATCHES, (0, 2))
        ],
        NO_QUERIES: [
            given(rng, 4, 2, 0, 5, 2, 3),
            given(rng, 6, 3, 0, 2, 2, 1, lead=(2,)),
            given(rng, 2, 1, 0, 2, 2, 1, lead=(2, 3)),
        ],
        promises.SIZES: [given(rng, *size) for size in sizes],
        promises.SAME_SHAPES: promises.again(lambda: given(rng, 4, 2, 2, 3, 2, 1)),
    }


def large(rng, n_heads, n_kv_heads, level):
    """Give scores that are large, and yet so close together that no weight is nearly 1."""
    query, key = promises.steep(2 * n_heads, 3 * n_kv_heads, level, one_sign=True)
    value = rng.normal(size=(n_kv_heads, 3, 2))
    return query.reshape(n_heads, 2, 4), key.reshape(n_kv_heads, 3, 4), value


def draw(rng):
    """Give random inputs, of sizes that are random too."""
    n_kv_heads, group, n_queries, n_keys, d_key, d_value, axes = rng.integers(1, 5, 7)
    lead = tuple(rng.integers(1, 4, size=axes - 1))
    return given(rng, group * n_kv_heads, n_kv_heads, n_queries, n_keys, d_key, d_value, lead)


def widened(query, key, value, order):
    """Attend with key and value heads taken in another order."""
    return attnlib.attention(query, key[..., order, :, :], value[..., order, :, :])


def shared(query, key):
    """Say which key head each query head reads."""
    return np.arange(query.shape[-3]) // (query.shape[-3] // key.shape[-3])


@mistake("dealt out like cards")
def dealt(query, key, value):
    """You dealt the query heads out to the key heads in turn: head h reads h % n_kv_heads.

    Neighbours share: with groups of three, heads 0, 1 and 2 read key head 0.
    """
    return widened(query, key, value, np.arange(query.shape[-3]) % key.shape[-3])


@mistake("values dealt out otherwise than keys")
def values_dealt(query, key, value):
    """Your keys are shared by neighbours and your values are not.

    A key and its value belong together: bring both into the same shape in the same way.
    """
    weights = attnlib.attention_weights(query, key[..., shared(query, key), :, :])
    return weights @ value[..., np.arange(query.shape[-3]) % key.shape[-3], :, :]


@mistake("the first key head for all")
def first(query, key, value):
    """All your query heads read key head 0.

    Each group of neighbours has a key head to itself: head h reads head h // group.
    """
    return widened(query, key, value, 0 * shared(query, key))


@mistake("not scaled")
def unscaled(query, key, value):
    """Your scores are not scaled.

    Divide them by the square root of d_key, the width of a key.
    """
    order = shared(query, key)
    key, value = key[..., order, :, :], value[..., order, :, :]
    return attnlib.attention(query, key, value, scale=1.0)


@mistake("scaled by all of a group's features")
def scaled_by_group(query, key, value):
    """You divided by the square root of group * d_key.

    A score adds up d_key products, however many heads share the key.
    """
    return answer(query / np.sqrt(query.shape[-3] / key.shape[-3]), key, value)


@mistake("words cut in place of heads")
def cut_by_words(query, key, value):
    """You put another order of numbers into the shape: heads and words are mixed up.

    A reshape keeps the numbers in their order. Leave the axis of the heads where it is, and cut
    that one alone, or lay neighbouring heads below each other.
    """
    words_first = np.ascontiguousarray(query.swapaxes(-3, -2)).reshape(query.shape)
    return answer(words_first, key, value)


@mistake("put back with heads and words exchanged")
def put_back(query, key, value):
    """You put the outputs back in another order than that in which the queries went in.

    Give the result the shape (..., n_heads, n_queries, d_value) by the same path on which the
    queries lost theirs.
    """
    right = answer(query, key, value)
    return np.ascontiguousarray(right.swapaxes(-3, -2)).reshape(right.shape)


@mistake("groups left apart")
def left_apart(query, key, value):
    """Your result still has an axis for the groups and one for the heads within them.

    Make one axis of the two, as the queries had it.
    """
    right, n_kv_heads = answer(query, key, value), key.shape[-3]
    group = right.shape[-3] // n_kv_heads
    return right.reshape(*right.shape[:-3], n_kv_heads, group, *right.shape[-2:])


@mistake("room for the width of the queries")
def width_of_queries(query, key, value):
    """Your result is as wide as the queries, and it should be as wide as the values.

    An array of `query.shape` has d_key columns. What is mixed are values, of d_value.
    """
    result = np.zeros(query.shape)
    for h, k in enumerate(shared(query, key)):
        result[..., h, :, :] = attnlib.attention(
            query[..., h, :, :], key[..., k, :, :], value[..., k, :, :]
        )
    return result


@mistake("a softmax over the queries")
def over_queries(query, key, value):
    """You normalised down the columns, over the queries.

    Each query shares a weight of 1 out among the keys: the last axis.
    """
    order = shared(query, key)
    scores = attnlib.attention_scores(query, key[..., order, :, :])
    return attnlib.softmax(scores, axis=-2) @ value[..., order, :, :]


@mistake("a softmax over the rows of a group")
def over_rows(query, key, value):
    """You normalised over the queries of a whole group.

    Each query shares a weight of 1 out among the keys: the last axis.
    """
    *lead, n_kv_heads, _, d_key = key.shape
    scores = attnlib.attention_scores(query.reshape(*lead, n_kv_heads, -1, d_key), key)
    output = attnlib.softmax(scores, axis=-2) @ value
    return output.reshape(*query.shape[:-1], value.shape[-1])


@mistake("divided by the number of key heads")
def by_n_kv_heads(query, key, value):
    """You divided a query head's number by the number of key heads, and not by the group's size.

    Each group has n_heads // n_kv_heads query heads, and head h belongs to group h // group.
    """
    heads = []
    for h in range(query.shape[-3]):
        k = h // key.shape[-3]
        heads.append(attnlib.attention(query[..., h, :, :], key[..., k, :, :], value[..., k, :, :]))
    return np.stack(heads, axis=-3)


@mistake("one query for a group")
def averaged(query, key, value):
    """You took the mean of the queries that share a key.

    They share what they read, and each of them asks its own question.
    """
    n_kv_heads, group = key.shape[-3], query.shape[-3] // key.shape[-3]
    cut = query.reshape(*query.shape[:-3], n_kv_heads, group, *query.shape[-2:])
    means = np.broadcast_to(cut.mean(axis=-3, keepdims=True), cut.shape).reshape(query.shape)
    return answer(means, key, value)


def repeats_nothing(f, *_):
    """Sixteen heads that share a long key need little more memory than it has."""
    rng = np.random.default_rng(73)
    inputs = given(rng, 16, 1, 1, 4999, 16, 16)
    running = tracemalloc.is_tracing()
    tracemalloc.start()
    try:
        tracemalloc.reset_peak()
        before = tracemalloc.get_traced_memory()[0]
        f(*inputs)
        peak = tracemalloc.get_traced_memory()[1] - before
    finally:
        if not running:
            tracemalloc.stop()
    return peak < 6 * sum(x.nbytes for x in inputs)  # one for the copies that a judge hands over


TASK = Exercise(
    answer=answer,
    cases=cases,
    promises=promised,
    draw=draw,
    mistakes=(..., halved_width(answer)),
    shapes=SHAPES,
    facts=(
        Fact(
            "no key and no value is repeated",
            repeats_nothing,
            "Let the query heads that share a key stand where they can all meet it as it is.",
        ),
    ),
    edges=(Edge("the batch is empty, or there are no queries", is_empty),),
)  # fmt: skip
