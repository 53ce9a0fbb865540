"""Right answers to pairwise_distances, and wrong ones."""

import math

import numpy as np

from attnlib.checks.exercises.pairwise_distances import root, squares, turned
from tests.checks.knobs import set_to


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


KNOBS = {"of_x": (np.sqrt,), "of_y": (np.sqrt,)}


def wrong():
    ends = {
        "no number lifted": np.sqrt,
        "equal rows taken for the farthest": lambda s: np.where(s < 1e-6, 1e3, root(s)),
    }
    for least in (1e-3, 1e-2, 1.0):
        ends[f"{least} at least"] = lambda s, least=least: np.sqrt(np.maximum(s, least))
        ends[f"{least} added"] = lambda s, least=least: np.sqrt(np.maximum(s, 0) + least)
    for by in (1.0, np.inf, 100.0):
        ends[f"nan made {by}"] = lambda s, by=by: np.nan_to_num(np.sqrt(s), nan=by, posinf=np.inf)
    for label, end in ends.items():
        yield label, set_to(turned, {"end": end})

    def nearest(x, y):
        away = squares(x, y)
        return np.sqrt(np.where(away == away.min(axis=-1, keepdims=True), -1.0, away))

    yield "in another order", lambda x, y: np.sqrt(-2 * y @ x.T + (x**2).sum(-1)).T
    yield "no root below 0 or near it", nearest
    yield "a diagonal of 0", lambda x, y: root(squares(x, y)) * (1 - np.eye(len(x), len(y)))


def flat_the_other_way_round(x, y):
    return root((y**2).sum(axis=-1) + (x**2).sum(axis=-1) - 2 * x @ y.T)


NAMED = ((flat_the_other_way_round, "keepdims forgotten"),)
