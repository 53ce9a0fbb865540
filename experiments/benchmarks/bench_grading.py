"""How long a class takes: here, beside nbgrader, on a Dask cluster, and on one that we have not.

``python -m experiments.benchmarks.bench_grading`` prints all of it in about half an hour, or the
parts that are named: `here`, `nbgrader`, `dask`, `simulated`. It makes classes of hw2 in which a
function is right in 72 of 100 notebooks, untouched in 8, and else wrong in one of seven ways, 1 of
100 with a loop that does not end. nbgrader and distributed are used where they are installed. The
seconds of the processors say more than those of the clock where others are at work on the machine.

nbgrader grades one notebook after the other. So of a large class it is given the first thirty, what
they took is multiplied, and the line says so; `--sample 0` has it grade all of them.

The simulation draws from what was measured here, submission by submission, in seconds of a
processor. It assumes that machines are like this one, run two submissions at a time and never fail,
that the network takes no time, and that home judges what comes back on its own processors, and runs
there one in ten, and, unless two workers have to agree (here they always do), what was lost.
"""

import argparse
import heapq
import importlib.util
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import nbformat

from course.files import HOMEWORK, ROOT
from course.grading.image import Image
from course.grading.judge import Assignment, Examination
from course.grading.runner import Runner
from course.grading.submission import find, read
from course.grading.trust import CONFIRMED

NUMBER, NOTEBOOK = "hw2", next((HOMEWORK / "student" / "hw2").glob("*.ipynb"))
PARTS = ("here", "nbgrader", "dask", "simulated")
SIZES, SIZE_ELSEWHERE, SAMPLE = (10, 100, 300), 60, 30
N_SIMULATED, MACHINES = 10_000, (1, 8, 64)
WAYS = (  # what becomes of a right function, and in how many of 100 notebooks
    (72, lambda code, stub: code),
    (8, lambda code, stub: stub),
    (4, lambda code, stub: code.replace("axis=-1", "axis=0")),
    (4, lambda code, stub: code.replace("np.sqrt", "")),
    (4, lambda code, stub: code.replace("<=", "<").replace("np.exp", "np.exp2")),
    (3, lambda code, stub: re.sub(r"return (.+)$", r"return 2 * (\1)", code, flags=re.MULTILINE)),
    (2, lambda code, stub: code.replace("return", "returm")),
    (2, lambda code, stub: code.replace("    return", "    raise ValueError\n    return")),
    (1, lambda code, stub: code.replace("    return", "    while True: pass\n    return", 1)),
)


@dataclass
class Taken:
    """Seconds that something took, by the clock and of the processors."""

    clock: float
    cpu: float

    def told(self, n: int) -> str:
        """Say them, together and for each of so many."""
        each = f"{self.clock / n:.2f} s ({self.cpu / n:.2f} s) each"
        return f"{self.clock:7.1f} s ({self.cpu:.1f} s of the processors), {each}"


@dataclass
class Measured:
    """Seconds of a processor: to be run, judged, and its lost tasks run again (0 for none)."""

    run: float
    judge: float
    again: float
    is_endless: bool


def main():
    """Print all of it, or the parts that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", default=PARTS, metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--sizes", nargs="+", type=int, default=SIZES, help="of the classes")
    parser.add_argument(
        "--sample", type=int, default=SAMPLE, help="so many of a class nbgrader grades; 0: all"
    )
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        room, sampled = Path(folder), {}
        for n in options.sizes:
            few = min(n, options.sample or n)
            ours = _print_ours(room / f"of {n}", n) if "here" in options.parts else None
            if "nbgrader" in options.parts and importlib.util.find_spec("nbgrader"):
                if few not in sampled:  # classes begin with the same notebooks
                    sampled[few] = _autograde(room / f"nbgrader {few}", few)
                _print_nbgraders(sampled[few], few, n, ours)
        if "dask" in options.parts and importlib.util.find_spec("distributed"):
            for n, taken in _on_dask(_class(room / "on dask", SIZE_ELSEWHERE)).items():
                print(f"Dask, {n} workers here: {taken.told(SIZE_ELSEWHERE)}", flush=True)
        if "simulated" in options.parts:
            _print_simulated(_measure(_class(room / "elsewhere", SIZE_ELSEWHERE)))


def _print_ours(place: Path, n: int) -> Taken:
    """Print how long a class of this size takes here."""
    taken = _grade(_class(place, n))
    print(f"{n:>6} submissions {taken.told(n)}", flush=True)
    return taken


def _print_nbgraders(taken: Taken, few: int, n: int, ours: Taken | None) -> None:
    """Print how long a class of this size takes with nbgrader, which was given a few of it."""
    whole = Taken(taken.clock * n / few, taken.cpu * n / few)
    ratio = f"; {whole.clock / ours.clock:.1f} times ours" if ours else ""
    how = f"; reckoned from {few}" if few < n else ""
    print(f"{'nbgrader':>18} {whole.told(n)}{ratio}{how}", flush=True)


def _print_simulated(measured: list[Measured]) -> None:
    slow = [one for one in measured if one.is_endless]
    print(f"measured: {len(measured)} submissions, {len(slow)} with a loop that does not end")
    swift = [one for one in measured if one not in slow]
    right = [replace(one, again=0.0) for one in swift]
    for name, drawn in (("like these", measured), ("without loops", swift), ("all right", right)):
        print(f"simulated, {N_SIMULATED:,} submissions, {name}")
        print(f"  home alone: {_alone(drawn) / 60:.0f} min")
        for n_machines in MACHINES:
            one, two = (_simulate(drawn, 2 * n_machines, two=two) for two in (False, True))
            print(f"  {n_machines} machines and home: {one}; with --trust two {two}")


def _class(place: Path, n: int) -> Path:
    """Make a class."""
    rng = random.Random(1)
    teacher = nbformat.read(HOMEWORK / "teacher" / NUMBER / NOTEBOOK.name, 4)
    right = {cell.metadata.nbgrader.grade_id: cell.source for cell in _solutions(teacher)}
    for k in range(n):
        notebook = nbformat.read(NOTEBOOK, 4)
        for cell in _solutions(notebook):
            ways, code = [way for _, way in WAYS], right[cell.metadata.nbgrader.grade_id]
            (way,) = rng.choices(ways, [share for share, _ in WAYS])
            cell.source = way(code, cell.source)
        folder = place / f"student {k:04}" / NUMBER
        folder.mkdir(parents=True)
        nbformat.write(notebook, folder / NOTEBOOK.name)
    return place


def _solutions(notebook):
    """Return the cells in which a function is to be written."""
    return [
        cell
        for cell in notebook.cells
        if cell.cell_type == "code" and cell.metadata.get("nbgrader", {}).get("solution")
    ]


def _grade(place: Path, *options: str) -> Taken:
    """Grade a class anew."""
    book = place.with_suffix(".sqlite")
    book.unlink(missing_ok=True)
    command = [sys.executable, "-m", "course", "grade", NUMBER, str(place)]
    return _seconds([*command, "--gradebook", str(book), *options], ROOT)


def _autograde(room: Path, n: int) -> Taken:
    """Let nbgrader grade a class of this size."""
    place = _class(room / "submitted", n)
    shutil.copy(HOMEWORK / "nbgrader_config.py", room)
    shutil.copytree(HOMEWORK / "teacher" / NUMBER, room / "teacher" / NUMBER)
    command = [sys.executable, "-m", "nbgrader"]
    _seconds([*command, "generate_assignment", NUMBER, "--force"], room)
    taken = _seconds([*command, "autograde", NUMBER], room)
    if len(list((room / "autograded").iterdir())) < len(list(place.iterdir())):
        raise RuntimeError("nbgrader did not grade them all")
    return taken


def _seconds(command: list[str], folder: Path) -> Taken:
    programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    begun, cpu = time.perf_counter(), _cpu()
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, env=os.environ | {"PATH": programs}
    )
    taken = Taken(time.perf_counter() - begun, _cpu() - cpu)
    if done.returncode:
        raise RuntimeError(done.stderr[-2000:])
    return taken


def _cpu() -> float:
    """Return the processors' seconds of this process, and of all that it started and that ended."""
    both = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(used.ru_utime + used.ru_stime for used in both)


def _on_dask(place: Path) -> dict[int, Taken]:
    """Grade with one and two workers, which have made their images before."""
    from dask.distributed import LocalCluster

    found = {}
    for n in (1, 2):
        with LocalCluster(n_workers=n, threads_per_worker=1, dashboard_address=None) as cluster:
            options = ("--jobs", "1", "--dask", cluster.scheduler_address)
            twice = [_grade(place, *options) for _ in range(2)]
            found[n] = min(twice, key=lambda taken: taken.clock)
    return found


def _measure(place: Path) -> list[Measured]:
    """Run each submission by itself, as a worker would and as home would."""
    assignment, found = Assignment(NUMBER, HOMEWORK), []
    with Image() as image:
        home = Runner(image)
        for student in sorted(place.iterdir()):
            submission = read(find(student / NUMBER, NOTEBOOK.name)[0])
            times = [_cpu()]
            examination = Examination(assignment, b"secret", student.name)
            times.append(_cpu())
            ran = home.run(submission.cells, examination.calls)
            times.append(_cpu())
            marks = examination.marks(submission, ran)
            times.append(_cpu())
            lost = {mark.task for mark in marks if mark.points < mark.most}
            if calls := [one for one in examination.calls if one.function in lost]:
                examination.marks(submission, home.run(submission.cells, calls))
            times.append(_cpu())
            made, run, judged, again = (b - a for a, b in pairwise(times))
            is_endless = any(mark.verdict == "timed out" for mark in marks)
            found.append(Measured(run, made + judged, again if lost else 0.0, is_endless))
    return found


def _alone(measured: list[Measured]) -> float:
    """Return the seconds in which home grades that many by itself."""
    rng = random.Random(2)
    drawn = rng.choices(measured, k=N_SIMULATED)
    return sum(one.run + one.judge for one in drawn) / (os.cpu_count() or 1)


@dataclass
class Simulated:
    """Seconds for all, and the share of submissions that home runs, wholly or in part."""

    seconds: float
    at_home: float

    def __str__(self) -> str:
        return f"{self.seconds / 60:.0f} min (home runs {self.at_home:.0%})"


def _simulate(measured: list[Measured], n_slots: int, *, two: bool) -> Simulated:
    """Return how long it takes, and what home runs.

    Each goes to the machine that is free first, or to two of them, then to home's processor that
    is.
    """
    rng = random.Random(2)
    slots, homes = [0.0] * n_slots, [0.0] * (os.cpu_count() or 1)
    came_back, n_at_home = [], 0
    for one in rng.choices(measured, k=N_SIMULATED):
        end = 0.0
        for _ in range(1 + two):
            done = heapq.heappop(slots) + one.run
            heapq.heappush(slots, done)
            end = max(end, done)
        is_chosen = rng.uniform(0, 100) < CONFIRMED
        at_home = one.run + one.judge if is_chosen else 0.0 if two else one.again
        n_at_home += at_home > 0
        came_back.append((end, (1 + two) * one.judge + at_home))
    for end, seconds in sorted(came_back):
        heapq.heappush(homes, max(end, heapq.heappop(homes)) + seconds)
    return Simulated(max(*slots, *homes), n_at_home / N_SIMULATED)


if __name__ == "__main__":
    main()
