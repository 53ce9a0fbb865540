"""A lesson's minutes are reckoned from what a reader does, each thing counted once."""

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell

from course.lesson import minutes as m

STUB = 'def f(x):\n    """Return x."""\n    ...'


@pytest.mark.parametrize(
    ("cell", "taken"),
    [
        (new_markdown_cell("word " * 100), 6000 / m.WORDS_A_MINUTE),
        (new_markdown_cell("*Easy, about 3 minutes.*"), 180 + 4 * 60 / m.WORDS_A_MINUTE),
        (new_markdown_cell("*Predict:* why?"), m.QUESTION + 2 * 60 / m.WORDS_A_MINUTE),
        (new_markdown_cell("$$a\n+ b$$\n\n$c$, $d$"), m.FORMULA + 2 * m.SYMBOLS),
        (new_markdown_cell("| a | b |\n|---|---|\n| c | d |"), 3 * m.LINE),
        (new_markdown_cell("![a drawing](../images/it.png)"), m.PICTURE),
        (new_markdown_cell("[one](01_one.ipynb)"), 60 / m.WORDS_A_MINUTE),
        (new_code_cell("x = 1\n\ny = 2"), m.RUN + 2 * m.LINE),
        (new_code_cell("print(1); print(2)"), m.RUN + m.LINE + m.PRINT),
        (new_code_cell("plotting.grid(x=x)"), m.RUN + m.LINE + m.PICTURE),
        (new_code_cell("plt.show()"), m.RUN + m.LINE + m.PICTURE),
        (new_code_cell("widgets.Softmax([1])"), m.RUN + m.LINE + m.WIDGET),
        (new_code_cell(STUB), 0),  # the exercise's own minutes are those of its stub and its check
        (new_code_cell('check("f", f)'), 0),
        (new_code_cell('check("f", f)\nf(1)'), m.RUN + 2 * m.LINE),
    ],
)
def test_each_thing_that_a_reader_does_takes_its_time(cell, taken):
    assert m.seconds([cell]) == pytest.approx(taken)


CORE = new_markdown_cell("# 01\n\n" + "word " * 50 * m.WORDS_A_MINUTE)
HARDER = new_markdown_cell("## A harder task: `f`\n\n*Hard, about 20 minutes.*")
OPTIONAL = new_markdown_cell("## Optional: more\n\n" + "word " * 10 * m.WORDS_A_MINUTE)
WITHIN = new_markdown_cell("### Within it\n\n" + "word " * 5 * m.WORDS_A_MINUTE)
AFTER = new_markdown_cell("## What you have now\n\n" + "word " * 10 * m.WORDS_A_MINUTE)


@pytest.mark.parametrize(
    ("cells", "told"),
    [
        ([CORE], "about 50 minutes"),
        ([CORE, HARDER], "about 50 minutes, and about 20 more for the harder task"),
        (
            [CORE, OPTIONAL, WITHIN, AFTER],
            "about 60 minutes, and about 15 more for the optional part",
        ),
        (
            [CORE, OPTIONAL, OPTIONAL, HARDER],
            "about 50 minutes, and about 40 more for the optional parts and the harder task",
        ),
    ],
)
def test_what_may_be_left_out_is_counted_apart_and_named(cells, told):
    assert m.minutes(cells).told() == told


def test_a_heading_further_down_in_a_cell_is_named_too():
    together = new_markdown_cell(f"{OPTIONAL.source}\n\n{HARDER.source}")
    assert m.minutes([CORE, together]).parts() == "the optional part and the harder task"


def test_minutes_are_rounded_to_five_and_what_there_is_is_never_none():
    short = new_markdown_cell("## A harder task: go")
    assert m.minutes([CORE, AFTER, short])[:2] == (60, 5)
    few = new_markdown_cell("word " * 3 * m.WORDS_A_MINUTE)
    assert m.minutes([CORE, few]).core == 55
