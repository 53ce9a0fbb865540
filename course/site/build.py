"""Builds the site: stage, have Sphinx make pages, check them, put them in their place.

The working folder is kept, so that the next run makes anew what changed, and no more.
"""

import os
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from course import BuildError
from course.environment import try_lock
from course.files import publish
from course.lesson.editions import LANGUAGES, Edition
from course.lesson.series import NOTEBOOKS, Lesson, find_lessons
from course.site.links import refuse_broken_links, site_files
from course.site.model import Model, round_model
from course.site.sphinx import make_html
from course.site.stage import find_downloads, introduce, stage


def site_of(notebooks: Path = NOTEBOOKS) -> Path:
    """Return where the site of a folder of notebooks is."""
    return notebooks.parent / "build" / "site"


def build(
    repository: str | None = None,
    *,
    notebooks: Path = NOTEBOOKS,
    model: bool = False,
    address: str = "",
    also: Iterable[str] = LANGUAGES,
) -> tuple[int, int]:
    """Build the site, with the real encoder if asked; check it, and put it in place if it changed.

    `also` names editions in other languages; each that there is has a folder of its name.

    Returns
    -------
    tuple of int
        How many of the site's files were written, and how many were deleted.

    Raises
    ------
    BuildError
        If anything is wrong; the site stays as it was.
    """
    site = site_of(notebooks)
    work = site.with_name("site.work")
    with _alone(work):
        kept = round_model(work) if model else Model({}, {})
        files, staged = dict(kept.files), {}
        editions = find_editions(notebooks, also)
        downloads = {name: find_downloads(lessons) for name, lessons in editions.items()}
        for name, lessons in editions.items():
            staged[name] = stage(lessons, downloads[name], repository, kept.facts, address)
        introduce(staged)
        for name, lessons in editions.items():  # the English first: others take its anchors
            make_html(staged[name], work / name, lessons)
            slides = [path for kinds in downloads[name].values() for path in kinds.values() if path]
            found = site_files(work / name / "html", slides)
            files |= {f"{name}/{place}".lstrip("/"): path for place, path in found.items()}
        refuse_broken_links(files)
        return publish(files, site)


def find_editions(notebooks: Path, also: Iterable[str]) -> dict[str, Mapping[str, Lesson]]:
    """Find the lessons in English, under an empty name, and in other languages."""
    english = find_lessons(notebooks)
    there = [name for name in also if (notebooks / name).is_dir()]
    return {"": english} | {name: Edition(name, english).lessons for name in there}


@contextmanager
def _alone(work: Path) -> Iterator[None]:
    """Hold the working folder's lock; word what the system refuses in a line.

    Sphinx inherits the lock: if this process is killed, the next run waits for what it left.
    """
    try:
        work.mkdir(parents=True, exist_ok=True)
        with (work / "lock").open("a") as handle:
            os.set_inheritable(handle.fileno(), True)
            if not try_lock(handle):
                print("Another run is building the site; waiting for it.", file=sys.stderr)
                while not try_lock(handle):
                    time.sleep(0.2)
            yield
    except OSError as error:
        raise BuildError(f"writing the site: {error}") from error
