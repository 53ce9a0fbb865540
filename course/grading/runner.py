"""Run a submission's cells, and calls of its functions, in sandboxes; say what came of each.

What goes in and what comes out are plain data, so that it may be done here or elsewhere. Nothing
in here knows an answer.
"""

import contextlib
import itertools
import time
from collections.abc import Iterator, Sequence

import numpy as np

from attnlib.checks.entries import changed
from course.grading.groups import Groups
from course.grading.image import Image
from course.grading.names import MOST_TAKEN
from course.grading.replies import ENDINGS, Calls, Ran, Reply, checked, is_told
from course.grading.sandbox import Limits, NotStartedError, Sandbox
from course.grading.submission import UngradedError
from course.grading.wire import MOST_THINGS, Budget, WireError, decode

MOST_ENDED = 5  # of a submission's cells may end a sandbox, and as many with their definitions
MOST_FAILED = 3  # times a sandbox may not start
MOST_STUBS = 10  # copies of a cell that are left as they were, below the one that is written
MOST_TOLD = 4 << 20  # bytes of what is told of the cells
MOST_RETURNED = 2 * MOST_THINGS  # from all calls of a function
SIGNALS = {"SIGSEGV", "SIGBUS", "SIGFPE", "SIGILL", "SIGABRT", "SIGSYS", "SIGTRAP"}


class StoppedError(Exception):
    """Grading was stopped, so nothing is run any more."""


class Runner:
    """Runs submissions in sandboxes.

    Parameters
    ----------
    image
        What is in them.
    limits
        What a submission may use.
    groups
        Where to make control groups for them.
    is_open
        Whether to do without a sandbox.
    """

    def __init__(
        self,
        image: Image,
        limits: Limits | None = None,
        groups: Groups | None = None,
        *,
        is_open: bool = False,
    ):
        self.image, self.limits, self.groups = image, limits or Limits(), groups
        self.is_open, self.is_stopped = is_open, False
        self._running: set[Sandbox] = set()

    def stop(self) -> None:
        """End what is running, in whatever thread, and start nothing more."""
        self.is_stopped = True
        for sandbox in tuple(self._running):
            sandbox.end("stopped")

    def run(self, cells: Sequence[str], calls: Sequence[Calls]) -> Ran:
        """Run a submission's cells, and make calls of its functions.

        Of a cell that ends the sandbox, what it defines is run anew, and no more. What was called
        is not called again: all calls are alike, and no function can answer one twice.

        Raises
        ------
        NotStartedError
            If a sandbox ends before anything of the submission is in it.
        UngradedError
            If its cells cannot be handed to a sandbox.
        StoppedError
            If the runner was stopped.
        """
        with Session(self, tuple(cells), tuple(one.function for one in calls)) as session:
            return session.ask(calls)

    def probe(self) -> None:
        """Start a sandbox, and end it.

        Raises
        ------
        NotStartedError, StoppedError
            If it does not start.
        """
        with self.sandbox() as sandbox:
            sandbox.begin()

    @contextlib.contextmanager
    def sandbox(self) -> Iterator[Sandbox]:
        """Give a sandbox that `stop` ends.

        Raises
        ------
        NotStartedError
            If there is none.
        StoppedError
            If nothing is to be started any more.
        """
        with Sandbox(self.image, self.limits, self.groups, is_open=self.is_open) as sandbox:
            self._running.add(sandbox)
            try:
                if self.is_stopped:
                    raise StoppedError
                yield sandbox
            finally:
                self._running.discard(sandbox)


class Session:
    """One submission, in a sandbox, and in another one wherever that was ended.

    Parameters
    ----------
    runner
        Whose sandboxes it uses.
    cells
        The submission's.
    functions
        What may be called.
    """

    def __init__(self, runner: Runner, cells: tuple[str, ...], functions: tuple[str, ...]):
        self.runner, self.limits = runner, runner.limits
        self.cells, self.functions = cells, functions
        self._told: list[tuple] = []
        self._ended: dict[int, str] = {}
        self._left: set[int] = set()  # of these, whose definitions alone ended it as well
        self._taken = 0.0  # seconds by the wall clock, by the cells, however often they were run
        self._versions: dict[str, object] = {}
        self._sandbox: Sandbox | None = None
        self._open = contextlib.ExitStack()

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, *error) -> None:
        self._leave()

    def ask(self, calls: Sequence[Calls]) -> Ran:
        """Make calls, once the cells have run; of what ends the sandbox, definitions stay."""
        ran = Ran({one.function: [] for one in calls}, self._told, self._ended)
        todo, most = list(calls), 2 * self.limits.wall(self.limits.cells)
        while len(self._left) <= MOST_ENDED and self._taken < most:
            while todo and self._is_ready():
                one = todo.pop(0)
                self._call(one, ran.replies[one.function])
            if self.runner.is_stopped:
                raise StoppedError
            if not todo:
                return ran
            self._leave()
        how = "late" if self._taken >= most else "exited"
        if len(todo) == len(calls):
            ran.broken = "cell after cell ended Python, or took too long"
        for one in todo:
            ran.replies[one.function].append(Reply(how))
        return ran

    def _leave(self) -> None:
        """End the sandbox, if there is one."""
        self._open.close()
        self._sandbox = None

    def _is_ready(self) -> bool:
        """Have a sandbox in which the cells have run; return False if one of them ended it."""
        n_failed = 0
        while True:
            try:
                return self._sandbox is not None or self._start()
            except NotStartedError as error:
                self._leave()
                n_failed += 1
                if self.runner.is_stopped:
                    raise StoppedError from error
                if n_failed == MOST_FAILED:
                    raise
                time.sleep(n_failed)

    def _start(self) -> bool:
        """Run the cells in a new sandbox; return False if one of them ended it.

        After too many of them have, or when all their time is gone, of none is more run than what
        it defines, for which there is as much time again.
        """
        sandbox = self._sandbox = self._open.enter_context(self.runner.sandbox())
        sandbox.begin()
        limits, cells, n_functions = self.limits, self.cells, len(self.functions)
        whole, begun = limits.wall(limits.cells), time.monotonic()
        is_short = len(self._ended) > MOST_ENDED or self._taken >= whole
        defining = tuple(range(len(cells)) if is_short else self._ended)
        at, left = -1, limits.cells
        end = begun + whole * (1 + is_short) - self._taken
        deadline = min(end, sandbox.allow(limits.cells))
        try:
            sandbox.line.send((cells, defining, tuple(self._left), self.functions), deadline)
            while True:
                match sandbox.line.receive(deadline, MOST_TOLD):
                    case (str(word), int(index)) if word == "cell" and at < index < len(cells):
                        at, left = index, limits.cells - sandbox.cpu
                        deadline = min(end, sandbox.allow(min(limits.cell, left)))
                    case (str(word), int(index)) if word == "full" and index == at:
                        sandbox.end("out of memory")
                        raise WireError("the cells keep nearly all of it")
                    case (str(), tuple(numbers), tuple(told)) if len(numbers) == n_functions:
                        break
                    case _:
                        raise WireError("something else was sent")
        except WireError as error:
            if self.runner.is_stopped:
                raise StoppedError from error
            if at < 0:
                why = sandbox.ended_for or error
                raise UngradedError(f"its code could not be handed to a sandbox: {why}") from error
            if at in defining:
                self._left.add(at)
            self._ended.setdefault(at, sandbox.why(error))
            return False
        finally:
            self._taken += time.monotonic() - begun
        self._told[:] = [one for one in told[: len(cells) + MOST_TAKEN] if is_told(one)]
        self._versions = dict(zip(self.functions, numbers, strict=True))
        return True

    def _call(self, calls: Calls, replies: list[Reply]) -> None:
        """Make the calls of a function, until one of them ends it, or the sandbox."""
        name, n_versions, sandbox = calls.function, self._versions[calls.function], self._sandbox
        assert sandbox is not None
        if not isinstance(n_versions, int) or not 0 < n_versions <= len(self.cells):
            replies.append(Reply("not there"))
            return
        allowance = _Allowance(self.limits, sandbox)
        version = newest = n_versions - 1
        for inputs in calls.inputs:
            reply = self._ask(allowance, name, version, inputs)
            while reply.is_stub and not replies and version > max(0, newest - MOST_STUBS):
                version -= 1  # a cell that was copied, and left as it was
                reply = self._ask(allowance, name, version, inputs)
            replies.append(reply)
            if reply.kind in ENDINGS or (reply.is_stub and len(replies) == 1):
                break
            if sandbox.ended_for:
                replies.append(Reply(sandbox.ended_for))  # by what a call left behind
                break
        if sandbox.ended_for:
            self._leave()

    def _ask(self, allowance: "_Allowance", name: str, version: int, inputs: tuple) -> Reply:
        """Make one call."""
        if spent := allowance.spent():
            return spent
        sandbox, cpu, number = allowance.sandbox, self.limits.call, time.monotonic_ns()
        wall = self.limits.wall(cpu)
        try:
            deadline = sandbox.allow(2 * cpu + 1) + 5
            sandbox.line.send((number, name, version, inputs, cpu, wall), deadline)
            match sandbox.line.receive(deadline, max(0, allowance.left)):
                case (int(same), str(status), np.ndarray() as data) if same == number:
                    return _reply(status, data, inputs, allowance.budget)
            raise WireError("something else was sent")
        except WireError as error:
            how = sandbox.why(error)
            sandbox.end(how)
            return Reply(how)


class _Allowance:
    """What the calls of one function may use together."""

    def __init__(self, limits: Limits, sandbox: Sandbox):
        self.limits, self.sandbox = limits, sandbox
        self.begun, self.cpu = time.monotonic(), sandbox.cpu
        self.received = sandbox.line.received + (limits.answers << 20)
        self.budget = Budget(MOST_RETURNED)

    @property
    def left(self) -> int:
        """The bytes that may still come."""
        return self.received - self.sandbox.line.received

    def spent(self) -> Reply | None:
        """Return how the function ends if nothing is left for it.

        By the clock on the wall it has as long as it works, with patience, and a while to wait.
        """
        cpu, limits = self.sandbox.cpu - self.cpu, self.limits
        if self.left < 0:
            return Reply("bad result")
        if cpu > limits.task:
            return Reply("timed out")
        is_late = time.monotonic() - self.begun > cpu * limits.patience + limits.waits
        return Reply("late") if is_late else None


def _reply(status: str, data: np.ndarray, inputs: tuple, budget: Budget) -> Reply:
    if status != "answered":
        how = "crashed" if status in SIGNALS else status
        return Reply(how if how in ENDINGS else "exited")
    try:
        match decode(data.tobytes(), budget):
            case (str(kind), result, tuple(left)) if kind == "answer":
                return checked(Reply(kind, result, changed=_touched(left, inputs)))
            case (str(kind), str(name), str(words), int(line), failed, tuple(left)) if (
                kind == "raised"
            ):
                touched = _touched(left, inputs)
                return checked(Reply(kind, None, name, words, line, touched, failed))
            case (str(kind), str(name), str(words), tuple(left)) if kind == "odd":
                return checked(Reply(kind, None, name, words, 0, _touched(left, inputs)))
            case (str(kind), *_) if kind == "memory":
                return Reply("out of memory")
    except WireError:
        pass
    return Reply("bad result")


def _touched(left: tuple, inputs: tuple) -> tuple[int, ...]:
    """Say which arrays came back as others, or not at all: out of reach of what was called."""
    met = enumerate(itertools.zip_longest(inputs, left[: len(inputs)]))
    return tuple(i for i, (x, now) in met if isinstance(x, np.ndarray) and changed(now, x))
