"""Finds the cell because of which a function could not do its work.

Code that ran on a student's machine may miss something here. What a student is told names the
notebook's own cell, and the package or the name that was to come of it: words of the notebook, and
none that a call made up.
"""

import itertools
import re
from collections.abc import Iterable, Sequence

from course.grading.oddities import MISSING_NAME, MOST_LETTERS, STAR, fault, instead
from course.grading.replies import Ran, Reply
from course.grading.submission import Submission

NEARLY = "right but for an edge"  # a verdict
UNTRIED = {"not attempted", "missing"}  # and other ones
MISSING_PACKAGE = re.compile(r"No module named '([A-Za-z_]\w{0,39})")
BLAMED = re.compile(r"((?:Code c|C)ell \d+) of the notebook")
NOT_HERE = "`{0}` is not part of this homework: there are NumPy, `attnlib` and Python itself."
GONE = (
    "Code cell {} of the notebook that was handed out is not there as it was, and `{}` was to come "
    "of it. Put it back."
)
LEFT_OUT = {  # of a cell that ended the sandbox: what it did, and what to do about it
    "timed out": ("took too long", "Is there a loop that does not end?"),
    "late": ("was not done in time", "Does it wait, for input or asleep?"),
    "out of memory": (
        "left no memory to the functions",
        "Keep less of it: `del` what they do not need, or make it smaller.",
    ),
    "exited": ("ended Python", "Leave out what does so: an `exit`, say."),
    "crashed": ("made Python crash", "Leave out what does so."),
    "bad result": ("wrote to where only the grader writes", "Leave out what does so."),
}
MOST_FAILED = 20  # cells that are searched for a name
MOST_NAMES = 500  # of a notebook that a reason may name, so that no reason tells much else
NAMES = re.compile(r"[^\W\d]\w{0,39}")
IMPORTS = re.compile(r"^[ \t]*(?:>>> )?(?:import|from|try: import)\b[^\n]{0,300}", re.MULTILINE)


def cause(reply: Reply, submission: Submission, ran: Ran) -> str:
    """Say which cell is to blame for what a function raised; nothing where none is."""
    cells = submission.cells
    if found := MISSING_PACKAGE.match(reply.words):
        return _absent(found[1], cells)
    found = MISSING_NAME.match(reply.words) if reply.name == "NameError" else None
    failed = _failed(ran, submission)
    blamed = [cells[index] for index in failed]
    for makes, among in ((_makes(found[1]), blamed), (STAR, cells)) if found else ():
        named = f"`{found[1]}`" if found[1] in _names(among) else "a name"
        for index, how in itertools.islice(failed.items(), MOST_FAILED):
            if makes.search(cells[index][:MOST_LETTERS]) and (makes is STAR or named != "a name"):
                return _told(index, how, f"and {named} was to come of it.")
    return ""


def gone(replies: Iterable[Reply], submission: Submission, handed_out: Sequence[str]) -> str:
    """Say which cell that was handed out is gone with a name that a call missed; or nothing.

    Parameters
    ----------
    replies, submission
        What came of the calls, of which the first that raised is looked at; what was handed in.
    handed_out
        The code that students got, cell by cell: no other names are told.
    """
    reply = next((one for one in replies if one.kind == "raised"), None)
    found = MISSING_NAME.match(reply.words) if reply and reply.name == "NameError" else None
    makes = _makes(found[1]) if found else None
    at = next((i for i, one in enumerate(handed_out, 1) if makes and makes.search(one)), 0)
    if not at or any(makes.search(one.source[:MOST_LETTERS]) for one in submission.all_cells):
        return ""
    return GONE.format(at, found[1])


def why_missing(name: str, submission: Submission, ran: Ran) -> tuple[str, str]:
    """Say why there is no such function: a verdict, and the reason."""
    name_here = re.escape(name)
    made = re.compile(rf"^[ \t]*(?:async +)?def +{name_here}\b|^{name_here} *=", re.M)
    failed = _failed(ran, submission)
    for index, source in enumerate(submission.cells):
        if index not in failed or name not in source or not made.search(source):
            continue
        words = _told(index, failed[index], f"so {name} is not there.")
        if index in ran.ended:
            return ran.ended[index], words
        is_syntax = any(at == index and kind == "syntax" for at, kind, *_ in ran.told)
        return ("syntax error" if is_syntax else "exception"), words
    words = f"The notebook has no function called {name}. {instead(name, submission, ran)}"
    return "missing", words.rstrip()


def one_cell(marks: Iterable[tuple[str, str]]) -> str:
    """Say that one cell is to blame where all functions failed that were tried, and why.

    Of each mark, the verdict and the reason are needed.
    """
    tried = [reason for verdict, reason in marks if verdict not in UNTRIED]
    blamed = [found[0] if (found := BLAMED.match(reason)) else "" for reason in tried]
    if len(blamed) < 2 or len({*blamed}) > 1 or not blamed[0]:
        return ""
    return tried[0]


def _told(index: int, how: tuple[str, str], words: str) -> str:
    """Say of a cell what it did, what came of that, and what to do about it, if that is known."""
    did, to_do = how
    return f"Code cell {index + 1} of the notebook {did}, {words} {to_do}".rstrip()


def _failed(ran: Ran, submission: Submission) -> dict[int, tuple[str, str]]:
    """Say of each cell that failed how it did, and what to do about it."""
    failed, cells = {}, submission.cells
    for told in ran.told:
        index, kind, error, words, _ = told
        if kind == "took" or not 0 <= index < len(cells):
            continue
        failed[index] = fault(told, cells[index], submission.python)
        found = MISSING_PACKAGE.match(words) if error == "ModuleNotFoundError" else None
        if found and found[1] in _packages([cells[index]]):
            failed[index] = f"imports `{found[1]}`, which is not here", ""
    failed |= {index: LEFT_OUT[how] for index, how in ran.ended.items() if 0 <= index < len(cells)}
    return failed


def _makes(name: str) -> re.Pattern:
    """Return a pattern for what gives a name its value."""
    return re.compile(
        rf"^[ \t]*(?:import|from)\b[^\n]{{0,300}}\b{name}\b|"
        rf"^[ \t]*(?:async +)?(?:def|class) +{name}\b|"
        rf"^[^\n=(]{{0,90}}\b{name}\b[^\n=(]{{0,90}}(?:=(?!=)| in )",
        re.MULTILINE,
    )


def _absent(package: str, cells: Sequence[str]) -> str:
    """Say which cell imports a package that is not here, if one does."""
    if package not in _packages(cells):
        return ""
    index = next(i for i, source in enumerate(cells) if package in _packages([source]))
    words = f"Code cell {index + 1} of the notebook imports `{package}`, and the answer needs it."
    return f"{words} {NOT_HERE.format(package)}"


def _packages(cells: Sequence[str]) -> set[str]:
    """Return the first names that stand where cells import something."""
    return _names(line for one in cells for line in IMPORTS.findall(one[:MOST_LETTERS]))


def _names(texts: Iterable[str]) -> set[str]:
    """Return the first names in texts."""
    found: dict[str, None] = {}
    for text in texts:
        found |= dict.fromkeys(NAMES.findall(text[:MOST_LETTERS]))
        if len(found) >= MOST_NAMES:
            break
    return {*itertools.islice(found, MOST_NAMES)}
