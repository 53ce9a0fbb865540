"""The notebook of an edition: its words and no outputs, ready for who works in a copy of it."""

import copy

import nbformat

from course.lesson.answers import TITLE
from course.lesson.editions import Translated
from course.lesson.widgets import OPTION
from course.notebook.normalise import METADATA, record_folds, to_bytes


def notebook(lesson: Translated) -> bytes:
    """Make the notebook of a lesson; its first cell of text says where its outputs are.

    Raises
    ------
    BuildError
        If a translation has not kept what it must.
    """
    made = copy.deepcopy(lesson.notebook)
    metadata = {**METADATA, "attnlib": {"answer": lesson.say(TITLE)}}  # what opens in a copy
    made |= {"metadata": nbformat.from_dict(metadata), "nbformat": 4, "nbformat_minor": 5}
    for cell in made.cells:
        cell.metadata.pop(OPTION, None)  # attnlib has it
    record_folds(lesson, made)
    for cell in made.cells:
        if "fold" in cell.metadata.get("attnlib", {}):
            cell.metadata.attnlib.opens = lesson.say("click to open")
    for cell in made.cells:
        if cell.cell_type == "markdown":  # it lies one folder further down than the English one
            cell.source = cell.source.replace("](../images/", "](../../images/")
    first = next(cell for cell in made.cells if cell.cell_type == "markdown")
    told = lesson.say(
        "Outputs are not kept here: they are in the [English notebook]({address}), whose code is "
        "the same.",
        address=f"../{lesson.name}.ipynb",
    )
    first.source += f"\n\n{told}"
    first.metadata.attnlib = {**first.metadata.get("attnlib", {}), "not_copied": 2}  # lines
    return to_bytes(made)
