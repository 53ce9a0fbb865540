"""Right answers to score_spread, and wrong ones."""

import math
import operator
import tracemalloc

import numpy as np

from attnlib.checks.engine import examine
from attnlib.checks.exercises.score_spread import (
    EXERCISE,
    FLAT,
    SHORT,
    mean_of,
    mean_square,
    root,
    unguarded,
)  # fmt: skip
from tests.checks.promised import inputs_of


def spread_by_loop(query, key):
    n, total, squares = len(query) * len(key), 0.0, 0.0
    keys = key.tolist()
    for q in query.tolist():
        for k in keys:
            score = sum(map(operator.mul, q, k))
            total += score
            squares += score * score
    return math.sqrt(max(squares / n - (total / n) ** 2, 0))


def spread_by_rows(query, key):
    total = squares = 0.0
    for q in query:
        scores = key @ q
        total, squares = total + scores.sum(), squares + (scores**2).sum()
    n = len(query) * len(key)
    return np.sqrt(max(squares / n - (total / n) ** 2, 0))


def spread_by_blocks(query, key):
    mean, squares = query.mean(0) @ key.mean(0), 0.0
    for start in range(0, len(query), 100):
        squares += ((query[start : start + 100] @ key.T - mean) ** 2).sum()
    return np.sqrt(squares / len(query) / len(key))


def spread_by_trace(query, key):
    n, mean = len(query) * len(key), query.sum(axis=0) @ key.sum(axis=0)
    square = np.trace((query.T @ query) @ (key.T @ key)) / n - (mean / n) ** 2
    return np.maximum(square, 0) ** 0.5


def spread_by_einsum(query, key):
    squares = np.einsum("if,ig,jf,jg->", query, query, key, key, optimize=["einsum_path", (0, 1), (
        0, 1), (0, 1)]) / len(query) / len(key)  # fmt: skip
    return np.sqrt(np.abs(squares - np.dot(query.mean(axis=0), key.mean(axis=0)) ** 2))


VARIANTS = (spread_by_rows, spread_by_blocks, spread_by_trace, spread_by_einsum, spread_by_loop)


def of_centred(query, key):
    return mean_square(query - query.mean(axis=0), key - key.mean(axis=0))


KNOBS = {"squares": (of_centred,)}


def wrong():
    answer, unheld = EXERCISE.answer, unguarded.function
    found = {
        "the table": lambda q, k: np.std(q @ k.T),
        "the table in float32": lambda q, k: np.std((q @ k.T).astype(np.float32)),
        "the table in lists": lambda q, k: np.std((q @ k.T).tolist()),
        "the table by einsum": lambda q, k: np.einsum("id,jd->ij", q, k).std(),
        "every product": lambda q, k: (q[:, None] * k).sum(axis=-1).std(),
        "the table, squared": lambda q, k: root(((q @ k.T) ** 2).mean() - mean_of(q, k) ** 2),
        "every other of many": lambda q, k: answer(q[:: 1 + (len(q) > 60)], k),
        "at least 1e-3": lambda q, k: np.maximum(answer(q, k), 1e-3),
        "at most 1e3": lambda q, k: np.minimum(answer(q, k), 1e3),
        "1e-3 added": lambda q, k: answer(q, k) + 1e-3,
        "not held above 0": unheld,
        "not held above 0, by trace": lambda q, k: np.sqrt(
            np.trace((q.T @ q) @ (k.T @ k)) / len(q) / len(k) - mean_of(q, k) ** 2
        ),
        "not held above 0 unless for one score": lambda q, k: (
            np.zeros(()) if len(q) * len(k) == 1 else unheld(q, k)
        ),
        "1 for one score": lambda q, k: answer(q, k) + (len(q) == len(k) == 1),
        "nan for one score": lambda q, k: np.where(len(q) * len(k) == 1, np.nan, answer(q, k)),
    }
    yield from found.items()
    for most in (20, 50, 100):
        yield f"the first {most} words", lambda q, k, most=most: answer(q[:most], k[:most])
        yield f"the last {most} keys", lambda q, k, most=most: answer(q, k[-most:])


def test_equal_scores_are_rounded_below_0_on_every_machine():
    for q, k in SHORT:
        assert (q * q) * (k * k) < (q * k) * (q * k)
        assert q * q * k * k < (q * k) * (q * k)
    flat = inputs_of(EXERCISE, FLAT)
    assert {len(q) for q, _ in flat} == {1, 3, 7, 10}
    assert all(np.ptp(q @ k.T) < 1e-15 for q, k in flat)
    with np.errstate(invalid="ignore"):
        nan = [bool(np.isnan(unguarded.function(q, k))) for q, k in flat]
    assert sum(nan) >= 4


def test_a_table_of_scores_is_told_where_the_spread_is_right():
    text = str(examine(EXERCISE, lambda q, k: (q @ k.T).std())).replace("\n", " ")
    assert "are right, but this should hold as well:   ✗ the table of scores is never made" in text
    assert "Hint: For a long text, that table would not fit into memory." in text


def test_memory_is_measured_beside_another_measurement():
    tracemalloc.start()
    try:
        assert examine(EXERCISE, EXERCISE.solution).status == "passed"
        assert tracemalloc.is_tracing()
    finally:
        tracemalloc.stop()
    assert examine(EXERCISE, EXERCISE.solution).status == "passed"
    assert not tracemalloc.is_tracing()


def test_the_spread_of_one_score_is_never_nan():
    x = np.random.default_rng(0).normal(size=(101, 1, 53))
    assert max(EXERCISE.solution(row, 2 * row) for row in x) < 1e-5
