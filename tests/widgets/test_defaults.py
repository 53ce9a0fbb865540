"""What is at its default is neither recorded nor printed, and is there again when it is shown."""

import copy
import inspect
import json

import pytest

from attnlib import widgets
from attnlib.jupyter.mime import LIVE, STATE
from attnlib.jupyter.saving import take_in_states
from attnlib.pictures.shared import SHARED
from attnlib.widgets import Scaling
from attnlib.widgets._base import Widget
from attnlib.widgets._record import revived
from attnlib.widgets._traits import Flag
from tests.test_saving import left, played
from tests.widgets.test_base import WIDGETS, every_widget, make

DEFAULTS = SHARED["defaults"]
NEEDED = {"Heads": ["weights", "words"]}  # it can be made without, of a sentence and its encoder
COLORS = {"_colors": {"query": "#000000"}}  # stood in each record once, and is read by nobody


def bare(name):
    """Return a widget of which nothing is said but what must be."""
    cls, example = getattr(widgets, name), make(name)
    parameters = inspect.signature(cls).parameters.items()
    needed = [n for n, one in parameters if one.default is one.empty] or NEEDED.get(name, [])
    return cls(**{n: getattr(example, n) for n in needed})


def as_json(value):
    return json.loads(json.dumps(value))


@every_widget
def test_the_files_defaults_are_those_of_the_class(name):
    usual = inspect.signature(getattr(widgets, name)).parameters
    widget = bare(name)
    state = as_json(widget.get_state([*widget._inputs, *widget._to_function]))
    needed = [n for n, one in usual.items() if one.default is one.empty]
    fixed = {n: x for n, x in state.items() if n not in needed and x == as_json(usual[n].default)}
    assert fixed == DEFAULTS.get(name, {})  # every other input follows from those that came in


def test_the_file_knows_no_other_widgets():
    assert DEFAULTS.keys() == {"Widget", *WIDGETS}


def test_what_every_widget_has_is_at_first_as_the_file_says():
    assert Scaling().get_state(DEFAULTS["Widget"]) == DEFAULTS["Widget"]


@every_widget
def test_what_is_at_its_default_is_neither_recorded_nor_printed_and_comes_back(name):
    widget = bare(name)
    record, said = widget.recorded(), repr(widget)
    assert not record["traits"].keys() & DEFAULTS[name].keys()
    assert [trait for trait in DEFAULTS[name] if f"{trait}=" in said] == []
    again = revived(as_json(record))
    assert again.get_state(again._inputs) == widget.get_state(widget._inputs)


@every_widget
def test_a_record_of_all_traits_as_they_once_were_is_of_the_same_widget(name):
    record = bare(name).recorded()
    whole = {"class": name, "traits": COLORS | DEFAULTS[name] | record["traits"]}
    assert revived(as_json(whole)).recorded() == record


@pytest.fixture
def more(monkeypatch):
    """Return Scaling with an input more, which the file knows."""

    class Scaling(widgets.Scaling):
        more = Flag(False)

        def __init__(self, d=64, *, divisor="none", seed=0, more=False, goal=None, moments=()):
            inputs = {"d": d, "divisor": divisor, "seed": seed, "more": more}
            Widget.__init__(self, **inputs, goal=goal, moments=moments)

    monkeypatch.setitem(DEFAULTS, "Scaling", DEFAULTS["Scaling"] | {"more": False})
    return Scaling


def test_an_input_more_changes_no_notebook(more):
    how = {"d": 16, "moments": [("wide", {"d": 512})]}
    (before, described), (after, as_well) = (
        cls(**how)._repr_mimebundle_() for cls in (Scaling, more)
    )
    assert before.pop(LIVE) != after.pop(LIVE)  # which no notebook keeps
    assert (before, described) == (after, as_well)
    assert repr(more(more=True)) == "Scaling(more=True)"
    assert more(more=True).recorded()["traits"] == {"more": True}


# What a hand has moved


def test_what_a_hand_moved_from_its_default_is_saved_and_what_it_moved_back_is_not():
    saved = played(
        [left({"shift": 3.0, "naive": True, "_untouched": {"shift": 0, "naive": False}})]
    )
    first = copy.deepcopy(played([])["content"]["cells"])
    take_in_states(model=saved)
    output = saved["content"]["cells"][1]["outputs"][1]
    traits = output["data"][STATE]["traits"]
    assert traits["shift"] == 3
    assert traits["naive"] is True
    assert revived(output["data"][STATE]).shift == 3
    assert output["data"]["image/png"] != first[1]["outputs"][1]["data"]["image/png"]
    back = {"shift": 0, "naive": False, "_untouched": {}, "_moves": 0, "_reached": None}
    saved["content"]["metadata"] = {"attnlib": {"states": [left(back)]}}
    take_in_states(model=saved)
    for cells in (first, saved["content"]["cells"]):
        cells[1]["outputs"][1]["data"].pop(LIVE)
    assert saved["content"]["cells"] == first
