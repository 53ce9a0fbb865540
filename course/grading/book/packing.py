"""Pages of feedback in one zip, as Moodle and Canvas take them back for a whole class.

Moodle's *Upload multiple feedback files in a zip* finds a student by the folder's name of its own
download, and takes what is in it as it is. Canvas's *Upload submissions* finds one by the name of
the file that was handed in, and shows the new one under that name: so there it has to be what the
name says, a notebook that shows the page, or a zip that holds it.
"""

import hashlib
import io
import json
import re
import zipfile
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from course.files import draft
from course.grading.intake.record import Collected

PLATFORMS = ("moodle", "canvas")
PAGE = "feedback.html"
SHOWN = (".ipynb", ".ipynb.txt", ".ipynb.json", ".zip")  # a page under another name would not open
INNER = re.compile(r"<main>\n?(.*)</main>", re.DOTALL)
LONGEST = 255  # bytes of a folder's name; letters that are written out may make one longer
SHAPES = re.compile(r"<svg.*?</svg>(?:&nbsp;| )?", re.DOTALL)


def folder_of(student: str) -> str:
    """Return a student's name, or as much of it as a file system takes for one."""
    if len(student.encode()) <= LONGEST:
        return student
    return f"{student[:40]}…{hashlib.sha256(student.encode()).hexdigest()[:16]}"


def pack(
    path: Path, platform: str, pages: Mapping[str, bytes], known: Mapping[str, Collected]
) -> list[str]:
    """Write the pages of those whose hand-in came from this platform.

    Parameters
    ----------
    path
        Of the zip.
    platform
        Which one is to take it.
    pages
        Of each student.
    known
        What was collected; by it the platform's names are known.

    Returns
    -------
    list of str
        Who is not in it: what they handed in came otherwise, or is a whole group's, so that all in
        it would see the page of one, or is for Canvas neither a notebook nor a zip.
    """
    places = {who: one.place for who, one in known.items() if one.platform == platform}
    often = Counter(places.values())
    left = []
    with draft(path) as new, zipfile.ZipFile(new, "w", zipfile.ZIP_DEFLATED) as archive:
        for student, page in pages.items():
            place = places.get(student, "")
            is_alone = place and often[place] == 1
            if not is_alone or (platform == "canvas" and not place.lower().endswith(SHOWN)):
                left.append(student)
            elif platform == "moodle":
                archive.writestr(f"{place}/{PAGE}", page)
            elif place.lower().endswith(".zip"):
                archive.writestr(place, _zipped(page))
            else:
                archive.writestr(place, as_notebook(page))
    return left


def _zipped(page: bytes) -> bytes:
    """Return a zip that holds a page, for whoever handed in a zip."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(PAGE, page)
    return made.getvalue()


def as_notebook(page: bytes) -> bytes:
    """Return a notebook that shows a page; what Jupyter would take out of it is left out."""
    shown = SHAPES.sub("", INNER.search(page.decode())[1])
    output = {"output_type": "display_data", "data": {"text/html": shown}, "metadata": {}}
    cell = {"cell_type": "code", "id": "feedback", "source": "", "metadata": {}}
    cell |= {"execution_count": None, "outputs": [output]}
    made = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(made, ensure_ascii=False, indent=1).encode()
