"""Right answers to projection, wrong ones, and what it promises."""

import numpy as np

from tests.checks.knobs import RIGHT, same


def projection_by_unit(a, onto):
    unit = onto / np.linalg.norm(onto)
    return (a @ unit) * unit


def projection_by_matrix(a, onto):
    return np.outer(onto, onto) / np.sum(onto**2) @ a


VARIANTS = (projection_by_unit, projection_by_matrix)


def turned(a, onto, *, order, below, after):
    a, onto = (a, onto) if order == "right" else (onto, a)
    divisor = {"right": onto @ onto, "once": np.sqrt(onto @ onto), "none": 1}[below]
    return after(a @ onto / divisor) * onto


KNOBS = {
    "order": (*RIGHT, "swapped"),
    "below": (*RIGHT, "once", "none"),
    "after": (same, np.abs),
}


def wrong():
    def along(a, onto, square):
        return a @ onto / square * onto

    for eps in (1e-8, 1e-6, 1e-3):
        yield f"{eps} added", lambda a, o, eps=eps: along(a, o, o @ o + eps)
    for least in (1e-4, 1e-2, 1.0):
        yield f"at least {least}", lambda a, o, least=least: along(a, o, max(o @ o, least))
    yield "not below 1e-3", lambda a, o: along(a, o, o @ o) * (np.linalg.norm(o) > 1e-2)
    yield "cut at 100", lambda a, o: along(a, o, min(o @ o, 1e4))
    yield "never longer than onto", lambda a, o: o * np.clip(a @ o / (o @ o), -1, 1)
