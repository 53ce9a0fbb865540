"""Try a function in a process of its own, where it may loop for ever or end everything.

``python -m attnlib.mine.trial softmax 10`` reads its source and says what came of it, as JSON.
"""

from __future__ import annotations

import faulthandler
import io
import json
import os
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

import attnlib
from attnlib import checks
from attnlib.checks.calling import call
from attnlib.checks.earlier import adapted
from attnlib.checks.engine import examine

SECONDS = 120  # for the whole check, which itself stops a call that does not end
START = 60  # and for Python and NumPy to get there, on a slow disk
ROUNDS = 3  # the quickest of which is counted
ENOUGH = 1.0  # seconds that are timed: a slow function needs no second round
CLOSE = 1e-9  # how far numbers may be off: float32 is by 1e-8, 64 bits in any order by 1e-12


@dataclass(frozen=True)
class Verdict:
    """What a trial found."""

    passed: bool  # whether the check did
    why: str = ""  # a sentence, where it did not
    times: float = 0.0  # how many times as long as the reference it takes


def tried(name: str, part: str, seconds: int = SECONDS) -> Verdict:
    """Run the check of a function on its source, in another process and under a time limit."""
    above = str(Path(attnlib.__file__).resolve().parents[1])
    paths = os.pathsep.join(filter(None, [above, os.environ.get("PYTHONPATH")]))
    command = [sys.executable, "-P", "-m", __name__, name, str(seconds)]
    try:
        done = subprocess.run(
            command,
            input=part.encode(),
            capture_output=True,
            timeout=START + seconds,
            env=os.environ | {"PYTHONPATH": paths, "ATTNLIB_MINE": "", "PYTHONUTF8": "1"},
            check=False,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),  # which Windows has
        )
        return Verdict(**json.loads(done.stdout))
    except subprocess.TimeoutExpired:
        return Verdict(False, _late(seconds))
    except OSError as error:
        return Verdict(False, f"No process could be started to try it in ({error.strerror}).")
    except ValueError:
        late = b"Timeout (" in done.stderr
        return Verdict(
            False, _late(seconds) if late else f"Python ended while it ran ({done.returncode})."
        )


def _late(seconds: int) -> str:
    return (
        f"Its check takes more than {seconds} seconds in all, though no call in it had to be "
        "stopped: the function is too slow for a lesson, or waits for something."
    )


def main(name: str, seconds: str) -> None:
    """Try the function of a name whose source comes in; what it prints goes nowhere."""
    source, out = sys.stdin.read(), sys.stdout
    sys.stdout = io.StringIO()
    faulthandler.dump_traceback_later(int(seconds), exit=True)
    found = _verdict(name, source)
    faulthandler.cancel_dump_traceback_later()
    json.dump(asdict(found), out)


def _verdict(name: str, source: str) -> Verdict:
    namespace = {"__name__": "mine"}
    try:
        exec(compile(source, "mine.py", "exec"), namespace)
    except ModuleNotFoundError as error:
        return Verdict(
            False,
            f"It imports `{error.name}`, which is not installed. Define what it needs of that "
            "in the notebook, and keep it together with it.",
        )
    except Exception as error:
        return Verdict(False, f"Its file raises {type(error).__name__}: {error}")
    exercise, function = checks.find(name), namespace[name]
    report = examine(exercise, function)
    if report.status != "passed":
        words = (block.as_text() for block in report.blocks)
        return Verdict(False, " ".join(next(words, report.title).split()))
    function = adapted(exercise, function)
    if (off := _off(function, exercise)) > CLOSE:
        return Verdict(
            False,
            f"Its numbers are off by {off:.0e}, as in float32. Its check allows that; the lessons "
            "that measure slopes need more digits.",
        )
    return Verdict(True, times=_seconds(function, exercise) / _seconds(exercise.answer, exercise))


def _off(function, exercise) -> float:
    """Say how far a function's numbers are from the reference's in the plain examples, at most."""
    farthest = 0.0
    for case in exercise.cases():
        got, due = (call(f, case.inputs, exercise.parts) for f in (function, exercise.answer))
        for x, y in zip(got.arrays, due.arrays, strict=True):
            if y.dtype.kind == "f":
                same = (x == y) | np.isnan(y)
                apart = np.abs(np.where(same, 0, x) - np.where(same, 0, y))
                farthest = max(farthest, np.max(apart / np.maximum(1, np.abs(y)), initial=0))
    return float(farthest)


def _seconds(function, exercise) -> float:
    """Time a function on the plain examples."""
    spent = []
    for _ in range(ROUNDS):
        inputs = [case.inputs for case in exercise.cases()]
        start = time.perf_counter()
        for given in inputs:
            function(*given)
        spent.append(time.perf_counter() - start)
        if sum(spent) > ENOUGH:
            break
    return min(spent)


if __name__ == "__main__":
    main(*sys.argv[1:])
