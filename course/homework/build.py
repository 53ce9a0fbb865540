"""Make of a sheet what its students and its teacher are handed, in nbgrader's format.

`student/hwN/hwN_name.ipynb` has stubs and visible tests, `teacher/hwN/hwN_name.ipynb` solutions and
all tests, executed, and `hwN.json` is the list of tasks that a judge reads. Of a sheet with
variants these are group A's, and group B's students get `student-B/hwN/hwN_name.ipynb`.
"""

import copy
import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from course import BuildError
from course.files import HOMEWORK, write
from course.homework import ANSWER_HERE
from course.homework.held import code_of, heard
from course.homework.sheet import Item, Sheet, asserted
from course.homework.stored import stored_tests
from course.homework.task import taken
from course.homework.variants import FIRST, handed_out
from course.notebook.execute import Executor
from course.notebook.normalise import METADATA, normalise, to_bytes

SCHEMA = 3  # of nbgrader's metadata


class Handout:
    """A sheet's cells as a notebook that can be executed; generated cells lead to their task.

    A teacher's has solutions, model answers and hidden tests in it.
    """

    def __init__(self, sheet: Sheet, *, teacher: bool):
        self._origins: list[tuple[Sheet, int]] = []
        self.lines: tuple[int, ...] = ()
        self.notebook = nbformat.v4.new_notebook(metadata=copy.deepcopy(METADATA))
        for origin, cell in _cells(sheet, teacher=teacher):
            self._add(sheet, origin, cell)

    def hold(self, sheet: Sheet, item: Item, tasks: Path) -> None:
        """Add a cell that holds a solution against its task; it is for the build alone."""
        code = code_of(item.name, tasks, sheet.values)
        self._add(sheet, item.cell, nbformat.v4.new_code_cell(code))

    def follow(self, sheet: Sheet) -> None:
        """Add the code of another group's sheet, for the build alone."""
        for origin, cell in _cells(sheet, teacher=True):
            if cell.cell_type == "code":
                self._add(sheet, origin, cell)

    def _add(self, sheet: Sheet, origin: int, cell: NotebookNode) -> None:
        self.notebook.cells.append(cell)
        self._origins.append((sheet, origin))
        self.lines += (sheet.source.lines[origin],)

    def where(self, index: int, line: int | None = None) -> str:
        """Words that lead to the cell of the source that a cell was made of."""
        sheet, origin = self._origins[index]
        return sheet.where(origin, line)


def files_of(
    sheet: Sheet, folder: Path = HOMEWORK, told: Callable[[str], None] = print
) -> dict[Path, bytes]:
    """Make the files of an assignment, by where they go.

    Parameters
    ----------
    sheet
        The assignment.
    folder
        Where it is, and its tasks if they are its own.
    told
        Is called with a line about each known mistake that no case catches.

    Raises
    ------
    BuildError
        If the sheet is not as it should be, or its own solutions fail its tests, or part from the
        references.
    """
    teacher = Handout(sheet, teacher=True)
    executed = _held(sheet, folder, told)
    normalise(teacher, executed, folder)
    name = f"{sheet.name}.ipynb"
    files = {
        folder / "teacher" / sheet.number / name: to_bytes(executed),
        folder / f"{sheet.number}.json": _listed(sheet),
    }
    for group in sheet.groups:
        student = Handout(sheet.of(group), teacher=False).notebook
        nbformat.validate(student)
        files[handed_out(folder, sheet.number, group) / name] = to_bytes(student)
    return files


def build(sheet: Sheet, folder: Path = HOMEWORK) -> list[Path]:
    """Write the files of an assignment; return those that changed."""
    files = files_of(sheet, folder)
    for path in files:
        path.parent.mkdir(parents=True, exist_ok=True)
    return [path for path, data in files.items() if write(path, data)]


def _held(sheet: Sheet, folder: Path, told: Callable[[str], None]) -> NotebookNode:
    """Execute the teacher's notebook, and hold its solutions where they are defined.

    Another group's code runs after it, and what varies is held again.
    """
    handout, tasks = Handout(sheet, teacher=True), folder / "tasks"
    n_cells, held = len(handout.notebook.cells), {}
    for group in map(sheet.of, sheet.groups):
        if group.group != FIRST:
            handout.follow(group)
        for item in group.tasks:
            if group.group == FIRST or taken(item.name, tasks, group.values):
                held[len(handout.notebook.cells)] = group, item
                handout.hold(group, item, tasks)
    executed = _executed(handout, folder)
    for index, (group, item) in held.items():
        words, names = heard(executed.cells[index])
        if words:
            raise group.error(
                item.cell, f"the solution of {item.name} and its reference part:\n{words}"
            )
        of_group = "" if group.group == FIRST else f" (group {group.group})"
        for name in names:
            told(f"{sheet.name}{of_group}: {item.name}: no case catches the mistake “{name}”")
    del executed.cells[n_cells:]
    return executed


def _executed(handout: Handout, folder: Path) -> NotebookNode:
    """Execute a handout in a thread, for this one may have an event loop that runs already."""
    executor = Executor(folder)
    with ThreadPoolExecutor(1) as pool:
        job = pool.submit(executor.execute, handout)
        try:
            return job.result()
        except KeyboardInterrupt:
            executor.stop()
            raise


def _cells(sheet: Sheet, *, teacher: bool) -> Iterator[tuple[int, NotebookNode]]:
    """Give the cells, each with the place in the source that it comes from."""
    items = {item.cell: item for item in sheet.items}
    known = {item.name for item in sheet.tasks}
    for index, cell in enumerate(sheet.cells):
        item, tested = items.get(index), cell.metadata.get("tests")
        if tested is not None and tested not in known:
            raise sheet.error(index, f"these tests are of {tested}, which is no task")
        if tested is not None:
            continue  # they stand below their task
        if item and item.written:
            yield index, _written(item, cell, teacher=teacher)
        elif item:
            stub = sheet.stub(item)
            yield index, _code(cell.id, cell.source if teacher else stub, item.name, solution=True)
            yield index, _tests(sheet, item, teacher=teacher)
        elif cell.cell_type == "code":
            yield index, _code(cell.id, cell.source, cell.id, locked=True)
        else:
            yield index, nbformat.v4.new_markdown_cell(sheet.prose(cell), id=cell.id)


def _tests(sheet: Sheet, item: Item, *, teacher: bool) -> NotebookNode:
    own = [code for _, code in asserted(sheet, item)]
    try:
        code = stored_tests(item.name, sheet.judge(item), own, _varied(sheet, item), hidden=teacher)
    except BuildError as error:
        raise sheet.error(item.cell, str(error)) from error
    name = f"{item.name}-tests"
    return _code(name, code, name, grade=True, locked=True, points=item.points)


def _varied(sheet: Sheet, item: Item) -> list[str]:
    """Say what a task takes that is each group's own."""
    names = taken(item.name, sheet.path.parent.parent / "tasks", sheet.values)
    each = sheet.groups.items()
    return [
        f"# {name}: {', '.join(f'{group} {values[name]!r}' for group, values in each)}"
        for name in names
    ]


def _code(cell_id: str, source: str, name: str, **kind) -> NotebookNode:
    cell = nbformat.v4.new_code_cell(source, id=cell_id)
    cell.metadata["nbgrader"] = _marked(name, **kind)
    return cell


def _written(item: Item, cell: NotebookNode, *, teacher: bool) -> NotebookNode:
    made = nbformat.v4.new_markdown_cell(cell.source if teacher else ANSWER_HERE, id=cell.id)
    made.metadata["nbgrader"] = _marked(item.name, grade=True, solution=True, points=item.points)
    return made


def _marked(name, *, grade=False, solution=False, locked=False, points=None) -> dict:
    """Write what nbgrader reads of a cell."""
    marked = {
        "grade": grade,
        "grade_id": name,
        "locked": locked,
        "schema_version": SCHEMA,
        "solution": solution,
        "task": False,
    }
    return marked if points is None else marked | {"points": points}


def _listed(sheet: Sheet) -> bytes:
    """Write the list of tasks that a judge reads."""

    def told(item: Item, kind: str) -> dict:
        return {kind: item.name, "title": item.title, "points": item.points}

    asked = [item for item in sheet.items if item.written]
    written = [told(one, "question") | {"rubric": sheet.cells[one.cell].source} for one in asked]
    listed = {
        "assignment": sheet.number,
        "notebook": f"{sheet.name}.ipynb",
        "title": sheet.title,
        "points": sheet.points,
        "tasks": [told(item, "function") for item in sheet.tasks],
        "written": written,
    }
    if sheet.groups[sheet.group]:
        listed["groups"] = sheet.groups
    return (json.dumps(listed, indent=1, ensure_ascii=False) + "\n").encode()
