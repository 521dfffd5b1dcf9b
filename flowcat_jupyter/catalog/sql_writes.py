"""Statements that change something: tables made of queries, rows added, things dropped."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import cast

from sqlglot import exp

from flowcat_jupyter.catalog.access import Actor
from flowcat_jupyter.catalog.barrier import CHANGE, WriteSpec, check_columns, strict_target
from flowcat_jupyter.catalog.deps import Deps
from flowcat_jupyter.catalog.dropping import drop_table
from flowcat_jupyter.catalog.namespaces import create_namespace, drop_namespace
from flowcat_jupyter.catalog.planning.alter import AddColumns, Comment, RenameTable
from flowcat_jupyter.catalog.planning.maintenance import Maintain
from flowcat_jupyter.catalog.planning.places import place
from flowcat_jupyter.catalog.planning.row_changes import ChangeRows
from flowcat_jupyter.catalog.planning.row_query import RowQuery, row_query
from flowcat_jupyter.catalog.planning.source_query import source_query
from flowcat_jupyter.catalog.planning.statements import Select
from flowcat_jupyter.catalog.planning.writes import Change, CreateSchema, CreateTable, Drop, Insert
from flowcat_jupyter.catalog.sql_commits import Asking, SqlCommits, Write
from flowcat_jupyter.catalog.sql_edits import edit_by_sql
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
from flowcat_jupyter.shared.names import TableName, name_key
from flowcat_jupyter.shared.wire import Column, QueryPlan, Source, TableFacts, UsedTable
from flowcat_jupyter.shared.wire_writes import (
    AddColumnsJob,
    Assigned,
    ChangedRows,
    DefineTableJob,
    MaintainJob,
    MaintainOutcome,
    RowChangeJob,
    RowChangeOutcome,
    RowPlan,
    SqlWriteJob,
    SqlWriteOutcome,
)
from flowcat_jupyter.sql.dialect import Piece


@dataclass(frozen=True)
class Done:
    """What a statement did.

    ``rows`` are those it wrote, None where it is not about rows. One that found what it wanted
    already so has not ``changed`` anything, and ``warnings`` say why. ``note`` tells what rows do
    not.
    """

    kind: str
    rows: ChangedRows | None = None
    engine: str = ""
    used_tables: tuple[UsedTable, ...] = ()
    warnings: tuple[str, ...] = ()
    worker_ms: float = 0.0
    changed: bool = True
    note: str | None = None


class SqlWrites:
    """Carries out one statement of one actor's."""

    def __init__(self, actor: Actor, deps: Deps, asking: Asking) -> None:
        """Serve one actor."""
        self._actor = actor
        self._asking = asking
        self._begin = deps.begin
        self._threads = deps.threads
        self._commits = SqlCommits(actor, deps, asking)

    async def run(self, change: Change) -> Done:
        """Carry out a statement, wholly or not at all.

        :raises SqlError: what it names is not there, is there already, or does not fit.
        :raises Forbidden: the actor may not do so.
        :raises Conflict: somebody else wrote to the table meanwhile.
        :raises Cancelled: it was cancelled before it had done anything.
        """
        try:
            return await self._run(change)
        except FlowcatError as error:
            raise placed(error, change.piece) from error

    async def _run(self, change: Change) -> Done:
        if isinstance(change, ChangeRows):
            return await self._change_rows(change)
        if isinstance(change, Maintain):
            return await self._maintain(change)
        if isinstance(change, Insert):
            return await self._insert(change)
        if isinstance(change, CreateTable):
            return await self._create_table(change)
        if isinstance(change, AddColumns):
            return await self._add_columns(change)
        self._asking.check()
        if isinstance(change, (RenameTable, Comment)):
            return await self._edit(change)
        if isinstance(change, CreateSchema):
            return await self._create_schema(change)
        return await self._drop(change)

    async def _change_rows(self, change: ChangeRows) -> Done:
        asking = self._asking
        spec = WriteSpec(change.name, CHANGE, asking.catalog, asking.schema)

        def packed(unit: Unit, query: RowQuery) -> RowPlan:
            tree = cast(exp.Expression, query.tree)
            plan = asking.plan(unit, Select(change.piece, tree))
            return RowPlan(plan, query.shape)

        def plan(unit: Unit, facts: TableFacts | None) -> tuple[RowPlan, RowPlan | None]:
            columns = facts.columns if facts else ()
            quick = source_query(change, columns)
            rows = packed(unit, row_query(change, columns))
            return rows, packed(unit, quick) if quick else None

        def job(ticket: Ticket, planned: tuple[RowPlan, RowPlan | None]) -> RowChangeJob:
            rows, quick = planned
            return RowChangeJob(
                name=tuple(ticket.spec["path"]),
                location=ticket.location,
                base_version=ticket.base_version or 0,
                spool=str(asking.spool),
                commit_info=self._commit_info(ticket, change.kind),
                rows=rows,
                quick=quick,
            )

        done = await self._commits.commit(Write(spec, plan, exists=True), job, RowChangeOutcome)
        told = done.outcome
        if told is None:
            return Done(change.kind)
        return _told(change.kind, told.rows, told)

    async def _maintain(self, change: Maintain) -> Done:
        spec = WriteSpec(change.name, CHANGE, *self._place)

        def plan(unit: Unit, _: TableFacts | None) -> Source | None:
            if change.version is None:
                return None
            query = Select(change.piece, cast(exp.Expression, change.version))
            return self._asking.plan(unit, query).sources[0]

        def job(ticket: Ticket, wanted: Source | None) -> MaintainJob:
            return MaintainJob(
                action=change.kind.lower(),
                name=tuple(ticket.spec["path"]),
                location=ticket.location,
                base_version=ticket.base_version,
                commit_info=self._commit_info(ticket, change.kind),
                order_by=change.order_by,
                retain_hours=change.retain_hours,
                version=wanted.version if wanted else None,
                timestamp=wanted.timestamp if wanted else None,
            )

        done = await self._commits.commit(Write(spec, plan, exists=True), job, MaintainOutcome)
        told = done.outcome
        return Done(change.kind, note=told.note if told else None)

    async def _insert(self, change: Insert) -> Done:
        mode = "overwrite" if change.overwrite else "append"
        write = self._write(
            change, change.source, WriteSpec(change.name, mode, *self._place), exists=True
        )
        return await self._rows("INSERT", write, Assigned(change.columns, change.by_name))

    async def _create_table(self, change: CreateTable) -> Done:
        spec = WriteSpec(
            change.name,
            "overwrite" if change.replace else "error",
            *self._place,
            partition_by=change.partition_by,
            description=change.comment,
        )
        try:
            if change.source is None:
                return await self._define(change, spec)
            write = self._write(change, change.source, spec, exists=False)
            return await self._rows("CREATE TABLE", write, Assigned(), redefine=change.replace)
        except AlreadyExists as error:
            if change.replace:
                raise Conflict(
                    f"Somebody else is making {change.name.sql} at this moment.",
                    hint="Run the statement again.",
                ) from error
            if not change.if_not_exists:
                raise
            return Done("CREATE TABLE", warnings=(error.message,), changed=False)

    async def _define(self, change: CreateTable, spec: WriteSpec) -> Done:
        """Make a table of a list of columns."""
        spec = replace(spec, columns=change.columns)
        spec.check()

        def job(ticket: Ticket, _: None) -> DefineTableJob:
            return DefineTableJob(
                name=tuple(ticket.spec["path"]),
                location=ticket.location,
                base_version=ticket.base_version,
                commit_info=self._commit_info(ticket, "CREATE TABLE"),
                columns=change.columns,
                partition_by=change.partition_by,
            )

        write = Write(spec, lambda _unit, _facts: None, exists=False, described=True)
        done = await self._commits.commit(write, job, SqlWriteOutcome)
        told = done.outcome
        return Done("CREATE TABLE", warnings=told.warnings if told else ())

    async def _add_columns(self, change: AddColumns) -> Done:
        check_columns(change.columns)
        spec = WriteSpec(change.name, CHANGE, *self._place)

        def plan(_: Unit, facts: TableFacts | None) -> tuple[Column, ...]:
            known = {name_key(column.name) for column in facts.columns} if facts else set()
            new = (c for c in change.columns if name_key(c.name) not in known)
            return tuple(new) if change.if_missing else change.columns

        def job(ticket: Ticket, columns: tuple[Column, ...]) -> AddColumnsJob:
            return AddColumnsJob(
                name=tuple(ticket.spec["path"]),
                location=ticket.location,
                base_version=ticket.base_version,
                commit_info=self._commit_info(ticket, "ALTER TABLE"),
                columns=columns,
            )

        write = Write(spec, plan, exists=True)
        try:
            done = await self._commits.commit(write, job, SqlWriteOutcome)
        except NotFound as error:
            if not change.if_exists:
                raise
            return Done("ALTER TABLE", warnings=(error.message,), changed=False)
        told = done.outcome
        if told is not None and told.facts is None:
            note = "The table has the columns already."
            return Done("ALTER TABLE", warnings=(note,), changed=False)
        return Done("ALTER TABLE", warnings=told.warnings if told else ())

    async def _edit(self, change: RenameTable | Comment) -> Done:
        kind = "COMMENT ON " + change.what if isinstance(change, Comment) else "ALTER TABLE"

        def work() -> None:
            with self._begin(self._actor, write=True) as unit:
                edit_by_sql(unit, change, self._place)

        try:
            await self._threads.run(work)
        except NotFound as error:
            if isinstance(change, Comment) or not change.if_exists:
                raise
            return Done(kind, warnings=(error.message,), changed=False)
        return Done(kind)

    async def _create_schema(self, change: CreateSchema) -> Done:
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
                catalog = unit.securables.catalog(above[0] if above else self._asking.catalog)
                create_namespace(unit, name, catalog.id, change.comment)

        try:
            await self._threads.run(work)
        except AlreadyExists as error:
            if not change.if_not_exists:
                raise
            return Done("CREATE SCHEMA", warnings=(error.message,), changed=False)
        return Done("CREATE SCHEMA")

    async def _drop(self, change: Drop) -> Done:
        def work() -> None:
            with self._begin(self._actor, write=True) as unit:
                if change.what == "SCHEMA":
                    schema = _schema(unit, change.name, self._asking)
                    drop_namespace(unit, schema, cascade=change.cascade)
                else:
                    drop_table(unit, _table(unit, change.name, self._asking))

        try:
            await self._threads.run(work)
        except NotFound as error:
            if not change.if_exists:
                raise
            return Done(f"DROP {change.what}", warnings=(error.message,), changed=False)
        return Done(f"DROP {change.what}")

    @property
    def _place(self) -> tuple[str, str]:
        return self._asking.catalog, self._asking.schema

    def _commit_info(self, ticket: Ticket, kind: str) -> dict[str, str]:
        return {
            "user": self._actor.name,
            "flowcat_write": ticket.id,
            "flowcat_statement": kind,
        }

    def _write(
        self, change: Insert | CreateTable, source: exp.Query, spec: WriteSpec, *, exists: bool
    ) -> Write[QueryPlan]:
        query = Select(change.piece, cast(exp.Expression, source))
        return Write(
            spec, lambda unit, _: self._asking.plan(unit, query), exists, described=not exists
        )

    async def _rows(
        self, kind: str, write: Write[QueryPlan], assigned: Assigned, *, redefine: bool = False
    ) -> Done:
        """Write a query's rows."""
        spec = write.spec
        spec.check()

        def job(ticket: Ticket, plan: QueryPlan) -> SqlWriteJob:
            return SqlWriteJob(
                name=tuple(ticket.spec["path"]),
                location=ticket.location,
                mode="create" if ticket.creates else spec.mode,
                base_version=ticket.base_version,
                spool=str(self._asking.spool),
                commit_info=self._commit_info(ticket, kind),
                plan=plan,
                assigned=assigned,
                partition_by=spec.partition_by,
                redefine=redefine,
            )

        done = await self._commits.commit(write, job, SqlWriteOutcome)
        told = done.outcome
        if told is None:
            return Done(kind, ChangedRows(inserted=done.rows) if done.rows is not None else None)
        return _told(kind, ChangedRows(inserted=told.rows), told)


def _told(kind: str, rows: ChangedRows, told: SqlWriteOutcome | RowChangeOutcome) -> Done:
    return Done(kind, rows, told.engine, told.used_tables, told.warnings, told.worker_ms)


def placed(error: FlowcatError, piece: Piece) -> FlowcatError:
    """What is the statement's fault, as an error of it; a lost race or a missing right is not."""
    told = isinstance(error, (NotFound, AlreadyExists, Invalid)) or (
        isinstance(error, Conflict) and error.condition == "SCHEMA_NOT_EMPTY"
    )
    if not told or (isinstance(error, SqlError) and error.line is not None):
        return error
    return SqlError.of(error, place=place(piece, 0))


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
