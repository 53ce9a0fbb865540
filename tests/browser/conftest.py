"""What the browser tests share: one Chromium for each worker, a front end for each module."""

import pytest


@pytest.fixture(scope="session")
def chromium():
    from playwright.sync_api import sync_playwright

    from tests.browser.visit import Chromium

    with sync_playwright() as playwright:
        browser = Chromium(playwright)
        yield browser
        browser.close()
