import re
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pytest
from bs4 import BeautifulSoup
from PIL import Image

import attnlib
from attnlib import text
from attnlib.plotting import COLORS
from course.lesson.series import alt_text
from course.notebook.build import why_inexact
from images import draw, page, whole
from tests.lessons import NAMES, SERIES, quickly

ROOT = Path(__file__).resolve().parent.parent
IMAGES = ROOT / "images"
MARKDOWN_IMAGE = re.compile(r"!\[(?P<alt>[^\]]*)\]\((?P<source>[^)\s]+)[^)]*\)")
SHADOW = draw.alt_text("01_shadow")
OTHER = "images/01_shadow.png has another alt text than its own"
NO_ALT = "has no alt text"
NONE, LOST = f"images/01_shadow.png {NO_ALT}", "images/no.png does not exist"
every_drawing = pytest.mark.parametrize("name", quickly(draw.names(), takes=[0, 3]))


def references(markdown):
    """List the pictures that a Markdown text shows, as (source, alt text)."""
    markdown = re.sub(r"^```.*?^```", "", markdown, flags=re.MULTILINE | re.DOTALL)
    tags = BeautifulSoup(markdown, "html.parser").find_all("img")
    found = [(match["source"], match["alt"]) for match in MARKDOWN_IMAGE.finditer(markdown)]
    return found + [(tag.get("src", ""), tag.get("alt", "")) for tag in tags]


def faults(markdown, folder):
    """List what is wrong with the pictures of a text whose links start from `folder`."""
    found = []
    for source, alt in references(markdown):
        if "://" not in source and not (folder / source).is_file():
            found.append(f"{source} does not exist")
        elif "://" not in source and alt != alt_text(folder / source):
            found.append(f"{source} has another alt text than its own")
        if not alt.strip():
            found.append(f"{source} has no alt text")
    return found


def prose(name):
    """Return the text that readers of a lesson's notebook see."""
    return "\n\n".join(c.source for c in SERIES[name].executed().cells if c.cell_type == "markdown")


def test_every_picture_has_a_drawing_and_every_drawing_a_picture():
    assert sorted(path.stem for path in IMAGES.glob("*.png")) == draw.names()


@every_drawing
def test_picture_is_wide_and_opaque(name):
    with Image.open(IMAGES / f"{name}.png") as picture:
        assert 1200 <= picture.width <= 1800
        assert picture.mode in ("RGB", "P")
        # No transparent colour, no date, no program's version.
        assert picture.info.keys() == {"Description", "Letters"}
        assert picture.info["Description"] == draw.alt_text(name)
        assert float(picture.info["Letters"]) >= 25
        pixels = np.asarray(picture.convert("RGB"))
    edges = [pixels[:12], pixels[-12:], pixels[:, :12].swapaxes(0, 1), pixels[:, -12:]]
    assert all((edge == 255).all() for edge in edges), "something touches the white margin"


@every_drawing
def test_drawing_again_gives_the_committed_picture(name, tmp_path, agg):
    committed, again = IMAGES / f"{name}.png", draw.draw(name, tmp_path)
    with Image.open(committed) as old, Image.open(again) as new:
        assert new.size == old.size
    if why_inexact() is None:
        assert again.read_bytes() == committed.read_bytes(), f"run: python images/draw.py {name}"


def test_drawing_asks_no_one_for_their_settings(tmp_path, agg):
    plain = draw.draw("05_masks", tmp_path).read_bytes()
    plt.rcParams["font.weight"] = "bold"
    assert draw.draw("05_masks", tmp_path).read_bytes() == plain
    assert plt.rcParams["font.weight"] == "bold"
    assert plt.get_fignums() == []


@every_drawing
def test_alt_text_says_what_there_is_to_see_on_one_line(name):
    alt = draw.alt_text(name)
    assert len(alt) >= 40
    assert "\n" not in alt
    assert "  " not in alt
    assert not set(alt) & set('[]"`'), "these end an alt text in Markdown or HTML too early"


@pytest.mark.parametrize("name", ["README", *NAMES])
def test_pictures_of_readme_and_lessons_exist_and_have_their_alt_text(name):
    if name == "README":
        assert faults((ROOT / "README.md").read_text(encoding="utf-8"), ROOT) == []
    else:
        assert faults(prose(name), ROOT / "notebooks") == []


@pytest.mark.parametrize(
    ("markdown", "found"),
    [
        (f"![{SHADOW}](images/01_shadow.png)", []),
        (f'<img src="images/01_shadow.png" alt="{SHADOW}" width="160">', []),
        ("![An arrow](images/01_shadow.png)", [OTHER]),
        ("[![A badge](https://example.org/badge.svg)](https://example.org)", []),
        ("![An arrow](images/no.png)", [LOST]),
        ("![](images/01_shadow.png)", [OTHER, NONE]),
        ('<img src="images/01_shadow.png">', [OTHER, NONE]),
        ("| ![](images/no.png 'b') |", [LOST, f"images/no.png {NO_ALT}"]),
        ("```python\n![](images/no.png)\n```\n", []),
    ],
)
def test_faults_of_pictures_are_found(markdown, found):
    assert faults(markdown, ROOT) == found


def test_the_whole_lights_what_its_lesson_adds_and_each_part_once():
    lit = [re.search(r"adds: (.*?)\.", draw.alt_text(f"{n:02}_whole"))[1] for n in range(1, 9)]
    assert lit[1] == "÷ √d_key"
    assert lit[2] == "softmax; mix: weights @ value"
    assert sorted("; ".join(lit).split("; ")) == sorted(whole.PARTS)
    assert "still to come" not in draw.alt_text("08_whole") + draw.alt_text("99_whole")


def test_a_name_lights_its_parts_and_none_else_where_all_is_there(agg, monkeypatch):
    boxes = []
    part = whole.Stage.part

    def noted(stage, x, y, width, words, since, *rest, **options):
        boxes.append((words, stage.is_lit(words, since)))
        part(stage, x, y, width, words, since, *rest, **options)

    monkeypatch.setattr(whole.Stage, "part", noted)
    for name, lit in whole.LIT.items():
        boxes.clear()
        plt.close(whole.draw(name))
        assert {words for words, is_lit in boxes if is_lit} == lit
        alt = draw.alt_text(f"{name}_whole")
        assert "still to come" not in alt
        assert all(words.replace(page.ROOT_D_KEY, "√d_key") in alt for words in lit)


def test_a_lit_part_looks_as_no_other(agg):
    def looks(lesson):
        figure, ax = page.page(100)
        whole.Stage(ax, lesson).part(350, 50, 100, "mask", "05", COLORS["scores"])
        (patch,), (words,) = list(ax.patches), list(ax.texts)
        plt.close(figure)
        return patch.get_linewidth(), words.get_weight(), patch.get_facecolor()

    (before, *_, white), (lit, bold, full), (after, plain, calm) = map(looks, ("04", "05", "06"))
    assert lit > max(before, after)
    assert (bold, plain) == ("bold", "normal")
    assert sum(white) > sum(calm) > sum(full)


def test_vectors_are_written_as_people_write_them():
    assert page.vector([2, 0.5], 1) == "(2, 0.5)"
    assert page.vector([-1, -0.01, 10], 1) == "(−1, 0, 10)"
    assert page.vector([1.666, 20], 2) == "(1.67, 20)"


def test_alt_texts_give_the_numbers_that_the_pictures_show():
    words, x = text.toy_sentence()
    query, key, value = (x @ matrix for matrix in text.toy_projections())
    weights = attnlib.attention_weights(query, key)[words.index("saw")]
    output = attnlib.attention(query, key, value)[words.index("saw")]
    said = draw.alt_text("04_query_key_value")
    assert "{:.2f} to I, {:.2f} to each saw, {:.2f} to a".format(*weights[:3]) in said
    assert ", ".join(map(page.vector, value)) in said
    assert page.vector(output, 2) in said

    said = draw.alt_text("03_scores_to_weights")
    for temperature in (0.5, 1, 4):
        weights = attnlib.softmax([2.0, 1.0, 0.5, -0.5], temperature=temperature)
        assert ", ".join(f"{weight:.2f}" for weight in weights) in said


def test_the_translation_is_that_of_its_lesson():
    source = (ROOT / "notebooks/src/07_cross_attention.md").read_text(encoding="utf-8")
    made = re.findall(
        r"^(?:source|target|w_query|w_key)(?:_words)? = .*[\])](?=  #|$)", source, re.M
    )
    lesson = {"np": np}
    for line in made[:6]:  # further down it reads other things
        exec(line, lesson)
    target_words, source_words, weights = draw.drawing("07_self_and_cross")[0].translation()
    assert (target_words, source_words) == (lesson["target_words"], lesson["source_words"])
    query, key = lesson["target"] @ lesson["w_query"], lesson["source"] @ lesson["w_key"]
    np.testing.assert_array_equal(weights, attnlib.attention_weights(query, key))
    most = [source_words[j] for j in weights[1:].argmax(axis=1)]
    assert most == ["a", "saw", "red"]  # as its alt text has it
    assert weights[2].argmax() == 4


def test_the_clocks_have_turned_as_their_alt_text_says():
    turned = np.array([[0, 3, 10, 100, 1000]]).T / 10_000 ** (np.arange(8) / 8)  # in radians
    assert np.isclose(turned[1, 0], np.pi, rtol=0.05)  # half round
    assert (np.diff(turned[1]) < 0).all()
    left = (turned > 0.15).sum(axis=1)
    assert (np.diff(left) > 0).all()
