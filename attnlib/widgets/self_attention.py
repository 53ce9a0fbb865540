"""One word asks, and five steps lead to what it takes home."""

from functools import partial

import numpy as np

from attnlib import attention, attention_scores, attention_weights
from attnlib._colors import COLORS
from attnlib._inputs import refuse, require_equal
from attnlib.widgets._base import plain
from attnlib.widgets._paper import FAINT, INK, Paper, Table, bars, bars_height, room
from attnlib.widgets._plugin import Misfit, Plugged, called
from attnlib.widgets._traits import Derived, Index, Numbers, OneOf, Words, require_index

LARGEST = 1e6  # of the numbers: their products stay far from the largest float
MOST_FEATURES = 64  # of a query, key or value: as wide as a head usually is
MOST_SHOWN = 12  # features of x
MOST_NUMBERS = 3200  # of all arrays together, so that a page carries less than 40 kB
WIDE = 8  # longer vectors are drawn without their numbers
STEPS = ("project", "score", "scale", "softmax", "mix")


class Vectors(Numbers):
    """One row of numbers for each word, kept to six significant digits."""

    def __init__(self, axes, **metadata):
        super().__init__(axes, least=-LARGEST, most=LARGEST, **metadata)

    def validate(self, owner, value):
        """Return value as an array of the numbers that a page carries."""
        x = super().validate(owner, value)
        if x is None:
            return None
        x = np.array([float(f"{number:.6g}") for number in x.flat]).reshape(x.shape)
        x.flags.writeable = False
        return x


class SelfAttention(Plugged):
    """Self-attention of one word, step by step, with every vector and number of the step.

    Parameters
    ----------
    query, key : array_like, (n, d_key)
    value : array_like, (n, d_value)
        Projected already: one row for each word, of up to 64 features. Numbers from -1e6 to 1e6
        are kept to six significant digits.
    words : sequence of str, (n,)
        At most 40.
    x : array_like, (n, d_model), optional
        What they were projected from, of at most 12 features; the first step shows it.
    word : int
        Which word asks, counted from 0.
    step : {"project", "score", "scale", "softmax", "mix"}
    attention : callable, optional
        The reader's own ``attention(query, key, value) -> output``. Its weights are read off by
        handing it the identity matrix as value.

    Attributes
    ----------
    scores : ndarray (n, n)
        Scaled by 1 / sqrt(d_key); rows are queries, columns are keys.
    weights : ndarray (n, n)
    output : ndarray (n, d_value)

    Examples
    --------
    >>> widget = SelfAttention(
    ...     [[2.0], [0.0]], [[1.0], [0.0]], [[1.0, 0.0], [0.0, 1.0]], words=["it", "ran"]
    ... )
    >>> widget.weights.round(2)
    array([[0.88, 0.12],
           [0.5 , 0.5 ]])
    """

    query = Vectors("n, d_key")
    key = Vectors("n, d_key")
    value = Vectors("n, d_value")
    words = Words()
    x = Vectors("n, d_model", optional=True)
    word = Index(0, of="words")
    step = OneOf(*STEPS)
    scores, weights, output = Derived(), Derived(), Derived()

    def __init__(self, query, key, value, *, words, x=None, word=0, step="project", attention=None):
        inputs = {"words": words, "x": x, "word": word, "step": step}
        super().__init__(attention, query=query, key=key, value=value, **inputs)

    def _agree(self):
        n = len(self.words)
        arrays = {"query": self.query, "key": self.key, "value": self.value}
        limits = dict.fromkeys(arrays, MOST_FEATURES)
        if self.x is not None:
            arrays["x"], limits["x"] = self.x, MOST_SHOWN
        for name, rows in arrays.items():
            rule = f"{name} needs one row for each word"
            require_equal(rule, len(rows), n, **{name: rows, "words": f"{n} words"})
            d, most = rows.shape[1], limits[name]
            if not 1 <= d <= most:
                rule = f"a picture holds 1 to {most} features of {name}"
                rule += " (leave it out where it has more)" if name == "x" else ""
                refuse(rule, f"{d} > {most}" if d else "0 < 1", **{name: rows})
        rule = "query and key must share d_key, their last axis"
        d_query, d_key = self.query.shape[1], self.key.shape[1]
        require_equal(rule, d_query, d_key, query=self.query, key=self.key)
        total = sum(rows.size for rows in arrays.values())
        if total > MOST_NUMBERS:
            rule = f"a picture holds at most {MOST_NUMBERS} numbers (show fewer words or features)"
            refuse(rule, f"{total} > {MOST_NUMBERS}", **arrays)
        require_index(self, "word")

    def _derive(self):
        return {
            "scores": attention_scores(self.query, self.key),
            "weights": attention_weights(self.query, self.key),
            "output": attention(self.query, self.key, self.value),
        }

    def _ask(self, function):
        n = len(self.words)
        output = called(function, self.value.shape, self.query, self.key, self.value)
        try:  # a row of weights times the identity is that row
            weights = called(function, (n, n), self.query, self.key, np.eye(n))
        except Misfit as misfit:
            note = (
                "The output is that of your own function. Its weights cannot be read off: with the "
                f"identity matrix as value, it{misfit}"
            )
            return {"output": output}, note
        note = (
            "The weights and the output marked as yours are those of your own function; the scores "
            "are attnlib's."
        )
        if not np.allclose(weights @ self.value, output, equal_nan=True):
            note += " Its output is not the sum of the values times these weights."
        return {"weights": weights, "output": output}, note

    # The still picture

    def _draw(self):
        i, n = self.word, len(self.words)
        who, rows = self._name(i), [self._name(j) for j in range(n)]
        sums = (self.query[i] * self.key).sum(axis=1)
        plum = {"color": COLORS["scores"]}
        root = f"divided by √{self.key.shape[1]} = {np.sqrt(self.key.shape[1]):.3f}"
        parts = self.weights[i][:, None] * self.value
        left, right = {
            "project": (
                _vectors([self.query[i], *self.key], [who, *rows], "query, then the keys",
                         ["query"] + ["key"] * n),
                _vectors(self.value, rows, "values", ["value"] * n),
            ),
            "score": (
                _vectors(self.query[i] * self.key, rows, f"query of {who} × key of …"),
                _bars(sums, rows, "their sum, query · key", **plum),
            ),
            "scale": (
                _bars(sums, rows, f"query of {who} · key", **plum),
                _bars(self.scores[i], rows, root, **plum),
            ),
            "softmax": (
                _bars(self.scores[i], rows, f"scores of {who}", **plum),
                _bars(self.weights[i], rows, f"weights of {who}", most=1),
            ),
            "mix": (
                _bars(self.weights[i], rows, f"weights of {who}", most=1),
                _vectors([*parts, self.output[i]], [*rows, "output"], "weight × value, their sum",
                         ["value"] * n + ["output"]),
            ),
        }[self.step]  # fmt: skip
        (wide, high, draw_left), (broad, tall, draw_right) = left, right
        paper = Paper(wide + broad + 48, max(high, tall) + 14)
        draw_left(paper, 8, 6)
        draw_right(paper, wide + 40, 6)
        return paper

    def _alt(self):
        i, step = self.word, self.step
        who = self._name(i)
        if step == "project":
            parts = [f"The word {who} has the query {_listed(self.query[i])}"]
            if self.x is not None:
                parts[0] += f", made from x = {_listed(self.x[i])}"
            parts.append(f"Its key is {_listed(self.key[i])}, its value {_listed(self.value[i])}")
            parts.append(f"Keys and values of all {len(self.words)} words stand beside it")
            return ". ".join(parts) + "."
        sums = self.scores[i] * np.sqrt(self.key.shape[1])
        texts = {
            "score": f"The query of {who} times each key, summed: {self._pairs(sums)}.",
            "scale": (
                f"The scores of {who}, divided by the square root of d_key = "
                f"{self.key.shape[1]}: {self._pairs(self.scores[i])}."
            ),
        }
        looks = f"The weights with which {who} looks at each word: {self._pairs(self.weights[i])}."
        mixed = f"{looks} The values, mixed with them, give the output {_listed(self.output[i])}."
        return texts.get(step, looks if step == "softmax" else mixed)

    def _pairs(self, numbers):
        """Return the words with their numbers; of a long sentence, the largest."""
        if len(numbers) <= WIDE:
            order, start = range(len(numbers)), ""
        else:
            order, start = np.argsort(-numbers, kind="stable")[:5], "the largest five are "
        return start + ", ".join(f"{self._name(j)} {numbers[j]:.2f}" for j in order)

    def _name(self, i):
        """Return a word that a figure has room for, with its row where it stands twice."""
        word = self.words[i]
        name = plain(word)
        once = word.strip() and self.words.count(word) == 1
        return name if once else f"{name} ({i})".strip()


def _vectors(values, rows, title, roles=None):
    """Say how large rows of numbers are, and how they are drawn: as numbers, or as strokes."""
    values = np.asarray(values)
    d, marks = values.shape[1], 14 if roles else 0
    table = Table(values if d <= WIDE else values[:, :0], rows, list(map(str, range(d)))[:WIDE],
                  title=title, corner="feature", cell=50)  # fmt: skip
    if d <= WIDE:
        return table.size[0] + marks, table.size[1], partial(_table, table=table, roles=roles)
    room_of = room(rows) + 14 + marks
    height = 26 + 30 * len(rows)
    strokes = partial(_strokes, values=values, rows=rows, title=title, left=room_of, roles=roles)
    return max(room_of + 4 * d, room(title, bold=True)), height, strokes


def _table(paper, x, y, table, roles):
    table.draw(paper, x + (14 if roles else 0), y)
    for i, role in enumerate(roles or ()):
        paper.box(x, y + table.place(i, 0)[1] + 8, 10, 10, fill=COLORS[role])


def _strokes(paper, x, y, values, rows, title, left, roles):
    """Draw each row as strokes up and down from a line of its own."""
    paper.write(x, y + 10, title, bold=True)
    unit = 13 / max(np.abs(values).max(), 1e-300)
    for i, (name, numbers) in enumerate(zip(rows, values, strict=True)):
        base = y + 26 + 30 * (i + 0.5)
        paper.write(x + left - 8, base, name, at="rm")
        if roles:
            paper.box(x, base - 5, 10, 10, fill=COLORS[roles[i]])
        paper.line([(x + left, base), (x + left + 4 * len(numbers), base)], FAINT)
        for f, number in enumerate(numbers):
            across = x + left + 4 * f + 2
            paper.line([(across, base), (across, base - unit * number)], INK, width=1.5)


def _bars(values, rows, title, **options):
    """Say how large bars are, and how they are drawn."""
    width = max(200 + room(rows), room(title, bold=True))
    drawn = partial(bars, width=width, values=values, names=rows, title=title, **options)
    return width, bars_height(len(rows)), drawn


def _listed(vector):
    """Return a vector's numbers, or of a wide one how far they reach."""
    if len(vector) <= WIDE:
        return f"({', '.join(f'{number:.2f}' for number in vector)})"
    return f"of {len(vector)} numbers from {vector.min():.2f} to {vector.max():.2f}"
