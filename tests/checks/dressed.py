"""The habits of those who write functions, which every check has to accept."""

import numpy as np


def dressed(exercise):
    """The same function with other habits: dtype, containers, parameters, prints."""
    function = exercise.solution

    def in_float32(*inputs):
        named = zip(exercise.parameters, inputs, strict=True)
        # u stays as it is: below 1, where float32 may make it 1.
        small = [x.astype(np.float32) if is_float(x) and name != "u" else x for name, x in named]
        result = function(*small)
        if exercise.parts:
            return tuple(part.astype(np.float32) for part in result)
        return result if result.dtype == bool else result.astype(np.float32)

    def lists_out(*inputs):
        result = function(*inputs)
        return [part.tolist() for part in result] if exercise.parts else result.tolist()

    def optional_extra(*inputs, verbose=False, axis=-1):
        return function(*inputs)

    def prints(*inputs):
        print("shapes:", [np.shape(x) for x in inputs])
        return function(*inputs)

    def remembers_nothing(*inputs):
        copies = [x.copy() if isinstance(x, np.ndarray) else x for x in inputs]
        result = function(*copies)
        kept = tuple(map(np.copy, result)) if exercise.parts else np.copy(result)
        for x in copies:
            if isinstance(x, np.ndarray):
                x[...] = 0  # a function may do with copies of its own what it likes
        return kept

    return [function, in_float32, lists_out, optional_extra, prints, remembers_nothing]


def is_float(x):
    return isinstance(x, np.ndarray) and x.dtype.kind == "f"
