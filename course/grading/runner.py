"""Run a submission's cells, and calls of its functions, in sandboxes; say what came of each.

What goes in and what comes out are plain data, so that it may be done here or elsewhere. Nothing
in here knows an answer.
"""

import contextlib
import time
from collections.abc import Iterator, Sequence

import numpy as np

from course.grading.image import Image
from course.grading.replies import ENDINGS, Calls, Ran, Reply, checked, is_told
from course.grading.sandbox import Limits, NotStartedError, Sandbox
from course.grading.wire import MOST_THINGS, Budget, ClosedError, LateError, WireError, decode

MOST_ENDED = 5  # of a submission's cells may end a sandbox
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
    is_open
        Whether to do without a sandbox.
    """

    def __init__(self, image: Image, limits: Limits | None = None, *, is_open: bool = False):
        self.image, self.limits, self.is_open = image, limits or Limits(), is_open
        self.is_stopped = False
        self._running: set[Sandbox] = set()

    def stop(self) -> None:
        """End what is running, in whatever thread, and start nothing more."""
        self.is_stopped = True
        for sandbox in tuple(self._running):
            sandbox.end("stopped")

    def run(self, cells: Sequence[str], calls: Sequence[Calls]) -> Ran:
        """Run a submission's cells, and calls of its functions; see `Session.ask`."""
        with self.session(cells, [one.function for one in calls]) as session:
            return session.ask(calls)

    @contextlib.contextmanager
    def session(self, cells: Sequence[str], functions: Sequence[str]) -> Iterator["Session"]:
        """Give a place to run a submission's cells, and then calls of these functions."""
        session = Session(self, tuple(cells), tuple(functions))
        try:
            yield session
        finally:
            session.leave()

    @contextlib.contextmanager
    def sandbox(self) -> Iterator[Sandbox]:
        """Give a sandbox that `stop` ends.

        Raises
        ------
        StoppedError
            If nothing is to be started any more.
        """
        with Sandbox(self.image, self.limits, is_open=self.is_open) as sandbox:
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
        self._versions: dict[str, object] = {}
        self._sandbox: Sandbox | None = None
        self._open = contextlib.ExitStack()

    def ask(self, calls: Sequence[Calls]) -> Ran:
        """Make calls, once the cells have run; of a cell that ends the sandbox, definitions stay.

        Raises
        ------
        NotStartedError
            If a sandbox ends before any cell of the submission is run.
        StoppedError
            If the runner was stopped.
        """
        ran = Ran({one.function: [] for one in calls}, self._told, self._ended)
        todo = [(one, list(one.inputs)) for one in calls]
        while max(len(self._ended), len(self._left)) <= MOST_ENDED:
            if self._is_ready() and all(
                self._call(one.function, inputs, ran, apart=one.apart) for one, inputs in todo
            ):
                return ran
            self.leave()
            if self.runner.is_stopped:
                raise StoppedError
        ran.broken = "cell after cell ended Python, or took too long"
        for replies in ran.replies.values():
            replies[:] = replies or [Reply("exited")]
        return ran

    def leave(self) -> None:
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
                self.leave()
                n_failed += 1
                if self.runner.is_stopped:
                    raise StoppedError from error
                if n_failed == MOST_FAILED:
                    raise
                time.sleep(n_failed)

    def _start(self) -> bool:
        """Run the cells in a new sandbox; return False if one of them ended it."""
        sandbox = self._sandbox = self._open.enter_context(self.runner.sandbox())
        limits, cells, n_functions = self.limits, self.cells, len(self.functions)
        try:
            at, left = -1, limits.cells
            deadline = end = sandbox.allow(limits.cells)
            own = (limits.memory, limits.processes, limits.file_size)
            sandbox.line.send(
                (cells, tuple(self._ended), tuple(self._left), self.functions, own), deadline
            )
            while True:
                match sandbox.line.receive(deadline, MOST_TOLD):
                    case (str(word), int(index)) if word == "cell" and at < index < len(cells):
                        at, left = index, limits.cells - sandbox.cpu
                        deadline = min(end, sandbox.allow(min(limits.cell, left)))
                    case (str(), tuple(numbers), tuple(told)) if len(numbers) == n_functions:
                        break
                    case _:
                        raise WireError("something else was sent")
        except WireError as error:
            if at < 0:
                raise NotStartedError(sandbox.said()) from error
            if at in self._ended:
                self._left.add(at)
            self._ended.setdefault(at, sandbox.ended_for or _how(error))
            return False
        self._told[:] = [one for one in told[: len(cells)] if is_told(one)]
        self._versions = dict(zip(self.functions, numbers, strict=True))
        return True

    def _call(self, name: str, todo: list[tuple], ran: Ran, *, apart: bool) -> bool:
        """Make the calls of a function; return False if that ended the sandbox."""
        replies, n_versions, sandbox = ran.replies[name], self._versions[name], self._sandbox
        assert sandbox is not None
        if not isinstance(n_versions, int) or not 0 < n_versions <= len(self.cells):
            todo.clear()
            replies[:] = replies or [Reply("not there")]
        allowance = _Allowance(self.limits, sandbox)
        version = newest = n_versions - 1
        while todo:
            n = 1 if apart or replies else max(1, len(todo) - 1)
            spent = allowance.spent()
            found = [spent] if spent else self._ask(allowance, name, version, tuple(todo[:n]))
            if found[0].is_stub and not replies and version > max(0, newest - MOST_STUBS):
                version -= 1  # a cell that was copied, and left as it was
                continue
            if found[0].is_stub and not replies:
                del found[1:]
                todo.clear()
            replies += found
            del todo[:n]
            if sandbox.ended_for and todo and found[-1].kind not in ENDINGS:
                replies.append(Reply(sandbox.ended_for))  # by what a call left behind
            if replies[-1].kind in ENDINGS:
                todo.clear()
            if sandbox.ended_for or found[-1].name == "gone":
                return False
        return True

    def _ask(
        self, allowance: "_Allowance", name: str, version: int, many: tuple[tuple, ...]
    ) -> list[Reply]:
        """Make some calls in one fork; the last reply, or the only one, says how it ended."""
        sandbox, cpu, number = allowance.sandbox, self.limits.call, time.monotonic_ns()
        wall = self.limits.wall(cpu)
        try:
            deadline = sandbox.allow(2 * cpu + 1) + 5
            sandbox.line.send((number, name, version, many, cpu, wall), deadline)
            match sandbox.line.receive(deadline, max(0, allowance.left)):
                case (int(same), str(status), np.ndarray() as data) if same == number:
                    return _replies(status, data, len(many), allowance.budget)
            raise WireError("something else was sent")
        except WireError as error:
            how = sandbox.ended_for or _how(error)
            sandbox.end(how)
            return [Reply(how, name="gone")]


class _Allowance:
    """What the calls of one function may use together."""

    def __init__(self, limits: Limits, sandbox: Sandbox):
        self.sandbox, line = sandbox, sandbox.line
        self.cpu, self.wall = sandbox.cpu + limits.task, time.monotonic() + limits.wall(limits.task)
        self.received = line.received + (limits.answers << 20)
        self.budget = Budget(MOST_RETURNED)

    @property
    def left(self) -> int:
        """The bytes that may still come."""
        return self.received - self.sandbox.line.received

    def spent(self) -> Reply | None:
        """Return how the function ends if nothing is left for it."""
        if self.left < 0:
            return Reply("bad result")
        if self.sandbox.cpu > self.cpu:
            return Reply("timed out")
        return Reply("late") if time.monotonic() > self.wall else None


def _replies(status: str, data: np.ndarray, n: int, budget: Budget) -> list[Reply]:
    if status != "answered":
        how = "crashed" if status in SIGNALS else status
        return [Reply(how if how in ENDINGS else "exited")]
    try:
        match decode(data.tobytes(), budget):
            case tuple(parts) if len(parts) == n:
                found = [_reply(part, budget) for part in parts]
                ended = [i for i, one in enumerate(found) if one.kind in ENDINGS]
                return found[: ended[0] + 1] if ended else found
    except WireError:
        pass
    return [Reply("bad result")]


def _reply(data, budget: Budget) -> Reply:
    if not isinstance(data, np.ndarray):
        return Reply("bad result")
    try:
        match decode(data.tobytes(), budget):
            case (str(kind), result, tuple(changed)) if kind == "answer":
                return checked(Reply(kind, result, changed=changed))
            case (str(kind), str(name), str(words), int(line), tuple(changed)) if kind == "raised":
                return checked(Reply(kind, None, name, words, line, changed))
            case (str(kind), str(name), str(words), tuple(changed)) if kind == "odd":
                return checked(Reply(kind, None, name, words, 0, changed))
            case (str(kind), *_) if kind == "memory":
                return Reply("out of memory")
    except WireError:
        pass
    return Reply("bad result")


def _how(error: WireError) -> str:
    if isinstance(error, LateError):
        return "late"
    return "exited" if isinstance(error, ClosedError) else "bad result"
