"""A class in which some want to harm all others: nobody else loses anything by it."""

import resource
from dataclasses import replace

import pytest

from course.grading.replies import Calls
from course.grading.runner import Runner
from course.grading.submission import UngradedError
from course.grading.wire import MOST_THINGS
from tests.grading.test_attacks import IMPORTS, LIMITS
from tests.grading.test_reading import BOMBS
from tests.grading.toy import HONEST, graded, hand_in, put_assignment

KERNEL = "libc = ctypes.CDLL(None, use_errno=True)\n"
HOSTILE = {  # what their first cell does
    "holds huge pages in pipes": KERNEL + (
        "held = mmap.mmap(-1, 64 << 20, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)\n"
        "held.madvise(mmap.MADV_HUGEPAGE)\nheld[::4096] = bytes(len(held) // 4096)\n"
        "at = ctypes.addressof(ctypes.c_char.from_buffer(held))\nkept = []\n"
        "while True:\n    kept += os.pipe()\n    libc.fcntl(kept[-1], 1031, 1 << 20)\n"
        "    for page in range(256):\n"
        "        piece = (ctypes.c_size_t * 2)(at + (page << 12), 4096)\n"
        "        if libc.syscall(278, kept[-1], piece, 1, 0) < 0:\n            raise SystemExit"
    ),
    "takes all slots for asynchronous files": KERNEL + (
        "while libc.syscall(206, 10_000, ctypes.byref(ctypes.c_long())) == 0:\n    pass"
    ),
    "makes links without end": KERNEL + (
        "open('/tmp/a', 'w').close()\n"
        "for n in range(10**6):\n    libc.link(b'/tmp/a', b'/tmp/%d' % n)\n"
        "    libc.symlink(b'x' * 4000, b'/tmp/s%d' % n)\n    os.mkdir(f'/tmp/{n}')"
    ),
    "fills memory": "kept = [np.ones(10**7) for _ in range(10**4)]",
    "forks": "while True:\n    try:\n        os.fork()\n    except OSError:\n        pass",
    "ends Python, again and again": "import atexit\natexit.register(os.abort)\nos._exit(3)",
    "kills all that it sees": "for pid in (-1, 1, os.getppid()):\n    os.kill(pid, 9)\nos._exit(1)",
    "never ends": "while True:\n    pass",
    "locks and writes what is not its own": KERNEL + (
        "for path in ('/image/bin/python', '/usr/lib', '/image/site/attnlib/__init__.py'):\n"
        "    libc.fcntl(os.open(path, 0), 6, ctypes.create_string_buffer(64))\n"
        "    libc.fcntl(os.open(path, 0), 1024, 1)"
    ),
    "forges what comes back": (
        "for fd in range(3, 60):\n    try:\n        os.write(fd, b'\\0\\0\\0\\1n' * 10**5)\n"
        "    except OSError:\n        pass"
    ),
}  # fmt: skip
FEW = ("holds huge pages in pipes", "takes all slots for asynchronous files",
       "makes links without end", "ends Python, again and again")  # fmt: skip
DUE = [4, 3]


def a_class(room, n_honest, hostile, bombs):
    """Hand in so many honest notebooks, and the hostile ones and bombs among them."""
    names = [f"honest {k:02}" for k in range(n_honest)]
    for name in names:
        hand_in(room / "in", name, *HONEST)
    for k, what in enumerate(hostile):
        hand_in(room / "in", f"honest {k:02} {what}", IMPORTS, HOSTILE[what], *HONEST[1:])
    for k, what in enumerate(bombs):
        hand_in(room / "in", f"honest {k:02} {what}", *HONEST).write_text(BOMBS[what][0]())
    return names


@pytest.mark.needs("bwrap")
@pytest.mark.timeout(300)
@pytest.mark.parametrize("hostile", [FEW, pytest.param([*HOSTILE], marks=pytest.mark.weekly)])
def test_the_honest_have_their_marks_and_each_other_one_is_named(tmp_path, image, hostile):
    (bomb,) = bombs = ("numbers for lines",)
    honest = a_class(tmp_path, 3, hostile, bombs)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    put_assignment(tmp_path / "hw")
    found = graded(tmp_path, Runner(image, replace(LIMITS, spare=30.0)), jobs=2)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 60 << 10  # kilobytes
    assert {name: found.pop(name) for name in honest} == dict.fromkeys(honest, DUE)
    assert found.pop(f"honest 00 {bomb}") == BOMBS[bomb][1]
    assert {name[10:] for name in found} == {*hostile}
    assert all(isinstance(points, list) for points in found.values())


@pytest.mark.needs("bwrap")
@pytest.mark.timeout(120)
def test_what_cannot_be_sent_is_its_own_students_not_graded(image):
    """It is the notebook's doing, and no fault of a sandbox, which would end the run."""
    why = "its code could not be handed to a sandbox: .* too many things"
    with pytest.raises(UngradedError, match=why):
        Runner(image, LIMITS).run(["twice = 0"] * (MOST_THINGS + 1), [Calls("twice", ((1.0,),))])
