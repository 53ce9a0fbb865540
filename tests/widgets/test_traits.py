"""Numbers that may be -inf: a hidden score in Python, null in JSON."""

import json
import re

import numpy as np
import pytest

from attnlib.widgets import _traits as kinds
from attnlib.widgets._base import Widget

INF = float("inf")


class Hiding(Widget):
    """A widget whose scores may be hidden."""

    scores = kinds.Numbers("n, m", hidden=True, least=-9, most=9)

    def __init__(self, scores):
        super().__init__(scores=scores)


def test_minus_infinity_is_kept_and_leaves_and_comes_as_null():
    widget = Hiding([[1, -INF], [-INF, 2]])
    assert widget.scores.tolist() == [[1, -INF], [-INF, 2]]
    sent = [[1, None], [None, 2]]
    assert widget.get_state("scores")["scores"] == sent
    assert widget.recorded()["traits"]["scores"] == sent
    json.dumps(widget.recorded(), allow_nan=False)
    widget.set_state({"scores": [[None, 3.0]]})
    assert widget.scores.tolist() == [[-INF, 3]]
    assert Hiding(np.array([[-INF, 0.1]], np.float32)).scores.tolist() == [[-INF, 0.1]]
    assert eval(repr(widget), {"Hiding": Hiding, "np": np}).recorded() == widget.recorded()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([[1, INF]], "scores must hold finite numbers, or -inf for a key that is hidden: scores is "
         "(1, 2), and scores[0, 1] = inf is not finite."),
        ([[np.nan, -INF]], "scores must hold finite numbers, or -inf for a key that is hidden: "
         "scores is (1, 2), and scores[0, 0] = nan is not finite."),
        ([[-INF, -10]], "scores must lie between -9 and 9: scores is (1, 2), and scores[0, 1] = "
         "-10 does not."),
    ],
)  # fmt: skip
def test_other_infinities_are_refused(given, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        Hiding(given)
