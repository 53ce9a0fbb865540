"""Who runs what where several workers share the tests: long files first, what shares together.

A worker takes whole files. The long ones come first, so that none is begun when all others are
done; files that share something costly to make are one, and made for it once.
"""

import subprocess
import sys

from xdist.scheduler import LoadScopeScheduling

from course.files import ROOT

SITE, JUPYTER = "tests/test_site.py", "tests/browser/test_jupyterlab.py"
TOGETHER = {"tests/browser/test_site.py": SITE}  # they look at one site
TOGETHER |= {  # they have one server of a kind
    f"tests/browser/test_{name}.py": JUPYTER for name in ("folding", "kernel", "second_day")
}
LONG = (
    *(SITE, JUPYTER),  # longest of all
    *("tests/browser/", "tests/grading/", "tests/homework/"),
    *("tests/widgets/test_goals.py", "tests/checks/", "tests/test_", "notebooks/"),
)


def pytest_xdist_setupnodes():
    """Compile once what is imported, in a new clone: else each worker compiles all of it."""
    if not (ROOT / "tests" / "browser" / "__pycache__").exists():
        collect = [sys.executable, "-I", "-m", "pytest", "--collect-only", "--full", "-qq"]
        subprocess.run(collect, cwd=ROOT, stdout=subprocess.DEVNULL, check=False)


def pytest_collection_modifyitems(items):
    """Put what is long first; within a folder, and after them, all stay in order."""
    items.sort(key=lambda item: place(item.nodeid))


def pytest_xdist_make_scheduler(config, log):
    """Hand out whole files, in the order in which they were collected."""
    config.option.loadscopereorder = False
    return Files(config, log)


class Files(LoadScopeScheduling):
    """Hand out whole files; those that stay together as one."""

    def _split_scope(self, nodeid: str) -> str:
        return file_of(nodeid)


def file_of(nodeid: str) -> str:
    """Return a test's file, or the one that it stays together with."""
    path = nodeid.partition("::")[0]
    return TOGETHER.get(path, path)


def place(nodeid: str) -> int:
    """Say how early a test comes: the smaller the earlier."""
    path = file_of(nodeid)
    return next((i for i, start in enumerate(LONG) if path.startswith(start)), len(LONG))
