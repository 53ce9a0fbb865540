"""Right answers to cosine_similarity, and wrong ones."""

import math

import numpy as np

from attnlib.checks.exercises import cosine_similarity as spec
from tests.checks.by_hand import dot
from tests.checks.knobs import set_to


def cosine_by_loop(x):
    rows = x.tolist()
    norm = [math.hypot(*row) for row in rows]
    return [[dot(a, b) / (norm[i] * norm[j]) for j, b in enumerate(rows)] for i, a in enumerate(
        rows)]  # fmt: skip


def cosine_with_epsilon(x):
    norms = np.linalg.norm(x, axis=1)
    return np.einsum("id,jd->ij", x, x) / (np.outer(norms, norms) + 1e-12)


VARIANTS = (cosine_by_loop, cosine_with_epsilon)


KNOBS = {"after": (np.abs,)}


HARMLESS = {"small answers made 0": "a cosine of 1e-4 is 0, to a reader"}


def wrong():
    changes = {f"lengths at least {n}": lambda x, n=n: np.maximum(x, n) for n in (0.1, 0.5, 1.0)}
    changes |= {f"{n} added to lengths": lambda x, n=n: x + n for n in (1e-6, 1e-5, 1e-3)}
    changes["lengths at most 100"] = lambda x: np.minimum(x, 100)
    for label, change in changes.items():
        yield (
            label,
            set_to(spec.turned, {"divisor": lambda x, f=change: spec.by_pairs(f(spec.lengths(x)))}),
        )


def lengths(x):
    return np.linalg.norm(x, axis=1)


NAMED = (
    (lambda x: (x / lengths(x)) @ (x / lengths(x)).T, "keepdims forgotten"),
    (lambda x: x @ x.T / (lengths(x) * lengths(x)), "one of the two lengths, squared"),
    (lambda x: x @ x.T / lengths(x), "divided by the other of the two lengths"),
)
