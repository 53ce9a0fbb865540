"""Has Sphinx make pages of what is staged, and only of what changed since the last time."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from course import BuildError
from course.files import ROOT, digest, fill, read_folder
from course.lesson.series import Lesson
from course.site.stage import folding

CELL = 10_000  # of MyST-NB's line numbers: this times the cell's, plus the line in it, plus 1


def make_html(staged: Mapping[str, bytes], work: Path, lessons: Mapping[str, Lesson]) -> None:
    """Have Sphinx make `work/html` of what is staged; leave it if it is what Sphinx made of that.

    Raises
    ------
    BuildError
        If Sphinx warns of anything.
    """
    html, done = work / "html", work / "done"
    docstrings = {str(path): path.read_bytes() for path in (ROOT / "attnlib").rglob("*.py")}
    of_this = digest(staged | docstrings)  # attnlib is asked for its docstrings
    made_of, _, made = done.read_text().partition(" ") if done.exists() else ("", "", "")
    if made != digest(read_folder(html)):  # a run was stopped or failed, or others were at it
        shutil.rmtree(html, ignore_errors=True)
        shutil.rmtree(work / "doctrees", ignore_errors=True)  # else it warns of nothing again
    elif made_of == of_this:
        return
    done.unlink(missing_ok=True)
    if fill(work / "source", staged):  # Sphinx forgets a page, a picture, without deleting it
        shutil.rmtree(html, ignore_errors=True)
    run_sphinx(work, lessons)
    done.write_text(f"{of_this} {digest(read_folder(html))}")


def run_sphinx(work: Path, lessons: Mapping[str, Lesson]) -> None:
    """Build `work/source` into `work/html`, and only what changed since the last time.

    Raises
    ------
    BuildError
        If Sphinx warns of anything.
    """
    options = ["-W", "--keep-going", "-q", "--jobs", "auto", "-d", str(work / "doctrees")]
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", *options, str(work / "source"), str(work / "html")],
        cwd=ROOT,
        env=os.environ | {"PYTHONHASHSEED": "0", "NO_COLOR": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        close_fds=False,  # see build._alone
    )
    if done.returncode:
        raise BuildError(f"Sphinx warns:\n{_with_our_lines(done.stdout, work, lessons)}")


def _with_our_lines(warnings: str, work: Path, lessons: Mapping[str, Lesson]) -> str:
    """Put the lesson, the cell and the source's line in place of a staged notebook's line."""

    def place(match: re.Match) -> str:
        lesson = lessons[match[1]]
        index, offset = int(match[2]) // CELL - 1, int(match[2]) % CELL - 2
        if index in lesson.answers.prose:
            offset = folding(lesson.answers.prose[index])[1][offset]
        return f"{lesson.name}, {lesson.where(index, lesson.line_of(index, offset))}"

    source = re.escape(str(work / "source") + os.sep)
    pattern = rf"{source}notebooks[/\\](\w+)\.ipynb:(\d{{5,}})"
    warnings = re.sub(pattern, place, warnings.strip())
    warnings = re.sub(rf"{source}(docs[/\\][\w-]+\.md)", r"\1", warnings)
    return re.sub(rf"{source}([\w/\\-]+\.md)", r"course/site/pages/\1", warnings)
