"""How a person uses Reach: pick a kind and a word, move its sliders, look closer at a bar."""

import numpy as np
from playwright.sync_api import expect

from attnlib.pictures.shared import shared
from attnlib.widgets import Reach
from attnlib.widgets._base import quoted
from attnlib.widgets._network import widest_path
from tests.browser.hand import click, keys, tab, tap, unfold

KINDS, BAR, FULL = shared("reach", "KINDS", "BAR", "FULL")
SLIDERS = {
    "recurrent": [],
    "gated": ["gate bias"],
    "convolution": ["width", "depth"],
    "attention": ["sharpness"],
    "causal": ["sharpness"],
    "windowed": ["width", "depth", "sharpness"],
}
LEAST = {"width": 3, "depth": 1, "gate bias": 0, "sharpness": 0}
STEP = {"width": 2, "depth": 1, "gate bias": 0.25, "sharpness": 0.5}


def by_mouse(page, widget):
    """Click each kind, its sliders, words and bars; drag over words; turn the question around."""
    unfold(widget)
    _radio(widget, "who reaches it").click()
    _pick(widget, 0).click()
    for kind, name in KINDS.items():
        _radio(widget, name).click()
        for slider in SLIDERS[kind]:
            click(page, _slider(widget, slider), 0.4)
        _rest(page)
        shows(widget, kind, 0)
    last = len(_words(widget)) - 1
    _drag(page, widget, 1, 4, last - 1)
    shows(widget, "windowed", last - 1)
    _closer(widget, 1).hover()
    page.mouse.down()  # a bar is no handle
    _pick(widget, 2).hover()
    page.mouse.up()
    shows(widget, "windowed", last - 1, near=2)
    _pick(widget, last - 1).hover()  # the picked word tells of another one
    shows(widget, "windowed", last - 1)
    _closer(widget, last).click()
    _closer(widget, 3).hover()
    shows(widget, "windowed", last - 1, near=3)
    _rest(page)
    shows(widget, "windowed", last - 1, near=last)  # what was clicked stays
    _closer(widget, 3).hover()
    keys(page, "ArrowLeft")  # from the bar that was clicked, while the pointer rests
    shows(widget, "windowed", last - 1, near=last - 1)
    _closer(widget, last).click()
    _rest(page)
    _radio(widget, "whom it reaches").click()
    for name in ("recurrent", "attention"):
        _radio(widget, name).click()
        shows(widget, name, last - 1, near=last, way="out")


def by_keys(page, widget):
    """Go through everything with Tab, and choose and set with arrow keys, Home and End."""
    unfold(widget)
    for name in ("who reaches it", "recurrent"):
        _radio(widget, name).focus()
        keys(page, "Space")
    at = 0
    for kind in KINDS:
        if kind != "recurrent":
            _radio(widget, list(KINDS.values())[at]).focus()
            keys(page, "ArrowRight")
            at += 1
        expect(_radio(widget, KINDS[kind])).to_be_checked()
        tab(page, _radio(widget, "who reaches it"))
        if "width" in SLIDERS[kind]:
            keys(page, "Tab")
            _step(page, widget, "width")
        knobs = [name for name in SLIDERS[kind] if name != "width"]
        if knobs:
            _slider(widget, knobs[0]).focus()
        else:
            widget.locator(".picks input:checked").focus()
        for slider in knobs:
            _step(page, widget, slider)
            keys(page, "Tab")
        expect(widget.locator(".picks :focus")).to_have_count(1)
        word = int(np.flatnonzero([radio.is_checked() for radio in _picks(widget).all()])[0])
        word = _beside(page, widget, word)
        keys(page, "Tab")
        near = int(np.flatnonzero([radio.is_checked() for radio in _closers(widget).all()])[0])
        expect(_closer(widget, near)).to_be_focused()
        shows(widget, kind, word, near=near)
    near = _beside(page, widget, near)
    shows(widget, "windowed", word, near=near)
    _radio(widget, "who reaches it").focus()
    keys(page, "ArrowRight")
    shows(widget, "windowed", word, near=near, way="out")


def by_touch(page, widget):
    """Tap kinds, sliders, words and bars."""
    unfold(widget)
    for kind, way in (("gated", "in"), ("convolution", "out"), ("causal", "in")):
        tap(page, _radio(widget, KINDS[kind]))
        tap(page, _radio(widget, {"in": "who reaches it", "out": "whom it reaches"}[way]))
        for slider in SLIDERS[kind]:
            tap(page, _slider(widget, slider), 0.9)
        for word, near in ((3, 1), (5, 2)):
            tap(page, _pick(widget, word))
            tap(page, _closer(widget, near))
            shows(widget, kind, word, near=near, way=way)


def shows(widget, kind, word, near=None, way="in"):
    """Expect the picture, the sentence and all numbers to be those that Python computes."""
    expect(_radio(widget, KINDS[kind])).to_be_checked()
    expect(_pick(widget, word)).to_be_checked()
    inputs = {
        name.replace(" ", "_"): (int if name in ("width", "depth") else float)(
            _slider(widget, name).input_value()
        )
        for name in SLIDERS[kind]
    }
    python = Reach(_words(widget), word, kind, way=way, **inputs)
    near = python._near() if near is None else near
    expect(_closer(widget, near)).to_be_checked()
    expect(widget.locator(".story")).to_have_text(quoted(python._told(near)))
    facts = python._facts()
    expect(widget.locator("dt")).to_have_text([*facts])
    expect(widget.locator("dd")).to_have_text([*facts.values()])
    shares, steps = python._parts()
    expect(widget.locator(".number")).to_have_text(["".join(x) for x in python._numbers()])
    heights = _attributes(widget, ".bar", "height")
    assert np.allclose(heights, BAR * shares[steps > 0], atol=1e-6)
    network, flows, told = python._flows(near)
    path = widest_path(network, told, network.nodes - len(shares) + python._ends(near)[1])
    for name, drawn, least in ((".path", told[path], 1.6), (".ribbon", flows[flows > 0], 0.8)):
        widths = _attributes(widget, name, "stroke-width")
        assert np.allclose(widths, np.maximum(FULL * drawn, least), atol=0.051), name


def _beside(page, widget, at):
    """Choose the next word by an arrow key, or the one before the last; return its place."""
    step = 1 if at + 1 < _picks(widget).count() else -1
    page.keyboard.press("ArrowRight" if step > 0 else "ArrowLeft")
    return at + step


def _step(page, widget, slider):
    """Set a slider that has the focus to its third place."""
    expect(_slider(widget, slider)).to_be_focused()
    keys(page, "Home", "ArrowRight", "ArrowRight")
    value = LEAST[slider] + 2 * STEP[slider]
    expect(_slider(widget, slider)).to_have_value(f"{value:g}")


def _attributes(widget, selector, name):
    """Return a number that each of the shapes has."""
    found = widget.locator(selector).evaluate_all(
        "(shapes, name) => shapes.map((shape) => Number(shape.getAttribute(name)))", name
    )
    return np.array(found)


def _words(widget):
    return [radio.get_attribute("aria-label") for radio in _picks(widget).all()]


def _picks(widget):
    return widget.locator(".picks input")


def _pick(widget, word):
    return _picks(widget).nth(word)


def _closers(widget):
    return widget.locator(".closer input")


def _closer(widget, near):
    return _closers(widget).nth(near)


def _radio(widget, name):
    return widget.get_by_role("radio", name=KINDS.get(name, name), exact=True)


def _slider(widget, name):
    return widget.get_by_role("slider", name=name)


def _drag(page, widget, start, *over):
    """Press a word and draw the pointer over others, each in turn; let go on the last."""
    _pick(widget, start).hover()
    page.mouse.down()
    for word in over:
        _pick(widget, word).hover()
        expect(_pick(widget, word)).to_be_checked()
    page.mouse.up()
    _rest(page)


def _rest(page):
    """Take the pointer out of the picture."""
    page.mouse.move(0, 0)
