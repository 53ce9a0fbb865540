"""An input of a broken attention that shows each of its three bugs."""

from itertools import product

import numpy as np

import attnlib
from attnlib.checks.exercise import Mistake, Promise
from course.homework.task import Example

EACH = Promise(
    "the input is allowed, and each of the three bugs shows in it",
    "Return five things, query, key, value, mask and cap, as the statement describes them: small, "
    "shapes that fit, a cap from 0.01 to 10,000.",
)
BUGS = ("width", "axis", "order")
LEAST = 0.01  # by which a number has to be off
HIDES = {  # what changes too little in an input that does not show a bug, and where to look
    "width": (
        "whose width divides the scores",
        "Are two widths equal in it that need not be? If none are, let the scores matter more.",
    ),
    "axis": (
        "along which axis the softmax runs",
        "What is axis 1 of your scores, and what would it be with one more axis in front?",
    ),
    "order": (
        "whether the cap or the mask comes first",
        "Is something hidden in it, and is the cap so low that -cap still gets a weight?",
    ),
}


def attended(query, key, value, mask, cap, *, width=False, axis=False, order=False):
    """Attend with capped scores, with any of the three bugs in it."""
    scores = query @ key.swapaxes(-1, -2) / np.sqrt((value if width else key).shape[-1])
    if order:
        scores = cap * np.tanh(np.where(mask, scores, -np.inf) / cap)
    else:
        scores = np.where(mask, cap * np.tanh(scores / cap), -np.inf)
    return attnlib.softmax(scores, axis=1 if axis else -1) @ value


def shows(query, key, value, mask, cap):
    """Say of each bug whether it alone makes the output wrong; 1, or -1."""
    scores = (*query.shape[:-1], key.shape[-2])
    whole = [x.ndim >= 2 and x.shape[:-2] == query.shape[:-2] for x in (query, key, value)]
    fits = query.shape[-1] == key.shape[-1] and key.shape[-2] == value.shape[-2]
    fits = fits and np.broadcast_shapes(mask.shape, scores) == scores and mask.dtype == bool
    if not all(whole) or not fits or cap.ndim or not 0.01 <= cap <= 10_000:
        raise ValueError
    inputs = query, key, value, mask, float(cap)
    right = attended(*inputs)
    return np.array([_is_off(attended(*inputs, **{bug: True}), right) for bug in BUGS])


def _is_off(wrong, right):
    return -1.0 if np.allclose(wrong, right, rtol=0, atol=LEAST) else 1.0


def answer():
    """Give what a right example shows: each of the bugs."""
    return np.ones(len(BUGS))


def _mistakes():
    """Give a mistake for each choice of bugs that do not show."""
    for found in product((1.0, -1.0), repeat=len(BUGS)):
        hidden = [bug for bug, one in zip(BUGS, found, strict=True) if one < 0]
        if not hidden:
            continue
        which = ", and ".join(HIDES[bug][0] for bug in hidden)
        sentence = f"In your input this changes no number by more than {LEAST}: {which}."
        name = f"not shown: {' and '.join(hidden)}"
        if len(hidden) == len(BUGS):
            name = "no bug shown"
            sentence = "Your input is not one that the statement allows, or no bug in it changes "
            sentence += f"a number by more than {LEAST}."
        hint = HIDES[hidden[0]][1]
        yield Mistake(name, lambda found=found: np.array(found), sentence, hint)


TASK = Example(
    answer=answer,
    cases=lambda: [],
    promises=lambda: {EACH: [()]},
    example=("query", "key", "value", "mask", "cap"),
    shows=shows,
    mistakes=tuple(_mistakes()),
)
