"""Changes to tables of the catalog ``memory``: a session's own, which no other can see."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from uuid import uuid4

from flowcat_jupyter.catalog.access import Actor
from flowcat_jupyter.catalog.barrier import WriteSpec
from flowcat_jupyter.catalog.deps import Deps
from flowcat_jupyter.catalog.providers.memory import (
    FORMAT,
    NAME,
    Memory,
    MemoryTable,
    memory_of,
)
from flowcat_jupyter.catalog.sql_commits import (
    Asking,
    Committed,
    Outcome,
    Planned,
    Write,
)
from flowcat_jupyter.catalog.store.rows import Ticket
from flowcat_jupyter.shared.errors import AlreadyExists, NotFound, SqlError
from flowcat_jupyter.shared.names import TableName, check_name
from flowcat_jupyter.shared.wire import InspectJob, Job, TableFacts

_HOURS = timedelta(hours=1)


class MemoryCommits:
    """Commits one statement to a table of the session's.

    Nobody else can write there, so that there is nobody to ask for leave and nothing to record
    but in the session. What fails leaves a table as it was.
    """

    def __init__(self, actor: Actor, deps: Deps, asking: Asking) -> None:
        """Serve one statement of one actor."""
        self._actor = actor
        self._deps = deps
        self._asking = asking
        self._memory: Memory = memory_of(asking.session, deps.results.files)

    async def commit(
        self,
        write: Write[Planned],
        job_of: Callable[[Ticket, Planned], Job],
        told: type[Outcome],
    ) -> Committed[Outcome]:
        """Carry out a job, which answers ``told``.

        :raises NotFound: there is no such table, or schema to make it in.
        :raises AlreadyExists: it is there already.
        :raises SqlError: the statement does what is not done here.
        """
        path, table = self._target(write)
        if table is not None:
            table = await self._as_logged(table)
        planned = await self._deps.threads.run(lambda: self._plan(write, table))
        self._asking.check()
        ticket = self._ticket(write.spec, path, table)
        try:
            outcome: Outcome = await self._deps.executor.run(
                job_of(ticket, planned),
                job_id=self._asking.job_id,
                deadline_s=self._deps.deadline_s,
            )
            if outcome.facts is not None:
                self._keep(write, ticket, path, table, outcome.facts)
        except BaseException:
            if ticket.creates:
                self._memory.let_go(ticket.location)
            raise
        return Committed(outcome, None)

    async def _as_logged(self, table: MemoryTable) -> MemoryTable:
        """A table as its log says: one that was cancelled may have committed before that."""
        facts: TableFacts = await self._deps.executor.run(
            InspectJob(table.source),
            job_id=self._asking.job_id,
            deadline_s=self._deps.deadline_s,
        )
        return replace(table, facts=facts)

    def _target(self, write: Write[Planned]) -> tuple[tuple[str, str, str], MemoryTable | None]:
        spec = write.spec
        *_, schema, name = (spec.catalog, spec.schema, *spec.name.parts)
        table = self._memory.find(schema, name)
        if table is None and write.exists:
            raise NotFound("table", TableName((NAME, schema, name)).sql)
        if table is not None and spec.mode == "error":
            raise AlreadyExists("table", TableName(table.path).sql)
        if self._asking.dry_run:
            raise _refused("a dry run")
        if spec.format != FORMAT or spec.location is not None:
            raise _refused(f"a table USING {spec.format}")
        return self._memory.path(schema, check_name(name, "table")), table

    def _plan(self, write: Write[Planned], table: MemoryTable | None) -> Planned:
        with self._deps.begin(self._actor) as unit:
            return write.plan(unit, table.facts if table else None)

    def _ticket(
        self, spec: WriteSpec, path: tuple[str, str, str], table: MemoryTable | None
    ) -> Ticket:
        now = self._deps.clock.now()
        return Ticket(
            id=str(uuid4()),
            actor=self._actor.name,
            table_id=0,
            creates=table is None,
            mode=spec.mode,
            location=table.location if table else self._memory.new_location(),
            base_version=table.facts.version if table else None,
            spec={"path": list(path)},
            run_id=None,
            state="open",
            created_at=now,
            expires_at=now + _HOURS,
        )

    def _keep(
        self,
        write: Write[Planned],
        ticket: Ticket,
        path: tuple[str, str, str],
        table: MemoryTable | None,
        facts: TableFacts,
    ) -> None:
        comment = table.comment if table and not write.described else write.spec.description
        kept = MemoryTable(path, ticket.location, facts, comment)
        self._memory.put(kept, made=ticket.creates)


def _refused(what: str) -> SqlError:
    return SqlError(
        f"The catalog {NAME} has no place for {what}.",
        condition="UNSUPPORTED_FEATURE.TABLE_OPERATION",
        sqlstate="0A000",
        hint="Its tables are Delta tables of one SQL session. Name another catalog.",
    )
