"""What Sphinx is handed: lessons, the pages of `docs` and `course/site/pages`, settings, styles."""

import base64
import hashlib
import html
import json
import re
import string
from collections.abc import Collection, Iterator, Mapping
from copy import deepcopy
from pathlib import Path
from urllib.parse import quote

import jinja2
import nbformat

from course import BuildError
from course.elsewhere import CODE, LINK, read_elsewhere
from course.files import BUNDLE, digest, is_current, is_printed_from, makers
from course.lesson import ways
from course.lesson.answers import Answers, Piece
from course.lesson.catalogue import Entry
from course.lesson.documents import without_other
from course.lesson.editions import Edition, Translated
from course.lesson.lecture import planned
from course.lesson.pages import in_edition
from course.lesson.sentences import all_of
from course.lesson.series import PICTURE, Lesson, alt_text
from course.render import ANSWERS, PALETTE, WIDGET, grids, in_script, refuse_unshowable, to_html
from course.render.fonts import font_faces, vendored
from course.site import letters, syllabus

HERE = Path(__file__).parent
HOME_WIDGET = "04_self_attention"
OWN_NAMES = {"en": "English", "zh-Hans": "中文"}  # of languages, by their tags
MOVED = {"notebooks/09_summary": "99_summary", "grading": "docs/grading"}  # from there
QUESTION = re.compile(r"^\*[^*]+[?？]\*$", re.MULTILINE)
AFTER = re.compile(r"\blessons? (?:\d\d(?:, | and | to )?)+")
# Letters that the theme and Sphinx may write; of Chinese, those of their own words.
ALWAYS = string.printable + "“”‘’–—…"


def find_downloads(lessons: Mapping[str, Lesson]) -> dict[str, dict[str, Path | None]]:
    """Find each lesson's deck and handout; what is of another state of the lesson is left out."""
    found = {}
    for lesson in lessons.values():
        deck, handout = lesson.built("slides", "html"), lesson.built("slides", "pdf")
        current = is_current(deck, "slides", lesson.deck_inputs)
        printed = current and is_printed_from(handout, deck)
        kinds = {"deck": deck if current else None, "handout": handout if printed else None}
        if lesson.has_slides or not lesson.is_summary:
            found[lesson.name] = kinds
    return found


def stage(
    lessons: Mapping[str, Lesson],
    downloads: Mapping[str, dict[str, Path | None]],
    repository: str | None,
    model: Mapping | None = None,
    address: str = "",
) -> dict[str, bytes]:
    """Make the files that Sphinx reads, by path below its source folder.

    `model` is what `rounding.py` says of the real encoder, where the site is to have it, and
    `address` under which one the site will stand, where that is known.

    Raises
    ------
    BuildError
        If a lesson cannot be shown; it names the lesson, the cell, and the line.
    """
    files, widgets = {}, {}
    for lesson in lessons.values():
        staged, widgets[lesson.name] = stage_lesson(lesson, downloads.get(lesson.name, {}))
        files |= staged
    any_of_them = next(iter(lessons.values()))
    root = any_of_them.folder.parent
    edition = any_of_them.edition if isinstance(any_of_them, Translated) else None
    images = root / "images"
    for path in sorted(images.glob("*.png")):
        files[f"images/{path.name}"] = path.read_bytes()
    walk = [lesson for lesson in lessons.values() if not lesson.is_summary]
    sheets = sorted(root.glob("notebooks/homework/student/*/*.ipynb"))
    for path in () if edition else sheets:  # a page, and beside it the notebook to take home
        place = path.relative_to(root).as_posix()
        facts = _sheet_facts(path, root)
        files[place], files[f"extra/{place}"] = _sheet(path, facts), path.read_bytes()
    pictures, typing = _stage_model(model) if model else ({}, None)
    files |= pictures
    say = any_of_them.say
    pages = _stage_pages(
        edition.pages if edition else None,
        model=typing,
        letters=letters.facts(),
        lessons=list(lessons.values()),
        walk=walk,
        summary=next((lesson for lesson in lessons.values() if lesson.is_summary), None),
        downloads=[_download(lessons[name], found) for name, found in downloads.items()],
        repository=repository,
        widget=widgets.get(HOME_WIDGET, "").replace("](figures/", "](notebooks/figures/"),
        sheets=[_sheet_facts(path, root) for path in sheets],
        syllabus=syllabus,
        ways=ways,
        all_of=lambda items: all_of(items, say),
        two_ways=lambda: ways.both(lessons, "notebooks/", say),
        alt_text=lambda name: any_of_them.drawn(alt_text(images / f"{name}.png")),
    )
    if edition:
        files |= {name: _beside_english(page, {*files, *pages}) for name, page in pages.items()}
    else:
        files |= pages
        files |= _stage_docs(root / "docs", repository, there=files.keys())
    words = "".join(data.decode() for name, data in files.items() if not name.endswith(".png"))
    said = _words(edition)
    letters_of = f"{words}{''.join(said.values())}{ALWAYS}<msqrt>"
    around = {
        "static/widgets.js": classic(BUNDLE.read_text(encoding="utf-8")).encode(),
        "static/minisearch.js": vendored("minisearch.js").read_bytes(),
        "static/answers.js": ANSWERS.read_bytes(),
        "static/answers.css": ANSWERS.with_suffix(".css").read_bytes(),
        "static/grid.css": grids.STYLE.read_bytes(),
        **({"static/sentence.js": (HERE / "sentence.js").read_bytes()} if model else {}),
        "static/letters.js": (HERE / "letters.js").read_bytes(),
        "static/letters_data.js": letters.script(),
        "static/fonts.css": font_faces(letters_of, any_of_them.tag).encode(),
    }
    for path in sorted([*(HERE / "static").iterdir(), *(HERE / "templates").iterdir()]):
        around[f"{path.parent.name}/{path.name}"] = path.read_bytes()
    titles = {lesson.name: lesson.title.encode() for lesson in lessons.values()}
    scripts = (ANSWERS, HERE / "static" / "search.js")
    settings = {
        "repository": repository,
        "address": f"{address}{edition.name}/" if edition and address else address,
        "tag": any_of_them.tag,
        "edition": edition.name if edition else "",
        "words": said,
        "scripts": {
            key: own for path in scripts for key, own in any_of_them.words_of(path).items()
        },
        "made_by": makers("site"),
        "around": digest(around | titles | {"words": json.dumps(said).encode()}),
    }
    moved = {
        f"extra/{old}.html": _environment(HERE).get_template("moved.html.j2").render(name=new)
        for old, new in (() if edition else MOVED.items())
    }
    files |= {name: page.encode() for name, page in moved.items()}
    files["settings.json"] = json.dumps(settings, indent=1).encode()
    files["conf.py"] = (HERE / "conf.py").read_bytes()
    return files | around


def introduce(staged: Mapping[str, dict[str, bytes]]) -> None:
    """Tell the pages of each edition, by its folder's name, which pages the others have."""
    settings = {name: json.loads(files["settings.json"]) for name, files in staged.items()}
    editions = [
        {
            "folder": name,
            "tag": settings[name]["tag"],
            "name": OWN_NAMES[settings[name]["tag"]],
            "pages": sorted(_pages(files)),
        }
        for name, files in staged.items()
    ]
    for name, files in staged.items():
        told = json.dumps(settings[name] | {"editions": editions}, indent=1, ensure_ascii=False)
        files["settings.json"] = told.encode()


def _pages(files: Mapping[str, bytes]) -> Iterator[str]:
    """Name the pages that Sphinx makes of files: one of each, and that of the search."""
    yield "search"
    for name in files:
        if name.endswith((".md", ".ipynb")) and not name.startswith("extra/"):
            yield name.rpartition(".")[0]


def _words(edition: Edition | None) -> dict[str, str]:
    """Return what an edition says for the sentences that templates have; nothing in English."""
    entries = edition.sentences.items() if edition else ()
    return {text: entry.words for text, entry in entries if entry.holds}


def _beside_english(page: bytes, there: Collection[str]) -> bytes:
    """Lead from a page of an edition to English ones where it has none of its own."""

    def link(found: re.Match[str]) -> str:
        address = found["address"] or found["href"] or ""
        path, mark, anchor = address.partition("#")
        if path in there or not path.endswith((".md", ".ipynb")) or ":" in path:
            return found[0]
        if found["href"]:
            return found[0].replace(address, f"../{address}")
        shown = re.sub(r"\.(md|ipynb)$", ".html", path)
        return f'<a href="../{shown}{mark}{anchor}" hreflang="en">{found["words"]}</a>'

    def toctree(found: re.Match[str]) -> str:
        kept = [
            line
            for line in found[0].split("\n")
            if not re.fullmatch(r"[\w/]+", line) or {f"{line}.md", f"{line}.ipynb"} & {*there}
        ]
        return "\n".join(kept) if any(re.fullmatch(r"[\w/]+", line) for line in kept) else ""

    text = re.sub(r"^```\{toctree\}\n(.*?\n)```$", toctree, page.decode(), flags=re.DOTALL | re.M)
    href = r'(?<= href=")(?P<href>[^"]+\.ipynb)(?=")'
    parts = re.compile(f"{CODE}|{LINK}|{href}", re.DOTALL | re.MULTILINE)
    return parts.sub(link, text).encode()


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


def stage_lesson(lesson: Lesson, found: Mapping[str, Path | None]) -> tuple[dict[str, bytes], str]:
    """Make a lesson's files, by their places; return them with its first widget, as Markdown."""
    content = lesson.executed()
    as_it_is = deepcopy(content)
    files, shown = {}, []
    for index, cell in enumerate(content.cells):
        try:
            if cell.cell_type == "markdown":
                to_html(cell.source, lesson.folder)  # for what it refuses; MyST renders it anew
                source, _ = folding(lesson.answers.prose[index])
                if index == 0:  # in the question's own line: warnings name the lines of the source
                    source = QUESTION.sub(lambda line: line[0] + _along(lesson, found), source, 1)
                # MyST would look for a heading of that name.
                cell.source = re.sub(
                    r"\[([^]]+)\]\((#moment:[\w-]+)\)", r'<a href="\2">\1</a>', source
                )
            else:
                tags = [*cell.metadata.get("tags", []), *_tags(lesson.answers, index)]
                cell.metadata["tags"] = tags
            for output in cell.get("outputs", []):
                refuse_unshowable(output)
                if grids.GRID in output.get("data", {}):
                    tables = grids.as_tables(output.data[grids.GRID])
                    output.data, output.metadata = {"text/html": tables}, {}
                elif "image/png" in output.get("data", {}):
                    data = base64.b64decode(output.data["image/png"])
                    picture = f"figures/{hashlib.sha256(data).hexdigest()[:16]}.png"
                    files[f"notebooks/{picture}"] = data  # two of the same are one file
                    shown.append(_as_markdown(output, picture))
                    output.data, output.metadata = {"text/markdown": shown[-1]}, {}
        except BuildError as error:
            where = f"{lesson.name}, {lesson.where_quote(index, error.quote)}"
            raise BuildError(f"{where}: {error}") from error
    content.metadata["found"] = lesson.found  # MyST-NB hands it on as JSON
    files[f"notebooks/{lesson.name}.ipynb"] = nbformat.writes(content).encode()
    files[f"extra/notebooks/{lesson.name}.ipynb"] = _to_take_along(lesson, as_it_is)
    return files, next((text for text in shown if text.startswith("<div")), "")


def folding(pieces: list[Piece]) -> tuple[str, list[int]]:
    """Write a cell's pieces, those that fold in elements of their own.

    Returns
    -------
    str
        The Markdown.
    list of int
        For each line of it, the line of the cell that it stands for, both from 0.
    """
    text, lines = [], []
    for piece in pieces:
        named = f'data-answer="{piece.answer}" data-title="{html.escape(piece.title)}"'
        opens = [f'<div class="answer" {named}>', ""] if piece.answer else []
        closes = ["", "</div>"] if piece.answer else []
        own = range(piece.first, piece.first + len(piece.lines))
        text += [*opens, *piece.lines, *closes, ""]
        lines += [own[0]] * len(opens) + [*own] + [own[-1]] * (len(closes) + 1)
    return "\n".join(text[:-1]), lines


def _along(lesson: Lesson, found: Mapping[str, Path | None]) -> str:
    """Say what else there is of a lesson, in links."""
    template = _environment(HERE).get_template("along.html.j2")
    facts = _download(lesson, found) if found else {}
    learn = "../../docs/learn.html" if isinstance(lesson, Translated) else "../docs/learn.html"
    told = template.render(facts | {"name": lesson.name, "learn": learn, "say": lesson.say})
    return " " + " ".join(told.split())


def _to_take_along(lesson: Lesson, content: nbformat.NotebookNode) -> bytes:
    """Make a lesson's notebook one file: its drawings, which lie beside it here, go into it."""
    for cell in content.cells:
        for shown in PICTURE.finditer(cell.source) if cell.cell_type == "markdown" else ():
            path = lesson.folder / shown["address"]
            data = base64.b64encode(path.read_bytes()).decode()
            cell.setdefault("attachments", {})[path.name] = {"image/png": data}
            cell.source = cell.source.replace(shown["address"], f"attachment:{path.name}")
    return nbformat.writes(content).encode()


def _tags(answers: Answers, index: int) -> list[str]:
    """Name the answers that a code cell's output and its code belong to; tags become classes."""
    tags = [f"answer-{answers.outputs[index]}"] if index in answers.outputs else []
    if index in answers.code:
        number, title = answers.code[index]
        tags.append(f"fold-{number}-{quote(title, safe='')}")
    return tags


def _as_markdown(output: nbformat.NotebookNode, picture: str) -> str:
    """Write a picture with its words, and around it the widget whose still it is."""
    words = re.sub(r"([!-/:-@[-`{-~])", r"\\\1", " ".join(output.metadata["image/png"].alt.split()))
    still = f"![{words}]({picture})"
    state = output.data.get(WIDGET)
    if not state:
        return still
    template = _environment(PALETTE.parent).get_template("widget.html.j2")
    return template.module.widget(state, f"\n{still}\n")  # blank lines: Markdown inside HTML


def _stage_model(model: Mapping) -> tuple[dict[str, bytes], dict]:
    """Make the pictures of the page's two widgets; return them, and what the page is told."""
    files, shown = {}, []
    for bundle in model["shown"]:
        output = nbformat.v4.new_output("display_data", **bundle)
        data = base64.b64decode(output.data["image/png"])
        picture = f"notebooks/figures/{hashlib.sha256(data).hexdigest()[:16]}.png"
        files[picture] = data
        shown.append(_as_markdown(output, picture))
    return files, {**model, "widgets": shown}


def _stage_pages(entries: Mapping[str, Entry] | None, **words) -> dict[str, bytes]:
    """Make the pages that are no lessons; those that end in `.j2` are told what is here.

    Of an edition, whose catalogue has these entries, there are those that it has said.
    """
    files = {}
    for path in sorted((HERE / "pages").iterdir()):
        text = path.read_text(encoding="utf-8")
        if entries is not None and not (text := in_edition(text, entries)):
            continue
        if path.suffix == ".j2":
            text = _environment(path.parent).from_string(text).render(words)
        files[path.name.removesuffix(".j2")] = text.encode()
    return files


def _stage_docs(
    folder: Path, repository: str | None, *, there: Collection[str]
) -> dict[str, bytes]:
    """Take the pages that GitHub shows too, each where it lies; what is not here is left there."""
    texts = {f"docs/{path.name}": path.read_text(encoding="utf-8") for path in folder.glob("*.md")}
    there = {*there, *texts}
    return {
        name: read_elsewhere(without_other(text), repository, folder="docs", there=there).encode()
        for name, text in sorted(texts.items())
    }


def _sheet(path: Path, facts: Mapping[str, str]) -> bytes:
    """Give a homework's sheet what its code prints, where that needs no student's function."""
    sheet = nbformat.read(path, as_version=4)
    teacher = path.parents[2] / "teacher" / path.parent.name / path.name
    executed = {cell.id: cell for cell in nbformat.read(teacher, as_version=4).cells}
    marks = [cell.metadata.get("nbgrader", {}) for cell in sheet.cells]
    tasks = [mark["grade_id"] for mark in marks if mark.get("solution") and not mark["grade"]]
    for cell in sheet.cells:
        if cell.cell_type == "code" and not any(f"{task}(" in cell.source for task in tasks):
            cell.outputs = executed[cell.id].outputs
    told = "Attention with NumPy alone: functions to write, tests that say what is not right yet"
    sheet.metadata["found"] = ["", f"{told}. After lesson {facts['after']}, {facts['time']}."]
    return nbformat.writes(sheet).encode()


def _sheet_facts(path: Path, root: Path) -> dict[str, str]:
    """Read an assignment's place, its title, the last lesson that it needs, and its time."""
    text = nbformat.read(path, as_version=4).cells[0].source
    needed = re.findall(r"\d\d", " ".join(AFTER.findall(text)))
    time = re.search(r"\*\*Time:\*\* ([^;.]+)", text)
    if not (needed and time):
        raise BuildError(f"{path.name}: its first cell says which lessons it needs, and its time")
    return {
        "place": path.relative_to(root).as_posix(),
        "title": text.partition("\n")[0].removeprefix("# "),
        "after": max(needed),
        "time": time[1],
    }


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


def _download(lesson: Lesson, found: dict[str, Path | None]) -> dict:
    """Tell where a lesson's deck and handout are, and of the minutes a lecture takes."""
    core, whole = (f"{part.minutes:g}" for part in planned(lesson.slides))
    minutes = {"core": core, "whole": whole} if lesson.has_slides else None
    download = {"lesson": lesson, "minutes": minutes}
    for kind, path in found.items():
        size = path and path.stat().st_size / 1e6
        download[kind] = {"address": f"slides/{path.name}", "megabytes": size} if size else None
    return download
