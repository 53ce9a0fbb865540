"""What every engine is asked of decks: all fits, keys turn pages, what is dragged stays in hand."""

import pytest

from course.slides.browser import MEASURE
from tests.browser.plays import dot_product
from tests.browser.speaker import CLICK, FULLSCREEN, PLACES, PRESSED, TO_POLL
from tests.lessons import DECKS

WALKED = [name for name in DECKS if name[:2] in ("01", "04", "06", "08")]
STEPS = """  // of each slide, how many keys it takes until all of it is seen
return Reveal.getSlides().map((slide) =>
  new Set([...slide.querySelectorAll(".fragment")].map((part) => part.dataset.fragmentIndex)).size
);
"""
AT = """  // a slide, with as much of it as appears by the given step, and no more
(h, f) => {
  const at = Reveal.getIndices();
  const later = [...Reveal.getCurrentSlide().querySelectorAll(".fragment")];
  return at.h === h && (at.f ?? -1) === f && later.every((part) =>
    (getComputedStyle(part).visibility === "visible") === part.dataset.fragmentIndex <= f);
}
"""
TO_WIDGET = """
const slides = Reveal.getSlides();
Reveal.slide(slides.findIndex((slide) => slide.querySelector(".attnlib-live")), 0, Infinity);
for (let frame = 0; frame < 3; frame += 1) await new Promise(requestAnimationFrame);
"""
WIDGET = "const widget = Reveal.getCurrentSlide().querySelector('.attnlib-live').shadowRoot;"
BOX = """
const { x, y, width, height } = widget.querySelector(arguments[0]).getBoundingClientRect();
return { x, y, width, height };
"""
SAYS = """(selector, attribute, words) => {
  const found = widget.querySelector(selector);
  return (attribute ? found.getAttribute(attribute) : found.textContent) === words;
}"""
WHOLE = """() => {  // the speaker's window, with its notes and its frames
  const notes = document.querySelector(".speaker-controls-notes .value");
  return notes?.textContent && document.querySelector("iframe") && frames.length === 2;
}"""
CORNER = f"""
const {{ x, y }} = document.querySelector(arguments[0]).getBoundingClientRect();
return [x + {CLICK[0]}, y + {CLICK[1]}];
"""
# An engine may let the hall fill its screen for a key of its own alone; then the hall says so.
TOLD = {FULLSCREEN: f"{FULLSCREEN} || document.querySelector('.told').textContent"}


class InDecks:
    """Tests of decks, for an engine's own file."""

    @pytest.mark.parametrize("lesson", DECKS)
    def test_every_slide_fits(self, deck, lesson):
        window = deck(lesson)
        assert window.run(f"return ({MEASURE})()")["found"] == []
        assert window.heard() == []

    @pytest.mark.parametrize("lesson", WALKED)
    def test_keys_lead_through_all_slides_and_back(self, deck, lesson):
        window = deck(lesson)
        steps = window.run(STEPS)
        assert sum(steps) > 0  # something appears later
        places = [(h, f) for h, n in enumerate(steps) for f in range(-1, n)]
        window.until(AT, *places[0])
        for place in places[1:]:
            window.press("ArrowRight")
            window.until(AT, *place)
        for place in reversed(places[:-1]):
            window.press("PageUp")  # as a clicker sends
            window.until(AT, *place)
        assert window.heard() == []

    def test_keys_pressed_in_the_speakers_window_are_pressed_in_the_hall(self, deck):
        window = deck("08_positional_encoding")
        window.press("s")
        for place in PLACES:
            with window.beside():
                window.until(WHOLE)
                window.click(*window.run(CORNER, place))
            for begin, table in PRESSED.items():
                window.run(f"await ({begin})()")
                for keys, done in table.items():
                    with window.beside():
                        window.press(*keys.split())
                    window.until(f"() => {TOLD.get(done, done)}")
        window.run(f"await ({TO_POLL})()")  # not on the whole screen
        assert window.heard() == []

    def test_an_arrow_is_dragged_to_where_the_hand_is(self, deck):
        window = deck("01_dot_product_similarity")
        window.run(TO_WIDGET)
        box = window.run(WIDGET + BOX, "svg.plane")
        share = box["width"] / (2 * dot_product.REACH)

        def place(x, y):
            reach = dot_product.REACH
            return box["x"] + (reach + x) * share, box["y"] + (reach - y) * share

        told = window.run(WIDGET + "return widget.querySelectorAll('.handle')[1].ariaValueText")
        start = [float(x) for x in told.replace("−", "-")[5:-1].split(", ")]
        window.drag(place(*start), place(1, 1), place(-2, 3))
        _says(window, ".handle:last-of-type", "aria-valuetext", "b = (−2.0, 3.0)")
        assert window.heard() == []


def _says(window, *what):
    """Wait until a part of the widget says these words."""
    window.until(f"(...what) => {{ {WIDGET} return ({SAYS})(...what); }}", *what)
