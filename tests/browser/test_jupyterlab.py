import pytest

from tests.browser.lessons import PLAYS, play
from tests.browser.visit import JupyterLab
from tests.lessons import NAMES, quickly

pytestmark = pytest.mark.needs("chromium")


@pytest.fixture(scope="module")
def front_end(tmp_path_factory):
    front_end = JupyterLab(tmp_path_factory.mktemp("jupyterlab"))
    yield front_end
    front_end.close()


@pytest.mark.parametrize("lesson", quickly(PLAYS, takes=[3]))
def test_a_lessons_widget_obeys_mouse_keys_and_touch(chromium, front_end, lesson):
    play(chromium, front_end, lesson)


def test_a_lesson_that_was_left_is_not_opened_beside_the_next(chromium, front_end):
    for lesson in NAMES[:1] + NAMES[-1:]:
        with chromium.visit() as visit:
            front_end.look(visit, lesson)
            visit.page.wait_for_timeout(1000)  # for what is laid out after the lesson
            assert [lesson in session["path"] for session in front_end.sessions()] == [True]
        front_end.leave()
        assert front_end.sessions() == []
