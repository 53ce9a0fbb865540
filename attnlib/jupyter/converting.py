"""What nbconvert makes of widgets on a page, of a notebook that it has just run, say.

A page takes live widgets from the network, and is blank in their place without one. The still
picture that is stored beside each needs none. Whoever asks for our template, ``jupyter nbconvert
--to html --template attnlib``, gets it, and with each picture its description, which nbconvert
leaves out otherwise. The template stands beside this file, and is installed where nbconvert looks
for its own; no other page is changed by it. Other widgets stay as they are.
"""

from attnlib.jupyter.mime import LIVE, STATE


class Stills:
    """Show our widgets as stills; where no other is live, leave out what those would load."""

    def __call__(self, notebook, resources):
        """Change what is converted, in place, as nbconvert's preprocessors do."""
        outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
        shown = [output["data"] for output in outputs if "data" in output]
        for data in shown:
            if STATE in data and "image/png" in data:
                data.pop(LIVE, None)
        if not any(LIVE in data for data in shown):
            notebook["metadata"].pop("widgets", None)
        return notebook, resources
