"""A saved notebook names no live widget that it cannot bring to life again."""

import copy
import json
import zipfile
from pathlib import Path
from types import SimpleNamespace

import pytest

from attnlib import __version__, _saving
from attnlib._saving import LIVE, STATE, leave_out_live
from course.files import ROOT


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


def test_the_server_is_given_it_before_each_saving():
    hooks, later = [], []
    server = SimpleNamespace(io_loop=SimpleNamespace(add_callback=later.append))
    (point,) = _saving._jupyter_server_extension_points()
    assert point == {"module": "attnlib._saving"}
    _saving._load_jupyter_server_extension(server)
    # Another extension, loaded after this one, has put its own manager in place.
    server.contents_manager = SimpleNamespace(register_pre_save_hook=hooks.append)
    for callback in later:
        callback()
    assert hooks == [leave_out_live]


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
    extension = {name for name in brought if name.startswith("share/jupyter/labextensions/attnlib")}
    assert {Path(name).name for name in extension} == {"package.json", "folds.js"}
    brought = {name: json.loads(text) for name, text in brought.items() if name not in extension}
    settings = json.loads((ROOT / "course/lab/settings/overrides.json").read_text("utf-8"))
    assert brought == {
        "etc/jupyter/jupyter_server_config.d/attnlib.json": {
            "ServerApp": {"jpserver_extensions": {"attnlib._saving": True}}
        },
        "etc/jupyter/jupyter_nbconvert_config.json": {
            "HTMLExporter": {"preprocessors": ["attnlib._converting.show_stills"]}
        },
        # Nothing reads this before somebody names the folder in JUPYTER_CONFIG_PATH.
        "share/attnlib/jupyter/labconfig/default_setting_overrides.json": settings,
    }
