"""What plays ask of a page, in the words of Playwright, which has neither of these engines.

`find.js` finds and judges in the page; hands are WebDriver's. A play brings nothing else: touch is
left to Chromium.
"""

import re
import time
from pathlib import Path

from tests.browser.many import PATIENCE
from tests.engines.window import Window

FIND = (Path(__file__).parent / "find.js").read_text(encoding="utf-8")
CALL = "return hands[arguments[0]](...[...arguments].slice(1))"


class Page:
    """A page with a mouse and keys, and the element that all plays begin from."""

    def __init__(self, window: Window):
        self.window = window
        self.mouse, self.keyboard = Mouse(window), Keyboard(window)
        window.run(FIND)

    def ask(self, method: str, *given):
        """Return what one of find.js's methods returns."""
        return self.window.run(CALL, method, *given)

    def demand(self, method: str, *given):
        """Return what a method finds; it must be there within some seconds."""
        good, found = self.ask(method, PATIENCE, *given)
        assert good, f"{method} {given}: {found}"
        return found

    def locator(self, selector: str) -> "Locator":
        return Locator(self, []).locator(selector)

    def evaluate(self, source: str, arg=None):
        return self.ask("page", source, arg)

    def wait_for_function(self, source: str, *, arg=None) -> None:
        self.demand("wait", source, arg)

    def wait_for_timeout(self, milliseconds: float) -> None:
        time.sleep(milliseconds / 1000)


class Mouse:
    """A mouse that is somewhere."""

    def __init__(self, window: Window):
        self.window, self.at = window, (0, 0)

    def move(self, x: float, y: float, *, steps: int = 1) -> None:
        from_x, from_y = self.at
        for k in range(1, steps + 1):
            share = k / steps
            self._do(_move(from_x + (x - from_x) * share, from_y + (y - from_y) * share))
        self.at = x, y

    def down(self) -> None:
        self._do({"type": "pointerDown", "button": 0})

    def up(self) -> None:
        self._do({"type": "pointerUp", "button": 0})

    def click(self, x: float, y: float) -> None:
        self.move(x, y)
        self.down()
        self.up()

    def _do(self, action):
        self.window.act([{"type": "pointer", "id": "mouse", "actions": [action]}])


def _move(x, y):
    return {"type": "pointerMove", "duration": 0, "x": round(x), "y": round(y)}


class Keyboard:
    """Keys, one after another."""

    def __init__(self, window: Window):
        self.press = window.press

    def type(self, text: str) -> None:
        self.press(*text)


class Locator:
    """Elements, found anew each time; each step narrows what the one before found."""

    def __init__(self, page: Page, chain: list):
        self.page, self.chain = page, chain

    def __repr__(self):
        return f"Locator({self.chain})"

    def _then(self, kind, **asked):
        return Locator(self.page, [*self.chain, [kind, asked]])

    # What is found

    def locator(self, selector, *, has_text=None):
        return self._then("css", selector=selector, has=has_text and _wanted(has_text, "about"))

    def get_by_role(self, role, *, name=None, exact=False, checked=None):
        named = name and _wanted(name, "whole" if exact else "about")
        return self._then("role", role=role, name=named, checked=checked)

    def get_by_label(self, text, *, exact=False):
        return self._then("label", **_wanted(text, "whole" if exact else "about"))

    def get_by_text(self, text, *, exact=False):
        return self._then("text", **_wanted(text, "whole" if exact else "about"))

    def nth(self, nth):
        return self._then("nth", nth=nth)

    first = property(lambda self: self.nth(0))
    last = property(lambda self: self.nth(-1))

    def all(self):
        return [self.nth(k) for k in range(self.count())]

    # What is read

    def count(self):
        return self.page.ask("read", self.chain, "count")

    def is_visible(self):
        return self.page.ask("read", self.chain, "visible")

    def all_text_contents(self):
        return self.page.ask("read", self.chain, "texts")

    def all_inner_texts(self):
        return self.page.ask("read", self.chain, "inners")

    def inner_text(self):
        (text,) = self.all_inner_texts()
        return text

    def is_checked(self):
        return self._act("checked")

    def bounding_box(self):
        return self._act("box")

    def input_value(self):
        return self._act("value")

    def get_attribute(self, attribute):
        return self._act("attribute", attribute=attribute)

    def evaluate(self, source, arg=None):
        return self.page.demand("evaluate", self.chain, source, arg, False)

    def evaluate_all(self, source, arg=None):
        return self.page.demand("evaluate", self.chain, source, arg, True)

    def evaluate_handle(self, source):
        return self.page.demand("keep", self.chain, source)

    # What is done

    def scroll_into_view_if_needed(self):
        self._act("near")

    def focus(self):
        self._act("focus")

    def fill(self, value):
        self._act("fill", value=value)

    def select_option(self, label=None, *, index=None):
        self._act("select", label=label, index=index)

    def press(self, key):
        self.focus()
        self.page.keyboard.press(key)

    def hover(self, *, force=False, position=None):
        box = self.page.demand("reach", self.chain)
        x, y = position or (box["width"] / 2, box["height"] / 2)
        self.page.mouse.move(box["x"] + x, box["y"] + y)

    def click(self, *, force=False, position=None):
        self.hover(position=position and (position["x"], position["y"]))
        self.page.mouse.down()
        self.page.mouse.up()

    def check(self):
        if not self.is_checked():
            self.click()
        expect(self).to_be_checked()

    def uncheck(self):
        if self.is_checked():
            self.click()
        expect(self).not_to_be_checked()

    def _act(self, what, **asked):
        return self.page.demand("act", self.chain, what, asked)


def expect(locator: Locator) -> "Expect":
    """Return what waits until something holds of elements."""
    return Expect(locator)


class Expect:
    """What is waited for; what does not come fails a test, and says what there was."""

    def __init__(self, locator: Locator):
        self.locator = locator

    def _holds(self, what, *, is_not=False, **asked):
        page, chain = self.locator.page, self.locator.chain
        good, found = page.ask("expect", PATIENCE, chain, what, asked, is_not)
        assert good, f"{what}{' not' * is_not} {asked} expected of {chain}, where there is {found}"

    def to_have_text(self, wanted):
        if isinstance(wanted, list):
            self._holds("texts", wanted=[_wanted(one, "whole") for one in wanted])
        else:
            self._holds("text", wanted=_wanted(wanted, "whole"))

    def to_contain_text(self, wanted):
        self._holds("text", wanted=_wanted(wanted, "part"))

    def to_have_class(self, wanted):
        self._holds("classes", wanted=[_wanted(one, "whole") for one in wanted])

    def to_have_count(self, n):
        self._holds("count", n=n)

    def not_to_have_count(self, n):
        self._holds("count", is_not=True, n=n)

    def to_have_attribute(self, attribute, wanted):
        self._holds("attribute", attribute=attribute, wanted=_wanted(wanted, "whole"))

    def not_to_have_attribute(self, attribute, wanted):
        wanted = _wanted(wanted, "whole")
        self._holds("attribute", is_not=True, attribute=attribute, wanted=wanted)

    def to_have_value(self, wanted):
        self._holds("value", wanted=_wanted(wanted, "whole"))

    def to_have_accessible_name(self, wanted):
        self._holds("name", wanted=_wanted(wanted, "whole"))

    def to_be_checked(self):
        self._holds("checked")

    def not_to_be_checked(self):
        self._holds("checked", is_not=True)

    def to_be_disabled(self):
        self._holds("disabled")

    def to_be_focused(self):
        self._holds("focused")

    def to_be_visible(self):
        self._holds("visible")

    def to_be_hidden(self):
        self._holds("hidden")


def _wanted(words, how):
    """Return words or a pattern as find.js has them."""
    if isinstance(words, re.Pattern):
        return {"pattern": words.pattern, "flags": "i" if words.flags & re.IGNORECASE else ""}
    return {"text": words, "how": how}
