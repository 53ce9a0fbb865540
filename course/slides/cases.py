"""Print exercises' first examples as JSON: what is given, and what is wanted.

They are cases of a spec, so they run it, and do so in a process of their own, as lessons do:
`python -m course.slides.cases FOLDER NAME…`, where the folder holds `attnlib`.
"""

import importlib
import inspect
import json
import sys
from collections.abc import Callable, Iterator
from itertools import islice

import numpy as np

WANTED = "wanted"
FEW = 2  # examples of an exercise
APART = 3  # matrices of an array with one axis more that are shown side by side


def examples(name: str, as_grid: Callable) -> Iterator[dict]:
    """Go through the first examples of an exercise that have arrays and numbers alone."""
    exercise = importlib.import_module(f"attnlib.checks.exercises.{name}").EXERCISE
    parameters = inspect.signature(exercise.solution).parameters
    for case in islice(exercise.cases(), FEW):
        given = dict(zip(parameters, case.inputs, strict=False))
        answer = exercise.answer(*case.inputs)
        numbers = "".join(f", {name}={x:g}" for name, x in given.items() if _is_number(x))
        answers = answer if isinstance(answer, tuple) else (answer,)
        wanted = {
            f"{WANTED}{f' [{k}]' if len(answers) > 1 else ''}": one for k, one in enumerate(answers)
        }
        arrays = {name: x for name, x in given.items() if not _is_number(x)} | wanted
        if not any(isinstance(x, dict) for x in arrays.values()):
            arrays = {name: np.asarray(x) for name, x in arrays.items()}
            yield {
                "given": len(arrays) - len(answers),
                "shapes": [(_told(name, numbers), x.shape) for name, x in arrays.items()],
                "grid": _grid(arrays, numbers, as_grid),
            }


def _grid(arrays: dict[str, np.ndarray], numbers: str, as_grid: Callable) -> dict | None:
    """Return arrays as a page shows them; None where they have too many axes, or no numbers."""
    try:
        grid = as_grid(dict(part for name, x in arrays.items() for part in _matrices(name, x)))
    except (TypeError, ValueError):
        return None
    recorded = grid.recorded()
    for table in recorded["tables"]:
        table["name"] = _told(table["name"], numbers)
    return {"recorded": recorded, "text": grid.text, "alt": grid.alt}


def _told(name: str, numbers: str) -> str:
    """Tell the numbers that came in beside what is wanted."""
    return name + numbers if name.startswith(WANTED) else name


def _is_number(x: object) -> bool:
    return isinstance(x, int | float)


def _matrices(name: str, array: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    """Divide an array of three axes into its matrices; a number becomes an array of one."""
    if array.ndim == 3 and len(array) <= APART:
        yield from ((f"{name}[{k}]", matrix) for k, matrix in enumerate(array))
    else:
        yield name, np.atleast_1d(array)


if __name__ == "__main__":
    folder, *names = sys.argv[1:]
    sys.path.insert(0, folder)
    drawn = importlib.import_module("attnlib.pictures.grid")  # plotting's own, without Matplotlib
    tabulated = importlib.import_module("attnlib.pictures.grid.table").tabulated

    def as_grid(arrays: dict[str, np.ndarray]):
        """Return arrays as `plotting.grid` does."""
        return drawn.Grid(
            tabulated(arrays, rows=None, columns=None, axes=(None, None), decimals=None)
        )

    print(json.dumps({name: list(examples(name, as_grid)) for name in names}))
