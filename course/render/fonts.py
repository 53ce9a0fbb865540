"""Fonts inside a page: of each only the letters that the page has, as CSS.

What is measured here looks the same elsewhere: no page depends on what a machine has.
"""

import base64
import io
import re
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont

from course import BuildError

VENDOR = Path(__file__).parent / "vendor"  # its README says what it holds, and whence
# Importing Matplotlib to find its fonts would take a second.
MATPLOTLIB = Path(find_spec("matplotlib").origin).parent / "mpl-data" / "fonts" / "ttf"
FACES = {  # family, style, weight: where it is, in `vendor` or elsewhere
    ("Course Sans", "normal", 400): "source-sans-pro-regular.woff",
    ("Course Sans", "normal", 600): "source-sans-pro-semibold.woff",
    ("Course Sans", "italic", 400): "source-sans-pro-italic.woff",
    ("Course Mono", "normal", 400): MATPLOTLIB / "DejaVuSansMono.ttf",
    ("Course Math", "normal", 400): "STIXTwoMath-Regular.ttf",
}
ITALIC = {"h": "\u210e"}  # the one italic letter of mathematics that has its place elsewhere
ITALIC |= {chr(65 + i): chr(0x1D434 + i) for i in range(26)}
ITALIC |= {chr(97 + i): chr(0x1D44E + i) for i in range(26) if i != 7}
ITALIC |= {chr(0x3B1 + i): chr(0x1D6FC + i) for i in range(25)}


def vendored(name: str | Path) -> Path:
    """Return where a file of `vendor` is; a whole path stays as it is.

    Raises
    ------
    BuildError
        If the folder is missing, as it is in a source distribution.
    """
    if not VENDOR.is_dir():
        raise BuildError(
            "decks, pages and the site hold reveal.js and fonts, and `course/render/vendor`, which "
            "has them, is not here: they are under licences of their own, so a source distribution "
            "leaves them out; build in a clone of the repository"
        )
    return VENDOR / name


def font_faces(page: str) -> str:
    """Return the CSS that brings the fonts' letters that a page needs."""
    letters = set(re.sub(r"<(script|style)\b.*?</\1>", "", page, flags=re.DOTALL))
    letters |= {ITALIC[letter] for letter in letters & set(ITALIC)}
    letters |= set("√" if re.search("<(msqrt|mroot)", page) else "")  # drawn, and nowhere a letter
    needed = "".join(sorted(letter for letter in letters if letter.isprintable()))
    return "\n".join(_face(*face, needed) for face in FACES)


@cache
def _face(family: str, style: str, weight: int, letters: str) -> str:
    options = subset.Options()
    options.drop_tables += ["FFTM", "webf"]  # notes of the fonts' editors
    font = TTFont(vendored(FACES[family, style, weight]), recalcTimestamp=False)
    if "MATH" in font:
        _keep_one_root(font)
    part = subset.Subsetter(options)
    part.populate(text=letters)
    part.subset(font)
    font.flavor = "woff"
    data = io.BytesIO()
    font.save(data)
    return (
        f'@font-face {{ font-family: "{family}"; font-style: {style}; font-weight: {weight}; '
        f"src: url(data:font/woff;base64,{base64.b64encode(data.getvalue()).decode()}); }}"
    )


def _keep_one_root(font: TTFont) -> None:
    """Take away the root's larger signs: Chromium leaves room for the widest behind each root."""
    variants = font["MATH"].table.MathVariants
    at = variants.VertGlyphCoverage.glyphs.index(font.getBestCmap()[ord("√")])
    del variants.VertGlyphCoverage.glyphs[at], variants.VertGlyphConstruction[at]
    variants.VertGlyphCount -= 1
