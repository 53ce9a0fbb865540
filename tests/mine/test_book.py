"""A `mine.py` as a text: nothing in it is lost, and each definition has its place."""

import ast
import json

import pytest

from attnlib.mine.book import TITLE, Book, Entry, Unreadable, asks_of_mine, lesson_order, reads

BY_HAND = '''# a remark above all
"""My title."""

from __future__ import annotations

import math; import numpy as np  # both

# how large a number is
EPS = 1e-9


# it took me an hour
@staticmethod
def softmax(scores):
    return scores + EPS  # no


class Kept:
    pass


# the end
'''


def kept(text, source, name="softmax"):
    """Keep a function in a file of this text; return the file's text."""
    return Book(text).with_(Entry(name, {name: source}), []).text


def test_a_file_is_put_together_again_with_all_its_remarks():
    after = kept(BY_HAND, "def projection(): ...", "projection")
    gone = [line for line in BY_HAND.splitlines() if line not in after.splitlines()]
    assert gone == []
    assert after.index("def projection") > after.index("class Kept")
    assert kept(after, "def projection(): ...", "projection") == after


def test_a_definition_takes_the_place_of_the_older_one_below_its_remarks():
    after = kept(BY_HAND, "def softmax(s): ...")
    assert "# it took me an hour\ndef softmax(s): ...\n\n\nclass Kept" in after
    assert "staticmethod" not in after


@pytest.mark.parametrize(
    "old",
    [
        "if True:\n    def softmax(s): 1\nelse:\n    def softmax(s): 2",
        "x = 1; softmax = print",
        "softmax, x = print, 1",
    ],
)
def test_what_binds_more_than_a_function_stays_above_the_newer_one(old):
    after = kept(old + "\n", "def softmax(s): 0")
    assert after.partition(TITLE)[2] == f"\n\n\n{old}\n\n\ndef softmax(s): 0\n"


def test_of_two_that_bind_a_name_the_later_one_is_replaced():
    """It is the one that runs."""
    after = kept("def softmax(s): 1\ndef softmax(s): 2\n", "def softmax(s): 3")
    assert after.endswith("def softmax(s): 1\n\n\ndef softmax(s): 3\n")


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("# mine\n\n# why\ndef softmax(s): 1\n", "# why\ndef softmax(s): ..."),
        ("def softmax(s): 1\n    # why\n\n    # and\n\n# the end\n",
         "def softmax(s): ...\n    # why\n\n    # and"),
    ],
    ids=["above", "at the end"],
)  # fmt: skip
def test_a_remark_of_a_function_is_not_doubled(text, source):
    after = kept(text, source)
    assert source in after
    assert after.count("# why") == 1
    for other in ("# mine", "# and", "# the end"):
        assert after.count(other) == text.count(other)


@pytest.mark.parametrize(
    "text",
    ["x = 'a\u2028b\x1dc'", "# a\x0cb", 'x = 1; y = """a\n\n\n\nb"""'],
    ids=["in a string", "in a remark", "behind a semicolon"],
)
def test_what_ends_a_line_elsewhere_ends_none_here(text):
    after = kept(f"{text}\ndef softmax(s): 1\n", "def softmax(s): 2")
    assert f"\n{text}\n" in after
    assert Book(after).part("softmax") == "def softmax(s):\n    2"


@pytest.mark.parametrize(
    "above",
    ["from math import *", "sqrt: object = abs", "try:\n    from math import sqrt\nfinally: ..."],
)
def test_what_binds_a_name_belongs_to_who_reads_it(above):
    function = Book(f"{above}\ndef f(x): return sqrt(x)\n").load("f", "mine.py")
    assert function(1) == 1


def test_functions_stand_in_the_lessons_order_whenever_they_come():
    order, book = ["one", "two", "three"], Book("")
    for name in ("three", "one", "two"):
        helper = f"of_{name}"
        source = {helper: f"def {helper}(): ...", name: f"def {name}(): {helper}()"}
        book = book.with_(Entry(name, source, ("import numpy as np",)), order)
    found = [line.split("(")[0][4:] for line in book.text.splitlines() if line[:3] == "def"]
    assert found == ["of_one", "one", "of_two", "two", "of_three", "three"]
    assert book.text.count("import numpy") == 1


def test_what_belongs_to_a_function_is_what_it_reaches_and_no_more():
    part = Book(BY_HAND).part("softmax")
    assert "EPS = 1e-09" in part
    assert "numpy" not in part
    assert "Kept" not in part


def test_the_order_is_read_from_the_lessons_beside_it(tmp_path):
    for name, checked in (("02_b.ipynb", "late"), ("01_a.ipynb", "early"), ("draft.ipynb", "no")):
        cell = {"cell_type": "code", "source": [f'check("{checked}", {checked})']}
        (tmp_path / name).write_text(json.dumps({"cells": [cell]}))
    (tmp_path / "03_damaged.ipynb").write_text("{")
    assert lesson_order(tmp_path) == ["early", "late"]


def test_no_python_is_told_with_its_line():
    with pytest.raises(Unreadable, match="line 2: "):
        Book("x = 1\ndef (:\n")


def test_local_names_are_not_read_from_around():
    source = """
def f(a, *, scale=SCALE):
    softmax = a.max()
    return [softmax + b for b in outer(len(a))] + mine.rotate(a)
"""
    node = ast.parse(source).body[0]
    assert reads(node) == {"SCALE", "outer", "len", "mine"}
    assert asks_of_mine(node) == {"rotate"}
