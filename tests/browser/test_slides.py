"""Decks in a real browser: every slide fits, every widget moves, keys do what the help says."""

import base64
import io
import re

import pytest
from nbformat.v4 import new_output
from PIL import Image
from PIL.PngImagePlugin import PngInfo
from playwright.sync_api import expect

from attnlib.plotting import grid
from course.lesson.lecture import planned
from course.slides.browser import BEFORE, SETTLED, Browser
from course.slides.deck import deck as deck_of
from course.slides.seen import LEAST_LETTERS
from tests.browser.hand import draw_a_finger, keys
from tests.browser.lessons import PLAYS, use
from tests.browser.speaker import CLICK, HERE, PLACES, PRESSED
from tests.browser.visit import Deck, Visit, same_letters
from tests.lessons import DECKS, SERIES, quickly
from tests.test_slides import TRIAL, put

pytestmark = pytest.mark.needs("chromium")

LARGE = {"viewport": {"width": 1280, "height": 720}}
BEYOND = "Reveal.getCurrentSlide().scrollHeight - Reveal.getCurrentSlide().clientHeight"
WITH_SOLUTION = "(all) => all.findIndex((slide) => slide.querySelector('.solution'))"
WITH_WIDGETS = "(all) => all.flatMap((s, k) => (s.querySelector('.attnlib-live') ? [k] : []))"
COLOURS = ["color-contrast", "link-in-text-block"]  # axe-core's rules about them
UPRIGHT = """
(slide) => {  // how wide it is, and its smallest letters, of what its words are set in
  const shown = [...slide.querySelectorAll(".body *, header *")].filter((element) =>
    element.checkVisibility() && !element.closest("math") &&
    [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim()));
  const sizes = shown.map((element) => Number.parseFloat(getComputedStyle(element).fontSize));
  return [slide.scrollWidth, Math.min(...sizes) * Reveal.getScale()];
}
"""


@pytest.fixture(scope="module")
def front_end(made):
    with made("decks") as folder:
        yield Deck(folder)


def opened(visit, path):
    visit.page.goto(path.as_uri())
    visit.page.wait_for_function(SETTLED)
    return visit.page


class Watched:
    """A browser of which somebody hears what goes wrong on each page."""

    def __init__(self, browser):
        self.browser, self.visits = browser, []

    def new_page(self, **options):
        self.visits.append(Visit(self.browser.new_page(**options)))
        return self.visits[-1].page


# Whoever makes a deck has it measured, and none that fails is published.
@pytest.mark.parametrize("lesson", quickly(DECKS, takes=[3], full=[12, -1]))
def test_every_slide_of_a_deck_fits_and_is_typeset_without_network(chromium, front_end, lesson):
    watched = Watched(chromium.browser)
    measured = Browser(watched).measure(front_end.write(lesson))
    assert measured.overflows == []
    assert len(measured.letters) == len(SERIES[lesson].slides)
    assert min(measured.letters) >= (LEAST_LETTERS, "")
    (visit,) = watched.visits
    assert visit.outside == visit.errors == []


@pytest.mark.parametrize(("lesson", "nth", "play"), quickly(PLAYS, takes=[], full=[2]))
def test_a_decks_widget_obeys_mouse_keys_and_touch(chromium, front_end, lesson, nth, play):
    with chromium.visit() as visit:
        front_end.open(visit, lesson, nth)
        use(visit, play, nth)


@pytest.mark.parametrize("theme", quickly(["light", "dark"], takes=[], full=[0]))
def test_no_slide_has_anything_that_axe_objects_to(chromium, front_end, theme):
    with chromium.visit(**LARGE) as visit:
        deck = front_end.write("03_softmax")
        page = opened(visit, deck)
        if theme == "dark":
            page.keyboard.press("d")
        expect(page.locator("html")).to_have_attribute("data-theme", theme)
        rules = COLOURS if theme == "dark" else None  # nothing else differs
        assert visit.violations(rules=rules) == []  # what is around the slides, too
        for number in page.locator(".slides > section").evaluate_all(WITH_WIDGETS):
            page.evaluate(f"Reveal.slide({number}, 0, Infinity)")
            assert visit.violations("section.present", rules) == []
        page.goto(f"{deck.as_uri()}?print-pdf")  # all slides at once, with stills for widgets
        page.wait_for_function(SETTLED)
        expect(page.locator(".pdf-page")).to_have_count(len(SERIES["03_softmax"].slides))
        page.evaluate("(theme) => { document.documentElement.dataset.theme = theme; }", theme)
        assert visit.violations(".slides", rules) == []


def test_keys_turn_pages_and_those_of_a_widget_do_not(chromium, front_end):
    with chromium.visit(**LARGE) as visit:
        page = opened(visit, front_end.write("03_softmax"))
        page.keyboard.press("ArrowRight")
        assert page.evaluate(HERE) == 1
        page.keyboard.press("ArrowRight")  # the first of what appears later
        assert page.evaluate("[Reveal.getIndices().h, Reveal.getIndices().f]") == [1, 0]
        front_end.open(visit, "03_softmax")
        here = page.evaluate(HERE)
        slider = visit.widget().get_by_role("slider", name="temperature")
        before = slider.get_attribute("aria-valuetext")
        slider.focus()
        page.keyboard.press("ArrowRight")
        expect(slider).not_to_have_attribute("aria-valuetext", before)
        assert page.evaluate(HERE) == here
        page.keyboard.press("PageDown")  # as a clicker sends, wherever the focus is
        assert page.evaluate(HERE) == here + 1
        page.keyboard.press("PageUp")
        assert page.evaluate(HERE) == here
        slider.focus()
        page.keyboard.press(".")  # a slider takes no letters
        page.wait_for_function("Reveal.isPaused()")
        page.keyboard.press("b")
        page.wait_for_function("!Reveal.isPaused()")
        page.evaluate("Reveal.slide(Reveal.getSlides().findIndex((s) => s.matches(':has(.poll)')))")
        page.locator(".present .poll button").first.click()
        page.keyboard.press("Space")  # turns the page, and counts no second hand
        assert page.locator(".poll [data-hands='1']").count() == 1
        page.evaluate("postMessage(null)")  # as an extension of a browser may
        page.evaluate("globalThis.open = () => null")  # as where windows are not allowed
        page.keyboard.press("s")
        expect(page.get_by_role("status").filter(has_text="press S again")).to_be_visible()
        page.keyboard.press("ArrowRight")
        expect(page.get_by_text("press S again")).to_have_count(0)
        assert visit.errors == []


def test_core_and_whole_are_chosen_by_key_by_button_and_by_address(chromium, front_end):
    core, whole = planned(SERIES["03_softmax"].slides)
    with chromium.visit(**LARGE) as visit:
        page = opened(visit, front_end.write("03_softmax"))
        number, minute = page.locator(".slide-number"), page.locator("section.present .notes span")
        both = page.get_by_role("button", name="minutes, the")
        expect(both.nth(1)).to_have_attribute("aria-pressed", "true")
        page.get_by_role("button", name="the core").press("Enter")
        expect(both.nth(0)).to_have_attribute("aria-pressed", "true")
        expect(number).to_have_text(re.compile(rf"1\s*/\s*{core.slides}\b"))
        page.keyboard.press("End")
        closes, title = f"{core.minutes:g}", page.locator("section.present h2")
        expect(title).to_have_text("Where to read on")
        expect(minute).to_have_text(closes)
        page.keyboard.press("c")
        expect(title).to_have_text("Where to read on")
        expect(minute).to_have_text(f"{whole.minutes:g}")
        expect(number).to_have_text(re.compile(rf"{whole.slides}\s*/\s*{whole.slides}\b"))
        exercise = page.locator(".slides > section").evaluate_all(WITH_SOLUTION)
        page.evaluate(f"Reveal.slide({exercise}, 0, Infinity)")
        solution, timer = page.locator("section.present .solution"), page.locator(".present .timer")
        expect(solution).to_be_hidden()
        page.keyboard.press("a")
        expect(solution).to_contain_text("return")
        assert solution.evaluate("(s) => s.scrollHeight <= s.clientHeight")
        asks = timer.text_content()
        minutes = int(re.fullmatch(r"Try it: (\d+) minutes", asks)[1])
        page.keyboard.press("t")
        expect(timer).to_have_text(re.compile(rf"^({minutes}:00|{minutes - 1}:5\d) left$"))
        page.keyboard.press("t")
        expect(timer).to_have_text(asks)
        page.keyboard.press("ArrowRight")
        expect(page.locator(".solution:visible")).to_have_count(0)
        slides = SERIES["03_softmax"].slides
        extra = max(place for place, slide in enumerate(slides) if slide.is_extra)
        page.evaluate(f"Reveal.slide({extra})")  # the core's next follows
        page.keyboard.press("c")
        expect(title).to_have_text(slides[extra + 1].title)
        after = len(slides) - extra - 1
        expect(page).to_have_url(re.compile(rf"03_softmax\.html\?core#/{core.slides - after}$"))
        page.reload()
        left = sum(slide.minutes for slide in slides[extra + 1 :])
        expect(minute).to_have_text(f"{core.minutes - left:g}")
        assert page.evaluate("Reveal.getTotalSlides()") == core.slides
        widget = page.locator(".slides .attnlib-live, [hidden] .attnlib-live")
        assert widget.count() == page.locator(".attnlib-widget").count()
        assert visit.errors == []


@pytest.mark.full
def test_on_a_phone_held_upright_letters_are_large_and_a_finger_scrolls_and_turns(
    chromium, front_end
):
    with chromium.visit(viewport={"width": 390, "height": 844}, is_mobile=True) as visit:
        page, rooms = opened(visit, front_end.write("04_self_attention")), []
        for number in range(page.evaluate("Reveal.getTotalSlides()")):
            page.evaluate(f"Reveal.slide({number}, 0, Infinity)")
            wide, letters = page.locator("section.present").evaluate(UPRIGHT)
            assert wide <= 390
            assert letters >= 11
            rooms.append(page.evaluate(BEYOND))
        long = rooms.index(max(rooms))  # the slide of which most is below the screen
        page.evaluate(f"Reveal.slide({long - 1}, 0, Infinity)")
        # On the title: code that is too long moves by itself.
        draw_a_finger(page, *((x, 40) for x in range(300, 99, -20)))
        page.wait_for_function(f"{HERE} === {long}")
        draw_a_finger(
            page, *((200, y) for y in range(600, 299, -30))
        )  # it is longer than the phone
        page.wait_for_function("Reveal.getCurrentSlide().scrollTop > 50")
        assert page.evaluate(HERE) == long
        page.set_viewport_size({"width": 844, "height": 390})
        page.wait_for_function("Reveal.getConfig().width === 1280 && Reveal.getScale() < 0.6")


@pytest.mark.full
def test_with_any_sentence_a_widgets_last_button_is_within_reach(chromium, front_end):
    with chromium.visit(**LARGE) as visit:
        front_end.open(visit, "10_learning_to_attend")
        here, widget = visit.page.evaluate(HERE), visit.widget()
        sentences = widget.get_by_role("combobox")
        reset = widget.get_by_role("button", name="Reset")
        for place in range(widget.locator(".sentence option").count()):
            widget.locator("summary").click()
            sentences.select_option(index=place)
            widget.locator("summary").click()
            reset.click()  # close to reveal.js's arrows, which would take the click
            assert visit.page.evaluate(HERE) == here


def test_help_overview_numbers_and_progress_are_there(chromium, front_end):
    with chromium.visit(**LARGE) as visit:
        page = opened(visit, front_end.write("00_start_here"))
        n_slides = page.evaluate("Reveal.getTotalSlides()")
        expect(page.locator(".slide-number")).to_have_text(re.compile(rf"1\s*/\s*{n_slides}"))
        expect(page.locator(".progress")).to_be_visible()
        page.keyboard.press("Shift+?")
        expect(page.get_by_text("Dark or light")).to_be_visible()
        expect(page.get_by_text("Speaker notes view")).to_be_visible()
        page.keyboard.press("Escape")
        page.keyboard.press("o")
        boxes = page.locator(".slides > section").evaluate_all(
            "(all) => all.map((one) => Object.values(one.getBoundingClientRect().toJSON()))"
        )
        assert len(boxes) == n_slides
        assert len({(x, y) for x, y, *_ in boxes}) == n_slides  # each in a place of its own
        for x, y, width, height, *_ in boxes:
            assert min(x, y) >= 0
            assert x + width <= LARGE["viewport"]["width"]
            assert y + height <= LARGE["viewport"]["height"]
            assert width >= 120
        expect(page.locator(".fragment").last).to_have_css("visibility", "visible")
        page.locator(".slides > section").nth(n_slides - 2).click()
        page.wait_for_function(f"!Reveal.isOverview() && {HERE} === {n_slides - 2}")
        sizes = page.locator(".attnlib-grid").evaluate_all(
            "(all) => all.map((one) => getComputedStyle(one).fontSize)"
        )
        assert len(set(sizes)) > 1  # as the overview found and left them: as large as there is room
        page.set_viewport_size({"width": 853, "height": 480})  # as by a zoom to 150 %
        body = page.locator("section.present .body").bounding_box()
        for arrow in page.locator(".controls button.enabled").all():
            assert arrow.bounding_box()["y"] >= body["y"] + body["height"] - 1


@pytest.mark.full
def test_the_speakers_window_has_notes_and_its_keys_and_widgets_are_those_of_the_hall(
    chromium, front_end
):
    with chromium.visit(**LARGE) as visit:
        page = opened(visit, front_end.write("08_positional_encoding"))
        page.keyboard.press("d")
        for _ in range(3):  # the recap answers at a key of its own
            page.keyboard.press("ArrowRight")
        hands = "(poll) => [...poll.querySelectorAll('button')].map((one) => one.dataset.hands)"
        page.keyboard.press("1")
        with page.context.expect_page() as opening:
            page.keyboard.press("s")
        speaker = opening.value
        notes = speaker.locator(".speaker-controls-notes > .value")
        first, recap, this = (one.minutes for one in SERIES["08_positional_encoding"].slides[:3])
        plan = f"{this:g} min, from minute {first + recap:g}"
        expect(notes).to_contain_text(plan, timeout=15_000)
        expect(notes).to_contain_text("Who chooses 2, “they change places”: They are right")
        expect(speaker.get_by_text("Time to finish current slide")).to_be_visible()
        following = speaker.frame_locator("#upcoming-slide iframe").locator("section.present")
        expect(following).to_contain_text("Scores go along with their words", timeout=15_000)
        shown = speaker.frame_locator("#current-slide iframe")
        poll = shown.locator("section.present .part.poll")
        expect(poll.locator("[data-hands='1']")).to_have_count(1)  # from before it was opened
        page.locator("section.present .part.poll button").nth(1).click()
        page.keyboard.press("2")
        expect(poll.locator("[data-hands='2']")).to_have_text("they change places")
        assert poll.evaluate(hands) == ["1", "2", "0"]
        speaker.keyboard.press("3")
        expect(poll.locator("[data-hands='1']")).to_have_count(2)
        speaker.keyboard.press("0")
        expect(poll.locator("[data-hands]")).to_have_count(0)
        expect(shown.locator("html")).to_have_attribute("data-theme", "dark")
        page.keyboard.press("d")
        expect(shown.locator("html")).to_have_attribute("data-theme", "light")
        page.evaluate("""() => {
          const slides = [...document.querySelectorAll(".slides > section")];
          Reveal.slide(slides.findIndex((slide) => slide.querySelector(".attnlib-live")));
        }""")
        page.keyboard.press("]")
        chosen = "section.present .attnlib-live .moments [aria-pressed=true]"
        title = page.locator(chosen).inner_text()
        expect(shown.locator(chosen)).to_have_text(title)
        speaker.keyboard.press("[")
        expect(page.locator(chosen)).not_to_have_text(title)
        shown.locator("section.present .moments button").nth(1).click()
        expect(page.locator(chosen)).to_have_text(title)
        for place in PLACES:
            speaker.locator(place).click(position=dict(zip("xy", CLICK, strict=True)))
            speaker.mouse.wheel(0, 200)
            for begin, table in PRESSED.items():
                page.evaluate(begin)
                for pressed, done in table.items():
                    keys(speaker, *pressed.split())
                    page.wait_for_function(done)
        expect(speaker.locator("select")).not_to_be_focused()
        speaker.locator("select").select_option("wide")  # has the focus no longer than for this
        page.keyboard.press("c")
        page.keyboard.press("End")
        core, whole = planned(SERIES["08_positional_encoding"].slides)
        closing = core.minutes - SERIES["08_positional_encoding"].slides[-1].minutes
        expect(notes).to_contain_text(f"from minute {closing:g}")
        expect(shown.locator(".slide-number")).to_contain_text(f"{core.slides}")
        expect(shown.locator(".slide-number")).not_to_contain_text(f"{whole.slides}")
        assert visit.outside == visit.errors == []


# What a page of paper holds beyond its slide are widgets: many, a large one, none.
@pytest.mark.parametrize(
    "lesson", quickly(["03_softmax", "06_multi_head", "00_start_here"], takes=[], full=[0])
)
def test_a_handout_has_a_page_for_each_slide_with_all_of_it(chromium, front_end, tmp_path, lesson):
    deck, pdf = front_end.write(lesson), tmp_path / "deck.pdf"
    Browser(chromium.browser).print_pdf(deck, pdf)
    n_slides = deck.read_text(encoding="utf-8").count("<section ")
    printed = pdf.read_bytes()
    assert len(re.findall(rb"/Type\s*/Page\b", printed)) == n_slides
    assert b"/StructTreeRoot" in printed  # tagged
    assert printed.count(b"/Title") == 1 + n_slides  # the file's own, and a bookmark for each
    Browser(chromium.browser).print_pdf(deck, pdf, notes=True)  # each on one page, none behind
    assert len(re.findall(rb"/Type\s*/Page\b", pdf.read_bytes())) == 2 * n_slides
    assert list(tmp_path.iterdir()) == [pdf]
    with chromium.visit(**LARGE) as visit:
        visit.page.emulate_media(media="print")
        visit.page.goto(f"{deck.as_uri()}?print-pdf")
        expect(visit.page.locator(".pdf-page")).to_have_count(n_slides)
        for still in visit.page.locator(".pdf-page .attnlib-widget > img").all():
            expect(still).to_be_visible()
            inside, around = still.bounding_box(), still.locator("xpath=../../../..").bounding_box()
            assert inside["y"] + inside["height"] <= around["y"] + around["height"] + 1
        for live in visit.page.locator(".attnlib-live").all():
            expect(live).to_be_hidden()
        visit.page.goto(f"{deck.as_uri()}?core&print-pdf")
        core, _ = planned(SERIES[lesson].slides)
        expect(visit.page.locator(".pdf-page")).to_have_count(core.slides)


@pytest.mark.parametrize(
    ("old", "new", "line", "told"),
    quickly(
        [
            ("Shown", "Shown, and more than there is room for. " * 60, 5, "px too many"),
            ("Shown", "S" * 200, 5, "px too wide"),
            ('print("a < b")', "print('a')", 11, "px too wide"),
            ('print("a < b")', "grid(x)", 11, "a grid with letters of"),
            ("% slide 3 Two", f"% slide 3 {'T' * 90}", 16, "px too wide"),
            (
                "% show\nShown",
                "![A tall list](tall.png)\n\n% show\n" + "- one\n" * 13 + "\n",
                0,
                "a picture only",
            ),
            (
                "% show code 2-2",
                "![A strip](tall.png)\n\n% show code 2-2",
                17,
                "a picture at ",
            ),
            (
                "% show code 2-2",
                "![One](square.png)\n\n![Two](square.png)\n\n% show\nText.\n\n% show code 2-2",
                19,
                "it lies on what line 17 shows",
            ),
        ],
        takes=[0],
    ),
)
def test_what_does_not_fit_is_found(chromium, tmp_path, old, new, line, told):
    (tmp_path / "notebooks").mkdir()
    (tmp_path / "notebooks" / "tall.png").write_bytes(_wide_picture())
    Image.new("L", (900, 900)).save(tmp_path / "notebooks" / "square.png")
    printed = {"print('a')": _stream("x" * 200), "grid(x)": _grid(20)}.get(new)
    outputs = ([printed], [_stream("1")]) if printed else None
    long = TRIAL.replace("% slide 2", "% slide 9", 1)  # as many minutes as any of these takes
    lesson = put(tmp_path, long.replace(old, new, 1), outputs)
    path = tmp_path / "deck.html"
    with same_letters():
        path.write_text(deck_of(lesson), encoding="utf-8")
    found = Browser(chromium.browser).measure(path).overflows
    assert any(told in what for _, what in found), found
    assert {what[-9:] for _, what in found} == {" 1280x720", "1920x1080"}
    if line:
        assert (line, told) in {(at, told) for at, what in found if told in what}


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("<math", '<math style="display: none"', "a formula that is not drawn"),
        ("<math", "<math><merror>x</merror></math><math", "a formula that no browser knows"),
        ("png;base64,", "png;base64,AAAA", "a picture that is not there"),
    ],
)
def test_what_no_browser_draws_is_found(chromium, tmp_path, old, new, told):
    (tmp_path / "notebooks").mkdir()
    Image.new("L", (900, 900)).save(tmp_path / "notebooks" / "square.png")
    shown = TRIAL.replace("% show code 2-2", "![One](square.png)\n\n% show code 2-2", 1)
    with same_letters():
        page = deck_of(put(tmp_path, shown))
    assert old in page
    path = tmp_path / "deck.html"
    path.write_text(page.replace(old, new, 1), encoding="utf-8")
    found = [what for _, what in Browser(chromium.browser).measure(path).overflows]
    assert f"{told}, at 1280x720" in found


HOST = """<div id="host"></div><script>
host.attachShadow({ mode: "open" }).innerHTML = "<p style='font-size: 7px'>in it</p>";
</script>"""
WRITTEN = """<canvas width="80" height="80" style="width: 40px; height: 40px"></canvas><script>
document.querySelector("canvas").getContext("2d").fillText("b", 9, 9);
</script>"""
STYLE = """<style>
.large { font-size: 20px } .half { scale: 0.5 } .zoomed { zoom: 0.8 }
.shrunk { transform: scale(0.7) }
</style>"""


LETTERS = [  # what is shown, and how large its smallest letters are
    ('<p class="large">whole</p>', 20),
    ('<div class="half"><p class="large">scaled</p></div>', 10),
    ('<div class="zoomed"><p class="large shrunk">both</p></div>', 20 * 0.8 * 0.7),
    ('<p class="large">seen<small hidden>not</small></p>', 20),
    ('<p class="large">x<sub style="font-size: 9px">2</sub></p>', 20),
    ('<math class="large"><msub><mi>d</mi><mi>k</mi></msub></math>', 20),
    ('<svg viewBox="0 0 9 9" width="36"><text font-size="3" y="5">a</text></svg>', 12),
    (HOST, 7),
    (WRITTEN, 5),
    ("<img width='300' alt='a' src='data:image/png;base64,PICTURE'>", 12 * 300 / 400),
    ("<img width='300' alt='a' src='data:image/svg+xml;base64,DRAWING'>", 12 * 300 / 400),
]
MEASURED = "[...document.querySelectorAll('section')].map((one) => smallestLetters(one).size)"


def test_letters_are_measured_as_they_are_rendered(chromium, tmp_path):
    page = tmp_path / "page.html"
    told = base64.b64encode(_wide_picture("12")).decode()
    shown = "".join(f"<section>{each}</section>" for each, _ in LETTERS).replace("PICTURE", told)
    svg = b'<svg xmlns="http://www.w3.org/2000/svg" width="400" height="100" data-Letters="12"/>'
    shown = shown.replace("DRAWING", base64.b64encode(svg).decode())
    page.write_text(f"{STYLE}{shown}", encoding="utf-8")
    with chromium.visit() as visit:
        for script in BEFORE:
            visit.page.add_init_script(script)
        visit.page.goto(page.as_uri())
        sizes = visit.page.evaluate(MEASURED)
    assert sizes == pytest.approx([size for _, size in LETTERS], abs=0.06)


def _stream(words):
    return new_output("stream", name="stdout", text=words)


def _grid(n):
    data, metadata = grid([[0.25] * n] * n)._repr_mimebundle_()
    return new_output("display_data", data, metadata=metadata)


def _wide_picture(letters=""):
    data, told = io.BytesIO(), PngInfo()
    told.add_text("Letters", letters)
    Image.new("RGB", (400, 100)).save(data, "png", pnginfo=told)
    return data.getvalue()
