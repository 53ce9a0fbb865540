"""A picture that shows colours for their own sake, for dark slides.

Other pictures are turned dark by their lightness, and keep their hues. That would make a red patch
pink. Here the colours stay, with all that lies among them, and only the grey around them is turned:
paper, letters, axes.
"""

import base64
import io

import numpy as np
from PIL import Image

GREY = 24  # of 255, by which the three lights of a grey dot differ at most


def on_dark(picture: str) -> str:
    """Turn what is grey around the colours of a PNG, in base 64; return a PNG in base 64."""
    dots = np.array(Image.open(io.BytesIO(base64.b64decode(picture))).convert("RGB"))
    rows, columns = np.nonzero(np.ptp(dots.astype(int), axis=-1) > GREY)
    around = np.ones(dots.shape[:2], bool)
    around[min(rows) : max(rows) + 1, min(columns) : max(columns) + 1] = False
    dots[around] = 255 - dots[around]
    data = io.BytesIO()
    Image.fromarray(dots).save(data, "PNG", optimize=True)
    return base64.b64encode(data.getvalue()).decode()
