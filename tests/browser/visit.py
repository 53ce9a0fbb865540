"""Lessons as people meet them in a browser, with everything that goes wrong counted."""

import json
import shutil
import string
import time
import urllib.error
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import nbformat
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, Page, expect

from course.html.page import page as html_page
from course.notebook.normalise import METADATA
from course.render import WIDGET
from course.render.fonts import font_faces
from course.slides.browser import FLAGS, SETTLED, find_chromium
from course.slides.deck import deck
from tests.lessons import SERIES, made_once
from tests.server import Server
from tests.toys import toy_lesson

ROOT = Path(__file__).resolve().parent.parent.parent
LOCAL = ("http://127.0.0.1", "ws://127.0.0.1", "file:", "data:", "blob:", "about:")
RUN_ALL = '[data-command="runmenu:run-all"]'
MINUTE = 60_000
BASE_URL = "--ServerApp.base_url"
LETTERS = f"{string.ascii_letters}{string.digits}{string.punctuation} ÷×−·…“”√"
COLOURS = "color-contrast"  # the rule that takes by far the longest: a lesson has 4,000 texts
TEXTS = """() => {  // mark two of each kind that is seen: the same letters on the same papers
  const met = new Map();
  const papers = new Map([[null, ""]]);
  const paper = (one) => {
    if (!papers.has(one)) {
      const { backgroundColor, backgroundImage, opacity, filter } = getComputedStyle(one);
      const own = [backgroundColor, backgroundImage, opacity, filter];
      papers.set(one, `${own} on ${paper(one.parentElement)}`);
    }
    return papers.get(one);
  };
  for (const one of document.querySelectorAll("body *")) {
    const words = [...one.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE);
    const long = words.map((node) => node.data.trim()).join("").length;
    delete one.dataset.judged;
    if (!long || !one.checkVisibility({ visibilityProperty: true })) continue;
    const { color, fontSize, fontWeight, textShadow } = getComputedStyle(one);
    const kind = [color, fontSize, fontWeight, textShadow, paper(one), long > 1].join();
    met.set(kind, 1 + (met.get(kind) ?? 0));
    if (met.get(kind) <= 2) one.dataset.judged = "";
  }
}"""


@dataclass
class Visit:
    """A page that somebody looks at; `errors` and `outside` grow as it misbehaves."""

    page: Page
    errors: list[str] = field(default_factory=list)
    outside: list[str] = field(default_factory=list)
    inside: tuple[str, ...] = LOCAL

    def __post_init__(self):
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", self._heard)
        self.page.on("request", self._asked)
        self.page.on("websocket", self._asked)

    def _heard(self, message):
        if message.type == "error":
            self.errors.append(message.text)

    def _asked(self, request):
        if not request.url.startswith(self.inside):
            self.outside.append(request.url)

    @property
    def widgets(self) -> Locator:
        """The elements that hold a live widget, in the page's order."""
        return self.page.locator("css:light=.attnlib-live")

    def widget(self, nth: int = 0) -> Locator:
        """One of them, scrolled to."""
        widget = self.widgets.nth(nth)
        widget.wait_for(state="attached", timeout=MINUTE)
        # Notebooks hide cells that are far away, and Playwright scrolls to nothing hidden. What is
        # in view stays where it is: reveal.js would undo the scrolling soon, under a hand.
        widget.evaluate(
            """(element) => {
              const { top, bottom, height } = element.getBoundingClientRect();
              const inView = height > 0 && top >= 0 && bottom <= innerHeight;
              if (!inView) element.scrollIntoView({ block: "center" });
            }"""
        )
        expect(widget).to_be_visible()
        return widget

    def fits(self, width: int) -> None:
        """Wait until the page is no wider: a widget measures its place, then draws anew."""
        self.page.wait_for_function(
            "(width) => document.documentElement.scrollWidth <= width", arg=width
        )

    def ask(self) -> None:
        """Ask for every answer that the page folds."""
        waiting = self.page.locator(".ask[aria-expanded=false]")
        waiting.evaluate_all("(buttons) => buttons.forEach((button) => button.click())")
        expect(waiting).to_have_count(0)

    def focused(self) -> str:
        """What has the focus, seen through shadow roots."""
        return self.page.evaluate(
            """() => {
              let element = document.activeElement;
              while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
              return element?.outerHTML.slice(0, 200) ?? "nothing";
            }"""
        )

    def violations(self, within: str | None = None, rules=None, but=(), **options) -> list[str]:
        """What axe-core has against the page or a part of it, by some rules, or by all but some.

        Of a whole page's texts, two of each kind are judged by their colours, and all in widgets.
        """
        if within is None and COLOURS not in but and (rules is None or COLOURS in rules):
            self.page.evaluate(TEXTS)
            found = self.violations("[data-judged], .attnlib-live", [COLOURS], **options)
            but, rules = [*but, COLOURS], rules and [rule for rule in rules if rule != COLOURS]
            return found + (self.violations(None, rules, but, **options) if rules != [] else [])
        options |= {"resultTypes": ["violations"]}  # it would tell as much of all that is right
        options |= {"runOnly": {"type": "rule", "values": rules}} if rules else {}
        options |= {"rules": {rule: {"enabled": False} for rule in but}}
        found = Axe().run(self.page, context=within, options=options).response["violations"]
        return [f"{v['id']}: {node['html'][:200]}" for v in found for node in v["nodes"]]


class StaticPage:
    """What `python -m course html` writes, opened as a file."""

    def __init__(self, folder: Path):
        self.folder = folder

    def open(self, visit: Visit, lesson: str, n_widgets: int) -> None:
        """Show the lesson and its widgets."""
        visit.page.goto(self.write(lesson).as_uri())
        expect(visit.widgets).to_have_count(n_widgets)
        visit.ask()

    def write(self, lesson: str) -> Path:
        """Make the page, if it is not there, and return where it is."""
        path = self.folder / f"{lesson}.html"
        made_once(path, lambda: html_page(SERIES[lesson]))
        return path


class Deck:
    """What `python -m course slides` writes, opened as a file at a widget of the lesson's."""

    def __init__(self, folder: Path):
        self.folder = folder

    def open(self, visit: Visit, lesson: str, nth: int = 0) -> None:
        """Show the slide that has the first widget, or another one."""
        path = self.write(lesson)
        visit.page.goto(path.as_uri())
        visit.page.wait_for_function(SETTLED)
        widget = visit.widgets.nth(nth)
        widget.wait_for(state="attached")
        widget.evaluate(
            "(w) => Reveal.slide(Reveal.getIndices(w.closest('section')).h, 0, Infinity)"
        )

    def write(self, lesson: str) -> Path:
        """Make the deck, if it is not there, and return where it is."""
        path = self.folder / f"{lesson}.html"
        made_once(path, lambda: deck(SERIES[lesson]))
        return path


class _Jupyter:
    """A server whose lessons are run by a person who chooses Run All Cells."""

    command: tuple[str, ...]
    folder: str  # where the lessons are
    # Each lesson has a desk of its own. On one desk JupyterLab would lay out again what earlier
    # visits left open, with a kernel each; what a visit left on this lesson's desk it does.
    address = "lab/workspaces/{lesson}/tree/{folder}/{lesson}.ipynb"
    base = ""  # below which all addresses of the server lie, and nothing is asked for beside it

    def __init__(self, folder: Path):
        self.checkout = folder / "checkout"
        for name in ("course", "notebooks", "images"):
            shutil.copytree(ROOT / name, self.checkout / name)
        settings = folder / "home" / ".jupyter" / "labconfig"
        settings.mkdir(parents=True)  # all cells are drawn in Notebook 7 too, as `make lab` has it
        ours = ROOT / "course" / "lab" / "settings" / "overrides.json"
        shutil.copy(ours, settings / "default_setting_overrides.json")
        installed = settings.parent / "jupyter_server_config.d"  # as the package brings it along
        installed.mkdir()
        shutil.copy(ROOT / "attnlib" / "jupyter" / "saving.json", installed / "attnlib.json")
        command = self.command if not self.base else (*self.command, f"{BASE_URL}={self.base}/")
        runtime = self.checkout / "my" / ".jupyter" / "runtime"  # as `make lab` has it
        home = folder / "home"
        self.server = Server(self.checkout, home, command, JUPYTER_RUNTIME_DIR=runtime)

    def open(self, visit: Visit, lesson: str, n_widgets: int) -> None:
        """Run the lesson until its widgets are there; errors count from the first cell on."""
        page = visit.page
        self._clear(lesson)
        idle = self.look(visit, lesson)
        page.get_by_role("menuitem", name="Run", exact=True).click()
        page.locator(RUN_ALL).click()
        expect(visit.widgets).to_have_count(n_widgets, timeout=MINUTE)
        expect(page.get_by_text("[*]:")).to_have_count(0, timeout=MINUTE)
        idle.wait_for(state="attached", timeout=MINUTE)

    def _clear(self, lesson: str) -> None:
        """Take out what the notebook shows: its widgets would be there before it has run."""
        notebook = nbformat.read(self.file(lesson), as_version=4)
        for cell in notebook.cells:
            if cell.cell_type == "code":
                cell |= {"outputs": [], "execution_count": None}
        nbformat.write(notebook, self.file(lesson))

    def look(self, visit: Visit, lesson: str) -> Locator:
        """Open the lesson and wait for its kernel; return what says that the kernel is idle."""
        page, server = visit.page, self.server
        where = self.address.format(lesson=lesson, folder=self.folder)
        here = f"127.0.0.1:{server.port}{self.base}/"
        visit.inside = (f"http://{here}", f"ws://{here}", "data:", "blob:")
        page.goto(f"http://{here}{where}?token={server.token}")
        idle = page.locator('.jp-Notebook-ExecutionIndicator[data-status="idle"]').first
        idle.wait_for(state="attached", timeout=MINUTE)
        self._wait_for_kernel(page, lesson)
        visit.errors.clear()  # what the front end says about itself while it starts
        return idle

    def file(self, lesson: str) -> Path:
        """Where the notebook is that it opens."""
        return self.checkout / self.folder / f"{lesson}.ipynb"

    def add(self, name: str, sources: list[str]) -> None:
        """Put a notebook of these code cells beside the lessons that it opens."""
        cells = [nbformat.v4.new_code_cell(source) for source in sources]
        notebook = nbformat.v4.new_notebook(cells=cells, metadata=METADATA)
        nbformat.write(notebook, self.file(name))

    def _ask(self, what: str, method: str | None = None) -> str:
        return self.server.request(f"{self.base}/api/{what}", method=method)

    def _wait_for_kernel(self, page: Page, lesson: str) -> None:
        """Until then the front end would ask for one."""
        deadline = time.monotonic() + MINUTE / 1000
        while time.monotonic() < deadline:
            for session in self.sessions():
                kernel = session["kernel"]
                ready = kernel["connections"] and kernel["execution_state"] == "idle"
                if ready and lesson in session["path"]:
                    return
            page.wait_for_timeout(100)
        raise AssertionError(f"no kernel is ready for {lesson} among {self.sessions()}")

    def sessions(self) -> list[dict]:
        """Which notebooks have a kernel, as the server tells."""
        return json.loads(self._ask("sessions"))

    def leave(self) -> None:
        """End the kernels of the lessons that were run."""
        deadline = time.monotonic() + MINUTE / 1000
        for kernel in json.loads(self._ask("kernels")):
            while not self._end(kernel["id"]):
                assert time.monotonic() < deadline, f"the kernel {kernel['id']} does not end"
                time.sleep(0.2)

    def _end(self, kernel: str) -> bool:
        """End a kernel; one that is just starting cannot be ended, and jupyter_client says 500."""
        try:
            self._ask(f"kernels/{kernel}", method="DELETE")
        except urllib.error.HTTPError as error:
            if error.code != 500:
                raise
            return False
        return True

    def close(self) -> None:
        """End the kernels and then the server, which would take its time to end by itself."""
        self.leave()
        self.server.kill()
        self.server.log.close()


class JupyterLab(_Jupyter):
    """`make lab`, behind a proxy."""

    command = ("course", "lab", "--port", "{port}")
    folder = "my"
    base = "/x"


class PlainLab(_Jupyter):
    """`jupyter lab` of an environment that has attnlib, on the committed lessons, as of a hub."""

    command = (
        "jupyterlab",
        "--ServerApp.port={port}",
        "--ServerApp.ip=127.0.0.1",
        "--ServerApp.allow_root=True",
        "--ServerApp.open_browser=False",
    )
    folder = "notebooks"
    base = "/user/ada"


class Notebook7(_Jupyter):
    """`jupyter notebook`."""

    command = ("notebook", *PlainLab.command[1:])
    folder = "notebooks"
    address = "notebooks/{folder}/{lesson}.ipynb"


class Chromium:
    """The browser, one for many visits."""

    def __init__(self, playwright):
        self._playwright = playwright

    @cached_property
    def browser(self):
        """Playwright's handle on it."""
        return self._playwright.chromium.launch(executable_path=find_chromium(), args=FLAGS)

    @contextmanager
    def visit(self, **options):
        """Open a page of its own; the options are those of Playwright's `new_context`."""
        options = {"viewport": {"width": 1280, "height": 900}, "has_touch": True} | options
        with self.browser.new_context(**options) as context:
            yield Visit(context.new_page())

    def has_ended(self) -> bool:
        """Tell whether it was started, and is there no more."""
        return "browser" in vars(self) and not self.browser.is_connected()

    def close(self) -> None:
        """End the browser if it was started."""
        if "browser" in vars(self):
            self.browser.close()


@contextmanager
def same_letters():
    """Have small pages bring the same letters: to cut fonts for each is most of what one costs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("course.render.export.font_faces", lambda *_: font_faces(LETTERS))
        yield


def widget_page(path, widget, text="# A page", change=lambda state: None):
    """Write a page of one widget below a text; what is recorded of it may be changed."""
    data, metadata = widget._repr_mimebundle_()
    data.pop("application/vnd.jupyter.widget-view+json")
    change(data[WIDGET])
    output = nbformat.v4.new_output("display_data", data=data, metadata=metadata)
    cells = [
        nbformat.v4.new_markdown_cell(text),
        nbformat.v4.new_code_cell("widget", outputs=[output], execution_count=1),
    ]
    with same_letters():
        path.write_text(html_page(toy_lesson(path.parent, *cells)), encoding="utf-8")
    return path.as_uri()


def one_widget(visit, folder, widget, text="# A page"):
    """Write such a page, and open it."""
    visit.page.goto(widget_page(folder / "page.html", widget, text))
