"""What a call costs while it runs: the memory that it holds at once, and the steps of a loop."""

import sys
import tracemalloc

from attnlib.checks.exercise import Fact

MORE = 20  # by how many items each size that a loop could run over grows


def held(answer, *inputs):
    """Give the most memory, in bytes, that a call holds at once beyond what stood before."""
    begun = tracemalloc.is_tracing() or tracemalloc.start()
    tracemalloc.reset_peak()
    before = tracemalloc.get_traced_memory()[0]
    try:
        answer(*inputs)
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        if not begun:
            tracemalloc.stop()


def steps(answer, *inputs):
    """Count the lines of Python that a call runs: every round of a loop adds to them."""
    count = 0

    def traced(*_):
        nonlocal count
        count += 1
        return traced

    before = sys.gettrace()
    sys.settrace(traced)
    try:
        answer(*inputs)
    finally:
        sys.settrace(before)
    return count


def no_loop(name, larger, hint):
    """Make the fact that no loop of Python runs over what a call is given.

    NumPy's own loops are no lines of Python, so more numbers take no more of these.

    Parameters
    ----------
    name : str
        The fact, as a report says it.
    larger : callable
        ``larger(n)`` gives inputs in which every size that a loop could run over is n.
    hint : str
        What to think of where a loop runs.
    """

    def holds(answer, *_):
        few, many = larger(3), larger(3 + MORE)
        answer(*few)  # what a first call alone does is done
        return steps(answer, *many) - steps(answer, *few) < MORE

    return Fact(name, holds, hint)
