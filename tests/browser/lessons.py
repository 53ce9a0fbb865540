"""Each lesson's widgets, and how a person plays with them."""

from importlib import import_module
from pathlib import Path

from playwright.sync_api import TimeoutError

from attnlib import widgets
from course.render import WIDGET
from tests.browser.many import PATIENCE
from tests.lessons import SERIES

FOLDER = Path(__file__).parent / "plays"


def _play_of(kind, lesson):
    """Return the name of a play: the widget's module, and for a second lesson the number, too."""
    name = getattr(widgets, kind).__module__.rpartition(".")[2]
    own = f"{name}_{lesson.number}"
    return own if (FOLDER / f"{own}.py").exists() else name


# Of each lesson its widgets, by their places, and how each is played with. Of each kind it is the
# first one, and a lesson shows these before it shows one of a kind again.
PLAYS = [
    (name, nth, _play_of(kind, lesson))
    for name, lesson in SERIES.items()
    for nth, kind in enumerate(lesson.widgets)
]
PLACES = [(lesson, nth) for lesson, nth, _ in PLAYS]
WAYS = ("by_mouse", "by_keys", "by_touch")
SHOWN = """(host) => {  // a widget's elements, what is set in its inputs, but no ids: they change
  const place = host.shadowRoot.querySelector(".widget").cloneNode(true);
  place.querySelectorAll(".unseen").forEach((said) => said.remove());
  for (const name of ["style", "data-wide"]) { // how high it once was: nothing where it was hidden
    place.querySelector(".missing")?.removeAttribute(name);
  }
  const inputs = [...host.shadowRoot.querySelectorAll("input")];
  return place.innerHTML.replace(/ (id|for|name|aria-labelledby)="[^"]*"/g, "")
    + inputs.map(({ value, checked }) => `${value} ${checked}`);
}"""

CONTROLS = """(host) => [...host.shadowRoot.querySelectorAll("*")].filter(
  (one) => one.tabIndex >= 0 && one.getClientRects().length
)"""
FOLDED = "(host) => [...host.shadowRoot.querySelectorAll('details:not([open]) > summary')]"
CLICK = "(all) => all.forEach((one) => one.click())"
FOCUS = "(all, nth) => all[nth].focus() ?? all[nth].getRootNode().activeElement === all[nth]"


def n_widgets(lesson):
    """Count the widgets that the committed notebook shows."""
    return sum(map(_n_shown, SERIES[lesson].executed().cells))


def _n_shown(cell):
    return sum(WIDGET in output.get("data", {}) for output in cell.get("outputs", []))


# After an error Jupyter runs no other cell: what one widget says stands in its place.
AGAIN = """
from html import escape
from IPython.display import HTML
from tests.widgets.goals import recorded_widgets, revived

def again(lesson, nth):
    try:
        return revived(recorded_widgets(lesson)[nth])
    except Exception as error:
        return HTML(f"<p class='attnlib-live'>{escape(repr(error))}</p>")
"""


def add_plays(front_end, places):
    """Put these widgets of lessons, as they are recorded, into one notebook of Jupyter's.

    An opening for each, and the code of each lesson, would take most of a front end's seconds, and
    are no part of a play. One that cannot be made keeps its place, and says why.
    """
    front_end.add("plays", [AGAIN, *(f"again{place}" for place in places)])


def use(visit, play, nth, also=None, ways=WAYS):
    """Use a widget, at its place in a page, by mouse, keys and touch; then reset it.

    What there is to do besides, in this front end, is handed the visit and the place.
    """
    plays = import_module(f"tests.browser.plays.{play}")
    assert visit.widget(nth).evaluate("(host) => !!host.shadowRoot"), visit.widget(nth).inner_text()
    at_first = visit.widget(nth).evaluate(SHOWN)
    for way in ways:
        visit.page.mouse.move(0, 0)  # a pointer that rests on a widget still shows it things
        try:
            getattr(plays, way)(visit.page, visit.widget(nth))
        except Exception as error:
            error.add_note(f"{way}: the focus is on {visit.focused()}")
            visit.page.mouse.up()  # others may play on this page
            raise
    if also:
        also(visit, nth)
    _reset(visit, nth, at_first)
    assert visit.outside == []
    assert visit.errors == []


def shares_its_keys(visit, nth):
    """Save the notebook from every control of the widget; what edits and undoes stays its own."""
    page = visit.page
    page.evaluate("addEventListener('keydown', (event) => { window.pressed = event }, true)")
    folded = visit.widget(nth).evaluate_handle(FOLDED)
    folded.evaluate(CLICK)
    controls = visit.widget(nth).evaluate_handle(CONTROLS)
    n = controls.evaluate("all => all.length")
    assert n > 2
    for nth in range(n):
        assert controls.evaluate(FOCUS, nth)
        if nth == 0:
            _save(page)
        else:
            page.keyboard.press("Control+s")
        assert page.evaluate("pressed.defaultPrevented"), visit.focused()
    page.keyboard.press("Control+a")
    assert not page.evaluate("pressed.defaultPrevented")  # it would select all cells
    folded.evaluate(CLICK)


def _save(page):
    """Press Ctrl+S until the notebook is sent: while it saves it takes the key and does no more."""
    for again in reversed(range(PATIENCE)):
        try:
            with page.expect_request(lambda asked: asked.method == "PUT", timeout=1000):
                page.keyboard.press("Control+s")
            return
        except TimeoutError:
            if not again:
                raise


def _reset(visit, nth, at_first):
    """Press *Reset*, and demand that the widget is as it was at first, to the last bar."""
    widget = visit.widget(nth)
    assert widget.evaluate(SHOWN) != at_first
    widget.get_by_role("button", name="Reset").click()
    visit.page.mouse.move(0, 0)
    same = f"([host, at_first]) => ({SHOWN})(host) === at_first"
    try:
        visit.page.wait_for_function(same, arg=[widget.element_handle(), at_first])
    except TimeoutError:
        assert widget.evaluate(SHOWN) == at_first
        raise
