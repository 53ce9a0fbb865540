"""The pictures of the lessons: arrays in, Axes out; of `grid`, an output that tells its numbers.

The others draw into `ax`, or into a new figure where it is left out, and return the Axes. The
lessons' style is ``plt.style.use("attnlib.style")``. Nothing here computes attention: a picture
shows the numbers that it is handed.
"""

from itertools import cycle, islice, pairwise

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import Normalize, to_rgba
from matplotlib.patches import PathPatch
from matplotlib.path import Path
from matplotlib.patheffects import withStroke
from matplotlib.text import Annotation, Text

from attnlib.pictures import colours
from attnlib.pictures.grid import Grid
from attnlib.pictures.grid.table import tabulated
from attnlib.pictures.paper import room
from attnlib.pictures.scripts import directed, lettered

__all__ = [
    "COLORS",
    "Grid",
    "arcs",
    "bars",
    "curves",
    "grid",
    "head_grid",
    "histograms",
    "roles",
    "vectors",
]

COLORS = colours.COLORS
"""Okabe and Ito's colours for the roles, and one for scores, all told apart by the colour-blind."""


def roles(*, ax=None):
    """Draw each role in its colour, and what it is made of.

    Query and key meet in the scores, softmax makes weights of them, and the weights mix the values
    into the output. Weights have no colour of their own, they go from white to dark.

    Parameters
    ----------
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes
    """
    if ax is None:
        _, ax = plt.subplots(figsize=(6.4, 1.9))
    places = {
        "query": (0, 2),
        "key": (0, 1),
        "scores": (1.3, 1.5),
        "weights": (2.7, 1.5),
        "value": (2.7, 0.5),
        "output": (4, 1),
    }
    colors = {"weights": plt.get_cmap()(0.85)} | COLORS
    room = {}
    for role, place in places.items():
        patch = {"boxstyle": "round,pad=0.45", "edgecolor": colors[role], "linewidth": 3}
        patch["facecolor"] = to_rgba(colors[role], 0.15)
        room[role] = ax.text(*place, role, ha="center", va="center", bbox=patch)
    ways = [("query", "scores"), ("key", "scores"), ("scores", "weights")]
    for start, end in [*ways, ("weights", "output"), ("value", "output")]:
        arrow = {"arrowstyle": "-|>", "color": "#555555", "linewidth": 1.2}
        ends = {"patchA": room[start].get_bbox_patch(), "patchB": room[end].get_bbox_patch()}
        ax.annotate("", places[end], places[start], arrowprops=arrow | ends)
    for x, y, operation in ((0.55, 1.5, "·"), (2, 1.68, "softmax"), (3.35, 1, "@")):
        size = 16 if operation == "·" else 9
        ax.text(x, y, operation, ha="center", va="center", size=size, color="#555555")
    ax.set(xlim=(-0.5, 4.5), ylim=(0.1, 2.4))
    ax.axis("off")
    return ax


def grid(
    values=None,
    rows=None,
    columns=None,
    *,
    row_name=None,
    column_name=None,
    decimals=None,
    **named,
):
    """Show arrays as grids: the number in each cell, names beside it, the shape above.

    It is shown where it stands last in a cell, and by ``display(plotting.grid(...))`` elsewhere. It
    is one output in several forms: a picture with an alt text, and a text, which is its `repr`. All
    hold the numbers as they are printed, rounded to what any machine gives.

    Parameters
    ----------
    values : array_like, (n_rows, n_columns) or (n_columns,), or dict of them by name
        Numbers, or True and False. Several arrays stand side by side.
    rows, columns : sequence of str, or dict of them by the name of an array
        What rows and columns are called: a sequence holds for every array, a dict for those in it.
        Where they are left out, they are counted from 0; but the columns of a square array are
        called like its rows, unless it is a query, key, value or output.
    row_name, column_name : str, optional
        What a row and a column are; of weights, scores and masks queries and keys.
    decimals : int, optional
        How many are printed; where it is left out, none for whole numbers, and two for most others.
    **named : array_like
        Arrays by name, as ``grid(query=query, key=key)``. Whose colour an array has is told by its
        name, `w_query` as `query`: what is below 0 is grey there. Weights are white at 0 and darker
        as they grow, and so is what has another name, if nothing in it is below 0; else both signs
        have a hue of their own. Arrays of one colour share their scale. True is a dot; False and
        what is infinite are hatched. More than 20 columns or 40 rows are shown without numbers.

    Returns
    -------
    attnlib.plotting.Grid
        With `text`, `alt` and `tables`, what it shows in words and by cell.

    Raises
    ------
    TypeError
        Where an array holds something else than real numbers or booleans.
    ValueError
        Where an array has not one or two axes, or there is not one name for each row and column.

    Examples
    --------
    >>> grid(weights=[[0.75, 0.25], [0.5, 0.5]], rows=["it", "rains"])
    weights (2, 2): rows are query, columns key
             it  rains
    it     0.75   0.25
    rains  0.50   0.50
    """
    arrays = values if isinstance(values, dict) else {} if values is None else {"": values}
    if not arrays and not named:
        raise TypeError("grid shows an array or more: grid(weights) or grid(query=query, key=key).")
    arrays, axes = arrays | named, (row_name, column_name)
    return Grid(tabulated(arrays, rows=rows, columns=columns, axes=axes, decimals=decimals))


def head_grid(weights, rows, columns=None, *, names=None, across=4, ends=("0", "1")):
    """Draw the weights of several heads as small maps side by side, without numbers.

    Parameters
    ----------
    weights : array_like, (n_heads, n_queries, n_keys)
        Of weights, or of differences of weights; all maps share their colours, white at 0.
    rows, columns : sequence of str
        Names of queries and keys, written at the first map, for all; keys are named like queries
        where they are left out.
    names : sequence of str, optional
        Of the heads; "head 0", "head 1" and so on where they are left out.
    across : int
        How many stand side by side.
    ends : (str, str)
        What the lowest and the highest colour mean, said beside a bar of all colours.

    Returns
    -------
    numpy.ndarray of matplotlib.axes.Axes, (n_heads,)
        In a new figure. Its letters follow Matplotlib's `font.size`; of names that have no room,
        every second stands, or every third.

    Raises
    ------
    ValueError
        Where there is not one name for each query, key and head, there are not three axes, or
        `ends` is no pair.
    """
    weights = np.asarray(weights)
    if weights.ndim != 3:
        raise ValueError(
            "weights of heads have the axes (n_heads, n_queries, n_keys): "
            f"the array is {weights.shape}, and {weights.ndim} != 3."
        )
    names = [f"head {h}" for h in range(len(weights))] if names is None else names
    norm, cmap = _shades(weights)
    down = -(-len(weights) // across)
    side = max(1.2, 0.125 * max(weights.shape[1:]))
    letters = plt.rcParams["font.size"]  # larger for a hall: then every second name has room
    long = [
        max(0, room(map(str, each), size=0.85 * letters) / 72 - 0.06 * letters)
        for each in (rows, rows if columns is None else columns)
    ]
    size = (1.6 + side * across + long[0], 1.0 + (side + 0.25) * down + long[1])
    figure, grid = plt.subplots(down, across, figsize=size, squeeze=False)
    for ax in grid.flat[len(weights) :]:
        ax.remove()
    drawn = grid.ravel()[: len(weights)]
    apart = [max(1, -(-int(0.85 * letters * n) // int(72 * side))) for n in weights.shape[1:]]
    for place, (ax, table, name) in enumerate(zip(drawn, weights, names, strict=True)):
        _cells(table, rows, columns, ax, norm, cmap)
        ax.set_title(directed(name), size=0.9 * letters, loc="center")
        ax.set_xticks(ax.get_xticks()[:: apart[1]], ax.get_xticklabels()[:: apart[1]])
        ax.set_yticks(ax.get_yticks()[:: apart[0]], ax.get_yticklabels()[:: apart[0]])
        small = {"labelsize": 0.85 * letters}
        ax.tick_params(axis="x", labelrotation=90, labeltop=place == 0, **small)
        ax.tick_params(axis="y", labelleft=place == 0, **small)
        for label in ax.get_xticklabels():
            label.set(ha="left", va="center", rotation_mode="anchor")
        ax.spines[:].set(visible=True, color="#999999", linewidth=0.6)
    figure.suptitle("key (column)", size=letters)
    figure.supylabel("query (row)", size=letters)
    _key(list(drawn), ends)
    lettered(figure)
    return drawn


def bars(values, names, *, ax=None, color=None, decimals=2):
    """Draw numbers as horizontal bars, the first on top, with the number at the end of each.

    Parameters
    ----------
    values : array_like, (n,)
    names : sequence of str
    ax : matplotlib.axes.Axes, optional
    color : str or sequence of str, optional
        One for all, or one for each bar.
    decimals : int

    Returns
    -------
    matplotlib.axes.Axes
    """
    values = np.asarray(values)
    if ax is None:
        _, ax = plt.subplots(figsize=(5.2, 0.7 + 0.3 * len(values)))
    drawn = ax.barh(range(len(values)), values, color=color, height=0.7)
    ax.bar_label(drawn, [f"{value:.{decimals}f}" for value in values], padding=3, size=9)
    ax.set_yticks(range(len(values)), [*map(directed, names)])
    ax.tick_params(axis="y", length=0)
    ax.invert_yaxis()
    ax.margins(x=0.22 if (values < 0).any() else 0.12)  # numbers keep clear of the names
    ax.axvline(0, color="#666666", linewidth=0.8)
    ax.spines["left"].set_visible(False)
    lettered(ax.figure)
    return ax


def vectors(heads, names=None, *, colors=None, tails=None, ax=None):
    """Draw arrows in the plane, one unit as long to the right as upwards.

    Parameters
    ----------
    heads : array_like, (n, 2)
        Where the arrows point to.
    names : sequence of str, optional
        Written beside the heads.
    colors : sequence of str, optional
        One for each arrow.
    tails : array_like, (n, 2), optional
        Where the arrows start; the origin where it is left out.
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes
        The limits hold all arrows and the origin.
    """
    heads = np.asarray(heads, dtype=float)
    tails = np.zeros_like(heads) if tails is None else np.asarray(tails, dtype=float)
    names = [""] * len(heads) if names is None else names
    if ax is None:
        _, ax = plt.subplots(figsize=(4.2, 3.6))
    colors = cycle(plt.rcParams["axes.prop_cycle"].by_key()["color"]) if colors is None else colors
    for head, tail, name, color in zip(
        heads, tails, names, islice(colors, len(heads)), strict=True
    ):
        arrow = {"arrowstyle": "-|>,head_width=0.25,head_length=0.5", "color": color, "lw": 2}
        ax.annotate("", head, tail, arrowprops=arrow | {"shrinkA": 0, "shrinkB": 0})
        right, up = (head - tail) / max(np.linalg.norm(head - tail), 1e-300)
        ax.annotate(
            directed(name),
            head,
            (5 * right, 7 * up),
            textcoords="offset points",
            path_effects=[withStroke(linewidth=3, foreground="w")],  # readable on lines
            ha="center" if abs(right) < 0.4 else ("left" if right > 0 else "right"),
            va="center",
        )
    points = np.concatenate([heads, tails, np.zeros((1, 2))])
    room = 0.15 * np.ptp(points, axis=0).max() + 0.1
    ax.update_datalim([points.min(axis=0) - room, points.max(axis=0) + room])
    ax.margins(0)
    ax.autoscale_view()
    ax.set_aspect("equal")
    ax.grid(visible=True)
    ax.axhline(0, color="#666666", linewidth=0.8)
    ax.axvline(0, color="#666666", linewidth=0.8)
    lettered(ax.figure)
    _hold([text for text in ax.texts if isinstance(text, Annotation) and text.get_text()], ax)
    return ax


def _hold(labels, ax):
    """Widen the limits until no label lies on an axis's numbers, and part those that meet."""
    for _ in range(4):  # as the limits grow, so does what a label covers
        ax.figure.draw_without_rendering()
        boxes = [Text.get_window_extent(label) for label in labels]  # without an arrow
        frame = ax.get_window_extent()
        outside = [box for box in boxes if box.x0 < frame.x0 - 1 or box.y0 < frame.y0 - 1]
        if not outside:
            break
        ends = np.concatenate([box.get_points() for box in outside])
        ax.update_datalim(ax.transData.inverted().transform(ends))
        ax.autoscale_view()
    for k, (label, box) in enumerate(zip(labels, boxes, strict=True)):
        for other, above in zip(boxes[:k], labels, strict=False):
            if box.overlaps(other) and label.get_text() != above.get_text():
                down = (box.y0 + box.y1) <= (other.y0 + other.y1)
                by = other.y0 - box.y1 if down else other.y1 - box.y0
                x, y = label.xyann
                label.xyann = x, y + 72 * by / ax.figure.dpi
                boxes[k] = box = box.translated(0, by)


def arcs(weights, queries, keys=None, *, only=None, least=0.02, ax=None):
    """Draw who looks at whom: queries above, keys below, a ribbon as wide as its weight.

    Parameters
    ----------
    weights : array_like, (n_queries, n_keys)
    queries, keys : sequence of str
        The words of both sides; keys are named like queries where they are left out.
    only : int, optional
        Draw the ribbons of this query alone, with their weights in numbers.
    least : float
        Smaller weights are left out.
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes
    """
    weights = np.asarray(weights)
    keys = queries if keys is None else keys
    own = ax is None
    if own:
        _, ax = plt.subplots(figsize=(1.6 + 0.75 * max(len(queries), len(keys)), 2.4))
    chosen = range(len(queries)) if only is None else [only]
    for i in chosen:
        for j in np.flatnonzero(weights[i] >= least):
            corners = [(i, 0.9), (i, 0.5), (j, 0.5), (j, 0.1)]
            curve = Path(corners, [Path.MOVETO, Path.CURVE4, Path.CURVE4, Path.CURVE4])
            width = 9 * float(weights[i, j])
            ax.add_patch(
                PathPatch(curve, fill=False, edgecolor=COLORS["query"], linewidth=width, alpha=0.55)
            )
    middle, rows = {"ha": "center", "va": "center"}, []
    for names, y, role in ((queries, 1.0, "query"), (keys, 0.0, "key")):
        colors = [
            "#999999" if role == "query" and x not in chosen else "k" for x in range(len(names))
        ]
        rows.append(
            [
                ax.text(x, y, directed(name), color=color, **middle)
                for x, (name, color) in enumerate(zip(names, colors, strict=True))
            ]
        )
    told = [] if only is None else weights[only]
    small = middle | {"size": 9, "color": "#555555"}
    rows.append([ax.text(j, -0.22, f"{weight:.2f}", **small) for j, weight in enumerate(told)])
    ax.set_xlim(-0.6, max(len(queries), len(keys)) - 0.4)
    ax.set_ylim(-0.35, 1.15)
    ax.set_yticks([0, 1], ["key", "query"])
    ax.get_yticklabels()[0].set_color(COLORS["key"])
    ax.get_yticklabels()[1].set_color(COLORS["query"])
    ax.set_xticks([])
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    lettered(ax.figure)
    ax.figure.draw_without_rendering()  # what meets is known where everything has its place
    if any(map(_meet, rows)):
        _turn(*rows, ax, own=own)
    return ax


def _meet(texts):
    """Tell whether one of the words in a row comes too close to the next."""
    boxes = [text.get_window_extent() for text in texts if text.get_text()]
    return any(left.x1 + 3 > right.x0 for left, right in pairwise(boxes))


def _turn(queries, keys, numbers, ax, *, own):
    """Turn the words of arcs, and make room for them above and below: in a figure of its own, more.

    Ribbons end at 0.1 and 0.9, as they do where words lie.
    """
    point = ax.figure.dpi / 72  # in pixels
    most = np.inf if own else 0.33 * ax.get_window_extent().height
    for text in (*queries, *keys):
        text.set_rotation(90)
        name = text.get_text()
        while text.get_window_extent().height > most and len(name) > 1:
            name = name[:-1]
            text.set_text(f"{name}…")
    above, below = (
        max(t.get_window_extent().height for t in row) / point for row in (queries, keys)
    )
    more = max(0, above + below - 24)
    high = ax.get_window_extent().height / point
    if own:
        ax.figure.set_figheight(ax.figure.get_figheight() + more / 72)
        high += more
    foot = below + 8 + 16 * bool(numbers)
    unit = 0.8 / max(high - above - 8 - foot, 0.2 * high)
    for text in queries:
        text.set(y=0.9 + 4 * unit, va="bottom")
    for text in keys:
        text.set(y=0.1 - 4 * unit, va="top")
    for text in numbers:
        text.set_y(0.1 - (foot - 8) * unit)
    ax.set_ylim(0.1 - foot * unit, 0.9 + (above + 8) * unit)
    ax.set_yticks([0.1 - (4 + below / 2) * unit, 0.9 + (4 + above / 2) * unit])


def histograms(samples, names, *, ax=None, bins=60):
    """Draw how several samples are spread, as outlines in one picture with shared bins.

    Parameters
    ----------
    samples : sequence of array_like
        Each of any shape and size.
    names : sequence of str
    ax : matplotlib.axes.Axes, optional
    bins : int

    Returns
    -------
    matplotlib.axes.Axes
        Every outline encloses an area of 1.
    """
    if ax is None:
        _, ax = plt.subplots()
    samples = [np.ravel(sample) for sample in samples]
    edges = np.histogram_bin_edges(np.concatenate(samples), bins)
    for sample, name, dashes in zip(samples, names, islice(_dashes(), len(names)), strict=True):
        density, _ = np.histogram(sample, edges, density=True)
        ax.stairs(density, edges, label=directed(name), linewidth=2, linestyle=dashes)
    ax.set_ylabel("density")
    ax.legend(frameon=False)
    lettered(ax.figure)
    return ax


def curves(x, lines, names, *, ax=None):
    """Draw numbers over numbers: one line for each row, told apart by colour and by dashes.

    Parameters
    ----------
    x : array_like, (n,)
    lines : array_like, (n_lines, n)
    names : sequence of str
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes
    """
    if ax is None:
        _, ax = plt.subplots()
    for line, name, dashes in zip(lines, names, islice(_dashes(), len(names)), strict=True):
        ax.plot(x, line, label=directed(name), linestyle=dashes)
    ax.legend(frameon=False)
    lettered(ax.figure)
    return ax


def _dashes():
    """Yield line styles for ever, so that lines differ in grey too."""
    return cycle(["-", "--", ":", "-.", (0, (6, 1, 1, 1, 1, 1))])


def _shades(values):
    """Return how numbers become colours: from white to dark, or two hues for two signs."""
    finite = values[np.isfinite(values)]
    largest = max(np.abs(finite).max(initial=0), 1e-300)
    if (finite < 0).any():
        return Normalize(-largest, largest), plt.get_cmap("PuOr_r")
    return Normalize(0, max(largest, 1)), plt.get_cmap()


def _key(axes, ends):
    """Set a bar of all colours beside the Axes, and say at its ends what they mean."""
    if isinstance(ends, str) or len(ends) != 2:
        raise ValueError(
            "ends must say what the lowest and the highest colour mean, like ('less', 'more'): "
            f"ends is {ends!r}, and that is no pair."
        )
    first = axes[0] if isinstance(axes, list) else axes
    bar = first.figure.colorbar(first.images[0], ax=axes, fraction=0.04, aspect=30, pad=0.02)
    bar.set_ticks(bar.mappable.get_clim(), labels=ends)
    bar.outline.set_visible(False)
    bar.ax.tick_params(length=0, labelsize=0.9 * plt.rcParams["font.size"])


def _cells(values, rows, columns, ax, norm, cmap):
    """Draw the cells of a matrix, and name its rows and columns."""
    columns = rows if columns is None else columns
    if values.shape != (len(rows), len(columns)):
        raise ValueError(
            "a grid needs one name for each row and column: "
            f"the array is {values.shape}, there are {len(rows)} and {len(columns)} names, "
            f"and {values.shape} != {(len(rows), len(columns))}."
        )
    ax.imshow(values, cmap=cmap, norm=norm, aspect="equal")
    ax.set_xticks(range(len(columns)), [*map(directed, columns)])
    ax.set_yticks(range(len(rows)), [*map(directed, rows)])
    ax.tick_params(length=0, top=True, labeltop=True, bottom=False, labelbottom=False)
