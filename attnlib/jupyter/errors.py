"""What an error says in a notebook: which lines of its own cells led there, and the message.

Where a call of attnlib is refused, IPython shows each line of attnlib on the way, too, with what
stands around it: some forty lines above the one that says what was wrong. A reader is shown the
cells' lines and the message. Of all other errors nothing is left out.

``python -m course lab`` has every kernel load this; elsewhere ``%load_ext attnlib.jupyter.errors``
does.
"""

import os
import types
from pathlib import Path

OURS = f"{Path(__file__).parent.parent}{os.sep}"
REFUSALS = TypeError, ValueError  # what attnlib refuses with


def load_ipython_extension(shell):
    """Have a shell show the errors of attnlib without attnlib's own lines."""
    shell.set_custom_exc(REFUSALS, _show)


def _show(shell, kind, error, trace, tb_offset=None):
    """Show an error as IPython does, what is ours left out; return the lines."""
    shown = without_ours(trace)
    lines = shell.InteractiveTB.structured_traceback(kind, error, shown, tb_offset=tb_offset)
    shell._showtraceback(kind, error, lines)
    return lines


def without_ours(trace):
    """Leave out the end of a traceback, below the last line of a cell, if all of it is attnlib's.

    Parameters
    ----------
    trace : types.TracebackType
        From the outermost call to where it was raised; it is not changed.

    Returns
    -------
    types.TracebackType
        A shorter one, or the same.
    """
    calls = [trace]
    while calls[-1].tb_next is not None:
        calls.append(calls[-1].tb_next)
    files = [call.tb_frame.f_code.co_filename for call in calls]
    n_kept = max((n for n, file in enumerate(files, start=1) if _is_cell(file)), default=len(files))
    if not all(file.startswith(OURS) for file in files[n_kept:]):
        return trace
    kept = None
    for call in reversed(calls[:n_kept]):
        kept = types.TracebackType(kept, call.tb_frame, call.tb_lasti, call.tb_lineno)
    return kept


def _is_cell(file):
    """Tell whether code was typed into a cell, by the file that IPython says it stands in."""
    return "ipykernel_" in file or file.startswith("<ipython-input")
