"""What the lessons say of their widgets: a goal, moments, and where each starts.

It stands in the lessons' sources, with the cell that shows the widget, and `python -m course build`
writes it into `lessons.json`: a kernel sees no notebook but the cells that it runs.
"""

import functools
import inspect
import json
from difflib import get_close_matches
from pathlib import Path

from attnlib._inputs import refuse
from attnlib.widgets._goals import Goal

FILE = Path(__file__).with_name("lessons.json")
LESSON = inspect.Parameter("lesson", inspect.Parameter.KEYWORD_ONLY, default=None)


def led_by_lessons(init):
    """Let a constructor take `lesson`; what else comes in goes before what the lesson says."""

    @functools.wraps(init)
    def led(self, *args, lesson=None, **inputs):
        told = {} if lesson is None else _told_of(lesson, type(self).__name__)
        init(self, *args, **(told | inputs))

    own = inspect.signature(init)
    led.__signature__ = own.replace(parameters=[*own.parameters.values(), LESSON])
    return led


def _told_of(lesson, kind):
    """Return what a lesson says of a widget of this class, as its constructor takes it."""
    lessons = all_lessons()
    if not isinstance(lesson, str) or lesson not in lessons:
        close = get_close_matches(str(lesson), lessons, n=1)
        hint = f" (did you mean {close[0]}?)" if close else ""
        rule = f"lesson must be one of {', '.join(lessons)}"
        refuse(rule, f"there is none of this name{hint}", lesson=repr(lesson))
    told = lessons[lesson]
    if told["class"] != kind:
        rule = f"lesson must be one of those that tell of {kind}"
        refuse(rule, f"this one tells of {told['class']}", lesson=repr(lesson))
    moments = [(title, state) for moment in told["moments"] for title, state in moment.items()]
    return told["start"] | {"goal": _goal(told["goal"]), "moments": moments}


@functools.cache
def all_lessons():
    """Return what the lessons say, by the names with which their cells ask for it."""
    return json.loads(FILE.read_text(encoding="utf-8"))


def _goal(told):
    """Return a goal of its words and of what it asks; a place is written as "2, 1"."""
    if told is None:
        return None
    asked = {
        name: {_place(place): pair for place, pair in ends.items()}
        if isinstance(ends, dict)
        else ends
        for name, ends in told.items()
    }
    return Goal(**asked)


def _place(written):
    return tuple(int(number) for number in written.split(","))
