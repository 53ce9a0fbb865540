"""Make ``.venv``, the environment of every command: ``python -m course.environment [whole]``.

Learners need what `requirements-lab.lock` pins; ``model`` in place of ``whole`` adds the encoder
that `attnlib.encoder` runs. ``whole`` installs `requirements.lock`, of which the first is a part,
and the encoder: what building and testing need. uv installs, or pip where uv cannot be had. A
stamp says what is in `.venv`; a call that finds what it wants there returns at once. Anything
half-made, moved or broken is made again.

This file must *parse* on Python 3.6 and get as far as `suitable_python` there, so that an old
Python is answered by a sentence and not by a syntax error. Hence no annotations.
"""

import argparse
import ast
import contextlib
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

OLDEST = (3, 11)
NEWEST = (3, 14)
ROOT = Path(__file__).resolve().parent.parent
MODEL = "requirements-model.lock"
LISTS = {  # what each word installs
    "lab": ("requirements-lab.lock",),
    "model": ("requirements-lab.lock", MODEL),
    "whole": ("requirements.lock", MODEL),
}
ENOUGH = {"lab": ("lab", "model", "whole"), "model": ("model", "whole"), "whole": ("whole",)}
# What the package tells Jupyter's server and nbconvert: files of `attnlib/jupyter`, and their
# places in an environment.
TOLD = {
    "saving.json": "etc/jupyter/jupyter_server_config.d/attnlib.json",
    "template/conf.json": "share/jupyter/nbconvert/templates/attnlib/conf.json",
    "template/index.html.j2": "share/jupyter/nbconvert/templates/attnlib/index.html.j2",
}
# An earlier set-up told nbconvert of all notebooks, and named a module that has moved.
UNTOLD = "etc/jupyter/jupyter_nbconvert_config.json"
STAMP = "course-stamp.json"
LOG = "install.log"
# The Python that runs this; in a virtual environment, the one below it.
PYTHON = getattr(sys, "_base_executable", None) or sys.executable
# What would lead packages elsewhere, or others into .venv. Hashes hold what comes from an index, so
# where that is may be set, for pip by all that it reads, for uv by these and what `uv_variables`
# takes over from pip.
MISLEADING = re.compile(
    "PYTHON(HOME|PATH)|PIP_(TARGET|PREFIX|ROOT|PYTHON|CONSTRAINT|REQUIREMENT)"
    "|UV_(?!CACHE_DIR|DEFAULT_INDEX|EXTRA_INDEX_URL|FIND_LINKS|INDEX$|INDEX_URL)"
)
# What pip says when the index cannot be reached, as opposed to answering something unwelcome.
UNREACHABLE = re.compile(
    "ConnectionError|ConnectTimeout|NameResolution|ProxyError|ReadTimeout|from versions: none"
)
# The first line of theirs that says what is wrong; pip has two that say only that something is.
WRONG = re.compile(r"(?im)^[ │×╰─>]*((?:\w*error|fatal)\b(?!: subprocess-exited).*:.*\S)\s*$")
UNFETCHED = "error sending request"  # what uv says then; it installs nothing before it has all


class SetupError(Exception):
    """One sentence, or two, for the person at the keyboard."""


class UnreachableError(SetupError):
    """The index was not there, so nothing was installed."""


def main(argv=None, root=ROOT):
    """Make `.venv` ready in `root` and return the exit code: 0 only if it is."""
    parser = argparse.ArgumentParser(prog="python -m course.environment")
    what = "lab (the default): what lessons need; model: a real encoder of 91 MB as well; whole: "
    what += "what building and testing need"
    parser.add_argument("packages", nargs="?", choices=sorted(LISTS), default="lab", help=what)
    packages = parser.parse_args(argv).packages
    try:
        if unready(root, packages):
            python = suitable_python()
            if python != PYTHON:
                command = [python, "-I", __file__, packages]
                return subprocess.call(command, cwd=str(root))
            with one_at_a_time(root):
                prepare(root, packages)
    except (SetupError, OSError) as error:
        print(f"Making .venv failed. {error}\nMend that, and run it again.", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nStopped. Run the same command again: it repairs .venv first.", file=sys.stderr)
        return 130
    return 0


def suitable_python():
    """Return a Python that runs, is new enough and can make environments: this one if it can."""
    probe = f"import sys, venv, ensurepip; sys.exit(sys.version_info < {OLDEST})"
    others = (shutil.which(f"python3.{n}") for n in range(NEWEST[1], OLDEST[1] - 1, -1))
    for python in filter(None, [PYTHON, *others]):
        if _output(python, probe) is not None:  # a version manager's shim may not run
            return python
    raise SetupError(
        "Python {0}.{1} or newer is needed, with its venv and ensurepip modules; this is Python "
        "{2}.{3} at {4}, and PATH has no other.\n"
        "Install one (from python.org, your package manager, or conda; on Debian and Ubuntu the "
        "packages python3 and python3-venv), or say where: make PYTHON=python3.13 …".format(
            OLDEST[0], OLDEST[1], sys.version_info[0], sys.version_info[1], sys.executable
        )
    )


def _output(python, code):
    """Return what `python` prints when it runs `code`; None if it fails."""
    try:
        done = subprocess.check_output([str(python), "-I", "-c", code], stderr=subprocess.DEVNULL)
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.decode().strip()


def venv_python(root):
    """Return where `.venv` has its interpreter."""
    return root / ".venv" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def read_pins(root, packages):
    """Return what the lists of `packages` say, one after the other."""
    return "".join((root / name).read_text(encoding="utf-8") for name in LISTS[packages])


def describe(root, packages):
    """Return the stamp of a `.venv` that has `packages`, a key of `LISTS`, and what is told."""
    told = [(root / "attnlib" / "jupyter" / name).read_text(encoding="utf-8") for name in TOLD]
    whole = "".join([read_pins(root, packages), *told]).encode()
    python = _output(venv_python(root), "import sys; print(sys.version_info[:2])")
    return {"place": str(root), "python": python, packages: hashlib.sha256(whole).hexdigest()}


def unready(root, packages):
    """Return None if `.venv` has `packages`.

    Else what is to be done, in a sentence, and whether the `.venv` that is there is sound, so that
    installing into it is enough.
    """
    if not os.path.lexists(str(root / ".venv")):
        return "Making .venv. The first start may take a minute.", False
    try:
        stamp = dict(json.loads((root / ".venv" / STAMP).read_text(encoding="utf-8")))
    except (OSError, TypeError, ValueError):
        return "An earlier set-up did not finish: making .venv again.", False
    ready = [describe(root, enough) for enough in ENOUGH[packages]]
    if stamp in ready:
        return None
    if stamp.get("place") != ready[0]["place"]:
        return "This folder has been moved or copied: making .venv again.", False
    if stamp.get("python") != ready[0]["python"]:
        return "The Python below .venv is gone or has changed: making .venv again.", False
    return "Installing what {} pins.".format(" and ".join(LISTS[packages])), True


@contextlib.contextmanager
def one_at_a_time(root):
    """Hold this folder's lock; a second set-up waits here until the first is done.

    The operating system gives the lock back when its holders end, however they end. What `run`
    starts inherits it: if this process is killed, the next set-up waits for what it left behind.
    """
    with (root / ".venv.lock").open("a") as handle:
        os.set_inheritable(handle.fileno(), True)
        if not try_lock(handle):
            print("Another set-up is at work in this folder; waiting for it.", flush=True)
            while not try_lock(handle):
                time.sleep(0.2)
        yield


def try_lock(handle):
    """Lock an open file, unless another process has it; return whether it is ours now."""
    if os.name == "nt":
        import msvcrt

        try:
            msvcrt.locking(handle.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    import fcntl

    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        pass  # a file system without locks: better unguarded than not at all
    return True


def prepare(root, packages):
    """Bring `.venv` in `root` to having `packages`. The caller holds the lock."""
    todo = unready(root, packages)
    if todo is None:  # whoever held the lock before has done it
        return
    sentence, sound = todo
    print(sentence, flush=True)
    start = time.monotonic()
    stamp = root / ".venv" / STAMP
    if sound:
        before = stamp.read_text(encoding="utf-8")
        stamp.unlink()  # from here to the new stamp, .venv is half-made
    else:
        make_empty(root)
    try:
        install(root, read_pins(root, packages))
    except UnreachableError:
        if sound:  # it still has what it had
            stamp.write_text(before, encoding="utf-8")
        raise
    # As an editable install does, but without a build; relative, as no encoding can spoil that.
    (site,) = stamp.parent.glob(("Lib" if os.name == "nt" else "lib/*") + "/site-packages")
    (site / "attnlib.pth").write_text(os.path.relpath(str(root), str(site)) + "\n")
    for name, place in TOLD.items():
        (stamp.parent / place).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(str(root / "attnlib" / "jupyter" / name), str(stamp.parent / place))
    (stamp.parent / UNTOLD).unlink(missing_ok=True)
    stamp.write_text(json.dumps(describe(root, packages)), encoding="utf-8")
    print(f".venv is ready ({time.monotonic() - start:.0f} s).", flush=True)


def make_empty(root):
    """Make `.venv` anew, without a pip: making that takes longer than all packages by uv."""
    venv = root / ".venv"
    if os.path.lexists(str(venv)):
        shutil.rmtree(str(venv))  # refuses a link, in so many words
    failed, output = run(root, PYTHON, "-m", "venv", "--without-pip", venv)
    if failed:
        raise SetupError(output)


def install(root, pins):
    """Install what `pins` lists: with the uv that it pins, or else with pip."""
    entries = re.split(r"\n(?=\S)", pins)
    exactly = ["--no-deps", "--require-hashes", "-r"]
    # Compiling all files takes pip 20 s; Python compiles what is imported, a tenth.
    install_by_pip = ["install", "--no-compile", *exactly]
    install_by_uv = [venv_python(root), "-m", "uv", "--no-config", "--no-progress", "pip"]
    install_by_uv += ["install", "--python", venv_python(root), *exactly]
    with tempfile.TemporaryDirectory() as folder:
        uv, others = Path(folder, "uv.txt"), Path(folder, "others.txt")
        uv.write_text("\n".join(entry for entry in entries if entry.startswith("uv==")))
        others.write_text("\n".join(entry for entry in entries if not entry.startswith("uv==")))
        pip, settings = find_pip(root)
        failed, log = run(root, *pip, "--retries", "1", *install_by_pip, uv)
        if not failed:
            failed, output = run(root, *install_by_uv, others, **uv_variables(settings))
            log += output
            if failed and UNFETCHED not in output:
                make_empty(root)  # half a package may be there
                pip, _ = find_pip(root)
        if failed:
            print("uv cannot be used here; pip takes a minute or two instead.", flush=True)
            failed, output = run(root, *pip, *install_by_pip, others)
            log += output
    (root / ".venv" / LOG).write_text(log, encoding="utf-8")
    if failed and UNREACHABLE.search(output):
        raise UnreachableError(
            "The package index cannot be reached (behind a proxy: set HTTPS_PROXY)."
        )
    if failed:
        first = WRONG.search(output)
        told = first.group(1) if first else output.splitlines()[-1]
        raise SetupError(f"{told} (.venv/{LOG} has the rest.)")


def find_pip(root):
    """Return how a command line begins that runs a pip for `.venv`, and what its settings are.

    That is `.venv`'s own, or the one of the Python below it (from pip 22.3), or, where there is
    none, as on Debian, the one that Python brings along.
    """
    own = [venv_python(root), "-m", "pip"]
    for pip in (own, [PYTHON, "-m", "pip", "--python", venv_python(root)]):
        failed, output = run(root, *pip, "config", "list")
        if not failed:
            return pip, output
    run(root, venv_python(root), "-m", "ensurepip")
    return own, run(root, *own, "config", "list")[1]


def uv_variables(settings):
    """Translate what ``pip config list`` says, the addresses of indexes above all, for uv."""
    names = {
        "cert": "SSL_CERT_FILE",
        "extra-index-url": "UV_INDEX",
        "find-links": "UV_FIND_LINKS",
        "index-url": "UV_DEFAULT_INDEX",
        "no-index": "UV_OFFLINE",
        "proxy": "ALL_PROXY",
        "trusted-host": "UV_INSECURE_HOST",
    }
    # All indexes are equal to pip. Hashes make that safe.
    variables = {"UV_INDEX_STRATEGY": "unsafe-best-match", "UV_SYSTEM_CERTS": "1"}
    for section in ("global", "install", ":env:"):  # a later one overrides
        for key, value in re.findall(rf"^{section}\.([\w-]+)=(.*)$", settings, re.MULTILINE):
            if key in names:
                separator = "," if key == "find-links" else " "
                variables[names[key]] = separator.join(ast.literal_eval(value).split())
    return variables


def run(root, *command, **variables):
    """Run a command in `root`; return its exit code, and its line with what it printed."""
    line = [str(part) for part in command]
    environment = {n: value for n, value in os.environ.items() if not MISLEADING.match(n)}
    environment.update(PIP_USER="0", PIP_DISABLE_PIP_VERSION_CHECK="1", **variables)
    done = subprocess.run(
        line,
        cwd=str(root),
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        close_fds=False,  # see one_at_a_time
        encoding="utf-8",
        errors="replace",
    )
    return done.returncode, " ".join(line) + "\n" + done.stdout


if __name__ == "__main__":
    sys.exit(main())
