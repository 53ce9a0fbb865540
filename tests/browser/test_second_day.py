"""A lesson is run, saved, and opened again when the kernel that ran it is gone."""

import hashlib

import pytest
from playwright.sync_api import expect

from tests.browser.lessons import PLAYS, n_widgets
from tests.browser.visit import JupyterLab, PlainLab
from tests.lessons import NAMES, quickly

pytestmark = pytest.mark.needs("chromium")
UNSAVED = ".jp-mod-dirty"
STILL = ".jp-OutputArea-output img"
REPORT = ".jp-RenderedHTML"


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    front_end = JupyterLab(tmp_path_factory.mktemp("fresh"))
    yield front_end
    front_end.close()


@pytest.fixture(scope="module", params=[JupyterLab, PlainLab])
def front_end(request, tmp_path_factory):
    front_end = request.param(tmp_path_factory.mktemp("second_day"))
    yield front_end
    front_end.close()


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize("lesson", quickly(list(PLAYS), takes=[2]))
def test_a_saved_lesson_shows_its_stills_and_never_an_error(chromium, front_end, lesson):
    file = front_end.file(lesson)
    with chromium.visit() as visit:
        page = visit.page
        front_end.open(visit, lesson, n_widgets(lesson))
        before = digest(file)
        page.keyboard.press("Control+s")
        expect(page.locator(UNSAVED)).to_have_count(0)
        reports = page.locator(REPORT).count()
        assert visit.errors == []
    front_end.leave()
    saved = digest(file)
    assert saved != before
    with chromium.visit() as visit:
        page = visit.page
        front_end.look(visit, lesson)
        expect(page.locator(REPORT)).to_have_count(reports)  # it is trusted still
        expect(page.locator(STILL).first).to_be_attached()
        assert page.get_by_text("Loading widget").count() == 0
        assert page.get_by_text("model not found").count() == 0
        assert visit.widgets.count() == 0
        assert page.locator(UNSAVED).count() == 0
        assert visit.errors == []
    front_end.leave()
    assert digest(file) == saved


@pytest.mark.parametrize("lesson", quickly(NAMES, takes=[1]))
def test_a_fresh_copy_that_is_opened_and_closed_is_as_it_was(chromium, lab, lesson):
    file = lab.file(lesson)
    before = file.read_bytes()
    with chromium.visit() as visit:
        lab.look(visit, lesson)
        visit.page.wait_for_timeout(1000)  # for what the kernel says of itself
        assert visit.page.locator(UNSAVED).count() == 0
        assert visit.errors == []
    lab.leave()
    assert file.read_bytes() == before
