"""The exercises by name: each one's spec, what the tests know of it, and what it lacks."""

import importlib
import importlib.util
import inspect
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from attnlib.checks import exercises, promises
from attnlib.checks.exercise import READ_AGAIN, Promise, Remark
from tests.checks.knobs import pairs
from tests.lessons import quickly

NAMES = sorted(module.name for module in pkgutil.iter_modules(exercises.__path__))


def load(name):
    return importlib.import_module(f"{exercises.__name__}.{name}").EXERCISE


@dataclass(frozen=True)
class Known:
    """What the tests know of an exercise, as its file in `tests/checks/exercises` says it.

    Parameters
    ----------
    variants : tuple of callable
        VARIANTS: right answers, written in other ways.
    turned : callable
        The answer with knobs, keyword arguments that are right by default, each of which can be set
        wrong. It stands in the spec where known mistakes are wrong settings of it.
    knobs : dict
        The options of each knob, the right one first: its default, what the spec's mistakes set it
        to, and KNOBS, other wrong ones.
    named : tuple of (callable, str)
        NAMED: what readers wrote, and the mistake that it is told to be.
    scores : callable
        ``scores(*inputs)`` gives the scores that a softmax meets; where large ones are promised.
    wrong : callable
        Gives wrong answers, each with what is wrong, beyond what follows from the shapes.
    beyond : callable
        Gives answers that are wrong only where nothing is promised, each with what is wrong.
    harmless : dict
        HARMLESS: which wrong answers are right after all, and why.
    quick : bool
        QUICK: whether a quick run takes this exercise, too, where it takes a few.
    tests : tuple of callable
        Its own tests: functions whose names begin with ``test_``.
    """

    variants: tuple[Callable, ...] = ()
    turned: Callable | None = None
    knobs: dict = field(default_factory=dict)
    named: tuple[tuple[Callable, str], ...] = ()
    scores: Callable | None = None
    wrong: Callable = tuple
    beyond: Callable = tuple
    harmless: dict = field(default_factory=dict)
    quick: bool = False
    tests: tuple[Callable, ...] = ()


def known(name):
    """Read what the tests know of an exercise: nothing where it has no file."""
    path = f"tests.checks.exercises.{name}"
    if importlib.util.find_spec(path) is None:
        return Known()
    names = vars(importlib.import_module(path))
    stated = {
        key: names[word]
        for key in Known.__dataclass_fields__
        for word in (key.upper(), key)
        if word in names and key != "tests"
    }
    spec = importlib.import_module(f"{exercises.__name__}.{name}")
    if "turned" not in stated and hasattr(spec, "turned"):
        stated["turned"] = spec.turned
    if "turned" in stated:
        wrong = [known.setting for known in spec.EXERCISE.mistakes]
        stated["knobs"] = options(stated["turned"], wrong, stated.get("knobs", {}))
    return Known(**stated, tests=tuple(f for key, f in names.items() if key.startswith("test_")))


def options(turned, settings, more):
    """The options of each knob: its default, those that single settings set it to, and more."""
    found = {
        knob: [parameter.default]
        for knob, parameter in inspect.signature(turned).parameters.items()
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY
    }
    for setting in settings:
        for knob in setting if len(setting) == 1 else ():
            found.get(knob, []).append(setting[knob])
    return {knob: (*those, *more.get(knob, ())) for knob, those in found.items()}


def unkept(module):
    """The promises that a spec makes and gives no inputs for."""
    made = {k: x for k, x in vars(module).items() if isinstance(x, Promise | Remark)}
    return [key for key, value in made.items() if value not in module.EXERCISE.promises()]


def lacks(name):
    """Say what is missing of an exercise, in words; nothing of a complete one."""
    spec = importlib.import_module(f"{exercises.__name__}.{name}")
    if not hasattr(spec, "EXERCISE"):
        return ["an EXERCISE in its spec"]
    exercise, own = spec.EXERCISE, known(name)
    found = exercise.promises()
    n_pairs = len(list(pairs(own.turned, own.knobs))) if own.turned else 0
    there = {
        f"the name {name} of its solution": exercise.name == name,
        "SHAPES, given as `shapes`": exercise.shapes is not None,
        "three plain cases": len(list(exercise.cases())) >= 3,
        "five mistakes": len(exercise.mistakes) >= 5,
        "a fact": bool(exercise.facts),
        "two hints or three": len(exercise.hints) in (2, 3) and exercise.hints != READ_AGAIN,
        "promises": bool(found),
        f"a file tests/checks/exercises/{name}.py": own != Known(),
        "two VARIANTS": len(own.variants) >= 2,
        f"a function `turned` that has three pairs of wrong settings or more, each of two knobs at "
        f"once (there are {n_pairs})": n_pairs >= 3,
        "the `scores` that a softmax meets": own.scores is not None
        or not any(end.beyond is promises.SCORES.beyond for end in exercise.ends),
    }
    dead = [f"inputs for {promise}, which it promises" for promise in unkept(spec)]
    return [what for what, is_there in there.items() if not is_there] + dead


each = pytest.mark.parametrize("name", NAMES, scope="module")
# Where a test calls functions very often, a quick run takes exercises of different kinds, a full
# one every third, too, and the weekly one all.
FEW = [i for i, name in enumerate(NAMES) if known(name).quick]
few = pytest.mark.parametrize(
    "name", quickly(NAMES, takes=FEW, full=range(0, len(NAMES), 3)), scope="module"
)
