"""The README's picture that moves: small, short, described, and still for who asks for that."""

import re

import pytest
from bs4 import BeautifulSoup
from PIL import Image, ImageSequence

from course.files import ROOT
from course.lesson.series import alt_text
from images import moving


@pytest.fixture(scope="module")
def shown():
    """Return the README's picture: what it shows, and to whom what else."""
    html = BeautifulSoup((ROOT / "README.md").read_text("utf-8"), "html.parser")
    return html.find("picture")


def test_it_is_small_short_opaque_sharp_on_a_dense_screen_and_moves(shown, budget):
    path = ROOT / shown.img["src"]
    assert path == moving.PATH
    budget("bytes of the README's film", path.stat().st_size, most=735_000)
    with Image.open(path) as picture:
        assert picture.width >= 2 * int(shown.img["width"])
        frames, lasts = [], []
        for frame in ImageSequence.Iterator(picture):
            frames.append(frame.convert("RGBA"))
            lasts.append(frame.info["duration"])
    assert sum(lasts) <= 5000
    assert all(frame.getextrema()[3] == (255, 255) for frame in frames)
    middle, width, height = frames[0].width // 2, *frames[0].size
    for half in ((0, 0, middle, height), (middle, 0, width, height)):  # ribbons on both sides
        seen = {bytes(frame.crop(half).reduce(20).tobytes()) for frame in frames}
        assert len(seen) > 20


def test_its_words_are_its_own_and_tell_the_numbers_of_the_lesson(shown):
    assert shown.img["alt"] == alt_text(moving.PATH) == moving.alt_text()
    assert re.findall(r"\d\.\d\d to I", moving.alt_text()) == [
        "0.58 to I",
        "0.18 to I",
        "0.11 to I",
    ]


def test_who_asks_for_less_motion_sees_a_picture_that_does_not_move(shown):
    (source,) = shown.find_all("source")
    assert source["media"] == "(prefers-reduced-motion: reduce)"
    with Image.open(ROOT / source["srcset"]) as still:
        assert getattr(still, "n_frames", 1) == 1
