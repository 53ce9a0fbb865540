"""How a person uses Writer: let it write, by chance; write oneself; take words back, and parts."""

import numpy as np
from playwright.sync_api import expect

from attnlib import world
from attnlib.pictures.paper import number
from attnlib.widgets import Writer
from attnlib.widgets._models import MOST_WORDS, PARTS
from attnlib.widgets.scaling import uniform
from tests.browser.hand import keys, tab, unfold

N_HEADS = 8  # of both layers, a row each


def by_mouse(page, widget):
    """Click everything; look at a head that the pointer is on; write until the story is full."""
    lesson = Lesson(widget, lambda it: it.click())
    lesson.goes_through(page)
    for head in (0, 7):
        _switch(widget, head).hover()
        expect(widget.locator(".tale + .note")).to_have_text(
            f"Coloured: where {PARTS[head]} looks."
        )
    page.mouse.move(0, 0)
    lesson.shows()
    while len(lesson.words) < MOST_WORDS:
        lesson.lets_it_write("Finish the sentence")
    expect(widget.get_by_text("48 words: the story is full")).to_be_visible()
    expect(widget.locator(".missing")).to_contain_text("take words back")
    for name in ("Write a word", "Finish the sentence"):
        expect(_button(widget, name)).to_have_attribute("aria-disabled", "true")
        _button(widget, name).click(force=True)  # it says that it is of no use, and is of none
    _rows(widget).first.click(force=True)
    lesson.shows()
    for _ in range(3):
        lesson.takes_back()


def by_keys(page, widget):
    """Reach everything by Tab, and press with Enter and Space."""

    def press(it):
        it.focus()
        page.keyboard.press("Enter" if it.evaluate("it => it.tagName") == "BUTTON" else "Space")

    lesson = Lesson(widget, press)
    lesson.goes_through(page)
    _button(widget, "Write a word").focus()
    tab(page, _button(widget, "Finish the sentence"), _button(widget, "Take a word back"))
    tab(page, _slider(widget), *_rows(widget).all(), *_others(widget).all())
    tab(page, widget.locator("summary"))
    tab(page, *(_switch(widget, part) for part in range(N_HEADS)), _model(widget, lesson.model))
    keys(page, "ArrowRight")
    lesson.model = (lesson.model + 1) % len(lesson.names)
    lesson.shows()
    tab(page, _switch(widget, N_HEADS))


def by_touch(page, widget):
    """Tap everything."""
    Lesson(widget, lambda it: it.tap()).goes_through(page)


class Lesson:
    """A story as it should be, and how a hand presses what it sees."""

    def __init__(self, widget, press):
        self.widget, self.press = widget, press
        unfold(widget, press)
        self.names = _models(widget).evaluate_all(
            "all => all.map(one => one.parentElement.innerText)"
        )
        self.model = next(k for k in range(len(self.names)) if _model(widget, k).is_checked())
        self.off = [k for k in range(len(PARTS)) if not _switch(widget, k).is_checked()]
        self.words, self.temperature = _written(widget), 1.0
        self.drawn = widget.evaluate("host => host.shows.get('drawn')")
        self.twin = Writer(["the"], self.names)  # one for all: to read its models takes a while
        self.shows()

    def goes_through(self, page):
        """Use each control once or twice; all that is said stays right."""
        for part in tuple(self.off):  # without some of them it might never end a sentence
            self.turns(part)
        while len(self.words) > 24:
            self.takes_back()
        self.chooses_model(0)
        for key, temperature in (("Home", 0.1), ("End", 10.0)):
            self.heats(key, temperature)
            self.lets_it_write("Write a word")
            self.takes_back()
        _slider(self.widget).fill("0")
        self.temperature = 1.0
        self.lets_it_write("Write a word")
        self.lets_it_write("Finish the sentence")
        self.takes_back()
        self.writes(_rows(self.widget).nth(1))
        self.writes(_others(self.widget).first)
        self.takes_back()
        for part in (7, 9, 7, 10):
            self.turns(part)
        self.lets_it_write("Write a word")
        for model in (len(self.names) - 1, 1):
            self.chooses_model(model)
        self.lets_it_write("Finish the sentence")

    def writes(self, button):
        """Press a word, which is then the story's last one."""
        word = button.locator("span").first if button.locator("span").count() else button
        self.words.append(word.inner_text())
        self.press(button)
        self.shows()

    def lets_it_write(self, name):
        """Let the model write; what it writes is its own, and has a chance."""
        before = self.words
        self.press(_button(self.widget, name))
        expect(self.widget.locator(".tale > span:not(.next)")).not_to_have_count(len(before))
        self.words = _written(self.widget)
        new = self.words[len(before) :]
        assert self.words[: len(before)] == before
        assert len(new) == 1 or "." not in new[:-1]
        if name == "Finish the sentence":
            assert new[-1] == "." or len(self.words) == MOST_WORDS
        for k, word in enumerate(new):
            u = uniform(np.array(self.drawn + 1), 0)  # each draw is another, whatever the story is
            ends = self.python([*before, *new[:k]]).chances.cumsum()
            assert word == world.VOCABULARY[int((ends <= u).sum())]
            self.drawn += 1
        first = self.drawn - len(new) + 1
        said = f"Draw {first} of seed 0" if len(new) == 1 else f"Draws {first} to {self.drawn} of"
        expect(self.widget.locator(".draw .note")).to_contain_text(said)
        self.shows()

    def heats(self, key, temperature):
        """Press a key on the slider of the temperature; the chances follow."""
        self.temperature = temperature
        _slider(self.widget).press(key)
        self.shows()

    def takes_back(self):
        """Take the last word back."""
        self.words = self.words[:-1]
        self.press(_button(self.widget, "Take a word back"))
        self.shows()

    def turns(self, part):
        """Take a part out, or put it back."""
        self.off = sorted({*self.off} ^ {part})
        self.press(_switch(self.widget, part))
        self.shows()

    def chooses_model(self, model):
        """Choose another model."""
        self.model = model
        self.press(_model(self.widget, model))
        self.shows()

    def python(self, words):
        """Return what Python makes of the story."""
        self.twin.set(words=words, model=self.model, off=self.off, temperature=self.temperature)
        return self.twin

    def shows(self):
        """Expect the story, the sentence and all numbers to be those that Python computes."""
        widget, python = self.widget, self.python(self.words)
        expect(widget.locator(".story")).to_have_text(python._told())
        assert _written(widget) == self.words
        astray = len(self.words) - python.n_possible
        expect(widget.locator(".tale .astray")).to_have_count(astray)
        expect(widget.locator(".tale s")).to_have_count(min(astray, 1))
        rows = [f"{world.VOCABULARY[j]}{number(python.chances[j])}{python._of_world(j)}"
                for j in python._listed()]  # fmt: skip
        expect(_rows(widget)).to_have_text(rows)
        heads = [python._look(k).replace(" (taken out)", "") for k in range(N_HEADS)]
        told = [f"{name}{look.split()[-1]}{' '.join(look.split()[:-1])}"
                for name, look in (head.split(": ") for head in heads)]  # fmt: skip
        expect(widget.locator(".looks label")).to_have_text(told)


def _written(widget):
    """Return the story that stands there."""
    told = widget.locator(".tale > span:not(.next)").all_inner_texts()
    return [word.split()[0] for word in told]


def _button(widget, name):
    return widget.get_by_role("button", name=name, exact=True)


def _rows(widget):
    return widget.get_by_role("list", name="next words: write one").get_by_role("button")


def _others(widget):
    return widget.get_by_role("group", name="other words").get_by_role("button")


def _slider(widget):
    return widget.get_by_role("slider", name="temperature")


def _switch(widget, part):
    return widget.get_by_role("checkbox").nth(part)


def _model(widget, nth):
    return _models(widget).nth(nth)


def _models(widget):
    return widget.get_by_role("group", name="model", exact=True).get_by_role("radio")
