"""The habits of those who write functions, which every check has to accept."""

import numpy as np

from attnlib.checks.entries import copied
from tests.checks.values import arrays_of, floats_changed, holds_arrays, parted


def dressed(exercise):
    """The same function with other habits: dtype, containers, parameters, prints."""
    function = exercise.solution

    def in_float32(*inputs):
        named = zip(exercise.parameters, inputs, strict=True)
        # u stays as it is: below 1, where float32 may make it 1.
        small = [x if name == "u" else floats_changed(x, single) for name, x in named]
        return parted(
            function(*small), lambda y: single(y) if np.asarray(y).dtype.kind == "f" else y
        )

    def lists_out(*inputs):
        result = parted(function(*inputs), lambda part: np.asarray(part).tolist())
        return list(result) if isinstance(result, tuple) else result

    def optional_extra(*inputs, verbose=False, axis=-1):
        return function(*inputs)

    def prints(*inputs):
        print("shapes:", [np.shape(x) for x in inputs])
        return function(*inputs)

    def remembers_nothing(*inputs):
        copies = [copied(x) for x in inputs]
        kept = parted(function(*copies), np.copy)
        for x in arrays_of(filter(holds_arrays, copies)):
            if isinstance(x, np.ndarray):
                x[...] = 0  # a function may do with copies of its own what it likes
        return kept

    return [function, in_float32, lists_out, optional_extra, prints, remembers_nothing]


def single(x):
    return x.astype(np.float32)
