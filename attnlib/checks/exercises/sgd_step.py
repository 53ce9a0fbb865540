"""One step downhill."""

import numpy as np

from attnlib.checks import promises
from attnlib.checks.exercise import (
    Case,
    End,
    Exercise,
    Fact,
    Promise,
    Remark,
    close,
    mistake,
    wrongly_set,
)
from attnlib.checks.shapes import Shapes

ANY_AXES = Promise(
    "weights of any shape are right",
    "A matrix takes a step like a single number, each entry by its own gradient. Subtraction and "
    "multiplication work entry by entry, however many axes there are, so no axis needs a name.",
)
RATES = Promise(
    "rates from 0.0001 to 100 are right",
    "Take the rate as it comes: whoever calls your function has chosen it. Where you cut something "
    "off or round, a very small or a very large step comes out wrong.",
)

RATE = End("from 0.0001 to 100", 1e-4, 100, Remark("rates of 0.000001 or 10,000"), ("rate",))

SHAPES = Shapes("(...), (...), () -> (...)")


def sgd_step(w, grad_w, rate):
    """Step against the gradient, because it points to where the loss grows fastest.

    The rate says how far to go. A new array is made, and the old w is still there to compare.
    """
    return w - rate * grad_w


def answer(w, grad_w, rate):
    """Give what is right, by which answers are judged."""
    return w - rate * grad_w


def cases():
    """Two rows by hand; a larger matrix; a vector; three axes."""
    rng = np.random.default_rng(27)
    w, grad_w = np.array([[1.0, 2.0, 0.0], [0.0, -1.0, 3.0]]), np.array([[2.0, -1, 1], [0, 4, -3]])
    yield Case("the small example is right", (w, grad_w, 0.5))
    yield Case("a larger matrix is right", random_inputs(rng, 5, 7, rate=0.1))
    yield Case("a vector is right", random_inputs(rng, 11, rate=0.3))
    yield Case("three axes are right", random_inputs(rng, 2, 3, 5, rate=1.7))


def promised():
    """Give the inputs that hold an answer to each promise."""
    rng = np.random.default_rng(127)
    w, grad_w, rate = random_inputs(rng, 5, 7)

    def long(length):
        return promises.long(w, length), promises.long(grad_w, length), rate

    shapes = (), (1,), (7,), *promises.SIZE_PAIRS, (3, 2, 5), (2, 1, 3, 5)
    return {
        ANY_AXES: [random_inputs(rng, *shape) for shape in shapes],
        RATES: [
            (promises.long(w, promises.SHORT), grad_w, 1e-4),
            (w, promises.long(grad_w, promises.LONG), 1e-4),
            (w, grad_w, 1.0),
            (w, grad_w, 100.0),
            (w, np.zeros_like(w), 0.1),
        ],
        RATE.beyond: [(1e-6 * w, grad_w, 1e-6), (w, grad_w, 1e4)],
        promises.SCALE: [long(promises.SHORT), long(promises.LONG)],
        promises.VECTORS.beyond: [*map(long, promises.FAR_OFF)],
        promises.SAME_SHAPES: [
            *promises.again(lambda: random_inputs(rng, 5, 7)), (w, grad_w, rate), (w, grad_w, 0.3),
        ],
    }  # fmt: skip


def random_inputs(rng, *shape, rate=0.2):
    """Give weights, their gradient and a rate."""
    w, grad_w = (np.asarray(rng.normal(size=shape)) for _ in range(2))
    return w, grad_w, rate


def turned(
    w, grad_w, rate, *, start=lambda w, rate: w, sign=-1, size=np.positive, gradient=np.positive
):
    """Answer with knobs, each of which can be set wrong."""
    return start(w, rate) + sign * size(rate) * gradient(grad_w)


uphill = wrongly_set(
    turned,
    "uphill",
    "You went uphill: the gradient points to where the loss grows.",
    "To make the loss smaller, go the other way.",
    sign=1,
)

whole_gradient = wrongly_set(
    turned,
    "rate missing",
    "You subtracted the whole gradient, so the rate is not used.",
    "The gradient says which way to go, and how steep it is there. How far to go is the rate's "
    "business: it multiplies the gradient.",
    size=lambda rate: 1,
)

divided = wrongly_set(
    turned,
    "divided by the rate",
    "You divided the gradient by the rate, so a small rate makes a giant's step.",
    "A small rate is there for small steps: multiply.",
    size=lambda rate: 1 / rate,
)

rate_alone = wrongly_set(
    turned,
    "gradient missing",
    "You subtracted the rate from every entry, so the gradient is not used.",
    "Each entry goes its own way, as its own gradient says. The rate multiplies that.",
    gradient=np.ones_like,
)

signs = wrongly_set(
    turned,
    "the sign of the gradient alone",
    "You used only the gradient's sign, so all entries go equally far.",
    "Where the loss is steep the step is longer. Take the gradient as it is.",
    gradient=np.sign,
)

normalised = wrongly_set(
    turned,
    "gradient made 1 long",
    "You divided the gradient by its length, so every step is equally long.",
    "Near the lowest point the gradient gets shorter, and the steps should get shorter with it. "
    "Take the gradient as it is.",
    gradient=lambda grad_w: grad_w / np.linalg.norm(grad_w),
)

by_rows = wrongly_set(
    turned,
    "divided by the number of rows",
    "You divided the gradient by the number of its rows.",
    "If the loss is a mean, its division is in the gradient already. Take the gradient as it is.",
    gradient=lambda grad_w: grad_w / len(np.atleast_1d(grad_w)),
)

averaged = wrongly_set(
    turned,
    "one step for all entries",
    "You took the mean of the gradient, so all entries go equally far.",
    "Each entry goes its own way, as its own gradient says. Take the gradient as it is.",
    gradient=lambda grad_w: np.mean(grad_w) + 0 * grad_w,
)

by_entries = wrongly_set(
    turned,
    "divided by the number of entries",
    "You divided the gradient by the number of its entries.",
    "If the loss is a mean, its division is in the gradient already. Take the gradient as it is.",
    gradient=lambda grad_w: grad_w / np.size(grad_w),
)

added_up = wrongly_set(
    turned,
    "the sum of the gradient for all entries",
    "You added up the gradient, so all entries go equally far.",
    "Each entry goes its own way, as its own gradient says. Take the gradient as it is.",
    gradient=lambda grad_w: np.sum(grad_w) + 0 * grad_w,
)

cut = wrongly_set(
    turned,
    "gradient cut off at 1",
    "You cut the gradient off at -1 and 1.",
    "Where the loss is steep the step is longer, and nothing is cut off here. Take the gradient as "
    "it is.",
    gradient=lambda grad_w: np.clip(grad_w, -1, 1),
)

squared = wrongly_set(
    turned,
    "gradient squared",
    "You squared the gradient, so that its signs are lost.",
    "The sign says which way is uphill. Take the gradient as it is.",
    gradient=np.square,
)

transposed = wrongly_set(
    turned,
    "gradient transposed",
    "You transposed the gradient, but it has the shape of w already.",
    "Every entry of w stands where its own gradient stands. Take the gradient as it is.",
    gradient=np.transpose,
)

step_alone = wrongly_set(
    turned,
    "step returned",
    "You returned the step, and not where it leads.",
    "A step starts somewhere: it starts at w.",
    start=lambda w, rate: 0 * w,
)

update_alone = wrongly_set(
    turned,
    "update returned without its sign",
    "You returned the rate times the gradient, which is still to be subtracted from w.",
    "One operation is left, and it needs w.",
    start=lambda w, rate: 0 * w,
    sign=1,
)

shrunk = wrongly_set(
    turned,
    "w multiplied by the rate, too",
    "You multiplied the whole difference by the rate, so w is shrunk as well.",
    "The rate belongs to the gradient alone. Multiply before you subtract.",
    start=lambda w, rate: rate * w,
)


decayed = wrongly_set(
    turned,
    "w made smaller as well",
    "You made w itself smaller, by its share that the rate is, before you took the step.",
    "The step starts at w, as it is. Subtract the rate times the gradient, and nothing else.",
    start=lambda w, rate: (1 - rate) * w,
)


@mistake("rate subtracted from w first")
def brackets(w, grad_w, rate):
    """You subtracted the rate from w, and multiplied by the gradient.

    The rate and the gradient make the step, so they are multiplied with each other.
    """
    return (w - rate) * grad_w


@mistake("a share of w")
def share(w, grad_w, rate):
    """You changed w by a share of itself, so an entry of 0 can never move.

    The step has to do with the gradient and the rate alone, wherever it starts.
    """
    return w * (1 - rate * grad_w)


@mistake("input changed in place")
def in_place(w, grad_w, rate):
    """You stepped to the right place, but the `w` of whoever called you moved there as well.

    A new array is asked for. An expression with `-` makes one; `-=`, and assigning to a part of
    `w`, write into the old one.
    """
    w -= rate * grad_w
    return w


def downhill(answer, w, grad_w, rate):
    """See the loss fall, as far as it falls along a straight slope."""
    return bool((grad_w * (answer(w, grad_w, rate) - w)).sum() < 0)


EXERCISE = Exercise(
    solution=sgd_step,
    answer=answer,
    shapes=SHAPES,
    cases=cases,
    promises=promised,
    ends=(promises.VECTORS.of("w", "grad_w"), RATE),
    facts=(
        Fact("it goes downhill", downhill),
        Fact("where the gradient is 0, w stays", lambda f, w, g, r: close(f(w, 0 * g, r), w)),
        Fact("twice the rate, twice as far", lambda f, w, g, r: close(
            f(w, g, 2 * r) - w, 2 * (f(w, g, r) - w))),
        Fact("the step is the same from wherever it starts", lambda f, w, g, r: close(
            f(w + 1, g, r), f(w, g, r) + 1)),
        Fact("a step with the opposite gradient leads back", lambda f, w, g, r: close(
            f(f(w, g, r), -g, r), w)),
    ),
    hints=(
        "The gradient points uphill, to where the loss grows. Which way do you want to go, and "
        "which of the inputs says how far?",
        "Multiply the gradient by the rate: that is the step. Take it away from w, in an "
        "expression that makes a new array, so that the old w stays as it was.",
    ),
)  # fmt: skip
