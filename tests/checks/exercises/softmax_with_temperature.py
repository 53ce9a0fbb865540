"""Right answers to softmax_with_temperature, and wrong ones."""

import numpy as np

import attnlib
from attnlib.checks.exercises.softmax_with_temperature import EXERCISE
from attnlib.checks.promises import TEMPERATURES
from tests.checks.by_hand import softened, softmax_row
from tests.checks.promised import inputs_of
from tests.checks.weighers import WEIGHERS


def tempered_by_loop(scores, temperature):
    if np.ndim(scores) > 1:
        return tuple(tempered_by_loop(part, temperature) for part in scores)
    return tuple(softmax_row([s / temperature for s in scores.tolist()]))


def tempered_by_shift_first(scores, temperature):
    shifted = scores - scores.max(-1, keepdims=True)
    return np.exp(shifted / temperature - np.log(np.exp(shifted / temperature).sum(-1))[..., None])


VARIANTS = (tempered_by_loop, tempered_by_shift_first)


def scores(s, t):
    return s / t


def wrong():
    for label, weigh in WEIGHERS.items():
        yield label, lambda s, t, weigh=weigh: weigh(s / t)
    changes = {
        "at least 0.011": lambda t: max(t, 0.011),
        "at least 0.1": lambda t: max(t, 0.1),
        "at most 99": lambda t: min(t, 99),
        "at most 10": lambda t: min(t, 10),
        "made whole": lambda t: max(round(t), 1),
        "0.01 added": lambda t: t + 0.01,
        "0.001 added": lambda t: t + 1e-3,
        "rounded to 2 decimals": lambda t: max(round(t, 2), 1e-9),
        "in thousandths, from 1": lambda t: max(t, 1),
        "at most 1": lambda t: min(t, 1),
    }
    for label, change in changes.items():
        yield label, lambda s, t, change=change: attnlib.softmax(s, temperature=change(t))
    yield "a power of the weights", lambda s, t: powered(attnlib.softmax(s), 1 / t)
    yield "a power of the exponentials", lambda s, t: powered(np.exp(s), 1 / t)
    yield "divided after the clip", lambda s, t: attnlib.softmax(np.clip(s, -700, 700) / t)
    yield "clipped after division", lambda s, t: attnlib.softmax(np.clip(s / t, -700, 700))


def beyond():
    yield "at least 0.01", lambda s, t: attnlib.softmax(s, temperature=max(t, 0.01))
    yield "at most 100", lambda s, t: attnlib.softmax(s, temperature=min(t, 100))


def powered(weights, power):
    e = weights**power
    return e / e.sum(axis=-1, keepdims=True)


def test_temperatures_reach_their_ends():
    temperatures = [t for _, t in inputs_of(EXERCISE, TEMPERATURES)]
    assert (min(temperatures), max(temperatures)) == (0.01, 100)


NAMED = ((lambda s, t: softened(s / t, keepdims=False), "keepdims forgotten"),)


def test_the_solution_keeps_scores_of_any_size():
    scores = np.array([1e308, -1e308, 1e308])
    with np.errstate(over="ignore"):  # -inf is what the second score is due
        for temperature in (1e-3, 1.0, 1e3):
            got = EXERCISE.solution(scores, temperature)
            assert np.allclose(got, attnlib.softmax(scores, temperature=temperature))
