"""How far a loop has come, while it runs and no longer."""

import sys
import time
from collections.abc import Iterator

LEAST = 0.5  # seconds before anything is shown, and between two numbers


def progress(n_steps: int) -> Iterator[int]:
    """Count the steps of a loop, and show how far it has come while somebody waits for it.

    Parameters
    ----------
    n_steps : int

    Yields
    ------
    int
        0, 1, … up to n_steps - 1. In a notebook a line says which of them is done. It comes after
        half a second, and is gone at the end, so that a saved notebook never holds it.

    Examples
    --------
    >>> [step for step in progress(3)]
    [0, 1, 2]
    """
    # IPython is looked up, never imported: plain Python need not have it.
    ipython = sys.modules.get("IPython")
    handle, shown = None, time.monotonic()
    try:
        for step in range(n_steps):
            yield step
            if ipython is None or time.monotonic() - shown < LEAST or not ipython.get_ipython():
                continue
            if handle is None:
                handle = ipython.display.display({}, raw=True, display_id=True)
            handle.update({"text/plain": f"step {step + 1} of {n_steps}"}, raw=True)
            shown = time.monotonic()
    finally:
        if handle is not None:
            handle.update({}, raw=True)
