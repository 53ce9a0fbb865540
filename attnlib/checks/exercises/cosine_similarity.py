"""The cosine of every pair of rows."""

import numpy as np

import attnlib
from attnlib.checks import promises
from attnlib.checks.exercise import Case, Exercise, Fact, close, mistake, wrongly_set
from attnlib.checks.shapes import Shapes

SHAPES = Shapes("(n, d) -> (n, n)")


def cosine_similarity(x):
    """Divide each row by its length: then the dot product of two rows is their cosine.

    All pairs at once are one matrix product of the rows with themselves.
    """
    lengths = np.sqrt((x**2).sum(axis=-1, keepdims=True))  # (n, 1)
    unit = x / lengths  # (n, d)
    return unit @ unit.T  # (n, n)


def answer(x):
    """Give what is right, by which answers are judged."""
    return attnlib.cosine_similarity(x)


def cases():
    """Two rows of lengths 5 and 13; more columns than rows, and more rows than columns."""
    rng = np.random.default_rng(2)
    yield Case("the small example is right", (np.array([[3.0, 4.0, 0.0], [0.0, 5.0, 12.0]]),))
    yield Case("more columns than rows are right", (rng.normal(size=(5, 7)) + 0.3,))
    yield Case("more rows than columns are right", (rng.normal(size=(11, 3)),))


def promised():
    """Give the inputs that hold an answer to each promise."""
    rng = np.random.default_rng(102)
    given = SHAPES.given(rng, lambda x: (x + 0.1,))
    short, wide = promises.SHORT, promises.LONG
    lengths = np.array([short, 50, wide, 0.5, 3])[:, None]

    def long(n, d, length):
        return (promises.long(rng.normal(size=(n, d)), length),)

    return promises.of_shapes(SHAPES, given) | {
        promises.SCALE: [long(3, 7, short), long(3, 7, wide), long(5, 3, lengths)],
        promises.VECTORS.beyond: [long(3, 7, length) for length in promises.FAR_OFF],
    }


def lengths(x):
    """Give the rows' lengths as a column: (n, d) -> (n, 1)."""
    return np.linalg.norm(x, axis=-1, keepdims=True)


def by_pairs(column):
    """Multiply every number of a column with every other: (n, 1) -> (n, n)."""
    return column * column.T


def turned(x, *, divisor=lambda x: by_pairs(lengths(x)), after=np.positive):
    """Answer with knobs, each of which can be set wrong."""
    return after(x @ x.T / divisor(x))


dots = wrongly_set(
    turned,
    "not normalised",
    "You compared the rows by their dot products, so their lengths are still in the numbers.",
    "Divide each row by its length before you multiply. It helps to keep the lengths as a column, "
    "of shape (n, 1).",
    divisor=lambda x: 1.0,
)


@mistake("normalised the columns")
def columns(x):
    """You divided each column by its length, but here the rows are the vectors.

    Take the lengths along the last axis, and keep that axis, so that they are a column.
    """
    y = x / np.linalg.norm(x, axis=0)
    return y @ y.T


squared = wrongly_set(
    turned,
    "square root forgotten",
    "You divided by the squared length, because the square root is missing.",
    "A vector's length is the square root of the sum of its squares: `np.sqrt`, or "
    "`np.linalg.norm` for both at once.",
    divisor=lambda x: by_pairs((x**2).sum(axis=-1, keepdims=True)),
)

one_length = wrongly_set(
    turned,
    "one length for the whole matrix",
    "You divided every row by the same number, the length of the whole matrix.",
    "Each row has a length of its own. Tell NumPy to go along the last axis only, and to keep it.",
    divisor=lambda x: np.linalg.norm(x) ** 2,
)

once = wrongly_set(
    turned,
    "divided by one of the two lengths",
    "You divided by the length of only one of the two vectors.",
    "A cosine is a·b / (|a| |b|), so both lengths have to go. If you divide the rows by their "
    "lengths first and multiply them then, both do.",
    divisor=lengths,
)

once_across = wrongly_set(
    turned,
    "divided by the other of the two lengths",
    "You divided by the length of only one of the two vectors.",
    "A cosine is a·b / (|a| |b|), so both lengths have to go. If you divide the rows by their "
    "lengths first and multiply them then, both do.",
    divisor=lambda x: lengths(x).T,
)

twice = wrongly_set(
    turned,
    "one of the two lengths, squared",
    "You divided by the length of one vector twice, and not at all by that of the other.",
    "Each of the two brings its own length. If you divide the rows first and multiply then, each "
    "is divided once.",
    divisor=lambda x: lengths(x).T ** 2,
)

twice_down = wrongly_set(
    turned,
    "the other of the two lengths, squared",
    "You divided by the length of one vector twice, and not at all by that of the other.",
    "Each of the two brings its own length. If you divide the rows first and multiply then, each "
    "is divided once.",
    divisor=lambda x: lengths(x) ** 2,
)


@mistake("keepdims forgotten")
def no_keepdims(x):
    """Your lengths have shape (n,), so NumPy divides column by column, or cannot divide at all.

    Have the last axis kept. The lengths are then a column, (n, 1), and each divides its own row.
    """
    y = x / np.linalg.norm(x, axis=-1)
    return y @ y.T


@mistake("not transposed")
def untransposed(x):
    """Both sides of your product hold the rows as they stand; one has to be transposed.

    Every row should meet every row, feature by feature. Both sides keep their features along the
    last axis, and a matrix product joins the last axis of its left side with the second to last of
    its right.
    """
    y = x / lengths(x)
    return y @ y


@mistake("columns compared")
def features(x):
    """You compared the columns with each other, which gives an answer of shape (d, d).

    A vector is a row here. Which of the two factors should be transposed, so that rows meet rows?
    """
    y = x / lengths(x)
    return y.T @ y


@mistake("mean subtracted first")
def centred(x):
    """You subtracted each row's mean first, which makes a correlation.

    The cosine takes the rows as they are, so leave that step out.
    """
    return np.corrcoef(x)


manhattan = wrongly_set(
    turned,
    "sum of absolute values as length",
    "You took the sum of the absolute values as the length of a row.",
    "A length is the square root of the sum of squares. `np.linalg.norm` computes it along any "
    "axis.",
    divisor=lambda x: by_pairs(np.abs(x).sum(axis=-1, keepdims=True)),
)

sums = wrongly_set(
    turned,
    "sum as length",
    "You divided each row by the sum of its entries, which is not its length.",
    "A length is the square root of the sum of squares. `np.linalg.norm` computes it along any "
    "axis.",
    divisor=lambda x: by_pairs(x.sum(axis=-1, keepdims=True)),
)

angle = wrongly_set(
    turned,
    "angle instead of its cosine",
    "You returned the angles, but it is their cosines that are asked for.",
    "You are one step too far: leave `np.arccos` out.",
    after=lambda cosines: np.arccos(np.clip(cosines, -1, 1)),
)

distance = wrongly_set(
    turned,
    "one minus the cosine",
    "You returned one minus the cosine, which is a distance.",
    "A vector is most similar to itself, so the diagonal should be 1, and yours is 0. Leave the "
    "subtraction out.",
    after=lambda cosines: 1 - cosines,
)


EXERCISE = Exercise(
    solution=cosine_similarity,
    answer=answer,
    shapes=SHAPES,
    cases=cases,
    promises=promised,
    ends=(promises.VECTORS.of("x"),),
    facts=(
        Fact("every row with itself gives 1", lambda f, x: close(np.diag(f(x)), 1)),
        Fact("the matrix is symmetric", lambda f, x: close(f(x), f(x).T)),
        Fact("all numbers lie between -1 and 1", lambda f, x: np.abs(f(x)).max() < 1 + 1e-6),
        Fact("a row's length does not matter", lambda f, x: close(f(x), f(x * lengths(x)))),
    ),
    hints=(
        "The cosine of two vectors is their dot product, once both are 1 long. What do you have "
        "to do to a row to make it 1 long?",
        "Divide every row by its length. If the lengths have shape (n, 1), which `axis=-1, "
        "keepdims=True` gives them, NumPy divides row by row. After that, one matrix "
        "product gives the dot products of all pairs.",
    ),
)  # fmt: skip
