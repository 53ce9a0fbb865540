"""A word to pick, and who reaches it in a recurrent network, a convolution or attention."""

import numpy as np

from attnlib import causal_mask, softmax, window_mask
from attnlib._inputs import refuse
from attnlib.pictures.colours import COLORS
from attnlib.pictures.paper import Paper, bands, number, room, story_height, wrapped
from attnlib.pictures.shades import FAINT, INK, LINE, PAPER, SOFT
from attnlib.pictures.shared import shared
from attnlib.widgets._base import Widget, plain, quoted
from attnlib.widgets._network import flows_from, flows_to, layered, recurrent, widest_path
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
# In pixels: all steps together, a bar and a line that are all of an output. A share below FEW is
# there, and is drawn as a broken line.
HEIGHT, BAR, FULL, FEW = shared("reach", "HEIGHT", "BAR", "FULL", "FEW")
LOCAL = ("convolution", "windowed")  # kinds of which a layer sees only so far
BACK = ("recurrent", "gated", "causal")  # kinds that hear only what comes before
LEFT = 58  # of a still's first word


class Reach(Widget):
    """A sentence and a picked word: who reaches it, in how many steps, and how strongly.

    Every kind of network is drawn as what it is: a sum of words, step above step. Its weights are
    those of a network that nobody has trained, and every number follows from them.

    Parameters
    ----------
    words : sequence of str, (n,), optional
        At most 20; "the bank that gave her a loan will close early next week" where they are left
        out.
    word : int, optional
        The picked word, counted from 0; the last one where it is left out.
    kind : {"attention", "causal", "windowed", "convolution", "recurrent", "gated"}
        A recurrent network keeps half of its state at each word and takes the other half from the
        word. A gated one keeps ``sigmoid(gate_bias + noise)`` of it, with noise from a standard
        normal distribution, a number for each word. A convolution gives `width` words equal
        weights, in each of `depth` layers, and nothing to what lies beyond the ends. Windowed
        attention sees as many words in each of as many layers.
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
    way : {"in", "out"}
        Who reaches the word, or whom it reaches.

    Attributes
    ----------
    shares : ndarray (n, n)
        In row i, the share of word i's output that comes from each word; each row sums to 1.
    steps : ndarray of int (n, n)
        After how many steps it arrives there; 0 where it does not.
    waits : int
        How many steps must wait one for another until all outputs are there.
    longest : int
        The most steps from any word to the picked one, or back where `way` is "out".

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
    way = OneOf("in", "out")
    shares, steps = Derived(shares=True), Derived()
    waits, longest = DerivedNumber(), DerivedNumber()

    _movable = ("kind", "width", "depth", "gate_bias", "sharpness")

    def __init__(
        self,
        words=None,
        word=None,
        kind="attention",
        width=3,
        depth=1,
        *,
        gate_bias=4.0,
        sharpness=1.0,
        scores=None,
        way="in",
        goal=None,
        moments=(),
    ):
        words = SENTENCE.split() if words is None else words
        if not isinstance(words, str) and hasattr(words, "__iter__"):
            words = tuple(words)
        last = len(words) - 1 if isinstance(words, tuple) and words else 0
        inputs = {"words": words, "word": last if word is None else word, "way": way}
        inputs |= {"kind": kind, "width": width, "depth": depth, "gate_bias": gate_bias}
        inputs |= {"sharpness": sharpness, "scores": scores}
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
        end_to_end = np.linalg.matrix_power(self._layer(), self._depth())
        i, j = np.arange(n)[:, None], np.arange(n)
        steps = np.where(self._reaches(i, j), self._steps(i, j), 0)
        return {
            "shares": end_to_end / end_to_end.sum(axis=1, keepdims=True),
            "steps": steps,
            "waits": n if self._recurrent() else self._depth(),
            "longest": int((steps if self.way == "in" else steps.T)[self.word].max()),
        }

    def _recurrent(self):
        return self.kind in ("recurrent", "gated")

    def _depth(self):
        return self.depth if self.kind in LOCAL else 1

    def _layer(self):
        """Return how much of each word, (n, n), a layer gives to each; a recurrence is one."""
        n, half = len(self.words), self.width // 2
        if self._recurrent():
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

    def _reaches(self, i, j):
        """Tell whether word j reaches the output of word i."""
        if self.kind in LOCAL:
            return abs(i - j) <= self.width // 2 * self._depth()
        return j <= i if self.kind in BACK else (i + j >= 0)

    def _steps(self, i, j):
        return i - j + 1 if self._recurrent() else self._depth() + 0 * (i + j)

    def _measured(self):
        return {"shares": self.shares, "waits": self.waits}

    def _network(self):
        if self._recurrent():
            return recurrent(self._gates())
        return layered(self._layer(), self._depth())

    def _flows(self, near=None):
        """Return the network, what flows along each edge, and what of it is told."""
        network, n = self._network(), len(self.words)
        start, end = self._ends(near)
        told = flows_to(network, network.nodes - n + end, start)
        if self.way == "in":
            return network, flows_to(network, network.nodes - n + end), told
        return network, flows_from(network, start), told

    # What is said of it

    def _near(self):
        """Return the word at the other end of what is told: the one that is farthest."""
        n = len(self.words)
        if self.kind in BACK:
            return 0 if self.way == "in" else n - 1
        return 0 if self.word > (n - 1) / 2 else n - 1

    def _ends(self, near=None):
        """Return from which word to which one it is told."""
        near = self._near() if near is None else near
        return (near, self.word) if self.way == "in" else (self.word, near)

    def _told(self, near=None):
        """Say how one word reaches the other; a word of the sentence stands in a tuple."""
        start, end = self._ends(near)
        first, last, n = (self._name(start),), (self._name(end),), len(self.words)
        if not self._reaches(end, start):
            if self.kind in BACK:
                return [last, " does not hear of ", first, ", which comes later."]
            reach = "does not reach" if self.depth == 1 else "do not reach"
            short = f": {_counted(self.depth, 'layer')} {reach} so far."
            return [last, " does not hear of ", first, short]
        share, even = self.shares[end, start], number(1 / n, 4)
        steps = _counted(int(self.steps[end, start]), "step")
        output = f" is {_amount(share)} of its output. An even share would be {even}."
        return [last, " hears of ", first, f" after {steps}: ", first, output]

    def _name(self, i):
        """Return a word, with its place where it stands twice or is empty."""
        word = self.words[i]
        once = word.strip() and self.words.count(word) == 1
        return word if once else f"{word} ({i})".strip()

    def _needed(self, distance):
        """Return how many layers bring a word so far."""
        return max(1, int(np.ceil(abs(distance) / (self.width // 2))))

    def _facts(self):
        """Return the named numbers beside the picture."""
        n = len(self.words)
        reached = int(
            (self.steps if self.way == "in" else self.steps.T)[self.word].astype(bool).sum()
        )
        facts = {
            "is reached by"
            if self.way == "in"
            else "reaches": f"{reached} of {_counted(n, 'word')}",
            "longest path": _counted(self.longest, "step"),
            "one after another": _counted(self.waits, "step"),
        }
        if self._recurrent():
            ends = sorted({number(gate, 3) for gate in self._gates()})
            facts["the state keeps"] = " to ".join(dict.fromkeys([ends[0], ends[-1]]))
        if self.kind in LOCAL:
            # How many are missing is for the reader to find.
            short = (needed := self._needed(n - 1)) > self.depth
            layers = _counted(self.depth if short else needed, "layer")
            facts["from end to end"] = f"more than {layers}" if short else layers
        return facts

    def _parts(self):
        """Return what stands below each word: the shares, and the steps."""
        if self.way == "in":
            return self.shares[self.word], self.steps[self.word]
        return self.shares[:, self.word], self.steps[:, self.word]

    def _numbers(self):
        """Return what stands above and below the floor of each bar, as words."""
        rows = zip(*self._parts(), strict=True)
        return [(_brief(share), f"{steps}") if steps else ("", "–") for share, steps in rows]

    # The still picture

    def _draw(self):
        n = len(self.words)
        wide = max(LEFT + _column(n) * n + 16, 640)
        lines = wrapped(quoted(self._told()), wide - 36)
        top = story_height(lines) + 56
        paper = Paper(wide, top + HEIGHT + BAR + 102)
        paper.story(lines)
        paper.write(8, top - 44, self._kind(), SOFT, size=12)
        for k in range(1, self.waits + 1):
            y = top + HEIGHT * (1 - k / self.waits)
            paper.write(LEFT - 14, y, f"step {k}" if k == 1 else f"{k}", SOFT, size=11, at="rm")
        self._draw_network(paper, top)
        self._draw_words(paper, top + HEIGHT)
        return paper

    def _draw_network(self, paper, top):
        n, (network, flows, told) = len(self.words), self._flows()
        node = np.arange(network.nodes)
        level = np.where(node < n, 0, node - n + 1) if self._recurrent() else node // n
        across = LEFT + _column(n) * (node % n + 0.5)
        middles = np.stack([across, top + HEIGHT * (1 - level / self.waits)], axis=1)
        for a, b in network.edges:
            paper.line([middles[a], middles[b]], FAINT)
        start, to = network.edges.T
        starts, ends = middles[start], middles[to]
        if not self._recurrent():
            ends = ends + _beside(to, start, flows, across)
            if self.way == "in":
                starts = starts + _beside(start, to, flows, across)
        near, end = self._ends()
        faint = self.shares[end, near] < FEW
        path = widest_path(network, told, network.nodes - n + end)
        for k in np.flatnonzero(flows):
            self._draw_flow(paper, starts[k], ends[k], max(FULL * flows[k], 0.8), COLORS["value"])
        for k in path:
            dash = (3, 3) if faint else None
            self._draw_flow(paper, starts[k], ends[k], max(FULL * told[k], 1.6), INK, dash)
        for place, (x, y) in enumerate(middles):
            output = place - network.nodes + n
            if output < 0:
                paper.disc(x, y, 3, fill=SOFT)
            else:
                paper.disc(x, y, 8 if output == end else 4, fill=COLORS["output"], edge=INK)
        x, y = middles[end - n]
        at = "ls" if end < n / 3 else "rs" if end >= n - n / 3 else "ms"
        said = f"output of {plain(self._name(end))}{': all it has heard' * (n > 5)}"
        paper.write(x + {"l": -8, "r": 8, "m": 0}[at[0]], y - 14, said, at=at, bold=True)

    def _draw_flow(self, paper, start, end, wide, color, dash=None):
        """Draw a straight line in a chain, and in layers a band that leaves and arrives upright."""
        if self._recurrent() or dash:
            paper.line([start, end], color, width=wide, dash=dash)
        else:
            (band,) = bands(start[::-1], end[::-1], wide)  # they lead from left to right
            paper.area(band[:, ::-1], color)

    def _draw_words(self, paper, y):
        """Draw the words, and below them their shares as bars, and their steps."""
        n, column = len(self.words), _column(len(self.words))
        floor = y + BAR + 62
        paper.write(LEFT, y + 42, f"{self._bars_are()} (dashed: an even share)", SOFT, size=12)
        even = floor - BAR / n
        paper.line([(LEFT, floor), (LEFT + column * n, floor)], LINE)
        paper.line([(LEFT, even), (LEFT + column * n, even)], SOFT, dash=(4, 3))
        paper.write(LEFT - 6, even, f"1/{n}", SOFT, size=11, at="rm")
        paper.write(LEFT - 6, floor + 13, "steps", SOFT, size=11, at="rm")
        parts = zip(self.words, self._parts()[0], self._numbers(), strict=True)
        for j, (word, share, (told, steps)) in enumerate(parts):
            x = LEFT + column * (j + 0.5)
            ink, name = INK, _cut(plain(word), column - 6)
            if j == self.word:
                ink = PAPER
                paper.box(x - column / 2 + 1, y + 9, column - 2, 22, fill=INK)
            paper.write(x, y + 20, name, ink, at="mm", size=12)
            if told:
                high = BAR * share
                paper.box(x - column / 4, floor - high, column / 2, high, fill=COLORS["value"])
                wide = room(told, size=11) + 4
                paper.box(x - wide / 2, floor - high - 13, wide, 11, fill=PAPER)
                paper.write(x, floor - high - 8, told, size=11, at="mm")
            elif j == self._near() and column > 60:
                paper.write(x, floor - BAR / 2, "not heard", SOFT, size=11, at="mm")
            paper.write(x, floor + 13, steps, size=11, at="mm")

    def _alt(self):
        parts = enumerate(zip(*self._parts(), strict=True))
        told = ", ".join(
            f"{plain(self._name(j))} {_brief(share) if steps else 'none'}"
            for j, (share, steps) in parts
        )
        facts = "; ".join(f"{name} {fact}" for name, fact in self._facts().items())
        kind, word = self._kind().capitalize(), plain(self._name(self.word))
        return (
            f"{kind} over a sentence, drawn step above step: {self._bars_are()}: {told}. The word "
            f"“{word}” {facts}. {quoted(self._told())}"
        )

    def _kind(self):
        """Name the kind, with the numbers that it goes by."""
        told = [KINDS[self.kind]]
        if self.kind == "gated":
            told.append(f"gate bias {number(self.gate_bias)}")
        if self.kind in LOCAL:
            told += [f"width {self.width}", f"depth {self.depth}"]
        if self.kind in ("attention", "causal", "windowed"):
            told.append(f"sharpness {number(self.sharpness, 1)}")
        return ", ".join(told)

    def _bars_are(self):
        who = f"“{plain(self._name(self.word))}”"
        if self.way == "in":
            return f"how much of the output of {who} comes from each word"
        return f"how much of each word's output comes from {who}"


def _beside(ends, others, flows, across):
    """Return how far each edge is moved at one end, so that all are side by side, (m, 2)."""
    moved = np.zeros((len(flows), 2))
    for node in np.unique(ends):
        here = np.flatnonzero(ends == node)
        here = here[np.argsort(across[others[here]], kind="stable")]
        widths = FULL * flows[here]
        moved[here, 0] = np.cumsum(widths) - widths / 2 - widths.sum() / 2
    return moved


def _column(n):
    return 64 if n <= 12 else 42


def _cut(name, width):
    """Return a name, or as much of it as there is room for."""
    while room(name, size=12) > width:
        name = f"{name[:-2]}…"
    return name


def _counted(n, what):
    return f"{n} {what}{'' if n == 1 else 's'}"


def _brief(share):
    """Write a share in a column's width; one that is there is never written as nothing."""
    return "<.01" if share < FEW else number(share).replace("0.", ".")


def _amount(share):
    return "less than 0.0001" if share < 0.00005 else number(share, 4)
