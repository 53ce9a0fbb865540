"""What stands around a lecture, made of what lessons say: the last time, and where to read on."""

import re
from collections.abc import Sequence
from dataclasses import replace

from course.lesson.lecture import Part, Slide
from course.lesson.sentences import Say
from course.lesson.speech import reckoned

WORDS = 45  # on a slide, at most, with those of its title
TOLD = 3  # of what there is to remember, the first
WORD = r"[\u4e00-\u9fff]{1,2}|[^\s\u4e00-\u9fff]+"  # of Chinese, two letters count as one


def recap(line: int, question: str, picture: str, remembered: str, say: Say = str.format) -> Slide:
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
    say
        What says the sentences around them.
    """
    title = say("Last time: {question}", question=question)
    answer = picture or "\n".join(_fitting(title, remembered.splitlines()))
    told = "\n".join(remembered.splitlines()[:TOLD])
    ask = say(
        "Ask it, and wait: who was there knows more than it seems. Then add what nobody said:"
    )
    notes = [Part(line, text=ask, said=True), Part(line, text=told)]
    if "_whole.png" in picture:  # the map, its last part lit; below the key that shows it
        lit = say("Point at what that lesson added, the darkest; what is pale is still to come.")
        notes.append(Part(line + 1, text=lit, said=True))
    shown = [Part(line, text=answer, later=True)]
    slide = Slide(line, 0.0, title, "", is_around=True, shown=shown, notes=notes)
    return replace(slide, minutes=reckoned(slide))


def reading(line: int, to_read: Sequence[str], say: Say = str.format) -> Slide:
    """List where to read on, as much as a slide has room for."""
    title = say("Where to read on")
    shown = _fitting(title, to_read)
    listed = Part(line, text="\n".join(f"- {one}" for one in shown))
    read = say("It stays while they pack up. Some of it belongs to slides outside the core.")
    notes = [Part(line, text=read)]
    return Slide(line, 0.0, title, "", is_around=True, shown=[listed], notes=notes)


def _fitting(title: str, texts: Sequence[str]) -> list[str]:
    """Choose, in their order, those that there is room for below a title."""
    chosen, room = [], WORDS - len(re.findall(WORD, title))
    for text in texts:
        if (n_words := len(re.findall(WORD, text))) <= room:
            chosen.append(text)
            room -= n_words
    return chosen
