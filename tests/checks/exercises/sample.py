"""Right answers to sample, and wrong ones."""

import math

import numpy as np

import attnlib
from attnlib.checks.engine import examine
from attnlib.checks.exercises import sample as spec
from attnlib.checks.exercises.sample import ENDS, EXERCISE, WEIGHTLESS
from tests.checks.by_hand import softmax_row
from tests.checks.knobs import set_to
from tests.checks.promised import inputs_of
from tests.checks.weighers import weighed


def sample_by_loop(scores, u):
    if np.ndim(scores) > 1:
        return [sample_by_loop(row, each) for row, each in zip(scores, u, strict=True)]
    row = softmax_row(scores.tolist())
    left = float(u) * math.fsum(row)
    for i, weight in enumerate(row):
        left -= weight
        if left < 0:
            return i
    return max(i for i, weight in enumerate(row) if weight > 0)


def sample_by_search(scores, u):
    e = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    ends = np.cumsum(e, axis=-1)
    ends = (ends / ends[..., -1:]).reshape(-1, scores.shape[-1])
    found = [np.searchsorted(row, each, side="right") for row, each in zip(ends, np.ravel(u),
             strict=True)]  # fmt: skip
    return np.array(found, dtype=int).reshape(np.shape(u))


def sample_by_argmax(scores, u):
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    ends = np.cumsum(weights / weights.sum(-1, keepdims=True), axis=-1)
    ends = ends / ends[..., -1:]
    return np.argmax(ends > np.asarray(u)[..., None], axis=-1)


def sample_by_starts(scores, u):
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    ends = e.cumsum(-1)
    inside = (ends - ends[..., -1:] * np.expand_dims(u, -1) > 0) & (e > 0)
    return inside.argmax(axis=-1)


VARIANTS = (sample_by_loop, sample_by_search, sample_by_argmax, sample_by_starts)


KNOBS = {"weigh": [known.setting["weigh"] for known in (spec.column_weights, spec.everything)]}


def scores(s, _):
    return s


HARMLESS = {
    "a floor below the sum": "u is measured by the last sum, whatever it is",
}


def wrong():
    yield from weighed(spec.turned)
    answer = EXERCISE.answer

    us = {
        "u cut at 0.01": lambda u: np.clip(u, 0.01, 0.99),
        "u cut at 1e-9": lambda u: np.clip(u, 1e-9, 1 - 1e-9),
        "u below 0.9": lambda u: np.minimum(u, 0.9),
        "u above 0.1": lambda u: np.maximum(u, 0.1),
        "u in tenths": lambda u: np.floor(10 * u) / 10,
        "u in hundredths": lambda u: np.round(u, 2),
        "u in halves": lambda u: np.floor(2 * u) / 2,
        "u squared": np.square,
        "the first u for all": lambda u: np.full_like(u, np.ravel(u)[0]) if np.size(u) else u,
        "u sorted": lambda u: np.sort(u, axis=-1) if np.ndim(u) else u,
        "u reversed": lambda u: u[..., ::-1] if np.ndim(u) else u,
        "0.5 for u": lambda u: 0 * u + 0.5,
        "u of 1 taken for 0": lambda u: np.where(u > 0.9999, 0.0, u),
    }
    for label, change in us.items():
        yield label, lambda s, u, change=change: answer(s, change(u))
    weights = {
        "small weights left out": lambda w: np.where(w < 0.1, 0, w),
        "weights of 1e-3 at least": lambda w: np.maximum(w, 1e-3),
        "weights squared": np.square,
        "roots of weights": np.sqrt,
        "weights in tenths": lambda w: np.round(w, 1),
        "weights sorted": lambda w: np.sort(w, axis=-1),
        "weights in float16": lambda w: w.astype(np.float16),
        "the mean of a weight and even": lambda w: (w + 1 / w.shape[-1]) / 2,
        "1e-12 more for each": lambda w: w + 1e-12,
    }
    for label, change in weights.items():

        def ends(weights, change=change):
            w = change(weights).astype(float)
            return spec.added_up(w / np.maximum(w.sum(axis=-1, keepdims=True), 1e-300))

        yield label, set_to(spec.turned, {"ends": ends, "find": spec.passed})
    yield "as floats", lambda s, u: 1.0 * answer(s, u)
    finds = {
        "not divided at the end": spec.passed,
        "nothing above u is 0": spec.first_above,
        "nothing above u is the last": lambda e, u: spec.passed(e, u).clip(max=e.shape[-1] - 1),
        "the last sum made 1": last_made_1,
        "u may be reached": lambda e, u: spec.inclusive.setting["find"](e / e[..., -1:], u),
        "1e-6 early": lambda e, u: spec.first_above(e, u - 1e-6),
        "1e-6 late": lambda e, u: spec.first_above(e, u + 1e-6),
    }
    for label, find in finds.items():
        yield label, set_to(spec.turned, {"ends": spec.added_up, "find": find})
    yield "never the last", lambda s, u: np.minimum(answer(s, u), max(s.shape[-1] - 2, 0))
    yield "never the first", lambda s, u: np.maximum(answer(s, u), min(s.shape[-1] - 1, 1))
    yield (
        "of equals, the first",
        lambda s, u: np.argmax(s == np.take_along_axis(s, answer(s, u)[..., None], -1), axis=-1),
    )
    yield (
        "by a random number of its own",
        lambda s, u: answer(s, np.random.default_rng(0).random(np.shape(u))),
    )


def last_made_1(ends, u):
    ends[..., -1] = 1
    return spec.first_above(ends, u)


def test_u_reaches_its_ends_and_else_lies_inside_a_weight():
    us = [u for _, u in inputs_of(EXERCISE, ENDS)]
    assert min(map(np.min, us)) == 0
    assert max(map(np.max, us)) == np.nextafter(1, 0)
    for case in EXERCISE.all_cases():
        scores, u = case.inputs
        if case.promise not in (ENDS, WEIGHTLESS):
            gaps = np.abs(spec.whole(attnlib.softmax(scores)) - np.expand_dims(u, -1))
            assert gaps.min(initial=1) > 1e-4
    shares = [attnlib.softmax(s) for s, _ in inputs_of(EXERCISE, WEIGHTLESS)]
    for place in (0, 3, -1):  # at the beginning, in the middle and at the end of a row
        assert any((weights[..., place] == 0).all() for weights in shares)


def test_a_number_just_below_1_is_told_apart_from_1():
    known = {mistake.name: mistake for mistake in EXERCISE.mistakes}
    text = str(examine(EXERCISE, known["beyond the last sum, no index"].function))
    assert "Where `u` is shown as 1, it is just below 1." in text
    text = str(examine(EXERCISE, known["1 - u in place of u"].function))
    assert "just below 1." not in text
