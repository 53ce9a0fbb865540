"""Budgets: a number beyond its plan is a line in the run's summary, one far beyond it a failure.

What has a budget is a size that somebody would notice: a reader's minutes, a page's bytes. When it
was set, the number had 15 % of room. Nothing has a least: what is short is welcome.

A pytest plugin, which conftest.py registers: a test asks for the fixture `budget`.
"""

import pytest

SLACK = 10  # per cent of the plan
KEY = "budget"  # a report's property, which comes from any worker to the one that prints


def judge(what, number, *, most):
    """Hold a number to its plan.

    Returns
    -------
    line : str
        What is told of it; empty where it keeps to its plan.
    fails : bool
        Whether it is beyond the plan by more than 10 % of it.
    """
    if number <= most:
        return "", False
    return f"{what}: {number:,}, where {most:,} is the most", 100 * (number - most) > SLACK * most


@pytest.fixture
def budget(record_property):
    """Hold numbers to their plans, `budget("04: words of its core", 2011, most=2000)`."""

    def hold(what, number, *, most):
        line, fails = judge(what, number, most=most)
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
