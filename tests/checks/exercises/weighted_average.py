"""Right answers to weighted_average, and wrong ones."""

import numpy as np

import attnlib


def average_by_einsum(weights, values):
    return np.einsum("...nm,...md->...nd", weights, values)


def average_by_sum(weights, values):
    return (weights[..., None] * values[..., None, :, :]).sum(axis=-2)


VARIANTS = (average_by_einsum, average_by_sum)


KNOBS = {"shares": (lambda w: attnlib.softmax(w) / w.shape[-1],)}

NAMED = ((lambda w, v: np.dot(w, v) / len(v), "divided by the number of values"),)
