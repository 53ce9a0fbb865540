"""The goals of the lessons: the moves that reach each, and how far a hand moves a number."""

import json

import numpy as np

from attnlib import widgets, world
from attnlib.widgets import Goal
from attnlib.widgets._lessons import all_lessons
from attnlib.widgets._traits import Index, Integer, Words
from course.render import WIDGET
from tests.lessons import SERIES

# Of lesson 12: the story so far, and what one writes to reach its goal.
TOLD = """
the black cat finds Ann . the grey hen finds Tom . the white dog finds Eva .
the grey hen finds Ann . the black cat finds Eva . the grey hen likes
"""
MORE = "Ann . the grey hen finds Tom . the grey hen likes"

# Of lesson 07: what its words score, and what is lifted, one after the other.
ALIGNED = np.array([[6, 6, 2, -2, -6], [-2, 2, 6, -6, 2], [-6, -6, -2, 2, 6], [2, -2, -6, 6, -2]])


def aligned(*lifted):
    """Return lesson 07's scores, the one of "red" lifted for some of the words that read."""
    scores = ALIGNED / np.sqrt(2)
    scores[list(lifted), 3] = 7
    return scores


# Of each lesson that asks, with a word more where another of its widgets does: what is handed to
# the widget's `set`, a move after a move.
MOVES = {
    "01_dot_product_similarity": [{"a": [1, 0.5]}],
    "02_scaling": [{"d": 512}, {"divisor": "sqrt d"}],
    "03_softmax": [{"scores": [2.0, 1.0, 0.5, 2.5]}],
    "04_self_attention": [{"key": [[2, 0], [0, 4.9], [0, -1], [0, 1]]}],
    "05_masking": [  # what the second "saw" sees is then what the first one sees
        {"mask": np.array([[1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [1, 1, 0, 1]], bool)},
        {"mask": np.array([[1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [1, 1, 0, 0]], bool)},
    ],
    "06_multi_head": [{"off": [5, 0, 3, 4, 8, 6][:n]} for n in range(1, 7)],
    "07_cross_attention": [{"scores": aligned(1)}, {"scores": aligned(1, 2)}],
    "08_positional_encoding": [{"first": 60}, {"second": 53}],
    "09_the_way_back": [{"number": 2}, {"nudge": -0.4}],
    "10_learning_to_attend": [{"model": 0}, {"step": 200}],
    "11_recurrence_and_convolution": [{"depth": 11}],
    "12_a_model_that_writes block": [{"off": [0, 1, 2, 4, 5][:n]} for n in range(1, 6)],
    "12_a_model_that_writes": [{"words": TOLD.split() + MORE.split()[:n]} for n in range(1, 13)],
    "15_efficient_attention": [
        {"read": 2},
        {"scores": [0.5, 1.0, -0.5, 0.2, 1.7, 0.1, 1.2, -1.0, 3.0, 0.4, -0.3, 1.5]},
    ],
}

# Of each widget: the least and the most that its controls give an input, where its trait has more
# than these, or no ends; or all that they give. Of switches and choices the trait knows all.
REACH = {
    "Alignment": {"scores": (-7, 7)},
    "Learning": {"step": lambda widget: widget.record["steps"]},
    "Positions": dict.fromkeys(["first", "second"], lambda widget: range(widget.n_positions)),
    "Reach": {"width": range(3, 12, 2)},
    "Scaling": {"seed": range(20)},  # a draw is as good as another
    "SelfAttention": {name: (-10, 10) for name in ("query", "key", "value")},
    "Softmax": {"scores": (-5, 5), "temperature": (0.03, 30), "shift": (-800, 800)},
    "Tiles": {"scores": (-5, 5)},
    "Writer": {"temperature": (0.1, 10)},
}


def lessons_with(part):
    """Return the lessons that say this of a widget, "goal" or "moments", and the word more."""
    names = {lesson.number: name for name, lesson in SERIES.items()}
    return [f"{names[key[:2]]}{key[2:]}" for key, told in all_lessons().items() if told[part]]


ASKING = lessons_with("goal")
LEADING = list(dict.fromkeys(name.split()[0] for name in lessons_with("moments")))


def recorded_widgets(lesson):
    """Return what the committed notebook of a lesson records of its widgets."""
    cells = SERIES[lesson].executed().cells
    outputs = (output for cell in cells for output in cell.get("outputs", []))
    return [output.data[WIDGET] for output in outputs if WIDGET in output.get("data", {})]


def recorded_with(lesson, trait):
    """Return those that have a goal, or moments."""
    return [state for state in recorded_widgets(lesson) if state["traits"].get(trait)]


def revived(state, *, goal=True):
    """Return the widget that was recorded, with its goal and its moments."""
    cls, traits = getattr(widgets, state["class"]), json.loads(json.dumps(state["traits"]))
    inputs = {name: _of_json(cls, name, x) for name, x in traits.items() if name[0] != "_"}
    if cls is widgets.Heads:  # its words and weights, for the encoder that read it stays behind
        inputs.pop("sentence", None)
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
    trait, value, reach = _moved(widget, name)
    if hasattr(trait, "of") and np.ndim(value):  # several places: one joins them or leaves
        return {name: {*value} ^ {int(rng.choice(getattr(widget, trait.of)))}}
    if isinstance(trait, Index):
        other = {"word": 0} if name == "sentence" else {}  # as the browser chooses another one
        return {name: int(rng.integers(len(getattr(widget, trait.of))))} | other
    if isinstance(trait, Words):
        return {name: _written(widget, rng)}
    if hasattr(trait, "choices"):
        return {name: str(rng.choice(trait.choices))}
    if isinstance(value, bool):
        return {name: not value}
    if isinstance(value, int):
        return {name: int(rng.choice(reach))}
    changed = np.array(value)
    place = tuple(rng.integers(n) for n in changed.shape)
    if changed.dtype == bool:
        changed[place] ^= True
    else:
        changed[place] = rng.uniform(*reach)
    return {name: changed}


def _moved(widget, name):
    """Return the trait of an input, its value, and how far the hand moves a number of it."""
    trait, value = type(widget).class_traits()[name], getattr(widget, name)
    reach = REACH.get(type(widget).__name__, {}).get(name)
    if callable(reach):
        reach = reach(widget)
    if reach is None and isinstance(trait, Integer):
        reach = range(trait.least, trait.most + 1)
    if reach is None and hasattr(trait, "least"):
        reach = trait.least, trait.most
    return trait, value, reach


def held_down(widget):
    """Return what a key held down leads to, a move each: a number at either end, or any choice."""
    moves = []
    for name in widget._movable:
        trait, value, reach = _moved(widget, name)
        if isinstance(trait, Index) and not np.ndim(value):
            moves += [{name: place} for place in range(len(getattr(widget, trait.of)))]
        elif hasattr(trait, "choices"):
            moves += [{name: choice} for choice in trait.choices]
        elif not isinstance(trait, Index | Words) and np.array(value).dtype.kind != "b":
            for place in np.ndindex(np.shape(value)):
                for end in (reach[0], reach[-1]):
                    changed = np.array(value)
                    changed[place] = end
                    moves.append({name: changed if place else changed.item()})
    return moves


def _written(writer, rng):
    """Return a story with a word more, as often the model's as any, or with one taken back."""
    story = writer.words
    if len(story) == 48 or (len(story) > 1 and rng.random() < 0.3):
        return story[:-1]
    shares = (writer.chances / writer.chances.sum() + 1 / len(world.VOCABULARY)) / 2
    return (*story, str(rng.choice(world.VOCABULARY, p=shares)))
