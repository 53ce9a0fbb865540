"""Tests of the checks; a file for each exercise stands in `tests/checks/exercises`."""

import pytest

# Their own tests are found by `tests/checks/test_promises.py`, not by pytest.
pytest.register_assert_rewrite("tests.checks.exercises")
