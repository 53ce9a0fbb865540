"""A text of the repository as it is read elsewhere: on an index of packages, on the site.

There a link to a file of the repository leads nowhere by itself. With the repository's address it
becomes a whole one; without, its words stay and the link goes. Imports nothing of ours, because
`hatch_build.py` runs it where nothing is installed yet.
"""

import posixpath
import re
from collections.abc import Collection

CODE = r"^(?P<fence>```+).*?^(?P=fence)|`[^`\n]+`"
PICTURE = r"<picture>.*?</picture>\n*|!\[[^\]]*\]\([^)\s]+\)\n*"
LINK = r"\[(?P<words>[^\[\]]*)\]\((?P<address>[^)\s]+)\)"
PARTS = re.compile(f"{CODE}|(?P<picture>{PICTURE})|{LINK}", re.DOTALL | re.MULTILINE)
SHOWN = re.compile(r'((?:src|srcset)="|\]\()([^")]+)')


def read_elsewhere(
    text: str, repository: str | None, *, folder: str = "", there: Collection[str] = ()
) -> str:
    """Write a Markdown text anew, so that no link in it leads nowhere.

    Parameters
    ----------
    text
        Markdown. What is code stays as it is.
    repository
        Where the repository is, ``https://github.com/OWNER/NAME``.
    folder
        Where the text lies, below the repository's root.
    there
        Files of the repository, by their paths below its root, that the text finds where it is
        read: links to them stay.
    """

    def path_of(address: str) -> str:
        return posixpath.normpath(posixpath.join(folder, address.partition("#")[0]))

    def stays(address: str) -> bool:
        return ":" in address or address.startswith("#") or path_of(address) in there

    def picture(shown: re.Match) -> str:
        start, address = shown.groups()
        return shown[0] if stays(address) else f"{start}{repository}/raw/main/{path_of(address)}"

    def part(found: re.Match) -> str:
        if found["picture"]:
            if repository or all(stays(address) for _, address in SHOWN.findall(found[0])):
                return SHOWN.sub(picture, found[0])
            return ""
        if not found["address"] or stays(found["address"]):
            return found[0]
        if not repository:
            return found["words"]
        _, mark, anchor = found["address"].partition("#")
        whole = f"{repository}/blob/main/{path_of(found['address'])}{mark}{anchor}"
        return f"[{found['words']}]({whole})"

    return PARTS.sub(part, text)
