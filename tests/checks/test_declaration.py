"""What a declaration finds in its module, and what it computes once."""

import gc
import weakref

import numpy as np
import pytest

from attnlib.checks.engine import answered, examine
from attnlib.checks.exercise import Case, Exercise, Promise, wrongly_set
from tests.checks.specs import load

SPEC = """
import numpy as np
from attnlib.checks.exercise import Case, Exercise, mistake, wrongly_set
from attnlib.checks.wrong_attention import family

def answer(x):
    return x + x

def turned(x, *, times=2):
    return times * x

zero = wrongly_set(turned, "none", "You took it no time.", "Take it twice.", times=0)

@mistake("squared")
def squared(x):
    \"\"\"You squared it.

    Twice a number is the number
    and the number.
    \"\"\"
    return x * x

once = wrongly_set(turned, "once", "You took it once.", "Once more.", times=1)
MADE = Exercise(answer=answer, cases=lambda: [Case("two", (np.array([1.0, 3.0]),))]{more})
"""


def made(more=""):
    names = {"__name__": "homework.twice"}
    exec(SPEC.replace("{more}", more), names)
    return names["MADE"]


def test_the_mistakes_of_its_module_are_its_own_in_their_order():
    assert [known.name for known in made().mistakes] == ["none", "squared", "once"]
    known = made().mistakes[1]
    assert (known.sentence, known.hint) == (
        "You squared it.",
        "Twice a number is the number and the number.",
    )


@pytest.mark.parametrize(
    ("more", "places"),
    [("family()[:2]", "own, shared"), ("(*family()[:2], ...)", "shared, own")],
)
def test_mistakes_of_others_are_named_before_its_own_or_behind(more, places):
    parts = {"own": ["none", "squared", "once"], "shared": ["no scaling", "divided by the width"]}
    due = [name for part in places.split(", ") for name in parts[part]]
    assert [known.name for known in made(f", mistakes={more}").mistakes] == due


def test_without_a_solution_it_is_called_as_its_file_is():
    exercise = made()
    assert (exercise.name, exercise.parameters) == ("twice", ("x",))
    told = str(examine(exercise, lambda x: x))
    assert told.startswith("twice: not right yet.\nYou took it once.")


def test_a_wrong_setting_says_what_is_set_and_others_stay_right():
    def turned(x, *, times=2, plus=0):
        return times * x + plus

    known = wrongly_set(turned, "more", "You added 1.", "Do not.", plus=1)
    assert known.function(3) == 7
    assert known.setting == {"plus": 1}
    assert known.around(lambda x: (x + 1,)).setting == {"plus": 1}


def counted(function, calls):
    def counting(*inputs):
        calls.append(function.__name__)
        return function(*inputs)

    return counting


def test_a_second_check_calls_neither_the_reference_nor_a_known_mistake_again():
    softmax, calls = load("softmax"), []
    exercise = Exercise(
        solution=softmax.solution,
        answer=counted(softmax.answer, calls),
        cases=softmax.cases,
        promises=softmax.promises,
        mistakes=tuple(
            wrongly_set(counted(known.function, calls), known.name, known.sentence, known.hint)
            for known in softmax.mistakes
        ),
        hints=softmax.hints,
    )
    for wrong in (lambda s: s, lambda s: np.exp(s), np.zeros_like):
        first, n_calls = str(examine(exercise, wrong)), len(calls)
        assert str(examine(exercise, wrong)) == first
        assert len(calls) == n_calls > 0


def test_what_is_kept_cannot_be_written_into():
    attention = load("attention")
    text = str(examine(attention, lambda query, key, value: value))

    def zeroed(query, key, value):
        output = attention.answer(query, key, value)
        query[...] = key[...] = value[...] = 0
        return output

    assert examine(attention, zeroed).mistake == "input changed in place"
    report = examine(attention, lambda query, key, value: value)
    assert str(report) == text
    for arrays in [block.items for block in report.blocks if hasattr(block, "items")]:
        for shown in arrays[:3]:
            with pytest.raises(ValueError, match="read-only"):
                shown.value[...] = 0
    for case in attention.all_cases():
        due = answered(attention, attention.answer, case).arrays
        assert not any(array.flags.writeable for array in (*case.inputs, *due))


def test_of_cases_that_are_somebody_elses_nothing_is_kept():
    exercise = made()
    case = Case("drawn for one student", (np.ones(3),))
    answered(exercise, exercise.answer, case)
    assert case in exercise.answered
    gone = weakref.ref(case)
    del case
    gc.collect()
    assert gone() is None
    assert len(exercise.answered) == 0


def test_random_inputs_are_tried_where_they_can_be_drawn_the_same_each_time():
    def draw(rng):
        return (rng.normal(size=rng.integers(1, 9)),)

    promise = Promise("other numbers are right", "Look again.")
    drawn, again = (
        Exercise(
            answer=abs,
            cases=lambda: [Case("one", (np.ones(1),))],
            promises=lambda: {promise: [(-np.ones(2),)]},
            draw=draw,
        ).all_cases()
        for _ in range(2)
    )
    assert len(drawn) == 42
    assert {case.promise.name for case in drawn[1:]} == {
        "other numbers are right",
        "random inputs of random sizes are right",
    }
    for one, other in zip(drawn, again, strict=True):
        np.testing.assert_array_equal(one.inputs, other.inputs)


def test_what_is_asked_for_is_told_by_its_declaration_and_not_by_its_name():
    def attention(x):
        """Double it."""
        return 2 * x

    told = []
    for word in ({}, {"returns": "output"}):
        exercise = Exercise(
            solution=attention,
            answer=attention,
            cases=lambda: [Case("two", (np.ones(2),))],
            hints=("Twice.",),
            **word,
        )
        told += [str(examine(exercise, lambda x: (x, x))).replace("\n", " ")]
    assert "only one is asked for, the answer." in told[0]
    assert "only one is asked for, the output." in told[1]
