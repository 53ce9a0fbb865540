"""Seconds of processor that a run of tests takes, its children included, by folder and in all.

`python -m tests.processor make test FULL=1` runs the command, and tells at its end. Seconds of a
clock say as much of the machine as of the tests: of what else it does, and how many cores it has.
These say what the tests ask of it.

Nothing is lost of what a test starts and leaves behind: this process adopts it (Linux's
PR_SET_CHILD_SUBREAPER), and waits for it. The whole is the system's own account of all that has
ended. What folder a second belongs to is looked up four times a second, in what each worker says
of the file that it is at; what is of no file (collecting, the run's own process) says so.
"""

import contextlib
import ctypes
import os
import platform
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import pytest

PLACE = "ATTNLIB_PROCESSOR"  # the folder in which each worker says what file it is at
NO_FILE = "(no file: collecting, and the run itself)"
MOST = 12  # files that are named
PR_SET_CHILD_SUBREAPER = 36


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_logstart(nodeid):
    """Say what file this worker is at, where somebody asks."""
    if (place := os.environ.get(PLACE)) and "PYTEST_XDIST_WORKER" in os.environ:
        (Path(place) / str(os.getpid())).write_text(nodeid.partition("::")[0])


class Process(NamedTuple):
    """A process: who started or adopted it, and the ticks it and those it waited for took."""

    parent: int
    ticks: int


class Account:
    """Who took how much: `by_file` has ticks."""

    def __init__(self, place):
        self.place, self.by_file = Path(place), Counter()
        self.workers = {}  # of each worker the file that it is at
        self.worker_of, self.ticks = {}, {}  # of each process, as they were when last seen

    def look(self):
        """Add what all processes took since the last look."""
        for path in self.place.iterdir():
            self.workers[int(path.name)] = path.read_text() or NO_FILE
        processes = read_processes()
        mine = {pid: self.worker(pid, processes) for pid in descendants(processes)}
        for pid, worker in self.worker_of.items():
            if worker not in mine and pid not in mine:  # its worker has ended: the run has waited
                self.worker_of[pid] = None
        before, now = Counter(), Counter()
        for pid, worker in self.worker_of.items():
            before[worker] += self.ticks[pid]
        for pid, worker in mine.items():
            now[worker] += processes[pid].ticks
        for worker in now:
            self.add(worker, now[worker] - before[worker])
        self.worker_of, self.ticks = mine, {pid: processes[pid].ticks for pid in mine}

    def worker(self, pid, processes):
        """Return the worker below which a process runs, or ran before it was adopted here."""
        above = pid
        while above in processes and above not in self.workers:
            above = processes[above].parent
        return above if above in self.workers else self.worker_of.get(pid)

    def ended(self, pid, ticks):
        """Add what a process took after the last look, for which this process has waited."""
        worker = self.worker_of.pop(pid, None)
        self.add(worker, ticks - self.ticks.pop(pid, 0))

    def add(self, worker, ticks):
        """Add ticks to the file at which a worker is."""
        self.by_file[self.workers.get(worker, NO_FILE)] += max(ticks, 0)


def read_processes():
    """Return all processes of the machine that can be read, by number."""
    found = {}
    for path in Path("/proc").iterdir():
        if path.name.isdigit():
            try:
                fields = (path / "stat").read_text().rpartition(")")[2].split()
            except (FileNotFoundError, ProcessLookupError):  # it has just ended
                continue
            found[int(path.name)] = Process(int(fields[1]), sum(map(int, fields[11:15])))
    return found


def descendants(processes):
    """Return the numbers of all processes below this one."""
    children = {}
    for pid, process in processes.items():
        children.setdefault(process.parent, []).append(pid)
    found, at = [], [os.getpid()]
    while at:
        below = children.get(at.pop(), [])
        found += below
        at += below
    return found


def run(command, place):
    """Run a command to its end, and that of all that it left; return its exit code and account."""
    libc, hertz = ctypes.CDLL(None, use_errno=True), os.sysconf("SC_CLK_TCK")
    libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    account = Account(place)
    started = subprocess.Popen(command, env=os.environ | {PLACE: str(place)})
    code = None
    while code is None:
        time.sleep(0.25)
        account.look()
        while True:
            try:
                pid, status, usage = os.wait4(-1, os.WNOHANG)
            except ChildProcessError:
                break
            if not pid:
                break
            account.ended(pid, round((usage.ru_utime + usage.ru_stime) * hertz))
            if pid == started.pid:
                code = started.returncode = os.waitstatus_to_exitcode(status)
    while left := descendants(read_processes()):  # what a test has left running
        for pid in left:
            print(f"left running: {pid} {name_of(pid)}")
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            while True:
                os.wait4(-1, 0)
    return code, account


def name_of(pid):
    """Return what a process was called with, shortened."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")[:100]
    except OSError:
        return ""


def machine():
    """Name the processor, and how many of its cores are here."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return f"{next(names, platform.machine())}, {os.cpu_count()} cores"


def table(by_file, total, clock):
    """Return the lines: folders, then the files that took most, then all.

    Parameters
    ----------
    by_file : Counter
        Seconds by path.
    total, clock : float
        Seconds of processor that all took, and seconds of a clock.
    """
    folders = Counter()
    for path, seconds in by_file.items():
        folders[path if path == NO_FILE else f"{PurePosixPath(path).parent}/"] += seconds

    def line(name, seconds):
        return f"{seconds:8.1f} s {seconds / max(total, 1e-9):6.1%}  {name}"

    lines = [line(name, seconds) for name, seconds in folders.most_common()]
    most = [line(name, seconds) for name, seconds in by_file.most_common(MOST) if name != NO_FILE]
    whole = f"{total:,.0f} seconds of processor in {clock / 60:.1f} minutes ({machine()})"
    return [*lines, "of these", *most, whole]


def main(command):
    """Run a command, tell what it took, and return its exit code."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as place:
        code, account = run(command, Path(place))
    hertz = os.sysconf("SC_CLK_TCK")
    times = os.times()
    total = times.children_user + times.children_system
    by_file = Counter({path: ticks / hertz for path, ticks in account.by_file.items()})
    print("\n".join(["what took the processor", *table(by_file, total, time.monotonic() - began)]))
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
