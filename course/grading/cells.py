"""Runs a notebook's cells inside the sandbox, as far as they can be run there.

A cell ran where its student sat. What it needs may not be here: Colab's drive, a package, a file
that was not handed in. So its statements are run one by one, and one that fails is left out alone;
what IPython understands and Python does not is read as IPython reads it; and what an import would
have brought stands there until a function asks for it.
"""

import __future__

import ast
import inspect
import linecache
import re
import sys
import types
from functools import reduce
from operator import or_

from IPython.core.inputtransformer2 import TransformerManager  # the image has this file of it

from course.grading.stand_ins import Absent, Anything, Files

WORDS = 300  # of what is told about an exception
# Cells that are no Python, by their first line; the bodies of others are, as that of `%%time`.
FOREIGN = {
    "!", "bash", "bigquery", "cmd", "cython", "file", "html", "HTML", "javascript", "js", "latex",
    "markdown", "perl", "pypy", "python2", "R", "ruby", "script", "sh", "shell", "sql", "SVG",
    "svg", "system", "sx", "writefile",
}  # fmt: skip
# What a notebook takes for a command without a mark before it.
COMMAND = re.compile(
    r"^([ \t]*)(?:(?:pip3?|conda|mamba|uv|apt|apt-get|git|python3?|cat|cd|cp|ls|mkdir|mv|rm|wget) "
    r"[^=(\n]*|clear|matplotlib inline)$",
    re.MULTILINE,
)
# The flags of code below a `from __future__ import …`, and of code that must be awaited.
FUTURE = reduce(
    or_, (getattr(__future__, one).compiler_flag for one in __future__.all_feature_names)
)
FUTURE &= ~inspect.CO_NESTED
AWAIT = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT


NAMES = ("display", "exit", "help", "quit", "In", "Out", "_", "__", "___")  # of IPython's own


class Notebook:
    """A notebook's names, and what was told of its cells."""

    def __init__(self):
        module = types.ModuleType("__main__")
        sys.modules["__main__"] = module
        shell, self.space = Shell(self), vars(module)
        self.space |= dict.fromkeys(NAMES, Anything())
        self.space |= {"get_ipython": lambda: shell, "input": lambda *_: ""}
        self.told: list[tuple] = []
        self._flags, self._await = 0, None

    def run(self, index: int, source: str, *, defines: bool = False) -> None:
        """Run a cell, or only what it defines; of what fails in it the first is told."""
        where = f"<cell {index + 1}>"
        lines = [f"{line}\n" for line in source.split("\n")]
        linecache.cache[where] = len(source), None, lines, where  # as a notebook keeps them
        try:
            tree = read(source)
            if defines:
                tree.body = [one for one in tree.body if is_definition(one)]
            self._compiled(tree, where)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            found = [("syntax", error)]
        else:
            found = [("raised", error) for error in self.failing(tree, where)]
        for how, error in found:
            name = type(error).__name__[:60]
            self.told.append((index, how, name, words(error), line_of(error)))

    def failing(self, tree: ast.Module, where: str) -> list[BaseException]:
        """Run statements, each by itself; return what the first raised that failed, if any did."""
        errors: list[BaseException] = []
        for statement in apart(tree):
            try:
                self._do(statement, where)
            except BaseException as error:
                if not (names := self._absent(statement, error)):
                    errors = errors or [error]
                self.space |= {name: one for name, one in names.items() if name not in self.space}
        return errors

    def _do(self, statement: ast.stmt, where: str) -> None:
        code = self._compiled(ast.Module([statement], []), where)
        self._flags |= code.co_flags & FUTURE
        if code.co_flags & inspect.CO_COROUTINE:
            self._awaited(eval(code, self.space))
            return
        try:
            exec(code, self.space)
        except RuntimeError as error:
            if "no running event loop" not in words(error):
                raise
            self._awaited(self._within(code))  # in a notebook there is always one

    def _awaited(self, coroutine) -> None:
        if self._await is None:
            from course.grading.awaiting import Loop  # few need it, and it takes a while

            self._await = Loop().run_until_complete
        self._await(coroutine)

    async def _within(self, code: types.CodeType) -> None:
        exec(code, self.space)

    def _compiled(self, tree: ast.Module, where: str) -> types.CodeType:
        return compile(tree, where, "exec", flags=self._flags | AWAIT, dont_inherit=True)

    def _absent(self, statement: ast.stmt, error: BaseException) -> dict[str, object]:
        """Return what stands for the names of an import whose package is not there."""
        if not isinstance(error, ModuleNotFoundError):
            return {}
        package = str(error.name).partition(".")[0]
        match statement:
            case ast.Import([one]) if one.name.partition(".")[0] == package != "":
                return {one.asname or package: Absent(package)}
            case ast.ImportFrom(str(module), several, 0) if module.partition(".")[0] == package:
                return {
                    one.asname or one.name: Absent.named(one.name, package)
                    for one in several
                    if one.name != "*"
                }
        return {}


class Shell(Anything):
    """What `get_ipython()` gives: it runs what is Python in magics, and leaves out the rest."""

    def __init__(self, notebook: Notebook):
        self._notebook = notebook

    def run_cell_magic(self, name: str, line: str, body: str) -> None:
        """Run a cell below a `%%magic`, or keep it as a file where it is one."""
        if name in ("writefile", "file"):
            Files.keep(line.split()[-1], body, below="-a" in line.split())
        elif name not in FOREIGN:
            self._run(body, after=1)

    def run_line_magic(self, name: str, line: str, *_) -> object:
        """Run what `%time` measures, and what `%run` names."""
        if name in ("time", "prun"):
            self._run(line)
        elif name == "run":
            self._run(Files.source(line.split()[0]) if line.split() else "")
        return self

    def system(self, *_) -> None:
        """Run no command."""

    def getoutput(self, *_) -> list[str]:
        """Run no command, and give what it wrote."""
        return []

    def _run(self, source: str, *, after: int = 0) -> None:
        tree = ast.increment_lineno(read(source), after)
        where = sys._getframe(2).f_code.co_filename
        for error in self._notebook.failing(tree, where):
            raise error


def read(source: str) -> ast.Module:
    """Read a cell as a notebook does.

    Raises
    ------
    SyntaxError, ValueError, RecursionError, MemoryError
        If it is no Python.
    """
    try:
        return ast.parse(source)
    except SyntaxError as error:
        first = error
    for text in (source, COMMAND.sub(r"\1pass", source)):
        try:
            return ast.parse(TransformerManager().transform_cell(text))
        except Exception:  # of what its tokens are not
            continue
    raise first


def apart(tree: ast.Module):
    """Give the statements of a cell; an import of several things is one for each."""
    for statement in tree.body:
        if isinstance(statement, ast.Import) and statement.names[1:]:
            for one in statement.names:
                yield ast.copy_location(ast.Import([one]), statement)
        else:
            yield statement


def is_definition(statement: ast.stmt) -> bool:
    """Whether a statement makes a name, and calls nothing for it."""
    match statement:
        case ast.Import() | ast.ImportFrom() | ast.FunctionDef() | ast.ClassDef():
            return True
        case ast.Assign(value=value) | ast.AnnAssign(value=value):
            inner = ast.walk(value) if value else ()
            return isinstance(value, ast.Lambda) or not any(isinstance(x, ast.Call) for x in inner)
    return False


def words(error: BaseException) -> str:
    """Tell the beginning of an exception's message."""
    try:
        return str(error)[:WORDS]
    except BaseException:
        return ""


def line_of(error: BaseException) -> int:
    """Return the line of a cell where an exception comes from, or 0."""
    if isinstance(error, SyntaxError):
        return error.lineno or 0
    number, trace = 0, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename.startswith("<cell"):
            number = trace.tb_lineno
        trace = trace.tb_next
    return number
