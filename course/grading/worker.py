"""What a worker of a cluster does: it runs a submission, in a sandbox, and says what came of it."""

import atexit
import contextlib
import threading

from course.grading.image import Image
from course.grading.replies import Calls, to_tree
from course.grading.runner import Runner
from course.grading.sandbox import check
from course.grading.wire import decode, encode

_lock = threading.Lock()
_kept: list[Runner] = []


def work_on(data: bytes) -> bytes:
    """Run a submission; both it and what came of it are trees, as bytes."""
    cells, asked = decode(data)
    calls = [Calls(name, tuple(inputs)) for name, inputs in asked]
    return encode(to_tree(runner().run(cells, calls)))


def runner() -> Runner:
    """Make an image and see whether it can be run in a sandbox; once in a process."""
    with _lock:
        if not _kept:
            with contextlib.ExitStack() as stack:
                image = stack.enter_context(Image())
                check(image)
                atexit.register(stack.pop_all().close)
            _kept.append(Runner(image))
        return _kept[0]
