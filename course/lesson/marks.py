"""The marks of a lesson's source: what a lecture shows of it, and what waits to be opened.

A mark is a line of its own, directly above what it marks. Readers of the notebook never see one.

- ``% slide 3 How far apart?`` begins a slide of three minutes. Without a title, the heading
  that follows is its title. ``% extra`` directly below it keeps the slide out of the deck's core.
- ``% map 03`` below them shows the whole, lit where lesson 03 is: it opens a part. ``% map
  softmax`` lights that part, with all others there.
- ``% say They know this one.`` is a sentence for the speaker alone: of the slide that begins above
  it, or, directly above ``% slide``, of the one that ends there.
- ``% show`` puts what follows on the slide, ``% then`` lets it appear at the next key press, and
  ``% note`` hands it to the speaker, as happens to everything that has no mark. They reach to
  the end of the paragraph or to the next mark; in the middle of a paragraph they divide it.
- ``% unsaid`` keeps what follows from slide and notes: a reader needs it, and no hall is told.
  Above a code cell it keeps from the notes what the cell prints.
- ``% shapes x @ w_query = query`` above a formula or a code cell shows next to it how these shapes
  meet, as boxes drawn to scale. ``.T`` turns an array, ``+`` adds two, and a semicolon begins the
  next row. It names arrays that grids of the lesson show, so their shapes are those of the cells.
- ``% poll`` above a list shows its items as choices to vote for. Directly above each item,
  ``% say …`` says of who chooses it what they think of, and what to ask them.
- Above a code cell, ``% show`` shows all outputs, or what it names: ``code``, ``text``,
  ``picture``, ``widget``, ``error``. ``% show code 3-5`` shows some lines of the code. Two marks,
  ``% show code`` and ``% then text``, show one thing after the other.
- ``% answered`` says how far an answer goes, and ``% fold The lesson's own version`` folds the
  code cell, the paragraph or the formula below it under that title (`course.lesson.answers`).
  Slides know neither of them.
- ``% rests on 10: .973`` names what a claim rests on, and stands directly above it, between two
  rows of a table too (`tests.test_claims`). Slides do not know it either.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

MARK = re.compile(r"%\s*(\w*)\s*(.*?)\s*$")
MISPLACED = re.compile(
    r"[\s>*+-]*[\s>*+-]%\s*(slide|extra|map|shapes|say|show|then|note|unsaid|poll|answered|fold|rests)\b"
    r"|.*\s%\s*(extra|show|then|note|unsaid|poll|answered)\s*$"
)
FENCE = re.compile(r"\s*(`{3,}|~{3,})(.*)")
ITEM = re.compile(r"\s*([-*+]\s|\d+[.)]\s|>)")
OPENS_BLOCK = re.compile(r"\s*(#{1,6}\s|\||<|:{3}|-{3}|\+{3}|\(\S+\)=)")
KINDS = (
    "slide",
    "extra",
    "map",
    "shapes",
    "say",
    "show",
    "then",
    "note",
    "unsaid",
    "poll",
    "answered",
    "fold",
    "rests",
)
OF_ANSWERS = ("answered", "fold")  # these never divide a paragraph
OF_LECTURES = ("slide", "extra", "map", "shapes", "say", "show", "then", "note", "unsaid", "poll")
SHOWABLE = ("code", "text", "picture", "widget", "error")


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
    """Take the marks out of a source; what is wrong with them, `wrong_marks` tells.

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
    for line in _lines(text):
        if line.is_mark:
            divided = divided or bool(clean and clean[-1].strip())
            continue
        if divided and _goes_on(line):
            clean[-1] = f"{clean[-1].rstrip()} {line.text}"
        else:
            clean.append(line.text)
            origins.append(line.number)
        divided = False
    return "\n".join(clean) + ("\n" if text.endswith("\n") else ""), origins


def wrong_marks(text: str) -> Iterator[MarkError]:
    """Go through the marks of a source that are worded or placed wrongly."""
    above, fold = None, 0
    for line in _lines(text):
        if fold and not (line.fenced or line.text.strip()):
            yield MarkError(fold, "a mark stands directly above what it marks")
        fold = 0
        if line.is_mark:
            if MARK.match(line.text)[1] == "fold":
                fold = line.number
            try:
                _mark(line.text, line.number)
            except MarkError as error:
                yield error
            kind = MARK.match(line.text)[1]
            in_table = kind == "rests" and above and above.text.startswith("|")
            alone = kind in OF_ANSWERS or not (above and _divides(above))
            if above and above.text.strip() and alone and not in_table:
                yield MarkError(line.number, "leave a blank line above this mark")
            continue
        if not line.fenced and MISPLACED.match(line.text):
            yield MarkError(line.number, "a mark begins its line")
        above = line
    if fold:
        yield MarkError(fold, "nothing follows this mark")
    if above and above.open:
        yield MarkError(above.open, "what begins here, code or a formula, does not end")


def blocks(source: str, first_line: int) -> Iterator[Block]:
    """Divide a Markdown cell at blank lines and at marks; its first line is given, from 1."""
    marks: list[Mark] = []
    held: list[str] = []
    start = first_line
    for line in _lines(source):
        at = first_line + line.number - 1
        full = line.fenced or bool(line.text.strip())
        if line.is_mark and MARK.match(line.text)[1] == "rests":
            continue
        if held and (line.is_mark or not full):
            yield Block(start, tuple(marks), "\n".join(held))
            marks, held = [], []
        if line.is_mark:
            mark = _mark(line.text, at)
            if mark.kind in OF_LECTURES:
                marks.append(mark)
        elif full:
            start = start if held else at
            held.append(line.text)
        elif marks:
            raise MarkError(marks[-1].line, "a mark stands directly above what it marks")
    if held or marks:
        yield Block(start if held else marks[0].line, tuple(marks), "\n".join(held))


def text_blocks(text: str) -> Iterator[tuple[int, list[str]]]:
    """Divide a text without marks at its blank lines: the first line, from 0, and the lines."""
    held: list[_Line] = []
    for line in _lines(text):
        if line.fenced or line.text.strip():
            held.append(line)
        elif held:
            yield held[0].number - 1, [one.text for one in held]
            held = []
    if held:
        yield held[0].number - 1, [one.text for one in held]


def answered_lines(text: str) -> list[int]:
    """Return the lines, from 1, on which an answer ends."""
    marks = (line for line in _lines(text) if line.is_mark)
    return [line.number for line in marks if MARK.match(line.text)[1] == "answered"]


def poll_lines(text: str) -> list[int]:
    """Return the lines, from 1, above the choices of a question."""
    marks = (line for line in _lines(text) if line.is_mark)
    return [line.number for line in marks if MARK.match(line.text)[1] == "poll"]


def fold_lines(text: str) -> list[tuple[int, str]]:
    """Return the lines, from 1, above what is folded, each with the title of what is."""
    marks = ((line.number, MARK.match(line.text)) for line in _lines(text) if line.is_mark)
    return [(number, mark[2]) for number, mark in marks if mark[1] == "fold"]


class _Line(NamedTuple):
    """A line, numbered from 1: if it is in a fence, where an open one began, if it is a mark."""

    number: int
    text: str
    fenced: bool
    open: int  # 0 where no fence is open after this line
    is_mark: bool


def _lines(text: str) -> Iterator[_Line]:
    """Go through lines; in code, in a formula of its own and in front matter there is no mark."""
    end, began = "", 0
    for number, line in enumerate(text.splitlines(), start=1):
        was_open = bool(end)
        if was_open:
            end = "" if _ends(line, end) else end
        else:
            end = _begins(line, number)
            began = number
        fenced = was_open or bool(end) or line.lstrip().startswith("$$")
        is_mark = not fenced and line.startswith("%")
        yield _Line(number, line, fenced, began if end else 0, is_mark)


def _begins(line: str, number: int) -> str:
    """Return what ends the fence that a line begins; nothing where it begins none."""
    if fence := FENCE.match(line):
        return "" if "`" in fence[2] else fence[1]
    if line.lstrip().startswith("$$") and line.count("$$") == 1:
        return "$$"
    return "---" if number == 1 and line.rstrip() == "---" else ""


def _ends(line: str, end: str) -> bool:
    if end == "$$":
        return "$$" in line
    bare = line.strip()
    return bare.startswith(end) and not bare.strip(end[0])


def _goes_on(line: _Line) -> bool:
    """Tell whether a line is prose, which a mark may divide."""
    begins = ITEM.match(line.text) or OPENS_BLOCK.match(line.text)
    return bool(line.text.strip()) and not (line.fenced or begins)


def _divides(line: _Line) -> bool:
    """Tell whether a mark may stand directly below a line."""
    return _goes_on(line) or bool(ITEM.match(line.text))


def _mark(line: str, number: int) -> Mark:
    kind, argument = MARK.match(line).groups()
    if kind not in KINDS:
        known = ", ".join(f"% {kind}" for kind in KINDS)
        raise MarkError(number, f"{line.strip()!r} is no slide mark; there are {known}")
    if problem := _problem(kind, argument):
        raise MarkError(number, f"reading {line.strip()!r}: {problem}")
    return Mark(number, kind, argument)


def _problem(kind: str, argument: str) -> str:
    """Say what is wrong with what a mark says; nothing where it is right."""
    if kind in ("extra", "note", "unsaid", "poll", "answered"):
        return f"% {kind} says nothing more" if argument else ""
    if kind == "say":
        return "" if argument else "there is a sentence to say, like `% say They know this one.`"
    if kind == "map":
        lit = re.fullmatch(r"\d\d|[a-z]+", argument)
        return "" if lit else "it names the lesson whose part is lit, or the part, like `% map 03`"
    if kind == "shapes":
        return "" if argument else "it names arrays that meet, like `% shapes x @ w_query = query`"
    if kind == "rests":
        return "" if argument.startswith("on ") else "it goes on like `% rests on 10: 0.973`"
    if kind == "fold":
        return "" if argument else "a fold has a title, like `% fold The lesson's own version`"
    if kind == "slide":
        minutes = argument.partition(" ")[0]
        if re.fullmatch(r"\d+(\.5)?", minutes) and float(minutes):
            return ""
        found = f"{minutes!r} is none" if minutes else "it has none"
        return f"a slide says its minutes, like `% slide 2`, and {found}"
    words = re.sub(r"^code (\d+)-(\d+)", "code", argument).split()
    span = re.match(r"code (\d+)-(\d+)", argument)
    if span and not 1 <= int(span[1]) <= int(span[2]):
        return "no lines are named"
    wrong = [word for word in words if word not in SHOWABLE]
    return f"{wrong[0]!r} is none of {', '.join(SHOWABLE)}" if wrong else ""
