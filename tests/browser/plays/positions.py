"""How a hand uses Positions in lesson 08: its own table of 64 rows, d_model 16."""

import re
from decimal import ROUND_HALF_UP, Decimal

import numpy as np
from playwright.sync_api import expect

import attnlib
from attnlib import text, widgets
from attnlib.widgets.positions import WHY
from tests.browser.hand import drag, keys, spot, tab, tap

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
    ends = _through_all(widget, lambda it: it.click(), page.mouse.click)
    _radio(widget, "6").click()
    _expect(widget, "alibi", *ends, head=6)
    _radio(widget, "sinusoidal").click()
    start, line = ends[0], widget.locator("polyline.main")
    expect(line).to_have_count(0)
    widget.get_by_role("checkbox", name="draw the curve").check()
    expect(line).to_have_attribute("points", re.compile(f"^([^ ]+ ?){{{N}}}$"))
    (left, height), (right, _) = spot(_curve(widget), 0, 0.75), spot(_curve(widget), 1)
    page.mouse.move(_along(widget, 20), height)
    page.mouse.down()
    _expect(widget, "sinusoidal", start, 20)
    page.mouse.move(right - 1, height, steps=5)
    _expect(widget, "sinusoidal", start, N - 1)
    page.mouse.move(_along(widget, 50), height, steps=5)
    page.mouse.up()
    _expect(widget, "sinusoidal", start, 50)
    page.mouse.move(_along(widget, 20), height)  # no button is down any more
    _expect(widget, "sinusoidal", start, 50)
    assert page.evaluate("String(getSelection())") == ""

    bubble, _ = spot(widget.locator(".bubble").first)  # of the first, whose line goes down
    drag(page, (bubble, height), (_along(widget, 10), height))
    _expect(widget, "sinusoidal", 10, 50)
    x, y = spot(widget.locator(".apart text"))
    page.mouse.move(x, y)
    page.mouse.down()  # both, with the distance kept, until one is at the end
    page.mouse.move(x - 3 * (right - left) / N, y, steps=4)
    apart, (low, _) = 40, _both(widget)
    assert low < 10
    _expect(widget, "sinusoidal", low, low + apart)
    page.mouse.move(left, y, steps=4)
    page.mouse.up()
    _expect(widget, "sinusoidal", 0, apart)
    expect(_button(widget, "back")).to_be_disabled()
    for way, place in (("on", 1), ("back", 0)):
        _button(widget, way).click()
        _expect(widget, "sinusoidal", place, apart + place)


def by_keys(page, widget):
    """Go through everything with Tab, and set everything with arrow keys, Home, End and Space."""
    widget.locator("summary").focus()
    if widget.locator("details[open]").count():  # by who played before
        keys(page, "Enter")
    keys(page, "Enter")
    tab(page, _radio(widget, "sinusoidal"))
    keys(page, "Space")
    _set_by_keys(page, widget, "sinusoidal", 60, 56)
    told = "60 and 56 are 0.69 alike; 0.74 is asked"
    expect(widget.locator(".missing")).to_contain_text(told)
    keys(page, *3 * ["ArrowLeft"])
    expect(widget.locator(".goal.done .missing")).to_have_text(re.compile("^Done in [0-9]+ moves"))
    keys(page, "[")  # from none to the last
    _expect(widget, "rotary", 10, 3)
    keys(page, "[")
    _expect(widget, "learned", 3, 10)
    _radio(widget, "sinusoidal").focus()
    keys(page, "Space")
    for scheme in ("learned", "rotary", "alibi"):
        _radio(widget, LABELS[_before(scheme)]).focus()
        keys(page, "ArrowRight")
        expect(_radio(widget, LABELS[scheme])).to_be_focused()
        _set_by_keys(page, widget, scheme, 2, 60)
    head = widget.get_by_role("radio", name=re.compile(r"^\d$"), checked=True)
    head.focus()
    for _ in range(8):
        if _radio(widget, "0").is_checked():
            break
        keys(page, "ArrowLeft")
    for key, number in (("ArrowRight", 1), ("ArrowLeft", 0)):
        keys(page, key)
        _expect(widget, "alibi", 2, 60, head=number)
    tab(page, _slide(widget))
    _radio(widget, "ALiBi").focus()
    keys(page, *(len(LABELS) - 1) * ["ArrowLeft"])  # to the first of them
    tab(page, widget.get_by_role("checkbox", name="draw the curve"))
    drawn = widget.locator("polyline.main").count()  # by who played before
    keys(page, "Space")
    expect(widget.locator("polyline.main")).to_have_count(1 - drawn)
    _slide(widget).focus()
    keys(page, "Enter")
    _expect(widget, "sinusoidal", 2, 60)
    widget.get_by_role("checkbox", name="draw the curve").focus()
    tab(page, _button(widget, "back"))
    keys(page, "Enter")
    _expect(widget, "sinusoidal", 1, 59)
    tab(page, _button(widget, "on"))
    keys(page, "Space", "Space")
    _expect(widget, "sinusoidal", 3, 61)
    tab(page, widget.get_by_role("region"))
    _slide(widget).focus()
    keys(page, *3 * ["Tab"])  # both rails, and what is folded
    expect(widget.locator("summary")).to_be_focused()
    keys(page, "Enter")
    expect(widget.locator("details")).not_to_have_attribute("open", "")


def by_touch(page, widget):
    """Tap moments, schemes, sliders, the curve and the buttons."""
    tap(page, _moment(widget, "learned columns, 7 apart"))
    _expect(widget, "learned", 3, 10)
    ends = _through_all(widget, lambda it: tap(page, it), page.touchscreen.tap)
    tap(page, _radio(widget, "3"))
    _expect(widget, "alibi", *ends, head=3)
    tap(page, _radio(widget, "learned"))
    _, height = spot(_curve(widget), down=0.75)
    page.touchscreen.tap(_along(widget, 40), height)
    _expect(widget, "learned", ends[0], 40)
    tap(page, _button(widget, "back"))
    _expect(widget, "learned", ends[0] - 1, 39)
    tap(page, _button(widget, "on"))
    _expect(widget, "learned", ends[0], 40)
    tap(page, _slide(widget))
    _expect(widget, "learned", ends[0], 40)


def _through_all(widget, press, press_at):
    """Choose each scheme and set both sliders; return where they stand in the end."""
    for scheme in LABELS:
        press(_radio(widget, LABELS[scheme]))
        if scheme == "alibi":
            press(_radio(widget, "0"))
        ends = [_set(press_at, slider, share) for slider, share in _sliders(widget, scheme)]
        _expect(widget, scheme, *ends)
    return ends


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
        widget.locator("summary").click()
    digits = 3 if scheme == "learned" else 2
    lines = widget.locator("table.matrix tbody tr")
    expect(lines).to_have_count(len(rows))
    for i, row in enumerate(rows):
        cells = [_shown(x, digits) for x in row]
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


def _both(widget):
    return [int(bubble) for bubble in widget.locator(".bubble").all_text_contents()]


def _curve(widget):
    return widget.get_by_role("img", name=re.compile("over the places"))


def _along(widget, place):
    """Return where across the page a place of the curve is."""
    return spot(widget.locator("svg.curve").get_by_text(str(place), exact=True).first)[0]


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
        slider = _slider(widget, scheme, i)
        tab(page, slider)
        near = place < N // 2
        keys(page, "Home" if near else "End")
        keys(page, *(place * ["ArrowRight"] if near else (N - 1 - place) * ["ArrowLeft"]))
        expect(slider).to_have_value(str(place))
        expect(slider).to_have_attribute("aria-valuetext", str(place))
    if scheme != "alibi":  # which head was chosen before is not known
        _expect(widget, scheme, first, second)


def _set(press, slider, share):
    """Press a slider at a share of its way; return its place: a pixel may be more than half one."""
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    press(box["x"] + 13 + share * (box["width"] - 26), box["y"] + box["height"] / 2)
    place = int(slider.input_value())
    assert abs(place - share * (N - 1)) < 1.5
    return place
