"""How a person uses Backward in lesson 09: nudge a number, and go back from the loss."""

import numpy as np
from playwright.sync_api import expect

from attnlib.widgets import Backward
from tests.browser.hand import drag, keys, spot, tab, tap

WORDS, VOTES = ["a", "um", "saw", "duck"], ["noun", "verb"]
SCORES = [0.5**0.5, 0.0, 2**0.5, -np.inf]
VALUE = [[2.0, 0.0], [0.0, 0.0], [0.0, 3.0], [5.0, 0.0]]
VOTE, BACK, AGAIN = 8, "← one step back", "begin again at the loss"


def by_mouse(page, widget):
    """Press numbers, drag the dot to both ends, go back to the scores and reach the goal."""
    agrees(widget, VOTE, 0.5)
    for share, nudge in ((1.2, 3), (-0.2, -3)):
        drag(page, spot(slider(widget)), spot(slider(widget), share))
        agrees(widget, VOTE, nudge)
    widget.get_by_role("button", name=BACK).click()
    agrees(widget, 4, -3)
    press(widget, 6).click()
    agrees(widget, 6, -3)
    widget.get_by_role("button", name=BACK).click()
    agrees(widget, 2, -3)
    goal = widget.locator(".goal")
    expect(goal).to_contain_text("The nudge is −3.00; −0.40 to 0.40 is asked.")
    slider(widget).fill("-0.2")
    expect(goal).to_contain_text("The loss moves by −0.16; at most −0.30 is asked.")
    slider(widget).fill("-0.4")
    agrees(widget, 2, -0.4)
    expect(goal).to_contain_text("Done in")
    widget.get_by_role("button", name=AGAIN).click()
    agrees(widget, VOTE, -0.4)


def by_keys(page, widget):
    """Go through all numbers by arrow keys, and from them by Tab to the button and to the dot."""
    press(widget, VOTE).focus()
    keys(page, "ArrowRight")
    nudge = float(slider(widget).input_value())
    for number in reversed(range(10)):
        agrees(widget, number, nudge)
        keys(page, *["ArrowLeft"] * (number > 0))
    tab(page, widget.get_by_role("button", name=AGAIN), slider(widget))
    keys(page, "Home", *["ArrowUp"] * 3)
    agrees(widget, 0, -2.85)
    keys(page, "ArrowLeft", "ArrowDown", "ArrowRight")
    agrees(widget, 0, -2.9)
    said = widget.locator("[role=status]", has_text="Nudge the score of “a” by −2.90")
    expect(said).to_have_count(1)
    keys(page, "Shift+Tab", "Enter")
    agrees(widget, VOTE, -2.9)
    slider(widget).fill("0")
    agrees(widget, VOTE, 0)


def by_touch(page, widget):
    """Tap on a number, on the curve, on the button and on a moment."""
    tap(page, press(widget, 3))
    tap(page, slider(widget), 0.995)
    agrees(widget, 3, 3)
    tap(page, widget.get_by_role("button", name=AGAIN))
    tap(page, widget.get_by_role("button", name=BACK))
    agrees(widget, 4, 3)
    tap(page, widget.get_by_role("button", name="a weight has two routes"))
    agrees(widget, 6, 0)


# What is operated


def slider(widget):
    return widget.get_by_role("slider", name="the nudge")


def press(widget, number):
    return widget.get_by_role("radio").nth(number)


# What is shown


def agrees(widget, number, nudge):
    """Expect every number that follows, as Python computes it."""
    want = Backward(SCORES, VALUE, WORDS, VOTES, number=number, nudge=nudge)
    expect(press(widget, number)).to_be_checked()
    expect(slider(widget)).to_have_value(f"{nudge:g}")
    expect(widget.locator(".story")).to_have_text(want._told())
    *layers, ((_, loss, _),) = want._shown()
    shown = ["".join(number) for layer in layers for number in layer]
    expect(widget.locator(".graph label")).to_have_text(shown)
    expect(widget.locator(".loss")).to_have_text(f"loss{loss}")
    layer, row = want._place()
    total = [want.grad_scores, want.grad_weights, want.grad_output, np.ones(1)]
    local = want._locals()[layer][row]
    rows = zip([WORDS, VOTES, ["loss"]][layer], local, total[layer + 1], strict=True)
    routes = [f"{name}{''.join(map(printed, (x, y, x * y)))}" for name, x, y in rows]
    routes.append(f"added up: the slope{printed(want.slope)}")
    expect(widget.locator(".routes tbody tr")).to_have_text(routes)


def printed(x):
    return f"{x:.2f}".replace("-", "−" if round(x, 2) else "")
