"""What Jupyter's server does when a notebook with widgets is saved.

A live widget lives in the kernel that made it. Once that has ended, a notebook that still names it
shows "model not found" where the widget was. So a saved notebook names no live widget whose state
it does not hold; it has the widget's record, which our extension of JupyterLab brings to life, and
its still picture, which everything else shows.

Both are to be as the reader left them. The extension puts what the hand has changed into the
notebook's metadata, by cell and place, when saving starts; here it goes into the outputs' records,
and their stills are drawn anew.

The server finds this module by ``etc/jupyter/jupyter_server_config.d/attnlib.json``, which comes
with the package. It imports the widgets when the first of them has been moved, and not before;
where it cannot, because the extra `lab` is not installed, the earlier still stays.
"""

import base64
import contextlib

from attnlib.jupyter.mime import LIVE, STATE
from attnlib.pictures.shared import unusual

OURS = "attnlib"  # what the notebook's metadata calls us


def _jupyter_server_extension_points():
    return [{"module": __name__}]


def _load_jupyter_server_extension(server):
    """Wait until all extensions are loaded: one of them may put its own manager in place."""

    def register():
        for hook in (take_in_states, leave_out_live):
            server.contents_manager.register_pre_save_hook(hook)

    server.io_loop.add_callback(register)


def take_in_states(model, **_):
    """Put the states that widgets were left in into their outputs, and out of the metadata.

    Parameters
    ----------
    model : dict
        What the server saves, as its hooks get it; changed in place.
    """
    content = _notebook(model)
    ours = content.get("metadata", {}).get(OURS)
    if not isinstance(ours, dict) or "states" not in ours:
        return
    states = ours.pop("states")
    if not ours:
        del content["metadata"][OURS]
    for state in states if isinstance(states, list) else ():
        # Nobody shall be unable to save because something else has written there.
        with contextlib.suppress(LookupError, TypeError, AttributeError):
            output = content["cells"][state["cell"]]["outputs"][state["output"]]
            record = output["data"][STATE]
            record["traits"] = unusual(record["class"], record["traits"] | state["traits"])
            _draw(output)


def _draw(output):
    """Draw the still anew, with its alt text."""
    try:
        from attnlib.widgets._record import revived

        widget = revived(output["data"][STATE])
        png, alt = widget.still(), widget._alt()
        widget.close()
    except Exception:  # no widgets here, another version's record, nonsense: the still is kept
        return
    output["data"]["image/png"] = base64.b64encode(png).decode()
    output.setdefault("metadata", {})["image/png"] = {"alt": alt}


def leave_out_live(model, **_):
    """Take out of a notebook that is about to be saved each live view that has no state in it.

    Only our own widgets are touched: other outputs may have nothing else to show.

    Parameters
    ----------
    model : dict
        What the server saves, as its hooks get it; changed in place.
    """
    content = _notebook(model)
    states = content.get("metadata", {}).get("widgets", {})
    kept = {name for found in states.values() for name in found.get("state", {})}
    for cell in content.get("cells", []):
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if STATE in data and LIVE in data and data[LIVE].get("model_id") not in kept:
                del data[LIVE]


def _notebook(model):
    """Return the notebook that is saved; what is none has no cells."""
    return (model.get("type") == "notebook" and model.get("content")) or {}
