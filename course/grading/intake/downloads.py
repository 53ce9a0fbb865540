"""Read downloads: archives and folders become hand-ins, and each file's fate is told."""

import os
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO

from course import BuildError
from course.grading.book.late import stamped
from course.grading.intake import opening
from course.grading.intake.names import Named, named
from course.grading.intake.opening import ArchiveError, Entry
from course.grading.submission import MOST_BYTES
from course.grading.submission import contents as bytes_of

MOST_OF_ONE, MOST_BYTES_OF_ONE = 50, 60 << 20  # notebooks and archives of one hand-in
DEEPEST = 2  # archives within a download
NOTEBOOKS = (".ipynb", ".ipynb.txt", ".ipynb.json")
OTHERS = (".tar", ".gz", ".tgz", ".bz2", ".xz", ".7z", ".rar")
JUNK = ("__MACOSX", ".ipynb_checkpoints")
OF_NBGRADER = ("timestamp.txt", "submission_secret.txt")
Fetch = Callable[[Sequence[int]], Iterator[tuple[int, bytes | str]]]


@dataclass(frozen=True)
class File:
    """A notebook that was handed in, put aside until it is known whether it counts."""

    named: Named
    name: str  # its own
    path: Path
    digest: str


@dataclass(frozen=True)
class Line:
    """What was done with a file."""

    who: str
    file: str
    what: str
    is_notable: bool = True  # whether a teacher should look
    named: Named | None = None  # whose it is, where nobody has looked that up yet


@dataclass
class HandIn:
    """The notebooks that one student or group handed in at once."""

    named: Named
    download: int  # which one it came with
    source: str
    files: list[File] = field(default_factory=list)
    left: list[str] = field(default_factory=list)  # the names of what else they handed in


class Downloads:
    """What downloads hold of one assignment.

    Parameters
    ----------
    number
        The assignment's.
    spool
        A folder where notebooks are put aside.
    is_stamped
        Whether a `timestamp.txt` in a folder is believed, for `nbgrader collect` wrote it.
    """

    def __init__(self, number: str, spool: Path, *, is_stamped: bool = False):
        self.number, self.spool, self.is_stamped = number, spool, is_stamped
        self.lines: list[Line] = []
        self.passed = Counter()  # files that nobody needs to hear of one by one
        self._found: dict[tuple, HandIn] = {}
        self._counts, self._bytes = Counter(), Counter()
        self._download, self._source = 0, ""

    @property
    def found(self) -> list[HandIn]:
        """The hand-ins, in the order in which they were read."""
        return list(self._found.values())

    def read(self, download: Path) -> None:
        """Read a zip or a folder.

        Raises
        ------
        BuildError
            If it is neither, or cannot be read.
        """
        self._download, self._source = self._download + 1, download.name
        if download.is_dir():
            paths = _walked(download)
            self._sort(paths, lambda wanted: _fetched(download, paths, wanted), None, 0, download)
            return
        try:
            with download.open("rb") as archive:
                self._open(archive, None, 0)
        except (OSError, ArchiveError) as error:
            why = error.strerror if isinstance(error, OSError) else error
            raise BuildError(f"opening the download {download}: {why}") from error

    def _open(self, archive: BinaryIO, whose: Named | None, depth: int) -> None:
        found = opening.entries(archive)
        self._sort(found, lambda wanted: opening.contents(archive, wanted), whose, depth)

    def _sort(
        self, found: Sequence[Entry], fetch: Fetch, whose: Named | None, depth: int,
        folder: Path | None = None,
    ) -> None:  # fmt: skip
        """Say of each entry what it is, and read those that may be, or hold, a notebook."""
        wanted = {}
        for entry in found:
            one = self._named(entry, whose, folder)
            what = self._why_not(entry, one, depth)
            if what is None:
                wanted[entry.index] = entry, one
            elif what:
                self._tell(entry, one, what)
        for index, data in fetch([*wanted]):
            entry, one = wanted[index]
            owner = self._owner(one)
            self._bytes[owner] += len(data)
            if one and self._bytes[owner] > MOST_BYTES_OF_ONE:
                most = f"more than {MOST_BYTES_OF_ONE >> 20} MB of one"
                self._tell(entry, one, f"left: {most}")
            elif isinstance(data, str):
                self._tell(entry, one, f"not read: {data}")
            elif data.startswith(b"PK\x03\x04"):
                self._open_within(entry, one, data, depth + 1)
            elif one:
                self._keep(entry, one, data)

    def _named(self, entry: Entry, whose: Named | None, folder: Path | None) -> Named | None:
        """Say whose an entry is; a time counts only where it is no archive that says it."""
        inner = entry.name.replace("\\", "/").rsplit("/", 1)[-1]
        if whose:
            return replace(whose, inner=inner)
        if (one := named(entry.name, self.number)) is None or one.platform != "nbgrader":
            return one
        if folder is None:
            return replace(one, time="")
        if not one.time and self.is_stamped and (time := stamped((folder / entry.name).parent)):
            return replace(one, time=time.isoformat())
        return one

    def _why_not(self, entry: Entry, one: Named | None, depth: int) -> str | None:
        """Say why an entry is not to be read; nothing if it is not worth a word; None if it is."""
        parts = entry.name.replace("\\", "/").split("/")
        name = parts[-1].lower()
        if any(part in JUNK for part in parts) or name.startswith("._") or name == ".ds_store":
            self.passed["files that systems put beside others"] += 1
            return ""
        if one and one.number not in ("", self.number):
            self.passed["files of other assignments"] += 1
            return ""
        if one and one.platform == "nbgrader" and name in OF_NBGRADER:
            return ""
        if parts[-1] == opening.EMPTY:
            return "" if depth else "an empty folder"
        if entry.wrong:
            return f"refused: {entry.wrong}"
        if one and one.typed:
            return "text typed into the platform: not read, look at it there"
        is_zip = name.endswith(".zip")
        if is_zip and depth == DEEPEST:
            return "left: an archive in an archive in an archive"
        if not is_zip and not name.endswith(NOTEBOOKS):
            return f"left: {'no zip' if name.endswith(OTHERS) else 'no notebook'}"
        if one is None and not is_zip:
            return "left: its name does not say whose it is"
        owner = self._owner(one)
        self._counts[owner] += 1
        if one and self._counts[owner] > MOST_OF_ONE:
            if self._counts[owner] == MOST_OF_ONE + 1:
                return f"left, as are all behind it: more than {MOST_OF_ONE} notebooks of one"
            return ""
        return None

    def _open_within(self, entry: Entry, one: Named | None, data: bytes, depth: int) -> None:
        with tempfile.TemporaryFile(dir=self.spool) as archive:
            archive.write(data)
            archive.flush()
            before = len(self._found), len(self.lines)
            try:
                self._open(archive, one, depth)
            except ArchiveError as why:
                self._tell(entry, one, f"not opened: {why}")
                return
        if one and before == (len(self._found), len(self.lines)) and not self._hand_in(one).files:
            self._tell(entry, one, "opened: nothing is in it")

    def _owner(self, one: Named | None) -> tuple:
        return self._download, one.owner if one else None

    def _hand_in(self, one: Named) -> HandIn:
        hand_in = HandIn(one, self._download, self._source)
        return self._found.setdefault(self._owner(one), hand_in)

    def _keep(self, entry: Entry, one: Named, data: bytes) -> None:
        digest = sha256(data).hexdigest()
        path = self.spool / f"{digest}.ipynb"
        path.write_bytes(data)
        self._hand_in(one).files.append(File(one, one.inner or entry.name, path, digest))

    def _tell(self, entry: Entry, one: Named | None, what: str) -> None:
        if one:
            self._hand_in(one).left.append(entry.name)
        is_notable = what != "left: no notebook"
        self.lines.append(Line(one.name if one else "", entry.name, what, is_notable, one))


def _walked(folder: Path) -> list[Entry]:
    """List the files of a folder; links are not followed."""
    found = []
    for place, below, names in os.walk(folder):
        for name in sorted(names) if names or below else [opening.EMPTY]:
            path = Path(place, name)
            is_file = path.is_file() and not path.is_symlink()
            wrong = "" if is_file or not names else "it is a link or a device"
            where = path.relative_to(folder).as_posix()
            found.append(Entry(len(found), where, 0, wrong))
            if len(found) > opening.MOST_ENTRIES:
                raise BuildError(
                    f"reading {folder}: it holds more than {opening.MOST_ENTRIES:,} files; name "
                    "the folder that the download made"
                )
    return found


def _fetched(folder: Path, paths, wanted: Sequence[int]) -> Iterator[tuple[int, bytes | str]]:
    for index in wanted:
        try:
            data = bytes_of(folder / paths[index].name, MOST_BYTES)
        except OSError as error:
            data = None if error.strerror is None else error.strerror
        if data is None:
            data = "it is a link or a device"
        elif isinstance(data, bytes) and len(data) > MOST_BYTES:
            data = f"it has more than {MOST_BYTES >> 20} MB"
        yield index, data
