"""What a lesson says of its widgets: goal, moments and start, an option of the cell that shows one.

The cell calls the widget with `lesson="03"`, and the option says what that stands for:

    widget:
      goal:
        words: Give key 3 half of all the weight, by moving one score.
        weights: {3: [0.48, 0.52]}
        changing: 1
      moments:
      - the highest score gets most: {}
      - equal scores, equal weights: {scores: [1, 1, 1, 1]}
      start: {temperature: 2}

Whether the widget can have it is told when the cell runs.
"""

import json
import re
from collections.abc import Iterable, Iterator

from course import BuildError
from course.lesson.source import Source

LED = "attnlib/widgets/lessons.json"  # what all lessons say, where a kernel finds it
OPTION = "widget"
CALLS = re.compile(r"\bwidgets\.(\w+)\((?:(?!\bwidgets\.).)*?\blesson=\"([^\"]*)\"", re.DOTALL)
EMPTY = {"goal": None, "moments": [], "start": {}}


def read_widgets(source: Source, number: str) -> dict[str, dict]:
    """Return what a lesson says of its widgets, by the name with which its cells ask for it.

    Raises
    ------
    BuildError
        If it is worded wrongly, or its cell does not ask for it; it names the cell and its line.
    """
    told, problems = {}, []
    for index, cell in enumerate(source.notebook.cells):
        if OPTION not in cell.metadata:
            continue
        names = [name for _, name in CALLS.findall(cell.source)]
        wrong = list(_wrong(cell.metadata[OPTION], names, number, told))
        problems += [f"{source.where(index)}: {problem}" for problem in wrong]
        if not wrong:
            ((kind, name),) = CALLS.findall(cell.source)
            told[name] = {"class": kind} | EMPTY | cell.metadata[OPTION]
    if problems:
        raise BuildError("\n  ".join([f"reading {source.path}:", *problems]))
    return told


def _wrong(option: object, names: list[str], number: str, before: Iterable[str]) -> Iterator[str]:
    if len(names) != 1:
        yield f'what `{OPTION}` says is asked for once, by `lesson="{number}"` in the code'
    elif names[0] in before:
        yield f'lesson="{names[0]}" is asked for above, too; call this one "{number} …"'
    elif not re.fullmatch(rf"{number}( \w+)?", names[0]):
        yield f'a widget here is `lesson="{number}"` or "{number}" and a word, not "{names[0]}"'
    if not isinstance(option, dict) or not option or option.keys() - EMPTY.keys():
        yield f"`{OPTION}` has {', '.join(EMPTY)}, or some of these, and nothing else"
        return
    for name, kind in (("goal", dict), ("moments", list), ("start", dict)):
        if not isinstance(option.get(name, kind()), kind):
            told = "a list" if kind is list else "a mapping"
            yield f"{name} is {told}, and {option[name]!r} is not"
            return
    states = [option.get("start", {})]
    for moment in option.get("moments", []):
        if _is_moment(moment):
            states += moment.values()
        else:
            yield f"a moment is `- title: {{input: value}}`, and {moment!r} is not"
    for name in (name for state in states for name in state if not isinstance(name, str)):
        yield f"an input has a name, and {name!r} is none; YAML takes off and on for it: quote them"


def _is_moment(x: object) -> bool:
    """Tell whether it is one title, and inputs with their values."""
    pairs = list(x.items()) if isinstance(x, dict) else []
    return len(pairs) == 1 and isinstance(pairs[0][0], str) and isinstance(pairs[0][1], dict)


def as_file(told: Iterable[dict[str, dict]]) -> bytes:
    """Return what lessons say of their widgets as the file that attnlib reads."""
    entries = [
        f"{json.dumps(name)}: {json.dumps(widget, ensure_ascii=False)}"
        for one in told
        for name, widget in one.items()
    ]
    return ("{\n" + ",\n".join(entries) + "\n}\n").encode()
