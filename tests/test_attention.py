"""The contract of attention, line by line; sizes are distinct primes."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from attnlib import _blocks, attention, attention_scores, attention_weights, causal_mask
from tests.loops import attention_by_loops
from tests.refusals import answer_to, refused

N_QUERIES, N_KEYS, D_KEY, D_VALUE, BATCH = 3, 5, 7, 11, 2
NAN, INF = np.nan, np.inf


@pytest.fixture
def rng():
    return np.random.default_rng(7)


@pytest.fixture
def qkv(rng):
    shapes = (N_QUERIES, D_KEY), (N_KEYS, D_KEY), (N_KEYS, D_VALUE)
    return tuple(rng.standard_normal(shape) for shape in shapes)


# What it computes


def test_equals_the_loops(qkv):
    weights, output = attention_by_loops(*qkv)
    np.testing.assert_allclose(attention(*qkv), output, rtol=1e-12)
    np.testing.assert_allclose(attention_weights(*qkv[:2]), weights, rtol=1e-12)


def test_equals_the_loops_with_mask_bias_and_scale(qkv, rng):
    mask = rng.random((N_QUERIES, N_KEYS)) < 0.6
    bias = rng.standard_normal((N_QUERIES, N_KEYS))
    weights, output = attention_by_loops(*qkv, mask=mask, bias=bias, scale=0.3)
    options = {"mask": mask, "bias": bias, "scale": 0.3}
    np.testing.assert_allclose(attention(*qkv, **options), output, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(attention_weights(*qkv[:2], **options), weights, rtol=1e-12)


def test_scores_are_divided_by_the_square_root_of_d_key():
    ones = np.ones((1, 4))
    assert attention_scores(ones, ones) == 2.0
    assert attention_scores(ones, ones, scale=1) == 4.0


@pytest.mark.parametrize("scale", [2**-32, 2**32])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_scales_at_both_ends_are_exact(dtype, scale):
    query, key = np.array([[1.5, 2.0]], dtype), np.array([[0.5, 0.25]], dtype)
    assert attention_scores(query, key, scale=scale) == 1.25 * scale


def test_weights_of_a_case_computed_by_hand():
    weights = attention_weights([[1.0]], [[0.0], [np.log(3)]])
    np.testing.assert_allclose(weights, [[0.25, 0.75]], rtol=1e-15)


def test_the_bias_is_added_after_the_scale():
    weights = attention_weights([[0.0] * 4], [[0.0] * 4] * 2, bias=[[0.0, np.log(3)]])
    np.testing.assert_allclose(weights, [[0.25, 0.75]], rtol=1e-15)


def test_leading_axes_broadcast(rng):
    query = rng.standard_normal((BATCH, 1, N_QUERIES, D_KEY))
    key = rng.standard_normal((13, N_KEYS, D_KEY))
    value = rng.standard_normal((BATCH, 1, N_KEYS, D_VALUE))
    mask = rng.random((13, 1, N_KEYS)) < 0.7
    output = attention(query, key, value, mask=mask)
    weights = attention_weights(query, key, mask=mask)
    assert output.shape == (BATCH, 13, N_QUERIES, D_VALUE)
    assert weights.shape == (BATCH, 13, N_QUERIES, N_KEYS)
    for b in range(BATCH):
        for h in range(13):
            rows = np.broadcast_to(mask[h], (N_QUERIES, N_KEYS))
            one = attention_by_loops(query[b, 0], key[h], value[b, 0], mask=rows)
            np.testing.assert_allclose(weights[b, h], one[0], rtol=1e-12)
            np.testing.assert_allclose(output[b, h], one[1], rtol=1e-12, atol=1e-15)


@given(st.data())
def test_equals_the_loops_on_any_shape_mask_and_bias(data):
    n_queries, n_keys = data.draw(st.integers(0, 4)), data.draw(st.integers(0, 5))
    d_key, d_value = data.draw(st.integers(1, 3)), data.draw(st.integers(0, 3))
    floats = st.floats(-30, 30, width=16)
    shapes = (n_queries, d_key), (n_keys, d_key), (n_keys, d_value)
    qkv = [data.draw(hnp.arrays(np.float64, shape, elements=floats)) for shape in shapes]
    mask = data.draw(hnp.arrays(bool, (n_queries, n_keys)))
    biases = st.one_of(floats, st.just(-INF))
    bias = data.draw(hnp.arrays(np.float64, (n_queries, n_keys), elements=biases))
    weights, output = attention_by_loops(*qkv, mask=mask, bias=bias)
    close = {"rtol": 1e-9, "atol": 1e-9}
    np.testing.assert_allclose(attention(*qkv, mask=mask, bias=bias), output, **close)
    np.testing.assert_allclose(attention_weights(*qkv[:2], mask=mask, bias=bias), weights, **close)


# Contract: dtypes


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_float32_and_float64_keep_their_dtype(qkv, dtype):
    query, key, value = (x.astype(dtype) for x in qkv)
    assert attention(query, key, value).dtype == dtype
    assert attention_weights(query, key).dtype == dtype
    assert attention_scores(query, key).dtype == dtype


def test_float16_is_computed_in_float32_and_comes_back_but_for_scores():
    query, key = np.full((1, 4), 300, np.float16), np.full((3, 4), 300, np.float16)
    value = np.arange(6, dtype=np.float16).reshape(3, 2)
    assert attention_scores(query, key).dtype == np.float32
    np.testing.assert_array_equal(attention_scores(query, key), 180_000)  # float16 ends at 65,504
    assert attention_weights(query, key).dtype == np.float16
    output = attention(query, key, value)
    assert output.dtype == np.float16
    np.testing.assert_array_equal(output, [[2, 3]])


@pytest.mark.parametrize("dtype", [np.int64, np.uint8, bool])
def test_integers_and_bools_become_float64(qkv, dtype):
    query, key, value = (np.round(np.abs(x)).astype(dtype) for x in qkv)
    output = attention(query, key, value)
    assert output.dtype == np.float64
    floats = (x.astype(float) for x in (query, key, value))
    np.testing.assert_array_equal(output, attention(*floats))
    assert output.any()


def test_mixed_dtypes_are_promoted_as_numpy_does(qkv):
    query, key, value = qkv
    half, single = np.float16, np.float32
    assert attention(query.astype(half), key.astype(half), value.astype(single)).dtype == single
    assert attention(query.astype(single), key.astype(single), value).dtype == np.float64
    assert attention_weights(query.astype(half), key.astype(single)).dtype == single


def test_a_bias_does_not_decide_the_dtype(qkv):
    query, key, value = (x.astype(np.float32) for x in qkv)
    bias = np.linspace(-1, 1, N_QUERIES * N_KEYS).reshape(N_QUERIES, N_KEYS)
    output, weights = (
        attention(query, key, value, bias=bias),
        attention_weights(query, key, bias=bias),
    )
    assert (output.dtype, weights.dtype) == (np.float32, np.float32)
    np.testing.assert_allclose(output, attention(*qkv, bias=bias.tolist()), rtol=1e-4, atol=1e-5)


def test_big_endian_arrays_are_accepted(qkv):
    swapped = (x.astype(">f8") for x in qkv)
    np.testing.assert_array_equal(attention(*swapped), attention(*qkv))


def test_lists_are_accepted(qkv):
    np.testing.assert_array_equal(attention(*(x.tolist() for x in qkv)), attention(*qkv))
    mask = causal_mask(N_QUERIES, N_KEYS)
    np.testing.assert_array_equal(attention(*qkv, mask=mask.tolist()), attention(*qkv, mask=mask))


def test_inputs_are_never_changed(qkv, rng):
    mask, bias = rng.random((N_QUERIES, N_KEYS)) < 0.5, rng.standard_normal((N_QUERIES, N_KEYS))
    inputs = [*qkv, mask, bias]
    copies = [x.copy() for x in inputs]
    for x in inputs:
        x.flags.writeable = False
    attention(*qkv, mask=mask, bias=bias)
    attention_weights(*qkv[:2], mask=mask, bias=bias)
    attention_scores(*qkv[:2])
    for x, copy in zip(inputs, copies, strict=True):
        np.testing.assert_array_equal(x, copy)


# Contract: hidden means that mask is False


@pytest.mark.parametrize("shape", [(), (N_KEYS,), (N_QUERIES, 1), (1, N_KEYS)])
def test_a_mask_broadcasts_to_the_scores(qkv, rng, shape):
    mask = np.asarray(rng.random(shape) < 0.5)
    full = np.broadcast_to(mask, (N_QUERIES, N_KEYS))
    np.testing.assert_array_equal(attention(*qkv, mask=mask), attention(*qkv, mask=full))


def test_a_bias_of_minus_infinity_only_makes_a_score_of_minus_infinity(qkv):
    query, key, _ = qkv
    bias = np.zeros((N_QUERIES, N_KEYS))
    bias[:, 1] = -INF
    hidden = attention(*qkv, mask=bias == 0)
    np.testing.assert_array_equal(attention(*qkv, bias=bias), hidden)
    key[1] = NAN  # visible, so NaN + -inf is NaN
    assert np.isnan(attention_weights(query, key, bias=bias)).all()


def test_a_query_whose_keys_are_all_hidden_gets_zeros(qkv):
    mask = np.ones((N_QUERIES, N_KEYS), bool)
    mask[1] = False
    weights, output = attention_weights(*qkv[:2], mask=mask), attention(*qkv, mask=mask)
    assert not weights[1].any()
    assert not output[1].any()
    np.testing.assert_allclose(weights.sum(axis=-1), [1, 0, 1])


def test_a_query_whose_scores_are_all_minus_infinity_gets_zeros(qkv):
    bias = np.zeros((N_QUERIES, N_KEYS))
    bias[1] = -INF
    qkv[2][0] = NAN  # such a query looks at nothing: no 0 * NaN
    weights, output = attention_weights(*qkv[:2], bias=bias), attention(*qkv, bias=bias)
    assert not weights[1].any()
    assert not output[1].any()
    assert np.isnan(output[[0, 2]]).all()


def test_no_keys_at_all_give_zeros(qkv):
    query, key, value = qkv
    assert attention_weights(query, key[:0]).shape == (N_QUERIES, 0)
    np.testing.assert_array_equal(
        attention(query, key[:0], value[:0]), np.zeros((N_QUERIES, D_VALUE))
    )


def test_empty_batches_and_queries_give_empty_results(qkv):
    query, key, value = qkv
    assert attention(query[:0], key, value).shape == (0, D_VALUE)
    assert attention_weights(query[:0], key).shape == (0, N_KEYS)
    empty = np.empty((0, N_QUERIES, D_KEY))
    assert attention(empty, key, value).shape == (0, N_QUERIES, D_VALUE)
    assert attention(query, key, value[:, :0]).shape == (N_QUERIES, 0)


# Contract: what a query may not look at cannot influence it, whatever it holds

GARBAGE = [NAN, INF, -INF, 1e308, -1e308]


@pytest.mark.parametrize("blocks", ["whole", "cut"])
@pytest.mark.parametrize("garbage", GARBAGE)
def test_hidden_keys_values_and_biases_have_no_influence(qkv, rng, garbage, blocks, monkeypatch):
    if blocks == "cut":
        monkeypatch.setattr(_blocks, "BLOCK", 1)
    query, key, value = qkv
    mask = rng.random((N_QUERIES, N_KEYS)) < 0.6
    mask[:, 3] = False  # hidden from every query: key and value may hold anything
    bias = rng.standard_normal((N_QUERIES, N_KEYS))
    expected = attention(query, key, value, mask=mask, bias=bias)
    weights = attention_weights(query, key, mask=mask, bias=bias)
    key, value, bias = key.copy(), value.copy(), np.where(mask, bias, garbage)
    key[3] = value[3] = garbage
    np.testing.assert_array_equal(attention(query, key, value, mask=mask, bias=bias), expected)
    np.testing.assert_array_equal(attention_weights(query, key, mask=mask, bias=bias), weights)


@pytest.mark.parametrize("garbage", GARBAGE)
def test_a_key_hidden_from_some_queries_does_not_reach_those(qkv, garbage):
    query, key, value = qkv
    mask = np.ones((N_QUERIES, N_KEYS), bool)
    mask[[0, 2], 3] = False
    expected = attention(query, key, value, mask=mask)
    key[3] = value[3] = garbage
    output = attention(query, key, value, mask=mask)
    np.testing.assert_array_equal(output[[0, 2]], expected[[0, 2]])
    assert not np.allclose(output[1], expected[1])


@pytest.mark.parametrize("lowest", [-1e6, -1e12, -1e300])
def test_hidden_keys_get_nothing_however_low_the_visible_scores_are(lowest):
    bias, mask = [[lowest, lowest, 0.0]], [[True, True, False]]
    weights = attention_weights([[0.0]], [[0.0]] * 3, mask=mask, bias=bias)
    np.testing.assert_array_equal(weights, [[0.5, 0.5, 0]])


@given(st.data())
def test_hidden_garbage_under_any_partial_mask(data):
    n_queries, n_keys, d = 3, 4, 2
    floats = st.floats(-9, 9, width=16)
    anything = st.one_of(floats, st.sampled_from([NAN, INF, -INF]))
    query = data.draw(hnp.arrays(np.float64, (n_queries, d), elements=floats))
    key = data.draw(hnp.arrays(np.float64, (n_keys, d), elements=anything))
    value = data.draw(hnp.arrays(np.float64, (n_keys, d), elements=anything))
    bias = data.draw(hnp.arrays(np.float64, (n_queries, n_keys), elements=anything))
    mask = data.draw(hnp.arrays(bool, (n_queries, n_keys)))
    output = attention(query, key, value, mask=mask, bias=bias)
    weights = attention_weights(query, key, mask=mask, bias=bias)
    assert not weights[~mask].any()
    for i in range(n_queries):  # each query alone, with all that it may not look at replaced by 0
        seen = mask[i]
        clean_key, clean_value = (np.where(seen[:, None], x, 0.0) for x in (key, value))
        clean_bias = np.where(seen, bias[i], 0.0)
        alone = attention(
            query[i : i + 1], clean_key, clean_value, mask=seen[None], bias=clean_bias[None]
        )
        np.testing.assert_allclose(output[i], alone[0], rtol=1e-12)


# Contract: what it may look at acts as IEEE arithmetic says


@pytest.mark.parametrize("value_of_score", [NAN, INF])
def test_a_visible_score_of_nan_or_inf_makes_that_querys_visible_weights_nan(qkv, value_of_score):
    bias = np.zeros((N_QUERIES, N_KEYS))
    bias[1, 2] = value_of_score
    mask = np.ones((N_QUERIES, N_KEYS), bool)
    mask[:, 4] = False
    weights = attention_weights(*qkv[:2], mask=mask, bias=bias)
    assert np.isnan(weights[1, :4]).all()
    assert not weights[:, 4].any()
    np.testing.assert_array_equal(weights[[0, 2]], attention_weights(*qkv[:2], mask=mask)[[0, 2]])
    output = attention(*qkv, mask=mask, bias=bias)
    assert np.isnan(output[1]).all()
    assert np.isfinite(output[[0, 2]]).all()


@pytest.mark.parametrize("bad", [NAN, INF, -INF])
def test_a_visible_value_that_is_not_finite_reaches_only_its_own_feature(qkv, bad):
    value = qkv[2]
    mask = np.ones((N_QUERIES, N_KEYS), bool)
    mask[2, 3] = False
    expected = attention(*qkv, mask=mask)
    value[3, 5] = bad
    expected[:2, 5] = bad
    np.testing.assert_allclose(attention(*qkv, mask=mask), expected, rtol=1e-12)


def test_infinite_values_of_both_signs_and_weights_of_zero_give_nan():
    query, key = np.zeros((1, 1)), np.zeros((3, 1))
    value = np.array([[INF, 0.0, INF], [-INF, 0.0, INF], [0.0, INF, 1.0]])
    np.testing.assert_array_equal(attention(query, key, value), [[NAN, INF, INF]])
    bias = np.array([[0.0, 0.0, -INF]])  # visible, weight 0: 0 * inf is NaN
    np.testing.assert_array_equal(attention(query, key, value, bias=bias), [[NAN, NAN, INF]])


def test_a_query_of_nan_spoils_no_other(qkv):
    query, key, value = qkv
    expected = attention(query, key, value)
    query[1] = NAN
    output = attention(query, key, value)
    assert np.isnan(output[1]).all()
    np.testing.assert_array_equal(output[[0, 2]], expected[[0, 2]])


@pytest.mark.parametrize("size", [1e3, 1e30, 1e150])
def test_finite_scores_of_any_size_give_finite_weights(qkv, size):
    query, key, value = qkv
    weights = attention_weights(query * size, key * size)
    np.testing.assert_allclose(weights.sum(axis=-1), 1)
    assert np.isfinite(attention(query * size, key * size, value)).all()
    bias = np.where(np.arange(N_KEYS) % 2, 1.7e308, -1.7e308)
    assert np.isfinite(attention_weights(query, key, bias=bias)).all()


def test_a_weighted_mean_of_the_largest_floats_is_finite():
    largest = np.finfo(np.float64).max
    output = attention(np.zeros((1, 1)), np.zeros((2, 1)), np.full((2, 1), largest))
    assert output == largest


# Bad input, in three parts


@refused("""
attention(key=np.ones((5, 11)))
    ValueError: query and key must share d_key, their last axis:
    query is (3, 7), key is (5, 11), and 7 != 11.
attention(value=np.ones((3, 11)))
    ValueError: key and value must share n_keys, their second-last axis:
    key is (5, 7), value is (3, 11), and 5 != 3.
attention(query=np.ones(7))
    ValueError: query needs at least 2 axes, (..., n_queries, d_key): query is (7,), and 1 < 2.
attention(value=np.ones(5))
    ValueError: value needs at least 2 axes, (..., n_keys, d_value): value is (5,), and 1 < 2.
attention(query=np.ones((2, 3, 7)), key=np.ones((4, 5, 7)))
    ValueError: the leading axes of query, key and value must broadcast:
    query is (2, 3, 7), key is (4, 5, 7), value is (5, 11), and (2,), (4,) and () do not.
attention(mask=np.ones((4, 5), bool))
    ValueError: mask must broadcast to the scores, (..., n_queries, n_keys):
    mask is (4, 5), the shape of the scores is (3, 5), and 4 != 3.
attention(mask=np.ones((2, 3, 5), bool))
    ValueError: mask must broadcast to the scores, (..., n_queries, n_keys):
    mask is (2, 3, 5), the shape of the scores is (3, 5), and 3 axes > 2.
attention(mask=np.ones((3, 5), int))
    TypeError: mask must be boolean, True where a query may look (numbers to add go into bias):
    mask is int64 (3, 5), and int64 is not bool.
attention(mask=np.zeros((3, 5)))
    TypeError: mask must be boolean, True where a query may look (numbers to add go into bias):
    mask is float64 (3, 5), and float64 is not bool.
attention(mask="causal")
    TypeError: mask must be boolean, True where a query may look (numbers to add go into bias):
    mask is 'causal', and str is not bool.
attention(bias=np.zeros((5, 3)))
    ValueError: bias must broadcast to the scores, (..., n_queries, n_keys):
    bias is (5, 3), the shape of the scores is (3, 5), and 3 != 5.
attention(bias=np.zeros((3, 5), complex))
    TypeError: bias must hold floats or integers to add to scores (True and False go into mask):
    bias is complex128 (3, 5), and complex128 is neither.
attention(bias=True)
    TypeError: bias must hold floats or integers to add to scores (True and False go into mask):
    bias is True, and bool is neither.
attention(bias=np.ones((3, 5), bool))
    TypeError: bias must hold floats or integers to add to scores (True and False go into mask):
    bias is bool (3, 5), and bool is neither.
attention(query=[[1.0, 2.0], [3.0]])
    ValueError: the rows of query must have one shape:
    query[0] is (2,), query[1] is (1,), and (2,) != (1,).
attention(key="cat")
    TypeError: key must hold floats (of 16, 32 or 64 bits), integers or bools:
    key is 'cat', and str is none of these.
attention(value=None)
    TypeError: value must hold floats (of 16, 32 or 64 bits), integers or bools:
    value is None, and NoneType is none of these.
attention(key=np.ma.ones((5, 7)))
    TypeError: key must be a plain array (fill a masked one; what to hide goes into mask):
    key is float64 (5, 7), and MaskedArray is not ndarray.
attention(mask=np.ma.ones((3, 5), bool))
    TypeError: mask must be a plain array (fill a masked one; what to hide goes into mask):
    mask is bool (3, 5), and MaskedArray is not ndarray.
attention(scale=0)
    ValueError: scale must be a positive, finite number: scale is 0.0, and 0.0 <= 0.
attention(scale=-0.5)
    ValueError: scale must be a positive, finite number: scale is -0.5, and -0.5 <= 0.
attention(scale=NAN)
    ValueError: scale must be a positive, finite number: scale is nan, and nan is not finite.
attention(scale=INF)
    ValueError: scale must be a positive, finite number: scale is inf, and inf is not finite.
attention(scale=10**400)
    ValueError: scale must be a positive, finite number: scale is inf, and inf is not finite.
attention(scale=-(10**400))
    ValueError: scale must be a positive, finite number: scale is -inf, and -inf <= 0.
attention(scale=1e39)
    ValueError: scale must be from 2**-32 to 2**32: scale is 1e+39, and 1e+39 > 2**32.
attention(scale=1e-45)
    ValueError: scale must be from 2**-32 to 2**32: scale is 1e-45, and 1e-45 < 2**-32.
attention(scale="small")
    TypeError: scale must be one positive number: scale is 'small', and str is no number.
attention(scale=np.ones(3))
    TypeError: scale must be one positive number: scale is float64 (3,), and ndarray is no number.
""")
def test_bad_input_is_told_in_three_parts(qkv, call, answer):
    arrays = dict(zip(("query", "key", "value"), qkv, strict=True))
    assert answer_to(call, globals() | {"attention": partial(attention, **arrays)}) == answer


def test_weights_and_scores_check_their_inputs_too(qkv):
    query, key, _ = qkv
    with pytest.raises(ValueError, match="share d_key"):
        attention_scores(query, key[:, :3])
    with pytest.raises(ValueError, match="share d_key"):
        attention_weights(query, key[:, :3])
    with pytest.raises(TypeError, match="bias"):
        attention_weights(query, key, mask=np.ones((N_QUERIES, N_KEYS)))
    with pytest.raises(ValueError, match="leading axes"):
        attention_scores(np.ones((2, 3, 7)), np.ones((4, 5, 7)))


@pytest.mark.parametrize("beyond", [np.nextafter(2.0**32, INF), np.nextafter(2.0**-32, 0)])
@pytest.mark.parametrize("function", [attention_scores, attention_weights, attention])
def test_the_next_scale_beyond_an_end_is_refused_everywhere(qkv, function, beyond):
    inputs = qkv if function is attention else qkv[:2]
    with pytest.raises(ValueError, match=r"^scale must be from 2\*\*-32 to "):
        function(*inputs, scale=beyond)


def test_options_are_keyword_only(qkv):
    with pytest.raises(TypeError, match="positional"):
        attention(*qkv, np.ones((N_QUERIES, N_KEYS), bool))
