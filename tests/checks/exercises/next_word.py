"""Right answers to next_word, and wrong ones."""

import numpy as np

import attnlib
from attnlib.checks.exercises.next_word import EXERCISE, turned
from attnlib.checks.promises import TEMPERATURES
from tests.checks.exercises import sample
from tests.checks.promised import inputs_of
from tests.checks.weighers import weighed


def by(draw):
    """A right answer by one of sample's."""

    def next_word(logits, temperature, u):
        return draw(logits / temperature, u)

    return next_word


VARIANTS = tuple(map(by, sample.VARIANTS))


KNOBS = {"temper": (lambda z, t: z / np.sqrt(t),), **sample.KNOBS}


def scores(logits, temperature, u):
    return logits / temperature


HARMLESS = sample.HARMLESS


def wrong():
    yield from weighed(turned)
    answer = EXERCISE.answer
    yield "as floats", lambda z, t, u: answer(z, t, u).astype(float)
    changes = {
        "at least 0.02": lambda t: max(t, 0.02),
        "at most 50": lambda t: min(t, 50),
        "made whole": lambda t: max(round(t), 1),
        "0.01 added": lambda t: t + 0.01,
    }
    for label, change in changes.items():
        yield (
            f"a temperature {label}",
            lambda z, t, u, change=change: answer(z, change(t), u),
        )


def test_temperatures_reach_their_ends():
    temperatures = [t for _, t, _ in inputs_of(EXERCISE, TEMPERATURES)]
    assert (min(temperatures), max(temperatures)) == (0.01, 100)


def test_at_temperature_1_it_is_the_sample_of_lesson_03():
    logits, u = np.random.default_rng(1).normal(size=(50, 7)), np.linspace(0, 0.99, 50)
    draw = attnlib.checks.find("sample").answer
    assert (EXERCISE.answer(logits, 1.0, u) == draw(logits, u)).all()
