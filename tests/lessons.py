"""The lessons as tests see them, and which of them a quick run takes."""

from pathlib import Path

import pytest

from course.lesson.series import Lesson, find_lessons

SERIES = find_lessons()
NAMES = list(SERIES)
WALK = [name for name, lesson in SERIES.items() if not lesson.is_summary]
DECKS = [name for name, lesson in SERIES.items() if lesson.has_slides]


def lesson_at(path: Path) -> Lesson:
    """Read the lesson whose source is at a path."""
    lesson = find_lessons(path.parent.parent)[path.stem]
    assert lesson.source.path == path
    return lesson


def quickly(chosen, all_of_them):
    """Parametrize over all; a quick run takes what is chosen, `make test FULL=1` the rest too."""
    assert set(chosen) <= set(all_of_them)
    full = pytest.mark.full
    return [one if one in chosen else pytest.param(one, marks=full) for one in all_of_them]
