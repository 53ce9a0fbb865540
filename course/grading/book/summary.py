"""How a class did: as text for a terminal, and as a page with plots."""

import textwrap
from collections.abc import Mapping, Sequence

from course.grading.book.pages import page
from course.grading.book.plots import distribution, patterns, stacked_bar, swatch
from course.grading.book.scores import Score
from course.grading.book.tally import Named, OfTask, bins, by_task, mistakes, most_points, quartiles
from course.grading.book.words import escape, isolated, name, one_line, prose, shorten
from course.grading.judge import Assignment, Mark

WIDTH = 80  # letters of a terminal's line
BLOCKS = " ▏▎▍▌▋▊▉█"
MOST_MISTAKES = {"text": 8, "page": 20}
FEWEST = 3  # students of whom something is shown to their class
MOST_NAMES = 20  # of who is missing, in the text
ALL_FAIL = "All functions fail because one cell failed"
TEXT_ELSEWHERE = "0 points, but text was found elsewhere"
BLAMED_CELL = "A package or a file of theirs that is not here, as a rule. Look at what they wrote."
MAY_BELONG = "A few words that may belong to the answer. Points by hand change the 0."
LOOK = "Look at these"
NO_NEED = "What no task needs, or why right code may have come to nothing. It changed no mark."
PARTED = "The grader finds something else now than when these points were given by hand."
UNREAD = "What they handed in could not be read. They have no points, not 0."


class Class:
    """What is told of a class, however it is told.

    Scores are everybody's, marks are of those who are graded.
    """

    def __init__(
        self,
        assignment: Assignment,
        scores: Sequence[Score],
        marks: Mapping[str, Sequence[Mark]],
    ):
        self.title, self.number = assignment.title, assignment.number
        self.titles = assignment.titles
        self.most = most_points(assignment)
        self.tasks, self.mistakes = by_task(assignment, marks), mistakes(assignment, marks)
        self.graded = [one for one in scores if one.state == "graded"]
        self.ungraded = [(one, one.why) for one in scores if one.state == "ungraded"]
        self.missing = [one for one in scores if one.state == "missing"]
        self.suspicious = [(one, one.suspicious) for one in scores if one.suspicious]
        self.parted = [(one, one.parted) for one in scores if one.parted]
        self.elsewhere = [(one, one.elsewhere) for one in scores if one.elsewhere]
        self.one_cell = [(one, one.one_cell) for one in scores if one.one_cell]
        self.totals = [one.total for one in self.graded]
        self.bands = bins(self.totals, self.most)
        self.waiting = sum(one.waiting for one in self.graded)
        self.late = sum(bool(one.days_late) for one in scores)
        self.called_late = sum(one.called_late for one in scores)
        self.of_unknown_time = sum(one.days_late is None and not one.called_late for one in scores)

    @property
    def counts(self) -> list[tuple[int, str, str]]:
        """How many there are of what, and where a page says more."""
        counts = [
            (len(self.graded), "graded", ""),
            (len(self.ungraded), "ungraded", "#ungraded"),
            (len(self.missing), "missing", "#missing"),
            (self.waiting, "answer to be read" if self.waiting == 1 else "answers to be read", ""),
            (self.late, "late", ""),
            (self.called_late, "late, says Canvas, and not when", ""),
            (self.of_unknown_time, "of unknown time", ""),
        ]
        return [one for one in counts if one[0] or one[1] == "graded"]

    @property
    def middle(self) -> str:
        """Where the middle of the class is, in words."""
        if len(self.graded) == 1:
            return f"One student is graded, with {self.totals[0]:g} of {self.most} points."
        lower, median, upper = quartiles(self.totals)
        if min(self.totals) == max(self.totals):
            return f"All have {median:g} of {self.most} points."
        return (
            f"The median is {median:g} of {self.most} points; "
            f"the middle half of the class has {lower:g} to {upper:g}."
        )

    @property
    def so_far(self) -> str:
        """What may still change the totals."""
        if not self.waiting:
            return ""
        if self.waiting == 1:
            return "1 answer is not marked yet and counts as 0 so far."
        return f"{self.waiting} answers are not marked yet and count as 0 so far."

    def outcomes(self, of: OfTask) -> list[tuple[str, str]]:
        """Return the outcomes of a task, each with its words: how many, and what lies behind it."""
        found = []
        for outcome, n in of.outcomes.items():
            behind = of.verdicts_of(outcome)
            words = f"{n} {outcome}"
            if outcome == "other" and behind:
                words += f" ({', '.join(f'{m} {verdict}' for verdict, m in behind)})"
            if n:
                found.append((outcome, words))
        return found


# As text


def told_of_class(
    assignment: Assignment, scores: Sequence[Score], marks: Mapping[str, Sequence[Mark]]
) -> str:
    """Return the summary of a class as text, 80 letters wide."""
    found = Class(assignment, scores, marks)
    lines = [
        *textwrap.wrap(f"{one_line(found.title)} ({found.number})", WIDTH),
        *textwrap.wrap(", ".join(f"{n} {what}" for n, what, _ in found.counts), WIDTH),
    ]
    if found.graded:
        lines += ["", *textwrap.wrap(f"{found.middle} {found.so_far}", WIDTH), ""]
        lines += _told_bands(found)
        lines += ["", *_told_tasks(found), *_told_mistakes(found)]
    lines += _told_each(LOOK, found.suspicious)
    again = "By hand, and the grader finds something else now: read them again"
    lines += _told_each(again, found.parted)
    lines += _told_each(ALL_FAIL, found.one_cell)
    lines += _told_each(TEXT_ELSEWHERE, found.elsewhere)
    if found.missing:
        lines += ["", "Missing", *_told_names(found)]
    lines += _told_each("Not graded", found.ungraded, "UNGRADED ")
    return "\n".join(lines)


def _told_each(title: str, pairs: Sequence[tuple[Score, str]], before: str = "") -> list[str]:
    """Say something of some students, each in a paragraph of their own; nothing of none."""
    lines = ["", title] if pairs else []
    for one, words in pairs:
        lines += _wrapped(f"{before}{shorten(one.student)}: {one_line(words)}", "  ", "    ")
    return lines


def _told_bands(found: Class) -> list[str]:
    """Draw the distribution, a line for each band from the lowest that anybody has."""
    highest, last = max(n for *_, n in found.bands), found.bands[-1]
    lines = [f"{'Points from':>11}  Students"]
    for band in _held(found):
        low, below, n = band
        points = f"{low} to {below}" if band is last else low
        whole, part = divmod(round(8 * 50 * n / highest), 8)
        bar = BLOCKS[8] * whole + (BLOCKS[part] if part else "")
        lines.append(f"  {points:>9}  {bar}{' ' if bar else ''}{n or '·'}")
    return lines


def _held(found: Class) -> list[tuple[int, int, int]]:
    """Return the bands from the lowest that anybody has to the highest."""
    held = [i for i, (*_, n) in enumerate(found.bands) if n]
    return found.bands[held[0] : held[-1] + 1]


def _told_tasks(found: Class) -> list[str]:
    """Make a table: a line for each task, a column for each outcome."""
    columns = [*{outcome: 0 for of in found.tasks for outcome in of.outcomes}]
    longest = min(24, max(len(of.task) for of in found.tasks))
    lines = [f"{'Task':<{longest}}" + "".join(f"  {one:>{_wide(one)}}" for one in columns)]
    for of in found.tasks:
        counts = "".join(f"  {of.outcomes.get(one, 0) or '·':>{_wide(one)}}" for one in columns)
        lines.append(f"{of.task[:longest]:<{longest}}{counts}")
    return lines


def _wide(heading: str) -> int:
    return max(5, len(heading))


def _told_mistakes(found: Class) -> list[str]:
    if not found.mistakes:
        return []
    lines = ["", "Commonest mistakes"]
    for one in found.mistakes[: MOST_MISTAKES["text"]]:
        lines += _wrapped(
            f"{one.n:>4} × {one_line(one.name)}, in {one_line(one.task)}", "", " " * 7
        )
        if one.sentence:
            lines += _wrapped(one_line(one.sentence), " " * 7, " " * 7)
    if others := found.mistakes[MOST_MISTAKES["text"] :]:
        lines.append(
            f"       and {len(others)} others, {sum(one.n for one in others)} times in all"
        )
    return lines


def _told_names(found: Class) -> list[str]:
    names = [shorten(one.student) for one in found.missing]
    more = f", and {len(names) - MOST_NAMES} others" if len(names) > MOST_NAMES else ""
    return _wrapped(", ".join(names[:MOST_NAMES]) + more, "  ", "  ")


def _wrapped(text: str, first: str, others: str) -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent=first, subsequent_indent=others)


# As a page


def to_show(
    assignment: Assignment, scores: Sequence[Score], marks: Mapping[str, Sequence[Mark]]
) -> bytes:
    """Return a page of a class without a name, and without what so few did that all know who."""
    found = Class(assignment, scores, marks)
    found.mistakes = [one for one in found.mistakes if one.n >= FEWEST]
    body = [patterns(), f"<h1>{escape(found.title)}</h1>", '<p class="whose">The class</p>']
    if len(found.graded) < FEWEST:
        body.append(f"<p>Fewer than {FEWEST} are graded yet.</p>")
    else:
        body += [_totals(found), _bands(found), _tasks(found), _mistakes(found)]
    return page(f"{found.title}: the class", "\n".join(body), kind="class")


def _bands(found: Class) -> str:
    """Make a table of what the distribution shows."""
    rows, below = [], 0
    for band in _held(found):
        low, high, n = band
        below += n
        points = f"{low} to {high}" if band is found.bands[-1] else f"{low} to below {high}"
        shares = "".join(f'<td class="number">{m / len(found.graded):.0%}</td>' for m in (n, below))
        rows.append(f'<tr><th scope="row">{points}</th><td class="number">{n}</td>{shares}</tr>')
    heads = "".join(
        f'<th scope="col" class="number">{one}</th>' for one in ("Students", "Share", "So far")
    )
    return (
        f'<table class="bands"><thead><tr><th scope="col">Points</th>{heads}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table>"
    )


def of_class(
    assignment: Assignment, scores: Sequence[Score], marks: Mapping[str, Sequence[Mark]]
) -> bytes:
    """Return the page of a class: where it stands, task by task, and who needs something."""
    found = Class(assignment, scores, marks)
    body = [patterns(), f"<h1>{escape(found.title)}</h1>", '<p class="whose">The class</p>']
    body.append(_counts(found))
    if found.graded:
        body += [_totals(found), _tasks(found), _mistakes(found)]
    else:
        body.append("<p>Nobody is graded yet.</p>")
    body += [
        _table("one-cell", ALL_FAIL, BLAMED_CELL, "Cell", found.one_cell),
        _table("elsewhere", TEXT_ELSEWHERE, MAY_BELONG, "Text", found.elsewhere),
        _table("suspicious", LOOK, NO_NEED, "What is in it", found.suspicious),
        _table("parted", "To read again", PARTED, "Points", found.parted),
        _table("ungraded", "Not graded", UNREAD, "Why", found.ungraded),
        _missing(found),
    ]
    return page(f"{found.title}: the class", "\n".join(body), kind="class")


def _counts(found: Class) -> str:
    lines = []
    for n, what, where in found.counts:
        words = f'<a href="{where}">{what}</a>' if where and n else what
        lines.append(f"<div><dt>{words}</dt><dd>{n}</dd></div>")
    return f'<dl class="counts">{"".join(lines)}</dl>'


def _totals(found: Class) -> str:
    last = found.bands[-1]
    told = ", ".join(
        f"{n} from {band[0]} to {'' if band is last else 'below '}{band[1]}"
        for band in found.bands
        if (n := band[2])
    )
    told = f"How many students have how many points: {told}. {found.middle}"
    return (
        f"<section><h2>Totals</h2><p>{found.middle} {found.so_far}</p>"
        f"<figure>{distribution(found.bands, found.totals, told)}"
        "<figcaption>Points across, students upwards. A bar begins at the number on its left and "
        "ends before the next one. Below: the median, and the middle half as a box.</figcaption>"
        "</figure></section>"
    )


def _tasks(found: Class) -> str:
    lines = ["<section><h2>Task by task</h2>"]
    for number, of in enumerate(found.tasks, 1):
        outcomes = found.outcomes(of)
        told = escape(", ".join(words for _, words in outcomes))
        words = "".join(f"<li>{swatch(one)} {escape(words)}</li>" for one, words in outcomes)
        share = f"{of.outcomes['right'] / max(1, of.n):.0%} right"
        lines.append(
            f'<div class="task" id="task-{number}"><h3>{escape(found.titles[of.task])} '
            f"<small>{share}</small></h3>{stacked_bar(of.outcomes, told)}"
            f'<ul class="outcomes">{words}</ul></div>'
        )
    return "\n".join([*lines, "</section>"])


def _mistakes(found: Class) -> str:
    if not found.mistakes:
        return "<section><h2>Commonest mistakes</h2><p>None.</p></section>"
    rows = "\n".join(_mistake(found, one) for one in found.mistakes[: MOST_MISTAKES["page"]])
    return (
        '<section><h2>Commonest mistakes</h2><table class="mistakes"><thead><tr>'
        '<th scope="col" class="number">Students</th><th scope="col">Mistake</th></tr></thead>'
        f"<tbody>{rows}</tbody></table></section>"
    )


def _mistake(found: Class, one: Named) -> str:
    title = escape(found.titles.get(one.task, one.task))
    if one.task in found.titles:
        number = [*found.titles].index(one.task) + 1
        title = f'<a href="#task-{number}">{title}</a>'
    return (
        f'<tr><td class="number">{one.n}</td><td><strong>{escape(one.name)}</strong> '
        f'<span class="where">in {title}</span>'
        f'{prose(one.sentence)}<div class="hint">{prose(one.hint)}</div></td></tr>'
    )


def _table(anchor: str, title: str, words: str, head: str, rows: list[tuple[Score, str]]) -> str:
    """Make a section about some students, with a line for each; nothing if there are none."""
    if not rows:
        return ""
    lines = "".join(
        f'<tr><th scope="row">{_who(one)}</th><td>{isolated(text)}</td></tr>' for one, text in rows
    )
    return (
        f'<section id="{anchor}"><h2>{title}</h2><p>{words}</p><table><thead><tr>'
        f'<th scope="col">Student</th><th scope="col">{head}</th></tr></thead>'
        f"<tbody>{lines}</tbody></table></section>"
    )


def _missing(found: Class) -> str:
    if not found.missing:
        return ""
    names = "".join(f"<li>{_who(one)}</li>" for one in found.missing)
    return (
        '<section id="missing"><h2>Missing</h2><p>On the roster, and nothing was handed in.</p>'
        f'<ul class="names">{names}</ul></section>'
    )


def _who(one: Score) -> str:
    called = f" <small>{name(one.name)}</small>" if one.name else ""
    return name(one.student) + called
