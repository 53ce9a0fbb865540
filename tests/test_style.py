import ast
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PUBLIC = ("encoder", "plotting", "world", "writer")  # a room's modules by their public names
CORE = sorted(p for p in (ROOT / "attnlib").glob("*.py") if p.stem not in PUBLIC)
COLOURS = ("0072B2", "D55E00", "009E73", "CC79A7", "4B1F7A")

# What a module or a room of attnlib may import of attnlib: arrows point down.
IN_PUBLIC = {"attention", "gradients", "masks", "multihead", "positions", "similarity", "softmax"}
MAY_IMPORT = {
    "__init__": IN_PUBLIC | {"checks"},  # the checks when one is asked for
    "_blocks": set(),
    "_inputs": set(),
    "_threads": set(),
    "_tiles": {"_threads"},
    "similarity": {"_inputs"},
    "softmax": {"_inputs"},
    "masks": {"_inputs"},
    "text": {"_inputs"},
    "attention": {"_blocks", "_inputs", "_tiles", "softmax"},
    "positions": {"_inputs", "masks"},
    "gradients": {"_blocks", "_inputs", "_tiles", "attention", "softmax"},
    "multihead": {"_inputs", "attention"},
    "checks": IN_PUBLIC | {"_inputs", "models", "text"},
    "data": set(),
    "jupyter": {"pictures", "widgets"},  # the defaults; and widgets when one has been moved
    "mine": {"checks"},
    "models": {"_inputs", "attention", "masks", "multihead", "softmax"},
    "pictures": set(),
    "widgets": IN_PUBLIC | {"_inputs", "jupyter", "models", "pictures", "text"},
    "plotting": {"jupyter", "pictures"},
    "encoder": {"models"},
    "world": {"models"},
    "writer": {"models"},
}
FOR_NUMBERS = {
    "contextlib",
    "math",
    "numbers",
    "numpy",
    "operator",
    "typing",
}  # what the core may, besides


def tracked():
    """Return the text files that are, or would be, committed."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout
    paths = [ROOT / os.fsdecode(name) for name in listed.split(b"\0") if name]
    return [p for p in paths if p.is_file() and b"\0" not in p.read_bytes()[:8192]]


def places(pattern, paths):
    """Return where a regular expression matches, as `file:line: match`."""
    return [
        f"{path.relative_to(ROOT).as_posix()}:{number}: {match[0]}"
        for path in paths
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        for match in [re.search(pattern, line)]
        if match
    ]


@pytest.mark.parametrize("command", [("check",), ("format", "--check")], ids=" ".join)
def test_ruff(command):
    done = subprocess.run(
        [sys.executable, "-m", "ruff", *command, "--quiet", "."],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_core_is_small_enough_to_read_in_an_evening(budget):
    counts = {path.name: code_and_docstring_lines(path) for path in CORE}
    assert "attention.py" in counts
    code, docstrings = map(sum, zip(*counts.values(), strict=True))
    budget("lines of the core", code, most=1170)
    assert docstrings > code, counts


def code_and_docstring_lines(path):
    """Count a file's lines that are not blank: first what runs, with comments, then docstrings."""
    source = path.read_text(encoding="utf-8")
    inside = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.FunctionDef | ast.ClassDef) and ast.get_docstring(
            node
        ):
            inside |= set(range(node.body[0].lineno, node.body[0].end_lineno + 1))
    filled = {i for i, line in enumerate(source.splitlines(), 1) if line.strip()}
    return len(filled - inside), len(filled & inside)


def test_importing_attnlib_loads_numpy_and_nothing_heavier():
    code = (
        "import sys, numpy; before = set(sys.modules); import attnlib; "
        "print(*sorted({name.split('.')[0] for name in set(sys.modules) - before}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) == {"attnlib"}


def imports_of_attnlib(path):
    """Yield the modules of attnlib that a file imports, wherever in it, as `softmax`."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path.name}: relative import"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        for name in names:
            package, _, rest = name.partition(".")
            if package == "attnlib" and rest.split(".")[0] in MAY_IMPORT:
                yield rest.split(".")[0]


MODULES = sorted((ROOT / "attnlib").rglob("*.py"))


def test_arrows_point_down_only():
    for path in MODULES:
        module = path.relative_to(ROOT / "attnlib").parts[0].removesuffix(".py")
        assert module in MAY_IMPORT, f"attnlib/{module}: where does it stand in MAY_IMPORT?"
        assert set(imports_of_attnlib(path)) - {module} <= MAY_IMPORT[module], path


def test_the_core_computes_with_numpy_alone():
    for name in sorted(IN_PUBLIC | {"_inputs", "_blocks", "_tiles"}):  # and `_threads` with none
        source = (ROOT / "attnlib" / f"{name}.py").read_text(encoding="utf-8")
        found = re.findall(r"^ *(?:from|import) (\w+)", source, re.MULTILINE)
        assert set(found) <= FOR_NUMBERS | {"attnlib"}, name


# What a room of course may import of course: a face imports no other face.
ROOMS = {
    "__init__": set(),
    "__main__": set(),  # it finds a room by its name
    "edition": {"files", "lesson", "notebook", "render"},
    "elsewhere": set(),
    "environment": set(),
    "files": set(),
    "grading": {"files", "homework", "render"},
    "homework": {"files", "lesson", "notebook"},
    "html": {"files", "lesson", "render"},
    "lab": {"files"},
    "lesson": {"files"},
    "new": {"files", "lesson"},
    "notebook": {"files", "lesson"},
    "render": {"files"},
    "site": {"elsewhere", "environment", "files", "lesson", "render"},
    "slides": {"files", "lesson", "notebook", "render"},  # for paper a lesson draws once more
}

JUDGES = ("homework", "grading")
CODE = [  # skeletons are code of the folders that they are written to
    path for path in sorted((ROOT / "course").rglob("*.py")) if path.parent.name != "templates"
]


def test_a_room_imports_no_other_face():
    for path in CODE:
        room = path.relative_to(ROOT / "course").parts[0].removesuffix(".py")
        assert room in ROOMS, f"course/{room}: what may it import? Say so in ROOMS"
        lines = re.findall(r"^ *(?:from|import) course\.(\w+)", path.read_text(), re.MULTILINE)
        assert set(lines) - {room} <= ROOMS[room], path


def test_what_sphinx_is_handed_loads_no_kernel_and_no_matplotlib():
    code = "import sys, course.render; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "course.render" in done.stdout.split()
    assert not {"ipykernel", "matplotlib", "nbclient", "jupytext"} & set(done.stdout.split())


def test_attnlib_knows_neither_course_nor_tests_and_course_reads_notebooks_as_data():
    assert places(r"^\s*(from|import) (course|tests)\b", (ROOT / "attnlib").rglob("*.py")) == []
    # What judges homework shares cases, mistakes and tolerance with the checks; no other room does.
    # (`slides/cases.py` runs exercises in a process of its own, as the notebooks' kernels do.)
    rooms = [path for path in CODE if path.relative_to(ROOT / "course").parts[0] not in JUDGES]
    assert places(r"^\s*(from|import) (attnlib|tests)\b", rooms) == []
    assert places(r"^\s*(from|import) tests\b", CODE) == []


@pytest.mark.needs("git")
def test_the_vocabularys_colours_stand_in_one_place():
    home = ROOT / "attnlib/pictures/shared.json"
    kinds = {".py", ".md", ".js", ".json", ".css", ".mplstyle"}
    known = {home, ROOT / "attnlib/widgets/widgets.js", Path(__file__)}  # the bundle is made of it
    others = [path for path in tracked() if path.suffix in kinds and path not in known]
    assert places(f"(?i)#?({'|'.join(COLOURS)})", others) == []
    assert all(colour in home.read_text(encoding="utf-8") for colour in COLOURS)


@pytest.mark.needs("git")
def test_no_committed_file_names_a_machines_folder_or_a_package_registry():
    folder = re.escape(str(ROOT)) + r"|/(home|Users)/\w+|/root\b|/tmp/ipykernel"
    hosts = [
        "pypi",
        r"files\.pythonhosted",
        r"registry\.npmjs",
        r"conda\.anaconda",
        "repo.anaconda",
    ]
    registry = rf"\b({'|'.join(hosts)})\.(org|com)|download\.pytorch"
    others = [path for path in tracked() if path != Path(__file__)]
    assert places(f"{folder}|{registry}", others) == []


def test_warnings_are_errors_and_unknown_options_too(pytestconfig):
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"][
        "pytest"
    ]
    assert settings["ini_options"]["filterwarnings"][0] == "error"
    assert pytestconfig.getini("xfail_strict")
    with pytest.raises(UserWarning, match="told"):
        __import__("warnings").warn("told", stacklevel=1)
