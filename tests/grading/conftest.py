"""What the grader's tests share: to copy Python and NumPy takes seconds, and they need one copy."""

from contextlib import nullcontext

import pytest

from course.grading import __main__ as command_line
from course.grading.book.__main__ import main as gradebook
from course.grading.image import Image
from course.grading.judge import Assignment
from course.grading.runner import Runner
from course.grading.sandbox import Limits
from course.grading.submission import parse
from tests.grading.toy import Calling, command, put_assignment


@pytest.fixture(scope="session")
def image():
    """The copies that sandboxes are made of."""
    with Image() as image:
        yield image


@pytest.fixture
def copied(image, monkeypatch):
    """Have the command `grade` find the copies made."""
    monkeypatch.setattr(command_line, "Image", lambda: nullcontext(image))


@pytest.fixture(scope="session")
def runner(image):
    """What runs submissions, within the limits of a class, but by the clock: loads differ here."""
    return Runner(image, Limits(spare=60.0, waits=60.0))


@pytest.fixture
def read_here(monkeypatch):
    """Have notebooks be read here, where no sandbox runs them and each is a test's own."""
    monkeypatch.setattr("course.grading.run.read_apart", parse)


@pytest.fixture
def unsealed(monkeypatch, read_here):
    """Have the command make no sandbox, and call what cells define here, where that is no matter.

    What is kept of it is the same.
    """
    monkeypatch.setattr(command_line, "Image", nullcontext)
    monkeypatch.setattr(command_line, "check", lambda image: None)
    monkeypatch.setattr(command_line, "Runner", lambda *_, **__: Calling())


@pytest.fixture
def assignment(tmp_path):
    """The toy, in a folder of its own."""
    return Assignment("hw1", put_assignment(tmp_path / "hw"))


@pytest.fixture
def grade(room, capsys):
    """Return a function that runs `grade` on the class of a room, and gives both of its streams."""

    def graded(*options, code=0):
        assert command_line.main(command(room, *options)) == code
        return capsys.readouterr()

    return graded


@pytest.fixture
def run(room, capsys):
    """Return a function that runs an action of `gradebook`, and gives what is printed, or wrong."""

    def ran(action, *options, code=0, err=False):
        of = [] if action in ("roster", "student", "totals") else ["hw1"]
        source = ["--source", room / "hw"] if of and "--source" not in options else []
        words = [action, room / "grades.sqlite", *of, *options, *source]
        assert gradebook([*map(str, words)]) == code
        said = capsys.readouterr()
        return said.err if code or err else said.out

    return ran
