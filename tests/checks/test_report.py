"""What a reader sees: wording, HTML, and once."""

import html.parser
import io
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import attnlib
from attnlib.checks import check, hint, solution
from attnlib.checks.engine import examine
from attnlib.checks.exercises.dot_product import EXERCISE as DOT
from attnlib.checks.exercises.self_attention import EXERCISE as SELF
from attnlib.checks.exercises.softmax import EXERCISE as SOFTMAX
from attnlib.checks.report import Array, Code, Shown, Words, number, numbers
from tests.lessons import quickly


def by_columns(scores):
    e = np.exp(scores - scores.max(axis=0))
    return e / e.sum(axis=0)


def golden(text):
    return textwrap.dedent(text).strip("\n")


def test_known_mistake_reads_well():
    assert str(examine(SOFTMAX, by_columns)) == golden("""
        softmax: not right yet.
        You normalised down the columns: axis 0.
        The smallest example that shows it:
          scores   = [[0 1 2]
                      [1 1 3]]
          yours    = [[0.27  0.5 0.27]
                      [0.73  0.5 0.73]]
          expected = [[0.09 0.24 0.67]
                      [0.11 0.11 0.79]]
        Hint: Each row must sum to 1: take maximum and sum along the last axis, and keep that axis.
        Already right: no weight is negative. Other examples come out right: a single row.
        More help: `hint("softmax", 2)`.
    """)


def test_pass_reads_well():
    assert str(examine(DOT, np.dot)) == golden("""
        dot_product: passed. 10 facts hold:
          ✓ the small example is right
          ✓ perpendicular vectors give 0
          ✓ longer vectors are right
          ✓ vectors of any length are right
          ✓ short and long vectors are right
          ✓ other numbers in the same shapes are right
          ✓ the order of the two does not matter
          ✓ twice as long a vector, twice the number
          ✓ with itself: its length, squared
          ✓ the inputs stay unchanged
    """)


def test_missing_return_reads_well():
    def dot_product(a, b):
        print(a @ b)

    assert str(examine(DOT, dot_product)) == golden("""
        dot_product: not right yet.
        Your function returned nothing. Is the `return` missing?
        The smallest example that shows it:
          a        = [1 2]
          b        = [ 4 -3]
          expected = -2
        While it ran, this was printed:
            -2.0
        Hint: Printing shows a result to you. `return` hands it to whoever called.
        More help: `hint("dot_product")`.
    """)


def test_hints_and_what_comes_after(capsys):
    for level in (1, 2, 3):
        hint("softmax", level)
    said = capsys.readouterr().out
    assert "softmax: hint 1 of 2.\nWeights are positive, and each row of them sums to 1." in said
    assert (
        "softmax: hint 2 of 2.\nTake `np.exp`, and divide by the sum along the last axis, `axis="
        in said
    )
    end = 'There are no more than 2 hints. What is left is the answer: `solution("softmax")`.'
    assert end in said


def test_solution_shows_source_and_reason(capsys):
    shown = solution("softmax")
    assert str(shown) + "\n" == capsys.readouterr().out
    assert "    def softmax(scores):\n        shifted = scores - scores.max(" in str(shown)
    assert "attnlib" not in str(shown)
    assert "Why: Exponentials are positive" in str(shown)
    assert np.allclose(shown.function(np.zeros(2)), 0.5)


@pytest.mark.parametrize("level", [True, 0, -1, 1.5, "2", None])
def test_level_of_a_hint_is_a_positive_number(level):
    with pytest.raises(ValueError, match=r"hint counts levels 1, 2, 3: level is .*the first is 1"):
        hint("softmax", level)


@pytest.mark.parametrize("ask", [lambda n: check(n, len), hint, solution])
def test_unknown_name_lists_the_known_and_the_close(ask):
    with pytest.raises(ValueError, match=r"got 'sofmax', which is none of the \d+ known") as error:
        ask("sofmax")
    assert "Did you mean 'softmax'?" in str(error.value)
    assert "weighted_average" in str(error.value)
    with pytest.raises(
        ValueError, match=r"got '\.\./engine', which is none of the \d+ known\. Known"
    ):
        ask("../engine")
    with pytest.raises(TypeError, match="got an object of type function, which is not a string"):
        ask(by_columns)


def test_numbers_have_few_digits():
    assert [number(x, 2) for x in (0.0, -0.001, 2.0, 0.5, 1 / 3, -12.345, 1e9)] == [
        "0", "0", "2", "0.5", "0.33", "-12.35", "1.0e+09",
    ]  # fmt: skip
    assert [number(x, 2) for x in (np.nan, -np.inf, np.True_)] == ["nan", "-inf", "True"]
    assert numbers(np.array([[1, -0.5], [10, 0]]), 2) == "[[   1 -0.5]\n [  10    0]]"
    assert numbers(np.zeros((0,)), 2) == "[]"
    assert numbers(np.zeros((2, 0)), 2) == "[[]\n []]"


def test_digits_grow_until_a_difference_shows():
    def nearly(a, b):
        return a @ b + 0.004

    text = str(examine(DOT, nearly))
    assert "yours    = -1.996" in text


def test_large_arrays_are_told_by_shape_and_first_difference():
    def right_for_two(x, *w):
        output = SELF.answer(x, *w)
        output[-1, -1] += len(x) > 2
        return output

    text = str(examine(SELF, right_for_two))
    assert "x        = an array of shape (17, 3)" in text
    assert "First difference in your answer, at [16, 1]:" in text


class Outline(html.parser.HTMLParser):
    """Collects what is opened and closed, and the text."""

    VOID = ("br", "hr", "img")

    def __init__(self):
        super().__init__()
        self.stack, self.seen, self.text = [], [], ""

    def handle_starttag(self, tag, attrs):
        self.stack.append(tag)
        self.seen.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.stack.pop() == tag

    def handle_data(self, data):
        self.text += data


def outline(report):
    parser = Outline()
    parser.feed(report._repr_html_())
    assert not parser.stack
    return parser


def test_html_has_tables_a_role_and_the_words():
    parsed = outline(examine(SOFTMAX, by_columns))
    tags = [tag for tag, _ in parsed.seen]
    assert tags.count("table") == tags.count("caption") == 3
    assert tags.count("strong") == 1 + 6  # the title, and every wrong number
    assert parsed.seen[0][1]["aria-label"] == "softmax: not right yet."
    html = examine(SOFTMAX, by_columns)._repr_html_()
    assert html.count("</code>&nbsp;(2,&nbsp;3)</caption>") == 3  # a name and its shape, unbroken
    assert "status" in [attrs.get("role") for _, attrs in parsed.seen]
    assert "✗ softmax: not right yet." in parsed.text
    assert "You normalised down the columns: axis 0." in parsed.text


@pytest.mark.parametrize("exercise", quickly([DOT, SELF, SOFTMAX], takes=[0]))
def test_html_of_every_mistake_is_well_formed(exercise):
    for known in exercise.mistakes:
        assert exercise.name in outline(examine(exercise, known.function)).text


def test_states_differ_by_more_than_red_and_green():
    reports = [examine(SOFTMAX, f) for f in (by_columns, attnlib.softmax, ...)]
    assert [r.mark for r in reports] == ["✗", "✓", "…"]
    assert len({r.colour for r in reports}) == 3
    assert all(r.colour.startswith("var(--jp-") and ", #" in r.colour for r in reports)


def test_learners_text_is_escaped():
    def evil(a, b):
        print("<script>alert(1)</script>")
        raise ValueError("<img src=x onerror=alert(1)> `<b>`")

    evil.__name__ = "<u>"
    source = examine(DOT, evil)._repr_html_()
    assert not {"<script", "<img", "<b>", "<u>"} & {
        w for w in ("<script", "<img", "<b>") if w in source
    }
    assert "&lt;img src=x" in source


def test_code_is_not_broken_across_lines():
    text = Words("word " * 17 + "`a b c d e f g h` end").as_text()
    assert "`a b c d e f g h`" in text
    assert Code("a\nb").as_text() == "    a\n    b"


def test_deep_and_empty_arrays_have_html():
    assert "<pre>" in Array("x", np.zeros((2, 3, 1))).as_html()
    assert "an array of shape (0, 3)" in Array("x", np.zeros((0, 3))).as_html()
    assert "an array of shape (9, 9)" in Array("x", np.zeros((9, 9))).as_html()


def test_plain_python_prints_the_text_once(capsys):
    report = check("softmax", by_columns)
    assert capsys.readouterr().out == f"{report}\n"
    assert repr(report) == "<Report: softmax: not right yet.>"


def test_console_without_the_letters_still_prints(monkeypatch):
    stdout = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", stdout)
    Shown("ok ✓", []).show()
    stdout.flush()
    assert stdout.buffer.getvalue().strip() == b"ok ?"


def test_importing_attnlib_loads_no_checks_and_a_check_one_spec():
    program = (
        "import sys, attnlib\n"
        "assert not [m for m in sys.modules if m.startswith('attnlib.checks')]\n"
        "attnlib.check('softmax', ...)\n"
        "specs = [m for m in sys.modules if m.startswith('attnlib.checks.exercises.')]\n"
        "assert specs == ['attnlib.checks.exercises.softmax'], specs\n"
        "assert 'IPython' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, capture_output=True)


CELLS = (
    "import numpy as np\nfrom attnlib import check, hint\ndef softmax(scores): ...",
    "check('softmax', softmax)",
    "report = check('softmax', softmax)",
    "report",
    "check('softmax', softmax); check('softmax', np.exp)",
    "report = check('softmax', np.exp)\nreport",
    "hint('softmax')",
    "for f in (softmax, np.exp):\n    check('softmax', f)\nNone",
    "check('softmax', softmax)\nsoftmax([1, 2])",
    "display(check('softmax', softmax))",
    "print(check('softmax', softmax))",
    "text = str(check('softmax', softmax))",
)


@pytest.fixture(scope="module")
def outputs():
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS])
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    return [cell.outputs for cell in notebook.cells]


@pytest.mark.filterwarnings("default")  # of the client's own event loop
@pytest.mark.parametrize(
    ("cell", "shown"), [(1, 1), (2, 1), (3, 1), (4, 2), (5, 1), (6, 1), (7, 2), (8, 1), (9, 1)]
)
def test_notebook_cell_shows_each_report_once(outputs, cell, shown):
    assert [output["output_type"] for output in outputs[cell]] == shown * ["display_data"]
    for output in outputs[cell]:
        assert set(output["data"]) == {"text/plain", "text/html"}
        assert output["data"]["text/plain"].startswith("softmax: ")


@pytest.mark.filterwarnings("default")
def test_what_is_handed_on_is_left_to_whom_it_is_handed(outputs):
    (printed,) = outputs[10]
    assert (printed["output_type"], printed["text"]) == ("stream", f"{examine(SOFTMAX, ...)}\n")
    assert outputs[11] == []


SHOWN = "softmax: not attempted yet.\n"
PLAIN = {
    "check('softmax', ...)": 1,
    "report = check('softmax', ...)": 1,
    "print(check('softmax', ...))": 1,
    "print(check('softmax', function=...))": 1,
    "print(check('softmax', ...), flush=True)": 1,
    "print(check(*['softmax', ...]))": 1,
    "text = str(check('softmax', ...))": 0,
    "text = str(check('softmax', ...)); print(text)": 1,
    "check('softmax', ...); print('and then')": 1,
    "report = check('softmax', ...); print(report)": 2,
    "status = check('softmax', ...).status": 1,
    "for f in (len, abs): check('softmax', ...)": 2,
}


@pytest.mark.parametrize("line", PLAIN)
def test_plain_python_shows_a_report_once(line, capsys):
    exec(compile(line, "<a script>", "exec"), {"check": check})
    assert capsys.readouterr().out.count(SHOWN) == PLAIN[line]


def test_hints_and_solutions_are_printed_once(capsys):
    print(hint("softmax"))
    print(solution("softmax"))
    said = capsys.readouterr().out
    assert said.count("softmax: hint 1 of 2.") == said.count("softmax: a solution.") == 1


@pytest.mark.parametrize(
    ("line", "after"),
    [
        ("check('softmax', ...)", "<Report: softmax: not attempted yet.>"),
        ("print(check('softmax', ...))", ""),
        ("report = check('softmax', ...)", ""),
    ],
)
def test_console_shows_a_report_once(line, after):
    lines = f"from attnlib import check\n{line}\n"
    run = [sys.executable, "-i", "-q"]
    done = subprocess.run(run, input=lines, capture_output=True, text=True, check=True)
    assert done.stdout.count(SHOWN) == 1
    assert done.stdout.strip().endswith(after or '`hint("softmax")`.')


@pytest.mark.filterwarnings("default")
def test_notebook_text_is_the_report(outputs):
    assert outputs[1][0]["data"]["text/plain"] == str(examine(SOFTMAX, ...))
