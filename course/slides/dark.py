"""A drawing that shows colours for their own sake, for dark slides.

Other pictures are turned dark by their lightness, and keep their hues. That would make a red patch
pink. Here the colours stay, with all that lies among them, and only what is around them is turned:
paper and axes.
"""

TURNED = "#patch_1 path{fill:#000!important}g[id^=matplotlib]{filter:invert(1)}"


def on_dark(svg: str) -> str:
    """Turn the paper of Matplotlib's SVG, and the ticks and letters of its axes."""
    return svg.replace("</style>", f"{TURNED}</style>", 1)
