"""A lesson is run, saved, and opened again when the server that ran it is gone."""

import hashlib
import re

import pytest
from playwright.sync_api import expect

from tests.browser.lessons import n_widgets
from tests.browser.visit import MINUTE, JupyterLab, PlainLab
from tests.lessons import quickly

pytestmark = pytest.mark.needs("chromium")
UNSAVED = ".jp-mod-dirty"
STILL = ".jp-OutputArea-output img"
REPORT = ".jp-RenderedHTML"


# What a saved notebook shows follows from its outputs alone, so one lesson of each kind will do:
# widgets tied to each other and to the reader's function; one that changes hands under Run All;
# the weights of many heads; a loop that tells of its progress.
OURS = ("03_softmax", "10_learning_to_attend")
ELSEWHERE = ("05_masking", "06_multi_head")


@pytest.fixture(scope="module")
def front_ends(tmp_path_factory):
    """Return a function that gives a running front end; each is started once."""
    started = {}

    def give(kind):
        if kind not in started:
            started[kind] = kind(tmp_path_factory.mktemp(kind.__name__))
        return started[kind]

    yield give
    for front_end in started.values():
        front_end.close()


@pytest.fixture
def lab(front_ends):
    return front_ends(JupyterLab)


@pytest.fixture
def plain_lab(front_ends):
    return front_ends(PlainLab)


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.timeout(240)  # two servers, one after the other
@pytest.mark.parametrize(
    ("kind", "lesson"),
    quickly(
        [(JupyterLab, name) for name in OURS] + [(PlainLab, name) for name in ELSEWHERE],
        takes=[0],
    ),
)
def test_a_saved_lesson_shows_its_stills_and_never_an_error(chromium, front_ends, kind, lesson):
    front_end = front_ends(kind)
    file = front_end.file(lesson)
    with chromium.visit() as visit:
        page = visit.page
        front_end.open(visit, lesson, n_widgets(lesson))
        before = digest(file)
        page.keyboard.press("Control+s")
        expect(page.locator(UNSAVED)).to_have_count(0)
        reports = page.locator(REPORT).count()
        assert visit.errors == []
    front_end.close()
    front_end.start()
    saved = digest(file)
    assert saved != before
    with chromium.visit() as visit:
        front_end.look(visit, lesson)
        expect(visit.page.locator(REPORT)).to_have_count(reports)  # it is trusted still
        shows_its_stills(visit, lesson)
        assert visit.page.locator(UNSAVED).count() == 0
    front_end.leave()
    assert digest(file) == saved


@pytest.mark.parametrize("lesson", quickly(["03_softmax", "07_cross_attention"], takes=[]))
def test_a_lesson_that_others_ran_shows_its_stills_without_trust(chromium, plain_lab, lesson):
    before = digest(plain_lab.file(lesson))
    with chromium.visit() as visit:
        plain_lab.look(visit, lesson)
        shows_its_stills(visit, lesson)
    plain_lab.leave()
    assert digest(plain_lab.file(lesson)) == before


def shows_its_stills(visit, lesson):
    """Demand a still for each widget, and neither a live one nor an error."""
    stills = visit.page.locator(STILL)
    expect(stills.nth(n_widgets(lesson) - 1)).to_be_attached()
    assert all(stills.evaluate_all("(stills) => stills.map((still) => still.naturalWidth > 0)"))
    for failure in ("Loading widget", "model not found", "Error displaying widget"):
        assert visit.page.get_by_text(failure).count() == 0
    assert visit.widgets.count() == 0
    assert visit.errors == []


@pytest.mark.parametrize("lesson", quickly(["00_start_here", "04_self_attention"], takes=[]))
def test_the_first_keys_go_to_the_first_code_and_number_it(chromium, lab, lesson):
    with chromium.visit() as visit:
        page = visit.page
        idle = lab.look(visit, lesson)
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
        assert visit.errors == []
    lab.leave()


@pytest.mark.parametrize("lesson", quickly(["01_dot_product_similarity", "99_summary"], takes=[]))
def test_a_fresh_copy_that_is_opened_and_closed_is_as_it_was(chromium, lab, lesson):
    file = lab.file(lesson)
    before = file.read_bytes()
    with chromium.visit() as visit:
        lab.look(visit, lesson)
        visit.page.wait_for_load_state("networkidle")  # the kernel has said all of itself
        assert visit.page.locator(UNSAVED).count() == 0
        assert visit.errors == []
    lab.leave()
    assert file.read_bytes() == before
