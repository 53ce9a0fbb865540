"""Lesson 13 without its model, and with functions of one's own that are wrong."""

import importlib.util
import re

import nbformat
import pytest
from IPython.display import display

from attnlib import encoder
from tests.lessons import SERIES

LESSON = SERIES["13_a_real_model"]
SENTENCE = "This cell needs the whole model, which `make lab MODEL=1` brings.\n"


def cells():
    found = nbformat.read(LESSON.notebook_path, 4).cells
    return [cell for cell in found if cell.cell_type == "code"]


@pytest.fixture
def hidden(monkeypatch):
    """Hide the package, as it is where nobody asked for it."""
    find = importlib.util.find_spec
    monkeypatch.setattr(
        encoder.importlib.util,
        "find_spec",
        lambda name: None if name == encoder.PACKAGE else find(name),
    )


@pytest.mark.usefixtures("agg", "hidden")
def test_without_the_model_each_cell_that_needs_it_says_so_and_all_others_run(capsys):
    names = {"display": display, "__name__": "__main__"}
    for cell in cells():
        capsys.readouterr()
        exec(compile(cell.source, "<cell>", "exec"), names)
        said = capsys.readouterr().out
        assert (SENTENCE in said) == cell.source.count("if whole():"), cell.source
        assert said.count(SENTENCE) <= 1
    assert names["model"] is None


def test_no_cell_runs_the_model_but_behind_its_question():
    """Functions are made without it; whatever calls them asks first."""
    made = {name for cell in cells() for name in re.findall(r"^def (\w+)\(", cell.source, re.M)}
    assert {"read", "looks", "vector", "whole"} <= made
    asking = [cell.source for cell in cells() if "if whole():" in cell.source]
    assert len(asking) >= 15
    for cell in cells():
        outside = re.sub(r"^if whole\(\):\n(    .*\n?|\n)*", "", cell.source, flags=re.M)
        outside = re.sub(r"^def .*\n(    .*\n?|\n)*", "", outside, flags=re.M)
        assert not re.findall(r"\b(read|looks|vector|look_at|run|into|moved)\(", outside), (
            cell.source
        )
