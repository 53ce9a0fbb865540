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
from course.render import ANSWERS, to_html
from course.render import formula as mathml_of
from course.render.fonts import font_faces
from course.render.grids import GRID
from tests.lessons import NAMES, SERIES, made_once, quickly
from tests.toys import toy_lesson

STATE = "application/vnd.attnlib.widget+json"
PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg=="
)
PLACE = r"01_one, cell 2 \(one-2\), 01_one\.md line \d+"
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

    def all(self, tag):
        """Return the attributes of all elements of this name."""
        return [attributes for name, attributes in self.tags if name == tag]

    def states(self):
        """Return what is recorded of each widget, read back."""
        return [json.loads(text) for kind, text in self.scripts if kind == STATE]

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


def made(root, *cells):
    return Page(page_of(toy_lesson(root, *cells)))


def text(source):
    return new_markdown_cell(source)


def showing(data, metadata=None):
    output = new_output("display_data", data, metadata=metadata or {})
    return new_code_cell("shown", outputs=[output], execution_count=1)


def widget(*words, alt="two words"):
    state = {"class": "Softmax", "traits": {"scores": [1] * len(words), "names": list(words)}}
    data = {STATE: state, "image/png": PIXEL, "text/plain": "Softmax(...)"}
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


def test_there_are_lessons():
    assert NAMES


@every_lesson
def test_each_widget_of_a_lesson_is_inside_once_and_the_bundle_once(lesson_page, lesson):
    page = lesson_page(lesson)
    recorded = [
        output.data[STATE] for output in outputs_of(lesson) if STATE in output.get("data", {})
    ]
    assert page.states() == recorded
    bundle = [files.BUNDLE.read_text(encoding="utf-8")]
    assert page.modules() == (bundle if recorded else [])
    folds = [text for kind, text in page.scripts if kind is None]
    answers = [ANSWERS.read_text(encoding="utf-8")] if SERIES[lesson].answers.outputs else []
    assert folds == answers
    assert len([a for a in page.all("div") if a.get("class") == "attnlib-widget"]) == len(recorded)


def test_some_lessons_have_widgets_and_some_have_none():
    with_widgets = {
        lesson
        for lesson in NAMES
        if any(STATE in one.get("data", {}) for one in outputs_of(lesson))
    }
    assert set() < with_widgets < set(NAMES)


@every_lesson
def test_nothing_is_loaded_from_elsewhere(lesson_page, lesson):
    inside = ("data:image/", "data:font/")
    assert [a for a in loaded(lesson_page(lesson)) if not a.startswith(inside)] == []
    assert not lesson_page(lesson).all("iframe") + lesson_page(lesson).all("base")


@every_lesson
def test_every_formula_is_mathml(lesson_page, lesson):
    page = lesson_page(lesson)
    count = 0
    for cell in notebook_of(lesson).cells:
        if cell.cell_type == "markdown":
            source = re.sub(
                r"^```.*?^```|`[^`\n]+`", "", cell.source, flags=re.DOTALL | re.MULTILINE
            )
            count += len(re.findall(r"\$\$.+?\$\$|(?<!\\)\$[^$]+?\$", source, re.DOTALL))
    assert len([a for a in page.all("math") if a.get("class") != "goes-on"]) == count
    assert not [said for said in page.prose if "$" in said or re.search(r"\\\w", said)]


@every_lesson
def test_every_picture_is_inside_and_has_words(lesson_page, lesson):
    page = lesson_page(lesson)
    found = [output.get("data", {}) for output in outputs_of(lesson)]
    pictures = sum("image/png" in data and GRID not in data for data in found)
    grids = [a for a in page.all("div") if a.get("class") == "attnlib-grid"]
    assert len(grids) == sum(GRID in data for data in found)
    drawings = sum(
        len(re.findall(r"!\[[^\]]+\]\(|<img\s", cell.source))
        for cell in notebook_of(lesson).cells
        if cell.cell_type == "markdown"
    )
    images = page.all("img")
    assert len(images) == pictures + drawings
    for image in images:
        assert image["alt"].strip()
        assert image["src"].startswith("data:image/")
    for image in images:
        kind, data = image["src"].split(",")
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
    page = made(tmp_path, text("# One"), widget(*WICKED, alt='"><script>alert(1)</script>'))
    assert [state["traits"]["names"] for state in page.states()] == [WICKED]
    assert len(page.scripts) == 2  # the state and the bundle
    (image,) = page.all("img")
    assert image == {"src": f"data:image/png;base64,{PIXEL}", "alt": '"><script>alert(1)</script>'}


def test_two_widgets_share_the_bundle(tmp_path):
    page = made(tmp_path, text("# One"), widget("a"), widget("b", "c"))
    assert [state["traits"]["names"] for state in page.states()] == [["a"], ["b", "c"]]
    assert len(page.modules()) == 1


def test_the_bundle_can_be_another_file(tmp_path):
    bundle = tmp_path / "bundle.js"
    bundle.write_text("let α = 1;", encoding="utf-8")
    lesson = toy_lesson(tmp_path, text("# One"), widget("a"))
    assert Page(page_of(lesson, bundle=bundle)).modules() == ["let α = 1;"]


def test_of_many_forms_the_one_that_moves_is_shown(tmp_path):
    page = made(tmp_path, text("# One"), widget("a"))
    assert "Softmax(...)" not in "".join(page.prose)
    alt = {"image/png": {"alt": "a line"}}
    page = made(tmp_path, text("# One"), showing({"image/png": PIXEL, "text/plain": "<A>"}, alt))
    assert page.all("img") == [{"src": f"data:image/png;base64,{PIXEL}", "alt": "a line"}]
    assert "<A>" not in "".join(page.prose)


def test_a_grid_becomes_tables_with_headings_and_no_picture(tmp_path):
    shown = grid(
        {"<i>": [[-1.0, 0.0], [2.0, np.nan]], "mask": [True, False]},
        rows={"<i>": WICKED[:2]},
        columns={"<i>": ["", "one"]},
    )
    data, metadata = shown._repr_mimebundle_()
    page = made(tmp_path, text("# One"), showing(data, metadata))
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
    cell = new_code_cell(
        "print(x)", outputs=[new_output("stream", text="<script>x</script> & y\n")]
    )
    page = made(tmp_path, text("# One"), cell)
    assert page.scripts == []
    assert len(page.all("pre")) == 2


def test_formulas_stand_in_lines_and_by_themselves(tmp_path):
    page = made(
        tmp_path, text("# One\n\nSo $x_1$ and `$y$`.\n\n$$\\frac{a}{b}$$\n\nIt costs \\$5.")
    )
    assert [a["display"] for a in page.all("math")] == ["inline", "block"]
    assert len(page.all("mfrac")) == len(page.all("msub")) == 1
    assert "It costs $5." in page.prose


def test_links_to_lessons_become_links_to_pages(tmp_path):
    links = ["02_two.ipynb", "02_two.ipynb#its-end", "#here", "https://example.org/x.ipynb"]
    page = made(tmp_path, text("# One\n\n" + " ".join(f"[a]({link})" for link in links)))
    assert [a["href"] for a in page.all("a")] == [
        "02_two.html",
        "02_two.html#its-end",
        "#here",
        "https://example.org/x.ipynb",
    ]


def test_drawings_come_inside(tmp_path):
    (tmp_path / "notebooks" / "images").mkdir(parents=True)
    (tmp_path / "notebooks" / "images" / "a.png").write_bytes(base64.b64decode(PIXEL))
    (tmp_path / "notebooks" / "images" / "b.svg").write_text("<svg/>", encoding="utf-8")
    page = made(tmp_path, text("# One\n\n![an a](images/a.png) ![a b](images/b.svg)"))
    assert page.all("img") == [
        {"src": f"data:image/png;base64,{PIXEL}", "alt": "an a"},
        {"src": "data:image/svg+xml;base64,PHN2Zy8+", "alt": "a b"},
    ]


def test_the_corner_of_a_table_heads_nothing(tmp_path):
    page = made(tmp_path, text("# One\n\n| | a |\n|---|---|\n| b | 1 |"))
    assert (len(page.all("th")), len(page.all("td"))) == (1, 3)


def test_the_title_is_the_heading_without_its_marks(tmp_path):
    html = page_of(toy_lesson(tmp_path, text("# One & *two*\n\nText")))
    assert "<title>One &amp; two</title>" in html


def test_a_lesson_without_a_title_is_named(tmp_path):
    with pytest.raises(BuildError, match=r"^01_one, 01_one\.md line 1: a lesson has a title, "):
        made(tmp_path, text("Text"))


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


@pytest.mark.parametrize(
    "formula", [r"\frac{1}{", "x^", "x_", r"\begin{matrix} a", r"\left( x", "x^2^3", r"\sqrt"]
)
@pytest.mark.parametrize("marks", ["$", "$$"])
def test_a_formula_that_does_not_parse_is_named(tmp_path, formula, marks):
    lesson = toy_lesson(tmp_path, text("# One"), text(f"So {marks}{formula}{marks}."))
    line = lesson.lines[1]
    with pytest.raises(BuildError) as told:
        page_of(lesson)
    assert str(told.value).startswith(
        f"01_one, cell 2 (one-2), 01_one.md line {line}: the formula {formula} does not parse: "
    )


@pytest.mark.parametrize("formula", [r"\sofmax(x)", "x}", r"\frac{1}"])
def test_a_formula_with_an_unknown_command_or_half_its_braces_is_named(tmp_path, formula):
    lesson = toy_lesson(tmp_path, text("# One"), text(f"So ${formula}$."))
    with pytest.raises(
        BuildError,
        match=rf"^{PLACE}: the formula .* does not parse",
    ):
        page_of(lesson)


@pytest.mark.parametrize("address", ["images/no.png", "https://example.org/a.png", "//a.b/c.png"])
def test_a_picture_that_is_not_here_is_named(tmp_path, address):
    lesson = toy_lesson(tmp_path, text("# One"), text(f"![a drawing]({address})"))
    message = rf"^{PLACE}: the picture \w+\.png cannot be read: .*No such file"
    with pytest.raises(BuildError, match=message):
        page_of(lesson)


@pytest.mark.parametrize("marks", ['alt="a" src=', "alt='a' src="])
def test_a_picture_in_html_is_not_loaded_from_elsewhere(tmp_path, marks):
    lesson = toy_lesson(tmp_path, text("# One"), text(f'<img {marks}"https://example.org/a.png">'))
    with pytest.raises(
        BuildError,
        match=rf"^{PLACE}: the picture a\.png cannot be read",
    ):
        page_of(lesson)


@pytest.mark.parametrize("metadata", [{}, {"image/png": {}}, {"image/png": {"alt": ""}}])
def test_a_picture_without_words_is_named(tmp_path, metadata):
    lesson = toy_lesson(tmp_path, text("# One"), showing({"image/png": PIXEL}, metadata))
    with pytest.raises(BuildError, match=PLACE):
        page_of(lesson)


def test_an_output_that_a_page_cannot_show_is_named(tmp_path):
    lesson = toy_lesson(tmp_path, text("# One"), showing({"application/pdf": PIXEL}))
    with pytest.raises(BuildError, match=PLACE):
        page_of(lesson)


def test_a_missing_notebook_is_named_with_what_makes_it(tmp_path):
    lesson = toy_lesson(tmp_path, text("# One"))
    lesson.notebook_path.unlink()
    with pytest.raises(BuildError) as told:
        page_of(lesson)
    assert str(told.value).startswith("reading 01_one.ipynb: ")
    assert str(told.value).endswith("; python -m course build 01_one makes it")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"\xff\xfe",
        b"{}",
        b"[]",
        b"null",
        b'{"nbformat": 9}',
        b'{"nbformat": 4, "nbformat_minor": 5, "metadata": {}}',
        b'{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": 3}',
        b'{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": []}',
        b'{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": '
        b'[{"cell_type": "markdown", "id": "a", "metadata": {}}]}',
        b'{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": '
        b'[{"cell_type": "markdown", "id": "a", "metadata": {}, "source": 3}]}',
    ],
)
def test_a_broken_notebook_is_named_with_what_makes_it(tmp_path, content):
    lesson = toy_lesson(tmp_path, text("# One"))
    lesson.notebook_path.write_bytes(content)
    with pytest.raises(BuildError, match=r"^(reading )?01_one\.ipynb.*build 01_one makes it$"):
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


def test_a_lesson_whose_notebook_is_missing_is_told(house, capsys):
    (house / "notebooks" / "01_one.ipynb").unlink()
    assert run(house, "01") == 1
    assert "reading 01_one.ipynb: " in capsys.readouterr().err
    assert written(house) == []


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
