"""A lesson as a deck, one file that needs no network.

What a slide shows is marked in the lesson's source (`course.lesson.marks`); what it shows is taken
from the executed notebook. Prose that is not shown becomes the speaker's notes. reveal.js turns the
pages; fonts, formulas, pictures, widgets and reveal.js itself are inside the file.
"""

import html
import io
import re
from base64 import b64decode, b64encode
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import nbformat
from nbformat import NotebookNode
from PIL import Image

from course import BuildError
from course.files import BUNDLE, made_from
from course.lesson.around import WORD
from course.lesson.exercise import Taught, read_exercise
from course.lesson.lecture import UNTOLD, Part, Slide, planned
from course.lesson.minutes import TURN
from course.lesson.sentences import Say
from course.lesson.series import Lesson
from course.notebook.pictures import drawing_of
from course.render import WIDGET, refuse_unshowable, to_html
from course.render.export import export
from course.render.fonts import vendored
from course.render.grids import GRID, high
from course.slides.chains import Known, chain
from course.slides.dark import on_dark
from course.slides.examples import picture, read_examples
from course.slides.roles import in_colors
from course.slides.seen import LEAST_LETTERS, pictured

HERE = Path(__file__).parent
SCRIPT = HERE / "script.js"
TURNED = HERE / "turned.js"  # for decks in another language
OUTPUTS = ("text", "picture", "widget", "error")
WHOSE = "mine.whose("
WHO_RUNS = r"^mine\.\w+: .*\n?"  # whether it is the reader's or the reference
MISTAKES = 4  # of an exercise, in the notes; its spec has more
FIRST_WORDS = 5  # of a paragraph that comes at a key, by which the notes know it
WIDE = 1.9  # a picture that is wider, per height, gets the slide's whole width
BESIDE = 628, 530  # pixels, the room of a picture beside words


def deck(
    lesson: Lesson,
    *,
    bundle: Path = BUNDLE,
    measured: bool = False,
) -> str:
    """Make the deck of a lesson, one self-contained page; it keeps whether it will be measured.

    Raises
    ------
    BuildError
        Naming cell and line, if a mark is wrong, the notebook is not that of the source, what is
        to be shown is not there, or a formula or picture is broken.
    """
    cells = deck_cells(lesson)
    title = _plain(cells[0].metadata.deck.opens.title)
    told = {"made_from": made_from("slides", lesson.deck_inputs), "measured": measured}
    return _page(
        lesson.name, lesson, cells, title, planned(lesson.slides)[1].minutes, bundle, **told
    )


def lecture_page(title: str, chosen: Sequence[tuple[Lesson, Slide]]) -> str:
    """Make one page of slides that somebody chose of lessons, in that order, all of them shown.

    Raises
    ------
    BuildError
        As `deck` does.
    """
    minutes = sum(slide.minutes for _, slide in chosen)
    first = chosen[0][0]
    plan = [{"name": "whole", "minutes": f"{minutes:g}", "slides": len(chosen)}]
    notebooks = {lesson.name: lesson.executed() for lesson, _ in chosen}
    turns, minute = [], 0.0
    for number, (lesson, slide) in enumerate(chosen, start=1):
        turns.append(_Turn(lesson, slide, number, minute, minute, plan if number == 1 else None))
        minute += slide.minutes
    cells = [cell for turn in turns for cell in _cells(turn, notebooks[turn.lesson.name])]
    return _page(title, first, cells, title, minutes, BUNDLE)


def _page(
    name: str,
    lesson: Lesson,
    cells: list[NotebookNode],
    title: str,
    minutes: float,
    bundle: Path,
    **told: object,
) -> str:
    page = export(
        nbformat.v4.new_notebook(cells=cells),
        HERE,
        dark='html[data-theme="dark"] .highlight',
        say=lesson.say,
        lang=lesson.tag,
        words=lesson.words_of(SCRIPT) | lesson.words_of(TURNED),
        bundle=bundle,
        title=title,
        reveal_style=vendored("reveal.css").read_text(encoding="utf-8"),
        reveal=[
            vendored("reveal.js").read_text(encoding="utf-8"),
            vendored("notes.js").read_text(encoding="utf-8"),
        ],
        script=SCRIPT.read_text(encoding="utf-8"),
        turned=TURNED.read_text(encoding="utf-8"),
        minutes=minutes,
        **told,
    )
    _refuse_loads(name, page)
    return in_colors(page)


def deck_cells(lesson: Lesson) -> list[NotebookNode]:
    """Make the cells of a lesson's slides: each has what it shows, the last of a slide its notes.

    Raises
    ------
    BuildError
        As `deck` does.
    """
    if not lesson.slides:
        raise BuildError(f"{lesson.name} has no slide marks, so there is no deck of it")
    notebook = lesson.executed()
    return [cell for turn in _turns(lesson) for cell in _cells(turn, notebook)]


def _refuse_loads(name: str, page: str) -> None:
    """Raise BuildError for what a browser would fetch from elsewhere."""
    shown = re.sub(r"<(script|style)\b.*?</\1>", "", page, flags=re.DOTALL)
    loads = re.findall(
        r'<(?!a\b)\w[^>]*?\b(?:src|srcset|href|data|poster)="(?!data:)([^"]+)"', shown
    )
    if loads:
        raise BuildError(f"{name}: a deck is one file, and this would load {loads[0]}")


class _Turn(NamedTuple):
    """A slide as it is turned to: its number, when it begins, and the plan if the first says it."""

    lesson: Lesson
    slide: Slide
    number: int
    minute: float
    in_core: float | None  # None where the core leaves it out
    plan: list[dict[str, object]] | None


def _turns(lesson: Lesson) -> Iterator[_Turn]:
    """Go through the slides of a lesson, in the whole and the core."""
    minute = in_core = 0.0
    for number, slide in enumerate(lesson.slides, start=1):
        plan = _plan(lesson) if number == 1 else None
        yield _Turn(lesson, slide, number, minute, None if slide.is_extra else in_core, plan)
        minute += slide.minutes
        in_core += 0 if slide.is_extra else slide.minutes


@lru_cache(maxsize=1)  # the slides of a lesson follow each other
def _examples(lesson: Lesson) -> dict[str, list[dict]]:
    return read_examples(lesson.folder.parent, lesson.specs.values())


def _cells(turn: _Turn, notebook: NotebookNode) -> Iterator[NotebookNode]:
    """Make the cells of one slide: the first opens it, the last closes it."""
    lesson, slide, folder = turn.lesson, turn.slide, turn.lesson.folder
    shown = [cell for part in slide.shown for cell in _shown(part, lesson, notebook)]
    if not shown:
        shown = [_text_cell("", Part(slide.line))]
    exercise = slide.title.startswith(TURN)
    taught = _taught(slide, lesson, notebook) if exercise or slide.exercise else None
    tried = exercise and slide.is_tried
    kinds = {cell.metadata.deck.kind for cell in shown}
    asked = _examples(lesson).get(taught.name, []) if taught and not pictured(kinds) else []
    if example := picture(asked, shown):
        example.metadata.deck.line = slide.line
        shown.append(example)
        kinds.add(example.metadata.deck.kind)
    notes = [*_notes(slide, lesson, notebook, shown), *_trying(taught, lesson, kinds, tried=tried)]
    if not (taught or any(part.text for part in slide.notes)):
        raise BuildError(
            f"{lesson.name}, {lesson.source.where_line(slide.line)}: a slide without notes; what "
            "to say, what to ask? `% say …` directly below its mark says it"
        )
    with _at(lesson, slide.line):
        title = _inline(lesson.shown(slide.title), folder)
        asks = slide.title.endswith(("?", "？"))
        section = "" if asks else lesson.shown(slide.section)  # it may be the answer
        if exercise or slide.exercise:
            at_home = lesson.say("At home: about {minutes} minutes", minutes=slide.exercise)
            section = "" if slide.is_tried else at_home
        section = _inline(section, folder)
    shown[0].metadata.deck.opens = {
        "number": turn.number,
        "line": slide.line,
        "opening": slide is lesson.slides[0],
        "title": title,
        "section": section if section != title else "",
        "seconds": round(slide.minutes * 60),
        "kinds": " ".join(sorted(kinds)),
        "exercise": exercise,
        "tried": f"{slide.tries:g}" if tried else None,
        "extra": turn.in_core is None,
        "plan": turn.plan,
    }
    shown[-1].metadata.deck.closes = {
        "minutes": f"{slide.minutes:g}",
        "minute": f"{turn.minute:g}",
        "in_core": None if turn.in_core is None else f"{turn.in_core:g}",
        "notes": "\n".join(notes),
        "solution": taught and taught.solution,
    }
    for place, cell in enumerate(shown, start=1):
        cell.id = f"slide-{turn.number}-{place}"
        yield cell


def _taught(slide: Slide, lesson: Lesson, notebook: NotebookNode) -> Taught | None:
    """Read what the exercise of a slide has for a lecturer."""
    cells = (part.cell for part in (*slide.shown, *slide.notes) if part.cell is not None)
    checks = "\n".join(notebook.cells[cell].source for cell in cells)
    names = (name for name in lesson.specs if f'check("{name}"' in checks)
    return next((read_exercise(lesson.specs[name]) for name in names), None)


def _trying(taught: Taught | None, lesson: Lesson, kinds: set, *, tried: bool) -> Iterator[str]:
    """Say of an exercise how a hall tries it, what goes wrong, and what to reply."""
    if taught:
        mistakes = (
            f"{done} *{reply}*" if reply else done for done, reply in taught.mistakes[:MISTAKES]
        )
        english = "- {}" if lesson.tag == "en" else '- <span lang="en">{}</span>'
        told = map(english.format, mistakes)
        how = _tried(lesson.say, written="shapes" in kinds) + "\n" if tried else ""
        keys = lesson.say("**A** shows the solution")
        if tried:
            keys = lesson.say("**A** shows the solution, **T** starts the timer")
        head = lesson.say("**What goes wrong, and what to reply** (key {keys}):", keys=keys)
        yield to_html("\n".join([how, head + "\n", *told]), lesson.folder)


def _tried(say: Say, *, written: bool) -> str:
    """Say how a hall tries an exercise."""
    on_paper = say("write the lines") if written else say("work out a small case by hand")
    return say(
        "Two share a laptop and the lesson's notebook, or a sheet of paper, on which they "
        "{on_paper}. Go round while they try. Stop when half of them have it, or at the timer's "
        "*Time*, and go through the solution line by line.",
        on_paper=on_paper,
    )


def _plan(lesson: Lesson) -> list[dict[str, object]]:
    """Say what the core has and what the whole; the core alone where that is all."""
    core, whole = planned(lesson.slides)
    parts = {"core": core} if core == whole else {"core": core, "whole": whole}
    return [
        {"name": name, "minutes": f"{part.minutes:g}", "slides": part.slides}
        for name, part in parts.items()
    ]


def _shown(part: Part, lesson: Lesson, notebook: NotebookNode) -> Iterator[NotebookNode]:
    """Make what a part shows: a text, or of a code cell its code and its outputs, one by one."""
    with _at(lesson, part.line):
        if part.choices:
            yield _poll(part, lesson)
            return
        if part.chain:
            yield _chain(part, lesson, notebook)
            return
        if part.cell is None:
            yield _text_cell(_unlinked(to_html(lesson.shown(part.text), lesson.folder)), part)
            return
        cell = notebook.cells[part.cell]
        if "code" in part.shows:
            yield _cell_part(_code(cell, part), [], "code", part)
        named = set(part.shows) - {"code"}
        wanted = named or (set() if part.shows else set(OUTPUTS))
        outputs = [output for output in cell.outputs if _kind(output) in wanted]
        absent = named - set(map(_kind, outputs))
        if absent or not (part.shows or outputs):
            what = " and ".join(sorted(absent)) or "output"
            raise BuildError(f"showing its {what}: the cell has none")
        for output in outputs:
            refuse_unshowable(output)
            yield _cell_part("", [_drawn(_without_whose(output))], _layout(output), part)


def _drawn(output: NotebookNode) -> NotebookNode:
    """Show a figure by its drawing, which is sharp on any screen."""
    svg = drawing_of(output)
    if not svg:
        return output
    alt = html.escape(output.metadata["image/png"].alt)
    image = f'<img src="{_address(svg)}" alt="{alt}">'
    return NotebookNode(output | {"data": NotebookNode({"text/html": image})})


def _address(svg: str) -> str:
    return f"data:image/svg+xml;base64,{b64encode(svg.encode()).decode()}" if svg else ""


def _without_whose(output: NotebookNode) -> NotebookNode:
    """Leave out of a print whose functions run, which only who wrote them asks."""
    if "text" not in output:
        return output
    return NotebookNode(output | {"text": re.sub(WHO_RUNS, "", output.text, flags=re.MULTILINE)})


def _poll(part: Part, lesson: Lesson) -> NotebookNode:
    """Make of choices the buttons that count hands."""
    choices = (
        f'<li><button type="button">{_inline(lesson.shown(choice), lesson.folder)}</button></li>'
        for choice in part.choices
    )
    cell = nbformat.v4.new_markdown_cell(f"<ol>{''.join(choices)}</ol>")
    cell.metadata.deck = NotebookNode(kind="poll", later=part.later, line=part.line)
    return cell


def _chain(part: Part, lesson: Lesson, notebook: NotebookNode) -> NotebookNode:
    """Make of the arrays that a mark names the boxes that show how they meet."""
    at = max(index for index, line in enumerate(lesson.lines) if line <= part.line)
    known: Known = [
        (index, table)
        for index, cell in enumerate(notebook.cells)
        for output in cell.get("outputs", [])
        for table in output.get("data", {}).get(GRID, {"tables": []})["tables"]
    ]
    cell = nbformat.v4.new_markdown_cell(chain(part.chain, known, at))
    cell.metadata.deck = NotebookNode(kind="shapes", later=part.later, line=part.line)
    return cell


def _code(cell: NotebookNode, part: Part) -> str:
    lines = cell.source.splitlines()
    first, last = part.lines or (1, len(lines))
    return "\n".join(lines[first - 1 : last])


def _text_cell(source: str, part: Part) -> NotebookNode:
    kind = "picture" if re.fullmatch(r"\s*<p><img [^>]*></p>\s*", source) else "prose"
    if kind == "picture":
        kind = _layout_of(re.search(r"base64,([^\"]*)", source)[1])
    cell = nbformat.v4.new_markdown_cell(source)
    cell.metadata.deck = NotebookNode(kind=kind, later=part.later, line=part.line)
    return cell


def _cell_part(source: str, outputs: list[NotebookNode], kind: str, part: Part) -> NotebookNode:
    cell = nbformat.v4.new_code_cell(source, outputs=outputs)
    printed = source if kind.startswith("picture") else source + "".join(map(_printed, outputs))
    columns = max(map(len, printed.splitlines()), default=0)
    grid = next((output.data[GRID] for output in outputs if GRID in output.get("data", {})), None)
    cell.metadata.deck = NotebookNode(
        kind=kind,
        later=part.later,
        line=part.line,
        columns=columns,
        share=grid and high(grid),  # of a slide's height, where there are several
        dark=_address(on_dark(drawing_of(outputs[0]))) if kind.endswith(" own") else None,
    )
    cell.metadata.transient = {"remove_source": kind != "code"}
    return cell


def _kind(output: NotebookNode) -> str:
    data = output.get("data", {})
    if output.output_type == "error":
        return "error"
    if WIDGET in data:
        return "widget"
    return "picture" if "image/png" in data else "text"


def _layout(output: NotebookNode) -> str:
    kind = _kind(output)
    return _layout_of(output.data["image/png"]) if kind == "picture" else kind


def _layout_of(data: str) -> str:
    """Tell a wide picture, in base 64, from others, and one whose letters need the width."""
    try:
        picture = Image.open(io.BytesIO(b64decode(data)))
    except (ValueError, OSError) as error:
        raise BuildError(f"a picture cannot be read: {error}") from error
    width, height = picture.size
    letters = float(picture.info.get("Letters") or 0) * min(BESIDE[0] / width, BESIDE[1] / height)
    is_wide = width / height >= WIDE or 0 < letters < LEAST_LETTERS
    return "picture" + " wide" * is_wide + " own" * ("Colors" in picture.info)


def _notes(
    slide: Slide, lesson: Lesson, notebook: NotebookNode, cells: list[NotebookNode]
) -> Iterator[str]:
    """Go through what the speaker says, which is prose: what cells print is for readers.

    What a reader alone needs, before a lesson and of whose functions run in it, is no talk. A line
    stands where each key is pressed that shows more of the slide.
    """
    keys = list(_keys(cells, lesson.say))
    said = [part for part in slide.notes if part.text and not part.text.startswith(UNTOLD)]
    if slide is lesson.slides[0]:  # a sentence leads to whose functions run
        said = [part for part in said if part not in _leading(slide.notes, notebook)]
    for part in said:
        while keys and keys[0][0] < part.line:
            yield keys.pop(0)[1]
        with _at(lesson, part.line):
            notes = _unlinked(to_html(part.told(lesson.shown, lesson.say), lesson.folder))
            _refuse_stars(notes)
            yield re.sub(r"<img\b[^>]*>", "", notes)
    yield from (told for _, told in keys)


def _refuse_stars(notes: str) -> None:
    """Raise BuildError for `**` that made nothing bold, which nobody can say."""
    words = _plain(re.sub(r"<(code|math)\b.*?</\1>", "", notes, flags=re.DOTALL))
    if "**" in words:
        near = words[max(0, words.index("**") - 20) :].split("\n")[0][:60]
        raise BuildError(f"`**` that makes nothing bold, in “{near}”: close it, or take it away")


def _keys(cells: list[NotebookNode], say: Say) -> Iterator[tuple[int, str]]:
    """Say of each key press of a slide what it shows, and on which line of the source that is."""
    later = [cell for cell in cells if cell.metadata.deck.get("later")]
    for cell in later:
        kind = cell.metadata.deck.kind.split()[0]
        told = _inline(_at_key("formula" if 'display="block"' in cell.source else kind, say), HERE)
        begins = html.escape(_beginning(html.unescape(_plain(cell.source))))
        yield cell.metadata.deck.line, f"<p>{told.replace('{words}', begins)}</p>"


def _at_key(kind: str, say: Say) -> str:
    """Say what the next key shows, Markdown, with a place for the first words of a paragraph."""
    match kind:
        case "formula":
            return say("**▸ Next** shows the formula")
        case "picture":
            return say("**▸ Next** shows the picture")
        case "widget":
            return say("**▸ Next** shows the widget")
        case "text":
            return say("**▸ Next** shows the print")
        case "code":
            return say("**▸ Next** shows the code")
        case "error":
            return say("**▸ Next** shows the error")
        case "shapes":
            return say("**▸ Next** shows the shapes")
        case "poll":
            return say("**▸ Next** shows the choices")
    return say("**▸ Next** shows “{words}”", words="{words}")


def _beginning(text: str) -> str:
    """Return the first words of a text, with dots where it goes on."""
    text = " ".join(text.split())
    begins = re.match(rf"(\s*({WORD})){{,{FIRST_WORDS}}}", text)[0]
    return f"{begins} …" if len(begins) < len(text) else text


def _leading(notes: list[Part], notebook: NotebookNode) -> list[Part]:
    """Return the sentences directly above a cell that says whose functions run."""
    return [
        sentence
        for sentence, part in pairwise(notes)
        if part.cell is not None and WHOSE in notebook.cells[part.cell].source
    ]


def _printed(output: NotebookNode) -> str:
    """Return what an output says in words; of a picture, a widget or a grid, nothing."""
    if output.output_type == "error":
        return f"{output.ename}: {output.evalue}"
    data = output.get("data", {})
    return output.get("text", "") or ("" if "image/png" in data else data.get("text/plain", ""))


@contextmanager
def _at(lesson: Lesson, line: int) -> Iterator[None]:
    """Name the place in the source of what goes wrong here."""
    try:
        yield
    except BuildError as error:
        raise BuildError(f"{lesson.name}, {lesson.source.where_line(line)}: {error}") from error


def _inline(markdown: str, folder: Path) -> str:
    return _unlinked(to_html(markdown, folder)).strip().removeprefix("<p>").removesuffix("</p>")


def _unlinked(page: str) -> str:
    """Take away links between lessons: a deck stands alone. It has its widgets' moments."""
    return re.sub(r'<a href="(?![a-z]+:|#moment:)[^>]*>(.*?)</a>', r"\1", page, flags=re.DOTALL)


def _plain(title: str) -> str:
    return re.sub("<[^>]+>", "", title)
