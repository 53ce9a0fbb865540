"""What every test may use: marks, `agg`, `chromium`, `made`, `site`.

`rounded` is the real encoder, rounded for the site. The fixture `budget` is that of budgets.py, and
`chromium` that of chromium.py.

A quick run leaves out what is marked `full`: more of the same kind, in other lessons or front ends,
and what needs something costly, but for what is marked `smoke`.
Of some kinds a full run takes a sample, too, always the same, and `--weekly` takes all: what is
marked `weekly`, and strict nbval, which runs a lesson that `test_notebooks.py` has run already.
With `--module`, what tests attnlib runs and nothing else of tests/: on any system, any Python.
Other engines than Chromium are a part of their own, `make engines`, and no other run has it.
"""

import importlib.util
import os
import shutil
import signal
import sys
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
from tests import budgets, processor, sharing
from tests.chromium import OneChromium

TESTS = ROOT / "tests"
ENGINES = TESTS / "engines"
COSTLY = {"site", "image"}  # fixtures: a whole site takes a minute, sandboxes a copy of Python
# Lessons that nbval runs where not all are asked for: one with outputs of all kinds, and one whose
# numbers training made. It runs them on this processor's own BLAS kernel, as rebuilds do not.
NBVAL = ("05_masking.ipynb", "10_learning_to_attend.ipynb")

# Programs go by a nickname, because systems name them differently; what is neither a program nor a
# kind of system is a module.
SYSTEMS = {"linux": sys.platform == "linux", "posix": os.name == "posix"}
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
    parser.addoption("--full", action="store_true", help="run what is marked `full`, too")
    parser.addoption(
        "--weekly",
        action="store_true",
        help="run all of what other runs take a sample of; as --full besides",
    )
    parser.addoption("--module", action="store_true", help="of tests/, run what tests attnlib")


def full(config):
    """Tell whether what is marked `full` runs, too."""
    return config.getoption("--full") or weekly(config)


def weekly(config):
    """Tell whether all runs of which other runs take a sample."""
    return config.getoption("--weekly")


def pytest_xdist_auto_num_workers(config):
    """Up to four, two for each processor: half their time they wait, for browsers and kernels."""
    processors = os.cpu_count() or 1
    return max(processors, min(2 * processors, 4))


def pytest_ignore_collect(collection_path, config):
    asked = any(ENGINES.name in argument for argument in config.args)
    if collection_path == ENGINES and not asked:
        return True
    left_out = config.getoption("--module") and collection_path.parent == TESTS
    return True if left_out and not tests_attnlib(collection_path) else None


def tests_attnlib(path):
    """Tell whether a file or folder of tests/ is called as a module or a room of attnlib is."""
    found = (ROOT / "attnlib").rglob("*")
    there = {one.stem.strip("_") for one in found if one.suffix in ("", ".py")}
    return path.stem.removeprefix("test_") in there | {"oracle", "public_names"}


def pytest_collection_modifyitems(config, items):
    for item in items:
        is_costly = COSTLY & {*getattr(item, "fixturenames", ())}
        if is_costly and not item.get_closest_marker("smoke"):
            item.add_marker(pytest.mark.full)
    runs, left_out = [], []
    for item in items:
        (runs if is_run(item, config) else left_out).append(item)
    config.hook.pytest_deselected(items=left_out)
    items[:] = runs


def is_run(item, config):
    """Tell whether a test is of a run as large as this one; a notebook that is named always is."""
    if item.path.suffix == ".ipynb" and config.getoption("nbval") and not weekly(config):
        return item.path.name in (*NBVAL, *(Path(argument).name for argument in config.args))
    marked = {marker.name for marker in item.iter_markers()}
    return ("full" not in marked or full(config)) and ("weekly" not in marked or weekly(config))


def pytest_configure(config):
    os.environ["ATTNLIB_MINE"] = ""  # here, and in what starts from here, nobody's own run
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
    """Tell whether a module, or a program by its nickname, is installed; or the system is it."""
    if what in SYSTEMS:
        return SYSTEMS[what]
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
def place(tmp_path_factory):
    """Return the whole run's folder of what is slow to make.

    It is that of other runs, too, for which ATTNLIB_MADE says the same.
    """
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    return Path(os.environ.get("ATTNLIB_MADE") or shared / "made")


@pytest.fixture(scope="session")
def made(place):
    """Return what lends a folder there, by its name, to one worker at a time."""

    @contextmanager
    def lend(name):
        folder = place / name
        folder.mkdir(parents=True, exist_ok=True)
        with (place / f"{name}.lock").open("a") as handle:
            while not try_lock(handle):
                time.sleep(0.2)
            yield folder

    return lend


@pytest.fixture
def fonts():
    """Ask for fonts in a small page (`without_fonts`)."""


@pytest.fixture
def without_fonts(request, monkeypatch):
    """Leave fonts out of the small pages of `tmp_path`: to cut them is most of what these cost."""
    if "tmp_path" in request.fixturenames and "fonts" not in request.fixturenames:
        monkeypatch.setattr("course.render.export.font_faces", lambda *_: "")


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
            address = "https://owner.github.io/name/"
            repository = "https://github.com/owner/name"
            build(repository, notebooks=folder / "notebooks", model=whole, address=address)
    return built


@pytest.fixture(scope="module")
def chromium(request):
    """Return the worker's one browser; each visit has a context of its own."""
    return request.config.pluginmanager.get_plugin("chromium").open()
