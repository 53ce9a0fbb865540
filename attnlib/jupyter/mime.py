"""What Jupyter calls the kinds of output that a widget has in a notebook."""

LIVE = "application/vnd.jupyter.widget-view+json"  # names a model in a kernel
STATE = "application/vnd.attnlib.widget+json"  # what `Widget.recorded` returns
