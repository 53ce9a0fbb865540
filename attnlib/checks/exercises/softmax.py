"""Scores into weights."""

import numpy as np

import attnlib
from attnlib.checks import promises
from attnlib.checks.exercise import Case, Exercise, Fact, Promise, close, mistake, wrongly_set
from attnlib.checks.shapes import Shapes

HIDDEN = Promise(
    "a score of -inf beside a finite one has weight 0",
    "exp(-inf) is 0, so there is nothing to do for it, as long as no -inf is subtracted from -inf. "
    "A row's largest score is finite here.",
)

SHAPES = Shapes("(..., n) -> (..., n)")


def softmax(scores):
    """Exponentials are positive; divided by their row's sum they sum to 1.

    Subtracting each row's maximum first changes no weight and keeps `np.exp` from overflowing:
    its largest argument is then 0.
    """
    shifted = scores - scores.max(axis=-1, keepdims=True)  # the largest of each row is 0
    e = np.exp(shifted)
    return e / e.sum(axis=-1, keepdims=True)


def answer(scores):
    """Give what is right, by which answers are judged."""
    return attnlib.softmax(scores)


def cases():
    """Two rows by hand; random rows; one row; a batch; rows near 1000, 0 and -3000."""
    rng = np.random.default_rng(6)
    yield Case("the small example is right", (np.array([[0.0, 1.0, 2.0], [1.0, 1.0, 3.0]]),))
    yield Case("more columns than rows are right", (rng.normal(size=(5, 7)),))
    yield Case("more rows than columns are right", (rng.normal(size=(11, 3)) - 1,))
    yield Case("a single row is right", (rng.normal(size=7),))
    yield Case("works with leading batch axes", (rng.normal(size=(2, 3, 5)),))
    large = np.array([[1000.0, 1001, 1002, 999, 1001], [0.0, 1, 2, 1, 0], 5 * [-3000.0]])
    large[2] -= np.arange(5) % 3
    yield Case("large scores are right", (large,))


def promised():
    """Give the inputs that hold an answer to each promise."""
    given, inf = SHAPES.given(np.random.default_rng(106)), np.inf
    brink = np.array([1e4, -9990, 9990, -9995, 0])[:, None] - np.array([0.0, 1, 0, 2, 3])
    return promises.of_shapes(SHAPES, given) | {
        promises.LARGE: [(scores,) for scores in promises.steep_scores()]
        + [(np.array([[1e4, 9999, 9997], [-1e4, -9999, -9999]]),)]
        + [(np.array([[-400.0, -401, -403], [-402.0, -400, -401]]),)],
        HIDDEN: [(np.where(HOLES, -inf, rows),) for rows in (given((5,), n=5)[0], brink)],
        promises.SCORES.beyond: [(scores,) for scores in promises.steep_scores([promises.BEYOND])],
        promises.TIES: [(np.zeros((2, 5)),), (np.array([[1.0, 3, 3], [3, 3, 1], [2, 2, 2]]),)],
    }


# Where -inf stands: at the beginning, at the end, nearly everywhere, and nowhere in one column.
HOLES = np.array([
    [1, 0, 0, 1, 0], [0, 0, 1, 1, 1], [1, 0, 1, 1, 1], [0, 0, 0, 1, 0], [1, 0, 0, 0, 1],
], dtype=bool)  # fmt: skip


def turned(scores, *, axis=-1, shift=np.max, total=np.sum):
    """Answer with knobs, each of which can be set wrong."""
    kept = {"axis": axis, "keepdims": True}
    e = np.exp(scores - shift(scores, **kept))
    return e / total(e, **kept)


columns = wrongly_set(
    turned,
    "softmax down the columns",
    "You normalised down the columns: axis 0.",
    "Each row must sum to 1: take maximum and sum along the last axis, and keep that axis.",
    axis=0,
)

everything = wrongly_set(
    turned,
    "softmax over everything",
    "You normalised over the whole array: all numbers together sum to 1, not each row.",
    "Tell `max` and `sum` to stay within a row, and to keep the axis that a row runs along.",
    axis=None,
)

total = wrongly_set(
    turned,
    "sum over everything",
    "You divided by the sum of the whole array: all numbers together sum to 1, not each row.",
    "Each row has a sum of its own, along the last axis. With that axis kept, it stays beside its "
    "row.",
    total=lambda e, **_: e.sum(),
)

column_sums = wrongly_set(
    turned,
    "sum down the columns",
    "You divided by the sums of the columns.",
    "It is each row that should sum to 1: take the sum along the last axis, and keep that axis.",
    total=lambda e, **_: e.sum(axis=0),
)


@mistake("axis 1 for the last axis")
def axis_1(scores):
    """Your weights are right for a matrix, but only there is `axis=1` the last axis.

    A single row has no axis 1, and a batch has another axis behind it. Count from the
    end, where the last axis has the same number in all of them.
    """
    e = np.exp(scores - scores.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


@mistake("rows along the first axis")
def first_axis(scores):
    """Your weights are right for a matrix; elsewhere, what you took for a row is none.

    A loop over the first axis finds the rows of a matrix, and no others. NumPy does all rows at
    once, wherever they stand, along the last axis.
    """
    return np.array([attnlib.softmax(np.ravel(r)).reshape(np.shape(r)) for r in scores])


@mistake("matrices only")
def matrices_only(scores):
    """Your weights are right for a matrix, but a single row or a batch is an error.

    There may be any number of axes in front. Work along the last one, and keep it.
    """
    rows, columns = scores.shape  # fails where there are not two axes
    return attnlib.softmax(scores.reshape(rows, columns))


exponentials = wrongly_set(
    turned,
    "not normalised",
    "You took the exponentials, but did not divide them by the sum of their row.",
    "All of a row's weights together should be 1. Sum along the last axis, keep that axis, and "
    "divide.",
    shift=lambda s, **_: 0,
    total=lambda e, **_: 1,
)

shifted_exponentials = wrongly_set(
    turned,
    "shifted but not normalised",
    "You subtracted the maximum and took exponentials; dividing by each row's sum is missing.",
    "All of a row's weights together should be 1. Sum along the last axis, keep that axis, and "
    "divide.",
    total=lambda e, **_: 1,
)


@mistake("hard argmax")
def hard(scores):
    """You gave all the weight to the highest score of each row.

    A *soft* max leaves every score a share. Exponentials do that, once each row is divided by its
    sum.
    """
    return (scores == scores.max(axis=-1, keepdims=True)).astype(float)


unshifted = wrongly_set(
    turned,
    "no max shift",
    "Your formula is right, but large scores overflow: `np.exp(999)` is inf, and inf / inf is nan.",
    "Before `np.exp`, subtract from each row its own largest score. The weights stay the same, "
    "because the same factor comes in above and below the line and cancels.",
    shift=lambda s, **_: 0,
)

global_shift = wrongly_set(
    turned,
    "one maximum for all rows",
    "You subtracted the largest score of the whole array, so a row far below it becomes 0 / 0.",
    "Each row needs its own largest score: take the maximum along the last axis, and keep it.",
    shift=lambda s, **_: s.max(),
)

absolute_shift = wrongly_set(
    turned,
    "shifted by the largest absolute value",
    "You subtracted the largest absolute value, so a row of negative scores becomes 0 / 0.",
    "Subtract the largest score as it is, with its sign. Then the largest exponent is 0 in every "
    "row.",
    shift=lambda s, **kept: np.abs(s).max(**kept),
)

column_shift = wrongly_set(
    turned,
    "shifted by the columns' maxima",
    "You subtracted each column's maximum, which moves the scores of a row apart.",
    "A shift changes nothing only if the whole row is shifted by the same number. Take the "
    "maximum along the last axis.",
    shift=lambda s, **_: s.max(axis=0),
)


@mistake("no exponential")
def proportions(scores):
    """You divided the scores by their sum; the exponential is missing.

    Scores may be negative, and weights may not. `np.exp` makes each of them positive first.
    """
    return scores / scores.sum(axis=-1, keepdims=True)


@mistake("logarithm of the weights")
def logarithms(scores):
    """You returned the logarithms of the weights.

    Weights are positive and sum to 1. You are one `np.exp` away from them.
    """
    top = scores.max(axis=-1, keepdims=True)
    return scores - top - np.log(np.exp(scores - top).sum(axis=-1, keepdims=True))


@mistake("sigmoid")
def sigmoid(scores):
    """You applied a sigmoid to each score on its own.

    A softmax compares: each exponential is divided by the sum over its whole row, so the shares add
    up to 1.
    """
    return 1 / (1 + np.exp(-scores))


@mistake("keepdims forgotten")
def no_keepdims(scores):
    """You took a maximum or a sum along an axis, and that axis is gone: the shapes do not fit.

    NumPy can keep it, as an axis of length 1. Each row then meets its own number.
    """
    e = np.exp(scores - scores.max(axis=-1))
    return e / e.sum(axis=-1)


@mistake("keepdims forgotten in the sum")
def no_keepdims_in_sum(scores):
    """You divided by each row's sum, but the sums have lost their axis and lie along the columns.

    A sum along an axis takes that axis away, unless it is told to keep it. Kept, at length 1, a
    row's sum is used all along that row.
    """
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1)


@mistake("largest score subtracted above alone")
def above_only(scores):
    """You subtracted each row's largest score above the line, and not below it.

    What is subtracted from the exponents has to be the same in both: work out the exponentials
    once, and divide them by their own sum.
    """
    top = scores.max(axis=-1, keepdims=True)
    return np.exp(scores - top) / np.exp(scores).sum(axis=-1, keepdims=True)


@mistake("largest score subtracted below alone")
def below_only(scores):
    """You subtracted each row's largest score below the line, and not above it.

    What is subtracted from the exponents has to be the same in both: work out the exponentials
    once, and divide them by their own sum.
    """
    top = scores.max(axis=-1, keepdims=True)
    return np.exp(scores) / np.exp(scores - top).sum(axis=-1, keepdims=True)


@mistake("largest exponential subtracted")
def late_shift(scores):
    """You subtracted the largest after the exponential, and it has to come before.

    Subtracted from the scores, it changes no weight. Subtracted from their exponentials, it leaves
    0 for the largest and negative numbers for the others.
    """
    e = np.exp(scores)
    e = e - e.max(axis=-1, keepdims=True)
    return e / e.sum(axis=-1, keepdims=True)


@mistake("sign turned")
def negative(scores):
    """Your lowest score gets the largest weight: the scores have the wrong sign.

    `np.exp` keeps the order, so a large score comes out as a large weight. Leave the minus out.
    """
    return attnlib.softmax(-scores)


@mistake("divided by the largest score")
def scaled_down(scores):
    """You divided the scores by their largest, where it has to be subtracted.

    A division changes how far scores lie apart, and with it the weights. A difference does not.
    """
    return attnlib.softmax(scores / scores.max(axis=-1, keepdims=True))


@mistake("powers of 2")
def halving(scores):
    """You took powers of 2, and a softmax takes those of e, `np.exp`.

    With 2 a step of 1 between two scores doubles a weight; with e it makes it 2.718 times as large.
    """
    return attnlib.softmax(scores * np.log(2))


averaged = wrongly_set(
    turned,
    "divided by the mean",
    "You divided by the mean of each row, where its sum is needed.",
    "Divided by their sum, the shares add up to 1.",
    total=np.mean,
)

unit = wrongly_set(
    turned,
    "divided by the length",
    "You divided each row by its length as a vector, where its sum is needed.",
    "All of a row's weights together should be 1, and not the sum of their squares.",
    total=np.linalg.norm,
)

one_more = wrongly_set(
    turned,
    "1 more in the sum",
    "You divided by the sum and 1 more, so that a part of the weight goes to nobody.",
    "The sum of the row's exponentials is all that stands below the line.",
    total=lambda e, **kept: 1 + e.sum(**kept),
)


@mistake("softmax taken twice")
def twice(scores):
    """You took the softmax of the weights once more, which makes them nearly even.

    One softmax makes weights of scores. After it you are done.
    """
    return attnlib.softmax(attnlib.softmax(scores))


@mistake("scores cut off")
def cut(scores):
    """You cut the scores off, so that large ones which differ come out as equal.

    It keeps `np.exp` from overflowing, but it changes the weights. Subtract each row's largest
    score: that changes none.
    """
    e = np.exp(np.clip(scores, -700, 700))
    return e / e.sum(axis=-1, keepdims=True)


@mistake("nan made 0")
def repaired(scores):
    """You made 0 of every `nan`, and the weights of that row are lost.

    Keep `nan` from coming up: subtract each row's largest score before the exponential.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        e = np.exp(scores)
        return np.nan_to_num(e / e.sum(axis=-1, keepdims=True))


@mistake("absolute values")
def absolute(scores):
    """You made the scores positive by leaving their signs out, and a softmax uses `np.exp`.

    A score of -3 is lower than one of 1 and should get less weight. Exponentials keep the order.
    """
    return np.abs(scores) / np.abs(scores).sum(axis=-1, keepdims=True)


@mistake("standardised")
def standardised(scores):
    """You divided the scores by the spread of their row, which changes the weights.

    Subtract a number from a row, and no weight changes. Divide by one, and all of them do.
    """
    centred = scores - scores.mean(axis=-1, keepdims=True)
    return attnlib.softmax(centred / scores.std(axis=-1, keepdims=True))


lifted_shift = wrongly_set(
    turned,
    "largest score, at least 0",
    "Your largest score of a row is never below 0, so a row of low scores becomes 0 / 0.",
    "If you look for it in a loop, begin with the row's first score, and not with 0.",
    shift=lambda s, **kept: np.maximum(s.max(**kept), 0),
)


@mistake("hard argmax, the first of equal scores")
def first_of_equal(scores):
    """You gave all the weight to the highest score of each row.

    A *soft* max leaves every score a share. Exponentials do that, once each row is divided by its
    sum.
    """
    return np.eye(scores.shape[-1])[scores.argmax(axis=-1)]


def keeps_order(answer, scores):
    """Sort each row by its scores, and see the weights rise."""
    weights = np.take_along_axis(answer(scores), scores.argsort(axis=-1), axis=-1)
    return bool((np.diff(weights, axis=-1) >= 0).all() and (np.ptp(weights, axis=-1) > 0).all())


EXERCISE = Exercise(
    solution=softmax,
    answer=answer,
    shapes=SHAPES,
    cases=cases,
    promises=promised,
    ends=(promises.SCORES.of("scores"),),
    facts=(
        Fact("rows sum to 1", lambda f, s: close(f(s).sum(axis=-1), 1)),
        Fact("no weight is negative", lambda f, s: bool((f(s) >= 0).all())),
        Fact("the order of the scores is kept", keeps_order),
        Fact("adding a number to a row changes nothing", lambda f, s: close(
            f(s - s.max(axis=-1, keepdims=True)), f(s))),
    ),
    hints=(
        "Weights are positive, and each row of them sums to 1. Which function makes any number "
        "positive and keeps the order? And what do you divide by then?",
        "Take `np.exp`, and divide by the sum along the last axis, `axis=-1`; `keepdims=True` "
        "keeps that axis, so that each row meets its own sum. Before the exponential, subtract "
        "each row's maximum in the same way, so that nothing overflows.",
    ),
)  # fmt: skip
