"""nbconvert shows a widget's still, which needs no network, and tells what it shows."""

import copy

import nbformat
import pytest
from bs4 import BeautifulSoup
from nbconvert import HTMLExporter
from traitlets.config import Config

from attnlib._saving import LIVE, STATE
from attnlib.widgets import Softmax

OTHER = {LIVE: {"model_id": "b"}, "text/plain": "IntSlider()"}


def page(*bundles):
    """Return what nbconvert makes of a notebook with these outputs, as the package tells it to."""
    outputs = [
        nbformat.v4.new_output("display_data", data=copy.deepcopy(data), metadata=metadata)
        for data, metadata in bundles
    ]
    cells = [nbformat.v4.new_code_cell("widget", outputs=outputs)]
    widgets = {"application/vnd.jupyter.widget-state+json": {"state": {"b": {}}}}
    notebook = nbformat.v4.new_notebook(cells=cells, metadata={"widgets": widgets})
    config = Config({"HTMLExporter": {"preprocessors": ["attnlib._converting.show_stills"]}})
    return HTMLExporter(config=config).from_notebook_node(notebook)[0]


@pytest.mark.parametrize("others", [[], [(OTHER, {})]])
def test_a_page_shows_the_still_with_its_description(others):
    widget = Softmax([1, 2], ['"<a>', "b"])
    data, metadata = widget._repr_mimebundle_()
    shown = page((data, metadata), *others)
    (still,) = BeautifulSoup(shown, "html.parser").find_all("img")
    assert still["src"] == f"data:image/png;base64,{data['image/png']}"
    assert still["alt"] == widget._alt()
    assert shown.count('"model_id"') == len(others)
    assert ("widget-state+json" in shown) == bool(others)  # what is left of it asks the network
    assert STATE not in shown
