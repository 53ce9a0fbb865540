"""Arrays as grids, each one output with several forms: text, picture with alt text, and a table.

All forms are made from the numbers as they are printed (`Table`), so that noise in the last bits of
an array changes none of them.
"""

import base64

from attnlib.pictures.grid.picture import draw, hues
from attnlib.pictures.grid.words import as_sentences, as_text

GRID = "application/vnd.attnlib.grid+json"
FEW = 64  # colours of a picture, so that it stays small


class Grid:
    """What `plotting.grid` returns: shown by Jupyter at the end of a cell, or by ``display``.

    Attributes
    ----------
    tables : tuple of Table
        The arrays, as they are printed.
    text : str
        All of it in text; `str` and `repr` of the grid.
    alt : str
        The picture in words, its numbers with them.
    """

    def __init__(self, tables):
        self.tables = tuple(tables)
        self.text = "\n\n".join(map(as_text, self.tables))
        self.alt = " ".join(map(as_sentences, self.tables))

    def __repr__(self):
        return self.text

    def paper(self):
        """Return the picture, before it is a PNG."""
        return draw(self.tables)

    def recorded(self):
        """Return what a page needs to write the grid as tables of its own, fit for JSON."""
        return {
            "tables": [
                {
                    "name": table.name,
                    "shape": str(table.shape),
                    "axes": list(table.axes),
                    "rows": list(table.rows),
                    "columns": list(table.columns),
                    "words": [list(row) for row in table.words],
                    "shares": [list(row) for row in table.shares],
                    "hues": list(hues(table)),
                }
                for table in self.tables
            ]
        }

    def _repr_mimebundle_(self, **kwargs):
        paper = self.paper()
        data = {
            "text/plain": self.text,
            "image/png": base64.b64encode(paper.png(FEW)).decode(),
        }
        if not any(table.large for table in self.tables):  # such a one has no numbers to tell
            data[GRID] = self.recorded()
        size = {"width": paper.width // 2, "height": paper.height // 2}
        return data, {"image/png": {"alt": self.alt} | size}
