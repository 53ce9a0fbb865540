"""A lesson below `/user/NAME/`, as JupyterHub serves it: nothing is asked for beside that."""

import urllib.request

import pytest

from tests.browser.lessons import n_widgets
from tests.browser.plays import self_attention
from tests.browser.visit import JupyterLab, PlainLab

pytestmark = [pytest.mark.needs("chromium"), pytest.mark.full]
LESSON = "04_self_attention"
PICTURE = ".jp-MarkdownOutput img"
LOADED = """
(pictures) => [...document.querySelectorAll(pictures)].every((picture) => picture.naturalWidth > 0)
"""


class Classroom(PlainLab):
    """A learner's server, as a hub starts it."""

    base = "/user/ada"


class OurLab(JupyterLab):
    """`make lab` behind a proxy."""

    base = "/x"


@pytest.fixture(scope="module")
def front_end(request, tmp_path_factory):
    front_end = request.param(tmp_path_factory.mktemp("hub"))
    yield front_end
    front_end.close()


@pytest.mark.parametrize("front_end", [Classroom, OurLab], indirect=True)
def test_a_lesson_below_a_prefix_is_whole(chromium, front_end):
    with chromium.visit() as visit:
        page, beside = visit.page, []
        here = f"127.0.0.1:{front_end.server.port}"
        ours = tuple(f"{way}://{here}{front_end.base}/" for way in ("http", "ws"))

        def watch(asked):
            if not asked.url.startswith((*ours, "data:", "blob:")):
                beside.append(asked.url)

        page.on("request", watch)
        page.on("websocket", watch)
        front_end.open(visit, LESSON, n_widgets(LESSON))
        assert page.locator(PICTURE).count() >= 2
        page.wait_for_function(LOADED, arg=PICTURE)
        self_attention.by_keys(page, visit.widget())
        assert beside == visit.outside == visit.errors == []
    front_end.leave()


@pytest.mark.parametrize("front_end", [OurLab], indirect=True)
def test_the_starters_first_page_is_below_the_prefix_too(front_end):
    server = front_end.server
    address = f"http://127.0.0.1:{server.port}/x/?token={server.token}"
    with urllib.request.urlopen(address, timeout=30) as response:
        assert response.url.partition("?")[0].endswith("/x/lab/tree/my/00_start_here.ipynb")
