"""A moment says and shows the same whatever came before it, and what its title says."""

import re
from pathlib import Path

import pytest

from tests.lessons import quickly
from tests.widgets.goals import LEADING, recorded_with

pytestmark = pytest.mark.needs("chromium")

WALK = (Path(__file__).parent / "moments.js").read_text(encoding="utf-8")
NAMED = r"“([^”]+)”|(?<!\w)(\d+)(?!\w)"  # a word in quotes, a number

# What a picture says in words where that is what its moment's title claims.
CLAIMS = {
    "a and b as drawn": "the angle is less than 90°",
    "a turned to the left": "a · b = 0.00",
    "a turned further": "a · b = −",
    "equal scores, equal weights": "4 equal weights of 0.25",
    "far ahead: one takes all": "the largest weight, 1.00",
    "hot: nearly equal": "the largest weight, 0.26",
    "“a” finds both “saw” alike": "“first saw” and “second saw” answer best",
    "the values add up": "it takes 0.58 of what this word gives",
    "nobody looks ahead": "I may look at I alone",
    "the mask after the softmax": "Its row sums to 0.11, not 1",
    "each sees its neighbours": "the second saw may not look at I, the first saw",
    "all heads together": "8 of 12 heads look from it most at [CLS]",
    "Without head 1, “animal” fades": "No other head gives animal more than",
    "vi reads": "vi reads I: 0.48, the first saw: 0.48",
    "roja reads": "roja reads red: 0.94",
    "50 and 57, as far apart": "are 7 apart and 0.74 alike",
    "neighbours: 3 and 4": "0.94 alike",
    "half a round: 3 and 6": "alike: −0.99",
    "at first it looks everywhere": "looks everywhere",
    "it has found the article": "of its attention to a, 3 words back",
    "without positions: still unsure": "wrong, it is a noun",
    "one layer of convolution falls short": "“week” does not hear of “the”: 1 layer",
    "recurrent, one after another": "after 12 steps, one after another",
    "gated, one after another too": "after 12 steps, one after another",
    "attention, all at once": "after 1 step",
    "“Ann”, last, looks at “hen”": "0.94 “hen”, 2 back",
    "likes itself is not kept": "Without the way past the heads of block 1, “Ann” has 0.00",
    "before training: one word": "expects “likes” (0.98), but only “Ann” can come",
}


@pytest.mark.parametrize("lesson", quickly(LEADING, takes=[4], full=[3, 5, 9]))
def test_a_moment_is_the_same_from_each_other_one_and_after_a_hand(bundled, lesson):
    for state in recorded_with(lesson, "_moments"):
        said, others = bundled.evaluate(WALK, state)
        assert others == []
        assert len({*said}) == len(said)
        for moment, words in zip(state["traits"]["_moments"], said, strict=True):
            named = ["".join(found) for found in re.findall(NAMED, moment["title"])]
            for one in named:
                assert re.search(rf"(?<!\w){re.escape(one)}(?!\w)", words), (moment["title"], words)
            assert CLAIMS.get(moment["title"], "") in words


def test_each_claim_is_a_moments():
    states = [state for lesson in LEADING for state in recorded_with(lesson, "_moments")]
    assert {*CLAIMS} <= {one["title"] for state in states for one in state["traits"]["_moments"]}
