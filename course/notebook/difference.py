"""Say in words where two notebooks differ: the committed one and the one its source makes."""

import base64
import io
import json
from collections.abc import Iterator
from itertools import zip_longest

import nbformat
import numpy as np
from nbformat import NotebookNode
from PIL import Image

from course.notebook.pictures import DRAWING, PNG, SVG, drawing_of

PIXELS = (PNG, "image/jpeg")


def differences(committed: bytes, rebuilt: bytes, *, exact: bool = True) -> list[str]:
    """Compare two notebooks cell by cell.

    Parameters
    ----------
    committed, rebuilt
        The files' bytes; `rebuilt` is right by definition.
    exact
        Whether every byte counts. Otherwise pictures' bytes do not, nor does the form of the file:
        another system or another Matplotlib draws other pixels.

    Returns
    -------
    list of str
        One line per difference, naming the cell; empty when there is none.
    """
    if committed == rebuilt:
        return []
    try:
        old = nbformat.reads(committed.decode(), as_version=nbformat.NO_CONVERT)
        old_cells = {cell.id: cell for cell in old.cells}
    except (ValueError, AttributeError, nbformat.ValidationError) as error:
        return [f"the committed file is not a notebook with cell ids: {error}"]
    new = nbformat.reads(rebuilt.decode(), as_version=nbformat.NO_CONVERT)
    new_ids = {cell.id for cell in new.cells}
    found = [
        f"cell {cell_id} is only in the committed notebook"
        for cell_id in old_cells
        if cell_id not in new_ids
    ]
    for number, cell in enumerate(new.cells, start=1):
        where = f"cell {number} ({cell.id})"
        if cell.id not in old_cells:
            found.append(f"{where} is missing from the committed notebook")
            continue
        found += [f"{where}: {what}" for what in _in_cell(old_cells[cell.id], cell, exact=exact)]
    if exact and not found:
        found.append("only the form of the file differs: metadata, order of cells, or JSON layout")
    return found


def _in_cell(old: NotebookNode, new: NotebookNode, *, exact: bool) -> Iterator[str]:
    if old.source != new.source:
        yield f"its source differs: {_first_difference(old.source, new.source)}"
    for key in ("cell_type", "metadata", "execution_count"):
        if old.get(key) != new.get(key):
            yield f"its {key} differs: {_first_difference(old.get(key), new.get(key))}"
    old_outputs, new_outputs = old.get("outputs", []), new.get("outputs", [])
    if len(old_outputs) != len(new_outputs):
        yield f"committed with {len(old_outputs)} outputs, rebuilt with {len(new_outputs)}"
        return
    for old_output, new_output in zip(old_outputs, new_outputs, strict=True):
        yield from _in_output(old_output, new_output, exact=exact)


def _in_output(old: NotebookNode, new: NotebookNode, *, exact: bool) -> Iterator[str]:
    old_parts, new_parts = _parts(old), _parts(new)
    for kind in sorted(old_parts.keys() | new_parts.keys()):
        before, after = old_parts.get(kind), new_parts.get(kind)
        if kind in PIXELS and before and after:
            if exact and before != after:
                yield f"its {kind} differs: {_pixels(before, after)}"
        elif kind == SVG and not exact:
            continue
        elif before != after:
            yield f"its {kind} differs: {_first_difference(before, after)}"


def _parts(output: NotebookNode) -> dict[str, object]:
    """Flatten an output: its kinds of data, a figure's drawing, and its other fields."""
    fields = {key: value for key, value in output.items() if key not in ("data", "name", "text")}
    if output.output_type == "stream":
        return fields | {output.name: output.text}
    if drawing := drawing_of(output):
        about = {key: value for key, value in output.metadata[PNG].items() if key != DRAWING}
        fields |= {"metadata": output.metadata | {PNG: about}, SVG: drawing}
    return fields | output.get("data", {})


def _first_difference(old: object, new: object) -> str:
    """Quote the first line that differs."""
    if old is None or new is None:
        return "only committed" if new is None else "only rebuilt"
    old, new = (
        value if isinstance(value, str) else json.dumps(value, sort_keys=True, ensure_ascii=False)
        for value in (old, new)
    )
    lines = zip_longest(old.splitlines(), new.splitlines(), fillvalue="")
    for number, (before, after) in enumerate(lines, start=1):
        if before != after:
            return f"line {number} is committed as {before!r}, rebuilt as {after!r}"
    return "in its line ends only"


def _pixels(old: str, new: str) -> str:
    before, after = (
        np.asarray(Image.open(io.BytesIO(base64.b64decode(data))).convert("RGBA"), dtype=int)
        for data in (old, new)
    )
    if before.shape != after.shape:
        (old_height, old_width), (new_height, new_width) = before.shape[:2], after.shape[:2]
        return (
            f"committed with {old_width} by {old_height} pixels, "
            f"rebuilt with {new_width} by {new_height}"
        )
    apart = np.abs(before - after).max(axis=-1)
    if not apart.any():
        return "the file's bytes, not one pixel"
    return f"{np.count_nonzero(apart)} of {apart.size} pixels, by up to {apart.max()} of 255"
