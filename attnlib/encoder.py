"""The real encoder of lesson 13: `attnlib.models.encoder` by its public name."""

import sys

from attnlib.models import encoder

sys.modules[__name__] = encoder
