"""One word asks: five steps build up one picture, from its query to what it gets."""

import numpy as np

from attnlib import attention, attention_scores, attention_weights
from attnlib._inputs import refuse, require_equal
from attnlib.pictures.colours import COLORS
from attnlib.pictures.paper import Paper, bands, number, room
from attnlib.pictures.shades import INK, LINE, PAPER, SOFT, tint
from attnlib.pictures.shared import shared
from attnlib.widgets._base import headings, plain
from attnlib.widgets._plugin import Misfit, Plugged, called
from attnlib.widgets._traits import Derived, Index, Numbers, OneOf, Words, require_index

MOST_FEATURES = 64  # of each vector: as wide as a head usually is
_WORDS = {"scores": 2, "weights": 2, "output": 1}  # how many axes of what follows count words
BROAD = 32  # at most, of a bar of the output
LONGEST = 40  # letters: a sentence that is told as one
WIDE = 8  # longer vectors are told by how far they reach
# LARGEST of the numbers: their products stay far from the largest float. A sentence of more words
# than MOST_ROWS is drawn with the LARGEST_ROWS, and what is asked.
STEPS, LARGEST, MOST_ROWS, LARGEST_ROWS, SAYS = shared(
    "self_attention", "STEPS", "LARGEST", "MOST_ROWS", "LARGEST_ROWS", "SAYS"
)


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
    """Self-attention of one word as a flow, which five steps build up.

    The word's query meets every word's key; ribbons as wide as the weights lead through the keys
    to the values, and on into the output, where the weighted values add up. Words are chosen in
    the picture, and the bars of queries, keys and values are dragged, typed, or stepped by keys;
    the arithmetic of a ribbon stands below it, and a table of all numbers of the step where the
    hand asks for it. A sentence of more than 12 words is folded to the five that get most.

    Parameters
    ----------
    query, key : array_like, (n, d_key)
    value : array_like, (n, d_value)
        Projected already: one row for each word, of up to 64 features. Numbers from -1e6 to 1e6
        are kept to six significant digits. They hold what the hand has made of them.
    words : sequence of str, (n,)
        At most 40.
    x : array_like, (n, d_model), optional
        What they were projected from, of up to 64 features; the first step shows it.
    key_features, value_features : sequence of str, optional
        What each of the d_key numbers of queries and keys stands for, and each of the d_value ones.
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
    key_features = Words(most=MOST_FEATURES, optional=True)
    value_features = Words(most=MOST_FEATURES, optional=True)
    word = Index(0, of="words")
    step = OneOf(*STEPS)
    scores, weights, output = Derived(), Derived(shares=True), Derived()

    _movable = ("query", "key", "value")

    def __init__(
        self,
        query,
        key,
        value,
        *,
        words,
        x=None,
        key_features=None,
        value_features=None,
        word=0,
        step="project",
        attention=None,
        goal=None,
        moments=(),
    ):
        inputs = {"words": words, "x": x, "word": word, "step": step}
        inputs |= {"key_features": key_features, "value_features": value_features}
        inputs |= {"goal": goal, "moments": moments}
        super().__init__(attention, query=query, key=key, value=value, **inputs)

    def _agree(self):
        n = len(self.words)
        arrays = {"query": self.query, "key": self.key, "value": self.value}
        if self.x is not None:
            arrays["x"] = self.x
        for name, rows in arrays.items():
            rule = f"{name} needs one row for each word"
            require_equal(rule, len(rows), n, **{name: rows, "words": f"{n} words"})
            d = rows.shape[1]
            if not 1 <= d <= MOST_FEATURES:
                rule = f"a picture holds 1 to {MOST_FEATURES} features of {name}"
                rule += " (leave it out where it has more)" if name == "x" else ""
                refuse(rule, f"{d} > {MOST_FEATURES}" if d else "0 < 1", **{name: rows})
        rule = "query and key must share d_key, their last axis"
        d_query, d_key = self.query.shape[1], self.key.shape[1]
        require_equal(rule, d_query, d_key, query=self.query, key=self.key)
        for name, of in (("key_features", self.key), ("value_features", self.value)):
            if (names := getattr(self, name)) is not None:
                came_in = {name: names, name.split("_")[0]: of}
                rule = f"{name} needs one name for each number of a vector"
                require_equal(rule, len(names), of.shape[1], **came_in)
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

    def _rows(self):
        """Return the rows that are drawn, a word in each; of many words, the last is all others."""
        n = len(self.words)
        if n <= MOST_ROWS:
            return [[j] for j in range(n)]
        top = np.argsort(-self.weights[self.word], kind="stable")[:LARGEST_ROWS]
        asked = self.goal.asked if self.goal else {}
        asked = [k for name, ends in asked.items() for place in ends for k in place[: _WORDS[name]]]
        some = sorted({self.word, *top.tolist(), *asked})
        others = [j for j in range(n) if j not in some]
        return [*([j] for j in some), *([others] if others else [])]

    def _draw(self):
        i, at = self.word, STEPS.index(self.step)
        rows = self._rows()
        place = _Places(len(rows))
        paper = Paper(place.width, place.top + place.height + 12)
        said = _cut(self._step_in_words(headings(self.words)[i]), place.width - 16, bold=True)
        paper.write(8, 14, said, bold=True)
        self._draw_heads(paper, place)
        self._draw_ribbons(paper, place, rows)
        self._draw_rows(paper, place, rows)
        if at:
            self._draw_numbers(paper, place, rows)
        self._draw_ends(paper, place, headings(self.words)[i], rows)
        return paper

    def _step_in_words(self, who):
        root = f"√{self.key.shape[1]} = {np.sqrt(self.key.shape[1]):.3f}"
        told = {
            "project": f"{who} asks with its query; every word has a key and a value",
            "score": f"the query of {who} times every key, summed",
            "scale": f"each divided by {root}; the frame is what it was",
            "softmax": "each ribbon is as wide as its weight, and all are 1",
        }
        if self.step == "mix":
            sentence = plain(" ".join(self.words))
            told = f"In “{sentence}”, " * (len(sentence) <= LONGEST)
            return f"{told}{who} asks. {self._told_best()}"
        return f"{STEPS.index(self.step) + 1} {self.step}: {told[self.step]}"

    def _told_best(self):
        """Say who gives most, and how much of what it has."""
        weights = self.weights[self.word]
        names = headings(self.words)
        best = [names[j] for j in np.flatnonzero(weights.max() - weights < 1e-9)]
        share = number(weights.max())
        if len(best) == len(weights):
            return f"All words answer alike: it takes {share} of what each gives."
        if len(best) > 1:
            return f"{' and '.join(best)} answer best: it takes {share} of what each gives."
        return f"{best[0]} answers best: it takes {share} of what this word gives."

    def _draw_heads(self, paper, place):
        middle = dict(score="query · key", scale="score", softmax="weight", mix="weight")
        spans = {
            "query": (8, place.box, "query"),
            "key": (place.key, place.name + place.box, "key"),
            "scores": (place.inner, place.middle - 4, middle.get(self.step, "")),
            "value": (place.value, place.box, "value"),
            "output": (place.output, place.broad, "output" if self.step == "mix" else ""),
        }
        for role, (left, width, words) in spans.items():
            if words:
                paper.write(left + width / 2, place.top - 30, words, at="mm")
                says = SAYS.get(words, "")
                paper.write(left + width / 2, place.top - 16, says, SOFT, size=11, at="mm")
                paper.box(left, place.top - 8, width, 3, fill=COLORS[role])

    def _draw_ribbons(self, paper, place, each):
        at, n = STEPS.index(self.step), len(each)
        weights = np.array([self.weights[self.word, words].sum() for words in each])
        widths = place.full * weights if at > 2 else np.full(n, 0.6 if at < 1 else 2.0)
        room_of = widths if at > 2 else np.full(n, place.full / n)
        fan = place.centre + np.cumsum(room_of) - room_of.sum() / 2 - room_of / 2
        rows, wide = place.rows, np.maximum(widths, 0.5)
        flows = [((8 + place.box, fan), (place.key, rows), COLORS["query"] if at else LINE, 0.4)]
        if at > 2:
            flows.append(((place.inner, rows), (place.value, rows), COLORS["key"], 0.3))
        if at > 3:
            start = place.value + place.box, rows
            flows.append((start, (place.output, fan), COLORS["value"], 0.4))
        for start, end, color, alpha in flows:
            for band in bands(start, end, wide):
                paper.area(band, color, alpha=alpha)

    def _draw_rows(self, paper, place, rows):
        """Draw each word with its key and its value; a value is pale until it is mixed."""
        keys, values = max(_size(self.query), _size(self.key)), _size(self.value)
        at, size = STEPS.index(self.step), 13 if place.row > 20 else 11
        first = place.rows[0] - place.tall / 2
        if first - place.top > 12:  # room for the names of the keys' numbers
            told = self.key_features or ()
            if _under(paper, told, place.key + place.name, first - 9, place.box, SOFT):
                right = place.key + place.name - 8
                paper.write(right, first - 9, "features:", SOFT, size=11, at="rm")
            _under(paper, self.value_features or (), place.value, first - 9, place.box, SOFT)
        for words, middle in zip(rows, place.rows, strict=True):
            folded, j = len(words) > 1, words[0]
            role = None if folded else "key"
            _framed(paper, place.key, middle, place.name + place.box, place.tall, role)
            _framed(paper, place.value, middle, place.box, place.tall, role and "value")
            if folded:
                left = place.key + place.name / 2
                paper.write(left, middle, f"{len(words)} others", SOFT, size=size, at="mm")
                continue
            _bars(paper, self.key[j] / keys, place.key + place.name, middle, place, "key")
            faded = {"alpha": 0.4} if at else {}
            _bars(paper, self.value[j] / values, place.value, middle, place, "value", **faded)
            if at == 4:
                part = self.weights[self.word, j] * self.value[j]
                _bars(paper, part / values, place.value, middle, place, "output")
            color = INK
            if j == self.word:
                high = min(place.tall - 2, 24)
                paper.box(place.key + 3, middle - high / 2, place.name - 6, high,
                          fill=COLORS["query"])  # fmt: skip
                color = "#ffffff"
            name = _cut(headings(self.words)[j], place.name - 10, size=size)
            paper.write(place.key + place.name / 2, middle, name, color, size=size, at="mm")

    def _draw_numbers(self, paper, place, rows):
        """Print the number of each row; scores stand beside a bar from zero."""
        at, scores = STEPS.index(self.step), self.scores[self.word]
        sums, weights = (self.query[self.word] * self.key).sum(axis=1), self.weights[self.word]
        shown = [None, sums, scores, weights, weights][at]
        right, size = place.value - 6, 12 if place.row > 20 else 11
        several = (lambda x: f"≤ {number(x.max())}") if at < 3 else (lambda x: number(x.sum()))
        words = [number(shown[j[0]]) if len(j) == 1 else several(shown[j]) for j in rows]
        if at < 3:
            self._draw_scores(paper, place, sums, shown, rows, right - room(words, size=size) - 6)
        for middle, told in zip(place.rows, words, strict=True):
            if at > 2:  # a ribbon runs below
                wide = room(told, size=size) + 4
                paper.box(right - wide + 2, middle - 6, wide, 12, fill=PAPER)
            paper.write(right, middle, told, size=size, at="rm")

    def _draw_scores(self, paper, place, sums, shown, rows, right):
        left, high = place.inner + 6, min(10, place.tall - 3)
        low = min(0, sums.min())
        unit = (right - left) / max(max(0, sums.max()) - low, 1e-300)
        zero = left - low * unit
        for middle, words in zip(place.rows, rows, strict=True):
            if len(words) > 1:
                continue
            for size, color in (
                (sums[words[0]], {"edge": COLORS["scores"]}),
                (shown[words[0]], {"fill": COLORS["scores"]}),
            ):
                length = abs(size) * unit
                if length > 0.5:
                    paper.box(
                        min(zero, zero + size * unit), middle - high / 2, length, high, **color
                    )
            paper.line([(zero, middle - high / 2 - 1), (zero, middle + high / 2 + 1)], SOFT)

    def _draw_ends(self, paper, place, who, rows):
        """Draw the query at the left, x below it in the first step, and the output at the right."""
        i, mixed = self.word, self.step == "mix"
        keys = max(_size(self.query), _size(self.key))
        asks, gets = self.key_features, self.value_features
        ends = [(8, place.box, place.large, self.query[i], "query", "asks", asks)]
        if mixed:
            end = place.output, place.broad, place.sum, self.output[i], "output", "gets", gets
            ends.append(end)
        else:
            paper.box(place.output, place.centre - place.sum / 2, place.broad, place.sum,
                      edge=COLORS["output"])  # fmt: skip
        for left, wide, high, numbers, role, does, names in ends:
            _framed(paper, left, place.centre, wide, high, role)
            above = place.centre - high / 2
            name = _cut(who, wide, size=12, bold=True)
            _under(paper, [number(x) for x in numbers], left, above + high + 9, wide)
            above -= 14 * _under(paper, names or (), left, above - 9, wide, SOFT)
            paper.write(left + wide / 2, above - 24, name, size=12, at="mm", bold=True)
            paper.write(left + wide / 2, above - 9, does, SOFT, size=12, at="mm")
        _bars(paper, self.query[i] / keys, 8, place.centre, place, "query", height=place.large)
        if mixed:
            self._draw_sum(paper, place, rows)
        if self.step == "project" and self.x is not None:
            top = place.centre + place.large / 2 + 46
            paper.write(8 + place.box / 2, top - 10, "from x", SOFT, size=11, at="mm")
            paper.box(8, top, place.box, 28, edge=SOFT)
            shares = self.x[i] / _size(self.x)
            _bars(paper, shares, 8, top + 14, place, None, height=28)

    def _draw_sum(self, paper, place, rows):
        """Draw the output, and in its bars where one weighted value ends and the next begins."""
        i, scale = self.word, _size(self.value)
        _bars(paper, self.output[i] / scale, place.output, place.centre, place, "output",
              height=place.sum, width=place.broad, most=BROAD)  # fmt: skip
        parts = np.array([self.weights[i, words] @ self.value[words] for words in rows])
        up = (place.sum / 2 - 3) * np.cumsum(parts, axis=0)[:-1] / scale
        cell = (place.broad - 8) / parts.shape[1]
        half = min(BROAD, 0.72 * cell) / 2
        for f, tips in enumerate(up.T):
            x = place.output + 4 + (f + 0.5) * cell
            for tip in tips[np.abs(tips) > 1]:
                y = place.centre - tip
                paper.line([(x - half, y), (x + half, y)], PAPER)

    def _alt(self):
        i, step = self.word, self.step
        who = headings(self.words)[i]
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
        names = headings(self.words)
        return start + ", ".join(f"{names[j]} {numbers[j]:.2f}" for j in order)


class _Places:
    """Where everything in the still stands, as in the live picture."""

    def __init__(self, n):
        self.width, self.top = 860, 68
        self.row = min(max(15, 440 / n), 48)
        self.full = 40  # how wide the ribbons are together
        self.tall = self.row - (8 if self.row > 30 else 2)  # of a box in a row
        self.height = max(224, n * self.row)
        self.large = self.full + 38  # how high the query is, and the output
        self.sum = max(self.large, 0.56 * self.height)
        self.box, self.broad, self.name, self.middle, fan = 108, 162, 118, 118, 63
        self.key = 8 + self.box + fan
        self.inner = self.key + self.name + self.box
        self.value = self.inner + self.middle
        self.output = self.value + self.box + fan
        self.centre = self.top + self.height / 2
        self.rows = self.centre + (np.arange(n) + 0.5 - n / 2) * self.row


def _framed(paper, left, middle, width, height, role):
    color = COLORS[role] if role else LINE
    pale, _ = tint(color, 0.1)
    paper.box(left, middle - height / 2, width, height, fill=pale, edge=color)


def _bars(paper, shares, left, middle, place, role, *, height=None, width=None, most=16, alpha=1.0):
    """Draw a vector as bars up and down from a line; a share of 1 fills half the box."""
    height, width = height or place.tall, width or place.box
    cell = (width - 8) / len(shares)
    wide = min(most, 0.72 * cell)
    starts = left + 4 + (np.arange(len(shares)) + 0.5) * cell - wide / 2
    up = middle - (height / 2 - (3 if height > 20 else 1)) * shares
    flat = np.full(len(shares), middle)
    outline = np.stack([
        np.stack([starts, starts, starts + wide, starts + wide], axis=1),
        np.stack([flat, up, up, flat], axis=1),
    ], axis=2)  # fmt: skip
    color = COLORS[role] if role else SOFT
    paper.line([(left + 4, middle), (left + width - 4, middle)], color)
    paper.area(outline.reshape(-1, 2), color, alpha=alpha)


def _under(paper, words, left, y, width, color=INK):
    """Print the numbers of a short vector, or their names, where they fit; return whether."""
    cell = width / max(1, len(words))
    fits = bool(words) and room(words, size=11) < cell - 1
    if fits:
        for f, told in enumerate(words):
            paper.write(left + (f + 0.5) * cell, y, told, color, size=11, at="mm")
    return fits


def _cut(name, width, **font):
    """Return a name, or as much of it as there is room for."""
    most = next(k for k in range(len(name), -1, -1) if room(_short(name, k), **font) <= width)
    return _short(name, most)


def _short(name, most):
    return name if most >= len(name) else f"{name[:most].rstrip('…')}…"


def _size(rows):
    """Return the largest size among numbers, 1 where all are zero."""
    return np.abs(rows).max() or 1.0


def _listed(vector):
    """Return a vector's numbers, or of a wide one how far they reach."""
    if len(vector) <= WIDE:
        return f"({', '.join(f'{number:.2f}' for number in vector)})"
    return f"of {len(vector)} numbers from {vector.min():.2f} to {vector.max():.2f}"
