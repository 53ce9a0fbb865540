"""The fixture `addresses`: the site as a folder, and as a host has it."""

import functools
import http.server
import threading

import pytest


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
