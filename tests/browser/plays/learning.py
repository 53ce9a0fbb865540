"""How a person uses lesson 10's training, whatever it opens on: choose, slide, play, look."""

import re
from dataclasses import dataclass, replace

import numpy as np
from playwright.sync_api import expect

from attnlib import text
from attnlib.pictures.paper import number
from attnlib.widgets import Learning
from attnlib.widgets._base import headings
from tests.browser.hand import keys, spot, tab, unfold


def by_mouse(page, widget):
    """Choose a model, a seed and a sentence; press and drag in the picture; choose words; play."""
    lesson, at = _begin(widget, lambda it: it.click())
    _radio(widget, "seed", 1).click()
    at = replace(at, seed=1)
    lesson.judge(widget, at)

    _, height = spot(widget.locator(".course svg"), down=0.3)
    ends = [spot(_tick(widget, step))[0] for step in (lesson.steps[0], lesson.steps[-1])]
    middle = len(lesson.steps) // 2
    page.mouse.move(ends[0], height)
    page.mouse.down()
    lesson.judge(widget, replace(at, place=0))
    page.mouse.move(ends[0] + (ends[1] - ends[0]) * middle / (len(lesson.steps) - 1), height,
                    steps=5)  # fmt: skip
    at = replace(at, place=middle)
    lesson.judge(widget, at)
    page.mouse.up()
    page.mouse.move(ends[1], height)  # no button is down any more
    lesson.judge(widget, at)
    assert page.evaluate("String(getSelection())") == ""

    for word in range(len(lesson.words(at))):
        _word(widget, word).click()
        lesson.judge(widget, replace(at, word=word))
    _play_to_the_end(widget, lesson, replace(at, word=word), lambda it: it.click())


def by_keys(page, widget):
    """Reach everything by Tab, arrows, Home, End, Space and Enter alone."""

    def press(it):
        it.focus()
        keys(page, "Space")

    lesson, at = _begin(widget, press)
    _radio(widget, "model", at.model).focus()
    keys(page, "ArrowLeft")
    at = replace(at, model=at.model - 1)
    lesson.judge(widget, at)
    keys(page, "Tab", "ArrowRight")
    at = replace(at, seed=at.seed + 1)
    lesson.judge(widget, at)
    tab(page, widget.get_by_label("sentence", exact=True))
    widget.get_by_role("button", name="Play").focus()
    tab(page, _slider(widget), _word(widget, at.word))
    keys(page, "ArrowUp")
    at = replace(at, word=at.word - 1)
    lesson.judge(widget, at)
    tab(page, widget.locator("summary"))
    _slider(widget).focus()
    for key, place in (("Home", 0), ("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1),
                       ("End", len(lesson.steps) - 1)):  # fmt: skip
        keys(page, key)
        lesson.judge(widget, replace(at, place=place))
    keys(page, "Shift+Tab")
    _play_to_the_end(widget, lesson, replace(at, place=place), lambda it: keys(page, "Enter"))


def by_touch(page, widget):
    """Tap choices, words, the picture and *Play*."""

    lesson, at = _begin(widget, lambda it: it.tap())
    _radio(widget, "seed", len(lesson.seeds) - 1).tap()
    _word(widget, 0).tap()
    at = replace(at, seed=len(lesson.seeds) - 1, word=0)
    lesson.judge(widget, at)
    _, height = spot(widget.locator(".course svg"), down=0.3)
    page.touchscreen.tap(spot(_tick(widget, lesson.steps[-1]))[0], height)
    at = replace(at, place=len(lesson.steps) - 1)
    lesson.judge(widget, at)
    _play_to_the_end(widget, lesson, at, lambda it: it.tap())


@dataclass(frozen=True)
class Place:
    """What is chosen; `place` is that of the step."""

    model: int
    seed: int
    sentence: int
    word: int
    place: int


class Lesson:
    """The recorded training, and what the widget has to show of it."""

    def __init__(self, record=None):
        self.record = text.trainings() if record is None else record
        self.steps = self.record["steps"].tolist()
        self.models, self.sentences = (self.record[x].tolist() for x in ("models", "sentences"))
        self.seeds = range(len(self.record[f"loss/{self.models[0]}"]))

    def words(self, at):
        """Return the words of the chosen sentence."""
        return self.sentences[at.sentence].split()

    def judge(self, widget, at):
        """Wait until all that the widget says is right."""
        name, sentence = self.models[at.model], self.sentences[at.sentence]
        step, words = self.steps[at.place], self.words(at)
        unfold(widget)
        expect(_slider(widget)).to_have_attribute("aria-valuetext", str(step))
        chosen = {"model": at.model, "seed": at.seed, "sentence": at.sentence, "word": at.word}
        parts = Learning(self.record, **chosen, step=step)._told()
        told = "".join(part if isinstance(part, str) else part[0] for part in parts)
        expect(widget.locator(".story")).to_have_text(told)
        weights = self.record[f"weights/{name}/{sentence}"][at.seed, at.place] / 255
        keys = widget.get_by_role("list", name=f"weights of {headings(words)[at.word]}, by key")
        row = [number(x) for x in weights[at.word]]
        expect(keys.locator(".number")).to_have_text(row)
        expect(keys.locator("bdi")).to_have_text(words)
        votes = np.rint(255 * self.record[f"votes/{name}/{sentence}"][at.seed, at.place]) / 255
        voted = [word + _voted(vote) for word, vote in zip(words, votes, strict=True)]
        listed = widget.get_by_role("list", name="what each word votes for")
        expect(listed.locator("li")).to_have_text(voted)
        cells = [number(x) if x else "" for x in weights.ravel()]
        table = widget.get_by_role("region", name="weights: rows are queries")
        expect(table.locator("td")).to_have_text(cells)
        answers = widget.get_by_role("list", name="what each ambiguous word is taken for")
        expect(answers.locator("li")).to_have_text(self._answers(name, sentence, at))
        loss, accuracy = (
            self.record[f"{x}/{name}"][at.seed, at.place] for x in ("loss", "accuracy")
        )
        expect(widget.locator(".curves svg")).to_have_attribute(
            "aria-label",
            re.compile(
                f"At step {step}: loss {number(np.round(loss, 5))}, accuracy on unseen sentences "
                f"{number(np.round(accuracy, 5), 3)}"
            ),
        )

    def _answers(self, name, sentence, at):
        words, truth = sentence.split(), self.record[f"truth/{sentence}"]
        verb = np.rint(5e4 * self.record[f"verb/{name}/{sentence}"][at.seed, at.place]) / 5e4
        said = []
        for i in np.flatnonzero(truth >= 0):
            right = (verb[i] > 0.5) == truth[i] and verb[i] != 0.5
            answer = "verb" if verb[i] > 0.5 else "noun" if verb[i] < 0.5 else "none"
            sure = number(max(verb[i], 1 - verb[i]))
            mark = "✓right" if right else "✗wrong"
            said.append(f"{words[i]}, word {i}: is taken for {answer} {sure}{mark}")
        return said


def _voted(verb):
    what = "verb" if verb > 0.5 else "noun" if verb < 0.5 else "neither"
    return f"votes {what} {number(max(verb, 1 - verb))}"


def _begin(widget, press):
    """Choose the last model, the first seed, and a sentence of two ambiguous words; its end."""
    lesson = Lesson()
    unfold(widget, press)
    several = [(lesson.record[f"truth/{one}"] >= 0).sum() > 1 for one in lesson.sentences]
    sentence = several.index(True)
    other = (sentence + 1) % len(lesson.sentences)
    for place in (other, sentence):  # so that it changes, and with it the word
        widget.get_by_label("sentence", exact=True).select_option(lesson.sentences[place])
    last = int(np.flatnonzero(lesson.record[f"truth/{lesson.sentences[sentence]}"] >= 0)[-1])
    expect(_word(widget, last)).to_be_checked()
    press(_radio(widget, "model", len(lesson.models) - 1))
    press(_radio(widget, "seed", 0))
    _slider(widget).press("End")
    at = Place(len(lesson.models) - 1, 0, sentence, last, len(lesson.steps) - 1)
    lesson.judge(widget, at)
    return lesson, at


def _play_to_the_end(widget, lesson, at, press):
    """Play from shortly before the end; play again, which starts over, and stop on the way."""
    button = widget.get_by_role("button", name=re.compile("^(Play|Pause)$"))
    for _ in range(2):
        for key in ("End", "ArrowLeft", "ArrowLeft"):
            _slider(widget).press(key)
    button.focus()
    press(button)
    lesson.judge(widget, replace(at, place=len(lesson.steps) - 1))
    expect(button).to_have_accessible_name("Play")
    press(button)
    expect(button).to_have_accessible_name("Pause")
    press(button)
    expect(button).to_have_accessible_name("Play")
    widget.evaluate("() => new Promise(requestAnimationFrame)")  # what fell due before is drawn
    stopped = lesson.steps.index(int(_slider(widget).get_attribute("aria-valuetext")))
    assert stopped < len(lesson.steps) - 1
    lesson.judge(widget, replace(at, place=stopped))


def _radio(widget, group, nth):
    return widget.get_by_role("group", name=group, exact=True).get_by_role("radio").nth(nth)


def _word(widget, nth):
    return _radio(widget, "word that looks (query)", nth)


def _slider(widget):
    return widget.get_by_role("slider", name="step", exact=True)


def _tick(widget, step):
    """Return a step's number below the picture."""
    return widget.locator(".course svg text.soft").get_by_text(str(step), exact=True).last
