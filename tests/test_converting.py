"""nbconvert shows a widget's still, which needs no network, and tells what it shows."""

import copy
import shutil

import nbformat
import pytest
from bs4 import BeautifulSoup
from nbconvert import HTMLExporter

from attnlib.jupyter.saving import LIVE, STATE
from attnlib.widgets import Softmax
from course.files import ROOT
from tests.widgets.test_base import WIDGETS, make

OTHER = {LIVE: {"model_id": "b"}, "text/plain": "IntSlider()"}


@pytest.fixture
def page(tmp_path):
    """Return what makes a page of outputs, as nbconvert does by our template."""
    shutil.copytree(ROOT / "attnlib/jupyter/template", tmp_path / "templates" / "attnlib")
    places = {"template_name": "attnlib", "extra_template_basedirs": [str(tmp_path / "templates")]}
    return lambda *bundles: HTMLExporter(**places).from_notebook_node(notebook_of(*bundles))[0]


def notebook_of(*bundles):
    """Return a notebook with these outputs."""
    outputs = [
        nbformat.v4.new_output("display_data", data=copy.deepcopy(data), metadata=metadata)
        for data, metadata in bundles
    ]
    cells = [nbformat.v4.new_code_cell("widget", outputs=outputs)]
    state = {data[LIVE]["model_id"]: {} for data, _ in bundles}  # as of one that it has just run
    widgets = {"application/vnd.jupyter.widget-state+json": {"state": state}}
    return nbformat.v4.new_notebook(cells=cells, metadata={"widgets": widgets})


@pytest.mark.parametrize("others", [[], [(OTHER, {})]])
def test_a_page_shows_the_still_with_its_description(page, others):
    widget = Softmax([1, 2], ['"<a>', "b"])
    data, metadata = widget._repr_mimebundle_()
    shown = page((data, metadata), *others)
    (still,) = BeautifulSoup(shown, "html.parser").find_all("img")
    assert still["src"] == f"data:image/png;base64,{data['image/png']}"
    assert still["alt"] == widget._alt()
    assert shown.count('"model_id"') == len(others)
    assert ("widget-state+json" in shown) == bool(others)  # what is left of it asks the network
    assert STATE not in shown


@pytest.mark.full
@pytest.mark.needs("chromium")
def test_without_a_network_a_page_shows_the_still_of_every_widget(page, chromium, tmp_path):
    path = tmp_path / "page.html"
    path.write_text(page(*(make(name)._repr_mimebundle_() for name in WIDGETS)), encoding="utf-8")
    with chromium.visit(offline=True) as visit:
        visit.page.goto(path.as_uri())
        stills = visit.page.locator(".jp-OutputArea-output img")
        seen = stills.evaluate_all("(all) => all.map((one) => one.complete && one.naturalWidth)")
        assert len(seen) == len(WIDGETS)
        assert min(seen) > 100
        for still in stills.all():
            assert still.is_visible()
