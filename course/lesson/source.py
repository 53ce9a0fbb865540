"""A source in MyST Markdown as the cells of a notebook, with readable ids and known lines."""

import re
import unicodedata
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from jupytext.myst import get_parser, myst_to_notebook, read_fenced_cell
from nbformat import NotebookNode

from course import BuildError
from course.lesson.marks import without_marks, wrong_marks
from course.lesson.sentences import Join, spaced

CODE_CELL = "{code-cell}"
LONGEST_SLUG = 48  # leaves room for `_12-345` in the 64 characters that nbformat allows an id


class Source(NamedTuple):
    """A source as its cells, nothing executed: with ids, without outputs and slide marks.

    `lines` has for each cell the line of the file (from 1) on which the cell's text starts, and
    `origins` the same for each line that was parsed: marks are left out, lists are filled in.
    """

    path: Path
    notebook: NotebookNode
    lines: tuple[int, ...]
    origins: list[int]

    def where(self, index: int, line: int | None = None) -> str:
        """Words that lead to a cell: its number from 1, its id, a line of the source."""
        line = self.lines[index] if line is None else line
        cell_id = self.notebook.cells[index].id
        return f"cell {index + 1} ({cell_id}), {self.path.name} line {line}"

    def line_of(self, index: int, offset: int) -> int:
        """Return the line of the file that a cell's line, counted from 0, comes from."""
        return self.origins[self.origins.index(self.lines[index]) + offset]

    def where_line(self, line: int) -> str:
        """Words that lead to a line of the source, and to the cell that it is part of."""
        if not self.lines:
            return f"{self.path.name} line {line}"
        index = max((i for i, start in enumerate(self.lines) if start <= line), default=0)
        return self.where(index, line)


def parse(
    path: Path,
    marked: str,
    fill_in: Callable[[str], str] = str,
    words: Sequence[str] = (),
    join: Join = spaced,
) -> Source:
    """Parse a source.

    Parameters
    ----------
    path
        Where it was read, for what errors say.
    marked
        The source as it stands, slide marks (`course.lesson.marks`) and all.
    fill_in
        What to make of each line of it, or several lines; the lines keep their number.
    words, join
        What people read of it in another language, as `without_marks` takes it.

    Raises
    ------
    BuildError
        If it does not parse, naming the line as well as the parser knows it.
    """
    text, origins = without_marks(marked, words, join)
    filled = [fill_in(line).split("\n") for line in text.split("\n")[: len(origins)]]
    origins = [origin for lines, origin in zip(filled, origins, strict=True) for _ in lines]
    source_lines = [line for lines in filled for line in lines]
    text = "\n".join(source_lines) + "\n"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # jupytext only warns of a second cell language
            problems = list(_bad_options(text, origins))
            if problems:  # the parser refuses some of these too, without their line
                raise BuildError("\n  ".join([f"reading {path}:", *problems]))
            notebook = myst_to_notebook(text, add_source_map=True)
    except BuildError:
        raise
    except Exception as error:  # jupytext passes on whatever YAML and JSON parsers raise
        raise BuildError(f"reading {path}: {' '.join(str(error).split())}") from error
    starts = notebook.metadata.pop("source_map")
    lines = tuple(
        origins[first_line(source_lines, start, cell.source)]
        for start, cell in zip(starts, notebook.cells, strict=True)
    )
    for cell, cell_id in zip(notebook.cells, _cell_ids(notebook.cells), strict=True):
        cell.id = cell_id
    source = Source(path, notebook, lines, origins)
    problems = [f"{source.where_line(error.line)}: {error}" for error in wrong_marks(marked)]
    problems += _swallowed(source)
    if problems:
        raise BuildError("\n  ".join([f"reading {path}:", *problems]))
    return source


def alt_texts(cell: NotebookNode) -> list[str]:
    """Return the alt texts that a source cell gives, one per figure; none is an empty list."""
    alt = cell.metadata.get("alt", [])
    return [alt] if isinstance(alt, str) else alt


def _bad_options(text: str, origins: list[int]) -> Iterator[str]:
    """Name the code cells with options that are not `:name: value`, or tags or alt not text."""
    cells = [
        token
        for token in get_parser().parse(text)
        if token.type == "fence" and token.info.startswith(CODE_CELL)
    ]
    for number, token in enumerate(cells, start=1):
        where = f"line {origins[token.map[0]]}"
        options, _ = read_fenced_cell(token, number, "code")
        if not isinstance(options, dict):
            yield f"{where}: a cell's options are `:name: value`, and {options!r} is not"
            continue
        for name in ("tags", "alt"):
            value = options.get(name, [])
            texts = [value] if name == "alt" and isinstance(value, str) else value
            if not isinstance(texts, list) or not all(
                isinstance(one, str) and one.strip() for one in texts
            ):
                kinds = "a list of words" if name == "tags" else "a text or a list of texts"
                yield f"{where}: {name} takes {kinds}, and {value!r} is not"


def _swallowed(source: Source) -> Iterator[str]:
    """Find code cells inside another cell: a fence not closed swallows them, without an error."""
    for index, cell in enumerate(source.notebook.cells):
        for offset, line in enumerate(cell.source.splitlines()):
            if re.match(r"\s*(`{3,}|~{3,})" + re.escape(CODE_CELL), line):
                where = source.where(index, source.lines[index] + offset)
                yield f"{where}: a code cell inside another block; is the fence above it closed?"


def first_line(source_lines: list[str], start: int, source: str) -> int:
    """Line, from 0, on which a cell's text starts: options and blank lines come before it."""
    body = source.splitlines()
    last = len(source_lines) - len(body)
    for line in range(start, last + 1):
        if source_lines[line : line + len(body)] == body:
            return line
    return start


def _cell_ids(cells: list[NotebookNode]) -> Iterator[str]:
    """Give each cell `<slug of the heading above it>-<k>`, k counting from that heading.

    Ids depend on headings and on the number of cells below them, so a changed sentence changes
    none and an inserted cell shifts those of the rest of its section. The second heading of one
    wording is `slug_2`; a slug itself holds no underscore, so ids are unique.
    """
    parser = get_parser()
    seen: Counter[str] = Counter()
    section, count = "", 0

    def enter(heading: str) -> str:
        slug = _slug(heading)
        seen[slug] += 1
        return slug if seen[slug] == 1 else f"{slug}_{seen[slug]}"

    for cell in cells:
        headings = list(_headings(parser, cell)) if cell.cell_type == "markdown" else []
        if headings and headings[0][0] == 0:  # the cell opens with its heading, and belongs to it
            section, count = enter(headings.pop(0)[1]), 0
        elif not section:
            section = enter("top")
        count += 1
        yield f"{section}-{count}"
        for _, heading in headings:  # a heading further down governs the cells after this one
            section, count = enter(heading), 0


def _headings(parser, cell: NotebookNode) -> Iterator[tuple[int, str]]:
    """Line, from 0, and text of each heading in a Markdown cell (`#` in a code block is none)."""
    tokens = parser.parse(cell.source)
    for opening, inline in pairwise(tokens):
        if opening.type == "heading_open":
            yield opening.map[0], inline.content


def _slug(heading: str) -> str:
    text = re.sub(r"\]\([^)]*\)", " ", heading)  # a link's address is not its text
    text = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    slug = "-".join(re.findall(r"[a-z0-9]+", text))
    if len(slug) > LONGEST_SLUG:
        slug = slug[: LONGEST_SLUG + 1].rpartition("-")[0] or slug[:LONGEST_SLUG]
    return slug or "section"
