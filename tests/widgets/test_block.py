"""Block: parts that are left out, held against a model run by hand, and the reader's own block."""

import numpy as np
import pytest

from attnlib import mine, text, world
from attnlib.pictures.colours import COLORS
from attnlib.pictures.shades import INK, SOFT
from attnlib.widgets import Block
from attnlib.widgets._models import FAR
from attnlib.widgets.block import AGREES, PARTS
from tests.widgets.goals import TOLD
from tests.widgets.still import is_readable, shapes, texts
from tests.widgets.test_writer import own

LIKES = TOLD.split()
LAST = len(LIKES) - 1
ANN, EVA, DOT = (world.VOCABULARY.index(word) for word in ("Ann", "Eva", "."))
FINDS_HEN = 3  # the head of block 1 that looks at the animal
SOME = [(), (FINDS_HEN,), (5, 8), (10,), (11,), (12,), (13,), (14,), (0, 6, 9, 12, 13), (2, 11, 14)]


def example():
    return Block(LIKES[:9], "plateau", at=7, off=[2, 13])


def lesson(**inputs):
    return Block(LIKES, "trained", **inputs)


def by_hand(model, words, off):
    """Return what the last word is after each step, by loops, and what is added at each."""
    x = [model["words"][world.VOCABULARY.index(word)] for word in words]
    steps, added = [x[-1]], [x[-1]]
    for layer in (0, 1):
        of = {name[:-2]: array for name, array in model.items() if name.endswith(f"_{layer}")}
        for step in (0, 1):
            past = 11 + 2 * layer + step not in off
            if step == 0:
                made = [_heads(x, i, of, [h for h in range(4) if 4 * layer + h not in off], off)
                        for i in range(len(x))]  # fmt: skip
                each = made[-1]
                total = [sum(of_word) for of_word in made]
            else:
                total = [_network(z, of) * (8 + layer not in off) for z in x]
                each = [total[-1]]
            x = [past * z + more for z, more in zip(x, total, strict=True)]
            added = [past * vector for vector in added] + each
            steps.append(x[-1])
    return np.array(steps), np.array(added)


def _heads(x, i, of, there, off):
    each = []
    for h in range(4):
        part = slice(8 * h, 8 * h + 8)
        scores = [x[i] @ of["w_query"][:, part] @ (x[j] @ of["w_key"][:, part]) / np.sqrt(8)
                  + of["near"][h][i - j] * (10 not in off) for j in range(i + 1)]  # fmt: skip
        shares = np.exp(scores - np.max(scores))
        shares /= shares.sum()
        brought = sum(w * (x[j] @ of["w_value"][:, part]) for j, w in enumerate(shares))
        each.append(brought @ of["w_output"][part] * (h in there))
    return each


def _network(z, of):
    hidden = z @ of["w_up"] + of["b_up"]
    return np.where(hidden > 0, hidden, 0) @ of["w_down"]


@pytest.mark.parametrize("off", SOME)
@pytest.mark.parametrize("at", [0, 22, LAST])
def test_a_part_that_is_left_out_changes_all_that_comes_after_it(at, off):
    shown = lesson(at=at, off=off)
    steps, added = by_hand(shown.model, LIKES[: at + 1], off)
    to_scores = shown.model["words"].T / np.sqrt(32)
    shares = np.exp(steps @ to_scores)
    assert shown.readings == pytest.approx(shares / shares.sum(axis=1, keepdims=True))
    assert shown.added == pytest.approx(added @ to_scores, abs=1e-9)
    assert shown.chances == pytest.approx(shown.readings[-1])
    assert shown.added.sum(axis=0) == pytest.approx(steps[-1] @ to_scores, abs=1e-9)
    assert shown.whole == pytest.approx(lesson(at=at).chances)
    assert shown.n_heads == 8 - sum(part < 8 for part in off)


def test_what_a_head_adds_is_not_what_it_is_worth():
    shown = lesson()
    assert shown.added[1 + FINDS_HEN, ANN] < 0
    shown.off = [FINDS_HEN]
    assert shown.chances[ANN] < 0.01
    assert shown.chances[EVA] > 0.99
    assert not np.allclose(shown.weights[1], lesson().weights[1], atol=0.5)


def test_without_anything_a_word_asks_for_itself():
    shown = lesson(off=range(10))
    assert shown.added[1:] == pytest.approx(0)
    assert world.VOCABULARY[shown.chances.argmax()] == "likes"
    assert (shown.readings == shown.readings[0]).all()


def test_the_last_word_is_followed_where_none_is_named():
    assert lesson().at == LAST
    assert lesson(at=0).weights.tolist() == [[[1]] * 4] * 2
    asked = []
    Block(iter(LIKES), "trained", block=lambda x, *_: asked.append(len(x)) or x)
    assert asked == [LAST + 1, LAST + 1]  # of each block once, and of no other word


# The reader's own block


@pytest.mark.parametrize("off", SOME)
def test_the_readers_own_block_gives_the_same_whatever_is_left_out(off):
    shown = lesson(off=off, block=mine.block)
    assert shown._answer["said"] == AGREES
    assert shown.answer["chances"] == pytest.approx(shown.chances)


def without_residual(x, parameters, n_heads, mask):
    return mine.block(x, parameters, n_heads, mask) - x


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (without_residual, "With your own block “Ann” has 0.64; with attnlib's 1.00."),
        (lambda x, *_: np.full(x.shape, np.nan), "With your own block “Ann” has nan; with "
         "attnlib's 1.00."),
    ],
)  # fmt: skip
def test_a_wrong_block_is_told_by_the_chance_that_is_farthest_off(wrong, said):
    shown = lesson(block=wrong)
    assert shown._answer["said"] == said
    assert shown.chances == pytest.approx(lesson().chances)


def test_a_block_may_write_into_what_it_is_handed():
    def spoils(x, parameters, n_heads, mask):
        y = mine.block(x, parameters, n_heads, mask)
        for array in (x, mask, *parameters.values()):
            array[:] = 0
        return y

    for off in ((), (11,)):
        assert lesson(off=off, block=spoils)._answer["said"] == AGREES


def test_a_block_that_gives_another_shape_is_told_by_its_name():
    def block(x, parameters, n_heads, mask):
        return x[:-1]

    assert lesson(at=2, block=block)._answer["error"] == (
        "block returns an array of another shape: (2, 32) came back, (3, 32) was wanted."
    )


# In words, and the still


@pytest.mark.parametrize(
    ("inputs", "told"),
    [
        ({}, "With all its parts, after “likes” the model expects “Ann” (1.00)."),
        ({"off": [6]}, "Without head 2 of block 2, “Ann” has 0.93 instead of 1.00, and is still "
         "expected."),
        ({"off": [3]}, "Without head 3 of block 1, “Ann” has 0.00 instead of 1.00: the model "
         "expects “Eva” (1.00)."),
        ({"off": [6, 7]}, "Without 2 parts, “Ann” has 0.06 instead of 1.00: the model expects "
         "“Eva” (0.85)."),
        ({"off": [13], "at": 22}, "Without the way past the heads of block 2, “.” has 0.07 instead "
         "of 1.00: the model expects “likes” (0.51)."),
    ],
)  # fmt: skip
def test_it_says_what_comes_next_and_what_came_next_before(inputs, told):
    shown = lesson(**inputs)
    assert shown._told() == told
    assert told in shown._alt()


def test_there_is_a_name_for_each_part():
    assert len(PARTS) == len({*PARTS}) == 15
    assert [*lesson().parts] == [*range(15)]
    assert (FAR, PARTS[FAR]) == (10, "the places")


def test_a_model_is_named_or_handed_over_as_its_arrays():
    named, given = Block(["the"], "trained"), Block(["the"], text.writer("trained"))
    assert named.chances == pytest.approx(given.chances)
    assert named.recorded() == given.recorded()
    assert "model='trained'" in repr(named)
    assert "model=<17 arrays>" in repr(given)
    assert Block(["the"], own()).whole.sum() == pytest.approx(1)


@pytest.mark.parametrize("off", SOME)
@pytest.mark.parametrize("at", [0, 22, LAST])
def test_the_still_shows_what_is_there_and_what_is_left_out(at, off):
    shown = lesson(at=at, off=off)
    paper = shown._draw()
    is_readable(paper)
    drawn = texts(paper)
    assert drawn.count("left out") == len(off)
    for head in range(8):
        assert shown._look(head) in drawn
    longest = max(shape.points[1, 0] - shape.points[0, 0]
                  for shape in shapes(paper, "box", COLORS["output"]))  # fmt: skip
    assert longest == pytest.approx(60 * shown.chances.max())
    cut = [line for line in shapes(paper, "line", SOFT)]
    assert len(cut) == sum(part > 10 for part in off)
    assert len([line for line in shapes(paper, "line", INK)]) >= 8 - len(cut)


def test_its_alt_text_says_where_each_head_looks_and_what_it_adds():
    told = lesson(off=[4])._alt()
    assert "head 3 of block 1: 0.94 “hen”, 1 back, −0.99" in told
    assert "head 0 of block 2: 0.73 “the”, 33 back, left out" in told
    told = lesson(off=[10])._alt()
    assert "Left out are the places." in told
