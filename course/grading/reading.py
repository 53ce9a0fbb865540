"""Read a notebook in a process of its own, which may use little: a notebook can be a bomb.

Twenty megabytes of JSON can become a gigabyte of objects, or take minutes. So the process that has
the class's marks never parses what a student handed in: it reads plain text, already cut into cells
and counted, from one that is ended if it wants too much.
"""

import json
import resource
import signal
import subprocess
import sys
from dataclasses import astuple
from pathlib import Path

from course.grading.submission import Cell, Submission, UngradedError, made_of, parse

MOST_CODE = 4 << 20  # letters, of all cells together
MOST_TEXT = 8 << 20  # of all other cells together, and their names
MOST_SENT = 64 << 20  # bytes of what comes back
MEMORY = 512 << 20  # bytes of address space
SECONDS = 10  # of the processor; and by the clock on the wall:
PATIENCE = 120
TOO_MUCH = f"it needs more than {MEMORY >> 20} MB of memory to be read"
TOO_LONG = "it takes more than {0} seconds to be read"


def read_apart(data: bytes) -> Submission:
    """Read a notebook's bytes in a process of its own.

    Raises
    ------
    UngradedError
        If they are none, or too much.
    """
    match apart(data, __name__):
        case str(why):
            raise UngradedError(why)
        case [list(python), list(found)]:
            return made_of(tuple(Cell(*one) for one in found), tuple(python))
    raise UngradedError("it could not be read")


def apart(data: bytes, module: str):
    """Have a module's `main` read bytes in a process of its own; return what it wrote, as JSON.

    Raises
    ------
    UngradedError
        If that takes too much.
    """
    root = str(Path(__file__).parents[2])
    start = f"import sys; sys.path.insert(0, {root!r}); from {module} import main; main()"
    command = [sys.executable, "-I", "-S", "-B", "-c", start]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    with process:
        try:
            said, _ = process.communicate(data, timeout=PATIENCE)
        except subprocess.TimeoutExpired as error:
            process.kill()
            raise UngradedError(TOO_LONG.format(SECONDS)) from error
        except BaseException:
            process.kill()
            raise
    if process.returncode:
        is_late = process.returncode == -signal.SIGXCPU
        raise UngradedError(TOO_LONG.format(SECONDS) if is_late else TOO_MUCH)
    return json.loads(said)


def main() -> None:
    """Read a notebook from standard input; write what is in it, or a sentence why it is none."""
    bound()
    try:
        write(_cut(sys.stdin.buffer.read()))
    except UngradedError as why:
        write(str(why))


def bound() -> None:
    """Bound what this process may use."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def write(what) -> None:
    """Write what was read, for `apart`.

    Raises
    ------
    UngradedError
        If it is too much; nothing is written then.
    """
    told = json.dumps(what, ensure_ascii=False).encode()
    if len(told) > MOST_SENT:
        raise UngradedError("it has too much text")
    sys.stdout.buffer.write(told)


def _cut(data: bytes) -> tuple:
    read = parse(data)
    every = read.all_cells
    code = sum(len(one.source) for one in every if one.kind == "code")
    text = sum(map(len, (part for one in every for part in astuple(one)))) - code
    for what, n, most in (("code", code, MOST_CODE), ("text", text, MOST_TEXT)):
        if n > most:
            raise UngradedError(f"it has more than {most >> 20} MB of {what}")
    return read.python, [astuple(one) for one in every]
