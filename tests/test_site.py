"""The site: what is staged, what is refused, what is made anew, and what readers are handed."""

import base64
import errno
import functools
import html
import json
import os
import re
import shutil
import time
from importlib import import_module
from types import SimpleNamespace

import nbformat
import pytest
from bs4 import BeautifulSoup

import attnlib
from attnlib.plotting import COLORS
from course import BuildError, files
from course.files import BUNDLE, ROOT
from course.homework.sheet import BEGIN, END, find_sheets
from course.lesson import catalogue
from course.lesson.catalogue import Entry
from course.lesson.lecture import planned
from course.lesson.series import find_lessons
from course.render.grids import GRID
from course.site import __main__ as command
from course.site import build as builder
from course.site import extension, found, links, sections, sphinx, stage, syllabus
from course.site.build import build
from tests.lessons import NAMES, SERIES, WALK
from tests.test_html import (
    PIXEL,
    Page,
    n_formulas,
    notebook_of,
    outputs_of,
    prose_of,
    widget,
    widgets_of,
)
from tests.toys import put_lesson

pytestmark = pytest.mark.timeout(400)  # whoever comes first waits until the whole site is built

SHEET = "notebooks/homework/student/{}/{}"
ADDRESS = "https://owner.github.io/name/"  # where the site says that it stands
every_lesson = pytest.mark.parametrize("lesson", NAMES)
ODD = """a *b* [c](d) $e$ <f> "g" \\h `i` _j_ !"""
ONE = "# 01 · One\n\nA sentence.\n\n## A part\n\n$x_1$ and\n\n$$\\frac{a}{b}$$\n"
TWO = "# 02 · Two\n\nSee [one](01_one.ipynb) and [its part](01_one.ipynb#a-part).\n"
ALWAYS = ["03_three.ipynb", "../docs/learn.html"]  # what every lesson of that name leads to
HEAD = '---\nfound: ["{0}", "What it is about."]\n---\n\n'
CELL = "\n```{code-cell}\nshown\n```\n"
# Of a page's text: Python, HTML, a template, Markdown, a mark, a path, and what holds nothing.
UNREADABLE = r"[{}]|</?\w|\*\*(?!\d)|\]\(|^% \w|/(tmp|home|work)/|\.(ipynb|j2)\b|\S {2,}\S"
UNREADABLE += r"|\bundefined\b|\bNone\b(?! \w)"


class House:
    """A course of two lessons, and a site of two more pages with what they link."""

    def __init__(self, folder):
        self.folder = folder
        self.notebooks, self.pages = folder / "notebooks", folder / "room" / "pages"
        self.slides, self.site = folder / "build" / "slides", folder / "build" / "site"
        self.work = folder / "build" / "site.work"
        (folder / "images").mkdir()
        self.lesson("01_one", ONE)
        self.lesson("02_two", TWO)
        shutil.copytree(stage.HERE, folder / "room")
        for path in self.pages.iterdir():
            if path.name not in ("slides.md.j2", "run.md.j2"):
                path.unlink()
        (folder / "docs").mkdir()
        for name, part in (("learn", "Start"), ("lecture", "A class on a JupyterHub")):
            text = f"# {name}\n\n## {part}\n"
            (folder / "docs" / f"{name}.md").write_text(text, encoding="utf-8")
        index = "# Home\n\n```{toctree}\n:glob:\nnotebooks/*\ndocs/*\nslides\nrun\n```\n"
        (self.pages / "index.md").write_text(index, encoding="utf-8")

    def lesson(self, name, text, *shown):
        """Write a lesson, with what these cells show at its end."""
        text = HEAD.format(name) + text + CELL * len(shown)
        return put_lesson(self.folder, name, text, [cell.outputs for cell in shown])

    def build(self, repository=None):
        return build(repository, notebooks=self.notebooks)

    def stage(self, model=None):
        lessons = find_lessons(self.notebooks)
        return stage.stage(lessons, stage.find_downloads(lessons), None, model)

    def times(self):
        """Say when each page was written."""
        pages = self.site.rglob("*.html")
        return {p.relative_to(self.site).as_posix(): p.stat().st_mtime_ns for p in pages}

    def page(self, name):
        return (self.site / f"{name}.html").read_text(encoding="utf-8")


@pytest.fixture
def house(tmp_path, monkeypatch, without_fonts):
    house = House(tmp_path)
    monkeypatch.setattr(stage, "font_faces", lambda text, lang: "")  # most of what staging it costs
    monkeypatch.setattr(stage, "HERE", tmp_path / "room")
    monkeypatch.setattr(stage, "MOVED", {"notebooks/00_old": "01_one"})
    return house


@pytest.fixture
def pretended(house, monkeypatch):
    """Stand in for Sphinx: it makes what this maps by path, and lists the files it found there."""
    makes, found = {"index.html": "<p>home", "a/b.html": "<a href=../index.html>"}, []

    def run(work, lessons):
        found.append(sorted(p.name for p in (work / "html").rglob("*.html")))
        for name, text in makes.items():
            (work / "html" / name).parent.mkdir(parents=True, exist_ok=True)
            (work / "html" / name).write_text(text)

    monkeypatch.setattr(sphinx, "run_sphinx", run)
    return SimpleNamespace(makes=makes, found=found)


IN_CHINESE = {
    "01_one": {
        "01 · One": "01 · 一",
        "A sentence.": "一句话。",
        "A part": "一节",
        "$x_1$ and": "$x_1$ 和",
        "01_one": "01_一",
        "What it is about.": "讲的是什么。",
    },
    "02_two": {"02 · Two": "02 · 二", "02_two": "02_二", "What it is about.": "讲的是什么。"},
    "sentences": {"Search": "搜索", "Nothing found": "什么也没找到"},
    "pages": {
        "Home": "首页",
        "The {term}`word`: [here](docs/learn.md#start), [there](other.md), [a part](#a-part).": (
            "{term}`word`：[这里](docs/learn.md#start)、[那里](other.md)、[一节](#a-part)。"
        ),
        "A part": "一节",
        "word": "词",
        "What is said.": "说的是什么。",
        "Lessons": "各课",
    },
}
HOME = """\
# Home

The {term}`word`: [here](docs/learn.md#start), [there](other.md), [a part](#a-part).

## A part

```{glossary}
word
  What is said.
```

```{toctree}
:caption: Lessons

{% for lesson in lessons %}
notebooks/{{ lesson.name }}
{% endfor %}
other
```

```{toctree}
docs/learn
docs/lecture
```
"""


@pytest.fixture
def in_chinese(house):
    """Say a house's lessons and its first page in Chinese, and leave another page in English."""
    source = house.notebooks / "zh" / "src"
    source.mkdir(parents=True)
    (source / "terms.tsv").write_text("# English\t中文\tnote\tbinds\n", "utf-8")
    for name, words in IN_CHINESE.items():
        entries = {text: Entry("text", said) for text, said in words.items()}
        (source / f"{name}.po").write_bytes(catalogue.written(entries, "zh_Hans"))
    for path in house.pages.iterdir():
        path.unlink()
    (house.pages / "index.md.j2").write_text(HOME, encoding="utf-8")
    (house.pages / "other.md.j2").write_text("# Other\n", encoding="utf-8")
    house.build()
    return house


def test_pages_in_chinese_stand_beside_the_english_ones(in_chinese):
    leads_to_the_other(in_chinese)
    leads_to_english(in_chinese)
    names_in_both_languages(in_chinese)


def leads_to_the_other(in_chinese):
    """Each page leads to the same in the other language, and its sections have the same anchors."""
    english, chinese = (Page(in_chinese.page(f"{at}notebooks/01_one")) for at in ("", "zh/"))
    assert [page.all("html")[0]["lang"] for page in (english, chinese)] == ["en", "zh-Hans"]
    anchors = [[one.get("id") for one in page.all("section")] for page in (english, chinese)]
    assert anchors == [["one", "a-part"]] * 2
    for page, tag, address in (
        (english, "zh-Hans", "../zh/notebooks/01_one.html"),
        (chinese, "en", "../../notebooks/01_one.html"),
    ):
        (switch,) = (a for a in page.all("a") if a.get("class") == "edition")
        (alternate,) = (a for a in page.all("link") if a.get("rel") == "alternate")
        assert switch["href"] == alternate["href"] == address
        assert switch["hreflang"] == switch["lang"] == alternate["hreflang"] == tag
    text = in_chinese.page("zh/notebooks/01_one")
    for said in (
        "<title>01_一: 一 — Attention",
        "<h1>01 · 一",
        "<p>一句话。",
        "<h2>一节",
        ">搜索<",
    ):
        assert said in text
    (script,) = re.findall(r"<script[^>]* data-words>(.*?)</script>", text)
    assert json.loads(script)["Nothing found"] == "什么也没找到"
    assert "01_one.html#a-part" in hrefs(Page(in_chinese.page("zh/notebooks/02_two")))


def leads_to_english(in_chinese):
    """What is not said in Chinese stays in English, and a link says so."""
    home = in_chinese.page("zh/index")
    assert '<a href="../docs/learn.html#start" hreflang="en">这里</a>' in home
    assert '<a href="../other.html" hreflang="en">那里</a>' in home
    assert '<a class="reference internal" href="#a-part">' in home
    assert not (in_chinese.site / "zh" / "other.html").exists()
    other = Page(in_chinese.page("other"))
    assert not [a for a in other.all("a") if a.get("class") == "edition"]
    navigation = BeautifulSoup(home, "html.parser").find("nav", class_="bd-docs-nav")
    assert [a["href"] for a in navigation.find_all("a") if "#" not in a["href"]] == [
        "notebooks/01_one.html",
        "notebooks/02_two.html",
    ]
    assert "各课" in navigation.get_text()


def names_in_both_languages(in_chinese):
    """An entry of the glossary goes by both, and a link by the one in Chinese."""
    terms = BeautifulSoup(in_chinese.page("zh/index"), "html.parser").find_all("dt")
    assert [term.get_text(strip=True).rstrip("#¶") for term in terms] == ["词", "word"]
    assert re.search(
        r'<p><a [^>]*href="#term-word"><span [^>]*>词</span></a>：', in_chinese.page("zh/index")
    )
    found = (in_chinese.site / "zh" / "_static" / "sections.js").read_text("utf-8")
    assert '"address": "index.html#term-word", "page": "首页", "title": "词, word"' in found


@functools.cache
def page_of(site, name):
    return Page((site / f"{name}.html").read_text(encoding="utf-8"))


def pages_of(site):
    """Return the site's pages in English, each by its name, taken apart."""
    paths = [path for path in site.rglob("*.html") if not {"_static", "zh"} & {*path.parts}]
    names = sorted(path.relative_to(site).as_posix().removesuffix(".html") for path in paths)
    return {name: page_of(site, name) for name in names}


def hrefs(page):
    return [a.get("href", "") for a in page.all("a")]


def test_old_addresses_of_lessons_lead_to_lessons(site):
    assert stage.MOVED
    for old, new in stage.MOVED.items():
        assert ((site / old).parent / f"{new}.html").exists()
        assert hrefs(page_of(site, old)) == [f"{new}.html"]


# The bundle as a script that pages opened as files may load


def test_the_bundle_becomes_a_script_without_its_export():
    script = stage.classic(BUNDLE.read_text(encoding="utf-8"))
    assert script.startswith("(() => {\n")
    assert script.endswith("})();\n")
    assert "export{" not in script
    assert len(script) < BUNDLE.stat().st_size


@pytest.mark.parametrize(
    "bundle",
    [
        "",
        "let a=1;",
        "let a=1;export default a;",
        "let a=1;export{a};a();",
        'import b from"b";let a=1;export{a};',
        "let a=1;export{a};export{a as b};",
        "let a=import.meta.url;export{a};",
    ],
)
def test_a_bundle_of_another_shape_is_refused(bundle):
    with pytest.raises(BuildError, match=r"^the widgets' bundle "):
        stage.classic(bundle)


# Staging


def test_a_picture_and_a_widget_become_markdown_with_a_file_beside_it(house):
    picture = nbformat.v4.new_output(
        "display_data", {"image/png": PIXEL}, metadata={"image/png": {"alt": "a line"}}
    )
    cell = nbformat.v4.new_code_cell("shown", outputs=[picture], execution_count=1)
    house.lesson("01_one", ONE, cell, widget("</script>", alt="two\nwords"))
    staged = house.stage()
    cells = nbformat.reads(staged["notebooks/01_one.ipynb"], as_version=4).cells
    shown = [o.data["text/markdown"] for cell in cells for o in cell.get("outputs", [])]
    figure = re.fullmatch(r"!\[a line\]\((figures/[0-9a-f]+\.png)\)", shown[0])[1]
    assert base64.b64decode(PIXEL) == staged[f"notebooks/{figure}"]
    start, state, rest = re.split(r"<script.*?>|</script>", shown[1])
    assert start == '<div class="attnlib-widget">\n'
    assert json.loads(state)["traits"]["names"] == ["</script>"]
    assert rest == f"\n\n![two words]({figure})\n\n</div>"


def test_a_link_to_a_moment_stays_and_is_followed(house, tmp_path):
    house.lesson("01_one", "# 01 · One\n\nSee [*it* wins](#moment:it-wins).\n")
    (cell,) = nbformat.reads(house.stage()["notebooks/01_one.ipynb"], as_version=4).cells
    link = '<a href="#moment:it-wins">*it* wins</a>'
    assert f"See {link}." in cell.source
    folder = tmp_path / "a"
    put_pages(folder, **{"b.html": f'{link}<script>{{"slug":"it-wins"}}</script>'})
    links.refuse_broken_links(links.site_files(folder))
    put_pages(folder, **{"b.html": f'{link}<script>{{"slug":"she-wins"}}</script>'})
    with pytest.raises(BuildError, match="there is no #moment:it-wins on that page"):
        links.refuse_broken_links(links.site_files(folder))


def put_pages(folder, **pages):
    for name, text in pages.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


def test_the_encoder_is_on_the_page_for_ones_own_sentence_only_where_it_is_asked_for(house):
    shutil.copy(ROOT / "course" / "site" / "pages" / "sentence.md.j2", house.pages)
    plain = house.stage()
    assert "make site MODEL=1" in plain["sentence.md"].decode()
    assert "static/sentence.js" not in plain
    outputs = [{"data": o.data, "metadata": o.metadata} for o in widget("a").outputs]
    page = {"most": 7, "build": "abc", "parts": [{"name": "a", "address": "model/a.js", "size": 1}]}
    costs = {"sentences": 20, "state": 0.0654, "weight": 0.0229, "same": 0.9962, "cosine": 0.9995}
    facts = {"page": page, "megabytes": 32.2, "plain": 24, "first": "I saw", "costs": costs}
    whole = house.stage(facts | {"shown": 2 * outputs})
    text = whole["sentence.md"].decode()
    (place,) = [a for _, a in Page(text).tags if a.get("class") == "own-sentence"]
    assert json.loads(place["data-model"]) == page
    assert "<strong>32 MB</strong>" in text
    assert re.findall(r"\| ([\d.]+ ?%?) \|", text.replace("&nbsp;", " ")) == [
        *("0.023", "0.065", "99.62 %", "0.99950")
    ]
    assert "make site" not in text
    assert whole.keys() - plain.keys() >= {"static/sentence.js"}


@pytest.mark.parametrize(
    ("text", "what", "line"),
    [
        ("# 01 · One\n\n$x^2$ `x^`\n\nSo $x^$.\n", "the formula x^ does not parse", 5),
        ("# 01 · One\n\n% slide 1\n## A\n\nOne\n% note\n$x^$\n", "the formula x^ does not", 8),
        ("# 01 · One\n\n> $$\n> x^2\n> x^\n> $$\n", "the formula x^2\nx^ does not parse", 4),
        ("# 01 · One\n\nno.png\n\n![a](../images/no.png)\n", "the picture no.png cannot be", 5),
        ("# 01 · One\n\n![a](<../images/n o.png>)\n", "the picture n o.png cannot be", 3),
        ("# 01 · One\n\n![a](../images/n%20o.png)\n", "the picture n o.png cannot be", 3),
    ],
)
def test_what_cannot_be_shown_is_named_with_lesson_cell_and_line(house, text, what, line):
    house.lesson("01_one", text)
    with pytest.raises(BuildError) as told:
        house.stage()
    where = rf"01_one, cell 1 \([\w-]+\), 01_one\.md line {line + 4}: "
    assert re.match(where + re.escape(what), str(told.value)), told.value


def test_decks_and_handouts_of_the_lessons_are_handed_out_with_size_and_minutes(
    house, pretended, monkeypatch
):
    def is_current(page, *_):
        return page.exists() and b"of another state" not in page.read_bytes()

    monkeypatch.setattr(stage, "is_current", is_current)
    house.slides.mkdir(parents=True)
    (house.slides / "01_one.pdf").write_bytes(b"older than the deck")
    (house.slides / "01_one.html").write_bytes(b"x" * 1_234_567)
    os.utime(house.slides / "01_one.pdf", ns=(1, 1))
    (house.slides / "02_two.html").write_bytes(b"of another state")
    (house.slides / "02_two.pdf").write_bytes(b"x" * 300_000)
    house.lesson("01_one", "% slide 3\n# 01\n\n*Which?*\n\n% slide 10 B\n% extra\nb\n")
    house.lesson("03_three", "# 03 · Three\n\n*Which?*\n")
    (house.slides / "03_three.html").write_bytes(b"x" * 400_000)
    (house.slides / "03_three.pdf").write_bytes(b"x" * 300_000)
    staged = house.stage()
    title, *_ = nbformat.reads(staged["notebooks/03_three.ipynb"], as_version=4).cells
    along = re.findall(r'href="([^"]+)"', title.source)
    assert (
        along
        == ["../index.html"] + [f"../slides/03_three.{kind}" for kind in ("html", "pdf")] + ALWAYS
    )
    title, *_ = nbformat.reads(staged["notebooks/01_one.ipynb"], as_version=4).cells
    assert "slides</a> (3 minutes, or 13 with all that is extra), <a" in title.source
    assert not re.search(UNREADABLE, BeautifulSoup(title.source, "html.parser").get_text())
    table = staged["slides.md"].decode()
    one, two, three = re.findall(r"^\| \[.*$", table, re.MULTILINE)
    assert 'href="slides/01_one.html"' in one
    assert one.endswith(", 1.2 MB | – | 3&nbsp;min | 13&nbsp;min |")
    assert two.endswith("| – | – | – | – |")
    assert 'href="slides/03_three.pdf"' in three
    assert re.search(r", 0\.3 MB \| – \| – \|$", three)
    assert "make slides site " in table
    assert "make slides PDF=1 site " in table
    house.build()
    handed = [path.name for path in (house.site / "slides").iterdir()]
    assert sorted(handed) == ["01_one.html", "03_three.html", "03_three.pdf"]


def test_a_deck_of_the_lesson_as_it_is_is_found_and_no_other(house):
    from course.slides.__main__ import write_deck

    lesson = house.lesson("01_one", "% slide 3\n# 01 · One\n\n% say this\n% show\ntext\n")
    write_deck(lesson, None)
    found = stage.find_downloads({"01_one": lesson})
    assert found == {"01_one": {"deck": lesson.built("slides", "html"), "handout": None}}
    lesson = house.lesson("01_one", "% slide 3\n# 01 · One\n\n% show\nother text\n")
    assert stage.find_downloads({"01_one": lesson})["01_one"]["deck"] is None


def test_an_old_address_leads_on(house):
    page = house.stage()["extra/notebooks/00_old.html"].decode()
    assert 'http-equiv="refresh" content="0; url=01_one.html"' in page
    assert '<a href="01_one.html">' in page


# The repository's address


@pytest.mark.parametrize("end", ["", "/", ".git"])
def test_the_repositorys_address_is_tidied(end):
    assert command.github(f"https://github.com/a-b/c.d{end}") == "https://github.com/a-b/c.d"


@pytest.mark.parametrize(
    "address", ["a.b", "https:///", "https://a.b/?c", "https://a.b/index.html"]
)
def test_an_address_of_the_site_that_names_no_folder_is_refused(address, capsys):
    with pytest.raises(SystemExit):
        command.main(["--address", address])
    assert (
        f"a host and a folder, without ? and #, and {address!r} is none" in capsys.readouterr().err
    )


@pytest.mark.parametrize("address", ["a/b", "https://github.com/a", "https://gitlab.com/a/b"])
def test_another_address_is_refused(address, capsys):
    assert command.main(["--repository", address]) == 1
    error = "error: the repository's address is https://github.com/OWNER/NAME, and "
    assert capsys.readouterr().err == f"{error}{address!r} is not\n"


def test_launch_links_come_with_the_repository_alone(site, house):
    hosts = ("mybinder.org", "colab.research.google.com")
    for name, page in pages_of(site).items():
        lessons = NAMES if name == "run" else [name]
        expected = len(lessons) if name == "run" or (ROOT / f"{name}.ipynb").exists() else 0
        for host in hosts:
            found = [link for link in hrefs(page) if host in link]
            assert len(found) == expected, name
            assert all(any(lesson in link for lesson in lessons) for link in found)
    run = house.stage()["run.md"].decode()
    assert not [host for host in hosts if host in run]
    assert "built without one" in run


def test_what_binder_runs_is_there():
    assert "pip install" in (ROOT / "binder" / "postBuild").read_text()
    assert (ROOT / "binder" / "postBuild").stat().st_mode & 0o111
    assert re.fullmatch(r"python-3\.11\n", (ROOT / "binder" / "runtime.txt").read_text())


# Links


@pytest.mark.parametrize(
    ("html", "problem"),
    [
        ('<a href="no.html">', "a/b.html: no.html leads to no file"),
        ('<img src="../no.png">', "a/b.html: ../no.png leads to no file"),
        ('<a href="../c.html#no">', "a/b.html: ../c.html#no: there is no #no on that page"),
        ('<a href="#no">', "a/b.html: #no: there is no #no on that page"),
        ('<a href="/c.html">', "a/b.html: /c.html stands on the host's root"),
        ('<a href="../../c.html">', "a/b.html: ../../c.html leads to no file"),
        ('<script src="https://x.org/a.js"></script>', "a/b.html: it loads https://x.org/a.js"),
        ('<link href="//x.org/a.css">', "a/b.html: it loads //x.org/a.css"),
        ('<img srcset="https://x.org/a.png 2x">', "a/b.html: it loads https://x.org/a.png"),
        ("<style>", "s.css: it loads https://x.org/f"),
    ],
)
def test_a_link_that_leads_nowhere_or_elsewhere_is_named(tmp_path, html, problem):
    style = "a{background:url('https://x.org/f')}" if html == "<style>" else "a{background:url(b)}"
    put_pages(tmp_path, **{"a/b.html": html, "c.html": "", "s.css": style})
    with pytest.raises(BuildError) as told:
        links.refuse_broken_links(links.site_files(tmp_path))
    _, *problems = str(told.value).split("\n  ")
    assert len(problems) == 1
    assert problems[0].startswith(problem)


def test_links_that_lead_somewhere_pass_and_those_outside_are_listed(tmp_path):
    inside = ["b.html", "../c.html?x=1#%C3%A9", "#here", "#"]
    listed = "".join(f"<a href={x}>" for x in [*inside, "https://x.org/p#q", "mailto:a@b"])
    other = "<p id=é><a href=https://x.org/p>"
    put_pages(tmp_path, **{"a/b.html": f"<p id=here>{listed}", "c.html": other})
    files = links.site_files(tmp_path)
    links.refuse_broken_links(files)
    assert links.outside_links(files) == [("https://x.org/p", "a/b.html")]


# Building again


@pytest.mark.weekly
def test_what_changed_is_made_anew_and_nothing_else(house):
    house.lesson("01_one", ONE, widget("a", alt=ODD))
    assert house.build() > (20, 0)
    one = Page(house.page("notebooks/01_one"))
    assert len(one.all("math")) == 2
    assert [image["alt"] for image in one.all("img")] == [ODD]
    assert len(one.states()) == 1
    assert "widgets.js" in house.page("notebooks/01_one")
    assert "widgets.js" not in house.page("notebooks/02_two")
    assert 'href="01_one.html#a-part"' in house.page("notebooks/02_two")

    first = house.times()
    assert house.build() == (0, 0)
    house.lesson("01_one", ONE.replace("A sentence.", "Another."), widget("a", alt=ODD))
    house.build()
    second = house.times()
    assert {name for name in second if second[name] != first[name]} == {"notebooks/01_one.html"}
    assert "Another." in house.page("notebooks/01_one")

    (house.folder / "room" / "static" / "site.css").write_text("p { color: red; }\n")
    (house.notebooks / "src" / "02_two.md").unlink()
    (house.notebooks / "02_two.ipynb").unlink()
    assert house.build()[1] == 2  # the page, and the notebook to take along
    assert not (house.site / "notebooks" / "02_two.html").exists()
    assert "02 · Two" not in house.page("notebooks/01_one")
    assert "red" in (house.site / "_static" / "site.css").read_text()


@pytest.mark.full
def test_what_sphinx_warns_of_is_told_each_time_and_nothing_is_written(house):
    house.lesson("01_one", ONE + "\n% note\nA line, and [a hole](#no-such-part).\n")
    with (house.pages / "index.md").open("a") as page:
        page.write("\nA half: $\\frac{x}$\n")
    for _ in range(2):  # Sphinx alone would keep quiet of what it has read already
        with pytest.raises(BuildError) as told:
            house.build()
        where = r"01_one, cell 1 \(01-one-1\), 01_one\.md line 16: WARNING: .*no-such-part"
        assert re.search(where, str(told.value)), told.value
        where = r"course/site/pages/index\.md:11: WARNING: the formula \\frac{x} does not parse"
        assert re.search(where, str(told.value)), told.value
        assert len(str(told.value).splitlines()) < 6
    assert not house.site.exists()


def test_a_page_of_docs_leaves_its_other_language_to_the_clone(house):
    page = house.folder / "docs" / "learn.md"
    page.write_text("# Learn · [中文](zh/learn.md)\n\nOne.\n", "utf-8")
    assert house.stage()["docs/learn.md"] == b"# Learn\n\nOne.\n"


@pytest.mark.parametrize(
    ("staged", "ours"), [("docs/learn.md", "docs/learn.md"), ("run.md", "course/site/pages/run.md")]
)
def test_a_warning_names_the_page_to_edit(house, monkeypatch, staged, ours):
    said = f"{house.work / 'source' / staged}:3: WARNING: no"
    done = SimpleNamespace(returncode=1, stdout=said)
    monkeypatch.setattr(sphinx.subprocess, "run", lambda *_, **__: done)
    with pytest.raises(BuildError) as told:
        sphinx.run_sphinx(house.work, {})
    assert str(told.value) == f"Sphinx warns:\n{ours}:3: WARNING: no"


def test_a_run_that_was_stopped_is_not_built_upon(house, monkeypatch):
    halves, found = [house.work / "html" / "half", house.work / "doctrees" / "half"], []

    def stop(*_, **__):
        found.extend(half for half in halves if half.exists())
        for half in halves:
            half.parent.mkdir(parents=True, exist_ok=True)
            half.touch()
        raise KeyboardInterrupt

    monkeypatch.setattr(sphinx.subprocess, "run", stop)
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            house.build()
    assert not found
    assert not house.site.exists()


def test_what_sphinx_made_is_built_upon_as_long_as_nobody_else_was_at_it(house, pretended):
    assert house.build() == (2, 0)
    (house.work / "html" / "a" / "b.html").unlink()
    assert house.build() == (0, 0)
    (house.work / "html" / "index.html").write_text("half")
    assert house.build() == (0, 0)
    (house.work / "html" / "more.html").touch()
    assert house.build() == (0, 0)
    house.lesson("01_one", ONE + "More.\n")
    assert house.build() == (0, 0)
    assert pretended.found == [[], [], [], [], ["b.html", "index.html"]]


def test_links_are_followed_each_time(house, pretended):
    pretended.makes["index.html"] = "<a href=no.html>"
    for _ in range(2):
        with pytest.raises(BuildError, match=r"no\.html leads to no file"):
            house.build()
    assert len(pretended.found) == 1


@pytest.mark.parametrize("call", ["shutil.copyfile", "Path.rename"])
@pytest.mark.parametrize("good", [0, 1])
def test_a_site_that_cannot_be_written_leaves_the_old_one(
    house, pretended, monkeypatch, call, good
):
    house.build()
    before = house.times()
    pretended.makes |= {"index.html": "changed", "c.html": "more"}
    house.lesson("01_one", ONE + "More.\n")
    target, _, name = call.partition(".")
    real, calls = getattr(getattr(files, target), name), []

    def full(*paths):
        calls.append(paths)
        if len(calls) == good + 1:
            raise OSError(errno.ENOSPC, "the disk is full")
        return real(*paths)

    with monkeypatch.context() as patched:
        patched.setattr(f"course.files.{call}", full)
        with pytest.raises(BuildError, match=r"^writing the site: .*the disk is full"):
            house.build()
    assert house.times() == before
    assert not [path for path in house.folder.iterdir() if path.name.startswith(".")]
    assert house.build() == (2, 0)


@pytest.mark.parametrize("links", [True, False])
def test_a_site_takes_the_place_of_one_that_a_killed_run_put_aside(tmp_path, monkeypatch, links):
    if not links:
        monkeypatch.setattr(os, "link", lambda *_: os.rmdir(tmp_path))
    here, made = tmp_path / "site", tmp_path / "made"
    made.mkdir()
    for name in ("a.html", "b.html", "c.map"):
        (made / name).write_text(name)
    files.publish({path.name: path for path in made.iterdir()}, here)
    os.utime(here / "a.html", ns=(1, 1))
    here.rename(tmp_path / ".site.old")
    (tmp_path / ".site.new").mkdir()
    (made / "b.html").write_text("new")
    assert files.publish({path.name: path for path in made.glob("*.html")}, here) == (1, 1)
    assert sorted(path.name for path in here.iterdir()) == ["a.html", "b.html"]
    assert (here / "a.html").stat().st_mtime_ns == 1
    assert (here / "b.html").read_text() == "new"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["made", "site"]


def test_a_second_run_waits_for_the_first(house, pretended, monkeypatch, capsys):
    house.work.mkdir(parents=True)
    first = (house.work / "lock").open("a")
    assert builder.try_lock(first)

    def wait(seconds):
        assert not pretended.found
        first.close()

    monkeypatch.setattr(time, "sleep", wait)
    assert house.build() == (2, 0)
    assert first.closed
    assert capsys.readouterr() == ("", "Another run is building the site; waiting for it.\n")


def test_another_version_of_what_makes_pages_makes_them_anew(house, monkeypatch):
    made_by = house.stage()["settings.json"]
    monkeypatch.setattr(stage, "makers", lambda room: f"others in {room}")
    assert house.stage()["settings.json"] != made_by
    assert b"others in site" in house.stage()["settings.json"]


def test_ctrl_c_is_told_in_a_line(monkeypatch, capsys):
    def stop(repository, model, address):
        assert model
        assert address == "https://a.org/b/"
        raise KeyboardInterrupt

    monkeypatch.setattr(command, "build", stop)
    assert command.main(["--model", "--address", "https://a.org/b"]) == 130
    assert capsys.readouterr() == ("", "stopped: the site is as it was\n")


# The whole site


KEPT = ["glossary", "reference", "docs/learn", "sentence", "letters", "run", "docs/lecture"]
KEPT += ["syllabus", "slides", "docs/homework", "docs/grading", "docs/defended", "homework"]


ALL_KINDS = ["index", *KEPT, SHEET.format("hw1", "hw1_scores_and_weights")]
ALL_KINDS += ["notebooks/04_self_attention", "notebooks/99_summary"]
ALL_KINDS.remove("reference")  # whose docstrings speak Python


@pytest.mark.parametrize("name", ALL_KINDS)
def test_nothing_stands_on_a_page_that_no_reader_should_see(site, name):
    page = BeautifulSoup((site / f"{name}.html").read_bytes(), "html.parser")
    for code in page(["script", "style", "pre", "code", "math"]):
        code.replace_with("code")
    parts = page(["title", "h1", "h2", "h3", "p", "li", "td", "th", "dt", "dd", "button"])
    texts = (re.sub(r"\s*\n\s*", " ", part.get_text()) for part in parts)
    assert [text for text in texts if re.search(UNREADABLE, text)] == []


def test_those_who_search_are_told_of_each_page_what_it_is_called_and_where_it_stands(site):
    titles, descriptions = [], []
    sitemap = (site / "sitemap.xml").read_text(encoding="utf-8")
    for name, page in pages_of(site).items():
        if name in (*stage.MOVED, "search"):
            continue
        told = {a.get("name") or a.get("property"): a.get("content") for a in page.all("meta")}
        titles.append(told["og:title"])
        assert told["description"] == told["og:description"]
        assert 20 < len(told["description"]) <= found.LONGEST, name
        descriptions.append(told["description"])
        (canonical,) = [a["href"] for a in page.all("link") if a.get("rel") == "canonical"]
        assert canonical == told["og:url"] == f"{ADDRESS}{name}.html"
        assert f"<loc>{canonical}</loc>" in sitemap
        if picture := told.get("og:image"):
            assert (site / picture.removeprefix(ADDRESS)).exists()
    assert sitemap.count(f"<loc>{ADDRESS}") - sitemap.count(f"<loc>{ADDRESS}zh/") == len(titles)
    assert len(titles) == len({*titles}) == len({*descriptions})
    homework = [one for one in descriptions if re.search(r"After lesson \d\d, about", one)]
    assert len(homework) == len(find_sheets())
    assert "Self-attention: let every word look at every word — Attention, step by step" in titles


@pytest.mark.parametrize(
    ("heading", "subject", "title"),
    [
        ("S", "", "S: how Transformers work, with NumPy alone"),
        ("Glossary", "", "Glossary — S"),
        ("Summary · The whole", "Attention summed up", "Attention summed up: the whole — S"),
    ],
)
def test_the_title_of_a_page_names_the_series_once(heading, subject, title):
    assert found.title(heading, "S", subject) == title


def test_a_page_is_described_by_whole_sentences_of_its_opening():
    long = "It is so. " + "x" * 90 + ". " + "y" * 90 + "."
    assert found.description(long) == "It is so. " + "x" * 90 + "."
    assert (
        found.description("是这样。" + "多" * 90 + "。" + "少" * 90 + "。")
        == "是这样。" + "多" * 90 + "。"
    )


def test_every_page_is_there_and_in_order(site):
    lessons = [f"notebooks/{lesson}" for lesson in NAMES]
    sheets = [SHEET.format(sheet.number, sheet.name) for sheet in find_sheets()]
    wanted = [*KEPT, *sheets, *lessons, *stage.MOVED, "index", "search"]
    assert list(pages_of(site)) == sorted(wanted)
    wanted = [f"{name}.html" for name in (*lessons, *KEPT)]
    assert [
        link for link in dict.fromkeys(hrefs(page_of(site, "index"))) if link in wanted
    ] == wanted


def test_a_page_of_docs_links_what_the_site_has_and_the_rest_in_the_repository(site):
    assert "../notebooks/00_start_here.html" in hrefs(page_of(site, "docs/learn"))
    links = hrefs(page_of(site, "docs/lecture"))
    assert "learn.html#start" in links
    assert "https://github.com/owner/name/blob/main/CONTRIBUTING.md" in links


@every_lesson
def test_every_formula_of_a_lesson_is_mathml(site, lesson):
    count = sum(map(n_formulas, prose_of(lesson)))
    assert page_of(site, f"notebooks/{lesson}").n_formulas() == count


@every_lesson
def test_every_picture_and_widget_of_a_lesson_is_there(site, lesson):
    page = page_of(site, f"notebooks/{lesson}")
    outputs = [output for output in outputs_of(lesson) if "data" in output]
    assert len(page.all("div", "attnlib-grid")) == sum(GRID in o.data for o in outputs)
    pictures = [o for o in outputs if "image/png" in o.data and GRID not in o.data]
    alts = [" ".join(o.metadata["image/png"].alt.split()) for o in pictures]
    found = [image["alt"] for image in page.all("img") if "logo" not in image["src"]]
    assert [alt for alt in found if alt in alts] == alts
    assert all(found)
    recorded = widgets_of(lesson)
    assert page.states() == recorded
    scripts = [a.get("src", "") for a in page.all("script")]
    assert sum("widgets.js" in script for script in scripts) == bool(recorded)


@pytest.mark.parametrize("sheet", find_sheets(), ids=lambda sheet: sheet.number)
def test_a_sheet_shows_what_its_code_prints_and_no_answer(site, sheet):
    path = site / f"{SHEET.format(sheet.number, sheet.name)}.html"
    text = html.unescape(re.sub(r"<.*?>", "", path.read_text(encoding="utf-8")))
    executed = nbformat.read(
        sheet.path.parents[1] / "teacher" / sheet.number / f"{sheet.name}.ipynb", 4
    )
    printed = [out.text.strip() for cell in executed.cells for out in cell.get("outputs", ())]
    assert [one for one in printed if one in text]
    assert {text.count(one) for one in printed if "passes the tests" in one} == {1}  # the code
    for item in sheet.items:
        own = sheet.cells[item.cell].source
        answer = own if item.written else own.partition(BEGIN)[2].partition(END)[0]
        lines = [line.strip() for line in answer.splitlines() if len(line) > 30]
        assert not all(line in text for line in lines)  # a line may stand in the worked example


def public_names():
    names = [f"attnlib.{name}" for name in attnlib.__all__]
    for name in ("widgets", "plotting", "encoder", "world", "writer"):
        names += [f"attnlib.{name}.{one}" for one in import_module(f"attnlib.{name}").__all__]
    text = import_module("attnlib.text")
    ours = [n for n, x in vars(text).items() if getattr(x, "__module__", "") == text.__name__]
    return [*names, *(f"attnlib.text.{name}" for name in ours if not name.startswith("_"))]


@pytest.mark.parametrize("name", public_names())
def test_every_public_name_stands_in_the_reference_once(site, name):
    ids = [a.get("id") for _, a in page_of(site, "reference").tags]
    assert ids.count(name) == 1, f"course/site/pages/reference.md: one line for {name}"


@pytest.fixture
def glossary(site):
    return (site / "glossary.html").read_text(encoding="utf-8")


def test_the_glossary_shows_the_colours_of_the_pictures(glossary):
    for role, color in COLORS.items():
        row = re.search(rf"<tr[^>]*><td><p>{role}</p></td>.*?</tr>", glossary, re.DOTALL)[0]
        assert row.count(color) == 2


def test_the_glossary_lists_every_function_that_is_written(glossary):
    for name in [name for lesson in SERIES.values() for name in lesson.exercises]:
        assert re.search(rf"<code[^>]*>(<span[^>]*>)?{name}(</span>)?</code>", glossary), name


def test_every_term_links_the_section_that_defines_it_and_those_met_elsewhere_stand_there(glossary):
    definitions = re.findall(r"<dd>.*?</dd>", glossary, re.DOTALL)
    assert len(definitions) > 15
    assert all(re.search(r'href="notebooks/\d\d_\w+\.html#[\w-]+"', dd) for dd in definitions)
    known = re.findall(r'<dt id="term-[^"]+">(.*?)<a', glossary)
    elsewhere = {"RoPE", "ALiBi", "KV cache", "GQA", "MQA", "attention sink", "FlashAttention"}
    assert elsewhere | {"residual", "block"} <= set(known)


def test_a_lesson_is_taken_along_as_one_file_that_runs_where_attnlib_is(site):
    for name in NAMES:
        assert f"{name}.ipynb" in hrefs(page_of(site, f"notebooks/{name}"))
        taken = nbformat.read(site / "notebooks" / f"{name}.ipynb", as_version=4)
        nbformat.validate(taken)
        for mine, theirs in zip(notebook_of(name).cells, taken.cells, strict=True):
            shown = re.findall(r"!\[[^]]*\]\(attachment:([\w.]+)\)", theirs.source)
            assert list(theirs.get("attachments", {})) == shown
            for picture in shown:
                data = base64.b64encode((ROOT / "images" / picture).read_bytes()).decode()
                assert theirs.attachments[picture]["image/png"] == data
            assert theirs.source.replace("(attachment:", "(../images/") == mine.source


def test_assignments_say_after_which_lesson_as_the_guide_says(site):
    guide = (ROOT / "docs" / "homework.md").read_text()
    told = re.findall(r"^\| \[(hw\d)\].*? \| (\d\d) \|", guide, re.M)
    assert len(told) == len(find_sheets())
    text = (site / "homework.html").read_text(encoding="utf-8")
    for number, after in told:
        row = re.search(rf"<tr[^>]*>(?:(?!</tr>).)*student/{number}/.*?</tr>", text, re.S)[0]
        assert re.search(r'notebooks/(\d\d)_\w+\.html"', row)[1] == after


# The search, and the theme's icons


def sections_of(site):
    text = (site / "_static" / "sections.js").read_text(encoding="utf-8")
    return json.loads(text.removeprefix("const SECTIONS = ").rstrip().removesuffix(";"))


def test_a_search_leads_to_every_section_and_to_nothing_that_a_cell_shows(site):
    found = {section["address"]: section for section in sections_of(site)}
    pages = links.read_links(links.site_files(site))
    places = [address.partition("#") for address in found]
    assert all(not place or place in pages[page].places for page, _, place in places)
    headings = sum(len(re.findall("^##+ ", lesson.prose, re.M)) for lesson in SERIES.values())
    of_lessons = [
        place for page, _, place in places if re.fullmatch(r"notebooks/\d\d_\w+\.html", page)
    ]
    assert len(of_lessons) == headings + len(SERIES)
    rope = found["glossary.html#term-RoPE"]
    assert rope["title"] == "RoPE, rotary position embedding"
    assert rope["text"].startswith("Each query and each key is turned")
    shown = found["notebooks/02_scaling.html#when-is-a-score-large"]
    assert "√512 " in shown["text"]
    assert "sqrt" in shown["code"].split()
    assert "larger than 8: 0.1%" not in shown["text"]
    assert "RoPE" in found["notebooks/08_positional_encoding.html#rotary-turn-do-not-add"]["names"]
    assert found["reference.html#attnlib.causal_mask"]["page"] == "Reference"


def test_an_excerpt_has_a_fraction_as_one_would_write_it():
    assert sections._plain(r"\tfrac12 h + \frac{a}{bc} \cdot \sqrt{d}") == "1/2 h + a/bc · √d"


def test_every_icon_is_drawn_in_our_style_and_the_themes_script_is_left_out(site):
    style = (site / "_static" / "icons.css").read_text()
    known = {*re.findall(r"^\.(fa-[\w-]+) \{$", style, re.M), "fa-solid", "fas", "fa-lg", "fa-fw"}
    for name, page in pages_of(site).items():
        used = {one for icon in page.all("i") for one in icon.get("class", "").split()}
        assert {one for one in used if one.startswith("fa")} <= known, name
    assert not list(site.rglob("fontawesome*.js"))


@pytest.mark.parametrize("n_scripts", [0, 2])
def test_icons_in_another_place_of_the_theme_are_noticed(n_scripts):
    with pytest.raises(BuildError, match=f"loads its icons {n_scripts} times"):
        extension.without_icons("<script defer src='fontawesome.js?x'></script>" * n_scripts)


# The syllabus


def test_the_syllabus_states_the_minutes_that_decks_and_lessons_state(site):
    text = (site / "syllabus.html").read_text(encoding="utf-8")
    told = text[text.index('id="what-each-lesson-is-for"') :]
    minutes = dict(
        re.findall(r'notebooks/(\w+)\.html".*?<p>([\d.]+)</p></td>\s*<td[^>]*><p>\d+<', told, re.S)
    )
    decks = (site / "slides.html").read_text(encoding="utf-8")
    for name in WALK:
        whole = sum(slide.minutes for slide in SERIES[name].slides)
        assert minutes[name] == f"{whole:g}"
        row = rf'notebooks/{name}\.html"(?:(?!</tr>).)*<p>{whole:g}\xa0min</p>'
        assert re.search(row, decks, re.S)


def test_a_lecture_of_the_syllabus_takes_no_longer_than_it_may():
    sheets = [{"after": after} for after in ("03", "05", "07", "08")]
    for plan, n_lectures in (
        *((syllabus.SHORT, 8), (syllabus.LONG, 10), (syllabus.FIVE, 5)),
        (syllabus.EVENING, 2),
    ):
        told = syllabus.lectures(plan, SERIES.values(), sheets)
        assert len(told) == n_lectures
        for lecture in told:
            total = sum(float(part["minutes"]) for part in lecture["parts"])
            assert float(lecture["minutes"]) == total <= plan.most
            heard = lecture["parts"][-1]["lesson"].number
            assert lecture["sheet"] is None or lecture["sheet"]["after"] <= heard
        handed = [lecture["sheet"] for lecture in told if lecture["sheet"]]
        assert handed == sheets or plan in (syllabus.FIVE, syllabus.EVENING)


def test_the_long_course_has_every_lesson_once_and_in_order():
    told = [part.number for lecture in syllabus.LONG.lectures for part in lecture]
    assert told == [SERIES[name].number for name in WALK[1:]]  # 00 is for at home


def test_a_lecture_shows_the_core_and_the_rest_is_for_at_home():
    (lecture,) = syllabus.lectures(syllabus.SHORT, SERIES.values(), [])[4:5]
    (part,) = lecture["parts"]
    core, whole = planned(SERIES["05_masking"].slides)
    assert float(part["minutes"]) == core.minutes < whole.minutes
    assert part["aside"]
    assert not any(one.startswith("A harder task") for one in part["aside"])
    assert part["at_home"] == ["padding_mask", "masked_attention", "prefix_mask"]


def test_in_an_evening_nobody_writes_code():
    lessons = {lesson.number: lesson for lesson in SERIES.values()}
    for part in [part for lecture in syllabus.EVENING.lectures for part in lecture]:
        assert not any(slide.exercise for slide in syllabus.shown(part, lessons[part.number]))


UNKNOWN = syllabus.Part("01", "told", ("No such",))


@pytest.mark.parametrize(
    ("part", "most", "problem"),
    [
        (syllabus.Part("01"), 5, r"lecture 1: it may take 5 minutes, and its slides take \d+"),
        (syllabus.Part("98"), 90, "the syllabus names lesson 98, which is not there"),
        (UNKNOWN, 90, "a section of 01_.* without a slide: No such"),
    ],
)
def test_a_syllabus_that_cannot_be_taught_is_refused(part, most, problem):
    with pytest.raises(BuildError, match=problem):
        syllabus.lectures(syllabus.Plan(most, ((part,),)), SERIES.values(), [])


def test_a_pages_own_weight_is_small(site, budget):
    for name, page in pages_of(site).items():
        sources = [a["src"] for a in page.all("img") + page.all("script") if "src" in a]
        files = {source.partition("?")[0] for source in sources}
        ours = [f for f in files if "_images/" in f or f.endswith("widgets.js")]
        paths = [(site / name).parent / file for file in ours] + [site / f"{name}.html"]
        weight = sum(path.stat().st_size for path in paths)
        budget(f"the site's {name}, bytes", weight, most=830_000)


def test_nothing_is_shipped_twice(site):
    files = [path.read_bytes() for path in (site / "_images").iterdir()]
    assert len(files) == len(set(files)) > 30
    scripts = (site / "_static").rglob("*.js")
    assert len([path for path in scripts if b"attnlib-enlivened" in path.read_bytes()]) == 1


def test_nothing_of_this_machine_nor_of_a_vendor_is_in_it(site):
    vendors = r"cdn|jsdelivr|unpkg|googleapis|gstatic|mathjax|katex|analytics|readthedocs"
    seen = set()
    for path in site.rglob("*"):
        if path.suffix in (".html", ".js", ".css"):
            text = path.read_text(encoding="utf-8")
            assert str(site.parent) not in text
            assert str(ROOT) not in text
        if path.suffix == ".html":
            tags = [a for _, a in Page(text).tags]
            loaded = {a.get("src") for a in tags} | {a.get("href") for a in tags if a.get("rel")}
            assert not [x for x in loaded if x and re.search(f"(?i){vendors}", x)], path
            seen |= loaded
    assert len(seen) > 30
