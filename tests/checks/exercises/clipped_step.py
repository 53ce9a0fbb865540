"""Right answers to clipped_step, and wrong ones."""

import math

import numpy as np

from attnlib.checks.engine import examine
from attnlib.checks.exercises.clipped_step import EXERCISE, ZERO, length_of, shorter, stepped, times
from attnlib.checks.promises import SAME_SHAPES
from tests.checks.promised import inputs_of
from tests.checks.sweep import in_halves, spoiled

QUICK = True  # the only one whose inputs and answer are dictionaries


def with_one_long_vector(model, grads, rate, longest):
    length = np.linalg.norm(np.concatenate([np.ravel(grad) for grad in grads.values()] or [[0]]))
    grads = {name: grad / max(1, length / longest) for name, grad in grads.items()}
    after = dict(model)
    for name in grads:
        after[name] = model[name] - rate * grads[name]
    return after


def by_loop(model, grads, rate, longest):
    total = 0.0
    for grad in grads.values():
        for number in np.ravel(grad):
            total += float(number) ** 2
    factor = 1.0
    if math.sqrt(total) > longest:
        factor = longest / math.sqrt(total)
    after = {}
    for name, array in model.items():
        after[name] = array
        if name in grads:
            after[name] = array + -rate * factor * grads[name]
    return after


def into_copies(model, grads, rate, longest):
    length = math.hypot(*(np.linalg.norm(grad) for grad in grads.values()))
    after = {name: np.array(array, float) for name, array in model.items()}
    for name, grad in grads.items():
        after[name] -= rate * grad * min(1, longest / length if length else 1)
    return after


def only_squares_compared(model, grads, rate, longest):
    squared = sum(float(np.vdot(grad, grad)) for grad in grads.values())
    if squared > longest**2:
        rate = rate * longest / squared**0.5
    return {name: w - rate * grads.get(name, np.zeros_like(w)) for name, w in model.items()}


VARIANTS = (with_one_long_vector, by_loop, into_copies, only_squares_compared)


def wrong():
    answer = EXERCISE.answer
    found = {
        "the rate at most 1": lambda m, g, r, c: answer(m, g, min(r, 1), c),
        "the rate rounded": lambda m, g, r, c: answer(m, g, round(r, 2), c),
        "the limit at most 50": lambda m, g, r, c: answer(m, g, r, min(c, 50)),
        "the limit at least 0.02": lambda m, g, r, c: answer(m, g, r, max(c, 0.02)),
        "a limit of 1": lambda m, g, r, c: answer(m, g, r, 1.0),
        "what stays is counted, too": lambda m, g, r, c: stepped(
            m, shorter(g, length_of(m | g), c), r
        ),
        "a small number below": lambda m, g, r, c: stepped(
            m, times(min(1, c / (length_of(g) + 1e-3)), g), r
        ),
        "short gradients made 0": lambda m, g, r, c: stepped(
            m, shorter(g, length_of(g), c) if length_of(g) > 0.01 else times(0, g), r
        ),
        "the first array alone moves": lambda m, g, r, c: m | {
            n: answer(m, g, r, c)[n] for n in [*g][:1]
        },
        "only matrices move": lambda m, g, r, c: m | {
            n: w for n, w in answer(m, g, r, c).items() if np.ndim(w) == 2
        },
    }  # fmt: skip
    yield from found.items()
    yield (
        "infinity divided by infinity",
        lambda m, g, r, c: stepped(m, times(c / max(c, length_of(g)), g), r),
    )
    yield spoiled(EXERCISE, "wrong for one array", lambda m, g, r, c: len(m) == 1)
    yield spoiled(EXERCISE, "wrong for five arrays", lambda m, g, r, c: len(m) == 5)
    yield spoiled(EXERCISE, "wrong for single numbers", lambda m, g, r, c: "scale" in m)
    yield spoiled(EXERCISE, "wrong for a gradient of 0", lambda m, g, r, c: length_of(g) == 0)
    yield from in_halves(EXERCISE)


def divides_by_the_length(model, grads, rate, longest):
    length = math.sqrt(sum(float((grad**2).sum()) for grad in grads.values()))
    return stepped(model, times(min(1, longest / length), grads), rate)


def test_dividing_by_a_length_of_0_is_told_as_a_promise():
    report = str(examine(EXERCISE, divides_by_the_length))
    assert ZERO.name in report.replace("\n", " ")
    assert "ZeroDivisionError" in report


def test_no_limit_changes_no_bit():
    for model, grads, rate, _ in inputs_of(EXERCISE, SAME_SHAPES):
        found = EXERCISE.answer(model, grads, rate, np.inf)
        for name, grad in grads.items():
            np.testing.assert_array_equal(found[name], model[name] - rate * grad)
