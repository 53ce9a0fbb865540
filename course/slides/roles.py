"""Formulas in the colours of the roles: query, key, value and output are seen where they stand."""

import re

ROLES = {"Q": "query", "K": "key", "V": "value", "output": "output"}
WITH_A_QUERY = {"q": "query", "k": "key", "v": "value"}  # a k alone is a number, say


def in_colors(page: str) -> str:
    """Let the letters of roles carry the role's class, in all formulas of a page."""
    return re.sub(r"<math\b.*?</math>", _colored, page, flags=re.DOTALL)


def _colored(formula: re.Match[str]) -> str:
    roles = ROLES | (WITH_A_QUERY if re.search("<mi>q</mi>", formula[0]) else {})
    letters = "|".join(roles)
    return re.sub(
        rf"<(mi|mtext)>({letters})</\1>",
        lambda m: f'<{m[1]} class="{roles[m[2]]}">{m[2]}</{m[1]}>',
        formula[0],
    )
