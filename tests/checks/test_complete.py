"""Every exercise has all that it needs, in two files; what one lacks is told once, by name."""

import importlib
import pkgutil
import types
from pathlib import Path

import numpy as np
import pytest

from attnlib.checks import exercises, wrong_attention
from attnlib.checks.exercise import Case, Exercise, Mistake, Promise
from course.lesson.exercise import read_exercise
from tests.checks import exercises as own_files
from tests.checks import specs
from tests.checks.specs import NAMES, each, lacks, load


@each
def test_nothing_is_missing(name):
    missing = lacks(name)
    assert not missing, f"{name} lacks {'; '.join(missing)}."


@each
def test_a_deck_reads_of_a_spec_what_a_check_tells(name):
    spec = importlib.import_module(f"{exercises.__name__}.{name}")
    made = [x for x in vars(spec).values() if isinstance(x, Mistake)]
    own = [x for x in made if not x.function.__qualname__.startswith("Mistake.around")]
    told = [(" ".join(x.sentence.split()), x.hint) for x in own]
    assert read_exercise(Path(spec.__file__)).mistakes == told


def test_every_tests_file_has_its_exercise_and_some_are_quick():
    files = {module.name for module in pkgutil.iter_modules(own_files.__path__)}
    assert NAMES
    assert files <= {*NAMES}, "these files are of no exercise"
    assert len(specs.FEW) >= 3, "a quick run takes too few"


def test_every_mistake_of_attention_is_some_exercises():
    listed = {known.name for name in NAMES for known in load(name).mistakes}
    made = [value for value in vars(wrong_attention).values() if isinstance(value, Mistake)]
    assert {known.name for known in made} <= listed
    assert {id(known) for known in wrong_attention.family()} <= {id(known) for known in made}


def twice(x):
    """Add it to itself."""
    return x + x


@pytest.fixture
def spec(monkeypatch):
    """An empty module, which is found wherever a spec is looked for."""
    module = types.ModuleType("spec")
    monkeypatch.setattr(specs.importlib, "import_module", lambda path: module)
    return module


def test_what_a_half_written_exercise_lacks_is_told(spec):
    assert lacks("twice") == ["an EXERCISE in its spec"]
    spec.FORGOTTEN = Promise("forgotten", "Do not.")
    spec.EXERCISE = Exercise(
        solution=twice, answer=twice, cases=lambda: [Case("one is right", (np.ones(1),))]
    )
    missing = "; ".join(lacks("twice"))
    for word in ("SHAPES", "three", "five mistakes", "fact", "hints", "promises", "VARIANTS"):
        assert word in missing
    assert "a file tests/checks/exercises/twice.py" in missing
    assert "inputs for FORGOTTEN, which it promises" in missing
    assert "the name softmax of its solution" in lacks("softmax")


@pytest.mark.parametrize("inputs", [np.ones((2, 3)), [np.ones(3)], None])
def test_inputs_that_are_no_tuple_are_refused(inputs):
    promise = Promise("any number is right", "Look again.")
    for cases, promised in (
        (lambda: [Case("a plain example", inputs)], dict),
        (lambda: [], lambda: {promise: [inputs]}),
    ):
        exercise = Exercise(solution=twice, answer=twice, cases=cases, promises=promised)
        with pytest.raises(TypeError) as caught:
            exercise.all_cases()
        said = str(caught.value)
        assert "are a tuple, one entry for each parameter" in said
        assert "twice says" in said
        assert f"of type {type(inputs).__name__}, for 1 parameters" in said
