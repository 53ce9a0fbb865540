"""A page that needs nothing but itself: no script, no letters, no picture from elsewhere."""

from pathlib import Path

from course.grading.book.words import escape
from course.render import PALETTE

STYLE = Path(__file__).with_name("pages.css")


def page(title: str, body: str, *, kind: str) -> bytes:
    """Return a page as the bytes of its file.

    Parameters
    ----------
    title
        As a window shows it.
    body
        HTML, in which everything is escaped already.
    kind
        ``"student"`` or ``"class"``.
    """
    style = PALETTE.read_text(encoding="utf-8") + STYLE.read_text(encoding="utf-8")
    made = (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title>\n<style>\n{style}</style></head>\n"
        f'<body class="{kind}"><main>\n{body}\n</main></body></html>\n'
    )
    return made.encode()
