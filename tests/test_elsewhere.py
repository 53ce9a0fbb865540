"""Texts of the repository that are read where its files are not."""

import re
import runpy

import pytest

from course.elsewhere import read_elsewhere
from course.files import ROOT

HOME = "https://github.com/owner/name"
HOOK = runpy.run_path(str(ROOT / "hatch_build.py"))["Description"]


@pytest.mark.parametrize(
    ("text", "alone", "whole"),
    [
        ("[a](b.md)", "a", f"[a]({HOME}/blob/main/docs/b.md)"),
        ("[a](../b.md#c)", "a", f"[a]({HOME}/blob/main/b.md#c)"),
        ("[`a`](../b)", "`a`", f"[`a`]({HOME}/blob/main/b)"),
        ("![a](../b.png)\n\nc", "c", f"![a]({HOME}/raw/main/b.png)\n\nc"),
        (
            '<picture>\n<source srcset="b"><img src="c" alt="d (e)">\n</picture>\n\nf',
            "f",
            f'<picture>\n<source srcset="{HOME}/raw/main/docs/b">'
            f'<img src="{HOME}/raw/main/docs/c" alt="d (e)">\n</picture>\n\nf',
        ),
    ],
)
def test_a_link_to_a_file_loses_itself_or_becomes_whole(text, alone, whole):
    assert read_elsewhere(text, None, folder="docs") == alone
    assert read_elsewhere(text, HOME, folder="docs") == whole


@pytest.mark.parametrize(
    "text",
    [
        "[a](https://b.org/c.md)",
        "[a](#b)",
        "[a](../there.md#b)",
        "![a](../there.png)",
        "`[a](b.md)`",
        "```\n[a](b.md)\n```",
    ],
)
@pytest.mark.parametrize("repository", [None, HOME])
def test_what_leads_somewhere_and_what_is_code_stays(text, repository):
    there = {"there.md", "there.png"}
    assert read_elsewhere(text, repository, folder="docs", there=there) == text


def described(urls):
    """Return the package's description, and all addresses in it."""
    metadata = {"name": "attnlib"} | urls
    HOOK(str(ROOT), {}).update(metadata)
    assert metadata["readme"]["content-type"] == "text/markdown"
    text = metadata["readme"]["text"]
    return text, [a or b for a, b in re.findall(r'\]\(([^)]+)\)|src(?:set)?="([^"]+)', text)]


def test_the_packages_description_is_whole_without_an_address():
    text, addresses = described({})
    assert [address for address in addresses if not address.startswith("http")] == []
    assert "<img" not in text
    assert ">>> check(" in text
    assert text.endswith("come with the source distribution.\n")


def test_the_packages_description_is_absolute_with_an_address():
    text, addresses = described({"urls": {"Repository": HOME}})
    assert len(addresses) > 20
    assert {address.partition("/main/")[0] for address in addresses} == {
        f"{HOME}/blob",
        f"{HOME}/raw",
    }
    assert f'<img src="{HOME}/raw/main/images/' in text
