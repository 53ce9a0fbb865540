"""What workers say gives and takes no points; a good one is not banned for a bad notebook."""

import threading

import numpy as np
import pytest

from course.grading.book.gradebook import Gradebook
from course.grading.cluster import TRIES, Cluster, Home, NobodyError
from course.grading.courier import host_of
from course.grading.judge import Assignment, examine, is_late
from course.grading.replies import Calls, Reply, to_tree
from course.grading.submission import read
from course.grading.trust import Trust
from course.grading.trust import examine as elsewhere
from course.grading.wire import encode
from tests.grading.toy import HONEST, StandIn, answering, called, graded, hand_in, put_assignment

WRONG = (HONEST[0], "def twice(x):\n    return x * x", HONEST[2])
LIAR, GOOD, THIRD = "tls://192.0.2.1:1", "tls://192.0.2.2:1", "tls://192.0.2.3:1"


def right(cells, calls):
    """Answer for any notebook as a right one would."""
    return called(HONEST, calls)


def wrong(cells, calls):
    """Answer for any notebook as a wrong one would."""
    return called(WRONG, calls)


class AtHome(StandIn):
    """Counts what is run at home."""

    is_open = True

    def __init__(self):
        self.n = 0

    def run(self, cells, calls):
        self.n += 1
        return called(cells, calls)


class Fake(Cluster):
    """Workers that are functions: who has least to do is the first that may be asked."""

    def __init__(self, workers):
        super().__init__("tls://nowhere:1", Home(AtHome(), 1))
        self.workers = workers

    def run(self, cells, calls, avoided=()):
        able = [one for one in self.workers if host_of(one) not in avoided]
        if not able:
            raise NobodyError
        return able[0], self.workers[able[0]](cells, calls)

    @property
    def n_at_home(self):
        return self.home.runner.n

    def stop(self):
        """Nothing runs."""


class Chosen(Trust):
    """Confirms those alone that a test says, by their turn, and what is doubted."""

    def __init__(self, *which):
        super().__init__(0)
        self.which, self.n = which, 0

    def is_chosen(self, machines):
        self.n += 1
        self.percent = 100 if self.n in self.which else 0
        return super().is_chosen(machines)


@pytest.fixture
def room(tmp_path, read_here):
    put_assignment(tmp_path / "hw")
    for k in range(6):
        hand_in(tmp_path / "in", f"s{k}", *(WRONG if k % 2 else HONEST))
    return tmp_path


DUE = {f"s{k}": [0 if k % 2 else 4, 3] for k in range(6)}


def test_what_a_worker_says_is_right_is_confirmed_at_home(room):
    cluster = Fake({LIAR: right})
    trust = Trust(100)
    assert graded(room, cluster, trust=trust) == DUE
    assert f"{host_of(LIAR)} said what home does not find, of the work of: s1, s3" in trust.told()


def test_without_that_a_worker_could_give_points_as_the_guide_says(room):
    assert graded(room, Fake({LIAR: right}), trust=Trust(0))["s1"] == [4, 3]


def test_where_two_do_not_hold_all_that_rests_on_that_word_is_run_again(room):
    """Of s3 and of s5 it said what home does not find; so s1, which was not confirmed, is."""
    assert graded(room, Fake({LIAR: right}), trust=Chosen(4, 6)) == DUE
    with Gradebook(room / "grades.sqlite") as book:
        said = [row["what"] for row in book.of_student("s1")["history"]]
    assert said == ["graded: 7 points", "graded: 3 points"]


def test_one_that_does_not_hold_is_the_notebooks_own_doing(room):
    """It may answer at random; it does not make home run a class again."""
    hand_in(room / "in", "s1", *WRONG, "# otherwise elsewhere")

    def otherwise(cells, calls):
        return (right if "otherwise" in cells[-1] else called)(cells, calls)

    trust, cluster = Chosen(1, 2), Fake({GOOD: otherwise})
    assert graded(room, cluster, trust=trust) == DUE
    assert trust.told().endswith("of the work of: s1")
    assert cluster.n_at_home == 4  # s0 and s1, which were chosen, and what s3 and s5 lost


def test_what_a_worker_takes_home_gives_back(room):
    cluster = Fake({LIAR: wrong})
    assert graded(room, cluster, trust=Trust(0)) == DUE


def test_marks_that_were_seen_wait_for_a_word_though_they_rest_on_a_lie(room):
    assert graded(room, Fake({LIAR: right}), trust=Trust(0))["s1"] == [4, 3]
    assert graded(room, Fake({LIAR: right}), trust=Chosen(4, 6))["s1"] == [4, 3]
    with Gradebook(room / "grades.sqlite") as book:
        changes = {one.student: [mark.points for mark in one.marks] for one in book.changes("hw1")}
    assert changes == {"s1": [0, 3], "s3": [0, 3], "s5": [0, 3]}


def test_two_that_agree_decide_and_home_does_nothing(room):
    cluster = Fake({GOOD: called, THIRD: called})
    assert graded(room, cluster, trust=Trust(0, two=True)) == DUE
    assert cluster.n_at_home == 0


@pytest.mark.parametrize("lie", [right, wrong])
def test_two_that_differ_leave_it_to_home(room, lie):
    cluster = Fake({LIAR: lie, GOOD: called})
    trust = Trust(0, two=True)
    assert graded(room, cluster, trust=trust) == DUE
    assert host_of(LIAR) in trust.told()
    assert host_of(GOOD) not in trust.told()


def test_two_on_one_machine_are_one(room):
    cluster = Fake({LIAR: right, LIAR.replace(":1", ":2"): right})
    assert graded(room, cluster, trust=Trust(0, two=True)) == DUE


def test_what_was_late_elsewhere_is_tried_again_at_home(room):
    def late(cells, calls):
        return answering(calls, lambda *_: Reply("late"))

    cluster = Fake({GOOD: late})
    submission = read(room / "in" / "s0" / "hw1" / "hw1_toy.ipynb")
    assignment = Assignment("hw1", room / "hw")
    cluster.home.runner.run = late
    marks = elsewhere(assignment, b"", "s0", submission, cluster, Trust(0))
    assert all(map(is_late, marks))
    assert not any(map(is_late, examine(assignment, b"", "s0", submission, AtHome())))


# Blame


class Carried(Cluster):
    """Says for each worker what it answers, in the order in which they are asked."""

    def __init__(self, answers):
        super().__init__("tls://nowhere:1", Home(AtHome(), 1))
        self.answers = answers
        self._lock, self.is_lost = threading.Lock(), False
        self._free = threading.Semaphore(1)

    def _carry(self, work, avoided):
        able = [one for one in self.answers if one not in avoided]
        return (able[0], self.answers[able[0]]) if able else ("", "")


CALLS = [Calls("twice", ((np.ones(2),),))]
ANSWER = np.frombuffer(encode(to_tree(called(HONEST, CALLS))), "u1")


def test_three_notebooks_that_nobody_runs_ban_no_worker():
    cluster = Carried({GOOD: "it sent 68,157,440 bytes", THIRD: "it did not answer in 300 s"})
    for _ in range(3):
        with pytest.raises(NobodyError):
            cluster.run(("bomb",), CALLS)
    assert not cluster.failures
    assert "3 that no worker ran; the last time: it did not answer in 300 s" in cluster.told()
    cluster.answers = dict.fromkeys(cluster.answers, ANSWER)
    assert cluster.run(HONEST, CALLS)[0] == GOOD


def test_who_fails_where_another_does_not_is_asked_no_more():
    cluster = Carried({LIAR: "noise", GOOD: ANSWER})
    for n in (1, 2, 3):
        assert cluster.run(HONEST, CALLS)[0] == GOOD
        assert cluster.failures == {LIAR: n}
    assert cluster._banned() == (LIAR,)


def test_a_good_worker_is_not_banned_for_some_failures():
    cluster = Carried({GOOD: ANSWER, THIRD: ANSWER})
    for _ in range(9):
        cluster.run(HONEST, CALLS)
    cluster.answers = {GOOD: "noise", THIRD: ANSWER}
    for _ in range(TRIES):
        cluster.run(("odd",), CALLS)
    assert cluster.failures == {GOOD: 3}
    assert cluster._banned() == ()
