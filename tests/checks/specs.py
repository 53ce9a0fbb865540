"""The specs of all exercises, by name."""

import importlib
import pkgutil

from attnlib.checks import exercises

NAMES = sorted(module.name for module in pkgutil.iter_modules(exercises.__path__))


def load(name):
    return importlib.import_module(f"attnlib.checks.exercises.{name}").EXERCISE
