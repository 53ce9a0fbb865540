"""The fixtures `addresses`, the site as a folder and as a host has it, `jupyter` and `bundled`."""

import functools
import http.server
import sys
import threading
from pathlib import Path

import pytest

from attnlib.widgets._bundle import BUNDLE
from course.lab import __main__ as lab

LOAD = """async (code) => {
  const url = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
  globalThis.bundle = await import(url);
}"""


class Quiet(http.server.SimpleHTTPRequestHandler):
    """A server that says nothing of what it is asked for."""

    def log_message(self, *args):
        pass


@pytest.fixture(scope="module")
def addresses(site, tmp_path_factory):
    """Return where the site is: as files, and on a host, below its root."""
    root = tmp_path_factory.mktemp("host")
    (root / "below").mkdir()
    (root / "below" / "deep").symlink_to(site)
    handler = functools.partial(Quiet, directory=str(root))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        host = f"http://127.0.0.1:{server.server_port}/below/deep"
        yield {"files": site.as_uri(), "host": host}
        server.shutdown()


@pytest.fixture(scope="session")
def jupyter(tmp_path_factory):
    """Return what gives a front end of Jupyter's, by its class; each is started once.

    The files that use it follow each other in one worker (tests/sharing.py).
    """
    started = {}

    def give(kind):
        if kind not in started:
            lab.lay_extension(Path(sys.prefix, lab.EXTENSIONS))  # as packages bring it
            started[kind] = kind(tmp_path_factory.mktemp(kind.__name__))
        return started[kind]

    yield give
    for front_end in started.values():
        front_end.close()


@pytest.fixture(scope="module")
def bundled(chromium):
    """Return a page that has the widgets' front end as `bundle`, and nothing else."""
    with chromium.visit(reduced_motion="reduce") as visit:
        visit.page.set_content("<!doctype html><title>widgets</title>")
        visit.page.evaluate(LOAD, BUNDLE.read_text(encoding="utf-8"))
        yield visit.page
        assert visit.errors == []
