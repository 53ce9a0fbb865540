"""What a translation has not kept of its English: each is an error, if nobody says it is meant."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from markdown_it import MarkdownIt

from course import BuildError
from course.lesson.catalogue import Entry

KINDS = {
    "code": r"`[^`]+`",
    "formulas": r"\$\$?[^$]+\$\$?",
    "links": r"\]\([^)]+\)",
    "places": r"\{\{ \w+ \}\}|\{\w*\}",
    "numbers": r"(?<![A-Za-z_])-?(?:\.\d+|\d[\d.,]*\d|\d)|\d",
}
KEPT = re.compile("|".join(f"(?P<{kind}>{pattern})" for kind, pattern in KINDS.items()))
ADDED = re.compile(r"〔.*?〕")  # a translator's own
BEGINS = re.compile(r"\s|#{1,6} |> |[-*+] |\d+[.)] |%|```|~~~|\$\$|---|\+\+\+|:::")
PLAIN = ("alt", "goal", "moment", "station", "found", "drawing")


class Term(NamedTuple):
    """What a word of the series is called; where it binds, a sentence may not say otherwise."""

    english: str
    other: str
    binds: bool

    def stands_in(self, words: str) -> bool:
        """Tell whether a translation has it, or keeps the English word."""
        return self.other in words or self.english in words


def read_terms(path: Path) -> Iterator[Term]:
    """Read a list of terms: in each line the English, the other, a note, and `binds` or nothing."""
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    for number, line in enumerate(lines[1:], start=2):
        if line.count("\t") not in (2, 3):
            raise BuildError(
                f"reading {path.name} line {number}: three columns, or four, with tabs"
            )
        english, other, _, *binds = line.split("\t")
        yield Term(english, other, binds == ["binds"])


def faults(text: str, entry: Entry, terms: Sequence[Term] = ()) -> Iterator[str]:
    """Say what a translation that is not stale has not kept, and nobody says is meant."""
    if not entry.holds:
        return
    other = ADDED.sub("", entry.words)
    if BEGINS.match(entry.words) or "\n" in entry.words:
        yield "begins like another thing than a line of text"
    if entry.kind == "row" and text.count("|") != other.count("|"):
        yield "the row has other cells"
    ours, theirs = _kept(text), _kept(other)
    for kind in (kind for kind in KINDS if kind not in entry.differs):
        for what in sorted((ours[kind] - theirs[kind]) | (theirs[kind] - ours[kind])):
            n_ours, n_theirs = ours[kind][what], theirs[kind][what]
            yield f"{kind}: {what} stands {n_ours} times in English, {n_theirs} times here"
    if entry.kind not in PLAIN and "emphasis" not in entry.differs:
        ours, theirs = _emphasis(text), _emphasis(other)
        if ours != theirs:
            yield f"emphasis: em, strong are {ours} in English, {theirs} here"
    if "terms" not in entry.differs:
        for term in terms:
            if term.binds and _has(term.english, text) and not term.stands_in(other):
                yield f"terms: {term.english} is {term.other}"


def _kept(text: str) -> dict[str, Counter]:
    found = {kind: Counter() for kind in KINDS}
    for match in KEPT.finditer(re.sub(r"(?<=\d),(?=\d{3})", "", text)):
        what = match[0].rstrip(".,")
        if match.lastgroup == "numbers":  # .5 is 0.5
            what = re.sub(r"^(-?)\.", r"\g<1>0.", what)
        found[match.lastgroup][what] += 1
    return found


def _emphasis(text: str) -> tuple[int, int]:
    html = _markdown().renderInline(text)
    return html.count("<em>"), html.count("<strong>")


@cache
def _markdown() -> MarkdownIt:
    return MarkdownIt()


def _has(english: str, text: str) -> bool:
    bare = re.sub(r"`[^`]*`|\$[^$]*\$|\]\([^)]*\)|(?<!\*)\*[^*]+\*(?!\*)", "", text)
    return bool(re.search(rf"\b{re.escape(english)}\b", bare))
