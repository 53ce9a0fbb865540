import base64
import io
import json
import os
import re
import signal
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace

import nbformat
import numpy as np
import pytest
from PIL import Image

from course import BuildError, files
from course import __main__ as course_main
from course.lesson.series import choose_lessons, find_lessons
from course.notebook import build as builder
from course.notebook.difference import differences
from course.notebook.normalise import METADATA, normalise, to_bytes
from course.notebook.pictures import drawing_of, lighten
from course.render import WIDGET
from tests.lessons import lesson_at

FRONT = """\
---
jupytext:
  text_representation: {extension: .md, format_name: myst}
kernelspec: {display_name: Python 3 (ipykernel), language: python, name: python3}
---
"""

EXAMPLE = (
    FRONT
    + """
# See how attention looks

```{code-cell} ipython3
import sys

import matplotlib.pyplot as plt

for k in range(3):
    print("row", k, flush=True)  # three messages from the kernel
```

## Divide by $\\sqrt{d}$

```{code-cell} ipython3
---
alt: a "rising" line & <two> points
---
plt.plot([0, 1])
plt.show()
```

It follows.

+++

A comment in code is no heading:

```python
# not a heading
```

### An error teaches

```{code-cell} ipython3
:tags: [raises-exception]

raise ValueError("query is (3, 7), key is (5, 11), and 7 != 11.")
```

```{code-cell} ipython3
class Report:
    def __repr__(self):
        return "3 of 5 facts hold"

    def _repr_html_(self):
        return "<b>3</b> of 5 facts hold"


Report()
```

```{code-cell} ipython3
:alt: [one, two]

for k in (1, 2):
    plt.plot([k, 0])
    plt.show()
```

```{code-cell} ipython3
:tags: [stderr]

print("out")
print("err", file=sys.stderr)
print("out again")
```

## Divide by $\\sqrt{d}$

```{code-cell} ipython3
2 / 4
```
"""
)

SECTIONS = {
    "see-how-attention-looks": 2,
    "divide-by-sqrt-d": 4,
    "an-error-teaches": 4,
    "divide-by-sqrt-d_2": 2,
}
IDS = [f"{section}-{number + 1}" for section, n in SECTIONS.items() for number in range(n)]


def write(folder, name, text):
    """Write a lesson's source; the front matter takes five lines."""
    path = folder / "src" / f"{name}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text if text.startswith("---") else FRONT + text, encoding="utf-8")
    return path


def code(body, *options):
    return "\n".join(["```{code-cell}", *options, *([""] if options else []), body, "```", ""])


def read(path):
    return nbformat.read(path, as_version=4)


def stream(text, name="stdout"):
    return nbformat.v4.new_output("stream", name=name, text=text)


def shown(**data):
    data = {kind.replace("_", "/", 1): value for kind, value in data.items()}
    return nbformat.v4.new_output("display_data", data=data)


def png(array):
    file = io.BytesIO()
    Image.fromarray(np.asarray(array, dtype=np.uint8)).save(file, "PNG")
    return base64.b64encode(file.getvalue()).decode()


PIXEL = png(np.zeros((1, 1)))
GREY = np.full((5, 7), 100)


@pytest.fixture(scope="module")
def example(tmp_path_factory):
    """Build the example and return its notebook's path."""
    folder = tmp_path_factory.mktemp("example")
    write(folder, "04_example", EXAMPLE)
    assert builder.build(folder) == 0
    return folder / "04_example.ipynb"


@pytest.fixture
def cells(example):
    return {cell.id: cell for cell in read(example).cells}


# The notebook that is written


def test_notebook_is_valid_and_its_metadata_are_the_kernel_and_the_language_alone(example):
    notebook = read(example)
    nbformat.validate(notebook)
    assert (notebook.nbformat, notebook.nbformat_minor) == (4, 5)
    assert notebook.metadata == METADATA
    assert METADATA.keys() == {"kernelspec", "language_info"}
    assert "version" not in METADATA["language_info"]


def test_cells_keep_their_source_metadata_and_get_no_timings(cells):
    assert {id_: cell.metadata for id_, cell in cells.items() if cell.metadata} == {
        "divide-by-sqrt-d-2": {"alt": 'a "rising" line & <two> points'},
        "an-error-teaches-1": {"tags": ["raises-exception"]},
        "an-error-teaches-3": {"alt": ["one", "two"]},
        "an-error-teaches-4": {"tags": ["stderr"]},
    }


def test_cells_have_ids_made_from_the_heading_above_and_keep_their_counts(example):
    cells = read(example).cells
    assert [cell.id for cell in cells] == IDS
    counts = [cell.execution_count for cell in cells if cell.cell_type == "code"]
    assert counts == [1, 2, 3, 4, 5, 6, 7]


def test_consecutive_streams_are_merged_with_stdout_first(cells):
    (stdout,) = cells["see-how-attention-looks-2"].outputs
    assert stdout.text == "row 0\nrow 1\nrow 2\n"
    assert [(o.name, o.text) for o in cells["an-error-teaches-4"].outputs] == [
        ("stdout", "out\nout again\n"),
        ("stderr", "err\n"),
    ]


def test_expected_error_shows_its_name_and_message_alone(cells):
    (error,) = cells["an-error-teaches-1"].outputs
    assert error.traceback == ["ValueError: query is (3, 7), key is (5, 11), and 7 != 11."]


def test_each_figure_carries_its_own_alt_text(cells):
    figures = cells["divide-by-sqrt-d-2"].outputs + cells["an-error-teaches-3"].outputs
    assert [figure.metadata["image/png"]["alt"] for figure in figures] == [
        *('a "rising" line & <two> points', "one", "two")
    ]


def test_bytes_are_one_space_of_indent_sorted_keys_and_bare_newlines(example):
    data = example.read_bytes()
    again = json.dumps(json.loads(data), indent=1, sort_keys=True, ensure_ascii=False) + "\n"
    assert data == again.encode()
    assert b"\r" not in data


@pytest.mark.full
def test_strict_nbval_accepts_what_was_written(example):
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "--nbval", "-q", "-p", "no:cacheprovider", example.name],
        cwd=example.parent,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert "7 passed" in run.stdout, run.stdout


@pytest.mark.full
def test_building_again_changes_no_byte_and_touches_no_file(example, capsys):
    before, at = example.read_bytes(), 1_000_000_000
    os.utime(example, (at, at))
    assert builder.build(example.parent) == 0
    assert example.read_bytes() == before
    assert example.stat().st_mtime == at
    captured = capsys.readouterr()
    assert re.match(r"04_example: unchanged, 12 cells, \d+ kB, [\d.]+ s", captured.out)
    assert captured.err == ""  # no progress bar: this is no terminal


# Kernels


def test_kernel_owes_nothing_to_the_users_settings(tmp_path, monkeypatch):
    trap = tmp_path / "trap"
    for path, text in {
        ".ipython/profile_default/startup/00.py": "caught = True",
        "startup.py": "caught = True",
        "matplotlibrc": "axes.grid: True",
        "kernels/python3/kernel.json": '{"argv": ["false"], "display_name": "", "language": ""}',
    }.items():
        (trap / path).parent.mkdir(parents=True, exist_ok=True)
        (trap / path).write_text(text)
    for name, value in {
        "HOME": trap,
        "XDG_CACHE_HOME": Path.home() / ".cache",  # Matplotlib's list of fonts
        "IPYTHONDIR": trap / ".ipython",
        "PYTHONSTARTUP": trap / "startup.py",
        "PYTHONWARNINGS": "error",
        "PYTHONOPTIMIZE": "1",
        "PYTHONHASHSEED": "7",
        "MATPLOTLIBRC": trap / "matplotlibrc",
        "MPLBACKEND": "agg",
        "OMP_NUM_THREADS": "3",
        "JUPYTER_PATH": trap,
    }.items():
        monkeypatch.setenv(name, str(value))
    body = f"""\
import os, sys, warnings
from pathlib import Path
import matplotlib.pyplot as plt
print(sys.executable == {sys.executable!r}, Path.cwd() == Path({str(tmp_path)!r}))
print("caught" in globals(), plt.rcParams["axes.grid"], __debug__)
print(sys.flags.hash_randomization, {{os.environ[k] for k in os.environ if "_THREADS" in k}})
plt.plot([0, 1])
plt.show()"""
    write(tmp_path, "01_isolated", "# It\n\n" + code(body, ":alt: a line"))
    assert builder.build(tmp_path) == 0
    output, figure = read(tmp_path / "01_isolated.ipynb").cells[1].outputs
    assert output.text == "True True\nFalse False True\n0 {'1'}\n"
    assert figure.data.keys() == {"image/png", "text/plain"}
    assert re.match(r'<svg .*width="\d+" .* data-Letters="13.89"', drawing_of(figure))


@pytest.mark.full
def test_lessons_run_at_the_same_time_each_in_its_own_kernel(tmp_path):
    meet = """\
import time
from pathlib import Path
assert "mine" not in globals()
mine = Path({mine!r})
mine.touch()
while not Path({other!r}).exists():
    time.sleep(0.05)"""
    for name, other in (("01_a", "b"), ("02_b", "a")):
        write(tmp_path, name, code(meet.format(mine=name[-1], other=other)))
    assert builder.build(tmp_path, jobs=2, cell_seconds=60) == 0


@pytest.fixture(scope="module")
def failing(tmp_path_factory):
    """Build lessons that fail, each in its way, and one that does not."""
    folder = tmp_path_factory.mktemp("failing")
    define = code("def f(x):\n    y = 3\n    return y / x")
    write(folder, "01_raises", "# One\n" + code("1 + 1\n\n[][5]\n\n2", ":tags: [a, b]", ":b: 1"))
    write(folder, "02_calls", "# One\n" + define + code("# call\nf(0)"))
    write(folder, "03_syntax", "# One\n" + code("x = 1\ny = = 2"))
    write(folder, "04_dies", "# One\n" + code("import os\nos._exit(3)"))
    write(folder, "06_good", "# One\n" + code("1 + 1"))
    write(folder, "07_unread", "# One\n" + code("1", ":tags: [1"))
    write(folder, "08_address", "# One\n" + code("1\nobject()"))
    (folder / "01_raises.ipynb").write_text("before")
    (folder / "09_old.ipynb").write_text("{}")
    command = [sys.executable, "-m", "course", "build", "--folder", str(folder)]
    run = subprocess.run(command, capture_output=True, text=True, cwd=builder.ROOT, timeout=120)
    return folder, run


@pytest.mark.full
@pytest.mark.parametrize(
    "message",
    [
        "01_raises: cell 2 (one-2), 01_raises.md line 13: IndexError: list index out of range",
        "02_calls: cell 3 (one-3), 02_calls.md line 14 (called from there: line 10): "
        "ZeroDivisionError: division by zero",
        "03_syntax: cell 2 (one-2), 03_syntax.md line 9: SyntaxError: invalid syntax",
        "04_dies: cell 2 (one-2), 04_dies.md line 8: the kernel died",
        "07_unread: reading ",
        "07_unread.md: code cell 1 at line 7 could not be read: Invalid YAML",
        "08_address: cell 2 (one-2), 08_address.md line 8: an output holds a memory address",
        "error: 09_old.ipynb has no source src/09_old.md",
    ],
)
def test_failure_names_lesson_cell_and_line(failing, message):
    assert message in failing[1].stderr


@pytest.mark.full
def test_failed_lesson_leaves_its_notebook_and_the_others_are_built(failing):
    folder, run = failing
    assert (folder / "01_raises.ipynb").read_text() == "before"
    found = sorted(path.name for path in folder.iterdir())
    assert found == ["01_raises.ipynb", "06_good.ipynb", "09_old.ipynb", "src"]
    assert run.stdout.startswith("06_good: built, 2 cells")
    assert "Traceback" not in run.stderr
    assert "File " not in run.stderr
    assert len(run.stderr.splitlines()) == 7
    assert run.returncode == 1


@pytest.mark.full
def test_a_cell_that_is_not_done_in_time_is_named(tmp_path, capsys):
    write(tmp_path, "05_slow", "# One\n" + code("import time\ntime.sleep(1000)"))
    assert builder.build(tmp_path, cell_seconds=1) == 1
    told = "05_slow: cell 2 (one-2), 05_slow.md line 8: not done after 1 s, the limit of a cell"
    assert told in capsys.readouterr().err


@pytest.mark.full
@pytest.mark.skipif(os.name == "nt", reason="Windows sends Ctrl-C to a console, not to a process")
def test_ctrl_c_ends_kernels_and_leaves_notebooks_alone(tmp_path):
    os.mkfifo(tmp_path / "pid")  # who opens one end waits for the other
    wait = "import os, time\nfrom pathlib import Path\n"
    wait += "Path('pid').write_text(str(os.getpid()))\ntime.sleep(100)"
    write(tmp_path, "01_waits", code(wait))
    (tmp_path / "01_waits.ipynb").write_text("before")
    build = subprocess.Popen(
        [sys.executable, "-m", "course", "build", "--folder", str(tmp_path)],
        cwd=builder.ROOT,
        stderr=subprocess.PIPE,
        text=True,
    )
    kernel = int((tmp_path / "pid").read_text())
    build.send_signal(signal.SIGINT)
    try:
        _, stderr = build.communicate(timeout=60)
    finally:
        build.kill()
    assert build.returncode == 130
    assert stderr == "stopped: 0 of 1 lessons are built, the others as before\n"
    assert (tmp_path / "01_waits.ipynb").read_text() == "before"
    with pytest.raises(ProcessLookupError):
        os.kill(kernel, 0)


@pytest.mark.full
def test_progress_bar_is_shown_on_a_terminal(tmp_path, monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    write(tmp_path, "01_short", code("1") + "\nText.\n\n" + code("2"))
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    assert builder.build(tmp_path) == 0
    assert "2/2" in terminal.getvalue()


# Sources and ids


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (EXAMPLE.replace("It follows.", "It follows, as # 3 said."), IDS),
        (  # an inserted cell shifts the rest of its section only
            EXAMPLE.replace("It follows.", "It follows.\n\n" + code("1") + "\nSo."),
            [*IDS[:6], "divide-by-sqrt-d-5", "divide-by-sqrt-d-6", *IDS[6:]],
        ),
        (  # prose before a heading in one cell belongs to the section above
            "Before.\n\n" + code("1") + "\nSo.\n\n## Next\n\n" + code("2"),
            ["top-1", "top-2", "top-3", "next-1"],
        ),
    ],
)
def test_ids_hang_on_headings_and_places_and_not_on_words(tmp_path, text, expected):
    assert ids(tmp_path, text) == expected


def ids(folder, text):
    return [cell.id for cell in lesson_at(write(folder, "01_ids", text)).notebook.cells]


def test_ids_are_short_unique_and_valid_whatever_the_headings(tmp_path):
    headings = ["Ünïcode café", "注意力", "[A link](http://x.y/z)", "`f(x)` & _more_", "注意力"]
    headings += [f"{'word ' * 30}{k}" for k in range(13)]
    found = ids(tmp_path, "".join(f"# {heading}\n\n{code('1')}\n" for heading in headings))
    assert found[0:10:2] == ["unicode-cafe-1", "section-1", "a-link-1", "f-x-more-1", "section_2-1"]
    assert len(set(found)) == len(found) == 2 * len(headings)
    assert all(re.fullmatch(r"[a-z0-9_-]{1,64}", id_) for id_ in found)


def test_lines_point_at_each_cells_text(tmp_path):
    path = write(tmp_path, "01_lines", EXAMPLE)
    lesson = lesson_at(path)
    source = path.read_text(encoding="utf-8").splitlines()
    assert len(lesson.lines) == len(lesson.notebook.cells) == len(IDS)
    for line, cell in zip(lesson.lines, lesson.notebook.cells, strict=True):
        assert source[line - 1] == cell.source.splitlines()[0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (code("1", ":alt: 7"), "line 6: alt takes a text or a list of texts, and 7 is not"),
        (code("1", ":alt: ''"), "line 6: alt takes a text or a list of texts, and '' is not"),
        (code("1", ":tags: figure"), "line 6: tags takes a list of words, and 'figure' is not"),
        (code("1", ":- a"), "line 6: a cell's options are `:name: value`, and ['a'] is not"),
        (code("1", ":tags: [a"), "at line 6 could not be read: Invalid YAML"),
        ("+++ {no}\n\nText.\n", "at line 6 could not be read"),
        (
            "```python\n1\n\n" + code("2"),
            "cell 1 (top-1), 01_bad.md line 9: a code cell inside another block; "
            "is the fence above it closed?",
        ),
        ("---\n: [\n---\n\nText.\n", "reading "),
    ],
)
def test_source_that_does_not_parse_is_refused_with_its_line(tmp_path, text, message):
    path = write(tmp_path, "01_bad", text)
    with pytest.raises(BuildError, match=re.escape(message)) as caught:
        lesson_at(path)
    assert str(path) in str(caught.value)


def test_source_that_is_not_utf8_is_refused(tmp_path):
    path = write(tmp_path, "01_bad", "")
    path.write_bytes(b"caf\xe9")
    with pytest.raises(BuildError, match=r"01_bad\.md: 'utf-8' codec can't decode byte 0xe9"):
        lesson_at(path)


@pytest.mark.parametrize(
    "name", ["04", "04_example", "notebooks/src/04_example.md", "notebooks/04_example.ipynb"]
)
def test_lesson_is_chosen_by_number_name_or_path(name):
    lessons = {"01_dot": Path("src/01_dot.md"), "04_example": Path("src/04_example.md")}
    assert choose_lessons(lessons, [name, name]) == [Path("src/04_example.md")]
    assert choose_lessons(lessons, []) == list(lessons.values())


def test_unknown_or_ambiguous_lesson_lists_the_known_ones(tmp_path, capsys):
    for name in ("01_dot", "04_self", "04_more"):
        write(tmp_path, name, "")
    assert builder.build(tmp_path, ["07"]) == 1
    message = "error: '07' is no lesson; the lessons are: 01_dot, 04_more, 04_self\n"
    assert capsys.readouterr().err == message
    with pytest.raises(BuildError, match=r"'04' fits several lessons; .* 04_more, 04_self"):
        choose_lessons(find_lessons(tmp_path), ["04"])


def test_folder_without_lessons_is_an_error(tmp_path, capsys):
    assert builder.build(tmp_path) == 1
    message = f"error: looking for lessons NN_name.md: {tmp_path / 'src'} holds none\n"
    assert capsys.readouterr().err == message


def test_misnamed_source_is_an_error(tmp_path):
    write(tmp_path, "5_masking", "")
    with pytest.raises(BuildError, match=r"two digits, and these are not: 5_masking\.md"):
        find_lessons(tmp_path)


# What is refused, and what is tidied


def normalised(folder, outputs, *options):
    """Normalise a lesson of one cell that had these outputs, and return the cell."""
    lesson = lesson_at(write(folder, "01_one", code("f(x)", *options)))
    lesson.notebook.cells[0].outputs = outputs
    normalise(lesson, lesson.notebook, folder)
    return lesson.notebook.cells[0]


def pixels(data):
    image = Image.open(io.BytesIO(base64.b64decode(data)))
    return image.mode, np.asarray(image.convert("RGB")).astype(int)


def test_a_figure_gets_a_palette_that_nobody_sees(tmp_path):
    ink = np.random.default_rng(0).random((60, 60, 1))  # as on the rims of letters
    ink[30:] = 0
    drawn = png(255 - ink * [25, 100, 250])
    outputs = [shown(image_png=drawn, text_plain="a figure")]
    (output,) = normalised(tmp_path, outputs, ":alt: a figure").outputs
    mode, kept = pixels(output.data["image/png"])
    assert mode == "P"
    assert (kept[30:] == 255).all()
    assert abs(kept - pixels(drawn)[1]).max() <= 6
    assert len(output.data["image/png"]) < 0.7 * len(drawn)
    assert output.data["text/plain"] == "a figure"
    again = normalised(tmp_path, [shown(image_png=output.data["image/png"])], ":alt: a figure")
    assert again.outputs[0].data["image/png"] == output.data["image/png"]


SIZED = 'width="{}" height="{}"'
SVG = f"""<?xml version="1.0"?>
<!DOCTYPE svg>
<svg {SIZED.format("3.5pt", "2.499pt")}>
 <metadata>today</metadata>
   <path d="M 0.123456 12.3456"/>
</svg>
"""
DRAWN = f"""<svg {SIZED.format(7, 5)} data-Letters="0">
<path d="M 0.1235 12.35"/>
</svg>"""


def test_beside_a_figure_stands_its_drawing_without_what_changes_or_nobody_sees(tmp_path):
    outputs = [shown(image_png=png(GREY), **{"image_svg+xml": SVG})]
    (output,) = normalised(tmp_path, outputs, ":alt: a figure").outputs
    assert output.data.keys() == {"image/png"}
    assert drawing_of(output) == DRAWN
    assert output.metadata["image/png"].alt == "a figure"


ADDRESS = "an output holds a memory address, "
PATH = "holds a path of this machine: from "
ALT = "each image needs alt text, .* "


@pytest.mark.parametrize(
    ("outputs", "options", "told"),
    [
        ([stream("a\n<object object at 0x7f3614466550>\nb")], [], ADDRESS),
        ([stream("<A at 0x10>")], [], ADDRESS),
        ([shown(text_html="<b>0x7f3614466550</b>")], [], ADDRESS),
        ([shown(**{WIDGET.replace("/", "_"): {"a": ["0x7f3614466550"]}})], [], ADDRESS),
        ([nbformat.v4.new_output("error", evalue="0x00007f3614466550")], [], ADDRESS),
        ([stream(f"ok\nfrom {Path.home()}{os.sep}x.py\n")], [], PATH + re.escape(f"{Path.home()}")),
        ([stream(f"ok\nfrom {sys.prefix}{os.sep}x.py\n")], [], PATH + re.escape(sys.prefix)),
        (
            [stream("careful\nmore", "stderr")],
            [],
            "writes to stderr without the tag stderr: careful",
        ),
        ([stream("x")], [":tags: [stderr]"], "tagged stderr, and nothing was"),
        ([stream("x")], [":tags: [raises-exception]"], "tagged raises-exception, and nothing was"),
        ([shown(image_png=PIXEL)], [], ALT + "1 without their own, 0 in the cell's alt"),
        ([], [":alt: a line"], ALT + "0 without their own, 1 in the cell's alt"),
        (
            2 * [shown(image_png=PIXEL)],
            [":alt: a line"],
            ALT + "2 without their own, 1 in the cell",
        ),
    ],
)
def test_what_no_notebook_may_hold_is_refused(tmp_path, outputs, options, told):
    with pytest.raises(BuildError, match=rf"cell 1 \(top-1\), 01_one\.md line \d+: .*{told}"):
        normalised(tmp_path, outputs, *options)


def test_a_path_into_the_checkout_is_refused(tmp_path):
    with pytest.raises(BuildError, match=PATH + re.escape(f"{tmp_path.parent}")):
        normalised(tmp_path, [stream(f"ok\nfrom {tmp_path.parent}{os.sep}x.py\n")])


@pytest.mark.parametrize(
    "text", ["0x3f800000 0xff 0x1.8p+3", f"see ..{Path.home()} and {Path.home()}-made\n"]
)
def test_what_only_looks_like_an_address_or_a_path_of_this_machine_passes(tmp_path, text):
    assert normalised(tmp_path, [stream(text)]).outputs[0].text == text


def test_image_that_brings_its_alt_text_keeps_it(tmp_path):
    own = shown(image_png=PIXEL)
    own.metadata = {"image/png": {"alt": "its own", "width": 5}}
    cell = normalised(tmp_path, [own, shown(image_jpeg=PIXEL)], ":alt: given")
    assert cell.outputs[0].metadata == {"image/png": {"alt": "its own", "width": 5}}
    assert cell.outputs[1].metadata == {"image/jpeg": {"alt": "given"}}


def test_live_view_of_a_widget_is_dropped_and_the_rest_kept(tmp_path):
    live = {"application_vnd.jupyter.widget-view+json": {"model_id": "a"}}
    cell = normalised(tmp_path, [shown(text_plain="Dots()", **live), shown(**live)])
    assert [output.data for output in cell.outputs] == [{"text/plain": "Dots()"}]


def test_timings_and_widget_state_are_dropped(tmp_path):
    lesson = lesson_at(write(tmp_path, "01_one", code("1")))
    notebook = lesson.notebook
    notebook.metadata.widgets = {"state": {}}
    notebook.cells[0].metadata.execution = {"iopub.status.busy": "12:00"}
    normalise(lesson, notebook, tmp_path)
    assert set(notebook.metadata) == {"kernelspec", "language_info"}
    assert notebook.cells[0].metadata == {}


def test_streams_around_a_picture_are_not_merged(tmp_path):
    outputs = [stream("a"), stream("b"), shown(text_plain="c"), stream("d")]
    cell = normalised(tmp_path, outputs)
    assert [o.get("text") for o in cell.outputs] == ["ab", None, "d"]


def test_failed_write_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "01_a.ipynb"
    path.write_bytes(b"old")

    def full(source, target):
        raise OSError("disk full")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OSError, match="disk full"):
        files.write(path, b"new")
    assert [p.name for p in tmp_path.iterdir()] == ["01_a.ipynb"]
    assert path.read_bytes() == b"old"


# Differences


def notebook_bytes(source="f(x)", output=None, **metadata):
    cell = nbformat.v4.new_code_cell(source, id="softmax-1", execution_count=1, metadata=metadata)
    cell.outputs = [output or stream("a\nb\n")]
    return to_bytes(nbformat.v4.new_notebook(cells=[cell]))


@pytest.mark.parametrize(
    ("old", "new", "differing", "told"),
    [
        ({"source": "f(x)\ng(x)"}, {"source": "f(x)\ng(y)"}, "source", (2, "g(x)", "g(y)")),
        ({"output": stream("a\nb\n")}, {"output": stream("a\nc\n")}, "stdout", (2, "b", "c")),
        ({"tags": ["a"]}, {"tags": ["b"]}, "metadata", (1, '{"tags": ["a"]}', '{"tags": ["b"]}')),
        (
            {"output": shown(text_plain="a")},
            {"output": shown(text_plain="a", text_html="a")},
            "text/html",
            None,
        ),
    ],
)
@pytest.mark.parametrize("exact", [True, False])
def test_difference_is_told_with_its_cell(old, new, differing, told, exact):
    words = "only rebuilt"
    if told is not None:
        words = "line {} is committed as {!r}, rebuilt as {!r}".format(*told)
    found = differences(notebook_bytes(**old), notebook_bytes(**new), exact=exact)
    assert found == [f"cell 1 (softmax-1): its {differing} differs: {words}"]


def picture(array):
    return notebook_bytes(output=shown(image_png=png(array)))


PICTURE = "cell 1 (softmax-1): its image/png differs: "
FORM = "only the form of the file differs: metadata, order of cells, or JSON layout"
OLD = picture(GREY)


@pytest.mark.parametrize(
    ("new", "told"),
    [
        (OLD, []),
        (OLD.replace(b"\n ", b"\n  "), [FORM]),
        (
            picture(np.where(np.arange(7) < 3, 111, GREY)),
            [f"{PICTURE}15 of 35 pixels, by up to 11 of 255"],
        ),
        (
            picture(np.full((5, 11), 100)),
            [f"{PICTURE}committed with 7 by 5 pixels, rebuilt with 11 by 5"],
        ),
        (
            picture(np.dstack(3 * [GREY])),
            [f"{PICTURE}the file's bytes, not one pixel"],
        ),
    ],
)
def test_pixels_and_the_form_of_the_file_count_only_exactly(new, told):
    assert differences(OLD, new) == told
    assert differences(OLD, new, exact=False) == []


def test_a_drawing_counts_only_exactly():
    def drawn(color):
        output = shown(image_png=png(GREY), **{"image_svg+xml": f"<svg>\n{color}"})
        lighten(output)
        return notebook_bytes(output=output)

    where = "cell 1 (softmax-1): its image/svg+xml differs: line 2 is committed as"
    assert differences(drawn("a"), drawn("b")) == [f"{where} 'a', rebuilt as 'b'"]
    assert differences(drawn("a"), drawn("b"), exact=False) == []


def test_missing_and_surplus_cells_are_named():
    old = notebook_bytes()
    new = old.replace(b"softmax-1", b"scores-1")
    assert differences(old, new) == [
        "cell softmax-1 is only in the committed notebook",
        "cell 1 (scores-1) is missing from the committed notebook",
    ]


def test_file_that_is_no_notebook_is_told():
    (message,) = differences(b"before", notebook_bytes())
    assert message.startswith("the committed file is not a notebook with cell ids: ")


@pytest.mark.full
def test_compare_finds_an_edited_output_by_running_the_source(example, tmp_path):
    source = example.parent / "src" / "04_example.md"
    committed = tmp_path / "04_example.ipynb"
    committed.write_bytes(example.read_bytes().replace(b"row 1", b"row 9"))
    lesson = lesson_at(write(tmp_path, "04_example", source.read_text(encoding="utf-8")))
    assert builder.compare(lesson, exact=True) == [
        "cell 2 (see-how-attention-looks-2): its stdout differs: "
        "line 2 is committed as 'row 9', rebuilt as 'row 1'"
    ]
    committed.unlink()
    assert builder.compare(lesson) == [
        "04_example.ipynb is missing: python -m course build 04_example makes it"
    ]


def test_versions_that_are_not_the_locks_are_listed(tmp_path, monkeypatch):
    lock = tmp_path / "requirements.lock"
    pins = [f"{name}=={version(name)} \\\n    --hash=sha256:00\n" for name in builder.DECIDING]
    other = "numpy==1.0 ; python_full_version < '3'\nsoupsieve==0.1\n# via x\n"
    lock.write_text("".join(pins) + other)
    assert builder.unlocked(lock) == []
    lock.write_text("".join(pins[2:]) + other + "matplotlib==0.1 ; python_full_version >= '3'\n")
    assert builder.unlocked(lock) == [
        f"numpy {version('numpy')}, locked is none",
        f"matplotlib {version('matplotlib')}, locked is 0.1",
    ]
    monkeypatch.setattr(sys, "platform", "win32")
    assert builder.why_inexact(lock) == "the notebooks are made on Linux, and this is win32"


def test_lock_pins_every_package_that_decides_about_bytes():
    text = builder.LOCK.read_text(encoding="utf-8")
    assert [n for n in builder.DECIDING if not re.search(f"^{n}==", text, re.MULTILINE)] == []


# The command line


def test_without_a_command_the_help_is_printed(capsys):
    assert course_main.main([]) == 0
    help_text = capsys.readouterr().out
    for name in course_main.COMMANDS:
        assert f"\n  {name} " in help_text


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("bild", "invalid choice: 'bild'"),
        *[(f"build --jobs {jobs}", "argument --jobs: ") for jobs in ("0", "-1", "two")],
        ("build --cell-seconds no", "argument --cell-seconds: "),
        ("build --folder", "argument --folder: "),
    ],
)
def test_what_no_command_knows_is_refused(line, told, capsys):
    with pytest.raises(SystemExit) as caught:
        course_main.main(line.split())
    assert caught.value.code == 2
    assert told in capsys.readouterr().err


def test_command_gets_its_arguments_and_gives_the_exit_code(monkeypatch):
    lab = SimpleNamespace(main=lambda argv: 7 if argv == ["-h", "--port", "1"] else 0)
    monkeypatch.setitem(sys.modules, "course.lab.__main__", lab)
    assert course_main.main(["lab", "-h", "--port", "1"]) == 7
    lab.main = lambda argv: raise_(KeyboardInterrupt)
    assert course_main.main(["lab"]) == 130  # and no traceback


def test_a_command_whose_packages_are_missing_says_what_adds_them(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "course.slides.__main__", None)
    with pytest.raises(ModuleNotFoundError):  # one of ours: no set-up would bring it
        course_main.main(["slides"])
    missing = ModuleNotFoundError("No module named 'jupytext'", name="jupytext")
    monkeypatch.setattr(course_main, "import_module", lambda name: raise_(missing))
    assert course_main.main(["slides"]) == 1
    said = capsys.readouterr().err
    assert "`course slides` needs jupytext" in said
    assert "`source .venv/bin/activate`" in said


def raise_(error):
    raise error
