"""A figure in a committed notebook: a PNG with few colours, and beside it the drawing as lines.

The PNG has a palette, and weighs a third of what it would without. It is as large as a notebook
shows it. On a slide it would be blurred, so its metadata have the same as SVG, which decks show.
"""

import base64
import bz2
import io
import re

from nbformat import NotebookNode
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from course.notebook.letters import CHUNK, COLORS

PNG, SVG = "image/png", "image/svg+xml"
DRAWING = "drawing"  # the SVG's name in the metadata of the PNG: packed by bz2, in base 64
HOW = Image.Quantize.MAXCOVERAGE  # Pillow's other ways make white grey, or lines another colour
LEFT_OUT = r"<\?xml.*?\?>|<!DOCTYPE.*?>|<!--.*?-->|<metadata>.*?</metadata>"  # dates and names


def lighten(output: NotebookNode) -> None:
    """Give an output's PNG a palette of 256 colours, in place; one that has a palette stays."""
    png = output.get("data", {}).get(PNG)
    if png is None:
        return
    image = Image.open(io.BytesIO(base64.b64decode(png)))
    if svg := output.data.pop(SVG, None):
        output.metadata.setdefault(PNG, NotebookNode())[DRAWING] = _packed(svg, image)
    if image.mode == "P":
        return
    opaque = Image.new("RGB", image.size, "white")
    opaque.paste(image, mask=image.getchannel("A") if "A" in image.getbands() else None)
    light = io.BytesIO()
    few = opaque.quantize(256, method=HOW, dither=Image.Dither.NONE)
    few.save(light, "png", optimize=True, pnginfo=_told(image))
    output.data[PNG] = base64.b64encode(light.getvalue()).decode()


def drawing_of(output: NotebookNode) -> str:
    """Return the SVG of an output's figure; empty where it has none."""
    packed = output.get("metadata", {}).get(PNG, {}).get(DRAWING, "")
    return bz2.decompress(base64.b64decode(packed)).decode() if packed else ""


def _packed(svg: str, image: Image.Image) -> str:
    """Pack an SVG; it has the size of the picture, and says how high its letters are."""
    svg = re.sub(r"\s*\n\s*", "\n", re.sub(LEFT_OUT, "", svg, flags=re.DOTALL)).strip()
    svg = re.sub(r"\d+\.\d{3,}", _short, svg)
    # The names that matplotlib makes of unrounded numbers are numbered.
    names = dict.fromkeys(re.findall(r'\bid="([a-z]+[0-9a-f]{10})"', svg))
    for place, name in enumerate(names):
        svg = svg.replace(name, f"n{place}_")
    told = (
        f'width="{image.width}" height="{image.height}" data-Letters="{image.info.get(CHUNK, 0)}"'
    )
    svg = re.sub(r'width="[\d.]+pt" height="[\d.]+pt"', told, svg, count=1)
    return base64.b64encode(bz2.compress(svg.encode())).decode()


def _short(number: re.Match[str]) -> str:
    """Round a number to what a slide shows of it."""
    value = float(number[0])
    return f"{value:.{2 if value >= 1 else 4}f}".rstrip("0").rstrip(".")


def _told(image: Image.Image) -> PngInfo:
    """Keep what a picture says of its letters and its colours, and nothing else that it says."""
    told = PngInfo()
    for chunk in (CHUNK, COLORS):
        if chunk in image.info:
            told.add_text(chunk, image.info[chunk])
    return told
