import pytest

from tests.browser.lessons import PLAYS, play
from tests.browser.visit import Notebook7
from tests.lessons import quickly

pytestmark = pytest.mark.needs("chromium")


@pytest.fixture(scope="module")
def front_end(tmp_path_factory):
    front_end = Notebook7(tmp_path_factory.mktemp("notebook7"))
    yield front_end
    front_end.close()


@pytest.mark.parametrize("lesson", quickly(PLAYS, takes=[2]))
def test_a_lessons_widget_obeys_mouse_keys_and_touch(chromium, front_end, lesson):
    play(chromium, front_end, lesson)
