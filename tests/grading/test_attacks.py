"""Submissions that want a mark, an answer, a classmate's data or an end to the run."""

import os
import resource
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from textwrap import indent

import pytest

from course.files import ROOT
from course.grading import judge
from course.grading.judge import Assignment, examine
from course.grading.replies import Calls
from course.grading.runner import Runner
from course.grading.sandbox import Limits, unprivileged
from course.grading.submission import Submission
from tests.grading.toy import HONEST, put_assignment

pytestmark = [pytest.mark.needs("bwrap"), pytest.mark.timeout(300)]

LIMITS = Limits(
    memory=400,
    processes=16,
    file_size=8,
    cells=4.0,
    cell=2.0,
    task=6.0,
    call=1,
    patience=1.0,
    spare=40.0,  # no load of the machine makes late what ends by itself, or by its CPU time
    waits=40.0,
)
SHORT = replace(LIMITS, cells=2.0, cell=0.5, task=1.5)  # for what uses up all that it may
HURRIED = replace(SHORT, spare=3.0)  # for what waits
FEW = 6  # random cases of a task, of forty: what is tried here comes at the first of them, or never
IMPORTS = """\
import ctypes, gc, mmap, os, signal, socket, subprocess, sys, threading, time
import numpy as np
"""
SUMS = HONEST[2]
WRONG = "def twice(x):\n    return x"

# What is tried: its name, and the code. `sums` is right in all of them, and has to be found right.
# Code that defines no `twice` is what that does; it is found below the verdicts that are right.
FOR_A_MARK = {  # a cell, below which a wrong function stands where it has none
    "expect is replaced": "import attnlib.checks\nattnlib.checks.expect = lambda *a: None",
    "the comparison of checks is replaced": (
        "import attnlib.checks.exercise as e\ne.differs = lambda *a: np.zeros(1, bool)"
    ),
    "builtins are replaced": (
        "import builtins\nfor n in ('all', 'any', 'isinstance'):\n"
        "    setattr(builtins, n, lambda *a: True)"
    ),
    "IPython's hooks drop asserts": (
        "ip = get_ipython()\nip.ast_transformers.append(lambda tree: None)\n"
        "ip.run_code = lambda *a: None"
    ),
    "marks are edited in the notebook": "points = 1000  # 'points': 1000",
    "the child's own call is replaced": (
        "from course.grading import child, wire\n"
        "child.call = lambda f, i: wire.encode(('answer', 2 * np.asarray(i[0]) * 0, ()))"
    ),
    "a frame is written to every descriptor": (
        "frame = b'\\0\\0\\0\\1n' * 50\nfor fd in range(3, 60):\n    try:\n"
        "        os.write(fd, frame)\n    except OSError:\n        pass"
    ),
    "a reply is forged before it is asked for": (
        "from course.grading import child, wire\n"
        "data = np.frombuffer(wire.encode(('answer', 1.0, ())), 'u1')\n"
        "line = next(o for o in gc.get_objects() if isinstance(o, wire.Line))\n"
        "for n in range(100):\n    line.send((n, 'answered', data))"
    ),
    "what compares is replaced, and an input is changed": (
        "np.array_equal = np.allclose = np.all = np.copyto = lambda *a, **k: True\n"
        "np.testing.assert_allclose = np.testing.assert_array_equal = lambda *a, **k: None\n"
        "import copy\ncopy.copy = copy.deepcopy = np.copy = lambda x, *a: x\n"
        "def twice(x):\n    x *= 2\n    return x"
    ),
    "an input that becomes what cannot be sent": (
        "def twice(x):\n    y = 2 * x\n    x.dtype = 'V8'\n    return y"
    ),
    "a reply is forged in the call itself": (
        "from course.grading import wire\n"
        "line = next(o for o in gc.get_objects() if isinstance(o, wire.Line))\n"
        "def twice(x):\n    frame = sys._getframe()\n"
        "    while 'number' not in frame.f_locals:\n        frame = frame.f_back\n"
        "    data = np.frombuffer(wire.encode(('answer', 0 * x, (x,))), 'u1')\n"
        "    line.send((frame.f_locals['number'], 'answered', data))\n    return x"
    ),
    "an answer for each visible example": (
        "def twice(x):\n    return 2 * x if x.shape == (3,) else x"
    ),
    "a second guess for what is asked again": (
        "from course.grading import child\nreal, asked = child.answer, set()\n"
        "def one(x):\n    return 2 * x if abs(x).sum() % 1 < 0.5 else 0 * x + 7\n"
        "def other(x):\n    return 0 * x + 7 if abs(x).sum() % 1 < 0.5 else 2 * x\n"
        "def twice(x):\n    return one(x)\ndef answer(function, inputs, cpu, wall):\n"
        "    key = inputs[0].tobytes() + bytes(inputs[0].shape)\n"
        "    if function is twice and key in asked:\n        function = other\n    asked.add(key)\n"
        "    return real(function, inputs, cpu, wall)\nchild.answer = answer"
    ),
    "a reading for each way of being asked": (
        "n = 0\ndef twice(x):\n    global n\n    n += 1\n    return x if n == 1 else 2 * x"
    ),  # the first call of a process, and all others
    "an answer by shape": "def twice(x):\n    return 2 * np.ones((3, 2))",
    "random numbers": "def twice(x):\n    return np.random.normal(size=x.shape)",
}
RESULTS = {  # of a call, and what they are
    ("wrong",): {
        "an object that equals everything": (
            "class E:\n    def __eq__(self, o):\n        return True\n"
            "    __ne__ = lambda s, o: False\ndef twice(x):\n    return E()"
        ),
        "an array that equals everything": (
            "class F(np.ndarray):\n    def __eq__(self, o):\n"
            "        return np.full(self.shape, True)\ndef twice(x):\n    return x.view(F)"
        ),
        "an object that pickles to a command": (
            "class P:\n    def __reduce__(self):\n        return os.system, ('touch /tmp/here',)\n"
            "def twice(x):\n    return P()"
        ),
        "an array of objects": "return np.array([None] * x.size, object)",
        "NaN": "return x * np.nan",
        "strings": "return (2 * x).astype(str)",
        "complex numbers": "return 2 * x + 0j",
        "truths": "return x > 0",
        "nothing": "2 * x",
        "the input changed in place": "x *= 2\nreturn x",
        "a view that is written to later": (
            "threading.Timer(0.1, lambda: x.fill(7)).start()\nreturn x"
        ),
        "a list in itself": "a = []\na.append(a)\ndef twice(x):\n    return a",
        "numbers without end": "while True:\n    yield 1.0",
        "a file that is carried on": (
            "with open('/tmp/n', 'a') as f:\n    f.write('x')\n"
            "return 2 * x if os.path.getsize('/tmp/n') == 1 else x"
        ),
    },
    ("wrong", "bad result", "out of memory"): {
        "800 MB of zeros": "return np.broadcast_to(x.sum(), (10_000, 10_000))",
    },
    ("wrong", "bad result", "timed out", "late"): {
        "a million lists": "return [[1.0] for _ in range(10**6)]"
    },
    ("wrong", "bad result"): {"a number of a million digits": "return 10**1_000_000"},
    ("correct",): {
        # Each call is the first one
        "state that is carried on": (
            "n = 0\ndef twice(x):\n    global n\n    n += 1\n    return 2 * x if n < 4 else x"
        ),
        "prints, warnings and plots": (
            "%matplotlib inline\nimport warnings, matplotlib.pyplot as plt\n"
            "from attnlib.widgets import SelfAttention\nSelfAttention('I saw a saw')\n"
            "from IPython.display import display\nfig, ax = plt.subplots()\nax.plot([1, 2])\n"
            "!echo hello\ndef twice(x):\n    print('x' * 10**6)\n    warnings.warn('careful')\n"
            "    sys.stderr.write('oh')\n    display(ax)\n    return 2 * x"
        ),
        "a list": "return (2 * x).tolist()",
        "float32": "return (2 * x).astype('f4')",
    },
}
ENDINGS = {
    ("exception",): {
        "everybody is killed": "os.kill(-1, 9)\nreturn 2 * x",
        "input": "return 2 * float(input())",
        "an exception that cannot be told": (
            "class X(Exception):\n    def __str__(self):\n        raise X\n"
            "def twice(x):\n    raise X"
        ),
        "a full disk": (
            "for n in range(1000):\n    with open(f'/tmp/{n}', 'wb') as f:\n"
            "        f.write(bytes(10**6))\nreturn 2 * x"
        ),
        "files without end, and without a byte": (
            "for n in range(5000):\n    open(f'/tmp/{n}', 'w').close()\nreturn x"
        ),
    },
    ("exited",): {"os._exit": "os._exit(0)", "sys.exit": "sys.exit(0)"},
    ("crashed",): {"a segmentation fault": "ctypes.string_at(0)"},
    ("correct",): {
        # It is the first of its namespace, which nobody in there can kill
        "the parent is killed": "os.kill(os.getppid(), 9)\ntime.sleep(0.1)\nreturn 2 * x",
        "memory that hides in pipes": (
            "libc = ctypes.CDLL(None)\ndef twice(x):\n"
            "    held = mmap.mmap(-1, 64 << 20, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)\n"
            "    class Piece(ctypes.Structure):\n"
            "        _fields_ = (('at', ctypes.c_void_p), ('n', ctypes.c_size_t))\n"
            "    at = ctypes.addressof(ctypes.c_char.from_buffer(held))\n    _, end = os.pipe()\n"
            "    return 2 * x if libc.vmsplice(end, ctypes.byref(Piece(at, 4096)), 1, 0) < 0 else x"
        ),
    },
    ("timed out",): {
        "an endless loop": "while True:\n    pass",
        "endless output": "while True:\n    print('x' * 10**6)",
    },
    ("timed out", "out of memory"): {
        "an endless loop that ignores signals": (
            "for s in range(1, 64):\n    try:\n        signal.signal(s, signal.SIG_IGN)\n"
            "    except (OSError, ValueError):\n        pass\ndef twice(x):\n    while True:\n"
            "        pass"
        ),
    },
    ("late",): {"sleep": "time.sleep(1000)\nreturn 2 * x"},
    ("out of memory",): {
        "ten gigabytes": "return 2 * x + np.ones(10**9)[0]",
        "memory bit by bit": "kept = []\nwhile True:\n    kept.append(np.ones(10**6))",
    },
    ("exception", "crashed"): {"recursion": "return twice(x)"},
    ("timed out", "late", "out of memory"): {
        "a fork bomb": (
            "while True:\n    try:\n        os.fork()\n    except OSError:\n        pass"
        ),
    },
    ("out of memory", "late"): {
        "memory of many processes": (
            "for _ in range(10):\n    if os.fork() == 0:\n        kept = np.ones(12 * 10**6)\n"
            "        time.sleep(60)\ntime.sleep(60)\nreturn 2 * x"
        ),
        "memory of a process whose first thread has ended": (
            "def fill():\n    kept = []\n    while True:\n        kept.append(np.ones(10**6))\n"
            "        time.sleep(0.005)\ndef twice(x):\n    for _ in range(4):\n"
            "        if os.fork() == 0:\n            threading.Thread(target=fill).start()\n"
            "            ctypes.CDLL(None).syscall(60, 0)\n    time.sleep(60)\n    return 2 * x"
        ),
    },
    ("correct", "late"): {
        "a daemon that holds the pipe": (
            "if os.fork() == 0:\n    os.setsid()\n    time.sleep(1000)\nreturn 2 * x"
        ),
    },
}
CELLS = {  # what a cell does before the functions are there; all that comes after is run
    "an exception": "1 / 0",
    "sys.exit in a cell": "raise SystemExit",
    "os._exit in a cell": "os._exit(0)",
    "a crash in a cell": "ctypes.string_at(0)",
    "a cell that kills everybody": "os.kill(-1, 9); os.kill(os.getpid(), 9)",
    "a cell without end": "while True:\n    pass",
    "a cell that sleeps": "time.sleep(1000)",
    "a cell that waits for input": "input()",
    "a cell that is no Python": "def broken(",
    "a cell of another language": "%%bash\nrm -rf /",
    "a cell that fills memory": "kept = [np.ones(10**6) for _ in range(10**4)]",
    "a cell that keeps all memory": "kept = []\nwhile True:\n    kept.append(np.ones(10**6))",
    "threads and daemons that go on": (
        "def spin():\n    while True:\n        time.sleep(0.01)\n"
        "for _ in range(5):\n    threading.Thread(target=spin, daemon=True).start()"
    ),
    "a fork that goes on": (
        "if os.fork() == 0:\n    os.setsid()\n    time.sleep(100)\n    os._exit(0)"
    ),
    "closed descriptors of its own": "os.close(0); os.close(1); os.close(2)",
    "standard streams replaced": "sys.stdout = sys.stderr = sys.stdin = None",
}


@pytest.fixture(scope="module", autouse=True)
def few():
    """Draw few random cases."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(judge, "N_DRAWN", FEW)
        yield


@pytest.fixture(scope="module")
def judged(image, tmp_path_factory):
    """A function that grades cells, and gives the marks by task."""
    assignment = Assignment("hw1", put_assignment(tmp_path_factory.mktemp("toy") / "hw"))

    def judged(*cells, limits=LIMITS):
        submission = Submission((IMPORTS, *cells))
        marks = examine(assignment, b"secret", "ada", submission, Runner(image, limits))
        assert left_running(image) == []
        return {mark.task: mark for mark in marks}

    return judged


def left_running(image):
    """Return the command lines of processes that run out of an image."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            places = (process / "cmdline").read_bytes() + (process / "mountinfo").read_bytes()
        except OSError:
            continue
        if image.folder.name.encode() in places:
            found.append((process / "cmdline").read_text())
    return found


@pytest.mark.smoke
def test_honest_work_is_correct(judged):
    assert [mark.verdict for mark in judged(*HONEST).values()] == ["correct", "correct"]


@pytest.mark.parametrize("cell", FOR_A_MARK.values(), ids=FOR_A_MARK)
def test_nothing_that_is_not_right_gets_a_mark(judged, cell):
    twice = judged(SUMS, cell, *[WRONG] * ("def twice" not in cell))["twice"]
    assert twice.points == 0, twice
    assert twice.verdict != "correct"


def each(table):
    """Give of a table the kinds, the cells that define `twice`, and the verdicts that are right."""
    for verdicts, kinds in table.items():
        for kind, code in kinds.items():
            is_body = "def twice" not in code
            yield kind, "def twice(x):\n" + indent(code, "    ") if is_body else code, verdicts


def test_results_of_any_kind_are_judged_by_what_they_are(image, tmp_path):
    """All of them in one notebook, each a task of its own."""
    asked = {f"twice_{place:02}": one for place, one in enumerate(each(RESULTS))}
    cells = [cell.replace("twice", name) for name, (_, cell, _) in asked.items()]
    assignment = Assignment("hw1", put_assignment(tmp_path / "hw", copies=asked))
    submission = Submission((IMPORTS, SUMS, WRONG, *cells))
    marks = examine(assignment, b"secret", "ada", submission, Runner(image, LIMITS))
    found = {mark.task: mark.verdict for mark in marks}
    assert (found.pop("twice"), found.pop("sums")) == ("wrong", "correct")
    assert found.keys() == asked.keys()
    assert [kind for name, (kind, _, due) in asked.items() if found[name] not in due] == []


@pytest.mark.parametrize(
    ("cell", "verdicts"), [pytest.param(*more, id=kind) for kind, *more in each(ENDINGS)]
)
def test_a_call_that_ends_badly_costs_its_own_task_alone(judged, cell, verdicts):
    marks = judged(SUMS, cell, limits=HURRIED if "late" in verdicts else SHORT)
    assert marks["twice"].verdict in verdicts, marks["twice"]
    assert marks["sums"].verdict == "correct", marks["sums"]


@pytest.mark.parametrize("attack", CELLS)
def test_a_cell_that_ends_badly_is_left_out_and_the_others_count(judged, attack):
    limits = HURRIED if "sleep" in attack else SHORT
    marks = judged("def twice(x):\n    return 2 * x", CELLS[attack], SUMS, limits=limits)
    assert {mark.verdict for mark in marks.values()} == {"correct"}, marks


def test_what_a_cell_defines_that_ends_badly_stays(judged):
    """Work may stand in one cell with an experiment that takes too long here."""
    cell = "FACTOR = 2\ndef twice(x):\n    return FACTOR * x\nwhile True:\n    pass"
    marks = judged(cell, SUMS, limits=SHORT)
    assert {mark.verdict for mark in marks.values()} == {"correct"}, marks
    cell = "class A:\n    while True:\n        pass\ndef twice(x):\n    return 2 * x"
    marks = judged(cell, SUMS, limits=SHORT)
    assert (marks["twice"].verdict, marks["sums"].verdict) == ("timed out", "correct")
    assert marks["twice"].reason == (
        "Code cell 2 of the notebook took too long, so twice is not there. "
        "Is there a loop that does not end?"
    )


def test_however_many_cells_end_badly_what_is_defined_stays(judged):
    limits = replace(LIMITS, cell=0.2, cells=1.0)
    marks = judged(SUMS, *["while True:\n    pass"] * 7, HONEST[1], limits=limits)
    assert {mark.verdict for mark in marks.values()} == {"correct"}, marks


def test_a_cell_that_keeps_all_memory_is_named_and_what_to_do_is_told(judged):
    cell = (
        "kept = []\ntry:\n    while True:\n        kept.append(np.ones(10**6))\n"
        "except MemoryError:\n    pass\ntaken = len(kept)\ndef twice(x):\n    return x * taken"
    )
    marks = judged(cell, SUMS)
    assert (marks["twice"].verdict, marks["sums"].verdict) == ("exception", "correct")
    assert marks["twice"].reason == (
        "Code cell 2 of the notebook left no memory to the functions, and `taken` was to come of "
        "it. Keep less of it: `del` what they do not need, or make it smaller."
    )


def test_who_sleeps_wherever_it_can_holds_a_job_for_a_bounded_time(judged):
    """And the honest one beside it, with pauses where people put them, keeps its points."""
    few = replace(LIMITS, cells=2.0, cell=1.0, patience=1.0, spare=2.0, waits=2.0)
    cells = ["time.sleep(2.5)"] * 200  # eight minutes, and this test has five
    functions = [one.replace("return", "time.sleep(2.5); return") for one in (*HONEST[1:],)]
    marks = judged(*cells, *functions, limits=few)
    assert {mark.verdict for mark in marks.values()} == {"late"}
    paused = HONEST[1].replace("return", "time.sleep(0.02); return")
    marks = judged("time.sleep(1)", paused, "time.sleep(1)", SUMS, limits=Limits())
    assert {mark.verdict for mark in marks.values()} == {"correct"}


def test_what_cells_keep_is_not_counted_for_each_call_anew(judged):
    slow = "def twice(x):\n    time.sleep(0.5 * (x.shape == (3,)))\n    return 2 * x"
    marks = judged("kept = np.ones(25 * 10**6)", slow, SUMS)  # half of what there is
    assert {mark.verdict for mark in marks.values()} == {"correct"}, marks


# What there is to be seen, and to be reached


def seen(image, code):
    """Return what a function sees from within."""
    (reply,) = seen_by_each(image, [code]).values()
    return reply


def seen_by_each(image, codes):
    """Return what functions see from within one sandbox, each by its code."""
    names = {f"look_{number}": code for number, code in enumerate(codes)}
    cells = [f"def {name}():\n" + indent(code, "    ") for name, code in names.items()]
    calls = [Calls(name, ((),)) for name in names]
    ran = Runner(image, LIMITS).run((IMPORTS, *cells), calls)
    return {code: ran.replies[name][0] for name, code in names.items()}


def test_nothing_of_the_machine_is_seen(image):
    places = ["/home", "/etc", "/var", "/usr/bin", str(Path.home()), os.getcwd(), str(ROOT)]
    codes = [f"return os.listdir({p!r}) if os.path.exists({p!r}) else []" for p in places]
    outside = "('proc', 'image', 'dev')"
    files = (
        f"return [os.path.join(at, one) for top in os.listdir('/') if top not in {outside}\n"
        "        for at, _, names in os.walk('/' + top) for one in names]"
    )
    found = {code: reply.result for code, reply in seen_by_each(image, [*codes, files]).items()}
    assert found.pop(files) == [*image.by_path]  # what starts a program, and not one file more
    assert found == {code: [] for code in codes}


def test_nothing_of_the_judge_is_seen(image):
    code = (
        "found = []\n"
        "for top in ('/image', '/tmp', '/proc/self'):\n"
        "    for folder, _, names in os.walk(top):\n"
        "        if folder.startswith('/proc/self/task'): continue\n"
        "        for name in names:\n"
        "            if name in ('judge.py', 'twice.py', 'hw1.json'): found.append(name)\n"
        "return found"
    )
    assert seen(image, code).result == []


def test_no_answer_is_in_its_memory(image):
    kinds = "('Case', 'Exercise')"
    code = f"return [str(type(o)) for o in gc.get_objects() if type(o).__name__ in {kinds}]"
    assert seen(image, code).result == []


def test_other_processes_and_their_environment_are_not_seen(image, monkeypatch):
    monkeypatch.setenv("SECRET_OF_THE_TEACHER", "42")
    code = (
        "found = []\n"
        "for name in os.listdir('/proc'):\n"
        "    if name.isdigit():\n"
        "        try: found.append(open(f'/proc/{name}/environ', 'rb').read().decode())\n"
        "        except OSError: pass\n"
        "return str(found) + str(os.environ)"
    )
    assert "SECRET" not in seen(image, code).result
    assert seen(image, "return os.environ['ATTNLIB_MINE']").result == ""  # and no mine.py is read
    assert len(seen(image, "return [n for n in os.listdir('/proc') if n.isdigit()]").result) < 6


@pytest.mark.smoke
def test_what_is_refused(image):
    codes = [
        "socket.create_connection(('127.0.0.1', 22), 1)",
        "socket.create_connection(('1.1.1.1', 53), 1)",
        "open('/image/site/attnlib/__init__.py', 'a')",
        "open('/usr/lib/here', 'w')",
        "open('/here', 'w')",
        "open('/dev/shm/here', 'w')",
        "os.memfd_create('hidden')",
        "os.setuid(0)",
        "subprocess.run(['/bin/sh', '-c', 'true'], check=True)",
        "os.chroot('/tmp')",
        "os.mknod('/tmp/disk', 0o60666, 2049)",
        "os.nice(-5)",
        "socket.socket()",
        "socket.socketpair()",
        "socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM)",
        "mmap.mmap(-1, 1 << 20)",
        "mmap.mmap(os.open('/dev/zero', os.O_RDWR), 1 << 20)",
        "os.listdir('/usr/lib/python3')",
        "os.utime('/dev/null')",
        "import fcntl\nfcntl.fcntl(os.open('/image/site/attnlib/__init__.py', 0), 1024, 1)",
        "import fcntl\nfcntl.flock(os.open('/image', 0), fcntl.LOCK_SH)",
    ]
    codes = [f"{code}\nreturn 'done'" for code in codes]
    found = seen_by_each(image, codes)
    assert {code: reply.kind for code, reply in found.items()} == dict.fromkeys(codes, "raised")


def test_calls_of_the_kernel_that_are_refused(image):
    names = [
        "unshare(0x10000000)",
        "ptrace(0)",
        "shmget(0, 4096, 0o1600)",
        "prctl(1, 0)",  # what ends it with the grader
        "syscall(438, 3, 1, 0)",  # pidfd_getfd
        "mmap(None, 1 << 20, 3, 0x21, -1, 0)",
        "mmap(None, 2 << 20, 3, 0x40022, -1, 0)",  # huge pages
        "syscall(206, 10, ctypes.byref(ctypes.c_long()))",  # io_setup: its slots are the machine's
        "fcntl(os.open('/image/bin/python', 0), 6, ctypes.create_string_buffer(64))",  # a lock
        "fcntl(os.pipe()[1], 1031, 1 << 20)",  # a larger pipe
        "posix_fadvise(os.open('/image/bin/python', 0), 0, 0, 4)",
        "syscall(327, os.open('/image/bin/python', 0), 0, 0, 0, 0, 8)",  # preadv2
        "syscall(27, 0x400000, 4096, ctypes.create_string_buffer(9))",  # mincore
        "madvise(ctypes.c_void_p(id(0) & -4096), 4096, 21)",  # out of memory, for all who map it
        "syscall(278, 0, 0, 0, 0)",  # vmsplice
        "link(b'/tmp/a', b'/tmp/b')",
        "symlink(b'/tmp/a', b'/tmp/b')",
        "syscall(435, ctypes.create_string_buffer(88), 88)",  # clone3, whose flags cannot be read
        "syscall(56, 0x10000011, 0, 0, 0, 0)",  # clone, with namespaces
        "execv(b'/image/bin/python', None)",
        "sendmsg(3, ctypes.create_string_buffer(56), 0)",
        "send([o for o in gc.get_objects() if type(o).__name__ == 'Line'][0].connection.fileno(),"
        " b'x', 1, 1)",  # out of band
        "mount(b'x', b'/tmp', b'tmpfs', 0, None)",
        "syscall(0x40000000 + 39)",  # the other numbers of an x86-64
    ]
    codes = [f"return int(ctypes.CDLL(None, use_errno=True).{name})" for name in names]
    found = {code: reply.result for code, reply in seen_by_each(image, codes).items()}
    refused_by_number = {code: -1 for code in codes if "fadvise" not in code}
    assert {code: found[code] for code in refused_by_number} == refused_by_number
    assert found.keys() - refused_by_number.keys()
    assert all(found[code] > 0 for code in found.keys() - refused_by_number.keys())  # its error


def test_it_has_no_right_left_and_a_filter(image):
    code = (
        "lines = open('/proc/self/status').read().split('\\n')\n"
        "named = ('CapEff', 'CapPrm', 'Seccomp:')\n"
        "return str([line.split()[1] for line in lines if line.startswith(named)])"
    )
    assert seen(image, code).result == str(["0" * 16] * 2 + ["2"])


def test_nothing_is_left_and_nothing_was_written(image, judged, tmp_path):
    before = {path: path.stat().st_mtime_ns for path in image.folder.rglob("*")}
    here = sorted(os.listdir("/tmp"))
    judged("open('/tmp/mine', 'w').write('x')", *HONEST)
    assert {path: path.stat().st_mtime_ns for path in image.folder.rglob("*")} == before
    assert "mine" not in set(os.listdir("/tmp")) - set(here)
    assert left_running(image) == []


@pytest.fixture
def crowd():
    """More processes of the user to whom sandboxes belong than one of them may have."""
    found = [subprocess.Popen(["sleep", "100"], **unprivileged()) for _ in range(20)]
    yield found
    for one in found:
        one.kill()
        one.wait()


def test_without_a_sandbox_nothing_but_the_notebook_is_counted_or_ended(image, crowd):
    """There it is one of all the processes that its user runs, and could reach them."""
    runner = Runner(image, LIMITS, is_open=True)
    ran = runner.run((IMPORTS, "def f():\n    return 1.0"), [Calls("f", ((), ()))])
    assert [reply.result for reply in ran.replies["f"]] == [1.0, 1.0]
    assert {one.poll() for one in crowd} == {None}


@pytest.mark.usefixtures("crowd")
def test_where_all_processes_of_a_user_are_counted_no_sandbox_starts(image):
    """So older kernels do it, and no student is to hear that a call ended Python."""
    code = (
        f"import sys\nsys.path.insert(0, '{image.folder}/site')\n"
        "from course.grading.confine import restrict\nrestrict(400, 16, 8)"
    )
    command = [image.folder / "bin" / "python", "-I", "-S", "-B", "-c", code]
    env = {"LD_LIBRARY_PATH": f"{image.folder}/lib"}
    done = subprocess.run(command, env=env, capture_output=True, text=True, **unprivileged())
    assert done.stderr.splitlines()[-1].startswith("BlockingIOError")


FORGED = {  # frames and replies that are trees, and none that the judge waits for
    "an array for a word": "line.send((np.zeros(3), 0))",
    "an array for a number": "line.send(('cell', np.zeros(3)))",
    "told with arrays": "line.send(('ready', (1, 1), ((np.zeros(2), np.zeros(2), '', '', 0),)))",
    "a name of a million letters": (
        "line.send(('ready', (1, 1), ((0, 'raised', 'X' * 10**6, '', 0),)))"
    ),
    "no axes of any length": (
        "import struct\n"
        "head = b'a' + struct.pack('>BB4Q', 11, 4, 0, 2**26, 2**26, 2**26)\n"
        "line.connection.sendall(struct.pack('>I', len(head)) + head)"
    ),
    "noise": "line.connection.sendall(os.urandom(1000))",
}
FORGED_REPLIES = {
    "an array for the kind": "(np.zeros(2), 1.0, ())",
    "an array for a name": "('raised', np.zeros(2), '', 0, None, ())",
    "a line of 400 digits": "('raised', 'X', '', 10**399, None, ())",
    "a name of a million letters": "('raised', 'X' * 10**6, '', 0, None, ())",
    "an operation of a million letters": "('raised', 'X', '', 0, ('@' * 10**6, (), True), ())",
    "90,000 shapes": "('raised', 'X', '', 0, ('@', ((),) * 90_000, True), ())",
    "an array for a shape": "('raised', 'X', '', 0, ('@', (np.zeros(10**6),), True), ())",
    "a text among numbers": "('answer', ['x' * 200_000, *[0.5] * 4000], ())",
    "95,000 empty arrays": "('answer', [np.zeros((0, 1 << 20))] * 95_000, ())",
}


def test_a_few_bytes_cannot_become_gigabytes_in_the_judge(judged):
    forged = (
        "import struct\n"
        "from course.grading import child, wire\n"
        "part = (b'(\\0\\0\\0\\3s\\0\\0\\0\\6answer[' + struct.pack('>I', 12_000)\n"
        "        + (b'a' + bytes([5, 0, 7])) * 12_000 + b'(\\0\\0\\0\\0')\n"
        "child.answer = lambda *_: ('answered', part)"
    )
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    marks = judged(SUMS, WRONG, forged)
    assert {mark.verdict for mark in marks.values()} == {"bad result"}, marks
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100 << 10  # kilobytes


def test_a_crowd_of_versions_is_none(judged):
    forged = (
        "import gc\nfrom course.grading import child, wire\n"
        "child.run = 0\n"
        "line = next(o for o in gc.get_objects() if isinstance(o, wire.Line))\n"
        "line.send(('ready', (10**300, 10**300), ()))"
    )
    marks = judged(forged, SUMS, WRONG)
    assert not any(mark.points for mark in marks.values())


@pytest.mark.parametrize("forged", FORGED)
def test_forged_frames_end_nothing_but_their_sandbox(judged, forged):
    find = "from course.grading import wire\n" + (
        "line = next(o for o in gc.get_objects() if isinstance(o, wire.Line))\n"
    )
    marks = judged(SUMS, find + FORGED[forged], WRONG)
    assert marks["twice"].points == 0
    assert all(len(mark.reason) < 500 for mark in marks.values())


@pytest.mark.parametrize("forged", FORGED_REPLIES)
def test_forged_replies_are_bad_results(judged, forged):
    code = f"child.call = lambda f, i: wire.encode({FORGED_REPLIES[forged]})"
    marks = judged(SUMS, f"from course.grading import child, wire\n{code}", WRONG)
    assert {mark.verdict for mark in marks.values()} <= {"bad result", "wrong", "timed out", "late"}
    assert marks["twice"].points == 0
    assert all(len(mark.reason) < 500 for mark in marks.values())


def test_what_is_left_behind_by_a_killed_grader_ends(image):
    """Whatever the notebook does: the kernel ends it with the process that started it."""
    grade = (
        "from course.grading.runner import Calls, Runner\nfrom types import SimpleNamespace as N\n"
        f"import pathlib\nimage = N(folder=pathlib.Path({str(image.folder)!r}), "
        f"python='/image/bin/python', by_path={image.by_path})\n"
        "Runner(image).run(['import ctypes, os, time\\nctypes.CDLL(None).prctl(1, 0)\\n"
        "if os.fork() == 0: os.setsid()\\nwhile True: time.sleep(1)'], [Calls('f', ((),))])"
    )
    grader = subprocess.Popen([sys.executable, "-c", grade], cwd=ROOT)
    until = time.monotonic() + 60
    while len(left_running(image)) < 3:  # bubblewrap, and the two that the cell makes
        assert time.monotonic() < until
        time.sleep(0.05)
    grader.kill()
    grader.wait()
    while left_running(image):
        assert time.monotonic() < until
        time.sleep(0.05)
