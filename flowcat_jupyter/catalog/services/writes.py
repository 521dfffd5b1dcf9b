"""Write tickets: a kernel commits to Delta itself, between a ticket and its record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import uuid4

from flowcat_jupyter.catalog.access import SYSTEM, Actor
from flowcat_jupyter.catalog.barrier import (
    Target,
    WriteSpec,
    abandon,
    find_target,
    open_ticket,
    settle,
)
from flowcat_jupyter.catalog.deps import Deps
from flowcat_jupyter.catalog.healing import is_orphan, mend
from flowcat_jupyter.catalog.planning.constraints import check_understood
from flowcat_jupyter.catalog.purging import purge_due
from flowcat_jupyter.catalog.store.rows import TableRow, Ticket
from flowcat_jupyter.shared.errors import Conflict, Invalid
from flowcat_jupyter.shared.names import TableName
from flowcat_jupyter.shared.wire import Column, InspectJob, Source, TableFacts

TTL = timedelta(hours=1)
UNREPORTED = timedelta(minutes=5)
"""How long who commits has to tell of it, before the log is looked at instead."""


@dataclass(frozen=True)
class OpenWrite:
    """Leave to commit one version to ``location`` on top of ``base_version``.

    ``base_version`` None: the table is to be created there. ``columns`` are the table's own, None
    when it has none yet. After ``expires_at`` the leave may be taken back.
    """

    id: str
    path: tuple[str, ...]
    location: str
    base_version: int | None
    mode: str
    columns: tuple[Column, ...] | None
    partition_by: tuple[str, ...]
    merge_keys: tuple[str, ...]
    expires_at: datetime

    @property
    def sql_name(self) -> str:
        """The table's full name as SQL text."""
        return TableName(self.path).sql


class WriteService:
    """Begin, commit and cancel writes; take back those nobody ends."""

    def __init__(self, actor: Actor, deps: Deps) -> None:
        """Serve one actor."""
        self._actor = actor
        self._deps = deps
        self._begin = deps.begin
        self._threads = deps.threads

    async def begin(
        self,
        table: str,
        mode: str,
        *,
        columns: Sequence[Column] = (),
        catalog: str | None = None,
        schema: str | None = None,
        merge_keys: Sequence[str] = (),
        partition_by: Sequence[str] = (),
        description: str | None = None,
        origin: dict[str, str] | None = None,
    ) -> OpenWrite:
        """Ask for leave to write to a table.

        ``mode`` is error (create), overwrite, append, upsert, update or delete; all but update
        and delete create a table that is not there.

        :raises Invalid: the mode, the columns or the keys cannot be.
        :raises NotFound: the actor sees no such schema or table.
        :raises Forbidden: the actor does not manage it.
        :raises AlreadyExists: the name is taken, or being taken by somebody else.
        """
        settings = self._deps.settings
        spec = WriteSpec(
            name=TableName.parse(table),
            mode=mode,
            catalog=catalog or settings.default_catalog,
            schema=schema or settings.default_schema,
            columns=tuple(columns),
            merge_keys=tuple(merge_keys),
            partition_by=tuple(partition_by),
            description=description,
            origin=origin or {},
        )
        spec.check()
        target = await self._threads.run(lambda: self._find(spec))
        base = None
        if target.table:
            base = (await self._inspect(target.table.path, target.table.location)).version
        return await self._threads.run(lambda: self._open(spec, base))

    async def commit(self, write_id: str, version: int) -> TableRow:
        """Record the version that was committed, as its own log tells it; answer the table.

        To report the same version again is fine: the first answer may have been lost.

        :raises NotFound: the actor has no such write, or the table was dropped meanwhile.
        :raises Conflict: the write is over, or the version is not newer than its base.
        :raises FlowcatError: there is no such version at the location.
        """
        ticket, table = await self._threads.run(lambda: self._reported(write_id, version))
        if table is not None:
            return table
        if ticket.state != "open":
            raise Conflict(
                f"The write {write_id} is over: it is {ticket.state}.", hint="Begin a new one."
            )
        if not 0 <= version < 2**63:
            raise Invalid("A Delta version is a whole number from 0 up.")
        path = tuple(ticket.spec["path"])
        facts = await self._inspect(path, ticket.location, version)
        if facts.version != version:
            raise Conflict(f"The log at {TableName(path).sql} has no version {version}.")

        def work() -> TableRow:
            with self._begin(self._actor, write=True) as unit:
                return settle(unit, unit.tickets.get(write_id), facts)

        return await self._threads.run(work)

    async def cancel(self, write_id: str) -> None:
        """Give the leave back; a table that was to be made leaves neither row nor folder.

        A write that is over, or none of the actor's, is left as it is.
        """

        def work() -> None:
            with self._begin(self._actor, write=True) as unit:
                ticket = unit.tickets.find(write_id)
                if ticket is not None:
                    abandon(unit, ticket, "cancelled")

        await self._threads.run(work)
        await purge_due(self._deps)

    async def repair(self, *, older: timedelta = UNREPORTED, grace: timedelta | None = None) -> int:
        """Record commits nobody reported, and take back what expired; answer how many.

        Tickets ``older`` than so much are looked at. Those without a commit are taken back when
        they expire or the process that wrote is gone; with ``grace`` when they are as old as that,
        for a home where nobody works.
        For upkeep, whoever the actor is; it removes folders that are due as well.
        """

        def look() -> tuple[tuple[Ticket, ...], set[str]]:
            with self._begin(SYSTEM, write=True) as unit:
                unit.changes.prune()
                tickets = unit.everything.tickets
                open_ = tickets.unreported(unit.now - older)
                over = tickets.expired(unit.surely) + tuple(filter(is_orphan, open_))
                if grace is not None:
                    over += tickets.unreported(unit.now - grace)
                found = {ticket.id: ticket for ticket in over}
                ended = set(found)
                found |= {ticket.id: ticket for ticket in open_}
                return tuple(found.values()), ended

        tickets, ended = await self._threads.run(look)
        done = [await mend(self._deps, ticket, over=ticket.id in ended) for ticket in tickets]
        await purge_due(self._deps)
        return sum(done)

    def _find(self, spec: WriteSpec) -> Target:
        with self._begin(self._actor) as unit:
            return find_target(unit, spec)

    def _open(self, spec: WriteSpec, base: int | None) -> OpenWrite:
        with self._begin(self._actor, write=True) as unit:
            target = find_target(unit, spec)
            check_understood(target.table, spec.name.sql)
            ticket = open_ticket(
                unit,
                spec,
                target,
                new_location=self._deps.storage.new_table_location,
                base_version=base,
                ttl=TTL,
            )
        table = target.table
        keep = table is not None and spec.mode != "overwrite"
        return OpenWrite(
            id=ticket.id,
            path=target.path,
            location=ticket.location,
            base_version=ticket.base_version,
            mode=spec.mode,
            columns=table.columns if table else None,
            partition_by=table.partition_columns if table and keep else spec.partition_by,
            merge_keys=spec.merge_keys,
            expires_at=ticket.expires_at,
        )

    def _reported(self, write_id: str, version: int) -> tuple[Ticket, TableRow | None]:
        """A ticket, and its table if that very version was reported before."""
        with self._begin(self._actor) as unit:
            ticket = unit.tickets.get(write_id)
            before = ticket.state == "committed" and ticket.spec.get("committed") == version
            return ticket, unit.tables.get(ticket.table_id) if before else None

    async def _inspect(
        self, path: tuple[str, ...], location: str, version: int | None = None
    ) -> TableFacts:
        source = Source("r1", "table", path, "delta", location, version)
        facts: TableFacts = await self._deps.executor.run(InspectJob(source), job_id=str(uuid4()))
        return facts
