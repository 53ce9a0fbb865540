"""How a reader of lesson 04 uses SelfAttention: choose a word, and step from project to mix."""

import numpy as np
from playwright.sync_api import expect

from attnlib import attention, attention_scores, attention_weights, entropy, text

STEPS = ["project", "score", "scale", "softmax", "mix"]
NAMES = ["I", "saw (1)", "a", "saw (3)"]  # equal words with their row
_, X = text.toy_sentence()
QUERY, KEY, VALUE = (X @ w for w in text.toy_projections())


def by_mouse(page, widget):
    """Click a word, then step on with Next, back with Back, and choose steps directly."""
    _step(widget, "project").click()
    _word(widget, 1).click()
    shows(widget, "project", 1)
    for step in STEPS[1:]:
        _button(widget, "Next").click()
        shows(widget, step, 1)
    _button(widget, "Next").click(force=True)  # there is no sixth step
    shows(widget, "mix", 1)
    _word(widget, 2).click()
    shows(widget, "mix", 2)
    _button(widget, "Back").click()
    shows(widget, "softmax", 2)
    _step(widget, "score").click()
    shows(widget, "score", 2)
    _word(widget, 0).click()
    shows(widget, "score", 0)


def by_keys(page, widget):
    """Reach words, steps, both buttons and the tables with Tab; choose with arrow keys."""
    _step(widget, "project").focus()
    page.keyboard.press("Space")
    page.keyboard.press("Shift+Tab")
    at = _chosen(widget)
    expect(_word(widget, at)).to_be_focused()
    for _ in range(4 - at):  # round to the first
        page.keyboard.press("ArrowRight")
    shows(widget, "project", 0)
    page.keyboard.press("ArrowLeft")
    shows(widget, "project", 3)
    page.keyboard.press("Tab")
    expect(_step(widget, "project")).to_be_focused()
    page.keyboard.press("ArrowRight")
    shows(widget, "score", 3)
    page.keyboard.press("Tab")
    expect(_button(widget, "Back")).to_be_focused()
    page.keyboard.press("Tab")
    expect(_button(widget, "Next")).to_be_focused()
    page.keyboard.press("Enter")
    shows(widget, "scale", 3)
    page.keyboard.press("Space")
    shows(widget, "softmax", 3)
    page.keyboard.press("Enter")
    shows(widget, "mix", 3)
    expect(_button(widget, "Next")).to_be_focused()  # the last step leaves the focus where it is
    page.keyboard.press("Tab")
    expect(_table(widget, "values mixed for saw (3)")).to_be_focused()  # arrow keys scroll it
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")
    shows(widget, "softmax", 3)


def by_touch(page, widget):
    """Tap a word, the steps, and the buttons."""
    _tap(page, _step(widget, "softmax"))
    for word in (3, 2):
        _tap(page, _word(widget, word))
        shows(widget, "softmax", word)
    _tap(page, _button(widget, "Next"))
    shows(widget, "mix", 2)
    _tap(page, _step(widget, "scale"))
    shows(widget, "scale", 2)
    _tap(page, _button(widget, "Back"))
    shows(widget, "score", 2)
    _tap(page, _button(widget, "Back"))
    shows(widget, "project", 2)


def shows(widget, step, word):
    """Expect every number of a word's step, computed here."""
    expect(_step(widget, step)).to_be_checked()
    expect(_word(widget, word)).to_be_checked()
    for name, end in (("Back", "project"), ("Next", "mix")):
        expect(_button(widget, name)).to_have_attribute("aria-disabled", str(step == end).lower())
    who, query = NAMES[word], QUERY[word]
    sums = KEY @ query
    scores = attention_scores(QUERY, KEY)[word]
    weights = attention_weights(QUERY, KEY)[word]
    if step == "project":
        _rows(widget, f"x and query of {who}", [[who, *X[word], *query]])
        rows = [[NAMES[j], *KEY[j], *VALUE[j]] for j in range(4)]
        _rows(widget, "keys and values of all words", rows)
    elif step == "score":
        rows = [[NAMES[j], *KEY[j], *(query * KEY[j]), sums[j]] for j in range(4)]
        _rows(widget, f"query of {who} times every key", [["query", *query], *rows])
    elif step == "scale":
        _rows(widget, f"scores of {who}", [[NAMES[j], sums[j], scores[j]] for j in range(4)])
        _fact(widget, "square root of d_key", "1.414")
    elif step == "softmax":
        exps = np.exp(scores - scores.max())
        rows = [[NAMES[j], scores[j], exps[j], weights[j]] for j in range(4)]
        _rows(widget, f"weights of {who}", rows)
        _fact(widget, "sum of exp", f"{exps.sum():.2f}")
        _fact(widget, "sum of the weights", "1.00")
        _fact(widget, "entropy (nats)", f"{entropy(weights):.2f}")
    else:
        rows = [[NAMES[j], weights[j], *VALUE[j], *(weights[j] * VALUE[j])] for j in range(4)]
        output = ["output", *attention(QUERY, KEY, VALUE)[word]]
        _rows(widget, f"values mixed for {who}", [*rows, output])


def _rows(widget, name, rows):
    """Expect a table's rows: a word and its numbers, whatever the blanks between them."""
    shown = _table(widget, name).locator("tbody tr")
    expect(shown).to_have_count(len(rows))
    for i, (word, *numbers) in enumerate(rows):
        printed = [f"{round(x, 9) + 0.0:.2f}" for x in numbers]
        printed = [x.replace("-0.00", "0.00").replace("-", "−") for x in printed]
        expect(shown.nth(i).get_by_role("rowheader")).to_have_text(word)
        expect(shown.nth(i).locator("td span.strip > span, td.digits")).to_have_text(printed)


def _step(widget, step):
    return widget.get_by_role("radio", name=f"{STEPS.index(step) + 1} {step}")


def _words(widget):
    return widget.get_by_role("group", name="the word that asks").get_by_role("radio")


def _word(widget, word):
    return _words(widget).nth(word)


def _chosen(widget):
    return [_word(widget, i).is_checked() for i in range(len(NAMES))].index(True)


def _button(widget, name):
    return widget.get_by_role("button", name=name)


def _table(widget, name):
    return widget.get_by_role("group", name=name, exact=True)


def _fact(widget, name, value):
    fact = widget.locator(".facts > div").filter(has_text=name)
    expect(fact.locator("dd")).to_have_text(value)


def _tap(page, target):
    target.scroll_into_view_if_needed()
    box = target.bounding_box()
    page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
