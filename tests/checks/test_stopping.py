"""A call that does not end is stopped, in whatever thread and way, and nothing else is."""

import signal
import sys
import threading
import time

import nbformat
import numpy as np
import pytest
from nbclient import NotebookClient

from attnlib.checks import stopping
from attnlib.checks.engine import examine
from attnlib.checks.exercises.dot_product import EXERCISE as DOT
from attnlib.checks.exercises.wordpiece import EXERCISE as WORDPIECE
from attnlib.checks.stopping import Limit, Stopped
from attnlib.mine import trial


@pytest.fixture
def short(monkeypatch):
    """Stop calls after a moment."""
    monkeypatch.setattr(stopping, "EVERY", 0.01)
    monkeypatch.setattr(stopping, "AGAIN", 0.002)
    monkeypatch.setattr(stopping, "PROCESSOR", 0.1)


def loops(a, b):
    while True:
        a = a + 1


def catches(a, b):
    while True:
        try:
            a = a + 1
        except:  # noqa: E722, as a learner would
            a = b


def answers_all_the_same(a, b):
    try:
        loops(a, b)
    except BaseException:
        return a @ b


def goes_on_when_it_ends(a, b):
    try:
        loops(a, b)
    finally:
        time.sleep(0.05)


def waits(a, b):
    while True:
        time.sleep(0.01)


class Answer:
    def __array__(self, *args, **kwargs):
        loops(1, 2)


ENDLESS = [loops, catches, answers_all_the_same, goes_on_when_it_ends, lambda a, b: Answer()]


def add(a, b):
    return a + b


@pytest.mark.parametrize("function", [add, loops])
def test_a_debugger_follows_code_after_a_check(short, function):
    # Python 3.11 would trace it for ever, if an exception had been handed to it and taken back.
    code = "import sys; sys.settrace(lambda *_: None); (lambda: 1)(); sys.settrace(None)"
    examine(DOT, function)
    exec(code)


@pytest.mark.parametrize("function", ENDLESS)
def test_what_does_not_end_is_stopped_and_told(short, function):
    report = examine(DOT, function)
    assert report.status == "failed"
    text = str(report)
    taken = "one call had taken 0.1 seconds of processor and had not returned."
    assert f"The check stopped your function: {taken}" in text.replace("\n", " ")
    assert "Does it ever return?" in text
    assert "a = [1 2]" in text


def test_what_only_waits_is_stopped_by_the_clock(short, monkeypatch):
    monkeypatch.setattr(stopping, "PROCESSOR", 10)
    monkeypatch.setattr(stopping, "CLOCK", 0.3)
    assert "one call had been running for 0.3 seconds" in str(examine(DOT, waits))


def test_a_loop_that_never_shortens_its_word_is_told_with_the_word(short):
    def wordpiece(word, pieces):
        found, start = [], 0
        while start < len(word):
            for end in range(len(word), start, -1):
                if word[start:end] in pieces:
                    found.append(word[start:end])
                    start = end
                    break
        return found

    assert "word" in str(examine(WORDPIECE, wordpiece)).split("It was called with:")[1]


def test_in_another_thread_it_is_stopped_as_well(short):
    told = []
    thread = threading.Thread(target=lambda: told.append(str(examine(DOT, loops))))
    thread.start()
    thread.join(30)
    assert "The check stopped your function" in told[0]


def test_where_interrupts_are_ignored_and_there_is_no_alarm(short, monkeypatch):
    monkeypatch.delattr(signal, "SIGALRM", raising=False)  # as on Windows
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        assert "The check stopped your function" in str(examine(DOT, loops))
    finally:
        signal.signal(signal.SIGINT, before)


def test_who_ends_in_time_is_not_stopped(short):
    def slow(a, b):
        time.sleep(0.05)
        return a @ b

    assert examine(DOT, slow).status == "passed"


def test_a_call_is_stopped_after_ten_seconds_of_processor_or_a_minute():
    assert (stopping.PROCESSOR, stopping.CLOCK) == (10, 60)


def test_nothing_arrives_after_a_call(short, monkeypatch):
    """Calls that end about when they would be stopped: all that is raised is raised within."""
    monkeypatch.setattr(stopping, "CLOCK", 0.004)
    monkeypatch.setattr(stopping, "EVERY", 0.0003)
    monkeypatch.setattr(stopping, "AGAIN", 0.0001)
    rng, stopped = np.random.default_rng(0), 0

    def ends(seconds):
        start = time.perf_counter()
        while time.perf_counter() - start < seconds:
            pass

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-4)
    try:
        with Limit() as within:
            for seconds in rng.uniform(0.002, 0.007, size=150):
                try:
                    within(ends, seconds)
                except Stopped:
                    stopped += 1
                for _ in range(1000):
                    pass
    finally:
        sys.setswitchinterval(before)
    assert stopped


@pytest.mark.full
def test_in_a_notebook_that_is_run_from_outside():
    cells = [
        "from attnlib import check\nfrom attnlib.checks import stopping\nstopping.PROCESSOR = 0.3",
        "def dot_product(a, b):\n    while True:\n        a = a + 1",
        'report = check("dot_product", dot_product)',
        "print(report.status, 'and on')",
    ]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in cells])
    NotebookClient(notebook, timeout=60).execute()
    told, last = notebook.cells[2].outputs[0], notebook.cells[3].outputs[0]
    assert "The check stopped your function" in told["data"]["text/plain"]
    assert last["text"] == "failed and on\n"


def test_a_trial_tells_endless_from_slow(monkeypatch):
    endless = "def dot_product(a, b):\n    while True: pass"
    short = "from attnlib.checks import stopping\nstopping.PROCESSOR = 0.2\n"
    assert "The check stopped your function" in trial.tried("dot_product", short + endless).why
    slow = "import time\ndef dot_product(a, b):\n    time.sleep(0.3)\n    return a @ b"
    found = trial.tried("dot_product", slow, seconds=1)
    assert "takes more than 1 seconds in all" in found.why
