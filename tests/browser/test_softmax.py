"""Softmax in a page: keys that are hidden, and more keys than a screen holds."""

import numpy as np
import pytest
from playwright.sync_api import expect

from attnlib import softmax
from attnlib.widgets import Goal, Softmax
from tests.browser.visit import one_widget

pytestmark = [pytest.mark.needs("chromium"), pytest.mark.full]
INF = -np.inf


@pytest.fixture
def shown(chromium, tmp_path):
    with chromium.visit(has_touch=True) as visit:
        one_widget(visit, tmp_path, Softmax([2, INF, 1], ["I", "saw", "it"]))
        yield visit
        assert visit.errors == []


def test_a_hidden_key_is_crossed_has_the_weight_0_and_comes_back_by_mouse_and_touch(shown):
    widget = shown.widget()
    _shows(widget, [2, INF, 1])
    _hidden(widget, "saw").click()
    _shows(widget, [2, 0, 1])
    _score(widget, "it").fill("3")
    _hidden(widget, "it").tap()
    _shows(widget, [2, 0, INF])
    _hidden(widget, "it").tap()
    _shows(widget, [2, 0, 3])  # as it was


def test_where_all_are_hidden_by_keys_the_widget_says_so(shown):
    widget = shown.widget()
    for name in ("I", "it"):
        _hidden(widget, name).focus()
        shown.page.keyboard.press("Space")
    _shows(widget, [INF] * 3)
    title = widget.locator(".headline")
    expect(title).to_have_text("Every key is hidden: all weights are 0")
    widget.locator("summary").click()
    widget.get_by_label("naive formula").click()
    expect(title).to_have_text("The weights are not numbers")
    expect(widget.locator("p.wrong")).to_contain_text("Every score is −inf")
    widget.get_by_label("naive formula").click()
    _hidden(widget, "I").focus()
    shown.page.keyboard.press("Space")
    _shows(widget, [2, INF, INF])
    expect(title).to_have_text("I gets the largest weight, 1.00")
    assert shown.violations() == []  # on a page of lesson 03 no key is hidden


def test_of_forty_keys_the_largest_what_is_asked_and_what_the_hand_touched_are_shown(
    chromium, tmp_path
):
    names = [f"word {i}" for i in range(40)]
    scores = np.random.default_rng(2).normal(size=40).round(1)
    largest = sorted(np.argsort(-scores, kind="stable")[:5])
    low, dragged = (int(i) for i in np.argsort(scores)[:2])
    goal = Goal("Give it a tenth.", weights={low: (0.09, 0.11)})
    with chromium.visit() as visit:
        one_widget(visit, tmp_path, Softmax(scores, names, goal=goal))
        widget = visit.widget()
        rows = widget.locator(".rows .name")
        expect(rows).to_have_text([names[i] for i in sorted([*largest, low])])
        together = 1 - softmax(scores)[[*largest, low]].sum()
        expect(widget.locator(".others .together")).to_have_text(f"{together:.2f}")
        assert widget.bounding_box()["height"] <= 800  # a screen's
        widget.get_by_role("button", name="all 40 keys").click()
        expect(rows).to_have_text(names)
        expect(widget.locator(".others")).to_have_count(0)
        assert widget.bounding_box()["height"] <= 800
        _score(widget, names[dragged]).fill("4")
        widget.get_by_role("button", name="the 5 largest").click()
        expect(rows).to_have_text([names[i] for i in sorted([*largest, low, dragged])])
        assert visit.errors == []


def test_who_asks_for_less_motion_gets_none(chromium, tmp_path):
    with chromium.visit(reduced_motion="reduce") as visit:
        one_widget(visit, tmp_path, Softmax([2, 1, 0]))
        widget = visit.widget()
        expect(widget.get_by_role("button", name="from scores to weights")).to_be_hidden()
        _score(widget, "key 0").fill("5")
        expect(widget.locator(".weight").first).to_have_text("0.98")
        assert widget.evaluate("(host) => host.shadowRoot.getAnimations().length") == 0


def _shows(widget, scores):
    texts = ["−inf" if score == INF else f"{score:.1f}" for score in scores]
    expect(widget.locator(".score")).to_have_text(texts)
    weights = [f"{w:.2f}" for w in softmax(np.array(scores, float))]
    expect(widget.locator(".weight")).to_have_text(weights)
    expect(widget.locator(".row.hidden .crossed")).to_have_count(scores.count(INF))
    expect(widget.get_by_role("checkbox", name="hidden", checked=True)).to_have_count(
        scores.count(INF)
    )


def _hidden(widget, name):
    return widget.get_by_role("group", name=name, exact=True).get_by_label("hidden")


def _score(widget, name):
    return widget.get_by_role("slider", name=f"score of {name}")
