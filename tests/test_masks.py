"""Masks against explicit loops; every size is small enough to try them all."""

import itertools

import numpy as np
import pytest

from attnlib import causal_mask, padding_mask, window_mask
from tests.refusals import answer_to, refused

SIZES = list(itertools.product(range(4), [None, 0, 1, 2, 5], range(-3, 4)))


@pytest.mark.parametrize(("n_queries", "n_keys", "offset"), SIZES)
def test_causal_and_window_masks_equal_the_loops(n_queries, n_keys, offset):
    shape = (n_queries, n_queries if n_keys is None else n_keys)
    causal = causal_mask(n_queries, n_keys, offset=offset)
    windows = [window_mask(n_queries, n_keys, width=width, offset=offset) for width in range(3)]
    for mask in (causal, *windows):
        assert mask.dtype == bool
        assert mask.shape == shape
    for i, j in np.ndindex(shape):
        assert causal[i, j] == (j <= i + offset)
        for width, window in enumerate(windows):
            assert window[i, j] == (abs(i + offset - j) <= width)


@pytest.mark.parametrize("far", [2**59, 2**60 - 1])
def test_the_farthest_offsets_do_not_wrap(far):
    assert causal_mask(2, 3, offset=far).all()
    assert not causal_mask(2, 3, offset=-far).any()
    for offset in (far, -far):
        assert not window_mask(2, 3, width=far - 3, offset=offset).any()
        assert window_mask(2, 3, width=far + 3, offset=offset).all()


@pytest.mark.parametrize("width", [2**63 - 1, 2**63, 10**30])
def test_a_window_may_be_wider_than_any_array(width):
    assert window_mask(2, 3, width=width).all()


def test_masks_combine_with_and():
    banded = causal_mask(5) & window_mask(5, width=1)
    for i, j in np.ndindex(5, 5):
        assert banded[i, j] == (j in (i - 1, i))
    batch = causal_mask(3) & padding_mask([3, 1], 3)
    assert batch.shape == (2, 3, 3)
    assert batch[1].tolist() == [[True, False, False]] * 3


@pytest.mark.parametrize("lengths", [[3, 0, 5, 1], (3, 0, 5, 1), np.array([3, 0, 5, 1], np.uint8)])
def test_padding_mask_equals_the_loop(lengths):
    mask = padding_mask(lengths, 5)
    assert mask.dtype == bool
    assert mask.shape == (4, 1, 5)
    for b, _, j in np.ndindex(mask.shape):
        assert mask[b, 0, j] == (j < lengths[b])


def test_padding_mask_of_no_sentences_or_no_keys_is_empty():
    assert padding_mask([], 5).shape == (0, 1, 5)
    assert padding_mask([0, 0], 0).shape == (2, 1, 0)


def test_sizes_may_be_numpy_integers():
    sizes = np.array([2, 3])
    np.testing.assert_array_equal(
        causal_mask(*sizes, offset=np.int8(1)), causal_mask(2, 3, offset=1)
    )


def test_the_masks_can_be_written_to():
    for mask in (causal_mask(2), window_mask(2, width=1), padding_mask([1], 2)):
        mask[...] = False
        assert not mask.any()


# Bad input, in three parts


@refused("""
causal_mask(-1)
    ValueError: n_queries must be at least 0: n_queries is -1, and -1 < 0.
causal_mask(3, -2)
    ValueError: n_keys must be at least 0: n_keys is -2, and -2 < 0.
causal_mask(3.0)
    TypeError: n_queries must be an integer: n_queries is 3.0, and float is not int.
causal_mask(np.float64(3))
    TypeError: n_queries must be an integer: n_queries is 3.0, and float64 is not int.
causal_mask("3")
    TypeError: n_queries must be an integer: n_queries is '3', and str is not int.
causal_mask(None)
    TypeError: n_queries must be an integer: n_queries is None, and NoneType is not int.
causal_mask(True)
    TypeError: n_queries must be an integer: n_queries is True, and bool is not int.
causal_mask(np.ones((3, 3)))
    TypeError: n_queries must be an integer: n_queries is float64 (3, 3), and ndarray is not int.
causal_mask(2, 1j)
    TypeError: n_keys must be an integer: n_keys is 1j, and complex is not int.
causal_mask(2, offset=0.5)
    TypeError: offset must be an integer: offset is 0.5, and float is not int.
window_mask(2, offset=None, width=1)
    TypeError: offset must be an integer: offset is None, and NoneType is not int.
causal_mask(2, offset=2**63 - 1)
    ValueError: offset must be an integer of at most 60 bits: offset is one of 63, and 63 > 60.
window_mask(2, width=1, offset=-(2**63))
    ValueError: offset must be an integer of at most 60 bits: offset is one of 64, and 64 > 60.
padding_mask([1], 2**63)
    ValueError: n_keys must be an integer of at most 60 bits: n_keys is one of 64, and 64 > 60.
padding_mask(np.ma.array([1, 2]), 3)
    TypeError: lengths must be a plain array (fill a masked one; what to hide goes into mask):
    lengths is int64 (2,), and MaskedArray is not ndarray.
window_mask(-2, width=1)
    ValueError: n_queries must be at least 0: n_queries is -2, and -2 < 0.
window_mask(2, width=-1)
    ValueError: width must be at least 0: width is -1, and -1 < 0.
window_mask(2, width=None)
    TypeError: width must be an integer: width is None, and NoneType is not int.
padding_mask([3, -1], 5)
    ValueError: lengths[1] must be at least 0: lengths[1] is -1, and -1 < 0.
padding_mask([3, 7], 5)
    ValueError: no length may be beyond n_keys: lengths[1] is 7, n_keys is 5, and 7 > 5.
padding_mask([3, 1], -5)
    ValueError: n_keys must be at least 0: n_keys is -5, and -5 < 0.
padding_mask([3, 1], None)
    TypeError: n_keys must be an integer: n_keys is None, and NoneType is not int.
padding_mask(3, 5)
    ValueError: lengths must hold one length per sentence, (batch,): lengths is 3, and 0 axes != 1.
padding_mask(np.ones((2, 3), int), 5)
    ValueError: lengths must hold one length per sentence, (batch,):
    lengths is (2, 3), and 2 axes != 1.
padding_mask([[1], [2, 3]], 5)
    ValueError: the rows of lengths must have one shape:
    lengths[0] is (1,), lengths[1] is (2,), and (1,) != (2,).
padding_mask([2.0, 1], 5)
    TypeError: lengths[0] must be an integer: lengths[0] is 2.0, and float is not int.
padding_mask(np.array([2.0, 1.0]), 5)
    TypeError: lengths[0] must be an integer: lengths[0] is 2.0, and float64 is not int.
padding_mask([True, False], 5)
    TypeError: lengths[0] must be an integer: lengths[0] is True, and bool is not int.
padding_mask(["3"], 5)
    TypeError: lengths[0] must be an integer: lengths[0] is '3', and str is not int.
padding_mask(None, 5)
    ValueError: lengths must hold one length per sentence, (batch,):
    lengths is None, and 0 axes != 1.
""")
def test_bad_input_is_told_in_three_parts(call, answer):
    assert answer_to(call, globals()) == answer


def test_options_are_keyword_only():
    for call in (lambda: causal_mask(2, 2, 0), lambda: window_mask(2, 2, 1)):
        with pytest.raises(TypeError, match="positional"):
            call()
    with pytest.raises(TypeError, match="width"):
        window_mask(2)
