"""Attention that may not look everywhere."""

import numpy as np

import attnlib
from attnlib.checks import promises
from attnlib.checks import wrong_attention as wrong
from attnlib.checks.exercise import Case, Exercise, Fact, Promise, close, mistake, wrongly_set
from attnlib.checks.exercises import attention
from attnlib.checks.shapes import Shapes

VISIBLE = Promise(
    "one visible key or all of them are right",
    "A query that sees one key gets its value as it is. Where all keys are visible, the mask "
    "changes nothing.",
)
HIDDEN = Promise(
    "nothing of a hidden value comes through",
    "However small a weight is, a large enough value comes through. A hidden key needs a weight of "
    "exactly 0, and exp(-inf) is that.",
)

LOW = Promise(
    "hidden keys stay hidden where the visible ones score far lower",
    "What stands in the place of a hidden score has to lie below all that may be seen. A number "
    "such as -100 or -10,000 does not always. -inf does, and its exponential is exactly 0.",
)
STRETCHED = Promise(
    "one mask for a whole batch and one row for each sentence are right",
    "Where mask and scores meet entry by entry, as in `np.where`, NumPy stretches a mask "
    "(n_queries, n_keys) over the batch, and a padding mask (batch, 1, n_keys) over the queries. "
    "An index does not stretch.",
)

SHAPES = Shapes(
    "(..., n_queries, d_key), (..., n_keys, d_key), (..., n_keys, d_value), "
    "(..., n_queries, n_keys) -> (..., n_queries, d_value)"
)


def masked_attention(query, key, value, mask):
    """Put -inf in the place of hidden scores, because its exponential is exactly 0.

    This happens before the softmax, which then shares out all the weight among the visible keys, as
    if the hidden ones were not there.
    """
    scores = query @ key.swapaxes(-1, -2) / np.sqrt(query.shape[-1])  # (..., n_queries, n_keys)
    scores = np.where(mask, scores, -np.inf)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = weights / weights.sum(axis=-1, keepdims=True)
    return weights @ value


def answer(query, key, value, mask):
    """Give what is right, by which answers are judged."""
    return attnlib.attention(query, key, value, mask=mask)


def cases():
    """Two queries by hand; a key with a large score hidden; a square mask; many keys, twice."""
    rng = np.random.default_rng(11)
    query, key, value = next(attention.cases()).inputs
    mask = np.array([[True, True, False, True, False], [True, False, True, True, True]])
    yield Case("the small example is right", (query, key, value, mask))
    query = np.array([[1.0, 1.0, 2.0], [2.0, 1.0, 1.0]])
    key = np.array([[-1.0, -1, -4], [-1, -3, -4], [-4, -1, -3], 3 * [500.0], [-3, -3, -3]])
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
        seen = rng.integers(key.shape[-2], size=(*query.shape[:-1], 1))
        mask = rng.random((*query.shape[:-1], key.shape[-2])) < 0.5
        return query, key, value, mask | (np.arange(key.shape[-2]) == seen)

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
        STRETCHED: [
            (*given((2,), n_keys=13)[:3], given(n_keys=13)[3]),
            (*given((2,), n_keys=13)[:3], given((2,), n_queries=1, n_keys=13)[3]),
            (*given((3, 2), n_keys=7)[:3], given((3, 1), n_queries=1, n_keys=7)[3]),
        ],
        promises.LARGE: [*two_keys(), *steep_inputs(rng, promises.LEVELS)],
        LOW: list(brinks()),
        promises.SCORES.beyond: list(steep_inputs(rng, [promises.BEYOND])),
        HIDDEN: [hidden_giant(*given(n_keys=7), size) for size in (500.0, -500.0)],
    }


def hidden_giant(query, key, value, mask, size):
    """Hide one key from everybody and make its value a giant."""
    mask[:, 2], mask[:, 5], value[2] = False, True, size
    return query, key, value, mask


def two_keys():
    """Give large scores that are both seen, and so small an example that it comes first."""
    for level in (1000.0, -1000.0):
        yield np.ones((1, 1)), level + np.array([[0.0], [-1]]), np.eye(2), np.ones((1, 2), bool)


def brinks():
    """Give scores down to -10,000 and little more: what stands for -inf has to lie below."""
    for level in (40, 120, 600, 1000, 10_000):
        key = np.array([[2.0 - level], [-level], [16], [1.0 - level]]) / 16
        yield np.array([[16.0]]), key, np.eye(4, 3), np.array([[True, True, False, True]])


def steep_inputs(rng, levels):
    """Large scores: all of them seen, the largest hidden, and the smallest hidden."""
    for level in levels:
        for one_sign in (False, True):
            query, key = promises.steep(3, 7, level, one_sign=one_sign)
            value, high = rng.normal(size=(7, 2)), query[:, :1] * key[:, 0] > 0
            some = np.arange(7) % 3 != np.arange(3)[:, None] % 2
            everything = np.ones((3, 7), bool)
            yield query, key, value, everything
            for mask in (some, ~high, high):
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
        [True, True, True, True, True],
    ])  # fmt: skip


def hidden(scores, mask):
    """Put -inf where a query may not look."""
    return np.where(mask, scores, -np.inf)


def turned(
    query, key, value, mask, *, scale=None, hide=hidden, weigh=attnlib.softmax, mixed="value"
):
    """Attend with knobs, each of which can be set wrong."""
    scores = hide(wrong.scores_of(query, key, scale=scale), mask)
    return weigh(scores) @ {"value": value, "key": key}[mixed]


ignored = wrongly_set(
    turned,
    "mask ignored",
    "The mask makes no difference to your answer: hidden keys are looked at like the others.",
    "Where the mask is False, the score has to become -inf before the softmax sees it.",
    hide=lambda scores, mask: scores,
)

inverted = wrongly_set(
    turned,
    "mask inverted",
    'You used the mask the wrong way round, but here True means "may look".',
    "Keep the score where the mask is True, and put -inf where it is False. `np.where` takes the "
    "first of its two choices where the condition is True.",
    hide=lambda scores, mask: hidden(scores, ~mask),
)


@mistake("mask transposed")
def mask_transposed(query, key, value, mask):
    """You transposed the mask, but its rows are the queries already.

    Mask and scores have the same shape, (n_queries, n_keys), so you can use the mask as it came.
    """
    scores = np.where(mask.swapaxes(-1, -2), wrong.scores_of(query, key), -np.inf)
    return attnlib.softmax(scores) @ value


@mistake("masked after the softmax")
def late(query, key, value, mask):
    """Your hidden keys get nothing, but they count in the sums below, so rows do not sum to 1.

    They had their share of the whole when it was divided, and it is missing now. Hide their scores
    before the softmax, and everything is shared out among the rest.
    """
    return attnlib.attention_weights(query, key) * mask @ value


@mistake("masked after the exponential")
def repaired(query, key, value, mask):
    """You hid keys after the exponential: a hidden score far above the others still does harm.

    Beside its exponential all others are rounded to 0, and 0 / 0 comes out; or it is inf. Hide the
    scores before the exponential, and the largest score of a row before you subtract that.
    """
    weights = attnlib.attention_weights(query, key) * mask
    return weights / weights.sum(axis=-1, keepdims=True) @ value


@mistake("masked after the exponential, with a small number below")
def padded(query, key, value, mask):
    """You hid keys after the exponential: beside a large hidden score nothing is left, and 0 comes.

    A small number in the sum keeps `nan` away, but it gives nobody a weight. Hide the scores before
    the exponential.
    """
    weights = attnlib.attention_weights(query, key) * mask
    return weights / (weights.sum(axis=-1, keepdims=True) + 1e-9) @ value


@mistake("masked after the exponential, the largest of all subtracted")
def repaired_by_all(query, key, value, mask):
    """You hid keys after the exponential, and subtracted the largest score of the whole array.

    A score far below that one has an exponential of 0, and a row of such gives 0 / 0. Hide scores
    first, and then subtract from each row the largest that is left in it.
    """
    scores = wrong.scores_of(query, key)
    e = np.exp(scores - scores.max(initial=-np.inf)) * mask
    return e / e.sum(axis=-1, keepdims=True) @ value


@mistake("masked after the exponential, nothing subtracted")
def repaired_unshifted(query, key, value, mask):
    """You hid keys after the exponential, where a large score has become inf: 0 times inf is nan.

    Hide the scores before the exponential. Then subtract from each row the largest that is left.
    """
    e = np.exp(wrong.scores_of(query, key)) * mask
    return e / e.sum(axis=-1, keepdims=True) @ value


zeroed = wrongly_set(
    turned,
    "0 for hidden scores",
    "Your hidden scores are 0, and a score of 0 gets weight, because exp(0) is 1.",
    "The score that gets no weight is -inf. Let it take the place of the hidden scores; "
    "`np.where` chooses place by place.",
    hide=lambda scores, mask: scores * mask,
)

added = wrongly_set(
    turned,
    "mask added as a number",
    "You added the mask to the scores, where True counts as 1 and False as 0: nothing is hidden.",
    "Where the mask is False, -inf has to take the place of the score; `np.where` chooses place "
    "by place.",
    hide=lambda scores, mask: scores + mask,
)

times_infinity = wrongly_set(
    turned,
    "0 times -inf",
    "Your answer is `nan` throughout, because 0 times -inf is `nan`.",
    "If you multiply the mask by -inf, that product comes up at every visible key. Choose place "
    "by place instead, with `np.where`, and nothing is multiplied.",
    hide=lambda scores, mask: scores + ~mask * -np.inf,
)

to_infinity = wrongly_set(
    turned,
    "inf or nan for hidden scores",
    "Every row with a hidden key comes out as `nan`: what you put in its place is not -inf.",
    "inf has an exponential of inf, and inf / inf is `nan`. Mind the sign: -inf has one of 0.",
    hide=lambda scores, mask: np.where(mask, scores, np.inf),
)

turned_over = wrongly_set(
    turned,
    "mask as a number, turned over",
    "Your mask counts as a number, and hidden keys gain by it: they get more weight, not less.",
    "Where the mask is False, -inf has to take the place of the score; `np.where` chooses place "
    "by place.",
    hide=lambda scores, mask: scores + ~mask,
)

lowest = wrongly_set(
    turned,
    "the lowest score for -inf",
    "You gave hidden scores the lowest score there is, which still leaves them some weight.",
    "What is hidden has to lie below all that may be seen, and not beside it. Only -inf has an "
    "exponential of exactly 0.",
    hide=lambda scores, mask: np.where(mask, scores, scores.min(initial=0)),
)

leaking = wrongly_set(
    turned,
    "a small number for -inf",
    "You gave hidden scores a small number, -1 or so, which still leaves them some weight.",
    "Every finite number has an exponential above 0. Only -inf has one of exactly 0.",
    hide=lambda scores, mask: np.where(mask, scores, -1.0),
)

minus_ten = wrongly_set(
    turned,
    "-10 for -inf",
    "You gave hidden scores the number -10, which still leaves them a little weight.",
    "exp(-10) is small but not 0, and among scores that are low themselves it is not even small. "
    "Only -inf has an exponential of exactly 0.",
    hide=lambda scores, mask: np.where(mask, scores, -10.0),
)

lowered_a_little = wrongly_set(
    turned,
    "too small a number added",
    "You lowered hidden scores by a number, and a large score is still above the others after it.",
    "Let -inf take the place of the score, or add -inf: then it does not matter what stood there "
    "before.",
    hide=lambda scores, mask: scores + np.where(mask, 0, -1e3),
)

by_logarithm = wrongly_set(
    turned,
    "logarithm of nearly 0 added",
    "You added a logarithm that is -20 or so at hidden keys, and a large score outweighs that.",
    "The logarithm of 0 is -inf, and that hides any score. The small number that you added first "
    "takes this away. `np.where` needs no logarithm.",
    hide=lambda scores, mask: scores + np.log(mask + 1e-9),
)

lowered = wrongly_set(
    turned,
    "a finite number added",
    "You added a large negative number to hidden scores, and a still larger score survives it.",
    "Let -inf take the place of the score instead of being added to it: then it does not matter "
    "what stood there before.",
    hide=lambda scores, mask: scores + np.where(mask, 0, -1e4),
)


first_row = wrongly_set(
    turned,
    "the first query's mask for all",
    "You hid from every query what is hidden from the first one.",
    "The mask has a row for each query. Let it meet the scores as it is, place by place.",
    hide=lambda scores, mask: hidden(scores, mask[..., :1, :]),
)

seen_by_all = wrongly_set(
    turned,
    "hidden from one, hidden from all",
    "You hid a key from every query if it is hidden from any.",
    "The mask has a row for each query. Let it meet the scores as it is, place by place.",
    hide=lambda scores, mask: hidden(scores, mask.all(axis=-2, keepdims=True)),
)

seen_by_any = wrongly_set(
    turned,
    "seen by one, seen by all",
    "You showed a key to every query if any may look at it.",
    "The mask has a row for each query. Let it meet the scores as it is, place by place.",
    hide=lambda scores, mask: hidden(scores, mask.any(axis=-2, keepdims=True)),
)


@mistake("mask as an index")
def as_index(query, key, value, mask):
    """Your output is right for a mask of the scores' own shape, but an index does not stretch.

    A mask may have no batch axes, or a single row for all queries. `np.where` stretches it until it
    fits the scores.
    """
    scores = wrong.scores_of(query, key)
    scores[~mask] = -np.inf
    return attnlib.softmax(scores) @ value


@mistake("batch axes forgotten")
def matrices_only(query, key, value, mask):
    """Your output is right for matrices, and wrong or an error with batch axes in front.

    `key.T` turns all axes round, the batch as well. Count from the end and exchange the last two
    alone; `@` multiplies matrix by matrix.
    """
    scores = query @ key.T / np.sqrt(query.shape[-1])
    return attnlib.softmax(np.where(mask, scores, -np.inf)) @ value


@mistake("axis 1 for the last axis")
def axis_1(query, key, value, mask):
    """Your output is right for matrices; with a batch, `axis=1` runs the softmax over queries.

    Count from the end: the keys of a query stand along the last axis, whatever stands in front.
    """
    scores = wrong.scores_of(query, key, mask)
    e = np.exp(scores - scores.max(axis=1, keepdims=True))  # nan where nobody sees a key
    return e / e.sum(axis=1, keepdims=True) @ value


@mistake("values hidden, weights kept")
def values_hidden(query, key, value, mask):
    """You hid values, and the weights are those without a mask.

    A hidden key has a share of the weight then, and the others lack it. Hide scores, before the
    softmax, query by query.
    """
    seen = np.broadcast_to(mask, (*query.shape[:-1], key.shape[-2])).any(axis=-2)
    return attnlib.attention(query, key, value * seen[..., None])


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
    returns="output",
    shapes=SHAPES,
    cases=cases,
    promises=promised,
    ends=(promises.SCORES,),
    facts=(
        Fact("hidden keys and values change nothing", hidden_are_ignored),
        Fact("hiding a key is leaving it out", without_hidden),
        Fact("weights sum to 1: equal values come out as they are", lambda f, q, k, v, m: close(
            f(q, k, np.ones_like(v), m), 1)),
    ),
    mistakes=(..., attention.width_from_axis_1, attention.width_from_axis_1_of_keys,
              *wrong.family(), wrong.transposed, wrong.swapped, *wrong.single()),
    hints=(
        "The mask comes in between two steps that you know: after the scaled scores and before the "
        "softmax. Which score would get a weight of exactly 0?",
        "exp(-inf) is exactly 0. `np.where` takes a condition and two choices, and picks place by "
        "place: the score where the mask allows it, -inf where it does not. From there on "
        "everything goes as it did without a mask, with `axis=-1, keepdims=True` in the softmax.",
    ),
)  # fmt: skip
