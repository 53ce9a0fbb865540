"""An assignment, read from its source `hwN_name.md`.

A source is MyST Markdown as a lesson's is, and says four things more:

- A heading with points, ``## 2 · Log-softmax (4 points)``, begins a task or a written question.
- A code cell with the option ``:task: log_softmax`` holds the function to write. What stands
  between ``### BEGIN SOLUTION`` and ``### END SOLUTION`` is the teacher's: students get
  ``return ...``.
- A code cell with ``:tests: log_softmax`` holds properties that are asserted; the cases of the
  task are put before them, or where they have the line ``### CASES``.
- A Markdown cell below ``+++ {"written": "unscaled"}`` is the model answer of a written question,
  with what it is marked by. Students get a place to write.

What is each group's own is told by `course.homework.variants`.
"""

import ast
import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from nbformat import NotebookNode

from attnlib.checks.exercise import Exercise
from course import BuildError
from course.files import HOMEWORK
from course.homework.task import find_task
from course.homework.variants import FIRST, Values, filled, variants
from course.lesson.source import Source, parse

BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"
STUB = "return ..."
HINT = re.compile(r"<details><summary>Hint (\d+)</summary>.*?</details>\n*", re.DOTALL)
HINTS = 1  # of a task that counts; its source has more, for whoever wants them
HEADING = re.compile(r"^#{2,} (?P<title>.+?) \((?P<points>\d+) points?\)$", re.MULTILINE)
TITLE = re.compile(r"^# (.+)$", re.MULTILINE)


@dataclass(frozen=True)
class Item:
    """Something that gets points: a function to write, or a question to answer in words."""

    name: str  # the function's name, or the question's
    title: str  # what its heading says
    points: int
    cell: int  # its cell in the source
    written: bool  # whether it is a question


class Sheet:
    """An assignment: its cells, what gets points, and its tasks' judges.

    Parameters
    ----------
    path
        The source. A folder `tasks` beside the folder of sources may hold tasks of its own.
    group
        Whose it is, where the sheet has variants.
    hints
        How many of a task's hints are handed out, the first ones.

    Raises
    ------
    BuildError
        From each property, naming task and line, if the source is not as it should be.
    """

    def __init__(self, path: Path, group: str = FIRST, hints: int = HINTS):
        self.path, self.group, self.hints = path, group, hints

    def of(self, group: str) -> "Sheet":
        """Return the sheet of another group."""
        return Sheet(self.path, group, self.hints)

    @property
    def name(self) -> str:
        """`hw1_neighbours` of `src/hw1_neighbours.md`."""
        return self.path.stem

    @property
    def number(self) -> str:
        """`hw1` of the same: what nbgrader calls the assignment."""
        return self.name.partition("_")[0]

    @cached_property
    def _text(self) -> str:
        try:
            return self.path.read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            raise BuildError(f"reading {self.path}: {error}") from error

    @cached_property
    def groups(self) -> dict[str, Values]:
        """The values of each group's variants; of group A alone, and none, where nothing varies."""
        try:
            return variants(self._text.split("\n"))
        except BuildError as error:
            raise BuildError(f"reading {self.path}: {error}") from error

    @property
    def values(self) -> Values:
        """What its group has."""
        return self.groups[self.group]

    @cached_property
    def source(self) -> Source:
        """Its cells, nothing executed."""
        return parse(self.path, self._text, lambda line: filled(line, self.group, self.values))

    @property
    def cells(self) -> list[NotebookNode]:
        """The cells of the source."""
        return self.source.notebook.cells

    @property
    def title(self) -> str:
        """What its first heading says."""
        for cell in self.cells:
            if found := TITLE.search(cell.source):
                return found[1]
        raise BuildError("an assignment has a title, `# Homework N · …`")

    @cached_property
    def items(self) -> list[Item]:
        """What gets points, in order."""
        items, heading, used = [], None, True
        for index, cell in enumerate(self.cells):
            if cell.cell_type == "markdown" and (found := list(HEADING.finditer(cell.source))):
                if not used or found[1:]:
                    raise self.error(index, f"“{found[0]['title']}” has points and no task")
                heading, used = found[0], False
            name, written = cell.metadata.get("task"), cell.metadata.get("written")
            if not (name or written):
                continue
            if used:
                raise self.error(index, f"{name or written} stands under no heading with points")
            title, points = heading["title"], int(heading["points"])
            items.append(Item(name or written, title, points, index, bool(written)))
            used = True
        if not used:
            raise self.error(len(self.cells) - 1, f"“{heading['title']}” has points and no task")
        names = [item.name for item in items]
        for item in items:
            if names.count(item.name) > 1:
                raise self.error(item.cell, f"{item.name} is there twice")
        return items

    @property
    def tasks(self) -> list[Item]:
        """The functions to write."""
        return [item for item in self.items if not item.written]

    @property
    def points(self) -> int:
        """All of them."""
        return sum(item.points for item in self.items)

    def judge(self, item: Item) -> Exercise:
        """Return what judges a task, and hold the sheet's function against it."""
        try:
            task = find_task(item.name, self.path.parent.parent / "tasks", self.values)
        except BuildError as error:
            raise self.error(item.cell, str(error)) from error
        wanted = list(inspect.signature(task.answer).parameters)
        function = self._definition(item)
        if [argument.arg for argument in function.args.args] != wanted:
            line = function.lineno - 1
            raise self.error(
                item.cell, f"the task {item.name} takes ({', '.join(wanted)})", line=line
            )
        return task

    def prose(self, cell: NotebookNode) -> str:
        """Return what a cell of text says, with as many hints as are handed out."""
        shown = HINT.sub(lambda one: one[0] if int(one[1]) <= self.hints else "", cell.source)
        return shown.strip()

    def stub(self, item: Item) -> str:
        """Return what a student gets of a task's cell.

        Raises
        ------
        BuildError
            If taking the solution out leaves no stub of the same function: naming task and line.
        """
        lines = self.cells[item.cell].source.split("\n")
        marks = [i for i, line in enumerate(lines) if line.strip() in (BEGIN, END)]
        if [lines[i].strip() for i in marks] != [BEGIN, END]:
            line = marks[0] if marks else 0
            message = f"the task {item.name} has one {BEGIN} and one {END}, in this order"
            raise self.error(item.cell, message, line=line)
        first, last = marks
        indent = lines[first][: -len(BEGIN)]
        stub = "\n".join([*lines[:first], f"{indent}{STUB}", *lines[last + 1 :]])
        self._hold(item, stub)
        return stub

    def error(self, index: int, message: str, *, line: int = 0) -> BuildError:
        """Make an error that leads to a line of a cell, counted from 0."""
        return BuildError(f"{self.where(index, self.source.line_of(index, line))}: {message}")

    def where(self, index: int, line: int | None = None) -> str:
        """Words that lead to a cell of the source, and to a line of it."""
        of_group = "" if self.group == FIRST else f", of group {self.group}"
        return f"{self.source.where(index, line)}{of_group}"

    def _hold(self, item: Item, stub: str) -> None:
        """Refuse a stub that is not the solution without its body."""
        whole = self._definition(item)
        left = self._definition(item, stub)
        rest = left.body[ast.get_docstring(left) is not None :]
        if [ast.unparse(one) for one in rest] != [STUB]:
            message = f"without its solution, the task {item.name} must be `{STUB}` and no more"
            raise self.error(item.cell, message, line=rest[0].lineno - 1)
        if ast.unparse(whole.args) != ast.unparse(left.args) or not ast.get_docstring(left):
            message = f"the stub of {item.name} keeps its parameters and its docstring"
            raise self.error(item.cell, message, line=left.lineno - 1)

    def _definition(self, item: Item, code: str | None = None) -> ast.FunctionDef:
        """Return the one function that a task's cell defines."""
        try:
            tree = ast.parse(self.cells[item.cell].source if code is None else code)
        except SyntaxError as error:
            message = f"the task {item.name} is no Python: {error.msg}"
            raise self.error(item.cell, message, line=(error.lineno or 1) - 1) from error
        found = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
        if len(tree.body) != 1 or [node.name for node in found] != [item.name]:
            raise self.error(item.cell, f"the task {item.name} defines that function and no more")
        return found[0]


def find_sheets(folder: Path = HOMEWORK, hints: int = HINTS) -> list[Sheet]:
    """Find the assignments of a folder; their sources are in its `src`.

    Of each task as many hints are handed out.

    Raises
    ------
    BuildError
        If there is none, or one is not named `hwN_name.md`.
    """
    paths = sorted((folder / "src").glob("*.md"))
    if not paths:
        raise BuildError(f"looking for assignments hwN_name.md: {folder / 'src'} holds none")
    if wrong := [path.name for path in paths if not re.fullmatch(r"hw\d+_\w+\.md", path.name)]:
        raise BuildError(f"an assignment is named hwN_name.md, and this is not: {wrong[0]}")
    return [Sheet(path, hints=hints) for path in paths]


def asserted(sheet: Sheet, item: Item) -> Iterator[tuple[int, str]]:
    """Give the cells that assert properties of a task: the index and the code."""
    for index, cell in enumerate(sheet.cells):
        if cell.metadata.get("tests") == item.name:
            yield index, cell.source
