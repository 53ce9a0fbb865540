"""Positions in the browser: each scheme shows what Python computes, and hands turn together."""

import re

import numpy as np
import pytest

from attnlib import text
from attnlib.widgets import Positions
from attnlib.widgets.positions import WHY

pytestmark = pytest.mark.needs("chromium")

SHOW = """(recorded) => {
  const place = document.createElement("div");
  document.body.replaceChildren(place);
  bundle.revive(recorded, place);
  const root = place.shadowRoot;
  const all = (chosen) => [...root.querySelectorAll(chosen)];
  return {
    told: all(".story, .story + .note").map((one) => one.textContent),
    clocks: all(".clocks li").map((one) => one.innerText.split("\\n").filter(Boolean)),
    hands: all(".hand").map((one) => one.style.transform),
    between: all(".between").map((one) => one.getAttribute("d")),
    tips: all(".hand line").map((one) => -one.getAttribute("y2")),
    line: all("polyline:not(.other)").map((one) => one.getAttribute("points")),
    others: all(".other").length,
  };
}"""


def shown(bundled, scheme, first, second, **inputs):
    """Return what stands in the live view, and the widget in Python."""
    widget = Positions(text.position_vectors(), scheme=scheme, first=first, second=second, **inputs)
    return bundled.evaluate(SHOW, widget.recorded()), widget


@pytest.mark.parametrize("scheme", ["sinusoidal", "rotary"])
def test_hands_point_where_the_rows_do_and_turn_together(bundled, scheme):
    spans = []
    for first, second in ((3, 10), (40, 47)):
        live, widget = shown(bundled, scheme, first, second)
        assert live["told"] == [widget._told(), WHY[scheme]]
        assert live["clocks"] == [list(words) for words in widget._clocks()]
        angles = [float(re.findall(r"-?[\d.]+", hand)[0]) for hand in live["hands"]]
        hands = np.stack([np.sin(angles), np.cos(angles)], axis=1) * np.array(live["tips"])[:, None]
        rows = widget.rows.reshape(2, -1, 2).swapaxes(0, 1).reshape(-1, 2)  # both of each clock
        longest = np.linalg.norm(rows, axis=1).max()
        np.testing.assert_allclose(hands, 23 * rows / longest, atol=0.01)
        spans.append([re.findall(r"-?[\d.]+", path)[-2:] for path in live["between"]])
        assert len(spans[-1]) == 8
    np.testing.assert_allclose(*np.array(spans, float), atol=1e-6)


@pytest.mark.parametrize("scheme", ["learned", "alibi"])
def test_a_line_has_what_the_first_has_with_each_place(bundled, scheme):
    live, widget = shown(bundled, scheme, 30, 12, head=2)
    assert live["told"] == [widget._told(), WHY[scheme]]
    points = np.array([point.split(",") for point in live["line"][0].split()], float)
    assert np.corrcoef(points[:, 1], widget.curve)[0, 1] < -0.9999  # y points down
    assert np.ptp(np.diff(points[:, 0])) < 0.2
    assert live["others"] == (8 if scheme == "alibi" else 0)
    assert live["clocks"] == []
