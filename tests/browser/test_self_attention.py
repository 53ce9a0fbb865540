"""SelfAttention in a browser: what a long sentence folds to, and how the values come to add up."""

import numpy as np
import pytest
from playwright.sync_api import expect

from attnlib.widgets import Goal, SelfAttention
from tests.browser.visit import one_widget

pytestmark = [pytest.mark.needs("chromium"), pytest.mark.full]

N, ASKS, ASKED = 40, 7, 20
RNG = np.random.default_rng(0)
LONG = dict(zip(("query", "key", "value"), RNG.normal(size=(3, N, 3)).round(2), strict=True))
GOAL = Goal("Let w7 look at w20.", weights={(ASKS, ASKED): (0.5, None)})
PATHS = "(paths) => paths.map((path) => path.getAttribute('d'))"


def long(**inputs):
    return SelfAttention(**LONG, words=[f"w{i}" for i in range(N)], word=ASKS, **inputs)


def test_forty_words_fold_into_a_screen_with_what_is_asked(chromium, tmp_path):
    shown = long(step="softmax", goal=GOAL)
    top = shown.weights[ASKS].argsort()[::-1][:5]
    with chromium.visit(viewport={"width": 1000, "height": 800}) as visit:
        one_widget(visit, tmp_path, shown)
        widget = visit.widget()
        words = widget.get_by_role("group", name="the word that asks").locator("bdi")
        drawn = [f"w{j}" for j in sorted({*top, ASKS, ASKED})]
        expect(words).to_have_text([*drawn, f"{N - len(drawn)} others"])
        assert widget.bounding_box()["height"] <= 800
        assert widget.get_by_role("slider").count() == 3 * 3  # of one query, one key and one value
        widget.get_by_label("closer at").select_option("w33")
        expect(widget.get_by_role("group", name="key of w33")).to_be_visible()
        widget.get_by_label("who asks").select_option("w9")
        expect(widget.get_by_role("group", name="query of w9")).to_be_visible()
        widget.get_by_label("all 40 words").check()
        expect(words).to_have_count(N)
        assert visit.violations() == visit.errors == []


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_in_mix_the_values_go_one_by_one_and_end_tip_to_tail(chromium, tmp_path, motion):
    few = {role: rows[:4] for role, rows in LONG.items()}
    shown = SelfAttention(**few, words=list("abcd"), word=1, step="softmax")
    with chromium.visit(reduced_motion=motion) as visit:
        one_widget(visit, tmp_path, shown)
        widget = visit.widget()
        parts = widget.locator(".part")
        expect(parts.first).to_be_hidden()
        widget.get_by_role("button", name="Next").click()
        expect(parts.first).to_be_visible()
        moves = parts.evaluate_all(
            "(paths) => paths.map((path) => path.getAnimations()[0]?.effect.getTiming().delay)"
        )
        going = [0, 300, 600, 900]  # ms
        assert moves == pytest.approx(going) if motion == "no-preference" else moves == [None] * 4
        bars = np.array([_bars(path) for path in parts.evaluate_all(PATHS)])  # (4, 3, 2)
        total = np.array(_bars(widget.locator("path.bars.output").first.get_attribute("d")))
    starts, rises = bars[..., 0], bars[..., 1]
    unit = total[0, 1] / shown.output[1, 0]
    np.testing.assert_allclose(rises, unit * shown.weights[1][:, None] * few["value"], atol=0.15)
    np.testing.assert_allclose(starts[1:], starts[:-1] + rises[:-1], atol=0.15)
    np.testing.assert_allclose(starts[-1] + rises[-1], total.sum(axis=1), atol=0.15)


def _bars(path):
    """Return where each bar of a path begins and how far it rises, in pixels upwards."""
    bars = [bar.split("v") for bar in path.split("M")[1:]]  # M x y v down h width v up z
    return [(-float(at.split()[1]), -float(down.split("h")[0])) for at, down, _ in bars]
