"""The page on which one types a sentence, in Chromium: played, judged, and with a part missing."""

import re

import pytest
from playwright.sync_api import expect

from attnlib import encoder
from course.site import rounding
from tests.browser.plays import sentence as play

pytestmark = [
    pytest.mark.needs("chromium", encoder.PACKAGE),
    pytest.mark.full,
    pytest.mark.timeout(400),  # whoever comes first waits until the whole site is built
]


@pytest.fixture(scope="module")
def model():
    return rounding.as_rounded(encoder.read_model())


def test_a_sentence_is_read_as_one_types(chromium, site, model):
    with chromium.visit(reduced_motion="reduce") as visit:
        page, asked = visit.page, []
        page.on("request", lambda request: asked.append(request.url))
        page.goto((site / "sentence.html").as_uri())
        expect(visit.widgets).to_have_count(2)
        assert not [url for url in asked if "/model/" in url]  # nothing before it is asked for
        for way in (play.by_mouse, play.by_keys):
            way(page, visit.widgets, model)
        for scheme, width in (("light", 1280), ("dark", 390)):
            page.emulate_media(color_scheme=scheme)
            page.set_viewport_size({"width": width, "height": 844})
            expect(page.locator("html")).to_have_attribute("data-theme", scheme)
            visit.fits(width)
            assert visit.violations(preload=False) == []
        assert visit.errors == visit.outside == []


def test_what_is_missing_or_of_another_build_is_told_and_tried_again(chromium, site, addresses):
    with chromium.visit() as visit:
        page = visit.page
        page.goto(f"{addresses['host']}/sentence.html")
        place = page.locator(".own-sentence")
        button, status = place.locator("button"), place.get_by_role("status")
        part = (site / "model" / "layer_3.js").read_text(encoding="utf-8")
        build = re.search(r'"build": "(\w+)"', part)[1]
        for body, why in (
            (None, "it did not load"),
            ("1", "it holds something else"),
            (part.replace(build, "other"), f"it is of build other, the page of {build}"),
            (part.replace('"data": "', '"data": "AAAA'), "letters of"),
            ("1", "it holds something else"),  # once more, behind one that came
            (part.replace("layer_3", "layer_4"), "it holds something else"),
            (part.replace("layer_3", "layer_9"), "it holds something else"),
        ):
            page.route("**/layer_3.js", serves(body))
            button.click()
            expect(status).to_contain_text(why)
            expect(status).to_contain_text("model/layer_3.js is not as it should be")
            expect(button).to_have_text("Try again")
            page.unroute("**/layer_3.js")
        button.click()
        page.wait_for_function(play.READ, arg=rounding.FIRST)
        expect(button).to_be_hidden()
        assert all("ERR_FAILED" in error for error in visit.errors)  # the one that did not load


KEPT = """window.Worker = class extends Worker {
  constructor(...given) { super(...given); window.started = [...(window.started ?? []), this]; }
}"""
END = """started.at(-1).dispatchEvent(new ErrorEvent("error", { message: "out of memory" }))"""


def test_where_the_worker_ends_nothing_is_read_until_all_is_loaded_again(chromium, site):
    with chromium.visit() as visit:
        page = visit.page
        page.add_init_script(KEPT)
        page.goto((site / "sentence.html").as_uri())
        place = page.locator(".own-sentence")
        button, field = place.locator("button"), place.locator("input")
        button.click()
        page.wait_for_function(play.READ, arg=rounding.FIRST)
        field.fill("I saw")  # it waits for a further key when the worker ends
        page.evaluate(END)
        expect(place.get_by_role("status")).to_contain_text("it ended, and the browser said")
        expect(field).to_be_disabled()
        button.click()
        expect(field).to_be_enabled()
        page.wait_for_function(play.READ, arg="I saw")
        assert page.evaluate("started.length") == 2
        assert visit.errors == []


def serves(body):
    """Return what answers a request by this script, or not at all."""

    def answer(route):
        route.fulfill(body=body, content_type="text/javascript") if body else route.abort()

    return answer


NONE = "window.Worker = class { constructor() { throw Error('no') } }"
ENDS = """window.Worker = class {
  terminate() {}
  postMessage() { this.onerror(new ErrorEvent("error", { message: "out of memory" })) }
}"""

UNABLE = """window.Worker = class {
  terminate() {}
  postMessage() { queueMicrotask(() => this.onmessage({ data: { unable: "invalid opcode" } })) }
}"""


@pytest.mark.parametrize(
    ("worker", "told"),
    [
        (NONE, "this browser started none, and said “no”"),
        (ENDS, "it ended, and the browser said “out of"),
        (UNABLE, "this browser does not run that, and said “invalid opcode”"),
    ],
)
def test_a_worker_that_does_not_start_or_ends_is_told(chromium, site, worker, told):
    with chromium.visit() as visit:
        visit.page.add_init_script(worker)
        visit.page.goto((site / "sentence.html").as_uri())
        place = visit.page.locator(".own-sentence")
        place.locator("button").click()
        expect(place.get_by_role("status")).to_contain_text(told)
        expect(place.locator("button")).to_have_text("Try again")
        assert visit.errors == []
