"""What a call raised, in words: `raised` tells it, and the rest of this room is its own.

`failing` finds the operation and the shapes that met there, `misnamed` the name that was meant,
`unfitting` what would have fitted; `telling` puts a sentence and a question together.
"""

from attnlib.checks.raised.telling import Raised, raised

__all__ = ["Raised", "raised"]
