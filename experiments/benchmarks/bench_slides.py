"""How soon a deck shows its first slide, beside nbconvert's slides of the same lesson; and bytes.

``python -m experiments.benchmarks.bench_slides`` (``make bench``) prints both. It needs Chromium,
and npm for what nbconvert's slides load (RequireJS, jQuery, MathJax, Mermaid), which is served from
here.

A time runs from the start of the navigation to the first frame in which reveal.js is ready, the
first slide's formulas are typeset and, in ours, all fonts are there and sizes fitted; in a new and
empty profile, and the two take turns.
"""

import functools
import http.server
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

from playwright.sync_api import sync_playwright

from course.slides.deck import deck as make_deck
from tests.browser.visit import ROOT, Chromium
from tests.lessons import DECKS, SERIES

LESSON = "03_softmax"
N_LOADS = 15
PACKAGES = ("reveal.js@5", "requirejs@2", "jquery@3", "mathjax@2", "mermaid@11")
URLS = {
    "reveal_url_prefix": "node_modules/reveal.js",
    "require_js_url": "node_modules/requirejs/require.js",
    "jquery_url": "node_modules/jquery/dist/jquery.min.js",
    "mathjax_url": "node_modules/mathjax/MathJax.js?config=TeX-AMS_CHTML-full",
    "mermaid_js_url": "./node_modules/mermaid/dist/mermaid.esm.min.mjs",
    "font_awesome_url": "",
}
READY = """
(() => {
  const look = () => {
    const typeset = !window.MathJax || (window.MathJax.isReady && !document.querySelector(
      ".present #MathJax_Message, .present .MathJax_Preview:not(:empty)"));
    const { dataset } = document.documentElement;
    const settled = !("madeFrom" in dataset) || "settled" in dataset; // ours waits for its fonts
    if (document.querySelector(".reveal.ready .present") && typeset && settled) {
      window.readyAt = performance.now();
    } else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
})();
"""


def main():
    """Print both tables."""
    if not shutil.which("npm"):
        sys.exit("bench_slides needs npm, for what nbconvert's slides load")
    with tempfile.TemporaryDirectory() as folder:
        pages = _make(Path(folder))
        with _served(Path(folder)) as address, sync_playwright() as playwright:
            browser = Chromium(playwright)
            found = {name: [] for name in pages}
            for _ in range(N_LOADS):
                for name, page in pages.items():
                    found[name].append(_load(browser, f"{address}/{page.name}"))
            browser.close()
        medians = {}
        print(f"{'slides of ' + LESSON:<22}  ms, median (least to most)  requests  MB loaded")
        for name, loads in found.items():
            times, requests, sizes = zip(*loads, strict=True)
            medians[name] = statistics.median(times)
            spread = f"{medians[name]:5.0f} ({min(times):.0f} to {max(times):.0f})"
            print(f"{name:<22}  {spread:<25}  {requests[0]:8}  {sizes[0] / 1e6:9.2f}")
        ours, theirs = medians.values()
        print(f"ratio of the medians: {theirs / ours:.1f}\n")
    sizes = {name: len(make_deck(SERIES[name]).encode()) / 1e6 for name in DECKS}
    for lesson, size in sizes.items():
        print(f"{lesson:<28} {size:.2f} MB")
    print(f"median {statistics.median(sizes.values()):.2f} MB")


def _make(folder):
    """Make both decks of the lesson in a folder, with what they load."""
    command = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(folder)]
    subprocess.run([*command, *PACKAGES], check=True)
    ours, theirs = folder / "ours.html", folder / "theirs.slides.html"
    ours.write_text(make_deck(SERIES[LESSON]), encoding="utf-8")
    notebook = ROOT / "notebooks" / f"{LESSON}.ipynb"
    options = [f"--SlidesExporter.{name}={value}" for name, value in URLS.items()]
    nbconvert = [sys.executable, "-m", "nbconvert", "--to", "slides", "--log-level=ERROR"]
    place = ["--output-dir", str(folder), "--output", "theirs"]
    subprocess.run([*nbconvert, str(notebook), *place, *options], check=True)
    return {"python -m course slides": ours, "nbconvert --to slides": theirs}


class _served:
    """Serve a folder on this machine while it is used."""

    def __init__(self, folder):
        handler = functools.partial(_Quiet, directory=folder)
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)

    def __enter__(self):
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{self._server.server_port}"

    def __exit__(self, *error):
        self._server.shutdown()
        self._server.server_close()


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *words):
        pass


def _load(browser, address):
    """Open a page as if for the first time; return milliseconds, requests and bytes."""
    with browser.visit(viewport={"width": 1280, "height": 720}) as visit:
        loaded = []
        visit.page.on("response", lambda response: loaded.append(response))
        visit.page.add_init_script(READY)
        visit.page.goto(address, wait_until="commit")
        visit.page.wait_for_function("window.readyAt", timeout=60_000)
        time = visit.page.evaluate("window.readyAt")
        sizes = [response.request.sizes()["responseBodySize"] for response in loaded]
        return time, len(loaded), sum(sizes)


if __name__ == "__main__":
    main()
