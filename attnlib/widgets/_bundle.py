"""The widgets' front end: it goes to a notebook's page once, and not with every widget."""

import hashlib
from functools import cache
from pathlib import Path

import anywidget
import ipywidgets
import traitlets

from attnlib.widgets._progress import in_a_notebook

BUNDLE = Path(__file__).parent / "widgets.js"
LOADER = Path(__file__).parent / "loader.js"


class Bundle(ipywidgets.Widget):
    """The model that holds the bundle for the widgets of a kernel."""

    code = traitlets.Unicode().tag(sync=True)
    digest = traitlets.Unicode().tag(sync=True)  # by which a page knows that it has it already


@cache
def _of_this_kernel():
    code = BUNDLE.read_text(encoding="utf-8")
    return Bundle(code=code, digest=hashlib.sha256(code.encode()).hexdigest())


class Bundled(anywidget.AnyWidget):
    """A widget whose module is the bundle.

    What anywidget calls ``_esm`` goes to the browser with every widget. In a kernel that is a few
    lines, `loader.js`, which take the bundle from the model that all share. A front end that shows
    a widget no other model asks for the whole. Where there is no kernel, as in marimo, which keeps
    modules in files, it is the bundle itself.
    """

    _esm = traitlets.Unicode().tag(sync=True)
    _bundle = traitlets.Instance(Bundle, allow_none=True)
    _bundle.tag(sync=True, **ipywidgets.widget_serialization)

    def __init__(self, **traits):
        super().__init__(**traits)
        self.on_msg(self._answer_for_bundle)

    @traitlets.default("_esm")
    def _module(self):
        return (LOADER if in_a_notebook() else BUNDLE).read_text(encoding="utf-8")

    @traitlets.default("_bundle")
    def _shared(self):
        if not in_a_notebook():
            return None
        if _of_this_kernel().comm is None:  # all widgets have been closed
            _of_this_kernel.cache_clear()
        return _of_this_kernel()

    def _answer_for_bundle(self, _, content, buffers):
        if content == {"asks": "bundle"}:
            self._esm = BUNDLE.read_text(encoding="utf-8")  # its view is then drawn again
