"""What a public function lacks is told at once, from its first day: all the places that name it."""

import importlib
import inspect
import re

import attnlib
from course.files import ROOT
from tests import breaks
from tests.test_public_names import SIGNATURES
from tests.test_style import MAY_IMPORT

REFERENCE = "course/site/pages/reference.md"
# Whose functions are called by the module's name, too, as `attnlib.text.words` is.
BY_THEIR_MODULE = {"encoder", "plotting", "text", "world", "writer"}


def written_as_public():
    """Yield what the core's modules give, each with its module: its docstring has a section.

    So a new one is found before anything lists it. A helper says what it does in a sentence.
    """
    for path in sorted((ROOT / "attnlib").glob("[a-z]*.py")):
        if path.stem in BY_THEIR_MODULE:
            continue
        module = importlib.import_module(f"attnlib.{path.stem}")
        for thing in vars(module).values():
            is_own = getattr(thing, "__module__", "") == module.__name__
            if is_own and re.search(r"^-{4,}$", inspect.getdoc(thing) or "", re.MULTILINE):
                yield thing, path.stem


def missing(thing, module):
    """Yield what a public function or class lacks: each place, and what has to stand there."""
    name, source = thing.__name__, inspect.getsource(thing)
    if name not in attnlib.__all__ or getattr(attnlib, name, None) is not thing:
        yield f'attnlib/__init__.py: from attnlib.{module} import {name}; "{name}" in __all__'
    if name not in SIGNATURES:
        yield f'tests/test_public_names.py: "{name}": "{inspect.signature(thing)}" in SIGNATURES'
    if not re.search(rf"^\.\. auto\w+:: (attnlib\.)?{name}$", text_of(REFERENCE), re.MULTILINE):
        yield f"{REFERENCE}: .. autofunction:: attnlib.{name}"
    if module not in MAY_IMPORT:
        yield f'tests/test_style.py: "{module}" in MAY_IMPORT, and in IN_PUBLIC'
    if module not in breaks.MODULES:
        yield f'tests/breaks.py: "{module}" in MODULES'
    if not any(one.module == module and one.old in source for one in breaks.BREAKS):
        yield f"tests/breaks.py: a break in {name} that one of its tests notices"
    tests = f"tests/test_{module}.py"
    if not re.search(rf"\b{name}\b", text_of(tests)):
        yield f"{tests}: tests of {name}"


def text_of(place):
    """Return what stands in a file; nothing where there is none."""
    path = ROOT / place
    return path.read_text(encoding="utf-8") if path.exists() else ""


def test_what_public_functions_lack():
    lacking = [f"  {what}" for found in written_as_public() for what in missing(*found)]
    assert not lacking, "\n".join(["what public functions lack", *lacking])


def test_of_a_new_one_all_is_told_at_once():
    def doubled(x, *, times=2):
        """x, times 2."""

    assert [line.partition(": ")[0] for line in missing(doubled, "doubling")] == [
        "attnlib/__init__.py",
        "tests/test_public_names.py",
        REFERENCE,
        "tests/test_style.py",
        "tests/breaks.py",
        "tests/breaks.py",
        "tests/test_doubling.py",
    ]
    (signature,) = (line for line in missing(doubled, "doubling") if "SIGNATURES" in line)
    assert signature.endswith(': "doubled": "(x, *, times=2)" in SIGNATURES')
