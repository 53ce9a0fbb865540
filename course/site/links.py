"""Follows the links of the pages that were built, and finds what they would load."""

import os
import re
from collections.abc import Iterable
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from course import BuildError

LEFT_OUT = (  # what no page asks for: notes to other programs, and the sources of the theme
    *("/.buildinfo", "/.buildinfo.bak", "/objects.inv", ".map", ".mo", ".po", "-macros.html"),
    *("/file.png", "/minus.png", "/plus.png"),
    *("/searchindex.js", "/searchtools.js", "/language_data.js", "-stemmer.js"),  # ours is another
    *("/fontawesome.js", "/fontawesome.js.LICENSE.txt"),
)


class Links(HTMLParser):
    """What a page links to, what it loads, and the places in it that a link may name."""

    def __init__(self, text: str):
        super().__init__()
        self.links, self.loads, self.places = [], [], set()
        self.places |= {f"moment:{slug}" for slug in re.findall(r'"slug":"([^"]+)"', text)}
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        """Sort one element's addresses."""
        attributes = dict(attrs)
        self.places |= {attributes.get("id"), attributes.get("name")}
        if tag == "link" and attributes.get("rel") in ("canonical", "alternate"):  # whole addresses
            return
        for name in ("src", "poster", "data", "href"):
            if attributes.get(name):
                by_itself = name != "href" or tag == "link"
                (self.loads if by_itself else self.links).append(attributes[name])
        self.loads += [one.split()[0] for one in (attributes.get("srcset") or "").split(",") if one]


def site_files(html: Path, slides: Iterable[Path] = ()) -> dict[str, Path]:
    """Gather what the site is made of: each file by its address in it."""
    files = {
        path.relative_to(html).as_posix(): path
        for path in sorted(html.rglob("*"))
        if path.is_file() and not path.as_posix().endswith(LEFT_OUT)
    }
    return files | {f"slides/{path.name}": path for path in slides}


def read_links(files: dict[str, Path]) -> dict[str, Links]:
    """Read the pages, decks left out: those stand for themselves."""
    return {
        name: Links(path.read_text(encoding="utf-8"))
        for name, path in files.items()
        if name.endswith(".html") and not re.search("(^|/)(slides|_static)/", name)
    }


def refuse_broken_links(files: dict[str, Path]) -> None:
    """Raise BuildError for a link that leads nowhere, and for what asks another machine."""
    pages, problems = read_links(files), []
    for page, links in pages.items():
        for address in links.loads:
            if urlsplit(address).scheme not in ("", "data") or address.startswith("//"):
                problems.append(f"{page}: it loads {address}, which is elsewhere")
        for address in links.links + links.loads:
            problems += [f"{page}: {why}" for why in _broken(page, address, files, pages)]
    for name, path in files.items():
        if name.endswith(".css"):
            style = path.read_text(encoding="utf-8")
            loads = re.findall(r"(?:url\(|@import)\s*[\"']?((?:https?:)?//[^\"') ]+)", style)
            problems += [f"{name}: it loads {address}, which is elsewhere" for address in loads]
    if problems:
        raise BuildError("\n  ".join(["links lead nowhere:", *problems]))


def _broken(page: str, address: str, files: dict[str, Path], pages: dict[str, Links]) -> list[str]:
    """Say what is wrong with an address, as seen from a page; nothing is an empty list."""
    parts = urlsplit(address)
    if parts.scheme or parts.netloc:
        return []
    if parts.path.startswith("/"):
        return [f"{address} stands on the host's root, and the site may stand below it"]
    path = os.path.normpath(os.path.join(os.path.dirname(page), unquote(parts.path)))
    target = path.replace(os.sep, "/") if parts.path else page
    if target not in files:
        return [f"{address} leads to no file"]
    anchor = unquote(parts.fragment)
    if anchor and target in pages and anchor not in pages[target].places:
        return [f"{address}: there is no #{anchor} on that page"]
    return []


def outside_links(files: dict[str, Path]) -> list[tuple[str, str]]:
    """List the links to other machines, each once, with the first page that has it."""
    found = {}
    for page, links in read_links(files).items():
        for address in links.links:
            if urlsplit(address).scheme in ("http", "https"):
                found.setdefault(address.partition("#")[0], page)
    return sorted(found.items())
