"""What a call costs is measured, and what watched before goes on watching."""

import sys
import tracemalloc

import numpy as np
import pytest

from attnlib.checks import watched


def test_the_most_that_a_call_holds_is_measured_beside_another_measurement():
    def call(n):
        np.zeros(n)
        return np.zeros(n // 4)

    assert 8e6 <= watched.held(call, 10**6) < 8.1e6
    assert not tracemalloc.is_tracing()
    tracemalloc.start()
    try:
        kept = np.zeros(10**6)
        assert watched.held(call, 10**5) < kept.nbytes / 8
        assert tracemalloc.is_tracing()
    finally:
        tracemalloc.stop()


def by_for(x):
    total = 0
    for entry in x:
        total += entry
    return total


def by_while(x):
    i = 0
    while i < len(x):
        i += 1


LOOPS = {
    "for": by_for,
    "while": by_while,
    "list": lambda x: [entry for entry in x],
    "generator": lambda x: sum(entry for entry in x),
    "map": lambda x: list(map(lambda entry: entry + 1, x)),
    "vectorize": np.vectorize(lambda entry: entry + 1),
    "recursion": lambda x: x[0] + LOOPS["recursion"](x[1:]) if len(x) else 0,
    "apply_along_axis": lambda x: np.apply_along_axis(np.sum, -1, x[:, None]),
}
NONE = (np.sum, lambda x: x @ x, lambda x: np.tri(len(x)), lambda x: [x @ x for _ in range(3)])


@pytest.mark.parametrize("loop", LOOPS.values(), ids=LOOPS)
def test_a_loop_over_what_comes_in_is_noticed(loop):
    fact = watched.no_loop("no loop", lambda n: (np.ones(n),), "Leave it out.")
    assert not fact.holds(loop)


def test_what_numpy_does_at_once_is_no_loop():
    fact = watched.no_loop("no loop", lambda n: (np.ones(n),), "Leave it out.")
    assert all(fact.holds(function) for function in NONE)


def test_a_debugger_goes_on_afterwards():
    seen = []

    def debugger(*_):
        seen.append(1)

    before = sys.gettrace()
    sys.settrace(debugger)
    try:
        assert watched.steps(by_for, np.ones(3)) > 3
        assert sys.gettrace() is debugger
        with pytest.raises(TypeError):
            watched.steps(by_for, 1)
        assert sys.gettrace() is debugger
    finally:
        sys.settrace(before)
