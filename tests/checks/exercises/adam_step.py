"""Right answers to adam_step, wrong ones, and what it promises."""

import math

import numpy as np

from attnlib.checks.exercises.adam_step import EXERCISE, LATER
from attnlib.checks.exercises.sgd_step import RATES
from tests.checks.knobs import right_but, same
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


def turned(w, grad, mean, square, step, rate, *, keeps, counts, root, asks, sign, kept):
    a, b = keeps
    new = a * mean + (1 - a) * grad, b * square + (1 - b) * grad**2
    n = counts(step)
    found = w - sign * rate * asks(new[0] / (1 - a**n), grad) / (root(new[1] / (1 - b**n)) + 1e-8)
    return found, *kept(new, (mean.copy(), square.copy()))


KNOBS = {
    "keeps": ((0.9, 0.99), (0.99, 0.9), (0.9, 0.999), (0.1, 0.01)),
    "counts": (same, lambda n: n + 1, lambda n: 10**9),
    "root": (np.sqrt, same, np.ones_like),
    "asks": (lambda mean, grad: mean, lambda mean, grad: grad, lambda mean, grad: np.sign(mean)),
    "sign": (1, -1),
    "kept": (lambda new, old: new, lambda new, old: old, lambda new, old: (new[0], old[1])),
}


def divided(by):
    """Adam with a last line of its own: what is taken from w, made of direction and size."""

    def adam_step(w, grad, mean, square, step, rate):
        mean, square = 0.9 * mean + 0.1 * grad, 0.99 * square + 0.01 * grad**2
        direction, size = mean / (1 - 0.9**step), np.sqrt(square / (1 - 0.99**step))
        with np.errstate(all="ignore"):
            return w - by(rate, direction, size), mean, square

    return adam_step


NAMED = (
    (divided(lambda rate, direction, size: rate * direction / size), "nothing added to the size"),
    (divided(lambda rate, direction, size: rate * (direction / size + 1e-8)),
     "nothing added to the size"),
    (divided(lambda rate, direction, size: rate * direction / size + 1e-8),
     "nothing added to the size"),
    (right_but(turned, KNOBS, keeps=(0.9, 0.999)), "0.999 in place of 0.99"),
)  # fmt: skip


def wrong():
    answer = EXERCISE.answer
    steps = {
        "at most 5": lambda n: min(n, 5),
        "at most 1,000": lambda n: min(n, 100),
        "at least 2": lambda n: max(n, 2),
        "of 1": lambda n: 1,
    }
    for label, change in steps.items():
        yield (
            f"a step {label}",
            lambda w, g, m, s, n, r, change=change: answer(w, g, m, s, change(n), r),
        )
    rates = {
        "at most 1": lambda r: min(r, 1),
        "rounded": lambda r: round(r, 2),
        "0.2": lambda r: 0.2,
    }
    for label, change in rates.items():
        yield (
            f"a rate {label}",
            lambda w, g, m, s, n, r, change=change: answer(w, g, m, s, n, change(r)),
        )
    gradients = {
        "of 1 at most": lambda g: np.clip(g, -1, 1),
        "below 0.001 left out": lambda g: np.where(np.abs(g) < 1e-3, 0, g),
        "in reverse order": lambda g: g[::-1] if np.ndim(g) else g,
    }
    for label, change in gradients.items():
        yield (
            f"gradients {label}",
            lambda w, g, m, s, n, r, change=change: answer(w, change(g), m, s, n, r),
        )
    yield (
        "1e-4 below",
        lambda w, g, m, s, n, r: (
            w - r * 0.999 * (w - answer(w, g, m, s, n, 1.0)[0]),
            *answer(w, g, m, s, n, r)[1:],
        ),
    )
    yield spoiled(EXERCISE, "wrong for four axes", lambda w, *_: w.ndim == 4)
    yield spoiled(EXERCISE, "wrong for one number", lambda w, *_: w.ndim == 0)
    yield from in_halves(EXERCISE)


def test_steps_and_rates_reach_their_ends():
    steps = [n for *_, n, _ in inputs_of(EXERCISE, LATER)]
    assert (min(steps), max(steps)) == (1, 100_000)
    rates = [rate for *_, rate in inputs_of(EXERCISE, RATES)]
    assert (min(rates), max(rates)) == (1e-4, 100)
