"""What `dask worker --preload` loads to make a worker a bad one, as BAD_WORKER says.

A worker that is told where copies of Python and NumPy are (WORKERS_IMAGE) makes none of its own.
"""

import json
import os
import threading
from pathlib import Path
from types import SimpleNamespace

import numpy as np

from course.grading import worker
from course.grading.image import INSIDE
from course.grading.runner import Runner
from course.grading.wire import decode, encode

HOW, NOTE = os.environ.get("BAD_WORKER", ""), Path(os.environ.get("BAD_WORKER_NOTE", ""))
IMAGE = os.environ.get("WORKERS_IMAGE")
PROBE = """
import json, os, socket, sys

def tried(what, *given):
    try:
        return repr(what(*given))
    except Exception as error:
        return type(error).__name__

def spoke(family, where):
    with socket.socket(family) as line:
        line.settimeout(5)
        line.connect(where)
        return "connected"

paths = {paths!r}
found = {{
    "modules": list(sys.modules),
    "opened": [tried(os.readlink, "/proc/self/fd/" + fd) for fd in os.listdir("/proc/self/fd")],
    "processes": len([name for name in os.listdir("/proc") if name.isdigit()]),
    "variables": list(os.environ),
    "read": [tried(lambda path: open(path, "rb").read(), path) for path in paths],
    "listed": [tried(os.listdir, path) for path in paths],
    "written": [tried(open, path + ".new", "wb") for path in paths],
    "root": sorted(os.listdir("/")),
    "sockets": [tried(spoke, socket.AF_UNIX, where) for where in {sockets!r}],
    "network": [tried(spoke, socket.AF_INET, (host, {port})) for host in {hosts!r}],
}}
said = json.dumps(found).encode()
"""
run_well = worker.run_well = getattr(worker, "run_well", worker.work_on)  # it is loaded twice


class Probe:
    """Runs where it is unpickled."""

    def __reduce__(self):
        code = PROBE.format(**json.loads(os.environ["BAD_WORKER_TOLD"]))
        return eval, ("exec(code, names) or names['said']", {"code": code, "names": {}})


def wrong(data):
    """Change all answers of the first submission alone."""
    reply = run_well(data)
    if NOTE.exists():
        return reply
    functions, *rest = decode(reply)
    changed = tuple(
        (name, tuple((kind, np.float64(0), *others) for kind, _, *others in replies))
        for name, replies in functions
    )
    return encode((changed, *rest))


def cut(data):
    """Leave out the end."""
    return run_well(data)[:-7]


def refuse(data):
    raise RuntimeError("not\x1b[2J here")


WAYS = {
    "noise": lambda data: b"\xff" * 1000,
    "cut": cut,
    "another tree": lambda data: encode(((), (), (), "")),
    "no bytes": lambda data: ["no bytes"],
    "huge": lambda data: bytes(65 << 20),
    "raises": refuse,
    "wrong once": wrong,
    "silent": lambda data: threading.Event().wait(),
    "probe": lambda data: Probe(),
    "as it is asked to be": lambda data: WAYS[decode(data)[0][0]](data),
}


def work_on(data):
    """Be bad, and note that one was."""
    reply = None
    try:
        if HOW == "silent":
            NOTE.touch()
        reply = WAYS[HOW](data)
    finally:
        NOTE.touch()
    return reply


if HOW:  # and not where somebody only looks for tests in here
    worker.work_on = work_on
if IMAGE:
    folder, by_path = json.loads(IMAGE)
    copied = SimpleNamespace(folder=Path(folder), python=f"{INSIDE}/bin/python", by_path=by_path)
    worker._kept.append(Runner(copied))
