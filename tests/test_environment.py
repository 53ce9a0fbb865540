import ast
import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
import venv
from pathlib import Path

import pytest

from course import environment

ROOT = Path(__file__).resolve().parent.parent
SOURCE = Path(environment.__file__).read_text(encoding="utf-8")
posix_only = pytest.mark.skipif(os.name != "posix", reason="uses POSIX programs")


@pytest.fixture
def checkout(tmp_path):
    root = tmp_path / "checkout"
    root.mkdir()
    (root / "requirements.lock").write_text("# nothing\n")
    (root / "pyproject.toml").write_text("[project]\n")
    return root


@pytest.fixture
def installed(monkeypatch):
    """Replace pip by a list of its arguments and whether `.venv` had a stamp at that time."""
    calls = []

    def pip(root, *arguments):
        calls.append((arguments, (root / ".venv" / environment.STAMP).exists()))

    monkeypatch.setattr(environment, "pip", pip)
    monkeypatch.setattr(environment, "_make_empty", make_empty)
    return calls


def make_empty(folder):
    venv.create(folder, clear=True, symlinks=os.name == "posix")


def test_a_first_call_installs_and_a_second_does_nothing(checkout, installed, capsys):
    assert environment.main(checkout) == 0
    assert [arguments for arguments, _ in installed] == [
        ("--no-compile", "--require-hashes", "--requirement", "requirements.lock"),
        ("--no-deps", "--no-build-isolation", "--editable", "."),
    ]
    out = capsys.readouterr().out
    assert out.startswith("Making .venv. The first start takes a minute or two.\n.venv is ready (")
    installed.clear()
    start = time.monotonic()
    assert environment.main(checkout) == 0
    assert time.monotonic() - start < 1
    assert installed == []
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("name", ["requirements.lock", "pyproject.toml"])
def test_a_changed_lock_is_installed_into_what_is_there(checkout, installed, name, capsys):
    environment.main(checkout)
    installed.clear()
    (checkout / ".venv" / "kept").touch()
    with (checkout / name).open("a") as file:
        file.write("# changed\n")
    assert environment.main(checkout) == 0
    assert [stamped for _, stamped in installed] == [False, False]  # half-made until the end
    assert (checkout / ".venv" / "kept").exists()
    assert "The pinned packages have changed: installing them.\n" in capsys.readouterr().out
    assert environment.unready(checkout) is None


def without_a_stamp(root):
    (root / ".venv" / environment.STAMP).unlink()
    return root


def with_half_a_stamp(root):
    (root / ".venv" / environment.STAMP).write_text('{"lock": "12')
    return root


def without_its_python(root):
    environment.venv_python(root).unlink()
    return root


def of_another_python(root):
    stamp = root / ".venv" / environment.STAMP
    stamp.write_text(json.dumps(json.loads(stamp.read_text()) | {"python": "3.7"}))
    return root


def moved(root):
    return root.rename(root.with_name("elsewhere"))


def copied(root):
    return Path(shutil.copytree(root, root.with_name("copy"), symlinks=True))


@pytest.mark.parametrize(
    ("harm", "sentence"),
    [
        (without_a_stamp, "An earlier set-up did not finish"),
        (with_half_a_stamp, "An earlier set-up did not finish"),
        (without_its_python, "The Python that .venv was made with is gone"),
        (of_another_python, "The Python below .venv has changed"),
        (moved, "This folder has been moved or copied"),
        (copied, "This folder has been moved or copied"),
    ],
)
def test_a_broken_environment_is_made_again(checkout, installed, harm, sentence, capsys):
    environment.main(checkout)
    checkout = harm(checkout)
    (checkout / ".venv" / "left-over").touch()
    capsys.readouterr()
    assert environment.main(checkout) == 0
    assert capsys.readouterr().out.startswith(f"{sentence}: making .venv again.\n")
    assert not (checkout / ".venv" / "left-over").exists()
    assert environment.unready(checkout) is None


@pytest.mark.parametrize(
    ("stop", "code"),
    [(KeyboardInterrupt(), 130), (environment.SetupError("A sentence."), 1), (OSError("full"), 1)],
)
def test_what_stops_half_way_is_repaired_by_the_next_call(
    checkout, installed, monkeypatch, stop, code, capsys
):
    def pip(root, *arguments):
        raise stop

    with monkeypatch.context() as context:
        context.setattr(environment, "pip", pip)
        assert environment.main(checkout) == code
    assert "Traceback" not in capsys.readouterr().err
    assert environment.unready(checkout) is not None
    assert environment.main(checkout) == 0
    assert capsys.readouterr().out.startswith("An earlier set-up did not finish")


@posix_only
@pytest.mark.parametrize("kind", ["file", "link", "folder"])
def test_whatever_is_called_venv_is_removed_and_nothing_else(tmp_path, kind):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "kept").touch()
    target = tmp_path / ".venv"
    make = {"file": target.touch, "folder": target.mkdir}
    make.get(kind, lambda: target.symlink_to(elsewhere))()
    environment._remove(target)
    assert list(tmp_path.rglob("*")) == [elsewhere, elsewhere / "kept"]


# Old Pythons


def test_the_file_parses_on_python_3_6():
    ast.parse(SOURCE, feature_version=(3, 6))


def program(folder, name, body):
    path = folder / name
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return str(path)


@posix_only
def test_an_old_python_hands_over_to_a_newer_one_that_really_runs(tmp_path, monkeypatch):
    program(tmp_path, "python3.14", "exit 127")  # a version manager's shim of nothing
    (tmp_path / "python3.13").write_text("not a program")
    newer = program(tmp_path, "python3.12", f'exec {sys.executable} "$@"')
    program(tmp_path, "python3.11", f'exec {sys.executable} "$@"')
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "version_info", (3, 6, 15))
    called = []
    with monkeypatch.context() as context:
        assert environment.newer_python() == newer
        context.setattr(environment, "newer_python", lambda: newer)
        context.setattr(subprocess, "call", lambda command, cwd: called.append(command) or 7)
        assert environment.main(tmp_path) == 7
    assert called == [[newer, "-m", "course.environment"]]


def test_an_old_python_alone_gets_a_sentence_and_a_way_out(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "version_info", (3, 6, 15))
    assert environment.main(tmp_path) == 1
    error = capsys.readouterr().err
    assert error.startswith("Python 3.11 or newer is needed")
    assert f"this is Python 3.6 at {sys.executable}, and PATH has no other." in error
    assert "make PYTHON=" in error


# Two at a time


def test_two_set_ups_take_turns(tmp_path):
    code = (
        "import sys, time; from pathlib import Path; from course import environment\n"
        "with environment.one_at_a_time(Path(sys.argv[1])), open(sys.argv[1] + '/log', 'a') as f:\n"
        "    for word in ('in', 'out'): print(word, file=f, flush=True); time.sleep(0.5)\n"
    )
    command = [sys.executable, "-c", code, str(tmp_path)]
    both = [subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) for _ in range(2)]
    said = sorted(process.communicate(timeout=30)[0].decode().strip() for process in both)
    assert (tmp_path / "log").read_text().split() == ["in", "out", "in", "out"]
    assert said == ["", "Another set-up is at work in this folder; waiting for it."]


# pip


def test_no_network_is_told_in_a_sentence_and_pips_words_are_kept(checkout, monkeypatch, capsys):
    digest = hashlib.sha256(b"").hexdigest()
    (checkout / "requirements.lock").write_text(f"attnlib-nowhere==1.0 --hash=sha256:{digest}\n")
    for name, value in {
        "PIP_CONFIG_FILE": os.devnull,
        "PIP_EXTRA_INDEX_URL": "",
        "PIP_FIND_LINKS": "",
        "PIP_INDEX_URL": "http://127.0.0.1:9/",  # the port of "discard": nothing answers
        "PIP_RETRIES": "0",
    }.items():
        monkeypatch.setenv(name, value)
    assert environment.main(checkout) == 1
    error = capsys.readouterr().err
    log = checkout / ".venv" / "pip.log"
    assert error == (
        f"The package index cannot be reached (pip's words are in {log.relative_to(checkout)}).\n"
        "With a network (behind a proxy: set HTTPS_PROXY), run the same command again.\n"
    )
    assert "attnlib-nowhere" in log.read_text()
    assert environment.unready(checkout)[0].startswith("An earlier set-up did not finish")


@pytest.mark.parametrize("word", ["NewConnectionError", "ConnectTimeoutError", "ProxyError"])
def test_pips_words_for_no_network_are_known(tmp_path, word):
    (tmp_path / "pip.log").write_text(f"WARNING: Retrying after {word}(...)\nERROR: not found\n")
    message = environment._what_pip_said(tmp_path / "pip.log", tmp_path)
    assert message.startswith("The package index cannot be reached")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("x\nERROR: No space left on device\nhint", "It ended with:\nERROR: No space left on dev"),
        ("ERROR: one\nERROR: THESE PACKAGES DO NOT MATCH", "ERROR: THESE PACKAGES DO NOT MATCH"),
        ("killed", "It ended with:\nno reason"),
    ],
)
def test_another_failure_of_pip_is_not_called_a_network_error(tmp_path, text, told):
    log = tmp_path / "pip.log"
    log.write_text(text)
    message = environment._what_pip_said(log, tmp_path)
    assert message.startswith("Installing the packages failed (pip's words are in pip.log).")
    assert told in message


def test_nothing_leads_another_pythons_packages_into_venv(monkeypatch):
    for name in ("PYTHONPATH", "PYTHONHOME", "PIP_TARGET", "PIP_PREFIX"):
        monkeypatch.setenv(name, "somewhere")
    monkeypatch.setenv("PIP_USER", "1")
    given = environment._environment()
    assert given["PIP_USER"] == "0"
    assert "somewhere" not in given.values()


# This checkout's own environment


@pytest.mark.skipif(Path(sys.prefix) != ROOT / ".venv", reason="runs outside this folder's .venv")
def test_this_environment_is_ready_and_a_call_is_quick_and_silent():
    start = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "course.environment"], cwd=ROOT, capture_output=True, timeout=30
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert time.monotonic() - start < 2
