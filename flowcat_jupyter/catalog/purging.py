"""Removing the folders of tables that are gone for good."""

from __future__ import annotations

import logging
from datetime import timedelta

from flowcat_jupyter.catalog.access import SYSTEM
from flowcat_jupyter.catalog.deps import Deps
from flowcat_jupyter.catalog.store.rows import Run
from flowcat_jupyter.shared.errors import FlowcatError

log = logging.getLogger(__name__)
LEASE = timedelta(minutes=10)
RETRY = timedelta(hours=1)
ATTEMPTS = 24


async def purge_due(deps: Deps, limit: int = 100) -> int:
    """Remove what is due, at most ``limit`` folders; answer how many are gone.

    A folder that cannot be removed is tried again hourly, for a day.
    """

    def due() -> list[int]:
        with deps.begin(SYSTEM) as unit:
            return [run.id for run in unit.runs.due("purge", unit.surely, limit)]

    gone = 0
    for run_id in await deps.threads.run(due):
        gone += await _purge(deps, run_id)
    return gone


async def _purge(deps: Deps, run_id: int) -> int:
    def work() -> int:
        run = _claim(deps, run_id)
        if run is None:
            return 0
        location = str(run.payload["location"])
        try:
            if deps.storage.owns(location):
                deps.storage.remove(location)
        except FlowcatError as error:
            log.warning("The data at %s could not be removed.", location, exc_info=True)
            _failed(deps, run, error)
            return 0
        with deps.begin(SYSTEM, write=True) as unit:
            unit.runs.finish(run.id, run.fence, "succeeded", now=unit.now)
        return 1

    return await deps.threads.run(work)


def _claim(deps: Deps, run_id: int) -> Run | None:
    """Take the run and forget the dropped table in one transaction: no UNDROP comes between."""
    with deps.begin(SYSTEM, write=True) as unit:
        run = unit.runs.claim(run_id, holder=deps.background.holder, lease=LEASE, now=unit.now)
        if run is None:
            return None
        unit.dropped.delete_of_run(run.id)
        if unit.tables.uses(str(run.payload["location"])):
            unit.runs.finish(run.id, run.fence, "cancelled", now=unit.now)
            return None
        return run


def _failed(deps: Deps, run: Run, error: FlowcatError) -> None:
    with deps.begin(SYSTEM, write=True) as unit:
        if run.attempt < ATTEMPTS:
            unit.runs.requeue(run.id, run.fence, due_at=unit.now + RETRY)
        else:
            unit.runs.finish(run.id, run.fence, "failed", now=unit.now, error=error.to_wire())
