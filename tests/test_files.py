"""Writing whole or not at all, and the one rule by which pages and decks are made anew."""

import os
from pathlib import Path

import pytest

from course import files
from course.html.__main__ import write_page
from course.site.stage import find_downloads
from course.slides.__main__ import write_deck
from tests.lessons import quickly
from tests.toys import put_lesson

TEXT = "% slide 2\n# 01 · One\n\n![a](../images/a.png)\n\nSaid.\n"


def test_a_file_is_written_once_and_left_alone_while_it_is_the_same(tmp_path):
    path = tmp_path / "a"
    assert files.write(path, b"one")
    os.utime(path, ns=(1, 1))
    assert not files.write(path, b"one")
    assert path.stat().st_mtime_ns == 1
    assert files.write(path, b"two")
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("stop", [OSError("full"), KeyboardInterrupt()])
def test_what_stops_a_draft_leaves_the_file_as_it_was(tmp_path, stop):
    path = tmp_path / "a.html"
    path.write_bytes(b"one")
    with pytest.raises(type(stop)):
        write_half(path, stop)
    assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == {"a.html": b"one"}


def write_half(path, stop):
    with files.draft(path) as new:
        assert new.suffix == path.suffix  # a browser goes by it
        new.write_bytes(b"half")
        raise stop


def test_a_digest_knows_names_and_where_contents_end():
    contents = [{"a": b"bc"}, {"ab": b"c"}, {"a": b"b", "c": b""}, {"a": b"", "b": b"c"}, {}]
    assert len({files.digest(each) for each in contents}) == len(contents)
    assert files.digest({"a": b"1", "b": b"2"}) == files.digest({"b": b"2", "a": b"1"})


# Made anew, or not


@pytest.fixture
def lesson(tmp_path):
    (tmp_path / "images").mkdir()
    draw(tmp_path, 1)
    return put_lesson(tmp_path, "01_one", TEXT)


def draw(root, width):
    from PIL import Image

    Image.new("L", (width, 1)).save(root / "images" / "a.png")


def write_found(lesson):
    """Say of the site whether it would hand out the deck that is there."""
    return "up to date" if find_downloads({"01_one": lesson})["01_one"]["deck"] else "written"


FACES = {
    "html": (write_page, write_page),
    "slides": (lambda lesson: write_deck(lesson, None),) * 2,
    "site": (lambda lesson: write_deck(lesson, None), write_found),
}


@pytest.mark.parametrize("face", quickly([*FACES], takes=[0]))
def test_every_face_makes_a_lesson_anew_when_what_it_is_made_from_changed(
    face, lesson, tmp_path, monkeypatch
):
    make, again = FACES[face]
    make(lesson)
    assert again(lesson) == "up to date"
    draw(tmp_path, 2)
    assert again(lesson).startswith("written")
    make(lesson)
    assert again(lesson) == "up to date"
    changed = put_lesson(tmp_path, "01_one", TEXT + "\nMore.\n")
    assert again(changed).startswith("written")
    make(changed)
    assert again(changed) == "up to date"
    room = "slides" if face == "site" else face
    monkeypatch.setattr(files, "makers", {room: "another version"}.get)
    assert again(changed).startswith("written")


@pytest.mark.parametrize(
    ("path", "rooms"),
    [
        ("files.py", {"html", "slides", "site"}),
        ("lesson/marks.py", {"html", "slides", "site"}),
        ("render/cells.html.j2", {"html", "slides", "site"}),
        ("slides/style.css", {"slides"}),
        ("html/index.html.j2", {"html"}),
        ("site/pages/glossary.md.j2", {"site"}),
        ("lab/__main__.py", set()),
    ],
)
def test_code_and_templates_decide_for_the_rooms_that_use_them(path, rooms, monkeypatch):
    before = {room: files.makers(room) for room in ("html", "slides", "site")}
    real = Path.read_bytes
    changed = files.COURSE / path
    monkeypatch.setattr(
        Path, "read_bytes", lambda self: real(self) + (b"#" if self == changed else b"")
    )
    files.makers.cache_clear()
    try:
        after = {room: files.makers(room) for room in before}
    finally:
        files.makers.cache_clear()
    assert {room for room in before if after[room] != before[room]} == rooms


def test_another_version_of_any_package_makes_all_anew(monkeypatch):
    before = files.makers("html")
    monkeypatch.setattr(files, "_packages", lambda: ("jinja2 0.0",))
    files.makers.cache_clear()
    try:
        assert files.makers("html") != before
    finally:
        files.makers.cache_clear()


def test_the_number_of_a_page_is_in_its_first_lines_or_there_is_none(tmp_path):
    page = tmp_path / "a.html"
    assert files.made_of(page) == ""
    page.write_text("<!DOCTYPE html>\n<html>")
    assert files.made_of(page) == ""
    page.write_text('<!DOCTYPE html>\n<html data-made-from="12ab">')
    assert files.made_of(page) == "12ab"
