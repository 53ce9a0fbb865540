"""A lesson as a lecture: its slides, read from its source and the marks in it.

Some things stand on a slide by themselves: a *Predict*, a drawing, an exercise's stub, a widget,
and what a cell draws. Below a *Predict* of the slide, a drawing and what a cell draws come with the
next key; a list directly below it is a poll, and ``% say`` above each choice tells the speaker what
those think of who make it. Marks (`course.lesson.marks`) show all else, or say otherwise, as does
a section without a slide, in which nothing is shown. What is not shown is the speaker's.

Its core is a lecture by itself, of at most `CORE` minutes. The whole has the extra slides, too:
those that a mark keeps out of the core, and those of what a reader may leave out.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from jupytext.myst import myst_to_notebook
from nbformat import NotebookNode

from course import BuildError
from course.lesson.marks import ASKS, Mark, MarkError, blocks
from course.lesson.minutes import HARDER, OPTIONAL, SHOWS_PICTURE, SHOWS_WIDGET, STUB, TOLD, TURN
from course.lesson.sentences import Say
from course.lesson.source import Source, first_line

ITEM = re.compile(r"[-*+] (.*\S)")
HEADING = re.compile(r"(#{1,6})\s+(.*?)\s*$")
SHOWN = ("show", "then")  # the kinds of marks that put something on a slide
DRAWING = re.compile(r"!\[.*\]\(.*\)")
WHOLE = "![](../images/{}_whole.png)"  # as far as one lesson has come
CHOICES = 5  # to vote for, at most: a key for each
CORE = 45  # minutes, of which a lecture has no more
PRESENTED = 3  # minutes, within which an exercise is told of, for at home
# What a reader needs before a lesson and after it, and no hall is told.
UNTOLD = ("**You need**", "**Left out.**", "**Next:**")


@dataclass
class Part:
    """What stands on a slide, or in its notes."""

    line: int  # where it is marked or stands in the source
    text: str = ""  # Markdown; empty for a part of a code cell
    cell: int | None = None  # the code cell's index in the lesson; None for Markdown
    # What of a code cell is shown, of `marks.SHOWABLE`; empty where that is every output.
    shows: tuple[str, ...] = ()
    # The first and the last line of the code that are shown, from 1; None for all.
    lines: tuple[int, int] | None = None
    later: bool = False  # whether it appears only at the next key press
    said: bool = False  # whether it is a sentence for the speaker, which the lesson does not have
    choices: tuple[str, ...] = ()  # of a poll, what can be chosen, Markdown
    # Of one choice of a poll, its number and itself: it says what those think of who make it.
    choice: tuple[int, str] | None = None
    is_heading: bool = False  # further down on a slide
    is_map: bool = False  # whether it is the picture of the whole, which a mark puts there
    chain: str = ""  # the arrays whose shapes meet, as a mark names them

    def told(self, shown: Callable[[str], str] = str, say: Say = str.format) -> str:
        """Return its words, Markdown: `shown` says what people read of pieces of the source."""
        text = shown(self.text)
        if self.choice:
            number, choice = self.choice[0], shown(self.choice[1])
            told = {"number": number, "choice": choice, "told": text}
            return say("Who chooses {number}, “{choice}”: {told}", **told)
        return f"**{text}**" if self.is_heading else text


@dataclass
class Slide:
    """One slide: its title in Markdown, minutes, what it shows and what is said."""

    line: int
    minutes: float
    title: str
    section: str
    # The line of the mark that keeps it out of the core; 0 where there is none.
    marked_extra: int = 0
    is_around: bool = False  # whether the lesson's own lecture alone has it (course.lesson.around)
    shown: list[Part] = field(default_factory=list)
    notes: list[Part] = field(default_factory=list)

    @property
    def asks(self) -> bool:
        """Whether a *Predict* stands on it, as far as it is read."""
        return any(part.text.startswith(ASKS) for part in self.shown)

    @property
    def is_extra(self) -> bool:
        """Whether it stands outside the core: by its mark, or as a part that one may leave out."""
        return bool(self.marked_extra) or self.section.startswith((OPTIONAL, HARDER))

    @property
    def exercise(self) -> int:
        """The minutes that the lesson gives to its exercise; 0 where it shows none."""
        parts = [part for part in (*self.shown, *self.notes) if not part.said]
        parts.sort(key=lambda part: part.line)
        if not self.title.startswith(TURN):
            parts = parts[:1]  # an exercise that is told of further down has no slide
        told = re.search(TOLD, "\n".join(part.text for part in parts), re.MULTILINE)
        return int(told[1]) if told else 0

    @property
    def is_tried(self) -> bool:
        """Whether its exercise is done in the hall; one for at home is told of in a word."""
        return self.minutes > PRESENTED or not self.exercise

    @property
    def tries(self) -> float:
        """The minutes in which it is tried: those that the lesson gives, or all of the slide's."""
        return self.exercise or self.minutes


class Planned(NamedTuple):
    """How many slides there are, and how many minutes they take."""

    slides: int
    minutes: float


def core_of(slides: Iterable[Slide]) -> list[Slide]:
    """Choose the slides of a core, a lecture by itself."""
    return [slide for slide in slides if not slide.is_extra]


def planned(slides: Iterable[Slide]) -> tuple[Planned, Planned]:
    """Plan a lecture: what its core has, and what the whole has."""
    whole = list(slides)
    parts = core_of(whole), whole
    core, all_of_it = (Planned(len(part), sum(one.minutes for one in part)) for part in parts)
    return core, all_of_it


def read_slides(source: Source, marked: str, fill_in: Callable[[str], str] = str) -> list[Slide]:
    """Read the slides that a source marks; without a mark there are none.

    Parameters
    ----------
    source
        The parsed source, for the places that errors name.
    marked
        The same as it stands, with its marks.
    fill_in
        What to make of its text, as when it was parsed.

    Raises
    ------
    BuildError
        Naming cell and line of a mark that is wrong, or of what stands before the first slide.
    """
    index, deck = 0, _Deck(fill_in)
    try:
        for line, cell in _marked_cells(marked):
            if cell.cell_type == "code":
                deck.add_code(index, line, cell.source)
                index += 1
                continue
            found = list(blocks(cell.source, line))
            for block in found:
                deck.add_text(block.line, block.marks, fill_in(block.text))
            index += any(block.text for block in found)
        return deck.slides()
    except MarkError as error:
        where = source.where_line(error.line)
        raise BuildError(f"{source.path.stem}, {where}: {error}") from error


def refuse_long_core(source: Source, slides: list[Slide]) -> None:
    """Raise BuildError, at the slide with which the core gets too long."""
    minutes = 0.0
    for slide in core_of(slides):
        minutes += slide.minutes
        if minutes > CORE:
            core = planned(slides)[0].minutes
            raise BuildError(
                f"{source.path.stem}, {source.where_line(slide.line)}: a deck's core takes at most "
                f"{CORE} minutes, and this one {core:g}: `% extra` directly below the mark of a "
                "slide keeps that slide out of it"
            )


class _Deck:
    """Slides as they are read, block after block."""

    def __init__(self, fill_in: Callable[[str], str]) -> None:
        self._fill_in = fill_in
        self._slides: list[Slide] = []
        self._waiting: tuple[Mark, ...] = ()  # marks at the end of a cell: for the code after it
        self._section = ""
        self._heading = 0  # the line of the last one
        # A place is the line of a heading and the number of a slide. A section's prose stays in
        # a slide's notes only where something below the same heading is shown on that slide.
        self._lectured: set[tuple[int, int]] = set()  # the places where something is shown
        # The prose: its place, the notes that hold it, and itself.
        self._told: list[tuple[tuple[int, int], list[Part], Part]] = []
        self._poll: Part | None = None  # to which the next block may belong
        self._first: int | None = None  # the line of what stands before the first slide

    def add_text(self, line: int, marks: tuple[Mark, ...], text: str) -> None:
        """Take a block of Markdown with the marks above it."""
        marks, self._waiting = (*self._waiting, *marks), ()
        if not text:
            self._waiting = marks
            return
        if self._add_choice(line, marks, text):
            return
        marks, chains = _without_chains(marks)
        shows = self._begin(marks)
        if len(shows) > 1:
            raise MarkError(marks[-1].line, "one slide mark, then one other, is the most")
        mark = shows[0] if shows else None
        first, _, rest = text.partition("\n")
        if heading := HEADING.match(first):
            self._enter(heading, mark, line)
            text = rest.strip()
        if text:
            if mark and mark.argument:
                raise MarkError(mark.line, f"% {mark.kind} above a text says nothing more")
            asks, drawn = text.startswith(ASKS), bool(DRAWING.fullmatch(text))
            kind = self._by_itself(drawn=drawn) if asks or drawn else "note"
            if mark and (asks or drawn) and mark.kind == kind:
                raise _needless(mark)
            kind = mark.kind if mark else kind
            self._put(Part(line, text=text, later=kind == "then"), kind)
            self._chain(chains, later=kind == "then")
            if asks and kind in SHOWN:
                self._poll = Part(line)

    def _add_choice(self, line: int, marks: tuple[Mark, ...], text: str) -> bool:
        """Take an item of a poll, with what it says of who chooses it; tell whether it is one."""
        poll, self._poll = self._poll, None
        kinds = [mark.kind for mark in marks]
        if not poll or not ITEM.match(text) or set(kinds) - {"say"}:
            return False
        item = ITEM.fullmatch(text)
        if kinds != ["say"] or not item:
            raise MarkError(
                line,
                "each choice of a poll is one line, `- both`, and directly above it stands what it "
                "says of who chooses it, `% say They forget …`",
            )
        if not poll.choices:
            self._put(poll, "show")
        poll.choices += (item[1],)
        choice = len(poll.choices), item[1]
        self._put(Part(marks[0].line, text=marks[0].argument, said=True, choice=choice))
        self._poll = poll
        return True

    def add_code(self, cell: int, line: int, source: str) -> None:
        """Take a code cell; several marks may show one thing of it after another."""
        self._poll = None
        marks, chains = _without_chains(self._waiting)
        shows = self._begin(marks)
        self._waiting = ()
        own = _own(source)
        kind = self._by_itself(drawn=own == "picture") if own else "note"
        for mark in shows:
            if mark.kind == "note":
                raise MarkError(mark.line, "no cell is spoken: `% unsaid` keeps it off its slide")
            if mark.kind == "unsaid" and len(shows) > 1:
                raise MarkError(mark.line, "a cell is shown or not")
            if [mark] == shows and own and mark.kind == kind and mark.argument in ("", own):
                raise _needless(mark)
            self._put(_shown_of_cell(mark, cell, own, source), mark.kind)
        if not shows and kind != "note":
            self._put(Part(line, cell=cell, shows=(own,), later=kind == "then"), kind)
        elif not shows:
            self._put(Part(line, cell=cell))
        self._chain(chains, later=(shows[-1].kind if shows else kind) == "then")

    def _by_itself(self, *, drawn: bool) -> str:
        """Return the kind of mark that something of its own kind has without being marked."""
        if not (self._slides and self._slides[-1].section == self._section):
            return "note"
        return "then" if drawn and self._slides[-1].asks else "show"

    def _chain(self, chains: Iterable[Mark], *, later: bool) -> None:
        """Show how shapes meet, next to what the marks stand above, and when that is shown."""
        for mark in chains:
            self._put(Part(mark.line, chain=mark.argument, later=later), "show")

    def slides(self) -> list[Slide]:
        """Return the slides, all of them whole."""
        if self._waiting:
            raise MarkError(self._waiting[-1].line, "nothing follows this mark")
        if self._slides and self._first is not None:
            raise MarkError(self._first, "this stands before the first slide mark")
        for slide in self._slides:
            if not slide.title:
                raise MarkError(slide.line, "a slide needs a title, or a heading below its mark")
            _refuse_odd_poll(slide)
        for where, notes, part in self._told:
            if where not in self._lectured:
                notes.remove(part)
        return self._slides

    def _begin(self, marks: tuple[Mark, ...]) -> list[Mark]:
        """Begin a slide where a mark says so; return the marks that say what is shown.

        What is to be said above the slide's mark belongs to the slide that ends there.
        """
        maps, said, begins, extra = (
            [mark for mark in marks if mark.kind == kind]
            for kind in ("map", "say", "slide", "extra")
        )
        marks = [mark for mark in marks if mark.kind not in ("map", "say")]
        first = begins[0].line if begins else 0
        for mark in said:
            if mark.line < first:
                self._put(Part(mark.line, text=mark.argument, said=True))
        if len(begins) > 1 or (begins and marks[0] is not begins[0]):
            raise begins[-1].misplaced()
        if begins:
            self._slides.append(_slide_of(begins[0], self._section))
            self._lectured.add(self._where)
        if extra and (not begins or len(extra) > 1 or marks[1] is not extra[0]):
            raise extra[-1].misplaced()
        if extra and len(self._slides) == 1:
            raise MarkError(extra[0].line, "the first slide opens the core, too")
        if extra:
            self._slides[-1].marked_extra = extra[0].line
        if (maps and not (begins and maps[0].line > first)) or len(maps) > 1:
            raise maps[-1].misplaced()
        for mark in maps:
            whole = self._fill_in(WHOLE.format(mark.argument))
            self._put(Part(mark.line, text=whole, is_map=True), "show")
        for mark in said:
            if mark.line > first:
                self._put(Part(mark.line, text=mark.argument, said=True))
        return marks[len(begins) + len(extra) :]

    def _enter(self, heading: re.Match[str], mark: Mark | None, line: int) -> None:
        """Take a heading: where a slide begins it is its title, further down it is said."""
        if mark:
            raise MarkError(mark.line, "a heading is a slide's title, or the section's; no mark")
        self._heading = line
        if len(heading[1]) == 2:
            self._section = heading[2]
        slide = self._slides[-1] if self._slides else None
        if slide and all(part.said or part.is_map for part in (*slide.shown, *slide.notes)):
            slide.title = slide.title or heading[2]
            slide.section = self._section
            self._lectured.add(self._where)
        else:
            self._put(Part(line, text=heading[2], is_heading=True))

    def _put(self, part: Part, kind: str = "note") -> None:
        """Put a part where a mark of this kind puts it."""
        if not self._slides:
            self._first = self._first or part.line
        elif kind in SHOWN:
            self._slides[-1].shown.append(part)
            self._lectured.add(self._where)
        elif kind == "note":
            notes = self._slides[-1].notes
            notes.append(part)
            if not part.said:
                self._told.append((self._where, notes, part))

    @property
    def _where(self) -> tuple[int, int]:
        """Say below which heading and on which slide a part stands."""
        return self._heading, len(self._slides)


def _marked_cells(marked: str) -> Iterator[tuple[int, NotebookNode]]:
    """Go through the cells of the source as it stands, each with the line where its text starts."""
    notebook = myst_to_notebook(marked, add_source_map=True)
    source_lines = marked.splitlines()
    for start, cell in zip(notebook.metadata["source_map"], notebook.cells, strict=True):
        yield first_line(source_lines, start, cell.source) + 1, cell


def _without_chains(marks: tuple[Mark, ...]) -> tuple[tuple[Mark, ...], list[Mark]]:
    """Divide marks: those that show how shapes meet come apart."""
    chains = [mark for mark in marks if mark.kind == "shapes"]
    return tuple(mark for mark in marks if mark.kind != "shapes"), chains


def _slide_of(mark: Mark, section: str) -> Slide:
    """Begin a slide as its mark says."""
    minutes, _, title = mark.argument.partition(" ")
    return Slide(mark.line, float(minutes), title.strip(), section)


def _refuse_odd_poll(slide: Slide) -> None:
    """Raise MarkError for too few or too many choices."""
    for part in slide.shown:
        if part.choices and not 2 <= len(part.choices) <= CHOICES:
            raise MarkError(part.line, f"a poll has 2 to {CHOICES} choices")


def _own(code: str) -> str:
    """Return what of a code cell stands on a slide by itself; nothing where nothing does."""
    if STUB.fullmatch(code):
        return "code"
    if SHOWS_WIDGET.search(code):
        return "widget"
    return "picture" if SHOWS_PICTURE.search(code) else ""


def _needless(mark: Mark) -> MarkError:
    return MarkError(mark.line, f"without `% {mark.kind}` it is the same: take the mark away")


def _shown_of_cell(mark: Mark, cell: int, own: str, source: str) -> Part:
    """Say what a mark above a code cell shows of it."""
    span = re.match(r"code (\d+)-(\d+)", mark.argument)
    shows = [word for word in mark.argument.split() if not word[0].isdecimal()]
    lines = (int(span[1]), int(span[2])) if span else None
    n_lines = len(source.splitlines())
    if lines and not 1 <= lines[0] <= lines[1] <= n_lines:
        raise MarkError(
            mark.line, f"showing lines {lines[0]}-{lines[1]} of a cell that has {n_lines}"
        )
    shows = tuple(shows or [own] * bool(own))
    return Part(mark.line, cell=cell, shows=shows, lines=lines, later=mark.kind == "then")
