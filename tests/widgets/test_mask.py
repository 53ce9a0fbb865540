"""Mask: what a painted mask does to weights and outputs, and who notices what it hides."""

import json
import re

import numpy as np
import pytest

import attnlib
from attnlib import causal_mask
from attnlib.pictures.colours import COLORS
from attnlib.pictures.shades import LINE
from attnlib.widgets import Mask
from attnlib.widgets._base import quoted
from tests.widgets.still import is_readable, shapes, texts

N, D_KEY, D_VALUE = 5, 3, 2
WORDS = ["the", "cat", "sat", "the", "mat"]
RNG = np.random.default_rng(5)
QUERY, KEY, VALUE = (RNG.standard_normal((N, d)) for d in (D_KEY, D_KEY, D_VALUE))
HOLES = RNG.random((N, N)) < 0.5
HOLES[1] = False  # the second query sees nothing


def example():
    column = [[1.0], [0.0], [2.0]]
    return Mask(column, column, column, words=["I", "saw", "it"], when="after")


def made(query=QUERY, key=KEY, value=VALUE, **inputs):
    return Mask(query, key, value, **{"words": WORDS} | inputs)


def lesson(**inputs):
    """Return lesson 05's widget: scores that are logarithms of whole numbers."""
    query = np.log([[1, 2, 1], [1, 1, 2], [1, 3, 1]]) * np.sqrt(3)
    value = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]
    return Mask(query, np.eye(3), value, words=["the", "cat", "sat"], **inputs)


def attended(query, key, value, mask, when):
    """Weights and output in plain loops."""
    weights, output = np.zeros((N, N)), np.zeros((N, D_VALUE))
    for i in range(N):
        seen = [j for j in range(N) if mask[i, j] or when == "after"]
        powers = {j: np.exp(np.dot(query[i], key[j]) / np.sqrt(D_KEY)) for j in seen}
        for j in range(N):
            if mask[i, j]:
                weights[i, j] = powers[j] / sum(powers.values())
                output[i] += weights[i, j] * value[j]
    return weights, output


# What follows from the inputs


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("mask", [causal_mask(N), HOLES, np.ones((N, N), bool)])
@pytest.mark.parametrize("changed", [0, 3])
def test_derived_traits_are_those_of_plain_loops(when, mask, changed):
    widget = made(mask=mask, when=when, changed=changed)
    weights, output = attended(QUERY, KEY, VALUE, mask, when)
    key, value = KEY.copy(), VALUE.copy()
    key[changed] += 1
    value[changed] += 1
    _, other = attended(QUERY, key, value, mask, when)
    assert np.allclose(widget.weights, weights)
    assert np.allclose(widget.row_sums, [sum(row) for row in weights])
    assert np.allclose(widget.output, output)
    for i in range(N):
        assert np.isclose(widget.changes[i], max(abs(other[i, c] - output[i, c]) for c in (0, 1)))


def test_before_the_softmax_nothing_hidden_is_noticed_and_after_it_is():
    before, after = lesson(), lesson(when="after")
    assert np.allclose(before.row_sums, 1)
    assert before.changes[:2].tolist() == [0, 0]
    assert np.allclose(after.row_sums, [1 / 4, 2 / 4, 1])
    assert np.allclose(after.changes[:2], [1 / 4 - 1 / 5, 1 / 4 - 1 / 6])
    assert np.isclose(before.changes[2], 1 - 2 / 5)
    assert np.isclose(after.changes[2], before.changes[2])


def test_left_out_the_mask_is_causal_and_the_last_word_changes():
    widget = made()
    assert np.array_equal(widget.mask, causal_mask(N))
    assert (widget.when, widget.changed) == ("before", N - 1)
    assert made(words=iter(WORDS)).words == tuple(WORDS)


def test_derived_traits_follow_what_code_and_the_hand_change():
    widget = made()
    widget.when, widget.changed = "after", 1
    widget.set_state({"mask": HOLES.tolist()})
    assert np.allclose(widget.weights, attended(QUERY, KEY, VALUE, HOLES, "after")[0])
    assert np.array_equal(widget.changes, made(mask=HOLES, when="after", changed=1).changes)


def test_the_callers_arrays_are_neither_kept_nor_changed():
    key, mask = KEY.copy(), HOLES.copy()
    widget = made(key=key, mask=mask)
    assert np.array_equal(key, KEY)
    mask[:] = True
    assert np.array_equal(widget.mask, HOLES)


def test_one_word_and_forty_and_numbers_that_saturate():
    one = Mask([[1.0]], [[1.0]], [[2.0]], words=["saw"])
    assert (one.weights.tolist(), one.changes.tolist()) == ([[1]], [1])
    alone = Mask([[1.0]], [[1.0]], [[2.0]], words=["saw"], mask=[[False]], when="after")
    assert (alone.row_sums.tolist(), alone.output.tolist()) == ([0], [[0]])
    many = Mask(*np.ones((3, 40, 4)), words=["w"] * 40, changed=39)
    large = made(query=1e200 * QUERY, key=1e200 * KEY, when="after")  # inf - inf: nan, told as nan
    assert np.isnan(large.changes).any()
    assert re.search(r": sum nan, nan[;.]", large._alt())
    far = np.array([[1.7e308], [-1.7e308]])  # the change is beyond the largest float
    far = Mask([[99], [99]], [[0], [0.5]], far, words=["to", "fro"], changed=0, mask=np.eye(2) < 2)
    assert far.changes.tolist() == [np.inf, np.inf]
    for widget in (one, alone, many, large, far):
        assert widget.still().startswith(b"\x89PNG")


# Bad input


def with_entry(x, at, value):
    x = x.copy()
    x[at] = value
    return x


BAD = {
    "nan": (
        {"key": with_entry(KEY, (2, 1), np.nan)},
        "key must hold finite numbers: key is (5, 3), and key[2, 1] = nan is not finite.",
    ),
    "inf": (
        {"value": with_entry(VALUE, (4, 0), -np.inf)},
        "value must hold finite numbers: value is (5, 2), and value[4, 0] = -inf is not finite.",
    ),
    "one axis": (
        {"query": QUERY[0]},
        "query must have the axes (n, d_key): query is (3,), and 1 != 2.",
    ),
    "rows and words": (
        {"value": VALUE[:4]},
        "each word needs one row of value: value is (4, 2), words is 5 words, and 4 != 5.",
    ),
    "d_key": (
        {"key": VALUE},
        "query and key must share d_key, their last axis: query is (5, 3), key is (5, 2), and "
        "3 != 2.",
    ),
    "no features": (
        {"value": np.ones((5, 0))},
        "value must have at least one feature: value is (5, 0), and 0 < 1.",
    ),
    "mask": (
        {"mask": np.ones((5, 4), bool)},
        "the mask needs a row and a column for each word: mask is (5, 4), words is 5 words, and "
        "(5, 4) != (5, 5).",
    ),
    "mask of one axis": (
        {"mask": np.ones(5, bool)},
        "mask must have the axes (n_queries, n_keys): mask is (5,), and 1 != 2.",
    ),
    "when": (
        {"when": "never"},
        "when must be one of 'before', 'after': when is 'never', and it is none of them.",
    ),
    "changed": (
        {"changed": 5},
        "changed must be the place of one of the words, counted from 0: changed is 5, the number "
        "of words is 5, and 5 > 4.",
    ),
    "no words": ({"words": []}, "words must hold at least one word: words is (), and 0 < 1."),
    "two hundred words": (
        {"words": ["w"] * 200},
        "a picture holds at most 40 words (show a part of the sentence): words is a sequence of "
        "200, and 200 > 40.",
    ),
    "forty-one words": (
        {"words": ["w"] * 41},
        "a picture holds at most 40 words (show a part of the sentence): words is a sequence of "
        "41, and 41 > 40.",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_told_in_three_parts(name):
    inputs, message = BAD[name]
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        made(**inputs)


@pytest.mark.parametrize(
    ("name", "value"),
    [("query", "many"), ("key", None), ("mask", HOLES.astype(int)), ("mask", "causal"),
     ("words", "cat"), ("words", 7), ("words", [1]), ("changed", 1.0), ("changed", True)],
)  # fmt: skip
def test_nonsense_is_a_type_error(name, value):
    with pytest.raises(TypeError, match=rf"^{name}.* must .+, and .+\.$"):
        made(**{name: value})


NONSENSE = [(name, value) for inputs, _ in BAD.values() for name, value in inputs.items()]
NONSENSE += [("mask", HOLES.astype(float)), ("mask", None), ("words", WORDS[:4]), ("when", None)]


@pytest.mark.parametrize(("name", "value"), NONSENSE)
def test_a_trait_set_to_nonsense_leaves_all_inputs_as_they_were(name, value):
    widget = made(mask=HOLES, when="after", changed=2)
    before, weights = widget.recorded(), widget.weights
    with pytest.raises((TypeError, ValueError)):
        setattr(widget, name, value)
    assert widget.recorded() == before
    assert widget.weights is weights
    widget.when = "before"  # alive
    assert np.allclose(widget.weights, attended(QUERY, KEY, VALUE, HOLES, "before")[0])


@pytest.mark.parametrize("name", ["weights", "row_sums", "output", "changes", "answer"])
def test_derived_traits_cannot_be_set(name):
    with pytest.raises(Exception, match="read-only"):
        setattr(made(), name, 0)


# The reader's own function


def late(query, key, value, mask):
    """Hide after the softmax."""
    return attnlib.attention_weights(query, key) * mask @ value


def test_a_function_is_drawn_with_its_leaks_and_its_weights():
    widget = made(mask=HOLES, attention=late)
    wanted = made(mask=HOLES, when="after")
    assert np.allclose(widget.answer["output"], wanted.output)
    assert np.allclose(widget.answer["changes"], wanted.changes)
    assert np.allclose(widget.answer["weights"], wanted.weights)
    told = widget._answer
    assert told["name"] == "late"
    assert told["said"] == "The numbers are those of your own function."
    assert told["changes"] == widget.answer["changes"].tolist()
    assert np.allclose(widget.weights, made(mask=HOLES).weights)  # these are attnlib's


def test_a_function_answers_again_when_the_hand_paints():
    widget = made(attention=late)
    widget.set_state({"mask": HOLES.tolist(), "_asked": 7})
    assert np.allclose(widget.answer["weights"], made(mask=HOLES, when="after").weights)
    assert widget._answer["asked"] == 7


def test_weights_that_cannot_be_read_off_are_left_out_and_it_is_said():
    def two_features(query, key, value, mask):
        if value.shape[1] != 2:
            raise ValueError("two features, please")
        return attnlib.attention(query, key, value, mask=mask)

    widget = made(attention=two_features)
    assert sorted(widget.answer) == ["changes", "output"]
    assert widget._answer["said"] == (
        "The numbers are those of your own function. Its weights are not shown: handed the "
        "identity matrix as values, it raised ValueError: two features, please"
    )
    assert "weights" not in widget._answer


def test_nan_of_a_function_is_told_as_nan():
    def divides(query, key, value, mask):
        weights = attnlib.attention_weights(query, key) * mask
        return weights / weights.sum(axis=1, keepdims=True) @ value

    widget = made(mask=HOLES, attention=divides)
    assert np.isnan(widget.answer["changes"][1])
    assert widget._answer["changes"][1] == "NaN"
    json.dumps(widget._answer, allow_nan=False)


def stub(query, key, value, mask): ...


def raising(query, key, value, mask):
    raise RuntimeError("no idea")


def leaving(query, key, value, mask):
    raise SystemExit("bye")


def misshapen(query, key, value, mask):
    return value.T


def wordy(query, key, value, mask):
    return "output"


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (stub, "stub returns None: its body is still to be written, or its return is missing."),
        (raising, "raising raised RuntimeError: no idea"),
        (leaving, "leaving raised SystemExit: bye"),
        (misshapen, "misshapen returns an array of another shape: (2, 5) came back, (5, 2) was "
         "wanted."),
        (wordy, "wordy returns what is no array of numbers (it must hold floats"),
    ],
)  # fmt: skip
def test_a_broken_function_is_told_in_words_and_the_widget_lives(function, words):
    widget = made(attention=function)
    assert widget.answer is None
    assert widget._answer["error"].startswith(words)
    widget.when = "after"
    assert np.allclose(widget.weights, attended(QUERY, KEY, VALUE, causal_mask(N), "after")[0])
    assert widget.still() == made(when="after").still()


def test_a_function_cannot_change_the_inputs():
    def greedy(query, key, value, mask):
        mask[:] = True
        key[:] = 0
        return value

    widget = made(attention=greedy)
    assert np.array_equal(widget.mask, causal_mask(N))
    assert np.array_equal(widget.key, KEY)


def test_what_is_no_function_is_refused():
    with pytest.raises(TypeError, match="a function must be plugged in: 'late' came in"):
        made(attention="late")


# Words, and what is recorded


ODD_WORDS = ["<b>bold</b>&amp;", "$x_1$ costs $5", "שלום עולם", "注意力机制", "long" * 30]


def test_words_of_any_script_are_recorded_and_drawn_to_the_letter():
    widget = made(words=ODD_WORDS, changed=1)
    assert widget.recorded()["traits"]["words"] == ODD_WORDS
    assert widget.still().startswith(b"\x89PNG")
    drawn = texts(widget._draw(), at="rm")
    assert drawn == ["<b>bold</b>&a…", *ODD_WORDS[1:4], "longlonglongl…"]
    is_readable(widget._draw())
    assert "the key and value of $x_1$ costs $5 change" in widget._alt()
    assert f"{ODD_WORDS[4]}: sum 1.00" in widget._alt()


def test_it_is_recorded_as_json_without_ids_in_few_bytes():
    widget = lesson(attention=late)
    recorded = widget.recorded()
    inputs = {"query", "key", "value", "words", "mask", "changed"}
    assert set(recorded["traits"]) == inputs | {"_plugged", "_answer"}
    assert recorded["traits"]["_answer"] == {"name": "late"}
    text = json.dumps(recorded, allow_nan=False)
    assert len(text) < 1000
    assert widget.model_id not in text
    assert json.dumps(lesson(attention=late).recorded()) == text
    large = RNG.standard_normal((3, 16, 64)).astype(np.float32)  # a head of 64 features
    assert len(json.dumps(Mask(*large, words=["w"] * 16).recorded())) < 40_000


def test_repr_is_by_value():
    one = Mask([[1.0]], [[2.0]], [[3.0]], words=["saw"])
    said = (
        "Mask(query=[[1.0]], key=[[2.0]], value=[[3.0]], words=['saw'], mask=[[True]], changed=0)"
    )
    assert repr(one) == said
    assert repr(eval(said)) == said
    assert "mask=<5 × 5>" in repr(made())


def test_alt_text_holds_the_numbers():
    alt = lesson(when="after")._alt()
    assert "6 of 9 pairs may look" in alt
    assert "laid on after the softmax" in alt
    assert "the key and value of sat change" in alt
    assert (
        "the: sum 0.25, changes by 0.05; cat: sum 0.50, changes by 0.08; "
        "sat: sum 1.00, changes by 0.60." in alt
    )
    assert "cat: sum 1.00, untouched" in lesson()._alt()
    _, metadata = lesson()._repr_mimebundle_()
    assert metadata["image/png"]["alt"] == lesson()._alt()


TOLD = {
    "before": (
        {},
        0,
        "“the” may look at “the” alone: “the” gets all of its weight, and the others get none.",
    ),
    "after": (
        {"when": "after"},
        0,
        "“the” may look at “the” alone: it loses 0.75 of weight, which no other word gets. "
        "Its row sums to 0.25, not 1.",
    ),
    "one cell": (
        {"mask": np.array([[1, 1, 1], [1, 1, 1], [1, 0, 1]], bool)},
        2,
        "“sat” may not look at “cat”: the 0.60 it would give there goes to “the”, “sat”.",
    ),
    "nothing hidden": (
        {"mask": np.ones((3, 3), bool)},
        None,
        "Nothing is hidden: every word may look at every word.",
    ),
    "a blind row": (
        {"mask": np.array([[1, 1, 1], [0, 0, 0], [1, 1, 1]], bool)},
        1,
        "“cat” may not look at “the”, “cat”, “sat”: it sees nothing now, so its weights are 0, and "
        "its output is 0.",
    ),
}


@pytest.mark.parametrize("name", TOLD)
def test_cause_and_effect_are_told_in_one_sentence(name):
    inputs, row, sentence = TOLD[name]
    widget = lesson(**inputs)
    assert (widget._told()[0], quoted(widget._told()[1])) == (row, sentence)
    assert sentence in widget._alt()
    lines = texts(widget._draw())
    assert " ".join(lines[:-1]).startswith(sentence)


def test_many_words_are_counted_not_listed():
    mask = np.ones((18, 18), bool)
    mask[0, 1:9] = False
    widget = Mask(*np.ones((3, 18, 1)), words=[f"w{i}" for i in range(18)], mask=mask)
    assert quoted(widget._told()[1]) == (
        "“w0” may not look at “w1”, “w2”, “w3” and 5 more: the 0.44 it would give there goes to "
        "“w0”, “w9”, “w10” and 7 more."
    )


def test_the_picture_shows_the_weights_and_hatches_what_is_hidden():
    widget = lesson(when="after")
    paper = widget._draw()
    hatched = np.array([shape.points[0] for shape in shapes(paper, "hatch", LINE)])
    cells = (hatched - hatched[0]) / (64, 38.4) + (1, 0)  # column and row; (0, 1) is the first
    assert cells.round(9).tolist() == [[1, 0], [2, 0], [2, 1]]
    numbers = [word for word in texts(paper, at="mm") if "." in word]
    assert numbers == [f"{x:.2f}" for x in widget.weights.flat]
    beside = [word for word in texts(paper, size=12) if "changes by" in word]
    assert beside == ["0.25  changes by 0.05", "0.50  changes by 0.08", "1.00  changes by 0.60"]
    assert "sum, and its output if sat changes" in texts(paper)
    for role in ("key", "query"):
        assert len(shapes(paper, "box", COLORS[role])) == 1
    assert widget.still() == lesson(when="after").still()
    is_readable(paper)


def test_before_the_softmax_the_picture_is_of_the_weights_alone():
    told = texts(lesson()._draw(), size=12)
    assert "sum" in told
    assert told.count("1.00") == 3 + 1  # of each row, and the weight that the first one gives
    assert not any("changes" in word or "untouched" in word for word in told)


def test_a_row_that_sees_nothing_says_so():
    paper = lesson(mask=np.zeros((3, 3), bool))._draw()
    assert texts(paper).count("sees nothing: weights 0, output 0") == 3
    is_readable(paper)


@pytest.mark.parametrize("n", [1, 2, 6, 12, 13, 40])
@pytest.mark.parametrize("word", ["it", "W" * 30])
def test_the_picture_has_room_for_any_sentence(n, word):
    arrays = 1e3 * RNG.standard_normal((3, n, 2))
    is_readable(Mask(*arrays, words=[word] * n, when="after")._draw())
