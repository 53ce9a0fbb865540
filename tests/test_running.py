"""How the tests are run: what is told of the processor that they take, and who is handed what."""

import os
import subprocess
import sys
from collections import Counter

import pytest

from tests import processor, sharing

# It is at a file, as a worker is, and leaves a process to others, and waits until that is gone.
LEAVES_BEHIND = """
import os, pathlib, subprocess, sys, time
from tests import processor
os.environ["PYTEST_XDIST_WORKER"] = "gw0"
processor.pytest_runtest_logstart("tests/test_a.py::test_b")
burn = "import time\\nwhile time.process_time() < 0.8: pass"
there = pathlib.Path(os.environ[processor.PLACE], "..", f"{os.getpid()}.left").resolve()
say = f"import os; open({str(there)!r}, 'w').write(str(os.getpid()))"
subprocess.run(["sh", "-c", f'{sys.executable} -c "$0" &', f"{say}\\n{burn}"], check=True)
subprocess.run([sys.executable, "-c", burn], check=True)
while not (there.exists() and there.read_text()):
    time.sleep(0.1)
while pathlib.Path("/proc", there.read_text()).exists():
    time.sleep(0.1)
there.unlink()
sys.exit(3)
"""


@pytest.mark.full
@pytest.mark.skipif(sys.platform != "linux", reason="what is left behind is adopted on Linux alone")
def test_what_is_left_behind_is_counted():
    command = [sys.executable, "-m", "tests.processor", sys.executable, "-c", LEAVES_BEHIND]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, env=os.environ)
    assert done.returncode == 3, done.stderr
    lines = done.stdout.splitlines()
    (folder,) = (line for line in lines if line.endswith("  tests/"))
    (whole,) = (line for line in lines if " seconds of processor in " in line)
    assert (
        float(folder.split()[0]) > 0.7
    )  # where sh ended before a look, the other half is nobody's
    assert int(whole.split()[0]) >= 2


def test_what_is_adopted_still_belongs_to_the_file_that_started_it(monkeypatch, tmp_path):
    me, worker, child, left = os.getpid(), 10, 11, 12
    seen = iter([
        {worker: (me, 100), child: (worker, 5), left: (child, 7)},
        {worker: (me, 100 + 5), left: (me, 9)},  # the worker has waited for its child
    ])  # fmt: skip
    as_processes = lambda: {pid: processor.Process(*x) for pid, x in next(seen).items()}  # noqa: E731
    monkeypatch.setattr(processor, "read_processes", as_processes)
    account = processor.Account(tmp_path)
    (tmp_path / str(worker)).write_text("tests/test_a.py")
    account.look()
    (tmp_path / str(worker)).write_text("tests/test_b.py")
    account.look()
    account.ended(left, 10)
    account.ended(worker, 106)
    assert account.by_file == {"tests/test_a.py": 112, "tests/test_b.py": 2 + 1 + 1}


def test_the_table_has_folders_the_files_that_took_most_and_all():
    seconds = Counter({"tests/test_a.py": 1.0, "tests/browser/test_b.py": 6.0})
    first, second, between, *files, whole = processor.table(seconds, 7.0, 120.0)
    assert first.split() == ["6.0", "s", "85.7%", "tests/browser/"]
    assert second.split() == ["1.0", "s", "14.3%", "tests/"]
    assert between == "of these"
    assert [line.split()[-1] for line in files] == ["tests/browser/test_b.py", "tests/test_a.py"]
    assert whole.startswith("7 seconds of processor in 2.0 minutes (")


def test_long_files_come_first_and_what_looks_at_one_site_stays_together():
    tests = [
        "attnlib/softmax.py::attnlib.softmax",
        "tests/test_site.py::test_a",
        "tests/checks/test_b.py::test_c[x::y]",
        "tests/browser/test_site.py::test_d",
        "tests/browser/test_pages.py::test_e",
    ]
    assert sorted(tests, key=sharing.place) == [tests[i] for i in (1, 3, 4, 2, 0)]
    assert {sharing.file_of(test) for test in tests[1::2]} == {"tests/test_site.py"}
