"""What a search engine reads of a page, and shows of it: a title, and a description.

A lesson's heading says what one does in it. What people type is the name of the thing, so that
stands before it in the title. Both are `found` in the lesson's front matter.
"""

import re

from course.lesson.sentences import Say

LONGEST = 160  # letters of a description, of which a search engine shows no more


def title(heading: str, series: str, subject: str = "", say: Say = str.format) -> str:
    """Write the title of a page: of a lesson with its subject, and the series' name once."""
    if heading == series:
        return say("{series}: how Transformers work, with NumPy alone", series=heading)
    if subject:
        _, dot, does = heading.partition(" · ")
        does = f"{does[:1].lower()}{does[1:]}"
        heading = say("{subject}: {does}", subject=subject, does=does) if dot else subject
    return say("{page} — {series}", page=heading, series=series)


def description(opening: str) -> str:
    """Describe a page by whole sentences of its opening."""
    sentences = re.findall(r".+?(?:\.(?= )|。|$)", opening)
    while len("".join(sentences)) > LONGEST and len(sentences) > 1:
        sentences.pop()
    return "".join(sentences)
