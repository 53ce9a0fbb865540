"""Softmax and entropy: closed forms, properties over all floats, and the edges."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from attnlib import entropy, softmax
from tests.refusals import answer_to, refused

NAN, INF = np.nan, np.inf
FLOATS = [np.float16, np.float32, np.float64]
LARGEST = np.finfo(np.float64).max


@st.composite
def rows_of_scores(draw, elements=None, dtypes=FLOATS):
    dtype = draw(st.sampled_from(dtypes))
    width = np.dtype(dtype).itemsize * 8
    finite = st.floats(allow_nan=False, allow_infinity=False, width=width)
    shape = draw(hnp.array_shapes(min_dims=1, max_dims=3, min_side=1, max_side=5))
    return draw(hnp.arrays(dtype, shape, elements=finite if elements is None else elements))


def softmax_by_loop(row, temperature=1.0):
    """Softmax of one row of finite Python floats."""
    exponentials = [math.exp((score - max(row)) / temperature) for score in row]
    return [exponential / sum(exponentials) for exponential in exponentials]


# Softmax: what it computes


def test_softmax_of_logarithms_are_their_shares():
    np.testing.assert_allclose(softmax(np.log([1.0, 2.0, 5.0])), [1 / 8, 2 / 8, 5 / 8], rtol=1e-15)


@given(st.lists(st.floats(-700, 700), min_size=1, max_size=7), st.floats(0.1, 10))
def test_softmax_equals_the_loop(row, temperature):
    found = softmax(row, temperature=temperature)
    np.testing.assert_allclose(found, softmax_by_loop(row, temperature), rtol=1e-9, atol=1e-300)


@given(rows_of_scores(), st.sampled_from([1e-300, 1e-3, 0.1, 1.0, 7.0, 1e300]))
def test_softmax_of_any_finite_scores_is_finite_positive_and_sums_to_one(scores, temperature):
    weights = softmax(scores, temperature=temperature)
    assert weights.dtype == scores.dtype
    assert weights.shape == scores.shape
    assert ((weights >= 0) & (weights <= 1)).all()
    close = {np.float16: 2e-3, np.float32: 1e-6, np.float64: 1e-12}[scores.dtype.type]
    np.testing.assert_allclose(weights.sum(axis=-1, dtype=np.float64), 1, atol=close)


@given(rows_of_scores(), st.sampled_from([0.1, 1.0, 7.0]))
def test_softmax_keeps_the_order_of_the_scores(scores, temperature):
    order = np.argsort(scores, axis=-1)
    weights = np.take_along_axis(softmax(scores, temperature=temperature), order, axis=-1)
    assert (np.diff(weights, axis=-1) >= 0).all()


@given(rows_of_scores(st.integers(-20, 20), [np.float64]), st.integers(-1000, 1000))
def test_softmax_does_not_change_when_all_scores_shift(scores, shift):
    np.testing.assert_array_equal(softmax(scores + shift), softmax(scores))


@given(rows_of_scores(st.floats(-9, 9, width=16), [np.float64]), st.floats(0.1, 10))
def test_temperature_divides_the_scores(scores, temperature):
    found = softmax(scores, temperature=temperature)
    np.testing.assert_allclose(found, softmax(scores / temperature), rtol=1e-10)


def test_a_low_temperature_sharpens_and_a_high_one_flattens():
    scores = [1.0, 2.0, 3.0]
    np.testing.assert_array_equal(softmax(scores, temperature=1e-3), [0, 0, 1])
    np.testing.assert_allclose(softmax(scores, temperature=1e9), np.full(3, 1 / 3), rtol=1e-8)
    with_hidden = np.array([3.0, -INF, 3.0], np.float32)
    np.testing.assert_array_equal(softmax(with_hidden, temperature=1e300), [0.5, 0, 0.5])
    np.testing.assert_array_equal(softmax([3.0, 1.0, 3.0], temperature=1e-9), [0.5, 0, 0.5])


@pytest.mark.parametrize("temperature", [2, np.float32(2), np.array(2.0)])
def test_temperature_may_be_any_kind_of_number(temperature):
    np.testing.assert_array_equal(
        softmax([1.0, 2.0], temperature=temperature), softmax([0.5, 1.0], temperature=1.0)
    )


# Softmax: the contract


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("temperature", [1e-300, 0.1, 1.0])
def test_finite_scores_of_any_size_give_finite_weights_without_a_warning(dtype, temperature):
    largest = np.finfo(dtype).max
    scores = np.array([[largest, -largest], [largest, largest], [-largest, -largest]], dtype)
    np.testing.assert_array_equal(
        softmax(scores, temperature=temperature), [[1, 0], [0.5, 0.5], [0.5, 0.5]]
    )


@pytest.mark.parametrize("dtype", FLOATS)
def test_a_temperature_as_large_as_the_scores_is_not_lost_in_their_shift(dtype):
    largest = np.finfo(dtype).max
    weights = softmax(np.array([largest, -largest], dtype), temperature=float(largest))
    np.testing.assert_array_equal(weights, softmax(np.array([1, -1], dtype)))


def test_a_row_of_all_minus_infinity_gives_zeros():
    weights = softmax([[-INF, -INF, -INF], [0.0, -INF, 0.0]])
    np.testing.assert_array_equal(weights, [[0, 0, 0], [0.5, 0, 0.5]])


def test_no_scores_at_all_give_no_weights():
    assert softmax(np.empty((3, 0))).shape == (3, 0)
    assert softmax(np.empty((0, 3))).shape == (0, 3)
    assert softmax(np.empty((0, 3)), axis=0).shape == (0, 3)


@pytest.mark.parametrize("bad", [NAN, INF])
def test_a_score_of_nan_or_inf_makes_its_row_nan_and_no_other(bad):
    weights = softmax([[0.0, bad, 1.0], [5.0, 5.0, -INF]])
    np.testing.assert_array_equal(weights, [[NAN] * 3, [0.5, 0.5, 0]])


@given(rows_of_scores(st.floats(-9, 9, width=16)), st.data())
def test_softmax_works_along_any_axis(scores, data):
    axis = data.draw(st.integers(-scores.ndim, scores.ndim - 1))
    expected = np.moveaxis(softmax(np.moveaxis(scores, axis, -1).copy()), -1, axis)
    np.testing.assert_array_equal(softmax(scores, axis=axis), expected)


def test_float16_is_computed_in_float32():
    # In float16 the sum of 4,096 exponentials would stop growing at 2,048, where 1 is half a step.
    weights = softmax(np.zeros(4096, np.float16))
    assert weights.dtype == np.float16
    np.testing.assert_array_equal(weights, np.float16(1 / 4096))


@pytest.mark.parametrize("dtype", [np.int64, np.int8, np.uint8, bool])
def test_integers_and_bools_become_float64(dtype):
    scores = np.array([[0, 1, 1], [1, 0, 0]], dtype)
    weights, entropies = softmax(scores), entropy(scores == [[0], [1]])
    assert weights.dtype == entropies.dtype == np.float64
    np.testing.assert_array_equal(weights, softmax(scores.astype(float)))


def test_lists_and_tuples_are_accepted():
    np.testing.assert_array_equal(softmax([(0.0, 1.0)]), softmax(np.array([[0.0, 1.0]])))
    assert entropy((0.5, 0.5)) == entropy(np.array([0.5, 0.5]))


def test_non_contiguous_and_read_only_scores_are_left_as_they_are():
    scores = np.arange(2.0 * 3 * 5 * 7).reshape(2, 3, 5, 7)[:, ::-1, ::2].swapaxes(0, -1)
    scores.flags.writeable = False
    copy = scores.copy()
    for axis in range(4):
        np.testing.assert_array_equal(softmax(scores, axis=axis), softmax(copy, axis=axis))
        entropy(softmax(scores, axis=axis), axis=axis)
    np.testing.assert_array_equal(scores, copy)


@pytest.mark.parametrize("dtype", FLOATS)
def test_floating_point_errors_that_the_user_raises_do_not_interrupt(dtype):
    scores = np.array([[0.0, -15.0, -100.0], [-INF, -INF, -INF], [NAN, INF, 1.0]], dtype)
    with np.errstate(all="raise"):
        weights = softmax(scores, temperature=0.5)
        entropies = entropy(weights)
    np.testing.assert_array_equal(weights[1:], [[0, 0, 0], [NAN, NAN, NAN]])
    assert entropies.dtype == dtype


def test_the_result_can_be_written_to():
    weights = softmax([[1.0, 2.0]])
    weights[...] = 0
    assert not weights.any()


# Entropy


def test_entropy_is_told_in_nats():
    assert entropy([1.0, 0.0, 0.0]) == 0
    np.testing.assert_allclose(entropy(np.full(7, 1 / 7)), math.log(7), rtol=1e-15)
    np.testing.assert_allclose(entropy([0.25, 0.75]), 0.5623351446188083, rtol=1e-15)


def test_entropy_of_no_weight_is_zero_and_prints_without_a_minus():
    entropies = entropy([[0.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    np.testing.assert_array_equal(entropies, [0, 0])
    assert not np.signbit(entropies).any()
    assert entropy(np.empty((3, 0))).tolist() == [0, 0, 0]


def test_one_weight_that_is_rounded_above_1_has_entropy_0_and_no_less():
    np.testing.assert_array_equal(entropy([[1.009, 0.0], [1.0, 0.0]]), [0, 0])


@given(rows_of_scores(st.floats(-50, 50, width=16)))
def test_entropy_lies_between_zero_and_the_logarithm_of_n(scores):
    entropies = entropy(softmax(scores))
    assert entropies.shape == scores.shape[:-1]
    assert entropies.dtype == scores.dtype
    assert (entropies >= 0).all()
    close = {np.float16: 1e-2, np.float32: 1e-5, np.float64: 1e-12}[scores.dtype.type]
    assert (entropies <= math.log(scores.shape[-1]) + close).all()


@given(st.lists(st.floats(-9, 9), min_size=2, max_size=7))
def test_entropy_grows_with_the_temperature(row):
    assume(max(row) - min(row) > 1e-3)
    cold, warm = (entropy(softmax(row, temperature=temperature)) for temperature in (0.5, 2.0))
    assert cold <= warm + 1e-12


def test_entropy_works_along_any_axis():
    weights = softmax(np.arange(2.0 * 3 * 5).reshape(2, 3, 5) % 7, axis=1)
    by_loop = [
        [-sum(w * math.log(w) for w in weights[i, :, k].tolist()) for k in range(5)]
        for i in range(2)
    ]
    np.testing.assert_allclose(entropy(weights, axis=1), by_loop, rtol=1e-12)
    np.testing.assert_allclose(entropy(weights, axis=-2), by_loop, rtol=1e-12)


def test_entropy_of_nan_is_nan_in_its_row_alone():
    np.testing.assert_array_equal(entropy([[NAN, 0.5], [0.0, 1.0]]), [NAN, 0])


@pytest.mark.parametrize("weights", [[[NAN, 1.0], [-0.5, 1.5]], [[NAN, -0.5], [0.5, 0.5]]])
def test_a_nan_hides_no_negative_weight(weights):
    with pytest.raises(ValueError, match=r"and its least entry is -0\.5 < 0\.$"):
        entropy(weights)


def test_a_sum_beyond_all_floats_is_told_without_a_warning():
    with pytest.raises(ValueError, match="a sum along axis -1 is inf"):
        entropy([LARGEST, LARGEST])


# Bad input, in three parts

NOT_REAL = "must hold floats (of 16, 32 or 64 bits), integers or bools"
BOTH = [(softmax, "scores"), (entropy, "weights")]


@pytest.mark.parametrize(("function", "name"), BOTH)
@refused("""
function(2.5)
    ValueError: {0} needs at least 1 axis, (..., n): {0} is 2.5, and 0 < 1.
function([[1.0, 2.0], [3.0]])
    ValueError: the rows of {0} must have one shape:
    {0}[0] is (2,), {0}[1] is (1,), and (2,) != (1,).
function("cat")
    TypeError: {0} {NOT_REAL}: {0} is 'cat', and str is none of these.
function(["a", "b"])
    TypeError: {0} {NOT_REAL}: {0} is str (2,), and str is none of these.
function(None)
    TypeError: {0} {NOT_REAL}: {0} is None, and NoneType is none of these.
function([1j, 0])
    TypeError: {0} {NOT_REAL}: {0} is complex128 (2,), and complex128 is none of these.
function([1.0, None])
    TypeError: {0} {NOT_REAL}: {0} is object (2,), and object is none of these.
""")
def test_bad_arrays_are_told_in_three_parts(function, name, call, answer):
    expected = answer.format(name, NOT_REAL=NOT_REAL)
    assert answer_to(call, {"function": function}) == expected


@pytest.mark.parametrize(("function", "name"), BOTH)
@refused("""
axis=2
    ValueError: axis must be one of the axes of {0}:
    axis is 2, {0} is (3, 5), and 2 is not between -2 and 1.
axis=-3
    ValueError: axis must be one of the axes of {0}:
    axis is -3, {0} is (3, 5), and -3 is not between -2 and 1.
axis=0.0
    TypeError: axis must be an integer: axis is 0.0, and float is not int.
axis=None
    TypeError: axis must be an integer: axis is None, and NoneType is not int.
axis=(0, 1)
    TypeError: axis must be an integer: axis is (0, 1), and tuple is not int.
axis="0"
    TypeError: axis must be an integer: axis is '0', and str is not int.
axis=True
    TypeError: axis must be an integer: axis is True, and bool is not int.
axis=np.float64(1)
    TypeError: axis must be an integer: axis is 1.0, and float64 is not int.
""")
def test_bad_axes_are_told_in_three_parts(function, name, call, answer):
    names = globals() | {"function": function, "x": np.full((3, 5), 0.2)}
    assert answer_to(f"function(x, {call})", names) == answer.format(name)


@pytest.mark.parametrize(
    ("temperature", "error", "told"),
    [
        (0, ValueError, "temperature is 0.0, and 0.0 <= 0."),
        (-2, ValueError, "temperature is -2.0, and -2.0 <= 0."),
        (-INF, ValueError, "temperature is -inf, and -inf <= 0."),
        (NAN, ValueError, "temperature is nan, and nan is not finite."),
        (INF, ValueError, "temperature is inf, and inf is not finite."),
        (np.float64(NAN), ValueError, "temperature is nan, and nan is not finite."),
        ("hot", TypeError, "temperature is 'hot', and str is no number."),
        (None, TypeError, "temperature is None, and NoneType is no number."),
        (True, TypeError, "temperature is True, and bool is no number."),
        (1j, TypeError, "temperature is 1j, and complex is no number."),
        ([1.0], TypeError, "temperature is [1.0], and list is no number."),
        (np.ones(3), TypeError, "temperature is float64 (3,), and ndarray is no number."),
    ],
)
def test_bad_temperatures_are_told_in_three_parts(temperature, error, told):
    rules = {ValueError: "a positive, finite number", TypeError: "one positive number"}
    with pytest.raises(error) as caught:
        softmax([1.0, 2.0], temperature=temperature)
    assert str(caught.value) == f"temperature must be {rules[error]}: {told}"


@refused("""
entropy([[1.5, -0.5]])
    ValueError: weights must not be negative (are these scores, before softmax?):
    weights is (1, 2), and its least entry is -0.5 < 0.
entropy([[0.5, 0.5], [1.0, 2.0]])
    ValueError: weights must sum to 1, or to 0 (are these scores, before softmax?):
    weights is (2, 2), and a sum along axis -1 is 3.
entropy([[0.5, 0.5], [0.25, 0.75]], axis=0)
    ValueError: weights must sum to 1, or to 0 (are these scores, before softmax?):
    weights is (2, 2), and a sum along axis 0 is 0.75.
""")
def test_entropy_refuses_what_is_no_weights(call, answer):
    assert answer_to(call, globals()) == answer


def test_options_are_keyword_only():
    for function in (softmax, entropy):
        with pytest.raises(TypeError, match="positional"):
            function([0.5, 0.5], -1)


def test_entropy_takes_very_long_rows_of_float16():
    # Each of a million weights is rounded; their sum is 1.013.
    weights = softmax(np.zeros(10**6, np.float16))
    assert abs(float(entropy(weights)) - np.log(10**6)) < 0.3
