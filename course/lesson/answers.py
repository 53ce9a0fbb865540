"""What answers a *Predict*, which pages fold until the reader asks.

An answer begins below the paragraph that asks. It ends at the next heading, at the next *Predict*,
or at the mark ``% answered``, a line of its own above the first thing that belongs to it no more.
Of it, all prose folds, and what code cells show; code stays.
"""

from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

from course.lesson.marks import answered_lines, text_blocks
from course.lesson.source import Source

ASKS = "*Predict"


class Piece(NamedTuple):
    """Lines of a Markdown cell, from `first` (counted from 0), and the answer they belong to.

    `answer` is the number of the answer, from 1; 0 where it is none.
    """

    first: int
    lines: tuple[str, ...]
    answer: int


class Answers(NamedTuple):
    """What folds: pieces of each Markdown cell by index, and the answer of each code cell."""

    prose: dict[int, list[Piece]]
    outputs: dict[int, int]


def read_answers(source: Source, marked: str) -> Answers:
    """Find the answers of a lesson, from its parsed source and the same as it stands."""
    ends = answered_lines(marked)
    prose, outputs = {}, {}
    number, answer, line = 0, 0, 0  # of the last answer; of the one that is open; where we are
    for index, cell in enumerate(source.notebook.cells):
        if cell.cell_type == "code":
            if any(line < end < source.lines[index] for end in ends):
                answer = 0
            line = source.lines[index]
            if answer:
                outputs[index] = answer
            continue
        pieces = []
        for first, lines in text_blocks(cell.source):
            here = source.line_of(index, first)
            if any(line < end < here for end in ends) or lines[0].startswith("#"):
                answer = 0
            line = here
            asks = any(ASKS in one for one in lines)
            pieces.append(Piece(first, tuple(lines), 0 if asks else answer))
            if asks:
                number = answer = number + 1
        prose[index] = list(_joined(pieces, cell.source.split("\n")))
    return Answers(prose, outputs)


def _joined(pieces: list[Piece], lines: list[str]) -> Iterator[Piece]:
    """Join neighbours of one answer, with the blank lines between them."""
    for answer, group in groupby(pieces, key=lambda piece: piece.answer):
        first, *others = group
        last = others[-1] if others else first
        yield Piece(first.first, tuple(lines[first.first : last.first + len(last.lines)]), answer)
