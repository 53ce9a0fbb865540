"""Bombs: notebooks that are small as files, and large, slow or deep for whoever parses them."""

import json
import resource
import unicodedata

import pytest

from course.grading import reading
from course.grading.judge import Assignment
from course.grading.reading import read_apart
from course.grading.run import handed, name_of
from course.grading.submission import UngradedError, parse
from tests.grading.toy import HONEST, hand_in, notebook, put_assignment
from tests.lessons import quickly

MEBIBYTE = 1 << 20


def around(source, *more):
    """Write a notebook of one code cell whose source is this, as JSON."""
    return (
        f'{{"nbformat": 4, "cells": [{{"cell_type": "code", "source": {source}}}{"".join(more)}]}}'
    )


BOMBS = {  # what is in the file, and why it is not graded
    "numbers for lines": (
        lambda: around("[" + "0.1,".ljust(4) * (2 * MEBIBYTE) + "0]"),
        "it has more than 4 MB of code",
    ),
    "empty lists": (
        lambda: around('""', ', {"cell_type": "raw", "a": [' + "[[]]," * (15 << 18) + "0]}"),
        "it needs more than 512 MB of memory to be read",
    ),
    "lists in lists": (
        lambda: around("[" * 10**6 + "]" * 10**6),
        "it is nested too deep",
    ),
    "one long line": (lambda: around('"' + "x" * (5 * MEBIBYTE) + '"'), "more than 4 MB of code"),
    "text without end": (
        lambda: around('""', ', {"cell_type": "markdown", "source": "' + "é" * (9 << 20) + '"}'),
        "it has more than 8 MB of text",
    ),
}


@pytest.mark.timeout(120)
@pytest.mark.parametrize("bomb", quickly([*BOMBS], takes=[3]))
def test_a_bomb_costs_its_own_process_and_is_told(bomb):
    make, why = BOMBS[bomb]
    data = make().encode()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(UngradedError, match=why):
        read_apart(data)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 40 << 10  # kilobytes: the file is handed on, and nothing of it is made here


@pytest.mark.timeout(60)
def test_what_takes_too_long_to_be_read_is_ended(monkeypatch):
    """Nothing that we know of takes so long; so the time is what is made short here."""
    monkeypatch.setattr(reading, "PATIENCE", 0.01)
    with pytest.raises(UngradedError, match="it takes more than 10 seconds to be read"):
        read_apart(notebook(*HONEST).encode())


def test_an_honest_notebook_is_read_apart_as_it_is_read_here():
    picture = {"output_type": "display_data", "data": {"image/png": "x" * MEBIBYTE}, "metadata": {}}
    made = json.loads(notebook(*HONEST, answer="Because it “is”, 言葉."))
    made["cells"][1]["outputs"] = [picture] * 10
    made["metadata"] = {"language_info": {"version": "3.12.1"}}
    data = json.dumps(made).encode()
    here = parse(data)
    there = read_apart(data)
    assert there == here
    assert there.python == (3, 12)


def test_nothing_is_read_before_it_is_graded(tmp_path, monkeypatch):
    monkeypatch.setattr(json, "loads", None)
    put = hand_in(tmp_path / "in", "ada", *HONEST)
    made = {"number": "hw1", "notebook": put.name, "digest_of": str, "group": ""}
    assignment = type("A", (), made)()
    assert handed(tmp_path / "in", "ada", assignment).path == put


def test_names_are_compared_as_most_systems_write_them(tmp_path):
    composed, apart = (unicodedata.normalize(form, "José") for form in ("NFC", "NFD"))
    hand_in(tmp_path / "in", apart, *HONEST)
    assert name_of(tmp_path / "in", apart) == composed
    hand_in(tmp_path / "in", composed, *HONEST)  # somebody else's, or the same twice
    assert name_of(tmp_path / "in", composed) == composed
    assert name_of(tmp_path / "in", apart) == "Jose\\u0301"
    twice = ["a\u0323\u0307", "a\u0307\u0323"]  # and neither of them as most systems write it
    for name in twice:
        hand_in(tmp_path / "in", name, *HONEST)
    assert len({name_of(tmp_path / "in", name) for name in twice}) == 2
    put = hand_in(tmp_path / "in", "zoe", *HONEST, name=unicodedata.normalize("NFD", "ü.ipynb"))
    hand_in(tmp_path / "in", "zoe", *HONEST, name="other.ipynb")
    assignment = Assignment("hw1", put_assignment(tmp_path / "hw"))
    assignment.notebook = "ü.ipynb"
    assert handed(tmp_path / "in", "zoe", assignment).path == put
