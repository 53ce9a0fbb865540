"""A tagger's training, step by step: where it looks, what it answers, how often it is right."""

import numpy as np

from attnlib._colors import COLORS
from attnlib._inputs import refuse
from attnlib._paper import (
    Axes,
    Map,
    Paper,
    Table,
    bands,
    number,
    room,
    spaced,
    story_height,
    wrapped,
)
from attnlib._shades import FIRST, INK, LINE, PAPER, SECOND, SOFT, WARN, shade
from attnlib._shared import shared
from attnlib.widgets._base import Widget, named, plain, quoted
from attnlib.widgets._training import TrainingRecord, as_record
from attnlib.widgets._traits import Derived, DerivedNumber, Index, Integer, require_index

LATEST = 10**9  # step
(LEAST_LINE,) = shared("learning", "LEAST_LINE")  # a smaller weight draws no line


class Learning(Widget):
    """A recorded training of a small tagger: its weights, its answers and its curves at each step.

    The tagger has to say of some words, *saw* or *duck*, whether they are verb or noun. The record
    says where each word looks while it learns that.

    Parameters
    ----------
    record : mapping
        What was kept of the training, as `attnlib.text.trainings` returns it. ``steps`` holds
        (n_steps,) increasing integers, ``models`` their names, ``sentences`` words with blanks
        between them. For each model M, ``loss/M`` and ``accuracy/M`` are (n_seeds, n_steps). For
        each sentence S of n words, ``truth/S`` (n,) is 1 for a verb, 0 for a noun, -1 for a word of
        which nothing is asked; ``weights/M/S`` is (n_seeds, n_steps, n, n), rows are queries, from
        0 to 1 or in steps of 1/255 (uint8); ``verb/M/S`` (n_seeds, n_steps, n) is the probability
        of a verb; ``votes/M/S``, of the same shape, that which each word's value alone stands for.
        At most 150000 weights in all.
    model, seed, sentence : int
        Their places in the record, counted from 0.
    word : int, optional
        The word whose weights are followed, by its place in the sentence; the last ambiguous one
        where it is left out.
    step : int, optional
        One of the recorded steps, by its number; the last one where it is left out.
    goal : Goal, optional
        What the widget asks of the hand.
    moments : sequence of (str, dict), optional
        At most five titles, each with the inputs that show what it says.

    Attributes
    ----------
    weights : ndarray (n, n)
        At the chosen step.
    verb : ndarray (n,)
        The probability of a verb at that step; nan where the word is not ambiguous.
    votes : ndarray (n,)
        What each word votes for at that step: the probability of a verb.
    history : ndarray (n_steps, n)
        The weights of the chosen word, step by step.
    loss, accuracy : float
        At that step; the accuracy is that on unseen sentences.
    done : bool
        Whether the goal has been reached.
    moves : int
        What the hand has moved until then, a whole drag as one.

    Examples
    --------
    >>> record = {
    ...     "steps": [0, 90], "models": ["tagger"], "sentences": ["a saw"], "truth/a saw": [-1, 0],
    ...     "weights/tagger/a saw": [[[[1, 0], [0.4, 0.6]], [[1, 0], [0.8, 0.2]]]],
    ...     "verb/tagger/a saw": [[[0, 0.5], [0, 0.03]]],
    ...     "votes/tagger/a saw": [[[0.5, 0.5], [0, 0.6]]],
    ...     "loss/tagger": [[0.69, 0.03]], "accuracy/tagger": [[0.5, 1]],
    ... }
    >>> learned = Learning(record)
    >>> learned.history
    array([[0.4, 0.6],
           [0.8, 0.2]])
    >>> learned.step, learned.verb, learned.accuracy
    (90, array([ nan, 0.03]), 1.0)
    """

    record = TrainingRecord()
    model, seed = Index(0, of="models"), Index(0, of="seeds")
    sentence, word = Index(0, of="sentences"), Index(0, of="words")
    step = Integer(0, least=0, most=LATEST)
    weights, verb, votes, history = Derived(), Derived(), Derived(), Derived()
    loss, accuracy = DerivedNumber(), DerivedNumber()

    _movable = ("model", "seed", "sentence", "word", "step")

    def __init__(
        self, record, *, model=0, seed=0, sentence=0, word=None, step=None, goal=None, moments=()
    ):
        record = as_record("record", record)
        step = int(record["steps"][-1]) if step is None else step
        chosen = {"model": model, "seed": seed, "sentence": sentence, "step": step}
        super().__init__(record=record, word=0 if word is None else word, **chosen)
        if word is None:
            self.word = int(np.flatnonzero(self._truth() >= 0).max(initial=0))
        self._lead(goal, moments)

    @property
    def models(self):
        """The names of the models."""
        return self.record["models"]

    @property
    def seeds(self):
        """The places of the seeds."""
        return range(self.record.n_seeds)

    @property
    def sentences(self):
        """The sentences."""
        return self.record["sentences"]

    @property
    def words(self):
        """The words of the chosen sentence."""
        return tuple(self.sentences[self.sentence].split())

    def _of(self, what):
        """Return what is recorded of the chosen model, (n_seeds, n_steps)."""
        return self.record[f"{what}/{self.models[self.model]}"]

    def _table(self, what):
        """Return what is recorded of model, sentence and seed, (n_steps, …)."""
        name = f"{what}/{self.models[self.model]}/{self.sentences[self.sentence]}"
        return self.record[name][self.seed]

    def _truth(self):
        return self.record[f"truth/{self.sentences[self.sentence]}"]

    def _at(self):
        """Return the place of the step among those that were recorded."""
        return int(np.searchsorted(self.record["steps"], self.step))

    def _forget(self, changed):
        """Let *Reset* put no word of one sentence into another."""
        super()._forget(changed | {"word"} if "sentence" in changed else changed)

    def _agree(self):
        for name in ("model", "seed", "sentence", "word"):
            require_index(self, name)
        steps = self.record["steps"]
        if self.step not in steps:
            near = steps[np.abs(steps - self.step).argmin()]
            rule = "step must be one of the steps that were recorded"
            clash = f"{self.step} is none of them; close to it: {near}"
            refuse(rule, clash, step=self.step, **{"the last step": steps[-1]})

    def _derive(self):
        at, weights = self._at(), self._table("weights")
        return {
            "weights": weights[at],
            "verb": np.where(self._truth() < 0, np.nan, self._table("verb")[at]),
            "votes": self._table("votes")[at],
            "history": weights[:, self.word],
            "loss": float(self._of("loss")[self.seed, at]),
            "accuracy": float(self._of("accuracy")[self.seed, at]),
        }

    def _measured(self):
        return {name: getattr(self, name) for name in ("weights", "votes", "loss", "accuracy")}

    # In words

    def _told(self):
        """Say where the word looks and what follows, as the live view does: parts of a sentence."""
        i, row = self.word, self.weights[self.word]
        who, then = [f"At step {self.step}, ", *named(self.words, i)], f". {self._answered(i)}"
        if not row.any():
            return [*who, " looks at nothing", then]
        j, first = int(row.argmax()), self.record["steps"][0]
        whom = ["itself"] if j == i else [(self.words[j],), f", {_far(i, j)}"]
        before = f" ({number(self.history[0, j])} at step {first})" if self.step > first else ""
        return [*who, f" gives {number(row[j])} of its attention to ", *whom, before, then]

    def _answered(self, i):
        """Say what the model takes an ambiguous word for."""
        truth, verb = self._truth()[i], self.verb[i]
        if truth < 0:
            return "It is not ambiguous, so nothing is asked of it."
        if verb == 0.5:
            return "It is taken for neither: verb and noun have 0.50 each."
        answer, right = ("noun", "verb")[int(verb > 0.5)], ("noun", "verb")[truth]
        verdict = "right" if answer == right else f"wrong: it is a {right}"
        return f"It is taken for a {answer} with {number(max(verb, 1 - verb))}, which is {verdict}."

    def _draw(self):
        return _Picture(self).paper

    def _alt(self):
        steps, seed = self.record["steps"], self.seed
        answers = ", ".join(
            f"{self.words[i]} (word {i}) {_short_answer(self.verb[i], self._truth()[i])[0]}"
            for i in np.flatnonzero(self._truth() >= 0)
        )
        votes = ", ".join(
            f"{word} {number(x)}" for word, x in zip(self.words, self.votes, strict=True)
        )
        curves = " and ".join(
            f"{what} from {number(x[seed, 0])} to {number(x[seed, -1])}"
            for what, x in (("loss", self._of("loss")), ("accuracy", self._of("accuracy")))
        )
        return (
            f"The training of {self.models[self.model]}, seed {seed}, on “{' '.join(self.words)}”. "
            f"{quoted(self._told())} All answers: {answers or 'none'}. "
            f"What each word votes for, from 0, noun, to 1, verb: {votes}. Beside it the weights "
            f"of this word at {len(steps)} steps from {steps[0]} to {steps[-1]}, and the curves of "
            f"{curves}; at step {self.step} they are {number(self.loss)} and "
            f"{number(self.accuracy, 3)}. Below, the weights of all words, rows are queries, "
            f"columns are keys."
        )


def _far(i, j):
    """Say how far word j lies from word i."""
    return f"{abs(i - j)} {'word' if abs(i - j) == 1 else 'words'} {'back' if j < i else 'on'}"


def _short_answer(verb, truth):
    """Return an answer in short, and whether it is right."""
    right = verb != 0.5 and (verb > 0.5) == (truth == 1)
    said = "verb" if verb > 0.5 else "noun" if verb < 0.5 else "none"
    return f"{said} {number(max(verb, 1 - verb))} {'✓' if right else '✗'}", right


# The still picture: the word's lines beside its weights at all steps; the table, and the curves

WIDE, LINES, BAR, VOTE, CURVE = 864, 112, 40, 26, 84
COURSE = "How it came to look there"


class _Picture:
    """Draws a `Learning`."""

    def __init__(self, of):
        self.of, self.words = of, [plain(word, 12) for word in of.words]
        n = len(self.words)
        self.row = 24 if n <= 12 else 20 if n <= 16 else 15
        self.size = 12 if self.row > 16 else 10
        told = wrapped(quoted(of._told()), WIDE - 36)
        self.top = story_height(told) + 50
        wide = room(self.words, size=self.size, bold=True)
        self.asks = 12 + BAR + 6 + room("noun 0.00 ✗", size=self.size) + 12 + wide
        self.names = self.asks + LINES + 4
        self.numbers = self.names + wide + 10
        self.votes = self.numbers + 42
        self.left = self.votes + VOTE + 8 + max(wide + 22, 66)  # of the axis of steps
        self.named = f"{of.models[of.model]}, seed {of.seed}"
        titles = room(COURSE, bold=True) + room(self.named, size=12) + 30
        self.right = max(WIDE - 12, self.left + max(titles, 320))
        self.low = self.top + self.row * n
        table = self._table(self.left - 100)
        below = self.low + 34
        height = max(below + table.size[1], self.low + 2 * (CURVE + 34) + 40)
        self.paper = Paper(self.right + 12, height + 8)
        self.paper.story(told)
        self._draw_titles()
        self._draw_lines()
        self._draw_answers()
        self._draw_votes()
        self._draw_history()
        self._draw_curves()
        table.draw(self.paper, 8, below)

    def _middle(self, i):
        return self.top + self.row * (i + 0.5)

    def _draw_titles(self):
        of, y = self.of, self.top - 36
        self.paper.write(8, y, f"Where “{self.words[of.word]}” looks at step {of.step}", bold=True)
        self.paper.write(self.left, y, COURSE, bold=True)
        self.paper.write(self.right, y, self.named, SOFT, size=12, at="rm")
        heads = (("verb", 12, FIRST), ("noun", 44, SECOND))
        for words, x, color in heads:
            self._head(words, x, color, at="lm")
        self._head("query", self.asks, COLORS["query"], at="rm")
        self._head("key", self.names, COLORS["key"], at="lm")
        self._head("key", self.left - 8, COLORS["key"], at="rm")
        self.paper.write(self.votes + VOTE, self.top - 14, "votes", SOFT, size=11, at="rm")

    def _head(self, words, x, color, *, at):
        wide = room(words, size=11)
        self.paper.write(x, self.top - 14, words, SOFT, size=11, at=at)
        self.paper.box(x - wide * (at == "rm"), self.top - 6, wide, 3, fill=color)

    def _draw_lines(self):
        """Draw the words twice, lines between them, and the weight of each key."""
        paper, row = self.paper, self.of.weights[self.of.word]
        for i, word in enumerate(self.words):
            chosen = i == self.of.word
            told = {"size": self.size, "color": INK if chosen else SOFT}
            paper.write(self.asks, self._middle(i), word, at="rm", bold=chosen, **told)
            paper.write(self.names, self._middle(i), word, size=self.size)
            fill, ink = shade(row[i])
            paper.box(self.numbers, self._middle(i) - self.row / 2 + 1, 36, self.row - 2, fill=fill)
            middle = self.numbers + 18, self._middle(i)
            paper.write(*middle, number(row[i]), ink, size=self.size, at="mm")
        seen = np.flatnonzero(row >= LEAST_LINE)
        start = self.asks + 4, self._middle(self.of.word)
        end = self.asks + LINES, self._middle(seen)
        for j, band in zip(seen, bands(start, end, row[seen] * (self.row - 5)), strict=True):
            paper.area(band, FIRST, alpha=round(0.25 + 0.7 * float(row[j]), 2))

    def _draw_answers(self):
        """Draw what the model makes of each ambiguous word, as a bar and in words."""
        truth, verb = self.of._truth(), self.of.verb
        for i in np.flatnonzero(truth >= 0):
            y, part = self._middle(i), BAR * verb[i]
            self.paper.hatch(12, y - 6, BAR, 12, SECOND)
            if part >= 0.5:
                self.paper.box(12, y - 6, part, 12, fill=FIRST)
            said, right = _short_answer(verb[i], truth[i])
            color = INK if right else WARN
            self.paper.write(12 + BAR + 6, y, said, color, size=self.size, bold=i == self.of.word)

    def _draw_votes(self):
        """Draw what each word votes for, as the answers are drawn, and lower."""
        for i, verb in enumerate(self.of.votes):
            y, part = self._middle(i), VOTE * verb
            self.paper.hatch(self.votes, y - 4, VOTE, 8, SECOND)
            if part >= 0.5:
                self.paper.box(self.votes, y - 4, part, 8, fill=FIRST)

    def _draw_history(self):
        """Draw the word's weights, a column for each step, and frame the chosen one."""
        paper, n_steps = self.paper, len(self.of.record["steps"])
        wide, high = self.right - self.left, self.row * len(self.words)
        paper.picture(self.left, self.top, wide, high, self.of.history.T)
        paper.box(self.left - 1, self.top - 1, wide + 2, high + 2, edge=LINE)
        for i, word in enumerate(self.words):
            paper.write(self.left - 8, self._middle(i), word, size=self.size, at="rm")
        x = self.left + wide * self.of._at() / n_steps
        paper.box(x - 1, self.top - 3, wide / n_steps + 2, high + 6, edge=INK, line=2)

    def _draw_curves(self):
        """Draw accuracy and loss over the same steps, all seeds pale, the chosen one dark."""
        of, steps = self.of, self.of.record["steps"]
        at, wide = of._at(), self.right - self.left
        least = min(0.5, min(of.record[f"accuracy/{name}"].min() for name in of.models))
        most = max(of.record[f"loss/{name}"].max() for name in of.models)
        shown = (
            (
                "accuracy",
                f"accuracy {number(of.accuracy, 3)} on unseen sentences",
                (least, 1.0),
                [0.5, 0.75, 1],
            ),
            ("loss", f"loss {number(of.loss)}", (0.0, most or 1.0), spaced(0, most or 1.0, 3)),
        )
        for nth, (what, title, up, ticks) in enumerate(shown):
            top = self.low + 36 + nth * (CURVE + 34)
            axes = Axes(self.paper, self.left, top, wide, CURVE, (-0.5, len(steps) - 0.5), up)
            axes.ticks(y=ticks, grid=True)
            self.paper.write(self.left, top - 12, title, bold=True, size=12)
            for seed, values in enumerate(of._of(what)):
                if seed != of.seed and len(steps) > 1:
                    self.paper.line(axes.at(np.arange(len(steps)), values), LINE)
            if len(steps) > 1:
                line = axes.at(np.arange(len(steps)), of._of(what)[of.seed])
                self.paper.line(line, INK, width=2)
            ends = axes.at([at, at], up)
            self.paper.line(ends, SOFT, dash=(4, 3))
            place = axes.at(at, of._of(what)[of.seed, at])
            self.paper.disc(*place, 4.5, fill=PAPER, edge=INK, line=2)
        for place in _apart(len(steps), 7):
            x = axes.at(place, 0)[0]
            self.paper.write(x, top + CURVE + 8, f"{steps[place]}", SOFT, size=11, at="mt")
        middle = self.left + wide / 2
        self.paper.write(middle, top + CURVE + 24, "step", SOFT, size=12, at="mt")

    def _table(self, wide):
        """Return all weights of the step with their numbers, or as a map where they lack room."""
        words, weights, title = self.words, self.of.weights, f"All words at step {self.of.step}"
        beside = max(room(words, bold=True), room("query ↓ key →", size=11)) + 10
        cell = (wide - beside) / len(words)
        if cell < 27:
            side = wide - room(words, size=10, bold=True) - 60
            return Map(weights, words, title, self.of.word, side=round(min(360, side)))
        return Table(weights, words, words, title=title, cell=min(38, cell), row=21, least=1e-9,
                     marked=self.of.word, corner="query ↓ key →")  # fmt: skip


def _apart(n, most):
    """Return at most so many of n places, evenly spaced from the first to the last."""
    return sorted({round(float(x)) for x in np.linspace(0, n - 1, min(n, most))})
