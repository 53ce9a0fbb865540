"""A loop for what awaits at the top of a cell."""

import asyncio
import selectors


class Loop(asyncio.SelectorEventLoop):
    """An event loop without the sockets by which other threads would wake it.

    The sandbox has none to give, and no other thread.
    """

    def __init__(self):
        super().__init__(selectors.SelectSelector())

    def _make_self_pipe(self):
        self._ssock = self._csock = None

    def _close_self_pipe(self):
        pass
