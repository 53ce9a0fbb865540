"""Positions: tables against loops, and the identities that make them useful."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnlib import (
    alibi_bias,
    attention_scores,
    attention_weights,
    one_hot_positions,
    rotate,
    sinusoidal_positions,
)
from tests.refusals import answer_to, refused

N, D, BATCH = 5, 14, 3
NAN, INF = np.nan, np.inf
LAYOUTS = ["interleaved", "half"]


@pytest.fixture
def rng():
    return np.random.default_rng(3)


# Sinusoids


@pytest.mark.parametrize(("n_positions", "d_model"), [(5, 14), (7, 11), (3, 1), (1, 2), (0, 4)])
@pytest.mark.parametrize("base", [10_000.0, 17])
def test_sinusoids_equal_the_loop(n_positions, d_model, base):
    table = sinusoidal_positions(n_positions, d_model, base=base)
    assert table.shape == (n_positions, d_model)
    assert table.dtype == np.float64
    for position, feature in np.ndindex(n_positions, d_model):
        pair, wave = divmod(feature, 2)
        angle = position / base ** (2 * pair / d_model)
        expected = (math.sin, math.cos)[wave](angle)
        assert table[position, feature] == pytest.approx(expected, abs=1e-14)


@pytest.mark.parametrize("k", [1, 7, -3])
def test_a_shift_by_k_is_one_rotation_of_every_row(k):
    d_model, n = 10, 50
    table = sinusoidal_positions(n, d_model)
    shift = np.zeros((d_model, d_model))  # the same for all positions: it depends on k alone
    for pair in range(d_model // 2):
        angle = k / 10_000 ** (2 * pair / d_model)
        block = [[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]]
        shift[2 * pair : 2 * pair + 2, 2 * pair : 2 * pair + 2] = block
    np.testing.assert_allclose(shift @ shift.T, np.eye(d_model), atol=1e-15)  # a rotation
    rows = np.arange(max(0, -k), min(n, n - k))
    np.testing.assert_allclose(table[rows] @ shift, table[rows + k], atol=1e-13)


def test_wavelengths_grow_from_two_pi_to_almost_the_base():
    d_model = 384
    table = sinusoidal_positions(2, d_model)  # its row 1 holds the angle per step
    wavelengths = 2 * math.pi / np.arctan2(table[1, 0::2], table[1, 1::2])
    assert wavelengths[0] == pytest.approx(2 * math.pi)
    np.testing.assert_allclose(
        wavelengths[1:] / wavelengths[:-1], 10_000 ** (2 / d_model), rtol=1e-9
    )
    assert wavelengths[-1] / (2 * math.pi) == pytest.approx(9_532, abs=0.5)


@pytest.mark.parametrize("base", [5e-324, 1e-300, 1e-3, 1e300, 1.7e308])
def test_a_base_may_be_of_any_size_where_the_angles_are_finite(base):
    with np.errstate(all="raise"):
        table = sinusoidal_positions(1, 4, base=base), sinusoidal_positions(5, 2, base=base)
        turned = rotate(np.ones((2, 2), np.float32), base=base)
        if base > 1e-150:
            sinusoidal_positions(5, 14, base=base)
            rotate(np.ones((5, 14), np.float32), base=base)
    np.testing.assert_array_equal(table[0], [[0, 1, 0, 1]])  # position 0 has no angle
    np.testing.assert_array_equal(table[1], sinusoidal_positions(5, 2))  # nor this pair a base
    np.testing.assert_array_equal(turned, rotate(np.ones((2, 2), np.float32)))


# One-hot


@pytest.mark.parametrize("n_positions", [0, 1, 5])
def test_one_hot_positions_are_one_at_their_own_place(n_positions):
    table = one_hot_positions(n_positions)
    assert table.shape == (n_positions, n_positions)
    assert table.dtype == np.float64
    for i, j in np.ndindex(table.shape):
        assert table[i, j] == (i == j)


# Rotary


def rotate_by_loop(row, position, base, layout):
    """Rotate one row of Python floats."""
    d = len(row)
    turned = [0.0] * d
    for pair in range(d // 2):
        i, j = (2 * pair, 2 * pair + 1) if layout == "interleaved" else (pair, pair + d // 2)
        angle = position / base ** (2 * pair / d)
        turned[i] = row[i] * math.cos(angle) - row[j] * math.sin(angle)
        turned[j] = row[i] * math.sin(angle) + row[j] * math.cos(angle)
    return turned


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("base", [10_000.0, 500_000])
def test_rotate_equals_the_loop(rng, layout, base):
    x = rng.standard_normal((N, D))
    expected = [rotate_by_loop(row, i, base, layout) for i, row in enumerate(x.tolist())]
    found = rotate(x, base=base, layout=layout)
    assert found.shape == (N, D)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_the_rotation_is_counter_clockwise():
    np.testing.assert_allclose(rotate([[1.0, 0.0]], [math.pi / 2]), [[0, 1]], atol=1e-15)
    np.testing.assert_allclose(
        rotate([[1.0, 2.0, 0.0, 0.0]], [math.pi / 2], base=1, layout="half"),
        [[0, 0, 1, 2]],
        atol=1e-15,
    )


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_default_layout_is_interleaved_and_base_10_000(rng, layout):
    x = rng.standard_normal((N, D))
    same = np.array_equal(rotate(x), rotate(x, base=10_000.0, layout=layout))
    assert same == (layout == "interleaved")


@pytest.mark.parametrize("layout", LAYOUTS)
def test_position_zero_turns_nothing_and_lengths_are_kept(rng, layout):
    x = rng.standard_normal((BATCH, N, D))
    turned = rotate(x, layout=layout)
    np.testing.assert_array_equal(turned[:, 0], x[:, 0])
    np.testing.assert_allclose(
        np.linalg.norm(turned, axis=-1), np.linalg.norm(x, axis=-1), rtol=1e-12
    )
    assert not np.allclose(turned[:, 1:], x[:, 1:])


@given(
    st.integers(-1000, 1000),
    st.integers(-1000, 1000),
    st.integers(-1000, 1000),
    st.sampled_from(LAYOUTS),
)
def test_the_dot_product_depends_on_the_distance_alone(i, j, shift, layout):
    query, key = np.random.default_rng(0).standard_normal((2, 1, D))

    def score(i, j):
        turned = rotate(query, [i], layout=layout), rotate(key, [j], layout=layout)
        return attention_scores(*turned).item()

    assert score(i + shift, j + shift) == pytest.approx(score(i, j), abs=1e-10)
    assert score(i, j) == pytest.approx(score(i - j, 0), abs=1e-10)


def test_other_distances_give_other_dot_products(rng):
    query, key = rng.standard_normal((2, 1, D))
    scores = [attention_scores(rotate(query, [i]), key).item() for i in range(7)]
    assert len(set(np.round(scores, 6))) == 7


def test_the_layouts_agree_after_permuting_before_and_back_after(rng):
    x = rng.standard_normal((N, D))
    to_half = np.concatenate([np.arange(0, D, 2), np.arange(1, D, 2)])
    back = np.argsort(to_half)
    turned = rotate(x[:, to_half], layout="half")[:, back]
    np.testing.assert_allclose(turned, rotate(x), rtol=1e-12)
    assert not np.allclose(rotate(x, layout="half"), rotate(x))


@pytest.mark.parametrize(
    "positions",
    [
        [4, 0, 2, 9, 1],
        [0.5, -3.25, 100.0, -1e-3, 7.0],
        np.array([4, 0, 2, 9, 1], np.uint8),
        np.array([4, 0, 2, 9, 1], np.float16),
    ],
)
def test_positions_may_come_in_any_order_fraction_and_sign(rng, positions):
    x = rng.standard_normal((N, D))
    rows = zip(x.tolist(), np.asarray(positions).tolist(), strict=True)
    expected = [rotate_by_loop(row, position, 10_000.0, "interleaved") for row, position in rows]
    np.testing.assert_allclose(rotate(x, positions), expected, rtol=1e-10, atol=1e-14)


def test_positions_broadcast_to_the_rows(rng):
    x = rng.standard_normal((BATCH, 2, N, D))
    per_sentence = rng.integers(0, 50, (BATCH, 1, N))
    turned = rotate(x, per_sentence)
    for b, h in np.ndindex(BATCH, 2):
        np.testing.assert_allclose(turned[b, h], rotate(x[b, h], per_sentence[b, 0]), rtol=1e-12)
    np.testing.assert_allclose(rotate(x, 7), rotate(x, np.full(N, 7)), rtol=1e-15)
    np.testing.assert_array_equal(rotate(x), rotate(x, np.arange(N)))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("kind", [int, np.float32, np.float64])
def test_floats_keep_their_dtype_and_stay_accurate_far_out(rng, dtype, kind):
    x, positions = rng.standard_normal((N, D)).astype(dtype), (100_000 + np.arange(N)).astype(kind)
    turned = rotate(x, positions)
    assert turned.dtype == dtype
    rows = zip(x.tolist(), positions.tolist(), strict=True)
    expected = [rotate_by_loop(row, position, 10_000.0, "interleaved") for row, position in rows]
    close = {np.float16: 2e-3, np.float32: 1e-6, np.float64: 1e-9}[dtype]
    np.testing.assert_allclose(turned, expected, atol=close)


@pytest.mark.parametrize("dtype", [np.int64, bool])
def test_integers_and_bools_become_float64_and_lists_are_accepted(dtype):
    x = np.array([[1, 0], [0, 1]]).astype(dtype)
    turned = rotate(x)
    assert turned.dtype == np.float64
    np.testing.assert_array_equal(turned, rotate(x.astype(float)))
    np.testing.assert_array_equal(turned, rotate(x.tolist(), [0, 1]))
    assert turned[1, 0] == pytest.approx(-math.sin(1))


def test_rotate_leaves_its_inputs_as_they_are(rng):
    x, positions = rng.standard_normal((N, D)), np.arange(N)
    x.flags.writeable = positions.flags.writeable = False
    copy = x.copy()
    rotate(x, positions)[...] = 0
    np.testing.assert_array_equal(x, copy)
    np.testing.assert_array_equal(positions, np.arange(N))


def test_empty_inputs_give_empty_rotations():
    assert rotate(np.empty((0, D))).shape == (0, D)
    assert rotate(np.empty((0, N, D))).shape == (0, N, D)
    assert rotate(np.empty((N, 0))).shape == (N, 0)


def test_rows_that_are_not_finite_spoil_no_other_and_warn_of_nothing(rng):
    x = rng.standard_normal((N, D))
    expected = rotate(x)
    x[1], x[3] = NAN, INF
    smallest = np.full((2, 2), np.finfo(np.float16).smallest_subnormal)
    with np.errstate(all="raise"):
        turned = rotate(x)
        assert rotate(smallest).dtype == np.float16
    np.testing.assert_array_equal(turned[[0, 2, 4]], expected[[0, 2, 4]])
    assert not np.isfinite(turned[[1, 3]]).any()


# ALiBi


@pytest.mark.parametrize(
    ("n_heads", "slopes"),
    [
        (1, [2**-8]),
        (2, [2**-4, 2**-8]),
        (3, [2**-4, 2**-8, 2**-2]),
        (8, [2**-1, 2**-2, 2**-3, 2**-4, 2**-5, 2**-6, 2**-7, 2**-8]),
        (12, [*(2.0**-i for i in range(1, 9)), 2**-0.5, 2**-1.5, 2**-2.5, 2**-3.5]),
        (16, [2 ** (-i / 2) for i in range(1, 17)]),
    ],
)
def test_alibi_slopes(n_heads, slopes):
    bias = alibi_bias(n_heads, 2)  # the distance of query 0 and key 1 is 1
    assert bias.shape == (n_heads, 2, 2)
    np.testing.assert_allclose(-bias[:, 0, 1], slopes, rtol=1e-15)


@pytest.mark.parametrize(("n_queries", "n_keys"), [(3, 5), (5, 3), (4, None), (0, 3), (2, 0)])
@pytest.mark.parametrize("offset", [-1, 0, 2])
def test_alibi_bias_equals_the_loop(n_queries, n_keys, offset):
    bias = alibi_bias(2, n_queries, n_keys, offset=offset)
    assert bias.shape == (2, n_queries, n_queries if n_keys is None else n_keys)
    assert bias.dtype == np.float64
    for h, i, j in np.ndindex(bias.shape):
        assert bias[h, i, j] == -(2.0 ** (-4 * (h + 1))) * abs(i + offset - j)


def test_alibi_bias_fits_attention_and_prefers_what_is_near():
    x = np.ones((8, N, D))
    weights = attention_weights(x, x, bias=alibi_bias(8, N))
    assert weights.shape == (8, N, N)
    assert (np.diff(weights[:, 0]) < 0).all()


@pytest.mark.parametrize("far", [2**59, -(2**60) + 1])
def test_alibi_bias_does_not_wrap_at_the_farthest_offsets(far):
    expected = np.full((1, 2, 3), -(2.0**-8) * abs(far))
    np.testing.assert_allclose(alibi_bias(1, 2, 3, offset=far), expected, rtol=1e-15)


# Bad input, in three parts

NOT_REAL = "must hold floats (of 16, 32 or 64 bits), integers or bools"


@refused(f"""
sinusoidal_positions(-1, 4)
    ValueError: n_positions must be at least 0: n_positions is -1, and -1 < 0.
sinusoidal_positions(3, 0)
    ValueError: d_model must be at least 1: d_model is 0, and 0 < 1.
sinusoidal_positions(3.0, 4)
    TypeError: n_positions must be an integer: n_positions is 3.0, and float is not int.
sinusoidal_positions(3, "4")
    TypeError: d_model must be an integer: d_model is '4', and str is not int.
sinusoidal_positions(3, None)
    TypeError: d_model must be an integer: d_model is None, and NoneType is not int.
sinusoidal_positions(3, 4, base=0)
    ValueError: base must be a positive, finite number: base is 0.0, and 0.0 <= 0.
sinusoidal_positions(3, 4, base=None)
    TypeError: base must be one positive number: base is None, and NoneType is no number.
sinusoidal_positions(4, 64, base=5e-324)
    ValueError: angles, position / base**(2i / d), must be finite:
    base is 5e-324, and 3 / 5e-324**0.969 is not.
rotate(np.ones((3, 4)), [0.0, -1e300, 1.0], base=1e-20)
    ValueError: angles, position / base**(2i / d), must be finite:
    base is 1e-20, and 1e+300 / 1e-20**0.5 is not.
one_hot_positions(-2)
    ValueError: n_positions must be at least 0: n_positions is -2, and -2 < 0.
one_hot_positions([3])
    TypeError: n_positions must be an integer: n_positions is [3], and list is not int.
rotate(np.ones((3, 5)))
    ValueError: rotate turns pairs of features, so x needs an even number, d:
    x is (3, 5), and 5 is odd.
rotate(np.ones(4))
    ValueError: x needs at least 2 axes, (..., n, d): x is (4,), and 1 < 2.
rotate(np.ones((3, 4)), [0, 1])
    ValueError: positions must broadcast to the rows of x, (..., n):
    positions is (2,), the shape of the rows of x is (3,), and 2 != 3.
rotate(np.ones((3, 4)), np.zeros((2, 3)))
    ValueError: positions must broadcast to the rows of x, (..., n):
    positions is (2, 3), the shape of the rows of x is (3,), and 2 axes > 1.
rotate(np.ones((3, 4)), [0, NAN, 1])
    ValueError: positions must be finite: positions is (3,), and nan is not.
rotate(np.ones((3, 4)), -INF)
    ValueError: positions must be finite: positions is -inf, and -inf is not.
rotate(np.ones((3, 4)), "first")
    TypeError: positions {NOT_REAL}: positions is 'first', and str is none of these.
rotate(np.ones((3, 4)), 1j)
    TypeError: positions {NOT_REAL}: positions is 1j, and complex is none of these.
rotate(np.ones((3, 4)), base=-1)
    ValueError: base must be a positive, finite number: base is -1.0, and -1.0 <= 0.
rotate(np.ones((3, 4)), base=NAN)
    ValueError: base must be a positive, finite number: base is nan, and nan is not finite.
rotate(np.ones((3, 4)), layout="llama")
    ValueError: layout must be "interleaved" or "half":
    layout is 'llama', and it is neither of the two.
rotate(np.ones((3, 4)), layout=None)
    ValueError: layout must be "interleaved" or "half":
    layout is None, and it is neither of the two.
rotate(None)
    TypeError: x {NOT_REAL}: x is None, and NoneType is none of these.
rotate([[1.0, 2.0], [3.0]])
    ValueError: the rows of x must have one shape: x[0] is (2,), x[1] is (1,), and (2,) != (1,).
alibi_bias(0, 3)
    ValueError: n_heads must be at least 1: n_heads is 0, and 0 < 1.
alibi_bias(8.0, 3)
    TypeError: n_heads must be an integer: n_heads is 8.0, and float is not int.
alibi_bias(8, -3)
    ValueError: n_queries must be at least 0: n_queries is -3, and -3 < 0.
alibi_bias(8, 3, "5")
    TypeError: n_keys must be an integer: n_keys is '5', and str is not int.
alibi_bias(8, 3, offset=2**63 - 1)
    ValueError: offset must be an integer of at most 60 bits: offset is one of 63, and 63 > 60.
alibi_bias(8, 3, offset=0.5)
    TypeError: offset must be an integer: offset is 0.5, and float is not int.
""")
def test_bad_input_is_told_in_three_parts(call, answer):
    assert answer_to(call, globals()) == answer


def test_options_are_keyword_only():
    for call in (
        lambda: sinusoidal_positions(3, 4, 10.0),
        lambda: rotate(np.ones((3, 4)), None, 10.0),
        lambda: alibi_bias(8, 3, 3, 1),
    ):
        with pytest.raises(TypeError, match="positional"):
            call()
