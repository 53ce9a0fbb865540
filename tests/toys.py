"""Small lessons that tests make: a source, and its notebook as if it had been executed."""

import nbformat

from course.notebook.normalise import METADATA
from tests.lessons import lesson_at


def put_lesson(root, name, text, outputs=()):
    """Write a lesson below a folder, with the outputs of its code cells, and read it."""
    path = root / "notebooks" / "src" / f"{name}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    lesson = lesson_at(path)
    executed = nbformat.from_dict(lesson.notebook | {"metadata": METADATA})
    code = [cell for cell in executed.cells if cell.cell_type == "code"]
    for number, (cell, found) in enumerate(zip(code, outputs or [[]] * len(code), strict=True), 1):
        cell |= {"outputs": list(found), "execution_count": number}
    nbformat.write(executed, lesson.notebook_path)
    return lesson


def toy_lesson(root, *cells, name="01_one"):
    """Write a lesson of these cells, outputs and all, below a folder, and read it."""
    texts = [
        cell.source if cell.cell_type == "markdown" else f"```{{code-cell}}\n{cell.source}\n```"
        for cell in cells
    ]
    code = [cell for cell in cells if cell.cell_type == "code"]
    return put_lesson(root, name, "\n\n+++\n\n".join(texts), [cell.outputs for cell in code])
