"""How a person uses MyName: move the slider. OPEN: in the lesson that shows it."""

from playwright.sync_api import expect

from attnlib.widgets import MyName
from tests.browser import hand


def by_mouse(page, widget):
    """Drag the slider to both ends. OPEN: everything that a mouse can do."""
    for share, x in ((1.2, 3), (-0.2, -3)):
        hand.drag(page, hand.spot(slider(widget)), hand.spot(slider(widget), share))
        agrees(widget, x)


def by_keys(page, widget):
    """Step through with the arrow keys. OPEN: everything, in the order in which Tab leads there."""
    slider(widget).focus()
    page.keyboard.press("Home")
    agrees(widget, -3)
    page.keyboard.press("ArrowRight")
    agrees(widget, -2.75)


def by_touch(page, widget):
    """Tap the slider's right end. OPEN: everything that a finger can do."""
    hand.tap(page, slider(widget), 0.99)
    agrees(widget, 3)


def slider(widget):
    return widget.get_by_role("slider", name="x")


def agrees(widget, x):
    """Expect every number that follows from the inputs, as Python computes it."""
    want = MyName(x=x)
    expect(widget.locator(".headline")).to_have_text(want._headline())
    expect(widget.locator("dd")).to_have_text(
        [f"{n:.2f}".replace("-", "−") for n in (x, want.square)]
    )
