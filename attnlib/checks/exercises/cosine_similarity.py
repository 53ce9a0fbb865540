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
    y = x - x.mean(axis=-1, keepdims=True)
    return y @ y.T / by_pairs(lengths(y))


@mistake("correlations")
def correlations(x):
    """You returned correlations: they subtract each row's mean first.

    The cosine takes the rows as they are. Divide each by its length, and multiply.
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


@mistake("reshaped instead of transposed")
def reshaped(x):
    """You reshaped the rows, where they have to be transposed.

    A reshape keeps the numbers in their order, so no row becomes a column by it. `.T` exchanges the
    two axes.
    """
    y = x / lengths(x)
    return y @ y.reshape(y.shape[::-1])


@mistake("dot products reshaped instead of transposed")
def products_reshaped(x):
    """You reshaped the rows, where they have to be transposed.

    A reshape keeps the numbers in their order, so no row becomes a column by it. `.T` exchanges the
    two axes.
    """
    return x @ x.reshape(x.shape[::-1]) / by_pairs(lengths(x))


added = wrongly_set(
    turned,
    "lengths added",
    "You divided by the sum of the two lengths, where their product is needed.",
    "A cosine is a·b / (|a| |b|): a column of lengths times a row of them.",
    divisor=lambda x: lengths(x) + lengths(x).T,
)

not_squared = wrongly_set(
    turned,
    "one length for all, once",
    "You divided all dot products by one number, the length of the whole matrix.",
    "Each row has a length of its own, and a dot product of two rows has to be divided by both.",
    divisor=np.linalg.norm,
)

by_features = wrongly_set(
    turned,
    "divided by the number of features",
    "You divided by the number of features, and not by the lengths of the two rows.",
    "A cosine is a·b / (|a| |b|): divide each row by its length first.",
    divisor=lambda x: x.shape[-1],
)

by_mean_square = wrongly_set(
    turned,
    "mean square in place of the length",
    "You took the root of the mean square of a row for its length.",
    "A length is the root of the sum of the squares, not of their mean.",
    divisor=lambda x: by_pairs(lengths(x)) / x.shape[-1],
)

by_largest = wrongly_set(
    turned,
    "largest entry as length",
    "You divided each row by its largest entry, which is not its length.",
    "A length is the square root of the sum of the squares.",
    divisor=lambda x: by_pairs(x.max(axis=-1, keepdims=True)),
)

by_spread = wrongly_set(
    turned,
    "spread as length",
    "You divided each row by the spread of its entries, which is not its length.",
    "A spread is measured from the row's mean. A length is the root of the sum of the squares.",
    divisor=lambda x: by_pairs(x.std(axis=-1, keepdims=True)),
)

once_and_back = wrongly_set(
    turned,
    "divided by one length, multiplied by the other",
    "You divided by the length of one vector and multiplied by that of the other.",
    "`/ p * q` divides by p alone. Put the product below the line in brackets.",
    divisor=lambda x: lengths(x) / lengths(x).T,
)

positive = wrongly_set(
    turned,
    "negative cosines made 0",
    "You made 0 of every negative cosine.",
    "Two rows that point away from each other have a negative cosine. Let it stand.",
    after=lambda cosines: np.maximum(cosines, 0),
)

unsigned = wrongly_set(
    turned,
    "sign lost",
    "You lost the sign: rows that point away from each other have a negative cosine.",
    "Leave the absolute value out, or the square and the root that had the same effect.",
    after=np.abs,
)

no_diagonal = wrongly_set(
    turned,
    "diagonal of 0",
    "You put 0 on the diagonal, where every row meets itself.",
    "Every pair is asked for, and a row has a cosine of 1 with itself.",
    after=lambda cosines: cosines * (1 - np.eye(len(cosines))),
)

one_half = wrongly_set(
    turned,
    "one half of the table",
    "You filled one half of the table only.",
    "Row i with row j has the cosine of row j with row i. Both places belong to the table.",
    after=np.triu,
)

padded = wrongly_set(
    turned,
    "a thousandth added to the lengths",
    "You added a small number to the lengths, so no row has a cosine of 1 with itself.",
    "Rows may be as short as 0.001, and none is 0 long. Divide by the length as it is.",
    divisor=lambda x: by_pairs(lengths(x) + 1e-3),
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
