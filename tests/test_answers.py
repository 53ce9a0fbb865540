"""Where an answer begins and ends, and what of a cell belongs to it."""

import pytest

from course import BuildError
from course.site.stage import folding
from tests.lessons import SERIES
from tests.toys import put_lesson

CODE = "\n\n```{code-cell}\n1\n```\n\n"
ASKS = "*Predict* it."
WHOLE = "One.\n\n- a\n- b\n\n$$\nx\n\ny\n$$"  # lists and formulas fold whole


def answers(root, text):
    return put_lesson(root, "01_one", f"# 01 · One\n\n{text}\n").answers


def folded(root, text):
    """Return the pieces of prose that fold, and the code cells by number, each with its answer."""
    found = answers(root, text)
    pieces = [piece for pieces in found.prose.values() for piece in pieces if piece.answer]
    code = [index for index in range(99) if index not in found.prose][: text.count("code-cell")]
    return (
        [("\n".join(piece.lines), piece.answer) for piece in pieces],
        [found.outputs.get(index, 0) for index in code],
    )


@pytest.mark.parametrize(
    ("text", "prose", "outputs"),
    [
        (f"Before.{CODE}After.", [], [0]),
        (f"{ASKS}{CODE}After.", [("After.", 1)], [1]),
        (f"{ASKS}{CODE}After.{CODE}On.", [("After.", 1)], [1, 0]),
        (f"{ASKS}{CODE}After.\n\nOn.{CODE}", [("After.", 1)], [1, 0]),
        (f"{ASKS}{CODE}A.{CODE}B.\n\n% answered\n\nOn.", [("A.", 1), ("B.", 1)], [1, 1]),
        (f"{ASKS} More of it.\n\nA hint.{CODE}", [], [1]),
        (f"{ASKS}{CODE}A.\n\nB.\n\n% answered\n\nOn.{CODE}", [("A.\n\nB.", 1)], [1, 0]),
        (f"{ASKS}{CODE}% answered{CODE}On.", [], [1, 0]),
        (f"{ASKS}{CODE}After.\n\n## Next\n\nOn.{CODE}", [("After.", 1)], [1, 0]),
        (f"{ASKS}{CODE}After.\n\n{ASKS}{CODE}On.", [("After.", 1), ("On.", 2)], [1, 2]),
        (f"{ASKS}{CODE}{WHOLE}\n\n% answered\n\nOn.", [(WHOLE, 1)], [1]),
        (f"{ASKS}\n\n% note\nSaid.\n\n% then text{CODE}After.", [("After.", 1)], [1]),
    ],
)
def test_an_answer_is_the_next_output_and_the_paragraph_below_or_reaches_to_its_mark(
    tmp_path, text, prose, outputs
):
    assert folded(tmp_path, text.replace("\n\n\n", "\n\n")) == (prose, outputs)


def test_an_answer_ends_between_paragraphs(tmp_path):
    with pytest.raises(BuildError, match="line 4: leave a blank line above this mark"):
        answers(tmp_path, "Two\n% answered\nThree")


def test_the_site_keeps_each_line_of_what_folds(tmp_path):
    lesson = put_lesson(tmp_path, "01_one", f"# 01 · One\n\n{ASKS}\n\nA.\n\nB.\n\n## C\n\nD.\n")
    text, lines = folding(lesson.answers.prose[0])
    staged, own = text.split("\n"), lesson.notebook.cells[0].source.split("\n")
    assert sum(line.startswith("<div") for line in staged) == staged.count("</div>") == 1
    for place, line in enumerate(staged):
        if line and not line.startswith(("<div", "</div")):
            assert own[lines[place]] == line


@pytest.mark.parametrize("lesson", SERIES.values(), ids=SERIES)
def test_a_question_is_followed_by_code_whose_output_folds(lesson):
    asked = sum("*Predict" in line for line in lesson.prose.splitlines())
    assert set(lesson.answers.outputs.values()) == set(range(1, asked + 1))


def test_lessons_ask():
    assert any(lesson.answers.outputs for lesson in SERIES.values())
