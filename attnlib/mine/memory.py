"""What is known of kept functions: each verdict by the digest of what was tried."""

from __future__ import annotations

import contextlib
import hashlib
import inspect
import json
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import IO

import numpy as np

import attnlib
from attnlib import checks
from attnlib.mine.book import Book
from attnlib.mine.trial import Verdict, tried

NAME = ".mine.json"  # beside mine.py; it may be deleted at any time
FAR = 1 << 30  # Windows lets nobody read what is locked: a place that nobody reads


def verdict(folder: Path, name: str, book: Book) -> Verdict:
    """Give what is known of a kept function, or try it now and remember."""
    known = _known(folder)
    key = digest(name, book)
    if key in known:
        return known[key]
    found = tried(name, book.part(name))
    remember(folder, book, {key: found})
    return found


def remember(folder: Path, book: Book, found: dict[str, Verdict]) -> None:
    """Write verdicts down for the next notebook; those on what is kept no more are left out.

    Where the folder cannot be written nothing is remembered, and each notebook tries anew.
    """
    keys = {digest(name, book) for name in book.exercises}
    kept = {key: asdict(one) for key, one in (_known(folder) | found).items() if key in keys}
    with contextlib.suppress(OSError):
        (folder / NAME).write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n", "utf-8")


@contextlib.contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Let one notebook at a time write; what ends meanwhile leaves no lock behind."""
    with open(folder / NAME, "ab") as file:
        with contextlib.suppress(OSError):  # some disks know no locks
            _lock(file)
        yield


def _lock(file: IO) -> None:
    """Wait for a file that nobody else has locked; closing it unlocks it."""
    try:
        import fcntl
    except ImportError:  # Windows
        import msvcrt

        file.seek(FAR)
        msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)
    else:
        fcntl.flock(file, fcntl.LOCK_EX)


def digest(name: str, book: Book) -> str:
    """Name a function as it is kept, and what judges it and runs it: a change of any is new."""
    spec = inspect.getsource(sys.modules[checks.find(name).solution.__module__])
    runs_on = [attnlib.__version__, np.__version__, sys.version]
    whole = "\0".join([name, book.part(name), spec, *runs_on])
    return hashlib.sha256(whole.encode()).hexdigest()


def _known(folder: Path) -> dict[str, Verdict]:
    try:
        written = json.loads((folder / NAME).read_text("utf-8"))
        return {key: Verdict(**fields) for key, fields in written.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}  # none yet, or not as we wrote it
