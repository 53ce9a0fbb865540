"""Honest notebooks as editors and hands leave them keep their points; a reader gets their words."""

import unicodedata

import pytest

from course.files import HOMEWORK
from course.grading import judge
from course.grading.book.gradebook import Gradebook
from course.grading.judge import Assignment
from course.grading.run import grade, handed, students
from tests.grading.corpus import KINDS, WORDS

pytestmark = [pytest.mark.needs("bwrap"), pytest.mark.timeout(600)]
FEW = 12  # of that many cases one is tried: how a notebook is read and run is the point here
NUMBERS = [
    pytest.param(number, marks=() if number == "hw2" else pytest.mark.weekly)
    for number in sorted({kind.number for kind in KINDS})
]


def graded(folder, number, runner):
    """Grade a class with a notebook of each kind; return what came of each, by its words."""
    drafts = {}
    for place, kind in enumerate(KINDS):
        if kind.number == number:
            drafts[kind.words] = kind.draft(f"s{place:02}")
            drafts[kind.words].hand_in(folder / "submitted")
    assignment = Assignment(number, HOMEWORK)
    assignment.fixed = {name: cases[::FEW] for name, cases in assignment.fixed.items()}
    with Gradebook(folder / "grades.sqlite") as book:
        found = students(folder / "submitted", number)
        each = [handed(folder / "submitted", student, assignment) for student in found]
        grade(each, assignment, book, runner, jobs=2, on_done=lambda one: None)
        return {words: came_of(book, number, draft) for words, draft in drafts.items()}


def came_of(book, number, draft):
    """Say what a notebook lost: the tasks with reasons, or why it was not graded, and its words."""
    name = unicodedata.normalize("NFC", draft.student)
    in_nfc = {unicodedata.normalize("NFC", who): who for who in book.known()}
    who = in_nfc[name]
    if why := book.ungraded(number).get(who):
        return why
    lost = [mark for mark in book.marks(number)[who] if mark.points < mark.most]
    (answer,) = book.answers(number)[who]
    text = " ".join(answer.text.split())
    return lost, answer.points, [words for words in WORDS if words not in text]


def test_there_are_seventy_seven():
    assert len(KINDS) == 77


@pytest.mark.parametrize("number", NUMBERS)
def test_every_honest_notebook_keeps_its_points_and_its_words(
    tmp_path, runner, number, monkeypatch
):
    monkeypatch.setattr(judge, "N_DRAWN", 40 // FEW)
    found = graded(tmp_path, number, runner)
    assert {words: came for words, came in found.items() if came != ([], None, [])} == {}
