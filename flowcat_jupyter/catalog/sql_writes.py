"""Statements that change something: tables made of queries, rows added, things dropped."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import cast
from uuid import uuid4

from sqlglot import exp

from flowcat_jupyter.catalog.access import Actor
from flowcat_jupyter.catalog.barrier import (
    Target,
    WriteSpec,
    abandon,
    find_target,
    open_ticket,
    settle,
    strict_target,
)
from flowcat_jupyter.catalog.deps import Deps
from flowcat_jupyter.catalog.dropping import drop_table
from flowcat_jupyter.catalog.healing import UNSURE, Commit, find_commit
from flowcat_jupyter.catalog.namespaces import create_namespace, drop_namespace
from flowcat_jupyter.catalog.planning.places import place
from flowcat_jupyter.catalog.planning.statements import Select
from flowcat_jupyter.catalog.planning.writes import Change, CreateSchema, CreateTable, Drop, Insert
from flowcat_jupyter.catalog.purging import purge_due
from flowcat_jupyter.catalog.shielded import to_the_end
from flowcat_jupyter.catalog.store.rows import Node, TableRow, Ticket
from flowcat_jupyter.catalog.unit import Unit
from flowcat_jupyter.shared.errors import (
    AlreadyExists,
    Conflict,
    FlowcatError,
    Invalid,
    NotFound,
    SqlError,
)
from flowcat_jupyter.shared.names import TableName
from flowcat_jupyter.shared.wire import InspectJob, QueryPlan, Source, TableFacts
from flowcat_jupyter.shared.wire_writes import Assigned, SqlWriteJob, SqlWriteOutcome

TTL = timedelta(days=1)
"""How long a statement may take before its leave to write is taken back."""
MOST_BYTES = 1 << 40
"""What the rows of a statement may take on their way: they are not a result that somebody keeps."""


@dataclass(frozen=True)
class Asking:
    """How a statement is run: in which schema, as which job, and what is there to plan with.

    ``plan`` authorises and packs a query; ``spool`` is a file that rows may go through.
    """

    catalog: str
    schema: str
    job_id: str
    spool: Path
    plan: Callable[[Unit, Select], QueryPlan]


@dataclass(frozen=True)
class Done:
    """What a statement did; ``rows`` are those it wrote, None where it is not about rows."""

    kind: str
    rows: int | None = None
    engine: str = ""
    warnings: tuple[str, ...] = ()
    worker_ms: float = 0.0


class SqlWrites:
    """Carries out one actor's changes."""

    def __init__(self, actor: Actor, deps: Deps) -> None:
        """Serve one actor."""
        self._actor = actor
        self._deps = deps
        self._begin = deps.begin
        self._threads = deps.threads

    async def run(self, change: Change, asking: Asking) -> Done:
        """Carry out one statement, wholly or not at all.

        :raises SqlError: what it names is not there, is there already, or does not fit.
        :raises Forbidden: the actor may not do so.
        :raises Conflict: somebody else wrote to the table meanwhile.
        """
        try:
            if isinstance(change, Insert):
                return await self._insert(change, asking)
            if isinstance(change, CreateTable):
                return await self._create_table(change, asking)
            if isinstance(change, CreateSchema):
                return await self._create_schema(change, asking)
            return await self._drop(change, asking)
        except FlowcatError as error:
            raise _placed(error, change) from error

    async def _insert(self, change: Insert, asking: Asking) -> Done:
        mode = "overwrite" if change.overwrite else "append"
        spec = WriteSpec(change.name, mode, asking.catalog, asking.schema)

        def check() -> None:
            with self._begin(self._actor) as unit:
                if strict_target(unit, spec).table is None:
                    raise NotFound(
                        "table",
                        change.name.sql,
                        hint="Make it with CREATE TABLE … AS SELECT, or write its full name.",
                    )

        await self._threads.run(check)
        assigned = Assigned(change.columns, change.by_name)
        outcome = await self._write(spec, _query(change), asking, assigned=assigned)
        return replace(outcome, kind="INSERT")

    async def _create_table(self, change: CreateTable, asking: Asking) -> Done:
        spec = WriteSpec(
            change.name,
            "overwrite" if change.replace else "error",
            asking.catalog,
            asking.schema,
            partition_by=change.partition_by,
            description=change.comment,
        )
        query = _query(change)
        try:
            outcome = await self._write(spec, query, asking, redefine=change.replace)
        except AlreadyExists as error:
            if not change.if_not_exists:
                raise
            return Done("CREATE TABLE", warnings=(error.message,))
        return replace(outcome, kind="CREATE TABLE")

    async def _create_schema(self, change: CreateSchema, asking: Asking) -> Done:
        *above, name = change.name
        if len(above) > 1:
            raise Invalid(
                f"{TableName(change.name).sql} has more parts than a schema's name.",
                condition="REQUIRES_SINGLE_PART_NAMESPACE",
                sqlstate="42K05",
                hint="Write catalog.schema.",
            )

        def work() -> None:
            with self._begin(self._actor, write=True) as unit:
                catalog = unit.securables.catalog(above[0] if above else asking.catalog)
                create_namespace(unit, name, catalog.id, change.comment)

        try:
            await self._threads.run(work)
        except AlreadyExists as error:
            if not change.if_not_exists:
                raise
            return Done("CREATE SCHEMA", warnings=(error.message,))
        return Done("CREATE SCHEMA")

    async def _drop(self, change: Drop, asking: Asking) -> Done:
        def work() -> None:
            with self._begin(self._actor, write=True) as unit:
                if change.what == "SCHEMA":
                    schema = _schema(unit, change.name, asking)
                    drop_namespace(unit, schema, cascade=change.cascade)
                else:
                    drop_table(unit, _table(unit, change.name, asking))

        try:
            await self._threads.run(work)
        except NotFound as error:
            if not change.if_exists:
                raise
            return Done(f"DROP {change.what}", warnings=(error.message,))
        return Done(f"DROP {change.what}")

    async def _write(
        self,
        spec: WriteSpec,
        query: Select,
        asking: Asking,
        *,
        assigned: Assigned | None = None,
        redefine: bool = False,
    ) -> Done:
        """Commit a query's rows under a ticket; what was committed is recorded whatever comes."""
        spec.check()

        def look() -> tuple[Target, QueryPlan]:
            with self._begin(self._actor) as unit:
                return find_target(unit, spec), asking.plan(unit, query)

        target, plan = await self._threads.run(look)
        base = await self._base(target)
        ticket = await self._threads.run(lambda: self._open(spec, base))
        job = SqlWriteJob(
            location=ticket.location,
            mode="create" if ticket.creates else spec.mode,
            base_version=ticket.base_version,
            spool=str(asking.spool),
            most_bytes=MOST_BYTES,
            commit_info={"user": self._actor.name, "flowcat_write": ticket.id},
            plan=plan,
            assigned=assigned or Assigned(),
            partition_by=spec.partition_by,
            redefine=redefine,
        )
        try:
            outcome: SqlWriteOutcome = await self._deps.executor.run(
                job, job_id=asking.job_id, deadline_s=self._deps.deadline_s
            )
            await to_the_end(
                self._threads.run(lambda: self._settle(ticket, outcome.facts, spec.description))
            )
        except BaseException as error:
            commit = await to_the_end(self._give_up(ticket, error))
            if commit is None or not isinstance(error, FlowcatError):
                raise
            return Done("", commit.loaded)
        return Done("", outcome.rows, outcome.engine, outcome.warnings, outcome.worker_ms)

    async def _base(self, target: Target) -> int | None:
        table = target.table
        if table is None:
            return None
        source = Source("target", "table", table.path, table.format, table.location)
        facts: TableFacts = await self._deps.executor.run(InspectJob(source), job_id=str(uuid4()))
        return facts.version

    def _open(self, spec: WriteSpec, base: int | None) -> Ticket:
        with self._begin(self._actor, write=True) as unit:
            return open_ticket(
                unit,
                spec,
                find_target(unit, spec),
                new_location=self._deps.storage.new_table_location,
                base_version=base,
                ttl=TTL,
            )

    def _settle(self, ticket: Ticket, facts: TableFacts, description: str | None) -> None:
        with self._begin(self._actor, write=True) as unit:
            table = settle(unit, ticket, facts)
            if description is not None and description != table.description:
                unit.securables.update(
                    table, by=self._actor.name, at=unit.now, description=description
                )

    async def _give_up(self, ticket: Ticket, error: BaseException) -> Commit | None:
        """End a write that failed or was stopped; its commit, if it was made all the same."""
        commit = None
        if isinstance(error, (asyncio.CancelledError, *UNSURE)):
            try:
                commit = await find_commit(self._deps, ticket, None)
            except UNSURE:
                # Upkeep looks again: what may be there is not thrown away.
                return None

        def work() -> None:
            with self._begin(self._actor, write=True) as unit:
                if commit is not None:
                    settle(unit, ticket, commit.facts)
                else:
                    abandon(unit, ticket, "cancelled")

        await self._threads.run(work)
        await purge_due(self._deps)
        return commit


def _query(change: Insert | CreateTable) -> Select:
    return Select(change.piece, cast(exp.Expression, change.source))


def _placed(error: FlowcatError, change: Change) -> FlowcatError:
    """What is the statement's fault, as an error of it; a lost race or a missing right is not."""
    told = isinstance(error, (NotFound, AlreadyExists, Invalid)) or (
        isinstance(error, Conflict) and error.condition == "SCHEMA_NOT_EMPTY"
    )
    if not told or (isinstance(error, SqlError) and error.line is not None):
        return error
    return SqlError.of(error, place=place(change.piece, 0))


def _schema(unit: Unit, name: tuple[str, ...], asking: Asking) -> Node:
    if len(name) > 2:
        raise NotFound("schema", TableName(name).sql)
    return unit.securables.schema(*(asking.catalog, *name)[-2:])


def _table(unit: Unit, name: tuple[str, ...], asking: Asking) -> TableRow:
    """The table of that name; as for a write, it is not looked for in other schemas."""
    spec = WriteSpec(TableName(name), "append", asking.catalog, asking.schema)
    table = strict_target(unit, spec).table
    if table is None:
        raise NotFound("table", TableName(name).sql)
    return table
