"""Right answers to linear_backward, and wrong ones."""

import numpy as np

from attnlib.checks.engine import examine
from attnlib.checks.exercises.linear_backward import EXERCISE, by_batch, in_rows
from tests.checks.by_hand import dot
from tests.checks.sweep import in_halves, spoiled


def linear_back_by_loop(grad_y, x, w):
    if x.ndim == 1:
        return [dot(grad_y, row) for row in w], np.outer(x, grad_y)
    grad_x, grad_w = np.zeros(x.shape), np.zeros(w.shape)
    for i in range(len(x)):
        grad_x[i], asked = linear_back_by_loop(grad_y[i], x[i], w)
        grad_w += asked
    return grad_x, grad_w


def linear_back_by_einsum(grad_y, x, w):
    rows, grad_rows = x.reshape(-1, len(w)), grad_y.reshape(-1, w.shape[1])
    pairs = ("...o,io->...i", grad_y, w), ("ni,no->io", rows, grad_rows)
    return (np.einsum(*pair) for pair in pairs)


def linear_back_by_sum(grad_y, x, w):
    asked = x[..., :, np.newaxis] * grad_y[..., np.newaxis, :]  # a table for each row
    return [np.matmul(grad_y, w.T), asked.sum(axis=tuple(range(asked.ndim - 2)))]


def linear_back_batch_by_batch(grad_y, x, w):
    grad_w = by_batch(np.atleast_2d(grad_y), np.atleast_2d(x))
    while grad_w.ndim > 2:
        grad_w = grad_w.sum(axis=0)
    return (w @ grad_y[..., None])[..., 0], grad_w


VARIANTS = (
    linear_back_by_loop,
    linear_back_by_einsum,
    linear_back_by_sum,
    linear_back_batch_by_batch,
)


KNOBS = {
    "asked": (
        lambda rows, grad_rows: np.ones_like(rows).T @ grad_rows,
        lambda rows, grad_rows: (rows / np.linalg.norm(rows)).T @ grad_rows,
        lambda rows, grad_rows: rows.T @ np.ones_like(grad_rows),
        lambda rows, grad_rows: rows.T @ -grad_rows,
    ),
    "size": (len,),
}


def wrong():
    answer = EXERCISE.answer

    def but_w(change):
        """A right grad_x, and a change of (grad_w, grad_y, x)."""

        def function(g, x, w):
            grad_x, grad_w = answer(g, x, w)
            return grad_x, change(grad_w, g, x)

        return function

    for n in (1, 2, 7, 11):
        first = but_w(lambda w, g, x, n=n: in_rows(x)[:n].T @ in_rows(g)[:n])
        yield f"the first {n} rows alone", first
    grads = {
        "at most 100": lambda w, g, x: np.clip(w, -100, 100),
        "rounded": lambda w, g, x: np.round(w, 3),
        "divided by the length of a sentence": lambda w, g, x: w / (x.shape[-2:-1] or [1])[0],
        "divided by the number of sentences": lambda w, g, x: w / max(np.prod(x.shape[:-2]), 1),
        "with an axis for the batch": lambda w, g, x: w[None],
        "for each of a batch": lambda w, g, x: by_batch(np.atleast_2d(g), np.atleast_2d(x)),
        "of the sum over the first axis": lambda w, g, x: (
            by_batch(g, x).sum(axis=0) if x.ndim > 2 else w
        ),
    }
    for label, change in grads.items():
        yield f"grad_w {label}", but_w(change)
    yield "grad_x as one list of rows", lambda g, x, w: (in_rows(g @ w.T), answer(g, x, w)[1])
    yield spoiled(EXERCISE, "wrong for more than three axes", lambda g, x, w: x.ndim > 3)
    yield spoiled(EXERCISE, "wrong where w is a row", lambda g, x, w: len(w) == 1)
    yield spoiled(EXERCISE, "wrong where w is a column", lambda g, x, w: w.shape[1] == 1)
    yield spoiled(EXERCISE, "wrong where w is square", lambda g, x, w: len({*w.shape}) == 1)
    yield from in_halves(EXERCISE)


def beyond():
    yield spoiled(EXERCISE, "wrong for a vector", lambda g, x, w: x.ndim == 1)


def rows_by_einsum(grad_y, x, w):
    return grad_y @ w.T, np.einsum("ni,no->io", x, grad_y)


def tables_added_up(grad_y, x, w):
    return grad_y @ w.T, np.einsum("...i,...o->...io", x, grad_y).sum(axis=0)


def without_adding(grad_y, x, w):
    grad_x, grad_w = np.zeros(x.shape), np.zeros(w.shape)
    for row in np.ndindex(x.shape[:-1]):
        for i, j in np.ndindex(w.shape):
            grad_w[i, j] = grad_y[row][j] * x[row][i]
            grad_x[row][i] = grad_y[row][j] * w[i, j]
    return grad_x, grad_w


NAMED = (
    (lambda g, x, w: (g @ w.T, x.T @ g), "batch axes forgotten"),
    (tables_added_up, "rows of the first axis summed"),
    (lambda g, x, w: (g @ w.T, x.T @ g / len(x)), "mean instead of sum"),
    (lambda g, x, w: (g @ w.T, g.T @ x), "grad_w transposed"),
    (lambda g, x, w: (g @ w, x.T @ g), "w not transposed"),
    (without_adding, "the last row and the last feature alone"),
)


def test_letters_of_einsum_are_not_taken_for_a_stub():
    text = str(examine(EXERCISE, rows_by_einsum)).replace("\n", " ")
    assert "raised ValueError" in text
    assert "still a stub" not in text
    assert "`ni` names 2 axes, and its array is (2, 5, 3)" in text
