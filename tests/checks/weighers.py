"""Softmaxes that are wrong for some scores: shifted by something else, clipped, repaired."""

import numpy as np

import attnlib
from tests.checks.knobs import set_to


def shifted(by):
    def softmax(s):
        e = np.exp(s - by(s))
        return e / e.sum(axis=-1, keepdims=True)

    return softmax


def row(statistic):
    return lambda s: statistic(s, axis=-1, keepdims=True)


def top(s):
    return s.max(axis=-1, keepdims=True)


SHIFTS = {
    "nothing": lambda s: 0.0,
    "700": lambda s: 700.0,
    "the row's mean": row(np.mean),
    "the row's minimum": row(np.min),
    "the row's median": row(np.median),
    "the row's spread": row(np.ptp),
    "the row's sum": row(np.sum),
    "the row's first score": lambda s: s[..., :1],
    "the row's last score": lambda s: s[..., -1:],
    "the row's largest absolute value": lambda s: np.abs(s).max(axis=-1, keepdims=True),
    "half the row's maximum": lambda s: top(s) / 2,
    "the maximum, at least 0": lambda s: np.maximum(top(s), 0),
    "the maximum, at most 700": lambda s: np.minimum(top(s), 700),
    "the maximum, at most 9e3": lambda s: np.minimum(top(s), 9e3),
    "everything's maximum": np.max,
    "everything's mean": np.mean,
    "everything's minimum": np.min,
    "the columns' maxima": lambda s: s.max(axis=-2, keepdims=True),
}


def clipped(low, high):
    return lambda s: attnlib.softmax(np.clip(s, low, high))


def repaired(s):
    return np.nan_to_num(SHIFTED["nothing"](s))


def repaired_evenly(s):
    weights = SHIFTED["nothing"](s)
    return np.where(np.isfinite(weights), weights, 1 / s.shape[-1])


def hard_if_large(s):
    return attnlib.softmax(s) if np.abs(s).max(initial=0) < 500 else 1.0 * (s == top(s))


SHIFTED = {f"shifted by {name}": shifted(by) for name, by in SHIFTS.items()}
SHIFTED["nothing"] = SHIFTED.pop("shifted by nothing")
WEIGHERS = SHIFTED | {
    "clipped at 700": clipped(-700, 700),
    "clipped at 1e3": clipped(-1e3, 1e3),
    "clipped at 9900": clipped(-9900, 9900),
    "clipped above 700": clipped(-np.inf, 700),
    "clipped below 0": clipped(0, np.inf),
    "clipped at 30": clipped(-30, 30),
    "nan made 0": repaired,
    "nan made even": repaired_evenly,
    "hard where large": hard_if_large,
    "in float16": lambda s: attnlib.softmax(s.astype(np.float16)),
    "scores rounded": lambda s: attnlib.softmax(np.round(s, 1)),
    "weights rounded": lambda s: np.round(attnlib.softmax(s), 2),
    "a floor below the sum": lambda s: (
        np.exp(s - top(s)) / np.maximum(np.exp(s - top(s)).sum(axis=-1, keepdims=True), 1.5)
    ),
}


WRONG_BEYOND = {
    "shifted by the maximum, at most 1e6": shifted(lambda s: np.minimum(top(s), 1e6)),
    "clipped at 1e5": clipped(-1e5, 1e5),
}


def weighed_beyond(function):
    """Right answers by softmaxes that are wrong for scores that nobody promised."""
    for label, weigh in WRONG_BEYOND.items():
        yield label, set_to(function, {"weigh": weigh})


def weighed(function):
    """Wrong answers by all of these: a function's knob `weigh` turned, and all others right."""
    for label, weigh in WEIGHERS.items():
        yield label, set_to(function, {"weigh": weigh})
