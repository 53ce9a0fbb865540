"""What Jupyter's server does when a notebook with widgets is saved.

A live widget lives in the kernel that made it. Once that has ended, a notebook that still names it
shows "model not found" where the widget was, although its still picture is stored beside. So a
saved notebook names no live widget whose state it does not hold: opened again, it shows the still,
and its cell, run again, the widget.

The server finds this module by ``etc/jupyter/jupyter_server_config.d/attnlib.json``, which comes
with the package. It imports neither the widgets nor anything that they need.
"""

LIVE = "application/vnd.jupyter.widget-view+json"
STATE = "application/vnd.attnlib.widget+json"


def _jupyter_server_extension_points():
    return [{"module": __name__}]


def _load_jupyter_server_extension(server):
    """Wait until all extensions are loaded: one of them may put its own manager in place."""
    server.io_loop.add_callback(
        lambda: server.contents_manager.register_pre_save_hook(leave_out_live)
    )


def leave_out_live(model, **_):
    """Take out of a notebook that is about to be saved each live view that has no state in it.

    Only our own widgets are touched: other outputs may have nothing else to show.

    Parameters
    ----------
    model : dict
        What the server saves, as its hooks get it; changed in place.
    """
    if model.get("type") != "notebook" or not model.get("content"):
        return
    content = model["content"]
    states = content.get("metadata", {}).get("widgets", {})
    kept = {name for found in states.values() for name in found.get("state", {})}
    for cell in content.get("cells", []):
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if STATE in data and LIVE in data and data[LIVE].get("model_id") not in kept:
                del data[LIVE]
