"""What students and their teacher read: that it is true, that it is safe, and that all can read it.

Somebody who hands in chooses some of the words on these pages, so every word is taken for hostile.
"""

import re
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from html.parser import HTMLParser
from itertools import pairwise

import pytest

from course.files import HOMEWORK
from course.grading.book import feedback, plots, summary, tally, words
from course.grading.book.gradebook import NOTHING
from course.grading.book.records import Answer, Version
from course.grading.book.scores import Score
from course.grading.judge import ENDED, Assignment, Mark
from course.grading.oddities import AWAITED, IN_TEXT, WITHIN
from course.grading.replies import ENDINGS
from course.grading.submission import ANOTHERS
from tests.grading.toy import put_assignment
from tests.lessons import quickly

FORMULA = '<p><span class="math inline">{}</span></p>\n'
SQUARED = "You squared it. Twice a number is the number and the number."
RIGHT = [Mark("twice", 4, 4, "correct", ""), Mark("sums", 3, 3, "correct", "")]
WRONG = [Mark("twice", 0, 4, "wrong", SQUARED, "squared"), RIGHT[1]]
VERDICTS = sorted(ENDINGS | {"wrong", "exception", "not attempted", "missing", "syntax error"})
EVIL = {
    "a script": "<script>alert(1)</script><img src=x onerror=alert(1)>",
    "an attribute": "\" onload='alert(1)' style=\"position:fixed",
    "the end of the style": "</style></title></main><base href='https://example.org'>",
    "markdown": "[a](javascript:alert(1)) ![b](https://example.org/x.png) <https://example.org>",
    "a formula": r"$\text{<img src=x onerror=alert(1)>}$ $\href{javascript:alert(1)}{x}$",
    "a formula's style": r"$$\style{position:fixed}{x}$$ $\class{x}{y}$",
    "a turn of direction": "\u202egnorw\u202c \u2066x",
    "no text": "a\0b\x1b[31mc\x85d\udc80e\ufffff",
    "long": "W" * 10_000,
    "many marks": "`*$" * 1_000,
    "deep": "- " * 4_000 + "x" + "\n> # y" * 500,
    "entities": "&lt;script&gt; &#60;b&#62;",
}
ATTRIBUTES = {
    "aria-hidden", "aria-label", "charset", "class", "colspan", "content", "cx", "cy", "d", "dir",
    "display", "fill", "height", "href", "id", "lang", "name", "patternunits", "r", "role",
    "scope", "stroke-dasharray", "viewbox", "width", "x", "x1", "x2", "xmlns", "y", "y1", "y2",
    "stretchy", "mathvariant", "fence", "form", "mathcolor",
}  # fmt: skip
NO_TAGS = {"script", "img", "iframe", "object", "base", "link", "form", "input", "video", "b"}


class Read(HTMLParser):
    """A page as a browser takes it apart: what tags there are, what stands in them."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.text, self.cells, self.open = [], "", [], []
        self.feed(page.decode())
        assert self.open == [], "a tag is left open"

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag not in ("meta", "br", "wbr"):
            self.open.append(tag)
        if tag == "tr":
            self.cells.append([])
        if tag in ("td", "th"):
            self.cells[-1].append("")

    def handle_startendtag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "style" in self.open:
            return
        self.text += data
        if {"td", "th"} & {*self.open}:
            self.cells[-1][-1] += data

    def points(self):
        """Return the table of tasks: what stands last in each row, by what stands first."""
        return {row[0]: row[-1] for row in self.cells}


@pytest.fixture(scope="module")
def toy(tmp_path_factory):
    return Assignment("hw1", put_assignment(tmp_path_factory.mktemp("toy") / "hw"))


@pytest.fixture(scope="module")
def second():
    return Assignment("hw2", HOMEWORK)


def score(marks=(), answers=(), *, student="bob", late=0, per_day=0.1, state="graded", **others):
    """Add points up as `course.grading.book.scores` does."""
    code = sum(mark.points for mark in marks)
    written = sum(answer.points or 0.0 for answer in answers)
    waiting = sum(answer.points is None for answer in answers)
    total = round((code + written) * (1 - per_day * (late or 0)), 2)
    return replace(Score(student, "", "", code, written, total, waiting, late, state), **others)


def answer(points=None, comment="", text="Because."):
    return Answer("why", text, "d", points, comment)


def student_page(assignment, marks=(), answers=(), *, rubrics=False, **others):
    found = score(marks, answers, **others)
    return Read(feedback.of_student(assignment, found, marks, answers, rubrics=rubrics))


def class_pages(assignment, scores, marks):
    """Return what the teacher reads of a class: in the terminal, and as a page."""
    page = Read(summary.of_class(assignment, scores, marks))
    return summary.told_of_class(assignment, scores, marks), page


def a_class(assignment, n, *, ungraded=0, missing=0):
    """Make a class in which every verdict and every known mistake occurs."""
    scores, marks = [], {}
    for i in range(n):
        student, late = f"s{i:04}", None if i % 11 == 3 else i % 3 // 2
        marks[student] = [_mark(assignment, t, 7 * i + k) for k, t in enumerate(assignment.points)]
        given = [answer(None if i % 5 == 0 else i % 4)]
        scores.append(score(marks[student], given, student=student, late=late))
    bad = {"state": "ungraded", "why": "it is not JSON"}
    scores += [score(student=f"u{i}", **bad) for i in range(ungraded)]
    scores += [score(student=f"m{i}", state="missing") for i in range(missing)]
    return scores, marks


def _mark(assignment, task, i):
    most, known = assignment.points[task], assignment.tasks[task].mistakes
    if i % 3:
        return Mark(task, most, most, "correct", "")
    if known and i % 2:
        one = known[i % len(known)]
        return Mark(task, 0, most, "wrong", f"{one.sentence} {one.hint}", one.name)
    verdict = VERDICTS[i // 3 % len(VERDICTS)]
    return Mark(task, 0, most, verdict, ENDED.get(verdict, "It fails."))


# What people wrote stays text


def assert_harmless(page):
    for tag, attributes in page.tags:
        assert tag not in NO_TAGS
        assert attributes.keys() <= ATTRIBUTES, tag
        if tag == "a":
            assert attributes["href"].startswith("#")
        else:
            assert "href" not in attributes
        assert "://" not in attributes.get("fill", "")
        if tag != "math":
            assert "xmlns" not in attributes
    places = {a["href"][1:] for tag, a in page.tags if tag == "a"}
    ids = [a["id"] for _, a in page.tags if "id" in a]
    assert places <= {*ids}
    assert len(ids) == len({*ids})
    assert not re.search("[\0\x1b\x80-\x9f\u202a-\u202e\u2066-\u2069]", page.text)


@pytest.mark.parametrize("evil", EVIL.values(), ids=EVIL)
@pytest.mark.parametrize("state", ["graded", "ungraded"])
def test_whatever_people_write_a_students_page_holds_it_as_text(toy, evil, state):
    marks = [
        Mark("twice", 0, 4, "wrong", evil, evil),
        Mark("sums", 1, 3, evil, evil),
        Mark(evil, 0, 3, "exception", f"{evil} {evil}"),
    ]
    answers = [answer(1.0, f"{evil}\n\n{evil}"), Answer(evil, evil, evil, 0.5, evil)]
    page = student_page(toy, marks, answers, name=evil, state=state, why=evil)
    assert_harmless(page)
    assert_harmless(student_page(toy, marks, answers, student=evil or "x"))


@pytest.mark.parametrize("evil", EVIL.values(), ids=EVIL)
def test_whatever_people_write_the_page_of_the_class_holds_it_as_text(toy, evil):
    marks = {evil: [Mark("twice", 0, 4, evil, evil, evil), Mark(evil, 0, 1, "wrong", evil, evil)]}
    scores = [
        score(marks[evil], student=evil, name=evil),
        score(student=f"{evil}2", name=evil, state="ungraded", why=evil),
        score(student=f"{evil}3", name=evil, state="missing"),
    ]
    text, page = class_pages(toy, scores, marks)
    assert_harmless(page)
    assert all(line.isprintable() for line in text.split("\n"))
    assert max(map(len, text.split("\n"))) <= 80


def test_what_looks_like_html_is_read_as_it_was_written(toy):
    marks = [Mark("twice", 0, 4, "wrong", "Is <b>a</b> & `x<y` > 0?"), RIGHT[1]]
    page = student_page(toy, marks, [answer(1.0, "See <script> & `<i>`.")], name="A <b> & C")
    for words_there in ("Is <b>a</b> & x<y > 0?", "See <script> & <i>.", "A <b> & C"):
        assert words_there in page.text


@pytest.mark.parametrize(
    ("markdown", "due"),
    [
        ("take `axis=-1`", "<p>take <code>axis=-1</code></p>\n"),
        ("*before* it, **or** not", "<p><em>before</em> it, <strong>or</strong> not</p>\n"),
        ("- 1 point\n- 2", "<ul>\n<li>1 point</li>\n<li>2</li>\n</ul>\n"),
        ("# no heading", "<p># no heading</p>\n"),
        ("it costs $5 and $6", "<p>it costs $5 and $6</p>\n"),
        (r"$\frac{1}{$", FORMULA.format(r"<code>\frac{1}{</code>")),
        ("x < 3 &amp; y", "<p>x &lt; 3 &amp;amp; y</p>\n"),
    ],
)
def test_of_markdown_there_is_what_reasons_need(markdown, due):
    assert words.prose(markdown) == due


def test_a_formula_is_set_and_one_that_is_none_is_shown():
    assert "<msub><mi>d</mi>" in words.prose("a sum of $d_{key}$ products")
    assert "&#x0003C;" in words.prose("$a < b$")
    for latex in (r"\href{javascript:alert(1)}{x}", r"\style{a}{b}", "x" * 999, "a & b"):
        assert words.prose(f"${latex}$").startswith(FORMULA.partition("{")[0] + "<code>")


def test_lines_of_a_comment_are_kept_and_those_of_a_rubric_are_not():
    assert "<br" in words.prose("one\ntwo", keeps_lines=True)
    assert "<br" not in words.prose("one\ntwo")


# The student's page


@pytest.mark.parametrize("late", [0, 1, 3, 10, None])
@pytest.mark.parametrize("given", [None, 0.0, 2.5, 3.0])
@pytest.mark.parametrize("marks", [RIGHT, WRONG], ids=["right", "wrong"])
def test_the_table_adds_up_to_what_the_gradebook_says(toy, marks, given, late):
    answers = [answer(given)]
    found = score(marks, answers, late=late)
    page = student_page(toy, marks, answers, late=late)
    rows = page.points()
    assert rows["Total"] == f"{found.total:g} of 10"
    assert f"{found.total:g} of 10 points" in page.text
    parts = [rows[title].split(" of ") for title in ("Twice", "Sums", "Why")]
    assert [float(most) for _, most in parts] == [4, 3, 3]
    earned = sum(float(points) for points, _ in parts if points != "–")
    lost = float(rows.get("Handed in late", "−0").removeprefix("−"))
    assert earned == float(rows.get("Sum", earned)) == found.code + found.written
    assert earned - lost == pytest.approx(found.total)
    assert found.late in page.text
    assert ("So far" in page.text) == (given is None)


def test_a_named_mistake_is_told_with_its_next_step(toy):
    page = student_page(toy, WRONG, [answer()])
    before, _, after = page.text.partition("You squared it.")
    assert "Known as: squared" in before
    assert re.match(r"\s*What to do next\s*Twice a number is the number and the number\.", after)
    assert page.text.count("Twice a number") == 1
    assert "Right in every case: Sums." in page.text


@pytest.mark.parametrize("number", ["hw1", "hw2", "hw3", "hw4"])
def test_each_known_mistake_and_promise_is_parted_from_its_hint(number):
    assignment = Assignment(number, HOMEWORK)
    for name, task in assignment.tasks.items():
        known = [(one.name, one.sentence, one.hint) for one in task.mistakes]
        known += [("", f"Promised: {p.name}.", p.hint) for p in task.promises()]
        for mistake, sentence, hint in known:
            mark = Mark(name, 0, 5, "wrong", f"{sentence} {hint}", mistake)
            assert feedback._parted(assignment, mark) == (sentence, hint)
            assert not re.search(r"[`$]|\*\w", re.sub("<code>.*?</code>", "", words.prose(hint)))


@pytest.mark.parametrize("verdict", VERDICTS)
def test_each_verdict_is_a_shape_a_word_and_a_next_step(toy, verdict):
    reason = ENDED.get(verdict, "It fails.")
    page = student_page(toy, [Mark("twice", 0, 4, verdict, reason), RIGHT[1]], [answer()])
    (row,) = (row for row in page.cells if row[0] == "Twice")
    assert row[1].strip("\xa0") == feedback.WORDS.get(verdict, verdict)
    outcome = tally.outcome_of(verdict)
    shapes = [a["class"] for tag, a in page.tags if tag == "svg"]
    assert shapes[0] == f"shape {outcome.replace(' ', '-')}"
    assert reason.replace("`", "") in page.text
    assert ("What to do next" in page.text) == (verdict != "not there")


@pytest.mark.parametrize(
    ("verdict", "reason", "is_all"),
    [
        ("missing", f"No function. {IN_TEXT.format(3, 'text')}", True),
        ("not attempted", f"As it was handed out. {WITHIN.format(3)}", True),
        ("wrong", AWAITED, True),
        ("missing", "The notebook has no function called twice.", False),
    ],
)
def test_where_the_reason_says_what_to_do_nothing_else_is_said_to_be_next(
    toy, verdict, reason, is_all
):
    mark = Mark("twice", 0, 4, verdict, reason)
    assert feedback._parted(toy, mark) == (reason, "" if is_all else feedback.NEXT[verdict])


def test_no_two_outcomes_share_a_shape_or_a_pattern():
    assert plots.SHAPES.keys() >= tally.OUTCOMES.keys()
    assert len({*plots.SHAPES.values()}) == len(plots.SHAPES)
    assert len({*plots.PATTERNS.values()}) == len(plots.PATTERNS)
    plain = tally.OUTCOMES.keys() - plots.PATTERNS.keys()
    assert plain == {"right", "not attempted"}  # one is full, the other is empty


def test_points_given_by_hand_are_told_with_the_comment(toy):
    marks = [Mark("twice", 2.5, 4, "by hand", "Half, for `x + x`.", "squared"), RIGHT[1]]
    page = student_page(toy, marks, [answer(3.0)])
    assert page.points()["Twice"] == "2.5 of 4"
    assert "Half, for x + x." in page.text
    assert "Known as" not in page.text


def test_a_task_that_is_asked_no_more_still_adds_up(toy):
    marks = [*RIGHT, Mark("gone", 2, 2, "correct", "")]
    page = student_page(toy, marks, [answer(0.0)])
    assert page.points()["gone"] == "2 of 2"
    assert page.points()["Total"] == "9 of 10"


@pytest.mark.parametrize("rubrics", [False, True])
def test_the_rubric_is_there_if_the_teacher_says_so_and_the_answer_is_marked(second, rubrics):
    rubric = second.written["opposite_masks"]["rubric"]
    for points in (None, 4.5):
        given = [Answer("opposite_masks", "Because.", "d", points, "Read *it* again.")]
        page = student_page(second, [], given, rubrics=rubrics)
        assert ("training leaks the word" in page.text) == (rubrics and points is not None)
        assert ("Read it again." in page.text) == (points is not None)
        assert rubric not in page.text  # it is rendered
    assert (("code", {}) in page.tags) == rubrics


def test_a_comment_is_the_teachers_where_a_teacher_wrote_it(toy):
    for text, comment in (("", NOTHING), ("", "Write!"), ("Because.", NOTHING)):
        page = student_page(toy, RIGHT, [answer(0.0, comment, text)])
        assert comment in page.text
        assert ("Your teacher" in page.text) is ((text, comment) != ("", NOTHING))


def test_an_answer_that_nobody_found_is_told_before_it_is_read(toy):
    assert "No text was found in its cell." in student_page(toy, RIGHT, [answer(text=" \n")]).text
    assert "No text was found" not in student_page(toy, RIGHT, [answer()]).text


def test_what_code_uses_that_no_task_needs_is_for_the_teacher_alone(toy):
    strange = "ctypes, np.allclose =, <b>"
    assert "ctypes" not in student_page(toy, RIGHT, suspicious=strange).text
    text, page = class_pages(toy, [score(RIGHT, suspicious=strange)], {"bob": RIGHT})
    assert f"bob: {strange}" in text
    assert strange in page.text
    many = [score(RIGHT, student=f"s{i:02}", suspicious="ctypes") for i in range(60)]
    text, _ = class_pages(toy, many, {"s00": RIGHT})
    assert [line for line in text.split("\n") if "ctypes" in line][59] == "  s59: ctypes"


def test_what_is_not_graded_is_no_0(toy):
    page = student_page(toy, state="ungraded", why="it is not JSON")
    for told in ("is not graded", "graded: it is not JSON.", "which is not the same as 0 points"):
        assert told in page.text
    assert "Restart Kernel" in page.text
    assert not any(tag == "table" for tag, _ in page.tags)
    page = student_page(toy, state="ungraded", why=f"no function of hw1 is in it; {ANOTHERS}")
    assert "Hand in the notebook of hw1, A toy: it was handed out as hw1_toy.ipynb." in page.text
    assert "Restart Kernel" not in page.text


VERSION = Version("3fa94c20" + "0" * 56, "2026-11-30T22:30:00+00:00", "2026-12-01T09:05:07+00:00")


def test_a_page_says_which_notebook_it_is_about_by_the_students_own_clock(toy):
    page = student_page(toy, RIGHT, version=VERSION, zone="Europe/Berlin")
    assert (
        "your notebook that was handed in on 2026-11-30 at 23:30 and graded on 2026-12-01 at "
        "10:05, by the clock of Europe/Berlin. The fingerprint of its file (SHA-256) begins with "
        "3fa94c20."
    ) in page.text
    page = student_page(toy, RIGHT, version=replace(VERSION, submitted=""))
    assert "your notebook that was graded on 2026-12-01 at 09:05, by the clock of UTC" in page.text
    page = student_page(toy, state="ungraded", why="it is cut off", version=VERSION)
    assert "graded on 2026-12-01" in page.text
    assert "3fa9" not in page.text  # it may be a number of no file


def test_a_page_says_what_to_do_next(toy):
    def step(marks, answers=(), **others):
        text = student_page(toy, marks, answers, **others).text
        return text.partition("Your next step")[2].partition("Task by task")[0].strip()

    begin = "Begin with Twice: what is wrong there is said below. "
    again = "Restart the kernel, run all cells, and hand in again"
    assert step(WRONG) == f"{begin}{again}, if your teacher still takes it."
    now = datetime.now(UTC)
    assert step(WRONG, due=now + timedelta(days=1)).endswith(": it is graded anew.")
    assert step(WRONG, due=now - timedelta(days=1)).endswith("in again still counts.")
    assert step(RIGHT, [answer(3.0)]) == "Nothing: all is right."
    assert step(RIGHT, [answer(1.0)]).endswith("Read what is said of your answer in words.")
    assert step(RIGHT, [answer()]).endswith("a person reads what you wrote in words.")
    assert step([], [answer()]) == ""


def test_a_rubric_says_what_each_of_its_lines_gave(second):
    given = Answer("opposite_masks", "Because.", "d", 3.5, "", "1 0 1 0.5 1")
    page = student_page(second, [], [given], rubrics=True)
    for told in ("0 of 1 point: the last word sees", "0.5 of 1 point: ~(causal & padding)"):
        assert told in page.text
    assert "0.5 of" not in student_page(second, [], [given]).text


def test_what_is_not_marked_yet_has_no_total(toy):
    page = student_page(toy, [], [answer()])
    assert "Nothing is marked yet." in page.text
    assert "Total" not in page.points()
    assert not re.search(r"\b0 of", page.text)


def test_no_page_tells_an_input_or_an_answer_of_a_hidden_case(tmp_path):
    folder = put_assignment(tmp_path / "hw")
    path = folder / "tasks" / "twice.py"
    path.write_text(path.read_text().replace("np.ones((3, 2))", "np.full((3, 2), 7919.25)"))
    telling = Assignment("hw1", folder)
    marks = [Mark("twice", 0, 4, "wrong", "It fails where this was promised: x."), RIGHT[1]]
    found = score(marks)
    pages = feedback.of_student(telling, found, marks, [])
    pages += summary.of_class(telling, [found], {"bob": marks})
    for told in (b"7919", b"15838", b"array("):
        assert told not in pages


# The class


@pytest.mark.parametrize("n", [0, 1, 3, 300])
def test_the_class_is_counted_right(second, n):
    scores, marks = a_class(second, n, ungraded=4, missing=5)
    verdicts = Counter(mark.verdict for found in marks.values() for mark in found)
    untold = ("correct", *tally.OUTCOMES["not attempted"], "by hand")
    lost = (m for found in marks.values() for m in found if m.verdict not in untold)
    tasks = tally.by_task(second, marks)
    assert sum((of.verdicts for of in tasks), Counter()) == verdicts
    assert all(sum(of.outcomes.values()) == of.n == n for of in tasks)
    found = {(one.task, one.name): one.n for one in tally.mistakes(second, marks)}
    assert found == Counter((mark.task, mark.mistake or mark.verdict) for mark in lost)
    text, page = class_pages(second, scores, marks)
    assert_harmless(page)
    for counted in (f"{n} graded", "4 ungraded", "5 missing"):
        assert counted in text
    told = dict(re.findall(r"(\D+)(\d+)", page.text.partition("The class")[2].strip())[:3])
    due = {"graded": n, "ungraded": 4, "missing": 5}
    assert {word.strip(): int(count) for word, count in told.items()} == due
    assert text.count("UNGRADED u") == 4
    assert max(map(len, text.split("\n"))) <= 80


def test_a_page_to_show_has_no_name_and_no_mistake_of_so_few_that_all_know_who(second):
    scores, marks = a_class(second, 60, ungraded=4, missing=5)
    page = Read(summary.to_show(second, scores, marks))
    assert_harmless(page)
    assert not re.search(r"\b[sum]\d|ungraded|missing", page.text)
    rows = [row for row in page.cells if len(row) == 4 and row[1].isdigit()]
    assert sum(int(row[1]) for row in rows) == 60
    assert rows[-1][3] == "100%"
    shown = [int(row[0]) for row in page.cells if len(row) == 2 and row[0].isdigit()]
    named = [one.n for one in tally.mistakes(second, marks)]
    assert shown == [n for n in named if n >= 3][:20]
    assert min(named) < 3
    few = Read(summary.to_show(second, *a_class(second, 2)))
    assert "Fewer than 3 are graded yet." in few.text
    assert few.cells == []


@pytest.mark.parametrize("most", [1, 7, 10, 30, 33, 100, 1000])
def test_no_total_falls_between_two_bands(most):
    totals = [0, most, most / 2, 0.25, most - 0.25]
    bands = tally.bins(totals, most)
    assert sum(n for *_, n in bands) == len(totals)
    assert len(bands) <= tally.MOST_BINS
    assert bands[0][0] == 0
    assert most <= bands[-1][1]
    assert all(before[1] == after[0] for before, after in pairwise(bands))
    assert tally.bins([29.9, 28, 30], 30)[-1] == (28, 30, 3)


def test_the_median_and_the_quartiles_are_where_they_belong():
    assert tally.quartiles([0, 10, 20, 30, 40]) == (10, 20, 30)
    drawn = plots.distribution(tally.bins([0, 10, 20, 30, 40], 40), [0, 10, 20, 30, 40], "told")
    assert '<rect class="half" x="25.00%" y="218" width="50.00%"' in drawn
    assert 'class="median" x1="50.00%"' in drawn
    assert "median 20<" in drawn


def test_a_bar_is_as_wide_as_all_of_the_class(toy):
    counts = {"right": 200, "wrong": 80, "timed out": 1, "not attempted": 19}
    drawn = plots.stacked_bar(counts, "told")
    widths = [float(width) for width in re.findall(r'<rect[^>]* width="([\d.]+)%"', drawn)]
    assert sum(widths) == pytest.approx(100, abs=0.01)
    numbers = re.findall(r">(\d+)</text>", drawn)
    assert numbers == ["200", "80", "19"]  # 1 has no room for its number


def test_the_commonest_mistakes_are_told_first_and_with_their_sentences(second):
    scores, marks = a_class(second, 300)
    found = tally.mistakes(second, marks)
    assert [one.n for one in found] == sorted((one.n for one in found), reverse=True)
    text, page = class_pages(second, scores, marks)
    assert f"{found[0].n} × {found[0].name}, in {found[0].task}" in " ".join(text.split())
    rows = [row for row in page.cells if row[0].isdigit()]
    assert len(rows) == summary.MOST_MISTAKES["page"]
    for one, row in zip(found, rows, strict=False):
        assert row[0] == str(one.n)
        assert one.name in row[1]
        assert re.sub("[`*]", "", one.sentence.split(" ")[0]) in row[1]
        assert "None" not in row[1]


def test_who_is_not_graded_is_named_with_the_reason(toy):
    scores = [score(student="eve", name="Eve E", state="ungraded", why="it is not JSON")]
    scores += [score(student="zoe", name="Zoë", state="missing")]
    text, page = class_pages(toy, scores, {})
    assert ["eve Eve E", "it is not JSON"] in page.cells
    assert "zoe Zoë" in page.text
    assert "Nobody is graded yet." in page.text
    assert "UNGRADED eve: it is not JSON" in text
    assert "Missing\n  zoe" in text


def test_what_waits_is_said_beside_the_totals(toy):
    marks = {"a": RIGHT, "b": WRONG}
    scores = [
        score(RIGHT, [answer()], student="a", late=2),
        score(WRONG, [answer(3.0)], student="b", late=None),
    ]
    text, page = class_pages(toy, scores, marks)
    for told in (text, page.text):
        assert "1 answer is not marked yet and counts as 0 so far." in " ".join(told.split())
    assert "1 answer to be read, 1 late, 1 of unknown time" in text


@pytest.mark.parametrize(
    ("totals", "told"),
    [
        ([7], "One student is graded, with 7 of 10 points."),
        ([7, 7, 7], "All have 7 of 10 points."),
        ([0, 5, 10], "The median is 5 of 10 points; the middle half of the class has 2.5 to 7.5."),
    ],
)
def test_the_middle_of_a_class_is_told_in_words(toy, totals, told):
    marks = {f"s{i}": RIGHT for i in range(len(totals))}
    scores = [score(RIGHT, student=s, total=t) for s, t in zip(marks, totals, strict=True)]
    text, page = class_pages(toy, scores, marks)
    assert told in " ".join(text.split())
    assert told in page.text


# In a browser


def pages_to_look_at(assignment):
    """Return a page of each kind."""
    scores, marks = a_class(assignment, 300, ungraded=3, missing=30)
    most = max(marks, key=lambda student: len({mark.verdict for mark in marks[student]}))
    one = next(found for found in scores if found.student == most)
    given = [Answer("opposite_masks", "Because.", "d", 4.5, "Well done.\nRead `it` *again*.")]
    one = replace(one, days_late=1, version=VERSION, zone="America/Argentina/Buenos_Aires")
    hostile = [Mark("sink_attention", 0, 5, "wrong", "".join(EVIL.values()), "W" * 99)]
    name = "W" * 999
    return {
        "student": feedback.of_student(assignment, one, marks[most], given),
        "hostile": feedback.of_student(assignment, score(hostile, name=name), hostile, given),
        "ungraded": feedback.of_student(assignment, score(state="ungraded", why=name), [], []),
        "class": summary.of_class(assignment, scores, marks),
        "to show": summary.to_show(assignment, scores, marks),
        "small class": summary.of_class(assignment, *a_class(assignment, 1)),
    }


@pytest.mark.needs("chromium")
@pytest.mark.parametrize(
    "kind",
    quickly(
        ["student", "hostile", "ungraded", "class", "small class", "to show"], takes=[], full=[1, 3]
    ),
)
def test_a_page_can_be_read_by_all_wherever_they_read_it(chromium, second, tmp_path, kind):
    path = tmp_path / "page.html"
    path.write_bytes(pages_to_look_at(second)[kind])
    for scheme, width in (("light", 1280), ("dark", 360)):  # how wide it is hangs on no colour
        viewport = {"width": width, "height": 900}
        with chromium.visit(color_scheme=scheme, viewport=viewport) as visit:
            visit.page.goto(path.as_uri())
            assert visit.page.evaluate("document.documentElement.scrollWidth") <= width
            assert visit.violations() == []
            assert visit.errors == visit.outside == []


@pytest.mark.full
@pytest.mark.needs("chromium")
def test_paper_is_white_and_bars_are_printed(chromium, second, tmp_path):
    path = tmp_path / "page.html"
    path.write_bytes(pages_to_look_at(second)["class"])
    with chromium.visit(color_scheme="dark", viewport={"width": 673, "height": 950}) as visit:
        visit.page.goto(path.as_uri())

        def colours():
            for of, what in (("body", "backgroundColor"), ("rect.bar", "fill")):
                asked = f"(element) => getComputedStyle(element).{what}"
                yield visit.page.locator(of).first.evaluate(asked)

        dark = {*colours()}
        visit.page.emulate_media(media="print")
        paper, bar = colours()
        assert paper == "rgb(255, 255, 255)"
        assert not dark & {paper, bar}
        assert visit.page.evaluate("document.documentElement.scrollWidth") <= 673
