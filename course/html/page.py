"""A lesson as one page: pictures, formulas, widgets and their code are inside the file.

A widget is recorded in the notebook as its class and its numbers; the page brings it to life with
the bundle that notebooks use too.
"""

import html
from pathlib import Path

from course import BuildError
from course.files import BUNDLE, made_from
from course.lesson.answers import Piece
from course.lesson.series import Lesson
from course.render import ANSWERS, plain, refuse_unshowable, to_html
from course.render.export import export

HERE = Path(__file__).parent


def page(lesson: Lesson, *, bundle: Path = BUNDLE) -> str:
    """Make the page of a lesson, which holds all it needs.

    Raises
    ------
    BuildError
        If a formula does not parse, a picture is missing, or the notebook cannot be read; it names
        cell and line.
    """
    notebook = lesson.executed()
    for index, cell in enumerate(notebook.cells):
        try:
            cell.metadata.answer = lesson.answers.outputs.get(index, 0)
            cell.metadata.fold, cell.metadata.title = lesson.answers.code.get(index, (0, ""))
            if cell.cell_type == "markdown":
                pieces = lesson.answers.prose[index]
                cell.source = "".join(_piece(piece, lesson.folder) for piece in pieces)
            for output in cell.get("outputs", []):
                refuse_unshowable(output)
        except BuildError as error:
            raise BuildError(
                f"{lesson.name}, {lesson.where_quote(index, error.quote)}: {error}"
            ) from error
    return export(
        notebook,
        HERE,
        dark=".highlight",
        bundle=bundle,
        say=lesson.say,
        lang=lesson.tag,
        words=lesson.words_of(ANSWERS),
        title=plain(lesson.title),
        made_from=made_from("html", lesson.inputs),
        answers=(lesson.answers.outputs or lesson.answers.code)
        and {
            "script": ANSWERS.read_text(encoding="utf-8"),
            "style": ANSWERS.with_suffix(".css").read_text(encoding="utf-8"),
        },
    )


def _piece(piece: Piece, folder: Path) -> str:
    """Render a piece of Markdown; what waits to be opened says so."""
    rendered = to_html("\n".join(piece.lines), folder)
    if not piece.answer:
        return rendered
    title = html.escape(piece.title)
    return (
        f'<div class="answer" data-answer="{piece.answer}" data-title="{title}">\n'
        f"{rendered}</div>\n"
    )
