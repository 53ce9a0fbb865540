"""What a notebook shows of an error: the lines of its cells, and the message."""

import re

import numpy as np
import pytest
from IPython.core.interactiveshell import InteractiveShell

import attnlib
from attnlib.jupyter import errors

NAMES = {"attnlib": attnlib, "np": np}


def files(trace):
    """Name the files of a traceback, from the outermost call."""
    while trace is not None:
        yield trace.tb_frame.f_code.co_filename
        trace = trace.tb_next


def kept(code, file="ipykernel_11/13.py", **names):
    """Run code as a cell; return the files that stay, without this one."""
    with pytest.raises((ArithmeticError, TypeError, ValueError)) as caught:
        exec(compile(code, file, "exec"), NAMES | names)
    return [one for one in files(errors.without_ours(caught.tb)) if one != __file__]


@pytest.mark.parametrize("file", ["ipykernel_11/13.py", "<ipython-input-7-a>"])
def test_of_what_attnlib_refuses_the_cells_lines_stay_alone(file):
    code = "def f(x):\n    return attnlib.softmax(x, temperature=0)\n\nf(1)"
    assert kept(code, file) == [file, file]


def test_all_is_kept_of_what_is_raised_elsewhere():
    refused = "attnlib.softmax(1.0)"
    assert kept("1 / 0") == ["ipykernel_11/13.py"]
    assert len(kept("np.linalg.inv(np.ones(3))")) > 1
    assert len(kept(refused, "elsewhere.py")) > 1  # called by no cell
    own = dict(NAMES)  # a function that is kept: attnlib calls it, and it calls attnlib
    exec(compile(f"def f():\n    {refused}", "mine.py", "exec"), own)
    assert "mine.py" in kept("f()", f=own["f"])


def test_a_shell_shows_a_few_lines_and_the_message(capsys):
    shell = InteractiveShell()
    shell.extension_manager.load_extension("attnlib.jupyter.errors")
    shell.run_cell("import attnlib\nattnlib.causal_mask(-1)")
    told = re.sub(r"\x1b\[[0-9;]*m", "", capsys.readouterr().out).splitlines()
    assert "----> 2 attnlib.causal_mask(-1)" in told
    assert told[-1].startswith("ValueError: n_queries")
    assert len(told) <= 8
    shell.run_cell("x = (")
    assert "^" in capsys.readouterr().out  # as ever
