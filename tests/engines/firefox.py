"""Firefox, asked over WebDriver BiDi: it speaks it by itself, and Debian has no geckodriver."""

import base64
import itertools
import json
import subprocess
from contextlib import contextmanager
from pathlib import Path

from tests.engines.window import Window, wait_for

SILENT = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
LONG = 120  # seconds that an answer may take on a loaded machine
CALL = """async (given) => JSON.stringify(
  await (async function () {BODY}).apply(null, JSON.parse(given)),
)"""


class Firefox(Window):
    """One Firefox without a screen.

    Parameters
    ----------
    program
        Where Firefox is.
    folder
        An empty folder for what it keeps.
    """

    def __init__(self, program: str, folder: Path):
        from websocket import create_connection

        # It begins with a page, not with its own: there its address bar would keep the focus, and a
        # key would press no button.
        begin = folder / "begin.html"
        begin.write_text("", encoding="utf-8")
        options = ("--headless", "--no-remote", "--remote-debugging-port=0")
        self.process = subprocess.Popen(
            [program, *options, "--profile", folder, begin.as_uri()], **SILENT
        )
        told = folder / "WebDriverBiDiServer.json"
        where = json.loads(wait_for(lambda: told.exists() and told.read_text()))
        self.line = create_connection(
            f"ws://{where['ws_host']}:{where['ws_port']}/session",
            timeout=LONG,
            suppress_origin=True,
            skip_utf8_validation=True,
        )
        self.numbers = itertools.count()
        self.version = self.ask("session.new", capabilities={})["capabilities"]["browserVersion"]
        self.page = wait_for(lambda: self._showing(begin.as_uri()))

    def _showing(self, address):
        """Return the name of the page that shows an address; None while there is none."""
        pages = self.ask("browsingContext.getTree")["contexts"]
        return next((page["context"] for page in pages if page["url"] == address), None)

    def ask(self, method: str, **params) -> dict:
        """Return what Firefox answers to a command of WebDriver BiDi."""
        number = next(self.numbers)
        self.line.send(json.dumps({"id": number, "method": method, "params": params}))
        while (answer := json.loads(self.line.recv())).get("id") != number:
            pass  # it tells of something else
        if answer["type"] == "error":
            raise RuntimeError(f"{method}: {answer['message']}")
        return answer["result"]

    def resize(self, width: int, height: int) -> None:
        size = {"width": width, "height": height}
        self.ask("browsingContext.setViewport", context=self.page, viewport=size)

    def go(self, address: str) -> None:
        self.ask("browsingContext.navigate", context=self.page, url=address, wait="complete")

    def run(self, body: str, *given):
        told = self.ask(
            "script.callFunction",
            functionDeclaration=CALL.replace("BODY", body),
            arguments=[{"type": "string", "value": json.dumps(given)}],
            target={"context": self.page},
            awaitPromise=True,
        )
        if told["type"] == "exception":
            raise RuntimeError(told["exceptionDetails"]["text"])
        return json.loads(told["result"].get("value", "null"))

    def act(self, sources: list[dict]) -> None:
        self.ask("input.performActions", context=self.page, actions=sources)

    def picture(self) -> bytes:
        told = self.ask("browsingContext.captureScreenshot", context=self.page)
        return base64.b64decode(told["data"])

    @contextmanager
    def beside(self):
        def opened():
            pages = self.ask("browsingContext.getTree", maxDepth=0)["contexts"]
            return next((page["context"] for page in pages if page["context"] != here), None)

        here = self.page
        try:
            self.page = wait_for(opened)
            self.ask("browsingContext.activate", context=self.page)
            yield
        finally:
            self.page = here

    def close(self) -> None:
        self.line.close()
        self.process.terminate()
        self.process.wait(LONG)
