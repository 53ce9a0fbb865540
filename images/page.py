"""The page of a picture, what stands on it, and how it is saved.

A page is 700 units wide, and one unit is one pixel where a picture is shown 700 pixels wide. y
points down.
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import to_rgb
from matplotlib.patches import FancyBboxPatch, PathPatch
from matplotlib.path import Path as Curve
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from course.notebook.letters import CHUNK, smallest

WIDTH = 700  # units of a page; it is 7 inches wide
DPI = 250  # 1750 pixels: sharp on a whole slide, 1740 wide in a hall of 1920
ROOT_D_KEY = r"$\sqrt{\mathrm{d\_key}}$"
INK, SOFT, FAINT = "#222222", "#555555", "#d5d9dd"


def page(height):
    """Return an empty page, (figure, axes), 700 units wide and `height` units high."""
    figure = plt.figure(figsize=(WIDTH / 100, height / 100), layout="none")
    ax = figure.add_axes((0, 0, 1, 1))
    ax.set(xlim=(0, WIDTH), ylim=(height, 0))
    ax.axis("off")
    return figure, ax


def save(figure, path, alt):
    """Write the figure as a small PNG, opaque, with its alt text and no date, and close it."""
    figure.set_dpi(DPI)
    figure.canvas.draw()
    pixels = np.asarray(figure.canvas.buffer_rgba())[..., :3]  # (height, width, 3)
    picture = Image.fromarray(np.ascontiguousarray(pixels))
    few = picture.quantize(256, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    words = PngInfo()
    words.add_itxt("Description", alt)
    words.add_text(CHUNK, str(smallest(figure)))
    # A third of the bytes, and areas keep their colour.
    few.save(path, format="png", optimize=True, pnginfo=words)
    plt.close(figure)


def write(ax, x, y, words, *, size=10, color=INK, ha="center", **options):
    """Write words, centred on (x, y) unless told otherwise."""
    if not {"va", "rotation"} & set(options) and "\n" not in words:
        y += 0.34 * size * 100 / 72  # words side by side share a baseline, with or without a "q"
        options["va"] = "baseline"
    ax.text(x, y, words, size=size, color=color, ha=ha, **{"va": "center"} | options)


def tint(color, share=0.2):
    """Return the colour thinned with white, of which it keeps `share`."""
    return tuple(1 - share * (1 - part) for part in to_rgb(color))


def box(ax, x, y, width, height, color=SOFT, *, words="", size=10, fill=None, **options):
    """Draw a rounded box centred on (x, y), with words in it."""
    corner = (x - width / 2, y - height / 2)
    fill = tint(color) if fill is None else fill
    options = {"linewidth": 1.3, "edgecolor": color, "facecolor": fill} | options
    rounded = "round,pad=0,rounding_size=6"
    ax.add_patch(FancyBboxPatch(corner, width, height, boxstyle=rounded, **options))
    if words:
        write(ax, x, y, words, size=size, linespacing=1.35)


def arrow(ax, *points, color=SOFT, width=1.5, head=True):
    """Draw an arrow through the points, straight from each to the next."""
    x, y = zip(*points, strict=True)
    ax.plot(x[:-1] if head else x, y[:-1] if head else y, color=color, linewidth=width)
    if head:
        style = "-|>,head_width=0.22,head_length=0.42"
        line = {"arrowstyle": style, "color": color, "linewidth": width, "shrinkA": 0, "shrinkB": 0}
        ax.annotate("", points[-1], points[-2], arrowprops=line, zorder=2)


def ribbon(ax, start, end, widths, color, alpha=0.4):
    """Draw a band from `start` down to `end`, (x, y) each, as wide as `widths` at each of them."""
    (x0, y0), (x1, y1) = start, end
    half0, half1 = widths[0] / 2, widths[1] / 2
    middle = (y0 + y1) / 2
    left = [(x0 - half0, y0), (x0 - half0, middle), (x1 - half1, middle), (x1 - half1, y1)]
    right = [(x1 + half1, y1), (x1 + half1, middle), (x0 + half0, middle), (x0 + half0, y0)]
    codes = [Curve.MOVETO, *[Curve.CURVE4] * 3, Curve.LINETO, *[Curve.CURVE4] * 3]
    band = Curve(left + right, codes)
    ax.add_patch(PathPatch(band, facecolor=color, edgecolor="none", alpha=alpha))


def shades(weights):
    """Return the colours of weights on the series' sequential map, 1 the darkest."""
    return plt.get_cmap()(0.85 * np.round(weights, 2))  # rounded: the last bit has no say


def vector(numbers, decimals=1):
    """Return the numbers as (1.5, -1), with a real minus sign and no needless zeros."""
    parts = [f"{number:.{decimals}f}" for number in np.round(numbers, decimals) + 0.0]
    parts = [part.rstrip("0").rstrip(".") if "." in part else part for part in parts]
    return f"({', '.join(parts)})".replace("-", "−")


def starts(widths, middle):
    """Return the centres of bands that lie side by side, all together around `middle`."""
    ends = np.cumsum(widths)
    return middle - ends[-1] / 2 + ends - np.asarray(widths) / 2
