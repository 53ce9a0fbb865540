"""What can be kept, and in which words the rest is refused."""

import numpy as np
import pytest

from attnlib import mine
from attnlib.mine.book import Book
from attnlib.mine.source import CannotKeep, written

EMPTY = Book("")


def entry(names, name="dot_product", helpers=(), book=EMPTY):
    return written(name, names[name], [names[helper] for helper in helpers], book)


@pytest.mark.parametrize(
    ("source", "names", "line"),
    [
        ("np.dot(a, b)", {}, "import numpy as np"),
        ("numpy.dot(a, b)", {"numpy": np}, "import numpy"),
        ("la.norm(a) * b", {"la": np.linalg}, "from numpy import linalg as la"),
        ("norm(a) * b", {"norm": np.linalg.norm}, "from numpy.linalg import norm"),
        ("exp(a) * b", {"exp": np.exp}, "from numpy import exp"),
        ("root(a) * b", {"root": np.sqrt}, "from numpy import sqrt as root"),
        ("a * b + 0 / inf", {"inf": np.inf}, "from numpy import inf"),
        ("dot(a, b)", {"dot": mine.projection}, "from attnlib.mine import projection as dot"),
    ],
)
def test_imports_come_along(written, source, names, line):
    found = entry(written(f"def dot_product(a, b):\n    return {source}\n", **names))
    assert found.imports == (line,)


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("dot_product = lambda a, b: a @ b", "`dot_product` is a lambda"),
        ("dot_product = np.dot", "`dot_product` was not written with `def`"),
        ("def dot_product(a, b):\n    return dot_product(a, b)", "dot_product calls itself"),
        ("def dot_product(a, b):\n    return mine.dot_product(a, b)", "dot_product calls itself"),
        ("eps = 1e-9\ndef dot_product(a, b):\n    return a @ b + eps", "reads `eps` from"),
        ("def dot_product(a, b):\n    return a @ c", "reads `c`, and there is nothing of that"),
        ("def times(a, b): ...\ndef dot_product(a, b):\n    return times(a, b)",
         'Keep that with it: `mine.keep("dot_product", dot_product, times)`'),
        ("def softmax(a): ...\ndef dot_product(a, b):\n    return softmax(a)",
         'Keep that first: `mine.keep("softmax", softmax)`'),
        ("def around(k):\n    def dot_product(a, b):\n        return k\n    return dot_product\n"
         "dot_product = around(2)", "reads `k` from the function that stands around it"),
        ("dot_product = mine.softmax", "mine.softmax is what mine gives"),
        ("dot = mine.dot_product\ndef dot_product(a, b):\n    return dot(a, b)",
         "calls itself, by way of mine.dot_product"),
        ("async def dot_product(a, b): ...", "was not written with `def`"),
    ],
)  # fmt: skip
def test_what_cannot_be_kept_is_told_in_a_sentence(written, source, words):
    with pytest.raises(CannotKeep) as caught:
        entry(written(source + "\n", mine=mine))
    assert words in str(caught.value)


def test_a_function_without_a_source_is_told():
    names = {}
    exec("def dot_product(a, b): return a @ b", names)
    with pytest.raises(CannotKeep, match="source cannot be found"):
        entry(names)


def test_two_that_call_each_other_are_refused(written):
    names = written(
        "def times(a, b):\n    return dot_product(a, b)\n"
        "def dot_product(a, b):\n    return times(a, b)\n"
    )
    with pytest.raises(CannotKeep, match="calls itself, by way of times"):
        entry(names, helpers=["times"])


@pytest.mark.parametrize(
    ("written_as", "head"),
    [
        ("def my(a, b):", "def dot_product(a, b):"),
        ("def  my ( a, b ):", "def dot_product ( a, b ):"),
    ],
)
def test_it_is_kept_under_the_exercises_name(written, written_as, head):
    names = written(f"{written_as}\n    '''my'''\n    return a @ b\n")
    found = entry({"dot_product": names["my"]})
    assert found.definitions["dot_product"].startswith(f"{head}\n    '''my'''")


def test_the_remark_above_it_comes_along(written):
    source = "# in words\ndef my(a, b):\n    return a @ b"
    found = entry({"dot_product": written(f"x = 1\n\n{source}\n")["my"]})
    assert found.definitions["dot_product"] == source.replace("my", "dot_product")


def test_a_decorator_is_a_helper_and_hides_nothing(written):
    names = written(
        "import functools\n"
        "def loud(f):\n    @functools.wraps(f)\n    def g(*a): return f(*a)\n    return g\n"
        "@loud\ndef dot_product(a, b): return a @ b\n"
    )
    with pytest.raises(CannotKeep, match="Keep that with it"):
        entry(names)
    found = entry(names, helpers=["loud"])
    assert list(found.definitions) == ["loud", "dot_product"]
    assert found.imports == ("import functools",)


def test_a_helper_is_known_by_what_it_is_and_not_by_its_name(written):
    names = written("def _f(x): return x\nf = _f\ndef dot_product(a, b): return f(a @ b)\n")
    assert entry(names, helpers=["f"]).definitions["f"] == "def f(x): return x"


def test_an_annotation_brings_its_import_and_is_not_needed(written):
    source = "def dot_product(a: np.ndarray, b: Vector) -> Any: return sum(a * b)\n"
    names = written(f"from __future__ import annotations\nfrom typing import Any\n{source}")
    found = entry(names)
    assert found.imports == ("from typing import Any", "import numpy as np")
    book = EMPTY.with_(found, [])
    assert book.load("dot_product", "mine.py")(np.ones(2), np.ones(2)) == 2


def test_what_mine_gives_is_imported_unless_it_stands_there(written):
    source = "def projection(a, b): return dot_product(a, b)\n"
    names = written(source, dot_product=mine.dot_product)
    assert entry(names, "projection").imports == ("from attnlib.mine import dot_product",)
    book = Book("def dot_product(a, b): ...\n")
    assert entry(names, "projection", book=book).imports == ()


def test_a_helper_that_is_there_already_need_not_be_handed_along(written):
    source = "def times(a, b):\n    return a * b\n"
    names = written(source + "def dot_product(a, b):\n    return times(a, b).sum()\n")
    assert list(entry(names, book=Book(source)).definitions) == ["dot_product"]
    with pytest.raises(CannotKeep, match="Keep that with it"):
        entry(names, book=Book(source.replace("*", "+")))


def test_a_name_that_means_something_else_in_the_file_is_told(written):
    names = written("def dot_product(a, b):\n    return np.dot(a, b)\n")
    with pytest.raises(CannotKeep, match="`np` is something else: `import math as np`"):
        entry(names, book=Book("import math as np\n"))
