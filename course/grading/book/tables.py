"""CSV files as spreadsheets write and read them: semicolons, marks at the start, leading zeros."""

import codecs
import csv
import io
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from course import BuildError
from course.files import draft
from course.grading.submission import composed

# With which a spreadsheet begins to calculate, in any width of letters; what it passes over before
# that; and where a cell begins, by this table or by those who take something else for its end.
_SIGN, _SPACE = "[=+\\-@＝＋－＠]", "[ \v\f\xa0\u200b\ufeff]*"
_STARTS = (rf"^{_SPACE}(?='*(?:{_SIGN}|[\t\r]))", rf"[;\t\r\n]{_SPACE}(?='*{_SIGN})")
FORMULA = re.compile("|".join(_STARTS))
GUARDED = re.compile("|".join(start.replace("(?=", "(?='", 1) for start in _STARTS))
DELIMITERS = ",;\t"
MOST_LETTERS = 30 << 20  # of a cell


def read_table(path: Path, needed: Sequence[str]) -> list[dict[str, str]]:
    """Read a table; the names of its columns count without case and spaces around them.

    Letters are composed (NFC), as students' names are everywhere.

    Raises
    ------
    BuildError
        If it cannot be read, or a column is not there.
    """
    text = read_text(path)
    csv.field_size_limit(MOST_LETTERS)
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter_of(text)))
    except csv.Error as error:
        raise BuildError(f"reading {path}: {error}") from error
    names = [name.strip().lower() for name in rows[0]] if rows else []
    if missing := [name for name in needed if name not in names]:
        found = ", ".join(names) or "none"
        raise BuildError(f"reading {path}: there is no column {missing[0]!r}, but: {found}")
    return [
        {name: composed(plain(cell.strip())) for name, cell in zip(names, row, strict=False)}
        for row in rows[1:]
        if any(cell.strip() for cell in row)
    ]


def read_text(path: Path) -> str:
    """Read a file, in whatever a spreadsheet may have written it.

    Raises
    ------
    BuildError
        If it cannot be read.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise BuildError(f"reading {path}: {error.strerror}") from error
    try:
        is_wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
        return data.decode("utf-16" if is_wide else "utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")  # what older spreadsheets write


def delimiter_of(text: str) -> str:
    """Return what a table has between its cells, by its first line."""
    return max(DELIMITERS, key=text.partition("\n")[0].count)


def write_table(
    path: Path,
    names: Sequence[str],
    rows: Iterable[Sequence],
    *,
    delimiter: str = ",",
    is_theirs: bool = False,
) -> None:
    """Write a table in which no text is a formula, and which nobody but its owner may read.

    One that is not ours is written as it is.
    """
    made = io.StringIO(newline="")
    writer = csv.writer(made, delimiter=delimiter)
    writer.writerow(names)
    for row in rows:
        writer.writerow(row if is_theirs else [harmless(cell) for cell in row])
    with draft(path) as new:
        new.touch(mode=0o600)
        new.write_bytes(made.getvalue().encode("utf-8-sig", "replace"))


def harmless(cell) -> str:
    """Write a cell so that a spreadsheet shows it, whatever it begins with.

    What stands behind a semicolon, a tab or a line's end may begin a cell in some spreadsheets.
    """
    if cell is None:
        return ""
    if isinstance(cell, int | float):
        return f"{cell:g}"
    return FORMULA.sub(lambda found: f"{found[0]}'", str(cell).replace("\0", ""))


def plain(cell: str) -> str:
    """Undo `harmless`."""
    ends = [found.end() for found in GUARDED.finditer(cell)]
    return "".join(letter for at, letter in enumerate(cell) if at not in ends)


def number(cell: str, path: Path, student: str) -> float:
    """Read a number, with a point or a comma.

    Raises
    ------
    BuildError
        If it is none.
    """
    try:
        return float(cell.replace(",", "."))
    except ValueError as error:
        raise BuildError(f"reading {path}: {cell!r} of {student} is no number") from error
