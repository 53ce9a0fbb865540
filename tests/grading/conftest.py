"""What tests of grading share: the browser, for the pages."""

from tests.browser.conftest import chromium

__all__ = ["chromium"]
