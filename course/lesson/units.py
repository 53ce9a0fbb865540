"""The units of a source: what people read in it and no machine, to be said in another language.

A unit is one line of prose without what leads it (`# `, `> `, `- `), what a mark says (`say`,
`fold`, the title of a `slide`), a cell's alt text, a widget's goal or the title of a moment, or an
entry of the front matter's `station` and `found`. So line n of a source in another language is
line n of the English one, and what machines read is read from the English one alone.
"""

import ast
import json
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from course.lesson.marks import MARK, Line, lines_of

SPOKEN = {"say": r"()(.+)", "fold": r"()(.+)", "slide": r"(\S+ )(.+)"}
LEAD = re.compile(r"(\s*(?:#{1,6} |> |[-*+] |\d+[.)] )*)(.*)")
WORDS = re.compile(r"[^\W\d_]{2}")
NO_WORDS = re.compile(r"`[^`]*`|\$[^$]*\$|!?\[\]\([^)]*\)|\]\([^)]*\)|\{\{ \w+ \}\}")
OPTIONS = {  # of front matter and of a cell: where it stands, what leads a value, and what follows
    "station": ("front", r"(station: )(\[.*\])()"),
    "found": ("front", r"(found: )(\[.*\])()"),
    "alt": ("options", r"(:alt: )(.+)()"),
    "goal": ("yaml", r"( +words: )(.+)()"),
    "moment": ("yaml", r"(  - )(\".+\"|[^\"].*?)(:(?: \{.*)?)"),
}


class Unit(NamedTuple):
    """A unit: on which line it stands, from 1, what it is, and its words in English."""

    line: int
    kind: str
    text: str


def translated(marked: str, turn: Callable[[Unit], str]) -> list[str]:
    """Return the lines of a source, with each unit turned into what `turn` makes of it."""
    return [
        _option(line, inside, turn) if line.fenced else _prose(line, turn)
        for line, inside in _with_places(marked)
    ]


def units(marked: str) -> list[Unit]:
    """List the units of a source in its order, each wording once."""
    found: dict[str, Unit] = {}
    translated(marked, lambda unit: found.setdefault(unit.text, unit).text)
    return list(found.values())


def translated_line(text: str, turn: Callable[[Unit], str], number: int = 0) -> str:
    """Return a line of prose, or a piece of one, with its unit turned."""
    lead, words = LEAD.fullmatch(text).groups()
    kind = "heading" if lead.startswith("#") else "row" if words.startswith("|") else "text"
    return lead + _turned(Unit(number, kind, words), turn)


def _with_places(marked: str) -> Iterator[tuple[Line, str]]:
    """Go through lines, each with its place: front matter, a cell's options, or ""."""
    inside = ""
    for line in lines_of(marked):
        if not line.fenced:
            inside = ""
        elif line.number == 1:
            inside = "front"
        elif line.text.startswith("```{code-cell}"):
            inside = "options"
        elif line.text == "---" and inside in ("options", "yaml"):
            inside = "yaml" if inside == "options" else ""
        elif inside == "options" and not line.text.startswith(":"):
            inside = ""
        yield line, inside


def _prose(line: Line, turn: Callable[[Unit], str]) -> str:
    if not line.is_mark:
        return translated_line(line.text, turn, line.number)
    kind, argument = MARK.match(line.text).groups()
    if not (found := re.fullmatch(SPOKEN.get(kind, "(?!)"), argument)):
        return line.text
    return f"% {kind} {found[1]}{_turned(Unit(line.number, kind, found[2]), turn)}"


def _option(line: Line, inside: str, turn: Callable[[Unit], str]) -> str:
    for kind, (place, pattern) in OPTIONS.items():
        if inside == place and (found := re.fullmatch(pattern, line.text)):
            value = ast.literal_eval(found[2]) if found[2][0] in "[\"'" else found[2]
            texts = value if isinstance(value, list) else [value]
            turned = [_turned(Unit(line.number, kind, text), turn) for text in texts]
            if turned != texts:
                written = turned if isinstance(value, list) else turned[0]
                return found[1] + json.dumps(written, ensure_ascii=False) + found[3]
    return line.text


def _turned(unit: Unit, turn: Callable[[Unit], str]) -> str:
    return turn(unit) if WORDS.search(NO_WORDS.sub("", unit.text)) else unit.text
