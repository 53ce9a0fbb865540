"""Draw the series' pictures: ``python images/draw.py [NAME ...]`` writes ``images/NAME.png``.

Without a name, all of them. Drawing again with the versions of ``requirements.lock`` gives the same
bytes. Beside a picture, ``NN_name.png``, stands the file that draws it, ``NN_name.py``, and nothing
else lists it; ``whole.py`` alone draws several, for lessons and for parts. Such a file has `draw`,
which returns a figure. Its docstring is one line for whoever edits it, then the picture's alt text,
which is written into the picture: it stands there for all pages that show it. What it has in braces
is said by the file's `says`. Numbers that a picture shows are computed by attnlib; vectors made by
hand say so.
"""

import argparse
from importlib import import_module
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt

from images import whole
from images.page import save

HERE = Path(__file__).resolve().parent


def names():
    """Return the names of all pictures."""
    own = (path.stem for path in HERE.glob("[0-9][0-9]_*.py"))
    return sorted([*own, *(f"{name}_whole" for name in (*whole.LESSONS, *whole.LIT))])


def drawing(name):
    """Return the module that draws a picture, and what its functions take."""
    if name.endswith("_whole"):
        return whole, (name.removesuffix("_whole"),)
    return import_module(f"images.{name}"), ()


def alt_text(name):
    """Return a picture's alt text on one line: all of its file's docstring but the first line."""
    module, given = drawing(name)
    _, words = module.__doc__.split("\n\n")
    said = module.says(*given) if hasattr(module, "says") else {}
    return " ".join(words.format(**said).split())


def draw(name, folder=HERE):
    """Draw one picture into `folder` and return its path."""
    module, given = drawing(name)
    path = Path(folder) / f"{name}.png"
    with mpl.rc_context():
        mpl.rcdefaults()  # not what a reader's own settings say
        plt.style.use("attnlib.style")
        save(module.draw(*given), path, alt_text(name))
    return path


def main():
    """Draw what the command line names."""
    found = names()
    parser = argparse.ArgumentParser(description="Draw the series' pictures into images/.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(found))
    chosen = parser.parse_args().names or found
    if unknown := sorted(set(chosen) - set(found)):
        parser.error(f"no drawing is called {', '.join(unknown)}; there are {', '.join(found)}.")
    plt.switch_backend("agg")  # needs no screen
    for name in chosen:
        print(draw(name))


if __name__ == "__main__":
    main()
