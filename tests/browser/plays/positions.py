"""How a hand uses Positions in lesson 08: 64 places, on eight clocks."""

import re

from playwright.sync_api import expect

from attnlib import widgets
from tests.browser.hand import drag, keys, spot, tab, tap

N = 64


def by_mouse(page, widget):
    """Choose moments, press the rails, and drag each place and both."""
    _expect(widget, 3, 10)
    _moment(widget, "50 and 57, as far apart").click()
    _expect(widget, 50, 57)
    _moment(widget, "3 and 10, 7 apart").click()
    expect(widget.locator(".missing")).to_have_text("the first is at 3; 60 is asked")
    ends = [
        _press(page.mouse.click, widget, *pressed) for pressed in (("first", 20), ("second", 40))
    ]
    _expect(widget, *ends)
    _drag(page, widget, "first", ends[0], 5)
    _drag(page, widget, "second", ends[1], 12)
    _expect(widget, 5, 12)
    between = widget.locator(".between").evaluate_all(
        "all => all.map((one) => one.outerHTML.split(' d=')[1])"
    )
    _drag(page, widget, "both", 8.5, 28.5)
    _expect(widget, 25, 32)
    for nth, path in enumerate(between):  # all hands have turned, and no two of a clock apart
        expect(widget.locator(".between").nth(nth)).to_have_attribute("d", path.split('"')[1])
    _drag(page, widget, "both", 28.5, 80)
    _expect(widget, N - 8, N - 1)
    assert page.evaluate("String(getSelection())") == ""


def by_keys(page, widget):
    """Go through all with Tab, and set the places with arrows, Home and End."""
    first, second, both = (_slider(widget, name) for name in ("first", "second", "both"))
    first.focus()
    keys(page, "End", *3 * ["ArrowLeft"])
    tab(page, second)
    keys(page, "End", *7 * ["ArrowDown"])
    _expect(widget, 60, 56)
    told = "at 60 and 56 it is 0.69; 0.735 to 0.745 is asked"
    expect(widget.locator(".missing")).to_contain_text(told)
    keys(page, *4 * ["ArrowDown"], "ArrowUp")
    _expect(widget, 60, 53)
    expect(widget.locator(".goal.done .missing")).to_have_text(re.compile("^Done in [0-9]+ moves"))
    tab(page, both)
    keys(page, "Home")
    _expect(widget, 7, 0)
    keys(page, "ArrowUp", "ArrowRight", "ArrowLeft")
    _expect(widget, 8, 1)
    expect(both).to_have_attribute("aria-valuetext", "8, 1")
    keys(page, "]")  # from none to the first
    _expect(widget, 3, 10)
    keys(page, "]", "]")
    _expect(widget, 3, 4)


def by_touch(page, widget):
    """Tap moments and the rails."""
    tap(page, _moment(widget, "half a round: 3 and 6"))
    _expect(widget, 3, 6)
    ends = [
        _press(page.touchscreen.tap, widget, *pressed)
        for pressed in (("first", 44), ("second", 15))
    ]
    _expect(widget, *ends)


def _expect(widget, first, second):
    """Hold what is shown against Python's words and numbers."""
    python = widgets.Positions(first=first, second=second)
    expect(widget.locator(".story")).to_have_text(python._told())
    expect(widget.locator(".bubble")).to_have_text([str(first), str(second), "↔"])
    expect(widget.locator(".clocks li")).to_have_text(
        ["".join(words) for words in python._clocks()]
    )


def _moment(widget, title):
    return widget.get_by_role("list", name="what to see").get_by_role("button", name=title)


def _slider(widget, name):
    return widget.get_by_role("slider", name=name, exact=True)


def _along(widget, name, place):
    """Return where on the page a place is, on the rail of a slider."""
    (left, _), (right, _) = (spot(_slider(widget, "first"), share) for share in (0, 1))
    step = (right - left - 26) / (N - 1)
    return left + 13 + step * place, spot(_slider(widget, name))[1]


def _drag(page, widget, name, start, end):
    drag(page, _along(widget, name, start), _along(widget, name, end))


def _press(press, widget, name, place):
    """Press a rail at a place; return where its slider is then: a pixel is up to half a place."""
    press(*_along(widget, name, place))
    found = int(_slider(widget, name).input_value())
    assert abs(found - place) <= 1
    return found
