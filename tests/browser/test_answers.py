"""What answers a question waits until the reader asks, by hand or by key; search, print and a page
without scripts have it at once."""

import pytest
from playwright.sync_api import expect

from course.html.page import page
from tests.toys import put_lesson

pytestmark = pytest.mark.needs("chromium")

TEXT = """# 01 · One

*Predict* the sum.

```{code-cell}
print(1 + 1)
```

It is two, as you know.

Go on.

*Predict* more.

```{code-cell}
print(2 + 2)
```

% answered

% fold The lesson's own version
```{code-cell}
print(3 + 3)
```
"""


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    from nbformat.v4 import new_output

    folder = tmp_path_factory.mktemp("answers")
    outputs = [[new_output("stream", text=f"{number}\n")] for number in ("two", "four", "six")]
    path = folder / "page.html"
    path.write_text(page(put_lesson(folder, "01_one", TEXT, outputs)), encoding="utf-8")
    return path.as_uri()


def answers(visit):
    return visit.page.locator(".output pre").first, visit.page.get_by_text("as you know")


def test_an_answer_opens_and_closes_by_key_and_the_others_wait(chromium, address):
    with chromium.visit() as visit:
        visit.page.goto(address)
        buttons = visit.page.get_by_role("button", name="Show the answer")
        expect(buttons).to_have_count(2)
        for part in answers(visit):
            expect(part).not_to_be_visible()
        expect(visit.page.get_by_text("Go on.")).to_be_visible()
        expect(visit.page.get_by_text("print(1 + 1)")).to_be_visible()
        visit.page.keyboard.press("Tab")  # the code, then its button
        visit.page.keyboard.press("Tab")
        visit.page.keyboard.press("Enter")
        for part in answers(visit):
            expect(part).to_be_visible()
        expect(buttons).to_have_count(1)
        assert visit.violations() == []
        visit.page.keyboard.press("Space")
        for part in answers(visit):
            expect(part).not_to_be_visible()
        assert visit.errors == visit.outside == []


@pytest.mark.full
def test_a_search_opens_the_whole_answer_that_has_the_words(chromium, address):
    with chromium.visit() as visit:
        visit.page.goto(address)
        printed, words = answers(visit)
        assert words.locator("xpath=..").get_attribute("hidden") == "until-found"
        # What a browser sends when its search finds something there.
        words.locator("xpath=..").dispatch_event("beforematch")
        for part in (printed, words):
            expect(part).to_be_visible()


def test_own_code_opens_by_its_name_and_its_output_stays(chromium, address):
    with chromium.visit() as visit:
        visit.page.goto(address)
        code, printed = (visit.page.get_by_text(text) for text in ("print(3 + 3)", "six"))
        expect(code).not_to_be_visible()
        expect(printed).to_be_visible()
        visit.page.get_by_role("button", name="Show the lesson's own version").press("Enter")
        expect(code).to_be_visible()
        hide = visit.page.get_by_role("button", name="Hide the lesson's own version")
        expect(hide).to_have_attribute("aria-expanded", "true")


@pytest.mark.full
def test_an_address_that_leads_into_an_answer_opens_it(chromium, address):
    with chromium.visit() as visit:
        visit.page.goto(f"{address}#answer-1-2")
        for part in answers(visit):
            expect(part).to_be_visible()


@pytest.mark.full
def test_print_has_all_answers_and_no_button(chromium, address):
    with chromium.visit() as visit:
        visit.page.goto(address)
        visit.page.emulate_media(media="print")
        for part in answers(visit):
            assert part.evaluate("e => e.checkVisibility({ contentVisibilityAuto: true })")
        expect(visit.page.locator(".ask").first).not_to_be_visible()


@pytest.mark.full
def test_without_scripts_all_answers_are_there(chromium, address):
    with chromium.visit(java_script_enabled=False) as visit:
        visit.page.goto(address)
        for part in answers(visit):
            expect(part).to_be_visible()
        expect(visit.page.locator("button")).to_have_count(0)
