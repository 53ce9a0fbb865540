"""Catalogues: what each unit of a source is in another language, as gettext keeps it (`.po`).

A catalogue is in step with its source: it has the units in their order, each with the kind of
thing that it is. Of a sentence that changed it keeps the translation, as fuzzy, and the sentence
that this one is of (`#| msgid`). What differs from the English on purpose is named in a comment of
the translator's, `# differs: numbers`.
"""

import re
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

from babel.messages.catalog import Catalog
from babel.messages.extract import extract
from babel.messages.pofile import PoFileError, denormalize, read_po, write_po

from course import BuildError

ONE_LINE = 1_000_000  # letters: as wide as a file is, so that nothing is wrapped
DIFFERS = "differs:"
EXTRACTORS = {".py": "python", ".js": "javascript"}
EXTRACTORS |= dict.fromkeys((".j2", ".html"), "jinja2.ext:babel_extract")
HEADER = (
    'msgid ""\nmsgstr ""\n"Language: {}\\n"\n'
    '"Content-Type: text/plain; charset=utf-8\\n"\n"Content-Transfer-Encoding: 8bit\\n"\n\n'
)


class Entry(NamedTuple):
    """What a unit is in another language; empty where nobody has said it yet."""

    kind: str
    words: str = ""
    # The English that it is a translation of, where that has changed since; it is stale.
    was: str = ""
    comments: tuple[str, ...] = ()  # the translator's

    @property
    def differs(self) -> set[str]:
        """What may differ from the English, of what else is kept."""
        told = (one.removeprefix(DIFFERS) for one in self.comments if one.startswith(DIFFERS))
        return {kind for one in told for kind in re.findall(r"\w+", one)}

    @property
    def holds(self) -> bool:
        """Whether it can be read in the place of the English."""
        return bool(self.words and not self.was)


def read(path: Path) -> dict[str, Entry]:
    """Read a catalogue, its entries by their English; where there is none, it is empty.

    Raises
    ------
    BuildError
        If it is none; it names the line.
    """
    if not path.exists():
        return {}
    try:
        with path.open("rb") as file:
            catalog = read_po(file, abort_invalid=True)
    except PoFileError as error:
        where = f"reading {path.name} line {error.lineno + 1}"
        raise BuildError(f"{where}: {error.line.strip()!r} is no part of a catalogue") from error
    except UnicodeDecodeError as error:
        raise BuildError(f"reading {path.name}: {error}") from error
    return {message.id: _entry(message) for message in catalog if message.id}


def _entry(message) -> Entry:
    kind = "".join(message.auto_comments[:1])
    old = [one for one in message.user_comments if one.startswith("|")]  # Babel reads none itself
    was = denormalize(old[0].removeprefix("| msgid ")) if old and message.fuzzy else ""
    comments = tuple(one for one in message.user_comments if one not in old)
    return Entry(kind, message.string, was or message.id * message.fuzzy, comments)


def written(entries: dict[str, Entry], language: str) -> bytes:
    """Return the file of a catalogue: without dates, and without the lines of the source."""
    catalog = Catalog()
    for text, entry in entries.items():
        catalog.add(
            text,
            entry.words,
            flags=["fuzzy"] if entry.was else [],
            auto_comments=[entry.kind],
            user_comments=entry.comments,
            previous_id=entry.was or (),
        )
    file = BytesIO()
    write_po(file, catalog, width=ONE_LINE, omit_header=True, include_previous=True)
    return HEADER.format(language).encode() + file.getvalue()


def updated(entries: dict[str, Entry], kinds: dict[str, str]) -> dict[str, Entry]:
    """Bring a catalogue up to date with the units that there are now, and their kinds.

    What is new is empty, or stale if it is near a sentence that is gone; what is gone is dropped.
    """
    gone = {text: entry for text, entry in entries.items() if text not in kinds and entry.words}
    found: dict[str, Entry] = {}
    for text, kind in kinds.items():
        if text in entries:
            found[text] = entries[text]._replace(kind=kind)
        elif near := get_close_matches(text, gone, n=1):
            old = gone.pop(near[0])
            was = old.was or near[0]
            found[text] = old._replace(kind=kind, was="" if was == text else was)
        else:
            found[text] = Entry(kind)
    return found


def counted(entries: Iterable[Entry]) -> tuple[int, int, int]:
    """Count what holds, what is stale and what is missing."""
    held = list(entries)
    stale = sum(bool(entry.was) for entry in held)
    return sum(entry.holds for entry in held), stale, sum(not entry.words for entry in held)


def templates(paths: Iterable[Path]) -> Iterator[str]:
    """Go through the sentences that code puts together: what it calls `say` with."""
    for path in paths:
        with path.open("rb") as file:
            for _, text, _, _ in extract(EXTRACTORS[path.suffix], file, keywords={"say": None}):
                yield text
