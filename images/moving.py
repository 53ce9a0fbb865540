"""Film the README's picture: ``python images/moving.py`` writes ``images/04_moving.webp``.

It shows the widget of lesson 04 in Chromium, and a drawn hand that drags, a frame at a time. The
widget's transitions are stopped and set to each frame's moment, so a slow machine films the same.
No build makes it again, because each Chromium draws a little otherwise. Its alt text is written
into it, as into every picture here; ``make notebooks`` copies it to the README.
"""

import string
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

from attnlib import attention_weights, text, widgets
from course.files import BUNDLE
from course.lesson.series import DESCRIPTION
from course.render import in_script
from course.render.fonts import font_faces
from course.slides.browser import FLAGS, find_chromium

PATH = Path(__file__).with_name("04_moving.webp")
WIDTH, SCALE = 816, 1.75  # the page, and how many of the picture's pixels one of its is
MARGIN = 10
FRAME = 50  # ms
FIRST = 1  # the word that asks before a hand is there
# What the hand does, in ms: it rests, takes hold, drags to another word, lets go.
PLAY = (
    *(("rest", 700), ("hold", 150)),
    *((2, 450), ("rest", 800), (0, 750), ("rest", 850), (FIRST, 450), ("rest", 250)),
    *(("free", 150), ("rest", 250)),
)
PAGE = """
<!DOCTYPE html><meta charset="utf-8">
<style>
  FACES
  body { margin: 0; background: #fff; --widget-font: "Course Sans"; }
  .hand { position: absolute; left: 0; top: 0; overflow: visible; pointer-events: none; }
  .hand circle { fill: #222; fill-opacity: 0; }
  .held circle { fill-opacity: 0.22; }
  .held path { transform: scale(0.92); }
</style>
<div class="attnlib-widget"><script type="application/vnd.attnlib.widget+json">STATE</script></div>
<svg class="hand" width="1" height="1">
  <circle r="15"/>
  <path fill="#fff" stroke="#222" stroke-width="1.6" stroke-linejoin="round" d="M-4.5 2
    a4.5 4.5 0 0 1 9 0 v13 a4 4 0 0 1 8 1 v1 a4 4 0 0 1 7.5 1.5 v1.5 a3.8 3.8 0 0 1 7 2 v9
    q0 11 -11 11 h-8 q-6 0 -9.500 -6 l-8.500 -13 q-2 -4 1.500 -5.500 q3 -1 5.500 2 l3 4 z"/>
</svg>
<script type="module">BUNDLE</script>
"""
# Each transition is stopped when it is first seen, and then shown as it is after its own time.
MOMENT = """
(now) => {
  window.begun ??= new Map();
  for (const one of document.querySelector(".attnlib-live").shadowRoot.getAnimations()) {
    if (!begun.has(one)) { begun.set(one, now); one.pause(); }
    const { duration } = one.effect.getComputedTiming();
    if (now - begun.get(one) >= duration) one.finish();
    else one.currentTime = now - begun.get(one);
  }
}
"""


def alt_text():
    """Say what the picture shows; plain letters, for a WebP's description knows no others."""
    _, x = text.toy_sentence()
    w_query, w_key, _ = text.toy_projections()
    weights = attention_weights(x @ w_query, x @ w_key)

    def told(word):
        to_i, to_saw, to_a, _ = weights[word]
        return f"{to_i:.2f} to I, {to_saw:.2f} to each saw, {to_a:.2f} to a"

    return (
        "One word of the sentence I saw a saw asks: ribbons lead from its query to the key of "
        "every word, as wide as the weights, and on through the values into one output. First saw "
        f"asks, {told(1)}. A hand drags on to a, and the ribbons follow: {told(2)}. Then to I: "
        f"{told(0)}."
    )


def film():
    """Return the frames, one for each moment, as pictures."""
    words, x = text.toy_sentence()
    query, key, value = (x @ matrix for matrix in text.toy_projections())
    named = {"key_features": ["someone", "thing"], "value_features": ["someone", "doing", "thing"]}
    start = {"word": FIRST, "step": "mix", **named}
    widget = widgets.SelfAttention(query, key, value, words=words, **start)
    page = PAGE.replace("STATE", in_script(widget.recorded()))
    page = page.replace("BUNDLE", BUNDLE.read_text(encoding="utf-8"))
    page = page.replace("FACES", font_faces(string.printable), 1)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=FLAGS)
        size = {"width": WIDTH, "height": 700}
        tab = browser.new_page(viewport=size, device_scale_factor=SCALE)
        slowly = tab.context.new_cdp_session(tab)  # no transition ends before it has been seen
        slowly.send("Animation.enable")
        slowly.send("Animation.setPlaybackRate", {"playbackRate": 0.001})
        tab.set_content(page)
        asks = tab.locator(".asks label")
        asks.first.wait_for()
        yield from _play(tab, [_grip(label.bounding_box()) for label in asks.all()])
        browser.close()


def _grip(box):
    """Where the hand takes hold of a word, so that its name can still be read."""
    return box["x"] + 0.95 * box["width"], box["y"] + 0.6 * box["height"]


def _play(tab, grips):
    """Do what `PLAY` says and photograph each frame."""
    frame = tab.locator(".frame").bounding_box()  # from the heads to the last word
    clip = {"x": frame["x"] - MARGIN, "y": frame["y"] - MARGIN / 2}
    clip |= {"width": frame["width"] + 2 * MARGIN, "height": frame["height"] + MARGIN / 2}
    hand, at, now = tab.locator(".hand"), grips[FIRST], 0
    tab.mouse.move(*at)
    for what, lasts in PLAY:
        if what == "hold":
            tab.mouse.down()
            hand.evaluate("(hand) => hand.classList.add('held')")
        elif what == "free":
            tab.mouse.up()
            hand.evaluate("(hand) => hand.classList.remove('held')")
        start, end = at, at if isinstance(what, str) else grips[what]
        for frame in range(lasts // FRAME):
            share = (frame + 1) * FRAME / lasts
            share = share * share * (3 - 2 * share)  # hands start and stop gently
            at = tuple(a + share * (b - a) for a, b in zip(start, end, strict=True))
            tab.mouse.move(*at)
            hand.evaluate("(hand, [x, y]) => { hand.style.translate = `${x}px ${y}px`; }", at)
            tab.evaluate("() => new Promise(requestAnimationFrame)")  # what follows has been drawn
            tab.evaluate(MOMENT, now)
            yield Image.open(BytesIO(tab.screenshot(clip=clip))).convert("RGB")
            now += FRAME


def save(frames, path=PATH):
    """Write the frames, those that are alike as one, which lasts longer."""
    kept, lasts = [], []
    for frame in frames:
        if kept and frame.tobytes() == kept[-1].tobytes():
            lasts[-1] += FRAME
        else:
            kept.append(frame)
            lasts.append(FRAME)
    words = Image.Exif()
    words[DESCRIPTION] = alt_text()
    first, *others = kept
    first.save(path, save_all=True, append_images=others, duration=lasts, loop=0, exif=words,
               quality=80, method=6)  # fmt: skip


if __name__ == "__main__":
    save(film())
    print(PATH, f"{PATH.stat().st_size / 1e6:.2f} MB")
