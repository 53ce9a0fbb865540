"""Hold what a lesson hands a reader's functions against what their tasks say comes in.

A lesson's kernel calls `watch` first (`tests.test_optional`): a right function that was kept may
rely on its task, so a list where the task has an array would break it, and so would an axis more.
Where a lesson first calls a function in a place, each other right answer that the tests know has to
give what the reference gives there.
"""

import functools
import sys

import numpy as np

from attnlib import checks, mine
from attnlib.checks.calling import call
from tests.checks.specs import known

made = mine._stand_in


def kind(x):
    """Name what something is, as far as a function may rely on it."""
    if type(x) is np.ndarray:
        return f"{x.ndim}-axis array"
    kinds = dict.fromkeys((bool, int, float), "number")
    return "number" if isinstance(x, np.generic) else kinds.get(type(x), type(x).__name__)


@functools.cache
def promised(name):
    """Say of each input which kinds of things its exercise has there."""
    cases = [case.inputs for case in checks.find(name).all_cases()]
    n_inputs = max(map(len, cases))
    return [{kind(inputs[at]) for inputs in cases if len(inputs) > at} for at in range(n_inputs)]


def refuse_unpromised(name, inputs):
    """Refuse what a function's task does not speak of."""
    for at, (x, kinds) in enumerate(zip(inputs, promised(name), strict=False)):
        arrays = [one for one in kinds if one.endswith("array")]  # of several: leading axes
        more = len(arrays) > 1 and isinstance(x, np.ndarray) and kind(x) > max(arrays)
        if kind(x) not in kinds and not more:
            expected = " or ".join(sorted(kinds))
            raise AssertionError(f"mine.{name}: input {at + 1} is {kind(x)}, not {expected}")


def refuse_different(name, inputs):
    """Refuse inputs for which another right answer gives something else than the reference."""
    exercise = checks.find(name)
    due = call(exercise.answer, inputs, exercise.parts)
    for other in known(name).variants:
        got = call(other, inputs, exercise.parts)
        if not got.agrees(due):
            told = got.words or "it gives something else"
            raise AssertionError(f"mine.{name}: {other.__name__}, which is right: {told}")


@functools.cache
def watched(name):
    """Give what runs a reader's function, and refuses what others would not stand."""
    run, seen = made(name), set()

    @functools.wraps(run)
    def watching(*inputs, **options):
        refuse_unpromised(name, inputs)
        place = sys._getframe(1)
        here = (place.f_code, place.f_lineno, *map(kind, inputs))
        if here not in seen:
            seen.add(here)
            refuse_different(name, inputs)
        return run(*inputs, **options)

    return watching


def watch():
    """Begin to watch, in the whole process."""
    mine._stand_in = watched
