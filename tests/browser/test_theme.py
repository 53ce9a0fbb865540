"""A widget's theme is that of the page in which it stands, whoever made the page."""

import pytest
from playwright.sync_api import expect

from attnlib import widgets
from tests.browser.hand import keys
from tests.browser.visit import one_widget

pytestmark = [pytest.mark.needs("chromium"), pytest.mark.full]

# The system is light, the page has no colour of its own. What a host sets, first on `html`, then on
# `body`; where it says nothing, the background is asked.
HOSTS = {
    "nothing": ("", "", "light"),
    "JupyterLab, dark": ("", 'data-jp-theme-light="false"', "dark"),
    "JupyterLab, light, in a dark page": (
        "",
        'data-jp-theme-light="true" style="background: #111"',
        "light",
    ),
    "VS Code, dark": ("", 'data-vscode-theme-kind="vscode-dark"', "dark"),
    "VS Code, light": ("", 'data-vscode-theme-kind="vscode-light"', "light"),
    "VS Code, contrast": ("", 'data-vscode-theme-kind="vscode-high-contrast"', "dark"),
    "VS Code, light contrast": ("", 'data-vscode-theme-kind="vscode-high-contrast-light"', "light"),
    "a page of ours, dark": ('data-theme="dark"', "", "dark"),
    "marimo, dark": ("", 'class="dark dark-theme" data-theme="dark"', "dark"),
    "a dark background": ("", 'style="background: oklch(0.2 0.02 260)"', "dark"),
    "a background that is seen through": ("", 'style="background: rgb(0 0 0 / 0.2)"', "light"),
    "a dark page behind a light body": (
        'style="background: black"',
        'style="background: ivory"',
        "light",
    ),
    "a dark scheme": ('style="color-scheme: dark"', "", "dark"),
    "no theme, on dark": ('data-theme="auto"', 'style="background: #222"', "dark"),
}
DRESS = """([html, body]) => {
  for (const [element, dress] of [[document.documentElement, html], [document.body, body]]) {
    for (const name of element.getAttributeNames()) element.removeAttribute(name);
    const page = new DOMParser().parseFromString(`<p ${dress}></p>`, "text/html");
    const [from] = page.body.children;
    for (const { name, value } of from.attributes) element.setAttribute(name, value);
  }
}"""


@pytest.fixture(scope="module")
def visit(chromium, tmp_path_factory):
    with chromium.visit(color_scheme="light") as visit:
        one_widget(visit, tmp_path_factory.mktemp("theme"), widgets.DotProduct())
        visit.page.locator("style:not(#attnlib-boxes)").evaluate_all(
            "(all) => all.forEach((one) => one.remove())"
        )
        yield visit


@pytest.mark.parametrize("host", HOSTS)
def test_the_theme_follows_the_host(visit, host):
    *dress, theme = HOSTS[host]
    other = HOSTS["nothing" if theme == "dark" else "VS Code, dark"]
    for html, body, expected in (other, (*dress, theme)):
        visit.page.evaluate(DRESS, [html, body])
        expect(visit.widget().locator(".widget")).to_have_attribute("data-theme", expected)


def test_a_background_that_fades_is_followed_to_its_end(visit):
    fading = 'style="transition: background-color 0.1s; background-color: '
    for color, theme in (("white", "light"), ("#111", "dark")):
        visit.page.evaluate(DRESS, ["", f'{fading}{color}"'])
        expect(visit.widget().locator(".widget")).to_have_attribute("data-theme", theme)


# What its Jupyter extension does: its own controls are drawn for white.
LAY = """(widget, beside) => {
  const white = ".cell-output-ipywidget-background { background: white !important }";
  const cell = widget.parentElement;
  cell.className = "cell-output-ipywidget-background";
  cell.insertAdjacentHTML("beforeend", `<style>${white}</style>${beside}`);
  return getComputedStyle(cell).backgroundColor;
}"""


def test_no_white_that_vs_code_lays_under_widgets_is_seen_but_behind_its_own_controls(visit):
    visit.page.evaluate(DRESS, ["", 'data-vscode-theme-kind="vscode-dark"'])
    assert visit.widget().evaluate(LAY, "") == "rgba(0, 0, 0, 0)"
    slider = '<div class="widget-inline-hbox">a slider</div>'
    assert visit.widget().evaluate(LAY, slider) == "rgb(255, 255, 255)"


HEARD = "addEventListener('keydown', ({ key }) => { (window.heard ??= []).push(key) })"


def test_of_a_widgets_keys_vs_code_hears_those_alone_that_are_its_own(visit):
    visit.page.evaluate(HEARD)
    visit.page.evaluate(DRESS, ["", 'data-vscode-theme-kind="vscode-dark"'])
    visit.widget().get_by_role("button", name="Reset").focus()
    keys(visit.page, "Home", "ArrowDown", "]", "Control+z", "Control+b")
    assert visit.page.evaluate("heard") == ["b"]


PAPERS = "(all) => all.map((one) => getComputedStyle(one).backgroundColor)"


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: widgets.Softmax([2.0, 1.0]), ".grown, .bar i"),
        (
            lambda: widgets.Writer(["the", "white", "cat", "finds", "Eva"]),
            ".bar i, .tale .most",
        ),
        (lambda: widgets.Alignment([[0.2, 0.8]], ["vi"], ["I", "saw"]), ".choice label.chosen"),
    ],
)
def test_what_is_told_by_a_colour_is_told_in_a_systems_few_colours_too(
    chromium, tmp_path, make, told
):
    """As in the high contrast of Windows, which takes all other backgrounds away."""
    with chromium.visit(forced_colors="active") as visit:
        one_widget(visit, tmp_path, make())
        visit.widget()
        papers = visit.widgets.locator(told).evaluate_all(PAPERS)
        (paper,) = visit.widgets.locator(".widget").evaluate_all(PAPERS)
        assert papers
        assert paper not in papers
        assert "rgba(0, 0, 0, 0)" not in papers
