"""A widget that asks and leads, in a page: by mouse, keys and touch, and by links."""

import nbformat
import numpy as np
import pytest
from playwright.sync_api import expect

from attnlib import softmax
from attnlib.widgets import Goal, Softmax
from course.slides.browser import SETTLED
from course.slides.deck import deck
from tests.browser.hand import drag, keys, tap
from tests.browser.visit import one_widget
from tests.toys import put_lesson

pytestmark = pytest.mark.needs("chromium")
NAMES = ["I", "saw", "it"]
TASK = "Let “I” and “it” share the weight equally, by moving one score."
SHARED = (0.4, 0.48)
OPEN = "I gets 0.67 of the weight; 0.40 to 0.48 is asked."
MOMENTS = [("I wins", {}), ("saw wins", {"scores": [2, 4, 0]}), ("All cool", {"temperature": 9})]
SLIDES = """% slide 1
% say Here it begins.
# 01 · One

% show
See how [saw wins](#moment:saw-wins).

% slide 4 Who wins?
% say Press the key.
% show widget
```{code-cell}
shown
```
"""
TEXT = "# A page\n\nSee how [saw wins](#moment:saw-wins), and [nothing](#moment:no-such)."


@pytest.fixture
def shown(chromium, tmp_path):
    goal = Goal(TASK, weights={0: SHARED, 2: SHARED}, changing=1)
    asking = Softmax([2.0, 1.0, 0.0], NAMES, goal=goal, moments=MOMENTS)
    with chromium.visit(viewport={"width": 390, "height": 900}) as visit:
        one_widget(visit, tmp_path, asking, TEXT)
        yield visit
        assert visit.errors == visit.outside == []


def test_a_drag_is_one_move_and_the_picture_does_not_jump_when_it_is_done(shown):
    widget, slider = shown.widget(), _score(shown, "it")
    expect(widget.locator(".task")).to_have_text(f"Try it. {TASK}")
    _tells(shown, OPEN)
    high = _high(widget)
    _drag(shown, slider, [0, 3, 1])  # through what is asked for, and back
    _tells(shown, "I gets 0.58 of the weight; 0.40 to 0.48 is asked.1 move")
    _drag(shown, slider, [2])
    _tells(shown, "Done in 2 moves.")
    assert _high(widget) == high
    _drag(shown, slider, [-5])
    _tells(shown, "Done in 2 moves.")  # until a reset
    widget.get_by_role("button", name="Reset").click()
    _tells(shown, OPEN)
    _shows(shown, [2, 1, 0])
    assert _high(widget) == high
    assert shown.violations() == []


def test_a_key_held_down_sweeps_over_the_goal_and_does_not_reach_it(shown):
    slider, keyboard = _score(shown, "it"), shown.page.keyboard
    slider.fill("1.5")
    slider.focus()
    for _ in range(5):  # a key that is held comes again and again: 1.6 to 2.0
        keyboard.down("ArrowRight")
    shown.page.wait_for_timeout(700)
    _tells(shown, "There: let go.1 move")
    for _ in range(8):
        keyboard.down("ArrowRight")
    keyboard.up("ArrowRight")
    shown.page.wait_for_timeout(700)
    _tells(shown, "I gets 0.28 of the weight; 0.40 to 0.48 is asked.1 move")
    for _ in range(8):
        keyboard.press("ArrowLeft")
    _tells(shown, "Done in 1 move.")


@pytest.mark.full
def test_one_number_moved_by_keys_is_one_move_until_another_follows(shown):
    _score(shown, "I").focus()
    keys(shown.page, "ArrowLeft", "ArrowLeft", "PageDown")
    _moves(shown, 1)
    shown.page.keyboard.press("Tab")
    _moves(shown, 1)  # no number has changed
    shown.page.keyboard.press("ArrowRight")
    _moves(shown, 2)
    too_many = "2 numbers differ from the start, and 1 may"
    expect(shown.widget().locator(".missing")).to_contain_text(too_many)
    keys(shown.page, "Shift+Tab", "ArrowRight")
    _moves(shown, 3)


def test_the_brackets_step_through_the_moments_whatever_the_hand_did_before(shown):
    _chosen(shown, "I wins")
    _score(shown, "it").fill("7")
    _chosen(shown, None)
    shown.page.keyboard.press("[")
    _chosen(shown, "All cool")
    _shows(shown, [2, 1, 0], temperature=9)
    shown.page.keyboard.press("]")
    _chosen(shown, "All cool")  # there is no other behind it
    shown.page.keyboard.press("[")
    _chosen(shown, "saw wins")
    _shows(shown, [2, 4, 0])
    expect(_score(shown, "it")).to_be_focused()
    _score(shown, "it").press("Control+]")
    _chosen(shown, "saw wins")  # the browser's own
    shown.widget().get_by_role("button", name="Reset").click()
    _chosen(shown, "I wins")
    _shows(shown, [2, 1, 0])


@pytest.mark.full
def test_a_finger_chooses_a_moment_and_moves_are_counted_from_there(shown):
    widget = shown.widget()
    _score(shown, "I").fill("3")
    _moves(shown, 1)
    widget.get_by_role("button", name="saw wins").tap()
    _shows(shown, [2, 4, 0])
    expect(widget.locator(".moves")).to_have_count(0)
    widget.get_by_role("button", name="I wins").tap()
    _shows(shown, [2, 1, 0])
    tap(shown.page, _score(shown, "I"))
    _tells(shown, "I gets 0.21 of the weight; 0.40 to 0.48 is asked.1 move")


@pytest.mark.full
def test_a_link_shows_the_moment_that_it_names(shown):
    shown.page.get_by_role("link", name="saw wins").click()
    _chosen(shown, "saw wins")
    shown.page.get_by_role("link", name="nothing").click()
    _chosen(shown, "saw wins")
    address = shown.page.url.partition("#")[0]
    shown.page.goto("about:blank")
    shown.page.goto(f"{address}#moment:all-cool")
    _chosen(shown, "All cool")


def test_a_slide_steps_by_the_brackets_and_a_link_turns_to_the_slide(chromium, tmp_path):
    led = Softmax([2.0, 1.0, 0.0], NAMES, moments=MOMENTS)
    data, metadata = led._repr_mimebundle_()
    output = nbformat.v4.new_output("display_data", data=data, metadata=metadata)
    path = tmp_path / "deck.html"
    path.write_text(deck(put_lesson(tmp_path, "01_one", SLIDES, [[output]])), encoding="utf-8")
    with chromium.visit(viewport={"width": 1280, "height": 720}) as visit:
        visit.page.goto(path.as_uri())
        visit.page.wait_for_function(SETTLED)
        visit.page.keyboard.press("]")  # there is no widget on this slide
        visit.page.get_by_role("link", name="saw wins").click()
        expect(visit.page.locator("section.present h2")).to_have_text("Who wins?")
        _chosen(visit, "saw wins")
        visit.page.keyboard.press("]")
        _chosen(visit, "All cool")
        keys(visit.page, "[", "[")
        _chosen(visit, "I wins")
        visit.widget().get_by_role("button", name="saw wins").click()
        visit.page.keyboard.press("]")  # the widget's own now, for it has the focus
        _chosen(visit, "All cool")
        assert visit.page.evaluate("Reveal.getIndices().h") == 1
        assert visit.errors == visit.outside == []


def _score(shown, name):
    return shown.widget().get_by_role("slider", name=f"score of {name}", exact=True)


def _drag(shown, slider, scores):
    """Take the handle where it is, and lead it from score to score; then let go."""
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    inset, y = 8, box["y"] + box["height"] / 2  # the handle's half: its middle goes no further

    def across(score):
        return box["x"] + inset + (score + 5) / 10 * (box["width"] - 2 * inset)

    path = [across(score) for score in (float(slider.input_value()), *scores)]
    drag(shown.page, *((x, y) for x in path), steps=3)


def _tells(shown, words):
    expect(shown.widget().locator(".missing")).to_have_text(words)


def _moves(shown, n):
    expect(shown.widget().locator(".moves")).to_have_text(f"{n} move{'' if n == 1 else 's'}")


def _chosen(shown, title):
    chosen = shown.widget().get_by_role("button", pressed=True)
    expect(chosen).to_have_text([title] if title else [])


def _shows(shown, scores, temperature=1.0):
    weights = softmax(np.array(scores, float), temperature=temperature)
    expect(shown.widget().locator(".weight")).to_have_text([f"{w:.2f}" for w in weights])


def _high(widget):
    """Measure how far below the widget's top stands what comes after its goal."""
    top = widget.bounding_box()["y"]
    return widget.get_by_role("button", name="Reset").bounding_box()["y"] - top
