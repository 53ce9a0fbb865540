"""One head's look from a word, the other heads as small maps, and what is lost without some."""

import math

import numpy as np

from attnlib._inputs import as_real, refuse, require_equal
from attnlib.pictures.paper import Paper, bands, number, room, story_height, wrapped
from attnlib.pictures.shades import FAINT, HEADS, INK, LINE, PAPER, SECOND, SOFT, tint
from attnlib.pictures.shared import shared
from attnlib.widgets._base import plain, quoted
from attnlib.widgets._packing import in_steps, packed, unpacked
from attnlib.widgets._plugin import Misfit, Plugged, answered, name_of
from attnlib.widgets._traits import Derived, Index, Numbers, Places, Synced, Words, require_index

MOST_WEIGHTS = 2_000_000  # are 5 MB of a notebook
SLACK = 1e-2  # that of attnlib.entropy: rows of float16 weights do not sum to 1 exactly
LEAST_LINE, MOST_ROWS, FEW, LISTED = shared("heads", "LEAST_LINE", "MOST_ROWS", "FEW", "LISTED")
(LONGEST,) = shared("heads", "LONGEST")  # letters of a sentence that is typed
LARGEST = 1e100  # of a value, whose square is computed
READS = "A row is a word that asks, a column a word it looks at. The stronger the colour, the more."
ENDS = "[CLS] and [SEP] mark both ends."
BRINGS = "How much of what it gets each head brings"
LEAST_BROKEN = 0.1  # a thinner line shows no gaps


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


class HeadValues(Numbers):
    """What each head hands over of each word, in steps of 1/25000 of the next power of two.

    It goes to the browser as weights do, with the largest number beside it.
    """

    def __init__(self):
        ends = {"least": -LARGEST, "most": LARGEST}
        super().__init__("n_layers, n_heads, n, d_value", optional=True, **ends)
        self.tag(to_json=lambda x, owner: _sent(x), from_json=lambda x, owner: _received(x))

    def validate(self, owner, value):
        """Return value as an array (n_heads, n, d_value), or with an axis for layers before."""
        if value is None:
            return None
        x = as_real(self.name, _readable(self.name, value))
        if x.ndim == 5 and x.shape[1] == 1:  # a batch of one, as HeadWeights has it
            x = x[:, 0]
        if not 3 <= x.ndim <= 4:
            rule = f"{self.name} must have the axes (n_heads, n, d_value), or layers before them"
            refuse(rule, f"{x.ndim} is neither 3 nor 4", **{self.name: x})
        if x.size > MOST_WEIGHTS:
            rule = f"a page holds at most {MOST_WEIGHTS} values (show some of the layers)"
            refuse(rule, f"{x.size} > {MOST_WEIGHTS}", **{self.name: x})
        x = x.astype(np.float64)  # whose ends those of shorter floats are within
        self._refuse_outside(x)
        x = _received(_sent(x))
        x.flags.writeable = False
        return x


def _sent(x):
    """Return values as JSON has them: from -most to most, as numbers from 0 to 1.

    That is the next power of two: processors differ in the last digits of the largest value.
    """
    if x is None:
        return None
    most = math.ldexp(1.0, math.frexp(np.abs(x).max(initial=0))[1])
    return packed((x / most + 1) / 2) | {"most": most}


def _received(record):
    return None if record is None else (2 * unpacked(record) - 1) * record["most"]


class Sentence(Synced):
    """What an encoder is asked about, a str; None where there is no encoder."""

    default_value = None

    def validate(self, owner, value):
        """Return value, if it is a sentence and somebody reads it."""
        if self.name not in owner._inputs:
            if value is None:
                return None
            refuse("a sentence needs an encoder", "there is none", sentence=repr(value))
        if not isinstance(value, str):
            clash = f"{type(value).__name__} is not str"
            refuse("a sentence must be a string", clash, TypeError, sentence=repr(value))
        return str(value)


class Heads(Plugged):
    """Where one head looks from a word, all heads in small, and what is lost without some of them.

    Parameters
    ----------
    weights : array_like, (n_heads, n, n) or (n_layers, n_heads, n, n)
        Rows are queries, columns are keys; each row sums to 1, or is all 0 where a query sees
        nothing. Two million of them at most, kept in steps of 1/50000. PyTorch's tensors are
        welcome, and so are those of a model of transformers, (1, n_heads, n, n) for each layer.
    words : sequence of str, (n,)
    values : array_like, (n_heads, n, d_value) or (n_layers, n_heads, n, d_value), optional
        What each head hands over of each word. With them the widget shows how much each head
        brings; weights alone do not tell that.
    sentence : str, optional
        In place of weights and words: a sentence of at most 400 letters, which the encoder reads.
        It stands in a field, and whoever types another one sees that.
    encoder : callable, optional
        The reader's own ``encoder(sentence) -> weights, words``, or ``weights, words, values``, all
        as above. Python asks it once a hand that types has rested. What goes wrong in it is told in
        the widget, which then goes on to show the sentence before; when the widget is made there is
        none, and it is raised. Where no kernel runs, nothing can be typed.
    layer : int
    head : int or None
        The head that is looked at, or None for all of them, each with its largest weight.
    word : int, optional
        The query. Where it is left out, the one about which the heads disagree most.
    off : sequence of int
        The heads that are turned off: their part of the merged output is zeros.

    Attributes
    ----------
    row_weights : ndarray (n_heads, n)
        Where each head of the layer looks from the word.
    disagreements : ndarray (n,)
        How much of each word's weight lies elsewhere in one head than in another: half the sum of
        absolute differences, the mean of all pairs of heads.
    seen : ndarray (n,)
        The largest weight that the word gives each key in a head that is on.
    shares : ndarray (n_heads, n) or None
        How much of each word's merged output each head brings: a share of its squared length.
        Heads lie side by side there, so that shares sum to 1. None without values.
    lost : ndarray (n,) or None
        The share of each word's merged output that the heads bring that are off.

    Examples
    --------
    >>> weights = [[[1, 0], [0.5, 0.5]], [[0, 1], [0, 1]]]
    >>> heads = Heads(weights, ["a", "saw"], [[[3], [3]], [[1], [1]]], off=[1])
    >>> heads.word, heads.disagreements
    (0, array([1. , 0.5]))
    >>> heads.seen, heads.lost
    (array([1., 0.]), array([0.1, 0.1]))

    >>> def alike(sentence):  # two heads of a model that looks everywhere
    ...     words = sentence.split()
    ...     return np.full((2, len(words), len(words)), 1 / len(words)), words
    >>> heads = Heads(sentence="I saw a saw", encoder=alike)
    >>> heads.sentence = "the kitten saw"
    >>> heads.words
    ('the', 'kitten', 'saw')
    """

    weights = HeadWeights()
    words = Words(most=np.inf)
    values = HeadValues()
    sentence = Sentence()
    layer = Index(0, of="layers")
    head = Index(0, of="heads", allow_none=True)
    word = Index(0, of="words")
    off = Places((), of="heads")
    row_weights, disagreements, seen, shares, lost = (Derived() for _ in range(5))
    _movable = ("off",)
    _to_function = ("sentence",)
    _heard, _wrong = None, None  # the sentence that was read last, and what was wrong then

    def __init__(
        self,
        weights=None,
        words=None,
        values=None,
        *,
        sentence=None,
        encoder=None,
        layer=0,
        head=0,
        word=None,
        off=(),
        goal=None,
        moments=(),
    ):
        inputs = {"layer": layer, "head": head, "off": off, "word": 0 if word is None else word}
        if encoder is None and sentence is None and words is not None:
            inputs |= {"weights": weights, "words": words, "values": values}
        else:
            _require_both(sentence, encoder, weights, words, values)
            inputs |= {"sentence": sentence} | _first(encoder, sentence)
            self._heard = sentence
        super().__init__(encoder, **inputs)
        if word is None:
            self.word = int(self.disagreements.argmax())
        self._lead(goal, moments)

    # A sentence is read

    def _changed(self, change=None):
        if self._function and not self._holding and self.sentence != self._heard:
            self._read()
        super()._changed(change)

    def _read(self):
        """Let the encoder read the sentence; if that fails, what was shown before stays."""
        self._heard, self._wrong = self.sentence, None
        try:
            state = _encoded(self._function, self.sentence)
            state["word"] = min(self.word, len(state["words"]) - 1)  # it may be a shorter one
            self._twin(state)
        except Misfit as misfit:
            self._wrong = f"{misfit}"
        except (TypeError, ValueError) as error:
            self._wrong = f" returns what cannot be shown: {error}"
        else:
            self.set(**state)

    def _ask(self, function):
        if self._wrong:
            raise Misfit(self._wrong)
        n_words = len(self.words)
        return {}, f"{name_of(function)} made {n_words} piece{'s' * (n_words > 1)} of it."

    def _moment(self, nth, title, state):
        if "sentence" in state:
            rule = "a moment must leave the sentence as it is"
            refuse(rule, "a page could not read another", **{f"moments[{nth}]": repr(title)})
        return super()._moment(nth, title, state)

    @property
    def layers(self):
        """The places of the layers."""
        return range(len(self._by_layer(self.weights)))

    @property
    def heads(self):
        """The places of the heads of a layer."""
        return range(self.weights.shape[-3])

    def _by_layer(self, x):
        return x if x.ndim == 4 else x[None]

    def _on(self):
        return [h for h in self.heads if h not in self.off]

    def _agree(self):
        n_words = len(self.words)
        for axis, what in ((-2, "row"), (-1, "column")):
            rule = f"each word needs one {what} of weights in every head"
            came_in = {"weights": self.weights, "words": f"{n_words} words"}
            require_equal(rule, self.weights.shape[axis], n_words, **came_in)
        if self.values is not None:
            rule = "each word needs one row of values in every head"
            sizes = self.values.shape[:-1], self.weights.shape[:-1]
            require_equal(rule, *sizes, values=self.values, weights=self.weights)
        for name in ("layer", "head", "word", "off"):
            if name != "head" or self.head is not None:
                require_index(self, name)

    def _derive(self):
        weights, shares = self._by_layer(self.weights)[self.layer], None
        if self.values is not None:
            brought = weights @ self._by_layer(self.values)[self.layer]  # (n_heads, n, d_value)
            squares = (brought**2).sum(axis=-1)
            shares = squares / np.maximum(squares.sum(axis=0), np.finfo(float).tiny)
        return {
            "row_weights": weights[:, self.word],
            "disagreements": _disagreements(weights),
            "seen": weights[self._on(), self.word].max(axis=0, initial=0),
            "shares": shares,
            "lost": None if shares is None else shares[list(self.off)].sum(axis=0),
        }

    def _measured(self):
        """Return what a goal can ask about."""
        return {"seen": self.seen, "lost": self.lost, "n_off": len(self.off)}

    def _can_be(self, name, place):
        return 0, len(self.row_weights) if name == "n_off" else 1

    # What is said of it

    def _told_key(self):
        """Return the key that the story is about, or None if nobody looks anywhere."""
        if self.head is not None:
            row = self.row_weights[self.head]
            return int(row.argmax()) if row.any() else None
        counts = self._counts()
        return int(counts.argmax()) if counts.any() else None

    def _counts(self):
        """Return how many of the heads that are on look most at each key, (n,)."""
        rows = self.row_weights[self._on()]
        return np.bincount(rows.argmax(axis=1)[rows.any(axis=1)], minlength=len(self.words))

    def _story(self):
        """Say where the word looks; a word of the sentence stands in a tuple."""
        word, key = (self.words[self.word],), self._told_key()
        if self.head is None:
            if key is None:
                return ["No head that is on looks anywhere from ", word, "."]
            n_on = len(self._on())
            of = "heads" if n_on == len(self.heads) else "heads that are on"
            count = self._counts()[key]
            if count == 1 and n_on > 1:
                return ["From ", word, f", each of the {n_on} {of} looks most at another word."]
            looks = "looks" if count == 1 else "look"
            return [f"{count} of {n_on} {of} {looks} from ", word, " most at ",
                    (self.words[key],), "."]  # fmt: skip
        name = self._name(self.head) + (" (off)" if self.head in self.off else "")
        if key is None:
            return [f"In {name}, ", word, " looks at nothing."]
        weight = number(self.row_weights[self.head, key])
        return [f"In {name}, ", word, " gives ", (self.words[key],), f" {weight} of its attention."]

    def _missed(self):
        """Return the key for which most weight is missed without the heads that are off, or None.

        That is the one whose largest weight falls most.
        """
        falls = self.row_weights.max(axis=0) - self.seen
        return int(falls.argmax()) if self._on() and falls.max() >= FEW else None

    def _loss(self):
        """Say what the merged output of the word loses; a word stands in a tuple."""
        word, n_off, n_heads = (self.words[self.word],), len(self.off), len(self.heads)
        if not n_off:
            return ["All heads are on. Turn one off: what does ", word, " lose?"]
        if n_off == n_heads:
            return ["Without any head, the merged output of ", word, " is all zeros."]
        without = f"Without {_listed(self.off)}, "
        if self.lost is None:
            are = "is" if n_off == 1 else "are"
            said = [f"{without}{n_off} of {n_heads} parts of the merged output {are} all zeros."]
        else:
            lost = number(self.lost[self.word])
            said = [without, word, f" loses {lost} of what all heads bring it."]
        missed = self._missed()
        if missed is None:
            return said
        left = number(self.seen[missed])
        return [*said, " No other head gives ", (self.words[missed],), f" more than {left}."]

    def _told(self):
        """Return what is said large, and what small: of all heads, some of them off, the loss."""
        told = self._story(), self._loss()
        return told[::-1] if self.head is None and self.off else told

    def _reads(self):
        """Say how a small map is read, and what the marks are that a real model adds."""
        return f"{READS} {ENDS}" if self.words[:1] == ("[CLS]",) else READS

    def _name(self, head):
        """Name a head, and its layer if there are several."""
        return f"head {head}" if len(self.layers) == 1 else f"layer {self.layer}, head {head}"

    def _draw(self):
        return _Picture(self).paper

    def _alt(self):
        n_layers, n_heads = len(self.layers), len(self.heads)
        word = self.words[self.word]
        looks = ", ".join(
            f"head {h} {_largest(row, self.words)}" for h, row in enumerate(self.row_weights)
        )
        of = f"{n_layers} layers of " if n_layers > 1 else ""
        large, small = map(quoted, self._told())
        alt = (
            f"{large} Beside it, {of}{n_heads} heads as small maps of weights, "
            f"rows are queries, columns are keys. Where {word} looks most: {looks}."
        )
        if not self.off:  # what each head brings is folded then
            return alt
        alt = f"{alt} {small}"
        if self.shares is None:
            return alt
        shares = ", ".join(f"head {h} {x:.2f}" for h, x in enumerate(self.shares[:, self.word]))
        return f"{alt} Shares of its merged output: {shares}."


def _require_both(sentence, encoder, *shown):
    """Raise TypeError unless a sentence and its encoder come, and nothing that it would make."""
    rule = "Heads takes weights and words, or a sentence and its encoder"
    came = {"sentence": repr(sentence), "encoder": repr(encoder)}
    if sentence is None or encoder is None:
        refuse(rule, "one of them is missing", TypeError, **came)
    if any(x is not None for x in shown):
        refuse(rule, "weights, words or values came in as well", TypeError, **came)


def _first(encoder, sentence):
    """Return what the encoder makes of the first sentence; its own error is the cause of ours."""
    if not (callable(encoder) and isinstance(sentence, str)):
        return {}  # which is refused, with all else
    try:
        return _encoded(encoder, sentence)
    except Misfit as misfit:
        raise ValueError(f"{name_of(encoder)}{misfit}") from misfit.__cause__


def _encoded(encoder, sentence):
    """Return what the encoder makes of a sentence as inputs by name; Misfit if it is none."""
    n = len(sentence.strip())
    if not 1 <= n <= LONGEST:
        raise Misfit(f" reads a sentence of 1 to {LONGEST} letters, and this one has {n}.")
    answer = answered(encoder, sentence)
    if not isinstance(answer, tuple) or not 2 <= len(answer) <= 3:
        came = f"{len(answer)} of them" if isinstance(answer, tuple) else type(answer).__name__
        raise Misfit(f" must return weights, words, and values if it has them: {came} came back.")
    return dict(zip(("weights", "words", "values"), (*answer, None), strict=False))


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


def _listed(heads):
    """Name a few heads, or count them."""
    if len(heads) > LISTED:
        return f"these {len(heads)} heads"
    if len(heads) == 1:
        return f"head {heads[0]}"
    return f"heads {', '.join(map(str, heads[:-1]))} and {heads[-1]}"


def _largest(row, words):
    """Name the key of the largest weight, and the weight."""
    return f"{words[row.argmax()]} {row.max():.2f}" if row.any() else "nothing"


# The still picture: ribbons and small maps side by side, and what each head brings below them

WIDE, LOOK = 864, 470  # of the whole; of the ribbons with their words
ROW, FULL, BAR = 24, 20, 52  # of a key; of a ribbon of weight 1; the highest bar
SMALL = 10  # the least of a map
LEAST_FRAME = 3  # the least height of a row that is framed


class _Picture:
    """Draws a `Heads`."""

    def __init__(self, heads):
        self.of = heads
        self.words = [plain(word, 12) for word in heads.words]
        self.rows = self._drawn_rows()
        large, small = map(quoted, heads._told())
        story, loss = wrapped(large, WIDE - 36), wrapped(small, WIDE - 16)
        self.reads = wrapped(heads._reads(), WIDE - LOOK - 12, size=11)
        self.top = story_height(story) + 16
        self.beyond = len(self.words) - len(self.rows)  # are not drawn
        small, columns = self._maps()
        n_rows = -(-len(heads.heads) * len(heads.layers) // columns)
        high = ROW * (len(self.rows) + (self.beyond > 0))
        self.below = self.top + max(high, 44 + n_rows * (small + 16) + 15 * len(self.reads)) + 14
        bars = 0 if heads.shares is None else BAR + 22
        parts = bars + 60 + 20 * len(loss) if heads.off else 0  # folded while all are on
        self.paper = Paper(WIDE, self.below + parts)
        self.paper.story(story)
        self._draw_look()
        self._draw_maps(small, columns)
        if heads.off:
            self._draw_parts(self.below + 22 + bars)
            for k, line in enumerate(loss):
                self.paper.write(8, self.below + bars + 62 + 20 * k, line)

    def _drawn_rows(self):
        """Return the places of all keys, or of the five that count most where they are many."""
        heads, n = self.of, len(self.words)
        if n <= MOST_ROWS:
            return list(range(n))
        counts = heads._counts() if heads.head is None else heads.row_weights[heads.head]
        told = [key for key in (heads._told_key(), heads._missed()) if key is not None]
        by_size = [k for k in np.argsort(-counts, kind="stable").tolist() if k not in told]
        return sorted([*dict.fromkeys(told), *by_size][:5])

    def _middle(self, nth):
        return self.top + ROW * (nth + 0.5)

    def _draw_look(self):
        """Draw the word, its ribbons, and the keys."""
        heads, paper = self.of, self.paper
        start = 14 + room(self.words[heads.word], bold=True)
        names = [self.words[key] for key in self.rows]
        beside = 44 if heads.head is not None else 120  # a number; the heads
        self.left, self.right = start + 6, LOOK - max(room(names, bold=True), 70) - beside
        nth = self.rows.index(heads.word) if heads.word in self.rows else len(self.rows) / 2 - 0.5
        paper.write(start, self._middle(nth), self.words[heads.word], at="rm", bold=True)
        told = heads._told_key()
        for nth_key, key in enumerate(self.rows):
            y = self._middle(nth_key)
            paper.write(self.right + 8, y, self.words[key], bold=key == told)
        if self.beyond:
            paper.write(self.right + 8, self._middle(len(self.rows)),
                        f"{self.beyond} others", SOFT)  # fmt: skip
        ends = self._one(nth) if heads.head is not None else self._all(nth)
        for ribbon in ends:
            self._ribbon(*ribbon)

    def _one(self, nth):
        """Return the ribbons of one head: both ends' heights, the weight, the head."""
        row, y = self.of.row_weights[self.of.head], self._middle(nth)
        drawn = [(self._middle(k), row[key]) for k, key in enumerate(self.rows)]
        told = self.of._told_key()
        if told is not None:
            end = self.right + 16 + room(self.words[told], bold=True)
            self.paper.write(end, self._middle(self.rows.index(told)), number(row[told]))
        return [(y, end, weight, self.of.head) for end, weight in drawn if weight >= LEAST_LINE]

    def _all(self, nth):
        """Return a ribbon for each head that is on, to where it looks most; name it there."""
        heads, ribbons, beside = self.of, [], {}
        on = [h for h in heads._on() if heads.row_weights[h].any()]
        for slot, h in enumerate(on):
            row = heads.row_weights[h]
            key = int(row.argmax())
            k = self.rows.index(key) if key in self.rows else len(self.rows)
            beside.setdefault(k, []).append(h)
            y = self._middle(nth) + ((slot + 0.5) / len(on) - 0.5) * (ROW - 4)
            ribbons.append((y, self._middle(k), row[key] / 3, h))
        for k, named in beside.items():
            name = self.words[self.rows[k]] if k < len(self.rows) else f"{self.beyond} others"
            told = wrapped(", ".join(map(str, named)), 90, size=11)
            x = self.right + 16 + room(name, bold=True)
            self.paper.write(x, self._middle(k), told[0] + (" …" if told[1:] else ""),
                             SOFT, size=11)  # fmt: skip
        return ribbons

    def _ribbon(self, start, end, weight, head):
        """Draw a line from the word to a key; among all heads, a broken one from the ninth on."""
        broken = head >= len(HEADS) and weight >= LEAST_BROKEN and self.of.head is None
        width = max(0.7, FULL * weight)
        ends = (self.left, start), (self.right, end)
        (band,) = bands(*ends, width, points=26 if broken else 15)
        above, below = band.reshape(2, -1, 2)
        pieces = [slice(k, k + 2) for k in range(0, 25, 2)] if broken else [slice(None)]
        color = LINE if head in self.of.off else _color(head)
        for piece in pieces:
            sides = above[piece], below[::-1][piece][::-1]
            self.paper.area(np.concatenate(sides), color, alpha=0.85)

    def _maps(self):
        """Return the size of a small map, and how many stand in a row."""
        n_layers, n_heads = len(self.of.layers), len(self.of.heads)
        columns = min(n_heads, 4 if n_heads <= 12 else 8) if n_layers == 1 else n_heads
        n_rows = -(-n_heads * n_layers // columns)
        size = min((WIDE - LOOK - 44) // columns - 4, 300 // n_rows - 16, 72)
        return max(SMALL, int(size)), columns

    def _draw_maps(self, size, columns):
        paper, heads = self.paper, self.of
        several = len(heads.layers) > 1
        all_heads = f"All {len(heads.heads)} heads: where “{self.words[heads.word]}” looks most"
        told = "All heads (a row is a layer)" if several else all_heads
        told = "All heads" if room(told, bold=True) > WIDE - LOOK - 8 else told
        paper.write(LOOK, self.top + 6, told, bold=True)
        left, top = LOOK + (26 if several else 2), self.top + 34
        step = size + 4, size + (4 if several else 16)
        n_heads = len(heads.heads)
        for k, line in enumerate(self.reads):
            paper.write(LOOK, self.below - 6 + 15 * (k - len(self.reads)), line, SOFT, size=11)
        maps = _small(heads._by_layer(heads.weights).reshape(-1, *heads.weights.shape[-2:]), size)
        for place, shares in enumerate(maps):
            row, column = divmod(place, columns)
            x, y = left + column * step[0], top + row * step[1]
            layer, head = divmod(place, n_heads)
            chosen = layer == heads.layer and head == heads.head
            if layer == heads.layer and head in heads.off:
                paper.hatch(x, y, size, size)
            else:
                paper.picture(x, y, size, size, shares)
            edge = {"edge": INK, "line": 2.5} if chosen else {"edge": FAINT}
            paper.box(x - 1.5, y - 1.5, size + 3, size + 3, **edge)
            if (thick := size / len(self.words)) >= LEAST_FRAME:
                paper.box(x - 2, y + thick * heads.word - 1, size + 4, thick + 2, edge=SECOND)
            if (not several or layer == 0) and (size >= 16 or head % 2 == 0):
                self._name_map(head, x + size / 2, y - 8, size, bold=chosen)
            if several and head == 0 and (size >= 12 or layer % 2 == 0):
                paper.write(left - 7, y + size / 2, f"{layer}", SOFT, size=10, at="rm")

    def _name_map(self, head, x, y, size, *, bold):
        """Write a head's number above its map, and where it looks most, if there is one layer."""
        row, named = self.of.row_weights[head], f"{head}"
        if len(self.of.layers) == 1 and row.any():
            longer = f"{head} {self.words[row.argmax()]}"
            named = longer if room(longer, size=10, bold=bold) <= size + 2 else named
        self.paper.write(x, y, named, INK if bold else SOFT, size=10, at="mm", bold=bold)

    def _draw_parts(self, floor):
        """Draw what each head brings as a bar above its number, or its number alone."""
        paper, heads = self.paper, self.of
        of = "The heads that look from" if heads.shares is None else BRINGS
        paper.write(8, self.below + 6, f"{of} “{self.words[heads.word]}”", bold=True)
        cell = min(56.0, (WIDE - 20) / len(heads.heads))
        most = 1.0 if heads.shares is None else max(heads.shares[:, heads.word].max(), 1e-300)
        for h in heads.heads:
            x, on = 10 + cell * h, h not in heads.off
            color = _color(h) if heads.head in (None, h) else LINE
            fill, ink = tint(color, 0.2 if color == LINE else 1) if on else (PAPER, SOFT)
            if heads.shares is not None:
                high = max(BAR * heads.shares[h, heads.word] / most, 1.5)
                sides = {"fill": color} if on else {"edge": LINE}
                paper.box(x + 2, floor - high, cell - 4, high, **sides)
                if cell >= 24:
                    share = number(heads.shares[h, heads.word])
                    paper.write(x + cell / 2, floor - high - 7, share, size=10, at="mm")
            paper.box(x + 2, floor + 4, cell - 4, 20, fill=fill, edge=color)
            if cell >= 20:
                bold = h == heads.head
                paper.write(x + cell / 2, floor + 14, f"{h}", ink, size=12, at="mm", bold=bold)


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
