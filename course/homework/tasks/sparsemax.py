"""Weights of which some are exactly 0: scores above a threshold, less the threshold.

Martins & Astudillo, "From softmax to sparsemax" (2016), section 2. The answer by which others are
judged finds the threshold as Michelot does, "A finite algorithm for finding the projection of a
point onto the canonical simplex" (1986): drop what lies below, and begin anew.
"""

import numpy as np

import attnlib
from attnlib.checks import promises
from attnlib.checks.exercise import Case, Edge, Exercise, Fact, Promise, close, mistake
from course.homework.task import EMPTY, is_empty

LARGE = Promise(
    "scores of any size are right",
    "Sums of large scores lose their digits, and 1 is lost beside them. Only differences between "
    "scores count: subtract each row's largest score first, as for softmax.",
)
ANY_NUMBER = Promise(
    "from one weight to all n may be above 0",
    "Where one score is ahead by 1 or more it takes everything, and where all lie close together "
    "nobody gets 0. The threshold has to suit as many scores as lie above it, 1 and n included.",
)
TIES = Promise(
    "equal scores get equal weights",
    "Where scores are equal, either all of them lie above the threshold or none, and they get the "
    "same share.",
)


def answer(scores):
    """Give what is right, by which answers are judged."""
    weights = np.zeros(scores.shape)
    for place in np.ndindex(scores.shape[:-1]):
        row = scores[place] - scores[place].max()
        above = row > -1.0  # the largest weight is 1 at most
        while True:
            threshold = (row[above].sum() - 1) / np.count_nonzero(above)
            if (row[above] > threshold).all():
                break
            above &= row > threshold
        weights[place] = np.where(above, row - threshold, 0.0)
    return weights


def cases():
    """Rows to do by hand, one of them below 0, and some of few digits."""
    yield Case("two of four", (np.array([[1.0, 0.6, 0.2, -1.0]]),))
    yield Case("one ahead of all", (np.array([[2.0, 0.5, -0.5]]),))
    yield Case(
        "rows of five",
        (np.array([[0.3, -0.2, 0.8, 0.1, 0.7], [-1.1, -1.0, -1.3, -1.2, -0.9],
                   [0.4, 1.9, -0.6, 1.5, 1.5]]),),
    )  # fmt: skip


def promised():
    """Give the inputs that hold an answer to each promise."""
    rng = np.random.default_rng(71)
    level = np.array([[-300.0], [500.0], [-800.0]])
    close_by = np.array([[0.0, -0.25, -0.5, -2.0, -0.5]])
    return {
        ANY_NUMBER: [
            (np.array([[2.0, 1.0, 0.5, -0.5], [1.5, 1.3, 1.4, 1.2]]),),
            (np.array([[0.5, 1.25, -0.25], [-3.0, -1.0, -2.5]]),),
            *((rng.normal(scale=scale, size=(3, 7)).round(3),) for scale in (0.05, 0.3, 3.0)),
            (np.array([[0.0, -0.99, -1.01, -5.0]]),),
            (np.array([[0.0, -0.9985]]),),
            (-np.concatenate([[0.0, 1.0], 10.0 ** np.arange(10, 281, 10)])[None],),
            (np.array([[-0.1, -0.1, -0.12, -0.2, -0.14, -0.16, -0.18, -0.22, -0.24, -5.0, -6.0]]),),
        ],
        TIES: [
            (np.array([[0.3, 0.3, 0.3], [5.0, 5.0, 5.0], [-0.7, -0.7, -0.7]]),),
            (np.array([[1.0, 1.0, 0.0, 1.0, 0.0], [1.0, 0.8, 0.8, 0.8, 0.1]]),),
            (np.array([[0.0, 0.0, -0.4, -0.4, -0.4, -0.4]]),),
            (np.zeros((1, 101)),),
        ],
        LARGE: [
            (np.array([[2e300, 2e300, -3e300], [-4e300, -5e300, -6e300]]),),
            (np.array([[-3e17, -3e17, -3e17, -4e17]]),),
            *((close_by + offset,) for offset in (2.0**45, -(2.0**45), 900.0, -900.0)),
            (np.array([[0.25, 0.5, -1e300, -1e300]]),),
            (np.array([[0.0, -2000.0, -0.4, 0.1]]),),
            (rng.normal(scale=0.5, size=(3, 5)).round(1) + level,),
        ],
        promises.LEADING: [
            (rng.normal(scale=0.5, size=(*lead, 5)).round(2),)
            for lead in (*promises.LEADING_ROWS, (5,), (5, 5))
        ],
        promises.SIZES: [
            *((x / 2,) for x in promises.scores_and_sizes(rng)),
            (np.array([[-5.0]]),),
            (rng.normal(scale=0.2, size=(1, 97)),),
            (rng.normal(scale=0.2, size=(89, 2)),),
        ],
        EMPTY: [(np.zeros((*lead, 3)),) for lead in promises.EMPTY_BATCHES],
        promises.SAME_SHAPES: promises.again(lambda: (rng.normal(scale=0.5, size=(3, 5)),)),
    }


def draw(rng):
    """Give random scores, of few values every third time, so that many are equal."""
    shape = rng.integers(1, 9, size=rng.integers(1, 4))
    scores = rng.normal(scale=10 ** rng.uniform(-2, 1), size=shape) + rng.normal() * 1000
    if rng.integers(3) == 0:
        scores = rng.integers(-2, 3, size=shape) * 0.3 + rng.integers(-2, 3) * 1000.0
    return (scores,)


def n_above(scores):
    """Give how many weights of each row are above 0: (..., 1)."""
    return (answer(scores) > 0).sum(axis=-1, keepdims=True)


def below(scores):
    """Give the scores less each row's largest."""
    return scores - scores.max(axis=-1, keepdims=True)


def threshold(scores, k, *, less=1):
    """Give the threshold that suits the k largest of each row: (..., 1)."""
    ordered = -np.sort(-scores, axis=-1)
    kept = np.where(np.arange(scores.shape[-1]) < k, ordered, 0.0)
    return (kept.sum(axis=-1, keepdims=True) - less) / k


@mistake("the softmax")
def softmax(scores):
    """You took the softmax, which gives every key something.

    There is no exponential here: subtract a threshold from the scores, and raise to 0 what
    falls below.
    """
    return attnlib.softmax(scores)


@mistake("negative scores cut off")
def cut_at_0(scores):
    """You cut off what is negative and divided by the sum, so the threshold is always 0.

    The threshold is another one for each row: such that what lies above it sums to 1. Nothing is
    divided by a sum.
    """
    positive = np.maximum(scores, 0.0)
    return positive / positive.sum(axis=-1, keepdims=True)


@mistake("shares of what lies above the smallest")
def above_the_smallest(scores):
    """You subtracted each row's smallest score and divided by the sum.

    The threshold is another one for each row: such that what lies above it sums to 1. Nothing is
    divided by a sum.
    """
    above = scores - scores.min(axis=-1, keepdims=True)
    return above / above.sum(axis=-1, keepdims=True)


@mistake("the threshold for all n")
def one_step(scores):
    """You found the threshold as if every score lay above it, so your rows sum to more than 1.

    Scores that lie below the threshold get 0, and must not count when it is computed. Try k = 1,
    2, 3, ... of the largest.
    """
    return np.maximum(scores - (scores.sum(axis=-1, keepdims=True) - 1) / scores.shape[-1], 0.0)


@mistake("the threshold for all n, then divided")
def one_step_divided(scores):
    """You found the threshold as if every score lay above it, and divided to get the sum right.

    That changes the differences between the weights. Where two weights are above 0 they differ by
    as much as their scores do.
    """
    weights = one_step.function(scores)
    return weights / weights.sum(axis=-1, keepdims=True)


@mistake("the threshold for all n shifted scores")
def one_step_shifted(scores):
    """You found the threshold as if every score lay above it, so your rows sum to more than 1.

    Scores that lie below the threshold get 0, and must not count when it is computed. Try k = 1,
    2, 3, ... of the largest, which come first where you sort downwards.
    """
    return np.maximum(below(scores) - threshold(below(scores), scores.shape[-1]), 0.0)


@mistake("sorted upwards")
def upwards(scores):
    """You summed the scores from the smallest on, because sorting goes upwards.

    The sums needed are those of the k *largest*. Turn the sorted rows round, or sort `-scores`.
    """
    ordered = np.sort(below(scores), axis=-1)
    thresholds = (np.cumsum(ordered, axis=-1) - 1) / np.arange(1, scores.shape[-1] + 1)
    k = np.maximum((ordered > thresholds).sum(axis=-1, keepdims=True), 1)
    return np.maximum(below(scores) - np.take_along_axis(thresholds, k - 1, axis=-1), 0.0)


@mistake("in sorted order")
def in_order(scores):
    """Your weights come in the order of the sorted scores, and no longer belong to their keys.

    Sort to find the threshold. Then subtract it from the scores as they came in.
    """
    return -np.sort(-answer(scores), axis=-1)


@mistake("without the 1")
def without_1(scores):
    """You forgot the 1: what lies above the threshold should sum to 1, and not to 0.

    The k largest less k times the threshold sum to 1, so the threshold is (their sum - 1) / k.
    """
    shifted = below(scores)
    return np.maximum(shifted - threshold(shifted, n_above(scores), less=0), 0.0)


@mistake("without the 1, throughout")
def without_1_throughout(scores):
    """You forgot the 1: what lies above the threshold should sum to 1, and not to 0.

    The k largest less k times the threshold sum to 1, so the threshold is (their sum - 1) / k.
    """
    shifted = below(scores)
    ordered = -np.sort(-shifted, axis=-1)
    thresholds = np.cumsum(ordered, axis=-1) / np.arange(1, scores.shape[-1] + 1)
    k = (ordered > thresholds).sum(axis=-1, keepdims=True)
    return np.maximum(shifted - np.take_along_axis(thresholds, k - 1, axis=-1), 0.0)


@mistake("the threshold of shifted scores")
def shift_forgotten(scores):
    """You found the threshold of shifted scores, and subtracted it from the scores as they came.

    Make the shifted scores once, and use them in both places.
    """
    return np.maximum(scores - threshold(below(scores), n_above(scores)), 0.0)


@mistake("nothing cut off")
def not_cut(scores):
    """You subtracted the threshold, and left what falls below 0 as it is.

    What lies below the threshold gets exactly 0: `np.maximum(..., 0)`.
    """
    shifted = below(scores)
    return shifted - threshold(shifted, n_above(scores))


@mistake("the sign dropped in place of 0")
def absolute(scores):
    """You dropped the sign of what falls below 0, and it has to become 0.

    What lies below the threshold gets exactly 0: `np.maximum(..., 0)`.
    """
    return np.abs(not_cut.function(scores))


@mistake("everything to the largest")
def hard(scores):
    """You gave everything to the largest score.

    Scores that lie less than 1 below the largest may get a share, too: as much as they lie above
    the threshold.
    """
    return np.where(scores == scores.max(axis=-1, keepdims=True), 1.0, 0.0)


@mistake("dropped once")
def dropped_once(scores):
    """You dropped what lies below the first threshold, and did not look again.

    Each time some scores are dropped, the threshold of the others rises, and more may lie below it.
    Go on until none does.
    """
    shifted = below(scores)
    kept = shifted > (shifted.sum(axis=-1, keepdims=True) - 1) / scores.shape[-1]
    total = np.where(kept, shifted, 0.0).sum(axis=-1, keepdims=True)
    return np.maximum(shifted - (total - 1) / kept.sum(axis=-1, keepdims=True), 0.0)


@mistake("the first row's number for all")
def first_rows_number(scores):
    """You took how many weights of the first row are above 0, and used it for all rows.

    Each row has a number of its own. Keep its axis, `keepdims=True`, and look up each row's
    threshold with `np.take_along_axis`.
    """
    shifted, k = below(scores), int(n_above(scores).ravel()[:1].sum())
    return np.maximum(shifted - threshold(shifted, max(k, 1)), 0.0)


@mistake("too few halvings")
def few_halvings(scores):
    """Your threshold is not yet right to four digits, so that your rows sum to nearly 1.

    Where an interval is halved, each time gains one binary digit: thirty cost nothing here. Sorted
    scores give the threshold at once.
    """
    shifted = below(scores)
    low, high = np.full((*scores.shape[:-1], 1), -1.0), np.zeros((*scores.shape[:-1], 1))
    for _ in range(10):
        middle = (low + high) / 2
        enough = np.maximum(shifted - middle, 0).sum(axis=-1, keepdims=True) >= 1
        low, high = np.where(enough, middle, low), np.where(enough, high, middle)
    return np.maximum(shifted - low, 0)


@mistake("divided by one less")
def divided_by_one_less(scores):
    """You divided the sum of the k largest by k - 1.

    The largest alone is a sum of one score. Count from 1: `np.arange(1, n + 1)`.
    """
    shifted = below(scores)
    ordered = -np.sort(-shifted, axis=-1)
    thresholds = (np.cumsum(ordered, axis=-1) - 1) / np.arange(scores.shape[-1])
    k = (ordered > thresholds).sum(axis=-1, keepdims=True)
    return np.maximum(shifted - np.take_along_axis(thresholds, k - 1, axis=-1), 0.0)


@mistake("one score too few")
def one_fewer(scores):
    """Your threshold suits one score less than lie above it, because places count from 0.

    The sum of the k largest stands at place k - 1 of `np.cumsum`.
    """
    shifted = below(scores)
    return np.maximum(shifted - threshold(shifted, np.maximum(n_above(scores) - 1, 1)), 0.0)


@mistake("one score too many")
def one_further(scores):
    """Your threshold counts one score more than lie above it.

    Take the largest k for which the k-th largest score still lies above its threshold.
    """
    shifted, k = below(scores), np.minimum(n_above(scores) + 1, scores.shape[-1])
    return np.maximum(shifted - threshold(shifted, k), 0.0)


@mistake("without the shift")
def no_shift(scores):
    """Large scores cost you the digits: beside them, the 1 is lost.

    Subtract from each row its largest score first. That changes no weight.
    """
    ordered = -np.sort(-scores, axis=-1)
    k = np.arange(1, scores.shape[-1] + 1)
    thresholds = (np.cumsum(ordered, axis=-1) - 1) / k
    above = np.maximum((ordered > thresholds).sum(axis=-1, keepdims=True), 1)
    return np.maximum(scores - np.take_along_axis(thresholds, above - 1, axis=-1), 0.0)


@mistake("everything together")
def everything(scores):
    """You found one threshold for the whole array: all weights together sum to 1, not each row's.

    Sort and sum along the last axis, and keep it: thresholds are `(..., 1)`.
    """
    return answer(scores.ravel()).reshape(scores.shape)


@mistake("columns")
def columns(scores):
    """You worked down the columns.

    Sort and sum along the last axis, `axis=-1`.
    """
    return answer(scores.swapaxes(0, -1)).swapaxes(0, -1)


@mistake("one row or one matrix")
def one_matrix(scores):
    """Your weights are right for a matrix, but other numbers of axes are an error.

    There may be any number of axes in front. Work along the last one: `axis=-1, keepdims=True`.
    """
    rows, columns = scores.shape  # fails where there are not two axes
    return answer(scores.reshape(rows, columns))


@mistake("equal shares")
def equal_shares(scores):
    """You found who gets a share, and made the shares equal.

    A weight is as large as its score lies above the threshold.
    """
    return (answer(scores) > 0) / n_above(scores)


def differ_as_scores(f, scores):
    """Find out whether there is one threshold for all weights above 0."""
    weights = f(scores)
    highest = np.where(weights > 0, scores - weights, -np.inf).max(axis=-1)
    lowest = np.where(weights > 0, scores - weights, np.inf).min(axis=-1)
    return close(highest - lowest, 0)


TASK = Exercise(
    answer=answer,
    cases=cases,
    promises=promised,
    draw=draw,
    facts=(
        Fact("rows sum to 1", lambda f, s: close(f(s).sum(axis=-1), 1)),
        Fact("no weight is negative", lambda f, s: (f(s) >= 0).all()),
        Fact("two weights above 0 differ as their scores do", differ_as_scores),
    ),
    edges=(Edge("the batch is empty", is_empty),),
)  # fmt: skip
