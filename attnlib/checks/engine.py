"""Judging a learner's function: run the cases, recognise the mistake, write the report."""

from __future__ import annotations

import re
import types
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from attnlib.checks.calling import (
    Outcome,
    arrays_outside,
    call,
    code_of,
    is_stub,
    misfit,
    numbers_outside,
    same_array,
    unread,
)
from attnlib.checks.earlier import adapted, as_it_was
from attnlib.checks.entries import copied, holds_numbers, leaves, shapes
from attnlib.checks.exercise import ANY, Case, Exercise, Fact, Mistake, Promise, differs, kept
from attnlib.checks.likeness import Likeness, likened, telling
from attnlib.checks.promises import LEADING, SCALE
from attnlib.checks.report import (
    Array,
    Arrays,
    Bullets,
    Code,
    Entries,
    Report,
    Words,
    numbers,
    printable,
    tidy,
)
from attnlib.checks.stopping import Limit, Stopped
from attnlib.checks.supposed import suppositions

UNCHANGED = "the inputs stay unchanged"
MOST_NUMBERS = 70  # in dictionaries whose arrays are all shown
FACTORS = np.geomspace(0.05, 0.95, 12)  # by which inputs get smaller on the way to an overflow
AGAIN = "Called with the same inputs again, your function gave another answer."
AS_A_NEW_DICTIONARY = (
    "A dictionary that comes in is the dictionary of whoever called, and so are its arrays. Start "
    "from `dict(x)`, a new dictionary of the same arrays, and put new arrays into that."
)


def examine(exercise: Exercise, function) -> Report:
    """Judge a function; whatever it is and does, a report comes back.

    Parameters
    ----------
    exercise : Exercise
        What it should do.
    function : object
        What the learner handed in.
    """
    if function is Ellipsis:
        return _not_attempted(exercise)
    if not callable(function):
        return _not_a_function(exercise, function)
    if is_stub(function):
        return _not_attempted(exercise)
    if (today := adapted(exercise, function)) is not function:
        return _Examination(as_it_was(exercise), today, exercise.earlier.remark).report()
    if words := misfit(function, exercise.parameters):
        return _failed(exercise, [Words(words), _task(exercise)])
    return _Examination(exercise, function).report()


class _Examination:
    """The cases of one exercise, run once by the reference and once by the learner's function."""

    def __init__(self, exercise: Exercise, function: Callable, remark: str = ""):
        self.exercise, self.function, self.remark = exercise, function, remark
        self.cases = exercise.all_cases()
        # The right answers come first: nothing the learner's function does can reach them.
        self.expected = [answered(exercise, exercise.answer, case) for case in self.cases]
        self.running = self.cases[0].inputs
        self.tried: list[tuple] = []  # what facts called the function with
        self.outcomes: list[Outcome] = []
        self.facts: dict[str, bool] = {}
        self.told: dict[str, str] = {}  # what facts that do not hold found
        self.limit = Limit()

    def _call(self, function, case: Case) -> Outcome:
        return call(function, case.inputs, self.exercise.parts, self.limit)

    def _again(self, inputs: tuple) -> Outcome:
        self.running = inputs
        return call(self.function, inputs, self.exercise.parts, self.limit)

    def report(self) -> Report:
        try:
            with self.limit:
                return self._report()
        except (KeyboardInterrupt, Stopped) as end:
            return _ended(self.exercise, self.running, end)

    def _report(self) -> Report:
        outcomes = self.outcomes
        for case in self.cases:
            self.running = case.inputs
            outcomes.append(self._call(self.function, case))
            if outcomes[-1].kind == "stub":
                return _not_attempted(self.exercise)
        right = [o.agrees(e) for o, e in zip(outcomes, self.expected, strict=True)]
        self.facts = facts = self._facts(outcomes, right)
        if all(right) and all(facts.values()):
            return _passed(self.exercise, tuple(facts), tuple(self._remarks()), self.function)
        if all(right):
            return self._beyond_the_cases(facts)
        known = recognise(self.exercise, self.cases, outcomes, self.expected, self._again)
        i = right.index(False) if known else self._clearest(right)
        raised = "" if known else self._raised_beside(i, outcomes)
        return self._diagnosis(self.cases[i], outcomes[i], self.expected[i], facts, known, raised)

    def _remarks(self) -> Iterator[str]:
        """Say where a right function goes wrong on what the exercise does not ask for.

        Of each kind the smallest example that shows it. Nothing found here makes it wrong, so the
        right answers can wait until all else is right.
        """
        if self.remark:
            yield self.remark
        told = set()
        for case in self.exercise.remarked():
            if case.promise in told:
                continue
            try:
                got = self._call(self.function, case)
            except (KeyboardInterrupt, Stopped) as end:
                who = "the check" if isinstance(end, Stopped) else "you"
                yield f"With {case.shows}, your function was still running when {who} stopped it."
                return
            expected = answered(self.exercise, self.exercise.answer, case)
            if not got.agrees(expected):
                told.add(case.promise)
                yield _remark(self.exercise, case, got, expected)

    def _clearest(self, right: list[bool]) -> int:
        """Choose the wrong example to show: the first whose promise is about what is wrong.

        What is wrong without leading axes is not about them, and where a promise with a hint of its
        own is not kept, nothing is learnt from random inputs.
        """

        def beside(i):
            case = self.cases[i]
            return case.promise is not None, case.promise is LEADING, case.promise is ANY, i

        return min((i for i, ok in enumerate(right) if not ok), key=beside)

    def _raised_beside(self, i: int, outcomes) -> str:
        """Say what another plain example of as many axes raised, where this one gave an answer.

        Sizes that happen to be equal hide that shapes do not fit; the line tells where.
        """
        for case, outcome in zip(self.cases, outcomes, strict=True):
            alike = case.promise is None and case.axes == self.cases[i].axes
            if outcomes[i].kind == "answer" and alike and outcome.kind == "raised":
                called = _called_with(self.exercise, case.inputs)
                return f"In another example, y{outcome.words[1:]} It was called with {called}."
        return ""

    def _facts(self, outcomes, right) -> dict[str, bool]:
        """Every fact by name, and whether it holds for the learner's function."""
        facts = {}
        for case, ok in zip(self.cases, right, strict=True):
            facts[case.shows] = facts.get(case.shows, True) and ok
        plain = [case for case in self.cases if case.promise is None]
        for fact in self.exercise.facts:
            facts[fact.name] = all(self._holds(fact, case.inputs) for case in plain)
        return facts | {UNCHANGED: not any(outcome.changed for outcome in outcomes)}

    def _holds(self, fact, inputs) -> bool:
        def answer(*inputs):
            self.running = inputs
            self.tried.append(inputs)
            outcome = call(self.function, inputs, self.exercise.parts, self.limit)
            if not outcome.finite:
                raise _NoAnswerError  # of NaN, nothing is said to hold: NaN agrees with NaN
            return outcome.as_asked(self.exercise.parts)

        try:
            with np.errstate(all="ignore"):
                found = fact.holds(answer, *inputs)
        except (_NoAnswerError, ValueError, LookupError, TypeError, ArithmeticError):
            return False  # a wrong shape does not fit the fact's arithmetic, nor does a lost entry
        if isinstance(found, str):
            self.told[fact.name] = found
            return False
        return bool(found)

    def _beyond_the_cases(self, facts) -> Report:
        """Report a function that is right in every case, where some fact does not hold."""
        for case in sorted((Case("", inputs) for inputs in self.tried), key=lambda case: case.size):
            got, expected = self._call(self.function, case), self._call(self.exercise.answer, case)
            if not got.agrees(expected):
                return self._diagnosis(case, got, expected, facts, None)
        failing = tuple(name for name, holds in facts.items() if not holds)
        words = "Your answers to the examples are right, but this should hold as well:"
        hint = next((f.hint for f in self.exercise.facts if f.name in failing), Fact.hint)
        found = [Words(self.told[name]) for name in failing if name in self.told]
        blocks = [Words(words), Bullets(failing, "✗"), *found, Words(f"Hint: {hint}")]
        return _failed(self.exercise, blocks)

    def _diagnosis(
        self, case, got: Outcome, expected: Outcome, facts, known, raised: str = ""
    ) -> Report:
        if known is None and got.changed and got.kind == "answer":
            known = in_place(self.exercise, got, expected)
        blocks = [] if known is None else [Words(known.sentence)]
        symptoms = _symptoms(self.exercise, case.inputs, got, expected, known)
        symptoms = symptoms or ([] if known else _suspicions(got, expected))
        like = [] if known or got.kind != "answer" else self._likeness(case, got)
        differs_again = AGAIN in [one.sentence for one in like]
        like += [] if known else _of_another_order(self.function, self.exercise.parameters)
        symptoms += [one.sentence for one in like]
        if known is None and got.changed:
            symptoms += [f"Your function {changed_words(self.exercise, got)}"]
        promise = None if differs_again else case.promise or self._promised(case, facts)
        if promise is not None and known is None:
            plain = "Your function is right for the plain examples, but the exercise asks for more"
            symptoms.insert(0, f"{plain}: {promise.name}. Here that does not hold yet.")
        symptoms += [raised] if raised else []
        never, overwritten = [], []
        if known is None and got.kind != "nothing":
            never, overwritten = unread(self.function, len(self.exercise.parameters))
            asked = got.raised.question if got.raised else ""
            never = [name for name in never if f"mean `{name}`?" not in asked]
            symptoms += _unused(self.function, never, overwritten)
        symptoms += [] if never else _read_outside(self.function)
        blocks += [Words(text) for text in symptoms]
        blocks += [Words("The smallest example that shows it:")]
        arrays = _inputs(self.exercise, case.inputs, got.changed)
        arrays += _compared(self.exercise, got, expected) + _moved(self.exercise, case.inputs, got)
        blocks += [Arrays(tuple(arrays))]
        blocks += _just_below_1(self.exercise, case.inputs)
        blocks += _places(self.exercise, got, expected)
        blocks += _of_the_rest(arrays)
        if got.printed.strip():
            lines = [printable(line.rstrip(), 90) for line in got.printed.splitlines()[:6]]
            blocks += [Words("While it ran, this was printed:"), Code("\n".join(lines))]
        hold = [facts.get(fact.name, False) for fact in self.exercise.facts]
        begun = any(facts[c.shows] for c in self.cases if c.promise is None)
        begun = begun or sum(hold) > len(hold) / 2
        unused = never + overwritten
        text, level = _hint(self.exercise, promise, got, expected, known, unused, begun, like)
        blocks += [Words(f"Hint: {text}")] if text else []
        blocks += [] if differs_again else self._right_already(case, facts, got, expected)
        name = self.exercise.name
        more = f'hint("{name}", {level})' if level > 1 else f'hint("{name}")'
        more = more if level <= len(self.exercise.hints) else f'solution("{name}")'
        blocks += [Words(f"More help: `{more}`.")]
        return _failed(
            self.exercise, blocks, known.name if known else None, tuple(map(copied, case.inputs))
        )

    def _likeness(self, case: Case, got: Outcome) -> list[Likeness]:
        """Say what the answers to plain examples have to do with the right ones, if anything."""
        if not self._again(case.inputs).answers(got):
            return [Likeness(AGAIN, Fact.hint)]
        plain = [i for i, c in enumerate(self.cases) if c.promise is None]
        plain.sort(key=lambda i: self.cases[i] is not case)  # the example that is shown comes first
        met = [
            (self.cases[i], self.outcomes[i], self.expected[i])
            for i in plain
            if self.outcomes[i].kind == "answer"
        ]
        if not met or met[0][0] is not case:
            return []
        return likened(self.exercise, met) or [*map(Likeness, self._supposed(met))]

    def _supposed(self, met) -> list[str]:
        """Say for which other inputs the answers would be right, where they are finite."""
        met = [(c, got, due) for c, got, due in met if got.finite or c is met[0][0]]
        if not any(telling(got, due) for _, got, due in met):
            return []

        def agrees(one):
            if not all(o.answers(answered(self.exercise, one.function, c)) for c, o, _ in met):
                return False
            found = self.exercise, self.cases, self.outcomes, self.expected
            return not contradicted(*found, one)

        found = [*filter(agrees, suppositions(self.exercise))]
        alone = {"left out", "not used"}  # of two things left out, nobody knows which
        found = [one for one in found if one.name not in alone or len(found) == 1]
        return [one.sentence for one in found[:1]]

    def _right_already(self, case: Case, facts, got: Outcome, expected: Outcome) -> list[Words]:
        """List what holds, in the example that is shown, too; and other examples that are right.

        Of an array of another shape nothing is said to hold, for it may be stretched where a fact
        compares; nor of very short or long vectors, where a fact would allow too much.
        """
        strange = _of_another_shape(self.exercise, got, expected)
        own = {fact.name: fact for fact in self.exercise.facts}
        further = {c.shows for c in self.cases if c.promise is not None} | {UNCHANGED}
        held = [name for name, holds in facts.items() if holds and name not in further]
        facts_held = [n for n in held if n in own and not any(part in n for part in strange)]
        if case.promise is SCALE:
            facts_held = []
        facts_held = [n for n in facts_held if self._holds(own[n], case.inputs)]
        others = [re.sub(" (is|are) right$", "", name) for name in held if name not in own]
        words = [f"Already right: {'; '.join(facts_held)}."] if facts_held else []
        words += [f"Other examples come out right: {'; '.join(others)}."] if others else []
        return [Words(" ".join(words))] if words else []

    def _promised(self, case: Case, facts) -> Promise | None:
        """Give the promise that a plain example is one of, if the others are right.

        It may have the promise's name; or batch axes, where the ones with fewer axes are right.
        """
        plain = [c for c in self.cases if c.promise is None]
        made = {c.promise.name: c.promise for c in self.cases if c.promise is not None}
        if case.shows in made and all(facts[c.shows] for c in plain if c.shows != case.shows):
            return made[case.shows]
        if case.axes <= self.cases[0].axes or LEADING.name not in made:
            return None
        return LEADING if all(facts[c.shows] for c in plain if c.axes < case.axes) else None


class _NoAnswerError(Exception):
    """The learner's function gave no answer where a fact asked for one."""


def answered(exercise: Exercise, function: Callable, case: Case) -> Outcome:
    """Call the reference, or a known mistake's function, in a case: once in a process."""
    found = exercise.answered.setdefault(case, {})
    if function not in found:
        outcome = call(function, case.inputs, exercise.parts)
        kept([*outcome.arrays, *(x for held in outcome.left for x in leaves(held))])
        found[function] = outcome
    return found[function]


def recognise(
    exercise: Exercise,
    cases: Sequence[Case],
    outcomes: list[Outcome],
    expected: list[Outcome],
    again: Callable[[tuple], Outcome] | None = None,
) -> Mistake | None:
    """Find the known mistake that leads to the same outcomes; None where several do.

    A mistake that agrees in every case is the one, or in every plain example, if some of them are
    wrong. Failing that, where the first wrong outcome is an exception, the mistake that is right up
    to there and fails there in the same way: of two mistakes, the first that is met. Where it is
    an answer, the only mistake that agrees wherever the learner's function gave a finite one to a
    plain example of as many axes as the smallest has, some of them wrong: so a function that also
    breaks on batches or overflows is still told what it did.

    Agreement may be chance. Where plain examples alone agree, those of the promises must not speak
    against it, and NaN or 0 everywhere is no agreement. Where nothing else agrees in any case, the
    mistake has to overflow where the learner's function does, as inputs get smaller: `again` calls
    it with those.
    """

    def agrees(known, i):
        return _alike(outcomes[i], answered(exercise, known.function, cases[i]))

    def only(mistakes, places):
        # Lazily, for most mistakes differ in the first case already.
        return [known for known in mistakes if all(agrees(known, i) for i in places)]

    if any(outcome.raised and outcome.raised.ambiguous for outcome in outcomes):
        return None  # Python's own max, or an if: no known mistake raises that

    def tells(places):
        return any(telling(outcomes[i], expected[i]) for i in places)

    def safe(known):
        return not contradicted(exercise, cases, outcomes, expected, known)

    plain = [i for i, case in enumerate(cases) if case.promise is None]
    wrong = [i for i, outcome in enumerate(outcomes) if not outcome.agrees(expected[i])]
    if same := only(exercise.mistakes, range(len(cases))):
        vague = again is not None and not tells(wrong)
        if vague and not _overflow_alike(exercise, same[0].function, again, cases[wrong[0]]):
            return None
        return same[0] if len(same) == 1 else None
    first = wrong[0]
    same = only(exercise.mistakes, plain) if {*wrong} & {*plain} else []  # or it shows elsewhere
    if same and outcomes[first].kind != "raised":
        named = len(same) == 1 and tells(plain) and safe(same[0])
        return same[0] if named else None
    if len(same) == 1:
        return same[0]
    if outcomes[first].kind == "raised":
        same = only(exercise.mistakes, range(first + 1))
        for i in range(first + 1, len(cases)):  # where one case leaves several, the next decides
            same = only(same, [i]) or same
        return same[0] if len(same) == 1 else None
    sound = [i for i in plain if outcomes[i].finite and cases[i].axes == cases[0].axes]
    alike = only(exercise.mistakes, sound) if tells(sound) else []
    return alike[0] if len(alike) == 1 and safe(alike[0]) else None


def contradicted(exercise, cases, outcomes, expected, known: Mistake) -> bool:
    """Whether the promises' examples speak against a mistake, where both answers are finite.

    They do where the mistake is wrong and the learner's function right, or where these two differ
    more often than not. Leading axes are another matter, where the exercise has any: a mistake has
    several forms there.
    """
    leading = exercise.shapes is None or exercise.shapes.leading
    alike, other = 0, 0
    for case, outcome, due in zip(cases, outcomes, expected, strict=True):
        if case.promise is None or (leading and case.axes > cases[0].axes) or not outcome.finite:
            continue
        its = answered(exercise, known.function, case)
        if not its.finite:
            continue
        same, right = outcome.agrees(its), outcome.agrees(due)
        if right and not same:
            return True
        alike, other = alike + (same and not right), other + (not same)
    return other > alike


def _overflow_alike(exercise, known: Callable, again: Callable, case: Case) -> bool:
    """Whether two functions do the same with a case's inputs made smaller, step by step."""
    for factor in FACTORS:
        inputs = tuple(
            x * factor if isinstance(x, np.ndarray) and x.dtype == float else x for x in case.inputs
        )
        if not call(known, inputs, exercise.parts).answers(again(inputs)):
            return False
    return True


def _alike(one: Outcome, other: Outcome) -> bool:
    """Whether two calls led to the same.

    Two exceptions are the same if one operation failed alike, two odd answers if the same is said.
    """
    if not one.agrees(other) or (one.kind == "odd" and one.words != other.words):
        return False
    if one.raised is None or one.raised.failure is None:
        return one.raised is None
    return one.raised.failure.like(other.raised.failure)


def in_place(exercise: Exercise, got: Outcome, expected: Outcome) -> Mistake | None:
    """Return the mistake of a function that answers right and changes what came in, if it is one.

    Whether it does change anything is for the caller to know.
    """
    if not got.answers(expected):
        return None
    return Mistake(
        "input changed in place",
        exercise.answer,
        f"Your answer is right, but your function {changed_words(exercise, got)}",
        AS_A_NEW_DICTIONARY
        if any(change.how != "written" for change in got.altered)
        else "Operators such as `-=`, and assigning to `x[...]`, write into the array of whoever "
        "called your function. Make a new array, as `x = x - 1` does, or start from `x.copy()`.",
    )


def changed_words(exercise: Exercise, got: Outcome) -> str:
    """Say which inputs were changed, after "your function"."""
    names = " and ".join(f"`{exercise.parameters[i]}`" for i in got.changed)
    return " ".join([f"changed its input {names} in place.", *_altered(exercise, got)])


def _altered(exercise, got: Outcome) -> list[str]:
    """Say what became of the first entry of a dictionary that was changed."""
    if not got.altered:
        return []
    first = got.altered[0]
    whose, name = f"`{exercise.parameters[first.i]}`", repr(tidy(first.name, 40))
    return {
        "written": [f"It wrote into the array that stands in {whose} under {name}."],
        "replaced": [f"It put another array into {whose} under {name}."],
        "added": [f"It added an entry {name} to {whose}."],
        "removed": [f"It took the entry {name} out of {whose}."],
    }[first.how]


def _symptoms(exercise, inputs, got: Outcome, expected: Outcome, known) -> list[str]:
    """Say in words what comes before any comparison of numbers."""
    if got.kind in ("nothing", "stub"):
        return ["Your function returned nothing. Is the `return` missing?"]
    if got.several and (got.kind == "odd" or got.arrays[0].shape != expected.arrays[0].shape):
        words = f"Your function returned {got.several} arrays, with a comma between them"
        return [f"{words}, but only one is asked for, the {exercise.returns}."]
    if got.kind == "odd":
        return [got.words]
    if got.kind == "raised":
        question = [got.raised.question] if got.raised.question and known is None else []
        called = f"It was called with {_called_with(exercise, inputs)}."
        return [" ".join([got.words, *question, called])]
    if got.names != expected.names:
        return [_other_names(got.names, expected.names)]
    met = zip(_labels(exercise, expected), got.arrays, expected.arrays, strict=True)
    for name, a, b in met:
        if a.shape != b.shape and b.dtype == object:
            n = f"{len(a)} string{'s' if len(a) != 1 else ''}"
            return [f"Your list has {n}, where {len(b)} {'are' if len(b) != 1 else 'is'} expected."]
        if a.shape != b.shape:
            several = bool(re.fullmatch("[a-z]*[^s]s", name))  # `keys`, and not `grad_logits`
            of_shape, one = ("have", "are") if several else ("has", "is")
            has = f"{of_shape} shape {a.shape}" if a.shape else f"{one} a single number, shape ()"
            due = f"shape {b.shape}" if b.shape else "a single number, shape (),"
            return [f"Your {name or 'answer'} {has}, where {due} is expected."]
    if any(a.dtype != b.dtype for a, b in zip(got.arrays, expected.arrays, strict=True)):
        if expected.arrays[0].dtype == bool:
            return ["Your answer holds numbers, but a mask is made of `True` and `False`."]
        return ["Your answer is made of `True` and `False`, where numbers are expected."]
    return []


def _of_another_shape(exercise, got: Outcome, expected: Outcome) -> list[str]:
    """Name the arrays that came in another shape than is due; an only one is called ""."""
    if got.kind != "answer" or exercise.parts in (dict, str):
        return []
    met = zip(_labels(exercise, expected), got.arrays, expected.arrays, strict=True)
    return [name for name, a, b in met if a.shape != b.shape]


def _labels(exercise, expected: Outcome) -> tuple[str, ...]:
    """Name the arrays of an answer; the only one needs no name."""
    if exercise.parts is dict:
        return tuple(map(repr, expected.names))
    return ("",) if exercise.parts is str else exercise.parts or ("",)


def _other_names(got: tuple[str, ...], due: tuple[str, ...]) -> str:
    """Say which entries a dictionary lacks, and which it has too many."""
    lacks = [repr(name) for name in due if name not in got]
    spare = [tidy(repr(name), 40) for name in got if name not in due]
    said = [f"has no {' and no '.join(lacks)}"] if lacks else []
    said += [f"has {' and '.join(spare)}, which nobody asked for"] if spare else []
    return f"Your dictionary {', and it '.join(said)}."


def _remark(exercise, case: Case, got: Outcome, expected: Outcome) -> str:
    """Say in a sentence or two what is found where nothing is promised."""
    symptoms = _symptoms(exercise, case.inputs, got, expected, None)
    if got.changed:
        symptoms = ["Your function changes what came in."]
    elif not symptoms:
        finite = "another one than that of attnlib" if got.finite else "not finite"
        symptoms = [f"Your answer is {finite}."]
    told = symptoms[0]
    asked = "The exercise does not ask for that, so your function is right all the same."
    return f"With {case.shows}, {told[0].lower()}{told[1:]} {asked}"


def _called_with(exercise, inputs) -> str:
    names = zip(exercise.parameters, inputs, strict=True)
    described = [_described(name, x) for name, x in names]
    return " and ".join([", ".join(described[:-1]), described[-1]] if described[1:] else described)


def _described(name, x) -> str:
    if isinstance(x, dict):
        return f"{name} {'=' if holds_numbers(x) else 'with'} {shapes(x)}"
    return f"{name} {np.shape(x)}" if np.ndim(x) else f"{name} = {numbers(np.asarray(x), 4)}"


def _of_another_order(function, parameters: tuple[str, ...]) -> list[Likeness]:
    """Tell a function whose parameters are the exercise's, but in another order."""
    code = code_of(function)
    own = () if code is None else code.co_varnames[: code.co_argcount]
    if own == parameters or sorted(own) != sorted(parameters):
        return []
    words = f"Your parameters are ({', '.join(own)}), and the inputs come in another order: "
    return [
        Likeness(
            f"{words}({', '.join(parameters)}).",
            "Write the parameters in the order in which the task names them.",
        )
    ]


def _unused(function, never: list[str], overwritten: list[str]) -> list[str]:
    """Say which inputs can make no difference to the answer, and what is read in their place."""
    outside = arrays_outside(function)
    instead = f"; it reads {_listed(outside)} from outside" if outside else ""
    sentences = []
    if never:
        sentences += [f"Your function never uses its {_parameters(never)}{instead}."]
    if overwritten:
        sentences += [f"Your function overwrites its {_parameters(overwritten)} before reading it."]
    return sentences


def _parameters(names: list[str]) -> str:
    return f"parameter{'s' if names[1:] else ''} {_listed(names)}"


def _listed(names: list[str]) -> str:
    return " and ".join(f"`{name}`" for name in names)


def _hint(
    exercise, promise, got: Outcome, expected, known, unused: list[str], begun: bool, like
) -> tuple[str, int]:
    """Give a hint that fits what was found, and the level at which further help starts.

    Parameters
    ----------
    begun : bool
        Whether a part is right: the first hint would then tell what was done already.
    like : list of Likeness
        What the answers have to do with the right ones.
    """
    if got.kind == "nothing":
        return "Printing shows a result to you. `return` hands it to whoever called.", 1
    if unused:
        return f"Use {_listed(unused)}: what comes in there differs from call to call.", 2
    if known:
        return known.hint, 2  # the first hint would begin anew
    if got.raised is not None and got.raised.plain:  # it says all there is to do
        return "", 1
    if promise is not None:
        numbers_came = got.finite and all(x.dtype == float for x in got.arrays) and not got.whole
        return (promise.finite if numbers_came and promise.finite else promise.hint), 2
    if hints := [one.hint for one in like if one.hint]:
        return hints[0], 2
    if special := _special(got, expected):
        return special, 2
    return "" if begun else exercise.hints[0], 2


def _special(got: Outcome, expected: Outcome) -> str:
    """Give a hint for what shows in the answer itself, or nothing."""
    if got.several and (got.kind == "odd" or got.arrays[0].shape != expected.arrays[0].shape):
        return "Return that one by itself, without the comma and what comes with it."
    if got.raised is not None and got.raised.ambiguous:
        return (
            "NumPy has tools for whole arrays: its own `max` finds the largest of each row, "
            "`np.where` chooses at each place, and `&`, `|` and `~` join and turn conditions."
        )
    if got.kind != "answer" or got.names != expected.names:
        return ""
    if got.arrays[0].shape != expected.arrays[0].shape:
        return ""
    if not got.finite:
        return (
            "`nan` comes from inf - inf, 0 * inf or 0 / 0. Print what you have after each step, "
            "and see where it turns up first."
        )
    return ""


def _suspicions(got: Outcome, expected: Outcome) -> list[str]:
    """Say of an answer of the right shape that it holds what is no number, if none is due there."""
    met = zip(got.arrays, expected.arrays, strict=True)
    if got.arrays[0].dtype == float and any(
        (~np.isfinite(a) & differs(a, b)).any() for a, b in met
    ):
        return ["Your answer is not finite: there is a `nan` or an `inf` in it."]
    return []


def _read_outside(function: Callable) -> list[str]:
    """Say which numbers and arrays come from around a function, and not from its inputs."""
    found = numbers_outside(function)
    if not found:
        return []
    told = " and ".join(f"`{name}` ({what})" for name, what in found)
    are = "are" if found[1:] else "is"
    return [f"Your function reads {told} from outside, which {are} none of its inputs."]


def _inputs(exercise, inputs, changed=()) -> list[Array | Entries]:
    shown, small = [], _are_small(*(x for x in inputs if isinstance(x, dict)))
    for i, (name, x) in enumerate(zip(exercise.parameters, inputs, strict=True)):
        before = " before" if i in changed else ""
        if isinstance(x, dict):
            shown += _entries(name, x, before) if small else [Entries(name + before, x)]
        else:
            shown += [Array(name + before, np.asarray(x), _digits(np.asarray(x)))]
    return shown


def _entries(name: str, held: dict, before: str) -> list[Array | Entries]:
    """Give the arrays of a dictionary; of whole numbers, the dictionary."""
    if holds_numbers(held) or not held:
        return [Entries(name + before, held)]
    return [Array(f"{name}[{key!r}]{before}", x, _digits(x)) for key, x in held.items()]


def _of_the_rest(shown: list[Array | Entries]) -> list[Words]:
    """Say where the numbers are that are too many to show."""
    if all(one.fits for one in shown):
        return []
    return [Words("What is too large to show is in the report: `check(…).inputs`.")]


def _are_small(*held: dict) -> bool:
    """Whether dictionaries hold so few numbers that all of them can be followed."""
    return sum(np.size(x) for one in held for x in one.values()) <= MOST_NUMBERS


def _digits(x: np.ndarray) -> int:
    """Give the digits with which no row of small numbers is shown as nothing but zeros."""
    if x.dtype.kind not in "biuf":
        return 2
    largest = np.abs(np.atleast_1d(x)).max(axis=-1, initial=0.0)
    least = largest[largest > 0].min(initial=1.0)
    return int(np.clip(1 - np.floor(np.log10(least)), 2, 6))


def _just_below_1(exercise, inputs) -> list[Words]:
    """Name the inputs with numbers below 1 that a few digits round to 1."""
    named = zip(exercise.parameters, inputs, strict=True)
    below = [n for n, x in named if any(map(_rounds_to_1, leaves(x)))]
    return [Words(f"Where {_listed(below)} is shown as 1, it is just below 1.")] if below else []


def _rounds_to_1(x) -> bool:
    x = np.asarray(0 if isinstance(x, str) else x, float)
    return Array("", x).fits and bool(((x < 1) & (x > 1 - 1e-6)).any())


def _compared(exercise, got: Outcome, expected: Outcome) -> list[Array]:
    """Give the learner's arrays and the expected ones, with digits enough to tell them apart."""
    whole = dict(zip(expected.names, expected.arrays, strict=False))
    if not got.arrays and whole and not _are_small(whole):
        return [Entries("expected", whole)]
    shown = []
    labels = _labels(exercise, expected)
    found = dict(zip(got.names if exercise.parts is dict else labels, got.arrays, strict=False))
    for key, label, due in zip(expected.names or labels, labels, expected.arrays, strict=True):
        name = f" {label}" if label else ""
        if key not in found:
            shown += [Array(f"expected{name}", due)]
        elif not same_array(found[key], due):  # of several arrays, only the wrong ones
            yours = f"your{name}" if name else "yours"
            shown += _beside(yours, found[key], f"expected{name}", due)
    return shown


def _moved(exercise, inputs, got: Outcome) -> list[Array]:
    """Give what a call left of the inputs that it changed, and what they should have stayed."""
    shown = []
    for i, now in zip(got.changed, got.left, strict=True):
        name, before = exercise.parameters[i], inputs[i]
        pairs = [(f"{name} after", now, before)]
        if isinstance(before, dict):
            of_it = [change.name for change in got.altered if change.i == i]
            pairs = [
                (f"{name}[{key!r}] after", now[key], before[key])
                for key in of_it
                if key in now and key in before
            ]
        for label, a, b in pairs:
            if getattr(a, "dtype", None) == b.dtype:  # or it may hold no numbers any more
                shown += _beside(f"your {label}", a, f"expected {label}", b)
    return shown


def _beside(mine: str, a: np.ndarray, due: str, b: np.ndarray) -> list[Array]:
    digits, marked = 2, None
    if a.shape == b.shape:
        marked = differs(a, b)
        while marked.any() and digits < 6 and numbers(a, digits) == numbers(b, digits):
            digits += 1
    return [Array(mine, a, digits, marked), Array(due, b, digits)]


def _places(exercise, got: Outcome, expected: Outcome) -> list[Words]:
    """Point at the first wrong number where an array is too large to show."""
    words = []
    if got.names != expected.names:
        return words
    labels = _labels(exercise, expected)
    for name, a, b in zip(labels, got.arrays, expected.arrays, strict=False):
        if a.shape != b.shape or Array("", b).fits or not differs(a, b).any():
            continue
        at = tuple(int(i) for i in np.argwhere(differs(a, b))[0])
        mine, due = numbers(a[at], 4), numbers(b[at], 4)
        told = f"First difference in your {name or 'answer'}, at {list(at)}: {mine} is not {due}."
        words.append(Words(told))
    return words


def _task(exercise: Exercise) -> Words:
    call = f"`{exercise.name}({', '.join(exercise.parameters)})`"
    return Words(f"It should be possible to call it as {call}, with the inputs in this order.")


def _passed(
    exercise: Exercise, facts: tuple[str, ...], remarks: tuple[str, ...], function: Callable
) -> Report:
    title = f"passed. {len(facts)} facts hold:"
    blocks = [Bullets(facts, "✓"), *_to_keep(exercise, function)]
    return Report(exercise.name, "passed", title, blocks, remarks=remarks)


def _to_keep(exercise: Exercise, function: Callable) -> list[Words]:
    """Offer to keep what was made by `def`: it has a source, and a name of its own."""
    own = function.__name__ if isinstance(function, types.FunctionType) else ""
    if not own.isidentifier():
        return []
    call = f'`mine.keep("{exercise.name}", {own})`'
    return [Words(f"To keep this function for later lessons, run {call}.")]


def _failed(
    exercise: Exercise, blocks: list, mistake: str | None = None, inputs: tuple = ()
) -> Report:
    return Report(exercise.name, "failed", "not right yet.", blocks, mistake, inputs=inputs)


def _not_attempted(exercise: Exercise) -> Report:
    words = (
        "Put your code in place of the `...` and run the cell again. "
        f'A first step: `hint("{exercise.name}")`.'
    )
    return Report(exercise.name, "not attempted", "not attempted yet.", [Words(words)])


def _not_a_function(exercise: Exercise, thing) -> Report:
    name, kind = exercise.name, tidy(type(thing).__name__, 40)
    words = (
        f"A check needs the function itself, but this one was handed an object of type {kind}. "
        f'Write `check("{name}", {name})`, with no brackets after the '
        f"second {name} and no quotation marks around it."
    )
    return _failed(exercise, [Words(words)])


def _ended(exercise: Exercise, inputs: tuple, end: BaseException) -> Report:
    """Report a function that was still running when it was interrupted, or stopped."""
    by_itself = f"The check stopped your function: one call {end} and had not returned. "
    by_hand = "You stopped the check while your function was still running. "
    words = [
        (by_itself if isinstance(end, Stopped) else by_hand)
        + "Does it ever return? Look for a loop whose condition never becomes false.",
        "It was called with:",
    ]
    return _failed(exercise, [*map(Words, words), Arrays(tuple(_inputs(exercise, inputs)))])
