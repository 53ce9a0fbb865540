"""No word of a widget runs into another, however long words are and however wide its place is."""

from pathlib import Path

import numpy as np
import pytest

from attnlib.widgets import SelfAttention
from tests.browser.lessons import PLACES
from tests.lessons import quickly
from tests.widgets.goals import recorded_widgets

pytestmark = pytest.mark.needs("chromium")

MEET = (Path(__file__).parent / "meeting.js").read_text(encoding="utf-8")
WIDTHS = [374, 560, 680, 814, 960]
SIZES = [(3, 2, 3, 1), (5, 3, 7, 1), (3, 2, 2, 100), (11, 4, 5, 100)]
LONG = ["constitutional", "incomprehensibility", "someone", "doing", "neighbourhoods", "a"]
FIRST, SECOND = "שלום", "עולם"
BESIDE = """(place) => {
  const said = [...place.shadowRoot.querySelector(".caption").childNodes];
  const words = said.find(({ data }) => data?.includes("saw"));
  const range = document.createRange();
  return [...words.data.matchAll(/\\p{Letter}+/gu)].map(({ 0: word, index }) => {
    range.setStart(words, index);
    range.setEnd(words, index + word.length);
    return range.getBoundingClientRect().left;
  });
}"""


def lengthened(recorded):
    """Return a recorded widget whose words are long."""
    traits = dict(recorded["traits"])
    for name in ("words", "votes", "names", "sources", "targets", "key_features", "value_features"):
        known = recorded["class"] in ("Block", "Writer")  # which know their own words alone
        if traits.get(name) and not known:
            traits[name] = (LONG * 9)[: len(traits[name])]
    return recorded | {"traits": traits}


def moments(recorded):
    """Return a recorded widget in each of its moments."""
    states = [{}, *(moment["state"] for moment in recorded["traits"].get("_moments", []))]
    return [recorded | {"traits": recorded["traits"] | state} for state in states]


def numbers(n, d_key, d_value, size):
    """Return a SelfAttention of large numbers below and above 0, at its last step."""
    rng = np.random.default_rng(0)
    shapes = ((n, d_key), (n, d_key), (n, d_value))
    query, key, value = (size * rng.normal(size=shape) for shape in shapes)
    return SelfAttention(query, key / size, value, words=(LONG * 9)[:n], step="mix").recorded()


@pytest.mark.parametrize(("lesson", "nth"), quickly(PLACES, takes=[3, 11], full=[7, 10, 12]))
def test_words_of_a_lessons_widget_keep_apart(bundled, lesson, nth):
    recorded = recorded_widgets(lesson)[nth]
    shown = [*moments(recorded), lengthened(recorded)]
    found = [bundled.evaluate(MEET, [each, WIDTHS, False]) for each in shown]
    found += [bundled.evaluate(MEET, [each, [1264], True]) for each in shown[:-1]]
    assert [each for each in found if each] == []


@pytest.mark.parametrize(("n", "d_key", "d_value", "size"), quickly(SIZES, takes=[0]))
def test_numbers_of_self_attention_keep_apart_or_are_not_shown(bundled, n, d_key, d_value, size):
    shown = numbers(n, d_key, d_value, size)
    assert bundled.evaluate(MEET, [shown, WIDTHS, False]) == {}


def test_a_sentence_runs_to_the_right_whatever_its_first_word_is(bundled):
    words = [FIRST, SECOND, "saw"]
    shown = SelfAttention(*np.eye(3)[None].repeat(3, 0), words=words, step="mix").recorded()
    bundled.evaluate(MEET, [shown, [960], False])
    lefts = bundled.locator(".attnlib-live").evaluate(BESIDE)
    assert len(lefts) == 3
    assert lefts == sorted(lefts)
