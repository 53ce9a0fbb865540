import pytest

from tests.engines.decks import InDecks
from tests.engines.pages import InPages


@pytest.mark.needs("firefox")
class TestFirefox(InDecks, InPages):
    engine = "firefox"
