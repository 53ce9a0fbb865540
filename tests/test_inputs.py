"""What the wording of errors has in common; the public functions' own tests hold each message."""

import numpy as np
import pytest

from attnlib import _inputs


def message_of(call):
    with pytest.raises((ValueError, TypeError)) as caught:
        call()
    return str(caught.value)


def test_a_message_has_three_parts_and_tells_arrays_by_their_shape():
    came_in = {"x": np.ones((2, 3)), "n": 5, "scalar": np.array(7.0)}
    message = message_of(lambda: _inputs.refuse("two must agree", "2 != 5", **came_in))
    assert message == "two must agree: x is (2, 3), n is 5, scalar is 7.0, and 2 != 5."


def test_a_message_is_a_value_error_unless_told():
    with pytest.raises(ValueError, match=r"^a: b is 1, and c\.$"):
        _inputs.refuse("a", "c", b=1)
    with pytest.raises(TypeError, match=r"^a: b is 1, and c\.$"):
        _inputs.refuse("a", "c", TypeError, b=1)


def test_a_refusal_shows_no_inner_error():
    # A traceback with NumPy's or Python's own error above the message would hide the message.
    for call in (
        lambda: _inputs.as_integer("n", "3"),
        lambda: _inputs.broadcast_leading(1, x=np.ones((2, 1)), y=np.ones((3, 1))),
        lambda: _inputs.broadcast_array("x", np.ones(2), "y", "(n,)", (3,)),
    ):
        with pytest.raises((ValueError, TypeError)) as caught:
            call()
        assert caught.value.__context__ is None


@pytest.mark.parametrize(
    ("dtypes", "compute", "result"),
    [
        (["f2"], "f4", "f2"),
        (["f2", "f2"], "f4", "f2"),
        (["f4"], "f4", "f4"),
        (["f2", "f4"], "f4", "f4"),
        (["f4", "f8"], "f8", "f8"),
        (["f2", "i8"], "f8", "f8"),
        (["?"], "f8", "f8"),
        (["u1", "f4"], "f8", "f8"),
        ([">f4"], "f4", "f4"),
        ([">f2", "<f2"], "f4", "f2"),
    ],
)
def test_dtypes_to_compute_in_and_of_results(dtypes, compute, result):
    arrays = {f"x{i}": np.ones(3, dtype) for i, dtype in enumerate(dtypes)}
    found, dtype = _inputs.as_floats(**arrays)
    assert dtype == np.dtype(result)
    assert [x.dtype for x in found] == [np.dtype(compute)] * len(dtypes)
    assert all(x.dtype.isnative for x in found)


def test_optional_arrays_come_last_and_count_only_where_they_are_there():
    x = np.ones(3, np.float32)
    (first, second, none), dtype = _inputs.as_floats({"y": x.astype("f8"), "z": None}, x=x)
    assert (first.dtype, second.dtype, none, dtype) == (np.float64, np.float64, None, np.float64)
    assert _inputs.as_floats({"y": None}, x=x)[1] == np.float32


def test_an_array_in_its_dtype_is_not_copied():
    x = np.ones(3, np.float32)
    assert _inputs.as_floats(x=x)[0][0] is x
    assert _inputs.as_real("x", x) is x
    assert _inputs.as_dtype(x, np.float32) is x


@pytest.mark.parametrize(
    ("x", "told"),
    [
        (None, "x is None, and NoneType is none of these"),
        ("cat", "x is 'cat', and str is none of these"),
        (b"cat", "x is b'cat', and bytes is none of these"),
        (1j, "x is 1j, and complex is none of these"),
        ({"a": 1}, "x is {'a': 1}, and dict is none of these"),
        ([["cat"]], "x is str (1, 1), and str is none of these"),
        (np.ones(3, "G"), f"x is {np.dtype('G')} (3,), and {np.dtype('G')} is none of these"),
        (np.ones(3, "M8[s]"), "x is datetime64[s] (3,), and datetime64[s] is none of these"),
        ([None, 1.0], "x is object (2,), and object is none of these"),
    ],
)
def test_what_is_no_real_array_is_named_in_plain_words(x, told):
    rule = "x must hold floats (of 16, 32 or 64 bits), integers or bools"
    assert message_of(lambda: _inputs.as_real("x", x)) == f"{rule}: {told}."


def test_longer_floats_are_refused_where_they_exist():
    x = np.ones(3, np.longdouble)
    if x.dtype.itemsize == 8:
        assert _inputs.as_real("x", x).dtype.itemsize == 8
    else:
        assert message_of(lambda: _inputs.as_real("x", x)).endswith(f"{x.dtype} is none of these.")


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (
            [[1, 2], [3, 4], [5]],
            "the rows of x must have one shape: x[0] is (2,), x[2] is (1,), and (2,) != (1,).",
        ),
        (
            [[[1], [2]], [[3], [4, 5]]],
            "the rows of x[1] must have one shape: "
            "x[1][0] is (1,), x[1][1] is (2,), and (1,) != (2,).",
        ),
        (
            [1, [2]],
            "the rows of x must have one shape: x[0] is (), x[1] is (1,), and () != (1,).",
        ),
        (
            [np.ones((2, 3)), np.ones((3, 2))],
            "the rows of x must have one shape: "
            "x[0] is (2, 3), x[1] is (3, 2), and (2, 3) != (3, 2).",
        ),
    ],
)
def test_ragged_lists_are_told_by_the_first_row_that_differs(rows, message):
    assert message_of(lambda: _inputs.as_array("x", rows)) == message


def lists_that_hold_themselves():
    """Return such lists; NumPy would fill the memory with the second one."""
    alone, twice, late, there, deep = [], [], [1.0], [], 1.0
    alone.append(alone)
    twice += [twice, twice]
    late += [late, late]
    there.append((there,))
    for _ in range(65):
        deep = [deep]
    return {"alone": alone, "twice": twice, "late": late, "there and back": there, "deep": deep}


@pytest.mark.parametrize(
    "x", lists_that_hold_themselves().values(), ids=lists_that_hold_themselves()
)
def test_a_list_that_holds_itself_is_refused_in_words(x):
    rule = "x must be nested at most 64 deep (does a list hold itself?)"
    for call in (_inputs.as_array, _inputs.as_real):
        assert message_of(lambda call=call: call("x", x)) == f"{rule}: x is a list, and 65 > 64."


def test_a_list_may_be_nested_as_deep_as_arrays_have_axes():
    x = 1.0
    for _ in range(64):
        x = [x]
    assert _inputs.as_real("x", x).ndim == 64


@pytest.mark.parametrize("masked", [[True, False], False, np.ma.nomask])
@pytest.mark.parametrize("wrapped", [False, True])
def test_a_masked_array_is_refused_since_its_mask_would_be_lost(masked, wrapped):
    x = np.ma.array([1.0, 2.0], mask=masked)
    with pytest.raises(TypeError) as caught:
        _inputs.as_real("x", [x, x] if wrapped else x)
    assert str(caught.value) == (
        "x must be a plain array (fill a masked one; what to hide goes into mask): "
        "x is float64 (2,), and MaskedArray is not ndarray."
    )


@pytest.mark.parametrize(
    "n",
    [2**60, -(2**60), 2**63, 10**5000, np.uint64(2**63)],
    ids=lambda n: f"{int(n).bit_length()} bits",
)
def test_integers_that_would_wrap_are_refused(n):
    bits = int(n).bit_length()
    rule = f"n must be an integer of at most {_inputs.BITS} bits"
    told = f"{rule}: n is one of {bits}, and {bits} > {_inputs.BITS}."
    assert message_of(lambda: _inputs.as_integer("n", n)) == told
    assert _inputs.as_integer("n", n, bits=np.inf) == n
    assert _inputs.as_integer("n", 2**_inputs.BITS - 1) == 2**_inputs.BITS - 1


def test_three_arrays_are_listed_as_in_a_sentence():
    arrays = {name: np.ones((n, 1, 1)) for name, n in zip("xyz", (2, 3, 1), strict=True)}
    assert message_of(lambda: _inputs.broadcast_leading(2, **arrays)) == (
        "the leading axes of x, y and z must broadcast: "
        "x is (2, 1, 1), y is (3, 1, 1), z is (1, 1, 1), and (2,), (3,) and (1,) do not."
    )


@pytest.mark.parametrize("n", [3, np.int8(3), np.uint64(3), np.array(3)])
def test_integers_of_all_kinds_are_accepted(n):
    found = _inputs.as_count("n", n, least=3)
    assert found == 3
    assert type(found) is int


@pytest.mark.parametrize("x", [2, 2.0, np.float16(2), np.int8(2), np.array(2.0), np.array(2)])
def test_positive_numbers_of_all_kinds_are_accepted(x):
    found = _inputs.as_positive("x", x)
    assert found == 2
    assert type(found) is float


def test_a_remainder_is_written_out():
    assert _inputs.as_divisible("a", 12, "b", 3) == 4
    message = message_of(lambda: _inputs.as_divisible("a", 13, "b", 3))
    assert message == "a must be a multiple of b: a is 13, b is 3, and 13 = 4 * 3 + 1."


class Bfloat16:
    """A tensor as PyTorch has it, of a kind that NumPy does not know."""

    dtype, shape = "torch.bfloat16", (2, 3)

    def detach(self):
        return self

    def __array__(self, *args, **kwargs):
        raise TypeError("Got unsupported ScalarType BFloat16")


def test_a_tensor_that_numpy_cannot_read_is_told_in_three_parts():
    assert message_of(lambda: _inputs.as_real("query", Bfloat16())) == (
        "query must be a tensor that NumPy can read (x.float() makes such a one): "
        "query is torch.bfloat16 (2, 3), and NumPy has no torch.bfloat16."
    )
