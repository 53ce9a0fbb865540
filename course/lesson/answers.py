"""What answers a *Predict*, which pages fold until the reader asks.

An answer begins below the paragraph that asks. It is what the next code cell shows, and the prose
below it up to the next code cell; or, where the mark ``% answered`` stands further down, a line of
its own, all that code cells show and all prose up to there. Code itself stays. No answer goes
beyond a heading or the next *Predict*.
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
    parts, ends = list(_parts(source)), answered_lines(marked)
    answer_of = [0] * len(parts)
    asking = [place for place, part in enumerate(parts) if part.asks]
    for number, start in enumerate(asking, start=1):
        for place in _reach(parts, start, ends):
            answer_of[place] = number
    prose, outputs = {}, {}
    for cell, group in groupby(zip(parts, answer_of, strict=True), key=lambda pair: pair[0].cell):
        pairs = list(group)
        if pairs[0][0].lines:
            text = source.notebook.cells[cell].source.split("\n")
            prose[cell] = list(_joined(pairs, text))
        elif pairs[0][1]:
            outputs[cell] = pairs[0][1]
    return Answers(prose, outputs)


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
    last = parts[stop].line if stop < len(parts) else float("inf")
    if marked := [end for end in ends if parts[start].line < end < last]:
        return [place for place in range(start + 1, stop) if parts[place].line < marked[0]]
    code = [place for place in range(start + 1, stop) if not parts[place].lines]
    return list(range(start + 1, code[1] if len(code) > 1 else stop))


def _joined(pairs: list[tuple[_Part, int]], text: list[str]) -> Iterator[Piece]:
    """Join neighbours of one answer, with the blank lines between them."""
    for answer, group in groupby(pairs, key=lambda pair: pair[1]):
        parts = [part for part, _ in group]
        first, last = parts[0].first, parts[-1].first + len(parts[-1].lines)
        yield Piece(first, tuple(text[first:last]), answer)
