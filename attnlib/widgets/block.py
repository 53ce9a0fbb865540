"""The way of one word through both blocks of a model, any part of which can be left out."""

import numpy as np

from attnlib import causal_mask, softmax
from attnlib.models import world
from attnlib.models.writer import N_HEADS, N_LAYERS, layer
from attnlib.pictures.colours import COLORS
from attnlib.pictures.paper import Paper, in_lines, number, story_height, wrapped
from attnlib.pictures.shades import FAINT, INK, LINE, PAPER, SOFT
from attnlib.pictures.shared import shared
from attnlib.widgets._models import (
    FAR,
    MOST_WORDS,
    WriterModel,
    attend,
    require_vocabulary,
)
from attnlib.widgets._plugin import Plugged, called
from attnlib.widgets._traits import Derived, Index, Places, Words, require_index

PARTS, SHORT, HEADINGS = shared("block", "PARTS", "SHORT", "HEADINGS")
LOOK, SELF, ADDED = shared("block", "LOOK", "SELF", "ADDED")
WHOLE, SAME, KEPT, OTHER = shared("block", "WHOLE", "SAME", "KEPT", "OTHER")
SEVERAL, LEFT_OUT, LEGEND = shared("block", "SEVERAL", "LEFT_OUT", "LEGEND")
NETWORKS, WAYS = N_LAYERS * N_HEADS, FAR + 1  # where these stand among the parts
ROWS, FEW = 5, 0.005  # words that have a bar; what is too small for one
CLOSE = 1e-6  # of two chances that are the same
AGREES = "The block that the cell hands over gives the next word these chances."
DIFFERS = "With your own block “{word}” has {said}; with attnlib's {found}."


class Block(Plugged):
    """One word on its way through both blocks of a model that writes, to the next word's chances.

    The model is that of `attnlib.writer`. What a word's heads and networks make of it is added to
    it. The hand leaves parts out, for all words of the story, and what comes after them is computed
    anew.

    Parameters
    ----------
    words : sequence of str
        A story, 1 to 48 words of `attnlib.world.VOCABULARY`.
    model : str or mapping of str to array_like
        A name of what `attnlib.text.writer` has, or the arrays that it returns; one that you have
        trained is as good. Its numbers are kept in steps of 1/2047 of the largest of each array.
    at : int, optional
        The place of the word that is followed; the last one's where it is left out.
    off : sequence of int
        The parts that are left out, by their places: 0 to 3 are the heads of block 1, and 4 to 7
        those of block 2, 8 and 9 the networks of the blocks, 10 is what the heads know of places.
        11 and 12 are the ways past the heads and past the network of block 1, by which the word
        keeps what it was, and 13 and 14 those of block 2.
    block : callable, optional
        The reader's own ``block(x, parameters, n_heads, mask)``; `answer` has its chances.

    Attributes
    ----------
    chances : ndarray (20,)
        Of each word of the vocabulary to come next.
    whole : ndarray (20,)
        The same, with all parts.
    weights : ndarray (2, 4, at + 1)
        Where each head of each block looks.
    added : ndarray (11, 20)
        What reaches the scores of the next words directly from the word itself, and from the heads
        and the network of each block in turn. They add up to these scores.
    readings : ndarray (5, 20)
        The chances, were the sum read at once: the word alone, and behind the heads and the network
        of each block in turn.
    n_heads : int
        How many heads are not left out.

    Examples
    --------
    >>> from attnlib import world
    >>> told = "the black cat finds Ann . the grey hen finds Tom . the white dog finds Eva ."
    >>> shown = Block([*told.split(), "the", "grey"], "trained")
    >>> shown.off = [3]
    >>> [world.VOCABULARY[chances.argmax()] for chances in (shown.whole, shown.chances)]
    ['hen', 'cat']
    """

    words = Words(most=MOST_WORDS)
    model = WriterModel()
    at = Index(0, of="words")
    off = Places((), of="parts")
    chances, whole, readings = (Derived(shares=True) for _ in range(3))
    weights, added = Derived(), Derived()
    n_heads = Derived(least=0, most=NETWORKS)

    _movable = ("off",)

    def __init__(self, words, model, *, at=None, off=(), block=None, goal=None, moments=()):
        words = type(self).words.validate(self, words)
        at = len(words) - 1 if at is None else at
        inputs = {"words": words, "model": model, "at": at, "off": off}
        super().__init__(block, **inputs, goal=goal, moments=moments)

    @property
    def parts(self):
        """The places of what can be left out."""
        return range(len(PARTS))

    def _agree(self):
        require_vocabulary(self.words)
        require_index(self, "at")
        require_index(self, "off")

    @property
    def _ids(self):
        """The words as far as the one that is followed, by their places in the vocabulary."""
        return world.encode(self.words[: self.at + 1])

    def _derive(self):
        weights, added, readings = follow(self.model, self._ids, self.off)
        whole = follow(self.model, self._ids)[2][-1] if self.off else readings[-1]
        return {
            "chances": readings[-1],
            "whole": whole,
            "readings": readings,
            "weights": weights,
            "added": added,
            "n_heads": NETWORKS - sum(part < NETWORKS for part in self.off),
        }

    def _measured(self):
        return {"chances": self.chances, "n_heads": self.n_heads, "at": self.at}

    def _ask(self, function):
        x, mask = self.model["words"][self._ids], causal_mask(self.at + 1)

        def once(x, parameters):
            def block(x):
                copies = {name: array.copy() for name, array in parameters.items()}
                return function(x, copies, N_HEADS, mask.copy())

            return called(block, x.shape, x)

        for i in range(N_LAYERS):
            x = self._through(once, x, i)
        chances = softmax(x[-1] @ self.model["words"].T / np.sqrt(x.shape[-1]))
        wrong = ~(np.abs(chances - self.chances) < CLOSE)
        if not wrong.any():
            return {"chances": chances}, AGREES
        worst = int(np.nan_to_num(np.abs(chances - self.chances), nan=np.inf).argmax())
        told = {"word": world.VOCABULARY[worst], "said": number(chances[worst])}
        return {"chances": chances}, DIFFERS.format(**told, found=number(self.chances[worst]))

    def _through(self, block, x, i):
        """Return what the reader's block makes of x without the parts that are left out.

        Zeros in its arrays silence a part. A way past heads or network is taken away from what the
        block gives, and so each half is asked for alone where one of them is cut.
        """
        parts = {name: array.copy() for name, array in layer(self.model, i).items()}
        of_heads = parts["w_output"].reshape(N_HEADS, -1, x.shape[-1])
        of_heads[[part % N_HEADS for part in self.off if part // N_HEADS == i]] = 0
        if NETWORKS + i in self.off:
            parts["w_down"][:] = 0
        if FAR in self.off:
            parts["near"][:] = 0
        cut = [WAYS + N_LAYERS * i + k in self.off for k in range(2)]
        if not any(cut):
            return block(x, parts)
        for name, without in zip(("w_down", "w_output"), cut, strict=True):
            x = block(x, parts | {name: np.zeros_like(parts[name])}) - without * x
        return x

    # In words

    def _told(self):
        """Say what comes next, and what came next with all parts, as the live view does."""
        expected = int(self.whole.argmax())
        told = {"next": world.VOCABULARY[expected], "chance": number(self.chances[expected])}
        if not self.off:
            return WHOLE.format(word=self.words[self.at], **told)
        told["before"] = number(self.whole[expected])
        several = len(self.off) > 1
        told["parts"] = SEVERAL.format(n=len(self.off)) if several else PARTS[self.off[0]]
        other = int(self.chances.argmax())
        if told["chance"] == told["before"]:
            return SAME.format(**told)
        if other == expected:
            return KEPT.format(**told)
        told |= {"other": world.VOCABULARY[other], "others": number(self.chances[other])}
        return OTHER.format(**told)

    def _look(self, head):
        """Say which word a head looks at most."""
        row = self.weights.reshape(NETWORKS, -1)[head]
        place = int(row.argmax())
        told = {"share": number(row[place]), "word": self.words[place], "far": self.at - place}
        return (LOOK if told["far"] else SELF).format(**told)

    def _adds(self, part):
        """Say what a head or a network adds to the score of the word that the whole model expects.

        It stands behind those of the word itself and of the blocks before, heads first.
        """
        if part in self.off:
            return LEFT_OUT
        i, k = divmod(part, N_HEADS) if part < NETWORKS else (part - NETWORKS, N_HEADS)
        return signed(self.added[1 + (N_HEADS + 1) * i + k, self.whole.argmax()])

    def _listed(self):
        """Return the words that have a bar: the likeliest with all parts, and as it is now."""
        before, now = (np.argsort(-x, kind="stable").tolist() for x in (self.whole, self.chances))
        shown = list(dict.fromkeys([*before[: ROWS - 2], *now]))[:ROWS]
        return sorted(shown, key=before.index)

    def _read(self, stage):
        """Say which word would be the likeliest, were the sum read at a stage."""
        top = int(self.readings[stage].argmax())
        return world.VOCABULARY[top], number(self.readings[stage, top])

    def _alt(self):
        heads = "; ".join(f"{PARTS[k]}: {self._look(k)}, {self._adds(k)}" for k in range(NETWORKS))
        networks = "; ".join(f"{PARTS[k]}: {self._adds(k)}" for k in (NETWORKS, NETWORKS + 1))
        others = [PARTS[part] for part in self.off if part >= FAR]
        cut = f" Left out are {', '.join(others)}." if others else ""
        rows = ", ".join(
            f"{world.VOCABULARY[j]} {number(self.chances[j])} ({number(self.whole[j])})"
            for j in self._listed()
        )
        read = ", ".join(" ".join(self._read(stage)) for stage in range(len(self.readings)))
        return (
            f"The way of word {self.at + 1} of a story of {len(self.words)} through two blocks. "
            f"{self._told()} Where each head looks most, and what it adds to the score of "
            f"“{world.VOCABULARY[self.whole.argmax()]}”: {heads}. And the networks: {networks}."
            f"{cut} Were the sum read at once, behind the word and each step, the likeliest word "
            f"is {read}. The chances of the next word, and in brackets with all parts: {rows}."
        )

    def _draw(self):
        return _Picture(self).paper


def signed(x):
    """Write a number with its sign."""
    told = number(x)
    return f"+{told}" if x > 0 and told.strip("0.") else told


def follow(model, ids, off=()):
    """Follow the last word of a text through a model without some of its parts.

    Parameters
    ----------
    model : dict
    ids : ndarray of int, (n,)
    off : sequence of int
        By their places in `PARTS`.

    Returns
    -------
    weights : ndarray (n_layers, n_heads, n)
    added : ndarray (11, 20)
    readings : ndarray (5, 20)
        As `Block` has them.
    """
    x, looks = model["words"][ids], []
    sums, direct = [x[-1]], x[-1:]
    for i in range(N_LAYERS):
        parts = layer(model, i)
        past_heads, past_network = (WAYS + N_LAYERS * i + k not in off for k in range(2))
        weights, brought = attend(x, parts, i, off)
        heads = brought @ parts["w_output"].reshape(N_HEADS, -1, x.shape[-1])  # (n_heads, n, d)
        z = past_heads * x + heads.sum(axis=0)
        network = np.maximum(z @ parts["w_up"] + parts["b_up"], 0) @ parts["w_down"]
        network = network * (NETWORKS + i not in off)
        x = past_network * z + network
        looks.append(weights[:, -1])
        sums += [z[-1], x[-1]]
        direct = np.vstack([past_heads * direct, heads[:, -1]])
        direct = np.vstack([past_network * direct, network[-1:]])
    to_scores = model["words"].T / np.sqrt(x.shape[-1])
    return np.stack(looks), direct @ to_scores, softmax(np.array(sums) @ to_scores)


# The still picture: the story, the way of the word from left to right, the chances at its end

WIDE, LINE_HIGH, HIGH, GAP = 864, 28, 42, 4
COLUMNS = [(8, 76), (94, 198), (300, 92), (404, 198), (610, 92)]  # of the word, heads, network …
CHANCES, BAR = 724, 60


class _Picture:
    """Draws a `Block`."""

    def __init__(self, of):
        self.of = of
        told = wrapped(of._told(), WIDE - 36)
        lines = in_lines(of.words, WIDE)
        note = ADDED.format(
            word=world.VOCABULARY[of.whole.argmax()],
            sum=number(of.added[:, of.whole.argmax()].sum()),
        )
        top = story_height(told) + 4
        self.top = top + LINE_HIGH * len(lines) + 34
        self.stream = self.top + (HIGH + GAP) * N_HEADS + 30
        self.paper = Paper(WIDE, self.stream + 68)
        self.paper.story(told)
        self._draw_story(lines, top)
        for k, (x, wide) in enumerate(COLUMNS):
            if k:
                self._draw_step(k - 1, x, wide)
        self._draw_word()
        self._draw_chances()
        self.paper.write(8, self.stream + 54, note, SOFT)

    def _draw_story(self, lines, top):
        of = self.of
        for k, line in enumerate(lines):
            y = top + LINE_HIGH * (k + 0.5)
            for place, x, wide in line:
                ink = SOFT if place > of.at else INK
                chosen = place == of.at
                if chosen:
                    self.paper.box(x, y - 12, wide, 24, edge=INK, line=2)
                middle = x + wide / 2
                self.paper.write(middle, y, of.words[place], ink, size=15, at="mm")

    def _draw_word(self):
        of, (x, wide) = self.of, COLUMNS[0]
        self.paper.write(x + wide / 2, self.top - 12, HEADINGS[0], SOFT, at="mm")
        y = self.top + (HIGH + GAP) * (N_HEADS - 1)
        self._draw_part(FAR, x, y, wide, SHORT["places"], "")
        self.paper.box(x, self.stream - 14, wide, 28, fill=PAPER, edge=INK, line=2)
        self.paper.write(x + wide / 2, self.stream, of.words[of.at], at="mm", bold=True)
        self._draw_reading(0, x + wide / 2)

    def _draw_step(self, step, x, wide):
        """Draw the heads or the network of a block, and below them the way past them."""
        i, network = divmod(step, 2)
        of, paper = self.of, self.paper
        if not network:
            middle = (x + COLUMNS[step + 2][0] + COLUMNS[step + 2][1]) / 2
            paper.write(middle, self.top - 12, HEADINGS[1 + i], SOFT, at="mm")
        parts = [NETWORKS + i] if network else range(N_HEADS * i, N_HEADS * (i + 1))
        for k, part in enumerate(parts):
            y = self.top + (HIGH + GAP) * (k + network * (N_HEADS - 1))
            name = SHORT["network"] if network else SHORT["head"].format(nth=k)
            self._draw_part(part, x, y, wide, name, of._adds(part))
            if not network:
                row = of.weights[i, k]
                paper.picture(x + 6, y + 25, 44, 10, row[None])
                paper.box(x + 6, y + 25, 44, 10, edge=LINE)
                paper.write(x + 56, y + 30, of._look(part), size=12)
        end, below = x + wide - 10, self.top + (HIGH + GAP) * N_HEADS - GAP
        cut = WAYS + step in of.off
        ends = [(x - 12, self.stream), (end, self.stream)]
        paper.line(ends, SOFT if cut else INK, width=1 if cut else 3, dash=(5, 6) if cut else None)
        if cut:
            paper.write((x + end) / 2 - 6, self.stream + 12, LEFT_OUT, size=12, at="mm")
        paper.arrow((x + 10, self.stream), (x + 10, below), LINE)
        paper.arrow((end, below), (end, self.stream - 9), LINE)
        after = COLUMNS[step + 2][0] if step + 2 < len(COLUMNS) else CHANCES - 6
        paper.line([(end, self.stream), (after - 12 * (step < 3), self.stream)], width=3)
        paper.disc(end, self.stream, 9, fill=PAPER, edge=INK, line=2)
        paper.write(end, self.stream, "+", at="mm", bold=True)
        self._draw_reading(step + 1, end)

    def _draw_part(self, part, x, y, wide, name, told):
        out = part in self.of.off
        self.paper.box(x, y, wide, HIGH, fill=FAINT if out else PAPER, edge=LINE if out else INK)
        self.paper.write(x + 6, y + 12, name, SOFT if out else INK, bold=not out)
        if part < NETWORKS:
            self.paper.write(x + wide - 6, y + 12, told, size=12, at="rm")
        else:
            self.paper.write(x + 6, y + 30, LEFT_OUT if out else told, size=12)

    def _draw_reading(self, stage, x):
        word, chance = self.of._read(stage)
        at = "mm" if stage == 0 else "rm"
        self.paper.write(x + 10 * (stage > 0), self.stream + 28, f"{word} {chance}", size=12, at=at)

    def _draw_chances(self):
        of, paper = self.of, self.paper
        paper.write(CHANCES, self.top - 12, HEADINGS[3], SOFT)
        for k, place in enumerate(of._listed()):
            y, left = self.top + 12 + 40 * k, CHANCES + 44
            paper.write(CHANCES, y, world.VOCABULARY[place], bold=place == of.whole.argmax())
            for down, high, share, color in (
                (-8, 14, of.chances[place], COLORS["output"]),
                (9, 6, of.whole[place], LINE),
            ):
                paper.box(left, y + down, BAR, high, fill=FAINT)
                if share >= FEW:
                    paper.box(left, y + down, BAR * share, high, fill=color)
            paper.write(left + BAR + 4, y, number(of.chances[place]), size=12)
            paper.write(left + BAR + 4, y + 13, number(of.whole[place]), SOFT, size=12)
        paper.write(CHANCES, self.stream + 28, LEGEND, SOFT, size=12)
