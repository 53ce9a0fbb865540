"""How a person uses lesson 05's mask: four words, causal, before the softmax."""

import re

import numpy as np
from playwright.sync_api import expect

from attnlib import attention, attention_weights, causal_mask, text, window_mask
from tests.browser.hand import drag, draw_a_finger, keys, spot, tab, type_over, unfold
from tests.browser.many import all_have

WORDS, TOY = text.toy_sentence()
NAMES = ["I", "the first saw", "a", "the second saw"]
QUERY, KEY, VALUE = (TOY @ matrix for matrix in text.toy_projections())


def by_mouse(page, widget):
    """Switch to after the softmax and see rows leak; paint a stroke; choose presets and a word."""
    _begin(page, widget, lambda it: it.click())
    mask = causal_mask(4)
    _shows(widget, mask)
    _option(widget, "after the softmax").click()
    _shows(widget, mask, when="after")
    expect(widget.get_by_text("and change all the same")).to_be_visible()
    _says(
        widget,
        "Hidden after the softmax now, look at I: it loses 0.89 of weight, which no other word "
        "gets. Its row sums to 0.11, not 1.",
    )
    _option(widget, "before the softmax").click()
    _says(widget, "Hidden before the softmax now, look at I: it gives 0.89 more than before.")

    _cell(widget, 3, 3).scroll_into_view_if_needed()
    _cell(widget, 0, 1).scroll_into_view_if_needed()
    start, end = spot(_cell(widget, 0, 1)), spot(_cell(widget, 2, 3))
    drag(page, start, (end[0], start[1]), end)  # through the row to its end, and down
    mask[0], mask[1:3, 3] = True, True
    _shows(widget, mask)
    for j in (2, 3):
        _cell(widget, 3, j).click()
    mask[3, 2:] = False
    _shows(widget, mask)
    _says(
        widget,
        "the second saw may no longer look at the second saw: the 0.16 it gave there goes to "
        "I, the first saw.",
    )
    _reads(widget, "saw asks saw is looked at hidden, score −inf, weight 0.00")
    _cell(widget, 3, 0).hover()
    _reads(widget, "saw asks I is looked at may look, score 1.41, weight 0.80")
    _cell(widget, 3, 3).click()
    _says(
        widget,
        "the second saw may now look at the second saw: the 0.16 it gives there comes from I, "
        "the first saw.",
    )

    _preset(widget, "window").click()
    _option(widget, "I").click()
    _shows(widget, window_mask(4, width=1), changed=0)
    _moment(widget, 2).click()
    _shows(widget, causal_mask(4), when="after")
    _moment(widget, 3).click()
    _shows(widget, window_mask(4, width=1))
    _moment(widget, 1).click()
    _shows(widget, causal_mask(4))
    _asks(widget, "the second “saw” gives 0.14 to the first “saw”; 0.19 to 0.20 is asked")
    _cell(widget, 3, 2).click()
    _cell(widget, 3, 3).click()
    expect(widget.locator(".goal .missing")).to_have_text(re.compile(r"^Done in \d+ moves\."))


def by_keys(page, widget):
    """Reach everything by Tab, arrows, Space and Enter alone."""
    _begin(page, widget, lambda it: (it.focus(), keys(page, "Space")))
    mask = causal_mask(4)
    _shows(widget, mask)
    keys(page, "]")
    _shows(widget, mask, when="after")
    keys(page, "[")
    _shows(widget, mask)

    _preset(widget, "all").focus()
    keys(page, "Enter")
    _shows(widget, np.ones((4, 4), bool))
    tab(page, _preset(widget, "causal"), _preset(widget, "padding"))
    keys(page, "Enter")
    # A mask that needs a number asks for it once it is chosen.
    tab(page, widget.get_by_label("real words"))
    type_over(page, "1")
    _shows(widget, np.array([[True, False, False, False]] * 4))
    keys(page, "Tab", "Enter")
    tab(page, widget.get_by_label("to either side"))
    type_over(page, "0")
    _shows(widget, np.eye(4, dtype=bool))
    keys(page, "Tab", "Enter")
    mask = np.kron(np.eye(2, dtype=bool), np.ones((2, 2), bool))
    _shows(widget, mask)
    tab(page, widget.get_by_label("words in sentence 1"))

    _cell(widget, 3, 0).focus()  # one of the cells is Tab's; arrows lead to the others
    keys(page, "ArrowUp", "ArrowUp", "ArrowUp", "Home")
    expect(_cell(widget, 0, 0)).to_be_focused()
    keys(page, "ArrowRight", "Space", "ArrowDown", "End", "Enter")
    mask[0, 1], mask[1, 3] = False, True
    _shows(widget, mask)
    keys(page, "ArrowLeft")
    expect(_cell(widget, 1, 2)).to_be_focused()
    _reads(widget, "saw asks a is looked at hidden")
    # One after the other is hidden from the first "saw".
    keys(page, "Home", "Space", "ArrowRight", "Space", "End", "Space")
    mask[1] = False
    _shows(widget, mask)
    _says(
        widget,
        "the first saw may no longer look at the second saw: it sees nothing now, so its weights "
        "are 0, and its output is 0.",
    )
    keys(page, "Space", *3 * ["ArrowLeft", "Space"])
    mask[1] = True
    _shows(widget, mask)

    _preset(widget, "packed").focus()
    keys(page, "Tab", "Tab")  # past what unfolds the rest
    keys(page, "ArrowRight")
    _shows(widget, mask, when="after")
    keys(page, "Tab", "ArrowLeft")
    _shows(widget, mask, when="after", changed=2)


def by_touch(page, widget):
    """Tap cells, presets and choices with a finger, and paint with it."""

    def tap(it):
        it.tap()

    _begin(page, widget, tap)
    mask = causal_mask(4)
    _shows(widget, mask)
    tap(_cell(widget, 0, 3))
    tap(_cell(widget, 2, 1))
    mask[0, 3], mask[2, 1] = True, False
    _shows(widget, mask)
    tap(_cell(widget, 0, 3))
    mask[0, 3] = False
    _shows(widget, mask)
    _says(widget, "I may no longer look at the second saw: the 0.80 it gave there goes to I")
    (x, y), (end, _) = spot(_cell(widget, 0, 1)), spot(_cell(widget, 0, 3))
    draw_a_finger(page, (x, y), (end, y))
    mask[0] = True
    _shows(widget, mask)
    tap(_option(widget, "after the softmax"))
    tap(_option(widget, "a"))
    _shows(widget, mask, when="after", changed=2)
    tap(_preset(widget, "window"))
    _shows(widget, window_mask(4, width=1), when="after", changed=2)
    tap(_moment(widget, 2))
    _shows(widget, causal_mask(4), when="after")


def _begin(page, widget, press):
    """Unfold the widget, and bring it and its number fields into the state of the lesson."""
    unfold(widget, press)
    sizes = {"padding": ("real words", "3"), "window": ("to either side", "1"),
             "packed": ("words in sentence 1", "2")}  # fmt: skip
    for name, (field, size) in sizes.items():
        press(_preset(widget, name))
        press(widget.get_by_label(field))
        keys(page, "End", "Backspace", "Backspace", size)
    press(_option(widget, "before the softmax"))
    press(_option(widget, "saw").last)
    press(_preset(widget, "causal"))


def _preset(widget, name):
    said = name if name == "all" else re.compile(rf"\({name}\)$")
    return widget.locator(".presets").get_by_role("button", name=said, exact=True)


def _option(widget, name):
    return widget.get_by_role("radio", name=name, exact=True)


def _cell(widget, i, j):
    return widget.get_by_role("button", name=f"{NAMES[i]} may look at {NAMES[j]},")


def _moment(widget, nth):
    return widget.locator(".moments button").nth(nth - 1)


def _asks(widget, words):
    """Expect the goal to say what is missing; it says it done once it was reached."""
    expect(widget.locator(".goal .missing")).to_have_text(re.compile(f"^({re.escape(words)}|Done)"))


def _attend(key, value, mask, when):
    if when == "before":
        return attention_weights(QUERY, key, mask=mask), attention(QUERY, key, value, mask=mask)
    weights = attention_weights(QUERY, key) * mask
    return weights, weights @ value


def _shows(widget, mask, *, when="before", changed=3):
    """Expect every number and word of the table, computed here."""
    weights, output = _attend(KEY, VALUE, mask, when)
    rise = np.zeros((4, 1))
    rise[changed] = 1
    _, other = _attend(KEY + rise, VALUE + rise, mask, when)
    changes = np.abs(other - output).max(axis=1)
    rows = widget.get_by_role("table", name="rows are queries").locator("tbody tr")
    shown = []
    for i in range(4):
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
    expect(widget.get_by_text(f"{mask.sum()} of 16 pairs may look")).to_be_visible()


def _says(widget, sentence):
    """Expect the sentence that tells cause and effect to begin so."""
    expect(widget.locator(".story")).to_have_text(re.compile(f"^{re.escape(sentence)}"))


def _reads(widget, words):
    """Expect what is told of the cell under the hand to begin so."""
    expect(widget.locator(".reading")).to_have_text(re.compile(f"^{re.escape(words)}"))
