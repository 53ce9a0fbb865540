import pytest

from tests.browser.lessons import PLAYS, add_plays, shares_its_keys, use
from tests.browser.visit import Notebook7

pytestmark = [pytest.mark.needs("chromium"), pytest.mark.full]

# It draws outputs as JupyterLab does, so two are played with: a widget that is all keys and
# numbers, and one that is all pictures. Keys it keeps as JupyterLab does not.
PLAYED = ["03_softmax", "06_multi_head"]


@pytest.fixture(scope="module")
def visit(chromium, tmp_path_factory):
    front_end = Notebook7(tmp_path_factory.mktemp("notebook7"))
    add_plays(front_end, PLAYS)
    with chromium.visit() as visit:
        front_end.open(visit, "plays", len(PLAYS))
        assert visit.errors == []
        yield visit
    front_end.close()


@pytest.mark.parametrize("lesson", PLAYS)
def test_a_lessons_widget_obeys_hands_and_saves_from_every_control(visit, lesson):
    visit.errors.clear()  # each tells of its own
    place = list(PLAYS).index(lesson)
    if lesson in PLAYED:
        use(visit, lesson, place, also=shares_its_keys)
        visit.widget(place).evaluate("(host) => host.classList.add('played')")
    else:
        shares_its_keys(visit, place)


def test_axe_objects_to_nothing_in_any_widget_that_was_used(visit):
    assert visit.page.locator(".played").count() == len(PLAYED)
    assert visit.violations(".played") == []
