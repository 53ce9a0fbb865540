import pytest

from tests.browser.lessons import PLACES, PLAYS, WAYS, n_widgets, use
from tests.browser.touched import untouched, watch
from tests.browser.visit import StaticPage
from tests.conftest import full, weekly
from tests.lessons import SERIES, quickly

pytestmark = pytest.mark.needs("chromium")
ADD = """(host, name) => {
  const more = document.createElement("button");
  Object.assign(more, { type: "button", textContent: name });
  host.shadowRoot.querySelector(".foot").append(more);
}"""


@pytest.fixture(scope="module")
def front_end(made):
    with made("pages") as folder:
        yield StaticPage(folder)


# Whose pages axe reads in a full run: no other two have more kinds of elements. Weekly it is all.
AXE = ("dot_product", "heads_13")
EVERY_THIRD = range(0, len(PLAYS), 3)
# What a full run plays by touch: where a finger draws or is told from a mouse, and on a telephone's
# width. Elsewhere a tap is a click; weekly it is all.
FINGERS = ("dot_product", "heads", "mask", "self_attention", "softmax")


def test_a_control_that_nobody_touched_is_told_by_its_name(chromium, front_end):
    with chromium.visit() as visit:
        front_end.open(visit, "01_dot_product_similarity", 1)
        watch(visit)
        for name in ("add a third arrow", "turn both by 90°"):
            visit.widget(0).evaluate(ADD, name)
        for name in ("turn both", "Reset"):
            visit.widget(0).get_by_role("button", name=name).click()
        left = untouched(visit)
        assert "button: add a … arrow" in left
        assert "slider: head of a" in left
        assert not {"button: turn both by …", "button: Reset"} & {*left}


# axe takes 5 s on the longest; beside other browsers it has met 120
@pytest.mark.timeout(300)
@pytest.mark.parametrize(("lesson", "nth", "play"), quickly(PLAYS, takes=EVERY_THIRD))
def test_a_lessons_widget_obeys_mouse_keys_and_touch_and_no_control_is_left_out(
    chromium, front_end, lesson, nth, play, request
):
    whole = full(request.config)
    touched = weekly(request.config) or (whole and play in FINGERS)
    with chromium.visit() as visit:
        front_end.open(visit, lesson, n_widgets(lesson))
        watch(visit, nth)
        use(visit, play, nth, ways=WAYS if touched else WAYS[:2])
        if whole and not play.endswith(SERIES[lesson].number):  # a second play tries less
            assert untouched(visit, nth) == []
        if weekly(request.config) or (whole and play in AXE):
            assert visit.violations() == []


@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    "lesson", quickly(sorted({*SERIES} - {*dict(PLACES)}), takes=[], full=[-1])
)
def test_a_page_without_a_widget_has_nothing_that_axe_objects_to(chromium, front_end, lesson):
    with chromium.visit() as visit:
        front_end.open(visit, lesson, n_widgets(lesson))
        assert visit.violations() == []
        assert visit.outside == visit.errors == []
