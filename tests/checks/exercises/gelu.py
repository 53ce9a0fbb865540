"""Right answers to gelu, and wrong ones."""

import math

import numpy as np

from attnlib.checks.exercises.gelu import EXERCISE, turned
from tests.checks.knobs import set_to

chance = set_to(turned, {"factor": np.ones_like})


def by_a_loop(x):
    found = [entry * 0.5 * math.erfc(-entry / math.sqrt(2)) for entry in x.ravel().tolist()]
    return np.reshape(found, x.shape)


def by_two_halves(x):
    positive = np.abs(x)
    return np.maximum(x, 0) - positive * (1 - chance(positive))


VARIANTS = (by_a_loop, by_two_halves)


KNOBS = {"wide": (lambda x: 3 * x,), "factor": (np.square,)}


def wrong():
    answer = EXERCISE.answer
    yield "large numbers cut at 50", lambda x: np.minimum(answer(x), 50)
    yield "wrong below -20", lambda x: np.where(x < -20, -1, answer(x))
    yield "wrong above 20", lambda x: np.where(x > 20, 0, answer(x))
    yield "the whole by its first number", lambda x: x * chance(x.ravel()[:1].sum())
    yield "twice", lambda x: answer(answer(x))


def test_the_tanh_form_is_off_by_half_a_thousandth():
    x = np.linspace(-6, 6, 1201)
    tanh = next(known for known in EXERCISE.mistakes if known.name == "tanh form")
    off = np.abs(tanh.function(x) - EXERCISE.answer(x)).max()
    assert 4e-4 < off < 5e-4
