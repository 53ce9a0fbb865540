"""A tagger's training, step by step: where it looks, what it answers, how often it is right."""

import numpy as np

from attnlib._inputs import refuse
from attnlib.pictures.colours import COLORS
from attnlib.pictures.paper import Paper, bands, number, room, story_height, wrapped
from attnlib.pictures.shades import FIRST, INK, LINE, PAPER, SOFT, shade
from attnlib.pictures.shared import shared
from attnlib.widgets._base import Widget, named, plain, quoted
from attnlib.widgets._training import TrainingRecord, as_record
from attnlib.widgets._traits import Derived, DerivedNumber, Index, Integer, require_index

HEADS = ("who looks", "at whom")
LATEST = 10**9  # step
MEASURED = "weights", "verb", "votes", "loss", "accuracy"
LEAST_LINE, SPREAD = shared("learning", "LEAST_LINE", "SPREAD")
"""A smaller weight draws no line; where no word has more, a word looks everywhere."""
(WHY,) = shared("learning", "WHY")  # what is asked of no word, or of this one
GUESS, WIDER = shared("learning", "GUESS", "WIDER")
"""What is said of an answer before all training; and of steps that grow."""


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
    weights, verb, votes, history = Derived(shares=True), Derived(), Derived(), Derived()
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
        return {name: getattr(self, name) for name in MEASURED}

    def _can_be(self, name, place):
        """Return the least and the most that was recorded there, in all trainings and sentences."""
        record, told = self.record, self.sentences if place else [""]
        long = [one for one in told if len(one.split()) > max(place, default=-1)]
        if name == "verb":  # of what is not ambiguous nothing is asked
            long = [one for one in long if record[f"truth/{one}"][place] >= 0]
        kept = [record[f"{name}/{m}/{one}".rstrip("/")] for m in self.models for one in long]
        each = [x[(..., *place)] for x in kept]
        ends = min((x.min() for x in each), default=1), max((x.max() for x in each), default=0)
        return tuple(map(float, ends))

    # In words

    def _told(self):
        """Say where the word looks and what follows, as the live view does: parts of a sentence."""
        i, row = self.word, self.weights[self.word]
        who, then = [f"At step {self.step}, ", *named(self.words, i)], f". {self._answered(i)}"
        if not row.any():
            return [*who, " looks at nothing", then]
        j, first = int(row.argmax()), self.record["steps"][0]
        if row[j] < SPREAD:
            most = number(row[j])
            spread = f" looks everywhere: no word gets more than {most} of its attention"
            return [*who, spread, then]
        whom = ["itself"] if j == i else [(self.words[j],), f", {_far(i, j)}"]
        before = f" ({number(self.history[0, j])} at step {first})" if self.step > first else ""
        return [*who, f" gives {number(row[j])} of its attention to ", *whom, before, then]

    def _answered(self, i):
        """Say what the model takes an ambiguous word for."""
        truth, verb = self._truth()[i], self.verb[i]
        if truth < 0:
            return "It is not ambiguous, so nothing is asked of it."
        if not self.step:  # right or wrong, nothing has been learned
            return GUESS
        if verb == 0.5:
            return "It is taken for neither: verb and noun have 0.50 each."
        answer, right = ("noun", "verb")[int(verb > 0.5)], ("noun", "verb")[truth]
        verdict = "right" if answer == right else f"wrong, it is a {right}"
        return f"It is taken for a {answer} ({number(max(verb, 1 - verb))}): {verdict}."

    def _why(self):
        """Say what the model is trained for, and by which word it can know."""
        return WHY[int(self._truth()[self.word] >= 0)].replace("{}", self.words[self.word])

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
            f"{quoted(self._told())} {self._why()} Lines lead from this word to each word that it "
            f"looks at; beside them stand its weights at {len(steps)} steps from {steps[0]} to "
            f"{steps[-1]}. All answers: {answers or 'none'}. What each word votes for, from 0, "
            f"noun, to 1, verb: {votes}. Over the training the curves of {curves}; at step "
            f"{self.step} they are {number(self.loss)} and {number(self.accuracy, 3)}."
        )


def _far(i, j):
    """Say how far word j lies from word i."""
    return f"{abs(i - j)} {'word' if abs(i - j) == 1 else 'words'} {'back' if j < i else 'on'}"


def _short_answer(verb, truth):
    """Return an answer in short, and whether it is right."""
    right = verb != 0.5 and (verb > 0.5) == (truth == 1)
    said = "verb" if verb > 0.5 else "noun" if verb < 0.5 else "none"
    return f"{said} {number(max(verb, 1 - verb))} {'✓' if right else '✗'}", right


# The still picture: the word's lines and, on the same rows, its weights at all steps

WIDE, LINES, NUMBER = 864, 150, 38


class _Picture:
    """Draws a `Learning`."""

    def __init__(self, of):
        self.of, self.words = of, [plain(word, 12) for word in of.words]
        n = len(self.words)
        self.row = 24 if n <= 12 else 20 if n <= 16 else 15
        self.size = 12 if self.row > 16 else 10
        told, why = wrapped(quoted(of._told()), WIDE - 36), wrapped(of._why(), WIDE - 24)
        below = story_height(told) + 20 * len(why)
        self.top = below + 62
        wide = max(room(self.words, size=self.size, bold=True), room(HEADS, size=11))
        self.asks = 12 + wide
        self.names = self.asks + LINES + 8
        self.numbers = self.names + wide + 10
        self.left = self.numbers + NUMBER + 14  # of all steps
        self.right = max(WIDE - 16, self.left + 360)
        self.paper = Paper(self.right + 16, self.top + self.row * n + 46)
        self.paper.story(told)
        for k, line in enumerate(why):
            self.paper.write(8, story_height(told) + 20 * k + 6, line, SOFT)
        self._draw_heads()
        self._draw_lines()
        self._draw_history()

    def _middle(self, i):
        return self.top + self.row * (i + 0.5)

    def _draw_heads(self):
        y, ends = self.top - 14, ((self.asks, "rm", "query"), (self.names, "lm", "key"))
        for words, (x, at, role) in zip(HEADS, ends, strict=True):
            wide = room(words, size=11)
            self.paper.write(x, y, words, SOFT, size=11, at=at)
            self.paper.box(x - wide * (at == "rm"), y + 8, wide, 3, fill=COLORS[role])

    def _draw_lines(self):
        """Draw the words twice, lines between them, and the weight of each key."""
        paper, row = self.paper, self.of.weights[self.of.word]
        for i, word in enumerate(self.words):
            chosen = i == self.of.word
            told = {"size": self.size, "color": INK if chosen else SOFT}
            paper.write(self.asks, self._middle(i), word, at="rm", bold=chosen, **told)
            paper.write(self.names, self._middle(i), word, size=self.size)
            fill, ink = shade(row[i])
            paper.box(
                self.numbers, self._middle(i) - self.row / 2 + 1, NUMBER, self.row - 2, fill=fill
            )
            middle = self.numbers + NUMBER / 2, self._middle(i)
            paper.write(*middle, number(row[i]), ink, size=self.size, at="mm")
        seen = np.flatnonzero(row >= LEAST_LINE)
        start = self.asks + 4, self._middle(self.of.word)
        end = self.asks + LINES, self._middle(seen)
        for j, band in zip(seen, bands(start, end, row[seen] * (self.row - 5)), strict=True):
            paper.area(band, FIRST, alpha=round(0.25 + 0.7 * float(row[j]), 2))

    def _draw_history(self):
        """Draw the word's weights, a column for each step; the rail, and a frame at the step."""
        of, paper, steps = self.of, self.paper, self.of.record["steps"]
        wide, high = self.right - self.left, self.row * len(self.words)
        column = wide / len(steps)
        paper.picture(self.left, self.top, wide, high, of.history.T)
        paper.box(self.left - 1, self.top - 1, wide + 2, high + 2, edge=LINE)
        x, rail = self.left + column * (of._at() + 0.5), self.top - 42
        paper.line([(self.left, rail), (self.right, rail)], LINE)
        paper.line([(x, rail), (x, self.top)], dash=(4, 3))
        paper.box(x - column / 2 - 1, self.top - 3, column + 2, high + 6, edge=INK, line=2)
        paper.disc(x, rail, 13, fill=PAPER, edge=INK, line=3)
        paper.write(x, rail, f"{of.step}", size=11, at="mm", bold=True)
        paper.write(self.left - 16, rail, "training step", SOFT, at="rm")
        said = "more colour: more attention"
        there = (x + 16, "lm") if x < self.left + wide / 2 else (x - 16, "rm")
        paper.write(there[0], self.top - 14, said, SOFT, size=11, at=there[1])
        for place in _apart(len(steps), 7):
            middle = self.left + column * (place + 0.5)
            paper.write(middle, self.top + high + 8, f"{steps[place]}", SOFT, size=11, at="mt")
        apart = np.diff(steps)
        words = "training step" + WIDER * bool(len(apart) and apart[0] < apart[-1])
        y = self.top + high + 32
        paper.write(self.left + wide / 2, y, words, SOFT, size=11, at="mm")


def _apart(n, most):
    """Return at most so many of n places, evenly spaced from the first to the last."""
    return sorted({round(float(x)) for x in np.linspace(0, n - 1, min(n, most))})
