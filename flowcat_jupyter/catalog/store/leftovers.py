"""What a crash may leave behind, as the database tells it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from sqlalchemy import ColumnElement, Connection, Executable, select, text

from flowcat_jupyter.catalog.store.runs import ACTIVE
from flowcat_jupyter.catalog.store.securables import ONE_UP, TWO_UP
from flowcat_jupyter.shared.schema import dropped_tables, runs, securables, tables, write_tickets


@dataclass(frozen=True)
class Managed:
    """A table whose data are the catalog's own."""

    id: int
    path: tuple[str, ...]
    location: str


class Leftovers:
    """Questions over everything there is, for the doctor."""

    def __init__(self, connection: Connection) -> None:
        """Read through ``connection``."""
        self._connection = connection

    def folders(self) -> frozenset[str]:
        """The names of the folders that something needs or is going to remove.

        Names, not paths: they are unique, and the same folder may be reached by several paths.
        """
        purges = select(runs.c.payload).where(runs.c.kind == "purge", runs.c.state.in_(ACTIVE))
        places = [str(payload["location"]) for payload in self._scalars(purges)]
        for column in (tables.c.location, dropped_tables.c.location):
            places.extend(self._scalars(select(column)))
        places.extend(
            self._scalars(select(write_tickets.c.location).where(write_tickets.c.state == "open"))
        )
        return frozenset(PurePath(place).name for place in places)

    def managed(self) -> tuple[Managed, ...]:
        """Every table whose data the catalog keeps itself."""
        return self._tables(tables.c.table_type == "managed", securables.c.state == "active")

    def unheld(self) -> tuple[Managed, ...]:
        """Tables that are being created, and no ticket is to say that they are done."""
        held = select(write_tickets.c.table_id).where(write_tickets.c.state == "open")
        return self._tables(securables.c.state == "creating", securables.c.id.not_in(held))

    def damage(self) -> tuple[str, ...]:
        """What SQLite finds wrong with its own file; PostgreSQL looks after that itself."""
        if self._connection.dialect.name != "sqlite":
            return ()
        found = self._scalars(text("PRAGMA quick_check(3)"))
        return tuple(str(line) for line in found if line != "ok")

    def _tables(self, *conditions: ColumnElement[bool]) -> tuple[Managed, ...]:
        query = (
            select(
                securables.c.id,
                TWO_UP.c.name.label("catalog"),
                ONE_UP.c.name.label("schema"),
                securables.c.name,
                tables.c.location,
            )
            .join(tables, tables.c.securable_id == securables.c.id)
            .join(ONE_UP, ONE_UP.c.id == securables.c.parent_id)
            .join(TWO_UP, TWO_UP.c.id == ONE_UP.c.parent_id)
            .where(*conditions)
            .order_by(securables.c.id)
        )
        return tuple(
            Managed(row.id, (row.catalog, row.schema, row.name), row.location)
            for row in self._connection.execute(query)
        )

    def _scalars(self, query: Executable) -> list[Any]:
        return list(self._connection.execute(query).scalars())
