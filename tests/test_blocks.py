"""Attention block by block: the same numbers as at once, in little memory; sizes are primes."""

import tracemalloc

import numpy as np
import pytest

from attnlib import _blocks, attention, attention_weights, causal_mask

N_HEADS, N_QUERIES, N_KEYS, D_KEY, D_VALUE = 3, 5, 7, 2, 11
ROW = max(N_KEYS, D_KEY, D_VALUE)  # what one query needs
SIZES = [1, ROW, 2 * ROW, 4 * ROW, N_QUERIES * ROW, 2 * N_QUERIES * ROW, 2**20]


@pytest.fixture(params=SIZES)
def size(request, monkeypatch):
    monkeypatch.setattr(_blocks, "BLOCK", request.param)
    return request.param


@pytest.fixture
def rng():
    return np.random.default_rng(11)


def peak_of(call):
    """Return the most bytes that call holds at one time, beyond what is held before it."""
    tracemalloc.start()
    call()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


@pytest.mark.parametrize("leading", [(), (N_HEADS,), (2, N_HEADS)])
def test_blocks_are_views_that_hold_every_row_once(leading, size):
    output = np.zeros((*leading, N_QUERIES, D_VALUE))
    shapes = (N_QUERIES, D_KEY), (N_KEYS, D_KEY), (N_KEYS, D_VALUE), (N_QUERIES, N_KEYS)
    arrays = [np.zeros(leading + shape) for shape in shapes]
    query, key, value, mask = arrays
    found = list(_blocks.blocks(query, key, value, mask, None))
    for place, asked, *keys, shown, none in found:
        block = output[place]
        block += 1
        assert block.size <= max(size, D_VALUE)
        assert none is None
        cut, n_queries = [asked, *keys, shown], block.shape[-2]
        assert [x.shape[-2] for x in cut] == [n_queries, N_KEYS, N_KEYS, n_queries]
        assert {x.shape[:-2] for x in cut} == {block.shape[:-2]}
        assert all(np.shares_memory(x, whole) for x, whole in zip(cut, arrays, strict=True))
    np.testing.assert_array_equal(output, 1)
    assert (len(found) == 1) == (output.size <= size)


@pytest.mark.parametrize("scale", [None, 0.3])
@pytest.mark.parametrize("biased", [False, True])
@pytest.mark.parametrize("masked", [False, True])
def test_attention_is_its_weights_times_value(rng, size, masked, biased, scale):
    query = rng.standard_normal((2, 1, N_QUERIES, D_KEY))
    key = rng.standard_normal((N_HEADS, N_KEYS, D_KEY))
    value = rng.standard_normal((2, 1, N_KEYS, D_VALUE))
    mask = rng.random((N_HEADS, N_QUERIES, N_KEYS)) < 0.6 if masked else None
    bias = rng.standard_normal((2, 1, N_QUERIES, N_KEYS)) if biased else None
    options = {"mask": mask, "bias": bias, "scale": scale}
    output = attention(query, key, value, **options)
    expected = attention_weights(query, key, **options) @ value
    np.testing.assert_allclose(output, expected, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_values_that_are_not_finite_reach_the_same_places(rng, size, bad):
    shapes = (N_QUERIES, D_KEY), (N_KEYS, D_KEY), (N_KEYS, D_VALUE)
    query, key, value = (rng.standard_normal(shape) for shape in shapes)
    mask = causal_mask(N_QUERIES, N_KEYS)
    expected = attention(query, key, value, mask=mask)
    value[2, 3] = bad
    expected[2:, 3] = bad  # the queries that may look at key 2
    output = attention(query, key, value, mask=mask)
    np.testing.assert_allclose(output, expected, rtol=1e-12, atol=1e-15)


def test_memory_grows_with_n_keys_not_with_the_product(rng):
    n = 4096
    query, key, value = (rng.standard_normal((n, 8), dtype=np.float32) for _ in range(3))
    mask = causal_mask(1, n, offset=n)
    attention(query[:2], key, value)  # warm up
    peak = peak_of(lambda: attention(query, key, value, mask=mask))
    assert peak < 0.25 * n * n * 4  # all scores at once would be n * n floats of 4 bytes


@pytest.mark.parametrize("hole", [0.0, np.nan])
def test_memory_does_not_grow_with_a_batch_that_shares_its_keys(rng, hole):
    n, d = 512, 64
    query = rng.standard_normal((4 * n, 1, d), dtype=np.float32)
    key = rng.standard_normal((n, d), dtype=np.float32)
    value = key + np.float32(hole)
    attention(query[:2], key, value)  # warm up
    peak = peak_of(lambda: attention(query, key, value))
    assert peak < 4 * 8 * _blocks.BLOCK  # n * d for each query would be eight times as many bytes


def test_memory_does_not_grow_with_n_queries(rng):
    query = rng.standard_normal((2**18, 32), dtype=np.float32)
    key = rng.standard_normal((3, 32), dtype=np.float32)
    attention(query[:2], key, key[:, :1])  # warm up
    peak = peak_of(lambda: attention(query, key, key[:, :1]))
    assert peak < 0.25 * query.nbytes  # a scaled copy of all queries would be as large as they are
