"""What others made stands as they released it, each with its licence, and one table says what."""

import re
from hashlib import sha256
from pathlib import Path

import pytest
from hatchling.builders.sdist import SdistBuilder

from course import BuildError
from course.render import fonts
from course.render.fonts import VENDOR

README = (VENDOR / "README.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| (\S+\.\S+) \| (.+) \| (.+) \| ([0-9a-f]{64}) \|$", README, re.MULTILINE)


def test_the_table_names_every_file_and_its_licences():
    licences = {licence for _, _, told, _ in ROWS for licence in told.split(", ")}
    named = {"README.md", *(file for file, *_ in ROWS), *licences}
    assert {path.name for path in VENDOR.iterdir()} == named


@pytest.mark.parametrize(("file", "number"), [(file, number) for file, _, _, number in ROWS])
def test_a_file_is_what_the_table_says(file, number):
    assert sha256((VENDOR / file).read_bytes()).hexdigest() == number


def test_they_are_no_part_of_the_package_whose_licences_pyproject_tells():
    root = VENDOR.parents[2]
    files = {Path(file.path) for file in SdistBuilder(str(root)).recurse_included_files()}
    assert VENDOR.parent / "fonts.py" in files
    assert {file for file in files if file.is_relative_to(VENDOR)} == set()


def test_where_they_are_left_out_a_face_says_what_it_lacks(monkeypatch, tmp_path):
    monkeypatch.setattr(fonts, "VENDOR", tmp_path / "vendor")
    for asked in (lambda: fonts.font_faces("letters"), lambda: fonts.vendored("reveal.css")):
        with pytest.raises(BuildError, match=r"vendor`, which has them, is not here: .* a clone"):
            asked()


def test_what_is_told_of_how_they_were_taken_names_the_versions_of_the_table():
    taken = re.search(r"```\n(.*?)```", README, re.DOTALL)[1]
    packages = re.findall(r"([a-z.]+)[@=]+(\d+[.\d]+\d)", taken)
    assert packages
    assert all(any(f"{name} {version}" in of for _, of, *_ in ROWS) for name, version in packages)
