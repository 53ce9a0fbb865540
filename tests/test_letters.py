"""A figure says how high its smallest letters are, and the notebook's picture keeps it."""

import base64
import io

import matplotlib as mpl
import pytest
from matplotlib.figure import Figure
from nbformat.v4 import new_output
from PIL import Image

from course.notebook.letters import CHUNK, COLORS, has_own_colors, smallest
from course.notebook.pictures import lighten
from tests.lessons import SERIES


def drawn():
    """Return a figure of 100 dots an inch, and its axes, whose title has the smallest letters."""
    figure = Figure(figsize=(4, 3), dpi=100)
    ax = figure.subplots()
    ax.tick_params(labelsize=18)
    ax.set_title("small", fontsize=9)
    return figure, ax


@pytest.fixture(autouse=True)
def plain():
    with mpl.rc_context():
        mpl.rcdefaults()
        yield


def test_the_smallest_letters_count_in_pixels():
    figure, _ = drawn()
    assert smallest(figure) == 12.5


def test_what_is_not_seen_does_not_count():
    figure, ax = drawn()
    ax.tick_params(labelsize=3)
    figure.draw_without_rendering()  # only then a tick has its number
    assert smallest(figure) < 5
    ax.axis("off")
    ax.text(0, 0, "hidden", fontsize=2).set_visible(False)
    ax.text(0, 0, " ", fontsize=2)
    assert smallest(figure) == 12.5


def test_of_a_formula_the_line_counts_and_without_letters_there_are_none():
    figure = Figure(dpi=144)
    assert smallest(figure) == 0
    figure.text(0, 0, r"$d_{\mathrm{key}}$", fontsize=10)
    assert smallest(figure) == 20


def test_a_palette_keeps_what_a_picture_says():
    figure, _ = drawn()
    png = io.BytesIO()
    figure.savefig(png, metadata={CHUNK: "12.5", "Author": "nobody"})
    output = new_output("display_data", {"image/png": base64.b64encode(png.getvalue()).decode()})
    lighten(output)
    light = Image.open(io.BytesIO(base64.b64decode(output.data["image/png"])))
    assert light.mode == "P"
    assert light.info[CHUNK] == "12.5"
    assert "Author" not in light.info


@pytest.mark.parametrize("lesson", ["03_softmax"])
def test_the_figures_of_a_lesson_say_it(lesson):
    outputs = [
        output for cell in SERIES[lesson].executed().cells for output in cell.get("outputs", [])
    ]
    figures = [
        output.data
        for output in outputs
        if set(output.get("data", {})) == {"image/png", "text/plain"}
    ]
    assert figures
    for data in figures:
        picture = Image.open(io.BytesIO(base64.b64decode(data["image/png"])))
        assert 5 < float(picture.info[CHUNK]) < 40


def test_a_picture_made_of_colours_says_so_and_a_map_of_numbers_does_not():
    figure, ax = drawn()
    ax.imshow([[0.0, 1.0]])
    assert not has_own_colors(figure)
    ax.imshow([[(1.0, 0.0, 0.0)]])
    assert has_own_colors(figure)


def test_lessons_that_show_colours_keep_that_in_their_pictures():
    own = {name: sum(COLORS in told for told in chunks(name)) for name in SERIES}
    shown = ("00_start_here", "07_cross_attention")
    assert {name: n for name, n in own.items() if n} == dict(zip(shown, (1, 2), strict=True))


def chunks(name):
    """Go through what the figures of a notebook say of themselves."""
    for cell in SERIES[name].executed().cells:
        for output in cell.get("outputs", []):
            if data := output.get("data", {}).get("image/png"):
                yield Image.open(io.BytesIO(base64.b64decode(data))).info
