"""A notebook is run, played with, saved, and opened again when the kernel that ran it is gone."""

import base64
import hashlib
import re

import nbformat
import pytest
from playwright.sync_api import expect

from attnlib.jupyter.mime import LIVE, STATE
from attnlib.widgets._record import revived
from tests.browser.lessons import n_widgets
from tests.browser.visit import MINUTE, JupyterLab, Notebook7, PlainLab
from tests.lessons import quickly
from tests.widgets.test_base import WIDGETS

pytestmark = pytest.mark.needs("chromium")
UNSAVED = ".jp-mod-dirty"  # in JupyterLab; Notebook 7 does not tell
BUNDLE = b"Made by"  # how it begins
STILL = ".jp-OutputArea-output img"
PICTURE = ".jp-MarkdownOutput img"
LOADED = """
(pictures) => [...document.querySelectorAll(pictures)].every((picture) => picture.naturalWidth > 0)
"""
FAILURES = ("Loading widget", "model not found", "Error displaying widget")

# One of each, the reader's own function in the first; what the hand leaves in the first and last.
SHOWN = ["Softmax", *sorted(set(WIDGETS) - {"Softmax", "Scaling"}), "Scaling"]
CELLS = [
    "from attnlib import widgets\nfrom tests.widgets.test_base import make\n"
    "goal = widgets.Goal('More nats.', entropy=(0.91, None))",
    "widgets.Softmax([2.0, 1.0, 0.5], softmax=lambda scores: scores, goal=goal)",
    *(f"make({name!r})" for name in SHOWN[1:-1]),
    "widgets.Scaling(d=16, seed=2)",
    "asks = make('Mask')\nasks._bundle = None\nasks",
    "from IPython.display import HTML\nHTML('<i>trusted</i>')",
    # In the way of what is saved: a line that comes and goes.
    "from attnlib.widgets import _progress\n_progress.LEAST = 0\n"
    "for _ in widgets.progress(3):\n    pass",
]
FIRST, LAST = 0, len(SHOWN) - 1  # of those that take the bundle from one model; one cannot
N_WIDGETS = len(SHOWN) + 1
MOVED = {"temperature", "_untouched", "_moves", "_reached"}  # what the hand changes in the first


@pytest.fixture
def lab(jupyter):
    return jupyter(JupyterLab)


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def outputs(file):
    """Return the outputs in a saved notebook that hold a widget."""
    cells = nbformat.read(file, as_version=4).cells
    return [o for c in cells for o in c.get("outputs", []) if STATE in o.get("data", {})]


def hear(visit):
    """Return a list that grows by all that the kernel sends to the page."""
    heard = []

    def keep(frame):
        heard.append(frame.encode() if isinstance(frame, str) else frame)

    visit.page.on("websocket", lambda socket: socket.on("framereceived", keep))
    return heard


def temperature(visit):
    return visit.widget(FIRST).get_by_role("slider", name="temperature")


def dimensions(visit):
    return visit.widget(LAST).get_by_role("slider").first


def save(visit):
    visit.page.locator(".jp-InputPrompt").first.click()
    with visit.page.expect_response(lambda answer: answer.request.method == "PUT"):
        visit.page.keyboard.press("Control+s")
    expect(visit.page.locator(UNSAVED)).to_have_count(0)


def nothing_went_wrong(visit):
    for failure in FAILURES:
        assert visit.page.get_by_text(failure).count() == 0
    assert visit.errors == visit.outside == []


def holds_what_is_shown(file):
    """Demand of each widget's output that its still and its alt text are of its record."""
    for output in outputs(file):
        widget = revived(output.data[STATE])
        assert output.metadata["image/png"].alt == widget._alt()
        assert base64.b64decode(output.data["image/png"]) == widget.still()
        assert LIVE not in output.data
        widget.close()


@pytest.mark.parametrize("kind", quickly([JupyterLab, Notebook7, PlainLab], takes=[0], full=[]))
def test_widgets_are_as_the_reader_left_them(chromium, jupyter, kind):
    front_end = jupyter(kind)
    front_end.add("played", CELLS)
    file = front_end.file("played")
    with chromium.visit() as visit:
        heard = hear(visit)
        front_end.open(visit, "played", N_WIDGETS)
        assert sum(frame.count(BUNDLE) for frame in heard) == 2  # for all, and for who asks
        temperature(visit).press("ArrowRight")
        expect(visit.widget(FIRST)).to_contain_text("Done in 1 move.")
        said = temperature(visit).get_attribute("aria-valuetext")
        dimensions(visit).press("ArrowRight")
        save(visit)
        nothing_went_wrong(visit)
    front_end.leave()
    holds_what_is_shown(file)
    kept = [output.data[STATE].traits for output in outputs(file)]
    assert kept[FIRST].keys() >= MOVED  # from where it was at first, at its default
    assert kept[LAST].d != 16
    assert "attnlib" not in nbformat.read(file, as_version=4).metadata
    saved = digest(file)

    with chromium.visit() as visit:
        front_end.look(visit, "played")
        expect(visit.widgets).to_have_count(N_WIDGETS)
        expect(visit.page.get_by_text("trusted", exact=True)).to_be_visible()
        expect(temperature(visit)).to_have_attribute("aria-valuetext", said)
        expect(visit.widget(FIRST)).to_contain_text("Done in 1 move.")
        assert visit.page.locator(UNSAVED).count() == 0
        assert digest(file) == saved
        # No kernel knows of them. *Reset* leads back to what was there before the hand.
        dimensions(visit).press("ArrowRight")
        if kind is not Notebook7:
            expect(visit.page.locator(UNSAVED)).not_to_have_count(0)
        visit.widget(FIRST).get_by_role("button", name="Reset").click()
        expect(visit.widget(FIRST)).not_to_contain_text("Done")
        save(visit)
        nothing_went_wrong(visit)
    front_end.leave()
    holds_what_is_shown(file)
    again = [output.data[STATE].traits for output in outputs(file)]
    assert again[FIRST] == {name: x for name, x in kept[FIRST].items() if name not in MOVED}
    assert again[LAST].d not in (16, kept[LAST].d)
    assert again[1:LAST] == kept[1:LAST]


@pytest.mark.full
def test_a_lesson_that_others_ran_is_alive_without_trust(chromium, lab):
    lesson = "03_softmax"
    file = lab.checkout / "my" / "others.ipynb"
    file.write_bytes((lab.checkout / "notebooks" / f"{lesson}.ipynb").read_bytes())
    before = digest(file)
    with chromium.visit() as visit:
        lab.look(visit, "others")
        expect(visit.widgets).to_have_count(n_widgets(lesson))
        expect(visit.page.locator(".jp-RenderedImage img:not([alt])")).to_have_count(0)
        nothing_went_wrong(visit)
    lab.leave()
    assert digest(file) == before


@pytest.mark.full
def test_of_widgets_that_have_ended_the_file_is_shown_not_what_a_server_remembers(chromium, lab):
    lesson = "03_softmax"
    file = lab.checkout / "my" / "remembered.ipynb"
    file.write_bytes((lab.checkout / "notebooks" / f"{lesson}.ipynb").read_bytes())
    kept = [output.data[STATE].traits.get("temperature", 1) for output in outputs(file)]
    remembered = []

    def remember(route):
        """Answer as a server does where several write: outputs are as they were last shown."""
        answer = route.fetch()
        if remembered or "content=1" not in route.request.url:  # whether it is the same, say
            return route.fulfill(response=answer)
        remembered.append(True)  # the notebook is opened: only this once
        model = answer.json()
        for cell in model["content"]["cells"]:
            cell["metadata"]["trusted"] = True
            for data in (output.get("data", {}) for output in cell.get("outputs", [])):
                if STATE in data:
                    data[LIVE] = {"model_id": "gone", "version_major": 2, "version_minor": 0}
                    data[STATE]["traits"]["temperature"] = 1.5
        return route.fulfill(response=answer, json=model)

    with chromium.visit() as visit:
        visit.page.route("**/api/contents/my/remembered.ipynb?*", remember)
        lab.look(visit, "remembered")
        expect(visit.widgets).to_have_count(n_widgets(lesson))
        assert visit.page.get_by_text("model not found").count() == 0
        shown = visit.widgets.evaluate_all("all => all.map(one => one.shows.get('temperature'))")
        assert shown == kept
    lab.leave()


@pytest.mark.full
def test_without_our_extension_there_are_stills(chromium, lab):
    lesson = "07_cross_attention"
    file = lab.checkout / "my" / "stills.ipynb"
    file.write_bytes((lab.checkout / "notebooks" / f"{lesson}.ipynb").read_bytes())
    with chromium.visit() as visit:
        visit.page.route("**/labextensions/attnlib/**", lambda route: route.abort())
        visit.page.route("**/extensions/attnlib/**", lambda route: route.abort())
        lab.look(visit, "stills")
        stills = visit.page.locator(STILL)
        expect(stills.nth(n_widgets(lesson) - 1)).to_be_attached()
        assert all(stills.evaluate_all("(stills) => stills.map((still) => still.naturalWidth > 0)"))
        assert visit.widgets.count() == 0
        nothing_went_wrong(visit)
    lab.leave()


@pytest.mark.parametrize(
    "lesson", quickly(["04_self_attention", "00_start_here"], takes=[], full=[0])
)
def test_pictures_are_there_and_the_first_keys_go_to_the_first_code(chromium, lab, lesson):
    with chromium.visit() as visit:
        page = visit.page
        idle = lab.look(visit, lesson)
        page.locator(PICTURE).first.wait_for(state="attached")
        page.wait_for_function(LOADED, arg=PICTURE)
        chosen = page.locator(".jp-Notebook .jp-Cell.jp-mod-active")
        page.keyboard.press("Shift+Enter")
        code = page.locator(".jp-Notebook .jp-CodeCell").first
        expect(chosen).to_have_count(1)
        expect(code).to_have_class(re.compile("jp-mod-active"))
        expect(code.locator(".jp-InputPrompt")).to_be_in_viewport()
        page.keyboard.press("Shift+Enter")
        expect(code.locator(".jp-InputPrompt")).to_have_text("[1]:", timeout=MINUTE)
        expect(code).not_to_have_class(re.compile("jp-mod-active"))
        expect(chosen).to_be_in_viewport()
        idle.wait_for(state="attached", timeout=MINUTE)
        assert visit.errors == visit.outside == []
    lab.leave()
