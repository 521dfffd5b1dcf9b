"""Dropped tables, kept for a while so that they can come back."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, select

from flowcat_jupyter.catalog.store.results import inserted_id
from flowcat_jupyter.catalog.store.rows import Dropped, TableRow
from flowcat_jupyter.shared.schema import dropped_tables


class DroppedTables:
    """All dropped tables; callers have checked what the actor may see of them."""

    def __init__(self, connection: Connection) -> None:
        """Read and write through ``connection``."""
        self._connection = connection

    def add(
        self,
        table: TableRow,
        snapshot: dict[str, Any],
        *,
        by: str,
        at: datetime,
        purge_at: datetime | None,
        purge_run_id: int | None,
    ) -> int:
        """Keep what a drop removes; return the id that undoes it."""
        return inserted_id(
            self._connection.execute(
                dropped_tables.insert().values(
                    old_uuid=table.uuid,
                    parent_id=table.parent_id,
                    path=list(table.path),
                    owner=table.owner,
                    location=table.location,
                    snapshot={"table": snapshot, "description": table.description},
                    dropped_at=at,
                    dropped_by=by,
                    purge_at=purge_at,
                    purge_run_id=purge_run_id,
                )
            )
        )

    def find(self, dropped_id: int) -> Dropped | None:
        """The dropped table with this id."""
        if not 0 < dropped_id < 2**63:
            return None
        query = select(dropped_tables).where(dropped_tables.c.id == dropped_id)
        row = self._connection.execute(query).one_or_none()
        return _dropped(row) if row else None

    def all(self) -> tuple[Dropped, ...]:
        """Every dropped table, last dropped first."""
        query = select(dropped_tables).order_by(dropped_tables.c.id.desc())
        return tuple(_dropped(row) for row in self._connection.execute(query))

    def delete(self, dropped_id: int) -> bool:
        """Forget a dropped table; False if it was forgotten before."""
        result = self._connection.execute(
            dropped_tables.delete().where(dropped_tables.c.id == dropped_id)
        )
        return bool(result.rowcount)

    def delete_of_run(self, run_id: int) -> bool:
        """Forget the dropped table a purge is about to remove; False if it came back."""
        result = self._connection.execute(
            dropped_tables.delete().where(dropped_tables.c.purge_run_id == run_id)
        )
        return bool(result.rowcount)


def _dropped(row: Row[Any]) -> Dropped:
    return Dropped(**{**row._mapping, "path": tuple(row.path)})
