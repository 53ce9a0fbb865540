"""Tiles: what is held from block to block is attention in the end, and the rescale is why."""

import itertools

import numpy as np
import pytest

from attnlib import attention, softmax
from attnlib.pictures.shades import INK, WARN
from attnlib.widgets import Goal, Tiles
from attnlib.widgets.tiles import AGREES
from tests.widgets.still import is_readable, shapes, texts

SCORES = [0.5, 1.0, -0.5, 0.2, 2.0, 0.1, 1.2, -1.0, 3.0, 0.4, -0.3, 1.5]
VALUE = [[2, 0], [0, 1], [1, -1], [-2, 0], [3, 1], [0, -2], [1, 1], [-1, 2], [0, 3], [2, 2],
         [-1, 0], [1, -3]]  # fmt: skip
FIRST = [3.0, *SCORES[1:8], 0.5, *SCORES[9:]]  # the largest score stands first


def example():
    value = [[4.0, 1.0], [0.0, 2.0], [2.0, -1.0]]
    return Tiles([1.0, 0.0, 2.0], value, size=2, read=2, rescale=False)


def lesson(**inputs):
    return Tiles(SCORES, VALUE, **inputs)


# What is computed


@pytest.mark.parametrize("size", range(1, 13))
def test_each_size_of_block_gives_attention(size):
    shown = lesson(size=size, read=12)
    expected = attention([[1.0]], np.array(SCORES)[:, None], VALUE, scale=1)
    assert shown.result == pytest.approx(expected[0])
    assert shown.difference < 1e-12
    assert shown.n_blocks == -(-12 // size)
    assert shown.held == size + 4


def test_what_is_held_after_each_block_is_that_of_all_keys_so_far():
    for size, read in itertools.product((1, 3, 5, 12), range(13)):
        shown = lesson(size=size, read=read)
        seen = min(size * read, 12)
        if not seen:
            assert (shown.top, shown.total, shown.factor) == (-np.inf, 0, 1)
            assert shown.output.tolist() == shown.result.tolist() == [0, 0]
            continue
        scores, value = np.array(SCORES[:seen]), np.array(VALUE[:seen])
        assert shown.top == scores.max()
        assert shown.total == pytest.approx(np.exp(scores - scores.max()).sum())
        assert shown.output == pytest.approx(np.exp(scores - scores.max()) @ value)
        assert shown.result == pytest.approx(softmax(scores) @ value)
        assert np.isnan(shown.difference) == (seen < 12)


def test_without_the_rescale_it_is_off_unless_no_later_block_has_a_larger_score():
    shown = lesson(read=3, rescale=False)
    old = np.exp(np.array(SCORES) - np.repeat([1.0, 2.0, 3.0], 4))  # each with its block's top
    assert shown.total == pytest.approx(old.sum())
    assert shown.difference == pytest.approx(np.abs(old @ VALUE / old.sum() - shown.exact).max())
    assert shown.difference > 0.1
    shown.scores = FIRST
    assert shown.difference < 1e-12
    shown.set(scores=SCORES, size=12)
    assert shown.difference < 1e-12


def test_the_factor_is_the_exponential_of_how_far_the_top_rises():
    assert [lesson(read=read).factor for read in range(3)] == [1, 0, pytest.approx(np.exp(-1))]
    assert Tiles(FIRST, VALUE, read=2).factor == 1


def test_a_block_that_is_hidden_whole_changes_nothing():
    hidden = [-np.inf] * 4
    for scores in (hidden + SCORES[4:], SCORES[:4] + hidden + SCORES[8:], hidden * 3):
        shown = Tiles(scores, VALUE, read=3)
        assert shown.difference < 1e-12
        assert shown.result == pytest.approx(softmax(scores) @ np.array(VALUE))
    assert (shown.top, shown.total) == (-np.inf, 0)
    shown.set(scores=SCORES[:4] + hidden + SCORES[8:], read=2)
    before = Tiles(SCORES, VALUE, read=1)
    assert (shown.top, shown.total, shown.factor) == (before.top, before.total, 1)


# What it says


@pytest.mark.parametrize(
    ("inputs", "told"),
    [
        ({}, "Nothing is read: the top is −inf, total and output are 0. Read the first block."),
        ({"read": 1}, "Block 1 of 3: the top is its largest score, 1.00. It adds its exponentials "
         "to the total, and its values, weighed with them, to the output."),
        ({"read": 2}, "Block 2 of 3 has a larger score: the top rises from 1.00 to 2.00. Total and "
         "output were made with the old top, so both are first multiplied by exp(1.00 − 2.00) = "
         "0.37."),
        ({"read": 2, "rescale": False}, "Block 2 of 3 has a larger score: the top rises from 1.00 "
         "to 2.00. Total and output were made with the old top. They should be multiplied by 0.37, "
         "and are left as they are."),
        ({"read": 12, "scores": FIRST}, "Block 3 of 3 has no larger score: the top stays 3.00, and "
         "the block is added to what is there. All is read: output / total is attention; the "
         "difference is 0.0000."),
        ({"read": 2, "scores": SCORES[:4] + [-np.inf] * 4 + SCORES[8:]},
         "Block 2 of 3: all its keys are hidden, and nothing changes."),
    ],
)  # fmt: skip
def test_it_says_what_a_block_changes(inputs, told):
    assert Tiles(**{"scores": SCORES, "value": VALUE} | inputs)._told() == told


def test_it_says_how_far_it_is_off_in_figures():
    shown = lesson(read=3, rescale=False)
    assert shown._told().endswith(f"output / total is off by {shown.difference:.4f}.")


def test_it_counts_what_is_held():
    assert lesson(size=3)._memory() == (
        "Held in memory: 3 numbers of a block and 4 running ones, 7 in all. The whole row has 12. "
        "Of a row of 4,096 scores it would be 7, too."
    )
    assert Tiles([1.0, 2.0], [[0.0], [1.0]], size=12).held == 2 + 3  # there are no more keys


# The reader's own step


def right(top, total, output, scores, value):
    assert (top.shape, total.shape, output.shape) == ((1,), (1,), (1, 2))
    new = np.maximum(top, scores.max(axis=-1))
    exponentials, factor = np.exp(scores - new[..., None]), np.exp(top - new)
    total = total * factor + exponentials.sum(axis=-1)
    return new, total, output * factor[..., None] + exponentials @ value


def forgetful(top, total, output, scores, value):
    new, *_ = right(top, total, output, scores, value)
    exponentials = np.exp(scores - new[..., None])
    return new, total + exponentials.sum(axis=-1), output + exponentials @ value


def test_the_readers_own_step_is_called_block_by_block():
    shown = lesson(read=3, online_softmax_step=right)
    assert shown.answer["now"] == pytest.approx([shown.top, shown.total, *shown.output])
    assert shown._answer["said"] == AGREES
    shown.set(read=0)
    assert shown.answer["now"].tolist() == [-np.inf, 0, 0, 0]
    shown.set(read=3, rescale=False)
    assert shown._answer["said"] == AGREES  # the picture leaves it out, the reader does not


def test_the_first_block_after_which_it_differs_is_told():
    shown = lesson(read=3, online_softmax_step=forgetful)
    total = lesson(read=2, rescale=False).total, lesson(read=2).total
    assert shown._answer["said"] == (
        f"After block 2 your function has {total[0]:.3f} for total, and {total[1]:.3f} is right."
    )
    assert lesson(read=1, online_softmax_step=forgetful)._answer["said"] == AGREES


@pytest.mark.parametrize(
    ("step", "told"),
    [
        (lambda *_: 3, "something else than three things, top, total and output."),
        (lambda *_: ("a", 0, 0), "something else than numbers for top, total and output."),
        (lambda top, total, *_: (top, total, [0]), "returns 3 numbers for top, total and output of "
         "one query, and 4 are wanted."),
    ],
)  # fmt: skip
def test_what_is_no_step_is_told_in_words(step, told):
    shown = lesson(read=1, online_softmax_step=step)
    assert shown._answer["error"].endswith(told)


# What it asks


def test_a_factor_of_a_half_is_a_goal():
    goal = Goal("Halve.", factor=(0.49, 0.51), read=(2, 2))
    shown = lesson(goal=goal)
    for move in ({"read": 2}, {"scores": [*SCORES[:4], 1.7, 0.1, 1.7, -1.0, *SCORES[8:]]}):
        assert not shown.done
        shown.set(**move)
    assert shown.done


def test_a_rescale_that_is_not_needed_is_a_goal():
    goal = Goal("Lower two.", changing=2, difference=(0, 5e-4), top=(None, 1), rescale=(0, 0))
    shown = Tiles([0.2, 1.0, 1.5, 0.0, 0.5, 2.0], VALUE[:6], size=2, read=3, rescale=False,
                  goal=goal)  # fmt: skip
    for scores in ([0.2, 1.0, 0.8, 0.0, 0.5, 2.0], [0.2, 1.0, 0.8, 0.0, 0.5, 1.0]):
        assert not shown.done
        shown.scores = scores
    assert shown.done


# The still


@pytest.mark.parametrize("read", range(4))
def test_the_still_shows_the_block_that_is_held_and_hatches_the_others(read):
    shown = lesson(read=read)
    paper = shown._draw()
    is_readable(paper)
    assert len(shapes(paper, "hatch")) == (8 if read else 12)
    for name, row in shown._shown():
        assert {name, *filter(None, row)} <= {*texts(paper)}
    if read:
        held = np.exp(np.array(SCORES[4 * read - 4 : 4 * read]) - shown.top)
        assert {f"{x:.2f}" for x in held} <= {*texts(paper, size=12, color=INK)}


def test_the_still_marks_a_rescale_that_is_left_out_where_it_is_needed():
    assert "× 1, not 0.37" in texts(lesson(read=2, rescale=False)._draw(), color=WARN)
    for shown in (lesson(read=2), Tiles(FIRST, VALUE, read=2, rescale=False)):
        assert texts(shown._draw(), color=WARN) == []


def test_the_still_of_large_numbers_is_readable():
    is_readable(Tiles([-20.0] * 11 + [20.0], [[-10.0] * 2] * 12, size=5, read=3)._draw())
    is_readable(Tiles([-np.inf], [[1.0]], read=1)._draw())


def test_its_alt_text_says_every_number():
    told = lesson(read=2)._alt()
    assert "12 keys, 0.50, 1.00, −0.50, 0.20, 2.00," in told
    assert "× 0.37: total 0.84, output 0 0.20, output 1 0.29; + this block: top 2.00" in told
    assert "exp(1.00 − 2.00) = 0.37. Held in memory: 4 numbers of a block" in told
