"""Editions: sources come apart and together again unchanged, and what is not in step is told."""

import json
import re
import shutil

import nbformat
import pytest

from course import BuildError
from course.edition import __main__ as command
from course.edition.__main__ import HEADS
from course.edition.notebook import notebook
from course.html.page import page
from course.lab.copy import working_copy
from course.lesson import catalogue
from course.lesson.catalogue import Entry
from course.lesson.editions import SENTENCES, WIDGET, Edition
from course.lesson.faults import faults, read_terms
from course.lesson.marks import unwrapped
from course.lesson.sentences import closed_up
from course.lesson.series import find_lessons
from course.lesson.source import alt_texts
from course.lesson.units import OPTIONS, translated, translated_line, units
from tests.lessons import DECKS, NAMES, SERIES, sampled

ROOM = next(iter(SERIES.values())).folder / "zh"
SOURCE = """\
---
station: ["one thing", "x"]
found: ["One", "All of one thing."]
---

% slide 2
# 01 · Do one thing

% show
*Which one?*

**After this lesson you can** do it. **Time:** {{ minutes }}.

% slide 2
% say Ask who knows it.
## The first part

There are 3 words.
% show
The second is `saw`, and *that* matters.

- an item

| a row | `x` |
|---|---|
| another | 2 |

*Predict:* how many?

```{code-cell}
:alt: "A line: it falls."
1 + 1
```

It is two.

It stays two.

% fold The lesson's own version
```{code-cell}
2
```

% unsaid
```{code-cell}
---
widget:
  goal:
    words: "Drag it: to 2."
    x: [2, 2]
  moments:
  - it stands: {}
---
widgets.Thing(lesson="01")
```
"""
WORDS = {
    "one thing": "一件事",
    "One": "一",
    "All of one thing.": "一件事的全部。",
    "01 · Do one thing": "01 · 做一件事",
    "*Which one?*": "*哪一件？*",
    "**After this lesson you can** do it. **Time:** {{ minutes }}.": (
        "**学完这一课，你能**做它。**时间：** {{ minutes }}。"
    ),
    "Ask who knows it.": "问大家：谁知道？",
    "The first part": "第一部分",
    "There are 3 words.": "有 3 个词。",
    "The second is `saw`, and *that* matters.": "第二个是 `saw`，*这一点*要紧。",
    "an item": "一项",
    "| a row | `x` |": "| 一行 | `x` |",
    "| another | 2 |": "| 又一行 | 2 |",
    "*Predict:* how many?": "*预测*：有几个？",
    "A line: it falls.": "一条线：它往下走。",
    "It is two.": "是二。",
    "It stays two.": "还是二。",
    "The lesson's own version": "本课的写法",
    "Drag it: to 2.": "拖到 2。",
    "it stands": "它站着",
}
LED = {"_goal": {"words": "Drag it: to 2.", "asked": []}}
LED |= {"_moments": [{"slug": "it-stands", "title": "it stands", "state": {}}]}


@pytest.fixture
def folder(tmp_path):
    """Return a folder of one lesson, whose catalogue has all of it in Chinese."""
    folder = tmp_path / "notebooks"
    (folder / "src").mkdir(parents=True)
    (folder / "zh" / "src").mkdir(parents=True)
    for name in (f"{SENTENCES}.po", "terms.tsv"):
        shutil.copy(ROOM / "src" / name, folder / "zh" / "src")
    put(folder, SOURCE)
    entries = {unit.text: Entry(unit.kind, WORDS[unit.text]) for unit in units(SOURCE)}
    keep(folder, entries)
    return folder


def put(folder, source):
    """Write the lesson, with outputs as if it had been executed."""
    (folder / "src" / "01_one.md").write_text(source, "utf-8")
    lesson = find_lessons(folder)["01_one"]
    notebook = nbformat.from_dict(lesson.notebook)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            shown = nbformat.v4.new_output("stream", name="stdout", text=f"of {cell.source}\n")
            drawn = nbformat.v4.new_output("display_data", {"image/png": ""})
            drawn.data[WIDGET] = {"class": "Thing", "traits": LED}
            drawn.metadata = {"image/png": {"alt": "A line: it falls.", "drawing": "as it is"}}
            cell |= {"outputs": [shown, nbformat.from_dict(drawn)], "execution_count": 1}
    nbformat.write(notebook, lesson.notebook_path)


def keep(folder, entries):
    (folder / "zh" / "src" / "01_one.po").write_bytes(catalogue.written(entries, "zh_Hans"))


def lesson_in(folder):
    return Edition("zh", find_lessons(folder)).lessons["01_one"]


def run(folder, capsys):
    """Bring the edition up to date; return the exit code, the lesson's counts, and the errors."""
    code = command.main(["zh", "01", "--folder", str(folder)])
    told = capsys.readouterr()
    row = re.search(r"^01_one +(.*)$", told.out, re.M)[1].split()
    heads = told.out.splitlines()[0].split()
    return code, dict(zip(heads, map(int, row), strict=True)), told.err


# Taking apart


@pytest.mark.parametrize("name", SERIES)
def test_a_source_comes_apart_and_together_again_unchanged(name):
    lesson = SERIES[name]
    assert "\n".join(translated(lesson.text, lambda unit: unit.text)) == lesson.text.rstrip("\n")
    told = list(lesson.led.values())
    alts = [alt for cell in lesson.notebook.cells for alt in alt_texts(cell)]
    goals = [one["goal"]["words"] for one in told if one["goal"]]
    moments = [title for one in told for moment in one["moments"] for title in moment]
    found = {kind: [u.text for u in units(lesson.text) if u.kind == kind] for kind in OPTIONS}
    assert (found["alt"], found["goal"], found["moment"]) == (alts, goals, moments)
    assert set(found["found"]) <= set(lesson.found)


@pytest.mark.parametrize("name", SERIES)
def test_each_unit_can_be_said_otherwise_on_its_line_and_all_else_stays(name):
    lesson = SERIES[name]
    other = translated(lesson.text, lambda unit: f"“{unit.text}”")
    ours = {unit.text: unit.line for unit in units(lesson.text)}
    theirs = {unit.text: unit.line for unit in units("\n".join(other))}
    assert theirs == {f"“{text}”": line for text, line in ours.items()}


# Putting together


def test_an_edition_has_the_cells_ids_and_folds_of_the_english_and_words_of_its_own(folder, capsys):
    assert run(folder, capsys)[:2] == (0, dict(zip(HEADS, (20, 79, 20, 0, 0, 0), strict=True)))
    made = nbformat.read(folder / "zh" / "01_one.ipynb", as_version=4)
    english = find_lessons(folder)["01_one"].notebook
    assert [cell.id for cell in made.cells] == [cell.id for cell in english.cells]
    first, code, below, hidden, _ = made.cells
    assert first.source.startswith("# 01 · 做一件事\n\n*哪一件？*\n\n**学完这一课，你能**做它。")
    assert "**时间：** 约 5 分钟。" in first.source
    assert "有 3 个词。第二个是 `saw`，*这一点*要紧。" in first.source  # joined without a space
    assert first.source.endswith("[英文笔记本](../01_one.ipynb)里看，那里的代码和这里一样。")
    assert (code.source, code.outputs, code.metadata.alt) == ("1 + 1", [], "一条线：它往下走。")
    assert below.metadata.attnlib == {"folds": [[0, 1, "答案"]]}
    assert hidden.metadata.attnlib == {"fold": "本课的写法", "opens": "点击展开"}


def test_a_working_copy_does_not_send_one_elsewhere_for_what_it_shows(folder, capsys):
    run(folder, capsys)
    copy = json.loads(working_copy((folder / "zh" / "01_one.ipynb").read_bytes()))
    first, _, below, hidden, _ = copy["cells"]
    assert first["source"][-1] == "*预测*：有几个？"
    assert below["source"][0] == "<details><summary>答案</summary>\n"
    assert hidden["source"][0] == "# 本课的写法: 点击展开\n"


def test_a_page_has_the_outputs_of_the_english_notebook(folder):
    lesson = lesson_in(folder)
    html = page(lesson)
    assert 'lang="zh-Hans"' in html
    assert "of 1 + 1" in html
    assert "<title>01 · 做一件事</title>" in html
    assert 'aria-label="代码，第 1 个单元格"' in html
    assert '"Show {title}":"展开{title}"' in html
    assert 'data-title="答案"' in html
    assert "展开" not in page(lesson.english)


def test_outputs_are_those_of_the_english_notebook_but_for_what_the_source_says_of_them(folder):
    lesson = lesson_in(folder)
    ours, theirs = (one.executed().cells[1].outputs for one in (lesson, lesson.english))
    traits = ours[1].data[WIDGET].traits
    assert traits._goal == {"words": "拖到 2。", "asked": []}
    assert traits._moments == [{"slug": "it-stands", "title": "它站着", "state": {}}]
    assert ours[1].metadata["image/png"] == {"alt": "一条线：它往下走。", "drawing": "as it is"}
    ours[1].metadata["image/png"].alt = "A line: it falls."
    ours[1].data[WIDGET].traits = nbformat.from_dict(LED)
    assert ours == theirs


def test_what_people_read_of_a_lesson_is_in_their_language(folder):
    lesson = lesson_in(folder)
    facts = (lesson.title, lesson.label, lesson.question, lesson.objectives.partition("*")[0])
    assert facts == ("01 · 做一件事", "01", "哪一件？", "做它。")
    assert (lesson.station, lesson.found) == (("一件事", "x"), ("一", "一件事的全部。"))
    assert lesson.link() == "[01 · 做一件事](01_one.ipynb)"
    assert lesson.minutes == lesson.english.minutes


def test_a_lecture_has_the_slides_and_minutes_of_the_english_in_words_of_its_own(folder):
    lesson = lesson_in(folder)
    first, second = lesson.slides
    assert [first.minutes, second.minutes] == [2, 2]
    assert [lesson.shown(slide.title) for slide in (first, second)] == [
        "01 · 做一件事",
        "第一部分",
    ]
    assert [part.told(lesson.shown, lesson.say) for part in second.shown] == [
        "第二个是 `saw`，*这一点*要紧。",
        "*预测*：有几个？",
    ]
    assert second.asks  # as the English says
    notes = [part.told(lesson.shown, lesson.say) for part in second.notes]
    assert notes[:3] == ["问大家：谁知道？", "有 3 个词。", "- 一项"]


def test_a_paragraph_is_one_line_and_nothing_else_is_joined():
    text = "## A\n一。\n二。\n\n- 三。\n- 四。\n\n| 五。 |\n| 六。 |\n\n```\na\nb\n```"
    assert unwrapped(text, closed_up) == text.replace("一。\n二。", "一。二。")


@pytest.mark.parametrize("name", sampled(DECKS, 2))
def test_a_deck_has_nothing_that_a_catalogue_cannot_say_and_the_minutes_of_the_english(name):
    lesson = Edition("zh", SERIES).lessons[name]
    assert [one.minutes for one in lesson.slides] == [one.minutes for one in SERIES[name].slides]
    for slide in lesson.slides:
        parts = [part for part in (*slide.shown, *slide.notes) if not slide.is_around]
        choices = [choice for part in parts for choice in part.choices]
        for text in [slide.title, *choices, *(part.text for part in parts)]:
            unknown = []
            lines = re.sub(r"^\$\$.*?\$\$$", "", text, flags=re.S | re.M).split("\n")
            for line in lines:
                translated_line(line, lambda unit, unknown=unknown: unknown.append(unit) or "")
            assert slide.is_around or {u.text for u in unknown} <= lesson.entries.keys()


def test_what_it_closes_with_is_found_by_the_english_and_read_in_chinese(folder):
    closes = "## What you have now\n\n- one\n- two\n\n**Left out.** A title (2001). Two (1999).\n"
    words = {
        "What you have now": "你现在有了什么",
        "one": "其一",
        "two": "其二",
        "**Left out.** A title (2001). Two (1999).": "**没有讲到的。** 甲（2001）。乙（1999）。",
    }
    put(folder, f"{SOURCE}\n{closes}")
    entries = lesson_in(folder).entries
    keep(folder, entries | {text: entries[text]._replace(words=words[text]) for text in words})
    lesson = lesson_in(folder)
    assert lesson.remembered == "- 其一\n- 其二"
    assert lesson.to_read == ["甲（2001）。", "乙（1999）。"]
    assert lesson.slides[-1].shown[0].text == "- 甲（2001）。\n- 乙（1999）。"


@pytest.mark.parametrize(
    ("first", "second", "joined"),
    [
        ("一句。", "又一句。", "一句。又一句。"),
        ("**一句。** ", "*saw* 看。", "**一句。** *saw* 看。"),  # *** would close nothing
        ("一个 `saw`", "两个", "一个 `saw` 两个"),
        ("One.", "Two.", "One. Two."),
    ],
)
def test_chinese_lines_are_joined_without_a_space(first, second, joined):
    assert closed_up(first, second) == joined


# Out of step


def changed(folder, old, new):
    assert SOURCE.count(old) == 1
    put(folder, SOURCE.replace(old, new))


def text_of(folder):
    made = nbformat.read(folder / "zh" / "01_one.ipynb", as_version=4)
    return "\n".join(cell.source for cell in made.cells)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("It stays two.", "It stays two, though."),
        ("There are 3 words.", "There are 4 words."),
        ("## The first part", "## The first part of it"),
        ("| another | 2 |", "| another | 3 |"),
    ],
)
def test_a_sentence_or_number_that_changed_is_stale_and_stands_in_english(folder, capsys, old, new):
    changed(folder, old, new)
    code, counts, _ = run(folder, capsys)
    assert (code, counts["translated"], counts["stale"], counts["missing"]) == (0, 19, 1, 0)
    kept = (folder / "zh" / "src" / "01_one.po").read_text("utf-8")
    old, new = (text.removeprefix("## ") for text in (old, new))
    assert f'#, fuzzy\n#| msgid "{old}"\nmsgid "{new}"\nmsgstr "{WORDS[old]}"' in kept
    words = re.findall(r'<span lang="en">(.*?)</span>', text_of(folder))
    assert words == ([new] if "|" not in new else ["another", "3"])
    run(folder, capsys)
    assert (folder / "zh" / "src" / "01_one.po").read_text("utf-8") == kept
    put(folder, SOURCE.replace("\n" + SOURCE.split(old)[0].split("\n")[-1] + old, ""))
    assert run(folder, capsys)[1]["stale"] == 0  # what is gone is dropped


def test_a_new_paragraph_is_missing_and_stands_in_english(folder, capsys):
    changed(folder, "- an item\n", "- an item\n\nSomething else altogether came to mind.\n")
    code, counts, _ = run(folder, capsys)
    assert (code, counts["translated"], counts["stale"], counts["missing"]) == (0, 20, 0, 1)
    assert '<span lang="en">Something else altogether came to mind.</span>' in text_of(folder)


def test_a_mark_that_moved_moves_in_the_edition_too(folder, capsys):
    fold = "% fold The lesson's own version\n"
    put(folder, SOURCE.replace(fold, "").replace("It stays two.", f"{fold}It stays two."))
    code, counts, _ = run(folder, capsys)
    assert (code, counts["translated"], counts["stale"], counts["missing"]) == (0, 20, 0, 0)
    made = nbformat.read(folder / "zh" / "01_one.ipynb", as_version=4)
    assert made.cells[2].metadata.attnlib == {"folds": [[0, 1, "答案"], [2, 1, "本课的写法"]]}
    assert made.cells[3].metadata == {}


def test_a_sentence_that_changes_twice_keeps_the_one_that_was_translated():
    first = catalogue.updated({"One two three.": Entry("text", "一")}, {"One two three!": "text"})
    second = catalogue.updated(first, {"One two, three!": "text"})
    assert second == {"One two, three!": Entry("text", "一", was="One two three.")}
    back = catalogue.updated(second, {"One two three.": "text"})
    assert back == {"One two three.": Entry("text", "一")}
    twice = catalogue.updated(first, {"One two, three!": "text", "One, two three!": "text"})
    assert [bool(entry.was) for entry in twice.values()] == [True, False]


def test_what_a_translator_is_not_sure_of_stands_in_english(folder, capsys):
    path = folder / "zh" / "src" / "01_one.po"
    text = path.read_text("utf-8")
    path.write_text(text.replace('msgid "It is two."', '#, fuzzy\nmsgid "It is two."'), "utf-8")
    code, counts, _ = run(folder, capsys)
    assert (code, counts["translated"], counts["stale"]) == (0, 19, 1)
    assert '<span lang="en">It is two.</span>' in text_of(folder)


def test_a_catalogue_is_read_as_it_was_written(folder):
    entries = {
        'A “b” "c" \\ d.': Entry("text", '“中” "文"', comments=("differs: numbers, terms", "why")),
        "long " * 60 + "end": Entry("say", "长", was="it was " * 60 + '"so"'),
        "new": Entry("alt"),
    }
    keep(folder, entries)
    path = folder / "zh" / "src" / "01_one.po"
    assert catalogue.read(path) == entries
    assert catalogue.read(path)['A “b” "c" \\ d.'].differs == {"numbers", "terms"}
    assert not re.search(r"20\d\d|^#:", path.read_text("utf-8"), re.M)  # no dates, no lines


# Faults


@pytest.mark.parametrize(
    ("english", "other", "fault"),
    [
        ("There are 3 words.", "有 4 个词。", "numbers: 3 stands 1 times in English, 0 times here"),
        ("It is `saw`.", "是 `see`。", "code: `saw` stands"),
        ("It is $x$.", "是 $y$。", "formulas: "),
        ("In [04](04_a.ipynb).", "在[04](05_b.ipynb)。", "links: "),
        ("**Time:** {{ minutes }}", "**时间：** 一小时", "places: {{ minutes }} stands"),
        ("about {core} minutes", "约 {kern} 分钟", "places: {core} stands"),
        ("*Predict:* how many?", "*预测：*有几个？", "emphasis: em, strong are (1, 0) in English"),
        ("The mask hides it.", "面具藏起它。", "terms: mask is 掩码"),
        ("It is two.", "- 是二。", "begins like another thing"),
        ("It is two.", "% say 是二。", "begins like another thing"),
    ],
)
def test_a_translation_keeps_what_it_must_or_says_what_differs(english, other, fault):
    terms = list(read_terms(ROOM / "src" / "terms.tsv"))
    found = list(faults(english, Entry("text", other), terms))
    assert found
    assert all(one.startswith((fault, fault.partition(" ")[0])) for one in found)
    assert any(one.startswith(fault) for one in found)
    if ":" in fault:
        meant = Entry("text", other, comments=(f"differs: {fault.partition(':')[0]}",))
        assert list(faults(english, meant, terms)) == []
    assert list(faults(english, Entry("text", other, was="It was."), terms)) == []  # it is stale


def test_what_is_no_fault():
    assert (
        list(faults("It is .5, of 1,000.", Entry("text", "是 0.5，共 1000 个。〔译者按：见 7。〕")))
        == []
    )


def test_a_fault_stops_its_own_lesson_alone_and_never_the_english(folder, capsys):
    entries = lesson_in(folder).entries
    wrong = {**entries, "There are 3 words.": Entry("text", "有 4 个词。")}
    keep(folder, wrong)
    code, counts, told = run(folder, capsys)
    assert (code, counts["faults"]) == (1, 2)
    assert "error: 01_one.po: numbers: 3 stands 1 times in English, 0 times here: There are" in told
    assert not (folder / "zh" / "01_one.ipynb").exists()
    with pytest.raises(BuildError, match=r"reading 01_one\.po"):
        page(lesson_in(folder))
    (folder / "zh" / "src" / "01_one.po").write_text("<<<<<<< ours", "utf-8")
    with pytest.raises(BuildError, match=r"reading 01_one\.po line 1: '<<<<<<< ours' is no part"):
        page(lesson_in(folder))
    assert "There are 3 words." in page(find_lessons(folder)["01_one"])


# The editions that there are


def test_each_catalogue_is_in_step_and_keeps_what_it_must():
    edition = Edition("zh", SERIES)
    made = edition.shared() | {name: one.entries for name, one in edition.lessons.items()}
    for path in edition.folder.glob("src/*.po"):
        entries = made.pop(path.stem)
        in_step = catalogue.written(entries, edition.language.locale)
        assert path.read_bytes() == in_step, f"{path.name}: python -m course edition zh mends it"
        assert edition.faults(entries) == []


@pytest.mark.parametrize("name", sampled(NAMES, 3))
def test_a_notebook_is_what_its_source_and_its_catalogue_make(name):
    lesson = Edition("zh", SERIES).lessons[name]
    if lesson.notebook_path.exists():
        made = lesson.notebook_path.read_bytes()
        assert made == notebook(lesson), "python -m course edition zh writes it anew"
