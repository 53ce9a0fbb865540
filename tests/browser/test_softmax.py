"""Softmax in a page: keys that are hidden, by mouse, keys and touch."""

import numpy as np
import pytest
from playwright.sync_api import expect

from attnlib import softmax
from attnlib.widgets import Softmax
from tests.browser.visit import one_widget

pytestmark = pytest.mark.needs("chromium")
INF = -np.inf


@pytest.fixture
def shown(chromium, tmp_path):
    with chromium.visit(has_touch=True) as visit:
        one_widget(visit, tmp_path, Softmax([2, INF, 1], ["I", "saw", "it"]))
        yield visit
        assert visit.violations() == []
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
    widget.get_by_label("naive formula").click()
    expect(title).to_have_text("The weights are not numbers")
    expect(widget.locator("p.wrong")).to_contain_text("Every score is −inf")
    widget.get_by_label("naive formula").click()
    _hidden(widget, "I").focus()
    shown.page.keyboard.press("Space")
    _shows(widget, [2, INF, INF])
    expect(title).to_have_text("I gets the largest weight, 1.00")


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
