"""The gradients against differences of losses, and the contract of the core for them."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnlib import (
    _blocks,
    attention,
    attention_backward,
    attention_weights,
    causal_mask,
    softmax,
    softmax_backward,
)
from tests.test_blocks import peak_of

N_HEADS, N_QUERIES, N_KEYS, D_KEY, D_VALUE = 3, 5, 7, 2, 11
NAN, INF = np.nan, np.inf


@pytest.fixture
def rng():
    return np.random.default_rng(3)


@pytest.fixture
def arrays(rng):
    """Return grad_output, query, key and value."""
    shapes = (N_QUERIES, D_VALUE), (N_QUERIES, D_KEY), (N_KEYS, D_KEY), (N_KEYS, D_VALUE)
    return [rng.standard_normal(shape) for shape in shapes]


def by_differences(loss, x, step=1e-6):
    """Return a gradient as the slope of the loss between two points, one number at a time."""
    grad = np.zeros_like(x)
    for place in np.ndindex(*x.shape):
        ahead, behind = x.copy(), x.copy()
        ahead[place] += step
        behind[place] -= step
        grad[place] = (loss(ahead) - loss(behind)) / (2 * step)
    return grad


def assert_are_slopes(grad_output, query, key, value, **options):
    inputs = [query, key, value]
    grads = attention_backward(grad_output, *inputs, **options)
    for i in range(3):

        def loss(x, i=i):
            changed = [x if k == i else inputs[k] for k in range(3)]
            return (attention(*changed, **options) * grad_output).sum()

        assert grads[i].shape == inputs[i].shape
        np.testing.assert_allclose(grads[i], by_differences(loss, inputs[i]), atol=1e-7)


# Slopes


@pytest.mark.parametrize("axis", [-1, 0, 1])
def test_softmax_backward_is_the_slope(rng, axis):
    scores, grad_weights = rng.standard_normal((2, 3, 5))
    weights = softmax(scores, axis=axis)
    expected = by_differences(lambda s: (softmax(s, axis=axis) * grad_weights).sum(), scores)
    found = softmax_backward(grad_weights, weights, axis=axis)
    np.testing.assert_allclose(found, expected, atol=1e-9)
    np.testing.assert_allclose(found.sum(axis=axis), 0, atol=1e-15)


def test_softmax_backward_is_the_jacobian_times_a_vector(rng):
    grad_weights, weights = rng.standard_normal(5), softmax(rng.standard_normal(5))
    jacobian = np.diag(weights) - np.outer(weights, weights)
    found = softmax_backward(grad_weights, weights)
    np.testing.assert_allclose(found, jacobian @ grad_weights, rtol=1e-12)


@pytest.mark.parametrize("scale", [2**-32, 2**32])
def test_scales_at_both_ends_have_their_slopes(arrays, scale):
    """Scores of a query that is so much longer or shorter are the same, and so are its slopes."""
    grad_output, query, key, value = arrays
    grads = attention_backward(grad_output, query / scale, key, value, scale=scale)
    by_query, by_key, by_value = attention_backward(*arrays, scale=1)
    for grad, expected in zip(grads, (by_query * scale, by_key, by_value), strict=True):
        np.testing.assert_allclose(grad, expected, rtol=1e-12)


@pytest.mark.parametrize("scale", [None, 0.3])
@pytest.mark.parametrize("options", [(), ("mask",), ("bias",), ("mask", "bias")])
def test_attention_backward_is_the_slope(arrays, rng, options, scale):
    given = {
        "mask": rng.random((N_QUERIES, N_KEYS)) < 0.6,
        "bias": rng.standard_normal((N_QUERIES, N_KEYS)),
    }
    assert_are_slopes(*arrays, **{name: given[name] for name in options}, scale=scale)


@settings(max_examples=30)
@given(st.data())
def test_it_is_the_slope_whatever_axes_are_broadcast(data):
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    leading = st.sampled_from([(), (1,), (N_HEADS,), (2, 1), (1, N_HEADS), (2, N_HEADS)])
    of_query, of_key, of_value, of_mask = (data.draw(leading) for _ in range(4))
    whole = np.broadcast_shapes(of_query, of_key, of_value)
    query = rng.standard_normal((*of_query, 2, D_KEY))
    key = rng.standard_normal((*of_key, 3, D_KEY))
    value = rng.standard_normal((*of_value, 3, 2))
    try:
        mask = np.broadcast_to(rng.random((*of_mask, 2, 3)) < 0.6, (*whole, 2, 3))
    except ValueError:
        mask = None
    assert_are_slopes(rng.standard_normal((*whole, 2, 2)), query, key, value, mask=mask)


def test_by_hand():
    """Two keys, weights of a half: the value 5 is 1 above the mean 4, and the value 3 below."""
    grads = attention_backward([[1.0]], [[2.0]], [[0.0], [0.0]], [[3.0], [5.0]])
    for grad, expected in zip(grads, ([[0.0]], [[-1.0], [1.0]], [[0.5], [0.5]]), strict=True):
        np.testing.assert_allclose(grad, expected)


def test_heads_are_leading_axes(rng):
    grad_output, query, key, value = rng.standard_normal((4, N_HEADS, N_KEYS, D_KEY))
    whole = attention_backward(grad_output, query, key, value)
    for h in range(N_HEADS):
        alone = attention_backward(grad_output[h], query[h], key[h], value[h])
        for grad, of_head in zip(whole, alone, strict=True):
            np.testing.assert_allclose(grad[h], of_head, rtol=1e-12, atol=1e-15)


# The contract


@pytest.mark.parametrize("garbage", [NAN, INF, -INF, 1e300])
@pytest.mark.parametrize("size", [1, 2**20])
def test_what_is_hidden_has_gradient_0_and_no_influence(arrays, rng, garbage, size, monkeypatch):
    monkeypatch.setattr(_blocks, "BLOCK", size)
    grad_output, query, key, value = arrays
    mask, bias = np.ones((N_QUERIES, N_KEYS), bool), rng.standard_normal((N_QUERIES, N_KEYS))
    mask[:, 4], mask[2] = False, False
    expected = attention_backward(*arrays, mask=mask, bias=bias)
    assert not expected[1][4].any()
    assert not expected[2][4].any()
    assert not expected[0][2].any()
    assert all(grad.any() for grad in expected)
    query[2], key[4], value[4] = garbage, garbage, garbage
    bias[:, 4], bias[2], grad_output[2] = garbage, garbage, garbage
    for grad, before in zip(
        attention_backward(*arrays, mask=mask, bias=bias), expected, strict=True
    ):
        np.testing.assert_array_equal(grad, before)


def test_a_key_hidden_from_some_queries_learns_nothing_from_those(arrays):
    mask = causal_mask(N_QUERIES, N_KEYS)
    expected = attention_backward(*arrays, mask=mask)
    arrays[1][0, 0] = NAN  # of the first query, which looks at the first key alone
    for grad, before in zip(attention_backward(*arrays, mask=mask), expected, strict=True):
        assert np.isnan(grad[0]).all()
        np.testing.assert_array_equal(grad[1:], before[1:])


@pytest.mark.parametrize("garbage", [NAN, INF])
def test_a_value_hidden_from_a_query_learns_nothing_from_its_loss(arrays, garbage):
    mask = causal_mask(N_QUERIES, N_KEYS)
    expected = attention_backward(*arrays, mask=mask)[2]
    arrays[0][0] = garbage  # at the first query, which looks at the first key alone
    grad_value = attention_backward(*arrays, mask=mask)[2]
    assert not np.isfinite(grad_value[0]).any()
    np.testing.assert_array_equal(grad_value[1:], expected[1:])


def test_scores_of_minus_infinity_have_no_gradient(arrays):
    bias = np.zeros((N_QUERIES, N_KEYS))
    bias[1] = bias[:, 3] = -INF
    grad_query, grad_key, grad_value = attention_backward(*arrays, bias=bias)
    assert not grad_query[1].any()
    assert not grad_key[3].any()
    assert not grad_value[3].any()
    assert all(np.isfinite(grad).all() for grad in (grad_query, grad_key, grad_value))


@pytest.mark.parametrize("size", [1, 2**20])
def test_a_query_whose_weights_are_all_0_adds_nothing_to_any_key(arrays, size, monkeypatch):
    """Whatever it holds, and whether or not its block has queries that look at something."""
    monkeypatch.setattr(_blocks, "BLOCK", size)
    grad_output, query, key, value = arrays
    key, bias = abs(key), np.zeros((N_QUERIES, 1))
    bias[2] = -INF
    expected = attention_backward(grad_output, query, key, value, bias=bias)
    query[2], grad_output[2] = -INF, INF  # the one spoils gradients of keys, the other of values
    for grad, before in zip(
        attention_backward(grad_output, query, key, value, bias=bias), expected, strict=True
    ):
        np.testing.assert_array_equal(grad, before)


def test_scores_of_any_size_give_finite_gradients(arrays):
    grad_output, query, key, value = arrays
    grads = attention_backward(grad_output, query * 1e150, key * 1e150, value)
    assert all(np.isfinite(grad).all() for grad in grads)


def test_an_infinite_value_that_is_seen_reaches_those_who_see_it(arrays):
    mask = causal_mask(N_QUERIES, N_KEYS)
    arrays[-1][4, 0] = INF  # of a value that only the last query sees
    grad_query, grad_key, _ = attention_backward(*arrays, mask=mask)
    assert np.isfinite(grad_query[:4]).all()
    assert np.isnan(grad_query[4]).all()
    assert not grad_key[5:].any()


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_the_dtype_is_that_of_attention(arrays, dtype):
    grads = attention_backward(*(x.astype(dtype) for x in arrays))
    assert {grad.dtype for grad in grads} == {np.dtype(dtype)}
    close = {np.float16: 0.02, np.float32: 1e-5, np.float64: 1e-12}[dtype]
    for grad, expected in zip(grads, attention_backward(*arrays), strict=True):
        np.testing.assert_allclose(grad, expected, atol=close)


def test_the_dtype_of_grad_output_does_not_decide(arrays):
    grad_output, *inputs = arrays
    grads = attention_backward(grad_output, *(x.astype(np.float32) for x in inputs))
    assert {grad.dtype for grad in grads} == {np.dtype(np.float32)}


def test_a_gradient_too_large_for_the_dtype_of_inputs_is_infinite_where_it_is_seen(arrays):
    """No warning tells it: 1e300 has no place in float32, and what is hidden has no influence."""
    grad_output, *inputs = arrays[0], *(x.astype(np.float32) for x in arrays[1:])
    grad_output[2, 3] = 1e300
    assert np.isinf(attention_backward(grad_output, *inputs)[2][:, 3]).all()
    mask = np.ones((N_QUERIES, N_KEYS), bool)
    mask[2] = False
    hidden = attention_backward(grad_output, *inputs, mask=mask)
    grad_output[2, 3] = 0
    for grad, expected in zip(
        hidden, attention_backward(grad_output, *inputs, mask=mask), strict=True
    ):
        np.testing.assert_array_equal(grad, expected)


def test_lists_and_integers_are_accepted():
    grads = attention_backward([[1]], [[0]], [[1], [2]], [[3], [5]])
    assert [grad.tolist() for grad in grads] == [[[0.5]], [[0.0], [0.0]], [[0.5], [0.5]]]
    np.testing.assert_array_equal(softmax_backward([1, 0], [1, 0]), [0.0, 0.0])


def test_inputs_are_never_changed(arrays, rng):
    mask, bias = rng.random((N_QUERIES, N_KEYS)) < 0.6, rng.standard_normal((N_QUERIES, N_KEYS))
    before = [x.copy() for x in (*arrays, mask, bias)]
    attention_backward(*arrays, mask=mask, bias=bias)
    weights = attention_weights(*arrays[1:3])
    softmax_backward(weights, weights)
    for x, kept in zip((*arrays, mask, bias), before, strict=True):
        np.testing.assert_array_equal(x, kept)


def test_empty_inputs_have_empty_gradients(arrays):
    grad_output, query, key, value = arrays
    shapes = [x.shape for x in attention_backward(grad_output[:0], query[:0], key, value)]
    assert shapes == [(0, D_KEY), (N_KEYS, D_KEY), (N_KEYS, D_VALUE)]
    grads = attention_backward(np.zeros_like(grad_output), query, key[:0], value[:0])
    assert not grads[0].any()
    assert [x.shape for x in grads[1:]] == [(0, D_KEY), (0, D_VALUE)]
    batch = [x[None][:0] for x in arrays]
    assert [len(x) for x in attention_backward(*batch)] == [0, 0, 0]
    assert softmax_backward(np.zeros((0, 3)), np.zeros((0, 3))).shape == (0, 3)


@pytest.mark.parametrize("size", [1, 30, 100])
def test_block_by_block_the_gradients_are_the_same(arrays, size, monkeypatch):
    stacked = [np.stack([x, -x, 2 * x]) for x in arrays]
    whole = attention_backward(*stacked, mask=causal_mask(N_QUERIES, N_KEYS))
    monkeypatch.setattr(_blocks, "BLOCK", size)
    cut = attention_backward(*stacked, mask=causal_mask(N_QUERIES, N_KEYS))
    for grad, expected in zip(cut, whole, strict=True):
        np.testing.assert_allclose(grad, expected, rtol=1e-12, atol=1e-14)


def test_memory_grows_with_the_keys_and_not_with_the_queries(rng):
    key, value = rng.standard_normal((2, 512, 4))
    held = {}
    for n in (2**12, 2**14):
        query, grad_output = rng.standard_normal((2, n, 4))
        own = 2 * (query.nbytes + key.nbytes + value.nbytes)  # the gradients, and once more
        held[n] = peak_of(lambda q=query, g=grad_output: attention_backward(g, q, key, value)) - own
    assert held[2**14] < 1.5 * held[2**12]


# Bad input


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"grad_output": np.zeros((N_QUERIES, D_KEY))},
            "grad_output must have the shape of the output: grad_output is (5, 2), and "
            "(5, 2) != (5, 11).",
        ),
        (
            {"scale": 1e39},
            "scale must be from 2**-32 to 2**32: scale is 1e+39, and 1e+39 > 2**32.",
        ),
        (
            {"scale": 1e-45},
            "scale must be from 2**-32 to 2**32: scale is 1e-45, and 1e-45 < 2**-32.",
        ),
        (
            {"key": np.zeros((N_KEYS, 3))},
            "query and key must share d_key, their last axis: query is (5, 2), key is (7, 3), and "
            "2 != 3.",
        ),
    ],
)
def test_bad_input_is_told_in_three_parts(arrays, change, message):
    given = dict(zip(("grad_output", "query", "key", "value"), arrays, strict=True)) | change
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        attention_backward(**given)


def test_bad_weights_are_told_in_three_parts():
    message = "grad_weights is (2, 3), weights is (3,), and (2, 3) != (3,)."
    with pytest.raises(ValueError, match=f": {re.escape(message)}$"):
        softmax_backward(np.zeros((2, 3)), np.zeros(3))
    with pytest.raises(ValueError, match="axis must be one of the axes of weights"):
        softmax_backward(np.zeros(3), np.zeros(3), axis=1)
    with pytest.raises(TypeError, match="grad_output must hold floats"):
        attention_backward([["a"]], [[1.0]], [[1.0]], [[1.0]])
