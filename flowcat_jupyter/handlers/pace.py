"""Letting requests in one by one, so that many at once do not keep the event loop from others."""

from __future__ import annotations

import asyncio
from collections import deque


class Pace:
    """Lets one request begin in each round of the event loop.

    A round runs all that is ready before it looks at timers and sockets again. When dozens of
    clients ask at once, as many requests would be ready, and kernels' messages, which the same
    loop carries, would wait for all of them. Nothing is held while a request runs: one that waits
    for a worker or for a lock keeps no other out.
    """

    def __init__(self) -> None:
        """Belongs to the loop that first waits on it."""
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._letting_in = False

    async def turn(self) -> None:
        """Return in a round of the loop in which no other request begins; first come, first in."""
        loop = asyncio.get_running_loop()
        if not self._letting_in:
            self._letting_in = True
            loop.call_soon(self._next, loop)
            return
        waiting: asyncio.Future[None] = loop.create_future()
        self._waiting.append(waiting)
        await waiting

    def _next(self, loop: asyncio.AbstractEventLoop) -> None:
        while self._waiting:
            waiting = self._waiting.popleft()
            if not waiting.done():
                waiting.set_result(None)
                loop.call_soon(self._next, loop)
                return
        self._letting_in = False
