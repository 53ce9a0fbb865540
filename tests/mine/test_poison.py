"""A `mine.py` that lies beside the notebooks reaches nothing that is built, tested or graded."""

import os

import nbformat
import numpy as np
import pytest

from attnlib import mine
from course.notebook import build as builder
from tests.test_build import FRONT

# Right, so that its check passes, and it leaves a trace wherever it runs.
POISON = """
import numpy as np

with open({trace!r}, "a") as file:
    file.write("read ")


def softmax(scores):
    with open({trace!r}, "a") as file:
        file.write("run ")
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)
"""
LESSON = """# One

```{code-cell}
import numpy as np

from attnlib import mine

print(mine.softmax(np.zeros(2)))
```
"""


@pytest.mark.parametrize("named", [True, False], ids=["in its folder", "beside it"])
def test_a_build_reads_no_mine(tmp_path, monkeypatch, named):
    folder, trace = tmp_path / "notebooks", tmp_path / "trace"
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "01_one.md").write_text(FRONT + LESSON)
    (folder / "mine.py").write_text(POISON.format(trace=str(trace)))
    if named:
        monkeypatch.setenv("ATTNLIB_MINE", str(folder))
    else:
        monkeypatch.delenv("ATTNLIB_MINE")
    assert builder.build(folder) == 0
    (cell,) = [c for c in nbformat.read(folder / "01_one.ipynb", 4).cells if c.cell_type == "code"]
    assert cell.outputs[0].text == (
        "mine.softmax: the reference, until you keep one of your own.\n[0.5 0.5]\n"
    )
    assert not trace.exists()


def test_the_poison_would_be_seen(tmp_path, monkeypatch, capsys):
    (tmp_path / "mine.py").write_text(POISON.format(trace=str(tmp_path / "trace")))
    monkeypatch.setenv("ATTNLIB_MINE", str(tmp_path))
    mine.whose("softmax")
    assert mine.softmax(np.zeros(2)).tolist() == [0.5, 0.5]
    assert capsys.readouterr().out == "mine.softmax: yours.\n"
    assert "run" in (tmp_path / "trace").read_text()


def test_tests_and_the_kernels_that_they_start_read_no_mine():
    assert os.environ["ATTNLIB_MINE"] == ""
