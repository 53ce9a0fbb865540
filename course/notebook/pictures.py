"""A figure in a committed notebook has a palette, and weighs a third of what it would without."""

import base64
import io

from nbformat import NotebookNode
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from course.notebook.letters import CHUNK, COLORS

PNG = "image/png"
HOW = Image.Quantize.MAXCOVERAGE  # Pillow's other ways make white grey, or lines another colour


def lighten(output: NotebookNode) -> None:
    """Give an output's PNG a palette of 256 colours, in place; one that has a palette stays."""
    png = output.get("data", {}).get(PNG)
    if png is None:
        return
    image = Image.open(io.BytesIO(base64.b64decode(png)))
    if image.mode == "P":
        return
    opaque = Image.new("RGB", image.size, "white")
    opaque.paste(image, mask=image.getchannel("A") if "A" in image.getbands() else None)
    light = io.BytesIO()
    few = opaque.quantize(256, method=HOW, dither=Image.Dither.NONE)
    few.save(light, "png", optimize=True, pnginfo=_told(image))
    output.data[PNG] = base64.b64encode(light.getvalue()).decode()


def _told(image: Image.Image) -> PngInfo:
    """Keep what a picture says of its letters and its colours, and nothing else that it says."""
    told = PngInfo()
    for chunk in (CHUNK, COLORS):
        if chunk in image.info:
            told.add_text(chunk, image.info[chunk])
    return told
