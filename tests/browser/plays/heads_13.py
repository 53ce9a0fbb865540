"""How a person uses Heads in lesson 13: all layers of a real model, and one sentence."""

from playwright.sync_api import expect

from tests.browser.hand import click, keys, spot, tap, unfold
from tests.browser.many import all_have
from tests.browser.plays.heads import TURN, WORD, button, each, of_map, one, part
from tests.widgets.goals import recorded_widgets, revived

LESSON = "13_a_real_model"
N_HEADS = 12


def by_mouse(page, widget):
    """Choose another head in another layer, another word, and turn a head off."""
    unfold(widget)
    lesson = Lesson()
    lesson.judge(widget)
    click(page, of_map(widget, 2 * N_HEADS + 5))
    page.mouse.move(*spot(button(widget, "all on")))  # away from words and heads
    lesson.judge(widget, layer=2, head=5)
    click(page, one(widget, WORD, lesson.place("animal")))
    page.mouse.move(*spot(button(widget, "all on")))
    lesson.judge(widget, layer=2, head=5, word=lesson.place("animal"))
    click(page, part(widget, 7))
    page.mouse.move(*spot(button(widget, "all on")))
    lesson.judge(widget, layer=2, head=5, word=lesson.place("animal"), off=[7])
    click(page, button(widget, "all on"))


def by_keys(page, widget):
    """Go from map to map and from word to word with the arrow keys."""
    lesson = Lesson()
    animal = lesson.place("animal")
    of_map(widget, 2 * N_HEADS + 5).focus()
    keys(page, "ArrowDown")
    lesson.judge(widget, layer=3, head=5, word=animal)
    keys(page, "ArrowRight")
    lesson.judge(widget, layer=3, head=6, word=animal)
    one(widget, WORD, animal).focus()
    keys(page, "ArrowRight")
    lesson.judge(widget, layer=3, head=6, word=animal + 1)


def by_touch(page, widget):
    """Tap on a word, on a map and on a switch."""
    lesson = Lesson()
    tap(page, one(widget, WORD, lesson.place("it")))
    tap(page, of_map(widget, 3 * N_HEADS + 1))
    lesson.judge(widget)
    tap(page, part(widget, 0))
    lesson.judge(widget, off=[0])


class Lesson:
    """The widget of the committed lesson, which says in Python what the page has to show."""

    def __init__(self):
        self.widget = revived(recorded_widgets(LESSON)[0])

    def place(self, word):
        """Return where a word stands."""
        return self.widget.words.index(word)

    def judge(self, widget, *, layer=3, head=1, word=None, off=()):
        """Wait until all that the widget says is right."""
        self.widget.layer, self.widget.head, self.widget.off = layer, head, list(off)
        self.widget.word = self.place("it") if word is None else word
        expect(one(widget, WORD, self.widget.word)).to_be_checked()
        expect(widget.locator(".story")).to_have_text(said(self.widget._story()))
        expect(widget.locator(".loss")).to_have_text(said(self.widget._loss()))
        on = ["false" if h in off else "true" for h in range(N_HEADS)]
        all_have(each(widget, TURN, "button"), "aria-pressed", on)


def said(parts):
    """Put together what a widget says, its words without quotation marks."""
    return "".join(part[0] if isinstance(part, tuple) else part for part in parts)
