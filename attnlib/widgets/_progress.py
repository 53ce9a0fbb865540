"""How far a loop has come, while it runs and no longer."""

import sys
import time
from collections.abc import Iterator

from attnlib._inputs import as_count

LEAST = 0.5  # seconds before anything is shown, and between two numbers


def progress(n_steps: int) -> Iterator[int]:
    """Count the steps of a loop, and show how far it has come while somebody waits for it.

    Parameters
    ----------
    n_steps : int

    Returns
    -------
    iterator of int
        0, 1, … up to n_steps - 1. In a notebook a line says which of them is done. It comes after
        half a second, and is gone at the end, so that a saved notebook never holds it.

    Raises
    ------
    TypeError, ValueError
        If n_steps is no integer, or less than 0.

    Examples
    --------
    >>> [step for step in progress(3)]
    [0, 1, 2]
    """
    return _counted(as_count("n_steps", n_steps))  # a generator would refuse nothing until asked


def _counted(n_steps):
    handle, shown = None, time.monotonic()
    try:
        for step in range(n_steps):
            yield step
            if time.monotonic() - shown < LEAST or not in_a_notebook():
                continue
            if handle is None:
                handle = sys.modules["IPython"].display.display({}, raw=True, display_id=True)
            handle.update({"text/plain": f"step {step + 1} of {n_steps}"}, raw=True)
            shown = time.monotonic()
    finally:
        if handle is not None:
            handle.update({}, raw=True)


def in_a_notebook():
    """Tell whether this is a Jupyter kernel; a terminal cannot change a line once it is shown."""
    # IPython is looked up, never imported: plain Python need not have it.
    ipython = sys.modules.get("IPython")
    return ipython is not None and hasattr(ipython.get_ipython(), "kernel")
