"""Letters of every script: fonts that have them, and the way in which words run.

Pictures are written in DejaVu Sans, which comes with Matplotlib. What it lacks comes from an
installed font; where there is none, one sentence says so. A line runs from left to right, whatever
its first word is, and in it a word of a right-to-left script runs as it is read.
"""

import contextlib
import functools
import re
import unicodedata
import warnings
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import numpy as np
from PIL import Image, ImageDraw, ImageFont, features

KEPT = 4096  # words, whose pictures are drawn once
NO_LETTER = "\U0010ffff"  # what every font shows as a box
STRIKES = (109, 160, 136, 128, 96)  # pixels in which fonts of coloured pictures have them
JOINED = {"Mn", "Mc", "Me", "Cf", "Sk"}  # kinds of signs that belong to the letter before them
SCRIPTS = {
    "CJK": "Chinese",
    "HIRAGANA": "Japanese",
    "KATAKANA": "Japanese",
    "HANGUL": "Korean",
}  # by the first word of a letter's name; most others are the script's own
LEFTWARDS = {"R", "AL"}  # what Unicode calls the directions of such letters
MARK = "\u200e"  # it is not seen, and what stands beside it runs from left to right


class Piece(NamedTuple):
    """Letters of one font and one direction, a part of a line."""

    words: str
    font: ImageFont.FreeTypeFont
    scale: float  # of a font that has one size alone; else 1
    leftwards: bool

    @property
    def length(self):
        """How far the next piece begins to the right of this one."""
        words, way = self._run
        return self.scale * self.font.getlength(words, **way)

    @property
    def box(self):
        """Left, top, right and bottom of the ink, seen from where the line begins."""
        words, way = self._run
        return [self.scale * x for x in self.font.getbbox(words, anchor="ls", **way)]

    @property
    def _run(self):
        if features.check("raqm"):
            return self.words, {"direction": "rtl" if self.leftwards else "ltr"}
        return self.words[:: -1 if self.leftwards else 1], {}

    def ink(self, mask, x, y):
        """Put the piece's ink into a mask, its line beginning at (x, y)."""
        words, way = self._run
        if self.scale == 1:
            ImageDraw.Draw(mask).text((x, y), words, 255, self.font, "ls", **way)
            return
        left, top, right, bottom = map(round, self.font.getbbox(words, anchor="ls", **way))
        whole = Image.new("RGBA", (max(1, right - left), max(1, bottom - top)))
        pen = ImageDraw.Draw(whole)
        pen.text((-left, -top), words, font=self.font, anchor="ls", embedded_color=True, **way)
        size = [max(1, round(self.scale * x)) for x in whole.size]
        small = whole.resize(size, Image.Resampling.LANCZOS)
        dark = small.convert("L").point(lambda light: 255 - 0.7 * light)  # pale parts show, too
        place = round(x + self.scale * left), round(y + self.scale * top)
        mask.paste(dark, place, small.getchannel("A"))


@functools.lru_cache(KEPT)
def pieces(words, size, bold):
    """Return a line as pieces, in the order in which they stand from left to right."""
    own = usual(size, bold)
    if words.isascii():
        return (Piece(words, own, 1, False),)
    parts = []
    for part, leftwards in _directed(words):
        run = []
        for letter in part:
            belongs = run and (_is_joined(letter) or run[-1][0].endswith("\u200d"))
            path = run[-1][1] if belongs else _path(letter, bold)
            if run and run[-1][1] == path:
                run[-1][0] += letter
            else:
                run.append([letter, path])
        parts += [(*one, leftwards) for one in (reversed(run) if leftwards else run)]
    return tuple(
        Piece(part, *(_opened(path, size) if path else (own, 1)), leftwards)
        for part, path, leftwards in parts
    )


def directed(words):
    """Return words with marks, for Matplotlib, where a word in them runs to the left."""
    parts = _directed(str(words))
    if len(parts) < 2:
        return words
    return MARK + "".join(part + MARK * leftwards for part, leftwards in parts)


def lettered(figure):
    """Let all that is written in a Matplotlib figure have the letters of every word in it."""
    from matplotlib.font_manager import fontManager, ttfFontProperty
    from matplotlib.ft2font import FT2Font
    from matplotlib.text import Text

    texts = figure.findobj(Text)
    needed = {letter for text in texts for letter in text.get_text() if not letter.isascii()}
    paths = dict.fromkeys(_path(letter, False, scalable=True) for letter in sorted(needed))
    families = []
    for path in filter(None, paths):
        known = {font.fname: font.name for font in fontManager.ttflist}
        if path not in known:  # installed since Matplotlib has looked
            fontManager.addfont(path)
        families.append(known.get(path) or ttfFontProperty(FT2Font(path)).name)
    for text in texts if families else ():
        text.set_fontfamily([*dict.fromkeys([*text.get_fontfamily(), *families])])


def _directed(words):
    """Return parts of a line, and whether each is a word that runs to the left."""
    tokens = re.split(r"(\s+)", words)
    cut = [_cut(token) for token in tokens]
    if all(len(parts) == 1 and parts[0][1] for parts in cut[::2]):
        return [(words, True)]  # one name of several words
    joined = []
    for part, leftwards in (part for parts in cut for part in parts):
        if joined and not leftwards and not joined[-1][1]:
            joined[-1] = joined[-1][0] + part, False
        else:
            joined.append((part, leftwards))
    return joined


def _cut(token):
    """Return what has no space in it as parts, as `_directed` does."""
    at = [k for k, sign in enumerate(token) if unicodedata.bidirectional(sign) in LEFTWARDS]
    if not at:
        return [(token, False)] if token else []
    start, end = at[0], at[-1] + 1
    while token[start - 1 : start].isalnum():
        start -= 1
    while token[end : end + 1].isalnum() or unicodedata.combining(token[end : end + 1] or " "):
        end += 1
    parts = [(token[:start], False), (token[start:end], True), (token[end:], False)]
    return [part for part in parts if part[0]]


def _is_joined(letter):
    """Tell whether a sign belongs to the letter before it."""
    return unicodedata.category(letter) in JOINED and not letter.isascii()


def _path(letter, bold, *, scalable=False):
    """Return the file of the font that a letter needs; None where it is the usual one."""
    if letter.isascii() or letter.isspace() or _is_joined(letter) or _has(letter, bold):
        return None
    found = _found(letter, bold, scalable)
    if found is None:
        _tell(letter, for_plots=scalable and _found(letter, bold, False) is not None)
    return found


@functools.lru_cache(KEPT)
def _has(letter, bold):
    """Tell whether the usual font has a letter, without the time that Matplotlib's import takes."""
    font = usual(16, bold)
    drawn, box = font.getmask(letter), font.getmask(NO_LETTER)
    return (drawn.size, bytes(drawn)) != (box.size, bytes(box))


@functools.lru_cache(KEPT)
def _found(letter, bold, scalable):
    """Return the file of the installed font that suits best of those that have a letter."""
    having = [font for font in _installed() if (font.scalable or not scalable) and font.has(letter)]
    return min(having, key=lambda font: font.strangeness(bold)).path if having else None


class _Font(NamedTuple):
    """An installed font, and which letters it has."""

    path: str
    family: str
    style: str
    scalable: bool
    letters: np.ndarray  # (n,), the numbers of its letters, sorted

    def has(self, letter):
        """Tell whether a letter is one of its own."""
        place = self.letters.searchsorted(ord(letter))
        return place < len(self.letters) and self.letters[place] == ord(letter)

    def strangeness(self, bold):
        """Return what sorts fonts by how well they go with the usual one."""
        usual = self.style == ("Bold" if bold else "Regular")
        return "Sans" not in self.family, not usual, len(self.family), self.path


@functools.cache
def _installed():
    """Return the fonts of the system; to look takes a second, and is done where a letter lacks."""
    from matplotlib.font_manager import findSystemFonts
    from matplotlib.ft2font import FT2Font

    fonts = []
    for path in findSystemFonts():
        try:
            font = FT2Font(path)
            letters = np.array(sorted(font.get_charmap()), dtype=np.int32)
        except (OSError, RuntimeError):  # it is none, or one that FreeType does not read
            continue
        fonts.append(_Font(path, font.family_name, font.style_name, font.scalable, letters))
    return fonts


@functools.lru_cache(KEPT)
def _opened(path, size):
    """Return a font in a size, and by how much it is then scaled."""
    try:
        return ImageFont.truetype(path, size), 1
    except OSError:  # of coloured pictures in one size
        for strike in STRIKES:
            with contextlib.suppress(OSError):
                return ImageFont.truetype(path, strike), size / strike
        raise


@functools.cache
def usual(size, bold):
    """Return the letters that come with Matplotlib."""
    name = "DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf"
    fonts = Path(find_spec("matplotlib").origin).parent / "mpl-data" / "fonts" / "ttf"
    return ImageFont.truetype(fonts / name, size)


def _script(letter):
    """Return whose letter it is, in a word."""
    if not letter.isalnum():
        return "emoji or signs"
    name = unicodedata.name(letter, "unknown").split()[0]
    return f"{SCRIPTS.get(name, name.capitalize())} letters"


def _tell(letter, *, for_plots):
    """Say once of a script that a letter of it lacks, instead of what Matplotlib says of each."""
    script = _script(letter)
    if (script, for_plots) in _told():
        return
    _told().add((script, for_plots))
    warnings.filterwarnings("ignore", r"Glyph \d+ .* missing from", UserWarning)
    has, where = "them", "Plots and still pictures"
    if for_plots:
        has, where = "their outlines", "Plots"
    sentence = (
        f"{where} show boxes for {script} such as “{letter}”, since no installed font has "
        f"{has}; the free Noto fonts do, and a kernel started after they are installed finds them."
    )
    warnings.warn_explicit(sentence, UserWarning, "attnlib", 1)  # no line of code belongs to it


@functools.cache
def _told():
    """Return the scripts of which something has been said."""
    return set()
