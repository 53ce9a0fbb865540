import ast
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import venv
import zipfile
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
    pin = "small==1.0 \\\n    --hash=sha256:12\n"
    uv = "uv==0.1 ; os_name != 'x' \\\n    --hash=sha256:34 \\\n    --hash=sha256:56\n"
    for name in environment.TOLD:
        (root / "attnlib/jupyter" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / "attnlib/jupyter" / name, root / "attnlib/jupyter" / name)
    (root / "requirements-lab.lock").write_text(pin + uv)
    (root / "requirements.lock").write_text(pin + uv + pin.replace("small", "teeny"))
    (root / environment.MODEL).write_text(pin.replace("small", "encoder"))
    return root


class Machine:
    """What `environment.run` would run: names it, makes a `.venv` for real, can fail and stop."""

    def __init__(self):
        self.calls, self.failing, self.stop, self.stamped, self.given = [], set(), {}, set(), {}
        self.says = ""  # at the end of what each of them says

    def run(self, root, *command, **variables):
        line = [str(part) for part in command]
        kind = "pip" if "pip" in line else line[2]
        if "config" in line:
            kind = "settings"
        elif line[2] == "uv":
            kind = "uv"
        elif line[-1].endswith("uv.txt"):
            kind = "uv by pip"
        self.calls.append(kind)
        if line[-1].endswith(".txt"):
            self.given[kind] = Path(line[-1]).read_text()
            assert "--require-hashes" in line
        if (root / ".venv" / environment.STAMP).exists():
            self.stamped.add(kind)
        if kind in self.stop:
            raise self.stop.pop(kind)
        if kind == "venv" and kind not in self.failing:
            venv.create(line[-1], symlinks=os.name == "posix")
        return int(kind in self.failing), f"{kind}\n{kind} said something{self.says}"

    def called(self):
        """Return the calls since this was last asked."""
        calls, self.calls = self.calls, []
        return calls


@pytest.fixture
def machine(monkeypatch):
    machine = Machine()
    monkeypatch.setattr(environment, "run", machine.run)
    return machine


@pytest.fixture
def ready(checkout, machine):
    """Return a checkout that is set up for lessons."""
    assert environment.main([], checkout) == 0
    machine.calls.clear()
    (checkout / ".venv" / "kept").touch()
    return checkout


def set_up(root, *packages):
    """Set up what is asked for, one after the other."""
    assert [environment.main([one], root) for one in packages] == [0] * len(packages)


def is_kept(root):
    return (root / ".venv" / "kept").exists()


def pins(text):
    return re.findall(r"^\w+", text, re.MULTILINE)


# What is installed, and when


def test_a_first_call_installs_and_a_second_does_nothing(checkout, machine, capsys):
    assert environment.main([], checkout) == 0
    assert machine.called() == ["venv", "settings", "uv by pip", "uv"]
    assert machine.given["uv by pip"].split() == [
        *("uv==0.1", ";", "os_name", "!=", "'x'"),
        *("\\", "--hash=sha256:34", "\\", "--hash=sha256:56"),
    ]
    assert pins(machine.given["uv"]) == ["small"]
    out = capsys.readouterr().out
    assert out.startswith("Making .venv. The first start may take a minute.\n.venv is ready (")
    for name, place in environment.TOLD.items():
        told = checkout / ".venv" / place
        assert told.read_bytes() == (ROOT / "attnlib/jupyter" / name).read_bytes()
    assert environment.main([], checkout) == 0
    set_up(checkout, "lab")
    environment.prepare(checkout, "lab")  # so ends who has waited for another set-up
    assert machine.called() == []
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("packages", "given"),
    [("model", ["small", "encoder"]), ("whole", ["small", "teeny", "encoder"])],
)
def test_more_is_added_once_and_has_what_lessons_need(ready, machine, packages, given):
    set_up(ready, packages)
    assert machine.called() == ["settings", "uv by pip", "uv"]
    assert pins(machine.given["uv"]) == given
    set_up(ready, packages, "model", "lab")  # who starts the lab without asking again keeps it
    assert machine.called() == []
    assert is_kept(ready)


@pytest.mark.parametrize(
    ("packages", "name"),
    [(packages, name) for packages, names in environment.LISTS.items() for name in names],
)
def test_a_changed_list_is_installed_into_what_is_there(ready, machine, packages, name, capsys):
    set_up(ready, packages)
    machine.called()
    machine.stamped.clear()
    with (ready / name).open("a") as file:
        file.write("another==1.0\n")
    set_up(ready, packages)
    assert machine.called() == ["settings", "uv by pip", "uv"]
    assert machine.stamped == set()  # half-made until the end
    assert "another" in pins(machine.given["uv"])
    assert is_kept(ready)
    names = " and ".join(environment.LISTS[packages])
    assert f"Installing what {names} pins.\n" in capsys.readouterr().out
    assert environment.unready(ready, packages) is None


def test_what_jupyter_is_told_anew_takes_the_place_of_what_it_was_told(ready):
    (ready / ".venv" / environment.UNTOLD).touch()
    (ready / "attnlib/jupyter/saving.json").write_text("{}")
    set_up(ready, "lab")
    assert (ready / ".venv" / environment.TOLD["saving.json"]).read_text() == "{}"
    assert not (ready / ".venv" / environment.UNTOLD).exists()


def test_line_ends_are_no_change(ready):
    pins = ready / "requirements-lab.lock"
    pins.write_bytes(pins.read_bytes().replace(b"\n", b"\r\n"))
    assert environment.unready(ready, "lab") is None


def test_an_unknown_list_is_refused(checkout, machine, capsys):
    with pytest.raises(SystemExit):
        environment.main(["all"], checkout)
    assert "'lab', 'model', 'whole'" in capsys.readouterr().err
    assert machine.calls == []


# What is broken


def stamp(root):
    return root / ".venv" / environment.STAMP


def of_another_python(root):
    return json.dumps(json.loads(stamp(root).read_text()) | {"python": "(3, 7)"})


UNFINISHED = "An earlier set-up did not finish"
CHANGED = "The Python below .venv is gone or has changed"
MOVED = "This folder has been moved or copied"


@pytest.mark.parametrize(
    ("harm", "sentence"),
    [
        (lambda root: stamp(root).unlink(), UNFINISHED),
        (lambda root: stamp(root).write_text('{"place": "12'), UNFINISHED),
        (lambda root: stamp(root).write_text("12"), UNFINISHED),
        (lambda root: environment.venv_python(root).unlink(), CHANGED),
        (lambda root: stamp(root).write_text(of_another_python(root)), CHANGED),
        (lambda root: root.rename(root.with_name("elsewhere")), MOVED),
        (lambda root: shutil.copytree(root, root.with_name("elsewhere"), symlinks=True), MOVED),
    ],
)
def test_a_broken_environment_is_made_again(ready, harm, sentence, capsys):
    harm(ready)
    elsewhere = ready.with_name("elsewhere")
    root = elsewhere if elsewhere.exists() else ready
    capsys.readouterr()
    set_up(root, "lab")
    assert capsys.readouterr().out.startswith(f"{sentence}: making .venv again.\n")
    assert not is_kept(root)
    assert environment.unready(root, "lab") is None


@pytest.mark.parametrize("when", ["venv", "settings", "uv by pip", "uv"])
@pytest.mark.parametrize(
    ("stop", "code"),
    [(KeyboardInterrupt(), 130), (environment.SetupError("A sentence."), 1), (OSError("full"), 1)],
)
def test_what_stops_half_way_is_repaired_by_the_next_call(
    checkout, machine, when, stop, code, capsys
):
    machine.stop[when] = stop
    assert environment.main([], checkout) == code
    said = capsys.readouterr().err
    assert "un the same command again" in said or "and run it again" in said
    assert environment.unready(checkout, "lab") is not None
    assert environment.main([], checkout) == 0
    assert "aking .venv" in capsys.readouterr().out
    assert environment.unready(checkout, "lab") is None


@posix_only
def test_a_link_called_venv_is_not_followed(checkout, machine, capsys):
    elsewhere = checkout.with_name("elsewhere")
    elsewhere.mkdir()
    (elsewhere / "kept").touch()
    (checkout / ".venv").symlink_to(elsewhere)
    assert environment.main([], checkout) == 1
    assert "symbolic link" in capsys.readouterr().err
    assert (elsewhere / "kept").exists()


# uv, or pip


@pytest.mark.parametrize(
    ("failing", "calls"),
    [
        ({"uv by pip"}, ["venv", "settings", "uv by pip", "pip"]),
        ({"uv"}, ["venv", "settings", "uv by pip", "uv", "venv", "settings", "pip"]),
        (
            {"settings", "uv by pip"},
            ["venv", "settings", "settings", "ensurepip", "settings", "uv by pip", "pip"],
        ),
    ],
)
def test_pip_takes_the_place_of_uv(checkout, machine, failing, calls, capsys):
    machine.failing |= failing
    assert environment.main([], checkout) == 0
    assert machine.calls == calls
    assert pins(machine.given["pip"]) == ["small"]  # to pip, a uv without a wheel is a failure
    assert "uv cannot be used here; pip takes a minute or two instead.\n" in capsys.readouterr().out
    assert environment.unready(checkout, "lab") is None


def test_uv_is_told_where_pip_finds_packages():
    settings = (
        ":env:.index-url='https://c/simple'\n"
        ":env:.timeout='9'\n"
        "download.index-url='https://z/simple'\n"
        "global.extra-index-url='https://a/simple\\nhttps://b/simple'\n"
        "global.find-links='/x /y'\n"
        "global.index-url='https://d/simple'\n"
        "global.trusted-host='a b'\n"
        "install.proxy='http://user:pass@p:1'\n"
        "install.index-url='https://e/simple'\n"
        "WARNING: something else\n"
    )
    given = environment.uv_variables(settings)
    assert given["UV_DEFAULT_INDEX"] == "https://c/simple"
    assert given["UV_INDEX"] == "https://a/simple https://b/simple"
    assert given["UV_FIND_LINKS"] == "/x,/y"
    assert given["UV_INSECURE_HOST"] == "a b"
    assert given["ALL_PROXY"] == "http://user:pass@p:1"
    assert given["UV_INDEX_STRATEGY"] == "unsafe-best-match"  # a pin may be in any of them
    assert "UV_OFFLINE" not in given
    assert environment.uv_variables(":env:.no-index='1'")["UV_OFFLINE"] == "1"
    assert "UV_DEFAULT_INDEX" not in environment.uv_variables("")


def test_nothing_leads_another_pythons_packages_into_venv(tmp_path, monkeypatch):
    for name in (
        *("PYTHONPATH", "PYTHONHOME", "PIP_TARGET", "PIP_PREFIX", "PIP_PYTHON", "PIP_REQUIREMENT"),
        *("UV_CONSTRAINT", "UV_CONFIG_FILE", "UV_INDEX_STRATEGY", "UV_NO_VERIFY_HASHES"),
    ):
        monkeypatch.setenv(name, "misleading")
    for name in ("UV_CACHE_DIR", "UV_INDEX_URL", "UV_INDEX", "UV_DEFAULT_INDEX", "PIP_INDEX_URL"):
        monkeypatch.setenv(name, "kept")
    monkeypatch.setenv("PIP_USER", "1")
    show = "import json, os; print(json.dumps(dict(os.environ)))"
    failed, said = environment.run(tmp_path, sys.executable, "-c", show, MORE="more")
    given = json.loads(said.splitlines()[-1])
    assert (failed, given["PIP_USER"], given["MORE"]) == (0, "0", "more")
    assert "misleading" not in given.values()
    assert list(given.values()).count("kept") == 5


# The real programs, with packages made here


def wheel(folder, name, files):
    """Write the wheel of a package, version 1.0, and return how a list pins it."""
    path = folder / f"{name}-1.0-py3-none-any.whl"
    about = f"{name}-1.0.dist-info"
    files = files | {
        f"{about}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n",
        f"{about}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(f"{file},,\n" for file in [*files, f"{about}/RECORD"])
    with zipfile.ZipFile(path, "w") as archive:
        for file, text in (files | {f"{about}/RECORD": record}).items():
            archive.writestr(file, text)
    return f"{name}==1.0 \\\n    --hash=sha256:{hashlib.sha256(path.read_bytes()).hexdigest()}\n"


@pytest.fixture
def packages(checkout, tmp_path, monkeypatch):
    """Return a folder that is all that pip finds, with one package, which the list pins."""
    folder = tmp_path / "wheels"
    folder.mkdir()
    pin = wheel(folder, "small", {"small/__init__.py": "value = 7\n"})
    (checkout / "requirements-lab.lock").write_text(pin)
    (checkout / "attnlib" / "__init__.py").touch()
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_EXTRA_INDEX_URL", "")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    return folder


def add_uv(checkout, packages, program):
    with (checkout / "requirements-lab.lock").open("a") as file:
        file.write(wheel(packages, "uv", {"uv/__init__.py": "", "uv/__main__.py": program}))


def assert_installed_by(checkout, installer):
    """Assert who installed a package, by its own account, and that it runs."""
    (path,) = (checkout / ".venv").rglob("small-1.0.dist-info/INSTALLER")
    assert path.read_text().strip() == installer
    code = "import attnlib, small; print(attnlib.__file__)"
    command = [environment.venv_python(checkout), "-c", code]
    said = subprocess.check_output(command, cwd=checkout.parent, text=True)
    assert said.strip() == str(checkout / "attnlib" / "__init__.py")


@pytest.mark.full
def test_where_there_is_no_uv_pip_installs(checkout, packages, capsys):
    assert environment.main([], checkout) == 0
    assert "uv cannot be used here" in capsys.readouterr().out
    assert list((checkout / ".venv").rglob("small/__pycache__")) == []
    assert_installed_by(checkout, "pip")


@pytest.mark.weekly
def test_what_uv_left_half_done_is_made_again_by_pip(checkout, packages, capsys):
    program = (
        "import pathlib, sysconfig\n"
        "site = pathlib.Path(sysconfig.get_path('purelib'))\n"
        "(site / 'small-1.0.dist-info').mkdir()\n"
        "(site / 'small-1.0.dist-info/METADATA').write_text('Name: small\\nVersion: 1.0\\n')\n"
        "(site / 'small').mkdir()\n"
        "raise SystemExit('error: the disk has gone for lunch')\n"
    )
    add_uv(checkout, packages, program)
    assert environment.main([], checkout) == 0
    assert_installed_by(checkout, "pip")
    assert "gone for lunch" in (checkout / ".venv" / environment.LOG).read_text()


def add_real_uv(checkout, packages):
    import uv

    command = f"[{uv.find_uv_bin()!r}, *sys.argv[1:]]"
    program = f"import subprocess, sys\nsys.exit(subprocess.call({command}))\n"
    add_uv(checkout, packages, program)


@pytest.mark.full
@pytest.mark.needs("uv")
def test_uv_installs_and_takes_nothing_from_its_own_settings(
    checkout, packages, tmp_path, monkeypatch
):
    add_real_uv(checkout, packages)
    (tmp_path / "uv").mkdir()
    for folder in (tmp_path, tmp_path / "uv", checkout):
        (folder / "uv.toml").write_text("no such setting")
    (tmp_path / "constraint.txt").write_text("small==2.0\n")
    monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("UV_COMPILE_BYTECODE", "1")
    monkeypatch.setenv("UV_CONFIG_FILE", str(tmp_path / "uv.toml"))
    monkeypatch.setenv("UV_CONSTRAINT", str(tmp_path / "constraint.txt"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert environment.main([], checkout) == 0
    assert list((checkout / ".venv").rglob("small/__pycache__")) == []
    assert_installed_by(checkout, "uv")


@pytest.mark.full
@pytest.mark.needs("uv")
def test_uv_and_pip_refuse_a_package_with_another_hash(
    checkout, packages, tmp_path, monkeypatch, capsys
):
    add_real_uv(checkout, packages)
    wheel(packages, "small", {"small/__init__.py": "value = 'another'\n"})
    monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("UV_NO_VERIFY_HASHES", "1")
    assert environment.main([], checkout) == 1
    error = capsys.readouterr().err
    assert error.startswith("Making .venv failed. ")
    assert error.endswith(
        f"(.venv/{environment.LOG} has the rest.)\nMend that, and run it again.\n"
    )
    log = (checkout / ".venv" / environment.LOG).read_text()
    assert "Hash mismatch for `small==1.0`" in log
    assert "DO NOT MATCH THE HASHES" in log
    assert environment.unready(checkout, "lab") is not None


@pytest.mark.full
def test_no_network_is_told_in_a_sentence(checkout, packages, monkeypatch, capsys):
    monkeypatch.setenv("PIP_FIND_LINKS", "")
    monkeypatch.setenv("PIP_NO_INDEX", "0")
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/")  # "discard": nothing answers
    monkeypatch.setenv("PIP_RETRIES", "0")
    assert environment.main([], checkout) == 1
    assert capsys.readouterr().err == (
        "Making .venv failed. The package index cannot be reached (behind a proxy: set "
        "HTTPS_PROXY).\nMend that, and run it again.\n"
    )
    assert environment.unready(checkout, "lab")[0].startswith("An earlier set-up did not finish")


@pytest.mark.parametrize("word", ["NewConnectionError", "ConnectTimeoutError", "ProxyError"])
def test_pips_words_for_no_network_are_known(checkout, machine, word, capsys):
    machine.failing |= {"uv by pip", "pip"}
    machine.says = f"\nWARNING: Retrying after {word}(...)\nERROR: not found\n"
    assert environment.main([], checkout) == 1
    assert "The package index cannot be reached" in capsys.readouterr().err


def test_without_a_network_what_was_there_stays(ready, machine):
    machine.failing |= {"uv", "pip"}
    machine.says = "\n  cause: error sending request for url\nConnectTimeoutError"
    assert environment.main(["model"], ready) == 1
    assert environment.unready(ready, "lab") is None
    assert environment.unready(ready, "model") is not None
    assert is_kept(ready)


def test_another_failure_is_not_called_a_network_error(checkout, machine, capsys):
    machine.failing |= {"uv", "pip"}
    assert environment.main([], checkout) == 1
    assert capsys.readouterr().err == (
        f"Making .venv failed. pip said something (.venv/{environment.LOG} has the rest.)\n"
        "Mend that, and run it again.\n"
    )
    assert "uv said something" in (checkout / ".venv" / environment.LOG).read_text()


@pytest.mark.parametrize(
    ("says", "told"),
    [
        (
            "\n  error: subprocess-exited-with-error\n  × Building wheel did not run.\n"
            "  ╰─> [9 lines of output]\n      x.c:1:1: warning: unused\n"
            "      error: command 'gcc' failed: No such file\n      [end of output]\n"
            "  note: This error originates from a subprocess, and is likely not a problem with pip."
            "\nERROR: Failed building wheel for small",
            "error: command 'gcc' failed: No such file",
        ),
        (
            "\n  │ Traceback (most recent call last):"
            "\n  │ ModuleNotFoundError: No module named 'x'\n"
            "  note: This is an issue with the package mentioned above, not pip.",
            "ModuleNotFoundError: No module named 'x'",
        ),
    ],
)
def test_a_failing_build_is_told_by_its_first_error(checkout, machine, says, told, capsys):
    machine.failing |= {"uv", "pip"}
    machine.says = says
    assert environment.main([], checkout) == 1
    assert f"Making .venv failed. {told} (.venv/{environment.LOG}" in capsys.readouterr().err


# Old Pythons


def test_the_file_parses_on_python_3_6():
    ast.parse(SOURCE, feature_version=(3, 6))


def program(folder, name, body):
    path = folder / name
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return str(path)


@posix_only
def test_an_old_python_hands_over_to_a_newer_one_that_really_runs(tmp_path, machine, monkeypatch):
    program(tmp_path, "python3.14", "exit 127")  # a version manager's shim of nothing
    (tmp_path / "python3.13").write_text("not a program")
    newer = program(tmp_path, "python3.12", f'exec {sys.executable} "$@"')
    program(tmp_path, "python3.11", f'exec {sys.executable} "$@"')
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(environment, "PYTHON", program(tmp_path, "python3", "exit 1"))
    assert environment.suitable_python() == newer
    called = []
    monkeypatch.setattr(environment, "suitable_python", lambda: newer)
    monkeypatch.setattr(subprocess, "call", lambda command, cwd: called.append(command) or 7)
    assert environment.main(["whole"], tmp_path) == 7
    assert called == [[newer, "-I", environment.__file__, "whole"]]
    assert machine.calls == []


@posix_only
def test_an_old_python_alone_gets_a_sentence_and_a_way_out(checkout, machine, monkeypatch, capsys):
    monkeypatch.setenv("PATH", str(checkout))
    monkeypatch.setattr(environment, "PYTHON", program(checkout, "python3", "exit 1"))
    monkeypatch.setattr(sys, "version_info", (3, 6, 15))
    assert environment.main([], checkout) == 1
    error = capsys.readouterr().err
    assert error.startswith("Making .venv failed. Python 3.11 or newer is needed")
    assert f"this is Python 3.6 at {sys.executable}, and PATH has no other." in error
    assert "make PYTHON=" in error
    assert machine.calls == []


# Two at a time


def hold(root, body):
    """Start a process that prints "in" when it has the lock; its pipes are the test's."""
    code = (
        "import sys; from pathlib import Path; from course import environment\n"
        f"root = Path({str(root)!r})\n"
        f"with environment.one_at_a_time(root): print('in', flush=True); {body}\n"
    )
    command = [sys.executable, "-c", code]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    return subprocess.Popen(command, cwd=ROOT, **pipes)


def test_two_set_ups_take_turns(tmp_path):
    waits = "Another set-up is at work in this folder; waiting for it.\n"
    with hold(tmp_path, "sys.stdin.read()") as first:
        assert first.stdout.readline() == "in\n"
        with hold(tmp_path, "pass") as second:
            assert second.stdout.readline() == waits
            first.stdin.close()  # the first goes on, and out
            assert second.stdout.readline() == "in\n"
    assert (first.returncode, second.returncode) == (0, 0)


@posix_only
def test_the_lock_is_held_by_what_a_killed_set_up_left_behind(tmp_path):
    os.mkfifo(tmp_path / "out")
    os.mkfifo(tmp_path / "in")
    left = f"open({str(tmp_path / 'out')!r}, 'w').write('here'); open({str(tmp_path / 'in')!r})"
    with hold(tmp_path, f"environment.run(root, sys.executable, '-c', {left!r})") as killed:
        assert (tmp_path / "out").read_text() == "here"
        killed.send_signal(signal.SIGKILL)
        killed.wait()
        with hold(tmp_path, "pass") as second:
            assert second.stdout.readline().startswith("Another set-up")
            (tmp_path / "in").write_text("")  # what was left behind goes on, and ends
            assert second.stdout.readline() == "in\n"


# This checkout's own environment


@pytest.mark.skipif(Path(sys.prefix) != ROOT / ".venv", reason="runs outside this folder's .venv")
@pytest.mark.parametrize("packages", [[], ["whole"]])
def test_this_environment_is_ready_and_a_call_is_silent(packages):
    command = [sys.executable, "-m", "course.environment", *packages]
    done = subprocess.run(command, cwd=ROOT, capture_output=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
