"""Editions: the lessons in another language, put together from their sources and from catalogues.

What machines read, a lesson's structure, minutes, marks, exercises and ids, is read from the
English source. What people read is taken from the catalogue of the lesson, line by line. What is
stale or missing there appears in English, and is marked as English.
"""

import copy
import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from nbformat import NotebookNode

from course import BuildError
from course.files import COURSE
from course.lesson import catalogue, faults
from course.lesson.answers import TITLE, Answers, Piece
from course.lesson.catalogue import Entry
from course.lesson.documents import DOCUMENTS, document, document_units, with_other
from course.lesson.lecture import Slide, read_slides
from course.lesson.marks import text_blocks, unwrapped, without_marks
from course.lesson.minutes import Minutes
from course.lesson.pages import PAGES, page_units
from course.lesson.sentences import Join, closed_up
from course.lesson.series import PICTURE, Lesson, alt_text
from course.lesson.source import Source, parse
from course.lesson.units import Unit, translated, translated_line, units

WIDGET = "application/vnd.attnlib.widget+json"
SENTENCES = "sentences"  # the catalogue of those that code puts together
DRAWINGS = "drawings"  # the catalogue of what is drawn, which lessons share
MARKED = ("heading", "text", "row", "slide", "say")  # what takes a mark that says: English
BESIDE_WORDS = re.compile(  # of a fact's line
    r"(?<![^>])(# |\*\*.+?\*\* ?|\*(?!\*))|\*(?=(</span>)?$)"
)


class Language(NamedTuple):
    """A language: as pages call it, as catalogues do, and how its sentences follow each other."""

    tag: str
    locale: str
    join: Join
    between: str


LANGUAGES = {"zh": Language("zh-Hans", "zh_Hans", closed_up, r"(?<=。)(?=.)")}


class Edition:
    """All lessons in one language.

    Parameters
    ----------
    name
        What its folder is called, such as "zh".
    english
        The lessons.
    """

    def __init__(self, name: str, english: Mapping[str, Lesson]):
        self.name = name
        self.english = english
        self.language = LANGUAGES[name]
        self.folder = next(iter(english.values())).folder / name
        self.lessons: dict[str, Translated] = {}
        for lesson in english.values():
            self.lessons[lesson.name] = Translated(lesson, self)

    def path(self, name: str) -> Path:
        """Where the catalogue of a lesson is, or one of those that lessons share."""
        return self.folder / "src" / f"{name}.po"

    @cached_property
    def sentences(self) -> dict[str, Entry]:
        """The sentences that code puts together, as the catalogue has them."""
        return catalogue.read(self.path(SENTENCES))

    @cached_property
    def drawings(self) -> dict[str, Entry]:
        """What drawings say of themselves, as the catalogue has it."""
        return catalogue.read(self.path(DRAWINGS))

    def shared(self) -> dict[str, dict[str, Entry]]:
        """Bring up to date what lessons share, the site's own pages, and those of `docs/`."""
        said = dict.fromkeys(sentences(), "sentence")
        drawn = dict.fromkeys(drawings(self.english), "drawing")
        return {
            SENTENCES: catalogue.updated(self.sentences, said),
            DRAWINGS: catalogue.updated(self.drawings, drawn),
            PAGES: catalogue.updated(self.pages, page_units()),
            DOCUMENTS: self.told,
        }

    @cached_property
    def pages(self) -> dict[str, Entry]:
        """The lines of the site's own pages, as the catalogue has them."""
        return catalogue.read(self.path(PAGES))

    @cached_property
    def _documents(self) -> dict[Path, str]:
        """The English pages of `docs/` that are in this language, by where they are in it."""
        return with_other(self.folder.parent.parent / "docs", self.name)

    @cached_property
    def told(self) -> dict[str, Entry]:
        """The lines of the pages of `docs/`, up to date, whatever the catalogue has."""
        kinds = document_units(self._documents.values())
        return catalogue.updated(catalogue.read(self.path(DOCUMENTS)), kinds)

    def documents(self) -> dict[Path, str]:
        """Write the pages of `docs/`; what nobody has translated stands in English, marked."""

        def turn(unit: Unit) -> str:
            entry = self.told[unit.text]
            return entry.words if entry.holds else as_english(unit)

        there = self._documents
        return {path: document(text, path, there, turn) for path, text in there.items()}

    @cached_property
    def terms(self) -> list[faults.Term]:
        """What words of the series are called."""
        return list(faults.read_terms(self.folder / "src" / "terms.tsv"))

    def faults(self, entries: Mapping[str, Entry]) -> list[str]:
        """Say what translations have not kept, each with the English sentence."""
        return [
            f"{fault}: {text}"
            for text, entry in entries.items()
            for fault in faults.faults(text, entry, self.terms)
        ]

    def say(self, template: str, **places: object) -> str:
        """Say a sentence that code puts together; in English where nobody has translated it."""
        return in_words(self.sentences, template).format(**places)


def sentences() -> list[str]:
    """List the sentences that code puts together."""
    paths = (path for path in sorted(COURSE.rglob("*")) if path.suffix in catalogue.EXTRACTORS)
    said = (path for path in paths if "say(" in path.read_text("utf-8"))
    return list(dict.fromkeys([TITLE, *catalogue.templates(said)]))


def drawings(lessons: Mapping[str, Lesson]) -> list[str]:
    """List what the drawings of lessons say of themselves."""
    shown = [
        lesson.folder / found["address"]
        for lesson in lessons.values()
        for found in PICTURE.finditer(lesson.text)
    ]
    return [alt for alt in dict.fromkeys(map(alt_text, shown)) if alt]


def in_words(entries: Mapping[str, Entry], text: str) -> str:
    """Return what an English text is in another language, or itself where nobody has said it."""
    entry = entries.get(text, Entry(""))
    return entry.words if entry.holds else text


class Translated(Lesson):
    """A lesson in another language; its source, and all that is read from it, is the English."""

    def __init__(self, english: Lesson, edition: Edition):
        super().__init__(english.path, edition.lessons)
        self.english = english
        self.edition = edition
        self.tag, _, self.join, self.between = edition.language
        self.say = edition.say

    @property
    def notebook_path(self) -> Path:
        """The notebook that readers open, which has no outputs."""
        return self.edition.folder / f"{self.name}.ipynb"

    def built(self, face: str, ending: str) -> Path:
        """Where a face, "html" or "slides", writes what it makes of the lesson."""
        path = self.english.built(face, ending)
        return path.parent / self.edition.name / path.name

    @property
    def inputs(self) -> list[Path]:
        """All files that pages of the lesson are made from."""
        return [*self.english.inputs, *sorted((self.edition.folder / "src").glob("*.po"))]

    @property
    def label(self) -> str:
        """What the title begins with: `04`."""
        return self.in_words(self.english.title).partition(" · ")[0]

    # What the catalogue has

    @cached_property
    def entries(self) -> dict[str, Entry]:
        """The units in the source's order, up to date with it, whatever the catalogue has."""
        kinds = {unit.text: unit.kind for unit in units(self.text)}
        return catalogue.updated(catalogue.read(self.edition.path(self.name)), kinds)

    def _turn(self, unit: Unit) -> str:
        """Return what people read of a unit; of what nobody has translated, the English, marked."""
        entry = self.entries.get(unit.text, Entry(""))
        if entry.holds:
            return entry.words
        return as_english(unit) if unit.text in self.entries else unit.text

    def in_words(self, text: str) -> str:
        """Return what people read of a piece of the source that begins no line."""
        return in_words(self.entries, text)

    def drawn(self, alt: str) -> str:
        """Return what people read of a drawing's alt text."""
        return in_words(self.edition.drawings, alt)

    def words_of(self, script: Path) -> dict[str, str]:
        """Return what a script says in the place of its own sentences."""
        said = self.edition.sentences
        return {text: in_words(said, text) for text in catalogue.templates([script])}

    def shown(self, text: str) -> str:
        """Return what people read of lines that its slides have, which are the source's."""
        lines = (translated_line(line, self._turn) for line in text.split("\n"))
        return self._fill_in("\n".join(lines))

    @cached_property
    def _lines(self) -> list[str]:
        return translated(self.text, self._turn)

    @cached_property
    def _prose(self) -> list[str]:
        """The lines of `prose` as people read them."""
        return without_marks(self.text, self._lines, self.join)[0].split("\n")

    def _read(self, fact: re.Match[str]) -> str:
        first, last = (fact.string.count("\n", 0, place) for place in fact.span())
        lines = self._prose[first : last + 1]
        return "\n".join(lines) if lines[0].startswith("- ") else BESIDE_WORDS.sub("", lines[0])

    # Its cells

    @property
    def source(self) -> Source:
        """The cells of the English source."""
        return self.english.source

    @property
    def minutes(self) -> Minutes:
        """How long it takes to work through, reckoned from the English."""
        return self.english.minutes

    @cached_property
    def notebook(self) -> NotebookNode:
        """Its cells alone as people read them, with the ids of the English ones.

        Raises
        ------
        BuildError
            If a translation has not kept what it must.
        """
        if found := self.edition.faults(self.entries):
            name = self.edition.path(self.name).name
            raise BuildError("\n  ".join([f"reading {name}:", *found]))
        own = parse(self.path, self.text, self._fill_in, self._lines, self.join).notebook
        for cell, english in zip(own.cells, self.source.notebook.cells, strict=True):
            cell.id = english.id
            if cell.cell_type == "markdown":
                cell.source = unwrapped(cell.source, self.join)
        return own

    @cached_property
    def answers(self) -> Answers:
        """What answers its *Predict*, for pages to fold."""
        found = self.english.answers
        prose = {index: list(self._pieces(index, pieces)) for index, pieces in found.prose.items()}
        code = {at: (number, self.in_words(title)) for at, (number, title) in found.code.items()}
        return Answers(prose, found.outputs, code)

    def _pieces(self, index: int, pieces: list[Piece]) -> Iterator[Piece]:
        """Take the same blocks of a cell as people read them."""
        blocks = list(text_blocks(self.notebook.cells[index].source))
        lines = self.notebook.cells[index].source.split("\n")
        for piece in pieces:
            n_blocks = len(list(text_blocks("\n".join(piece.lines))))
            taken, blocks = blocks[:n_blocks], blocks[n_blocks:]
            first, last = taken[0][0], taken[-1][0] + len(taken[-1][1])
            title = self.say(TITLE) if piece.title == TITLE else self.in_words(piece.title)
            yield piece._replace(first=first, lines=tuple(lines[first:last]), title=title)

    @cached_property
    def slides(self) -> list[Slide]:
        """The slides that the English source marks, in its words, and with its minutes.

        What stands around them is made of what lessons say in this language.
        """
        own = self._with_around(read_slides(self.source, self.text))
        for slide, english in zip(own, self.english.slides, strict=True):
            slide.minutes = english.minutes
        return own

    def executed(self) -> NotebookNode:
        """Read the English notebook, and put in its place what people read of each cell."""
        notebook = copy.deepcopy(self.english.executed())
        for cell, own in zip(notebook.cells, self.notebook.cells, strict=True):
            cell.source = own.source
            for output in cell.get("outputs", []):
                self._say_output(output)
        return notebook

    def _say_output(self, output: NotebookNode) -> None:
        """Say what a lesson's source says of an output, in place; all else in it stays."""
        picture = output.get("metadata", {}).get("image/png", {})
        if "alt" in picture:
            picture["alt"] = self.in_words(picture["alt"])
        traits = output.get("data", {}).get(WIDGET, {}).get("traits", {})
        if "_goal" in traits:
            traits["_goal"]["words"] = self.in_words(traits["_goal"]["words"])
        for moment in traits.get("_moments", []):
            moment["title"] = self.in_words(moment["title"])  # links know it by its slug


def as_english(unit: Unit) -> str:
    """Mark the English words of a unit as what they are, where a mark can stand."""
    if unit.kind not in MARKED:
        return unit.text
    if unit.kind != "row":
        return f'<span lang="en">{unit.text}</span>'
    cells = re.split(r"(?<!\\)\|", unit.text)
    return "|".join(
        f' <span lang="en">{cell.strip()}</span> ' if cell.strip() else cell for cell in cells
    )
