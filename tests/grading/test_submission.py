"""Notebooks in every state that students hand in."""

import json
import os
from unittest.mock import ANY

import pytest

from course.grading import submission
from course.grading.submission import Cell, UngradedError, find, parse, read, readable
from course.grading.suspicion import suspicious
from tests.grading.toy import notebook


def test_code_and_written_answers_are_read():
    found = parse(notebook("x = 1", "y = 2", answer="Because of x.").encode())
    assert found.cells == ("x = 1", "y = 2")
    assert found.all_cells[-1] == Cell("markdown", "why", ANY, "Because of x.")


def test_a_byte_order_mark_lists_of_lines_and_strange_metadata_are_read():
    made = json.loads(notebook("x = 1\ny = 2"))
    made["cells"][0] |= {"source": ["x = 1\n", "y = 2"], "metadata": {"nbgrader": 7}, "id": None}
    found = parse("\ufeff".encode() + json.dumps(made).encode())
    assert found.cells == ("x = 1\ny = 2",)


def test_a_picture_within_a_text_is_a_sign_of_it():
    """Colab puts whole photos between the words, and a person reads the beginning."""
    one, other = ("![a.png](data:image/png;base64," + letter * 200_000 + ")" for letter in "AB")
    cells = parse(
        notebook(f"x = '{one}'", answer=f"{one}\n\nBecause.\n\n{other}").encode()
    ).all_cells
    assert len(cells[0].source) > 200_000  # a picture in code is the code's
    words = cells[1].source.split("\n\n")
    assert (words[1], len(cells[1].source) < 200) == ("Because.", True)
    assert words[0] != words[2]


def test_half_a_letter_and_numbers_without_end(tmp_path):
    made = json.loads(notebook("x = 1", answer="so"))
    made["cells"][0]["source"] = made["cells"][1]["source"] = "\ud800"
    found = parse(json.dumps(made).encode())
    assert [cell.source for cell in found.all_cells] == ["?", "?"]
    data = notebook("x = 1").replace('"nbformat_minor"', f'"n": {"9" * 5000}, "nbformat_minor"')
    with pytest.raises(UngradedError, match="thousands of digits"):
        parse(data.encode())


def test_a_name_is_text_in_a_line_and_nobody_elses():
    names = ["zoe", "zoe ", " zoe", "zoe\n", "'zoe", "zoe'", "'", " ", "zoe\\n", "zoe\x1b[2J",
             "zoe\u202e", "zoe\udcff", "zoe\\udcff", "zoe\\xff", "zoe\udc85", "zoe\x85",
             "a b", "Zoë", "=1"]  # fmt: skip
    told = [readable(name) for name in names]
    assert len(set(told)) == len(names)
    assert [readable(name) for name in ("zoe", "a b", "Zoë", "=1")] == ["zoe", "a b", "Zoë", "=1"]
    for name in told:
        assert name.isprintable()
        assert name == name.strip(" '")
        name.encode()


@pytest.mark.parametrize(
    ("cell", "found"),
    [
        ("import numpy as np\nx = np.ones(2)\nopened = x", ()),
        ("import os, ctypes.util\nfrom socket import *", ("os", "ctypes", "socket")),
        ("np.allclose = lambda *a: True", ("np.allclose =",)),
        ("%matplotlib inline\n__import__('o' + 's')", ("__import__",)),
        ("().__class__.__base__", ("__class__", "__base__")),
        ("open('x').read()", ("open",)),
        ("def broken(", ()),
        (
            " ".join(f".__a{i}__" for i in range(99)),
            (*(f"__a{i}__" for i in range(40)), "59 others"),
        ),
    ],
)
def test_what_code_uses_that_no_task_needs_is_found(cell, found):
    assert set(suspicious(("x = 1", cell))) == set(found)


GOOD = json.loads(notebook("x = 1"))


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "the file is empty"),
        (b"  \n", "the file is empty"),
        (b"\xff\xfe\0", "it is not text in UTF-8"),
        (b"PK\x03\x04\x14\0\0\0\x08\0\xb0\xff", "it is not text in UTF-8"),  # a zip
        (b"hello", "it is damaged, or no notebook"),
        (notebook("x = 1").encode()[:-40], "it ends in the middle"),
        (b"[" * 10**6, "it is nested too deep"),
        (b"[]", "it is no notebook"),
        (b"{}", "it is no notebook"),
        (b'{"nbformat": 3, "worksheets": []}', "it is of version 3; save it as version 4"),
        (b'{"nbformat": "' + b"9" * 999 + b'"}', "it is of version"),
        (b'{"nbformat": 4, "cells": {}}', "it is no notebook"),
        (b'{"nbformat": 4, "cells": [7]}', "one of its cells is none"),
        (b'{"nbformat": 4, "cells": [{"source": {}}]}', "one of its cells has no text"),
        (json.dumps(GOOD | {"cells": GOOD["cells"] * 2000}).encode(), "more than 1,000 cells"),
    ],
)
def test_what_is_no_notebook_is_told(data, why):
    with pytest.raises(UngradedError, match=why) as caught:
        parse(data)
    assert len(str(caught.value)) < 100


def test_links_folders_and_large_files_are_not_read(tmp_path, monkeypatch):
    (tmp_path / "secret").write_text(notebook("x = 1"))
    (tmp_path / "link.ipynb").symlink_to(tmp_path / "secret")
    (tmp_path / "folder.ipynb").mkdir()
    (tmp_path / "large.ipynb").write_text(notebook("x = 1"))
    os.mkfifo(tmp_path / "pipe.ipynb")
    monkeypatch.setattr(submission, "MOST_BYTES", 100)
    for name, why in (
        ("link", "a link"),
        ("folder", "a link or a folder"),
        ("large", "MB"),
        ("pipe", "not a file"),
        ("none", "cannot be read: No such file"),
    ):
        with pytest.raises(UngradedError, match=why):
            read(tmp_path / f"{name}.ipynb")


def test_the_notebook_is_found_by_its_name_or_where_it_is_the_only_one(tmp_path):
    with pytest.raises(UngradedError, match=r"there is no notebook; hw1_toy\.ipynb is expected"):
        find(tmp_path, "hw1_toy.ipynb")
    (tmp_path / "mine.ipynb").touch()
    (tmp_path / "timestamp.txt").touch()
    assert [path.name for path in find(tmp_path, "hw1_toy.ipynb")] == ["mine.ipynb"]
    (tmp_path / "mine (2).ipynb").touch()
    with pytest.raises(UngradedError, match="several notebooks"):
        find(tmp_path, "hw1_toy.ipynb")
    (tmp_path / "hw1_toy.ipynb").touch()
    found = [path.name for path in find(tmp_path, "hw1_toy.ipynb")]
    assert found == ["hw1_toy.ipynb", "mine (2).ipynb", "mine.ipynb"]
    with pytest.raises(UngradedError, match="cannot be read"):
        find(tmp_path / "none", "hw1_toy.ipynb")


def test_a_folder_of_many_files_is_looked_through_and_not_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(submission, "MOST_FILES", 3)
    for number in range(9):
        (tmp_path / f"{number}.png").touch()
    (tmp_path / "hw1_toy.ipynb").touch()
    assert find(tmp_path, "hw1_toy.ipynb") == [tmp_path / "hw1_toy.ipynb"]
    for number in range(3):
        (tmp_path / f"{number}.ipynb").touch()
    with pytest.raises(UngradedError, match="one folder holds more than 3 notebooks"):
        find(tmp_path, "hw1_toy.ipynb")
