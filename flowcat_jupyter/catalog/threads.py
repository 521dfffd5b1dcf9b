"""Threads of our own, since asyncio's default pool is small and everybody's."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import TypeVar

from flowcat_jupyter.shared.errors import Unavailable

T = TypeVar("T")


class Threads:
    """Runs blocking functions off the event loop.

    A slow disk must not keep the database's threads, so that files have others.
    """

    def __init__(self, size: int = 16, on_disk: int = 8) -> None:
        """At most ``size`` and ``on_disk`` functions run at once; more wait their turn."""
        self._pool = ThreadPoolExecutor(size, thread_name_prefix="flowcat-catalog")
        self._disk = ThreadPoolExecutor(on_disk, thread_name_prefix="flowcat-disk")
        self._closed = False

    async def run(self, work: Callable[[], T]) -> T:
        """What ``work`` returns or raises. It ends even if the awaiting task is cancelled.

        :raises Unavailable: after `close`.
        """
        return await self._run(self._pool, work)

    async def run_on_disk(self, work: Callable[[], T]) -> T:
        """The same for ``work`` that waits for files, and for no transaction.

        :raises Unavailable: after `close`.
        """
        return await self._run(self._disk, work)

    async def _run(self, pool: ThreadPoolExecutor, work: Callable[[], T]) -> T:
        if self._closed:
            raise Unavailable("The catalog is stopped.")
        context = copy_context()
        return await asyncio.get_running_loop().run_in_executor(pool, context.run, work)

    def close(self) -> None:
        """Wait for what runs, refuse what comes."""
        self._closed = True
        for pool in (self._pool, self._disk):
            pool.shutdown(wait=True, cancel_futures=True)
