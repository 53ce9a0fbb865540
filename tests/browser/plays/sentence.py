"""How a person uses the page on which one types a sentence: loads the model, types, looks."""

from playwright.sync_api import expect

from attnlib import encoder
from course.site import rounding
from tests.browser.hand import click, keys
from tests.browser.plays.heads import CHOOSE, WORD, each, of_map

READ = "(sentence) => document.querySelector('.own-sentence').read?.sentence === sentence"
SHOWN = "(flow) => ['words', 'word', 'query'].map((name) => flow.shows.get(name))"
SECOND = "I saw a saw"
LAST = "We saw 😀!"


def by_mouse(page, widgets, model):
    """Load the model by its button, type, and choose a word and a head in the first picture."""
    place, reader = page.locator(".own-sentence"), Reader(model)
    expect(place.get_by_role("textbox")).to_be_disabled()
    place.get_by_role("button", name="Load the model").click()
    page.wait_for_function(READ, arg=rounding.FIRST)
    reader.judge(page, widgets, rounding.FIRST, layer=3, head=1, word=9)
    expect(place.get_by_role("textbox")).to_be_focused()
    place.get_by_role("textbox").fill(SECOND)
    page.wait_for_function(READ, arg=SECOND)
    reader.judge(page, widgets, SECOND, layer=3, head=1, word=4)
    heads = widgets.nth(0)
    click(page, each(heads, WORD, "radio").nth(2))
    click(page, of_map(heads, 12 * 2 + 7))
    page.mouse.move(0, 0)
    reader.judge(page, widgets, SECOND, layer=2, head=7, word=2)


def by_keys(page, widgets, model):
    """Type over what is there; then go on to the picture, and choose a head by its arrows."""
    place, reader = page.locator(".own-sentence"), Reader(model)
    field, status = place.get_by_role("textbox"), place.get_by_role("status")
    field.focus()
    keys(page, "ControlOrMeta+a", "Backspace")
    nothing = f"Nothing is typed. The pictures still show “{SECOND}”."
    expect(status).to_have_text(nothing)
    page.keyboard.type("a dog")
    page.wait_for_function(READ, arg="a dog")
    reader.judge(page, widgets, "a dog", layer=2, head=7, word=2)
    field.fill("so " * rounding.PLACES)
    n, most = rounding.PLACES + 2, rounding.PLACES
    expect(status).to_contain_text(f"A sentence may have {most} pieces")
    expect(status).to_contain_text(f"{n} > {most}")
    field.fill(LAST)
    page.wait_for_function(READ, arg=LAST)
    expect(status).to_contain_text("[UNK] stands where the model does not know a word: 1 of")
    reader.judge(page, widgets, LAST, layer=2, head=7, word=2)
    of_map(widgets.nth(0), 12 * 2 + 7).focus()
    keys(page, "ArrowDown", "ArrowLeft")
    reader.judge(page, widgets, LAST, layer=3, head=6, word=2)


class Reader:
    """The rounded model in NumPy, and what the page has to show of it."""

    def __init__(self, model):
        self.model = model

    def judge(self, page, widgets, sentence, *, layer, head, word):
        """Wait until both pictures show this sentence, from this word, in this head."""
        pieces = encoder.tokenize(sentence, self.model["vocabulary"])
        row = encoder.weights(self.model, pieces)[layer, head, word]
        name = f"In layer {layer}, head {head}"
        told = f"{name}, {pieces[word]} gives {pieces[row.argmax()]} {row.max():.2f} of its"
        heads, flow = widgets.nth(0), widgets.nth(1)
        expect(heads.locator(".story")).to_contain_text(told)
        expect(each(heads, CHOOSE, "gridcell").nth(12 * layer + head)).to_have_attribute(
            "aria-selected", "true"
        )
        words, at, query = flow.evaluate(SHOWN)
        assert (words, at) == (pieces, word)
        p = self.model["layers"][layer]
        into = encoder.states(self.model, pieces)[layer]
        of_head = (into @ p["w_query"] + p["b_query"])[:, 32 * head : 32 * head + 32]
        assert abs(of_head - query).max() < 1e-3
