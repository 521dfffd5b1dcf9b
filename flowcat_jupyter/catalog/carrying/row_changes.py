"""DELETE, UPDATE and MERGE: rows that are changed."""

from __future__ import annotations

from typing import cast

from sqlglot import exp

from flowcat_jupyter.catalog.barrier import CHANGE, WriteSpec
from flowcat_jupyter.catalog.carrying.carrier import Carrier
from flowcat_jupyter.catalog.carrying.done import Done, told_of
from flowcat_jupyter.catalog.planning.row_changes import ChangeRows
from flowcat_jupyter.catalog.planning.row_query import RowQuery, row_query
from flowcat_jupyter.catalog.planning.source_query import source_query
from flowcat_jupyter.catalog.planning.statements import Select
from flowcat_jupyter.catalog.planning.writes import LAKES
from flowcat_jupyter.catalog.sql_commits import Write
from flowcat_jupyter.catalog.store.rows import Ticket
from flowcat_jupyter.catalog.unit import Unit
from flowcat_jupyter.shared.wire import TableFacts
from flowcat_jupyter.shared.wire_writes import RowChangeJob, RowChangeOutcome, RowPlan


async def change_rows(carrier: Carrier, change: ChangeRows) -> Done:
    """Change rows of a table, in one commit or not at all."""
    asking = carrier.asking
    spec = WriteSpec(change.name, CHANGE, *carrier.place, writable=LAKES)

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
            commit_info=carrier.commit_info(ticket, change.kind),
            rows=rows,
            quick=quick,
        )

    done = await carrier.commits.commit(Write(spec, plan, exists=True), job, RowChangeOutcome)
    told = done.outcome
    if told is None:
        return Done(change.kind)
    return told_of(change.kind, told.rows, told)
