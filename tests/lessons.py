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


def quickly(items, *, takes, fully=None):
    """Parametrize over all items, of which a quick run takes a few: those at these places.

    A full run takes those at the places `fully`, too, if they are given, and a weekly one all.
    """
    quick, sample = ({place % len(items) for place in places} for places in (takes, fully or ()))

    def marks(place):
        if place in quick:
            return []
        return [pytest.mark.full if fully is None or place in sample else pytest.mark.weekly]

    return [pytest.param(*_arguments(x), marks=marks(place)) for place, x in enumerate(items)]


def _arguments(item):
    return item if isinstance(item, tuple) else (item,)
