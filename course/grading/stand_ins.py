"""Modules that draw and display, and do nothing here: a submission may plot, and nobody looks."""

import importlib.abc
import importlib.machinery
import sys
import types

PACKAGES = (
    "matplotlib", "mpl_toolkits", "seaborn", "IPython", "ipywidgets", "anywidget",
    "attnlib.widgets",
)  # fmt: skip


class Anything:
    """Whatever is asked of it, it gives itself."""

    def __call__(self, *args, **kwargs):
        """Give itself."""
        return self

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __getitem__(self, key):
        return self

    def __setitem__(self, key, value):
        pass

    def __iter__(self):
        return iter((self, self))  # as of `fig, ax = plt.subplots()`

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return False


class Module(types.ModuleType):
    """A module that holds anything."""

    __path__ = ()

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Anything()


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the stand-ins, by the names of the packages that they stand for."""

    def find_spec(self, name, path=None, target=None):
        """Find one of them, or a part of one."""
        if not f"{name}.".startswith(tuple(f"{package}." for package in PACKAGES)):
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        """Make an empty one."""
        return Module(spec.name)

    def exec_module(self, module):
        """Nothing is run."""


def install() -> None:
    """Let these packages be imported."""
    sys.meta_path.insert(0, Finder())
