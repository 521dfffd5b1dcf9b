"""OPTIMIZE, VACUUM and RESTORE."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

from sqlglot import exp

from flowcat_jupyter.catalog.barrier import CHANGE, WriteSpec
from flowcat_jupyter.catalog.carrying.carrier import Carrier
from flowcat_jupyter.catalog.carrying.done import Done
from flowcat_jupyter.catalog.planning.formats import LAKES
from flowcat_jupyter.catalog.planning.maintenance import Maintain
from flowcat_jupyter.catalog.planning.statements import Select
from flowcat_jupyter.catalog.sql_commits import Write
from flowcat_jupyter.catalog.store.rows import Ticket
from flowcat_jupyter.catalog.unit import Unit
from flowcat_jupyter.shared.wire import TableFacts
from flowcat_jupyter.shared.wire_writes import MaintainJob, MaintainOutcome


@dataclass(frozen=True)
class Care:
    """What is to be done to a table's files or versions; see `Maintain` and `MaintainJob`."""

    kind: str
    order_by: tuple[str, ...] = ()
    retain_hours: int | None = None
    version: int | None = None
    timestamp: str | None = None


@dataclass(frozen=True)
class Tended:
    """What was done to a table that was at version ``before``; ``outcome`` None where the worker
    died after it had committed.
    """

    before: int | None
    outcome: MaintainOutcome | None


async def maintain(carrier: Carrier, change: Maintain) -> Done:
    """Look after a table, as a statement says."""

    def care(unit: Unit) -> Care:
        wanted = None
        if change.version is not None:
            query = Select(change.piece, cast(exp.Expression, change.version))
            wanted = carrier.asking.plan(unit, query).sources[0]
        return Care(
            kind=change.kind,
            order_by=change.order_by,
            retain_hours=change.retain_hours,
            version=wanted.version if wanted else None,
            timestamp=wanted.timestamp if wanted else None,
        )

    done = await tend(carrier, WriteSpec(change.name, CHANGE, *carrier.place, writable=LAKES), care)
    return Done(change.kind, note=done.outcome.note if done.outcome else None)


async def tend(carrier: Carrier, spec: WriteSpec, care: Callable[[Unit], Care]) -> Tended:
    """Look after a table, in one commit or not at all.

    :raises NotFound: the actor sees no such table.
    :raises Forbidden: the actor does not manage it.
    :raises Conflict: somebody else wrote to it meanwhile.
    :raises Invalid: the table has a feature that would suffer, or is not ours to look after.
    """
    before: list[int | None] = []

    def plan(unit: Unit, _: TableFacts | None) -> Care:
        return care(unit)

    def job(ticket: Ticket, wanted: Care) -> MaintainJob:
        before.append(ticket.base_version)
        return MaintainJob(
            action=wanted.kind.lower(),
            name=tuple(ticket.spec["path"]),
            location=ticket.location,
            base_version=ticket.base_version,
            commit_info=carrier.commit_info(ticket, wanted.kind),
            order_by=wanted.order_by,
            retain_hours=wanted.retain_hours,
            version=wanted.version,
            timestamp=wanted.timestamp,
        )

    done = await carrier.commits.commit(Write(spec, plan, exists=True), job, MaintainOutcome)
    return Tended(before[-1], done.outcome)
