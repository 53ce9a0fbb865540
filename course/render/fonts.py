"""Fonts inside a page: of each only the letters that the page has, as CSS.

What is measured here looks the same elsewhere: no page depends on what a machine has.
"""

import base64
import io
import re
from collections.abc import Iterable
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from unicodedata import east_asian_width

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
HAN = {  # of pages in Chinese alone
    ("Course Han", "normal", 400): "noto-sans-sc-chinese-simplified-400-normal.woff",
    ("Course Han", "normal", 600): "noto-sans-sc-chinese-simplified-600-normal.woff",
}
SHARED = set("“”‘’—…")  # which Chinese writes as wide as its own letters
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


def font_faces(page: str, lang: str = "en") -> str:
    """Return the CSS that brings the fonts' letters that a page needs.

    Raises
    ------
    BuildError
        If a page in Chinese has a letter that its font lacks.
    """
    letters = set(re.sub(r"<(script|style)\b.*?</\1>", "", page, flags=re.DOTALL))
    letters |= {ITALIC[letter] for letter in letters & set(ITALIC)}
    letters |= set("√" if re.search("<(msqrt|mroot)", page) else "")  # drawn, and nowhere a letter
    needed = "".join(sorted(letter for letter in letters if letter.isprintable()))
    faces = [_face(*face, needed) for face in FACES]
    if lang.startswith("zh"):  # what scripts say is Chinese, too
        wide = {letter for letter in page if is_wide(letter)}
        if lacking := without_face(wide):
            letter, place = lacking[0], page.index(lacking[0])
            near = page[max(0, place - 20) : place + 20].replace("\n", " ")
            raise BuildError(f"no font has {letter} (U+{ord(letter):04X}), in “{near}”")
        han = "".join(sorted(wide | letters & SHARED))
        faces += [_face(*face, han) for face in HAN]
    return "\n".join(faces)


def is_wide(letter: str) -> bool:
    """Tell whether a letter or a sign is as wide as it is high, as those of Chinese are."""
    return east_asian_width(letter) in "WF"


def with_italics(page: str) -> str:
    """Say of emphasis without a letter of Chinese that it is English: it may be in italics."""

    def told(found: re.Match[str]) -> str:
        return found[0] if any(map(is_wide, found[1])) else f'<em lang="en">{found[1]}</em>'

    return re.sub("<em>(.*?)</em>", told, page, flags=re.DOTALL)


def without_face(text: Iterable[str]) -> list[str]:
    """List the letters and signs of a text in Chinese that no font has."""
    han, narrow = _letters_of(*HAN), _letters_of(*FACES)
    return sorted(
        {letter for letter in text if letter not in (han if is_wide(letter) else han | narrow)}
    )


@cache
def _letters_of(*faces: tuple[str, str, int]) -> set[str]:
    fonts = (TTFont(vendored((FACES | HAN)[face])) for face in faces)
    return {chr(letter) for font in fonts for letter in font.getBestCmap()}


@cache
def _face(family: str, style: str, weight: int, letters: str) -> str:
    options = subset.Options()
    options.drop_tables += ["FFTM", "webf"]  # notes of the fonts' editors
    font = TTFont(vendored((FACES | HAN)[family, style, weight]), recalcTimestamp=False)
    if "MATH" in font:
        _keep_one_root(font)
    if (family, style, weight) in HAN:
        _stand_as(font, TTFont(vendored(FACES["Course Sans", style, weight])))
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


def _stand_as(font: TTFont, other: TTFont) -> None:
    """Let a font be as high as another: a line with letters of both is no higher, then."""
    scale = font["head"].unitsPerEm / other["head"].unitsPerEm
    high, deep = (round(scale * size) for size in (other["hhea"].ascent, -other["hhea"].descent))
    font["hhea"].ascent, font["hhea"].descent = high, -deep
    font["OS/2"].usWinAscent, font["OS/2"].usWinDescent = high, deep  # as Windows reads it
