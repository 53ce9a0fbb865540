"""What all widgets share: how they are shown, what is recorded of them, and when they compute."""

import base64
import contextlib
import inspect
import re

import traitlets

from attnlib._inputs import refuse
from attnlib.jupyter.mime import STATE
from attnlib.pictures.shared import SHARED, shared, unusual
from attnlib.widgets._bundle import Bundled
from attnlib.widgets._goals import (
    Goal,
    as_moments,
    as_numbers,
    differing,
    printed_moments,
    require_shared,
    slug,
)
from attnlib.widgets._hosted import Hosted, none_of, same
from attnlib.widgets._lessons import led_by_lessons
from attnlib.widgets._traits import Derived, printed, recorded

(NTH,) = shared("learning", "NTH")
TAKEN = """
goal : Goal, optional
    What the widget asks of the hand.
moments : sequence of (str, dict), optional
    At most five titles, each with the inputs that show what it says.
lesson : str, optional
    Whose goal, moments and start it takes, "03" or "03 own"; what else comes in goes first."""
TOLD = """
done : bool
    Whether the goal has been reached.
moves : int
    What the hand has moved until then, a whole drag as one."""


class Widget(Hosted, Bundled):
    """The base of every widget.

    A widget's *inputs* are the traits that its constructor takes: they are synced with the browser,
    where the hand changes them, as code does here. Its *derived* traits are read-only and follow
    from the inputs: `_derive` computes them whenever an input changes, by hand or by code.

    A widget may ask: its `goal` is a `Goal`. `done` is True once the hand, or code, has reached it,
    until *Reset*; `moves` counts what the hand has moved until then. And it may lead: `moments` are
    titles, each with the inputs that show what the title says, the others as at the start.
    """

    _class = traitlets.Unicode().tag(sync=True)
    _kernel = traitlets.Bool(True).tag(sync=True)
    _untouched = traitlets.Dict().tag(sync=True)  # what the hand has changed, as it was before
    _goal = traitlets.Dict(default_value=None, allow_none=True).tag(sync=True)
    _moments = traitlets.List().tag(sync=True)
    _moves = traitlets.Int(0).tag(sync=True)  # since the start
    _reached = traitlets.Int(None, allow_none=True).tag(sync=True)  # after how many of them
    done = traitlets.Bool(False, read_only=True)
    moves = traitlets.Int(0, read_only=True)
    _to_function = ()  # inputs that a plugged function alone reads: without it they are none
    _movable = ()  # inputs whose numbers the hand moves; choosing what to look at is no move
    _by_hand = False
    _asks, _leads = None, ()
    _still = None  # what was drawn last, and the inputs of which it was drawn

    def __init_subclass__(cls, **kwargs):
        """Let each widget take what all of them take, and add it to its docstring."""
        super().__init_subclass__(**kwargs)
        told = inspect.cleandoc(cls.__doc__ or "")
        if re.search("^Parameters$", told, re.MULTILINE) and TAKEN not in told:
            for heading, all_have in (("Attributes", TAKEN), ("Examples", TOLD)):
                told = told.replace(f"\n\n{heading}\n", f"{all_have}\n\n{heading}\n", 1)
            cls.__doc__ = told
            cls.__init__ = led_by_lessons(cls.__init__)

    def __init__(self, *, goal=None, moments=(), **inputs):
        self._inputs = tuple(name for name in self._accepted() if name in self.traits(sync=True))
        self._holding, self._agreed = True, {}  # nothing is computed before all inputs are there
        super().__init__(_class=type(self).__name__, **inputs)
        self._holding = False
        self._changed()
        self.observe(self._changed, names=self._inputs)
        self._lead(goal, moments)

    def _accepted(self):
        """Return the names of what the constructor takes."""
        return list(inspect.signature(type(self)).parameters)

    def _lead(self, goal, moments):
        """Take a goal and moments, if the widget as it stands can have them."""
        if goal is not None:
            self._take_goal(goal)
        moments = as_moments(moments)
        self._moments = [self._moment(nth, *moment) for nth, moment in enumerate(moments)]
        self._leads = tuple(moments)

    def _take_goal(self, goal):
        kind, numbers = type(self).__name__, self._asked_about()
        if not isinstance(goal, Goal):
            rule = "goal must be a Goal, widgets.Goal(words, quantity=…)"
            refuse(rule, f"{type(goal).__name__} is no Goal", TypeError, goal=repr(goal))
        goal.agree(kind, numbers, self._movable, self._can_be)
        for name, asked in goal.asked.items():
            if getattr(self.traits().get(name), "shares", False):
                require_shared(name, asked)
        if goal.met(numbers, 0):
            rule, n = "a goal must be open at the start", sum(map(len, goal.asked.values()))
            refuse(rule, f"{n} of {n} are met already", goal=repr(goal.words))
        self._asks = goal
        self._start = self._moved_inputs()
        self._goal = goal.recorded(self._start)

    def _moment(self, nth, title, state):
        """Return a moment for the browser, if a widget in this state is one."""
        for name in state:
            if name not in self._inputs:
                self._refuse(name)
        try:
            twin = self._twin(state)
        except (TypeError, ValueError) as error:
            raise type(error)(f"moments[{nth}], “{title}”: {error}") from None
        moved = self.goal and differing(self._start, twin._moved_inputs())
        if self.goal and self.goal.met(twin._asked_about(), moved):
            came_in = {"goal": repr(self.goal.words), f"moments[{nth}]": repr(title)}
            refuse("a moment must leave the goal open", "it is met there", **came_in)
        sent = twin.get_state(list(state)) if state else {}
        inputs = {name: recorded(x) for name, x in sent.items()}
        return {"title": title, "slug": slug(title), "state": inputs}

    def _twin(self, state):
        """Return a widget that nobody sees, whose inputs are those of this one but for `state`."""
        twin = type(self).__new__(type(self))
        twin._inputs, twin._holding, twin._agreed, twin._function = self._inputs, True, {}, None
        for name in self._inputs:
            twin.set_trait(name, state.get(name, getattr(self, name)))
        twin._agree()
        for name, value in twin._derive().items():
            twin.set_trait(name, value)
        return twin

    def _measured(self):
        """Return the quantities that a goal can ask about, by name: all that follows."""
        derived = (name for name, trait in self.traits().items() if isinstance(trait, Derived))
        return {name: getattr(self, name) for name in derived}

    def _can_be(self, name, place):
        """Return the least and the most that a quantity can be at a place, None for no end."""
        trait = self.traits().get(name)
        return getattr(trait, "least", None), getattr(trait, "most", None)

    def _asked_about(self):
        return as_numbers(self._measured())

    def _moved_inputs(self):
        return {name: getattr(self, name) for name in self._movable}

    def _judge(self):
        """Notice that code has reached the goal; of the hand the browser tells, once it lets go."""
        if self.goal is not None and self._reached is None and not self._by_hand:
            moved = differing(self._start, self._moved_inputs())
            if self.goal.met(self._asked_about(), moved):
                self._reached = self._moves

    @traitlets.observe("_reached", "_moves")
    def _count(self, change):
        self.set_trait("moves", self._moves if self._reached is None else self._reached)
        self.set_trait("done", self._reached is not None)

    @property
    def goal(self):
        """What the widget asks of the hand, a `Goal` or None."""
        return self._asks

    @property
    def moments(self):
        """Titles, each with the inputs that show what it says."""
        return self._leads

    def set(self, **inputs):
        """Change several inputs at once: they are judged together, and shown together.

        Raises
        ------
        AttributeError
            If the widget has no such input; the message names what is close to it.
        ValueError
            If they do not fit together. Then all of them stay as they were.
        """
        for name in inputs:
            if name not in self._inputs:
                self._refuse(name)
        with self.hold_trait_notifications():
            for name, value in inputs.items():
                setattr(self, name, value)

    def __setattr__(self, name, value):
        if not name.startswith("_") and not hasattr(type(self), name):
            self._refuse(name)
        super().__setattr__(name, value)

    def _refuse(self, name):
        raise AttributeError(none_of(type(self).__name__, self._inputs, name))

    # What a class says of itself

    def _agree(self):
        """Raise ValueError in three parts if the inputs do not fit together."""

    def _derive(self):
        """Return the derived traits by name."""
        return {}

    def _draw(self):
        """Return the still picture, a `Paper`."""
        raise NotImplementedError

    def _alt(self):
        """Describe the still picture in words and numbers."""
        raise NotImplementedError

    # Inputs change, derived traits follow

    @contextlib.contextmanager
    def hold_trait_notifications(self):
        """Let inputs change together: they are judged, computed with and sent once, at the end.

        The hand's changes arrive this way too. What does not fit together is put back, all of it.
        """
        outermost, self._holding = not self._holding, True
        try:
            with self.hold_sync(), super().hold_trait_notifications():
                try:
                    yield
                    self._holding = not outermost
                    self._changed()
                except Exception:
                    self._put_back()
                    raise
        finally:
            self._holding = not outermost

    def set_state(self, sync_data):
        """Take what the browser sends: the hand's changes."""
        self._by_hand = True
        try:
            super().set_state(sync_data)
        finally:
            self._by_hand = False

    def notify_change(self, change):
        """Tell observers and the browser; the browser hears of nothing that is put back."""
        with self.hold_sync():
            super().notify_change(change)

    def _changed(self, change=None):
        """Judge the inputs and compute what follows, if they are others than last time."""
        inputs = self._snapshot()
        if self._holding or (
            self._agreed and all(map(same, inputs.values(), self._agreed.values()))
        ):
            return
        try:
            self._agree()
        except ValueError as error:
            alone = change is not None
            self._put_back()
            if not alone:
                raise
            raise ValueError(f"{error}{self._hint(change['name'], error)}") from None
        before, self._agreed = self._agreed, inputs
        if not self._by_hand:
            self._forget({n for n in before if not same(before[n], inputs[n])})
        with super().hold_trait_notifications():  # so that observers see all of it, or none
            self._follow()

    def _forget(self, changed):
        """Let *Reset* go back to what code has changed, not to what was there before it."""
        if all(isinstance(getattr(self, name), int | float | str) for name in changed):
            kept = self._untouched.keys() - changed
        else:  # with other words, say, an old place among them may be none
            kept = ()
        self._untouched = {name: self._untouched[name] for name in kept}

    def _hint(self, name, error):
        """Say how inputs are changed together, if the error tells of another one than `name`."""
        told = [other for other in self._inputs if re.search(rf"\b{other} is\b", str(error))]
        both = ", ".join(f"{other}=…" for other in dict.fromkeys([name, *told]))
        return f" To change them together: .set({both})" if set(told) - {name} else ""

    def _snapshot(self):
        """Return what derived traits follow from, by name."""
        return {name: getattr(self, name) for name in self._inputs}

    def _put_back(self):
        """Restore the inputs that last fitted together."""
        holding, self._holding, self._silent = self._holding, True, True
        for name in self._inputs:
            if name in self._agreed:
                self.set_trait(name, self._agreed[name])
        self._holding, self._silent = holding, False

    def _follow(self):
        """Set the derived traits."""
        for name, value in self._derive().items():
            self.set_trait(name, value)
        self._judge()

    # How a widget is shown

    def __repr__(self):
        said = [name for name in self._inputs if name not in self._to_function]
        said = unusual(self._class, {name: recorded(getattr(self, name)) for name in said})
        shown = [f"{name}={printed(getattr(self, name))}" for name in said]
        shown += [f"goal={self.goal!r}"] if self.goal is not None else []
        shown += [f"moments={printed_moments(self.moments)}"] if self.moments else []
        return f"{type(self).__name__}({', '.join(shown)})"

    def _repr_mimebundle_(self, **kwargs):
        live, live_metadata = super()._repr_mimebundle_(**kwargs)
        alt = self._alt()
        data = live | {
            "text/plain": repr(self),
            "image/png": base64.b64encode(self.still()).decode(),
            STATE: self.recorded(),
        }
        return data, live_metadata | {"image/png": {"alt": alt}}

    def recorded(self):
        """Return what a page without a kernel needs to bring this widget to life.

        Returns
        -------
        dict
            ``{"class": name, "traits": {name: value}}``, fit for JSON, without the traits that are
            at their defaults; no code, and nothing that differs between two widgets of the same
            values.
        """
        state = self.get_state([*self._inputs, "_goal", "_moments"])
        traits = {name: recorded(x) for name, x in state.items()}
        return {"class": self._class, "traits": unusual(self._class, traits)}

    def still(self):
        """Return the still picture of the widget as it stands, the bytes of a PNG."""
        shown = self._snapshot()
        if self._still is None or not all(map(same, shown.values(), self._still[0].values())):
            title = SHARED["titles"].get(self._class, "")
            self._still = shown, self._draw().png(title=title)
        return self._still[1]


def plain(word, most=14):
    """Return a word as a still prints it: on one line, and cut where it is long."""
    word = re.sub(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]", " ", word)
    return word if len(word) <= most else f"{word[: most - 1]}…"


def named(words, place):
    """Name a word in parts of a sentence; one that stands there twice by which of them it is."""
    nth = _which(words, place)
    return [f"the {nth} ", (words[place],)] if nth else [(words[place],)]


def parted(text, **told):
    """Return a whole sentence of shared.json in parts, those of its named places among them."""
    pieces = re.split(r"{(\w+)}", text)
    return [x for k, each in enumerate(pieces) for x in (told[each] if k % 2 else [each]) if x]


def headings(words, most=14):
    """Return words as headings call them: which of them, where one stands twice; cut where long."""
    return [
        f"{_which(words, i)} {plain(word, most)}".lstrip() if word.strip() else f"({i})"
        for i, word in enumerate(words)
    ]


def _which(words, place):
    """Return which of those that are written alike a word is, or nothing where it is the only."""
    nth = words[:place].count(words[place])
    if words.count(words[place]) == 1:
        return ""
    return NTH[nth] if nth < len(NTH) else f"{nth + 1}th"


def quoted(parts):
    """Return the parts of a sentence as one str; in it, words that stand in a tuple are quoted."""
    return "".join(part if isinstance(part, str) else f"“{plain(*part)}”" for part in parts)
