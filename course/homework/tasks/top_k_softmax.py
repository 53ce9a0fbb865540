"""A softmax over the k largest scores of each row alone, with all that tie for the last place."""

import numpy as np

import attnlib
from attnlib.checks import promises
from attnlib.checks.exercise import Case, Edge, Exercise, Fact, Promise, close, mistake
from course.homework.task import EMPTY, is_empty
from course.homework.variants import Variant

TIES = Promise(
    "all scores that tie for the last place are kept",
    "Which scores stay is a question of how large they are, not of how many there are: all that "
    "are as large as the k-th largest, or larger. Compare with that number, by `>=`.",
)
ANY_K = Promise(
    "any k from 1 on is right, beyond n too",
    "With k = 1 only the largest stays, and all that equal it. A row of n scores has no more than "
    "n to keep, so a larger k keeps them all: think of `min(k, n)`.",
)
LARGE = Promise(
    "scores of any size are right",
    "`np.exp` overflows above 709, and far below 0 it gives nothing but zeros. Subtract from each "
    "row its own largest score first, or call `attnlib.softmax`, which does.",
    "Scores may all be far below 0, or far above. So 0, or -1e9, is not below every score: what is "
    "left out needs the score `-np.inf`, or must not come into the sum.",
)
TEMPERATURE: Variant = 0.4


def answer(scores, k):
    """Give what is right, by which answers are judged."""
    weights = np.zeros(scores.shape)
    for place in np.ndindex(scores.shape[:-1]):
        row = scores[place].tolist()
        last = sorted(row, reverse=True)[:k][-1]
        kept = {
            j: np.exp((score - max(row)) / TEMPERATURE)
            for j, score in enumerate(row)
            if score >= last
        }
        for j, e in kept.items():
            weights[(*place, j)] = e / sum(kept.values())
    return weights


def cases():
    """Rows to do by hand, with and without a tie, and some of few digits."""
    rng = np.random.default_rng(51)
    yield Case("the two largest of four", (np.array([[2.0, 1.0, 0.5, -0.5]]), 2))
    yield Case("a tie for the last place", (np.array([[1.0, 3.0, 0.0, 1.0, 1.0]]), 2))
    yield Case("rows of five", (rng.normal(size=(3, 5)).round(1), 3))
    many = np.array([[-1.0, -2.0, 0.5], [3.0, 1.0, 2.5], [0.0, -0.5, -1.5]])
    yield Case("fewer scores than k", (many, 10))


def promised():
    """Give the inputs that hold an answer to each promise."""
    rng = np.random.default_rng(52)
    level = np.array([[-300.0], [500.0], [-800.0]])
    return {
        TIES: [
            (np.array([[0.5, 0.5, 0.5, 0.5]]), 2),
            (np.array([[2.0, 1.0, 2.0, 1.0, 0.0, 1.0], [2.0, 2.0, 2.0, 1.0, 0.0, 0.0]]), 3),
            (np.array([[-1.0, -1.0, -2.0], [-3.0, -1.0, -3.0]]), 1),
            (np.array([[-1.0, -1.0, -2.0], [-3.0, -1.0, -3.0]]), 2),
            (np.array([[0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0]]), 4),
            (np.array([[1.0, 1.001, 1.002, 0.999]]), 2),
        ],
        ANY_K: [
            *(
                (np.array([[0.3, -1.2, 0.8, 0.1, -0.4], [1.1, 0.9, -0.6, 2.0, 0.0]]), k)
                for k in (1, 2, 4, 5, 6, 50)
            ),
            (np.array([[-3.0, -1.0, -2.0]]), 4),
        ],
        LARGE: [
            (np.array([[1e5, 1e5 + 0.5]]), 1),
            (np.array([[800.0, 801.0, 799.0], [-900.0, -901.0, -902.0]]), 2),
            (np.array([[-3e10, -3e10, -5e10, -4e10], [3e10, 2e10, 3e10, 3e10]]), 2),
            (np.array([[-3e300, -3e300, -5e300, -4e300]]), 3),
            (np.array([[2e300, -2e300, 2e300, 1e300]]), 3),
            (np.array([[0.0, -2000.0, -900.0, -2000.0]]), 2),
            (rng.normal(size=(3, 5)).round(1) + level, 3),
        ],
        promises.LEADING: [
            (rng.normal(size=(*lead, 5)).round(2), 3)
            for lead in (*promises.LEADING_ROWS, (5,), (5, 5))
        ],
        promises.SIZES: [
            *((x, k) for x in promises.scores_and_sizes(rng) for k in (1, 2, 3)),
            (np.array([[-5.0]]), 1),
            (rng.normal(size=(1, 97)), 11),
        ],
        EMPTY: [(np.zeros((*lead, 3)), 2) for lead in promises.EMPTY_BATCHES],
        promises.SAME_SHAPES: promises.again(lambda: (rng.normal(size=(3, 5)), 2)),
    }


def draw(rng):
    """Give random scores, of few values every other time, so that many are equal."""
    shape = rng.integers(1, 8, size=rng.integers(1, 4))
    scores = rng.normal(scale=10 ** rng.uniform(-1, 3), size=shape)
    if rng.integers(2):
        scores = rng.integers(-2, 3, size=shape) * 0.5 + rng.integers(-2, 3) * 1000.0
    return scores, int(rng.integers(1, 10))


def kept(scores, k):
    """Give where the k largest stand, with all that tie."""
    return answer(np.zeros_like(scores) + rank(scores), k) > 0


def rank(scores):
    """Give small numbers in the same order as each row's scores, equal where they are."""
    return (scores[..., None] > scores[..., None, :]).sum(axis=-1) / 10.0


def over(scores, keep):
    """Give the softmax over what is kept."""
    return attnlib.softmax(np.where(keep, scores, -np.inf), temperature=TEMPERATURE)


@mistake("exactly k")
def exactly_k(scores, k):
    """You kept exactly k scores, and dropped some that are equal to the last of them.

    Equal scores get equal weights. Find the k-th largest score, and keep all that are as large.
    """
    order = np.argsort(-scores, axis=-1, kind="stable")
    keep = np.zeros(scores.shape, dtype=bool)
    np.put_along_axis(keep, order[..., :k], True, axis=-1)
    return over(scores, keep)


@mistake("not shared out anew")
def no_renormalising(scores, k):
    """You set the other weights to 0 after the softmax, so a row no longer sums to 1.

    The softmax is meant to run over the largest scores alone. Take the others out before it.
    """
    return np.where(kept(scores, k), over(scores, True), 0.0)


@mistake("scores of 0")
def zeros(scores, k):
    """You gave the score 0 to what is left out, and a score of 0 gets a weight.

    The exponential of 0 is 1. What is to have the weight 0 needs the score `-np.inf`.
    """
    return over(scores * kept(scores, k), True)


@mistake("a large negative score")
def finite(scores, k):
    """You gave a large negative number to what is left out, and there are scores below that.

    Only `-np.inf` is below every score.
    """
    return over(np.where(kept(scores, k), scores, -1e9), True)


@mistake("the k smallest")
def smallest(scores, k):
    """You kept the smallest scores, because sorting goes upwards.

    The k-th largest stands at place -k of a sorted row.
    """
    return over(scores, kept(-scores, k))


@mistake("the k-th smallest as the bar")
def kth_smallest(scores, k):
    """You compared with the k-th smallest score, so too many are kept.

    Sorting goes upwards: the k-th largest stands at place -k of a sorted row, counted from its end.
    """
    last = np.sort(scores, axis=-1)[..., [min(k, scores.shape[-1]) - 1]]
    return over(scores, scores >= last)


@mistake("places compared with scores")
def places(scores, k):
    """You compared the scores with the place of one of them.

    `np.argsort` gives places. What a score has to reach is a score: `np.sort` gives these.
    """
    place = np.argsort(scores, axis=-1)[..., [-min(k, scores.shape[-1])]]
    return over(scores, scores >= place)


@mistake("one too few")
def above(scores, k):
    """You kept only what is larger than the k-th largest score, and that one has to stay too.

    Compare with `>=`.
    """
    last = np.sort(scores, axis=-1)[..., [-min(k, scores.shape[-1])]]
    return over(scores, scores > last)


@mistake("one too many")
def one_more(scores, k):
    """You kept one score more than k, because places are counted from 0.

    The largest stands at place -1 of a sorted row, and the k-th largest at place -k.
    """
    return answer(scores, k + 1)


@mistake("equal scores counted once")
def distinct(scores, k):
    """You counted equal scores as one, so too many are kept.

    Of the scores 3, 3 and 1 the two largest are 3 and 3. Sort the row as it is.
    """
    weights = np.zeros(scores.shape)
    for place in np.ndindex(scores.shape[:-1]):
        last = np.unique(scores[place])[::-1][:k][-1]
        weights[place] = over(scores[place], scores[place] >= last)
    return weights


@mistake("k larger than the row")
def too_long(scores, k):
    """Your function fails where k is larger than the number of scores.

    Then all of them stay. `min(k, scores.shape[-1])` is never too large.
    """
    last = np.sort(scores, axis=-1)[..., -k][..., None]
    return over(scores, scores >= last)


@mistake("one threshold for all rows")
def one_threshold(scores, k):
    """You looked for the k largest of the whole array; each row has k largest of its own.

    Sort along the last axis, and keep that axis: the k-th largest scores are `(..., 1)`.
    """
    last = np.sort(scores, axis=None)[-min(k, scores.shape[-1])]
    return over(scores, scores >= last)


@mistake("rows turned round")
def rows_turned(scores, k):
    """You turned round the order of the rows: `[::-1]` works along the first axis.

    The k-th largest stands at place -k of a sorted row, counted from its end: `[..., -k]`.
    """
    last = np.sort(scores, axis=-1)[::-1][..., [min(k, scores.shape[-1]) - 1]]
    return over(scores, scores >= last)


@mistake("columns")
def columns(scores, k):
    """You worked down the columns.

    Sort and share out along the last axis, `axis=-1`.
    """
    return answer(scores.swapaxes(0, -1), k).swapaxes(0, -1)


@mistake("without the shift")
def no_shift(scores, k):
    """Your exponentials overflow, or all of them vanish, where scores are far from 0.

    Subtract from each row its largest score before `np.exp`, or let `attnlib.softmax` do it.
    """
    e = np.exp(scores / TEMPERATURE) * kept(scores, k)
    return e / e.sum(axis=-1, keepdims=True)


@mistake("without the shift, 0 for what is left out")
def no_shift_of_kept(scores, k):
    """Your exponentials overflow, or all of them vanish, where scores are far from 0.

    Subtract from each row its largest score before `np.exp`, or let `attnlib.softmax` do it.
    """
    e = np.where(kept(scores, k), np.exp(scores / TEMPERATURE), 0)
    return e / e.sum(axis=-1, keepdims=True)


@mistake("the plain softmax")
def plain(scores, k):
    """You took the softmax over all scores, and k made no difference.

    Find the k-th largest score of each row first. What lies below it gets the weight 0.
    """
    return over(scores, True)


@mistake("no temperature")
def no_temperature(scores, k):
    """You shared out at temperature 1, and your sheet says another.

    The scores that take part are divided by the temperature before the softmax, or you call
    `attnlib.softmax(..., temperature=...)`.
    """
    return attnlib.softmax(np.where(kept(scores, k), scores, -np.inf))


@mistake("multiplied by the temperature")
def multiplied(scores, k):
    """You multiplied the scores by the temperature, and they are divided by it.

    The higher the temperature, the more equal the weights.
    """
    return attnlib.softmax(np.where(kept(scores, k), scores * TEMPERATURE, -np.inf))


@mistake("equal shares")
def equal_shares(scores, k):
    """You shared equally among the largest, whatever their scores.

    A higher score still gets a higher weight: take the softmax of the scores that are kept.
    """
    keep = kept(scores, k)
    return keep / keep.sum(axis=-1, keepdims=True)


def highest_alone(f, scores, k):
    """Find out whether all that get something have higher scores than those that do not."""
    shared = f(scores, k) > 0
    lowest = np.where(shared, scores, np.inf).min(axis=-1)
    highest = np.where(shared, -np.inf, scores).max(axis=-1)
    return bool((lowest > highest).all())


TASK = Exercise(
    answer=answer,
    cases=cases,
    promises=promised,
    draw=draw,
    facts=(
        Fact("rows sum to 1", lambda f, *x: close(f(*x).sum(axis=-1), 1)),
        Fact("those who get a share have the highest scores", highest_alone),
        Fact(
            "all others get exactly 0",
            lambda f, *x: np.array_equal(f(*x) == 0, answer(*x) == 0),
            "A tiny weight is not 0. Give `-np.inf` to what is left out.",
        ),
    ),
    edges=(Edge("the batch is empty", is_empty),),
)  # fmt: skip
