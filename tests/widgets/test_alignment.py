"""Alignment: each row its own softmax; what it tells, refuses and records."""

import numpy as np
import pytest

from attnlib import attention_weights
from attnlib.plotting import COLORS
from attnlib.widgets import Alignment
from attnlib.widgets._base import quoted
from attnlib.widgets.alignment import HALF, REACH
from tests.lessons import quickly
from tests.widgets.still import is_readable, shapes, texts

SCORES = [[2.0, 2.0, -1.0], [0.0, 1.0, 3.0]]


def example():
    return Alignment([[0.5, -1.0], [0.0, 2.0]], ["I", "saw"], ["vi", "algo"], target=1)


def widget(**changes):
    inputs = {"scores": SCORES, "targets": ["vi", "algo"], "sources": ["I", "saw", "it"]}
    return Alignment(**(inputs | changes))


def named(n_targets, n_sources, **changes):
    scores = 3 * np.random.default_rng(0).normal(size=(n_targets, n_sources))
    targets, sources = (
        [f"{x}{i}" for i in range(n)] for x, n in zip("ts", scores.shape, strict=True)
    )
    return Alignment(**({"scores": scores, "targets": targets, "sources": sources} | changes))


# What follows from the inputs


@pytest.mark.parametrize("seed", range(3))
def test_weights_are_those_of_attention_and_a_score_changes_its_own_row_alone(seed):
    rng = np.random.default_rng(seed)
    query, key = rng.normal(size=(5, 3)), rng.normal(size=(7, 3))
    shown = Alignment(query @ key.T / np.sqrt(3), list("abcde"), list("ABCDEFG"))
    weights = attention_weights(query, key)
    assert np.allclose(shown.weights, weights)
    moved = shown.scores.copy()
    moved[2, 4] += 1
    shown.scores = moved
    changed = ~np.isclose(shown.weights, weights)
    assert changed[2].all()
    assert changed.sum() == 7


def test_a_hidden_key_gets_nothing_and_with_none_left_all_weights_are_0():
    shown = widget(scores=[[2.0, -np.inf, 2.0], [-np.inf] * 3])
    assert shown.weights.tolist() == [[0.5, 0, 0.5], [0, 0, 0]]
    assert "hidden" in texts(shown._draw())
    shown.target = 1
    assert quoted(shown._told()) == "“algo” gives no word 0.10 or more."
    assert texts(shown._draw()).count("hidden") == 3


def test_weights_alone_are_shown_by_their_logarithms():
    weights = np.array([[0.5, 0.4, 0.1], [0.2, 0.3, 0.5]])
    assert widget(scores=np.log(weights)).weights == pytest.approx(weights)


# What is shown where nothing runs


def test_alt_text_holds_the_numbers_and_tells_equal_words_apart():
    alt = widget(sources=["saw", "saw", "it"])._alt()
    assert "The scores of “vi” as bars, one for each of 3 source words" in alt
    assert "up to row 1 of 2: the first “saw” 2.00 becomes 0.49, the second “saw” 2.00" in alt
    hidden = widget(scores=[[2.0, -np.inf, -1.0]] * 2)._alt()
    assert "“I” 2.00 becomes 0.95" in hidden
    assert hidden.endswith("“saw” hidden becomes 0.00.")
    strongest_first = widget(target=1)._alt()
    assert strongest_first.endswith(
        "up to row 2 of 2: “it” 3.00 becomes 0.84, “saw” 1.00 becomes 0.11, “I” 0.00 becomes 0.04."
    )


def test_the_still_draws_the_words_bars_and_the_rows_up_to_it():
    paper = widget()._draw()
    bars = [s.points for s in shapes(paper, "box", COLORS["scores"])]
    assert [np.ptp(box[:, 1]) for box in bars] == pytest.approx(
        [2 * HALF / REACH] * 2 + [HALF / REACH]
    )
    assert bars[0][1, 1] == bars[2][0, 1]  # from the line of 0 up, and down
    assert [word for word in texts(paper) if word[-1].isdigit()] == [
        *["2.0", "2.0", "−1.0"],
        *["0.49", "0.49", "0.02"],
    ]
    assert texts(paper, bold=True) == ["scores of vi", "weights, the softmax of each row", "vi"]
    assert "“vi” reads “I”: 0.49, “saw”: 0.49." in texts(paper)
    both = texts(widget(target=1)._draw())
    assert {"0.49", "0.02", "0.84", "0.11"} <= {*both}


@pytest.mark.parametrize("n", [0, 1, 5, 6, 40])
def test_a_sentence_tells_five_weights_at_most_and_none_below_a_tenth(n):
    row = np.log([1.0] * n + [1e-9] * (40 - n))
    said = quoted(named(1, 40, scores=[row])._told())
    if n in (0, 40):
        assert said == "“t0” gives no word 0.10 or more."
        return
    told = ", ".join(f"“s{j}”: {1 / n:.2f}" for j in range(min(n, 5)))
    assert said == f"“t0” reads {told}."


SHAPES = [(1, 1), (1, 6), (6, 1), (3, 11), (40, 2), (2, 40), (40, 40)]


@pytest.mark.parametrize("shape", quickly([(x,) for x in SHAPES], takes=[0, 3, 5], full=[6]))
def test_still_has_room_for_any_sentence_and_no_word_runs_into_another(shape):
    shown = named(*shape, target=shape[0] - 1)
    paper = shown._draw()
    assert paper.width <= 1100
    is_readable(paper)
    assert {*shown.targets, *shown.sources} <= {*texts(paper)}
    long = named(*shape)
    long.set(targets=["wwwwwwwwwwww"] * shape[0], sources=["WWWWWWWWWWWW"] * shape[1])
    is_readable(long._draw())
