"""What summary, README, docs and homework claim rests on something that still says so.

A claim is preceded by what it rests on, in a line that readers never see: ``% rests on …`` in a
lesson or an assignment, ``<!-- rests on … -->`` in README and docs. It rests on

- ``10: right for 0.85``: what one cell of lesson 10 shows or, in its code, asserts;
- ``training: taggers · no positions · longer = 0.850``: a mean in a table of recorded training;
- ``reach: recall · state · 512 = 0.33``: a mean in a table of lesson 11's;
- ``writer: left out · near · first friend = 0.35``: a mean in a table of lesson 12's;
- ``taken apart: parts · norms · cosine = 0.03 (-0.05 to 0.15)``: one of lesson 13's, and its range;
- ``probes: PyTorch · layer · with weights · boolean = NaN``: what a library answered, or `all` did.

Where that changes, the claim is to be read again; then the mark says what is true now.
"""

import difflib
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

import nbformat
import pytest

from attnlib import text
from experiments import record_probes, record_taken_apart
from tests.lessons import SERIES

ROOT = Path(__file__).parent.parent
LESSONS = sorted((ROOT / "notebooks/src").glob("*.md"))
SUMMARY = ROOT / "notebooks/src/99_summary.md"
HOMEWORK = sorted((ROOT / "notebooks/homework/src").glob("*.md"))
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
TABLES = {
    "training": text.training_table,
    "reach": text.reach_table,
    "writer": text.writer_table,
    "letters": text.letters_table,
    "taken apart": record_taken_apart.read_table,
}
MARK = re.compile(r"(?:% rests on (?P<mark>.*)|<!-- rests on (?P<comment>.*) -->)\s*")


class Claim(NamedTuple):
    """A claim: where it stands, what it says, and the kind and words of what it rests on."""

    where: str
    says: str
    kind: str
    words: str


def claims(path):
    lines = path.read_text("utf-8").splitlines()
    for number, line in enumerate(lines, start=1):
        if found := MARK.fullmatch(line):
            kind, _, words = (found["mark"] or found["comment"]).strip().partition(": ")
            says = next((one for one in lines[number:] if one and not MARK.fullmatch(one)), "")
            yield Claim(f"{path.name} line {number}", says, kind, words)


CLAIMS = [claim for path in (*LESSONS, *HOMEWORK, *PAGES) for claim in claims(path)]


@cache
def shown(number):
    """Return for each code cell of a lesson its source and what it printed, in single spaces."""
    (path,) = (lesson.notebook_path for lesson in SERIES.values() if lesson.number == number)
    return [
        " ".join("\n".join([cell.source, *map(printed, cell.outputs)]).split())
        for cell in nbformat.read(path, as_version=4).cells
        if cell.cell_type == "code"
    ]


def printed(output):
    return output.get("text") or output.get("data", {}).get("text/plain", "")


def problem(claim):
    """Say why a claim is to be read again; nothing where what it rests on still says so."""
    if claim.kind in TABLES:
        return other_number(claim.words, TABLES[claim.kind])
    if claim.kind == "probes":
        return other_answer(claim.words)
    cells = shown(claim.kind)
    words = " ".join(claim.words.split())
    n = sum(words in cell for cell in cells)
    if n == 1:
        return ""
    if n:
        return f"{n} cells of lesson {claim.kind} show {words!r}: quote more of the one meant"
    near = difflib.get_close_matches(words, pieces(cells, len(words)), n=1, cutoff=0)
    return f"no cell of lesson {claim.kind} shows {words!r} any more; the nearest is {near[0]!r}"


def pieces(cells, length):
    """Cut the cells into pieces as long as a quotation, which begin at each word."""
    return {
        cell[at : at + length]
        for cell in cells
        for at in (m.start() for m in re.finditer(r"\S+", cell))
    }


def other_number(words, read):
    table, row, column, said = re.fullmatch(r"(.*?) · (.*) · (.*) = (.*)", words).groups()
    told = read(table)[row][column]
    numbers = iter((told["mean"], told.get("min"), told.get("max")))
    now = re.sub(r"-?\d+\.?(\d*)", lambda one: f"{next(numbers):.{len(one[1])}f}", said)
    return "" if now == said else f"it said {said}, and says {now}"


def other_answer(words):
    (asked, _, said), record = words.rpartition(" = "), record_probes.read()
    library, *conditions = asked.split(" · ")
    names = record if library == "all" else [library]
    answers = set().union(*(record_probes.found(record, name, *conditions) for name in names))
    now = " or ".join(sorted(answers)) or "nothing: no probe has these conditions"
    return "" if now == said else f"it said {said}, and says {now}"


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.where.replace(" line ", ":"))
def test_what_a_claim_rests_on_still_says_so(claim):
    if found := problem(claim):
        pytest.fail(
            f"{claim.where}: a claim is to be read again.\n\n  {claim.says}\n\n"
            f"It rests on {claim.kind}: {claim.words}\nBut {found}.\n"
            "Is the claim still true? Correct it if not. Then let the mark say what is true now.",
            pytrace=False,
        )


def section(title):
    return re.split(r"(?m)^## ", SUMMARY.read_text("utf-8").partition(f"\n## {title}\n")[2])[0]


def test_each_paragraph_of_the_story_and_each_correction_names_what_it_rests_on():
    prose = re.sub(r"(?ms)^```.*?^```", "", section("The story"))
    for paragraph in prose.split("\n\n"):
        says = re.sub(r"(?m)^(%|!\[).*$", "", paragraph)  # without marks and pictures
        assert not says.strip() or "% rests on " in paragraph, paragraph
    above = [""] + (lines := section("Notes that are wrong").splitlines())
    for before, line in zip(above, lines, strict=False):
        if line.startswith("| ") and "you may read" not in line:
            assert before.startswith("% rests on "), line


CELLS = ["print(x)\nabout 16", "assert a > 0", "assert b > 0"]


@pytest.mark.parametrize(
    ("kind", "words", "expected"),
    [
        ("training", "taggers · no positions · longer = 0.85", ""),
        ("training", "taggers · no positions · longer = 0.84", "it said 0.84, and says 0.85"),
        ("reach", "recall · state · 512 = 0.33", ""),
        ("reach", "recall · state · 512 = 0.34", "it said 0.34, and says 0.33"),
        ("reach", "recall · state · 512 = 0.33 (0.30 to 0.35)", ""),
        ("reach", "recall · state · 512 = 0.33 (0.20 to 0.35)", "and says 0.33 (0.30 to 0.35)"),
        ("probes", "JAX · all hidden · -inf = NaN", ""),
        ("probes", "JAX · all hidden · -inf = 0", "it said 0, and says NaN"),
        ("probes", "JAX · all seen = 0", "no probe has these conditions"),
        ("probes", "all · all hidden · -inf = NaN", "and says 0 or NaN or output bias"),
        ("04", "about 16", ""),
        ("04", "about 19", "shows 'about 19' any more; the nearest is 'about 16'"),
        ("04", "assert", "2 cells of lesson 04 show 'assert': quote more"),
    ],
)
def test_what_has_changed_is_told(monkeypatch, kind, words, expected):
    monkeypatch.setattr("tests.test_claims.shown", lambda number: CELLS)
    found = problem(Claim("", "", kind, words))
    assert expected in found if expected else not found


def test_marks_are_found_in_either_comment_with_the_claim_below_them(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("A.\n<!-- rests on 01: 0.5 -->\n% rests on training: a · b = 1\nB.\n")
    assert list(claims(page)) == [
        Claim("page.md line 2", "B.", "01", "0.5"),
        Claim("page.md line 3", "B.", "training", "a · b = 1"),
    ]
