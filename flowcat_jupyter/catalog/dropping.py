"""Dropping tables: gone at once, their data a day later, and not at all if external."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from flowcat_jupyter.catalog.access import require
from flowcat_jupyter.catalog.editing import identity
from flowcat_jupyter.catalog.store.rows import TableRow
from flowcat_jupyter.catalog.store.seen import MANAGE
from flowcat_jupyter.catalog.unit import Unit
from flowcat_jupyter.shared.events import Audience, TableDropped

PURGE_AFTER = timedelta(days=1)


@dataclass(frozen=True)
class Undo:
    """What a drop leaves: the id that undoes it, and until when (None: no end)."""

    dropped_id: int | None
    purge_at: datetime | None


def drop_table(unit: Unit, table: TableRow) -> Undo:
    """Remove a table from the catalog; what undoes it.

    :raises Forbidden: the actor does not manage it.
    """
    require(table, MANAGE, "drop")
    dropped_id = keep_dropped(unit, table, unit.grants.audiences(table.id)[table.id])
    unit.securables.delete(table.id)
    kept = unit.dropped.find(dropped_id) if dropped_id else None
    return Undo(dropped_id, kept.purge_at if kept else None)


def keep_dropped(unit: Unit, table: TableRow, audience: Audience) -> int | None:
    """Keep a table for UNDROP and queue the purge of what is managed; the id that undoes it.

    The caller then deletes the securable, the table's own or one above it. A table still being
    created is nobody's to bring back: only its purge is queued, and None returned.
    """
    managed = table.table_type == "managed"
    run_id = queue_purge(unit, table.location, table.path, PURGE_AFTER) if managed else None
    if table.state == "creating":
        return None
    unit.record(TableDropped(*identity(table), audience=audience))
    return unit.dropped.add(
        table,
        unit.tables.snapshot(table.id),
        by=unit.actor.name,
        at=unit.now,
        purge_at=unit.now + PURGE_AFTER if managed else None,
        purge_run_id=run_id,
    )


def queue_purge(
    unit: Unit, location: str, path: tuple[str, ...], after: timedelta = timedelta(0)
) -> int:
    """Queue the removal of a managed folder, so that no crash can lose it."""
    return unit.runs.add(
        "purge",
        f"Remove the data of {'.'.join(path)}",
        owner=unit.actor.name,
        payload={"location": location},
        at=unit.now,
        due_at=unit.now + after,
    )
