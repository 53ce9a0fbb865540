"""Control groups, on a tree of files that stands in for the kernel's: no machine here has one.

What the kernel does with what is written there is not tried.
"""

import contextlib
import os
import shutil
from pathlib import Path

import pytest

from course.grading import groups
from course.grading.groups import Groups
from course.grading.judge import Assignment, examine
from course.grading.runner import Runner
from course.grading.sandbox import Limits
from course.grading.submission import Submission, UngradedError
from tests.grading.toy import HONEST, put_assignment

FILES = {
    "cgroup.procs": "",
    "cgroup.subtree_control": "",
    "cgroup.controllers": "cpu memory pids",
    "cgroup.kill": "",
    "memory.max": "max",
    "memory.oom.group": "0",
    "memory.swap.max": "max",
    "memory.events": "low 0\nmax 0\noom 0\noom_kill 0\n",
    "pids.max": "max",
    "cpu.stat": "usage_usec 0\nuser_usec 0\n",
}


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """A group that was delegated: its folder, in which a new one has all files; and what is gone.

    As in the kernel's tree, a folder is removed with its files, and no file can be made.
    """
    made, gone = Path.mkdir, {}

    def mkdir(path, *options, **more):
        made(path, *options, **more)
        for name, text in FILES.items():
            (path / name).write_text(text)

    def rmdir(path):
        gone[path.name] = {name: (path / name).read_text() for name in FILES}
        shutil.rmtree(path)

    (tmp_path / "ours").mkdir()
    monkeypatch.setattr(Path, "mkdir", mkdir)
    monkeypatch.setattr(Path, "rmdir", rmdir)
    place = tmp_path / "ours" / "delegated"
    place.mkdir()
    return place, gone


def test_the_grader_moves_into_a_group_of_its_own_and_back(tree):
    place, gone = tree
    with Groups(place) as found:
        assert found.told() == ""
        home = place / f"grader-{os.getpid()}"
        assert (home / "cgroup.procs").read_text() == str(os.getpid())
        assert (place / "cgroup.subtree_control").read_text() == "+memory +pids"
    assert (place / "cgroup.subtree_control").read_text() == "-memory -pids"
    assert (place / "cgroup.procs").read_text() == str(os.getpid())
    assert [*gone] == [home.name]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda place: (place / "cgroup.controllers").write_text("cpu pids"), "without memory"),
        (lambda place: (place / "cgroup.subtree_control").unlink(), "no such file"),
        (shutil.rmtree, "no such file"),
    ],
)
def test_where_none_was_delegated_it_says_why_and_leaves_things_as_they_were(tree, change, told):
    place, _ = tree
    change(place)
    with Groups(place) as found:
        assert f"to this run: {told}" in found.told()
        assert found.make(1 << 30, 16) is None
    assert not [*place.glob("grader-*")]
    assert not (place / "cgroup.procs").is_file() or (place / "cgroup.procs").read_text() in (
        "",
        str(os.getpid()),
    )


def test_a_group_is_bounded_filled_counted_and_removed(tree):
    place, gone = tree
    with Groups(place) as found:
        group = found.make(1 << 30, 16)
        bounds = {name: (group.path / name).read_text() for name in FILES}
        assert bounds["memory.max"] == str(1 << 30)
        assert bounds["pids.max"] == "16"
        assert bounds["memory.swap.max"] == "0"
        assert bounds["memory.oom.group"] == "1"
        group.take([7, 8])
        assert (group.path / "cgroup.procs").read_text() == "8"  # each in a writing of its own
        (group.path / "cpu.stat").write_text("usage_usec 2500000\nuser_usec 1\n")
        assert group.cpu == 2.5
        assert not group.is_over
        (group.path / "memory.events").write_text("low 0\noom 3\noom_kill 1\n")
        assert group.is_over
        group.end()
        group.remove()
        assert gone[group.path.name]["cgroup.kill"] == "1"
        assert found.make(1, 1).path != group.path


def test_no_file_is_made_that_the_kernel_does_not_have(tree):
    place, _ = tree
    with pytest.raises(FileNotFoundError):
        groups._write(place / "memory.mx", "1")
    assert not (place / "memory.mx").exists()


@pytest.mark.parametrize(
    ("here", "mounts", "found"),
    [
        ("0::/user.slice/run-7.scope\n", "30 1 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n",
         "/sys/fs/cgroup/user.slice/run-7.scope"),
        ("0::/pod/one\n", "30 1 0:26 /pod /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n",
         "/sys/fs/cgroup/one"),
        ("5:memory:/a\n", "30 1 0:26 / /sys/fs/cgroup rw - cgroup cgroup rw,memory\n", None),
    ],
)  # fmt: skip
def test_the_group_of_this_process_is_found_where_it_is_mounted(monkeypatch, here, mounts, found):
    said = {"/proc/self/cgroup": here, "/proc/self/mountinfo": mounts}
    monkeypatch.setattr(groups, "_lines", lambda path: said[path].splitlines())
    assert groups._own() == (Path(found) if found else None)


@pytest.mark.needs("bwrap")
@pytest.mark.timeout(120)
def test_a_sandbox_lives_in_a_group_and_what_that_says_ends_it(tree, tmp_path, image):
    """Its processes are taken in, time and memory are the group's, and it is gone at the end."""
    place, gone = tree
    assignment = Assignment("hw1", put_assignment(tmp_path / "hw"))
    with Groups(place) as found:
        runner, made = Runner(image, Limits(), found), found.make
        marks = examine(assignment, b"", "ada", Submission(HONEST), runner)
        assert [mark.verdict for mark in marks] == ["correct", "correct"]

        def full(*bounds):
            group = made(*bounds)
            (group.path / "memory.events").write_text("oom_kill 1\n")
            return group

        found.make = full
        with contextlib.suppress(UngradedError):  # where that is seen before the first cell
            marks = examine(assignment, b"", "ada", Submission(HONEST), runner)
            assert {mark.verdict for mark in marks} != {"correct"}
    of_sandboxes = [said for name, said in gone.items() if name.startswith("sandbox-")]
    assert len(of_sandboxes) > 1
    assert all(said["cgroup.procs"].isdigit() for said in of_sandboxes)
    assert all(said["memory.max"] == str(Limits().memory << 20) for said in of_sandboxes)
    assert all(said["cgroup.kill"] == "1" for said in of_sandboxes)
