"""Right answers to sgd_step, and wrong ones."""

import numpy as np

from attnlib.checks.exercises.sgd_step import EXERCISE, RATES
from tests.checks.promised import inputs_of
from tests.checks.sweep import in_halves, spoiled


def step_by_loop(w, grad_w, rate):
    if np.ndim(w) == 0:
        return float(w) - rate * float(grad_w)
    return [step_by_loop(a, b, rate) for a, b in zip(w, grad_w, strict=True)]


def step_in_a_copy(w, grad_w, rate):
    w = np.copy(w)
    w -= rate * grad_w
    return w


def step_by_adding(w, grad_w, rate):
    return np.add(w, np.multiply(-rate, grad_w))


def step_by_step(w, grad_w, rate):
    step = grad_w * rate
    return -(step - w)


VARIANTS = (step_by_loop, step_in_a_copy, step_by_adding, step_by_step)


KNOBS = {"gradient": (np.square,), "size": (np.sqrt,)}


def wrong():
    answer = EXERCISE.answer
    rates = {
        "at least 1e-3": lambda r: max(r, 1e-3),
        "at least 0.01": lambda r: max(r, 0.01),
        "at most 1": lambda r: min(r, 1),
        "at most 10": lambda r: min(r, 10),
        "rounded to 2 decimals": lambda r: round(r, 2),
        "made whole": round,
        "0.1": lambda r: 0.1,
        "its root": np.sqrt,
        "its square": np.square,
        "1e-3 more": lambda r: r + 1e-3,
    }
    for label, change in rates.items():
        yield f"a rate {label}", lambda w, g, r, change=change: answer(w, g, change(r))
    gradients = {
        "of 1 at most": lambda g: np.clip(g, -1, 1),
        "of 10 at most": lambda g: np.clip(g, -10, 10),
        "of length 10 at most": lambda g: g * min(1, 10 / max(np.linalg.norm(g), 1e-9)),
        "below 0.01 left out": lambda g: np.where(np.abs(g) < 0.01, 0, g),
        "less their mean": lambda g: g - np.mean(g),
        "of each row the mean": lambda g: np.mean(g, axis=-1, keepdims=True) + 0 * g,
        "in reverse order": lambda g: g[::-1],
        "transposed": lambda g: g.T.reshape(g.shape),
    }
    for label, change in gradients.items():
        yield f"gradients {label}", lambda w, g, r, change=change: answer(w, change(g), r)

    def then(change):
        return lambda w, g, r: change(answer(w, g, r))

    yield "weights that shrink", lambda w, g, r: answer(w, g, r) - 1e-2 * r * w
    yield "a step at most 1 long", lambda w, g, r: w - np.clip(r * g, -1, 1)
    yield "weights at most 100", then(lambda w: np.clip(w, -100, 100))
    yield "weights never below 0", then(lambda w: np.maximum(w, 0))
    yield (
        "weights that keep their sign",
        lambda w, g, r: np.abs(answer(w, g, r)) * np.where(w < 0, -1, 1),
    )
    yield "two steps", lambda w, g, r: answer(answer(w, g, r), g, r)
    yield "one axis at least", then(np.atleast_1d)
    yield "two axes at least", then(np.atleast_2d)
    yield "one long row", then(np.ravel)
    at = {
        "if taller": lambda w, g, r: w.ndim == 2 and w.shape[0] > w.shape[1],
        "if wider": lambda w, g, r: w.ndim == 2 and w.shape[0] < w.shape[1],
        "if square": lambda w, g, r: w.ndim == 2 and len({*w.shape}) == 1,
        "for a last axis of 1": lambda w, g, r: w.shape[-1:] == (1,),
        "for a first axis of 1": lambda w, g, r: w.shape[:1] == (1,),
        "for four axes": lambda w, g, r: w.ndim == 4,
        "for a gradient of 0": lambda w, g, r: not g.any(),
    }
    for label, there in at.items():
        yield spoiled(EXERCISE, f"wrong {label}", there)
    yield from in_halves(EXERCISE)


def test_rates_reach_their_ends():
    rates = [rate for *_, rate in inputs_of(EXERCISE, RATES)]
    assert (min(rates), max(rates)) == (1e-4, 100)
