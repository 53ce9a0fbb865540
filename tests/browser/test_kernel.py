"""What passes between widgets and Python in JupyterLab: numbers, and the reader's functions."""

import re

import numpy as np
import pytest
from playwright.sync_api import expect

from attnlib import attention, softmax
from tests.browser.visit import JupyterLab

pytestmark = [pytest.mark.needs("chromium"), pytest.mark.full]

START = """
import time
import numpy as np
from attnlib import widgets

words = ["the", "cat", "sat"]
query, key, value = np.random.default_rng(0).normal(size=(3, 3, 2)).round(1)


def half(scores):  # not a softmax: a picture that follows it cannot come from attnlib
    return np.full(len(scores), 0.5)


def broken(scores):
    return 1 / 0


def stub(scores):
    ...


def short(scores):
    return scores[:1]


def slow(scores):
    time.sleep(1)
    return scores * 0 + scores[0] / 100

def reads(sentence):
    words = sentence.split()
    return np.full((2, len(words), len(words)), 1 / len(words)), words


def cold(query, key, value, mask=None):
    scores = 5 * query @ key.T
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True) @ value
"""
CELLS = [
    *(
        f"widgets.Softmax([2, 1, 0, -1], softmax={own})"
        for own in ("half", "broken", "stub", "short", "slow")
    ),
    "widgets.SelfAttention(query, key, value, words=words, step='mix', attention=cold)",
    "widgets.Mask(query, key, value, words=words, attention=cold)",
    "widgets.Mask(query, key, value, words=words, attention=lambda *given: None)",
    "plain = widgets.Softmax([2, 1, 0, -1]); plain",
    "grown = widgets.SelfAttention(query, key, value, words=words, step='mix'); grown",
    """
from ipywidgets import FloatSlider, jslink
slider, tied = FloatSlider(1, min=1, max=8), widgets.Softmax([2, 1, 0, -1])
jslink((slider, "value"), (tied, "temperature"))
display(slider)
tied
""",
    """
from ipywidgets import HTML, HBox, VBox
inner = HBox([VBox([widgets.Softmax([2, 1, 0, -1])]), widgets.Scaling()])
HBox([widgets.DotProduct(), VBox([inner, HTML("beside")])])
""",
    """
from ipywidgets import link
one, other = widgets.Softmax([2, 1]), widgets.Softmax([0, 0], layout={"width": "400px"})
third = widgets.Softmax([0, 0])
link((one, "scores"), (other, "scores"))
jslink((other, "scores"), (third, "scores"))
HBox([one, other, third])
""",
    "widgets.Heads(sentence='I saw a saw', encoder=reads, word=3)",
    "widgets.Block('the cat finds'.split(), 'trained', block=lambda x, *_: x * np.nan)",
    "widgets.Tiles([1, 3], [[1], [2]], size=1, online_softmax_step=lambda *_: (3, 0.5, [[1.5]]))",
]
HALF, BROKEN, STUB, SHORT, SLOW, COLD, COLD_MASK, NOTHING, PLAIN, GROWN, TIED, BOXED = range(12)
LINKED = BOXED + 3  # three of them stand in the boxes before
TYPED = LINKED + 3
BLOCK = TYPED + 1
TILES = BLOCK + 1
GROW = """
    try:
        grown.word = 99
    except ValueError as error:
        print(error)
    with grown.hold_trait_notifications():
        grown.query, grown.key, grown.value = np.ones((3, 4, 2))
        grown.words = [*words, "down"]
"""
NEXT = "print('score', plain.scores[0], 'weights', plain.weights.round(3)); plain.temperature = 100"


@pytest.fixture(scope="module")
def visit(chromium, jupyter):
    lab = jupyter(JupyterLab)
    lab.add("plugins", [START, *CELLS, f"if plain.scores[0] != 2:\n    {NEXT}{GROW}"])
    with chromium.visit() as visit:
        lab.open(visit, "plugins", len(CELLS) + 4)  # three of them stand in one cell, twice
        yield visit
        assert visit.errors == []
        assert visit.outside == []
    lab.leave()


def weights(widget):
    return widget.locator(".weight")


def shows(widget, scores, **options):
    """Wait until the weights are those that attnlib gives these scores."""
    expect(weights(widget)).to_have_text([f"{w:.2f}" for w in softmax(scores, **options)])


def drag_to_end(visit, nth, key="key 0"):
    widget = visit.widget(nth)
    slider = widget.get_by_label(f"score of {key}")
    slider.focus()
    visit.page.keyboard.press("End")
    expect(slider).to_have_attribute("aria-valuetext", "5.0")
    return widget


def test_the_hands_changes_are_pythons_and_pythons_are_shown(visit):
    widget = drag_to_end(visit, PLAIN)
    cell = visit.page.locator(".jp-Notebook .jp-CodeCell").last
    cell.locator(".cm-content").click()
    visit.page.keyboard.press("Control+Enter")
    expect(cell).to_contain_text(f"score 5.0 weights {softmax([5, 1, 0, -1]).round(3)}")
    shows(widget, [5, 1, 0, -1], temperature=100)
    # What Python refuses harms nothing, and a sentence may grow under the widget.
    expect(cell).to_contain_text("99 > 2")
    expect(visit.widget(GROWN)).to_contain_text("down")
    expect(visit.widget(GROWN)).to_contain_text("0.25")


def test_a_softmax_of_ones_own_drives_the_picture(visit):
    widget = drag_to_end(visit, HALF)
    expect(weights(widget)).to_have_text(["0.50"] * 4)
    expect(widget).to_contain_text("your own function")
    expect(widget.locator(".sum")).to_have_text("2.00")  # the sum, which is wrong, is told


@pytest.mark.parametrize(
    ("nth", "words"),
    [
        (BROKEN, "broken raised ZeroDivisionError: division by zero"),
        (STUB, "stub returns None: its body is still to be written"),
        (SHORT, "short returns an array of another shape: (1,) came back, (4,) was wanted."),
    ],
)
def test_a_function_that_fails_is_explained_and_the_widget_lives(visit, nth, words):
    widget = visit.widget(nth)
    expect(widget).to_contain_text(words)
    widget = drag_to_end(visit, nth)
    shows(widget, [5, 1, 0, -1])  # attnlib's weights, in its stead
    expect(widget).to_contain_text(words)


def test_of_many_questions_the_latest_is_answered_and_no_queue_grows(visit):
    widget = visit.widget(SLOW)
    widget.get_by_label("score of key 0").focus()
    visit.page.keyboard.press("Home")
    for _ in range(60):  # a second each, were they answered one by one
        visit.page.keyboard.press("ArrowRight")
    expect(weights(widget)).to_have_text(["0.01"] * 4)


def test_a_slider_that_jslink_ties_moves_the_picture(visit):
    widget = visit.widget(TIED)
    visit.page.locator(".widget-slider .noUi-handle").press("End")
    shows(widget, [2, 1, 0, -1], temperature=8)


def test_an_attention_of_ones_own_drives_self_attention(visit):
    query, key, value = np.random.default_rng(0).normal(size=(3, 3, 2)).round(1)
    widget = visit.widget(COLD)
    words = widget.get_by_role("group", name="the word that asks").get_by_role("radio")
    for word, output in enumerate(attention(query, key, value, scale=5.0)):
        words.nth(word).check(force=True)
        for number in output:
            expect(widget).to_contain_text(f"{number:.2f}".replace("-", "−"))


def test_an_attention_of_ones_own_drives_the_mask(visit):
    query, key, _ = np.random.default_rng(0).normal(size=(3, 3, 2)).round(1)
    widget = visit.widget(COLD_MASK)
    widget.get_by_role("button", name="all", exact=True).click()
    for number in softmax(5 * query @ key.T).ravel():
        expect(widget).to_contain_text(f"{number:.2f}")
    expect(visit.widget(NOTHING)).to_contain_text("returns None")


# A row of two breaks where each would have less than 22 rem; a widget is never wider than 60.
ROOM = {300: 3 * [300], 390: 3 * [390], 700: 3 * [700], 1000: 3 * [500], 1600: [800, 400, 400]}


@pytest.mark.parametrize("width", ROOM)
def test_in_boxes_within_boxes_each_widget_has_its_room(visit, width):
    boxed = [visit.widget(BOXED + nth).element_handle() for nth in range(3)]
    boxed[0].evaluate(
        "(one, width) => one.closest('.jp-OutputArea-output').style.cssText ="
        " `flex: none; width: ${width}px`",
        width,
    )
    room = "(all) => all.map((one) => Math.round(one.getBoundingClientRect().width))"
    assert visit.page.evaluate(room, boxed) == ROOM[width]


def test_a_layout_is_obeyed(visit):
    assert visit.widget(LINKED + 1).bounding_box()["width"] == 400


def test_arrays_that_are_linked_follow_each_other(visit):
    for moved, key, shown in ((0, "End", "5.0"), (2, "Home", "−5.0")):
        visit.widget(LINKED + moved).get_by_label("score of key 1").focus()
        visit.page.keyboard.press(key)
        for nth in range(3):
            slider = visit.widget(LINKED + nth).get_by_label("score of key 1")
            expect(slider).to_have_attribute("aria-valuetext", shown)


def test_a_sentence_that_is_typed_is_read_by_ones_own_encoder(visit):
    widget = visit.widget(TYPED)
    field = widget.get_by_label("sentence", exact=True)
    words = widget.get_by_role("group", name="word that asks").get_by_role("radio")
    expect(field).to_have_value("I saw a saw")
    expect(words).to_have_count(4)
    field.fill("it ran")
    expect(words).to_have_count(2)
    expect(words.nth(1)).to_be_checked()  # the last, since there is no fourth
    expect(widget).to_contain_text("reads made 2 pieces of it.")
    field.fill("")
    expect(widget).to_contain_text("a sentence of 1 to 400 letters, and this one has 0.")
    expect(words).to_have_count(2)
    widget.get_by_role("button", name="Reset").click()
    expect(field).to_have_value("I saw a saw")
    expect(words).to_have_count(4)
    expect(words.nth(3)).to_be_checked()
    expect(widget).to_contain_text("reads made 4 pieces of it.")


def test_no_part_is_blamed_for_what_is_wrong_in_a_block_of_ones_own(visit):
    widget = visit.widget(BLOCK)
    expect(widget.locator(".verdict")).to_contain_text("has nan; with attnlib's")
    story = widget.locator(".story")
    expect(story).to_contain_text("With all its parts, after “finds” the model expects")
    widget.get_by_role("checkbox", name=re.compile("^the network of block 2")).click()
    expect(story).to_contain_text("Without the network of block 2")
    expect(story).not_to_contain_text(re.compile("nan|undefined"))


def test_a_step_of_ones_own_stands_below_the_right_numbers(visit):
    widget = visit.widget(TILES)
    own = widget.locator("tr", has_text="function handed in")
    expect(own).to_have_text("function handed in−inf0.000.00")
    widget.get_by_role("button", name="read a block").click()
    expect(own).to_have_text("function handed in3.000.501.50")
    told = "After block 1 your function has 3.000 for top, and 1.000 is right."
    expect(widget.locator(".verdict")).to_have_text(told)


def test_after_a_restart_of_the_kernel_a_plugged_widget_says_what_is_true(visit):
    """The last one here: afterwards nobody answers."""
    visit.page.get_by_role("menuitem", name="Kernel", exact=True).click()
    visit.page.locator('[data-command="kernelmenu:restart"]').click()
    visit.page.get_by_role("button", name="Confirm Kernel Restart").click()
    widget = visit.widget(HALF)
    expect(widget).to_contain_text("The kernel that ran half has ended: run this cell again.")
    widget = drag_to_end(visit, HALF)
    shows(widget, [5, 1, 0, -1])  # attnlib's weights, in its stead
    expect(visit.widget(TYPED).get_by_label("sentence", exact=True)).to_be_disabled()
