"""Right answers to sinusoidal_positions, wrong ones, and what it promises."""

import numpy as np

import attnlib
from tests.checks.by_hand import sinusoids_by_loop, sinusoids_by_phase
from tests.checks.knobs import RIGHT

VARIANTS = (sinusoids_by_loop, sinusoids_by_phase)


def turned(n, d, *, start, exponent, even, layout):
    angle = (np.arange(n)[:, None] + start) * 10_000.0 ** (exponent * np.arange(0, d, 2) / d)
    pair = (np.sin(angle), np.cos(angle)) if even == "sin" else (np.cos(angle), np.sin(angle))
    return np.stack(pair, axis=-1).reshape(n, d) if layout == "right" else np.hstack(pair)


KNOBS = {
    "start": (0, 1),
    "exponent": (-1, -0.5, -2, 0, 1),
    "even": ("sin", "cos"),
    "layout": (*RIGHT, "concatenated"),
}


def wrong():
    for most in (100, 200, 300):
        yield (
            f"{most} positions at most",
            lambda n, d, most=most: attnlib.sinusoidal_positions(min(n, most), d),
        )
        yield (
            f"again after {most}",
            lambda n, d, most=most: attnlib.sinusoidal_positions(most, d)[np.arange(n) % most],
        )
    yield "in float16", lambda n, d: attnlib.sinusoidal_positions(n, d).astype(np.float16)


def feature_by_feature(n, d):
    table = np.zeros((n, d))
    for p in range(n):
        for i in range(d):
            angle = p / 10000 ** (2 * i / d)
            table[p, i] = np.sin(angle) if i % 2 == 0 else np.cos(angle)
    return table


NAMED = ((feature_by_feature, "exponent 2i / d_model with the feature's number"),)
