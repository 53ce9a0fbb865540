"""How a person uses Heads in lesson 06: who looks from *it* at *animal*, and how heads differ."""

import numpy as np
from playwright.sync_api import expect

import attnlib
from attnlib import text

WORD, HEAD, OTHER = "word that asks (query)", "head shown in full", "minus head"


def by_mouse(page, widget):
    """Choose words and heads, and look at other words by passing over them."""
    lesson = Lesson()
    it, cross, street = (lesson.words.index(word) for word in ("it", "cross", "street"))
    for group, place in ((WORD, 0), (WORD, it), (HEAD, 1), (OTHER, 3)):
        page.mouse.click(*middle(radio(widget, group, place)))
    lesson.judge(widget, head=1, other=3, word=it)
    page.mouse.move(*middle(radio(widget, WORD, cross)))
    lesson.judge(widget, head=1, other=3, word=cross)
    page.mouse.move(*middle(radio(widget, HEAD, 8)))  # away from the words: the chosen one is back
    lesson.judge(widget, head=1, other=3, word=it)
    page.mouse.click(*middle(radio(widget, HEAD, 8)))
    page.mouse.click(*middle(radio(widget, OTHER, 11)))
    lesson.judge(widget, head=8, other=11, word=it)
    table = widget.get_by_role("region", name=lesson.names(8, 11, it)[1], exact=True)
    page.mouse.move(*middle(table.get_by_role("rowheader").nth(street)))
    lesson.judge(widget, head=8, other=11, word=street)
    page.mouse.move(*middle(radio(widget, HEAD, 8)))
    lesson.judge(widget, head=8, other=11, word=it)


def by_keys(page, widget):
    """Go through everything with Tab, and choose with the arrow keys."""
    lesson = Lesson()
    it = lesson.words.index("it")
    for group, place in ((OTHER, 3), (HEAD, 0), (WORD, 0)):
        radio(widget, group, place).focus()
        page.keyboard.press("Space")
    lesson.judge(widget, head=0, other=3, word=0)
    for _ in range(it):
        page.keyboard.press("ArrowRight")
    lesson.judge(widget, head=0, other=3, word=it)
    page.keyboard.press("Tab")
    expect_focus(widget, lesson.names(0, 3, it)[0])
    page.keyboard.press("Tab")
    expect(radio(widget, HEAD, 0)).to_be_focused()
    page.keyboard.press("ArrowRight")
    lesson.judge(widget, head=1, other=3, word=it)
    page.keyboard.press("Tab")
    expect(radio(widget, OTHER, 3)).to_be_focused()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    lesson.judge(widget, head=1, other=5, word=it)
    for name in lesson.names(1, 5, it)[1:]:
        page.keyboard.press("Tab")
        expect_focus(widget, name)
    for _ in range(5):
        page.keyboard.press("Shift+Tab")
    expect(radio(widget, WORD, it)).to_be_focused()
    page.keyboard.press("ArrowLeft")
    lesson.judge(widget, head=1, other=5, word=it - 1)


def by_touch(page, widget):
    """Tap on words and heads."""
    lesson = Lesson()
    it, tired = lesson.words.index("it"), lesson.words.index("tired")
    for group, place in ((WORD, tired), (HEAD, 2), (OTHER, 0)):
        page.touchscreen.tap(*middle(radio(widget, group, place)))
    lesson.judge(widget, head=2, other=0, word=tired)
    for group, place in ((WORD, it), (HEAD, 1), (OTHER, 3)):
        page.touchscreen.tap(*middle(radio(widget, group, place)))
    lesson.judge(widget, head=1, other=3, word=it)


class Lesson:
    """The lesson's words and weights, computed anew, and what the widget has to show of them."""

    def __init__(self):
        sentence = text.sentences()[2]
        self.words = text.tokens(sentence)
        layer = attnlib.MultiHeadAttention(**text.layer(3), n_heads=12)
        state = text.states(sentence)[3].astype(float)
        self.weights = layer.weights(state).round(5)  # as many decimals as are recorded

    def names(self, head, other, word):
        """Return the names of the three tables."""
        axes = "rows are queries, columns are keys"
        return (
            f"weights of {self.words[word]}: rows are heads, columns are keys",
            f"weights of head {head}: {axes}",
            f"head {head} minus head {other}: {axes}",
        )

    def judge(self, widget, *, head, other, word):
        """Wait until all that the widget shows is right."""
        rows = self.weights[:, word]
        difference = self.weights[head] - self.weights[other]
        tables = zip(
            self.names(head, other, word),
            (rows, self.weights[head], difference),
            (f"head {head}", self.words[word], self.words[word]),
            strict=True,
        )
        for name, values, marked in tables:
            table = widget.get_by_role("region", name=name, exact=True)
            numbers = table.locator("td:not(.extra)")
            expect(numbers).to_have_text([printed(x) for x in values.flat])
            expect(table.locator("tr.marked th")).to_have_text([marked])
        said = []
        for row in rows:
            said += [f"{self.words[row.argmax()]} {printed(row.max())}"]
            said += [f"{attnlib.entropy(row):.2f}"]
        expect(widget.locator("td.extra")).to_have_text(said)
        elsewhere = np.abs(difference).sum(axis=-1) / 2
        facts = [f"{elsewhere[word]:.2f}", f"{elsewhere.mean():.2f}"]
        expect(widget.get_by_role("definition")).to_have_text(facts)
        chosen = widget.get_by_role("radio", checked=True)
        expect(chosen).to_have_count(3)


def printed(x):
    """Return a weight as the tables print it: a true minus, and no zero before the point."""
    number = f"{abs(x):.2f}".removeprefix("0")
    return f"−{number}" if x < 0 and number != ".00" else number


def radio(widget, group, place):
    """Return one of the buttons of a group."""
    return widget.get_by_role("group", name=group, exact=True).get_by_role("radio").nth(place)


def middle(locator):
    """Bring an element into view, and return the point in its middle."""
    locator.scroll_into_view_if_needed()
    box = locator.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def expect_focus(widget, name):
    """Wait until a table's region has the focus."""
    expect(widget.get_by_role("region", name=name, exact=True)).to_be_focused()
