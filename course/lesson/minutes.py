"""How long a lesson takes, reckoned from its source.

What a reader does is counted: words read, lines of code read, cells run, pictures looked at,
questions answered, widgets played with, and functions written, for which each exercise says its
own minutes. What each of these takes stands below, once, and is the same for all lessons.

Adults read English non-fiction silently at 238 words a minute, most of them at 175 to 300, and
more slowly where it is their second language (Brysbaert 2019, "How many words do we read per
minute?", Journal of Memory and Language 109, 104047). These texts are technical, and nearly every
sentence speaks of a number or a picture that one goes back to; so we take half of that. The
seconds are our own estimates, chosen for all lessons at once, so that the cores together come to
what newcomers took, within 5 %.
"""

import re
from collections.abc import Iterable
from typing import NamedTuple

from nbformat import NotebookNode

from course.lesson.sentences import Say

OPTIONAL, HARDER = "Optional", "A harder task"  # what headings of parts to leave out begin with
TURN = "Your turn"  # what the headings of other exercises begin with
ROUNDED_TO = 5  # minutes

WORDS_A_MINUTE = 120
LINE = 6  # seconds: to read a line of code, or the row of a table
RUN = 5  # to run a cell
PRINT = 15  # to read what it prints
PICTURE = 20  # to look at a drawing, a plot or a grid
FORMULA = 30  # one that stands on its own
SYMBOLS = 5  # a formula within a sentence
QUESTION = 60  # a *Predict*: to answer it before one goes on
WIDGET = 180  # to play with

TOLD = r"^\*(?:Easy|Medium|Hard), about (\d+) minutes\.\*"  # by an exercise, tries and all
STUB = re.compile(r".*\n +\.\.\.", re.DOTALL)  # the cells that they are spent on, and below
CHECK = re.compile(r"check\([^\n]*\)")
SHOWS_PICTURE = re.compile(r"plt\.show\(\)|plotting\.grid\(")
SHOWS_WIDGET = re.compile(r"\bwidgets\.(?!Goal\b)([A-Z]\w+)\(")


class Minutes(NamedTuple):
    """The minutes of a lesson's core and of the rest: optional parts, and a harder task."""

    core: int
    rest: int
    n_optional: int
    has_harder: bool

    def parts(self, say: Say = str.format) -> str:
        """Say what the rest is."""
        optional = say("the optional parts") if self.n_optional > 1 else say("the optional part")
        harder = say("the harder task")
        if self.n_optional and self.has_harder:
            return say("{optional} and {harder}", optional=optional, harder=harder)
        return optional * bool(self.n_optional) + harder * self.has_harder

    def told(self, say: Say = str.format) -> str:
        """Say how long the core takes, and the rest."""
        if not self.rest:
            return say("about {core} minutes", core=self.core)
        more = {"rest": self.rest, "parts": self.parts(say)}
        return say(
            "about {core} minutes, and about {rest} more for {parts}", core=self.core, **more
        )


def minutes(cells: Iterable[NotebookNode]) -> Minutes:
    """Reckon how long cells take, without outputs: those of the core, and the others."""
    core, rest = core_and_rest(cells)
    left_out = "\n".join(cell.source for cell in rest if cell.cell_type == "markdown")
    n_optional = len(re.findall(rf"^#+ {OPTIONAL}", left_out, re.MULTILINE))
    has_harder = bool(re.search(rf"^#+ {HARDER}", left_out, re.MULTILINE))
    return Minutes(_rounded(core), _rounded(rest), n_optional, has_harder)


def core_and_rest(cells: Iterable[NotebookNode]) -> tuple[list[NotebookNode], list[NotebookNode]]:
    """Part a lesson's cells: its core, and what a reader may leave out.

    That is a section whose heading begins with "Optional", its own sections with it, and the
    harder task.
    """
    core, rest, level = [], [], None
    for cell in cells:
        found = cell.cell_type == "markdown" and re.match(r"(#+) (.+)", cell.source)
        if found and (level is None or len(found[1]) <= level):
            level = len(found[1]) if found[2].startswith((OPTIONAL, HARDER)) else None
        (core if level is None else rest).append(cell)
    return core, rest


def seconds(cells: Iterable[NotebookNode]) -> float:
    """Reckon how long cells take, exactly as the constants say."""
    return sum(
        _seconds_of_code(cell.source) if cell.cell_type == "code" else seconds_of_text(cell.source)
        for cell in cells
    )


def seconds_of_text(text: str, *, question: float = QUESTION, formula: float = FORMULA) -> float:
    """Reckon how long Markdown takes to read, and what it asks for to do."""
    taken = 60.0 * sum(map(int, re.findall(TOLD, text, re.MULTILINE)))
    taken += question * len(re.findall(r"^\*Predict", text, re.MULTILINE))
    for pattern, each in (
        (r"\$\$.+?\$\$", formula),
        (r"\$[^$]+\$", SYMBOLS),
        (r"^\|[^\n]*", LINE),
        (r"!\[[^\]]*\]\([^)]*\)", PICTURE),
        (r"\]\([^)]*\)", 0),  # of a link, its words are read
    ):
        text, n_found = re.subn(pattern, " ", text, flags=re.DOTALL | re.MULTILINE)
        taken += each * n_found
    return taken + 60 * len(re.findall(r"\w[\w'’.-]*", text)) / WORDS_A_MINUTE


def _seconds_of_code(code: str) -> float:
    if STUB.fullmatch(code) or CHECK.fullmatch(code):
        return 0
    n_lines = sum(bool(line.strip()) for line in code.splitlines())
    n_pictures, n_widgets = len(SHOWS_PICTURE.findall(code)), len(SHOWS_WIDGET.findall(code))
    shown = PRINT * ("print(" in code) + PICTURE * n_pictures + WIDGET * n_widgets
    return LINE * n_lines + RUN + shown


def _rounded(cells: list[NotebookNode]) -> int:
    """Round to five minutes, and nothing that there is to none."""
    return max(ROUNDED_TO * round(seconds(cells) / 60 / ROUNDED_TO), ROUNDED_TO * bool(cells))
