"""OPTIMIZE, VACUUM and RESTORE."""

from __future__ import annotations

from typing import cast

from sqlglot import exp

from flowcat_jupyter.catalog.barrier import CHANGE, WriteSpec
from flowcat_jupyter.catalog.carrying.carrier import Carrier
from flowcat_jupyter.catalog.carrying.done import Done
from flowcat_jupyter.catalog.planning.maintenance import Maintain
from flowcat_jupyter.catalog.planning.statements import Select
from flowcat_jupyter.catalog.sql_commits import Write
from flowcat_jupyter.catalog.store.rows import Ticket
from flowcat_jupyter.catalog.unit import Unit
from flowcat_jupyter.shared.wire import Source, TableFacts
from flowcat_jupyter.shared.wire_writes import MaintainJob, MaintainOutcome


async def maintain(carrier: Carrier, change: Maintain) -> Done:
    """Look after a table."""
    spec = WriteSpec(change.name, CHANGE, *carrier.place)

    def plan(unit: Unit, _: TableFacts | None) -> Source | None:
        if change.version is None:
            return None
        query = Select(change.piece, cast(exp.Expression, change.version))
        return carrier.asking.plan(unit, query).sources[0]

    def job(ticket: Ticket, wanted: Source | None) -> MaintainJob:
        return MaintainJob(
            action=change.kind.lower(),
            name=tuple(ticket.spec["path"]),
            location=ticket.location,
            base_version=ticket.base_version,
            commit_info=carrier.commit_info(ticket, change.kind),
            order_by=change.order_by,
            retain_hours=change.retain_hours,
            version=wanted.version if wanted else None,
            timestamp=wanted.timestamp if wanted else None,
        )

    done = await carrier.commits.commit(Write(spec, plan, exists=True), job, MaintainOutcome)
    told = done.outcome
    return Done(change.kind, note=told.note if told else None)
