"""Open an archive in a process of its own, which may use little: an archive can be a bomb.

The process that lays out what a class handed in reads no archive itself. It hears what is in one,
chooses, and is sent the bytes of what it chose; where they are to go is its own to say, so no name
in an archive is ever a path.
"""

import contextlib
import json
import os
import resource
import signal
import stat
import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from course.grading.submission import MOST_BYTES

MOST_ENTRIES = 50_000  # of an archive
MOST_LETTERS = 500  # of a name; a longer one is cut
MEMORY = 1 << 30  # bytes of address space
SECONDS = 30  # of the processor; and by the clock on the wall:
PATIENCE = 300
EMPTY = "(nothing)"  # stands for a file in a folder in which there is none
AT_ONCE = 50  # entries that are asked for together; who is among those of a bomb is asked for alone
TOO_MUCH = "it is damaged, or a bomb: to open it takes more than it may"
NO_ARCHIVE = "it is no zip, or a damaged one"


class ArchiveError(Exception):
    """An archive that cannot be opened; the message says why."""


@dataclass(frozen=True)
class Entry:
    """A file in an archive."""

    index: int
    name: str
    size: int  # as the archive says
    wrong: str = ""  # why it is not read, whatever it holds


def entries(archive: BinaryIO) -> list[Entry]:
    """Return what is in an archive, without its folders, but with `EMPTY` in one that is empty.

    Raises
    ------
    ArchiveError
        If it is none, or too much.
    """
    with _child(archive, "list") as said:
        line = said.readline(MOST_ENTRIES * (MOST_LETTERS * 7 + 200))
    if not line:
        raise ArchiveError(TOO_MUCH)
    found = json.loads(line)
    if isinstance(found, str):
        raise ArchiveError(found)
    return [Entry(*one) for one in found]


def contents(archive: BinaryIO, wanted: Sequence[int]) -> Iterator[tuple[int, bytes | str]]:
    """Give of each entry that is wanted its bytes, or a sentence why there are none."""
    for at in range(0, len(wanted), AT_ONCE):
        some = wanted[at : at + AT_ONCE]
        heard = dict(_contents(archive, some))
        for index in some:
            if index not in heard:  # the process ended amid these: by which of them?
                heard |= dict(_contents(archive, [index]))
            yield index, heard.get(index, TOO_MUCH)


def _contents(archive: BinaryIO, some: Sequence[int]) -> Iterator[tuple[int, bytes | str]]:
    with _child(archive, *map(str, some)) as said:
        while line := said.readline(10_000):
            index, found = json.loads(line)
            if isinstance(found, str):
                yield index, found
            else:
                data = said.read(found)
                if len(data) < found:
                    return
                yield index, data


@contextlib.contextmanager
def _child(archive: BinaryIO, *words: str) -> Iterator[BinaryIO]:
    """Start a process that reads an archive, and give what it says; it is ended in any case."""
    archive.seek(0)
    root = str(Path(__file__).parents[3])
    start = f"import sys; sys.path.insert(0, {root!r}); from course.grading.intake import opening; "
    command = [sys.executable, "-I", "-S", "-B", "-c", start + "opening.main()", *words]
    process = subprocess.Popen(
        command, stdin=archive, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    timer = threading.Timer(PATIENCE, process.kill)
    timer.start()
    try:
        yield process.stdout
    finally:
        timer.cancel()
        process.kill()
        process.communicate()


# In that process


def main() -> None:
    """Say what is in the archive on standard input, or send the entries with these numbers."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    try:
        archive = zipfile.ZipFile(os.fdopen(0, "rb"))
        every = archive.infolist()
        if len(every) > MOST_ENTRIES:
            raise ArchiveError(f"it holds more than {MOST_ENTRIES:,} files")
    except ArchiveError as why:
        _say(str(why))
        return
    except Exception:  # whatever a forged archive makes of its reader
        _say(NO_ARCHIVE)
        return
    if sys.argv[1] == "list":
        empty = _empty([one.filename for one in every])
        listed = (
            one for one in enumerate(every) if not one[1].is_dir() or one[1].filename in empty
        )
        _say([_told(*one) for one in listed])
        return
    for index in map(int, sys.argv[1:]):
        found = _read(archive, every[index])
        _say([index, found if isinstance(found, str) else len(found)])
        if not isinstance(found, str):
            sys.stdout.buffer.write(found)
        sys.stdout.buffer.flush()


def _say(what) -> None:
    sys.stdout.buffer.write(json.dumps(what).encode() + b"\n")
    sys.stdout.buffer.flush()


def _empty(names: list[str]) -> set[str]:
    """Return the folders below which there is nothing."""
    names = sorted({*names})
    behind = [*names[1:], ""]
    return {
        one for one, next_one in zip(names, behind, strict=True)
        if one.endswith("/") and not next_one.startswith(one)
    }  # fmt: skip


def _told(index: int, one: zipfile.ZipInfo) -> tuple:
    kind = stat.S_IFMT(one.external_attr >> 16)
    parts = one.filename.replace("\\", "/").split("/")
    wrong = ""
    if kind not in (0, stat.S_IFREG):
        wrong = "it is a link or a device, not a file"
    elif ".." in parts or not parts[0] or ":" in parts[0][:2]:
        wrong = "its path leads out of the archive"
    elif one.flag_bits & 1:
        wrong = "it is locked by a password"
    elif len(one.filename) > MOST_LETTERS:
        wrong = f"its name has more than {MOST_LETTERS} letters"
    name = one.filename[:MOST_LETTERS] + (EMPTY if one.is_dir() else "")
    return index, name, one.file_size, wrong


def _read(archive: zipfile.ZipFile, one: zipfile.ZipInfo) -> bytes | str:
    """Return what is in an entry, whatever size it says it has."""
    try:
        with archive.open(one) as file:
            data = file.read(MOST_BYTES + 1)
    except MemoryError:
        return TOO_MUCH
    except Exception:  # whatever a forged archive makes of its reader
        return "it is damaged in the archive"
    return data if len(data) <= MOST_BYTES else f"it has more than {MOST_BYTES >> 20} MB"
