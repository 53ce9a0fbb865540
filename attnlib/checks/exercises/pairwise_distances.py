"""How far every row of one array lies from every row of another."""

import numpy as np

from attnlib.checks import promises, watched
from attnlib.checks.exercise import Case, Exercise, Fact, Promise, close, mistake, wrongly_set
from attnlib.checks.shapes import Shapes

COINCIDE = Promise(
    "rows that coincide are 0 apart, never nan",
    "Where two rows are equal, rounding can leave their squared distance a little below 0, and the "
    "root of a negative number is `nan`. What is the smallest that a squared distance may be?",
)

SHAPES = Shapes("(n, d), (m, d) -> (n, m)")


def pairwise_distances(x, y):
    """Squared, a distance is |a|² + |b|² - 2 a·b, and one matrix product gives every a·b.

    For equal rows, rounding may leave a little less than 0, whose root would be NaN: hence the
    maximum.
    """
    x_squared = (x**2).sum(axis=-1, keepdims=True)  # (n, 1)
    y_squared = (y**2).sum(axis=-1)  # (m,)
    squared = x_squared + y_squared - 2 * x @ y.T  # (n, m)
    return np.sqrt(np.maximum(squared, 0))


def answer(x, y):
    """Give what is right, by which answers are judged."""
    squared = np.add.outer((x**2).sum(axis=-1), (y**2).sum(axis=-1)) - 2 * np.inner(x, y)
    return root(squared)


def cases():
    """Two rows and five by hand, two of them equal; as many of both; more rows than columns."""
    rng = np.random.default_rng(21)
    x = np.array([[1.0, 2.0, 2.0], [1.0, 5.0, 6.0]])
    y = np.array([[1.0, 2, 2], [1, 5, 2], [1, 2, 6], [2, 4, 4], [-2, 1, 6]])
    yield Case("the small example is right", (x, y))
    x, y = rng.normal(size=(2, 7, 11))
    yield Case("as many rows in both are right", (x, y + 0.5))
    yield Case(
        "more rows than columns are right", (rng.normal(size=(13, 3)), rng.normal(size=(5, 3)) - 1)
    )


def promised():
    """Give the inputs that hold an answer to each promise."""
    rng = np.random.default_rng(121)
    pair = SHAPES.given(rng)
    lengths = np.array([promises.SHORT, 50, promises.LONG, 0.5, 3])[:, None]

    short = promises.long(rng.normal(size=(3, 5)), promises.SHORT)

    def long(length):
        return tuple(promises.long(x, length) for x in pair(m=5))

    return promises.of_shapes(SHAPES, pair) | {
        promises.SCALE: [
            *map(long, (promises.SHORT, 0.02, promises.LONG, lengths)),
            (short, 1.05 * short[::-1]),
        ],
        promises.VECTORS.beyond: [*map(long, promises.FAR_OFF)],
        COINCIDE: [coinciding(rng, gap) for gap in (0, 1e-9)],
    }


def coinciding(rng, gap):
    """Give rows, and the same rows again in another order, a hair apart, with one far row.

    The root of a rounding error is larger than the error itself, 3e-4 in float32. Held against the
    far row's distances, it is nothing; a `nan` is.
    """
    x = rng.normal(size=(41, 53))
    y = np.concatenate([x[::-1] + gap * rng.normal(size=x.shape), np.full((1, 53), 137.0)])
    return x, y


def root(squared):
    """Take the root of what rounding may have left below 0."""
    return np.sqrt(np.maximum(squared, 0))


def squares(x, y):
    """Give all squared distances: (n, d), (m, d) -> (n, m)."""
    return ((x[:, None, :] - y) ** 2).sum(axis=-1)


def lengths(x):
    """Give the length of each row."""
    return np.sqrt((x**2).sum(axis=-1))


def turned(x, y, *, products=-2, of_x=np.array, of_y=np.array, end=root):
    """Measure with knobs, each of which can be set wrong."""
    x_squared, y_squared = ((a**2).sum(axis=-1) for a in (x, y))
    return end(of_x(x_squared)[:, None] + of_y(y_squared) + products * x @ y.T)


squared_distances = wrongly_set(
    turned,
    "square root forgotten",
    "You returned the squared distances: the last step, the square root, is missing.",
    "Take `np.sqrt` of the whole array at the end.",
    end=np.array,
)

unclipped = wrongly_set(
    turned,
    "root of a number below 0",
    "Your formula is right, but where two rows coincide the answer is sometimes `nan`.",
    "Rounding can leave a squared distance a little below 0, where it has no root. Before taking "
    "the root, lift such numbers to 0.",
    end=np.sqrt,
)

softened = wrongly_set(
    turned,
    "a small number under the root",
    "You added a small number under the root, so no row has a distance of 0 to itself.",
    "It keeps `nan` away, but at a price: the root of 1e-8 is 1e-4. Lift only what lies below 0.",
    end=lambda squared: root(squared + 1e-8),
)

single_products = wrongly_set(
    turned,
    "2 forgotten",
    "You subtracted the dot products once; they come twice.",
    "(a - b)·(a - b) has four terms. Two of them are the same, -a·b and -b·a.",
    products=-1,
)

added_products = wrongly_set(
    turned,
    "dot products added",
    "You added the dot products; they must be subtracted.",
    "As it is, you measure from x to -y. Two rows that point the same way should come out close.",
    products=2,
)

no_products = wrongly_set(
    turned,
    "dot products not used",
    "You added the two squared lengths, and the dot product of the two rows is missing.",
    "That would be right for perpendicular rows only. Multiply (a - b)·(a - b) out on paper.",
    products=0,
)

without_y = wrongly_set(
    turned,
    "squared lengths of y forgotten",
    "Your sum lacks the squared lengths of the rows of y.",
    "(a - b)·(a - b) is a·a - 2 a·b + b·b, and yours ends before b·b.",
    of_y=np.zeros_like,
)

without_x = wrongly_set(
    turned,
    "squared lengths of x forgotten",
    "Your sum lacks the squared lengths of the rows of x.",
    "(a - b)·(a - b) is a·a - 2 a·b + b·b, and yours begins after a·a.",
    of_x=np.zeros_like,
)

plain_lengths = wrongly_set(
    turned,
    "lengths not squared",
    "You added the lengths of the rows where their squares are needed.",
    "A row's dot product with itself is its squared length, so there is no root to take yet.",
    of_x=np.sqrt,
    of_y=np.sqrt,
)


@mistake("dot products")
def dots(x, y):
    """You returned dot products, which are largest for rows that point the same way.

    Distances are asked for. You are not far: how can (a - b)·(a - b) be put together from dot
    products?
    """
    return x @ y.T


@mistake("one minus the cosine")
def cosines(x, y):
    """You compared the directions: this is one minus the cosine, and lengths no longer count.

    Two rows may point the same way and still lie far apart. Leave the rows as long as they are.
    """
    return 1 - x @ y.T / lengths(x)[:, None] / lengths(y)


@mistake("difference of the lengths")
def length_differences(x, y):
    """You took the difference of the two lengths; rows of one length may still lie far apart.

    Subtract the rows from each other first and take the length then, not the other way round.
    """
    return np.abs(lengths(x)[:, None] - lengths(y))


@mistake("rows and columns swapped")
def sideways(x, y):
    """Your answer lies on its side: its rows belong to y, and they should belong to x.

    Let x come first in the matrix product, and transpose y.
    """
    return np.sqrt(squares(y, x))


@mistake("x compared with itself")
def only_x(x, y):
    """You compared the rows of x with each other, and y is not used.

    One of the two in the product should be y, and so should one of the two squared lengths.
    """
    return np.sqrt(squares(x, x))


@mistake("y not transposed")
def not_transposed(x, y):
    """In your product x and y met as they are, but one of the two has to be transposed.

    Every row of x should meet every row of y, feature by feature. Both keep their features along
    the last axis, and a matrix product joins the last axis of its left side with the second to last
    of its right.
    """
    products = x @ y
    return root((x**2).sum(axis=-1)[:, None] + (y**2).sum(axis=-1) - 2 * products)


@mistake("row by row")
def one_by_one(x, y):
    """You subtracted y from x row by row, but every row of x should meet every row of y.

    There are n times m pairs. A matrix product meets them all at once, which a plain difference of
    the two arrays does not.
    """
    return lengths(x - y)


@mistake("keepdims forgotten")
def no_keepdims(x, y):
    """Both your arrays of squared lengths lie flat, so NumPy adds them entry by entry.

    Those of x should run down the rows: keep their last axis, at length 1, which gives (n, 1).
    """
    return root((x**2).sum(axis=-1) + (y**2).sum(axis=-1) - 2 * x @ y.T)


@mistake("sum of absolute differences")
def manhattan(x, y):
    """You added the absolute differences: this is how far a taxi drives, along the streets.

    The straight line is the root of the sum of the squared differences.
    """
    return np.abs(x[:, None, :] - y).sum(axis=-1)


@mistake("mean instead of sum")
def mean_square(x, y):
    """You took the mean of the squared differences, where their sum is asked for.

    A distance grows with every feature in which two rows differ, so do not divide by their number.
    """
    return np.sqrt(squares(x, y) / x.shape[-1])


halved = wrongly_set(
    turned,
    "halved in place of the root",
    "You halved the squared distances, where their square root is needed.",
    "In `x ** 1/2` the power comes first, so it is half of x. `x ** 0.5` and `np.sqrt(x)` are the "
    "root.",
    end=lambda squared: np.maximum(squared, 0) / 2,
)

of_everything = wrongly_set(
    turned,
    "squares of the whole array",
    "You added up the squares of the whole array, where each row has a sum of its own.",
    "Without an axis a sum takes in everything. A row runs along the last axis.",
    of_x=lambda lengths: np.full_like(lengths, lengths.sum()),
    of_y=lambda lengths: np.full_like(lengths, lengths.sum()),
)


@mistake("squares of the sums")
def squares_of_sums(x, y):
    """You added up each row first and squared the sum, where each entry has to be squared first.

    A row's dot product with itself is the sum of its squares: square, and then add up.
    """
    return root((x.sum(axis=-1) ** 2)[:, None] + y.sum(axis=-1) ** 2 - 2 * x @ y.T)


@mistake("reshaped instead of transposed")
def reshaped(x, y):
    """You reshaped y, where it has to be transposed.

    A reshape keeps the numbers in their order, so no row becomes a column by it. `.T` exchanges the
    two axes.
    """
    own = (x**2).sum(axis=-1)[:, None] + (y**2).sum(axis=-1)
    return root(own - 2 * x @ y.reshape(y.shape[::-1]))


@mistake("largest difference")
def chebyshev(x, y):
    """You took the largest difference of all features, and the others play no part.

    The straight line is the root of the sum of the squared differences.
    """
    return np.abs(x[:, None, :] - y).max(axis=-1)


@mistake("differences with their signs")
def signed(x, y):
    """You added up the differences with their signs, so that they cancel.

    Each is squared before they are added up, and the root comes last.
    """
    return (x[:, None, :] - y).sum(axis=-1)


@mistake("differences without the sign of their sum")
def unsigned(x, y):
    """You added up the differences with their signs, so that they cancel.

    Each is squared before they are added up, and the root comes last.
    """
    return np.abs((x[:, None, :] - y).sum(axis=-1))


@mistake("one half of the table")
def one_half(x, y):
    """You filled one half of the table only, and 0 stands in the other.

    x and y are different rows, so every row of x has to meet every row of y. A matrix product does
    it without a loop.
    """
    table = np.zeros((len(x), len(y)))
    for i in range(len(x)):
        for j in range(i, len(y)):
            table[i, j] = np.linalg.norm(x[i] - y[j])
    return table


@mistake("diagonal of 0")
def no_diagonal(x, y):
    """You put 0 on the diagonal, where row i of x meets row i of y.

    The two need not be equal. Where they are, their distance comes out as 0 by itself.
    """
    return root(squares(x, y)) * (1 - np.eye(len(x), len(y)))


def zero_to_itself(answer, x, y):
    """Measure each row against itself: 0, but for the root of a rounding error.

    Whole numbers are not rounded.
    """
    whole = np.round(x)
    return close(np.diag(answer(whole, whole)), 0) and bool(
        np.abs(np.diag(answer(x, x))).max() < 2e-3 * lengths(x).max()
    )


def no_larger_array(answer, x, y):
    """Measure what is held at once: a few arrays as large as x or the table, and none larger.

    Neither all differences nor all pairs of rows of x have room. Once is enough, so the smallest
    example does it.
    """
    if len(x) > 2:
        return True
    x, y = np.resize(x, (997, 31)), np.resize(y, (31, 31))
    return watched.held(answer, x, y) < 8 * 6 * (x.size + y.size + len(x) * len(y))


EXERCISE = Exercise(
    solution=pairwise_distances,
    answer=answer,
    shapes=SHAPES,
    cases=cases,
    promises=promised,
    ends=(promises.VECTORS.of("x", "y"),),
    facts=(
        Fact("every row lies 0 from itself", zero_to_itself),
        Fact("there and back is equally far", lambda f, x, y: close(f(y, x), f(x, y).T)),
        Fact("moving all rows together changes nothing", lambda f, x, y: close(
            f(x + 1, y + 1), f(x, y))),
        Fact("twice the rows, twice the distances", lambda f, x, y: close(
            f(2 * x, 2 * y), 2 * f(x, y))),
        Fact(
            "no array is larger than x, y or the table",
            no_larger_array,
            "For many wide rows, an array of all differences would not fit into memory. "
            "Multiplied out, (a - b)·(a - b) needs none: the first hint begins with it.",
        ),
        watched.no_loop(
            "no loop runs over rows or features",
            lambda n: (np.eye(n) + 1, 2 - np.eye(n)),
            "Your distances are right, but a loop is what the task leaves out: in Python it takes "
            "a step for every row or feature. A matrix product meets all pairs at once.",
        ),
    ),
    hints=(
        "Take two rows a and b. Their squared distance is (a - b)·(a - b): what do you get when "
        "you multiply this out?",
        "Three dot products turn up: a with itself, b with itself, and a with b. The last kind "
        "comes from one matrix product for all pairs. The first belongs to the rows of the answer, "
        "the second to its columns, so give them shapes that NumPy adds that way: `keepdims=True` "
        "keeps a sum's last axis, at length 1.",
        "Before the square root at the end, think of two equal rows: the terms should cancel, but "
        "rounding can leave something like -1e-16. `np.maximum` lifts it to 0.",
    ),
)  # fmt: skip
