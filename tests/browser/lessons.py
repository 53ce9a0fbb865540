"""Each lesson's widget, and how a person plays with it."""

from importlib import import_module

import nbformat

from course import html

PLAYS = {
    "01_dot_product_similarity": "dot_product",
    "02_scaling": "scaling",
    "03_softmax": "softmax",
    "04_self_attention": "self_attention",
    "05_masking": "mask",
    "06_multi_head": "heads",
    "07_cross_attention": "alignment",
    "08_positional_encoding": "positions",
}
WAYS = ("by_mouse", "by_keys", "by_touch")


def n_widgets(lesson):
    """Count the widgets that the committed notebook shows."""
    cells = nbformat.read(html.NOTEBOOKS / f"{lesson}.ipynb", as_version=4).cells
    outputs = (output for cell in cells for output in cell.get("outputs", []))
    return sum(html.WIDGET in output.get("data", {}) for output in outputs)


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
        within = None if front_end.whole_page_is_ours else ".attnlib-live"
        assert visit.violations(within) == []
        assert visit.outside == []
        assert visit.errors == []
    front_end.leave()
