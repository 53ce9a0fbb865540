"""What an answer would be right for: other inputs than those that came in.

A function that turns a mask over, leaves out a bias or reshapes where it should transpose answers
as the right one would, had something else come in. So the right one is asked, too.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator

import numpy as np

from attnlib.checks.exercise import Exercise, Mistake
from attnlib.checks.shapes import size_of


@functools.cache
def suppositions(exercise: Exercise) -> tuple[Mistake, ...]:
    """Give ways in which the inputs may be mistaken, as mistakes; their names say of what kind."""
    first, *others = (case.inputs for case in exercise.all_cases() if case.promise is None)
    return tuple(
        Mistake(kind, _asked(exercise, change), _sentence(words), "")
        for kind, words, change in _changes(exercise, first, others)
    )


def _sentence(words: str) -> str:
    return f"Your answer is what is expected if {words}" + ("" if words.endswith("?") else ".")


def _asked(exercise: Exercise, change: Callable) -> Callable:
    return lambda *inputs: exercise.answer(*change(inputs))


def _changes(exercise, first, others) -> Iterator[tuple[str, str, Callable]]:
    """Give of each what kind it is, words after "if", and what makes the inputs."""
    named = [*enumerate(zip(exercise.parameters, first, strict=True))]
    for i, (name, x) in named:
        if isinstance(x, np.ndarray):
            for kind, words, make in _of_array(f"`{name}`", x):
                yield kind, words, _at(i, make)
        elif type(x) in (int, float):
            for kind, words, make in _of_number(f"`{name}`", x):
                yield kind, words, _at(i, make)
    for (i, (a, x)), (j, (b, y)) in itertools.combinations(named, 2):
        if isinstance(x, np.ndarray) and isinstance(y, np.ndarray) and x.dtype == y.dtype:
            yield "exchanged", f"`{a}` and `{b}` changed places", _exchanged(i, j)
    if exercise.parts is not dict:
        for i, (name, x) in named:
            if isinstance(x, dict) and all(isinstance(one, np.ndarray) for one in x.values()):
                yield from _of_entries(i, name, x, [inputs[i] for inputs in others])
    yield from _scaled(exercise, named)


def _at(i: int, make: Callable) -> Callable:
    return lambda inputs: (*inputs[:i], make(inputs[i]), *inputs[i + 1 :])


def _exchanged(i: int, j: int) -> Callable:
    def change(inputs):
        changed = [*inputs]
        changed[i], changed[j] = inputs[j], inputs[i]
        return tuple(changed)

    return change


def _of_array(name: str, x: np.ndarray) -> Iterator[tuple[str, str, Callable]]:
    if x.dtype == bool:
        yield "turned over", f"{name} had True for False, and False for True", np.logical_not
        yield "not used", f"{name} were True everywhere: is it used?", np.ones_like
    if x.ndim > 1:
        yield "transposed", f"{name} were transposed", lambda x: x.swapaxes(-1, -2)
        yield "reshaped", _other_order(name), _reshaped
        yield "in reverse", f"{name} had its rows in reverse order", lambda x: x[..., ::-1, :]
    if x.ndim and x.dtype != bool:
        what = f"{name} had its last axis" if x.ndim > 1 else f"{name} stood"
        yield "in reverse", f"{what} in reverse order", lambda x: x[..., ::-1]
    if x.dtype == float and x.ndim:
        line = "row" if x.ndim > 1 else "number"
        for which, i in (("first", 0), ("last", -1)):
            words = f"the {which} {line} of {name} were 0: is it left out?"
            yield "other", words, functools.partial(_without, i)
    if x.dtype == float:
        yield "left out", f"{name} were 0: is it left out?", np.zeros_like
        yield "not used", f"{name} were 1 everywhere: is it used?", np.ones_like
        yield "other", f"{name} had the other sign", np.negative
        yield "other", f"{name} had no signs, all its numbers above 0", np.abs
    elif x.dtype.kind in "iu":
        yield "other", f"every number of {name} were one more", lambda x: x + 1
        yield "other", f"every number of {name} were one less", lambda x: x - 1
        if x.ndim:
            words = f"{name} were counted from the first of them"
            yield "other", words, lambda x: x - x[..., :1]


def _without(i: int, x: np.ndarray) -> np.ndarray:
    """Give an array whose first row, or last, is 0; of one axis, a number."""
    x = x.copy()
    x[(..., i, slice(None)) if x.ndim > 1 else i] = 0
    return x


def _other_order(name: str) -> str:
    return (
        f"the numbers of {name} stood in another order: is it reshaped where its axes should "
        "change places?"
    )


def _reshaped(x: np.ndarray) -> np.ndarray:
    """Give what has to come in so that its transpose is what a reshape makes of an array."""
    *front, n, d = x.shape
    return x.reshape(*front, d, n).swapaxes(-1, -2)


def _of_number(name: str, x) -> Iterator[tuple[str, str, Callable]]:
    yield "not used", f"{name} were 1: is it used?", lambda x: type(x)(1)
    yield "other", f"{name} were twice as large", lambda x: 2 * x
    if type(x) is int:
        yield "other", f"{name} were one more", lambda x: x + 1
        yield "other", f"{name} were one less", lambda x: x - 1
        return
    yield "left out", f"{name} were 0: is it left out?", lambda x: 0.0
    yield "other", f"{name} had the other sign", lambda x: -x
    yield "other", f"{name} were half as large", lambda x: x / 2
    yield "other", f"{name} were 1 divided by it", lambda x: 1 / x
    yield "other", f"{name} were squared", lambda x: x * x
    yield "other", f"{name} were its square root", np.sqrt


def _of_entries(i, name, held, others) -> Iterator[tuple[str, str, Callable]]:
    keys = [key for key in held if all(key in other for other in others)]
    for key in keys:
        entry = f"`{name}[{key!r}]`"
        for value, kind, asks in ((0, "left out", "left out"), (1, "not used", "used")):
            yield kind, f"{entry} were {value}: is it {asks}?", _entry(i, key, value)
        if held[key].ndim > 1:
            yield "transposed", f"{entry} were transposed", _turned_entry(i, key)
    for a, b in itertools.combinations(keys, 2):
        if held[a].ndim == held[b].ndim:
            words = f"`{name}[{a!r}]` and `{name}[{b!r}]` changed places"
            yield "exchanged", words, _exchanged_entries(i, a, b)


def _entry(i, key, value) -> Callable:
    return _at(i, lambda held: held | {key: np.full_like(held[key], value)})


def _turned_entry(i, key) -> Callable:
    return _at(i, lambda held: held | {key: held[key].swapaxes(-1, -2)})


def _exchanged_entries(i, a, b) -> Callable:
    return _at(i, lambda held: held | {a: held[b], b: held[a]})


def _scaled(exercise, named) -> Iterator[tuple[str, str, Callable]]:
    """Let arrays be longer or shorter, by what sizes make: so a scale goes wrong."""
    if exercise.shapes is None:
        return
    names = [name for name in (*exercise.shapes.names, *exercise.shapes.products) if name != "..."]
    factors = [("twice", lambda sizes: 2.0), ("half", lambda sizes: 0.5)]
    for name in names:
        root = f"the square root of {name}"
        factors += [(f"{name} times", _power(name, 1.0)), (f"1 / {name} times", _power(name, -1.0))]
        factors += [
            (f"{root} times", _power(name, 0.5)),
            (f"1 / ({root}) times", _power(name, -0.5)),
        ]
        factors += [(f"2 / ({root}) times", lambda s, name=name: 2 * _power(name, -0.5)(s))]
    for a, b in itertools.permutations(names, 2):
        factors += [(f"the square root of {a} / {b} times", _power(a, 0.5, b))]
    for i, (name, x) in named:
        if isinstance(x, np.ndarray) and x.dtype == float:
            for words, factor in factors:
                told = f"`{name}` were {words} as large: is a scale another one than it should be?"
                yield "scaled", told, _by(exercise, i, factor)


def _power(name, power, below="", times=1) -> Callable:
    def factor(sizes):
        return times * (size_of(name, sizes) / (size_of(below, sizes) if below else 1)) ** power

    return factor


def _by(exercise, i, factor) -> Callable:
    return lambda inputs: _at(i, lambda x: factor(exercise.shapes.sizes(inputs)) * x)(inputs)
