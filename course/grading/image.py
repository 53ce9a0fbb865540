"""What is in a sandbox: copies of the interpreter, NumPy, attnlib, the child and what they need."""

import contextlib
import fcntl
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path

import numpy

import attnlib
from course import BuildError

HERE = Path(__file__).parent
INSIDE = "/image"
PREFIX = "attnlib-grading-"  # of an image's folder
CHILD = (
    "awaiting.py", "cells.py", "child.py", "confine.py", "names.py", "results.py",
    "stand_ins.py", "wire.py",
)  # fmt: skip
OF_IPYTHON = ("core/inputtransformer2.py", "utils/tokenutil.py")  # which reads what no Python is
UNUSED = (  # of the standard library
    "site-packages", "test", "idlelib", "tkinter", "_tkinter*", "turtledemo", "ensurepip",
    "lib2to3", "config-*",
)  # fmt: skip

# Deletes the folder that it is in, as soon as whoever started it ends, however that is.
HEIR = ("/bin/sh", "-c", 'cat >/dev/null; cd /; rm -rf -- "$OLDPWD"')
NO_ROOM = """\
a copy of Python and NumPy for the sandboxes cannot be made in {0}: {1}. It takes some 160 MB \
there; TMPDIR names another place."""


NO_LDD = """\
which libraries Python and NumPy are linked against cannot be asked for: there is no `ldd`. It \
comes with the C library: `apt install libc-bin`, or `dnf install glibc-common`."""
LOCALE = Path("/usr/lib/locale/C.utf8")
# Of what `ldd` says: by which name a library is asked for, and where it is.
LINKED = re.compile(r"^\s*(?:(\S+) => )?(/.+) \(0x[0-9a-f]+\)$", re.MULTILINE)


class Image:
    """Copies of the interpreter, NumPy, attnlib and the child, which any user may read.

    Copies, because what they are copied from may lie below a home that others may not enter, or
    in an editable checkout; and of the system's libraries those alone that these are linked
    against. Used as a context; leaving it deletes the copies.

    Attributes
    ----------
    by_path : dict
        What programs know by its path, and which file that is: the loader, that starts them.
    """

    def __enter__(self) -> "Image":
        _forget_the_dead()
        self.folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=_where()))
        self._lock, self._heir = os.open(self.folder, os.O_RDONLY), None
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX)
            self._heir = subprocess.Popen(
                HEIR, cwd=self.folder, stdin=subprocess.PIPE, start_new_session=True
            )
            self._copy()
        except OSError as error:
            self.__exit__()
            raise BuildError(NO_ROOM.format(_where(), _why(error))) from error
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *error) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        if self._heir:
            self._heir.communicate()
        os.close(self._lock)

    @property
    def python(self) -> str:
        """The interpreter's path inside."""
        return f"{INSIDE}/bin/python"

    def _copy(self) -> None:
        ignore = shutil.ignore_patterns("tests", "widgets", "*.pyi")
        library = Path(sysconfig.get_path("stdlib"))
        kept = self.folder / "lib" / library.name
        shutil.copytree(library, kept, ignore=shutil.ignore_patterns(*UNUSED), symlinks=False)
        (self.folder / "bin").mkdir()
        shutil.copy(os.path.realpath(sys.executable), self.folder / "bin" / "python")
        if shared := sysconfig.get_config_var("INSTSONAME"):
            found = Path(sysconfig.get_config_var("LIBDIR") or "", shared)
            if found.is_file() and shared.endswith((".so", ".so.1.0")):
                shutil.copy(found, self.folder / "lib" / shared)
        site = Path(numpy.__file__).parent.parent
        for package in (site / "numpy", site / "numpy.libs", Path(attnlib.__file__).parent):
            if package.is_dir():
                target = self.folder / "site" / package.name
                shutil.copytree(package, target, ignore=ignore, ignore_dangling_symlinks=True)
        room = self.folder / "site" / "course" / "grading"
        room.mkdir(parents=True)
        for package in (room.parent, room):
            (package / "__init__.py").touch()
        for name in CHILD:
            shutil.copy(HERE / name, room / name)
        ipython = Path(find_spec("IPython").origin).parent  # to import it takes a second
        for name in OF_IPYTHON:
            target = self.folder / "site" / "IPython" / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ipython / name, target)
        if LOCALE.is_dir():
            shutil.copytree(LOCALE, self.folder / "locale" / LOCALE.name)
        self._link()
        self._compile()
        for path in (self.folder, *self.folder.rglob("*")):
            path.chmod(0o755 if path.is_dir() or path.parent.name == "bin" else 0o644)

    def _link(self) -> None:
        """Copy the libraries that all of it is linked against."""
        libraries = self.folder / "lib"
        asking = [self.folder / "bin" / "python", *self.folder.rglob("*.so*")]
        environment = {**os.environ, "LD_LIBRARY_PATH": str(libraries), "LC_ALL": "C"}
        if shutil.which("ldd") is None:
            raise BuildError(NO_LDD)
        told = subprocess.run(["ldd", *asking], env=environment, capture_output=True, text=True)
        self.by_path = {}
        for name, path in LINKED.findall(told.stdout):
            if (name or path).startswith("/"):
                self.by_path[name or path] = os.path.realpath(path)
            elif not Path(path).is_relative_to(self.folder) and not (libraries / name).exists():
                shutil.copy(path, libraries / name)

    def _compile(self) -> None:
        """Have Python keep what it makes of sources: where it has not, each sandbox would anew.

        That is half of the time that a sandbox takes to start.
        """
        start = (
            f"import sys; sys.path.insert(0, {str(self.folder / 'site')!r}); import attnlib; "
            "from course.grading import awaiting, child"
        )
        command = [self.folder / "bin" / "python", "-I", "-S", "-c", start]
        environment = {"LD_LIBRARY_PATH": str(self.folder / "lib")}
        subprocess.run(command, env=environment, stderr=subprocess.DEVNULL)


def _forget_the_dead() -> None:
    """Delete the images of graders that were killed; who lives holds a lock on its own."""
    for folder in Path(_where()).glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError):
            lock = os.open(folder, os.O_RDONLY | os.O_NOFOLLOW | os.O_DIRECTORY)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if os.fstat(lock).st_uid == os.geteuid() and not _is_new(lock):
                    shutil.rmtree(folder, ignore_errors=True)
            finally:
                os.close(lock)


def _why(error: OSError) -> str:
    """Return the first reason of an error; that of many files has a list of them."""
    if isinstance(error, shutil.Error) and error.args and error.args[0]:
        return str(error.args[0][0][-1])
    return str(error.strerror or error)


def _where() -> str:
    """Return a folder for what is temporary that all users may enter."""
    for place in (tempfile.gettempdir(), "/tmp", "/var/tmp"):
        if all(one.stat().st_mode & 0o001 for one in (Path(place), *Path(place).parents)):
            return place
    return tempfile.gettempdir()


def _is_new(folder: int) -> bool:
    """Whether somebody may have made a folder a moment ago, and has no lock on it yet."""
    return time.time() - os.fstat(folder).st_mtime < 60
