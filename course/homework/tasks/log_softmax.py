"""The logarithm of a softmax, without taking the logarithm of a weight that has become 0."""

import numpy as np

import attnlib
from attnlib.checks import promises
from attnlib.checks.exercise import Case, Fact, Promise, close, mistake
from course.homework.task import Task

FAR = Promise(
    "a score far below the largest one keeps its logarithm",
    "The logarithm of 0 is -inf, though the true one is an ordinary number.",
)


def answer(scores):
    """Give what is right, by which answers are judged."""
    top = scores.max(axis=-1, keepdims=True)
    return scores - top - np.log(np.exp(scores - top).sum(axis=-1, keepdims=True))


def cases():
    """Two rows to do by hand, and some of few digits."""
    rng = np.random.default_rng(31)
    yield Case("a row of two", (np.array([[0.0, 1.0]]),))
    yield Case("rows of five", (rng.normal(size=(3, 5)).round(2),))


def promised():
    """Give the inputs that hold an answer to each promise."""
    rng = np.random.default_rng(32)
    return {
        FAR: [(np.array([[0.0, -800.0, -900.0], [3.0, 2.0, -2000.0]]),)],
        promises.LARGE: [(np.array([[800.0, 801.0], [-900.0, -901.0]]),)],
        promises.LEADING: [(rng.normal(size=(*lead, 4)),) for lead in ((), (2, 1, 3))],
        promises.SIZES: [(rng.normal(size=pair),) for pair in promises.SIZE_PAIRS],
    }


def draw(rng):
    """Give random scores, of sizes that are random too."""
    return (rng.normal(scale=10 ** rng.uniform(-1, 3), size=rng.integers(1, 9, 2)),)


@mistake("the plain softmax")
def plain(scores):
    """Your rows are weights: their logarithm is asked for."""
    return attnlib.softmax(scores)


@mistake("the logarithm of a weight that is 0")
def naive(scores):
    """You took the logarithm last, when small weights had become 0."""
    return np.log(attnlib.softmax(scores))


@mistake("base 2")
def base_2(scores):
    """Your logarithm is that to base 2; the natural one is asked for."""
    return answer(scores) / np.log(2)


@mistake("columns")
def columns(scores):
    """You normalised down the columns."""
    return answer(scores.swapaxes(0, -1)).swapaxes(0, -1)


TASK = Task(
    answer=answer,
    cases=cases,
    promises=promised,
    draw=draw,
    mistakes=(plain, naive, base_2, columns),
    facts=(
        Fact("each row's exponentials sum to 1", lambda f, s: close(np.exp(f(s)).sum(axis=-1), 1)),
    ),
)
