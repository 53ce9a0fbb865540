"""What stands around a lecture, made of what lessons say: the last time, and where to read on."""

from collections.abc import Sequence
from dataclasses import replace

from course.lesson.lecture import Part, Slide
from course.lesson.speech import reckoned

WORDS = 45  # on a slide, at most, with those of its title
ASK = "Ask it, and wait: who was there knows more than it seems. Then add what nobody said:"
TOLD = 3  # of what there is to remember, the first
READ = "It stays while they pack up. Some of it belongs to slides outside the core."
LIT = "Point at what that lesson added, the darkest; what is pale is still to come."


def recap(line: int, question: str, picture: str, remembered: str) -> Slide:
    """Ask what the last lesson answered; then show where that led to.

    Parameters
    ----------
    line
        Of the slide that it follows, for errors to name.
    question, remembered
        The last lesson's; what there is to remember is a list, in Markdown.
    picture
        What it closed with, in Markdown; empty where there was none, and then the list is shown,
        as much as a slide has room for.
    """
    title = f"Last time: {question}"
    answer = picture or "\n".join(_fitting(title, remembered.splitlines()))
    told = "\n".join(remembered.splitlines()[:TOLD])
    notes = [Part(line, text=ASK, said=True), Part(line, text=told)]
    if "_whole.png" in picture:  # the map, its last part lit; below the key that shows it
        notes.append(Part(line + 1, text=LIT, said=True))
    shown = [Part(line, text=answer, later=True)]
    slide = Slide(line, 0.0, title, "", is_around=True, shown=shown, notes=notes)
    return replace(slide, minutes=reckoned(slide))


def reading(line: int, to_read: Sequence[str]) -> Slide:
    """List where to read on, as much as a slide has room for."""
    title = "Where to read on"
    shown = _fitting(title, to_read)
    listed = Part(line, text="\n".join(f"- {one}" for one in shown))
    notes = [Part(line, text=READ)]
    return Slide(line, 0.0, title, "", is_around=True, shown=[listed], notes=notes)


def _fitting(title: str, texts: Sequence[str]) -> list[str]:
    """Choose, in their order, those that there is room for below a title."""
    chosen, room = [], WORDS - len(title.split())
    for text in texts:
        if len(text.split()) <= room:
            chosen.append(text)
            room -= len(text.split())
    return chosen
