"""Pictures that move, one widget for each step that the lessons teach.

A widget does its arithmetic in the browser while a hand moves it, and tells Python what the hand
did: its traits are the numbers on the screen. Without a kernel it lives on in a static page; where
nothing runs it is a still picture.
"""

from attnlib.jupyter.extra import needed_by

with needed_by(__name__):
    from attnlib.widgets._goals import Goal
    from attnlib.widgets._progress import progress
    from attnlib.widgets.alignment import Alignment
    from attnlib.widgets.backward import Backward
    from attnlib.widgets.block import Block
    from attnlib.widgets.dot_product import DotProduct
    from attnlib.widgets.heads import Heads
    from attnlib.widgets.learning import Learning
    from attnlib.widgets.mask import Mask
    from attnlib.widgets.positions import Positions
    from attnlib.widgets.reach import Reach
    from attnlib.widgets.scaling import Scaling
    from attnlib.widgets.self_attention import SelfAttention
    from attnlib.widgets.softmax import Softmax
    from attnlib.widgets.tiles import Tiles
    from attnlib.widgets.writer import Writer

__all__ = [
    "Alignment",
    "Backward",
    "Block",
    "DotProduct",
    "Goal",
    "Heads",
    "Learning",
    "Mask",
    "Positions",
    "Reach",
    "Scaling",
    "SelfAttention",
    "Softmax",
    "Tiles",
    "Writer",
    "progress",
]
