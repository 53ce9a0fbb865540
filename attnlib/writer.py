"""The writer of lesson 12: `attnlib.models.writer` by its public name."""

import sys

from attnlib.models import writer

sys.modules[__name__] = writer
