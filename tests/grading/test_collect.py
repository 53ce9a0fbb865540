"""What platforms give to download becomes a class's folder, and each file's fate is told."""

import io
import json
import re
import zipfile
from hashlib import sha256

import pytest

from course.grading.book.gradebook import Gradebook
from course.grading.classroom.__main__ import main as make_class
from course.grading.classroom.settings import NAME
from course.grading.intake import opening
from course.grading.intake.__main__ import main as collect_command
from course.grading.intake.downloads import MOST_OF_ONE
from course.grading.intake.names import named
from course.grading.intake.record import collected
from tests.grading.toy import HONEST, notebook, put_assignment

ROSTER = """\
student,name,id,team
ada,Ada Lovelace,100,
bob,Bob B,101,
cem,Cem C,512,
tom,Tom T,102,Team 3
tia,Tia T,103,Team 3
lee,Sam Lee,104,
sam,Sam Lee,105,
"""
WORKSHEET = """\
Identifier,Full name,ID number,Grade,Maximum grade,Last modified (submission)
Participant 11,Ada Lovelace,100,,10.00,"Monday, 30 November 2026, 11:30 PM"
Participant 12,Bob B,101,,10.00,"Tuesday, December 1, 2026, 9:00 AM"
Participant 18,Sam Lee,105,,10.00,"Montag, 30. November 2026"
"""


def zipped(*files):
    """Make a zip of pairs of a name, or its description, and what is in it."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files:
            archive.writestr(name, data)
    return made.getvalue()


def book(answer):
    return notebook(*HONEST, answer=answer)


def moodle(who, number, file="hw1_toy.ipynb"):
    return f"{who}_{number}_assignsubmission_file_/{file}"


@pytest.fixture
def room(tmp_path, monkeypatch, capsys):
    """A folder with an assignment and a class's folder, in which we are."""
    put_assignment(tmp_path / "hw")
    assert make_class([str(tmp_path / "class"), "--zone", "Europe/Berlin"]) == 0
    settings = tmp_path / "class" / NAME
    text = settings.read_text().replace('# source = "../assignments"', 'source = "../hw"')
    settings.write_text(text)
    (tmp_path / "class" / "roster.csv").write_text(ROSTER)
    monkeypatch.chdir(tmp_path / "class")
    capsys.readouterr()
    return tmp_path


@pytest.fixture
def collect(room, capsys):
    """Return a function that collects downloads, of bytes or folders, and gives what is said."""

    def run(*downloads, options=(), code=0):
        paths = []
        for n, data in enumerate(downloads):
            paths.append(room / f"d{n}.zip" if isinstance(data, bytes) else data)
            if isinstance(data, bytes):
                paths[-1].write_bytes(data)
        assert collect_command(["hw1", *map(str, paths), *map(str, options)]) == code
        said = capsys.readouterr()
        return said.err if code else said.out

    return run


@pytest.fixture
def laid(room):
    """Return a function that tells what is laid out: the answer in each student's notebook."""

    def look():
        found = {}
        for path in sorted((room / "class" / "submitted").rglob("*")):
            if path.is_file():
                who, _, name = path.relative_to(room / "class" / "submitted").parts
                answer = json.loads(path.read_text())["cells"][-1]["source"]
                found[who, name] = answer
        return found

    return look


NB = "hw1_toy.ipynb"


@pytest.mark.parametrize(
    ("path", "who"),
    [
        (moodle("Ada Lovelace", 11), ("moodle", "Ada Lovelace", "11", NB)),
        (f"Ada Lovelace_11_assignsubmission_file/d/{NB}", ("moodle", "Ada Lovelace", "11", NB)),
        (f"Ada Lovelace_11_assignsubmission_file_{NB}", ("moodle", "Ada Lovelace", "11", NB)),
        (f"Default group_assignsubmission_file_/{NB}", ("moodle", "Default group", "", NB)),
        (f"lovelaceada_512_9931_{NB}", ("canvas", "lovelaceada", "512", NB)),
        ("ab_LATE_512_9931_a_1_2_b-3.ipynb", ("canvas", "ab", "512", "a_1_2_b-3.ipynb")),
        (f"LATE_anon_ab12C_3_{NB}", ("canvas", "anon_ab12C", "anon_ab12C", NB)),
        (f"a+b+hw1+2026-11-30 22:10:00.000001 UTC+Zm9v/{NB}", ("nbgrader", "a+b", "", NB)),
        (f"submitted/ada/hw1/{NB}", ("nbgrader", "ada", "", NB)),
        (f"ada/hw1/Bob B_12_assignsubmission_file_{NB}", ("nbgrader", "ada", "", None)),
        (f"ada/hw1/bob_101_9_{NB}", ("nbgrader", "ada", "", None)),  # whose file that is, he says
        (f"ada/hw7/Bob B_12_assignsubmission_file_{NB}", ("nbgrader", "ada", "", None)),
    ],
)  # fmt: skip
def test_a_platforms_name_says_whose_it_is(path, who):
    one = named(path, "hw1")
    platform, name, ident, inner = who
    assert (one.platform, one.name, one.ident) == (platform, name, ident)
    assert one.inner == (inner or path.rsplit("/", 1)[1])
    assert one.late == ("LATE" in path)
    assert (one.time[:10] == "2026-11-30") == ("+" in path)


def test_a_name_that_says_nothing_is_nobodys():
    assert [named(path, "hw1") for path in ("readme.txt", "x/y.ipynb", "hw1/x.ipynb", "")] == [
        None
    ] * 4


def test_moodles_download_is_laid_out_and_each_file_is_told_of(room, collect, laid):
    link = zipfile.ZipInfo(moodle("Eve Link", 15))
    link.external_attr, link.create_system = 0o120777 << 16, 3
    inner = zipped(
        ("__MACOSX/x.ipynb", ""), ("work/hw1_toy.ipynb", book("cem")), ("../../evil.ipynb", "x"),
        ("/abs.ipynb", "x"), ("C:/x.ipynb", "x"), ("n" * 900 + ".ipynb", "x"),
    )  # fmt: skip
    download = zipped(
        (moodle("Ada Lovelace", 11), book("ada")),
        (moodle("Ada Lovelace", 11, "data.csv"), "x"),
        ("Ada Lovelace_11_assignsubmission_onlinetext_/onlinetext.html", "<p>see my file"),
        (moodle("Bob B", 12, "hw1_toy (1).ipynb"), book("bob 1")),
        (moodle("Bob B", 12), book("bob")),
        (moodle("Cem C", 13, "work.zip"), inner),
        (link, "/etc/passwd"),
        (moodle("Mal M", 16, "bomb.ipynb"), bytes(21 << 20)),
        (moodle("Two T", 17, "a.ipynb"), book("1")),
        (moodle("Two T", 17, "b.ipynb"), book("2")),
        (moodle("Two T", 17, "c.ipynb"), book("2")),
        (moodle("Bob B", 12, "again.ipynb"), book("bob")),
        (moodle("Pia P", 21, "paper.pdf"), "%PDF"),
        (moodle("Nil N", 22, ""), ""),
        (moodle("Cem C", 13, ""), ""),
        (moodle("Sam Lee", 18), book("sam")),
        (moodle("Sam Lee", 19), book("another Sam")),
        (moodle("Team 3", 77), book("team")),
        (moodle("Max M", 100), book("whose number here is Ada's there")),
        (moodle("Max M", 31), book("another Max")),
        ("../x_20_assignsubmission_file_/hw1_toy.ipynb", book("x")),
        ("readme.ipynb", book("whose?")),
    )
    (room / "ws.csv").write_text(WORKSHEET)
    (room / "class" / ".collecting-killed").mkdir()
    said = collect(download, options=["--worksheet", room / "ws.csv"])
    assert laid() == {
        ("Max M 100", NB): "whose number here is Ada's there",
        ("Max M 31", NB): "another Max",
        ("Sam Lee", NB): "another Sam", ("Two T", "1 a.ipynb"): "1", ("Two T", "2 b.ipynb"): "2",
        ("ada", NB): "ada", ("bob", NB): "bob", ("cem", NB): "cem", ("sam", NB): "sam",
        ("tia", NB): "team", ("tom", NB): "team",
    }  # fmt: skip
    narrow = re.sub(" {2,}", "  ", said)
    for told in (
        "ada  hw1_toy.ipynb  taken, handed in 2026-11-30 23:30 (Europe/Berlin)",
        "onlinetext.html  text typed into the platform",
        "hw1_toy (1).ipynb  left: beside hw1_toy.ipynb",
        "Two T  c.ipynb  left: the same as b.ipynb",
        "bob  again.ipynb  left: the same as hw1_toy.ipynb",
        "refused: it is a link or a device",
        "not read: it has more than 20 MB",
        "it is one of 2, and none is called hw1_toy.ipynb",
        "Sam Lee  hw1_toy.ipynb  not on the roster",
        "'Montag, 30. November 2026' is no time known here",
        "another one is called so: the roster's id, or --worksheet, tells them apart",
        "refused: its name has more than 500 letters",
        "readme.ipynb  left: its name does not say whose it is",
        "data.csv  left: no notebook",
        "Nil N_22_assignsubmission_file_/(nothing)  an empty folder",
        "Of 10 students there is a hand-in now, and of 5 one without a notebook",
        "passed over: 1 files that systems put beside others",
    ):
        assert told in narrow
    looks = narrow.partition("Look at these:")[2]
    for who in ("Pia P", "Nil N", "Mal M"):
        assert f"{who}  handed in, and no notebook: `grade` lists it as ungraded" in looks
        assert not any((room / "class" / "submitted" / who / "hw1").iterdir())
    assert "Cem C_13_assignsubmission_file_/(nothing)" not in said  # it is not empty
    assert said.count("refused: its path leads out of the archive") == 4
    assert {path.name for path in room.iterdir()} == {"hw", "class", "ws.csv", "d0.zip"}
    assert not list((room / "class").glob(".collecting-*"))
    now = collected(room / "class", "hw1")
    assert now["ada"].submitted == "2026-11-30T22:30:00+00:00"  # by the class's zone
    assert now["bob"].submitted == "2026-12-01T08:00:00+00:00"
    assert now["cem"].submitted == ""  # whatever the archive says
    assert now["ada"].place == "Ada Lovelace_11_assignsubmission_file_"


def test_canvas_download_is_laid_out_and_the_last_of_a_name_counts(room, collect, laid):
    said = collect(
        zipped(
            (f"cem_LATE_512_9000_{NB}", book("first")),
            ("cem_LATE_512_9001_hw1_toy-1.ipynb", book("last")),
            ("lovelaceada_77_9002_hw1_toy-4.ipynb", book("ada")),  # her id here is another one
            (f"leesam_78_9003_{NB}", book("which Sam?")),
            ("b_101_text.html", "typed"),
        )
    )
    assert laid() == {
        ("ada", NB): "ada", ("cem", NB): "last", ("leesam_78", NB): "which Sam?"
    }  # fmt: skip
    assert "late, says Canvas, and not when" in said
    assert "--worksheet" not in said  # for Canvas has none
    late = {who: one.late for who, one in collected(room / "class", "hw1").items()}
    assert late == {"ada": False, "bob": False, "cem": True, "leesam_78": False}
    assert "left: beside hw1_toy-1.ipynb, which counts" in said
    assert collected(room / "class", "hw1")["cem"].place == "cem_LATE_512_9001_hw1_toy-1.ipynb"


def test_nbgraders_exchange_is_believed_where_it_is_one(room, collect, laid):
    inbound = room / "inbound"
    for time, answer in (("2026-11-30 10:00:00", "early"), ("2026-11-30 12:00:00", "late")):
        place = inbound / f"ada+hw1+{time} UTC+Zm9v"
        place.mkdir(parents=True)
        (place / NB).write_text(book(answer))
        (place / "timestamp.txt").write_text("1999-01-01 00:00:00 UTC")
    (inbound / "ada+hw2+2026-11-30 10:00:00 UTC").mkdir()
    (inbound / "ada+hw2+2026-11-30 10:00:00 UTC" / NB).write_text("{}")
    (inbound / "bob+hw1+2026-11-30 10:00:00 UTC").mkdir()
    (inbound / "bob+hw1+2026-11-30 10:00:00 UTC" / NB).symlink_to("/etc/passwd")
    said = collect(inbound, options=["--take", "first"])
    assert laid() == {("ada", NB): "early"}
    assert "1 files of other assignments" in said
    assert "refused: it is a link or a device" in said
    assert collected(room / "class", "hw1")["ada"].submitted == "2026-11-30T10:00:00+00:00"
    collect(inbound)
    assert laid() == {("ada", NB): "late"}
    forged = zipped((f"bob+hw1+1999-01-01 00:00:00 UTC/{NB}", book("forged")))
    collect(forged)
    assert collected(room / "class", "hw1")["bob"].submitted == ""


def test_one_beside_another_is_never_passed_over_in_silence(room, collect, laid):
    """Nor where the first is graded already; and an old download brings nothing back."""
    old, new = (zipped((moodle("Bob B", 12), book(answer))) for answer in ("old", "new"))
    collect(old)
    with Gradebook(room / "class" / "grades.sqlite") as grades:
        grades.keep("hw1", "bob", "d", [], {}, content=sha256(book("old").encode()).hexdigest())
    said = collect(new, options=["--take", "first"])
    assert "left: another one counts, the first (graded: 0 points for functions)" in said
    assert laid() == {("bob", NB): "old"}
    said = collect(new)
    words = "taken in place of an earlier one (graded: 0 points for functions), now in "
    assert f"{words}earlier/bob/hw1/1" in said
    assert laid() == {("bob", NB): "new"}
    assert (room / "class" / "earlier" / "bob" / "hw1" / "1" / NB).is_file()
    assert "left: another one counts, the last" in collect(old)
    assert "as it was" in collect(new)
    assert laid() == {("bob", NB): "new"}


def test_a_worksheets_time_is_that_of_the_last_hand_in(room, collect):
    (room / "ws.csv").write_text(WORKSHEET)
    both = [zipped((moodle("Bob B", 12), book(answer))) for answer in ("old", "new")]
    for take, time in (("first", ""), ("last", "2026-12-01T08:00:00+00:00")):
        collect(*both, options=["--take", take, "--worksheet", room / "ws.csv"])
        assert collected(room / "class", "hw1")["bob"].submitted == time


def test_who_is_known_at_last_no_longer_lies_under_another_name(room, collect, laid):
    (room / "ws.csv").write_text(WORKSHEET)
    download = zipped((moodle("Sam Lee", 18), book("sam")))
    collect(download)
    assert laid() == {("Sam Lee", NB): "sam"}
    said = collect(download, options=["--worksheet", room / "ws.csv"])
    assert (
        "the same is sam's, as is known now: what was laid out is in earlier/Sam Lee/hw1/1" in said
    )
    assert laid() == {("sam", NB): "sam"}
    assert not (room / "class" / "submitted" / "Sam Lee").exists()
    assert set(collected(room / "class", "hw1")) == {"sam"}
    collect(zipped((moodle("Sam Lee", 20), book("another"))))
    collect(download, options=["--worksheet", room / "ws.csv"])
    assert laid() == {("Sam Lee", NB): "another", ("sam", NB): "sam"}


def test_without_a_roster_two_of_a_name_are_two(room, collect, laid):
    (room / "class" / "roster.csv").unlink()
    (room / "ws.csv").write_text(WORKSHEET.replace("Bob B", "Sam Lee").replace("Ada Lovelace", ""))
    download = zipped(
        (moodle("Sam Lee", 12), book("one")), (moodle("Sam Lee", 18), book("two")),
        (moodle("Participant", 11), book("blind")),
    )  # fmt: skip
    collect(download, options=["--worksheet", room / "ws.csv"])
    assert laid() == {
        ("100", NB): "blind", ("Sam Lee 12", NB): "one", ("Sam Lee 18", NB): "two"
    }  # fmt: skip
    times = {who: one.submitted[:10] for who, one in collected(room / "class", "hw1").items()}
    assert times == {"100": "2026-11-30", "Sam Lee 12": "2026-12-01", "Sam Lee 18": ""}


def test_a_groups_pages_go_back_to_each_by_the_worksheets_names(room, collect):
    rows = "".join(
        f'Participant {n},{name},{n + 80},,10.00,"Monday, 30 November 2026, 11:30 PM",Team 3\n'
        for n, name in ((22, "Tom T"), (23, "Tia T"))
    )
    (room / "ws.csv").write_text(WORKSHEET.replace("(submission)", "(submission),Group", 1) + rows)
    older = "Team 5-Bob B", "Team 5-Cem C"  # before each of a group its name, and to each a folder
    download = zipped(
        (moodle("Team 3", 77), book("t")), (moodle("Team 4", 11), book("whose?")),
        (moodle(older[0], 12), book("b")), (moodle(older[1], 12), book("of another number")),
    )  # fmt: skip
    collect(download)
    places = {who: one.place for who, one in collected(room / "class", "hw1").items()}
    assert set(places.values()) == {""}  # a group's number may be that of a participant
    collect(download, options=["--worksheet", room / "ws.csv"])
    known = collected(room / "class", "hw1")
    assert set(known) == {"tom", "tia", "Team 4", "bob", older[1]}
    assert f"{known['bob'].place}/" == moodle(older[0], 12, "")
    places = {who: f"{known[who].place}/" for who in ("tom", "tia")}
    assert places == {"tom": moodle("Tom T", 22, ""), "tia": moodle("Tia T", 23, "")}


def damaged():
    data = bytearray(zipped((NB, book("x") * 9)))
    data[60:90] = bytes(30)
    return bytes(data)


def test_what_is_forged_harms_its_own_hand_in_alone(room, collect):
    thousands = zipped(*((f"{n}.ipynb", str(n)) for n in range(3_000)))
    deep = zipped((NB, book("deep")))
    for _ in range(3):
        deep = zipped(("deeper.zip", deep))
    hostile = {
        "Damaged": damaged(),
        "Cut": zipped((NB, book("x")))[:-10],
        "Thousands": thousands,
        "Long": zipped(*(("n" * 900 + f"{n}.ipynb", "") for n in range(5))),
        "Deep": deep,
        "Bomb": zipped((NB, bytes(21 << 20))),
        "Flood": zipped(*((f"{n}.ipynb", bytes(16 << 20)) for n in range(4))),
        "None": b"PK\x03\x04 and nothing else",
    }
    files = [(moodle(who, 50 + n, "x.zip"), data) for n, (who, data) in enumerate(hostile.items())]
    said = collect(zipped(*files, (moodle("Ada Lovelace", 11), book("ada"))))
    submitted = room / "class" / "submitted"
    assert json.loads((submitted / "ada" / "hw1" / NB).read_text())["cells"]
    there = {path.parts[-3] for path in submitted.glob("*/hw1/*")}
    assert there == {"ada", "Thousands", "Flood"}
    assert len(list((submitted / "Thousands" / "hw1").iterdir())) <= MOST_OF_ONE
    for told in (
        "it is damaged in the archive", "no zip, or a damaged one", "an archive in an archive",
        "it has more than 20 MB", f"more than {MOST_OF_ONE} notebooks of one",
    ):  # fmt: skip
        assert told in said, told


def test_who_uses_too_much_is_ended_and_the_others_are_read(tmp_path, monkeypatch):
    archive = tmp_path / "a.zip"
    archive.write_bytes(zipped(("a", "1"), ("b", "2"), ("c", "3")))
    real = opening._contents

    def ending(file, some):  # as a process does that is killed amid an entry
        for index, data in real(file, some):
            if index == 1:
                return
            yield index, data

    monkeypatch.setattr(opening, "_contents", ending)
    with archive.open("rb") as file:
        assert dict(opening.contents(file, [0, 1, 2])) == {0: b"1", 1: opening.TOO_MUCH, 2: b"3"}


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"no zip", "it is no zip, or a damaged one"),
        (None, "No such file"),
    ],
)
def test_a_download_that_is_none_is_told(room, collect, data, told):
    assert told in collect(data or room / "none.zip", code=1)


def test_a_roster_whose_names_are_paths_is_refused(room, collect):
    (room / "class" / "roster.csv").write_text("student,name\n../../evil,Ada Lovelace\n")
    said = collect(zipped((moodle("Ada Lovelace", 11), book("ada"))), code=1)
    assert "'../../evil' is none" in said


def test_outside_of_a_class_there_is_nothing_to_collect_for(room, collect, monkeypatch):
    monkeypatch.chdir(room)
    assert "`python -m course class DIR` makes a folder" in collect(b"", code=1)
    collect(zipped((moodle("Ada Lovelace", 11), book("ada"))), options=["--into", "class"])
