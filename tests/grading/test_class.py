"""A class's folder: its settings are read by all commands, and what they cannot mean is told."""

import io
import json
import subprocess
import zipfile

import nbformat
import pytest

from course import BuildError
from course.grading import __main__ as command_line
from course.grading.answers import Written
from course.grading.book.__main__ import main as gradebook
from course.grading.book.gradebook import Gradebook
from course.grading.book.records import LATE
from course.grading.classroom.__main__ import main as make_class
from course.grading.classroom.settings import NAME, read
from course.grading.intake.record import Collected, collected, keep
from course.grading.judge import Mark
from tests.grading.toy import HONEST, hand_in, put_assignment

MARKS = [Mark("twice", 4, 4, "correct", ""), Mark("sums", 3, 3, "correct", "")]
SETTINGS = """\
source = "../hw"
zone = "Europe/Berlin"
per_day = 10
roster = "roster.csv"
[hw1]
due = "2026-11-30T20:00"
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A class's folder beside an assignment, in which we are; one handed in."""
    put_assignment(tmp_path / "hw")
    folder = tmp_path / "class"
    assert make_class([str(folder)]) == 0
    (folder / NAME).write_text(SETTINGS)
    (folder / "roster.csv").write_text("student,name\nada,Ada L\nzoe,Zoe\n")
    hand_in(folder / "submitted", "ada", *HONEST)
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def run(folder, capsys):
    """Return a function that runs a command in the class's folder; it gives both streams."""
    capsys.readouterr()

    def ran(main, *words, code=0):
        assert main([*map(str, words)]) == code
        return capsys.readouterr()

    return ran


@pytest.mark.needs("git")
def test_a_class_is_made_once_for_its_owner_alone_and_git_passes_it_over(tmp_path, capsys):
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    folder = tmp_path / "anything"
    assert make_class([str(folder), "--zone", "Europe/Berlin"]) == 0
    assert folder.stat().st_mode & 0o777 == 0o700
    (folder / "grades.sqlite").touch()
    status = ["git", "-C", tmp_path, "status", "--porcelain", "--untracked-files=all"]
    assert subprocess.run(status, capture_output=True, check=True).stdout == b""
    assert read(folder).of("hw1", "zone") == "Europe/Berlin"
    assert read(folder).policy("hw1") is None
    assert make_class([str(folder)]) == 1
    assert "is a class's folder already" in capsys.readouterr().err
    assert make_class([str(tmp_path / "b"), "--zone", "Mars"]) == 1


MOODLES = """\
Identifier,Full name,ID number,Email address,Grade
Participant 11,Ada Lovelace,100,ada@a.edu,
Participant 12,Sam Lee,101,sam@a.edu,
Participant 13,Sam Lee,102,Sam@b.edu,
"""
CANVASES = """\
Student,ID,SIS User ID,SIS Login ID,Section,A toy (12)
,,,,,Manual Posting
    Points Possible,,,,,10
"Lovelace, Ada",512,100,ada,S,
"Student, Test",9,,x,S,
"""


@pytest.mark.parametrize(
    ("table", "rows"),
    [
        (MOODLES, ["ada,Ada Lovelace,100", "Sam Lee 101,Sam Lee,101", "Sam Lee 102,Sam Lee,102"]),
        (CANVASES, ["ada,Ada Lovelace,512"]),
        ("First name,Last name,Email address\nAda,Lovelace,ada@a.edu\n",
         ["ada,Ada Lovelace,ada@a.edu"]),
        ("Full name,Email address,Groups\nAda L,ada@a.edu,Team 3\nBob B,bob@a.edu,Default group\n",
         ["ada,Ada L,ada@a.edu,Team 3", "bob,Bob B,bob@a.edu,"]),
    ],
)  # fmt: skip
def test_a_platforms_table_becomes_the_roster(tmp_path, capsys, table, rows):
    (tmp_path / "t.csv").write_text(table)
    assert make_class([str(tmp_path / "class"), "--roster", str(tmp_path / "t.csv")]) == 0
    made = (tmp_path / "class" / "roster.csv").read_text("utf-8-sig").splitlines()
    is_in_teams = "Team 3" in table
    assert made == ["student,name,id" + ",team" * is_in_teams, *rows]
    said = capsys.readouterr().out
    assert "collect hw1 DOWNLOAD --worksheet CSV" in said
    assert ("groups are the roster's teams" in said) == is_in_teams


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("zone = Berlin", "Invalid value"),
        ("per_dai = 5", "'per_dai' is no setting; there are: "),
        ("[hw1]\nroster = 'x'", "[hw1] 'roster' is no setting"),
        ("per_day = 'ten'", "per_day = 'ten' is no int or float"),
        ("[hw2]\nper_day = 200", "a day costs 0 to 100 percent"),
        ("grace = -1", "0 minutes of grace or more"),
        ("take = 'best'", "last or first is possible"),
        ("zone = 'Mars'", "'Mars' is no time zone"),
        ("[hw1]\ndue = '2026-11-30'", "is no day and time without a zone"),
        ("[hw1]\ndue = 2026-11-30T20:00:00Z", "is no day and time without a zone"),
    ],
)
def test_settings_that_cannot_be_meant_are_told(folder, text, told):
    (folder / NAME).write_text(text)
    with pytest.raises(BuildError, match=NAME) as caught:
        read(folder)
    assert told in str(caught.value)


@pytest.mark.usefixtures("unsealed")
def test_in_a_class_no_command_has_to_be_told_what_its_settings_say(folder, run):
    said = run(command_line.main, "hw1", "--jobs", "1")
    assert "roster: 2 students\n" in said.err
    assert "hw1: due 2026-11-30 20:00 (Europe/Berlin); each day that has begun" in said.err
    assert "1 graded, 1 missing" in said.out
    assert run(gradebook, "missing", "hw1").out == "zoe Zoe\n"
    run(gradebook, "feedback", "hw1")
    assert (folder / "feedback" / "ada" / "hw1" / "feedback.html").is_file()
    run(gradebook, "written", "hw1", "w.csv")
    assert (folder / "w.csv").is_file()
    said = run(gradebook, "due", "hw1", "2026-12-01T20:00", code=1).err
    assert "hw1's deadline stands in" in said
    (folder / "roster.csv").write_text("student\nada\n")
    assert "roster: no longer there: zoe" in run(gradebook, "students", "hw1").err


@pytest.mark.usefixtures("unsealed")
def test_a_class_may_be_named_from_anywhere(folder, run, monkeypatch):
    monkeypatch.chdir(folder.parent)
    run(command_line.main, "hw1", folder, "--jobs", "1")
    assert "zoe" in run(gradebook, "missing", folder, "hw1").out
    assert "name the gradebook" in run(command_line.main, "hw1", folder / "submitted", code=1).err


@pytest.mark.usefixtures("unsealed")
def test_a_time_is_that_of_the_record_and_of_what_was_collected(folder, run):
    (folder / "submitted" / "ada" / "hw1" / "timestamp.txt").write_text("2026-11-01 10:00 UTC")
    run(command_line.main, "hw1", "--jobs", "1")
    with Gradebook(folder / "grades.sqlite") as book:
        assert book.submitted("hw1") == {"ada": ""}
        content = book.last("hw1")["ada"].content
    time = "2026-12-01T10:00:00+00:00"
    keep(folder, "hw1", {"ada": Collected(content, time)})
    assert "1 of them with another time than before" in run(command_line.main, "hw1").err
    with Gradebook(folder / "grades.sqlite") as book:
        assert book.submitted("hw1") == {"ada": time}
    hand_in(folder / "submitted", "ada", *HONEST, answer="Put there by hand.")
    run(command_line.main, "hw1", "--jobs", "1")
    with Gradebook(folder / "grades.sqlite") as book:
        assert book.submitted("hw1") == {"ada": ""}
    (folder / "collected" / "hw1.json").write_text("[")
    assert "`course collect` writes it anew" in run(command_line.main, "hw1", code=1).err


@pytest.mark.usefixtures("unsealed")
def test_what_is_there_anew_beside_or_no_more_is_told(folder, run):
    run(command_line.main, "hw1", "--jobs", "1")
    hand_in(folder / "submitted", "ada", *HONEST, name="mine.ipynb")
    said = run(command_line.main, "hw1", "--jobs", "1").err
    assert "ada: beside what is graded lies mine.ipynb; it is not read" in said
    hand_in(folder / "submitted", "ada", *HONEST, answer="Something else.")
    hand_in(folder / "submitted", "zoe", *HONEST)
    said = run(command_line.main, "hw1", "--jobs", "1").err
    assert "handed in anew, so graded anew: ada\n" in said
    for path in (folder / "submitted" / "zoe" / "hw1").iterdir():
        path.unlink()
    (folder / "submitted" / "zoe" / "hw1").rmdir()
    said = run(command_line.main, "hw1", "--jobs", "1").err
    assert "no folder of theirs is there now: zoe; their marks stay" in said


def test_options_stand_before_between_and_behind(folder, run, monkeypatch):
    monkeypatch.chdir(folder.parent)
    with Gradebook(folder / "g.sqlite") as book:
        book.keep("hw1", "ada", "d", [Mark("twice", 4, 4, "correct", "")], {})
    for words in (
        ("class/g.sqlite", "hw1", "--zone", "UTC", "2026-12-01T10:00", "--source", "hw"),
        ("class/g.sqlite", "hw1", "--source", "hw", "2026-12-01T10:00", "--zone", "UTC"),
        ("--source", "hw", "class/g.sqlite", "--zone", "UTC", "hw1", "2026-12-01T10:00"),
    ):
        assert "due 2026-12-01 10:00 (UTC)" in run(gradebook, "due", *words).out
        run(gradebook, "due", "class/g.sqlite", "hw1", "--never")


@pytest.mark.usefixtures("unsealed")
def test_who_leaves_is_deleted_with_all_files_and_the_rosters_line_is_told(folder, run):
    run(command_line.main, "hw1", "--jobs", "1")
    run(gradebook, "feedback", "hw1")
    keep(folder, "hw1", {"ada": Collected("d"), "zoe": Collected("e")})
    said = run(gradebook, "student", "ada", "--delete")
    assert json.loads(said.out)["marks"]
    assert f"Their line in {folder / 'roster.csv'} brings them back" in said.err
    assert not [path for path in folder.rglob("*") if path.name == "ada"]
    assert [*collected(folder, "hw1")] == ["zoe"]


def test_a_gradebook_that_cannot_be_written_is_noticed_before_anything_is_graded(
    folder, run, monkeypatch
):
    Gradebook(folder / "grades.sqlite").__exit__()
    opened = Gradebook.__enter__

    def locked(book):
        book._do("PRAGMA query_only = ON")
        return opened(book)

    monkeypatch.setattr(Gradebook, "__enter__", locked)
    monkeypatch.setattr(command_line, "Image", lambda: pytest.fail("it went on"))
    said = run(command_line.main, "hw1", code=1).err
    assert "cannot be written: attempt to write a readonly database" in said


# Back to the platform


@pytest.fixture
def returned(folder, run):
    """Return a function that packs the pages of a class for a platform; it gives zip and words."""
    with Gradebook(folder / "grades.sqlite") as book:
        for student in ("ada", "bob", "cem"):
            book.keep("hw1", student, "d", MARKS, {"why": Written("Because.")})

    def pack(platform, **places):
        known = {who: Collected("d", "", platform, place) for who, place in places.items()}
        keep(folder, "hw1", known)
        said = run(gradebook, "feedback", "hw1", "--zip", platform).out
        with zipfile.ZipFile(folder / "feedback" / f"hw1-{platform}.zip") as archive:
            found = {name: archive.read(name) for name in archive.namelist()}
        return {
            who: page if page[:2] == b"PK" else page.decode() for who, page in found.items()
        }, said

    return pack


def test_moodle_finds_a_page_by_the_folder_of_its_own_download(folder, returned):
    place = "Ada Lovelace_11_assignsubmission_file_"
    found, said = returned("moodle", ada=place, bob="")
    assert list(found) == [f"{place}/feedback.html"]
    name, number, *plugin = place.split("_", 4)  # as Moodle's own reader takes it apart
    assert (name, number, plugin) == ("Ada Lovelace", "11", ["assignsubmission", "file", ""])
    page = (folder / "feedback" / "ada" / "hw1" / "feedback.html").read_text()
    assert found[f"{place}/feedback.html"] == page
    assert "1 of them in" in said
    assert "not in it, for moodle has no name for them alone: bob, cem" in said


def test_canvas_finds_a_page_by_the_name_of_what_was_handed_in_and_it_is_a_notebook(returned):
    place, team = "lovelaceada_LATE_512_9931_hw1_toy-2.ipynb", "team3_7_8_hw1_toy.ipynb"
    found, said = returned("canvas", ada=place, bob=team, cem=team)
    assert list(found) == [place]
    assert [part for part in place.split("_") if part.isdecimal()][:2] == ["512", "9931"]
    made = nbformat.reads(found[place], 4)
    nbformat.validate(made)
    shown = made.cells[0].outputs[0]["data"]["text/html"]
    assert "4 of 4" in shown
    assert "<svg" not in shown
    assert "for them alone: bob, cem" in said


def test_canvas_gets_under_each_name_what_the_name_says(folder, returned):
    place = "ada_512_9931_Work.ZIP"
    found, said = returned("canvas", ada=place, bob="bob_513_9932_paper.pdf")
    assert list(found) == [place]
    with zipfile.ZipFile(io.BytesIO(found[place])) as archive:
        page = (folder / "feedback" / "ada" / "hw1" / "feedback.html").read_bytes()
        assert archive.read("feedback.html") == page
    assert "for them alone: bob, cem" in said


def test_what_canvas_calls_late_is_said_until_a_time_is_known(folder, run):
    def grade():
        with Gradebook(folder / "grades.sqlite") as book:
            book.keep("hw1", "ada", "d", MARKS, {"why": Written("Because.")}, content="c")

    grade()
    keep(folder, "hw1", {"ada": Collected("c", platform="canvas", late=True)})
    words = "late, says Canvas, and not when"
    assert words in run(gradebook, "students", "hw1").out
    grade()  # anew: what the platform says of it stays, for the summary behind it
    with Gradebook(folder / "grades.sqlite") as book:
        assert [*book.looks("hw1", LATE)] == ["ada"]
    run(gradebook, "feedback", "hw1")
    assert f"1 {words}" in run(gradebook, "summary", "hw1").out
    page = (folder / "feedback" / "ada" / "hw1" / "feedback.html").read_text()
    assert "Canvas calls this late, and does not say when it came" in page
    (folder / "times.csv").write_text("student,submitted\nada,2026-11-30 19:30\n")
    run(gradebook, "times", "hw1", "times.csv")
    assert "late" not in run(gradebook, "students", "hw1").out  # 19:30 in Berlin, due at 20:00


def test_points_find_their_row_by_what_was_collected(folder, returned, run):
    """Moodle numbers participants anew for each assignment, so no roster has these numbers."""
    returned("moodle", ada="A Name_11_assignsubmission_file_")
    (folder / "m.csv").write_text(
        "Identifier,Full name,Grade,Maximum grade,Last modified (grade)\n"
        "Participant 11,Somebody,,10.00,-\nParticipant 12,Other,,10.00,-\n"
    )
    run(gradebook, "export", "hw1", "out.csv", "--to", "moodle", "--into", "m.csv")
    assert "Participant 11,Somebody,7,10.00,-" in (folder / "out.csv").read_text("utf-8-sig")
    (folder / "m.csv").write_text((folder / "m.csv").read_text().replace("10.00", "100.00"))
    words = ("hw1", "out.csv", "--to", "moodle", "--into", "m.csv")
    assert "for 100 points" in run(gradebook, "export", *words, code=1).err


def test_nbgraders_table_has_the_columns_of_nbgraders_own_export(folder, returned, run):
    returned("moodle")
    run(gradebook, "export", "hw1", "out.csv", "--to", "nbgrader")
    names, ada, *_ = (folder / "out.csv").read_text("utf-8-sig").splitlines()
    assert names == (
        "assignment,duedate,timestamp,student_id,last_name,first_name,email,raw_score,"
        "late_submission_penalty,score,max_score"
    )
    assert ada == "hw1,2026-11-30 20:00:00,,ada,Ada L,,,7,0,7,10"
