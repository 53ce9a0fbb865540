"""Right answers to sinusoidal_positions, and wrong ones."""

import numpy as np

import attnlib
from tests.checks.by_hand import sinusoids_by_loop, sinusoids_by_phase

VARIANTS = (sinusoids_by_loop, sinusoids_by_phase)


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
