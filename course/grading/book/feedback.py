"""A student's page: what was earned, why, and what to do next."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from course.grading.book.gradebook import NOTHING
from course.grading.book.late import zone_of
from course.grading.book.marking import earned
from course.grading.book.pages import page
from course.grading.book.plots import shape
from course.grading.book.records import Answer
from course.grading.book.scores import Score
from course.grading.book.tally import known_mistake, most_points, outcome_of
from course.grading.book.words import escape, isolated, name, prose
from course.grading.causes import BLAMED
from course.grading.judge import ANY, Assignment, Mark
from course.grading.oddities import AWAITED
from course.grading.submission import ANOTHERS

WORDS = {  # for a verdict, where another word says more to a student
    "late": "waited too long",
    "correct": "right",
    "missing": "not there",
    "exception": "raised an exception",
    "exited": "ended early",
    "bad result": "no array",
    "by hand": "marked by hand",
}
FINGERPRINT = 8  # letters of a digest that are told
NEXT = {  # where neither a mistake nor a promise has a hint
    "wrong": "The example stands below the function with the answer that is due: run it, and work "
    "the first number that differs out by hand.",
    "not attempted": "Write the function's body in place of `return ...`, then run the examples "
    "below it.",
    "missing": "Give your function the name that the notebook gave it, and define it in a cell of "
    "its own.",
    "syntax error": "Run the cell by itself: Python points at the place where it stopped reading.",
    "exception": "Run your notebook's cells from the top, and read the last line of the "
    "traceback first.",
    "timed out": "Try the function on an array of one row, of none, and of a few thousand, and see "
    "which of them does not come back.",
    "late": "Take out what waits: `input`, `sleep`, a file that is not there.",
    "out of memory": "Look for an array that grows in a loop, or that broadcasting gave an axis "
    "too many: print the shapes on the way.",
    "exited": "Look for a call that ends Python, such as `sys.exit`, and take it out.",
    "crashed": "Look for a function that calls itself again and again: that can crash Python.",
    "bad result": "Look at what each `return` hands back: an array of numbers is asked for.",
}


@dataclass(frozen=True)
class Row:
    """A line of the table: a task or a question, and what came of it."""

    title: str
    # The shape's, and the verdict's.
    outcome: str
    word: str
    points: float | None  # None where nothing is marked yet
    most: float
    # What is said about it below the table, as HTML; nothing where there is nothing to say.
    detail: str = ""


def of_student(
    assignment: Assignment,
    score: Score,
    marks: Sequence[Mark],
    answers: Sequence[Answer],
    *,
    rubrics: bool = False,
) -> bytes:
    """Return the page of one student.

    Parameters
    ----------
    score
        Where the total comes from, and what being late cost.
    marks, answers
        Theirs.
    rubrics
        Whether to show an answer's rubric, with its model answer, once somebody has marked it.
    """
    body = [
        f"<h1>{escape(assignment.title)}</h1>",
        f'<p class="whose">Feedback for {name(score.name or score.student)}</p>',
        _version(score),
    ]
    if score.state == "ungraded":
        body += _ungraded(assignment, score)
    else:
        rows = [*_tasks(assignment, marks), *_questions(assignment, answers, rubrics)]
        most = most_points(assignment)
        body += [_earned(score, rows, most), _next(score, rows, assignment.titles.values())]
        body += [_table(score, rows, most), *_sections(rows)]
    return page(assignment.title, "\n".join(body), kind="student")


def _version(score: Score) -> str:
    """Say which notebook this is about, and when it was graded."""
    if score.version is None:
        return ""
    times = [("handed in", score.version.submitted), ("graded", score.version.graded)]
    known = [f"{what} on {_moment(time, score.zone)}" for what, time in times if time]
    said = f"This is about your notebook that was {' and '.join(known)}, by the clock of "
    said += f"{escape(score.zone)}."
    if score.state == "graded" and score.version.content:
        said += " The fingerprint of its file (SHA-256) begins with "
        said += f"<code>{escape(score.version.content[:FINGERPRINT])}</code>."
    return f'<p class="version">{said}</p>'


def _moment(time: str | datetime, zone: str) -> str:
    """Tell a moment by the clock of a place."""
    moment = datetime.fromisoformat(time) if isinstance(time, str) else time
    return f"{moment.astimezone(zone_of(zone)):%Y-%m-%d at %H:%M}"


def _next(score: Score, rows: Sequence[Row], functions: Collection[str]) -> str:
    """Say in a sentence or two what is to be done now."""
    marked = [row for row in rows if row.points is not None]
    if not marked:
        return ""
    wrong = [row for row in marked if row.title in functions and row.points != row.most]
    said = "Nothing: all is right."
    if wrong:
        names = " and ".join(f"<q>{escape(row.title)}</q>" for row in wrong[:2])
        others = f", then the other {len(wrong) - 2}" if len(wrong) > 2 else ""
        said = f"Begin with {names}{others}: what is wrong there is said below. {_again(score)}"
    elif score.waiting:
        said = "Nothing: your functions are right, and a person reads what you wrote in words."
    elif any(row.points != row.most for row in marked):
        said = "Your functions are right. Read what is said of your answer in words."
    return f'<section class="next"><h2>Your next step</h2><p>{said}</p></section>'


def _again(score: Score) -> str:
    """Say whether handing in again helps."""
    again = "Restart the kernel, run all cells, and hand in again"
    if score.due is None:
        return f"{again}, if your teacher still takes it."
    due = _moment(score.due, score.zone)
    if datetime.now(UTC) <= score.due:
        return f"{again} until {due}: it is graded anew."
    return f"It was due on {due}: ask your teacher whether handing in again still counts."


def _ungraded(assignment: Assignment, score: Score) -> list[str]:
    to_do = (
        "Open your notebook, choose <em>Restart Kernel and Run All Cells</em>, save it under the "
        "name that it was handed out with, and hand it in again."
    )
    if ANOTHERS in score.why:
        whose = f"{escape(assignment.number)}, <q>{escape(assignment.title)}</q>"
        to_do = f"Hand in the notebook of {whose}: it was handed out as "
        to_do += f"<code>{escape(assignment.notebook)}</code>."
    return [
        '<section class="stop"><h2>This is not graded</h2>',
        f"<p>Your submission could not be graded: {isolated(score.why)}.</p>",
        "<p>It has no points yet, which is not the same as 0 points.</p></section>",
        '<section class="next"><h2>What to do next</h2>',
        f"<p>{to_do} If that does not help, write to your teacher.</p></section>",
    ]


def _earned(score: Score, rows: Sequence[Row], most: int) -> str:
    """Say the total, and what may still change it."""
    waiting = sum(row.points is None for row in rows)
    if waiting == len(rows):
        return (
            '<p class="total">Nothing is marked yet.</p>'
            "<p>Your submission has arrived. The points come later.</p>"
        )
    words = [f'<p class="total"><strong>{score.total:g}</strong> of {most} points</p>']
    if waiting:
        others = "one part is" if waiting == 1 else f"{waiting} parts are"
        words.append(f"<p>So far: {others} not marked yet, so this can still become more.</p>")
    if score.late:
        words.append(f"<p>{escape(score.late)}</p>")
    return "".join(words)


def _table(score: Score, rows: Sequence[Row], most: int) -> str:
    lines = [
        '<table class="tasks"><caption>Task by task</caption><thead><tr><th scope="col">Task</th>'
        '<th scope="col">Result</th><th scope="col" class="number">Points</th></tr></thead><tbody>'
    ]
    for number, row in enumerate(rows, 1):
        title = escape(row.title)
        if row.detail:
            title = f'<a href="#part-{number}">{title}</a>'
        lines.append(
            f'<tr><th scope="row">{title}</th><td class="result">{shape(row.outcome)}&nbsp;'
            f'{escape(row.word)}</td><td class="number">{_points(row)}</td></tr>'
        )
    lines.append(f"</tbody><tfoot>{_foot(score, rows, most)}</tfoot></table>")
    return "\n".join(lines)


def _foot(score: Score, rows: Sequence[Row], most: int) -> str:
    """Add the points up as the gradebook does, being late included."""
    if all(row.points is None for row in rows):
        return ""
    lines = []
    lost = round(score.code + score.written - score.total, 2)
    if lost:
        lines = [("Sum", f"{score.code + score.written:g}"), ("Handed in late", f"−{lost:g}")]
    lines.append(("Total", f"{score.total:g} of {most}"))
    return "".join(
        f'<tr><th scope="row" colspan="2">{what}</th><td class="number">{points}</td></tr>'
        for what, points in lines
    )


def _sections(rows: Sequence[Row]) -> list[str]:
    """Say in one line what is right, and of the other tasks why they are not."""
    right = [row for row in rows if row.outcome == "right" and row.points == row.most]
    lines = []
    if right:
        names = ", ".join(f"<q>{escape(row.title)}</q>" for row in right)
        lines.append(f'<p class="right-ones">{shape("right")} Right in every case: {names}.</p>')
    lines += [
        f'<section id="part-{number}"><h2>{escape(row.title)}</h2>'
        f'<p class="verdict">{shape(row.outcome)} <strong>{escape(row.word)}</strong>'
        f"{'' if row.points is None else f', {_points(row)} points'}</p>{row.detail}</section>"
        for number, row in enumerate(rows, 1)
        if row.detail
    ]
    return lines


def _points(row: Row) -> str:
    return f"{'–' if row.points is None else f'{row.points:g}'} of {row.most:g}"


# Functions


def _tasks(assignment: Assignment, marks: Sequence[Mark]) -> list[Row]:
    rows = {
        task: Row(assignment.titles[task], "waiting", "not marked yet", None, most)
        for task, most in assignment.points.items()
    }
    for mark in marks:
        title = assignment.titles.get(mark.task, mark.task)
        word = WORDS.get(mark.verdict, mark.verdict)
        outcome = outcome_of(mark.verdict)
        detail = _why(assignment, mark) if mark.reason or mark.verdict != "correct" else ""
        rows[mark.task] = Row(title, outcome, word, mark.points, mark.most, detail)
    return [*rows.values()]


def _why(assignment: Assignment, mark: Mark) -> str:
    """Say what went wrong in a task, and what to do about it."""
    reason, hint = _parted(assignment, mark)
    lines = [f'<p class="function">Your function <code>{escape(mark.task)}</code></p>']
    if mark.mistake and mark.verdict != "by hand":
        lines.append(f'<p class="named">Known as: {escape(mark.mistake)}</p>')
    if reason and mark.verdict == "by hand":
        lines.append("<h3>Your teacher’s comment</h3>")
    if reason:
        lines.append(f'<div class="prose">{prose(reason)}</div>')
    if hint:
        lines.append(f'<div class="next"><h3>What to do next</h3>{prose(hint)}</div>')
    return "\n".join(lines)


def _parted(assignment: Assignment, mark: Mark) -> tuple[str, str]:
    """Part a reason from the hint that it ends with, whether a mistake's or a promise's."""
    hints = [known_mistake(assignment, mark.task, mark.mistake)[1], ANY.hint]
    if mark.task in assignment.tasks:
        task = assignment.tasks[mark.task]
        hints += [one.hint for one in (*task.promises(), *task.edges)]
    for hint in hints:
        if hint and mark.reason.endswith(hint):
            return mark.reason.removesuffix(hint).rstrip(), hint
    is_told = BLAMED.search(mark.reason) or mark.reason == AWAITED  # the reason says what to do
    return mark.reason, "" if is_told else NEXT.get(mark.verdict, "")


# Answers in words


def _questions(assignment: Assignment, answers: Sequence[Answer], rubrics: bool) -> list[Row]:
    given = {answer.question: answer for answer in answers}
    unknown = {question: {"title": question, "points": 0, "rubric": ""} for question in given}
    return [
        _question(asked, given.get(question), asked["rubric"] if rubrics else "")
        for question, asked in {**unknown, **assignment.written}.items()
    ]


def _question(asked: dict, answer: Answer | None, rubric: str) -> Row:
    most = float(asked["points"])
    if answer is None or answer.points is None:
        empty = answer is None or not answer.text.strip()
        words = "No text was found in its cell. " if empty else ""
        detail = f"<p>{words}A person reads it, and gives the points.</p>"
        return Row(asked["title"], "waiting", "not marked yet", None, most, detail)
    detail = ""
    if answer.comment == NOTHING and not answer.text.strip():
        detail += f"<p>{NOTHING}</p>"  # as the grader found it
    elif answer.comment.strip():
        comment = prose(answer.comment, keeps_lines=True)
        detail += f'<h3>Your teacher’s comment</h3><div class="comment" dir="auto">{comment}</div>'
    if rubric:
        told = prose(earned(rubric, answer.lines))
        detail += f'<h3>How it is marked</h3><div class="rubric">{told}</div>'
    return Row(asked["title"], "by hand", "marked", answer.points, most, detail)
