"""Take each row's mean away. OPEN: what the function does, in a line."""

import numpy as np

from attnlib.checks import promises
from attnlib.checks.exercise import Case, Exercise, Fact, close, mistake, wrongly_set
from attnlib.checks.shapes import Shapes

SHAPES = Shapes("(..., n, d) -> (..., n, d)")  # OPEN: of what comes in, and of what goes out


def my_name(x):
    """OPEN: the reason, as `solution` shows it below the body that a reader would write."""
    return x - x.mean(axis=-1, keepdims=True)  # (..., n, d) - (..., n, 1) -> (..., n, d)


def answer(x):
    """Give what is right, by which answers are judged. OPEN: three lines of attnlib at most."""
    return x - x.mean(axis=-1, keepdims=True)


def cases():
    """Two rows by hand; random ones. OPEN: three at least, the first small enough to read."""
    rng = np.random.default_rng(0)
    yield Case("the small example is right", (np.array([[1.0, 2.0, 6.0], [0.0, 4.0, 5.0]]),))
    yield Case("more rows than columns are right", (rng.normal(size=(7, 5)) + 1,))
    yield Case("works with leading batch axes", (rng.normal(size=(2, 3, 5)) - 2,))


def promised():
    """Give the inputs that hold an answer to each promise. OPEN: what else it promises."""
    rng = np.random.default_rng(100)
    given = SHAPES.given(rng)

    def long(*lengths):
        return [(promises.long(*given(), length),) for length in lengths]

    return promises.of_shapes(SHAPES, given) | {
        promises.SCALE: long(promises.SHORT, promises.LONG),
        promises.VECTORS.beyond: long(*promises.FAR_OFF),
    }


def turned(x, *, sign=-1, along=-1, after=np.asarray):
    """Answer with knobs. OPEN: the choices that a reader makes, right where none is turned."""
    return after(x + sign * x.mean(axis=along, keepdims=True))


# OPEN: five mistakes at least that readers will make, each with what went wrong and what helps.

columns = wrongly_set(
    turned,
    "columns",
    "You took the mean of each column, down axis 0.",
    "A token is a row: its numbers lie along the last axis.",
    along=-2,
)

one_mean = wrongly_set(
    turned,
    "one mean for all",
    "You took one mean of all numbers, where each row has its own.",
    "Say along which axis: the last one.",
    along=(-2, -1),
)


@mistake("mean returned")
def means(x):
    """You returned the means themselves.

    They are what is to be taken away from x.
    """
    return np.broadcast_to(x.mean(axis=-1, keepdims=True), x.shape)


@mistake("sum in place of the mean")
def sums(x):
    """You took away each row's sum.

    The mean is the sum, divided by how many numbers there are.
    """
    return x - x.sum(axis=-1, keepdims=True)


added = wrongly_set(
    turned,
    "mean added",
    "You added the mean, where it is to be taken away.",
    "Look at the sign.",
    sign=1,
)


EXERCISE = Exercise(
    solution=my_name,
    answer=answer,
    shapes=SHAPES,
    cases=cases,
    promises=promised,
    ends=(promises.VECTORS.of("x"),),  # OPEN: how far what comes in may go; the task says it, too
    facts=(  # OPEN: what holds for right answers whatever comes in, tried on every case
        Fact("each row sums to 0", lambda f, x: close(f(x).sum(axis=-1), 0.0)),
        Fact("a number added to all changes nothing", lambda f, x: close(f(x + 3), f(x))),
    ),
    hints=(  # OPEN: from a first push to all but the code
        "Work one row out by hand. What do its numbers add up to afterwards?",
        "`x.mean(axis=-1, keepdims=True)` has one number for each row, as a column beside x.",
    ),
)
