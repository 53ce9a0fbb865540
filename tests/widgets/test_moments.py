"""A widget leads: its moments are judged, recorded, and leave a goal to the hand."""

import re

import pytest

from attnlib import widgets
from attnlib.widgets import Goal, Heads, Mask, Softmax
from attnlib.widgets._goals import slug
from tests.lessons import SERIES
from tests.widgets.goals import LEADING, recorded_with, revived
from tests.widgets.test_base import WIDGETS, make, own_tests

LINK = r"\(#moment:([^)]+)\)"
LINKING = [name for name, lesson in SERIES.items() if re.search(LINK, lesson.text)]


def led(*moments, **options):
    return Softmax([2.0, 1.0], ["a", "b"], moments=moments, **options)


def test_moments_are_recorded_printed_and_told_to_the_browser():
    widget = led(("a wins", {}), ("All are equal!", {"scores": [1, 1], "temperature": 2}))
    told = [
        {"title": "a wins", "slug": "a-wins", "state": {}},
        {
            "title": "All are equal!",
            "slug": "all-are-equal",
            "state": {"scores": [1.0, 1.0], "temperature": 2.0},
        },
    ]
    assert widget.recorded()["traits"]["_moments"] == told
    assert widget.get_state(["_moments"])["_moments"] == told
    assert widget.scores.tolist() == [2, 1]
    moments = "[('a wins', {}), ('All are equal!', {'scores': [1, 1], 'temperature': 2})]"
    assert repr(widget).endswith(f", moments={moments})")
    again = eval(repr(widget), vars(widgets))
    assert again.moments == widget.moments
    assert "_moments" not in Softmax([1.0]).recorded()["traits"]


def test_a_state_is_recorded_as_the_browser_knows_that_input():
    shown = Softmax([1.0, 0.0], moments=[("b is hidden", {"scores": [1.0, float("-inf")]})])
    assert shown.recorded()["traits"]["_moments"][0]["state"] == {"scores": [1.0, None]}
    heads = Heads([[[1.0]], [[1.0]]], ["a"], moments=[("the other", {"weights": [[[1.0]]]})])
    state = heads.recorded()["traits"]["_moments"][0]["state"]
    assert state == {"weights": Heads([[[1.0]]], ["a"]).recorded()["traits"]["weights"]}


@pytest.mark.parametrize("name", WIDGETS)
def test_every_widget_takes_moments_and_stays_as_it_was(name):
    plain = make(name)
    state = {trait: getattr(plain, trait) for trait in plain._inputs}
    led = type(plain)(**state, moments=[("as it is", state), ("at first", {})])
    assert [moment["title"] for moment in led._moments] == ["as it is", "at first"]
    kept = led.recorded()["traits"]
    del kept["_moments"]
    assert kept == plain.recorded()["traits"]
    assert led.still() == plain.still()
    assert own_tests(name)


@pytest.mark.parametrize(
    ("moments", "error", "message"),
    [
        ("all", TypeError, "moments must be a sequence of pairs, (title, {input: value}): moments "
         "is 'all', and str is no sequence of pairs."),
        ([(f"number {k}", {}) for k in range(6)], ValueError,
         "a widget has at most 5 moments: moments is a sequence of 6, and 6 > 5."),
        (["a wins"], TypeError, "a moment must be a pair, (title, {input: value}): moments[0] is "
         "'a wins', and it is none."),
        ([("a wins", {}), (3, {})], TypeError, "a moment must be a pair, (title, {input: value}): "
         "moments[1] is (3, {}), and it is none."),
        ([("here is what one sees of it all", {})], ValueError,
         "a moment's title must have 1 to 6 words: moments[0] is 'here is what one sees of it "
         "all', and 8 > 6."),
        ([("…", {})], ValueError, "a moment's title must have 1 to 6 words: moments[0] is '…', and "
         "there is none."),
        ([("a wins", {}), ("b wins", {}), ("A wins!", {})], ValueError,
         "each moment needs a title of its own: moments[0] is 'a wins', moments[2] is 'A wins!', "
         "and a-wins stands twice."),
        ([("a wins", {"score": [1, 2]})], AttributeError, "Softmax has the inputs scores, names, "
         "temperature, shift, naive: score came in, and it is none of them; did you mean scores?"),
        ([("a wins", {}), ("b wins", {"scores": [1, 2, 3]})], ValueError,
         "moments[1], “b wins”: each score needs one name: scores is (3,), names is 2 words, and 3 "
         "!= 2."),
        ([("b wins", {"temperature": "hot"})], TypeError, "moments[0], “b wins”: temperature must "
         "hold floats (of 16, 32 or 64 bits), integers or bools: temperature is 'hot', and str is "
         "none of these."),
    ],
)  # fmt: skip
def test_a_moment_that_cannot_be_is_refused_in_three_parts(moments, error, message):
    with pytest.raises(error) as told:
        led(*moments) if isinstance(moments, list) else Softmax([1.0], moments=moments)
    assert str(told.value) == message


def test_a_moment_does_not_give_the_goal_away():
    goal = Goal("Let both share.", weights={0: (0.49, 0.51)})
    with pytest.raises(ValueError, match="a moment must leave the goal open") as told:
        led(("both share", {"scores": [1, 1]}), goal=goal)
    assert str(told.value) == (
        "a moment must leave the goal open: goal is 'Let both share.', moments[0] is 'both share', "
        "and it is met there."
    )
    assert not led(("b wins", {"scores": [1, 9]}), goal=goal).done


@pytest.mark.parametrize(
    ("title", "link"),
    [
        ("it looks at animal", "it-looks-at-animal"),
        ("8 of 12 look at [CLS]", "8-of-12-look-at-cls"),
        ("À la carte: 7 apart?", "à-la-carte-7-apart"),
    ],
)
def test_a_link_names_a_moment_by_its_title(title, link):
    assert slug(title) == link


@pytest.mark.parametrize("lesson", LEADING)
def test_the_moments_of_a_lesson_are_states_of_its_widget(lesson):
    states = recorded_with(lesson, "_moments")
    assert states
    for state in states:
        assert revived(state)._moments == state["traits"]["_moments"]


@pytest.mark.parametrize("lesson", LINKING)
def test_a_link_leads_to_a_moment_of_the_lesson(lesson):
    states = recorded_with(lesson, "_moments")
    there = {moment["slug"] for state in states for moment in state["traits"]["_moments"]}
    assert set(re.findall(LINK, SERIES[lesson].text)) <= there


def test_a_moment_may_change_what_only_fits_together():
    column, fewer = [[1.0], [0.0], [2.0]], [[1.0], [0.0]]
    state = {"query": fewer, "key": fewer, "value": fewer, "words": ["I", "saw"], "changed": 1}
    moments = [("one word less", state | {"mask": [[True, True]] * 2})]
    shown = Mask(column, column, column, words=["I", "saw", "it"], moments=moments)
    assert shown._moments[0]["state"]["words"] == ["I", "saw"]
