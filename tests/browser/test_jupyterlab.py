import re
import urllib.request
from contextlib import ExitStack
from itertools import product

import nbformat
import pytest
from playwright.sync_api import expect

from tests.browser.lessons import PLAYS, add_plays, shares_its_keys, use
from tests.browser.visit import JupyterLab, Notebook7
from tests.conftest import weekly
from tests.lessons import NAMES, quickly

pytestmark = [pytest.mark.needs("chromium"), pytest.mark.full]
UNSAVED = ".jp-mod-dirty"


@pytest.fixture(scope="module")
def front_end(jupyter):
    return jupyter(JupyterLab)


SLOW = """
import time
from attnlib.widgets import progress
for _ in progress(20):
    time.sleep(0.2)
print("after")
"""


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


@pytest.mark.parametrize(
    "lesson", quickly(["01_dot_product_similarity", NAMES[-1]], takes=[0], full=[])
)
def test_a_fresh_copy_that_is_left_is_as_it_was_and_none_is_opened_beside_it(
    chromium, front_end, lesson
):
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


def test_the_starters_first_page_is_below_the_prefix(front_end):
    server = front_end.server
    address = f"http://127.0.0.1:{server.port}{front_end.base}/?token={server.token}"
    with urllib.request.urlopen(address, timeout=30) as response:
        below = response.url.partition("?")[0]
    assert below.endswith(f"{front_end.base}/lab/tree/my/00_start_here.ipynb")


# What a lesson's widget does, its static page tells; a front end mounts all in one way.
PLAYED = {JupyterLab: ["heads"], Notebook7: []}


def _played():
    for kind, (*place, play) in product(PLAYED, PLAYS):
        marks = [] if play in PLAYED[kind] else pytest.mark.weekly
        yield pytest.param(kind, *place, play, marks=marks)


@pytest.fixture(scope="module")
def plays(chromium, jupyter, request):
    """Return what opens a notebook with the widgets that are played with, and their places."""
    opened, pages = {}, ExitStack()

    def give(kind):
        if kind not in opened:
            front_end = jupyter(kind)
            shown = [
                tuple(place)
                for *place, play in PLAYS
                if weekly(request.config) or play in PLAYED[kind]
            ]
            add_plays(front_end, shown)
            pages.callback(front_end.leave)
            visit = pages.enter_context(chromium.visit())
            front_end.open(visit, "plays", len(shown))
            assert visit.errors == visit.outside == []
            opened[kind] = visit, shown
        return opened[kind]

    with pages:
        yield give


@pytest.mark.parametrize(("kind", "lesson", "nth", "play"), [*_played()])
def test_a_lessons_widget_obeys_hands_and_saves_from_every_control(plays, kind, lesson, nth, play):
    visit, shown = plays(kind)
    visit.errors.clear()  # each tells of its own
    use(visit, play, shown.index((lesson, nth)), also=shares_its_keys)


@pytest.mark.weekly
@pytest.mark.parametrize("kind", PLAYED)
def test_axe_objects_to_nothing_in_any_widget_that_was_used(plays, kind):
    visit, _ = plays(kind)
    assert visit.violations(".attnlib-live") == []
