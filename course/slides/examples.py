"""Pictures for exercises: an example of each, from its spec; what is given, and what is wanted.

They are its arrays as grids, or their shapes as boxes where the numbers have no room.
"""

import json
import re
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_output

from course import BuildError
from course.files import ROOT
from course.render.grids import GRID, close, high, wide
from course.slides.chains import Array, boxes

PATIENCE = 60  # seconds, for the examples of a deck
MOST_WIDE = 70  # in sizes of letters, of a grid that has a slide's whole width
SIZE = 18  # pixels of a letter
BODY = 540  # pixels of height, which text, code and an example share
LINE, LETTERS = 39, 80  # of text: a line's height, and its letters
APART = 16  # between parts
CODE, RIM = 37, 20  # of code
FORMULA = 110


def read_examples(folder: Path, specs: Iterable[Path]) -> dict[str, list[dict]]:
    """Return the first examples of exercises, by name.

    Parameters
    ----------
    folder
        What holds the `attnlib` of the lessons.
    specs
        The exercises' files; one without an exercise in it is passed over.
    """
    names = [spec.stem for spec in specs if "\nEXERCISE = " in spec.read_text(encoding="utf-8")]
    if not names:
        return {}
    command = [sys.executable, "-m", "course.slides.cases", str(folder), *names]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE)
    if done.returncode:
        reason = done.stderr.strip().rpartition("\n")[2]
        raise BuildError(f"drawing the examples of {', '.join(names)}: {reason}")
    return json.loads(done.stdout)


def picture(examples: Iterable[Mapping], beside: Iterable[NotebookNode]) -> NotebookNode | None:
    """Make the cell that shows an exercise's example below cells; None where it has no arrays."""
    grids = [one["grid"] for one in examples if one["grid"]]
    room = BODY - sum(_height(cell) + APART for cell in beside)
    if grid := next((grid for grid in grids if _fits(grid, room)), None):
        data = {GRID: grid["recorded"], "text/plain": grid["text"]}
        metadata = {"image/png": {"alt": grid["alt"]}}
        cell = new_code_cell("", outputs=[new_output("display_data", data, metadata=metadata)])
        cell.metadata.deck = NotebookNode(kind="picture wide", share=high(grid["recorded"]))
        cell.metadata.transient = {"remove_source": True}
        return cell
    for example in examples:
        tables = example["grid"]["recorded"]["tables"] if example["grid"] else ()
        hues = {table["name"]: table["hues"][0] for table in tables}
        arrays = [
            Array(name, tuple(shape), hues.get(name, "")) for name, shape in example["shapes"]
        ]
        signs = ["→" if place == example["given"] else "" for place in range(1, len(arrays))]
        cell = new_markdown_cell(boxes(arrays, signs))
        cell.metadata.deck = NotebookNode(kind="shapes")
        return cell
    return None


def _fits(grid: Mapping, room: float) -> bool:
    least = min(wide(grid["recorded"]), close(grid["recorded"]))
    return least <= MOST_WIDE and high(grid["recorded"]) * SIZE <= room


def _height(cell: NotebookNode) -> float:
    """Return about how high a part of a slide is, in pixels."""
    if cell.cell_type == "code":
        return CODE * len(cell.source.splitlines()) + RIM
    if 'display="block"' in cell.source:
        return FORMULA
    words = re.sub("<[^>]*>", "", cell.source)
    return LINE * -(-len(words.strip()) // LETTERS)
