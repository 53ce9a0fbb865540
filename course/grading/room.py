"""The courier's room: an empty root with the interpreter, five files of ours, and one door.

Dask unpickles what its workers send, so whoever runs a worker can run code in here. There is
nothing here to read, no network, and no other process.
"""

import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

from course.files import ROOT

INSIDE = "/courier"
FILES = ("__init__", "grading/__init__", "grading/courier", "grading/relay", "grading/wire",
         "grading/worker")  # fmt: skip
SYSTEM = ("/usr/lib", "/usr/lib64", "/lib", "/lib64")  # what the interpreter is linked against
ROOM = 16 << 20  # bytes, for what is temporary


def confined(door: Path, files: list[Path], environment: Mapping[str, str]) -> list[str]:
    """Return what a command begins with, so that it runs in the room.

    Parameters
    ----------
    door
        A socket, which is there by the same path.
    files
        What else is: certificates, say.
    environment
        All variables that there are.
    """
    ours = [(ROOT / "course" / f"{name}.py", f"{INSIDE}/course/{name}.py") for name in FILES]
    shown = [*[(path, path) for path in (*_interpreter(), *files, door)], *ours]
    variables = {**environment, "PYTHONPATH": INSIDE, "HOME": "/", "LANG": "C.UTF-8"}
    return [
        shutil.which("bwrap") or "bwrap",
        *("--unshare-all", "--disable-userns", "--unshare-user", "--cap-drop", "ALL"),
        *("--die-with-parent", "--new-session", "--hostname", "courier", "--clearenv"),
        *[word for pair in variables.items() for word in ("--setenv", *pair)],
        *("--proc", "/proc", "--dev", "/dev", "--size", str(ROOM), "--tmpfs", "/tmp"),
        *[word for path in SYSTEM for word in _library(path)],
        *[str(word) for pair in shown for word in ("--ro-bind", *pair)],
        *("--remount-ro", "/", "--chdir", "/", "--"),
    ]


def _interpreter() -> list[Path]:
    """Return the folders of Python and its packages, and none of them that is in another."""
    packages = [one for one in sys.path if Path(one).name in ("site-packages", "dist-packages")]
    found = {Path(one) for one in (sys.prefix, sys.base_prefix, *packages) if Path(one).is_dir()}
    return sorted(one for one in found if not found & {*one.parents})


def _library(path: str) -> tuple[str, ...]:
    if os.path.islink(path):
        return ("--symlink", os.readlink(path), path)
    return ("--ro-bind", path, path) if os.path.isdir(path) else ()
