"""What every face makes of a lesson: Markdown and formulas as HTML, outputs, widgets, fonts."""

import base64
import json
import mimetypes
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from urllib.parse import unquote
from xml.etree import ElementTree

from latex2mathml.converter import convert
from markdown_it import MarkdownIt
from mdit_py_plugins.dollarmath import dollarmath_plugin

from course import BuildError
from course.render.grids import GRID

PALETTE = Path(__file__).parent / "palette.css"
ANSWERS = Path(__file__).parent / "answers.js"  # with a style of the same name
WIDGET = "application/vnd.attnlib.widget+json"
SHOWN_FIRST = [WIDGET, GRID, "text/html", "image/svg+xml", "image/png", "text/plain"]
MATHML = "http://www.w3.org/1998/Math/MathML"
PARTS = {"mfrac": 2, "msub": 2, "msup": 2, "munder": 2, "mover": 2, "mroot": 2}  # of MathML
PARTS |= {"msubsup": 3, "munderover": 3}
RELATIONS = set("=≠≈≤≥<>∈→∼")
NAMED = "(?:cos|sin|tan|tanh|exp|log|ln)"  # functions, which stand upright
ENDS = "?!.,;:)，。、：；？！）”"
NEVER_FIRST = rf'(<span class="math inline">(?:(?!<span|<wbr).)*</math></span>[{ENDS}]+)'  # its end
SHORT = 24  # letters of a formula that need not be broken in a line, however narrow


# Markdown


def to_html(markdown: str, folder: Path) -> str:
    """Render Markdown: formulas as MathML, pictures of `folder` inside, lessons linked as pages.

    Raises
    ------
    BuildError
        If a formula does not parse, or a picture cannot be read or has no alt text.
    """
    html = _markdown().render(markdown).replace("<th></th>", "<td></td>")  # it heads nothing
    html = re.sub(
        NEVER_FIRST, r'<span style="white-space: nowrap">\1</span>', html, flags=re.DOTALL
    )
    html = re.sub(r'(?<=<a href=")([\w./-]+)\.ipynb(?=["#])', r"\1.html", html)
    if '<img src="' in html and 'alt=""' in html:
        raise BuildError("a picture has no alt text")
    return re.sub(
        r'(<img\b[^>]*?\bsrc=")([^"]+)', lambda m: m[1] + _inside(folder / unquote(m[2])), html
    )


def _markdown() -> MarkdownIt:
    markdown = MarkdownIt("commonmark").enable("table")
    return markdown.use(dollarmath_plugin, double_inline=True, renderer=_formula)


def _formula(latex: str, options: dict) -> str:
    return formula(latex, display=options["display_mode"])


def _inside(picture: Path) -> str:
    """Return a picture's bytes as an address of its own."""
    try:
        data = base64.b64encode(picture.read_bytes()).decode()
    except OSError as error:
        message = f"the picture {picture.name} cannot be read: {error}"
        raise BuildError(message, quote=picture.name) from error
    return f"data:{mimetypes.guess_type(picture.name)[0]};base64,{data}"


# Formulas


def formula(latex: str, *, display: bool) -> str:
    """Set a formula as MathML; `display` says if it has a line of its own.

    A long one in a line is set in pieces that each begin with a relation, so that it can wrap; all
    but the first are of the class `goes-on`.

    Raises
    ------
    BuildError
        If it does not parse, or only half.
    """
    try:
        braces = re.findall(r"(?<!\\)[{}]", latex)
        if braces.count("{") != braces.count("}"):
            raise ValueError("a brace stands alone")
        mathml = convert(latex, display="block" if display else "inline")
        _refuse_half(ElementTree.fromstring(mathml))
        # Browsers know sans serif in a formula only as letters of its own, and stretch every bar.
        mathml = re.sub(r'<mi mathvariant="sans-serif">([A-Z])</mi>', _sans, mathml)
        mathml = mathml.replace("<mo>&#x0221E;</mo>", "<mi>&#x0221E;</mi>")  # a number, no sign
        # As letters a screen reader spells it: d, k, e, y. Two are indices, i and j, but for one.
        mathml = re.sub("<mrow>((?:<mi>[a-z]</mi>){3,}|<mi>u</mi><mi>p</mi>)</mrow>", _word, mathml)
        mathml = re.sub("<mo>(&#x02016;|&#x0007C;)</mo>", r'<mo stretchy="false">\1</mo>', mathml)
        mathml = _apart(mathml)
        mathml = re.sub("<msqrt>(.*?)</msqrt>", _root, mathml)
    except Exception as error:  # whatever a parser of LaTeX raises
        message = f"the formula {latex.strip()} does not parse: {error!r}"
        raise BuildError(message, quote=latex.strip()) from error
    return mathml if display else _in_pieces(mathml)


def _sans(letter: re.Match[str]) -> str:
    return f"<mi>{chr(0x1D5A0 + ord(letter[1]) - ord('A'))}</mi>"


def _word(letters: re.Match[str]) -> str:
    return f"<mi>{re.sub('</?mi>', '', letters[1])}</mi>"


def _root(below: re.Match[str]) -> str:
    """Give what stands below a root the height of its sign, which else hangs below the line."""
    if "<mfrac" in below[1]:
        raise ValueError("the root's sign has one size, for what stands in one line")
    height = "0.95em" if "<msup" in below[1] else "0.8em"
    padded = f'<mpadded height="{height}" depth="0.2em">{below[1]}</mpadded>'
    return f"<msqrt>{padded}</msqrt>"


def _apart(mathml: str) -> str:
    """Set a thin space between a function's name and letters beside it, as TeX does.

    MathML takes the name for a letter like others. Before a bracket and in an index it has none.
    """
    space, alone = '<mspace width="0.167em" />', f"(?<!<msub>)(?<!<msup>)(<mi>{NAMED}</mi>)"
    mathml = re.sub(rf"{alone}(?=<m(?:i|n|sub|sup|row|frac|sqrt)\b)", rf"\1{space}", mathml)
    before = r"(</m(?:i|n|sub|sup|row|frac|sqrt)>|<mo[^>]*>(?:&#x02016;|&#x00029;)</mo>)"
    return re.sub(rf"{before}(?=<mi>{NAMED}</mi>)", rf"\1{space}", mathml)


def _refuse_half(math: ElementTree.Element) -> None:
    """Raise ValueError where the converter let something pass that it did not understand."""
    for part in math.iter():
        name, text = part.tag.rpartition("}")[2], part.text or ""
        if name in PARTS and len(part) != PARTS[name]:
            raise ValueError(f"{name} has {len(part)} parts, not {PARTS[name]}")
        if name == "mi" and text.startswith("\\"):
            raise ValueError(f"{text} is not known")


def _in_pieces(mathml: str) -> str:
    """Cut a long formula before its relations, as TeX does: browsers wrap between formulas only."""
    math = ElementTree.fromstring(mathml)
    (row,) = math
    pieces = [[]]
    for part in row:
        relates = part.tag == f"{{{MATHML}}}mo" and part.text in RELATIONS
        if relates and pieces[-1]:
            pieces.append([])
        pieces[-1].append(part)
    if len(pieces) == 1 or len("".join(math.itertext())) <= SHORT:
        return mathml
    ElementTree.register_namespace("", MATHML)
    return "<wbr>".join(_piece(parts, first=parts is pieces[0]) for parts in pieces)


def _piece(parts: list[ElementTree.Element], *, first: bool) -> str:
    attributes = {"display": "inline"} | ({} if first else {"class": "goes-on"})
    math = ElementTree.Element(f"{{{MATHML}}}math", attributes)
    row = ElementTree.SubElement(math, f"{{{MATHML}}}mrow")
    row.extend(parts)
    return ElementTree.tostring(math, encoding="unicode")


def plain(title: str) -> str:
    """Return a title as text for where only text may stand."""
    html = MarkdownIt("commonmark").renderInline(title)
    return re.sub("<[^>]+>", "", html)


# Outputs and widgets


def refuse_unshowable(output: Mapping) -> None:
    """Raise BuildError for what a page cannot show, or could not tell to somebody blind."""
    data = output.get("data", {"text/plain": ""})
    if not set(data) & set(SHOWN_FIRST):
        raise BuildError(f"a page cannot show an output of {', '.join(data) or 'nothing'}")
    picture = next(kind for kind in SHOWN_FIRST if kind in data) in (WIDGET, GRID, "image/png")
    if picture and not output["metadata"].get("image/png", {}).get("alt"):
        raise BuildError("a picture has no alt text")


def in_script(state: dict) -> str:
    """Write JSON so that no text in it can end the script element that holds it."""
    return json.dumps(state, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")


def has_widgets(cells: Iterable[Mapping]) -> bool:
    """Tell whether any cell shows a widget."""
    outputs = (output for cell in cells for output in cell.get("outputs", []))
    return any(WIDGET in output.get("data", {}) for output in outputs)
