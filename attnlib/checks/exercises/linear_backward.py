"""Back through a matrix that every row meets."""

import numpy as np

from attnlib.checks import promises
from attnlib.checks.exercise import (
    Case,
    Exercise,
    Fact,
    Promise,
    Remark,
    close,
    direction,
    mistake,
    wrongly_set,
)
from attnlib.checks.shapes import Shapes

SUMMED = Promise(
    "leading axes of any number are summed into grad_w",
    "There is one w for all rows, however they are arranged, so each row adds its share to grad_w, "
    "which has the shape of w. To the sum, a batch of sentences is one long list of rows.",
)
NO_ROWS = Remark("no rows at all")
ONE_VECTOR = Remark("a vector for x, without an axis of rows")

SHAPES = Shapes("(..., n, d_out), (..., n, d_in), (d_in, d_out) -> (..., n, d_in), (d_in, d_out)")


def linear_backward(grad_y, x, w):
    """Send back what w sent forward, by its transpose; and add up what each row asks of w.

    All rows meet one and the same w, so what they ask of it adds up: whatever leading axes there
    are, for w they are one long list of rows, and the matrix product does the sum.
    """
    grad_x = grad_y @ w.T  # (..., d_in)
    rows = x.reshape(-1, x.shape[-1])  # (n_rows, d_in)
    grad_rows = grad_y.reshape(-1, grad_y.shape[-1])  # (n_rows, d_out)
    grad_w = rows.T @ grad_rows  # (d_in, d_out)
    return grad_x, grad_w


def answer(grad_y, x, w):
    """Give what is right, by which answers are judged."""
    leading = list(range(x.ndim - 1))
    return grad_y @ w.T, np.tensordot(x, grad_y, axes=(leading, leading))


def cases():
    """Two rows by hand; a square matrix, and as many rows; a sentence; a batch of them."""
    given = SHAPES.given(np.random.default_rng(28))
    grad_y = np.array([[1.0, 0, 2, -1, 0], [0, 3, -1, 0, 1]])
    x = np.array([[1.0, 2.0, 0.0], [0.0, 1.0, 3.0]])
    w = np.array([[1.0, 0, 0, 2, 0], [0, 1, 0, 0, -1], [0, 0, 1, 3, 0]])
    yield Case("the small example is right", (grad_y, x, w))
    yield Case("a square matrix is right", given(n=5, d_in=5, d_out=5))
    yield Case("a longer sentence is right", given(n=11, d_in=7, d_out=3))
    yield Case("a batch is summed into grad_w", given((2,), n=5, d_in=3, d_out=7))


def promised():
    """Give the inputs that hold an answer to each promise."""
    given = SHAPES.given(np.random.default_rng(128))
    inputs = given(n=7)
    grad_y, x, w = inputs

    shapes = promises.of_shapes(SHAPES, given)
    return {
        SUMMED: shapes.pop(promises.LEADING),
        NO_ROWS: [*shapes.pop(promises.EMPTY), given(n=0)],
        ONE_VECTOR: [(grad_y[0], x[0], w)],
        **one_after_another(inputs, range(3)),
        **shapes,
    }


def one_after_another(inputs, places):
    """Make one input after another short and long, and beyond what is promised."""

    def made(lengths):
        return [
            (*inputs[:i], promises.long(inputs[i], length), *inputs[i + 1 :])
            for i in places
            for length in lengths
        ]

    return {
        promises.SCALE: made((promises.SHORT, promises.LONG)),
        promises.VECTORS.beyond: made(promises.FAR_OFF),
    }


def by_batch(grad_y, x):
    """Give what each matrix of rows asks of w, one table for each."""
    return x.swapaxes(-1, -2) @ grad_y


def in_rows(a):
    """Make one long list of rows."""
    return a.reshape(-1, a.shape[-1])


def turned(
    grad_y, x, w, *, sent=np.array, asked=lambda rows, grad_rows: rows.T @ grad_rows,
    size=lambda x: 1, turn=lambda grad_x, grad_w: (grad_x, grad_w),
):  # fmt: skip
    """Go back with knobs, each of which can be set wrong."""
    grad_y = sent(grad_y)
    return turn(grad_y @ w.T, asked(in_rows(x), in_rows(grad_y)) / size(x))


@mistake("w not transposed")
def untransposed(grad_y, x, w):
    """You multiplied grad_y by w as it is; on the way back, w is transposed.

    Forward, each feature of x reaches every feature of y by a row of w. A feature of x collects its
    gradient by that same row. The shapes say it as well: w is (d_in, d_out), grad_y ends in d_out.
    """
    return grad_y @ w, answer(grad_y, x, w)[1]


lying = wrongly_set(
    turned,
    "grad_w transposed",
    "Your grad_w lies on its side: it is (d_out, d_in), where w is (d_in, d_out).",
    "A gradient has the shape of what it belongs to. Let x come first in the product.",
    turn=lambda grad_x, grad_w: (grad_x, grad_w.T),
)

averaged = wrongly_set(
    turned,
    "mean instead of sum",
    "You divided grad_w by the number of rows.",
    "If the loss is a mean, its division is in grad_y already. Here the rows are added up.",
    size=lambda x: max(x[..., 0].size, 1),
)


@mistake("one grad_w for each of the batch")
def kept_apart(grad_y, x, w):
    """You gave each sentence of a batch a grad_w of its own, but there is only one w.

    What they ask of it adds up, so nothing of the leading axes is left in grad_w.
    """
    return grad_y @ w.T, by_batch(grad_y, x)


batch_averaged = wrongly_set(
    turned,
    "mean over the batch",
    "You added up the rows of a sentence, but took the mean over the sentences of a batch.",
    "All rows meet the same w, wherever they stand. Each of them counts fully.",
    size=lambda x: max(np.prod(x.shape[:-2]), 1),
)


@mistake("batch axes forgotten")
def matrices_only(grad_y, x, w):
    """Your gradients are right for a matrix of rows, and an error with batch axes in front.

    What is made for two axes no longer fits there: `x.T`, for one, turns the batch round as well,
    and an `einsum` needs a letter for each axis, or `...`. For w, all rows are one long list: make
    a matrix of x, and one of grad_y, before you multiply.
    """
    return grad_y @ w.T, x.T @ grad_y


@mistake("first axis summed")
def first_axis_summed(grad_y, x, w):
    """You added up over the first axis, as if there was always a batch in front.

    There may be none or several such axes. For w, all rows are one long list, however many axes
    they come in.
    """
    return grad_y @ w.T, by_batch(grad_y, x).sum(axis=0)


@mistake("rows of the first axis summed")
def first_rows_summed(grad_y, x, w):
    """You multiplied row by row, and then added up along the first axis only.

    In a matrix that axis holds the rows, and in a batch the sentences. All the leading axes have to
    go: for w, all rows are one long list, however many axes they come in.
    """
    return grad_y @ w.T, (x[..., :, np.newaxis] * grad_y[..., np.newaxis, :]).sum(axis=0)


added_first = wrongly_set(
    turned,
    "added up before the product",
    "You added up x and grad_y over the rows first, and multiplied the sums.",
    "A row of x belongs to its own row of grad_y. Multiply row by row, and then add up.",
    asked=lambda rows, grad_rows: np.outer(rows.sum(axis=0), grad_rows.sum(axis=0)),
)


@mistake("the last row alone in grad_w")
def last_row(grad_y, x, w):
    """Your grad_w holds what the last row asks of w, and nothing of the other rows.

    All rows meet the same w, so each adds its share to what the rows before it have asked.
    """
    return grad_y @ w.T, np.outer(in_rows(x)[-1], in_rows(grad_y)[-1])


@mistake("the last feature alone in grad_x")
def last_feature(grad_y, x, w):
    """Your grad_x holds what comes back by the last feature of y, and nothing of the others.

    A feature of x reaches every feature of y. What comes back from all of these is added up.
    """
    return grad_y[..., -1:] * w[:, -1], answer(grad_y, x, w)[1]


@mistake("the last row and the last feature alone")
def last_of_both(grad_y, x, w):
    """Both gradients hold one last product each, and nothing of the products before it.

    In grad_w each row adds its share, and in grad_x each feature of y does: all of them are added
    up.
    """
    return last_feature.function(grad_y, x, w)[0], last_row.function(grad_y, x, w)[1]


@mistake("the first of the batch alone")
def first_matrix(grad_y, x, w):
    """Your grad_w holds what the first sentence of a batch asks of w, and nothing of the others.

    All rows of all sentences meet the same w, so each of them adds its share.
    """
    grad_x = grad_y @ w.T
    while x.ndim > 2:
        grad_y, x = grad_y[0], x[0]
    return grad_x, x.T @ grad_y


@mistake("y in place of grad_y")
def forward_again(grad_y, x, w):
    """You used y itself, x @ w, where its gradient belongs.

    Nothing but grad_y knows what the loss wants, and y is not even needed.
    """
    return answer(x @ w, x, w)


@mistake("y in place of grad_y, for grad_w")
def forward_again_for_w(grad_y, x, w):
    """Your grad_x is right, but for grad_w you used y itself, x @ w, where its gradient belongs.

    Nothing but grad_y knows what the loss wants, and y is not even needed.
    """
    return grad_y @ w.T, answer(x @ w, x, w)[1]


@mistake("grad_x as one list of rows")
def listed(grad_y, x, w):
    """Your numbers are right, but in grad_x all rows are one list, without the batch.

    A gradient has the shape of what it belongs to. For grad_x no list is needed: `@` takes a batch
    as it is.
    """
    grad_x, grad_w = answer(grad_y, x, w)
    return in_rows(grad_x), grad_w


@mistake("w reshaped")
def w_reshaped(grad_y, x, w):
    """You reshaped w on the way to x, where it has to be transposed.

    A reshape keeps the numbers in their order, so no column becomes a row by it. `w.T` exchanges
    the two axes.
    """
    return grad_y @ w.reshape(w.shape[::-1]), answer(grad_y, x, w)[1]


@mistake("x reshaped")
def x_reshaped(grad_y, x, w):
    """You reshaped x on the way to w, where its rows have to be transposed.

    A reshape keeps the numbers in their order, so no column becomes a row by it. Make one long list
    of rows first, and transpose that: its `.T` exchanges two axes.
    """
    return grad_y @ w.T, x.reshape(x.shape[-1], -1) @ in_rows(grad_y)


@mistake("batch turned round")
def turned_round(grad_y, x, w):
    """Your grad_w is right for a matrix of rows; with a batch, x and grad_y no longer match.

    `x.T` turns all axes round, so its rows come in another order than those of grad_y. Make one
    long list of rows first, of x and of grad_y, and transpose the list.
    """
    return grad_y @ w.T, x.T.reshape(x.shape[-1], -1) @ in_rows(grad_y)


local = wrongly_set(
    turned,
    "grad_y not used",
    "You went back as if every entry of grad_y was 1.",
    "How much an entry of y matters to the loss is what grad_y says. Multiply by it.",
    sent=np.ones_like,
)

exchanged = wrongly_set(
    turned,
    "gradients exchanged",
    "You returned the right gradients in the wrong order.",
    "That of x comes first, then that of w.",
    turn=lambda grad_x, grad_w: (grad_w, grad_x),
)

downwards = wrongly_set(
    turned,
    "sign",
    "Your numbers are right, but each has the wrong sign.",
    "A gradient says where the loss grows. To walk the other way is the optimiser's business.",
    sent=np.negative,
)


EXERCISE = Exercise(
    solution=linear_backward,
    answer=answer,
    shapes=SHAPES,
    cases=cases,
    promises=promised,
    ends=(promises.VECTORS.of("grad_y", "x", "w"),),
    facts=(
        Fact("each gradient has the shape of its input", lambda f, g, x, w: [
            array.shape for array in f(g, x, w)] == [x.shape, w.shape]),
        Fact("grad_x is the slope that a step of x finds", lambda f, g, x, w: close(
            (f(g, x, w)[0] * direction(x)).sum(), (g * (direction(x) @ w)).sum())),
        Fact("grad_w is the slope that a step of w finds", lambda f, g, x, w: close(
            (f(g, x, w)[1] * direction(w)).sum(), (g * (x @ direction(w))).sum())),
        Fact("every row twice, twice grad_w", lambda f, g, x, w: close(
            f(np.concatenate([g, g]), np.concatenate([x, x]), w)[1], 2 * f(g, x, w)[1])),
        Fact("the order of the rows does not matter to grad_w", lambda f, g, x, w: close(
            f(g[..., ::-1, :], x[..., ::-1, :], w)[1], f(g, x, w)[1])),
    ),
    hints=(
        "One entry of w takes one feature of x to one feature of y, in every row. What does a "
        "small step of that entry change in a row of y? And which entries of y does one entry of x "
        "reach?",
        "Going back, a row of grad_y meets w transposed. For grad_w, each row of x is multiplied "
        "with its row of grad_y, every feature by every feature, and all rows are added up: with "
        "one long list of rows this is a single matrix product. Let the shape of w tell you in "
        "which order.",
        "`reshape(-1, d)` makes one long list of rows, whatever stands in front, if d is the "
        "length of the last axis. Do that to x and to grad_y, and transpose the first.",
    ),
    parts=("grad_x", "grad_w"),
)  # fmt: skip
