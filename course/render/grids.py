"""A grid as tables of HTML: numbers that a screen reader finds, in a page's own letters."""

from collections.abc import Mapping
from pathlib import Path

import jinja2

HERE = Path(__file__).parent
STYLE = HERE / "grid.css"
GRID = "application/vnd.attnlib.grid+json"
LETTER = 0.56  # how wide one is, at most, as a share of its size
CLOSE = (1.8, 0.55)  # how wide a cell is at least, and its rim, where cells stand close


def as_tables(grid: Mapping) -> str:
    """Write a grid, as `attnlib.plotting.grid` records it, as tables side by side."""
    loader = jinja2.FileSystemLoader(HERE)
    environment = jinja2.Environment(loader=loader, autoescape=True, trim_blocks=True)
    environment.filters["wide"] = _wide
    sizes = {"wide": wide(grid), "close": close(grid), "high": high(grid)}
    return environment.get_template("grid.html.j2").render(tables=grid["tables"], **sizes)


def wide(grid: Mapping) -> float:
    """Return how wide a grid is in sizes of its letters."""
    return round(sum(map(_wide, grid["tables"])) + 1.6 * (len(grid["tables"]) - 1), 1)


def close(grid: Mapping) -> float:
    """Return how wide it is where its cells stand close."""
    tables = grid["tables"]
    return round(sum(_wide(table, *CLOSE) for table in tables) + 1.2 * (len(tables) - 1), 1)


def high(grid: Mapping) -> float:
    """Return how high a grid is in sizes of its letters."""
    return round(4.5 + 2.1 * max(len(table["rows"]) for table in grid["tables"]), 1)


def _wide(table: Mapping, least: float = 2.2, rim: float = 1.15) -> float:
    """Return how wide a table is in sizes of its letters, so that a slide can make it fit."""
    names = [*table["rows"], *(f"{axis} →" for axis in table["axes"])]
    told = zip(table["columns"], *table["words"], strict=True)
    cells = sum(max(least, LETTER * max(map(len, words))) + rim for words in told)
    across = LETTER * max(map(len, names), default=0) + 0.8 + cells
    return round(max(across, LETTER * len(f"{table['name']} {table['shape']}")), 1)
