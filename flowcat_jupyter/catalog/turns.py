"""Letting few threads compute at a time, so that those that wait their turn leave the others be.

Python runs one thread at a time. Sixteen that compute pass it round among themselves, and the
event loop, which every client waits for, gets one turn in seventeen.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

AT_ONCE = 2


class Turns:
    """Turns of threads. A thread that has one needs no other."""

    def __init__(self, at_once: int = AT_ONCE) -> None:
        """At most ``at_once`` threads have a turn."""
        self._free = threading.BoundedSemaphore(at_once)
        self._mine = threading.local()

    @contextmanager
    def taken(self) -> Iterator[None]:
        """Wait for a turn, and have it for the block."""
        if getattr(self._mine, "taken", False):
            yield
            return
        with self._free:
            self._mine.taken = True
            try:
                yield
            finally:
                self._mine.taken = False
