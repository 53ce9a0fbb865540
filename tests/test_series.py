"""What is known of a lesson stands in its source; lists, links and alt texts are made from it."""

import os
from argparse import ArgumentParser
from pathlib import Path

import pytest
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from course import BuildError
from course.lesson.options import add_lesson_options, chosen_lessons
from course.lesson.series import fill_in_readme, find_lessons
from course.site.build import build
from tests.lessons import NAMES, SERIES
from tests.toys import put_lesson

HEAD = "---\nstation: [{name}, {adds}]\nfound: [ones, all of one]\n---\n\n"
ONE = """% slide 2
# 01 · One & only

*Which one?*

![](../images/one.png)

**Time:** {{ minutes }}. **You write** {{ exercises }}.

### Your turn: `f` and `g`

```{code-cell}
check("f", f)
```

```{code-cell}
check("g", g)
```

### A harder task: `h`

```{code-cell}
check("h", h)
```

## After

```{code-cell}
check("shown", shown)
widgets.Softmax([1, 2]); widgets.Mask(1); widgets.Softmax([3])
```

% show
{{ next }}
"""
TWO = "# 02 · Two\n\n*Which two?*\n\n{{ next }}\n"
LAST = "# Summary · All\n\n*Which all?*\n\n{{ lessons }}\n\nA line.\n\nAnother. {{ no }}\n"


@pytest.fixture
def root(tmp_path):
    sources = tmp_path / "notebooks" / "src"
    sources.mkdir(parents=True)
    (sources / "01_one.md").write_text(HEAD.format(name="one", adds="a · b") + ONE)
    (sources / "02_two.md").write_text(TWO)
    (sources / "99_all.md").write_text(LAST)
    (tmp_path / "images").mkdir()
    words = PngInfo()
    words.add_itxt("Description", "A “line” − said once")
    Image.new("L", (1, 1)).save(tmp_path / "images" / "one.png", pnginfo=words)
    return tmp_path


def lesson(root, name):
    return find_lessons(root / "notebooks")[name]


def test_a_lessons_facts_are_read_from_its_source(root):
    one = lesson(root, "01_one")
    assert (one.number, one.label, one.title) == ("01", "01", "01 · One & only")
    assert (one.question, one.picture) == ("Which one?", "one")
    assert one.exercises == ["f", "g", "h"]
    assert one.harder == ["h"]
    assert one.widgets == ["Softmax", "Mask"]
    assert (one.station, one.found) == (("one", "a · b"), ("ones", "all of one"))
    assert one.has_slides
    assert [slide.minutes for slide in one.slides] == [2]
    last = lesson(root, "99_all")
    assert last.is_summary
    assert not last.has_slides
    assert last.exercises == last.widgets == []


def test_all_its_files_are_known(root):
    one, notebooks = lesson(root, "01_one"), root / "notebooks"
    picture = root / "images" / "one.png"
    assert one.path == notebooks / "src" / "01_one.md"
    assert one.notebook_path == notebooks / "01_one.ipynb"
    assert one.built("slides", "pdf") == root / "build" / "slides" / "01_one.pdf"
    inputs = [Path(os.path.normpath(path)) for path in one.inputs]
    assert inputs == [one.path, one.notebook_path, picture]


def test_a_fact_that_is_missing_is_named(root):
    two = lesson(root, "02_two")
    two.path.write_text("# 02 · Two")
    with pytest.raises(BuildError, match=r"02_two\.md line 1: a lesson has a question, `\*"):
        _ = two.question
    with pytest.raises(BuildError, match=r"02_two: its front matter has no `station: \["):
        _ = two.station
    with pytest.raises(BuildError, match=r"02_two: its front matter has no `found: \["):
        _ = two.found


def test_lists_links_and_alt_texts_are_filled_in(root):
    one, two, last = find_lessons(root / "notebooks").values()
    text = "\n\n".join(c.source for c in one.notebook.cells if c.cell_type == "markdown")
    assert "![A “line” − said once](../images/one.png)" in text
    assert "**You write** `f` and `g`; as a harder task, `h`." in text
    assert f"**Time:** {one.minutes.told()}. **You write**" in text
    assert (one.minutes.core, one.minutes.parts()) == (10, "the harder task")
    link = "**Next:** [02 · Two](02_two.ipynb). The series on one page: [summary](99_all.ipynb)."
    assert link in text
    assert link in one.slides[0].shown[-1].text
    assert "**Next:** [Summary · All](99_all.ipynb)." in two.notebook.cells[0].source
    table = last.notebook.cells[0].source
    assert "| [02 · Two](02_two.ipynb) | Which two? |  |\n| [Summary · All](99_all.ipynb)" in table
    assert "01_one" not in table  # one begins with the first, where the table stands
    assert "{{ no }}" in table


@pytest.mark.parametrize(
    ("task", "said"),
    [
        ("Your turn: `f`", "`f`."),
        ("A harder task: `f`", "`f`, as a harder task."),
        ("", "no function."),
    ],
)
def test_a_lesson_may_have_exercises_of_one_kind_or_none(tmp_path, task, said):
    check = f'### {task}\n\n```{{code-cell}}\ncheck("f", f)\n```\n' if task else ""
    text = f"# 01 · One\n\n**You write** {{{{ exercises }}}}.\n\n{check}"
    first, *_ = put_lesson(tmp_path, "01_one", text).notebook.cells
    assert f"**You write** {said}" in first.source.splitlines()


def test_lines_are_those_of_the_source_although_lists_are_filled_in(root):
    last = lesson(root, "99_all")
    lines = last.notebook.cells[0].source.splitlines()
    source = last.text.splitlines()
    for words in ("# Summary · All", "A line.", "Another. {{ no }}"):
        assert last.line_of(0, lines.index(words)) == source.index(words) + 1


def test_a_lesson_that_comes_or_goes_changes_lists_and_links_of_the_others(root):
    shown = '<img src="images/one.png" width="9" alt="{}">'
    readme = f"{shown.format('old')}\n\n<!-- lessons -->\nold\n<!-- /lessons -->\n\nEnd\n"
    before = fill_in_readme(readme, find_lessons(root / "notebooks"), root)
    start = f"{shown.format('A “line” − said once')}\n\n<!-- lessons -->\n| lesson |"
    assert before.startswith(start)
    assert "| [01 · One & only](notebooks/01_one.ipynb) | Which one? |" in before
    assert before.endswith("<!-- /lessons -->\n\nEnd\n")
    path = root / "notebooks" / "src" / "03_three.md"
    path.write_text("# 03 · Three\n\n*Which three?*\n")
    series = find_lessons(root / "notebooks")
    assert "[03 · Three](03_three.ipynb)" in series["02_two"].notebook.cells[0].source
    assert "[03 · Three](03_three.ipynb)" in series["99_all"].notebook.cells[0].source
    assert "notebooks/03_three.ipynb" in fill_in_readme(before, series, root)
    path.unlink()
    assert fill_in_readme(before, find_lessons(root / "notebooks"), root) == before


def test_a_folder_may_be_named_in_any_way_and_is_there(root, monkeypatch, capsys):
    monkeypatch.chdir(root)
    parser = ArgumentParser()
    add_lesson_options(parser)
    for name in ("notebooks", "notebooks/", "./notebooks", "notebooks/src/.."):
        for lesson in chosen_lessons(parser.parse_args(["--folder", name])):
            assert lesson.built("slides", "html").parent == Path.cwd() / "build" / "slides"
    for name, found in (("nowhere", "nothing"), ("notebooks/src/01_one.md", "a file")):
        with pytest.raises(SystemExit):
            parser.parse_args(["--folder", name])
        told = f"a folder is needed: {name!r} is {Path.cwd() / name}, and {found} is there"
        assert told in capsys.readouterr().err


@pytest.mark.weekly
def test_a_source_is_read_once_while_the_site_is_made(tmp_path, monkeypatch):
    for name in ("notebooks", "images"):
        (tmp_path / name).symlink_to(Path(SERIES[NAMES[0]].folder.parent) / name)
    read, real = [], Path.read_text
    monkeypatch.setattr(Path, "read_text", lambda self, **o: read.append(self) or real(self, **o))
    monkeypatch.setattr("course.site.build.make_html", stop)
    with pytest.raises(KeyboardInterrupt):
        build(notebooks=tmp_path / "notebooks")
    sources = [path.stem for path in read if path.parent.name == "src"]
    assert sorted(sources) == NAMES


def stop(*_):
    raise KeyboardInterrupt
