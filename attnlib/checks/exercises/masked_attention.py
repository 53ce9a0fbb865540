"""Attention that may not look everywhere."""

import numpy as np

import attnlib
from attnlib.checks import promises
from attnlib.checks import wrong_attention as wrong
from attnlib.checks.exercise import Case, Exercise, Fact, Promise, close, mistake

VISIBLE = Promise(
    "one visible key or all of them are right",
    "A query that sees one key takes home its value as it is; where all keys are visible, the mask "
    "changes nothing.",
)
HIDDEN = Promise(
    "nothing of a hidden value comes through",
    "A weight that is merely small still lets a large value through: it must be exactly 0, and "
    "exp(-inf) is.",
)


def masked_attention(query, key, value, mask):
    """Set hidden scores to -inf before the softmax: their exponential is exactly 0.

    The weights left over then sum to 1, as if the hidden keys were not there.
    """
    scores = query @ key.T / np.sqrt(query.shape[-1])  # (n_queries, n_keys)
    scores = np.where(mask, scores, -np.inf)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = weights / weights.sum(axis=-1, keepdims=True)
    return weights @ value


def answer(query, key, value, mask):
    """Give what is right, by which answers are judged."""
    return attnlib.attention(query, key, value, mask=mask)


def cases():
    """Two queries by hand; a key with a score of 1e35 hidden; a square mask; many keys, twice."""
    rng = np.random.default_rng(11)
    query = np.array([[1.0, 0.0, 2.0], [0.0, 2.0, 1.0]])
    key = np.array([[1.0, 0, 1], [0, 1, 0], [2, 0, 0], [0, 2, 1], [1, 1, 0]])
    value = np.array([[4.0, 0, 0, 0, 1, 0, 0], [0, 4, 0, 0, 0, 1, 0], [0, 0, 4, 0, 0, 0, 1],
                      [0, 0, 0, 4, 1, 0, 0], [2, 0, 0, 0, 0, 2, 0]])  # fmt: skip
    mask = np.array([[True, True, False, True, False], [True, False, True, True, True]])
    yield Case("the small example is right", (query, key, value, mask))
    query = np.array([[1.0, 1.0, 2.0], [2.0, 1.0, 1.0]])
    key = np.array([[-1.0, -1, -4], [-1, -3, -4], [-4, -1, -3], 3 * [1e35], [-3, -3, -3]])
    mask = np.array([[True, False, True, False, True], [True, True, True, False, False]])
    yield Case("a hidden score of any size has no effect", (query, key, value, mask))
    yield Case(
        "as many queries as keys are right", (*random_inputs(rng, 5, 5, 7, 3), square_mask())
    )
    query, key, value = random_inputs(rng, 3, 11, 13, 5)
    mask = rng.random((3, 11)) < 0.6
    mask[:, 0], mask[0, 2], mask[1, 3:6] = True, False, True
    yield Case("more keys than queries are right", (query, key, value, mask))
    key = key.copy()
    key[2] = 300 * query[0]  # query 0 may not see it
    mask[:, 2] = False
    mask[1, 2] = True
    yield Case("a hidden score of any size has no effect", (query, key, value, mask))


def promised():
    """Give the inputs that hold an answer to each promise."""
    rng = np.random.default_rng(111)

    def given(n_queries=5, n_keys=7, d_key=3, d_value=2):
        mask = rng.random((n_queries, n_keys)) < 0.5
        mask[np.arange(n_queries), rng.integers(n_keys, size=n_queries)] = True
        return *random_inputs(rng, n_queries, n_keys, d_key, d_value), mask

    return {
        promises.SIZES: [
            given(n, m, *width)
            for n, m in promises.SIZE_PAIRS
            for width in ((3, 2), (1, 1), (5, 5))
        ],
        VISIBLE: [
            (*given()[:3], mask)
            for mask in (
                np.ones((5, 7), bool),
                np.eye(5, 7, dtype=bool),
                np.arange(7)[None] > 3 - np.arange(5)[:, None],
            )
        ],
        promises.LARGE: list(steep_inputs(rng)),
        HIDDEN: [hidden_giant(*given(), size) for size in (1e12, -1e30)],
        promises.NO_QUERIES: [given(0, 7), given(0, 1)],
        promises.SAME_SHAPES: promises.again(given),
    }


def hidden_giant(query, key, value, mask, size):
    """Hide one key from everybody and make its value a giant."""
    mask[:, 2], mask[:, 5], value[2] = False, True, size
    return query, key, value, mask


def steep_inputs(rng):
    """Large scores: all of them seen, the largest hidden, and the smallest hidden."""
    for level in promises.LEVELS:
        for one_sign in (False, True):
            query, key = promises.steep(3, 7, level, one_sign=one_sign)
            value, high = rng.normal(size=(7, 2)), query[:, :1] * key[:, 0] > 0
            some = np.arange(7) % 3 != np.arange(3)[:, None] % 2
            everything = np.ones((3, 7), bool)
            yield query, key, value, everything
            # A stand-in of -1e9 for -inf is right among scores that it lies far below.
            for mask in (some, ~high, high) if level < 1e4 else ():
                mask = mask | ~mask.any(axis=1, keepdims=True)  # every query sees a key
                yield query, key, value, mask


def random_inputs(rng, n_queries, n_keys, d_key, d_value):
    """Give query, key and value of standard normal entries."""
    sizes = (n_queries, d_key), (n_keys, d_key), (n_keys, d_value)
    return tuple(rng.normal(size=size) for size in sizes)


def square_mask():
    """Every query sees something, every key is seen, and the transpose is another mask."""
    return np.array([
        [True, False, True, False, True], [True, True, False, False, False],
        [False, True, True, False, True], [True, False, False, True, False],
        [False, True, True, True, True],
    ])  # fmt: skip


@mistake("mask ignored")
def ignored(query, key, value, mask):
    """You did not use the mask: hidden keys are looked at.

    Where the mask is False, set the score to -inf before the softmax.
    """
    return attnlib.attention(query, key, value)


@mistake("mask inverted")
def inverted(query, key, value, mask):
    """You used the mask the wrong way round: True means "may look" here.

    Keep the scores where the mask is True: `np.where(mask, scores, -np.inf)`.
    """
    return attnlib.attention(query, key, value, mask=~mask)


@mistake("mask transposed")
def mask_transposed(query, key, value, mask):
    """You transposed the mask: its rows are the queries already.

    Mask and scores have the same shape, (n_queries, n_keys): use the mask as it is.
    """
    return attnlib.attention(query, key, value, mask=mask.T)


@mistake("masked after the softmax")
def late(query, key, value, mask):
    """You set weights to 0 after the softmax: the rows no longer sum to 1.

    Hide the scores instead: -inf before the softmax, and what is left sums to 1.
    """
    return attnlib.attention_weights(query, key) * mask @ value


@mistake("masked after the softmax, normalised again")
def repaired(query, key, value, mask):
    """You hid weights after the softmax and normalised again: that breaks on a large hidden score.

    If the hidden key has all the weight, 0 / 0 is left. Set scores to -inf before the softmax.
    """
    weights = attnlib.attention_weights(query, key) * mask
    return weights / weights.sum(axis=-1, keepdims=True) @ value


@mistake("scores multiplied by the mask")
def zeroed(query, key, value, mask):
    """You multiplied the scores by the mask: a score of 0 still gets weight, for exp(0) is 1.

    A hidden score must be -inf: `np.where(mask, scores, -np.inf)`.
    """
    return attnlib.softmax(attnlib.attention_scores(query, key) * mask) @ value


@mistake("mask added as a number")
def added(query, key, value, mask):
    """You added the mask to the scores: True counts as 1, which hides nothing.

    Set the scores to -inf where the mask is False: `np.where(mask, scores, -np.inf)`.
    """
    return attnlib.softmax(attnlib.attention_scores(query, key) + mask) @ value


@mistake("0 times -inf")
def times_infinity(query, key, value, mask):
    """Your answer is `nan` throughout: where the mask is multiplied by -inf, 0 * -inf is `nan`.

    Choose instead of multiplying: `np.where(mask, scores, -np.inf)` never meets 0 * inf.
    """
    return attnlib.softmax(attnlib.attention_scores(query, key) + ~mask * -np.inf) @ value


@mistake("a small number for -inf")
def leaking(query, key, value, mask):
    """You gave hidden scores a small number, -1 or so: that leaks weight to them.

    Only -inf has an exponential of exactly 0: `np.where(mask, scores, -np.inf)`.
    """
    return attnlib.softmax(np.where(mask, attnlib.attention_scores(query, key), -1.0)) @ value


@mistake("-10 for -inf")
def minus_ten(query, key, value, mask):
    """You gave hidden scores the number -10: that leaks weight to them, exp(-10) is not 0.

    Only -inf has an exponential of exactly 0: `np.where(mask, scores, -np.inf)`.
    """
    return attnlib.softmax(np.where(mask, attnlib.attention_scores(query, key), -10.0)) @ value


@mistake("a finite number added")
def lowered(query, key, value, mask):
    """You added a large negative number to hidden scores: a score that is larger still survives it.

    It must be put in the place of the score, not added: `np.where(mask, scores, -np.inf)`.
    """
    return attnlib.softmax(attnlib.attention_scores(query, key) + np.where(mask, 0, -1e9)) @ value


def hidden_are_ignored(answer, query, key, value, mask):
    """Change what one query may not see, and see its output stay."""
    output = answer(query, key, value, mask)
    for i, row in enumerate(mask):
        other_key = np.where(row[:, None], key, key[::-1] - 1)
        other_value = np.where(row[:, None], value, 7 - value)
        if not close(answer(query, other_key, other_value, mask)[i], output[i]):
            return False
    return True


def without_hidden(answer, query, key, value, mask):
    """Leave the hidden keys of one query out altogether, and see its output stay."""
    full = answer(query, key, value, mask)
    for i, row in enumerate(mask):
        one = answer(query[i : i + 1], key[row], value[row], np.ones((1, row.sum()), bool))
        if not close(one[0], full[i]):
            return False
    return True


EXERCISE = Exercise(
    solution=masked_attention,
    answer=answer,
    cases=cases,
    promises=promised,
    facts=(
        Fact("hidden keys and values change nothing", hidden_are_ignored),
        Fact("hiding a key is leaving it out", without_hidden),
        Fact("weights sum to 1: equal values come out as they are", lambda f, q, k, v, m: close(
            f(q, k, np.ones_like(v), m), 1)),
    ),
    mistakes=(
        ignored, inverted, mask_transposed, late, repaired, zeroed, added, times_infinity, leaking,
        minus_ten, lowered,
        *wrong.family(), wrong.swapped,
    ),
    hints=(
        "Compute the scaled scores first. Hidden ones must get weight exactly 0 in the softmax.",
        "exp(-inf) is 0: `np.where(mask, scores, -np.inf)` hides scores. Then softmax along each "
        "row.",
    ),
)  # fmt: skip
