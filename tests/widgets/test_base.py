"""What all widgets share: how they are shown and recorded, and how their inputs hold together."""

import base64
import inspect
import io
import json
import re
import subprocess
import sys
from importlib import import_module

import ipywidgets
import numpy as np
import pytest
import traitlets
from PIL import Image

from attnlib import entropy, softmax, widgets
from attnlib.widgets import (
    DotProduct,
    Heads,
    Mask,
    SelfAttention,
    Softmax,
    Writer,
)
from attnlib.widgets import _traits as kinds
from attnlib.widgets._base import Widget, plain
from attnlib.widgets._bundle import BUNDLE, Bundled
from tests.widgets.still import is_readable
from tests.widgets.training import made_up

STATE = "application/vnd.attnlib.widget+json"
LIVE = "application/vnd.jupyter.widget-view+json"
COLUMN = [[1.0], [0.0], [2.0]]

WIDGETS = [name for name in widgets.__all__ if hasattr(getattr(widgets, name), "still")]


def own_tests(name):
    """Return the module of a widget's own tests, called like the widget's module."""
    module = getattr(widgets, name).__module__.rpartition(".")[2]
    return import_module(f"tests.widgets.test_{module}")


def make(name):
    """Return the example of a widget that stands in its own tests, no input of which is usual."""
    return own_tests(name).example()


every_widget = pytest.mark.parametrize("name", WIDGETS)


def state_of(widget):
    """Return the inputs and the derived traits, to be compared."""
    derived = {name: str(getattr(widget, name)) for name in ("weights", "entropy")}
    return widget.recorded(), derived


# How a widget is shown


@every_widget
def test_it_is_shown_as_text_live_and_as_a_picture_with_alt_text(name):
    widget = make(name)
    data, metadata = widget._repr_mimebundle_()
    assert data.keys() == {"text/plain", LIVE, "image/png", STATE}
    assert data["text/plain"] == repr(widget)
    assert data[LIVE]["model_id"] == widget.model_id
    assert data[STATE] == widget.recorded()
    with Image.open(io.BytesIO(base64.b64decode(data["image/png"]))) as picture:
        picture.load()
        assert picture.format == "PNG"
        assert min(picture.size) > 100
        assert len(picture.getcolors()) > 5
    assert metadata["image/png"] == {"alt": widget._alt()}
    assert len(widget._alt()) > 40


@every_widget
def test_repr_is_code_that_makes_an_equal_widget(name):
    widget = make(name)
    again = eval(repr(widget), vars(widgets))
    assert repr(again) == repr(widget)
    assert again.recorded() == widget.recorded()
    assert repr(widget).startswith(f"{name}(")


def test_an_array_too_long_to_read_is_printed_as_its_shape():
    assert "scores=<17>" in repr(Softmax(range(17)))
    assert f"scores={[float(i) for i in range(16)]}" in repr(Softmax(range(16)))
    weights = np.tile(np.eye(3), (2, 1, 1))
    assert repr(Heads(weights, ["a", "b", "c"])).startswith("Heads(weights=<2 × 3 × 3>, words=")


@every_widget
def test_recorded_is_json_of_the_inputs_without_ids(name):
    widget = make(name)
    state = widget.recorded()
    text = json.dumps(state, allow_nan=False)
    assert json.loads(text) == state
    assert state["class"] == name
    assert state["traits"].keys() <= inputs_of(type(widget)) - {*widget._to_function}
    assert widget.model_id not in text


@every_widget
def test_two_widgets_of_equal_values_give_equal_bytes(name):
    one, other = make(name), make(name)
    assert one.model_id != other.model_id
    assert one.still() == other.still()
    assert repr(one) == repr(other)
    assert json.dumps(one.recorded()) == json.dumps(other.recorded())


def test_other_values_give_another_picture():
    assert Softmax([2, 1]).still() != Softmax([1, 2]).still()


@pytest.mark.parametrize("word", ["$x$", "a$b", r"\$5", "cost: $", r"\alpha", "plain", ""])
def test_plain_keeps_a_short_word_to_the_letter_and_cuts_a_long_one(word):
    assert plain(word) == word
    assert plain("$" * 15) == "$" * 13 + "…"
    assert plain("$" * 14) == "$" * 14
    assert plain("abcd", 3) == "ab…"


def test_a_still_is_drawn_once_for_each_state(monkeypatch):
    widget, drawn = Softmax([2, 1]), []
    draw = widget._draw
    monkeypatch.setattr(Softmax, "_draw", lambda self: drawn.append(1) or draw())
    first = widget.still()
    for _ in range(3):
        widget._repr_mimebundle_()
    assert (drawn, widget.still()) == ([1], first)
    widget.temperature = 2
    assert widget.still() != first
    assert len(drawn) == 2


@every_widget
def test_at_the_foot_of_a_still_stands_that_it_is_one(name):
    paper = make(name)._draw()
    (foot,) = [word for word in paper.words if "still picture" in word.words]
    assert foot.color == "#57606a"
    assert foot.y == max(word.y for word in paper.words)
    is_readable(paper)


# What a public class must have


@every_widget
def test_every_public_class_has_the_bundle_and_a_docstring_of_three_parts(name):
    widget = make(name)
    assert issubclass(type(widget), Widget)
    assert str(widget._esm) == BUNDLE.read_text(encoding="utf-8")
    assert widget._class == name
    parts = re.findall(r"^(\w+)\n-+$", inspect.getdoc(getattr(widgets, name)), re.MULTILINE)
    assert parts == ["Parameters", "Attributes", "Examples"]


@every_widget
def test_every_parameter_is_an_input_trait_or_the_readers_function(name):
    cls = getattr(widgets, name)
    parameters = inspect.signature(cls).parameters
    functions = set(parameters) - inputs_of(cls) - {"goal", "moments", "lesson"}
    assert inputs_of(cls) <= set(parameters)
    assert len(functions) == issubclass(cls, widgets._plugin.Plugged)
    assert all(parameters[function].default is None for function in functions)


@every_widget
def test_every_parameter_and_every_derived_trait_is_documented(name):
    cls = getattr(widgets, name)
    told = inspect.getdoc(cls)  # without the indent, which Python takes away itself from 3.13 on
    _, parameters, attributes = re.split(r"\n(?:Parameters|Attributes)\n.*\n", told)
    for parameter in inspect.signature(cls).parameters:
        assert re.search(rf"^[\w, ]*\b{parameter}\b[\w, ]*( :|$)", parameters, re.MULTILINE)
    for derived in derived_of(cls):
        assert re.search(rf"^[\w, ]*\b{derived}\b[\w, ]*( :|$)", attributes, re.MULTILINE)


@every_widget
def test_derived_traits_are_read_only(name):
    widget = make(name)
    assert derived_of(type(widget))
    for derived in derived_of(type(widget)):
        assert getattr(widget, derived) is not None
        with pytest.raises(traitlets.TraitError, match="read-only"):
            setattr(widget, derived, 1.0)


def inputs_of(cls):
    """Return the names of the traits that come from the browser and are not the library's."""
    own = cls.class_traits(sync=True).keys() - Bundled.class_traits().keys()
    return {name for name in own - derived_of(cls) if not name.startswith("_")}


def derived_of(cls):
    """Return the names of the class's own traits that Python computes."""
    derived = kinds.Derived | kinds.DerivedNumber
    return {name for name, trait in cls.class_traits().items() if isinstance(trait, derived)}


# Inputs change, derived traits follow


def test_derived_traits_follow_an_input():
    widget = Softmax([1, 0], temperature=1)
    widget.scores = [0, 0]
    assert widget.weights.tolist() == [0.5, 0.5]
    widget.scores = [1, 0]
    widget.temperature = 0.5
    assert widget.weights[0] == pytest.approx(1 / (1 + np.exp(-2)))


def test_derived_traits_can_be_observed():
    widget, seen = Softmax([1, 0]), []
    widget.observe(lambda change: seen.append(change.new.tolist()), names="weights")
    widget.scores = [3, 3]
    assert seen == [[0.5, 0.5]]


@pytest.mark.parametrize("by_hand", [False, True])
def test_observers_hear_of_each_change_once_and_of_nothing_else(by_hand):
    widget, heard = Softmax([1, 0], temperature=2), []
    widget.observe(heard.append, [name for name in widget.traits() if name[0] != "_"])

    def change(**inputs):
        heard.clear()
        widget.set_state(inputs) if by_hand else widget.set(**inputs)
        return sorted(change.name for change in heard)

    assert change(scores=[3.0, 2.0]) == ["scores"]  # the weights are the same
    assert change(scores=[3.0, 2.0]) == change(names=["key 0", "key 1"]) == []
    assert change(temperature=1.0) == ["entropy", "temperature", "weights"]
    assert change(scores=[3.0, 3.0], temperature=2.0) == [
        "entropy", "scores", "temperature", "weights",
    ]  # fmt: skip
    with pytest.raises(ValueError, match="3 != 2"):
        change(scores=[1.0, 2.0, 3.0])
    assert heard == []
    with pytest.raises(ValueError, match="3 != 2"):
        widget.scores = [1, 2, 3]
    assert heard == []
    widget.set(naive=True, shift=1000.0, temperature=1.0)  # inf / inf
    assert np.isnan(widget.weights).all()
    assert change(shift=999.0) == ["shift"]  # nan it was, nan it is


@pytest.fixture
def computed(monkeypatch):
    """Count how often a Softmax computes."""
    counted = []
    derive = Softmax._derive
    monkeypatch.setattr(Softmax, "_derive", lambda widget: counted.append(1) or derive(widget))
    return counted


def test_making_a_widget_computes_once(computed):
    Softmax([1, 0], temperature=2, shift=1)
    assert len(computed) == 1


def test_changes_of_the_browser_come_together_and_are_computed_once(computed):
    widget = Softmax([1, 0])
    computed.clear()
    widget.set_state({"scores": [3.0, 3.0, 3.0], "names": ["a", "b", "c"], "temperature": 2.0})
    assert len(computed) == 1
    assert widget.names == ("a", "b", "c")
    assert widget.weights == pytest.approx([1 / 3] * 3)
    widget.scores = [1, 2, 3]  # by code again
    assert len(computed) == 2
    assert widget.weights.argmax() == 2


def test_an_input_that_does_not_fit_is_put_back():
    widget = Softmax([1, 0])
    before = state_of(widget)
    with pytest.raises(ValueError, match=r"each score needs one name: .*, and 3 != 2"):
        widget.scores = [1, 2, 3]
    assert state_of(widget) == before


def test_all_inputs_changed_together_are_put_back():
    widget = Softmax([1, 0])
    before = state_of(widget)

    def change_both():
        with widget.hold_trait_notifications():
            widget.temperature = 7
            widget.scores = [1, 2, 3]

    with pytest.raises(ValueError, match="each score needs one name"):
        change_both()
    assert state_of(widget) == before


def test_inputs_that_fit_only_together_are_taken_together():
    widget = Softmax([1, 0])
    with widget.hold_trait_notifications():
        widget.scores = [2, 2, 2]
        widget.names = ["a", "b", "c"]
    assert widget.weights == pytest.approx([1 / 3] * 3)


@pytest.mark.parametrize(
    "sent",
    [
        {"temperature": 7.0, "scores": [5.0, 5.0, 5.0]},
        {"scores": [5.0, 5.0], "temperature": 0.0},
        {"temperature": 7.0, "scores": ["x", 5.0]},
    ],
)
def test_all_that_the_browser_sent_is_put_back_where_a_part_is_wrong(sent):
    widget = Softmax([1, 0])
    before = state_of(widget)
    with pytest.raises((ValueError, TypeError), match=", and "):
        widget.set_state(sent)
    assert state_of(widget) == before
    widget.shift = 1.0  # and it lives on
    assert widget.recorded()["traits"]["shift"] == 1


def test_a_widget_that_cannot_be_made_says_why_once():
    with pytest.raises(ValueError, match=r"^each score needs one name: .*, and 2 != 1") as told:
        Softmax([1, 0], ["a"])
    assert told.value.__context__ is None


# The kinds of traits


class Box(traitlets.HasTraits):
    """One trait of each kind."""

    grid = kinds.Numbers("n, d", least=-10, most=10)
    free = kinds.Numbers("n, d")
    maybe = kinds.Numbers("n", optional=True)
    number = kinds.Number(1.0, least=0.5, most=8)
    integer = kinds.Integer(3, least=1, most=8)
    place = kinds.Index(0, of="words")
    flag = kinds.Flag(True)
    choice = kinds.OneOf("left", "right")
    words = kinds.Words(most=3)
    mask = kinds.MaskGrid("n_queries", "n_keys")


def box():
    return Box(
        grid=[[1, 2]], free=[[1, 2]], maybe=[1], words=["I", "saw"], mask=np.eye(2, dtype=bool)
    )


NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize(
    ("name", "value", "error", "message"),
    [
        ("grid", [1, 2], ValueError, "grid must have the axes (n, d): grid is (2,), and 1 != 2."),
        ("grid", [[1, 2], [3, NAN]], ValueError, "grid must hold finite numbers: grid is (2, 2), "
         "and grid[1, 1] = nan is not finite."),
        ("grid", [[-INF]], ValueError, "grid must hold finite numbers: grid is (1, 1), and grid[0, "
         "0] = -inf is not finite."),
        ("grid", [[10, 10.5]], ValueError, "grid must lie between -10 and 10: grid is (1, 2), and "
         "grid[0, 1] = 10.5 does not."),
        ("grid", [[-11]], ValueError, "grid must lie between -10 and 10: grid is (1, 1), and "
         "grid[0, 0] = -11 does not."),
        ("grid", [[1, 2], [3]], ValueError, "the rows of grid must have one shape: grid[0] is "
         "(2,), grid[1] is (1,), and (2,) != (1,)."),
        ("grid", [["a"]], TypeError, "grid must hold floats (of 16, 32 or 64 bits), integers or "
         "bools: grid is str (1, 1), and str is none of these."),
        ("grid", None, TypeError, "grid must hold floats (of 16, 32 or 64 bits), integers or "
         "bools: grid is None, and NoneType is none of these."),
        ("free", [[NAN]], ValueError, "free must hold finite numbers: free is (1, 1), and free[0, "
         "0] = nan is not finite."),
        ("maybe", [[1]], ValueError, "maybe must have the axes (n): maybe is (1, 1), and 2 != 1."),
        ("number", 0.25, ValueError, "number must lie between 0.5 and 8: number is 0.25, and 0.25 "
         "does not."),
        ("number", 9, ValueError, "number must lie between 0.5 and 8: number is 9.0, and 9 does "
         "not."),
        ("number", NAN, ValueError, "number must lie between 0.5 and 8: number is nan, and nan "
         "does not."),
        ("number", INF, ValueError, "number must lie between 0.5 and 8: number is inf, and inf "
         "does not."),
        ("number", [1.0], ValueError, "number must be one number: number is [1.0], and it is not "
         "one."),
        ("number", True, ValueError, "number must be one number: number is True, and it is not "
         "one."),
        ("number", "1", TypeError, "number must hold floats (of 16, 32 or 64 bits), integers or "
         "bools: number is '1', and str is none of these."),
        ("integer", 0, ValueError, "integer must lie between 1 and 8: integer is 0, and 0 does "
         "not."),
        ("integer", 9, ValueError, "integer must lie between 1 and 8: integer is 9, and 9 does "
         "not."),
        ("integer", 10**30, ValueError,
         f"integer must lie between 1 and 8: integer is {10**30}, and {10**30} does not."),
        ("integer", 2.0, TypeError, "integer must be an integer: integer is 2.0, and float is not "
         "int."),
        ("integer", True, TypeError, "integer must be an integer: integer is True, and bool is not "
         "int."),
        ("place", "0", TypeError, "place must be an integer: place is '0', and str is not int."),
        ("place", None, TypeError, "place must be an integer: place is None, and NoneType is not "
         "int."),
        ("flag", 1, TypeError, "flag must be True or False: flag is 1, and int is not bool."),
        ("flag", None, TypeError, "flag must be True or False: flag is None, and NoneType is not "
         "bool."),
        ("choice", "up", ValueError, "choice must be one of 'left', 'right': choice is 'up', and "
         "it is none of them."),
        ("choice", ["left"], ValueError, "choice must be one of 'left', 'right': choice is "
         "['left'], and it is none of them."),
        ("words", "I saw", TypeError, "words must be a sequence of words: words is 'I saw', and "
         "str is no sequence of str."),
        ("words", 3, TypeError, "words must be a sequence of words: words is 3, and int is no "
         "sequence of str."),
        ("words", ["I", None], TypeError, "words must be a sequence of words: words[1] is None, "
         "and NoneType is not str."),
        ("words", [], ValueError, "words must hold at least one word: words is (), and 0 < 1."),
        ("words", ["w"] * 200, ValueError, "a picture holds at most 3 words (show a part of the "
         "sentence): words is a sequence of 200, and 200 > 3."),
        ("mask", [True], ValueError, "mask must have the axes (n_queries, n_keys): mask is (1,), "
         "and 1 != 2."),
        ("mask", np.array([[1, 0]], dtype="int64"), TypeError,
         "mask must be boolean, True where a query may look (numbers to add go into bias): mask is "
         "int64 (1, 2), and int64 is not bool."),
    ],
)  # fmt: skip
def test_every_kind_refuses_nonsense_in_three_parts_and_keeps_what_was(name, value, error, message):
    kept = box()
    before = getattr(kept, name)
    with pytest.raises(error) as told:
        setattr(kept, name, value)
    assert str(told.value) == message
    assert getattr(kept, name) is before


def test_every_kind_takes_what_fits_and_keeps_it_as_one_type():
    kept = box()
    kept.grid = np.array([[-10, 10]])
    assert (kept.grid.dtype, kept.grid.tolist()) == (np.float64, [[-10, 10]])
    kept.maybe = None
    assert kept.maybe is None
    kept.number, kept.integer, kept.place = np.float32(0.5), np.int8(8), np.uint8(1)
    assert [type(x) for x in (kept.number, kept.integer, kept.place)] == [float, int, int]
    kept.number = np.array(8)
    assert (kept.number, kept.integer, kept.place) == (8, 8, 1)
    kept.flag = np.False_
    assert kept.flag is False
    kept.choice, kept.words = np.str_("right"), (np.str_(w) for w in ("a", "", "c"))
    assert [type(x) for x in (kept.choice, *kept.words)] == [str] * 4
    assert (kept.choice, kept.words) == ("right", ("a", "", "c"))
    kept.mask = [[True, False]]
    assert (kept.mask.dtype, kept.mask.tolist()) == (bool, [[True, False]])


@pytest.mark.parametrize(("place", "clash"), [(2, "2 > 1"), (-1, "-1 < 0")])
def test_an_index_must_be_a_place_in_what_it_indexes(place, clash):
    kept = box()
    for fine in (0, 1):
        kept.place = fine
        kinds.require_index(kept, "place")
    kept.place = place
    with pytest.raises(ValueError, match=r"^place must be") as told:
        kinds.require_index(kept, "place")
    assert str(told.value) == (
        "place must be the place of one of the words, counted from 0: "
        f"place is {place}, the number of words is 2, and {clash}."
    )


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_short_floats_keep_the_digits_they_hold(dtype):
    numbers = dtype([[0.5, 0.25], [-3, 1.5]])
    kept = box()
    kept.grid = numbers
    assert kept.grid.tolist() == numbers.tolist()
    kept.grid = np.float32([[0.1, 1 / 3]])
    assert kept.grid.tolist() == [[0.1, 0.3333333]]
    kept.free = np.float32([[1.234567e-30, 16777216]])
    assert kept.free.tolist() == [[1.234567e-30, 16777220]]
    kept.free = np.array([[1 / 3]])  # of 64 bits, all digits are kept
    assert kept.free.tolist() == [[1 / 3]]


@pytest.mark.parametrize("name", ["grid", "mask"])
def test_stored_arrays_are_read_only_and_not_the_callers(name):
    kept = box()
    mine = np.zeros((2, 2), dtype=bool if name == "mask" else float)
    setattr(kept, name, mine)
    mine[0, 0] = 1
    assert not getattr(kept, name).any()
    with pytest.raises(ValueError, match="read-only"):
        getattr(kept, name)[0, 0] = 1
    assert mine.flags.writeable


@every_widget
def test_no_array_of_a_widget_can_be_written_into(name):
    widget = make(name)
    for trait in inputs_of(type(widget)):
        value = getattr(widget, trait)
        if isinstance(value, np.ndarray):
            assert not value.flags.writeable


def test_what_goes_to_the_browser_is_plain_json():
    mask = Mask(COLUMN, COLUMN, COLUMN, words=["I", "saw", "it"])
    sent = mask.get_state(["query", "mask", "words", "changed"])
    assert sent["query"] == COLUMN
    assert json.loads(json.dumps(sent))["mask"] == mask.mask.tolist()


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (np.array([[1.5], [2]]), "[[1.5], [2.0]]"),
        (np.ones((17, 1)), "<17 × 1>"),
        (("a", "b'c"), """['a', "b'c"]"""),
        (None, "None"),
        ("x", "'x'"),
        (0.5, "0.5"),
    ],
)
def test_values_are_printed_as_code_or_as_a_shape(value, text):
    assert kinds.printed(value) == text


# Changes, seen from outside


def sent_by(widget, monkeypatch):
    """Return a list that grows by what is sent to the browser."""
    sent = []
    monkeypatch.setattr(widget, "_send", lambda message, buffers=None: sent.append(message))
    return sent


def test_the_browser_never_hears_of_an_input_that_is_put_back(monkeypatch):
    widget = Softmax([2, 1])
    sent = sent_by(widget, monkeypatch)
    with pytest.raises(ValueError, match="3 != 2"):
        widget.scores = [1, 2, 3]
    assert all(message["state"].get("scores") in (None, [2.0, 1.0]) for message in sent)


def test_inputs_that_change_together_are_sent_in_one_message(monkeypatch):
    widget = Softmax([2, 1])
    sent = sent_by(widget, monkeypatch)
    with widget.hold_trait_notifications():
        widget.scores = [1, 2, 3]
        widget.names = ["a", "b", "c"]
    (message,) = sent
    assert message["state"] == {
        "scores": [1.0, 2.0, 3.0],
        "names": ("a", "b", "c"),
        "entropy": widget.entropy,
    }


def test_what_code_sets_is_what_reset_goes_back_to():
    """The browser keeps what the hand has changed as it was before; code's own change clears it."""
    widget = Softmax([2.0, 1.0])
    kept = {"scores": [2.0, 1.0], "temperature": 1.0}
    widget.set_state({"scores": [9.0, 1.0], "temperature": 3.0, "_untouched": kept})
    assert widget._untouched == kept
    widget.temperature = 3.0  # no change
    assert widget._untouched == kept
    widget.temperature = 5.0
    assert widget._untouched == {"scores": [2.0, 1.0]}
    widget.names = ["other", "names"]  # with them, what was there before might not fit
    assert widget._untouched == {}
    assert "_untouched" not in widget.recorded()["traits"]


def test_an_observer_of_the_hand_sees_what_follows():
    widget = Softmax([2, 1])
    seen = []
    widget.observe(lambda change: seen.append(widget.weights), "temperature")
    widget.set_state({"temperature": 100.0})
    assert seen[0] == pytest.approx(softmax([2, 1], temperature=100))


def test_an_observer_may_change_an_input_in_turn():
    widget = Softmax([9, 1])

    def warm(change):
        widget.temperature = 50

    widget.observe(warm, "weights")
    widget.scores = [8, 1]
    assert widget.weights == pytest.approx(softmax([8, 1], temperature=50))
    assert widget.entropy == pytest.approx(entropy(widget.weights))


def test_link_ties_a_number_to_a_slider_both_ways():
    slider, shown = ipywidgets.FloatSlider(1, min=0.5, max=8), Softmax([2.0, 1.0])
    ipywidgets.link((slider, "value"), (shown, "temperature"))
    slider.value = 4
    assert shown.temperature == 4
    assert shown.weights.tolist() == softmax([2.0, 1.0], temperature=4).tolist()
    shown.temperature = 2
    assert slider.value == 2


# Several inputs at once, and numbers for others


def test_set_changes_inputs_together_and_computes_and_sends_once(computed, monkeypatch):
    widget = Softmax([2, 1])
    sent = sent_by(widget, monkeypatch)
    computed.clear()
    widget.set(scores=[0, 0, 0], names=["a", "b", "c"], temperature=2)
    assert len(computed) == len(sent) == 1
    assert widget.weights == pytest.approx([1 / 3] * 3)
    assert (widget.names, widget.temperature) == (("a", "b", "c"), 2)


@pytest.mark.parametrize(
    "inputs",
    [
        {"temperature": 7, "scores": [1, 2, 3]},  # one name too few
        {"temperature": 7, "scores": "many"},
        {"scores": [3, 3], "temperature": -1},
        {"temperature": 7, "scores": [3, 3], "name": ["a", "b"]},  # no such input
    ],
)
def test_set_puts_everything_back_where_a_part_is_wrong(inputs, monkeypatch):
    widget = Softmax([1, 0])
    before, sent = state_of(widget), sent_by(widget, monkeypatch)
    with pytest.raises((ValueError, TypeError, AttributeError)):
        widget.set(**inputs)
    assert state_of(widget) == before
    assert all(message["state"].get("temperature") in (None, 1.0) for message in sent)


@pytest.mark.parametrize(
    ("name", "hint"),
    [("Scores", "; did you mean scores?"), ("temprature", "; did you mean temperature?"),
     ("name", "; did you mean names?"), ("colour", ".")],
)  # fmt: skip
def test_a_mistyped_input_is_refused_with_what_is_close_to_it(name, hint):
    widget = Softmax([2, 1])
    message = (
        f"Softmax has the inputs scores, names, temperature, shift, naive: {name} came in, and it "
        f"is none of them{hint}"
    )
    for change in (lambda: setattr(widget, name, 1), lambda: widget.set(**{name: 1})):
        with pytest.raises(AttributeError) as told:
            change()
        assert str(told.value) == message
    assert not hasattr(widget, name)
    assert widget.weights == pytest.approx(softmax([2, 1]))
    with pytest.raises(TypeError) as told:
        Softmax([2, 1], **{name: 1})
    takes = "scores, names, temperature, shift, naive, softmax, goal, moments, lesson, layout"
    message = f"Softmax has the inputs {takes}: {name} came in, and it is none of them{hint}"
    assert str(told.value) == message


@pytest.mark.parametrize("name", ["lesson", "layout"])
def test_what_every_constructor_takes_is_close_to_what_is_mistyped(name):
    with pytest.raises(TypeError, match=f"did you mean {name}[?]$"):
        Softmax([2, 1], **{name.replace("o", "oo"): None})


def test_what_a_widget_cannot_do_without_is_said_in_three_parts():
    with pytest.raises(TypeError) as told:
        Writer(lesson="12")
    assert str(told.value) == "Writer needs words: nothing came in, and words is missing."
    with pytest.raises(TypeError) as told:
        SelfAttention([[1.0]], words=["a"])
    needs = "query, key, value, words: query, words came in, and key is missing."
    assert str(told.value) == f"SelfAttention needs {needs}"


def test_softmax_without_scores_says_that_scores_are_missing():
    with pytest.raises(ValueError, match="at least one") as told:
        Softmax([])
    rule = "scores must hold at least one score"
    assert str(told.value) == f"{rule}: scores is (0,), and 0 < 1."


def test_what_is_derived_cannot_be_set_together_with_inputs():
    widget = Softmax([2, 1])
    with pytest.raises(AttributeError, match="weights came in, and it is none of them"):
        widget.set(weights=[1, 0])


@pytest.mark.parametrize(
    ("widget", "inputs", "hint"),
    [
        ("Softmax", {"scores": [1, 2, 3]}, ".set(scores=…, names=…)"),
        ("Softmax", {"names": ["a"]}, ".set(names=…, scores=…)"),
        ("Heads", {"words": ["a", "b", "c"]}, ".set(words=…, weights=…)"),
        ("Heads", {"weights": [[[1.0]]] * 2}, ".set(weights=…, words=…)"),
        ("Alignment", {"targets": ["a"]}, ".set(targets=…, scores=…)"),
        ("Learning", {"record": made_up(["I"], [0, 9], 1)}, ".set(record=…, word=…)"),
        ("Mask", {"query": COLUMN[:2]}, ".set(query=…, words=…)"),
        ("Reach", {"words": ["a", "b"]}, ".set(words=…, scores=…)"),
        ("SelfAttention", {"words": ["a"]}, ".set(words=…, query=…)"),
        ("DotProduct", {"a": [1, 2, 3]}, None),
        ("Softmax", {"scores": "many"}, None),
        ("Heads", {"head": 9}, None),
    ],
)
def test_what_fits_only_together_with_other_inputs_is_told_with_set(widget, inputs, hint):
    shown = make(widget)
    with pytest.raises((ValueError, TypeError)) as told:
        setattr(shown, *next(iter(inputs.items())))
    if hint is None:
        assert ".set(" not in str(told.value)
    else:
        assert str(told.value).endswith(f". To change them together: {hint}")
    with pytest.raises((ValueError, TypeError)) as told:
        shown.set(**inputs)
    assert ".set(" not in str(told.value)


SENT = {
    "Backward": {"loss", "slope", "promised", "change"},
    "DotProduct": {"dot", "length_a", "length_b", "cosine", "angle"},
    "Learning": {"loss", "accuracy"},
    "Positions": {"similarity"},
    "Reach": {"waits", "longest"},
    "Scaling": {"spread", "expected", "entropy", "mean_entropy"},
    "Softmax": {"entropy"},
    "Tiles": {"top", "total", "factor", "difference", "held", "n_blocks"},
}


@pytest.mark.parametrize("name", SENT)
def test_derived_numbers_are_sent_so_that_others_link_to_them(name, monkeypatch):
    widget = make(name)
    state = widget.get_state()
    assert SENT[name] <= set(widget.keys) & state.keys()
    assert not derived_of(type(widget)) - SENT[name] & state.keys()
    for number in SENT[name]:
        assert state[number] == pytest.approx(getattr(widget, number), nan_ok=True) or (
            state[number] is None
        )
        ipywidgets.jslink((widget, number), (ipywidgets.FloatText(), "value"))
        assert number not in widget.recorded()["traits"]


def test_a_number_that_is_none_is_told_as_none():
    widget = Softmax([90, 100], shift=800, naive=True)
    assert np.isnan(widget.entropy)
    assert widget.get_state("entropy") == {"entropy": None}
    assert DotProduct([0, 0], [1, 0]).get_state("angle") == {"angle": None}


def test_an_observer_of_a_derived_number_and_the_browser_hear_of_it(monkeypatch):
    widget = DotProduct([1, 3], [4, 2])
    sent = sent_by(widget, monkeypatch)
    widget.b = [2, 0]
    (message,) = sent
    assert message["state"]["dot"] == 2


def test_importing_the_widgets_and_drawing_a_still_loads_no_matplotlib():
    code = (
        "import sys; from attnlib.widgets import Softmax; Softmax([2, 1]).still(); "
        "print(*(m for m in sys.modules if m.partition('.')[0] == 'matplotlib'))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
