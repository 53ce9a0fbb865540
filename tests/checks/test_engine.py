"""Whatever a learner hands in, a report comes back that helps."""

import builtins
import contextlib
import functools
import os
import signal
import subprocess
import sys
import textwrap
import threading
import warnings

import numpy as np
import pytest

from attnlib.checks import check
from attnlib.checks.calling import call
from attnlib.checks.engine import examine
from attnlib.checks.exercises.dot_product import EXERCISE as DOT
from attnlib.checks.exercises.masked_attention import EXERCISE as MASKED
from attnlib.checks.exercises.merge_heads import EXERCISE as MERGE
from attnlib.checks.exercises.padding_mask import EXERCISE as PADDING
from attnlib.checks.exercises.project_qkv import EXERCISE as PROJECT
from attnlib.checks.exercises.scaled_scores import EXERCISE as SCORES
from attnlib.checks.exercises.softmax import EXERCISE as SOFTMAX
from attnlib.checks.exercises.split_heads import EXERCISE as SPLIT
from attnlib.checks.exercises.weighted_average import EXERCISE as AVERAGE


def stub(a, b): ...


def documented_stub(a, b):
    """Multiply."""
    ...


def returned_stub(a, b):
    # Your code here.
    return ...


async def async_stub(a, b): ...


def half_done(a, b):
    product = a * b
    product = ...
    return product


@pytest.mark.parametrize(
    "function", [stub, documented_stub, returned_stub, async_stub, half_done, ..., lambda a, b: ...]
)
def test_stub_is_not_attempted(function):
    report = examine(DOT, function)
    assert (report.status, report.mistake) == ("not attempted", None)
    assert 'hint("dot_product")' in str(report)


def test_stub_typed_into_a_console_is_not_attempted():
    names = {}
    exec("def dot_product(a, b): ...", names)  # leaves no source behind
    assert examine(DOT, names["dot_product"]).status == "not attempted"


def explicit_none(a, b):
    return None


def forgotten_return(a, b):
    a @ b


def passed_over(a, b):
    pass


def printed_only(a, b):
    print("the result is", a @ b)


NONE = [explicit_none, forgotten_return, passed_over, printed_only, lambda a, b: None]


@pytest.mark.parametrize("function", NONE)
def test_returning_none_is_failed(function):
    report = examine(DOT, function)
    assert (report.status, report.mistake) == ("failed", None)
    assert "Nothing was returned: is the `return` missing?" in str(report)


def raising(error):
    def function(*inputs):
        raise error

    return function


class SilentError(Exception):
    def __str__(self):
        raise RuntimeError


def endless(a, b):
    return endless(a, b)


RAISING = [
    (raising(ValueError("no luck")), "Your function raised ValueError: no luck, at the line"),
    (raising(SystemExit(1)), "raised SystemExit"),
    (raising(GeneratorExit()), "raised GeneratorExit"),
    (raising(SilentError()), "raised SilentError"),
    (raising(MemoryError()), "raised MemoryError"),
    (raising(ValueError("\ud800\x1b[31m" + 999 * "x")), "raised ValueError: ??[31mxxx"),
    (endless, "raised RecursionError: it calls itself without end, at the line"),
    (lambda a, b: a.missing, "raised AttributeError"),
    (lambda a, b: sys.exit(), "raised SystemExit"),
]


@pytest.mark.parametrize(("function", "words"), RAISING)
def test_exception_is_told_in_words(function, words):
    report = examine(DOT, function)
    assert report.status == "failed"
    assert words in str(report).replace("\n", " ")
    assert "called with a (2,) and b (2,)" in str(report).replace("\n", " ")


def test_exception_names_the_line_and_the_shapes():
    def scaled(query, key):
        return query @ key / np.sqrt(3)

    text = str(check("scaled_scores", scaled)).replace("\n", " ")
    assert "a matrix product do not fit, 5 is not 3" in text
    assert "at the line `return query @ key / np.sqrt(3)`" in text
    assert "It was called with query (2, 3) and key (5, 3)." in text


def words(text):
    return lambda a, b: text


class Hostile:
    def __array__(self, *args, **kwargs):
        raise RuntimeError

    def __eq__(self, other):
        return True

    def __getattr__(self, name):
        raise RuntimeError(name)

    __hash__ = None


class HostileCall(Hostile):
    def __call__(self, a, b):
        raise SilentError


class HostileTuple(tuple):
    def __len__(self):
        raise SystemExit

    __iter__ = __len__


async def waiting(a, b):
    return a @ b


ODD = [
    (words("11"), "returned a str, where an array of numbers is due"),
    (words([1, [2, 3]]), "rows of different lengths"),
    (words({"a": 1}), "returned a dict"),
    (words({1}), "returned a set"),
    (words(object()), "returned an object"),
    (words(np.array([1, None])), "an array of dtype object"),
    (words(1j), "complex numbers"),
    (words(np.datetime64("2020-01-01")), "where an array of numbers is due"),
    (lambda a, b: (x for x in a), "returned a generator"),
    (lambda a, b: zip(a, b, strict=True), "returned a zip"),
    (lambda a, b: lambda: 1, "returned a function"),
    (waiting, "`async`"),
    (lambda a, b: [a @ b], "Your answer has shape (1,); shape (), a single number, is due."),
    (lambda a, b: [], "Your answer has shape (0,)"),
    (lambda a, b: np.nan, "it holds `nan` or `inf`"),
    (lambda a, b: 10**400, "an array of numbers is due"),
    (lambda a, b: a @ b > 0, "Your answer holds `True` and `False`; numbers are due."),
    (lambda a, b: 2.5 * (a @ b), "Your answer is 2.5 times the expected one, everywhere."),
]


@pytest.mark.parametrize(("function", "said"), ODD)
def test_odd_answer_is_told_in_words(function, said):
    report = examine(DOT, function)
    assert (report.status, report.mistake) == ("failed", None)
    assert said in str(report).replace("\n", " ")


def test_hostile_objects_do_no_harm():
    assert examine(DOT, lambda a, b: Hostile()).status == "failed"
    assert examine(DOT, Hostile()).status == "failed"
    assert examine(DOT, HostileCall()).status == "failed"
    assert examine(PROJECT, lambda *inputs: HostileTuple()).status == "failed"
    assert examine(DOT, functools.partial(lambda c, a, b: a @ b, 0)).status == "passed"


def test_truncated_answers_are_told():
    text = str(examine(SOFTMAX, lambda s: SOFTMAX.answer(s).astype(int)))
    assert "Your numbers lost their decimals" in text


def test_scalar_for_an_array_is_told():
    assert "shape (), a single number, shape (2, 3) is due" not in str(
        examine(SOFTMAX, lambda s: 1)
    )
    assert "shape (2, 3) is due" in str(examine(SOFTMAX, lambda s: 1.0))


def test_mask_of_numbers_is_told():
    text = str(examine(PADDING, lambda lengths, n: 2 * PADDING.answer(lengths, n)))
    assert "a mask is boolean, `True` and `False`" in text


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (lambda x, a, b, c: x @ a, "one array of shape (2, 5), where 3 arrays are due: query, key"),
        (lambda x, a, b, c: (x @ a, x @ b), "returned 2 things, where 3 arrays are due"),
        (lambda x, a, b, c: (x @ a, None, x @ c), "returned None, where an array of numbers"),
        (lambda x, a, b, c: {"query": x}, "returned a dict, where 3 arrays are due"),
    ],
)
def test_several_arrays_are_asked_for_in_words(function, said):
    assert said in str(examine(PROJECT, function)).replace("\n", " ")


def test_only_the_wrong_one_of_several_is_shown():
    text = str(examine(PROJECT, lambda x, a, b, c: (x @ a, x @ b + 1, x @ c)))
    assert "your key" in text
    assert "your query" not in text


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
    assert "There your function printed:\n    half way?[1m\n    on stderr" in text
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


def test_warnings_stay_silent():
    def warned(a, b):
        warnings.warn("careful", stacklevel=1)
        np.log(np.zeros(2))
        warnings.simplefilter("error")
        return a @ b

    before = list(warnings.filters)
    assert examine(DOT, warned).status == "passed"
    assert warnings.filters == before


def test_state_of_numpy_and_python_is_put_back(monkeypatch):
    def meddling(a, b):
        np.seterr(all="raise")
        np.set_printoptions(precision=1)
        np.dot = np.allclose = np.array = np.abs = lambda *a, **k: True
        np.linalg.norm = None
        builtins.len = builtins.all = builtins.any = lambda x: True
        sys.setrecursionlimit(5000)
        sys.stdout = None
        return a @ b + 1

    kept = np.dot, np.allclose, np.abs, np.array, np.linalg.norm, builtins.len, builtins.all
    before = np.geterr(), np.get_printoptions(), sys.getrecursionlimit(), sys.stdout
    assert examine(DOT, meddling).status == "failed"
    assert kept == (
        np.dot, np.allclose, np.abs, np.array, np.linalg.norm, builtins.len, builtins.all,
    )  # fmt: skip
    assert before == (np.geterr(), np.get_printoptions(), sys.getrecursionlimit(), sys.stdout)


def test_learners_error_state_does_not_matter():
    with np.errstate(all="raise"):
        assert examine(MASKED, MASKED.answer).status == "passed"


def test_wrong_in_one_input_of_a_fact_has_a_counterexample():
    def only_several(x, n_heads):
        return SPLIT.answer(x, n_heads) + (n_heads == 1)

    text = str(examine(SPLIT, only_several))
    assert "n_heads  = 1" in text
    assert "expected" in text


def test_remembering_function_is_told():
    seen = set()

    def answers_once(a, b):
        seen.add(len(seen))
        return a @ b if len(seen) <= 4 else 0.0

    assert examine(DOT, answers_once).status == "failed"


def test_function_that_overflows_and_is_wrong_is_named_by_what_it_did():
    def naive_columns(scores):
        e = np.exp(scores)
        return e / e.sum(axis=0)

    assert examine(SOFTMAX, naive_columns).mistake == "softmax down the columns"


NO_BATCH = [
    (SPLIT, lambda x, h: x.reshape(h, len(x), -1), "reshape alone"),
    (SPLIT, lambda x, h: x.reshape(len(x), h, -1), "heads not moved to the front"),
    (MERGE, lambda h: h.reshape(h.shape[1], -1), "reshape alone"),
    (MERGE, lambda h: h.sum(axis=0), "heads summed"),
    (SCORES, lambda q, k: np.dot(q, k.T), "no scaling"),
    (SCORES, lambda q, k: np.dot(q, k.T) / np.sqrt(len(k)), "square root of n_keys"),
    (AVERAGE, lambda w, v: np.dot(w, v) / len(v), "divided by the number of values"),
]


@pytest.mark.parametrize(("exercise", "function", "name"), NO_BATCH)
def test_mistake_is_named_where_batch_axes_are_forgotten_too(exercise, function, name):
    assert examine(exercise, function).mistake == name


def test_other_exceptions_are_not_taken_for_a_known_one():
    assert examine(SOFTMAX, raising(ValueError("something else"))).mistake is None


def interrupted_soon(function):
    def run(*inputs):
        timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        return function(*inputs)

    return run


def forever(a, b):
    while True:
        with contextlib.suppress(ValueError):
            a = a + 1


@pytest.mark.skipif(os.name == "nt", reason="sends SIGINT to itself")
def test_interrupted_function_leaves_a_message():
    report = examine(DOT, interrupted_soon(forever))
    assert report.status == "failed"
    assert "Does it ever return?" in str(report)
    assert "a = [1 2]" in str(report)


@pytest.mark.skipif(os.name == "nt", reason="sends SIGINT to a process")
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
