"""One Chromium for all files that use it and follow each other in a worker.

While it is there an event loop runs: another one would refuse to start, as would any loop. So it is
closed where a file comes next in which some test may want a loop of its own.
"""

from contextlib import ExitStack

import pytest


class OneChromium:
    """What the fixture `chromium` lends, and closes in time."""

    def __init__(self):
        self.stack, self.browser = ExitStack(), None

    def open(self):
        """Return the browser; it is started where it is not there."""
        if self.browser is not None and self.browser.has_ended():
            self.close()
        if self.browser is None:
            from playwright.sync_api import expect, sync_playwright

            from tests.browser.many import PATIENCE
            from tests.browser.visit import Chromium

            expect.set_options(timeout=1000 * PATIENCE)
            self.browser = Chromium(self.stack.enter_context(sync_playwright()))
            self.stack.callback(self.browser.close)
        return self.browser

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_teardown(self, item, nextitem):
        try:
            return (yield)
        finally:
            if nextitem is None or (nextitem.path != item.path and not all_use_it(nextitem)):
                self.close()

    def pytest_sessionfinish(self):
        self.close()

    def close(self):
        """End the browser and its loop, if they are there."""
        self.browser = None
        self.stack.close()


def all_use_it(item):
    """Tell whether every test in a test's file uses the browser."""
    beside = (other for other in item.session.items if other.path == item.path)
    return all("chromium" in getattr(other, "fixturenames", ()) for other in beside)
