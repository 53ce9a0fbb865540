"""Sentences of unequal length, filled up."""

import numpy as np

import attnlib
from attnlib.checks import promises
from attnlib.checks.exercise import Case, Exercise, Fact, Promise, mistake

LENGTHS = Promise(
    "lengths from 0 to n_keys are right",
    "A sentence of length 0 has no word to look at: its row is False throughout. One of length "
    "n_keys is True throughout.",
)


def padding_mask(lengths, n_keys):
    """Key j of a sentence is real where j < its length; what follows is filling.

    The axis of length 1 in the middle lets one row of the mask serve every query of its sentence.
    """
    j = np.arange(n_keys)  # (n_keys,)
    return j < lengths[:, None, None]  # (batch, 1, n_keys)


def answer(lengths, n_keys):
    """Give what is right, by which answers are judged."""
    return attnlib.padding_mask(lengths, n_keys)


def cases():
    """Batches of 2, 3 and 5 sentences, each with a full one among them."""
    yield Case("two sentences are right", (np.array([2, 3]), 3))
    yield Case("three sentences are right", (np.array([2, 7, 4]), 7))
    yield Case("five sentences are right", (np.array([11, 1, 6, 2, 9]), 11))
    yield Case("rows that no sentence fills are right", (np.array([4, 1, 3]), 5))


def promised():
    """Give the inputs that hold an answer to each promise."""
    empty = np.array([], dtype=int)
    return {
        LENGTHS: [
            (np.array(lengths), n_keys)
            for lengths, n_keys in (([0, 3], 3), ([0, 0, 0], 5), ([5, 0, 4, 1, 3, 2], 5), ([0], 1))
        ],
        promises.SIZES: [
            (np.array(lengths), n_keys)
            for lengths, n_keys in (
                ([1], 1),
                ([2], 5),
                ([1, 1, 0, 1], 1),
                ([3, 1, 2], 3),
                ([2, 5, 1, 3, 4, 2, 5], 5),
                ([1, 2], 11),
            )
        ],
        promises.EMPTY: [(empty, 5), (empty, 1)],
        promises.SAME_SHAPES: [
            (np.array(lengths), n_keys)
            for n_keys in (7, 9)
            for lengths in ([2, 7, 4], [7, 1, 0], [3, 3, 5])
        ],
    }


@mistake("inverted")
def inverted(lengths, n_keys):
    """Your mask is inverted: it is True at the padding.

    True means "may look" here: turn it round with `~`.
    """
    return ~attnlib.padding_mask(lengths, n_keys)


@mistake("one key too many")
def too_many(lengths, n_keys):
    """Each sentence shows one key too many.

    Keys count from 0: a sentence of length 2 has the keys 0 and 1. Compare with `<`, not `<=`.
    """
    return np.arange(n_keys) <= lengths[:, None, None]


@mistake("one key too few")
def too_few(lengths, n_keys):
    """Each sentence shows one key too few.

    Keys count from 0: True where j < length, without subtracting 1.
    """
    return np.arange(n_keys) < lengths[:, None, None] - 1


@mistake("the middle axis missing")
def flat(lengths, n_keys):
    """Your values are right, but the axis of length 1 is missing: yours is (batch, n_keys).

    Insert it: `mask[:, None, :]`. Then it fits onto scores of shape (batch, n_queries, n_keys).
    """
    return np.arange(n_keys) < lengths[:, None]


@mistake("no new axis")
def no_axis(lengths, n_keys):
    """You compared two rows, entry by entry: a column and a row make a matrix.

    Stand the lengths up, and leave an axis for the queries: `lengths[:, None, None]`.
    """
    return np.arange(n_keys) < lengths


@mistake("no new axis, lengths first")
def no_axis_reversed(lengths, n_keys):
    """You compared two rows, entry by entry: a column and a row make a matrix.

    Stand the lengths up, and leave an axis for the queries: `lengths[:, None, None]`.
    """
    return lengths > np.arange(n_keys)


@mistake("always 3 keys")
def three(lengths, n_keys):
    """Your mask is 3 keys wide, whatever is asked for.

    Use `n_keys` where the number stands.
    """
    return np.arange(3) < lengths[:, None, None]


@mistake("always 5 keys")
def five(lengths, n_keys):
    """Your mask is 5 keys wide, whatever is asked for.

    Use `n_keys` where the number stands.
    """
    return np.arange(5) < lengths[:, None, None]


@mistake("the new axis at the end")
def last_axis(lengths, n_keys):
    """Your new axis stands at the end, (batch, n_keys, 1): that would hide queries.

    Keys are the last axis: the axis of length 1 belongs in the middle, `mask[:, None, :]`.
    """
    return (np.arange(n_keys) < lengths[:, None])[:, :, None]


@mistake("the new axis in front")
def first_axis(lengths, n_keys):
    """Your new axis stands in front, (1, batch, n_keys): sentences would be taken for queries.

    The batch comes first: the axis of length 1 belongs in the middle, `mask[:, None, :]`.
    """
    return (np.arange(n_keys) < lengths[:, None])[None]


@mistake("padding in front")
def left(lengths, n_keys):
    """You hid the beginning of each sentence: the padding is at the end.

    The real keys are the first ones: True where j < length.
    """
    return np.arange(n_keys) >= n_keys - lengths[:, None, None]


@mistake("numbers instead of booleans")
def ones(lengths, n_keys):
    """Your mask is right, but it is made of 0 and 1: a mask is boolean.

    A comparison such as `j < length` gives True and False; `.astype(bool)` turns numbers into them.
    """
    return attnlib.padding_mask(lengths, n_keys).astype(float)


@mistake("an additive mask")
def additive(lengths, n_keys):
    """You made an additive mask of 0 and -inf; a boolean one is asked for.

    Return True where there is a word: the places of your zeros.
    """
    return np.where(attnlib.padding_mask(lengths, n_keys), 0.0, -np.inf)


@mistake("queries hidden as well")
def both(lengths, n_keys):
    """You hid rows as well: yours is (batch, n_keys, n_keys), with queries that see nothing.

    Padding is hidden as keys only: return (batch, 1, n_keys).
    """
    mask = np.arange(n_keys) < lengths[:, None]
    return mask[:, None, :] & mask[:, :, None]


@mistake("only the key at the length")
def only_one(lengths, n_keys):
    """You compared with `==`: one key at most is left of each sentence.

    All keys before the length are real: compare with `<`.
    """
    return np.arange(n_keys) == lengths[:, None, None]


EXERCISE = Exercise(
    solution=padding_mask,
    answer=answer,
    cases=cases,
    promises=promised,
    facts=(
        Fact("the mask is boolean", lambda f, lengths, n: f(lengths, n).dtype == bool),
        Fact("one row for each sentence, (batch, 1, n_keys)", lambda f, lengths, n: f(
            lengths, n).shape == (len(lengths), 1, n)),
        Fact("each sentence shows as many keys as it has words", lambda f, lengths, n: bool(
            (f(lengths, n).sum(axis=(1, 2)) == lengths).all())),
        Fact("the padding is at the end", lambda f, lengths, n: bool(
            (f(lengths, n)[..., :-1] >= f(lengths, n)[..., 1:]).all())),
    ),
    mistakes=(
        inverted, too_many, too_few, flat, no_axis, no_axis_reversed, three, five, last_axis,
        first_axis, left, ones, additive, both, only_one,
    ),
    hints=(
        "Number the keys 0, 1, 2, … and compare these numbers with each sentence's length.",
        "`lengths[:, None]` is a column, `np.arange(n_keys)` a row: comparing them gives "
        "(batch, n_keys). The axis for the queries is missing, between the two.",
    ),
)  # fmt: skip
