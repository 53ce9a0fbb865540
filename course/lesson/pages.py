"""The units of the site's own pages: lines of Markdown that are templates, too.

They stand in one catalogue. A page is in an edition once its title is said in its language; until
then links to it lead to the English one.
"""

import re
from collections.abc import Callable, Iterable, Mapping

from course.files import COURSE
from course.lesson.catalogue import Entry
from course.lesson.units import LEAD, NO_WORDS, WORDS, Unit

PAGES = "pages"  # the name of their catalogue
FOLDER = COURSE / "site" / "pages"
TEMPLATE = re.compile(r"\{\{.*?\}\}|\{%.*?%\}|</?\w[^>]*>|&\w+;")
CAPTION = re.compile(r"(:caption: )(.+)")
TERM = re.compile(r"\{term\}`(?:[^`<]+ <([^`>]+)>|([^`]+))`")


def translated_page(text: str, turn: Callable[[Unit], str]) -> str:
    """Return a page with each unit turned into what `turn` makes of it.

    An entry of a glossary goes by its names in both languages.
    """
    lines, block = [], ""
    for line in text.split("\n"):
        if line.lstrip().startswith("```"):
            block = "" if block else line.lstrip()
            lines.append(line)
        elif block and block != "```{glossary}":
            lines.append(
                CAPTION.sub(lambda found: found[1] + turn(Unit(0, "text", found[2])), line)
            )
        else:
            turned = _line(line, turn)
            named = block and line and not line.startswith(" ") and turned != line
            lines += [turned, line] if named else [turned]
    return "\n".join(lines)


def _line(text: str, turn: Callable[[Unit], str]) -> str:
    lead, words = LEAD.fullmatch(text).groups()
    if not WORDS.search(NO_WORDS.sub("", TEMPLATE.sub("", words))):
        return text
    kind = "heading" if lead.startswith("#") else "row" if words.startswith("|") else "text"
    return lead + turn(Unit(0, kind, words))


def page_units() -> dict[str, str]:
    """List the units of the site's own pages, as `units_of` does."""
    return units_of(path.read_text(encoding="utf-8") for path in sorted(FOLDER.glob("*.j2")))


def units_of(pages: Iterable[str]) -> dict[str, str]:
    """List the units of pages in their order, each wording once, with its kind."""
    found: dict[str, str] = {}

    def turn(unit: Unit) -> str:
        found.setdefault(unit.text, unit.kind)
        return unit.text

    for text in pages:
        translated_page(text, turn)
    return found


def in_edition(text: str, entries: Mapping[str, Entry]) -> str:
    """Write a page in an edition's language; empty if its title is not said in it."""

    def turn(unit: Unit) -> str:
        entry = entries.get(unit.text, Entry(""))
        if entry.holds:
            return entry.words
        marked = unit.kind == "text" and "{" not in unit.text
        return f'<span lang="en">{unit.text}</span>' if marked else unit.text

    def term(found: re.Match[str]) -> str:
        name = found[1] or found[2]
        entry = entries.get(name, Entry(""))
        return f"{{term}}`{entry.words} <{name}>`" if entry.holds else found[0]

    title = re.search(r"^# (.+)$", text, re.MULTILINE)
    if not (title and entries.get(title[1], Entry("")).holds):
        return ""
    return TERM.sub(term, translated_page(text, turn))
