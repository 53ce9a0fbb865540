"""`python -m course edition zh`: bring an edition's catalogues up to date, and its notebooks."""

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence

from course.edition.notebook import notebook
from course.files import write
from course.lesson import catalogue
from course.lesson.catalogue import Entry
from course.lesson.documents import DOCUMENTS
from course.lesson.editions import LANGUAGES
from course.lesson.options import add_lesson_options, chosen_lessons, ended
from course.render.fonts import without_face

HEADS = ("units", "words", "translated", "stale", "missing", "faults")


def main(argv: list[str] | None = None) -> int:
    """Run the command line; return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m course edition",
        description="Bring the catalogues of an edition, notebooks/zh/src/NN_name.po, up to date "
        "with the English sources, and write its notebooks, notebooks/zh/NN_name.ipynb, and its "
        "pages of docs/, docs/zh. What is stale or missing there stands in English.",
        epilog="Exit code: 0 if every notebook is there, 1 if a translation has not kept what it "
        "must (its notebook or page stays as it was), 2 for a wrong option, 130 after Ctrl-C.",
    )
    parser.add_argument("edition", choices=sorted(LANGUAGES), help="which one")
    add_lesson_options(parser)
    options = parser.parse_args(argv)
    return ended(lambda: _bring(options))


def _bring(options: argparse.Namespace) -> int:
    chosen = chosen_lessons(options)
    edition = chosen[0].edition
    made = edition.shared() | {lesson.name: lesson.entries for lesson in chosen}
    faults = {name: [*edition.faults(one), *_unseen(one)] for name, one in made.items()}
    edition.folder.joinpath("src").mkdir(parents=True, exist_ok=True)
    print(_row("", HEADS))
    for name, entries in made.items():
        write(edition.path(name), catalogue.written(entries, edition.language.locale))
        print(_row(name, (*_counts(entries), len(faults[name]))))
    for path, text in edition.documents().items():
        if not faults[DOCUMENTS]:
            path.parent.mkdir(exist_ok=True)
            write(path, text.encode())
    for lesson in chosen:
        if not faults[lesson.name]:
            write(lesson.notebook_path, notebook(lesson))
    for name, found in faults.items():
        for fault in found:
            print(f"error: {edition.path(name).name}: {fault}", file=sys.stderr)
    return int(any(faults.values()))


def _unseen(entries: dict[str, Entry]) -> Iterator[str]:
    """Name the letters that no page can show, for no font has them."""
    for text, entry in entries.items():
        if lacking := without_face(entry.words):
            yield f"letters: no font has {' '.join(lacking)}: {text}"


def _row(name: str, cells: Iterable[object]) -> str:
    return f"{name:<32}" + "".join(f"{cell:>11}" for cell in cells)


def _counts(entries: dict[str, Entry]) -> Sequence[int]:
    words = sum(len(text.split()) for text in entries)
    return len(entries), words, *catalogue.counted(entries.values())
