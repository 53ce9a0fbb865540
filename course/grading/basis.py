"""What a mark rests on: the points, each task with its cases and mistakes, and the judge.

Each of these has a digest, of the files that it is made of. A gradebook keeps them, so that it
knows its assignment again, what has been graded by another one, and what to say has changed.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path

import attnlib
from course.files import COURSE

POINTS, JUDGE = "the points", "the judge"
NO_JUDGES = {  # who carries, reads names or prints, and has no say in a mark
    "__init__.py", "__main__.py", "basis.py", "cluster.py", "courier.py", "run.py",
    "relay.py", "room.py", "suspicion.py", "trust.py", "worker.py",
}  # fmt: skip


def basis(listed: Mapping, tasks: Mapping[str, Path]) -> dict[str, str]:
    """Return the digest of each part, by what `hwN.json` lists and each function's task's file."""
    points = {one["function"]: one["points"] for one in listed["tasks"]}
    points |= {one["question"]: one["points"] for one in listed["written"]}
    parts = {POINTS: _digest([json.dumps(points, sort_keys=True).encode()])}
    parts |= {f"the task {name}": _digest([path.read_bytes()]) for name, path in tasks.items()}
    return parts | {JUDGE: _digest(path.read_bytes() for path in judges())}


def judges() -> list[Path]:
    """Return the files that judge: of checks, of what a student's code imports, and of ours."""
    library, here = Path(attnlib.__file__).parent, Path(__file__).parent
    ours = [path for path in here.glob("*.py") if path.name not in NO_JUDGES]
    checks = [
        path for path in (library / "checks").rglob("*.py") if path.parent.name != "exercises"
    ]
    others = [*library.glob("*.py"), *checks]
    return sorted([*ours, COURSE / "homework" / "task.py", *others])


def is_same(one: Mapping[str, str], other: Mapping[str, str]) -> bool:
    """Whether two are of the same assignment, whoever judges it."""
    return without_judge(one) == without_judge(other)


def without_judge(parts: Mapping[str, str]) -> dict[str, str]:
    """Return what a teacher can mend."""
    return {name: digest for name, digest in parts.items() if name != JUDGE}


def changed(before: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    """Name the parts that are not as they were."""
    return [name for name in {**now, **before} if before.get(name) != now.get(name)]


def _digest(parts: Iterable[bytes]) -> str:
    """Return a digest of files' bytes, and of where one ends and the next begins."""
    each = [hashlib.sha256(data).digest() for data in parts]
    return hashlib.sha256(b"".join(each)).hexdigest()
