"""Who wrote alike: copies that were dressed up are found, and equal short answers mean nothing."""

import ast
import random
import shutil

import pytest

from course.grading.book.alike import Compared, alike, compared, told_alike
from course.grading.book.forms import forms
from course.grading.book.gradebook import Gradebook
from course.grading.intake.record import Collected
from course.grading.judge import Assignment
from tests.grading.toy import hand_in, put_assignment

ONE = '''
import numpy as np
def f(query, key, cap=3):
    """Say what it does."""
    scores = query @ key
    n, m = scores.shape
    rows = []
    for i in range(n):
        row = scores[i] * cap
        rows.append(grown(row))
    more = key + 1
    more[0] += 2
    if n > m:
        more = more.T
    return np.array(rows), more, sorted([one - n for one in rows], key=lambda x: -x)
def grown(x):
    return np.exp(x)
'''
SAME = """
import numpy
from numpy import exp
def bigger(z: float):
    # e to the z
    return exp(z)
def f(q, k, c: int = 3) -> tuple:
    b = k + 1
    b[0] += 2
    found = []
    s = q @ k
    long, wide = s.shape
    if long > wide:
        b = b.T
    for place in range(long):
        # a row
        this = s[place] * c
        found.append(bigger(this))
    return numpy.array(found), b, sorted([t - long for t in found], key=lambda it: -it)
"""
OTHERS = [  # what makes it another function
    ("= 3", "= 4"),
    ("+= 2", "+= 1"),
    ("+= 2", "-= 2"),
    ("q @ k", "k @ q"),
    ("b = k + 1\n    b[0]", "b = k + 1\n    k[0]"),
    ("s[place]", "s[wide]"),
    ("found), b,", "found), s,"),
    ("t - long", "t - wide"),
    ("-it", "it"),
    ("long > wide", "wide > long"),
    ("long, wide", "wide, long"),
    ("exp(z)", "exp(-z)"),
]


def form(source):
    return forms([source])["f"].digest


def test_names_comments_and_the_order_of_what_is_independent_change_no_form():
    assert forms([ONE])["f"] == forms(["no Python", f"%matplotlib inline\n{SAME}"])["f"]
    assert forms([SAME])["f"].n == 11


@pytest.mark.parametrize(("words", "others"), OTHERS)
def test_what_a_function_does_changes_its_form(words, others):
    assert SAME.count(words) == 1
    assert form(SAME.replace(words, others)) != form(SAME)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x = 2 * x\n    y = x", "y = x\n    x = 2 * x"),
        ("y = x\n    y[0] = 1\n    z = y + 1", "y = x\n    z = y + 1\n    y[0] = 1"),
        ("y = []\n    y.append(x)\n    z = len(y)", "y = []\n    z = len(y)\n    y.append(x)"),
        ("for y in x: x = y + x\n    z = x", "z = x\n    for y in x: x = y + x"),
    ],
)
def test_an_order_that_matters_is_told_by_the_form(before, after):
    assert form(f"def f(x):\n    {before}\n    return x, y") != form(
        f"def f(x):\n    {after}\n    return x, y"
    )


def test_code_that_no_parser_can_bear_costs_its_own_cell_alone():
    deep = ["def g(x):\n    return x" + mark * 900 for mark in (" + x", "(x", "[-x]")]
    assert forms([*deep, "x = '\0'", "def f(x):\n    return x"])["f"].n == 1


# A class, each of whom writes a line in one of some ways, as hw2's tasks can be written

SCORES = (
    "scores = query @ key.swapaxes(-1, -2) / np.sqrt(key.shape[-1])",
    "d = query.shape[-1]\nscores = query @ key.swapaxes(-1, -2) / np.sqrt(d)",
    "scores = query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])",
    "scores = query @ key.swapaxes(-2, -1) * key.shape[-1] ** -0.5",
)
MASKED = (
    "scores = np.where(mask, scores, -np.inf)",
    "masked = np.where(mask, scores, -np.inf)\nscores = masked",
    "scores = np.where(~mask, -np.inf, scores)",
)
MIXED = (
    "return attnlib.softmax(scores) @ value",
    "weights = attnlib.softmax(scores)\nreturn weights @ value",
    "weights = attnlib.softmax(scores, axis=-1)\nreturn weights @ value",
    "output = attnlib.softmax(scores) @ value\nreturn output",
)
TASKS = {
    "additive_attention(query, key, value, w_query, w_key, w_score)": (
        ("a = query @ w_query\nb = key @ w_key", "b = np.matmul(key, w_key)\na = query @ w_query"),
        (
            "h = np.tanh(a[..., :, None, :] + b[..., None, :, :])",
            "h = np.tanh(a[..., None, :] + b[..., None, :, :])",
            "both = a[..., :, None, :] + b[..., None, :, :]\nh = np.tanh(both)",
            "h = np.tanh(np.expand_dims(a, -2) + np.expand_dims(b, -3))",
        ),
        ("scores = h @ w_score", "scores = (h * w_score).sum(axis=-1)"),
        MIXED,
    ),
    "packed_mask(lengths, n)": (
        ("ends = np.cumsum(lengths, axis=1)", "ends = lengths.cumsum(axis=-1)"),
        (
            "i = np.arange(n)\nwhose = (ends[:, :, None] <= i).sum(axis=1)",
            "i = np.arange(n)\nwhose = np.sum(i >= ends[:, :, None], axis=1)",
            "i = np.arange(n)\nwhose = np.zeros((len(lengths), n))\nfor b in range(len(lengths)):\n"
            "    for end in ends[b]:\n        whose[b] += i >= end",
        ),
        ("same = whose[:, :, None] == whose[:, None]", "same = whose[..., None] == whose[:, None]"),
        ("word = i < ends[:, -1:]", "word = i[None] < lengths.sum(axis=1, keepdims=True)"),
        (
            "return same & (i <= i[:, None]) & word[:, None]",
            "causal = np.tril(np.ones((n, n), dtype=bool))\nreturn same & causal & word[:, None]",
        ),
    ),
    "band_mask(is_global, width)": (
        ("n = is_global.shape[-1]\ni, j = np.arange(n)[:, None], np.arange(n)",
         "n = is_global.shape[-1]\nj = np.arange(n)\ni = j[:, None]"),
        ("near = i - j <= width", "near = j >= i - width"),
        ("either = is_global[..., None, :] | is_global[..., None]",
         "a = is_global[..., None, :]\nb = is_global[..., :, None]\neither = a | b"),
        ("return (j <= i) & (near | either)", "causal = j <= i\nreturn causal & (near | either)"),
    ),
    "capped_attention(query, key, value, mask, cap)": (
        SCORES,
        ("scores = cap * np.tanh(scores / cap)", "scores = np.tanh(scores / cap) * cap"),
        MASKED,
        MIXED,
    ),
    "sink_attention(query, key, value, mask)": (
        SCORES,
        MASKED,
        ("zero = np.zeros((*scores.shape[:-1], 1))", "zero = np.zeros(scores.shape[:-1] + (1,))"),
        (
            "both = np.concatenate([scores, zero], axis=-1)\n"
            "return attnlib.softmax(both)[..., :-1] @ value",
            "both = np.concatenate([zero, scores], axis=-1)\n"
            "return attnlib.softmax(both)[..., 1:] @ value",
        ),
    ),
}  # fmt: skip


def written_by(rng):
    """Write a notebook, a cell for each task; the first way to write a line is the commonest."""
    cells = []
    for head, slots in TASKS.items():
        ways = (rng.choices(ways, [1 / n for n in range(1, len(ways) + 1)])[0] for ways in slots)
        lines = "\n".join(ways).split("\n")
        cells.append("\n    ".join([f"def {head}:", *lines]))
    return cells


class Dressed(ast.NodeTransformer):
    """Calls everything otherwise that is neither imported nor known to Python."""

    def visit_Name(self, node):
        if node.id in ("np", "attnlib", "len", "range", "bool"):
            return node
        return ast.Name(f"my_{node.id}", node.ctx)

    def visit_arg(self, node):
        return ast.arg(f"my_{node.arg}", None)


def copied(cell, rng):
    """Rename what can be renamed, move what can be moved, and add comments."""
    (function,) = Dressed().visit(ast.parse(cell)).body
    body = function.body
    for at in range(len(body) - 2):  # what comes back is last
        (made, used), (then, there) = (
            (named(one, ast.Store), named(one, ast.Load | ast.Store)) for one in body[at : at + 2]
        )
        if not made & there | then & used:
            body[at : at + 2] = body[at + 1], body[at]
    lines = ast.unparse(ast.fix_missing_locations(function)).split("\n")
    return "\n".join(
        [lines[0], '    """My own."""', *(f"{one}  # {rng.random()}" for one in lines[1:])]
    )


def named(statement, of):
    names = (one for one in ast.walk(statement) if isinstance(one, ast.Name))
    return {one.id for one in names if isinstance(one.ctx, of)}


def a_class(seed, n=60, copies=(5, 5, 5, 5, 5)):
    """Return the forms of a class, and who copied of whom: as many tasks as `copies` says."""
    rng = random.Random(seed)
    cells = {f"s{i:02}": written_by(rng) for i in range(n)}
    pairs = {(f"s{2 * i:02}", f"s{2 * i + 1:02}") for i in range(len(copies))}
    for (one, other), k in zip(sorted(pairs), copies, strict=True):
        for at in rng.sample(range(len(TASKS)), k):
            cells[other][at] = copied(cells[one][at], rng)
    found = {who: forms(of) for who, of in cells.items()}
    tasks = [head.partition("(")[0] for head in TASKS]
    return {task: {who: of[task] for who, of in found.items()} for task in tasks}, pairs


@pytest.mark.parametrize("seed", [0, 2])
def test_pairs_of_copies_are_found_among_short_answers_and_nobody_else(seed):
    written, pairs = a_class(seed)
    assert {one.students for one in alike(written)} == pairs
    equal = [sum(n.digest == m.digest for n in of.values() for m in of.values()) - 60
             for of in written.values()]  # fmt: skip
    assert min(equal) > 4 * len(pairs)  # in each task, most that are equal are nobody's copy


def test_one_answer_that_two_share_and_nobody_else_writes_is_no_sign():
    assert alike(a_class(0, copies=(1,))[0]) == []
    assert alike({"f": {}, "g": {}}) == alike({"f": {"a": forms([ONE])["f"]}}) == []


# The command


@pytest.fixture
def room(tmp_path, unsealed, monkeypatch):
    """A class of twelve: two write alike what nobody else does, and two write nothing."""
    put_assignment(tmp_path / "hw")
    for i in range(12):
        x, n = f"it_{i}", 3 if i == 7 else i
        twice = f"def twice({x}):\n    return {x} * {x} + 0 * {n}"
        cells = twice, f"def sums({x}):\n    return {x}.sum(-1) + 0 * {n}"
        if i > 9:
            cells = "def twice(x):\n    return ...", "def sums(x):\n    return ..."
        hand_in(tmp_path / "in", f"s{i}", *cells)
    return tmp_path


def test_the_command_names_them_with_the_share_that_writes_so(room, grade, run):
    grade()
    hand_in(room / "in", "s5", "def twice(x):\n    return 2 * x")
    said = run("alike", room / "in")
    assert "s3 and s7\n  by chance, one such pair in 36 classes that write as this one\n" in said
    assert "  twice: 2 of 9 write so, in 1 statement (squared)\n" in said
    assert said.count(" and s") == 1
    assert said.endswith("not what was graded: s5\n")


def test_a_team_with_one_file_counts_as_one(room, grade, run):
    (room / "roster.csv").write_text("student,team\ns3,Rocket\ns5,Rocket\ns7,rocket\n")
    run("roster", room / "roster.csv")
    (theirs,) = (room / "in" / "s3").rglob("*.ipynb")
    for student in ("s7", "s8"):
        shutil.copy(theirs, room / "in" / student / "hw1")
    grade()
    said = run("alike", room / "in")
    assert "A team with one file, so counted as one: s3, s7\n" in said
    assert "s3 and s7\n" not in said
    assert "s3 and s8\n" in said  # who is in no team with them
    assert "  twice: 2 of 9 write so" in said
    kept = {who: Collected("d", place="team3_7_8_hw1.ipynb") for who in ("s7", "s8")}
    with Gradebook(room / "grades.sqlite") as book:
        found = compared(book, Assignment("hw1", room / "hw"), room / "in", kept)
    assert found.teams == [["s3", "s7", "s8"]]


def test_a_class_in_which_nobody_wrote_alike_is_told_how_it_writes():
    said = told_alike(Compared({"f": {who: forms([ONE])["f"] for who in "abc"}, "grown": {}}), {})
    assert said.split("\n")[1:] == [
        "f             3      1           3",
        "grown         0      0           0",
        "",
        "Nobody wrote alike more often than chance explains.",
    ]
