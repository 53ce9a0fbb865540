"""Heads that mix their scores before the softmax.

Shazeer et al., "Talking-heads attention" (2020), section 3; the projection of weights, which comes
after the softmax there, is left out.
"""

import numpy as np

import attnlib
from attnlib.checks import promises
from attnlib.checks.exercise import Case, Exercise, Fact, Promise, close, mistake, wrongly_set
from attnlib.checks.shapes import Shapes
from course.homework.task import finite, halved_width
from course.homework.variants import Variant

HIDDEN = Promise(
    "what is hidden stays hidden, however scores are mixed",
    "A mask that comes before the mixing is mixed as well: -inf times a negative number is +inf, "
    "and times 0 it is nan. Mix first, and hide keys afterwards.",
)
NOTHING = Promise(
    "a query that may look at nothing gets zeros",
    "Where all keys are hidden there is no weight to give. `attnlib.softmax` gives zeros for a row "
    "whose scores are all -inf; a large negative number in place of -inf gives equal weights.",
)
MIXES = Promise(
    "any mix is right: more heads or fewer, zeros and negative numbers",
    "Column h of `mix` says what head h makes of the asking heads' scores, and there may be more "
    "columns than rows, or fewer.",
)

SHARPNESS: Variant = 0.5  # by which mixed scores are multiplied

SHAPES = Shapes(
    "(..., n_asking, n_queries, d_key), (..., n_asking, n_keys, d_key), "
    "(..., n_heads, n_keys, d_value), (n_asking, n_heads), (n_queries, n_keys) "
    "-> (..., n_heads, n_queries, d_value)"
)


def answer(query, key, value, mix, mask):
    """Give what is right, by which answers are judged: one head, then one query at a time."""
    output = np.zeros((*query.shape[:-3], len(mix.T), query.shape[-2], value.shape[-1]))
    for at in np.ndindex(output.shape[:-1]):
        *lead, h, i = at
        lead = tuple(lead)
        seen = np.flatnonzero(mask[i])
        scores = sum(
            mix[g, h] * (key[(*lead, g)][seen] @ query[(*lead, g, i)]) for g in range(len(mix))
        )
        scores = SHARPNESS * scores / query.shape[-1] ** 0.5
        if len(seen):
            exponentials = np.exp(scores - scores.max())
            output[at] = exponentials @ value[(*lead, h)][seen] / exponentials.sum()
    return output


def cases():
    """Two heads by hand, two under a mask, and three that become two."""
    rng = np.random.default_rng(81)
    query, key = np.ones((2, 1, 1)), np.array([[[1.0], [0.0]], [[0.0], [1.0]]])
    mix, value = np.array([[1.0], [-1.0]]), np.array([[[10.0], [0.0]]])
    yield Case("two heads and two keys", (query, key, value, mix, np.array([[True, True]])))
    mask = np.array([[True, False, True, True], [True, True, False, True]])
    inputs = given(rng, 2, 2, 2, 4, 3, 2)
    mix = np.array([[0.5, -1.0], [1.5, -0.5]])
    yield Case("some keys are hidden", (*inputs[:3], mix, mask))
    mask = np.array([[True, True, False], [False, False, False]])
    inputs = given(rng, 3, 2, 2, 3, 2, 1)
    yield Case("a query sees nothing", (*inputs[:4], mask))


def given(rng, n_asking, n_heads, n_queries, n_keys, d_key, d_value, *, lead=(), share=1.0):
    """Give inputs of these sizes and one digit, in which a share of the keys may be seen."""
    query = rng.normal(size=(*lead, n_asking, n_queries, d_key))
    key = rng.normal(size=(*lead, n_asking, n_keys, d_key))
    value = rng.normal(size=(*lead, n_heads, n_keys, d_value))
    mix = rng.normal(size=(n_asking, n_heads))
    mask = rng.random((n_queries, n_keys)) < share
    return (*(x.round(1) + 0.0 for x in (query, key, value, mix)), mask)


def promised():
    """Give the inputs that hold an answer to each promise."""
    rng = np.random.default_rng(82)
    seen = np.array([[True, False, True], [False, True, True]])
    signs = np.array([[0.0, 1, -1], [0, -2, 0]])
    sizes = (  # n_asking, n_heads, n_queries, n_keys, d_key, d_value
        (2, 2, 3, 3, 2, 2), (1, 1, 1, 1, 1, 1), (3, 3, 3, 3, 3, 3), (2, 3, 1, 5, 2, 1),
        (3, 2, 4, 1, 1, 2), (2, 2, 2, 2, 2, 2), (2, 3, 5, 2, 1, 3),
    )  # fmt: skip
    return {
        HIDDEN: [
            *(
                (*given(rng, 2, 3, 2, 3, 2, 1)[:3], mix, seen)
                for mix in (signs, -signs, signs[::-1])
            ),
            (*loud(rng, 1e3)[:3], signs, seen),
            (*loud(rng, -1e3)[:3], signs, seen),
            (*low(rng)[:3], np.array([[-2e4, -5e4, 0], [0, 0, -2e4]]), seen),
            (*low(rng)[:3], np.array([[-3e9, -3e10, 0], [0, 0, -3e9]]), seen),
        ],
        NOTHING: [
            (*given(rng, 2, 3, 2, 3, 2, 1)[:4], np.zeros((2, 3), bool)),
            (*given(rng, 2, 3, 2, 3, 2, 1)[:3], signs, seen & [[True], [False]]),
            (*given(rng, 3, 1, 2, 1, 2, 2)[:4], np.array([[False], [True]])),
        ],
        MIXES: [
            *(
                given(rng, *pair, 2, 3, 2, 1, share=0.8)
                for pair in ((1, 3), (3, 1), (5, 2), (2, 5))
            ),
            (*given(rng, 2, 2, 3, 2, 2, 1)[:3], np.zeros((2, 2)), np.ones((3, 2), bool)),
            (*given(rng, 2, 2, 3, 2, 2, 1)[:3], np.eye(2)[::-1] + 0.0, np.ones((3, 2), bool)),
            (
                *given(rng, 2, 2, 3, 2, 2, 1)[:3],
                np.array([[1.0, 2], [0, -1]]),
                np.ones((3, 2), bool),
            ),
        ],
        promises.LARGE: [
            (*given(rng, 2, 2, 3, 3, 1, 1)[:3], size * np.array([[1.0, -1], [1, 3]]), mask)
            for size in (1e3, 1e5)
            for mask in (np.ones((3, 3), bool), np.tri(3, dtype=bool))
        ],
        promises.LEADING: [
            (*given(rng, 2, 3, 2, 3, 2, 1, lead=(2,))[:4], np.zeros((2, 3), bool)),
        ]
        + [given(rng, 2, 3, 2, 3, 2, 1, lead=lead, share=0.7) for lead in ((), (2,), (3,), (2, 1))],
        promises.SIZES: [given(rng, *size) for size in sizes],
        promises.SAME_SHAPES: promises.again(lambda: given(rng, 2, 3, 2, 3, 2, 1, share=0.7)),
    }


def loud(rng, level):
    """Give inputs in which the keys hidden from both queries or one have scores far from 0."""
    query, key, *rest = given(rng, 2, 3, 2, 3, 2, 1)
    query[..., 0], key[..., 0] = 1, np.array([0, level, 0])
    return query, key, *rest


def low(rng):
    """Give inputs whose keys all score alike, so that a mix may bring them far below 0."""
    query, key, *rest = given(rng, 2, 3, 2, 3, 2, 1)
    return np.ones_like(query), np.ones_like(key), *rest


def draw(rng):
    """Give random inputs, of sizes that are random too."""
    *sizes, axes = rng.integers(1, 6, 7)
    lead = tuple(rng.integers(1, 4, size=axes // 2))
    return given(rng, *sizes, lead=lead, share=rng.uniform(0.3, 1))


def scored(query, key):
    """Give the asking heads' scores, scaled and sharpened: a factor may come before the mix."""
    return SHARPNESS * query @ key.swapaxes(-1, -2) / np.sqrt(query.shape[-1])


def mixed(mix, scores):
    """Mix heads: column h of mix says what goes into head h."""
    return np.einsum("gh,...gij->...hij", mix, scores)


def hidden(scores, mask):
    """Put -inf where scores are hidden."""
    return np.where(mask, scores, -np.inf)


def turned(
    query, key, value, mix, mask, *,
    scored=scored, mixed=mixed, hide=hidden, weigh=attnlib.softmax,
):  # fmt: skip
    """Answer with knobs, each of which can be set wrong."""
    return weigh(hide(mixed(mix, scored(query, key)), mask)) @ value


@mistake("hidden before the mixing")
def masked_first(query, key, value, mix, mask):
    """You hid keys before the heads mixed their scores, so your -inf was mixed, too.

    -inf times a negative number is +inf, and times 0 it is nan. Mix first, hide afterwards.
    """
    return attnlib.softmax(mixed(mix, hidden(scored(query, key), mask))) @ value


@mistake("a large negative number before the mixing")
def large_first(query, key, value, mix, mask):
    """You put a large negative number on hidden keys before the mixing, and mixed it with the rest.

    A negative mix turns it round, and 0 takes it away. Mix first, hide afterwards, with -inf.
    """
    return attnlib.softmax(mixed(mix, np.where(mask, scored(query, key), -1e9))) @ value


@mistake("the largest of all scores, hidden ones too")
def top_of_all(query, key, value, mix, mask):
    """You subtracted the largest of all scores, hidden ones too, so visible ones may all vanish.

    Where a hidden score is the largest by far, the exponentials of all the others are 0. Hide
    first, with -inf, and let `attnlib.softmax` find the largest of what is left.
    """
    scores = mixed(mix, scored(query, key))
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True)) * mask
    total = powers.sum(axis=-1, keepdims=True)
    return powers / np.where(total > 0, total, 1) @ value


@mistake("masked after the softmax")
def masked_late(query, key, value, mix, mask):
    """You multiplied by the mask after the softmax, so rows no longer sum to 1.

    What is hidden too late has already been seen: put -inf in place of hidden scores, before the
    softmax.
    """
    return attnlib.softmax(mixed(mix, scored(query, key))) * mask @ value


zeros = wrongly_set(
    turned,
    "hidden scores set to 0",
    "You gave hidden keys the score 0, and a score of 0 gets a weight.",
    "The exponential of 0 is 1. What is to have the weight 0 needs the score -inf.",
    hide=lambda scores, mask: np.where(mask, scores, 0),
)

added = wrongly_set(
    turned,
    "the mask added as a number",
    "You added the mask to the scores, so that what may be seen scores 1 more.",
    "True counts as 1 there, and False as 0. Where it is False, put -inf in place of the score.",
    hide=np.add,
)


@mistake("the mask as an index")
def indexed(query, key, value, mix, mask):
    """You index the scores with the mask, and it has no axis for the heads.

    `np.where` broadcasts the mask to the shape of the scores, and an index does not.
    """
    scores = mixed(mix, scored(query, key))
    scores[~mask] = -np.inf
    return attnlib.softmax(scores) @ value


columns = wrongly_set(
    turned,
    "softmax down the columns",
    "You normalised over the queries: axis -2.",
    "Each query shares a weight of 1 out among the keys: the last axis.",
    weigh=lambda scores: attnlib.softmax(scores, axis=-2),
)

reshaped = wrongly_set(
    turned,
    "heads brought to the end by reshape",
    "You brought the axis of the heads to the end by `reshape`, which mixes up heads and words.",
    "A reshape keeps the numbers in their order. To move an axis, use `np.moveaxis`, or say it by "
    "letters with `np.einsum`.",
    mixed=lambda mix, scores: (scores.reshape(*scores.shape[:-3], -1, len(mix)) @ mix).reshape(
        *scores.shape[:-3], -1, *scores.shape[-2:]
    ),
)


def filled(number):
    """Attend with a number in place of hidden scores."""
    return lambda *inputs: turned(*inputs, hide=lambda scores, mask: np.where(mask, scores, number))


@mistake("weights mixed in place of scores")
def weights_mixed(query, key, value, mix, mask):
    """You mixed the weights, after the softmax.

    The heads are to talk before they decide: mix scores, and take the softmax of what comes out.
    """
    weights = attnlib.softmax(hidden(scored(query, key), mask))
    return mixed(mix, weights) @ value


three_axes = wrongly_set(
    turned,
    "no axes in front of the heads",
    "Your `np.einsum` has no place for axes in front of the heads.",
    "Three dots stand for them: `gh,...gij->...hij`.",
    mixed=lambda mix, scores: np.einsum("gh,gij->hij", mix, scores),
)


transposed = wrongly_set(
    turned,
    "mix read by rows",
    "You took what goes into head h from row h of `mix`.",
    "Rows of `mix` are asking heads, and columns are the heads that come out: it is column h.",
    mixed=lambda mix, scores: mixed(mix.T, scores),
)

unmasked = wrongly_set(
    turned,
    "mask ignored",
    "You left out the mask.",
    "Where it is False, put -inf in place of the mixed score.",
    hide=lambda scores, mask: scores,
)

inverted = wrongly_set(
    turned,
    "mask inverted",
    "You hid what may be seen, and showed the rest.",
    'True means "may look".',
    hide=lambda scores, mask: hidden(scores, ~mask),
)

unscaled = wrongly_set(
    turned,
    "not scaled",
    "Your scores are not scaled.",
    "Divide them by the square root of d_key.",
    scored=lambda query, key: SHARPNESS * query @ key.swapaxes(-1, -2),
)

blunt = wrongly_set(
    turned,
    "no sharpness",
    "You left out the sharpness of your sheet.",
    "What is mixed is multiplied by it, before keys are hidden and the softmax is taken.",
    scored=lambda query, key: scored(query, key) / SHARPNESS,
)

divided = wrongly_set(
    turned,
    "divided by the sharpness",
    "You divided by the sharpness, and the mixed scores are multiplied by it.",
    "Scores that lie further apart make sharper weights.",
    scored=lambda query, key: scored(query, key) / SHARPNESS**2,
)


@mistake("scaled by all asking heads")
def scaled_by_all(query, key, value, mix, mask):
    """You divided by the square root of n_asking * d_key.

    Scores are scaled before they are mixed, head by head: d_key alone counts.
    """
    return answer(query / np.sqrt(len(mix)), key, value, mix, mask)


over_heads = wrongly_set(
    turned,
    "a softmax over the heads",
    "You normalised over the heads.",
    "Each query of each head shares a weight of 1 out among the keys: the last axis.",
    weigh=lambda scores: attnlib.softmax(scores, axis=-3),
)

shares = wrongly_set(
    turned,
    "a mix that sums to 1",
    "You turned `mix` into shares with a softmax.",
    "Its numbers are used as they are, negative ones among them.",
    mixed=lambda mix, scores: mixed(attnlib.softmax(mix, axis=0), scores),
)

not_mixed = wrongly_set(
    turned,
    "no mix",
    "You left the scores of each head as they were.",
    "Head h looks with the sum of mix[g, h] times the scores of asking head g, over all g.",
    mixed=lambda mix, scores: scores[..., np.arange(mix.shape[1]) % len(mix), :, :],
)


TASK = Exercise(
    answer=answer,
    cases=cases,
    promises=promised,
    draw=draw,
    mistakes=(
        ...,
        halved_width(answer),
        *finite(
            filled,
            "-1e9 -1e12 -1e4 -100",
            "In your function a query that may look at nothing looks at everything, as it does "
            "where a finite number stands in place of hidden scores.",
            "With -inf, `attnlib.softmax` gives zeros to such a row, and no score is below it.",
        ),
    ),
    shapes=SHAPES,
    facts=(
        Fact("values twice as large, outputs twice as large", lambda f, q, k, v, m, mask: close(
            f(q, k, 2 * v, m, mask), 2 * f(q, k, v, m, mask))),
        Fact("asking heads may be renumbered", lambda f, q, k, v, m, mask: close(
            f(q[::-1], k[::-1], v, m[::-1], mask), f(q, k, v, m, mask))),
    ),
)  # fmt: skip
