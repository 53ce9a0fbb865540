"""The guide, `docs/grading.md` and `docs/defended.md`: what it says is there and is so."""

import os
import re
import shlex
import shutil
import zipfile
from math import comb
from pathlib import Path

import pytest

from course.__main__ import main as course
from course.files import ROOT
from course.grading import judge
from course.grading.__main__ import _parser as grade_parser
from course.grading.book import alike, summary
from course.grading.book.__main__ import _parser as book_parser
from course.grading.classroom.arguments import placed
from course.grading.classroom.settings import NAME
from course.grading.sandbox import Limits
from course.grading.trust import CONFIRMED, MOST_DOUBTS
from tests.grading.toy import HONEST, notebook, put_assignment

WEEK = (ROOT / "docs" / "grading.md").read_text(encoding="utf-8")
DEFENDED = (ROOT / "docs" / "defended.md").read_text(encoding="utf-8")
GUIDE = WEEK + DEFENDED
DOOR = (ROOT / "docs" / "homework.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^python -m course (grade\w*) (.+)$", GUIDE + DOOR, re.MULTILINE)
PARSERS = {"grade": grade_parser(), "gradebook": book_parser()}
PROMISES = re.findall(r"^- (.+)$", DEFENDED.partition("## What is not")[0], re.MULTILINE)
HERE = [path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("test_*.py")]


@pytest.fixture
def inside(tmp_path):
    """A class's folder, with nothing in it but its settings."""
    (tmp_path / NAME).touch()
    return tmp_path


@pytest.mark.parametrize(("name", "words"), COMMANDS, ids=" ".join)
def test_a_command_is_one(inside, name, words):
    argv = shlex.split(words, comments=True)
    options = PARSERS[name].parse_args(placed(argv, inside) if name == "gradebook" else argv)
    assert getattr(options, "assignment", "hw2") in ("hw1", "hw2")


@pytest.mark.usefixtures("unsealed")
def test_the_weeks_sheet_is_a_week(tmp_path, monkeypatch):
    """Run as it stands, on a made-up download; at most eight commands for a round."""
    sheet = WEEK.partition("```sh\n")[2].partition("```")[0].splitlines()
    sheet = [shlex.split(line, comments=True) for line in sheet]
    assert [words[:3] for words in sheet].count(["python", "-m", "course"]) <= 8
    home = tmp_path / "home"
    (home / "Downloads").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.chdir(tmp_path)
    put_assignment(tmp_path / "hw")
    table = (
        "Identifier,Full name,ID number,Grade,Last modified (submission),Last modified (grade)\n"
    )
    table += 'Participant 11,Ada Lovelace,100,,"Monday, 30 November 2026, 11:30 PM",-\n'
    (tmp_path / "participants.csv").write_text(table)
    place = "Ada Lovelace_11_assignsubmission_file_"
    with zipfile.ZipFile(home / "Downloads" / "hw2.zip", "w") as archive:
        archive.writestr(f"{place}/hw1_toy.ipynb", notebook(*HONEST))
    for words in sheet:
        words = [os.path.expanduser(word.replace("hw2", "hw1")) for word in words]
        if words[0] == "cd":
            monkeypatch.chdir(words[1])
            (Path(NAME)).write_text(f"source = {str(tmp_path / 'hw')!r}\nroster = 'roster.csv'\n")
            shutil.copy(tmp_path / "participants.csv", "worksheet.csv")
            shutil.copy(home / "Downloads" / "hw2.zip", home / "Downloads" / "hw1.zip")
        else:
            assert course(words[3:]) == 0, words
    assert "Participant 11,Ada Lovelace,100,7," in Path("upload.csv").read_text("utf-8-sig")
    with zipfile.ZipFile("feedback/hw1-moodle.zip") as archive:
        assert archive.namelist() == [f"{place}/feedback.html"]


@pytest.mark.parametrize("promise", PROMISES, ids=lambda promise: promise.partition(":")[0])
def test_a_promise_has_its_test(promise):
    found = re.findall(r"`(test_\w+)`", promise)
    assert found
    assert promise.endswith(": " + ", ".join(f"`{name}`" for name in found) + ".")
    for name in found:
        assert sum(f"\ndef {name}(" in text for text in HERE) == 1, name


def test_every_action_is_told():
    told = {shlex.split(words)[0] for name, words in COMMANDS if name == "gradebook"}
    assert told == set(PARSERS["gradebook"]._subparsers._group_actions[0].choices)


def test_its_numbers_are_those_of_the_grader():
    limits = Limits()
    assert f"more than {limits.call} seconds of the processor for a call, " in GUIDE
    assert f"or {limits.task:g} for all calls" in GUIDE
    assert f"outlasts its {limits.cell:g} seconds of the processor, or {limits.cells:g} " in GUIDE
    clock = f"({limits.wall(limits.cell):g} and {limits.wall(limits.cells):g} by the clock"
    assert clock in GUIDE
    assert f"{judge.N_DRAWN} random ones" in GUIDE
    assert round(1 / alike.FEW) == 10
    assert "at most one such pair in ten classes" in GUIDE
    assert summary.FEWEST == 3
    assert "the mistakes that three or more have made" in GUIDE
    assert f"its cells have {limits.wall(limits.cells):g} seconds, however often" in GUIDE
    assert f"have {limits.waits:g} seconds more than twice what they work" in GUIDE
    assert limits.patience == 2
    asleep = 2 * limits.wall(limits.cells) + 5 * (limits.waits + limits.wall(limits.call))
    assert round(asleep / 60) == 5
    assert "holds one job for some five minutes" in GUIDE
    assert limits.memory == 1024
    assert "more than 1 GB" in GUIDE


def test_whoever_gives_points_to_fifty_is_found_out_as_often_as_it_says():
    share = CONFIRMED / 100
    found = [comb(50, n) * share**n * (1 - share) ** (50 - n) for n in range(MOST_DOUBTS)]
    assert round(100 * sum(found)) == 3
    assert "home runs one submission in ten once more" in GUIDE
    assert "gives them to fifty, three times in a hundred" in GUIDE
