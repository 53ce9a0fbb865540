"""The one file that ships: made from the sources beside it, small, and with its notices."""

import json
import re
import shutil
import subprocess
from functools import cache

import pytest

from attnlib import widgets
from attnlib.widgets import _bundle
from attnlib.widgets._bundle import BUNDLE
from course.files import ROOT

# In a notebook the bundle is sent once, and each widget's own module fetches it from there.
LOADER_MOST_BYTES = 1_500
SOURCES = BUNDLE.parent / "src"
SHARED = ROOT / "attnlib" / "pictures" / "shared.json"
# Every page and deck with a widget carries the bundle whole, and each notebook's kernel sends it. A
# widget is some 12 kB of it: a new one raises this by its weight.
MOST_BYTES = 245_000


@pytest.mark.needs("linux", "npm")  # one system is enough
def test_the_bundle_is_made_from_the_sources_as_they_are(tmp_path):
    copy = tmp_path / "widgets" / "src"
    shutil.copytree(SOURCES, copy, ignore=shutil.ignore_patterns("node_modules"))
    (tmp_path / "pictures").mkdir()
    shutil.copy(SHARED, tmp_path / "pictures")
    pages = [ROOT / "course" / "site" / name for name in ("sentence.js", "letters.js")]
    files = {f"../{path.name}": path for path in (BUNDLE, *pages)}
    for command in (["npm", "ci", "--silent"], ["node", "build.mjs", *files]):
        done = subprocess.run(command, cwd=copy, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stdout + done.stderr
    for name, path in files.items():
        fresh = (copy / name).read_bytes() == path.read_bytes()
        assert fresh, f"{path.relative_to(ROOT)} is not what its sources make: run make widgets"


def test_the_bundle_is_small_and_names_the_libraries_in_it(budget):
    bundle = BUNDLE.read_text(encoding="utf-8")
    budget("bytes of the widgets' bundle", len(bundle.encode()), most=MOST_BYTES)
    notice = bundle[: bundle.index("*/")]
    libraries = json.loads((SOURCES / "package.json").read_text(encoding="utf-8"))["dependencies"]
    assert all(f"{name} {version}\n" in notice for name, version in libraries.items())
    assert notice.count("Permission") == len(libraries) == 1
    assert "</script" not in bundle  # it stands inside a page


def test_every_widget_has_a_view_in_the_bundle():
    bundle = BUNDLE.read_text(encoding="utf-8")
    for name in (name for name in widgets.__all__ if hasattr(getattr(widgets, name), "still")):
        assert re.search(rf"[{{,]{name}:[\w$]+[,}}]", bundle), f"{name}: run make widgets"


def test_no_lock_file_names_a_server():
    assert "resolved" not in (SOURCES / "package-lock.json").read_text(encoding="utf-8")


@pytest.fixture
def kernel(monkeypatch):
    """Let widgets take this for a kernel; none of them stays."""
    monkeypatch.setattr(_bundle, "in_a_notebook", lambda: True)
    monkeypatch.setattr(_bundle, "_of_this_kernel", cache(_bundle._of_this_kernel.__wrapped__))


@pytest.mark.usefixtures("kernel")
def test_in_a_kernel_widgets_share_one_bundle_and_are_sent_a_few_lines_each():
    first, second = widgets.Scaling(), widgets.Softmax([1.0, 2.0])
    assert first._bundle is second._bundle
    assert first._bundle.code == BUNDLE.read_text(encoding="utf-8")
    assert first.get_state()["_bundle"] == f"IPY_MODEL_{second._bundle.model_id}"
    assert first._esm == second._esm == _bundle.LOADER.read_text(encoding="utf-8")
    assert len(first._esm.encode()) <= LOADER_MOST_BYTES


@pytest.mark.usefixtures("kernel")
def test_a_bundle_that_was_closed_is_made_anew():
    closed = widgets.Scaling()._bundle
    closed.close()
    first, second = widgets.Scaling(), widgets.Scaling()
    assert first._bundle is second._bundle is not closed
    assert first._bundle.comm is not None


@pytest.mark.usefixtures("kernel")
def test_a_widget_whose_front_end_asks_is_sent_the_whole():
    widget, other = widgets.Scaling(), widgets.Scaling()
    widget._handle_custom_msg({"asks": "the time"}, [])
    assert widget._esm == other._esm
    widget._handle_custom_msg({"asks": "bundle"}, [])
    assert widget._esm == BUNDLE.read_text(encoding="utf-8") != other._esm


def test_without_a_kernel_a_widget_is_whole():
    widget = widgets.Scaling()
    assert widget._esm == BUNDLE.read_text(encoding="utf-8")
    assert widget._bundle is None
