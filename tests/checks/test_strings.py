"""Strings that come in or out, and dictionaries of numbers: what is read, and what is said."""

import textwrap

import numpy as np
import pytest

from attnlib.checks import find
from attnlib.checks.calling import call
from attnlib.checks.engine import examine
from attnlib.checks.entries import Change, shapes

WORDPIECE = find("wordpiece")
ANSWER = WORDPIECE.answer


def told(function):
    return " ".join(str(examine(WORDPIECE, function)).split())


def test_a_wrong_list_reads_well():
    def letters(word, vocabulary):
        return [word[:1], "##<b>"] if vocabulary else []

    shown = str(examine(WORDPIECE, letters))
    assert shown.partition("\nHint")[0] == textwrap.dedent("""
        wordpiece: not right yet.
        Your list has 2 strings, where 1 is expected.
        The smallest example that shows it:
          word       = 'xs'
          vocabulary = {'[UNK]': 0, 'saw': 1, 'sa': 2, 's': 3, '##a': 4, '##ws': 5, '##w': 6, '##s': 7}
          yours      = ['x' '##<b>']
          expected   = ['[UNK]']
    """).strip()  # noqa: E501  # fmt: skip
    page = examine(WORDPIECE, letters)._repr_html_()
    assert "&lt;b&gt;" in page
    assert "<b>" not in page


@pytest.mark.parametrize("made", [list, tuple, np.array, lambda found: np.array(found, object)])
def test_any_list_of_strings_is_read(made):
    outcome = call(lambda word: made(["saw", "##s"]), ("saws",), str)
    assert (outcome.kind, outcome.finite) == ("answer", True)
    assert outcome.as_asked(str) == ["saw", "##s"]
    assert outcome.agrees(call(lambda word: ["saw", "##s"], ("saws",), str))
    assert not outcome.agrees(call(lambda word: ["saw", "##x"], ("saws",), str))
    assert not outcome.agrees(call(lambda word: ["saw"], ("saws",), str))


@pytest.mark.parametrize(
    ("found", "said"),
    [
        ("saw ##s", "returned a str, where a list of strings is expected."),
        ({"saw": 1}, "returned a dict, where a list of strings is expected."),
        (["saw", 1], "returned a list with an int in it, where a list of strings is expected."),
        ([["saw"], ["##s"]], "returned a list with a list in it, where"),
        ([None], "returned a list with None in it, where"),
        (None, "returned nothing"),
    ],
)
def test_what_is_no_list_of_strings_is_told(found, said):
    assert said in told(lambda word, vocabulary: found)


def test_strings_that_are_too_many_are_told_by_their_number():
    assert "Your list has 0 strings, where 1 is expected." in told(lambda word, vocabulary: [])


def changing(change):
    def function(word, vocabulary):
        found = ANSWER(word, dict(vocabulary))
        change(vocabulary)
        return found

    return function


@pytest.mark.parametrize(
    ("change", "altered"),
    [
        (lambda v: v.pop("saw"), (Change(1, "saw", "removed"),)),
        (lambda v: v.update(saw=9), (Change(1, "saw", "replaced"),)),
        (lambda v: v.update(saw=1.0), (Change(1, "saw", "replaced"),)),
        (lambda v: v.update(new=9), (Change(1, "new", "added"),)),
        (lambda v: v.update(saw=1), ()),
    ],
)
def test_what_becomes_of_a_dictionary_of_numbers_is_told(change, altered):
    outcome = call(changing(change), ("saw", {"[UNK]": 0, "saw": 1}), str)
    assert outcome.altered == altered
    assert outcome.changed == ((1,) if altered else ())


def test_who_changes_the_vocabulary_is_told():
    report = examine(WORDPIECE, changing(lambda v: v.pop("[UNK]")))
    assert (report.status, report.mistake) == ("failed", "input changed in place")
    assert "It took the entry '[UNK]' out of `vocabulary`." in " ".join(str(report).split())


def test_an_exception_is_told_with_the_word_and_the_vocabulary():
    said = told(lambda word, vocabulary: [vocabulary[word[:3]], word / 2])
    assert "It was called with word = 'xs' and vocabulary = {'[UNK]': 0," in said


def test_a_dictionary_is_told_by_its_numbers_or_by_its_shapes():
    assert shapes({"saw": 1, "##s": 2}) == "{'saw': 1, '##s': 2}"
    assert shapes({"w": np.ones((2, 3)), "b": np.ones(3)}) == "w (2, 3) and b (3,)"
    assert shapes({}) == "nothing"
