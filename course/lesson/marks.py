"""The marks of a lesson's source: what a lecture shows of it, and what waits to be opened.

A mark is a line of its own, directly above what it marks; readers of the notebook never see one.
`KINDS` says which there are. What follows from the kind of a thing needs none: what stands on a
slide by itself is said in `course.lesson.lecture`, and how far an answer goes in
`course.lesson.answers`.

It marks one line, or a whole list, formula, table or cell. A paragraph that marks divide is one
line for readers; below a line that is marked to be shown, or a *Predict*, it is divided, too, and
the rest is the speaker's.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from course.lesson.sentences import Join, spaced

ASKS = "*Predict"
SHOWABLE = ("code", "text", "picture", "widget", "error")
SHOWN = rf"((code \d+-\d+|{'|'.join(SHOWABLE)})( ({'|'.join(SHOWABLE)}))*)?"
FENCE = re.compile(r"\s*(`{3,}|~{3,})(.*)")
ITEM = re.compile(r"\s*([-*+]\s|\d+[.)]\s|>)")
OPENS_BLOCK = re.compile(r"\s*(#{1,6}\s|\||<|:{3}|-{3}|\+{3}|\(\S+\)=)")


class Kind(NamedTuple):
    """A kind of mark, as all know it who read marks, tell of mistakes in them or explain them."""

    # What it is called, and what it may say.
    name: str
    example: str
    place: str  # where it stands
    help: str  # what it does there
    says: str = ""  # what it says, in words; empty where it says nothing more than its name
    argument: str = ""  # the pattern of all that it may say
    of: str = "slides"  # who reads it: "slides", "answers" or "claims"

    def __str__(self) -> str:
        return f"% {self.name} {self.example}".rstrip()


KINDS = {
    kind.name: kind
    for kind in (
        Kind(
            "slide",
            "2 Which key fits best?",
            "first, and once",
            "a slide of two minutes; without a title, the heading below is its title",
            "its minutes, and a title if no heading is below it",
            r"(?=.*[1-9])\d+(\.5)?( .*)?",
        ),
        Kind(
            "extra",
            "",
            "directly below `% slide`, and once",
            "the slide is outside the deck's core",
        ),
        Kind(
            "map",
            "03",
            "below `% slide`, and once",
            "the whole up to lesson 03, its part lit; `softmax` lights that part of all there is",
            "the lesson whose part is lit, or the part",
            r"\d\d|[a-z]+",
        ),
        Kind(
            "shapes",
            "x @ w_query = query",
            "above a formula or a cell",
            "how these shapes meet, as boxes",
            "arrays that meet",
            ".+",
        ),
        Kind(
            "say",
            "Most choose the longer one.",
            "where it is said",
            "a sentence for the speaker, which only the deck has",
            "a sentence",
            ".+",
        ),
        Kind(
            "show",
            "code 3-5",
            "above a line, list, formula or cell",
            f"it is on the slide; of a cell, what is named: {', '.join(SHOWABLE)}",
            f"what is shown of a cell, of {', '.join(SHOWABLE)}",
            SHOWN,
        ),
        Kind(
            "then",
            "text picture",
            "as `% show`, or below it",
            "it comes at the next key",
            f"what is shown of a cell, of {', '.join(SHOWABLE)}",
            SHOWN,
        ),
        Kind(
            "note",
            "",
            "above prose that would be on the slide, or within a list",
            "it is the speaker's",
        ),
        Kind(
            "unsaid",
            "",
            "above anything",
            "it is neither shown nor said",
        ),
        Kind("answered", "", "below an answer", "it ends here", of="answers"),
        Kind(
            "fold",
            "The lesson's own version",
            "above a paragraph, formula or cell",
            "it waits below this title; of a cell, its code",
            "a title",
            ".+",
            "answers",
        ),
        Kind(
            "rests",
            "on 10: 0.973",
            "above a claim, or a row of a table",
            "what it rests on",
            "on which output it rests",
            "on .+",
            "claims",
        ),
    )
}
BARE = "|".join(name for name, kind in KINDS.items() if re.fullmatch(kind.argument, ""))
MARK = re.compile(r"%\s*(\w*)\s*(.*?)\s*$")
MISPLACED = re.compile(rf"[\s>*+-]*[\s>*+-]%\s*({'|'.join(KINDS)})\b|.*\s%\s*({BARE})\s*$")


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

    def misplaced(self) -> MarkError:
        """Return what is wrong with a mark that stands somewhere else than its kind does."""
        return MarkError(self.line, f"`% {self.kind}` stands {KINDS[self.kind].place}")


class Block(NamedTuple):
    """A piece of Markdown and the marks directly above it; it may be marks alone."""

    line: int
    marks: tuple[Mark, ...]
    text: str


def without_marks(
    text: str, words: Sequence[str] = (), join: Join = spaced
) -> tuple[str, list[int]]:
    """Take the marks out of a source; what is wrong with them, `wrong_marks` tells.

    Parameters
    ----------
    text
        The source as it stands.
    words
        What people read in the place of each of its lines, in another language; empty in its own.
    join
        What joins the lines of a paragraph that marks divide.

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
    for line in lines_of(text):
        if line.is_mark:
            divided = divided or bool(clean and clean[-1].strip())
            continue
        read = words[line.number - 1] if words else line.text
        if (divided or line.divides) and _goes_on(line):
            clean[-1] = join(clean[-1], read)
        else:
            clean.append(read)
            origins.append(line.number)
        divided = False
    return "\n".join(clean) + ("\n" if text.endswith("\n") else ""), origins


def unwrapped(text: str, join: Join) -> str:
    """Make each paragraph of a text without marks one line."""
    clean: list[str] = []
    before = None
    for line in lines_of(text):
        if before and _goes_on(before) and _goes_on(line):
            clean[-1] = join(clean[-1], line.text)
        else:
            clean.append(line.text)
        before = line
    return "\n".join(clean)


def wrong_marks(text: str) -> Iterator[MarkError]:
    """Go through the marks of a source that are worded or placed wrongly."""
    above, fold = None, 0
    for line in lines_of(text):
        if fold and not (line.fenced or line.text.strip()):
            yield MarkError(fold, "a mark stands directly above what it marks")
        fold = 0
        if line.is_mark:
            kind = MARK.match(line.text)[1]
            fold = line.number if kind == "fold" else 0
            try:
                _mark(line)
            except MarkError as error:
                yield error
            in_table = kind == "rests" and above and above.text.startswith("|")
            alone = kind in KINDS and KINDS[kind].of == "answers"  # these divide no paragraph
            divides = above and not alone and (_goes_on(above) or ITEM.match(above.text))
            if above and above.text.strip() and not (divides or in_table):
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
    for line in lines_of(source):
        at = first_line + line.number - 1
        full = line.fenced or bool(line.text.strip())
        if line.is_mark and MARK.match(line.text)[1] == "rests":
            continue
        if held and (line.is_mark or line.divides or not full):
            yield Block(start, tuple(marks), "\n".join(held))
            marks, held = [], []
        if line.is_mark:
            mark = _mark(line, first_line - 1)
            if KINDS[mark.kind].of == "slides":
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
    for is_blank, group in groupby(
        lines_of(text), lambda one: not (one.fenced or one.text.strip())
    ):
        if not is_blank:
            held = list(group)
            yield held[0].number - 1, [one.text for one in held]


def marks_of(kind: str, text: str) -> list[Mark]:
    """Return the marks of one kind, as they stand in a source."""
    lines = (line for line in lines_of(text) if line.is_mark)
    marks = (Mark(line.number, *MARK.match(line.text).groups()) for line in lines)
    return [mark for mark in marks if mark.kind == kind]


class Line(NamedTuple):
    """A line, numbered from 1: if it is in a fence, where an open one began, if it is a mark."""

    number: int
    text: str
    fenced: bool
    open: int  # 0 where no fence is open after this line
    is_mark: bool
    divides: bool  # a paragraph, without a mark


def lines_of(text: str) -> Iterator[Line]:
    """Go through lines; in code, in a formula of its own and in front matter there is no mark."""
    end, began, told, shows, shown = "", 0, False, False, False
    for number, line in enumerate(text.splitlines(), start=1):
        was_open = bool(end)
        if was_open:
            end = "" if _ends(line, end) else end
        else:
            end = _begins(line, number)
            began = number
        fenced = was_open or bool(end) or line.lstrip().startswith("$$")
        is_mark = not fenced and line.startswith("%")
        found = Line(number, line, fenced, began if end else 0, is_mark, False)
        asks = line.startswith(ASKS)
        yield found._replace(divides=_goes_on(found) and (shown or (told and asks)))
        told = not is_mark and (_goes_on(found) or bool(ITEM.match(line)))
        shown = told and (shows or asks)
        shows = is_mark and (shows or MARK.match(line)[1] in ("show", "then"))


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


def _goes_on(line: Line) -> bool:
    """Tell whether a line is prose, which a mark may divide."""
    begins = ITEM.match(line.text) or OPENS_BLOCK.match(line.text)
    return bool(line.text.strip()) and not (line.fenced or begins)


def _mark(line: Line, offset: int = 0) -> Mark:
    """Read a mark; `offset` is added to the number of its line."""
    number, text = line.number + offset, line.text.strip()
    name, argument = MARK.match(text).groups()
    if name not in KINDS:
        known = ", ".join(f"% {kind}" for kind in KINDS)
        raise MarkError(number, f"{text!r} is no mark; there are {known}")
    kind = KINDS[name]
    if not re.fullmatch(kind.argument, argument):
        says = f"says {kind.says}, like `{kind}`" if kind.says else "says nothing more"
        here = f"{argument!r} stands" if argument else "nothing stands"
        raise MarkError(number, f"`% {name}` {says}, and here {here}")
    return Mark(number, name, argument)
