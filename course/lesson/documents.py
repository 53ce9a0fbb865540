"""Pages of `docs/` in another language: `docs/zh/learn.md` beside `docs/learn.md`.

They come apart into units as the site's own pages do. A page has another language if its first
line leads there, and the page in that language leads back.
"""

import os
import re
from collections.abc import Callable, Collection, Iterable
from pathlib import Path

from course.lesson.pages import translated_page, units_of
from course.lesson.units import Unit

DOCUMENTS = "docs"  # the name of their catalogue
OTHER = re.compile(r"\A(# .+) · \[.+\]\(([^)]+)\)$", re.MULTILINE)
LINK = re.compile(r"\]\((?!https?:|#)([^)#]+)")


def with_other(folder: Path, language: str) -> dict[Path, str]:
    """Read the pages that lead to a language, by where they are in it."""
    texts = {path: path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.md"))}
    named = {path: OTHER.match(text) for path, text in texts.items()}
    return {
        folder / language / path.name: texts[path]
        for path, found in named.items()
        if found and found[2] == f"{language}/{path.name}"
    }


def without_other(text: str) -> str:
    """Return a page without the link to its other language."""
    return OTHER.sub(r"\1", text)


def document_units(pages: Iterable[str]) -> dict[str, str]:
    """List the units of pages, as `units_of` does."""
    return units_of(map(without_other, pages))


def document(text: str, path: Path, there: Collection[Path], turn: Callable[[Unit], str]) -> str:
    """Write a page in another language.

    Its headings keep the places of the English ones.

    Parameters
    ----------
    text
        The English page, which lies one folder higher.
    path
        Where it will be.
    there
        The pages that there are in this language, or will be.
    turn
        What makes of a unit what people read.
    """
    above, language = path.parent.parent, path.parent.name

    def turned(unit: Unit) -> str:
        words = turn(unit)
        return f'<a id="{_place(unit.text)}"></a>{words}' if unit.kind == "heading" else words

    def lead(found: re.Match[str]) -> str:
        target = above / found[1]
        other = target.parent / language / target.name
        leads = other if other in there or other.is_file() else target
        return f"]({Path(os.path.relpath(leads, path.parent)).as_posix()}"

    said = LINK.sub(lead, translated_page(without_other(text), turned))
    title, _, rest = said.partition("\n")
    return f"{title} · [English](../{path.name})\n{rest}"


def _place(heading: str) -> str:
    """Return the place that GitHub gives a heading, and so does the site."""
    return re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-")
