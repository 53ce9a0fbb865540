import pytest

from tests.browser.lessons import add_plays, shares_its_keys, use
from tests.browser.visit import Notebook7

pytestmark = [pytest.mark.needs("chromium"), pytest.mark.full]

# It draws outputs as JupyterLab does, and keeps keys as JupyterLab does not: a widget that is all
# keys and numbers, and one that is all pictures.
LESSONS = ["03_softmax", "06_multi_head"]


@pytest.fixture(scope="module")
def visit(chromium, tmp_path_factory):
    front_end = Notebook7(tmp_path_factory.mktemp("notebook7"))
    add_plays(front_end, LESSONS)
    with chromium.visit() as visit:
        front_end.open(visit, "plays", len(LESSONS))
        assert visit.errors == []
        yield visit
    front_end.close()


@pytest.mark.parametrize("lesson", LESSONS)
def test_a_lessons_widget_obeys_mouse_keys_and_touch(visit, lesson):
    visit.errors.clear()  # each tells of its own
    use(visit, lesson, LESSONS.index(lesson), also=shares_its_keys)


def test_axe_objects_to_nothing_in_any_widget_that_was_used(visit):
    assert visit.violations(".attnlib-live") == []
