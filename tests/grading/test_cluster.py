"""A Dask cluster, good or bad, and the same gradebook."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from attnlib.checks.calling import call
from course.files import ROOT
from course.grading import __main__ as command_line
from course.grading import cluster
from course.grading.__main__ import main
from course.grading.book.gradebook import Gradebook
from course.grading.cluster import Home
from course.grading.courier import is_private
from course.grading.judge import Assignment, Examination, asked, examine
from course.grading.replies import Calls, Reply
from course.grading.sandbox import family
from course.grading.submission import read
from course.grading.wire import Line, decode, encode
from tests.grading.test_gradebook import dump
from tests.grading.toy import HONEST, StandIn, answering, command, hand_in, put_assignment

pytestmark = [
    pytest.mark.needs("bwrap"),
    pytest.mark.needs("distributed"),
    pytest.mark.timeout(300),
]

LIMIT = 60  # seconds, for anything to happen
BAD = Path(__file__).with_name("bad_worker.py")
STUDENTS = {
    "ada": HONEST,
    "bob": (HONEST[0], HONEST[1].replace("2 * x", "x * x"), HONEST[2]),
    "cyd": (*HONEST[:2], "def sums(x) return x"),
    "dan": (HONEST[0], "def twice(x):\n    raise KeyError(x)"),
    "gus": (*HONEST, "import os\nos._exit(0)"),
    "zebedee_quince": HONEST,
}


def wait_for(what):
    """Wait until something is so; return what it is."""
    until = time.monotonic() + LIMIT
    while not (found := what()):
        assert time.monotonic() < until, "nothing happened"
        time.sleep(0.02)
    return found


def is_running(pid):
    """Whether a process is there, and not only waiting for somebody to note that it ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def running(word):
    """Return the processes with a word in their command lines."""
    found = []
    for folder in Path("/proc").iterdir():
        with suppress(OSError):
            words = (folder / "cmdline").read_bytes().decode().split("\0")
            if folder.name.isdigit() and word in words:
                found.append(int(folder.name))
    return found


def end(pids):
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def couriers(address):
    """Return the couriers to a cluster, with what confines them."""
    return sorted(set(running("course.grading.courier")) & set(running(address)))


@contextmanager
def started(folder, name, *words, **environment):
    """Start one of Dask's processes; yield it and a way to read what it says."""
    log = folder / f"{name}.log"
    with log.open("wb") as said:
        process = subprocess.Popen(
            [sys.executable, "-m", "dask", *words],
            cwd=ROOT,
            env=os.environ | {"PYTHONPATH": str(ROOT)} | environment,
            stdout=said,
            stderr=said,
            stdin=subprocess.DEVNULL,
        )
    try:
        yield process, lambda: log.read_text(errors="replace")
    finally:
        if process.poll() is None:
            process.terminate()
        try:
            process.wait(LIMIT)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@contextmanager
def scheduler(folder, *options):
    """Start a scheduler; yield its address."""
    path = folder / "scheduler.json"
    words = ("--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(path))
    with started(folder, "scheduler", "scheduler", *words, *options) as (process, said):
        wait_for(lambda: path.exists() or process.poll() is not None)
        assert process.poll() is None, said()
        yield wait_for(lambda: address_in(path))


def address_in(path):
    try:
        return json.loads(path.read_text())["address"]
    except ValueError:
        return ""


@contextmanager
def a_worker(folder, address, *options, how="", host="127.0.0.1", **told):
    """Start a worker, bad if it is said how; yield its process and the file it makes when bad."""
    name = f"worker-{how.replace(' ', '-')}-{host}"
    note = folder / f"{name}.note"
    bad = {"BAD_WORKER": how, "BAD_WORKER_NOTE": str(note), "BAD_WORKER_TOLD": json.dumps(told)}
    words = ["--no-nanny", "--nthreads", "1", "--no-dashboard", "--host", host,
             "--local-directory", str(folder)]  # fmt: skip
    preload = ["--preload", str(BAD)]
    with started(folder, name, "worker", address, *words, *options, *preload, **bad) as (one, said):
        wait_for(lambda: "Registered to" in said() or one.poll() is not None)
        assert one.poll() is None, said()
        try:
            yield SimpleNamespace(process=one, note=note)
        finally:
            if how:
                one.kill()  # it may wait for its thread


@pytest.fixture(scope="module", autouse=True)
def workers_image(image):
    """To copy Python and NumPy takes a worker seconds; that it can is seen where TLS is."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WORKERS_IMAGE", json.dumps([str(image.folder), image.by_path]))
        yield


@pytest.fixture(scope="module")
def dask(tmp_path_factory):
    """A scheduler and one good worker; the scheduler's address."""
    folder = tmp_path_factory.mktemp("dask")
    with scheduler(folder) as address, a_worker(folder, address):
        yield address


@pytest.fixture(scope="module")
def due(tmp_path_factory, image):
    """What was handed in, an empty gradebook, and what is in it once it was graded at home."""
    room = tmp_path_factory.mktemp("home")
    put_assignment(room / "hw")
    for student, cells in STUDENTS.items():
        hand_in(room / "in", student, *cells, answer=f"Because of {student}.")
    with Gradebook(room / "grades.sqlite"):
        shutil.copytree(room, room / "before")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(command_line, "Image", lambda: nullcontext(image))
        assert main(command(room)) == 0
    found = dump(room / "grades.sqlite")
    verdicts = {"correct", "wrong", "syntax error", "missing", "exception"}
    assert {row[6] for row in found[1]} == verdicts
    return SimpleNamespace(dump=found, before=room / "before")


@pytest.fixture
def room(tmp_path, due, copied):
    """What was handed in; who grades it here finds the copies made."""
    return shutil.copytree(due.before, tmp_path / "room")


def grade(room, address, *options):
    """Grade the class on a cluster; return the gradebook's dump."""
    assert main(command(room, "--dask", address, *options)) == 0
    wait_for(lambda: not couriers(address))  # the kernel takes a moment to end it
    names = [thread.name for thread in threading.enumerate()]
    assert not [name for name in names if name.startswith(("courier", "ThreadPool"))]
    return dump(room / "grades.sqlite")


@contextmanager
def when(happens, do):
    """Do something as soon as something else has happened, in a thread."""

    def watch():
        if wait_for(happens):
            do()

    watching = threading.Thread(target=watch)
    watching.start()
    try:
        yield
    finally:
        watching.join(LIMIT)
        assert not watching.is_alive()


# The same gradebook


def test_workers_that_lie_or_reply_nonsense_change_nothing(room, due, dask, capsys):
    mad, liar = a_worker(room, dask, how="another tree"), a_worker(room, dask, how="wrong once")
    with mad as mad, liar as liar:
        assert grade(room, dask) == due.dump
        assert mad.note.exists()
        assert liar.note.exists()
    said = capsys.readouterr().err
    assert "failed (" in said
    assert "the last time: something was left out" in said
    assert "the cluster was lost" not in said


NONSENSE = {  # what comes back, and what is said of it
    "another tree": "something was left out",
    "raises": "RuntimeError: not?[2J here",
    "noise": "means nothing",
    "cut": "ends too early",
    "no bytes": "it sent a list",
    "huge": "it sent 68,157,440 bytes",
}


def test_of_each_nonsense_is_said_what_it_is(room, dask, runner):
    """It is the last that is said of it: nobody else was there to do it better."""
    with (
        a_worker(room, dask, how="as it is asked to be", host="127.0.0.9"),
        cluster.Cluster(dask, Home(runner, 1)) as found,
    ):
        for how, why in NONSENSE.items():
            with pytest.raises(cluster.NobodyError):
                found.run((how,), [Calls("twice", ((1.0,),))], avoided=("127.0.0.1",))
            assert why in found.told()
            assert "the cluster was lost" not in found.told()
    assert not found.failures


def test_a_worker_that_never_answers_is_asked_once(room, due, dask, capsys):
    with a_worker(room, dask, how="silent") as worker:
        assert grade(room, dask, "--dask-seconds", "12") == due.dump
        assert worker.note.exists()
    said = capsys.readouterr().err
    assert "failed (1); the last time: it did not answer in 12 s" in said


def test_a_worker_that_is_killed_in_the_middle_changes_nothing(room, due, dask, capsys):
    silent = a_worker(room, dask, how="silent")
    with silent as worker, when(worker.note.exists, worker.process.kill):
        assert grade(room, dask) == due.dump
    assert "failed (1); the last time: it went away" in capsys.readouterr().err


def test_a_scheduler_that_is_killed_in_the_middle_changes_nothing(room, due, capsys):
    def kill():
        end(running(str(room / "scheduler.json")))

    with (
        scheduler(room) as address,
        a_worker(room, address, how="silent") as worker,
        when(worker.note.exists, kill),
    ):
        assert grade(room, address) == due.dump
    said = capsys.readouterr().err
    assert "the cluster was lost on the way" in said
    assert "failed" not in said


def test_a_courier_that_is_killed_in_the_middle_changes_nothing(room, due, dask, capsys):
    silent = a_worker(room, dask, how="silent")
    with silent as worker, when(worker.note.exists, lambda: end(couriers(dask))):
        assert grade(room, dask) == due.dump
    assert "the cluster was lost on the way" in capsys.readouterr().err


def test_after_an_interrupt_nothing_is_left_running(room, dask):
    run = [sys.executable, "-m", "course", "grade", *command(room, "--dask", dask)]
    with a_worker(room, dask, how="silent") as worker:
        with (room / "said").open("wb") as said:
            grader = subprocess.Popen(run, cwd=ROOT, stdout=said, stderr=said)
        try:
            wait_for(worker.note.exists)
            assert couriers(dask)
            started = family(grader.pid)
            grader.send_signal(signal.SIGINT)
            assert grader.wait(LIMIT) == 130
        finally:
            end([grader.pid] if grader.poll() is None else [])
        assert "stopped: what was graded is kept" in (room / "said").read_text()
        assert "Traceback" not in (room / "said").read_text()
        assert not couriers(dask)
        wait_for(lambda: not any(map(is_running, started)))


# What leaves, and what the courier sees


@pytest.fixture
def overheard(monkeypatch):
    """What the courier is told, and what it says."""
    found = SimpleNamespace(sent=[], said=[])

    class Overheard(Line):
        def send(self, tree, deadline=None):
            found.sent.append(encode(tree))
            super().send(tree, deadline)

        def receive(self, *limits):
            found.said.append(super().receive(*limits))
            return found.said[-1]

    monkeypatch.setattr(cluster, "Line", Overheard)
    return found


def test_no_name_and_no_answer_leaves(room, due, dask, overheard):
    assert grade(room, dask) == due.dump
    assignment = Assignment("hw1", room / "hw")
    with Gradebook(room / "grades.sqlite") as book:
        seed = asked(book.seed, 1)
    all_asked = {student: Examination(assignment, seed, student) for student in STUDENTS}
    works = [decode(frame) for frame in overheard.sent]
    found = [decode(data.tobytes()) for _, data, _, _ in works]
    expected = [
        (STUDENTS[student], tuple((one.function, one.inputs) for one in examination.calls))
        for student, examination in all_asked.items()
    ]
    assert sorted(map(encode, found)) == sorted(map(encode, expected))
    everything = b"".join(overheard.sent)
    for word in words_of_the_judge(room, assignment, seed):
        assert word.encode() not in everything, word
    answers = list(answers_that_no_input_is(all_asked))
    assert len(answers) > 300
    assert not [answer for answer in answers if answer in everything]


def words_of_the_judge(room, assignment, seed):
    """Give what would tell whose it is, or what is right."""
    yield from (*STUDENTS, str(room), str(ROOT), "hw1", assignment.notebook, assignment.title)
    yield from (seed.hex(), "Because", "squared", "promise", "correct", "points")
    for task in assignment.tasks.values():
        yield from (case.shows for case in task.cases())
        for promise in task.promises():
            yield from (promise.name, promise.hint)


def answers_that_no_input_is(asked):
    """Give the bytes of expected answers, where they are not those of an input, too."""
    for examination in asked.values():
        given = [
            x.tobytes() for cases in examination.cases.values() for c in cases for x in c.inputs
        ]
        for name, cases in examination.cases.items():
            task = examination.assignment.tasks[name]
            for case in cases:
                for array in call(task.answer, case.inputs, task.parts).arrays:
                    data = array.tobytes()
                    if np.any(array) and not any(data in one for one in given):
                        yield data


def test_who_takes_over_the_courier_is_in_an_empty_room(room, due, dask, overheard):
    """A reply that is unpickled there runs code there; what it finds is its reply."""
    (room / "roster.csv").write_text("student\nada\n")
    kept = [room / "grades.sqlite", room / "roster.csv", room / "in", room / "hw" / "tasks",
            room / "hw" / "tasks" / "twice.py", ROOT / "course" / "homework" / "tasks",
            ROOT / "course" / "grading" / "judge.py", ROOT / "README.md", Path.home() / ".profile",
            Path("/etc/passwd"), Path("/etc/hostname")]  # fmt: skip
    (room / "ears").mkdir()
    os.chdir(room / "ears")  # a socket's path is short
    with (
        socket.create_server(("127.0.0.1", 0)) as ear,
        socket.socket(socket.AF_UNIX) as named,
        socket.socket(socket.AF_UNIX) as unnamed,
        ExitStack() as stack,
    ):
        named.bind("ear")
        unnamed.bind("\0attnlib-ear")
        for one in (named, unnamed):
            one.listen()
        os.chdir(ROOT)
        stack.enter_context(a_worker(
            room, dask, how="probe", paths=[str(path) for path in kept],
            sockets=[str(room / "ears" / "ear"), "\0attnlib-ear"],
            hosts=["127.0.0.1", "192.0.2.1"], port=ear.getsockname()[1],
        ))  # fmt: skip
        assert main(command(room, "--dask", dask)) == 0
    assert dump(room / "grades.sqlite") == due.dump
    replies = (data for _, _, data in overheard.said[1:])
    found = json.loads(next(data for data in replies if bytes(data[:1]) == b"{").tobytes())
    ours = {name for name in found["modules"] if name.startswith(("course", "tests", "attnlib"))}
    assert ours == {"course", "course.grading", "course.grading.courier", "course.grading.relay",
                    "course.grading.wire", "course.grading.worker"} & ours  # fmt: skip
    assert not [path for path in found["opened"] if str(room) in path]
    assert found["processes"] <= 2
    assert set(found["read"]) | set(found["listed"]) == {"FileNotFoundError"}
    assert not [path for path in kept if Path(f"{path}.new").exists()]
    assert not list(room.rglob("*.new"))
    assert {"home", "etc", "root", "var", "sys", "run"} & {*found["root"]} <= {
        Path(sys.prefix).parts[1], Path(sys.base_prefix).parts[1]
    }  # fmt: skip
    assert {*found["variables"]} <= {"DASK_INTERNAL_INHERIT_CONFIG", "PYTHONPATH", "HOME", "LANG",
                                     "PWD", "LC_CTYPE", "PARAMS"}  # fmt: skip
    assert {*found["sockets"]} <= {"FileNotFoundError", "ConnectionRefusedError"}
    assert {*found["network"]} <= {"ConnectionRefusedError", "OSError"}


# What cannot be


@pytest.mark.parametrize(
    ("address", "private"),
    [
        ("tls://192.0.2.1:8786", True),
        ("tcp://127.0.0.1:8786", True),
        ("127.0.0.1:8786", True),
        ("localhost:8786", True),
        ("tcp://[::1]:8786", True),
        ("tcp://192.0.2.1:8786", False),
        ("tcp://[2001:db8::1]:8786", False),
        ("192.0.2.1:8786", False),
        ("tcp://127.0.0.1.example.org:8786", False),
        ("tcp://127.0.0.1:1@192.0.2.1:8786", False),
        ("ws://127.0.0.1:8786", False),
        ("tcp://[::1:8786", False),
        ("", False),
    ],
)
def test_only_what_nobody_can_listen_to_is_private(address, private):
    assert is_private(address) == private


@pytest.fixture
def refused(room, capsys):
    """Return a function that grades on a cluster where that cannot be, and gives what is said."""

    def grades(address):
        assert main(command(room, "--dask", address)) == 1
        # A machine without control groups says so before.
        return capsys.readouterr().err.rpartition("error: ")[2]

    return grades


@pytest.fixture
def silent():
    """A door behind which nobody answers, and its address."""
    with socket.create_server(("127.0.0.1", 0)) as door:
        yield door, f"tcp://127.0.0.1:{door.getsockname()[1]}"


def test_a_cluster_that_is_not_encrypted_is_refused(refused):
    said = refused("tcp://192.0.2.1:8786")
    assert "the cluster at tcp://192.0.2.1:8786 is not encrypted" in said
    assert "--tls-ca-file" in said


def test_a_scheduler_that_is_not_there_is_told(refused, silent):
    door, address = silent
    door.close()
    (said,) = refused(address).splitlines()
    assert said.startswith(f"the cluster at {address} cannot be reached: ConnectionRefused")


def test_a_cluster_without_workers_is_told(room, refused, monkeypatch):
    monkeypatch.setattr(cluster, "FIRST", 2.0)
    with scheduler(room) as address:
        said = refused(address)
    assert f"the cluster at {address} has no workers" in said
    assert "after 2 s" in said
    wait_for(lambda: not couriers(address))


def test_a_listener_that_is_no_scheduler_is_told(refused, silent, monkeypatch):
    monkeypatch.setattr(cluster, "REACH", 2.0)
    why = "cannot be reached: TimeoutError: no answer in 2 s"
    assert f"the cluster at {silent[1]} {why}" in refused(silent[1])


# TLS


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    """A certificate that vouches for itself, and its key."""
    folder = tmp_path_factory.mktemp("tls")
    key, made = folder / "key.pem", folder / "cert.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
         "/CN=class", "-keyout", str(key), "-out", str(made)],
        check=True, capture_output=True,
    )  # fmt: skip
    return made, key


@pytest.mark.needs("openssl")
def test_over_tls_two_workers_that_agree_make_the_same_gradebook(
    room, due, certificate, monkeypatch, capsys
):
    """Without home, which can run nothing here."""
    monkeypatch.delattr(Home, "run")
    monkeypatch.delenv("WORKERS_IMAGE")
    made, key = map(str, certificate)
    options = ("--tls-ca-file", made, "--tls-cert", made, "--tls-key", key, "--protocol", "tls")
    with scheduler(room, *options) as address, ExitStack() as stack:
        assert address.startswith("tls://")
        stack.enter_context(a_worker(room, address, *options))
        with monkeypatch.context() as soon:
            soon.setattr(cluster, "REACH", 5.0)
            assert main(command(room, "--dask", address)) == 1
        said = capsys.readouterr().err
        assert "cannot be reached" in said
        assert "certificates" in said
        for name, value in [("CA_FILE", made), ("CLIENT__CERT", made), ("CLIENT__KEY", key)]:
            monkeypatch.setenv(f"DASK_DISTRIBUTED__COMM__TLS__{name}", value)
        stack.enter_context(a_worker(room / "hw", address, *options, host="127.0.0.2"))
        assert grade(room, address, "--trust", "two", "--confirm", "0") == due.dump
    assert "elsewhere" not in capsys.readouterr().err


# The parts


def test_home_runs_no_more_at_a_time_than_it_may():
    now, seen, two = set(), [], threading.Barrier(2)

    class Slow(StandIn):
        is_open = True

        def run(self, cells, calls):
            now.add(threading.get_ident())
            seen.append(len(now))
            two.wait(LIMIT)
            now.remove(threading.get_ident())

    home = Home(Slow(), 2)
    with ThreadPoolExecutor(20) as pool:
        list(pool.map(lambda n: home.run((), ()), range(20)))
    assert max(seen) == 2


def test_threads_that_judge_at_once_leave_the_streams_as_they_were(room):
    assignment, before = Assignment("hw1", room / "hw"), (sys.stdout, sys.stderr)
    submission = read(room / "in" / "ada" / "hw1" / "hw1_toy.ipynb")

    class Wrong(StandIn):
        def run(self, cells, calls):
            return answering(calls, lambda *_: Reply("answer", 1.0))

    def judge(k):
        return examine(assignment, b"", str(k), submission, Wrong())

    with ThreadPoolExecutor(8) as pool:
        found = [mark.verdict for marks in pool.map(judge, range(24)) for mark in marks]
    assert {*found} == {"wrong"}
    assert (sys.stdout, sys.stderr) == before
