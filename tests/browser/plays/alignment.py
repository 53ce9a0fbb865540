"""How a reader of lesson 07 uses Alignment: choose words, move the threshold, hide the source."""

import re

import numpy as np
from playwright.sync_api import expect

from attnlib import attention_weights
from tests.browser.hand import drag, keys, tab, tap, unfold
from tests.browser.many import all_have

TARGETS = ["vi", "una", "sierra", "roja"]
SOURCES = ["I", "saw", "a", "red", "saw"]
NAMES = ["I", "the first saw", "a", "red", "the second saw"]


def lesson_weights():
    """Return the lesson's weights, from its vectors and matrices."""
    source = np.array([[1.0, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 1], [0, 0, 0, -1], [0, 0, 1, 0]])
    target = np.array([[1.0, 0, 0], [0, 0, 1], [0, 1, 0], [0, 0, -1]])
    w_query = np.array([[2.0, 2], [-2, -2], [-2, 2]])
    w_key = np.array([[2.0, 1], [1, 2], [-2, -1], [-1, 2]])
    return attention_weights(target @ w_query, source @ w_key)


def by_mouse(page, widget):
    """Drag the threshold, click a word, rest on another, click a row of the table."""
    unfold(widget)
    _drag_to(page, widget, 0.5)
    _word(widget, 0).click()
    shows(widget, target=0, threshold=_threshold(widget, 0.5))
    _drag_to(page, widget, 0.1)
    threshold = _threshold(widget, 0.1)
    _word(widget, 2).click()
    shows(widget, target=2, threshold=threshold)
    _word(widget, 3).hover()
    shows(widget, target=3, threshold=threshold, chosen=2)
    _slider(widget).hover()  # the pointer leaves, the chosen word stays
    shows(widget, target=2, threshold=threshold)
    _row(widget, 1).get_by_role("cell").first.hover()
    shows(widget, target=1, threshold=threshold, chosen=2)
    _row(widget, 1).get_by_role("cell").first.click()
    _slider(widget).hover()
    shows(widget, target=1, threshold=threshold)
    _source(widget, 2).click()
    shows(widget, target=1, threshold=threshold, hidden=[2])
    _word(widget, 0).click()
    _source(widget, 4).click()
    shows(widget, target=0, threshold=threshold, hidden=[2, 4])
    for j in (4, 2):
        _source(widget, j).click()
    shows(widget, target=0, threshold=threshold)


def by_keys(page, widget):
    """Reach words, threshold and table with Tab; move with arrow keys."""
    page.mouse.move(0, 0)  # a pointer at rest on a word would show that word
    at = _chosen(widget)
    _word(widget, at).focus()
    while at != 0:
        keys(page, "ArrowLeft")
        at -= 1
        expect(_word(widget, at)).to_be_checked()
    expect(_word(widget, 0)).to_be_focused()
    shows(widget, target=0, threshold=0.1)
    for key, at in (("ArrowRight", 3), ("ArrowLeft", 0)):
        keys(page, *3 * [key])
        shows(widget, target=at, threshold=0.1)
    keys(page, "Tab")  # the source word that was chosen last: arrows lead to the others
    keys(page, *len(SOURCES) * ["ArrowLeft"])
    expect(_source(widget, 0)).to_be_focused()
    for key, at in (("Space", 0), ("ArrowLeft", 0), ("ArrowRight", 1), ("Enter", 1)):
        keys(page, key)
        expect(_source(widget, at)).to_be_focused()
    shows(widget, target=0, threshold=0.1, hidden=[0, 1])
    keys(page, "Space", "ArrowUp", "Space")
    tab(page, widget.locator("summary"))
    unfold(widget, lambda it: keys(page, "Enter"))
    tab(page, _slider(widget))
    for steps, threshold in ((38, 0.48), (1, 0.49)):  # the last leaves out both links of vi
        keys(page, *steps * ["ArrowRight"])
        shows(widget, target=0, threshold=threshold)
    for key, threshold in (("End", 1), ("Home", 0)):
        keys(page, key)
        shows(widget, target=0, threshold=threshold)
    tab(page, _table(widget))  # so that arrow keys can scroll it


def by_touch(page, widget):
    """Tap the threshold, a word, a row of the table."""
    page.mouse.move(0, 0)
    unfold(widget)
    _tap_threshold(page, widget, 0.1)
    threshold = _threshold(widget, 0.1)
    for target in (3, 0):
        tap(page, _word(widget, target))
        shows(widget, target=target, threshold=threshold)
    _tap_threshold(page, widget, 0.7)
    threshold = _threshold(widget, 0.7)
    shows(widget, target=0, threshold=threshold)
    tap(page, _row(widget, 2).get_by_role("cell").first)
    shows(widget, target=2, threshold=threshold)
    for hidden in ([4], []):
        tap(page, _source(widget, 4))
        shows(widget, target=2, threshold=threshold, hidden=hidden)


def shows(widget, *, target, threshold, chosen=None, hidden=()):
    """Expect all that the widget says of a word at a threshold, computed here."""
    may = ~np.isin(np.arange(5), hidden)
    weights = lesson_weights() * may
    weights /= weights.sum(axis=1, keepdims=True)
    linked = (weights >= threshold) & may
    own, kept = linked[target], np.where(linked, weights, 0).sum(axis=1)
    order = [j for j in np.argsort(-weights[target].round(6), kind="stable") if own[j]]
    amounts = [f"{weights[target, j]:.2f}" for j in order]
    parts = [f"{x} to {NAMES[j]}" for x, j in zip(amounts, order, strict=True)]
    if parts:
        parts[0] = parts[0].replace(" to", " of its attention to", 1)
        said = f"gives {', '.join(parts[:-1])}{' and ' * (len(parts) > 1)}{parts[-1]}."
    expect(widget.locator(".story")).to_have_text(
        f"{TARGETS[target]} {said if parts else 'has no link left.'}"
    )
    n_below = len(SOURCES) - len(hidden) - own.sum()
    rest = []
    if hidden:
        rest += [f"Hidden: {len(hidden)} of 5 words; what they had goes to the others."]
    if n_below:
        together = f"{1 - kept[target] + 1e-9:.2f} together."
        thin = f"Too thin to be drawn, since below {threshold:.2f}"
        rest += [f"{thin}: {n_below} of its 5 links, {together}"]
    expect(widget.locator(".rest")).to_have_text(" ".join(rest) or "All of its weights are drawn.")
    all_have(_sources(widget), "aria-pressed", ["false" if x else "true" for x in may])
    expect(widget.locator(".count")).to_have_text(f"{linked.sum()} of 20 links drawn")
    expect(_word(widget, target if chosen is None else chosen)).to_be_checked()
    expect(widget.locator("input[type=range]")).to_have_attribute(
        "aria-valuetext", f"{threshold:.2f}"
    )
    cells = widget.locator(".table td")
    expect(cells).to_have_text([f"{x:.2f}" for x in np.column_stack([weights, kept]).ravel()])
    kinds = np.where(linked, "", "hidden").tolist()
    expect(cells).to_have_class([kind for row in kinds for kind in (*row, "extra")])
    beside = [
        f"{w} {weights[target, j]:.2f}" if own[j] else f"{w} hidden" if j in hidden else w
        for j, w in enumerate(SOURCES)
    ]
    exactly = [re.compile(rf"^{re.escape(text)}\s*$") for text in beside]
    expect(widget.locator(".answering li")).to_have_text(exactly)
    expect(widget.locator("path.ribbon")).to_have_count(int(linked.sum()))
    strong = widget.locator("path.ribbon.strong")
    expect(strong).to_have_count(int(own.sum()))
    drawn = strong.evaluate_all("all => all.map(one => Number(one.getAttribute('stroke-width')))")
    if drawn:
        width_of_1 = drawn[0] / weights[target][own][0]
        assert np.allclose(drawn, width_of_1 * weights[target][own], rtol=0.01, atol=0.01)
        assert width_of_1 >= 10


def _slider(widget):
    return widget.get_by_role("slider", name="draw links of at least")


def _sources(widget):
    return widget.get_by_role("button", name="hide ")


def _source(widget, j):
    return _sources(widget).nth(j)


def _word(widget, target):
    return widget.get_by_role("radio").nth(target)


def _chosen(widget):
    return [_word(widget, i).is_checked() for i in range(len(TARGETS))].index(True)


def _table(widget):
    return widget.get_by_role("region", name="weights: each row a target word (query)")


def _row(widget, target):
    return _table(widget).get_by_role("row").nth(target + 1)  # after the heads


def _threshold(widget, about):
    """Return where the slider came to stand: a pointer cannot promise the exact step."""
    value = float(_slider(widget).input_value())
    assert abs(value - about) <= 0.04
    return value


def _place(widget, threshold):
    """Return where on the screen the slider's knob stands for a threshold."""
    _slider(widget).scroll_into_view_if_needed()
    box = _slider(widget).bounding_box()
    knob = 16
    x = box["x"] + knob / 2 + threshold * (box["width"] - knob)
    return x, box["y"] + box["height"] / 2


def _drag_to(page, widget, threshold):
    start = _place(widget, float(_slider(widget).input_value()))
    drag(page, start, _place(widget, threshold))


def _tap_threshold(page, widget, threshold):
    page.touchscreen.tap(*_place(widget, threshold))
