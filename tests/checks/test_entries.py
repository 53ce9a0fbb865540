"""Dictionaries of arrays: what becomes of one that comes in, what is said of one that comes out."""

import numpy as np
import pytest

from attnlib.checks import find
from attnlib.checks.calling import call
from attnlib.checks.engine import examine
from attnlib.checks.entries import Change
from attnlib.checks.report import Arrays, Entries

STEP = find("clipped_step")
ANSWER = STEP.answer


def told(function):
    return " ".join(str(examine(STEP, function)).split())


def model():
    return {"w": np.ones((2, 3)), "b": np.zeros(3)}


def writes(x):
    x = dict(x)
    x["w"] -= 1
    return x


def replaces(x):
    x["w"] = x["w"] - 1
    return x


def adds(x):
    x["new"] = x
    return {"w": 1}


def removes(x):
    del x["b"]
    return x


def reads(x):
    x["b"] = x["b"].copy()  # the same numbers: nobody can tell
    return {"w": x["w"] - 1}


@pytest.mark.parametrize(
    ("function", "altered"),
    [
        (writes, (Change(0, "w", "written"),)),
        (replaces, (Change(0, "w", "replaced"),)),
        (adds, (Change(0, "new", "added"),)),
        (removes, (Change(0, "b", "removed"),)),
        (reads, ()),
    ],
)
def test_what_becomes_of_an_entry_is_told_and_the_callers_dictionary_stays(function, altered):
    mine = model()
    outcome = call(function, (mine,), dict)
    assert outcome.altered == altered
    assert outcome.changed == ((0,) if altered else ())
    assert [*mine] == ["w", "b"]
    np.testing.assert_array_equal(mine["w"], 1)


def test_entries_are_read_by_name_in_whatever_order():
    one, other = (call(lambda x, n=n: {k: x[k] for k in n}, (model(),), dict) for n in ("wb", "bw"))
    assert one.names == other.names == ("b", "w")
    assert one.agrees(other)
    assert not one.agrees(call(lambda x: {"w": x["w"], "c": x["b"]}, (model(),), dict))


def but(change):
    """A right answer, but for what is done to it."""

    def function(model, grads, rate, longest):
        result = ANSWER(model, grads, rate, longest)
        change(result)
        return result

    return function


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (but(lambda r: r.pop("w")), "Your dictionary has no 'w'."),
        (but(lambda r: r.update(n=r["w"])), "Your dictionary has 'n', which nobody asked for."),
        (but(lambda r: r.update(W=r.pop("w"))), "has no 'w', and it has 'W', which nobody"),
        (but(lambda r: r.update(w=r["w"][:1])), "Your 'w' has shape (1,), where shape (2,)"),
        (but(lambda r: r.update(w="w")), "Under 'w' your function returned a str, where an array"),
        (but(lambda r: r.update({0: r["w"]})), "has an entry 0, and a name is a string."),
        (lambda m, g, r, c: [*m.values()], "returned a list, where a dictionary of arrays"),
        (lambda m, g, r, c: r * g, "arithmetic needs arrays, and here is a dictionary"),
        (lambda m, g, r, c: sum(x**2 for x in g), "arithmetic needs numbers, and here is a name"),
        (lambda m, g, r, c: g.sum(), "`g` is a dictionary, which has no `sum`"),
        (lambda m, g, r, c: m["vv"], "there is no 'vv' in `m`"),
    ],
)
def test_what_is_wrong_with_a_dictionary_is_told_in_words(function, said):
    assert said in told(function)


def unpacks_names(model, grads, rate, longest):
    for name, grad in grads:
        model = model | {name: grad}
    return model


def adds_an_entry(model, grads, rate, longest):
    result = ANSWER(model, grads, rate, longest)
    grads["length"] = 5
    return result


def test_a_loop_over_names_and_an_entry_too_many_are_told():
    assert "a loop over the dictionary `grads` gives its names alone" in told(unpacks_names)
    report = examine(STEP, adds_an_entry)
    assert report.mistake == "input changed in place"
    assert "It added an entry 'length' to `grads`." in str(report).replace("\n", " ")


def test_a_list_stands_for_an_array():
    listed = but(lambda r: r.update({name: array.tolist() for name, array in r.items()}))
    assert examine(STEP, listed).status == "passed"


def test_of_many_numbers_only_the_wrong_entry_is_shown():
    @but
    def nearly(result):
        if result["w"].size > 5:
            result["b"] = result["b"] + 0.01

    report = examine(STEP, nearly)
    (shown,) = [block.items for block in report.blocks if isinstance(block, Arrays)]
    held = [item for item in shown if isinstance(item, Entries)]
    assert [item.label for item in held] == ["model", "grads"]
    assert "a dictionary of w (5, 7) and b (7,) and v (7, 3)" in str(report)
    assert "a dictionary of w (5, 7)" in report._repr_html_()
    assert [item.label for item in shown[-2:]] == ["your 'b'", "expected 'b'"]


def test_of_few_numbers_all_are_shown():
    (shown,) = [b.items for b in examine(STEP, unpacks_names).blocks if isinstance(b, Arrays)]
    labels = [item.label for item in shown]
    assert labels[:4] == ["model['w']", "model['v']", "grads['v']", "grads['w']"]
    assert labels[-2:] == ["expected 'v'", "expected 'w'"]
