"""INSERT INTO … REPLACE WHERE: rows put in place of those that meet a condition."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from sqlglot import exp

from flowcat_jupyter.catalog.barrier import CHANGE, WriteSpec
from flowcat_jupyter.catalog.carrying.carrier import Carrier
from flowcat_jupyter.catalog.carrying.done import Done, told_of
from flowcat_jupyter.catalog.planning.constraints import check_understood
from flowcat_jupyter.catalog.planning.filling import filling_of
from flowcat_jupyter.catalog.planning.formats import LAKES
from flowcat_jupyter.catalog.planning.inserting import Insert
from flowcat_jupyter.catalog.planning.row_changes import DELETED, MATCHED, ChangeRows, Clause
from flowcat_jupyter.catalog.planning.row_query import row_query
from flowcat_jupyter.catalog.planning.row_reading import checked
from flowcat_jupyter.catalog.planning.statements import Select
from flowcat_jupyter.catalog.sql_commits import Write
from flowcat_jupyter.catalog.store.rows import Ticket
from flowcat_jupyter.catalog.unit import Unit
from flowcat_jupyter.shared.errors import Invalid
from flowcat_jupyter.shared.wire import QueryPlan, TableFacts
from flowcat_jupyter.shared.wire_inserts import ReplaceRowsJob
from flowcat_jupyter.shared.wire_writes import Assigned, RowChangeOutcome, RowPlan


@dataclass(frozen=True)
class _Planned:
    plan: QueryPlan
    assigned: Assigned
    gone: RowPlan
    misfits: QueryPlan


async def replace_where(carrier: Carrier, change: Insert) -> Done:
    """Put rows in place of those that meet a condition, in one commit or not at all."""
    asking = carrier.asking
    if asking.dry_run:
        raise Invalid(
            "What REPLACE WHERE would do cannot be told before it is done.",
            condition="UNSUPPORTED_FEATURE",
            sqlstate="0A000",
            hint="Count the rows with a query: SELECT count(*) … WHERE.",
        )
    condition = cast(exp.Expression, change.replaced)
    target = exp.Table(
        **dict(
            zip(
                ("this", "db", "catalog"),
                (exp.to_identifier(part, quoted=True) for part in reversed(change.name.parts)),
                strict=False,
            )
        )
    )
    deletion = checked(
        ChangeRows(
            change.piece,
            "INSERT … REPLACE WHERE",
            change.name,
            change.name.leaf,
            target,
            (Clause(MATCHED, DELETED, condition),),
        )
    )

    def plan(unit: Unit, facts: TableFacts | None) -> _Planned:
        def packed(tree: exp.Query) -> QueryPlan:
            return asking.plan(unit, Select(change.piece, cast(exp.Expression, tree)))

        check_understood(facts, change.name.sql)
        filling = filling_of(change, facts, dynamic=False)
        gone = row_query(deletion, facts.columns if facts else ())
        return _Planned(
            packed(filling.source),
            Assigned(filling.columns, change.by_name),
            RowPlan(packed(gone.tree), gone.shape),
            packed(_misfits(target, condition)),
        )

    def job(ticket: Ticket, planned: _Planned) -> ReplaceRowsJob:
        return ReplaceRowsJob(
            name=tuple(ticket.spec["path"]),
            location=ticket.location,
            base_version=ticket.base_version or 0,
            spool=str(asking.spool),
            commit_info=carrier.commit_info(ticket, "INSERT"),
            plan=planned.plan,
            assigned=planned.assigned,
            gone=planned.gone,
            misfits=planned.misfits,
            condition=condition.sql(dialect="spark"),
        )

    spec = WriteSpec(change.name, CHANGE, *carrier.place, writable=LAKES)
    done = await carrier.commits.commit(Write(spec, plan, exists=True), job, RowChangeOutcome)
    told = done.outcome
    return Done("INSERT") if told is None else told_of("INSERT", told.rows, told)


def _misfits(target: exp.Table, condition: exp.Expression) -> exp.Query:
    """A row that does not meet the condition, NULL included."""
    met = exp.paren(condition.copy(), copy=False)
    missed = exp.or_(exp.not_(met), exp.Is(this=met.copy(), expression=exp.null()))
    return exp.Select().select("*").from_(target.copy()).where(missed).limit(1)
