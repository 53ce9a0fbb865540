"""Draw the map of the series.

A path with a station for each lesson, and what it adds: {stations}. Dark stations are the
short way, {short}; from there it leads to {then}.
"""

from itertools import pairwise

import numpy as np
from matplotlib.patches import Circle

from attnlib.plotting import COLORS
from course.lesson import ways
from course.lesson.series import find_lessons
from images.page import SOFT, page, tint, write


def draw():
    """Return the picture as a figure."""
    columns, top, step, bend, out = (140, 350, 560), 28, 92, 46, 40
    found = stations()
    places = []
    for number in range(len(found)):
        row, place = divmod(number, 3)
        places.append((columns[2 - place if row % 2 else place], top + step * row))
    last = places[-1]
    beside = len(places) % 3 == 1 and last[0] == columns[2]  # there is room left of the last
    figure, ax = page(last[1] + (74 if beside else 126))
    color = COLORS["query"]
    line = {"color": tint(color, 0.35), "linewidth": 8, "solid_capstyle": "round"}
    angle = np.linspace(-np.pi / 2, np.pi / 2, 60)
    for (x, y), (next_x, next_y) in pairwise(places):
        if y == next_y:
            ax.plot((x, next_x), (y, y), zorder=0, **line)
            toward = np.sign(next_x - x)
            chevron = np.array([(-5, -7), (4, 0), (-5, 7)]) * (toward, 1) + ((x + next_x) / 2, y)
            ax.plot(*chevron.T, color=color, linewidth=2, solid_joinstyle="miter")
        else:
            toward = 1 if x == columns[2] else -1
            bow_x, bow_y = out + bend * np.cos(angle), bend + bend * np.sin(angle)
            bow_x, bow_y = np.r_[0, bow_x, 0], np.r_[0, bow_y, 2 * bend]
            ax.plot(x + toward * bow_x, y + bow_y, zorder=0, **line)
    for (x, y), (number, name, adds) in zip(places, found, strict=True):
        station(ax, x, y, number, dark=bool(ways.stop_at(number)))
        write(ax, x, y + 37, name, size=12.5, weight="bold")
        write(ax, x, y + 59, adds, size=11.5, color=SOFT)
    y = last[1] + (0 if beside else 98)
    station(ax, columns[0], y, "", dark=True, radius=11)
    words = f"the short way; from there {' or '.join(ways.THEN)}"
    write(ax, columns[0] + 24, y, words, size=12, ha="left")
    return figure


def station(ax, x, y, number, *, dark, radius=21):
    """Draw a station: dark on the short way, and light elsewhere."""
    color = COLORS["query"]
    fill, ink = (color, "white") if dark else ("white", color)
    ax.add_patch(Circle((x, y), radius, facecolor=fill, edgecolor=color, linewidth=2.5))
    write(ax, x, y, number, size=12, weight="bold", color=ink)


def says():
    """Return what the alt text has in braces: what each lesson adds, and the short way."""
    return {
        "stations": "; ".join(f"{n} {title}, {adds}" for n, title, adds in stations()),
        "short": ", ".join(stop.number for stop in ways.SHORT),
        "then": " or ".join(ways.THEN),
    }


def stations():
    """Return number, name and what it adds of each lesson that the map shows."""
    lessons = [lesson for lesson in find_lessons().values() if not lesson.is_summary]
    return [(lesson.number, *lesson.station) for lesson in lessons]
