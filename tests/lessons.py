"""The lessons as tests see them, and which of them a quick run takes."""

import os
import random
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


def quickly(items, *, takes, full=None):
    """Parametrize over all items, of which a quick run takes a few: those at these places.

    A full run takes those at the places `full`, too, and leaves the others to the weekly one; or
    it takes all, where that is None.
    """
    quick, whole = ({place % len(items) for place in places} for places in (takes, full or ()))

    def marks(place):
        if place in quick:
            return []
        return [pytest.mark.full if full is None or place in whole else pytest.mark.weekly]

    return [pytest.param(*_arguments(item), marks=marks(place)) for place, item in enumerate(items)]


def sampled(items, n):
    """Parametrize over all items, of which runs take n, always the same; the weekly one all."""
    items = list(items)
    chosen = random.Random(0).sample(range(len(items)), min(n, len(items)))
    return quickly(items, takes=chosen, full=[])


def _arguments(item):
    return item if isinstance(item, tuple) else (item,)


def made_once(path, make):
    """Write a page if it is not there; return its text. Who looks for it finds it whole."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        new = path.with_name(f".{os.getpid()}.{path.name}")
        new.write_text(make(), encoding="utf-8")
        os.replace(new, path)
    return path.read_text(encoding="utf-8")
