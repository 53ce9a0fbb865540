"""Attention whose scores are a small network's: add, squeeze by tanh, weigh.

Bahdanau, Cho & Bengio, "Neural machine translation by jointly learning to align and translate"
(2015), appendix A.1.2.
"""

import math

import numpy as np

import attnlib
from attnlib.checks import promises
from attnlib.checks.exercise import Case, Exercise, Fact, Promise, close, mistake, wrongly_set
from attnlib.checks.shapes import Shapes
from course.homework.variants import Variant

FAR = Promise(
    "queries and keys of any length are right",
    "tanh is 1 or -1 for large numbers, and no more happens. `np.tanh` knows that; a tanh put "
    "together from exponentials overflows, and then divides inf by inf.",
)
LARGE = Promise(
    "large entries of w_score are right",
    "Scores may be in the thousands, where `np.exp` overflows or gives nothing but zeros. "
    "`attnlib.softmax` subtracts each row's largest score first; do the same, or call it.",
)
WIDTHS = Promise(
    "four widths that differ, or do not, are right",
    "d_query, d_key, d_value and d_hidden are four numbers. Take none of them for another, and "
    "give no axis away where two of them are equal.",
)

BIAS: Variant = 0.5  # of the small network, the same for all its numbers

SHAPES = Shapes(
    "(..., n_queries, d_query), (..., n_keys, d_key), (..., n_keys, d_value), "
    "(d_query, d_hidden), (d_key, d_hidden), (d_hidden) -> (..., n_queries, d_value)"
)


def answer(query, key, value, w_query, w_key, w_score):
    """Give what is right, by which answers are judged: pair by pair, in Python's own floats."""
    *lead, n_queries, _ = query.shape
    output = np.zeros((*lead, n_queries, value.shape[-1]))
    for at in np.ndindex(*lead, n_queries):
        rows, values = key[at[:-1]], value[at[:-1]]
        scores = [_score(query[at], row, w_query, w_key, w_score) for row in rows]
        powers = [math.exp(score - max(scores)) for score in scores]
        for power, row in zip(powers, values, strict=True):
            output[at] += power / math.fsum(powers) * row
    return output


def _score(asks, found, w_query, w_key, w_score):
    hidden = [float(asks @ w_query[:, h] + found @ w_key[:, h]) + BIAS for h in range(len(w_score))]
    return sum(math.tanh(x) * float(w) for x, w in zip(hidden, w_score, strict=True))


def given(rng, n_queries, n_keys, d_query, d_key, d_value, d_hidden, *, lead=()):
    """Give random inputs of these sizes, of two decimals."""
    shapes = (
        (*lead, n_queries, d_query),
        (*lead, n_keys, d_key),
        (*lead, n_keys, d_value),
        (d_query, d_hidden),
        (d_key, d_hidden),
        (d_hidden,),
    )
    query, key, value, w_query, w_key, w_score = (rng.normal(size=s).round(2) for s in shapes)
    return query, key, value, w_query, w_key, 2 * w_score


def cases():
    """Give one query to do by hand, then sizes that all differ, and two equal keys; a batch."""
    yield Case(
        "the example done by hand",
        (
            np.array([[0.0]]),
            np.array([[0.0], [100.0]]),
            np.array([[8.0], [4.0]]),
            np.array([[1.0]]),
            np.array([[1.0]]),
            np.array([math.log(3)]),
        ),
    )
    rng = np.random.default_rng(51)
    inputs = given(rng, 2, 5, 3, 4, 1, 6)
    inputs[1][3] = inputs[1][1]
    yield Case("all sizes differ, and two keys are equal", inputs)
    yield Case("a batch of two", given(rng, 2, 3, 2, 1, 2, 3, lead=(2,)))


def promised():
    """Give the inputs that hold an answer to each promise."""
    rng = np.random.default_rng(52)

    def stretched(factor, *, of):
        inputs = list(given(rng, 3, 5, 2, 3, 2, 2))
        for k in of:
            inputs[k] = inputs[k] * factor
        return tuple(inputs)

    return {
        FAR: [stretched(1000.0, of=(0, 1)), stretched(1e6, of=(0,)), stretched(1e4, of=(1,))],
        LARGE: [stretched(1000.0, of=(5,)), stretched(3e4, of=(5,))],
        promises.SCALE: [stretched(0.01, of=(0, 1)), stretched(1e-3, of=(2,))],
        promises.LEADING: [
            given(rng, 2, 3, 2, 1, 2, 2, lead=lead) for lead in ((2,), (3,), (3, 2), (2, 1, 3))
        ]
        + [given(rng, 3, 1, 2, 1, 2, 2, lead=(2,))],
        promises.SIZES: [
            *(given(rng, *pair, 2, 3, 2, 2) for pair in promises.SIZE_PAIRS),
            given(rng, 1, 1, 1, 1, 1, 1),
            given(rng, 5, 1, 1, 1, 1, 1),
        ],
        WIDTHS: [
            given(rng, 3, 4, 2, 2, 2, 2),
            given(rng, 3, 3, 3, 3, 3, 3),
            given(rng, 2, 3, 1, 4, 3, 1),
            given(rng, 2, 3, 4, 1, 1, 5),
            given(rng, 2, 3, 2, 3, 5, 1),
        ],
        promises.SAME_SHAPES: promises.again(lambda: given(rng, 3, 4, 2, 3, 2, 3)),
    }


def draw(rng):
    """Give random inputs, of sizes that are random too."""
    lead = tuple(rng.integers(1, 4, rng.integers(0, 3)))
    return given(rng, *(int(n) for n in rng.integers(1, 6, 6)), lead=lead)


def scores_of(query, key, w_query, w_key, w_score, squeeze=np.tanh):
    """Give the scores, with a squeeze that may be wrong: (..., n_queries, n_keys)."""
    added = (query @ w_query)[..., :, None, :] + (key @ w_key)[..., None, :, :]
    return squeeze(added + BIAS) @ w_score


def turned(query, key, value, w_query, w_key, w_score, *, squeeze=np.tanh, weigh=attnlib.softmax):
    """Answer with knobs, each of which can be set wrong."""
    return weigh(scores_of(query, key, w_query, w_key, w_score, squeeze)) @ value


@mistake("tanh before the sum")
def early(query, key, value, w_query, w_key, w_score):
    """You squeezed query and key by tanh before you added them.

    Add first, then squeeze the sum. Squeezed apart, each pair's score is a number of the query's
    plus a number of the key's, and then all queries get the same weights.
    """
    asked, found = np.tanh(query @ w_query) @ w_score, np.tanh(key @ w_key) @ w_score
    return attnlib.softmax(asked[..., :, None] + found[..., None, :]) @ value


linear = wrongly_set(
    turned,
    "no tanh",
    "You left out tanh.",
    "Without the curve, each pair's score is a number of the query's plus a number of the key's, "
    "and the softmax does not notice the query's: all queries get the same weights.",
    squeeze=np.positive,
)

late = wrongly_set(
    turned,
    "tanh after w_score",
    "You squeezed the score, and what has to be squeezed is each of the d_hidden numbers.",
    "tanh comes before the product with `w_score`, while there is an axis of d_hidden numbers "
    "left.",
    squeeze=np.positive,
    weigh=lambda scores: attnlib.softmax(np.tanh(scores)),
)


@mistake("scaled")
def scaled(query, key, value, w_query, w_key, w_score):
    """You divided the scores by a square root, and these are not scaled.

    The square root belongs to the dot product. Here `w_score` is learned, its size included.
    """
    scores = scores_of(query, key, w_query, w_key, w_score)
    return attnlib.softmax(scores / np.sqrt(len(w_score))) @ value


another_curve = wrongly_set(
    turned,
    "a curve from 0 to 1",
    "You squeezed by a curve that goes from 0 to 1, and tanh goes from -1 to 1.",
    "`np.tanh` is the curve that is asked for.",
    squeeze=lambda x: 0.5 * (1 + np.tanh(x / 2)),
)

cut_at_0 = wrongly_set(
    turned,
    "cut off below 0",
    "You cut off what is below 0, in place of squeezing by tanh.",
    "`np.tanh` is the curve that is asked for: it keeps every number between -1 and 1.",
    squeeze=lambda x: np.maximum(x, 0),
)

whole = wrongly_set(
    turned,
    "whole scores",
    "Your scores are stored as whole numbers, and decimals have no room there.",
    "An array made with `dtype=int`, or like one of whole numbers, cuts decimals off. `np.zeros` "
    "holds floats.",
    weigh=lambda scores: attnlib.softmax(np.trunc(scores)),
)


@mistake("multiplied")
def multiplied(query, key, value, w_query, w_key, w_score):
    """You multiplied what query and key become, and it has to be added.

    Take the sum of `query @ w_query` and `key @ w_key`, pair by pair.
    """
    met = (query @ w_query)[..., :, None, :] * (key @ w_key)[..., None, :, :]
    return attnlib.softmax(np.tanh(met + BIAS) @ w_score) @ value


@mistake("no bias")
def no_bias(query, key, value, w_query, w_key, w_score):
    """You left out the bias, or added it to the score, where it makes no difference.

    A number that is added to all scores of a row changes no weight. The bias belongs into tanh,
    added to each of the d_hidden numbers.
    """
    return turned(query, key, value, w_query, w_key, w_score, squeeze=lambda x: np.tanh(x - BIAS))


@mistake("subtracted")
def subtracted(query, key, value, w_query, w_key, w_score):
    """You subtracted the key, and it has to be added.

    Take the sum of `query @ w_query` and `key @ w_key`.
    """
    return answer(query, key, value, w_query, -w_key, w_score)


columns = wrongly_set(
    turned,
    "softmax down the columns",
    "You normalised down the columns: axis -2.",
    "Each row belongs to one query, and its weights have to sum to 1: the last axis of the "
    "scores, (..., n_queries, n_keys), is that of the keys.",
    weigh=lambda scores: attnlib.softmax(scores, axis=-2),
)

raw = wrongly_set(
    turned,
    "no softmax",
    "You mixed the values with raw scores, so the softmax is missing.",
    "A softmax along each row makes weights of the scores.",
    weigh=np.positive,
)


@mistake("w_score left out")
def plain_sum(query, key, value, w_query, w_key, w_score):
    """You summed the d_hidden numbers as they are, and `w_score` should weigh them.

    A matrix product with `w_score` takes the last axis away and weighs it at the same time.
    """
    return answer(query, key, value, w_query, w_key, np.ones_like(w_score))


@mistake("w_score made shares")
def shares(query, key, value, w_query, w_key, w_score):
    """You turned `w_score` into shares with a softmax.

    Its numbers are used as they are, negative ones among them. The softmax comes later, along each
    row of scores.
    """
    return answer(query, key, value, w_query, w_key, attnlib.softmax(w_score))


overflowing = wrongly_set(
    turned,
    "the exponential of large scores",
    "Your exponentials overflow where scores are large.",
    "Subtract from each row its own largest score first, or call `attnlib.softmax`.",
    weigh=lambda scores: np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True),
)


axis_1 = wrongly_set(
    turned,
    "softmax along axis 1",
    "Your softmax runs along axis 1, which in a batch is that of the queries.",
    "Count from the end: the keys are axis -1. Try a batch.",
    weigh=lambda scores: attnlib.softmax(scores, axis=1),
)


handmade = wrongly_set(
    turned,
    "tanh from exponentials",
    "Your tanh is put together from exponentials, which overflow for large numbers.",
    "`np.tanh` is right for all of them.",
    squeeze=lambda x: (np.exp(x) - np.exp(-x)) / (np.exp(x) + np.exp(-x)),
)


def means(f, query, key, value, *matrices):
    """No output leaves the range of the values."""
    output = f(query, key, value, *matrices)
    low, high = value.min(axis=-2, keepdims=True), value.max(axis=-2, keepdims=True)
    return bool(((output >= low - 1e-6) & (output <= high + 1e-6)).all())


def of_equal_scores(f, query, key, value, w_query, w_key, w_score):
    """With w_score of zeros all scores are 0, and outputs are plain means."""
    return close(
        f(query, key, value, w_query, w_key, 0 * w_score),
        np.repeat(value.mean(axis=-2, keepdims=True), query.shape[-2], axis=-2),
    )


TASK = Exercise(
    answer=answer,
    cases=cases,
    promises=promised,
    draw=draw,
    shapes=SHAPES,
    facts=(
        Fact("outputs are weighted means of the values", means),
        Fact("equal scores give the plain mean", of_equal_scores),
    ),
)  # fmt: skip
