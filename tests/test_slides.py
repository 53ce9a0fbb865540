"""Decks: what is marked is shown, the rest is said, and what is wrong is named with its line."""

import base64
import functools
import io
import re
from statistics import median

import nbformat
import pytest
from fontTools.ttLib import TTFont
from nbformat.v4 import new_output
from PIL import Image

from course import browser, slides
from course.browser import Browser
from course.build import NOTEBOOKS
from course.html import WIDGET
from course.lecture import read_slides
from course.source import BuildError, read_lesson
from tests.test_html import PIXEL, Page, loaded, widget

DECKS = [path.stem for path in slides.with_slides(sorted((NOTEBOOKS / "src").glob("*.md")))]
every_deck = pytest.mark.parametrize("lesson", DECKS)
TRIAL = """\
% slide 2
# 01 · One

% show
Shown, with $x^2$.
% then
Later, of [the next](02_two.ipynb) and [a paper](https://example.org/paper).
% note
Said, with $y^2$.

% show
```{code-cell}
print("a < b")
```

% slide 3 Two
% show code 2-2
```{code-cell}
a = 1
print(a)
```

### Your turn: `f`
"""


class Deck(Page):
    """A deck as a browser takes it apart, and as text."""

    def __init__(self, text):
        self.text = text
        super().__init__(text)

    def slides(self):
        """Return the source of each slide."""
        return re.findall(r"<section .*?</section>", self.text, re.DOTALL)

    def notes(self):
        """Return the notes of each slide."""
        return [
            re.search(r'<aside class="notes">(.*?)</aside>', s, re.DOTALL)[1] for s in self.slides()
        ]

    def shown(self):
        """Return each slide without its notes."""
        return [re.sub(r"<aside.*", "", s, flags=re.DOTALL) for s in self.slides()]


@functools.cache
def deck_of(lesson):
    return Deck(slides.deck(NOTEBOOKS / "src" / f"{lesson}.md"))


@functools.cache
def read(lesson):
    return read_slides(read_lesson(NOTEBOOKS / "src" / f"{lesson}.md"))


def n_formulas(texts):
    """Count the formulas in pieces of Markdown, those in code left out."""
    whole = "\n\n".join(texts)
    words = re.sub(r"^```.*?^```|`[^`\n]+`", "", whole, flags=re.DOTALL | re.MULTILINE)
    return len(re.findall(r"\$\$.+?\$\$|(?<!\\)\$[^$]+?\$", words, re.DOTALL))


def stream(text):
    return new_output("stream", name="stdout", text=text)


def put(folder, source=TRIAL, outputs=None):
    """Write a source and its notebook as if it had been executed; return the source's path."""
    outputs = outputs or ([stream("a < b\n")], [stream("1\n")])
    (folder / "src").mkdir(exist_ok=True)
    path = folder / "src" / "01_one.md"
    path.write_text(source, encoding="utf-8")
    notebook = read_lesson(path).notebook
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    for cell, found in zip(code, outputs, strict=True):
        cell.outputs = list(found)
    nbformat.write(notebook, folder / "01_one.ipynb")
    return path


# The lessons


def test_nine_lessons_have_decks():
    assert len(DECKS) == 9
    assert [lesson[:2] for lesson in DECKS] == [f"{number:02}" for number in range(9)]


@every_deck
def test_a_deck_is_a_lecture(lesson):
    found = read(lesson)
    assert 15 <= len(found) <= 25
    assert 40 <= sum(slide.minutes for slide in found) <= 80 or lesson.startswith("00")
    assert all(slide.shown for slide in found)
    assert any(part.later for slide in found for part in slide.shown)


@every_deck
def test_every_exercise_is_a_slide_with_its_stub(lesson):
    source = (NOTEBOOKS / "src" / f"{lesson}.md").read_text(encoding="utf-8")
    exercises = re.findall(r"^### (Your turn: .*)$", source, re.MULTILINE)
    turns = [slide for slide in read(lesson) if slide.title.startswith("Your turn")]
    assert {slide.title for slide in turns} >= set(exercises)
    for slide in turns:
        assert any("code" in part.shows for part in slide.shown)


@every_deck
def test_nothing_is_loaded_from_elsewhere(lesson):
    found = [a for a in loaded(deck_of(lesson)) if not a.startswith(("data:image/", "data:font/"))]
    assert set(found) <= {"t"}  # a variable's name, in reveal.js
    assert not deck_of(lesson).all("iframe") + deck_of(lesson).all("link")


@every_deck
def test_every_formula_of_the_lesson_that_is_told_is_mathml(lesson):
    count = 0
    for slide in read(lesson):
        told = [part.text for part in (*slide.shown, *slide.notes)]
        count += n_formulas([*told, slide.title])
    deck = "".join(re.sub(r'<p class="section">.*?</p>', "", s) for s in deck_of(lesson).slides())
    assert deck.count("<math") == count
    assert not [said for said in deck_of(lesson).prose if re.search(r"\\[a-z]+\{", said)]


@every_deck
def test_the_lessons_first_widget_is_on_a_slide(lesson):
    notebook = nbformat.read(NOTEBOOKS / f"{lesson}.ipynb", as_version=4)
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    recorded = [output.data[WIDGET] for output in outputs if WIDGET in output.get("data", {})]
    assert deck_of(lesson).states()[:1] == recorded[:1]


@every_deck
def test_all_prose_is_shown_or_said(lesson):
    told = " ".join(" ".join(deck_of(lesson).prose).split())
    for cell in read_lesson(NOTEBOOKS / "src" / f"{lesson}.md").notebook.cells:
        if cell.cell_type == "markdown":
            for words in re.findall(r"^[A-Z][\w ,]{30,}", cell.source, re.MULTILINE):
                assert " ".join(words.split()) in told


def test_decks_are_light():
    sizes = [len(deck_of(lesson).text.encode()) for lesson in DECKS]
    assert max(sizes) <= 2_500_000
    assert median(sizes) <= 1_500_000


# One deck


def test_what_is_marked_is_shown_and_the_rest_is_said(tmp_path):
    deck = Deck(slides.deck(put(tmp_path)))
    one, two = deck.shown()
    assert "<h1>01 · One</h1>" in one
    assert re.search(r"Shown, with <[^>]*><math", one)
    assert re.search(r'class="part prose fragment" data-line="7".{0,100}Later', one, re.DOTALL)
    assert "a &lt; b" in one
    assert "Said" not in one
    assert '<span class="nb">print</span>' not in one  # the output alone was asked for
    assert "<h2>Two</h2>" in two
    assert '<span class="nb">print</span>' in two
    assert "1</span>" not in two  # line 1, and the output
    assert "Try it" not in two + one
    said, also = deck.notes()
    assert re.search(r"Said, with <[^>]*><math", said)
    assert "<strong>2 min</strong>, from minute 0" in said
    assert "<strong>3 min</strong>, from minute 2" in also
    assert "Shown" not in said


def test_a_link_to_a_lesson_is_its_text_and_others_stay(tmp_path):
    deck = Deck(slides.deck(put(tmp_path)))
    assert [a["href"] for a in deck.all("a")] == ["https://example.org/paper"]
    assert "of the next and" in deck.text
    wrapped = TRIAL.replace("Said, with", "Said of [the\nother](02_two.ipynb 'title'), with")
    assert "02_two" not in slides.deck(put(tmp_path, wrapped))


def test_an_exercise_says_how_long_to_try(tmp_path):
    source = TRIAL.replace("### Your turn", "% slide 6\n### Your turn")
    shown = Deck(slides.deck(put(tmp_path, source))).shown()
    assert "Try it: 6 minutes" in shown[2]


def test_what_cells_print_unshown_is_said(tmp_path):
    deck = Deck(slides.deck(put(tmp_path, TRIAL.replace("% show\n```", "```"))))
    assert "a &lt; b" in deck.notes()[0]
    assert "a &lt; b" not in deck.shown()[0]
    silent = new_output("error", ename="StopIteration", evalue="", traceback=[])
    result = new_output("execute_result", {"text/plain": "x" * 90}, execution_count=1)
    source = TRIAL.replace("% show\n```", "```").replace("% show code 2-2", "% show")
    deck = Deck(slides.deck(put(tmp_path, source, ([silent], [result]))))
    assert "StopIteration" in deck.notes()[0]
    assert "--columns: 90" in deck.shown()[1]


def test_a_widget_comes_with_its_state_and_the_bundle_once(tmp_path):
    shows = TRIAL.replace("% show code 2-2", "% show widget")
    source = put(tmp_path, shows, ([stream("1")], widget("a", "b").outputs))
    deck = Deck(slides.deck(source, bundle=tmp_path / "src" / "01_one.md"))
    assert [state["traits"]["names"] for state in deck.states()] == [["a", "b"]]
    assert deck.text.count(shows[-30:]) == 1  # of what stands for the bundle here
    assert 'alt="two words"' in deck.text
    assert "module" not in [s.get("type") for s in Deck(slides.deck(put(tmp_path))).all("script")]


def test_each_page_has_the_letters_it_needs(tmp_path):
    plain = slides.deck(put(tmp_path))
    accented = slides.deck(put(tmp_path, TRIAL.replace("Shown", "Ÿçß")))
    fonts = [re.findall(r"font/woff;base64,([^)]+)", page) for page in (plain, accented)]
    assert len(fonts[0]) == len(fonts[1]) == 5
    assert len(fonts[1][0]) > len(fonts[0][0])


def test_formulas_have_the_letters_and_signs_that_are_drawn(tmp_path):
    page = slides.deck(put(tmp_path, TRIAL.replace("$x^2$", r"$\sqrt{q_h} + \alpha^{\mathsf T}$")))
    face = re.search(r'"Deck Math"[^}]*base64,([^)]+)', page)[1]
    font = TTFont(io.BytesIO(base64.b64decode(face)))
    assert {"√", "\U0001d45e", "ℎ", "\U0001d6fc", "\U0001d5b3"} <= set(map(chr, font.getBestCmap()))
    assert "MATH" in font  # what tells a browser how to stretch and to place


def test_making_a_deck_again_changes_no_byte(tmp_path):
    assert slides.deck(put(tmp_path)) == slides.deck(put(tmp_path))


@pytest.mark.parametrize(
    ("old", "new", "line", "told"),
    [
        ("$x^2$", r"$\frac{x}$", 5, "does not parse"),
        ("$y^2$", r"$\nonsense$", 9, "does not parse"),
        ("Shown", "![A picture](../images/none.png)", 5, "none.png cannot be read"),
        ("% show\n```", "% show picture\n```", 11, "showing its picture: the cell has none"),
        ("code 2-2", "code 2-3", 17, "lines 2-3 of a cell that has 2"),
        ("% slide 3 Two", "% slide 3 $x", 16, ""),
    ],
)
def test_what_is_wrong_is_named_with_cell_and_line(tmp_path, old, new, line, told):
    source = put(tmp_path, TRIAL.replace(old, new, 1))
    if not told:
        assert "$x" in slides.deck(source)  # a lone dollar is a dollar
        return
    with pytest.raises(BuildError) as error:
        slides.deck(source)
    assert re.match(rf"01_one, cell \d+ \(.+?\), 01_one.md line {line}: ", str(error.value))
    assert told in str(error.value)


def test_a_cell_without_outputs_has_nothing_to_show(tmp_path):
    with pytest.raises(BuildError, match="line 11: showing its output: the cell has none"):
        slides.deck(put(tmp_path, outputs=([], [])))


def test_a_picture_without_alt_text_is_refused(tmp_path):
    silent = new_output("display_data", {"image/png": PIXEL})
    with pytest.raises(BuildError, match="a picture has no alt text"):
        slides.deck(put(tmp_path, outputs=([silent], [])))


def test_a_notebook_of_another_state_of_the_source_is_refused(tmp_path):
    source = put(tmp_path)
    source.write_text(TRIAL.replace("Said", "Told"), encoding="utf-8")
    with pytest.raises(BuildError, match=r"not made from 01_one\.md as it is; python -m course bu"):
        slides.deck(source)


def test_a_missing_notebook_is_told_with_what_makes_it(tmp_path):
    source = put(tmp_path)
    (tmp_path / "01_one.ipynb").unlink()
    with pytest.raises(BuildError, match="python -m course build 01_one makes it"):
        slides.deck(source)


def test_a_lesson_without_marks_has_no_deck():
    with pytest.raises(BuildError, match="09_summary has no slide marks"):
        slides.deck(NOTEBOOKS / "src" / "09_summary.md")


# The command


@pytest.fixture
def here(tmp_path, monkeypatch):
    """Let the command work in a folder of one lesson, as if there were no Chromium."""
    source = put(tmp_path)
    monkeypatch.setattr(slides, "NOTEBOOKS", tmp_path)
    monkeypatch.setattr(slides, "DECKS", tmp_path / "decks")
    monkeypatch.setattr(slides, "find_chromium", lambda: None)
    return source


def test_the_command_writes_decks_and_a_second_time_none(here, capsys):
    assert slides.main([]) == 0
    assert "01_one: written, 2 slides, 5 minutes" in capsys.readouterr().out
    (here.parent.parent / "decks" / "01_one.html").touch()
    assert slides.main(["01"]) == 0
    assert "01_one: up to date" in capsys.readouterr().out
    here.write_text(TRIAL.replace("% slide 3", "% slide 4"), encoding="utf-8")
    assert slides.main([]) == 0
    assert "written, 2 slides, 6 minutes" in capsys.readouterr().out


def test_without_chromium_the_command_says_what_it_did_not_do(here, capsys):
    assert slides.main([]) == 0
    assert "it was not measured" in capsys.readouterr().err
    assert slides.main(["--pdf"]) == 1
    assert "apt install chromium" in capsys.readouterr().err


def test_an_unknown_lesson_lists_the_known_ones(here, capsys):
    assert slides.main(["07"]) == 1
    assert capsys.readouterr().err == "error: '07' is no lesson; the lessons are: 01_one\n"


def test_a_broken_lesson_leaves_its_deck_and_the_others_are_made(here, tmp_path, capsys):
    assert slides.main([]) == 0
    deck = tmp_path / "decks" / "01_one.html"
    before = deck.read_bytes()
    for path in (here, tmp_path / "01_one.ipynb"):
        other = path.with_name(path.name.replace("01_one", "02_two"))
        other.write_bytes(path.read_bytes())
    put(tmp_path, TRIAL.replace("$x^2$", r"$\frac{x}$"))
    assert slides.main([]) == 1
    told = capsys.readouterr()
    assert "01_one.md line 5" in told.err
    assert "02_two: written" in told.out
    assert deck.read_bytes() == before
    assert sorted(path.name for path in deck.parent.iterdir()) == ["01_one.html", "02_two.html"]


def test_one_sentence_changes_one_deck(here, tmp_path, capsys):
    for path in (here, tmp_path / "01_one.ipynb"):
        path.with_name(path.name.replace("01_one", "02_two")).write_bytes(path.read_bytes())
    assert slides.main([]) == 0
    decks = tmp_path / "decks"
    before = {path.name: path.read_bytes() for path in decks.iterdir()}
    put(tmp_path, TRIAL.replace("Said", "Told"))
    assert slides.main([]) == 0
    assert "02_two: up to date" in capsys.readouterr().out
    after = {path.name: path.read_bytes() for path in decks.iterdir()}
    assert [name for name in after if after[name] != before[name]] == ["01_one.html"]


def test_a_picture_that_changes_makes_the_deck_anew(here, tmp_path):
    folder = tmp_path / "decks"
    folder.mkdir()
    ways = "![row [0] of it](a.png)\n\n![By name][name]\n\n[name]: b.png 'title'\n"
    for name in ("a.png", "b.png"):
        (tmp_path / name).write_bytes(base64.b64decode(PIXEL))
    put(tmp_path, f"{TRIAL}\n{ways}")
    slides.write_deck(here, folder, None)
    assert slides.write_deck(here, folder, None) == "up to date"
    for name in ("a.png", "b.png"):
        wider = io.BytesIO()
        Image.new("L", (9, 2)).save(wider, "png")
        (tmp_path / name).write_bytes(wider.getvalue())
        assert slides.write_deck(here, folder, None).startswith("written")


def test_what_is_current_is_of_the_lesson_as_it_is(here, tmp_path):
    folder = tmp_path / "decks"
    folder.mkdir()
    assert slides.current_deck(here, folder) is None
    slides.write_deck(here, folder, None)
    assert slides.current_deck(here, folder) == folder / "01_one.html"
    assert slides.current_handout(here, folder) is None
    (folder / "01_one.pdf").write_bytes(b"a handout")
    assert slides.current_handout(here, folder) == folder / "01_one.pdf"
    put(tmp_path, TRIAL.replace("% slide 3", "% slide 4"))
    assert slides.current_deck(here, folder) is slides.current_handout(here, folder) is None
    slides.write_deck(here, folder, None)
    assert slides.current_handout(here, folder) is None  # the deck is newer


def test_what_the_disk_or_the_hand_refuses_is_told_in_a_line(here, tmp_path, monkeypatch, capsys):
    (tmp_path / "decks").write_text("a file where the folder should be")
    assert slides.main([]) == 1
    assert re.fullmatch(r"error: .*decks'\n.*\n", capsys.readouterr().err)

    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(slides, "write_deck", stop)
    (tmp_path / "decks").unlink()
    assert slides.main([]) == 130
    assert capsys.readouterr().err.startswith("stopped: ")


def test_a_chromium_that_does_not_start_is_told_in_a_line(tmp_path, monkeypatch):
    broken = tmp_path / "chromium"
    broken.write_text("#!/bin/sh\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setattr(browser, "find_chromium", lambda: str(broken))
    with Browser() as trial, pytest.raises(BuildError, match=r"Chromium, .*, could not be used: "):
        trial.overflows(tmp_path / "deck.html")


@pytest.mark.parametrize(
    "asks",
    [
        "![A picture](https://example.org/a.png)",
        "<iframe src='https://example.org/'></iframe>",
        '<p><img alt="a" src="//example.org/a.png"></p>',
    ],
)
def test_a_deck_that_would_load_something_is_refused(tmp_path, asks):
    with pytest.raises(BuildError, match=r"01_one"):
        slides.deck(put(tmp_path, TRIAL.replace("Shown,", f"{asks}\n\n% show\nShown,")))


class Overflowing(Browser):
    """A browser that finds the same thing in every deck."""

    def overflows(self, deck):
        assert "Shown" in deck.read_text(encoding="utf-8")
        return [(6, "9 px too many, at 1280x720")]


def test_a_deck_that_overflows_is_not_written(here, tmp_path):
    (tmp_path / "decks").mkdir()
    told = r"01_one, cell 1 \(01-one-1\), 01_one\.md line 6: 9 px too many, at 1280x720"
    with pytest.raises(BuildError, match=told):
        slides.write_deck(here, tmp_path / "decks", Overflowing())
    assert list((tmp_path / "decks").iterdir()) == []


def test_a_deck_that_was_not_measured_is_made_again_when_it_can_be(here, tmp_path):
    folder = tmp_path / "decks"
    folder.mkdir()
    slides.write_deck(here, folder, None)
    assert slides.write_deck(here, folder, None) == "up to date"
    with pytest.raises(BuildError, match="too many"):
        slides.write_deck(here, folder, Overflowing())
