"""The ends of each exercise stand in its task, in the same numbers, and in no other's."""

import re

import pytest

from attnlib.checks import promises
from tests.checks.specs import NAMES, load
from tests.lessons import SERIES

EXERCISES = {name: load(name) for name in NAMES}
ENDS = [(name, end) for name, exercise in EXERCISES.items() for end in exercise.ends]
PHRASES = {end.words for _, end in ENDS}


def task(name):
    """What stands between the heading of an exercise and its stub, in one line."""
    texts = [lesson.text for lesson in SERIES.values() if name in lesson.exercises]
    assert texts, f'{name} has no place in a lesson: no cell says check("{name}", {name})'
    text = texts[0]
    before = text[: text.index(f'check("{name}", {name})')]
    before = before[: before.rindex(f"def {name}(")]
    return " ".join(re.split(r"^#+ ", before, flags=re.MULTILINE)[-1].split())


@pytest.mark.parametrize(("name", "end"), ENDS, ids=[f"{n}-{e.words}" for n, e in ENDS])
def test_an_end_is_stated_in_the_task_and_its_words_say_its_numbers(name, end):
    assert end.words in task(name)
    said = {float(word.replace(",", "")) for word in re.findall(r"\d[\d,.]*", end.words)}
    assert said - {0.0} == {abs(end.least), abs(end.most)} - {0.0}
    assert {*end.inputs} <= {*EXERCISES[name].parameters}


@pytest.mark.parametrize("name", NAMES)
def test_a_task_states_no_end_that_is_not_tried(name):
    stated = {words for words in PHRASES if words in task(name)}
    assert stated == {end.words for end in EXERCISES[name].ends}


def test_large_scores_and_vectors_of_all_lengths_have_their_ends():
    for name, exercise in EXERCISES.items():
        beyond = {end.beyond for end in exercise.ends}
        for promise, end in ((promises.LARGE, promises.SCORES), (promises.SCALE, promises.VECTORS)):
            assert end.beyond in beyond or promise not in exercise.promises(), name
