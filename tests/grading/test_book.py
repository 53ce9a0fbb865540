"""What a teacher does with a gradebook: roster, deadline, written answers, exports, pages."""

import csv
import errno
import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from course.grading.answers import Written
from course.grading.book.gradebook import Gradebook
from course.grading.book.late import Policy, moment, stamped
from course.grading.book.tables import harmless, plain, read_table, write_table
from course.grading.judge import Mark
from course.grading.submission import readable
from tests.grading.toy import put_assignment

RIGHT = [Mark("twice", 4, 4, "correct", ""), Mark("sums", 3, 3, "correct", "")]
WRONG = [
    Mark("twice", 0, 4, "wrong", "You squared it. <b>Twice</b> & more.", "squared"),
    Mark("sums", 3, 3, "correct", ""),
]


@pytest.fixture
def room(tmp_path):
    """A folder with an assignment and a gradebook of three who handed in."""
    put_assignment(tmp_path / "hw")
    with Gradebook(tmp_path / "grades.sqlite") as book:
        time = "2026-11-30T22:30:00+00:00"
        book.keep("hw1", "007", "d", RIGHT, {"why": Written("=1+1")}, submitted=time)
        book.keep("hw1", "bob", "d", WRONG, {"why": Written('Because;\nof "x".')})
        book.keep("hw1", "eve", "d", [], {}, ungraded="it is not JSON")
    return tmp_path


@pytest.fixture
def book(room):
    """The gradebook, open; the command opens it by itself."""
    with Gradebook(room / "grades.sqlite") as book:
        yield book


@pytest.fixture
def enrol(room, run):
    """Return a function that reads a roster, and gives what is printed."""

    def read(text, code=0):
        (room / "roster.csv").write_text(text, encoding="utf-8")
        return run("roster", room / "roster.csv", code=code)

    return read


@pytest.fixture
def export(room, run):
    """Return a function that exports, into a table of the platform's; it gives rows and words."""

    def out(to, text=None, *options, code=0):
        if text is not None:
            (room / "theirs.csv").write_text(text, encoding="utf-8-sig")
            options = ("--into", room / "theirs.csv", *options)
        said = run("export", room / "out.csv", "--to", to, *options, code=code)
        return table(room / "out.csv") if code == 0 else [], said

    return out


def table(path):
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


# Tables


TEXTS = [
    "=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", " =1", "'=1", "''=1", "plain", "", "0012",
    "it's", "x;=cmd|' /C calc'!A0", "x\n=1+1", "x\t'=1", "\xa0=1", "\ufeff=1", "\v=1", "＝1",
    "a;b;-c", "'", ";'=1",
]  # fmt: skip


@pytest.mark.parametrize("cell", TEXTS)
def test_no_text_is_a_formula_and_every_text_comes_back(cell):
    written = harmless(cell)
    assert plain(written) == cell
    for part in re.split("[;\n]", written):
        assert not part.lstrip(" \xa0\ufeff\v").startswith(("=", "+", "-", "@", "\t", "\r", "＝"))


@pytest.mark.parametrize(
    "data",
    [
        b"Student,Points\n0012,3\n",
        b"\xef\xbb\xbfstudent;points\r\n0012;3\r\n",
        b"student\tpoints\n0012\t3\n\n",
        '"student" ; "points"\n"0012";"3"\n'.encode("cp1252"),
        "student\tpoints\n0012\t3\n".encode("utf-16"),
    ],
)
def test_a_table_is_read_however_a_spreadsheet_wrote_it(tmp_path, data):
    (tmp_path / "a.csv").write_bytes(data)
    (row,) = read_table(tmp_path / "a.csv", ["student"])
    assert row["student"] == "0012"


def test_a_table_comes_back_as_it_was_written(tmp_path):
    rows = [["a", 'b;"c"\nd'], ["=x", "ä"]]
    for _ in range(2):
        write_table(tmp_path / "a.csv", ["one", "two"], rows)
        assert (tmp_path / "a.csv").stat().st_mode & 0o777 == 0o600
    assert [list(row.values()) for row in read_table(tmp_path / "a.csv", ["one"])] == rows


# Being late


DUE = Policy(datetime(2026, 11, 30, 23, 59), "Europe/Berlin", 0.1, timedelta(minutes=15))


@pytest.mark.parametrize(
    ("submitted", "zone", "extension", "days"),
    [
        ("2026-11-30 22:59 UTC", "", 0, 0),
        ("2026-11-30 23:14 UTC", "", 0, 0),  # a quarter of an hour is no lateness
        ("2026-11-30 23:15 UTC", "", 0, 1),
        ("2026-12-01 22:59 UTC", "", 0, 1),
        ("2026-12-01 23:00 UTC", "", 0, 2),
        ("2026-12-01 04:59 UTC", "America/New_York", 0, 0),
        ("2026-12-02 12:00 UTC", "", 2, 0),
        ("2026-12-03 12:00 UTC", "", 2, 1),
    ],
)
def test_each_day_that_has_begun_counts_by_everybodys_own_clock(submitted, zone, extension, days):
    assert DUE.days_late(moment(submitted), zone, extension) == days


def test_what_is_left_never_falls_below_nothing():
    assert [DUE.share(days) for days in (0, 1, 10, 99)] == [1.0, 0.9, 0.0, 0.0]


def test_nbgraders_time_is_read_and_nothing_else(tmp_path):
    assert stamped(tmp_path) is None
    stamp = tmp_path / "timestamp.txt"
    stamp.write_text("2026-11-22 12:13:37.015974 UTC\n")
    assert stamped(tmp_path) == datetime(2026, 11, 22, 12, 13, 37, 15974, UTC)
    for words in ("yesterday", "2026-11-22" + " " * 1000, ""):
        stamp.write_text(words)
        assert stamped(tmp_path) is None


# The command


def test_points_for_a_function_by_hand_and_back(book, room, run, export):
    def mark(points, *comment):
        names = ["student", "question", "points", "comment", "digest"]
        row = ("bob", "twice", points, *comment)
        write_table(room / "m.csv", names[: len(row)], [row])
        said = run("mark", room / "m.csv")
        return book.marks("hw1")["bob"][0], said

    by_hand = Mark("twice", 3.5, 4, "by hand", "=nearly", "squared")
    found, said = mark("3.5", "=nearly", "")
    assert found == by_hand
    assert "0 answers marked, 1 function by hand" in said
    rows, _ = export("nbgrader")
    assert [row["raw_score"] for row in rows] == ["7", "6.5", ""]
    assert mark("3")[0].reason == "=nearly"  # no column, no other comment
    assert mark("auto", "=nearly", "") == (
        WRONG[0],
        "0 answers marked, 0 functions by hand, 1 as the grader found them\n",
    )


def test_where_nothing_was_written_nobody_is_waited_for(book):
    book.keep("hw1", "zoe", "d", RIGHT, {"why": Written(is_as_handed_out=True)})
    (answer,) = book.answers("hw1")["zoe"]
    assert (answer.points, answer.comment) == (0.0, "Nothing was written here.")
    book.keep("hw1", "zoe", "d2", RIGHT, {"why": Written("Because.")})
    assert book.answers("hw1")["zoe"][0].points is None


def test_the_roster_finds_who_is_missing_and_who_has_more_time(book, room, run, enrol, export):
    said = enrol(
        "Student;Name;ID;Zone;hw1\n007;Ada L;0042;;\nbob;Bob;43;America/New_York;2\nzoe;Zoë;44;;\n"
    )
    assert "3 students" in said
    assert "more time for hw1: bob" in said
    assert "handed in, but not here: eve" in said
    assert run("missing") == "zoe Zoë\n"
    said = run("due", "2026-11-30T20:00", "--zone", "UTC", "--per-day", 10)
    assert "due 2026-11-30 20:00 (UTC); each day that has begun costs 10 %" in said
    rows, said = export("canvas")
    assert "2 graded, 1 ungraded and 1 missing: their cells are left empty, not 0" in said
    assert [(row["ID"], row["SIS Login ID"], row["A toy"]) for row in rows[1:]] == [
        ("0042", "007", "6.3"),  # 7, and a day late
        ("43", "bob", "3"),  # nobody knows when
        ("", "eve", ""),
        ("44", "zoe", ""),
    ]
    assert [len(export(to)[0]) for to in ("moodle", "nbgrader")] == [4, 4]
    assert run("students").splitlines()[-4:] == [
        "007     6.3 of 10  Ada L; 1 day late, 0.7 points less; an answer is to be read",
        "bob       3 of 10  Bob; time unknown, so counted as in time; an answer is to be read",
        "eve   ungraded     it is not JSON; not on the roster",
        "zoe    missing     Zoë; nothing handed in",
    ]
    said = enrol("student\n007\nmax\n")
    assert "new: max\nno longer there: bob, zoe\n" in said
    assert "more time" not in said
    assert book.extensions("hw1") == {"bob": 2.0}  # there was no column that said otherwise
    enrol("student,hw1\n007,1\n")
    assert book.extensions("hw1") == {"007": 1.0, "bob": 2.0}  # who leaves keeps theirs
    assert book.left()["bob"].zone == "America/New_York"
    assert "zoe" not in book.left()  # nothing of theirs is kept
    said = enrol("student,hw1\n007,1\nbob,\n")
    assert "more time for hw1: 007\nno more time for hw1: bob\n" in said


def test_all_assignments_stand_side_by_side(book, room, run, enrol):
    (room / "hw" / "hw10.json").write_text((room / "hw" / "hw1.json").read_text())
    enrol("student,name,id\n007,Ada,41\nbob,,\nzoe,Zoë,44\n")
    run("due", "2026-11-30T20:00", "--per-day", 10)
    book.keep("hw10", "007", "d", WRONG, {})
    book.keep("hw1", "eve", "d1", RIGHT, {"why": Written("Because.")})
    book.give("hw1", {("eve", "why"): (3.0, "", "")}, {})
    book.keep("hw1", "eve", "d2", [], {}, ungraded="it is not JSON")
    for number in ("hw10", "hw1"):
        book.set_asked(number, str(room / "hw"), {})
    said = run("totals", room / "t.csv").splitlines()
    assert said == [
        "     hw1/10  hw10/10  all/20",
        "007     6.3        3     9.3  hw1: 1 day late, 0.7 points less; an answer is to be read",
        "bob       3        –       3  hw1: time unknown, so counted as in time; an answer is "
        "to be read; hw10: missing",
        "eve       –        –       0  hw1: it is not JSON; not on the roster; hw10: missing",
        "zoe       –        –       0  hw1: missing; hw10: missing",
    ]
    rows = table(room / "t.csv")
    assert [row["hw1 (of 10)"] for row in rows] == ["6.3", "3", "", ""]
    assert [row["total (of 20)"] for row in rows] == ["9.3", "3", "0", "0"]
    assert (rows[0]["name"], rows[0]["id"]) == ("Ada", "41")
    assert rows[3]["to be known"] == "hw1: missing; hw10: missing"
    book.keep("hw2", "007", "d", WRONG, {})
    assert [*book.sources()] == ["hw1", "hw2", "hw10"]


MOODLES = """\
Identifier,Full name,Email address,Status,Grade,Maximum Grade,Last modified (grade),\
Feedback comments
Participant 41,Ada L,a@b.c,Submitted,,10.00,-,
Participant 42,=Bob,b@b.c,-,5.00,10.00,-,Well done.
Participant 43,Max,m@b.c,-,,10.00,-,
"""
CANVASES = """\
Student,ID,SIS User ID,SIS Login ID,Section,Other (11),A toy (12),Final Score
    Points Possible,,,,,5,10,(read only)
"L, Ada",71,,007,S,4,,90
"B, Bob",72,,bob,S,,1,80
"""


def test_a_platforms_own_table_is_filled_in_and_nothing_else_is_changed(room, enrol, export):
    enrol("student,id\n007,41\nbob,Participant 42\nzoe,43\n")
    _, said = export("moodle", MOODLES)
    assert "2 rows filled in" in said
    assert "not in" not in said
    wanted = MOODLES.replace("Submitted,,", "Submitted,7,").replace("5.00", "3")
    assert (room / "out.csv").read_text("utf-8-sig").split() == wanted.replace('"', "").split()
    rows, _ = export("canvas", CANVASES)
    assert [row["A toy (12)"] for row in rows] == ["10", "7", "3"]
    assert [row["Final Score"] for row in rows] == ["(read only)", "90", "80"]
    renamed = CANVASES.replace("A toy (12)", "Toys")
    assert "Say which with --column" in export("canvas", renamed, code=1)[1]
    export("canvas", renamed, "--column", "Toys")
    _, said = export("canvas", CANVASES.replace("007", "max"))
    assert f"not in {room / 'theirs.csv'}: 007\nthere, but not here: L, Ada 71\n" in said


def test_a_column_that_only_begins_alike_is_another(export):
    for theirs, *options in (
        (CANVASES.replace("A toy (12)", "A toy 2 (12)"),),
        (CANVASES.replace("A toy (12)", "hw10"),),
        (CANVASES, "--column", "Oth"),
    ):
        _, said = export("canvas", theirs, *options, code=1)
        assert "0 columns may be that of the points" in said
    rows, _ = export("canvas", CANVASES.replace("Other (11)", "A toy 2 (11)"))
    assert rows[1]["A toy (12)"] == "7"


def test_points_go_to_nobody_who_is_only_called_alike(enrol, export):
    enrol("student,name,id\n007,Sam Lee,41\nbob,Sam Lee,\neve,Eve,\n")
    theirs = MOODLES.replace("Participant 41,Ada L", "Participant 99,Sam Lee")
    _, said = export("moodle", theirs, code=1)  # bob and 007 share a name, and 007 has an id
    assert "no row is of anybody here" in said
    enrol("student,name,id\n007,Sam Lee,41\nbob,Max,\n")
    assert [row["Grade"] for row in export("moodle", theirs)[0]] == ["", "5.00", "3"]
    assert "41 is there twice" in enrol("student,id\n007,41\nbob,41\n", code=1)


@pytest.mark.parametrize(
    ("to", "theirs", "told", "column", "points"),
    [
        ("moodle", MOODLES.replace("10.00", "100.00"), "100 points, and there are 10 here",
         "Grade", ["70", "5.00", ""]),
        ("canvas", CANVASES.replace("5,10,", "5,25,"), "25 points", "A toy (12)",
         ["25", "17.5", "7.5"]),
    ],
)  # fmt: skip
def test_another_maximum_is_refused_or_converted(enrol, export, to, theirs, told, column, points):
    enrol("student,id\n007,41\n")
    _, said = export(to, theirs, code=1)
    assert f"its column is for {told}" in said
    assert [row[column] for row in export(to, theirs, "--scale")[0]] == points


def test_moodle_hears_why_somebody_has_no_points(enrol, export):
    enrol("student,id\neve,43\n")
    last = export("moodle", MOODLES)[0][-1]
    assert (last["Grade"], last["Feedback comments"]) == ("", "Not graded: it is not JSON.")


def test_a_platforms_own_table_is_not_written_over(room, run):
    own = room / "t.csv"
    own.write_text(CANVASES)
    said = run("export", own, "--to", "canvas", "--into", own, code=1)
    assert "name another file to write" in said
    assert own.read_text() == CANVASES


def test_a_deadline_can_be_seen_and_taken_back(room, run):
    (room / "grades.sqlite").unlink()  # before anything is graded
    assert run("due") == "hw1: no deadline\n"
    said = run("due", "2026-11-30T20:00", "--per-day", 5, "--grace", 15)
    assert said.endswith("costs 5 % of the points earned, after 15 minutes of grace\n")
    assert run("due") == said
    assert run("due", "--never") == "hw1: no deadline\n"


def test_of_a_deadline_what_is_not_said_anew_stays(run):
    assert "say when it is due, too" in run("due", "--per-day", 5, code=1)
    assert run("due", "2026-11-30T20:00").endswith("(UTC); being late costs nothing\n")
    said = run("due", "2026-11-30T20:00", "--grace", 15)
    assert said.endswith("; being late, after 15 minutes of grace, costs nothing\n")
    run("due", "2026-11-30T20:00", "--zone", "Europe/Berlin", "--per-day", 5, "--grace", 15)
    assert run("due", "2026-12-01T20:00", "--per-day", 7) == (
        "hw1: due 2026-12-01 20:00 (Europe/Berlin); each day that has begun costs 7 % of the "
        "points earned, after 15 minutes of grace\n"
    )


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["tomorrow"], "'tomorrow' is no day and time"),
        (["2026-11-30"], "'2026-11-30' is no day and time"),
        (["2026-11-30T23:59+01:00"], "is no day and time without a zone"),
        (["2026-11-30T23:59", "--grace=-5"], "0 minutes of grace or more, not -5"),
        (["2026-11-30T23:59", "--per-day=1000"], "0 to 100 percent, not 1000"),
        (["2026-11-30T23:59", "--zone=Mars"], "'Mars' is no time zone"),
    ],
)
def test_a_deadline_that_is_none_is_refused(run, words, told):
    assert told in run("due", *words, code=1)
    assert "no deadline" in run("due")


def test_a_full_disk_leaves_no_half_a_table_and_is_told(room, run, monkeypatch):
    def full(path, data):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "write_bytes", full)
        (line,) = run("written", room / "w.csv", code=1).splitlines()
    assert line.startswith("error: the disk is full. What was written before is there, each file")
    assert not (room / "w.csv").exists()
    assert "2 answers" in run("written", room / "w.csv")


def test_what_cannot_be_written_is_told_in_a_line(room, run):
    for action in (
        ("export", room / "none" / "m.csv", "--to", "moodle"),
        ("feedback", room / "grades.sqlite" / "out"),
    ):
        (line,) = run(*action, code=1).splitlines()
        assert line.startswith("error: ")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("name,hw1\nx,1\n", "there is no column 'student', but: name, hw1"),
        ("student\nx\nx\n", "x is there twice"),
        ("student,zone\nx,Mars/Dome\n", "'Mars/Dome' is no time zone"),
        ("student,hw1\nx,soon\n", "'soon' of x is no number"),
    ],
)
def test_a_roster_that_cannot_be_read_is_told(enrol, text, told):
    assert told in enrol(text, code=1)


def test_times_come_from_a_table_where_nbgrader_wrote_none(book, room, run):
    (room / "t.csv").write_text("student,submitted\nbob,2026-12-01 10:00\nmax,2026-12-01 10:00\n")
    said = run("times", room / "t.csv")
    assert "1 time\nleft out, for nothing of theirs was graded: max" in said
    assert book.submitted("hw1")["bob"] == "2026-12-01T10:00:00+00:00"
    (room / "t.csv").write_text("student,submitted\nbob,noon\n")
    assert "'noon' of bob is no time" in run("times", room / "t.csv", code=1)


def test_a_time_that_a_person_gave_holds_until_something_else_is_handed_in(book, room, run):
    (room / "t.csv").write_text("student,submitted\nbob,2026-12-01 10:00\n")
    run("times", room / "t.csv")
    given, stamp = "2026-12-01T10:00:00+00:00", "2026-11-01T10:00:00+00:00"
    book.keep("hw1", "bob", "asked otherwise", WRONG, {})
    assert book.submitted("hw1")["bob"] == given
    assert book.set_stamps("hw1", {"bob": stamp, "007": "", "nobody": stamp}) == 1
    assert book.submitted("hw1")["bob"] == given
    book.keep("hw1", "bob", "d", WRONG, {}, content="another")
    assert book.submitted("hw1")["bob"] == ""
    book.set_stamps("hw1", {"bob": stamp})
    assert book.submitted("hw1")["bob"] == stamp
    assert book.set_stamps("hw1", {"bob": stamp}) == 0


def pages(folder):
    """Return the pages of feedback in a folder, by their students."""
    return {path.parts[-3]: path.read_text() for path in folder.rglob("feedback.html")}


def test_a_page_is_written_for_each_who_handed_in(room, run, enrol):
    enrol("student,name,zone,hw1\nbob,Bob B,America/New_York,2\nzoe,Zoe,,\n")
    run("due", "2190-11-30T20:00", "--zone", "Europe/Berlin")
    assert f"3 pages below {room / 'out'}" in run("feedback", room / "out")
    found = pages(room / "out")
    assert set(found) == {"007", "bob", "eve"}
    assert "Bob B" in found["bob"]
    assert "by the clock of America/New_York" in found["bob"]
    assert "hand in again until 2190-12-02 at 20:00: it is graded anew" in found["bob"]
    assert "handed in on 2026-11-30 at 23:30 and graded on" in found["007"]
    assert "by the clock of Europe/Berlin" in found["007"]


def test_a_name_too_long_for_a_folder_keeps_nobody_from_a_page(book, room, run):
    for last in "ab":
        book.keep("hw1", readable("\x01" * 200 + last), "d", RIGHT, {})  # four letters for each
    run("feedback", room / "out")
    names = set(pages(room / "out"))
    assert {"007", "bob", "eve"} < names
    assert len(names) == 5


def test_the_class_is_summed_up_as_text_and_as_a_page(room, run):
    assert "2 graded, 1 ungraded" in run("summary", "--page", room / "class.html")
    assert "You squared it." in (room / "class.html").read_text()


def test_all_about_a_student_can_be_read_and_deleted(room, run):
    everything = json.loads(run("student", "bob", "--delete"))
    assert everything["answers"][0]["text"].startswith("Because;")
    assert "nothing is known of 'bob'" in run("student", "bob", code=1)
    assert b"squared it" not in (room / "grades.sqlite").read_bytes()


def test_what_is_not_there_is_told(room, run):
    assert "nobody is on the roster" in run("missing", code=1)
    (room / "grades.sqlite").unlink()
    assert "there is no" in run("missing", code=1)
    with Gradebook(room / "grades.sqlite"):
        pass
    assert "nothing is in" in run("totals", code=1)
    for action in (["summary"], ["feedback", room / "out"], ["written", room / "w.csv"]):
        assert "nothing of hw1 is in" in run(*action, code=1)
