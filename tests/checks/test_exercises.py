"""Every exercise: its mistakes are rejected and named, its correct variants are accepted."""

import inspect
import itertools
import math
from zlib import crc32

import numpy as np
import pytest

from attnlib.checks import solution
from attnlib.checks.calling import call
from attnlib.checks.engine import UNCHANGED, examine
from attnlib.checks.entries import copied
from attnlib.checks.exercise import close
from tests.checks.dressed import dressed
from tests.checks.knobs import pairs
from tests.checks.specs import each, few
from tests.checks.values import arrays_of, holds_arrays, parted
from tests.conftest import weekly

# A quick run takes the first few mistakes and variants of each exercise, a full one every third of
# the others, too, and the weekly one all.
PARTS = [
    slice(0, 3),
    pytest.param(slice(3, None, 3), marks=pytest.mark.full),
    pytest.param(slice(4, None, 3), marks=pytest.mark.weekly),
    pytest.param(slice(5, None, 3), marks=pytest.mark.weekly),
]
in_parts = pytest.mark.parametrize("some", PARTS, ids=["first", "more", "others", "rest"])


def outcomes(exercise, function):
    return [call(function, case.inputs, exercise.parts) for case in exercise.all_cases()]


@each
def test_reference_passes(exercise):
    report = examine(exercise, exercise.answer)
    assert (report.status, report.mistake) == ("passed", None), str(report)


@each
def test_reference_is_short(exercise):
    lines = inspect.getsource(exercise.answer).splitlines()
    assert 0 < len(lines) - 2 <= 3  # without its name and its one line of docstring


@each
@in_parts
def test_mistakes_are_rejected_and_named(exercise, judge, some):
    for known in exercise.mistakes[some]:
        report = judge(known.function)[1]
        told = f"{known.name}: {report}"
        assert (report.status, report.mistake) == ("failed", known.name), told
        assert known.sentence in str(report).replace("\n", " "), told
        assert "expected" in str(report), told
        assert max(map(len, str(report).splitlines())) <= 100, told


@each
def test_what_readers_wrote_is_named(exercise, known):
    told = [examine(exercise, function).mistake for function, _ in known.named]
    assert told == [name for _, name in known.named]


@each
def test_mistakes_are_of_different_names(exercise):
    assert len({known.name for known in exercise.mistakes}) == len(exercise.mistakes)


@few
def test_no_two_mistakes_are_confused(exercise, judge):
    # Wide apart, too: where numbers differ, they differ by ten times the tolerance.
    runs = {known.name: judge(known.function)[0].outcomes for known in exercise.mistakes}
    for a, b in itertools.combinations(runs, 2):
        assert any(apart(x, y) for x, y in zip(runs[a], runs[b], strict=True)), (a, b)


def apart(x, y):
    if x.kind != "answer" or y.kind != "answer" or x.changed != y.changed:
        return x.kind != y.kind or x.changed != y.changed or x.words != y.words
    if x.altered != y.altered:
        return True
    return any(
        a.shape != b.shape or a.dtype != b.dtype or bool(np.any(distance(a, b) > 1e-3))
        for a, b in zip(x.arrays, y.arrays, strict=False)
    ) or len(x.arrays) != len(y.arrays)


def distance(a, b):
    if a.dtype == object:
        return 1.0 * (a != b)
    a, b = a.astype(float), b.astype(float)
    with np.errstate(all="ignore"):
        far = np.abs(a - b) / np.maximum(1, np.abs(b))
    return np.where(np.isfinite(far), far, np.isfinite(a) != np.isfinite(b))


@each
@in_parts
def test_correct_variants_are_accepted(exercise, known, some):
    for function in [*known.variants, *dressed(exercise)][some]:
        report = examine(exercise, function)
        assert report.status == "passed", f"{function.__name__}: {report}"


@each
def test_knobs_set_right_are_accepted(exercise, known):
    # Otherwise the pairs of wrong settings would be rejected for another reason.
    assert examine(exercise, known.turned).status == "passed"


@few
def test_two_mistakes_at_once_are_rejected_with_a_counterexample(exercise, known, request):
    found = list(pairs(known.turned, known.knobs))
    for which, function in found if weekly(request.config) else sampled(exercise, found):
        report = examine(exercise, function)
        assert report.status == "failed", which
        assert "The smallest example that shows it:" in str(report), which


def sampled(exercise, found):
    """Take two of all pairs, which ones by their names: the same every time."""
    return sorted(found, key=lambda one: crc32(f"{exercise.name} {one[0]}".encode()))[:2]


@each
def test_unlisted_mistake_is_rejected_unnamed_with_a_counterexample(exercise):
    def odd_one_out(*inputs):
        result = exercise.answer(*inputs)
        if isinstance(result, dict):
            first = next(iter(result))
            return result | {first: nudged(result[first])}
        if isinstance(result, list):
            return [*result[:-1], result[-1] + "x"]
        return (nudged(result[0]), *result[1:]) if exercise.parts else nudged(result)

    def nudged(array):
        array = np.array(array, order="C", copy=True)
        array = array.astype(float) if array.dtype.kind == "i" else array
        flat = array.reshape(-1)
        flat[-1] = ~flat[-1] if array.dtype == bool else flat[-1] + 0.03
        return array

    report = examine(exercise, odd_one_out)
    assert (report.status, report.mistake) == ("failed", None)
    assert "expected" in str(report)


@few
def test_every_fact_can_fail(exercise, judge):
    facts = [judge(known.function)[0].facts for known in exercise.mistakes]
    broken = {name for held in facts for name, holds in held.items() if not holds}
    promised = {case.shows for case in exercise.all_cases() if case.promise}  # test_promises.py
    assert {*facts[0]} - {UNCHANGED} - promised <= broken


@few
def test_changing_any_input_in_place_is_noticed(exercise):
    arrays = [holds_arrays(x) for x in next(iter(exercise.cases())).inputs]
    for i in np.flatnonzero(arrays):

        def careless(*inputs, i=i):
            result = exercise.answer(*map(copied, inputs))
            for array in arrays_of([inputs[i]]):
                if isinstance(array, np.ndarray):
                    array[...] = 0
                else:
                    inputs[i].clear()
            return result

        report = examine(exercise, careless)
        assert (report.status, report.mistake) == ("failed", "input changed in place")
        assert f"`{exercise.parameters[i]}`" in str(report)


@each
def test_answers_cut_to_whole_numbers_fail(exercise):
    def truncated(*inputs):
        return parted(exercise.answer(*inputs), lambda part: np.asarray(part).astype(int))

    answers = [exercise.answer(*case.inputs) for case in exercise.cases()]
    parts = [part for one in answers for part in (one if isinstance(one, tuple) else (one,))]
    whole = all(map(is_whole, parts))
    assert examine(exercise, truncated).status == "failed" or whole


def is_whole(answer):
    is_array = hasattr(answer, "dtype")
    return is_array and answer.dtype != bool and np.array_equal(answer, np.trunc(answer))


@each
def test_cases_are_small_first_reproducible_and_varied(exercise):
    first, again = list(exercise.cases()), list(exercise.cases())
    for a, b in zip(first, again, strict=True):
        pairs = zip(arrays_of(a.inputs), arrays_of(b.inputs), strict=True)
        assert all(np.array_equal(x, y) for x, y in pairs)
    smallest = min(first, key=lambda case: case.size)
    assert all(np.size(x) <= 49 for x in arrays_of(smallest.inputs))
    assert any(sizes_are_products_of_distinct_primes(case.inputs) for case in first)


def sizes_are_products_of_distinct_primes(inputs):
    """Whether no size of one case is 1 or 4, or any other power, which hides a mistake."""
    sizes = {n for x in arrays_of(inputs) for n in np.shape(x)}
    sizes |= {x // 4 if x % 4 == 0 else x for x in inputs if isinstance(x, int)}  # d_model of grids
    return all(n > 1 and all(n % k**2 for k in range(2, math.isqrt(n) + 1)) for n in sizes)


@each
def test_keys_and_values_differ_in_width(exercise):
    for case in exercise.cases():
        sizes = exercise.shapes.sizes(case.inputs)
        alike = any(words in case.shows for words in ("square", "of one width"))
        if {"d_key", "d_value"} <= {*sizes} and not alike:
            assert sizes["d_key"] != sizes["d_value"], case.shows


@each
def test_softmax_of_the_small_examples_is_not_saturated(exercise):
    for hard in [known for known in exercise.mistakes if known.name == "hard argmax"]:
        for case in list(exercise.cases())[:3]:
            got, due = hard.function(*case.inputs), exercise.answer(*case.inputs)
            assert not close(*((got[0], due[0]) if exercise.parts else (got, due)))


@each
def test_solution_can_be_pasted_and_passes(exercise, capsys):
    shown = solution(exercise.name)
    assert exercise.name in capsys.readouterr().out
    names = {"np": np, "math": math}  # and no attnlib
    exec(shown.blocks[0].text, names)
    assert examine(exercise, names[exercise.name]).status == "passed"
    assert shown.function is exercise.solution
    assert names[exercise.name].__code__.co_names == shown.function.__code__.co_names


@each
def test_solution_and_reference_agree_on_all_cases(exercise):
    for got, due in zip(outcomes(exercise, exercise.solution), outcomes(exercise, exercise.answer),
                        strict=True):  # fmt: skip
        assert got.agrees(due)
        assert (got.kind, got.changed) == ("answer", ())


@each
def test_hints_are_graded_and_not_repeated(exercise):
    assert len(set(exercise.hints)) == len(exercise.hints)
    body = {line.strip() for line in inspect.getsource(exercise.solution).splitlines()}
    assert not any(line in hint for hint in exercise.hints for line in body if "return" in line)


@few
def test_report_is_the_same_every_time(exercise, judge):
    for known in exercise.mistakes[:3]:
        text = str(judge(known.function)[1])
        assert text == str(examine(exercise, known.function))
        assert " at 0x" not in text
