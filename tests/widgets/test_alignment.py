"""Alignment: links and what they carry, as loops count them; what it refuses; what it records."""

import numpy as np
import pytest

from attnlib import attention_weights
from attnlib.plotting import COLORS
from attnlib.widgets import Alignment
from attnlib.widgets._base import quoted
from attnlib.widgets.alignment import FAINT
from tests.lessons import quickly
from tests.widgets.still import is_readable, shapes, texts

WEIGHTS = [[0.5, 0.45, 0.05], [0.1, 0.2, 0.7]]


def example():
    return Alignment([[0.25, 0.75]], ["saw"], ["vi", "algo"], threshold=0.5)


def widget(**changes):
    inputs = {"weights": WEIGHTS, "targets": ["vi", "algo"], "sources": ["I", "saw", "it"]}
    return Alignment(**(inputs | changes))


def random_weights(n_targets, n_sources, seed=0):
    return np.random.default_rng(seed).dirichlet(np.full(n_sources, 0.3), n_targets)


def named(n_targets, n_sources, **changes):
    weights = random_weights(n_targets, n_sources)
    targets, sources = (
        [f"{x}{i}" for i in range(n)] for x, n in zip("ts", weights.shape, strict=True)
    )
    return Alignment(**({"weights": weights, "targets": targets, "sources": sources} | changes))


# What follows from the inputs


@pytest.mark.parametrize("threshold", [0, 0.01, 0.1, 0.5, 1])
@pytest.mark.parametrize("seed", range(5))
def test_links_and_kept_are_what_loops_count(threshold, seed):
    weights = random_weights(5, 7, seed).round(6)
    shown = Alignment(weights, list("abcde"), list("ABCDEFG"), threshold=threshold)
    links, kept = [], [0.0] * 5
    for i in range(5):
        for j in range(7):
            if weights[i, j] >= threshold:
                links.append([i, j])
                kept[i] += weights[i, j]
    assert shown.links.tolist() == links
    assert shown.links.shape == (len(links), 2)
    assert shown.kept == pytest.approx(kept)


def test_a_weight_at_the_threshold_is_a_link():
    assert widget(threshold=0.45).links.tolist() == [[0, 0], [0, 1], [1, 2]]
    assert widget(threshold=0.46).links.tolist() == [[0, 0], [1, 2]]
    # 0.7 - 0.4 is below 0.3, by less than the six decimals that the page is told
    row = [[0.7 - 0.4, 0.7]]
    assert Alignment(row, ["a"], ["b", "c"], threshold=0.3).links.tolist() == [[0, 0], [0, 1]]


@pytest.mark.parametrize("seed", range(3))
def test_hiding_sources_is_a_mask_before_the_softmax(seed):
    rng = np.random.default_rng(seed)
    query, key, mask = rng.normal(size=(5, 3)), rng.normal(size=(7, 3)), rng.random(7) < 0.6
    mask[seed] = True
    weights = attention_weights(query, key)
    shown = Alignment(weights, list("abcde"), list("ABCDEFG"), mask=mask, threshold=0)
    assert np.allclose(shown.reads, attention_weights(query, key, mask=mask), atol=1e-5)
    assert shown.links.tolist() == [[i, j] for i in range(5) for j in np.flatnonzero(mask)]
    shown.mask = np.zeros(7, bool)
    assert not shown.reads.any()
    assert shown._alt().endswith("“a” has no link left: 0.00 of its weight of 0.00 is shown.")
    assert "Hidden: 7 of 7 source words." in shown._alt()


def test_a_word_that_may_look_nowhere_has_no_links():
    shown = widget(weights=[[0, 0, 0], [0, 0.5, 0.5]])
    assert shown.links.tolist() == [[1, 1], [1, 2]]
    assert shown.kept.tolist() == [0, 1]
    assert "“vi” has no link left: 0.00 of its weight of 0.00 is shown." in shown._alt()


def test_one_word_on_each_side_and_weights_of_all_dtypes():
    assert Alignment([[1]], ["a"], ["b"]).links.tolist() == [[0, 0]]
    for dtype in (np.float16, np.float32, np.float64):
        weights = random_weights(11, 40).astype(dtype)
        assert named(11, 40, weights=weights).weights == pytest.approx(weights, abs=1e-6)


# What is shown where nothing runs


def test_alt_text_holds_the_numbers_and_tells_equal_words_apart():
    alt = widget(sources=["saw", "saw", "it"])._alt()
    assert "from 2 target words to 3 source words: 5" in alt
    assert "5 of 6 weights reach the threshold of 0.10." in alt
    assert alt.endswith(
        "“vi” looks at the first “saw” 0.50, the second “saw” 0.45: 0.95 of its weight of 1.00 is "
        "shown."
    )
    strongest_first = widget(target=1, threshold=0.2)._alt()
    assert "“algo” looks at “it” 0.70, “saw” 0.20: 0.90 of its weight of 1.00" in strongest_first
    assert "“vi” has no link left: 0.00 of its weight of 1.00" in widget(threshold=0.9)._alt()


def test_still_draws_the_links_the_chosen_ones_strong():
    paper = widget(target=1, threshold=0.2)._draw()
    ribbons = shapes(paper, "area", COLORS["query"])
    assert [ribbon.alpha for ribbon in ribbons] == [FAINT, FAINT, 1.0, 1.0]
    widths = [points[-1, 0] - points[0, 0] for points in (ribbon.points for ribbon in ribbons)]
    assert sorted(np.array(widths) / widths[0]) == pytest.approx(sorted([1, 0.9, 0.4, 1.4]))
    assert texts(paper, at="mb") == ["vi", "algo"]
    assert texts(paper, at="mt") == ["I", "saw", "0.20", "it", "0.70"]
    assert texts(paper, bold=True) == ["algo", "saw", "it"]
    story = "“algo” gives 0.70 of its attention to “it” and 0.20 to “saw”."
    assert story in texts(paper)
    assert "4 of 6 links drawn, from 0.20 on" in texts(paper)


def test_a_still_of_many_words_leaves_blank_what_is_not_drawn_and_says_what_the_darkest_is():
    shown = named(20, 13, threshold=0.3)
    paper = shown._draw()
    cells = [s for s in shapes(paper, "box") if np.ptp(s.points, axis=0)[0] == 14]
    assert len(cells) == len(shown.links)
    assert f"darkest: {shown.weights.max():.2f}, blank: not drawn" in texts(paper)


@pytest.mark.parametrize("n", [0, 1, 5, 6, 40])
def test_the_still_names_five_sources_and_counts_the_others(n):
    shown = named(1, 40, weights=[[1 / 40] * n + [0] * (40 - n)], threshold=0.01)
    said = quoted(shown._told())
    if n == 0:
        assert said == "“t0” has no link left."
        return
    first, *others = [f"0.03{' of its attention' * (k == 0)} to “s{k}”" for k in range(min(n, 5))]
    last = others.pop() if others and n <= 5 else None
    assert said == "".join(
        [f"“t0” gives {', '.join([first, *others])}"]
        + [f" and {last}"] * bool(last)
        + [f" and less to {n - 5} more" if n > 5 else "", "."]
    )


SHAPES = [(1, 1), (1, 6), (6, 1), (3, 11), (40, 2), (2, 40), (40, 40)]


@pytest.mark.parametrize("shape", quickly([(x,) for x in SHAPES], takes=[0, 3, 5], full=[6]))
def test_still_has_room_for_any_sentence_and_no_word_runs_into_another(shape):
    shown = named(*shape, target=shape[0] - 1, threshold=0.02)
    paper = shown._draw()
    assert paper.width <= 1100
    is_readable(paper)
    assert {*shown.targets, *shown.sources} <= {*texts(paper)}
    long = named(*shape)
    long.set(targets=["wwwwwwwwwwww"] * shape[0], sources=["WWWWWWWWWWWW"] * shape[1])
    is_readable(long._draw())
