"""A place to run what nobody trusts: bubblewrap, around an image."""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from dataclasses import dataclass

import numpy as np

from course import BuildError
from course.grading import syscalls
from course.grading.groups import Group, Groups
from course.grading.image import INSIDE, Image
from course.grading.wire import ClosedError, LateError, Line, WireError

NOBODY = 65534
START = 30.0  # seconds of CPU time in which a sandbox should be there, on whatever machine
DEVICES = ("/dev/null", "/dev/urandom")  # and not /dev/zero, which is shared memory, too
WHY_NOT = """\
The grader runs submissions in a sandbox, and cannot make one here: {reason}
  - Debian, Ubuntu: `apt install bubblewrap`. Fedora: `dnf install bubblewrap`.
  - Where it is installed and still refused, the kernel keeps users from making namespaces:
    `sysctl kernel.unprivileged_userns_clone=1`, on Ubuntu 24.04 and later also
    `sysctl kernel.apparmor_restrict_unprivileged_userns=0`.
  - macOS: a virtual machine with Linux. Windows: WSL 2.
For a notebook of your own, and nobody else's, there is --unsafe-no-sandbox."""


class NoSandboxError(BuildError):
    """Here is no way to run a submission safely."""


class NotStartedError(BuildError):
    """A sandbox did not start: the machine's fault, for nothing of a submission was in it yet."""


@dataclass(frozen=True)
class Limits:
    """What a submission may use.

    Attributes
    ----------
    memory : int
        MiB, of all its processes together and the files that they write into memory.
    processes : int
        At a time.
    file_size, files : int
        MiB, of all files in its `/tmp`, and how many may be there.
    cells, cell : float
        Seconds of CPU time for all cells together, and for one of them.
    task : float
        Seconds of CPU time for all calls of one function.
    call : int
        Seconds of CPU time for one of them.
    answers : int
        MiB, of what comes back from all of them.
    patience : float
        How many times as long a wall clock may take.
    spare : float
        How many seconds more.
    waits : float
        How many seconds more for all calls of one function.
    """

    memory: int = 1024
    processes: int = 16
    file_size: int = 16
    files: int = 1000
    cells: float = 30.0
    cell: float = 5.0
    task: float = 30.0
    call: int = 3
    answers: int = 8
    patience: float = 2.0
    spare: float = 5.0
    waits: float = 20.0

    def wall(self, cpu: float) -> float:
        """Return the seconds by the wall clock in which so much CPU time should be had."""
        return cpu * self.patience + self.spare


class Sandbox:
    """One sandboxed child, and the line to it. Used as a context; leaving it ends all in it.

    Parameters
    ----------
    image
        What is in it.
    limits
        What it may use.
    groups
        Where to make a control group for it.
    is_open
        Whether to do without bubblewrap, for one's own notebook.

    Attributes
    ----------
    cpu : float
        The seconds of CPU time that all its processes have had, a moment ago.
    ended_for : str
        Why it was ended, if it was.
    """

    def __init__(
        self, image: Image, limits: Limits, groups: Groups | None = None, *, is_open: bool = False
    ):
        self.image, self.limits, self.groups, self.is_open = image, limits, groups, is_open
        self.ended_for = ""
        self._group: Group | None = None

    def __enter__(self) -> "Sandbox":
        try:
            self._start()
        except OSError as error:  # no processes, descriptors or memory are left on this machine
            raise NotStartedError(f"a sandbox did not start: {error.strerror}") from error
        os.set_blocking(self._stderr, False)
        self.cpu = self._cpu_before = 0.0
        self._allowed = self.limits.cells
        self._done = threading.Event()
        self._watch = threading.Thread(target=self._watching, daemon=True)
        self._watch.start()
        return self

    def _start(self) -> None:
        with contextlib.ExitStack() as undone:
            ours, theirs = socket.socketpair()
            undone.enter_context(ours)
            self._stderr, stderr = os.pipe()  # and no file, into which more could be written
            undone.callback(os.close, self._stderr)
            try:
                self._process = subprocess.Popen(
                    self._command(theirs.fileno()),
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=stderr,
                    pass_fds=[theirs.fileno()],
                    env=self._environment(),
                    cwd="/",
                    start_new_session=True,
                    **unprivileged(),
                )
            finally:
                theirs.close()
                os.close(stderr)
            undone.pop_all()
        self.line = Line(ours)

    def begin(self) -> None:
        """Wait until it has closed behind itself, and bound it; nothing of a submission is in it.

        Raises
        ------
        NotStartedError
            If it does not come so far; the message says what it said.
        """
        limits, deadline = self.limits, self.allow(START)
        own = (limits.memory, 0 if self.is_open else limits.processes, limits.file_size)
        tmp = (limits.file_size, limits.files)
        try:
            program = np.frombuffer(syscalls.program(), "u1")
            self.line.send((own, tmp, program), deadline)
            if self.line.receive(deadline) != "here":
                raise WireError("something else was sent")
            if self.groups:
                self._group = self.groups.make(limits.memory << 20, limits.processes)
            if self._group:
                self._group.take(self._pids())
                self.cpu = 0.0  # as the group counts
        except (WireError, OSError) as error:
            raise NotStartedError(self._said(error)) from error

    def __exit__(self, *error) -> None:
        self._done.set()
        self.end()
        self._watch.join()
        self.line.close()
        while True:
            try:
                self._process.wait(1)
                break
            except subprocess.TimeoutExpired:  # it was only starting when it should have ended
                self.end()
                if not _children(self._process.pid):
                    _kill(self._process.pid)
        os.close(self._stderr)
        if self._group:
            self._group.remove()

    def why(self, error: WireError) -> str:
        """Return how it, or what was asked of it, ended, after an error on its line."""
        if self._group and self._group.is_over:
            self.end("out of memory")
        if self.ended_for:
            return self.ended_for
        if isinstance(error, LateError):
            return "late"
        return "exited" if isinstance(error, ClosedError) else "bad result"

    def _said(self, error: Exception) -> str:
        """Return what was written before any cell was run: of a traceback, its last line."""
        words = ""
        with contextlib.suppress(BlockingIOError):
            words = os.read(self._stderr, 10_000).decode("utf-8", "replace").strip()
        why = words.rpartition("\n")[2] or self.ended_for or error
        return f"a sandbox did not start: {why}"

    def end(self, reason: str = "") -> None:
        """End all processes in it."""
        self.ended_for = self.ended_for or reason
        if self._group:
            self._group.end()
        # The first process of a namespace takes all others with it, and bubblewrap, outside, ends
        # when they have ended. So only those are killed that bubblewrap started itself.
        for pid in self._pids() if self.is_open else _children(self._process.pid):
            _kill(pid)
        if self.is_open:
            _kill(self._process.pid)

    def allow(self, cpu: float) -> float:
        """Allow so much CPU time from now on; return until when to wait for what comes."""
        self._cpu_before, self._allowed = self.cpu, cpu
        return time.monotonic() + self.limits.wall(cpu)

    def _command(self, line: int) -> list[str]:
        """Return what to start; the line is a file descriptor."""
        image = str(self.image.folder)
        place = image if self.is_open else INSIDE
        start = (
            f"import sys; sys.path.insert(0, '{place}/site'); from course.grading import child; "
            f"child.main({line}, is_alone={not self.is_open})"
        )
        child = ["-I", "-S", "-B", "-c", start]
        if self.is_open:
            return [f"{image}/bin/python", *child]
        shown = self.image.by_path.items()
        return [
            shutil.which("bwrap") or "bwrap",
            *("--unshare-all", "--unshare-user", "--disable-userns"),
            *("--die-with-parent", "--new-session", "--as-pid-1"),
            *("--uid", str(NOBODY), "--gid", str(NOBODY), "--hostname", "sandbox"),
            *("--cap-drop", "ALL", "--cap-add", "CAP_SYS_ADMIN", "--clearenv"),
            *[arg for pair in self._environment().items() for arg in ("--setenv", *pair)],
            *[arg for path, file in shown for arg in ("--ro-bind", file, path)],
            *("--ro-bind", image, INSIDE),
            *("--proc", "/proc"),
            *[arg for path in DEVICES for arg in ("--dev-bind", path, path)],
            *("--dir", "/tmp", "--dir", "/home", "--remount-ro", "/", "--chdir", "/tmp"),
            *("--", self.image.python, *child),
        ]

    def _environment(self) -> dict[str, str]:
        image = self.image.folder if self.is_open else INSIDE
        threads = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
        return threads | {
            "ATTNLIB_MINE": "",  # what a submission brings along is no part of attnlib
            "HOME": "/home",
            "LANG": "C.UTF-8",
            "PATH": "/nowhere",
            "LD_LIBRARY_PATH": f"{image}/lib",
            "LOCPATH": f"{image}/locale",
        }

    def _watching(self) -> None:
        """End it when all its processes together use too much."""
        while not self._done.wait(0.05):
            memory = cpu = 0.0
            for pid in self._pids():
                used = _used(pid)
                memory, cpu = memory + used[0], cpu + used[1]
            if group := self._group:
                cpu = group.cpu
            self.cpu = max(self.cpu, cpu)
            if self.ended_for:
                self.end()  # what was only starting when it was to end
            elif group.is_over if group else self._is_over(memory):
                self.end("out of memory")
            elif self.cpu - self._cpu_before > self._allowed:
                self.end("timed out")

    def _is_over(self, memory: float) -> bool:
        """Whether its processes hold too much, even if what they share is counted once."""
        most = self.limits.memory << 20
        return memory > most and sum(map(_share, self._pids())) > most

    def _pids(self) -> list[int]:
        """Find the processes in it: all that come of the one that was started."""
        return [pid for pid in family(self._process.pid) if pid != self._process.pid]


def check(image: Image) -> None:
    """Make a sandbox, to see whether it can be had.

    Raises
    ------
    NoSandboxError
        If it cannot; the message says why, and what to do.
    """
    if sys.platform != "linux":
        raise NoSandboxError(WHY_NOT.format(reason="this is no Linux."))
    if shutil.which("bwrap") is None:
        raise NoSandboxError(WHY_NOT.format(reason="bubblewrap is not installed."))
    try:
        with Sandbox(image, Limits()) as sandbox:
            sandbox.begin()
    except NotStartedError as error:
        raise NoSandboxError(WHY_NOT.format(reason=f"{error}.")) from error


def unprivileged() -> dict:
    """Give the options by which a child of root is nobody's."""
    if os.geteuid() != 0:
        return {}
    return {"user": NOBODY, "group": NOBODY, "extra_groups": []}


def _kill(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, signal.SIGKILL)


def family(root: int) -> list[int]:
    """Return a process and all that come of it."""
    found, ahead = [], [root]
    while ahead:
        found.append(ahead.pop())
        ahead += _children(found[-1])
    return found


def _children(pid: int) -> list[int]:
    """Return the processes that a process started and that still run."""
    children: list[int] = []
    try:
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/children") as file:
                children += map(int, file.read().split())
    except (OSError, ValueError):
        pass
    return children


def _used(pid: int) -> tuple[float, float]:
    """Return the memory, in bytes, and the CPU time, in seconds, of a process."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            fields = file.read().rpartition(")")[2].split()
        own = _resident(f"/proc/{pid}")
        if own == 0:  # its first thread has ended, and says nothing of what the others hold
            own = max(
                _resident(f"/proc/{pid}/task/{one}") for one in os.listdir(f"/proc/{pid}/task")
            )
    except (OSError, ValueError, IndexError):
        return 0.0, 0.0
    ticks = sum(int(fields[i]) for i in (11, 12, 13, 14))
    return own * os.sysconf("SC_PAGE_SIZE"), ticks / os.sysconf("SC_CLK_TCK")


def _share(pid: int) -> float:
    """Return the memory of a process, in bytes, and of what it shares with others its part.

    The kernel has to look at each page for it. A call shares with the cells all that they made.
    """
    with contextlib.suppress(OSError, ValueError), open(f"/proc/{pid}/smaps_rollup") as file:
        for line in file:
            if line.startswith("Pss:"):
                return int(line.split()[1]) << 10
    return _used(pid)[0]


def _resident(place: str) -> int:
    with open(f"{place}/statm") as file:
        return int(file.read().split()[1])
