"""The slide marks of a lesson's source: what a lecture shows of it, and what the speaker says.

A mark is a line of its own, directly above what it marks. Readers of the notebook never see one.

- ``% slide 3 How far apart?`` begins a slide of three minutes. Without a title, the heading
  that follows is its title.
- ``% show`` puts what follows on the slide, ``% then`` lets it appear at the next key press, and
  ``% note`` hands it to the speaker, as happens to everything that has no mark. They reach to
  the end of the paragraph or to the next mark; in the middle of a paragraph they divide it.
- Above a code cell, ``% show`` shows all outputs, or what it names: ``code``, ``text``,
  ``picture``, ``widget``, ``error``. ``% show code 3-5`` shows some lines of the code.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

MARK = re.compile(r"%\s*(\w*)\s*(.*?)\s*$")
FENCE = re.compile(r"(`{3,}|~{3,}|\$\$)(.*)")
OPENS_BLOCK = re.compile(r"[-*+]\s|#{1,6}\s|\d+[.)]\s|[>|]|`{3}|~{3}|\$\$")
KINDS = ("slide", "show", "then", "note")


class MarkError(Exception):
    """What is wrong with a mark, and on which line of the source."""

    def __init__(self, line: int, message: str):
        super().__init__(message)
        self.line = line


class Mark(NamedTuple):
    """A mark as it stands in the source, its line counted from 1."""

    line: int
    kind: str
    argument: str


class Block(NamedTuple):
    """A piece of Markdown and the marks directly above it; it may be marks alone."""

    line: int
    marks: tuple[Mark, ...]
    text: str


def without_marks(text: str) -> tuple[str, list[int]]:
    """Take the marks out of a source.

    Returns
    -------
    str
        The source as readers get it: a paragraph that marks divide is one line again.
    list of int
        For each line of it, the line of the marked source (from 1) that it comes from.
    """
    clean: list[str] = []
    origins: list[int] = []
    divided = False
    for number, line, is_mark, _ in _lines(text):
        if is_mark:
            divided = divided or bool(clean and clean[-1].strip())
            continue
        if divided and line.strip() and not OPENS_BLOCK.match(line):
            clean[-1] = f"{clean[-1].rstrip()} {line}"
        else:
            clean.append(line)
            origins.append(number)
        divided = False
    return "\n".join(clean) + ("\n" if text.endswith("\n") else ""), origins


def wrong_marks(text: str) -> Iterator[MarkError]:
    """Go through the lines of a source that look like marks and are none."""
    for number, line, is_mark, _ in _lines(text):
        if is_mark:
            try:
                _mark(line, number)
            except MarkError as error:
                yield error


def blocks(source: str, first_line: int) -> Iterator[Block]:
    """Divide a Markdown cell at blank lines and at marks; its first line is given, from 1."""
    marks: list[Mark] = []
    held: list[str] = []
    start = first_line
    for number, line, is_mark, fenced in _lines(source):
        at = first_line + number - 1
        if held and (is_mark or not (line.strip() or fenced)):
            yield Block(start, tuple(marks), "\n".join(held))
            marks, held = [], []
        if is_mark:
            marks.append(_mark(line, at))
        elif line.strip() or fenced:
            start = start if held else at
            held.append(line)
        elif marks:
            raise MarkError(marks[-1].line, "a mark stands directly above what it marks")
    if held or marks:
        yield Block(start if held else marks[0].line, tuple(marks), "\n".join(held))


class _Fence:
    """Whether lines, fed one after another, stand inside a code block or a formula of its own."""

    def __init__(self) -> None:
        self._end = ""

    def holds(self, line: str) -> bool:
        """Take the next line and tell whether it belongs to a fence, its ends included."""
        opening = FENCE.match(line)
        if self._end:
            if line.startswith(self._end) or (self._end == "$$" and line.rstrip().endswith("$$")):
                self._end = ""
            return True
        if opening and not (opening[1] == "$$" and opening[2].rstrip().endswith("$$")):
            self._end = opening[1]
            return True
        return False


def _lines(text: str) -> Iterator[tuple[int, str, bool, bool]]:
    """Go through lines, numbered from 1; tell which are marks, and which belong to a fence."""
    fence = _Fence()
    for number, line in enumerate(text.splitlines(), start=1):
        fenced = fence.holds(line)
        yield number, line, not fenced and line.startswith("%"), fenced


def _mark(line: str, number: int) -> Mark:
    kind, argument = MARK.match(line).groups()
    if kind not in KINDS:
        known = ", ".join(f"% {kind}" for kind in KINDS)
        raise MarkError(number, f"{line.strip()!r} is no slide mark; there are {known}")
    return Mark(number, kind, argument)
