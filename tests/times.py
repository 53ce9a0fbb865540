"""What took the time: tests, seconds and share of each folder, and the files that took most."""

from collections import Counter
from pathlib import PurePosixPath

MOST = 8  # files that are named


def pytest_terminal_summary(terminalreporter):
    """Print the table where there is more than one file of tests to tell of."""
    tests, seconds = Counter(), Counter()
    for reports in terminalreporter.stats.values():
        for report in reports:
            if hasattr(report, "duration"):  # and not what could not even be collected
                path = report.nodeid.partition("::")[0]
                seconds[path] += report.duration
                tests[path] += report.when == "call" or (report.when == "setup" and report.skipped)
    if len(tests) > 1:
        terminalreporter.section("what took the time", sep="-")
        terminalreporter.write_line("\n".join(table(tests, seconds)))


def table(tests: Counter, seconds: Counter) -> list[str]:
    """Return the lines: folders, then the files that took most, the slowest first.

    Parameters
    ----------
    tests, seconds : Counter
        How many tests a file has, and how long they took, with what they had set up, by its path.
    """
    folders, counts = Counter(), Counter()
    for path in tests:
        folder = f"{PurePosixPath(path).parent}/"
        folders[folder] += seconds[path]
        counts[folder] += tests[path]
    total = max(seconds.total(), 1e-9)

    def line(name, count, spent):
        return f"{count:6,} tests {spent:8.1f} s {spent / total:6.1%}  {name}"

    lines = [line(name, counts[name], spent) for name, spent in folders.most_common()]
    slowest = seconds.most_common(MOST)
    return [*lines, "of these", *(line(name, tests[name], spent) for name, spent in slowest)]
