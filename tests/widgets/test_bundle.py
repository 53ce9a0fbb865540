"""The one file that ships: made from the sources beside it, small, and with its notices."""

import json
import re
import shutil
import subprocess

import pytest

from attnlib import widgets
from attnlib.widgets._bundle import BUNDLE

SOURCES = BUNDLE.parent / "src"
SHARED = BUNDLE.parent / "shared.json"
# Every page and deck with a widget carries the bundle whole, and so does each live view. A widget
# is some 12 kB of it, so that this leaves room for four more.
MOST_BYTES = 200_000


@pytest.mark.needs("npm")
def test_the_bundle_is_made_from_the_sources_as_they_are(tmp_path):
    copy = tmp_path / "src"
    shutil.copytree(SOURCES, copy, ignore=shutil.ignore_patterns("node_modules"))
    shutil.copy(SHARED, tmp_path)
    for command in (["npm", "ci", "--silent"], ["node", "build.mjs", "widgets.js"]):
        done = subprocess.run(command, cwd=copy, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stdout + done.stderr
    fresh = (copy / "widgets.js").read_bytes() == BUNDLE.read_bytes()
    assert fresh, "attnlib/widgets/widgets.js is not what its sources make: run make widgets"


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
