"""What every test may use: the markers `needs`, `full`, `weekly`; `agg`, `made`, `site`.

`rounded` is the real encoder, rounded for the site. The fixture `budget` is that of budgets.py, and
`chromium` that of chromium.py.

A quick run leaves out what is marked `full`: more of the same kind, in other lessons or front ends.
A full one leaves out what is marked `weekly`: all of a kind of which it has a sample.
Other engines than Chromium are a part of their own, `make engines`, and no other run has it.
"""

import importlib.util
import os
import shutil
import signal
import time
from contextlib import contextmanager
from pathlib import Path

# Several workers share the processors: a BLAS that waits in threads of its own in each of them, and
# in the kernels that they start, would slow all the others. Set before anything imports NumPy.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import hypothesis
import pytest

from course import BuildError
from course.environment import try_lock
from course.files import ROOT
from course.slides import browser
from tests import budgets, processor, sharing, times
from tests.chromium import OneChromium

ENGINES = ROOT / "tests" / "engines"
LEFT_OUT = ("full", "weekly")  # unless an option of that name asks for it

# Programs go by a nickname, because systems name them differently; anything else is a module.
PROGRAMS = {
    "chromium": browser.NAMES,
    "git": ("git",),
    "make": ("make",),
    "npm": ("npm",),
    "bwrap": ("bwrap",),
    "openssl": ("openssl",),
    "firefox": ("firefox-esr", "firefox"),
    "webkit": ("WebKitWebDriver",),
    "xvfb": ("Xvfb",),
}


def pytest_addoption(parser):
    for mark in LEFT_OUT:
        parser.addoption(f"--{mark}", action="store_true", help=f"run what is marked `{mark}`, too")


def pytest_xdist_auto_num_workers(config):
    """Up to four, two for each processor: half their time they wait, for browsers and kernels."""
    processors = os.cpu_count() or 1
    return max(processors, min(2 * processors, 4))


def pytest_ignore_collect(collection_path, config):
    asked = any(ENGINES.name in argument for argument in config.args)
    return None if asked or collection_path != ENGINES else True


def pytest_collection_modifyitems(config, items):
    for item in items:
        if "site" in getattr(item, "fixturenames", ()):  # a whole one takes a minute
            item.add_marker(pytest.mark.full)
    for mark in LEFT_OUT:
        if not config.getoption(f"--{mark}"):
            left_out = [item for item in items if item.get_closest_marker(mark)]
            config.hook.pytest_deselected(items=left_out)
            items[:] = [item for item in items if not item.get_closest_marker(mark)]


def pytest_configure(config):
    os.environ["ATTNLIB_MINE"] = ""  # here, and in what starts from here, nobody's own run
    config.pluginmanager.register(times)
    config.pluginmanager.register(processor)
    config.pluginmanager.register(OneChromium(), "chromium")
    if config.pluginmanager.hasplugin("xdist"):
        config.pluginmanager.register(sharing)
    # Where a shell starts this in the background interrupts are ignored, here and in what is
    # started from here, and nothing that is tested with one would ever end.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    hypothesis.settings.register_profile(
        "course", deadline=None, derandomize="CI" in os.environ, print_blob=True
    )
    hypothesis.settings.load_profile("course")
    config.pluginmanager.register(budgets)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Tell what cannot be built, say a notebook that is older than its source, in its own words."""
    report = yield
    if call.excinfo is not None and call.excinfo.errisinstance(BuildError):
        report.longrepr = f"{item.nodeid}: {call.excinfo.value}"
    return report


def pytest_runtest_setup(item):
    required = os.environ.get("ATTNLIB_REQUIRE", "").split(",")
    for marker in item.iter_markers("needs"):
        for what in marker.args:
            if is_here(what):
                continue
            if what in required:
                pytest.fail(f"needs {what}, which ATTNLIB_REQUIRE says is here", pytrace=False)
            pytest.skip(f"needs {what}")


def is_here(what):
    """Tell whether a module, or a program by its nickname, is installed."""
    if what in PROGRAMS:
        return program(what) is not None
    return importlib.util.find_spec(what) is not None


def program(nickname):
    """Return where a program is; None if it is not."""
    return next(filter(None, map(shutil.which, PROGRAMS[nickname])), None)


@pytest.fixture
def agg():
    """Draw without a screen, and leave no figure open behind."""
    import matplotlib.pyplot as plt

    with plt.rc_context():
        plt.switch_backend("agg")
        yield
        plt.close("all")


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    """Return what lends a folder, by its name, to one worker at a time: for what is slow to make.

    The folder is the whole run's, and that of others for which ATTNLIB_MADE says the same place.
    """
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    place = Path(os.environ.get("ATTNLIB_MADE") or shared / "made")

    @contextmanager
    def lend(name):
        folder = place / name
        folder.mkdir(parents=True, exist_ok=True)
        with (place / f"{name}.lock").open("a") as handle:
            while not try_lock(handle):
                time.sleep(0.2)
            yield folder

    return lend


@pytest.fixture(scope="session")
def rounded(made):
    """Round the real encoder once for the site; return its files, and what is said of them."""
    from course.site.model import round_model

    with made("model") as folder:
        return round_model(folder)


@pytest.fixture(scope="session")
def site(made, request):
    """Build the whole site once, without slides, for all that look at it; return its folder.

    It has the real encoder where that is installed.
    """
    from attnlib.encoder import PACKAGE
    from course.site.build import build

    whole = is_here(PACKAGE)
    kept = request.getfixturevalue("rounded") if whole else None

    with made("site") as folder:
        built = folder / "build" / "site"
        if not built.exists():
            for name in ("notebooks", "images", "docs"):
                (folder / name).symlink_to(ROOT / name)
            if whole:
                there = next(iter(kept.files.values())).parent
                shutil.copytree(there, folder / "build" / "site.work" / "model")
            build("https://github.com/owner/name", notebooks=folder / "notebooks", model=whole)
    return built


@pytest.fixture(scope="module")
def chromium(request):
    """Return the worker's one browser; each visit has a context of its own."""
    return request.config.pluginmanager.get_plugin("chromium").open()
