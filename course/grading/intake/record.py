"""What was collected of an assignment: by it a time is known, and a page finds its way back."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from course import BuildError
from course.files import write


@dataclass(frozen=True)
class Collected:
    """The hand-in of a student that counts."""

    content: str  # the digest of its notebook
    submitted: str = ""  # when, in UTC, as the platform says; or nothing
    platform: str = ""
    place: str = ""  # the name by which the platform takes a page back
    serial: int = 0
    source: str = ""  # the download it came with
    late: bool = False  # whether the platform calls it late; when it came is another question


def path_of(folder: Path, number: str) -> Path:
    """Return where it is written down what was collected, in a class's folder."""
    return folder / "collected" / f"{number}.json"


def collected(folder: Path, number: str) -> dict[str, Collected]:
    """Return what was collected, by student; nothing where nothing was.

    Raises
    ------
    BuildError
        If what is there cannot be read.
    """
    path = path_of(folder, number)
    try:
        rows = json.loads(path.read_text(encoding="utf-8"))
        return {student: Collected(**row) for student, row in rows.items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise BuildError(f"reading {path}: {error}; `course collect` writes it anew") from error


def keep(folder: Path, number: str, found: Mapping[str, Collected]) -> None:
    """Write down what was collected."""
    path = path_of(folder, number)
    path.parent.mkdir(exist_ok=True)
    rows = {student: asdict(found[student]) for student in sorted(found)}
    write(path, json.dumps(rows, indent=1, ensure_ascii=False).encode("utf-8", "replace"))


def forget(folder: Path, student: str) -> None:
    """Take a student out of all that was collected for a class."""
    for path in (folder / "collected").glob("*.json"):
        found = collected(folder, path.stem)
        if found.pop(student, None):
            keep(folder, path.stem, found)
