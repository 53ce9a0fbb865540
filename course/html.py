"""`python -m course html`: write a lesson as one page that needs neither kernel nor network.

Pictures, formulas, widgets and their code are inside the file. A widget is recorded in the notebook
as its class and its numbers; the page brings it to life with the bundle that notebooks use too.
"""

import argparse
import base64
import json
import mimetypes
import re
import sys
from collections.abc import Callable
from pathlib import Path
from urllib.parse import unquote
from xml.etree import ElementTree

import nbformat
from latex2mathml.converter import convert
from markdown_it import MarkdownIt
from mdit_py_plugins.dollarmath import dollarmath_plugin
from nbconvert import HTMLExporter
from pygments.formatters import HtmlFormatter
from traitlets.config import Config

from course.build import NOTEBOOKS, ROOT, write_if_changed
from course.source import BuildError, choose_lessons, find_lessons, read_lesson

PAGES = ROOT / "build" / "html"
PALETTE = Path(__file__).parent / "page" / "palette.css"
STYLE = Path(__file__).parent / "page" / "page.css"
BUNDLE = ROOT / "attnlib" / "widgets" / "widgets.js"
WIDGET = "application/vnd.attnlib.widget+json"
PARTS = {"mfrac": 2, "msub": 2, "msup": 2, "munder": 2, "mover": 2, "mroot": 2}  # of MathML
PARTS |= {"msubsup": 3, "munderover": 3}
SHOWN_FIRST = [WIDGET, "text/html", "image/svg+xml", "image/png", "text/plain"]


def page(notebook: Path, bundle: Path = BUNDLE) -> str:
    """Make one self-contained page from a committed notebook.

    Raises
    ------
    BuildError
        If a formula does not parse, a picture is missing, or the notebook cannot be read; it names
        the cell.
    """
    content = read(notebook)
    for cell in content.cells:
        try:
            if cell.cell_type == "markdown":
                cell.source = worded(cell.source, notebook.parent)  # HTML, which is passed on
            for output in cell.get("outputs", []):
                refuse_unshowable(output)
        except BuildError as error:
            raise BuildError(f"{place(notebook, cell.id)}: {error}") from error
    exporter = HTMLExporter(
        config=Config({"NbConvertBase": {"display_data_priority": SHOWN_FIRST}}),
        extra_template_basedirs=[str(Path(__file__).parent)],
        template_name="page",
        filters={"in_script": in_script},
    )
    light, dark = (HtmlFormatter(style=style) for style in ("default", "github-dark"))
    html, _ = exporter.from_notebook_node(
        content,
        resources={
            "metadata": {"name": _title(content)},
            "style": PALETTE.read_text(encoding="utf-8") + STYLE.read_text(encoding="utf-8"),
            "light": light.get_style_defs(".highlight"),
            "dark": dark.get_style_defs(".highlight"),
            "bundle": bundle.read_text(encoding="utf-8") if _has_widgets(content) else "",
        },
    )
    return html


def read(notebook: Path) -> nbformat.NotebookNode:
    """Read a committed notebook.

    Raises
    ------
    BuildError
        If it is not there, or is no notebook; it says what makes it.
    """
    try:
        content = nbformat.read(notebook, as_version=4)
        nbformat.validate(content)
        if not content.cells:
            raise ValueError("it has no cells")
    except Exception as error:  # a broken notebook breaks its reader in many ways
        command = f"python -m course build {notebook.stem} makes it"
        told = str(error).strip().partition("\n")[0]
        raise BuildError(f"reading {notebook.name}: {told}; {command}") from error
    return content


def place(notebook: Path, cell_id: str) -> str:
    """Lead to a cell: the lesson, the cell, and the line of its source where that is at hand."""
    source = notebook.parent / "src" / f"{notebook.stem}.md"
    if source.exists():
        lesson = read_lesson(source)
        for index, cell in enumerate(lesson.notebook.cells):
            if cell.id == cell_id:
                return f"{notebook.stem}, {lesson.where(index)}"
    return f"{notebook.stem}, cell {cell_id}"


def worded(source: str, folder: Path) -> str:
    """Render Markdown: formulas as MathML, pictures of `folder` inside, lessons linked as pages.

    Raises
    ------
    BuildError
        If a formula does not parse, or a picture cannot be read or has no alt text.
    """
    html = _markdown().render(source).replace("<th></th>", "<td></td>")  # it heads nothing
    html = re.sub(r'(?<=<a href=")([\w./-]+)\.ipynb(?=["#])', r"\1.html", html)
    if '<img src="' in html and 'alt=""' in html:
        raise BuildError("a picture has no alt text")
    return re.sub(
        r'(<img\b[^>]*?\bsrc=")([^"]+)', lambda m: m[1] + _inside(folder / unquote(m[2])), html
    )


def pictures(source: str) -> list[str]:
    """List the pictures that Markdown shows, as `worded` finds them."""
    html = _markdown(_no_formula).render(source)
    return [unquote(address) for address in re.findall(r'<img\b[^>]*?\bsrc="([^"]+)', html)]


def _markdown(render_formula: Callable[[str, dict], str] | None = None) -> MarkdownIt:
    markdown = MarkdownIt("commonmark").enable("table")
    return markdown.use(dollarmath_plugin, double_inline=True, renderer=render_formula or formula)


def _no_formula(latex: str, options: dict) -> str:
    return ""


def refuse_unshowable(output: nbformat.NotebookNode) -> None:
    """Raise BuildError for what the page cannot show, or could not tell to somebody blind."""
    data = output.get("data", {"text/plain": ""})
    if not set(data) & set(SHOWN_FIRST):
        raise BuildError(f"a page cannot show an output of {', '.join(data) or 'nothing'}")
    picture = next(kind for kind in SHOWN_FIRST if kind in data) in (WIDGET, "image/png")
    if picture and not output.metadata.get("image/png", {}).get("alt"):
        raise BuildError("a picture has no alt text")


def formula(latex: str, options: dict) -> str:
    """Set a formula as MathML; `options["display_mode"]` says if it has a line of its own.

    Raises
    ------
    BuildError
        If it does not parse, or only half.
    """
    try:
        braces = re.findall(r"(?<!\\)[{}]", latex)
        if braces.count("{") != braces.count("}"):
            raise ValueError("a brace stands alone")
        mathml = convert(latex, display="block" if options["display_mode"] else "inline")
        _refuse_half(ElementTree.fromstring(mathml))
        # Browsers know sans serif in a formula only as letters of its own, and stretch every bar.
        mathml = re.sub(r'<mi mathvariant="sans-serif">([A-Z])</mi>', _sans, mathml)
        mathml = mathml.replace("<mo>&#x0221E;</mo>", "<mi>&#x0221E;</mi>")  # a number, no sign
        mathml = re.sub("<mo>(&#x02016;|&#x0007C;)</mo>", r'<mo stretchy="false">\1</mo>', mathml)
    except Exception as error:  # whatever a parser of LaTeX raises
        raise BuildError(f"the formula {latex.strip()} does not parse: {error!r}") from error
    return mathml


def _sans(letter: re.Match[str]) -> str:
    return f"<mi>{chr(0x1D5A0 + ord(letter[1]) - ord('A'))}</mi>"


def _refuse_half(math: ElementTree.Element) -> None:
    """Raise ValueError where the converter let something pass that it did not understand."""
    for part in math.iter():
        name, text = part.tag.rpartition("}")[2], part.text or ""
        if name in PARTS and len(part) != PARTS[name]:
            raise ValueError(f"{name} has {len(part)} parts, not {PARTS[name]}")
        if name == "mi" and text.startswith("\\"):
            raise ValueError(f"{text} is not known")


def _inside(picture: Path) -> str:
    """Return a picture's bytes as an address of its own."""
    try:
        data = base64.b64encode(picture.read_bytes()).decode()
    except OSError as error:
        raise BuildError(f"the picture {picture.name} cannot be read: {error}") from error
    return f"data:{mimetypes.guess_type(picture.name)[0]};base64,{data}"


def in_script(state: dict) -> str:
    """Write JSON so that no text in it can end the script element that holds it."""
    return json.dumps(state, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")


def _title(content: nbformat.NotebookNode) -> str:
    heading = re.search(r"<h1>(.*?)</h1>", content.cells[0].source)
    return re.sub("<[^>]+>", "", heading[1]) if heading else "Attention, step by step"


def _has_widgets(content: nbformat.NotebookNode) -> bool:
    outputs = (output for cell in content.cells for output in cell.get("outputs", []))
    return any(WIDGET in output.get("data", {}) for output in outputs)


def main(argv: list[str] | None = None) -> int:
    """Run the command line; return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m course html",
        description="Write lessons as pages, build/html/NN_name.html: each is one file that needs "
        "neither kernel nor network, and its widgets move.",
        epilog="Exit code: 0 if every page was written, 1 if one was not (it stays as it was), 2 "
        "for a wrong option.",
    )
    parser.add_argument(
        "lessons",
        metavar="LESSON",
        nargs="*",
        help="a number (04), a name (04_self_attention) or a path; all lessons if none is given",
    )
    arguments = parser.parse_args(argv)
    failed = False
    try:
        sources = choose_lessons(find_lessons(NOTEBOOKS / "src"), arguments.lessons)
    except BuildError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    PAGES.mkdir(parents=True, exist_ok=True)
    for source in sources:
        target = PAGES / f"{source.stem}.html"
        try:
            data = page(NOTEBOOKS / f"{source.stem}.ipynb").encode()
        except BuildError as error:
            print(f"error: {error}", file=sys.stderr)
            failed = True
            continue
        done = "written" if write_if_changed(target, data) else "unchanged"
        print(f"{target.relative_to(ROOT)}: {done}, {len(data) / 1000:.0f} kB")
    return int(failed)
