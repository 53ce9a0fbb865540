"""Known mistakes that a sheet carries: what each of them answers in a call, and no wrong function.

An answer is kept as three numbers: two sums of all its entries, each weighed in another way, and
the sum of their sizes. Two answers that have all three in common are taken for the same.
"""

from __future__ import annotations

import base64
import bz2
import json
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from attnlib.checks.exercise import direction

CLOSE = 1e-4  # of the sum of all entries' sizes: what answers of a few digits may differ by
LEAST = 1e-6
Trace = tuple[float, float, float]  # the two sums, and how large their terms are


def trace(arrays: Iterable) -> Trace | None:
    """Return what is kept of an answer; nothing where it is empty, or not finite."""
    x = np.concatenate([np.ravel(one).astype(float) for one in arrays])
    if not x.size or not np.isfinite(x).all():
        return None
    sums = float(direction(x) @ x), float(direction(x)[::-1] @ x)
    return *(float(f"{one:.6g}") for one in sums), float(f"{np.abs(x).sum():.6g}")


def is_same(one: Trace, other: Trace, times: float = 1.0) -> bool:
    """Whether two answers are the same, as far as is known; `times` allows for so much more."""
    slack = times * (CLOSE * max(one[2], other[2]) + LEAST)
    return all(abs(a - b) <= slack for a, b in zip(one, other, strict=True))


def pack(known: Mapping[str, Sequence[tuple[Trace, str]]]) -> str:
    """Write what mistakes answer in each call, and what is said of them: not to be read by eye."""
    text = json.dumps(known, ensure_ascii=False, separators=(",", ":"))
    return base64.b64encode(bz2.compress(text.encode())).decode()


def named(arrays: Iterable, call: str, packed: str) -> str:
    """Say which of the packed mistakes an answer to a call is; nothing where it is none, or two."""
    mine = trace(arrays)
    known = json.loads(bz2.decompress(base64.b64decode(packed))) if packed else {}
    found = [words for one, words in known.get(call, []) if mine and is_same(mine, one)]
    return found[0] if len(found) == 1 else ""
