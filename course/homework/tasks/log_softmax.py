"""The logarithm of a softmax, without taking the logarithm of a weight that has become 0."""

import numpy as np

import attnlib
from attnlib.checks import promises
from attnlib.checks.exercise import Case, Edge, Exercise, Fact, Mistake, Promise, close, mistake
from course.homework.task import EMPTY, is_empty

FAR = Promise(
    "a score far below the largest one keeps its logarithm",
    "A weight below 1e-324 is rounded to 0, and the logarithm of 0 is -inf, though the true "
    "one is an ordinary number. Never take the logarithm of a weight: take that of the formula.",
)
LARGE = Promise(
    "scores of any size are right",
    "`np.exp` overflows above 709, and far below 0 it gives nothing but zeros. Subtract from each "
    "row its own largest score first, and cut nothing off.",
)
TIES = Promise(
    "equal scores get equal logarithms",
    "Of n equal scores each has the weight 1 / n, so each logarithm is -log(n).",
)


def answer(scores):
    """Give what is right, by which answers are judged."""
    above = scores[..., None, :] - scores[..., :, None]  # (..., n, n)
    return -np.logaddexp.reduce(above, axis=-1)  # one over a weight sums e to what lies above it


def cases():
    """Rows to do by hand, some of few digits, and one whose second weight is rounded to 0."""
    rng = np.random.default_rng(31)
    yield Case("a row of two", (np.array([[0.0, 1.0]]),))
    yield Case("three equal scores", (np.array([[2.0, 2.0, 2.0]]),))
    yield Case("rows of five", (rng.normal(size=(3, 5)).round(2),))
    yield Case("a weight that is rounded to 0", (np.array([[0.0, -1000.0]]),))
    yield Case(
        "scores in the thousands",
        (np.array([[1000.0, 1001.0, 1002.0], [-1000.0, -999.0, -1001.0]]),),
    )


def promised():
    """Give the inputs that hold an answer to each promise."""
    rng = np.random.default_rng(32)
    level = np.array([[-300.0], [500.0], [-800.0]])
    return {
        FAR: [
            (np.array([[0.0, -800.0, -900.0]]),),
            (np.array([[0.0, 0.0, -60.0], [-50.0, 0.0, 1.0]]),),
            (np.array([[3.0, -5000.0, 2.0]]),),
            (np.array([[-2e6, 0.0]]),),
            (np.array([[0.0, -744.9]]),),
        ],
        LARGE: [
            (np.array([[800.0, 801.0], [-900.0, -901.0]]),),
            (np.array([[-2000.0, -2002.0, -2001.0]]),),
            (np.array([[2000.0, 0.0, 0.0, 0.0, 0.0], [0.0, -2000.0, 0.0, 1.0, 0.0]]),),
            (np.array([[3e9, 3e9, 3e9], [-5e300, -5e300, -5e300]]),),
            (np.array([[2e300, -1e300]]),),
            (rng.normal(size=(3, 5)).round(1) + level,),
        ],
        TIES: [
            (np.array([[0.0, 0.0], [7.0, 7.0]]),),
            (np.array([[2.0, -1.0, 2.0, -1.0, 2.0], [0.5, 0.5, 0.5, 0.5, 0.5]]),),
            (np.zeros((1, 100)),),
        ],
        promises.LEADING: [
            (rng.normal(size=(*lead, 4)),) for lead in (*promises.LEADING_ROWS, (4,), (4, 4))
        ],
        promises.SIZES: [
            (x,)
            for x in [*promises.scores_and_sizes(rng), np.zeros((1, 1)), rng.normal(size=(1, 113))]
        ],
        EMPTY: [(np.zeros((*lead, 3)),) for lead in promises.EMPTY_BATCHES],
        promises.SAME_SHAPES: promises.again(lambda: (rng.normal(size=(3, 5)),)),
    }


def draw(rng):
    """Give random scores, of sizes that are random too."""
    shape = rng.integers(1, 9, size=rng.integers(1, 4))
    return (rng.normal(loc=rng.normal() * 500, scale=10 ** rng.uniform(-1, 3), size=shape),)


@mistake("the plain softmax")
def plain(scores):
    """Your rows are weights: their logarithm is asked for.

    Every answer lies at 0 or below. Take the logarithm of the softmax's formula, and see what
    becomes of the division.
    """
    return attnlib.softmax(scores)


@mistake("the logarithm of a weight that is 0")
def naive(scores):
    """You took the logarithm last, when small weights had become 0, and so it is -inf.

    The logarithm of a quotient is a difference, and the logarithm of an exponential is the
    exponent: take both by hand, and the small weight is never made.
    """
    return np.log(attnlib.softmax(scores))


def padded(small):
    """Make the mistake of adding a small number to the weights."""
    return Mistake(
        f"{small} added",
        lambda scores: np.log(attnlib.softmax(scores) + float(small)),
        "You added a small number to the weights, or raised them to it, so no logarithm comes "
        "below that number's own.",
        "It keeps -inf away, and puts a wrong number in its place. Take the logarithm of the "
        "formula in place of that of the weights.",
    )


SMALL = ("1e-6", "1e-7", "1e-8", "1e-9", "1e-10", "1e-12", "1e-15", "1e-16", "2.22e-16", "1e-20")
SMALL += ("1e-30", "1e-100", "1e-300", "2.23e-308")


@mistake("a sum beside large scores")
def beside_large(scores):
    """You put the logarithm of the sum beside the largest score, where large scores swallow it.

    Beside 1e300, log(3) is lost. Subtract the largest score from the others first, and then the
    logarithm of the sum from what is left.
    """
    return scores - np.logaddexp.reduce(scores, axis=-1, keepdims=True)


@mistake("the mean for the sum")
def mean_for_sum(scores):
    """You took the mean of the exponentials, and what they are divided by is their sum.

    A mean is n times smaller, so all of your logarithms are too large by log(n).
    """
    return answer(scores) + np.log(scores.shape[-1])


@mistake("1 added to the sum")
def log1p(scores):
    """You added 1 to the sum of the exponentials.

    `np.log1p(x)` is the logarithm of 1 + x. Take `np.log`.
    """
    rest = scores - scores.max(axis=-1, keepdims=True)
    return rest - np.log1p(np.exp(rest).sum(axis=-1, keepdims=True))


@mistake("without the shift")
def no_shift(scores):
    """Your exponentials overflow, or all of them vanish, where scores are far from 0.

    Subtract from each row its largest score before `np.exp`.
    """
    return scores - np.log(np.exp(scores).sum(axis=-1, keepdims=True))


@mistake("the shift forgotten")
def shift_forgotten(scores):
    """You shifted the scores inside the logarithm and not those that it is subtracted from.

    If the largest score is subtracted inside, it has to be subtracted outside as well. Make the
    shifted scores once, and use them in both places.
    """
    rest = scores - scores.max(axis=-1, keepdims=True)
    return scores - np.log(np.exp(rest).sum(axis=-1, keepdims=True))


@mistake("one shift for all rows")
def one_shift(scores):
    """You subtracted the largest score of the whole array, so rows far below it vanish.

    Each row has a largest score of its own: `max(axis=-1, keepdims=True)`.
    """
    rest = scores - scores.max()
    return rest - np.log(np.exp(rest).sum(axis=-1, keepdims=True))


@mistake("one shift for all rows, if there are any")
def one_shift_of_some(scores):
    """You subtracted the largest score of the whole array, so rows far below it vanish.

    Each row has a largest score of its own: `max(axis=-1, keepdims=True)`.
    """
    return one_shift.function(scores) if scores.size else scores


@mistake("float32")
def float32(scores):
    """You compute in float32, which holds no number beyond 3.4e38.

    Scores come as float64, up to 1e308. Leave them as they are.
    """
    with np.errstate(over="ignore"):
        rest = scores.astype(np.float32)
    rest = rest - rest.max(axis=-1, keepdims=True)
    return rest - np.log(np.exp(rest).sum(axis=-1, keepdims=True))


def cut(lowest):
    """Make the mistake of cutting off what is far below the largest score."""
    return Mistake(
        f"cut off {lowest} below the largest",
        lambda scores: answer(np.maximum(scores, scores.max(axis=-1, keepdims=True) - lowest)),
        f"You cut scores off where they lie more than {lowest} below the largest.",
        "There is nothing to fear: the exponential of a number far below 0 is 0, and adds nothing "
        "to the sum. Outside the sum the score is needed as it is.",
    )


@mistake("np.log2 in the formula")
def log2(scores):
    """You took the logarithm to base 2 of the sum; the natural one is asked for.

    In NumPy the natural logarithm is `np.log`.
    """
    rest = scores - scores.max(axis=-1, keepdims=True)
    return rest - np.log2(np.exp(rest).sum(axis=-1, keepdims=True))


@mistake("np.log10 in the formula")
def log10(scores):
    """You took the logarithm to base 10 of the sum; the natural one is asked for.

    In NumPy the natural logarithm is `np.log`.
    """
    rest = scores - scores.max(axis=-1, keepdims=True)
    return rest - np.log10(np.exp(rest).sum(axis=-1, keepdims=True))


@mistake("base 2")
def base_2(scores):
    """Your logarithm is that to base 2; the natural one is asked for.

    In NumPy the natural logarithm is `np.log`.
    """
    return answer(scores) / np.log(2)


@mistake("base 10")
def base_10(scores):
    """Your logarithm is that to base 10; the natural one is asked for.

    In NumPy the natural logarithm is `np.log`.
    """
    return answer(scores) / np.log(10)


@mistake("0 in place of what is not finite")
def nan_to_num(scores):
    """You put 0 where the logarithm of a weight is -inf.

    The true logarithm is an ordinary number, far below 0. Take the logarithm of the formula in
    place of that of the weights.
    """
    return np.nan_to_num(np.log(attnlib.softmax(scores)), neginf=0.0)


@mistake("columns")
def columns(scores):
    """You normalised down the columns.

    Take maximum and sum along the last axis: `axis=-1, keepdims=True`.
    """
    return scores - np.logaddexp.reduce(scores, axis=0, keepdims=True)


@mistake("everything together")
def everything(scores):
    """You normalised over the whole array: all exponentials together sum to 1, not each row's.

    Tell `max` and `sum` to stay within a row: `axis=-1, keepdims=True`.
    """
    return scores - np.logaddexp.reduce(scores.ravel())


@mistake("axis 1 for the last axis")
def axis_1(scores):
    """Your numbers are right for a matrix, but only there is `axis=1` the last axis.

    A single row has no axis 1, and a batch has another axis behind it. `axis=-1` is the last one
    wherever it stands.
    """
    return scores - np.logaddexp.reduce(scores, axis=1, keepdims=True)


@mistake("the logarithm of the exponentials")
def not_normalised(scores):
    """You subtracted the largest score and stopped: the exponentials do not sum to 1 yet.

    The sum below the fraction has a logarithm too. Subtract it.
    """
    return scores - scores.max(axis=-1, keepdims=True)


TASK = Exercise(
    answer=answer,
    cases=cases,
    promises=promised,
    draw=draw,
    mistakes=(..., *map(padded, SMALL), *map(cut, (100, 500, 700, 709, 745))),
    facts=(
        Fact("each row's exponentials sum to 1", lambda f, s: close(np.exp(f(s)).sum(axis=-1), 1)),
        Fact(
            "scores that differ by 1 have logarithms that differ by 1",
            lambda f, s: close(f(s) - f(s)[..., :1], s - s[..., :1]),
        ),
    ),
    edges=(Edge("the batch is empty", is_empty),),
)  # fmt: skip
