"""What a teacher does with a gradebook: roster, deadline, written answers, exports, pages."""

import csv
import json
import re
from datetime import UTC, datetime, timedelta

import pytest

from course import BuildError
from course.grading.answers import Written
from course.grading.book.__main__ import main
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


def run(room, action, *options, code=0):
    book = [str(room / "grades.sqlite")]
    of = [] if action in ("roster", "student") else ["hw1"]
    source = ["--source", str(room / "hw")] if of else []
    assert main([action, *book, *of, *map(str, options), *source]) == code


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
    write_table(tmp_path / "a.csv", ["one", "two"], rows)
    assert [list(row.values()) for row in read_table(tmp_path / "a.csv", ["one"])] == rows


def test_a_column_that_is_not_there_is_told(tmp_path):
    (tmp_path / "a.csv").write_text("name,points\n")
    with pytest.raises(BuildError, match="there is no column 'student', but: name, points"):
        read_table(tmp_path / "a.csv", ["student"])


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


def test_a_written_answer_goes_out_and_its_points_come_back(room, capsys):
    out = room / "written.csv"
    run(room, "written", out)
    rows = table(out)
    assert [row["student"] for row in rows] == ["007", "bob"]
    assert rows[0]["answer"] == "'=1+1"
    assert rows[1]["answer"] == 'Because;\nof "x".'
    assert rows[0]["rubric"] == "Because."
    rows[0] |= {"points": "2,5", "comment": "good"}
    rows[1] |= {"points": "", "comment": "later"}
    with out.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0], delimiter=";")
        writer.writeheader()
        writer.writerows(rows)
    run(room, "mark", out)
    assert "1 answer marked" in capsys.readouterr().out
    with Gradebook(room / "grades.sqlite") as book:
        (answer,) = book.answers("hw1")["007"]
        assert (answer.points, answer.comment) == (2.5, "good")
        book.keep("hw1", "007", "d2", RIGHT, {"why": Written("Something else.")})
    run(room, "mark", out)
    assert "left as they were, for the answer has changed since: 007" in capsys.readouterr().out
    with Gradebook(room / "grades.sqlite") as book:
        assert book.answers("hw1")["007"][0].points is None
        history = [row["what"] for row in book.of_student("007")["history"]]
    assert "why changed; the old answer had 2.5 points: good" in history


def test_points_for_a_function_by_hand_and_back(room, capsys):
    def mark(points):
        rows = [("bob", "twice", points, "=nearly", "")]
        write_table(room / "m.csv", ["student", "question", "points", "comment", "digest"], rows)
        run(room, "mark", room / "m.csv")
        with Gradebook(room / "grades.sqlite") as book:
            return book.marks("hw1")["bob"][0]

    assert mark("3.5") == Mark("twice", 3.5, 4, "by hand", "=nearly", "squared")
    assert "0 answers marked, 1 function by hand" in capsys.readouterr().out
    run(room, "export", room / "n.csv", "--to", "nbgrader")
    assert [row["raw_score"] for row in table(room / "n.csv")] == ["7", "6.5", ""]
    write_table(room / "m.csv", ["student", "question", "points"], [("bob", "twice", "3")])
    run(room, "mark", room / "m.csv")
    with Gradebook(room / "grades.sqlite") as book:
        assert book.marks("hw1")["bob"][0].reason == "=nearly"  # no column, no other comment
    capsys.readouterr()
    assert mark("auto") == WRONG[0]
    said = capsys.readouterr().out
    assert said == "0 answers marked, 0 functions by hand, 1 as the grader found them\n"


def test_what_was_filled_in_and_not_handed_back_survives_another_table(room, capsys):
    run(room, "written", room / "w.csv")
    rows = table(room / "w.csv")
    rows[0] |= {"points": "2", "comment": "an hour's work"}
    names = [*rows[0]]
    write_table(room / "w.csv", names, [row.values() for row in rows])
    with Gradebook(room / "grades.sqlite") as book:
        book.keep("hw1", "zoe", "d", RIGHT, {"why": Written("Late, but here.")})
    run(room, "written", room / "w.csv")
    assert "1 as filled in in" in capsys.readouterr().out
    assert [row["points"] for row in table(room / "w.csv")] == ["2", "", ""]
    assert table(room / "w.csv")[0]["comment"] == "an hour's work"
    (room / "other.csv").write_text("what,ever\n")
    run(room, "written", room / "other.csv", code=1)
    assert "there is no column 'student'" in capsys.readouterr().err


def test_where_nothing_was_written_nobody_is_waited_for(room):
    with Gradebook(room / "grades.sqlite") as book:
        book.keep("hw1", "zoe", "d", RIGHT, {"why": Written(is_as_handed_out=True)})
        assert [(one.points, one.comment) for one in book.answers("hw1")["zoe"]] == [
            (0.0, "Nothing was written here.")
        ]
        book.keep("hw1", "zoe", "d2", RIGHT, {"why": Written("Because.")})
        assert book.answers("hw1")["zoe"][0].points is None


def test_an_answer_without_its_digest_is_refused(room, capsys):
    write_table(room / "m.csv", ["student", "question", "points"], [("bob", "why", "1")])
    run(room, "mark", room / "m.csv", code=1)
    assert "there is no column 'digest'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"question": "twice", "points": "5"}, "007 has 5 points of 4"),
        ({"points": "9"}, "007 has 9 points of 3"),
        ({"points": "many"}, "'many' of 007 is no number"),
        ({"student": "mallory", "points": "1"}, "mallory handed in nothing of hw1"),
        ({"student": "eve", "points": "1"}, "eve could not be graded"),
        ({"question": "thrice", "points": "1"}, "no question and no function 'thrice'"),
    ],
)
def test_points_that_cannot_be_are_refused_and_nothing_is_changed(room, capsys, change, told):
    run(room, "written", room / "w.csv")
    rows = table(room / "w.csv")
    rows[1]["points"] = "1"
    rows[0] |= change
    with (room / "w.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows[::-1])
    run(room, "mark", room / "w.csv", code=1)
    assert told in capsys.readouterr().err
    with Gradebook(room / "grades.sqlite") as book:
        assert {a.points for answers in book.answers("hw1").values() for a in answers} == {None}


def test_the_roster_finds_who_is_missing_and_who_has_more_time(room, capsys):
    (room / "roster.csv").write_text(
        "Student;Name;ID;Zone;hw1\n007;Ada L;0042;;\nbob;Bob;43;America/New_York;2\nzoe;Zoë;44;;\n",
        encoding="utf-8",
    )
    run(room, "roster", room / "roster.csv")
    assert "3 students" in (said := capsys.readouterr().out)
    assert "more time for hw1: bob" in said
    assert "handed in, but not here: eve" in said
    run(room, "missing")
    assert capsys.readouterr().out == "zoe Zoë\n"
    run(room, "due", "2026-11-30T20:00", "--zone", "UTC", "--per-day", 10)
    assert "due 2026-11-30 20:00 (UTC); each day that has begun costs 10 %" in (
        capsys.readouterr().out
    )
    run(room, "export", room / "c.csv", "--to", "canvas")
    said = capsys.readouterr().out
    assert "2 graded, 1 ungraded and 1 missing: their cells are left empty, not 0" in said
    found = {row["SIS Login ID"]: row for row in table(room / "c.csv")}
    assert found["007"]["ID"] == "0042"
    assert found["007"]["A toy"] == "6.3"  # 7, and a day late
    assert found["bob"]["A toy"] == "3"  # nobody knows when
    assert (found["eve"]["A toy"], found["zoe"]["A toy"]) == ("", "")
    for to in ("moodle", "nbgrader"):
        run(room, "export", room / f"{to}.csv", "--to", to)
        assert len(table(room / f"{to}.csv")) == 4
    run(room, "students")
    assert capsys.readouterr().out.splitlines()[-4:] == [
        "007     6.3 of 10  Ada L; 1 day late; an answer is to be read",
        "bob       3 of 10  Bob; handed in nobody knows when; an answer is to be read",
        "eve   ungraded     it is not JSON; not on the roster",
        "zoe    missing     Zoë",
    ]
    (room / "roster.csv").write_text("student\n007\nmax\n")
    run(room, "roster", room / "roster.csv")
    said = capsys.readouterr().out
    assert "new: max\nno longer there: bob, zoe\n" in said
    assert "more time" not in said
    with Gradebook(room / "grades.sqlite") as book:
        assert book.extensions("hw1") == {"bob": 2.0}  # there was no column that said otherwise
    (room / "roster.csv").write_text("student,hw1\n007,1\nbob,\n")
    run(room, "roster", room / "roster.csv")
    assert "more time for hw1: 007\nno more time for hw1: bob\n" in capsys.readouterr().out


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


def test_a_platforms_own_table_is_filled_in_and_nothing_else_is_changed(room, capsys):
    (room / "roster.csv").write_text("student,id\n007,41\nbob,Participant 42\nzoe,43\n")
    run(room, "roster", room / "roster.csv")
    (room / "due.csv").write_text(MOODLES, encoding="utf-8-sig")
    run(room, "export", room / "m.csv", "--to", "moodle", "--into", room / "due.csv")
    assert "2 rows filled in" in (said := capsys.readouterr().out)
    assert "not in" not in said
    wanted = MOODLES.replace("Submitted,,", "Submitted,7,").replace("5.00", "3")
    assert (room / "m.csv").read_text("utf-8-sig").split() == wanted.replace('"', "").split()
    (room / "due.csv").write_text(CANVASES)
    run(room, "export", room / "c.csv", "--to", "canvas", "--into", room / "due.csv")
    found = {row["SIS Login ID"]: row for row in table(room / "c.csv")}
    assert [found[who]["A toy (12)"] for who in ("", "007", "bob")] == ["10", "7", "3"]
    assert [found[who]["Final Score"] for who in ("", "007", "bob")] == ["(read only)", "90", "80"]
    (room / "due.csv").write_text(CANVASES.replace("A toy (12)", "Toys"))
    run(room, "export", room / "c.csv", "--to", "canvas", "--into", room / "due.csv", code=1)
    assert "Say which with --column" in capsys.readouterr().err
    where = ("--into", room / "due.csv", "--column", "Toys")
    run(room, "export", room / "c.csv", "--to", "canvas", *where)
    (room / "due.csv").write_text(CANVASES.replace("007", "max"))
    run(room, "export", room / "c.csv", "--to", "canvas", "--into", room / "due.csv")
    assert f"not in {room / 'due.csv'}: 007\nthere, but not here: L, Ada 71\n" in (
        capsys.readouterr().out
    )


def fill_in(room, text, *options, to="canvas", code=0):
    (room / "theirs.csv").write_text(text)
    where = ("--into", room / "theirs.csv", *options)
    run(room, "export", room / "filled.csv", "--to", to, *where, code=code)
    return table(room / "filled.csv") if code == 0 else []


def test_a_column_that_only_begins_alike_is_another(room, capsys):
    fill_in(room, CANVASES.replace("A toy (12)", "A toy 2 (12)"), code=1)
    fill_in(room, CANVASES.replace("A toy (12)", "hw10"), code=1)
    fill_in(room, CANVASES, "--column", "Oth", code=1)
    assert capsys.readouterr().err.count("0 columns may be that of the points") == 3
    both = CANVASES.replace("Other (11)", "A toy 2 (11)")
    assert fill_in(room, both)[1]["A toy (12)"] == "7"


def test_points_go_to_nobody_who_is_only_called_alike(room, capsys):
    (room / "roster.csv").write_text("student,name,id\n007,Sam Lee,41\nbob,Sam Lee,\neve,Eve,\n")
    run(room, "roster", room / "roster.csv")
    theirs = MOODLES.replace("Participant 41,Ada L", "Participant 99,Sam Lee")
    fill_in(room, theirs, to="moodle", code=1)  # bob and 007 share a name, and 007 has an id
    assert "no row is of anybody here" in capsys.readouterr().err
    (room / "roster.csv").write_text("student,name,id\n007,Sam Lee,41\nbob,Max,\n")
    run(room, "roster", room / "roster.csv")
    assert [row["Grade"] for row in fill_in(room, theirs, to="moodle")] == ["", "5.00", "3"]
    (room / "roster.csv").write_text("student,id\n007,41\nbob,41\n")
    run(room, "roster", room / "roster.csv", code=1)
    assert "41 is there twice" in capsys.readouterr().err


def test_another_maximum_is_refused_or_converted(room, capsys):
    (room / "roster.csv").write_text("student,id\n007,41\n")
    run(room, "roster", room / "roster.csv")
    fill_in(room, MOODLES.replace("10.00", "100.00"), to="moodle", code=1)
    assert "its column is for 100 points, and there are 10 here" in capsys.readouterr().err
    found = fill_in(
        room, MOODLES.replace("10.00", "100,00".replace(",", ".")), "--scale", to="moodle"
    )
    assert found[0]["Grade"] == "70"
    fill_in(room, CANVASES.replace("5,10,", "5,25,"), code=1)
    assert "is for 25 points" in capsys.readouterr().err
    assert fill_in(room, CANVASES.replace("5,10,", "5,25,"), "--scale")[1]["A toy (12)"] == "17.5"


def test_moodle_hears_why_somebody_has_no_points(room):
    (room / "roster.csv").write_text("student,id\neve,43\n")
    run(room, "roster", room / "roster.csv")
    last = fill_in(room, MOODLES, to="moodle")[-1]
    assert (last["Grade"], last["Feedback comments"]) == ("", "Not graded: it is not JSON.")


def test_a_platforms_own_table_is_not_written_over(room, capsys):
    (room / "t.csv").write_text(CANVASES)
    run(room, "export", room / "t.csv", "--to", "canvas", "--into", room / "t.csv", code=1)
    assert "name another file to write" in capsys.readouterr().err
    assert (room / "t.csv").read_text() == CANVASES


def test_a_deadline_can_be_seen_and_taken_back(room, capsys):
    run(room, "due")
    run(room, "due", "2026-11-30T20:00", "--per-day", 5, "--grace", 15)
    run(room, "due")
    run(room, "due", "--never")
    said = capsys.readouterr().out.splitlines()
    assert said[0] == said[3] == "hw1: no deadline"
    assert said[1] == said[2]
    assert said[1].endswith("costs 5 % of the points earned, after 15 minutes of grace")


def test_of_a_deadline_what_is_not_said_anew_stays(room, capsys):
    run(room, "due", "--per-day", 5, code=1)
    assert "say when it is due, too" in capsys.readouterr().err
    zone = ("--zone", "Europe/Berlin")
    run(room, "due", "2026-11-30T20:00", *zone, "--per-day", 5, "--grace", 15)
    run(room, "due", "2026-12-01T20:00", "--per-day", 7)
    assert capsys.readouterr().out.splitlines()[-1] == (
        "hw1: due 2026-12-01 20:00 (Europe/Berlin); each day that has begun costs 7 % of the "
        "points earned, after 15 minutes of grace"
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
def test_a_deadline_that_is_none_is_refused(room, capsys, words, told):
    run(room, "due", *words, code=1)
    assert told in capsys.readouterr().err
    run(room, "due")
    assert "no deadline" in capsys.readouterr().out


def test_what_cannot_be_written_is_told_in_a_line(room, capsys):
    run(room, "export", room / "none" / "m.csv", "--to", "moodle", code=1)
    run(room, "feedback", room / "grades.sqlite" / "out", code=1)
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 2
    assert all(line.startswith("error: ") for line in said)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("name\nx\n", "there is no column 'student'"),
        ("student\nx\nx\n", "x is there twice"),
        ("student,zone\nx,Mars/Dome\n", "'Mars/Dome' is no time zone"),
        ("student,hw1\nx,soon\n", "'soon' of x is no number"),
    ],
)
def test_a_roster_that_cannot_be_read_is_told(room, capsys, text, told):
    (room / "r.csv").write_text(text)
    run(room, "roster", room / "r.csv", code=1)
    assert told in capsys.readouterr().err


def test_times_come_from_a_table_where_nbgrader_wrote_none(room, capsys):
    (room / "t.csv").write_text("student,submitted\nbob,2026-12-01 10:00\nmax,2026-12-01 10:00\n")
    run(room, "times", room / "t.csv")
    assert "1 time\nleft out, for nothing of theirs was graded: max" in capsys.readouterr().out
    with Gradebook(room / "grades.sqlite") as book:
        assert book.submitted("hw1")["bob"] == "2026-12-01T10:00:00+00:00"
    (room / "t.csv").write_text("student,submitted\nbob,noon\n")
    run(room, "times", room / "t.csv", code=1)
    assert "'noon' of bob is no time" in capsys.readouterr().err


def test_a_time_that_a_person_gave_holds_until_something_else_is_handed_in(room):
    (room / "t.csv").write_text("student,submitted\nbob,2026-12-01 10:00\n")
    run(room, "times", room / "t.csv")
    given, stamp = "2026-12-01T10:00:00+00:00", "2026-11-01T10:00:00+00:00"
    with Gradebook(room / "grades.sqlite") as book:
        book.keep("hw1", "bob", "asked otherwise", WRONG, {})
        assert book.submitted("hw1")["bob"] == given
        assert book.set_stamps("hw1", {"bob": stamp, "007": "", "nobody": stamp}) == 1
        assert book.submitted("hw1")["bob"] == given
        book.keep("hw1", "bob", "d", WRONG, {}, content="another")
        assert book.submitted("hw1")["bob"] == ""
        book.set_stamps("hw1", {"bob": stamp})
        assert book.submitted("hw1")["bob"] == stamp
        assert book.set_stamps("hw1", {"bob": stamp}) == 0


def test_a_page_is_written_for_each_who_handed_in(room, capsys):
    (room / "roster.csv").write_text("student,name\nbob,Bob B\nzoe,Zoe\n")
    run(room, "roster", room / "roster.csv")
    run(room, "feedback", room / "out")
    pages = {p.parts[-3]: p.read_text() for p in (room / "out").rglob("feedback.html")}
    assert set(pages) == {"007", "bob", "eve"}
    assert "Bob B" in pages["bob"]
    assert f"3 pages below {room / 'out'}" in capsys.readouterr().out


def test_a_name_too_long_for_a_folder_keeps_nobody_from_a_page(room):
    long = [readable("\x01" * 200 + last) for last in "ab"]  # four letters for each
    with Gradebook(room / "grades.sqlite") as book:
        for student in long:
            book.keep("hw1", student, "d", RIGHT, {})
    run(room, "feedback", room / "out")
    names = {path.parts[-3] for path in (room / "out").rglob("feedback.html")}
    assert {"007", "bob", "eve"} < names
    assert len(names) == 5


def test_the_class_is_summed_up_as_text_and_as_a_page(room, capsys):
    run(room, "summary", "--page", room / "class.html")
    assert "2 graded, 1 ungraded" in capsys.readouterr().out
    assert "You squared it." in (room / "class.html").read_text()


def test_all_about_a_student_can_be_read_and_deleted(room, capsys):
    run(room, "student", "bob", "--delete")
    everything = json.loads(capsys.readouterr().out)
    assert everything["answers"][0]["text"].startswith("Because;")
    run(room, "student", "bob", code=1)
    assert "nothing is known of 'bob'" in capsys.readouterr().err
    assert b"squared it" not in (room / "grades.sqlite").read_bytes()


def test_what_is_not_there_is_told(room, capsys):
    assert main(["missing", str(room / "none.sqlite"), "hw1"]) == 1
    assert "there is no" in capsys.readouterr().err
    run(room, "missing", code=1)
    assert "nobody is on the roster" in capsys.readouterr().err
    with Gradebook(room / "empty.sqlite"):
        pass
    (room / "grades.sqlite").unlink()
    (room / "empty.sqlite").rename(room / "grades.sqlite")
    for action in (["summary"], ["feedback", room / "out"], ["written", room / "w.csv"]):
        run(room, *action, code=1)
        assert "nothing of hw1 is in" in capsys.readouterr().err
