"""What all widgets keep to in what one reads of them, each on one page, as its lesson has it."""

import re
from pathlib import Path

import pytest

from tests.browser.lessons import PLACES
from tests.browser.test_meeting import moments
from tests.widgets.goals import recorded_widgets, revived
from tests.widgets.still import texts

pytestmark = pytest.mark.needs("chromium")

LOOK = (Path(__file__).parent / "every.js").read_text(encoding="utf-8")
PHONE, PAGE = 358, 814  # pixels
BARE = re.compile(r"(?<![\d.])\.\d")  # .66, which is 0.66 here


@pytest.mark.parametrize(("lesson", "nth"), PLACES)
def test_a_number_has_its_zero_before_the_point(bundled, lesson, nth):
    recorded = recorded_widgets(lesson)[nth]
    for width, shown in ((PHONE, [recorded]), (PAGE, moments(recorded))):
        told = [words for each in shown for words in bundled.evaluate(LOOK, [each, width])["told"]]
        assert len(told) > 20
        assert [words for words in told if BARE.search(words)] == []
    widget = revived(recorded)
    assert [words for words in [*texts(widget._draw()), widget._alt()] if BARE.search(words)] == []


@pytest.mark.parametrize("width", [PHONE, PAGE])
def test_a_finger_hits_what_it_means(bundled, width):
    small = {
        (lesson, nth): bundled.evaluate(LOOK, [recorded_widgets(lesson)[nth], width])["small"]
        for lesson, nth in PLACES
    }
    maps = small.pop(("13_a_real_model", 0))  # 144 are what it shows; arrow keys choose, too
    assert all(one.startswith("div layer") for one in maps)
    assert {place: found for place, found in small.items() if found} == {}
