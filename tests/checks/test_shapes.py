"""A line of shapes: what it says of sizes, what is drawn from it, and what is chosen."""

import numpy as np
import pytest

from attnlib.checks.shapes import Shapes, size_of

ATTENTION = Shapes("(..., n, d), (..., m, d), (..., m, 2*e) -> (..., n, 2*e), ()")
ROWS = Shapes("(..., n), (...) -> (...)")


def drawn(shapes, *lead, **sizes):
    return tuple(map(np.shape, shapes.given(np.random.default_rng(0))(lead, **sizes)))


def test_inputs_are_drawn_by_size():
    assert drawn(ATTENTION, n=3, d=1, m=2, e=4) == ((3, 1), (2, 1), (2, 8))
    assert drawn(ATTENTION, 5, 7, n=0, d=1, m=2, e=4) == ((5, 7, 0, 1), (5, 7, 2, 1), (5, 7, 2, 8))
    assert drawn(ROWS, n=3) == ((3,), ())
    assert drawn(ROWS, n=3, **{"...": 7}) == ((7, 3), (7,))


def test_sizes_that_nobody_asked_for_differ():
    shapes = Shapes("(a, b), (c, d), (e, f), k, () -> ()")
    *arrays, whole, number = shapes.given(np.random.default_rng(0))()
    sizes = [n for x in arrays for n in x.shape] + [whole]
    assert len({*sizes}) == 7
    assert isinstance(whole, int)
    assert number == 1.0


def test_what_is_drawn_may_be_changed():
    given = Shapes("(n), () -> (n)").given(np.random.default_rng(0), lambda x, _: [np.abs(x), 0.5])
    x, number = given(n=101)
    assert x.min() > 0
    assert number == 0.5


def test_sizes_are_measured_products_and_leading_axes_among_them():
    inputs = np.ones((5, 3, 1)), np.ones((5, 2, 1)), np.ones((5, 2, 8))
    assert ATTENTION.sizes(inputs) == {"n": 3, "d": 1, "m": 2, "e": 4}
    assert ATTENTION.due(inputs) == ((5, 3, 8), ())
    assert ROWS.sizes((np.ones((2, 7, 3)), np.ones((2, 7)))) == {"...": 7, "n": 3}
    assert ROWS.sizes((np.ones(3), np.ones(()))) == {"...": 1, "n": 3}
    heads = Shapes("(n, h*d), h -> (h, n, d)")
    assert heads.sizes((np.ones((7, 6)), 3)) == {"n": 7, "h": 3, "d": 2}
    assert heads.due((np.ones((7, 6)), 3)) == ((3, 7, 2),)


def test_a_dictionary_is_drawn_and_its_answer_has_its_shapes():
    shapes = Shapes("{}, (n), () -> {}")
    held, vector, number = inputs = shapes.given(np.random.default_rng(0))(n=3)
    assert {name: array.shape for name, array in held.items()} == {
        "w": (5, 7), "b": (7,), "v": (7, 3)
    }  # fmt: skip
    assert (vector.shape, number) == ((3,), 1.0)
    assert shapes.sizes(inputs) == {"n": 3}
    assert shapes.due(inputs) == ({name: array.shape for name, array in held.items()},)


@pytest.mark.parametrize(
    ("shapes", "inputs", "said"),
    [
        (ROWS, (np.ones((2, 3)), np.ones(3)), r"\(2, 3\), \(3,\)"),
        (ROWS, (np.ones((2, 3)),), "got 1 of them, which is not 2"),
        (Shapes("(n, d), (d) -> ()"), (np.ones((2, 3)), np.ones(2)), r"where .*'d': 3"),
        (Shapes("(n) -> ()"), (np.ones((2, 3)),), r"\(2, 3\)"),
        (Shapes("n -> (n)"), (np.ones((2, 3)),), r"\(2, 3\)"),
        (Shapes("(n, 2*d) -> ()"), (np.ones((2, 3)),), r"\(2, 3\)"),
    ],
)
def test_inputs_that_do_not_fit_are_refused(shapes, inputs, said):
    with pytest.raises(ValueError, match=said) as caught:
        shapes.sizes(inputs)
    assert f"inputs have the shapes {shapes.line}: got" in str(caught.value)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("(n)", "with 0 arrows."),
        ("n -> n -> n", "with 2 arrows."),
        ("(n -> (n)", "with 1 arrows, and in it '(n', which is no list of shapes."),
        ("-> (n)", "and in it '', which is no list of shapes."),
        ("(n) (m) -> n", "and in it '(n) (m)', which"),
    ],
)
def test_a_line_that_cannot_be_read_is_refused(line, said):
    with pytest.raises(ValueError, match="inputs, one arrow, answers") as caught:
        Shapes(line)
    assert f"got {line!r} with" in str(caught.value)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    "shapes", [ATTENTION, ROWS, Shapes("(a, b), (c, d), (e, f) -> ()"), Shapes("n, h*d, h -> (n)")]
)
def test_choices_show_each_size_alone_at_1_and_every_two_either_way(shapes):
    found = list(shapes.choices())
    for name in shapes.names:
        alone = [s for s in found if s[name] == 1 and list(s.values()).count(1) == 1]
        assert alone or len(shapes.names) == 1
    for a, b in shapes.pairs():
        signs = {np.sign(size_of(a, sizes) - size_of(b, sizes)) for sizes in found}
        assert signs == {-1, 0, 1}, (a, b)
        at = [sizes for sizes in found if size_of(a, sizes) == size_of(b, sizes)]
        assert any(len({*sizes.values()}) > 1 for sizes in at) or len(shapes.names) == 2, (a, b)


def test_pairs_leave_out_what_cannot_be_either_way():
    assert Shapes("n, h*d, h -> (n)").pairs() == [
        ("n", "h"), ("n", "d"), ("n", "h*d"), ("h", "d"),
    ]  # fmt: skip


STRETCHED = Shapes("(..., n, d), (..., m, d), ~(n, m) -> (..., n, d)")


@pytest.mark.parametrize("shape", [(3, 5), (1, 5), (5,), (3, 1), (2, 1, 5), (1, 3, 5), (2, 3, 5)])
def test_what_numpy_stretches_fits_and_tells_no_size(shape):
    given = np.zeros((2, 3, 7)), np.zeros((2, 5, 7)), np.ones(shape, bool)
    assert STRETCHED.sizes(given) == {"n": 3, "d": 7, "m": 5}
    assert STRETCHED.due(given) == ((2, 3, 7),)


@pytest.mark.parametrize("shape", [(5, 3), (3, 3), (3,), (4, 3, 5), (1, 2, 3, 5)])
def test_what_numpy_does_not_stretch_is_refused(shape):
    given = np.zeros((2, 3, 7)), np.zeros((2, 5, 7)), np.ones(shape, bool)
    with pytest.raises(ValueError, match="inputs have the shapes"):
        STRETCHED.sizes(given)


def test_what_is_stretched_is_drawn_without_leading_axes():
    assert drawn(STRETCHED, 2, n=3, m=5, d=7) == ((2, 3, 7), (2, 5, 7), (3, 5))


def test_what_is_stretched_may_come_first():
    shapes = Shapes("~(n, m), (n, d), (m, d) -> (n, d)")
    given = np.ones((1, 5), bool), np.zeros((3, 7)), np.zeros((5, 7))
    assert shapes.sizes(given) == {"n": 3, "m": 5, "d": 7}


def test_an_answer_may_have_one_more():
    shapes = Shapes("(d), (n, d) -> (n+1, d), (2*d+1)")
    assert shapes.names == ("d", "n")
    assert shapes.due((np.zeros(3), np.zeros((5, 3)))) == ((6, 3), (7,))
