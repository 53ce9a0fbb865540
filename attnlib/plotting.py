"""Figures of lessons: `attnlib.pictures.plotting` by its public name."""

import sys

from attnlib.jupyter.extra import needed_by

with needed_by(__name__):
    from attnlib.pictures import plotting

sys.modules[__name__] = plotting
