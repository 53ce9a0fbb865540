"""A browser's window as a hand and a script meet it; each engine says how it does four things."""

import json
import time
from abc import ABC, abstractmethod
from contextlib import AbstractContextManager
from pathlib import Path

PATIENCE = 30  # seconds until a page has what is waited for
HEARD = (Path(__file__).parent / "heard.js").read_text(encoding="utf-8")
KEYS = {  # by their names in an event, what WebDriver calls them
    **{"Enter": "\ue007", "Tab": "\ue004", "Escape": "\ue00c", "Space": " ", "Backspace": "\ue003"},
    **{"PageUp": "\ue00e", "PageDown": "\ue00f", "End": "\ue010", "Home": "\ue011"},
    **{"ArrowLeft": "\ue012", "ArrowUp": "\ue013", "ArrowRight": "\ue014", "ArrowDown": "\ue015"},
    **{"Shift": "\ue008", "Control": "\ue009", "ControlOrMeta": "\ue009"},
}
UNTIL = """
const [condition, patience, ...given] = arguments;
const asks = new Function(`return (${condition})`);
const end = performance.now() + 1000 * patience;
for (;;) {
  const found = await asks()(...given);
  if (found || performance.now() > end) return found;
  await new Promise((resolve) => setTimeout(resolve, 20));
}
"""


class Window(ABC):
    """One page at a time, in a window of 1280 × 720 unless another size is asked for."""

    def open(self, page: Path, *, width: int = 1280, height: int = 720, at: str = "") -> None:
        """Show a file that was given its listener by `bring`."""
        self.resize(width, height)
        self.go("about:blank")  # else a file that differs in its fragment alone stays as it is
        self.act([_pointer({"type": "pointerMove", "duration": 0, "x": 0, "y": 0})])
        self.go(page.as_uri() + at)

    @abstractmethod
    def resize(self, width: int, height: int) -> None:
        """Make what is seen of a page as large as this."""

    @abstractmethod
    def go(self, address: str) -> None:
        """Go to an address, and wait until all is loaded."""

    @abstractmethod
    def run(self, body: str, *given):
        """Run the body of an asynchronous function with these arguments; return what it returns."""

    @abstractmethod
    def act(self, sources: list[dict]) -> None:
        """Do what hands do, in WebDriver's words; what is held stays held."""

    @abstractmethod
    def picture(self) -> bytes:
        """Return what is seen, as a PNG."""

    @abstractmethod
    def beside(self) -> AbstractContextManager[None]:
        """Act in the window that the page has opened, and then in the page again."""

    @abstractmethod
    def close(self) -> None:
        """End the browser."""

    def until(self, condition: str, *given):
        """Wait for what a function returns in the page to hold, and return it."""
        found = self.run(UNTIL, condition, PATIENCE, *given)
        assert found, f"waited in vain for {condition} with {json.dumps(given)}"
        return found

    def press(self, *keys: str) -> None:
        """Press keys one after another, such as "d", "ArrowLeft" or "Shift+Tab"."""
        for key in keys:
            chord = [KEYS.get(part, part) for part in key.split("+")]
            down = [{"type": "keyDown", "value": part} for part in chord]
            up = [{"type": "keyUp", "value": part} for part in reversed(chord)]
            for actions in (down, up):  # Firefox presses no button by what is let go at once
                self.act([{"type": "key", "id": "keys", "actions": actions}])

    def drag(self, *places: tuple[float, float]) -> None:
        """Press the mouse at the first place, lead it over the others, and let go at the last."""
        moves = [
            {"type": "pointerMove", "duration": 0, "x": round(x), "y": round(y)} for x, y in places
        ]
        down, up = ({"type": kind, "button": 0} for kind in ("pointerDown", "pointerUp"))
        for action in (moves[0], down, *moves[1:], up):  # each is seen before the next follows
            self.act([_pointer(action)])
            self.run("await new Promise(requestAnimationFrame)")

    def click(self, x: float, y: float) -> None:
        """Press the mouse at a place."""
        self.drag((x, y))

    def heard(self) -> list[str]:
        """Return what went wrong in the page, and whom it asked outside of this machine."""
        return self.run("return [...heard.errors, ...heard.outside()]")


def bring(page: Path, to: Path, *scripts: str) -> Path:
    """Return a copy of a page that listens to what goes wrong, and runs scripts before its own."""
    copy = to / page.name
    added = "".join(f"<script>{{{script}}}</script>" for script in (HEARD, *scripts))
    text = page.read_text(encoding="utf-8").replace("<head>", f"<head>{added}", 1)
    copy.unlink(missing_ok=True)  # it may be a link to the page itself
    copy.write_text(text, encoding="utf-8")
    return copy


def wait_for(asked, seconds: float = 60):
    """Wait until something outside of any page is there, and return it."""
    until = time.monotonic() + seconds
    while not (found := asked()):
        if time.monotonic() > until:
            raise RuntimeError(f"the browser did not start within {seconds} s")
        time.sleep(0.05)
    return found


def _pointer(action):
    return {"type": "pointer", "id": "mouse", "actions": [action]}
