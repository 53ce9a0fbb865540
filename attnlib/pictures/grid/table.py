"""What is in a grid: arrays, as they are printed, and their names."""

import math
import re
from typing import NamedTuple

import numpy as np

from attnlib.pictures.colours import COLORS
from attnlib.pictures.paper import number

FEATURED = ("query", "key", "value", "output")  # whose columns are features
MOST_COLUMNS, MOST_ROWS = 20, 40  # of an array that is shown with its numbers
TRUE = 0.4  # the share of a cell that is True


class Table(NamedTuple):
    """One array of a grid, as it is printed."""

    name: str
    color: str  # a role's, `"weights"`, or empty
    shape: tuple
    rows: tuple  # their names, as those of columns
    columns: tuple
    axes: tuple  # what a row and a column are; empty where nothing is said
    words: tuple  # the numbers, as they stand in the cells
    # How much of its colour a cell has, from -1 to 1; None where it is hidden or no number.
    shares: tuple
    large: bool  # whether it is shown without its numbers

    @property
    def signed(self):
        """Whether a number below 0 is in it."""
        return any((share or 0) < 0 for row in self.shares for share in row)

    @property
    def ends(self):
        """The least and the largest number, and the names of the largest one's row and column."""
        numbers = as_printed(self.words)
        finite = np.isfinite(numbers)
        if not finite.any() or any("True" in row for row in self.words):
            return None
        low = np.where(finite, numbers, np.inf).argmin()
        high = np.where(finite, numbers, -np.inf).argmax()
        row, column = divmod(int(high), len(self.columns))
        words = [word for line in self.words for word in line]
        return words[low], words[high], self.rows[row], self.columns[column]


def tabulated(arrays, *, rows, columns, axes, decimals):
    """Return arrays, by name, as Tables; `plotting.grid` says what may come in."""
    if decimals is not None and not (type(decimals) is int and decimals >= 0):
        raise ValueError(
            "a grid prints a whole number of decimals, 0 or more: "
            f"decimals is {decimals!r}, and that is none."
        )
    arrays = {name: _numbers(name, array) for name, array in arrays.items()}
    for what, names in (("rows", rows), ("columns", columns)):
        for name in names if isinstance(names, dict) else ():
            if name not in arrays:
                raise ValueError(
                    f"{what} are named by the name of their array: {what} came for {name!r}, and "
                    f"that is none of {', '.join(map(repr, arrays))}."
                )
    words = {name: _words(array, decimals) for name, array in arrays.items()}
    printed = {name: as_printed(words[name]) for name in arrays}
    tables = []
    for name, array in arrays.items():
        color, true = _color(name), array.dtype == bool
        large = array.shape[-1] > MOST_COLUMNS or len(words[name]) > MOST_ROWS
        alike = [
            printed[other]
            for other, values in arrays.items()
            if _color(other) == color and (values.dtype == bool) == true
        ]
        whole = true or (color in ("", "weights") and not large)  # 1 is the darkest, or more
        row_names = ("",) if array.ndim == 1 else _names(name, array, 0, rows)
        square = color not in FEATURED and len(set(array.shape)) == 1 and array.ndim == 2
        tables.append(
            Table(
                name=name,
                color=color,
                shape=array.shape,
                rows=row_names,
                columns=_names(name, array, -1, columns, row_names if square else None),
                axes=_axes(name, axes),
                words=words[name],
                shares=_shares(printed[name], alike, least=1.0 if whole else 0.0),
                large=large,
            )
        )
    return tables


# What comes in


def _numbers(name, array):
    """Return what came in as an array of one or two axes that holds numbers."""
    named = f"{name} is" if name else "the array is"
    try:
        array = np.asarray(array)
    except ValueError:
        raise ValueError(
            f"a grid shows an array, all rows as long: {named} a {type(array).__name__} whose "
            f"rows differ, {', '.join(str(np.size(row)) for row in array)} long."
        ) from None
    if array.dtype.kind not in "biuf":
        raise TypeError(
            "a grid shows real numbers, or True and False: "
            f"{named} an array of {array.dtype}, and that is neither."
        )
    if array.ndim not in (1, 2):
        raise ValueError(
            f"a grid shows rows and columns, two axes: {named} {array.shape}, and "
            f"{array.ndim} != 2. Arrays side by side are handed in one by one, with their names."
        )
    return array


def _names(name, array, axis, given, otherwise=None):
    """Return what the rows or the columns of an array are called; numbers where nobody says."""
    n = array.shape[axis]
    given = given.get(name) if isinstance(given, dict) else given
    if given is None:
        return tuple(map(str, range(n))) if otherwise is None else otherwise
    what = "column" if axis else "row"
    if not hasattr(given, "__len__"):
        raise TypeError(
            f"the names of a grid's {what}s are a list, one for each: {what}s is {given!r}, "
            f"an object of type {type(given).__name__}, which has no length."
        )
    if len(given) != n:
        raise ValueError(
            f"a grid needs one name for each {what}: {name or 'the array'} is {array.shape}, "
            f"there are {len(given)} names, and {n} != {len(given)}."
        )
    return tuple(map(str, given))


def _color(name):
    """Return whose colour an array has, by the words of its name: `w_query` has the query's."""
    for word in re.findall("[a-z]+", name.lower()):
        for role in (*COLORS, "weights"):
            if word in (role, f"{role}s", f"{role[:-1]}ies"):
                return role
    return ""


def _axes(name, axes):
    """Return what rows and columns are: queries look at keys, where nothing else is said."""
    looks = re.match("weights|scores", name) or "mask" in name.lower()
    usual = ("query", "key") if looks else ("", "")
    return tuple(own if given is None else given for own, given in zip(usual, axes, strict=True))


# How it is printed


def _words(array, decimals):
    """Return an array as printed, (n_rows, n_columns): rounded to what any machine gives.

    A number that lies half way between two goes up, on every machine: what rounding errors may have
    taken is added first.
    """
    table = np.atleast_2d(array)
    if array.dtype == bool:
        return tuple(tuple(map(str, row)) for row in table.tolist())
    noise = 64 * np.finfo(array.dtype).eps if array.dtype.kind == "f" else 0.0
    table = table.astype(float) * (1 + noise)
    decimals = _decimals(table, noise) if decimals is None else decimals
    return tuple(tuple(number(x, decimals) for x in row) for row in table.tolist())


def _decimals(table, noise):
    """Return as many decimals as an array needs: none for whole numbers, and two for most."""
    sizes = np.abs(table[np.isfinite(table)])
    largest = sizes.max(initial=0)
    for few in (0, 1):
        if np.allclose(sizes, sizes.round(few), rtol=0, atol=max(noise, 1e-12) * largest):
            return few
    size = math.floor(math.log10(largest))  # of 0.05 it is -2, of 5 it is 0
    return min(max(3 - size, 0), 2) if size >= -1 else min(1 - size, 6)


def as_printed(words):
    """Return the numbers that the words say; False, whose cell is hatched, is no finite one."""
    said = {"True": str(TRUE), "False": "-inf"}
    rows = [[float(said.get(word, word).replace("−", "-")) for word in row] for row in words]
    return np.array(rows, dtype=float)


def _shares(table, alike, least):
    """Return how much of its colour each cell has: alike are the arrays in one colour."""
    finite = np.concatenate([x[np.isfinite(x)] for x in alike])
    least = 1e-300 if (finite < 0).any() else max(least, 1e-300)
    largest = max(float(np.abs(finite).max(initial=0)), least)
    return tuple(
        tuple(round(x / largest, 2) if math.isfinite(x) else None for x in row)
        for row in table.tolist()
    )
