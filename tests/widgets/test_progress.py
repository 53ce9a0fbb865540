"""progress: it counts, says in a notebook how far a loop is, and leaves nothing behind."""

import subprocess
import sys

import nbclient
import nbformat
import numpy as np
import pytest

from attnlib.widgets import progress
from course.notebook import build as builder
from tests.toys import toy_lesson

SLOW = """
import time
from attnlib.widgets import _progress, progress
half_a_second = _progress.LEAST
_progress.LEAST = 0.01  # seconds: each step below takes longer
"""
LOOP = """
for step in progress(3):
    time.sleep(0.02)
print("after")
"""
BROKEN_OFF = LOOP.replace("print", "    if step == 1:\n        break\nprint")
FAILS = LOOP.replace("print", "    1 / (step - 1)\nprint")
INTERRUPTED = FAILS.replace("1 / (step - 1)", "if step:\n        raise KeyboardInterrupt")
NESTED = """
for _ in progress(2):
    for _ in progress(2):
        time.sleep(0.02)
"""
TIMED = """
class Clock:
    now = 0.0

    def monotonic(self):
        return self.now


_progress.time, _progress.LEAST = Clock(), half_a_second
for _ in progress({n_steps}):
    _progress.time.now += 0.2
"""
SHOWN = "display_data"
CHANGED = "update_display_data"


@pytest.mark.parametrize("n_steps", [0, 1, 5, np.int64(3)])
def test_it_counts(n_steps):
    steps = list(progress(n_steps))
    assert steps == list(range(n_steps))
    assert {type(step) for step in steps} <= {int}


@pytest.mark.parametrize(
    ("n_steps", "error", "message"),
    [
        (-1, ValueError, "n_steps must be at least 0: n_steps is -1, and -1 < 0."),
        (2.5, TypeError, "n_steps must be an integer: n_steps is 2.5, and float is not int."),
        ("3", TypeError, "n_steps must be an integer: n_steps is '3', and str is not int."),
        (True, TypeError, "n_steps must be an integer: n_steps is True, and bool is not int."),
    ],
)
def test_bad_input_is_told_in_three_parts_before_the_loop(n_steps, error, message):
    with pytest.raises(error) as raised:
        progress(n_steps)
    assert str(raised.value) == message


def test_plain_python_sees_nothing_of_it():
    without = "import sys\ndel sys.modules['IPython']\n"
    run = subprocess.run(
        [sys.executable, "-c", SLOW + without + LOOP], capture_output=True, text=True, check=True
    )
    assert (run.stdout, run.stderr) == ("after\n", "")


def test_a_terminal_where_no_line_can_be_changed_sees_nothing_of_it():
    command = [sys.executable, "-m", "IPython", "--quick", "--colors=NoColor", "-c", SLOW + LOOP]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    assert run.stdout.splitlines() == ["after"]


class Listener(nbclient.NotebookClient):
    """Runs a notebook and keeps what is shown of each cell, in its order."""

    def process_message(self, msg, cell, cell_index):
        heard, content = msg["msg_type"], msg["content"]
        if heard in (SHOWN, CHANGED):
            name = content["transient"]["display_id"]
            self.heard[cell_index].append((heard, name, content["data"].get("text/plain")))
        elif heard in ("stream", "error"):
            self.heard[cell_index].append((heard, None, content.get("text", content.get("ename"))))
        return super().process_message(msg, cell, cell_index)


def code(*sources):
    return [nbformat.v4.new_code_cell(source) for source in sources]


CELLS = {
    "loop": LOOP,
    "broken off": BROKEN_OFF,
    "fails": FAILS,
    "interrupted": INTERRUPTED,
    "nested": NESTED,
    "quick": TIMED.format(n_steps=2),
    "long": TIMED.format(n_steps=10),
}


@pytest.fixture(scope="module")
def heard():
    """Return for each cell what a front end was told, and what is left of it in the end."""
    notebook = nbformat.v4.new_notebook(cells=code(SLOW, *CELLS.values()))
    listener = Listener(notebook, timeout=60, kernel_name="python3", allow_errors=True)
    listener.heard = [[] for _ in notebook.cells]
    listener.execute()
    left = [
        [output for output in cell.outputs if output.output_type not in ("stream", "error")]
        for cell in notebook.cells
    ]
    return dict(zip(CELLS, list(zip(listener.heard, left, strict=True))[1:], strict=True))


@pytest.mark.filterwarnings("default")  # of the client's own event loop
@pytest.mark.parametrize(
    ("name", "steps", "then"),
    [
        ("loop", (1, 2, 3), ("stream", "after\n")),
        ("broken off", (1,), ("stream", "after\n")),
        ("fails", (1,), ("error", "ZeroDivisionError")),
        ("interrupted", (1,), ("error", "KeyboardInterrupt")),
    ],
)
def test_a_line_is_shown_while_the_loop_runs_and_gone_before_anything_else(
    heard, name, steps, then
):
    told, left = heard[name]
    shown = [(SHOWN, None), *((CHANGED, f"step {step} of 3") for step in steps), (CHANGED, None)]
    assert [(kind, words) for kind, _, words in told] == [*shown, then]
    assert len({line for _, line, _ in told[:-1]}) == 1  # changed in place
    assert [output.data for output in left] == [{}]


@pytest.mark.filterwarnings("default")
def test_nested_loops_have_a_line_each(heard):
    told, left = heard["nested"]
    of = {line: [words for _, name, words in told if name == line] for _, line, _ in told}
    inner = [None, "step 1 of 2", "step 2 of 2", None]
    assert sorted(of.values(), key=str) == [inner] * 3  # the outer one, and twice the inner one
    assert [output.data for output in left] == [{}] * 3


@pytest.mark.filterwarnings("default")
def test_half_a_second_is_waited_for_and_between_two_numbers(heard):
    assert heard["quick"] == ([], [])
    told = [words for _, _, words in heard["long"][0]]
    assert told == [None, "step 3 of 10", "step 6 of 10", "step 9 of 10", None]


@pytest.mark.full
def test_a_built_lesson_holds_nothing_of_it_and_strict_nbval_sees_nothing(tmp_path):
    title = nbformat.v4.new_markdown_cell("# A slow page")
    lesson = toy_lesson(tmp_path, title, *code(SLOW, "for _ in progress(2):\n    time.sleep(0.1)"))
    assert builder.build(lesson.folder) == 0
    assert [cell.outputs for cell in lesson.executed().cells[1:]] == [[], []]
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "--nbval", "-q", "-p", "no:cacheprovider", "-rA",
         lesson.notebook_path.name],
        cwd=lesson.folder,
        capture_output=True,
        text=True,
    )  # fmt: skip
    assert "2 passed" in run.stdout, run.stdout
    assert run.stdout.count(CHANGED) == 3  # nbval saw the line come and go, and counts it not
