"""How a person uses Scaling in lesson 02: how far do scores spread, and what holds the spread?"""

import re

import numpy as np
from playwright.sync_api import expect

from attnlib.widgets import Scaling
from tests.browser.hand import drag, keys, spot, tab, tap, type_over, unfold

STOPS = sorted({round(2 ** (k / 4)) for k in range(37)})  # of the slider
NAMES = {"none": "1 (none)", "sqrt d": "√d", "d": "d", "sqrt n": "√n (n = 8 keys)"}


def by_mouse(page, widget):
    """Drag d to both ends and between, take each divisor, draw anew, type a d and a draw."""
    unfold(widget)
    reach_the_goal(page, widget)
    choose(widget, "none").click()
    _drag(page, widget, 0.5, -0.2)
    agrees(widget, d=1, divisor="none")
    _drag(page, widget, 0.02, 1.2)
    agrees(widget, d=512, divisor="none")
    _drag(page, widget, 0.98, 0.5)
    expect(slider(widget)).to_have_value(re.compile("1[3-7]"))
    agrees(widget, d=width(widget), divisor="none")
    _drag(page, widget, 0.5, 1.2)
    for divisor in ("sqrt n", "d", "sqrt d"):
        choose(widget, divisor).click()
        agrees(widget, d=512, divisor=divisor)
    before = draw(widget)
    widget.get_by_role("button", name="another draw").click()
    expect(field(widget, "draw")).to_have_value(str(before + 1))
    agrees(widget, d=512, divisor="sqrt d")
    for name, typed in (("any d", 100), ("draw", 2)):
        field(widget, name).click()
        type_over(page, str(typed))
    agrees(widget, d=100, divisor="sqrt d", seed=2)


def by_keys(page, widget):
    """Reach every stop of the slider with the arrow keys, and everything else from it with Tab."""
    unfold(widget)
    slider(widget).focus()
    keys(page, "Home")
    expect(slider(widget)).to_have_attribute("aria-valuetext", "1")
    for d in STOPS[1:]:
        keys(page, "ArrowRight")
        expect(slider(widget)).to_have_attribute("aria-valuetext", str(d))
    field(widget, "any d").focus()
    type_over(page, "37")
    keys(page, "ArrowDown")
    slider(widget).focus()
    keys(page, "Tab")
    while not choose(widget, "none").is_checked():  # Tab leads to the chosen one
        keys(page, "ArrowLeft")
    agrees(widget, d=36, divisor="none")
    for divisor in ("sqrt d", "d", "sqrt n"):
        keys(page, "ArrowRight")
        agrees(widget, d=36, divisor=divisor)
    keys(page, "Tab")
    tab(page, field(widget, "any d"))  # past what unfolds the rest
    tab(page, field(widget, "draw"))
    type_over(page, "7")
    keys(page, "ArrowUp")
    agrees(widget, d=36, divisor="sqrt n", seed=8)
    tab(page, widget.get_by_role("button", name="another draw"))
    keys(page, "Enter", "Space")
    agrees(widget, d=36, divisor="sqrt n", seed=10)
    slider(widget).focus()
    keys(page, "End")
    agrees(widget, d=512, divisor="sqrt n", seed=10)


def by_touch(page, widget):
    """Tap the slider's ends, each divisor, the button, and a moment."""
    unfold(widget)
    tap(page, choose(widget, "none"))
    tap(page, slider(widget), 0.01)
    agrees(widget, d=1, divisor="none")
    tap(page, slider(widget), 0.99)
    agrees(widget, d=512, divisor="none")
    for divisor in ("sqrt d", "d", "sqrt n", "none"):
        tap(page, choose(widget, divisor))
        agrees(widget, d=512, divisor=divisor)
    before = draw(widget)
    tap(page, widget.get_by_role("button", name="another draw"))
    expect(field(widget, "draw")).to_have_value(str(before + 1))
    agrees(widget, d=512, divisor="none")
    tap(page, widget.get_by_role("button", name="d = 4: small scores"))
    agrees(widget, d=4, divisor="none", seed=2)


def reach_the_goal(page, widget):
    """Take the widest vectors and divide by the root of the width; watch the columns slide."""
    _drag(page, widget, 0.7, 1.2)
    goal = widget.locator(".goal")
    expect(goal).to_contain_text("The spread is 22.65; 0.90 to 1.10 is asked.")
    bars = widget.locator("path.bars")
    outlines = bars.evaluate_handle(
        """(path) => {
          const seen = new Set();
          const look = new MutationObserver(() => seen.add(path.getAttribute("d")));
          look.observe(path, { attributes: true });
          return seen;
        }"""
    )
    choose(widget, "sqrt d").click()
    agrees(widget, d=512, divisor="sqrt d")
    expect(goal).to_contain_text("Done in 2 moves.")
    page.wait_for_function("(seen) => seen.size > 3", arg=outlines)  # not at one stroke


# What is operated


def slider(widget):
    return widget.get_by_role("slider", name="drag d")


def field(widget, name):
    return widget.get_by_role("spinbutton", name=name)


def choose(widget, divisor):
    return widget.get_by_role("radio", name=NAMES[divisor], exact=True)


def width(widget):
    return int(field(widget, "any d").input_value())


def draw(widget):
    return int(field(widget, "draw").input_value())


def _drag(page, widget, start, end):
    """Drag along the slider, from and to a share of its length."""
    drag(page, spot(slider(widget), start), spot(slider(widget), end), steps=7)


# What is shown


def agrees(widget, d, divisor, seed=None):
    """Expect every number that follows from the inputs; without a seed, from the draw it names."""
    want = Scaling(d=d, divisor=divisor, seed=draw(widget) if seed is None else seed)
    below, above = (want.scores < -30).sum(), (want.scores > 30).sum()
    expect(slider(widget)).to_have_attribute("aria-valuetext", str(d))
    expect(field(widget, "any d")).to_have_value(str(d))
    expect(field(widget, "draw")).to_have_value(str(want.seed))
    expect(choose(widget, divisor)).to_be_checked()
    divided = {"none": "not divided"}.get(divisor, f"divided by {divisor.replace('sqrt ', '√')}")
    spread, largest = printed(want.spread), printed(want.weights.max())
    told = f"scores spread ± {spread} ({divided})"
    vectors = f"Vectors of d = {'1 number' if d == 1 else f'{d} numbers'}"
    said = f"{vectors}: {told}, so the best of 8 keys gets a share of {largest}."
    expect(widget.locator(".headline")).to_have_text(said)
    expect(widget.locator(".vectors .title")).to_have_text(f"{vectors} …")
    expect(widget.locator("dl > div").first).to_contain_text(f"= {printed(want.expected)}")
    facts = (
        ("entropy (0: one takes all)", want.entropy),
        ("mean entropy, 100 queries", want.mean_entropy),
        ("entropy if all were equal", np.log(8)),
    )
    expect(widget.locator("dl > div:not(:first-child)")).to_have_text(
        [f"{name}{printed(x)}" for name, x in facts]
    )
    rows = enumerate(zip(want.scores[0], want.weights, strict=True))
    cells = [cell for j, row in rows for cell in (str(j), *map(printed, row), "")]
    expect(widget.locator("table.keys tbody").locator("th, td")).to_have_text(cells)
    most = np.histogram(want.scores, np.arange(-30, 31))[0].max()
    picture = widget.locator("svg.histogram")
    expect(picture).to_have_attribute("aria-label", re.compile(f"fullest bin holds {most};"))
    for text, n in (
        (f"{below} below −30", below > 0),
        (f"{above} above 30", above > 0),
        (f"spread ± {printed(want.spread)}", 1),
    ):
        expect(picture.get_by_text(text, exact=True)).to_have_count(int(n))


def printed(x):
    return f"{x:.2f}".replace("-", "−" if round(x, 2) else "")
