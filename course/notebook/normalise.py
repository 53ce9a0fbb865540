"""Make of an executed lesson the notebook that is committed: the same bytes on every build."""

import json
import re
import sys
import tempfile
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from course import BuildError
from course.lesson.series import Lesson
from course.lesson.source import alt_texts
from course.lesson.widgets import OPTION
from course.notebook.pictures import lighten

LIVE_VIEW = "application/vnd.jupyter.widget-view+json"
IMAGES = ("image/png", "image/jpeg", "image/svg+xml", "image/gif")
# An address in a default repr ("at 0x10"), or a number too long to be a colour or a float's bits.
ADDRESS = re.compile(r"\bat 0x[0-9a-fA-F]+|\b0x[0-9a-fA-F]{9,}")
METADATA = {
    "kernelspec": {
        "display_name": "Python 3 (ipykernel)",
        "language": "python",
        "name": "python3",
    },
    "language_info": {  # without the version, which is the builder's
        "codemirror_mode": {"name": "ipython", "version": 3},
        "file_extension": ".py",
        "mimetype": "text/x-python",
        "name": "python",
        "nbconvert_exporter": "python",
        "pygments_lexer": "ipython3",
    },
}


def record_folds(lesson: Lesson, notebook: NotebookNode) -> None:
    """Say in each cell's metadata what working copies fold of it, in place."""
    for index, cell in enumerate(notebook.cells):
        if folded := lesson.answers.record(index):
            cell.metadata.attnlib = nbformat.from_dict(folded)


def normalise(lesson: Lesson, notebook: NotebookNode, folder: Path) -> None:
    """Bring an executed notebook into the form that is committed, in place.

    Parameters
    ----------
    lesson
        The source that the notebook was made from.
    notebook
        Its executed cells; ids and execution counts are kept.
    folder
        Where it was executed; its path must not appear in an output.

    Raises
    ------
    BuildError
        Naming every cell with an output that would differ from machine to machine (an address, a
        path), that nobody asked for (on stderr), or a figure without alt text, and each cell
        whose tags or alt text promise what its outputs do not hold.
    """
    notebook.metadata = nbformat.from_dict(METADATA)
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    problems = []
    for index, cell in enumerate(notebook.cells):
        if cell.cell_type == "code":
            cell.metadata.pop("execution", None)
            cell.metadata.pop(OPTION, None)  # attnlib has it
            cell.outputs = list(_tidy(cell.outputs))
            found = [*_broken_promises(cell), *_add_alt(cell), *_unrepeatable(cell, folder)]
            problems += [f"{lesson.where(index)}: {problem}" for problem in found]
    if problems:
        raise BuildError("\n".join(problems))
    try:
        nbformat.validate(notebook)
    except nbformat.ValidationError as error:
        raise BuildError(f"not a valid notebook: {error.message}") from error


def to_bytes(notebook: NotebookNode) -> bytes:
    r"""Serialise as nbformat does: indent 1, sorted keys, `\n` line ends and one at the end."""
    return (nbformat.writes(notebook) + "\n").encode()


def _tidy(outputs: list[NotebookNode]) -> Iterator[NotebookNode]:
    """Merge streams, shorten tracebacks, drop live views, lighten figures."""
    held = [output for output in outputs if output.get("data") != {}]
    for kind, group in groupby(held, key=lambda output: output.output_type):
        for output in _merged(group) if kind == "stream" else group:
            if kind == "error":
                output.traceback = [f"{output.ename}: {output.evalue}"]
            elif kind != "stream":
                output.data.pop(LIVE_VIEW, None)
                output.metadata.pop(LIVE_VIEW, None)
                if not output.data:
                    continue
                lighten(output)
            yield output


def _merged(streams: Iterator[NotebookNode]) -> list[NotebookNode]:
    """Return one stream per name, stdout first: how the two interleave is a matter of luck."""
    texts = {"stdout": "", "stderr": ""}
    for stream in streams:
        texts[stream.name] += stream.text
    return [
        nbformat.v4.new_output("stream", name=name, text=text)
        for name, text in texts.items()
        if text
    ]


def _broken_promises(cell: NotebookNode) -> Iterator[str]:
    tags = cell.metadata.get("tags", [])
    errors = [output for output in cell.outputs if output.output_type == "error"]
    stderr = [output.text for output in cell.outputs if output.get("name") == "stderr"]
    if "raises-exception" in tags and not errors:
        yield "tagged raises-exception, and nothing was raised"
    if "stderr" in tags and not stderr:
        yield "tagged stderr, and nothing was written there"
    if "stderr" not in tags and stderr:
        line = stderr[0].strip().splitlines()[0]
        yield f"writes to stderr without the tag stderr: {line}"


def _add_alt(cell: NotebookNode) -> Iterator[str]:
    """Copy the source cell's alt texts to its images, in order; an image may bring its own."""
    without = [
        (output, kind)
        for output in cell.outputs
        for kind in IMAGES
        if kind in output.get("data", {}) and not output.metadata.get(kind, {}).get("alt")
    ]
    alt = alt_texts(cell)
    if len(alt) != len(without):
        yield (
            f"each image needs alt text, and each alt text an image: {len(without)} without "
            f"their own, {len(alt)} in the cell's alt"
        )
        return
    for (output, kind), text in zip(without, alt, strict=True):
        output.metadata.setdefault(kind, NotebookNode())["alt"] = text


def _unrepeatable(cell: NotebookNode, folder: Path) -> Iterator[str]:
    """Find what another machine, or another run, would print differently."""
    places = {str(folder.resolve().parent), str(Path.home()), tempfile.gettempdir(), sys.prefix}
    places = {place for place in places if len(Path(place).parts) > 1}  # "/" is in many a text
    for text in map(_text, cell.outputs):
        if address := ADDRESS.search(text):
            yield f"an output holds a memory address, {address[0]}: {_line_of(address, text)}"
        for place in sorted(places):
            if found := re.search(rf"(?<![\w.]){re.escape(place)}(?![\w-])", text):
                yield f"an output holds a path of this machine: {_line_of(found, text)}"
                break


def _text(output: NotebookNode) -> str:
    """All that an output says in words, a picture's data left out."""
    data = output.get("data", {})
    words = [
        value if isinstance(value, str) else json.dumps(value)
        for kind, value in data.items()
        if kind not in ("image/png", "image/jpeg", "image/gif")
    ]
    return "\n".join([*words, output.get("text", ""), output.get("evalue", "")])


def _line_of(match: re.Match[str], text: str) -> str:
    start = text.rfind("\n", 0, match.start()) + 1
    line = text[start:].partition("\n")[0].strip()
    return line if len(line) <= 100 else line[:99] + "…"
