"""What nbconvert makes of widgets on a page, of a notebook that it has just run, say.

A page takes live widgets from the network, and is blank in their place without one. The still
picture that is stored beside each needs none; nbconvert leaves out its description, so it stands
there as HTML. nbconvert finds this module by ``etc/jupyter/jupyter_nbconvert_config.json``, which
comes with the package. Other widgets stay as they are.
"""

from html import escape

from attnlib.jupyter.mime import LIVE, STATE


def show_stills(notebook, resources):
    """Show our widgets as stills; where no other is live, leave out what those would load.

    Parameters
    ----------
    notebook : nbformat.NotebookNode
        What is converted, changed in place.
    resources : dict
        What nbconvert's preprocessors hand on.

    Returns
    -------
    tuple
        Both of them.
    """
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    shown = [output for output in outputs if "data" in output]
    for output in shown:
        data, alt = output["data"], output["metadata"].get("image/png", {}).get("alt", "")
        if STATE in data and "image/png" in data:
            data.pop(LIVE, None)
            png = data.pop("image/png").replace("\n", "")
            data["text/html"] = f'<img src="data:image/png;base64,{png}" alt="{escape(alt)}">'
    if not any(LIVE in output["data"] for output in shown):
        notebook["metadata"].pop("widgets", None)
    return notebook, resources
