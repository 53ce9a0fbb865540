"""Measure anew what lesson 11 says of 20 seeds: ``python -m tests.record_reach``.

It writes ``attnlib/data/reach.json``, which `attnlib.text.reach_table` reads. The functions that
measure are the lesson's own: they are read from the cells that define them.
"""

import platform

import numpy as np

from tests import record_learning as recording

LESSON = recording.LESSON.with_name("11_recurrence_and_convolution.md")
RECORD = recording.DATA / "reach.json"
TABLES = "recall", "strength", "hunger"  # called as the lesson's functions are
SEEDS = range(20)


def lesson():
    return recording.lesson(LESSON)


def measured(name, seeds=SEEDS):
    """Return a table's rows: of each column what is told of one number of each seed."""
    runs = [getattr(lesson(), name)(seed) for seed in seeds]
    return {
        row: {column: recording.summary([run[row][column] for run in runs]) for column in columns}
        for row, columns in runs[0].items()
    }


def main():
    versions = {"python": platform.python_version(), "numpy": np.__version__}
    tables = {name: {"seeds": list(SEEDS), "rows": measured(name)} for name in TABLES}
    text = recording.pretty({"versions": versions, "tables": tables})
    RECORD.write_text(text + "\n", "utf-8")
    print(f"{RECORD.name}: {len(TABLES)} tables, {RECORD.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
