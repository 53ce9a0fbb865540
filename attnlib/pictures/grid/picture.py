"""The picture of a grid: cells in the colour of their role, names, and the shape beside the name.

A unit is one pixel of the picture, and two of them are one on the page: so letters stay sharp.
"""

from attnlib.pictures.colours import COLORS
from attnlib.pictures.paper import Paper, room
from attnlib.pictures.shades import FAINT, INK, PAPER, SOFT, shade, tint

SIZE, SMALL, TINY = 28, 24, 20  # of letters: numbers and names of rows; of columns; of many
ROW = 60
WIDEST = 1440  # of a line of tables; the next begins a line of its own
GAP = 56
RIM = 12
MOST = 0.6  # of a role's colour, so that dark letters are read on it
NAME = 200  # how wide a column may become for its name; a longer one is turned
SIGNS = {"True": "●", "False": "×"}


def draw(tables):
    """Return Tables drawn on paper, side by side where they have room."""
    lines = [[]]
    for table in tables:
        before = lines[-1][-1].table if lines[-1] else None
        drawn = _Drawn(table, named=before is None or before.rows != table.rows)
        width = sum(one.width + GAP for one in lines[-1]) + drawn.width
        if lines[-1] and width > WIDEST:
            lines.append([_Drawn(table, named=True)])
        else:
            lines[-1].append(drawn)
    heights = [max(one.top for one in line) + max(one.high for one in line) for line in lines]
    widths = [sum(one.width for one in line) + GAP * (len(line) - 1) for line in lines]
    height = sum(heights) + GAP * (len(lines) - 1)
    # Even, so that half of it is whole.
    paper = Paper(*(2 * -(-round(x + 2 * RIM) // 2) for x in (max(widths), height)), foot="")
    y = RIM
    for line, high in zip(lines, heights, strict=True):
        x, top = RIM, max(one.top for one in line)
        for one in line:
            one.draw(paper, x, y, y + top)
            x += one.width + GAP
        y += high + GAP
    return paper


def hues(table):
    """Return the colours of what is above 0 and below it, the strongest that letters allow."""
    if table.color in COLORS:
        return COLORS[table.color], SOFT
    ends = (0.75, -0.75) if table.signed else (0.75, 0.75)
    return tuple(shade(end, two_sided=table.signed)[0] for end in ends)


class _Drawn:
    """A Table, and the room that it takes: from the left of its row names to its last column."""

    def __init__(self, table, *, named):
        self.table, self.named = table, named
        n_columns = len(table.columns)
        names = room(table.columns, size=SMALL)
        if table.large:
            self.cell = max(10.0, min(40.0, 1100 / n_columns))
            self.row, self.letters, self.turned = self.cell, TINY, True
            names = room(table.columns, size=TINY)
        else:
            numbers = room(
                [SIGNS.get(word, word) for row in table.words for word in row], size=SIZE
            )
            self.cell = max(64.0 if n_columns > 10 else 88.0, numbers + 20)
            if names + 16 <= max(self.cell, NAME if n_columns <= 10 else 0):
                self.cell = max(self.cell, names + 16)
            self.row, self.letters = ROW, SIZE
            self.turned = names > self.cell - 8
        self.axes = named and any(table.axes)
        words = [*table.rows] if named else []
        self.left = room(words, size=self.letters) + (18 if any(words) else 0)
        if self.axes:
            self.left = max(self.left, room(_told(table), size=TINY) + 18)
        self.names = names + 16 if self.turned else 40.0
        if self.axes:
            self.names = max(self.names, 56.0)
        self.top = self.names + 8 + 44  # above the cells: the names, a bar, the title
        ends = table.ends if table.large else None
        self.beside = str(table.shape) + (f", from {ends[0]} to {ends[1]}" if ends else "")
        title = room(table.name, size=SIZE, bold=True) + 14 + room(self.beside, size=SMALL)
        self.width = self.left + max(self.cell * n_columns, title)
        self.high = self.row * len(table.rows)

    def draw(self, paper, x, y, top):
        """Draw it with its title at y, its first cell at `top`, and its row names at x."""
        table, left = self.table, x + self.left
        width = self.cell * len(table.columns)
        title = y + 18
        paper.write(left, title, table.name, INK, size=SIZE, bold=True)
        beside = left + (room(table.name, size=SIZE, bold=True) + 14 if table.name else 0)
        paper.write(beside, title + 1, self.beside, SOFT, size=SMALL)
        paper.box(left, top - 8, width, 6, fill=hues(table)[0])
        if self.axes:
            for place, words in zip((top - 18, top - 46), _told(table), strict=True):
                paper.write(left - 18, place, words, SOFT, size=TINY, at="rm")
        self._columns(paper, left, top)
        self._rows(paper, left, top)
        for i, row in enumerate(table.words):
            for j, word in enumerate(row):
                at = left + self.cell * j, top + self.row * i
                self._cell(paper, *at, word, table.shares[i][j])
        paper.box(left, top, width, self.row * len(table.rows), edge=FAINT, line=2)

    def _columns(self, paper, left, top):
        size = TINY if self.table.large else SMALL
        apart = -(-(size + 6) // int(self.cell)) if self.turned else 1
        for j, name in list(enumerate(self.table.columns))[::apart]:
            middle = left + self.cell * (j + 0.5)
            if self.turned:
                paper.write(middle, top - 16, name, INK, size=size, turned=True)
            else:
                paper.write(middle, top - 26, name, INK, size=size, at="mm")

    def _rows(self, paper, left, top):
        apart = -(-(self.letters + 4) // int(self.row))
        for i, name in list(enumerate(self.table.rows))[::apart] if self.named else ():
            middle = top + self.row * (i + 0.5)
            paper.write(left - 14, middle, name, INK, size=self.letters, at="rm")

    def _cell(self, paper, x, y, word, share):
        table, apart = self.table, 0 if self.table.large else 2
        paper_color, ink = _shade(table, share)
        if share is None and word != "nan":
            paper.hatch(x + apart, y + apart, self.cell - 2 * apart, self.row - 2 * apart, FAINT)
            ink = SOFT
        elif paper_color != PAPER:
            inside = self.cell - 2 * apart, self.row - 2 * apart
            paper.box(x + apart, y + apart, *inside, fill=paper_color)
        if not table.large:
            word = SIGNS.get(word, word)
            paper.write(x + self.cell / 2, y + self.row / 2, word, ink, size=SIZE, at="mm")


def _told(table):
    """Return what stands in the corner: the names of rows and columns, with arrows."""
    return [f"{name} {arrow}" if name else "" for name, arrow in zip(table.axes, "↓→", strict=True)]


def _shade(table, share):
    """Return a cell's paper and ink: a role's own colour, grey below 0, or the widgets' shades."""
    share = share or 0.0
    if table.color in COLORS:
        return tint(hues(table)[int(share < 0)], MOST * abs(share))
    return shade(share, two_sided=table.signed)
