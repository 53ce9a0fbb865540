"""Chromium, for what only a browser can do: find what overflows, measure letters, print."""

import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

from course import BuildError

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
FLAGS = (  # no sandbox in a container; no service of the browser's own; no address but this machine
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)
SETTLED = "window.Reveal?.isReady() && 'settled' in document.documentElement.dataset"
SIZES = ((1280, 720), (1920, 1080))
SCALED = "(width) => Math.abs(Reveal.getScale() - width / 1280) < 0.01"
HERE = Path(__file__).parent
MEASURE = (HERE / "measure.js").read_text(encoding="utf-8")
BEFORE = [(HERE / name).read_text(encoding="utf-8") for name in ("written.js", "letters.js")]
INSTALL = (
    "Chromium or Chrome was not found on the PATH; install it (Debian: apt install chromium; "
    "Fedora: dnf install chromium; elsewhere: Google Chrome, with its folder on the PATH)"
)


class Measured(NamedTuple):
    """What a browser tells of a deck."""

    # What does not fit on its slide: the source's line, and what is wrong there.
    overflows: list[tuple[int, str]]
    # Of each slide the size of its smallest letters, at 1280 × 720, and which these are.
    letters: list[tuple[float, str]]


def find_chromium() -> str | None:
    """Return where Chromium or Chrome is; None if it is not on the PATH."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """A headless Chromium that is started when it is first needed, and closed on leaving.

    One of Playwright's that runs already goes on.
    """

    def __init__(self, chromium=None) -> None:
        self._stack = ExitStack()
        self._chromium = chromium

    def __enter__(self) -> "Browser":
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def measure(self, deck: Path) -> Measured:
        """Go through a deck's slides, in both sizes of a screen."""
        overflows, letters = [], []
        with self._page(deck.as_uri(), *SIZES[0]) as page:
            for width, height in SIZES:
                page.set_viewport_size({"width": width, "height": height})
                page.wait_for_function(SCALED, arg=width)
                told = page.evaluate(MEASURE)
                overflows += [
                    (each["line"], f"{each['problem']}, at {width}x{height}")
                    for each in told["found"]
                ]
                letters = letters or [(each["size"], each["what"]) for each in told["letters"]]
        return Measured(overflows, letters)

    def print_pdf(self, deck: Path, pdf: Path, *, notes: bool = False) -> None:
        """Print a deck, a slide on each page; widgets are printed as their pictures.

        The file is tagged, for screen readers, and has a bookmark for each slide. With `notes` the
        speaker's notes of a slide stand on a page behind it.
        """
        asked = "?print-pdf&showNotes=separate-page" if notes else "?print-pdf"
        with self._page(deck.as_uri() + asked, *SIZES[0]) as page:
            page.wait_for_selector(".pdf-page")
            paper = {"prefer_css_page_size": True, "print_background": True}
            page.pdf(path=pdf, tagged=True, outline=True, **paper)

    @contextmanager
    def _page(self, address: str, width: int, height: int) -> Iterator:
        """Open a deck; what Chromium cannot do is a BuildError."""
        path = find_chromium()
        if self._chromium is None and path is None:
            raise BuildError(INSTALL)
        from playwright.sync_api import Error, sync_playwright

        try:
            if self._chromium is None:
                playwright = self._stack.enter_context(sync_playwright())
                self._chromium = playwright.chromium.launch(executable_path=path, args=FLAGS)
                self._stack.callback(self._chromium.close)
            with self._chromium.new_page(viewport={"width": width, "height": height}) as page:
                for script in BEFORE:
                    page.add_init_script(script)
                page.goto(address)
                page.wait_for_function(SETTLED)
                yield page
        except Error as error:
            message = str(error).partition("\n")[0]
            raise BuildError(f"Chromium, {path}, could not be used: {message}") from error
