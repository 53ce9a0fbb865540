"""The fixtures `window`, one browser for a class that names its engine, and `deck`."""

import pytest

MODULES = ("decks", "hands", "pages", "window")
pytest.register_assert_rewrite(*(f"tests.engines.{name}" for name in MODULES))


@pytest.fixture(scope="class")
def window(request, tmp_path_factory):
    """Start the engine that a class names."""
    from tests.conftest import program
    from tests.engines.firefox import Firefox
    from tests.engines.webkit import WebKit

    engine = {"firefox": Firefox, "webkit": WebKit}[request.cls.engine]
    window = engine(program(request.cls.engine), tmp_path_factory.mktemp(request.cls.engine))
    yield window
    window.close()


@pytest.fixture
def deck(window, made, tmp_path):
    """Return what shows a lesson's deck, and hands the window back."""
    from course.slides.browser import BEFORE, SETTLED
    from tests.browser.visit import Deck
    from tests.engines.window import bring

    def shown(lesson):
        with made("decks") as folder:
            path = Deck(folder).write(lesson)
        window.open(bring(path, tmp_path, *BEFORE))
        window.until(f"() => {SETTLED}")
        return window

    return shown
