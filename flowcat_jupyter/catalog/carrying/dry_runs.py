"""VACUUM … DRY RUN: what would be removed."""

from __future__ import annotations

from flowcat_jupyter.catalog.barrier import CHANGE, WriteSpec, existing_target
from flowcat_jupyter.catalog.carrying.done import placed
from flowcat_jupyter.catalog.carrying.elsewhere import not_done, target_of
from flowcat_jupyter.catalog.commanding.rows import Read, Rows
from flowcat_jupyter.catalog.planning.formats import LAKES
from flowcat_jupyter.catalog.planning.maintenance import Maintain
from flowcat_jupyter.catalog.providers.provided import Provided
from flowcat_jupyter.catalog.unit import Unit
from flowcat_jupyter.shared.errors import FlowcatError, NotFound
from flowcat_jupyter.shared.wire import Column
from flowcat_jupyter.shared.wire_writes import MaintainJob, MaintainOutcome


async def check_dry_run(provided: Provided, statement: Maintain, place: tuple[str, str]) -> None:
    """Let pass a dry run on a table of the database.

    :raises SqlError: it is on one of another catalog.
    """
    target = target_of(statement, place)
    provider = await provided.provider(target[0]) if target else None
    if provider is not None:
        raise placed(not_done(provider, f"{statement.kind} … DRY RUN"), statement.piece)


def dry_run(unit: Unit, statement: Maintain, place: tuple[str, str]) -> Read:
    """The files that a statement would remove, for a worker to find.

    :raises SqlError: there is no such table.
    :raises Forbidden: the actor may not write to it.
    """
    spec = WriteSpec(statement.name, CHANGE, *place, writable=LAKES)
    try:
        table = existing_target(unit, spec).table
    except FlowcatError as error:
        raise placed(error, statement.piece) from error
    if table is None:
        raise NotFound("table", statement.name.sql)
    job = MaintainJob(
        action=statement.kind.lower(),
        name=table.path,
        location=table.location,
        base_version=None,
        retain_hours=statement.retain_hours,
        dry_run=True,
        format=table.format,
        pointer=table.pointer,
    )
    return Read(job, _files)


def _files(told: MaintainOutcome) -> Rows:
    columns = (Column("path", "string", nullable=False), Column("size_bytes", "bigint"))
    return Rows(columns, told.files)
