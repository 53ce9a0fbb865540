"""Sphinx's settings for the site. `stage.py` copies this file to where Sphinx reads."""

import json
from pathlib import Path

SETTINGS = json.loads(Path(__file__).with_name("settings.json").read_text(encoding="utf-8"))


def say(template: str) -> str:
    """Say what stands around pages in the language of this edition."""
    return SETTINGS["words"].get(template, template)


project = say("Attention, step by step")
author = say("The authors of “Attention, step by step”")
language = "zh_CN" if SETTINGS["tag"] == "zh-Hans" else "en"  # by Sphinx's own names
html_search_language = "en"  # of a search that nobody asks
extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "course.site.extension",
]
exclude_patterns = ["static", "images", "notebooks/figures", "extra"]

# Lessons come as they were committed: nothing is executed here.
nb_execution_mode = "off"
nb_merge_streams = True
nb_mime_priority_overrides = [("html", "text/markdown", 0)]
myst_enable_extensions = ["dollarmath", "attrs_inline"]
myst_dmath_double_inline = True
myst_heading_anchors = 3

# The reference
default_role = "py:obj"  # docstrings set names in single backticks; what is known becomes a link
autodoc_typehints = "none"
autodoc_member_order = "bysource"
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_preprocess_types = False
add_module_names = False
python_use_unqualified_type_names = True
toc_object_entries_show_parents = "hide"

html_math_renderer = "mathml"  # of course/site/extension.py
html_theme = "sphinx_book_theme"
html_title = project
html_baseurl = SETTINGS["address"]
html_context = {"default_mode": "auto"}
html_sidebars = {"**": ["home.html", "search-button-field.html", "sbt-sidebar-nav.html"]}
templates_path = ["templates"]
html_static_path = ["static"]
html_css_files = ["fonts.css", "answers.css", "grid.css", "icons.css", "site.css"]
html_js_files = [(name, {"defer": "defer"}) for name in ("search.js", "switch.js")]
html_extra_path = ["extra"]  # as they are: old addresses, and notebooks to download
html_copy_source = False
html_show_copyright = False
html_show_sphinx = False
html_use_index = False
html_domain_indices = False
html_last_updated_fmt = None
html_theme_options = {
    "use_download_button": False,
    "use_fullscreen_button": False,
    "home_page_in_toc": True,
    "show_toc_level": 2,
    "footer_content_items": [],
    "navbar_persistent": [],  # or there is a second field to search in, on a bar of its own
    "search_bar_text": say("Search"),
    "article_header_end": ["switch.html", "article-header-buttons.html"],
    "search_as_you_type": True,
    "logo": {"text": project},
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
if SETTINGS["repository"]:
    html_theme_options |= {
        "repository_url": SETTINGS["repository"],
        "repository_branch": "main",
        "launch_buttons": {
            "binderhub_url": "https://mybinder.org",
            "colab_url": "https://colab.research.google.com",
            "notebook_interface": "jupyterlab",
        },
    }

# When these change, more pages are made anew than the one that was edited.
made_by = SETTINGS["made_by"]
around = f"{SETTINGS['around']} {SETTINGS['editions']}"

words, scripts = SETTINGS["words"], SETTINGS["scripts"]
edition, editions = SETTINGS["edition"], SETTINGS["editions"]
