"""A figure's PNG says how high its smallest letters are, in a chunk of its own, `Letters`.

So a deck knows how small they are on a slide. A sign above or below the line of a formula is judged
by what it belongs to. Another chunk, `Colors`, says of a picture made of colours that they are its
own: on a dark slide they stay.
"""

from collections.abc import Iterator
from functools import wraps

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text

CHUNK = "Letters"
COLORS = "Colors"


def smallest(figure: Figure) -> float:
    """Return how high a figure's smallest letters are, in pixels of its picture; 0 without any."""
    points = min((text.get_fontsize() for text in _texts(figure)), default=0)
    return round(points * figure.dpi / 72, 2)


def has_own_colors(figure: Figure) -> bool:
    """Tell whether a figure shows a picture, given by its colours, and no map of numbers."""
    shown = (image.get_array() for axes in figure.axes for image in axes.images)
    return any(array.ndim == 3 for array in shown)


def _texts(artist: Artist) -> Iterator[Text]:
    """Go through all that an artist writes where it can be seen."""
    if not artist.get_visible():
        return
    if isinstance(artist, Text) and artist.get_text().strip():
        yield artist
    without_axes = isinstance(artist, Axes) and not artist.axison
    for child in artist.get_children():
        if not (without_axes and isinstance(child, Axis)):
            yield from _texts(child)


def tell_letters() -> None:
    """Let every figure that is drawn from now on say how small its letters are."""
    drawn = FigureCanvasAgg.print_png

    @wraps(drawn)
    def print_png(self, *args, metadata=None, **kwargs):
        told = {CHUNK: str(smallest(self.figure))}
        told |= {COLORS: "own"} if has_own_colors(self.figure) else {}
        return drawn(self, *args, metadata=told | (metadata or {}), **kwargs)

    FigureCanvasAgg.print_png = print_png
