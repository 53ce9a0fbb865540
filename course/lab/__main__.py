"""Open JupyterLab on a working copy of the lessons: ``python -m course lab``.

Readers edit `my/`, which git ignores, and `git pull` updates `notebooks/`: the two never meet.
JupyterLab runs with settings of its own below `my/.jupyter`. It neither reads nor writes the
reader's other Jupyter and IPython settings, and it asks nobody outside for news or updates.
"""

import argparse
import hashlib
import json
import os
import socket
import sys
from collections.abc import MutableMapping
from datetime import date
from importlib.util import find_spec
from pathlib import Path

from course.files import BUNDLE, ROOT, write
from course.lab.copy import working_copy

RECORD = ".lessons.json"
KEPT, TRIED = "mine.py", ".mine.json"  # what attnlib.mine keeps there, and what it remembers
EXTENSIONS = "share/jupyter/labextensions"  # where an environment has JupyterLab's
EXTENSION = Path(__file__).parent / "labextension"
FIRST = "00_start_here.ipynb"
LOCALES = {"zh": "zh_CN"}  # JupyterLab's names of our editions' languages
TRANSLATION = "@jupyterlab/translation-extension/plugin.jupyterlab-settings"  # what readers choose
KERNELS = "ipython/profile_default/ipython_kernel_config.py"  # below a home of `isolate`
LOADED = 'c.InteractiveShellApp.extensions = ["attnlib.jupyter.errors"]\n'

# What leads Python, and with it each kernel, to other packages, or away from ours.
MISLEADING = ("PYTHONPATH", "PYTHONHOME", "PYTHONSAFEPATH", "PYTHONOPTIMIZE", "PYTHONSTARTUP")


class LabError(Exception):
    """One sentence for the person at the keyboard."""


def main(argv: list[str] | None = None) -> int:
    """Copy the lessons that are missing from `my/`, serve until Ctrl-C, return the exit code.

    With ``--copy-only`` nothing is served; with ``--fresh`` what was there is moved away first.
    """
    arguments, others = _parser().parse_known_args(argv)
    edition = (
        arguments.edition or ""
    )  # its folder, below that of the lessons and that of the copies
    lessons, called = ROOT / "notebooks" / edition, Path("my", edition).as_posix()
    try:
        port = parse_port(arguments.port)
        if arguments.fresh:
            for sentence in set_aside(ROOT / called, date.today(), called):
                print(sentence, flush=True)
        for sentence in copy_lessons(lessons, ROOT / called, called):
            print(sentence, flush=True)
        if edition:  # copies in all languages have one mine.py
            os.environ.setdefault("ATTNLIB_MINE", str(ROOT / "my"))
        if arguments.copy_only:
            return 0
        for sentence in lay_extension(Path(sys.prefix, EXTENSIONS)):
            print(sentence, flush=True)
        serve(ROOT, port, arguments.browser, others, edition)
    except LabError as error:
        print(error, file=sys.stderr)
        return 1
    except OSError as error:
        print(f"my/ could not be written: {error}", file=sys.stderr)
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m course lab",
        description="Open JupyterLab on a working copy of the lessons.",
        epilog="What is not listed here is handed on to JupyterLab.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "--port", default=os.environ.get("PORT"), help="1 to 65535 (or the variable PORT)"
    )
    parser.add_argument(
        "--browser",
        default=os.environ.get("BROWSER"),
        help="which browser to open, 'none' for none (or the variable BROWSER)",
    )
    parser.add_argument(
        "--edition", choices=editions(ROOT / "notebooks"), help="the lessons in another language"
    )
    parser.add_argument(
        "--copy-only", action="store_true", help="fill my/ and stop, to hand it out to a class"
    )
    parser.add_argument(
        "--fresh",
        action="store_true",
        help="move all copies, and mine.py, to my/before-DATE, and begin anew",
    )
    return parser


def editions(lessons: Path) -> list[str]:
    """Return the languages, besides English, in which there are lessons."""
    return sorted({path.parent.name for path in lessons.glob(f"*/{FIRST}")})


def parse_port(text: str | None) -> int | None:
    """Return the port that `text` names if it is free; None if `text` is None or empty.

    Raises
    ------
    LabError
        If it is no port number, or something else listens there, or this user may not.
    """
    if not text:
        return None
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= 65535:
        raise LabError(f"PORT must be a number from 1 to 65535, not {text!r}.")
    port = int(text)
    with socket.socket() as probe:
        if os.name == "posix":  # as the server does; Windows means something else by this option
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            raise LabError(
                f"Port {port} cannot be used ({error.strerror}): choose another, as in PORT=8899, "
                "or name none and a free one is found."
            ) from error
    return port


def copy_lessons(lessons: Path, copies: Path, called: str = "my") -> list[str]:
    """Copy each `NN_*.ipynb` that `copies` lacks, as `working_copy` makes it; touch no other.

    `copies/.lessons.json` keeps the hash of the lesson that each copy was made from.

    Returns
    -------
    list of str
        What a reader should know: what was copied, and which copy's lesson has changed since, or
        is gone. A copy without a record (made by hand) is the reader's own affair.
    """
    sources = sorted(lessons.glob("[0-9][0-9]_*.ipynb"))
    if not sources:
        raise LabError(f"There are no lessons in {lessons.name}/: is this a whole checkout?")
    copies.mkdir(parents=True, exist_ok=True)
    record = _read_record(copies)
    copied, outdated = [], []
    gone = [name for name in record if name not in {source.name for source in sources}]
    gone = [name for name in gone if (copies / name).exists()]
    for source in sources:
        version = hashlib.sha256(source.read_bytes()).hexdigest()
        copy = copies / source.name
        if not copy.exists():
            write(copy, working_copy(source.read_bytes()))
            record[source.name] = version
            copied.append(source.name)
        elif record.get(source.name, version) != version:
            outdated.append(source.name)
    if copied:
        text = json.dumps(record, indent=1, sort_keys=True) + "\n"
        write(copies / RECORD, text.encode())
    return _sentences(copied, outdated, gone, called)


def set_aside(copies: Path, today: date, called: str = "my") -> list[str]:
    """Move the copies of lessons, and the functions that were kept, to a folder of that day.

    Whatever else stands beside them stays.

    Returns
    -------
    list of str
        What a reader should know.
    """
    found = sorted(copies.glob("[0-9][0-9]_*.ipynb"))
    found += [copies / name for name in (KEPT, TRIED, RECORD) if (copies / name).exists()]
    if not found:
        return []
    folder, number = copies / f"before-{today}", 1
    while folder.exists():
        number += 1
        folder = copies / f"before-{today}-{number}"
    folder.mkdir()
    for path in found:
        path.rename(folder / path.name)
    return [f"What you had is in {called}/{folder.name}/; you begin anew."]


def lay_extension(folder: Path) -> list[str]:
    """Bring our extension of JupyterLab, in `folder`, to what it is here.

    Returns
    -------
    list of str
        What a reader should know: nothing, or that it could not be written.
    """
    parts = {path.relative_to(EXTENSION): path for path in EXTENSION.rglob("*.*")}
    parts[Path("static", BUNDLE.name)] = BUNDLE  # as the wheel has it
    try:
        for name, path in parts.items():
            place = folder / "attnlib" / name
            place.parent.mkdir(parents=True, exist_ok=True)
            write(place, path.read_bytes())
    except OSError as error:
        return [
            f"The extension that opens answers could not be written ({error.strerror}): a click "
            "opens them all the same, and a saved widget shows its picture."
        ]
    return []


def _sentences(copied: list[str], outdated: list[str], gone: list[str], folder: str) -> list[str]:
    sentences = []
    if copied:
        count = "1 lesson" if len(copied) == 1 else f"{len(copied)} lessons"
        sentences.append(
            f"Copied {count} to {folder}/, yours to change. To reset a lesson, delete its copy."
        )
    sentences += [
        f"{folder}/{name} was made from an older version of its lesson. It stays as it is; "
        "for the new version, delete it (or rename it, to keep your work)."
        for name in outdated
    ]
    sentences += [
        f"{folder}/{name}: the series has no lesson of this name any more. It stays as it is; "
        "delete it when you like."
        for name in gone
    ]
    return sentences


def _read_record(copies: Path) -> dict[str, str]:
    try:
        record = json.loads((copies / RECORD).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return record if isinstance(record, dict) else {}


def isolate(environ: MutableMapping[str, str], home: Path) -> None:
    """Change `environ` so that Jupyter and IPython know only this Python's files and `home`.

    Where JUPYTER_TOKEN is set, for one, the server would not say its address.
    """
    for name in [name for name in environ if name.startswith("JUPYTER")]:
        del environ[name]
    for name in (*MISLEADING, "BROWSER", "PORT"):
        environ.pop(name, None)
    environ.update(
        JUPYTER_NO_CONFIG="1",
        JUPYTER_PREFER_ENV_PATH="1",
        JUPYTER_DATA_DIR=str(home / "data"),
        JUPYTER_RUNTIME_DIR=str(home / "runtime"),
        JUPYTERLAB_SETTINGS_DIR=str(home / "settings"),
        JUPYTERLAB_WORKSPACES_DIR=str(home / "workspaces"),
        IPYTHONDIR=str(home / "ipython"),
    )


def speak(edition: str, settings: Path) -> None:
    """Have JupyterLab in an edition's language, if its pack is there and nobody chose another."""
    locale = LOCALES.get(edition, "")
    chosen = settings / TRANSLATION
    if locale and find_spec(f"jupyterlab_language_pack_{locale}") and not chosen.exists():
        chosen.parent.mkdir(parents=True, exist_ok=True)
        write(chosen, json.dumps({"locale": locale}).encode())


def options(root: Path, port: int | None, browser: str | None, edition: str = "") -> list[str]:
    """Return JupyterLab's command line."""
    import zmq

    chosen = [
        f"--ServerApp.root_dir={root}",
        "--ServerApp.ip=127.0.0.1",
        "--ServerApp.allow_root=True",  # in a container everybody is root
        "--ServerApp.answer_yes=True",  # one Ctrl-C ends it
        f"--LabApp.default_url=/lab/tree/{Path('my', edition, FIRST).as_posix()}",
        f"--LabApp.labextensions_path={Path(sys.prefix, EXTENSIONS)}",
        f"--LabApp.app_settings_dir={root / 'course' / 'lab' / 'settings'}",
        "--LabApp.news_url=None",  # the page does not ask, nor could the server be made to
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
        "--LabApp.extension_manager=readonly",
        "--ServerApp.jpserver_extensions=attnlib.jupyter.saving=True",
        "--Application.log_level=ERROR",  # the addresses are still shown
    ]
    if zmq.has("curve"):  # kernels that are not encrypted frighten the reader with a warning
        chosen.append("--KernelManager.transport_encryption=auto")
    if port:
        chosen += [f"--ServerApp.port={port}", "--ServerApp.port_retries=0"]
    if browser == "none":
        chosen.append("--ServerApp.open_browser=False")
    elif browser:
        chosen.append(f"--ServerApp.browser={browser}")
    return chosen


def serve(
    root: Path, port: int | None, browser: str | None, others: list[str], edition: str = ""
) -> None:
    """Run JupyterLab until it is stopped; `others` are options of its own."""
    home = root / "my" / edition / ".jupyter"
    isolate(os.environ, home)
    (home / "data").mkdir(parents=True, exist_ok=True)  # nbformat 5.10.0 takes it to be there
    (home / KERNELS).parent.mkdir(parents=True, exist_ok=True)
    write(home / KERNELS, LOADED.encode())
    speak(edition, home / "settings")
    try:
        from jupyterlab.labapp import LabApp
    except ImportError as error:
        raise LabError(
            f"JupyterLab is missing in {sys.executable} ({error}): use `make lab`, or install it "
            "with `pip install -e .[lab]`."
        ) from error
    print("Starting JupyterLab; Ctrl-C here stops it.", flush=True)
    LabApp.launch_instance([*options(root, port, browser, edition), *others])
