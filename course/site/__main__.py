"""`python -m course site`: write the series as a web site that needs neither kernel nor network."""

import argparse
import re
import tomllib

from course import BuildError
from course.files import ROOT
from course.lesson.options import ended
from course.site.build import build, site_of
from course.site.links import outside_links, site_files


def main(argv: list[str] | None = None) -> int:
    """Run the command line; return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m course site",
        description="Write the series as a web site, build/site: it needs neither kernel nor "
        "network, its widgets move, and it works as files and below any address.",
        epilog="Exit code: 0 if the site was written, 1 if not (it stays as it was), 2 for a "
        "wrong option, 130 after Ctrl-C.",
    )
    parser.add_argument(
        "--repository",
        metavar="URL",
        help="where the repository is, for the launch links, https://github.com/OWNER/NAME "
        "(default: Repository in pyproject.toml's project.urls; without one there are no links)",
    )
    parser.add_argument(
        "--address",
        metavar="URL",
        type=_address,
        help="where the site will stand, https://OWNER.github.io/NAME, for its sitemap and for "
        "what search engines and links to it show",
    )
    parser.add_argument(
        "--model",
        action="store_true",
        help="with the real encoder of lesson 13, 32 MB, which a page runs on what one types",
    )
    parser.add_argument(
        "--outside-links",
        action="store_true",
        help="print each link to another machine and the page that has it",
    )
    options = parser.parse_args(argv)
    return ended(lambda: _write(options), "stopped: the site is as it was")


def _write(options: argparse.Namespace) -> int:
    repository = options.repository or _declared_repository()
    written, deleted = build(
        github(repository) if repository else None,
        model=options.model,
        address=options.address or "",
    )
    if options.outside_links:
        for address, page in outside_links(site_files(site_of())):
            print(f"{address}\t{page}")
        return 0
    where = (site_of() / "index.html").relative_to(ROOT)
    changed = f"{written} files written, {deleted} deleted" if written or deleted else "unchanged"
    print(f"{where}: {changed}")
    return 0


def _address(text: str) -> str:
    """Return an address that pages' names can be put behind."""
    if not re.fullmatch(r"https?://[\w.:-]+(/[^\s?#\"<>]*)?(?<!\.html)", text):
        told = "an address is https://, a host and a folder, without ? and #"
        raise argparse.ArgumentTypeError(f"{told}, and {text!r} is none")
    return f"{text.rstrip('/')}/"


def _declared_repository() -> str | None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return project.get("urls", {}).get("Repository")


def github(repository: str) -> str:
    """Return a repository's address as launch links need it: no slash, no `.git` at its end.

    Raises
    ------
    BuildError
        If it is not the address of a repository on GitHub, which Binder and Colab open.
    """
    address = repository.removesuffix("/").removesuffix(".git")
    if not re.fullmatch(r"https://github\.com/[\w.-]+/[\w.-]+", address):
        raise BuildError(
            f"the repository's address is https://github.com/OWNER/NAME, and {repository!r} is not"
        )
    return address
