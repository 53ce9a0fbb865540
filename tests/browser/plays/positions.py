"""How a hand uses Positions in lesson 08: its own table of 64 rows, d_model 16."""

import re
from decimal import ROUND_HALF_UP, Decimal

import numpy as np
from playwright.sync_api import expect

import attnlib
from attnlib import text, widgets
from attnlib.widgets.positions import WHY

N, D_MODEL = 64, 16
ROUNDS = [f"turns in {x:.{x < 100:d}f}" for x in 2 * np.pi * 10_000 ** (np.arange(8) / 8)]
LABELS = {"sinusoidal": "sinusoidal", "learned": "learned", "rotary": "rotary", "alibi": "ALiBi"}


def by_mouse(page, widget):
    """Choose each scheme, set both sliders, drag in the picture, and move both positions."""
    _expect(widget, "sinusoidal", 3, 10, pairs=False)  # it asks
    _slide(widget).click()
    _expect(widget, "sinusoidal", 3, 10)  # they were everywhere, and are back
    _moment(widget, "later: the key is turned").click()
    _expect(widget, "rotary", 10, 3)
    _moment(widget, "3 and 10, 7 apart").click()
    _expect(widget, "sinusoidal", 3, 10, pairs=False)
    expect(widget.locator(".missing")).to_have_text("the first is at 3; 60 is asked")
    _button(widget, "on").click()
    _expect(widget, "sinusoidal", 4, 11, pairs=False)
    _slide(widget).click()
    _expect(widget, "sinusoidal", 4, 11)
    for scheme in LABELS:
        _radio(widget, LABELS[scheme]).click()
        if scheme == "alibi":
            _radio(widget, "0").click()
        ends = [_click_at(page, slider, share) for slider, share in _sliders(widget, scheme)]
        _expect(widget, scheme, *ends)
    _radio(widget, "6").click()
    _expect(widget, "alibi", *ends, head=6)
    _radio(widget, "sinusoidal").click()
    start, line = ends[0], widget.locator("polyline.main")
    expect(line).to_have_count(0)
    widget.get_by_role("checkbox", name="draw the curve").check()
    expect(line).to_have_attribute("points", re.compile(f"^([^ ]+ ?){{{N}}}$"))
    curve = widget.get_by_role("img", name=re.compile("over the places"))
    curve.scroll_into_view_if_needed()
    box, tick = curve.bounding_box(), _tick(widget, 20).bounding_box()
    height = box["y"] + 0.75 * box["height"]
    page.mouse.move(tick["x"] + tick["width"] / 2, height)
    page.mouse.down()
    _expect(widget, "sinusoidal", start, 20)
    page.mouse.move(box["x"] + box["width"] - 1, height, steps=5)
    _expect(widget, "sinusoidal", start, N - 1)
    page.mouse.move(_middle(_tick(widget, 50)), height, steps=5)
    page.mouse.up()
    _expect(widget, "sinusoidal", start, 50)
    page.mouse.move(tick["x"], height)  # no button is down any more
    _expect(widget, "sinusoidal", start, 50)
    assert page.evaluate("String(getSelection())") == ""

    bubble = _middle(widget.locator(".bubble").first)  # of the first, whose line goes down
    page.mouse.move(bubble, height)
    page.mouse.down()
    page.mouse.move(_middle(_tick(widget, 10)), height, steps=4)
    page.mouse.up()
    _expect(widget, "sinusoidal", 10, 50)
    bracket = widget.locator(".apart text").bounding_box()
    at = bracket["x"] + bracket["width"] / 2, bracket["y"] + bracket["height"] / 2
    page.mouse.move(*at)
    page.mouse.down()  # both, with the distance kept, until one is at the end
    page.mouse.move(at[0] - 3 * box["width"] / N, at[1], steps=4)
    apart, (low, _) = 40, _both(widget)
    assert low < 10
    _expect(widget, "sinusoidal", low, low + apart)
    page.mouse.move(box["x"], at[1], steps=4)
    page.mouse.up()
    _expect(widget, "sinusoidal", 0, apart)
    expect(_button(widget, "back")).to_be_disabled()
    _button(widget, "on").click()
    _expect(widget, "sinusoidal", 1, apart + 1)
    _button(widget, "back").click()
    _expect(widget, "sinusoidal", 0, apart)


def by_keys(page, widget):
    """Go through everything with Tab, and set everything with arrow keys, Home, End and Space."""
    press = page.keyboard.press
    _demand(widget).focus()
    if widget.locator("details[open]").count():  # by who played before
        press("Enter")
    press("Enter")
    press("Tab")
    expect(_radio(widget, "sinusoidal")).to_be_focused()
    press("Space")
    _set_by_keys(page, widget, "sinusoidal", 60, 56)
    told = "60 and 56 are 0.69 alike; 0.74 is asked"
    expect(widget.locator(".missing")).to_contain_text(told)
    for _ in range(3):
        press("ArrowLeft")
    expect(widget.locator(".goal.done .missing")).to_have_text(re.compile("^Done in [0-9]+ moves"))
    press("[")  # from none to the last
    press("[")
    _expect(widget, "rotary", 10, 3)
    press("]")
    _expect(widget, "alibi", 3, 10)
    _radio(widget, "sinusoidal").focus()
    press("Space")
    for scheme in ("learned", "rotary", "alibi"):
        _radio(widget, LABELS[_before(scheme)]).focus()
        press("ArrowRight")
        expect(_radio(widget, LABELS[scheme])).to_be_focused()
        _set_by_keys(page, widget, scheme, 2, 60)
    head = widget.get_by_role("radio", name=re.compile(r"^\d$"), checked=True)
    head.focus()
    for _ in range(8):
        if _radio(widget, "0").is_checked():
            break
        press("ArrowLeft")
    press("ArrowRight")
    _expect(widget, "alibi", 2, 60, head=1)
    press("ArrowLeft")
    _expect(widget, "alibi", 2, 60, head=0)
    press("Tab")
    expect(_slide(widget)).to_be_focused()
    _radio(widget, "ALiBi").focus()
    for _ in range(len(LABELS) - 1):  # to the first of them
        press("ArrowLeft")
    press("Tab")
    expect(widget.get_by_role("checkbox", name="draw the curve")).to_be_focused()
    drawn = widget.locator("polyline.main").count()  # by who played before
    press("Space")
    expect(widget.locator("polyline.main")).to_have_count(1 - drawn)
    _slide(widget).focus()
    press("Enter")
    _expect(widget, "sinusoidal", 2, 60)
    widget.get_by_role("checkbox", name="draw the curve").focus()
    press("Tab")
    expect(_button(widget, "back")).to_be_focused()
    press("Enter")
    _expect(widget, "sinusoidal", 1, 59)
    press("Tab")
    expect(_button(widget, "on")).to_be_focused()
    press("Space")
    press("Space")
    _expect(widget, "sinusoidal", 3, 61)
    press("Tab")
    expect(widget.get_by_role("region")).to_be_focused()
    _slide(widget).focus()
    for _ in range(3):  # both rails, and what is folded
        press("Tab")
    expect(_demand(widget)).to_be_focused()
    press("Enter")
    expect(widget.locator("details")).not_to_have_attribute("open", "")


def by_touch(page, widget):
    """Tap moments, schemes, sliders, the curve and the buttons."""
    _tap(page, _moment(widget, "learned columns, 7 apart"))
    _expect(widget, "learned", 3, 10)
    for scheme in LABELS:
        _tap(page, _radio(widget, LABELS[scheme]))
        if scheme == "alibi":
            _tap(page, _radio(widget, "0"))
        ends = [_tap_at(page, slider, share) for slider, share in _sliders(widget, scheme)]
        _expect(widget, scheme, *ends)
    _tap(page, _radio(widget, "3"))
    _expect(widget, "alibi", *ends, head=3)
    _tap(page, _radio(widget, "learned"))
    curve = widget.get_by_role("img", name=re.compile("over the places"))
    curve.scroll_into_view_if_needed()
    box, tick = curve.bounding_box(), _tick(widget, 40).bounding_box()
    page.touchscreen.tap(tick["x"] + tick["width"] / 2, box["y"] + 0.75 * box["height"])
    _expect(widget, "learned", ends[0], 40)
    _tap(page, _button(widget, "back"))
    _expect(widget, "learned", ends[0] - 1, 39)
    _tap(page, _button(widget, "on"))
    _expect(widget, "learned", ends[0], 40)
    _tap(page, _slide(widget))
    _expect(widget, "learned", ends[0], 40)


def _expect(widget, scheme, first, second, *, head=0, pairs=True):
    """Hold the numbers that are shown against attnlib's."""
    value, rows = _computed(scheme, first, second, head)
    made = {"scheme": scheme, "first": first, "second": second, "head": head, "pairs": pairs}
    table = text.position_vectors() if scheme == "learned" else None
    python = widgets.Positions(table, **made)  # its still and alt text tell the same
    expect(widget.locator(".story")).to_have_text(python._told())
    expect(widget.locator(".seen")).to_have_text(python._seen())
    dots = widget.locator("path.dots")
    expect(dots).to_have_count(int(pairs))
    if pairs:
        expect(dots).to_have_attribute("d", re.compile(f"^(M[^M]+){{{len(python.elsewhere)}}}$"))
    expect(widget.locator(".bubble")).to_have_text([str(first), str(second)])
    expect(widget.locator(".apart text")).to_have_text(
        f"↔ {abs(second - first)} apart{'' if pairs else ' · drag both'}"
    )
    expect(widget.locator(".pair")).to_have_count(int(not pairs and scheme != "alibi"))
    expect(widget.locator(".curve .value")).to_have_text(_shown(value))
    expect(widget.locator(".why")).to_have_text(WHY[scheme])
    if widget.locator("details").get_attribute("open") is None:
        _demand(widget).click()
    digits = 3 if scheme == "learned" else 2
    lines = widget.locator("table.matrix tbody tr")
    expect(lines).to_have_count(len(rows))
    for i, row in enumerate(rows):
        cells = [_shown(x, digits) for x in row]
        cells = [cell.replace("0.", ".") for cell in cells] if digits == 3 else cells
        expect(lines.nth(i).locator("td")).to_have_text(cells)
    clocks = widget.get_by_role("group", name=re.compile("^clock of features"))
    hands = scheme in ("sinusoidal", "rotary")
    expect(clocks).to_have_count(D_MODEL // 2 if hands else 0)
    if hands:
        products = (rows[0] * rows[1]).reshape(-1, 2).sum(axis=1)
        expect(clocks.locator(".product")).to_have_text([_shown(x) for x in products])
        expect(clocks.locator(".note")).to_have_text(ROUNDS)


def _computed(scheme, first, second, head):
    """Return the number that is shown, and the table's rows, by attnlib alone."""
    if scheme == "alibi":
        biases = attnlib.alibi_bias(8, N)[:, first, second]
        return biases[head], [biases]
    if scheme == "rotary":
        rows = widgets.Positions(first=first, second=second, scheme="rotary").rows
        return rows[0] @ rows[1], rows
    learned = scheme == "learned"
    table = text.position_vectors() if learned else attnlib.sinusoidal_positions(N, D_MODEL)
    rows = table[[first, second]].astype(float)
    cosine = float(attnlib.cosine_similarity(rows)[0, 1])
    return round(cosine, 4) if learned else cosine, rows[:, :16]


def _shown(x, digits=2):
    """Print a number as the browser does: ties, as ALiBi has them, go away from zero."""
    printed = str(Decimal(float(x)).quantize(Decimal(10) ** -digits, ROUND_HALF_UP))
    return (printed if re.search("[1-9]", printed) else printed.lstrip("-")).replace("-", "−")


def _radio(widget, name):
    return widget.get_by_role("radio", name=name, exact=True)


def _button(widget, way):
    return widget.get_by_role("button", name=f"both one {way}")


def _moment(widget, title):
    return widget.get_by_role("list", name="what to see").get_by_role("button", name=title)


def _slide(widget):
    return widget.get_by_role("button", name="slide both along")


def _demand(widget):
    return widget.locator("summary")


def _both(widget):
    return [int(bubble) for bubble in widget.locator(".bubble").all_text_contents()]


def _middle(it):
    box = it.bounding_box()
    return box["x"] + box["width"] / 2


def _tick(widget, place):
    return widget.locator("svg.curve").get_by_text(str(place), exact=True).first


def _slider(widget, scheme, i):
    names = ("query's", "key's") if scheme in ("rotary", "alibi") else ("first", "second")
    return widget.get_by_role("slider", name=f"{names[i]} position")


def _sliders(widget, scheme):
    shares = {"sinusoidal": (0.3, 0.7), "learned": (0.6, 0.1), "rotary": (0.5, 0.2)}
    return [(_slider(widget, scheme, i), s) for i, s in enumerate(shares.get(scheme, (0.9, 0.4)))]


def _before(scheme):
    return list(LABELS)[list(LABELS).index(scheme) - 1]


def _set_by_keys(page, widget, scheme, first, second):
    """Tab from the button that lets both slide to the sliders, and set them."""
    _slide(widget).focus()
    for i, place in enumerate((first, second)):
        page.keyboard.press("Tab")
        slider = _slider(widget, scheme, i)
        expect(slider).to_be_focused()
        near = place < N // 2
        page.keyboard.press("Home" if near else "End")
        for _ in range(place if near else N - 1 - place):
            page.keyboard.press("ArrowRight" if near else "ArrowLeft")
        expect(slider).to_have_value(str(place))
        expect(slider).to_have_attribute("aria-valuetext", str(place))
    if scheme != "alibi":  # which head was chosen before is not known
        _expect(widget, scheme, first, second)


def _spot(slider, share):
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    return box["x"] + 13 + share * (box["width"] - 26), box["y"] + box["height"] / 2


def _landed(slider, share):
    """Return the place that the slider was set to; a pixel may be more than half a place."""
    place = int(slider.input_value())
    assert abs(place - share * (N - 1)) < 1.5
    return place


def _click_at(page, slider, share):
    page.mouse.click(*_spot(slider, share))
    return _landed(slider, share)


def _tap_at(page, slider, share):
    page.touchscreen.tap(*_spot(slider, share))
    expect(slider).not_to_have_value("")
    return _landed(slider, share)


def _tap(page, target):
    target.scroll_into_view_if_needed()
    box = target.bounding_box()
    page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
