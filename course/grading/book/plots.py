"""Pictures for the pages, as SVG: shapes that stand beside a word, bars, a distribution.

Widths are shares of the place that a picture gets and letters have their own size, so everything
can be read on a telephone, too. Each outcome has a pattern of its own, for those who print in grey
or see no colours; `pages.css` has the colours.
"""

from collections.abc import Mapping, Sequence

from course.grading.book.tally import quartiles, round_numbers

SHAPES = {  # what is drawn beside an outcome's word, in a square of 16
    "right": '<circle class="full" cx="8" cy="8" r="7.5"/><path class="on" d="m4 8 3 3 5-6"/>',
    "wrong": '<path class="line" d="m2.5 2.5 11 11m0-11-11 11"/>',
    "exception": '<path class="full" d="M8 1l8 14H0z"/><path class="on" d="M8 6v4m0 2v1"/>',
    "timed out": '<circle class="line" cx="8" cy="8" r="7"/><path class="line" d="M8 4v4l3 2"/>',
    "other": '<path class="full" d="M5 1h6l4 4v6l-4 4H5l-4-4V5z"/><path class="on" d="M4 8h8"/>',
    "not attempted": '<circle class="line" cx="8" cy="8" r="6.6" stroke-dasharray="2.6 2.6"/>',
    "by hand": '<path class="line" d="M2 14l1-4L11.5 1.8l2.7 2.7L6 13z"/>',
    "waiting": '<path class="full" d="M2 6.4h3v3H2zm4.5 0h3v3h-3zm4.5 0h3v3h-3z"/>',
}  # fmt: skip
PATTERNS = {  # of bars, in a square of 8; an outcome that is not here is plain
    "wrong": '<path d="M-2 2l4-4M0 8l8-8M6 10l4-4"/>',
    "exception": '<circle cx="2" cy="2" r="1.1"/><circle cx="6" cy="6" r="1.1"/>',
    "timed out": '<path d="M0 2h8M0 6h8"/>',
    "other": '<path d="M0 0h8M0 0v8"/>',
    "by hand": '<path d="M2 0v8M6 0v8"/>',
}
HEIGHT, ABOVE, BELOW = 170, 20, 62  # of a distribution: its bars, and what stands around them
BAR = 30
N_LINES = 4


def shape(outcome: str) -> str:
    """Return the shape that goes with the word for an outcome."""
    kind = outcome.replace(" ", "-")
    return (
        f'<svg class="shape {kind}" viewBox="0 0 16 16" aria-hidden="true">{SHAPES[outcome]}</svg>'
    )


def patterns() -> str:
    """Return the patterns that bars are filled with, once for a page."""
    made = "".join(
        f'<pattern id="{_id(outcome)}" class="{_id(outcome)}" width="8" height="8" '
        f'patternUnits="userSpaceOnUse"><rect width="8" height="8"/>{drawn}</pattern>'
        for outcome, drawn in PATTERNS.items()
    )
    return f'<svg class="patterns" width="0" height="0" aria-hidden="true">{made}</svg>'


def swatch(outcome: str) -> str:
    """Return a small square with an outcome's pattern."""
    return f'<svg class="swatch" aria-hidden="true">{_block(outcome, 0, 100, 14)}</svg>'


def stacked_bar(counts: Mapping[str, int], told: str) -> str:
    """Return a bar divided by outcome; `told` says the same in words."""
    total, drawn, before = max(1, sum(counts.values())), [], 0
    for outcome, n in counts.items():
        left, width = 100 * before / total, 100 * n / total
        before += n
        if n:
            drawn.append(_block(outcome, left, width, BAR))
        if width >= 1.5 + 2.2 * len(str(n)):
            kind = "on" if outcome == "right" else "over"
            x = left + width / 2
            drawn.append(f'<text class="{kind}" x="{x:.2f}%" y="{BAR / 2 + 5:g}">{n}</text>')
    return f'<svg class="plot" height="{BAR}" role="img" aria-label="{told}">{"".join(drawn)}</svg>'


def distribution(bands: Sequence[tuple[int, int, int]], totals: Sequence[float], told: str) -> str:
    """Return bars for how many totals lie in each band, with their quartiles below.

    Parameters
    ----------
    bands
        From, below, how many; as `course.grading.book.tally.bins` gives them.
    totals
        The totals themselves.
    told
        The same in words.
    """
    drawn = [*_lines(max(n for *_, n in bands)), *_bars(bands), _quartiles(totals, bands[-1][1])]
    height = ABOVE + HEIGHT + BELOW
    return (
        f'<svg class="plot distribution" height="{height}" role="img" aria-label="{told}">'
        f"{''.join(drawn)}</svg>"
    )


def _lines(highest: int) -> list[str]:
    """Draw the lines behind the bars, with their numbers on the left."""
    step = next(one for one in round_numbers() if highest <= one * N_LINES)
    drawn = []
    for n in range(0, highest + 1, step):
        y = ABOVE + HEIGHT * (1 - n / highest)
        drawn.append(f'<line class="grid" x1="0" x2="100%" y1="{y:.1f}" y2="{y:.1f}"/>')
        drawn.append(f'<text class="soft end" x="-8" y="{y + 4:.1f}">{n}</text>')
    return drawn


def _bars(bands: Sequence[tuple[int, int, int]]) -> list[str]:
    highest, share = max(n for *_, n in bands), 100 / len(bands)
    under = ABOVE + HEIGHT + 18
    drawn = [f'<text class="soft" x="100%" y="{under}">{bands[-1][1]}</text>']
    for i, (low, _, n) in enumerate(bands):
        height, x = HEIGHT * n / highest, i * share
        y = ABOVE + HEIGHT - height
        kind = "soft spare" if i % 2 or i == len(bands) - 1 else "soft"
        drawn.append(f'<text class="{kind}" x="{x:.2f}%" y="{under}">{low}</text>')
        if n:
            drawn.append(
                f'<rect class="bar" x="{x:.2f}%" y="{y:.1f}" width="{share:.2f}%" '
                f'height="{height:.1f}"/>'
                f'<text{_crowded(bands)} x="{x + share / 2:.2f}%" y="{y - 5:.1f}">{n}</text>'
            )
    return drawn


def _crowded(bands: Sequence[tuple[int, int, int]]) -> str:
    """Let the numbers go where a page is narrow, if they would stand on their neighbours."""
    return ' class="spare"' if max(n for *_, n in bands) > 99 and len(bands) > 8 else ""


def _quartiles(totals: Sequence[float], end: int) -> str:
    """Draw the middle half as a box, and the median across it."""
    lower, middle, upper = quartiles(totals)
    y, at = ABOVE + HEIGHT + 28, 100 * middle / end
    side = "start" if at < 15 else "end" if at > 85 else ""
    return (
        f'<rect class="half" x="{100 * lower / end:.2f}%" y="{y}" '
        f'width="{100 * (upper - lower) / end:.2f}%" height="10"/>'
        f'<line class="median" x1="{at:.2f}%" x2="{at:.2f}%" y1="{y - 4}" y2="{y + 14}"/>'
        f'<text class="{side}" x="{at:.2f}%" y="{y + 29}">median {middle:g}</text>'
    )


def _block(outcome: str, left: float, width: float, height: int) -> str:
    kind = outcome.replace(" ", "-")
    fill = f' fill="url(#{_id(outcome)})"' if outcome in PATTERNS else ""
    return (
        f'<rect class="block {kind}" x="{left:.3f}%" width="{width:.3f}%" height="{height}"{fill}/>'
    )


def _id(outcome: str) -> str:
    return f"pattern-{outcome.replace(' ', '-')}"
