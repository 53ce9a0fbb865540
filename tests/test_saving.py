"""A saved notebook has widgets as they were left, and names none that it cannot bring to life."""

import base64
import copy
import json
import sys
import zipfile
from pathlib import Path
from types import SimpleNamespace

import pytest

from attnlib import __version__, widgets
from attnlib.jupyter import saving as module
from attnlib.jupyter.mime import LIVE, STATE
from attnlib.jupyter.saving import leave_out_live, take_in_states
from attnlib.widgets._record import revived
from course.files import ROOT
from tests.widgets.test_base import every_widget, make


def model(data, widgets=None):
    """Return what a server saves: a notebook with one output."""
    metadata = {"widgets": {"application/vnd.jupyter.widget-state+json": {"state": widgets}}}
    output = {"output_type": "display_data", "data": data, "metadata": {}}
    cells = [
        {"cell_type": "markdown", "source": ""},
        {"cell_type": "code", "outputs": [{"output_type": "stream", "text": "1"}, output]},
    ]
    content = {"metadata": metadata if widgets else {}, "cells": cells}
    return {"type": "notebook", "content": content}


OURS = {LIVE: {"model_id": "a"}, STATE: {"class": "Mask"}, "image/png": "…", "text/plain": "Mask()"}


def test_a_live_view_without_its_state_is_left_out_and_all_else_stays():
    saved = model(copy.deepcopy(OURS))
    expected = model({key: value for key, value in OURS.items() if key != LIVE})
    leave_out_live(model=saved, path="a.ipynb", contents_manager=None)
    assert saved == expected


@pytest.mark.parametrize(
    "kept",
    [
        model(dict(OURS), widgets={"a": {"model_name": "AnyModel"}}),  # its state is saved as well
        model({LIVE: {"model_id": "a"}, "text/plain": "IntSlider()"}),  # not ours
        {"type": "notebook", "content": None},  # renamed
        {"type": "file", "content": "text"},
        {"type": "directory"},
    ],
)
def test_everything_else_is_saved_as_it_is(kept):
    saved = copy.deepcopy(kept)
    leave_out_live(model=saved)
    assert saved == kept


# What the hand has left


def played(states, **ours):
    """Return a notebook with one output, a widget's, and what our extension says of it."""
    data, metadata = widgets.Softmax([2.0, 1.0])._repr_mimebundle_()
    saved = model(data)
    saved["content"]["cells"][1]["outputs"][1]["metadata"] = metadata
    saved["content"]["metadata"] = {"attnlib": {"states": states, **ours}, "kernelspec": {}}
    return saved


def left(traits, cell=1, output=1):
    return {"cell": cell, "output": output, "traits": traits}


def test_what_was_left_is_recorded_drawn_and_told_and_the_metadata_is_as_before():
    traits = {"temperature": 1.5, "_untouched": {"temperature": 1.0}, "_moves": 3}
    saved = played([left(traits)], folded=True)
    before = copy.deepcopy(saved)
    take_in_states(model=saved, path="a.ipynb", contents_manager=None)
    expected = widgets.Softmax([2.0, 1.0], temperature=1.5)
    output = before["content"]["cells"][1]["outputs"][1]
    output["data"][STATE]["traits"] |= traits
    output["data"]["image/png"] = base64.b64encode(expected.still()).decode()
    output["metadata"]["image/png"] = {"alt": expected._alt()}
    before["content"]["metadata"] = {"attnlib": {"folded": True}, "kernelspec": {}}
    assert saved == before
    assert "temperature 1.5" in expected._alt()


def test_of_metadata_of_ours_that_is_empty_nothing_is_left():
    saved = played([left({"temperature": 1.5})])
    take_in_states(model=saved)
    assert saved["content"]["metadata"] == {"kernelspec": {}}


@pytest.mark.parametrize(
    "nonsense",
    [
        left({}, cell=7),
        left({}, output=0),  # printed text
        left({}, cell=0),  # prose
        left({}, cell="a"),
        left(None),
        {},
        None,
    ],
)
def test_nonsense_changes_nothing_and_stops_no_saving(nonsense):
    saved, expected = played([nonsense]), played([])
    for hook in (take_in_states, leave_out_live):
        for saving in (saved, expected):
            hook(model=saving)
    assert saved == expected


def test_states_that_are_no_list_are_left_out():
    saved = played(5)
    take_in_states(model=saved)
    assert saved["content"]["metadata"] == {"kernelspec": {}}


@pytest.mark.parametrize("ours", [None, ["states"], {"folded": True}])
def test_metadata_without_states_stays(ours):
    saved = model(copy.deepcopy(OURS))
    saved["content"]["metadata"] = {"attnlib": ours}
    expected = copy.deepcopy(saved)
    take_in_states(model=saved)
    assert saved == expected


@pytest.mark.parametrize("traits", [{"scores": "words"}, {"temperature": 1e9}])
def test_what_cannot_be_drawn_is_kept_with_its_earlier_still(traits):
    saved = played([left(traits)])
    before = copy.deepcopy(saved["content"]["cells"][1]["outputs"][1])
    take_in_states(model=saved)
    before["data"][STATE]["traits"] |= traits
    assert saved["content"]["cells"][1]["outputs"][1] == before


def test_where_widgets_are_not_installed_the_state_is_kept_with_its_earlier_still(monkeypatch):
    saved = played([left({"temperature": 1.5})])
    output = saved["content"]["cells"][1]["outputs"][1]
    expected = copy.deepcopy(output)
    monkeypatch.setitem(sys.modules, "attnlib.widgets._record", None)  # its import fails
    for hook in (take_in_states, leave_out_live):
        hook(model=saved)
    del expected["data"][LIVE]
    expected["data"][STATE]["traits"]["temperature"] = 1.5
    assert output == expected
    assert saved["content"]["metadata"] == {"kernelspec": {}}


@every_widget
def test_a_record_holds_all_that_the_still_shows(name):
    widget = make(name)
    again = revived(json.loads(json.dumps(widget.recorded())))
    assert (again.still(), again._alt()) == (widget.still(), widget._alt())
    assert again.recorded() == widget.recorded()


@pytest.mark.parametrize("name", ["Widget", "progress", "_base"])
def test_a_record_names_a_public_widget(name):
    with pytest.raises(KeyError, match=name):
        revived({"class": name, "traits": {}})


def test_the_server_is_given_it_before_each_saving():
    hooks, later = [], []
    server = SimpleNamespace(io_loop=SimpleNamespace(add_callback=later.append))
    (point,) = module._jupyter_server_extension_points()
    assert point == {"module": "attnlib.jupyter.saving"}
    module._load_jupyter_server_extension(server)
    # Another extension, loaded after this one, has put its own manager in place.
    server.contents_manager = SimpleNamespace(register_pre_save_hook=hooks.append)
    for callback in later:
        callback()
    assert hooks == [take_in_states, leave_out_live]


def test_the_package_tells_every_server_of_its_environment_and_nothing_else(tmp_path):
    from hatchling.builders.wheel import WheelBuilder

    (wheel,) = WheelBuilder(str(ROOT)).build(directory=str(tmp_path), versions=["standard"])
    data = f"attnlib-{__version__}.data/data"
    with zipfile.ZipFile(wheel) as archive:
        brought = {
            name.removeprefix(f"{data}/"): archive.read(name).decode()
            for name in archive.namelist()
            if name.startswith(data)
        }
    ours = ("share/jupyter/labextensions/attnlib/", "share/jupyter/nbconvert/templates/attnlib/")
    own = {name for name in brought if name.startswith(ours)}  # folders of that name are ours
    laid = {path.name for path in (ROOT / "course/lab/labextension").rglob("*.*")}
    assert {Path(name).name for name in own} == {*laid, "widgets.js", "conf.json", "index.html.j2"}
    brought = {name: json.loads(text) for name, text in brought.items() if name not in own}
    settings = json.loads((ROOT / "course/lab/settings/overrides.json").read_text("utf-8"))
    assert brought == {
        "etc/jupyter/jupyter_server_config.d/attnlib.json": {
            "ServerApp": {"jpserver_extensions": {"attnlib.jupyter.saving": True}}
        },
        # Nothing reads this before somebody names the folder in JUPYTER_CONFIG_PATH.
        "share/attnlib/jupyter/labconfig/default_setting_overrides.json": settings,
    }
