"""How a person uses lesson 03's scores: four of them, at temperature 1, a goal and moments."""

import re

import numpy as np
from playwright.sync_api import expect

from attnlib import entropy, softmax
from tests.browser.hand import drag, keys, spot, tab, tap, unfold

SCORES = np.array([2.0, 1.0, 0.5, -0.5])


def by_mouse(page, widget):
    """Drag a score to its end, click on the sliders, switch the naive formula on and off."""
    _begin(page, widget)
    # From the bar's end, left of the middle, on beyond the slider's.
    drag(page, *(spot(_score(widget, 3), share) for share in (0.45, 0.7, 1.2)))
    scores = SCORES.copy()
    scores[3] = 5
    _shows(widget, softmax(scores))
    begins = "({ style }) => style.insetInlineStart + ' ' + style.inlineSize"
    assert widget.locator(".grown").nth(3).evaluate(begins) == "50% 50%"  # from 0 to the end

    widget.get_by_role("button", name="from scores to weights").click()
    flying = "(host) => host.shadowRoot.getAnimations().filter((one) => !one.transitionProperty)"
    assert widget.evaluate(f"(host) => ({flying})(host).length") == 8  # two bars of each key
    widget.evaluate(f"(host) => ({flying})(host).forEach((one) => one.finish())")

    _shift(widget).click(position={"x": _width(_shift(widget)) - 2, "y": 10})  # 800, the far end
    _shows(widget, softmax(scores))  # a shift changes nothing
    expect(widget.locator(".heads .power")).to_have_text("escore − largest")
    naive = widget.get_by_role("checkbox")
    naive.click()
    expect(widget.get_by_text("inf / inf is not a number", exact=False).first).to_be_visible()
    assert _weights(widget) == ["nan"] * 4
    naive.click()
    _shows(widget, softmax(scores))
    widget.get_by_role("button", name="Reset").click()
    expect(_shift(widget)).to_be_hidden()  # what a first look does without is folded again
    _reaches_the_goal(page, widget)


def _reaches_the_goal(page, widget):
    """Key 3 needs the exponential that the others have together: 7.39 + 2.72 + 1.65 = 11.76."""
    expect(widget.locator(".goal")).to_contain_text(
        "key 3 gets 0.05 of the weight; 0.48 to 0.52 is asked"
    )
    _score(widget, 3).focus()
    keys(page, *30 * ["ArrowRight"])  # from -0.5 to 2.5
    expect(widget.locator(".row .exponential").nth(3)).to_have_text("12.18")
    expect(widget.locator(".goal")).to_contain_text("Done in 1 move.")


def by_keys(page, widget):
    """Reach every control by Tab; move them by arrow keys, Home and End; step through moments."""
    _begin(page, widget)
    _temperature(widget).focus()
    for key, temperature in (("Home", 10**-1.5), ("End", 10**1.5)):
        keys(page, key)
        _shows(widget, softmax(SCORES, temperature=temperature))
    _score(widget, 0).focus()
    for i in range(4):
        expect(_score(widget, i)).to_be_focused()
        page.keyboard.press("End" if i == 1 else "Home")
        if i < 3:
            keys(page, "Tab")
    keys(page, "ArrowRight")
    _shows(widget, softmax(np.array([-5, 5, -5, -4.9]), temperature=10**1.5))
    said = widget.locator("[role=status]", has_text=re.compile("key 1 0.31"))
    expect(said).to_have_count(1)
    tab(page, _temperature(widget), widget.get_by_role("button", name="from scores to weights"))
    keys(page, "Tab", "Enter")  # what is folded; it is open, and closes
    expect(_shift(widget)).to_be_hidden()
    keys(page, "Enter")
    tab(page, _shift(widget))
    keys(page, "Home")
    tab(page, widget.get_by_role("checkbox"))
    keys(page, "Space")
    expect(widget.get_by_role("checkbox")).to_be_checked()
    # -800 / 31.6 is near enough for the formula; at the least temperature it is 0 / 0.
    _temperature(widget).focus()
    keys(page, "Home")
    expect(widget.get_by_text("0 / 0 is not a number", exact=False).first).to_be_visible()
    for scores in (SCORES, SCORES, np.ones(4), np.array([8, 1, 0.5, -0.5])):
        keys(page, "]")
        _shows(widget, softmax(scores))


def by_touch(page, widget):
    """Tap on sliders, on the box and on a moment."""
    _begin(page, widget)
    slider = _score(widget, 0)
    tap(page, slider, 0.01)
    scores = SCORES.copy()
    scores[0] = -5 if float(slider.get_attribute("max")) == 5 else -8
    _shows(widget, softmax(scores))
    widget.get_by_role("checkbox").tap()
    expect(widget.get_by_role("checkbox")).to_be_checked()
    expect(widget.locator(".heads .power")).to_have_text("escore")
    widget.evaluate("(element) => { element.style.width = '330px' }")  # a telephone's
    for end in ("-800", "800"):
        _shift(widget).fill(end)
        assert _runs_out(widget) == []
    _shift(widget).fill("0")
    widget.evaluate("(element) => { element.style.width = '' }")
    widget.get_by_role("checkbox").tap()
    expect(widget.get_by_role("checkbox")).not_to_be_checked()
    widget.get_by_role("button", name="equal scores, equal weights").tap()
    expect(widget.locator(".headline")).to_have_text("Equal scores: 4 equal weights of 0.25")


def _begin(page, widget):
    """Unfold the widget, and bring it into the lesson's state, by keys."""
    unfold(widget)
    if widget.get_by_role("checkbox").is_checked():
        widget.get_by_role("checkbox").uncheck()
    for i, score in enumerate(SCORES):
        _score(widget, i).fill(str(score))
    _temperature(widget).fill("0")  # the slider moves on a logarithmic scale
    _shift(widget).fill("0")
    _shows(widget, softmax(SCORES))


def _shows(widget, weights):
    """Wait until the widget prints these weights, and with them their entropy and sum."""
    texts = [f"{weight:.2f}" for weight in weights]
    expect(widget.locator(".weight")).to_have_text(texts)
    most, first = max(weights), int(np.argmax(weights))
    title = (
        rf"^(key {first} (and \d more get|gets) the largest weight|.* equal weights of|"
        r"[\d.]+ (added to|taken off) every score: no weight changes, the largest is still)"
    )
    expect(widget.locator(".headline")).to_have_text(re.compile(f"{title},? {most:.2f}$"))
    expect(widget.locator(".sum")).to_have_text("1.00")
    facts = widget.locator("dd")
    expect(facts).to_have_text([f"{entropy(weights):.2f}", f"{np.log(4):.2f}"])


def _runs_out(widget):
    """Return the texts of the table that are wider than their place."""
    return widget.locator(".ledger span").evaluate_all(
        "all => all.filter((one) => one.scrollWidth > one.clientWidth + 1 && one.clientWidth)"
        ".map((one) => one.textContent).filter(Boolean)"
    )


def _weights(widget):
    return widget.locator(".weight").all_inner_texts()


def _score(widget, i):
    return widget.get_by_role("slider", name=f"score of key {i}")


def _temperature(widget):
    return widget.get_by_label("temperature")


def _shift(widget):
    return widget.get_by_label("add to every score")


def _width(locator):
    return locator.bounding_box()["width"]
