"""A row of scores that is read block by block, and the few numbers that are kept of it."""

from typing import NamedTuple

import numpy as np

from attnlib import softmax
from attnlib._inputs import as_real, refuse, require_equal
from attnlib.pictures.paper import ROW, Paper, Table, number, room, story_height, wrapped
from attnlib.pictures.shades import FAINT, INK, LINE, SOFT, WARN
from attnlib.pictures.shared import shared
from attnlib.widgets._plugin import Misfit, Plugged, answered
from attnlib.widgets._traits import Derived, DerivedNumber, Flag, Integer, Numbers

MOST_KEYS, MOST_FEATURES, CLOSE = shared("tiles", "MOST_KEYS", "MOST_FEATURES", "CLOSE")
ROWS, LEFT_OUT, HEADS = shared("tiles", "ROWS", "LEFT_OUT", "HEADS")
STORY, ENDS, HELD, BLOCK = shared("tiles", "STORY", "ENDS", "HELD", "BLOCK")
WIDE = 760  # of a still
AGREES = "The function handed in keeps the same numbers, block after block."
DIFFERS = "After block {block} your function has {said} for {name}, and {found} is right."


class _Step(NamedTuple):
    """A block that is read; before and after it top, total and output, in a row."""

    before: np.ndarray
    factor: float
    added: np.ndarray  # the block's largest score, and what total and output gain
    now: np.ndarray


class Tiles(Plugged):
    """One query's scores, read in blocks: what is held, and how it changes from block to block.

    Held are the scores of one block; and, of all blocks read, the largest score (`top`), the sum of
    the exponentials (`total`), and the sum of the values that they weigh (`output`). When a larger
    score comes, total and output are rescaled to it. In the end output / total is attention.

    Parameters
    ----------
    scores : array_like, (n,)
        Of one query, from -20 to 20, or -inf for a key that is hidden; at most 12.
    value : array_like, (n, d)
        From -10 to 10; at most 2 features.
    size : int
        How many keys a block has, from 1 to 12; the last one has what is left.
    read : int
        How many blocks are read, from 0 to 12; all, where there are fewer.
    rescale : bool
        Whether total and output are rescaled, as they should be.
    online_softmax_step : callable, optional
        The reader's own ``online_softmax_step(top, total, output, scores, value) -> top, total,
        output``, handed -inf, 0 and 0 at first, (1,), (1,) and (1, d), and of each block that is
        read scores, (1, size), and value, (size, d): what it keeps stands beside what is right.

    Attributes
    ----------
    top, total : float
        -inf and 0 as long as no key is read that can be seen.
    output : ndarray (d,)
        Not divided yet.
    factor : float
        What the last block's larger score rescales total and output by; 1 where there is none.
    result, exact : ndarray (d,)
        Output / total; and attention over the whole row.
    difference : float
        The largest between these two, once all blocks are read; nan before.
    held, n_blocks : int
        The numbers that are held at once, those of a block and the running ones.

    Examples
    --------
    >>> shown = Tiles([1.0, 0.0, 2.0, 1.0], [[4.0], [0.0], [2.0], [0.0]], size=2, read=1)
    >>> round(shown.total, 2), shown.output
    (1.37, array([4.]))
    >>> shown.read = 2
    >>> round(shown.factor, 2), shown.result.round(2), round(shown.difference, 6)
    (0.37, array([1.86]), 0.0)
    """

    scores = Numbers("n", least=-20, most=20, hidden=True)
    value = Numbers("n, d", least=-10, most=10)
    size = Integer(4, least=1, most=MOST_KEYS)
    read = Integer(0, least=0, most=MOST_KEYS)
    rescale = Flag(True)
    top, total = DerivedNumber(), DerivedNumber(least=0)
    factor, difference = DerivedNumber(least=0, most=1), DerivedNumber(least=0)
    held, n_blocks = DerivedNumber(least=1), DerivedNumber(least=1)
    output, result, exact = Derived(), Derived(), Derived()

    _movable = ("scores", "size", "read", "rescale")

    def __init__(
        self,
        scores,
        value,
        *,
        size=4,
        read=0,
        rescale=True,
        online_softmax_step=None,
        goal=None,
        moments=(),
    ):
        inputs = {"scores": scores, "value": value, "size": size, "read": read}
        inputs |= {"rescale": rescale, "goal": goal, "moments": moments}
        super().__init__(online_softmax_step, **inputs)

    def _agree(self):
        n, (rows, d) = len(self.scores), self.value.shape
        if not 1 <= n <= MOST_KEYS:
            rule = f"a picture holds 1 to {MOST_KEYS} scores"
            refuse(rule, f"{n} > {MOST_KEYS}" if n else "0 < 1", scores=self.scores)
        scores, value = {"scores": self.scores}, {"value": self.value}
        require_equal("each score needs one row of value", n, rows, **scores, **value)
        if not 1 <= d <= MOST_FEATURES:
            rule = f"a picture holds 1 to {MOST_FEATURES} features of value"
            refuse(rule, f"{d} > {MOST_FEATURES}" if d else "0 < 1", **value)

    def _derive(self):
        exact = softmax(self.scores) @ self.value
        top, total, *output = self._last().now
        result = np.array(output) / (total or 1)  # 0 where all is hidden
        n_blocks = len(self._blocks())
        all_read = self.read >= n_blocks
        return {
            "top": float(top),
            "total": float(total),
            "output": np.array(output),
            "factor": float(self._last().factor),
            "result": result,
            "exact": exact,
            "difference": float(np.abs(result - exact).max()) if all_read else np.nan,
            "held": min(self.size, len(self.scores)) + 2 + len(exact),
            "n_blocks": n_blocks,
        }

    def _measured(self):
        also = {"size": self.size, "read": self._n_read(), "rescale": int(self.rescale)}
        return super()._measured() | also

    def _blocks(self):
        """Return the keys of each block."""
        n = len(self.scores)
        return [slice(at, min(at + self.size, n)) for at in range(0, n, self.size)]

    def _n_read(self):
        return min(self.read, len(self._blocks()))

    def _steps(self, *, rescale):
        """Return what is read, block by block, after a beginning that changes nothing."""
        nothing = np.array([-np.inf, *np.zeros(1 + self.value.shape[1])])
        steps = [_Step(nothing, 1.0, nothing, nothing)]
        for keys in self._blocks()[: self.read]:
            scores, before = self.scores[keys], steps[-1].now
            top = max(before[0], scores.max())
            factor = np.exp(before[0] - top) if top > before[0] else 1.0
            exponentials = np.exp(scores - (0 if np.isneginf(top) else top))  # -inf - -inf is nan
            gained = np.array([exponentials.sum(), *(exponentials @ self.value[keys])])
            now = np.array([top, *(before[1:] * (factor if rescale else 1) + gained)])
            steps.append(_Step(before, factor, np.array([scores.max(), *gained]), now))
        return steps

    def _last(self):
        return self._steps(rescale=self.rescale)[-1]

    # The reader's own step

    def _ask(self, function):
        d, said = self.value.shape[1], AGREES
        state = np.full(1, -np.inf), np.zeros(1), np.zeros((1, d))
        names = ["top", "total", *(f"output[{f}]" for f in range(d))]
        _, *steps = self._steps(rescale=True)
        own = _in_a_row(state, 2 + d)
        for block, (keys, step) in enumerate(zip(self._blocks(), steps, strict=False), start=1):
            scores, value = self.scores[None, keys].copy(), self.value[keys].copy()
            state = answered(function, *state, scores, value)
            own = _in_a_row(state, 2 + d)
            wrong = np.flatnonzero(~np.isclose(own, step.now, rtol=CLOSE, atol=CLOSE))
            if wrong.size and said == AGREES:
                told, found = (number(x[wrong[0]], 3) for x in (own, step.now))
                said = DIFFERS.format(block=block, name=names[wrong[0]], said=told, found=found)
        return {"now": own}, said

    # In words

    def _told(self):
        """Say what the last block changes, and in the end what has come out, as the live view."""
        step, block, n = self._last(), self._n_read(), self.n_blocks
        if not block:
            kind = "REST"
        elif np.isneginf(step.added[0]):
            kind = "HIDDEN"
        elif np.isneginf(step.before[0]):
            kind = "FIRST"
        elif step.factor == 1:
            kind = "SAME"
        else:
            kind = "LARGER" if self.rescale else "LEFT_OUT"
        told = {"before": step.before[0], "top": step.now[0], "factor": step.factor}
        told = {name: number(x) for name, x in told.items()} | {"block": block, "n": n}
        said = STORY[kind].format(**told)
        if block < n:
            return said
        end = ENDS[int(self.difference >= CLOSE)]
        return f"{said} {end.format(difference=number(self.difference, 4))}"

    def _memory(self):
        """Say how many numbers are held."""
        running, n = 2 + len(self.output), len(self.scores)
        told = {"tile": self.held - running, "running": running, "held": self.held, "n": n}
        return HELD.format(**told)

    def _shown(self):
        """Return the rows of running numbers, each a name and what stands in its cells."""
        step = self._last()
        kept = ["", *step.before[1:] * (step.factor if self.rescale else 1)]
        rows = [step.before, kept, step.added] if self.read else [[""] * len(step.now)] * 3
        rows += [step.now, ["", "", *self.result], ["", "", *self.exact]]
        names = [ROWS[0], ROWS[1] if self.rescale else LEFT_OUT, *ROWS[2:]]
        return [
            (
                name.format(factor=number(step.factor)),
                [x if isinstance(x, str) else number(x) for x in row],
            )
            for name, row in zip(names, rows, strict=True)
        ]

    def _heads(self):
        return [*HEADS, *(f"output {f}" for f in range(len(self.output)))]

    def _alt(self):
        scores = ", ".join(number(score) for score in self.scores)
        heads = self._heads()
        rows = "; ".join(
            f"{name}: {', '.join(f'{h} {x}' for h, x in zip(heads, row, strict=True) if x)}"
            for name, row in self._shown()
            if any(row)
        )
        return (
            f"The scores of one query for {len(self.scores)} keys, {scores}; in memory is one "
            f"block of them at a time. {self._told()} {self._memory()} Running numbers: {rows}."
        )

    # The still picture: the row of scores with the block that is held, and the running numbers

    def _draw(self):
        told, memory = (wrapped(words, WIDE - 36) for words in (self._told(), self._memory()))
        n, top = len(self.scores), story_height(told)
        keys, hidden = [f"{key}" for key in range(n)], np.isneginf(self.scores)[None]
        given = Table(self.scores[None], ["score"], keys, corner="key", hidden=hidden)
        given.left = room(BLOCK) + 10
        paper = Paper(WIDE, top + given.size[1] + ROW * 9 + 20 * len(memory))
        paper.story(told)
        given.draw(paper, 8, top)
        y = top + given.size[1] + 4
        self._draw_block(paper, given, y)
        for k, line in enumerate(memory):
            paper.write(8, y + ROW + 16 + 20 * k, line, SOFT)
        self._draw_running(paper, y + ROW + 20 * len(memory) + 12)
        return paper

    def _draw_block(self, paper, given, y):
        """Draw what is in memory of the row of scores: the exponentials of one block."""
        paper.write(8 + given.left - 7, y + ROW / 2, BLOCK, at="rm")
        for key, x in enumerate(self._exponentials()):
            left = 8 + given.place(0, key)[0]
            if np.isnan(x):
                paper.hatch(left, y, given.cell, ROW, FAINT)
            else:
                paper.box(left, y, given.cell, ROW, edge=INK, line=2)
                paper.write(left + given.cell / 2, y + ROW / 2, number(x), size=12, at="mm")

    def _draw_running(self, paper, y):
        """Draw the running numbers, before and after the last block, and what comes of them."""
        left, apart = 8 + room([name for name, _ in self._shown()], bold=True) + 90, 90
        for k, head in enumerate(self._heads()):
            paper.write(left + apart * k, y + ROW / 2, head, SOFT, at="rm")
        for i, (name, row) in enumerate(self._shown(), start=1):
            middle, bold = y + ROW * (i + 0.5), i == 4
            ink = WARN if i == 2 and self._is_left_out() else INK
            if i in (4, 5):
                end, above = left + apart * (len(row) - 1), middle - ROW / 2
                paper.line([(8, above), (end, above)], LINE)
            paper.write(8, middle, name, ink, bold=bold)
            for k, x in enumerate(row):
                paper.write(left + apart * k, middle, x, ink, at="rm", bold=bold)

    def _exponentials(self):
        """Return those of the block that is held, and nan for every key that is not in it."""
        exponentials = np.full(len(self.scores), np.nan)
        if self.read:
            keys, top = self._blocks()[self._n_read() - 1], self._last().now[0]
            exponentials[keys] = np.exp(self.scores[keys] - (0 if np.isneginf(top) else top))
        return exponentials

    def _is_left_out(self):
        return not self.rescale and 0 < self._last().factor < 1


def _in_a_row(state, n):
    """Return what the reader's function keeps as n floats; raise Misfit where it is not that."""
    wanted = "top, total and output"
    if not isinstance(state, tuple | list) or len(state) != 3:
        raise Misfit(f" returns something else than three things, {wanted}.")
    try:
        own = np.concatenate([np.ravel(as_real("it", x)) for x in state]).astype(float)
    except (TypeError, ValueError):
        raise Misfit(f" returns something else than numbers for {wanted}.") from None
    if own.size != n:
        raise Misfit(f" returns {own.size} numbers for {wanted} of one query, and {n} are wanted.")
    return own
