"""A folder for each test in which functions are kept, and nothing said or remembered before."""

import numpy as np
import pytest

from attnlib import mine


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("ATTNLIB_MINE", str(tmp_path))
    for cached in (mine._said, mine._of_file):
        cached.cache_clear()
    return tmp_path


@pytest.fixture
def written(tmp_path_factory):
    """Define functions as a notebook's cell does, in a module of its own, and give its names."""

    def write(source, **names):
        path = tmp_path_factory.mktemp("cell") / "cell.py"
        path.write_text(source)
        namespace = {"__name__": "__main__", "np": np} | names
        exec(compile(source, str(path), "exec"), namespace)
        return namespace

    return write
