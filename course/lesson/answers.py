"""What waits until the reader asks: what answers a *Predict*, and what gives an exercise away.

An answer begins with the next code cell below the paragraph that asks. It is what that cell shows,
and the one paragraph, list or formula directly below it; or, where the mark ``% answered`` stands
further down, a line of its own, all that code cells show and all prose up to there. Code itself
stays. No answer goes beyond a heading or the next *Predict*.

The mark ``% fold TITLE`` folds the one thing below it under that title: a paragraph, a formula, or
a cell's code, whose output stays. Neighbours of one title open together.

Pages and the site fold what `Answers` says, and a build writes the same into the notebook
(`Answers.record`), from which `course.lab` makes working copies.
"""

from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

from course.lesson.marks import ASKS, Mark, marks_of, text_blocks
from course.lesson.source import Source

TITLE = "The answer"  # of what answers a *Predict*


class Piece(NamedTuple):
    """Lines of a Markdown cell, from `first` (counted from 0), and the answer they belong to.

    `answer` is the number of the answer, from 1, and 0 where it is none; `title` what it is called.
    """

    first: int
    lines: tuple[str, ...]
    answer: int
    title: str = ""


class Answers(NamedTuple):
    """What folds: pieces of each Markdown cell by index, outputs and code of each code cell.

    An answer has a number; to that of code its title is added.
    """

    prose: dict[int, list[Piece]]
    outputs: dict[int, int]
    code: dict[int, tuple[int, str]]

    def record(self, index: int) -> dict:
        """Return what of a cell is folded in working copies, as its notebook keeps it.

        `folds` has for each piece of prose its first line, how many there are, and its title;
        `fold` is the title of code.
        """
        pieces = [piece for piece in self.prose.get(index, []) if piece.answer]
        if pieces:
            return {"folds": [[one.first, len(one.lines), one.title] for one in pieces]}
        return {"fold": self.code[index][1]} if index in self.code else {}


class _Part(NamedTuple):
    """A block of prose, or a code cell, which has no lines: its cell, and its line in the file."""

    cell: int
    line: int
    first: int = 0
    lines: tuple[str, ...] = ()

    @property
    def asks(self) -> bool:
        return any(ASKS in line for line in self.lines)

    @property
    def heads(self) -> bool:
        return bool(self.lines) and self.lines[0].startswith("#")


def read_answers(source: Source, marked: str) -> Answers:
    """Find the answers of a lesson, from its parsed source and the same as it stands."""
    parts, ends = list(_parts(source)), [mark.line for mark in marks_of("answered", marked)]
    answer_of = [0] * len(parts)
    asking = [place for place, part in enumerate(parts) if part.asks]
    for number, start in enumerate(asking, start=1):
        for place in _reach(parts, start, ends):
            answer_of[place] = number
    own = _own_folds(parts, marks_of("fold", marked), len(asking))
    prose, outputs, code = {}, {}, {}
    for index, group in groupby(enumerate(parts), key=lambda pair: pair[1].cell):
        places = list(group)
        if places[0][1].lines:
            text = source.notebook.cells[index].source.split("\n")
            folds = [(part, own.get(at, (answer_of[at], TITLE))) for at, part in places]
            prose[index] = list(_joined(folds, text))
            continue
        ((at, _),) = places
        if answer_of[at]:
            outputs[index] = answer_of[at]
        if at in own:
            code[index] = own[at]
    return Answers(prose, outputs, code)


def _parts(source: Source) -> Iterator[_Part]:
    """Go through the blocks of prose and the code cells of a lesson."""
    for index, cell in enumerate(source.notebook.cells):
        if cell.cell_type == "code":
            yield _Part(index, source.lines[index])
            continue
        for first, lines in text_blocks(cell.source):
            yield _Part(index, source.line_of(index, first), first, tuple(lines))


def _reach(parts: list[_Part], start: int, ends: list[int]) -> list[int]:
    """Return the places of the parts that answer the question at `start`."""
    stop = start + 1
    while stop < len(parts) and not (parts[stop].asks or parts[stop].heads):
        stop += 1
    first = next((place for place in range(start + 1, stop) if not parts[place].lines), start + 1)
    last = parts[stop].line if stop < len(parts) else float("inf")
    if marked := [end for end in ends if parts[start].line < end < last]:
        return [place for place in range(first, stop) if parts[place].line < marked[0]]
    below = first + 1 < stop and bool(parts[first + 1].lines)
    return list(range(first, min(first + 1 + below, stop)))


def _own_folds(parts: list[_Part], marks: list[Mark], number: int) -> dict[int, tuple[int, str]]:
    """Return the places of the parts that a mark folds, each with its number and its title."""
    folds = {}
    for line, _, title in marks:
        place = next(place for place, part in enumerate(parts) if part.line > line)
        if folds.get(place - 1, (0, ""))[1] != title:
            number += 1
        folds[place] = number, title
    return folds


def _joined(folds: list[tuple[_Part, tuple[int, str]]], text: list[str]) -> Iterator[Piece]:
    """Join neighbours of one answer, with the blank lines between them."""
    for (answer, title), group in groupby(folds, key=lambda pair: pair[1]):
        parts = [part for part, _ in group]
        first, last = parts[0].first, parts[-1].first + len(parts[-1].lines)
        yield Piece(first, tuple(text[first:last]), answer, title if answer else "")
