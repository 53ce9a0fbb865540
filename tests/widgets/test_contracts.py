"""What every widget keeps to: nonsense is refused, callers' arrays stay theirs, what follows does.

What a kind of trait refuses, and in which words, tests of the kinds tell (test_base.py). Here each
input of each widget is handed nonsense of its kind, and each rule that inputs have together is
broken: a row of `BAD` each. Whatever is refused, the widget stays as it was, and lives.
"""

import inspect
import json
from functools import partial

import numpy as np
import pytest

from attnlib import text, widgets
from attnlib.widgets import _traits as kinds
from attnlib.widgets._curve import TrainingCurve
from attnlib.widgets._models import WriterModel, WriterModels
from attnlib.widgets._training import TrainingRecord
from tests.lessons import SERIES
from tests.widgets.goals import random_move, recorded_widgets
from tests.widgets.still import is_readable, texts
from tests.widgets.test_base import derived_of, every_widget, make
from tests.widgets.training import made_up

INF, NAN = float("inf"), float("nan")
EYE, ONES = np.eye(2), np.ones
HALF = np.full((2, 2, 2), 0.5)
LIMITS = {  # the least and the most of each number; where words are limited to fewer or more, those
    "Alignment": {"scores": (-100, 100), "targets": 40, "sources": 40},
    "Backward": {"scores": (-100, 100), "value": (-100, 100), "words": 8, "votes": 4,
                 "nudge": (-3, 3)},
    "Block": {"words": 48},
    "DotProduct": {"a": (-5, 5), "b": (-5, 5)},
    "Heads": {"values": (-1e100, 1e100), "words": INF},
    "Learning": {"step": (0, 10**9)},
    "Mask": {"words": 40},
    "Positions": {"n_positions": (1, 512), "d_model": (2, 64), "first": (0, 511),
                  "second": (0, 511), "head": (0, 7)},
    "Reach": {"words": 20, "width": (3, 11), "depth": (1, 12), "gate_bias": (0, 8),
              "sharpness": (0, 16), "scores": (-100, 100)},
    "Scaling": {"d": (1, 512), "seed": (0, 2**32 - 1)},
    "SelfAttention": dict.fromkeys(["query", "key", "value", "x"], (-1e6, 1e6))
    | {"words": 40, "key_features": 64, "value_features": 64},
    "Softmax": {"scores": (-100, 100), "names": 40, "temperature": (0.01, 100),
                "shift": (-1000, 1000)},
    "Tiles": {"scores": (-20, 20), "value": (-10, 10), "size": (1, 12), "read": (0, 12)},
    "Writer": {"words": 48, "temperature": (0.01, 100), "seed": (0, 2**32 - 1),
               "drawn": (0, 10**6)},
}  # fmt: skip


def inputs_of(widget):
    return {name: getattr(widget, name) for name in widget._inputs if name != "sentence"}


def made(name, **inputs):
    """Return the example of a widget with some of its inputs changed."""
    widget = make(name)
    return type(widget)(**inputs_of(widget) | inputs)


def state_of(widget):
    """Return all that a widget holds, to be compared."""
    derived = {name: repr(getattr(widget, name)) for name in derived_of(type(widget))}
    return widget.recorded(), repr(widget), derived


def refuses(name, cases):
    """Demand three parts of each refusal: of a widget that is made so, and of one that is set."""
    widget = make(name)
    before = state_of(widget)
    for inputs, rule, clash in cases:
        for give in (lambda inputs=inputs: made(name, **inputs), partial(widget.set, **inputs)):
            with pytest.raises((ValueError, TypeError)) as told:
                give()
            words, _, rest = str(told.value).partition(": ")
            came_in, _, disagree = rest.rpartition(", and ")
            assert rule in words
            assert came_in
            assert clash in disagree
            assert rule or any(given in str(told.value) for given in inputs)
            assert str(told.value).endswith(".")
            assert "\n" not in str(told.value)
        assert state_of(widget) == before, inputs
    widget.set(**chosen(name))  # it lives
    assert state_of(widget) == state_of(made(name, **chosen(name))) != before


CHOSEN = {  # what a hand chooses: to look at, for no number of it is moved
    "Alignment": {"target": 0},
    "Backward": {"number": 0},
    "Block": {"at": 0},
    "DotProduct": {"snap": True},
    "Heads": {"word": 0, "head": 1},
    "Learning": {"model": 1},
    "Mask": {"when": "before", "changed": 1},
    "Positions": {"scheme": "alibi", "head": 3},
    "Reach": {"word": 0},
    "Scaling": {"divisor": "none"},
    "SelfAttention": {"word": 0, "step": "mix"},
    "Softmax": {"naive": False},
    "Tiles": {"rescale": True},
    "Writer": {"model": 0},
}


def chosen(name):
    """Return an input that is changed: one that is chosen, where a widget has such."""
    return CHOSEN.get(name) or random_move(make(name), np.random.default_rng(0))


# What is refused


@pytest.mark.parametrize("name", LIMITS)
def test_each_number_has_its_limits_and_each_sentence(name):
    told = {}
    for given in inputs_of(make(name)):
        trait = make(name).traits()[given]
        if isinstance(trait, kinds.Words):
            told[given] = trait.most
        elif getattr(trait, "least", None) is not None:
            told[given] = (trait.least, trait.most)
    assert told == LIMITS[name]


def nonsense(widget, name):
    """Yield what no input of this kind can be, and words of why."""
    trait, value = widget.traits()[name], getattr(widget, name)
    match trait:
        case kinds.Places():
            yield from (1, "12", [0.0], [len(getattr(widget, trait.of))], [-1], [None])
        case kinds.Index():
            yield from ("0", 0.5, -1, len(getattr(widget, trait.of)))
        case kinds.Flag():
            yield from (1, "yes", None)
        case kinds.OneOf():
            yield from ("no such", 2, None)
        case kinds.Words():
            yield from ("ab", 7, [1], ["a", None], [], [b"a"])
            if trait.most < INF:
                yield ["w"] * (trait.most + 1)
        case kinds.Integer():
            yield from ("0", 0.5, 2.0, NAN, True, None, [4], trait.least - 1, trait.most + 1)
        case kinds.Number():
            yield from ("hot", NAN, -INF, True, None, [1.0, 2.0])
            yield from (np.nextafter(trait.least, -INF), np.nextafter(trait.most, INF))
        case kinds.MaskGrid():
            yield from ("causal", None, value.astype(int), value.astype(float), value[..., None])
        case kinds.Numbers():
            yield from ("many", [[1], [1, 2]], 1.5, {1: 2}, {1}, np.exp, np.ma.array([1.0]))
            yield np.array(["2020-01-01"], "M8[D]")
            yield from ([] if trait.optional else [None])
            for wrong in (NAN, INF):
                some = np.array([[1.0, 0.5]] if value is None else value, float)
                some[(0,) * some.ndim] = wrong
                yield some
                yield some.astype(complex)
        case TrainingRecord():
            yield from (1, [1])
        case TrainingCurve() | WriterModels() | WriterModel():
            pass  # test_writer.py says what is none, and in which words
        case _:
            raise AssertionError(f"what is nonsense for {name}, a {type(trait).__name__}?")


@every_widget
def test_nonsense_of_its_kind_is_refused_by_each_input_and_changes_nothing(name):
    widget, parameters = make(name), inspect.signature(getattr(widgets, name)).parameters
    refuses(
        name,
        (
            ({given: value}, "", "")
            for given in inputs_of(widget)
            for value in nonsense(widget, given)
            if value is not None or parameters[given].default is not None  # that is left out
        ),
    )


def named(part):
    """Return the name of a part of the record: of the one model that learns, and the sentence."""
    of = {"loss": "attention", "accuracy": "attention", "truth": "a saw"}
    both = ("weights", "verb", "votes")
    return f"{part}/{of.get(part, 'attention/a saw')}" if part in (*of, *both) else part


def changed(**parts):
    """Return the record of the example with some of its parts replaced."""
    return {"record": RECORD | {named(part): x for part, x in parts.items()}}


def without(part):
    return {"record": {name: x for name, x in RECORD.items() if name != named(part)}}


RECORD = made_up(["a saw"], [0, 9], 1)
DIVERGED = {name: 1e30 * x for name, x in text.writer("trained").items()}
WORDY = "each word needs one row of"
BAD = {  # what does not fit, the rule, and which numbers disagree
    "Alignment": [
        ({"scores": ONES((1, 2))}, "each row of scores needs one word of targets", "1 != 2"),
        ({"sources": ["I"]}, "each column of scores", "2 != 1"),
        ({"scores": [0.5, 0.5]}, "must have the axes (n_targets, n_sources)", "1 != 2"),
    ],
    "Backward": [
        ({"scores": [1, 2, 3]}, "each score needs one word", "3 != 2"),
        ({"words": ["a"]}, "each score needs one word", "2 != 1"),
        ({"value": [[1, 2]]}, "each row of value needs one word", "1 != 2"),
        ({"votes": ["noun"]}, "each column of value needs one name of votes", "2 != 1"),
        ({"right": 2}, "right must be the place of one of the votes", "2 > 1"),
        ({"number": 6}, "number must be the place of one of the numbers", "6 > 5"),
    ],
    "Block": [
        ({"words": ["the", "blue"]}, "words must be of the world's 20", "'blue' is none of Ann, "),
        ({"model": {"words": np.eye(3)}}, "words of “model” must be (20, 32)",
         "(3, 3) != (20, 32)"),
        ({"model": 3}, "a model must be a mapping of names to arrays", "is no mapping"),
        ({"model": DIVERGED}, "the chances must be finite",
         "nan is not finite"),
        ({"model": "trianed"}, "the stage must be one of 'untrained', ", ""),
        ({"at": 9}, "at must be the place of one of the words, counted from 0", "9 > 8"),
        ({"off": [15]}, "off must be places of parts, counted from 0", "15 > 14"),
    ],
    "DotProduct": [
        ({"a": [1, 2, 3]}, "an arrow in the plane has two numbers", "3 != 2"),
        ({"b": [1]}, "an arrow in the plane has two numbers", "1 != 2"),
        ({"b": []}, "an arrow in the plane has two numbers", "0 != 2"),
    ],
    "Heads": [
        ({"weights": -HALF}, "must not be negative (are these scores, before softmax?)",
         "row 0 of head 0 holds -0.5 < 0"),
        ({"weights": [EYE, [[1, 0], [0.5, 0.25]]]}, "each row of weights must sum to 1, or be all "
         "0 where a query sees nothing", "row 1 of head 1 sums to 0.75 != 1"),
        ({"weights": [HALF, 2 * HALF]}, "each row of weights must sum to 1",
         "row 0 of head 0 of layer 1 sums to 2 != 1"),
        ({"weights": HALF[0, 0]}, "weights must have the axes (n_heads, n, n) or (n_layers, "
         "n_heads, n, n)", "1 is neither 3 nor 4"),
        ({"weights": [[HALF, HALF]]}, "weights must be those of one sentence", "a batch of 2 != 1"),
        ({"weights": ONES((1, 1, 1, 1, 1, 1))}, "weights must have the axes", "3 nor 4"),
        ({"weights": (None, None)}, "weights must hold numbers (a model of transformers", ""),
        ({"weights": ONES((2, 2, 7))}, "those of a sentence that looks at itself", "2 != 7"),
        ({"weights": HALF[:, :1]}, f"{WORDY} weights in every head", "1 != 2"),
        ({"weights": ONES((2, 2, 1))}, "each word needs one column of weights", "1 != 2"),
        ({"weights": ONES((0, 2, 2))}, "weights must hold at least one head", "0 < 1"),
        ({"weights": ONES((0, 3, 2, 2))}, "weights must hold at least one layer", "0 < 1"),
        ({"weights": np.broadcast_to(0.01, (13, 16, 100, 100)), "words": ["w"] * 100},
         "a page holds at most 2000000 weights (show some of the layers)", "2080000 > 2000000"),
        ({"weights": HALF[:1]}, "each word needs one row of values in every head", "(1, 2)"),
        ({"words": ["w"] * 10_000}, WORDY, "2 != 10000"),
        ({"values": ONES((2, 2))}, "values must have the axes (n_heads, n, d_value), or layers",
         "2 is neither 3 nor 4"),
        ({"values": ONES((2, 1, 7))}, f"{WORDY} values in every head", "(2, 1) != (2, 2)"),
        ({"values": ONES((1, 2, 7))}, f"{WORDY} values in every head", "(1, 2) != (2, 2)"),
        ({"values": -1e200 * HALF}, "values must lie between -1e+100 and 1e+100", "does not"),
        ({"values": np.broadcast_to(0.0, (2, 2, 600_000))}, "a page holds at most 2000000 values",
         "2400000 > 2000000"),
    ],
    "Learning": [
        ({"record": [1]}, "must be a mapping of names to arrays (attnlib.text.trainings() is one)",
         "list is no mapping"),
        ({"record": {}}, "record must hold steps", "steps is none of them"),
        (without("loss"), "record must hold loss/attention", "loss/attention is none of them"),
        (without("truth"), "record must hold truth/a saw", "truth/a saw is none of them"),
        (changed(steps=[]), "(n_steps), with at least one step", "0 < 1"),
        (changed(steps=[[0, 9]]), "(n_steps), with at least one step", "2 != 1"),
        (changed(steps=[0.0, 9.0]), "steps must hold integers", "float64 is not int"),
        (changed(steps=[9, 9]), "steps must increase", "9 comes after 9"),
        (changed(steps=[-1, 5]), "steps must be counted from 0", "-1 < 0"),
        (changed(models=[1, 2]), "models must be a row of str", "int64 is not str"),
        (changed(models=np.zeros(0, str)), "models must hold at least one name", "0 < 1"),
        (changed(sentences=[" "]), "a sentence must have 1 to 40 words", "0 < 1"),
        (changed(sentences=["um " * 41]), "a sentence must have 1 to 40 words", "41 > 40"),
        (changed(loss=ONES((1, 3))), "must have the axes (n_seeds, n_steps)", "(1, 3) != (1, 2)"),
        (changed(loss=ONES((0, 2))), "have the axes (n_seeds, n_steps)", "(0, 2) != (n_seeds, 2)"),
        (changed(accuracy=ONES((2, 2))), "axes (n_seeds, n_steps)", "(2, 2) != (1, 2)"),
        (changed(loss=NAN * ONES((1, 2))), "loss/attention must hold finite numbers",
         "nan at (0, 0) is not finite"),
        (changed(accuracy=[[50, 50]]), "accuracy/attention must lie between 0 and 1",
         "50 at (0, 0) does not"),
        (changed(truth=[2, 2]), "must hold 1 for a verb, 0 for a noun, -1 for any other word",
         "2 is none of these"),
        (changed(weights=ONES((1, 2, 2, 1))), "must have the axes (n_seeds, n_steps, n, n)",
         "(1, 2, 2, 1) != (1, 2, 2, 2)"),
        (changed(weights=-ONES((1, 2, 2, 2))), "weights/attention/a saw must lie between 0 and 1",
         "-1 at (0, 0, 0, 0) does not"),
        (changed(weights=ONES((1, 2, 2, 2)) / 10), "must sum to 1, or be all 0 where a query sees",
         "row 0 of seed 0 at step 0 sums to 0.2 != 1"),
        (changed(votes=-ONES((1, 2, 2))), "votes/attention/a saw must lie between 0 and 1",
         "-1 at (0, 0, 0) does not"),
        (changed(verb=2 * ONES((1, 2, 2))), "verb/attention/a saw must lie between 0 and 1",
         "2 at (0, 0, 0) does not"),
        ({"record": made_up(steps=range(200))},
         "a page holds at most 150000 weights (leave out steps, or seeds)", "226800 > 150000"),
        ({"step": 4}, "step must be one of the steps that were recorded",
         "4 is none of them; close to it: 0"),
        ({"step": 9000}, "one of the steps that were recorded", "none of them; close to it: 9"),
    ],
    "Mask": [
        ({"value": ONES((2, 1))}, f"{WORDY} value", "2 != 3"),
        ({"words": ["I"]}, WORDY, "3 != 1"),
        ({"key": ONES((3, 2))}, "query and key must share d_key, their last axis", "1 != 2"),
        ({"value": ONES((3, 0))}, "value must have at least one feature", "0 < 1"),
        ({"mask": ONES((3, 2), bool)}, "the mask needs a row and a column for each word",
         "(3, 2) != (3, 3)"),
        ({"mask": ONES(3, bool)}, "mask must have the axes (n_queries, n_keys)", "1 != 2"),
    ],
    "Positions": [
        ({"learned": [1.0, 2.0]}, "learned must have the axes (n, d)", "1 != 2"),
        ({"learned": ONES((0, 4))}, "learned must hold at least one row", "0 < 1"),
        ({"learned": ONES((4, 0))}, "learned must hold at least one row", "0 < 1"),
        ({"learned": ONES((65, 2))}, "at most 64 learned rows", "65 > 64"),
        ({"learned": ONES((5, 2))}, "a row for each of the n_positions", "5 < 6"),
        ({"scheme": "learned"}, "needs a table", "there is none"),
        ({"d_model": 7}, "d_model must be even", "7 is odd"),
        ({"first": 6}, "first must be one of the positions", "6 > 5"),
        ({"second": 6}, "second must be one of the positions", "6 > 5"),
        ({"n_positions": 3}, "second must be one of the positions", "3 > 2"),
    ],
    "Reach": [
        ({"width": 4}, "width must be odd, for a layer sees as far to either side", "4 is even"),
        ({"scores": ONES((2, 3))}, "scores need a row and a column for each word",
         "(2, 3) != (3, 3)"),
        ({"words": ["w"] * 2}, "scores need a row and a column for each word", "(3, 3) != (2, 2)"),
    ],
    "SelfAttention": [
        ({"key": ONES((5, 1))}, "key needs one row for each word", "5 != 3"),
        ({"x": ONES((2, 1))}, "x needs one row for each word", "2 != 3"),
        ({"words": ["I"], "word": 0}, "query needs one row for each word", "3 != 1"),
        ({"key": ONES((3, 2))}, "share d_key, their last axis", "1 != 2"),
        ({"value": ONES((3, 0))}, "1 to 64 features of value", "0 < 1"),
        ({"value": ONES((3, 65))}, "1 to 64 features of value", "65 > 64"),
        ({"x": ONES((3, 384))}, "1 to 64 features of x (leave it out where it has more)",
         "384 > 64"),
        ({"key_features": ["a", "b"]}, "key_features needs one name for each number of a vector",
         "2 != 1"),
        ({"key": [[2e6]] * 3}, "key must lie between -1e+06 and 1e+06", "= 2e+06 does not"),
    ],
    "Softmax": [
        ({"scores": [1, 2, 3]}, "each score needs one name", "3 != 2"),
        ({"names": ["a"]}, "each score needs one name", "2 != 1"),
        ({"scores": [1, INF]}, "must hold finite numbers, or -inf for a key that is hidden",
         "scores[1] = inf is not finite"),
        ({"scores": [100.5, 0]}, "scores must lie between -100 and 100", "= 100.5 does not"),
    ],
    "Tiles": [
        ({"scores": [1, 2]}, "each score needs one row of value", "2 != 3"),
        ({"value": [[1, 2]]}, "each score needs one row of value", "3 != 1"),
        ({"scores": []}, "a picture holds 1 to 12 scores", "0 < 1"),
        ({"scores": ONES(13)}, "a picture holds 1 to 12 scores", "13 > 12"),
        ({"value": ONES((3, 0))}, "a picture holds 1 to 2 features of value", "0 < 1"),
        ({"value": ONES((3, 5))}, "a picture holds 1 to 2 features of value", "5 > 2"),
    ],
    "Writer": [
        ({"words": ["the", "blue"]}, "words must be of the world's 20", "'blue' is none of Ann, "),
        ({"models": ["trianed"]}, "the stage must be one of 'untrained', ", ""),
        ({"models": {}}, "a page holds 1 to 5 models", "0 < 1"),
        ({"models": 3}, "models must be names of the record, or a mapping of names to models",
         "int is neither"),
        ({"models": {"a": {"words": np.eye(3)}}}, "words of “a” must be (20, 32)",
         "(3, 3) != (20, 32)"),
        ({"models": {"a": {"words": ONES((20, 32))}}}, "a model must hold w_query_0",
         "w_query_0 is none of them"),
        ({"models": {"a": DIVERGED}}, "the chances must be finite",
         "nan is not finite"),
        ({"models": {"a": 3}}, "a model must be a mapping of names to arrays", "is no mapping"),
        ({"training": {"steps": [0, 1], "loss": [1, 2]}}, "training must hold steps, loss, stages",
         "stages is none of them"),
        ({"training": {"steps": [0, 1], "loss": [1], "stages": {}}},
         "steps and loss must be two rows of 2 to 1000 numbers", ""),
        ({"training": {"steps": [4, 1], "loss": [1, 2], "stages": {}}}, "steps must increase",
         "1 comes after 4"),
        ({"training": {"steps": [0, 1], "loss": [1, INF], "stages": {}}},
         "loss must hold finite numbers", "loss[1] is not"),
        ({"training": 3}, "training must be a mapping of steps, loss, stages", "is no mapping"),
    ],
}  # fmt: skip


@every_widget
def test_what_does_not_fit_is_refused_in_three_parts_and_changes_nothing(name):
    refuses(name, BAD.get(name, []))


# What is the caller's, and what follows


def copied(value):
    """Return a value with arrays that nobody else has, and those arrays."""
    if isinstance(value, np.ndarray):
        copy = value.copy()
        return copy, [copy]
    if isinstance(value, dict):
        copies = {name: copied(x) for name, x in value.items()}
        return {k: x for k, (x, _) in copies.items()}, [x for _, xs in copies.values() for x in xs]
    return value, []


@every_widget
def test_the_callers_arrays_are_neither_kept_nor_changed(name):
    given = {name: copied(value) for name, value in inputs_of(make(name)).items()}
    arrays = [x for _, xs in given.values() for x in xs]
    before = [x.copy() for x in arrays]
    widget = type(make(name))(**{name: value for name, (value, _) in given.items()})
    state = state_of(widget)
    for mine, was in zip(arrays, before, strict=True):
        assert mine.flags.writeable
        np.testing.assert_array_equal(mine, was)
        mine[...] = 0 if mine.dtype.kind != "U" else "a"
    assert state_of(widget) == state


@every_widget
def test_all_follows_whether_code_changes_an_input_or_the_hand(name):
    rng = np.random.default_rng(4)
    by_code, by_hand = make(name), make(name)
    for inputs in (chosen(name), *(random_move(by_code, rng) for _ in range(4))):
        by_code.set(**inputs)
        by_hand.set_state(json.loads(json.dumps(by_code.get_state(list(inputs)))))
        fresh = state_of(made(name, **inputs_of(by_code)))
        assert state_of(by_code) == state_of(by_hand) == fresh


# What is recorded, printed, told and drawn

REPR = {
    "Alignment": "Alignment(scores=[[0.5, -1.0], [0.0, 2.0]], targets=['I', 'saw'], "
    "sources=['vi', 'algo'], target=1)",
    "Backward": "Backward(scores=[1.0, 0.5], value=[[2.0, 0.0], [1.0, 3.0]], "
    "words=['a', 'saw'], votes=['noun', 'verb'], right=1, number=2, nudge=-1.0)",
    "DotProduct": "DotProduct(a=[0.5, -2.0], b=[4.0, 0.0], snap=False)",
    "Heads": "Heads(weights=[[[1.0, 0.0], [0.5, 0.5]], [[1.0, 0.0], [0.5, 0.5]]], "
    "words=['I', 'saw'], values=[[[1.0], [3.0]], [[2.0], [1.0]]], word=1)",
    "Positions": "Positions(n_positions=6, d_model=4, first=1, second=3, scheme='rotary')",
    "Scaling": "Scaling(d=9, divisor='sqrt d', seed=1)",
    "Softmax": "Softmax(scores=[2.0, 1.0], names=['I', 'saw'], temperature=0.5, shift=3.0, "
    "naive=True)",
    "Tiles": "Tiles(scores=[1.0, 0.0, 2.0], value=[[4.0, 1.0], [0.0, 2.0], [2.0, -1.0]], size=2, "
    "read=2, rescale=False)",
}


@pytest.mark.parametrize("name", REPR)
def test_it_is_printed_by_value(name):
    assert repr(make(name)) == REPR[name]


W40 = [f"w{i}" for i in range(40)]
RNG = np.random.default_rng(0)
FLOATS = RNG.normal(size=(3, 40, 64)).astype(np.float32)  # a head of 64 features
VECTORS = dict(zip(["query", "key", "value"], FLOATS, strict=True))
LARGE = {  # inputs as large as they may be, or nearly; the most bytes of what is recorded
    "Alignment": (
        {"scores": RNG.normal(size=(40, 40)), "targets": W40, "sources": W40},
        40_000,
    ),
    "Learning": ({"record": made_up([f"I {'um ' * 13}saw"], range(66), 5), "word": 0}, 250_000),
    "Mask": (VECTORS | {"words": W40, "mask": None}, 100_000),
    "Positions": ({"learned": RNG.normal(size=(64, 500)) * 10.0 ** np.arange(-250, 250)}, 14_000),
    "SelfAttention": (VECTORS | {"words": W40}, 90_000),
    "Softmax": ({"scores": np.linspace(-99.999, 100, 40), "names": W40}, 2_000),
}
IN_LESSONS = {"Heads": 130_000, "Learning": 160_000, "Positions": 12_000, "SelfAttention": 10_000}
IN_LESSONS |= {"Block": 60_000, "Writer": 180_000}


@pytest.mark.parametrize("name", LARGE)
def test_what_is_recorded_of_large_inputs_is_small(name):
    inputs, most = LARGE[name]
    assert len(json.dumps(made(name, **inputs).recorded(), allow_nan=False)) <= most


@pytest.mark.parametrize("lesson", SERIES)
def test_what_a_lesson_records_of_its_widgets_is_small(lesson):
    for state in recorded_widgets(lesson):
        assert len(json.dumps(state)) <= IN_LESSONS.get(state["class"], 2_000)


STRANGE = [
    "Donaudampfschifffahrtsgesellschaft" * 6,
    "مرحبا",
    "你好世界",
    "<b>x</b>",
    "$x_1",
    "a$b$",
]
WORDED = {
    "Alignment": lambda words: {"scores": np.eye(6), "targets": words, "sources": words},
    "Backward": lambda words: {"scores": range(6), "value": ONES((6, 2)), "words": words},
    "Heads": lambda words: {"weights": [np.eye(6)], "words": words, "values": None, "off": []},
    "Mask": lambda words: (
        dict.fromkeys(["query", "key", "value"], ONES((6, 1)))
        | {"words": words, "mask": np.tri(6) > 0}
    ),
    "Reach": lambda words: {"words": words, "scores": None},
    "SelfAttention": lambda words: (
        dict.fromkeys(["query", "key", "value"], ONES((6, 1))) | {"words": words}
    ),
    "Softmax": lambda words: {"scores": range(6), "names": words, "naive": False},
}


@pytest.mark.parametrize("name", WORDED)
def test_words_of_all_kinds_are_shown_to_the_letter(name):
    inputs = WORDED[name](STRANGE)
    widget = made(name, **inputs)
    kept = [value for value in widget.recorded()["traits"].values() if value == STRANGE]
    assert len(kept) == sum(value is STRANGE for value in inputs.values())
    paper = widget._draw()
    is_readable(paper)
    drawn = texts(paper)
    for word in STRANGE:
        cut = [told[:-1] for told in drawn if told.endswith("…")]
        assert word in drawn or any(map(word.startswith, filter(None, cut)))
    assert widget.still().startswith(b"\x89PNG")
