"""What a hand does in every play: where it presses, taps and drags, and where Tab leads it.

Engines of other browsers (tests/engines) hand in a page of their own, and an `expect` of their own.
"""

from playwright.sync_api import expect


def keys(page, *names):
    """Press keys, one after another."""
    for name in names:
        page.keyboard.press(name)


def type_over(page, text):
    """Type something in the place of what the field holds that has the focus."""
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.type(text)


def tab(page, *others):
    """Go on by Tab; it leads to each of the others in turn."""
    for other in others:
        page.keyboard.press("Tab")
        expect(other).to_be_focused()


def spot(target, across=0.5, down=0.5):
    """Bring something into view; return the point at these shares of its width and height."""
    target.scroll_into_view_if_needed()
    box = target.bounding_box()
    return box["x"] + across * box["width"], box["y"] + down * box["height"]


def click(page, target, across=0.5):
    """Click something where it is, whatever is above it."""
    page.mouse.click(*spot(target, across))


def tap(page, target, across=0.5):
    """Tap on something with a finger."""
    page.touchscreen.tap(*spot(target, across))


def drag(page, start, *points, steps=5):
    """Press the mouse at a point, draw it over others, and let go on the last."""
    page.mouse.move(*start)
    page.mouse.down()
    for point in points:
        page.mouse.move(*point, steps=steps)
    page.mouse.up()


def draw_a_finger(page, *points):
    """Draw a finger from point to point and lift it: Playwright's own only taps.

    It rests at the end: after a flick a browser takes the next tap for the hand that stops it.
    """
    finger, (x, y) = page.context.new_cdp_session(page), points[-1]
    kinds = ["touchStart", *["touchMove"] * (len(points) + 11), "touchEnd"]
    path = [*points, *((x + k % 2, y) for k in range(12)), None]
    for kind, at in zip(kinds, path, strict=True):
        touching = [{"x": at[0], "y": at[1]}] if at else []
        finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": touching})
    finger.detach()


def unfold(widget, press=lambda it: it.click()):
    """Open what is folded, if nobody did before."""
    if not widget.locator("details[open]").count():
        press(widget.locator("summary"))
