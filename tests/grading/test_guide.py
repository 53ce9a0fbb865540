"""The guide, `docs/grading.md` and `docs/defended.md`: what it says is there and is so."""

import re
import shlex
from math import comb

import pytest

from course.files import ROOT
from course.grading import judge
from course.grading.__main__ import _parser as grade_parser
from course.grading.book.__main__ import _parser as book_parser
from course.grading.sandbox import Limits
from course.grading.trust import CONFIRMED, MOST_DOUBTS

WEEK = (ROOT / "docs" / "grading.md").read_text(encoding="utf-8")
DEFENDED = (ROOT / "docs" / "defended.md").read_text(encoding="utf-8")
GUIDE = WEEK + DEFENDED
DOOR = (ROOT / "docs" / "homework.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^python -m course (grade\w*) (.+)$", GUIDE + DOOR, re.MULTILINE)
PARSERS = {"grade": grade_parser(), "gradebook": book_parser()}
PROMISES = re.findall(
    r"^- (.+\n(?:  .+\n)*)", DEFENDED.partition("## What is not")[0], re.MULTILINE
)
TESTS = re.compile(r"`(tests/grading/\w+\.py)::(\w+)`")


@pytest.mark.parametrize(("name", "words"), COMMANDS, ids=" ".join)
def test_a_command_is_one(name, words):
    options = PARSERS[name].parse_args(shlex.split(words))
    assert getattr(options, "assignment", "hw2") in ("hw1", "hw2")


@pytest.mark.parametrize("promise", PROMISES, ids=lambda promise: promise.partition(":")[0])
def test_a_promise_has_its_test(promise):
    found = TESTS.findall(promise)
    assert found
    assert promise.count("`tests/") == len(found)
    for path, name in found:
        assert f"\ndef {name}(" in (ROOT / path).read_text(encoding="utf-8")


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
