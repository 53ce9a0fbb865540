"""Builds the site: stage, have Sphinx make pages, check them, put them in their place.

The working folder is kept, so that the next run makes anew what changed, and no more.
"""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from course import BuildError
from course.environment import try_lock
from course.files import publish
from course.lesson.series import NOTEBOOKS, find_lessons
from course.site.links import refuse_broken_links, site_files
from course.site.model import Model, round_model
from course.site.sphinx import make_html
from course.site.stage import find_downloads, stage


def site_of(notebooks: Path = NOTEBOOKS) -> Path:
    """Return where the site of a folder of notebooks is."""
    return notebooks.parent / "build" / "site"


def build(
    repository: str | None = None,
    *,
    notebooks: Path = NOTEBOOKS,
    model: bool = False,
    address: str = "",
) -> tuple[int, int]:
    """Build the site, with the real encoder if asked; check it, and put it in place if it changed.

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
        lessons = find_lessons(notebooks)
        downloads = find_downloads(lessons)
        kept = round_model(work) if model else Model({}, {})
        staged = stage(lessons, downloads, repository, kept.facts, address)
        make_html(staged, work, lessons)
        found = [path for kinds in downloads.values() for path in kinds.values() if path]
        files = site_files(work / "html", found) | kept.files
        refuse_broken_links(files)
        return publish(files, site)


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
