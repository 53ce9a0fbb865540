"""A deck as a row of a table: what there is to look at and to read; and what is to be mended."""

from collections.abc import Iterator, Sequence
from statistics import median

from course.lesson.lecture import planned
from course.lesson.series import Lesson
from course.slides.seen import LEAST_LETTERS, LEAST_SEEN, MOST_WORDS, Seen

FEW = 5  # slides, which are a beginning and no lecture yet

COLUMNS = (
    *("deck", "slides", "with picture, grid or widget", "prints", "words, most", "median"),
    *("smallest letter", "minutes, core", "whole", "empty notes"),
)
HEAD = f"| {' | '.join(COLUMNS)} |\n{'|---' * len(COLUMNS)}|"


def row(lesson: Lesson, slides: Sequence[Seen], letters: Sequence[tuple[float, str]]) -> str:
    """Write the row of a deck, in Markdown."""
    core, whole = planned(lesson.slides)
    words = [slide.words for slide in slides]
    pictured = sum(slide.pictured for slide in slides)
    cells = [
        lesson.number,
        len(slides),
        f"{pictured} ({pictured / len(slides):.0%})",
        sum(slide.prints for slide in slides),
        max(words),
        f"{median(words):g}",
        f"{min(size for size, _ in letters):g} px",
        f"{core.minutes:g}",
        f"{whole.minutes:g}",
        sum(not slide.noted for slide in slides),
    ]
    return f"| {' | '.join(map(str, cells))} |"


def to_mend(
    lesson: Lesson,
    slides: Sequence[Seen],
    letters: Sequence[tuple[float, str]],
    most: int = MOST_WORDS,
) -> Iterator[str]:
    """Say which slides have too many words or too small letters, and what the deck lacks."""
    pictured = sum(slide.pictured for slide in slides)
    if len(slides) > FEW and pictured < LEAST_SEEN * len(slides):
        yield f"{pictured} of {len(slides)} slides have a picture, a grid or a widget"
    for slide, (size, what) in zip(slides, letters, strict=True):
        where = f"slide {slide.number}, {lesson.source.where_line(slide.line)}"
        if slide.words > most:
            yield f"{where}: {slide.words} words"
        if size < LEAST_LETTERS:
            yield f"{where}: letters of {size} px, “{what}”"
