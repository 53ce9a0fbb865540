"""A grid is read by its words, its text, its alt text and what is on its paper; not by pixels."""

import base64
import io

import numpy as np
import pytest
from PIL import Image

from attnlib.pictures.colours import COLORS
from attnlib.pictures.grid import GRID
from attnlib.pictures.shades import SOFT, shade, tint
from attnlib.plotting import grid
from tests.widgets.still import cut_off, is_readable, shapes, texts, written

WORDS = ["I", "saw", "a"]
WEIGHTS = [[0.5, 0.25, 0.25], [0.125, 0.875, 0.0], [1.0, 0.0, 0.0]]


def table(**named):
    """Return the one Table of a grid."""
    (only,) = grid(**named).tables
    return only


def bundle(shown):
    return shown._repr_mimebundle_()


def fills(shown):
    """Return the colours of cells, in reading order; white ones have none."""
    return [box.color for box in shapes(shown.paper(), "box") if box.color][len(shown.tables) :]


# What it says


def test_an_array_is_told_line_by_line_with_its_names_and_its_shape():
    assert str(grid(weights=WEIGHTS, rows=WORDS)) == (
        "weights (3, 3): rows are query, columns key\n"
        "        I   saw     a\n"
        "I    0.50  0.25  0.25\n"
        "saw  0.13  0.88  0.00\n"
        "a    1.00  0.00  0.00"
    )


def test_its_alt_text_says_the_same_in_sentences():
    assert grid(weights=WEIGHTS, rows=WORDS).alt == (
        "weights, 3 by 3. Rows are query, columns key. Columns: I, saw, a. "
        "I: 0.50, 0.25, 0.25. saw: 0.13, 0.88, 0.00. a: 1.00, 0.00, 0.00."
    )


def test_several_arrays_stand_one_after_the_other():
    shown = grid({"first one": [1, 2]}, key=[[3], [4]], rows={"key": "ab"}, columns={"key": ["x"]})
    assert shown.text == "first one (2,)\n  0  1\n  1  2\n\nkey (2, 1)\n   x\na  3\nb  4"
    assert shown.alt == "first one, 2 numbers. 1, 2. key, 2 by 1. Columns: x. a: 3. b: 4."


def test_what_is_true_is_told_by_the_names_of_its_columns():
    shown = grid(mask=[[True, False], [False, False]], rows=["p", "q"])
    assert shown.alt.endswith("Columns: p, q. p: True at p. q: True nowhere.")
    assert shown.tables[0].words == (("True", "False"), ("False", "False"))


def test_of_many_numbers_the_ends_are_told():
    values = np.zeros((9, 8))
    values[[4, 5], [6, 7]] = 1.5, -2.5
    shown = grid(values, columns="stuvwxyz")
    assert shown.alt == "Grid, 9 by 8. From −2.5 to 1.5, which stands in row 4, column y."
    assert len(shown.text.splitlines()) == 11  # the text tells them all
    assert grid(np.ones((8, 8))).alt.endswith(" 7: 1, 1, 1, 1, 1, 1, 1, 1.")
    nothing = grid(np.full((9, 8), np.nan)).alt
    assert nothing == "Grid, 9 by 8. No number is finite."
    assert grid(np.eye(9, dtype=bool)).alt == "Grid, 9 by 9. True in 9 of 81 cells."


@pytest.mark.parametrize("shape", [(3, 23), (43, 2)])
def test_a_large_array_is_shown_without_its_numbers(shape):
    values = np.zeros(shape)
    values[2, 1] = 0.5
    shown = grid(weights=values, row_name="", column_name="")
    assert shown.text == (f"weights {shape}\nFrom 0.0 to 0.5, which stands in row 2, column 1.")
    written_down = texts(shown.paper())
    assert not {"0.0", "0.5"} & set(written_down)
    assert f"{shape}, from 0.0 to 0.5" in written_down
    assert fills(shown) == [shade(1.0)[0]]  # the largest is the darkest


# How numbers are printed


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([1, 20, -3], ["1", "20", "−3"]),
        ([1.0, 20.0], ["1", "20"]),
        ([1.5, 1.0], ["1.5", "1.0"]),
        ([0.3 - 0.1, 0.5], ["0.2", "0.5"]),
        (np.float32([0.1, 0.5]), ["0.1", "0.5"]),
        ([1 / 3, 12.0], ["0.33", "12.00"]),
        ([1 / 3, 120.0], ["0.3", "120.0"]),
        ([1 / 3, 1200.0], ["0", "1200"]),
        ([0.0123, 0.001], ["0.012", "0.001"]),
        ([-0.0011, 0.123], ["0.00", "0.12"]),
        ([np.nan, np.inf, -np.inf, 1], ["nan", "inf", "−inf", "1"]),
        ([], []),
    ],
)
def test_a_number_has_as_many_decimals_as_it_needs(values, words):
    assert table(x=values).words == (tuple(words),)


def test_the_number_of_decimals_may_be_asked_for():
    assert table(x=[1.0, 0.04], decimals=1).words == (("1.0", "0.0"),)


@pytest.mark.parametrize(("dtype", "noise"), [("float64", 1e-15), ("float32", 4e-7)])
def test_noise_in_the_last_bits_changes_no_form_of_it(dtype, noise):
    exact = np.array([[0.125, 0.375], [-0.625, 1.0]], dtype)
    forms = []
    for sign in (-1, 0, 1):
        data, metadata = bundle(grid(exact * dtype_of(dtype)(1 + sign * noise)))
        forms.append((data["text/plain"], data["image/png"], data[GRID], metadata))
    assert "0.13" in forms[0][0]
    assert forms[0] == forms[1] == forms[2]


def dtype_of(name):
    return np.dtype(name).type


# Names


def test_rows_and_columns_are_counted_where_nobody_names_them():
    found = table(query=np.ones((2, 3)))
    assert (found.rows, found.columns) == (("0", "1"), ("0", "1", "2"))


def test_columns_of_a_square_array_are_named_like_its_rows_but_features_are_not():
    square = np.ones((3, 3))
    assert table(weights=square, rows=WORDS).columns == tuple(WORDS)
    assert table(cosines=square, rows=WORDS).columns == tuple(WORDS)
    assert table(value=square, rows=WORDS).columns == ("0", "1", "2")
    assert table(weights=np.ones((3, 2)), rows=WORDS).columns == ("0", "1")


def test_rows_of_weights_are_queries_unless_something_else_is_said():
    one = np.ones((2, 2))
    axes = {name: table(**{name: one}).axes for name in ("weights", "scores", "causal_mask", "x")}
    assert axes.pop("x") == ("", "")
    assert set(axes.values()) == {("query", "key")}
    assert table(**{"largest of the weights": one}).axes == ("", "")
    named = grid(weights=one, row_name="target", column_name="source")
    assert {"target ↓", "source →"} <= set(texts(named.paper()))
    half = texts(grid(x=one, column_name="feature").paper())
    assert "feature →" in half
    assert not any("↓" in words for words in half)  # an arrow without a name says nothing


def test_row_names_are_not_repeated_beside_an_array_with_the_same():
    same = grid(query=np.ones((3, 2)), key=np.ones((3, 2)), rows=WORDS).paper()
    assert texts(same).count("saw") == 1
    rows = {"query": WORDS, "key": ["it", "saw", "me"]}
    assert (
        texts(grid(query=np.ones((3, 2)), key=np.ones((3, 2)), rows=rows).paper()).count("saw") == 2
    )


# Colours


@pytest.mark.parametrize(
    ("name", "color"),
    [
        ("query", "query"),
        ("w_query", "query"),
        ("keys", "key"),
        ("Queries of head 0", "query"),
        ("grad_output", "output"),
        ("weights of values", "weights"),
        ("keyboard", ""),
        ("x", ""),
    ],
)
def test_a_name_tells_whose_colour_an_array_has(name, color):
    assert table(**{name: [1]}).color == color


def test_a_role_has_its_colour_and_grey_below_0():
    shown = grid(key=[[2.0, 1.0], [0.0, -1.0]])
    of_key = tint(COLORS["key"], 0.6)[0], tint(COLORS["key"], 0.3)[0]
    assert fills(shown) == [*of_key, tint(SOFT, 0.3)[0]]
    assert shapes(shown.paper(), "box", COLORS["key"])  # the bar below its name


def test_weights_are_darkest_at_one_whatever_is_largest():
    assert fills(grid(weights=[[0.5, 0.0]])) == [shade(0.5)[0]]
    assert fills(grid(weights=[[0.5, 2.0]])) == [shade(0.25)[0], shade(1.0)[0]]


def test_two_signs_have_two_hues_as_dark_at_equal_size():
    ends = [shade(-1, two_sided=True)[0], shade(0.5, two_sided=True)[0]]
    assert fills(grid(x=[[-0.04, 0.02]])) == ends


def test_arrays_of_one_colour_share_their_scale():
    assert grid(first=[[4.0]], second=[[1.0]]).tables[1].shares == ((0.25,),)
    assert grid(query=[[4.0]], key=[[1.0]]).tables[1].shares == ((1.0,),)
    assert grid(x=[[20.0]], seen=[[True]]).tables[1].shares == table(seen=[[True]]).shares


def test_numbers_stand_out_from_their_cells():
    roles = {name: [[1.0, 0.5, 0.1, -1.0]] for name in (*COLORS, "weights", "x")}
    for color, ink in {(b, w) for name in roles for b, w in zip_cells(grid(**{name: roles[name]}))}:
        dark, light = sorted(map(luminance, (color, ink)))
        assert (light + 0.05) / (dark + 0.05) >= 4.5, (color, ink)  # WCAG 2.2, 1.4.3


def zip_cells(shown):
    """Pair the colour of each cell with that of its number."""
    inks = [word.color for word in written(shown.paper(), size=28, bold=False, at="mm")]
    return list(zip(fills(shown), inks, strict=True))


def luminance(color):
    rgb = np.array([int(color[k : k + 2], 16) for k in (1, 3, 5)]) / 255
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return linear @ (0.2126, 0.7152, 0.0722)


def test_what_is_hidden_can_be_read_without_colour():
    paper = grid(mask=[[True, False], [True, True]], scores=[[1.0, -np.inf], [0.0, np.nan]]).paper()
    found = texts(paper, size=28, bold=False, at="mm")
    assert found == ["●", "×", "●", "●", "1", "−inf", "0", "nan"]
    assert len(shapes(paper, "hatch")) == 2


# How it comes out


def test_it_is_one_output_in_several_forms():
    shown = grid(weights=WEIGHTS, rows=WORDS)
    data, metadata = bundle(shown)
    assert data.keys() == {"text/plain", "image/png", GRID}
    assert data["text/plain"] == repr(shown) == shown.text
    image = Image.open(io.BytesIO(base64.b64decode(data["image/png"])))
    assert metadata == {
        "image/png": {"alt": shown.alt, "width": image.width / 2, "height": image.height / 2}
    }
    assert image.info == {} or set(image.info) <= {"transparency"}  # no time, no name of a program


def test_four_by_four_is_small_and_looks_the_same_each_time():
    values = np.random.default_rng(0).dirichlet(np.ones(4), 4)
    pictures = [bundle(grid(weights=values))[0]["image/png"] for _ in range(2)]
    assert len(pictures[0]) < 13_000  # in base 64: 10 kB
    assert len(base64.b64decode(pictures[0])) < 10_000
    assert pictures[0] == pictures[1]


@pytest.mark.parametrize(
    "shown",
    [
        grid(query=np.ones((4, 2)), key=np.ones((5, 3)), value=np.ones((4, 2))),
        grid({"a rather long name of an array": [1]}, columns=["x"]),
        grid(weights=np.eye(3), rows=["unbelievably", "long", "words"]),
        grid(np.random.default_rng(0).normal(size=(4, 11)), columns=["some feature"] * 11),
        grid(weights=np.eye(31), rows=["word"] * 31),
        grid(weights=np.zeros((0, 3))),
        grid(first=np.ones((2, 12)) / 3, second=np.ones((2, 12)) / 3),
    ],
)
def test_no_word_runs_into_another_or_over_the_edge(shown):
    is_readable(shown.paper())


def test_what_has_no_room_beside_others_stands_below_them():
    one = grid(first=np.ones((2, 12)) / 3).paper()
    two = grid(first=np.ones((2, 12)) / 3, second=np.ones((2, 12)) / 3).paper()
    assert two.width == one.width
    assert two.height > 1.8 * one.height
    assert cut_off(two) == []


# What is wrong


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"x": np.ones((2, 3, 5))}, ValueError, r"two axes: x is \(2, 3, 5\), and 3 != 2\."),
        ({"x": [[1]], "decimals": "two"}, ValueError, "0 or more: decimals is 'two', and that"),
        ({"x": [[1]], "decimals": -1}, ValueError, "decimals is -1, and that is none"),
        ({"x": [[1]], "rows": 3}, TypeError, "one for each: rows is 3, an object of type int"),
        ({"x": 1.0}, ValueError, r"two axes: x is \(\), and 0 != 2\."),
        (
            {"x": ["a", "b"]},
            TypeError,
            r"real numbers.*: x is an array of <U1, and that is neither",
        ),
        ({"x": [1j]}, TypeError, r"x is an array of complex128"),
        ({"x": [[1, 2], [3]]}, ValueError, r"all rows as long: x is a list .* 2, 1 long\."),
        (
            {"x": np.ones((2, 3)), "rows": WORDS},
            ValueError,
            r"one name for each row: x is \(2, 3\), there are 3 names, and 2 != 3\.",
        ),
        (
            {"values": np.ones((2, 3)), "columns": ["p"]},
            ValueError,
            r"one name for each column: the array is \(2, 3\), there are 1 names, and 3 != 1\.",
        ),
        (
            {"x": [1], "columns": {"y": ["p"]}},
            ValueError,
            r"columns are named by .*: columns came for 'y', and that is none of 'x'\.",
        ),
        ({}, TypeError, r"grid shows an array or more"),
    ],
)
def test_what_cannot_be_shown_is_told_in_three_parts(arguments, error, message):
    with pytest.raises(error, match=message):
        grid(**arguments)
