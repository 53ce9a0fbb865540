"""Right answers to layer_norm, and wrong ones."""

import numpy as np

from attnlib.checks.exercises.layer_norm import EXERCISE


def by_moments(x, gain, bias, eps):
    mean, variance = (f(x, axis=-1, keepdims=True) for f in (np.mean, np.var))
    return gain * (x - mean) * (variance + eps) ** -0.5 + bias


def row_by_row(x, gain, bias, eps):
    rows = [
        (row - row.mean()) / np.sqrt(((row - row.mean()) ** 2).sum() / len(row) + eps)
        for row in x.reshape(-1, x.shape[-1])
    ]
    return np.reshape(rows, x.shape) * gain + bias


VARIANTS = (by_moments, row_by_row)


KNOBS = {
    "centre": (np.mean,),
    "spread": (
        lambda x, eps: np.sqrt(x.var() + eps),
        lambda x, eps: np.linalg.norm(x, axis=-1, keepdims=True) + eps,
    ),
    "stretch": (lambda y, gain, bias: y * gain - bias,),
}


def wrong():
    answer = EXERCISE.answer
    changes = {
        "at least 1e-5": lambda eps: max(eps, 1e-4),
        "at most 0.5": lambda eps: min(eps, 0.5),
        "squared": lambda eps: eps**2,
    }
    for label, change in changes.items():
        yield f"an eps {label}", lambda x, g, b, e, change=change: answer(x, g, b, change(e))
    yield "flat rows are ones", lambda x, g, b, e: np.where(is_flat(x), g + b, answer(x, g, b, e))
    yield "flat rows are zeros", lambda x, g, b, e: np.where(is_flat(x), 0, answer(x, g, b, e))


def is_flat(x):
    return np.ptp(x, axis=-1, keepdims=True) == 0
