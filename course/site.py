"""`python -m course site`: write the series as a web site that needs neither kernel nor network.

The committed notebooks and the pages of `course/book` are staged in a working folder; Sphinx with
MyST-NB reads them there; what it wrote is checked, and only then takes the place of `build/site`,
as a whole. The working folder is kept, so the next run rebuilds what changed.
"""

import argparse
import base64
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from html.parser import HTMLParser
from importlib.metadata import version
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

import jinja2
import nbformat

from course.build import NOTEBOOKS, ROOT, write_if_changed
from course.environment import try_lock
from course.html import BUNDLE, WIDGET, in_script, place, read, refuse_unshowable, worded
from course.lecture import read_slides
from course.marks import without_marks
from course.slides import current_deck, current_handout
from course.source import BuildError, find_lessons, read_lesson, read_text

SITE = ROOT / "build" / "site"
WORK = ROOT / "build" / "site.work"
SLIDES = ROOT / "build" / "slides"
HERE = Path(__file__).parent
BOOK = HERE / "book"
SUMMARY = "09_summary"
HOME_WIDGET = "04_self_attention"
MAKERS = (  # packages whose version can change a byte of a page
    *("accessible-pygments", "beautifulsoup4", "docutils", "ipython-pygments-lexers", "jinja2"),
    *("latex2mathml", "markdown-it-py", "mdit-py-plugins", "myst-nb", "myst-parser"),
    *("pydata-sphinx-theme", "pygments", "snowballstemmer", "sphinx", "sphinx-book-theme"),
)
LEFT_OUT = (  # what no page asks for: notes to other programs, and the sources of the theme
    *("/.buildinfo", "/objects.inv", ".map", ".mo", ".po", "-macros.html"),
    *("/file.png", "/minus.png", "/plus.png"),
)
CELL = 10_000  # of MyST-NB's line numbers: this times the cell's, plus the line in it, plus 1


# Staging: what Sphinx is handed


def hand_out(notebooks: Path, slides: Path) -> dict[str, dict[str, Path | None]]:
    """Find each lesson's deck and handout; what is of another state of the lesson is left out."""
    lessons = find_lessons(notebooks / "src")
    return {
        name: {"deck": current_deck(path, slides), "handout": current_handout(path, slides)}
        for name, path in lessons.items()
        if name != SUMMARY
    }


def stage(
    notebooks: Path, handed: dict[str, dict[str, Path | None]], repository: str | None
) -> dict[str, bytes]:
    """Make the files that Sphinx reads, by path below its source folder.

    Raises
    ------
    BuildError
        If a lesson cannot be shown; it names the lesson, the cell, and the line.
    """
    lessons = find_lessons(notebooks / "src")
    files, titles, widgets = {}, {}, {}
    for name in lessons:
        staged, titles[name], widgets[name] = _stage_lesson(notebooks / f"{name}.ipynb")
        files |= staged
    for path in sorted((notebooks.parent / "images").glob("*.png")):
        files[f"images/{path.name}"] = path.read_bytes()
    files |= _stage_pages(
        lessons=titles,
        summary=SUMMARY,
        handed=[_handed(lessons[name], found) for name, found in handed.items()],
        repository=repository,
        widget=widgets.get(HOME_WIDGET, "").replace("](figures/", "](notebooks/figures/"),
    )
    around = {"static/widgets.js": classic(BUNDLE.read_text(encoding="utf-8")).encode()}
    for path in sorted([*(BOOK / "static").iterdir(), *(BOOK / "templates").iterdir()]):
        around[f"{path.parent.name}/{path.name}"] = path.read_bytes()
    settings = {
        "repository": repository,
        "made_by": _makers(),
        "around": _digest(around | {name: title.encode() for name, title in titles.items()}),
    }
    files["settings.json"] = json.dumps(settings, indent=1).encode()
    files["conf.py"] = (BOOK / "conf.py").read_bytes()
    return files | around


def classic(bundle: str) -> str:
    """Turn the widgets' module into a script that a page opened as a file may load.

    Raises
    ------
    BuildError
        If it is not a module that imports nothing and ends in its one export.
    """
    body, export, rest = bundle.rpartition("export{")
    if not export or not re.fullmatch(r"[\w$ ,]*\};?\s*", rest):
        raise BuildError("the widgets' bundle does not end in export{…}: run make widgets")
    if re.search(r"(?:^|[;}\n])(?:export|import)\b\s*[{*\w\"']|\bimport\.meta\b", body):
        raise BuildError("the widgets' bundle imports or exports more than at its end")
    return f"(() => {{\n{body}\n}})();\n"


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


def _stage_lesson(notebook: Path) -> tuple[dict[str, bytes], str, str]:
    """Make a lesson's files; return them with its title and its first widget, as Markdown."""
    content = read(notebook)
    files, shown = {}, []
    for cell in content.cells:
        try:
            if cell.cell_type == "markdown":
                worded(cell.source, notebook.parent)  # for what it refuses; MyST renders it anew
            for output in cell.get("outputs", []):
                refuse_unshowable(output)
                if "image/png" in output.get("data", {}):
                    data = base64.b64decode(output.data["image/png"])
                    picture = f"figures/{hashlib.sha256(data).hexdigest()[:16]}.png"
                    files[f"notebooks/{picture}"] = data  # two of the same are one file
                    shown.append(_as_markdown(output, picture))
                    output.data, output.metadata = {"text/markdown": shown[-1]}, {}
        except BuildError as error:
            raise BuildError(f"{_place(notebook, cell.id, str(error))}: {error}") from error
    title = re.match(r"# (.+)", content.cells[0].source)
    if not title:
        where = place(notebook, content.cells[0].id)
        raise BuildError(f"{where}: a lesson begins with its title, `# NN · What you do`")
    files[f"notebooks/{notebook.name}"] = nbformat.writes(content).encode()
    return files, title[1], next((text for text in shown if text.startswith("<div")), "")


def _place(notebook: Path, cell_id: str, told: str) -> str:
    """Lead to the line of the source that holds the formula or picture an error tells of."""
    source = notebook.parent / "src" / f"{notebook.stem}.md"
    lesson = read_lesson(source)
    starts = zip(lesson.notebook.cells, lesson.lines, strict=True)
    start = next((line for cell, line in starts if cell.id == cell_id), 1)
    below = "\n".join(read_text(source).splitlines()[start - 1 :])
    found = re.search(_wording(told), below)
    if not found:
        return place(notebook, cell_id)
    line = start + below[: found.start(1)].count("\n")
    return f"{lesson.name}, {lesson.where_line(line)}"


def _wording(told: str) -> str:
    """Make the pattern of what an error names, as it stands in a source: its first group."""
    if named := re.match("the formula (.*?) does not parse: ", told, re.DOTALL):
        latex = r"[\s>]+".join(map(re.escape, named[1].split()))  # it may stand in a quotation
        return rf"\$[\s>]*({latex})[\s>]*\$"
    if named := re.match("the picture (.*?) cannot be read: ", told):
        return f"[(/<]({re.escape(named[1])}|{re.escape(quote(named[1]))})"
    return "(?!)"  # it names nothing


def _as_markdown(output: nbformat.NotebookNode, picture: str) -> str:
    """Write a picture with its words, and around it the widget whose still it is."""
    words = re.sub(r"([!-/:-@[-`{-~])", r"\\\1", " ".join(output.metadata["image/png"].alt.split()))
    still = f"![{words}]({picture})"
    state = output.data.get(WIDGET)
    if not state:
        return still
    template = _environment(HERE / "page").get_template("widget.html.j2")
    return template.module.widget(state, f"\n{still}\n")  # blank lines: Markdown inside HTML


def _stage_pages(**words) -> dict[str, bytes]:
    """Make the pages that are no lessons; those that end in `.j2` are told what is here."""
    files = {}
    for path in sorted((BOOK / "pages").iterdir()):
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".j2":
            text = _environment(path.parent).from_string(text).render(words)
        files[path.name.removesuffix(".j2")] = text.encode()
    return files


def _environment(folder: Path) -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(folder),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["in_script"] = in_script
    return environment


def _handed(source: Path, found: dict[str, Path | None]) -> dict:
    """Tell where a lesson's deck and handout are, and of the minutes a lecture takes."""
    minutes = sum(slide.minutes for slide in read_slides(read_lesson(source)))
    handed = {"lesson": source.stem, "minutes": f"{minutes:g}" if minutes else ""}
    for kind, path in found.items():
        size = path and path.stat().st_size / 1e6
        handed[kind] = {"address": f"slides/{path.name}", "megabytes": size} if size else None
    return handed


def _makers() -> str:
    """Fingerprint what makes pages of the staged files."""
    code = [HERE / "html.py", Path(__file__), *BOOK.glob("*.py")]
    makers = {path.name: path.read_bytes() for path in code}
    return _digest(makers | {name: version(name).encode() for name in MAKERS})


def _digest(contents: dict[str, bytes]) -> str:
    digest = hashlib.sha256()
    for name, content in sorted(contents.items()):
        digest.update(f"{name}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()


# Sphinx


def make_html(staged: dict[str, bytes], work: Path, notebooks: Path) -> None:
    """Have Sphinx make `work/html` of what is staged; leave it if it is what Sphinx made of that.

    Raises
    ------
    BuildError
        If Sphinx warns of anything.
    """
    html, done = work / "html", work / "done"
    asked = {str(path): path.read_bytes() for path in (ROOT / "attnlib").rglob("*.py")}
    of_this = _digest(staged | asked)  # attnlib is asked for its docstrings
    made_of, _, made = done.read_text().partition(" ") if done.exists() else ("", "", "")
    if made != _digest(_contents(html)):  # a run was stopped or failed, or others were at it
        shutil.rmtree(html, ignore_errors=True)
        shutil.rmtree(work / "doctrees", ignore_errors=True)  # else it warns of nothing again
    elif made_of == of_this:
        return
    done.unlink(missing_ok=True)
    if _fill(work / "source", staged):  # Sphinx forgets a page, a picture, without deleting it
        shutil.rmtree(html, ignore_errors=True)
    run_sphinx(work, notebooks)
    done.write_text(f"{of_this} {_digest(_contents(html))}")


def _contents(folder: Path) -> dict[str, bytes]:
    """Read all files of a folder, by path below it."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def _fill(folder: Path, files: dict[str, bytes]) -> int:
    """Make a folder hold these files and no others; return how many others there were."""
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        write_if_changed(folder / name, data)
    others = _contents(folder).keys() - files.keys()
    for name in others:
        (folder / name).unlink()
    return len(others)


def run_sphinx(work: Path, notebooks: Path) -> None:
    """Build `work/source` into `work/html`, and only what changed since the last time.

    Raises
    ------
    BuildError
        If Sphinx warns of anything.
    """
    options = ["-W", "--keep-going", "-q", "--jobs", "auto", "-d", str(work / "doctrees")]
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", *options, str(work / "source"), str(work / "html")],
        cwd=ROOT,
        env=os.environ | {"PYTHONHASHSEED": "0", "NO_COLOR": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        close_fds=False,  # see _alone
    )
    if done.returncode:
        raise BuildError(f"Sphinx warns:\n{_led_home(done.stdout, work, notebooks)}")


def _led_home(said: str, work: Path, notebooks: Path) -> str:
    """Put the lesson, the cell and the source's line in place of a staged notebook's line."""

    def home(match: re.Match) -> str:
        lesson = read_lesson(notebooks / "src" / f"{match[1]}.md")
        index, offset = int(match[2]) // CELL - 1, int(match[2]) % CELL - 2
        _, origins = without_marks(read_text(lesson.path))  # a notebook has no slide marks
        line = origins[origins.index(lesson.lines[index]) + offset]
        return f"{lesson.name}, {lesson.where(index, line)}"

    source = re.escape(str(work / "source") + os.sep)
    said = re.sub(rf"{source}notebooks[/\\](\w+)\.ipynb:(\d{{5,}})", home, said.strip())
    return re.sub(rf"{source}([\w/\\-]+\.md)", r"course/book/pages/\1", said)


# Checking what was built


class Links(HTMLParser):
    """What a page links to, what it loads, and the places in it that a link may name."""

    def __init__(self, text: str):
        super().__init__()
        self.links, self.loads, self.places = [], [], set()
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        """Sort one element's addresses."""
        attributes = dict(attrs)
        self.places |= {attributes.get("id"), attributes.get("name")}
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
        if name.endswith(".html") and not name.startswith(("slides/", "_static/"))
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


# Putting it in its place


def publish(files: dict[str, Path], site: Path) -> tuple[int, int]:
    """Put a folder of these files in the place of the site, or leave the site as it was.

    What is there with the same bytes stays the same file, with its time.

    Returns
    -------
    tuple of int
        How many of the site's files were written, and how many were deleted.
    """
    site = site.resolve()  # a link stays one
    new, old = site.with_name(f".{site.name}.new"), site.with_name(f".{site.name}.old")
    _undo(site, new, old)  # what a run left that was killed
    there = _contents(site)
    same = {name for name, path in files.items() if there.get(name) == path.read_bytes()}
    written, deleted = len(files) - len(same), len(there.keys() - files.keys())
    if written or deleted:
        try:
            for name, path in files.items():
                (new / name).parent.mkdir(parents=True, exist_ok=True)
                if name in same:
                    _link(site / name, new / name)
                else:
                    shutil.copyfile(path, new / name)
            if site.exists():
                site.rename(old)
            new.rename(site)
        finally:
            _undo(site, new, old)
    return written, deleted


def _undo(site: Path, new: Path, old: Path) -> None:
    """Bring the old site back where no new one took its place, and delete what is beside it."""
    if old.exists() and not site.exists():
        old.rename(site)
    for folder in (new, old):
        shutil.rmtree(folder, ignore_errors=True)


def _link(path: Path, target: Path) -> None:
    try:
        os.link(path, target)
    except OSError:  # some file systems have no links
        shutil.copy2(path, target)


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


def build(
    repository: str | None = None,
    *,
    notebooks: Path = NOTEBOOKS,
    slides: Path = SLIDES,
    work: Path = WORK,
    site: Path = SITE,
) -> tuple[int, int]:
    """Build the site, check it, and put it in its place if anything changed.

    Returns
    -------
    tuple of int
        How many of the site's files were written, and how many were deleted.

    Raises
    ------
    BuildError
        If anything is wrong; the site stays as it was.
    """
    with _alone(work):
        handed = hand_out(notebooks, slides)
        make_html(stage(notebooks, handed, repository), work, notebooks)
        found = [path for kinds in handed.values() for path in kinds.values() if path]
        files = site_files(work / "html", found)
        refuse_broken_links(files)
        return publish(files, site)


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
        "--outside-links",
        action="store_true",
        help="print each link to another machine and the page that has it",
    )
    options = parser.parse_args(argv)
    try:
        repository = options.repository or _declared_repository()
        written, deleted = build(github(repository) if repository else None)
    except BuildError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("stopped: the site is as it was", file=sys.stderr)
        return 130
    if options.outside_links:
        for address, page in outside_links(site_files(SITE)):
            print(f"{address}\t{page}")
        return 0
    where = (SITE / "index.html").relative_to(ROOT)
    changed = f"{written} files written, {deleted} deleted" if written or deleted else "unchanged"
    print(f"{where}: {changed}")
    return 0


def _declared_repository() -> str | None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return project.get("urls", {}).get("Repository")
