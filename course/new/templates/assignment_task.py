"""Take a multiple of each row's mean away. OPEN: what the function does, in a line."""

import numpy as np

from attnlib.checks import promises
from attnlib.checks.exercise import Case, Exercise, Fact, Promise, close, mistake, wrongly_set
from course.homework.variants import Variant

TIMES: Variant = (
    2  # the sheet's `variant("times", ...)`: a group's own value stands here when it is judged
)

# OPEN: what the task promises beyond its examples, each with what to think of where it fails.
LARGE = Promise(
    "numbers of any size are right", "Do you add up before you divide, as the mean does?"
)


def answer(x):
    """Give what is right, by which answers are judged. OPEN: in another way than the sheet's."""
    means = [sum(row) / len(row) for row in x.reshape(-1, x.shape[-1])]
    return x - TIMES * np.reshape(means, (*x.shape[:-1], 1))


def cases():
    """Give the examples that stand in the students' notebook. OPEN: few and small."""
    yield Case("the example done by hand", (np.array([[1.0, 2.0, 6.0]]),))
    yield Case("two rows", (np.array([[0.5, -1.0], [2.0, 4.0]]),))


def promised():
    """Give the inputs that hold an answer to each promise. OPEN: nobody sees them."""
    rng = np.random.default_rng(1)
    return {
        LARGE: [(rng.normal(size=(3, 5)) * size,) for size in (1e-3, 1e6)],
        promises.LEADING: [(rng.normal(size=(*lead, 5)),) for lead in promises.LEADING_ROWS],
        promises.SIZES: [(rng.normal(size=size),) for size in ((1, 1), (7, 1), (1, 7))],
    }


def draw(rng):
    """Give random inputs, of sizes that are random too; each student has others."""
    return (rng.normal(size=rng.integers(1, 7, size=rng.integers(1, 4))),)


def turned(x, *, times=TIMES, along=-1):
    """Answer with knobs, right where none is turned. OPEN: the choices that a student makes."""
    return x - times * x.mean(axis=along, keepdims=True)


# OPEN: four mistakes at least that students will make, each with what went wrong and what helps.

one_mean = wrongly_set(
    turned,
    "one mean for all",
    "You took one mean of all numbers, where each row has its own.",
    "Say along which axis: the last one.",
    along=None,
)

once = wrongly_set(
    turned,
    "the mean alone",
    "You took the mean away once.",
    "Your sheet says how many times.",
    times=1,
)

added = wrongly_set(
    turned,
    "the mean added",
    "You added the mean, where it is to be taken away.",
    "Look at the sign.",
    times=-TIMES,
)


@mistake("the sum in place of the mean")
def sums(x):
    """You took the sum of each row.

    The mean is the sum, divided by how many numbers there are.
    """
    return x - TIMES * x.sum(axis=-1, keepdims=True)


TASK = Exercise(
    answer=answer,
    cases=cases,
    promises=promised,
    draw=draw,
    facts=(Fact("signs come through", lambda f, x: close(f(-x), -f(x))),),
)
