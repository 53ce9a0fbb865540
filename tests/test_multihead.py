"""Multi-head attention against a loop over its heads; sizes are distinct primes."""

from functools import partial

import numpy as np
import pytest

from attnlib import (
    MultiHeadAttention,
    attention,
    causal_mask,
    merge_heads,
    padding_mask,
    split_heads,
)
from tests.loops import attention_by_loops
from tests.refusals import answer_to, refused

BATCH, N_QUERIES, N_KEYS = 2, 3, 5
N_HEADS, D_KEY, D_VALUE = 6, 7, 11  # six heads, so that two and three can share
D_MODEL, D_SOURCE, D_OUT = 13, 17, 19
NAN, INF = np.nan, np.inf
CLOSE = {"rtol": 1e-10, "atol": 1e-12}


@pytest.fixture
def rng():
    return np.random.default_rng(5)


@pytest.fixture
def layer(rng):
    return make_layer(rng)


@pytest.fixture
def x(rng):
    return rng.standard_normal((N_QUERIES, D_MODEL))


@pytest.fixture
def source(rng):
    return rng.standard_normal((N_KEYS, D_SOURCE))


def make_parts(rng, n_kv_heads=N_HEADS, d_source=D_SOURCE):
    """Return matrices and biases of a layer in which no two sizes agree."""
    shapes = {
        "query": (D_MODEL, N_HEADS * D_KEY),
        "key": (d_source, n_kv_heads * D_KEY),
        "value": (d_source, n_kv_heads * D_VALUE),
        "output": (N_HEADS * D_VALUE, D_OUT),
    }
    matrices = {f"w_{role}": rng.standard_normal(shape) / 4 for role, shape in shapes.items()}
    biases = {f"b_{role}": rng.standard_normal(shape[1]) for role, shape in shapes.items()}
    return matrices, biases


def make_layer(rng, n_kv_heads=N_HEADS, d_source=D_SOURCE):
    matrices, biases = make_parts(rng, n_kv_heads, d_source)
    return MultiHeadAttention(*matrices.values(), n_heads=N_HEADS, n_kv_heads=n_kv_heads, **biases)


def layer_by_loop(layer, x, source, mask=None, bias=None):
    """Weights (n_heads, n_queries, n_keys) and output (n_queries, d_out), one head at a time."""
    b = {role: getattr(layer, f"b_{role}") for role in ("query", "key", "value", "output")}
    b = {role: 0.0 if bias_ is None else bias_ for role, bias_ in b.items()}
    all_weights, heads = [], []
    for h in range(layer.n_heads):
        shared = h // (layer.n_heads // layer.n_kv_heads)
        keys = slice(shared * layer.d_key, (shared + 1) * layer.d_key)
        values = slice(shared * layer.d_value, (shared + 1) * layer.d_value)
        queries = slice(h * layer.d_key, (h + 1) * layer.d_key)
        weights, output = attention_by_loops(
            (x @ layer.w_query + b["query"])[:, queries],
            (source @ layer.w_key + b["key"])[:, keys],
            (source @ layer.w_value + b["value"])[:, values],
            mask=mask,
            bias=None if bias is None else bias[h],
        )
        all_weights.append(weights)
        heads.append(output)
    return np.stack(all_weights), np.concatenate(heads, axis=-1) @ layer.w_output + b["output"]


def equals_the_loop(layer, x, source, **options):
    """Hold weights and output of one sentence against the loop."""
    weights, output = layer_by_loop(layer, x, source, **options)
    np.testing.assert_allclose(layer.weights(x, source, **options), weights, **CLOSE)
    np.testing.assert_allclose(layer(x, source, **options), output, **CLOSE)


# Split and merge


def test_split_heads_cuts_contiguous_slices(rng):
    x = rng.standard_normal((BATCH, 3, 5, 7 * 2))
    heads = split_heads(x, 7)
    assert heads.shape == (BATCH, 3, 7, 5, 2)
    for h in range(7):
        np.testing.assert_array_equal(heads[:, :, h], x[..., 2 * h : 2 * (h + 1)])


def test_merge_heads_lays_heads_side_by_side(rng):
    heads = rng.standard_normal((BATCH, 7, 5, 3))
    x = merge_heads(heads)
    assert x.shape == (BATCH, 5, 21)
    np.testing.assert_array_equal(x, np.concatenate(list(np.moveaxis(heads, 1, 0)), axis=-1))


@pytest.mark.parametrize("leading", [(), (2,), (2, 3), (0,)])
@pytest.mark.parametrize("n_heads", [1, 2, 7, 14])
def test_split_and_merge_are_inverse(rng, leading, n_heads):
    x = rng.standard_normal((*leading, 5, 14))
    heads = split_heads(x, n_heads)
    np.testing.assert_array_equal(merge_heads(heads), x)
    np.testing.assert_array_equal(split_heads(merge_heads(heads), n_heads), heads)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int64, bool])
def test_split_and_merge_keep_floats_and_turn_integers_into_float64(dtype):
    x = np.arange(12).reshape(3, 4).astype(dtype)
    expected = dtype if np.issubdtype(dtype, np.floating) else np.float64
    assert split_heads(x, 2).dtype == merge_heads(split_heads(x, 2)).dtype == expected
    np.testing.assert_array_equal(split_heads(x.tolist(), 2), split_heads(x, 2))


def test_split_and_merge_return_arrays_of_their_own(rng):
    x = rng.standard_normal((3, 4))
    copy = x.copy()
    split_heads(x, 1)[...] = 0
    split_heads(x, 2)[...] = 0
    merge_heads(x[None])[...] = 0
    np.testing.assert_array_equal(x, copy)


# The layer


@pytest.mark.parametrize("n_kv_heads", [1, 2, 3, N_HEADS])  # fewer: some heads share them
def test_the_layer_equals_the_loop_over_heads(rng, x, source, n_kv_heads):
    layer = make_layer(rng, n_kv_heads)
    equals_the_loop(layer, x, source)
    assert layer(x, source).shape == (N_QUERIES, D_OUT)


def test_without_a_source_the_layer_attends_to_x_itself(rng, x):
    layer = make_layer(rng, d_source=D_MODEL)
    equals_the_loop(layer, x, x)
    np.testing.assert_array_equal(layer.weights(x), layer.weights(x, x))
    np.testing.assert_array_equal(layer(x), layer(x, x))


@pytest.mark.parametrize("role", [None, "query", "key", "value", "output"])
def test_each_bias_alone_is_added_to_every_row_and_none_where_there_is_none(rng, x, source, role):
    matrices, biases = make_parts(rng)
    layer = MultiHeadAttention(
        *matrices.values(), n_heads=N_HEADS, **{f"b_{role}": biases[f"b_{role}"]} if role else {}
    )
    for other in {"query", "key", "value", "output"} - {role}:
        assert getattr(layer, f"b_{other}") is None
    equals_the_loop(layer, x, source)


@pytest.mark.parametrize("values", [[1.0, 10.0], [7.0]])
def test_heads_next_to_each_other_share_key_and_value(values):
    # Each of the four heads is one feature wide; each key-value head has one number as its values.
    zeros, n = np.zeros((1, 4)), len(values)
    layer = MultiHeadAttention(zeros, zeros[:, :n], [values], np.eye(4), n_heads=4, n_kv_heads=n)
    np.testing.assert_array_equal(layer([[1.0]]), [np.repeat(values, 4 // n)])


def test_one_head_with_identities_is_plain_attention(rng):
    x, one = rng.standard_normal((N_QUERIES, D_KEY)), np.eye(D_KEY)
    layer = MultiHeadAttention(one, one, one, one, n_heads=1)
    np.testing.assert_allclose(layer(x), attention(x, x, x), rtol=1e-12)


def test_batches_broadcast(rng, layer):
    x = rng.standard_normal((BATCH, 1, N_QUERIES, D_MODEL))
    source = rng.standard_normal((3, N_KEYS, D_SOURCE))
    output, weights = layer(x, source), layer.weights(x, source)
    assert output.shape == (BATCH, 3, N_QUERIES, D_OUT)
    assert weights.shape == (BATCH, 3, N_HEADS, N_QUERIES, N_KEYS)
    for b, s in np.ndindex(BATCH, 3):
        one = layer_by_loop(layer, x[b, 0], source[s])
        np.testing.assert_allclose(weights[b, s], one[0], **CLOSE)
        np.testing.assert_allclose(output[b, s], one[1], **CLOSE)


def test_empty_batches_queries_and_sources(layer, x, source):
    assert layer(x[:0], source).shape == (0, D_OUT)
    assert layer(np.empty((0, N_QUERIES, D_MODEL)), source).shape == (0, N_QUERIES, D_OUT)
    nothing_seen = np.broadcast_to(layer.b_output, (N_QUERIES, D_OUT))
    np.testing.assert_array_equal(layer(x, source[:0]), nothing_seen)


# Masks and biases


@pytest.mark.parametrize("shape", [(N_QUERIES,), (N_HEADS, 1), (N_HEADS, N_QUERIES)])
def test_a_mask_is_the_same_for_all_heads_and_without_a_batch_for_all_sentences(rng, layer, shape):
    # As many sentences as heads: an axis put in the wrong place would not be noticed by its shape.
    x = rng.standard_normal((N_HEADS, N_QUERIES, D_MODEL))
    source = rng.standard_normal((N_HEADS, N_KEYS, D_SOURCE))
    mask = rng.random((*shape, N_KEYS)) < 0.6
    output, weights = layer(x, source, mask=mask), layer.weights(x, source, mask=mask)
    rows = np.broadcast_to(mask, (N_HEADS, N_QUERIES, N_KEYS))
    for b in range(N_HEADS):
        one = layer_by_loop(layer, x[b], source[b], mask=rows[b])
        np.testing.assert_allclose(weights[b], one[0], **CLOSE)
        np.testing.assert_allclose(output[b], one[1], **CLOSE)


@pytest.mark.parametrize("shape", [(), (N_KEYS,), (N_QUERIES, 1)])
def test_a_mask_of_fewer_axes_broadcasts(rng, layer, x, source, shape):
    mask = np.asarray(rng.random(shape) < 0.6)
    full = np.broadcast_to(mask, (N_QUERIES, N_KEYS)).copy()
    np.testing.assert_array_equal(layer(x, source, mask=mask), layer(x, source, mask=full))


def test_causal_and_padding_masks_fit_the_layer(rng):
    layer = make_layer(rng, d_source=D_MODEL)
    x = rng.standard_normal((BATCH, N_KEYS, D_MODEL))
    mask = causal_mask(N_KEYS) & padding_mask([N_KEYS, 2], N_KEYS)
    output = layer(x, mask=mask)
    x[0, 3:] += 1
    x[1, 2:] += 1
    changed = layer(x, mask=mask)
    np.testing.assert_allclose(changed[0, :3], output[0, :3], rtol=1e-12)
    np.testing.assert_allclose(changed[1, :2], output[1, :2], rtol=1e-12)
    assert not np.allclose(changed[0, 3], output[0, 3])


def test_a_bias_has_the_axis_of_heads(rng, layer, x, source):
    bias = rng.standard_normal((N_HEADS, N_QUERIES, N_KEYS))
    mask = rng.random((N_QUERIES, N_KEYS)) < 0.6
    equals_the_loop(layer, x, source, mask=mask, bias=bias)
    np.testing.assert_array_equal(
        layer(x, source, bias=bias[0]), layer(x, source, bias=np.stack([bias[0]] * N_HEADS))
    )


@pytest.mark.parametrize("garbage", [NAN, INF, -INF, 1e308])
def test_hidden_rows_of_the_source_have_no_influence_whatever_they_hold(rng, garbage):
    layer = make_layer(rng, n_kv_heads=2)
    x = rng.standard_normal((BATCH, N_QUERIES, D_MODEL))
    source = rng.standard_normal((BATCH, N_KEYS, D_SOURCE))
    mask = padding_mask([N_KEYS, 2], N_KEYS)
    output, weights = layer(x, source, mask=mask), layer.weights(x, source, mask=mask)
    source[1, 2:] = garbage
    np.testing.assert_allclose(layer(x, source, mask=mask), output, rtol=1e-12)
    np.testing.assert_allclose(layer.weights(x, source, mask=mask), weights, rtol=1e-12)


def test_a_query_that_may_look_at_nothing_gets_the_output_bias_alone(layer, x, source):
    mask = np.ones((N_QUERIES, N_KEYS), bool)
    mask[1] = False
    assert not layer.weights(x, source, mask=mask)[:, 1].any()
    np.testing.assert_array_equal(layer(x, source, mask=mask)[1], layer.b_output)


# Dtypes and inputs


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_floats_keep_their_dtype(rng, dtype):
    matrices, biases = make_parts(rng)
    parts = [{k: v.astype(dtype) for k, v in part.items()} for part in (matrices, biases)]
    layer = MultiHeadAttention(*parts[0].values(), n_heads=N_HEADS, **parts[1])
    x = rng.standard_normal((N_QUERIES, D_MODEL)).astype(dtype)
    source = rng.standard_normal((N_KEYS, D_SOURCE)).astype(dtype)
    output, weights = layer(x, source), layer.weights(x, source)
    assert output.dtype == weights.dtype == dtype
    expected = layer_by_loop(layer, x.astype(float), source.astype(float))
    close = {np.float16: 1e-2, np.float32: 1e-4, np.float64: 1e-12}[dtype]
    np.testing.assert_allclose(weights, expected[0], atol=close)
    np.testing.assert_allclose(output, expected[1], atol=close)


def test_float16_is_computed_in_float32():
    big = np.full((1, 1), 1000, np.float16)  # query and key of 1,000,000 are no float16
    tiny = np.full((1, 1), 1e-3, np.float16)
    layer = MultiHeadAttention(big, big, big, tiny, n_heads=1)
    output = layer(big)
    assert output.dtype == np.float16
    np.testing.assert_allclose(output, 1000, rtol=1e-3)


def test_mixed_dtypes_are_promoted_as_numpy_does(rng):
    layer = make_layer(rng, d_source=D_MODEL)
    x = rng.standard_normal((N_QUERIES, D_MODEL))
    assert layer(x.astype(np.float32)).dtype == np.float64  # its matrices are float64
    assert layer.weights(x.astype(np.float16)).dtype == np.float64
    assert layer(np.round(x).astype(int)).dtype == np.float64


def test_lists_are_accepted(rng, x, source):
    matrices, biases = make_parts(rng)
    lists = [{k: v.tolist() for k, v in part.items()} for part in (matrices, biases)]
    layer = MultiHeadAttention(*lists[0].values(), n_heads=N_HEADS, **lists[1])
    same = MultiHeadAttention(*matrices.values(), n_heads=N_HEADS, **biases)
    np.testing.assert_array_equal(layer(x.tolist(), source.tolist()), same(x, source))


def test_inputs_are_never_changed(rng, layer, x, source):
    bias = rng.standard_normal((N_HEADS, N_QUERIES, N_KEYS))
    mask = rng.random((N_QUERIES, N_KEYS)) < 0.6
    arrays = [x, source, mask, bias, layer.w_query, layer.w_output, layer.b_key, layer.b_output]
    copies = [array.copy() for array in arrays]
    for array in arrays:
        array.flags.writeable = False
    layer(x, source, mask=mask, bias=bias)
    layer.weights(x, source, mask=mask, bias=bias)
    for array, copy in zip(arrays, copies, strict=True):
        np.testing.assert_array_equal(array, copy)


def test_floating_point_errors_that_the_user_raises_do_not_interrupt(rng):
    layer = make_layer(rng, d_source=D_MODEL)
    x = rng.standard_normal((N_KEYS, D_MODEL))
    mask = padding_mask([2], N_KEYS)[0]
    x[2:] = [[INF], [NAN], [1e308]]
    with np.errstate(all="raise"):
        output, weights = layer(x, mask=mask), layer.weights(x, mask=mask)
        small = MultiHeadAttention(*[np.full((1, 1), 1e-3, np.float16)] * 4, n_heads=1)
        assert small(np.ones((2, 1), np.float16)).dtype == np.float16
    assert np.isfinite(output[:2]).all()
    assert np.isfinite(weights[:, :2]).all()


# Random layers


def test_a_random_layer_has_the_sizes_asked_for(rng):
    layer = MultiHeadAttention.random(
        rng, d_model=13, n_heads=6, n_kv_heads=3, d_source=17, d_key=7, d_value=11
    )
    assert layer.w_query.shape == (13, 6 * 7)
    assert layer.w_key.shape == (17, 3 * 7)
    assert layer.w_value.shape == (17, 3 * 11)
    assert layer.w_output.shape == (6 * 11, 13)
    sizes = layer.d_model, layer.d_source, layer.n_heads, layer.n_kv_heads, layer.d_key
    assert (*sizes, layer.d_value, layer.d_out) == (13, 17, 6, 3, 7, 11, 13)


def test_a_random_layers_defaults(rng):
    layer = MultiHeadAttention.random(rng, d_model=15, n_heads=3)
    assert (layer.n_kv_heads, layer.d_source, layer.d_key, layer.d_value) == (3, 15, 5, 5)
    assert [layer.b_query, layer.b_key, layer.b_value, layer.b_output] == [None] * 4
    assert MultiHeadAttention.random(rng, d_model=15, n_heads=3, d_key=7).d_value == 7


def test_random_entries_are_normal_with_variance_one_over_rows(rng):
    layer = MultiHeadAttention.random(
        rng, d_model=200, n_heads=10, d_source=300, d_key=40, d_value=60
    )
    for w, n_rows in zip(
        (layer.w_query, layer.w_key, layer.w_value, layer.w_output),
        (200, 300, 300, 600),
        strict=True,
    ):
        scaled = w * np.sqrt(n_rows)
        assert abs(scaled.mean()) < 0.02
        np.testing.assert_allclose(scaled.var(), 1, atol=0.03)
        np.testing.assert_allclose((np.abs(scaled) < 1).mean(), 0.6827, atol=0.01)


@pytest.mark.parametrize(("n", "expected"), [(1, 1), (17, 1 / 7)])
def test_a_random_layer_keeps_the_variance_of_one_row_and_less_of_several(rng, n, expected):
    """One row gets its own value; several get a mean of values, which varies less."""
    layer, x = MultiHeadAttention.random(rng, d_model=64, n_heads=8), rng.normal(size=(200, n, 64))
    np.testing.assert_allclose((x @ layer.w_value).var(), 1, rtol=0.1)
    np.testing.assert_allclose(layer(x).var(), expected, rtol=0.1)


def test_random_layers_come_from_the_generator_alone():
    layers = [
        MultiHeadAttention.random(np.random.default_rng(seed), d_model=6, n_heads=2)
        for seed in (3, 3, 4)
    ]
    np.testing.assert_array_equal(layers[0].w_output, layers[1].w_output)
    assert not np.allclose(layers[0].w_output, layers[2].w_output)
    assert not np.allclose(layers[0].w_query, layers[0].w_key)


def test_repr_tells_the_sizes_and_those_that_differ(rng):
    layer = MultiHeadAttention.random(rng, d_model=12, n_heads=3)
    assert repr(layer) == "MultiHeadAttention(d_model=12, n_heads=3, d_key=4, d_value=4, d_out=12)"
    assert repr(make_layer(rng, n_kv_heads=2)) == (
        "MultiHeadAttention(d_model=13, d_source=17, n_heads=6, n_kv_heads=2, "
        "d_key=7, d_value=11, d_out=19)"
    )


# Bad input, in three parts

NOT_REAL = "must hold floats (of 16, 32 or 64 bits), integers or bools"


@refused(f"""
split_heads(np.ones((3, 7)), 2)
    ValueError: d_model must be a multiple of n_heads:
    d_model is 7, n_heads is 2, and 7 = 3 * 2 + 1.
split_heads(np.ones(7), 7)
    ValueError: x needs at least 2 axes, (..., n, d_model): x is (7,), and 1 < 2.
split_heads(np.ones((3, 7)), 0)
    ValueError: n_heads must be at least 1: n_heads is 0, and 0 < 1.
split_heads(np.ones((3, 7)), 7.0)
    TypeError: n_heads must be an integer: n_heads is 7.0, and float is not int.
split_heads(np.ones((3, 7)), None)
    TypeError: n_heads must be an integer: n_heads is None, and NoneType is not int.
split_heads("cat", 1)
    TypeError: x {NOT_REAL}: x is 'cat', and str is none of these.
split_heads([[1.0, 2.0], [3.0]], 1)
    ValueError: the rows of x must have one shape: x[0] is (2,), x[1] is (1,), and (2,) != (1,).
merge_heads(np.ones((3, 7)))
    ValueError: heads needs at least 3 axes, (..., n_heads, n, d_head): heads is (3, 7), and 2 < 3.
merge_heads(None)
    TypeError: heads {NOT_REAL}: heads is None, and NoneType is none of these.
merge_heads(np.ones((2, 3, 5), complex))
    TypeError: heads {NOT_REAL}: heads is complex128 (2, 3, 5), and complex128 is none of these.
""")
def test_bad_heads_are_told_in_three_parts(call, answer):
    assert answer_to(call, globals()) == answer


@refused(f"""
MultiHeadAttention(w_query=np.ones(42))
    ValueError: w_query must be a matrix, of two axes: w_query is (42,), and 1 != 2.
MultiHeadAttention(w_value=np.ones((2, 17, 66)))
    ValueError: w_value must be a matrix, of two axes: w_value is (2, 17, 66), and 3 != 2.
MultiHeadAttention(w_query=np.ones((13, 43)))
    ValueError: columns of w_query must be a multiple of n_heads:
    columns of w_query is 43, n_heads is 6, and 43 = 7 * 6 + 1.
MultiHeadAttention(w_key=np.ones((17, 41)))
    ValueError: w_key must have n_kv_heads * d_key columns:
    w_key is (17, 41), n_kv_heads is 6, d_key is 7, and 41 != 42.
MultiHeadAttention(w_value=np.ones((13, 66)))
    ValueError: w_key and w_value must share d_source, their first axis:
    w_key is (17, 42), w_value is (13, 66), and 17 != 13.
MultiHeadAttention(w_value=np.ones((17, 67)))
    ValueError: columns of w_value must be a multiple of n_kv_heads:
    columns of w_value is 67, n_kv_heads is 6, and 67 = 11 * 6 + 1.
MultiHeadAttention(w_output=np.ones((42, 19)))
    ValueError: w_output must have n_heads * d_value rows:
    w_output is (42, 19), n_heads is 6, d_value is 11, and 42 != 66.
MultiHeadAttention(n_heads=0)
    ValueError: n_heads must be at least 1: n_heads is 0, and 0 < 1.
MultiHeadAttention(n_heads=6.0)
    TypeError: n_heads must be an integer: n_heads is 6.0, and float is not int.
MultiHeadAttention(n_kv_heads=4)
    ValueError: n_heads must be a multiple of n_kv_heads:
    n_heads is 6, n_kv_heads is 4, and 6 = 1 * 4 + 2.
MultiHeadAttention(n_kv_heads=-1)
    ValueError: n_kv_heads must be at least 1: n_kv_heads is -1, and -1 < 1.
MultiHeadAttention(b_query=np.ones(13))
    ValueError: b_query must hold one number per column of w_query:
    b_query is (13,), w_query is (13, 42), and (13,) != (42,).
MultiHeadAttention(b_output=np.ones((1, 19)))
    ValueError: b_output must hold one number per column of w_output:
    b_output is (1, 19), w_output is (66, 19), and (1, 19) != (19,).
MultiHeadAttention(w_key=None)
    TypeError: w_key {NOT_REAL}: w_key is None, and NoneType is none of these.
MultiHeadAttention(w_key="cat")
    TypeError: w_key {NOT_REAL}: w_key is 'cat', and str is none of these.
MultiHeadAttention(w_output=np.ones((66, 19), complex))
    TypeError: w_output {NOT_REAL}:
    w_output is complex128 (66, 19), and complex128 is none of these.
MultiHeadAttention(b_value=["a"])
    TypeError: b_value {NOT_REAL}: b_value is str (1,), and str is none of these.
MultiHeadAttention(w_query=[[1.0, 2.0], [3.0]])
    ValueError: the rows of w_query must have one shape:
    w_query[0] is (2,), w_query[1] is (1,), and (2,) != (1,).
""")
def test_bad_matrices_are_told_in_three_parts(rng, call, answer):
    layer = partial(MultiHeadAttention, **make_parts(rng)[0], n_heads=N_HEADS)
    assert answer_to(call, globals() | {"MultiHeadAttention": layer}) == answer


@pytest.mark.parametrize("method", ["__call__", "weights"])
@refused(f"""
layer(np.ones((3, 12)), np.ones((5, 17)))
    ValueError: x must be d_model wide: x is (3, 12), w_query is (13, 42), and 12 != 13.
layer(np.ones(13), np.ones((5, 17)))
    ValueError: x needs at least 2 axes, (..., n_queries, d_model): x is (13,), and 1 < 2.
layer(np.ones((3, 13)), np.ones((5, 13)))
    ValueError: source must be d_source wide: source is (5, 13), w_key is (17, 42), and 13 != 17.
layer(np.ones((3, 13)))
    ValueError: x must be d_source wide: x is (3, 13), w_key is (17, 42), and 13 != 17.
layer(np.ones((3, 13)), np.ones(17))
    ValueError: source needs at least 2 axes, (..., n_keys, d_source): source is (17,), and 1 < 2.
layer(np.ones((2, 3, 13)), np.ones((7, 5, 17)))
    ValueError: the leading axes of x and source must broadcast:
    x is (2, 3, 13), source is (7, 5, 17), and (2,) and (7,) do not.
layer(np.ones((3, 13)), np.ones((5, 17)), mask=np.ones((6, 3, 5), bool))
    ValueError: mask must broadcast to the scores of each head, (..., n_queries, n_keys):
    mask is (6, 3, 5), the shape of the scores of each head is (3, 5), and 3 axes > 2.
layer(np.ones((2, 3, 13)), np.ones((5, 17)), mask=np.ones((2, 5, 3), bool))
    ValueError: mask must broadcast to the scores of each head, (..., n_queries, n_keys):
    mask is (2, 5, 3), the shape of the scores of each head is (2, 3, 5), and 3 != 5.
layer(np.ones((3, 13)), np.ones((5, 17)), mask=np.ones((3, 5), int))
    TypeError: mask must be boolean, True where a query may look (numbers to add go into bias):
    mask is int64 (3, 5), and int64 is not bool.
layer(np.ones((3, 13)), np.ones((5, 17)), bias=np.ones((7, 3, 5)))
    ValueError: bias must broadcast to the scores, (..., n_queries, n_keys):
    bias is (7, 3, 5), the shape of the scores is (6, 3, 5), and 7 != 6.
layer(np.ones((3, 13)), np.ones((5, 17)), bias="low")
    TypeError: bias must hold floats or integers to add to scores (True and False go into mask):
    bias is 'low', and str is neither.
layer(None)
    TypeError: x {NOT_REAL}: x is None, and NoneType is none of these.
layer(np.ones((3, 13), complex))
    TypeError: x {NOT_REAL}: x is complex128 (3, 13), and complex128 is none of these.
layer([[1.0], [2.0, 3.0]])
    ValueError: the rows of x must have one shape: x[0] is (1,), x[1] is (2,), and (1,) != (2,).
""")
def test_bad_calls_are_told_in_three_parts(layer, method, call, answer):
    assert answer_to(call, globals() | {"layer": getattr(layer, method)}) == answer


@refused("""
random(rng=0)
    TypeError: rng must be a numpy.random.Generator: rng is 0, and int is no Generator.
random(rng=np.random.RandomState(0))
    TypeError: rng must be a numpy.random.Generator:
    rng is RandomState(MT19937), and RandomState is no Generator.
random(d_model=13)
    ValueError: d_model must be a multiple of n_heads:
    d_model is 13, n_heads is 3, and 13 = 4 * 3 + 1.
random(d_model=0)
    ValueError: d_model must be at least 1: d_model is 0, and 0 < 1.
random(n_kv_heads=2)
    ValueError: n_heads must be a multiple of n_kv_heads:
    n_heads is 3, n_kv_heads is 2, and 3 = 1 * 2 + 1.
random(d_key=2.5)
    TypeError: d_key must be an integer: d_key is 2.5, and float is not int.
random(d_value=-1)
    ValueError: d_value must be at least 1: d_value is -1, and -1 < 1.
random(d_source="wide")
    TypeError: d_source must be an integer: d_source is 'wide', and str is not int.
""")
def test_bad_random_layers_are_told_in_three_parts(rng, call, answer):
    random = partial(MultiHeadAttention.random, rng=rng, d_model=12, n_heads=3)
    assert answer_to(call, globals() | {"random": random}) == answer


def test_options_are_keyword_only(rng, layer):
    matrices = make_parts(rng)[0].values()
    with pytest.raises(TypeError, match="positional"):
        MultiHeadAttention(*matrices, N_HEADS)
    with pytest.raises(TypeError, match="positional"):
        MultiHeadAttention.random(rng, 12, 3)
    for call in (layer, layer.weights):
        with pytest.raises(TypeError, match="positional"):
            call(np.ones((3, 13)), np.ones((5, 17)), np.ones((3, 5), bool))
