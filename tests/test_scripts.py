"""Letters of every script: a font that has them is found, and else said; a line runs rightwards."""

import io
import shutil
import warnings
from pathlib import Path

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.font_manager import fontManager
from matplotlib.text import Text
from PIL import Image, ImageFont

from attnlib import plotting
from attnlib.pictures import scripts
from attnlib.pictures.paper import Paper, room
from attnlib.pictures.scripts import NO_LETTER, directed, lettered, pieces

FONTS = Path(matplotlib.get_data_path(), "fonts", "ttf")
FROWN = "\u2322"
HOOKED = "\u1d81"  # no letter of DejaVu Sans, but one of STIX
FIRST, SECOND, ARABIC = "שלום", "עולם", "مرحبا"


@pytest.fixture
def installed(monkeypatch):
    """Return what installs fonts of Matplotlib's own, and no others, on the system."""

    def install(*names):
        paths = [str(FONTS / name) for name in names]
        monkeypatch.setattr("matplotlib.font_manager.findSystemFonts", lambda: paths)

    forget()
    yield install
    forget()


def forget():
    for kept in ("pieces", "_installed", "_found", "_opened", "_told"):
        getattr(scripts, kept).cache_clear()


def told(words):
    return [(piece.words, piece.leftwards) for piece in pieces(words, 13, False)]


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        ("I saw", [("I saw", False)]),
        (FIRST, [(FIRST, True)]),
        (f"{FIRST} sees {SECOND}", [(FIRST, True), (" sees ", False), (SECOND, True)]),
        (f"“{FIRST}”, {ARABIC} 0.3", [("“", False), (FIRST, True), ("”, ", False),
         (ARABIC, True), (" 0.3", False)]),
        (f"a ({FIRST}12), b", [("a (", False), (f"{FIRST}12", True), ("), b", False)]),
        (f"12{FIRST}: b", [(f"12{FIRST}", True), (": b", False)]),
        (f"{FIRST} {SECOND}", [(f"{FIRST} {SECOND}", True)]),  # a name of two words
        ("é → √2", [("é → √2", False)]),
        ("", []),
    ],
)  # fmt: skip
def test_a_line_runs_to_the_right_and_a_word_in_it_as_it_is_read(words, parts):
    assert told(words) == (parts or [("", False)])


def test_letters_are_shaped_in_the_direction_of_their_part():
    first, after = pieces(f"{FIRST} é", 13, False)
    assert (first._run, after._run) == ((FIRST, {"direction": "rtl"}), (" é", {"direction": "ltr"}))


def test_in_a_word_that_runs_to_the_left_a_later_font_stands_to_the_left(installed, monkeypatch):
    installed()
    other = str(FONTS / "DejaVuSans-Bold.ttf")
    monkeypatch.setattr(
        scripts, "_path", lambda letter, bold: other if letter == FIRST[-1] else None
    )
    last, others = pieces(FIRST, 13, False)
    assert (last.words, others.words) == (FIRST[-1], FIRST[:-1])
    assert last.font.getname()[1] == "Bold"


def test_letters_that_are_high_are_not_cut():
    paper = Paper(100, 100, foot="")
    for words in ("e\u0301", "e" + 5 * "\u0301"):
        paper.write(50, 50, words, at="ms")
    low, high = (word.box for word in paper.words)
    assert high[1] < low[1] - 5
    assert high[3] == low[3]


def test_ink_stands_where_its_part_of_the_line_does():
    alone = ink(FIRST)
    lines = [ink(f"{one} 0.30 {two}") for one, two in ((FIRST, "x"), ("x", FIRST))]
    first, last = (np.abs(line[: len(alone)] - alone).mean() for line in lines)
    assert first < 5 < 20 < last


def ink(words):
    """Return how much ink each column of a line has."""
    paper = Paper(400, 40, foot="")
    paper.write(0, 20, words)
    left, top, right, bottom = paper.words[0].box
    assert abs(left) < 3
    return 255 - np.asarray(drawn(paper), float)[top:bottom, left:right].mean(axis=0)


def drawn(paper):
    return Image.open(io.BytesIO(paper.png())).convert("L")


def test_without_the_library_that_shapes_letters_words_are_turned_round(monkeypatch):
    monkeypatch.setattr(scripts.features, "check", lambda name: False)
    plain = scripts.Piece(FIRST, scripts.usual(13, False), 1, True)
    assert plain._run == (FIRST[::-1], {})


@pytest.mark.parametrize(("bold", "style"), [(False, "Regular"), (True, "Bold")])
def test_an_installed_font_that_has_the_letter_is_found(installed, bold, style):
    names = ("Italic", "Bol", "", "BolIta")
    installed("cmr10.ttf", *(f"STIXGeneral{name}.ttf" for name in names))
    (before, found, after) = pieces(f"a{FROWN}b", 13, bold)
    assert found.font.getname() == ("STIXGeneral", style)
    assert before.font is after.font is scripts.usual(13, bold)
    lengths = [piece.length for piece in (before, found, after)]
    assert room(f"a{FROWN}b", bold=bold) == pytest.approx(sum(lengths))


def test_what_no_font_has_is_said_once_in_a_sentence(installed):
    installed("cmr10.ttf")
    with warnings.catch_warnings(record=True, action="always") as said:
        for words in ("日", "本", "日本語", "の", "🚀", "a"):
            pieces(words, 13, False)
            pieces(words, 13, True)
    assert [str(each.message).split(", since")[0] for each in said] == [
        f"Plots and still pictures show boxes for {script}"
        for script in (
            "Chinese letters such as “日”",
            "Japanese letters such as “の”",
            "emoji or signs such as “🚀”",
        )
    ]


def test_what_belongs_to_a_letter_stays_with_it_and_is_no_letter_that_lacks(installed):
    installed()
    joined = "e\u0301 a\ufe0f"
    assert [piece.words for piece in pieces(joined, 13, False)] == [joined]


def test_a_font_of_one_size_is_scaled(installed, monkeypatch):
    installed()
    own = ImageFont.truetype

    def of_one_size(path, size):
        if size != 109:
            raise OSError("invalid pixel size")
        return own(FONTS / "DejaVuSans.ttf", size)

    monkeypatch.setattr(scripts, "_path", lambda letter, bold: "emoji.ttf")
    monkeypatch.setattr(scripts.ImageFont, "truetype", of_one_size)
    (piece,) = pieces("é", 13, False)
    assert piece.length == pytest.approx(scripts.usual(13, False).getlength("é"), rel=0.1)
    mask = Image.new("L", (30, 30))
    piece.ink(mask, 5, 20)
    left, top, right, bottom = mask.getbbox()
    assert 4 <= left < right <= 15
    assert 8 <= top < bottom <= 21


def test_a_figures_text_has_the_letters_of_every_word_in_it(installed, monkeypatch, tmp_path):
    new = shutil.copy(FONTS / "STIXGeneral.ttf", tmp_path)  # since Matplotlib has looked
    monkeypatch.setattr(fontManager, "ttflist", list(fontManager.ttflist))
    installed(new)
    figure = Figure()
    ax = figure.subplots()
    ax.text(0, 0, HOOKED)
    lettered(figure)
    assert ax.texts[0].get_fontfamily()[-1] == ax.title.get_fontfamily()[-1] == "STIXGeneral"
    assert new in [str(font.fname) for font in fontManager.ttflist]
    figure.draw_without_rendering()  # and Matplotlib has nothing to say


@pytest.mark.parametrize(
    "draw",
    [
        lambda names: plotting.arcs(np.eye(2), names),
        lambda names: plotting.bars([1, 2], names),
        lambda names: plotting.vectors(np.eye(2), names),
        lambda names: plotting.head_grid([np.eye(2)], names)[0],
        lambda names: plotting.curves([1, 2], np.eye(2), names),
        lambda names: plotting.histograms(np.eye(2), names),
    ],
)
def test_each_plot_has_the_letters_of_its_names(installed, draw):
    installed("STIXGeneral.ttf")
    figure = draw([HOOKED, f"{FIRST} 1"]).figure
    shown = [text for text in figure.findobj(Text) if text.get_text()]
    assert {text.get_fontfamily()[-1] for text in shown} == {"STIXGeneral"}
    assert directed(f"{FIRST} 1") in [text.get_text() for text in shown]
    plt.close(figure)


def test_a_figure_whose_letters_lack_says_so_instead_of_matplotlib(installed):
    installed()
    figure = Figure()
    ax = figure.subplots()
    ax.text(0, 0, f"{HOOKED}\u1d84")
    with warnings.catch_warnings(record=True, action="always") as said:
        lettered(figure)
        lettered(figure)
        figure.draw_without_rendering()
    assert len(said) == 1
    assert f"Latin letters such as “{HOOKED}”" in str(said[0].message)


def test_words_of_a_plot_stand_in_their_order():
    assert directed(FIRST) == FIRST
    assert directed("I saw 3") == "I saw 3"
    mark = scripts.MARK
    found = directed(f"{FIRST} 0.30, {SECOND}")
    assert found == f"{mark}{FIRST}{mark} 0.30, {SECOND}{mark}"
    assert extent(found) == pytest.approx(extent(f"{FIRST} 0.30, {SECOND}"), abs=1)  # unseen


def extent(words):
    return Figure().subplots().text(0, 0, words).get_window_extent().width


def test_what_a_font_lacks_it_shows_as_a_box():
    assert not scripts._has(NO_LETTER, False)
    assert scripts._has("√", False)
    assert not scripts._has(HOOKED, False)
