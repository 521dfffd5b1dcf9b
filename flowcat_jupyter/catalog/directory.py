"""The catalog as one Unit's actor sees it, for planning to resolve names in."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from flowcat_jupyter.catalog.access import require
from flowcat_jupyter.catalog.planning.formats import FILES, LAKES
from flowcat_jupyter.catalog.planning.functions import FunctionText
from flowcat_jupyter.catalog.planning.resolver import Entry
from flowcat_jupyter.catalog.planning.views import ViewText
from flowcat_jupyter.catalog.store.rows import FunctionRow, TableRow, ViewRow
from flowcat_jupyter.catalog.store.seen import USE
from flowcat_jupyter.catalog.unit import Unit
from flowcat_jupyter.shared.errors import Forbidden, NotFound, SqlError
from flowcat_jupyter.shared.wire import Column, OptionLayer, Source
from flowcat_jupyter.storage.patterns import joined, split_paths

DECLARED = "flowcat.columns"
"""The property of a table whose columns somebody listed: they are not found out again."""


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
        self._views: dict[int, ViewRow] = {}
        self._named: dict[str, list[Entry]] = {}

    def tables_named(self, name: str) -> Sequence[Entry]:
        """Every visible table and view with this last part."""
        if name not in self._named:
            rows = self._unit.tables.named(name)
            self._rows.update({row.id: row for row in rows})
            views = self._unit.views.named(name)
            self._views.update({view.id: view for view in views})
            self._named[name] = [*map(_entry, rows), *map(view_entry, views)]
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
        if format in FILES:
            return Entry(None, (format, path), format, checked_paths(self._check_path, path))
        place = self._check_path(path)
        # What lies there may be newer than what the catalog knows of, and nobody's.
        pointer = self._unit.tables.pointer_at(place)
        return Entry(None, (format, path), format, place, pointer=pointer)

    def row(self, table_id: int) -> TableRow:
        """The row behind the entry of a table that this directory gave out.

        :raises SqlError: it is the entry of a view.
        """
        view = self._views.get(table_id)
        if view is not None:
            raise SqlError(
                f"{view.sql_name} is a view, which only a query reads.",
                condition="EXPECT_TABLE_NOT_VIEW.NO_ALTERNATIVE",
                sqlstate="42809",
                hint="Read it by SQL, by its name.",
            )
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
        options=_layers(table),
        columns=_declared(table),
        pointer=table.pointer,
    )


def as_found(source: Source) -> Source:
    """A table whose columns are found out anew, unless somebody listed them."""
    listed = any(DECLARED in layer.values for layer in source.options)
    return source if listed else replace(source, columns=())


def in_zone(source: Source, zone: str | None) -> Source:
    """A table, times in whose files that say no zone are in this one."""
    as_it_is = source.format == "parquet" and not (source.options or source.columns)
    if source.format in LAKES or as_it_is:
        return source
    return replace(source, options=(session_layer(zone), *source.options))


def session_layer(zone: str | None) -> OptionLayer:
    """What holds for every table of files that says nothing else."""
    return OptionLayer("session", {"timeZone": zone or "UTC"})


def layers_of(properties: Mapping[str, str], options: Mapping[str, str]) -> tuple[OptionLayer, ...]:
    """What a table of files says of how it is read and written."""
    return (OptionLayer("properties", dict(properties)), OptionLayer("table", dict(options)))


def _layers(table: TableRow) -> tuple[OptionLayer, ...]:
    if table.format in LAKES or not (table.options or table.properties):
        return ()
    return layers_of(table.properties, table.options)


def _declared(table: TableRow) -> tuple[Column, ...]:
    """The columns that a table of files has whatever lies there by now.

    Files of one format that was registered as it is say their own.
    """
    as_it_is = table.format == "parquet" and not (table.options or table.properties)
    return () if table.format in LAKES or as_it_is else table.logged


def checked_paths(check: Callable[[str], str], said: str) -> str:
    """The real places of one path, or of several that commas separate, as one location.

    :raises FlowcatError: one may not be used, or nothing is there.
    """
    try:
        return joined([check(said)])
    except NotFound:
        parts = split_paths(said)
        if len(parts) < 2:
            raise
    return joined([check(part) for part in parts])


def _entry(row: TableRow) -> Entry:
    return Entry(
        row.id,
        row.path,
        row.format,
        row.location,
        row.columns,
        row.reads,
        pointer=row.pointer,
        options=_layers(row),
        declared=_declared(row),
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


class UnitRoutines:
    """The functions that the actor of a Unit sees."""

    def __init__(self, unit: Unit) -> None:
        """Look in ``unit``; each name is looked up once."""
        self._unit = unit
        self._found: dict[tuple[str, ...], FunctionText | None] = {}

    def find(self, path: tuple[str, ...]) -> FunctionText | None:
        """The function of that full name; None if there is none."""
        if path not in self._found:
            self._found[path] = self._look(*path)
        return self._found[path]

    def _look(self, catalog: str, schema: str, name: str) -> FunctionText | None:
        try:
            above = self._unit.securables.schema(catalog, schema)
        except NotFound:
            return None
        row = self._unit.functions.under(above.id, name)
        return None if row is None else function_text(row)


def function_text(row: FunctionRow) -> FunctionText:
    """A function of the catalog as planning reads it."""
    return FunctionText(
        row.path,
        row.parameters,
        row.returns,
        row.body,
        row.dialect,
        row.catalog,
        row.schema,
        id=row.id,
        told=row.manages,
        readable=row.reads,
        comment=row.description,
        deterministic=row.deterministic,
    )
