"""A function of the form that an exercise once asked for: somebody's copy may still have one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from attnlib.checks.calling import misfit
from attnlib.checks.exercise import Case, Exercise


def adapted(exercise: Exercise, function: Callable) -> Callable:
    """Give a function as it is; one of the earlier form so that it can be called as today.

    Where its own inputs say all, it is called. Elsewhere the reference answers.
    """
    earlier, parameters = exercise.earlier, exercise.parameters
    if earlier is None or not misfit(function, parameters):
        return function
    if misfit(function, parameters[: earlier.n_inputs]):
        return function

    def called(*inputs):
        if earlier.suffices(*inputs):
            return function(*inputs[: earlier.n_inputs])
        return exercise.answer(*inputs)

    called.__name__ = getattr(function, "__name__", exercise.name)
    return called


def as_it_was(exercise: Exercise) -> Exercise:
    """Give an exercise whose every case and fact can be met in the earlier form."""
    plain, silent = exercise.earlier.plain, exercise.earlier.silent

    def cases():
        found = (case for case in exercise.cases() if case.shows not in silent)
        return [Case(case.shows, plain(*case.inputs), case.promise) for case in found]

    def promises():
        return {
            promise: [plain(*inputs) for inputs in several]
            for promise, several in exercise.promises().items()
            if getattr(promise, "name", "") not in silent
        }

    facts = tuple(fact for fact in exercise.facts if fact.name not in silent)
    return replace(exercise, cases=cases, promises=promises, facts=facts)
