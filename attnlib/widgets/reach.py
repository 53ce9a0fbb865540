"""The news of a word, and whom it reaches in a recurrent network, a convolution and attention."""

import numpy as np

from attnlib import causal_mask, softmax, window_mask
from attnlib._inputs import refuse
from attnlib.pictures.colours import COLORS
from attnlib.pictures.paper import Paper, number, room, story_height, wrapped
from attnlib.pictures.shades import FAINT, INK, LINE, PAPER, SOFT
from attnlib.pictures.shared import shared
from attnlib.widgets._base import Widget, plain, quoted
from attnlib.widgets._traits import (
    Derived,
    DerivedNumber,
    Index,
    Integer,
    Number,
    Numbers,
    OneOf,
    Words,
    require_index,
)
from attnlib.widgets.scaling import normals

SENTENCE = "the bank that gave her a loan will close early next week"
MOST_WORDS = 20
KINDS, DECAY, SEED = shared("reach", "KINDS", "DECAY", "SEED")
MOST_DEPTH, MOST_WIDTH, MOST_BIAS = shared("reach", "MOST_DEPTH", "MOST_WIDTH", "MOST_BIAS")
(MOST_SHARP,) = shared("reach", "MOST_SHARP")
(FEW,) = shared("reach", "FEW")  # a share below it is there, and is never written as nothing
CHAINS = ("recurrent", "gated")
LOCAL = ("convolution", "windowed")  # kinds of which a layer sees only so far
BACK = ("recurrent", "gated", "causal")  # kinds that hear only what comes before
LANES = (CHAINS, ("convolution",), ("attention", "causal", "windowed"))
LEFT, LANE, GAP, ROW = 92, 190, 34, 24  # of a still, in pixels


class Reach(Widget):
    """The news of a pressed word: whom it reaches, in how many steps, and how much of it arrives.

    It travels through three networks side by side, a recurrent one, a convolution and attention;
    in each a word's output is a sum of words. The weights are those of a network that nobody has
    trained, and every number follows from them.

    Parameters
    ----------
    words : sequence of str, (n,), optional
        At most 20; "the bank that gave her a loan will close early next week" where they are left
        out.
    word : int, optional
        The pressed word, counted from 0.
    kind : {"attention", "causal", "windowed", "convolution", "recurrent", "gated"}
        Of which it is told; beside it stand two others. A recurrent network keeps half of its
        state at each word and takes the other half from the word. A gated one keeps
        ``sigmoid(gate_bias + noise)`` of it, with noise from a standard normal distribution, a
        number for each word. A convolution gives `width` words equal weights, in each of `depth`
        layers, and nothing to what lies beyond the ends. Windowed attention sees as many words in
        each of as many layers.
    width : int
        Odd, from 3 to 11: how many words a layer sees, as many on either side.
    depth : int
        Layers of a convolution or of windowed attention, from 1 to 12.
    gate_bias : float
        From 0 to 8: how far the gates stand open.
    sharpness : float
        From 0 to 16: what the scores are multiplied with before the softmax. With 0 all weights
        are even.
    scores : array_like, (n, n), optional
        What the kinds of attention score, from -100 to 100, a row for each query; where they are
        left out, numbers from a standard normal distribution, always the same.

    Attributes
    ----------
    shares : ndarray (n, n)
        In row i, the share of word i's output that comes from each word; each row sums to 1.
    steps : ndarray of int (n, n)
        After how many steps it arrives there; 0 where it does not.
    waits : int
        How many steps must wait one for another until all outputs are there.
    longest : int
        The most steps from the pressed word to any other.

    Examples
    --------
    >>> words = "the cat sat on the mat".split()
    >>> chain = Reach(words, kind="recurrent")
    >>> chain.shares[-1].round(2), chain.steps[-1]
    (array([0.02, 0.03, 0.06, 0.13, 0.25, 0.51]), array([6, 5, 4, 3, 2, 1]))
    >>> fan = Reach(words, sharpness=0)
    >>> fan.shares[-1].round(2), fan.steps[-1]
    (array([0.17, 0.17, 0.17, 0.17, 0.17, 0.17]), array([1, 1, 1, 1, 1, 1]))
    """

    words = Words(most=MOST_WORDS)
    word = Index(0, of="words")
    kind = OneOf(*KINDS)
    width = Integer(3, least=3, most=MOST_WIDTH)
    depth = Integer(1, least=1, most=MOST_DEPTH)
    gate_bias = Number(4.0, least=0, most=MOST_BIAS)
    sharpness = Number(1.0, least=0, most=MOST_SHARP)
    scores = Numbers("n_queries, n_keys", least=-100, most=100, optional=True)
    shares, steps = Derived(shares=True), Derived()
    waits, longest = DerivedNumber(), DerivedNumber()

    _movable = ("kind", "width", "depth", "gate_bias", "sharpness")

    def __init__(
        self,
        words=None,
        word=0,
        kind="attention",
        width=3,
        depth=1,
        *,
        gate_bias=4.0,
        sharpness=1.0,
        scores=None,
        goal=None,
        moments=(),
    ):
        words = SENTENCE.split() if words is None else words
        if not isinstance(words, str) and hasattr(words, "__iter__"):
            words = tuple(words)
        inputs = {"words": words, "word": word, "kind": kind, "width": width, "depth": depth}
        inputs |= {"gate_bias": gate_bias, "sharpness": sharpness, "scores": scores}
        super().__init__(**inputs, goal=goal, moments=moments)

    def _agree(self):
        n = len(self.words)
        require_index(self, "word")
        if self.width % 2 == 0:
            rule = "width must be odd, for a layer sees as far to either side"
            refuse(rule, f"{self.width} is even", width=self.width)
        if self.scores is not None and self.scores.shape != (n, n):
            rule = "scores need a row and a column for each word"
            came_in = {"scores": self.scores, "words": f"{n} words"}
            refuse(rule, f"{self.scores.shape} != {(n, n)}", **came_in)

    # The network

    def _derive(self):
        n = len(self.words)
        end_to_end = np.linalg.matrix_power(
            self._layer(), 1 if self.kind in CHAINS else self._waits(self.kind)
        )
        i, j = np.arange(n)[:, None], np.arange(n)
        taken = i - j + 1 if self.kind in CHAINS else self._waits(self.kind)
        steps = np.where(self._hears(self.kind, i, j), taken, 0)
        return {
            "shares": end_to_end / end_to_end.sum(axis=1, keepdims=True),
            "steps": steps,
            "waits": self._waits(self.kind),
            "longest": int(steps[:, self.word].max()),
        }

    def _waits(self, kind):
        """Return how many steps of a kind must wait one for another."""
        return len(self.words) if kind in CHAINS else self.depth if kind in LOCAL else 1

    def _layer(self):
        """Return how much of each word, (n, n), a layer gives to each; a recurrence is one."""
        n, half = len(self.words), self.width // 2
        if self.kind in CHAINS:
            gates = self._gates()
            left = np.tril(np.ones((n, n)))  # how much of what came in at j is left at i
            for i in range(1, n):
                left[i, :i] = left[i - 1, :i] * gates[i]
            return left * (1 - gates)
        if self.kind == "convolution":
            return window_mask(n, width=half) / self.width
        masks = {"causal": causal_mask(n), "windowed": window_mask(n, width=half)}
        mask = masks.get(self.kind, np.True_)
        return softmax(np.where(mask, self.sharpness * self._scored(), -np.inf))

    def _gates(self):
        """Return how much of the state each word lets through, (n,)."""
        if self.kind == "recurrent":
            return np.full(len(self.words), DECAY)
        return 1 / (1 + np.exp(-self.gate_bias - normals(len(self.words), SEED)))

    def _scored(self):
        n = len(self.words)
        return normals(n * n, SEED + 1).reshape(n, n) if self.scores is None else self.scores

    def _hears(self, kind, i, j):
        """Tell whether word i hears of word j at all."""
        if kind in LOCAL:
            return abs(i - j) <= self.width // 2 * self.depth
        return j <= i if kind in BACK else (i + j >= 0)

    def _measured(self):
        return {"shares": self.shares, "waits": self.waits}

    # What is said of it

    def _far(self):
        """Return the word of whom it is told: the one that is farthest."""
        n = len(self.words)
        return n - 1 if self.kind in BACK or self.word <= (n - 1) / 2 else 0

    def _ends(self):
        """Return from which word to which one it is told, each in a tuple, as of the sentence."""
        return (self._name(self.word),), (self._name(self._far()),)

    def _told(self):
        """Say after how many steps the farthest word hears of the pressed one."""
        (first, last), n = self._ends(), len(self.words)
        if not self._hears(self.kind, self._far(), self.word):
            reach = "does not reach" if self.depth == 1 else "do not reach"
            short = f": {_counted(self.depth, 'layer')} {reach} so far."
            return [last, " does not hear of ", first, short]
        if self.kind not in CHAINS:
            return [last, " hears of ", first, f" after {_counted(self.waits, 'step')}."]
        after = f" after {_counted(n - self.word, 'step')}, one after another"
        if not self.word:
            return [last, " hears of ", first, f"{after}."]
        before = f" waits for {_counted(self.word, 'step')}."
        return [last, " hears of ", first, f"{after}; before that ", first, before]

    def _amount(self):
        """Say how much of the pressed word has arrived there."""
        (first, last), share = self._ends(), self.shares[self._far(), self.word]
        if not self.steps[self._far(), self.word]:
            return ["Nothing of ", first, " arrives at ", last, "."]
        told = "less than 0.0001" if share < 0.00005 else number(share, 4)
        even = f". An even share would be {number(1 / len(self.words), 4)}."
        return [first, f" is {told} of the output of ", last, even]

    def _name(self, i):
        """Return a word, with its place where it stands twice or is empty."""
        word = self.words[i]
        once = word.strip() and self.words.count(word) == 1
        return word if once else f"{word} ({i})".strip()

    def _amounts(self):
        """Return how much of each word's output comes from the pressed one, as words."""
        column = zip(self.shares[:, self.word], self.steps[:, self.word], strict=True)
        return [_brief(share) if steps else "–" for share, steps in column]

    def _lanes(self):
        """Return the three kinds that stand side by side."""
        return [self.kind if self.kind in kinds else kinds[0] for kinds in LANES]

    def _heard(self, kind):
        """Return for each word whether it hears of the pressed one, (n,)."""
        return self._hears(kind, np.arange(len(self.words)), self.word)

    def _heading(self, kind):
        """Return what stands above a lane when all is done: its kind, steps, who has heard."""
        waits, heard = self._waits(kind), self._heard(kind).sum()
        told = f"{heard} of {_counted(len(self.words), 'word')} heard"
        return [KINDS[kind], f"step {waits} of {waits}", told]

    # The still picture

    def _draw(self):
        n = len(self.words)
        wide = LEFT + 3 * LANE + 2 * GAP + 12
        lines = wrapped(quoted(self._told()), wide - 36)
        top = story_height(lines) + 60
        paper = Paper(wide, top + ROW * n + 8)
        paper.story(lines)
        paper.box(8, top + ROW * self.word, wide - 16, ROW, fill=FAINT)
        for i, word in enumerate(self.words):
            y, ink = top + ROW * (i + 0.5), INK
            name = _cut(plain(word), LEFT - 24)
            if i == self.word:
                ink = PAPER
                paper.box(8, y - ROW / 2 + 1, LEFT - 16, ROW - 2, fill=INK)
            paper.write(LEFT - 14, y, name, ink, size=12, at="rm")
        for k, kind in enumerate(self._lanes()):
            left = LEFT + k * (LANE + GAP)
            name, *told = self._heading(kind)
            paper.write(left, top - 48, name, size=12, bold=kind == self.kind)
            for line, words in enumerate(told):
                paper.write(left, top - 31 + 15 * line, words, SOFT, size=11)
            self._draw_lane(paper, left, top, kind)
        return paper

    def _draw_lane(self, paper, left, top, kind):
        """Draw a network, how the news goes through it, and who does not hear."""
        waits = self._waits(kind)

        def place(step, i):
            return left + 5 + (LANE - 12) * step / waits, top + ROW * (i + 0.5)

        edges, reached = self._edges(kind), self._news(kind)
        for ends in edges:
            paper.line([place(*end) for end in ends], FAINT)
        for ends in edges:
            if reached >= {*ends}:
                paper.line([place(*end) for end in ends], COLORS["value"], width=2)
        if kind in CHAINS and self.word:
            ends = [place(0, self.word), place(self.word, self.word)]
            paper.line(ends, INK, width=2, dash=(3, 3))
        for end in sorted({end for ends in edges for end in ends}):
            if end not in reached:
                paper.disc(*place(*end), 2.5, fill=PAPER, edge=LINE)
            else:
                last = end[0] == waits
                paper.disc(
                    *place(*end),
                    5 if last else 4,
                    fill=COLORS["output" if last else "value"],
                    edge=INK,
                )
        for first, last in _runs(np.flatnonzero(~self._heard(kind))):
            x, low, high = left + LANE, place(0, first)[1] - 8, place(0, last)[1] + 8
            paper.line([(x - 3, low), (x + 2, low), (x + 2, high), (x - 3, high)], SOFT)
            middle, wide = (low + high) / 2, room("not heard", size=11) + 6
            paper.box(x - 14 - wide, middle - 8, wide, 16, fill=PAPER)
            paper.write(x - 17, middle, "not heard", SOFT, size=11, at="rm")

    def _edges(self, kind):
        """Return a network's edges, each from a place (step, word) to a place."""
        n = len(self.words)
        if kind in CHAINS:
            words = [((0, i), (i + 1, i)) for i in range(n)]
            return words + [((i, i - 1), (i + 1, i)) for i in range(1, n)]
        near = self.width // 2 if kind in LOCAL else n
        return [
            ((step, j), (step + 1, i))
            for step in range(self._waits(kind))
            for i in range(n)
            for j in range(max(0, i - near), min(i if kind in BACK else n - 1, i + near) + 1)
        ]

    def _news(self, kind):
        """Return the places to which the news comes."""
        reached = {(0, self.word)}
        for start, end in sorted(self._edges(kind), key=lambda ends: ends[1]):
            if start in reached:
                reached.add(end)
        return reached

    def _alt(self):
        first = self._ends()[0]
        told = []
        for kind in self._lanes():
            deaf = [plain(self._name(i)) for i in np.flatnonzero(~self._heard(kind))]
            without = f"; not heard by {', '.join(deaf)}" if deaf else ""
            name, *counts = self._heading(kind)
            told.append(f"{', '.join([name.capitalize(), *counts])}{without}.")
        news = quoted([first, ": how its news goes through three networks side by side. "])
        return f"{news}{' '.join(told)} {quoted(self._told())}"


def _runs(places):
    """Return the first and the last of each run of places that follow one another."""
    parts = np.split(places, np.flatnonzero(np.diff(places) > 1) + 1)
    return [(part[0], part[-1]) for part in parts if len(part)]


def _cut(name, width):
    """Return a name, or as much of it as there is room for."""
    while room(name, size=12) > width:
        name = f"{name[:-2]}…"
    return name


def _counted(n, what):
    return f"{n} {what}{'' if n == 1 else 's'}"


def _brief(share):
    """Write a share in a column's width."""
    return "<0.01" if share < FEW else number(share)
