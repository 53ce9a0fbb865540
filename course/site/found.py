"""What a search engine reads of a page, and shows of it: a title, and a description.

A lesson's heading says what one does in it. What people type is the name of the thing, so that
stands before it in the title. Both are `found` in the lesson's front matter.
"""

LONGEST = 160  # letters of a description, of which a search engine shows no more
HOME = "how Transformers work, with NumPy alone"


def title(heading: str, series: str, subject: str = "") -> str:
    """Write the title of a page: of a lesson with its subject, and the series' name once."""
    if heading == series:
        return f"{heading}: {HOME}"
    if subject:
        _, dot, does = heading.partition(" · ")
        heading = f"{subject}: {does[:1].lower()}{does[1:]}" if dot else subject
    return f"{heading} — {series}"


def description(opening: str) -> str:
    """Describe a page by whole sentences of its opening."""
    while len(opening) > LONGEST and ". " in opening:
        opening = f"{opening.rpartition('. ')[0]}."
    return opening
