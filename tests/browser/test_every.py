"""What all widgets keep to in what one reads of them, each on one page, as its lesson has it."""

import re
from pathlib import Path

import pytest

from tests.browser.lessons import PLAYS
from tests.browser.test_meeting import moments
from tests.widgets.goals import recorded_widgets, revived
from tests.widgets.still import texts

pytestmark = pytest.mark.needs("chromium")

LOOK = (Path(__file__).parent / "every.js").read_text(encoding="utf-8")
ALL = {lesson: recorded_widgets(lesson)[0] for lesson in PLAYS}
PHONE, PAGE = 358, 814  # pixels
BARE = re.compile(r"(?<![\d.])\.\d")  # .66, which is 0.66 here


@pytest.mark.parametrize("lesson", ALL)
def test_a_number_has_its_zero_before_the_point(bundled, lesson):
    for width, shown in ((PHONE, [ALL[lesson]]), (PAGE, moments(ALL[lesson]))):
        told = [words for each in shown for words in bundled.evaluate(LOOK, [each, width])["told"]]
        assert len(told) > 20
        assert [words for words in told if BARE.search(words)] == []
    widget = revived(ALL[lesson])
    assert [words for words in [*texts(widget._draw()), widget._alt()] if BARE.search(words)] == []
