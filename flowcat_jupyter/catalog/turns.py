"""Letting few do something at a time, so that those that wait their turn leave the others be.

Python runs one thread at a time. Sixteen that compute pass it round among themselves, and the
event loop, which every client waits for, gets one turn in seventeen.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from weakref import WeakValueDictionary

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


class Queues:
    """Tasks that do the same thing to the same table, one after the other."""

    def __init__(self) -> None:
        """Nobody waits."""
        self._locks: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()

    def of(self, table_id: int) -> asyncio.Lock:
        """What a task holds while it does so; it goes when nobody holds it or waits for it."""
        lock = self._locks.get(table_id)
        if lock is None:
            lock = self._locks[table_id] = asyncio.Lock()
        return lock
