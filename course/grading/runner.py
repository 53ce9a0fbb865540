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
from course.grading.wire import ClosedError, LateError, WireError, decode

MOST_ENDED = 5  # of a submission's cells may end a sandbox
MOST_FAILED = 3  # times a sandbox may not start
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
        self._running: set[Sandbox] = set()
        self._is_stopped = False

    def stop(self) -> None:
        """End what is running, in whatever thread, and start nothing more."""
        self._is_stopped = True
        for sandbox in tuple(self._running):
            sandbox.end("stopped")

    def run(self, cells: Sequence[str], calls: Sequence[Calls]) -> Ran:
        """Run the cells once, and then the calls; a cell that ends the child is left out anew.

        Raises
        ------
        NotStartedError
            If a sandbox ends before any cell of the submission is run.
        StoppedError
            If it was stopped.
        """
        ran = Ran(replies={one.function: [] for one in calls})
        apart = {one.function for one in calls if one.apart}
        todo = {one.function: list(one.inputs) for one in calls}
        n_failed = 0
        while not ran.broken:
            try:
                if self._run(tuple(cells), todo, apart, ran):
                    break
                if self._is_stopped:
                    raise StoppedError
            except NotStartedError:
                n_failed += 1
                if n_failed == MOST_FAILED or self._is_stopped:
                    raise
                time.sleep(n_failed)
            if len(ran.ended) > MOST_ENDED:
                ran.broken = "cell after cell ended Python, or took too long"
        return ran

    def _run(
        self, cells: tuple[str, ...], todo: dict[str, list], apart: set[str], ran: Ran
    ) -> bool:
        """Go on where an earlier sandbox ended; return whether all is done."""
        limits = self.limits
        with Sandbox(self.image, limits, is_open=self.is_open) as sandbox, self._stoppable(sandbox):
            try:
                at, left = -1, limits.cells
                deadline = end = sandbox.allow(limits.cells)
                own = (limits.memory, limits.processes, limits.file_size)
                sandbox.line.send((cells, tuple(ran.ended), tuple(todo), own), deadline)
                while True:
                    match sandbox.line.receive(deadline):
                        case (str(word), int(index)) if word == "cell" and at < index < len(cells):
                            at, left = index, limits.cells - sandbox.cpu
                            deadline = min(end, sandbox.allow(min(limits.cell, left)))
                        case (str(), tuple(numbers), tuple(told)) if len(numbers) == len(todo):
                            break
                        case _:
                            raise WireError("something else was sent")
            except WireError as error:
                if at < 0:
                    raise NotStartedError(sandbox.said()) from error
                ran.ended[at] = sandbox.ended_for or _how(error)
                return False
            ran.told = [one for one in told[: len(cells)] if is_told(one)]
            versions = dict(zip(todo, numbers, strict=True))
            return all(
                self._call(sandbox, name, versions[name], todo[name], ran, apart=name in apart)
                for name in todo
            )

    @contextlib.contextmanager
    def _stoppable(self, sandbox: Sandbox) -> Iterator[None]:
        self._running.add(sandbox)
        try:
            if self._is_stopped:
                raise StoppedError
            yield
        finally:
            self._running.discard(sandbox)

    def _call(
        self, sandbox, name: str, n_versions, todo: list[tuple], ran: Ran, *, apart: bool
    ) -> bool:
        """Make the calls of a function; return False if that ended the sandbox."""
        replies = ran.replies[name]
        if not isinstance(n_versions, int) or n_versions < 1:
            todo.clear()
            replies[:] = replies or [Reply("not there")]
        version, allowance = n_versions - 1, _Allowance(self.limits, sandbox)
        while todo:
            n = 1 if apart or replies else max(1, len(todo) - 1)
            spent = allowance.spent()
            found = [spent] if spent else self._ask(sandbox, name, version, tuple(todo[:n]))
            if found[0].is_stub and not replies and version > 0:
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

    def _ask(self, sandbox, name: str, version: int, many: tuple[tuple, ...]) -> list[Reply]:
        """Make some calls in one fork; the last reply, or the only one, says how it ended."""
        cpu, number = self.limits.call, time.monotonic_ns()
        wall = self.limits.wall(cpu)
        try:
            deadline = sandbox.allow(2 * cpu + 1) + 5
            sandbox.line.send((number, name, version, many, cpu, wall), deadline)
            match sandbox.line.receive(deadline):
                case (int(same), str(status), np.ndarray() as data) if same == number:
                    return _replies(status, data, len(many))
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

    def spent(self) -> Reply | None:
        """Return how the function ends if nothing is left for it."""
        if self.sandbox.line.received > self.received:
            return Reply("bad result")
        if self.sandbox.cpu > self.cpu:
            return Reply("timed out")
        return Reply("late") if time.monotonic() > self.wall else None


def _replies(status: str, data: np.ndarray, n: int) -> list[Reply]:
    if status != "answered":
        how = "crashed" if status in SIGNALS else status
        return [Reply(how if how in ENDINGS else "exited")]
    try:
        match decode(data.tobytes()):
            case tuple(parts) if len(parts) == n:
                found = [_reply(part) for part in parts]
                ended = [i for i, one in enumerate(found) if one.kind in ENDINGS]
                return found[: ended[0] + 1] if ended else found
    except WireError:
        pass
    return [Reply("bad result")]


def _reply(data) -> Reply:
    if not isinstance(data, np.ndarray):
        return Reply("bad result")
    try:
        match decode(data.tobytes()):
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
