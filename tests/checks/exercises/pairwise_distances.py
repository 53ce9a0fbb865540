"""Right answers to pairwise_distances, wrong ones, and what it promises."""

import math

import numpy as np

from tests.checks.knobs import same


def distances_by_loop(x, y):
    return [[math.dist(a, b) for b in y.tolist()] for a in x.tolist()]


def distances_by_difference(x, y):
    return np.linalg.norm(x[:, None] - y[None], axis=2)


def distances_by_einsum(x, y):
    squares = -2 * np.einsum("id,jd->ij", x, y)
    squares += np.einsum("id,id->i", x, x)[:, None]
    squares += np.einsum("jd,jd->j", y, y)
    return np.sqrt(np.abs(squares))


def distances_by_clip(x, y):
    squares = np.add.outer((x * x).sum(1), (y * y).sum(1)) - 2 * np.dot(x, y.T)
    squares[squares < 0] = 0
    return squares**0.5


def distances_row_by_row(x, y):
    out = np.zeros((len(x), len(y)))
    for i, row in enumerate(x):
        out[i] = np.sqrt(((row - y) ** 2).sum(axis=1))
    return out


VARIANTS = (
    distances_by_loop,
    distances_by_difference,
    distances_by_einsum,
    distances_by_clip,
    distances_row_by_row,
)


def turned(x, y, *, products, left, right, after):
    squares = left((x**2).sum(axis=-1))[:, None] + right((y**2).sum(axis=-1))
    return after(np.maximum(squares + products * x @ y.T, 0))


KNOBS = {
    "products": (-2, -1, 0, 2),
    "left": (same, np.sqrt, np.zeros_like),
    "right": (same, np.sqrt, np.zeros_like),
    "after": (np.sqrt, same),
}


def wrong():
    def squares(x, y):
        return (x**2).sum(axis=-1)[:, None] + (y**2).sum(axis=-1) - 2 * x @ y.T

    def nearest(x, y):
        away = ((x[:, None] - y) ** 2).sum(axis=-1)
        return np.sqrt(np.where(away == away.min(axis=-1, keepdims=True), -1.0, away))

    yield "no number lifted", lambda x, y: np.sqrt(squares(x, y))
    yield "in another order", lambda x, y: np.sqrt(-2 * y @ x.T + (x**2).sum(-1)).T
    for least in (1e-3, 1e-2, 1.0):
        yield f"{least} at least", lambda x, y, s=least: np.sqrt(np.maximum(squares(x, y), s))
        yield f"{least} added", lambda x, y, s=least: np.sqrt(np.maximum(squares(x, y), 0) + s)
    for by in (1.0, np.inf, 100.0):
        yield (
            f"nan made {by}",
            lambda x, y, by=by: np.nan_to_num(np.sqrt(squares(x, y)), nan=by, posinf=np.inf),
        )
    yield "no root below 0 or near it", nearest
    yield (
        "equal rows taken for the farthest",
        lambda x, y: np.where(squares(x, y) < 1e-6, 1e3, np.sqrt(np.maximum(squares(x, y), 0))),
    )
    yield (
        "a diagonal of 0",
        lambda x, y: np.linalg.norm(x[:, None] - y, axis=-1) * (1 - np.eye(len(x), len(y))),
    )


def flat_the_other_way_round(x, y):
    squared = (y**2).sum(axis=-1) + (x**2).sum(axis=-1) - 2 * x @ y.T
    return np.sqrt(np.maximum(squared, 0))


NAMED = ((flat_the_other_way_round, "keepdims forgotten"),)
