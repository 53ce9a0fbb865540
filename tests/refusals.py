"""Calls that are refused, in tables: a call, and below it, indented, what it is told."""

import re

import pytest

ANSWERED = re.compile(r"\n    (?=\w+Error: )")


def refused(table):
    """Give a test each call of a table, and the answer: as many lines as its words need."""
    entries = [ANSWERED.split(entry) for entry in re.split(r"\n(?=\S)", table.strip())]
    cases = [pytest.param(call, " ".join(told.split()), id=call) for call, told in entries]
    return pytest.mark.parametrize(("call", "answer"), cases)


def answer_to(call, names):
    """Return the kind of the error that a call raises, and its words."""
    with pytest.raises((TypeError, ValueError)) as caught:
        eval(call, dict(names))
    return f"{caught.typename}: {caught.value}"
