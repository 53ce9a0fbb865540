"""Attention with a sink: one more key, of score 0 and value 0, that is never built.

Xiao, Tian, Chen, Han & Lewis, "Efficient streaming language models with attention sinks" (2023),
section 3.3, calls it a zero sink.
"""

import math

import numpy as np

import attnlib
from attnlib.checks import promises
from attnlib.checks.exercise import Case, Edge, Exercise, Fact, Promise, close, mistake
from attnlib.checks.shapes import Shapes
from course.homework.task import halved_width, is_empty

LARGE = Promise(
    "scores far above 0 and far below are right",
    "No exponent may be above 0. The largest score of a row may be below that of the sink, which "
    "is 0, so subtract the larger of the two from all of them, the sink's included.",
)
NOTHING = Promise(
    "a query that may look at nothing gets zeros",
    "All of its attention goes to the sink, which hands over nothing. -inf - -inf is NaN, so do "
    "not subtract -inf: the sink's 0 is larger.",
)
NO_KEYS = Promise(
    "no keys at all give zeros",
    "The largest of no scores does not exist, and yet the sink has one, 0. `max` can be told: "
    "`scores.max(axis=-1, keepdims=True, initial=0.0)`.",
)
MASKS = Promise(
    "masks that broadcast are right",
    "A mask may have fewer axes than the scores, or axes of length 1. `np.where` broadcasts it.",
)
HIDDEN = Promise(
    "what is hidden is not noticed",
    "A hidden key has no part in the sum either, nor in what is subtracted: put -inf in the place "
    "of its score before all else.",
)

SHAPES = Shapes(
    "(..., n_queries, d_key), (..., n_keys, d_key), (..., n_keys, d_value), "
    "~(n_queries, n_keys) -> (..., n_queries, d_value)"
)


def answer(query, key, value, mask):
    """Give what is right, by which answers are judged: with the sink built after all."""
    lead = query.shape[:-2]
    mask = np.broadcast_to(mask, (*query.shape[:-1], key.shape[-2]))
    key = np.concatenate([key, np.zeros((*lead, 1, key.shape[-1]))], axis=-2)
    value = np.concatenate([value, np.zeros((*lead, 1, value.shape[-1]))], axis=-2)
    mask = np.concatenate([mask, np.ones((*mask.shape[:-1], 1), dtype=bool)], axis=-1)
    return attnlib.attention(query, key, value, mask=mask)


def given(rng, n_queries, n_keys, d_key, d_value, *, lead=(), mask=None):
    """Give random inputs of these sizes, of two decimals."""
    query = 2 * rng.normal(size=(*lead, n_queries, d_key)).round(2)
    key = rng.normal(size=(*lead, n_keys, d_key)).round(2)
    value = rng.normal(size=(*lead, n_keys, d_value)).round(2)
    mask = rng.random((*lead, n_queries, n_keys)) < 0.7 if mask is None else mask
    return query, key, value, mask


def cases():
    """Give the example done by hand, a row that sees nothing, and a batch below 0."""
    yield Case(
        "the example done by hand",
        (
            np.array([[1.0]]),
            np.array([[math.log(3)], [0.0]]),
            np.array([[10.0], [5.0]]),
            np.array([[True, True]]),
        ),
    )
    rng = np.random.default_rng(56)
    mask = np.array([[True, False, True, True, False], [False] * 5, [True] * 5])
    yield Case("a query that may look at nothing", given(rng, 3, 5, 2, 3, mask=mask))
    query, key, value, _ = given(rng, 2, 3, 2, 1, lead=(2,))
    below = 1 + abs(query), -1 - abs(key), value, lower(2, 3)
    yield Case("a batch, and all scores below that of the sink", below)


def promised():
    """Give the inputs that hold an answer to each promise."""
    rng = np.random.default_rng(57)

    def level(n_queries, n_keys, level, *, seen=True):
        """Give scores that lie near a level in every row: above the sink's, or below it."""
        query, key, value, _ = given(rng, n_queries, n_keys, 3, 2)
        query[:, 0], key[:, 0] = np.sqrt(3), level
        query[:, 1:] *= 0.5
        mask = np.ones((n_queries, n_keys), dtype=bool) if seen else lower(n_queries, n_keys)
        return query, key, value, mask

    def loud(factor):
        """Give keys that nobody may see, and that would be heard by everybody."""
        query, key, value, mask = given(rng, 3, 5, 2, 3, mask=lower(3, 5))
        key[3:] *= factor
        value[3:] *= factor
        return query, key, value, mask

    # The sink's share is e**-3, e**-7 and e**-8: little, and still more than the tolerance.
    faint = np.array([[3.0], [7.0], [8.0]]), np.ones((1, 1)), np.ones((1, 2)), np.ones((3, 1), bool)
    every = np.array([[True, True]])
    some_of_each = np.ones((1, 1)), np.array([[1.0], [-2000.0]]), np.array([[2.0], [3.0]]), every
    steep = [
        promises.steep(n_queries, n_keys, promises.LEVELS[0], one_sign=one_sign)
        for n_queries, n_keys in ((3, 7), (5, 3))
        for one_sign in (False, True)
    ]
    return {
        LARGE: [
            *(level(3, 5, height) for height in (30.0, 800.0, 3000.0, -5.0, -30.0, -800.0)),
            level(5, 5, 2000.0, seen=False),
            faint,
            some_of_each,
            level(2, 4, 1e6),
            level(2, 4, -1e6),
            *((q, k, rng.normal(size=(len(k), 2)).round(2), seen(q, k)) for q, k in steep),
        ],
        NOTHING: [
            given(rng, 3, 4, 2, 3, mask=np.zeros((3, 4), dtype=bool)),
            given(rng, 4, 4, 2, 3, mask=~lower(4, 4)),
            given(rng, 2, 3, 2, 1, lead=(2,), mask=attnlib.padding_mask([0, 2], 3)),
            given(rng, 3, 2, 2, 1, lead=(2,), mask=np.zeros((2, 3, 2), dtype=bool)),
        ],
        NO_KEYS: [given(rng, 3, 0, 2, 4), given(rng, 2, 0, 3, 1, lead=(2,))],
        HIDDEN: [
            *(loud(factor) for factor in (1000.0, -1000.0, 30.0, 1e30)),
            given(rng, 5, 11, 2, 2),
        ],
        MASKS: [
            given(rng, 3, 4, 2, 1, lead=(2,), mask=attnlib.padding_mask([3, 1], 4)),
            given(rng, 2, 3, 2, 2, lead=(2, 3), mask=np.array([True, False, True])),
            given(rng, 3, 3, 2, 2, lead=(3,), mask=lower(3, 3)),
            given(rng, 3, 5, 2, 2, mask=np.array([[True], [False], [True]])),
        ],
        promises.LEADING: [
            given(rng, 2, 3, 2, 1, lead=lead) for lead in ((2,), (3,), (3, 2), (2, 1, 3))
        ],
        promises.SIZES: [
            *(given(rng, *sizes, 3, 2) for sizes in promises.SIZE_PAIRS),
            given(rng, 1, 1, 1, 1, mask=np.array([[True]])),
            given(rng, 4, 4, 4, 4),
            given(rng, 3, 4, 7, 1),
            given(rng, 3, 4, 1, 7),
            given(rng, 2, 2, 2, 2, lead=(2,)),
            given(rng, 3, 17, 1, 1),
        ],
        promises.SAME_SHAPES: promises.again(lambda: given(rng, 3, 5, 2, 3, mask=lower(3, 5))),
    }


def lower(n_queries, n_keys):
    """Give the causal mask."""
    return attnlib.causal_mask(n_queries, n_keys)


def seen(query, key):
    """Give a mask that hides nothing."""
    return np.ones((len(query), len(key)), dtype=bool)


def draw(rng):
    """Give random inputs, of sizes that are random too; some queries see nothing."""
    lead = tuple(rng.integers(1, 4, rng.integers(0, 3)))
    query, key, value, mask = given(rng, *(int(n) for n in rng.integers(1, 7, 4)), lead=lead)
    return query * 10 ** rng.uniform(-1, 3), key, value, mask


def scores_of(query, key, mask, scale=None):
    """Give scores, -inf where hidden."""
    return np.where(mask, attnlib.attention_scores(query, key, scale=scale), -np.inf)


def shifted(scores):
    """Give exponentials and what was subtracted: each row's largest score, or the sink's 0."""
    top = scores.max(axis=-1, keepdims=True, initial=0.0)
    return np.exp(scores - top), top


@mistake("no sink")
def without(query, key, value, mask):
    """There is no sink: the weights of each query sum to 1.

    One more exponential, that of the sink's score, belongs in the sum that they are divided by.
    """
    powers, _ = shifted(scores_of(query, key, mask))
    total = powers.sum(axis=-1, keepdims=True)
    return powers @ value / np.where(total > 0, total, 1)


@mistake("the sign of what was subtracted")
def wrong_sign(query, key, value, mask):
    """You gave the sink e to the number that you subtracted, and the minus is missing.

    Its score is 0, and 0 minus what was subtracted from all scores is below 0: `np.exp(-m)`.
    """
    powers, top = shifted(scores_of(query, key, mask))
    return powers / (powers.sum(axis=-1, keepdims=True) + np.exp(top)) @ value


@mistake("1 added after the shift")
def off_by_one(query, key, value, mask):
    """You added 1 to the sum after you had subtracted each row's largest score.

    What is subtracted from all scores is subtracted from the sink's, too, so its exponential is no
    longer 1: it is that of 0 minus what you subtracted.
    """
    scores = scores_of(query, key, mask)
    top = scores.max(axis=-1, keepdims=True, initial=-1e300)  # there may be no keys
    powers = np.exp(scores - top)
    return powers / (powers.sum(axis=-1, keepdims=True) + 1) @ value


@mistake("1 for the sink, whatever was subtracted")
def one_for_the_sink(query, key, value, mask):
    """You added 1 for the sink after you had subtracted a number from all the other scores.

    What is subtracted from all scores is subtracted from the sink's, too, so its exponential is no
    longer 1: it is that of 0 minus what you subtracted.
    """
    powers, _ = shifted(scores_of(query, key, mask))
    return powers / (powers.sum(axis=-1, keepdims=True) + 1) @ value


@mistake("a sink of score 1")
def of_score_1(query, key, value, mask):
    """You gave the sink the score 1, and its score is 0.

    Beside shifted exponentials, what stands for the sink is e to 0 minus what you subtracted.
    """
    powers, top = shifted(scores_of(query, key, mask))
    return powers / (powers.sum(axis=-1, keepdims=True) + np.exp(1 - top)) @ value


@mistake("hidden scores set to 0")
def zeros(query, key, value, mask):
    """You gave hidden keys the score 0, and a score of 0 gets a weight.

    The exponential of 0 is 1. What is to have the weight 0 needs the score -inf.
    """
    scores = attnlib.attention_scores(query, key)
    powers, top = shifted(np.where(mask, scores, 0))
    return powers / (powers.sum(axis=-1, keepdims=True) + np.exp(-top)) @ value


@mistake("the mask as an index")
def indexed(query, key, value, mask):
    """You index the scores with the mask, and that takes a mask of their very shape.

    A mask may have fewer axes than the scores, or shorter ones. `np.where` broadcasts it.
    """
    scores = attnlib.attention_scores(query, key)
    scores[~mask] = -np.inf
    powers, top = shifted(scores)
    return powers / (powers.sum(axis=-1, keepdims=True) + np.exp(-top)) @ value


@mistake("each key by itself")
def sigmoid(query, key, value, mask):
    """You weighed each key by itself, against the sink alone.

    All keys and the sink share one weight of 1: there is one sum for a whole row.
    """
    return 0.5 * (1 + np.tanh(scores_of(query, key, mask) / 2)) @ value


@mistake("a sum over the queries")
def columns(query, key, value, mask):
    """You divided by sums over the queries: axis -2.

    Each query shares a weight of 1 out among the keys and the sink: the last axis.
    """
    powers, top = shifted(scores_of(query, key, mask))
    return powers / (powers.sum(axis=-2, keepdims=True) + np.exp(-top)) @ value


@mistake("exponentials that overflow")
def overflowing(query, key, value, mask):
    """Your exponentials overflow where scores are large.

    Subtract from each row the larger of its largest score and the sink's 0.
    """
    powers = np.exp(scores_of(query, key, mask))
    return powers / (1 + powers.sum(axis=-1, keepdims=True)) @ value


@mistake("no scaling")
def unscaled(query, key, value, mask):
    """You did not scale the scores.

    Divide them by the square root of d_key, as always.
    """
    powers, top = shifted(scores_of(query, key, mask, scale=1.0))
    return powers / (powers.sum(axis=-1, keepdims=True) + np.exp(-top)) @ value


@mistake("hidden keys in the sum")
def masked_late(query, key, value, mask):
    """You hid the keys after the sum was taken, so hidden ones still take their share.

    What is hidden too late has already been seen: put -inf in place of hidden scores first.
    """
    powers, top = shifted(attnlib.attention_scores(query, key))
    return powers / (powers.sum(axis=-1, keepdims=True) + np.exp(-top)) * mask @ value


@mistake("the mask left out")
def unmasked(query, key, value, mask):
    """You left out the mask.

    Put -inf in place of the scores where it is False.
    """
    return answer(query, key, value, np.array(True))


@mistake("a sink that hands over the mean")
def generous(query, key, value, mask):
    """Your sink hands over something, and its value is 0.

    The sink takes a share of the attention, and gives nothing for it: it is in the sum that you
    divide by, and not among the values.
    """
    powers, top = shifted(scores_of(query, key, mask))
    share = np.exp(-top)
    total = powers.sum(axis=-1, keepdims=True) + share
    return (powers @ value + share * value.mean(axis=-2, keepdims=True)) / total


@mistake("a sink for the whole array")
def one_shift(query, key, value, mask):
    """You subtracted the largest score of all rows, and some rows lie far below it.

    Each row has its own largest score: `axis=-1, keepdims=True`.
    """
    scores = scores_of(query, key, mask)
    top = scores.max(initial=0.0)
    powers = np.exp(scores - top)
    return powers / (powers.sum(axis=-1, keepdims=True) + np.exp(-top)) @ value


def less_than_all(f, query, key, value, mask):
    """With values of 1 the output is what the sink leaves, between 0 and 1."""
    output = f(query, key, np.ones_like(value), mask)
    return bool(((output >= 0) & (output < 1)).all())


def of_equal_scores(f, query, key, value, mask):
    """With queries of 0 all scores are 0, and the sink is one more of them."""
    n_keys = key.shape[-2]
    seen = np.ones((query.shape[-2], n_keys), dtype=bool)
    due = value.sum(axis=-2, keepdims=True) / (n_keys + 1)
    return close(f(0 * query, key, value, seen), np.repeat(due, query.shape[-2], axis=-2))


TASK = Exercise(
    answer=answer,
    cases=cases,
    promises=promised,
    draw=draw,
    mistakes=(..., halved_width(answer)),
    shapes=SHAPES,
    facts=(
        Fact("the sink leaves less than all", less_than_all),
        Fact("among equal scores the sink is one more", of_equal_scores),
    ),
    edges=(Edge("there are no keys", is_empty),),
)  # fmt: skip
