"""Threads: the same bits in any number, and nothing hangs, is lost or stays behind."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import tracemalloc
import warnings

import numpy as np
import pytest

from attnlib import _threads, _tiles, attention, attention_backward, causal_mask

LONG = 60  # seconds that nothing here takes
WORTH_THREADS = _tiles.WORTH_THREADS


@pytest.fixture
def n_threads(monkeypatch):
    """Return what sets the number of threads, and have some wherever tiles are computed."""
    ways = _tiles._ways
    monkeypatch.setattr(_tiles, "_ways", lambda *x: ways(*x)._replace(small_products=True))
    monkeypatch.setattr(_tiles, "WORTH_THREADS", 0)

    def set_to(number):
        monkeypatch.setattr(_threads, "allowed", lambda: number)

    return set_to


@pytest.fixture
def small_tiles(monkeypatch):
    sizes = {"HEIGHT": 4, "WIDTH": 3, "HEIGHT_MASKED": 3, "KEPT": 64, "FASTER_FROM": 1, "SMALL": 24}
    for name, size in (sizes | {"KEPT_BY_ALL": 2**20}).items():
        monkeypatch.setattr(_tiles, name, size)
    every = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)  # so threads come between one another wherever they may
    yield
    sys.setswitchinterval(every)


def make_arrays(*leading, n=37, d=5, seed=0):
    """Return grad_output, query, key and value."""
    rng = np.random.default_rng(seed)
    return rng.standard_normal((4, *leading, n, d), dtype=np.float32)


def answers(arrays, **options):
    return attention(*arrays[1:], **options), *attention_backward(*arrays, **options)


def assert_same(found, expected):
    for x, y in zip(found, expected, strict=True):
        np.testing.assert_array_equal(x, y)


def assert_end(threads, before):
    """Wait for threads, and hold that there are none but those of before."""
    for thread in threads:
        thread.join(LONG)
    assert not {*threading.enumerate()} - {*before}  # one that others started may end meanwhile


@pytest.mark.parametrize("leading", [(), (1,), (3,), (2, 2)], ids=str)
def test_any_number_of_threads_gives_the_same_bits(n_threads, small_tiles, leading):
    arrays = make_arrays(*leading)
    strange = arrays.copy()
    strange[2, ..., 7, 2], strange[3, ..., 9, 0], strange[1, ..., 30, 1] = np.nan, np.inf, 1e30
    for some in (arrays, strange):
        for mask in (None, causal_mask(37), np.arange(37) < 20):
            n_threads(1)
            expected = answers(some, mask=mask)
            for number in (2, 3, 7):
                n_threads(number)
                assert_same(answers(some, mask=mask), expected)


def test_they_work_at_the_same_time(n_threads, small_tiles, monkeypatch):
    """Each waits, at its first strip, until the others have one."""
    n_threads(3)
    together, seen = threading.Barrier(3, timeout=LONG), threading.local()
    tamed = _tiles._tamed

    def wait_once(arrays):
        if not hasattr(seen, "it"):
            seen.it = together.wait()
        return tamed(arrays)

    monkeypatch.setattr(_tiles, "_tamed", wait_once)
    arrays = make_arrays(2)
    before = threading.enumerate()
    attention(*arrays[1:])
    del seen.it  # this thread's; the others are new ones
    attention_backward(*arrays)
    assert_end([], before)


def test_blas_gets_nothing_that_it_would_share_out(n_threads, monkeypatch):
    sizes, matmul = [], np.matmul

    def measured(left, right, **options):
        if threading.current_thread() is not threading.main_thread():
            sizes.append(left.shape[-2] * left.shape[-1] * right.shape[-1])
        return matmul(left, right, **options)

    monkeypatch.setattr(np, "matmul", measured)
    n_threads(2)
    answers(make_arrays(4, n=600, d=64), mask=causal_mask(600))
    assert sizes
    assert max(sizes) <= _tiles.SMALL


@pytest.mark.parametrize("number", [1, 4])
def test_where_no_thread_may_or_can_be_started_one_does_it_all(
    n_threads, small_tiles, monkeypatch, number
):
    def refuse(self):
        assert number > 1, "a thread was started"
        raise RuntimeError("can't start new thread")

    arrays = make_arrays(2)
    n_threads(2)
    expected = answers(arrays)
    n_threads(number)
    monkeypatch.setattr(threading.Thread, "start", refuse)
    assert_same(answers(arrays), expected)


@pytest.mark.parametrize(
    ("way", "n_heads", "n", "d", "n_others"),
    [
        (attention, 8, 256, 64, 0),
        (attention, 8, 362, 64, 0),
        (attention, 8, 363, 64, 1),
        (attention, 128, 256, 8, 0),  # as many products as the last, but each is short
        (attention, 64, 256, 32, 1),
        (attention_backward, 8, 362, 64, 0),
        (attention_backward, 8, 363, 64, 1),
        (attention_backward, 64, 256, 8, 0),
    ],
)
def test_too_little_work_gets_no_threads(n_threads, monkeypatch, way, n_heads, n, d, n_others):
    """With one more it would take longer: it has begun late, or both wait for Python."""
    monkeypatch.setattr(_tiles, "WORTH_THREADS", WORTH_THREADS)
    started, start = [], threading.Thread.start
    monkeypatch.setattr(threading.Thread, "start", lambda x: (started.append(x), start(x)))
    n_threads(2)
    way(*make_arrays(n_heads, n=n, d=d)[1 - (way is attention_backward) :])
    assert len(started) == n_others


@pytest.mark.parametrize("way", [attention, attention_backward])
@pytest.mark.parametrize("where", ["here", "elsewhere"])
def test_what_a_thread_raises_arrives_whole(n_threads, small_tiles, monkeypatch, way, where):
    n_threads(3)
    after = {"here": [], "elsewhere": []}
    tamed, main = _tiles._tamed, threading.main_thread()
    other_has_begun = threading.Event()

    def fail(arrays):
        place = "here" if threading.current_thread() is main else "elsewhere"
        after[place].append(None)
        if place == where and len(after[place]) > 3:  # a strip or two are done by then
            raise KeyError("a strip")
        if place != where:
            other_has_begun.set()
        elif not other_has_begun.wait(LONG):
            raise TimeoutError
        return tamed(arrays)

    monkeypatch.setattr(_tiles, "_tamed", fail)
    arrays, before = make_arrays(40), threading.enumerate()
    with pytest.raises(KeyError, match="a strip") as caught:
        way(*arrays[1 - (way is attention_backward) :])
    assert caught.traceback[-1].name == "fail"
    assert_end([], before)
    assert len(after["elsewhere"]) + len(after["here"]) < 40 * 10  # the rest was not begun


def test_numbers_that_overflow_raise_and_warn_nowhere(n_threads, small_tiles):
    arrays = make_arrays(2)
    arrays[1:3, :, 3] = 3e38
    arrays[3, :, 5] = np.inf
    n_threads(1)
    expected = answers(arrays)
    n_threads(3)
    with np.errstate(all="raise"), warnings.catch_warnings():
        warnings.simplefilter("error")
        told = np.geterr()
        assert_same(answers(arrays), expected)
        assert np.geterr() == told


def test_eight_threads_may_ask_at_once(n_threads, small_tiles):
    inputs = [make_arrays(3, seed=seed) for seed in range(8)]
    n_threads(1)
    expected = [answers(x) for x in inputs]
    n_threads(2)
    found, start = {}, threading.Barrier(8, timeout=LONG)

    def ask(i):
        start.wait()
        for _ in range(5):
            found[i] = answers(inputs[i])

    before = threading.enumerate()
    threads = [threading.Thread(target=ask, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    assert_end(threads, before)
    for i in range(8):
        assert_same(found[i], expected[i])


@pytest.mark.needs("linux")  # elsewhere BLAS does not promise to live through a fork
def test_a_fork_computes_too_also_while_others_do(n_threads):
    arrays = make_arrays(2, n=300, d=8)
    n_threads(2)
    expected, stop = answers(arrays), threading.Event()

    def go_on():
        while not stop.is_set():
            answers(arrays)

    before = threading.enumerate()
    busy = threading.Thread(target=go_on)
    busy.start()
    for _ in range(3):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of forks beside threads
            child = os.fork()
        if not child:
            signal.alarm(LONG)
            try:
                assert_same(answers(arrays), expected)
                os._exit(0)
            finally:
                os._exit(1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    stop.set()
    assert_end([busy], before)


INTERRUPTED = """
    import signal, sys, threading
    import numpy as np
    from attnlib import _threads, _tiles, attention, attention_backward

    _threads.allowed, ways = lambda: 3, _tiles._ways
    _tiles._ways = lambda *x: ways(*x)._replace(small_products=True)
    _tiles.WORTH_THREADS = 0
    arrays = np.random.default_rng(0).standard_normal((4, 4, 700, 16), dtype=np.float32)

    def answers():
        return attention(*arrays[1:]), *attention_backward(*arrays)

    def interrupt(_, frame):  # wherever it computes, and never where that is caught
        while frame and frame.f_code is not answers.__code__:
            frame = frame.f_back
        if frame:
            raise KeyboardInterrupt

    expected = answers()
    signal.signal(signal.SIGALRM, interrupt)
    # It comes again, for Python ignores what is raised while it throws something away.
    signal.setitimer(signal.ITIMER_REAL, 0.0103, 0.0103)
    for _ in range(100):
        try:
            while True:
                answers()
        except KeyboardInterrupt:
            pass
        for thread in threading.enumerate():
            if thread is not threading.main_thread() and thread.is_alive():
                thread.join(60)
                assert not thread.is_alive()
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, signal.SIG_IGN)
    for x, y in zip(answers(), expected):
        np.testing.assert_array_equal(x, y)
    print("fine")
"""


@pytest.mark.needs("posix")  # for its alarm
def test_ctrl_c_ends_it_at_any_moment():
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(INTERRUPTED)],
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert done.stdout == "fine\n", done.stderr


@pytest.mark.parametrize("way", [attention, attention_backward])
def test_memory_is_bounded_with_threads_too(n_threads, way):
    n, most = 16_384, {attention: 64e6, attention_backward: 128e6}[way]
    grad_output, query, key, value = make_arrays(8, n=n, d=8)
    few = grad_output[:, :600], query[:, :600], key, value
    n_threads(2)
    tracemalloc.start()
    try:
        answer = way(*few[1 - (way is attention_backward) :])
        held, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak - held < most
    del answer


@pytest.mark.parametrize(
    ("told", "number"),
    [
        ({}, 6),
        ({"OMP_NUM_THREADS": "1"}, 1),
        ({"OMP_NUM_THREADS": "4, 2"}, 4),
        ({"OPENBLAS_NUM_THREADS": "3", "OMP_NUM_THREADS": "4"}, 3),
        ({"OPENBLAS_NUM_THREADS": "4", "MKL_NUM_THREADS": "2"}, 2),
        ({"OPENBLAS_NUM_THREADS": "0", "OMP_NUM_THREADS": "many"}, 6),
        ({"OPENBLAS_NUM_THREADS": "64"}, 6),
        ({"OMP_NUM_THREADS": " 1.5"}, 1),
        ({"OMP_NUM_THREADS": "2x"}, 2),
        ({"OMP_NUM_THREADS": "9" * 5_000}, 6),
    ],
)
def test_no_more_threads_than_blas_may_use(monkeypatch, told, number):
    for name in ("OPENBLAS", "MKL", "OMP"):
        monkeypatch.delenv(f"{name}_NUM_THREADS", raising=False)
    for name, value in told.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(6)), raising=False)
    assert _threads.allowed() == number


def test_more_threads_than_pay_are_not_used(monkeypatch):
    for name in ("OPENBLAS", "MKL", "OMP"):
        monkeypatch.delenv(f"{name}_NUM_THREADS", raising=False)
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 500)
    assert _threads.allowed() == _threads.MOST
