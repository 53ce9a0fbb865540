"""What the site needs of Sphinx beyond its options: formulas, colours, scripts, and its search."""

import json
import pickle
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from xml.sax.saxutils import escape

from docutils import nodes
from myst_nb.sphinx_ext import add_global_html_resources
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform
from sphinx.util import import_object, logging
from sphinx.util.docutils import SphinxRole

from course import BuildError
from course.render import formula
from course.render.fonts import with_italics
from course.site import found
from course.site.sections import sections

LOGGER = logging.getLogger(__name__)
COLORS = "attnlib.plotting.COLORS"
SITEMAP = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'


def setup(app: Sphinx) -> dict:
    """Tell Sphinx what is here."""
    app.add_config_value("made_by", "", "env", [str])  # every page is read anew
    app.add_config_value("around", "", "html", [str])  # every page is written anew
    app.add_html_math_renderer(
        "mathml", inline_renderers=(_inline, None), block_renderers=(_block, None)
    )
    for name in ("words", "scripts", "edition", "editions"):
        app.add_config_value(name, None, "")
    app.add_role("colour", Colour())
    if app.config.edition:
        app.add_transform(AnchorsOfEnglish)
    app.connect("builder-inited", _style_first)
    app.connect("builder-inited", _for_templates)
    app.connect("html-page-context", _on_page)
    app.connect("build-finished", _write_sections)
    app.connect("build-finished", _write_sitemap)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


class Colour(SphinxRole):
    """The colour of a role, `query` say, as a patch and its number."""

    def run(self):
        """Ask attnlib for it, so that it stands there alone."""
        colors = import_object(COLORS)
        self.env.note_dependency(import_object("attnlib.plotting").__file__)
        if self.text not in colors:
            known = ", ".join(colors)
            message = f"{self.text!r} has no colour; those that have are: {known}"
            return [], [self.inliner.reporter.error(message, line=self.lineno)]
        color = colors[self.text]
        patch = f'<span class="patch" style="background:{color}"></span> '
        return [nodes.raw("", patch, format="html"), nodes.literal("", color)], []


def _style_first(app: Sphinx) -> None:
    """Put MyST-NB's style where its address is made from it; it comes too late by itself."""
    (app.outdir / "_static").mkdir(parents=True, exist_ok=True)
    add_global_html_resources(app, None)


def _for_templates(app: Sphinx) -> None:
    """Let the template of all pages leave the theme's icons out, and say what it says."""
    app.builder.templates.environment.filters["without_icons"] = without_icons
    app.builder.templates.environment.globals["say"] = partial(_say, app)


def _say(app: Sphinx, template: str, **places: object) -> str:
    """Say a sentence in the language of the edition."""
    return app.config.words.get(template, template).format(**places)


class AnchorsOfEnglish(SphinxTransform):
    """Gives the sections of a page the anchors that they have in English, the same in all editions.

    So links need not be translated, and a reader goes from one language to the other in place.
    """

    default_priority = 1  # before anything goes by anchors

    def apply(self, **kwargs):
        """Read the English page, which Sphinx has read before this one."""
        doctrees = Path(self.app.doctreedir).parents[1] / "doctrees"
        english = pickle.loads((doctrees / f"{self.env.docname}.doctree").read_bytes())
        sections = zip(
            *(doc.findall(nodes.section) for doc in (self.document, english)), strict=True
        )
        for own, same in sections:
            own["ids"] = list(same["ids"])
            self.document.ids |= dict.fromkeys(own["ids"], own)
        self.document.myst_slugs = english.myst_slugs
        self.env.metadata[self.env.docname]["myst_slugs"] = english.myst_slugs


def without_icons(head: str) -> str:
    """Take out of a page's head the theme's script of icons: 1.5 MB, and `icons.css` draws ours.

    Raises
    ------
    BuildError
        If it is not there: another version of the theme has other icons.
    """
    head, n_scripts = re.subn(r"<script [^>]*fontawesome\.js[^>]*></script>", "", head)
    if n_scripts != 1:
        raise BuildError(f"the theme loads its icons {n_scripts} times, and once is expected")
    return head


def _write_sections(app: Sphinx, error: Exception | None) -> None:
    """Write what the search looks through, as a script: pages that are files may fetch nothing."""
    if error is None:
        found = json.dumps([one._asdict() for one in sections(app)], ensure_ascii=False)
        path = app.outdir / "_static" / "sections.js"
        path.write_text(f"const SECTIONS = {found};\n", encoding="utf-8")


def _inline(writer, node: nodes.math) -> None:
    writer.body.append(_formula(node, display=False))
    raise nodes.SkipNode


def _block(writer, node: nodes.math_block) -> None:
    math = _formula(node, display=True)
    writer.body.append(f'<div class="formula" tabindex="0">{math}</div>\n')
    raise nodes.SkipNode


def _formula(node: nodes.math | nodes.math_block, *, display: bool) -> str:
    """Set a formula; of one that does not parse, warn with its page and line."""
    try:
        return formula(node.astext(), display=display)
    except BuildError as error:
        LOGGER.warning(str(error), location=node)
        return ""


def _on_page(app: Sphinx, name: str, template: str, context: dict, doctree) -> None:
    """Give a page its icon, its widgets' script, and what those who search are told of it."""
    own = next(one for one in app.config.editions if one["folder"] == app.config.edition)
    context["language"], context["scripts"] = own["tag"], app.config.scripts
    context["others"] = list(_others(app, name))
    # Without an icon, browsers ask the host's root for one.
    context["metatags"] = context.get("metatags", "") + '<link rel="icon" href="data:,">'
    if "body" not in context:  # the page of the search, which no other search shall find
        return
    context["told"] = _told(app, name, context["title"], doctree)
    if re.search("data-answer|tag_(answer|fold)-", context["body"]):
        app.add_js_file("answers.js", loading_method="defer")
    if 'class="attnlib-widget"' in context["body"]:
        app.add_js_file("widgets.js", loading_method="defer")
    if 'class="own-sentence"' in context["body"]:
        app.add_js_file("sentence.js", loading_method="defer")
    if 'class="own-text"' in context["body"]:
        for name in ("letters_data.js", "letters.js"):  # in this order
            app.add_js_file(name, loading_method="defer")
    if own["tag"] == "zh-Hans":
        context["body"] = with_italics(context["body"])
    # What heads nothing is no head.
    context["body"] = re.sub(r'<th class="head">(<p></p>)?</th>', "<td></td>", context["body"])


def _others(app: Sphinx, name: str) -> Iterator[dict[str, str]]:
    """Say under which addresses a page stands in other languages."""
    root = "../" * (name.count("/") + bool(app.config.edition))
    at = app.config.html_baseurl.removesuffix(f"{app.config.edition}/")
    for other in app.config.editions:
        if other["folder"] != app.config.edition and name in other["pages"]:
            place = f"{other['folder']}/{app.builder.get_target_uri(name)}".lstrip("/")
            yield {**other, "address": root + place, "whole": (at or root) + place}


def _told(app: Sphinx, name: str, title: str, doctree: nodes.document | None) -> dict[str, str]:
    """Say of a page what a search engine shows, and what is shown where somebody links to it."""
    opening = picture = ""
    if doctree:
        opening = next((one.astext() for one in doctree.findall(nodes.paragraph)), "")
        shown = (one["uri"] for one in doctree.findall(nodes.image))  # as the page has it
        picture = next(shown, "").rpartition("/")[2]
    own = app.env.metadata[name].get("found", '["", ""]')
    subject, description = json.loads(own)
    description = description or found.description(" ".join(opening.split()))
    at = app.config.html_baseurl
    return {
        "description": description,
        "og:title": found.title(title, app.config.project, subject, partial(_say, app)),
        "og:description": description,
        "og:type": "website",
        "og:site_name": app.config.project,
        "og:url": at and f"{at}{app.builder.get_target_uri(name)}",
        "og:image": at and picture and f"{at}_images/{picture}",
    }


def _write_sitemap(app: Sphinx, error: Exception | None) -> None:
    """List all pages for search engines, where it is known under which address they stand."""
    at = app.config.html_baseurl
    if at and error is None and not app.config.edition:
        places = sorted(
            f"{one['folder']}/{app.builder.get_target_uri(name)}".lstrip("/")
            for one in app.config.editions
            for name in one["pages"]
            if name != "search"
        )
        listed = "".join(f"<url><loc>{escape(at + place)}</loc></url>\n" for place in places)
        text = f"{SITEMAP}\n{listed}</urlset>\n"
        (app.outdir / "sitemap.xml").write_text(text, encoding="utf-8")
