"""What a sheet's source may hold, and how it is told what is wrong with one."""

import asyncio
import json
import re
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import nbformat
import numpy as np
import pytest

from attnlib.checks import expect
from course import BuildError
from course.homework.__main__ import main
from course.homework.sheet import Sheet, find_sheets
from course.homework.stored import literal

ROOT = Path(__file__).parent.parent.parent

HEAD = """---
kernelspec:
  display_name: Python 3 (ipykernel)
  language: python
  name: python3
---

# Homework 1 · A toy

```{code-cell}
import numpy as np

from attnlib.checks import expect
```

## 1 · Twice (20 points)

"""
TASK = """```{code-cell}
:task: twice

def twice(x):
    \"\"\"Return x, (n,), times two.\"\"\"
    ### BEGIN SOLUTION
    return 2 * x
    ### END SOLUTION
```

"""
QUESTION = """## 2 · Why (10 points)

Why twice?

+++ {"written": "why"}

Because.
"""
JUDGE = """
import numpy as np
from attnlib.checks.exercise import Case, Exercise, Promise

def answer(x):
    return x + x

TASK = Exercise(
    answer=answer,
    cases=lambda: [Case("three numbers", (np.array([1.0, 0.5, -2.0]),))],
    promises=lambda: {Promise("no numbers are right", "None?"): [(np.zeros(0),)]},
    draw=lambda rng: (rng.normal(size=3),),
)
"""


@pytest.fixture
def write(tmp_path):
    """Return a function that writes a folder of one sheet and its task."""

    def written(text=HEAD + TASK + QUESTION, judge=JUDGE, name="hw1_toy.md"):
        for folder, file, content in (("src", name, text), ("tasks", "twice.py", judge)):
            (tmp_path / folder).mkdir(exist_ok=True)
            (tmp_path / folder / file).write_text(content, encoding="utf-8")
        return tmp_path

    return written


def test_a_teachers_own_folder_is_made_and_making_it_again_changes_no_byte(write, capsys):
    folder = write()
    for chosen, done in (([], "written"), (["hw1"], "unchanged")):
        assert main([*chosen, "--source", str(folder)]) == 0
        assert capsys.readouterr().out == f"hw1_toy: {done}, 1 tasks, 30 points\n"
    student, teacher = (
        nbformat.read(folder / kind / "hw1" / "hw1_toy.ipynb", 4) for kind in ("student", "teacher")
    )
    code = {cell.id: cell.source for cell in student.cells if cell.cell_type == "code"}
    assert code["1-twice-20-points-2"].endswith("return ...")
    assert "HIDDEN" not in code["twice-tests"]
    assert "2 * x" not in str(student)
    assert "Because" not in str(student)
    assert not any(cell.get("outputs") or cell.get("execution_count") for cell in student.cells)
    assert "### BEGIN HIDDEN TESTS" in str(teacher)
    assert "Because" in str(teacher)
    listed = json.loads((folder / "hw1.json").read_text(encoding="utf-8"))
    assert listed["tasks"] == [{"function": "twice", "title": "1 · Twice", "points": 20}]
    assert listed["written"][0]["rubric"] == "Because."


@pytest.fixture
def told(capsys):
    """Return a function that has a folder's assignments refused, and gives what is said."""

    def refused(folder):
        assert main(["--source", str(folder)]) == 1
        assert not (folder / "student").exists()
        return capsys.readouterr().err

    return refused


# Right for the tests that the notebook carries, and not for what the judge tries besides.
PARTING = {
    "random": TASK.replace("2 * x", "2 * x if len(x) != 4 or x[0] > 0 else 3 * x"),
    "changes its input": TASK.replace("return 2 * x", "x *= 2\n    return x"),
}
FOURS = JUDGE.replace("size=3", "size=4")


@pytest.mark.parametrize("text", PARTING.values(), ids=PARTING)
def test_a_solution_that_parts_from_its_reference_is_refused(write, told, text):
    said = told(write(HEAD + text + QUESTION, FOURS))
    assert "line 21: the solution of twice and its reference part:" in said


def test_mistakes_that_no_case_catches_are_listed_and_others_named(write, tmp_path, capsys):
    known = """
from attnlib.checks.exercise import mistake

@mistake("only for one number")
def unseen(x):
    \"\"\"You took the case of 17 numbers for another.\"\"\"
    return 3 * x if len(x) == 17 else 2 * x

@mistake("thrice")
def thrice(x):
    \"\"\"You took it three times.\"\"\"
    return 3 * x

"""
    judge = FOURS.replace("TASK =", known + "TASK =")
    assert main(["--source", str(write(judge=judge))]) == 0
    said = capsys.readouterr().out
    assert "hw1_toy: twice: no case catches the mistake “only for one number”\n" in said
    assert "thrice" not in said
    student = (tmp_path / "student" / "hw1" / "hw1_toy.ipynb").read_text("utf-8")
    assert "three times" not in student  # it is packed, and told where it is made
    (tests,) = [one.source for one in nbformat.reads(student, 4).cells if one.id == "twice-tests"]
    with pytest.raises(AssertionError, match="You took it three times"):
        exec(tests, {"np": np, "expect": expect, "twice": lambda x: 3 * x})


VARIED = TASK.replace("2 * x", '{{ variant("times") }} * x').replace("times two", "times")


def test_a_sheet_with_variants_is_made_for_each_group_and_the_teachers_shows_all(write, capsys):
    place = '{{ variant("times", 2, 3) }} times, group {{ group }}.\n\n'
    judge = (
        JUDGE.replace("return x + x", "return TIMES * x")
        + "\nfrom course.homework.variants import Variant\nTIMES: Variant = 2\n"
    )
    folder = write(HEAD + place + VARIED + QUESTION, judge)
    assert main(["--source", str(folder)]) == 0, capsys.readouterr().err
    for kind, said, due in (("student", "2 times, group A.", "2, 1, -4"),
                            ("student-B", "3 times, group B.", "3.0, 1.5, -6.0")):  # fmt: skip
        text = (folder / kind / "hw1" / "hw1_toy.ipynb").read_text("utf-8")
        assert said in text
        assert f"expected = np.array([{due}])" in text
        assert "variant" not in text
    teacher = (folder / "teacher" / "hw1" / "hw1_toy.ipynb").read_text("utf-8")
    assert "# times: A 2, B 3" in teacher
    assert "2 times, group A." in teacher
    listed = json.loads((folder / "hw1.json").read_text("utf-8"))
    assert listed["groups"] == {"A": {"times": 2}, "B": {"times": 3}}
    assert main(["--source", str(write(HEAD + place + TASK + QUESTION, judge))]) == 1
    assert "line 23, of group B: UnexpectedAnswerError: twice" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("places", "why"),
    [
        ('{{ variant("times") }}', "has 0; write"),
        ('{{ variant("times", 2) }}', "has 1; write"),
        ('{{ variant("times", 2, 3) }} {{ variant("more", 2, 3, 4) }}', "has 3; write"),
        ('{{ variant("times", 2, 3) }} {{ variant("times", 3, 2) }}', "has 2; write"),
        ("{{ variant(times, 2, 3) }}", "a variant is a name and then numbers or texts"),
    ],
)
def test_a_variant_without_a_value_for_each_group_is_told_with_its_line(write, told, places, why):
    said = told(write(HEAD + places + "\n\n" + TASK + QUESTION))
    assert "hw1_toy.md: line 18: " in said
    assert why in said


@pytest.mark.parametrize("n", [None, 0, 3])
def test_as_many_hints_are_handed_out_as_the_teacher_wants(write, n):
    hints = "".join(
        f"<details><summary>Hint {k}</summary>\n\nHelp {k}.\n\n</details>\n\n" for k in (1, 2, 3)
    )
    folder = write(HEAD + hints + "Go on.\n\n" + TASK + QUESTION)
    assert main(["--source", str(folder), *([] if n is None else ["--hints", str(n)])]) == 0
    for kind in ("student", "teacher"):
        text = (folder / kind / "hw1" / "hw1_toy.ipynb").read_text("utf-8")
        assert re.findall("Help (.)", text) == ["1", "2", "3"][: 1 if n is None else n]
        assert "Go on." in text


def test_assignments_are_made_where_an_event_loop_runs_already(write):
    async def make():
        return main(["--source", str(write())])

    with ThreadPoolExecutor(1) as pool:  # the tests' own thread may have a loop already
        assert pool.submit(lambda: asyncio.run(make())).result() == 0


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (TASK.replace("    ### BEGIN SOLUTION\n", ""), "line 24: the task twice has one ### BEGIN"),
        (TASK.replace("    ###", "    y = x\n    ###", 1), "line 23: without its solution"),
        (TASK.replace("def twice(x)", "def twice(x, y)"), "line 21: the task twice takes (x)"),
        (TASK.replace("def twice", "def thrice"), "line 21: the task twice defines that function"),
        (TASK.replace("2 * x", "2 * * x"), "line 24: the task twice is no Python"),
        (TASK + TASK, "twice stands under no heading with points"),
        ("Nothing to do.\n\n", "“1 · Twice” has points and no task"),
        (TASK + "```{code-cell}\n:tests: thrice\n\n1\n```\n\n", "these tests are of thrice"),
        (TASK.replace("2 * x", "3 * x"), "twice (three numbers):\n3 is not 2 at [0]."),
    ],
)
def test_what_is_wrong_is_told_with_task_and_line(write, told, text, why):
    assert why in told(write(HEAD + text + QUESTION))


@pytest.mark.parametrize(
    ("judge", "why"),
    [
        (None, "the task twice has no file twice.py"),
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("x = 1", "it holds no TASK"),
        (JUDGE.replace("x + x", "None"), "the reference of twice has no answer for three numbers"),
    ],
)
def test_a_task_that_cannot_be_judged_is_told(write, told, judge, why):
    folder = write(judge=judge or "")
    if judge is None:
        (folder / "tasks" / "twice.py").unlink()
    assert why in told(folder)


def test_a_folder_without_sheets_and_a_misnamed_one_are_told(write, tmp_path, told):
    assert "holds none" in told(tmp_path)
    assert "is named hwN_name.md" in told(write(name="homework.md"))
    with pytest.raises(BuildError, match="reading"):
        _ = Sheet(tmp_path / "hw9_none.md").source


def test_an_unknown_assignment_is_told(capsys):
    assert main(["hw99"]) == 1
    known = ", ".join(sheet.number for sheet in find_sheets())
    assert f"'hw99' is no assignment; there are: {known}" in capsys.readouterr().err


@pytest.mark.parametrize(
    "value",
    [
        np.array([[1.5, -np.inf], [np.nan, 0.0]]),
        np.array([1, 2, 3]),
        np.array([[True, False]]),
        np.zeros((0, 3)),
        np.zeros((2, 0), dtype=bool),
        np.arange(60.0).reshape(3, 4, 5) / 7,
        (np.ones(2), np.array(3.0)),
        (1,),
        "half",
        2.5,
        7,
        np.inf,
        True,
        np.float64(0.1),
    ],
    ids=str,
)
def test_a_literal_gives_its_value_again(value):
    again = eval(literal(value), {"np": np})
    assert literal(again) == literal(value)
    pair = [one if isinstance(one, tuple) else (one,) for one in (value, again)]
    for one, other in zip(*map(partial(map, np.asarray), pair), strict=True):
        assert one.dtype == other.dtype
        assert np.array_equal(one, other, equal_nan=one.dtype.kind == "f")
    assert max(map(len, literal(value).splitlines())) <= 96


HOURS = {"three": 180, "three and a half": 210, "four": 240}
SHEETS = sorted((ROOT / "notebooks/homework/src").glob("*.md"))


@pytest.mark.parametrize("path", SHEETS, ids=lambda path: path.stem)
def test_a_sheet_takes_as_long_as_its_tasks_and_its_example(path):
    text = path.read_text("utf-8")
    (told,) = re.findall(r"\*\*Time:\*\* about ([a-z ]+) hours;", text)
    tasks = sum(map(int, re.findall(r"(?m)^\*About (\d+) minutes", text)))
    assert len(re.findall(r"(?m)^## \d · ", text)) == len(re.findall(r"(?m)^\*About \d+", text))
    assert 0 <= HOURS[told] - tasks <= 30  # half an hour at most for the example and the opening
