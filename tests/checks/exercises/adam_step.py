"""Right answers to adam_step, and wrong ones."""

import math

import numpy as np

from attnlib.checks.exercises.adam_step import EXERCISE, LATER
from attnlib.checks.exercises.sgd_step import RATES
from tests.checks.promised import inputs_of
from tests.checks.sweep import in_halves, spoiled


def adam_by_loop(w, grad, mean, square, step, rate):
    if np.ndim(w):
        rows = zip(w, grad, mean, square, strict=True)
        found = [adam_by_loop(*row, step, rate) for row in rows]
        return tuple(list(part) for part in zip(*found, strict=True))
    mean = mean + 0.1 * (float(grad) - mean)
    square = square + 0.01 * (float(grad) ** 2 - square)
    size = math.sqrt(square / (1 - 0.99**step)) + 1e-8
    return w - rate * mean / (1 - 0.9**step) / size, mean, square


def with_one_rate(w, grad, mean, square, step, rate):
    mean = np.add(0.9 * mean, 0.1 * grad)
    square = np.add(0.99 * square, 0.01 * np.square(grad))
    rate = rate * math.sqrt(1 - 0.99**step) / (1 - 0.9**step)  # as the paper's last lines have it
    return w - rate * mean / (np.sqrt(square) + 1e-8 * math.sqrt(1 - 0.99**step)), mean, square


VARIANTS = (adam_by_loop, with_one_rate)


KNOBS = {
    "keeps": ((0.1, 0.01),),
    "kept": (lambda new, old: (new[0], old[1]),),
}


def divided(by, of_square=0.99):
    """Adam with a last line of its own: what is taken from w, made of direction and size."""

    def adam_step(w, grad, mean, square, step, rate):
        mean = 0.9 * mean + 0.1 * grad
        square = of_square * square + (1 - of_square) * grad**2
        direction, size = mean / (1 - 0.9**step), np.sqrt(square / (1 - of_square**step))
        with np.errstate(all="ignore"):
            return w - by(rate, direction, size), mean, square

    return adam_step


NAMED = (
    (divided(lambda rate, direction, size: rate * direction / size), "nothing added to the size"),
    (divided(lambda rate, direction, size: rate * (direction / size + 1e-8)),
     "nothing added to the size"),
    (divided(lambda rate, direction, size: rate * direction / size + 1e-8),
     "nothing added to the size"),
    (divided(lambda rate, direction, size: rate * direction / (size + 1e-8), 0.999),
     "0.999 in place of 0.99"),
)  # fmt: skip


def wrong():
    answer = EXERCISE.answer
    found = {
        "a step at most 5": lambda w, g, m, s, n, r: answer(w, g, m, s, min(n, 5), r),
        "a step at most 1,000": lambda w, g, m, s, n, r: answer(w, g, m, s, min(n, 100), r),
        "a step at least 2": lambda w, g, m, s, n, r: answer(w, g, m, s, max(n, 2), r),
        "a step of 1": lambda w, g, m, s, n, r: answer(w, g, m, s, 1, r),
        "a rate at most 1": lambda *x: answer(*x[:5], min(x[5], 1)),
        "a rate rounded": lambda *x: answer(*x[:5], round(x[5], 2)),
        "a rate 0.2": lambda *x: answer(*x[:5], 0.2),
        "gradients of 1 at most": lambda w, g, *x: answer(w, np.clip(g, -1, 1), *x),
        "gradients below 0.001 left out": lambda w, g, *x: answer(
            w, np.where(np.abs(g) < 1e-3, 0, g), *x
        ),
        "gradients in reverse order": lambda w, g, *x: answer(w, g[::-1] if np.ndim(g) else g, *x),
        "1e-4 below": lambda w, g, m, s, n, r: (
            w - r * 0.999 * (w - answer(w, g, m, s, n, 1.0)[0]), *answer(w, g, m, s, n, r)[1:]
        ),
    }  # fmt: skip
    yield from found.items()
    yield spoiled(EXERCISE, "wrong for four axes", lambda w, *_: w.ndim == 4)
    yield spoiled(EXERCISE, "wrong for one number", lambda w, *_: w.ndim == 0)
    yield from in_halves(EXERCISE)


def test_steps_and_rates_reach_their_ends():
    steps = [n for *_, n, _ in inputs_of(EXERCISE, LATER)]
    assert (min(steps), max(steps)) == (1, 100_000)
    rates = [rate for *_, rate in inputs_of(EXERCISE, RATES)]
    assert (min(rates), max(rates)) == (1e-4, 100)
