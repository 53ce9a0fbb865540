"""What a worker of a cluster does: it runs a submission, in a sandbox, and says what came of it.

The courier names `work_on`, and runs none of it; so what that needs is imported where it runs.
"""

import threading

_lock = threading.Lock()
_kept: list = []


def work_on(data: bytes) -> bytes:
    """Run a submission; both it and what came of it are trees, as bytes."""
    from course.grading.replies import Calls, to_tree
    from course.grading.wire import decode, encode

    cells, asked = decode(data)
    calls = [Calls(name, tuple(inputs)) for name, inputs in asked]
    return encode(to_tree(runner().run(cells, calls)))


def runner():
    """Make an image and see whether it can be run in a sandbox; once in a process."""
    import atexit
    import contextlib

    from course.grading.image import Image
    from course.grading.runner import Runner
    from course.grading.sandbox import check

    with _lock:
        if not _kept:
            with contextlib.ExitStack() as stack:
                image = stack.enter_context(Image())
                check(image)
                atexit.register(stack.pop_all().close)
            _kept.append(Runner(image))
        return _kept[0]
