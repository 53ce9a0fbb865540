"""A working copy of a lesson: it shows no output, and what a reader shall find out is folded.

Below each check of a function stands a cell more, ready to keep it (`attnlib.mine`). A copy alone
has it, since nobody keeps anything from a page, a slide or a notebook that is only read.

What is folded stands in the cells' metadata, where `course build` put it
(`course.lesson.answers.Answers.record`): the packages that could read it from a source are not
here.
"""

import html
import json
import platform
import re

OURS = "attnlib"
CHECK = re.compile(r'check\("(\w+)", (\w+)\)')  # of a function by its name, and nothing else


def working_copy(notebook: bytes) -> bytes:
    """Take from a notebook what its cells showed, with their numbers, and fold what answers.

    It says which Python runs it, as JupyterLab would write into it: what is opened and closed again
    is then not changed, and nobody is asked whether to save it.
    """
    content = json.loads(notebook)
    content["metadata"].setdefault(OURS, {})["folded"] = True  # our extension goes by it
    if "language_info" in content["metadata"]:
        content["metadata"]["language_info"]["version"] = platform.python_version()
    for cell in content["cells"]:
        known = cell["metadata"].pop(OURS, {})
        if "not_copied" in known:  # lines at the end, that tell of what a copy has
            cell["source"] = cell["source"][: -known["not_copied"]]
            cell["source"][-1] = cell["source"][-1].rstrip("\n")
        if cell["cell_type"] == "code":
            cell |= {"outputs": [], "execution_count": None}
        if "folds" in known:
            _fold_lines(cell, known["folds"])
        if "fold" in known:
            _hide_code(cell, known["fold"], known.get("opens", "click to open"))
    content["cells"] = [one for cell in content["cells"] for one in (cell, *_to_keep(cell))]
    return (json.dumps(content, indent=1, sort_keys=True, ensure_ascii=False) + "\n").encode()


def _fold_lines(cell: dict, folds: list[tuple[int, int, str]]) -> None:
    """Put each run of lines, its first and how many, under a title; formulas need blank lines."""
    lines = "".join(cell["source"]).split("\n")
    for first, count, title in reversed(folds):
        summary = f"<details><summary>{html.escape(title, quote=False)}</summary>"
        lines[first : first + count] = [
            summary,
            "",
            *lines[first : first + count],
            "",
            "</details>",
        ]
    cell["source"] = "\n".join(lines).splitlines(keepends=True)


def _hide_code(cell: dict, title: str, opens: str) -> None:
    """Hide a cell's code; where it was, Jupyter shows the first line."""
    cell["metadata"]["jupyter"] = {"source_hidden": True}
    code = f"# {title}: {opens}\n" + "".join(cell["source"])
    cell["source"] = code.splitlines(keepends=True)


def _to_keep(check: dict) -> list[dict]:
    """Make the cell that keeps what a cell checks, if it does nothing else."""
    found = CHECK.fullmatch("".join(check["source"]).strip())
    if check["cell_type"] != "code" or not found:
        return []
    call = f'mine.keep("{found[1]}", {found[2]})'
    new = {"cell_type": "code", "id": f"{check['id']}-keep", "metadata": {}, "source": [call]}
    return [new | {"outputs": [], "execution_count": None}]
