"""Tables: what a node of that kind holds beyond its name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from os.path import commonpath
from pathlib import PurePath
from typing import Any

from sqlalchemy import Connection, Row, Select, func, or_, select

from flowcat_jupyter.catalog.store import search_index
from flowcat_jupyter.catalog.store.described import described, kept
from flowcat_jupyter.catalog.store.rows import TablePage, TableRow
from flowcat_jupyter.catalog.store.securables import ONE_UP, TWO_UP, node_fields, node_select
from flowcat_jupyter.catalog.store.seen import (
    USE,
    Seen,
    check_limit,
    read_cursor,
    storable,
    write_cursor,
)
from flowcat_jupyter.shared.errors import NotFound
from flowcat_jupyter.shared.names import name_key
from flowcat_jupyter.shared.schema import dropped_tables, securables, tables
from flowcat_jupyter.shared.wire import Column, TableFacts
from flowcat_jupyter.storage.patterns import SEPARATOR, fixed_part

MOST_BOUND = 5000
"""Values bound in one statement; both databases take more."""


class Tables:
    """Tables as one caller sees them."""

    def __init__(self, connection: Connection, seen: Seen) -> None:
        """Read and write through ``connection`` what ``seen`` reveals."""
        self._connection = connection
        self._seen = seen

    def get(self, table_id: int) -> TableRow:
        """The table with this id.

        :raises NotFound: there is none, or the caller does not see it.
        """
        found = self.find(table_id)
        if found is None:
            raise NotFound("table", table_id)
        return found

    def find(self, table_id: int) -> TableRow | None:
        """The table with this id, if the caller sees it."""
        if not 0 < table_id < 2**63:
            return None
        rows = self._read(self._select().where(securables.c.id == table_id))
        return rows[0] if rows else None

    def named(self, name: str) -> tuple[TableRow, ...]:
        """Every visible table whose last part is ``name``, compared as names are."""
        if not storable(name):
            return ()
        query = self._select().where(securables.c.name_key == name_key(name))
        return self._read(query.order_by(TWO_UP.c.name_key, ONE_UP.c.name_key))

    def under(self, schema_id: int, name: str) -> TableRow | None:
        """The visible table of that name in a schema."""
        return next((row for row in self.named(name) if row.parent_id == schema_id), None)

    def paths(self, limit: int) -> tuple[tuple[str, ...], ...]:
        """Full names of at most ``limit`` visible tables, in order."""
        query = (
            select(TWO_UP.c.name, ONE_UP.c.name, securables.c.name)
            .join(self._seen.source, self._seen.id == securables.c.id)
            .join(ONE_UP, ONE_UP.c.id == securables.c.parent_id)
            .join(TWO_UP, TWO_UP.c.id == ONE_UP.c.parent_id)
            .where(securables.c.space == "relation", securables.c.state == "active")
            .order_by(securables.c.name_key, securables.c.id)
            .limit(limit)
        )
        return tuple(tuple(row) for row in self._connection.execute(query))

    def page(
        self, *, schema_id: int | None = None, limit: int, after: str | None = None
    ) -> TablePage:
        """A page of visible tables by name, of one schema or of all.

        :raises Invalid: the limit or the cursor makes no sense.
        """
        limit = check_limit(limit)
        query = self._select(seen=self._seen.little(self._connection) or self._seen)
        if schema_id is not None:
            query = query.where(securables.c.parent_id == schema_id)
        ids = query.with_only_columns(securables.c.id).subquery()
        total = self._connection.execute(select(func.count()).select_from(ids)).scalar_one()
        if after:
            key, last = read_cursor(after, str, int)
            beyond = (securables.c.name_key == key) & (securables.c.id > last)
            query = query.where((securables.c.name_key > key) | beyond)
        order = (securables.c.name_key, securables.c.id)
        rows = self._read(query.order_by(*order).limit(limit + 1))
        more = len(rows) > limit
        last_row = rows[limit - 1] if more else None
        cursor = write_cursor(name_key(last_row.name), last_row.id) if last_row else None
        return TablePage(rows[:limit], total, cursor)

    def beneath(self, namespace_id: int) -> tuple[TableRow, ...]:
        """Every table under a catalog or schema, finished or not; for whoever drops all of it."""
        query = self._select(states=("active", "creating")).where(
            (securables.c.parent_id == namespace_id) | (ONE_UP.c.parent_id == namespace_id)
        )
        return self._read(query.order_by(securables.c.id))

    def creating(self, schema_id: int, name: str) -> int | None:
        """The id of the table of that name that somebody is creating in a schema."""
        query = select(securables.c.id).where(
            securables.c.parent_id == schema_id,
            securables.c.space == "relation",
            securables.c.name_key == name_key(name),
            securables.c.state == "creating",
        )
        return self._connection.execute(query).scalar_one_or_none()

    def hidden_while_creating(self, table_id: int) -> TableRow | None:
        """The table with this id even if it is still being created."""
        query = self._select(states=("active", "creating")).where(securables.c.id == table_id)
        rows = self._read(query)
        return rows[0] if rows else None

    def uses(self, location: str) -> bool:
        """Whether a table, seen or not or dropped but not purged, has its data there."""
        live = select(tables.c.securable_id).where(tables.c.location == location)
        kept = select(dropped_tables.c.id).where(dropped_tables.c.location == location)
        return self._connection.execute(live.union_all(kept).limit(1)).first() is not None

    def touching(self, location: str) -> tuple[int, ...]:
        """Ids of the tables, seen or not, whose data lie at, below or around a location."""
        above = [str(path) for path in PurePath(location).parents]
        where = or_(
            tables.c.location.in_([location, *above]),
            tables.c.location.startswith(location.rstrip("/") + "/", autoescape=True),
        )
        found = set(self._connection.execute(select(tables.c.securable_id).where(where)).scalars())
        for table_id, folder in self._patterns():
            if folder in (location, *above) or location in _places_above(folder):
                found.add(table_id)
        return tuple(sorted(found))

    def _patterns(self) -> list[tuple[int, str]]:
        """The tables that are patterns of files, and the folder in which each begins."""
        marked = or_(*(tables.c.location.contains(mark, autoescape=True) for mark in "*?[{\n"))
        query = select(tables.c.securable_id, tables.c.location).where(marked)
        return [
            (row.securable_id, fixed_folder(row.location))
            for row in self._connection.execute(query)
        ]

    def around(self, files: Sequence[str]) -> tuple[int, ...]:
        """Ids of the tables, seen or not, whose data lie at or around one of some files."""
        places = sorted({str(place) for file in files for place in (file, *PurePath(file).parents)})
        found: set[int] = set()
        for start in range(0, len(places), MOST_BOUND):
            some = places[start : start + MOST_BOUND]
            query = select(tables.c.securable_id).where(tables.c.location.in_(some))
            found.update(self._connection.execute(query).scalars())
        known = set(places)
        found.update(table_id for table_id, folder in self._patterns() if folder in known)
        return tuple(sorted(found))

    def insert(
        self,
        table_id: int,
        *,
        table_type: str,
        format: str,
        location: str,
        columns: Iterable[Column] = (),
        partition_columns: Iterable[str] = (),
        options: Mapping[str, str] | None = None,
        pointer: str | None = None,
    ) -> None:
        """Add what makes a node a table."""
        self._connection.execute(
            tables.insert().values(
                securable_id=table_id,
                table_type=table_type,
                format=format,
                location=location,
                columns=[asdict(column) for column in columns],
                partition_columns=list(partition_columns),
                options=dict(options or {}),
                pointer=pointer,
            )
        )
        search_index.index(self._connection, table_id)

    def restore(self, table_id: int, snapshot: dict[str, Any]) -> None:
        """Add a table from what `snapshot` kept."""
        # A snapshot may be older than the migrations: what it lacks has a default, what it has
        # beyond the table's columns is of no use any more.
        kept = {key: value for key, value in snapshot.items() if key in _STORED}
        values = {**kept, "written_at": moment(snapshot.get("written_at"))}
        self._connection.execute(tables.insert().values(securable_id=table_id, **values))
        search_index.index(self._connection, table_id)

    def snapshot(self, table_id: int) -> dict[str, Any]:
        """A table's row as JSON, but for its id."""
        row = self._connection.execute(
            select(tables).where(tables.c.securable_id == table_id)
        ).one()
        kept = {key: row._mapping[key] for key in _STORED}
        return {**kept, "written_at": row.written_at and row.written_at.isoformat()}

    def describe(
        self, table_id: int, *, comments: dict[str, str] | None = None, tags: Sequence[str] = ()
    ) -> None:
        """Write what people say of a table; comments are by folded column name."""
        values: dict[str, Any] = {"tags": list(tags)}
        if comments is not None:
            values["column_comments"] = comments
        self._connection.execute(
            tables.update().where(tables.c.securable_id == table_id).values(values)
        )
        search_index.index(self._connection, table_id)

    def record(self, table_id: int, facts: TableFacts, *, data_changed: bool, at: datetime) -> int:
        """Write what a table's log says; return its data version, raised if data changed.

        Comments go with their columns. ``at`` is when the data changed if the log tells no time.
        """
        known = self._connection.execute(
            select(tables.c.columns, tables.c.column_comments, tables.c.written_at).where(
                tables.c.securable_id == table_id
            )
        ).one()
        columns = [asdict(column) for column in facts.columns]
        step = 1 if data_changed else 0
        self._connection.execute(
            tables.update()
            .where(tables.c.securable_id == table_id)
            .values(
                format=facts.format,
                columns=columns,
                column_comments=kept(known.column_comments, facts.columns),
                partition_columns=list(facts.partition_columns),
                file_count=facts.files,
                written_at=moment(facts.written_at) or (at if data_changed else known.written_at),
                row_count=facts.row_count,
                size_bytes=facts.size_bytes,
                delta_version=facts.version,
                data_files_version=facts.data_files_version,
                properties=facts.properties,
                constraints=facts.constraints,
                pointer=facts.pointer,
                data_version=tables.c.data_version + step,
                broken=None,
            )
        )
        if columns != known.columns:
            search_index.index(self._connection, table_id)
        query = select(tables.c.data_version).where(tables.c.securable_id == table_id)
        return int(self._connection.execute(query).scalar_one())

    def holds_pointer(self, table_id: int, pointer: str | None) -> bool:
        """Whether a table's pointer is this one, and stays so until this transaction has ended."""
        held = tables.c.pointer.is_(None) if pointer is None else tables.c.pointer == pointer
        found = self._connection.execute(
            tables.update()
            .where(tables.c.securable_id == table_id, held)
            .values(pointer=tables.c.pointer)
        )
        return bool(found.rowcount)

    def pointer_at(self, location: str) -> str | None:
        """The pointer of the table, seen or not, whose data lie just there."""
        query = select(tables.c.pointer).where(tables.c.location == location)
        return self._connection.execute(query.limit(1)).scalar_one_or_none()

    def mark_broken(self, table_id: int, reason: str | None) -> None:
        """Note why a table cannot be read, or that it can."""
        self._connection.execute(
            tables.update().where(tables.c.securable_id == table_id).values(broken=reason)
        )

    def _select(
        self, states: tuple[str, ...] = ("active",), seen: Seen | None = None
    ) -> Select[Any]:
        more = [column for column in tables.c if column.name not in _IN_NODES]
        query = node_select(seen or self._seen, *more, states=states)
        return query.where(tables.c.securable_id.is_not(None))

    def _read(self, query: Select[Any]) -> tuple[TableRow, ...]:
        return tuple(_table(row) for row in self._connection.execute(query))


_STORED = tuple(column.name for column in tables.c if column.name != "securable_id")
_IN_NODES = ("securable_id", "row_count", "table_type", "data_version", "broken")


def _table(row: Row[Any]) -> TableRow:
    return TableRow(
        **node_fields(row),
        format=row.format,
        location=row.location,
        columns=described(row.columns, row.column_comments),
        logged=described(row.columns, None),
        comments=row.column_comments,
        tags=tuple(row.tags),
        partition_columns=tuple(row.partition_columns),
        size_bytes=row.size_bytes if row.rank >= USE else None,
        delta_version=row.delta_version if row.rank >= USE else None,
        data_files_version=row.data_files_version if row.rank >= USE else None,
        file_count=row.file_count if row.rank >= USE else None,
        written_at=row.written_at if row.rank >= USE else None,
        options=row.options,
        properties=row.properties,
        constraints=row.constraints,
        pointer=row.pointer,
    )


def moment(text: str | None) -> datetime | None:
    """An instant from ISO 8601; None where there is none that can be kept."""
    try:
        return datetime.fromisoformat(text) if text else None
    except ValueError:
        return None


def fixed_folder(location: str) -> str:
    """The folder that a pattern, or several paths, are looked for in; any other location itself."""
    return commonpath([fixed_part(path) for path in location.split(SEPARATOR)])


def _places_above(location: str) -> tuple[str, ...]:
    return tuple(str(path) for path in PurePath(location).parents)
