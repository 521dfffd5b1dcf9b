"""The catalog as one Unit's actor sees it, for planning to resolve names in."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from flowcat_jupyter.catalog.access import require
from flowcat_jupyter.catalog.planning.resolver import Entry
from flowcat_jupyter.catalog.planning.views import ViewText
from flowcat_jupyter.catalog.store.rows import TableRow, ViewRow
from flowcat_jupyter.catalog.store.seen import USE
from flowcat_jupyter.catalog.unit import Unit
from flowcat_jupyter.shared.errors import Forbidden
from flowcat_jupyter.shared.wire import Source


class UnitDirectory:
    """Answers planning's questions from one Unit.

    It shows tables the actor may merely browse too, for their names count; the gate refuses to
    read them.
    """

    def __init__(self, unit: Unit, check_path: Callable[[str], str] | None = None) -> None:
        """``check_path`` gives the real path of a path table; None allows none."""
        self._unit = unit
        self._check_path = check_path
        self._rows: dict[int, TableRow] = {}
        self._named: dict[str, list[Entry]] = {}

    def tables_named(self, name: str) -> Sequence[Entry]:
        """Every visible table and view with this last part."""
        if name not in self._named:
            rows = self._unit.tables.named(name)
            self._rows.update({row.id: row for row in rows})
            views = [view_entry(row) for row in self._unit.views.named(name)]
            self._named[name] = [*map(_entry, rows), *views]
        return self._named[name]

    def table_paths(self, limit: int) -> Sequence[tuple[str, ...]]:
        """Full names of visible tables and views."""
        return self._unit.tables.paths(limit)

    def path_table(self, format: str, path: str) -> Entry:
        """The table at a path.

        :raises Forbidden: paths are not allowed here, or not this one.
        """
        if self._check_path is None:
            raise Forbidden("read", "path", path)
        return Entry(None, (format, path), format, self._check_path(path))

    def row(self, table_id: int) -> TableRow:
        """The row behind the entry of a table that this directory gave out."""
        return self._rows[table_id]


def readable(unit: Unit, table_id: int) -> TableRow:
    """A table whose rows the actor may read.

    :raises NotFound: the actor sees no such table.
    :raises Forbidden: the actor may only browse it.
    """
    table = unit.tables.get(table_id)
    require(table, USE, "read")
    return table


def source_of(table: TableRow, version: int | None = None, relation: str = "r1") -> Source:
    """A table of the catalog as a worker opens it."""
    return Source(
        relation,
        "table",
        table.path,
        table.format,
        table.location,
        version,
        pointer=table.pointer,
    )


def _entry(row: TableRow) -> Entry:
    return Entry(
        row.id, row.path, row.format, row.location, row.columns, row.reads, pointer=row.pointer
    )


def view_text(row: ViewRow) -> ViewText:
    """A view of the catalog as planning reads it."""
    return ViewText(
        row.path,
        row.text,
        row.dialect,
        row.catalog,
        row.schema,
        names=tuple(column.name for column in row.columns) if row.listed else (),
        columns=row.columns,
        id=row.id,
        told=row.manages,
        comment=row.description,
        properties=row.properties,
    )


def view_entry(row: ViewRow) -> Entry:
    """A view of the catalog as names are resolved to it."""
    return Entry(row.id, row.path, "view", "", row.columns, row.reads, view=view_text(row))
