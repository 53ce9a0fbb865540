"""Pieces of work that several threads take in turn, for `_tiles`.

BLAS has threads of its own, which share a product among them: for a tile that is too little work,
and what is between products they do not do. Here a thread has tiles of its own from end to end.

A call starts its threads, and waits for their end; after Ctrl-C each ends by itself, behind the
piece that it is at. They share no lock, and BLAS is told nothing: so there is no lock of ours that
a fork could copy while it is held, that an interrupt leaves closed, or that another call would wait
for.
"""

import os
import re
import time
from collections import deque
from contextlib import suppress

MOST = 8  # threads: Python itself runs one at a time, between calls of NumPy, and more would queue


def allowed():
    """Return how many threads there may be: at most MOST, and one for each processor.

    BLAS is told by three variables how many it may use; the least that any of them says holds here.
    A number is read as C reads it: from OpenMP's list for nested threads, "4,2", it is 4.
    """
    ours = getattr(os, "sched_getaffinity", None)  # those that the system leaves to us, if it says
    told = (os.environ.get(f"{name}_NUM_THREADS", "") for name in ("OPENBLAS", "MKL", "OMP"))
    numbers = [int(x) for text in told for x in re.findall(r"^\s*\+?([0-9]{1,9})", text)]
    return min(x for x in (MOST, len(ours(0)) if ours else os.cpu_count() or 1, *numbers) if x > 0)


class Pieces:
    """An iterator that threads share: each takes the next piece, until none is left."""

    def __init__(self, pieces):
        self.waiting, self.stopped = deque(pieces), False

    def __iter__(self):
        return self

    def __next__(self):
        try:
            return self.waiting.popleft()  # in one step, so that no two threads get the same
        except IndexError:
            raise StopIteration from None

    def stop(self):
        """Leave no piece to take, and let nobody wait: the one that is waited for may have failed.

        What threads are at they bring to an end.
        """
        self.stopped = True
        self.waiting.clear()

    def wait_for(self, counts, index, number):
        """Wait until others have counted so far.

        They will: pieces are taken in order, so those before are taken already, and each of them
        waits only for those before it.
        """
        while counts[index] < number and not self.stopped:
            time.sleep(1e-4)  # rarely; an interrupt might leave a lock closed


def share_out(work, pieces, most):
    """Call work(pieces) here and in more threads at the same time, in `most` at most.

    What one of them raises, Ctrl-C too, ends all after the piece that each is at, and is raised
    here. Where no more threads can be had, as in a browser, those that there are do it all.
    """
    import threading  # not before there is much to do: importing attnlib loads NumPy alone

    pieces, failures = Pieces(pieces), []

    def run():
        try:
            work(pieces)
        except BaseException as failure:
            failures.append(failure)
            pieces.stop()

    others = min(most, len(pieces.waiting), allowed() if most > 1 else 1) - 1
    threads = [threading.Thread(target=run) for _ in range(others)]
    try:
        for thread in threads:
            with suppress(RuntimeError):  # no more can be had
                thread.start()
        run()
        for thread in threads:
            if thread.ident is not None:
                thread.join()
    except BaseException:  # Ctrl-C while a thread started, or was waited for
        pieces.stop()
        raise
    if failures:
        raise failures.pop(0)  # not kept here, where it would keep itself
