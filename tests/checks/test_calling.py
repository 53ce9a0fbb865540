"""What a function may do while it is called: print, warn, meddle, never end."""

import contextlib
import signal
import subprocess
import sys
import textwrap
import warnings

import numpy as np
import pytest

from attnlib.checks.calling import call
from attnlib.checks.engine import examine
from attnlib.checks.exercises.dot_product import EXERCISE as DOT
from attnlib.checks.exercises.masked_attention import EXERCISE as MASKED


@pytest.mark.parametrize("thing", [None, 3.0, "dot_product", np.ones(3), [len]])
def test_no_function_is_told(thing):
    report = examine(DOT, thing)
    assert report.status == "failed"
    assert 'Write `check("dot_product", dot_product)`' in str(report).replace("\n", " ")


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (lambda a: 1, "2 inputs (a, b): its parameters are (a)"),
        (lambda: 1, "its parameters are ()"),
        (lambda a, b, c: 1, "its parameters are (a, b, c)"),
        (lambda a, *, b: 1, "its parameters are (a, b)"),
    ],
)
def test_wrong_parameters_are_told(function, said):
    assert said in str(examine(DOT, function)).replace("\n", " ")


def test_other_callables_pass():
    class Product:
        def __call__(self, a, b):
            return a @ b

        def method(self, x, y):
            return x @ y

    for function in (
        np.dot,
        Product(),
        Product().method,
        np.vecdot if hasattr(np, "vecdot") else np.dot,
    ):
        assert examine(DOT, function).status == "passed"


def test_what_is_printed_shows_where_the_answer_is_wrong_only(capsys):
    def noisy(a, b):
        print("half way\x1b[1m")
        print("on stderr", file=sys.stderr)
        return a @ b + 1

    text = str(examine(DOT, noisy))
    assert "While it ran, this was printed:\n    half way?[1m\n    on stderr" in text
    assert examine(DOT, lambda a, b: print("hello") or a @ b).status == "passed"
    assert capsys.readouterr() == ("", "")


def test_endless_printing_is_cut():
    def flood(a, b):
        for _ in range(5000):
            print("flood")
        print("flood" * 5000)
        return 0

    assert len(str(examine(DOT, flood))) < 1000
    assert len(call(flood, (1, 2)).printed) <= 4000
    assert len(call(lambda: print("flood" * 5000), ()).printed) <= 4000


@pytest.mark.parametrize("made", [int, np.uint8, np.int64, lambda x: [x, 3], np.float64, float])
def test_facts_can_tell_whole_numbers_from_others(made):
    found = call(lambda: made(2), ())
    assert found.arrays[0].dtype == np.float64  # and are compared alike
    assert found.as_asked(()).dtype == (float if made in (float, np.float64) else int)


def test_warnings_stay_silent():
    def warned(a, b):
        warnings.warn("careful", stacklevel=1)
        np.log(np.zeros(2))
        warnings.simplefilter("error")
        return a @ b

    before = list(warnings.filters)
    assert examine(DOT, warned).status == "passed"
    assert warnings.filters == before


MEDDLING = """
import builtins, sys
import numpy as np
import attnlib
from attnlib.checks import find
from attnlib.checks.engine import examine

def meddling(a, b):
    np.seterr(all="raise")
    np.set_printoptions(precision=1)
    np.dot = np.allclose = np.array = np.abs = lambda *a, **k: True
    np.linalg.norm = attnlib.softmax = None
    builtins.len = builtins.all = builtins.any = lambda x: True
    sys.setrecursionlimit(5000)
    sys.stdout = None
    return a @ b + 1

def state():
    names = np.dot, np.allclose, np.abs, np.array, np.linalg.norm, attnlib.softmax, len, all
    return names, np.geterr(), np.get_printoptions(), sys.getrecursionlimit(), sys.stdout

before = state()
status = examine(find("dot_product"), meddling).status
print(status, state() == before)
"""


def test_state_of_numpy_and_python_is_put_back():
    # In a process of its own, whose other threads a false `len` may confuse.
    command = [sys.executable, "-c", MEDDLING]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "failed True\n"


def test_learners_error_state_does_not_matter():
    with np.errstate(all="raise"):
        assert examine(MASKED, MASKED.answer).status == "passed"


def interrupted(a, b):
    while True:
        with contextlib.suppress(ValueError):
            a = a + 1
            signal.raise_signal(signal.SIGINT)


def test_interrupted_function_leaves_a_message():
    report = examine(DOT, interrupted)
    assert report.status == "failed"
    assert "Does it ever return?" in str(report)
    assert "a = [1 2]" in str(report)


@pytest.mark.needs("posix")  # Windows has no SIGINT for one process alone
def test_interrupted_process_goes_on():
    program = textwrap.dedent("""
        from attnlib import check

        def dot_product(a, b):
            print("hidden")
            ready()
            while True:
                pass

        def ready(told=[]):
            import os
            told or os.write(1, b"running\\n")
            told.append(1)

        report = check("dot_product", dot_product)
        print("then", report.status)
    """)
    run = [sys.executable, "-c", program]
    with subprocess.Popen(
        run, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout.readline() == "running\n"
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (0, "")
    assert "You stopped the check while your function was still running." in out
    assert out.endswith("then failed\n")
