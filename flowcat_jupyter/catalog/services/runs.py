"""Background runs: watching, cancelling, and settling what a crash left behind."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from datetime import datetime, timedelta

from flowcat_jupyter.catalog.access import SYSTEM, Actor
from flowcat_jupyter.catalog.background import LEASE, died
from flowcat_jupyter.catalog.deps import Deps
from flowcat_jupyter.catalog.healing import UNSURE, abandon_all, find_commit, settle_commit
from flowcat_jupyter.catalog.importing import REJECTS_KEPT
from flowcat_jupyter.catalog.purging import purge_due
from flowcat_jupyter.catalog.store.rows import Run, RunPage, Ticket
from flowcat_jupyter.catalog.unit import Unit
from flowcat_jupyter.shared.errors import Conflict, NotFound, Unavailable

log = logging.getLogger(__name__)
UNCLAIMED = timedelta(minutes=5)
LONGEST = timedelta(minutes=15)
"""Longer than any lease; one that is to last longer is of a clock that was wrong."""


class RunService:
    """One actor's runs; unrestricted actors see all."""

    def __init__(self, actor: Actor, deps: Deps) -> None:
        """Serve one actor."""
        self._actor = actor
        self._deps = deps
        self._begin = deps.begin
        self._threads = deps.threads

    async def get(self, run_id: int) -> Run:
        """A run.

        :raises NotFound: the actor has none of that id.
        """

        def work() -> Run:
            with self._begin(self._actor) as unit:
                return unit.runs.get(run_id)

        return await self._threads.run(work)

    async def list(
        self, *, limit: int = 100, after: str | None = None, active: bool = False
    ) -> RunPage:
        """A page of runs, newest first; ``active`` leaves out those that ended."""

        def work() -> RunPage:
            with self._begin(self._actor) as unit:
                return unit.runs.page(limit=limit, after=after, active=active)

        return await self._threads.run(work)

    async def active_count(self) -> int:
        """How many runs are at work or waiting for their turn."""

        def work() -> int:
            with self._begin(self._actor) as unit:
                return unit.runs.active_count()

        return await self._threads.run(work)

    async def cancel(self, run_id: int) -> Run:
        """Stop a run, queued or running, here or in another process; ended ones stay as they are.

        What it was making is removed. A run of another process ends at its next heartbeat.

        :raises NotFound: the actor has none of that id.
        """

        def work() -> str:
            with self._begin(self._actor, write=True) as unit:
                state = unit.runs.cancel(run_id, now=unit.now)
                if state == "queued":
                    unit.rejects.remove([run_id])
                    abandon_all(unit, run_id)
                return state

        state = await self._threads.run(work)
        if state == "running" and self._deps.background.cancel(run_id):
            await self._deps.background.wait(run_id)
        if state == "queued":
            await purge_due(self._deps)
        return await self.get(run_id)

    async def recover(self) -> int:
        """End the runs whose process is gone, and undo what they held; answer how many were lost.

        Removals are taken up again instead, and an import whose commit is in its table's log
        succeeded. For start and upkeep, whoever the actor is.
        """
        suspects = await self._threads.run(self._suspects)
        if suspects:
            # Clocks may be wrong, also another machine's: only a heart that is still is none.
            await asyncio.sleep(self._deps.background.watch_s)

        def work() -> tuple[int, list[_Orphan]]:
            with self._begin(SYSTEM, write=True) as unit:
                still = [r for r in unit.runs.running() if suspects.get(r.id) == _pulse(r)]
                gone = [r for r in unit.runs.running() if self._died(r)]
                orphans = [_seize(unit, run) for run in {r.id: r for r in still + gone}.values()]
                unsure = [orphan for orphan in orphans if orphan.tickets]
                lost = sum(_end(unit, orphan) for orphan in orphans if not orphan.tickets)
                return lost + self._forget_unclaimed(unit), unsure

        lost, unsure = await self._threads.run(work)
        for orphan in unsure:
            lost += await self._settle(orphan)
        await purge_due(self._deps)
        return lost

    def _forget_unclaimed(self, unit: Unit) -> int:
        """Undo runs that were queued by a process that went before it could begin them."""
        lost = [
            run
            for run in unit.runs.unclaimed()
            if self._died(run) or run.due_at < unit.surely - UNCLAIMED
        ]
        for run in lost:
            unit.runs.cancel(run.id, now=unit.now)
            unit.rejects.remove([run.id])
            abandon_all(unit, run.id)
        return len(lost)

    def _suspects(self) -> dict[int, _Pulse]:
        """Runs of other processes whose leases are over, or last longer than any lease does."""
        with self._begin(SYSTEM) as unit:
            return {
                run.id: _pulse(run)
                for run in unit.runs.running()
                if not (self._deps.background.works_on(run.id) or self._died(run))
                and not unit.now <= (run.lease_until or unit.now) <= unit.now + LONGEST
            }

    def _died(self, run: Run) -> bool:
        # Our own are not: a machine that slept overslept its leases.
        background = self._deps.background
        return not background.works_on(run.id) and died(run.lease_holder or "")

    async def _settle(self, orphan: _Orphan) -> int:
        """End a run that may have committed before its process went; 1 if it is lost."""
        ticket, rejects = orphan.tickets[0], orphan.rejects
        try:
            commit = await find_commit(self._deps, ticket, rejects)
        except UNSURE:
            # Its lease is ours until it runs out; then it is looked at again.
            log.warning("Whether run %s committed cannot be told now.", orphan.run.id)
            return 0

        def work() -> int:
            with self._begin(SYSTEM, write=True) as unit:
                if commit is None:
                    return _end(unit, orphan)
                kept = unit.now + REJECTS_KEPT
                unit.rejects.ended(orphan.run.id, commit.rejected, expires_at=kept)
                result = settle_commit(unit, ticket, commit)
                unit.runs.finish(
                    orphan.run.id, orphan.fence, "succeeded", now=unit.now, result=result
                )
                return 0

        try:
            lost = await self._threads.run(work)
        except (Conflict, NotFound):
            # The table is gone, or the ticket was taken back meanwhile.
            commit = None
            lost = await self._threads.run(work)
        if commit is None and rejects is not None:
            await self._threads.run(lambda: self._deps.rejects.remove(rejects))
        return lost


@dataclass(frozen=True)
class _Orphan:
    """A run taken from a holder that is gone, and what it held."""

    run: Run
    fence: int
    tickets: tuple[Ticket, ...]
    rejects: str | None


_Pulse = tuple[int, datetime | None]


def _pulse(run: Run) -> _Pulse:
    """What changes with every heartbeat of a run's holder."""
    return run.fence, run.lease_until


def _seize(unit: Unit, run: Run) -> _Orphan:
    """Take a run in its holder's place: a new claim raises the fence, so the holder cannot end it
    any more.
    """
    fence = unit.runs.seize(run.id, now=unit.now, lease=LEASE)
    rejects = unit.rejects.find(run.id)
    tickets = unit.everything.tickets.of_run(run.id) if run.kind == "import" else ()
    return _Orphan(run, fence, tickets, rejects.location if rejects else None)


def _end(unit: Unit, orphan: _Orphan) -> int:
    """End a run that did nothing that lasts; 1 if it is lost, 0 if it is to be taken up again."""
    run = orphan.run
    if run.kind == "purge":
        unit.runs.requeue(run.id, orphan.fence, due_at=unit.now)
        return 0
    error = Unavailable("The process that ran this is gone.", hint="Start it again.")
    unit.runs.finish(run.id, orphan.fence, "lost", now=unit.now, error=error.to_wire())
    unit.rejects.remove([run.id])
    abandon_all(unit, run.id)
    return 1
