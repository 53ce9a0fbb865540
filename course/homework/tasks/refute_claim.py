"""Two rows of scores that refute a claim about entropy and the largest weight."""

import numpy as np

import attnlib
from attnlib.checks.exercise import Promise, mistake
from course.homework.task import Example

REFUTED = Promise(
    "the two rows refute the claim",
    "Return two rows of scores, of the same length from 2 to 9, with a comma between them: the "
    "weights of the first have the higher entropy, and the largest weight.",
)
LEAST = 0.01  # by which an entropy, or a weight, has to be larger


def shows(first, second):
    """Say whether the first has the higher entropy, and whether it has the larger top weight."""
    if first.ndim != 1 or first.shape != second.shape or len(first) < 2:
        raise ValueError
    one, other = map(attnlib.softmax, (first, second))
    more = attnlib.entropy(one) - attnlib.entropy(other), one.max() - other.max()
    return np.array([1.0, *(1.0 if x >= LEAST else -1.0 for x in more)])


def answer():
    """Give what a right example shows: it is one, more entropy, and a larger top weight."""
    return np.ones(3)


@mistake("no two rows")
def no_example():
    """Your function returned something else than two rows of scores of the same length.

    Return two arrays of shape (n,) with a comma between them, n from 2 to 9.
    """
    return -np.ones(3)


@mistake("the claim confirmed")
def confirmed():
    """Your first row has the higher entropy, but its largest weight is not the larger one.

    The claim is right about these two. Let one key have about half of the weight in both rows: who
    gets the other half?
    """
    return np.array([1.0, 1.0, -1.0])


@mistake("less entropy, a larger weight")
def confirmed_the_other_way():
    """Your first row has the larger weight, but not the higher entropy.

    The claim is right about these two. Let one key have about half of the weight in both rows: who
    gets the other half?
    """
    return np.array([1.0, -1.0, 1.0])


@mistake("the rows exchanged")
def exchanged():
    """Your first row has neither the higher entropy nor the larger top weight, by 0.01 at least.

    If it is the second that has both, exchange them. And if the two are nearly alike, take rows
    that lie further apart.
    """
    return np.array([1.0, -1.0, -1.0])


TASK = Example(
    answer=answer,
    cases=lambda: [],
    promises=lambda: {REFUTED: [()]},
    example=("first", "second"),
    shows=shows,
)
