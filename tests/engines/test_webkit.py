import pytest

from tests.engines.decks import InDecks
from tests.engines.pages import InPages


@pytest.mark.needs("webkit", "xvfb")
class TestWebKit(InDecks, InPages):
    engine = "webkit"
