"""README, CONTRIBUTING and the pages of docs/: what they show and point at is there."""

import doctest
import re
from pathlib import Path

import numpy as np
import pytest

import attnlib
from course.lesson import catalogue
from course.lesson.catalogue import Entry
from course.lesson.documents import DOCUMENTS as CATALOGUE
from course.lesson.editions import Edition
from course.lesson.series import fill_in_readme
from tests.lessons import NAMES, SERIES

ROOT = Path(__file__).parent.parent
DOCS = sorted((ROOT / "docs").rglob("*.md"))
IN_CHINESE = {"README.md": "README.zh.md"}
IN_CHINESE |= {f"docs/{name}.md": f"docs/zh/{name}.md" for name in ("learn", "lecture")}
READMES = [ROOT / "README.md", ROOT / "README.zh.md"]
DOCUMENTS = [*READMES, ROOT / "CONTRIBUTING.md", *DOCS]
SITE = sorted((ROOT / "course/site/pages").iterdir())
every_document = pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)


def test_the_readme_is_a_front_door():
    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) <= 100


@pytest.mark.parametrize("pair", IN_CHINESE.items(), ids="-".join)
def test_each_names_the_other_language_on_its_first_line(pair):
    for name, other in (pair, reversed(pair)):
        first = (ROOT / name).read_text("utf-8").partition("\n")[0]
        (link,) = re.findall(r"\]\((.+)\)$", first)
        assert (ROOT / name).parent.joinpath(link).resolve() == ROOT.resolve() / other


def test_pages_in_chinese_are_what_the_english_and_the_catalogue_make():
    made = Edition("zh", SERIES).documents()
    assert sorted(made) == [path for path in DOCS if path.parent.name == "zh"]
    for path, text in made.items():
        assert path.read_text("utf-8") == text, "python -m course edition zh writes it anew"
        _, *headings = places(ROOT.joinpath("docs", path.name).read_text("utf-8"))
        assert set(headings) <= {*places(text)}


def test_a_page_in_chinese_leads_on_as_the_english_does_and_marks_what_is_english(tmp_path):
    pages = {
        "a.md": "# One · [中文](zh/a.md)\n\n## It is\n\n[b](b.md#so) [n](../n.ipynb) "
        "![p](../p.png)\n\nNew.\n\n| it | old |\n\n1. Three.\n\n   ```py\n   some = code\n   ```\n",
        "b.md": "# Two · [中文](zh/b.md)\n\n## So\n\n[c](c.md), [w](https://a.b/c.md), [so](#so)\n",
        "c.md": "# C\n",
    }
    room = tmp_path / "notebooks/zh/src"
    for folder in (room, tmp_path / "docs", tmp_path / "zh"):
        folder.mkdir(parents=True)
    (tmp_path / "zh/n.ipynb").touch()
    for name, text in pages.items():
        (tmp_path / "docs" / name).write_text(text, "utf-8")
    words = {"One": "甲", "It is": "是", "Three.": "三。", "So": "乙"}
    entries = {text: Entry("text", said) for text, said in words.items()}
    entries["| it | old |"] = Entry("row", "| it | 旧 |", was="| it | older |")
    (room / f"{CATALOGUE}.po").write_bytes(catalogue.written(entries, "zh_Hans"))
    edition = Edition("zh", {"01": SERIES["01_dot_product_similarity"]})
    edition.folder = tmp_path / "notebooks/zh"
    one, two = edition.documents().values()
    assert one == (
        '# <a id="one"></a>甲 · [English](../a.md)\n\n## <a id="it-is"></a>是\n\n'
        "[b](b.md#so) [n](../../zh/n.ipynb) ![p](../../p.png)\n\n"
        '<span lang="en">New.</span>\n\n'
        '| <span lang="en">it</span> | <span lang="en">old</span> |\n\n'
        "1. 三。\n\n   ```py\n   some = code\n   ```\n"
    )
    assert two.startswith('# <a id="two"></a><span lang="en">Two</span> · [English](../b.md)\n')
    assert "[c](../c.md), [w](https://a.b/c.md), [so](#so)" in two


@pytest.mark.parametrize("page", [*DOCS, *SITE], ids=lambda path: path.name)
def test_no_page_sends_its_reader_back_to_the_readme(page):
    assert "README" not in page.read_text("utf-8")


def test_the_report_in_the_readme_is_what_check_says():
    examples = doctest.DocTestParser().get_examples((ROOT / "README.md").read_text("utf-8"))
    (example,) = [x for x in examples if x.source.startswith("check(")]
    report = eval(example.source, {"np": np, "check": attnlib.check})
    assert example.want.removesuffix("```\n").strip() == str(report)


def places(text):
    """List the anchors that GitHub gives a page's headings, and so does the site."""
    headings = re.findall(r"^#+ (.+)$", re.sub(r"(?ms)^```.*?^```", "", text), re.MULTILINE)
    ours = [re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings]
    return [*ours, *re.findall(r"<a id=\"([^\"]+)\">", text)]


@every_document
def test_links_lead_somewhere(document):
    text = document.read_text("utf-8")
    links = re.findall(r"\]\(([^)]+)\)|src(?:set)?=\"([^\"]+)", text)
    inside = [link for pair in links for link in pair if link and not link.startswith("http")]
    assert inside
    for link in inside:
        path, _, place = link.partition("#")
        target = document.parent / path if path else document
        assert target.exists(), link
        assert not place or place in places(target.read_text("utf-8")), link


def test_the_readmes_list_of_lessons_is_made_from_their_sources():
    text = (ROOT / "README.md").read_text("utf-8")
    assert fill_in_readme(text, SERIES, ROOT) == text, "make notebooks writes it anew"
    listed = re.findall(r"^\| \[.*\]\(notebooks/(\d\d_\w+)\.ipynb\)", text, re.MULTILINE)
    assert listed == NAMES


COUNTED = "(lessons|stations|decks|widgets|exercises|functions|notebooks|pictures)"


def test_nothing_says_how_many_lessons_or_exercises_there_are():
    numbers = r"\d+|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|eighteen|twenty"
    counts = re.compile(rf"(?i)(?<![-–\w])({numbers}) {COUNTED}\b(?! (?:of|with|from) )")
    texts = {str(path): path.read_text("utf-8") for path in DOCUMENTS}
    texts |= {path.name: path.read_text("utf-8") for path in SITE}
    opening = {name: lesson.prose[:4000] for name, lesson in SERIES.items()}
    found = {name: counts.findall(text) for name, text in (texts | opening).items()}
    assert {name: counted for name, counted in found.items() if counted} == {}


@every_document
def test_make_commands_exist(document):
    makefile = (ROOT / "Makefile").read_text("utf-8")
    text = document.read_text("utf-8")
    named = re.findall(r"(?:^|`)make ([a-z]+)\b(?=[` ]|$)", text, re.MULTILINE)
    targets = re.findall(r"^([\w-]+(?: [\w-]+)*):", makefile, re.MULTILINE)
    assert named
    assert set(named) <= {target for line in targets for target in line.split()}
