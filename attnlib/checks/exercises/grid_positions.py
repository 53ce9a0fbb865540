"""Positions of the patches of a picture, which has rows and columns."""

import numpy as np

import attnlib
from attnlib.checks import promises
from attnlib.checks.exercise import Case, Exercise, Fact, close, mistake
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


def side_by_side(row, column, d_model):
    """Encode each of two positions by half of the features."""
    return np.hstack([sinusoids(row, d_model // 2), sinusoids(column, d_model // 2)])


@mistake("rows and columns swapped")
def swapped(n_rows, n_columns, d_model):
    """You gave the first half of the features to the column and the second half to the row.

    The row comes first: where a patch stands in the first row, the first half is that of
    position 0.
    """
    row, column = places(n_rows, n_columns)
    return side_by_side(column, row, d_model)


@mistake("read column by column")
def column_by_column(n_rows, n_columns, d_model):
    """You read the picture column by column, from the top down.

    Patches are read as words are, row by row: patch 1 stands to the right of patch 0. If you used
    `np.repeat` and `np.tile`, exchange the two.
    """
    column, row = np.divmod(np.arange(n_rows * n_columns), n_rows)
    return side_by_side(row, column, d_model)


@mistake("one position in a line")
def in_a_line(n_rows, n_columns, d_model):
    """You numbered the patches from first to last and forgot where a row ends.

    A patch below another is its neighbour, too. Find the row and the column of each patch from its
    number, and encode the two separately.
    """
    return attnlib.sinusoidal_positions(n_rows * n_columns, d_model)


@mistake("divided by n_rows")
def by_rows(n_rows, n_columns, d_model):
    """You divided the patch's number by n_rows to find its row.

    A new row begins after n_columns patches, because that is how many stand in one row.
    """
    row, column = np.divmod(np.arange(n_rows * n_columns), n_rows)
    return side_by_side(row, column, d_model)


@mistake("row and column added")
def added(n_rows, n_columns, d_model):
    """You added the encodings of row and column, each as wide as the whole.

    Then (1, 2) and (2, 1) look alike. Put the two side by side, half of the features each.
    """
    row, column = places(n_rows, n_columns)
    return sinusoids(row, d_model) + sinusoids(column, d_model)


@mistake("each as wide as the whole")
def twice_as_wide(n_rows, n_columns, d_model):
    """Your table is twice as wide as it should be: row and column take d_model features each.

    They share the features: each gets d_model / 2 of them.
    """
    row, column = places(n_rows, n_columns)
    return np.hstack([sinusoids(row, d_model), sinusoids(column, d_model)])


@mistake("speeds of the whole width")
def whole_speeds(n_rows, n_columns, d_model):
    """You cut a table that is d_model wide in two, so the row gets the fast hands alone.

    Each half is a complete table, d_model / 2 wide, and d_model / 2 also stands in its exponent.
    """
    row, column = places(n_rows, n_columns)
    half = d_model // 2
    return np.hstack([sinusoids(row, d_model)[:, :half], sinusoids(column, d_model)[:, half:]])


@mistake("d_model in the exponent")
def slow(n_rows, n_columns, d_model):
    """Your hands turn too slowly: it is d_model that stands below in your exponents.

    Each half is a complete table of its own, only d_model / 2 wide, and its own width belongs in
    the exponent.
    """
    half = d_model // 2
    return np.hstack([sinusoids(p, d_model)[:, :half] for p in places(n_rows, n_columns)])


@mistake("features of row and column alternate")
def alternating(n_rows, n_columns, d_model):
    """Your features alternate between row and column.

    The first half belongs to the row, the second half to the column: put the two tables side by
    side.
    """
    row, column = (sinusoids(p, d_model // 2) for p in places(n_rows, n_columns))
    return np.stack([row, column], axis=-1).reshape(len(row), d_model)


@mistake("sines and cosines not interleaved")
def apart(n_rows, n_columns, d_model):
    """Within each half, you put all sines first and all cosines after them.

    They alternate: sine, cosine, sine, cosine, as in `sinusoidal_positions`.
    """
    tables = [sinusoids(p, d_model // 2) for p in places(n_rows, n_columns)]
    return np.hstack([part for t in tables for part in (t[:, 0::2], t[:, 1::2])])


@mistake("sine and cosine swapped")
def cosine_first(n_rows, n_columns, d_model):
    """You swapped sine and cosine.

    The even features are sines, the odd ones cosines: position 0 is 0, 1, 0, 1, …
    """
    table = answer(n_rows, n_columns, d_model)
    return table.reshape(len(table), -1, 2)[..., ::-1].reshape(table.shape)


@mistake("positions from 1")
def from_one(n_rows, n_columns, d_model):
    """You counted rows and columns from 1.

    The patch in the upper left corner stands in row 0 and column 0.
    """
    row, column = places(n_rows, n_columns)
    return side_by_side(row + 1, column + 1, d_model)


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


@mistake("the column alone")
def column_alone(n_rows, n_columns, d_model):
    """Both halves of your table hold the column; the row is nowhere to be seen.

    The first half is for the row: which row a patch is in changes every n_columns patches.
    """
    _, column = places(n_rows, n_columns)
    return side_by_side(column, column, d_model)


@mistake("the row alone")
def row_alone(n_rows, n_columns, d_model):
    """Both halves of your table hold the row; the column is nowhere to be seen.

    The second half is for the column, which starts again from 0 in each row.
    """
    row, _ = places(n_rows, n_columns)
    return side_by_side(row, row, d_model)


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
