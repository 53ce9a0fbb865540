"""Draw the model that reads letters: two pre-norm blocks, and the chances of the next letter.

On the left the letters of a text, {told}. Each takes the row of its letter and that of its place,
and their sum goes through two blocks. In a block the row is normalised, heads read it, and what
they bring is added to the row as it was; the same with a network. At last the row is normalised and
compared with all letters. Behind the last one the likeliest are {likely}.
"""

import numpy as np
from matplotlib.patches import Rectangle

import attnlib
from attnlib import encoder, text
from attnlib.plotting import COLORS
from images.page import SOFT, arrow, box, page, write

TOLD = "\nThe weight"


def chances():
    """Return the four likeliest letters after what is told, each with its chance."""
    model = text.letters()
    letters = sorted(set(text.text_of()))
    ids = np.array([letters.index(letter) for letter in TOLD])
    found = attnlib.softmax(logits(model, ids)[-1])
    return {letters[i]: found[i] for i in np.argsort(-found)[:4]}


def logits(model, ids):
    """Return how much the model likes each letter next, after each letter: (n, n_letters)."""
    x = model["letters"][ids] + model["places"][: len(ids)]
    for i in (0, 1):
        matrices = [model[f"heads_{i}/w_{role}"] for role in ("query", "key", "value", "output")]
        layer = attnlib.MultiHeadAttention(*matrices, n_heads=4)
        x = x + layer(normed(x, model, f"heads_{i}"), mask=attnlib.causal_mask(len(ids)))
        p = {name: model[f"network_{i}/{name}"] for name in ("w_up", "b_up", "w_down")}
        raw = normed(x, model, f"network_{i}") @ p["w_up"] + p["b_up"]
        x = x + np.maximum(raw, 0) @ p["w_down"]
    return normed(x, model, "end") @ model["letters"].T


def normed(x, model, part):
    """Return each row after one of the model's norms."""
    return encoder.layer_norm(x, model[f"{part}/gain"], model[f"{part}/bias"], 1e-5)


def named(letter):
    """Return a letter as it is shown: a blank and the end of a line by a sign."""
    return {" ": "blank", "\n": "line end"}.get(letter, letter)


def says():
    """Return what the alt text has in braces."""
    likely = ", ".join(f"{named(letter)} {chance:.2f}" for letter, chance in chances().items())
    return {"told": TOLD.strip(), "likely": likely}


def draw():
    """Return the picture as a figure."""
    figure, ax = page(330)
    rows = [86, 146, 206, 266]
    write(ax, 24, 26, f"… {TOLD.strip()}", ha="left", size=13, color=SOFT)
    for y, letter in zip(rows, TOLD[-4:], strict=True):
        box(ax, 60, y, 44, 34, SOFT, words=letter, size=13)
        arrow(ax, (84, y), (126, y))
        arrow(ax, (276, y), (312, y))
    write(ax, 72, 312, "letter + place", size=12)
    for left in (126, 312):
        middle = left + 75
        box(ax, middle, sum(rows) / 4, 150, 232, SOFT, fill="white")
        for y, words, color in ((116, "heads", "query"), (224, "network", "value")):
            box(ax, middle, y - 27, 100, 28, SOFT, words="norm", size=12)
            box(ax, middle, y + 17, 100, 50, COLORS[color], words=f"{words},\nadded", size=12)
        write(ax, middle, 312, "block", size=12, weight="bold")
    arrow(ax, (463, 266), (486, 266))
    box(ax, 520, 266, 64, 34, SOFT, words="norm", size=12)
    arrow(ax, (520, 248), (520, 222))
    for row, (letter, chance) in enumerate(chances().items()):
        y = 86 + 36 * row
        write(ax, 556, y, named(letter), size=13, ha="right")
        ax.add_patch(Rectangle((566, y - 10), 70 * chance, 20, color=COLORS["output"], linewidth=0))
        write(ax, 574 + 70 * chance, y, f"{chance:.2f}", size=12, ha="left")
    write(ax, 580, 52, "next letter", size=12, weight="bold")
    return figure
