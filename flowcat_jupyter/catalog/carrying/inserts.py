"""INSERT, and the rows of a query written to a table."""

from __future__ import annotations

from typing import cast

from sqlglot import exp

from flowcat_jupyter.catalog.barrier import WriteSpec
from flowcat_jupyter.catalog.carrying.carrier import Carrier
from flowcat_jupyter.catalog.carrying.done import Done, told_of
from flowcat_jupyter.catalog.planning.statements import Select
from flowcat_jupyter.catalog.planning.writes import LAKES, CreateTable, Insert
from flowcat_jupyter.catalog.sql_commits import Write
from flowcat_jupyter.catalog.store.rows import Ticket
from flowcat_jupyter.shared.wire import QueryPlan
from flowcat_jupyter.shared.wire_writes import Assigned, ChangedRows, SqlWriteJob, SqlWriteOutcome


async def insert(carrier: Carrier, change: Insert) -> Done:
    """Add rows to a table, or put them in place of its own."""
    mode = "overwrite" if change.overwrite else "append"
    write = query_write(
        carrier,
        change,
        change.source,
        WriteSpec(change.name, mode, *carrier.place, writable=LAKES),
        exists=True,
    )
    return await write_rows(carrier, "INSERT", write, Assigned(change.columns, change.by_name))


def query_write(
    carrier: Carrier,
    change: Insert | CreateTable,
    source: exp.Query,
    spec: WriteSpec,
    *,
    exists: bool,
) -> Write[QueryPlan]:
    """What a query's rows are written to."""
    query = Select(change.piece, cast(exp.Expression, source))
    return Write(
        spec, lambda unit, _: carrier.asking.plan(unit, query), exists, described=not exists
    )


async def write_rows(
    carrier: Carrier,
    kind: str,
    write: Write[QueryPlan],
    assigned: Assigned,
    *,
    redefine: bool = False,
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
            spool=str(carrier.asking.spool),
            commit_info=carrier.commit_info(ticket, kind),
            plan=plan,
            assigned=assigned,
            partition_by=spec.partition_by,
            redefine=redefine,
        )

    done = await carrier.commits.commit(write, job, SqlWriteOutcome)
    told = done.outcome
    if told is None:
        return Done(kind, ChangedRows(inserted=done.rows) if done.rows is not None else None)
    return told_of(kind, ChangedRows(inserted=told.rows), told)
