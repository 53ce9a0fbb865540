"""The series: which lessons there are, and all that is known of one.

A lesson's facts stand in its source, once: its number is in the file's name, its title the first
heading, its question the line in italics below it, and so on. What other pages say of a lesson,
its links and lists, is made from them.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property, reduce
from pathlib import Path
from urllib.parse import quote as quote_address
from urllib.parse import unquote

import nbformat
from markdown_it import MarkdownIt
from nbformat import NotebookNode
from PIL import Image

from course import BuildError
from course.files import ROOT
from course.lesson import ways
from course.lesson.answers import Answers, read_answers
from course.lesson.around import reading, recap
from course.lesson.exercise import SPECS
from course.lesson.lecture import Slide, read_slides, refuse_long_core
from course.lesson.marks import marks_of, without_marks
from course.lesson.minutes import HARDER, SHOWS_WIDGET, TURN, Minutes, minutes
from course.lesson.sentences import Say, all_of, one_of, spaced
from course.lesson.source import Source, parse
from course.lesson.speech import refuse_short
from course.lesson.widgets import read_widgets

NOTEBOOKS = ROOT / "notebooks"
SUMMARY = "99"  # the number of the lesson that sums up the others, and comes last
DESCRIPTION = 270  # where a picture that moves, which is no PNG, has its words
PICTURE = re.compile(r"!\[(?P<alt>[^\]]*)\]\((?P<address>\.\./images/\w+\.png)\)")


class Lesson:
    """A lesson: where its files are, what its source says of it, its cells, its slides.

    The source is read once, when something is first asked of it; what stands in its way is a
    BuildError.

    Parameters
    ----------
    path
        The source, `NN_name.md` in a folder `src`; the notebook lies beside that folder.
    series
        All lessons of the folder by name, this one among them.
    """

    tag = "en"  # of its language
    join = staticmethod(spaced)  # joins lines of a paragraph, and sentences
    between = r"(?<=\.) (?=[A-Z])"  # what stands between two sentences
    say = staticmethod(str.format)  # what says the sentences that code puts together

    def __init__(self, path: Path, series: Mapping[str, "Lesson"]):
        self.path = path
        self.series = series

    # Its files

    @property
    def name(self) -> str:
        """`04_self_attention` of `notebooks/src/04_self_attention.md`."""
        return self.path.stem

    @property
    def number(self) -> str:
        """`04` of the same."""
        return self.name[:2]

    @property
    def is_summary(self) -> bool:
        """Whether it sums up the others."""
        return self.number == SUMMARY

    @property
    def folder(self) -> Path:
        """Where its notebook lies, and runs; pictures are addressed from here."""
        return self.path.parent.parent

    @property
    def notebook_path(self) -> Path:
        """The notebook that readers open."""
        return self.folder / f"{self.name}.ipynb"

    def built(self, face: str, ending: str) -> Path:
        """Where a face, "html" or "slides", writes what it makes of the lesson."""
        return self.folder.parent / "build" / face / f"{self.name}.{ending}"

    @cached_property
    def inputs(self) -> list[Path]:
        """All files that pages of the lesson are made from."""
        html = MarkdownIt("commonmark").render(self.text)
        shown = re.findall(r'<img\b[^>]*?\bsrc="([^"]+)', html)
        pictures = (self.folder / unquote(one) for one in shown)
        return [self.path, self.notebook_path, *pictures, *self.specs.values()]

    @property
    def deck_inputs(self) -> list[Path]:
        """All files that its deck is made from: its own, and what its recap tells of."""
        before = self._before
        told = [before.path, *before.closing_pictures] if before and before.remembered else []
        maps = [
            self.folder.parent / "images" / f"{mark.argument}_whole.png"
            for mark in marks_of("map", self.text)
        ]
        return [*self.inputs, *told, *maps]

    @cached_property
    def specs(self) -> dict[str, Path]:
        """The spec of each of its exercises that has one, by name."""
        paths = {name: self.folder.parent / SPECS / f"{name}.py" for name in self.exercises}
        return {name: path for name, path in paths.items() if path.exists()}

    # Its facts

    @cached_property
    def text(self) -> str:
        """The source as it stands, slide marks and all."""
        try:
            return self.path.read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            raise BuildError(f"reading {self.path}: {error}") from error

    @cached_property
    def prose(self) -> str:
        """The source without slide marks."""
        return without_marks(self.text)[0]

    @property
    def title(self) -> str:
        """`04 · Let every word look at every word`."""
        return self._fact("a title, `# NN · What you do`", r"^# (.+)$")

    @property
    def label(self) -> str:
        """What the title begins with: `04`."""
        return self.title.partition(" · ")[0]

    @property
    def question(self) -> str:
        """The question that it answers."""
        return self._fact("a question, `*…?*`", r"^\*([^*]+\?)\*$")

    @property
    def objectives(self) -> str:
        """What a reader can do after it, a sentence without its beginning."""
        return self._fact("what one can do after it", r"^\*\*After this lesson you can\*\* (.+)$")

    @cached_property
    def minutes(self) -> Minutes:
        """How long it takes to work through, reckoned from its cells before they are filled in."""
        return minutes(parse(self.path, self.text).notebook.cells)

    @property
    def picture(self) -> str:
        """The name of the picture that it opens with; empty where it has none."""
        found = PICTURE.search(self.text)
        return Path(found["address"]).stem if found else ""

    def _closing(self, pattern: str) -> Iterator[re.Match[str]]:
        """Find a pattern in what it closes with, *What you have now*; nothing where it does not."""
        if closes := re.search(r"^## What you have now$", self.prose, re.MULTILINE):
            yield from re.compile(pattern, re.MULTILINE).finditer(self.prose, closes.end())

    @property
    def remembered(self) -> str:
        """What there is to remember of it, a list; empty where it says nothing."""
        found = next(self._closing(r"^(- .+(?:\n[- ].+)*)"), None)
        return self._read(found) if found else ""

    @property
    def closing_pictures(self) -> list[Path]:
        """The pictures that it closes with: where we are."""
        return [self.folder / found["address"] for found in self._closing(PICTURE.pattern)]

    @property
    def to_read(self) -> list[str]:
        """What to read on, a sentence each that names a title or a year; empty without any."""
        found = next(self._closing(r"^\*\*Left out\.\*\* (.+)$"), None)
        told = re.split(self.between, self._read(found)) if found else []
        return [one for one in told if re.search(r"[(（]\d{4}[)）]", one)]

    @property
    def exercises(self) -> list[str]:
        """The functions that a reader writes, in order."""
        return [name for name, _ in self._tasks]

    @property
    def harder(self) -> list[str]:
        """Those of them that stand under *A harder task*."""
        return [name for name, heading in self._tasks if heading == HARDER]

    @property
    def _tasks(self) -> list[tuple[str, str]]:
        """Each function that is checked where a reader writes, and what heading it stands under."""
        sections = re.split(r"^#{1,6} ", self.prose, flags=re.MULTILINE)
        return [
            (name, heading)
            for section in sections
            for heading in (TURN, HARDER)
            if section.startswith(heading)
            for name in re.findall(r'^check\("(\w+)"', section, re.M)
        ]

    @property
    def widgets(self) -> list[str]:
        """The classes of its widgets, each once, in order."""
        return list(dict.fromkeys(re.findall(SHOWS_WIDGET, self.text)))

    @cached_property
    def led(self) -> dict[str, dict]:
        """What it says of its widgets: the goal, moments and start of each that has some."""
        return read_widgets(self.source, self.number)

    @property
    def station(self) -> tuple[str, str]:
        """What the map calls it, and what it adds, `station` in its front matter."""
        return self._pair("station", "name, what it adds")

    @property
    def found(self) -> tuple[str, str]:
        """What people type who search for it, and what they read of it, `found` there."""
        return self._pair("found", "subject, description")

    def _pair(self, key: str, form: str) -> tuple[str, str]:
        match self.source.notebook.metadata.get(key):
            case [str(first), str(second)]:
                return self.in_words(first), self.in_words(second)
        raise BuildError(f"{self.name}: its front matter has no `{key}: [{form}]`")

    def _fact(self, what: str, pattern: str) -> str:
        if found := re.search(pattern, self.prose, re.MULTILINE):
            return self._read(found)
        where = f"{self.name}, {self.path.name} line 1"
        raise BuildError(f"{where}: a lesson has {what}, and this has none")

    def _read(self, fact: re.Match[str]) -> str:
        """Return what people read of a fact that was found in the prose."""
        return fact[1]

    def shown(self, text: str) -> str:
        """Return what people read of lines that its slides have."""
        return text

    def drawn(self, alt: str) -> str:
        """Return what people read of a drawing's alt text."""
        return alt

    def words_of(self, script: Path) -> dict[str, str]:
        """Return what a script says in the place of its own sentences; nothing in English."""
        return {}

    def in_words(self, text: str) -> str:
        """Return what people read of a piece of the source that begins no line."""
        return text

    # Its cells

    @cached_property
    def source(self) -> Source:
        """Its cells as its source has them, nothing executed."""
        return parse(self.path, self.text, self._fill_in)

    @property
    def notebook(self) -> NotebookNode:
        """Its cells alone, with ids, without outputs."""
        return self.source.notebook

    @property
    def lines(self) -> tuple[int, ...]:
        """For each cell, the line of the source (from 1) on which the cell's text starts."""
        return self.source.lines

    def where(self, index: int, line: int | None = None) -> str:
        """Words that lead to a cell: its number from 1, its id, a line of the source."""
        return self.source.where(index, line)

    def line_of(self, index: int, offset: int) -> int:
        """Return the line of the source that a cell's line, counted from 0, comes from."""
        return self.source.line_of(index, offset)

    def where_quote(self, index: int, quote: str) -> str:
        """Words that lead to what an error quotes of a cell, or to the cell if it quotes nothing.

        A quoted formula or address may be broken over the lines of a quotation in the source.
        """
        if not quote:
            return self.where(index)
        words = r"[\s>]+".join(map(re.escape, quote.split()))
        as_address = re.escape(quote_address(quote))
        start = self.lines[index]
        below = "\n".join(self.text.splitlines()[start - 1 :])
        found = re.search(rf"[$(/<][\s>]*({words}|{as_address})[\s>]*[$)>]", below)
        return self.where(index, start + below[: found.start(1)].count("\n") if found else None)

    @cached_property
    def slides(self) -> list[Slide]:
        """The slides that its source marks, with the last lesson's recap, and where to read on."""
        slides = read_slides(self.source, self.text, self._fill_in)
        refuse_short(self.source, slides)
        slides = self._with_around(slides)
        refuse_long_core(self.source, slides)
        return slides

    def _with_around(self, slides: list[Slide]) -> list[Slide]:
        """Add the last lesson's recap, and where to read on."""
        before = self._before
        if slides and before and before.remembered:
            picture = self._fill_in(next((x[0] for x in before._closing(PICTURE.pattern)), ""))
            told = before.question, picture, before.remembered
            slides.insert(1, recap(slides[0].line, *told, self.say))
        if slides and self.to_read:
            slides.append(reading(slides[-1].line, self.to_read, self.say))
        return slides

    @cached_property
    def answers(self) -> Answers:
        """What answers its *Predict*, for pages to fold."""
        return read_answers(self.source, self.text)

    @property
    def has_slides(self) -> bool:
        """Whether its source marks any, told without reading them."""
        return bool(marks_of("slide", self.text))

    def executed(self) -> NotebookNode:
        """Read the notebook that was made from this source, and from no other state of it.

        Raises
        ------
        BuildError
            If it is not there, is no notebook, or has other cells; it says what makes it.
        """
        command = f"python -m course build {self.name} makes it"
        try:
            notebook = nbformat.read(self.notebook_path, as_version=4)
            nbformat.validate(notebook)
        except Exception as error:  # a broken notebook breaks its reader in many ways
            reason = str(error).strip().partition("\n")[0]
            raise BuildError(f"reading {self.notebook_path.name}: {reason}; {command}") from error
        if [cell.source for cell in notebook.cells] != [c.source for c in self.notebook.cells]:
            raise BuildError(
                f"{self.notebook_path.name} was not made from {self.path.name} as it is; {command}"
            )
        return notebook

    # What is made from the facts of this lesson and of others

    def _fill_in(self, text: str) -> str:
        """Write what the source leaves to be filled in: lists, links, alt texts."""
        made = {
            "lessons": lambda: lesson_table(self.series, self.say),
            "next": self._next,
            "exercises": self._exercises,
            "minutes": lambda: self.minutes.told(self.say),
            "short_way": lambda: ways.told(self.series, say=self.say),
            "short_hours": lambda: ways.short_hours(self.series, self.say),
            "whole_hours": lambda: ways.whole_hours(self.series, self.say)[0],
        }
        text = re.sub(r"\{\{ (\w+) \}\}", lambda m: made[m[1]]() if m[1] in made else m[0], text)
        return PICTURE.sub(lambda found: with_alt(found, self.folder, self.drawn), text)

    @property
    def _before(self) -> "Lesson | None":
        """The lesson before this one; None for the first, and where there is no series."""
        names = list(self.series)
        place = names.index(self.name) if self.name in names else 0
        return self.series[names[place - 1]] if place else None

    def _next(self) -> str:
        """Lead to the lesson after this one, and to the summary."""
        names = list(self.series)
        following = self.series[names[names.index(self.name) + 1]]
        links = [self.say("**Next:** {lesson}.", lesson=following.link())]
        short = [one for one in self.series.values() if one.number in ways.goes_on(self.number)]
        if short and short != [following]:
            lessons = one_of([one.link() for one in short], self.say)
            links += [self.say("On the short way: {lessons}.", lessons=lessons)]
            links += [ways.choice(self.say)] * (len(short) > 1)
        last = self.series[names[-1]]
        if last.is_summary and last is not following:
            page = f"[{last.label.lower()}]({last.name}.ipynb)"
            links += [self.say("The series on one page: {page}.", page=page)]
        return reduce(self.join, links)

    def _exercises(self) -> str:
        """List what a reader writes, what is harder last."""
        plain = [f"`{name}`" for name in self.exercises if name not in self.harder]
        plain, harder = all_of(plain, self.say), all_of([f"`{x}`" for x in self.harder], self.say)
        if plain and harder:
            return self.say("{plain}; as a harder task, {harder}", plain=plain, harder=harder)
        if harder:
            return self.say("{harder}, as a harder task", harder=harder)
        return plain or self.say("no function")

    def link(self, folder: str = "") -> str:
        """Link the notebook by its title."""
        return f"[{self.title}]({folder}{self.name}.ipynb)"


def find_lessons(folder: Path = NOTEBOOKS) -> dict[str, Lesson]:
    """Find the lessons whose notebooks go to a folder; their sources are in its `src`.

    Returns
    -------
    dict
        Lesson by name, in the order of their numbers.

    Raises
    ------
    BuildError
        If there is no lesson, or a Markdown file that is not named like one.
    """
    sources = folder / "src"
    paths = sorted(sources.glob("*.md"))
    if not paths:
        raise BuildError(f"looking for lessons NN_name.md: {sources} holds none")
    misnamed = [path.name for path in paths if not re.fullmatch(r"\d\d_\w+", path.stem)]
    if misnamed:
        raise BuildError(
            f"looking for lessons in {sources}: a lesson is named NN_name.md with two digits, "
            f"and these are not: {', '.join(misnamed)}"
        )
    series = {}
    series.update((path.stem, Lesson(path, series)) for path in paths)
    return series


def choose_lessons(series: Mapping[str, Lesson], names: Iterable[str]) -> list[Lesson]:
    """Pick lessons by number (`04`), name (`04_self_attention`) or path (of source or notebook).

    No names mean every lesson. Each lesson comes once, in order of number.

    Raises
    ------
    BuildError
        If a name fits no lesson, or a number fits several; it lists the known ones.
    """
    chosen = set()
    for name in names:
        stem = Path(name).stem
        fitting = [known for known in series if stem in (known, known[:2])]
        if len(fitting) != 1:
            reason = "fits several lessons" if fitting else "is no lesson"
            raise BuildError(f"{name!r} {reason}; the lessons are: {', '.join(series)}")
        chosen.update(fitting)
    return [lesson for known, lesson in series.items() if known in chosen or not chosen]


# Lists of lessons


def lesson_table(series: Mapping[str, Lesson], say: Say = str.format) -> str:
    """List the lessons with questions and exercises, for the lesson that all begin with."""
    _, *others = series.values()
    code = [say(", ").join(f"`{name}`" for name in one.exercises) for one in others]
    pairs = zip(others, code, strict=True)
    rows = [f"| {one.link()} | {one.question} | {names} |" for one, names in pairs]
    heads = say("| lesson | the question it answers | you write |")
    return "\n".join([heads, "|---|---|---|", *rows])


def readme_list(series: Mapping[str, Lesson]) -> str:
    """List the lessons with their questions, and the minutes of both ways, for the README."""
    rows = [
        f"| {one.link('notebooks/')} | {one.question} | {one.minutes.core} "
        f"| {ways.rounded_minutes(one) or ''} |"
        for one in series.values()
    ]
    heads = "| lesson | the question it answers | minutes | on the short way |\n|---|---|--:|--:|"
    return "\n".join([heads, *rows])


def fill_in_readme(text: str, series: Mapping[str, Lesson], folder: Path) -> str:
    """Write the README's ways and list of lessons, and the alt texts of its pictures, anew."""
    made_by = {
        "ways": lambda: ways.both(series, "notebooks/"),
        "lessons": lambda: readme_list(series),
    }
    for name, made in made_by.items():
        pattern = rf"(<!-- {name} -->\n).*(?=\n<!-- /{name} -->)"
        text = re.sub(pattern, lambda found, made=made: found[1] + made(), text, flags=re.DOTALL)

    def with_own(shown: re.Match) -> str:
        alt = alt_text(folder / shown["address"])
        return shown[0].replace(f'alt="{shown["alt"]}"', f'alt="{alt}"') if alt else shown[0]

    return re.sub(r'<img src="(?P<address>[^"]+)"[^>]*? alt="(?P<alt>[^"]*)"', with_own, text)


def alt_text(picture: Path) -> str:
    """Return what a picture says of itself in words: the script that draws it wrote them in."""
    try:
        with Image.open(picture) as opened:
            return opened.info.get("Description") or opened.getexif().get(DESCRIPTION, "")
    except OSError:  # that it is missing is told by whoever shows it
        return ""


def with_alt(shown: re.Match[str], folder: Path, in_words: Callable[[str], str] = str) -> str:
    """Give a picture that Markdown shows the alt text that is its own, in a reader's language."""
    alt = in_words(alt_text(folder / shown["address"]))
    return f"![{alt}]({shown['address']})" if alt else shown[0]
