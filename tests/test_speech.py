"""A slide's minutes are reckoned from what is said, asked, shown and done on it."""

from dataclasses import replace

import pytest
from nbformat.v4 import new_code_cell

from course.lesson import minutes as m
from course.lesson import speech as s
from course.lesson.lecture import Part, Slide

WORD = 60 / m.WORDS_A_MINUTE
CODE = [new_code_cell("a = 1\nb = 2\nc = 3")]


def slide(*shown, notes=(), title="Title", minutes=1.0):
    return Slide(1, minutes, title, "", shown=list(shown), notes=list(notes))


def words(n):
    return Part(1, text="word " * n)


@pytest.mark.parametrize(
    ("made", "taken"),
    [
        (slide(words(60)), 60 * WORD),
        (slide(notes=[words(60)]), 60 * WORD),
        (slide(notes=[Part(1, text="**You need** " + "word " * 200)]), 0),
        (slide(*[replace(words(60), later=True)] * 10), 600 * WORD + 10 * s.STEP),
        (slide(*[Part(1, cell=0)] * 3), 3 * m.PICTURE),
        (slide(*[Part(1, cell=0, shows=("text",))] * 4), 4 * m.PRINT),
        (slide(*[Part(1, cell=0, shows=("code",))] * 5), 15 * m.LINE),
        (slide(*[Part(1, cell=0, shows=("code",), lines=(1, 2))] * 5), 10 * m.LINE),
        (slide(Part(1, cell=0, shows=("widget",))), m.WIDGET),
        (slide(*[Part(1, chain="a @ b = c")] * 3), 3 * m.PICTURE),
        (slide(*[Part(1, text="$$a$$")] * 3), 3 * s.WRITTEN),
        (
            slide(Part(1, text="*Predict:*"), Part(1, choices=("a", "b"))),
            s.GUESSED + 3 * WORD + s.HANDS,
        ),
        (slide(notes=[Part(1, text="Ask.", said=True)] * 9), 9 * (WORD + s.ASKED)),
        (slide(notes=[Part(1, text="word " * 99, said=True, choice=(1, "one"))]), 0),
        (slide(notes=[Part(1, text="If asked why: " + "word " * 99, said=True)]), 0),
        (slide(notes=[Part(1, text="If you ask.")]), 3 * WORD),
    ],
)
def test_each_thing_that_is_said_shown_or_asked_takes_its_time(made, taken):
    assert s.reckoned(made, CODE) == round((s.TURNED + s.HALL + WORD + taken) / 30) / 2


def test_an_exercise_takes_its_minutes_and_its_solution_where_it_is_tried():
    task = Part(1, text="*Easy, about 6 minutes.*")
    stub = Part(1, cell=0, shows=("code",))  # it is not read aloud
    tried = slide(stub, notes=[task], title="Your turn: `f`", minutes=9)
    spoken = s.TURNED + s.HALL + 3 * WORD
    assert s.reckoned(tried, CODE) == round((spoken + 360 + s.SOLUTION) / 30) / 2
    assert s.reckoned(replace(tried, minutes=1), CODE) == round(spoken / 30) / 2
