"""One commit for a statement: leave to write, the worker's job, and the record of what it did."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from random import SystemRandom
from typing import Generic, Protocol, TypeVar

from flowcat_jupyter.catalog.access import Actor
from flowcat_jupyter.catalog.barrier import (
    PointerMoved,
    Target,
    WriteSpec,
    abandon,
    existing_target,
    find_target,
    open_ticket,
    settle,
)
from flowcat_jupyter.catalog.deps import Deps
from flowcat_jupyter.catalog.directory import source_of
from flowcat_jupyter.catalog.healing import UNSURE, Commit, find_commit, mend_orphans
from flowcat_jupyter.catalog.planning.planner import Defining
from flowcat_jupyter.catalog.planning.statements import Select
from flowcat_jupyter.catalog.purging import purge_due
from flowcat_jupyter.catalog.shielded import to_the_end
from flowcat_jupyter.catalog.sql_sessions import SqlSession
from flowcat_jupyter.catalog.store.rows import TableRow, Ticket
from flowcat_jupyter.catalog.unit import Unit
from flowcat_jupyter.shared.errors import (
    AlreadyExists,
    Conflict,
    FlowcatError,
    Invalid,
    NotFound,
    Unavailable,
)
from flowcat_jupyter.shared.names import TableName
from flowcat_jupyter.shared.wire import InspectJob, Job, QueryPlan, TableFacts
from flowcat_jupyter.shared.wire_files import SaveJob
from flowcat_jupyter.shared.wire_writes import LakeJob, ReplayJob, SqlWriteOutcome

TTL = timedelta(days=1)
"""How long a statement may take before its leave to write is taken back."""
REPLAYS = 100
"""How often rows are added anew to a table that others add rows to at the same time."""
_JITTER = SystemRandom()
Planned = TypeVar("Planned")


class Told(Protocol):
    """What a worker tells of a job that writes."""

    @property
    def facts(self) -> TableFacts | None:
        """Those of the table after its commit, or None if it made none."""
        ...


Outcome = TypeVar("Outcome", bound=Told)


class Planner(Protocol):
    """Authorises and packs a query of the text, or the one that is to define a view."""

    def __call__(self, unit: Unit, query: Select, /, defining: Defining | None = None) -> QueryPlan:
        """The plan."""
        ...


@dataclass(frozen=True)
class Asking:
    """How a statement is run: in which schema, as which job, and what is there to plan with.

    ``plan`` authorises and packs a query; ``spool`` is a file that rows may go through. ``check``
    raises Cancelled once somebody has cancelled the statement. ``session`` is the one it runs in.
    With ``dry_run`` nothing is committed: what the statement would do is told.
    """

    catalog: str
    schema: str
    job_id: str
    spool: Path
    plan: Planner
    check: Callable[[], None]
    dialect: str = "house"
    session: SqlSession = field(default_factory=lambda: SqlSession("", ""))
    dry_run: bool = False


@dataclass(frozen=True)
class Write(Generic[Planned]):
    """What a statement writes to.

    ``plan`` looks at everything else it reads, with the target's facts if it is there. A target
    that ``exists`` already is not made; ``described`` also sets its description.
    """

    spec: WriteSpec
    plan: Callable[[Unit, TableFacts | None], Planned]
    exists: bool
    described: bool = False


@dataclass(frozen=True)
class Committed(Generic[Outcome]):
    """A write's end: what the worker told; or if it died after its commit, how many rows the
    commit added, where the log says it.
    """

    outcome: Outcome | None
    rows: int | None


class SqlCommits:
    """Commits one actor's statements."""

    def __init__(self, actor: Actor, deps: Deps, asking: Asking) -> None:
        """Serve one statement of one actor."""
        self._actor = actor
        self._deps = deps
        self._asking = asking
        self._begin = deps.begin
        self._threads = deps.threads

    async def commit(
        self,
        write: Write[Planned],
        job_of: Callable[[Ticket, Planned], Job],
        told: type[Outcome],
    ) -> Committed[Outcome]:
        """Carry out a job, which answers ``told``, under a ticket; what was committed is recorded
        whatever comes.

        :raises Conflict: the table was written to, or replaced by another, meanwhile.
        """
        target = await self._threads.run(lambda: self._look(write))
        base = await self._base(target)
        self._asking.check()
        planned = await self._threads.run(lambda: self._plan(write, base))
        self._asking.check()
        ticket = await self._opened(write, target, base)
        try:
            self._asking.check()
            outcome: Outcome = await self._deps.executor.run(
                based(job_of(ticket, planned), ticket),
                job_id=self._asking.job_id,
                deadline_s=self._deps.deadline_s,
            )
            await self._finish(write, ticket, outcome.facts)
        except BaseException as error:
            commit = await to_the_end(self._give_up(write, ticket, error))
            if commit is None or not isinstance(error, FlowcatError):
                raise
            return Committed(None, commit.loaded)
        return Committed(outcome, None)

    def _look(self, write: Write[Planned]) -> Target:
        with self._begin(self._actor) as unit:
            return _target(unit, write)

    def _plan(self, write: Write[Planned], base: TableFacts | None) -> Planned:
        with self._begin(self._actor) as unit:
            return write.plan(unit, base)

    async def _base(self, target: Target) -> TableFacts | None:
        table = target.table
        if table is None:
            return None
        source = source_of(table, relation="target")
        facts: TableFacts = await self._deps.executor.run(
            InspectJob(source), job_id=self._asking.job_id, deadline_s=self._deps.deadline_s
        )
        return facts

    async def _opened(
        self, write: Write[Planned], target: Target, base: TableFacts | None
    ) -> Ticket:
        """The ticket. A name that was held by a process which is gone is free again."""
        try:
            return await self._taken(write, target, base)
        except AlreadyExists:
            if target.table is not None or not await mend_orphans(self._deps):
                raise
        return await self._taken(write, target, base)

    async def _taken(
        self, write: Write[Planned], target: Target, base: TableFacts | None
    ) -> Ticket:
        """The ticket. A cancel that comes while it is opened gives it back."""
        opening = asyncio.ensure_future(self._threads.run(lambda: self._open(write, target, base)))
        try:
            return await asyncio.shield(opening)
        except asyncio.CancelledError:
            with suppress(FlowcatError):
                ticket = await to_the_end(opening)
                await to_the_end(self._threads.run(lambda: self._abandon(ticket)))
            raise

    def _open(self, write: Write[Planned], seen: Target, base: TableFacts | None) -> Ticket:
        with self._begin(self._actor, write=True) as unit:
            target = _target(unit, write)
            if _identity(target) != _identity(seen):
                raise Conflict(
                    "The table was made, dropped or replaced while the statement was prepared.",
                    hint="Run it again.",
                )
            return open_ticket(
                unit,
                write.spec,
                target,
                new_location=self._deps.storage.new_table_location,
                base_version=base.version if base else None,
                pointer=base.pointer if base else None,
                ttl=TTL,
                holder=self._deps.background.holder,
            )

    async def _end(self, write: Write[Planned], ticket: Ticket, facts: TableFacts | None) -> None:
        if facts is None:
            await self._threads.run(lambda: self._abandon(ticket))
        else:
            try:
                await self._threads.run(lambda: self._settle(ticket, facts, write))
            except NotFound as error:
                raise Conflict(
                    "The table was dropped while the statement wrote to it. What was written "
                    "comes back with it, if you restore it.",
                ) from error

    def _settle(self, ticket: Ticket, facts: TableFacts, write: Write[Planned]) -> None:
        description = write.spec.description
        with self._begin(self._actor, write=True) as unit:
            table = settle(unit, ticket, facts)
            if write.described and description != table.description:
                unit.securables.update(
                    table, by=self._actor.name, at=unit.now, description=description
                )

    def _abandon(self, ticket: Ticket) -> None:
        with self._begin(self._actor, write=True) as unit:
            abandon(unit, ticket, "cancelled")

    async def _finish(
        self, write: Write[Planned], ticket: Ticket, facts: TableFacts | None
    ) -> None:
        """Record a commit. Rows that were only added are added again to what others have made of
        the table meanwhile, where it is kept by a pointer that they moved.
        """
        if facts is None or facts.pointer is None or write.spec.mode != "append":
            return await to_the_end(self._end(write, ticket, facts))
        # Those of one server would lose to each other again and again.
        async with self._deps.queues.of(ticket.table_id):
            for left in reversed(range(REPLAYS)):
                try:
                    return await to_the_end(self._end(write, ticket, facts))
                except PointerMoved:
                    if not left:
                        raise
                if left < REPLAYS - 1:
                    # Another server's came in between.
                    await asyncio.sleep(_JITTER.uniform(0, 0.1))
                ticket, facts = await self._replayed(ticket, facts)

    async def _replayed(self, ticket: Ticket, lost: TableFacts) -> tuple[Ticket, TableFacts]:
        """A ticket for the table as it is now, and what a lost append has made of that."""
        self._asking.check()

        def now() -> TableRow:
            with self._begin(self._actor) as unit:
                return unit.tables.get(ticket.table_id)

        table = await self._threads.run(now)
        job = ReplayJob(
            name=tuple(ticket.spec["path"]),
            location=ticket.location,
            lost=str(lost.pointer),
            format=table.format,
            pointer=table.pointer,
        )
        told: SqlWriteOutcome = await self._deps.executor.run(
            job, job_id=self._asking.job_id, deadline_s=self._deps.deadline_s
        )
        again = replace(ticket, spec={**ticket.spec, "pointer": table.pointer})
        return again, told.facts or lost

    async def _give_up(
        self, write: Write[Planned], ticket: Ticket, error: BaseException
    ) -> Commit | None:
        """End a write that failed or was stopped; its commit, if it was made all the same."""
        commit = None
        if isinstance(error, (asyncio.CancelledError, *UNSURE)):
            try:
                commit = await find_commit(self._deps, ticket, None)
            except UNSURE as unsure:
                # Upkeep looks again: what may be there is not thrown away.
                if not isinstance(error, FlowcatError):
                    return None
                raise Unavailable(
                    "Whether the statement has written cannot be told at the moment.",
                    hint="Look at the table's history in a while; what was written is found.",
                ) from unsure
        await self._end(write, ticket, commit.facts if commit else None)
        if commit is None and ticket.creates:
            # Whatever stops it, the statement's own error is told; upkeep tries again.
            with suppress(FlowcatError):
                await purge_due(self._deps)
        return commit


def based(job: Job, ticket: Ticket) -> Job:
    """A job that writes to the table of a ticket, in its format and from what it is at.

    :raises Invalid: the job is for Delta tables alone, and this is another.
    """
    format = str(ticket.spec.get("format") or "delta")
    if isinstance(job, LakeJob):
        return replace(job, format=format, pointer=ticket.spec.get("pointer"))
    if format != "delta" and not isinstance(job, SaveJob):
        raise Invalid(
            f"{TableName(tuple(ticket.spec['path'])).sql} is a table USING {format}, which does "
            "not support this statement.",
            condition="UNSUPPORTED_FEATURE.TABLE_OPERATION",
            sqlstate="0A000",
            hint="Make the change in a table USING delta.",
        )
    return job


def _target(unit: Unit, write: Write[Planned]) -> Target:
    return (existing_target if write.exists else find_target)(unit, write.spec)


def _identity(target: Target) -> tuple[int | str, ...]:
    table = target.table
    return (target.schema.id, target.name) if table is None else (table.id, table.location)
