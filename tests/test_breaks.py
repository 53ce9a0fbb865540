"""The list of deliberate breaks still fits the code; running them takes python -m tests.breaks."""

from collections import Counter

import pytest

from tests.breaks import BREAKS, EXERCISES, MODULES, ROOT, main


@pytest.mark.parametrize("broken", BREAKS, ids=lambda broken: broken.name)
def test_the_break_still_applies(broken):
    source = (ROOT / "attnlib" / f"{broken.module}.py").read_text(encoding="utf-8")
    assert source.count(broken.old) == 1
    compile(source.replace(broken.old, broken.new), broken.name, "exec")
    assert broken.new != broken.old


def test_there_are_breaks_of_every_module_and_each_has_its_name():
    of_core = {broken.module for broken in BREAKS if not broken.module.startswith(EXERCISES)}
    assert {module.strip("_") for module in of_core} == set(MODULES)
    assert max(Counter(broken.name for broken in BREAKS).values()) == 1


def test_an_unknown_break_is_told(capsys):
    assert main(["no such"]) == 2
    assert capsys.readouterr().out == "No such break: no such.\n"
