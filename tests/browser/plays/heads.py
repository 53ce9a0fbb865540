"""How a person uses Heads in lesson 06: who looks from *it* at *animal*, and who is missed."""

import numpy as np
from playwright.sync_api import expect

import attnlib
from attnlib import text
from attnlib.pictures.paper import number
from tests.browser.hand import click, keys, spot, tab, tap, unfold
from tests.browser.many import all_have

WORD, KEY = "word that asks (query)", "word looked at (key)"
CHOOSE, TURN = "heads: choose one", "heads that are on"
LOOK_AT_CLS = (0, 3, 4, 5, 6, 8, 9, 10)
BRING_LEAST = (5, 0, 3, 4, 8, 6)


def by_mouse(page, widget):
    """Choose words and heads, look at others by passing over them, and reach the goal."""
    unfold(widget)
    lesson = Lesson()
    it, cross, street = (lesson.words.index(word) for word in ("it", "cross", "street"))
    lesson.judge(widget, head=1, word=it)
    click(page, of_map(widget, 8))
    click(page, one(widget, WORD, street))
    page.mouse.move(*spot(button(widget, "all on")))  # away from words and heads
    lesson.judge(widget, head=8, word=street)
    page.mouse.move(*spot(one(widget, WORD, cross)))
    lesson.judge(widget, head=8, word=cross, checked=street)
    page.mouse.move(*spot(of_map(widget, 2)))
    lesson.judge(widget, head=2, word=street, selected=8)
    page.mouse.move(*spot(one(widget, KEY, it)))
    lesson.judge(widget, head=8, word=street, key=it)
    click(page, button(widget, "all at once"))
    lesson.judge(widget, head=None, word=street)
    click(page, one(widget, WORD, it))
    click(page, part(widget, 1))
    page.mouse.move(*spot(button(widget, "all on")))
    lesson.judge(widget, head=None, word=it, off={1})
    click(page, button(widget, "all on"))
    for nth, h in enumerate(BRING_LEAST):
        expect(widget.locator(".goal.done")).to_have_count(0)
        click(page, part(widget, h))
        lesson.judge(widget, head=None, word=it, off=set(BRING_LEAST[: nth + 1]))
    expect(widget.locator(".goal.done .missing")).to_have_text("Done in 8 moves.")


def by_keys(page, widget):
    """Step through the moments, go through everything with Tab, and choose with the arrow keys."""
    unfold(widget)
    lesson = Lesson()
    it, cross = lesson.words.index("it"), lesson.words.index("cross")
    one(widget, WORD, it).focus()
    states = [(1, it, ()), (None, it, ()), (None, it, (1,)), (None, it, LOOK_AT_CLS)]
    keys(page, "]")  # from no moment at all
    for head, word, off in states:
        lesson.judge(widget, head=head, word=word, off=set(off))
        keys(page, "]")
    lesson.judge(widget, head=1, word=cross)
    keys(page, "[")
    lesson.judge(widget, head=None, word=it, off=set(LOOK_AT_CLS))
    expect(widget.get_by_role("radio", checked=True).first).to_be_focused()
    keys(page, "ArrowRight")
    tab(page, one(widget, KEY, lesson.words.index("[CLS]")))
    keys(page, "ArrowDown")
    lesson.judge(widget, head=None, word=it + 1, off=set(LOOK_AT_CLS), key=1)
    tab(page, button(widget, "all at once"))
    keys(page, "Enter")
    tab(page, of_map(widget, 0))
    per_row = widget.get_by_role("row").first.get_by_role("gridcell").count()
    keys(page, "ArrowRight", "ArrowDown")
    expect(of_map(widget, 1 + per_row)).to_be_focused()
    keys(page, "ArrowUp")
    lesson.judge(widget, head=1, word=it + 1, off=set(LOOK_AT_CLS))
    tab(page, widget.locator("summary"), button(widget, "all on"))
    keys(page, "Space", "Tab")
    expect(widget.locator(".part button:focus")).to_have_count(1)
    keys(page, "Home")
    expect(part(widget, 0)).to_be_focused()
    keys(page, "Space", "ArrowLeft", "Space")
    lesson.judge(widget, head=1, word=it + 1, off={0, 11})


def by_touch(page, widget):
    """Tap on a moment, on words, on heads and on a key."""
    lesson = Lesson()
    it, tired = lesson.words.index("it"), lesson.words.index("tired")
    tap(page, widget.get_by_role("button", name="Without head 1"))
    lesson.judge(widget, head=None, word=it, off={1})
    tap(page, one(widget, WORD, tired))
    tap(page, of_map(widget, 11))
    tap(page, part(widget, 5))
    lesson.judge(widget, head=11, word=tired, off={1, 5})
    tap(page, one(widget, KEY, it))
    lesson.judge(widget, head=11, word=tired, off={1, 5}, key=it)


class Lesson:
    """The lesson's words and weights, computed anew, and what the widget has to show of them."""

    def __init__(self):
        sentence = text.sentences()[2]
        self.words = text.tokens(sentence)
        states, layer = text.states(sentence)[3].astype(float), text.layer(3)
        self.weights = attnlib.MultiHeadAttention(**layer, n_heads=12).weights(states)
        values = attnlib.split_heads(states @ layer["w_value"] + layer["b_value"], 12)
        squares = ((self.weights @ values) ** 2).sum(axis=-1)
        self.shares = squares / squares.sum(axis=0)

    def judge(self, widget, *, head, word, off=frozenset(), key=None, checked=None, selected=None):
        """Wait until all that the widget says is right."""
        checked, selected = (word if checked is None else checked), selected or head
        expect(one(widget, WORD, checked)).to_be_checked()
        told = [self.story(head, word, off, key), self.loss(word, off)]
        large, small = told[::-1] if head is None and off and key is None else told
        expect(widget.locator(".story")).to_have_text(large)
        expect(widget.locator(".loss")).to_have_text(small)
        brings = [f"head {h}, brings {number(x)}" for h, x in enumerate(self.shares[:, word])]
        all_have(each(widget, TURN, "button"), "aria-label", brings)
        on = ["false" if h in off else "true" for h in range(12)]
        all_have(each(widget, TURN, "button"), "aria-pressed", on)
        chosen = ["true" if h == selected else "false" for h in range(12)]
        all_have(each(widget, CHOOSE, "gridcell"), "aria-selected", chosen)
        below = [f"{h} {self.words[j]}" for h, j in enumerate(self.weights[:, word].argmax(axis=1))]
        expect(widget.get_by_role("gridcell").locator("span")).to_have_text(below)

    def story(self, head, word, off, key):
        """Say where the word looks."""
        asks = self.words[word]
        if head is not None:
            row = self.weights[head, word]
            key = row.argmax() if key is None else key
            name = f"head {head} (off)" if head in off else f"head {head}"
            return f"In {name}, {asks} gives {self.words[key]} {number(row[key])} of its attention."
        on = [h for h in range(12) if h not in off]
        most = self.weights[on, word].argmax(axis=1).tolist()
        of = "heads that are on" if off else "heads"
        if key is None and len(set(most)) == len(most):
            return f"From {asks}, each of the {len(on)} {of} looks most at another word."
        key = max(sorted(set(most)), key=most.count) if key is None else key
        looks = "looks" if most.count(key) == 1 else "look"
        return f"{most.count(key)} of {len(on)} {of} {looks} from {asks} most at {self.words[key]}."

    def loss(self, word, off):
        """Say what is lost without the heads that are off."""
        if not off:
            return f"All heads are on. Turn one off: what does {self.words[word]} lose?"
        few = [str(h) for h in sorted(off)]
        named = f"heads {', '.join(few[:-1])} and {few[-1]}" if len(few) > 1 else f"head {few[0]}"
        named = f"these {len(few)} heads" if len(few) > 4 else named
        lost = number(self.shares[sorted(off), word].sum())
        weights = self.weights[:, word]
        left = np.delete(weights, sorted(off), axis=0).max(axis=0)
        falls = weights.max(axis=0) - left
        said = f"Without {named}, {self.words[word]} loses {lost} of what all heads bring it."
        missed = falls.argmax()
        if falls[missed] >= 0.005:
            said += f" No other head gives {self.words[missed]} more than {number(left[missed])}."
        return said


def each(widget, name, role):
    """Return all elements of a role in a group, or in the grid of heads."""
    group = widget.get_by_role("grid" if role == "gridcell" else "group", name=name, exact=True)
    return group.get_by_role(role)


def one(widget, name, place):
    """Return the button of a word, of those that ask or of those looked at."""
    return each(widget, name, "radio").nth(place)


def of_map(widget, head):
    """Return the small map of a head."""
    return each(widget, CHOOSE, "gridcell").nth(head)


def part(widget, head):
    """Return the switch of a head."""
    return each(widget, TURN, "button").nth(head)


def button(widget, name):
    """Return a button by its whole name."""
    return widget.get_by_role("button", name=name, exact=True)
