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
UNWRITTEN = "*Write your answer here.*"
ANSWERED = "\n\n".join(ANSWER)
WORDS = tuple(sentence[:40] for sentence in ANSWER)  # to find again, whatever lies between them
HELPER = "kept"
PIXEL = base64.b64encode(bytes(300)).decode()
PANDAS = (
    "import pandas as pd\ntable = pd.DataFrame({'a': [1, 2]})\nprint(table.describe())\n"
    "display(table.head(), f'{table.a.mean():.3f}')"
)
OTHERS = (
    "import numpy as np\nfrom collections import deque\ndef other(x):\n"
    "    if type(x) is tuple:\n        return dict(enumerate(map(other, x))).values()\n"
    "    return np.longdouble(x) if isinstance(x, np.ndarray) and x.dtype.kind == 'f' else "
    "deque(x.tolist()) if isinstance(x, np.ndarray) and x.size and x.ndim else x"
)


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
    def code(self) -> list[dict]:
        """The cells of code."""
        return [cell for cell in self.cells if cell["cell_type"] == "code"]

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
    """A way in which notebooks come in, and the assignment that it is tried on."""

    words: str
    number: str
    change: Callable[[Draft], None]

    def draft(self, student: str) -> Draft:
        """Make a notebook of this kind."""
        found = solved(self.number)
        found.student = student
        self.change(found)
        return found


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
    draft.written["source"] = ANSWERED
    return draft


def names(draft: Draft) -> list[str]:
    """Return the functions' names."""
    return [one["function"] for one in listed(draft.number)["tasks"]]


def stub_of(draft: Draft, cell: dict) -> str:
    """Return a cell as it was handed out."""
    (cell,) = [c for c in _handed_out(draft.number, "student")["cells"] if c["id"] == cell["id"]]
    return "".join(cell["source"])


# Steps: what is done to a draft, of which kinds are made


def in_turn(*steps):
    """Do one step after the other."""
    return lambda draft: [step(draft) for step in steps]


def no_ids(draft):
    """Take the cells' ids away."""
    for cell in draft.cells:
        del cell["id"]


def bare(minor):
    """Take away what a version did not have yet, and all that nbgrader had written."""
    return lambda draft: [
        draft.book.update(nbformat_minor=minor),
        no_ids(draft),
        of_cells()(draft),
    ]


def ran(data=PIXEL):
    """Leave outputs and counts, as a notebook has them that was run and saved."""
    picture = {"data": {"image/png": data, "text/plain": "<Figure>"}, "metadata": {}}
    outputs = [
        {"output_type": "stream", "name": "stdout", "text": ["it ran\n"]},
        {"output_type": "display_data", **picture},
    ]
    return lambda draft: [
        cell.update(execution_count=count, outputs=outputs) for count, cell in enumerate(draft.code)
    ]


def colab(draft):
    """Write it as Colab does."""
    bare(0)(draft)
    draft.book["metadata"] = {
        "colab": {"provenance": [], "toc_visible": True},
        "accelerator": "GPU",
        "kernelspec": {"name": "python3", "display_name": "Python 3"},
    }
    for number, cell in enumerate(draft.cells):
        cell["metadata"] = {"id": f"aZ09_{number}", "colab": {"base_uri": "https://localhost/"}}


def of_book(**metadata):
    """Give the notebook this metadata, and no other."""
    return lambda draft: draft.book.update(metadata=metadata)


def of_cells(**metadata):
    """Give each cell this metadata, and no other."""
    return lambda draft: [cell.update(metadata=metadata) for cell in draft.cells]


def saved(as_bytes):
    """Write the notebook's file in this way."""
    return lambda draft: setattr(draft, "as_bytes", as_bytes)


def comes(at="{name}", **files):
    """Say where the notebook lies, and what lies beside it."""

    def step(draft):
        stem = draft.name.removesuffix(".ipynb")
        known = {"name": draft.name, "stem": stem, "number": draft.number}
        draft.at = at.format_map(known)
        draft.files = {path.format_map(known): data for path, data in files.items()}

    return step


def in_nfd(draft):
    """Name student and notebook as a Mac does."""
    draft.student = unicodedata.normalize("NFD", f"{draft.student} Zoë")
    draft.at = unicodedata.normalize("NFD", "Übung für Zoë.ipynb")


def with_checkpoint(draft):
    """Lay beside it what Jupyter keeps, which here is the sheet as it was handed out."""
    stub = json.dumps(_handed_out(draft.number, "student")).encode()
    draft.at = "answers.ipynb"
    draft.files = {".ipynb_checkpoints/answers-checkpoint.ipynb": stub}


def put(where, *sources, kind="code"):
    """Put new cells at a place, from the end where it is None."""
    return lambda draft: draft.put(
        len(draft.cells) if where is None else where, *sources, kind=kind
    )


def first(change):
    """Change the source of the first cell of code, which imports."""
    return lambda draft: draft.code[0].update(source=change(draft.code[0]["source"]))


def imports(lines):
    """Put lines into the cell of the imports, at its top."""
    return first(lambda source: f"{lines}\n{source}")


def tasks(change):
    """Change the source of each function's cell, as its name may ask."""
    return lambda draft: [
        cell.update(source=change(cell["source"], name))
        for cell, name in zip(draft.tasks, names(draft), strict=True)
    ]


def above(lines):
    """Put lines above each function, into its cell."""
    return tasks(lambda source, name: f"{lines}\n{source}")


def moved(place, *more, stays=stub_of):
    """Move each function's code to a new cell, 0 above or 1 below its own, of which stays what."""

    def step(draft):
        for cell in draft.tasks:
            draft.put(draft.cells.index(cell) + place, cell["source"], *more)
            cell["source"] = stays(draft, cell)

    return step


def merged_with_tests(draft):
    """Merge each function's cell with the one below it."""
    for cell in draft.tasks:
        tests = draft.cells.pop(draft.cells.index(cell) + 1)
        cell["source"] += f"\n\n{tests['source']}"


def merged(draft):
    """Merge all cells of code."""
    cells = draft.code
    cells[0]["source"] = "\n\n".join(cell["source"] for cell in cells)
    for cell in cells[1:]:
        draft.cells.remove(cell)


def twice(draft):
    """Copy each function's cell, with its mark."""
    for cell in draft.tasks:
        draft.cells.insert(draft.cells.index(cell), copy.deepcopy(cell))


def stubs_pasted(draft):
    """Paste the cells of the functions at the end, as they were handed out."""
    for cell in draft.tasks:
        draft.put(len(draft.cells), stub_of(draft, cell))


def no_outputs(draft):
    """Take away what each cell of code has beside its source."""
    for cell in draft.code:
        del cell["outputs"], cell["execution_count"]


def decorated(source, name):
    """Decorate a function, and tell what it returns."""
    hinted = source.replace("):\n", ") -> NDArray[np.float64]:\n", 1)
    return (
        "from __future__ import annotations\nimport functools\n"
        "from numpy.typing import NDArray\ndef told(f):\n    @functools.wraps(f)\n"
        "    def inner(*a, **k):\n        print(f.__name__)\n        return f(*a, **k)\n"
        f"    return inner\n@told\n{hinted}"
    )


def in_files(draft):
    """Have each function written into a file, and imported from there."""
    for cell, name in zip(draft.tasks, names(draft), strict=True):
        head = f"%%writefile {name}_of_mine.py\nimport numpy as np\nimport attnlib\n"
        draft.put(draft.cells.index(cell), head + cell["source"])
        cell["source"] = f"from {name}_of_mine import {name}"


def timed(draft):
    """Put a magic above each function, of three in turn."""
    for cell, magic in zip(draft.tasks, cycle(("%%time", "%%capture out", "%%prun")), strict=False):
        cell["source"] = f"{magic}\n{cell['source']}"


def warning(source, name):
    """Have a function warn, and print."""
    before, end, last = source.rpartition("    return ")
    return f"{before}    warnings.warn('careful')\n    print('here')\n{end}{last}"


def helped(source, name):
    """Have a function call another one, which stands above it."""
    before, end, last = source.rpartition("    return ")
    return f"def {HELPER}(x):\n    return x\n{before}    {HELPER}(1)\n{end}{last}"


def says(cell_type, *sources):
    """Leave the answer's cell as it was handed out, with other cells below it."""
    return lambda draft: [
        draft.put(draft.written, *sources, kind=cell_type),
        draft.written.update(source=UNWRITTEN),
    ]


def becomes(**fields):
    """Change the cell of the answer in words."""
    return lambda draft: draft.written.update(fields)


def into_the_question(draft):
    """Type the answer below the words of the question."""
    question = draft.cells[draft.cells.index(draft.written) - 1]
    question["source"] += f"\n\n{ANSWERED}"


def no_answers_cell(draft):
    """Delete the cell of the answer."""
    draft.cells.remove(draft.written)


# Kinds: their words, and what is done


WAYS = {
    # What editors write
    "JupyterLab, run and saved": ran(),
    "JupyterLab, outputs cleared, tags and a slideshow": lambda draft: [
        cell["metadata"].update(tags=["mine"], slideshow={"slide_type": "slide"})
        for cell in draft.cells
    ],
    "JupyterLab, outputs of two megabytes": ran(base64.b64encode(bytes(100_000)).decode()),
    "Notebook 5, format 4.0": bare(0),
    "Notebook 6, format 4.2, with collapsed and scrolled cells": in_turn(
        bare(2), of_cells(collapsed=True, scrolled=True)
    ),
    "Notebook 6, format 4.4, nbgrader's marks kept": in_turn(
        lambda draft: draft.book.update(nbformat_minor=4), no_ids
    ),
    "format 4.5, all ids the same": lambda draft: [cell.update(id="same") for cell in draft.cells],
    "format 4.5 without ids, metadata of null": in_turn(
        no_ids, lambda draft: [cell.update(metadata=None) for cell in draft.cells]
    ),
    "Colab, downloaded": colab,
    "Colab, Drive mounted above": in_turn(
        colab,
        put(
            0,
            "from google.colab import drive\ndrive.mount('/content/drive')\nimport os\n"
            "os.chdir('/content/drive/MyDrive/attention')",
        ),
    ),
    "Colab, Drive mounted in the cell of the imports": imports(
        "from google.colab import drive, files\ndrive.mount('/content/drive')\n"
        "%cd /content/drive/MyDrive\nuploaded = files.upload()"
    ),
    "Colab asked for by try and except": put(
        0,
        "try:\n    import google.colab\n    IN_COLAB = True\nexcept ImportError:\n"
        "    IN_COLAB = False\nif IN_COLAB:\n    !pip install -q attnlib\n"
        "    raise RuntimeError('restart the runtime')",
    ),
    "Colab, forms and a copy's name": in_turn(
        comes("Copy of {name}"),
        above("#@title My answer { display-mode: 'form' }"),
        put(1, "width = 7 #@param {type: 'slider', min: 1, max: 9}"),
    ),
    "Colab, %%shell, and pip over several lines": in_turn(
        colab,
        imports("!pip install -q \\\n    numpy \\\n    matplotlib\n!nvidia-smi"),
        put(0, "%%shell\nset -e\nfor f in *; do echo $f; done"),
    ),
    "VS Code": of_cells(vscode={"languageId": "python"}),
    "VS Code, cells of its interactive window": in_turn(
        bare(2),
        of_book(language_info={"name": "python"}, orig_nbformat=4),
        lambda draft: [cell.update(source=f"# %%\n{cell['source']}") for cell in draft.code],
    ),
    "PyCharm": in_turn(bare(0), of_cells(pycharm={"name": "#%%\n", "is_executing": False})),
    "Kaggle, with its first cell": in_turn(
        bare(4),
        put(
            0,
            "import numpy as np # linear algebra\nimport pandas as pd # data processing\n"
            "import os\nfor dirname, _, filenames in os.walk('/kaggle/input'):\n"
            "    for filename in filenames:\n        print(os.path.join(dirname, filename))",
        ),
    ),
    "Windows: a byte order mark and its line ends": in_turn(
        lambda draft: [c.update(source=c["source"].replace("\n", "\r\n")) for c in draft.cells],
        saved(lambda book: json.dumps(book, indent=1).replace("\n", "\r\n").encode("utf-8-sig")),
    ),
    "nbstripout, in one line": in_turn(
        bare(4), of_book(), saved(lambda book: json.dumps(book, separators=(",", ":")).encode())
    ),
    # How files come
    "a Mac's zip, with __MACOSX and .DS_Store": comes(
        **{"__MACOSX/._{name}": bytes(200), "._{name}": bytes(200), ".DS_Store": bytes(600)}
    ),
    "a Mac's zip, the notebook renamed": comes(
        "my homework.ipynb",
        **{"._my homework.ipynb": bytes(200), "__MACOSX/._my homework.ipynb": bytes(200)},
    ),
    "a Mac's names, in NFD": in_nfd,
    "a zip with a folder in it": comes(
        "{number}/{name}", **{"__MACOSX/{number}/._{name}": bytes(200)}
    ),
    "checkpoints beside it": with_checkpoint,
    "downloaded twice: (1)": comes("{stem} (1).ipynb"),
    "saved by a browser as .ipynb.txt": comes("{name}.txt"),
    "saved by a browser as .ipynb.json": comes("{name}.json"),
    "in capitals": lambda draft: setattr(draft, "at", draft.name.upper()),
    # What hands do to cells
    "split: each function's cell, the old one empty": moved(
        1, "# a note to myself", stays=lambda draft, cell: ""
    ),
    "the stub left, the answer in a new cell below": moved(1),
    "the answer in a new cell above, the stub left below": moved(0),
    "merged: each function with its tests": merged_with_tests,
    "merged: all code in one cell": merged,
    "reordered: last task first, imports last": lambda draft: draft.cells.reverse(),
    "copied: each task's cell twice, with its mark": twice,
    "copied: the handed-out cell pasted at the end": stubs_pasted,
    "lost metadata, and no outputs' key": in_turn(bare(4), no_outputs),
    "the answer under another name, then given its own": tasks(
        lambda source, name: f"{source.replace(name, 'mine', 1)}\n{name} = mine"
    ),
    "decorated, with type hints and a future import": tasks(decorated),
    "a cell that is set in by four spaces": tasks(
        lambda source, name: "    " + source.replace("\n", "\n    ")
    ),
    "pasted with the prompts of a console": first(
        lambda source: "\n".join(f">>> {line}" for line in source.split("\n") if line)
    ),
    "a deleted cell: no imports but in each task": in_turn(
        lambda draft: draft.cells.remove(draft.code[0]),
        above("import numpy as np, attnlib\nfrom attnlib.checks import expect"),
    ),
    # What stands before the functions
    "pandas imported beside NumPy": imports(
        "import pandas as pd\nimport seaborn as sns; sns.set_theme()"
    ),
    "SciPy and PyTorch imported in one line with NumPy": imports(
        "import scipy, torch, numpy as np\nimport torch.nn.functional as F"
    ),
    "a table of pandas' made and shown above the functions": lambda draft: draft.tasks[0].update(
        source=f"{PANDAS}\n{draft.tasks[0]['source']}"
    ),
    "PyTorch asked for by try and except, a seed set": imports(
        "try:\n    import torch\n    HAS_TORCH = True\nexcept ImportError:\n"
        "    HAS_TORCH = False\nif HAS_TORCH:\n    torch.manual_seed(0)"
    ),
    "scikit-learn, tqdm and SciPy's softmax, to compare with": imports(
        "from scipy.special import softmax as theirs, logsumexp\nfrom tqdm.auto import tqdm\n"
        "from sklearn.metrics.pairwise import cosine_similarity\n"
        "for step in tqdm(range(3)):\n    theirs([1.0, 2.0]).sum()\n"
        "assert abs(theirs([0.0, 0.0])[0] - 0.5) < 1e-9"
    ),
    "a file of helpers that was not handed in": imports(
        "from helpers import *\nimport my_plots\nmy_plots.style()"
    ),
    "%%writefile, and an import of what it wrote": in_files,
    "help(len), np.dot?, ??len": imports("help(len)\nnp.dot?\n??len\nprint?"),
    "await at the top of a cell": imports(
        "import asyncio\nawait asyncio.sleep(0)\nasync def one():\n    return 1\n"
        "task = asyncio.create_task(one())\nfirst = await task\n"
        "assert first == await one() == 1"
    ),
    "pip install, without a mark before it": imports(
        "pip install numpy matplotlib\n%pip install attnlib"
    ),
    "%time, %%time, %timeit and %%capture": in_turn(
        imports("%time big = np.ones((3, 3))\n%timeit -n 1 -r 1 big @ big\nsmall = big[:1]"), timed
    ),
    "plots above each function, in its cell": above(
        "%matplotlib inline\nimport matplotlib.pyplot as plt\n"
        "plt.rcParams['figure.dpi'] = 100\nplt.rcParams.update({'font.size': 9})\n"
        "fig, axes = plt.subplots(2, 2, figsize=(4, 3))\nfor ax in axes.flat:\n"
        "    ax.imshow(np.eye(3))\nfor ax in np.ravel(axes)[:len(axes)]:\n"
        "    ax.axis('off')\naxes[0, 1].set_title('here')\nplt.tight_layout()\nplt.show()"
    ),
    "a slider of ipywidgets around a function": put(
        None,
        "from ipywidgets import interact\n@interact(k=(1, 9))\ndef shown(k=3):\n    print(k)",
        "from IPython.display import Image, Markdown\nMarkdown('**here**')\nImage('x.png')",
    ),
    "prints of a megabyte, and a warning at each call": in_turn(
        imports(
            "import warnings\nprint('x' * 1_000_000)\nwarnings.simplefilter('error')\n"
            "np.seterr(all='raise')"
        ),
        tasks(warning),
    ),
    "input(), exit and sys.exit() on the way": in_turn(
        imports("name = input('Your name? ')\nn = int(input('How many? '))"),
        put(3, "exit", "quit()", "import sys\nsys.exit('done')"),
    ),
    "an assertion that fails above the functions, in their cell": above(
        "assert 1 + 1 == 3, 'later'"
    ),
    "a file read that is not there, in their cell": above(
        "table = np.loadtxt('vectors.csv')\nwords = open('words.txt').read().split()\n"
        "n = len(words)"
    ),
    "longdouble, deques and a dictionary's values come back": in_turn(
        put(0, OTHERS),
        tasks(
            lambda source, name: (
                f"{source}\n\n_{name} = {name}\n{name} = lambda *a: other(_{name}(*a))"
            )
        ),
    ),
    # What cells take from the functions
    "np, attnlib and builtins taken by a cell at the end": put(
        None, "np = attnlib = 5\nsum = 3\nlist = [1, 2]\nlen = min = max = range = None"
    ),
    "each function's name given to what it returned": lambda draft: [
        draft.put(cell, f"{name} = np.ones(3)")
        for cell, name in zip(draft.tasks, names(draft), strict=True)
    ],
    "from numpy import * below, and NumPy deleted": put(None, "from numpy import *", "del np"),
    "a helper of each function, its name taken by a loop": in_turn(
        tasks(helped), put(None, f"for {HELPER} in range(3): pass")
    ),
    # Where answers in words stand
    "words: the cell turned into code": becomes(cell_type="code"),
    "words: the cell turned into raw text": becomes(cell_type="raw"),
    "words: in a new cell, the handed-out one left": says("markdown", ANSWERED),
    "words: split over three cells": in_turn(
        says("markdown", *ANSWER[1:]), becomes(source=ANSWER[0])
    ),
    "words: copied, the copy as handed out": lambda draft: draft.cells.append(
        copy.deepcopy(draft.written) | {"source": UNWRITTEN}
    ),
    "words: typed into the question": in_turn(into_the_question, becomes(source=UNWRITTEN)),
    "words: metadata lost, merged with the question": in_turn(
        into_the_question, no_answers_cell, bare(4)
    ),
    "words: at the top of the notebook, their cell deleted": in_turn(
        no_answers_cell, put(0, ANSWERED, kind="markdown")
    ),
    "words: in the quotes of a text, and printed": says(
        "code", f'"""\n{ANSWER[0]}\n{ANSWER[1]}\n"""', f"print({ANSWER[2]!r})"
    ),
    "words: below the line that was handed out": becomes(source=f"{UNWRITTEN}\n\n{ANSWERED}"),
    "words: in code, above, between two tasks": in_turn(
        no_answers_cell, lambda draft: draft.put(draft.tasks[1], "\n".join(ANSWER))
    ),
    "words: as comments in a code cell": says("code", "\n".join(f"# {one}" for one in ANSWER)),
}
ABOUT = {"longdouble, deques and a dictionary's values come back": "hw3"}  # what that one returns
NUMBERS = cycle(("hw1", "hw2", "hw4", "hw3"))
KINDS = [Kind(words, ABOUT.get(words) or next(NUMBERS), change) for words, change in WAYS.items()]
