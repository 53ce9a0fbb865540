"""Notebooks as real editors and real students leave them, made of the assignments' own solutions.

Each kind takes a student's notebook in which everything is solved, does to it what an editor, a
platform or a pair of hands does, and puts it where a class's notebooks lie. None of it is wrong, so
each has all points for its functions, and its answer in words waits for a reader.
"""

import base64
import copy
import json
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from itertools import cycle
from pathlib import Path

from course.files import HOMEWORK

ANSWER = (
    "The scores are sums of many products, so their size grows with the width of a key.",
    "A softmax of large scores gives nearly all of its weight to one key, and then a small step "
    "changes nothing that anybody could learn from.",
    "Divided by the square root of the width they stay where a softmax can tell them apart.",
)
WORDS = tuple(sentence[:40] for sentence in ANSWER)  # to find again, whatever lies between them
NUMBERS = cycle(("hw1", "hw2", "hw4", "hw3"))
PIXEL = base64.b64encode(bytes(300)).decode()


def in_lines(book: dict) -> bytes:
    """Write a notebook as Jupyter does, each source as a list of lines."""
    cells = [cell | {"source": cell["source"].splitlines(keepends=True)} for cell in book["cells"]]
    return json.dumps(book | {"cells": cells}, indent=1).encode()


@dataclass
class Draft:
    """A solved notebook, to be left in some state.

    Attributes
    ----------
    number, name : str
        Of the assignment, and of its notebook.
    book : dict
        The notebook.
    files : dict of str to bytes
        What lies beside it, by its path from the assignment's folder.
    at : str
        Where the notebook itself lies there.
    student : str
    as_bytes : callable
        Writes the notebook.
    """

    number: str
    name: str
    book: dict
    files: dict[str, bytes] = field(default_factory=dict)
    at: str = ""
    student: str = ""
    as_bytes: Callable[[dict], bytes] = in_lines

    @property
    def cells(self) -> list[dict]:
        """The notebook's cells."""
        return self.book["cells"]

    @property
    def tasks(self) -> list[dict]:
        """The cells that hold the functions."""
        names = [one["function"] for one in listed(self.number)["tasks"]]
        return [cell for cell in self.cells if cell.get("id") in ids_of(self.number, names)]

    @property
    def written(self) -> dict:
        """The cell that holds the answer in words."""
        (cell,) = [c for c in self.cells if c.get("id") in ids_of(self.number, [self.question])]
        return cell

    @property
    def question(self) -> str:
        """The name of the question."""
        return listed(self.number)["written"][0]["question"]

    def put(self, where: int | dict, *sources: str, kind: str = "code") -> None:
        """Put new cells at a place, or below a cell."""
        at = where if isinstance(where, int) else self.cells.index(where) + 1
        self.cells[at:at] = [made(source, kind) for source in sources]

    def hand_in(self, folder: Path) -> None:
        """Write it where a class's notebooks lie."""
        place = folder / self.student / self.number
        for path, data in {**self.files, self.at or self.name: self.as_bytes(self.book)}.items():
            (place / path).parent.mkdir(parents=True, exist_ok=True)
            (place / path).write_bytes(data)


@dataclass(frozen=True)
class Kind:
    """A way in which notebooks come in.

    Attributes
    ----------
    words : str
        Which.
    number : str
        The assignment that it is tried on.
    change : callable
        Does to a draft what is done there.
    """

    words: str
    number: str
    change: Callable[[Draft], None]

    def draft(self, student: str) -> Draft:
        """Make a notebook of this kind."""
        found = solved(self.number)
        found.student = student
        self.change(found)
        return found


KINDS: list[Kind] = []


def kind(words: str, number: str = ""):
    """Take a function into the list of kinds, of an assignment where it is about that one."""

    def taken(change):
        KINDS.append(Kind(words, number or next(NUMBERS), change))
        return change

    return taken


def made(source: str, cell_type: str = "code") -> dict:
    """Make a cell that an editor adds."""
    cell = {"cell_type": cell_type, "metadata": {}, "source": source}
    return cell | ({"outputs": [], "execution_count": None} if cell_type == "code" else {})


@cache
def listed(number: str) -> dict:
    """Return the list of an assignment's tasks."""
    return json.loads((HOMEWORK / f"{number}.json").read_text(encoding="utf-8"))


@cache
def _handed_out(number: str, whose: str) -> dict:
    (path,) = (HOMEWORK / whose / number).glob("*.ipynb")
    return json.loads(path.read_text(encoding="utf-8"))


def ids_of(number: str, names: list[str]) -> list[str]:
    """Return the ids of the cells that have these names."""
    cells = _handed_out(number, "student")["cells"]
    by_name = {cell["metadata"].get("nbgrader", {}).get("grade_id"): cell["id"] for cell in cells}
    return [by_name[name] for name in names]


def solved(number: str) -> Draft:
    """Return a student's notebook with the sheet's solutions and an answer in words."""
    book = copy.deepcopy(_handed_out(number, "student"))
    right = {cell["id"]: cell["source"] for cell in _handed_out(number, "teacher")["cells"]}
    draft = Draft(number, listed(number)["notebook"], book)
    for cell in draft.tasks:
        lines = "".join(right[cell["id"]]).split("\n")
        cell["source"] = "\n".join(line for line in lines if "### " not in line)
    for cell in draft.cells:
        cell["source"] = "".join(cell["source"])
    draft.written["source"] = "\n\n".join(ANSWER)
    return draft


def bare(draft: Draft, minor: int) -> None:
    """Take away what a version did not have yet, and all that nbgrader had written."""
    draft.book["nbformat_minor"] = minor
    for cell in draft.cells:
        del cell["id"]
        cell["metadata"] = {}


def run(draft: Draft, data: str = PIXEL) -> None:
    """Leave outputs and counts, as a notebook has them that was run and saved."""
    for count, cell in enumerate(cell for cell in draft.cells if cell["cell_type"] == "code"):
        picture = {"data": {"image/png": data, "text/plain": "<Figure>"}, "metadata": {}}
        cell["execution_count"] = count
        cell["outputs"] = [
            {"output_type": "stream", "name": "stdout", "text": ["it ran\n"]},
            {"output_type": "display_data", **picture},
        ]


# What editors write


@kind("JupyterLab, run and saved")
def _(draft):
    run(draft)


@kind("JupyterLab, outputs cleared, tags and a slideshow")
def _(draft):
    for cell in draft.cells:
        cell["metadata"] |= {"tags": ["mine"], "slideshow": {"slide_type": "slide"}}


@kind("JupyterLab, outputs of two megabytes")
def _(draft):
    run(draft, base64.b64encode(bytes(100_000)).decode())


@kind("Notebook 5, format 4.0")
def _(draft):
    bare(draft, 0)


@kind("Notebook 6, format 4.2, with collapsed and scrolled cells")
def _(draft):
    bare(draft, 2)
    for cell in draft.cells:
        cell["metadata"] = {"collapsed": True, "scrolled": True}


@kind("Notebook 6, format 4.4, nbgrader's marks kept")
def _(draft):
    draft.book["nbformat_minor"] = 4
    for cell in draft.cells:
        del cell["id"]


@kind("format 4.5, all ids the same")
def _(draft):
    for cell in draft.cells:
        cell["id"] = "same"


@kind("format 4.5 without ids, metadata of null")
def _(draft):
    for cell in draft.cells:
        del cell["id"]
        cell["metadata"] = None


@kind("Colab, downloaded")
def _(draft):
    colab(draft)


@kind("Colab, Drive mounted above")
def _(draft):
    colab(draft)
    draft.put(
        0,
        "from google.colab import drive\ndrive.mount('/content/drive')\nimport os\n"
        "os.chdir('/content/drive/MyDrive/attention')",
    )


@kind("Colab, Drive mounted in the cell of the imports")
def _(draft):
    first = code_cells(draft)[0]
    first["source"] = (
        "from google.colab import drive, files\ndrive.mount('/content/drive')\n"
        "%cd /content/drive/MyDrive\nuploaded = files.upload()\n" + first["source"]
    )


@kind("Colab asked for by try and except")
def _(draft):
    draft.put(
        0,
        "try:\n    import google.colab\n    IN_COLAB = True\nexcept ImportError:\n"
        "    IN_COLAB = False\nif IN_COLAB:\n    !pip install -q attnlib\n"
        "    raise RuntimeError('restart the runtime')",
    )


@kind("Colab, forms and a copy's name")
def _(draft):
    draft.at = f"Copy of {draft.name}"
    for cell in draft.tasks:
        cell["source"] = "#@title My answer { display-mode: 'form' }\n" + cell["source"]
    draft.put(1, "width = 7 #@param {type: 'slider', min: 1, max: 9}")


@kind("Colab, %%shell, and pip over several lines")
def _(draft):
    colab(draft)
    draft.put(0, "%%shell\nset -e\nfor f in *; do echo $f; done")
    first = code_cells(draft)[1]
    first["source"] = (
        "!pip install -q \\\n    numpy \\\n    matplotlib\n!nvidia-smi\n" + first["source"]
    )


@kind("VS Code")
def _(draft):
    for cell in draft.cells:
        cell["metadata"] = {"vscode": {"languageId": "python"}}


@kind("VS Code, cells of its interactive window")
def _(draft):
    bare(draft, 2)
    draft.book["metadata"] = {"language_info": {"name": "python"}, "orig_nbformat": 4}
    for cell in code_cells(draft):
        cell["source"] = "# %%\n" + cell["source"]


@kind("PyCharm")
def _(draft):
    bare(draft, 0)
    for cell in draft.cells:
        cell["metadata"] = {"pycharm": {"name": "#%%\n", "is_executing": False}}


@kind("Kaggle, with its first cell")
def _(draft):
    bare(draft, 4)
    draft.put(
        0,
        "import numpy as np # linear algebra\nimport pandas as pd # data processing\nimport os\n"
        "for dirname, _, filenames in os.walk('/kaggle/input'):\n"
        "    for filename in filenames:\n        print(os.path.join(dirname, filename))",
    )


@kind("Windows: a byte order mark and its line ends")
def _(draft):
    for cell in draft.cells:
        cell["source"] = cell["source"].replace("\n", "\r\n")
    draft.as_bytes = lambda book: (
        json.dumps(book, indent=1).replace("\n", "\r\n").encode("utf-8-sig")
    )


@kind("nbstripout, in one line")
def _(draft):
    bare(draft, 4)
    draft.book["metadata"] = {}
    draft.as_bytes = lambda book: json.dumps(book, separators=(",", ":")).encode()


# How files come


@kind("a Mac's zip, with __MACOSX and .DS_Store")
def _(draft):
    draft.files = {
        f"__MACOSX/._{draft.name}": bytes(200),
        f"._{draft.name}": bytes(200),
        ".DS_Store": bytes(600),
    }


@kind("a Mac's zip, the notebook renamed")
def _(draft):
    draft.at = "my homework.ipynb"
    draft.files = {"._my homework.ipynb": bytes(200), "__MACOSX/._my homework.ipynb": bytes(200)}


@kind("a Mac's names, in NFD")
def _(draft):
    draft.student = unicodedata.normalize("NFD", f"{draft.student} Zoë")
    draft.at = unicodedata.normalize("NFD", "Übung für Zoë.ipynb")


@kind("a zip with a folder in it")
def _(draft):
    draft.at = f"{draft.number}/{draft.name}"
    draft.files = {f"__MACOSX/{draft.number}/._{draft.name}": bytes(200)}


@kind("checkpoints beside it")
def _(draft):
    stub = json.dumps(_handed_out(draft.number, "student")).encode()
    draft.at = "answers.ipynb"
    draft.files = {".ipynb_checkpoints/answers-checkpoint.ipynb": stub}


@kind("downloaded twice: (1)")
def _(draft):
    draft.at = draft.name.replace(".ipynb", " (1).ipynb")


@kind("saved by a browser as .ipynb.txt")
def _(draft):
    draft.at = f"{draft.name}.txt"


@kind("saved by a browser as .ipynb.json")
def _(draft):
    draft.at = f"{draft.name}.json"


@kind("in capitals")
def _(draft):
    draft.at = draft.name.upper()


# What hands do to cells


@kind("split: each function's cell, the old one empty")
def _(draft):
    for cell in draft.tasks:
        draft.put(cell, cell["source"], "# a note to myself")
        cell["source"] = ""


@kind("the stub left, the answer in a new cell below")
def _(draft):
    for cell in draft.tasks:
        draft.put(cell, cell["source"])
        cell["source"] = stub_of(draft.number, cell["id"])


@kind("the answer in a new cell above, the stub left below")
def _(draft):
    for cell in draft.tasks:
        draft.put(draft.cells.index(cell), cell["source"])
        cell["source"] = stub_of(draft.number, cell["id"])


@kind("merged: each function with its tests")
def _(draft):
    for cell in draft.tasks:
        tests = draft.cells.pop(draft.cells.index(cell) + 1)
        cell["source"] += f"\n\n{tests['source']}"


@kind("merged: all code in one cell")
def _(draft):
    cells = code_cells(draft)
    cells[0]["source"] = "\n\n".join(cell["source"] for cell in cells)
    for cell in cells[1:]:
        draft.cells.remove(cell)


@kind("reordered: last task first, imports last")
def _(draft):
    draft.cells.reverse()


@kind("copied: each task's cell twice, with its mark")
def _(draft):
    for cell in draft.tasks:
        draft.cells.insert(draft.cells.index(cell), copy.deepcopy(cell))


@kind("copied: the handed-out cell pasted at the end")
def _(draft):
    for cell in draft.tasks:
        draft.put(len(draft.cells), stub_of(draft.number, cell["id"]))


@kind("lost metadata, and no outputs' key")
def _(draft):
    bare(draft, 4)
    for cell in code_cells(draft):
        del cell["outputs"], cell["execution_count"]


@kind("the answer under another name, then given its own")
def _(draft):
    for cell, name in zip(draft.tasks, names(draft), strict=True):
        cell["source"] = cell["source"].replace(f"def {name}(", "def mine(") + f"\n{name} = mine"


@kind("decorated, with type hints and a future import")
def _(draft):
    for cell in draft.tasks:
        lines = cell["source"].replace("):\n", ") -> NDArray[np.float64]:\n", 1)
        cell["source"] = (
            "from __future__ import annotations\nimport functools\n"
            "from numpy.typing import NDArray\ndef told(f):\n    @functools.wraps(f)\n"
            "    def inner(*a, **k):\n        print(f.__name__)\n        return f(*a, **k)\n"
            f"    return inner\n@told\n{lines}"
        )


@kind("a cell that is set in by four spaces")
def _(draft):
    for cell in draft.tasks:
        cell["source"] = "\n".join(f"    {line}" for line in cell["source"].split("\n"))


@kind("pasted with the prompts of a console")
def _(draft):
    first = code_cells(draft)[0]
    first["source"] = "\n".join(f">>> {line}" for line in first["source"].split("\n") if line)


@kind("a deleted cell: no imports but in each task")
def _(draft):
    draft.cells.remove(code_cells(draft)[0])
    for cell in draft.tasks:
        cell["source"] = (
            "import numpy as np, attnlib\nfrom attnlib.checks import expect\n" + cell["source"]
        )


# What stands before the functions


@kind("pandas imported beside NumPy")
def _(draft):
    imports(draft, "import pandas as pd\nimport seaborn as sns; sns.set_theme()")


@kind("SciPy and PyTorch imported in one line with NumPy")
def _(draft):
    imports(draft, "import scipy, torch, numpy as np\nimport torch.nn.functional as F")


@kind("a table of pandas' made and shown above the functions")
def _(draft):
    draft.tasks[0]["source"] = (
        "import pandas as pd\ntable = pd.DataFrame({'a': [1, 2]})\nprint(table.describe())\n"
        "display(table.head(), f'{table.a.mean():.3f}')\n" + draft.tasks[0]["source"]
    )


@kind("PyTorch asked for by try and except, a seed set")
def _(draft):
    imports(
        draft,
        "try:\n    import torch\n    HAS_TORCH = True\nexcept ImportError:\n    HAS_TORCH = False\n"
        "if HAS_TORCH:\n    torch.manual_seed(0)",
    )


@kind("scikit-learn, tqdm and SciPy's softmax, to compare with")
def _(draft):
    imports(
        draft,
        "from scipy.special import softmax as theirs, logsumexp\nfrom tqdm.auto import tqdm\n"
        "from sklearn.metrics.pairwise import cosine_similarity\n"
        "for step in tqdm(range(3)):\n    theirs([1.0, 2.0]).sum()\n"
        "assert abs(theirs([0.0, 0.0])[0] - 0.5) < 1e-9",
    )


@kind("a file of helpers that was not handed in")
def _(draft):
    imports(draft, "from helpers import *\nimport my_plots\nmy_plots.style()")


@kind("%%writefile, and an import of what it wrote")
def _(draft):
    for cell, name in zip(draft.tasks, names(draft), strict=True):
        source = cell["source"]
        cell["source"] = f"from {name}_of_mine import {name}"
        draft.put(
            draft.cells.index(cell),
            f"%%writefile {name}_of_mine.py\nimport numpy as np\nimport attnlib\n{source}",
        )


@kind("help(len), np.dot?, ??len")
def _(draft):
    imports(draft, "help(len)\nnp.dot?\n??len\nprint?")


@kind("await at the top of a cell")
def _(draft):
    imports(
        draft,
        "import asyncio\nawait asyncio.sleep(0)\nasync def one():\n    return 1\n"
        "task = asyncio.create_task(one())\nfirst = await task\nassert first == await one() == 1",
    )


@kind("pip install, without a mark before it")
def _(draft):
    imports(draft, "pip install numpy matplotlib\n%pip install attnlib")


@kind("%time, %%time, %timeit and %%capture")
def _(draft):
    imports(draft, "%time big = np.ones((3, 3))\n%timeit -n 1 -r 1 big @ big\nsmall = big[:1]")
    for cell, magic in zip(draft.tasks, cycle(("%%time", "%%capture out", "%%prun")), strict=False):
        cell["source"] = f"{magic}\n{cell['source']}"


@kind("plots above each function, in its cell")
def _(draft):
    for cell in draft.tasks:
        cell["source"] = (
            "%matplotlib inline\nimport matplotlib.pyplot as plt\n"
            "plt.rcParams['figure.dpi'] = 100\nplt.rcParams.update({'font.size': 9})\n"
            "fig, axes = plt.subplots(2, 2, figsize=(4, 3))\nfor ax in axes.flat:\n"
            "    ax.imshow(np.eye(3))\nfor ax in np.ravel(axes)[:len(axes)]:\n"
            "    ax.axis('off')\naxes[0, 1].set_title('here')\nplt.tight_layout()\n"
            "plt.show()\n" + cell["source"]
        )


@kind("a slider of ipywidgets around a function")
def _(draft):
    draft.put(
        len(draft.cells),
        "from ipywidgets import interact\n@interact(k=(1, 9))\ndef shown(k=3):\n    print(k)",
        "from IPython.display import Image, Markdown\nMarkdown('**here**')\nImage('x.png')",
    )


@kind("prints of a megabyte, and a warning at each call")
def _(draft):
    imports(draft, "import warnings\nprint('x' * 1_000_000)\nwarnings.simplefilter('error')\n"
            "np.seterr(all='raise')")  # fmt: skip
    for cell in draft.tasks:
        at = cell["source"].rindex("    return ")
        said = "    warnings.warn('careful')\n    print('here')\n"
        cell["source"] = cell["source"][:at] + said + cell["source"][at:]


@kind("input(), exit and sys.exit() on the way")
def _(draft):
    imports(draft, "name = input('Your name? ')\nn = int(input('How many? '))")
    draft.put(3, "exit", "quit()", "import sys\nsys.exit('done')")


@kind("an assertion that fails above the functions, in their cell")
def _(draft):
    cells = draft.tasks
    for cell in cells:
        cell["source"] = f"assert 1 + 1 == 3, 'later'\n{cell['source']}"


@kind("a file read that is not there, in their cell")
def _(draft):
    for cell in draft.tasks:
        cell["source"] = (
            "table = np.loadtxt('vectors.csv')\nwords = open('words.txt').read().split()\n"
            "n = len(words)\n" + cell["source"]
        )


@kind("longdouble, deques and a dictionary's values come back", "hw3")
def _(draft):
    cast = (
        "np.longdouble(x) if isinstance(x, np.ndarray) and x.dtype.kind == 'f' else "
        "deque(x.tolist()) if isinstance(x, np.ndarray) and x.size and x.ndim else x"
    )
    draft.put(
        0,
        "import numpy as np\nfrom collections import deque\ndef other(x):\n"
        "    if type(x) is tuple:\n        return dict(enumerate(map(other, x))).values()\n"
        f"    return {cast}",
    )
    for cell, name in zip(draft.tasks, names(draft), strict=True):
        cell["source"] += f"\n\n_{name} = {name}\n{name} = lambda *a: other(_{name}(*a))"


# Where answers in words stand


def left(draft, *sources: str, cell_type: str = "markdown") -> None:
    """Leave the answer's cell as it was handed out, with other cells below it."""
    draft.put(draft.written, *sources, kind=cell_type)
    draft.written["source"] = "*Write your answer here.*"


@kind("words: the cell turned into code")
def _(draft):
    draft.written["cell_type"] = "code"


@kind("words: the cell turned into raw text")
def _(draft):
    draft.written["cell_type"] = "raw"


@kind("words: in a new cell, the handed-out one left")
def _(draft):
    left(draft, "\n\n".join(ANSWER))


@kind("words: split over three cells")
def _(draft):
    draft.put(draft.written, *ANSWER[1:], kind="markdown")
    draft.written["source"] = ANSWER[0]


@kind("words: copied, the copy as handed out")
def _(draft):
    below = copy.deepcopy(draft.written)
    below["source"] = "*Write your answer here.*"
    draft.cells.append(below)


@kind("words: typed into the question")
def _(draft):
    question = draft.cells[draft.cells.index(draft.written) - 1]
    question["source"] += "\n\n" + "\n\n".join(ANSWER)
    draft.written["source"] = "*Write your answer here.*"


@kind("words: metadata lost, merged with the question")
def _(draft):
    at = draft.cells.index(draft.written)
    draft.cells[at - 1]["source"] += "\n\n" + draft.cells.pop(at)["source"]
    bare(draft, 4)


@kind("words: at the top of the notebook, their cell deleted")
def _(draft):
    draft.cells.remove(draft.written)
    draft.put(0, "\n\n".join(ANSWER), kind="markdown")


@kind("words: in the quotes of a text, and printed")
def _(draft):
    left(draft, f'"""\n{ANSWER[0]}\n{ANSWER[1]}\n"""', f"print({ANSWER[2]!r})", cell_type="code")


@kind("words: below the line that was handed out")
def _(draft):
    draft.written["source"] = "*Write your answer here.*\n\n" + "\n\n".join(ANSWER)


@kind("words: in code, above, between two tasks")
def _(draft):
    draft.cells.remove(draft.written)
    draft.put(draft.tasks[1], "\n".join(ANSWER))


@kind("words: as comments in a code cell")
def _(draft):
    left(draft, "\n".join(f"# {one}" for one in ANSWER), cell_type="code")


def colab(draft: Draft) -> None:
    """Write it as Colab does."""
    bare(draft, 0)
    draft.book["metadata"] = {
        "colab": {"provenance": [], "toc_visible": True},
        "accelerator": "GPU",
        "kernelspec": {"name": "python3", "display_name": "Python 3"},
    }
    for number, cell in enumerate(draft.cells):
        cell["metadata"] = {"id": f"aZ09_{number}", "colab": {"base_uri": "https://localhost/"}}


def imports(draft: Draft, lines: str) -> None:
    """Put lines into the cell of the imports, at its top and before what follows."""
    first = code_cells(draft)[0]
    first["source"] = f"{lines}\n{first['source']}"


def code_cells(draft: Draft) -> list[dict]:
    """Return the code cells."""
    return [cell for cell in draft.cells if cell["cell_type"] == "code"]


def names(draft: Draft) -> list[str]:
    """Return the functions' names."""
    return [one["function"] for one in listed(draft.number)["tasks"]]


def stub_of(number: str, cell_id: str) -> str:
    """Return a cell as it was handed out."""
    (cell,) = [c for c in _handed_out(number, "student")["cells"] if c["id"] == cell_id]
    return "".join(cell["source"])
