"""Decks: what is marked is shown, the rest is said, and what is wrong is named with its line."""

import base64
import functools
import io
import os
import re
from colorsys import rgb_to_hsv
from statistics import median

import numpy as np
import pytest
from fontTools.ttLib import TTFont
from matplotlib.colors import to_rgb
from nbformat.v4 import new_markdown_cell, new_output
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from attnlib.plotting import COLORS, grid
from course import BuildError
from course.files import ROOT
from course.lesson.around import reading
from course.lesson.exercise import SPECS
from course.lesson.lecture import UNTOLD, core_of, planned
from course.lesson.marks import without_marks
from course.lesson.minutes import TURN
from course.notebook.pictures import lighten
from course.render import PALETTE
from course.render.grids import GRID
from course.slides import __main__ as command
from course.slides import browser
from course.slides.browser import Browser, Measured
from course.slides.dark import TURNED
from course.slides.deck import HERE, deck_cells
from course.slides.deck import deck as make_deck
from course.slides.examples import picture, read_examples
from course.slides.seen import LEAST_SEEN, REFUSED_WORDS, n_words, seen
from course.slides.table import HEAD, row, to_mend
from tests.lessons import DECKS, NAMES, SERIES, WALK, lesson_at, made_once, quickly
from tests.test_html import PIXEL, Page, loaded, n_formulas, widget, widgets_of
from tests.toys import put_lesson

pytestmark = pytest.mark.usefixtures("without_fonts")
every_deck = pytest.mark.parametrize("lesson", quickly(DECKS, takes=[3]))
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

Said, too.

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


@pytest.fixture(scope="session")
def deck_of(place):
    """Return what gives the deck of a lesson, the same that is looked at in browsers."""

    @functools.cache
    def read(lesson):
        path = place / "decks" / f"{lesson}.html"
        return Deck(made_once(path, lambda: make_deck(SERIES[lesson])))

    return read


def stream(text):
    return new_output("stream", name="stdout", text=text)


def put(root, source=TRIAL, outputs=None, name="01_one"):
    """Write a lesson of two code cells below a folder, and read it."""
    return put_lesson(root, name, source, outputs or ([stream("a < b\n")], [stream("1\n")]))


def changed(*changes, source=TRIAL):
    """Return a source in which some words, which stand there, are replaced by others."""
    for old, new in changes:
        assert old in source
        source = source.replace(old, new)
    return source


@pytest.fixture
def made(tmp_path):
    """Return what gives the deck of the trial with some changes, and with these outputs."""
    return lambda *changes, outputs=None: Deck(make_deck(put(tmp_path, changed(*changes), outputs)))


UNSHOWN = ("% show\n```", "```")
TRIED = ("### Your turn: `f`", "Said.\n\n% slide 6\n### Your turn: `f`\n\nSaid.")


# The lessons


def test_every_lesson_has_a_deck():
    assert DECKS == NAMES


def test_lecturers_are_told_how_long_decks_are():
    first, *others = (planned(SERIES[name].slides)[1].minutes for name in WALK)
    first, least, most = (5 * round(minutes / 5) for minutes in (first, min(others), max(others)))
    told = f"a deck takes {least} to {most} minutes, that of lesson 00 some {first}."
    assert told in (ROOT / "docs/lecture.md").read_text("utf-8")


@every_deck
def test_a_deck_is_a_lecture_and_every_exercise_a_slide_with_its_stub(lesson, budget):
    found = SERIES[lesson].slides
    budget(f"{lesson}, minutes of its deck", planned(found)[1].minutes, most=105)
    assert all(slide.shown for slide in found)
    assert any(part.later for slide in found for part in slide.shown)
    turns = [slide for slide in found if slide.title.startswith("Your turn")]
    exercises = re.findall(r"^### (Your turn: .*)$", SERIES[lesson].text, re.MULTILINE)
    assert {slide.title for slide in turns} >= set(exercises)
    for slide in turns:
        assert any("code" in part.shows for part in slide.shown)


@every_deck
def test_the_core_is_a_lecture_by_itself_and_the_first_slide_says_how_long(deck_of, lesson):
    core, whole = planned(SERIES[lesson].slides)
    in_core = core_of(SERIES[lesson].slides)
    assert in_core[0] is SERIES[lesson].slides[0]
    assert in_core[-1] is SERIES[lesson].slides[-1]  # what to keep
    is_summary = SERIES[lesson].is_summary  # it has no exercises, and closes a course in short
    tried = [one for one in in_core if one.title.startswith(TURN) and one.is_tried]
    few = is_summary or len(SERIES[lesson].exercises) < 2
    assert few or tried, "no `Your turn` of the core has the minutes that the lesson says of it"
    first = re.sub("<[^>]+>", "", deck_of(lesson).shown()[0])
    assert f"{core.minutes:g} minutes, the core: {core.slides} slides" in first
    if core != whole:
        assert f"{whole.minutes:g} minutes, the whole: {whole.slides} slides" in first


@every_deck
def test_nothing_is_loaded_from_elsewhere(deck_of, lesson):
    found = [a for a in loaded(deck_of(lesson)) if not a.startswith(("data:image/", "data:font/"))]
    assert set(found) <= {"t"}  # a variable's name, in reveal.js
    assert not deck_of(lesson).all("iframe") + deck_of(lesson).all("link")


@every_deck
def test_every_formula_of_the_lesson_that_is_told_is_mathml(deck_of, lesson):
    count = 0
    for slide in SERIES[lesson].slides:
        told = [part.text for part in (*slide.shown, *slide.notes)]
        told = [text for text in told if not text.startswith(UNTOLD)]  # a reader's alone
        count += n_formulas("\n\n".join([*told, slide.title]))
    deck = "".join(re.sub(r'<p class="section">.*?</p>', "", s) for s in deck_of(lesson).slides())
    assert deck.count("<math") - deck.count('class="goes-on"') == count
    assert not [said for said in deck_of(lesson).prose if re.search(r"\\[a-z]+\{", said)]


@every_deck
def test_the_lessons_first_widget_is_on_a_slide(deck_of, lesson):
    assert deck_of(lesson).states()[:1] == widgets_of(lesson)[:1]


@every_deck
def test_slides_have_few_words_and_two_of_three_have_something_to_look_at(lesson):
    slides = list(seen(deck_cells(SERIES[lesson])))
    assert max(slide.words for slide in slides) <= REFUSED_WORDS
    assert sum(slide.pictured for slide in slides) >= LEAST_SEEN * len(slides)


@every_deck
def test_all_prose_is_shown_or_said(deck_of, lesson):
    told = " ".join(" ".join(deck_of(lesson).prose).split())
    for words in prose_to_tell(SERIES[lesson].text):
        assert " ".join(words.split()) in told


def prose_to_tell(text):
    """Go through what a lecture tells of a source: what stands below a slide's mark or heading."""
    text = re.sub(r"\n.*\n\n(?=```\{code-cell\}\nmine\.whose)", "\n", text)  # leads to names
    text = re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)
    is_told = begins = unsaid = False
    for line in text.splitlines():
        if line.startswith("%"):
            begins, unsaid = begins or line.startswith("% slide"), unsaid or line == "% unsaid"
            is_told = is_told or begins
            continue
        if line.startswith("#"):
            is_told = begins
        if is_told and not unsaid and (found := re.match(r"[A-Z][\w ,]{30,}", line)):
            yield found[0]
        if line:
            begins = unsaid = False


@pytest.mark.full  # all decks are made for it, which a full run needs anyway
def test_decks_are_light(deck_of, budget):
    sizes = [len(deck_of(lesson).text.encode()) for lesson in DECKS]
    budget("bytes of the largest deck", max(sizes), most=1_630_000)
    budget("bytes of a deck, the median", int(median(sizes)), most=1_350_000)


# One deck


def test_what_is_marked_is_shown_and_the_rest_is_said(made):
    deck = made()
    one, two = deck.shown()
    assert "<h1>01 · One</h1>" in one
    assert re.search(r"Shown, with (<[^>]*>)+<math", one)
    assert re.search(r'class="part prose fragment" data-line="7".{0,100}Later', one, re.DOTALL)
    assert "a &lt; b" in one
    assert "Said" not in one
    assert '<span class="nb">print</span>' not in one  # the output alone was asked for
    assert "<h2>Two</h2>" in two
    assert '<span class="nb">print</span>' in two
    assert "1</span>" not in two  # line 1, and the output
    assert "Try it" not in two + one
    said, also = deck.notes()
    assert re.search(r"Said, with (<[^>]*>)+<math", said)
    assert '<strong>2 min</strong>, from minute <span data-core="0">0</span>' in said
    assert '<strong>3 min</strong>, from minute <span data-core="2">2</span>' in also
    assert "Shown" not in said


def test_a_link_to_a_lesson_is_its_text_and_others_stay(made):
    deck = made(("Said, with", "Said of [the\nother](02_two.ipynb 'title'), with"))
    assert [a["href"] for a in deck.all("a")] == ["https://example.org/paper"]
    assert "of the next and" in deck.text


def drawn(svg, **told):
    """Return a figure with its drawing; `told` is what its PNG says of itself."""
    about, data = PngInfo(), io.BytesIO()
    for name, value in told.items():
        about.add_text(name, value)
    Image.new("RGB", (5, 1)).save(data, "PNG", pnginfo=about)
    png = base64.b64encode(data.getvalue()).decode()
    figure = new_output("display_data", {"image/png": png, "image/svg+xml": svg})
    lighten(figure)
    figure.metadata["image/png"]["alt"] = "Five <dots>."
    return figure


def test_a_figure_is_shown_by_its_drawing(made):
    deck = made(('print("a < b")', "draw()"), outputs=([drawn("<svg/>")], [stream("1\n")]))
    svg = base64.b64encode(b"<svg/>").decode()
    assert {"src": f"data:image/svg+xml;base64,{svg}", "alt": "Five <dots>."} in deck.all("img")
    assert "data:image/png" not in deck.text


def test_on_a_dark_slide_colours_that_are_shown_stay_and_what_is_around_them_is_turned(made):
    figure = drawn("<svg><style>a</style></svg>", Colors="own")
    page = made(('print("a < b")', "draw()"), outputs=([figure], [stream("1\n")])).text
    own = r'<div class="part picture wide own"[^>]* style="[^"]*--dark: url\(([^)]*)\)'
    dark = base64.b64decode(re.search(own, page)[1].partition("base64,")[2]).decode()
    assert dark == f"<svg><style>a{TURNED}</style></svg>"


def test_an_exercise_says_how_long_to_try(made):
    assert "Try it: 6 minutes" in made(TRIED).shown()[2]
    hard = made(TRIED, ("slide 6", "slide 1"), ("`f`\n", "`f`\n\n*Hard, about 9 minutes.*\n"))
    assert "At home: about 9 minutes" in hard.shown()[2]


def test_whose_function_runs_stands_on_no_slide_and_no_print_is_said(made):
    whose = "mine.f: the reference.\n"
    deck = made(outputs=([stream(f"{whose}a < b\n")], [stream(whose), stream("1 < 2\n")]))
    assert "a &lt; b" in deck.shown()[0]
    assert "a &lt; b" not in deck.notes()[0]
    assert "1 &lt; 2" not in deck.notes()[1]
    assert "mine.f" not in deck.text
    deck = made(UNSHOWN)
    assert "a &lt; b" not in deck.notes()[0] + deck.shown()[0]
    result = new_output("execute_result", {"text/plain": "x" * 90}, execution_count=1)
    deck = made(UNSHOWN, ("% show code 2-2", "% show"), outputs=([], [result]))
    assert "--columns: 90" in deck.shown()[1]


def test_notes_say_where_each_key_is_pressed_in_the_order_of_speaking(made):
    later = ("% then\nLater, of", "% say Before.\n% then\nLater than six words, of")
    one, two = made(later, ("% show\n```", "% say Now the print.\n% then\n```")).notes()
    told = re.sub("<[^>]+>", "", one)
    assert re.search(
        "Before.*▸ Next shows “Later than six words, of …”.*Said, with"
        ".*Now the print.*▸ Next shows the print",
        told,
        re.DOTALL,
    )
    assert "▸" not in two


def test_what_is_unsaid_stands_in_the_lesson_alone(tmp_path):
    unsaid = ("% note\nSaid", "% say Hello.\n% unsaid\nSaid")
    lesson = put(tmp_path, changed(unsaid, ("% show\n```", "% unsaid\n```")))
    one = Deck(make_deck(lesson)).slides()[0]
    assert "Said" not in one
    assert "a &lt; b" not in one
    assert "Hello." in one
    assert "Said, with $y^2$." in lesson.notebook.cells[0].source


def test_an_exercise_brings_its_mistakes_to_the_notes_and_its_solution_to_a_key(tmp_path):
    spec = tmp_path / "attnlib" / "checks" / "exercises" / "f.py"
    spec.parent.mkdir(parents=True)
    spec.write_text(
        'def f(x):\n    """Why."""\n    return x + 1  # (n,)\n\n\n'
        '@mistake("less")\ndef less(x):\n    """You took\n    one.\n\n    Add `1`.\n    """\n'
    )
    asked = '### Your turn: `f`\n\n```{code-cell}\ncheck("f", f)\n```\n'
    source = TRIAL.replace("### Your turn: `f`\n", f"Said.\n\n% slide 6\n{asked}")
    lesson = put(tmp_path, source, ([stream("a < b\n")], [stream("1\n")], [stream("not yet\n")]))
    assert spec in lesson.inputs
    three = Deck(make_deck(lesson)).slides()[2]
    assert "not yet" not in three
    assert "<li>You took one. <em>Add <code>1</code>.</em></li>" in three
    assert "<strong>A</strong> shows the solution, <strong>T</strong> starts the timer" in three
    assert "a sheet of paper, on which they work out a small case by hand." in three
    hidden = re.search(r'<div class="solution"[^>]*>(.*?)</div>', three, re.DOTALL)[1]
    assert "return x + 1  # (n,)" in re.sub("<[^>]+>", "", hidden)


POLL = """\
*Predict:* how many?

% say They count *twice*. Ask what $n$ is.
- two
% say Ask how they know.
- $x^2$ or *one*
"""
POLLED = changed(("% show\nShown, with $x^2$.", POLL), ("% slide 2", "% slide 3"))


def test_choices_are_buttons_and_what_they_say_of_who_chooses_is_for_the_speaker(tmp_path):
    page = Deck(make_deck(put(tmp_path, POLLED)))
    choices = re.findall(r"<li><button type=\"button\">(.*?)</button></li>", page.shown()[0], re.S)
    assert choices[0] == "two"
    assert "<math" in choices[1]
    assert choices[1].endswith(" or <em>one</em>")
    assert "They count" not in page.shown()[0]
    assert "Who chooses 1, “two”: They count <em>twice</em>." in page.notes()[0]
    readers, _ = without_marks(POLLED)
    assert "\n- two\n- $x^2$ or *one*\n" in readers


SHOWN = "% show\nShown,"


@pytest.mark.parametrize(
    ("source", "old", "new", "told"),
    [
        (POLLED, "% say Ask how they know.\n", "", "7: each choice of a poll is one line, `- bo"),
        (POLLED, "- two\n% say Ask how they know.\n", "", "4: a poll has 2 to 5 choices"),
        (POLLED, "- two\n", "- two\n  or so\n", "7: each choice of a poll is one line, `- both`"),
        (POLLED, "% say They count *twice*. Ask what $n$ is.\n", "", "6: .*directly above it stan"),
        (TRIAL, "\nSaid, too.\n", "", "16: a slide without notes; .*`% say"),
        (TRIAL, "% note\nSaid", "% unsaid\nSaid", "1: a slide without notes"),
        (TRIAL, "$x^2$", r"$\frac{x}$", "5: .*does not parse"),
        (TRIAL, "$y^2$", r"$\nonsense$", "9: .*does not parse"),
        (TRIAL, "Said,", "**Said,", r"9: `\*\*` that makes nothing bold, in “\*\*Said, with"),
        (TRIAL, "Shown", "![A picture](../images/none.png)", "5: .*none.png cannot be read"),
        (TRIAL, "% show\n```", "% show picture\n```", "11: showing its picture: the cell has"),
        (TRIAL, SHOWN, f"![A picture](https://example.org/a.png)\n\n{SHOWN}", "4: "),
        (TRIAL, SHOWN, f'% show\n<p><img alt="a" src="//a.b/c.png"></p>\n\n{SHOWN}', "5: "),
    ],
)
def test_what_is_wrong_is_named_with_cell_and_line(tmp_path, source, old, new, told):
    with pytest.raises(BuildError) as error:
        make_deck(put(tmp_path, changed((old, new), source=source)))
    assert re.search(r"01_one, cell \d+ \(.+?\), 01_one\.md line " + told, str(error.value))


def test_a_deck_that_would_load_something_is_refused(made):
    with pytest.raises(BuildError, match="01_one: a deck is one file, and this would load"):
        made((SHOWN, f"% show\n<iframe src='https://example.org/'></iframe>\n\n{SHOWN}"))


def test_a_lone_dollar_is_a_dollar(made):
    assert "$x" in made(("% slide 3 Two", "% slide 3 $x")).text


ASKED = ("# 01 · One\n", "# 01 · One\n\n*What is one?*\n")
CLOSES = """
## What you have now

- A *first* thing.
- A second.

**Left out.** Much. How it began: One, *A* (2001). {long}. How it goes on: Two, *B* (2002).
""".format(long="Many (1999) " + 50 * "words ")


def test_a_lecture_begins_with_what_the_last_left_and_ends_with_where_to_read_on(tmp_path):
    put(tmp_path, changed(ASKED) + CLOSES)
    page = Deck(make_deck(put(tmp_path, name="02_two")))
    question, answer = page.shown()[1].split(' fragment"')
    assert "Last time: What is one?" in question
    assert "<li>A <em>first</em> thing.</li>" in answer
    assert "A second." in page.notes()[1]
    last = Deck(make_deck(put(tmp_path, changed(ASKED) + CLOSES)))
    assert "Last time" not in last.text
    shown, notes = last.shown()[-1], last.notes()[-1]
    assert "How it began" in shown
    assert "How it goes on" in shown
    assert "Much" not in shown
    assert "Many (1999)" not in shown
    assert "(1999)" not in notes


def test_where_to_read_on_leaves_room_for_its_title():
    slide = reading(1, [42 * "word " + "(2001).", "Short (2002)."])
    assert [part.text for part in slide.shown] == ["- Short (2002)."]


def test_extra_slides_are_told_apart_and_their_minutes_are_not_the_cores(made):
    deck = made(("% slide 3 Two", "% slide 3 Two\n% extra"), TRIED)
    assert [" extra" in slide.partition(">")[0] for slide in deck.shown()] == [False, True, False]
    _, two, three = [re.sub("<(?!span)[^>]+>", "", notes) for notes in deck.notes()]
    assert "3 min, from minute <span>2, not in the core" in two
    assert '6 min, from minute <span data-core="2">5' in three


def shown_grid(**arrays):
    data, metadata = grid(**arrays)._repr_mimebundle_()
    return new_output("display_data", data, metadata=metadata)


def test_a_grid_is_shown_as_a_picture_and_unshown_not_said(made):
    shown = shown_grid(query=[[1, 3]], rows=["I"])
    deck = made(UNSHOWN, ("% show code 2-2", "% show picture"), outputs=([shown], [shown]))
    assert '<th scope="row">I</th>' in deck.shown()[1]
    assert "--columns" not in deck.shown()[1]
    assert "query (1, 2)" not in deck.notes()[0]


def put_chain(root, said):
    """Write a lesson that says how the shapes of two cells' grids meet."""
    shown = shown_grid(query=np.ones((2, 3)), key=np.ones((4, 3)), x=np.ones((2, 5)))
    later = shown_grid(scores=np.ones((2, 4)), query=np.ones((7, 9)))
    return put(root, changed(("Shown,", f"% shapes {said}\nShown,")), ([shown], [later]))


def test_a_chain_of_shapes_is_that_of_the_arrays_that_the_cells_have_shown(tmp_path):
    rows = "query @ key.T = scores; scores + scores = scores; x @ w_query = query"
    shown = Deck(make_deck(put_chain(tmp_path, rows))).shown()[0]
    chains = re.findall(r'<div class="chain">.*?</div></div>', shown)
    told = [re.sub(r"\s+", " ", re.sub("<[^>]+>", " ", one)).strip() for one in chains]
    assert told == [
        "query (2, 3) @ key T (3, 4) → scores (2, 4)",
        "scores (2, 4) + scores (2, 4) → scores (2, 4)",
        "x (2, 5) @ w_query (5, 3) → query (2, 3)",  # no grid shows w_query: what it has to be
    ]
    assert "--rows: 3; --columns: 4; --hue: #" in chains[0]
    (first, _) = seen(deck_cells(put_chain(tmp_path, rows)))
    assert first.pictured


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        ("query @ key = scores", r"\(2, 3\) @ \(4, 3\), that of `key`, do not meet"),
        ("query @ key.T = query", r"has the shape \(2, 4\), and no `query` of the lesson has it"),
        ("query + key = scores", "do not meet"),
        ("query @ mask @ key.T = scores", "no grid of the lesson shows `mask`"),
        ("values.T @ weights = output", "no grid of the lesson shows `values`"),
        ("query @ key.T", "shapes meet as in `x @ w_query = query`"),
    ],
)
def test_shapes_that_do_not_meet_as_it_is_said_are_refused(tmp_path, said, problem):
    with pytest.raises(BuildError, match=f"line 5: .*{problem}"):
        make_deck(put_chain(tmp_path, said))


def test_exercises_have_an_example_as_a_picture_or_its_shapes(tmp_path):
    exercises = ROOT / SPECS
    specs = [exercises / f"{name}.py" for name in ("causal_mask", "split_heads", "project_qkv")]
    (tmp_path / "unmade.py").write_text("def unmade():\n    ...\n", encoding="utf-8")
    found = read_examples(ROOT, [*specs, tmp_path / "unmade.py"])
    assert list(found) == ["causal_mask", "split_heads", "project_qkv"]
    mask = picture(found["causal_mask"], [])
    (table,) = mask.outputs[0].data[GRID]["tables"]
    assert table["name"] == "wanted, n_queries=2, n_keys=3"
    assert table["words"] == [["True", "False", "False"], ["True", "True", "False"]]
    assert picture(found["causal_mask"], [new_markdown_cell("word " * 160)] * 2).cell_type == (
        "markdown"  # what has no room as a grid
    )
    boxes = picture(found["project_qkv"], [])
    told = re.sub(r"\s+", " ", re.sub("<[^>]+>", " ", boxes.source))
    assert told.startswith(
        " x (2, 3) w_query (3, 5) w_key (3, 5) w_value (3, 7) → wanted [0] (2, 5)"
    )
    assert "3 x" not in told
    assert "(3, 2, 5)" in picture(found["split_heads"], []).source
    assert picture([], []) is None


def test_an_example_that_cannot_be_had_names_the_exercise(tmp_path):
    spec = tmp_path / "nothing.py"
    spec.write_text("\nEXERCISE = 1\n", encoding="utf-8")
    with pytest.raises(BuildError, match="drawing the examples of nothing: ModuleNotFoundError"):
        read_examples(ROOT, [spec])


def test_what_a_reader_alone_needs_is_no_talk(made):
    whose = '```{code-cell}\nmine.whose("softmax")'
    kept = ('% show\n```{code-cell}\nprint("a < b")', f"This runs on what you kept:\n\n{whose}")
    notes = made(("Said,", "**You need** lesson 00.\n\n**Next:** two.\n\nSaid,"), kept).notes()[0]
    assert "Said" in notes
    for left_out in ("You need", "two", "a &lt; b", "what you kept"):
        assert left_out not in notes


def test_a_widget_comes_with_its_state_and_the_bundle_once(tmp_path):
    shows = changed(("% show code 2-2", "% show widget"), ("% slide 3", "% slide 4"))
    lesson = put(tmp_path, shows, ([stream("1")], widget("a", "b").outputs))
    deck = Deck(make_deck(lesson, bundle=lesson.path))
    assert [state["traits"]["names"] for state in deck.states()] == [["a", "b"]]
    assert deck.text.count(shows[-30:]) == 1  # of what stands for the bundle here
    assert 'alt="two words"' in deck.text
    assert "module" not in [s.get("type") for s in Deck(make_deck(put(tmp_path))).all("script")]


def test_each_page_has_the_letters_it_needs(made, fonts):
    pages = (made(), made(("Shown", "Ÿçß")))
    plain, accented = (re.findall(r"font/woff;base64,([^)]+)", page.text) for page in pages)
    assert len(plain) == len(accented) == 5
    assert len(accented[0]) > len(plain[0])


def test_formulas_have_the_letters_and_signs_that_are_drawn(made, fonts):
    page = made(("$x^2$", r"$\sqrt{q_h} + \alpha^{\mathsf T}$")).text
    face = re.search(r'"Course Math"[^}]*base64,([^)]+)', page)[1]
    font = TTFont(io.BytesIO(base64.b64decode(face)))
    assert {"√", "\U0001d45e", "ℎ", "\U0001d6fc", "\U0001d5b3"} <= set(map(chr, font.getBestCmap()))
    assert "MATH" in font  # what tells a browser how to stretch and to place


def test_making_a_deck_again_changes_no_byte(tmp_path, fonts):
    assert make_deck(put(tmp_path)) == make_deck(put(tmp_path))


@pytest.mark.parametrize(
    ("outputs", "told"),
    [
        ([], "line 11: showing its output: the cell has none"),
        ([new_output("display_data", {"image/png": PIXEL})], "a picture has no alt text"),
    ],
)
def test_what_a_cell_does_not_show_is_told(made, outputs, told):
    with pytest.raises(BuildError, match=told):
        made(outputs=(outputs, []))


def test_a_notebook_of_another_state_of_the_source_is_refused(tmp_path):
    path = put(tmp_path).path
    path.write_text(TRIAL.replace("Said", "Told"), encoding="utf-8")
    with pytest.raises(BuildError, match=r"not made from 01_one\.md as it is; python -m course bu"):
        make_deck(lesson_at(path))


def test_a_lesson_without_marks_has_no_deck(tmp_path):
    with pytest.raises(BuildError, match="01_one has no slide marks"):
        make_deck(put_lesson(tmp_path, "01_one", "# 01 · One\n"))


# What there is to look at, and to read


@pytest.mark.parametrize(
    ("page", "n"),
    [
        ("<p>Which key fits <em>best</em>?</p>", 4),
        ("<ul><li>two words</li></ul> – and 3 more", 5),
        ("<pre>not one</pre><p>but <code>f(a, b)</code></p>", 2),
        ('<p>Of <math display="inline"><mi>a</mi><mi>b</mi></math></p>', 2),
        (
            '<math display="inline">a</math><wbr><math display="inline" class="goes-on">= b</math>',
            1,
        ),
        ('<math xmlns="x" display="block"><mi>a</mi></math>', 0),
        ("a &lt; b", 2),
        ("", 0),
    ],
)
def test_words_are_counted_as_they_are_read(page, n):
    assert n_words(page) == n


def test_a_slide_is_seen_with_its_words_prints_and_pictures(tmp_path):
    first, second = seen(deck_cells(put(tmp_path)))
    assert (first.number, first.line, first.words) == (1, 1, 2 + 3 + 7)
    assert (first.pictured, first.prints, first.noted) == (False, 1, True)
    assert (second.number, second.words, second.prints) == (2, 1, 0)
    outputs = ([shown_grid(weights=[[0.5, 0.5]])], [stream("1")])
    first, second = seen(deck_cells(put(tmp_path, outputs=outputs)))
    assert (first.pictured, first.prints) == (True, 0)
    assert not second.pictured


# Formulas in the roles' colours


def test_the_letters_of_roles_carry_their_class_and_an_index_does_not(made):
    formulas = r"$Q K V$, $q_i k_j$, $s_k$, $d_{key}$, $x_{i+o}$ and $\text{output}$"
    shown = made(("$x^2$", formulas)).text
    for letter, role in {"Q": "query", "K": "key", "V": "value", "q": "query"}.items():
        assert shown.count(f'<mi class="{role}">{letter}</mi>') == 1
    assert shown.count('<mi class="key">k</mi>') == 1  # the other is a number
    assert '<mtext class="output">output</mtext>' in shown
    assert "<mi>key</mi>" in shown
    assert "<mi>o</mi>" in shown  # an offset


def test_each_role_is_read_on_light_and_on_dark_slides():
    style = (HERE / "style.css").read_text(encoding="utf-8")
    paper = re.search(r"--paper: light-dark\((#\w+), (#\w+)\)", PALETTE.read_text(encoding="utf-8"))
    for role in ("query", "key", "value", "output"):
        inks = re.search(rf"math \.{role} {{\s*color: light-dark\((#\w+), (#\w+)\)", style)
        hue = rgb_to_hsv(*to_rgb(COLORS[role]))[0]
        for ink, ground in zip(inks.groups(), paper.groups(), strict=True):
            assert contrast(ink, ground) >= 4.5, (role, ink)
            assert abs(rgb_to_hsv(*to_rgb(ink))[0] - hue) < 0.03, (role, ink)


def contrast(*colors):
    """Return the contrast of two colours, as WCAG 2.2 defines it."""
    parts = [np.array(to_rgb(color)) for color in colors]
    linear = [np.where(x <= 0.04045, x / 12.92, ((x + 0.055) / 1.055) ** 2.4) for x in parts]
    low, high = sorted(x @ (0.2126, 0.7152, 0.0722) for x in linear)
    return (high + 0.05) / (low + 0.05)


# The command


@pytest.fixture
def here(tmp_path, monkeypatch):
    """Return a folder with a course of one lesson, on a machine without Chromium."""
    put(tmp_path)
    monkeypatch.setattr(command, "find_chromium", lambda: None)
    return tmp_path


def run(here, *arguments, ends=0):
    assert command.main(["--folder", str(here / "notebooks"), *arguments]) == ends


def decks(here):
    return {path.name: path.read_bytes() for path in (here / "build" / "slides").iterdir()}


def test_the_command_writes_decks_and_a_second_time_none(here, capsys):
    run(here)
    told = "core 5 minutes in 2 slides, whole 5 minutes in 2 slides"
    assert f"01_one: written, {told}" in capsys.readouterr().out
    (here / "build" / "slides" / "01_one.html").touch()
    run(here, "01")
    assert "01_one: up to date" in capsys.readouterr().out
    put(here, TRIAL.replace("% slide 3 Two", "% slide 4 Two\n% extra"))
    run(here)
    assert "core 2 minutes in 1 slides, whole 6 minutes in 2 slides" in capsys.readouterr().out


def test_without_chromium_the_command_says_what_it_did_not_do(here, capsys):
    run(here)
    assert "it was not measured" in capsys.readouterr().err
    run(here, "--pdf", ends=1)
    assert "apt install chromium" in capsys.readouterr().err


def test_a_broken_lesson_leaves_its_deck_and_the_others_are_made(here, capsys):
    run(here)
    before = decks(here)
    put(here, name="02_two")
    put(here, TRIAL.replace("$x^2$", r"$\frac{x}$"))
    run(here, ends=1)
    told = capsys.readouterr()
    assert "01_one.md line 5" in told.err
    assert "02_two: written" in told.out
    after = decks(here)
    assert after.keys() == {"01_one.html", "02_two.html"}
    assert after["01_one.html"] == before["01_one.html"]


def test_a_recap_that_changes_makes_the_next_deck_anew(here):
    put(here, changed(ASKED) + CLOSES)
    put(here, name="02_two")
    run(here)
    before = decks(here)
    put(here, changed(ASKED) + CLOSES.replace("A second", "A third"))
    run(here)
    assert decks(here)["02_two.html"] != before["02_two.html"]


def test_one_sentence_changes_one_deck(here, capsys):
    put(here, name="02_two")
    run(here)
    before = decks(here)
    put(here, TRIAL.replace("Said", "Told"))
    run(here)
    assert "02_two: up to date" in capsys.readouterr().out
    after = decks(here)
    assert [name for name in after if after[name] != before[name]] == ["01_one.html"]


def test_a_picture_that_changes_makes_the_deck_anew(here):
    ways = "![row [0] of it](a.png)\n\n![By name][name]\n\n[name]: b.png 'title'\n"
    pictures = [here / "notebooks" / name for name in ("a.png", "b.png")]
    for path in pictures:
        path.write_bytes(base64.b64decode(PIXEL))
    lesson = put(here, f"{TRIAL}\n{ways}")
    assert command.write_deck(lesson, None).startswith("written")
    assert command.write_deck(lesson, None) == "up to date"
    for path in pictures:
        wider = io.BytesIO()
        Image.new("L", (9, 2)).save(wider, "png")
        path.write_bytes(wider.getvalue())
        assert command.write_deck(lesson, None).startswith("written")


def sections(name, *headings, extra=""):
    """Write a lesson's source: an opening and two code cells, then a section for each heading."""
    added = (f"\n\n% slide 2 On {one}\n{extra}## {one}\n\nSaid of it.\n" for one in headings)
    opening = TRIAL.replace("# 01 · One", f"# {name} · One\n\n*What is {name}?*")
    return opening + "".join(added) + CLOSES


@pytest.fixture
def course(here):
    """Return a folder with a course of two lessons."""
    put(here, sections("01", "A sum", "A mask"))
    put(here, sections("02", "Two sums", "Sums of two", extra="% extra\n"), name="02_two")
    return here


def lecture(course, *choices):
    """Make a lecture of these choices; return its slides' titles and its notes."""
    run(course, "--lecture", *choices, "-o", str(course / "mine.html"))
    page = Deck((course / "mine.html").read_text(encoding="utf-8"))
    return [re.search(r"<h\d>(.*?)</h\d>", one)[1] for one in page.slides()], page


def test_a_lecture_has_the_slides_that_were_chosen_in_that_order(course, capsys):
    title = "02 · One"
    assert lecture(course, "02")[0] == lecture(course, "02 core")[0]
    titles, page = lecture(course, "02", "01 A mask")
    assert titles == [title, "Two", "On A mask"]
    told = capsys.readouterr().out
    assert "02: 5 minutes in 2 slides\n01 A mask: 2 minutes in 1 slides\n" in told
    assert re.search(r"mine\.html: 7 minutes in 3 slides, 0\.\d\d MB\n", told)
    first = re.sub("<[^>]+>", "", page.shown()[0])
    assert "7 minutes, the whole: 3 slides" in first
    assert '<span data-core="5">5</span>' in page.notes()[2]
    assert " extra" not in page.text.partition("<script>")[0].partition("<main>")[2]
    assert lecture(course, "02 Sums of two", "02 whole")[0] == [
        *("On Sums of two", title, "Two", "On Two sums", "On Sums of two")
    ]
    assert lecture(course, "02 last time", "01 Where to")[0] == [
        *("Last time: What is 01?", "Where to read on")
    ]


def test_a_lecture_is_read_from_a_file_with_its_title(course):
    chosen = course / "mine.txt"
    chosen.write_text("# Sums in an hour\n\n01 A sum\n02  two sums\n", encoding="utf-8")
    titles, page = lecture(course, str(chosen))
    assert titles == ["On A sum", "On Two sums"]
    assert "<title>Sums in an hour</title>" in page.text


@pytest.mark.parametrize(
    ("choice", "told"),
    [
        ("03", "'03' is no lesson; the lessons are: 01_one, 02_two"),
        ("01 Nothing", "no heading of 01_one has these words; its sections are: A sum; A mask"),
        ("02 sums", "'02 sums' fits several: Two sums; Sums of two"),
        ("!", "a choice is `04`, `04 whole`, or `04` and a heading's words"),
        ("none.txt", "reading none.txt: "),
    ],
)
def test_a_choice_that_means_no_slide_is_told_with_what_there_is(course, capsys, choice, told):
    run(course, "--lecture", choice, "-o", str(course / "mine.html"), ends=1)
    assert told in capsys.readouterr().err
    assert not (course / "mine.html").exists()


@pytest.mark.parametrize("choice", ["03", "01 Nothing", "02 sums", "!"])
def test_a_choice_in_a_file_that_means_no_slide_is_told_with_its_line(course, capsys, choice):
    chosen = course / "mine.txt"
    chosen.write_text(f"# Sums\n\n01 A sum\n{choice}\n", encoding="utf-8")
    run(course, "--lecture", str(chosen), "-o", str(course / "mine.html"), ends=1)
    assert f"error: {chosen} line 4: '{choice}'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--pdf", "--table", "--lecture", "04"], "there is also: --pdf, --table"),
        (["05", "--lecture", "04"], "there is also: 05"),
        (["04", "-o", "mine.html"], "and there is no --lecture"),
        (["--lecture", "mine.txt", "-o", "mine.txt"], "a page NAME.html, and mine.txt is none"),
    ],
)
def test_an_option_that_counts_for_nothing_is_refused(here, capsys, arguments, told):
    with pytest.raises(SystemExit):
        run(here, *arguments)
    assert told in capsys.readouterr().err


def test_a_lecture_that_is_heavy_says_so(course, monkeypatch, capsys):
    monkeypatch.setattr(command, "MOST_BYTES", 100_000)
    lecture(course, "01 A sum")
    assert "MB, more than the 0.1 MB that a deck weighs at most" in capsys.readouterr().out


def test_what_the_disk_or_the_hand_refuses_is_told_in_a_line(here, monkeypatch, capsys):
    (here / "build").write_text("a file where the folder should be")
    run(here, ends=1)
    assert re.fullmatch(r"error: .*build.*'\n.*\n", capsys.readouterr().err)

    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(command, "write_deck", stop)
    run(here, ends=130)
    assert capsys.readouterr().err.startswith("stopped: ")


def test_a_chromium_that_does_not_start_is_told_in_a_line(tmp_path, monkeypatch):
    broken = tmp_path / "chromium"
    broken.write_text("#!/bin/sh\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setattr(browser, "find_chromium", lambda: str(broken))
    with Browser() as trial, pytest.raises(BuildError, match=r"Chromium, .*, could not be used: "):
        trial.measure(tmp_path / "deck.html")


class Pretended(Browser):
    """A browser that finds the same in every deck, and prints a line."""

    def __init__(self, *overflows, letters=20):
        super().__init__()
        self.found = Measured(list(overflows), [(20, "Shown"), (letters, "the second")])

    def measure(self, deck):
        assert "Later" in deck.read_text(encoding="utf-8")
        assert deck.suffix == ".html"  # a browser goes by it
        return self.found

    def print_pdf(self, deck, pdf, *, notes=False):
        assert "Shown" in deck.read_text(encoding="utf-8")
        pdf.write_bytes(b"a handout with notes" if notes else b"a handout")


OVERFLOWING = Pretended((6, "9 px too many, at 1280x720"))
LONG = ("Shown,", 40 * "word ")


@pytest.mark.parametrize(
    ("browser", "changes", "told"),
    [
        (
            OVERFLOWING,
            [],
            r"01_one, cell 1 \(01-one-1\), 01_one\.md line 6: 9 px too many, at 1280",
        ),
        (Pretended(letters=15.9), [], r"slide 2, .*: letters of 15\.9 px, “the second”"),
        (Pretended(), [LONG], "slide 1, .*: 51 words"),
    ],
)
def test_a_deck_that_overflows_or_is_hard_to_see_or_to_read_is_not_written(
    here, browser, changes, told
):
    with pytest.raises(BuildError, match=told):
        command.write_deck(put(here, changed(*changes)), browser)
    assert decks(here) == {}


def test_a_deck_that_was_not_measured_is_made_again_when_it_can_be(here):
    lesson = put(here)
    command.write_deck(lesson, None)
    assert command.write_deck(lesson, None) == "up to date"
    with pytest.raises(BuildError, match="too many"):
        command.write_deck(lesson, OVERFLOWING)


def test_the_table_says_of_each_deck_what_there_is_to_look_at_and_what_to_mend(tmp_path):
    lesson = put(tmp_path, changed(LONG))
    slides = list(seen(deck_cells(lesson)))
    letters = [(15.9, "the smallest"), (16.0, "large enough")]
    assert row(lesson, slides, letters) == "| 01 | 2 | 0 (0%) | 1 | 51 | 26 | 15.9 px | 5 | 5 | 0 |"
    assert row(lesson, slides, letters).count("|") == HEAD.splitlines()[0].count("|")
    assert next(to_mend(lesson, 3 * slides, 3 * letters)) == (
        "0 of 6 slides have a picture, a grid or a widget"
    )
    words, small = to_mend(lesson, slides, letters)
    assert words.startswith("slide 1, cell 1 (01-one-1), 01_one.md line 1: 51 words")
    assert small.endswith("letters of 15.9 px, “the smallest”")


def test_a_handout_is_printed_when_its_deck_is_newer(here):
    lesson, printer = put(here), Pretended()
    command.write_deck(lesson, printer)
    assert command.write_handout(lesson, printer).startswith("handout written")
    assert command.write_handout(lesson, printer) == "handout up to date"
    page, pdf = (lesson.built("slides", ending) for ending in ("html", "pdf"))
    os.utime(page, ns=(pdf.stat().st_mtime_ns + 1,) * 2)
    assert command.write_handout(lesson, printer).startswith("handout written")
    said = command.write_handout(lesson, printer, notes=True)
    assert said.startswith("handout with notes written")
    assert decks(here)["01_one.notes.pdf"] == b"a handout with notes"
    assert decks(here)["01_one.pdf"] == b"a handout"
