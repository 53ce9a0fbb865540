"""Attention that may not look everywhere."""

import numpy as np

import attnlib
from attnlib.checks import promises
from attnlib.checks import wrong_attention as wrong
from attnlib.checks.exercise import Case, Exercise, Fact, Promise, close, mistake
from attnlib.checks.shapes import Shapes

VISIBLE = Promise(
    "one visible key or all of them are right",
    "A query that sees one key takes home its value as it is. Where all keys are visible, the mask "
    "changes nothing.",
)
HIDDEN = Promise(
    "nothing of a hidden value comes through",
    "However small a weight is, a large enough value comes through. A hidden key needs a weight of "
    "exactly 0, and exp(-inf) is that.",
)

SHAPES = Shapes(
    "(n_queries, d_key), (n_keys, d_key), (n_keys, d_value), (n_queries, n_keys) "
    "-> (n_queries, d_value)"
)


def masked_attention(query, key, value, mask):
    """Put -inf in the place of hidden scores, because its exponential is exactly 0.

    This happens before the softmax, which then shares out all the weight among the visible keys, as
    if the hidden ones were not there.
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

    def some_seen(query, key, value, _):
        """Hide about half, and let every query see a key."""
        mask = rng.random((len(query), len(key))) < 0.5
        mask[np.arange(len(query)), rng.integers(len(key), size=len(query))] = True
        return query, key, value, mask

    given = SHAPES.given(rng, some_seen)
    return promises.of_shapes(SHAPES, given, none="n_queries") | {
        VISIBLE: [
            (*given(n_keys=7)[:3], mask)
            for mask in (
                np.ones((5, 7), bool),
                np.eye(5, 7, dtype=bool),
                np.arange(7)[None] > 3 - np.arange(5)[:, None],
            )
        ],
        promises.LARGE: list(steep_inputs(rng)),
        HIDDEN: [hidden_giant(*given(n_keys=7), size) for size in (1e12, -1e30)],
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
    """You did not use the mask, so hidden keys are looked at like the others.

    Where the mask is False, the score has to become -inf before the softmax sees it.
    """
    return attnlib.attention(query, key, value)


@mistake("mask inverted")
def inverted(query, key, value, mask):
    """You used the mask the wrong way round, but here True means "may look".

    Keep the score where the mask is True, and put -inf where it is False. `np.where` takes the
    first of its two choices where the condition is True.
    """
    return attnlib.attention(query, key, value, mask=~mask)


@mistake("mask transposed")
def mask_transposed(query, key, value, mask):
    """You transposed the mask, but its rows are the queries already.

    Mask and scores have the same shape, (n_queries, n_keys), so you can use the mask as it came.
    """
    scores = np.where(mask.swapaxes(-1, -2), wrong.scores_of(query, key), -np.inf)
    return attnlib.softmax(scores) @ value


@mistake("masked after the softmax")
def late(query, key, value, mask):
    """You set weights to 0 after the softmax, so the rows no longer sum to 1.

    By then the hidden keys had their share, and it is missing now. Hide their scores before the
    softmax, and everything is shared out among the rest.
    """
    return attnlib.attention_weights(query, key) * mask @ value


@mistake("masked after the softmax, normalised again")
def repaired(query, key, value, mask):
    """You hid weights after the softmax and normalised again: a large hidden score breaks that.

    Where a hidden key had taken all the weight, nothing is left to normalise, and 0 / 0 comes out.
    Hide the scores before the softmax, and this cannot happen.
    """
    weights = attnlib.attention_weights(query, key) * mask
    return weights / weights.sum(axis=-1, keepdims=True) @ value


@mistake("scores multiplied by the mask")
def zeroed(query, key, value, mask):
    """You multiplied the scores by the mask, but a score of 0 gets weight, because exp(0) is 1.

    The score that gets no weight is -inf. Let it take the place of the hidden scores; `np.where`
    chooses place by place.
    """
    return attnlib.softmax(attnlib.attention_scores(query, key) * mask) @ value


@mistake("mask added as a number")
def added(query, key, value, mask):
    """You added the mask to the scores, where True counts as 1 and False as 0: nothing is hidden.

    Where the mask is False, -inf has to take the place of the score; `np.where` chooses place by
    place.
    """
    return attnlib.softmax(attnlib.attention_scores(query, key) + mask) @ value


@mistake("0 times -inf")
def times_infinity(query, key, value, mask):
    """Your answer is `nan` throughout, because 0 times -inf is `nan`.

    If you multiply the mask by -inf, that product comes up at every visible key. Choose place by
    place instead, with `np.where`, and nothing is multiplied.
    """
    return attnlib.softmax(attnlib.attention_scores(query, key) + ~mask * -np.inf) @ value


@mistake("a small number for -inf")
def leaking(query, key, value, mask):
    """You gave hidden scores a small number, -1 or so, which still leaves them some weight.

    Every finite number has an exponential above 0. Only -inf has one of exactly 0.
    """
    return attnlib.softmax(np.where(mask, attnlib.attention_scores(query, key), -1.0)) @ value


@mistake("-10 for -inf")
def minus_ten(query, key, value, mask):
    """You gave hidden scores the number -10, which still leaves them a little weight.

    exp(-10) is small but not 0, and among scores that are low themselves it is not even small. Only
    -inf has an exponential of exactly 0.
    """
    return attnlib.softmax(np.where(mask, attnlib.attention_scores(query, key), -10.0)) @ value


@mistake("a finite number added")
def lowered(query, key, value, mask):
    """You added a large negative number to hidden scores, and a still larger score survives it.

    Let -inf take the place of the score instead of being added to it: then it does not matter what
    stood there before.
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
    shapes=SHAPES,
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
        *wrong.family(), wrong.transposed, wrong.swapped,
    ),
    hints=(
        "The mask comes in between two steps that you know: after the scaled scores and before the "
        "softmax. Which score would get a weight of exactly 0?",
        "exp(-inf) is exactly 0. `np.where` takes a condition and two choices, and picks place by "
        "place: the score where the mask allows it, -inf where it does not. From there on "
        "everything goes as it did without a mask, with `axis=-1, keepdims=True` in the softmax.",
    ),
)  # fmt: skip
