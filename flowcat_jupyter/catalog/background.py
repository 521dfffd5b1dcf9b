"""Background runs of this process: one asyncio task each, leased and fenced in the database."""

from __future__ import annotations

import asyncio
import logging
import os
import socket
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any
from uuid import uuid4

from flowcat_jupyter.catalog.access import SYSTEM
from flowcat_jupyter.catalog.ports import Progress
from flowcat_jupyter.catalog.store.rows import Run
from flowcat_jupyter.catalog.threads import Threads
from flowcat_jupyter.catalog.unit import Unit, UnitFactory
from flowcat_jupyter.shared.errors import (
    Cancelled,
    Conflict,
    FlowcatError,
    Internal,
    LimitExceeded,
)

log = logging.getLogger(__name__)
LEASE = timedelta(seconds=90)
TICK_S = 0.5
IDLE_S = 2.0
WATCH_S = 3 * IDLE_S


def died(holder: str) -> bool:
    """Whether a holder was a process of this machine that is no more.

    False where one cannot tell: then its lease has to run out.
    """
    machine, _, rest = holder.partition(":")
    pid = rest.partition(":")[0]
    if machine != _machine() or not pid.isdigit():
        return False
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    return False


def _machine() -> str:
    # Containers may share a host's name; their process numbers mean nothing to each other.
    space = Path("/proc/self/ns/pid")
    inside = str(space.readlink()) if space.exists() else ""
    return sha256(f"{socket.gethostname()}{inside}".encode()).hexdigest()[:12]


@dataclass
class Handle:
    """A running run, as its work sees it. ``result`` is what is left to tell if it fails.

    ``ended`` is for work that ended the run itself, with `succeed`.
    """

    run: Run
    latest: Progress | None = field(default=None, init=False)
    result: dict[str, Any] | None = field(default=None, init=False)
    ended: bool = field(default=False, init=False)

    def progress(self, progress: Progress) -> None:
        """Note how far it is; may be called from any thread, as often as one likes."""
        self.latest = progress

    def succeed(self, unit: Unit, result: dict[str, Any]) -> None:
        """End the run in the transaction that records what it did, so that no crash parts them.

        ``ended`` is the caller's to set once that is committed.

        :raises Conflict: the run has passed to another process, which sees to it.
        """
        if not _end(unit, self, "succeeded", result, None):
            raise Conflict("Another process has taken this run over.")


Work = Callable[[Handle], Awaitable[dict[str, Any] | None]]


class Background:
    """Starts, watches, cancels and ends runs.

    A run ends by an explicit result. Whoever lost the lease (a machine that slept) finds its
    fence passed and writes nothing more.
    """

    def __init__(
        self,
        begin: UnitFactory,
        threads: Threads,
        *,
        lease: timedelta = LEASE,
        watch_s: float = WATCH_S,
    ) -> None:
        """Hold leases under a name of this process's own.

        A lease that seems to have run out is watched for ``watch_s`` seconds before it is believed.
        """
        self.watch_s = watch_s
        self.holder = f"{_machine()}:{os.getpid()}:{uuid4().hex[:8]}"
        self._begin = begin
        self._threads = threads
        self._lease = lease
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._works: dict[int, asyncio.Task[dict[str, Any] | None]] = {}
        self._closing = False

    def start(self, run_id: int, work: Work) -> None:
        """Claim a queued run and do its work in a task of this loop."""
        task = asyncio.create_task(self._guarded(run_id, work), name=f"flowcat-run-{run_id}")
        self._tasks[run_id] = task
        task.add_done_callback(lambda _: self._tasks.pop(run_id, None))

    def cancel(self, run_id: int) -> bool:
        """Stop a run of this process; False if it is not one."""
        work = self._works.get(run_id)
        return bool(work and work.cancel())

    def works_on(self, run_id: int) -> bool:
        """Whether a run is this process's and has not ended."""
        return run_id in self._tasks

    async def wait(self, run_id: int) -> None:
        """Return once a run of this process has ended; at once if it is not one."""
        task = self._tasks.get(run_id)
        if task:
            await asyncio.wait([task])

    async def close(self) -> None:
        """Stop all runs, marking them lost, and wait for it."""
        self._closing = True
        for work in list(self._works.values()):
            work.cancel()
        if self._tasks:
            await asyncio.wait(list(self._tasks.values()))

    async def _guarded(self, run_id: int, work: Work) -> None:
        try:
            await self._supervise(run_id, work)
        except FlowcatError:
            # Its lease runs out, and recovery settles it once the database answers again.
            log.exception("Run %s could not be claimed or ended.", run_id)

    async def _supervise(self, run_id: int, work: Work) -> None:
        run = await self._threads.run(lambda: self._claim(run_id))
        if run is None:
            return
        handle = Handle(run)
        task = asyncio.ensure_future(work(handle))
        self._works[run_id] = task
        beat = asyncio.create_task(self._beat(handle, task))
        try:
            await asyncio.wait([task])
        finally:
            beat.cancel()
            self._works.pop(run_id, None)
        await asyncio.wait([beat])
        state, result, error = self._outcome(task)
        result = handle.result if result is None else result
        await self._threads.run(lambda: self._finish(handle, state, result, error))

    async def _beat(self, handle: Handle, work: asyncio.Task[dict[str, Any] | None]) -> None:
        shown: Progress | None = None
        idle = 0.0
        while not work.done():
            await asyncio.sleep(TICK_S)
            idle += TICK_S
            news = handle.latest if handle.latest != shown else None
            if news is None and idle < IDLE_S:
                continue
            shown, idle = handle.latest, 0.0
            if not await self._threads.run(partial(self._renew, handle, news)):
                work.cancel()

    def _claim(self, run_id: int) -> Run | None:
        with self._begin(SYSTEM, write=True) as unit:
            return unit.runs.claim(run_id, holder=self.holder, lease=self._lease, now=unit.now)

    def _renew(self, handle: Handle, news: Progress | None) -> bool:
        run = handle.run
        try:
            with self._begin(SYSTEM, write=True) as unit:
                held = unit.runs.renew(
                    run.id, run.fence, lease=self._lease, now=unit.now, progress=news
                )
                return held and not unit.runs.get(run.id).cancel_requested
        except FlowcatError:
            # The lease outlives a few missed beats; after more, recovery may take the run.
            log.warning("Run %s could not renew its lease.", run.id, exc_info=True)
            return True

    def _finish(
        self,
        handle: Handle,
        state: str,
        result: dict[str, Any] | None,
        error: dict[str, Any] | None,
    ) -> None:
        if handle.ended:
            return
        with self._begin(SYSTEM, write=True) as unit:
            held = _end(unit, handle, state, result, error)
        if not held:
            log.warning("Run %s ended here after its lease had passed to another.", handle.run.id)

    def _outcome(
        self, task: asyncio.Task[dict[str, Any] | None]
    ) -> tuple[str, dict[str, Any] | None, dict[str, Any] | None]:
        if task.cancelled():
            state = "lost" if self._closing else "cancelled"
            return state, None, Cancelled("The run").to_wire()
        fault = task.exception()
        if fault is None:
            return "succeeded", task.result(), None
        if isinstance(fault, Cancelled):
            return "cancelled", None, fault.to_wire()
        if isinstance(fault, LimitExceeded) and "TIMEOUT" in (fault.condition or ""):
            return "timed_out", None, fault.to_wire()
        if isinstance(fault, FlowcatError) and not isinstance(fault, Internal):
            return "failed", None, fault.to_wire()
        log.error("A run failed unexpectedly.", exc_info=fault)
        return "failed", None, Internal("The run failed; the server's log says why.").to_wire()


def _end(
    unit: Unit,
    handle: Handle,
    state: str,
    result: dict[str, Any] | None,
    error: dict[str, Any] | None,
) -> bool:
    """End a run and note how far it was; False: it is no longer the holder's."""
    run = handle.run
    if handle.latest is not None:
        unit.runs.renew(run.id, run.fence, lease=LEASE, now=unit.now, progress=handle.latest)
    return unit.runs.finish(run.id, run.fence, state, now=unit.now, result=result, error=error)
