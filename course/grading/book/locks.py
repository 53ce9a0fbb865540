"""Who holds a gradebook: a lock that another process has is waited for, and its owner named."""

import contextlib
import fcntl
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from course import BuildError

LETTERS = 100  # of a command that are told
BUSY = """\
another grader is at work on {0}: {1}. Let it end, or end it; what it has graded is kept, and the \
same command goes on from there."""


def holders(path: Path, kind: str) -> list[str]:
    """Name the processes that hold a lock on a file; kind is ``"POSIX"`` or ``"FLOCK"``.

    The kernel lists its locks in `/proc/locks`, by the number of the file.
    """
    found = []
    with contextlib.suppress(OSError):
        number = path.stat().st_ino
        for line in Path("/proc/locks").read_text(encoding="ascii").splitlines():
            words = line.split()
            if words[1] == kind and words[5].rpartition(":")[2] == str(number):
                found.append(int(words[4]))
    others = sorted({pid for pid in found if pid != os.getpid()})
    return [_told(pid) for pid in others] or ["a process that cannot be seen from here"]


def waiting(path: Path, told: Callable[[str], None]) -> Iterator[None]:
    """Wait a moment each time that this is asked for more, and say for whom, once for each."""
    said = ""
    while True:
        who = ", ".join(holders(path, "POSIX"))
        if who != said:
            told(f"waiting for the gradebook {path}, which is held by {who}")
            said = who
        time.sleep(0.2)
        yield


@contextlib.contextmanager
def alone(path: Path) -> Iterator[None]:
    """Be the one grader of a gradebook. The kernel takes the lock back, however this one ends.

    Raises
    ------
    BuildError
        If there is another one; it is named.
    """
    descriptor = os.open(path, os.O_RDONLY)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            who = ", ".join(holders(path, "FLOCK"))
            raise BuildError(BUSY.format(path, who)) from error
        except OSError:
            pass  # a file system without such locks: then SQLite's alone keep the file whole
        yield
    finally:
        os.close(descriptor)


def _told(pid: int) -> str:
    try:
        command = Path(f"/proc/{pid}/cmdline").read_bytes().decode("utf-8", "replace")
    except OSError:
        return f"process {pid}"
    words = "".join(c if c.isprintable() else " " for c in command).strip()
    return f"process {pid} ({words[:LETTERS]})" if words else f"process {pid}"
