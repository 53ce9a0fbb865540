"""Slide marks: readers of a notebook never see them, and a wrong one is named with its line."""

import pytest
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from course import BuildError
from course.files import ROOT
from course.lesson.lecture import planned
from course.lesson.marks import KINDS, MarkError, blocks, without_marks, wrong_marks
from tests.lessons import SERIES, lesson_at

SOURCE = """\
% slide 2
# 01 · One

% show
*Which?* Not said.
% then
Said later.
% note
Left out.

% slide 1.5 A title of its own
% show text
```{code-cell}
print(1)
```

## Two

- one
% show
- two

% then code 2-3 text
```{code-cell}
a = 1
b = 2
print(b)
```
"""


def read(folder, text):
    path = folder / "src" / "01_one.md"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return lesson_at(path)


def shown(slide):
    """Return what stands on a slide, each part with whether it comes with a later key."""
    return [
        (part.text or part.choices or part.chain or part.shows, part.later) for part in slide.shown
    ]


def said(slide):
    """Return what a slide's speaker says, or which cell prints it."""
    return [part.told() or part.cell for part in slide.notes]


def test_readers_get_whole_paragraphs_and_no_mark_and_each_line_knows_where_it_comes_from():
    clean, origins = without_marks(SOURCE)
    assert "*Which?* Not said. Said later. Left out.\n" in clean
    assert "- one\n- two\n" in clean
    assert "%" not in clean
    marked = SOURCE.splitlines()
    for line, origin in zip(clean.splitlines(), origins, strict=True):
        assert line.startswith(marked[origin - 1].rstrip())
    assert origins[clean.splitlines().index("print(1)")] == marked.index("print(1)") + 1


RESTING = """\
First half.
% rests on 01: 0.5
Second half.

| a | b |
|---|---|
% rests on 02: 0.25
| 1 | 2 |
"""


def test_what_a_claim_rests_on_is_seen_by_nobody_and_divides_nothing():
    read_as = "First half. Second half.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"
    assert without_marks(RESTING)[0] == read_as
    assert list(wrong_marks(RESTING)) == []
    found = blocks(RESTING, 1)
    assert [block.text.splitlines()[-1] for block in found] == ["Second half.", "| 1 | 2 |"]
    assert not any(block.marks for block in blocks(RESTING, 1))


def test_a_marked_source_makes_the_cells_of_the_same_source_without(tmp_path):
    marked = read(tmp_path, SOURCE)
    plain = read(tmp_path, without_marks(SOURCE)[0])
    for one, other in zip(marked.notebook.cells, plain.notebook.cells, strict=True):
        assert (one.source, one.id) == (other.source, other.id)
    assert marked.lines == (2, 14, 17, 25)


def test_slides_are_read_as_marked(tmp_path):
    one, two = read(tmp_path, SOURCE).slides
    assert (one.title, one.minutes, one.line) == ("01 · One", 2, 1)
    assert shown(one) == [("*Which?* Not said.", False), ("Said later.", True)]
    assert [part.line for part in one.shown] == [5, 7]
    assert said(one) == ["Left out."]
    assert (two.title, two.minutes, two.section) == ("A title of its own", 1.5, "")
    printed, item, code = two.shown
    assert (printed.cell, printed.shows, printed.later) == (1, ("text",), False)
    assert (item.text, item.line) == ("- two", 21)
    assert (code.cell, code.shows, code.lines, code.later) == (3, ("code", "text"), (2, 3), True)
    assert said(two) == ["**Two**", "- one"]


def test_what_stands_outside_the_core_is_marked_or_optional(tmp_path):
    text = "% slide 45\n# A\n\n% slide 3 B\n% extra\n% show\ntext\n\n"
    text += "% slide 3\n## Optional: c\n\n% slide 1.5 D\ntext\n\n% slide 2\n## A harder task: `e`\n"
    slides = read(tmp_path, text).slides
    assert [slide.is_extra for slide in slides] == [False, True, True, True, True]
    assert planned(slides) == ((1, 45), (5, 54.5))
    assert shown(slides[1]) == [("text", False)]


def test_a_map_opens_a_part_with_the_whole_and_takes_the_next_heading_as_title(tmp_path):
    text = "% slide 1\n# A\n\n% slide 1\n% map 03\n% say Here.\n## B\n\n% show\nTwo.\n"
    notebooks, images = tmp_path / "notebooks", tmp_path / "images"
    notebooks.mkdir()
    images.mkdir()
    told = PngInfo()
    told.add_itxt("Description", "The whole.")
    Image.new("L", (9, 9)).save(images / "03_whole.png", pnginfo=told)
    lesson = read(notebooks, text)
    assert images / "03_whole.png" in lesson.deck_inputs
    _, two = lesson.slides
    assert two.title == "B"
    assert shown(two) == [("![The whole.](../images/03_whole.png)", False), ("Two.", False)]
    assert two.shown[0].line == 5
    assert said(two) == ["Here."]


def test_a_chain_of_shapes_stands_next_to_what_it_is_marked_above(tmp_path):
    text = "% slide 3\n# A\n\n% show\n% shapes a @ b = c\n$$c = ab$$\n\n"
    text += "% show code\n% then text\n% shapes b + b = d\n```{code-cell}\nd\n```\n\n"
    text += "% shapes d @ d = e\nSaid.\n"
    (slide,) = read(tmp_path, text).slides
    chains = [(part.chain, part.later) for part in slide.shown if part.chain]
    assert chains == [("a @ b = c", False), ("b + b = d", True), ("d @ d = e", False)]
    assert [part.line for part in slide.shown] == [6, 5, 8, 9, 10, 15]
    assert said(slide) == ["Said."]


def test_what_is_said_above_a_slide_belongs_to_the_one_that_ends(tmp_path):
    text = "% slide 1\n% say First.\n# A\n\n% show\nOne.\n\n"
    text += "% say Before.\n% slide 2 B\n% extra\n% say After $x$.\n% show\nTwo.\n"
    one, two = read(tmp_path, text).slides
    assert said(one) == ["First.", "Before."]
    assert said(two) == ["After $x$."]
    assert (one.title, two.is_extra, shown(two)) == ("A", True, [("Two.", False)])
    assert without_marks(text)[0] == "# A\n\nOne.\n\nTwo.\n"


def test_an_exercise_has_the_lessons_minutes_or_is_for_at_home(tmp_path):
    text = "% slide 1\n# A\n\n% slide {}\n### Your turn: `b`\n\n*Easy, about 4 minutes.*\n"
    tried, at_home = (read(tmp_path, text.format(minutes)).slides[1] for minutes in (6, 2))
    assert (tried.tries, at_home.minutes) == (4, 2)
    assert (tried.exercise, tried.is_tried) == (4, True)
    assert (at_home.exercise, at_home.is_tried) == (4, False)
    further_down = "% slide 1\n# A\n\n% slide 3 B\ntext\n\n*Easy, about 4 minutes.*\n"
    assert read(tmp_path, further_down).slides[1].exercise == 0


def test_a_section_without_a_slide_is_left_out_of_the_lecture(tmp_path):
    optional = "## Optional: two\n\nNot said.\n\n### Its own\n\nNot said."
    marked = f"% slide 1\n# 01 · One\n\nSaid.\n\n{optional}\n\n## Three\n\nSaid again.\n"
    (slide,) = read(tmp_path, marked).slides
    assert said(slide) == ["Said."]
    (slide,) = read(tmp_path, f"{marked}\n% show\nShown.\n").slides
    assert said(slide) == ["Said.", "**Three**", "Said again."]
    _, two = read(tmp_path, marked.replace("## Optional", "% slide 1\n## Optional")).slides
    assert (two.title, len(two.notes)) == ("Optional: two", 1)
    one, _ = read(tmp_path, marked.replace("### Its own", "% slide 1 Two\n### Its own")).slides
    assert said(one) == ["Said."]


def test_a_block_in_a_fence_is_one_and_knows_no_marks():
    text = "```\none\n\n% show\n```\n\n$$\na\n\nb\n$$"
    assert [block.text for block in blocks(text, 1)] == [text[:19], text[21:]]


@pytest.mark.parametrize(
    ("text", "line", "told"),
    [
        ("% slide 1\n# A\n\n% sohw\ntext", 4, "'% sohw' is no mark"),
        ("% slide 1\n# A\n\n% show\n\ntext", 4, "directly above what it marks"),
        ("% slide\n# A", 1, "says its minutes, and a title"),
        ("% slide soon\n# A", 1, "and here 'soon' stands"),
        ("% slide 0\n# A", 1, "and here '0' stands"),
        ("% slide 1\ntext", 1, "needs a title, or a heading"),
        ("text\n\n% slide 1\n# A", 1, "before the first slide mark"),
        ("% slide 1\n# A\n\n% show", 4, "nothing follows"),
        ("% slide 1\n# A\n\n% show picture\ntext", 4, "says nothing more"),
        ("% slide 1\n# A\n\n% show\n## B", 4, "no mark"),
        ("% slide 1\n# A\n\n% show\n% unsaid\n```{code-cell}\n1\n```", 5, "a cell is shown or not"),
        ("% slide 1\n# A\n\n% unsaid here\ntext", 4, "says nothing more"),
        ("% slide 1\n# A\n\n% show\n% then\ntext", 5, "is the most"),
        ("% slide 1\n# A\n\n% say\ntext", 4, "says a sentence, like `% say Most"),
        ("% slide 1\n# A\n\n% extra\ntext", 4, "directly below `% slide`"),
        ("% slide 1\n# A\n\n% map 03\ntext", 4, "stands below `% slide`"),
        ("% slide 1\n% map Softmax\n# A\n\ntext", 2, "says the lesson whose part is lit"),
        ("% slide 1\n# A\n\n% shapes\ntext", 4, "says arrays that meet"),
        ("% slide 1\n% extra\n# A\n\ntext", 2, "the first slide opens the core"),
        ("% slide 1\n# A\n\n% slide 1 B\n% extra soon\ntext", 5, "says nothing more"),
        ("% slide 1\n# A\n\n% slide 1 B\n% show\n% extra\ntext", 6, "directly below `% slide`"),
        ("% slide 40\n# A\n\n% slide 6 B\ntext", 4, "at most 45 minutes, and this one 46"),
        ("% slide 5\n# A\n\n% slide 5 Your turn: b\n*Easy, about 5 minutes.*", 4, "takes 6"),
        ("% slide 1\n# A\n\n% show sound\n```{code-cell}\n1\n```", 4, "and here 'sound' stands"),
        ("% slide 1\n# A\n\n% show code 3-2\n```{code-cell}\n1\n```", 4, "3-2 of a cell that"),
        ("% slide 9\n# A\n\n% show code 1-30\n```{code-cell}\n1\n2\n```", 4, "1-30 of a cell that"),
        ("% slide 1\n# A\n\n% note\n```{code-cell}\n1\n```", 4, "no cell is spoken"),
        ("% slide 2\n# A\n\n% show\n*Predict* it.", 4, "take the mark away"),
        ("% slide 2\n# A\n\n% show picture\n```{code-cell}\nplt.show()\n```", 4, "take the mark"),
    ],
)
def test_a_wrong_mark_is_named_with_cell_and_line(tmp_path, text, line, told):
    with pytest.raises(BuildError, match=rf"cell \d+ \(.+\), 01_one.md line {line}: ") as e:
        _ = read(tmp_path, text).slides
    assert told in str(e.value)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("# A\n% show\ntext", 2),
        ("```\ncode\n```\n% show\nNext.", 4),
        ("$$\nx\n$$\n% show\nNext.", 4),
        ("$$x$$ (1)\n% show\nNext.", 2),
        ("|1|2|\n|-|-|\n% show\nNext.", 3),
        ("text\n\n+++\n% show\nNext.", 4),
        ("(label)=\n% show\nNext.", 2),
        ("---\na: 1\n---\n% show\nNext.", 4),
        ("text\n\n  % show\nNext.", 3),
        ("> a\n> % show\n> b", 2),
        ("% note that half\nof it", 1),
        ("% then falls\nthe other half", 1),
        ("One half. % then\nThe other.", 1),
        ("% show code 3\ntext", 1),
        ("text\n\n$$\nx = 1\n\nand on", 3),
        ("text\n\n```\nand on", 3),
    ],
)
def test_a_mark_where_none_can_be_is_refused(text, line):
    assert [error.line for error in wrong_marks(text)] == [line]


UNMARKED = "One\ntwo 50 % of\n\n```\n% in code\n```\n\n$$\n% in a formula\n$$\n"


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        (UNMARKED, UNMARKED),
        ("- a\n% show\n  - b", "- a\n  - b"),
        ("- a\n% show\ngoes on", "- a goes on"),
        ("> a\n% then\n> b", "> a\n> b"),
        ("text\n% show\n(label)=", "text\n(label)="),
        ("text\n% show\n+++", "text\n+++"),
        ("text\n% show\n  # A", "text\n  # A"),
        ("$$x$$ (1)\n\n% show\nNext.", "$$x$$ (1)\n\nNext."),
        ("````\n```python\n````\n\n% show\nNext.", "````\n```python\n````\n\nNext."),
        ("- a\n  ```\n% no mark\n  ```", "- a\n  ```\n% no mark\n  ```"),
    ],
)
def test_marks_go_and_nothing_else_does(text, clean):
    assert list(wrong_marks(text)) == []
    assert without_marks(text)[0] == clean


def test_below_a_line_that_is_shown_the_paragraph_is_the_speakers(tmp_path):
    text = "% slide 3\n# A\n\n% show\nShown.\nSaid.\nSaid, too.\n\n% then\n- One.\nSaid of it.\n"
    text += "- Two.\n\n*Predict* it.\nA hint.\n\nNot shown.\nNor divided.\n"
    (slide,) = read(tmp_path, text).slides
    assert shown(slide) == [("Shown.", False), ("- One.", True), ("*Predict* it.", False)]
    below = ["Said.\nSaid, too.", "Said of it.\n- Two.", "A hint.", "Not shown.\nNor divided."]
    assert said(slide) == below
    assert without_marks(text)[0] == (
        "# A\n\nShown. Said.\nSaid, too.\n\n- One. Said of it.\n- Two.\n\n*Predict* it. A hint.\n\n"
        "Not shown.\nNor divided.\n"
    )


BY_ITSELF = """\
% slide 9
# A

![](a.png)

*Predict* it.

% say Most of them.
- one
% say Few of them.
- two

```{code-cell}
plotting.grid(x)
print(x)
```

![](b.png)

```{code-cell}
def f(x):
    \"\"\"Return it.\"\"\"
    ...
```

```{code-cell}
widgets.Scaling()
```
"""


def test_what_stands_on_a_slide_by_itself_and_when(tmp_path):
    (slide,) = read(tmp_path, BY_ITSELF).slides
    assert shown(slide) == [
        ("![](a.png)", False),
        ("*Predict* it.", False),
        (("one", "two"), False),
        (("picture",), True),
        ("![](b.png)", True),
        (("code",), False),
        (("widget",), False),
    ]
    most, few = "Who chooses 1, “one”: Most of them.", "Who chooses 2, “two”: Few of them."
    assert said(slide) == [most, few]


def test_a_mark_says_where_it_is_otherwise(tmp_path):
    marked = BY_ITSELF.replace("![](a", "% note\n![](a").replace("*Predict*", "% note\n*Predict*")
    marked = marked.replace("```{code-cell}\nplot", "% then\n```{code-cell}\nplot")
    marked = marked.replace("```{code-cell}\nwidgets", "% unsaid\n```{code-cell}\nwidgets")
    marked = marked.replace("% say Most of them.\n", "").replace("% say Few of them.\n", "")
    (slide,) = read(tmp_path, marked).slides
    assert shown(slide) == [(("picture",), True), ("![](b.png)", False), (("code",), False)]
    assert said(slide) == ["![](a.png)", "*Predict* it.", "- one\n- two"]


def test_in_a_section_without_a_slide_nothing_stands_by_itself(tmp_path):
    (slide,) = read(tmp_path, BY_ITSELF.replace("\n![](a", "\nSaid.\n\n## B\n\n![](a")).slides
    assert shown(slide) == []


def test_contributing_has_each_kind_of_mark():
    told = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    lines = (f"{kind!s:<36}{kind.place}: {kind.help}" for kind in KINDS.values())
    assert "\n".join(["```", *lines, "```"]) in told


def test_two_marks_show_code_and_then_what_it_prints(tmp_path):
    text = "% slide 1\n# A\n\n% show code\n% then text\n```{code-cell}\nprint(1)\n```\n"
    (slide,) = read(tmp_path, text).slides
    assert shown(slide) == [(("code",), False), (("text",), True)]


def test_a_mark_error_has_its_line():
    with pytest.raises(MarkError) as error:
        list(blocks("one\n\n% shown\ntwo", 11))
    assert error.value.line == 13


def test_what_is_wrong_with_a_whole_source_names_the_line_of_the_marked_one(tmp_path):
    assert read(tmp_path, "# A\n\ntext").slides == []
    with pytest.raises(BuildError, match=r"01_one, 01_one\.md line 1: nothing follows this mark"):
        _ = read(tmp_path, "% slide 1\n").slides
    with pytest.raises(BuildError, match="line 5: tags takes"):
        read(tmp_path, "% slide 1\n# A\n\n% show\n```{code-cell}\n:tags: 3\n1\n```\n")


@pytest.mark.parametrize("lesson", SERIES.values(), ids=SERIES)
def test_no_mark_is_left_in_a_lesson(lesson):
    for cell in lesson.notebook.cells:
        assert not any(line.startswith("% ") for line in cell.source.splitlines())
