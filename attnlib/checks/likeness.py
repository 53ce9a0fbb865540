"""What wrong answers have to do with the right ones, where no known mistake is met.

Each sentence is computed, and holds in every plain example to which an answer came. One of these at
least has numbers that could have told otherwise: nothing is said of zeros alone. Nor is anything
said of an array that is right in the example that is shown: what is wrong there comes first.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from attnlib.checks.calling import Outcome
from attnlib.checks.exercise import LEAST, Case, Exercise, differs
from attnlib.checks.report import number

FACTOR = "The pattern is right already. Look for a factor too many, or for one left out."
Pairs = list[tuple[np.ndarray, np.ndarray]]


@dataclass(frozen=True)
class Likeness:
    """What was found, in a sentence, and what to think of."""

    sentence: str
    hint: str = ""


def telling(got: Outcome, due: Outcome) -> bool:
    """Whether a wrong answer says how it came about: nothing but NaN, inf or 0 does not."""
    if got.agrees(due):
        return False
    if got.kind != "answer" or (got.changed, got.altered) != (due.changed, due.altered):
        return True
    if got.names != due.names or len(got.arrays) != len(due.arrays):
        return True
    return any(map(_tells, got.arrays, due.arrays)) and any(map(_holds_numbers, got.arrays))


def _tells(a: np.ndarray, b: np.ndarray) -> bool:
    if a.shape != b.shape or a.dtype != b.dtype or a.dtype != float:
        return a.shape != b.shape or a.dtype != b.dtype or bool(differs(a, b).any())
    return bool((differs(a, b, LEAST) & np.isfinite(a)).any())


def _holds_numbers(a: np.ndarray) -> bool:
    return a.dtype != float or not a.size or bool((np.isfinite(a) & (a != 0)).any())


def likened(exercise: Exercise, met: list[tuple[Case, Outcome, Outcome]]) -> list[Likeness]:
    """Say what wrong answers have to do with the right ones.

    Parameters
    ----------
    exercise : Exercise
        What was to be done.
    met : list of (Case, Outcome, Outcome)
        Each plain example to which an answer came, with it and with the right one; the first is
        the one that is shown.
    """
    if any(got.names != due.names or len(got.arrays) != len(due.arrays) for _, got, due in met):
        return []
    found = []
    for k, (label, of_it) in enumerate(_labelled(exercise, met)):
        if _same(*of_it[0]):
            continue
        stored_whole = all(got.stored_whole[k : k + 1] == (True,) for _, got, _ in met)
        cut = _whole(label, of_it) if stored_whole else None
        if one := cut or _of_pairs(label, of_it, _has_diagonal(exercise, k, of_it)):
            found.append(one)
    return _exchanged(exercise, met) or found


def _has_diagonal(exercise: Exercise, k: int, met: Pairs) -> bool:
    """Whether rows and columns of an array count the same things: by name, or else by number."""
    if exercise.shapes:
        rows_columns = exercise.shapes.answers[k].axes[-2:]
        return len(rows_columns) == 2 and len({*rows_columns}) == 1
    return all(b.ndim > 1 and b.shape[-2] == b.shape[-1] for _, b in met)


def _exchanged(exercise, met) -> list[Likeness]:
    """Tell of two arrays of an answer that stand in each other's place."""
    parts = exercise.parts if isinstance(exercise.parts, tuple) else ()
    for j, k in itertools.combinations(range(len(parts)), 2):
        pairs = [(got.arrays, due.arrays) for _, got, due in met]
        crossed = all(_same(a[j], b[k]) and _same(a[k], b[j]) for a, b in pairs)
        if crossed and not all(_same(a[j], b[j]) for a, b in pairs):
            order = ", ".join(parts)
            return [
                Likeness(
                    f"Your {parts[j]} and {parts[k]} stand in each other's place.",
                    f"Return them in the order of the task: {order}.",
                )
            ]
    return []


def _labelled(exercise, met) -> Iterator[tuple[str, Pairs]]:
    """Give the arrays of the answers and the right ones, name by name; a dictionary's as one."""
    if exercise.parts is dict:
        yield "", [(_joined(got), _joined(due)) for _, got, due in met]
        return
    for k, label in enumerate(exercise.parts or ("",) if exercise.parts is not str else ("",)):
        yield label, [(got.arrays[k], due.arrays[k]) for _, got, due in met]


def _joined(outcome: Outcome) -> np.ndarray:
    return _strung(outcome.arrays)


def _whole(label: str, met: Pairs) -> Likeness | None:
    """Tell of decimals that had no room: what came is known to be an array of whole numbers."""
    if not any(np.isfinite(b).all() and differs(np.trunc(b), b).any() for _, b in met):
        return None
    if _all(met, lambda a, b: _same(a, np.trunc(b))):
        return _of(
            label, "Your numbers lost their decimals, because they were stored as whole numbers."
        )
    return _of(label, "Your numbers are stored as whole numbers, and decimals have no room there.")


def _of_pairs(label: str, met: Pairs, has_diagonal: bool) -> Likeness | None:
    if others := [(a, b) for a, b in met if a.shape != b.shape]:
        alike = all(a.shape != b.shape or _same(a, b) for a, b in met)
        found = _other_axes(others) if alike and _varied(_strung([b for _, b in met])) else None
        return _of(label, found) if found else None
    if not any(_varied(b) for _, b in met):
        return None  # where all numbers that are due are alike, anything is like them
    parts = PARTS | DIAGONAL if has_diagonal else PARTS
    for told in (*SAME_SHAPE, partial(_placed, of=parts), _alike):
        if found := told(met):
            return _of(label, *found) if isinstance(found, tuple) else _of(label, found)
    return None


def _strung(arrays: list[np.ndarray]) -> np.ndarray:
    """Give all numbers of several arrays in a row."""
    return np.concatenate([np.ravel(array) for array in arrays] or [np.zeros(0)])


def _of(label: str, sentence: str, hint: str = "") -> Likeness:
    """Say of which array a sentence is, where there are several."""
    return Likeness(f"In {label}, {sentence[0].lower()}{sentence[1:]}" if label else sentence, hint)


def _varied(b: np.ndarray) -> bool:
    """Whether an array has two numbers of different size, or both True and False."""
    if b.dtype == object:
        return False
    found = np.abs(b[np.isfinite(b) & (b != 0)]) if b.dtype == float else b
    return np.unique(np.round(found.astype(float), 9)).size > 1


def _same(a: np.ndarray, b: np.ndarray) -> bool:
    return a.shape == b.shape and a.dtype == b.dtype and not differs(a, b, LEAST).any()


def _everywhere(met: Pairs, made: Callable) -> bool:
    """Whether each of the answers is what is made of the right one."""
    with np.errstate(all="ignore"):
        return all(_same(a, made(b)) for a, b in met)


def _numbers(met: Pairs) -> bool:
    return all(a.dtype == b.dtype == float and np.isfinite(a).all() for a, b in met)


def _zeros(met):
    if _numbers(met) and not any(a.any() for a, _ in met):
        return "Your numbers are 0, all of them, in every plain example."
    return None


def _decimals(met):
    whole = _numbers(met) and _everywhere(met, np.trunc) and any(a.any() for a, _ in met)
    return "Your numbers lost their decimals: were they stored as whole numbers?" if whole else None


def _rounded(met):
    if not _numbers(met) or not any(a.any() for a, _ in met):
        return None
    for n in range(6):
        if _everywhere(met, lambda b, n=n: np.round(b, n)):
            to = f"{n} decimal{'s' if n > 1 else ''}" if n else "whole numbers"
            return f"Your numbers are the expected ones, rounded to {to}."
    return None


def _factor(met):
    if not _numbers(met):
        return None
    told = [(a, b, _ratio(a, b)) for a, b in met if b.any() or a.any()]
    if not told or any(not ratio or differs(a, ratio * b, LEAST).any() for a, b, ratio in told):
        return None
    here, others = told[0][2], [ratio for _, _, ratio in told]
    if np.allclose(others, here, rtol=1e-4):
        if abs(here + 1) < 1e-4:
            return "Every number of yours has the wrong sign."
        return f"Every number of yours is {number(here, 4)} times the expected one.", FACTOR
    if all(_varied(b) for _, b, _ in told):
        return (
            f"Every number of yours is {number(here, 4)} times the expected one here; in other "
            "examples, it is another number of times that.",
            FACTOR,
        )
    return None


def _ratio(a, b) -> float:
    with np.errstate(all="ignore"):
        ratio = float((a * b).sum() / (b * b).sum())
    return ratio if np.isfinite(ratio) else 0.0


def _shift(met):
    if not _numbers(met):
        return None
    shifts = [float((a - b).mean()) for a, b in met if b.size]
    if any(differs(a, b + shift).any() for (a, b), shift in zip(met, shifts, strict=False)):
        return None
    here = shifts[0]
    if all(abs(shift - here) < 1e-6 for shift in shifts):
        more = "more" if here > 0 else "less"
        return f"Every number of yours is the expected one and {number(abs(here), 4)} {more}."
    return (
        f"All numbers of yours are off by the same: here by {number(here, 4)}, and in other "
        "examples by another number."
    )


def _rows(met):
    """Find a factor for each row, or for each column; there are rows that it could not fit."""
    if not _numbers(met) or any(b.ndim < 2 for _, b in met):
        return None
    for axis, name in ((-1, "row"), (-2, "column")):
        if all(_same(a, b) or _in_ratio(a, b, axis) for a, b in met):
            return (
                f"Each {name} of yours is the expected one, multiplied by a number that differs "
                f"from {name} to {name}.",
                f"What is right already is how the numbers of a {name} compare. What should each "
                f"{name} be multiplied or divided by?",
            )
    return None


def _in_ratio(a, b, axis) -> bool:
    """Whether there is a factor for each row, where rows have two numbers or more that count."""
    if b.shape[axis] < 2 or (np.sort(np.abs(b), axis=axis).take(-2, axis) < 0.01).any():
        return False
    ratio = (a * b).sum(axis=axis, keepdims=True) / (b * b).sum(axis=axis, keepdims=True)
    return bool((ratio != 0).all()) and not differs(a, ratio * b, LEAST).any()


def _signs(met):
    if _numbers(met) and all(not differs(np.abs(a), np.abs(b), LEAST).any() for a, b in met):
        return "Your numbers are right but for the signs of some of them."
    return None


def _turned_over(met):
    if all(a.dtype == b.dtype == bool for a, b in met) and _everywhere(met, np.logical_not):
        return "You have True where False is expected, and False where True is."
    return None


MADE = (
    (np.square, "the square of the expected one"),
    (np.sqrt, "the square root of the expected one"),
    (np.exp, "the exponential of the expected one"),
    (np.log, "the logarithm of the expected one"),
    (np.reciprocal, "1 divided by the expected one"),
    (lambda b: np.maximum(b, 0), "the expected one, or 0 where that is below 0"),
)


def _made(met):
    if not _numbers(met):
        return None
    found = [words for make, words in MADE if _everywhere(met, make)]
    return f"Every number of yours is {found[0]}." if found else None


def _turned(met):
    """Find axes that have changed places; not by reshaping, but as a transposition does."""
    for order in ORDERS:
        if _everywhere(met, lambda b, order=order: _reordered(b, order)):
            how = "transposed" if order == (-3, -1, -2) else "with the axes in another order"
            return f"Your numbers are the expected ones, {how}."
    return None


# Of the last three axes, beginning with two that are exchanged.
ORDERS = ((-3, -1, -2), (-2, -3, -1), (-1, -2, -3), (-2, -1, -3), (-1, -3, -2))


def _reordered(b, order):
    """Give an array its last axes in another order; one that has two of them has three with 1."""
    if b.ndim < 3:
        return b.swapaxes(-1, -2) if b.ndim == 2 and order == ORDERS[0] else b
    return b.transpose(*range(b.ndim - 3), *(b.ndim + axis for axis in order))


def _in_reverse(met):
    for axis, what in ((-1, "along the last axis"), (-2, "along the second to last axis")):
        if _everywhere(met, lambda b, axis=axis: np.flip(b, axis) if b.ndim >= -axis else b):
            return f"Your numbers are the expected ones, in reverse order {what}."
    return None


def _moved_on(met):
    for axis, step in itertools.product((-1, -2), (1, -1)):
        if _everywhere(met, lambda b, a=axis, s=step: np.roll(b, s, a) if b.ndim >= -a else b):
            along = "along the last axis" if axis == -1 else "along the second to last axis"
            way = "on" if step == 1 else "back"
            return f"Your numbers are the expected ones, moved {way} by one place {along}."
    return None


ANOTHER_ORDER = (
    "Your numbers are the expected ones, in another order. Was an array reshaped where its axes "
    "should change places?"
)


def _in_another_order(met):
    def in_order(x):
        return np.sort(x, axis=None)

    same = all(_same(in_order(a), in_order(b)) for a, b in met)
    if not same or any(b.dtype != float for _, b in met):
        return None
    return ANOTHER_ORDER


def _alike(met):
    if not _numbers(met) or any(b.ndim < 2 for _, b in met):
        return None
    for axis, name in ((-2, "rows"), (-1, "columns")):
        if all(_level(a, axis) for a, _ in met) and not any(_level(b, axis) for _, b in met):
            return f"All your {name} are alike, and the expected ones are not."
    return None


def _level(x, axis) -> bool:
    return not differs(x, np.broadcast_to(x.take([0], axis), x.shape), LEAST).any()


PARTS = {  # of any array, by what marks them: where a row or a column stands
    "the first row": lambda i, j, x: i == 0,
    "the last row": lambda i, j, x: i == x.shape[-2] - 1,
    "the first column": lambda i, j, x: j == 0,
    "the last column": lambda i, j, x: j == x.shape[-1] - 1,
}
DIAGONAL = {  # and the further ones of an array whose rows and columns count the same things
    "the diagonal": lambda i, j, x: i == j,
    "what is above the diagonal": lambda i, j, x: i < j,
    "what is below the diagonal": lambda i, j, x: i > j,
}


def _placed(met, of):
    """Find the one part of the array that is wrong, or the one row or column that is right."""
    if any(b.ndim < 2 or a.dtype != b.dtype for a, b in met):
        return None
    wrong = [differs(a, b, LEAST) for a, b in met]
    if not any(off.any() and min(off.shape[-2:]) > 1 for off in wrong):
        return None
    for name, marks in of.items():
        parts = [np.broadcast_to(_marked(marks, x), x.shape) for x in wrong]
        pairs = [*zip(wrong, parts, strict=True)]
        if not any((off & ~part).any() for off, part in pairs):
            return f"Your numbers are right but for {name}."
        axis = -1 if "row" in name else -2
        alone = (off.any(axis=axis) == ~part.all(axis=axis) for off, part in pairs)
        if ("row" in name or "column" in name) and all(one.all() for one in alone):
            whole = name.removesuffix(" row").removesuffix(" column")
            return f"Of your {name.split()[-1]}s, {whole} alone is right."
    return None


def _marked(marks: Callable, x: np.ndarray) -> np.ndarray:
    rows, columns = np.indices(x.shape[-2:])
    return marks(rows, columns, x)


def _other_axes(met):
    """Say of another shape whether the numbers are right, and what became of the axes."""
    if told := _turned(met):
        return told
    if _all(met, lambda a, b: _same(a.ravel(), b.ravel())):
        return "Your numbers are the expected ones, in the same order, in another shape."
    if _all(met, lambda a, b: a.size == b.size and _same(np.sort(a, None), np.sort(b, None))):
        return ANOTHER_ORDER
    if not all(a.size for a, _ in met):
        return None
    for axis in (-3, -2, -1, 0, 1):
        if _all(met, lambda a, b, axis=axis: _same(a.sum(axis=axis), b)):
            return f"Added up along axis {axis}, your numbers are the expected ones."
        if _all(met, lambda a, b, axis=axis: _same(a, b.sum(axis=axis))):
            return f"Your numbers are the expected ones, added up along axis {axis}."
        if _all(met, lambda a, b, axis=axis: _same(a.mean(axis=axis), b)):
            return f"The means of yours along axis {axis} are the expected numbers."
    if _all(met, lambda a, b: not b.ndim and _same(a.sum(), b)):
        return "All of yours added up are the expected number."
    if _all(met, lambda a, b: not b.ndim and _same(a.mean(), b)):
        return "The mean of all of yours is the expected number."
    if _all(met, lambda a, b: _same(a, np.linalg.norm(b, axis=-1))):
        return "Your numbers are the lengths of the expected rows."
    return None


def _all(met: Pairs, fits: Callable) -> bool:
    try:
        return all(fits(a, b) for a, b in met)
    except (ValueError, TypeError):  # no such axis, or no numbers
        return False


SAME_SHAPE = (
    _zeros, _decimals, _factor, _rounded, _shift, _signs, _turned_over, _made, _turned, _in_reverse,
    _moved_on, _in_another_order, _rows,
)  # fmt: skip
