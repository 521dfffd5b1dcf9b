"""ALTER TABLE: what a table's columns, constraints and properties are."""

from __future__ import annotations

from flowcat_jupyter.catalog.barrier import CHANGE, WriteSpec, check_columns
from flowcat_jupyter.catalog.carrying.carrier import Carrier
from flowcat_jupyter.catalog.carrying.done import Done
from flowcat_jupyter.catalog.planning.alter import AddColumns
from flowcat_jupyter.catalog.planning.writes import LAKES
from flowcat_jupyter.catalog.sql_commits import Write
from flowcat_jupyter.catalog.store.rows import Ticket
from flowcat_jupyter.catalog.unit import Unit
from flowcat_jupyter.shared.errors import NotFound
from flowcat_jupyter.shared.names import name_key
from flowcat_jupyter.shared.wire import Column, TableFacts
from flowcat_jupyter.shared.wire_writes import AddColumnsJob, SqlWriteOutcome


async def add_columns(carrier: Carrier, change: AddColumns) -> Done:
    """Give a table more columns."""
    check_columns(change.columns)
    spec = WriteSpec(change.name, CHANGE, *carrier.place, writable=LAKES)

    def plan(_: Unit, facts: TableFacts | None) -> tuple[Column, ...]:
        known = {name_key(column.name) for column in facts.columns} if facts else set()
        new = (c for c in change.columns if name_key(c.name) not in known)
        return tuple(new) if change.if_missing else change.columns

    def job(ticket: Ticket, columns: tuple[Column, ...]) -> AddColumnsJob:
        return AddColumnsJob(
            name=tuple(ticket.spec["path"]),
            location=ticket.location,
            base_version=ticket.base_version,
            commit_info=carrier.commit_info(ticket, "ALTER TABLE"),
            columns=columns,
        )

    write = Write(spec, plan, exists=True)
    try:
        done = await carrier.commits.commit(write, job, SqlWriteOutcome)
    except NotFound as error:
        if not change.if_exists:
            raise
        return Done("ALTER TABLE", warnings=(error.message,), changed=False)
    told = done.outcome
    if told is not None and told.facts is None:
        note = "The table has the columns already."
        return Done("ALTER TABLE", warnings=(note,), changed=False)
    return Done("ALTER TABLE", warnings=told.warnings if told else ())
