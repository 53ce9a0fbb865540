"""`python -m course slides`: write lessons as decks, and lectures of one's own; print handouts."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from course import BuildError
from course.files import ROOT, draft, is_current, is_printed_from, write
from course.lesson.lecture import Planned, Slide, planned
from course.lesson.options import (
    add_edition_option,
    add_lesson_options,
    chosen_lessons,
    ended,
    series_of,
    write_all,
)
from course.lesson.series import Lesson
from course.slides.browser import INSTALL, Browser, find_chromium
from course.slides.choice import chosen, read_choices
from course.slides.deck import deck, deck_cells, lecture_page
from course.slides.seen import LEAST_LETTERS, MOST_WORDS, REFUSED_WORDS, seen
from course.slides.table import HEAD, row, to_mend

MOST_BYTES = 2_500_000  # of a deck; a longer lecture opens all the same, and is told of


def write_deck(lesson: Lesson, browser: Browser | None) -> str:
    """Write the deck of a lesson if it is not up to date; return what there is to say.

    Raises
    ------
    BuildError
        If it cannot be made, or a slide overflows; the deck that was there stays.
    """
    path = lesson.built("slides", "html")
    if is_current(path, "slides", lesson.deck_inputs) and (browser is None or _is_measured(path)):
        return "up to date"
    page = deck(lesson, measured=browser is not None)
    path.parent.mkdir(parents=True, exist_ok=True)
    with draft(path) as new:
        new.write_text(page, encoding="utf-8")
        if browser:
            measured = browser.measure(new)
            _refuse_overflow(lesson, measured.overflows)
            _refuse_unseen(lesson, measured.letters)
    core, whole = map(_told, planned(lesson.slides))
    size = len(page.encode()) / 1e6
    return f"written, core {core}, whole {whole}, {size:.2f} MB"


def write_handout(lesson: Lesson, browser: Browser, *, notes: bool = False) -> str:
    """Print a lesson's deck, which is there, if its PDF is older; return what there is to say."""
    page, pdf = lesson.built("slides", "html"), lesson.built("slides", "pdf")
    what = "handout"
    if notes:
        pdf, what = lesson.built("slides", "notes.pdf"), "handout with notes"
    if is_printed_from(pdf, page):
        return f"{what} up to date"
    with draft(pdf) as new:
        browser.print_pdf(page, new, notes=notes)
    return f"{what} written, {pdf.stat().st_size / 1e6:.2f} MB"


def tell_of_slides(lesson: Lesson, browser: Browser) -> list[str]:
    """Say what the slides of a deck, which is there, have to look at and to read: table rows."""
    slides = list(seen(deck_cells(lesson)))
    letters = browser.measure(lesson.built("slides", "html")).letters
    places = [f"{lesson.name}, {where}" for where in to_mend(lesson, slides, letters)]
    return [row(lesson, slides, letters), *places]


def _told(part: Planned) -> str:
    return f"{part.minutes:g} minutes in {part.slides} slides"


def _is_measured(page) -> bool:
    """Tell whether a deck that is there was measured: that nothing overflows."""
    with page.open(encoding="utf-8") as lines:
        return " data-measured>" in lines.read(1000)


def _refuse_overflow(lesson: Lesson, found: list[tuple[int, str]]) -> None:
    if found:
        places = [
            f"{lesson.name}, {lesson.source.where_line(line)}: {what}" for line, what in found
        ]
        raise BuildError("\n  ".join(["what does not fit on its slide:", *places]))


def _refuse_unseen(lesson: Lesson, letters: list[tuple[float, str]]) -> None:
    """Raise BuildError for what is hard to see or too much to read in a hall."""
    slides = list(seen(deck_cells(lesson)))
    if places := list(to_mend(lesson, slides, letters, REFUSED_WORDS)):
        rule = (
            f"a slide has letters of {LEAST_LETTERS} px or more, at most {MOST_WORDS} words, and "
            "two slides of three something to look at:"
        )
        raise BuildError("\n  ".join([f"{lesson.name}: {rule}", *places]))


def main(argv: list[str] | None = None) -> int:
    """Run the command line; return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m course slides",
        description="Write lessons as decks, build/slides/NN_name.html: each is one file that "
        "needs no network. Slides are marked in the lessons' sources; where Chromium is "
        "installed, it is measured that none overflows.",
        epilog="Exit code: 0 if every deck is there, 1 if one could not be made (it stays as it "
        "was), 2 for a wrong option, 130 after Ctrl-C.",
    )
    add_lesson_options(parser)
    add_edition_option(parser)
    parser.add_argument(
        "--pdf", action="store_true", help="print handouts, build/slides/NN_name.pdf, as well"
    )
    parser.add_argument(
        "--notes",
        action="store_true",
        help="print handouts that have the speaker's notes behind each slide, "
        "build/slides/NN_name.notes.pdf, as well",
    )
    parser.add_argument(
        "--table",
        action="store_true",
        help="say of each deck what its slides have to look at and to read, and how small letters "
        "are, and list the slides that break a rule",
    )
    parser.add_argument(
        "--lecture",
        nargs="+",
        metavar="CHOICE",
        help="make one deck of what you choose, in this order: 04 is the core of that lesson, "
        "'04 whole' all of it, '05 Two masks' the slides below that heading; or a file my.txt with "
        "a choice on each line, and a title behind a #",
    )
    parser.add_argument(
        "-o",
        "--out",
        type=Path,
        help="where that deck is written (default: build/slides/lecture.html)",
    )
    options = parser.parse_args(argv)
    for_lessons = [f"--{name}" for name in ("pdf", "notes", "table") if getattr(options, name)]
    if options.lecture and (for_lessons or options.lessons):
        given = ", ".join([*options.lessons, *for_lessons])
        parser.error(f"--lecture makes one deck of its choices alone, and there is also: {given}")
    if options.out and not options.lecture:
        parser.error("-o says where the deck of --lecture is written, and there is no --lecture")
    if options.out and options.out.suffix != ".html":
        parser.error(f"-o names the deck, a page NAME.html, and {options.out} is none")
    return ended(lambda: _write_lecture(options) if options.lecture else _write(options))


def _write_lecture(options: argparse.Namespace) -> int:
    """Write a lecture of what was chosen, and say what each choice has and takes."""
    out = options.out or ROOT / "build" / "slides" / "lecture.html"
    series = series_of(options)
    title, choices = read_choices(options.lecture)
    found = [(choice, chosen(series, choice)) for choice in choices]
    for choice, slides in found:
        print(f"{choice.text}: {_told(_planned(slides))}")
    slides = [one for _, some in found for one in some]
    if not slides:
        raise BuildError("a lecture needs a slide, and nothing was chosen")
    page = lecture_page(title, slides).encode()
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        write(out, page)
    except OSError as error:
        raise BuildError(f"writing {out}: {error}") from error
    size = f"{len(page) / 1e6:.2f} MB"
    if len(page) > MOST_BYTES:
        size += f", more than the {MOST_BYTES / 1e6:g} MB that a deck weighs at most"
    print(f"{out}: {_told(_planned(slides))}, {size}")
    return 0


def _planned(slides: Sequence[tuple[Lesson, Slide]]) -> Planned:
    return Planned(len(slides), sum(slide.minutes for _, slide in slides))


def _write(options: argparse.Namespace) -> int:
    lessons = chosen_lessons(options)
    if not options.lessons:
        lessons = [lesson for lesson in lessons if lesson.has_slides]
    printed = {False: options.pdf, True: options.notes}
    handouts = [notes for notes, asked in printed.items() if asked]
    if (handouts or options.table) and not find_chromium():
        what = "printing handouts" if handouts else "measuring letters"
        raise BuildError(f"{what}: {INSTALL}")
    with Browser() as browser:
        failed = write_all("slides", lessons, lambda one: _written(one, browser, handouts))
        if options.table and not failed:
            _print_table(lessons, browser)
    if not find_chromium():
        print("Without Chromium it was not measured whether a slide overflows.", file=sys.stderr)
    return failed


def _written(lesson: Lesson, browser: Browser, handouts: list[bool]) -> str:
    """Write a deck, and handouts without or with notes; return what there is to say."""
    done = [write_deck(lesson, browser if find_chromium() else None)]
    done += [write_handout(lesson, browser, notes=notes) for notes in handouts]
    return "; ".join(done)


def _print_table(lessons: list[Lesson], browser: Browser) -> None:
    """Print a row for each deck, then what is to be mended, slide by slide."""
    print(HEAD, flush=True)
    places = []
    for lesson in lessons:
        line, *more = tell_of_slides(lesson, browser)
        places += more
        print(line, flush=True)
    print("\n".join(places))
