"""Right answers to cache_bytes, and wrong ones."""

import math

import numpy as np

from attnlib.checks.engine import examine
from attnlib.checks.exercises.cache_bytes import EXERCISE, cache_bytes


def of_arrays(n_layers, n_kv_heads, d_head, n_tokens, bytes_per_number):
    kept = np.broadcast_to(np.int8(0), (2, n_layers, n_kv_heads, n_tokens, d_head))
    return kept.size * bytes_per_number


def by_product(*sizes):
    return 2 * math.prod(sizes)


def token_by_token(n_layers, n_kv_heads, d_head, n_tokens, bytes_per_number):
    row = d_head * bytes_per_number
    return sum(n_layers * n_kv_heads * (row + row) for _ in range(n_tokens))


VARIANTS = (of_arrays, by_product, token_by_token)


KNOBS = {"both": (5,), "layers": (lambda n: n + 1,), "heads": (lambda n: n + 1,)}


def wrong():
    answer = EXERCISE.answer
    yield "as floats", lambda *sizes: float(answer(*sizes))
    yield "in 32 bits", lambda *sizes: np.prod([2, *sizes], dtype=np.int32)
    yield "one token at least", lambda a, b, c, n, size: answer(a, b, c, max(n, 1), size)
    yield "never below 1", lambda *sizes: max(answer(*sizes), 1)


NAMED = (
    (lambda layers, heads, d, n, size: layers * heads * d * n * size, "2 forgotten"),
    (lambda layers, heads, d, n, size: 2 * layers * heads * d * n * size / 8, "divided by 8"),
)


def test_a_whole_number_is_asked_for_by_its_own_sentence():
    report = examine(EXERCISE, lambda *sizes: float(cache_bytes(*sizes)))
    assert report.status == "failed"
    assert "✗ bytes come as a whole number" in str(report)
    assert "`/` and `2.0` do not" in str(report)


def test_a_cache_is_as_large_as_the_arrays_that_are_kept():
    kept = np.zeros((2, 3, 5, 7, 11), np.float16)
    assert cache_bytes(3, 5, 11, 7, 2) == kept.nbytes
