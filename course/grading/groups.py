"""Control groups (cgroup v2): what a sandbox uses as a whole, counted and bounded by the kernel.

A process may make groups below its own where that was delegated to it, by systemd or by whoever
started its container. The kernel lets processes be only in groups that have none below them, so
the grader moves into one of its own first; where others share its group, there is no delegation.
"""

import contextlib
import itertools
import os
import time
from pathlib import Path

NEEDED = ("memory", "pids")
TOLD = """\
the grader bounds a sandbox's memory itself, 20 times a second, for the kernel does not do it here
(no control group was delegated to this run: {reason}). Nothing has to be done; what it leaves open
is in docs/defended.md, *Memory by moments*. With systemd the kernel does it for
`systemd-run --user --scope -p Delegate=yes python -m course grade …`"""


class Groups:
    """The place for groups, if there is one. Used as a context, which leaves things as they were.

    Parameters
    ----------
    place
        The group of this process, as a folder; found where it is not given.

    Attributes
    ----------
    reason : str
        Why there is none, if so.
    """

    def __init__(self, place: Path | None = None):
        self.place, self.reason = place or _own(), ""
        self._numbers = itertools.count(1)

    def __enter__(self) -> "Groups":
        try:
            self._delegate()
        except OSError as error:
            self.reason = self.reason or (error.strerror or "it is refused").lower()
            self.__exit__()
            self.place = None
        return self

    def __exit__(self, *error) -> None:
        if self.place is None:
            return
        with contextlib.suppress(OSError):
            _write(self.place / "cgroup.subtree_control", " ".join(f"-{one}" for one in NEEDED))
        with contextlib.suppress(OSError):
            _write(self.place / "cgroup.procs", str(os.getpid()))
            self._home.rmdir()

    def told(self) -> str:
        """Say what is not bounded, where there is no place for groups."""
        return "" if self.place else TOLD.format(reason=self.reason)

    def make(self, memory: int, processes: int) -> "Group | None":
        """Make a group with bounds, the memory's in bytes; None where there is no place for it."""
        if self.place is None:
            return None
        return Group(self.place / f"sandbox-{os.getpid()}-{next(self._numbers)}", memory, processes)

    @property
    def _home(self) -> Path:
        return self.place / f"grader-{os.getpid()}"

    def _delegate(self) -> None:
        if self.place is None:
            self.reason = "there is no cgroup v2"
            raise OSError
        offered = (self.place / "cgroup.controllers").read_text().split()
        if missing := [one for one in NEEDED if one not in offered]:
            self.reason = f"without {' and '.join(missing)}"
            raise OSError
        self._home.mkdir()
        _write(self._home / "cgroup.procs", str(os.getpid()))
        _write(self.place / "cgroup.subtree_control", " ".join(f"+{one}" for one in NEEDED))


class Group:
    """A sandbox's group: its folder, which is made, and its bounds, in bytes and processes."""

    def __init__(self, path: Path, memory: int, processes: int):
        self.path = path
        path.mkdir()
        bounds = {"memory.max": memory, "memory.oom.group": 1, "pids.max": processes}
        if (path / "memory.swap.max").exists():
            bounds["memory.swap.max"] = 0
        for name, bound in bounds.items():
            _write(path / name, str(bound))

    def take(self, pids: list[int]) -> None:
        """Take processes in, and all that will come of them."""
        for pid in pids:
            _write(self.path / "cgroup.procs", str(pid))

    @property
    def cpu(self) -> float:
        """The seconds of CPU time that it has had, of processes that have ended, too."""
        with contextlib.suppress(OSError, ValueError):
            return _numbers(self.path / "cpu.stat")["usage_usec"] / 1e6
        return 0.0

    @property
    def is_over(self) -> bool:
        """Whether it wanted more memory than there is for it, and was ended."""
        with contextlib.suppress(OSError, ValueError):
            return _numbers(self.path / "memory.events").get("oom_kill", 0) > 0
        return False

    def end(self) -> None:
        """End all that is in it."""
        with contextlib.suppress(OSError):
            _write(self.path / "cgroup.kill", "1")

    def remove(self) -> None:
        """Remove it, as soon as what it held is gone."""
        for _ in range(100):
            with contextlib.suppress(OSError):
                self.path.rmdir()
            if not self.path.exists():
                return
            time.sleep(0.02)


def _own() -> Path | None:
    """Return this process's group, as a folder; None where there is no cgroup v2."""
    with contextlib.suppress(OSError, ValueError):
        mine = [line[3:] for line in _lines("/proc/self/cgroup") if line.startswith("0::")]
        for line in _lines("/proc/self/mountinfo") if mine else ():
            before, _, after = line.partition(" - ")
            if after.startswith("cgroup2 "):
                root, point = before.split()[3:5]
                return Path(point) / os.path.relpath(mine[0], root)
    return None


def _lines(path: str) -> list[str]:
    return Path(path).read_text(encoding="utf-8").splitlines()


def _numbers(path: Path) -> dict[str, int]:
    return {name: int(number) for name, number in map(str.split, _lines(str(path)))}


def _write(path: Path, text: str) -> None:
    file = os.open(path, os.O_WRONLY | os.O_TRUNC)  # and not `write_text`, which makes what is not
    try:
        os.write(file, text.encode())
    finally:
        os.close(file)
