"""Trying a function where it can do no harm, and remembering what came of it."""

import json
import os
import sys
from itertools import chain
from types import SimpleNamespace

import numpy as np
import pytest

from attnlib.checks.calling import call
from attnlib.mine import memory, trial
from attnlib.mine.book import Book
from attnlib.mine.trial import Verdict, tried
from tests.checks.dressed import dressed, single
from tests.checks.specs import few, known, load

RIGHT = "def dot_product(a, b):\n    return (a * b).sum()"


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("import os\ndef dot_product(a, b):\n    os._exit(3)", "Python ended while it ran (3)."),
        ("def dot_product(a, b):\n    return a + b", "shape (2,)"),
        ("import my_own_file\ndef dot_product(a, b): ...", "It imports `my_own_file`, which is"),
        ("1 / 0\ndef dot_product(a, b): ...", "Its file raises ZeroDivisionError"),
        ("def dot_product(a, b):\n    raise SystemExit", "Your function raised SystemExit"),
        (
            "def dot_product(a, b):\n    return sum(a * b) * (1 + 2e-9)",
            "off by 2e-09, as in float32",
        ),
    ],
    ids=["ends Python", "wrong", "asks for a file", "raises", "leaves", "few digits"],
)
def test_what_fails_is_told(source, why):
    found = tried("dot_product", source)
    assert not found.passed
    assert why in found.why


@few
def test_what_is_right_is_close_and_float32_is_not(name):
    exercise = load(name)
    plain, singly, *others = dressed(exercise)
    for function in (plain, *others, *known(name).variants):
        assert trial._off(function, exercise) < trial.CLOSE / 100
    due = [call(exercise.answer, case.inputs, exercise.parts).arrays for case in exercise.cases()]
    exact = all(np.array_equal(x, single(x)) for x in chain(*due) if x.dtype.kind == "f")
    assert (trial._off(singly, exercise) > trial.CLOSE) is not exact


def test_a_right_one_passes_whatever_it_prints():
    source = RIGHT.replace("return", "print('{'); return")
    found = tried("dot_product", source)
    assert found.passed
    assert found.why == ""
    assert found.times > 0


def test_no_process_to_try_it_in_is_told(monkeypatch):
    monkeypatch.setattr("sys.executable", "/nowhere/python")
    assert "No process could be started" in tried("dot_product", RIGHT).why


def test_a_verdict_is_remembered_until_the_function_changes(tmp_path, monkeypatch):
    calls = []
    monkeypatch.setattr(memory, "tried", lambda name, part: calls.append(part) or Verdict(True))
    for source in (RIGHT, RIGHT + "  # with a remark", RIGHT.replace("*", "@")):
        memory.verdict(tmp_path, "dot_product", Book(source))
    assert len(calls) == 2
    assert len(json.loads((tmp_path / memory.NAME).read_text())) == 1  # of what is there no more


def test_another_python_tries_anew(tmp_path, monkeypatch):
    monkeypatch.setattr(memory, "tried", lambda name, part: Verdict(True, sys.version))
    assert memory.verdict(tmp_path, "dot_product", Book(RIGHT)).why == sys.version
    monkeypatch.setattr(sys, "version", "another")
    assert memory.verdict(tmp_path, "dot_product", Book(RIGHT)).why == "another"


@pytest.mark.parametrize("text", ["{", "[]", '{"a": 1}', '{"a": {"b": 1}}'])
def test_a_damaged_memory_is_forgotten(tmp_path, monkeypatch, text):
    (tmp_path / memory.NAME).write_text(text)
    monkeypatch.setattr(memory, "tried", lambda name, part: Verdict(False, "no"))
    assert memory.verdict(tmp_path, "dot_product", Book(RIGHT)).why == "no"


def test_where_nothing_can_be_written_nothing_is_remembered(tmp_path, monkeypatch):
    monkeypatch.setattr(memory, "tried", lambda name, part: Verdict(True))
    assert memory.verdict(tmp_path / "gone", "dot_product", Book(RIGHT)).passed


def test_where_there_is_no_fcntl_a_place_that_nobody_reads_is_locked(tmp_path, monkeypatch):
    def locking(handle, mode, size):
        locked.append((os.lseek(handle, 0, os.SEEK_CUR), mode, size))

    locked = []
    monkeypatch.setitem(sys.modules, "fcntl", None)  # as on Windows
    windows = SimpleNamespace(locking=locking, LK_LOCK="wait")
    monkeypatch.setitem(sys.modules, "msvcrt", windows)
    with memory.alone(tmp_path):
        assert locked == [(memory.FAR, "wait", 1)]
