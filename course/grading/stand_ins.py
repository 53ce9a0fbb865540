"""Stands for what is not here: what draws, packages that no homework needs, files of a student's.

A submission may plot, and nobody looks. What it imports beside NumPy may do as it likes in cells;
a function that asks such a package for its answer hears that it is not there.
"""

import importlib.abc
import importlib.machinery
import sys
import types
from typing import ClassVar

import numpy as np

DRAWING = (
    "matplotlib", "mpl_toolkits", "seaborn", "plotly", "PIL", "IPython", "ipywidgets", "anywidget",
    "tqdm", "rich", "tabulate", "termcolor", "colorama", "loguru", "attnlib.plotting",
    "attnlib.widgets",
)  # fmt: skip
AS_THEY_ARE = {"tqdm", "trange", "track"}  # what goes round what is looped over
OPERATIONS = (
    "add", "sub", "mul", "matmul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor",
)  # fmt: skip
ALONE = ("neg", "pos", "abs", "invert", "round", "lt", "le", "gt", "ge")


class Anything:
    """Whatever is asked of it, it gives itself."""

    def __call__(self, *args, **kwargs):
        """Give itself; around a function, as a decorator does, that function."""
        if len(args) == 1 and isinstance(args[0], types.FunctionType):
            return args[0]
        return self

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __getitem__(self, key):
        return self

    def __setitem__(self, key, value):
        pass

    def __delitem__(self, key):
        pass

    def __mro_entries__(self, bases):
        return (Anything,)  # as of `class Mine(widgets.HBox)`

    def __iter__(self):
        return iter((self, self))  # as of `fig, ax = plt.subplots()`

    def __len__(self):
        return 2

    def __array__(self, dtype=None, copy=None):
        made = np.empty(2, object)  # or NumPy would look for numbers in them, and in those, ...
        made[0] = made[1] = self
        return made

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return False

    def __format__(self, form):
        return ""


def _same(self, *_):
    return self


for _name in (*OPERATIONS, *(f"r{one}" for one in OPERATIONS), *ALONE):
    setattr(Anything, f"__{_name}__", _same)


class Kind(type):
    """A class that a package would have brought: nothing is of it."""

    def __call__(cls, *args, **kwargs):
        """Give what stands for one of them."""
        return cls._one(*args, **kwargs)

    def __getitem__(cls, key):
        """Give itself, as of `Float[Array, "n d"]` in a hint."""
        return cls

    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(cls._one, name)


class Absent(Anything):
    """What a package would have brought that is not here.

    In cells it gives itself, and is False. In a call of a function it raises what an import of its
    package would, for an answer cannot come of it.
    """

    in_calls = False  # set in the process that calls functions, and there alone

    def __init__(self, package: str):
        vars(self)["_package"] = package

    @staticmethod
    def named(name: str, package: str):
        """Give what stands for a name of a package: a class where it is called like one."""
        one = Absent(package)
        return Kind(name, (), {"_one": one}) if name[:1].isupper() else one

    def __getattribute__(self, name):
        if not name.startswith("__") and not name[:1].isupper():  # nothing is a `torch.Tensor`
            _ask(self)
        return object.__getattribute__(self, name)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Absent.named(name, vars(self)["_package"])

    def __bool__(self):
        _ask(self)
        return False

    def __float__(self):
        _ask(self)
        return 0.0

    def __index__(self):
        _ask(self)
        return 0


def _ask(one: Absent) -> None:
    if Absent.in_calls:
        package = vars(one)["_package"]
        raise ModuleNotFoundError(f"No module named {package!r}", name=package)


def _asked(method):
    def asked(self, *args, **kwargs):
        _ask(self)
        return method(self, *args, **kwargs)

    return asked


for _name, _method in tuple(vars(Anything).items()):
    if callable(_method) and _name != "__getattr__":
        setattr(Absent, _name, _asked(_method))


class Module(types.ModuleType):
    """A module that holds anything."""

    __path__ = ()

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Bar() if name in AS_THEY_ARE else Anything()


class Bar(Anything):
    """What shows how far a loop has come: around something, it gives the things in that."""

    def __init__(self, things=()):
        self._things = range(things) if isinstance(things, int) else things

    def __call__(self, things=(), *_, **__):
        """Go around something."""
        return Bar(things)

    def __iter__(self):
        return iter(self._things)

    def __len__(self):
        return len(self._things)


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds what draws, by the names of the packages."""

    def find_spec(self, name, path=None, target=None):
        """Find one of them, or a part of one."""
        if not f"{name}.".startswith(tuple(f"{package}." for package in DRAWING)):
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        """Make an empty one."""
        return Module(spec.name)

    def exec_module(self, module):
        """Nothing is run."""


class Files(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds modules that cells wrote by `%%writefile`; nothing is written."""

    sources: ClassVar[dict[str, str]] = {}  # of this process, as `sys.modules` is

    @classmethod
    def keep(cls, path: str, source: str, *, below: bool = False) -> None:
        """Keep a file, or put lines below those that it has."""
        path = path.removeprefix("./")
        cls.sources[path] = (cls.sources.get(path, "") if below else "") + source

    @classmethod
    def source(cls, path: str) -> str:
        """Return what a file holds, and nothing where it was not written."""
        return cls.sources.get(cls._kept(path.removeprefix("./")), "")

    @classmethod
    def _kept(cls, path: str) -> str:
        """Return the whole path of a file, of which the folders may be left out."""
        return next((one for one in cls.sources if f"/{one}".endswith(f"/{path}")), "")

    def find_spec(self, name, path=None, target=None):
        """Find one by its file's name, or a folder of them."""
        place = name.replace(".", "/")
        found = self._kept(f"{place}.py") or self._kept(f"{place}/__init__.py")
        is_folder = any(f"/{place}/" in f"/{one}" for one in self.sources)
        if not found and not is_folder:
            return None
        return importlib.machinery.ModuleSpec(name, self, origin=found, is_package=is_folder)

    def exec_module(self, module):
        """Run what was written."""
        if path := module.__spec__.origin:
            exec(compile(self.sources[path], path, "exec"), vars(module))


def install() -> None:
    """Let all this be imported; what is here of IPython is a part that nobody should find."""
    for name in [name for name in sys.modules if name.partition(".")[0] == "IPython"]:
        del sys.modules[name]
    sys.meta_path.insert(0, Finder())
    sys.meta_path.append(Files())
