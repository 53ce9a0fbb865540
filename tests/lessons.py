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


def quickly(items, *, takes):
    """Parametrize over all items, of which a quick run takes a few: those at these places."""
    chosen = {place % len(items) for place in takes}
    return [
        pytest.param(*_arguments(item), marks=[] if place in chosen else [pytest.mark.full])
        for place, item in enumerate(items)
    ]


def _arguments(item):
    return item if isinstance(item, tuple) else (item,)
