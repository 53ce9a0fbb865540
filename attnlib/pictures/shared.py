"""What Python and the front end both know of the widgets: shared.json, which both read."""

import json
from pathlib import Path

SHARED = json.loads((Path(__file__).with_name("shared.json")).read_text(encoding="utf-8"))


def shared(part, *names):
    """Return numbers and words of a part of the table, by their names there."""
    return [SHARED[part][name] for name in names]


def unusual(kind, traits):
    """Return those traits of a widget, as JSON has them, that are not at their defaults.

    These alone are recorded, so that a trait more changes no notebook; whoever brings a record to
    life fills in the others.
    """
    usual = SHARED["defaults"]["Widget"] | SHARED["defaults"].get(kind, {})
    return {name: x for name, x in traits.items() if name not in usual or x != usual[name]}
