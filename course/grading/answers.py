"""Finds what a student wrote in words, wherever it stands in the notebook.

It belongs into the cell that was handed out for it. But cells are split, copied and turned into
code, and lose their marks; so whatever was not handed out is looked at, paragraph by paragraph.
There are 0 points only where that cell is as it was handed out and nothing else was written.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from course.grading.submission import Cell, Submission, cell_of
from course.homework import ANSWER_HERE

ENOUGH = 25  # words that stand elsewhere, and may be an answer
EMPTIED = "\0emptied"  # no text of a notebook
MOST_LETTERS, MOST_IN_ALL = 100_000, 1_000_000  # of a cell, and of a notebook, that are looked at
BLANK = re.compile(r"\n[ \t\r]*\n")
HEADING = re.compile(r"^#{1,6} ", re.MULTILINE)
# Patterns and no parser, which code of any depth could bring down.
COMMENTS = re.compile(r"(?:[ \t]*(?:#.*)?\n)*[ \t]*#.*")
QUOTED = re.compile(r"""[a-z]?("{3}|'{3}|"|').*\1""", re.DOTALL)
PRINTED = re.compile(r"(?:print|Markdown|HTML)\(.*\)", re.DOTALL)
CODE = re.compile(
    r"[ \t]*(?:(?:async +)?(?:def|class) |import |from \S+ import |@\w|[%!]|return\b|assert |"
    r"(?:for|while|if|elif|else|with|try|except|finally)\b.*:[ \t]*(?:#.*)?$|"
    r"[\w.\[\], ()*]+(?:[-+*/@]?=)(?!=)|[\w.]+\(.*\)?[ \t]*$|[])},])"
)


@dataclass(frozen=True)
class Written:
    """What was found of an answer."""

    text: str = ""  # what a person is to read
    is_as_handed_out: bool = False  # whether there is nothing to read
    # Where there is not, the words that stand at other places, too few to be an answer.
    elsewhere: str = ""

    @property
    def digest(self) -> str:
        """Of the text: another text is read anew. An emptied cell is not one as it was."""
        is_emptied = not self.text and not self.is_as_handed_out
        told = EMPTIED if is_emptied else self.text
        return hashlib.sha256(told.encode("utf-8", "replace")).hexdigest()


class HandedOut:
    """A notebook as students got it, and the questions in it.

    Parameters
    ----------
    path
        The notebook. Where it is not there, an answer is known by its mark alone.
    questions
        The names of those that are answered in words.
    others
        The same of other groups: what they were handed out is no answer either.

    Attributes
    ----------
    code : tuple of str
        Its code, cell by cell.
    """

    def __init__(self, path: Path, questions: Iterable[str], others: Iterable[Path] = ()):
        cells = _cells_of(path)
        known = [*cells, *(cell for one in others for cell in _cells_of(one))]
        self._known = {ANSWER_HERE, *(one for cell in known for one in paragraphs(cell.source))}
        self._names = {cell.ident: cell.name for cell in cells if cell.ident and cell.name}
        self._is_known = bool(cells)
        self.code = tuple(cell.source for cell in cells if cell.kind == "code")
        self._sections = {name: _section(cells, name) for name in questions}
        self._others = self._known.difference({ANSWER_HERE}, *self._sections.values())

    def find(self, submission: Submission) -> dict[str, Written]:
        """Find the answer to each question."""
        there: dict[str, list[str]] = {name: [] for name in self._sections}
        elsewhere: list[str] = []
        untouched: set[str] = set()
        place = ""
        for cell in _beginning(submission.all_cells):
            own, place = self._own(cell), self._place(cell, place)
            question = self._marked(cell) or place
            if cell.source.strip() == ANSWER_HERE:
                untouched.add(question)
            if self._marked(cell) or (question and (cell.kind != "code" or is_words(cell.source))):
                there[question].append(own)
            elif own and self._is_known and (cell.kind != "code" or is_words(cell.source)):
                elsewhere.append(own)
        long = [one for one in elsewhere if len(one.split()) >= ENOUGH]
        found = {}
        for name, texts in there.items():
            text, other = _joined(texts) or _joined(long), _joined(elsewhere)
            is_untouched = bool({name, ""} & untouched)
            is_empty = not text and is_untouched
            found[name] = Written("", True, other) if is_empty else Written(text or other)
        return found

    def _own(self, cell: Cell) -> str:
        """Return what of a cell was not handed out."""
        found = paragraphs(cell.source)
        if self._known.isdisjoint(found):
            return cell.source.strip() and cell.source
        return "\n\n".join(text for one, text in found.items() if one not in self._known)

    def _marked(self, cell: Cell) -> str:
        """Return the question that a cell was handed out for, if it still says so."""
        name = cell.name or self._names.get(cell.ident, "")
        return name if name in self._sections else ""

    def _place(self, cell: Cell, before: str) -> str:
        """Return the question in whose section a cell stands: where what was handed out ends."""
        found = paragraphs(cell.source).keys()
        for name, section in self._sections.items():
            if not section.isdisjoint(found):
                return name
        return before if self._others.isdisjoint(found) else ""


def is_words(source: str) -> bool:
    """Whether code is none, but text: comments, a string, what is printed, or plain words."""
    source = source.strip()[:MOST_LETTERS]
    if any(one.fullmatch(source) for one in (COMMENTS, QUOTED, PRINTED)):
        return True
    lines = [line for line in source.split("\n") if line.strip()]
    parts = [part.strip() for part in lines]
    if all(QUOTED.fullmatch(one) or PRINTED.fullmatch(one) or one[0] == "#" for one in parts):
        return bool(parts)
    n_code = sum(bool(CODE.match(line)) for line in lines)
    return len(source.split()) > 2 * len(lines) and n_code * 3 < len(lines)


def paragraphs(text: str) -> dict[str, str]:
    """Return the paragraphs of a text, by their words however they are set."""
    return {words: part for part in BLANK.split(text) if (words := " ".join(part.split()))}


def _beginning(cells: Iterable[Cell]) -> Iterator[Cell]:
    """Give cells, as far as somebody may have written them."""
    left = MOST_IN_ALL
    for cell in cells:
        source = cell.source[: min(left, MOST_LETTERS)]
        left -= len(source)
        yield replace(cell, source=source)


def _section(cells: Sequence[Cell], name: str) -> set[str]:
    """Return what stands from a question's heading up to the next one."""
    at = next((i for i, cell in enumerate(cells) if cell.name == name), -1)
    if at < 0:
        return set()
    heads = [cell.kind == "markdown" and HEADING.match(cell.source) for cell in cells]
    begins = [i for i, head in enumerate(heads) if head]
    first = max((i for i in begins if i <= at), default=at)
    last = min((i for i in begins if i > at), default=len(cells))
    found = {one for cell in cells[first:last] for one in paragraphs(cell.source)}
    return found - {ANSWER_HERE}


def _joined(texts: Iterable[str]) -> str:
    """Join texts, each of them once."""
    return "\n\n".join(dict.fromkeys(one for one in texts if one.strip()))[:MOST_LETTERS]


def _cells_of(path: Path) -> list[Cell]:
    try:
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    except FileNotFoundError:
        return []
    return [cell_of(cell) for cell in cells]
