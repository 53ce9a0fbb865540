"""Budgets: a number beyond its plan is a line in the run's summary, one far beyond it a failure.

A pytest plugin, which conftest.py registers: a test asks for the fixture `budget`.
"""

import pytest

SLACK = 10  # per cent of the plan
KEY = "budget"  # a report's property, which comes from any worker to the one that prints


def judge(what, number, *, least=None, most=None):
    """Hold a number to its plan, which is `least`, `most` or both.

    Returns
    -------
    line : str
        What is told of it; empty where it keeps to its plan.
    fails : bool
        Whether it is beyond the plan by more than 10 % of it.
    """
    for planned, beyond in ((most, 1), (least, -1)):
        if planned is not None and (excess := beyond * (number - planned)) > 0:
            line = (
                f"{what}: {number:,}, where {planned:,} is the {'most' if beyond > 0 else 'least'}"
            )
            return line, 100 * excess > SLACK * planned
    return "", False


@pytest.fixture
def budget(record_property):
    """Hold numbers to their plans, `budget("04: words of its core", 2011, most=2000)`."""

    def hold(what, number, *, least=None, most=None):
        line, fails = judge(what, number, least=least, most=most)
        if fails:
            pytest.fail(f"{line}, and this is over {SLACK} % beyond it", pytrace=False)
        if line:
            record_property(KEY, line)

    return hold


def pytest_terminal_summary(terminalreporter):
    told = {
        value
        for reports in terminalreporter.stats.values()
        for report in reports
        for name, value in getattr(report, "user_properties", ())
        if name == KEY
    }
    if told:
        terminalreporter.section("budgets")
        for line in sorted(told):
            terminalreporter.line(f"budget: {line}")
