"""Right answers to projection, and wrong ones."""

import numpy as np

from attnlib.checks.exercises.projection import turned
from tests.checks.knobs import set_to


def projection_by_unit(a, onto):
    unit = onto / np.linalg.norm(onto)
    return (a @ unit) * unit


def projection_by_matrix(a, onto):
    return np.outer(onto, onto) / np.sum(onto**2) @ a


VARIANTS = (projection_by_unit, projection_by_matrix)


def wrong():
    below = {"cut at 100": lambda a, o: min(o @ o, 1e4)}
    for eps in (1e-8, 1e-6, 1e-3):
        below[f"{eps} added"] = lambda a, o, eps=eps: o @ o + eps
    for least in (1e-4, 1e-2, 1.0):
        below[f"at least {least}"] = lambda a, o, least=least: max(o @ o, least)
    for label, divisor in below.items():
        yield label, set_to(turned, {"below": divisor})
    yield "not below 1e-3", lambda a, o: turned(a, o) * (np.linalg.norm(o) > 1e-2)
    yield "never longer than onto", lambda a, o: o * np.clip(a @ o / (o @ o), -1, 1)
