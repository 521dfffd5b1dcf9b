"""What a table's log says, and the row that says it after the log."""

from __future__ import annotations

from flowcat_jupyter.catalog.access import SYSTEM
from flowcat_jupyter.catalog.editing import identity
from flowcat_jupyter.catalog.store.rows import TableRow, Ticket
from flowcat_jupyter.catalog.unit import Unit
from flowcat_jupyter.shared.errors import Conflict
from flowcat_jupyter.shared.events import TableRefreshed, TableWritten
from flowcat_jupyter.shared.wire import TableFacts


class PointerMoved(Conflict):
    """Somebody else's write to a table that is kept by a pointer was recorded first."""


def check_pointer(unit: Unit, table: TableRow, ticket: Ticket) -> None:
    """Take the table's row for this transaction, if its pointer is the one the write builds on.

    :raises PointerMoved: it is not.
    """
    if not unit.tables.holds_pointer(table.id, ticket.spec.get("pointer")):
        raise PointerMoved(
            f"{table.sql_name} has changed since you read it.",
            condition="ICEBERG_CONCURRENT_WRITE",
            sqlstate="2D521",
            hint="Read it again and repeat what you did.",
        )


def observe(unit: Unit, table: TableRow, facts: TableFacts) -> TableRow:
    """Record what a table's log says if it is ahead of the row.

    Upkeep moves the log's version and not the data's, so it fires nothing.
    """
    return recorded(unit, table, facts) if _is_news(table, facts) else table


def recorded(unit: Unit, table: TableRow, facts: TableFacts) -> TableRow:
    """Record what a table's log says, if the row does not say it already."""
    changed = _data_changed(table, facts)
    known = (table.delta_version, table.file_count, table.pointer)
    news = table.broken or known != (facts.version, facts.files, facts.pointer)
    if not changed and not news and _same(table, facts):
        return table
    version = unit.tables.record(table.id, facts, data_changed=changed, at=unit.now)
    # A reader who refreshes only makes the catalog look; the change is somebody else's.
    by = unit.actor.name if table.manages else SYSTEM.name
    unit.securables.update(table, by=by, at=unit.now)
    fresh = unit.tables.get(table.id)
    if changed:
        unit.record(TableWritten(*identity(fresh), data_version=version))
    else:
        unit.record(TableRefreshed(*identity(fresh)))
    return fresh


def _is_news(table: TableRow, facts: TableFacts) -> bool:
    """Whether facts are no older than the row."""
    if facts.pointer is not None:
        # The row says which metadata file is the table; only `barrier.settle` moves it.
        return facts.pointer == table.pointer
    known = -1 if table.delta_version is None else table.delta_version
    return facts.version is None or facts.version >= known


def _data_changed(table: TableRow, facts: TableFacts) -> bool:
    if facts.pointer is not None:
        return facts.data_files_version != table.data_files_version
    if facts.data_files_version is None or table.data_files_version is None:
        return not _same(table, facts)
    return facts.data_files_version > table.data_files_version


def _same(table: TableRow, facts: TableFacts) -> bool:
    return (table.logged, table.row_count, table.size_bytes) == (
        facts.columns,
        facts.row_count,
        facts.size_bytes,
    )
