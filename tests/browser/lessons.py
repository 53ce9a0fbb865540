"""Each lesson's widget, and how a person plays with it."""

from importlib import import_module

from attnlib import widgets
from course.render import WIDGET
from tests.lessons import SERIES

PLAYS = {  # a play is called like its widget's module
    name: getattr(widgets, lesson.widgets[0]).__module__.rpartition(".")[2]
    for name, lesson in SERIES.items()
    if lesson.widgets
}
WAYS = ("by_mouse", "by_keys", "by_touch")


def n_widgets(lesson):
    """Count the widgets that the committed notebook shows."""
    cells = SERIES[lesson].executed().cells
    outputs = (output for cell in cells for output in cell.get("outputs", []))
    return sum(WIDGET in output.get("data", {}) for output in outputs)


def play(chromium, front_end, lesson):
    """Open a lesson, use its widget in every way, and demand that nothing at all went wrong."""
    plays = import_module(f"tests.browser.plays.{PLAYS[lesson]}")
    with chromium.visit() as visit:
        front_end.open(visit, lesson, n_widgets(lesson))
        for way in WAYS:
            visit.page.mouse.move(0, 0)  # a pointer that rests on a widget still shows it things
            try:
                getattr(plays, way)(visit.page, visit.widget())
            except Exception as error:
                error.add_note(f"{way}: the focus is on {visit.focused()}")
                raise
        assert visit.violations(".attnlib-live") == []
        assert visit.outside == []
        assert visit.errors == []
    front_end.leave()
