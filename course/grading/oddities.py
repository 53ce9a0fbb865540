"""Why right code may have come to nothing, as a student is told it, and a teacher reads it.

It stands where nothing is run, under another name, or in a `def` that gives no answer; a cell took
a name from it; it waits for a pool that is not there. What is said names words of the notebook
alone.
"""

import builtins
import difflib
import itertools
import re
import sys
import unicodedata
from collections.abc import Sequence

from course.grading.names import MOST_TAKEN
from course.grading.replies import Ran, Reply
from course.grading.submission import Submission

MOST_LETTERS = 20_000  # of a cell that are searched
MOST_NAMES = 500  # of a notebook that are compared
NEAR = 0.8  # of 1, of two names that are alike
DEFINED = re.compile(
    r"^[ \t]*(?:async +)?def +([^\W\d]\w{0,39}) *\(|^([^\W\d]\w{0,39}) *= *lambda\b", re.MULTILINE
)
BRINGS = re.compile(
    r"^[ \t]*(?:def|class) +([^\W\d]\w{0,39})|^([^\W\d]\w{0,39}) *=(?!=)|"
    r"^[ \t]*(?:import|from)\b[^\n]{0,300}?\b([^\W\d]\w{0,39})[ \t]*$",
    re.MULTILINE,
)
MISSING_NAME = re.compile(r"name '([^\W\d]\w{0,39})' is not defined")
STAR = re.compile(r"^[ \t]*from +\S+ +import +\*", re.MULTILINE)
POOL = re.compile(
    r"^(?![ \t#]).*\b(?:Pool|ThreadPool|ThreadPoolExecutor|ProcessPoolExecutor|Parallel)\(", re.M
)
ANY_POOL = re.compile(r"\b(?:Pool|ThreadPool|ProcessPoolExecutor|Parallel)\(")
NO_POOL = "[Errno 2] No such file or directory"  # and no file's name: of what processes share
OF_A_NAME = re.compile(r"is not (?:callable|subscriptable)\b|has no attribute|is not defined")
OTHER_INPUTS = re.compile(r"\(\) (?:takes|missing) ")
NO_LETTER = re.compile(r"^invalid (?:non-printable )?character.{0,9}U\+([0-9A-F]{4,5})\b")

KNOWN_ERRORS = {  # whose names are told: Python's own, and NumPy's; another one may be any word
    "AxisError", "LinAlgError",
    *(name for name, one in vars(builtins).items()
      if isinstance(one, type) and issubclass(one, BaseException)),
}  # fmt: skip
DO_WITHOUT = "Do without it."
RETYPE = "Type it anew, as a plain letter, sign or space."
LATER = "What came with that one is not known here: write it as {} has it."
AWAITED = (
    "It is an `async def`, so a call gives something to wait for, and no answer. Leave out `async`."
)
TAKEN = (
    "Code cell {} of the notebook puts something else in the place of `{}`, and the answer needs "
    "what stood there. Give that one another name."
)
PUT_BACK = (
    "Code cell {} of the notebook puts something else in the place of `{}`. Where a call raised, "
    "it was made once more with what stood there."
)
OWN = (
    "Code cell {} of the notebook puts something else in the place of `{}`, which was called still."
)
WAITS = (
    "Code cell {} of the notebook makes a pool, and its threads and processes are not there when a "
    "function is called. Do without it."
)
PROCESSES = (
    "Code cell {} of the notebook makes a pool of processes, and there can be none here. Do "
    "without it."
)
IN_TEXT = (
    "Cell {} of the notebook, counted with those of text, has it as {}, which is not run. Make it "
    "a code cell."
)
WITHIN = (
    "Code cell {} of the notebook has one that stands inside of something else: a class, another "
    "function, quotes, comments, or a magic. Move it out, to the left edge."
)
TEXT_BRINGS = (
    "Cell {} of the notebook, counted with those of text, was to bring `{}`, and it is text, which "
    "is not run. Make it a code cell."
)
CALLED = "Code cell {} of the notebook has one that is called `{}`. Names agree letter by letter."


def oddity(name: str, replies: Sequence[Reply], submission: Submission, ran: Ran) -> str:
    """Say what a teacher may want to look at in a function without its points; or nothing."""
    if not replies or replies[0].kind == "not there" or replies[0].is_stub:
        return _faulty(submission, ran) or instead(name, submission, ran)
    # Of all that failed one is looked at: a notebook may have many megabytes.
    failed = next((reply for reply in replies if reply.kind != "answer"), Reply("answer"))
    found = hindrance(name, failed, submission, ran)
    return found or (_faulty(submission, ran) if failed.name == "NameError" else "")


def instead(name: str, submission: Submission, ran: Ran) -> str:
    """Say where a function stands that is not there, or is as it was handed out; or nothing."""
    mine = re.compile(rf"^[ \t]*(?:async +)?def +{re.escape(name)} *\(", re.MULTILINE)
    for index, cell in enumerate(submission.all_cells):
        if cell.kind != "code" and mine.search(cell.source[:MOST_LETTERS]):
            return IN_TEXT.format(index + 1, "raw text" if cell.kind == "raw" else "text")
    named = [one for one in _defined(submission.cells) if one[1] not in {*ran.replies} - {name}]
    for index, other in named:
        if _bare(other) == _bare(name) and other != name:
            return CALLED.format(index + 1, other)
    within = re.compile(rf"^[ \t#]*(?:async +)?def +{re.escape(name)} *\(", re.MULTILINE)
    is_stub = any(reply.is_stub for reply in ran.replies.get(name, ()))
    failed = {index for index, kind, *_ in ran.told if kind == "syntax"} | ran.ended.keys()
    cells = [source if i not in failed else "" for i, source in enumerate(submission.cells)]
    if not is_stub and (at := _first(within, cells)):
        return WITHIN.format(at)
    for index, other in named:
        alike = difflib.SequenceMatcher(None, _bare(other), _bare(name)).ratio()
        if other != name and alike >= NEAR:
            return CALLED.format(index + 1, other)
    return ""


def hindrance(name: str, reply: Reply, submission: Submission, ran: Ran) -> str:
    """Say what else than a mistake kept a call from an answer; or nothing."""
    cells = submission.cells
    if (reply.kind, reply.name) == ("odd", "coroutine"):
        return AWAITED
    if reply.kind == "late" and (at := _first(POOL, cells)):
        return WAITS.format(at)
    if reply.kind == "raised" and reply.words == NO_POOL and (at := _first(ANY_POOL, cells)):
        return PROCESSES.format(at)
    missing = MISSING_NAME.match(reply.words) if reply.name == "NameError" else None
    if missing and (at := _in_text(submission).get(missing[1])):
        return TEXT_BRINGS.format(at, missing[1])
    is_of_a_name = reply.kind == "raised" and OF_A_NAME.search(reply.words)
    return _taken(name, cells, ran, TAKEN) if is_of_a_name else ""


def put_back(name: str, cells: Sequence[str], ran: Ran) -> str:
    """Say which cell took what stood where a function was defined, and was put back; or nothing."""
    return _taken(name, cells, ran, PUT_BACK)


def fault(told: tuple, source: str, python: tuple[int, ...]) -> tuple[str, str]:
    """Say what a cell did that raised or cannot be read, and what to do about it, if that is known.

    Parameters
    ----------
    told
        What was told of it, as in `Ran.told`.
    source, python
        The cell, and the version that its notebook was run with, if that is known.
    """
    _, kind, error, words, line = told
    if kind == "raised":
        is_pool = words == NO_POOL and ANY_POOL.search(source[:MOST_LETTERS])
        did = f"makes a pool of processes at line {line}, and there can be none here"
        return (did, DO_WITHOUT) if is_pool else (f"raised {told_error(error)} at line {line}", "")
    found = NO_LETTER.search(words)
    letter = chr(int(found[1], 16)) if found else ""
    if letter and letter in source:
        called = unicodedata.name(letter, "no letter").lower()
        return f"holds U+{found[1]} ({called}) at line {line}, which Python cannot read", RETYPE
    here = sys.version_info[:2]
    if python and python <= here:
        return f"is no Python at line {line}", ""
    ours, theirs = (".".join(map(str, one)) for one in (here, python))
    did = f"is no Python {ours} at line {line}"
    return (f"{did} (it was run with {theirs})", LATER.format(ours)) if python else (did, "")


def told_raised(reply: Reply, where: str = "") -> str:
    """Say what a call raised, and where; or that it took nothing of what came in."""
    if reply.name == "TypeError" and not reply.line and OTHER_INPUTS.search(reply.words):
        return "It takes another number of inputs than the task gives."
    return f"It raised {told_error(reply.name)}{where}."


def told_error(name: str) -> str:
    """Tell the name of an exception, if it is one of Python's or NumPy's."""
    return name if name in KNOWN_ERRORS else "an exception that is not built in"


def _faulty(submission: Submission, ran: Ran) -> str:
    """Say which cell failed here, and may do elsewhere; or nothing."""
    for one in ran.told:
        if one[1] != "took" and 0 <= one[0] < len(submission.cells):
            did, to_do = fault(one, submission.cells[one[0]], submission.python)
            if to_do:
                return f"Code cell {one[0] + 1} of the notebook {did}."
    return ""


def _taken(name: str, cells: Sequence[str], ran: Ran, words: str) -> str:
    """Say which cell put something else in the place of what a function uses; or nothing."""
    took = [one for one in ran.told if one[1] == "took" and 0 <= one[0] < len(cells)][:MOST_TAKEN]
    for index, _, what, whose, is_back in took:
        if name not in whose.split() or bool(is_back) != (words is PUT_BACK):
            continue
        source = cells[index][:MOST_LETTERS]
        is_starred = hasattr(builtins, what) and STAR.search(source)
        if is_starred or what in [*dict.fromkeys(re.findall(r"\w+", source))][:MOST_NAMES]:
            return (OWN if what == name else words).format(index + 1, what)
    return ""


def _in_text(submission: Submission) -> dict[str, int]:
    """Return the names that text would bring if it were code, each with its cell's number."""
    found = (
        (name, number)
        for number, cell in enumerate(submission.all_cells, 1)
        if cell.kind != "code"
        for names in BRINGS.findall(cell.source[:MOST_LETTERS])
        for name in names
        if name
    )
    return dict(itertools.islice(found, MOST_NAMES))


def _defined(cells: Sequence[str]) -> list[tuple[int, str]]:
    """Return the names of functions that cells define, each with its cell's number from 0."""
    found = (
        (index, one or other)
        for index, source in enumerate(cells)
        for one, other in DEFINED.findall(source[:MOST_LETTERS])
    )
    return [*itertools.islice(found, MOST_NAMES)]


def _bare(name: str) -> str:
    """Return a name without what is easily taken for the same."""
    return name.casefold().replace("_", "")


def _first(pattern: re.Pattern, cells: Sequence[str]) -> int:
    """Return the number from 1 of the first cell in which a pattern is found, or 0."""
    found = (i for i, source in enumerate(cells, 1) if pattern.search(source[:MOST_LETTERS]))
    return next(found, 0)
