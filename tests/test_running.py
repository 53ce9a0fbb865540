"""How the tests are run: what is told of their time, and who is handed what."""

from collections import Counter

from tests import sharing, times


def test_the_table_has_each_folder_and_the_slowest_files():
    tests = Counter({"tests/test_a.py": 2, "tests/browser/test_b.py": 1, "tests/test_c.py": 1000})
    seconds = Counter({"tests/test_a.py": 1.0, "tests/browser/test_b.py": 6.0})
    first, second, between, *files = times.table(tests, seconds)
    assert first.split() == ["1", "tests", "6.0", "s", "85.7%", "tests/browser/"]
    assert second.split() == ["1,002", "tests", "1.0", "s", "14.3%", "tests/"]
    assert between == "of these"
    assert [line.split()[-1] for line in files] == ["tests/browser/test_b.py", "tests/test_a.py"]


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
