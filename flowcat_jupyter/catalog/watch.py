"""Notices that any process changed the catalog, and wakes those who wait for it.

SQLite's ``data_version`` tells in microseconds whether another connection committed; on
PostgreSQL the newest change number is read. Both are polled from one thread, so that a write by a
command line, a kernel's ticket or another server reaches every open sidebar.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable

from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import SQLAlchemyError

from flowcat_jupyter.catalog.store.engine import connect

POLL_S = {"sqlite": 0.1, "postgresql": 0.5}
RETRY_S = 2.0
_LOG = logging.getLogger(__name__)


class ChangeWatcher:
    """Keeps the newest change number and lets coroutines wait for a newer one."""

    def __init__(self, engine: Engine, notify: Callable[[int], None] | None = None) -> None:
        """``notify`` is called on the event loop with each new number."""
        self._engine = engine
        self._notify = notify
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._changed = asyncio.Event()
        self.seq = 0

    def start(self, seq: int) -> None:
        """Begin, from a known number, on the running event loop."""
        self.seq = seq
        self._loop = asyncio.get_running_loop()
        self._thread = threading.Thread(target=self._watch, name="flowcat-changes", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End the thread; waiters are woken. To be called from any thread but the loop's own."""
        self._stop.set()
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._wake)
        if self._thread is not None:
            self._thread.join(timeout=RETRY_S * 2)

    async def wait(self, after: int, timeout_s: float) -> bool:
        """Wait until the newest number exceeds ``after``; False when the time ran out."""
        deadline = asyncio.get_running_loop().time() + timeout_s
        while self.seq <= after and not self._stop.is_set():
            changed = self._changed
            left = deadline - asyncio.get_running_loop().time()
            if left <= 0:
                return False
            try:
                await asyncio.wait_for(changed.wait(), left)
            except TimeoutError:
                return False
        return self.seq > after

    def _watch(self) -> None:
        while not self._stop.is_set():
            try:
                self._follow()
            except SQLAlchemyError as error:
                # The database may be restarting: look again, for as long as this process lives.
                _LOG.warning("the change feed lost its database: %s", type(error).__name__)
                self._stop.wait(RETRY_S)

    def _follow(self) -> None:
        interval = POLL_S.get(self._engine.dialect.name, RETRY_S)
        with connect(self._engine, write=False) as connection:
            mark = None
            while not self._stop.wait(interval):
                # A look is a transaction of its own: inside one, the snapshot would never move.
                with connection.begin():
                    now = _mark(connection)
                if now != mark:
                    mark = now
                    with connection.begin():
                        seq = _newest(connection)
                    self._publish(seq)

    def _publish(self, seq: int) -> None:
        if seq > self.seq and self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._set, seq)

    def _wake(self) -> None:
        waiting, self._changed = self._changed, asyncio.Event()
        waiting.set()

    def _set(self, seq: int) -> None:
        if seq <= self.seq:
            return
        self.seq = seq
        self._wake()
        if self._notify is not None:
            self._notify(seq)


def _mark(connection: Connection) -> int:
    if connection.dialect.name == "sqlite":
        return int(connection.execute(text("PRAGMA data_version")).scalar_one())
    return _newest(connection)


def _newest(connection: Connection) -> int:
    return int(connection.execute(text("SELECT coalesce(max(seq), 0) FROM changes")).scalar_one())
