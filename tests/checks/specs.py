"""The specs of all exercises, by name."""

import importlib
import pkgutil

from attnlib.checks import exercises

NAMES = sorted(module.name for module in pkgutil.iter_modules(exercises.__path__))

# Exercises of different kinds: a quick run takes these where a test calls functions very often.
FEW = [NAMES.index(name) for name in ("causal_mask", "project_qkv", "rotate", "softmax")]


def load(name):
    return importlib.import_module(f"attnlib.checks.exercises.{name}").EXERCISE
