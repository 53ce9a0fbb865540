"""A widget asks: what it may ask, when that is reached, and what the lessons' goals demand."""

import functools
import re
from itertools import combinations

import numpy as np
import pytest

from attnlib import causal_mask, widgets
from attnlib.checks import expect
from attnlib.widgets import DotProduct, Goal, Mask, Softmax, Writer, scaling
from attnlib.widgets._goals import differing
from attnlib.widgets._lessons import all_lessons
from tests.lessons import SERIES, quickly
from tests.widgets.goals import ASKING, MOVES, held_down, random_move, recorded_with, revived

RUNS, SAMPLE, LONG = 200, 20, 100  # of random moves, and how many a run has
FEW = 0.05  # of them may reach a goal; of a sample, one run more
ALIKE = {0: (0.45, 0.46), 1: (0.45, 0.46)}  # two of three keys share nearly all
SOLVED = [2.0, 2.0, 0.45]


def asking(**options):
    """Return three scores, and a goal that is two moves away, or one that is well chosen."""
    options = {"weights": {0: (0.49, 0.51)}} | options
    return Softmax([2.0, 1.0, 0.0], ["a", "b", "c"], goal=Goal("Give a half.", **options))


def by_hand(widget, moves, reached=None, **inputs):
    """Change inputs as the browser tells it, after so many moves."""
    widget.set_state(inputs | {"_moves": moves, "_reached": reached})


# When it is reached


def test_a_widget_without_a_goal_is_never_done():
    widget = Softmax([1.0, 0.0])
    assert (widget.goal, widget.moments, widget.done, widget.moves) == (None, (), False, 0)
    assert widget.get_state(["_goal", "_moments"]) == {"_goal": None, "_moments": []}
    widget.scores = [0.0, 0.0]
    assert not widget.done


def test_it_is_done_when_the_hand_has_reached_all_that_is_asked_and_stays_so():
    widget, seen = asking(), []
    widget.observe(lambda change: seen.append((change.new, widget.moves)), "done")
    by_hand(widget, 1, scores=[5.0, 1.0, 0.0])
    assert (widget.done, widget.moves) == (False, 1)
    by_hand(widget, 2, scores=[1.3132616875, 1.0, 0.0])
    assert widget.weights[0] == pytest.approx(0.5)
    assert not widget.done  # a hand that sweeps over it has not found it
    by_hand(widget, 2, 2)
    assert (widget.done, widget.moves) == (True, 2)
    by_hand(widget, 2, 2, scores=[9.0, 1.0, 0.0])
    assert (widget.done, widget.moves) == (True, 2)
    assert seen == [(True, 2)]


def test_a_reset_begins_anew():
    widget = asking()
    by_hand(widget, 3, 3, scores=[1.3132616875, 1.0, 0.0])
    assert widget.done
    widget.set_state({"scores": [2.0, 1.0, 0.0], "_moves": 0, "_reached": None, "_untouched": {}})
    assert (widget.done, widget.moves) == (False, 0)
    assert widget.weights[0] != pytest.approx(0.5)


def test_code_reaches_a_goal_too_and_no_one_can_claim_it():
    widget = asking()
    for name in ("done", "moves"):
        with pytest.raises(Exception, match="read-only"):
            setattr(widget, name, 1)
    with pytest.raises(AttributeError, match="goal came in, and it is none of them"):
        widget.set(goal=None)
    widget.set(scores=[0.0, 0.0], names=["a", "b"])
    assert (widget.done, widget.moves) == (True, 0)
    by_hand(widget, 3, 0)
    widget.scores = [1.0, 1.0]  # it is reached again, and was done before
    assert (widget.done, widget.moves) == (True, 0)


def test_all_that_is_asked_must_be_there():
    widget = asking(weights={0: (0.4, 0.6), 1: (0.3, None)}, entropy=(None, 0.8))
    widget.scores = [0.6, 0.0, -0.5]
    assert not widget.done  # the entropy is 0.98
    widget.scores = [0.6, 0.0, -9.0]
    assert widget.weights == pytest.approx([0.646, 0.354, 0], abs=1e-3)
    assert not widget.done
    widget.scores = [0.3, 0.0, -9.0]
    assert widget.done


def test_changing_counts_the_numbers_that_differ_from_the_start():
    widget = asking(weights=ALIKE, changing=1)
    widget.scores = SOLVED  # b and c differ
    assert widget.weights == pytest.approx([0.452, 0.452, 0.096], abs=1e-3)
    assert not widget.done
    other = asking(weights=ALIKE, changing=2)
    other.scores = SOLVED
    assert other.done


@pytest.mark.parametrize("changing", [1, 2])
def test_a_number_that_is_moved_and_back_is_none_that_differs(changing):
    widget = asking(weights={0: (0.49, 0.51)}, changing=changing)
    widget.scores = [1.0, 2.0, 3.0]
    widget.scores = [1.3132616875, 1.0, 0.0]
    assert widget.done


def test_what_is_no_number_or_not_there_is_not_reached():
    widget = Softmax([1.0, 0.0], naive=True, goal=Goal("Share.", weights={1: (0.4, None)}))
    widget.shift = 1000
    assert np.isnan(widget.weights).all()
    assert not widget.done
    widget.set(scores=[1.0], names=["a"], shift=0)
    assert not widget.done
    angle = DotProduct([1, 3], [4, 2], goal=Goal("Turn a by more.", angle=(80, None)))
    angle.a = [0, 0]
    assert angle.angle is None
    assert not angle.done
    angle.a = [-2, 4]
    assert angle.done


def test_a_goal_is_recorded_printed_and_told_to_the_browser():
    widget = asking(weights=ALIKE, entropy=(0.5, None), changing=1)
    told = widget.recorded()["traits"]["_goal"]
    assert told == widget.get_state(["_goal"])["_goal"] == {
        "words": "Give a half.",
        "changing": 1,
        "asked": [
            ["weights", [0], 0.45, 0.46],
            ["weights", [1], 0.45, 0.46],
            ["entropy", [], 0.5, None],
        ],
        "start": {"scores": [2.0, 1.0, 0.0], "temperature": 1.0, "shift": 0.0},
    }  # fmt: skip
    goal = (
        "Goal('Give a half.', weights={0: (0.45, 0.46), 1: (0.45, 0.46)}, entropy=(0.5, None), "
        "changing=1)"
    )
    assert repr(widget).endswith(f", goal={goal})")
    assert eval(repr(widget), vars(widgets)).goal == widget.goal
    assert widget.goal != asking().goal
    assert "_goal" not in Softmax([1.0]).recorded()["traits"]


# What it may ask


def softmax(words="Share.", **options):
    return Softmax([2.0, 1.0], goal=Goal(words, **options))


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: Softmax([1.0], goal="Share."), TypeError, "goal must be a Goal, "
         "widgets.Goal(words, quantity=…): goal is 'Share.', and str is no Goal."),
        (lambda: softmax(3, weights={0: (0, 1)}), TypeError,
         "a goal needs words: words is 3, and int is not str."),
        (lambda: softmax(" ", weights={0: (0, 1)}), ValueError,
         "a goal needs words: words is ' ', and it is empty."),
        (softmax, ValueError, "a goal must ask for at least one quantity: asked is nothing, and 0 "
         "< 1."),
        (lambda: softmax(weights={}), ValueError, "weights needs at least one place that a goal "
         "asks about: weights is {}, and 0 < 1."),
        (lambda: softmax(wieghts={0: (0, 1)}), ValueError, "a goal of Softmax can ask about "
         "entropy, weights: asked is wieghts, and wieghts is none of them (did you mean "
         "weights?)."),
        (lambda: softmax(weights={2: (0, 1)}), ValueError, "a goal must ask about a place of "
         "weights, counted from 0: weights is (2,), place is 2, and 2 > 1."),
        (lambda: softmax(weights={-1: (0, 1)}), ValueError, "a goal must ask about a place of "
         "weights, counted from 0: weights is (2,), place is -1, and -1 < 0."),
        (lambda: softmax(weights={(0, 1): (0, 1)}), ValueError,
         "a place of weights needs one number for each of its axes: weights is (2,), place is (0, "
         "1), and 2 != 1."),
        (lambda: softmax(entropy={0: (0, 1)}), ValueError, "a place of entropy needs one number "
         "for each of its axes: entropy is one number, place is (0), and 1 != 0."),
        (lambda: softmax(weights={"a": (0, 1)}), TypeError, "a place of weights must be an "
         "integer: a place of weights is 'a', and str is not int."),
        (lambda: softmax(weights={0: 0.5}), ValueError, "a goal names the least and the most of "
         "weights[0], (least, most): weights[0] is 0.5, and it is no pair."),
        (lambda: softmax(weights={0: (0.6, 0.5)}), ValueError,
         "the least of weights[0] must not be above its most: weights[0] is (0.6, 0.5), and 0.6 > "
         "0.5."),
        (lambda: softmax(entropy=(None, None)), ValueError, "entropy needs a least or a most: "
         "entropy is (None, None), and there is none."),
        (lambda: softmax(entropy=(float("nan"), 1)), ValueError,
         "the ends of entropy must be finite numbers, or None for no end: entropy is (nan, 1), and "
         "nan is not finite."),
        (lambda: softmax(weights={0: ("x", 1)}), TypeError, "weights[0] must hold floats (of 16, "
         "32 or 64 bits), integers or bools: weights[0] is 'x', and str is none of these."),
        (lambda: softmax(weights={1: (1.2, None)}), ValueError, "a goal must ask for what "
         "weights[1] can be: weights[1] is to be at least 1.2, and it is at most 1."),
        (lambda: softmax(entropy=(None, -0.5)), ValueError, "a goal must ask for what entropy can "
         "be: entropy is to be at most -0.5, and it is at least 0."),
        (lambda: softmax(entropy=(0.7, None)), ValueError, "a goal must ask for what entropy can "
         "be: entropy is to be at least 0.7, and it is at most 0.693147."),
        (lambda: softmax(weights={0: (0.7, 0.8), 1: (0.4, None)}), ValueError, "the places of a "
         "row of weights share 1: what a goal asks of them is 1.1, and 1.1 > 1."),
        (lambda: softmax(weights={0: (0, 0.5)}, changing=0), ValueError,
         "changing must be at least 1: changing is 0, and 0 < 1."),
        (lambda: softmax(weights={0: (0.7, 0.8), 1: (0.2, 0.3)}), ValueError,
         "a goal must be open at the start: goal is 'Share.', and 2 of 2 are met already."),
    ],
)  # fmt: skip
def test_a_goal_that_cannot_be_is_refused_in_three_parts(make, error, message):
    with pytest.raises(error) as told:
        make()
    assert str(told.value) == message


def test_changing_needs_numbers_that_a_hand_moves(monkeypatch):
    monkeypatch.setattr(Softmax, "_movable", ())
    with pytest.raises(ValueError, match="changing counts numbers that a hand can move, and Soft"):
        asking(changing=1)


# The goals of the lessons


def asked_in(name):
    """Return what is recorded of the one widget that asks by this name."""
    lesson, _, more = name.partition(" ")
    words = all_lessons()[f"{lesson[:2]} {more}".strip()]["goal"]["words"]
    asking = recorded_with(lesson, "_goal")
    (state,) = (one for one in asking if one["traits"]["_goal"]["words"] == words)
    return state


def test_every_widget_asks_where_it_is_shown_first():
    first = {}
    for name, lesson in SERIES.items():
        for kind in lesson.widgets:
            first.setdefault(kind, name)
    asking = [(asked_in(name)["class"], name.split()[0]) for name in ASKING]
    assert asking == list(first.items())
    assert list(MOVES) == ASKING


def test_a_goal_writes_its_numbers_as_the_widget_does():
    words = [told["goal"]["words"] for told in all_lessons().values() if told["goal"]]
    assert words
    assert all(re.search(r"(?<![\d\]])\.\d", one) is None for one in words)


@pytest.mark.parametrize("lesson", ASKING)
def test_a_lesson_asks_once_and_its_goal_is_reached_by_its_moves(lesson):
    widget = revived(asked_in(lesson))
    assert not widget.done
    for move in MOVES[lesson]:
        assert not widget.done, f"{lesson}: the goal is reached before the last move"
        widget.set(**move)
    assert widget.done


def test_the_goal_of_masks_is_reached_where_both_rows_are_the_same_and_nowhere_else():
    widget = revived(asked_in("05_masking"))
    for pair in combinations(zip(*np.nonzero(causal_mask(4)), strict=True), 2):
        mask = causal_mask(4)
        mask[tuple(np.transpose(pair))] = False
        widget.set(mask=mask)
        assert widget.done == np.allclose(widget.weights[1], widget.weights[3]), pair


@pytest.mark.parametrize("lesson", quickly(ASKING, takes=[0] if ASKING else []))
def test_a_lessons_goal_is_hardly_reached_by_chance(lesson, monkeypatch, request):
    # Each draw of Scaling is half a million numbers, and the hand comes back to the few it has.
    monkeypatch.setattr(scaling, "normals", functools.cache(scaling.normals))
    widget = revived(asked_in(lesson))
    weekly = request.config.getoption("--weekly")
    runs = RUNS if weekly else SAMPLE
    reached = _reached(widget, runs)
    most = FEW * runs + (not weekly)
    assert reached <= most, f"{lesson}: {reached} of {runs} runs of random moves reach it"


@pytest.mark.parametrize("lesson", ASKING)
def test_a_lessons_goal_is_reached_by_no_key_held_down_and_by_no_play(lesson):
    # *Play* ends where a key held down on its slider does: at the last of the steps.
    widget = revived(asked_in(lesson))
    start, moves = widget._moved_inputs(), held_down(widget)
    switches = ("05_masking", "06_multi_head", "12_a_model_that_writes block")  # and nothing else
    assert moves or lesson in switches
    for move in moves:
        try:
            twin = widget._twin(move)
        except ValueError:  # another sentence, say, comes with a word of its own
            continue
        moved = differing(start, twin._moved_inputs())
        assert not widget.goal.met(twin._asked_about(), moved), f"{lesson}: {move} reaches it"


def _reached(widget, runs):
    """Count the runs of random moves that reach the goal.

    Half of what a change of a widget takes is telling those who watch it, and many a state comes
    again: a twin moves that nobody watches, and each state is judged once.
    """
    twin, start, met = widget._twin({}), widget._moved_inputs(), {}
    reached = 0
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        _take(twin, start)
        for _ in range(LONG):
            _take(twin, random_move(twin, rng))
            inputs = twin._moved_inputs()
            state = tuple(x.tobytes() if isinstance(x, np.ndarray) else x for x in inputs.values())
            if state not in met or isinstance(widget, Writer):  # whose moves follow what it expects
                twin._agree()
                _take(twin, twin._derive())
                met[state] = widget.goal.met(twin._asked_about(), differing(start, inputs))
            if met[state]:
                reached += 1
                break
    return reached


def _take(twin, values):
    for name, value in values.items():
        twin.set_trait(name, value)


def test_a_twin_reaches_a_goal_in_the_runs_in_which_the_widget_does():
    goal = Goal("Give b more.", weights={1: (0.6, None)}, changing=1)
    runs, seen = 40, []
    for seed in range(runs):
        widget, rng = Softmax([2.0, 1.0], goal=goal), np.random.default_rng(seed)
        for _ in range(LONG):
            widget.set(**random_move(widget, rng))
        seen.append(widget.done)
    assert 0 < sum(seen) == _reached(Softmax([2.0, 1.0], goal=goal), runs) < runs


def test_random_moves_change_one_number_within_the_hands_reach():
    rng = np.random.default_rng(0)
    mask = Mask(*[np.eye(5)] * 3, words=list("abcde"))
    for _ in range(20):
        (moved,) = random_move(mask, rng).values()
        assert (moved != mask.mask).sum() == 1
    lonely = Softmax([0.0] * 5)
    for _ in range(40):
        ((name, moved),) = random_move(lonely, rng).items()
        assert np.sum(moved != getattr(lonely, name)) == 1
        lonely.set(**{name: moved})
    assert -5 <= lonely.scores.min() < -2.5 < 2.5 < lonely.scores.max() <= 5


def test_a_sheets_test_can_wait_for_a_goal():
    widget = asking()
    with pytest.raises(AssertionError, match="the goal of the picture"):
        expect(widget.done, True, "the goal of the picture")
    widget.scores = [1.3132616875, 1.0, 0.0]
    expect(widget.done, True, "the goal of the picture")
