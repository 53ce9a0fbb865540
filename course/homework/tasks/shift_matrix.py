"""The matrix that carries every row of a table k places further, found from two of its rows."""

import math

import numpy as np

from attnlib.checks import promises
from attnlib.checks.exercise import Case, Exercise, Fact, Promise, close, mistake

LENGTHS = Promise(
    "hands of any length are right",
    "Sines and cosines are what you get after dividing by the hand's length, and each hand has a "
    "length of its own. The matrix turns, and does not stretch.",
)
WHOLE = Promise(
    "hands of whole numbers are right",
    "Sines and cosines have decimals, and an array made like one of whole numbers has no room for "
    "them. `np.zeros` holds floats if you do not ask for something else.",
)


ANGLES = Promise(
    "any angle between two hands is right: none, a right one, half a turn, one back",
    "If a cosine is 0, there is no dividing by it, and where sines have a sign, it counts. The "
    "sine and the cosine of the difference come from the addition formulas, without any angle.",
)
WIDTHS = Promise(
    "any even width is right",
    "d may be 2, and then there is one small matrix. Outside the small matrices everything is 0.",
)

# Hands (sine, cosine) of length 1 that four digits write without rounding.
EXACT = ((0.6, 0.8), (0.28, 0.96), (0.8, 0.6), (0.352, 0.936), (0.8432, 0.5376), (0.96, -0.28))


def answer(here, there):
    """Give what is right, by which answers are judged: hand by hand, from angles."""
    d = here.shape[-1]
    matrix = np.zeros((*here.shape, d))
    for at in np.ndindex(here.shape[:-1]):
        for i in range(0, d, 2):
            start, end = (math.atan2(float(x[at][i]), float(x[at][i + 1])) for x in (here, there))
            s, c = (round(f(end - start), 12) for f in (math.sin, math.cos))  # no 6e-17 for 0
            matrix[at][i : i + 2, i : i + 2] = [[c, -s], [s, c]]
    return matrix


def hands(rng, *shape, long=1.0):
    """Give rows of exact hands as long as one says: (..., d)."""
    signs = rng.choice([-1, 1], (*shape, 1))
    picked = np.array(EXACT)[rng.integers(0, len(EXACT), shape)] * signs
    return (picked * np.broadcast_to(long, shape)[..., None]).reshape(*shape[:-1], -1)


def given(rng, *shape, long=1.0):
    """Give two arrays of hands, those at one place as long as each other."""
    return hands(rng, *shape, long=long), hands(rng, *shape, long=long)


def cases():
    """Give one hand to do by hand, two hands of other lengths, and a batch."""
    yield Case("the example done by hand", (np.array([0.0, 1.0]), np.array([0.6, 0.8])))
    here, there = np.array([0.6, 0.8, 0.0, 3.0]), np.array([0.8, -0.6, 2.4, 1.8])
    yield Case("two hands, one of them longer", (here, there))
    yield Case(
        "two rows, each with a partner",
        given(np.random.default_rng(75), 2, 2, long=np.array([[1.0, 2.0], [5.0, 0.5]])),
    )


def promised():
    """Give the inputs that hold an answer to each promise."""
    rng = np.random.default_rng(76)
    still = hands(rng, 3)
    quarter = np.array([0.0, 1.0, 1.0, 0.0, 0.0, -1.0])
    return {
        LENGTHS: [
            given(rng, 2, long=3.0),
            given(rng, 3, long=np.array([0.5, 1.0, 20.0])),
            given(rng, 2, long=0.001),
            given(rng, 2, long=1000.0),
            given(rng, 3, 2, long=np.array([[1.0, 2.0], [5.0, 5.0], [0.1, 1.0]])),
        ],
        WHOLE: [(np.array([0, 5]), np.array([3, 4]))],
        ANGLES: [
            (still, still),
            (still, -still),
            (quarter, quarter[[1, 0, 3, 2, 5, 4]]),
            (quarter, np.array([1.0, 0.0, 0.0, -1.0, -1.0, 0.0])),
            (np.array([0.6, 0.8, 0.96, 0.28]), np.array([0.0, 1.0, 0.0, 1.0])),
            (np.array([0.6, -0.8, -0.96, 0.28]), np.array([0.0, -1.0, -1.0, 0.0])),
            (np.array([0.0, 1.0, 0.0, 1.0]), np.array([0.02, 0.9998, -0.02, 0.9998])),
            (np.array([0.0, 1.0]), np.array([0.0009, 1.0])),
            (np.array([[0.6, 0.8], [0.0, 1.0]]), np.array([[0.6, 0.8], [0.0, 1.0]])),
        ],
        promises.LEADING: [given(rng, *lead, 2) for lead in ((2,), (4,), (3, 2), (2, 1, 3))],
        WIDTHS: [given(rng, n) for n in (1, 2, 5, 7)]
        + [given(rng, *pair) for pair in ((1, 1), (3, 1), (2, 3), (6, 3))],
        promises.SAME_SHAPES: promises.again(lambda: given(rng, 2, 3)),
    }


def draw(rng):
    """Give random hands, of random lengths."""
    shape = (*rng.integers(1, 4, rng.integers(0, 3)), rng.integers(1, 5))
    long, start, end = rng.uniform(0.1, 5, shape), *rng.uniform(-4, 4, (2, *shape))
    rows = [
        (long[..., None] * np.stack([np.sin(x), np.cos(x)], -1)).reshape(*shape[:-1], -1)
        for x in (start, end)
    ]
    return tuple(rows)


def split(x):
    """Give sines and cosines, each times the length."""
    return x[..., 0::2], x[..., 1::2]


def placed(sine, cosine, *, order=None):
    """Put small matrices on the diagonal of a large one."""
    d = 2 * sine.shape[-1]
    matrix, first, second = np.zeros((*sine.shape[:-1], d, d)), *np.arange(d).reshape(-1, 2).T
    if order == "half":
        first, second = np.arange(d).reshape(2, -1)
    matrix[..., first, first] = matrix[..., second, second] = cosine
    matrix[..., first, second], matrix[..., second, first] = -sine, sine
    return matrix


def between(here, there, *, order=None):
    """Give the matrix for hands of length 1, and for others one that stretches."""
    (s, c), (sine, cosine) = split(here), split(there)
    return placed(sine * c - cosine * s, sine * s + cosine * c, order=order)


@mistake("the wrong way round")
def backwards(here, there):
    """Your matrix turns the wrong way round, from `there` to `here`.

    With a row on its left, the sine with the minus sign stands in the upper right corner. Or you
    took the difference of the angles the other way round, or a hand's first number for its cosine.
    """
    return answer(there, here)


@mistake("the lengths left in")
def stretching(here, there):
    """Your matrix stretches: the hands' lengths are still in it.

    The sums of products are cosine and sine, times the square of the length. Divide by it.
    """
    return between(here, there)


@mistake("one length for all hands")
def one_length(here, there):
    """You divided all hands by the length of the whole row.

    Each hand has a length of its own: the sum of the squares of its own two features.
    """
    return between(here, there) / (here**2).sum(axis=-1)[..., None, None]


@mistake("the mean length for all hands")
def mean_length(here, there):
    """You divided all hands by the mean of their squared lengths.

    Each hand has a length of its own: the sum of the squares of its own two features.
    """
    hands = here.shape[-1] / 2
    return between(here, there) * hands / (here**2).sum(axis=-1)[..., None, None]


@mistake("a matrix like the hands")
def like_here(here, there):
    """Your matrix holds whole numbers where the hands do, and decimals have no room there.

    Sines and cosines have decimals. `np.zeros` holds floats if you do not ask for something else.
    """
    return answer(here, there).astype(here.dtype)


@mistake("the length where its square is needed")
def root(here, there):
    """You divided by the length of a hand where its square is needed.

    Each product has a factor from `here` and one from `there`, so the length is in it twice.
    """
    length = np.sqrt((here.reshape(*here.shape[:-1], -1, 2) ** 2).sum(axis=-1))
    return between(here, there) / np.repeat(length, 2, axis=-1)[..., None]


@mistake("the angle of `there` alone")
def from_zero(here, there):
    """Your matrix turns from place 0 to `there`, and it should turn from `here`.

    The hands of `here` have turned already. What is left is the difference of two angles.
    """
    return answer(np.broadcast_to(np.resize([0.0, 1.0], here.shape[-1]), here.shape), there)


@mistake("the angle without its quadrant")
def arctan(here, there):
    """You lost the quadrant: the arctangent of a ratio does not know in which half a hand points.

    `np.arctan2(sine, cosine)` knows both signs. Better still, do without angles.
    """
    with np.errstate(all="ignore"):
        angle = np.arctan(split(there)[0] / split(there)[1])
        angle = angle - np.arctan(split(here)[0] / split(here)[1])
    return placed(np.sin(angle), np.cos(angle))


@mistake("the sign of the sine lost")
def unsigned(here, there):
    """You made the sine of the cosine, and it lost its sign.

    √(1 - cos²) is never negative, and a hand may turn back. Take the sine from the addition
    formulas, too.
    """
    matrix = answer(here, there)
    cosine, sine = matrix[..., 0::2, 0::2], np.abs(matrix[..., 1::2, 0::2])
    pick = np.arange(here.shape[-1] // 2)
    return placed(sine[..., pick, pick], cosine[..., pick, pick])


def of_halves(here, there, *, order):
    """Take each number of the first half for a sine, and one of the second for its cosine."""
    (s, c), (sine, cosine) = (np.split(x, 2, axis=-1) for x in (here, there))
    square = s**2 + c**2
    return placed((sine * c - cosine * s) / square, (sine * s + cosine * c) / square, order=order)


@mistake("features half the width apart")
def halves(here, there):
    """You paired each feature of the first half with one of the second.

    Neighbours are a pair: feature 2i is a sine, and 2i + 1 its cosine. The small matrices lie on
    the diagonal, two rows and two columns each.
    """
    return of_halves(here, there, order="half")


@mistake("features read half the width apart")
def halves_read(here, there):
    """You took the first half of the features for sines, and the second for cosines.

    Neighbours are a pair: feature 2i is a sine, `here[..., 0::2]`, and 2i + 1 its cosine.
    """
    return of_halves(here, there, order=None)


@mistake("the angles added")
def angles_added(here, there):
    """You added the two angles, and what is left to turn is their difference.

    sin(a - b) = sin a cos b - cos a sin b, and cos(a - b) = cos a cos b + sin a sin b.
    """
    return answer(here * np.resize([-1, 1], here.shape[-1]), there)


@mistake("the first hand's angle for all")
def first_angle(here, there):
    """You turned all hands by the first one's angle.

    Each hand has an angle of its own, and a small matrix of its own.
    """
    matrix = answer(here, there)
    ones = np.ones(here.shape[-1] // 2)
    return placed(matrix[..., 1, :1] * ones, matrix[..., 0, :1] * ones)


@mistake("a matrix for this row alone")
def outer(here, there):
    """Your matrix carries `here` to `there`, and no other row where it belongs.

    Many matrices carry one row to another. The one that is asked for turns each hand by itself: it
    is made of small rotations, with 0 everywhere else.
    """
    square = (here**2).sum(axis=-1)[..., None, None]
    return here[..., :, None] * there[..., None, :] / square


def carries(f, here, there):
    """Carry `here` to `there`."""
    return close((here[..., None, :] @ f(here, there))[..., 0, :], there)


def orthogonal(f, here, there):
    """Keep lengths and angles."""
    matrix = f(here, there)
    return close(matrix @ matrix.swapaxes(-1, -2), np.eye(here.shape[-1]))


TASK = Exercise(
    answer=answer,
    cases=cases,
    promises=promised,
    draw=draw,
    facts=(
        Fact("`here` is carried to `there`", carries),
        Fact("it is a rotation", orthogonal),
    ),
)  # fmt: skip
