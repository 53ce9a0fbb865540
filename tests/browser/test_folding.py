"""A working copy in JupyterLab and Notebook 7: answers open when their cell has run, and by key."""

import re
import sys
from pathlib import Path

import nbformat
import pytest
from playwright.sync_api import expect

from course.lab import __main__ as lab
from course.lab.copy import working_copy
from course.lesson.answers import TITLE
from course.notebook.normalise import METADATA, to_bytes
from tests.browser.visit import RUN_ALL, JupyterLab, Notebook7
from tests.lessons import quickly

pytestmark = pytest.mark.needs("chromium")
OWN = "The lesson's own version"
EDITED = ".jp-MarkdownCell:not(.jp-mod-rendered)"


@pytest.fixture(scope="module", params=quickly([JupyterLab, Notebook7], takes=[0]))
def front_end(request, tmp_path_factory):
    lab.lay_extension(Path(sys.prefix, lab.EXTENSIONS))  # JupyterLab does so when it starts
    front_end = request.param(tmp_path_factory.mktemp("folding"))
    yield front_end
    front_end.close()


def put(front_end, name, *, copied=True):
    """Write a notebook with two answers, own code and a picture; a working copy, or another's."""
    v4 = nbformat.v4
    said = [
        v4.new_markdown_cell("It is two.\n\nGo on.\n\nHow?", id="a"),
        v4.new_markdown_cell("It cannot be told.", id="b"),
    ]
    said[0].metadata.attnlib = {"folds": [[0, 1, TITLE], [4, 1, OWN]]}
    said[1].metadata.attnlib = {"folds": [[0, 1, TITLE]]}
    own = v4.new_code_cell("print('hidden')", id="c", metadata={"attnlib": {"fold": OWN}})
    cells = [v4.new_code_cell("1 + 1", id="d"), said[0], v4.new_code_cell("1 / 0", id="e"), said[1]]
    picture = "from attnlib import plotting\nplotting.grid(x=[3, 1])"
    cells += [own, v4.new_code_cell(picture, id="f")]
    notebook = v4.new_notebook(cells=cells, metadata=METADATA)
    data = nbformat.reads(working_copy(to_bytes(notebook)).decode(), as_version=4)
    if not copied:
        del data.metadata["attnlib"]
    file = front_end.file(name)
    file.parent.mkdir(exist_ok=True)
    nbformat.write(data, file)


def choose(visit, cell_id):
    """Choose a cell by keys: a click on it might open what is folded."""
    place, cells = "daebcf".index(cell_id), visit.page.locator(".jp-Cell")
    cells.first.locator(".jp-InputPrompt").click()
    for _ in range(place):
        visit.page.keyboard.press("ArrowDown")
    expect(cells.nth(place)).to_have_class(re.compile("jp-mod-active"))


def closed(visit):
    return visit.page.locator("details:not([open])")


def opens_own_code(visit, key):
    """Hidden code is a button with a name; it becomes a chosen cell, that runs."""
    button = visit.page.get_by_role("button", name=OWN, exact=True)
    expect(button).to_have_attribute("aria-expanded", "false")
    button.focus()
    visit.page.keyboard.press(key)
    expect(button).to_have_count(0)
    expect(visit.page.get_by_text("print('hidden')")).to_be_visible()
    visit.page.keyboard.press("Shift+Enter")
    expect(visit.page.locator(".jp-OutputArea-output", has_text="hidden")).to_be_visible()


def test_an_answer_opens_when_its_cell_has_run_and_a_picture_tells_its_alt_text(
    chromium, front_end
):
    with chromium.visit() as visit:
        put(front_end, "run")
        front_end.look(visit, "run")
        expect(closed(visit)).to_have_count(3)
        choose(visit, "d")
        visit.page.keyboard.press("Shift+Enter")
        expect(closed(visit)).to_have_count(2)
        expect(visit.page.locator("details p").first).to_be_visible()
        choose(visit, "e")
        visit.page.keyboard.press("Shift+Enter")
        expect(visit.page.get_by_text("ZeroDivisionError").first).to_be_visible()
        expect(closed(visit)).to_have_count(2)  # it told nothing
        opens_own_code(visit, "Space")
        choose(visit, "f")
        visit.page.keyboard.press("Shift+Enter")
        expect(visit.page.get_by_role("img", name="x, 2 numbers. 3, 1.")).to_be_visible()
        assert visit.errors == visit.outside == []
        front_end.leave()


def test_enter_opens_what_is_folded_and_bares_nothing(chromium, front_end):
    with chromium.visit() as visit:
        put(front_end, "enter")
        front_end.look(visit, "enter")
        choose(visit, "a")
        for still_closed in (2, 1):  # the answer, then the own version in the same cell
            visit.page.keyboard.press("Enter")
            assert visit.focused().startswith("<summary>")
            visit.page.keyboard.press("Enter")
            expect(closed(visit)).to_have_count(still_closed)
            choose(visit, "a")
        visit.page.get_by_text(OWN, exact=True).first.dblclick()
        expect(visit.page.locator(EDITED)).to_have_count(0)
        opens_own_code(visit, "Enter")
        assert visit.errors == []
        front_end.leave()


@pytest.mark.full
def test_somebody_elses_notebook_is_left_alone(chromium, front_end):
    with chromium.visit() as visit:
        page = visit.page
        put(front_end, "foreign", copied=False)
        idle = front_end.look(visit, "foreign")
        expect(page.get_by_role("button", name=OWN, exact=True)).to_have_count(0)
        page.get_by_role("menuitem", name="Run", exact=True).click()
        page.locator(RUN_ALL).click()
        expect(page.get_by_text("ZeroDivisionError").first).to_be_visible()
        idle.wait_for(state="attached")
        expect(closed(visit)).to_have_count(3)
        choose(visit, "a")
        page.keyboard.press("Enter")
        expect(page.locator(EDITED)).to_have_count(1)
        front_end.leave()
