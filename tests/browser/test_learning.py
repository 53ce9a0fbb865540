"""Learning in a page: any training, any sentence, what is drawn of it, and how it plays."""

import numpy as np
import pytest
from playwright.sync_api import expect

from attnlib.widgets import Learning
from tests.browser.plays.learning import Lesson, Place
from tests.browser.visit import one_widget
from tests.lessons import quickly
from tests.widgets.training import SENTENCES, STEPS, made_up

pytestmark = [pytest.mark.needs("chromium"), pytest.mark.full]

TAGGER, SPOKEN = "attention", SENTENCES[0]
COLUMN = """
(canvas, column) => {  // of each pixel in a column of the picture, how dark it is
  const { data } = canvas.getContext("2d").getImageData(column, 0, 1, canvas.height);
  return Array.from({ length: canvas.height }, (_, k) => 255 - data[4 * k]);
}
"""
WIDE_FONT = ":root { --widget-font: 'DejaVu Sans', Verdana }"  # Jupyter's, where it is the system's
HIDDEN = """
(host) => {  // what ends outside the widget, and does not scroll
  const edge = host.getBoundingClientRect().right + 1;
  const all = [...host.shadowRoot.querySelectorAll(".widget *")];
  return all.filter((part) => part.getBoundingClientRect().right > edge && !part.closest(".scroll"))
    .map((part) => part.outerHTML.slice(0, 80));
}
"""
CHANGES = """
(host) => [".story", ".votes .title"].reduce((times, part) => {
  const look = new MutationObserver(() => { times[part] = performance.now(); });
  const all = { subtree: true, childList: true, characterData: true };
  look.observe(host.shadowRoot.querySelector(part), all);
  return times;
}, {})
"""
LAST = "(times, part) => times[part]"


def shown(visit, folder, record, **inputs):
    """Open a page of one training; return the widget, and what it has to show."""
    one_widget(visit, folder, Learning(record, **inputs))
    return visit.widget(), Lesson(record)


def odd():
    """Return a record with wrong answers, one that looks at nothing, and one that looks ahead."""
    record = made_up()
    record[f"truth/{SPOKEN}"] = np.where(record[f"truth/{SPOKEN}"] < 0, -1, 1)
    weights = record[f"weights/word by word/{SPOKEN}"]
    weights[:, 0, 3] = 0
    weights[:, 1, 3] = 255 * np.eye(8)[7]
    return record


@pytest.mark.parametrize(
    ("model", "seed", "sentence", "word", "place"),
    quickly([(0, 0, 0, 7, 10), (1, 0, 0, 3, 1), (1, 0, 1, 1, 3), (0, 1, 0, 7, 0), (1, 2, 0, 3, 0),
             (0, 2, 1, 0, 4), (0, 0, 2, 5, 6)], takes=[], full=[0, 1, 2]),
)  # fmt: skip
def test_browser_and_python_say_the_same(chromium, tmp_path, model, seed, sentence, word, place):
    chosen = {"model": model, "seed": seed, "sentence": sentence, "word": word}
    with chromium.visit() as visit:
        widget, lesson = shown(visit, tmp_path, odd(), **chosen, step=STEPS[place])
        lesson.judge(widget, Place(**chosen, place=place))
        assert visit.errors == visit.outside == []


def test_the_picture_is_dark_where_the_word_looked(chromium, tmp_path):
    record = made_up()
    with chromium.visit(color_scheme="light") as visit:
        widget, _ = shown(visit, tmp_path, record)
        for column in range(len(STEPS)):
            weights = record[f"weights/{TAGGER}/{SPOKEN}"][0, column, 7]
            dark = widget.locator("canvas").evaluate(COLUMN, column)
            for j in range(8):
                for k in range(8):
                    assert weights[j] <= weights[k] or dark[j] >= dark[k]
        assert dark[4] > 200 > 20 > dark[0]


def test_playing_goes_on_after_a_step_by_hand_and_stops_at_the_end(chromium, tmp_path):
    with chromium.visit() as visit:
        clock = visit.page.clock
        clock.install()
        widget, _ = shown(visit, tmp_path, made_up(steps=range(0, 60, 2)), step=0)
        clock.pause_at("2100-01-01")  # from here time goes on as it is told to
        slider = widget.get_by_role("slider", name="step")
        widget.get_by_role("button", name="Play").click()
        clock.run_for(1000)
        expect(slider).not_to_have_attribute("aria-valuetext", "0")
        for _ in range(22):
            slider.press("ArrowRight")
        clock.run_for(100)
        expect(widget.get_by_role("button", name="Pause")).to_be_visible()
        clock.run_for(20_000)
        expect(slider).to_have_attribute("aria-valuetext", "58")
        expect(widget.get_by_role("button", name="Play")).to_be_visible()
        said = widget.locator("[role=status]").first
        expect(said).to_contain_text("At step 58, the second “saw” gives")


def test_reset_stops_what_plays(chromium, tmp_path):
    with chromium.visit() as visit:
        visit.page.clock.install()
        widget, _ = shown(visit, tmp_path, made_up(steps=range(0, 60, 2)), step=20)
        widget.get_by_role("button", name="Play").click()
        widget.get_by_role("button", name="Reset").click()
        visit.page.clock.run_for(600)
        slider = widget.get_by_role("slider", name="step")
        expect(slider).to_have_attribute("aria-valuetext", "20")
        expect(widget.get_by_role("button", name="Play")).to_be_visible()


@pytest.mark.parametrize("n", quickly([40, 1, 8, 14], takes=[], full=[0]))
def test_it_is_seen_on_one_screen_and_whole_on_a_phone(chromium, tmp_path, n):
    sentence = " ".join(["a", *["um"] * (n - 2), *["saw"] * (n > 1)])
    with chromium.visit(viewport={"width": 1280, "height": 900}) as visit:
        widget, _ = shown(visit, tmp_path, made_up([sentence], STEPS, 1), step=20)
        assert widget.bounding_box()["height"] <= 900
        visit.page.add_style_tag(content=WIDE_FONT)
        for width in (1280, 776, 360):
            visit.page.set_viewport_size({"width": width, "height": 900})
            visit.page.wait_for_function(
                f"() => !({HIDDEN})(document.querySelector('.attnlib-live')).length"
            )
            visit.fits(width)
        assert visit.errors == []


def test_what_is_folded_is_drawn_once_the_hand_rests_and_else_at_once(chromium, tmp_path):
    with chromium.visit() as visit:
        widget, _ = shown(visit, tmp_path, made_up(), step=STEPS[0])
        changes = widget.evaluate_handle(CHANGES)
        slider = widget.get_by_role("slider", name="step")
        for place, is_late in ((1, True), (2, False)):
            slider.press("ArrowRight")
            for part in (".story", ".votes .title"):
                expect(widget.locator(part)).to_contain_text(f"At step {STEPS[place]},")
            told, title = (changes.evaluate(LAST, part) for part in (".story", ".votes .title"))
            assert (title - told > 300) == is_late
            if is_late:
                widget.locator("summary").click()
                expect(widget.locator("details")).to_have_attribute("open", "")
        assert visit.errors == visit.outside == []
