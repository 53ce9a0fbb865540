"""The goals of the lessons: the moves that reach each, and how far a hand moves a number."""

import json

import numpy as np

from attnlib import widgets
from attnlib.widgets import Goal
from course.render import WIDGET
from tests.lessons import SERIES

# Of each lesson that asks: what is handed to the widget's `set`, a move after a move.
MOVES = {
    "01_dot_product_similarity": [{"b": [1, 3]}],
    "08_positional_encoding": [{"first": 60}, {"second": 53}],
}

# Of each widget: the least and the most that its controls give an input, where its trait has more
# than these, or no ends. Of other whole numbers and of switches the trait knows all.
REACH = {
    "Positions": {"first": (0, 63), "second": (0, 63)},
    "Softmax": {"scores": (-10, 10), "temperature": (0.03, 30), "shift": (-800, 800)},
    "SelfAttention": {"query": (-3, 3), "key": (-3, 3), "value": (-3, 3)},
}


def recorded_widgets(lesson):
    """Return what the committed notebook of a lesson records of its widgets."""
    cells = SERIES[lesson].executed().cells
    outputs = (output for cell in cells for output in cell.get("outputs", []))
    return [output.data[WIDGET] for output in outputs if WIDGET in output.get("data", {})]


def goals():
    """Return the goals of the lessons, ``[(lesson, recorded widget), …]``."""
    return [
        (lesson, state)
        for lesson in SERIES
        for state in recorded_widgets(lesson)
        if state["traits"].get("_goal")
    ]


def revived(state, *, goal=True):
    """Return the widget that was recorded, with its goal and its moments."""
    cls, traits = getattr(widgets, state["class"]), json.loads(json.dumps(state["traits"]))
    inputs = {name: _of_json(cls, name, x) for name, x in traits.items() if name[0] != "_"}
    if isinstance(inputs.get("learned"), dict):  # what a page is sent of a table makes none
        inputs["learned"] = np.eye(len(inputs["learned"]["features"]))
    moments = [
        (moment["title"], {name: _of_json(cls, name, x) for name, x in moment["state"].items()})
        for moment in traits.get("_moments", [])
    ]
    asks = goal and traits.get("_goal")
    return cls(**inputs, moments=moments, goal=_goal(asks) if asks else None)


def _of_json(cls, name, value):
    return cls.class_traits()[name].metadata.get("from_json", lambda x, owner: x)(value, None)


def _goal(told):
    asked = {}
    for name, place, least, most in told["asked"]:
        asked.setdefault(name, {})[tuple(place)] = (least, most)
    return Goal(told["words"], changing=told["changing"], **asked)


def random_move(widget, rng):
    """Return one input of a widget, changed as by a hand: one number of it is another."""
    name = str(rng.choice(widget._movable))
    trait, value = type(widget).class_traits()[name], getattr(widget, name)
    if hasattr(trait, "choices"):
        return {name: str(rng.choice(trait.choices))}
    if isinstance(value, bool):
        return {name: not value}
    ends = REACH.get(type(widget).__name__, {}).get(name)
    if isinstance(value, int):
        least, most = ends or (trait.least, trait.most)
        return {name: int(rng.integers(least, most + 1))}
    if np.shape(value) == ():
        return {name: rng.uniform(*(ends or (trait.least, trait.most)))}
    changed = np.array(value)
    place = tuple(rng.integers(n) for n in changed.shape)
    if changed.dtype == bool:
        changed[place] ^= True
    else:
        changed[place] = rng.uniform(*(ends or (trait.least, trait.most)))
    return {name: changed}
