"""Budgets have slack: a line in the summary at the number, a failure 10 % beyond it."""

import pytest

from tests import budgets
from tests.budgets import judge

pytest_plugins = "pytester"


@pytest.mark.parametrize(
    ("number", "line", "fails"),
    [
        (0, "", False),
        (70, "", False),
        (71, "cells: 71, where 70 is the most", False),
        (77, "cells: 77, where 70 is the most", False),
        (78, "cells: 78, where 70 is the most", True),
        (200_001, "cells: 200,001, where 70 is the most", True),
    ],
)
def test_both_thresholds(number, line, fails):
    assert judge("cells", number, most=70) == (line, fails)


def test_the_summary_has_a_line_for_each_number_beyond_its_plan(pytester):
    pytester.makepyfile("""
        import pytest

        @pytest.mark.parametrize("number", [2000, 2200, 2201])
        def test_size(number, budget):
            budget("words", number, most=2000)
    """)
    done = pytester.runpytest(plugins=[budgets])
    done.assert_outcomes(passed=2, failed=1)
    assert "words: 2,201, where 2,000 is the most, and this is over 10 % beyond it" in done.outlines
    told = [line for line in done.outlines if line.startswith("budget:")]
    assert told == ["budget: words: 2,200, where 2,000 is the most"]
