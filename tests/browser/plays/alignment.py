"""How a reader of lesson 07 uses Alignment: let word after word read, and drag its scores."""

import numpy as np
from playwright.sync_api import expect

from attnlib import softmax
from tests.browser.hand import drag, keys, spot, tab, tap
from tests.widgets.goals import aligned

TARGETS = ["vi", "una", "sierra", "roja"]
NAMES = ["I", "the first saw", "a", "red", "the second saw"]


def by_mouse(page, widget):
    """Let all words read, drag a score of one up and down, go back to another."""
    _begin(widget)
    for target in range(4):
        _word(widget, target).click()
        _shows(widget, aligned(), target, written=target)
    _word(widget, 2).click()
    _shows(widget, aligned(), 2)
    bar = spot(_score(widget, 3), down=0.45)
    drag(page, bar, spot(_score(widget, 3), down=-0.1))  # on beyond its end
    _shows(widget, aligned(2), 2)  # no other row has changed
    drag(page, spot(_score(widget, 3), down=0.05), spot(_score(widget, 3), down=1.1))
    lowered = aligned()
    lowered[2, 3] = -7
    _shows(widget, lowered, 2)
    _word(widget, 0).click()
    _shows(widget, lowered, 0)


def by_keys(page, widget):
    """Come to words and scores by Tab; all four arrows move a score; reach the goal."""
    _begin(widget)
    tab_to = [_score(widget, j) for j in range(5)]
    _word(widget, 0).focus()
    keys(page, "ArrowDown")
    _shows(widget, aligned(), 1, written=1)
    tab_to[0].focus()
    tab(page, *tab_to[1:])
    keys(page, "End")
    for key, told in zip(("Down", "Left", "Up", "Right"), (6.9, 6.8, 6.9, 7), strict=True):
        keys(page, f"Arrow{key}")
        expect(tab_to[4]).to_have_attribute("aria-valuetext", f"{told:.1f}")
    widget.get_by_role("button", name="Reset").click()
    expect(widget.locator(".goal")).to_contain_text("“una” reads “red”: 0.00; at least 0.90")
    for k, target in enumerate((1, 2)):
        _word(widget, k).focus()
        keys(page, "ArrowDown")
        _score(widget, 3).focus()
        keys(page, "End")
        _shows(widget, aligned(*range(1, target + 1)), target, written=target)
    expect(widget.locator(".goal")).to_contain_text("Done in 2 moves.")


def by_touch(page, widget):
    """Tap a word, and where a bar shall end."""
    _begin(widget)
    tap(page, _word(widget, 3))
    _shows(widget, aligned(), 3)
    tap(page, _score(widget, 0))
    expect(_score(widget, 0)).to_have_value("0")
    level = aligned()
    level[3, 0] = 0
    _shows(widget, level, 3)


def _begin(widget):
    """Bring the widget back to where the lesson has it."""
    widget.get_by_role("button", name="Reset").click()
    _shows(widget, aligned(), 0, written=0)


def _shows(widget, scores, target, *, written=3):
    """Expect all that the widget says of a word, computed here."""
    expect(_word(widget, target)).to_be_checked()
    weights = softmax(scores)
    expect(widget.locator("tbody td:not(.ahead)")).to_have_text(
        [f"{w:.2f}" for w in weights[: written + 1].ravel()]
    )
    marked = ["marked" if i == target else "" for i in range(4)]
    expect(widget.locator("tbody tr")).to_have_class(marked)
    told = [f"{score:.1f}".replace("-", "−") for score in scores[target]]
    expect(widget.locator(".scores .number")).to_have_text(told)
    expect(widget.locator(".scores bdi")).to_have_text(TARGETS[target])
    row = weights[target]
    largest = [j for j in np.argsort(-row, kind="stable") if row[j] >= 0.1]
    listed = ", ".join(f"{NAMES[j]}: {row[j]:.2f}" for j in largest)
    expect(widget.locator(".story")).to_have_text(f"{TARGETS[target]} reads {listed}.")


def _word(widget, target):
    return widget.get_by_role("radio").nth(target)


def _score(widget, j):
    return widget.get_by_role("slider", name=f"score of {NAMES[j]}", exact=True)
