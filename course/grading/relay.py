"""Carry bytes between the two sides of a wall: all that comes to one door goes to another.

The courier's room has no network. Home opens a door in its wall, a socket in the file system, and
behind it is the scheduler and nothing else, whatever somebody in the room asks for.
"""

import asyncio
import contextlib
import functools
import tempfile
import threading
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

MOST_OPEN = 32  # connections at a time
AT_ONCE = 1 << 16  # bytes
DOOR = "scheduler"  # the socket's name


@contextlib.contextmanager
def door(host: str, port: int) -> Iterator[Path]:
    """Open a door to an address, as long as the context is; yield the socket's path."""
    with tempfile.TemporaryDirectory(prefix="attnlib-door-") as folder:
        path, loop = Path(folder, DOOR), asyncio.new_event_loop()
        beyond = functools.partial(asyncio.open_connection, host, port)
        serving = functools.partial(joined, beyond, asyncio.Semaphore(MOST_OPEN))
        server = loop.run_until_complete(asyncio.start_unix_server(serving, path))
        thread = threading.Thread(target=loop.run_forever, name="courier's door", daemon=True)
        thread.start()
        try:
            yield path
        finally:
            asyncio.run_coroutine_threadsafe(_shut(server), loop).result()
            loop.call_soon_threadsafe(loop.stop)
            thread.join()
            loop.close()


async def way_out(path: str) -> int:
    """Lead whoever connects to a port of this room to a door; return the port."""
    beyond = functools.partial(asyncio.open_unix_connection, path)
    serving = functools.partial(joined, beyond, asyncio.Semaphore(MOST_OPEN))
    server = await asyncio.start_server(serving, "127.0.0.1", 0)
    return server.sockets[0].getsockname()[1]


async def joined(
    beyond: Callable[[], Awaitable[tuple]],
    free: asyncio.Semaphore,
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
) -> None:
    """Join a connection to one beyond, until either ends."""
    ends = [writer]
    with contextlib.suppress(OSError, asyncio.CancelledError):
        async with free:
            far_reader, far_writer = await beyond()
            ends.append(far_writer)
            ways = _carry(reader, far_writer), _carry(far_reader, writer)
            tasks = [asyncio.ensure_future(way) for way in ways]
            try:
                await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for task in tasks:
                    task.cancel()
    for end in ends:
        end.close()


async def _carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while data := await reader.read(AT_ONCE):
            writer.write(data)
            await writer.drain()


async def _shut(server: asyncio.Server) -> None:
    server.close()
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.wait(others) if others else None
