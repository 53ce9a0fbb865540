"""Pages and decks in Chinese: their letters, their emphasis, and what English ones are spared."""

import base64
import io
import re
import shutil

import pytest
from fontTools.ttLib import TTFont
from nbformat.v4 import new_markdown_cell, new_notebook

from course import BuildError
from course.edition import __main__ as command
from course.html.page import HERE
from course.lesson import catalogue
from course.lesson.catalogue import Entry
from course.lesson.editions import SENTENCES, Edition
from course.lesson.units import units
from course.render import to_html
from course.render.export import export
from course.render.fonts import FACES, HAN, VENDOR, font_faces
from course.slides.deck import deck
from tests.lessons import SERIES
from tests.test_slides import Deck, put

ROOM = next(iter(SERIES.values())).folder / "zh"
SOURCE = """\
% slide 2
# 01 · One

*Predict:* which *saw* is $x$?
- one
% say Of one.
- both

% then
It is a longer sentence of seven words.

% slide 1
% say Ask who knows it.
## The first part

% show
**Shown** here.

% slide 6
% say Go round.
### Your turn: `f`

```{code-cell}
def f(x):
    ...
```
"""
SOURCE = SOURCE.replace("- one", "% say They forget it.\n- one")
WORDS = {
    "01 · One": "01 · 其一",
    "*Predict:* which *saw* is $x$?": "*预测*：哪个 *saw* 是 $x$？",
    "They forget it.": "他们忘了。",
    "one": "一个",
    "Of one.": "只想到一个。",
    "both": "两个",
    "It is a longer sentence of seven words.": "这是一个长一些的句子，有很多字。",
    "Ask who knows it.": "问大家：谁知道？",
    "The first part": "第一部分",
    "**Shown** here.": "**显示**在这里。",
    "Go round.": "走下去看看。",
    "Your turn: `f`": "轮到你了：`f`",
}


def put_chinese(folder, changes=()):
    """Write a short lesson in both languages below a folder; return it in Chinese."""
    words = WORDS | dict(changes)
    english = put(folder, SOURCE, [[]])
    room = english.folder / "zh" / "src"
    room.mkdir(parents=True)
    shutil.copy(ROOM / "src" / f"{SENTENCES}.po", room)
    entries = {unit.text: Entry(unit.kind, words[unit.text]) for unit in units(SOURCE)}
    room.joinpath("01_one.po").write_bytes(catalogue.written(entries, "zh_Hans"))
    return Edition("zh", english.series).lessons["01_one"]


def letters_of(css):
    """Return the letters of each face, by its family and weight."""
    upright = r'family: "(.*?)"; font-style: normal; font-weight: (\d+); src: .*?base64,(.*?)\)'
    found = re.findall(upright, css)
    fonts = (TTFont(io.BytesIO(base64.b64decode(data))) for _, _, data in found)
    return {face[:2]: font for face, font in zip(found, fonts, strict=True)}


def test_a_page_in_english_does_not_grow_by_a_byte_for_chinese():
    page = "<p>One “saw”: 词</p>"
    english, chinese = font_faces(page), font_faces(page, "zh-Hans")
    assert english.count("@font-face") == len(FACES)
    assert chinese.startswith(english)
    assert chinese.count("@font-face") == len(FACES) + len(HAN)
    cell = new_notebook(cells=[new_markdown_cell("<p>An <em>a</em></p>")])
    assert "Course Han" not in export(cell, HERE, dark=".highlight")


def test_a_chinese_font_has_the_wide_letters_alone_and_those_of_scripts_too():
    page = "<script>查询</script><p>The “key”：键</p>"
    fonts = letters_of(font_faces(page, "zh-Hans"))
    for weight in ("400", "600"):
        assert set(map(chr, fonts["Course Han", weight].getBestCmap())) == set("查询“”：键")


def test_a_line_with_letters_of_both_fonts_is_no_higher():
    fonts = letters_of(font_faces("a 字", "zh-Hans"))
    for weight in ("400", "600"):
        han, sans = (fonts[family, weight] for family in ("Course Han", "Course Sans"))
        for side in ("ascent", "descent"):
            sizes = [getattr(font["hhea"], side) / font["head"].unitsPerEm for font in (han, sans)]
            assert sizes[0] == pytest.approx(sizes[1], abs=0.001)


def test_a_letter_that_no_font_has_is_refused_with_the_words_around_it():
    with pytest.raises(BuildError, match=r"no font has 㐀 \(U\+3400\), in “<p>一个字：㐀。</p>”"):
        font_faces("<p>一个字：㐀。</p>", "zh-Hans")
    assert font_faces("<p>㐀</p>").count("@font-face") == len(FACES)


def test_an_edition_names_the_sentence_with_a_letter_that_no_font_has(tmp_path, capsys):
    lesson = put_chinese(tmp_path, {"both": "两㐀", "one": "𒀀"})
    assert command.main(["zh", "--folder", str(lesson.folder)]) == 1
    told = capsys.readouterr().err.splitlines()
    assert told == [f"error: 01_one.po: letters: no font has {x}" for x in ("𒀀: one", "㐀: both")]


def test_a_formula_keeps_the_chinese_sign_that_ends_it(tmp_path):
    assert 'nowrap"><span class="math inline">' in to_html("是 $a$。它是", tmp_path)
    ends = re.findall(r"</math></span>([^<]*)</span>", to_html("$a$，$b$？", tmp_path))
    assert ends == ["，", "？"]


@pytest.mark.usefixtures("without_fonts")
def test_a_deck_in_chinese_has_the_english_structure_and_says_all_in_chinese(tmp_path):
    lesson = put_chinese(tmp_path)
    made, english = Deck(deck(lesson)), Deck(deck(lesson.english))
    assert re.search(r'<html [^>]*lang="zh-Hans"', made.text)
    assert "data-words" not in english.text.partition("<body>")[0]
    for pattern in (r"<section [^>]*>", r'<div class="part [^>]*>', r'data-(?:core|plan)="\w+"'):
        assert re.findall(pattern, made.text) == re.findall(pattern, english.text)
    first, second, third = (re.sub("<math.*?</math>", "", one) for one in made.shown())
    assert "<strong>9 分钟</strong>，3 页" in first
    assert '<em>预测</em>：哪个 <em lang="en">saw</em> 是' in first
    assert re.findall(r'<button type="button">(\w+)</button>', first) == ["一个", "两个"]
    assert "<h2>第一部分</h2>" in second
    assert "试一试：6 分钟" in third
    notes = made.notes()
    assert "他们忘了。" in notes[0]
    assert "<strong>▸ 下一步</strong>：“这是一个长一些的句子 …”" in notes[0]
    assert "<strong>1 分钟</strong>，从第" in notes[1]
    own = re.sub("<[^>]+>|data-words.*?</script>", "", "".join((*made.shown(), *notes)))
    assert re.findall(r"[a-z]{2,}", own.replace("saw", "")) == ["def"]


def test_every_sentence_that_a_deck_puts_together_is_said_in_chinese():
    edition = Edition("zh", SERIES)
    missing = [text for text, entry in edition.shared()[SENTENCES].items() if not entry.words]
    assert missing == []
    assert VENDOR.joinpath("LICENSE-noto-sans-sc").exists()
