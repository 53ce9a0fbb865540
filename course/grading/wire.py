"""What passes between the judge and the sandbox: trees of plain things, in frames.

A tree is None, an Ellipsis, a bool, an int, a float, a str, an array of numbers, or a tuple or list
of trees. It is written as a tag and what the tag needs; nothing in it can name code. Whoever reads
a frame trusts nothing: not its length, nor any number in it.

The child imports this file too, so it needs Python and NumPy alone.
"""

import math
import select
import socket
import struct
import time

import numpy as np

MOST_BYTES = 64 << 20  # of a frame
MOST_THINGS = 100_000  # in a tree, an array counted as so many:
AN_ARRAY = 8
MOST_DEPTH = 16
MOST_DIGITS = 400  # of a whole number
DTYPES = ("?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16")
SIZES = {dtype: np.dtype(dtype).itemsize for dtype in DTYPES}


class WireError(Exception):
    """Bytes that are no frame, or a thing that cannot be sent; the message says which."""


class LateError(WireError):
    """Nothing, or not enough, arrived in time."""


class ClosedError(WireError):
    """The other side is gone."""


def encode(tree) -> bytes:
    """Write a tree as bytes.

    Raises
    ------
    WireError
        If it holds something that is no tree, or too much.
    """
    parts: list[bytes] = []
    _write(tree, parts, 0)
    if len(parts) > MOST_THINGS:
        raise WireError(f"more than {MOST_THINGS:,} things")
    data = b"".join(parts)
    if len(data) > MOST_BYTES:
        raise WireError(f"{len(data):,} bytes, which is more than {MOST_BYTES:,}")
    return data


class Budget:
    """How many things may still be read: a few bytes can become an object of hundreds.

    Parameters
    ----------
    things
        An array counts as several.
    """

    def __init__(self, things: int = MOST_THINGS):
        self.things = things

    def take(self, n: int) -> None:
        """Use some of it.

        Raises
        ------
        WireError
            If that is too many.
        """
        self.things -= n
        if self.things < 0:
            raise WireError("too many things")


def decode(data: bytes, budget: Budget | None = None):
    """Read a tree; several may have one budget.

    Raises
    ------
    WireError
        If the bytes are not one tree, whole, or there is more in it than the budget has.
    """
    reader = _Reader(data, budget or Budget())
    tree = reader.tree(0)
    if reader.at != len(data):
        raise WireError("there is something behind the tree")
    return tree


def _write(tree, parts: list[bytes], depth: int) -> None:
    if depth > MOST_DEPTH or len(parts) > MOST_THINGS:
        raise WireError("too deep, or too many things")
    if isinstance(tree, np.generic):
        tree = np.asarray(tree)
    if tree is None or tree is Ellipsis:
        parts.append(b"n" if tree is None else b"e")
    elif isinstance(tree, bool):
        parts.append(b"t" if tree else b"f")
    elif isinstance(tree, int):
        parts.append(_text(b"i", hex(tree)))
    elif isinstance(tree, float):
        parts.append(b"d" + struct.pack(">d", tree))
    elif isinstance(tree, str):
        parts.append(_text(b"s", tree))
    elif isinstance(tree, np.ndarray):
        parts.append(_array(tree))
    elif isinstance(tree, tuple | list):
        parts.append((b"(" if isinstance(tree, tuple) else b"[") + struct.pack(">I", len(tree)))
        for one in tree:
            _write(one, parts, depth + 1)
    else:
        raise WireError(f"a {type(tree).__name__}")


def _text(tag: bytes, text: str) -> bytes:
    data = text.encode("utf-8", "replace")
    return tag + struct.pack(">I", len(data)) + data


def _array(array: np.ndarray) -> bytes:
    kind = array.dtype.newbyteorder("=").str.lstrip("<>|=")
    kind = "?" if kind == "b1" else kind
    if kind not in SIZES:
        raise WireError(f"an array of dtype {array.dtype}")
    head = struct.pack(">BB", DTYPES.index(kind), array.ndim)
    data = np.ascontiguousarray(array, dtype=np.dtype(kind).newbyteorder("<"))
    return b"a" + head + struct.pack(f">{array.ndim}Q", *array.shape) + data.tobytes()


class _Reader:
    def __init__(self, data: bytes, budget: Budget):
        self.data, self.at, self.budget = data, 0, budget

    def take(self, n: int) -> bytes:
        if n > len(self.data) - self.at:
            raise WireError("it ends too early")
        self.at += n
        return self.data[self.at - n : self.at]

    def number(self, form: str = ">I") -> int:
        return struct.unpack(form, self.take(struct.calcsize(form)))[0]

    def tree(self, depth: int):
        self.budget.take(1)
        if depth > MOST_DEPTH:
            raise WireError("too deep")
        tag = self.take(1)
        if tag in b"netf":
            return {b"n": None, b"e": Ellipsis, b"t": True, b"f": False}[tag]
        if tag == b"d":
            return self.number(">d")
        if tag in b"is":
            text = self.take(self.number()).decode("utf-8", "replace")
            return text if tag == b"s" else _whole(text)
        if tag == b"a":
            return self.array()
        if tag in b"([":
            things = [self.tree(depth + 1) for _ in range(self.number())]
            return tuple(things) if tag == b"(" else things
        raise WireError(f"the tag {tag!r} means nothing")

    def array(self) -> np.ndarray:
        self.budget.take(AN_ARRAY - 1)
        kind, n_axes = struct.unpack(">BB", self.take(2))
        if kind >= len(DTYPES) or n_axes > 32:
            raise WireError("an array of no kind, or of too many axes")
        shape = struct.unpack(f">{n_axes}Q", self.take(8 * n_axes))
        size, dtype = math.prod(shape), DTYPES[kind]
        if size * SIZES[dtype] > len(self.data) or math.prod(n or 1 for n in shape) > MOST_BYTES:
            raise WireError("an array larger than its frame")
        data = self.take(size * SIZES[dtype])
        if dtype == "?":
            return (np.frombuffer(data, "u1") != 0).reshape(shape)
        return np.frombuffer(data, np.dtype(dtype).newbyteorder("<")).astype(dtype).reshape(shape)


def _whole(text: str) -> int:
    if len(text) > MOST_DIGITS:
        raise WireError("a whole number of too many digits")
    try:
        return int(text, 16)
    except ValueError as error:
        raise WireError("a whole number without digits") from error


class Line:
    """One end of a connection that carries trees.

    Parameters
    ----------
    connection : socket.socket
        A stream.

    Attributes
    ----------
    received : int
        How many bytes have come.
    """

    def __init__(self, connection):
        self.connection = connection
        self.received = 0
        self.buffer = bytearray()

    def send(self, tree, deadline: float | None = None) -> None:
        """Send a tree; `deadline` is a time of `time.monotonic`."""
        data = encode(tree)
        rest = memoryview(struct.pack(">I", len(data)) + data)
        while rest:
            self._wait(deadline, write=True)
            try:
                rest = rest[self.connection.send(rest[: 1 << 16], _how(deadline)) :]
            except BlockingIOError:
                time.sleep(0.001)
            except OSError as error:
                raise ClosedError("the other side is gone") from error

    def receive(self, deadline: float | None = None, most: int = MOST_BYTES):
        """Return the next tree, of so many bytes at most.

        Raises
        ------
        LateError
            If it is not there, whole, at the deadline.
        ClosedError
            If the other side is gone.
        WireError
            If the bytes are no frame, or the frame is too long.
        """
        (length,) = struct.unpack(">I", self._take(4, deadline))
        if length > min(most, MOST_BYTES):
            raise WireError(f"a frame of {length:,} bytes")
        return decode(self._take(length, deadline))

    def close(self) -> None:
        """Close this end."""
        self.connection.close()

    def _take(self, n: int, deadline) -> bytes:
        is_second = False
        while len(self.buffer) < n:
            self._wait(deadline)
            if is_second:
                time.sleep(0.001)  # or one byte at a time would keep this process busy
            is_second = True
            try:
                data = self.connection.recv(1 << 16, _how(deadline))
            except BlockingIOError:
                continue
            except OSError as error:
                raise ClosedError("the other side is gone") from error
            if not data:
                raise ClosedError("the other side is gone")
            self.buffer += data
            self.received += len(data)
        taken = bytes(self.buffer[:n])
        del self.buffer[:n]
        return taken

    def _wait(self, deadline, *, write: bool = False) -> None:
        if deadline is None:
            return
        poll = select.poll()
        poll.register(self.connection, select.POLLOUT if write else select.POLLIN)
        if not poll.poll(max(0.0, deadline - time.monotonic()) * 1000):
            raise LateError("nothing came in time")


def _how(deadline: float | None) -> int:
    """Give the flags of a call that has a deadline: it must not wait for what it was told of.

    A byte that was sent out of band is told of, and is none that could be read.
    """
    return 0 if deadline is None else socket.MSG_DONTWAIT
