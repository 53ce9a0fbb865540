"""A working copy in JupyterLab and Notebook 7: answers open when their cell has run, and by key."""

import re

import nbformat
import pytest
from playwright.sync_api import expect

from course.lab.copy import working_copy
from course.lesson.answers import TITLE
from course.notebook.normalise import METADATA, to_bytes
from tests.browser.visit import RUN_ALL, JupyterLab, Notebook7
from tests.lessons import quickly

pytestmark = [pytest.mark.needs("chromium"), pytest.mark.full]
OWN = "The lesson's own version"
EDITED = ".jp-MarkdownCell:not(.jp-mod-rendered)"


N_CELLS, N_OWN = 6, 2


@pytest.fixture(scope="module", params=[JupyterLab, Notebook7])
def visit(request, chromium, jupyter):
    """A notebook that has the cells twice: the first are run, the others are opened by Enter."""
    front_end = jupyter(request.param)
    # Answers are called otherwise in another language: the notebook says how.
    put(front_end, "folds", times=2, answer="答案" if request.param is Notebook7 else TITLE)
    with chromium.visit() as visit:
        front_end.look(visit, "folds")
        expect(closed(visit)).to_have_count(2 * 3)
        yield visit
    front_end.leave()


def put(front_end, name, *, times=1, copied=True, answer=TITLE):
    """Write a notebook with two answers, own code and a picture; a working copy, or another's."""
    cells = [cell for nth in range(times) for cell in written(nth, answer)]
    metadata = METADATA if answer == TITLE else {**METADATA, "attnlib": {"answer": answer}}
    notebook = nbformat.v4.new_notebook(cells=cells, metadata=metadata)
    data = nbformat.reads(working_copy(to_bytes(notebook)).decode(), as_version=4)
    if not copied:
        del data.metadata["attnlib"]
    file = front_end.file(name)
    file.parent.mkdir(exist_ok=True)
    nbformat.write(data, file)


def written(nth, answer):
    """Return the cells, with ids of their own."""
    v4 = nbformat.v4
    said = [
        v4.new_markdown_cell("It is two.\n\nGo on.\n\nHow?", id=f"a{nth}"),
        v4.new_markdown_cell("It cannot be told.", id=f"b{nth}"),
    ]
    said[0].metadata.attnlib = {"folds": [[0, 1, answer], [4, 1, OWN]]}
    said[1].metadata.attnlib = {"folds": [[0, 1, answer]]}
    own = v4.new_code_cell("print('hidden')", id=f"c{nth}", metadata={"attnlib": {"fold": OWN}})
    picture = "from attnlib import plotting\nplotting.grid(x=[3, 1])"
    told, fails, shows = (
        v4.new_code_cell(source, id=f"{name}{nth}")
        for name, source in (("d", "1 + 1"), ("e", "1 / 0"), ("f", picture))
    )
    return [told, said[0], fails, said[1], own, shows]


def choose(visit, cell_id, nth=0):
    """Choose a cell by keys: a click on it might open what is folded."""
    place, cells = nth * N_CELLS + "daebcf".index(cell_id), visit.page.locator(".jp-Cell")
    cells.first.locator(".jp-InputPrompt").click()
    for _ in range(place):
        visit.page.keyboard.press("ArrowDown")
    expect(cells.nth(place)).to_have_class(re.compile("jp-mod-active"))


def closed(visit):
    return visit.page.locator("details:not([open])")


def opens_own_code(visit, key):
    """Hidden code is a button with a name; it becomes a chosen cell, that runs."""
    button = visit.page.get_by_role("button", name=OWN, exact=True)
    left = button.count() - 1
    expect(button.first).to_have_attribute("aria-expanded", "false")
    button.first.focus()
    visit.page.keyboard.press(key)
    expect(button).to_have_count(left)
    expect(visit.page.get_by_text("print('hidden')")).to_have_count(N_OWN - left)
    visit.page.keyboard.press("Shift+Enter")
    printed = visit.page.locator(".jp-OutputArea-output", has_text="hidden")
    expect(printed).to_have_count(N_OWN - left)
    expect(printed.last).to_be_visible()


def test_an_answer_opens_when_its_cell_has_run_and_a_picture_tells_its_alt_text(visit):
    before = closed(visit).count()
    choose(visit, "d")
    visit.page.keyboard.press("Shift+Enter")
    expect(closed(visit)).to_have_count(before - 1)
    expect(visit.page.locator("details p").first).to_be_visible()
    choose(visit, "e")
    visit.page.keyboard.press("Shift+Enter")
    expect(visit.page.get_by_text("ZeroDivisionError").first).to_be_visible()
    expect(closed(visit)).to_have_count(before - 1)  # it told nothing
    opens_own_code(visit, "Space")
    choose(visit, "f")
    visit.page.keyboard.press("Shift+Enter")
    expect(visit.page.get_by_role("img", name="x, 2 numbers. 3, 1.")).to_be_visible()
    assert visit.errors == visit.outside == []


def test_enter_opens_what_is_folded_and_bares_nothing(visit):
    before = closed(visit).count()
    choose(visit, "a", 1)
    for opened in (1, 2):  # the answer, then the own version in the same cell
        visit.page.keyboard.press("Enter")
        assert visit.focused().startswith("<summary>")
        visit.page.keyboard.press("Enter")
        expect(closed(visit)).to_have_count(before - opened)
        choose(visit, "a", 1)
    visit.page.get_by_text(OWN, exact=True).last.dblclick()
    expect(visit.page.locator(EDITED)).to_have_count(0)
    opens_own_code(visit, "Enter")
    assert visit.errors == []


@pytest.mark.parametrize("kind", quickly([JupyterLab, Notebook7], takes=[], full=[0]))
def test_somebody_elses_notebook_is_left_alone(chromium, jupyter, kind):
    front_end = jupyter(kind)
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
