"""Answers in words: marked without names, by the rubric's lines, in shares, and equal ones once."""

import csv
import json

import pytest

from course.files import HOMEWORK
from course.grading.answers import Written
from course.grading.book.gradebook import Gradebook
from course.grading.book.marking import numbered
from course.grading.book.tables import write_table
from course.grading.judge import Assignment, Mark
from tests.grading.toy import LISTED, put_assignment

RIGHT = [Mark("twice", 4, 4, "correct", ""), Mark("sums", 3, 3, "correct", "")]
RUBRIC = "Because.\n\n- 1 point: why.\n- 2 points each, up to 3: how.\n- No point for *so*."
ANSWERS = {
    "ada": "=1+1",
    "bob": 'Because;\nof "x".',
    "cyd": 'because; of  "X".',
    "amy": "Something else.",
}


@pytest.fixture
def room(tmp_path):
    """A folder with an assignment, and a gradebook with answers; nobody has marked them."""
    put_assignment(tmp_path / "hw")
    asked = LISTED["written"][0] | {"rubric": RUBRIC}
    (tmp_path / "hw" / "hw1.json").write_text(json.dumps(LISTED | {"written": [asked]}))
    with Gradebook(tmp_path / "grades.sqlite") as book:
        for student, text in ANSWERS.items():
            book.keep("hw1", student, "d", RIGHT, {"why": Written(text)})
        book.keep("hw1", "eve", "d", [], {}, ungraded="it is not JSON")
    return tmp_path


@pytest.fixture
def book(room):
    """The gradebook, open; the command opens it by itself."""
    with Gradebook(room / "grades.sqlite") as book:
        yield book


@pytest.fixture
def written(room, run):
    """Return a function that has the table written, and gives its rows and what is said."""

    def rows(*options):
        said = run("written", room / "w.csv", *options)
        with (room / "w.csv").open(encoding="utf-8-sig", newline="") as file:
            return list(csv.DictReader(file)), said

    return rows


@pytest.fixture
def mark(room, run):
    """Return a function that hands rows back, as a spreadsheet saves them."""

    def handed_back(rows, code=0):
        with (room / "w.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, rows[0], delimiter=";")
            writer.writeheader()
            writer.writerows(rows)
        return run("mark", room / "w.csv", code=code)

    return handed_back


def points(book):
    return {who: (a.points, a.comment, a.lines) for who, (a,) in book.answers("hw1").items()}


def test_a_row_is_an_answer_without_a_name_and_equal_ones_are_marked_once(book, written, mark):
    rows, said = written()
    assert said == "4 answers in 3 rows, 4 of them without points\n"
    assert [row["answer"] for row in rows] == ["'=1+1", 'Because;\nof "x".', "Something else."]
    assert [row["written by"] for row in rows] == ["1", "2", "1"]
    assert not {*ANSWERS} & {word for row in rows for cell in row.values() for word in cell.split()}
    rows[0] |= {"points": "2,5", "comment": "good"}
    rows[1] |= {"points": "1", "comment": "=half"}
    assert "3 answers marked" in mark(rows)
    half = (1.0, "=half", "")
    assert points(book) == {"ada": (2.5, "good", ""), "bob": half, "cyd": half,
                            "amy": (None, "", "")}  # fmt: skip
    book.keep("hw1", "zoe", "d", RIGHT, {"why": Written('Because; of "x".')})
    rows, said = written()
    told = (
        "of these, 1 in rows with the points of an equal answer: `mark` the table, and they count"
    )
    assert said == f"5 answers in 3 rows, 2 of them without points\n{told}\n"
    assert (rows[1]["written by"], rows[1]["points"], rows[1]["comment"]) == ("3", "1", "'=half")
    mark(rows)
    assert points(book)["zoe"] == half
    assert written()[1] == "5 answers in 3 rows, 1 of them without points\n"


def test_an_answer_that_has_changed_is_left_and_the_history_knows_the_old_one(book, written, mark):
    rows, _ = written()
    rows[0] |= {"points": "2,5", "comment": "good"}
    mark(rows)
    book.keep("hw1", "ada", "d2", RIGHT, {"why": Written("Another.")})
    assert "left as they were, for the answer has changed since: the answer '=1+1'" in mark(rows)
    assert points(book)["ada"] == (None, "", "")
    history = [row["what"] for row in book.of_student("ada")["history"]]
    assert "why changed; the old answer had 2.5 points: good" in history


def test_the_rubrics_lines_are_columns_and_their_sum_is_the_points(book, written, mark):
    rows, _ = written()
    assert "\nline 1: 1 point: why.\nline 2: 2 points each" in rows[0]["rubric"]
    assert [name for name in rows[0] if name.startswith("line")] == ["line 1", "line 2"]
    rows[0] |= {"line 1": "0,5", "line 2": "2"}
    rows[2] |= {"line 2": "0"}
    mark(rows)
    assert points(book)["ada"] == (2.5, "", "0.5 2")
    assert points(book)["amy"] == (0.0, "", "0 0")
    again, said = written()
    assert "as filled in" not in said
    assert [again[0][name] for name in ("line 1", "line 2", "points")] == ["0.5", "2", ""]
    again[0] |= {"line 1": "", "line 2": "", "points": "3"}
    mark(again)
    assert points(book)["ada"] == (3.0, "", "")


@pytest.mark.parametrize("number", ["hw1", "hw2", "hw3", "hw4"])
def test_our_rubrics_lines_are_found(number):
    (asked,) = Assignment(number, HOMEWORK).written.values()
    told, n = numbered(asked["rubric"])
    assert n == (3 if number == "hw3" else 5)
    assert told.replace("line ", "").count("point") == asked["rubric"].count("point")


def test_each_row_stays_with_one_marker(book, written):
    def shares():
        each = [written("--share", f"{i}/3") for i in (1, 2, 3)]
        return [{row["answer"] for row in rows} for rows, _ in each]

    for i in range(40):
        book.keep("hw1", f"s{i}", "d", RIGHT, {"why": Written(f"Reason {i}.")})
    before = shares()
    assert sum(map(len, before)) == 43 == len(set.union(*before))
    assert min(map(len, before)) > 5
    book.keep("hw1", "zoe", "d", RIGHT, {"why": Written("A late one.")})
    assert all(one <= other for one, other in zip(before, shares(), strict=True))


@pytest.mark.parametrize("share", ["0/3", "4/3", "1/0", "half"])
def test_a_share_that_is_none_is_refused(room, run, share):
    said = run("written", room / "w.csv", "--share", share, code=1)
    assert "is no share of the rows; the second of three is 2/3" in said


def test_what_was_filled_in_and_not_handed_back_survives_another_table(book, room, run, written):
    rows, _ = written()
    rows[0] |= {"points": "2", "comment": "an hour's work"}
    rows[1] |= {"line 2": "1"}
    write_table(room / "w.csv", [*rows[0]], [row.values() for row in rows])
    book.keep("hw1", "zoe", "d", RIGHT, {"why": Written("Late, but here.")})
    book.keep("hw1", "yan", "d", RIGHT, {"why": Written('BECAUSE; OF "x".')})
    rows, said = written()
    assert "2 as filled in in" in said
    assert [row["points"] for row in rows] == ["2", "", "", ""]
    assert [row["line 2"] for row in rows] == ["", "1", "", ""]
    assert rows[0]["comment"] == "an hour's work"
    (room / "other.csv").write_text("what,ever\n")
    assert "there is no column 'question'" in run("written", room / "other.csv", code=1)


def test_where_a_row_names_a_student_it_is_theirs_alone(book, room, run, written, mark):
    rows, _ = written()
    mark([rows[1] | {"student": "cyd", "points": "2"}])
    assert {who: given[0] for who, given in points(book).items()} == {
        "ada": None, "bob": None, "cyd": 2.0, "amy": None,
    }  # fmt: skip
    assert "for cyd alone" in run("written", room / "w.csv", code=1)
    (room / "w.csv").unlink()
    assert [row["points"] for row in written()[0]] == ["", "2", ""]
    mark([rows[1] | {"student": "bob", "points": "1"}])
    (room / "w.csv").unlink()
    assert [row["points"] for row in written()[0]] == ["", "", ""]


def test_where_nothing_is_asked_in_words_the_table_is_empty(room, written):
    (room / "hw" / "hw1.json").write_text(json.dumps(LISTED | {"written": []}))
    assert written() == ([], "0 answers, 0 of them without points\n")


def test_an_answer_without_its_digest_is_refused(written, mark):
    rows, _ = written()
    del rows[0]["digest"]
    assert "there is no column 'digest'" in mark([rows[0] | {"points": "1"}], code=1)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"student": "ada", "question": "twice", "points": "5"}, "ada has 5 points of 4"),
        ({"points": "9"}, "the answer '=1+1' has 9 points of 3"),
        ({"points": "many"}, "'many' of the answer '=1+1' is no number"),
        ({"line 1": "1", "line 2": "x"}, "'x' of the answer '=1+1' is no number"),
        ({"line 1": "1", "line 2": "3"}, "has 4 points of 3"),
        ({"line 1": "-1", "line 2": "3"}, "a line gives the answer '=1+1' -1 points"),
        ({"line 1": "1", "points": "2"}, "its lines give 1 points to the answer '=1+1', and its"),
        ({"student": "mallory", "points": "1"}, "mallory handed in nothing of hw1"),
        ({"student": "eve", "points": "1"}, "eve could not be graded"),
        ({"question": "thrice", "points": "1"}, "no question and no function 'thrice'"),
    ],
)
def test_points_that_cannot_be_are_refused_and_nothing_is_changed(
    book, written, mark, change, told
):
    rows = [row | {"student": ""} for row in written()[0]]
    rows[1]["points"] = "1"
    rows[0] |= change
    assert told in mark(rows[::-1], code=1)
    assert {given[0] for given in points(book).values()} == {None}


def test_two_rows_that_give_one_answer_other_points_are_refused(book, written, mark):
    rows, _ = written()
    twice = [rows[1] | {"points": "1"}, rows[1] | {"points": "2"}]
    assert "two rows give the answer 'Because; of \"x\".' 1 and 2 points" in mark(twice, code=1)
    assert points(book)["bob"][0] is None
