"""Execute the lessons' sources and write the notebooks that readers open.

A lesson is built whole or not at all: one that fails leaves its notebook as it was, the others are
built all the same.
"""

import os
import re
import sys
import time
from collections.abc import Iterable, Mapping
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from importlib.metadata import version
from pathlib import Path

import matplotlib.font_manager  # noqa: F401  (see below)
from packaging.requirements import Requirement
from tqdm import tqdm

from course import BuildError
from course.files import ROOT, write
from course.lesson.series import NOTEBOOKS, Lesson, choose_lessons, fill_in_readme, find_lessons
from course.lesson.widgets import LED, as_file
from course.notebook.difference import differences
from course.notebook.execute import Executor
from course.notebook.normalise import normalise, record_folds, to_bytes

# On a new machine the first to import Matplotlib's font manager waits until it has listed every
# font, and Matplotlib says so on stderr. The import above makes that the builder, not a lesson.

LOCK = ROOT / "requirements.lock"
CELL_SECONDS = 60
DECIDING = (  # packages whose version can change a byte of a notebook
    *("numpy", "matplotlib", "contourpy", "kiwisolver", "fonttools", "pillow"),  # numbers, pictures
    *("ipython", "ipykernel", "matplotlib-inline"),  # what a cell answers
    *("jupytext", "nbclient", "nbformat"),  # how it is read, run and written
)


def render(lesson: Lesson, executor: Executor) -> bytes:
    """Execute a lesson and return its notebook as the bytes to commit.

    Raises
    ------
    BuildError
        If a cell fails, or an output is not fit to be committed.
    """
    notebook = executor.execute(lesson)
    normalise(lesson, notebook, executor.folder)
    record_folds(lesson, notebook)
    return to_bytes(notebook)


def build(
    folder: Path = NOTEBOOKS,
    names: Iterable[str] = (),
    *,
    jobs: int | None = None,
    cell_seconds: int = CELL_SECONDS,
) -> int:
    """Build lessons from `folder/src` into `folder`, several at a time, and report on each.

    Parameters
    ----------
    folder
        Where the notebooks go, and where they run.
    names
        Lessons by number, name or path; none means all, and then a notebook without a source is
        reported too.
    jobs
        How many lessons run at a time; by default as many as the machine has processors.
    cell_seconds
        The time that one cell may take.

    Returns
    -------
    int
        The exit code: 0 if everything was built, 1 if not, 130 if it was interrupted.
    """
    names = list(names)
    try:
        series = find_lessons(folder)
        chosen = choose_lessons(series, names)
    except BuildError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    problems = [] if names else [f"error: {orphan}" for orphan in orphans(folder)]
    lessons = []
    for lesson in chosen:
        try:
            _ = lesson.source
            lessons.append(lesson)
        except BuildError as error:
            problems.append(f"{lesson.name}: {error}")
    try:
        _write_readme(folder.parent / "README.md", series)
    except BuildError as error:
        problems.append(f"README.md: {error}")
    try:
        _write_led(folder.parent / LED, series)
    except BuildError as error:
        problems.append(f"{LED}: {error}")
    for problem in problems:
        print(problem, file=sys.stderr)
    n_failed, interrupted = _build_all(lessons, folder, jobs=jobs, cell_seconds=cell_seconds)
    if interrupted:
        return 130
    return 1 if problems or n_failed else 0


def _write_readme(path: Path, series: Mapping[str, Lesson]) -> None:
    """Bring the README's list of lessons up to date."""
    if path.exists():
        text = fill_in_readme(path.read_text(encoding="utf-8"), series, path.parent)
        if write(path, text.encode()):
            print(f"{path.name}: written")


def _write_led(path: Path, series: Mapping[str, Lesson]) -> None:
    """Bring up to date what attnlib knows of the lessons' widgets, before they run."""
    if path.exists() and write(path, as_file(lesson.led for lesson in series.values())):
        print(f"{path.name}: written")


def compare(
    lesson: Lesson,
    *,
    exact: bool | None = None,
    cell_seconds: int = CELL_SECONDS,
) -> list[str]:
    """Rebuild a lesson in memory and compare it with the committed notebook.

    Parameters
    ----------
    lesson
        The lesson; it runs in the folder of its notebook.
    exact
        Whether every byte counts, those of pictures included; by default in the locked environment
        on Linux, where the notebooks are made.

    Returns
    -------
    list of str
        The differences in words, one per line; empty when there are none.

    Raises
    ------
    BuildError
        If the lesson cannot be built.
    """
    if exact is None:
        exact = why_inexact() is None
    notebook = lesson.notebook_path
    if not notebook.exists():
        return [f"{notebook.name} is missing: python -m course build {lesson.name} makes it"]
    rebuilt = render(lesson, Executor(lesson.folder, cell_seconds=cell_seconds))
    return differences(notebook.read_bytes(), rebuilt, exact=exact)


def why_inexact(lock: Path = LOCK) -> str | None:
    """Say what keeps this machine from making the committed bytes; None if nothing does."""
    if sys.platform != "linux":
        return f"the notebooks are made on Linux, and this is {sys.platform}"
    return "; ".join(unlocked(lock)) or None


def orphans(folder: Path) -> list[str]:
    """Name the notebooks in `folder` that no source makes."""
    sources = {path.stem for path in (folder / "src").glob("*.md")}
    return [
        f"{path.name} has no source src/{path.stem}.md: delete it, or bring its source back"
        for path in sorted(folder.glob("*.ipynb"))
        if path.stem not in sources
    ]


def unlocked(lock: Path) -> list[str]:
    """List the packages that decide about bytes and are not in the version the lock file pins."""
    pins = {}
    for line in re.findall(r"^\w.*?(?=\s*\\?$)", lock.read_text(encoding="utf-8"), re.MULTILINE):
        requirement = Requirement(line)
        if requirement.marker is None or requirement.marker.evaluate():
            pins[requirement.name.lower()] = str(requirement.specifier).removeprefix("==")
    return [
        f"{name} {version(name)}, locked is {pins.get(name, 'none')}"
        for name in DECIDING
        if version(name) != pins.get(name)
    ]


def _build_all(
    lessons: list[Lesson], folder: Path, *, jobs: int | None, cell_seconds: int
) -> tuple[int, bool]:
    """Build in threads (the work is in the kernels); return how many failed, and if stopped."""
    bar = tqdm(
        total=sum(map(_n_executed, lessons)),
        unit="cell",
        leave=False,
        disable=None,  # shown on a terminal only
    )

    def step(lesson: Lesson) -> None:
        bar.set_postfix_str(lesson.name, refresh=False)
        bar.update()

    executor = Executor(folder, cell_seconds=cell_seconds, on_cell=step)
    n_failed, n_done, interrupted = 0, 0, False
    with ThreadPoolExecutor(jobs or os.cpu_count()) as threads, bar:
        waiting = {threads.submit(_build_one, lesson, executor): lesson for lesson in lessons}
        try:
            while waiting:
                # With a time limit, because Ctrl-C does not interrupt an endless wait on Windows.
                done, _ = wait(waiting, timeout=0.2, return_when=FIRST_COMPLETED)
                for future in done:
                    lesson = waiting.pop(future)
                    try:
                        bar.write(f"{lesson.name}: {future.result()}")
                        n_done += 1
                    except BuildError as error:
                        bar.write(f"{lesson.name}: {error}", file=sys.stderr)
                        n_failed += 1
        except KeyboardInterrupt:
            interrupted = True
            message = f"stopped: {n_done} of {len(lessons)} lessons are built, the others as before"
            bar.write(message, file=sys.stderr)
        finally:
            for future in waiting:
                future.cancel()
            executor.stop()
    return n_failed, interrupted


def _build_one(lesson: Lesson, executor: Executor) -> str:
    """Build one lesson and return what there is to say."""
    start = time.perf_counter()
    data = render(lesson, executor)
    try:
        changed = write(lesson.notebook_path, data)
    except OSError as error:
        raise BuildError(f"writing {lesson.notebook_path}: {error}") from error
    seconds = time.perf_counter() - start
    n_cells, size = len(lesson.notebook.cells), len(data) / 1000
    verb = "built" if changed else "unchanged"
    return f"{verb}, {n_cells} cells, {size:.0f} kB, {seconds:.1f} s"


def _n_executed(lesson: Lesson) -> int:
    return sum(cell.cell_type == "code" and bool(cell.source) for cell in lesson.notebook.cells)
