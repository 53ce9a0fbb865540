"""Every head's matrix at a glance, and the lines along which one word looks in each of them."""

import numpy as np

from attnlib import entropy
from attnlib._inputs import as_integer, as_real, refuse, require_equal
from attnlib._paper import Map, Paper, Table, bands, room
from attnlib._shades import FAINT, HEADS, INK, SOFT, tint
from attnlib._shared import shared
from attnlib.widgets._base import Widget, plain
from attnlib.widgets._packing import in_steps, packed, unpacked
from attnlib.widgets._traits import Derived, Index, Numbers, Words, require_index

MOST_WEIGHTS = 2_000_000  # are 5 MB of a notebook
SLACK = 1e-2  # that of attnlib.entropy: rows of float16 weights do not sum to 1 exactly
(LEAST_LINE,) = shared("heads", "LEAST_LINE")  # a smaller weight draws no line
LEAST_BROKEN = 0.1  # a thinner line shows no gaps
MOST_DRAWN = 40  # words of the still picture


class HeadWeights(Numbers):
    """Attention weights of one sentence by layer and head, in steps of 1/50000.

    They go to the browser, and into a page, as a string of two bytes each.
    """

    def __init__(self):
        super().__init__("n_layers, n_heads, n, n")
        self.tag(to_json=lambda x, owner: packed(x), from_json=lambda x, owner: unpacked(x))

    def validate(self, owner, value):
        """Return value as an array (n_heads, n, n) or (n_layers, n_heads, n, n)."""
        x = self._of_one_sentence(as_real(self.name, _readable(self.name, value)))
        for axis, what in ((-3, "head"), (-4, "layer")):
            if x.ndim >= -axis and not x.shape[axis]:
                refuse(f"{self.name} must hold at least one {what}", "0 < 1", **{self.name: x})
        if x.size > MOST_WEIGHTS:
            rule = f"a page holds at most {MOST_WEIGHTS} weights (show some of the layers)"
            refuse(rule, f"{x.size} > {MOST_WEIGHTS}", **{self.name: x})
        self._refuse_outside(x)
        x = x.astype(np.float64)
        totals = x.sum(axis=-1)
        wrong = (x < 0).any(axis=-1) | (x.any(axis=-1) & (np.abs(totals - 1) > SLACK))
        if wrong.any() and x.shape[-1] != x.shape[-2]:  # then these are hardly weights at all
            rule = f"{self.name} must be those of a sentence that looks at itself, (…, n, n)"
            refuse(rule, f"{x.shape[-2]} != {x.shape[-1]}", **{self.name: x})
        if wrong.any():
            self._refuse_row(x, tuple(map(int, np.argwhere(wrong)[0])))
        return in_steps(x)

    def _of_one_sentence(self, x):
        """Return x without an axis for a batch of one, and with one for heads."""
        if x.ndim == 5 and x.shape[1] == 1:
            return x[:, 0]
        if x.ndim == 5:
            rule = f"{self.name} must be those of one sentence ([layer[0] for layer in …], say)"
            refuse(rule, f"a batch of {x.shape[1]} != 1", **{self.name: x})
        if not 2 <= x.ndim <= 4:
            rule = f"{self.name} must have the axes (n_heads, n, n) or (n_layers, n_heads, n, n)"
            refuse(rule, f"{x.ndim} is neither 3 nor 4", **{self.name: x})
        return x[None] if x.ndim == 2 else x

    def _refuse_row(self, x, place):
        *layer, head, row = place
        where = f"row {row} of head {head}" + "".join(f" of layer {place}" for place in layer)
        least, total = x[place].min(), x[place].sum()
        if least < 0:
            rule = f"{self.name} must not be negative (are these scores, before softmax?)"
            refuse(rule, f"{where} holds {least:g} < 0", **{self.name: x})
        rule = f"each row of {self.name} must sum to 1, or be all 0 where a query sees nothing"
        refuse(rule, f"{where} sums to {total:g} != 1", **{self.name: x})


def _readable(name, x, depth=3):
    """Return x with PyTorch's tensors as arrays, be they of a device, a gradient or bfloat16."""
    if hasattr(x, "detach"):
        return x.detach().cpu().float().numpy()
    if x is None:
        rule = (
            f"{name} must hold numbers (a model of transformers hands them out if it is loaded "
            'with attn_implementation="eager")'
        )
        refuse(rule, "NoneType is no array", TypeError, **{name: "None"})
    if depth and isinstance(x, list | tuple):
        return [_readable(name, part, depth - 1) for part in x]
    return x


class Places(Index):
    """Several of the items that another trait lists, each by its place from 0; or None, for all."""

    def validate(self, owner, value):
        """Return value as a tuple in order, without repetitions; `_agree` judges the places."""
        if isinstance(value, str) or not hasattr(value, "__iter__"):
            kind, rule = type(value).__name__, f"{self.name} must be a sequence of places, or None"
            refuse(rule, f"{kind} is no sequence of int", TypeError, **{self.name: repr(value)})
        return tuple(sorted({as_integer(self.name, place) for place in value}))


class Heads(Widget):
    """The weights of all heads for one sentence: each in small, one in full, a word's as lines.

    Parameters
    ----------
    weights : array_like, (n_heads, n, n) or (n_layers, n_heads, n, n)
        Rows are queries, columns are keys; each row sums to 1, or is all 0 where a query sees
        nothing. Two million of them at most, kept in steps of 1/50000. PyTorch's tensors are
        welcome, and so are those of a model of transformers, (1, n_heads, n, n) for each layer.
    words : sequence of str, (n,)
    layer, head : int
        Which head is shown in full.
    other : int, optional
        A head of the same layer that is taken from it.
    word : int, optional
        The query whose weights are shown of every head. Where it is left out, the one about which
        the shown heads disagree most.
    shown : sequence of int, optional
        The heads whose lines are drawn; all of them where it is left out.
    goal : Goal, optional
        What the widget asks of the hand.
    moments : sequence of (str, dict), optional
        At most five titles, each with the inputs that show what it says.

    Attributes
    ----------
    row_weights : ndarray (n_heads, n)
        Where each head of the layer looks from the word.
    entropies : ndarray (n_heads,)
        Of these rows, in nats.
    difference : ndarray (n, n)
        The weights of `head`, minus those of `other` if there is one.
    disagreements : ndarray (n,)
        How much of each word's weight lies elsewhere in one shown head than in another: half the
        sum of absolute differences, the mean of all pairs of heads.
    done : bool
        Whether the goal has been reached.
    moves : int
        What the hand has moved until then, a whole drag as one.

    Examples
    --------
    >>> heads = Heads([[[1, 0], [0.5, 0.5]], [[0, 1], [0.5, 0.5]]], ["a", "saw"], other=1)
    >>> heads.disagreements, heads.word
    (array([1., 0.]), 0)
    >>> heads.difference
    array([[ 1., -1.],
           [ 0.,  0.]])
    """

    weights = HeadWeights()
    words = Words(most=np.inf)
    layer = Index(0, of="layers")
    head = Index(0, of="heads")
    other = Index(None, of="heads", allow_none=True)
    word = Index(0, of="words")
    shown = Places(None, of="heads", allow_none=True)
    row_weights, entropies, difference, disagreements = Derived(), Derived(), Derived(), Derived()

    def __init__(
        self,
        weights,
        words,
        *,
        layer=0,
        head=0,
        other=None,
        word=None,
        shown=None,
        goal=None,
        moments=(),
    ):
        inputs = {"layer": layer, "head": head, "other": other, "shown": shown}
        first = 0 if word is None else word
        super().__init__(weights=weights, words=words, word=first, **inputs)
        if word is None:
            self.word = int(self.disagreements.argmax())
        self._lead(goal, moments)

    @property
    def layers(self):
        """The places of the layers."""
        return range(len(self._by_layer()))

    @property
    def heads(self):
        """The places of the heads of a layer."""
        return range(self.weights.shape[-3])

    def _by_layer(self):
        return self.weights if self.weights.ndim == 4 else self.weights[None]

    def _of_layer(self):
        return self._by_layer()[self.layer]

    def _shown(self):
        return list(self.heads if self.shown is None else self.shown)

    def _agree(self):
        n_words = len(self.words)
        for axis, what in ((-2, "row"), (-1, "column")):
            rule = f"each word needs one {what} of weights in every head"
            came_in = {"weights": self.weights, "words": f"{n_words} words"}
            require_equal(rule, self.weights.shape[axis], n_words, **came_in)
        for name in ("layer", "head", "word"):
            require_index(self, name)
        if self.other is not None:
            require_index(self, "other")
        for place in self.shown or ():
            if place not in self.heads:
                rule = "shown must be places of heads, counted from 0"
                clash = f"{place} < 0" if place < 0 else f"{place} > {len(self.heads) - 1}"
                told = {"shown": self.shown, "the number of heads": len(self.heads)}
                refuse(rule, clash, **told)

    def _derive(self):
        weights = self._of_layer()
        row_weights = weights[:, self.word]
        less = 0 if self.other is None else weights[self.other]
        return {
            "row_weights": row_weights,
            "entropies": entropy(row_weights),
            "difference": weights[self.head] - less,
            "disagreements": _disagreements(weights[self._shown()]),
        }

    def _name(self, head):
        """Name a head, and its layer if there are several."""
        return f"head {head}" if len(self.layers) == 1 else f"layer {self.layer}, head {head}"

    def _draw(self):
        return _Picture(self).paper

    def _alt(self):
        told = self.row_weights[self._shown()]
        nats = self.entropies[self._shown()]
        listed = ", ".join(
            f"head {h} {_largest(row, self.words)} (entropy {x:.2f})"
            for h, row, x in zip(self._shown(), told, nats, strict=True)
        )
        n_layers, n_heads = len(self.layers), len(self.heads)
        of = f"{n_layers} layers of " if n_layers > 1 else ""
        where = f" of layer {self.layer}" if n_layers > 1 else ""
        word = self.words[self.word]
        alt = (
            f"Lines from the word {word} to the words at which the heads{where} look: "
            f"{listed or 'none is shown'}. Their mean disagreement about {word} is "
            f"{self.disagreements[self.word]:.2f}. Below, {of}{n_heads} heads as small maps of "
            f"weights, rows are queries, columns are keys; in full {self._name(self.head)}"
        )
        if self.other is None:
            return f"{alt}."
        apart = np.abs(self.difference[self.word]).sum() / 2
        return (
            f"{alt} minus head {self.other}: for this word {apart:.2f} of the weight lies "
            f"elsewhere."
        )


def _disagreements(rows):
    """Return half the mean of the pairs' absolute differences, (n_heads, n, n) to (n,).

    The sum over pairs needs no pairs: sorted, the k-th of H numbers is taken 2 k - H + 1 times.
    """
    n_heads = len(rows)
    if n_heads < 2:
        return np.zeros(rows.shape[-2])
    times = 2 * np.arange(n_heads) - n_heads + 1
    pairs = np.tensordot(times, np.sort(rows, axis=0), axes=1).sum(axis=-1)
    return np.maximum(pairs / (n_heads * (n_heads - 1)), 0)  # what rounding leaves below


def _largest(row, words):
    """Name the key of the largest weight, and the weight."""
    return f"{words[row.argmax()]} {row.max():.2f}" if row.any() else "nothing"


# The still picture: lines and the chosen word's weights above, all heads and one of them below

WIDE, SMALL = 864, 10  # of the whole; the least of a map
LINES = 230  # from query to key


class _Picture:
    """Draws a `Heads`."""

    def __init__(self, heads):
        self.of, self.shown = heads, heads._shown()
        self.words = [plain(word, 12) for word in heads.words]
        self.places = self._drawn_words()
        self.row = 21 if len(self.places) <= 20 else 15
        self.cell = 27 if len(heads.heads) <= 16 else max(5, 440 // len(heads.heads))
        self.size = 12 if self.row > 16 else 10
        self.left = 12 + max(room(self.words, size=self.size, bold=True), room("query", size=11))
        self.names = self.left + LINES + 12  # of the keys
        self.strip = self.names + room(self.words, size=self.size) + 12
        self.top, self.below = 56, 56 + self.row * len(self.places) + 34
        matrix = self._in_full()
        small, columns = self._maps(WIDE - matrix.size[0] - 40)
        n_rows = -(-len(heads.heads) * len(heads.layers) // columns)
        beside = max(40 + columns * (small + 4), room(self._title(), bold=True)) + 24
        width = max(self.strip + self.cell * len(heads.heads), beside + matrix.size[0]) + 12
        height = self.below + max(matrix.size[1], 46 + n_rows * (small + 16)) + 8
        self.paper = Paper(width, height)
        self._draw_lines()
        self._draw_strip()
        self._draw_maps(small, columns)
        matrix.draw(self.paper, self.paper.width - matrix.size[0] - 12, self.below)

    def _drawn_words(self):
        """Return the places of all words, or of the chosen one and those it looks at most."""
        n = len(self.of.words)
        seen = self.of.row_weights[self.shown].max(axis=0, initial=0)
        first = np.argsort(-seen, kind="stable")[: MOST_DRAWN - 1]
        return sorted({self.of.word, *first.tolist()}) if n > MOST_DRAWN else list(range(n))

    def _middle(self, nth):
        return self.top + self.row * (nth + 0.5)

    def _draw_lines(self):
        paper, heads = self.paper, self.of
        at = self.places.index(heads.word)
        layer = f", layer {heads.layer}" if len(heads.layers) > 1 else ""
        paper.write(8, 16, f"Where “{self.words[heads.word]}” looks{layer}", bold=True)
        paper.write(self.left, 42, "query", SOFT, size=11, at="rm")
        paper.write(self.names, 42, "key", SOFT, size=11)
        for nth, place in enumerate(self.places):
            chosen = place == heads.word
            told = {"size": self.size, "color": INK if chosen else SOFT}
            paper.write(self.left, self._middle(nth), self.words[place], at="rm", bold=chosen,
                        **told)  # fmt: skip
            paper.write(self.names, self._middle(nth), self.words[place], size=self.size)
        n_shown = max(len(self.shown), 1)
        self.broad = max(3.0, (self.row - 4) / n_shown**0.5)
        for slot, h in enumerate(self.shown):
            aside = ((slot + 0.5) / n_shown - 0.5) * (self.row - 5)
            for nth, place in enumerate(self.places):
                weight = heads.row_weights[h, place]
                if weight >= LEAST_LINE:
                    ends = self._middle(at) + aside, self._middle(nth) + aside
                    self._ribbon(*ends, weight, h)

    def _ribbon(self, start, end, weight, head):
        """Draw a line from the queries to the keys, a broken one from the ninth head on."""
        broken = head >= len(HEADS) and weight >= LEAST_BROKEN
        begin, far, width = self.left + 5, self.left + LINES + 7, max(0.5, self.broad * weight)
        (band,) = bands((begin, start), (far, end), width, points=26 if broken else 15)
        above, below = band.reshape(2, -1, 2)
        pieces = [slice(k, k + 2) for k in range(0, 25, 2)] if broken else [slice(None)]
        color, alpha = _color(head), round(min(0.95, 0.08 + 2.2 * weight), 2)
        for piece in pieces:
            sides = above[piece], below[::-1][piece][::-1]
            self.paper.area(np.concatenate(sides), color, alpha=alpha)

    def _draw_strip(self):
        """Draw the weights of the chosen word in every head, in the heads' colours."""
        paper, heads, cell = self.paper, self.of, self.cell
        told = cell >= 27
        for h in heads.heads:
            color, x = _color(h), self.strip + cell * h
            edge = {"fill": color} if h in self.shown else {"edge": color}
            paper.box(x + 1, self.top - 6, cell - 2, 4, **edge)
            if told:
                bold = h == heads.head
                paper.write(x + cell / 2, 40, f"{h}", at="mm", size=12, bold=bold)
                paper.write(x + cell / 2, self._middle(len(self.places)), _short(
                    heads.entropies[h]), SOFT, size=10, at="mm")  # fmt: skip
            for nth, place in enumerate(self.places):
                weight = heads.row_weights[h, place]
                y = self.top + self.row * nth
                fill, ink = tint(color, weight)
                paper.box(x + 0.5, y + 0.5, cell - 1, self.row - 1, fill=fill)
                if told and self.row > 16:
                    middle = x + cell / 2, self._middle(nth)
                    paper.write(*middle, _short(weight), ink, size=10, at="mm")
        paper.write(self.strip, 16, "head", SOFT, size=11)
        if told:
            y = self._middle(len(self.places))
            paper.write(self.strip - 8, y, "entropy", SOFT, size=11, at="rm")

    def _title(self):
        return "All heads" if len(self.of.layers) == 1 else "All heads (a row is a layer)"

    def _maps(self, room_):
        """Return the size of a small map, and how many stand in a row."""
        n_layers, n_heads = len(self.of.layers), len(self.of.heads)
        columns = min(n_heads, 6) if n_layers == 1 else n_heads
        n_rows = -(-n_heads * n_layers // columns)
        size = min((room_ - 30) // columns - 4, 300 // n_rows - 4, 58)
        return max(SMALL, int(size)), columns

    def _draw_maps(self, size, columns):
        paper, heads = self.paper, self.of
        several = len(heads.layers) > 1
        paper.write(8, self.below + 10, self._title(), bold=True)
        left, top = (34 if several else 10), self.below + 42
        step = size + 4, size + (4 if several else 16)
        n_heads = len(heads.heads)
        maps = _small(heads._by_layer().reshape(-1, *heads.weights.shape[-2:]), size)
        for place, shares in enumerate(maps):
            row, column = divmod(place, columns)
            x, y = left + column * step[0], top + row * step[1]
            layer, head = divmod(place, n_heads)
            chosen = (layer, head) == (heads.layer, heads.head)
            paper.picture(x, y, size, size, shares)
            edge = {"edge": INK, "line": 2.5} if chosen else {"edge": FAINT}
            paper.box(x - 1.5, y - 1.5, size + 3, size + 3, **edge)
            if (not several or layer == 0) and (size >= 16 or head % 2 == 0):
                paper.write(x + size / 2, y - 8, f"{head}", SOFT, size=10, at="mm")
            if several and head == 0 and (size >= 12 or layer % 2 == 0):
                paper.write(left - 7, y + size / 2, f"{layer}", SOFT, size=10, at="rm")

    def _in_full(self):
        """Return the chosen head's matrix with numbers, or as a map where they have no room."""
        heads, n = self.of, len(self.words)
        title = heads._name(heads.head)
        title = title[0].upper() + title[1:]
        if heads.other is not None:
            title += f" minus head {heads.other}"
        if n > 14:
            return Map(heads.difference, self.words, title, heads.word,
                       two_sided=heads.other is not None)  # fmt: skip
        return Table(heads.difference, self.words, self.words, title=title, cell=27, row=21,
                     marked=heads.word, corner="query ↓ key →")  # fmt: skip


def _small(weights, size):
    """Return maps of weights as shares of ink, (n_maps, n, n), no more in a row than `size`."""
    n = weights.shape[-1]
    if n > size:  # the largest weight of those that share a pixel
        starts = np.arange(size) * n // size
        for axis in (1, 2):
            weights = np.maximum.reduceat(weights, starts, axis=axis)
    return np.sqrt(weights)


def _color(head):
    return HEADS[head % len(HEADS)]


def _short(x):
    """Write a number with two decimals, without the zero before the point."""
    return f"{x:.2f}".removeprefix("0")
