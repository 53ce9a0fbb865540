"""The colours of the roles: figures and widgets share them, and widgets need no Matplotlib."""

from attnlib.pictures.shared import SHARED

COLORS = SHARED["colors"]["roles"]
