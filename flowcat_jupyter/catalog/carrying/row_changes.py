"""DELETE, UPDATE and MERGE: rows that are changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from sqlglot import exp

from flowcat_jupyter.catalog.barrier import CHANGE, WriteSpec
from flowcat_jupyter.catalog.carrying.carrier import Carrier
from flowcat_jupyter.catalog.carrying.done import Done, told_of
from flowcat_jupyter.catalog.planning.constraints import check_understood
from flowcat_jupyter.catalog.planning.direct import direct_change
from flowcat_jupyter.catalog.planning.formats import LAKES
from flowcat_jupyter.catalog.planning.row_changes import ChangeRows
from flowcat_jupyter.catalog.planning.row_query import RowQuery, row_query
from flowcat_jupyter.catalog.planning.settling import all_of_source, settled, takes_all
from flowcat_jupyter.catalog.planning.source_query import source_query
from flowcat_jupyter.catalog.planning.statements import Select
from flowcat_jupyter.catalog.sql_commits import Write
from flowcat_jupyter.catalog.store.rows import Ticket
from flowcat_jupyter.catalog.unit import Unit
from flowcat_jupyter.shared.wire import Column, QueryPlan, TableFacts
from flowcat_jupyter.shared.wire_shows import DescribeQueryInfo, DescribeQueryJob
from flowcat_jupyter.shared.wire_writes import (
    DirectChange,
    RowChangeJob,
    RowChangeOutcome,
    RowPlan,
)


@dataclass(frozen=True)
class _Planned:
    """The ways to make a change; see `RowChangeJob`."""

    rows: RowPlan
    quick: RowPlan | None
    direct: DirectChange | None


async def change_rows(carrier: Carrier, change: ChangeRows) -> Done:
    """Change rows of a table, in one commit or not at all."""
    asking = carrier.asking
    spec = WriteSpec(change.name, CHANGE, *carrier.place, writable=LAKES)

    def packed(unit: Unit, query: RowQuery) -> RowPlan:
        tree = cast(exp.Expression, query.tree)
        plan = asking.plan(unit, Select(change.piece, tree))
        return RowPlan(plan, query.shape)

    source = await _source_columns(carrier, change) if takes_all(change) else ()

    def plan(unit: Unit, facts: TableFacts | None) -> _Planned:
        check_understood(facts, change.name.sql)
        columns = facts.columns if facts else ()
        whole = settled(change, facts, source)
        quick = None if change.evolves else source_query(whole, columns)
        rows = packed(unit, row_query(whole, columns))
        direct = direct_change(whole, facts)
        return _Planned(rows, packed(unit, quick) if quick else None, direct)

    def job(ticket: Ticket, planned: _Planned) -> RowChangeJob:
        return RowChangeJob(
            name=tuple(ticket.spec["path"]),
            location=ticket.location,
            base_version=ticket.base_version or 0,
            spool=str(asking.spool),
            commit_info=carrier.commit_info(ticket, change.kind),
            rows=planned.rows,
            quick=planned.quick,
            direct=planned.direct,
            evolves=change.evolves,
            dry_run=asking.dry_run,
        )

    done = await carrier.commits.commit(Write(spec, plan, exists=True), job, RowChangeOutcome)
    told = done.outcome
    if told is None:
        return Done(change.kind)
    return told_of(change.kind, told.rows, told)


async def _source_columns(carrier: Carrier, change: ChangeRows) -> tuple[Column, ...]:
    """The columns of a merge's source."""
    asking = carrier.asking

    def plan() -> QueryPlan:
        with carrier.begin(carrier.actor) as unit:
            query = cast(exp.Expression, all_of_source(change))
            return asking.plan(unit, Select(change.piece, query))

    asking.check()
    job = DescribeQueryJob(await carrier.threads.run(plan))
    found: DescribeQueryInfo = await carrier.deps.executor.run(
        job, job_id=asking.job_id, deadline_s=carrier.deps.deadline_s
    )
    return found.columns
