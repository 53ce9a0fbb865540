"""Stopping a call that does not end: in any thread, and where no signal can."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from time import monotonic, process_time

PROCESSOR, CLOCK = 10, 60  # the seconds that one call may take
EVERY, AGAIN = 0.25, 0.02  # seconds between two looks, before the call is stopped and after
ASLEEP = 1.0  # more than this between two looks was a computer's sleep, and does not count


class Stopped(BaseException):
    """A call was stopped; the argument says what it had taken."""


class Limit:
    """The limit of one thread's calls, as long as the block of `with` lasts.

    Another thread looks on. Python can hand an exception to a thread between two of its
    instructions, so nothing but one long call of C, or a wait, is out of reach. A function may
    catch what is raised: then it is raised again, until the call ends, and never after.
    """

    def __init__(self):
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._calls = 0  # how many have begun
        self._running = False
        self._taken = ""  # by the call that was stopped, in words

    def __enter__(self) -> Limit:
        self._thread = threading.get_ident()
        threading.Thread(target=self._look_on, daemon=True).start()
        return self

    def __exit__(self, *_) -> None:
        self._over.set()

    def __call__(self, function: Callable, *inputs):
        """Call a function with its inputs.

        Raises
        ------
        Stopped
            If the call had to be stopped, whatever came of that.
        """
        self._calls += 1
        self._taken, self._running = "", True
        try:
            result = function(*inputs)
        finally:
            self._end()
            if self._taken:
                raise Stopped(self._taken)
        return result

    def _end(self) -> None:
        handed = False
        while self._running or (self._taken and not handed):
            try:
                with self._lock:
                    self._running = False
                # What has not arrived shall not come later. Taken back, it would leave Python 3.11
                # waiting for it, and a debugger with it for ever: so one more comes, and arrives.
                while self._taken:
                    if not handed:
                        handed = True
                        _hand(self._thread, Stopped)
            except Stopped:
                pass

    def _look_on(self) -> None:
        # The names of builtins may be the learner's own while this runs, so there are none here.
        call, clock, processor = 0, 0.0, 0.0
        now, used, pause = monotonic(), process_time(), EVERY
        while not self._over.wait(pause):
            before, used_before = now, used
            now, used, pause = monotonic(), process_time(), EVERY
            with self._lock:
                if not self._running or self._calls != call:
                    call, clock, processor = self._calls, 0.0, 0.0
                    continue
                step = now - before if now - before < ASLEEP else ASLEEP
                clock += step
                # Other threads have their share of it, and none has more than there was time.
                processor += used - used_before if used - used_before < step else step
                if processor >= PROCESSOR:
                    self._taken = f"had taken {PROCESSOR} seconds of processor"
                elif clock >= CLOCK:
                    self._taken = f"had been running for {CLOCK} seconds"
                else:
                    continue
                pause = AGAIN
                _hand(self._thread, Stopped)


def _hand(thread: int, exception: type[BaseException]) -> None:
    """Let an exception be raised in a thread, in place of one that has not been yet."""
    held = ctypes.py_object(exception)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), held)
