"""One word asks, and five steps lead to what it takes home."""

import numpy as np
from matplotlib.transforms import ScaledTranslation

from attnlib import attention, attention_scores, attention_weights
from attnlib._inputs import refuse, require_equal
from attnlib.plotting import COLORS, bars, heatmap
from attnlib.widgets._base import plain
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

    def _draw(self, figure):
        i, n = self.word, len(self.words)
        who, rows = self._name(i), [self._name(j) for j in range(n)]
        left, right = _panels(figure, rows, *self._features_drawn())
        products = self.query[i] * self.key  # (n, d_key)
        sums = products.sum(axis=1)
        if self.step == "project":
            self._draw_vectors(left, right, who, rows)
        elif self.step == "score":
            _matrix(products, rows, left, "key of")
            left.set_title(f"query of {who} × key")
            _bars(sums, rows, right, "scores").set_title("their sum, query · key")
        elif self.step == "scale":
            _bars(sums, rows, left, "scores").set_title(f"query of {who} · key")
            title = f"divided by √{self.key.shape[1]} = {np.sqrt(self.key.shape[1]):.3f}"
            _bars(self.scores[i], rows, right, "scores").set_title(title)
        elif self.step == "softmax":
            _bars(self.scores[i], rows, left, "scores").set_title(f"scores of {who}")
            _bars(self.weights[i], rows, right).set_title(f"weights of {who}")
        else:
            _bars(self.weights[i], rows, left).set_title(f"weights of {who}")
            parts = self.weights[i][:, None] * self.value
            _matrix(np.vstack([parts, self.output[i]]), [*rows, "output"], right, "value of")
            right.set_title("weight × value, and their sum")

    def _features_drawn(self):
        """Return how many columns of numbers the two panels have; 0 where they are bars."""
        d_key, d_value = self.key.shape[1], self.value.shape[1]
        return {"project": (d_key, d_value), "score": (d_key, 0), "mix": (0, d_value)}.get(
            self.step, (0, 0)
        )

    def _draw_vectors(self, left, right, who, rows):
        """Draw the word's query above all keys, and all values."""
        i = self.word
        labels = [f"query: {who}", *(f"key: {row}" for row in rows)]
        _matrix(np.vstack([self.query[i], self.key]), labels, left, "vector")
        left.axhline(left.get_yticks()[:2].mean(), color="w", linewidth=4)
        _matrix(self.value, [f"value: {row}" for row in rows], right, "vector")
        for ax, roles in ((left, ["query"] + ["key"] * len(rows)), (right, ["value"] * len(rows))):
            ax.tick_params(axis="y", pad=13)
            left_of = ScaledTranslation(-8 / 72, 0, ax.figure.dpi_scale_trans)  # 8 points
            mark = {"transform": ax.get_yaxis_transform() + left_of, "clip_on": False}
            for place, role in zip(ax.get_yticks(), roles, strict=True):  # marks in their colours
                ax.plot(0, place, "s", color=COLORS[role], markersize=7, **mark)

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


def _panels(figure, rows, *features):
    """Return two Axes, with room for the names and for the numbers of so many features."""
    widths = [max(2.3, 0.5 * d) if d <= WIDE else 2.6 for d in features]
    names = 1.2 + 0.09 * max(map(len, rows))
    figure.set_size_inches(sum(widths) + 2 * names, 1.3 + 0.36 * (len(rows) + 1))
    return figure.subplots(1, 2, width_ratios=widths)


def _matrix(values, rows, ax, row_name):
    """Draw vectors as rows of numbers; where these are many or long, as lines up and down."""
    d = values.shape[1]
    if d <= WIDE and np.abs(values).max() < 100:
        heatmap(values, rows, list(map(str, range(d))), ax=ax, row_name="", column_name="feature")
        ax.set_ylabel(row_name)
        return
    step = 2.2 * max(np.abs(values).max(), 1e-300)
    for place, numbers in enumerate(values):
        base = -place * step
        ax.axhline(base, color="#999999", linewidth=0.6)
        ax.vlines(range(d), base, base + numbers, color="k", linewidth=1.2)
    ax.set_yticks(-step * np.arange(len(rows)), rows)
    ax.tick_params(axis="y", length=0)
    ax.set_xlabel("feature (column)")
    ax.set_ylabel(row_name)
    ax.spines[:].set_visible(False)


def _bars(values, rows, ax, role=None):
    """Draw bars, in their role's colour, with room for the number beyond a negative one."""
    bars(values, rows, ax=ax, color=COLORS.get(role)).margins(x=0.3)
    return ax


def _listed(vector):
    """Return a vector's numbers, or of a wide one how far they reach."""
    if len(vector) <= WIDE:
        return f"({', '.join(f'{number:.2f}' for number in vector)})"
    return f"of {len(vector)} numbers from {vector.min():.2f} to {vector.max():.2f}"
