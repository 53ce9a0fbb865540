"""Make ``.venv``, the environment of every command: ``python -m course.environment``.

Needs the standard library only. The first call makes ``.venv``, installs what `requirements.lock`
pins and this package (editable), and writes a stamp. A later call compares the stamp and returns
at once; a changed lock is installed; anything half-made, moved or broken is made again.

This file must *parse* on Python 3.6 and newer and get as far as `newer_python` there, so that an
old Python is answered by a sentence and not by a syntax error. Hence no annotations.
"""

import contextlib
import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

OLDEST = (3, 11)
NEWEST = (3, 14)
ROOT = Path(__file__).resolve().parent.parent
STAMP = "course-stamp.json"
# What pip says when the index cannot be reached, as opposed to answering something unwelcome.
UNREACHABLE = (
    "ConnectionError",
    "ConnectTimeout",
    "NameResolution",
    "ProxyError",
    "ReadTimeout",
    "from versions: none",
)


class SetupError(Exception):
    """One sentence, or two, for the person at the keyboard."""


def main(root=ROOT):
    """Make `.venv` ready in `root` and return the exit code: 0 only if it is."""
    try:
        if sys.version_info < OLDEST:
            return subprocess.call([newer_python(), "-m", "course.environment"], cwd=str(root))
        if unready(root):
            with one_at_a_time(root):
                prepare(root)
        _mention_other_python(root)
    except SetupError as error:
        print(error, file=sys.stderr)
        return 1
    except OSError as error:
        print(f"Making .venv failed: {error}. Mend that, then run it again.", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nStopped. Run the same command again: it repairs .venv first.", file=sys.stderr)
        return 130
    return 0


def newer_python():
    """Return the path of a Python on PATH that runs, is new enough and can make environments."""
    for minor in range(NEWEST[1], OLDEST[1] - 1, -1):
        python = shutil.which(f"python3.{minor}")
        if python and _can_make_environments(python):
            return python
    raise SetupError(
        "Python {0}.{1} or newer is needed, with its venv and ensurepip modules; this is Python "
        "{2}.{3} at {4}, and PATH has no other.\n"
        "Install one (from python.org, your package manager, or conda; on Debian and Ubuntu the "
        "packages python3 and python3-venv), then say which: make PYTHON=python3.13 …".format(
            OLDEST[0], OLDEST[1], sys.version_info[0], sys.version_info[1], sys.executable
        )
    )


def _can_make_environments(python):
    """Tell whether `python` runs (a version manager's shim may not) and can make a `.venv`."""
    probe = f"import sys, venv, ensurepip; sys.exit(sys.version_info < {OLDEST})"
    with open(os.devnull, "w") as null:
        try:
            return subprocess.call([python, "-c", probe], stdout=null, stderr=null) == 0
        except OSError:
            return False


def venv_python(root):
    """Return where `.venv` has its interpreter."""
    return root / ".venv" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def unready(root):
    """Compare `.venv` with its stamp.

    Returns
    -------
    None or (str, bool)
        `None` if `.venv` is ready; else what is to be done and why, in a sentence, and whether the
        existing `.venv` is sound, so that installing into it is enough.
    """
    if not os.path.lexists(str(root / ".venv")):
        return "Making .venv. The first start takes a minute or two.", False
    stamp = _read_stamp(root)
    now = describe(root)
    if stamp is None:
        return "An earlier set-up did not finish: making .venv again.", False
    if stamp.get("place") != now["place"]:
        return "This folder has been moved or copied: making .venv again.", False
    if now["python"] is None:
        return "The Python that .venv was made with is gone: making .venv again.", False
    if stamp.get("python") != now["python"]:
        return "The Python below .venv has changed: making .venv again.", False
    if stamp != now:
        return "The pinned packages have changed: installing them.", True
    return None


def describe(root):
    """Return what the stamp of a `.venv` that is ready says."""
    return {
        "lock": _sha256(root / "requirements.lock"),
        "pyproject": _sha256(root / "pyproject.toml"),
        "python": _version(venv_python(root)),
        "place": str(root),
    }


def _sha256(path):
    # Line ends apart: a checkout on Windows is the same lock.
    return hashlib.sha256(path.read_bytes().replace(b"\r\n", b"\n")).hexdigest()


def _version(python):
    """Return `python`'s version as "3.11", or None if it does not run."""
    show = [str(python), "-I", "-S", "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]
    try:
        return subprocess.check_output(show, stderr=subprocess.DEVNULL).decode().strip()
    except (OSError, subprocess.CalledProcessError):
        return None


def _read_stamp(root):
    try:
        stamp = json.loads((root / ".venv" / STAMP).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return stamp if isinstance(stamp, dict) else None


@contextlib.contextmanager
def one_at_a_time(root):
    """Hold this folder's lock; a second set-up waits here until the first is done.

    The operating system gives the lock back when its holders end, however they end. pip inherits
    it: if this process is killed, the next set-up still waits for the pip that it left behind.
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


def prepare(root):
    """Bring `.venv` in `root` to what `describe` says. The caller holds the lock."""
    todo = unready(root)
    if todo is None:  # whoever held the lock before has done it
        return
    reason, sound = todo
    print(reason, flush=True)
    start = time.monotonic()
    venv = root / ".venv"
    if sound:
        (venv / STAMP).unlink()  # from here to the new stamp, .venv is half-made
    else:
        _make_empty(venv)
    # Python compiles the tenth of the files that is ever imported; all of them take 20 s longer.
    pip(root, "--no-compile", "--require-hashes", "--requirement", "requirements.lock")
    # The lock has the build backend, so nothing is fetched here.
    pip(root, "--no-deps", "--no-build-isolation", "--editable", ".")
    _write_stamp(root)
    print(f".venv is ready ({time.monotonic() - start:.0f} s).", flush=True)


def _remove(venv):
    if venv.is_dir() and not venv.is_symlink():
        shutil.rmtree(str(venv))
    elif os.path.lexists(str(venv)):
        venv.unlink()


def _make_empty(venv):
    python = _base_python()
    _remove(venv)
    made = subprocess.run(
        [python, "-m", "venv", str(venv)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        close_fds=False,  # see one_at_a_time
        env=_environment(),
        text=True,
    )
    if made.returncode:
        words = (made.stdout + made.stderr).strip().splitlines() or ["it said nothing"]
        raise SetupError(f"{python} -m venv .venv failed; its last words: {words[-1]}")


def _base_python():
    """Return the Python to make `.venv` with: this one, unless it lacks ensurepip.

    When this one runs *from* a virtual environment (perhaps the very one that is to be replaced),
    the one below it.
    """
    if importlib.util.find_spec("ensurepip") is None:
        return newer_python()
    return getattr(sys, "_base_executable", None) or sys.executable


def _environment():
    """Return os.environ without what would lead another Python's packages into `.venv`."""
    environment = dict(os.environ, PIP_USER="0", PIP_DISABLE_PIP_VERSION_CHECK="1")
    for name in ("PYTHONHOME", "PYTHONPATH", "PIP_TARGET", "PIP_PREFIX"):
        environment.pop(name, None)
    return environment


def pip(root, *arguments):
    """Run pip's install in `.venv`: a dot for each package, its words in `.venv/pip.log`."""
    log = root / ".venv" / "pip.log"
    dots = sys.stdout.isatty()
    with log.open("w", encoding="utf-8") as words:
        process = subprocess.Popen(
            [str(venv_python(root)), "-m", "pip", "install", "--no-input", *arguments],
            cwd=str(root),
            env=_environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            close_fds=False,  # see one_at_a_time
            encoding="utf-8",
            errors="replace",
        )
        try:
            for line in process.stdout:
                words.write(line)
                if dots and line.startswith(("Collecting", "Installing")):
                    print(".", end="", flush=True)
            code = process.wait()
        finally:
            process.kill()  # of no effect but after Ctrl-C
            process.wait()
            process.stdout.close()
    if dots:
        print()
    if code:
        raise SetupError(_what_pip_said(log, root))


def _what_pip_said(log, root):
    text = log.read_text(encoding="utf-8", errors="replace")
    where = f"(pip's words are in {log.relative_to(root)})"
    if any(word in text for word in UNREACHABLE):
        return (
            f"The package index cannot be reached {where}.\nWith a network (behind a proxy: set "
            "HTTPS_PROXY), run the same command again."
        )
    errors = [line for line in text.splitlines() if line.startswith("ERROR")] or ["no reason"]
    return (
        f"Installing the packages failed {where}. It ended with:\n{errors[-1]}\n"
        "Mend that, then run the same command again."
    )


def _write_stamp(root):
    stamp = root / ".venv" / STAMP
    draft = stamp.with_suffix(".draft")
    draft.write_text(json.dumps(describe(root), indent=1) + "\n", encoding="utf-8")
    os.replace(str(draft), str(stamp))  # whole or not at all


def _mention_other_python(root):
    """Say so if `make PYTHON=…` asked for another Python than `.venv` has."""
    asked = "{}.{}".format(*sys.version_info)
    has = _read_stamp(root)["python"]
    if asked != has:
        print(f"(.venv has Python {has}, not {asked}; delete .venv to have it made with {asked}.)")


if __name__ == "__main__":
    sys.exit(main())
