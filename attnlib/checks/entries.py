"""Dictionaries, such as a model or a vocabulary: copied, told in words, and what became of one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Change:
    """What a call did to an entry of a dictionary that came in."""

    i: int  # which input the dictionary is
    name: str  # the entry
    how: str  # `"written"` into its array, `"replaced"` by another, `"added"` or `"removed"`


def leaves(value) -> list:
    """Give what a dictionary holds, arrays as a rule; of anything else, itself."""
    return [*value.values()] if isinstance(value, dict) else [value]


def copied(value):
    """Copy an array, or a dictionary with all its arrays; a number stays as it is."""
    if isinstance(value, dict):
        return {name: array.copy() if _plain(array) else array for name, array in value.items()}
    return value.copy() if _plain(value) else value


def _plain(value) -> bool:
    return type(value) is np.ndarray  # what a learner put in its place may be anything


def holds_numbers(value: dict) -> bool:
    """Whether a dictionary holds whole numbers, such as a vocabulary's, and no arrays."""
    return bool(value) and all(type(x) is int for x in value.values())


def shapes(value: dict) -> str:
    """Tell a dictionary by its names and shapes; where it holds whole numbers, as it is written."""
    if holds_numbers(value):
        return "{" + ", ".join(f"{name!r}: {x}" for name, x in value.items()) + "}"
    return " and ".join(f"{name} {np.shape(array)}" for name, array in value.items()) or "nothing"


def changed(now, before) -> bool:
    """Whether an array, or a number, is another one since a call."""
    if type(before) is int:
        return not (type(now) is int and now == before)
    return not (
        _plain(now)
        and now.shape == before.shape
        and now.dtype == before.dtype
        and np.array_equal(now, before, equal_nan=before.dtype.kind == "f")
    )


def changes(i: int, now: dict, handed: dict, before: dict) -> list[Change]:
    """Say what became of a dictionary's entries.

    Parameters
    ----------
    i : int
        Which input it is.
    now : dict
        The dictionary itself, after the call.
    handed : dict
        The same arrays as it held when it was handed over, which may have been written into.
    before : dict
        What they held then.
    """
    found = []
    for name in before:
        if name not in now:
            found.append(Change(i, name, "removed"))
        elif changed(now[name], before[name]):
            how = "written" if now[name] is handed[name] else "replaced"
            found.append(Change(i, name, how))
    new = (name for name in now if name not in before)
    return found + [Change(i, name if type(name) is str else "", "added") for name in new]
