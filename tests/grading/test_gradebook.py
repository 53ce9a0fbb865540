"""The gradebook's file, and the command that fills it."""

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from contextlib import closing, nullcontext
from pathlib import Path

import numpy as np
import pytest

from course import BuildError
from course.files import ROOT
from course.grading.answers import Written
from course.grading.book.gradebook import Gradebook
from course.grading.book.locks import alone
from course.grading.groups import Groups
from course.grading.image import Image
from course.grading.judge import Mark, asked
from course.grading.replies import Reply
from course.grading.runner import StoppedError
from course.grading.sandbox import NotStartedError
from tests.grading.toy import (
    HONEST,
    MENDED,
    Calling,
    StandIn,
    answering,
    called,
    command,
    graded,
    hand_in,
    points,
    put_assignment,
)

MARKS = [Mark("twice", 4, 4, "correct", ""), Mark("sums", 0, 3, "wrong", "Which axis?", "axis")]


def dump(path):
    """Return all that is in a gradebook but times and the secret."""
    tables = (
        "SELECT assignment, student, digest, ungraded FROM submissions ORDER BY 1, 2",
        "SELECT * FROM marks ORDER BY 1, 2, 3",
        "SELECT * FROM answers ORDER BY 1, 2, 3",
    )
    with closing(sqlite3.connect(path)) as base:
        return [base.execute(query).fetchall() for query in tables]


@pytest.fixture
def path(tmp_path):
    """Where the gradebook is."""
    return tmp_path / "grades.sqlite"


@pytest.fixture
def book(path):
    """An empty gradebook, open."""
    with Gradebook(path) as book:
        yield book


def test_what_is_kept_is_there_when_it_is_opened_again(path):
    with Gradebook(path) as book:
        seed = book.seed
        book.keep("hw1", "ada", "d1", MARKS, {"why": Written("Because.")})
        book.keep("hw1", "bob", "d2", [], {}, ungraded="it is not JSON")
    assert path.stat().st_mode & 0o777 == 0o600
    with Gradebook(path) as book:
        assert len(seed) == 32
        assert book.seed == seed
        assert book.marks("hw1") == {"ada": MARKS}
        digests = {who: one.digest for who, one in book.last("hw1").items()}
        assert digests == {"ada": "d1", "bob": "d2"}
        assert book.ungraded("hw1") == {"bob": "it is not JSON"}


def test_a_submission_is_there_whole_or_not_at_all(book):
    book.keep("hw1", "ada", "d1", MARKS, {})
    with pytest.raises(sqlite3.IntegrityError):
        book.keep("hw1", "ada", "d2", [MARKS[0], Mark("sums", 3, 3, None, "")], {})
    assert book.last("hw1")["ada"].digest == "d1"
    assert book.marks("hw1") == {"ada": MARKS}


def test_a_written_answer_keeps_its_points_until_it_changes(book, path):
    book.keep("hw1", "ada", "d1", MARKS, {"why": Written("Because.")})
    with closing(sqlite3.connect(path)) as base, base:
        base.execute("UPDATE answers SET points = 2, comment = 'good'")
    book.keep("hw1", "ada", "d1", MARKS, {"why": Written("Because.")})
    assert dump(path)[2][0][-3:-1] == (2.0, "good")
    book.keep("hw1", "ada", "d3", MARKS, {"why": Written("Because of y.")})
    assert dump(path)[2][0][-4:] == ("Because of y.", None, "", "")


def test_points_by_hand_outlive_grading_again_and_can_be_taken_back(book):
    book.keep("hw1", "ada", "d1", MARKS, {})
    book.give("hw1", {}, {("ada", "sums"): (2.5, "The idea is right.")})
    due = Mark("sums", 2.5, 3, "by hand", "The idea is right.", "axis")
    for _ in range(2):
        assert book.marks("hw1")["ada"][1] == due
        book.keep("hw1", "ada", "d2", MARKS, {})
    book.give("hw1", {}, {("ada", "sums"): (None, "")})
    assert book.marks("hw1") == {"ada": MARKS}
    said = [row["what"] for row in book.of_student("ada")["history"]]
    assert "sums: 2.5 points by hand: The idea is right." in said


def test_what_is_no_gradebook_is_refused_and_left_alone(path):
    path.write_bytes(b"not a database at all, but a file of somebody's")
    for no_gradebook in (path, path.parent / "none" / "grades.sqlite"):
        with pytest.raises(BuildError, match="opening the gradebook"):
            Gradebook(no_gradebook)
    assert path.read_bytes().startswith(b"not a database")


# One file, several who want it


HOLDER = """
import sqlite3, sys
base = sqlite3.connect(sys.argv[1], isolation_level=None)
base.execute("BEGIN EXCLUSIVE")
print("held", flush=True)
sys.stdin.read()
"""


def holding(code, path):
    """Start a process that holds a gradebook until its input ends, or it does; return it."""
    holder = subprocess.Popen(
        [sys.executable, "-c", code, path], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert holder.stdout.readline() == b"held\n"
    return holder


@pytest.mark.timeout(60)
def test_a_locked_gradebook_is_waited_for_and_its_holder_named(path):
    told = []

    def tell(words):
        told.append(words)
        holder.communicate()  # which ends it

    with Gradebook(path, tell) as book:
        book.keep("hw1", "ada", "d1", MARKS, {})
        holder = holding(HOLDER, path)
        book.keep("hw1", "bob", "d1", MARKS, {})
        assert list(book.marks("hw1")) == ["ada", "bob"]
    assert f"is held by process {holder.pid} (" in told[0]


@pytest.mark.timeout(60)
def test_who_will_not_wait_for_a_locked_gradebook_ends_it_by_an_interrupt(book, path):
    book.keep("hw1", "ada", "d1", MARKS, {})
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")  # of this process, which no lock of the kernel tells
        book.is_patient = False
        with pytest.raises(KeyboardInterrupt):
            book.keep("hw1", "bob", "d1", MARKS, {})
        other.execute("ROLLBACK")
    assert list(book.marks("hw1")) == ["ada"]


def refused(book, student):
    """Keep somebody's marks; return why not, if not."""
    try:
        book.keep("hw1", student, "d1", MARKS, {"why": Written("Because." * 50)})
    except BuildError as why:
        return str(why)


def test_a_full_disk_is_one_sentence_and_nothing_is_lost(path):
    with Gradebook(path) as book:
        (n,) = book._do("PRAGMA page_count").fetchone()
        book._do(f"PRAGMA max_page_count = {n + 4}")
        kept = []
        while (words := refused(book, f"s{len(kept):03}")) is None:
            kept.append(f"s{len(kept):03}")
        assert "the disk is full. What was kept before is there, whole" in words
        assert "\n" not in words
        assert not book._base.in_transaction
    with Gradebook(path) as book:
        assert book.marks("hw1") == dict.fromkeys(kept, MARKS)
        book.keep("hw1", "zoe", "d1", MARKS, {})


def test_a_second_grader_says_who_the_first_is(path):
    Gradebook(path).__exit__()
    first = holding(
        "import sys; from pathlib import Path; from course.grading.book.locks import alone\n"
        "with alone(Path(sys.argv[1])): print('held', flush=True); sys.stdin.read()",
        path,
    )
    why = f"another grader is at work on .*: process {first.pid} "
    with pytest.raises(BuildError, match=why), alone(path):
        pass
    first.kill()  # whatever its end, the kernel takes its lock back
    first.communicate()
    with alone(path):
        pass


def test_an_asking_has_a_number_by_which_its_inputs_come_again(book):
    assert book.asking("hw1", "ada", "c1") == 1
    book.keep("hw1", "ada", "d1", MARKS, {}, content="c1", asking=1)
    assert book.asking("hw1", "ada", "c1") == 1  # the same again
    assert book.asking("hw1", "ada", "c2") == 2
    assert asked(book.seed, 0) == book.seed  # of those that were made without a number
    assert len({asked(book.seed, number) for number in range(5)}) == 5
    assert asked(book.seed, 3) == asked(book.seed, 3)


# The command


@pytest.fixture
def open_to_all():
    """A folder for what is temporary that all users may enter."""
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@pytest.fixture
def room(tmp_path):
    put_assignment(tmp_path / "hw")
    return tmp_path


@pytest.mark.usefixtures("copied")
@pytest.mark.needs("bwrap")
@pytest.mark.timeout(120)
def test_a_class_is_graded_and_graded_again_where_something_changed(room, grade):
    hand_in(room / "in", "ada", *HONEST)
    hand_in(room / "in", "bob", HONEST[0], "def twice(x):\n    return x * x", HONEST[2])
    hand_in(room / "in", "=cmd|' calc'!A0", *HONEST)
    (room / "in" / "eve" / "hw1").mkdir(parents=True)
    (room / "in" / "eve" / "hw1" / "hw1_toy.ipynb").symlink_to("/etc/passwd")
    (room / "in" / "mallory").symlink_to(room / "in" / "ada")
    said = grade(code=3)
    assert "UNGRADED eve: it is a link or a folder, not a file" in said.out
    came = points(room)
    assert came.pop("eve") == "it is a link or a folder, not a file"
    assert came == {"=cmd|' calc'!A0": [4, 3], "ada": [4, 3], "bob": [0, 3]}
    with Gradebook(room / "grades.sqlite") as book:
        assert book.marks("hw1")["bob"][0].mistake == "squared"
    hand_in(room / "in", "bob", *HONEST)
    (room / "in" / "eve" / "hw1" / "hw1_toy.ipynb").unlink()
    grade(code=3)
    came = points(room)
    assert came["bob"] == [4, 3]
    assert "there is no notebook" in came["eve"]
    with closing(sqlite3.connect(room / "grades.sqlite")) as base:
        assert base.execute("SELECT COUNT(*) FROM history").fetchone() == (6,)


@pytest.mark.full
@pytest.mark.timeout(60)
def test_a_killed_grader_leaves_no_image(open_to_all):
    code = (
        "from course.grading.image import Image\n"
        "with Image() as image: print(image.folder, flush=True); input()"
    )
    env = os.environ | {"TMPDIR": str(open_to_all)}
    grader = subprocess.Popen(
        [sys.executable, "-c", code], cwd=ROOT, env=env, stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )  # fmt: skip
    assert Path(grader.stdout.readline().decode().strip()).is_dir()
    grader.kill()
    grader.communicate()
    while list(open_to_all.iterdir()):
        time.sleep(0.05)


def test_where_nobody_can_say_what_is_linked_it_says_what_to_install(tmp_path, monkeypatch):
    image = Image()
    image.folder = tmp_path
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(BuildError, match="there is no `ldd`"):
        image._link()


class Refusing(StandIn):
    """No sandbox starts for some, the first so many times."""

    def __init__(self, n, *who):
        self.n, self.who = n, who

    def run(self, cells, calls):
        if cells[-1] in self.who and self.n > 0:
            self.n -= 1
            raise NotStartedError("a sandbox did not start")
        return answering(calls, lambda *_: Reply("answer", ...))

    def probe(self):
        if self.n > 0:
            raise NotStartedError("a sandbox did not start")


@pytest.mark.parametrize("n", [1, 2, 3])
def test_a_sandbox_that_does_not_start_keeps_nobody_elses_work(room, n):
    """Where others start, it is the submission's own; where none does, the run ends."""
    for student in ("ada", "bob", "eve"):
        hand_in(room / "in", student, *HONEST, student)
    with pytest.raises(NotStartedError) if n == 3 else nullcontext():
        graded(room, Refusing(n, "ada"))
    found = points(room)
    why = "it could not be run: a sandbox did not start"
    assert found.pop("ada", None) == {1: [0, 0], 2: why, 3: None}[n]
    assert found == {"bob": [0, 0], "eve": [0, 0]}


def test_where_no_sandbox_starts_any_more_the_run_ends_soon(room):
    refusing = Refusing(1000, "all")
    for n in range(30):
        hand_in(room / "in", f"s{n:02}", *HONEST, "all")
    with pytest.raises(NotStartedError):
        graded(room, refusing)
    assert refusing.n > 1000 - 30


@pytest.mark.usefixtures("unsealed")
def test_what_a_teacher_would_trip_over_is_told(room, grade, monkeypatch):
    """Another assignment's notebook, two notebooks in a folder, a time that was put right."""
    hand_in(room / "in", "ada", "def thrice(x):\n    return 3 * x")
    path = hand_in(room / "in", "bob", *HONEST)
    hand_in(room / "in", "bob", *HONEST, name="mine_v2.ipynb")
    (path.parent / "timestamp.txt").write_text("2026-11-30 10:00 UTC")
    monkeypatch.setattr(Groups, "told", lambda groups: "no control group")
    said = grade(code=3)
    assert "no control group\n" in said.err
    assert "another notebook lies beside it: mine_v2.ipynb" in said.out
    assert "1 of them have a timestamp.txt, which is not believed" in said.err
    with Gradebook(room / "grades.sqlite") as book:
        assert book.submitted("hw1")["bob"] == ""
    (path.parent / "timestamp.txt").write_text("2026-11-29 10:00 UTC")
    said = grade("--timestamps", code=3).err
    assert "no control group" not in said  # once is enough
    assert "are graded already\n1 of them with another time than before\n" in said
    with Gradebook(room / "grades.sqlite") as book:
        assert "it may be another assignment's notebook" in book.ungraded("hw1")["ada"]
        assert book.submitted("hw1")["bob"].startswith("2026-11-29T10:00")


def test_what_was_late_is_run_once_more_when_nothing_else_runs(room):
    """Two were kept waiting by the machine, one waits whatever else there is."""
    running, seen = Counter(), []
    for student in ("ada", "bob", "eve"):
        hand_in(room / "in", student, *HONEST, f"who = {student!r}")

    class Busy(Calling):
        def run(self, cells, calls):
            running["now"] += 1
            seen.append((cells[-1], running["now"]))
            time.sleep(0.2)
            is_late = sum(cell == cells[-1] for cell, _ in seen) == 1 or "eve" in cells[-1]
            running["now"] -= 1
            return answering(calls, lambda *_: Reply("late")) if is_late else called(cells, calls)

    found = graded(room, Busy(), jobs=3)
    assert found == {"ada": [4, 3], "bob": [4, 3], "eve": [0, 0]}
    with Gradebook(room / "grades.sqlite") as book:
        assert {mark.verdict for mark in book.marks("hw1")["eve"]} == {"late"}
    assert len(seen) == 6
    assert {n for _, n in seen[3:]} == {1}


def test_what_was_late_is_asked_the_same_again_and_all_else_keeps_its_mark(room):
    """Who sleeps on inputs that it cannot do gets no others, and no other function a second try."""
    hand_in(room / "in", "eve", *HONEST)
    asked = []

    class Sleeping(Calling):
        def run(self, cells, calls):
            asked.append({one.function: one.inputs for one in calls})
            ran = called(cells, calls)
            if len(asked) == 1:
                ran.replies["twice"] = [Reply("late")]
                ran.replies["sums"] = [Reply("answer", 7.0)] * len(ran.replies["sums"])
            return ran

    assert graded(room, Sleeping()) == {"eve": [4, 0]}
    first, again = (one["twice"] for one in asked)
    assert asked[1].keys() == {"twice"}
    assert [x.tolist() for (x,) in first] == [x.tolist() for (x,) in again]


@pytest.mark.usefixtures("unsealed")
def test_no_folder_or_file_stops_the_run_or_writes_on_the_terminal(room, grade):
    evil = [b"\xff", b"zoe ", b"a\nUNGRADED ada: copied", b"\x1b[2J", "\u202e".encode(), b"'=1"]
    for name in evil:
        hand_in(room / "in", os.fsdecode(name), *HONEST)
    stamps = {"y1": "0001-01-01 00:00:00+14:00", "y9999": "9999-12-31 23:59:59-14:00"}
    for student, time_stamp in stamps.items():
        path = hand_in(room / "in", student, *HONEST)
        (path.parent / "timestamp.txt").write_text(time_stamp)
    path = hand_in(room / "in", "fifo", *HONEST)
    os.mkfifo(path.parent / "timestamp.txt")
    hand_in(room / "in", "two", *HONEST, name=os.fsdecode(b"\xff\x1b[2J.ipynb"))
    hand_in(room / "in", "two", *HONEST, name="b.ipynb")
    hand_in(room / "in", "deep", *HONEST).write_text('{"nbformat": 4, "n": ' + "9" * 5000 + "}")
    hand_in(room / "in", "zoe", *HONEST)
    hand_in(room / "in", "ada", *HONEST)
    said = grade("--timestamps", code=3)
    for text in (said.out, said.err.replace("\r", "")):
        assert all(letter.isprintable() or letter == "\n" for letter in text)
    assert "\nUNGRADED ada" not in said.out
    found = points(room)
    assert {who for who, came in found.items() if came != [4, 3]} == {"two", "deep"}
    assert len(found) == len(evil) + len(stamps) + 5


def test_what_nobody_foresaw_costs_its_own_submission_alone(room):
    hand_in(room / "in", "ada", *HONEST)
    hand_in(room / "in", "eve", *HONEST, "eve")

    class Odd(Calling):
        def run(self, cells, calls):
            if "eve" in cells:
                raise RuntimeError("nobody foresaw this")
            return super().run(cells, calls)

    why = "the grader could not judge it (RuntimeError)"
    assert graded(room, Odd(), jobs=2) == {"ada": [4, 3], "eve": why}


def test_what_cannot_be_kept_costs_its_own_submission_alone(room, monkeypatch):
    for student in ("ada", "eve"):
        hand_in(room / "in", student, *HONEST)
    keep = Gradebook.keep

    def keep_but_hers(book, number, student, digest, marks, *found, **more):
        if student == "ada" and marks:
            raise UnicodeEncodeError("utf-8", "", 0, 1, "half a letter")
        keep(book, number, student, digest, marks, *found, **more)

    monkeypatch.setattr(Gradebook, "keep", keep_but_hers)
    why = "what came of it could not be kept (UnicodeEncodeError)"
    assert graded(room, Calling()) == {"ada": why, "eve": [4, 3]}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda room: None, "there is nothing to grade"),
        (lambda room: (room / "hw" / "hw1.json").unlink(), "there is no hw1 in"),
        (lambda room: (room / "hw" / "tasks" / "sums.py").unlink(), "the task sums has no file"),
    ],
)
@pytest.mark.needs("bwrap")
def test_what_cannot_be_graded_at_all_is_told(room, grade, change, said):
    (room / "in").mkdir()
    change(room)
    assert said in grade(code=1).err


@pytest.mark.usefixtures("copied")
def test_without_a_sandbox_nothing_is_run_and_the_way_to_one_is_told(room, grade, monkeypatch):
    hand_in(room / "in", "ada", *HONEST)
    monkeypatch.setenv("PATH", str(room))
    said = grade(code=1).err
    assert "bubblewrap is not installed" in said
    assert "apt install bubblewrap" in said
    assert not (room / "grades.sqlite").exists()
    assert "runs as you" in grade("--unsafe-no-sandbox").err


@pytest.mark.full
@pytest.mark.needs("bwrap")
@pytest.mark.timeout(120)
def test_an_interrupt_ends_what_is_running_and_keeps_what_was_graded(room):
    hand_in(room / "in", "ada", *HONEST)
    hand_in(room / "in", "zoe", *HONEST, "import time\ntime.sleep(1000)")
    run = [sys.executable, "-m", "course", "grade", *command(room)]
    grader = subprocess.Popen(run, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert any(b"1 of 2" in line for line in grader.stderr)
    grader.send_signal(signal.SIGINT)
    said, _ = grader.communicate(timeout=60)
    assert grader.returncode == 130
    assert b"stopped: what was graded is kept" in said
    assert list(points(room)) == ["ada"]


@pytest.mark.timeout(60)
def test_an_interrupt_amid_a_lock_of_the_pool_stops_the_run_and_no_more(room, monkeypatch):
    hand_in(room / "in", "ada", *HONEST)
    is_stopped, release = threading.Event(), threading.Condition._release_save

    class Waiting(StandIn):
        def run(self, cells, calls):
            assert is_stopped.wait(30)
            raise StoppedError

        def stop(self):
            is_stopped.set()

    def interrupted(lock):  # where an exception would leave a lock behind that is held by nobody
        saved = release(lock)
        if threading.current_thread() is threading.main_thread() and not is_stopped.is_set():
            signal.raise_signal(signal.SIGINT)
        return saved

    before = signal.getsignal(signal.SIGINT)
    monkeypatch.setattr(threading.Condition, "_release_save", interrupted)
    with pytest.raises(StoppedError):
        graded(room, Waiting())
    assert signal.getsignal(signal.SIGINT) is before


N_KILLED = 3  # times


class Killed:
    """A class that a grader is to grade, which is killed amid its work on the gradebook."""

    def __init__(self, room):
        self.path, self.room, self.rng = room / "grades.sqlite", room, np.random.default_rng(13)

    def grade(self, most=0):
        """Grade, and be killed before so many statements, if any; return what was printed."""
        words = [sys.executable, "-m", "tests.grading.killed", str(most), *command(self.room)]
        done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True)
        assert done.returncode == (-signal.SIGKILL if most else 0), done.stderr
        with closing(sqlite3.connect(self.path)) as base:
            assert base.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        return done.stdout

    def undisturbed(self):
        """Grade and note by how many statements; return what is in the gradebook then."""
        self.n = int(self.grade().splitlines()[-1])
        return self.found()

    def disturbed(self, before=None):
        """From another gradebook or none, be killed on the way and go on; return what is found."""
        for _ in range(N_KILLED):
            self.path.unlink()
            if before:
                shutil.copy(before, self.path)
            self.grade(int(self.rng.integers(self.n // 3, self.n)))
            self.grade()
            yield self.found()

    def found(self):
        with closing(sqlite3.connect(self.path)) as base:
            waits = base.execute("SELECT student, digest FROM regraded ORDER BY 1").fetchall()
        return dump(self.path), waits


@pytest.mark.full
def test_killed_at_random_moments_and_started_again_it_makes_the_same_gradebook(room):
    """So it does where all is graded again, for a task was mended: no mark changes unseen."""
    for k in range(9):
        wrong = HONEST[1].replace("2 * x", "x * x") if k % 3 else HONEST[1]
        hand_in(room / "in", f"student{k:02}", HONEST[0], wrong, HONEST[2], answer=f"Because {k}.")
    it, kept = Killed(room), room / "before.sqlite"
    marks, waits = it.undisturbed()
    assert (len(marks[0]), waits) == (9, [])
    assert {row[4:7] for row in marks[1] if row[3] == "sums"} == {(3.0, 3.0, "correct")}
    assert all(found == (marks, waits) for found in it.disturbed())

    shutil.copy(it.path, kept)
    (room / "hw" / "tasks" / "twice.py").write_text(MENDED)
    again = it.undisturbed()
    assert (again[0], len(again[1])) == (marks, 9)
    assert all(found == again for found in it.disturbed(kept))
