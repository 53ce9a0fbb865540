"""How long a slide takes, reckoned from what is said, asked, shown and done on it.

Its words, pictures and its widget take a hall as long as they take a reader of the lesson
(`course.lesson.minutes`): nothing is said faster than it is understood. A *Predict* and a formula
take half as long, for nobody works them out on paper. What a hall adds stands below, once, for
all decks. These are our own estimates, held against readings of cores word by word, as lecturers
who had deck and notes alone. Such readings of 04, 08, 11 and 12 came to 43, 42, 40 and 36.5
minutes, where this came to 42, 41.5, 42 and 39. With a reader's minute at each *Predict*, and half
a minute at a formula, it came to 45, 45, 43.5 and 42. No reading counts what the hall asks.
"""

import re
from collections.abc import Iterable, Sequence

from nbformat import NotebookNode

from course import BuildError
from course.lesson.lecture import UNTOLD, Part, Slide
from course.lesson.minutes import LINE, PICTURE, PRINT, TOLD, WIDGET, seconds_of_text
from course.lesson.source import Source

TURNED = 5  # seconds: until all look at a new slide
HALL = 15  # what somebody asks or objects, on most slides, with what is replied
STEP = 3  # at what the next key shows
ASKED = 10  # a question to the hall, beside a *Predict*
GUESSED = 30  # a *Predict*: to think, and to hear one or two; alone, a reader works it out
WRITTEN = 15  # a formula, pointed at while it is spoken of
HANDS = 15  # of a poll, to be raised, counted, and asked
SOLUTION = 60  # of an exercise, to be shown, with what went wrong

IF_NEEDED = "If "  # a sentence for the speaker that begins so is a reply
ASKS = r"\b(?:[Aa]sk|[Ll]et them)\b"
EACH = {"widget": WIDGET, "text": PRINT, "error": PRINT, "picture": PICTURE}


def reckoned(slide: Slide, cells: Sequence[NotebookNode] = ()) -> float:
    """Reckon a slide's minutes, to half a minute; of a lesson's cells it says how much is shown."""
    said = [part for part in slide.notes if not _has_no_time(part)]
    taken = TURNED + HALL + seconds_of_text(slide.title)
    taken += sum(map(_seconds_of_words, [*slide.shown, *said]))
    taken += sum(ASKED * len(re.findall(ASKS, part.text)) for part in said if part.said)
    taken += sum(_seconds_to_look(part, slide, cells) for part in slide.shown)
    if slide.exercise and slide.is_tried:
        taken += 60 * slide.exercise + SOLUTION
    return round(taken / 30) / 2


def refuse_short(source: Source, slides: Iterable[Slide]) -> None:
    """Raise BuildError at a slide that has fewer minutes than what is said and done on it takes."""
    for slide in slides:
        if slide.minutes < (least := reckoned(slide, source.notebook.cells)):
            raise BuildError(
                f"{source.path.stem}, {source.where_line(slide.line)}: this slide has "
                f"{slide.minutes:g} minutes, and what is said, asked and shown on it takes "
                f"{least:g}: plan as many, or say less"
            )


def _has_no_time(part: Part) -> bool:
    """Tell what a hall is not told, or is told in a time that is reckoned already.

    What a poll says of a choice is said when hands are counted, and a reply when somebody asks.
    """
    reply = part.said and part.text.startswith(IF_NEEDED)
    return bool(part.choice) or reply or part.text.startswith(UNTOLD)


def _seconds_of_words(part: Part) -> float:
    texts = re.sub(TOLD, "", part.text, flags=re.M), *part.choices
    return sum(seconds_of_text(text, question=GUESSED, formula=WRITTEN) for text in texts)


def _seconds_to_look(part: Part, slide: Slide, cells: Sequence[NotebookNode]) -> float:
    """Reckon what is looked at, and the key that shows it."""
    taken = STEP * part.later + HANDS * bool(part.choices) + PICTURE * bool(part.chain)
    if part.cell is None or slide.exercise:
        return taken
    if "code" in part.shows:
        first, last = part.lines or (1, len(cells[part.cell].source.splitlines()))
        taken += LINE * (last - first + 1)
    outputs = [kind for kind in part.shows or ("picture",) if kind != "code"]
    return taken + sum(EACH[kind] for kind in outputs)
