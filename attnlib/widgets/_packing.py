"""Numbers from 0 to 1 in few bytes, as a page and the browser are sent them."""

import base64

import numpy as np

FINE = 50_000  # steps, of two bytes each: four decimals stay what they are
COARSE = 255  # of one byte each: enough for a shade, and for two decimals within one


def in_steps(x, steps=FINE):
    """Return x as whole steps, of which 1 has so many, and a copy that nobody can write into."""
    x = np.rint(x * steps) / steps
    x.flags.writeable = False
    return x


def packed(x, steps=FINE):
    """Return x as JSON has it in few bytes: its shape, and how many steps each number is."""
    counts = np.rint(x * steps).astype("<u2" if steps > COARSE else "u1")
    return {"shape": list(x.shape), "data": base64.b64encode(counts.tobytes()).decode()}


def unpacked(record):
    """Return what `packed` was given."""
    counts, size = base64.b64decode(record["data"]), np.prod(record["shape"])
    fine = len(counts) > size
    counts = np.frombuffer(counts, "<u2" if fine else "u1")
    return counts.reshape(record["shape"]) / (FINE if fine else COARSE)
