"""The keys of the speaker's window: where one clicks before, and what is true of the hall after."""

PLACES = (".speaker-controls-notes", "#current-slide iframe", "#upcoming-slide iframe")
CLICK = (9, 60)  # where in each of them: beside all that a click would use
TO_POLL = """async () => {
  if (document.fullscreenElement) await document.exitFullscreen();
  Reveal.slide(Reveal.getSlides().findIndex((slide) => slide.querySelector(".part.poll")));
}"""
TO_EXERCISE = """() => {
  const slides = Reveal.getSlides();
  globalThis.at = slides.findIndex((slide) => slide.querySelector(".timer"));
  Reveal.slide(at);
}"""
HERE = "Reveal.getIndices().h"
TURNED, BACK = f"{HERE} > at || Reveal.getIndices().f > -1", f"{HERE} === at"
SHOWN = "!Reveal.getCurrentSlide().querySelector('.solution').hidden"
FULLSCREEN = "Boolean(document.fullscreenElement)"
PRESSED = {  # from either slide on, one after another
    TO_POLL: {
        "1": "Boolean(Reveal.getCurrentSlide().querySelector('[data-hands]'))",
        "0": "!Reveal.getCurrentSlide().querySelector('[data-hands]')",
    },
    TO_EXERCISE: {
        "Control+a": f"!({SHOWN})",  # the browser's own
        "a": SHOWN,
        "t": "Boolean(Reveal.getCurrentSlide().querySelector('.timer').dataset.ticks)",
        "a t": f"!({SHOWN})",
        "PageDown": TURNED,
        "PageUp": BACK,
        "Space": TURNED,
        "ArrowLeft": BACK,
        "End": "Reveal.isLastSlide()",
        "Home": "Reveal.isFirstSlide()",
        "ArrowRight": "!Reveal.isFirstSlide()",
        ".": "Reveal.isPaused()",
        "b": "!Reveal.isPaused()",
        "Escape": "Reveal.isOverview()",
        "o": "!Reveal.isOverview()",
        "f": FULLSCREEN,
        "c": "isCore",
        "c d": "!isCore && document.documentElement.dataset.theme === 'dark'",
        "d": "document.documentElement.dataset.theme === 'light'",
    },
}
