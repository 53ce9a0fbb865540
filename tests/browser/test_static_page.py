import pytest

from tests.browser.lessons import PLAYS, WAYS, n_widgets, use
from tests.browser.visit import StaticPage
from tests.lessons import SERIES, quickly

pytestmark = pytest.mark.needs("chromium")


@pytest.fixture(scope="module")
def front_end(made):
    with made("pages") as folder:
        yield StaticPage(folder)


FIRST = {name: lesson for lesson, name in reversed(PLAYS.items())}  # where a widget is met first


# axe takes 5 s on the longest; beside other browsers it has met 120
@pytest.mark.timeout(300)
@pytest.mark.parametrize("lesson", quickly(PLAYS, takes=map([*PLAYS].index, FIRST.values())))
def test_a_lessons_widget_obeys_mouse_keys_and_touch(chromium, front_end, lesson, request):
    full = request.config.getoption("--full")
    with chromium.visit() as visit:
        front_end.open(visit, lesson, n_widgets(lesson))
        use(visit, lesson, ways=WAYS if full else WAYS[:2])
        assert not full or visit.violations() == []


@pytest.mark.timeout(300)
@pytest.mark.parametrize("lesson", quickly(sorted(SERIES.keys() - PLAYS.keys()), takes=[]))
def test_a_page_without_a_widget_has_nothing_that_axe_objects_to(chromium, front_end, lesson):
    with chromium.visit() as visit:
        front_end.open(visit, lesson, n_widgets(lesson))
        assert visit.violations() == []
        assert visit.outside == visit.errors == []
