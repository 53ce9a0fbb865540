"""Draw raw and scaled scores for three sizes of d_key, from standard normal numbers.

Six histograms. Above, raw scores of random queries and keys, on one scale: a narrow spike for
d_key = 4, a hill for 64, a wide hill for 512. Below, the same scores divided by the square
root of d_key: three hills, all alike.
"""

import numpy as np

import attnlib
from attnlib.plotting import COLORS
from images.page import ROOT_D_KEY, SOFT, page, tint, write


def draw():
    """Return the picture as a figure."""
    figure, ax = page(340)
    rng = np.random.default_rng(0)
    half, tall = 82, 78
    for column, d_key in enumerate((4, 64, 512)):
        query, key = rng.standard_normal((2, 500, d_key))
        both = attnlib.attention_scores(query, key, scale=1), attnlib.attention_scores(query, key)
        middle = 196 + 196 * column
        write(ax, middle, 26, f"d_key = {d_key}", size=13, weight="bold")
        for row, (scores, reach, mark) in enumerate(zip(both, (75, 4), (60, 3), strict=True)):
            base = 150 + 156 * row
            counts, edges = np.histogram(scores, bins=75, range=(-reach, reach))
            x = middle + edges / reach * half
            color = (tint(COLORS["scores"], 0.5), COLORS["scores"])[row]
            top = base - tall * counts / counts.max()  # each as tall as its highest bar
            ax.stairs(top, x, baseline=base, fill=True, color=color)
            ax.plot((middle - half, middle + half), (base, base), color=SOFT, linewidth=1)
            for tick in (-mark, 0, mark):
                at = middle + tick / reach * half
                ax.plot((at, at), (base, base + 4), color=SOFT, linewidth=1)
                write(ax, at, base + 18, f"{tick}".replace("-", "−"), size=12, color=SOFT)
    for y, words in ((112, "raw\nscores"), (268, "divided by\n" + ROOT_D_KEY)):
        write(ax, 14, y, words, size=12, weight="bold", ha="left", linespacing=1.5)
    return figure
