"""How a person uses Heads in lesson 06: who looks from *it* at *animal*, and how heads differ."""

import re

import numpy as np
from playwright.sync_api import expect

import attnlib
from attnlib import text
from tests.browser.many import all_have

WORD, LINES, ALL = "word that asks (query)", "heads whose lines are shown", "all heads: choose one"
EVERY = set(range(12))


def by_mouse(page, widget):
    """Choose words and heads, look at others by passing over them, and hide heads."""
    lesson = Lesson()
    it, cross, street = (lesson.words.index(word) for word in ("it", "cross", "street"))
    lesson.judge(widget, head=1, word=it)
    page.mouse.click(*middle(of_map(widget, 8)))
    page.mouse.click(*middle(radio(widget, street)))
    page.mouse.move(*middle(of_map(widget, 8)))  # away from the words
    lesson.judge(widget, head=8, word=street)
    page.mouse.move(*middle(radio(widget, cross)))
    lesson.judge(widget, head=8, word=street, looked=cross)
    matrix = widget.get_by_role("img", name="weights of head 8: rows are queries")
    box = reached(matrix)
    page.mouse.move(box["x"] + box["width"] * 0.6, box["y"] + box["height"] - 8)
    lesson.judge(widget, head=8, word=street, looked=len(lesson.words) - 1)
    page.mouse.click(box["x"] + box["width"] * 0.6, box["y"] + box["height"] - 8)
    page.mouse.move(*middle(of_map(widget, 8)))
    lesson.judge(widget, head=8, word=len(lesson.words) - 1)
    for h in (2, 8):
        page.mouse.click(*middle(chip(widget, h)))
    lesson.judge(widget, head=8, word=len(lesson.words) - 1, shown=EVERY - {2, 8})
    page.mouse.click(*middle(widget.get_by_role("button", name="only head 8")))
    page.mouse.click(*middle(of_map(widget, 3)))  # the head that is shown alone changes with it
    lesson.judge(widget, head=3, word=len(lesson.words) - 1, shown={3})
    page.mouse.click(*middle(widget.get_by_role("button", name="all heads")))
    page.mouse.click(*middle(widget.get_by_role("checkbox")))
    page.mouse.click(*middle(widget.get_by_role("checkbox")))
    minus_head(widget).select_option("1")
    lesson.judge(widget, head=3, other=1, word=len(lesson.words) - 1)


def by_keys(page, widget):
    """Go through everything with Tab, and choose with the arrow keys."""
    lesson = Lesson()
    it, last = lesson.words.index("it"), len(lesson.words) - 1
    page.mouse.click(*middle(of_map(widget, 3)))
    page.mouse.click(*middle(radio(widget, last)))
    minus_head(widget).select_option("1")
    page.mouse.move(0, 0)
    widget.get_by_role("button", name="all heads").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    expect(widget.get_by_role("button", name=re.compile(r"^only head \d+$"))).to_be_focused()
    page.keyboard.press("Tab")
    expect(widget.get_by_label("lines of all words")).to_be_focused()
    page.keyboard.press("Tab")
    focused = widget.locator("button:focus")  # the head that was clicked last
    expect(focused).to_have_attribute("aria-label", re.compile(r"^head \d+:"))
    at = int(focused.inner_text())
    for _ in range((12 - at) % 12):
        page.keyboard.press("ArrowRight")
    expect(chip(widget, 0)).to_be_focused()
    page.keyboard.press("Space")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Space")
    page.keyboard.press("Tab")
    expect(widget.get_by_role("radio", checked=True)).to_be_focused()
    for _ in range(last - it):
        page.keyboard.press("ArrowLeft")
    lesson.judge(widget, head=3, other=1, word=it, shown=EVERY - {0, 11})
    page.keyboard.press("Tab")
    expect(of_map(widget, 3)).to_be_focused()
    page.keyboard.press("ArrowLeft")
    per_row = widget.get_by_role("row").first.get_by_role("gridcell").count()
    page.keyboard.press("ArrowDown")  # there may be a row below
    expect(of_map(widget, 2 + per_row if per_row < 10 else 2)).to_be_focused()
    page.keyboard.press("ArrowUp")
    expect(of_map(widget, 2)).to_be_focused()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    lesson.judge(widget, head=1, other=1, word=it, shown=EVERY - {0, 11})
    page.keyboard.press("Tab")
    expect(minus_head(widget)).to_be_focused()
    page.keyboard.press("ArrowDown")
    lesson.judge(widget, head=1, other=2, word=it, shown=EVERY - {0, 11})
    minus_head(widget).select_option("none")
    lesson.judge(widget, head=1, word=it, shown=EVERY - {0, 11})


def by_touch(page, widget):
    """Tap on words and heads."""
    lesson = Lesson()
    it, tired = lesson.words.index("it"), lesson.words.index("tired")
    page.touchscreen.tap(*middle(widget.get_by_role("button", name="all heads")))
    page.touchscreen.tap(*middle(radio(widget, tired)))
    page.touchscreen.tap(*middle(of_map(widget, 11)))
    lesson.judge(widget, head=11, word=tired)
    page.touchscreen.tap(*middle(chip(widget, 5)))
    page.touchscreen.tap(*middle(radio(widget, it)))
    page.touchscreen.tap(*middle(of_map(widget, 1)))
    lesson.judge(widget, head=1, word=it, shown=EVERY - {5})


class Lesson:
    """The lesson's words and weights, computed anew, and what the widget has to show of them."""

    def __init__(self):
        sentence = text.sentences()[2]
        self.words = text.tokens(sentence)
        layer = attnlib.MultiHeadAttention(**text.layer(3), n_heads=12)
        weights = layer.weights(text.states(sentence)[3].astype(float))
        self.weights = np.rint(weights * 50_000) / 50_000  # the steps that are recorded

    def judge(self, widget, *, head, word, other=None, looked=None, shown=EVERY):
        """Wait until all that the widget says is right."""
        looked = word if looked is None else looked
        expect(widget.get_by_role("radio").nth(word)).to_be_checked()
        of = self.words[looked]
        told = widget.get_by_role("list", name=f"weights of {of} in head {head}, by key")
        rows = self.weights[:, looked]
        numbers = [f"{x:.2f}".removeprefix("0") for x in rows[head]]
        expect(told.locator("li > span")).to_have_text(numbers)
        most = [f"looks most at {self.words[row.argmax()]} {row.max():.2f}" for row in rows]
        named = [
            f"head {h}: {most[h]}, entropy {attnlib.entropy(row):.2f}" for h, row in enumerate(rows)
        ]
        all_have(chips(widget), "aria-label", named)
        pressed = ["true" if h in shown else "false" for h in range(len(rows))]
        all_have(chips(widget), "aria-pressed", pressed)
        expect(widget.locator("[aria-selected=true]")).to_have_attribute("title", f"head {head}")
        minus = "" if other is None else f" minus head {other}"
        expect(
            widget.get_by_role("img", name=f"weights of head {head}{minus}: rows")
        ).to_be_visible()
        if other is not None:
            elsewhere = np.abs(self.weights[head] - self.weights[other]).sum(axis=-1) / 2
            numbers = [f"{elsewhere[looked]:.2f}", f"{elsewhere.mean():.2f}"]
            expect(widget.locator(".note strong")).to_have_text(numbers)


def radio(widget, place):
    """Return the button of a word."""
    return widget.get_by_role("group", name=WORD, exact=True).get_by_role("radio").nth(place)


def chips(widget):
    """Return the buttons that show and hide a head's lines, each."""
    return widget.get_by_role("group", name=LINES, exact=True).get_by_role("button")


def chip(widget, head):
    """Return the button of a head."""
    return chips(widget).nth(head)


def of_map(widget, head):
    """Return the small map of a head."""
    return widget.get_by_role("grid", name=ALL, exact=True).get_by_role("gridcell").nth(head)


def minus_head(widget):
    """Return what chooses the head that is taken from the one in full."""
    return widget.get_by_label("minus head", exact=True)


def button(widget, name):
    """Return a button by its whole name."""
    return widget.get_by_role("button", name=name, exact=True)


def reached(locator):
    """Bring an element into view, and return where it is."""
    locator.scroll_into_view_if_needed()
    return locator.bounding_box()


def middle(locator):
    """Bring an element into view, and return the point in its middle."""
    box = reached(locator)
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
