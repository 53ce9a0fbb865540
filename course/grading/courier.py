"""Carry work to a Dask cluster and replies back, in a process that knows no answer and no name.

Dask unpickles what its workers send, so whoever runs a worker can run code where its client is.
The client is here, in a process of its own, in an empty room (`course.grading.room`) with one door,
to the scheduler; the judge (`course.grading.cluster`) hands it frames and gets frames back, and
believes none of them.
"""

import asyncio
import contextlib
import ipaddress
import os
import resource
import socket
import sys
from collections import Counter
from urllib.parse import urlsplit

import numpy as np

from course.grading.relay import way_out
from course.grading.wire import MOST_BYTES, ClosedError, Line
from course.grading.worker import work_on

ANSWER = 20.0  # seconds, for the scheduler
LOOK = 0.5  # seconds between two looks at which workers are there
MOST_MEMORY = 8 << 30  # bytes of address space: a reply may be of any size
WORDS = 200  # of what is told about an error


class NoReplyError(Exception):
    """A worker that gave no reply; the message says why."""


def is_private(address: str) -> bool:
    """Tell whether nobody on the way can listen: it is encrypted, or never leaves this machine."""
    scheme, _, rest = address.rpartition("://")
    if scheme == "tls":
        return True
    try:
        host = urlsplit(f"//{rest}").hostname or ""
        local = host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        local = False
    return scheme in ("", "tcp") and local


def host_of(worker: str) -> str:
    """Return the machine of a worker's address."""
    return worker.rpartition("://")[2].rpartition(":")[0]


class Courier:
    """Asks workers, never more than is asked of it, and each for so long only.

    The client is Dask's, asynchronous; the line leads to the judge.
    """

    def __init__(self, client, line: Line):
        self.client, self.line = client, line
        self.workers: dict[str, int] = {}
        self._asked: Counter[str] = Counter()  # of each worker, how much it has not answered yet
        self._late: Counter[str] = Counter()  # and how much of that it should have long ago
        self._tasks: set[asyncio.Task] = set()

    async def look(self) -> None:
        """See which workers are there, and how many threads each has."""
        async with asyncio.timeout(ANSWER):
            found = await self.client.scheduler.identity(n_workers=-1)
        self.workers = {
            str(address): int(one["nthreads"])
            for address, one in found["workers"].items()
            if is_private(address) and one["status"] == "running" and one["nthreads"] > 0
        }

    async def serve(self) -> None:
        """Work until the judge hangs up, or the scheduler is gone."""
        ends = [self._listening(), self._looking(), self._staying()]
        await asyncio.wait(map(self._start, ends), return_when=asyncio.FIRST_COMPLETED)

    async def _looking(self) -> None:
        while True:
            await asyncio.sleep(LOOK)
            await self.look()

    async def _staying(self) -> None:
        while self.client.status == "running":
            await asyncio.sleep(LOOK)

    async def _listening(self) -> None:
        while True:
            self._start(self._carry(*await asyncio.to_thread(self.line.receive)))

    def _start(self, what) -> asyncio.Task:
        task = asyncio.ensure_future(what)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _carry(self, number: int, work: np.ndarray, seconds: float, avoided: tuple) -> None:
        """Ask a worker, and tell the judge what it said."""
        worker = self._choose(avoided)
        try:
            data = np.frombuffer(await self._ask(worker, work.tobytes(), seconds), "u1")
        except Exception as error:
            why = str(error) if isinstance(error, NoReplyError) else type(error).__name__
            if self.client.status == "running":  # or it is not the worker's fault
                self.line.send((number, worker, why))
        else:
            self.line.send((number, worker, data))

    def _choose(self, avoided: tuple) -> str:
        """Choose the worker that has least to do; none that has been silent for long.

        To be avoided are workers, by their addresses, and machines.
        """
        able = [
            one
            for one, n in self.workers.items()
            if not {one, host_of(one)} & {*avoided} and self._late[one] < n
        ]
        return min(able, key=lambda one: self._asked[one] / self.workers[one], default="")

    async def _ask(self, worker: str, work: bytes, seconds: float) -> bytes:
        if not worker:
            raise NoReplyError("no worker is left")
        future = self.client.submit(
            work_on, work, pure=False, retries=0, workers=[worker], allow_other_workers=False
        )
        self._asked[worker] += 1
        asked = self._start(_result(future))
        asked.add_done_callback(lambda _: self._asked.subtract([worker]))
        until = asyncio.get_running_loop().time() + seconds
        while not (await asyncio.wait([asked], timeout=LOOK))[0]:
            if worker not in self.workers:
                asked.cancel()
                raise NoReplyError("it went away")
            if asyncio.get_running_loop().time() > until:
                self._late[worker] += 1
                asked.add_done_callback(lambda _: self._late.subtract([worker]))
                raise NoReplyError(f"it did not answer in {seconds:g} s")
        return _bytes(asked.result())


def _bytes(said) -> bytes:
    if isinstance(said, BaseException):
        raise NoReplyError(_words(said))
    if type(said) is not bytes:
        raise NoReplyError(f"it sent a {type(said).__name__}"[:WORDS])
    if len(said) > MOST_BYTES - 4096:
        raise NoReplyError(f"it sent {len(said):,} bytes")
    return said


async def _result(future):
    """Return what a worker said, or what it raised: that may be anything."""
    try:
        return await future
    except BaseException as error:
        return error


def _words(error: BaseException) -> str:
    lines = f"{type(error).__name__}: {error}".splitlines()
    return " ".join(lines)[:WORDS]


async def reach(address: str, answer: float, first: float):
    """Return a client of a cluster that answers, and has a worker if one is there soon."""
    from dask.distributed import Client

    try:
        async with asyncio.timeout(answer):  # its own does not end it where somebody is silent
            client = await Client(address, asynchronous=True, set_as_default=False)
    except TimeoutError:
        raise TimeoutError(f"no answer in {answer:g} s") from None
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(first):
            await client.wait_for_workers(1)
    return client


async def main(descriptor: int, address: str, door: str, answer: float, first: float) -> None:
    """Hand what comes to the cluster, behind a door, and send back what it says."""
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    line = Line(socket.socket(fileno=descriptor))
    scheme = address.rpartition("://")[0] or "tcp"
    try:
        here = f"{scheme}://127.0.0.1:{await way_out(door)}"
        courier = Courier(await reach(here, answer, first), line)
        await courier.look()
    except Exception as error:
        line.send(("failed", _words(error)))
        return
    line.send(("ready", sum(courier.workers.values())))
    with contextlib.suppress(ClosedError):
        await courier.serve()


async def _main() -> None:
    await main(int(sys.argv[1]), *sys.argv[2:4], *map(float, sys.argv[4:]))
    os._exit(0)  # without a word to a cluster that may never answer


if __name__ == "__main__":
    asyncio.run(_main())
