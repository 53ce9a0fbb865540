"""Positions of the patches of a picture, which has rows and columns."""

import numpy as np

import attnlib
from attnlib.checks import promises
from attnlib.checks.exercise import Case, Exercise, Fact, close, mistake, wrongly_set
from attnlib.checks.exercises.sinusoidal_positions import FAR
from attnlib.checks.shapes import Shapes

SHAPES = Shapes("n_rows, n_columns, 4*speeds -> (n_rows*n_columns, 4*speeds)")


def grid_positions(n_rows, n_columns, d_model):
    """Every patch has two positions, so each of them gets half of the features.

    Patches are read row by row: the row changes every n_columns patches, the column with every
    patch. Each half is a table of sinusoids of its own, with all the speeds from fast to slow.
    """
    half = d_model // 2
    row, column = np.divmod(np.arange(n_rows * n_columns), n_columns)  # of every patch
    speed = 10_000.0 ** -(np.arange(0, half, 2) / half)  # (half / 2,)
    table = np.zeros((n_rows * n_columns, d_model))
    for start, position in ((0, row), (half, column)):
        angle = position[:, None] * speed  # (n_rows * n_columns, half / 2)
        table[:, start : start + half : 2] = np.sin(angle)
        table[:, start + 1 : start + half : 2] = np.cos(angle)
    return table


def answer(n_rows, n_columns, d_model):
    """Give what is right, by which answers are judged."""
    row, column = (attnlib.sinusoidal_positions(n, d_model // 2) for n in (n_rows, n_columns))
    return np.hstack([np.repeat(row, n_columns, axis=0), np.tile(column, (n_rows, 1))])


def cases():
    """Two rows of three patches by hand; then wider, taller and larger pictures."""
    yield Case("a small picture is right", (2, 3, 4))
    yield Case("a tall picture is right", (5, 2, 12))
    yield Case("a wide picture is right", (3, 7, 20))
    yield Case("a larger picture is right", (11, 13, 28))


def promised():
    """Give the inputs that hold an answer to each promise."""
    square = (2, 2, 4), (4, 4, 4), (3, 3, 12), (6, 2, 12)
    shapes = promises.of_shapes(SHAPES, SHAPES.given(None))
    return shapes | {
        promises.SIZES: [*shapes[promises.SIZES], *square],
        FAR: [(211, 2, 8), (2, 307, 8), (1, 10_001, 4), (10_001, 1, 4)],
        promises.POSITIONS.beyond: [(1, 20_001, 4), (20_001, 1, 4)],
        promises.SAME_SHAPES: [(2, 6, 8), (3, 4, 8), (4, 3, 8), (6, 2, 8), (12, 1, 8), (1, 12, 8)],
    }


def places(n_rows, n_columns):
    """Give the row and the column of every patch."""
    return np.divmod(np.arange(n_rows * n_columns), n_columns)


def sinusoids(positions, d):
    """Give rows of the sinusoidal table at any whole positions."""
    return attnlib.sinusoidal_positions(int(positions.max()) + 1, d)[positions]


def half(positions, d_model):
    """Encode positions by half of the features."""
    return sinusoids(positions, d_model // 2)


def turned(n_rows, n_columns, d_model, *, at=places, table=half, join=np.hstack):
    """Answer with knobs, each of which can be set wrong."""
    return join([table(positions, d_model) for positions in at(n_rows, n_columns)])


swapped = wrongly_set(
    turned,
    "rows and columns swapped",
    "You gave the first half of the features to the column and the second half to the row.",
    "The row comes first: where a patch stands in the first row, the first half is that of "
    "position 0.",
    at=lambda n_rows, n_columns: places(n_rows, n_columns)[::-1],
)

column_by_column = wrongly_set(
    turned,
    "read column by column",
    "You read the picture column by column, from the top down.",
    "Patches are read as words are, row by row: patch 1 stands to the right of patch 0. If you "
    "used `np.repeat` and `np.tile`, exchange the two.",
    at=lambda n_rows, n_columns: places(n_columns, n_rows)[::-1],
)

both_at_once = wrongly_set(
    turned,
    "row and column both from patch to patch",
    "In your table the row, too, changes from each patch to the next.",
    "The patches of one row stand side by side, so their row stays the same, and the column alone "
    "counts on. `np.repeat` with an axis does the one, `np.tile` the other.",
    at=lambda n_rows, n_columns: (
        np.arange(n_rows * n_columns) % n_rows,
        np.arange(n_rows * n_columns) % n_columns,
    ),
)

both_slowly = wrongly_set(
    turned,
    "row and column both repeated",
    "In your table the column, too, stays the same for several patches in a row.",
    "From each patch to the next the column counts on, and begins again in each row. `np.tile` "
    "repeats a table as a whole, `np.repeat` each of its rows.",
    at=lambda n_rows, n_columns: (
        np.arange(n_rows * n_columns) // n_columns,
        np.arange(n_rows * n_columns) // n_rows,
    ),
)


@mistake("places as shares of the picture")
def shares(n_rows, n_columns, d_model):
    """You divided the place of a patch by the size of the picture.

    Rows and columns are counted: 0, 1, 2, … So a patch has its place in a larger picture, too.
    """
    row, column = places(n_rows, n_columns)
    half = d_model // 2
    speed = 10_000.0 ** -(np.arange(0, half, 2) / half)
    turns = (np.outer(place / n, speed) for place, n in ((row, n_rows), (column, n_columns)))
    pairs = [np.stack([np.sin(turn), np.cos(turn)], axis=-1) for turn in turns]
    return np.hstack([pair.reshape(len(row), half) for pair in pairs])


@mistake("one position in a line")
def in_a_line(n_rows, n_columns, d_model):
    """You numbered the patches from first to last and forgot where a row ends.

    A patch below another is its neighbour, too. Find the row and the column of each patch from its
    number, and encode the two separately.
    """
    return attnlib.sinusoidal_positions(n_rows * n_columns, d_model)


by_rows = wrongly_set(
    turned,
    "divided by n_rows",
    "You divided the patch's number by n_rows to find its row.",
    "A new row begins after n_columns patches, because that is how many stand in one row.",
    at=lambda n_rows, n_columns: places(n_columns, n_rows),
)

added = wrongly_set(
    turned,
    "row and column added",
    "You added the encodings of row and column, each as wide as the whole.",
    "Then (1, 2) and (2, 1) look alike. Put the two side by side, half of the features each.",
    table=sinusoids,
    join=sum,
)

twice_as_wide = wrongly_set(
    turned,
    "each as wide as the whole",
    "Your table is twice as wide as it should be: row and column take d_model features each.",
    "They share the features: each gets d_model / 2 of them.",
    table=sinusoids,
)


@mistake("speeds of the whole width")
def whole_speeds(n_rows, n_columns, d_model):
    """You cut a table that is d_model wide in two, so the row gets the fast hands alone.

    Each half is a complete table, d_model / 2 wide, and d_model / 2 also stands in its exponent.
    """
    row, column = places(n_rows, n_columns)
    half = d_model // 2
    return np.hstack([sinusoids(row, d_model)[:, :half], sinusoids(column, d_model)[:, half:]])


slow = wrongly_set(
    turned,
    "d_model in the exponent",
    "Your hands turn too slowly: it is d_model that stands below in your exponents.",
    "Each half is a complete table of its own, only d_model / 2 wide, and its own width belongs "
    "in the exponent.",
    table=lambda positions, d_model: sinusoids(positions, d_model)[:, : d_model // 2],
)

alternating = wrongly_set(
    turned,
    "features of row and column alternate",
    "Your features alternate between row and column.",
    "The first half belongs to the row, the second half to the column: put the two tables side by "
    "side.",
    join=lambda both: np.stack(both, axis=-1).reshape(len(both[0]), -1),
)

apart = wrongly_set(
    turned,
    "sines and cosines not interleaved",
    "Within each half, you put all sines first and all cosines after them.",
    "They alternate: sine, cosine, sine, cosine, as in `sinusoidal_positions`.",
    table=lambda *x: np.hstack([half(*x)[:, 0::2], half(*x)[:, 1::2]]),
)

cosine_first = wrongly_set(
    turned,
    "sine and cosine swapped",
    "You swapped sine and cosine.",
    "The even features are sines, the odd ones cosines: position 0 is 0, 1, 0, 1, …",
    table=lambda *x: half(*x).reshape(len(x[0]), -1, 2)[..., ::-1].reshape(len(x[0]), -1),
)

from_one = wrongly_set(
    turned,
    "positions from 1",
    "You counted rows and columns from 1.",
    "The patch in the upper left corner stands in row 0 and column 0.",
    at=lambda n_rows, n_columns: np.add(places(n_rows, n_columns), 1),
)


@mistake("a grid instead of a sequence")
def not_flat(n_rows, n_columns, d_model):
    """Your table has an axis for rows and one for columns; attention needs one row per patch.

    The numbers are right. Join the first two axes: (n_rows * n_columns, d_model).
    """
    return answer(n_rows, n_columns, d_model).reshape(n_rows, n_columns, d_model)


@mistake("table transposed")
def sideways(n_rows, n_columns, d_model):
    """Your table is transposed: every patch should have a row of its own.

    Return (n_rows * n_columns, d_model).
    """
    return answer(n_rows, n_columns, d_model).T


column_alone = wrongly_set(
    turned,
    "the column alone",
    "Both halves of your table hold the column; the row is nowhere to be seen.",
    "The first half is for the row: which row a patch is in changes every n_columns patches.",
    at=lambda n_rows, n_columns: places(n_rows, n_columns)[1:] * 2,
)

row_alone = wrongly_set(
    turned,
    "the row alone",
    "Both halves of your table hold the row; the column is nowhere to be seen.",
    "The second half is for the column, which starts again from 0 in each row.",
    at=lambda n_rows, n_columns: places(n_rows, n_columns)[:1] * 2,
)


def same_row(f, n_rows, n_columns, d_model):
    """Find the first half the same along a row of the picture."""
    grid = f(n_rows, n_columns, d_model).reshape(n_rows, n_columns, d_model)
    half = d_model // 2
    return close(grid[..., :half], grid[:, :1, :half])


def same_column(f, n_rows, n_columns, d_model):
    """Find the second half the same down a column of the picture."""
    grid = f(n_rows, n_columns, d_model).reshape(n_rows, n_columns, d_model)
    half = d_model // 2
    return close(grid[..., half:], grid[:1, :, half:])


def all_differ(f, n_rows, n_columns, d_model):
    """No two patches have the same encoding."""
    table = f(n_rows, n_columns, d_model)
    return len(np.unique(table.round(6), axis=0)) == len(table) == n_rows * n_columns


EXERCISE = Exercise(
    solution=grid_positions,
    answer=answer,
    shapes=SHAPES,
    cases=cases,
    promises=promised,
    ends=(promises.POSITIONS.of("n_rows", "n_columns"),),
    facts=(
        Fact("the first patch is 0, 1, 0, 1, …", lambda f, r, c, d: close(
            f(r, c, d)[0], [0, 1] * (d // 2))),
        Fact("along a row, the first half stays the same", same_row),
        Fact("down a column, the second half stays the same", same_column),
        Fact("no two patches have the same encoding", all_differ),
        Fact("a picture of one row is a sentence", lambda f, r, c, d: close(
            f(1, c, d)[:, d // 2 :], attnlib.sinusoidal_positions(c, d // 2))),
    ),
    hints=(
        "Find out first where each patch stands: patch number p of a picture that is n_columns "
        "wide, in which row is it, and in which column? Each of these two numbers is a position "
        "like a word's.",
        "`np.divmod` gives row and column at once. Encode each of them by sinusoids that are "
        "d_model / 2 wide, exactly as in `sinusoidal_positions`, with that width in the exponent, "
        "and put the two tables side by side, the row's first.",
    ),
)  # fmt: skip
