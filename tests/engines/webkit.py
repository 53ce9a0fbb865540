"""WebKitGTK in its own small browser, driven by selenium, on a screen that nobody sees."""

import os
import subprocess
import warnings
from contextlib import contextmanager
from pathlib import Path

from tests.engines.window import Window, wait_for

BROWSERS = ("usr/lib/*/webkit2gtk-4.1/MiniBrowser", "usr/libexec/webkit2gtk-4.1/MiniBrowser")
SCREEN = "2000x1300x24"
LONG = 120  # seconds that a script may take on a loaded machine
CALL = """
const given = [...arguments];
const done = given.pop();
(async function () {BODY}).apply(null, given).then(
  (value) => done({ value: value ?? null }),
  (error) => done({ error: `${error}\\n${error?.stack}` }),
);
"""


class WebKit(Window):
    """One window of WebKitGTK's.

    Parameters
    ----------
    program
        Where WebKitWebDriver is.
    folder
        An empty folder for what it keeps.
    """

    def __init__(self, program: str, folder: Path):
        from selenium import webdriver
        from selenium.webdriver.webkitgtk.service import Service

        self.screen, display = _screen(folder / "screen")
        environment = os.environ | {"DISPLAY": display, "GDK_BACKEND": "x11", "NO_AT_BRIDGE": "1"}
        environment |= {"WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS": "1"}  # as in a container
        environment |= {"XDG_DATA_HOME": str(folder), "XDG_CACHE_HOME": str(folder)}
        options = webdriver.WebKitGTKOptions()
        options.binary_location = next(
            str(path) for pattern in BROWSERS for path in Path("/").glob(pattern)
        )
        options.add_argument("--automation")
        # Else an error in a file is told as "Script error.", and so is what is none (heard.js).
        options.add_argument("--allow-universal-access-from-file-urls=true")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of selenium, about itself
            self.driver = webdriver.WebKitGTK(options, Service(program, env=environment))
        self.driver.set_script_timeout(LONG)
        self.version = self.driver.capabilities["browserVersion"]

    def resize(self, width: int, height: int) -> None:
        for _ in range(4):  # the frame's size is known only when there is one
            if self.run("return [innerWidth, innerHeight]") == [width, height]:
                return
            more = self.run("return [outerWidth - innerWidth, outerHeight - innerHeight]")
            self.driver.set_window_rect(0, 0, width + more[0], height + more[1])
        raise RuntimeError(f"the window cannot be {width} x {height}")

    def go(self, address: str) -> None:
        self.driver.get(address)

    def run(self, body: str, *given):
        told = self.driver.execute_async_script(CALL.replace("BODY", body), *given)
        if "error" in told:
            raise RuntimeError(told["error"])
        return told["value"]

    def act(self, sources: list[dict]) -> None:
        from selenium.webdriver.remote.command import Command

        self.driver.execute(Command.W3C_ACTIONS, {"actions": sources})

    def picture(self) -> bytes:
        return self.driver.get_screenshot_as_png()

    @contextmanager
    def beside(self):
        def opened():
            return next((name for name in self.driver.window_handles if name != here), None)

        here = self.driver.current_window_handle
        try:
            self.driver.switch_to.window(wait_for(opened))
            yield
        finally:
            self.driver.switch_to.window(here)

    def close(self) -> None:
        self.driver.quit()
        self.screen.terminate()
        self.screen.wait(LONG)


def _screen(told: Path):
    """Start a screen that nobody sees; return its process, and its name when it is there."""
    with told.open("w") as file:
        screen = subprocess.Popen(
            ["Xvfb", "-displayfd", "1", "-screen", "0", SCREEN, "-nolisten", "tcp"],
            stdout=file,
            stderr=subprocess.DEVNULL,
        )
    return (
        screen,
        f":{wait_for(lambda: told.read_text().endswith(chr(10)) and told.read_text()).strip()}",
    )
