"""A small model that writes: what it expects next, what its world knows, and where it looks."""

from collections.abc import Mapping

import numpy as np

from attnlib import text
from attnlib.models import world
from attnlib.models.writer import N_HEADS, N_LAYERS
from attnlib.pictures.colours import COLORS
from attnlib.pictures.paper import ROW, Paper, in_lines, number, story_height, wrapped
from attnlib.pictures.shades import FAINT, INK, LINE, SOFT, WARN, shade
from attnlib.pictures.shared import shared
from attnlib.widgets._base import Widget
from attnlib.widgets._curve import TrainingCurve
from attnlib.widgets._models import (
    MOST_WORDS,
    PARTS,
    UNMASKED,
    WriterModels,
    read,
    require_vocabulary,
)
from attnlib.widgets._traits import (
    Derived,
    Index,
    Integer,
    Number,
    Places,
    Words,
    require_index,
)

ROWS, DECIDES, FEW = shared("writer", "ROWS", "DECIDES", "FEW")
"""How many words have a bar; what a head must take from the likeliest; a chance that has no bar."""
(RULE,) = shared("writer", "RULE")  # of the world, by which one sees why a word is certain
STAGES = "trained", "plateau", "untrained", UNMASKED
LAST = N_LAYERS - 1  # the layer of which a head may decide
CERTAIN = 1 - 1e-9


class Writer(Widget):
    """A small model that writes: what it expects next, beside the exact chances of its world.

    The model is that of `attnlib.writer`, and the world is `attnlib.world`, where the chance of
    each next word is known. A hand lets it write, or writes itself, and takes parts of it out.

    Parameters
    ----------
    words : sequence of str
        The story so far, 1 to 48 words of `attnlib.world.VOCABULARY`.
    models : sequence of str or mapping of str to dict, optional
        At most five: names of what `attnlib.text.writer` has, or models by name, each with the
        arrays that it returns; one that you have trained is as good. They are kept in steps of
        1/2047 of the largest number of each array, which changes a chance by less than 0.01. One
        that is called "no mask" looks ahead as well as back.
    model : int
        The model that writes, by its place.
    off : sequence of int
        The parts that are taken out of it, by their places: 0 to 3 are the heads of block 1, and 4
        to 7 those of block 2, 8 and 9 the networks of the blocks, 10 is what the heads know of how
        far back a word lies.
    temperature : float
        What the logits are divided by before they become chances, from 0.01 to 100. Below 1, what
        is likely comes more often still; above 1, less often.
    seed : int
        Of the random numbers by which the next word is drawn, 0 to 2**32 - 1.
    drawn : int
        How many of these numbers have been used, at most a million: each draw takes the next.
    training : mapping, optional
        The course of a training, as `attnlib.text.writer_training` returns it: ``steps`` and
        ``loss`` (m,), ``floor``, and in ``stages`` the step of each model that has one. Where
        models are named, it is the recorded one.

    Attributes
    ----------
    chances : ndarray (20,)
        What the model gives each word of the vocabulary next, at this temperature.
    exact : ndarray (20,)
        What the world gives it; all 0 once an impossible word has come.
    weights : ndarray (2, 4, n)
        Where each head of each block looks from the last word.
    without : ndarray (4, 20)
        The chances without one head of block 2, each in turn.
    n_possible : int
        How many words of the story, from its first one on, could come in this world.

    Examples
    --------
    >>> told = "the black cat finds Ann . the grey hen finds Tom . the red dog finds Ben . the grey"
    >>> picture = Writer(told.split())
    >>> world.VOCABULARY[picture.chances.argmax()], float(picture.exact.max())
    ('hen', 1.0)
    """

    words = Words(most=MOST_WORDS)
    models = WriterModels()
    model = Index(0, of="names")
    off = Places((), of="parts")
    temperature = Number(1.0, least=0.01, most=100)
    seed, drawn = Integer(0, least=0, most=2**32 - 1), Integer(0, least=0, most=10**6)
    training = TrainingCurve()
    chances, exact = Derived(shares=True), Derived(shares=True)
    weights, without = Derived(), Derived()
    n_possible = Derived()

    _movable = ("words", "model", "off", "temperature")

    def __init__(
        self,
        words,
        models=STAGES,
        *,
        model=0,
        off=(),
        temperature=1.0,
        seed=0,
        drawn=0,
        training=None,
        goal=None,
        moments=(),
    ):
        if training is None and not isinstance(models, Mapping):
            training = text.writer_training()
        inputs = {"models": models, "model": model, "off": off, "training": training}
        chance = {"temperature": temperature, "seed": seed, "drawn": drawn}
        super().__init__(words=words, **inputs, **chance, goal=goal, moments=moments)

    @property
    def names(self):
        """The names of the models."""
        return tuple(self.models)

    @property
    def parts(self):
        """The places of what can be taken out."""
        return range(len(PARTS))

    def _agree(self):
        require_vocabulary(self.words)
        require_index(self, "model")
        require_index(self, "off")

    def _derive(self):
        name = self.names[self.model]
        ids = [world.VOCABULARY.index(word) for word in self.words]
        chances, weights, without = read(
            self.models[name],
            ids,
            off=self.off,
            masked=name != UNMASKED,
            temperature=self.temperature,
        )
        possible, n_possible = _judged(self.words)
        exact = np.array([possible.get(word, 0.0) for word in world.VOCABULARY])
        return {
            "chances": chances,
            "exact": exact,
            "weights": weights,
            "without": without,
            "n_possible": n_possible,
        }

    def _measured(self):
        return {"chances": self.chances, "exact": self.exact}

    # In words

    def _told(self):
        """Say the world's rule, what comes next, and what the world says of it."""
        top, sentence = int(self.chances.argmax()), " ".join(_unfinished(self.words))
        word, chance = world.VOCABULARY[top], number(self.chances[top])
        after = f"After “{sentence}”" if sentence else "At the start of a sentence"
        return f"{RULE} {after}, {self._name()} expects “{word}” ({chance}){self._beside(top)}"

    def _name(self):
        """Name the model that writes, if it is not the first of them, whole and at 1."""
        name, n_off = self.names[self.model], len(self.off)
        less = f" less {n_off} part{'s' * (n_off > 1)}" if n_off else ""
        told = f"the model ({name}{less})" if self.model or less else "the model"
        at = "" if self.temperature == 1 else f" at temperature {number(self.temperature)}"
        return told + at

    def _beside(self, top):
        """Say what the world gives the likeliest word."""
        if self.n_possible < len(self.words):
            wrong = self.words[self.n_possible]
            return f". “{wrong}” could not come by the rules."
        if self.exact[top] >= CERTAIN:
            return ", and by the rules nothing else can come."
        if self.exact[top]:
            return f"; the rules give it {number(self.exact[top])}."
        can = [f"“{world.VOCABULARY[place]}”" for place in np.flatnonzero(self.exact)]
        listed = " or ".join([", ".join(can[:-1]), can[-1]] if can[1:] else can)
        return f", but only {listed} can come."

    def _deciding(self):
        """Return the head of the last layer without which the likeliest word would lose most."""
        top = self.chances.argmax()
        head = int(self.without[:, top].argmin())
        return head, float(self.without[head, top]), float(self.chances[top])

    def _why(self):
        """Say what the colours are."""
        return "Coloured: where one head of the model looks to know the next word."

    def _matters(self):
        """Say whose look is in colours, and how much that head matters."""
        head, left, chance = self._deciding()
        matters = f"No head of block {N_LAYERS} matters alone."
        if chance - left >= DECIDES:
            word = world.VOCABULARY[self.chances.argmax()]
            matters = f"Without it, “{word}” would have {number(left)}."
        return f"Coloured above: {PARTS[LAST * N_HEADS + head]}. {matters}"

    def _listed(self):
        """Return the words that have a bar, the likeliest first: those that can come are there."""
        by_chance = np.argsort(-self.chances, kind="stable")
        possible = [place for place in by_chance if self.exact[place]]
        others = [place for place in by_chance if not self.exact[place]]
        shown = {*possible, *others[: max(0, ROWS - len(possible))]}
        return [int(place) for place in by_chance if place in shown]

    def _draw(self):
        return _Picture(self).paper

    def _alt(self):
        listed = self._listed()
        rows = ", ".join(
            f"{world.VOCABULARY[j]} {number(self.chances[j])} ({self._of_world(j)})" for j in listed
        )
        row = self.weights[LAST, self._deciding()[0]]
        darkest = f"Darkest is {_whom(self.words, int(row.argmax()))}, {number(row.max())}."
        alt = (
            f"A story of {len(self.words)} words: “{' '.join(self.words)}”. {self._told()} "
            f"{self._why()} {darkest} What the model gives the next word, and in brackets the "
            f"rules: {rows}."
        )
        if not self.off:  # where each head looks is folded then
            return alt
        heads = "; ".join(self._look(k) for k in range(N_LAYERS * N_HEADS))
        return f"{alt} Where each head looks from the last word: {heads}. {self._matters()}"

    def _of_world(self, place):
        """Return the world's chance of a word, as it is printed."""
        if self.n_possible < len(self.words):
            return "–"
        return number(self.exact[place]) if self.exact[place] else "impossible"

    def _look(self, place):
        """Say where a head looks."""
        row = self.weights[place // N_HEADS, place % N_HEADS]
        j = int(row.argmax())
        out = " (taken out)" if place in self.off else ""
        return f"{PARTS[place]}{out}: {_whom(self.words, j)} {number(row[j])}"


def _judged(words):
    """Return the chances of the next word, and how many words could come, from the first one on."""
    told = world.World()
    for place, word in enumerate(words):
        if word not in told.next_words():
            return {}, place
        told.hear(word)
    return told.next_words(), len(words)


def _unfinished(words):
    """Return the words of the sentence that has no dot yet."""
    reversed_ = words[::-1]
    n = reversed_.index(".") if "." in words else len(words)
    return words[len(words) - n :]


def _whom(words, place):
    """Say which word a look meets, and how far back it lies."""
    far = len(words) - 1 - place
    if not far:
        return "the last word itself"
    return f"“{words[place]}”, {far} word{'s' * (far > 1)} back"


# The still picture: the story in the colours of the look that decides, then chances (heads: folded)

WIDE, LINE_HIGH, BAR = 864, 28, 200


class _Picture:
    """Draws a `Writer`."""

    def __init__(self, of):
        self.of = of
        told = wrapped(of._told(), WIDE - 36)
        self.top = story_height(told) + 4
        lines = in_lines([*of.words, "?"], WIDE)  # the place after the last one
        below = self.top + LINE_HIGH * len(lines) + 46
        folded = not of.off  # each head's look
        rows = len(of._listed()) + (0 if folded else N_LAYERS * N_HEADS + 2)
        self.paper = Paper(WIDE, below + 30 + ROW * rows)
        self.paper.story(told)
        self._draw_story(lines)
        self._draw_chances(8, below)
        if not folded:
            self._draw_heads(8, below + ROW * (len(of._listed()) + 1.5))

    def _draw_story(self, lines):
        of = self.of
        row = of.weights[LAST, of._deciding()[0]]
        for k, line in enumerate(lines):
            y = self.top + LINE_HIGH * (k + 0.5)
            for place, x, wide in line:
                if place == len(of.words):
                    self.paper.box(x, y - 12, wide, 24, edge=INK, line=2)
                    self.paper.write(x + wide / 2, y, "?", size=15, at="mm", bold=True)
                    continue
                fill, ink = shade(row[place])
                self.paper.box(x, y - 12, wide, 24, fill=fill)
                ink = WARN if place >= of.n_possible and row[place] < 0.2 else ink
                self.paper.write(x + wide / 2, y, of.words[place], ink, size=15, at="mm")
                if place == of.n_possible:
                    self.paper.line([(x + 3, y + 10), (x + wide - 3, y + 10)], WARN, width=2)
                if place == row.argmax():
                    self.paper.box(x, y - 12, wide, 24, edge=INK, line=2)
        y = self.top + LINE_HIGH * len(lines) + 12
        self.paper.write(8, y, of._why(), SOFT)

    def _draw_chances(self, x, y):
        of, paper = self.of, self.paper
        left, right = x + 96, x + 380
        paper.write(x, y, "next word", bold=True)
        paper.write(left, y, "its chance in the model", bold=True)
        paper.write(right, y, "its chance by the rules", bold=True)
        for k, place in enumerate(of._listed()):
            middle = y + 14 + ROW * (k + 0.5)
            paper.write(x, middle, world.VOCABULARY[place])
            paper.box(left, middle - 8, BAR, 16, fill=FAINT)
            if of.chances[place] >= FEW:
                long = BAR * of.chances[place]
                paper.box(left, middle - 8, long, 16, fill=COLORS["output"])
            paper.write(left + 10 + BAR, middle, number(of.chances[place]), size=12)
            if of.exact[place]:
                paper.box(right, middle - 8, BAR, 16, fill=FAINT)
                paper.box(right, middle - 8, BAR * of.exact[place], 16, fill=LINE)
            after = right + (BAR + 10) * bool(of.exact[place])
            paper.write(after, middle, of._of_world(place), size=12)

    def _draw_heads(self, x, y):
        of, paper = self.of, self.paper
        head, left, chance = of._deciding()
        paper.write(x, y, "each head looks at", bold=True)
        for place in range(N_LAYERS * N_HEADS):
            middle = y + 14 + ROW * (place + 0.5)
            name, look = of._look(place).split(": ")
            decides = place == LAST * N_HEADS + head and chance - left >= DECIDES
            paper.write(x, middle, name, SOFT if place in of.off else INK, size=12, bold=decides)
            row = of.weights[place // N_HEADS, place % N_HEADS]
            fill, ink = shade(row.max())
            paper.box(x + 200, middle - 10, 40, 20, fill=fill)
            paper.write(x + 220, middle, number(row.max()), ink, size=12, at="mm")
            words = look.removesuffix(f" {number(row.max())}")
            paper.write(x + 250, middle, words, size=12)
