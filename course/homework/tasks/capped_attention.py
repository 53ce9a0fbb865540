"""Attention with capped scores, after three bugs were mended.

The cap is that of the Gemma Team, "Gemma 2: Improving open language models at a practical size"
(2024), section 2. Each bug that is left in, and each pair of them, is a known mistake.
"""

import math

import numpy as np

import attnlib
from attnlib.checks import promises
from attnlib.checks.exercise import Case, Exercise, Fact, Mistake, Promise, close, mistake
from attnlib.checks.shapes import Shapes
from course.homework.task import finite, halved_width

WIDTHS = Promise(
    "values of any width are right",
    "d_value has nothing to do with the scores: a value is only handed over. Which width do "
    "query and key share?",
)
CAPS = Promise(
    "low caps and high ones are right",
    "A low cap brings all visible scores close together, and a high one leaves them as they are. "
    "Neither has anything to do with what is hidden.",
)
HIDDEN = Promise(
    "what is hidden is not noticed",
    "A hidden key has weight 0, exactly, whatever the cap. What does the cap make of -inf?",
)
NOTHING = Promise(
    "a query that may look at nothing gets zeros",
    "If all its scores are -inf when the softmax meets them, `attnlib.softmax` gives zeros.",
)
MASKS = Promise(
    "masks that broadcast are right",
    "A mask may have fewer axes than the scores, or axes of length 1. `np.where` broadcasts it.",
)
LARGE = Promise(
    "large scores stay finite",
    "Scores may be huge before the cap, and still large behind a high cap. `np.tanh` and "
    "`attnlib.softmax` can deal with both.",
)

SHAPES = Shapes(
    "(..., n_queries, d_key), (..., n_keys, d_key), (..., n_keys, d_value), "
    "~(n_queries, n_keys), () -> (..., n_queries, d_value)"
)


def answer(query, key, value, mask, cap):
    """Give what is right, by which answers are judged: query by query, over visible keys alone."""
    *lead, n_queries, d_key = query.shape
    mask = np.broadcast_to(mask, (*lead, n_queries, key.shape[-2]))
    output = np.zeros((*lead, n_queries, value.shape[-1]))
    for at in np.ndindex(*lead, n_queries):
        rows, values = key[at[:-1]][mask[at]], value[at[:-1]][mask[at]]
        scores = [float(query[at] @ row) / math.sqrt(d_key) for row in rows]
        scores = [cap * math.tanh(score / cap) for score in scores]
        powers = [math.exp(score - max(scores)) for score in scores]
        for power, row in zip(powers, values, strict=True):
            output[at] += power / math.fsum(powers) * row
    return output


def given(rng, n_queries, n_keys, d_key, d_value, cap, *, lead=(), mask=None, seen=0.6):
    """Give random inputs of these sizes, of two decimals; each query sees something."""
    query = 2 * rng.normal(size=(*lead, n_queries, d_key)).round(2)
    key = rng.normal(size=(*lead, n_keys, d_key)).round(2)
    value = rng.normal(size=(*lead, n_keys, d_value)).round(2)
    if mask is None:
        mask = rng.random((*lead, n_queries, n_keys)) < seen
        mask[..., rng.integers(n_keys)] = True
    return query, key, value, mask, cap


def cases():
    """Give a cap that hardly matters, a low one where a query sees nothing, and a batch."""
    rng = np.random.default_rng(54)
    yield Case("a causal mask and a high cap", given(rng, 3, 3, 2, 5, 50.0, mask=lower(3, 3)))
    mask = np.array([[True, True, False, True, False], [False] * 5])
    query, *rest = given(rng, 2, 5, 3, 2, 1.5, mask=mask)
    yield Case("a low cap, and a query that may look at nothing", (3 * query, *rest))
    yield Case("a batch of two", given(rng, 3, 2, 2, 3, 4.0, lead=(2,), mask=lower(3, 2)))


def lower(n_queries, n_keys):
    """Give the causal mask."""
    return attnlib.causal_mask(n_queries, n_keys)


def promised():
    """Give the inputs that hold an answer to each promise."""
    rng = np.random.default_rng(55)

    def loud(factor, *, of, cap, hidden_only=False, lead=()):
        query, key, value, mask, cap = given(rng, 3, 5, 2, 3, cap, lead=lead, mask=lower(3, 5))
        arrays = {"query": query, "key": key, "value": value}
        for name in of:
            rows = slice(3, None) if hidden_only else slice(None)  # the last two nobody sees
            arrays[name][..., rows, :] *= factor
        return (*arrays.values(), mask, cap)

    return {
        WIDTHS: [
            given(rng, 3, 4, d_key, d_value, 5.0)
            for d_key, d_value in ((2, 7), (7, 2), (1, 4), (5, 1), (3, 3))
        ],
        CAPS: [given(rng, 3, 5, 2, 3, cap) for cap in (0.01, 0.3, 1.0, 3.0, 20.0, 1e4)],
        HIDDEN: [
            loud(1000.0, of=("key", "value"), cap=3.0, hidden_only=True),
            loud(1e6, of=("value",), cap=2.0, hidden_only=True),
            loud(1e6, of=("value",), cap=0.1, hidden_only=True),
            loud(1e6, of=("value",), cap=9.0, hidden_only=True),
            given(rng, 2, 7, 3, 2, 0.5, seen=0.1),
            given(rng, 5, 11, 2, 2, 1.0, seen=0.2),
        ],
        NOTHING: [
            given(rng, 3, 4, 2, 3, 2.0, mask=np.zeros((3, 4), dtype=bool)),
            given(rng, 4, 4, 2, 3, 50.0, mask=~lower(4, 4)),
            given(rng, 2, 3, 2, 1, 0.5, lead=(2,), mask=attnlib.padding_mask([0, 2], 3)),
            given(rng, 3, 2, 2, 1, 2.0, lead=(2,), mask=np.zeros((2, 3, 2), dtype=bool)),
        ],
        MASKS: [
            given(rng, 3, 4, 2, 1, 2.0, lead=(2,), mask=attnlib.padding_mask([3, 1], 4)),
            given(rng, 2, 3, 2, 2, 2.0, lead=(2, 3), mask=np.array([True, False, True])),
            given(rng, 3, 3, 2, 2, 2.0, lead=(3,), mask=lower(3, 3)),
            given(rng, 3, 5, 2, 2, 2.0, mask=np.array([[True], [False], [True]])),
        ],
        LARGE: [
            loud(1e3, of=("query", "key"), cap=3.0),
            loud(1e6, of=("query",), cap=50.0),
            loud(1e3, of=("query", "key"), cap=5000.0),
            loud(1e3, of=("query",), cap=1200.0, lead=(2,)),
            (
                np.ones((1, 1)), np.array([[-1e6], [-2e6], [0.0]]), np.array([[2.0], [6.0], [9.0]]),
                np.array([[True, True, False]]), 1e4,
            ),
            (
                np.ones((1, 1)), np.array([[4000.0], [3999.0]]), np.array([[2.0], [6.0]]),
                np.array([[True, True]]), 5000.0,
            ),
        ],
        promises.LEADING: [
            given(rng, 2, 3, 2, 1, 2.0, lead=lead) for lead in ((2,), (3,), (3, 2), (2, 1, 3))
        ],
        promises.SIZES: [
            *(given(rng, *sizes, 3, 2, 2.0) for sizes in promises.SIZE_PAIRS),
            given(rng, 1, 1, 1, 1, 2.0),
            given(rng, 1, 5, 1, 1, 2.0),
            given(rng, 4, 4, 4, 4, 2.0),
            given(rng, 2, 2, 2, 2, 2.0, lead=(2,)),
            given(rng, 1, 3, 2, 2, 2.0, lead=(1,)),
        ],
        promises.SAME_SHAPES: promises.again(
            lambda: given(rng, 3, 5, 2, 3, 2.0, mask=lower(3, 5)),
        ),
    }  # fmt: skip


def draw(rng):
    """Give random inputs, of sizes that are random too; some queries see nothing."""
    lead = tuple(rng.integers(1, 4, rng.integers(0, 3)))
    sizes = (int(n) for n in rng.integers(1, 7, 4))
    *arrays, mask, cap = given(rng, *sizes, float(10 ** rng.uniform(-1, 2)), lead=lead)
    return *arrays, mask & (rng.random((*mask.shape[:-1], 1)) < 0.9), cap


def attend(query, key, value, mask, cap, *, width=False, capped_last=False, axis=-1):
    """Attend with any of the three bugs."""
    scores = query @ key.swapaxes(-1, -2) / np.sqrt((value if width else query).shape[-1])
    if capped_last:
        scores = cap * np.tanh(np.where(mask, scores, -np.inf) / cap)
    else:
        scores = np.where(mask, cap * np.tanh(scores / cap), -np.inf)
    return attnlib.softmax(scores, axis=axis) @ value


WIDTH = (
    "The scale comes from the width of the values",
    "What query and key share is d_key, so its square root is the scale. Try values that are wider "
    "than the keys.",
)
ORDER = (
    "Hidden keys have the score -cap, which is what the cap makes of -inf",
    "A hidden score has to be -inf when the softmax meets it: hide last, and with -inf. Try a low "
    "cap.",
)
AXIS = (
    "The softmax runs along axis 1, which in a batch is that of the queries",
    "Count from the end: the keys are axis -1. Try a batch.",
)


def left_in(name, *bugs, **wrong):
    """Make a known mistake of bugs that were left in."""
    found, hints = zip(*bugs, strict=True)
    many = {1: "One bug is", 2: "Two bugs are", 3: "All three bugs are"}[len(bugs)]
    sentence = f"{many} left. {'. '.join(found)}."
    return Mistake(name, lambda *inputs: attend(*inputs, **wrong), sentence, " ".join(hints))


@mistake("no cap")
def uncapped(query, key, value, mask, cap):
    """Your scores are not capped any more.

    The cap is no bug: each visible score s becomes cap * tanh(s / cap).
    """
    return attnlib.attention(query, key, value, mask=mask)


@mistake("capped twice")
def twice(query, key, value, mask, cap):
    """You capped the scores twice.

    Once is enough: each visible score s becomes cap * tanh(s / cap).
    """
    scores = cap * np.tanh(attnlib.attention_scores(query, key) / cap)
    return attnlib.softmax(np.where(mask, cap * np.tanh(scores / cap), -np.inf)) @ value


@mistake("cut off in place of capped")
def clipped(query, key, value, mask, cap):
    """You cut the scores off at the cap, but it should bend them: cap * tanh(s / cap).

    Below the cap, too, a score becomes a little smaller.
    """
    scores = np.clip(attnlib.attention_scores(query, key), -cap, cap)
    return attnlib.softmax(np.where(mask, scores, -np.inf)) @ value


@mistake("tanh and no cap")
def not_stretched(query, key, value, mask, cap):
    """You left out the cap in front of tanh, so all your scores lie between -1 and 1.

    It is cap * tanh(s / cap): divided by the cap, squeezed, and multiplied by it again.
    """
    scores = np.tanh(attnlib.attention_scores(query, key) / cap)
    return attnlib.softmax(np.where(mask, scores, -np.inf)) @ value


@mistake("scaled after the cap")
def scaled_late(query, key, value, mask, cap):
    """You scaled the scores after the cap, and it has to be done before.

    The cap limits scaled scores.
    """
    d_key = query.shape[-1]
    scores = cap * np.tanh(attnlib.attention_scores(query, key, scale=1.0) / cap) / np.sqrt(d_key)
    return attnlib.softmax(np.where(mask, scores, -np.inf)) @ value


@mistake("masked after the softmax")
def masked_late(query, key, value, mask, cap):
    """You multiplied by the mask after the softmax, so rows no longer sum to 1.

    What is hidden too late has already been seen: put -inf in place of hidden scores, before the
    softmax and after the cap.
    """
    scores = cap * np.tanh(attnlib.attention_scores(query, key) / cap)
    return attnlib.softmax(scores) * mask @ value


@mistake("the largest of all scores, hidden ones too")
def top_of_all(query, key, value, mask, cap):
    """You subtracted the largest of all scores, hidden ones too, so visible ones may all vanish.

    Where a hidden score is the largest by far, the exponentials of all the others are 0. Hide
    first, with -inf, and let `attnlib.softmax` find the largest of what is left.
    """
    scores = cap * np.tanh(attnlib.attention_scores(query, key) / cap)
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True)) * mask
    total = powers.sum(axis=-1, keepdims=True)
    return powers / np.where(total > 0, total, 1) @ value


@mistake("NaN where nothing is seen")
def own_softmax(query, key, value, mask, cap):
    """Your softmax gives NaN to a query that may look at nothing.

    The largest of its scores is -inf, and -inf - -inf is NaN. `attnlib.softmax` gives zeros to such
    a row.
    """
    scores = np.where(mask, cap * np.tanh(attnlib.attention_scores(query, key) / cap), -np.inf)
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True) @ value


@mistake("hidden scores set to 0")
def zeros(query, key, value, mask, cap):
    """You gave hidden keys the score 0, and a score of 0 gets a weight.

    The exponential of 0 is 1. What is to have the weight 0 needs the score -inf.
    """
    scores = cap * np.tanh(attnlib.attention_scores(query, key) / cap)
    return attnlib.softmax(np.where(mask, scores, 0)) @ value


@mistake("the mask as an index")
def indexed(query, key, value, mask, cap):
    """You index the scores with the mask, and that takes a mask of their very shape.

    A mask may have fewer axes than the scores, or shorter ones. `np.where` broadcasts it.
    """
    scores = cap * np.tanh(attnlib.attention_scores(query, key) / cap)
    scores[~mask] = -np.inf
    return attnlib.softmax(scores) @ value


@mistake("not divided by the cap")
def not_divided(query, key, value, mask, cap):
    """You squeezed the scores themselves, and they have to be divided by the cap first.

    It is cap * tanh(s / cap): divided by the cap, squeezed, and multiplied by it again.
    """
    scores = cap * np.tanh(attnlib.attention_scores(query, key))
    return attnlib.softmax(np.where(mask, scores, -np.inf)) @ value


@mistake("softmax down the columns")
def columns(query, key, value, mask, cap):
    """You normalised over the queries: axis -2.

    Each query shares a weight of 1 out among the keys: the last axis.
    """
    return attend(query, key, value, mask, cap, axis=-2)


def filled(number):
    """Attend with a number in place of hidden scores."""

    def wrong(query, key, value, mask, cap):
        scores = cap * np.tanh(attnlib.attention_scores(query, key) / cap)
        return attnlib.softmax(np.where(mask, scores, number)) @ value

    return wrong


@mistake("no scaling")
def unscaled(query, key, value, mask, cap):
    """You do not scale the scores.

    The scale took a wrong width, but a scale there must be: the square root of d_key.
    """
    return attend(query * np.sqrt(query.shape[-1]), key, value, mask, cap)


def hides(f, query, key, value, mask, cap):
    """Other values at hidden keys change nothing."""
    mask = np.broadcast_to(mask, (*query.shape[:-1], key.shape[-2]))
    nobody = ~mask.any(axis=-2)[..., None]
    return close(f(query, key, value + 100.0 * nobody, mask, cap), f(query, key, value, mask, cap))


def by_feature(f, query, key, value, mask, cap):
    """Mix the first feature of the values alone: it comes out as it does among others."""
    whole = f(query, key, value, mask, cap)
    return close(f(query, key, value[..., :1], mask, cap), whole[..., :1])


TASK = Exercise(
    answer=answer,
    cases=cases,
    promises=promised,
    draw=draw,
    mistakes=(
        left_in("the scale", WIDTH, width=True),
        left_in("the order", ORDER, capped_last=True),
        left_in("the axis", AXIS, axis=1),
        left_in("the scale and the order", WIDTH, ORDER, width=True, capped_last=True),
        left_in("the scale and the axis", WIDTH, AXIS, width=True, axis=1),
        left_in("the order and the axis", ORDER, AXIS, capped_last=True, axis=1),
        left_in("all three", WIDTH, ORDER, AXIS, width=True, capped_last=True, axis=1),
        ...,
        halved_width(answer),
        *finite(
            filled,
            "-1e9 -1e4 -1000 -100",
            "In your function a query that may look at nothing looks at everything, as it does "
            "where a finite number stands in place of hidden scores.",
            "With -inf, `attnlib.softmax` gives zeros to such a row, and no score is below it.",
        ),
    ),
    shapes=SHAPES,
    facts=(
        Fact("values that nobody may see change nothing", hides),
        Fact("each feature of the values is mixed by itself", by_feature),
    ),
)  # fmt: skip
