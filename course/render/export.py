"""Cells as one page of HTML that holds all it needs, by a template that extends `cells.html.j2`."""

from collections.abc import Callable
from pathlib import Path

from nbconvert import HTMLExporter
from nbformat import NotebookNode
from pygments.formatters import HtmlFormatter
from traitlets.config import Config

from course.files import BUNDLE
from course.render import PALETTE, SHOWN_FIRST, grids, has_widgets, in_script
from course.render.fonts import font_faces, with_italics

HERE = Path(__file__).parent
CHINESE = HERE / "chinese.css"


def export(
    notebook: NotebookNode,
    face: Path,
    dark: str,
    *,
    lang: str = "en",
    bundle: Path = BUNDLE,
    say: Callable[..., str] = str.format,
    **resources,
) -> str:
    """Write the cells of a notebook as a page.

    Parameters
    ----------
    notebook
        The cells; those of Markdown hold HTML, which is passed on.
    face
        The folder with the template `index.html.j2` and its style, `style.css`.
    dark
        The selector of code on a dark page.
    lang
        The page's language.
    bundle
        The widgets' code, which goes into the page if a widget does.
    say
        What says the template's own sentences, in the page's language.
    resources
        What else the template asks for.
    """
    exporter = HTMLExporter(
        config=Config({"NbConvertBase": {"display_data_priority": SHOWN_FIRST}}),
        extra_template_basedirs=[str(HERE.parent)],
        extra_template_paths=[str(face)],
        template_name=HERE.name,
        template_file="index.html.j2",
        filters={"in_script": in_script, "as_tables": grids.as_tables},
    )
    exporter.environment.globals["say"] = say
    styles = [PALETTE, grids.STYLE, face / "style.css", *[CHINESE] * lang.startswith("zh")]
    page, _ = exporter.from_notebook_node(
        notebook,
        resources={
            "style": "\n".join(path.read_text(encoding="utf-8") for path in styles),
            "light": HtmlFormatter(style="default").get_style_defs(".highlight"),
            "dark": HtmlFormatter(style="github-dark").get_style_defs(dark),
            "lang": lang,
            "bundle": bundle.read_text(encoding="utf-8") if has_widgets(notebook.cells) else "",
            **resources,
        },
    )
    if lang != "en":
        page = with_italics(page)
    return page.replace("/* fonts */", font_faces(page, lang), 1)
