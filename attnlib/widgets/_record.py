"""A widget made again of what is recorded of it."""

import inspect

from attnlib import widgets
from attnlib.widgets._base import Widget


def revived(record):
    """Return the widget that a record is of.

    Parameters
    ----------
    record : dict
        As `Widget.recorded` returns it, or as it comes out of a notebook. What the widget asks and
        where it leads is left out, as no picture shows it.

    Raises
    ------
    KeyError, TypeError, ValueError
        If it is a record of no widget of ours, or of one that cannot be.

    Examples
    --------
    >>> from attnlib import widgets
    >>> revived(widgets.Scaling(d=64, seed=2).recorded())
    Scaling(seed=2)
    """
    kind = getattr(widgets, record["class"], None)
    if not inspect.isclass(kind) or not issubclass(kind, Widget):
        raise KeyError(record["class"])
    traits = kind.class_traits(sync=True)
    inputs = {
        name: traits[name].metadata.get("from_json", lambda x, owner: x)(value, None)
        for name, value in record["traits"].items()
        if name in inspect.signature(kind).parameters.keys() & traits.keys()
        and name not in kind._to_function
    }
    return kind(**inputs)
