import re

import nbformat
import pytest
from playwright.sync_api import expect

from tests.browser.lessons import PLAYS, add_plays, shares_its_keys, use
from tests.browser.visit import JupyterLab
from tests.lessons import NAMES, quickly

pytestmark = pytest.mark.needs("chromium")
UNSAVED = ".jp-mod-dirty"


@pytest.fixture(scope="module")
def front_end(tmp_path_factory):
    front_end = JupyterLab(tmp_path_factory.mktemp("jupyterlab"))
    yield front_end
    front_end.close()


SLOW = """
import time
from attnlib.widgets import progress
for _ in progress(20):
    time.sleep(0.2)
print("after")
"""


@pytest.mark.full
def test_progress_is_one_line_that_changes_and_is_gone_in_the_end(chromium, front_end):
    front_end.add("slow", [SLOW])
    with chromium.visit() as visit:
        idle = front_end.look(visit, "slow")
        visit.page.locator(".jp-Notebook .cm-content").click()
        visit.page.keyboard.press("Control+Enter")
        line = visit.page.locator(".jp-OutputArea-output").get_by_text(" of 20")
        for step in (3, 6, 9):  # a busy machine may come later, and with others
            expect(line).to_have_text(re.compile(rf"step ([{step}-9]|1\d|20) of 20"))
            expect(line).to_have_count(1)
        expect(visit.page.locator(".jp-OutputArea-output")).to_have_text(["after\n"])
        expect(line).to_have_count(0)
        idle.wait_for(state="attached")
        visit.page.keyboard.press("Control+s")
        expect(visit.page.locator(UNSAVED)).to_have_count(0)
        (cell,) = nbformat.read(front_end.file("slow"), 4).cells
        shown, printed = cell.outputs
        assert (shown.data, printed.text) == ({}, "after\n")
        assert visit.errors == visit.outside == []
    front_end.leave()


@pytest.mark.full
def test_a_fresh_copy_that_is_left_is_as_it_was_and_not_opened_beside_the_next(chromium, front_end):
    for lesson in ("01_dot_product_similarity", NAMES[-1]):
        before = front_end.file(lesson).read_bytes()
        with chromium.visit() as visit:
            front_end.look(visit, lesson)
            visit.page.wait_for_load_state("networkidle")  # what else there is would ask by now
            assert [lesson in session["path"] for session in front_end.sessions()] == [True]
            assert visit.page.locator(UNSAVED).count() == 0
            assert visit.errors == []
        front_end.leave()
        assert front_end.sessions() == []
        assert front_end.file(lesson).read_bytes() == before


@pytest.fixture(scope="module")
def visit(chromium, front_end):
    """A notebook with the widgets of all lessons; it is here until the last test has ended."""
    add_plays(front_end, PLAYS)
    with chromium.visit() as visit:
        front_end.open(visit, "plays", len(PLAYS))
        assert visit.errors == []
        yield visit


@pytest.mark.parametrize("lesson", quickly(PLAYS, takes=[3]))
def test_a_lessons_widget_obeys_mouse_keys_and_touch(visit, lesson):
    visit.errors.clear()  # each tells of its own
    use(visit, lesson, list(PLAYS).index(lesson), also=shares_its_keys)


@pytest.mark.full
def test_axe_objects_to_nothing_in_any_widget_that_was_used(visit):
    assert visit.violations(".attnlib-live") == []
