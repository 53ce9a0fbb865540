"""Marks follow what they rest on: mended tasks, other folders, points by hand, killed runs."""

import json
import shutil
import sqlite3

import pytest

from course.grading import __main__ as command_line
from course.grading.__main__ import main
from course.grading.book.__main__ import main as gradebook
from course.grading.book.gradebook import Gradebook
from course.grading.judge import Assignment
from course.grading.runner import StoppedError
from tests.grading.test_gradebook import dump
from tests.grading.toy import (
    HONEST,
    LISTED,
    MENDED,
    SUMS,
    TWICE,
    Calling,
    command,
    hand_in,
    points,
    put_assignment,
)

STUDENTS = {
    "ada": HONEST,
    "bob": (HONEST[0], "def twice(x):\n    return x * x", HONEST[2]),
    "cyd": HONEST,
}


class Honest(Calling):
    """It can be stopped after so many."""

    stops_after = 1000

    def __init__(self, *_, **__):
        self.n = 0

    def run(self, cells, calls):
        self.n += 1
        if self.n > Honest.stops_after:
            raise StoppedError
        return super().run(cells, calls)


@pytest.fixture
def room(tmp_path, monkeypatch, unsealed):
    """A class that is graded, without a sandbox: bob's `twice` squares."""
    monkeypatch.setattr(command_line, "Runner", Honest)
    monkeypatch.setattr(Honest, "stops_after", 1000)
    put_assignment(tmp_path / "hw")
    for student, cells in STUDENTS.items():
        hand_in(tmp_path / "in", student, *cells)
    assert main(command(tmp_path, "--jobs", "1")) == 0
    return tmp_path


def mend(room):
    """Have `twice` mean the square from now on."""
    (room / "hw" / "tasks" / "twice.py").write_text(MENDED)


BEFORE = {"ada": [4, 3], "bob": [0, 3], "cyd": [4, 3]}
AFTER = {"ada": [0, 3], "bob": [4, 3], "cyd": [0, 3]}


def test_a_mended_task_is_graded_again_by_the_same_command_and_waits_for_a_word(room, grade, run):
    assert points(room) == BEFORE
    assert "3 are graded already" in grade().err
    mend(room)
    assert "3 of 3 were graded before hw1 changed (the task twice)" in run("students", err=True)
    said = grade()
    assert "hw1 has changed: the task twice" in said.err
    assert "These marks would change. They have not yet:" in said.out
    assert "ada  twice 4 of 4 (correct) → 0 of 4 (" in said.out
    assert "bob  twice 0 of 4 (squared) → 4 of 4 (correct)" in said.out
    assert points(room) == BEFORE
    assert "3 are graded already" in grade().err
    said = run("export", "--to", "canvas", room / "out.csv", err=True)
    assert "the marks of 3 wait to be changed" in said
    run("regraded", "--accept")
    assert points(room) == AFTER
    assert run("regraded").endswith("no mark waits to be changed\n")


def test_what_grading_again_does_not_change_does_not_wait(room, grade):
    task = room / "hw" / "tasks" / "twice.py"
    task.write_text(TWICE.replace("You squared it.", "You multiplied it by itself."))
    assert "would change" not in grade().out
    with Gradebook(room / "grades.sqlite") as opened:
        assert opened.marks("hw1")["bob"][0].reason.startswith("You multiplied it by itself.")


def test_what_is_handed_in_anew_does_not_wait(room, grade):
    mend(room)
    hand_in(room / "in", "ada", *STUDENTS["bob"])
    grade()
    assert points(room) == BEFORE | {"ada": [4, 3]}
    hand_in(room / "in", "cyd", *HONEST, "# again")
    grade()
    assert points(room) == BEFORE | {"ada": [4, 3], "cyd": [0, 3]}


def test_a_time_that_a_student_wrote_is_not_believed(room, grade, run):
    """Handed in anew, after the deadline, with a `timestamp.txt` from before it."""
    run("due", "2026-11-30T23:59", "--per-day", "10")
    path = hand_in(room / "in", "bob", *HONEST)
    (path.parent / "timestamp.txt").write_text("2026-11-29 10:00:00 UTC")
    assert "1 of them have a timestamp.txt, which is not believed" in grade().err
    with Gradebook(room / "grades.sqlite") as found:
        assert found.submitted("hw1") == {"ada": "", "bob": "", "cyd": ""}
    grade("--timestamps")
    with Gradebook(room / "grades.sqlite") as found:
        assert found.submitted("hw1")["bob"].startswith("2026-11-29T10:00")


@pytest.mark.parametrize("options", [(), ("--again",)])
def test_grading_again_that_was_stopped_goes_on(room, grade, monkeypatch, options):
    monkeypatch.setattr(Honest, "stops_after", 1)
    assert "the same command goes on" in grade("--again", "--jobs", "1", code=130).out
    monkeypatch.setattr(Honest, "stops_after", 1000)
    said = grade(*options).err
    assert "going on with grading all again" in said
    assert "1 are graded already" in said
    assert "3 are graded already" in grade().err
    assert "graded already" not in grade("--again").err
    assert points(room) == BEFORE


@pytest.mark.parametrize("what", ["task", "points", "checks"])
def test_a_mark_rests_on_task_points_and_judge(room, what, monkeypatch):
    before = Assignment("hw1", room / "hw").digest
    if what == "task":
        (room / "hw" / "tasks" / "sums.py").write_text(f"{SUMS}\n# more cases, say\n")
    elif what == "points":
        (room / "hw" / "hw1.json").write_text(
            json.dumps(LISTED).replace('"points": 4', '"points": 5')
        )
    else:
        judge = room / "judge.py"
        judge.write_text("another judge")
        monkeypatch.setattr("course.grading.basis.judges", lambda: [judge])
    assert Assignment("hw1", room / "hw").digest != before


def test_other_points_are_not_exported_before_they_are_graded(room, grade, run):
    (room / "hw" / "hw1.json").write_text(json.dumps(LISTED).replace('"points": 4', '"points": 5'))
    assert "(twice: 4, now 5)" in run("feedback", room / "out", code=1)
    assert "ada  twice 4 of 4 (correct) → 5 of 5 (correct)" in grade().out
    run("regraded", "--accept")
    run("feedback", room / "out")
    assert points(room)["ada"] == [5, 3]


# The gradebook knows its assignment


@pytest.fixture
def another(room):
    """Another teacher's hw1, of one function."""
    folder = put_assignment(room / "another")
    listed = json.loads((folder / "hw1.json").read_text())
    (folder / "hw1.json").write_text(json.dumps(listed | {"tasks": listed["tasks"][1:]}))
    return str(folder)


@pytest.mark.parametrize(
    "action",
    [("feedback", "out"), ("export", "--to", "canvas", "out.csv"), ("summary",), ("students",),
     ("written", "out.csv"), ("missing",), ("regraded", "--accept")],
    ids=lambda action: action[0],
)  # fmt: skip
@pytest.mark.parametrize("source", ["another", "forgotten"])
def test_with_another_source_the_gradebook_refuses(
    room, another, capsys, monkeypatch, action, source
):
    monkeypatch.chdir(room)
    (room / "roster.csv").write_text("student\nada\n")
    assert gradebook(["roster", "grades.sqlite", "roster.csv"]) == 0
    name, *options = action
    there = ["--source", another] if source == "another" else []
    before = dump(room / "grades.sqlite")
    assert gradebook([name, "grades.sqlite", "hw1", *options, *there]) == 1
    said = capsys.readouterr().err
    assert f"is the one of {room / 'hw'}, and" in said
    assert f"Add --source {room / 'hw'}." in said
    assert not (room / "out").exists()
    assert not (room / "out.csv").exists()
    assert dump(room / "grades.sqlite") == before


def test_with_another_source_nothing_is_graded_until_it_is_said_that_it_moved(
    room, grade, run, another
):
    before = dump(room / "grades.sqlite")
    assert f"{another} has another" in grade("--source", another, code=1).err
    assert dump(room / "grades.sqlite") == before
    run("moved", "--source", another)
    grade("--source", another)
    grade(code=1)


def test_a_folder_that_was_moved_as_it_is_is_known_again(room, grade):
    shutil.copytree(room / "hw", room / "elsewhere")
    assert "3 are graded already" in grade("--source", str(room / "elsewhere")).err


# Points by hand


def test_points_by_hand_stand_beside_the_graders_and_it_says_when_they_part(room, grade, run):
    (room / "hand.csv").write_text("student,question,points,comment\nbob,twice,2,a good idea\n")
    run("mark", room / "hand.csv")
    assert "by hand: twice 2 (the grader: 0)" in run("students")
    assert "By hand" not in run("summary")
    mend(room)
    grade()
    run("regraded", "--accept")
    assert "by hand: twice 2 (the grader: 0 then, 4 now)" in run("students")
    said = run("summary", "--page", room / "page.html")
    assert "By hand, and the grader finds something else now: read them again" in said
    assert "bob: twice 2 (the grader: 0 then, 4 now)" in said
    assert "twice 2 (the grader: 0 then, 4 now)" in (room / "page.html").read_text()
    assert points(room)["bob"] == [2, 3]


# Older files


def test_the_rosters_group_decides_whose_sheet_a_student_is_judged_by(room, grade, run):
    varied = {"groups": {"A": {"times": 2}, "B": {"times": 3}}}
    (room / "hw" / "hw1.json").write_text(json.dumps(LISTED | varied))
    times = "from course.homework.variants import Variant\nTIMES: Variant = 2\n" + TWICE.replace(
        "return x + x", "return TIMES * x"
    )
    (room / "hw" / "tasks" / "twice.py").write_text(times)
    (room / "grades.sqlite").unlink()
    hand_in(room / "in", "dan", HONEST[0], "def twice(x):\n    return 3 * x", HONEST[2])

    def enrol(**groups):
        lines = ["student,group", *(f"{who},{group}" for who, group in groups.items())]
        (room / "roster.csv").write_text("\n".join(lines))
        return run("roster", room / "roster.csv", code=groups.get("dan") == "B7", err=True)

    enrol(ada="", dan="")  # a roster may come first
    told = "4 of 4 are in no group of the roster, and are judged by group A's sheet"
    assert told in grade().err
    assert points(room) == {"ada": [4, 3], "bob": [0, 3], "cyd": [4, 3], "dan": [0, 3]}
    assert "a group is a letter, A, B, C and so on, as the sheets have it: dan is in B7" in enrol(
        ada="", dan="B7"
    )
    enrol(ada="b", bob="A", dan="B")
    assert "2 of 4 were graded before hw1 or their group changed: " in run("summary", err=True)
    out, err = grade()
    assert "1 of 4 are in no group" in err
    assert "ada  twice 4 of 4 (correct) → 0 of 4 (the answer for group A)" in out
    assert "dan  twice 0 of 4 (the answer for group B) → 4 of 4 (correct)" in out
    run("regraded", "--accept")
    assert points(room) == {"ada": [0, 3], "bob": [0, 3], "cyd": [4, 3], "dan": [4, 3]}
    with Gradebook(room / "grades.sqlite") as book:
        told = book.marks("hw1")["ada"][0].reason
    assert told.startswith("This is the answer for group A, and not for yours.")
    assert "This is the answer for group A, and not for yours." in run("summary")
    enrol(ada="B", bob="A")  # dan leaves, and stays in his group
    assert "graded before" not in run("summary", err=True)
    assert "4 are graded already" in grade().err
    assert "not on the roster" in run("students").splitlines()[-1]
    (room / "roster.csv").write_text("student,group,team\nada,B,x\nbob,A,x\ncyd,A,X\n")
    said = run("roster", room / "roster.csv")
    assert "in one team, but of several groups: ada, bob, cyd\n" in said
    said = grade().err  # bob wrote something else
    assert said.count("as a team") == 1
    assert "ada (B) and cyd (A) handed in one file as a team, and each is judged by" in said
    enrol(ada="B", dan="E")
    assert "the groups A, B, and the roster has a group E: mend the roster" in grade(code=1).err


def test_a_gradebook_of_the_first_version_is_read_and_known_from_then_on(room, grade, run):
    with sqlite3.connect(room / "grades.sqlite") as base:
        for table in ("assignments", "regraded", "looks"):
            base.execute(f"DROP TABLE {table}")
        base.execute("ALTER TABLE submissions DROP COLUMN round")
        base.execute("ALTER TABLE submissions DROP COLUMN asking")
        base.execute("ALTER TABLE given DROP COLUMN found")
        base.execute("ALTER TABLE answers DROP COLUMN lines")
        base.execute('ALTER TABLE students DROP COLUMN "group"')
        base.execute("ALTER TABLE students DROP COLUMN has_left")
        base.execute("ALTER TABLE students DROP COLUMN team")
        base.execute("INSERT INTO given VALUES ('hw1', 'bob', 'twice', 1.0, '')")
        base.execute("UPDATE submissions SET digest = 'of old'")
        base.execute("UPDATE meta SET value = '1' WHERE name = 'version'")
    base.close()
    assert "by hand: twice 1 (the grader: 0)" in run("students")
    grade()
    assert points(room) == BEFORE | {"bob": [1, 3]}
    assert gradebook(["students", str(room / "grades.sqlite"), "hw1"]) == 1
