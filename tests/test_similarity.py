"""Cosines and projections: closed forms, sizes at both ends of the floats, and identities."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from attnlib import cosine_similarity, projection
from tests.refusals import answer_to, refused

N, M, D, BATCH = 3, 5, 7, 2
NAN, INF = np.nan, np.inf
FLOATS = [np.float16, np.float32, np.float64]


@pytest.fixture
def rng():
    return np.random.default_rng(11)


def cosine_by_loop(x, y):
    """Cosines of the rows of (n, d) and (m, d), by Python's own hypot."""
    dot = [[math.fsum(a * b for a, b in zip(r, s, strict=True)) for s in y] for r in x]
    return [
        [dot[i][j] / (math.hypot(*r) * math.hypot(*s)) for j, s in enumerate(y)]
        for i, r in enumerate(x)
    ]


# Cosine similarity


def test_cosines_of_known_angles():
    x = [[1.0, 0.0], [0.0, 2.0], [-3.0, 0.0], [4.0, 4.0]]
    half = math.sqrt(0.5)
    expected = [[1, 0, -1, half], [0, 1, 0, half], [-1, 0, 1, -half], [half, half, -half, 1]]
    np.testing.assert_allclose(cosine_similarity(x), expected, atol=1e-15)


def test_cosine_equals_the_loop(rng):
    x, y = rng.standard_normal((N, D)), rng.standard_normal((M, D))
    found = cosine_similarity(x, y)
    assert found.shape == (N, M)
    np.testing.assert_allclose(found, cosine_by_loop(x.tolist(), y.tolist()), rtol=1e-12)
    np.testing.assert_array_equal(cosine_similarity(x), cosine_similarity(x, x))


@given(
    hnp.arrays(np.float64, (3, 5), elements=st.floats(allow_nan=False, allow_infinity=False)),
    hnp.arrays(np.float64, (2, 5), elements=st.floats(allow_nan=False, allow_infinity=False)),
)
def test_the_cosine_of_any_finite_vectors_lies_between_minus_one_and_one(x, y):
    found = cosine_similarity(x, y)
    assert (np.abs(found) <= 1).all()
    itself = cosine_similarity(x)
    np.testing.assert_allclose(np.diag(itself), x.any(axis=-1), rtol=1e-12)


def test_rounding_takes_no_cosine_beyond_one(rng):
    """Of so many vectors, a fifth has a cosine with itself that is rounded above 1."""
    x = rng.standard_normal((500, D))
    assert np.abs(cosine_similarity(np.vstack([x, -x]))).max() == 1


@pytest.mark.parametrize("size", [1e300, 1e-300, 5e-324, 1.0])
def test_no_vector_is_too_long_or_too_short(size):
    x = size * np.array([[1.0, 1.0, 0.0], [1.0, 0.0, 1.0], [-1.0, -1.0, 0.0]])
    expected = [[1, 0.5, -1], [0.5, 1, -0.5], [-1, -0.5, 1]]
    np.testing.assert_allclose(cosine_similarity(x), expected, rtol=1e-15)
    np.testing.assert_allclose(cosine_similarity(x, x / size), expected, rtol=1e-15)


def test_length_does_not_matter(rng):
    x = rng.standard_normal((N, D))
    lengths = np.array([[1e-200], [7.0], [1e200]])
    np.testing.assert_allclose(cosine_similarity(x * lengths, x), cosine_similarity(x), rtol=1e-12)


def test_a_zero_vector_has_similarity_zero_to_every_finite_one():
    x = [[0.0, 0.0], [3.0, 4.0]]
    np.testing.assert_allclose(cosine_similarity(x), [[0, 0], [0, 1]], rtol=1e-15)


@pytest.mark.parametrize("bad", [NAN, INF])
def test_a_row_that_is_not_finite_is_nan_to_all_a_zero_vector_too(bad):
    found = cosine_similarity([[0.0, 0.0], [3.0, 4.0], [1.0, bad]])
    np.testing.assert_allclose(found, [[0, 0, NAN], [0, 1, NAN], [NAN] * 3], rtol=1e-15)


def test_leading_axes_broadcast(rng):
    x, y = rng.standard_normal((BATCH, 1, N, D)), rng.standard_normal((13, M, D))
    found = cosine_similarity(x, y)
    assert found.shape == (BATCH, 13, N, M)
    np.testing.assert_allclose(found[1, 12], cosine_similarity(x[1, 0], y[12]), rtol=1e-12)


def test_empty_inputs_give_empty_cosines():
    assert cosine_similarity(np.empty((0, D)), np.ones((M, D))).shape == (0, M)
    np.testing.assert_array_equal(cosine_similarity(np.empty((2, 0))), np.zeros((2, 2)))


# Projection


def test_projection_of_cases_computed_by_hand():
    np.testing.assert_array_equal(projection([3.0, 4.0], [5.0, 0.0]), [3, 0])
    np.testing.assert_allclose(projection([1.0, 0.0], [1.0, 1.0]), [0.5, 0.5], rtol=1e-15)
    np.testing.assert_allclose(projection([-2.0, 0.0], [3.0, 0.0]), [-2, 0], rtol=1e-15)
    assert not projection([0.0, 0.0], [1.0, 1.0]).any()


@given(
    hnp.arrays(np.float64, (3, 5), elements=st.floats(-1e6, 1e6)),
    hnp.arrays(np.float64, (5,), elements=st.floats(-1e6, 1e6)).filter(np.any),
)
def test_projecting_again_changes_nothing_and_the_rest_is_perpendicular(x, onto):
    found = projection(x, onto)
    close = 1e-9 * max(1.0, np.abs(x).max())
    np.testing.assert_allclose(projection(found, onto), found, atol=close)
    unit = onto / np.abs(onto).max()  # first: the length of the smallest vectors is rounded
    unit /= math.hypot(*unit)
    np.testing.assert_allclose((x - found) @ unit, 0, atol=close)
    np.testing.assert_allclose(found, (x @ unit)[:, None] * unit, atol=close)


@pytest.mark.parametrize("size", [1e300, -1e300, 1e-300, 5e-324])
def test_of_onto_only_the_direction_matters(size):
    onto = size * np.array([1.0, 0.0, 1.0])
    np.testing.assert_allclose(projection([1.0, 2.0, 3.0], onto), [2, 0, 2], rtol=1e-15)
    x = size * np.array([1.0, 1.0, 1.0])
    np.testing.assert_allclose(projection(x, [1.0, 0.0, 0.0]), [size, 0, 0], rtol=1e-15)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("d", [2, D, 2**10 - 1, 2**10])
def test_projection_of_the_longest_vectors_is_finite_where_it_can_be(dtype, d):
    largest = np.full(d, np.finfo(dtype).max / 1.01, dtype)
    with np.errstate(all="raise"):
        found = projection([largest, -largest], np.ones(d, dtype))
    assert found.dtype == dtype
    np.testing.assert_allclose(
        found, [largest, -largest], rtol=1e-5 if dtype is np.float32 else 1e-12
    )
    beyond = projection(largest[:2], np.array([1, 0.5], dtype))  # 1.2 times as long as x's entries
    np.testing.assert_allclose(beyond, [INF, 0.6 * largest[0]], rtol=1e-5)


def test_a_long_vector_changes_no_other_row():
    x = np.array([[1.7e308, 1.7e308], [5e-324, 5e-324], [NAN, 1.0], [1.0, 3.0]])
    found = projection(x, [[0.0, 1.0], [0.0, 1.0], [0.0, 1.0], [0.0, 1.0]])
    np.testing.assert_array_equal(found, [[0, 1.7e308], [0, 5e-324], [NAN, NAN], [0, 3]])
    found = projection(x, [[1.0, 1.0], [0.0, 1.0], [0.0, 1.0], [0.0, 1.0]])
    np.testing.assert_allclose(found, [[1.7e308] * 2, [0, 5e-324], [NAN, NAN], [0, 3]], rtol=1e-12)


def test_projection_broadcasts_leading_axes(rng):
    x, onto = rng.standard_normal((BATCH, 1, D)), rng.standard_normal((N, D))
    found = projection(x, onto)
    assert found.shape == (BATCH, N, D)
    np.testing.assert_allclose(found[1, 2], projection(x[1, 0], onto[2]), rtol=1e-12)


# The contract of arrays


@pytest.mark.parametrize("dtype", FLOATS)
def test_floats_keep_their_dtype(rng, dtype):
    x = rng.standard_normal((N, D)).astype(dtype)
    assert cosine_similarity(x).dtype == projection(x, x[0]).dtype == dtype
    close = {np.float16: 2e-3, np.float32: 1e-6, np.float64: 1e-15}[dtype]
    np.testing.assert_allclose(cosine_similarity(x), cosine_similarity(x.astype(float)), atol=close)
    found = projection(x, x[0])
    np.testing.assert_allclose(found, projection(x.astype(float), x[0]), atol=10 * close)


def test_float16_is_computed_in_float32():
    x = np.full((1, 4096), 300, np.float16)  # the squares and their sum overflow float16
    assert cosine_similarity(x) == 1
    np.testing.assert_array_equal(projection(x, x), x)


@pytest.mark.parametrize("dtype", [np.int8, np.uint64, bool])
def test_integers_and_bools_become_float64(dtype):
    x = np.array([[1, 0], [1, 1]]).astype(dtype)
    found = cosine_similarity(x), projection(x, x[1])
    assert [f.dtype for f in found] == [np.float64] * 2
    np.testing.assert_allclose(found[0], [[1, math.sqrt(0.5)], [math.sqrt(0.5), 1]], rtol=1e-15)
    np.testing.assert_allclose(found[1], [[0.5, 0.5], [1, 1]], rtol=1e-15)


def test_lists_are_accepted_and_inputs_never_changed(rng):
    x, y = rng.standard_normal((N, D)), rng.standard_normal((M, D))
    np.testing.assert_array_equal(
        cosine_similarity(x.tolist(), y.tolist()), cosine_similarity(x, y)
    )
    np.testing.assert_array_equal(projection(x.tolist(), y[0].tolist()), projection(x, y[0]))
    x.flags.writeable = y.flags.writeable = False
    copies = x.copy(), y.copy()
    cosine_similarity(x, y)
    projection(x, y[0])
    np.testing.assert_array_equal(x, copies[0])
    np.testing.assert_array_equal(y, copies[1])


def test_floating_point_errors_that_the_user_raises_do_not_interrupt():
    x = np.array([[1e300, 1e-300], [1e-300, 1e-308], [0.0, 0.0], [INF, NAN]])
    small = np.array([[1.0, 1e-4]], np.float16)
    with np.errstate(all="raise"):
        assert cosine_similarity(x)[0, 1] == 1
        cosine_similarity(small)
        projection(x[:2], x[1])
        projection(small, small)


# Bad input, in three parts

NOT_REAL = "must hold floats (of 16, 32 or 64 bits), integers or bools"


@refused(f"""
cosine_similarity(np.ones(7))
    ValueError: x needs at least 2 axes, (..., n, d): x is (7,), and 1 < 2.
cosine_similarity(np.ones((3, 7)), np.ones(7))
    ValueError: y needs at least 2 axes, (..., m, d): y is (7,), and 1 < 2.
cosine_similarity(np.ones((3, 7)), np.ones((7, 3)))
    ValueError: x and y must share d, their last axis: x is (3, 7), y is (7, 3), and 7 != 3.
cosine_similarity(np.ones((2, 3, 7)), np.ones((5, 3, 7)))
    ValueError: the leading axes of x and y must broadcast:
    x is (2, 3, 7), y is (5, 3, 7), and (2,) and (5,) do not.
cosine_similarity([[1.0], [2.0, 3.0]])
    ValueError: the rows of x must have one shape: x[0] is (1,), x[1] is (2,), and (1,) != (2,).
cosine_similarity([[[1.0], [2.0, 3.0]]])
    ValueError: the rows of x[0] must have one shape:
    x[0][0] is (1,), x[0][1] is (2,), and (1,) != (2,).
cosine_similarity(None)
    TypeError: x {NOT_REAL}: x is None, and NoneType is none of these.
cosine_similarity(np.ones((3, 7)), "cat")
    TypeError: y {NOT_REAL}: y is 'cat', and str is none of these.
cosine_similarity(np.ones((3, 7), complex))
    TypeError: x {NOT_REAL}: x is complex128 (3, 7), and complex128 is none of these.
projection(2.0, [1.0])
    ValueError: x needs at least 1 axis, (..., d): x is 2.0, and 0 < 1.
projection([1.0], 2.0)
    ValueError: onto needs at least 1 axis, (..., d): onto is 2.0, and 0 < 1.
projection(np.ones(3), np.ones(5))
    ValueError: x and onto must share d, their last axis: x is (3,), onto is (5,), and 3 != 5.
projection(np.ones((2, 3)), np.ones((5, 3)))
    ValueError: the leading axes of x and onto must broadcast:
    x is (2, 3), onto is (5, 3), and (2,) and (5,) do not.
projection(np.ones(3), np.zeros(3))
    ValueError: projection needs a direction, and a zero vector has none:
    onto is (3,), and a row of it is zero, with length 0.
projection(np.ones(3), [[1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    ValueError: projection needs a direction, and a zero vector has none:
    onto is (2, 3), and a row of it is zero, with length 0.
projection([1.0, 2.0], None)
    TypeError: onto {NOT_REAL}: onto is None, and NoneType is none of these.
projection(["a", "b"], [1.0, 2.0])
    TypeError: x {NOT_REAL}: x is str (2,), and str is none of these.
""")
def test_bad_input_is_told_in_three_parts(call, answer):
    assert answer_to(call, globals()) == answer
