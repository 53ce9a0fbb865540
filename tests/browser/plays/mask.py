"""How a person uses lesson 05's mask: three words, causal, before the softmax."""

import re

import numpy as np
from playwright.sync_api import expect

from attnlib import attention, attention_weights, causal_mask, window_mask
from tests.browser.many import all_have

WORDS = ["the", "cat", "sat"]
QUERY = np.log([[1, 2, 1], [1, 1, 2], [1, 3, 1]]) * np.sqrt(3)
KEY = np.eye(3)
VALUE = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])


def by_mouse(page, widget):
    """Switch to after the softmax and see rows leak; paint a stroke; choose presets and a word."""
    _begin(page, widget, lambda it: it.click())
    mask = causal_mask(3)
    _shows(widget, mask)
    _option(widget, "after the softmax").click()
    _shows(widget, mask, when="after")
    expect(widget.get_by_text("and change all the same")).to_be_visible()
    _says(
        widget,
        "Hidden after the softmax now: the loses 0.75 of weight, which no other word gets. Its row "
        "sums to 0.25, not 1. 1 other row changes as well.",
    )
    _option(widget, "before the softmax").click()
    _says(widget, "Hidden before the softmax now: the gives 0.75 more than before.")

    _cell(widget, 2, 2).scroll_into_view_if_needed()
    _cell(widget, 0, 1).scroll_into_view_if_needed()
    start, end = _middle(_cell(widget, 0, 1)), _middle(_cell(widget, 1, 2))
    page.mouse.move(*start)  # a stroke through the row to its end, and down
    page.mouse.down()
    page.mouse.move(end[0], start[1], steps=4)
    page.mouse.move(*end, steps=4)
    page.mouse.up()
    mask[0], mask[1, 2] = True, True
    _shows(widget, mask)
    _cell(widget, 2, 0).click()
    mask[2, 0] = False
    _shows(widget, mask)
    _says(
        widget,
        "sat may no longer look at the: it gave 0.20 there, which moves to cat (0.60 → 0.75), sat "
        "(0.20 → 0.25).",
    )
    _reads(widget, "query sat key the hidden, score −inf, weight 0.00")
    _cell(widget, 2, 1).hover()
    _reads(widget, "query sat key cat may look, score 1.10, weight 0.75")
    _cell(widget, 2, 0).click()
    _says(
        widget,
        "sat may now look at the: it gives 0.20 there, taken from cat (0.75 → 0.60), sat "
        "(0.25 → 0.20).",
    )

    _preset(widget, "window").click()
    _option(widget, "the").click()
    _shows(widget, window_mask(3, width=1), changed=0)


def by_keys(page, widget):
    """Reach everything by Tab, arrows, Space and Enter alone."""
    _begin(page, widget, lambda it: (it.focus(), page.keyboard.press("Space")))
    mask = causal_mask(3)
    _shows(widget, mask)

    _preset(widget, "all").focus()
    page.keyboard.press("Enter")
    _shows(widget, np.ones((3, 3), bool))
    for name in ("causal", "padding"):
        page.keyboard.press("Tab")
        expect(_preset(widget, name)).to_be_focused()
    page.keyboard.press("Tab")
    expect(widget.get_by_label("real words")).to_be_focused()
    page.keyboard.press("Control+a")
    page.keyboard.type("1")
    _shows(widget, np.array([[True, False, False]] * 3))
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    expect(widget.get_by_label("to either side")).to_be_focused()
    page.keyboard.press("Control+a")
    page.keyboard.type("0")
    _shows(widget, np.eye(3, dtype=bool))
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    mask = np.array([[True, True, False], [True, True, False], [False, False, True]])
    _shows(widget, mask)
    page.keyboard.press("Tab")
    expect(widget.get_by_label("words in sentence 1")).to_be_focused()

    page.keyboard.press("Tab")  # one of the cells: arrows lead to the others
    for key in ("ArrowUp", "ArrowUp", "Home"):
        page.keyboard.press(key)
    expect(_cell(widget, 0, 0)).to_be_focused()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Space")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    mask[0, 1], mask[1, 2] = False, True
    _shows(widget, mask)
    page.keyboard.press("ArrowLeft")
    expect(_cell(widget, 1, 1)).to_be_focused()
    _reads(widget, "query cat key cat may look")
    for key in ("Home", "Space", "ArrowRight", "Space", "ArrowRight", "Space"):
        page.keyboard.press(key)  # one after the other is hidden from "cat"
    mask[1] = False
    _shows(widget, mask)
    _says(
        widget,
        "cat may no longer look at sat: it sees nothing now, so its weights are 0, and its output "
        "is 0.",
    )
    for key in ("Space", "ArrowLeft", "Space", "ArrowLeft", "Space"):
        page.keyboard.press(key)
    mask[1] = True
    _shows(widget, mask)

    page.keyboard.press("Tab")
    expect(widget.get_by_role("group", name="the weights that follow")).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    _shows(widget, mask, when="after")
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowLeft")
    _shows(widget, mask, when="after", changed=1)


def by_touch(page, widget):
    """Tap cells, presets and choices with a finger, and paint with it."""

    def tap(it):
        it.tap()

    _begin(page, widget, tap)
    mask = causal_mask(3)
    _shows(widget, mask)
    tap(_cell(widget, 0, 2))
    tap(_cell(widget, 2, 1))
    mask[0, 2], mask[2, 1] = True, False
    _shows(widget, mask)
    tap(_cell(widget, 0, 2))
    mask[0, 2] = False
    _shows(widget, mask)
    _says(widget, "the may no longer look at sat: it gave 0.50 there, which moves to the (0.50 →")
    (x, y), (end, _) = _middle(_cell(widget, 0, 1)), _middle(_cell(widget, 0, 2))
    # It rests at the end: after a flick a browser takes the next tap for the hand that stops it.
    finger = page.context.new_cdp_session(page)  # Playwright's own only taps
    for kind, at in [("Start", x), ("Move", end), *(("Move", end + k % 2) for k in range(12))]:
        points = [{"x": at, "y": y}]
        finger.send("Input.dispatchTouchEvent", {"type": f"touch{kind}", "touchPoints": points})
    finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    finger.detach()
    mask[0] = True
    _shows(widget, mask)
    tap(_option(widget, "after the softmax"))
    tap(_option(widget, "cat"))
    _shows(widget, mask, when="after", changed=1)
    tap(_preset(widget, "window"))
    _shows(widget, window_mask(3, width=1), when="after", changed=1)


def _begin(page, widget, press):
    """Bring the widget into the state in which the lesson shows it, its number fields too."""
    for field, size in (("real words", "2"), ("to either side", "1"), ("words in sentence 1", "2")):
        press(widget.get_by_label(field))
        for key in ("End", "Backspace", "Backspace", size):
            page.keyboard.press(key)
    for it in (_option(widget, "before the softmax"), _option(widget, "sat")):
        press(it)
    press(_preset(widget, "causal"))


def _preset(widget, name):
    return widget.get_by_role("button", name=name, exact=True)


def _option(widget, name):
    return widget.get_by_role("radio", name=name, exact=True)


def _cell(widget, i, j):
    return widget.get_by_role("button", name=f"{WORDS[i]} may look at {WORDS[j]}", exact=True)


def _middle(it):
    box = it.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def _attend(key, value, mask, when):
    if when == "before":
        return attention_weights(QUERY, key, mask=mask), attention(QUERY, key, value, mask=mask)
    weights = attention_weights(QUERY, key) * mask
    return weights, weights @ value


def _shows(widget, mask, *, when="before", changed=2):
    """Expect every number and word of the table, computed here."""
    weights, output = _attend(KEY, VALUE, mask, when)
    rise = np.zeros((3, 1))
    rise[changed] = 1
    _, other = _attend(KEY + rise, VALUE + rise, mask, when)
    changes = np.abs(other - output).max(axis=1)
    rows = widget.get_by_role("table", name="weights:").locator("tbody tr")
    shown = []
    for i in range(3):
        blind = not mask[i].any()
        shown += [re.compile(rf"^{weight:.2f}(was \d\.\d\d)?$") for weight in weights[i]]
        total = weights[i].sum()
        said = f"{total:.2f}{'' if np.isclose(total, 1) else ', not 1'}"
        said = "sees nothing: weights 0, output 0" if blind else said
        shown.append(said)
        if not blind:
            noticed = f"changes by {changes[i]:.2f}" if changes[i] > 0 else "untouched"
            shown.append(noticed)
    expect(rows.locator("td")).to_have_text(shown)
    cells = widget.get_by_role("button", name="may look at")
    all_have(cells, "aria-pressed", ["true" if may else "false" for may in mask.ravel()])
    expect(widget.get_by_text(f"{mask.sum()} of 9 pairs may look")).to_be_visible()


def _says(widget, sentence):
    """Expect the sentence that tells cause and effect to begin so."""
    expect(widget.locator(".story")).to_have_text(re.compile(f"^{re.escape(sentence)}"))


def _reads(widget, words):
    """Expect what is told of the cell under the hand to begin so."""
    expect(widget.locator(".reading")).to_have_text(re.compile(f"^{re.escape(words)}"))
