"""Hold what a lesson hands a reader's functions against what their tasks say comes in.

A lesson's kernel runs this first (`tests.test_optional`): a right function that was kept may rely
on its task, so a list where the task has an array would break it, and so would an axis more.
"""

import functools

import numpy as np

from attnlib import checks, mine

made = mine._stand_in


def kind(x):
    """Name what something is, as far as a function may rely on it."""
    if type(x) is np.ndarray:
        return f"{x.ndim}-axis array"
    kinds = dict.fromkeys((bool, int, float), "number")
    return "number" if isinstance(x, np.generic) else kinds.get(type(x), type(x).__name__)


@functools.cache
def promised(name):
    """Say of each input which kinds of things its exercise has there."""
    cases = [case.inputs for case in checks.find(name).all_cases()]
    n_inputs = max(map(len, cases))
    return [{kind(inputs[at]) for inputs in cases if len(inputs) > at} for at in range(n_inputs)]


@functools.cache
def watched(name):
    """Give what runs a reader's function, and refuses what its task does not speak of."""
    run = made(name)

    @functools.wraps(run)
    def call(*inputs, **options):
        for at, (x, kinds) in enumerate(zip(inputs, promised(name), strict=False)):
            arrays = [one for one in kinds if one.endswith("array")]  # of several: leading axes
            more = len(arrays) > 1 and isinstance(x, np.ndarray) and kind(x) > max(arrays)
            if kind(x) not in kinds and not more:
                expected = " or ".join(sorted(kinds))
                raise AssertionError(f"mine.{name}: input {at + 1} is {kind(x)}, not {expected}")
        return run(*inputs, **options)

    return call


if __name__ == "__main__":  # in a kernel, and not where pytest imports this to look for examples
    mine._stand_in = watched
