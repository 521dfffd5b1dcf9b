"""Background runs: watching, cancelling, and settling what a crash left behind."""

from __future__ import annotations

from datetime import timedelta

from flowcat_jupyter.catalog.access import SYSTEM, Actor
from flowcat_jupyter.catalog.background import LEASE, Background, died
from flowcat_jupyter.catalog.barrier import abandon
from flowcat_jupyter.catalog.deps import Deps
from flowcat_jupyter.catalog.purging import purge_due
from flowcat_jupyter.catalog.store.rows import Run, RunPage
from flowcat_jupyter.catalog.unit import Unit
from flowcat_jupyter.shared.errors import Unavailable

UNCLAIMED = timedelta(minutes=5)


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
                    _abandon_tickets(unit, run_id)
                return state

        state = await self._threads.run(work)
        if state == "running" and self._deps.background.cancel(run_id):
            await self._deps.background.wait(run_id)
        if state == "queued":
            await purge_due(self._deps)
        return await self.get(run_id)

    async def recover(self) -> int:
        """Mark lost the runs whose process is gone, and undo what they held; answer how many.

        Removals are taken up again instead. For start and upkeep, whoever the actor is.
        """

        def work() -> int:
            with self._begin(SYSTEM, write=True) as unit:
                lost = 0
                for run in _orphans(unit, self._deps.background):
                    lost += _settle_orphan(unit, run)
                for run in unit.runs.unclaimed(unit.now - UNCLAIMED):
                    unit.runs.cancel(run.id, now=unit.now)
                    _abandon_tickets(unit, run.id)
                    lost += 1
                return lost

        lost = await self._threads.run(work)
        await purge_due(self._deps)
        return lost


def _orphans(unit: Unit, background: Background) -> list[Run]:
    """Runs whose holder is gone. Our own are not: a machine that slept overslept its leases."""
    return [
        run
        for run in unit.runs.running()
        if not background.works_on(run.id)
        and ((run.lease_until and run.lease_until < unit.now) or died(run.lease_holder or ""))
    ]


def _settle_orphan(unit: Unit, run: Run) -> int:
    """End a run in its holder's place: a new claim raises the fence, so the holder cannot."""
    fence = unit.runs.seize(run.id, now=unit.now, lease=LEASE)
    if run.kind == "purge":
        unit.runs.requeue(run.id, fence, due_at=unit.now)
        return 0
    error = Unavailable("The process that ran this is gone.", hint="Start it again.")
    unit.runs.finish(run.id, fence, "lost", now=unit.now, error=error.to_wire())
    _abandon_tickets(unit, run.id)
    return 1


def _abandon_tickets(unit: Unit, run_id: int) -> None:
    for ticket in unit.everything.tickets.of_run(run_id):
        abandon(unit, ticket, "cancelled")
