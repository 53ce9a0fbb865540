"""Sentences that code puts together: whole templates with named places, each said by a `say`.

English says a template as it stands, `str.format`; another language has one of its own for each
(`course.lesson.editions`), and orders the places as it likes.
"""

from collections.abc import Callable, Iterable
from unicodedata import east_asian_width

Say = Callable[..., str]
Join = Callable[[str, str], str]  # of two lines of a paragraph, or of two sentences


def spaced(first: str, second: str) -> str:
    """Join what a space stands between."""
    return f"{first.rstrip()} {second}"


def closed_up(first: str, second: str) -> str:
    """Join as Chinese does: without a space, unless the first ends with a narrow letter or sign."""
    last = first.rstrip()[-1:]
    return (
        first.rstrip() + second
        if last and east_asian_width(last) in "WFA"
        else spaced(first, second)
    )


def all_of(items: Iterable[str], say: Say = str.format) -> str:
    """Write items in a sentence: a, b and c; nothing of none."""
    *first, last = list(items) or [""]
    return say("{first} and {last}", first=say(", ").join(first), last=last) if first else last


def one_of(items: Iterable[str], say: Say = str.format) -> str:
    """Name what one is to be chosen of: a, b or c."""
    *first, last = items
    return say("{first} or {last}", first=say(", ").join(first), last=last) if first else last
