"""What a check, a hint or a solution shows: one document, as text and as HTML."""

from __future__ import annotations

import dis
import math
import re
import sys
import textwrap
import types
from collections.abc import Callable
from dataclasses import dataclass
from html import escape

import numpy as np

from attnlib.checks.entries import holds_numbers, shapes

WIDTH = 96  # of the text, in columns


@dataclass(frozen=True)
class Words:
    """A paragraph; `backticks` mark code."""

    text: str

    def as_text(self) -> str:
        """Wrap the paragraph, never inside code."""
        whole = re.sub(r"`[^`]+`", lambda code: code[0].replace(" ", "\0"), self.text)
        return textwrap.fill(whole, WIDTH, break_on_hyphens=False).replace("\0", " ")

    def as_html(self) -> str:
        """Escape the paragraph and set its code."""
        return f'<p style="margin:0.4em 0">{inline(self.text)}</p>'


@dataclass(frozen=True)
class Bullets:
    """A list, one short item a line."""

    items: tuple[str, ...]
    mark: str

    def as_text(self) -> str:
        """Write one marked line per item."""
        return "\n".join(f"  {self.mark} {item}" for item in self.items)

    def as_html(self) -> str:
        """Write an unordered list."""
        items = "".join(f"<li>{self.mark} {inline(item)}</li>" for item in self.items)
        return f'<ul style="margin:0.4em 0;padding-left:1em;list-style:none">{items}</ul>'


@dataclass(frozen=True)
class Code:
    """Lines of Python, or what was printed."""

    text: str

    def as_text(self) -> str:
        """Indent the lines."""
        return textwrap.indent(self.text, "    ")

    def as_html(self) -> str:
        """Keep the lines as they are."""
        style = "margin:0.4em 0;padding:0.3em 0.6em;overflow-x:auto"
        return f'<pre style="{style}"><code>{escape(self.text)}</code></pre>'


@dataclass(frozen=True, eq=False)
class Array:
    """A labelled array, few digits; one too large to follow is told by its shape."""

    label: str  # its name
    value: np.ndarray  # its numbers
    digits: int = 2  # decimals to show at most
    marked: np.ndarray | None = None  # entries to set in bold in HTML

    @property
    def fits(self) -> bool:
        """Whether the numbers are few enough to show."""
        rows = math.prod(self.value.shape[:-1])
        if self.value.size > 49 or rows > 9 or self.value.ndim > 3:
            return False
        return max(map(len, numbers(self.value, self.digits).splitlines())) <= WIDTH - 20

    def as_text(self, width: int = 0) -> str:
        """Write the numbers in brackets, as NumPy does, after a label of some width."""
        head = f"  {self.label.ljust(width)} = "
        if not self.fits:
            return f"{head}an array of shape {self.value.shape}"
        return head + numbers(self.value, self.digits).replace("\n", "\n" + " " * len(head))

    def as_html(self) -> str:
        """Write vectors and matrices as a table, deeper arrays as text."""
        caption = f"<code>{escape(self.label)}</code>"
        if self.value.ndim and self.fits:
            # Name and shape stay on one line, where a page strips styles too: tables start level.
            caption += f" {self.value.shape}".replace(" ", "&nbsp;")
        if not self.value.size or not self.fits:
            return f"<div>{caption}: an array of shape {self.value.shape}</div>"
        if self.value.ndim == 0:
            return f"<div>{caption}&nbsp;=&nbsp;{escape(numbers(self.value, self.digits))}</div>"
        if self.value.ndim > 2:
            return f"<div>{caption}<pre>{escape(numbers(self.value, self.digits))}</pre></div>"
        style = "margin:0;width:auto;font-variant-numeric:tabular-nums"
        caption = f'<caption style="caption-side:top">{caption}</caption>'
        return f'<table style="{style}">{caption}{self._rows()}</table>'

    def _rows(self) -> str:
        marked = np.zeros(self.value.shape, bool) if self.marked is None else self.marked
        return "".join(
            "<tr>" + "".join(self._cell(x, bold) for x, bold in zip(*row, strict=True)) + "</tr>"
            for row in zip(np.atleast_2d(self.value), np.atleast_2d(marked), strict=True)
        )

    def _cell(self, x, bold) -> str:
        text = escape(number(x, self.digits))
        return f'<td style="text-align:right">{f"<strong>{text}</strong>" if bold else text}</td>'


@dataclass(frozen=True, eq=False)
class Entries:
    """A labelled dictionary: its names and shapes, or the whole numbers that it holds."""

    label: str
    value: dict

    @property
    def fits(self) -> bool:
        """Whether all that it holds is told."""
        return holds_numbers(self.value)

    def as_text(self, width: int = 0) -> str:
        """Write it after a label of some width, on as many lines as it takes."""
        head = f"  {self.label.ljust(width)} = "
        indent = {"initial_indent": head, "subsequent_indent": " " * len(head)}
        return textwrap.fill(self._told(), WIDTH, break_on_hyphens=False, **indent)

    def as_html(self) -> str:
        """Write it in a line."""
        return f"<div><code>{escape(self.label)}</code>: {escape(self._told())}</div>"

    def _told(self) -> str:
        of = "" if holds_numbers(self.value) else "a dictionary of "
        return of + shapes(self.value)


@dataclass(frozen=True, eq=False)
class Arrays:
    """Arrays to look at together."""

    items: tuple[Array | Entries, ...]

    def as_text(self) -> str:
        """Write one under the other."""
        width = max(len(item.label) for item in self.items)
        return "\n".join(item.as_text(width) for item in self.items)

    def as_html(self) -> str:
        """Set them side by side where there is room."""
        style = "display:flex;flex-wrap:wrap;gap:0.6em 2em;align-items:flex-start;margin:0.4em 0"
        return f'<div style="{style}">{"".join(item.as_html() for item in self.items)}</div>'


Block = Words | Bullets | Code | Arrays


class Shown:
    """A titled document that a notebook shows as HTML and everything else as text.

    Parameters
    ----------
    title : str
        The first line.
    blocks : list of Block
        What follows it.
    """

    mark, colour = "", "var(--jp-border-color1, #767676)"

    def __init__(self, title: str, blocks: list[Block]):
        self.title, self.blocks = title, tuple(blocks)
        self._shown_in = None

    def __str__(self) -> str:
        return "\n".join([self.title, *(block.as_text() for block in self.blocks)])

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.title}>"

    def _repr_pretty_(self, printer, cycle) -> None:
        printer.text(str(self))

    def _repr_html_(self) -> str:
        style = f"border-left:4px solid {self.colour};padding:0.1em 0 0.1em 0.9em;margin:0.3em 0"
        title = inline(f"{self.mark} {self.title}".strip())
        head = f'<p role="status" style="margin:0.2em 0"><strong>{title}</strong></p>'
        body = "".join(block.as_html() for block in self.blocks)
        label = escape(self.title, quote=True)
        return f'<div role="region" aria-label="{label}" style="{style}">{head}{body}</div>'

    def show(self) -> None:
        """Show it now: in a notebook as HTML, elsewhere as printed text."""
        if _shell() is None:
            encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
            print(str(self).encode(encoding, "replace").decode(encoding))
        else:
            self._ipython_display_()

    def _ipython_display_(self) -> None:
        # A cell that ends in check(...) would show its report twice: check shows it, and then the
        # notebook shows the cell's value. So a report shows itself once in one run of a cell.
        from IPython.display import display

        shell = _shell()
        cell = None if shell is None else shell.execution_count
        if cell is None or cell != self._shown_in:
            self._shown_in = cell
            display({"text/plain": str(self), "text/html": self._repr_html_()}, raw=True)


class Report(Shown):
    """What a check found.

    Attributes
    ----------
    exercise : str
        The exercise's name.
    status : str
        ``"not attempted"``, ``"passed"`` or ``"failed"``.
    mistake : str or None
        The short name of the known mistake, if it is one.
    remarks : tuple of str
        Of a function that passed: what it does with inputs that the exercise does not ask for,
        such as an empty batch. Mostly there is nothing to say, and it is ``()``.
    inputs : tuple
        What came in, in the example that is shown; ``()`` where none is.
    """

    def __init__(
        self,
        exercise: str,
        status: str,
        title: str,
        blocks,
        mistake: str | None = None,
        remarks: tuple[str, ...] = (),
        inputs: tuple = (),
    ):
        first = ["One more thing: "] + ["And: "] * len(remarks)
        told = (f"{a}{b[0].lower()}{b[1:]}" for a, b in zip(first, remarks, strict=False))
        super().__init__(f"{exercise}: {title}", [*blocks, *map(Words, told)])
        self.exercise, self.status, self.mistake = exercise, status, mistake
        self.remarks, self.inputs = remarks, inputs

    @property
    def mark(self) -> str:
        """A sign that does not lean on colour."""
        return {"passed": "✓", "failed": "✗", "not attempted": "…"}[self.status]

    @property
    def colour(self) -> str:
        """Blue or orange, which colour-blind readers tell apart; grey for nothing yet."""
        if self.status == "passed":
            return "var(--jp-info-color1, #1976d2)"
        return "var(--jp-warn-color1, #f57c00)" if self.status == "failed" else Shown.colour


class Hint(Shown):
    """One graded hint."""


class Solution(Shown):
    """An answer in NumPy with its reason.

    Attributes
    ----------
    function : callable
        The function shown, to go on with.
    """

    def __init__(self, title: str, blocks, function: Callable):
        super().__init__(title, blocks)
        self.function = function


def inline(text: str) -> str:
    """Escape text for HTML and set what stands in `backticks` as code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))


def tidy(text: str, limit: int = 240) -> str:
    """Make a learner's text fit to show: one line, no memory addresses, not too long."""
    return printable(" ".join(text.split()), limit)


def printable(line: str, limit: int) -> str:
    """Replace what cannot be shown or changes from run to run, and keep the spaces."""
    line = line.encode("utf-8", "replace").decode()
    line = "".join(c if c.isprintable() else "?" for c in line)
    line = re.sub(r" at 0x[0-9a-fA-F]+", "", line)
    return line if len(line) <= limit else line[: limit - 1] + "…"


def number(x, digits: int) -> str:
    """Write one number with few digits."""
    if isinstance(x, str):
        return tidy(repr(str(x)), 40)
    if isinstance(x, bool | np.bool_):
        return str(bool(x))
    x = float(x)
    if not np.isfinite(x):
        return str(x)
    if abs(x) >= 1e6:
        return f"{x:.1e}"
    text = f"{x:.{digits}f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def numbers(value: np.ndarray, digits: int) -> str:
    """Write an array in brackets, its columns aligned to the right."""
    if value.ndim == 0:
        text = number(value[()], digits)
        return f"{value[()]:g}" if text == "0" and value[()] else text  # as 1e-12, by itself
    texts = np.array([number(x, digits) for x in value.ravel()] or [""], dtype=object)
    width = 0 if value.dtype == object else max(map(len, texts))  # strings are not aligned
    return _brackets(texts[: value.size].reshape(value.shape), width)


def _brackets(texts: np.ndarray, width: int) -> str:
    if texts.ndim == 1:
        return "[" + " ".join(text.rjust(width) for text in texts) + "]"
    inner = [_brackets(part, width).replace("\n", "\n ") for part in texts]
    return "[" + "\n ".join(inner) + "]"


def handed_on(frame: types.FrameType) -> bool:
    """Whether what is called in a frame goes straight into another call, as in ``print(f(x))``.

    The bytecode tells, and it is there without the source, too.
    """
    between = ("CACHE", "PRECALL", "KW_NAMES", "LOAD_CONST")  # options may follow it
    after = (i.opname for i in dis.get_instructions(frame.f_code) if i.offset > frame.f_lasti)
    following = next((name for name in after if name not in between), "")
    return following in ("CALL", "CALL_KW", "CALL_FUNCTION_EX")


def _shell():
    # IPython is looked up, never imported: plain Python need not have it.
    ipython = sys.modules.get("IPython")
    return ipython.get_ipython() if ipython is not None else None
