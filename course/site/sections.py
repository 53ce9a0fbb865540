"""What the site's search looks through: every section of every page, each with its address.

A section is a heading with what stands below it, an entry of the glossary, or a name of the
reference. What the glossary calls a thing, the sections that it leads to are found by, too.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx

GLOSSARY = "glossary"
ELSEWHERE = (nodes.raw, nodes.image, nodes.comment, addnodes.glossary, addnodes.desc)
PART = r"\s*(?:\{([^{}]*)\}|(\w))"  # of a fraction, in braces or a single digit
SYMBOLS = {r"\sqrt": "√", r"\cdot": "·", r"\times": "×", r"\approx": "≈", r"\le": "≤"}


class Section(NamedTuple):
    """A place that a search may lead to."""

    address: str  # from the site's root
    # What the page's first heading says, and the section's own.
    page: str
    title: str
    names: str  # what the glossary calls that which is explained here
    text: str  # its prose, to be read
    code: str  # the words of its code, and of its formulas as they are written, each once


def sections(app: Sphinx) -> list[Section]:
    """Gather the sections of all pages that were read."""
    names = _names(app)
    return [
        Section(address, page, title, ", ".join(names[address]), *_words(own))
        for name in sorted(app.env.found_docs)
        for page, address, title, own in _places(app, name)
    ]


def _names(app: Sphinx) -> dict[str, list[str]]:
    """Say by what names of the glossary a section is known: those whose entry leads to it."""
    names = defaultdict(list)
    if GLOSSARY not in app.env.found_docs:
        return names
    page = app.env.get_and_resolve_doctree(GLOSSARY, app.builder)
    for entry in page.findall(nodes.definition_list_item):
        called = [term.astext() for term in entry.findall(nodes.term)]
        places = [link.get("refuri", "") for link in entry.findall(nodes.reference)]
        places = [place for place in places if "#" in place and ":" not in place]
        for before, place in enumerate(places):  # the first that is linked explains it best
            names[place] += called * (len(places) - before)
    return names


def _places(app: Sphinx, name: str) -> Iterator[tuple[str, str, str, list[nodes.Node]]]:
    """Go through a page's sections: the page's title, an address, a title, and what is there."""
    document = app.env.get_doctree(name)
    page = app.env.titles[name].astext()
    address = app.builder.get_target_uri(name)
    for section in document.findall(nodes.section):
        own = [part for part in section[1:] if not isinstance(part, nodes.section)]
        first = section.parent is document
        place = address if first else f"{address}#{section['ids'][0]}"
        yield page, place, section[0].astext(), own
        for part in own:
            for entry in _entries(part):
                told = [one for one in entry[1:] if not isinstance(one, nodes.term)]
                yield page, f"{address}#{_anchor(entry)}", _title(entry), told


def _entries(part: nodes.Node) -> Iterator[nodes.Element]:
    """Find what has a name of its own: entries of the glossary, names of the reference."""
    if isinstance(part, addnodes.glossary):
        yield from part.findall(nodes.definition_list_item)
    elif isinstance(part, addnodes.desc):
        yield from (one for one in part.findall(addnodes.desc) if one[0].get("ids"))


def _anchor(entry: nodes.Element) -> str:
    """Return the anchor of an entry: one that is made of a name, not of a number."""
    anchors = [
        one for named in entry if not isinstance(named, nodes.definition) for one in named["ids"]
    ]
    return next((one for one in anchors if not re.fullmatch(r"term-\d+", one)), anchors[0])


def _title(entry: nodes.Element) -> str:
    if isinstance(entry, addnodes.desc):
        return entry[0]["ids"][0]
    return ", ".join(term.astext() for term in entry.findall(nodes.term))


def _words(parts: list[nodes.Node]) -> tuple[str, str]:
    """Part what stands below a heading into prose and code; what cells show is left out."""
    prose, code = [], []
    for part in parts:
        _gather(part, prose, code)
    once = dict.fromkeys(re.findall(r"[^\W_]+", " ".join(code)))
    return " ".join("".join(prose).split()), " ".join(once)


def _gather(node: nodes.Node, prose: list[str], code: list[str]) -> None:
    """Walk through a node; entries and cells' outputs are no part of what they stand in."""
    if isinstance(node, nodes.Text):
        prose.append(node.astext())
    elif isinstance(node, nodes.math | nodes.math_block):
        code.append(node.astext())
        prose.append(_plain(node.astext()) if isinstance(node, nodes.math) else "")
    elif isinstance(node, nodes.literal_block):
        code.append(node.astext())
    elif not (isinstance(node, ELSEWHERE) or node.get("nb_element") == "cell_code_output"):
        for child in node.children:
            _gather(child, prose, code)
        if isinstance(node, nodes.paragraph | nodes.entry | nodes.term):
            prose.append(" ")


def _plain(formula: str) -> str:
    """Write a formula as one would in a letter."""
    formula = re.sub(rf"\\[dt]?frac{PART}{PART}", r"\1\2/\3\4", formula)
    for written, symbol in SYMBOLS.items():
        formula = re.sub(re.escape(written) + r"(?![a-z])", symbol, formula)
    return re.sub(r"\\[a-zA-Z]+|[{}\\$]", "", formula)
