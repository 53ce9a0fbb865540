"""A lesson's figures drawn again for paper, with twice as many dots an inch as on a screen."""

from functools import cache

from nbformat import NotebookNode

from course.lesson.series import Lesson
from course.notebook.execute import Executor
from course.notebook.pictures import PNG, lighten


@cache
def for_paper(lesson: Lesson) -> NotebookNode:
    """Return a lesson's notebook with fine figures; where it has any, it runs once more.

    Raises
    ------
    BuildError
        If the notebook is not that of the source, or a cell fails.
    """
    notebook = lesson.executed()
    if any(map(_figures, notebook.cells)):
        again = Executor(lesson.folder, fine=True).execute(lesson)
        for cell, drawn in zip(notebook.cells, again.cells, strict=True):
            for output, fine in zip(_figures(cell), _figures(drawn), strict=True):
                output.data[PNG] = fine.data[PNG]
                lighten(output)
    return notebook


def _figures(cell: NotebookNode) -> list[NotebookNode]:
    """Return a cell's figures: grids and widgets are pictures that say more than their dots."""
    outputs = (output for output in cell.get("outputs", []) if PNG in output.get("data", {}))
    return [one for one in outputs if not any(kind.startswith("application/") for kind in one.data)]
