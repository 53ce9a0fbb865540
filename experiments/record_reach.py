"""Measure anew what lesson 11 says of 20 seeds: ``python -m experiments.record_reach``.

It writes ``attnlib/data/reach.json``, which `attnlib.text.reach_table` reads. The functions that
measure are the lesson's own: they are read from the cells that define them.
"""

import os
import platform
import time

os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")  # the speed is that of one core

import numpy as np

import attnlib
from experiments import record_learning as recording

LESSON = recording.LESSON.with_name("11_recurrence_and_convolution.md")
RECORD = recording.DATA / "reach.json"
TABLES = "recall", "strength", "hunger"  # called as the lesson's functions are
SPEED = "speed"  # in milliseconds, on one core of this machine: not to be had again elsewhere
SEEDS = range(20)


def lesson():
    return recording.lesson(LESSON)


def speed(seed, sizes=(128, 1024), d=64, rounds=5):
    """Return how many milliseconds a plain recurrence and attention without a mask take at best."""
    rng, found = np.random.default_rng(seed), {}
    for n in sizes:
        x, (w, u) = rng.standard_normal((n, d)), rng.standard_normal((2, d, d)) / np.sqrt(d)
        ways = {
            "recurrence": lambda x=x, w=w, u=u: lesson().plain(x, w, u),
            "attention": lambda x=x, w=w, u=u: attnlib.attention(x @ w, x @ u, x @ w),
        }
        for way, run in ways.items():
            times = [timed(run) for _ in range(rounds)]
            found.setdefault(way, {})[f"{n}"] = 1000 * min(times)
    return found


def timed(run):
    """Return how many seconds it takes."""
    began = time.perf_counter()
    run()
    return time.perf_counter() - began


def measured(name, seeds=SEEDS):
    """Return a table's rows: of each column what is told of one number of each seed."""
    measure = speed if name == SPEED else getattr(lesson(), name)
    runs = [measure(seed) for seed in seeds]
    return {
        row: {column: recording.summary([run[row][column] for run in runs]) for column in columns}
        for row, columns in runs[0].items()
    }


def main():
    versions = {"python": platform.python_version(), "numpy": np.__version__}
    tables = {name: {"seeds": list(SEEDS), "rows": measured(name)} for name in (*TABLES, SPEED)}
    text = recording.pretty({"versions": versions, "tables": tables})
    RECORD.write_text(text + "\n", "utf-8")
    print(f"{RECORD.name}: {len(tables)} tables, {RECORD.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
