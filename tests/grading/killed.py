"""Grade a class, without a sandbox, and be killed before the gradebook's n-th statement.

`python -m tests.grading.killed N …` takes what `python -m course grade …` takes. It waits for no
moment: wherever the machine is slow, the same statement is the last one. At its end, if it has one,
it prints how many there were.
"""

import os
import signal
import sqlite3
import sys
from contextlib import nullcontext

from course.grading import __main__ as command_line
from course.grading import run
from course.grading.submission import parse
from tests.grading.toy import Calling


class Traced:
    """Connects to an SQLite file, and ends this process before so many statements."""

    def __init__(self, most):
        self.most, self.n, self.connect = most, 0, sqlite3.connect

    def __call__(self, *given, **more):
        base = self.connect(*given, **more)
        base.set_trace_callback(self.count)
        return base

    def count(self, statement):
        self.n += 1
        if self.n == self.most:
            os.kill(os.getpid(), signal.SIGKILL)


def main(most, *words):
    """Grade as the words say; return the exit code."""
    sqlite3.connect = traced = Traced(int(most))
    command_line.Image, command_line.check = nullcontext, lambda image: None
    command_line.Runner, run.read_apart = lambda *_, **__: Calling(), parse
    code = command_line.main(words)
    print(traced.n)
    return code


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
