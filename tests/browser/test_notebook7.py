import pytest

from tests.browser.lessons import play, shares_its_keys, shorten
from tests.browser.visit import Notebook7
from tests.lessons import quickly

pytestmark = pytest.mark.needs("chromium")


@pytest.fixture(scope="module")
def front_end(tmp_path_factory):
    front_end = Notebook7(tmp_path_factory.mktemp("notebook7"))
    yield front_end
    front_end.close()


# It draws outputs as JupyterLab does, and keeps keys as JupyterLab does not: a widget that is all
# keys and numbers, and one that is all pictures.
@pytest.mark.parametrize("lesson", quickly(["03_softmax", "06_multi_head"], takes=[]))
def test_a_lessons_widget_obeys_mouse_keys_and_touch(chromium, front_end, lesson):
    n = shorten(front_end.file(lesson), lesson)
    play(chromium, front_end, lesson, n=n, also=shares_its_keys)
