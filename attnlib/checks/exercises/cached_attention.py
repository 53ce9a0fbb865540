"""Attention of one new word in all heads, where the keys and values before it were kept."""

import numpy as np

import attnlib
from attnlib.checks import promises
from attnlib.checks import wrong_attention as wrong
from attnlib.checks.exercise import Case, Exercise, Fact, Promise, close, mistake, wrongly_set
from attnlib.checks.exercises.decode_step import FIRST, LONG_TEXT, OF_ONE_QUERY
from attnlib.checks.shapes import Shapes

STEEP = Promise(
    "large scores are right",
    "`np.exp` overflows above 709, and far below 0 it gives nothing but zeros. Subtract each "
    "head's largest score first, or call your own `softmax`.",
)

SHAPES = Shapes(
    "(..., d_key), (..., n, d_key), (..., n, d_value), (..., d_key), (..., d_value) "
    "-> (..., d_value), (..., n+1, d_key), (..., n+1, d_value)"
)


def cached_attention(query, keys, values, key, value):
    """Append the new word's key and value in each head, and let its query look at all of them.

    The words before look at nobody new, so nothing of theirs is computed again. One row of scores
    for each head is all that a new word costs.
    """
    keys = np.concatenate([keys, key[..., None, :]], axis=-2)  # (..., n + 1, d_key)
    values = np.concatenate([values, value[..., None, :]], axis=-2)  # (..., n + 1, d_value)
    scores = (keys @ query[..., None])[..., 0] / np.sqrt(query.shape[-1])  # (..., n + 1)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = weights / weights.sum(axis=-1, keepdims=True)
    return (weights[..., None, :] @ values)[..., 0, :], keys, values


def answer(query, keys, values, key, value):
    """Give what is right, by which answers are judged."""
    keys, values = appended(keys, key), appended(values, value)
    return looked(query, keys, values), keys, values


def appended(kept, new):
    """Give what was kept with one row more, in each head."""
    return np.concatenate([kept, new[..., np.newaxis, :]], axis=-2)


def looked(query, keys, values):
    """Let one query of each head look."""
    return attnlib.attention(query[..., np.newaxis, :], keys, values)[..., 0, :]


def turned(
    query, keys, values, key, value, *, order=appended, asks=lambda query, key: query, scale=None,
    weigh=attnlib.softmax,
):  # fmt: skip
    """Answer with knobs, each of which can be set wrong."""
    keys, values = order(keys, key), order(values, value)
    query = asks(query, key)[..., np.newaxis, :]
    return wrong.attend(query, keys, values, scale=scale, weigh=weigh)[..., 0, :], keys, values


def cases():
    """One head by hand; three heads; more heads than words; a batch of heads."""
    given = SHAPES.given(np.random.default_rng(42))
    query, key, value = np.array([1.0, 2, -1]), np.array([2.0, 0, 1]), np.array([0.0, 2])
    keys = np.array([[0.0, 1, 0], [-1, 1, 1], [1, 0, 1], [0, 2, 1]])
    values = np.array([[1.0, 0], [0, 1], [2, 1], [1, 3]])
    yield Case("the small example is right", (query, keys, values, key, value))
    yield Case("three heads are right", given((3,), n=7, d_key=5, d_value=2))
    yield Case("more heads than words are right", given((7,), n=2, d_key=3, d_value=5))
    yield Case("works with leading batch axes", given((2, 3), n=5, d_key=7, d_value=11))


def promised():
    """Give the inputs that hold an answer to each promise."""
    given = SHAPES.given(rng := np.random.default_rng(142))

    def steep(levels):
        for queries, key in promises.steep_pairs(levels):
            values = rng.normal(size=(len(key), 2))
            inputs = key[:-1], values[:-1], key[-1], values[-1]
            yield from ((query, *inputs) for query in queries)
            # One head's scores are near the highest level, another's near the lowest.
            yield queries, *(np.stack([x] * len(queries)) for x in inputs)

    shapes = promises.of_shapes(SHAPES, given)
    del shapes[promises.EMPTY]  # no words yet is a promise here, and stands below
    return shapes | {
        FIRST: [given(n=0), given((3,), n=0), given((2, 3), n=0, d_key=1, d_value=1)],
        LONG_TEXT: [given(n=31), given((3,), n=101)],
        STEEP: list(steep(promises.LEVELS)),
        promises.SCORES.beyond: list(steep([promises.BEYOND])),
    }


@mistake("own key left out")
def without_itself(query, keys, values, key, value):
    """You let the word look at those before it alone, and its own key and value are left out.

    Under the causal mask a word may look at itself. Append first, and look then.
    """
    some = keys.shape[-2] > 0
    output = looked(query, keys, values) if some else np.full_like(value, np.nan)
    return output, appended(keys, key), appended(values, value)


@mistake("own key not kept")
def not_kept(query, keys, values, key, value):
    """Your output is right, but the keys and values that you return lack this word's.

    The next word will want to look at this one. Return what you have appended to.
    """
    return answer(query, keys, values, key, value)[0], keys.copy(), values.copy()


in_front = wrongly_set(
    turned,
    "appended in front",
    "You put the new rows in front of the old ones, and the text runs backwards.",
    "The output does not notice, as attention knows no order. But a row is a place. Append below.",
    order=lambda kept, new: np.concatenate([new[..., np.newaxis, :], kept], axis=-2),
)


@mistake("appended as a head")
def as_a_head(query, keys, values, key, value):
    """You appended along the first axis, where the heads are.

    The words of a head lie along the last axis but one: give the new row that axis, and append
    along it.
    """
    return np.concatenate([keys, key[np.newaxis]], axis=0)


@mistake("no new axis")
def no_new_axis(query, keys, values, key, value):
    """You joined the new key to the kept ones as it is, and it has one axis less than they have.

    Give it the axis of the words, of length 1, before its last.
    """
    return np.concatenate([keys, key], axis=-2)


@mistake("new row appended as a column")
def beside(query, keys, values, key, value):
    """You appended along the last axis: there stand the features of a word.

    A word is a row, and stands below the others, along the last axis but one.
    """
    return np.concatenate([keys, key[..., np.newaxis]], axis=-1)


unscaled = wrongly_set(
    turned,
    "no scale",
    "You did not divide the scores by the square root of d_key.",
    "It is the attention that you know, with a single query in each head.",
    scale=1.0,
)

scaled_by_n = wrongly_set(
    turned,
    "scaled by the number of words",
    "You took the square root of the number of words for the scale.",
    "How many keys there are makes no score larger. Take the width of the query.",
    scale=lambda query, keys: 1 / np.sqrt(keys.shape[-2]),
)

unshifted = wrongly_set(
    turned,
    "no max shift",
    "Your formula is right, but large scores overflow in `np.exp`, and inf / inf is nan.",
    "Subtract each head's largest score before `np.exp`, or call your own `softmax`.",
    weigh=wrong.unshifted,
)

unnormalised = wrongly_set(
    turned,
    "not normalised",
    "You did not divide by the sum of the exponentials, so the weights do not sum to 1.",
    "It is a softmax over all keys of a head, the new one among them.",
    weigh=lambda s: np.exp(s - s.max(axis=-1, keepdims=True)),
)

key_asks = wrongly_set(
    turned,
    "the new key asks",
    "You let the word's key ask, and its query is not used.",
    "The query asks, and the key is what later words find it by.",
    asks=lambda query, key: key,
)


@mistake("query kept as the key")
def query_kept(query, keys, values, key, value):
    """You kept the query where the key belongs.

    A query asks once and is never needed again. Nobody looks for it: keys are what is looked for.
    """
    return answer(query, keys, values, query, value)


@mistake("an axis too many")
def row_left(query, keys, values, key, value):
    """Your output has an axis too many, for one word gets one row of numbers in each head.

    A matrix of one query gives a matrix of one output. Take its row 0.
    """
    keys, values = appended(keys, key), appended(values, value)
    return attnlib.attention(query[..., np.newaxis, :], keys, values), keys, values


@mistake("one head alone")
def one_head(query, keys, values, key, value):
    """Your function is right for one head, and wrong or an error with axes in front.

    Count the axes from the end. `np.vstack` and a product with a vector know no heads.
    """
    keys, values = np.vstack([keys, key]), np.vstack([values, value])
    return looked(query, keys, values), keys, values


@mistake("key in front, value below")
def out_of_step(query, keys, values, key, value):
    """You put the new key in front and the new value below, so each key has another word's value.

    Append both in the same place: below.
    """
    keys = np.concatenate([key[..., np.newaxis, :], keys], axis=-2)
    values = appended(values, value)
    return looked(query, keys, values), keys, values


@mistake("scale of d_value")
def by_values(query, keys, values, key, value):
    """You divided the scores by the square root of d_value, and d_key is what counts.

    A score adds up the d_key products of a query and a key. Values have no part in it.
    """
    return turned(query, keys, values, key, value, scale=1 / np.sqrt(value.shape[-1]))


@mistake("largest score of all heads")
def largest_of_all(query, keys, values, key, value):
    """You subtracted the largest score of all heads, and a head whose scores are all low is lost.

    Far below 0 `np.exp` gives nothing but zeros, and 0 / 0 is nan. Subtract each head's own largest
    score: keep the axis in front.
    """

    def weigh(scores):
        e = np.exp(scores - scores.max())
        return e / e.sum(axis=-1, keepdims=True)

    return turned(query, keys, values, key, value, weigh=weigh)


@mistake("softmax over the heads")
def over_heads(query, keys, values, key, value):
    """You took the softmax along the first axis, and where heads are in front, that is theirs.

    Each head has a whole of its own to share out among the words: the last axis of its scores.
    """
    scores = wrong.scores_of(query[..., np.newaxis, :], appended(keys, key))[..., 0, :]
    weights = attnlib.softmax(scores, axis=0)[..., np.newaxis, :]
    keys, values = appended(keys, key), appended(values, value)
    return (weights @ values)[..., 0, :], keys, values


def as_matrices(query, keys, values, key, value):
    """Give a matrix of one query in each head, and keys and values with the word's own."""
    return query[..., np.newaxis, :], appended(keys, key), appended(values, value)


def as_rows(output, query, keys, values, key, value):
    """Give the answer from a matrix of one output in each head."""
    return output[..., 0, :], appended(keys, key), appended(values, value)


def as_in_full(answer, query, keys, values, key, value):
    """Compare with the last row of causal attention over the whole text."""
    whole = appended(keys, key), appended(values, value)
    n = whole[0].shape[-2]
    queries = np.concatenate([np.ones_like(keys), query[..., np.newaxis, :]], axis=-2)
    full = attnlib.attention(queries, *whole, mask=attnlib.causal_mask(n))
    return close(answer(query, keys, values, key, value)[0], full[..., -1, :])


EXERCISE = Exercise(
    solution=cached_attention,
    answer=answer,
    shapes=SHAPES,
    cases=cases,
    promises=promised,
    ends=(promises.SCORES,),
    mistakes=(..., *(known.around(as_matrices, as_rows) for known in OF_ONE_QUERY)),
    facts=(
        Fact("it is the last row of causal attention over the whole text", as_in_full),
        Fact("equal values come out as they are", lambda f, q, ks, vs, k, v: close(
            f(q, ks, 0 * vs + v[..., np.newaxis, :], k, v)[0], v)),
        Fact("the new rows are the last", lambda f, q, ks, vs, k, v: close(
            f(q, ks, vs, k, v)[1][..., -1, :], k) and close(f(q, ks, vs, k, v)[2][..., -1, :], v)),
        Fact("what was kept stays as it is", lambda f, q, ks, vs, k, v: close(
            f(q, ks, vs, k, v)[1][..., :-1, :], ks)),
    ),
    hints=(
        "In each head it is the attention of one query. Which keys may it look at, and is its own "
        "among them? Where among the axes do the words of a head stand, if heads are in front?",
        "`np.concatenate([keys, key[..., None, :]], axis=-2)` appends a row in each head. Do the "
        "same for the values. A query with an axis for one word, `query[..., None, :]`, is a "
        "matrix, and `attention` of lesson 04 takes that; at the end the axis goes again.",
    ),
    parts=("output", "keys", "values"),
)  # fmt: skip
