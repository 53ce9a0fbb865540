"""Run submissions on a Dask cluster, and at home what it does not run, or not right.

What leaves is a submission's cells and the inputs of its functions: no name, no answer. What comes
back is read as what anybody may have sent. The Dask client is in another process
(`course.grading.courier`).
"""

import contextlib
import os
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, SimpleQueue
from urllib.parse import urlsplit

import numpy as np

from course import BuildError
from course.files import ROOT
from course.grading.courier import ANSWER, is_private
from course.grading.relay import door
from course.grading.replies import Calls, Ran, from_tree
from course.grading.room import confined
from course.grading.runner import Runner
from course.grading.wire import Line, WireError, decode, encode

TRIES = 3  # elsewhere, before a submission is run at home
MOST_FAILURES = 3  # of a worker, before it is asked no more
MOST_SLOTS = 256
SECONDS = 300.0  # for a worker to answer
SPARE = 30.0  # seconds more, for the courier to say that it did not
START = 60.0  # seconds, for the courier to start: it imports Dask
REACH = ANSWER  # seconds, for the scheduler to answer at first
FIRST = 20.0  # seconds, for a first worker to be there
COURIER = (sys.executable, "-m", "course.grading.courier")
PORT = 8786  # of a scheduler, where none is said
OPEN = """\
the cluster at {0} is not encrypted.
Anybody on the way could read the submissions and change what comes back.
Start the scheduler and the workers with --tls-ca-file, --tls-cert and --tls-key, tell Dask here of
the same (distributed.comm.tls in its configuration, or DASK_DISTRIBUTED__COMM__TLS__CA_FILE,
…__CLIENT__CERT and …__CLIENT__KEY), and give an address that begins with tls://"""
FAILED = """\
the cluster at {0} cannot be reached: {1}. Is its scheduler running there, and does Dask's \
configuration here name the certificates that it wants?"""
EMPTY = """\
the cluster at {0} has no workers, or none that is encrypted, after {1:g} s. Start some on your \
machines, with this checkout: `PYTHONPATH={2} dask worker {0}`"""


class NobodyError(Exception):
    """No worker ran a submission."""


class Home:
    """Runs submissions here, so many jobs at a time, however many ask."""

    def __init__(self, runner: Runner, jobs: int):
        self.runner = runner
        self._free = threading.Semaphore(jobs)

    def probe(self) -> None:
        """See whether a sandbox starts here."""
        self.runner.probe()

    def run(self, cells: Sequence[str], calls: Sequence[Calls]) -> Ran:
        """Run a submission as soon as there is room."""
        with self._free:
            return self.runner.run(cells, calls)


@dataclass
class Cluster:
    """A cluster, where submissions are run; what its word is worth, `course.grading.trust` says."""

    address: str  # of Dask's scheduler
    home: Home  # runs what the cluster did not
    # How long a worker may take for a submission. One that takes longer is left to it, and somebody
    # else is asked; in the end home, which has all the time.
    seconds: float = SECONDS
    failures: Counter[str] = field(default_factory=Counter)
    reasons: dict[str, str] = field(default_factory=dict)
    done: Counter[str] = field(default_factory=Counter)
    undone: Counter[str] = field(default_factory=Counter)  # why, of what no worker did

    def __enter__(self) -> "Cluster":
        if not is_private(self.address):
            raise BuildError(OPEN.format(self.address))
        self._opened = contextlib.ExitStack()
        self._numbers, self._lock = iter(range(1, 1 << 60)), threading.Lock()
        self._waiting: dict[int, SimpleQueue] = {}
        self.is_lost = False
        with self._opened:
            self._start()
            self.n_slots = self._greeted()
            self._opened = self._opened.pop_all()
        self._free = threading.Semaphore(self.n_slots)
        self._listener = threading.Thread(target=self._listen, name="courier", daemon=True)
        self._listener.start()
        return self

    def __exit__(self, *error) -> None:
        self._lose()
        self._listener.join()
        self._opened.close()

    def run(
        self, cells: Sequence[str], calls: Sequence[Calls], avoided: tuple[str, ...] = ()
    ) -> tuple[str, Ran]:
        """Have a submission run by a worker, on none of the machines to avoid; return by whom, too.

        Raises
        ------
        NobodyError
            If no worker did it.
        """
        try:
            asked = tuple((one.function, one.inputs) for one in calls)
            work = np.frombuffer(encode((tuple(cells), asked)), "u1")
        except WireError as error:
            raise NobodyError from error
        with self._free:
            found = self._elsewhere(work, calls, avoided)
        if not found:
            raise NobodyError
        return found

    def stop(self) -> None:
        """Give up what is running, and start nothing more."""
        self.home.runner.stop()
        self._lose()

    def told(self) -> str:
        """Say which workers failed, and how; nothing if none did."""
        lines = [
            f"worker {worker} failed ({n}); the last time: {self.reasons[worker]}"
            for worker, n in self.failures.items()
        ]
        for why in [*self.undone][-1:]:
            lines.append(f"{self.undone.total()} that no worker ran; the last time: {why}")
        lines += ["the cluster was lost on the way"] if self.is_lost else []
        return "\n".join([*lines, "what was not run there was run elsewhere"] if lines else [])

    def _elsewhere(
        self, work: np.ndarray, calls: Sequence[Calls], avoided: tuple[str, ...]
    ) -> tuple[str, Ran] | None:
        """Ask one worker after another, each once; blame those who did what another does better.

        What none of them does may be the notebook's own doing.
        """
        failed: dict[str, str] = {}
        for _ in range(TRIES):
            worker, said = self._carry(work, (*avoided, *self._banned(), *failed))
            if not worker:
                break
            try:
                if isinstance(said, str):
                    raise WireError(said)
                ran = from_tree(decode(said.tobytes()), calls)
            except WireError as why:
                failed[worker] = str(why)
                continue
            with self._lock:
                self.done[worker] += 1
                self.failures.update(failed.keys())
                self.reasons.update(failed)
            return worker, ran
        with self._lock:
            self.undone.update([*failed.values()][-1:])
        return None

    def _banned(self) -> tuple[str, ...]:
        """Return who failed often, and more often than not: those are asked no more."""
        with self._lock:
            return tuple(
                worker
                for worker, n in self.failures.items()
                if n >= MOST_FAILURES and n > self.done[worker]
            )

    def _carry(self, work: np.ndarray, avoided: tuple[str, ...]) -> tuple[str, np.ndarray | str]:
        """Return a worker and what it said, or why it said nothing; no worker if none is left."""
        reply: SimpleQueue = SimpleQueue()
        with self._lock:
            number = next(self._numbers)
            self._waiting[number] = reply
            if not self.is_lost:
                with self._losing():
                    until = time.monotonic() + SPARE
                    self._line.send((number, work, self.seconds, avoided), until)
        try:
            if self.is_lost:
                return "", ""
            return reply.get(timeout=self.seconds + SPARE)
        except Empty:
            self._lose()
            return "", ""
        finally:
            del self._waiting[number]

    def _listen(self) -> None:
        with self._losing():
            while True:
                match self._line.receive():
                    case (int(number), str(worker), (str() | np.ndarray()) as said):
                        if reply := self._waiting.get(number):
                            said = _plain(said) if isinstance(said, str) else said
                            reply.put((_plain(worker), said))
                    case _:
                        return

    @contextlib.contextmanager
    def _losing(self) -> Iterator[None]:
        """Whatever goes wrong between here and the courier: home has to do the rest."""
        try:
            yield
        except WireError:
            self._lose()

    def _lose(self) -> None:
        """Hang up, and let nobody wait any longer."""
        self.is_lost = True
        with contextlib.suppress(OSError):
            self._line.connection.shutdown(socket.SHUT_RDWR)
        for reply in list(self._waiting.values()):
            reply.put(("", ""))

    def _start(self) -> None:
        """Start the courier, in its room, with one line to here and one door to the scheduler."""
        place = self._scheduler()
        try:
            settings, files = dask_settings()
        except ImportError as error:
            raise BuildError(
                FAILED.format(self.address, f"{error}; `pip install distributed`")
            ) from error
        way = self._opened.enter_context(door(*place))
        ours, theirs = socket.socketpair()
        self._line = Line(ours)
        self._opened.callback(self._line.close)
        is_open = self.home.runner.is_open
        with theirs:
            words = (theirs.fileno(), self.address, way, REACH, FIRST)
            self._process = subprocess.Popen(
                [*([] if is_open else confined(way, files, settings)), *COURIER, *map(str, words)],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd=ROOT,
                env=os.environ | settings,
                start_new_session=True,
            )
        self._opened.callback(self._end)

    def _scheduler(self) -> tuple[str, int]:
        """Return where it listens; Dask would go on asking where nobody does."""
        try:
            where = urlsplit(f"//{self.address.rpartition('://')[2]}")
            place = where.hostname or "", where.port or PORT
            socket.create_connection(place, REACH).close()
        except (OSError, ValueError) as error:
            why = _plain(f"{type(error).__name__}: {error}")
            raise BuildError(FAILED.format(self.address, why)) from error
        return place

    def _greeted(self) -> int:
        """Return how many submissions the cluster can run at a time."""
        try:
            match self._line.receive(time.monotonic() + START + REACH + FIRST + ANSWER):
                case ("ready", int(n)) if n > 0:
                    return min(n, MOST_SLOTS)
                case ("ready", 0):
                    raise BuildError(EMPTY.format(self.address, FIRST, ROOT))
                case ("failed", str(why)):
                    raise BuildError(FAILED.format(self.address, _plain(why)))
        except WireError as error:
            raise BuildError(FAILED.format(self.address, error)) from error
        raise BuildError(FAILED.format(self.address, "something else was sent"))

    def _end(self) -> None:
        self._process.kill()
        self._process.wait()
        self._lose()


def dask_settings() -> tuple[dict[str, str], list[Path]]:
    """Return what Dask's configuration says of TLS, as a variable, and the files that it names.

    The courier sees no other of its settings, some of which may be secrets.
    """
    import dask.config

    files = []

    def found(setting):
        if isinstance(setting, dict):
            return {name: found(one) for name, one in setting.items()}
        if isinstance(setting, str) and Path(setting).is_file():
            files.append(Path(setting).absolute())
            return str(files[-1])
        return setting

    settings = dask.config.collect()  # as they are now
    told = found(dask.config.get("distributed.comm.tls", None, config=settings) or {})
    text = dask.config.serialize({"distributed": {"comm": {"tls": told}}})
    return {"DASK_INTERNAL_INHERIT_CONFIG": text}, files


def _plain(text: str) -> str:
    """Return the beginning of what a stranger wrote, with nothing in it that a terminal obeys."""
    return "".join(c if c.isprintable() else "?" for c in text[:300])
