"""What people wrote, as HTML in which nothing of theirs is HTML: names, reasons, comments, rubrics.

A student chooses some of these words, so they are taken for text whatever they look like.
"""

import html
import re
from functools import cache
from xml.etree import ElementTree

from markdown_it import MarkdownIt
from mdit_py_plugins.dollarmath import dollarmath_plugin

from course import BuildError
from course.render import formula

# Controls, what turns the direction of the text behind it, and what is no character at all.
NO_TEXT = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff\ud800-\udfff]"
)
MARKDOWN = ("backticks", "emphasis", "escape", "fence", "list", "newline")  # no links, no pictures
LONGEST_NAME, LONGEST_FORMULA, LONGEST_MARKDOWN = 100, 300, 8_000  # letters
PARTS_OF_FORMULAS = {
    "math", "menclose", "mfrac", "mi", "mn", "mo", "mover", "mroot", "mrow", "mspace", "msqrt",
    "mstyle", "msub", "msubsup", "msup", "mtable", "mtd", "mtext", "mtr", "munder", "munderover",
}  # fmt: skip
NO_PART = {"href", "style", "class", "id"}  # attributes


def clean(text: object) -> str:
    """Take out what is no text: controls other than line breaks, and turns of direction."""
    return NO_TEXT.sub("", re.sub("\r\n?", "\n", str(text)))


def one_line(text: object) -> str:
    """Return it cleaned and in one line, for a terminal."""
    return " ".join(clean(text).split())


def count(n: int, what: str) -> str:
    """Say how many there are of what."""
    return f"{n} {what}{'' if n == 1 else 's'}"


def shorten(text: object) -> str:
    """Return it in one line that is not too long for a name."""
    line = one_line(text)
    return line if len(line) <= LONGEST_NAME else line[: LONGEST_NAME - 1] + "…"


def escape(text: object) -> str:
    """Write text in one line as HTML."""
    return html.escape(one_line(text))


def isolated(text: object) -> str:
    """Write text as HTML; however its letters run, the words around it stay where they are."""
    return f"<bdi>{escape(text)}</bdi>"


def name(text: object) -> str:
    """Write a name as HTML, shortened and isolated."""
    return isolated(shorten(text))


def prose(markdown: object, *, keeps_lines: bool = False) -> str:
    """Render the little Markdown that reasons and rubrics hold: code, emphasis, lists, formulas.

    Parameters
    ----------
    markdown
        What somebody wrote.
    keeps_lines
        Whether its line breaks mean something, as in a cell of a table.
    """
    text = clean(markdown)
    if len(text) > LONGEST_MARKDOWN:  # nobody wrote it to be read, and it might take long
        return f"<p>{html.escape(text)}</p>"
    return _markdown(keeps_lines).render(text)


@cache
def _markdown(keeps_lines: bool) -> MarkdownIt:
    markdown = MarkdownIt("zero", {"html": False, "breaks": keeps_lines}).enable([*MARKDOWN])
    # "from $5 to $6" holds no formula
    strict = {"allow_labels": False, "allow_space": False, "allow_digits": False}
    return markdown.use(dollarmath_plugin, double_inline=True, renderer=_formula, **strict)


def _formula(latex: str, options: dict) -> str:
    """Set a formula, or show its source where it is none, or holds more than a formula."""
    try:
        return _set(latex)
    except (BuildError, RecursionError):
        return f"<code>{escape(latex)}</code>"


def _set(latex: str) -> str:
    latex = latex.replace("<", r"\lt ").replace(">", r"\gt ")
    if "&" in latex or len(latex) > LONGEST_FORMULA:
        raise BuildError("a formula that nobody here would write")
    for part in ElementTree.fromstring(formula(latex, display=True)).iter():
        if part.tag.rpartition("}")[2] not in PARTS_OF_FORMULAS or NO_PART & part.attrib.keys():
            raise BuildError(f"a formula with {part.tag}")
    return formula(latex, display=False)
