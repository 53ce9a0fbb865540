"""`python -m course slides`: write a lesson as a deck, one file that needs no network.

What a slide shows is marked in the lesson's source (`course.marks`); what it shows is taken from
the executed notebook. Prose that is not shown becomes the speaker's notes. reveal.js turns the
pages; fonts, formulas, pictures, widgets and reveal.js itself are inside the file.
"""

import argparse
import hashlib
import html
import io
import re
import sys
import tempfile
from base64 import b64decode
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path

import nbformat
from nbconvert import HTMLExporter
from nbformat import NotebookNode
from PIL import Image
from pygments.formatters import HtmlFormatter
from traitlets.config import Config

from course.browser import INSTALL, Browser, find_chromium
from course.build import NOTEBOOKS, ROOT
from course.fonts import REVEAL, font_faces
from course.html import (
    BUNDLE,
    PALETTE,
    SHOWN_FIRST,
    WIDGET,
    in_script,
    pictures,
    refuse_unshowable,
    worded,
)
from course.lecture import Part, Slide, read_slides
from course.marks import without_marks
from course.source import (
    BuildError,
    Lesson,
    choose_lessons,
    find_lessons,
    read_lesson,
    read_text,
)

DECKS = ROOT / "build" / "slides"
TEMPLATES = Path(__file__).parent
STYLE = TEMPLATES / "deck" / "deck.css"
DECIDING = (  # packages whose version can change a byte of a deck
    *("fonttools", "jinja2", "jupytext", "latex2mathml", "markdown-it-py", "matplotlib"),
    *("mdit-py-plugins", "nbconvert", "nbformat", "pygments", "sphinx-revealjs", "ziamath"),
)
MODULES = ("fonts", "html", "lecture", "marks", "slides", "source")  # and these of ours
OUTPUTS = ("text", "picture", "widget", "error")
WIDE = 1.9  # a picture that is wider, per height, gets the slide's whole width


def deck(source: Path, *, bundle: Path = BUNDLE, measured: bool = False) -> str:
    """Make the deck of a lesson, one self-contained page; it keeps whether it will be measured.

    Raises
    ------
    BuildError
        Naming cell and line, if a mark is wrong, the notebook is not that of the source, what is
        to be shown is not there, or a formula or picture is broken.
    """
    lesson = read_lesson(source)
    slides = read_slides(lesson)
    if not slides:
        raise BuildError(f"{lesson.name} has no slide marks, so there is no deck of it")
    notebook = _notebook_of(lesson)
    cells = [cell for slide in _timed(slides) for cell in _cells(slide, lesson, notebook)]
    content = nbformat.v4.new_notebook(cells=cells)
    exporter = HTMLExporter(
        config=Config({"NbConvertBase": {"display_data_priority": SHOWN_FIRST}}),
        extra_template_basedirs=[str(TEMPLATES)],
        extra_template_paths=[str(TEMPLATES)],  # one template extends the other
        template_name="deck",
        filters={"in_script": in_script},
    )
    has_widgets = any(WIDGET in out.get("data", {}) for c in cells for out in c.get("outputs", []))
    page, _ = exporter.from_notebook_node(
        content,
        resources={
            "metadata": {"name": _plain(cells[0].metadata.deck.opens.title)},
            "made_from": digest(source, bundle=bundle, measured=measured),
            "reveal_style": (REVEAL / "dist" / "reveal.css").read_text(encoding="utf-8"),
            "reveal": [
                (REVEAL / "dist" / "reveal.js").read_text(encoding="utf-8"),
                (REVEAL / "plugin" / "notes" / "notes.js").read_text(encoding="utf-8"),
            ],
            "style": PALETTE.read_text(encoding="utf-8") + STYLE.read_text(encoding="utf-8"),
            "script": (TEMPLATES / "deck" / "deck.js").read_text(encoding="utf-8"),
            "light": HtmlFormatter(style="default").get_style_defs(".highlight"),
            "dark": HtmlFormatter(style="github-dark").get_style_defs(
                'html[data-theme="dark"] .highlight'
            ),
            "bundle": bundle.read_text(encoding="utf-8") if has_widgets else "",
            "minutes": sum(slide.minutes for slide in slides),
        },
    )
    _refuse_loads(lesson, page)
    return page.replace("/* fonts */", font_faces(page), 1)


def digest(source: Path, *, bundle: Path = BUNDLE, measured: bool = False) -> str:
    """Return a number for all that a deck is made from; another number, another deck."""
    notebook = source.parent.parent / f"{source.stem}.ipynb"
    made_from = [source, notebook, bundle]
    made_from += [notebook.parent / picture for picture in pictures(read_text(source))]
    made_from += [TEMPLATES / f"{module}.py" for module in MODULES]
    made_from += sorted(path for name in ("deck", "page") for path in (TEMPLATES / name).iterdir())
    number = hashlib.sha256(b"measured" if measured else b"")
    for path in made_from:
        number.update(path.read_bytes() if path.is_file() else b"")
    for package in DECIDING:
        number.update(f"{package} {version(package)}".encode())
    return number.hexdigest()


def _refuse_loads(lesson: Lesson, page: str) -> None:
    """Raise BuildError for what a browser would fetch from elsewhere."""
    shown = re.sub(r"<(script|style)\b.*?</\1>", "", page, flags=re.DOTALL)
    loads = re.findall(
        r'<(?!a\b)\w[^>]*?\b(?:src|srcset|href|data|poster)="(?!data:)([^"]+)"', shown
    )
    if loads:
        raise BuildError(f"{lesson.name}: a deck is one file, and this would load {loads[0]}")


def _notebook_of(lesson: Lesson) -> NotebookNode:
    """Read the notebook that was made from this source, and from no other state of it."""
    path = lesson.path.parent.parent / f"{lesson.name}.ipynb"
    command = f"python -m course build {lesson.name} makes it"
    try:
        notebook = nbformat.read(path, as_version=4)
    except Exception as error:  # a broken notebook breaks its reader in many ways
        told = str(error).strip().partition("\n")[0]
        raise BuildError(f"reading {path.name}: {told}; {command}") from error
    sources = [cell.source for cell in notebook.cells]
    if sources != [cell.source for cell in lesson.notebook.cells]:
        raise BuildError(f"{path.name} was not made from {lesson.path.name} as it is; {command}")
    return notebook


def _timed(slides: list[Slide]) -> Iterator[tuple[Slide, float, int]]:
    """Go through slides with the minute at which each begins, and its number."""
    minute = 0.0
    for number, slide in enumerate(slides, start=1):
        yield slide, minute, number
        minute += slide.minutes


def _cells(
    timed: tuple[Slide, float, int], lesson: Lesson, notebook: NotebookNode
) -> Iterator[NotebookNode]:
    """Make the cells of one slide: the first opens it, the last closes it."""
    slide, minute, number = timed
    folder = lesson.path.parent.parent
    shown = [cell for part in slide.shown for cell in _shown(part, lesson, notebook)]
    if not shown:
        shown = [_text_cell("", Part(slide.line))]
    kinds = {cell.metadata.deck.kind for cell in shown}
    exercise = slide.title.startswith("Your turn")
    with _at(lesson, slide.line):
        title = _inline(slide.title, folder)
        section = "" if slide.title.endswith("?") else slide.section  # it may be the answer
        section = f"Try it: {_number(slide.minutes)} minutes" if exercise else section
        section = _inline(section, folder)
    shown[0].metadata.deck.opens = {
        "number": number,
        "line": slide.line,
        "title": title,
        "section": section if section != title else "",
        "seconds": round(slide.minutes * 60),
        "kinds": " ".join(sorted(kinds)),
        "exercise": exercise,
    }
    shown[-1].metadata.deck.closes = {
        "minutes": _number(slide.minutes),
        "minute": _number(minute),
        "notes": "\n".join(_notes(slide, lesson, notebook)),
    }
    for place, cell in enumerate(shown, start=1):
        cell.id = f"slide-{number}-{place}"
        yield cell


def _shown(part: Part, lesson: Lesson, notebook: NotebookNode) -> Iterator[NotebookNode]:
    """Make what a part shows: a text, or of a code cell its code and its outputs, one by one."""
    with _at(lesson, part.line):
        if part.cell is None:
            yield _text_cell(_unlinked(worded(part.text, lesson.path.parent.parent)), part)
            return
        cell = notebook.cells[part.cell]
        if "code" in part.shows:
            yield _cell_part(_code(cell, part), [], "code", part)
        asked = set(part.shows) - {"code"}
        wanted = asked or (set() if part.shows else set(OUTPUTS))
        outputs = [output for output in cell.outputs if _kind(output) in wanted]
        absent = asked - set(map(_kind, outputs))
        if absent or not (part.shows or outputs):
            what = " and ".join(sorted(absent)) or "output"
            raise BuildError(f"showing its {what}: the cell has none")
        for output in outputs:
            refuse_unshowable(output)
            yield _cell_part("", [output], _layout(output), part)


def _code(cell: NotebookNode, part: Part) -> str:
    lines = cell.source.splitlines()
    first, last = part.lines or (1, len(lines))
    if last > len(lines):
        raise BuildError(f"showing lines {first}-{last} of a cell that has {len(lines)}")
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
    printed = source + "".join(map(_printed, outputs))
    columns = max(map(len, printed.splitlines()), default=0)
    cell.metadata.deck = NotebookNode(kind=kind, later=part.later, line=part.line, columns=columns)
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
    """Tell a wide picture, in base 64, from others."""
    try:
        width, height = Image.open(io.BytesIO(b64decode(data))).size
    except (ValueError, OSError) as error:
        raise BuildError(f"a picture cannot be read: {error}") from error
    return "picture wide" if width / height >= WIDE else "picture"


def _notes(slide: Slide, lesson: Lesson, notebook: NotebookNode) -> Iterator[str]:
    """Go through what the speaker says: prose, and what cells print that are not shown."""
    for part in slide.notes:
        if part.cell is None:
            with _at(lesson, part.line):
                said = _unlinked(worded(part.text, lesson.path.parent.parent))
                yield re.sub(r"<img\b[^>]*>", "", said)
            continue
        for output in notebook.cells[part.cell].get("outputs", []):
            if printed := _printed(output).rstrip():
                yield f'<pre style="white-space: pre-wrap">{html.escape(printed)}</pre>'


def _printed(output: NotebookNode) -> str:
    """Return what an output says in words; of a picture or a widget, nothing."""
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
        raise BuildError(f"{lesson.name}, {lesson.where_line(line)}: {error}") from error


def _inline(markdown: str, folder: Path) -> str:
    return _unlinked(worded(markdown, folder)).strip().removeprefix("<p>").removesuffix("</p>")


def _unlinked(page: str) -> str:
    """Take away links between lessons: a deck stands alone."""
    return re.sub(r'<a href="(?![a-z]+:)[^>]*>(.*?)</a>', r"\1", page, flags=re.DOTALL)


def _plain(title: str) -> str:
    return re.sub("<[^>]+>", "", title)


def _number(minutes: float) -> str:
    return f"{minutes:g}"


def write_deck(source: Path, folder: Path, browser: Browser | None) -> str:
    """Write the deck of a lesson if it is not up to date; return what there is to say.

    Raises
    ------
    BuildError
        If it cannot be made, or a slide overflows; the deck that was there stays.
    """
    target = folder / f"{source.stem}.html"
    measured = browser is not None
    if target.exists() and _made_from(target) == digest(source, measured=measured):
        return "up to date"
    page = deck(source, measured=measured)
    with tempfile.TemporaryDirectory(dir=folder, prefix=".") as beside:
        new = Path(beside) / target.name
        new.write_text(page, encoding="utf-8")
        if browser:
            _refuse_overflow(source, browser.overflows(new))
        new.replace(target)
    n_slides, minutes = page.count("<section "), re.search(r'data-minutes="([\d.]+)"', page)[1]
    size = len(page.encode()) / 1e6
    return f"written, {n_slides} slides, {float(minutes):g} minutes, {size:.2f} MB"


def write_handout(source: Path, folder: Path, browser: Browser) -> str:
    """Print a lesson's deck if its PDF is not newer; return what there is to say."""
    if current_handout(source, folder):
        return "handout up to date"
    pdf = folder / f"{source.stem}.pdf"
    browser.print_pdf(folder / f"{source.stem}.html", pdf)
    return f"handout written, {pdf.stat().st_size / 1e6:.2f} MB"


def current_deck(source: Path, folder: Path) -> Path | None:
    """Return where a lesson's deck is, if it is there and of the lesson as it is."""
    page = folder / f"{source.stem}.html"
    states = {digest(source, measured=measured) for measured in (True, False)}
    return page if page.exists() and _made_from(page) in states else None


def current_handout(source: Path, folder: Path) -> Path | None:
    """Return where a lesson's handout is, if it is there and of the lesson as it is."""
    page, pdf = current_deck(source, folder), folder / f"{source.stem}.pdf"
    there = page and pdf.exists() and pdf.stat().st_mtime_ns >= page.stat().st_mtime_ns
    return pdf if there else None


def with_slides(sources: Iterable[Path]) -> list[Path]:
    """Keep the lessons whose source has slide marks."""
    return [source for source in sources if without_marks(text := read_text(source))[0] != text]


def _made_from(page: Path) -> str:
    with page.open(encoding="utf-8") as lines:
        head = lines.read(1000)
    found = re.search(r'data-made-from="(\w+)"', head)
    return found[1] if found else ""


def _refuse_overflow(source: Path, found: list[tuple[int, str]]) -> None:
    lesson = read_lesson(source)
    if found:
        told = [f"{lesson.name}, {lesson.where_line(line)}: {what}" for line, what in found]
        raise BuildError("\n  ".join(["what does not fit on its slide:", *told]))


def main(argv: list[str] | None = None) -> int:
    """Run the command line; return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m course slides",
        description="Write lessons as decks, build/slides/NN_name.html: each is one file that "
        "needs no network. Slides are marked in the lessons' sources; where Chromium is "
        "installed, it is measured that none overflows.",
        epilog="Exit code: 0 if every deck is there, 1 if one could not be made (it stays as it "
        "was), 2 for a wrong option, 130 after Ctrl-C.",
    )
    parser.add_argument(
        "lessons",
        metavar="LESSON",
        nargs="*",
        help="a number (04), a name (04_self_attention) or a path; all that have slides if none is "
        "given",
    )
    parser.add_argument(
        "--pdf", action="store_true", help="print handouts, build/slides/NN_name.pdf, as well"
    )
    arguments = parser.parse_args(argv)
    try:
        sources = choose_lessons(find_lessons(NOTEBOOKS / "src"), arguments.lessons)
        if not arguments.lessons:
            sources = with_slides(sources)
        if arguments.pdf and not find_chromium():
            raise BuildError(f"printing handouts: {INSTALL}")
    except BuildError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    try:
        with Browser() as browser:
            failed = _write_all(sources, browser, pdf=arguments.pdf)
    except KeyboardInterrupt:
        print("stopped: what was written is whole, the rest is as it was", file=sys.stderr)
        return 130
    if not find_chromium():
        print("Without Chromium it was not measured whether a slide overflows.", file=sys.stderr)
    return int(failed)


def _write_all(sources: list[Path], browser: Browser, *, pdf: bool) -> bool:
    """Write decks, and handouts; report on each, and return if any could not be made."""
    failed = False
    for source in sources:
        try:
            DECKS.mkdir(parents=True, exist_ok=True)
            done = [write_deck(source, DECKS, browser if find_chromium() else None)]
            if pdf:
                done.append(write_handout(source, DECKS, browser))
            print(f"build/slides/{source.stem}: {'; '.join(done)}", flush=True)
        except (BuildError, OSError) as error:
            print(f"error: {error}", file=sys.stderr)
            failed = True
    return failed


if __name__ == "__main__":
    sys.exit(main())
