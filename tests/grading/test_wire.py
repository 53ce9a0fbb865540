"""Trees and frames: what comes out is what went in, and anything else is refused."""

import socket
import struct
import threading
import time

import numpy as np
import pytest

from course.grading import wire
from course.grading.wire import ClosedError, LateError, Line, WireError, decode, encode

TREES = [
    None,
    ...,
    True,
    False,
    0,
    -(10**40),
    1.5,
    -0.0,
    np.inf,
    "words, Wörter, 言葉",
    "",
    (),
    [],
    (1, [2.0, (None, "x")], np.arange(3)),
    np.float32(0.5),
    np.array(7),
    np.zeros((0, 3)),
    np.arange(24, dtype=">i4").reshape(2, 3, 4).T,
    np.array([True, False]),
    np.array([1 + 2j]),
    np.array([np.nan, -np.inf]),
    *(np.ones(2, dtype) for dtype in ("i1", "u8", "f2", "f4", "f8")),
]


def same(a, b):
    if isinstance(a, tuple | list):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, np.ndarray | np.generic):
        a = np.asarray(a)
        native = a.dtype.newbyteorder("=")
        return (
            isinstance(b, np.ndarray)
            and b.dtype == native
            and np.array_equal(a, b, a.dtype.kind in "fc")
        )
    return type(a) is type(b) and repr(a) == repr(b)


@pytest.mark.parametrize("tree", TREES, ids=repr)
def test_a_tree_comes_out_as_it_went_in(tree):
    assert same(tree, decode(encode(tree)))


def test_an_array_that_came_out_can_be_written_to():
    decode(encode(np.zeros(3)))[0] = 1


@pytest.mark.parametrize(
    "thing",
    [{}, set(), object(), 1j, b"x", len, np.array(["x"]), np.array([None]), np.datetime64("2020")],
    ids=lambda thing: type(thing).__name__,
)
def test_what_is_no_tree_is_refused(thing):
    with pytest.raises(WireError):
        encode((1, thing))


def test_a_tree_that_is_too_deep_or_too_large_is_refused(monkeypatch):
    endless = []
    endless.append(endless)
    monkeypatch.setattr(wire, "MOST_BYTES", 10**6)
    for tree in (endless, [0.0] * 10**5, np.zeros(10**6)):
        with pytest.raises(WireError):
            encode(tree)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"x",
        b"nn",
        b"d123",
        b"s\0\0\0\5ab",
        b"s\xff\xff\xff\xff",
        b"(\xff\xff\xff\xff",
        b"(" * 50,
        b"(\0\0\0\1" * 20 + b"n",
        b"i\0\0\0\3zzz",
        b"i" + struct.pack(">I", 1000) + b"1" * 1000,
        b"a\xff\0",
        b"a\x0b\xff",
        b"a\x0b\2" + struct.pack(">QQ", 2**40, 2**40),
        b"a\x0b\2" + struct.pack(">QQ", 0, 2**62),
        b"a\x0b\1" + struct.pack(">Q", 1),
    ],
)
def test_bytes_that_are_no_tree_are_refused(data):
    with pytest.raises(WireError):
        decode(data)


def test_random_bytes_are_a_tree_or_refused():
    rng = np.random.default_rng(3)
    for _ in range(3000):
        data = bytearray(encode((1, "x", np.arange(3.0), [None, 2.0])))
        for at in rng.integers(len(data), size=3):
            data[at] = rng.integers(256)
        try:
            decode(bytes(data))
        except WireError:
            continue


@pytest.fixture
def lines():
    ours, theirs = map(Line, socket.socketpair())
    yield ours, theirs
    ours.close()
    theirs.close()


def test_frames_come_one_after_the_other(lines):
    ours, theirs = lines
    many = [np.arange(200_000.0), "x", (1, 2)]
    sending = threading.Thread(target=lambda: [ours.send(tree) for tree in many])
    sending.start()
    assert all(same(tree, theirs.receive(time.monotonic() + 20)) for tree in many)
    sending.join()


def test_a_frame_that_is_late_cut_short_or_too_long_is_told(lines):
    ours, theirs = lines
    with pytest.raises(LateError):
        ours.receive(time.monotonic() + 0.05)
    theirs.connection.send(b"\0\0\0\5n")
    with pytest.raises(LateError):
        ours.receive(time.monotonic() + 0.05)
    with pytest.raises(LateError):
        ours.send(np.zeros(10**6), time.monotonic() + 0.05)
    theirs.connection.send(b"\xff\xff\xff\xff")
    ours.buffer.clear()
    with pytest.raises(WireError, match="a frame of"):
        ours.receive(time.monotonic() + 5)
    theirs.close()
    with pytest.raises(ClosedError):
        ours.receive(time.monotonic() + 5)


def test_a_byte_out_of_band_keeps_nobody_waiting(lines):
    """The kernel tells of it, and lets a read of it wait for more."""
    ours, theirs = lines
    theirs.connection.send(b"x", socket.MSG_OOB)
    found = []

    def receive():
        with pytest.raises(LateError):
            ours.receive(time.monotonic() + 0.2)
        found.append("late")

    waiting = threading.Thread(target=receive, daemon=True)
    waiting.start()
    waiting.join(20)
    assert found == ["late"]
