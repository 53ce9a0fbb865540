"""Right answers to weighted_average, wrong ones, and what it promises."""

import numpy as np

import attnlib
from tests.checks.knobs import same


def average_by_einsum(weights, values):
    return np.einsum("...nm,...md->...nd", weights, values)


def average_by_sum(weights, values):
    return (weights[..., None] * values[..., None, :, :]).sum(axis=-2)


VARIANTS = (average_by_einsum, average_by_sum)


def turned(weights, values, *, soften, divide, after):
    weights = attnlib.softmax(weights) if soften else weights
    return after(weights @ values / (values.shape[-2] if divide else 1))


KNOBS = {
    "soften": (False, True),
    "divide": (False, True),
    "after": (same, lambda y: y.swapaxes(-1, -2)),
}


NAMED = ((lambda w, v: np.dot(w, v) / len(v), "divided by the number of values"),)
