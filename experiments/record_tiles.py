"""Measure lesson 15's tiles beside the formula, and record it: ``attnlib/data/tiles.json``.

``python -m experiments.record_tiles`` takes half a minute of one core, which should be idle. The
ways are the lesson's own functions and `attnlib.attention`, in turn, in numbers of 64 bits. What
is recorded is the median of the rounds, divided by the formula's.
"""

import os
import platform
import time
from pathlib import Path
from statistics import median

os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")  # of one core
os.environ["ATTNLIB_MINE"] = ""  # nobody's own functions: the references

import numpy as np

import attnlib
from experiments.record_learning import lesson, pretty

LESSON = Path(__file__).parent.parent / "notebooks/src/15_efficient_attention.md"
RECORD = Path(attnlib.__file__).parent / "data/tiles.json"
ROUNDS = {256: 101, 1024: 41, 4096: 11}  # by the number of words
WIDTH = 64  # of a head


def measured(ways, n_words, rounds):
    """Return the median seconds of each way, in rounds that take one after the other."""
    inputs = np.random.default_rng(n_words).standard_normal((3, n_words, WIDTH))
    taken = {way: [] for way in ways}
    for _ in range(rounds + 1):
        for way, compute in ways.items():
            before = time.perf_counter()
            compute(*inputs)
            taken[way].append(time.perf_counter() - before)
    return {way: median(seconds[1:]) for way, seconds in taken.items()}  # the first warms up


def main(rounds=ROUNDS):
    names = lesson(LESSON)
    ways = {
        "formula": names.by_formula,
        "formula, in place": names.in_place,
        "your tiles": names.in_tiles,
        "attnlib": attnlib.attention,
    }
    rows = {way: {} for way in ways}
    for n_words, n_rounds in rounds.items():
        seconds = measured(ways, n_words, n_rounds)
        for way in ways:
            rows[way][f"{n_words:,}"] = round(seconds[way] / seconds["formula"], 2)
        print(n_words, {way: row[f"{n_words:,}"] for way, row in rows.items()}, flush=True)
    versions = {"python": platform.python_version(), "numpy": np.__version__}
    found = {"tables": {"time": {"rows": rows}}, "versions": versions}
    RECORD.write_text(pretty(found) + "\n", "utf-8")


if __name__ == "__main__":
    main()
