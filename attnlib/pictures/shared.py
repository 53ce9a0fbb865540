"""What Python and the front end both know of the widgets: shared.json, which both read."""

import json
from pathlib import Path

SHARED = json.loads((Path(__file__).with_name("shared.json")).read_text(encoding="utf-8"))


def shared(part, *names):
    """Return numbers and words of a part of the table, by their names there."""
    return [SHARED[part][name] for name in names]
