"""Nothing grows, however often a widget is touched."""

from pathlib import Path

import pytest

from tests.lessons import SERIES, quickly
from tests.widgets.goals import LEADING, recorded_with

pytestmark = pytest.mark.needs("chromium")

TOUCH = (Path(__file__).parent / "growth.js").read_text(encoding="utf-8")
SOME = ["moments", "choices", "keys", None]  # None: all kinds in turn
ALL = ["moments", "choices", "sliders", "keys", "cells", None]
ONE = {name: lesson for lesson in LEADING for name in SERIES[lesson].widgets}
PRONE = [i for i, name in enumerate(ONE) if name in ("Alignment", "Mask", "SelfAttention")]
MB = 1e6


@pytest.fixture(scope="module")
def touched(bundled):
    bundled.add_script_tag(content=TOUCH)
    return bundled


def sizes(page, browser):
    """Return the bytes of the heap and the nodes of the page, after a collection that is forced."""
    browser.send("HeapProfiler.collectGarbage")
    heap = browser.send("Runtime.getHeapUsage")["usedSize"]
    return heap, browser.send("Memory.getDOMCounters")["nodes"]


@pytest.mark.timeout(600)
@pytest.mark.parametrize(("n", "kinds"), quickly([(40, SOME), (1000, ALL)], takes=[], full=[0]))
@pytest.mark.parametrize("name", quickly([*ONE], takes=[], full=PRONE))
def test_touches_leave_nothing_behind(touched, name, n, kinds):
    browser = touched.context.new_cdp_session(touched)
    leading = recorded_with(ONE[name], "_moments")
    recorded = next(state for state in leading if state["class"] == name)
    touched.evaluate("(recorded) => show(recorded)", recorded)
    touched.evaluate("(n) => touch(n)", n)  # and compile what is used
    heap, nodes = sizes(touched, browser)
    grown = {}
    for kind in kinds:
        touched.evaluate("([n, kind]) => touch(n, kind)", [n, kind])
        heap_now, nodes_now = sizes(touched, browser)
        grown[kind or "in turn"] = ((heap_now - heap) / MB, nodes_now / nodes - 1)
    browser.detach()
    most = 0.2 + 0.8 * n / 1000  # MB: what is compiled, and what a thousand may leave
    assert {kind: left for kind, left in grown.items() if left[0] > most or left[1] > 0.02} == {}
