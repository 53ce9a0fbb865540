"""Right answers to cosine_similarity, wrong ones, and what it promises."""

import math

import numpy as np

from tests.checks.by_hand import dot
from tests.checks.knobs import same


def cosine_by_loop(x):
    rows = x.tolist()
    norm = [math.hypot(*row) for row in rows]
    return [[dot(a, b) / (norm[i] * norm[j]) for j, b in enumerate(rows)] for i, a in enumerate(
        rows)]  # fmt: skip


def cosine_with_epsilon(x):
    norms = np.linalg.norm(x, axis=1)
    return np.einsum("id,jd->ij", x, x) / (np.outer(norms, norms) + 1e-12)


VARIANTS = (cosine_by_loop, cosine_with_epsilon)


def turned(x, *, power, axis, sides, after):
    y = x / np.sqrt((x**2).sum(axis=axis, keepdims=True)) ** power
    return after(y @ (y if sides == 2 else x).T)


KNOBS = {
    "power": (1, 0, 2),
    "axis": (-1, 0, None),
    "sides": (2, 1),
    "after": (same, np.abs, np.arccos),
}


HARMLESS = {
    "small answers made 0": "a cosine of 1e-4 is 0, to a reader",
}


def wrong():
    norm = lambda x: np.linalg.norm(x, axis=-1, keepdims=True)  # noqa: E731
    for least in (0.1, 0.5, 1.0):

        def floored(x, least=least):
            y = x / np.maximum(norm(x), least)
            return y @ y.T

        yield f"lengths at least {least}", floored
    for eps in (1e-6, 1e-5, 1e-3):

        def softened(x, eps=eps):
            y = x / (norm(x) + eps)
            return y @ y.T

        yield f"{eps} added to lengths", softened

    def capped(x):
        y = x / np.minimum(norm(x), 100)
        return y @ y.T

    yield "lengths at most 100", capped


def lengths(x):
    return np.linalg.norm(x, axis=1)


NAMED = (
    (lambda x: (x / lengths(x)) @ (x / lengths(x)).T, "keepdims forgotten"),
    (lambda x: x @ x.T / (lengths(x) * lengths(x)), "one of the two lengths, squared"),
    (lambda x: x @ x.T / lengths(x), "divided by the other of the two lengths"),
)
