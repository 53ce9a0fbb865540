"""A parameter that is never read is told, and so is another function that is still a stub."""

import functools
import re

import numpy as np
import pytest

from attnlib.checks.calling import unread
from attnlib.checks.engine import examine
from attnlib.checks.exercises.dot_product import EXERCISE as DOT
from attnlib.checks.exercises.masked_attention import EXERCISE as MASKED
from attnlib.checks.exercises.projection import EXERCISE as PROJECTION
from attnlib.checks.exercises.self_attention import EXERCISE as SELF
from attnlib.checks.exercises.softmax import EXERCISE as SOFTMAX
from attnlib.checks.exercises.softmax_with_temperature import EXERCISE as TEMPERED
from attnlib.checks.exercises.weighted_average import EXERCISE as AVERAGE
from tests.checks.by_hand import softened
from tests.checks.hostile import HostileCall

b, mask, scores = np.array([1.0, 0.0]), np.tri(5, dtype=bool), np.zeros((2, 2))


def along_a_global(a, onto):
    return (a[0] * b[0] + a[1] * b[1]) * b


def with_its_own_mask(query, key, value, mask):
    own = np.arange(len(key)) % 2 == 0
    return softened(np.where(own, query @ key.T / np.sqrt(query.shape[1]), -np.inf)) @ value


def with_another_mask(query, key, value, mask):
    mask = np.arange(len(key)) % 2 == 0
    return softened(np.where(mask, query @ key.T / np.sqrt(query.shape[1]), -np.inf)) @ value


UNREAD = [
    (PROJECTION, along_a_global, "never uses its parameter `onto`; it reads `b` from outside."),
    (MASKED, with_its_own_mask, "Your function never uses its parameter `mask`."),
    (MASKED, with_another_mask, "overwrites its parameter `mask` before reading it."),
    (SOFTMAX, lambda s: scores, "never uses its parameter `s`; it reads `scores` from outside."),
    (DOT, lambda a, b: 3.0, "Your function never uses its parameters `a` and `b`."),
    (DOT, lambda a, b: a @ missing, "Your function never uses its parameter `b`."),  # noqa: F821
]


@pytest.mark.parametrize(("exercise", "function", "said"), UNREAD)
def test_parameter_that_is_never_read_is_told(exercise, function, said):
    text = str(examine(exercise, function)).replace("\n", " ")
    assert said in text
    assert re.search(r"Hint: Use `\w+`( and `b`)?: what comes in there differs", text)


def test_parameter_of_a_known_mistake_is_not_told():
    report = examine(MASKED, lambda q, k, v, mask: MASKED.mistakes[0].function(q, k, v, None))
    assert report.mistake == "mask ignored"
    assert "never uses" not in str(report)


def in_a_function_inside(a, b):
    def product(i):
        return a[i] * b[i]

    return sum(map(product, range(len(a) - 1)))


def in_a_comprehension(a, b):
    return [x * y for x, y in zip(a, b, strict=True)]


def in_one_branch(a, b):
    if len(a) > 2:
        b = a
    return a @ b


def as_a_default(a, b):
    b = b if len(a) > 2 else a
    return a @ b


def after_a_failure(a, b):
    try:
        b = np.linalg.inv(a)
    except ValueError:
        return a @ b


def by_name(a, b):
    return locals()["b"].sum()


def whatever(*inputs, b=None):
    return 0.0


@functools.wraps(in_one_branch)
def wrapped(*inputs):
    return 0.0


class Holder:
    def product(self, a, b):
        return a.sum()


READ = [
    in_a_function_inside, in_a_comprehension, in_one_branch, as_a_default, after_a_failure,
    by_name, whatever, wrapped, np.dot, functools.partial(by_name),
]  # fmt: skip


@pytest.mark.parametrize("function", READ)
def test_parameter_that_may_be_read_is_not_told(function):
    assert unread(function, 2) == ([], [])


def test_only_the_exercises_own_parameters_are_told():
    assert unread(lambda a, b, axis=-1: a @ b, 2) == ([], [])
    assert unread(Holder().product, 2) == (["b"], [])
    assert unread(HostileCall(), 2) == ([], [])


def unwritten(*inputs): ...


def unwritten_too(*inputs):
    return ...


def unpacks(function):
    def self_attention(x, w_query, w_key, w_value):
        query, key, value = function(x, w_query, w_key, w_value)
        return softened(query @ key.T) @ value

    return self_attention


HOLLOW = [
    (SELF, unpacks(unwritten), "What comes back from it is None."),
    (SELF, unpacks(unwritten_too), "What comes back from it is `...`."),
    (AVERAGE, lambda w, v: unwritten(w) @ v, "a matrix product is a single number, or None, at"),
    (SOFTMAX, lambda s: np.exp(unwritten(s)), "What comes back from it is None."),
    (TEMPERED, lambda s, t: unwritten(s) / t, "What comes back from it is None."),
    (TEMPERED, lambda s, t: unwritten(s).sum(), "What comes back from it is None."),
]


@pytest.mark.parametrize(("exercise", "function", "said"), HOLLOW)
def test_calling_a_stub_is_told(exercise, function, said):
    text = str(examine(exercise, function)).replace("\n", " ")
    assert "Does your function call another one that is still a stub, or has no `return`?" in text
    assert said in text
