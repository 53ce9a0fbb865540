"""The real encoder for the site: has it rounded, once, and says what was made of it."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from course import BuildError
from course.files import ROOT, digest, read_folder

PATIENCE = 300  # seconds, on a loaded machine
MADE_OF = "made-of"


class Model(NamedTuple):
    """The model's files by their places in the site, and what the page says of them."""

    files: dict[str, Path]
    facts: dict


def round_model(work: Path) -> Model:
    """Round the model into `work/model`; what is there of the same code and packages is kept.

    Raises
    ------
    BuildError
        If the model's package is not there, or holds another model.
    """
    folder = work / "model"
    code = {str(path): path.read_bytes() for path in (ROOT / "attnlib").rglob("*.py")}
    code["rounding"] = Path(__file__).with_name("rounding.py").read_bytes()
    code["model"] = (ROOT / "requirements-model.lock").read_bytes()
    made_of = digest(code)
    if not (folder / MADE_OF).exists() or (folder / MADE_OF).read_text() != _stamp(made_of, folder):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        command = [sys.executable, "-m", "course.site.rounding", str(ROOT), str(folder)]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE)
        if done.returncode:
            reason = done.stderr.strip().rpartition("\n")[2]
            raise BuildError(f"rounding the model: {reason}")
        (folder / MADE_OF).write_text(_stamp(made_of, folder))
    served = [path for path in sorted(folder.iterdir()) if path.suffix in (".js", ".txt")]
    facts = json.loads((folder / "facts.json").read_text(encoding="utf-8"))
    return Model({f"model/{path.name}": path for path in served}, facts)


def _stamp(made_of: str, folder: Path) -> str:
    """Return what stands in the folder's stamp if all is there, as it was written."""
    there = {name: data for name, data in read_folder(folder).items() if name != MADE_OF}
    return f"{made_of} {digest(there)}"
