"""Right answers to pairwise_distances, and wrong ones."""

import math

import numpy as np

from attnlib.checks.engine import examine
from attnlib.checks.exercises.pairwise_distances import EXERCISE, root, turned
from tests.checks.knobs import set_to


def distances_by_loop(x, y):
    return [[math.dist(a, b) for b in y.tolist()] for a in x.tolist()]


def distances_by_difference(x, y):
    return np.linalg.norm(x[:, None] - y[None], axis=2)


def distances_by_feature(x, y):
    return np.sqrt(sum((a[:, None] - b) ** 2 for a, b in zip(x.T, y.T, strict=True)))


def distances_by_vectorize(x, y):
    between = np.vectorize(lambda i, j: math.dist(x[i], y[j]))
    return between(np.arange(len(x))[:, None], np.arange(len(y)))


def distances_of_all_pairs(x, y):
    squared = np.diag(x @ x.T)[:, None] + np.diag(y @ y.T) - 2 * x @ y.T
    return root(squared)


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


VARIANTS = (distances_by_einsum, distances_by_clip)
LOOPS = (distances_by_loop, distances_by_feature, distances_by_vectorize, distances_row_by_row)


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
        away = EXERCISE.answer(x, y) ** 2
        return np.sqrt(np.where(away == away.min(axis=-1, keepdims=True), -1.0, away))

    yield "in another order", lambda x, y: np.sqrt(-2 * y @ x.T + (x**2).sum(-1)).T
    yield "no root below 0 or near it", nearest
    yield "all differences at once", distances_by_difference
    yield "all pairs of rows of x", distances_of_all_pairs
    yield from ((loop.__name__, loop) for loop in LOOPS)
    yield "a diagonal of 0", lambda x, y: EXERCISE.answer(x, y) * (1 - np.eye(len(x), len(y)))


def flat_the_other_way_round(x, y):
    return root((y**2).sum(axis=-1) + (x**2).sum(axis=-1) - 2 * x @ y.T)


NAMED = ((flat_the_other_way_round, "keepdims forgotten"),)


def test_a_loop_and_an_array_of_all_differences_are_told_where_the_distances_are_right():
    told = {loop: str(examine(EXERCISE, loop)) for loop in LOOPS}
    assert all("✗ no loop runs over rows or features" in text for text in told.values())
    text = str(examine(EXERCISE, distances_by_difference))
    assert "✗ no array is larger than x, y or the table" in text
    assert "✗ no loop" not in text
