"""A chain of shapes: arrays as boxes, drawn to scale, and how they meet.

The shapes are those that the lesson's grids have recorded, so no mark says one.
"""

import html
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from course import BuildError

LABEL = 0.4  # how wide a letter of a name is, in sizes of a cell


class Array(NamedTuple):
    """A box: what it is called, its shape as NumPy writes it, and its colour."""

    name: str
    shape: tuple[int, ...]
    hue: str = ""

    @property
    def turned(self) -> "Array":
        """The same with its two axes exchanged."""
        return self._replace(name=f"{self.name}.T", shape=self.shape[::-1])


Known = Sequence[tuple[int, Mapping]]  # of each table of a grid the number of its cell


def chain(said: str, known: Known, at: int) -> str:
    """Draw what a mark says: products and sums of arrays, row by row.

    Parameters
    ----------
    said
        `x @ w_query = query; query @ key.T = scores`.
    known
        The tables of the lesson's grids, each with the number of its cell.
    at
        The cell that the mark stands at: of several arrays of a name, that one is meant which was
        shown last, or else will be next.

    Raises
    ------
    BuildError
        For a name that no grid shows, and for shapes that do not meet as it is said.
    """
    return "\n".join(boxes(*_equation(row.strip(), known, at)) for row in said.split(";"))


def boxes(arrays: Sequence[Array], signs: Sequence[str]) -> str:
    """Draw arrays in a row, with a sign between every two."""
    columns = [max((array.shape or (1,))[-1], LABEL * len(_told(array))) for array in arrays]
    rows = max(_rows(array.shape) for array in arrays)
    drawn = [_box(array) for array in arrays]
    signs = [f'<span class="sign">{html.escape(sign)}</span>' for sign in signs]
    between = [part for pair in zip(drawn, [*signs, ""], strict=True) for part in pair]
    style = f"--across: {sum(columns):.1f}; --signs: {len(signs)}; --down: {rows}"
    return f'<div class="chain"><div class="arrays" style="{style}">{" ".join(between)}</div></div>'


def _box(array: Array) -> str:
    name = re.sub(r"\.T$", "<sup>T</sup>", html.escape(array.name))
    many = " many" if len(array.shape) > 2 else ""
    size = f"--rows: {_rows(array.shape)}; --columns: {(array.shape or (1,))[-1]}"
    hue = f"; --hue: {array.hue}" if array.hue else ""
    return (
        f'<span class="array"><b>{name}</b><i class="box{many}" style="{size}{hue}"></i>'
        f"<span>{array.shape}</span></span>"
    )


def _told(array: Array) -> str:
    return max(array.name, str(array.shape), key=len)


def _rows(shape: tuple[int, ...]) -> int:
    return shape[-2] if len(shape) > 1 else 1


def _equation(row: str, known: Known, at: int) -> tuple[list[Array], list[str]]:
    """Read one row: its arrays and the signs between them."""
    left, _, result = row.partition(" = ")
    signs = re.findall(r" ([@+]) ", left)
    names = re.split(r" [@+] ", left)
    if not signs or not result:
        raise BuildError(f"shapes meet as in `x @ w_query = query`, and not as in `{row}`")
    shapes = [_nearest(name, known, at) for name in names]
    if shapes.count(None) == 1 and len(shapes) == 2 and signs == ["@"]:
        shapes = _solved(names, shapes, result, known, at)
    for name, array in zip(names, shapes, strict=True):
        if array is None:
            raise BuildError(f"no grid of the lesson shows `{name.removesuffix('.T')}`")
    arrays = list(shapes)
    shape = arrays[0].shape
    for sign, array in zip(signs, arrays[1:], strict=True):
        shape = _met(shape, sign, array)
    named = (_array(table) for _, table in known if table["name"] == result)
    if not (made := [array for array in named if array.shape == shape]):
        raise BuildError(f"`{left}` has the shape {shape}, and no `{result}` of the lesson has it")
    return [*arrays, made[0]], [*signs, "→"]


def _met(shape: tuple[int, ...], sign: str, array: Array) -> tuple[int, ...]:
    """Return the shape of what two arrays make."""
    if sign == "+" and shape == array.shape:
        return shape
    if sign == "@" and len(shape) == len(array.shape) == 2 and shape[1] == array.shape[0]:
        return shape[0], array.shape[1]
    raise BuildError(f"{shape} {sign} {array.shape}, that of `{array.name}`, do not meet")


def _solved(
    names: Sequence[str], shapes: Sequence[Array | None], result: str, known: Known, at: int
) -> list[Array | None]:
    """Give the one factor that no grid shows the only shape that it can have."""
    made = _nearest(result, known, at)
    if made is None:
        return list(shapes)
    first, second = shapes
    if first is None:
        return [Array(names[0], (made.shape[0], second.shape[0])), second]
    return [first, Array(names[1], (first.shape[1], made.shape[1]))]


def _nearest(name: str, known: Known, at: int) -> Array | None:
    """Find an array by its name, turned where the name says so."""
    plain = name.removesuffix(".T")
    found = [(cell > at, abs(cell - at), table) for cell, table in known if table["name"] == plain]
    if not found:
        return None
    array = _array(min(found, key=lambda each: each[:2])[2])
    return array.turned if name != plain else array


def _array(table: Mapping) -> Array:
    shape = tuple(map(int, re.findall(r"\d+", table["shape"])))
    return Array(table["name"], shape, table["hues"][0])
