"""How a person uses Reach: press a word, choose a kind, move sliders, go through the steps."""

import numpy as np
from playwright.sync_api import expect

from attnlib.pictures.shared import shared
from attnlib.widgets import Reach
from attnlib.widgets._base import quoted
from tests.browser.hand import click, keys, tap, unfold

(KINDS,) = shared("reach", "KINDS")
SLIDERS = {
    "recurrent": [],
    "gated": ["gate bias"],
    "convolution": ["depth"],
    "attention": ["sharpness"],
    "causal": ["sharpness"],
    "windowed": ["depth", "sharpness"],
}
LEAST = {"width": 3, "depth": 1, "gate bias": 0, "sharpness": 0}
STEP = {"width": 2, "depth": 1, "gate bias": 0.25, "sharpness": 0.5}


def by_mouse(page, widget):
    """Click each kind, its sliders and words, lanes and steps; drag over words."""
    unfold(widget)
    _pick(widget, 0).click()
    click(page, _slider(widget, "width"), 0.4)
    for kind, name in KINDS.items():
        _radio(widget, name).click()
        widget.get_by_role("button", name=name, exact=True).last.click()  # its lane's heading
        for slider in SLIDERS[kind]:
            click(page, _slider(widget, slider), 0.4)
        shows(widget, kind, 0)
    last = _picks(widget).count() - 1
    _drag(page, widget, 1, 2, last - 1)
    shows(widget, "windowed", last - 1)
    widget.get_by_role("button", name=KINDS["convolution"], exact=True).last.click()
    shows(widget, "convolution", last - 1)
    widget.get_by_role("button", name="Play").click()
    widget.get_by_role("button", name="Pause").click()
    _slider(widget, "step").focus()
    keys(page, "Home")
    for lane, told in ((0, ["not heard", "not yet"]), (2, ["not yet", "not yet"])):
        said = widget.locator("svg > g").nth(lane).locator(".without")
        expect(said).to_have_text(told)
    _pick(widget, 0).click()  # without motion all is done at once
    shows(widget, "convolution", 0)


def by_keys(page, widget):
    """Go through everything with Tab, and choose and set with arrow keys, Home and End."""
    unfold(widget)
    _radio(widget, "recurrent").focus()
    keys(page, "Space")
    _step(page, widget, "width")
    for kind, before in zip(KINDS, [None, *KINDS], strict=False):
        if before:
            _radio(widget, KINDS[before]).focus()
            keys(page, "ArrowRight")
        for slider in SLIDERS[kind]:
            _step(page, widget, slider)
        shows(widget, kind, _pressed(widget))
    widget.locator(".picks input:checked").focus()
    keys(page, "Home" if _pressed(widget) else "ArrowDown")
    shows(widget, "windowed", _pressed(widget))
    _slider(widget, "step").focus()
    keys(page, "Home")
    expect(_slider(widget, "step")).to_have_value("0")
    expect(widget.locator(".reached")).to_have_count(3)  # in each lane the word alone
    keys(page, "End")
    shows(widget, "windowed", _pressed(widget))


def by_touch(page, widget):
    """Tap kinds, sliders and words."""
    unfold(widget)
    for kind, word in (("gated", 3), ("convolution", 5), ("causal", 2)):
        tap(page, _radio(widget, KINDS[kind]))
        for slider in SLIDERS[kind]:
            tap(page, _slider(widget, slider), 0.9)
        tap(page, _pick(widget, word))
        shows(widget, kind, word)


def shows(widget, kind, word):
    """Expect the lanes, the sentences and all numbers to be those that Python computes."""
    expect(_radio(widget, KINDS[kind])).to_be_checked()
    expect(_pick(widget, word)).to_be_checked()
    inputs = {
        name.replace(" ", "_"): float(_slider(widget, name).input_value())
        for name in ["width", *SLIDERS[kind]]
    }
    inputs |= {name: int(inputs[name]) for name in ("width", "depth") if name in inputs}
    words = [radio.get_attribute("aria-label") for radio in _picks(widget).all()]
    python = Reach(words, word, kind, **inputs)
    expect(widget.locator(".story")).to_have_text(quoted(python._told()))
    lanes = python._lanes()
    here = lanes.index(kind)
    lane = widget.locator("svg > g").nth(here)
    expect(widget.locator(".heads > div").nth(here)).to_have_text("".join(python._heading(kind)))
    expect(lane.locator(".reached")).to_have_count(len(python._news(kind)))
    heard = python._heard(kind)
    told = [name for name, there in zip(words, heard, strict=True) if there]
    expect(lane).to_have_attribute(
        "aria-label", f"{', '.join(python._heading(kind))}. Heard by: {', '.join(told)}."
    )
    runs = np.diff(np.append(True, heard).astype(int)) < 0  # where those begin who do not hear
    expect(lane.locator(".without")).to_have_count(int(runs.sum()))
    expect(widget.locator(".more p").first).to_have_text(quoted(python._amount()))
    column = widget.locator(f".amounts td:nth-of-type({here + 1}) span")
    expect(column).to_have_text(python._amounts())


def _step(page, widget, slider):
    """Set a slider to its third place."""
    _slider(widget, slider).focus()
    keys(page, "Home", "ArrowRight", "ArrowRight")
    value = LEAST[slider] + 2 * STEP[slider]
    expect(_slider(widget, slider)).to_have_value(f"{value:g}")


def _picks(widget):
    return widget.locator(".picks input")


def _pick(widget, word):
    return _picks(widget).nth(word)


def _pressed(widget):
    return [radio.is_checked() for radio in _picks(widget).all()].index(True)


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
    page.mouse.move(0, 0)
