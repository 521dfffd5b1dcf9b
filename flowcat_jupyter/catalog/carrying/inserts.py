"""INSERT, and the rows of a query written to a table."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import cast

from sqlglot import exp

from flowcat_jupyter.catalog.barrier import WriteSpec
from flowcat_jupyter.catalog.carrying.carrier import Carrier
from flowcat_jupyter.catalog.carrying.done import Done, told_of
from flowcat_jupyter.catalog.carrying.files import file_table, insert_files
from flowcat_jupyter.catalog.carrying.replacing import replace_where
from flowcat_jupyter.catalog.planning.constraints import check_understood
from flowcat_jupyter.catalog.planning.filling import filling_of
from flowcat_jupyter.catalog.planning.formats import LAKES
from flowcat_jupyter.catalog.planning.inserting import Insert
from flowcat_jupyter.catalog.planning.session_settings import OVERWRITE_MODE, value_of
from flowcat_jupyter.catalog.planning.statements import Select
from flowcat_jupyter.catalog.planning.writes import CreateTable
from flowcat_jupyter.catalog.sql_commits import Write
from flowcat_jupyter.catalog.store.rows import TableRow, Ticket
from flowcat_jupyter.catalog.unit import Unit
from flowcat_jupyter.shared.errors import Invalid
from flowcat_jupyter.shared.wire import QueryPlan, TableFacts
from flowcat_jupyter.shared.wire_definitions import Definition
from flowcat_jupyter.shared.wire_writes import Assigned, ChangedRows, SqlWriteJob, SqlWriteOutcome


@dataclass(frozen=True)
class Planned:
    """The queries behind a write; see `SqlWriteJob`."""

    plan: QueryPlan
    assigned: Assigned
    fixed: QueryPlan | None = None
    dynamic: bool = False


async def insert(carrier: Carrier, change: Insert) -> Done:
    """Add rows to a table, or put them in place of its own."""
    table = await file_table(carrier, change.name)
    if table is not None:
        if carrier.asking.dry_run:
            raise Invalid(
                f"What INSERT would do to {table.sql_name} cannot be told: it is a table of the "
                f"format {table.format}.",
                condition="UNSUPPORTED_FEATURE",
                sqlstate="0A000",
                hint="Run the query of the statement alone.",
            )
        _check_whole(carrier, change, table)
        return await insert_files(carrier, change, table)
    if change.replaced is not None:
        return await replace_where(carrier, change)
    dynamic = change.overwrite and overwrites_parts(carrier)

    def plan(unit: Unit, facts: TableFacts | None) -> Planned:
        check_understood(facts, change.name.sql)
        filling = filling_of(change, facts, dynamic=dynamic)

        fixed = filling.fixed
        return Planned(
            _packed(carrier, change, filling.source, unit),
            Assigned(filling.columns, change.by_name),
            _packed(carrier, change, fixed, unit) if fixed is not None else None,
            filling.dynamic,
        )

    mode = "overwrite" if change.overwrite else "append"
    spec = WriteSpec(change.name, mode, *carrier.place, writable=LAKES)
    write = Write(spec, plan, exists=True)
    return await write_rows(
        carrier, "INSERT", write, unless_there=change.unless_there, evolves=change.evolves
    )


def _check_whole(carrier: Carrier, change: Insert, table: TableRow) -> None:
    """Check that nobody who wants some partitions of files overwritten loses all of them.

    :raises Invalid: the session wants so.
    """
    if change.overwrite and table.partition_columns and overwrites_parts(carrier):
        raise Invalid(
            f"{table.sql_name} is a table USING {table.format}, of which INSERT OVERWRITE replaces "
            f"all rows, and the session says {OVERWRITE_MODE} = dynamic.",
            condition="UNSUPPORTED_FEATURE.TABLE_OPERATION",
            sqlstate="0A000",
            hint=f"RESET {OVERWRITE_MODE} to replace all of them, or make the table USING delta.",
        )


def overwrites_parts(carrier: Carrier) -> bool:
    """Whether the session wants INSERT OVERWRITE to take away no partition without new rows."""
    settings = carrier.asking.session.settings
    return value_of(settings, OVERWRITE_MODE, carrier.deps.settings) == "DYNAMIC"


def _packed(
    carrier: Carrier, change: Insert | CreateTable, query: exp.Query, unit: Unit
) -> QueryPlan:
    return carrier.asking.plan(unit, Select(change.piece, cast(exp.Expression, query)))


def query_write(
    carrier: Carrier, change: CreateTable, source: exp.Query, spec: WriteSpec
) -> Write[Planned]:
    """What a query's rows make."""

    def plan(unit: Unit, _: TableFacts | None) -> Planned:
        return Planned(_packed(carrier, change, source, unit), Assigned())

    return Write(spec, plan, exists=False, described=True)


async def write_rows(
    carrier: Carrier,
    kind: str,
    write: Write[Planned],
    *,
    redefine: bool = False,
    unless_there: bool = False,
    evolves: bool = False,
    definition: Definition | None = None,
) -> Done:
    """Write a query's rows."""
    spec = write.spec
    spec.check()

    def job(ticket: Ticket, planned: Planned) -> SqlWriteJob:
        return SqlWriteJob(
            name=tuple(ticket.spec["path"]),
            location=ticket.location,
            mode="create" if ticket.creates else spec.mode,
            base_version=ticket.base_version,
            spool=str(carrier.asking.spool),
            commit_info=carrier.commit_info(ticket, kind),
            plan=planned.plan,
            assigned=planned.assigned,
            partition_by=spec.partition_by,
            redefine=redefine,
            fixed=planned.fixed,
            dynamic=planned.dynamic,
            unless_there=unless_there,
            evolves=evolves,
            dry_run=carrier.asking.dry_run,
            definition=definition or Definition(),
        )

    done = await carrier.commits.commit(write, job, SqlWriteOutcome)
    told = done.outcome
    if told is None:
        return Done(kind, ChangedRows(inserted=done.rows) if done.rows is not None else None)
    written = told_of(kind, ChangedRows(inserted=told.rows), told)
    settled = told.facts is not None or carrier.asking.dry_run
    return written if settled else _nothing(written, unless_there=unless_there)


def _nothing(done: Done, *, unless_there: bool) -> Done:
    why = "The partition has rows already." if unless_there else "There are no rows to write."
    return replace(done, warnings=(*done.warnings, why), changed=False)
