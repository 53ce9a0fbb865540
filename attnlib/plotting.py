"""Figures of lessons: `attnlib.pictures.plotting` by its public name."""

import sys

from attnlib.pictures import plotting

sys.modules[__name__] = plotting
