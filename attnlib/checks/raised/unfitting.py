"""Shapes that do not fit: which they are, what they should be, and a question to go on with."""

from __future__ import annotations

import math
import re

from attnlib.checks.raised.failing import ELEMENTWISE, Failure


def told(failed: Failure, message: str) -> str:
    """Say what met where an operation failed, and what would fit; nothing where that is unknown.

    Parameters
    ----------
    failed : Failure
        The operation and its sides.
    message : str
        NumPy's own words.
    """
    shapes = [side for side in failed.sides if isinstance(side, tuple)]
    if failed.operation == "@" and failed.known and len(shapes) == 2:
        return product(*shapes)
    if failed.operation in ELEMENTWISE and failed.known and "broadcast" in message:
        return broadcast(shapes)
    if failed.operation == "reshape" and failed.known and "reshape array of size" in message:
        return _reshape(failed.sides)
    if "out of bounds for array of dim" in message and failed.sides:
        return _axis(failed.sides[0], message)
    if failed.operation == "einsum" and failed.known:
        return _letters(*failed.sides)
    if failed.operation in ("transpose", "permute") and "axes don't match" in message:
        return _axes(failed.sides)
    return ""


def product(left: tuple[int, ...], right: tuple[int, ...]) -> str:
    """Say why two shapes have no matrix product."""
    said = f"{left} meets {right}"
    if not left or not right:
        return f"{said}; `@` takes arrays, and () is a single number"
    if left[-1] == right[-2:][0]:
        return f"{said}; the axes in front, {left[:-2]} and {right[:-2]}, do not fit together"
    behind = "the second to last" if right[1:] else "the only one"
    said += f"; the last axis of the left must be as long as {behind} of the right, and "
    return said + f"{left[-1]} is not {right[-2:][0]}"


def asked(left: tuple[int, ...], right: tuple[int, ...], text: str) -> str:
    """Ask what to do about a product, where turning or exchanging its sides would help."""
    if "transpose(" in text:
        return ""  # it may have turned an axis, all of them, or none
    sides = zip((left, right), text.split("@"), strict=False)
    if any(len(shape) > 2 and side.strip(" ()").endswith(".T") for shape, side in sides):
        return "`.T` reverses all axes. Should the last two alone change places?"
    numbered = re.search(r"swapaxes\((\d), ?(\d)\)", text)
    if numbered and max(len(left), len(right)) > 2:
        return f"`{numbered[0]}` counts axes from the front. Should the last two change places?"
    if ".T" in text or "swapaxes" in text:
        return "Is one of the two transposed that should not be?"
    if left[-1:] == right[-1:] and left[1:] and right[1:]:
        return "Is one of the two to be transposed, or is it another array than you meant?"
    if left[1:] and right[1:] and left[-2] == right[-2]:
        return "Is one of the two to be transposed, or is it another array than you meant?"
    if left[1:] and right[1:] and right[-1] == left[-2]:
        return "Do the two stand in the right order?"
    return ""


def broadcast(shapes: list[tuple[int, ...]]) -> str:
    """Say which lengths do not fit where shapes meet entry by entry."""
    met = f"{shapes[0]} meets {' and '.join(map(str, shapes[1:]))}"
    for k in range(1, 1 + max(map(len, shapes))):
        lengths = [shape[-k] for shape in shapes if len(shape) >= k and shape[-k] != 1]
        if len({*lengths}) > 1:
            a, b = list(dict.fromkeys(lengths))[:2]
            where = "in the last axis" if k == 1 else f"in axis -{k}"
            return f"{met}; counted from the end, {a} meets {b} {where}, and neither is 1"
    return met


def lost(shapes: list[tuple[int, ...]]) -> str:
    """Ask for an axis that a sum or a maximum took away, where one shape is the other less one."""
    if len(shapes) != 2:
        return ""
    long, short = sorted(shapes, key=len, reverse=True)
    for k in range(len(long)):
        if len(long) > 1 and short == (*long[:k], *long[k + 1 :]):
            return f"Has {short} lost an axis on the way, in a sum, a maximum or an index?"
    return ""


def multiplied(shapes: list[tuple[int, ...]]) -> str:
    """Ask for a matrix product, where two shapes fit one and not each other."""
    if len(shapes) == 2 and all(map(len, shapes)) and shapes[0][-1:] == shapes[1][-2:-1]:
        return "Is a matrix product meant, `@`?"
    return ""


def _reshape(sides: tuple) -> str:
    shape, *sizes = sides
    sizes = sizes[0] if sizes and isinstance(sizes[0], tuple) else sizes
    if not isinstance(shape, tuple) or not all(isinstance(n, int) for n in sizes):
        return ""
    holds = f"an array of shape {shape} holds {math.prod(shape)} numbers"
    wanted = ", ".join(map(str, sizes))
    if -1 in sizes:
        return f"{holds}, which do not fill ({wanted}), whatever -1 stands for"
    return f"{holds}, and ({wanted}) would hold {math.prod(sizes)}"


def _axis(shape, message: str) -> str:
    axis = re.search(r"axis (-?\d+) is out of bounds for array of dimension (\d+)", message)
    if axis is None or not isinstance(shape, tuple):
        return ""
    several = shape if any(isinstance(x, tuple) for x in shape) else (shape,)  # as `concatenate`'s
    shape = next((x for x in several if isinstance(x, tuple) and len(x) == int(axis[2])), None)
    if shape is None:  # it is the answer's axis, or which array it is, nothing tells
        return ""
    if not shape:
        return f"there is no axis {axis[1]} in a single number"
    has = "1 axis, number 0" if len(shape) == 1 else f"{len(shape)} axes, 0 to {len(shape) - 1}"
    return f"an array of shape {shape} has {has}, and no axis {axis[1]}; -1 is the last of any"


def _axes(sides: tuple) -> str:
    shape, *order = sides
    order = order[0] if order and isinstance(order[0], tuple) else order
    if not isinstance(shape, tuple):
        return ""
    return f"{len(order)} axes are named, and an array of shape {shape} has {len(shape)}"


def _letters(subscripts, *shapes) -> str:
    """Say which letter of an einsum stands for two lengths, or where letters and axes differ."""
    if not isinstance(subscripts, str) or not all(isinstance(s, tuple) for s in shapes):
        return ""
    lengths = {}
    groups = subscripts.replace(" ", "").partition("->")[0].split(",")
    if len(groups) != len(shapes):
        return f"the letters are for {len(groups)} arrays, and {len(shapes)} came"
    for letters, shape in zip(groups, shapes, strict=True):
        front, dots, behind = letters.partition("...")
        if len(front + behind) != len(shape) and not (dots and len(front + behind) < len(shape)):
            return f"`{letters}` names {len(front + behind)} axes, and its array is {shape}"
        pairs = [*zip(front, shape, strict=False)]
        pairs += zip(reversed(behind), reversed(shape), strict=False) if dots else []
        for letter, length in pairs:
            if lengths.setdefault(letter, length) != length and 1 not in (length, lengths[letter]):
                return f"`{letter}` stands for {lengths[letter]} and for {length}"
    return ""
