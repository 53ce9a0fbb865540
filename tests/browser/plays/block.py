"""How a person uses Block: leave parts out, follow another word, ask what adds to a next word."""

import re

from playwright.sync_api import expect

from attnlib import world
from attnlib.pictures.paper import number
from attnlib.widgets import Block
from attnlib.widgets.block import NETWORKS, PARTS, WAYS, signed
from tests.browser.hand import keys, tab, tap
from tests.widgets.goals import MOVES, TOLD

LIKES, ANN = TOLD.split(), 22
(*_, GOAL) = MOVES["12_a_model_that_writes block"]
SPREAD = GOAL["off"]  # the heads that look at nothing that matters here


def by_mouse(page, widget):
    """Reach the goal, leave out one of each kind, follow another word, watch another next word."""
    lesson = Lesson(widget, lambda it: it.click())
    goal = widget.locator(".goal")
    for head in SPREAD:
        lesson.turns(head)
    expect(goal).to_contain_text("Done in")
    for part in (3, NETWORKS, NETWORKS + 1, 10, *range(WAYS, WAYS + 4), 6):
        lesson.turns(part)
    for part in (*SPREAD, 3, 8, 9, *range(WAYS, WAYS + 4), 6, 10):
        lesson.turns(part)
    lesson.follows(ANN)
    _part(widget, 3).hover()
    (darkest,) = [k for k, w in enumerate(lesson.python().weights[0, 3]) if w > 0.5]
    coloured = widget.locator("label:has(input[type=radio])").nth(darkest)
    expect(coloured).to_have_attribute("style", re.compile("background"))
    page.mouse.move(0, 0)
    expect(coloured).not_to_have_attribute("style", re.compile("background"))
    lesson.watches("glad")
    lesson.turns(9)


def by_keys(page, widget):
    """Go by Tab from word to parts to next words, with arrow keys from word to word, and press."""

    def press(it):
        it.focus()
        page.keyboard.press("Space")

    lesson = Lesson(widget, press)
    lesson.turns(9)
    _words(widget).nth(lesson.at).focus()
    keys(page, "ArrowRight")
    lesson.at, lesson.toward = lesson.at + 1, None
    lesson.shows()
    keys(page, "ArrowLeft", "ArrowUp")
    lesson.at -= 2
    lesson.shows()
    for part in (10, 0, 1, 2, 3, WAYS, NETWORKS, WAYS + 1, 4, 5, 6, 7, WAYS + 2, 9, WAYS + 3):
        tab(page, _part(widget, part))
    keys(page, "Space")
    lesson.off = [WAYS + 3]
    lesson.shows()
    tab(page, *_rows(widget).all())
    keys(page, "Enter")
    lesson.toward = _rows(widget).last.locator("span").first.inner_text()
    lesson.shows()


def by_touch(page, widget):
    """Tap on parts, a word, a next word and a moment."""
    lesson = Lesson(widget, lambda it: tap(page, it))
    lesson.turns(7)
    lesson.turns(WAYS)
    lesson.follows(len(LIKES) - 1)
    lesson.watches("Ann")
    tap(page, widget.get_by_role("button", name="“Ann”, last, looks at “hen”"))
    lesson.at, lesson.off, lesson.toward = ANN, [], None
    lesson.shows()


class Lesson:
    """What should be seen, and how a hand presses it."""

    def __init__(self, widget, press):
        self.widget, self.press = widget, press
        self.toward = widget.locator(".chances [aria-pressed=true] span").first.inner_text()
        self.at = widget.evaluate("host => host.shows.get('at')")
        self.off = widget.evaluate("host => host.shows.get('off')")
        self.twin = Block(LIKES, "trained")
        self.shows()

    def turns(self, part):
        """Leave a part out, or take it in again."""
        self.off = sorted({*self.off} ^ {part})
        self.press(_part(self.widget, part))
        self.shows()

    def follows(self, at):
        """Press a word of the story."""
        self.at, self.toward = at, None
        self.press(_words(self.widget).nth(at))
        self.shows()

    def watches(self, word):
        """Press a next word: what is added to its score is shown."""
        self.toward = word
        self.press(self.widget.locator(".chances").get_by_role("button", name=word))
        self.shows()

    def python(self):
        """Return what Python makes of it."""
        self.twin.set(at=self.at, off=self.off)
        return self.twin

    def shows(self):
        """Expect the sentence and all numbers to be those that Python computes."""
        widget, python = self.widget, self.python()
        expect(widget.locator(".story")).to_have_text(python._told())
        expect(_words(widget).nth(self.at)).to_be_checked()
        looks = [python._look(head) for head in range(NETWORKS)]
        expect(widget.locator(".look")).to_have_text(looks)
        expected = world.VOCABULARY[python.whole.argmax()]
        toward = world.VOCABULARY.index(self.toward or expected)
        parts = [*range(4), NETWORKS, *range(4, 8), NETWORKS + 1]
        added = [
            "left out" if part in self.off else signed(python.added[1 + k, toward])
            for k, part in enumerate(parts)
        ]
        expect(widget.locator(".adds")).to_have_text(added)
        expect(widget.locator(".flow + .note")).to_contain_text(
            f"“{world.VOCABULARY[toward]}” ({number(python.added[:, toward].sum())})."
        )
        read = [" ".join(python._read(stage)) for stage in range(5)]
        expect(widget.locator(".read")).to_have_text(read)
        rows = [
            f"{world.VOCABULARY[j]}{number(python.chances[j])}{number(python.whole[j])}"
            for j in python._listed()
        ]
        expect(_rows(widget)).to_have_text(rows)
        expect(widget.locator(".part.out")).to_have_count(len(self.off))


def _part(widget, part):
    return widget.get_by_role("checkbox", name=re.compile(f"^{PARTS[part]}"))


def _words(widget):
    return widget.get_by_role("radio")


def _rows(widget):
    return widget.locator(".chances").get_by_role("button")
