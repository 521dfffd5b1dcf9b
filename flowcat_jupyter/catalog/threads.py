"""Threads of our own for transactions: asyncio's default pool is small and everybody's."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import TypeVar

from flowcat_jupyter.shared.errors import Unavailable

T = TypeVar("T")


class Threads:
    """Runs blocking functions off the event loop."""

    def __init__(self, size: int = 16) -> None:
        """At most ``size`` functions run at once; more wait their turn."""
        self._pool = ThreadPoolExecutor(size, thread_name_prefix="flowcat-catalog")
        self._closed = False

    async def run(self, work: Callable[[], T]) -> T:
        """What ``work`` returns or raises. It ends even if the awaiting task is cancelled.

        :raises Unavailable: after `close`.
        """
        if self._closed:
            raise Unavailable("The catalog is stopped.")
        context = copy_context()
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._pool, context.run, work)

    def close(self) -> None:
        """Wait for what runs, refuse what comes."""
        self._closed = True
        self._pool.shutdown(wait=True, cancel_futures=True)
