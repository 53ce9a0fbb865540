"""Lessons as pages: nothing is loaded, every widget is inside, and what is wrong is named."""

import base64
import functools
import io
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from fontTools.ttLib import TTFont
from nbformat.v4 import new_code_cell, new_markdown_cell, new_output
from PIL import Image

from attnlib.plotting import grid
from course import BuildError, files
from course.html import __main__ as command
from course.html.page import page as page_of
from course.render import ANSWERS, WIDGET, to_html
from course.render import formula as mathml_of
from course.render.fonts import font_faces
from course.render.grids import GRID
from tests.lessons import NAMES, SERIES, made_once, quickly
from tests.toys import toy_lesson

PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg=="
)
pytestmark = pytest.mark.usefixtures("without_fonts")
every_lesson = pytest.mark.parametrize("lesson", quickly(NAMES, takes=[3, -1]))


class Page(HTMLParser):
    """A page as a browser takes it apart."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.scripts, self.styles, self.prose = [], [], [], []
        self._inside = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag == "script":
            self.scripts.append((dict(attrs).get("type"), ""))
        self._inside.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        while tag in self._inside and self._inside.pop() != tag:
            pass

    def handle_data(self, data):
        if "script" in self._inside:
            kind, text = self.scripts[-1]
            self.scripts[-1] = (kind, text + data)
        elif "style" in self._inside:
            self.styles.append(data)
        elif not {"code", "pre", "title"} & set(self._inside):
            self.prose.append(data)

    def all(self, tag, kind=None):
        """Return the attributes of all elements of this name, or of those of this class."""
        found = [attributes for name, attributes in self.tags if name == tag]
        return [a for a in found if kind in (None, a.get("class"))]

    def n_formulas(self):
        """Count the formulas; one that goes on behind a place to wrap is one."""
        return len(self.all("math")) - len(self.all("math", "goes-on"))

    def states(self):
        """Return what is recorded of each widget, read back."""
        return [json.loads(text) for kind, text in self.scripts if kind == WIDGET]

    def modules(self):
        """Return the widgets' code, a module; what folds answers is none."""
        return [text for kind, text in self.scripts if kind == "module"]


@pytest.fixture(scope="session")
def lesson_page(place):
    """Return what gives the page of a lesson, the same that is looked at in browsers."""

    @functools.cache
    def read(lesson):
        return Page(made_once(place / "pages" / f"{lesson}.html", lambda: page_of(SERIES[lesson])))

    return read


@functools.cache
def notebook_of(lesson):
    return SERIES[lesson].executed()


def outputs_of(lesson):
    return [output for cell in notebook_of(lesson).cells for output in cell.get("outputs", [])]


def widgets_of(lesson):
    """Return what a notebook has recorded of its widgets."""
    data = [output.get("data", {}) for output in outputs_of(lesson)]
    return [one[WIDGET] for one in data if WIDGET in one]


def prose_of(lesson):
    return [cell.source for cell in notebook_of(lesson).cells if cell.cell_type == "markdown"]


def n_formulas(markdown):
    """Count the formulas in a piece of Markdown, those in code left out."""
    words = re.sub(r"^```.*?^```|`[^`\n]+`", "", markdown, flags=re.DOTALL | re.MULTILINE)
    return len(re.findall(r"\$\$.+?\$\$|(?<!\\)\$[^$]+?\$", words, re.DOTALL))


def made(root, *cells, title="# One"):
    return Page(page_of(toy_lesson(root, text(title), *cells)))


def text(source):
    return new_markdown_cell(source)


def showing(data, metadata=None):
    output = new_output("display_data", data, metadata=metadata or {})
    return new_code_cell("shown", outputs=[output], execution_count=1)


def widget(*words, alt="two words"):
    state = {"class": "Softmax", "traits": {"scores": [1] * len(words), "names": list(words)}}
    data = {WIDGET: state, "image/png": PIXEL, "text/plain": "Softmax(...)"}
    return showing(data, {"image/png": {"alt": alt}})


def loaded(page):
    """Return the addresses that a browser would load by itself."""
    found = [
        attributes[name]
        for tag, attributes in page.tags
        for name in ("src", "srcset", "poster", "data", "background", "xlink:href")
        if attributes.get(name)
    ]
    found += [link.get("href") for link in page.all("link")]
    css = "\n".join(page.styles + page.modules() + [a.get("style") or "" for _, a in page.tags])
    found += re.findall(r"""url\(\s*["']?([\w./:]+)""", css)
    found += re.findall(r"""@import\s+\S+|\bimport\(\s*["'`][^)]*|\bfetch\([^)]*""", css)
    return found


# The lessons


@every_lesson
def test_each_widget_of_a_lesson_is_inside_once_and_the_bundle_once(lesson_page, lesson):
    page = lesson_page(lesson)
    recorded = widgets_of(lesson)
    assert page.states() == recorded
    bundle = [files.BUNDLE.read_text(encoding="utf-8")]
    assert page.modules() == (bundle if recorded else [])
    folds = [text for kind, text in page.scripts if kind is None]
    answers = [ANSWERS.read_text(encoding="utf-8")] if SERIES[lesson].answers.outputs else []
    assert folds == answers
    assert len(page.all("div", "attnlib-widget")) == len(recorded)


def test_some_lessons_have_widgets_and_some_have_none():
    assert {bool(widgets_of(lesson)) for lesson in NAMES} == {True, False}


@every_lesson
def test_nothing_is_loaded_from_elsewhere(lesson_page, lesson):
    inside = ("data:image/", "data:font/")
    assert [a for a in loaded(lesson_page(lesson)) if not a.startswith(inside)] == []
    assert not lesson_page(lesson).all("iframe") + lesson_page(lesson).all("base")


@every_lesson
def test_every_formula_is_mathml(lesson_page, lesson):
    page = lesson_page(lesson)
    assert page.n_formulas() == sum(map(n_formulas, prose_of(lesson)))
    assert not [said for said in page.prose if "$" in said or re.search(r"\\\w", said)]


@every_lesson
def test_every_picture_is_inside_and_has_words(lesson_page, lesson):
    page = lesson_page(lesson)
    found = [output.get("data", {}) for output in outputs_of(lesson)]
    assert len(page.all("div", "attnlib-grid")) == sum(GRID in data for data in found)
    pictures = sum("image/png" in data and GRID not in data for data in found)
    drawings = re.findall(r"!\[[^\]]+\]\(|<img\s", "\n".join(prose_of(lesson)))
    assert len(page.all("img")) == pictures + len(drawings)
    for image in page.all("img"):
        assert image["alt"].strip()
        kind, data = image["src"].split(",")
        assert kind.startswith("data:image/")
        if kind == "data:image/png;base64":
            Image.open(io.BytesIO(base64.b64decode(data, validate=True))).verify()


@every_lesson
def test_links_between_lessons_lead_to_pages(lesson_page, lesson):
    links = [a["href"] for a in lesson_page(lesson).all("a") if "href" in a]
    assert not [link for link in links if ".ipynb" in link and "://" not in link]
    for link in links:
        if re.match(r"\d\d_", link):
            name, _, _ = link.partition("#")
            assert name.removesuffix(".html") in NAMES


@every_lesson
def test_a_page_has_one_heading_and_every_cell_once(lesson_page, lesson):
    page = lesson_page(lesson)
    ids = [a["id"] for _, a in page.tags if "id" in a]
    assert [i for i in ids if "-" in i] == [cell.id for cell in notebook_of(lesson).cells]
    assert len(ids) == len(set(ids))
    assert len(page.all("h1")) == 1


# Pages of notebooks made here


WICKED = [
    "</script>",
    "</SCRIPT ><img src=x onerror=alert(1)>",
    "<!--<script>",
    "]]>",
    "\u2028 é 你",
]


def test_no_word_can_end_the_script_that_holds_it(tmp_path):
    page = made(tmp_path, widget(*WICKED, alt='"><script>alert(1)</script>'))
    assert [state["traits"]["names"] for state in page.states()] == [WICKED]
    assert len(page.scripts) == 2  # the state and the bundle
    (image,) = page.all("img")
    assert image == {"src": f"data:image/png;base64,{PIXEL}", "alt": '"><script>alert(1)</script>'}


def test_two_widgets_share_the_bundle_which_can_be_another_file(tmp_path):
    bundle = tmp_path / "bundle.js"
    bundle.write_text("let α = 1;", encoding="utf-8")
    lesson = toy_lesson(tmp_path, text("# One"), widget("a"), widget("b", "c"))
    page = Page(page_of(lesson, bundle=bundle))
    assert [state["traits"]["names"] for state in page.states()] == [["a"], ["b", "c"]]
    assert page.modules() == ["let α = 1;"]


def test_of_many_forms_the_one_that_moves_is_shown(tmp_path):
    page = made(tmp_path, widget("a"))
    assert "Softmax(...)" not in "".join(page.prose)
    alt = {"image/png": {"alt": "a line"}}
    page = made(tmp_path, showing({"image/png": PIXEL, "text/plain": "<A>"}, alt))
    assert page.all("img") == [{"src": f"data:image/png;base64,{PIXEL}", "alt": "a line"}]
    assert "<A>" not in "".join(page.prose)


def test_a_grid_becomes_tables_with_headings_and_no_picture(tmp_path):
    shown = grid(
        {"<i>": [[-1.0, 0.0], [2.0, np.nan]], "mask": [True, False]},
        rows={"<i>": WICKED[:2]},
        columns={"<i>": ["", "one"]},
    )
    data, metadata = shown._repr_mimebundle_()
    page = made(tmp_path, showing(data, metadata))
    assert not page.all("img") + page.all("i") + page.scripts
    assert [a["scope"] for a in page.all("th")] == ["col", "row", "row", "col", "col"]
    for said in ("<i>", "(2, 2)", *WICKED[:2], "−1", "0", "2", "nan", "●", "True", "×", "False"):
        assert said in page.prose
    cells = [(a.get("class"), a.get("style")) for a in page.all("td") if a]
    assert cells == [
        ("nameless", None),  # no heading without a name
        ("below", "--share: 0.5"),
        ("above", "--share: 1.0"),
        ("nameless", None),
        ("above", "--share: 0.4"),
        ("hidden", None),
    ]


def test_printed_html_is_shown_to_the_letter(tmp_path):
    printed = new_output("stream", text="<script>x</script> & y\n")
    page = made(tmp_path, new_code_cell("print(x)", outputs=[printed]))
    assert page.scripts == []
    assert len(page.all("pre")) == 2


def test_formulas_stand_in_lines_and_by_themselves(tmp_path):
    page = made(tmp_path, text("So $x_1$ and `$y$`.\n\n$$\\frac{a}{b}$$\n\nIt costs \\$5."))
    assert [a["display"] for a in page.all("math")] == ["inline", "block"]
    assert len(page.all("mfrac")) == len(page.all("msub")) == 1
    assert "It costs $5." in page.prose


def test_links_to_lessons_become_links_to_pages(tmp_path):
    others = ["#here", "https://example.org/x.ipynb"]
    links = ["02_two.ipynb", "02_two.ipynb#its-end", *others]
    page = made(tmp_path, text(" ".join(f"[a]({link})" for link in links)))
    assert [a["href"] for a in page.all("a")] == ["02_two.html", "02_two.html#its-end", *others]


def test_drawings_come_inside(tmp_path):
    images = tmp_path / "notebooks" / "images"
    images.mkdir(parents=True)
    (images / "a.png").write_bytes(base64.b64decode(PIXEL))
    (images / "b.svg").write_text("<svg/>", encoding="utf-8")
    page = made(tmp_path, text("![an a](images/a.png) ![a b](images/b.svg)"))
    assert page.all("img") == [
        {"src": f"data:image/png;base64,{PIXEL}", "alt": "an a"},
        {"src": "data:image/svg+xml;base64,PHN2Zy8+", "alt": "a b"},
    ]


def test_the_corner_of_a_table_heads_nothing(tmp_path):
    page = made(tmp_path, text("| | a |\n|---|---|\n| b | 1 |"))
    assert (len(page.all("th")), len(page.all("td"))) == (1, 3)


def test_the_title_is_the_heading_without_its_marks(tmp_path):
    html = page_of(toy_lesson(tmp_path, text("# One & *two*\n\nText")))
    assert "<title>One &amp; two</title>" in html


def test_a_lesson_without_a_title_is_named(tmp_path):
    with pytest.raises(BuildError, match=r"^01_one, 01_one\.md line 1: a lesson has a title, "):
        made(tmp_path, title="Text")


# What stands in the way


THIN = '<mspace width="0.167em" />'


@pytest.mark.parametrize(
    ("latex", "mathml"),
    [
        (r"\mathsf T", "<mi>\U0001d5b3</mi>"),  # a letter of its own, as browsers want it
        ("d_{key}", "<msub><mi>d</mi><mi>key</mi></msub>"),  # read as a word, not letter by letter
        ("s_{ij}", "<mi>i</mi><mi>j</mi>"),
        (r"-\infty", "<mi>&#x0221E;</mi>"),  # a number: no room around it as around a sign
        (r"\lVert a \rVert", '<mo stretchy="false">&#x02016;</mo><mi>a</mi>'),
        (r"\left(a\right)", '<mo stretchy="true" fence="true" form="prefix">'),
        (r"2 \sin x", f"<mn>2</mn>{THIN}<mi>sin</mi>{THIN}<mi>x</mi>"),  # as TeX sets it
        (r"\lVert a \rVert \cos\theta", f"</mo>{THIN}<mi>cos</mi>{THIN}<mi>&#x003B8;</mi>"),
        (r"\cos(a)", '<mi>cos</mi><mo stretchy="false">'),
        (r"\log_2 n", "<msub><mi>log</mi><mn>2</mn></msub>"),
    ],
)
def test_a_formula_is_what_browsers_draw_well(latex, mathml):
    assert mathml in mathml_of(latex, display=False)


def test_a_long_formula_in_a_line_can_wrap_before_its_relations():
    pieces = mathml_of(
        r"\text{softmax}(a + b) = \text{softmax}(a) \neq \text{softmax}(b)", display=False
    )
    first, *others = pieces.split("<wbr>")
    assert len(others) == 2
    assert "goes-on" not in first
    assert all('class="goes-on"' in piece for piece in others)
    relations = [re.search(r"<mo[^>]*>(.)</mo>", piece)[1] for piece in others]
    assert relations == ["=", "≠"]
    assert "<wbr>" not in mathml_of("a = b", display=False)
    assert "<wbr>" not in mathml_of("a = b" * 20, display=True)


WRONG = [r"\frac{1}{", "x^", "x_", r"\begin{matrix} a", r"\left( x", "x^2^3", r"\sqrt"]
WRONG += [r"\sofmax(x)", "x}", r"\frac{1}"]  # an unknown command, and half the braces
NOT_HERE = [f"![a]({one}no.png)" for one in ("images/", "https://example.org/", "//a.b/")]
NOT_HERE += ['<img alt="a" src="https://a.b/no.png">', "<img alt='a' src=\"https://a.b/no.png\">"]


@pytest.mark.parametrize(
    ("cell", "told"),
    [
        *[(text(f"So ${one}$."), f"the formula {one} does not parse: ") for one in WRONG],
        *[(text(f"So $${one}$$."), f"the formula {one} does not parse: ") for one in WRONG],
        *[(text(one), "the picture no.png cannot be read: ") for one in NOT_HERE],
        (showing({"image/png": PIXEL}), ""),  # without words
        (showing({"image/png": PIXEL}, {"image/png": {}}), ""),
        (showing({"image/png": PIXEL}, {"image/png": {"alt": ""}}), ""),
        (showing({"application/pdf": PIXEL}), ""),
    ],
)
def test_what_a_page_cannot_show_is_named_with_cell_and_line(tmp_path, cell, told):
    lesson = toy_lesson(tmp_path, text("# One"), cell)
    with pytest.raises(BuildError) as error:
        page_of(lesson)
    where = f"01_one, cell 2 (one-2), 01_one.md line {lesson.lines[1]}: "
    assert str(error.value).startswith(where + told)
    assert "No such file" in str(error.value) or "picture no.png" not in told


NEARLY = b'{"nbformat": 4, "nbformat_minor": 5, "metadata": {}%s}'
CELL = b', "cells": [{"cell_type": "markdown", "id": "a", "metadata": {}%s}]'


@pytest.mark.parametrize(
    "content",
    [
        None,
        *(b"", b"{", b"\xff\xfe", b"{}", b"[]", b"null", b'{"nbformat": 9}'),
        *(NEARLY % cells for cells in (b"", b', "cells": 3', b', "cells": []')),
        *(NEARLY % CELL % source for source in (b"", b', "source": 3')),
    ],
)
def test_a_missing_or_broken_notebook_is_named_with_what_makes_it(tmp_path, content):
    lesson = toy_lesson(tmp_path, text("# One"))
    lesson.notebook_path.unlink()
    if content is not None:
        lesson.notebook_path.write_bytes(content)
    reading = "reading " if content is None else "(reading )?"
    with pytest.raises(BuildError, match=rf"^{reading}01_one\.ipynb.*build 01_one makes it$"):
        page_of(lesson)


# The command line


@pytest.fixture
def house(tmp_path):
    """Make a course of two lessons, and return its folder."""
    for name in ("01_one", "02_two"):
        toy_lesson(tmp_path, text(f"# Lesson {name}"), name=name)
    return tmp_path


def run(house, *arguments):
    return command.main(["--folder", str(house / "notebooks"), *arguments])


def written(house):
    return sorted(path.name for path in (house / "build" / "html").iterdir())


def test_all_lessons_are_written_and_a_second_run_changes_nothing(house, capsys):
    assert run(house) == 0
    assert written(house) == ["01_one.html", "02_two.html"]
    lines = capsys.readouterr().out.splitlines()
    assert [re.sub(r"\d+ kB", "N kB", line) for line in lines] == [
        "build/html/01_one: written, N kB",
        "build/html/02_two: written, N kB",
    ]
    page = house / "build" / "html" / "02_two.html"
    before = page.stat().st_mtime_ns
    assert run(house) == 0
    assert capsys.readouterr().out.count(": up to date\n") == 2
    assert page.stat().st_mtime_ns == before
    assert "<h1>Lesson 02_two</h1>" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["02", "02_two", "notebooks/src/02_two.md"])
def test_one_lesson_can_be_chosen(house, name):
    assert run(house, name) == 0
    assert written(house) == ["02_two.html"]


def test_an_unknown_lesson_lists_the_known_ones(house, capsys):
    assert run(house, "01", "11") == 1
    error = "error: '11' is no lesson; the lessons are: 01_one, 02_two\n"
    assert capsys.readouterr() == ("", error)
    assert not (house / "build").exists()


def test_a_failure_leaves_the_page_before_it_and_the_others_are_written(house, capsys):
    assert run(house) == 0
    before = (house / "build" / "html" / "01_one.html").read_bytes()
    toy_lesson(house, text("# New"), text("So $x^$."), name="01_one")
    toy_lesson(house, text("# New"), name="02_two")
    capsys.readouterr()
    assert run(house) == 1
    told = capsys.readouterr()
    assert told.err.startswith("error: 01_one, cell 2 (new-2), 01_one.md line ")
    assert "the formula x^ does not parse: " in told.err
    assert "01_one" not in told.out
    assert "02_two: written" in told.out
    assert (house / "build" / "html" / "01_one.html").read_bytes() == before
    assert written(house) == ["01_one.html", "02_two.html"]


def test_a_stopped_run_is_told_in_a_line(house, monkeypatch, capsys):
    def stop(lesson):
        raise KeyboardInterrupt

    monkeypatch.setattr(command, "page", stop)
    assert run(house) == 130
    assert capsys.readouterr().err.startswith("stopped: ")
    assert written(house) == []


def test_a_line_never_begins_with_what_ends_a_formula():
    page = to_html("What is $a$? And $b$ is, too, $$c$$.", Path())
    ends = re.findall(r'nowrap"><span class="math inline">.*?</span>([^<]*)</span>', page, re.S)
    assert ends == ["?"]


def test_what_stands_below_a_root_is_as_high_as_its_sign():
    page = mathml_of(r"\sqrt 2 + \sqrt{a^2}", display=False)
    assert re.findall('<msqrt><mpadded height="(.*?)em"', page) == ["0.8", "0.95"]
    with pytest.raises(BuildError, match="the root's sign has one size"):
        mathml_of(r"\sqrt{\frac 1 2}", display=False)


def test_the_root_has_one_sign():
    faces = re.findall(r"base64,([^)]*)\)", font_faces("<msqrt>√"))
    fonts = [TTFont(io.BytesIO(base64.b64decode(face))) for face in faces]
    (math,) = [font for font in fonts if "MATH" in font]
    grown = math["MATH"].table.MathVariants.VertGlyphCoverage
    assert math.getBestCmap()[ord("√")] not in (grown.glyphs if grown else [])
