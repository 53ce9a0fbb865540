"""The pictures of the lessons: arrays in, Axes out.

Each function draws into `ax`, or into a new figure where it is left out, and returns the Axes. The
lessons' style is ``plt.style.use("attnlib.style")``. Nothing here computes attention: a picture
shows the numbers that it is handed.
"""

from itertools import cycle, islice

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import Normalize
from matplotlib.patches import PathPatch
from matplotlib.path import Path
from matplotlib.patheffects import withStroke

__all__ = ["COLORS", "arcs", "bars", "curves", "heatmap", "histograms", "mask_grid", "vectors"]

COLORS = {"query": "#0072B2", "key": "#D55E00", "value": "#009E73", "output": "#CC79A7"}
"""Okabe and Ito's colours for the four roles, told apart by colour-blind readers too."""


def heatmap(
    values, rows, columns=None, *, ax=None, row_name="query", column_name="key", decimals=2
):
    """Draw a matrix as a grid of cells, with the number in each cell.

    Parameters
    ----------
    values : array_like, (n_rows, n_columns)
        Where none is negative, darker means larger, and white is 0; otherwise the two signs get two
        hues, equally dark at equal size.
    rows, columns : sequence of str
        Names of rows and columns; columns are named like rows where they are left out.
    ax : matplotlib.axes.Axes, optional
    row_name, column_name : str
        What a row and a column are: by default queries look at keys.
    decimals : int
        How many are printed. A matrix of more than 20 columns is drawn without numbers.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    ValueError
        Where there is not one name for each row and column.
    """
    values = np.asarray(values)
    finite = values[np.isfinite(values)]
    largest = max(np.abs(finite).max(initial=0), 1e-300)
    if (finite < 0).any():
        norm, cmap = Normalize(-largest, largest), plt.get_cmap("PuOr_r")
    else:
        norm, cmap = Normalize(0, max(largest, 1)), plt.get_cmap()
    ax = _grid(values, rows, columns, ax, row_name, column_name, norm, cmap)
    if values.shape[1] <= 20:
        for (i, j), value in np.ndenumerate(values):
            dark = (
                np.isfinite(value) and np.dot(cmap(norm(value))[:3], (0.299, 0.587, 0.114)) < 0.55
            )
            text = f"{value:.{decimals}f}" if np.isfinite(value) else str(value)
            ax.text(j, i, text, ha="center", va="center", size=9, color="w" if dark else "k")
    return ax


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
    ax.set_yticks(range(len(values)), names)
    ax.tick_params(axis="y", length=0)
    ax.invert_yaxis()
    ax.margins(x=0.22 if (values < 0).any() else 0.12)  # numbers keep clear of the names
    ax.axvline(0, color="#666666", linewidth=0.8)
    ax.spines["left"].set_visible(False)
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
            name,
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
    return ax


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
    if ax is None:
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
    for names, y, role in ((queries, 1.0, "query"), (keys, 0.0, "key")):
        for x, name in enumerate(names):
            faded = role == "query" and x not in chosen
            ax.text(x, y, name, ha="center", va="center", color="#999999" if faded else "k")
    if only is not None:
        for j, weight in enumerate(weights[only]):
            ax.text(j, -0.22, f"{weight:.2f}", ha="center", va="center", size=9, color="#555555")
    ax.set_xlim(-0.6, max(len(queries), len(keys)) - 0.4)
    ax.set_ylim(-0.35, 1.15)
    ax.set_yticks([0, 1], ["key", "query"])
    ax.get_yticklabels()[0].set_color(COLORS["key"])
    ax.get_yticklabels()[1].set_color(COLORS["query"])
    ax.set_xticks([])
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    return ax


def mask_grid(mask, rows, columns=None, *, ax=None):
    """Draw a mask: a filled cell with a dot where a query may look, an empty one with a cross.

    Parameters
    ----------
    mask : array_like of bool, (n_queries, n_keys)
    rows, columns : sequence of str
        Names of queries and keys; keys are named like queries where they are left out.
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes
    """
    mask = np.asarray(mask)
    ax = _grid(mask, rows, columns, ax, "query", "key", Normalize(0, 2.5), plt.get_cmap())
    for (i, j), visible in np.ndenumerate(mask):
        sign, color = ("●", COLORS["query"]) if visible else ("×", "#999999")
        ax.text(j, i, sign, ha="center", va="center", color=color)
    return ax


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
        ax.stairs(density, edges, label=name, linewidth=2, linestyle=dashes)
    ax.set_ylabel("density")
    ax.legend(frameon=False)
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
        ax.plot(x, line, label=name, linestyle=dashes)
    ax.legend(frameon=False)
    return ax


def _dashes():
    """Yield line styles for ever, so that lines differ in grey too."""
    return cycle(["-", "--", ":", "-.", (0, (6, 1, 1, 1, 1, 1))])


def _grid(values, rows, columns, ax, row_name, column_name, norm, cmap):
    """Draw the cells of a matrix, and name its rows and columns."""
    columns = rows if columns is None else columns
    if values.shape != (len(rows), len(columns)):
        raise ValueError(
            "a grid needs one name for each row and column: "
            f"the array is {values.shape}, there are {len(rows)} and {len(columns)} names, "
            f"and {values.shape} != {(len(rows), len(columns))}."
        )
    if ax is None:
        _, ax = plt.subplots(figsize=(1.6 + 0.5 * len(columns), 1.0 + 0.42 * len(rows)))
    ax.imshow(values, cmap=cmap, norm=norm, aspect="auto")
    short = all(len(name) <= 6 for name in columns)  # such names fit side by side
    slanted = {"rotation": 45, "ha": "left", "rotation_mode": "anchor"}
    ax.set_xticks(range(len(columns)), columns, **({} if short else slanted))
    ax.set_yticks(range(len(rows)), rows)
    ax.tick_params(length=0, top=True, labeltop=True, bottom=False, labelbottom=False)
    ax.xaxis.set_label_position("top")
    ax.set_xlabel(f"{column_name} (column)")
    ax.set_ylabel(f"{row_name} (row)")
    ax.spines[:].set_visible(False)
    return ax
