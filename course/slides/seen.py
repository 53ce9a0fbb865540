"""What the slides of a deck have to look at and to read, counted on their cells.

Words are those of headings, paragraphs, lists and tables: a formula or a name of code in a line is
one, a formula on a line of its own none. Code, prints and the labels of widgets and grids are not
read as prose is, so they are left out; so is the small line above the title.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, groupby
from operator import itemgetter
from typing import NamedTuple

from nbformat import NotebookNode

MOST_WORDS = 45  # planned; `--table` names a slide with more
REFUSED_WORDS = 50  # a slide has no more
LEAST_SEEN = 2 / 3  # of a deck's slides have something to look at
LEAST_LETTERS = 16  # pixels, on a slide of 1280 × 720


class Seen(NamedTuple):
    """A slide as those see it who sit in the hall."""

    # Its place in the deck, from 1, and its mark's in the source.
    number: int
    line: int
    pictured: bool  # whether it has a picture, a grid, a widget or a chain of shapes
    prints: int  # how many prints it shows
    words: int  # how many words it has to read
    noted: bool  # whether its notes say anything


def seen(cells: Sequence[NotebookNode]) -> Iterator[Seen]:
    """Go through the slides that a deck's cells make up."""
    opened = accumulate("opens" in cell.metadata.deck for cell in cells)  # slides, so far
    for _, group in groupby(zip(opened, cells, strict=True), itemgetter(0)):
        shown = [cell for _, cell in group]
        opens, closes = shown[0].metadata.deck.opens, shown[-1].metadata.deck.closes
        kinds = [cell.metadata.deck.kind.split()[0] for cell in shown]
        prose = [cell.source for cell in shown if cell.metadata.deck.kind in ("prose", "poll")]
        yield Seen(
            number=opens.number,
            line=opens.line,
            pictured=pictured(kinds),
            prints=kinds.count("text"),
            words=sum(map(n_words, [opens.title, *prose])),
            noted=bool(closes.notes.strip()),
        )


def pictured(kinds: Iterable[str]) -> bool:
    """Tell whether parts of these kinds are something to look at: arrays as boxes are, too."""
    return any(kind.split()[0] in ("picture", "widget", "shapes") for kind in kinds)


def n_words(page: str) -> int:
    """Count the words that a piece of HTML has to read."""
    page = re.sub(r'<math[^>]*\bdisplay="block".*?</math>|<pre\b.*?</pre>', " ", page, flags=re.S)
    page = re.sub(r'(<wbr>)?<math[^>]*\bclass="goes-on".*?</math>', "", page, flags=re.S)
    page = re.sub(r"<(math|code)\b.*?</\1>", " one ", page, flags=re.S)
    return len(re.findall(r"\S*[^\W_]\S*", re.sub(r"<[^>]*>|&\w+;", " ", page)))
