"""Run lessons, each in a fresh kernel that owes nothing to the settings of whoever builds."""

import asyncio
import copy
import logging
import os
import re
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path

from ipykernel.kernelspec import get_kernel_dict
from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError
from nbformat import NotebookNode

from course import BuildError
from course.lesson.series import Lesson

ANSI = re.compile(r"\x1b\[[0-9;]*m")
LETTERS = f"""\
import runpy
runpy.run_path({str(Path(__file__).with_name("letters.py"))!r})["tell_letters"]()
del runpy
kinds = get_ipython().display_formatter.formatters
kinds["image/svg+xml"] = kinds.pop("image/svg+xml")  # last: drawn twice, a figure may move a little
del kinds
"""
FIGURES = "c = get_config()\nc.InlineBackend.figure_formats = {'png', 'svg'}\n"
# Matplotlib's own defaults, not those of a user; a map's cells stay sharp in a drawing.
MATPLOTLIB = "image.interpolation: none\n"
FRAME = re.compile(r"Cell In\s?\[(\d+)\], line (\d+)")


class Stopped(Exception):  # noqa: N818  (a request that was granted, no error)
    """The execution was asked to stop."""


class ThisInterpreter(AsyncKernelManager):
    """A kernel of the Python that runs the build, whatever `python3` is installed as."""

    @property
    def kernel_spec(self) -> KernelSpec:
        """The specification that ipykernel would install for this interpreter."""
        return KernelSpec(**get_kernel_dict())


class Executor:
    """Executes lessons, from any number of threads, until it is stopped.

    Parameters
    ----------
    folder : Path
        Where the lessons run: their working directory.
    cell_seconds : int
        The time that one cell may take.
    on_cell : callable, optional
        Called with the lesson each time one of its cells is done.
    """

    def __init__(
        self,
        folder: Path,
        *,
        cell_seconds: int = 60,
        on_cell: Callable[[Lesson], None] | None = None,
    ):
        self.folder = folder
        self.cell_seconds = cell_seconds
        self.on_cell = on_cell or (lambda lesson: None)
        self._stopping = threading.Event()
        self._kernels: set[ThisInterpreter] = set()

    def stop(self) -> None:
        """End what runs, at once; `execute` then raises `Stopped`."""
        self._stopping.set()
        for kernel in tuple(self._kernels):
            if kernel.provisioner is not None and kernel.provisioner.process is not None:
                kernel.provisioner.process.kill()

    def execute(self, lesson: Lesson) -> NotebookNode:
        """Execute a lesson in its own kernel; the lesson itself is not changed.

        Raises
        ------
        BuildError
            If a cell raises without the tag `raises-exception`, or takes too long, or ends the
            kernel. It names the lesson, the cell and the line.
        Stopped
            If `stop` was called.
        """
        notebook = copy.deepcopy(lesson.notebook)
        with tempfile.TemporaryDirectory(prefix="lesson-", ignore_cleanup_errors=True) as scratch:
            kernel = ThisInterpreter(
                kernel_name="python3",
                connection_file=str(Path(scratch, "kernel.json")),
                # Sockets in a private folder: no port to lose to another kernel, nothing to
                # eavesdrop on. Windows has TCP only.
                transport="tcp" if os.name == "nt" else "ipc",
                log=_quiet(),
            )
            self._kernels.add(kernel)
            try:
                self._run(lesson, notebook, kernel, Path(scratch))
            finally:
                self._kernels.discard(kernel)
        return notebook

    def _run(
        self, lesson: Lesson, notebook: NotebookNode, kernel: ThisInterpreter, scratch: Path
    ) -> None:
        at = None  # index of the cell that runs

        def starting(cell: NotebookNode, cell_index: int) -> None:
            nonlocal at
            if self._stopping.is_set():
                raise Stopped
            at = cell_index

        client = NotebookClient(
            notebook,
            km=kernel,
            timeout=self.cell_seconds,
            iopub_timeout=self.cell_seconds,  # a late output is waited for, never left out
            raise_on_iopub_timeout=True,
            shutdown_kernel="immediate",
            on_cell_start=starting,
            on_cell_executed=lambda **_: self.on_cell(lesson),
            log=_quiet(),
        )
        log = scratch / "kernel.log"
        try:
            # zmq needs a selector loop, which is not the default on Windows.
            with (
                log.open("wb") as output,
                asyncio.Runner(loop_factory=asyncio.SelectorEventLoop) as runner,
            ):
                started = {"cwd": str(self.folder), "env": _environment(scratch)}
                started |= {"stdout": output, "stderr": output}
                runner.run(client.async_execute(cleanup_kc=True, **started))
        except CellExecutionError as error:
            raise BuildError(_message(lesson, notebook, at, error)) from error
        except CellTimeoutError as error:
            where = lesson.where(at)
            message = f"{where}: not done after {self.cell_seconds} s, the limit of a cell"
            raise BuildError(message) from error
        except RuntimeError as error:  # DeadKernelError, or no kernel from the start
            if self._stopping.is_set():
                raise Stopped from error
            last_words = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()[-3:]
            what = f"the kernel died ({error})" if at is not None else f"no kernel: {error}"
            where = f"{lesson.where(at)}: " if at is not None else ""
            raise BuildError("\n  ".join([f"{where}{what}", *last_words])) from error


def _message(lesson: Lesson, notebook: NotebookNode, index: int, error: CellExecutionError) -> str:
    """Name the cell, the line of its source that failed, and the exception."""
    index_of = {
        cell.execution_count: number
        for number, cell in enumerate(notebook.cells)
        if cell.cell_type == "code" and cell.execution_count
    }
    frames = [
        (index_of[int(count)], int(line))
        for count, line in FRAME.findall(ANSI.sub("", error.traceback))
        if int(count) in index_of
    ]
    lines = [lesson.lines[cell] + line - 1 for cell, line in frames]
    here = [line for (cell, _), line in zip(frames, lines, strict=True) if cell == index]
    where = lesson.where(index, here[-1] if here else None)
    inside = f" (called from there: line {lines[-1]})" if frames and frames[-1][0] != index else ""
    return f"{where}{inside}: {error.ename}: {error.evalue}"


def _environment(scratch: Path) -> dict[str, str]:
    """Variables for a kernel: those of the system, without what would change an output."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if name in ("PYTHONPATH", "PYTHONHOME", "MPLCONFIGDIR")  # the last holds the font cache
        or not name.startswith(("PYTHON", "IPYTHON", "MPL", "MATPLOTLIB"))
    }
    matplotlibrc = scratch / "matplotlibrc"
    matplotlibrc.write_text(MATPLOTLIB, encoding="utf-8")
    startup = scratch / "profile_default" / "startup"
    startup.mkdir(parents=True)
    (startup / "letters.py").write_text(LETTERS, encoding="utf-8")
    (startup.parent / "ipython_config.py").write_text(FIGURES, encoding="utf-8")
    libraries = ("OPENBLAS", "OMP", "MKL", "BLIS", "NUMEXPR")
    one_thread = {f"{library}_NUM_THREADS": "1" for library in libraries}
    fixed = {
        "PYTHONHASHSEED": "0",
        "ATTNLIB_MINE": "",  # nobody's own functions
        "IPYTHONDIR": str(scratch),
        "MATPLOTLIBRC": str(matplotlibrc),
    }
    return kept | one_thread | fixed


def _quiet() -> logging.Logger:
    """Return a logger that says nothing: what went wrong is said once, by BuildError."""
    logger = logging.Logger("lesson")
    logger.addHandler(logging.NullHandler())
    return logger
