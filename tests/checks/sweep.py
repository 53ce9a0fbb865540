"""Wrong answers that follow from an exercise's shapes: right ones, perturbed in every such way.

What is wrong with one exercise alone stands in its own file of `tests/checks/exercises`.
"""

import numpy as np

from attnlib.checks import promises
from attnlib.checks.shapes import size_of
from tests.checks.values import (
    arrays_of,
    described,
    floats_changed,
    holds_arrays,
    numbers_of,
    parted,
)


def sweep(exercise, known):
    """Wrong answers to an exercise, each with what is wrong."""
    makers = [memories, sizes]
    makers += [leading] * exercise.shapes.leading
    makers += [scaled] * (promises.SCALE in exercise.promises())
    found = [pair for maker in makers for pair in maker(exercise)]
    found += spoiled_at_the_ends(exercise, known, within=True)
    return [(label, f) for label, f in [*found, *known.wrong()] if label not in known.harmless]


def beyond(exercise, known):
    """Answers that are wrong only where nothing is promised, each with what is wrong."""
    yield from spoiled_at_the_ends(exercise, known, within=False)
    yield from known.beyond()
    if any(is_empty(case.inputs) for case in exercise.remarked()):
        yield from empties(exercise)


def spoiled_at_the_ends(exercise, known, *, within):
    """Right but at the very ends, or only beyond them."""
    share = 0.01 if within else -1e-6

    for end in exercise.ends:

        def high(*inputs, end=end):
            return largest(end, inputs) > end.most * (1 - share)

        def low(*inputs, end=end):
            return -largest(end, inputs, -1) < end.least + share * abs(end.least)

        def largest(end, inputs, sign=1):
            try:
                found = measured(exercise, known, end, inputs)
            except ValueError:  # a fact calls with other shapes
                return -np.inf
            return (sign * found).max(initial=-np.inf)

        where = "at" if within else "beyond"
        name = ", ".join(end.inputs) or "scores"
        if end.most:
            yield spoiled(exercise, f"wrong {where} the upper end of {name}", high)
        if end.least and (within or end.least < 0 or reaches_below(exercise, known, end)):
            yield spoiled(exercise, f"wrong {where} the lower end of {name}", low)


def reaches_below(exercise, known, end):
    """Whether some remark is on what lies below an end."""
    cases = [case for case in exercise.remarked() if case.promise is end.beyond]
    return any(measured(exercise, known, end, c.inputs).min() < end.least for c in cases)


def measured(exercise, known, end, inputs):
    """Give how far the thing goes in one call that an end is of: lengths, sizes, numbers."""
    values = dict(zip(exercise.parameters, inputs, strict=True))
    found = [values[name] - 1 if name.startswith("n_") else values[name] for name in end.inputs]
    found = [x if isinstance(x, dict) else np.asarray(x, float) for x in found]
    found = found or [np.asarray(known.scores(*inputs), float)]
    if "long" in end.words or "origin" in end.words:
        found = [np.linalg.norm(in_rows(x), axis=-1) for x in found]
        found = [x[x > 0] for x in found]
    found = np.concatenate([np.ravel(x) for x in found])
    return found[np.isfinite(found)]  # beside a score of -inf, finite ones count


def in_rows(x):
    """Give vectors as rows: a dictionary of arrays is one."""
    return numbers_of(x) if isinstance(x, dict) else np.atleast_1d(x)


def leading(exercise):
    """Right but for some leading axes."""
    answer, own = exercise.answer, len(exercise.shapes.inputs[0].axes)

    def at_most(most):
        def function(x, *rest):
            if x.ndim - own > most:
                raise ValueError("too many axes")
            return answer(x, *rest)

        return function

    def never(number):
        def function(x, *rest):
            return parted(answer(x, *rest), lambda part: part * (1 + (x.ndim - own == number)))

        return function

    def then(change):
        return lambda *inputs: parted(answer(*inputs), lambda part: change(part, inputs[0]))

    def first_only(part, x):
        if part.ndim > own and len(part):
            part[1:] = part[:1]
        return part

    def joined(*inputs):
        result = answer(*inputs)
        parts = result if exercise.parts else (result,)
        spare = [
            part.ndim - len(place.axes) if place.leading else 0
            for part, place in zip(parts, exercise.shapes.answers, strict=True)
        ]
        found = tuple(
            part.reshape(-1, *part.shape[n:]) if n > 1 else part
            for part, n in zip(parts, spare, strict=True)
        )
        return found if exercise.parts else found[0]

    def turned_round(part, x):
        return part.swapaxes(0, 1) if x.ndim - own > 1 and part.ndim > 1 else part

    for most in (0, 1, 2):
        yield f"at most {most} leading axes", at_most(most)
    for number in (0, 1, 2, 3):
        yield f"wrong with {number} leading axes", never(number)
    yield "the first of a batch for all", then(first_only)
    yield "leading axes joined", joined
    yield "leading axes swapped", then(turned_round)
    yield "axes of length 1 dropped", then(lambda part, x: np.squeeze(part))


def is_empty(inputs):
    whole = [x for x in inputs if type(x) is int]
    held = [len(x) for x in inputs if isinstance(x, dict)]
    return 0 in [*whole, *held, *map(np.size, arrays_of(inputs))]


def empties(exercise):
    """Right but for what is empty."""
    answer = exercise.answer

    def refused(*inputs):
        if is_empty(inputs):
            raise ValueError("nothing came in")
        return answer(*inputs)

    def then(change):
        def function(*inputs):
            result = answer(*inputs)
            return parted(result, change) if is_empty(inputs) else result

        return function

    def none(*inputs):
        return None if is_empty(inputs) else answer(*inputs)

    yield "empty refused", refused
    yield "empty has lost its axes", then(lambda part: np.zeros(0, part.dtype))
    yield "empty is None", none
    yield "empty has a row", then(lambda part: np.zeros((1, *part.shape[1:]), part.dtype))


def spoiled(exercise, label, condition):
    """A right answer, but for inputs that meet a condition."""

    def function(*inputs):
        result = exercise.answer(*inputs)
        return parted(result, spoil) if condition(*inputs) else result

    def spoil(part):
        return ~part if np.asarray(part).dtype == bool else 2 * part + 1

    return label, function


def sizes(exercise):
    """Right but where a size is 1, or is above, below or at another one."""
    shapes = exercise.shapes

    def where(label, holds):
        def condition(*inputs):
            try:
                return holds(shapes.sizes(inputs))
            except ValueError:  # a fact calls with other shapes
                return False

        return spoiled(exercise, f"wrong where {label}", condition)

    for name in shapes.names:
        yield where(f"{name} is 1", lambda found, name=name: found[name] == 1)
    comparisons = {"above": np.greater, "below": np.less, "at": np.equal}
    for a, b in shapes.pairs():
        for how, compare in comparisons.items():
            yield where(
                f"{a} is {how} {b}",
                lambda found, a=a, b=b, compare=compare: compare(
                    size_of(a, found), size_of(b, found)
                ),
            )
    for name in shapes.names if len(shapes.names) == 1 else ():
        yield where(f"{name} is above 6", lambda found, name=name: found[name] > 6)
        yield where(f"{name} is below 6", lambda found, name=name: found[name] < 6)


def memories(exercise):
    """Right at first, and then kept from an earlier call."""
    answer, n_inputs = exercise.answer, len(exercise.parameters)
    arrays = [holds_arrays(x) for x in next(iter(exercise.cases())).inputs]

    def keeping(key):
        kept = {}

        def function(*inputs):
            return kept.setdefault(key(inputs), answer(*inputs))

        return function

    if not any(arrays):
        for i in range(n_inputs):
            yield f"kept for input {i}", keeping(lambda inputs, i=i: inputs[i])
        return
    yield "kept for shapes", keeping(lambda inputs: tuple(map(described, inputs)))
    yield (
        "kept for the last shape",
        keeping(lambda inputs: described(inputs[np.flatnonzero(arrays)[-1]])),
    )
    for i in np.flatnonzero(arrays) if sum(arrays) > 1 else ():

        def key(inputs, i=i):
            others = tuple(described(x) for x in inputs)
            return numbers_of(inputs[i]).tobytes(), others

        yield f"kept for the numbers of input {i}", keeping(key)


def scaled(exercise):
    """Right but for small numbers, or for large ones."""
    answer = exercise.answer

    def then(change):
        return lambda *inputs: parted(answer(*inputs), change)

    def before(change):
        return lambda *inputs: answer(*(floats_changed(x, change) for x in inputs))

    yield "rounded to 3 decimals", then(lambda y: np.round(y, 3))
    yield "small answers made 0", then(lambda y: np.where(np.abs(y) < 1e-4, 0, y))
    yield "inputs rounded to 2 decimals", before(lambda x: np.round(x, 2))
    yield "small inputs made 0", before(lambda x: np.where(np.abs(x) < 5e-3, 0, x))
    yield "inputs cut at 100", before(lambda x: np.clip(x, -100, 100))
    yield "inputs in float16", before(lambda x: x.astype(np.float16).astype(float))
    yield "inputs made whole", before(np.trunc)
    yield "inputs made positive", before(np.abs)


def in_halves(exercise):
    """Each array that comes in, in float16."""
    arrays = [holds_arrays(x) for x in next(iter(exercise.cases())).inputs]
    for i in np.flatnonzero(arrays):

        def half(*inputs, i=i):
            cut = parted(inputs[i], lambda x: x.astype(np.float16).astype(float))
            return exercise.answer(*inputs[:i], cut, *inputs[i + 1 :])

        yield f"{exercise.parameters[i]} in float16", half
