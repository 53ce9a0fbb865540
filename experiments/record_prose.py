"""Take the prose out of the lessons' sources: the text that lesson 14 learns when it is given none.

``python -m experiments.record_prose`` writes ``attnlib/data/prose.txt`` anew, in a second. It is a
snapshot: lessons go on changing, and what was measured on it holds for this text. So whoever takes
a new one says the day in ``attnlib/data/README.md``, and records lesson 14 anew. That lesson itself
is left out, for it shows numbers of the text.
"""

import re
from collections import Counter
from pathlib import Path

import attnlib

SOURCES = Path(__file__).parent.parent / "notebooks/src"
RECORD = Path(attnlib.__file__).parent / "data/prose.txt"
RARE = 30  # a letter that comes less often is left out
LEFT_OUT = "14"


def sources():
    """Return the lessons' sources, in order."""
    return [
        path.read_text("utf-8")
        for path in sorted(SOURCES.glob("*.md"))
        if not path.name.startswith(LEFT_OUT)
    ]


def prose_of(source):
    """Return what a lesson says: without its head, code, formulas, tables, pictures and marks.

    What is said to a hall, ``% say``, is prose, too. A formula within a line becomes an x.
    """
    text = re.sub(r"\A---\n.*?\n---\n", "", source, flags=re.DOTALL)
    text = re.sub(r"```.*?```|\$\$.*?\$\$", "", text, flags=re.DOTALL)
    lines = [line.removeprefix("% say ") for line in text.split("\n")]
    text = "\n".join(line for line in lines if not line.startswith(("%", "|", "!", "+++")))
    text = re.sub(r"\$[^$]*\$|\{\{.*?\}\}", "x", text)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)  # a link, by its words
    text = re.sub(r"[*`#>{}]", "", text)
    text = re.sub(r" +", " ", text)
    return re.sub(r"\s*\n\s*", "\n", text).strip()


def prose(texts):
    """Return the prose of several sources, without letters that are rare in it."""
    text = "\n".join(map(prose_of, texts)).translate(str.maketrans("“”’–—", '""\'--'))
    counts = Counter(text)
    text = "".join(letter for letter in text if counts[letter] >= RARE)
    return re.sub(r" +", " ", text) + "\n"


def main():
    text = prose(sources())
    RECORD.write_text(text, "utf-8", newline="\n")
    print(f"{RECORD.name}: {len(text):,} letters of {len(set(text))} kinds")


if __name__ == "__main__":
    main()
