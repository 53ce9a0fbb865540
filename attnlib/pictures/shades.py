"""Colours: those of shared.json, which the front end reads too, and what is mixed of them.

A still is a sheet of light paper. `src/shades.js` mixes as this file does; a test holds the two
against each other.
"""

import functools
import math

import numpy as np

from attnlib.pictures.shared import shared

LIGHT, *RAMPS = shared("colors", "light", "ramp", "sides", "heads")
PAPER, INK, SOFT, LINE = (LIGHT[name] for name in ("paper", "ink", "soft", "line"))
FAINT, WARN, FIRST, SECOND = (LIGHT[name] for name in ("faint", "warn", "first", "second"))
RAMP, SIDES, HEADS = (tuple(ramp["light"]) for ramp in RAMPS)

# Of linear red, green and blue to XYZ and back, with the white of D50.
WHITE = np.array([0.96422, 1.0, 0.82521])
TO_XYZ = np.array([
    [0.4360747, 0.3850649, 0.1430804],
    [0.2225045, 0.7168786, 0.0606169],
    [0.0139322, 0.0971045, 0.7141733],
])  # fmt: skip
TO_RGB = np.array([
    [3.1338561, -1.6168667, -0.4906146],
    [-0.9787684, 1.9161415, 0.0334540],
    [0.0719453, -0.2289914, 1.4052427],
])  # fmt: skip


def shade(share, *, two_sided=False):
    """Return paper and ink of a cell for a share from 0 to 1, or from -1 to 1, as `#rrggbb`."""
    share = float(share) if math.isfinite(share) else 0.0
    place = min(max((share + 1) / 2 if two_sided else share, 0.0), 1.0)
    return _stopped(round(1000 * place), SIDES if two_sided else RAMP)


def tint(color, share):
    """Return paper and ink of a cell in a colour of its own: as much of it as the share."""
    return _thinned(color, round(100 * min(max(float(share), 0.0), 1.0)))


def between(start, end, share):
    """Return the colour at a share of the way, as an eye would mix the two: in CIELAB."""
    start, end = (_sensed(TO_XYZ @ _linear(color) / WHITE) for color in (start, end))
    linear = TO_RGB @ (WHITE * _unsensed(start + share * (end - start)))
    return _hex(255 * _encoded(np.clip(linear, 0, 1)))


@functools.cache
def _stopped(place, stops):
    """Mix the stops between which a thousandth lies."""
    at = place / 1000 * (len(stops) - 1)
    first = min(int(at), len(stops) - 2)
    return _inked(between(*stops[first : first + 2], at - first))


@functools.lru_cache(1000)
def _thinned(color, hundredths):
    below = _bytes(PAPER)
    return _inked(_hex(below + (_bytes(color) - below) * (hundredths / 100)))


def _inked(paper):
    """Return a cell's paper, with the ink that is read better on it."""
    luminance = _linear(paper) @ [0.2126, 0.7152, 0.0722]  # WCAG's
    return paper, "#000000" if luminance > 0.179 else "#ffffff"


def _sensed(t):
    """Return what CIELAB makes of X, Y and Z: its three numbers are sums of these."""
    return np.where(t > (6 / 29) ** 3, np.cbrt(t), t / (3 * (6 / 29) ** 2) + 4 / 29)


def _unsensed(f):
    return np.where(f > 6 / 29, f**3, 3 * (6 / 29) ** 2 * (f - 4 / 29))


def _linear(color):
    x = _bytes(color) / 255
    return np.where(x <= 0.04045, x / 12.92, ((x + 0.055) / 1.055) ** 2.4)


def _encoded(x):
    return np.where(x <= 0.0031308, 12.92 * x, 1.055 * x ** (1 / 2.4) - 0.055)


def _bytes(color):
    return np.array([int(color[k : k + 2], 16) for k in (1, 3, 5)])


def _hex(parts):
    return "#" + "".join(f"{round(x):02x}" for x in parts)
