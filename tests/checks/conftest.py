"""What the tests of the exercises share: the exercise of a name, and functions judged once."""

import functools

import pytest

from attnlib.checks.engine import _Examination
from tests.checks import specs


@pytest.fixture(scope="module")
def exercise(name):
    """The exercise that a test is parametrized by; skipped where `test_complete` fails for it."""
    if specs.lacks(name):
        pytest.skip(f"{name} lacks something: see test_nothing_is_missing")
    return specs.load(name)


@pytest.fixture(scope="module")
def known(name):
    """What the tests know of the exercise."""
    return specs.known(name)


@pytest.fixture(scope="module")
def judge(exercise):
    """A function that examines another one; the same one only once: examination and report."""

    @functools.cache
    def judged(function):
        examination = _Examination(exercise, function)
        return examination, examination.report()

    return judged
