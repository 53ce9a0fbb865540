"""How a person uses lesson 01's arrows: a to (1, 3) and b to (4, 2), snapping to halves."""

from itertools import combinations

import numpy as np
from playwright.sync_api import expect

from attnlib import cosine_similarity
from tests.browser.hand import drag, keys, tab, type_over

MOMENTS = {
    "a and b as drawn": (1, 3),
    "a turned to the left": (-1, 2),
    "a turned further": (-3, 1),
}
SPARE = 8  # pixels, above and below: a font with tall lines has its boxes reach beyond its letters
REACH = 6.05  # of the plane that is drawn, to every side
TURN = """
async (host, places) => {  // where plane and names are, with each four numbers in the fields
  const all = (what) => [...host.shadowRoot.querySelectorAll(what)];
  const told = (k) => all(".handle")[k >> 1].getAttribute("aria-valuetext").replaceAll("−", "-");
  const found = [];
  for (const numbers of places) {
    for (const [k, field] of all("input[type=number]").entries()) {
      field.value = numbers[k];
      field.dispatchEvent(new Event("input", { bubbles: true }));
      while (Number(told(k).slice(5, -1).split(", ")[k % 2]) !== Number(numbers[k])) {
        await new Promise(requestAnimationFrame);
      }
    }
    const drawn = [...all("svg.plane"), ...all(".label")];
    found.push(drawn.map((it) => it.getBoundingClientRect().toJSON()));
  }
  return found;
}
"""


def by_mouse(page, widget):
    """Drag both heads, beyond the edge too, and step a number with its arrows."""
    _begin(widget)
    expect(widget.locator(".missing")).to_contain_text("a · b is 10.00; 4.95 to 5.05 is asked")
    _drag(page, widget, "a", (2, -1.5))
    expect(widget.locator(".missing")).to_contain_text(
        "the length of a is 2.50; at most 1.20 is asked"
    )
    _drag(page, widget, "a", (1, 0.5))  # as far as half its shadow
    expect(widget.locator(".goal.done .missing")).to_have_text("Done in 2 moves.")
    for title, a in MOMENTS.items():
        widget.get_by_role("button", name=title).click()
        _shows(widget, a, (4, 2))
    _begin(widget)
    _drag(page, widget, "b", (-2, 3))
    _shows(widget, (1, 3), (-2, 3))
    _drag(page, widget, "a", (-3, -2))
    _shows(widget, (-3, -2), (-2, 3))  # the dot product is 0
    expect(widget.locator(".headline")).to_have_text(
        "a · b = 0.00: the arrows stand at right angles"
    )
    _drag(page, widget, "a", (9, 3.1))  # it keeps to the plane, and snaps
    _shows(widget, (5, 3), (-2, 3))
    widget.get_by_label("snap to halves").click()
    _drag(page, widget, "a", (1.3, 2.2))
    assert np.allclose(_head(widget, "a"), (1.3, 2.2), atol=0.1)  # as exactly as a pixel is
    _draws_no_box(page, widget)


def _draws_no_box(page, widget):
    """See that a hand that holds a head marks no words, and gets no box drawn around the ring."""
    drag(page, _place(widget, (-4, -4)), _place(widget, (4, 4)))
    assert page.evaluate("getSelection().toString()") == ""
    for head in widget.locator(".handle").all():
        head.evaluate("(head) => head.focus()")
        assert head.evaluate("(head) => getComputedStyle(head).outlineStyle") == "none"


def by_keys(page, widget):
    """Move both heads with the arrow keys, and type a number."""
    _begin(widget)
    widget.get_by_label("head of a").focus()
    keys(page, "ArrowLeft", "ArrowLeft", "ArrowDown")  # halves
    _shows(widget, (0, 2.5), (4, 2))
    keys(page, "]")  # from none to the first, which has the start's a
    _shows(widget, (1, 3), (4, 2))
    keys(page, "]")
    _shows(widget, (-1, 2), (4, 2))
    keys(page, "[", "ArrowLeft", "ArrowLeft", "ArrowDown")
    _shows(widget, (0, 2.5), (4, 2))
    tab(page, widget.get_by_label("head of b"))
    keys(page, "Shift+ArrowDown", "Shift+ArrowRight")  # ones
    _shows(widget, (0, 2.5), (5, 1))
    for label in ("a x", "a y", "b x", "b y"):
        tab(page, widget.get_by_label(label, exact=True))
    type_over(page, "-4")
    _shows(widget, (0, 2.5), (5, -4))
    tab(page, widget.get_by_label("snap to halves"))
    emptied = widget.get_by_label("b x", exact=True)
    emptied.fill("")
    widget.get_by_label("snap to halves").focus()
    expect(emptied).to_have_value("5")
    keys(page, "Space")
    expect(widget.get_by_label("snap to halves")).not_to_be_checked()
    for label in ("b x", "b y"):
        widget.get_by_label(label, exact=True).fill("0")
    expect(widget.locator(".headline")).to_have_text("a · b = 0.00: a zero vector has no direction")
    _names_keep_apart(widget)


def _names_keep_apart(widget):
    """Turn both arrows, b a little on, and see that no name stands on another."""
    angles = [np.radians([at, at + apart]) for at in range(0, 360, 40) for apart in (0, 10)]
    places = [
        [f"{x:.1f}" for x in (3 * np.cos(a), 3 * np.sin(a), 4 * np.cos(b), 4 * np.sin(b))]
        for a, b in angles
    ]
    for numbers, (frame, *boxes) in zip(places, widget.evaluate(TURN, places), strict=True):
        assert len(boxes) == 6  # a, b, the shadow, both sides and what lies between
        for one, other in combinations(boxes, 2):
            across = min(one["right"], other["right"]) - max(one["left"], other["left"])
            down = min(one["bottom"], other["bottom"]) - max(one["top"], other["top"])
            assert min(across, down) <= 1, numbers
        for box in boxes:
            assert box["left"] >= frame["left"] - 1, numbers
            assert box["right"] <= frame["right"] + 1, numbers
            assert box["top"] >= frame["top"] - SPARE, numbers
            assert box["bottom"] <= frame["bottom"] + SPARE, numbers


def by_touch(page, widget):
    """Tap a moment, and drag a head with a finger."""
    widget.get_by_role("button", name="a turned to the left").tap()
    _shows(widget, (-1, 2), (4, 2))
    _begin(widget)
    head = widget.get_by_label("head of b")
    start = _place(widget, (4, 2))
    finger = page.context.new_cdp_session(page)
    for x, y in (start, _place(widget, (2, 0)), _place(widget, (-1, -3))):
        kind = "touchStart" if (x, y) == start else "touchMove"
        point = {"x": x, "y": y}
        finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [point]})
    finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    finger.detach()
    _shows(widget, (1, 3), (-1, -3))
    expect(head).to_have_attribute("aria-valuetext", "b = (−1.0, −3.0)")


def _begin(widget):
    widget.get_by_label("snap to halves").check()
    for label, x in {"a x": 1, "a y": 3, "b x": 4, "b y": 2}.items():
        widget.get_by_label(label, exact=True).fill(str(x))
    _shows(widget, (1, 3), (4, 2))


def _place(widget, point):
    """Where on the page a point of the plane is."""
    plane = widget.get_by_label("plane with the arrows a and b")
    plane.scroll_into_view_if_needed()
    box = plane.bounding_box()
    x, y = point
    share = box["width"] / (2 * REACH)
    return box["x"] + (REACH + x) * share, box["y"] + (REACH - y) * share


def _drag(page, widget, name, to):
    drag(page, _place(widget, _head(widget, name)), _place(widget, to))


def _head(widget, name):
    """Return where an arrow ends, as its head tells it."""
    told = widget.get_by_label(f"head of {name}").get_attribute("aria-valuetext")
    return [float(x) for x in told.replace("−", "-")[5:-1].split(", ")]


def _shows(widget, a, b):
    """Wait until the widget prints what these arrows have in common."""
    a, b = np.array(a, float), np.array(b, float)
    product = a @ b
    cosine = cosine_similarity(a[None], b[None])[0, 0]
    meaning = f"the angle is {'less' if product > 0 else 'more'} than 90°"
    meaning = "the arrows stand at right angles" if abs(product) < 1e-9 else meaning
    told = f"{_number(product)}"
    expect(widget.locator(".headline")).to_have_text(f"a · b = {told}: {meaning}")
    products = f"{_factor(a[0])} × {_factor(b[0])} + {_factor(a[1])} × {_factor(b[1])} = {told}"
    shadow = f"{_factor(product / np.linalg.norm(b))} × {_factor(np.linalg.norm(b))} = {told}"
    expect(widget.locator(".ways dd")).to_have_text([products, shadow])
    numbers = [
        f"{np.linalg.norm(a):.2f}",
        f"{np.linalg.norm(b):.2f}",
        f"{np.degrees(np.arccos(cosine)):.1f}°",
        _number(cosine),
    ]
    expect(widget.locator(".facts dd")).to_have_text(numbers)


def _number(x, decimals=2):
    text = f"{x:.{decimals}f}".replace("-", "−")
    return text if text.strip("−0.") else text.replace("−", "")


def _factor(x):
    text = _number(x, 1 if abs(10 * x - round(10 * x)) < 1e-9 else 2)
    return f"({text})" if x < 0 else text
