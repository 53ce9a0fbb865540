"""How a person uses Tiles in lesson 15: twelve scores, in blocks of four, none of them read."""

import numpy as np
from playwright.sync_api import expect

from attnlib.widgets import Tiles
from tests.browser.hand import drag, keys, spot, tab, tap

BACK, READ = "← back", "read a block →"
UNREAD = {"size": 4, "read": 0, "rescale": True}


def by_mouse(page, widget):
    """Read all blocks and one back, without the rescale, in one block; then reach the goal."""
    begin(widget)
    for read in (1, 2, 3):
        press(widget, READ).click()
        agrees(widget, read=read)
    expect(press(widget, READ)).to_have_attribute("aria-disabled", "true")
    press(widget, READ).click(force=True)  # it says that it is of no use, and is of none
    leave_out(widget).click()
    agrees(widget, read=3, rescale=False)
    press(widget, BACK).click()
    agrees(widget, read=2, rescale=False)
    drag(page, spot(size(widget)), spot(size(widget), 1.2))
    agrees(widget, size=12, rescale=False)
    press(widget, READ).click()
    agrees(widget, size=12, read=1, rescale=False)
    drag(page, *(spot(score(widget, 11), share) for share in (0.5, 1.2)))
    agrees(widget, size=12, read=1, rescale=False)
    assert given(widget)[0][11] == float(score(widget, 11).get_attribute("max"))
    size(widget).fill("4")
    agrees(widget, read=3, rescale=False)  # all is read, as before
    leave_out(widget).click()
    goal = widget.locator(".goal")
    expect(goal).to_contain_text("The number of blocks that are read is 3; 2 is asked.")
    press(widget, BACK).click()
    top = max(given(widget)[0][:4])
    for key in range(4, 8):
        score(widget, key).fill(f"{top + 0.7:.1f}")
    agrees(widget, read=2)
    expect(goal).to_contain_text("Done in")


def by_keys(page, widget):
    """Go through all controls by Tab; press, choose and move by keys."""
    begin(widget)
    press(widget, READ).focus()
    keys(page, "Enter", "Space")
    agrees(widget, read=2)
    keys(page, "Shift+Tab", "Enter")
    agrees(widget, read=1)
    tab(page, press(widget, READ), size(widget))
    keys(page, "Home")  # of four keys that are read, each is a block now
    agrees(widget, size=1, read=4)
    keys(page, "ArrowRight", "ArrowRight")
    agrees(widget, size=3, read=1)
    tab(page, leave_out(widget))
    keys(page, "Space")
    agrees(widget, size=3, read=1, rescale=False)
    tab(page, *(score(widget, key) for key in range(12)))
    before = given(widget)[0]
    keys(page, "End", "ArrowLeft", "Shift+Tab", "ArrowRight")
    far = float(score(widget, 11).get_attribute("max"))
    np.testing.assert_allclose(given(widget)[0], [*before[:10], before[10] + 0.1, far - 0.1])
    press(widget, READ).focus()
    keys(page, *["Enter"] * 3)
    agrees(widget, size=3, read=4, rescale=False)
    said = widget.locator("[role=status]", has_text="All is read: output / total is off by")
    expect(said).to_have_count(1)


def by_touch(page, widget):
    """Tap on buttons, on sliders, on the box and on a moment."""
    begin(widget)
    tap(page, press(widget, READ))
    tap(page, size(widget), 0.99)
    agrees(widget, size=12)
    tap(page, press(widget, READ))
    tap(page, score(widget, 0), 0.01)
    tap(page, leave_out(widget))
    agrees(widget, size=12, read=1, rescale=False)
    assert given(widget)[0][0] == float(score(widget, 0).get_attribute("min"))
    tap(page, widget.get_by_role("button", name="a larger score comes"))
    agrees(widget, read=2)


def begin(widget):
    """Read nothing yet, in blocks of four, and with the rescale."""
    size(widget).fill("4")
    if leave_out(widget).is_checked():
        leave_out(widget).uncheck()
    while press(widget, BACK).get_attribute("aria-disabled") == "false":
        press(widget, BACK).click()
    agrees(widget)


# What is operated


def press(widget, name):
    return widget.get_by_role("button", name=name)


def size(widget):
    return widget.get_by_role("slider", name="keys in a block")


def leave_out(widget):
    return widget.get_by_role("checkbox", name="leave out the rescale")


def score(widget, key):
    return widget.get_by_role("slider", name=f"score of key {key}", exact=True)


# What is shown


def given(widget):
    """Return the scores as the hand has left them, and the values."""
    return widget.evaluate("({ shows }) => [shows.get('scores'), shows.get('value')]")


def agrees(widget, **inputs):
    """Expect every number that follows, as Python computes it."""
    inputs = UNREAD | inputs
    expect(size(widget)).to_have_value(f"{inputs['size']}")
    left_out = expect(leave_out(widget))
    left_out.not_to_be_checked() if inputs["rescale"] else left_out.to_be_checked()
    want = Tiles(*given(widget), **inputs)
    expect(widget.locator(".story")).to_have_text(want._told())
    expect(widget.locator(".note")).to_have_text(want._memory())
    expect(widget.locator(".squares").first.locator("i")).to_have_count(want.held)
    rows = [f"{name}{''.join(row)}" for name, row in want._shown()]
    expect(widget.locator("tbody tr")).to_have_text(rows)
    held = ["" if np.isnan(x) else f"{x:.2f}" for x in want._exponentials()]
    expect(widget.locator(".cell")).to_have_text(held)
    expect(widget.locator(".block.held")).to_have_count(min(inputs["read"], 1))
